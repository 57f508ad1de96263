//! `iosage rules` as people run it.

#![expect(clippy::unwrap_used, reason = "what is missing fails the test")]

use std::path::Path;
use std::process::{Command, Output};

fn iosage(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_iosage"))
        .args(arguments)
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A folder with one rule, whose condition is given.
fn folder(when: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine/rule.toml");
    std::fs::create_dir(file.parent().unwrap_or(Path::new("."))).unwrap();
    let rule = format!(
        r#"title = "Mine"
scope = "device"
kind = "note"
severity = "notice"
risk = "none"
when = '{when}'
because = "{{device}} is busy for {{device.busy}}."
sources = ["test"]
[[case]]
name = "fires"
given = {{ "device.busy" = "90%" }}
state = "recommend"
says = "90 %"
[[case]]
name = "is silent"
given = {{ "device.busy" = "10%" }}
state = "no-change-needed"
[[case]]
name = "abstains"
state = "insufficient-evidence"
"#
    );
    std::fs::write(file, rule).unwrap();
    folder
}

#[test]
fn the_rules_of_a_folder_are_listed_shown_and_tested_with_the_built_in_ones() {
    let folder = folder("device.busy > 50%");
    let path = folder.path().to_str().unwrap();
    let listed = iosage(&["rules", "list", "--format", "json", "--rules", path]);
    let rules: Vec<serde_json::Value> = serde_json::from_slice(&listed.stdout).unwrap();
    assert!(
        rules
            .iter()
            .any(|rule| rule["id"] == "mine/rule" && rule["kind"] == "note")
    );
    let shown = iosage(&["rules", "show", "mine/rule", "--rules", path]);
    assert!(text(&shown.stdout).contains("device.busy > 50%"));
    let tested = iosage(&["rules", "test", "--rules", path]);
    assert_eq!(tested.status.code(), Some(0), "{}", text(&tested.stdout));
    assert!(text(&tested.stdout).ends_with(" passed, 0 failed\n"));
}

#[test]
fn a_wrong_rule_exits_with_2_and_names_its_place() {
    let folder = folder("device.busy > 50ms");
    let path = folder.path().to_str().unwrap();
    let checked = iosage(&["rules", "check", "--rules", path]);
    assert_eq!(checked.status.code(), Some(2));
    assert!(
        text(&checked.stderr).contains("mine/rule.toml:6:23"),
        "{}",
        text(&checked.stderr)
    );
    let checked = iosage(&["rules", "check", "--rules", path, "--format", "json"]);
    assert_eq!(checked.status.code(), Some(2));
    let report: serde_json::Value = serde_json::from_slice(&checked.stdout).unwrap();
    let mistake = &report["mistakes"][0];
    assert_eq!(
        (&mistake["line"], &mistake["column"]),
        (&6.into(), &23.into())
    );
}

#[test]
fn a_failing_case_exits_with_2_and_is_named() {
    let folder = folder("device.busy > 95%");
    let path = folder.path().to_str().unwrap();
    let tested = iosage(&["rules", "test", "--rules", path]);
    assert_eq!(tested.status.code(), Some(2));
    assert!(text(&tested.stdout).contains("mine/rule, case \"fires\": came to NoChangeNeeded"));
}

#[test]
fn an_unknown_rule_exits_with_2_and_a_suggestion() {
    let folder = folder("device.busy > 50%");
    let path = folder.path().to_str().unwrap();
    let shown = iosage(&["rules", "show", "mine/rul", "--rules", path]);
    assert_eq!(shown.status.code(), Some(2));
    assert!(text(&shown.stderr).contains("did you mean `mine/rule`?"));
}

#[test]
fn the_reference_of_facts_is_printed() {
    let printed = iosage(&["rules", "docs", "facts"]);
    assert!(text(&printed.stdout).starts_with("# Facts\n"));
}
