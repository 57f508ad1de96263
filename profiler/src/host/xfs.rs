//! XFS geometry: by ioctl on the mount point, or what the mount options say of it.

use super::model::{Mount, Xfs};
use super::notes::{Notes, plain};
use super::root::Root;
use rustix::ioctl::{Getter, Opcode, ioctl, opcode};
use std::fs::File;
use std::io;

/// `struct xfs_fsop_geom` of kernels since 5.1 is this long; the older ones are its first 112
/// bytes.
const LONG: usize = 256;
const SHORT: usize = 112;
const GEOMETRY: Opcode = opcode::read::<[u8; LONG]>(b'X', 126);
const GEOMETRY_V4: Opcode = opcode::read::<[u8; SHORT]>(b'X', 124);

/// Facts about one mounted filesystem.
pub(super) fn read(root: &Root, mount: &Mount, notes: &mut Notes) -> Xfs {
    let what = format!("xfs geometry of {}", mount.target);
    let mut facts = if root.is_live() {
        match geometry(&mount.target) {
            Ok(bytes) => decode(&bytes),
            Err(error) => {
                notes.add(what, format!("{}: {}", mount.target, plain(&error)));
                from_options(mount)
            }
        }
    } else {
        notes.add(what, "it is asked for by ioctl, on the running host only");
        from_options(mount)
    };
    facts.log_buffer_bytes = value(mount, "logbsize").and_then(size);
    if let Some(device) = value(mount, "logdev") {
        facts.log_external = Some(!device.is_empty());
    }
    facts
}

fn geometry(target: &str) -> io::Result<[u8; SHORT]> {
    let folder = File::open(target)?;
    // SAFETY: the request writes a structure of the length that its number carries.
    if let Ok(long) = unsafe { ioctl(&folder, Getter::<GEOMETRY, [u8; LONG]>::new()) } {
        let mut short = [0; SHORT];
        short.copy_from_slice(&long[..SHORT]);
        return Ok(short);
    }
    // SAFETY: as above.
    Ok(unsafe { ioctl(&folder, Getter::<GEOMETRY_V4, [u8; SHORT]>::new()) }?)
}

/// Offsets of fs/xfs/libxfs/xfs_fs.h; stripe unit and width are in filesystem blocks.
fn decode(bytes: &[u8; SHORT]) -> Xfs {
    let u32_at = |at: usize| {
        let mut word = [0; 4];
        word.copy_from_slice(&bytes[at..at + 4]);
        u64::from(u32::from_ne_bytes(word))
    };
    let block = u32_at(0);
    let log_start = u32_at(56) | u32_at(60) << 32;
    Xfs {
        block_size_bytes: Some(block),
        ag_count: Some(u32_at(12)),
        log_bytes: Some(u32_at(16) * block),
        log_external: Some(log_start == 0),
        log_sunit_bytes: Some(u32_at(108)),
        // Zero: the filesystem was not told.
        stripe_unit_bytes: Some(u32_at(80) * block),
        stripe_width_bytes: Some(u32_at(84) * block),
        log_buffer_bytes: None,
    }
}

/// Mountinfo counts stripe unit and width in sectors, and leaves out what is zero.
pub(crate) fn from_options(mount: &Mount) -> Xfs {
    let sectors = |name| Some(value(mount, name)?.parse::<u64>().ok()?.saturating_mul(512));
    Xfs {
        stripe_unit_bytes: sectors("sunit"),
        stripe_width_bytes: sectors("swidth"),
        ..Xfs::default()
    }
}

fn value<'a>(mount: &'a Mount, name: &str) -> Option<&'a str> {
    mount
        .options
        .iter()
        .find_map(|option| option.strip_prefix(name)?.strip_prefix('='))
}

/// `32k`, `262144`.
fn size(text: &str) -> Option<u64> {
    match text.strip_suffix(['k', 'K']) {
        Some(kib) => kib.parse::<u64>().ok()?.checked_mul(1024),
        None => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mount_options_count_in_sectors() {
        let mount = Mount {
            target: "/var/lib/pgsql".into(),
            options:
                "rw,noatime,attr2,inode64,logbufs=8,logbsize=64k,sunit=128,swidth=1024,noquota"
                    .split(',')
                    .map(str::to_owned)
                    .collect(),
            ..Mount::default()
        };
        let mut notes = Notes::default();
        let facts = read(&Root::at("/nowhere"), &mount, &mut notes);
        // The filesystem was made with su=64k, sw=8.
        assert_eq!(facts.stripe_unit_bytes, Some(65_536));
        assert_eq!(facts.stripe_width_bytes, Some(524_288));
        assert_eq!(facts.log_buffer_bytes, Some(65_536));
        assert_eq!(facts.block_size_bytes, None);
        assert_eq!(notes.into_missing().len(), 1);
    }

    #[test]
    fn request_numbers_are_the_kernels() {
        assert_eq!(u64::from(GEOMETRY), 0x8100_587e);
        assert_eq!(u64::from(GEOMETRY_V4), 0x8070_587c);
    }
}
