//! /proc/cmdline.

use crate::import::kinds::Kind;
use crate::import::model::Imported;
use crate::import::source::{Imports, Source};

pub struct KernelCommandLine;

impl Kind for KernelCommandLine {
    fn name(&self) -> &'static str {
        "kernel-command-line"
    }

    fn about(&self) -> &'static str {
        "/proc/cmdline"
    }

    fn recognises(&self, source: &Source) -> bool {
        let text = source.text.trim();
        let has = |name: &str| text.split_whitespace().any(|word| word.starts_with(name));
        !text.contains('\n')
            && ["BOOT_IMAGE=", "root=", "console=", "initrd="]
                .iter()
                .any(|name| has(name))
    }

    fn read(&self, source: &Source, into: &mut Imported) -> Imports<()> {
        if !self.recognises(source) {
            return Err(source.refuse_all(
                "it is no command line of a kernel",
                "copy /proc/cmdline again",
            ));
        }
        let files = into.host.get_or_insert_default();
        files.kernel_command_line = Some(source.text.trim().to_owned());
        Ok(())
    }
}
