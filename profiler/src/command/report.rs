//! `iosage report`.

use crate::capture::Capture;
use crate::capture::destination::Destination;
use crate::exit::Outcome;
use crate::import;
use crate::report::{self, Format, Page, Report};
use anyhow::{Context, Result, bail};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// Widths outside of these are taken for mistakes.
const WIDTHS: std::ops::RangeInclusive<usize> = 40..=400;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The capture to show; `-` reads standard input
    #[arg(long, value_name = "FILE", required_unless_present = "host_dir")]
    from: Option<PathBuf>,
    /// Show the host whose files were collected in this folder, in any subset
    #[arg(long, value_name = "DIR", conflicts_with = "from")]
    host_dir: Option<PathBuf>,
    /// How to show it [default: by the ending of -o, else text]
    #[arg(long, value_parser = formats())]
    format: Option<String>,
    /// Where to write; without it, standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// The formats' names, so that a new format is known to the help and to completions.
fn formats() -> impl TypedValueParser<Value = String> {
    PossibleValuesParser::new(
        report::ALL
            .iter()
            .map(|format| PossibleValue::new(format.name()).help(format.about())),
    )
}

pub fn run(args: Args) -> Result<Outcome> {
    let Args {
        from,
        host_dir,
        format,
        output,
    } = args;
    let format = choose(format.as_deref(), output.as_deref())?;
    let capture = match (from, host_dir) {
        (Some(from), _) => {
            refuse_same(&from, output.as_deref())?;
            Capture::read(&from)?
        }
        (None, Some(dir)) => import::folder::read(&dir)?.capture,
        (None, None) => bail!("say what to show: --from FILE or --host-dir DIR"),
    };
    let mut report = Report::judged(capture);
    refuse_recording(output.as_deref())?;
    let target = Target::new(output);
    report.page = target.page();
    write_to(&target, |out| format.write(&report, out))?;
    Ok(Outcome::Fine)
}

/// A report in place of the capture that it is made from would destroy the recording.
pub(super) fn refuse_same(from: &Path, output: Option<&Path>) -> Result<()> {
    let same = |output: &Path| matches!((from.canonicalize(), output.canonicalize()), (Ok(a), Ok(b)) if a == b);
    match output {
        Some(output) if same(output) => {
            bail!(
                "{} is the capture itself; give -o another name",
                output.display()
            )
        }
        _ => Ok(()),
    }
}

/// A recording cannot be made again; nothing but a recording is written over one.
pub(super) fn refuse_recording(output: Option<&Path>) -> Result<()> {
    match output {
        Some(output) if crate::capture::is_capture(output) => bail!(
            "{} is a recording; give -o another name, or remove it first",
            output.display()
        ),
        _ => Ok(()),
    }
}

/// The format asked for, else the one that the file's name asks for, else text.
fn choose(name: Option<&str>, output: Option<&Path>) -> Result<&'static dyn Format> {
    if let Some(name) = name {
        return report::by_name(name).with_context(|| format!("there is no format `{name}`"));
    }
    let ending = output
        .and_then(Path::extension)
        .and_then(|ending| ending.to_str());
    match ending {
        None => report::by_name("text").context("there is no text format"),
        Some(ending) => report::by_extension(ending).with_context(|| {
            format!("no format is written to files that end in .{ending}; give one with --format")
        }),
    }
}

/// Where a report goes.
pub(crate) enum Target {
    Stdout,
    File(PathBuf),
}

impl Target {
    /// No name or `-` is standard output.
    pub(crate) fn new(output: Option<PathBuf>) -> Self {
        match output {
            Some(path) if path.as_os_str() != "-" => Self::File(path),
            _ => Self::Stdout,
        }
    }

    /// Colour only for a terminal whose user did not say no; files get 80 columns.
    pub(crate) fn page(&self) -> Page {
        let terminal = matches!(self, Self::Stdout) && io::stdout().is_terminal();
        let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
            || std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let columns = || {
            let told = std::env::var("COLUMNS").ok()?;
            told.parse::<usize>().ok().filter(|n| WIDTHS.contains(n))
        };
        let asked = || {
            let size = rustix::termios::tcgetwinsize(io::stdout()).ok()?;
            Some(usize::from(size.ws_col)).filter(|n| WIDTHS.contains(n))
        };
        let width = match self {
            Self::Stdout => columns().or_else(|| terminal.then(asked).flatten()),
            Self::File(_) => None,
        };
        Page {
            width: width.unwrap_or(Page::default().width),
            colour: terminal && !refused,
        }
    }
}

/// Writes to standard output, or to a file that appears whole or not at all. A reader that has had
/// enough (`| head`) is no error.
pub(crate) fn write_to(
    target: &Target,
    write: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<()> {
    match target {
        Target::Stdout => {
            let mut out = BufWriter::new(io::stdout().lock());
            let written = write(&mut out).and_then(|()| Ok(out.flush()?));
            match written {
                Err(error) if is_broken_pipe(&error) => Ok(()),
                written => written.context("writing to standard output"),
            }
        }
        Target::File(path) => {
            let destination = Destination::resolve(path)?;
            let content = destination.unnamed()?;
            let mut out = BufWriter::new(&content.file);
            write(&mut out).with_context(|| destination.cannot_write())?;
            out.flush().with_context(|| destination.cannot_write())?;
            drop(out);
            destination
                .publish(&content, true)
                .with_context(|| destination.cannot_write())
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| {
            let plain = cause.downcast_ref::<io::Error>().map(io::Error::kind);
            let json = cause.downcast_ref::<serde_json::Error>();
            plain.or_else(|| json?.io_error_kind())
        })
        .any(|kind| kind == io::ErrorKind::BrokenPipe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_name_chooses_the_format_and_the_flag_overrules_it() {
        let name = |format, output: Option<&str>| {
            choose(format, output.map(Path::new)).map(|format| format.name())
        };
        assert_eq!(name(None, None).unwrap(), "text");
        assert_eq!(name(None, Some("a/report.html")).unwrap(), "html");
        assert_eq!(name(None, Some("report.md")).unwrap(), "markdown");
        assert_eq!(name(Some("json"), Some("x.html")).unwrap(), "json");
        let error = name(None, Some("x.pdf")).unwrap_err().to_string();
        assert!(
            error.contains(".pdf") && error.contains("--format"),
            "{error}"
        );
    }
}
