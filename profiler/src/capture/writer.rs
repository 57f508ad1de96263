//! Writing captures: the time line goes to the file as it comes, the rest follows at the end.
//!
//! Memory does not grow with the recording. The text is JSON with one slice a line, so that a line
//! number names a second; in a `.zst` file each checkpoint ends a frame. See [`super::destination`]
//! for what a killed recording leaves behind.

use super::destination::{Destination, Unnamed};
use super::reader::is_capture_or_empty;
use super::{Capture, Extra, Format, Losses, Meta, OwnCost, ProbeStatus, Slice, Stack, Workload};
use crate::host::Host;
use crate::import::model::Imported;
use anyhow::{Result, anyhow, bail};
use rustix::io::Errno;
use serde::Serialize;
use std::fs::File;
use std::io::{self, Stdout, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use zstd::Encoder;

/// zstd's own default.
const ZSTD_LEVEL: i32 = 3;

/// How a capture is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Replace an existing file even if it is no capture.
    pub force: bool,
    /// Put a valid file in place each time this much was recorded.
    pub checkpoint_ns: Option<u64>,
}

/// Everything of a capture that is known when the recording ends.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ending {
    pub meta: Meta,
    pub probes: Vec<ProbeStatus>,
    pub stacks: Vec<Stack>,
    pub workload: Option<Workload>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub imported: Vec<Imported>,
    pub losses: Losses,
    pub own_cost: OwnCost,
    #[serde(flatten)]
    pub extra: Extra,
}

impl Capture {
    /// Writes a whole capture; the format is that it was read with.
    pub fn write(&self, path: &Path, options: Options) -> Result<Option<PathBuf>> {
        let mut writer = Writer::with_format(path, self.format, &self.host, options)?;
        for slice in &self.slices {
            writer.append(slice)?;
        }
        writer.finish(&self.ending())
    }

    /// What stands behind the time line.
    pub fn ending(&self) -> Ending {
        Ending {
            meta: self.meta.clone(),
            probes: self.probes.clone(),
            stacks: self.stacks.clone(),
            workload: self.workload.clone(),
            imported: self.imported.clone(),
            losses: self.losses.clone(),
            own_cost: self.own_cost.clone(),
            extra: self.extra.clone(),
        }
    }
}

/// A capture file in the making. Dropped before [`Writer::finish`], it leaves the last checkpoint,
/// or nothing.
pub struct Writer {
    body: Body,
    destination: Option<Destination>,
    options: Options,
    /// Whether a file that has the name may be replaced.
    replace: bool,
    slices: u64,
    end_ns: u64,
    checkpoint_end_ns: u64,
}

impl Writer {
    /// Opens `path` (`-`: standard output) for one capture. Whatever forbids writing there is said now,
    /// before anything is recorded.
    pub fn create(path: &Path, host: &Host, options: Options) -> Result<Self> {
        Self::with_format(path, Format::CURRENT, host, options)
    }

    fn with_format(path: &Path, format: Format, host: &Host, options: Options) -> Result<Self> {
        let mut writer = match path.as_os_str() == "-" {
            true => Self::new(None, Out::Standard(io::stdout()), false, options),
            false => {
                let destination = Destination::resolve(path)?;
                let replace = may_replace(&destination, options)?;
                let file = destination.unnamed()?;
                let compress = path.extension().is_some_and(|e| e == "zst");
                let mut writer = Self::new(Some(destination), Out::File(file), compress, options);
                writer.replace = replace;
                writer
            }
        };
        let mut head = b"{\"format\":".to_vec();
        serde_json::to_writer(&mut head, &format)?;
        head.extend_from_slice(b",\n\"host\":");
        serde_json::to_writer(&mut head, host)?;
        head.extend_from_slice(b",\n\"slices\":[");
        let written = writer.body.write(&head);
        writer.explain(written)?;
        Ok(writer)
    }

    fn new(destination: Option<Destination>, out: Out, compress: bool, options: Options) -> Self {
        Self {
            body: Body {
                out,
                compress,
                frame: None,
            },
            destination,
            options,
            replace: options.force,
            slices: 0,
            end_ns: 0,
            checkpoint_end_ns: 0,
        }
    }

    /// Adds the next slice of the time line.
    pub fn append(&mut self, slice: &Slice) -> Result<()> {
        let comma = if self.slices == 0 { "\n" } else { ",\n" };
        let mut line = comma.as_bytes().to_vec();
        serde_json::to_writer(&mut line, slice)?;
        let written = self.body.write(&line);
        self.explain(written)?;
        self.slices += 1;
        self.end_ns = slice.at_ns.saturating_add(slice.length_ns);
        Ok(())
    }

    /// Whether enough was recorded since the last checkpoint to make the next.
    pub fn checkpoint_due(&self) -> bool {
        let since = self.end_ns.saturating_sub(self.checkpoint_end_ns);
        self.options
            .checkpoint_ns
            .is_some_and(|every| since >= every)
    }

