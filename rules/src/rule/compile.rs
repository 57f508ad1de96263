//! From the shape of a rule file to a rule: every name, unit, hole and command is checked, and
//! all mistakes of a file are reported together.

use super::case::Case;
use super::command::{Command, Role};
use super::file::{self, File, Moves, Text};
use super::forbidden::{Manner, forbidden};
use super::prose::Prose;
use super::{Counter, Let, Link, Needs, Rule};
use crate::diagnostic::{Diagnostic, Source};
use crate::facts::{self, Fact, Scope, Type, Unit, Value};
use crate::finding::{Risk, State};
use crate::lang::types::{fact_in_reach, refuse_let};
use crate::lang::{self, Expression, Kind, Names};
use crate::suggest::did_you_mean;
use crate::units;
use std::ops::Range;
use std::sync::Arc;
use toml::Spanned;

impl Rule {
    /// Reads one file, or says everything that is wrong with it.
    pub fn read(source: Source) -> Result<Self, Vec<Diagnostic>> {
        let source = Arc::new(source);
        let file: File = match toml::from_str(&source.text) {
            Ok(file) => file,
            Err(error) => return Err(vec![malformed(&source, &error)]),
        };
        let mut reader = Reader {
            source: Arc::clone(&source),
            scope: file.scope,
            lets: Vec::new(),
            mistakes: Vec::new(),
        };
        let rule = reader.rule(file);
        match rule {
            Some(rule) if reader.mistakes.is_empty() => Ok(rule),
            _ => Err(reader.mistakes),
        }
    }
}

/// What the TOML reader says, in words that help.
fn malformed(source: &Arc<Source>, error: &toml::de::Error) -> Diagnostic {
    let message = error.message();
    // A key that is missing has no place; then the reader gives the whole file.
    let span = error
        .span()
        .filter(|span| span.len() < source.text.len())
        .unwrap_or(0..0);
    let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    if let (true, [unknown, known @ ..]) = (message.starts_with("unknown field"), &quoted[..]) {
        let help = did_you_mean(unknown, known.iter().copied())
            .unwrap_or_else(|| format!("the keys here are {}", known.join(", ")));
        return Diagnostic::new(source, span, format!("unknown key `{unknown}`"), Some(help));
    }
    if let (true, [unknown, known @ ..]) = (message.starts_with("unknown variant"), &quoted[..]) {
        let help = format!("it is one of {}", known.join(", "));
        return Diagnostic::new(
            source,
            span,
            format!("`{unknown}` is not one of the values of this key"),
            Some(help),
        );
    }
    if let (true, [key]) = (message.starts_with("missing field"), &quoted[..]) {
        return Diagnostic::new(source, span, format!("the key `{key}` is missing"), None);
    }
    if message.contains("untagged enum") {
        let message = "this is no value for a fact";
        let help = "write true, 3, \"250/s\", or { value = \"18ms\", n = 40 }";
        return Diagnostic::new(source, span, message, Some(help.to_owned()));
    }
    Diagnostic::new(source, span, message.trim(), None)
}

/// Collects the mistakes of one file.
pub(super) struct Reader {
    source: Arc<Source>,
    pub(super) scope: Scope,
    lets: Vec<(String, Kind)>,
    mistakes: Vec<Diagnostic>,
}

impl Reader {
    fn rule(&mut self, file: File) -> Option<Rule> {
        let lets = self.lets(file.lets);
        let applies = file.applies.as_ref().map(|text| self.condition(text));
        let when = self.condition(&file.when);
        let no_op = file.no_op.as_ref().map(|text| self.condition(text));
        let loss = self.loss(file.loss, &file.risk);
        let advice = file.advice.as_ref().map(|text| self.advice(text));
        let first = file.apply.iter().chain(&file.persist).next();
        self.undo_is_explained(&file.undo, first, file.advice.as_ref());
        let because = self.prose(&file.because);
        let informs = file.kind.informs(file.severity);
        if let (true, Some(command)) = (informs, file.apply.iter().chain(&file.persist).next()) {
            let message = "a rule that only informs changes nothing";
            let help = "give it a severity above info if something should be changed";
            self.wrong(command.span(), message, Some(help.to_owned()));
        }
        let healthy = file.healthy.as_ref().map(|text| self.prose(text));
        let rule = Rule {
            id: self.source.id.clone(),
            title: self.sentence(&file.title),
            scope: file.scope,
            kind: file.kind,
            severity: file.severity,
            risk: *file.risk.get_ref(),
            sources: file
                .sources
                .iter()
                .map(|text| self.sentence(text))
                .collect(),
            loss,
            knob: file.knob.map(|text| self.sentence(&text)),
            lets,
            applies: applies.flatten(),
            needs: self.needs(file.needs),
            unsafe_if: self.counters(file.unsafe_if),
            unless: self.counters(file.unless),
            no_op: no_op.flatten(),
            because: because.unwrap_or_default(),
            healthy: healthy.flatten(),
            advice: advice.flatten(),
            apply: self.commands(&file.apply, Role::Apply),
            persist: self.commands(&file.persist, Role::Persist),
            undo: self.commands(&file.undo, Role::Undo),
            expect: file
                .expect
                .and_then(|expect| self.expect(&expect.fact, expect.moves)),
            conflicts: links(file.conflicts),
            after: links(file.after),
            silenced_by: links(file.silenced_by),
            cases: self.cases(file.cases, informs),
            source: Arc::clone(&self.source),
            when: when?,
        };
        if rule.sources.is_empty() {
            self.wrong(0..0, "a rule names at least one source", None);
        }
        Some(rule)
    }

