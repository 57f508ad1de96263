//! What a block device holds: the marks that filesystems, volume managers and tables leave on it.

use std::fs::File;
use std::io::{Seek, SeekFrom};
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Bytes at a place, and whose they are.
struct Mark {
    at: u64,
    bytes: &'static [u8],
    whose: &'static str,
}

const fn mark(at: u64, bytes: &'static [u8], whose: &'static str) -> Mark {
    Mark { at, bytes, whose }
}

/// From the start of the device. The narrow ones first: a partition table is the weakest sign.
const MARKS: &[Mark] = &[
    mark(0, b"XFSB", "an XFS filesystem"),
    mark(1024 + 56, &[0x53, 0xef], "an ext2, ext3 or ext4 filesystem"),
    mark(65_536 + 64, b"_BHRfS_M", "a btrfs filesystem"),
    mark(1024, &[0x10, 0x20, 0xf5, 0xf2], "an F2FS filesystem"),
    mark(0, b"LUKS\xba\xbe", "a LUKS container"),
    mark(0, b"bluestore block device", "a Ceph OSD"),
    mark(0, b"hsqs", "a squashfs"),
    mark(3, b"NTFS    ", "an NTFS filesystem"),
    mark(3, b"EXFAT   ", "an exFAT filesystem"),
    mark(54, b"FAT1", "a FAT filesystem"),
    mark(82, b"FAT32", "a FAT filesystem"),
    mark(32_769, b"CD001", "an ISO 9660 filesystem"),
    mark(4096 - 10, b"SWAPSPACE2", "a swap area"),
    mark(65_536 - 10, b"SWAPSPACE2", "a swap area"),
    mark(
        4096 + 24,
        &[0xc6, 0x85, 0x73, 0xf6, 0x4e, 0x1a, 0x45, 0xca],
        "a bcache device",
    ),
    mark(0, &[0xfc, 0x4e, 0x2b, 0xa9], "a member of an md array"),
    mark(4096, &[0xfc, 0x4e, 0x2b, 0xa9], "a member of an md array"),
    mark(0, b"LABELONE", "an LVM physical volume"),
    mark(512, b"LABELONE", "an LVM physical volume"),
    mark(1024, b"LABELONE", "an LVM physical volume"),
    mark(1536, b"LABELONE", "an LVM physical volume"),
    mark(131_072 + 8, &[0x0c, 0xb1, 0xba, 0], "a ZFS pool member"),
    mark(512, b"EFI PART", "a GPT partition table"),
    mark(4096, b"EFI PART", "a GPT partition table"),
    mark(510, &[0x55, 0xaa], "a partition table or boot sector"),
];

/// What the device holds; an error when it cannot be read, which is no answer.
pub(super) fn of(path: &Path) -> Result<Option<&'static str>, String> {
    let told = |error: std::io::Error| format!("{} cannot be read: {error}", path.display());
    let mut device = File::open(path).map_err(told)?;
    let length = device.seek(SeekFrom::End(0)).map_err(told)?;
    for mark in MARKS {
        if holds(&device, mark.at, mark.bytes, length).map_err(told)? {
            return Ok(Some(mark.whose));
        }
    }
    // Older md metadata lies at the end: version 0.90 in the last whole 64 KiB, 1.0 in the last 8.
    let ends = [
        (length & !0xffff).checked_sub(65_536),
        length.checked_sub(8192).map(|at| at & !0xfff),
    ];
    for at in ends.into_iter().flatten() {
        if holds(&device, at, &[0xfc, 0x4e, 0x2b, 0xa9], length).map_err(told)? {
            return Ok(Some("a member of an md array"));
        }
    }
    Ok(None)
}

fn holds(device: &File, at: u64, bytes: &[u8], length: u64) -> std::io::Result<bool> {
    if at + bytes.len() as u64 > length {
        return Ok(false);
    }
    let mut there = vec![0; bytes.len()];
    device.read_exact_at(&mut there, at)?;
    Ok(there == bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_mark_is_found_and_an_empty_device_has_none() {
        let dir = tempfile::tempdir().unwrap();
        for mark in MARKS {
            let path = dir.path().join("disk");
            let file = File::create(&path).unwrap();
            file.set_len(1 << 20).unwrap();
            assert_eq!(of(&path), Ok(None));
            file.write_all_at(mark.bytes, mark.at).unwrap();
            assert_eq!(of(&path), Ok(Some(mark.whose)));
        }
        let path = dir.path().join("disk");
        let file = File::create(&path).unwrap();
        file.set_len((1 << 20) + 5000).unwrap();
        file.write_all_at(&[0xfc, 0x4e, 0x2b, 0xa9], (1 << 20) - 65_536)
            .unwrap();
        assert_eq!(of(&path), Ok(Some("a member of an md array")));
    }

    #[test]
    fn real_tools_leave_the_marks() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("disk");
        File::create(&path).unwrap().set_len(8 << 20).unwrap();
        let made = std::process::Command::new("mkfs.ext4")
            .arg("-q")
            .arg(&path)
            .status();
        match made {
            Ok(status) if status.success() => {
                assert_eq!(of(&path), Ok(Some("an ext2, ext3 or ext4 filesystem")));
            }
            _ => eprintln!("skipped: mkfs.ext4 is not installed"),
        }
    }
}
