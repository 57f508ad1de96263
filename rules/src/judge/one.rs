//! One rule about one subject.
//!
//! Asked in this order, and the first answer stands: does it apply, is it so already, does the
//! condition hold, was enough seen, would it be unsafe, is there counter-evidence. Unknown is never
//! taken for no: where an answer is unknown, the finding names what is missing.

use crate::facts::{Fact, Facts, Subject, Value};
use crate::finding::{Evidence, Finding, State};
use crate::lang::eval::merge;
use crate::lang::{Expression, Missing, Scene, Trace};
use crate::rule::command::{Command, Unfit};
use crate::rule::prose::Prose;
use crate::rule::{Counter, Rule};
use crate::units;
use std::time::Duration;

/// Judges one subject by one rule, as if there were no others.
pub(crate) fn one(rule: &Rule, facts: &Facts, subject: &Subject) -> Finding {
    let let_facts = let_facts(rule);
    let mut scene = Scene::new(facts, subject);
    scene.let_facts = &let_facts;
    set_lets(&mut scene, rule);
    let asked = Asked {
        rule,
        scene: &scene,
    };
    let mut trace = Trace::default();
    let answer = asked.answer(&mut trace);
    asked.finding(answer, &trace)
}

/// What a rule came to.
enum Answer {
    NotApplicable,
    /// Nothing to do; the counter-evidence, if that is why.
    Fine(Option<String>),
    Missing(Vec<Missing>),
    Unsafe(String),
    Recommend,
}

struct Asked<'a> {
    rule: &'a Rule,
    scene: &'a Scene<'a>,
}

