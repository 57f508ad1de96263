//! The output of `uname -r` or `uname -a`, or /proc/version.

use crate::import::kinds::Kind;
use crate::import::model::Imported;
use crate::import::source::{Imports, Source};

pub struct KernelRelease;

impl Kind for KernelRelease {
    fn name(&self) -> &'static str {
        "kernel-release"
    }

    fn about(&self) -> &'static str {
        "uname -r, uname -a or /proc/version"
    }

    fn recognises(&self, source: &Source) -> bool {
        release(&source.text).is_some()
    }

    fn read(&self, source: &Source, into: &mut Imported) -> Imports<()> {
        let Some((release, host)) = release(&source.text) else {
            return Err(source.refuse_all(
                "it names no kernel release",
                "save the output of `uname -a`",
            ));
        };
        let files = into.host.get_or_insert_default();
        files.kernel_release = Some(release.to_owned());
        files.hostname = host.map(str::to_owned).or(files.hostname.take());
        Ok(())
    }
}

/// One line: a release alone, or `Linux HOST RELEASE ...`, or `Linux version RELEASE ...`.
fn release(text: &str) -> Option<(&str, Option<&str>)> {
    let text = text.trim();
    if text.contains('\n') {
        return None;
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    match &words[..] {
        [release] if is_release(release) => Some((release, None)),
        ["Linux", "version", release, ..] if is_release(release) => Some((release, None)),
        ["Linux", host, release, ..] if is_release(release) => Some((release, Some(host))),
        _ => None,
    }
}

fn is_release(word: &str) -> bool {
    let mut parts = word.split('.');
    let number = |part: Option<&str>| {
        part.is_some_and(|p| p.len() <= 4 && p.bytes().all(|b| b.is_ascii_digit()) && !p.is_empty())
    };
    let (first, second) = (parts.next(), parts.next());
    number(first)
        && (number(second)
            || second
                .is_some_and(|p| p.starts_with(|c: char| c.is_ascii_digit()) && p.contains('-')))
}
