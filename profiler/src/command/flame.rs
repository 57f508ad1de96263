//! `iosage flame`.

use super::report::{Target, write_to};
use crate::capture::Capture;
use crate::exit::Outcome;
use crate::report::folded::{self, Weight};
use crate::report::svg;
use anyhow::Result;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The capture to draw; `-` reads standard input
    #[arg(long, value_name = "FILE")]
    from: PathBuf,
    /// What makes a frame wide
    #[arg(long, value_enum, default_value_t)]
    weight: Weight,
    /// How to write it [default: by the ending of -o, else svg]
    #[arg(long, value_enum)]
    format: Option<Form>,
    /// Where to write; without it, standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Form {
    /// A picture for a browser
    Svg,
    /// One stack a line, for other tools
    Folded,
}

pub fn run(args: Args) -> Result<Outcome> {
    let Args {
        from,
        weight,
        format,
        output,
    } = args;
    super::report::refuse_same(&from, output.as_deref())?;
    super::report::refuse_recording(output.as_deref())?;
    let form = format.unwrap_or_else(|| {
        let ending = output.as_deref().and_then(|path| path.extension());
        match ending.is_some_and(|ending| ending == "folded" || ending == "txt") {
            true => Form::Folded,
            false => Form::Svg,
        }
    });
    let capture = Capture::read(&from)?;
    write_to(&Target::new(output), |out| match form {
        Form::Svg => svg::write(&capture, weight, out),
        Form::Folded => folded::write(&capture, weight, out),
    })?;
    Ok(Outcome::Fine)
}
