//! The expression language: precedence, units, three-valued logic, explanations, and that no text
//! makes it panic.

use proptest::prelude::*;
use rules::facts::{self, Fact, Facts, Measured, Scope, Subject, Type, Unit, Value};
use rules::lang::{Expression, Kind, Names, Outcome, Scene};

const NAMES: Names<'_> = Names {
    scope: Scope::Filesystem,
    lets: &[],
};

fn subject() -> Subject {
    Subject {
        scope: Scope::Filesystem,
        name: "/db".to_owned(),
    }
}

fn compile(text: &str) -> Expression {
    Expression::compile(text, &NAMES).unwrap_or_else(|error| panic!("{text}: {error:?}"))
}

fn with(given: &[(&Fact, Value)]) -> Facts {
    let mut facts = Facts::new(60_000_000_000);
    let device = Subject {
        scope: Scope::Device,
        name: "sda".to_owned(),
    };
    facts.relate(&subject(), &device);
    for (fact, value) in given {
        let holder = if fact.scope == Scope::Device {
            &device
        } else {
            &subject()
        };
        facts.put(holder, fact, Measured::set(value.clone(), "test"));
    }
    facts
}

fn evaluate(text: &str, facts: &Facts) -> Outcome {
    compile(text).evaluate(&Scene::new(facts, &subject()))
}

/// `Some(true)`, `Some(false)` or unknown.
fn truth(text: &str, facts: &Facts) -> Option<bool> {
    match evaluate(text, facts) {
        Ok(Value::Bool(value)) => Some(value),
        Ok(other) => panic!("{text} is {other:?}"),
        Err(_) => None,
    }
}

fn number(text: &str) -> f64 {
    match evaluate(text, &with(&[])) {
        Ok(Value::Number(number)) => number,
        other => panic!("{text} is {other:?}"),
    }
}

fn refusal(text: &str) -> (String, String, Option<String>) {
    let error = Expression::condition(text, &NAMES).expect_err(text);
    (
        text[error.span.clone()].to_owned(),
        error.message,
        error.help,
    )
}

#[test]
fn operators_bind_as_in_mathematics() {
    assert_eq!(number("2 + 3 * 4"), 14.0);
    assert_eq!(number("(2 + 3) * 4"), 20.0);
    assert_eq!(number("10 - 4 - 3"), 3.0);
    assert_eq!(number("-2 * 3"), -6.0);
    let none = with(&[]);
    assert_eq!(truth("true or false and false", &none), Some(true));
    assert_eq!(truth("not false and false", &none), Some(false));
    assert_eq!(truth("not 1 == 2", &none), Some(true));
    assert_eq!(truth("(1 < 2) == true", &none), Some(true));
    assert_eq!(
        truth("\"a\" not in [\"b\", \"c\"] and 3 in [1, 2, 3]", &none),
        Some(true)
    );
}

#[test]
fn functions_do_what_they_say() {
    assert_eq!(number("min(3, 1, 2)"), 1.0);
    assert_eq!(number("max(3ms, 1s, 2ms)"), 1e9);
    assert_eq!(number("abs(-4KiB)"), 4096.0);
    assert_eq!(number("clamp(9, 1, 5)"), 5.0);
    // Crossed bounds: the upper one wins, and nothing panics.
    assert_eq!(number("clamp(9, 7, 5)"), 5.0);
}

#[test]
fn units_multiply_and_divide() {
    use Unit::{Count, Duration, Rate, Ratio, Size, Throughput};
    for (text, unit, value) in [
        ("4KiB * 100/s", Throughput, 409_600.0),
        ("100/s * 4KiB", Throughput, 409_600.0),
        ("1MiB / 500ms", Throughput, 2_097_152.0),
        ("10 / 2s", Rate, 5.0),
        ("3MiB/s * 2s", Size, 6_291_456.0),
        ("3MiB/s / 3/s", Size, 1_048_576.0),
        ("6MiB / 3MiB/s", Duration, 2e9),
        ("100/s * 20ms", Count, 2.0),
        ("10 / 100/s", Duration, 1e8),
        ("3MiB/s / 1MiB", Rate, 3.0),
        ("1MiB / 4KiB", Ratio, 256.0),
        ("2 * 4ms", Duration, 8e6),
        ("50% * 8KiB", Size, 4096.0),
        ("50% * 50%", Ratio, 0.25),
    ] {
        let kind = compile(text).kind();
        assert_eq!(kind, Kind::Number(unit), "{text}");
        assert_eq!(number(text), value, "{text}");
    }
    assert_eq!(compile("2 * 3 / 4").kind(), Kind::Plain);
}

