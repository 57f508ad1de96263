//! What rules have to do with each other: precedence, the gate, and the verdict.

use rules::diagnostic::Source;
use rules::facts::{self, Fact, Facts, Measured, Scope, Subject, Value};
use rules::finding::{Finding, State};
use rules::{Judgement, Library, Suppress};

/// A rule with only what matters here. `lines` are put in front of its cases.
fn rule(id: &str, scope: &str, kind: &str, severity: &str, when: &str, lines: &str) -> Source {
    let text = format!(
        r#"
title = "Title of {id}"
scope = "{scope}"
kind = "{kind}"
severity = "{severity}"
risk = "none"
when = '{when}'
because = "Reason of {id}."
healthy = "Right as it is."
advice = "Do it."
apply = ["true"]
undo = ["true"]
sources = ["test"]
{lines}
[[case]]
name = "never run here: fires"
state = "recommend"
[[case]]
name = "never run here: is silent"
state = "no-change-needed"
[[case]]
name = "never run here: abstains"
state = "insufficient-evidence"
"#
    );
    Source {
        id: id.to_owned(),
        path: format!("{id}.toml"),
        text,
    }
}

fn library(sources: Vec<Source>) -> Library {
    Library::load(sources).unwrap_or_else(|errors| panic!("{errors}"))
}

fn subject(scope: Scope, name: &str) -> Subject {
    Subject {
        scope,
        name: name.to_owned(),
    }
}

fn put(facts: &mut Facts, about: &Subject, fact: &Fact, value: f64) {
    facts.put(about, fact, Measured::of(value, 1000, "test"));
}

/// One host; /db on sda, /other on sdb. The host waits for storage a fifth of the time.
fn host() -> Facts {
    let mut facts = Facts::new(60_000_000_000);
    let host = subject(Scope::Host, "host");
    put(&mut facts, &host, &facts::HOST_PRESSURE_IO, 0.2);
    for (mount, disk) in [("/db", "sda"), ("/other", "sdb")] {
        let (mount, disk) = (
            subject(Scope::Filesystem, mount),
            subject(Scope::Device, disk),
        );
        facts.relate(&mount, &disk);
        put(&mut facts, &disk, &facts::DEVICE_BUSY, 0.5);
        put(&mut facts, &disk, &facts::READ_RATE, 100.0);
        put(&mut facts, &mount, &facts::SYNC_RATE, 10.0);
    }
    put(
        &mut facts,
        &subject(Scope::Device, "sda"),
        &facts::WRITE_RATE,
        50.0,
    );
    put(
        &mut facts,
        &subject(Scope::Device, "sdb"),
        &facts::WRITE_RATE,
        0.0,
    );
    facts
}

fn find<'a>(judgement: &'a Judgement, id: &str, subject: &str) -> &'a Finding {
    let mut all = judgement.findings.iter();
    let found = all.find(|finding| finding.id == id && finding.subject == subject);
    found.unwrap_or_else(|| panic!("no finding {id} on {subject}"))
}

fn state(judgement: &Judgement, id: &str, subject: &str) -> State {
    find(judgement, id, subject).state
}

#[test]
fn findings_come_in_order_of_kind_then_severity() {
    let library = library(vec![
        rule(
            "a/note",
            "host",
            "note",
            "critical",
            "host.pressure.io > 1%",
            "",
        ),
        rule(
            "b/tuning",
            "host",
            "tuning",
            "critical",
            "host.pressure.io > 1%",
            "",
        ),
        rule(
            "c/limit",
            "device",
            "limit",
            "notice",
            "write.rate > 1/s",
            "",
        ),
        rule(
            "d/safety",
            "host",
            "safety",
            "notice",
            "host.pressure.io > 1%",
            "",
        ),
        rule(
            "e/safety",
            "host",
            "safety",
            "warning",
            "host.pressure.io > 1%",
            "",
        ),
    ]);
    let judgement = library.judge(&host());
    let ids: Vec<&str> = judgement
        .findings
        .iter()
        .map(|finding| finding.id.as_str())
        .collect();
    assert_eq!(
        ids,
        [
            "e/safety", "d/safety", "c/limit", "c/limit", "b/tuning", "a/note"
        ]
    );
}

