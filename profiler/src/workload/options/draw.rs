//! Setters for distributions: of offsets, and what is told of those of latencies.

use super::shape::{Done, triple};
use super::{Argument, Fault};
use crate::workload::spec::{Distribution, Spec, Zone, ZoneLength};
use crate::workload::units::{self, Base};

pub(super) fn percentage_random(spec: &mut Spec, a: &Argument<'_>) -> Done {
    spec.random_percent = triple(a, |text| match text.trim().parse() {
        Ok(percent @ 0..=100) => Ok(percent),
        _ => Err(Fault::Bad(format!("`{text}` is not between 0 and 100"))),
    })?;
    Ok(())
}

/// `50:99:99.9`.
pub(super) fn percentile_list(spec: &mut Spec, a: &Argument<'_>) -> Done {
    let mut list = Vec::new();
    for text in a.text()?.split(':') {
        match text.trim().parse::<f64>() {
            Ok(percent) if percent > 0.0 && percent <= 100.0 => list.push(percent),
            _ => return Err(Fault::Bad(format!("`{text}` is not between 0 and 100"))),
        }
    }
    if list.len() > 20 {
        return Err(Fault::Bad("as in fio at most 20 percentiles".to_owned()));
    }
    spec.percentiles = Some(list);
    Ok(())
}

/// `random`, `zipf:THETA[:CENTER]`, `pareto:H[:CENTER]`, `normal:PERCENT[:CENTER]`, `zoned:...`.
pub(super) fn random_distribution(spec: &mut Spec, a: &Argument<'_>) -> Done {
    let text = a.text()?;
    let (kind, rest) = text.split_once(':').unwrap_or((text, ""));
    spec.distribution = match kind {
        "random" => Distribution::Even,
        "zipf" => {
            let (theta, center) = numbers(rest, 1.1)?;
            if theta <= 0.0 || theta > 100.0 {
                return Err(Fault::Bad(format!(
                    "zipf: `{theta}` is not above 0 (at most 100)"
                )));
            }
            Distribution::Zipf { theta, center }
        }
        "pareto" => {
            let (h, center) = numbers(rest, 0.2)?;
            if h <= 0.0 || h >= 1.0 {
                return Err(Fault::Bad(format!("pareto: `{h}` is not between 0 and 1")));
            }
            Distribution::Pareto { h, center }
        }
        "normal" => {
            let (percent, center) = numbers(rest, 0.0)?;
            if percent <= 0.0 || percent > 100.0 {
                return Err(Fault::Bad(format!(
                    "normal: the deviation `{percent}` is not a percentage above 0"
                )));
            }
            Distribution::Normal { percent, center }
        }
        "zoned" | "zoned_abs" => zones(rest, kind == "zoned_abs", a.base)?,
        other => {
            return Err(Fault::Bad(format!(
                "`{other}` is none of random, zipf, pareto, normal, zoned, zoned_abs"
            )));
        }
    };
    Ok(())
}

/// `A[:CENTER]`.
fn numbers(text: &str, default: f64) -> Result<(f64, Option<f64>), Fault> {
    let number = |text: &str| match text.trim().parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        _ => Err(Fault::Bad(format!("`{text}` is no number"))),
    };
    let mut parts = text.split(':');
    let first = match parts.next() {
        None | Some("") => default,
        Some(text) => number(text)?,
    };
    let center = parts.next().map(number).transpose()?;
    if center.is_some_and(|center| !(0.0..=1.0).contains(&center)) {
        return Err(Fault::Bad("the center is not between 0 and 1".to_owned()));
    }
    match parts.next() {
        None => Ok((first, center)),
        Some(more) => Err(Fault::Bad(format!("`:{more}` is one value too many"))),
    }
}