impl Asked<'_> {
    fn answer(&self, trace: &mut Trace) -> Answer {
        let Rule {
            applies,
            no_op,
            when,
            ..
        } = self.rule;
        if let Some(applies) = applies {
            match self.ask(applies, trace) {
                Ok(true) => {}
                Ok(false) => return Answer::NotApplicable,
                Err(missing) => return Answer::Missing(missing),
            }
        }
        // Unknown: then it cannot be said to be so already, and the condition decides.
        if let Some(no_op) = no_op
            && no_op.evaluate(self.scene) == Ok(Value::Bool(true))
        {
            *trace = no_op.explain(self.scene);
            return Answer::Fine(None);
        }
        match self.ask(when, trace) {
            Ok(true) => {}
            Ok(false) if self.is_false_by_configuration(when) => return Answer::Fine(None),
            Ok(false) => {
                let unmet = self.unmet_needs();
                return if unmet.is_empty() {
                    Answer::Fine(None)
                } else {
                    Answer::Missing(unmet)
                };
            }
            Err(mut missing) => {
                merge(&mut missing, self.unmet_needs());
                return Answer::Missing(missing);
            }
        }
        let unmet = self.unmet_needs();
        if !unmet.is_empty() {
            return Answer::Missing(unmet);
        }
        self.counter(trace)
    }

    /// What stands against a recommendation whose condition holds.
    fn counter(&self, trace: &mut Trace) -> Answer {
        let mut missing = Vec::new();
        if let Some(because) = self.first_that_holds(&self.rule.unsafe_if, trace, &mut missing) {
            return because.map_or_else(Answer::Missing, Answer::Unsafe);
        }
        if let Some(because) = self.first_that_holds(&self.rule.unless, trace, &mut missing) {
            return because.map_or_else(Answer::Missing, |text| Answer::Fine(Some(text)));
        }
        match missing.is_empty() {
            true => Answer::Recommend,
            false => Answer::Missing(missing),
        }
    }

    /// The reason of the first counter that holds; what the others miss is collected.
    fn first_that_holds(
        &self,
        counters: &[Counter],
        trace: &mut Trace,
        missing: &mut Vec<Missing>,
    ) -> Option<Result<String, Vec<Missing>>> {
        for counter in counters {
            match self.ask(&counter.condition, trace) {
                Ok(true) => return Some(counter.because.fill(self.scene)),
                Ok(false) => {}
                Err(more) => merge(missing, more),
            }
        }
        None
    }

    /// Evaluates a condition and adds what decided to the trace.
    fn ask(&self, condition: &Expression, trace: &mut Trace) -> Result<bool, Vec<Missing>> {
        let holds = condition.evaluate(self.scene)? == Value::Bool(true);
        trace.decided.extend(condition.explain(self.scene).decided);
        Ok(holds)
    }

    /// Whether the condition is false whatever was measured; then no sample is too small.
    fn is_false_by_configuration(&self, when: &Expression) -> bool {
        let mut scene = self.scene.clone();
        scene.configuration_only = true;
        set_lets(&mut scene, self.rule);
        when.evaluate(&scene) == Ok(Value::Bool(false))
    }

    fn unmet_needs(&self) -> Vec<Missing> {
        let mut unmet = Vec::new();
        let needs = &self.rule.needs;
        let seen = self.scene.facts.observed_ns as f64;
        if let Some(least) = needs.observed_ns.filter(|least| seen < *least) {
            let least = units::number_for_people(least, crate::facts::Unit::Duration);
            unmet.push(Missing {
                what: "recording".to_owned(),
                why: match self.scene.facts.observed_ns {
                    0 => format!("nothing was recorded, and {least} are needed"),
                    ns => format!(
                        "{:?} were recorded, and {least} are needed",
                        Duration::from_nanos(ns)
                    ),
                },
            });
        }
        for (fact, least) in &needs.n {
            unmet.extend(self.too_few(fact, *least));
        }
        unmet
    }

    fn too_few(&self, fact: &'static Fact, least: u64) -> Option<Missing> {
        let why = match self.scene.look(fact) {
            Err(missing) => return Some(missing),
            Ok(measured) => match measured.n {
                Some(n) if n >= least => return None,
                Some(n) => format!("{n} samples, and {least} are needed"),
                None => format!("no sample count, and {least} are needed"),
            },
        };
        Some(Missing {
            what: fact.name.to_owned(),
            why,
        })
    }

    /// The finding for an answer; a hole that cannot be filled makes it one of missing evidence.
    fn finding(&self, answer: Answer, trace: &Trace) -> Finding {
        let mut finding = self.blank(trace);
        match answer {
            Answer::Missing(missing) => self.abstain(&mut finding, &missing),
            Answer::NotApplicable => {
                finding.state = State::NotApplicable;
                finding.because = format!("It does not apply: {}.", decisions(trace));
            }
            Answer::Fine(counter) => {
                finding.state = State::NoChangeNeeded;
                finding.because = self.healthy(counter.as_deref(), trace);
                finding.suppressed_by = counter;
            }
            Answer::Unsafe(because) => {
                finding.state = State::Unsafe;
                finding.because = because;
            }
            Answer::Recommend => self.recommend(&mut finding),
        }
        finding
    }

    fn blank(&self, trace: &Trace) -> Finding {
        Finding {
            id: self.rule.id.clone(),
            state: State::InsufficientEvidence,
            severity: self.rule.severity,
            risk: self.rule.risk,
            subject: self.scene.subject.to_string(),
            title: self.rule.title.clone(),
            because: String::new(),
            advice: None,
            evidence: trace
                .facts()
                .into_iter()
                .filter_map(|fact| self.evidence(fact))
                .collect(),
            missing: Vec::new(),
            apply: Vec::new(),
            persist: Vec::new(),
            undo: Vec::new(),
            expect: None,
            after: Vec::new(),
            suppressed_by: None,
            sources: self.rule.sources.clone(),
        }
    }

    fn abstain(&self, finding: &mut Finding, missing: &[Missing]) {
        finding.state = State::InsufficientEvidence;
        finding.because = "It cannot be told from what is known.".to_owned();
        let line = |one: &Missing| format!("{}: {}", one.what, one.why);
        finding.missing = missing.iter().map(line).collect();
    }

    /// Why nothing needs to change. Where the rule's own words lack a value, the comparisons speak.
    fn healthy(&self, counter: Option<&str>, trace: &Trace) -> String {
        if let Some(counter) = counter {
            return counter.to_owned();
        }
        let own = self
            .rule
            .healthy
            .as_ref()
            .map(|prose| prose.fill(self.scene));
        match own {
            Some(Ok(text)) => text,
            _ => format!("Nothing to change: {}.", decisions(trace)),
        }
    }

    fn recommend(&self, finding: &mut Finding) {
        match self.filled() {
            Ok(filled) => {
                finding.state = match self.rule.informs() {
                    true => State::NoChangeNeeded,
                    false => State::Recommend,
                };
                finding.because = filled.because;
                finding.advice = filled.advice;
                finding.apply = filled.apply;
                finding.persist = filled.persist;
                finding.undo = filled.undo;
                finding.expect = self.rule.expect.clone();
            }
            Err(Unfit::Missing(missing)) => self.abstain(finding, &missing),
            Err(Unfit::Forbidden(deed)) => {
                finding.state = State::Unsafe;
                finding.because = format!("The change would {deed} on this host.");
            }
        }
    }

    fn filled(&self) -> Result<Filled, Unfit> {
        let prose = |prose: &Prose| prose.fill(self.scene).map_err(Unfit::Missing);
        let mut because = prose(&self.rule.because)?;
        if let Some(loss) = &self.rule.loss {
            because = format!("{loss} {because}");
        }
        let mut advice = self.rule.advice.as_ref().map(prose).transpose()?;
        let undo = match self.commands(&self.rule.undo) {
            // What it is now must not be restored by this tool.
            Err(Unfit::Forbidden(deed)) => {
                let not_offered = format!("An undo is not offered: it would {deed}.");
                advice = Some(
                    advice.map_or(not_offered.clone(), |text| format!("{text} {not_offered}")),
                );
                Vec::new()
            }
            undo => undo?,
        };
        Ok(Filled {
            because,
            advice,
            apply: self.commands(&self.rule.apply)?,
            persist: self.commands(&self.rule.persist)?,
            undo,
        })
    }

    fn commands(&self, commands: &[Command]) -> Result<Vec<String>, Unfit> {
        let text = |command: &Command| command.fill(self.scene).map(|safe| safe.into_text());
        commands.iter().map(text).collect()
    }

    fn evidence(&self, fact: &'static Fact) -> Option<Evidence> {
        let measured = self.scene.look(fact).ok()?;
        let show = |number: f64| units::show(&Value::Number(number), fact.of);
        Some(Evidence {
            fact: fact.name.to_owned(),
            value: units::show(&measured.value, fact.of),
            raw: match &measured.value {
                Value::Number(number) => serde_json::Value::from(*number),
                Value::Bool(yes) => serde_json::Value::from(*yes),
                Value::Text(text) => serde_json::Value::from(text.as_str()),
            },
            interval: measured.interval.map(|(low, high)| (show(low), show(high))),
            n: measured.n,
            source: measured.source.clone(),
        })
    }
}

