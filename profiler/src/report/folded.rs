//! Stacks as text, one a line: `command;user frame;...;kernel frame_[k] weight`.
//!
//! The form that flame graph tools read; kernel frames carry the customary `_[k]`.

use super::{Format, Report};
use crate::capture::{Capture, ProbeState, Stack};
use crate::units;
use anyhow::{Context, Result, bail};
use std::io::Write;

/// `--format folded`.
pub struct Folded;

impl Format for Folded {
    fn name(&self) -> &'static str {
        "folded"
    }

    fn extension(&self) -> &'static str {
        "folded"
    }

    fn about(&self) -> &'static str {
        "Stacks by device time, one a line"
    }

    fn write(&self, report: &Report, out: &mut dyn Write) -> Result<()> {
        write(&report.capture, Weight::DeviceTime, out)
    }
}

/// What makes a frame wide.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Weight {
    /// Time that the device spent on the requests, in nanoseconds
    #[default]
    DeviceTime,
    /// Number of requests
    Requests,
    /// Bytes of the requests
    Bytes,
    /// Number of samples taken, without any estimate
    Samples,
}

impl Weight {
    /// The weight of one stack.
    fn of(self, stack: &Stack) -> u64 {
        match self {
            Self::DeviceTime => stack.device_ns,
            Self::Requests => stack.requests,
            Self::Bytes => stack.bytes,
            Self::Samples => stack.samples,
        }
    }

    /// What is counted, for a heading.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::DeviceTime => "device time",
            Self::Requests => "requests",
            Self::Bytes => "bytes",
            Self::Samples => "samples",
        }
    }
}

/// Writes the stacks of a capture, or says why there are none.
pub fn write(capture: &Capture, weight: Weight, out: &mut dyn Write) -> Result<()> {
    for line in lines(capture, weight)? {
        writeln!(out, "{line}").context("writing the folded stacks")?;
    }
    Ok(())
}

/// All stacks together; `None` where that is more than a flame graph can count.
pub(super) fn total(capture: &Capture, weight: Weight) -> Option<u64> {
    let stacks = capture.weighed_stacks();
    let mut weights = stacks.iter().map(|stack| weight.of(stack));
    weights.try_fold(0u64, |sum, n| sum.checked_add(n))
}

/// One line for each stack that weighs anything, sorted.
pub(super) fn lines(capture: &Capture, weight: Weight) -> Result<Vec<String>> {
    if capture.stacks.is_empty() {
        bail!("this capture holds no stacks: {}", why_none(capture));
    }
    let mut lines: Vec<String> = capture
        .weighed_stacks()
        .iter()
        .filter(|stack| weight.of(stack) > 0)
        .map(|stack| line(stack, weight.of(stack)))
        .collect();
    if lines.is_empty() {
        bail!(
            "no stack of this capture has any {}; try another --weight",
            weight.words()
        );
    }
    lines.sort_unstable();
    Ok(lines)
}

fn line(stack: &Stack, weight: u64) -> String {
    let mut line = frame(&stack.command);
    for user in &stack.user {
        line.push(';');
        line += &frame(user);
    }
    for kernel in &stack.kernel {
        line.push(';');
        line += &frame(kernel);
        line += "_[k]";
    }
    format!("{line} {weight}")
}

/// A name without what would end the frame or the line.
fn frame(name: &str) -> String {
    let name = units::printable(name).replace(';', ":");
    match name.trim().is_empty() {
        true => "[unknown]".to_owned(),
        false => name.trim().to_owned(),
    }
}

fn why_none(capture: &Capture) -> String {
    let state = super::json::state_words;
    match capture.probes.iter().find(|probe| probe.id == "stack") {
        Some(probe) if probe.state == ProbeState::Ok => match &capture.losses.stacks_missing {
            0 => "no request was sampled while it was recorded".to_owned(),
            n => format!("the {} samples taken had no usable stack", units::count(*n)),
        },
        Some(probe) => {
            let reason = probe
                .reason
                .as_deref()
                .map(|r| format!(": {}", units::printable(r)));
            format!(
                "the stack probe was {}{}",
                state(probe.state),
                reason.unwrap_or_default()
            )
        }
        None => "it was made without the stack probe; `iosage record` takes stacks".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::{Op, ProbeStatus, arbitrary};

    fn stack(command: &str, user: &[&str], kernel: &[&str]) -> Stack {
        let owned = |frames: &[&str]| frames.iter().map(|f| (*f).to_owned()).collect();
        Stack {
            // Not counted there: the estimates stay as they are.
            device: "9:9".into(),
            op: Op::Read,
            command: command.into(),
            tgid: 1,
            user: owned(user),
            kernel: owned(kernel),
            samples: 2,
            requests: 16,
            device_ns: 1_000,
            bytes: 0,
        }
    }

    #[test]
    fn the_command_is_the_root_and_kernel_frames_come_last() {
        let mut capture = arbitrary::small();
        capture.stacks = vec![stack("a;b\n", &["main", ""], &["vfs_read"])];
        let folded = |weight| lines(&capture, weight);
        assert_eq!(
            folded(Weight::DeviceTime).unwrap(),
            ["a:b\\n;main;[unknown];vfs_read_[k] 1000"]
        );
        assert_eq!(
            folded(Weight::Requests).unwrap(),
            ["a:b\\n;main;[unknown];vfs_read_[k] 16"]
        );
        let error = folded(Weight::Bytes).unwrap_err().to_string();
        assert!(error.contains("any bytes"), "{error}");
    }

    #[test]
    fn no_stacks_is_an_error_with_the_probes_reason() {
        let mut capture = arbitrary::small();
        let error = |capture: &Capture| lines(capture, Weight::Samples).unwrap_err().to_string();
        assert!(error(&capture).contains("without the stack probe"));
        capture.probes.push(ProbeStatus {
            id: "stack".into(),
            about: String::new(),
            state: ProbeState::Unavailable,
            reason: Some("no BTF".into()),
        });
        assert_eq!(
            error(&capture),
            "this capture holds no stacks: the stack probe was unavailable: no BTF"
        );
    }
}
