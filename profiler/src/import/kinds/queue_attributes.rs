//! A list of attributes of block devices: `/sys/block/sda/queue/scheduler: [none] mq-deadline`, with
//! `:`, `=` or a space between, or as `grep . /sys/block/*/queue/*` prints them.

use crate::import::kinds::Kind;
use crate::import::model::Imported;
use crate::import::source::{Imports, Source};

pub struct QueueAttributes;

impl Kind for QueueAttributes {
    fn name(&self) -> &'static str {
        "queue-attributes"
    }

    fn about(&self) -> &'static str {
        "/sys/block attributes as `grep . /sys/block/*/queue/*` prints them"
    }

    fn recognises(&self, source: &Source) -> bool {
        source.lines().any(|(_, line)| attribute(line).is_some())
    }

    fn read(&self, source: &Source, into: &mut Imported) -> Imports<()> {
        let found: Vec<_> = source
            .lines()
            .filter_map(|(_, line)| attribute(line))
            .collect();
        if found.is_empty() {
            return Err(source.refuse_all(
                "no line names an attribute below /sys/block",
                "save the output of `grep . /sys/block/*/queue/*`",
            ));
        }
        let attributes = &mut into.host.get_or_insert_default().attributes;
        for (device, name, value) in found {
            attributes.entry(device).or_default().insert(name, value);
        }
        Ok(())
    }
}

fn attribute(line: &str) -> Option<(String, String, String)> {
    let at = line.find("sys/block/")? + "sys/block/".len();
    let (device, rest) = line[at..].split_once('/')?;
    let end = rest.find([':', '=', ' ', '\t'])?;
    let value = rest[end..].trim_start_matches([':', '=', ' ', '\t']).trim();
    (end > 0).then(|| (device.to_owned(), rest[..end].to_owned(), value.to_owned()))
}