#[test]
fn a_limit_closes_tuning_on_its_device_and_above_and_nowhere_else() {
    let library = library(vec![
        rule(
            "cap/limit",
            "device",
            "limit",
            "warning",
            "write.rate > 1/s",
            "",
        ),
        rule(
            "tune/device",
            "device",
            "tuning",
            "warning",
            "read.rate > 1/s",
            "",
        ),
        rule(
            "tune/fs",
            "filesystem",
            "tuning",
            "warning",
            "sync.rate > 1/s",
            "",
        ),
        rule(
            "note/fs",
            "filesystem",
            "note",
            "warning",
            "sync.rate > 1/s",
            "",
        ),
    ]);
    let judgement = library.judge(&host());
    assert_eq!(
        state(&judgement, "cap/limit", "device sda"),
        State::Recommend
    );
    let closed = find(&judgement, "tune/fs", "filesystem /db");
    assert_eq!(closed.state, State::NoChangeNeeded);
    let reason = "cap/limit on device sda: a limit explains what is measured here";
    assert_eq!(closed.suppressed_by.as_deref(), Some(reason));
    assert!(closed.apply.is_empty() && closed.advice.is_none());
    assert_eq!(
        state(&judgement, "tune/device", "device sda"),
        State::NoChangeNeeded
    );
    assert_eq!(
        state(&judgement, "tune/device", "device sdb"),
        State::Recommend
    );
    assert_eq!(
        state(&judgement, "tune/fs", "filesystem /other"),
        State::Recommend
    );
    assert_eq!(
        state(&judgement, "note/fs", "filesystem /db"),
        State::Recommend
    );
    assert_eq!(judgement.verdict.kind, "limited");
}

#[test]
fn tuning_waits_for_critical_safety_on_the_same_stack() {
    let library = library(vec![
        rule(
            "safe/critical",
            "device",
            "safety",
            "critical",
            "write.rate > 1/s",
            "",
        ),
        rule(
            "safe/warning",
            "device",
            "safety",
            "warning",
            "write.rate > 1/s",
            "",
        ),
        rule(
            "tune/fs",
            "filesystem",
            "tuning",
            "warning",
            "sync.rate > 1/s",
            "",
        ),
    ]);
    let judgement = library.judge(&host());
    assert_eq!(
        find(&judgement, "tune/fs", "filesystem /db").after,
        ["safe/critical"]
    );
    assert!(
        find(&judgement, "tune/fs", "filesystem /other")
            .after
            .is_empty()
    );
    assert_eq!(judgement.verdict.kind, "fix-first");
    assert!(
        judgement.verdict.text.contains("device sda"),
        "{}",
        judgement.verdict.text
    );
    assert!(
        judgement.verdict.text.contains("1 more to fix"),
        "{}",
        judgement.verdict.text
    );
}

