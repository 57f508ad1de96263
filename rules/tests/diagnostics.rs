//! What people see when a rule file is wrong: each diagnostic, as it is printed.
//!
//! Every broken file is the good one of `tests/ui/base.txt` with one thing changed.

use proptest::prelude::*;
use rules::Library;
use rules::diagnostic::Source;

const BASE: &str = include_str!("ui/base.txt");

fn source(id: &str, text: String) -> Source {
    Source {
        id: id.to_owned(),
        path: format!("my-rules/{id}.toml"),
        text,
    }
}

/// What is said about the good file with `from` replaced.
fn said(from: &str, to: &str) -> String {
    assert!(BASE.contains(from), "{from}");
    let broken = source("mount/atime", BASE.replacen(from, to, 1));
    match Library::load([broken]) {
        Ok(_) => panic!("{to:?} was accepted"),
        Err(errors) => errors.to_string(),
    }
}

#[test]
fn the_file_without_a_change_is_good() {
    let library = Library::load([source("mount/atime", BASE.to_owned())]);
    assert!(library.is_ok(), "{}", library.unwrap_err());
}

macro_rules! diagnostics {
    ($($name:ident: $from:expr => $to:expr;)*) => {
        $(#[test] fn $name() { insta::assert_snapshot!(stringify!($name), said($from, $to)); })*
    };
}

diagnostics! {
    no_toml: "title = " => "title ";
    unknown_key: "healthy = " => "helthy = ";
    missing_key: "severity = \"warning\"\n" => "";
    unknown_value_of_a_key: "\"tuning\"" => "\"tuneup\"";
    unknown_fact: "sync.p99 > 4ms" => "sync.p98x > 4ms";
    wrong_unit: "sync.p99 > 4ms" => "sync.p99 > 4KiB";
    unclosed_parenthesis: "sync.p99 > 4ms" => "(sync.p99 > 4ms";
    unknown_unit: "> 4ms" => "> 4msecs";
    fact_out_of_reach: "sync.p99 > 4ms'" => "db.fsync'";
    let_that_is_wrong: "2 * sync.p99" => "2 * sync.p99 + 4KiB";
    let_that_cannot_be_named: "twice =" => "mount =";
    missing_case: "state = \"insufficient-evidence\"" => "state = \"no-change-needed\"";
    wrong_value_of_a_case: "\"9ms\"" => "\"9KiB\"";
    unknown_fact_of_a_case: "\"sync.p99\" = \"9ms\"" => "\"sync.p98x\" = \"9ms\"";
    bare_number_of_a_case: "\"9ms\"" => "9";
    forbidden_command: "remount,relatime {mount}" => "remount,nobarrier {mount}";
    forbidden_undo: "remount,strictatime {mount}" => "remount,barrier=0 {mount}";
    forbidden_advice: "Mount it relatime." => "Turn fsync off.";
    missing_undo: "undo = [\"mount -o remount,strictatime {mount}\"]\n" => "";
    missing_undo_of_a_file: "apply = [\"mount -o remount,relatime {mount}\"]\nundo = [\"mount -o remount,strictatime {mount}\"]\n" => "persist = [\"in /etc/fstab, add relatime for {mount}\"]\n";
    bad_placeholder: "{mount} has" => "{mout} has";
    placeholder_never_closed: "{fs.atime} access" => "{fs.atime access";
    plain_braces: "Mount it relatime." => "ATTR{queue/x} relatime.";
    wrong_style: "{sync.p99}" => "{sync.p99:KiB}";
    number_without_unit_in_a_command: "strictatime {mount}" => "commit={sync.p99} {mount}";
    loss_that_is_not_named: "risk = \"none\"" => "risk = \"durability\"";
    unknown_expectation: "fact = \"sync.p99\"" => "fact = \"sync.p9\"";
    expectation_that_cannot_move: "fact = \"sync.p99\"" => "fact = \"fs.atime\"";
    unknown_rule: "sources =" => "silenced_by = [\"mount/atme\"]\nsources =";
    several_mistakes: "sync.p99 > 4ms'\nbecause = \"{mount}" => "sync.p99 > 4'\nbecause = \"{mont}";
}

#[test]
fn duplicate_id() {
    let mut other = source("mount/atime", BASE.to_owned());
    other.path = "library/mount/atime.toml".to_owned();
    let errors = Library::load([other, source("mount/atime", BASE.to_owned())]).unwrap_err();
    insta::assert_snapshot!("duplicate_id", errors.to_string());
}

#[test]
fn bad_id() {
    let errors = Library::load([source("Atime", BASE.to_owned())]).unwrap_err();
    insta::assert_snapshot!("bad_id", errors.to_string());
}

#[test]
fn circle_of_silence() {
    let with = |id: &str, by: &str| {
        let key = format!("silenced_by = [\"{by}\"]\nsources =");
        source(id, BASE.replacen("sources =", &key, 1))
    };
    let errors = Library::load([with("m/a", "m/b"), with("m/b", "m/a")]).unwrap_err();
    insta::assert_snapshot!("circle_of_silence", errors.to_string());
}

/// A real rule file with some bytes changed, cut or doubled.
fn corrupted() -> impl Strategy<Value = String> {
    const REAL: &str = include_str!("library/readahead/short-of-stripe.toml");
    const NOISE: &[&str] = &[
        "",
        "\"",
        "'",
        "{",
        "}",
        "[",
        "]",
        "=",
        "\n",
        "\u{0}",
        "\u{e9}",
        "\u{1f4be}",
        "\t",
        "\r",
        "9",
        "(",
        "#",
        "when",
        "\"\"\"",
        "4KiB",
        " and ",
        "\\u0041",
        "[[case]]\n",
    ];
    let edit = (
        any::<prop::sample::Index>(),
        0usize..12,
        prop::sample::select(NOISE),
    );
    prop::collection::vec(edit, 1..6).prop_map(|edits| {
        let mut text = REAL.to_owned();
        for (at, length, noise) in edits {
            let start = text.floor_char_boundary(at.index(text.len() + 1));
            let end = text.ceil_char_boundary((start + length).min(text.len()));
            text.replace_range(start..end, noise);
        }
        text
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn a_corrupted_rule_is_refused_at_a_place_or_read(text in corrupted()) {
        let lines = text.lines().count().max(1) + 1;
        match Library::load([source("readahead/short", text)]) {
            Ok(library) => drop(library.test()),
            Err(errors) => {
                let printed = errors.to_string();
                prop_assert!(!errors.diagnostics().is_empty());
                for diagnostic in errors.diagnostics() {
                    let (line, column) = diagnostic.position();
                    prop_assert!(line >= 1 && line <= lines && column >= 1);
                    let place = format!("{}:{line}:{column}", diagnostic.path());
                    prop_assert!(printed.contains(&place), "{place} is not in:\n{printed}");
                }
            }
        }
    }

    #[test]
    fn any_text_is_refused_or_read(text in "\\PC{0,200}") {
        if let Err(errors) = Library::load([source("any/text", text)]) {
            prop_assert!(errors.to_string().contains("my-rules/any/text.toml:"));
        }
    }
}
