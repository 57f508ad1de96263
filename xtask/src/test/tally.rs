//! What became of every test and check.

use std::fmt;
use std::process::ExitCode;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) passed: u64,
    /// What failed, by name.
    pub(crate) failures: Vec<String>,
    /// What was skipped, and why.
    pub(crate) skips: Vec<(String, String)>,
}

impl Tally {
    /// The outcome of tests that may not even have started: that is a failure like any other.
    pub(crate) fn of(tests: anyhow::Result<Self>) -> Self {
        tests.unwrap_or_else(|error| {
            let mut tally = Self::default();
            tally.fail(&format!("the tests could not be run: {error:#}"));
            tally
        })
    }

    pub(crate) fn pass(&mut self, n: u64) {
        self.passed += n;
    }

    pub(crate) fn fail(&mut self, what: &str) {
        self.failures.push(what.to_owned());
    }

    pub(crate) fn skip(&mut self, what: &str, reason: &str) {
        self.skips.push((what.to_owned(), reason.to_owned()));
    }

    pub(crate) fn add(&mut self, other: Self) {
        let Self {
            passed,
            failures,
            skips,
        } = other;
        self.passed += passed;
        self.failures.extend(failures);
        self.skips.extend(skips);
    }

    /// Prints the skips, the failures and, last, the line that sums them up.
    pub(crate) fn close(&self) -> ExitCode {
        println!();
        for (what, reason) in &self.skips {
            println!("skipped: {what}: {reason}");
        }
        for what in &self.failures {
            println!("failed: {what}");
        }
        println!("{self}");
        if self.succeeded() {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        }
    }

    /// A run that tested nothing has shown nothing.
    fn succeeded(&self) -> bool {
        self.failures.is_empty() && self.passed > 0
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} passed, {} failed, {} skipped",
            self.passed,
            self.failures.len(),
            self.skips.len()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_that_could_not_be_run_have_failed() {
        let tally = Tally::of(Err(anyhow::anyhow!("no cargo")));
        assert_eq!(tally.to_string(), "0 passed, 1 failed, 0 skipped");
        assert_eq!(tally.failures, ["the tests could not be run: no cargo"]);
    }

    #[test]
    fn only_a_run_with_passes_and_no_failure_succeeds() {
        let mut tally = Tally::default();
        tally.skip("live", "no probes");
        assert!(!tally.succeeded());
        tally.pass(2);
        assert_eq!(tally.to_string(), "2 passed, 0 failed, 1 skipped");
        assert!(tally.succeeded());
        tally.fail("one");
        assert!(!tally.succeeded());
    }
}