#[test]
fn a_slash_before_a_name_divides() {
    assert_eq!(compile("8/sync.rate").kind(), Kind::Number(Unit::Duration));
    assert_eq!(compile("sync.rate > 8/s").kind(), Kind::Bool);
}

#[test]
fn wrong_texts_are_refused_at_their_place() {
    for (text, place, message, help) in [
        (
            "sync.p99 > 4KiB",
            "4KiB",
            "this is a size, but the left side is a duration",
            None,
        ),
        (
            "sync.p99 > 4",
            "4",
            "this is a plain number, but the left side is a duration",
            Some("give the number a unit, like 4ms"),
        ),
        (
            "sinc.p99 > 4ms",
            "sinc.p99",
            "unknown fact `sinc.p99`",
            Some("did you mean `sync.p99`?"),
        ),
        ("sync.p99 > 4msec", "msec", "unknown unit `msec`", None),
        (
            "read.size.p50 > 4KB",
            "KB",
            "unknown unit `KB`",
            Some("did you mean `KiB`?"),
        ),
        (
            "(sync.rate > 4/s",
            "(",
            "this parenthesis is never closed",
            None,
        ),
        (
            "sync.rate > 4/s and",
            "",
            "an operand is needed here, but the text ends",
            None,
        ),
        (
            "sync.rate",
            "sync.rate",
            "a condition is needed here, but this is a rate",
            None,
        ),
        (
            "fs.type = \"ext4\"",
            "=",
            "`=` means nothing here",
            Some("write `==`"),
        ),
        (
            "fs.discard && true",
            "&&",
            "`&&` means nothing here",
            Some("write `and`"),
        ),
        (
            "fs.type == \"ext4",
            "\"ext4",
            "this text is never closed",
            None,
        ),
        (
            "1 < 2 < 3",
            "<",
            "comparisons do not chain",
            Some("write `a < b and b < c`"),
        ),
        (
            "fs.type in \"ext4\"",
            "\"ext4\"",
            "a list is needed after `in`",
            None,
        ),
        (
            "fs.type in [\"ext4\", 4]",
            "4",
            "this is a plain number, but what is looked for is text",
            None,
        ),
        (
            "mim(1, 2) > 1",
            "mim",
            "unknown function `mim`",
            Some("did you mean `min`?"),
        ),
        (
            "sync.rate * sync.rate > 1",
            "sync.rate * sync.rate",
            "a rate cannot be multiplied by a rate",
            None,
        ),
        (
            "db.fsync",
            "db.fsync",
            "`db.fsync` is about the database, which a rule about the filesystem cannot see",
            None,
        ),
        (
            "fs.discard fs.barrier",
            "fs.barrier",
            "an operator or the end is needed here",
            None,
        ),
        (
            "known(1)",
            "known(1)",
            "known() takes the name of one fact",
            None,
        ),
        (
            "not sync.rate",
            "sync.rate",
            "a condition is needed here, but this is a rate",
            None,
        ),
        ("", "", "there is no expression here", None),
    ] {
        let (at, what, helped) = refusal(text);
        assert_eq!((at.as_str(), what.as_str()), (place, message), "{text}");
        if let Some(help) = help {
            assert_eq!(helped.as_deref(), Some(help), "{text}");
        }
    }
}

#[test]
fn deep_and_long_texts_are_refused_not_followed() {
    for text in [
        "(".repeat(3000),
        "not ".repeat(1000),
        "-".repeat(4000),
        format!("1{}", "+1".repeat(2000)),
    ] {
        let error = Expression::compile(&text, &NAMES).expect_err("too deep");
        assert!(
            error.message.contains("nested") || error.message.contains("needed"),
            "{error:?}"
        );
    }
    let long = "1 ".repeat(4096);
    assert!(Expression::compile(&long, &NAMES).is_err());
}

