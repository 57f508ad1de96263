//! The flame graph: which code paths the device's time goes to.

use super::folded::{self, Weight};
use super::{Format, Report};
use crate::capture::Capture;
use crate::units;
use anyhow::{Context, Result, bail};
use inferno::flamegraph::color::{BackgroundColor, PaletteMap};
use inferno::flamegraph::{self, Options};
use std::io::Write;
use std::str::FromStr;

/// `--format svg`.
pub struct Svg;

/// Room below the picture for the footer.
const FOOTER_HEIGHT: u64 = 24;
/// The script inside the picture is inferno's and stays under its licence.
const FOOTER: &str = "The script in this picture is part of inferno, CDDL-1.0: \
                      github.com/jonhoo/inferno.";

impl Format for Svg {
    fn name(&self) -> &'static str {
        "svg"
    }

    fn extension(&self) -> &'static str {
        "svg"
    }

    fn about(&self) -> &'static str {
        "A flame graph of where I/O is issued from, by device time"
    }

    fn write(&self, report: &Report, out: &mut dyn Write) -> Result<()> {
        write(&report.capture, Weight::DeviceTime, out)
    }
}

/// Draws the stacks of a capture, or says why there are none.
pub fn write(capture: &Capture, weight: Weight, out: &mut dyn Write) -> Result<()> {
    let lines = folded::lines(capture, weight)?;
    if folded::total(capture, weight).is_none() {
        bail!(
            "the {} of all stacks do not fit in 64 bits; draw another --weight, or write \
             `--format folded`",
            weight.words()
        );
    }
    let mut options = Options::default();
    options.title = format!("Where I/O is issued from, by {}", weight.words());
    options.subtitle = Some(subtitle(capture, weight));
    let mut colours = colours(&lines);
    options.palette_map = Some(&mut colours);
    options.bgcolors = BackgroundColor::from_str("#fbfaf6").ok();
    options.font_type = "sans-serif".to_owned();
    options.font_width = 0.53;
    options.name_type = "Frame:".to_owned();
    // Large numbers are shown in a unit that people read.
    let (count_name, factor) = match weight {
        Weight::DeviceTime => ("µs of device time", 0.001),
        Weight::Requests => ("requests", 1.0),
        Weight::Bytes => ("KiB", 1.0 / 1024.0),
        Weight::Samples => ("samples", 1.0),
    };
    options.count_name = count_name.to_owned();
    options.factor = factor;
    let mut drawn = Vec::new();
    flamegraph::from_lines(&mut options, lines.iter().map(String::as_str), &mut drawn)
        .context("drawing the flame graph")?;
    let drawn = String::from_utf8(drawn).context("drawing the flame graph")?;
    out.write_all(with_footer(&drawn).as_bytes())
        .context("writing the flame graph")
}

/// Quiet colours that mean one thing: blue is the kernel, sand the program, grey its name. The shade
/// only keeps neighbours apart and is the same for the same frame in every picture.
fn colours(lines: &[String]) -> PaletteMap {
    const KERNEL: [&str; 4] = ["#9dbfd3", "#8db3ca", "#abc9da", "#82aac3"];
    const USER: [&str; 4] = ["#e5c896", "#dcbb82", "#ecd3a8", "#d5b274"];
    const NAME: [&str; 4] = ["#cfcbc0", "#c6c2b6", "#d7d3c9", "#bfbaad"];
    let mut map = PaletteMap::default();
    for line in lines {
        let frames = line
            .rsplit_once(' ')
            .map_or(line.as_str(), |(frames, _)| frames);
        for (depth, frame) in frames.split(';').enumerate() {
            let shades = match (depth, frame.ends_with("_[k]")) {
                (0, _) => &NAME,
                (_, true) => &KERNEL,
                (_, false) => &USER,
            };
            let sum = frame
                .bytes()
                .fold(0u8, |sum, byte| sum.rotate_left(3) ^ byte);
            if let Ok(BackgroundColor::Flat(colour)) =
                BackgroundColor::from_str(shades[usize::from(sum) % shades.len()])
            {
                map.insert(frame, colour);
            }
        }
    }
    if let Ok(BackgroundColor::Flat(colour)) = BackgroundColor::from_str("#e4e0d6") {
        map.insert("", colour);
        map.insert("all", colour);
    }
    map
}

/// How much is measured and how much estimated.
fn subtitle(capture: &Capture, weight: Weight) -> String {
    let samples = capture
        .stacks
        .iter()
        .fold(0u64, |sum, stack| sum.saturating_add(stack.samples));
    let host = capture.host.hostname.as_deref().unwrap_or("unnamed host");
    let what = match weight {
        Weight::Samples => "samples taken",
        _ => "estimate: what was counted, divided as the samples are",
    };
    format!(
        "n {} samples ({what}), {} on {}; blue: kernel, sand: program",
        units::count(samples),
        units::nanos(capture.meta.window_ns as f64),
        units::printable(host)
    )
}

/// Makes the picture taller and writes the footer below it. Where the picture's head has another
/// form than expected, the footer is left in a comment, so that the licence is named in any case.
fn with_footer(drawn: &str) -> String {
    let taller = || {
        let (head, rest) = drawn.split_once("<svg ")?;
        let (tag, body) = rest.split_once('>')?;
        let (_, after) = tag.split_once(" height=\"")?;
        let (height, _) = after.split_once('"')?;
        let old: u64 = height.parse().ok()?;
        let new = old.checked_add(FOOTER_HEIGHT)?;
        let tag = tag
            .replacen(
                &format!(" height=\"{old}\""),
                &format!(" height=\"{new}\""),
                1,
            )
            .replacen(&format!(" {old}\""), &format!(" {new}\""), 1);
        let body = body
            .strip_suffix('\n')
            .unwrap_or(body)
            .strip_suffix("</svg>")?;
        let y = new - FOOTER_HEIGHT / 3;
        Some(format!(
            "{head}<svg {tag}>{body}<rect x=\"0\" y=\"{old}\" width=\"100%\" height=\"{FOOTER_HEIGHT}\" \
             fill=\"#f1eee5\"/><text x=\"10\" y=\"{y}\" fill=\"#444444\">{FOOTER}</text></svg>\n"
        ))
    };
    taller().unwrap_or_else(|| format!("{drawn}<!-- {FOOTER} -->\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_footer_stands_below_the_picture() {
        let drawn = r#"<?xml?><svg width="1200" height="100" viewBox="0 0 1200 100"><g/></svg>"#;
        let out = with_footer(drawn);
        assert!(
            out.contains(r#"height="124" viewBox="0 0 1200 124""#),
            "{out}"
        );
        assert!(
            out.contains("CDDL-1.0") && out.ends_with("</svg>\n"),
            "{out}"
        );
        assert!(with_footer("odd").contains("CDDL-1.0"));
    }
}
