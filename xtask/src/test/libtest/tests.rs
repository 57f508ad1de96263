//! The texts are what cargo 1.95 and its libtest print.

use super::*;

fn read(text: &str, cargo_succeeded: bool) -> Tally {
    let mut reader = Reader::default();
    for line in text.lines() {
        reader.line(line);
    }
    reader.finish(cargo_succeeded)
}

const GOOD: &str = "\
    Finished `test` profile [unoptimized + debuginfo] target(s) in 0.03s
     Running unittests src/lib.rs (target/debug/deps/rules-2f1e0a)

running 2 tests
test lang::parses ... ok
test library::every_rule_loads ... ok

successes:

---- lang::parses stdout ----
compiled in 5 us

successes:
    lang::parses
    library::every_rule_loads

test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.02s

     Running tests/live_block.rs (target/debug/deps/live_block-77aa)

running 3 tests
test counts_agree ... ok
test latency_agrees ... ok
test a_long_one ... ignored, takes an hour

successes:

---- counts_agree stdout ----
looking for a disk
skipped: no CAP_BPF
skipped: said twice

successes:
    counts_agree
    latency_agrees

test result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s

   Doc-tests profiler

running 1 test
test profiler/src/units.rs - units::Nanos (line 3) ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.10s
";

#[test]
fn a_test_that_says_skipped_did_not_pass() {
    let tally = read(GOOD, true);
    assert_eq!(tally.to_string(), "4 passed, 0 failed, 2 skipped");
    assert_eq!(
        tally.skips,
        [
            (
                "tests/live_block.rs: a_long_one".to_owned(),
                "takes an hour".to_owned()
            ),
            (
                "tests/live_block.rs: counts_agree".to_owned(),
                "no CAP_BPF".to_owned()
            ),
        ]
    );
}

#[test]
fn failures_are_named() {
    let text = "
     Running unittests src/main.rs (target/debug/deps/iosage-1)

running 2 tests
test a ... ok
test b::c ... FAILED

successes:

successes:
    a

failures:

---- b::c stdout ----
skipped: not a skip, it failed
thread 'b::c' panicked at src/main.rs:1:1: no

failures:
    b::c

test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

error: test failed, to rerun pass `-p profiler --bin iosage`
";
    let tally = read(text, false);
    assert_eq!(tally.to_string(), "1 passed, 1 failed, 0 skipped");
    assert_eq!(tally.failures, ["iosage: b::c"]);
}

#[test]
fn a_program_that_crashes_has_failed_and_its_passes_still_count() {
    let text = "
     Running tests/crash.rs (target/debug/deps/crash-1)

running 5 tests
test a ... ok
test b ... ok
error: test failed, to rerun pass `-p x --test crash`

Caused by:
  process didn't exit successfully: `target/debug/deps/crash-1` (signal: 6, SIGABRT: process abort signal)
     Running tests/good.rs (target/debug/deps/good-1)

running 1 test
test c ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
";
    let tally = read(text, false);
    assert_eq!(tally.to_string(), "3 passed, 1 failed, 0 skipped");
    assert_eq!(
        tally.failures,
        ["tests/crash.rs: it ended without a result, after 2 of 5 tests"]
    );
}

#[test]
fn code_that_does_not_compile_is_a_failure() {
    let tally = read("error[E0308]: mismatched types\n", false);
    assert_eq!(tally.to_string(), "0 passed, 1 failed, 0 skipped");
}

#[test]
fn a_torn_line_loses_no_failure() {
    let text = "
     Running tests/torn.rs (target/debug/deps/torn-1)

running 2 tests
test a ... noise of a child
ok
test b ... more noiseFAILED
test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
";
    assert_eq!(
        read(text, false).to_string(),
        "1 passed, 1 failed, 0 skipped"
    );
}

#[test]
fn the_output_of_passing_tests_is_not_shown() {
    let mut reader = Reader::default();
    let shown: Vec<_> = GOOD.lines().filter(|line| reader.line(line)).collect();
    assert!(!shown.iter().any(|line| line.contains("compiled in 5 us")));
    assert!(
        shown
            .iter()
            .any(|line| line.contains("every_rule_loads ... ok"))
    );
    assert!(shown.iter().any(|line| line.contains("Doc-tests profiler")));
}

#[test]
fn lines_of_any_kind_are_no_reason_to_panic() {
    for line in [
        "test",
        "test  ... ",
        "running ",
        "test result: ",
        "---- ",
        "     Running )",
        "\u{1f}",
    ] {
        let mut reader = Reader::default();
        reader.line("     Running tests/a.rs (target/debug/deps/a-1)");
        reader.line(line);
        reader.finish(true);
    }
}
