//! Reads what `cargo test -- --show-output` prints, so that no test is lost: a test that says
//! `skipped: REASON` did not pass, and a test program that ends without its result has failed.

use super::tally::Tally;

/// Reads line by line; knows which program's lines it reads.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    tally: Tally,
    program: Option<Program>,
}

/// One test program, as long as its lines come.
#[derive(Debug, Default)]
struct Program {
    name: String,
    announced: u64,
    ok: u64,
    failed: Vec<String>,
    ignored: Vec<(String, String)>,
    skipped: Vec<(String, String)>,
    results: Vec<Counts>,
    block: Block,
}

/// Which list of captured output the lines belong to.
#[derive(Debug, Default, PartialEq)]
enum Block {
    #[default]
    None,
    Failures,
    /// With the test whose output it is.
    Successes(Option<String>),
}

/// The numbers of one `test result:` line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Counts {
    passed: u64,
    failed: u64,
    ignored: u64,
}

impl Reader {
    /// Takes a line and says whether a person wants to see it.
    pub(crate) fn line(&mut self, line: &str) -> bool {
        if let Some(name) = program_name(line) {
            self.end_program();
            self.program = Some(Program {
                name,
                ..Program::default()
            });
            return true;
        }
        match &mut self.program {
            Some(program) => program.line(line),
            None => true,
        }
    }

    /// The sum, once cargo has ended.
    pub(crate) fn finish(mut self, cargo_succeeded: bool) -> Tally {
        self.end_program();
        if !cargo_succeeded && self.tally.failures.is_empty() {
            self.tally.fail(
                "cargo test: it ended with an error although no test failed; its words are above",
            );
        }
        self.tally
    }

    fn end_program(&mut self) {
        if let Some(program) = self.program.take() {
            program.add_to(&mut self.tally);
        }
    }
}

impl Program {
    fn line(&mut self, line: &str) -> bool {
        if let Some(at) = line.find("test result: ") {
            self.results.extend(parse_counts(&line[at..]));
            self.block = Block::None;
            return true;
        }
        match line {
            "successes:" => self.block = Block::Successes(None),
            "failures:" => self.block = Block::Failures,
            _ => self.inner_line(line),
        }
        !matches!(self.block, Block::Successes(_))
    }

    fn inner_line(&mut self, line: &str) {
        match &mut self.block {
            Block::Successes(test) => {
                if let Some(name) = output_of(line) {
                    *test = Some(name.to_owned());
                } else if let (Some(name), Some(reason)) = (test, line.strip_prefix("skipped: ")) {
                    let first = self.skipped.iter().all(|(known, _)| known != name);
                    if first {
                        self.skipped.push((name.clone(), reason.trim().to_owned()));
                    }
                }
            }
            Block::None => {
                if let Some(rest) = line.strip_prefix("running ") {
                    let n = rest.split(' ').next().and_then(|n| n.parse::<u64>().ok());
                    self.announced += n.unwrap_or(0);
                } else if let Some((name, end)) = test_line(line) {
                    self.test(name, end);
                }
            }
            Block::Failures => {}
        }
    }

    fn test(&mut self, name: &str, end: &str) {
        match end
            .split_once(", ")
            .map_or((end, None), |(a, b)| (a, Some(b)))
        {
            ("ok", _) => self.ok += 1,
            ("FAILED", _) => self.failed.push(name.to_owned()),
            ("ignored", reason) => self.ignored.push((
                name.to_owned(),
                reason.unwrap_or("ignored, without a reason").to_owned(),
            )),
            _ => {}
        }
    }

    fn add_to(self, tally: &mut Tally) {
        let Self {
            name: program,
            announced,
            ok,
            failed,
            ignored,
            skipped,
            results,
            block: _,
        } = self;
        for test in &failed {
            tally.fail(&format!("{program}: {test}"));
        }
        for (test, reason) in ignored.iter().chain(&skipped) {
            tally.skip(&format!("{program}: {test}"), reason);
        }
        let seen_skips = skipped.len() as u64;
        if results.is_empty() {
            tally.pass(ok.saturating_sub(seen_skips));
            tally.fail(&format!(
                "{program}: it ended without a result, after {ok} of {announced} tests"
            ));
            return;
        }
        let sum = |count: fn(&Counts) -> u64| results.iter().map(count).sum::<u64>();
        tally.pass(sum(|counts| counts.passed).saturating_sub(seen_skips));
        // Lines torn by a child's output name no test; the result still counts it.
        for _ in failed.len() as u64..sum(|counts| counts.failed) {
            tally.fail(&format!("{program}: a test whose line could not be read"));
        }
        for _ in ignored.len() as u64..sum(|counts| counts.ignored) {
            tally.skip(
                &format!("{program}: a test"),
                "ignored, its line could not be read",
            );
        }
    }
}

/// `     Running unittests src/lib.rs (target/debug/deps/rules-0123)` and `   Doc-tests rules`.
fn program_name(line: &str) -> Option<String> {
    let trimmed = line.trim_start();
    if line.starts_with("     Running ") && trimmed.ends_with(')') {
        let (source, path) = trimmed.strip_prefix("Running ")?.split_once(" (")?;
        let file = path.trim_end_matches(')').rsplit('/').next()?;
        let name = file.rsplit_once('-').map_or(file, |(name, _)| name);
        return Some(match source.strip_prefix("unittests ") {
            Some(_) => name.to_owned(),
            None => source.to_owned(),
        });
    }
    let name = line.strip_prefix("   Doc-tests ")?;
    Some(format!("doc tests of {}", name.trim()))
}

/// The name in `---- a::test stdout ----`.
fn output_of(line: &str) -> Option<&str> {
    line.strip_prefix("---- ")?.strip_suffix(" stdout ----")
}

fn test_line(line: &str) -> Option<(&str, &str)> {
    line.strip_prefix("test ")?.rsplit_once(" ... ")
}

/// `test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s`.
fn parse_counts(line: &str) -> Option<Counts> {
    let count = |word: &str| {
        line.split([';', '.'])
            .find_map(|part| part.trim().strip_suffix(word)?.trim().parse().ok())
    };
    Some(Counts {
        passed: count("passed")?,
        failed: count("failed")?,
        ignored: count("ignored")?,
    })
}

#[cfg(test)]
mod tests;
