//! What is said about files that are no good captures.

use super::*;
use crate::capture::arbitrary::small;
use crate::capture::{Op, Span};

fn text() -> String {
    serde_json::to_string_pretty(&small()).unwrap()
}

fn read(text: &str) -> Result<Capture, FormatError> {
    Capture::from_reader(text.as_bytes(), Path::new("a.json"))
}

fn said(text: &str) -> String {
    read(text).unwrap_err().to_string()
}

/// The line, from 1, on which `needle` stands first.
fn line_of(text: &str, needle: &str) -> usize {
    text[..text.find(needle).unwrap()].matches('\n').count() + 1
}

#[test]
fn a_wrong_type_is_named_with_its_place() {
    let bad = text().replacen("\"bytes\": 8192", "\"bytes\": \"8 KiB\"", 1);
    let line = line_of(&bad, "8 KiB");
    let place = "slices[0].devices.\"8:0\".ops.read.bytes";
    let what = "invalid type: string \"8 KiB\", expected u64";
    assert_eq!(said(&bad), format!("a.json:{line}:24: {place}: {what}"));
}

#[test]
fn a_missing_key_is_named_with_its_object() {
    let bad = text().replacen("\"bytes\": 8192", "\"octets\": 8192", 1);
    let error = read(&bad).unwrap_err();
    assert_eq!(
        error.place.to_string(),
        "slices[0].devices.\"8:0\".ops.read"
    );
    assert_eq!(error.what, "missing field `bytes`");
}

#[test]
fn numbers_that_cannot_be_are_refused() {
    let place = "slices[0].devices.\"8:0\".ops.read.bytes";
    for bad in ["-1", "1.5", "18446744073709551616", "1e3"] {
        let text = text().replacen("\"bytes\": 8192", &format!("\"bytes\": {bad}"), 1);
        let error = read(&text).unwrap_err();
        assert_eq!(error.place.to_string(), place, "{bad}");
        assert!(error.position.is_some(), "{bad}");
    }
    let busy = text().replacen("0.25", "1e999", 1);
    assert!(said(&busy).ends_with("slices[0].system.cpu_busy: number out of range"));
    let nan = text().replacen("0.25", "NaN", 1);
    assert!(said(&nan).contains("slices[0].system.cpu_busy: expected value"));
}

#[test]
fn what_the_check_finds_is_named_with_its_place() {
    let bad = text().replacen("\"latency_ns\"", "\"count\"", 1);
    let line = line_of(&bad, "\"count\"");
    assert_eq!(
        said(&bad),
        format!(
            "a.json:{line}:28: slices[0].devices.\"8:0\".ops.read.spans.device.scale: \
         `count` where `latency_ns` belongs"
        )
    );
}

#[test]
fn other_files_are_told_apart_from_broken_captures() {
    for other in [
        "[1]",
        "hello",
        "{}",
        "{\"fio version\": \"fio-3.33\"}",
        "{\"format\": {\"name\": \"x\"}}",
    ] {
        assert_eq!(said(other), "a.json: not an iosage capture", "{other}");
    }
    assert_eq!(said(""), "a.json: is empty");
}

#[test]
fn another_major_version_is_named_whatever_it_holds() {
    let bad = "{\"format\": {\"name\": \"iosage-capture\", \"major\": 2, \"minor\": 7}}";
    let expected = "a.json: written in capture format 2.7, but this version of iosage reads 1.x; \
                    use a version that reads format 2";
    assert_eq!(said(bad), expected);
    let same_keys = text().replacen("\"major\": 1", "\"major\": 2", 1);
    assert!(said(&same_keys).contains("written in capture format 2.0"));
}

#[test]
fn a_text_that_ends_early_is_refused_where_it_ends() {
    let text = text();
    let cut = &text[..text.find("\"random\"").unwrap()];
    let error = read(cut).unwrap_err();
    assert_eq!(
        error.position,
        Some(position(cut.as_bytes(), cut.len() - 1))
    );
    assert!(
        error
            .to_string()
            .contains("slices[0].devices.\"8:0\".ops.read")
    );
    assert!(said(&format!("{text}x")).ends_with("trailing characters"));
}

#[test]
fn damaged_compression_is_refused_with_the_decompressed_place() {
    let text = text();
    let packed = zstd::encode_all(text.as_bytes(), 3).unwrap();
    let load = |bytes: &[u8]| Capture::from_reader(bytes, Path::new("a.zst"));
    assert_eq!(load(&packed).unwrap(), small());
    let error = load(&packed[..packed.len() - 1]).unwrap_err();
    assert!(error.decompressed && error.position.is_some());
    assert!(error.to_string().contains("damaged or cut off"), "{error}");
    let bad = text.replacen("\"bytes\": 8192", "\"bytes\": -1", 1);
    let packed = zstd::encode_all(bad.as_bytes(), 3).unwrap();
    let line = line_of(&bad, "\"bytes\": -1");
    let error = load(&packed).unwrap_err().to_string();
    assert!(
        error.starts_with(&format!("a.zst:{line}:"))
            && error.contains("(decompressed): slices[0].devices"),
        "{error}"
    );
}

#[test]
fn a_small_file_that_unpacks_to_too_much_is_refused() {
    // 2 MiB of zeros pack to about a hundred bytes.
    let packed = zstd::encode_all(&vec![b'0'; 2 << 20][..], 3).unwrap();
    assert!(packed.len() < 1000);
    let refused = load(&packed[..], 1 << 20).unwrap_err();
    assert_eq!(refused.what, "holds more than 1 MiB of text");
    assert!(load(&packed[..], 2 << 20).is_ok());
}

#[test]
fn deep_nesting_is_refused() {
    let deep = "[".repeat(100_000);
    let bad = text().replacen("{", &format!("{{\"newer\": {deep}"), 1);
    assert!(
        said(&bad).ends_with("recursion limit exceeded"),
        "{}",
        said(&bad)
    );
}

#[test]
fn keys_of_a_newer_minor_version_are_kept() {
    let newer = text().replacen("\"minor\": 0", "\"minor\": 9", 1).replacen(
        "\"at_ns\": 0",
        "\"at_ns\": 0, \"newer\": [1, 0.1]",
        1,
    );
    let capture = read(&newer).unwrap();
    assert_eq!(capture.format.minor, 9);
    assert_eq!(
        capture.slices[0].extra["newer"],
        serde_json::json!([1, 0.1])
    );
    let read_device = &capture.slices[0].devices["8:0"].ops[&Op::Read];
    assert_eq!(read_device.spans[&Span::Device].n(), 2);
    assert_eq!(
        read(&serde_json::to_string(&capture).unwrap()).unwrap(),
        capture
    );
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let error = Capture::read(Path::new("/nonexistent/a.json")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot read /nonexistent/a.json: No such file or directory (os error 2)"
    );
}
