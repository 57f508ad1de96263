//! `iosage rules`: what the advisor knows, and whether a rule of one's own is right.

use super::say;
use crate::exit::Outcome;
use anyhow::{Context, Result, bail};
use clap::{Subcommand, ValueEnum};
use rules::diagnostic::Diagnostic;
use rules::source::LoadError;
use rules::{Library, Rule};
use serde::Serialize;
use serde_json::{Value, json};
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List all rules in order of precedence
    List {
        #[command(flatten)]
        library: Files,
        #[arg(long, value_enum, default_value = "text")]
        format: Format,
    },
    /// Show one rule with everything that is in its file
    Show {
        /// Its id, like mount/strict-atime
        id: String,
        #[command(flatten)]
        library: Files,
        #[arg(long, value_enum, default_value = "text")]
        format: Format,
    },
    /// Check that all rules can be used, and say what is wrong where
    Check {
        #[command(flatten)]
        library: Files,
        #[arg(long, value_enum, default_value = "text")]
        format: Format,
    },
    /// Run the test cases in the rule files
    Test {
        #[command(flatten)]
        library: Files,
        #[arg(long, value_enum, default_value = "text")]
        format: Format,
    },
    /// Print the reference of all rules or all facts as Markdown
    Docs {
        #[arg(value_enum)]
        what: Docs,
        #[command(flatten)]
        library: Files,
    },
}

#[derive(Debug, clap::Args)]
struct Files {
    /// Add the rules of a folder (AREA/RULE.toml) to the built-in ones
    #[arg(long = "rules", value_name = "DIR")]
    folders: Vec<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Docs {
    Rules,
    Facts,
}

pub fn run(args: Args) -> Result<Outcome> {
    match args.command {
        Command::List { library, format } => list(&library.load()?, format),
        Command::Show {
            id,
            library,
            format,
        } => show(&library.load()?, &id, format),
        Command::Check { library, format } => check(library.load(), format),
        Command::Test { library, format } => test(&library.load()?, format),
        Command::Docs { what, library } => {
            let text = match what {
                Docs::Rules => rules::docs::rules(&library.load()?),
                Docs::Facts => rules::docs::facts(),
            };
            print(&text)
        }
    }
}

impl Files {
    fn load(&self) -> Result<Library, LoadError> {
        Library::with_dirs(&self.folders)
    }
}

fn list(library: &Library, format: Format) -> Result<Outcome> {
    if format == Format::Json {
        let rules: Vec<Value> = library.rules().iter().map(summary).collect();
        return print_json(&rules);
    }
    let mut table = comfy_table::Table::new();
    table.load_style(comfy_table::presets::NOTHING);
    table.set_header(["ID", "KIND", "SEVERITY", "SCOPE", "TITLE"]);
    for rule in library.rules() {
        let kind = word(&rule.kind)?;
        let severity = word(&rule.severity)?;
        table.add_row([&rule.id, &kind, &severity, rule.scope.name(), &rule.title]);
    }
    print(&format!("{}\n", table.trim_fmt()))
}

fn show(library: &Library, id: &str, format: Format) -> Result<Outcome> {
    let Some(rule) = library.rule(id) else {
        let help = library.did_you_mean(id).map(|help| format!("; {help}"));
        let all = "; `iosage rules list` shows all".to_owned();
        bail!("there is no rule `{id}`{}", help.unwrap_or(all));
    };
    match format {
        Format::Text => print(&format!(
            "# {}: {}\n\n{}",
            rule.id,
            rule.path(),
            rule.text()
        )),
        Format::Json => {
            let mut value = summary(rule);
            let facts: Vec<&str> = rule.facts().into_iter().map(|fact| fact.name).collect();
            value["when"] = json!(rule.when());
            value["facts"] = json!(facts);
            value["sources"] = json!(rule.sources);
            value["text"] = json!(rule.text());
            print_json(&value)
        }
    }
}

/// Loading checks everything.
fn check(loaded: Result<Library, LoadError>, format: Format) -> Result<Outcome> {
    if let (Err(LoadError::Wrong(errors)), Format::Json) = (&loaded, format) {
        let mistakes: Vec<Value> = errors.diagnostics().iter().map(mistake).collect();
        print_json(&json!({ "mistakes": mistakes }))?;
        bail!("{} mistakes in rule files", mistakes.len());
    }
    let library = loaded?;
    let rules = library.rules().len();
    let cases: usize = library.rules().iter().map(Rule::case_count).sum();
    match format {
        Format::Text => print(&format!("{rules} rules with {cases} cases are right\n")),
        Format::Json => print_json(&json!({ "rules": rules, "cases": cases, "mistakes": [] })),
    }
}

fn mistake(diagnostic: &Diagnostic) -> Value {
    let (line, column) = diagnostic.position();
    json!({
        "path": diagnostic.path(),
        "line": line,
        "column": column,
        "message": diagnostic.message,
        "help": diagnostic.help,
    })
}

fn test(library: &Library, format: Format) -> Result<Outcome> {
    let tested = library.test();
    let failed = tested.iter().filter(|one| one.failure.is_some()).count();
    let passed = tested.len() - failed;
    match format {
        Format::Text => {
            let mut text = String::new();
            for one in &tested {
                if let Some(failure) = &one.failure {
                    text.push_str(&format!("{}, case {:?}: {failure}\n", one.rule, one.case));
                }
            }
            print(&format!("{text}{passed} passed, {failed} failed\n"))?;
        }
        Format::Json => {
            let cases: Vec<Value> = tested
                .iter()
                .map(|one| json!({ "rule": one.rule, "case": one.case, "failure": one.failure }))
                .collect();
            print_json(&json!({ "passed": passed, "failed": failed, "cases": cases }))?;
        }
    }
    match failed {
        0 => Ok(Outcome::Fine),
        1 => bail!("one case of the rules failed"),
        n => bail!("{n} cases of the rules failed"),
    }
}

fn summary(rule: &Rule) -> Value {
    json!({
        "id": rule.id,
        "title": rule.title,
        "scope": rule.scope,
        "kind": rule.kind,
        "severity": rule.severity,
        "risk": rule.risk,
        "cases": rule.case_count(),
    })
}

/// The word that rule files use for a value.
fn word(value: &impl Serialize) -> Result<String> {
    let value = serde_json::to_value(value).context("naming a value of a rule")?;
    Ok(value.as_str().unwrap_or_default().to_owned())
}

fn print_json(value: &impl Serialize) -> Result<Outcome> {
    let text = serde_json::to_string_pretty(value).context("writing JSON")?;
    print(&format!("{text}\n"))
}

fn print(text: &str) -> Result<Outcome> {
    say::out(text).map(|()| Outcome::Fine)
}