#[test]
fn the_gate_closes_tuning_and_says_the_numbers() {
    let library = library(vec![
        rule(
            "tune/fs",
            "filesystem",
            "tuning",
            "warning",
            "sync.rate > 1/s",
            "",
        ),
        rule(
            "fold/fs",
            "filesystem",
            "refuse",
            "notice",
            "sync.rate > 1/s",
            "",
        ),
    ]);
    let mut facts = host();
    put(
        &mut facts,
        &subject(Scope::Host, "host"),
        &facts::HOST_PRESSURE_IO,
        0.002,
    );
    // One busy device keeps the gate open, whatever the pressure.
    assert_eq!(library.judge(&facts).verdict.kind, "tune");
    put(
        &mut facts,
        &subject(Scope::Device, "sda"),
        &facts::DEVICE_BUSY,
        0.03,
    );
    put(
        &mut facts,
        &subject(Scope::Device, "sdb"),
        &facts::DEVICE_BUSY,
        0.9,
    );
    put(
        &mut facts,
        &subject(Scope::Device, "sdb"),
        &facts::IO_RATE,
        0.0,
    );
    let mut short = facts.clone();
    short.observed_ns = 9_999_999_999;
    assert_eq!(library.judge(&short).verdict.kind, "tune");
    let judgement = library.judge(&facts);
    assert_eq!(judgement.verdict.kind, "not-the-bottleneck");
    for number in ["0.2 %", "sda", "3 %", "2 findings"] {
        assert!(
            judgement.verdict.text.contains(number),
            "{}",
            judgement.verdict.text
        );
    }
    let closed = find(&judgement, "tune/fs", "filesystem /db");
    assert_eq!(closed.state, State::NoChangeNeeded);
    assert!(
        closed
            .suppressed_by
            .as_ref()
            .unwrap()
            .starts_with("storage is not the bottleneck")
    );
    assert_eq!(
        state(&judgement, "fold/fs", "filesystem /db"),
        State::Recommend
    );
}

#[test]
fn unknown_pressure_does_not_close_the_gate() {
    let library = library(vec![rule(
        "tune/device",
        "device",
        "tuning",
        "warning",
        "read.rate > 1/s",
        "",
    )]);
    let mut facts = Facts::new(60_000_000_000);
    facts.subject(&subject(Scope::Host, "host"));
    put(
        &mut facts,
        &subject(Scope::Device, "sda"),
        &facts::READ_RATE,
        100.0,
    );
    let judgement = library.judge(&facts);
    assert_eq!(
        state(&judgement, "tune/device", "device sda"),
        State::Recommend
    );
}

#[test]
fn a_device_that_is_busy_for_an_unknown_time_does_not_close_the_gate() {
    let library = library(vec![rule(
        "tune/device",
        "device",
        "tuning",
        "warning",
        "read.rate > 1/s",
        "",
    )]);
    let mut facts = Facts::new(60_000_000_000);
    let (host, sda) = (subject(Scope::Host, "host"), subject(Scope::Device, "sda"));
    put(&mut facts, &host, &facts::HOST_PRESSURE_IO, 0.001);
    put(&mut facts, &sda, &facts::READ_RATE, 100.0);
    put(&mut facts, &sda, &facts::IO_RATE, 100.0);
    let open = library.judge(&facts);
    assert_eq!(state(&open, "tune/device", "device sda"), State::Recommend);
    put(&mut facts, &sda, &facts::DEVICE_BUSY, 0.01);
    let closed = library.judge(&facts);
    assert_eq!(
        state(&closed, "tune/device", "device sda"),
        State::NoChangeNeeded
    );
}

#[test]
fn a_silenced_rule_silences_nobody() {
    let library = library(vec![
        rule(
            "s/one",
            "device",
            "tuning",
            "warning",
            "read.rate > 1/s",
            "silenced_by = [\"s/two\"]",
        ),
        rule(
            "s/two",
            "device",
            "tuning",
            "warning",
            "read.rate > 1/s",
            "silenced_by = [\"s/three\"]",
        ),
        rule(
            "s/three",
            "device",
            "tuning",
            "warning",
            "write.rate > 1/s",
            "",
        ),
    ]);
    let judgement = library.judge(&host());
    // On sda `three` fires, silences `two`, and so `one` may speak; on sdb `two` silences `one`.
    assert_eq!(state(&judgement, "s/three", "device sda"), State::Recommend);
    assert_eq!(
        state(&judgement, "s/two", "device sda"),
        State::NoChangeNeeded
    );
    assert_eq!(state(&judgement, "s/one", "device sda"), State::Recommend);
    assert_eq!(state(&judgement, "s/two", "device sdb"), State::Recommend);
    let silenced = find(&judgement, "s/one", "device sdb");
    assert_eq!(
        silenced.suppressed_by.as_deref(),
        Some("s/two on device sdb")
    );
}

