//! `iosage import`.

use super::say;
use crate::capture::WriterOptions;
use crate::exit::Outcome;
use crate::import::kinds::{self, Kind};
use crate::import::source::Source;
use crate::import::{self, show};
use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// What the files are; `auto` goes by their content
    #[arg(value_parser = kinds_parser(), value_name = "KIND", hide_possible_values = false)]
    kind: String,
    /// Files that the tool wrote; `-` reads standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Write a capture (compressed with zstd if it ends in .zst) for `report` and `advise`
    #[arg(short, long, value_name = "CAPTURE")]
    output: Option<PathBuf>,
    /// Replace an existing file that is no capture
    #[arg(long, requires = "output")]
    force: bool,
    /// How to print what was read
    #[arg(long, value_enum, default_value_t = Shape::Text)]
    format: Shape,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Shape {
    Text,
    Json,
}

fn kinds_parser() -> impl TypedValueParser<Value = String> {
    let auto = PossibleValue::new("auto").help("Recognise each file by its content");
    let all = kinds::ALL.iter();
    let all = all.map(|kind| PossibleValue::new(kind.name()).help(kind.about()));
    PossibleValuesParser::new([auto].into_iter().chain(all))
}

pub fn run(args: Args) -> Result<Outcome> {
    let kind: Option<&'static dyn Kind> = match args.kind.as_str() {
        "auto" => None,
        name => Some(kinds::by_name(name).with_context(|| format!("there is no kind `{name}`"))?),
    };
    let sources: Vec<Source> = args
        .files
        .iter()
        .map(|path| Source::open(path))
        .collect::<Result<_, _>>()?;
    if let Some(output) = &args.output {
        for file in &args.files {
            super::report::refuse_same(file, Some(output))?;
        }
        if args.format == Shape::Json && output.as_os_str() == "-" {
            bail!("`-o -` already writes to standard output; leave out --format");
        }
    }
    let imported = import::import(kind, &sources)?;
    let quiet = args
        .output
        .as_ref()
        .is_some_and(|output| output.as_os_str() == "-");
    if !quiet {
        let text = match args.format {
            Shape::Json => serde_json::to_string_pretty(&imported)? + "\n",
            Shape::Text => {
                imported
                    .iter()
                    .flat_map(show::lines)
                    .collect::<Vec<_>>()
                    .join("\n")
                    + "\n"
            }
        };
        say::out(&text)?;
    }
    if let Some(output) = &args.output {
        let options = WriterOptions {
            force: args.force,
            checkpoint_ns: None,
        };
        let capture = import::capture(imported);
        if let Some(path) = capture.write(output, options)? {
            say::err(&format!("wrote {}", path.display()));
        }
    }
    Ok(Outcome::Fine)
}
