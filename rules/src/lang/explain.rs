//! Why an expression is true, false or unknown: the comparisons that decided.

use super::eval::{Missing, Outcome, Scene, evaluate};
use super::parser::Operator;
use super::types::{Expr, Node};
use crate::facts::{Fact, Value};

/// One comparison (or condition that stands for itself) that took part in the decision.
#[derive(Clone, Debug, PartialEq)]
pub struct Decided {
    /// As written in the rule.
    pub text: String,
    pub holds: bool,
    /// The facts in it, those behind its lets included.
    pub facts: Vec<&'static Fact>,
}

/// What decided, or what is missing for a decision.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    pub decided: Vec<Decided>,
    pub missing: Vec<Missing>,
}

impl Trace {
    /// Every fact in the deciding comparisons, once, in order.
    pub fn facts(&self) -> Vec<&'static Fact> {
        let mut facts = Vec::new();
        for fact in self.decided.iter().flat_map(|decided| &decided.facts) {
            if !facts.contains(fact) {
                facts.push(*fact);
            }
        }
        facts
    }
}

pub(super) fn explain(root: &Expr, text: &str, scene: &Scene<'_>) -> Trace {
    let mut trace = Trace::default();
    follow(root, text, scene, &mut trace);
    trace
}

fn follow(expr: &Expr, text: &str, scene: &Scene<'_>, trace: &mut Trace) {
    match &expr.node {
        Node::Not(inner) => follow(inner, text, scene, trace),
        Node::Logic(operator, left, right) => {
            let decisive = Value::Bool(*operator == Operator::Or);
            let whole = evaluate(expr, text, scene);
            for side in [left, right] {
                if takes_part(&whole, &evaluate(side, text, scene), &decisive) {
                    follow(side, text, scene, trace);
                }
            }
        }
        _ => leaf(expr, text, scene, trace),
    }
}

/// Whether one side of `and` or `or` had a part in the whole.
fn takes_part(whole: &Outcome, side: &Outcome, decisive: &Value) -> bool {
    match (whole, side) {
        // Decided by one side alone: only sides that decide count.
        (Ok(whole), side) if whole == decisive => side.as_ref() == Ok(decisive),
        // Decided by both.
        (Ok(_), _) => true,
        // Unknown: the unknown sides count.
        (Err(_), side) => side.is_err(),
    }
}

fn leaf(expr: &Expr, text: &str, scene: &Scene<'_>, trace: &mut Trace) {
    match evaluate(expr, text, scene) {
        Err(missing) => super::eval::merge(&mut trace.missing, missing),
        Ok(value) => trace.decided.push(Decided {
            text: text.get(expr.span.clone()).unwrap_or(text).to_owned(),
            holds: value == Value::Bool(true),
            facts: facts_of(expr, scene),
        }),
    }
}

fn facts_of(expr: &Expr, scene: &Scene<'_>) -> Vec<&'static Fact> {
    let mut facts: Vec<&'static Fact> = Vec::new();
    let mut add = |fact: &'static Fact| {
        if !facts.contains(&fact) {
            facts.push(fact);
        }
    };
    expr.walk(&mut |part| match part.node {
        Node::Fact(fact) | Node::Known(fact) => add(fact),
        Node::Let(index) => scene
            .let_facts
            .get(index)
            .into_iter()
            .flatten()
            .for_each(|f| add(f)),
        _ => {}
    });
    facts
}