/// `ACCESS/LENGTH:...[,...]`: tables for reads, writes and trims.
fn zones(text: &str, absolute: bool, base: Base) -> Result<Distribution, Fault> {
    let mut tables = Vec::new();
    for table in text.split(',') {
        tables.push(zone_table(table, absolute, base)?);
    }
    let last = tables.last().cloned().unwrap_or_default();
    if tables.len() > 3 {
        return Err(Fault::Bad(
            "at most three tables (read, write, trim)".to_owned(),
        ));
    }
    tables.resize(3, last);
    match <[_; 3]>::try_from(tables) {
        Ok(tables) => Ok(Distribution::Zones(tables)),
        Err(_) => Err(Fault::Bad(
            "at most three tables (read, write, trim)".to_owned(),
        )),
    }
}

fn zone_table(text: &str, absolute: bool, base: Base) -> Result<Vec<Zone>, Fault> {
    let percent = |text: &str| match text.trim().parse::<u64>() {
        Ok(percent @ 1..=100) => Ok(percent),
        _ => Err(Fault::Bad(format!(
            "`{text}` is not a percentage from 1 to 100"
        ))),
    };
    let (mut zones, mut blanks) = (Vec::new(), Vec::new());
    for part in text.split(':') {
        let Some((access, length)) = part.split_once('/') else {
            return Err(Fault::Bad(format!("`{part}` is not ACCESS/LENGTH")));
        };
        if length.trim().is_empty() && !absolute {
            // As in fio blanks share what the others leave.
            blanks.push(zones.len());
            zones.push(Zone {
                percent: percent(access)?,
                length: ZoneLength::Percent(0),
            });
            continue;
        }
        let length = if absolute {
            ZoneLength::Bytes(units::size(length, base)?.bytes)
        } else {
            ZoneLength::Percent(percent(length)?)
        };
        zones.push(Zone {
            percent: percent(access)?,
            length,
        });
    }
    let access: u64 = zones.iter().map(|zone| zone.percent).sum();
    if access != 100 {
        return Err(Fault::Bad(format!(
            "the shares of `{text}` add up to {access}, not to 100"
        )));
    }
    let length: u64 = zones
        .iter()
        .map(|zone| match zone.length {
            ZoneLength::Percent(percent) => percent,
            ZoneLength::Bytes(_) => 0,
        })
        .sum();
    for (index, blank) in blanks.iter().enumerate() {
        let left = 100u64.saturating_sub(length);
        let each = left / blanks.len() as u64;
        // What does not divide goes to the last of them.
        let rest = if index + 1 == blanks.len() {
            left % blanks.len() as u64
        } else {
            0
        };
        zones[*blank].length = ZoneLength::Percent(each + rest);
    }
    if length > 100 || (length == 100 && !blanks.is_empty()) {
        return Err(Fault::Bad(format!(
            "the lengths of `{text}` add up to {length}, more than 100 or with nothing left for the blanks"
        )));
    }
    Ok(zones)
}

#[cfg(test)]
mod tests {
    use crate::workload::spec::Distribution;
    use crate::workload::testing::job;
    use crate::workload::{Options, from_text};

    #[test]
    fn distributions_are_read_and_mistakes_named() {
        let of = |value: &str| {
            job(&format!(
                "rw=randread\nsize=1m\nrandom_distribution={value}"
            ))
            .distribution
        };
        assert_eq!(of("random"), Distribution::Even);
        assert_eq!(
            of("zipf:1.2:0.25"),
            Distribution::Zipf {
                theta: 1.2,
                center: Some(0.25)
            }
        );
        assert_eq!(
            of("pareto:0.3"),
            Distribution::Pareto {
                h: 0.3,
                center: None
            }
        );
        assert_eq!(of("zoned:60/10:30/20:10/"), of("zoned:60/10:30/20:10/70"));
        for (value, word) in [
            ("zipf:0", "above 0"),
            ("pareto:1", "between 0 and 1"),
            ("normal:x", "no number"),
            ("zoned:60/10:30/20", "add up to 90"),
            ("zoned:50/60:50/60", "more than 100"),
            ("zoned:50/100:50/", "more than 100"),
            ("bell", "none of"),
        ] {
            let text = format!("[a]\nsize=1m\nrandom_distribution={value}\n");
            let refused = from_text("t", text, &Options::default()).unwrap_err();
            assert!(refused.to_string().contains(word), "{value}: {refused}");
        }
    }
}
