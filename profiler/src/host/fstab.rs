//! /etc/fstab (fstab(5)): what is meant to be mounted.

use super::devices::find_node;
use super::escape::unescape;
use super::model::BlockDevice;
use super::mountinfo::options;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// Line number, from 1.
    pub(super) line: usize,
    pub(super) source: String,
    pub(super) target: String,
    pub(super) options: Vec<String>,
}

/// Entries with a mount point; comments and lines with fewer than two fields are passed over.
pub(super) fn parse(text: &str) -> Vec<Entry> {
    text.lines()
        .enumerate()
        .filter_map(|(index, line)| entry(index + 1, line))
        .collect()
}

fn entry(line: usize, text: &str) -> Option<Entry> {
    let text = text.trim_start();
    if text.starts_with('#') {
        return None;
    }
    let mut fields = text.split_ascii_whitespace();
    let source = unescape(fields.next()?);
    let target = unescape(fields.next()?);
    let _fs = fields.next();
    let target = match target.trim_end_matches('/') {
        "" => "/".to_owned(),
        short => short.to_owned(),
    };
    Some(Entry {
        line,
        source,
        target,
        options: options(fields.next().unwrap_or("defaults")),
    })
}

/// Device that an entry's source means, if it is one of the inventory.
pub(super) fn device<'a>(source: &str, devices: &'a [BlockDevice]) -> Option<&'a BlockDevice> {
    let folder = match source.split_once('=') {
        Some(("UUID", _)) => "by-uuid",
        Some(("LABEL", _)) => "by-label",
        Some(("PARTUUID", _)) => "by-partuuid",
        Some(("PARTLABEL", _)) => "by-partlabel",
        Some(("ID", _)) => "by-id",
        _ => return find_node(devices, source),
    };
    let value = source.split_once('=')?.1.trim_matches(['"', '\'']);
    find_node(devices, &format!("/dev/disk/{folder}/{}", link_name(value)))
        // udev writes uuids of vfat in capitals, and of ext4 in small letters.
        .or_else(|| {
            let link = format!("/dev/disk/{folder}/{}", value.to_lowercase());
            (folder != "by-label").then(|| find_node(devices, &link))?
        })
}

/// udev's own escapes: every byte outside its list becomes `\xNN`.
fn link_name(value: &str) -> String {
    value
        .chars()
        .map(|c| match c {
            c if c.is_alphanumeric() || "#+-.:=@_".contains(c) => c.to_string(),
            c => {
                let mut bytes = [0; 4];
                let bytes = c.encode_utf8(&mut bytes).bytes();
                bytes.map(|byte| format!("\\x{byte:02x}")).collect()
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn fields_comments_and_escapes() {
        let entries = parse(concat!(
            "# a comment\n\n",
            "\tUUID=1234-ABCD\t/data\\040one/\text4\tdefaults,noatime\t0 2\n",
            "/dev/sdb1 /plain\n",
            "lonely\n",
        ));
        assert_eq!(entries.len(), 2);
        assert_eq!(
            entries[0],
            Entry {
                line: 3,
                source: "UUID=1234-ABCD".into(),
                target: "/data one".into(),
                options: vec!["defaults".into(), "noatime".into()],
            }
        );
        assert_eq!(entries[1].options, ["defaults"]);
    }

    #[test]
    fn sources_by_uuid_and_label_find_their_device() {
        let devices = [BlockDevice {
            name: "sda1".into(),
            links: vec![
                "/dev/disk/by-label/my\\x20data".into(),
                "/dev/disk/by-uuid/aa-bb".into(),
            ],
            ..BlockDevice::default()
        }];
        for source in [
            "UUID=aa-bb",
            "UUID=\"AA-BB\"",
            "LABEL=\"my data\"",
            "/dev/sda1",
        ] {
            assert_eq!(
                device(source, &devices).map(|d| d.name.as_str()),
                Some("sda1"),
                "{source}"
            );
        }
        assert_eq!(device("UUID=other", &devices), None);
        assert_eq!(device("server:/export", &devices), None);
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in any::<String>()) {
            for entry in parse(&text) {
                device(&entry.source, &[]);
            }
        }
    }
}
