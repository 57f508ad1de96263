//! Every option name of fio 3 and what becomes of it.

use super::Support;
use super::refused::{COMMAND_LINE, REFUSED};
use super::taken::TAKEN;
use std::fmt::Write;

/// What becomes of a name; `None`: fio has no such option.
pub(super) fn find(name: &str) -> Option<Support> {
    if let Some(row) = TAKEN.iter().find(|row| row.names.contains(&name)) {
        return Some(Support::Taken(row.names[0], row.setter));
    }
    let has = |names: &str| names.split(' ').any(|one| one == name);
    if let Some((why, _)) = REFUSED.iter().find(|(_, names)| has(names)) {
        return Some(Support::Refused(why));
    }
    has(COMMAND_LINE).then_some(Support::CommandLine)
}

/// Every name there is, for suggestions.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    let taken = TAKEN.iter().flat_map(|row| row.names.iter().copied());
    let refused = REFUSED.iter().flat_map(|(_, names)| names.split(' '));
    taken.chain(refused).chain(COMMAND_LINE.split(' '))
}

const HEAD: &str = "\
# Job files

`iosage run` reads fio's job files. Every option of fio 3 stands in one of the tables below: it does what it does in
fio, or a job file with it is refused before anything runs, with file, line, column and the reason. Nothing is
ignored silently; `--lenient` leaves out what is refused and lists it. `iosage job explain FILE` shows what a file comes
to, in bytes and seconds.

Where iosage is stricter or different:

- **Rates are open loops.** With `rate` or `rate_iops` each I/O has an intended start that does not move when the target
  stalls. Its latency counts from there (`lat_ns` of `--format fio-json`); what the target itself took is shown beside it
  (`clat_ns`), and how late it was handed in (`iosage lag_ns`).
- **Latency has three parts**, as in fio: made ready to handed over (`slat_ns`), handed over to completed (`clat_ns`), and
  both (`lat_ns`). With psync and mmap the first two moments are one, and `slat_ns` is empty.
- **Files.** One that exists and that iosage did not make is written only with `--overwrite`; what a run made is removed at
  its end unless `--keep` is given. Trims of a regular file punch holes; fio refuses them.
- **verify** reads back after the job. The header of a block is iosage's own, so fio cannot verify it, nor the other way.
- **Random numbers** are iosage's own: the same job draws the same offsets on each run, but not fio's.

This page is printed by `iosage job docs`.
";

/// The documentation of all options (docs/jobs.md).
pub(super) fn markdown() -> String {
    let mut out = String::from(HEAD);
    // Writing to a String cannot fail.
    let _ = write(&mut out);
    out
}

fn write(out: &mut String) -> std::fmt::Result {
    writeln!(out, "\n## Supported\n")?;
    writeln!(out, "| option | also | values |\n| --- | --- | --- |")?;
    for row in TAKEN {
        let also: Vec<_> = row.names[1..].iter().map(|n| format!("`{n}`")).collect();
        let cells = [
            format!("`{}`", row.names[0]),
            also.join(" "),
            row.values.to_owned(),
        ];
        writeln!(out, "| {} |", cells.join(" | "))?;
    }
    writeln!(out, "\n## Refused\n")?;
    writeln!(out, "| reason | options |\n| --- | --- |")?;
    for (why, names) in REFUSED {
        writeln!(out, "| {why} | {} |", listed(names))?;
    }
    writeln!(out, "\n## Options of the fio command\n")?;
    writeln!(
        out,
        "They are refused in a job file, in fio too: {}.",
        listed(COMMAND_LINE)
    )
}

fn listed(names: &str) -> String {
    let quoted: Vec<_> = names.split(' ').map(|name| format!("`{name}`")).collect();
    quoted.join(" ")
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_documentation_is_what_the_table_says() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/jobs.md");
        let kept = std::fs::read_to_string(path).unwrap();
        assert!(
            kept == super::markdown(),
            "docs/jobs.md is old; run `cargo run -p profiler -- job docs > docs/jobs.md`"
        );
    }
}
