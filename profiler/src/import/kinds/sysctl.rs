//! `sysctl -a`, or lines `name = value` of sysctl.conf.

use crate::import::kinds::Kind;
use crate::import::model::Imported;
use crate::import::source::{Imports, Source};

pub struct Sysctl;

/// The first parts of names of the kernel's own settings.
const AREAS: [&str; 9] = [
    "vm", "fs", "kernel", "net", "dev", "abi", "user", "debug", "crypto",
];

impl Kind for Sysctl {
    fn name(&self) -> &'static str {
        "sysctl"
    }

    fn about(&self) -> &'static str {
        "sysctl -a or sysctl.conf"
    }

    fn recognises(&self, source: &Source) -> bool {
        source
            .lines()
            .take(50)
            .any(|(_, line)| setting(line).is_some())
    }

    fn read(&self, source: &Source, into: &mut Imported) -> Imports<()> {
        let settings: Vec<_> = source
            .lines()
            .filter_map(|(_, line)| setting(line))
            .collect();
        if settings.is_empty() {
            return Err(source.refuse_all(
                "no line is a setting of the kernel (`vm.NAME = VALUE`)",
                "save the output of `sysctl -a`",
            ));
        }
        into.host.get_or_insert_default().sysctls.extend(settings);
        Ok(())
    }
}

fn setting(line: &str) -> Option<(String, String)> {
    let (name, value) = line.split_once('=')?;
    let name = name.trim().trim_start_matches('-').replace('/', ".");
    let (area, rest) = name.split_once('.')?;
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-@:".contains(c);
    (AREAS.contains(&area) && !rest.is_empty() && name.chars().all(plain))
        .then(|| (name.clone(), value.trim().to_owned()))
}