#[test]
fn division_by_zero_and_overflow_are_unknown_with_a_reason() {
    let facts = with(&[(&facts::SYNC_RATE, Value::Number(0.0))]);
    let missing = evaluate("1 / sync.rate > 4ms", &facts).unwrap_err();
    assert_eq!(
        (missing[0].what.as_str(), missing[0].why.as_str()),
        ("`1 / sync.rate`", "it divides by zero")
    );
    let huge = format!("1{}", "0".repeat(200));
    let missing = evaluate(&format!("{huge} * {huge} > 1"), &facts).unwrap_err();
    assert_eq!(missing[0].why, "it is not a finite number");
}

#[test]
fn known_is_never_unknown() {
    let none = with(&[]);
    assert_eq!(truth("known(sync.p99)", &none), Some(false));
    assert_eq!(
        truth("known(sync.p99) and sync.p99 > 4ms", &none),
        Some(false)
    );
    let some = with(&[(&facts::SYNC_P99, Value::Number(5e6))]);
    assert_eq!(
        truth("known(sync.p99) and sync.p99 > 4ms", &some),
        Some(true)
    );
}

/// Texts of the three truth values, and the values.
const TRUTHS: [(&str, Option<bool>); 3] = [
    ("fs.discard", Some(true)),
    ("fs.barrier", Some(false)),
    ("fs.journal", None),
];

fn truths() -> Facts {
    with(&[
        (&facts::FS_DISCARD, Value::Bool(true)),
        (&facts::FS_BARRIER, Value::Bool(false)),
    ])
}

#[test]
fn and_or_not_follow_kleene() {
    let facts = truths();
    let and = |a: Option<bool>, b: Option<bool>| match (a, b) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    };
    for (a, va) in TRUTHS {
        assert_eq!(
            truth(&format!("not {a}"), &facts),
            va.map(|v| !v),
            "not {a}"
        );
        for (b, vb) in TRUTHS {
            assert_eq!(
                truth(&format!("{a} and {b}"), &facts),
                and(va, vb),
                "{a} and {b}"
            );
            let or = and(va.map(|v| !v), vb.map(|v| !v)).map(|v| !v);
            assert_eq!(truth(&format!("{a} or {b}"), &facts), or, "{a} or {b}");
        }
    }
}

#[test]
fn the_explanation_names_what_decided() {
    let facts = with(&[
        (&facts::FS_ATIME, Value::Text("strict".to_owned())),
        (&facts::SYNC_P99, Value::Number(5e6)),
    ]);
    let (subject, explain) = (subject(), |text: &str| {
        let expression = compile(text);
        let trace = expression.explain(&Scene::new(&facts, &self::subject()));
        let decided: Vec<(String, bool)> = trace
            .decided
            .into_iter()
            .map(|one| (one.text, one.holds))
            .collect();
        let missing: Vec<String> = trace.missing.into_iter().map(|one| one.what).collect();
        (decided, missing)
    });
    assert_eq!(subject.name, "/db");
    let strict = ("fs.atime == \"strict\"".to_owned(), true);
    let slow = ("sync.p99 > 4ms".to_owned(), true);
    let fast = ("sync.p99 < 4ms".to_owned(), false);
    // Both sides of a true `and`; only the false side of a false one; only what is true of an `or`.
    let (decided, _) = explain("fs.atime == \"strict\" and sync.p99 > 4ms");
    assert_eq!(decided, [strict.clone(), slow.clone()]);
    let (decided, _) = explain("fs.atime == \"strict\" and sync.p99 < 4ms");
    assert_eq!(decided, [fast]);
    let (decided, missing) = explain("fs.discard or sync.p99 > 4ms");
    assert_eq!((decided, missing.len()), (vec![slow], 0));
    // Unknown: what is missing, and nothing else.
    let (decided, missing) = explain("fs.atime == \"strict\" and fs.discard and sync.rate > 1/s");
    assert_eq!(
        (decided.len(), missing),
        (0, vec!["fs.discard".to_owned(), "sync.rate".to_owned()])
    );
}

