//! `iosage advise`: reading, folding, judging. Nothing is measured here and nothing is changed.

mod collected;
mod text;

use crate::capture::Capture;
use crate::exit::Outcome;
use crate::host::Host;
use crate::import;
use crate::profile;
use anyhow::{Context, Result};
use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use collected::Collected;
use rules::finding::{Severity, State};
use rules::{Judgement, Library};
use serde_json::json;
use std::io::{self, Write};
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Judge this capture (`-`: standard input) instead of the host as it is configured now
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// Judge the host whose files were collected in this folder, in any subset
    #[arg(long, value_name = "DIR", conflicts_with = "from")]
    host_dir: Option<PathBuf>,
    /// How to print the findings
    #[arg(long, value_enum, default_value_t = Shape::Text)]
    format: Shape,
    /// Exit with 1 if something of this severity or worse is recommended
    #[arg(long, value_name = "SEVERITY", value_parser = severities())]
    fail_on: Option<Severity>,
    /// Show also what is right, what cannot be told and what does not apply
    #[arg(long)]
    all: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Shape {
    Text,
    Json,
}

fn severities() -> impl TypedValueParser<Value = Severity> {
    PossibleValuesParser::new(["critical", "warning", "notice", "info"]).map(|word| {
        match word.as_str() {
            "critical" => Severity::Critical,
            "warning" => Severity::Warning,
            "notice" => Severity::Notice,
            _ => Severity::Info,
        }
    })
}

pub fn run(args: Args) -> Result<Outcome> {
    let mut collected = None;
    let capture = match (&args.from, &args.host_dir) {
        (Some(path), _) => Capture::read(path)?,
        (None, Some(dir)) => {
            let folder = import::folder::read(dir)?;
            collected = Some(Collected::new(&folder));
            folder.capture
        }
        (None, None) => import::empty(Host::live()),
    };
    let judgement = Library::embedded().judge(&profile::facts(&capture));
    let printed = print(
        &args,
        &judgement,
        collected.as_ref(),
        &mut io::stdout().lock(),
    );
    match printed {
        // The reader has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
        other => other.context("cannot print the findings")?,
    }
    Ok(outcome(&judgement, args.fail_on))
}

fn print(
    args: &Args,
    judgement: &Judgement,
    collected: Option<&Collected>,
    out: &mut impl Write,
) -> io::Result<()> {
    match args.format {
        Shape::Text => {
            text::write(judgement, args.all, out)?;
            collected.map_or(Ok(()), |collected| collected.write(out))
        }
        Shape::Json => {
            let shown = judgement.findings.iter();
            let shown: Vec<_> = shown
                .filter(|finding| args.all || text::is_shown(finding))
                .collect();
            let mut whole = json!({ "verdict": judgement.verdict, "findings": shown });
            if let Some(collected) = collected {
                whole["collected"] = serde_json::to_value(collected)?;
            }
            serde_json::to_writer_pretty(&mut *out, &whole)?;
            writeln!(out)
        }
    }
}

fn outcome(judgement: &Judgement, fail_on: Option<Severity>) -> Outcome {
    let found = judgement.findings.iter().any(|finding| {
        // The worst severity is the smallest.
        finding.state == State::Recommend && fail_on.is_some_and(|least| finding.severity <= least)
    });
    match found {
        true => Outcome::Findings,
        false => Outcome::Fine,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A host that exists on paper only: one ext4 filesystem with barriers off on a volatile cache.
    fn dangerous() -> Capture {
        let host = json!({
            "kernel_release": "6.12.0",
            "virtualisation": "none",
            "memory": {},
            "devices": [{
                "name": "sda", "number": "8:0", "class": "ata", "bio_based": false,
                "queue": { "write_cache": "write back" }
            }],
            "mounts": [{
                "target": "/srv", "source": "/dev/sda", "fs": "ext4", "number": "8:0", "root": "/",
                "options": ["rw", "nobarrier"], "device": "sda", "atime": "relative",
                "read_only": false, "ext4": { "has_journal": true, "barrier": false }
            }]
        });
        import::empty(serde_json::from_value(host).unwrap())
    }

    #[test]
    fn what_is_recommended_decides_the_exit_code() {
        let judgement = Library::embedded().judge(&profile::facts(&dangerous()));
        let is = |fail_on| outcome(&judgement, fail_on);
        assert_eq!(is(None), Outcome::Fine);
        assert_eq!(is(Some(Severity::Critical)), Outcome::Findings);
        assert_eq!(is(Some(Severity::Info)), Outcome::Findings);
    }

    #[test]
    fn the_text_names_the_finding_its_evidence_and_its_commands() {
        let judgement = Library::embedded().judge(&profile::facts(&dangerous()));
        let mut out = Vec::new();
        text::write(&judgement, false, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        for part in [
            "mount/barrier-off",
            "filesystem /srv",
            "/sys/block/sda/queue/write_cache",
            "mount -o remount,barrier=1 /srv",
        ] {
            assert!(text.contains(part), "{part} is missing in:\n{text}");
        }
    }

    #[test]
    fn rules_that_need_a_recording_are_named() {
        let judgement = Library::embedded().judge(&profile::facts(&dangerous()));
        let mut out = Vec::new();
        text::write(&judgement, false, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        let (_, open) = text
            .split_once("Cannot be told")
            .expect("a list of what is open");
        assert!(open.contains("capacity/saturated"), "{open}");
    }

    #[test]
    fn json_is_one_document_with_verdict_and_findings() {
        let judgement = Library::embedded().judge(&profile::facts(&dangerous()));
        let args = Args {
            from: None,
            host_dir: None,
            format: Shape::Json,
            fail_on: None,
            all: true,
        };
        let mut out = Vec::new();
        print(&args, &judgement, None, &mut out).unwrap();
        let value: serde_json::Value = serde_json::from_slice(&out).unwrap();
        assert_eq!(
            value["findings"].as_array().unwrap().len(),
            judgement.findings.len()
        );
        assert_eq!(value["verdict"]["kind"], "fix-first");
    }
}
