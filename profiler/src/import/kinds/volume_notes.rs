//! What a volume of a cloud is: `type gp2`, `size_gib 100`, or the JSON of `describe-volumes`.

use crate::import::kinds::Kind;
use crate::import::model::Imported;
use crate::import::model::collected::VolumeNotes as Notes;
use crate::import::notes::{bytes, pairs, stem};
use crate::import::source::{Imports, Source};

pub struct VolumeNotes;

/// Kinds of volumes whose limits follow from their kind or size.
const KINDS: [&str; 7] = ["gp2", "gp3", "io1", "io2", "st1", "sc1", "standard"];

impl Kind for VolumeNotes {
    fn name(&self) -> &'static str {
        "volume-notes"
    }

    fn about(&self) -> &'static str {
        "What a cloud volume is, a key and a value a line: type gp2, size_gib 100"
    }

    fn recognises(&self, source: &Source) -> bool {
        notes(source).is_some()
    }

    fn read(&self, source: &Source, into: &mut Imported) -> Imports<()> {
        let Some(notes) = notes(source) else {
            return Err(source.refuse_all(
                "it names no kind of volume",
                "write `type gp2` and `size_gib 100`",
            ));
        };
        into.collected.get_or_insert_default().volume = Some(notes);
        Ok(())
    }
}

fn notes(source: &Source) -> Option<Notes> {
    let mut notes = Notes {
        file: source.name.clone(),
        ..Notes::default()
    };
    for (_, key, value) in pairs(source).into_iter().take(100) {
        let key = key.trim_matches('"');
        match stem(key) {
            "type" | "volume_type" | "volumetype" => {
                let kind = value.to_ascii_lowercase();
                if KINDS.contains(&kind.as_str()) {
                    notes.kind = kind;
                }
            }
            // A bare number of EBS counts GiB.
            "size" | "volume_size" if stem(key) == key => {
                let bare = value.bytes().all(|b| b.is_ascii_digit());
                let key = if bare { "size_gib" } else { key };
                notes.size_bytes = bytes(key, &value);
            }
            "size" | "volume_size" => notes.size_bytes = bytes(key, &value),
            _ => {}
        }
    }
    (!notes.kind.is_empty()).then_some(notes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_size_counts_gib() {
        let of = |text: &str| notes(&Source::new("x", text.as_bytes().to_vec()).unwrap());
        let told = of("\"VolumeType\": \"gp2\",\n\"Size\": 4,\n").unwrap();
        assert_eq!(
            (told.kind.as_str(), told.size_bytes),
            ("gp2", Some(4 << 30))
        );
        assert_eq!(of("type gp2\nsize 1TiB").unwrap().size_bytes, Some(1 << 40));
        assert!(of("type disk\nsize_gib 4").is_none());
    }
}
