//! Who uses a block device or file: mounts, holders (md, LVM, dm), swap, loop devices.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The tables of the kernel that tell who uses what.
pub(crate) struct Uses {
    mounts: String,
    swaps: String,
    sys: PathBuf,
}

impl Uses {
    pub(crate) fn of_this_host() -> Self {
        Self {
            mounts: fs::read_to_string("/proc/self/mountinfo").unwrap_or_default(),
            swaps: fs::read_to_string("/proc/swaps").unwrap_or_default(),
            sys: PathBuf::from("/sys"),
        }
    }

    /// Users of a device, of its partitions and of the disk it is a partition of.
    pub(crate) fn of_device(&self, rdev: u64) -> Vec<String> {
        let own = format!("{}:{}", rustix::fs::major(rdev), rustix::fs::minor(rdev));
        let mut users = Vec::new();
        for (number, directory) in self.family(&own) {
            users.extend(self.mounted(&number));
            users.extend(holders(&directory));
            users.extend(self.swapped(|meta| same(meta.rdev(), &number)));
        }
        users.sort();
        users.dedup();
        users
    }

    /// The swap area or loop device that lives in a regular file.
    pub(crate) fn of_file(&self, dev: u64, ino: u64) -> Option<String> {
        let is_it = |meta: &fs::Metadata| meta.dev() == dev && meta.ino() == ino;
        if let Some(swap) = self.swapped(is_it).into_iter().next() {
            return Some(swap);
        }
        let devices = fs::read_dir(self.sys.join("block")).ok()?;
        devices.flatten().find_map(|device| {
            let backing = fs::read_to_string(device.path().join("loop/backing_file")).ok()?;
            let meta = fs::metadata(backing.trim_end()).ok()?;
            is_it(&meta).then(|| format!("backs {}", device.file_name().display()))
        })
    }

    /// The device, its partitions and its whole disk: number and sysfs directory.
    fn family(&self, own: &str) -> Vec<(String, PathBuf)> {
        let link = self.sys.join("dev/block").join(own);
        let Ok(directory) = link.canonicalize() else {
            return vec![(own.to_owned(), link)];
        };
        let mut family = vec![(own.to_owned(), directory.clone())];
        let children = fs::read_dir(&directory).into_iter().flatten().flatten();
        let parent = directory.parent().map(Path::to_owned);
        let partition_of = parent.filter(|_| directory.join("partition").exists());
        let relatives = children
            .map(|child| child.path())
            .filter(|path| path.join("partition").exists())
            .chain(partition_of);
        for path in relatives {
            if let Ok(number) = fs::read_to_string(path.join("dev")) {
                family.push((number.trim().to_owned(), path));
            }
        }
        family
    }

    fn mounted(&self, number: &str) -> Vec<String> {
        self.mounts
            .lines()
            .filter_map(|line| {
                let (left, right) = line.split_once(" - ")?;
                let mut fields = left.split(' ').skip(2);
                let (device, point) = (fields.next()?, fields.nth(1)?);
                // Some filesystems have a number of their own; their source names the device.
                let by_source = || {
                    let source = right.split(' ').nth(1).filter(|s| s.starts_with('/'))?;
                    let rdev = fs::metadata(unescape(source)).ok()?.rdev();
                    same(rdev, number).then_some(())
                };
                (device == number || by_source().is_some())
                    .then(|| format!("mounted at {}", unescape(point)))
            })
            .collect()
    }

    fn swapped(&self, is_it: impl Fn(&fs::Metadata) -> bool) -> Vec<String> {
        self.swaps
            .lines()
            .skip(1)
            .filter_map(|line| line.split_whitespace().next())
            .map(unescape)
            .filter(|path| fs::metadata(path).is_ok_and(|meta| is_it(&meta)))
            .map(|path| format!("swap area {path}"))
            .collect()
    }
}

fn same(rdev: u64, number: &str) -> bool {
    rdev != 0 && format!("{}:{}", rustix::fs::major(rdev), rustix::fs::minor(rdev)) == number
}

fn holders(directory: &Path) -> Vec<String> {
    fs::read_dir(directory.join("holders"))
        .into_iter()
        .flatten()
        .flatten()
        .map(|holder| format!("held by {}", holder.file_name().display()))
        .collect()
}

/// `\040` and the like, as the kernel writes blanks in paths.
fn unescape(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let octal = tail
            .get(..3)
            .filter(|_| *first == b'\\')
            .and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok());
        match octal {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[3..];
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::makedev;

    /// A disk 8:0 with partition 8:1, mounted, held by an array; nothing uses 8:16.
    fn fake() -> (tempfile::TempDir, Uses) {
        let dir = tempfile::tempdir().unwrap();
        let sys = dir.path().to_owned();
        for (disk, number) in [("sda", "8:0"), ("sdb", "8:16")] {
            let block = sys.join("devices").join(disk);
            fs::create_dir_all(block.join("holders")).unwrap();
            fs::write(block.join("dev"), format!("{number}\n")).unwrap();
            fs::create_dir_all(sys.join("dev/block")).unwrap();
            std::os::unix::fs::symlink(&block, sys.join("dev/block").join(number)).unwrap();
        }
        let part = sys.join("devices/sda/sda1");
        fs::create_dir_all(part.join("holders/md0")).unwrap();
        fs::write(part.join("dev"), "8:1\n").unwrap();
        fs::write(part.join("partition"), "1\n").unwrap();
        std::os::unix::fs::symlink(&part, sys.join("dev/block/8:1")).unwrap();
        let uses = Uses {
            mounts: "36 35 8:1 / /srv/my\\040data rw,noatime master:1 - ext4 /dev/sda1 rw\n"
                .to_owned(),
            swaps: "Filename\tType\tSize\tUsed\tPriority\n".to_owned(),
            sys,
        };
        (dir, uses)
    }

    #[test]
    fn a_disk_is_in_use_when_its_partition_is() {
        let (_dir, uses) = fake();
        let expected = ["held by md0", "mounted at /srv/my data"];
        assert_eq!(uses.of_device(makedev(8, 1)), expected);
        assert_eq!(uses.of_device(makedev(8, 0)), expected);
        assert!(uses.of_device(makedev(8, 16)).is_empty());
    }

    #[test]
    fn a_partition_is_in_use_when_its_disk_is_held() {
        let (dir, uses) = fake();
        let holders = dir.path().join("devices/sda/holders");
        fs::create_dir(holders.join("dm-0")).unwrap();
        assert!(
            uses.of_device(makedev(8, 1))
                .contains(&"held by dm-0".to_owned())
        );
    }

    #[test]
    fn files_under_swap_and_loop_are_known() {
        let (dir, mut uses) = fake();
        let file = dir.path().join("image");
        fs::write(&file, "x").unwrap();
        let meta = fs::metadata(&file).unwrap();
        assert_eq!(uses.of_file(meta.dev(), meta.ino()), None);
        let device = dir.path().join("block/loop3/loop");
        fs::create_dir_all(&device).unwrap();
        fs::write(device.join("backing_file"), format!("{}\n", file.display())).unwrap();
        assert_eq!(
            uses.of_file(meta.dev(), meta.ino()).as_deref(),
            Some("backs loop3")
        );
        uses.swaps = format!("Filename Type\n{} file 1 0 -2\n", file.display());
        assert!(
            uses.of_file(meta.dev(), meta.ino())
                .unwrap()
                .starts_with("swap area")
        );
    }
}