    pub(super) fn wrong(
        &mut self,
        span: Range<usize>,
        message: impl Into<String>,
        help: Option<String>,
    ) {
        self.mistakes
            .push(Diagnostic::new(&self.source, span, message, help));
    }

    /// Puts an error about a text at its place in the file.
    pub(super) fn wrong_in(&mut self, text: &Text, error: lang::Error) {
        let span = match start_of(&self.source.text, text) {
            Some(start) => start + error.span.start..start + error.span.end,
            None => text.span(),
        };
        self.wrong(span, error.message, error.help);
    }

    fn try_in<T>(&mut self, text: &Text, made: Result<T, lang::Error>) -> Option<T> {
        made.map_err(|error| self.wrong_in(text, error)).ok()
    }

    /// Runs a check of a text that needs the names of the rule.
    fn with_names<T>(
        &mut self,
        text: &Text,
        make: impl FnOnce(&str, &Names<'_>) -> Result<T, lang::Error>,
    ) -> Option<T> {
        let names = Names {
            scope: self.scope,
            lets: &self.lets,
        };
        let made = make(text.get_ref(), &names);
        self.try_in(text, made)
    }

    fn condition(&mut self, text: &Text) -> Option<Expression> {
        self.with_names(text, Expression::condition)
    }

    fn prose(&mut self, text: &Text) -> Option<Prose> {
        self.with_names(text, Prose::parse)
    }

    /// A text without holes that says something.
    fn sentence(&mut self, text: &Text) -> String {
        if text.get_ref().trim().is_empty() {
            self.wrong(text.span(), "this says nothing", None);
        }
        text.get_ref().clone()
    }

    fn advice(&mut self, text: &Text) -> Option<Prose> {
        let prose = self.prose(text)?;
        if let Some(deed) = forbidden(&prose.plain(), Manner::Prose) {
            let help = "advice may tell people to remove such a setting, or never to make it";
            self.wrong(
                text.span(),
                format!("no rule may advise to {deed}"),
                Some(help.to_owned()),
            );
        }
        Some(prose)
    }

    fn commands(&mut self, texts: &[Text], role: Role) -> Vec<Command> {
        let commands = texts.iter().filter_map(|text| {
            self.with_names(text, |text, names| Command::parse(text, role, names))
        });
        commands.collect()
    }

    /// A change that can be made but not unmade says so.
    fn undo_is_explained(&mut self, undo: &[Text], change: Option<&Text>, advice: Option<&Text>) {
        let said = advice.is_some_and(|advice| advice.get_ref().contains("not offered"));
        if let (true, false, Some(first)) = (undo.is_empty(), said, change) {
            let help = "give `undo`, or say in `advice` that an undo is not offered, and why";
            self.wrong(
                first.span(),
                "this can be applied but not undone",
                Some(help.to_owned()),
            );
        }
    }

    fn loss(&mut self, loss: Option<Text>, risk: &Spanned<Risk>) -> Option<String> {
        let risky = matches!(risk.get_ref(), Risk::Durability | Risk::DataLoss);
        match &loss {
            None if risky => {
                let help = "add `loss = \"...\"`: it is put in front of the reason";
                let message = "a rule with this risk says what may be lost";
                self.wrong(risk.span(), message, Some(help.to_owned()));
            }
            Some(loss) if !risky => {
                self.wrong(
                    loss.span(),
                    "`loss` is for the risks durability and data-loss",
                    None,
                );
            }
            _ => {}
        }
        loss.map(|loss| self.sentence(&loss))
    }

    /// The lets in the order of the file, each seeing those before it.
    fn lets(&mut self, table: impl IntoIterator<Item = (Text, Text)>) -> Vec<Let> {
        let mut entries: Vec<(Text, Text)> = table.into_iter().collect();
        entries.sort_by_key(|(name, _)| name.span().start);
        let mut lets = Vec::new();
        for (name, text) in entries {
            if let Some(why) = refuse_let(name.get_ref()) {
                let message = format!("`{}` cannot name an expression", name.get_ref());
                self.wrong(name.span(), message, Some(why.to_owned()));
            }
            if let Some(value) = self.with_names(&text, Expression::compile) {
                let name = name.into_inner();
                self.lets.push((name.clone(), value.kind()));
                lets.push(Let { name, value });
            }
        }
        lets
    }

    fn counters(&mut self, counters: Vec<file::Counter>) -> Vec<Counter> {
        let checked = counters.iter().filter_map(|counter| {
            let condition = self.condition(&counter.condition);
            let because = self.prose(&counter.because);
            Some(Counter {
                condition: condition?,
                because: because?,
            })
        });
        checked.collect()
    }

    fn needs(&mut self, needs: file::Needs) -> Needs {
        let observed_ns = needs.observed.and_then(|text| self.duration(&text));
        let mut n = Vec::new();
        for (name, least) in needs.n {
            if let Some(fact) = self.with_names(&name, fact_in_reach) {
                n.push((fact, least));
            }
        }
        Needs { observed_ns, n }
    }

    /// A duration that stands alone, in nanoseconds.
    pub(super) fn duration(&mut self, text: &Text) -> Option<f64> {
        match units::parse(text.get_ref(), Type::Number(Unit::Duration)) {
            Ok(Value::Number(ns)) if ns >= 0.0 && ns.is_finite() => Some(ns),
            Ok(_) => {
                self.wrong(text.span(), "a duration is not negative", None);
                None
            }
            Err(message) => {
                self.wrong(text.span(), message, None);
                None
            }
        }
    }

    fn expect(&mut self, name: &Text, moves: Moves) -> Option<String> {
        // Not only those in reach: a trial of a host-wide setting watches devices too.
        let Some(fact) = facts::named(name.get_ref()) else {
            let help = did_you_mean(name.get_ref(), facts::ALL.iter().map(|fact| fact.name));
            self.wrong(
                name.span(),
                format!("unknown fact `{}`", name.get_ref()),
                help,
            );
            return None;
        };
        if !matches!(fact.of, Type::Number(_)) {
            let message = format!("{} cannot rise or fall", fact.of);
            self.wrong(name.span(), message, None);
        }
        let moves = match moves {
            Moves::Falls => "falls",
            Moves::Rises => "rises",
        };
        Some(format!("{} {moves}", fact.name))
    }

    fn cases(&mut self, cases: Vec<file::Case>, informs: bool) -> Vec<Case> {
        let count = |states: &[State]| {
            cases
                .iter()
                .filter(|case| states.contains(&case.state))
                .count()
        };
        let silent = count(&[State::NoChangeNeeded, State::NotApplicable]);
        let abstaining = count(&[State::InsufficientEvidence]);
        // A rule that only informs comes to "no change needed" when it holds, too.
        let (firing, fires) = match informs {
            true => (
                count(&[State::NoChangeNeeded]).saturating_sub(1),
                State::NoChangeNeeded,
            ),
            false => (count(&[State::Recommend, State::Unsafe]), State::Recommend),
        };
        self.wants_case("firing", firing, fires);
        self.wants_case("silent", silent, State::NoChangeNeeded);
        self.wants_case("abstaining", abstaining, State::InsufficientEvidence);
        let checked = cases.into_iter().filter_map(|case| Case::check(case, self));
        checked.collect()
    }

    fn wants_case(&mut self, what: &str, count: usize, state: State) {
        if count == 0 {
            let end = self.source.text.len();
            let help = format!("add a [[case]] with state = {:?}", name(state));
            self.wrong(end..end, format!("there is no {what} case"), Some(help));
        }
    }

    /// Checks the name of a fact for a case, where the lets do not count.
    pub(super) fn fact(&mut self, name: &Text) -> Option<&'static Fact> {
        let scope = self.scope;
        let found = fact_in_reach(name.get_ref(), &Names { scope, lets: &[] });
        found
            .map_err(|error| self.wrong(name.span(), error.message, error.help))
            .ok()
    }
}

fn name(state: State) -> &'static str {
    match state {
        State::Recommend => "recommend",
        State::NoChangeNeeded => "no-change-needed",
        State::InsufficientEvidence => "insufficient-evidence",
        State::NotApplicable => "not-applicable",
        State::Unsafe => "unsafe",
    }
}

fn links(texts: Vec<Text>) -> Vec<Link> {
    let link = |text: Text| Link {
        span: text.span(),
        id: text.into_inner(),
    };
    texts.into_iter().map(link).collect()
}

/// Where the content of a quoted TOML text begins in the file, if nothing in it is escaped.
fn start_of(file: &str, text: &Text) -> Option<usize> {
    let span = text.span();
    let raw = file.get(span.clone())?;
    let content = text.get_ref().as_str();
    // Bare keys, 'text', "text", '''text''' and the same with a line break after the quotes.
    [0, 1, 3, 4, 5].into_iter().find_map(|quotes| {
        let rest = raw.get(quotes..)?;
        rest.starts_with(content).then_some(span.start + quotes)
    })
}