    /// Puts a valid file in place that holds all slices so far.
    pub fn checkpoint(&mut self, ending: &Ending) -> Result<()> {
        let ended = self.body.end_frame();
        self.explain(ended)?;
        let (Some(destination), Out::File(body)) = (&self.destination, &self.body.out) else {
            bail!("standard output cannot take checkpoints; give the name of a file");
        };
        let copy = destination.unnamed()?;
        let copied = copy_all(&body.file, &copy.file).and_then(|()| {
            let mut copy = &copy.file;
            copy.write_all(&self.body.packed(&ending_text(ending)?)?)
        });
        self.explain(copied)?;
        self.publish(destination, &copy)?;
        self.replace = true;
        self.checkpoint_end_ns = self.end_ns;
        Ok(())
    }

    /// Completes the file and gives it its name. Returns its path: the one asked for, or one beside it
    /// if a file that must not be replaced has taken the name meanwhile. `None`: standard output.
    pub fn finish(mut self, ending: &Ending) -> Result<Option<PathBuf>> {
        let ended = ending_text(ending)
            .and_then(|text| self.body.write(&text))
            .and_then(|()| self.body.end_frame());
        self.explain(ended)?;
        match (&self.destination, &self.body.out) {
            (Some(destination), Out::File(file)) => self.publish(destination, file).map(Some),
            _ => Ok(None),
        }
    }

    fn publish(&self, destination: &Destination, file: &Unnamed) -> Result<PathBuf> {
        let path = match destination.publish(file, self.replace) {
            Ok(()) => Ok(destination.path.clone()),
            Err(Errno::EXIST) if may_replace(destination, self.options).is_ok() => destination
                .publish(file, true)
                .map(|()| destination.path.clone()),
            Err(Errno::EXIST) => destination.publish_beside(file),
            Err(error) => Err(error),
        };
        self.explain(path.map_err(io::Error::from))
    }

    /// Makes one sentence of a failed write.
    fn explain<T>(&self, result: io::Result<T>) -> Result<T> {
        result.map_err(|error| {
            let what = match &self.destination {
                Some(destination) => destination.cannot_write(),
                None => "cannot write to standard output".to_owned(),
            };
            let hint = match Errno::from_io_error(&error) {
                Some(Errno::NOSPC | Errno::DQUOT) => "; free some space or choose another place",
                _ => "",
            };
            let kept = match self.checkpoint_end_ns {
                0 => String::new(),
                end => format!(
                    "; the file holds the first {} of the recording, up to the last checkpoint",
                    crate::units::nanos(end as f64)
                ),
            };
            anyhow!("{what}: {error}{hint}{kept}")
        })
    }
}

/// Whether the name is free or taken by what may be replaced: a capture, or an empty file.
fn may_replace(destination: &Destination, options: Options) -> Result<bool> {
    if options.force {
        return Ok(true);
    }
    match destination.existing()? {
        None => Ok(false),
        Some(file) if is_capture_or_empty(&file) => Ok(true),
        Some(_) => bail!(
            "{} exists and is not an iosage capture; choose another name or give --force",
            destination.path.display()
        ),
    }
}

/// The rest of the JSON text, from behind the last slice on.
fn ending_text(ending: &Ending) -> io::Result<Vec<u8>> {
    // The ending's own brace goes: its keys continue the object that the head has begun.
    let text = serde_json::to_string(ending)?;
    let keys = text.strip_prefix('{').unwrap_or(&text);
    Ok([b"\n],\n", keys.as_bytes(), b"\n"].concat())
}

/// Copies a file from its start, whatever its position is.
fn copy_all(from: &File, mut to: &File) -> io::Result<()> {
    let mut block = vec![0; 1 << 18];
    let mut at = 0;
    loop {
        match from.read_at(&mut block, at)? {
            0 => return Ok(()),
            n => {
                to.write_all(&block[..n])?;
                at += n as u64;
            }
        }
    }
}

/// Where the text goes, compressed or not.
struct Body {
    out: Out,
    compress: bool,
    /// The zstd frame that is being written.
    frame: Option<Encoder<'static, Vec<u8>>>,
}

enum Out {
    File(Unnamed),
    Standard(Stdout),
}

impl Out {
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::File(content) => content.file.write_all(bytes),
            Self::Standard(stdout) => stdout.write_all(bytes),
        }
    }
}

impl Body {
    fn write(&mut self, text: &[u8]) -> io::Result<()> {
        if !self.compress {
            return self.out.write_all(text);
        }
        let frame = match &mut self.frame {
            Some(frame) => frame,
            None => self.frame.insert(encoder()?),
        };
        frame.write_all(text)?;
        let ready = frame.get_mut();
        self.out.write_all(ready)?;
        ready.clear();
        Ok(())
    }

    /// Brings everything written so far to the file; frames behind each other are one text.
    fn end_frame(&mut self) -> io::Result<()> {
        if let Some(frame) = self.frame.take() {
            self.out.write_all(&frame.finish()?)?;
        }
        match &mut self.out {
            Out::File(_) => Ok(()),
            Out::Standard(stdout) => stdout.flush(),
        }
    }

    /// A text as it is to follow in this file.
    fn packed(&self, text: &[u8]) -> io::Result<Vec<u8>> {
        if !self.compress {
            return Ok(text.to_vec());
        }
        let mut frame = encoder()?;
        frame.write_all(text)?;
        frame.finish()
    }
}

fn encoder() -> io::Result<Encoder<'static, Vec<u8>>> {
    let mut encoder = Encoder::new(Vec::new(), ZSTD_LEVEL)?;
    encoder.include_checksum(true)?;
    Ok(encoder)
}

#[cfg(test)]
mod tests;