#[test]
fn of_rules_that_exclude_each_other_the_more_severe_stays() {
    let conflicts = "conflicts = [\"x/b\"]";
    let library = library(vec![
        rule(
            "x/a",
            "device",
            "tuning",
            "notice",
            "read.rate > 1/s",
            conflicts,
        ),
        rule("x/b", "device", "tuning", "warning", "write.rate > 1/s", ""),
    ]);
    let judgement = library.judge(&host());
    assert_eq!(state(&judgement, "x/b", "device sda"), State::Recommend);
    let loser = find(&judgement, "x/a", "device sda");
    assert_eq!(loser.state, State::NoChangeNeeded);
    let reason = "x/b on device sda: only one of both may be followed";
    assert_eq!(loser.suppressed_by.as_deref(), Some(reason));
    assert_eq!(state(&judgement, "x/a", "device sdb"), State::Recommend);
}

#[test]
fn one_knob_is_set_once_for_a_subject() {
    let knob = "knob = \"readahead\"";
    let library = library(vec![
        rule(
            "k/a",
            "device",
            "tuning",
            "warning",
            "read.rate > 1/s",
            knob,
        ),
        rule(
            "k/b",
            "device",
            "tuning",
            "warning",
            "write.rate > 1/s",
            knob,
        ),
    ]);
    let judgement = library.judge(&host());
    assert_eq!(state(&judgement, "k/a", "device sda"), State::Recommend);
    let loser = find(&judgement, "k/b", "device sda");
    assert_eq!(
        loser.suppressed_by.as_deref(),
        Some("k/a on device sda: it sets readahead too")
    );
}

#[test]
fn what_a_rule_comes_after_is_listed_where_it_recommends() {
    let library = library(vec![
        rule(
            "a/first",
            "device",
            "note",
            "warning",
            "write.rate > 1/s",
            "",
        ),
        rule(
            "a/second",
            "filesystem",
            "tuning",
            "warning",
            "sync.rate > 1/s",
            "after = [\"a/first\"]",
        ),
    ]);
    let judgement = library.judge(&host());
    assert_eq!(
        find(&judgement, "a/second", "filesystem /db").after,
        ["a/first"]
    );
    assert!(
        find(&judgement, "a/second", "filesystem /other")
            .after
            .is_empty()
    );
}

#[test]
fn accepted_findings_are_not_recommended_until_they_expire() {
    let library = library(vec![rule(
        "t/disk",
        "device",
        "tuning",
        "warning",
        "read.rate > 1/s",
        "",
    )]);
    let accepted = Suppress::read(
        "accepted.toml",
        "[[suppress]]\nid = \"t/*\"\nsubject = \"device sda\"\nreason = \"scratch\"\nexpires = \"2026-12-31\"\n",
    )
    .unwrap();
    let judgement = library.judge_except(&host(), &accepted, "2026-12-31");
    let found = find(&judgement, "t/disk", "device sda");
    assert_eq!(found.state, State::NoChangeNeeded);
    assert_eq!(
        found.suppressed_by.as_deref(),
        Some("accepted until 2026-12-31: scratch")
    );
    assert_eq!(state(&judgement, "t/disk", "device sdb"), State::Recommend);
    let later = library.judge_except(&host(), &accepted, "2027-01-01");
    let found = find(&later, "t/disk", "device sda");
    assert_eq!(found.state, State::Recommend);
    assert!(
        found
            .because
            .ends_with("It was accepted until 2026-12-31: scratch")
    );
}