/// Random condition trees with the value they must have.
fn condition() -> impl Strategy<Value = (String, Option<bool>)> {
    let leaf = prop::sample::select(&TRUTHS[..]).prop_map(|(text, value)| (text.to_owned(), value));
    leaf.prop_recursive(4, 24, 2, |inner| {
        prop_oneof![
            inner
                .clone()
                .prop_map(|(text, value)| (format!("not ({text})"), value.map(|v| !v))),
            (inner.clone(), inner.clone()).prop_map(|((a, va), (b, vb))| {
                let value = match (va, vb) {
                    (Some(false), _) | (_, Some(false)) => Some(false),
                    (Some(true), Some(true)) => Some(true),
                    _ => None,
                };
                (format!("({a}) and ({b})"), value)
            }),
            (inner.clone(), inner).prop_map(|((a, va), (b, vb))| {
                let value = match (va, vb) {
                    (Some(true), _) | (_, Some(true)) => Some(true),
                    (Some(false), Some(false)) => Some(false),
                    _ => None,
                };
                (format!("({a}) or ({b})"), value)
            }),
        ]
    })
}

/// Text made of the pieces of the language, so that much of it parses.
fn almost() -> impl Strategy<Value = String> {
    const PIECES: &[&str] = &[
        "sync.p99",
        "fs.type",
        "fs.discard",
        "read.size.p50",
        "4ms",
        "64KiB",
        "80%",
        "100/s",
        "1.5",
        "0",
        "\"ext4\"",
        "\"",
        "true",
        "and",
        "or",
        "not",
        "in",
        "[",
        "]",
        "(",
        ")",
        ",",
        "==",
        "!=",
        "<",
        ">=",
        "+",
        "-",
        "*",
        "/",
        "min(",
        "clamp(",
        "known(",
        "abs(",
        "\u{e9}",
        "=",
        "&&",
        "5parsecs",
        "/s",
        "..",
    ];
    prop::collection::vec(prop::sample::select(PIECES), 0..24).prop_map(|pieces| pieces.join(" "))
}

fn exercise(text: &str) {
    let facts = with(&[
        (&facts::SYNC_P99, Value::Number(5e6)),
        (&facts::FS_TYPE, Value::Text("ext4".to_owned())),
    ]);
    match Expression::compile(text, &NAMES) {
        Ok(expression) => {
            let subject = subject();
            let scene = Scene::new(&facts, &subject);
            match expression.evaluate(&scene) {
                Ok(value) => assert!(value.is(expression.kind().as_type()), "{text}: {value:?}"),
                Err(missing) => assert!(!missing.is_empty(), "{text}"),
            }
            expression.explain(&scene);
        }
        Err(error) => {
            assert!(text.get(error.span.clone()).is_some(), "{text}: {error:?}");
            assert!(!error.message.is_empty());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_text_is_answered_or_refused(text in "\\PC{0,60}") {
        exercise(&text);
    }

    #[test]
    fn almost_any_expression_is_answered_or_refused(text in almost()) {
        exercise(&text);
    }

    #[test]
    fn nested_logic_follows_kleene((text, value) in condition()) {
        prop_assert_eq!(truth(&text, &truths()), value, "{}", text);
    }

    #[test]
    fn swapping_sides_changes_nothing((a, _) in condition(), (b, _) in condition()) {
        let facts = truths();
        for operator in ["and", "or"] {
            let one = truth(&format!("({a}) {operator} ({b})"), &facts);
            let other = truth(&format!("({b}) {operator} ({a})"), &facts);
            prop_assert_eq!(one, other);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn units_cancel(a in 1u32..1_000_000, b in 1u32..1_000_000) {
        const UNITS: [&str; 6] = ["", "%", "ms", "KiB", "/s", "KiB/s"];
        let close = |x: f64, y: f64| (x - y).abs() <= 1e-9 * x.abs().max(y.abs());
        for one in UNITS {
            for other in UNITS {
                // (a * b) / b is a again, in value and in kind, whenever the product has a unit.
                let product = format!("{a}{one} * {b}{other}");
                let Ok(product_kind) = Expression::compile(&product, &NAMES).map(|e| e.kind()) else {
                    continue;
                };
                let flipped = compile(&format!("{b}{other} * {a}{one}"));
                prop_assert_eq!(flipped.kind(), product_kind);
                let whole = format!("({product}) / {b}{other}");
                let back = compile(&whole);
                let plain = compile(&format!("{a}{one}"));
                let count = |kind: Kind| matches!(kind.as_type(), Type::Number(Unit::Count | Unit::Ratio));
                prop_assert!(back.kind() == plain.kind() || count(back.kind()) && count(plain.kind()), "{}", whole);
                prop_assert!(close(number(&whole), number(&format!("{a}{one}"))), "{}", whole);
            }
        }
    }
}
