//! The superblock of ext2, ext3 and ext4 (Documentation/filesystems/ext4/super.rst).

/// Where it lies on the device, and how long it is.
pub(super) const OFFSET: u64 = 1024;
pub(super) const LENGTH: usize = 1024;

const MAGIC: u16 = 0xef53;
/// `s_jnl_blocks` holds a copy of the journal's inode.
const BACKUP_OF_JOURNAL_INODE: u8 = 1;

/// What the inventory wants to know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Superblock {
    pub(super) block_size_bytes: Option<u64>,
    pub(super) features: Vec<String>,
    pub(super) default_mount_options: Vec<String>,
    /// The mode that `default_mount_options` ask for.
    pub(super) default_data_mode: Option<&'static str>,
    pub(super) errors_behaviour: Option<&'static str>,
    pub(super) error_count: u64,
    pub(super) stride_blocks: u64,
    pub(super) stripe_width_blocks: u64,
    /// Size of a journal within the filesystem.
    pub(super) journal_bytes: Option<u64>,
    /// Uuid of a journal on another device, in the usual form.
    pub(super) journal_uuid: Option<String>,
    pub(super) created_unix_s: u64,
}

impl Superblock {
    pub(super) fn has(&self, feature: &str) -> bool {
        self.features.iter().any(|name| name == feature)
    }
}

/// Parses the block at [`OFFSET`]; says why it is none.
pub(super) fn parse(block: &[u8]) -> Result<Superblock, String> {
    let Ok(block) = <&[u8; LENGTH]>::try_from(block) else {
        return Err(format!("the superblock ends after {} bytes", block.len()));
    };
    let block = Block(block);
    let magic = block.u16(0x38);
    if magic != MAGIC {
        return Err(format!(
            "no ext4 superblock: its magic number is {magic:#06x}"
        ));
    }
    let features = features(&block);
    let has_journal = features.iter().any(|name| name == "has_journal");
    let stored = block.u32(0x100);
    let mut found = Superblock {
        block_size_bytes: 1024u64
            .checked_shl(block.u32(0x18))
            .filter(|size| *size >= 1024),
        default_mount_options: names(stored & !0x60, "option", &DEFAULT_OPTIONS),
        errors_behaviour: match block.u16(0x3c) {
            1 => Some("continue"),
            2 => Some("remount-ro"),
            3 => Some("panic"),
            _ => None,
        },
        error_count: u64::from(block.u32(0x194)),
        stride_blocks: u64::from(block.u16(0x164)),
        stripe_width_blocks: u64::from(block.u32(0x170)),
        created_unix_s: u64::from(block.u32(0x108)) | u64::from(block.u8(0x276)) << 32,
        features,
        ..Superblock::default()
    };
    // Two bits, read as one number: fs/ext4/ext4.h EXT4_DEFM_JMODE.
    found.default_data_mode = match stored & 0x60 {
        0x20 => Some("journal"),
        0x40 => Some("ordered"),
        0x60 => Some("writeback"),
        _ => None,
    };
    if let Some(mode) = found.default_data_mode {
        let name = if mode == "journal" {
            "journal_data".into()
        } else {
            format!("journal_data_{mode}")
        };
        found.default_mount_options.push(name);
    }
    if has_journal {
        let uuid = block.bytes::<16>(0xd0);
        let is_internal = block.u32(0xe0) != 0;
        if is_internal && block.u8(0xfd) == BACKUP_OF_JOURNAL_INODE {
            // Elements 15 and 16 of s_jnl_blocks: i_size_high, i_size.
            let size = u64::from(block.u32(0x148)) << 32 | u64::from(block.u32(0x14c));
            found.journal_bytes = (size > 0).then_some(size);
        } else if !is_internal && uuid != [0; 16] {
            found.journal_uuid = Some(hyphenated(&uuid));
        }
    }
    Ok(found)
}

/// Little-endian reads at offsets below [`LENGTH`], which every caller writes as literals.
struct Block<'a>(&'a [u8; LENGTH]);

impl Block<'_> {
    fn bytes<const N: usize>(&self, at: usize) -> [u8; N] {
        let mut bytes = [0; N];
        bytes.copy_from_slice(&self.0[at..at + N]);
        bytes
    }

    fn u8(&self, at: usize) -> u8 {
        self.0[at]
    }

    fn u16(&self, at: usize) -> u16 {
        u16::from_le_bytes(self.bytes(at))
    }

    fn u32(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.bytes(at))
    }
}