#[test]
fn the_verdict_tells_fine_from_cannot_tell() {
    let library = library(vec![rule(
        "t/disk",
        "device",
        "tuning",
        "warning",
        "read.rate > 5000/s",
        "",
    )]);
    let fine = library.judge(&host()).verdict;
    assert_eq!(fine.kind, "fine");
    assert!(
        fine.text.contains("2 checks") && fine.text.contains("20 %"),
        "{}",
        fine.text
    );
    let mut short = host();
    short.observed_ns = 9_999_999_999;
    let verdict = library.judge(&short).verdict;
    assert_eq!(verdict.kind, "cannot-tell");
    assert!(verdict.text.contains("too short"), "{}", verdict.text);
    let mut unrecorded = Facts::new(0);
    unrecorded.subject(&subject(Scope::Device, "sda"));
    let verdict = library.judge(&unrecorded).verdict;
    assert_eq!(verdict.kind, "cannot-tell");
    assert!(
        verdict.text.contains("Nothing was recorded"),
        "{}",
        verdict.text
    );
    assert!(
        verdict.text.contains("One question stays open"),
        "{}",
        verdict.text
    );
}

#[test]
fn a_finding_carries_its_evidence_and_what_it_misses() {
    let library = library(vec![rule(
        "e/disk",
        "device",
        "tuning",
        "warning",
        "read.rate > 1/s and (depth.p50 > 4 or write.rate > 1/s)",
        "",
    )]);
    let mut facts = host();
    facts.unknown(
        &subject(Scope::Device, "sdb"),
        &facts::DEPTH_P50,
        "the block probe was off",
    );
    let judgement = library.judge(&facts);
    let fires = find(&judgement, "e/disk", "device sda");
    let evidence: Vec<(&str, &str, Option<u64>)> = fires
        .evidence
        .iter()
        .map(|one| (one.fact.as_str(), one.value.as_str(), one.n))
        .collect();
    // depth.p50 is unknown and did not decide.
    assert_eq!(
        evidence,
        [
            ("read.rate", "100 /s", Some(1000)),
            ("write.rate", "50 /s", Some(1000))
        ]
    );
    let abstains = find(&judgement, "e/disk", "device sdb");
    assert_eq!(abstains.state, State::InsufficientEvidence);
    assert_eq!(abstains.missing, ["depth.p50: the block probe was off"]);
    assert!(abstains.apply.is_empty());
}

#[test]
fn a_hole_without_a_value_abstains_and_prints_nothing_empty() {
    let mut source = rule(
        "h/disk",
        "device",
        "tuning",
        "warning",
        "read.rate > 1/s",
        "",
    );
    source.text = source
        .text
        .replace("Reason of h/disk.", "Depth is {depth.p50} on {device}.");
    let judgement = library(vec![source]).judge(&host());
    let found = find(&judgement, "h/disk", "device sda");
    assert_eq!(found.state, State::InsufficientEvidence);
    assert_eq!(
        found.missing,
        [
            "depth.p50: not measured",
            "{device}: device sda has no such word"
        ]
    );
}

#[test]
fn a_command_that_becomes_forbidden_once_filled_is_not_given() {
    let mut source = rule(
        "f/disk",
        "device",
        "tuning",
        "warning",
        "read.rate > 1/s",
        "",
    );
    source.text = source.text.replace(
        "undo = [\"true\"]",
        "undo = [\"echo {device.write_cache} > /sys/block/{device}/queue/write_cache\"]",
    );
    let library = library(vec![source]);
    let mut facts = host();
    for (disk, cache) in [("sda", "write through"), ("sdb", "write back")] {
        let disk = subject(Scope::Device, disk);
        facts.word(&disk, "device", &disk.name);
        let cache = Measured::set(Value::Text(cache.to_owned()), "sysfs");
        facts.put(&disk, &facts::DEVICE_WRITE_CACHE, cache);
    }
    let judgement = library.judge(&facts);
    let back = find(&judgement, "f/disk", "device sdb");
    assert_eq!(
        back.undo,
        ["echo 'write back' > /sys/block/sdb/queue/write_cache"]
    );
    let through = find(&judgement, "f/disk", "device sda");
    assert!(through.undo.is_empty());
    assert!(
        through
            .advice
            .as_ref()
            .unwrap()
            .contains("An undo is not offered")
    );
}
