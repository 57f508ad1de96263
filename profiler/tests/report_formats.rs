//! The formats for reading and for programs, as they are written for the demonstration.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "report_demo/demo.rs"]
mod demo;

use profiler::report::json::shape::ReportJson;
use profiler::report::{self, Page};
use serde_json::Value;

fn written(name: &str, page: Page) -> String {
    let mut report = demo::report();
    report.page = page;
    let mut out = Vec::new();
    let format = report::by_name(name).unwrap();
    format.write(&report, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn text_for_a_terminal_of_80_columns() {
    let text = written("text", Page::default());
    insta::assert_snapshot!(text);
    assert!(!text.contains('\x1b'));
    // Only commands, which must stay whole, may be wider than the terminal.
    for line in text.lines().filter(|line| line.chars().count() > 80) {
        assert!(line.starts_with("    "), "{line}");
    }
}

#[test]
fn text_for_a_wide_terminal_with_colour() {
    let text = written(
        "text",
        Page {
            width: 132,
            colour: true,
        },
    );
    assert!(text.contains("\x1b[1;33m▲ WARNING\x1b[0m"));
    assert!(text.lines().any(|line| line.chars().count() > 100));
}

#[test]
fn markdown() {
    insta::assert_snapshot!(written("markdown", Page::default()));
}

#[test]
fn folded_stacks() {
    insta::assert_snapshot!(written("folded", Page::default()));
}

#[test]
fn json_for_programs() {
    insta::assert_snapshot!(written("json", Page::default()));
}

/// Checks a value against its schema as far as the report's schema goes: types, required keys,
/// references, alternatives.
fn check(value: &Value, schema: &Value, root: &Value, at: &str) {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let name = reference
            .strip_prefix("#/$defs/")
            .expect("local references");
        return check(value, &root["$defs"][name], root, at);
    }
    if let Some(any) = schema.get("anyOf").and_then(Value::as_array) {
        let null = |schema: &Value| schema["type"] == "null";
        let chosen = any.iter().find(|schema| null(schema) == value.is_null());
        return check(value, chosen.expect("a matching alternative"), root, at);
    }
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(n) if n.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let allowed = |word: &Value| word == kind || (kind == "integer" && word == "number");
    match &schema["type"] {
        Value::Array(words) => assert!(words.iter().any(allowed), "{at}: {kind}"),
        Value::Null => {}
        word => assert!(allowed(word), "{at}: {kind}, not {word}"),
    }
    for key in schema["required"].as_array().into_iter().flatten() {
        let key = key.as_str().unwrap();
        assert!(value.get(key).is_some(), "{at}: {key} is missing");
    }
    if let (Some(object), Some(properties)) = (value.as_object(), schema["properties"].as_object())
    {
        for (key, value) in object {
            let schema = properties
                .get(key)
                .unwrap_or_else(|| panic!("{at}: {key} is not in the schema"));
            check(value, schema, root, &format!("{at}.{key}"));
        }
    }
    if let Some(items) = schema.get("items") {
        for (index, value) in value.as_array().into_iter().flatten().enumerate() {
            check(value, items, root, &format!("{at}[{index}]"));
        }
    }
}

#[test]
fn json_has_the_shape_of_its_schema() {
    let schema = serde_json::to_value(schemars::schema_for!(ReportJson)).unwrap();
    let value: Value = serde_json::from_str(&written("json", Page::default())).unwrap();
    check(&value, &schema, &schema, "report");
    let keys: Vec<&str> = [
        "tool", "host", "window", "devices", "journals", "fsync", "workload", "findings",
        "verdict", "probes", "losses", "own_cost",
    ]
    .into();
    for key in keys {
        assert!(!value[key].is_null(), "{key}");
    }
}

/// Every object with a null number says why.
#[test]
fn a_null_in_the_json_has_its_reason_beside_it() {
    fn walk(value: &Value, at: &str) {
        match value {
            Value::Object(object) => {
                let quantiles = object
                    .iter()
                    .any(|(key, value)| key.starts_with("p50") && value.is_null());
                if quantiles {
                    assert!(object["reason"].is_string(), "{at}");
                }
                object
                    .iter()
                    .for_each(|(key, value)| walk(value, &format!("{at}.{key}")));
            }
            Value::Array(items) => items.iter().for_each(|value| walk(value, at)),
            _ => {}
        }
    }
    let value: Value = serde_json::from_str(&written("json", Page::default())).unwrap();
    walk(&value, "report");
    let mut devices = value["devices"].as_array().unwrap().iter();
    let device = devices.find(|device| device["name"] == "loop0").unwrap();
    let queue = &device["ops"]["flush"]["spans"]["queue"];
    assert!(
        queue["n"].is_null() && queue["reason"].is_string(),
        "{queue}"
    );
}

#[test]
fn the_flame_graph_is_a_picture_that_says_it_is_an_estimate() {
    let svg = written("svg", Page::default());
    assert!(svg.contains("estimate") && svg.contains("1,087 samples"));
    assert!(svg.contains("CDDL-1.0"));
    assert!(svg.contains("blk_mq_submit_bio"));
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("flame.svg");
    std::fs::write(path, svg).unwrap();
}