struct Filled {
    because: String,
    advice: Option<String>,
    apply: Vec<String>,
    persist: Vec<String>,
    undo: Vec<String>,
}

/// `fs.atime == "strict"` does not hold, and so on.
fn decisions(trace: &Trace) -> String {
    let texts: Vec<String> = trace
        .decided
        .iter()
        .map(|one| {
            let verb = if one.holds { "holds" } else { "does not hold" };
            format!("`{}` {verb}", one.text)
        })
        .collect();
    texts.join(", ")
}

/// The facts behind each let, those of the lets it uses included.
fn let_facts(rule: &Rule) -> Vec<Vec<&'static Fact>> {
    let mut all: Vec<Vec<&'static Fact>> = Vec::new();
    for own in &rule.lets {
        let mut facts = own.value.facts();
        for fact in own
            .value
            .lets()
            .into_iter()
            .flat_map(|index| all[index].clone())
        {
            if !facts.contains(&fact) {
                facts.push(fact);
            }
        }
        all.push(facts);
    }
    all
}

/// Evaluates the lets in order, so that each finds those before it.
fn set_lets(scene: &mut Scene<'_>, rule: &Rule) {
    scene.lets.clear();
    for own in &rule.lets {
        let outcome = own.value.evaluate(scene);
        scene.lets.push(outcome);
    }
}
