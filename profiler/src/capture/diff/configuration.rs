//! Every scalar of two inventories that is not the same.

use crate::host::Host;
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// One value that differs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Setting {
    /// From the root of the capture; entries of lists by what names them: `host.devices[sda].queue.scheduler`.
    pub path: String,
    /// `null`: not there, or not known.
    pub a: Value,
    pub b: Value,
    /// Whether this changes by itself while the host runs: free space, pids, pressure.
    pub volatile: bool,
}

/// Compares two inventories.
pub fn settings(a: &Host, b: &Host) -> Vec<Setting> {
    // A host is plain data with text keys: it always has a JSON form.
    let (Ok(a), Ok(b)) = (serde_json::to_value(a), serde_json::to_value(b)) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    compare("host", &a, &b, &mut found);
    found
}

fn compare(path: &str, a: &Value, b: &Value, found: &mut Vec<Setting>) {
    if a == b {
        return;
    }
    let empty = Map::new();
    match (a, b) {
        (Value::Object(_) | Value::Null, Value::Object(_) | Value::Null) => {
            let (a, b) = (a.as_object(), b.as_object());
            let (a, b) = (a.unwrap_or(&empty), b.unwrap_or(&empty));
            for key in a.keys().chain(b.keys().filter(|k| !a.contains_key(*k))) {
                let (a, b) = (a.get(key), b.get(key));
                let path = format!("{path}.{}", word(key));
                compare(
                    &path,
                    a.unwrap_or(&Value::Null),
                    b.unwrap_or(&Value::Null),
                    found,
                );
            }
        }
        (Value::Array(a), Value::Array(b)) if named(a) && named(b) => {
            let (a, b) = (by_name(a), by_name(b));
            for name in a.keys().chain(b.keys().filter(|k| !a.contains_key(*k))) {
                let (a, b) = (a.get(name).copied(), b.get(name).copied());
                let path = format!("{path}[{name}]");
                compare(
                    &path,
                    a.unwrap_or(&Value::Null),
                    b.unwrap_or(&Value::Null),
                    found,
                );
            }
        }
        _ => found.push(Setting {
            path: path.to_owned(),
            a: a.clone(),
            b: b.clone(),
            volatile: is_volatile(path),
        }),
    }
}

fn word(key: &str) -> String {
    match key.contains(['.', '[', '"']) {
        true => format!("{key:?}"),
        false => key.to_owned(),
    }
}

/// What tells the entries of a list apart, whichever of these an entry has.
fn name(value: &Value) -> Option<String> {
    let text = |key: &str| value.get(key).and_then(Value::as_str);
    if let Some(path) = text("path") {
        // A cgroup may be listed for two subjects, and a limit for two devices.
        let more = text("subject").or_else(|| text("device")).unwrap_or("");
        return Some(format!("{path} {more}").trim_end().to_owned());
    }
    if let Some(kind) = text("kind") {
        let directory = text("data_directory").unwrap_or("");
        return Some(format!("{kind} {directory}").trim_end().to_owned());
    }
    let name = text("name")
        .or_else(|| text("target"))
        .or_else(|| text("what"));
    name.map(str::to_owned)
}

fn named(list: &[Value]) -> bool {
    list.iter().all(|entry| name(entry).is_some())
}

/// Two of one name (mounts over each other) are told apart by their order.
fn by_name(list: &[Value]) -> BTreeMap<String, &Value> {
    let mut entries = BTreeMap::new();
    for entry in list {
        let name = name(entry).unwrap_or_default();
        let nth = |n: usize| match n {
            1 => name.clone(),
            n => format!("{name} #{n}"),
        };
        let free = (1..).map(nth).find(|key| !entries.contains_key(key));
        entries.insert(free.unwrap_or_default(), entry);
    }
    entries
}

fn is_volatile(path: &str) -> bool {
    let last = path.rsplit('.').next().unwrap_or(path);
    path.starts_with("host.pressure_io")
        || matches!(
            last,
            "available_bytes" | "used_bytes" | "pid" | "page_tables_bytes"
        )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::arbitrary::small;
    use serde_json::json;

    #[test]
    fn every_scalar_that_differs_is_named_by_its_path() {
        let (a, mut b) = (small().host, small().host);
        assert_eq!(settings(&a, &b), []);
        b.devices.reverse();
        assert_eq!(settings(&a, &b), [], "the order of devices means nothing");
        let queue = b.devices[1].queue.as_mut().unwrap();
        queue.scheduler = Some("bfq".to_owned());
        b.sysctls
            .insert("vm.dirty_ratio".to_owned(), "5".to_owned());
        b.mounts[0].available_bytes = Some(7);
        let expected = [
            (
                "host.devices[sda].queue.scheduler",
                json!("none"),
                json!("bfq"),
                false,
            ),
            (
                "host.mounts[/].available_bytes",
                json!(null),
                json!(7),
                true,
            ),
            (
                "host.sysctls.\"vm.dirty_ratio\"",
                json!("20"),
                json!("5"),
                false,
            ),
        ];
        let found = settings(&a, &b);
        assert_eq!(found.len(), expected.len());
        for (found, (path, a, b, volatile)) in found.iter().zip(expected) {
            assert_eq!(found.path, path);
            assert_eq!((&found.a, &found.b, found.volatile), (&a, &b, volatile));
        }
    }

    #[test]
    fn a_device_that_is_gone_is_gone_with_all_its_values() {
        let (a, mut b) = (small().host, small().host);
        b.devices.pop();
        let found = settings(&a, &b);
        let paths: Vec<&str> = found.iter().map(|s| s.path.as_str()).collect();
        assert!(paths.contains(&"host.devices[dm-0].queue.scheduler"));
        assert!(
            found
                .iter()
                .all(|s| s.path.starts_with("host.devices[dm-0]."))
        );
        assert!(found.iter().all(|s| s.b.is_null()));
    }

    #[test]
    fn mounts_over_each_other_are_told_apart() {
        let (mut a, mut b) = (small().host, small().host);
        for host in [&mut a, &mut b] {
            host.mounts.push(host.mounts[0].clone());
        }
        b.mounts[1].fs = "xfs".to_owned();
        assert_eq!(settings(&a, &b)[0].path, "host.mounts[/ #2].fs");
    }
}