fn hyphenated(uuid: &[u8; 16]) -> String {
    let mut text = String::with_capacity(36);
    for (index, byte) in uuid.iter().enumerate() {
        if matches!(index, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        text.push_str(&format!("{byte:02x}"));
    }
    text
}

fn features(block: &Block) -> Vec<String> {
    let mut all = names(block.u32(0x5c), "compat", &COMPATIBLE);
    all.extend(names(block.u32(0x60), "incompat", &INCOMPATIBLE));
    all.extend(names(block.u32(0x64), "ro_compat", &READ_ONLY_COMPATIBLE));
    all
}

/// Names of the bits that are set; `KIND:0x...` for one without a name.
fn names(bits: u32, kind: &str, table: &[(u32, &str)]) -> Vec<String> {
    (0..32)
        .map(|shift| 1u32 << shift)
        .filter(|bit| bits & bit != 0)
        .map(|bit| match table.iter().find(|(known, _)| *known == bit) {
            Some((_, name)) => (*name).to_owned(),
            None => format!("{kind}:{bit:#x}"),
        })
        .collect()
}

/// As `tune2fs -o` names them; the data mode is apart.
const DEFAULT_OPTIONS: [(u32, &str); 9] = [
    (0x1, "debug"),
    (0x2, "bsdgroups"),
    (0x4, "user_xattr"),
    (0x8, "acl"),
    (0x10, "uid16"),
    (0x100, "nobarrier"),
    (0x200, "block_validity"),
    (0x400, "discard"),
    (0x800, "nodelalloc"),
];

/// Feature names as mke2fs(8) has them.
const COMPATIBLE: [(u32, &str); 11] = [
    (0x1, "dir_prealloc"),
    (0x2, "imagic_inodes"),
    (0x4, "has_journal"),
    (0x8, "ext_attr"),
    (0x10, "resize_inode"),
    (0x20, "dir_index"),
    (0x40, "lazy_bg"),
    (0x200, "sparse_super2"),
    (0x400, "fast_commit"),
    (0x800, "stable_inodes"),
    (0x1000, "orphan_file"),
];

const INCOMPATIBLE: [(u32, &str); 16] = [
    (0x1, "compression"),
    (0x2, "filetype"),
    (0x4, "needs_recovery"),
    (0x8, "journal_dev"),
    (0x10, "meta_bg"),
    (0x40, "extent"),
    (0x80, "64bit"),
    (0x100, "mmp"),
    (0x200, "flex_bg"),
    (0x400, "ea_inode"),
    (0x1000, "dirdata"),
    (0x2000, "metadata_csum_seed"),
    (0x4000, "large_dir"),
    (0x8000, "inline_data"),
    (0x10000, "encrypt"),
    (0x20000, "casefold"),
];

const READ_ONLY_COMPATIBLE: [(u32, &str); 16] = [
    (0x1, "sparse_super"),
    (0x2, "large_file"),
    (0x4, "btree_dir"),
    (0x8, "huge_file"),
    (0x10, "uninit_bg"),
    (0x20, "dir_nlink"),
    (0x40, "extra_isize"),
    (0x80, "has_snapshot"),
    (0x100, "quota"),
    (0x200, "bigalloc"),
    (0x400, "metadata_csum"),
    (0x800, "replica"),
    (0x1000, "read-only"),
    (0x2000, "project"),
    (0x8000, "verity"),
    (0x10000, "orphan_present"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_block_of_something_else_says_so() {
        assert_eq!(
            parse(&[0; LENGTH]).unwrap_err(),
            "no ext4 superblock: its magic number is 0x0000"
        );
        assert_eq!(
            parse(&[0; 9]).unwrap_err(),
            "the superblock ends after 9 bytes"
        );
    }

    #[test]
    fn an_external_journal_has_a_uuid_and_no_size() {
        let mut block = [0u8; LENGTH];
        block[0x38..0x3a].copy_from_slice(&MAGIC.to_le_bytes());
        block[0x5c] = 0x4;
        for (index, byte) in (0xd0..0xe0).enumerate() {
            block[byte] = index as u8;
        }
        let found = parse(&block).unwrap();
        assert_eq!(found.journal_bytes, None);
        assert_eq!(
            found.journal_uuid.as_deref(),
            Some("00010203-0405-0607-0809-0a0b0c0d0e0f")
        );
    }

    proptest! {
        #[test]
        fn no_block_makes_it_panic(mut block in proptest::collection::vec(any::<u8>(), LENGTH)) {
            let _ = parse(&block);
            block[0x38..0x3a].copy_from_slice(&MAGIC.to_le_bytes());
            prop_assert!(parse(&block).is_ok());
        }
    }
}
