//! The rules together: what one file cannot know about another is checked here.

use crate::diagnostic::{Diagnostic, Errors, Source};
use crate::judge;
use crate::rule::{Link, Rule};
use crate::suggest::did_you_mean;
use std::collections::BTreeMap;

/// A set of checked rules, in order of precedence: kind, severity, id.
#[derive(Clone, Debug)]
pub struct Library {
    rules: Vec<Rule>,
}

/// How one test of one rule went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tested {
    pub rule: String,
    pub case: String,
    /// `None`: it passed.
    pub failure: Option<String>,
}

impl Library {
    /// Checks all files together. One mistake refuses them all.
    pub fn load(sources: impl IntoIterator<Item = Source>) -> Result<Self, Errors> {
        let mut rules = Vec::new();
        let mut mistakes = Vec::new();
        for source in sources {
            match Rule::read(source) {
                Ok(rule) => rules.push(rule),
                Err(more) => mistakes.extend(more),
            }
        }
        rules.sort_by(|a: &Rule, b: &Rule| a.precedence().cmp(&b.precedence()));
        let library = Self { rules };
        // A reference to a rule that could not be read is not a second mistake.
        if mistakes.is_empty() {
            mistakes = library.check();
        }
        match mistakes.is_empty() {
            true => Ok(library),
            false => Err(Errors(mistakes)),
        }
    }

    /// In order of precedence.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    pub fn rule(&self, id: &str) -> Option<&Rule> {
        self.rules.iter().find(|rule| rule.id == id)
    }

    /// The id nearest to one that does not exist, as a help line.
    pub fn did_you_mean(&self, id: &str) -> Option<String> {
        did_you_mean(id, self.rules.iter().map(|rule| rule.id.as_str()))
    }

    /// What is wrong between the rules: ids, references, circles. Empty for a loaded library.
    pub fn check(&self) -> Vec<Diagnostic> {
        let mut mistakes = Vec::new();
        let mut first: BTreeMap<&str, &Rule> = BTreeMap::new();
        for rule in &self.rules {
            if let Some(help) = wrong_id(&rule.id) {
                mistakes.push(rule.wrong(
                    0..0,
                    format!("`{}` is no id for a rule", rule.id),
                    Some(help),
                ));
            }
            match first.get(rule.id.as_str()) {
                Some(other) => {
                    let message = format!("there are two rules `{}`", rule.id);
                    let help = format!("the other one is {}", other.path());
                    mistakes.push(rule.wrong(0..0, message, Some(help)));
                }
                None => {
                    first.insert(&rule.id, rule);
                }
            }
            for link in rule.links() {
                mistakes.extend(self.wrong_link(rule, link));
            }
        }
        if mistakes.is_empty() {
            mistakes.extend(self.circles());
        }
        mistakes
    }

    /// Runs the tests in all rule files.
    pub fn test(&self) -> Vec<Tested> {
        let cases = self.rules.iter().flat_map(|rule| {
            rule.cases.iter().map(move |case| {
                let (facts, subject) = case.scene(rule.scope);
                let finding = judge::one(rule, &facts, &subject);
                Tested {
                    rule: rule.id.clone(),
                    case: case.name.clone(),
                    failure: case.disagrees(&finding),
                }
            })
        });
        cases.collect()
    }

    fn wrong_link(&self, rule: &Rule, link: &Link) -> Option<Diagnostic> {
        if link.id == rule.id {
            return Some(rule.wrong(link.span.clone(), "a rule cannot name itself here", None));
        }
        if self.rule(&link.id).is_some() {
            return None;
        }
        let message = format!("there is no rule `{}`", link.id);
        Some(rule.wrong(link.span.clone(), message, self.did_you_mean(&link.id)))
    }

    /// Rules that silence each other in a circle have no answer.
    fn circles(&self) -> Vec<Diagnostic> {
        let mut mistakes = Vec::new();
        for rule in &self.rules {
            let mut reached: Vec<&str> = Vec::new();
            let mut next: Vec<&Link> = rule.silenced_by.iter().collect();
            while let Some(link) = next.pop() {
                if link.id == rule.id {
                    let at = rule
                        .silenced_by
                        .first()
                        .map_or(0..0, |link| link.span.clone());
                    let message = format!("`{}` would silence itself through others", rule.id);
                    mistakes.push(rule.wrong(at, message, None));
                    break;
                }
                if !reached.contains(&link.id.as_str()) {
                    reached.push(&link.id);
                    next.extend(
                        self.rule(&link.id)
                            .into_iter()
                            .flat_map(|rule| &rule.silenced_by),
                    );
                }
            }
        }
        mistakes
    }
}

/// What an id should look like, if this one does not.
fn wrong_id(id: &str) -> Option<String> {
    let word = |word: &str| {
        !word.is_empty()
            && word
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
    };
    let fine = id
        .split_once('/')
        .is_some_and(|(area, rule)| word(area) && word(rule));
    (!fine)
        .then(|| "put the file at AREA/RULE.toml, in lower-case letters, digits and `-`".to_owned())
}
