//! Which test programs the workspace has, by tier: `live_*` needs the kernel, the rest does not.

use crate::step::Step;
use crate::tree::Tree;
use anyhow::{Context, Result};
use serde_json::Value;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Targets {
    pub(crate) unit: Vec<String>,
    pub(crate) live: Vec<String>,
}

impl Targets {
    pub(crate) fn read(tree: &Tree) -> Result<Self> {
        let metadata = Step::new(tree.cargo())
            .args(["metadata", "--no-deps", "--format-version", "1"])
            .read()?;
        let metadata = serde_json::from_str(&metadata).context("reading cargo's metadata")?;
        Ok(Self::from_metadata(&metadata))
    }

    fn from_metadata(metadata: &Value) -> Self {
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let mut names: Vec<_> = list(&metadata["packages"])
            .iter()
            .flat_map(|package| list(&package["targets"]))
            .filter(|target| list(&target["kind"]).iter().any(|kind| kind == "test"))
            .filter_map(|target| target["name"].as_str().map(str::to_owned))
            .collect();
        names.sort();
        names.dedup();
        let (live, unit) = names
            .into_iter()
            .partition(|name| name.starts_with("live_"));
        Self { unit, live }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn integration_tests_are_told_apart_by_name() {
        let metadata = json!({ "packages": [
            { "targets": [ { "kind": ["lib"], "name": "profiler" }, { "kind": ["test"], "name": "live_block" } ] },
            { "targets": [ { "kind": ["test"], "name": "walls" }, { "kind": ["test"], "name": "cli" } ] },
        ]});
        assert_eq!(
            Targets::from_metadata(&metadata),
            Targets {
                unit: vec!["cli".to_owned(), "walls".to_owned()],
                live: vec!["live_block".to_owned()],
            }
        );
        assert_eq!(Targets::from_metadata(&json!(null)), Targets::default());
    }
}
