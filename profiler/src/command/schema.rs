//! `iosage schema`: the JSON schemas (draft 2020-12) of what iosage writes, made from its own types.

use super::say;
use crate::capture::Capture;
use crate::exit::Outcome;
use crate::report::json::shape::ReportJson;
use anyhow::Result;
use schemars::{Schema, schema_for};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Of which document
    #[arg(value_enum, default_value_t = Document::Capture)]
    document: Document,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Document {
    /// The capture file
    Capture,
    /// `iosage report --format json`
    Report,
}

impl Document {
    fn schema(self) -> Schema {
        match self {
            Self::Capture => schema_for!(Capture),
            Self::Report => schema_for!(ReportJson),
        }
    }
}

pub fn run(args: Args) -> Result<Outcome> {
    let mut text = serde_json::to_string_pretty(&args.document.schema())?;
    text.push('\n');
    say::out(&text).map(|()| Outcome::Fine)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::arbitrary::{any_capture, small};
    use crate::report::Report;
    use proptest::prelude::*;
    use rules::finding::Verdict;
    use serde_json::Value;

    /// The schema that a `$ref` or an `anyOf` with null stands for, for a value that is there.
    fn resolve<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
        if let Some(Value::String(reference)) = schema.get("$ref") {
            let pointer = reference.trim_start_matches('#');
            return resolve(root, root.pointer(pointer).expect("a definition"));
        }
        match schema.get("anyOf").and_then(Value::as_array) {
            Some(any) => {
                let null = |s: &&Value| s.get("type") != Some(&Value::from("null"));
                resolve(root, any.iter().find(null).expect("something but null"))
            }
            None => schema,
        }
    }

    /// What in `value` is not as the schema says: keys, their presence, and kinds of values.
    fn faults(root: &Value, schema: &Value, value: &Value, path: &str, faults: &mut Vec<String>) {
        if value.is_null() {
            return;
        }
        let schema = resolve(root, schema);
        let types = match schema.get("type") {
            Some(Value::Array(types)) => types.clone(),
            Some(one) => vec![one.clone()],
            None => Vec::new(),
        };
        let kind = match value {
            Value::Object(_) => "object",
            Value::Array(_) => "array",
            Value::String(_) => "string",
            Value::Bool(_) => "boolean",
            Value::Number(n) if n.is_u64() || n.is_i64() => "integer",
            _ => "number",
        };
        let fits = |t: &Value| t == kind || (t == "number" && kind == "integer");
        if !types.is_empty() && !types.iter().any(fits) {
            faults.push(format!("{path}: {kind} where {types:?} belongs"));
        }
        match value {
            Value::Object(object) => {
                let properties = schema.get("properties");
                for required in schema
                    .get("required")
                    .and_then(Value::as_array)
                    .into_iter()
                    .flatten()
                {
                    let key = required.as_str().unwrap_or_default();
                    if !object.contains_key(key) {
                        faults.push(format!("{path}: no {key}"));
                    }
                }
                for (key, value) in object {
                    let known = properties.and_then(|p| p.get(key));
                    let patterns = schema.get("patternProperties").and_then(Value::as_object);
                    let pattern = patterns.and_then(|p| p.values().next());
                    let other = schema.get("additionalProperties");
                    let path = format!("{path}.{key}");
                    match known.or(pattern).or(other) {
                        Some(Value::Bool(true)) => {}
                        Some(Value::Bool(false)) | None => {
                            faults.push(format!("{path}: not in the schema"))
                        }
                        Some(schema) => self::faults(root, schema, value, &path, faults),
                    }
                }
            }
            Value::Array(values) => {
                for value in values {
                    if let Some(items) = schema.get("items") {
                        self::faults(root, items, value, &format!("{path}[]"), faults);
                    }
                }
            }
            _ => {}
        }
    }

    fn check(document: Document, value: &Value) -> Vec<String> {
        let schema = document.schema().to_value();
        let mut found = Vec::new();
        faults(&schema, &schema, value, "", &mut found);
        found
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn every_capture_is_as_its_schema_says(capture in any_capture()) {
            let value = serde_json::to_value(&capture).unwrap();
            prop_assert_eq!(check(Document::Capture, &value), Vec::<String>::new());
        }
    }

    #[test]
    fn the_report_is_as_its_schema_says() {
        let verdict = Verdict {
            kind: "k".to_owned(),
            text: "t".to_owned(),
        };
        let report = Report::new(
            small(),
            rules::Judgement {
                findings: Vec::new(),
                verdict,
            },
        );
        let value = serde_json::to_value(ReportJson::new(&report)).unwrap();
        assert_eq!(check(Document::Report, &value), Vec::<String>::new());
    }

    #[test]
    fn what_is_not_as_the_schema_says_is_seen() {
        let mut value = serde_json::to_value(small()).unwrap();
        value["slices"][0]["devices"]["8:0"]["ops"]["read"]["bytes"] = "many".into();
        value["host"]["devices"][0]["qeue"] = 1.into();
        value["meta"].as_object_mut().unwrap().remove("tool");
        let mut found = check(Document::Capture, &value);
        found.sort();
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found[0].contains(".host.devices[].qeue: not in the schema"));
        assert_eq!(found[1], ".meta: no tool");
        assert!(found[2].contains("ops.read.bytes: string where"));
    }
}
