//! What is written, what is refused, and what is left behind.

use super::*;
use crate::capture::arbitrary::{any_capture, small};
use proptest::prelude::*;
use std::fs;
use std::os::unix::fs::symlink;
use tempfile::TempDir;

fn directory() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn names(directory: &Path) -> Vec<String> {
    let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
    let mut names: Vec<String> = fs::read_dir(directory).unwrap().map(name).collect();
    names.sort();
    names
}

fn refused(path: &Path) -> String {
    match Writer::create(path, &small().host, Options::default()) {
        Ok(_) => panic!("{} was accepted", path.display()),
        Err(error) => format!("{error:#}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_written_is_read(capture in any_capture(), packed in any::<bool>()) {
        let directory = directory();
        let path = directory.path().join(if packed { "c.json.zst" } else { "c.json" });
        prop_assert_eq!(capture.write(&path, Options::default()).unwrap(), Some(path.clone()));
        prop_assert_eq!(Capture::read(&path).unwrap(), capture);
        prop_assert_eq!(names(directory.path()).len(), 1);
    }
}

#[test]
fn a_name_that_ends_in_zst_is_compressed_with_a_checksum() {
    let directory = directory();
    let path = directory.path().join("c.zst");
    small().write(&path, Options::default()).unwrap();
    let bytes = fs::read(&path).unwrap();
    assert_eq!(bytes[..4], [0x28, 0xb5, 0x2f, 0xfd]);
    // Frame_Header_Descriptor, bit 2: Content_Checksum_flag (RFC 8878, 3.1.1.1.1).
    assert_eq!(bytes[4] & 4, 4);
    let plain = directory.path().join("c.json");
    small().write(&plain, Options::default()).unwrap();
    assert!(fs::read(&plain).unwrap().starts_with(b"{\"format\":"));
}

#[test]
fn each_slice_has_its_line() {
    let directory = directory();
    let path = directory.path().join("c.json");
    small().write(&path, Options::default()).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let slices = text.lines().filter(|line| line.starts_with("{\"at_ns\":"));
    assert_eq!(slices.count(), 2);
}

#[test]
fn a_recording_that_is_given_up_leaves_nothing() {
    let directory = directory();
    let path = directory.path().join("c.json");
    let mut writer = Writer::create(&path, &small().host, Options::default()).unwrap();
    writer.append(&small().slices[0]).unwrap();
    drop(writer);
    assert_eq!(names(directory.path()), Vec::<String>::new());
}

#[test]
fn checkpoints_are_valid_files_and_the_end_replaces_them() {
    for name in ["c.json", "c.json.zst"] {
        let (directory, capture) = (directory(), small());
        let path = directory.path().join(name);
        let options = Options {
            checkpoint_ns: Some(1_000_000_000),
            ..Options::default()
        };
        let mut writer = Writer::create(&path, &capture.host, options).unwrap();
        assert!(!writer.checkpoint_due());
        for (i, slice) in capture.slices.iter().enumerate() {
            writer.append(slice).unwrap();
            assert!(writer.checkpoint_due());
            writer.checkpoint(&capture.ending()).unwrap();
            assert!(!writer.checkpoint_due());
            let read = Capture::read(&path).unwrap();
            assert_eq!(read.slices, capture.slices[..=i]);
            assert_eq!(names(directory.path()), [name]);
        }
        writer.finish(&capture.ending()).unwrap();
        assert_eq!(Capture::read(&path).unwrap(), capture);
        assert_eq!(names(directory.path()), [name]);
    }
}

#[test]
fn only_captures_and_empty_files_are_replaced_unless_forced() {
    let directory = directory();
    let path = directory.path().join("c.json.zst");
    fs::write(&path, "").unwrap();
    small().write(&path, Options::default()).unwrap();
    let mut other = small();
    other.slices.pop();
    other.write(&path, Options::default()).unwrap();
    assert_eq!(Capture::read(&path).unwrap(), other);
    for precious in [
        &b"precious"[..],
        &zstd::encode_all(&b"precious"[..], 3).unwrap(),
    ] {
        fs::write(&path, precious).unwrap();
        let said = refused(&path);
        assert!(
            said.ends_with(
                "exists and is not an iosage capture; choose another name or give --force"
            )
        );
        assert_eq!(fs::read(&path).unwrap(), precious);
    }
    let force = Options {
        force: true,
        ..Options::default()
    };
    small().write(&path, force).unwrap();
    assert_eq!(Capture::read(&path).unwrap(), small());
    assert_eq!(names(directory.path()), ["c.json.zst"]);
}

#[test]
fn a_large_compressed_capture_is_known_by_its_beginning() {
    let directory = directory();
    let path = directory.path().join("c.zst");
    let mut capture = small();
    // Text that does not compress, so that the first block is as large as blocks get.
    let mut x = 1u64;
    let noise = (0..1 << 20).map(|_| {
        x = x
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        char::from(33 + (x >> 33) as u8 % 90)
    });
    capture.host.os = Some(noise.collect());
    capture.write(&path, Options::default()).unwrap();
    small().write(&path, Options::default()).unwrap();
    assert_eq!(Capture::read(&path).unwrap(), small());
}

#[test]
fn a_name_taken_while_recording_is_left_alone() {
    let directory = directory();
    let path = directory.path().join("c.json");
    let capture = small();
    let mut writer = Writer::create(&path, &capture.host, Options::default()).unwrap();
    capture
        .slices
        .iter()
        .for_each(|s| writer.append(s).unwrap());
    fs::write(&path, "precious").unwrap();
    let kept = writer.finish(&capture.ending()).unwrap().unwrap();
    assert_eq!(kept, directory.path().join("c.json.1"));
    assert_eq!(Capture::read(&kept).unwrap(), capture);
    assert_eq!(fs::read(&path).unwrap(), b"precious");
}

#[test]
fn what_a_kill_left_is_removed_by_the_next_recording() {
    let directory = directory();
    let path = directory.path().join("c.json");
    small().write(&path, Options::default()).unwrap();
    fs::write(directory.path().join(".c.json.iosage-tmp"), "half").unwrap();
    small().write(&path, Options::default()).unwrap();
    assert_eq!(names(directory.path()), ["c.json"]);
}

#[test]
fn places_where_no_file_can_be_are_refused_in_one_sentence() {
    let directory = directory();
    let at = |name: &str| directory.path().join(name);
    let shown = directory.path().display();
    assert_eq!(
        refused(&at("no/c.json")),
        format!("the directory {shown}/no does not exist; create it first")
    );
    let name = "; give the name of a file, or `-` for standard output";
    assert_eq!(
        refused(directory.path()),
        format!("{shown} is a directory{name}")
    );
    assert_eq!(
        refused(Path::new("/dev/null")),
        format!("/dev/null is a device{name}")
    );
    rustix::fs::mknodat(
        rustix::fs::CWD,
        at("fifo"),
        rustix::fs::FileType::Fifo,
        0o600.into(),
        0,
    )
    .unwrap();
    assert_eq!(
        refused(&at("fifo")),
        format!("{shown}/fifo is a FIFO{name}")
    );
    assert_eq!(refused(Path::new("/")), "/ is not the name of a file");
    fs::write(at("file"), "").unwrap();
    assert_eq!(
        refused(&at("file/c.json")),
        format!("opening the directory {shown}/file: Not a directory (os error 20)")
    );
    symlink("loop", at("loop")).unwrap();
    assert_eq!(
        refused(&at("loop")),
        format!("{shown}/loop leads through too many symbolic links")
    );
    // A filesystem that nobody may write to.
    let said = refused(Path::new("/proc/self/c.json"));
    assert!(
        said.starts_with("cannot write /proc/self/c.json: "),
        "{said}"
    );
}

#[test]
fn symbolic_links_are_kept_and_written_through() {
    let directory = directory();
    fs::create_dir(directory.path().join("far")).unwrap();
    let link = directory.path().join("c.json");
    symlink("far/real.json", &link).unwrap();
    for _ in 0..2 {
        small().write(&link, Options::default()).unwrap();
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert_eq!(names(&directory.path().join("far")), ["real.json"]);
        assert_eq!(Capture::read(&link).unwrap(), small());
    }
}

#[test]
fn a_full_disk_is_one_sentence() {
    let directory = directory();
    let path = directory.path().join("c.json");
    // Every write to this device fails as on a full disk.
    let full = fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let destination = Destination::resolve(&path).unwrap();
    let out = Out::File(full.into());
    let mut writer = Writer::new(Some(destination), out, false, Options::default());
    let said = writer.append(&small().slices[0]).unwrap_err().to_string();
    assert_eq!(
        said,
        format!(
            "cannot write {}: No space left on device (os error 28); \
             free some space or choose another place",
            path.display()
        )
    );
}
