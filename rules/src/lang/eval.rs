//! The answer to an expression: a value, or everything that is missing for one.
//!
//! Logic is three-valued (Kleene): unknown is not false, yet `false and unknown` is false and
//! `true or unknown` is true. A result that is not a finite number is unknown with its reason.

use super::parser::Operator;
use super::types::{Expr, Function, Node};
use crate::facts::{Fact, Facts, Lookup, Measured, Subject, Value};

/// One thing that is missing, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// A fact's name, or the part of the expression that has no value.
    pub what: String,
    pub why: String,
}

/// A value, or what is missing for it.
pub type Outcome = Result<Value, Vec<Missing>>;

/// For whom and with what an expression is evaluated.
#[derive(Clone, Debug)]
pub struct Scene<'a> {
    pub facts: &'a Facts,
    pub subject: &'a Subject,
    /// The lets of the rule, in order, as far as they are evaluated.
    pub lets: Vec<Outcome>,
    /// The facts behind each let.
    pub let_facts: &'a [Vec<&'static Fact>],
    /// Take everything that was measured, rather than configured, for unknown.
    pub configuration_only: bool,
}

impl<'a> Scene<'a> {
    pub fn new(facts: &'a Facts, subject: &'a Subject) -> Self {
        Self {
            facts,
            subject,
            lets: Vec::new(),
            let_facts: &[],
            configuration_only: false,
        }
    }

    /// Looks a fact up, or says what is missing.
    pub fn look(&self, fact: &Fact) -> Result<&'a Measured, Missing> {
        let missing = |why: String| Missing {
            what: fact.name.to_owned(),
            why,
        };
        match self.facts.get(self.subject, fact) {
            Lookup::Known(measured) if self.configuration_only && measured.n.is_some() => {
                Err(missing("measurements are left out".to_owned()))
            }
            Lookup::Known(measured) => Ok(measured),
            Lookup::Unknown(why) => Err(missing(why)),
        }
    }
}

pub(super) fn evaluate(expr: &Expr, text: &str, scene: &Scene<'_>) -> Outcome {
    let value = |expr: &Expr| evaluate(expr, text, scene);
    match &expr.node {
        Node::Literal(value) => Ok(value.clone()),
        Node::Fact(fact) => match scene.look(fact) {
            Ok(measured) => Ok(measured.value.clone()),
            Err(missing) => Err(vec![missing]),
        },
        Node::Let(index) => match scene.lets.get(*index) {
            Some(outcome) => outcome.clone(),
            None => Err(vec![nothing(expr, text, "it has no value yet")]),
        },
        Node::Known(fact) => Ok(Value::Bool(scene.look(fact).is_ok())),
        Node::Not(inner) => value(inner).map(|value| Value::Bool(value == Value::Bool(false))),
        Node::Negate(inner) => finite(-number(value(inner)?), expr, text),
        Node::Logic(operator, left, right) => logic(*operator, value(left), value(right)),
        Node::Compare(operator, left, right) => {
            let (left, right) = both(value(left), value(right))?;
            Ok(Value::Bool(compare(*operator, &left, &right)))
        }
        Node::Arithmetic(operator, left, right, factor) => {
            let (left, right) = both(value(left), value(right))?;
            let (left, right) = (number(left), number(right));
            if *operator == Operator::Divide && right == 0.0 {
                return Err(vec![nothing(expr, text, "it divides by zero")]);
            }
            finite(arithmetic(*operator, left, right) * factor, expr, text)
        }
        Node::Call(function, arguments) => {
            let numbers = all(arguments.iter().map(value))?;
            finite(call(*function, &numbers), expr, text)
        }
        Node::In(item, list, inside) => {
            let item = value(item)?;
            let found = list
                .iter()
                .any(|entry| matches!(&entry.node, Node::Literal(v) if *v == item));
            Ok(Value::Bool(found == *inside))
        }
    }
}

/// Kleene's `and` and `or`: what decides alone decides even beside the unknown.
fn logic(operator: Operator, left: Outcome, right: Outcome) -> Outcome {
    let decisive = Value::Bool(operator == Operator::Or);
    match (left, right) {
        (Ok(value), _) | (_, Ok(value)) if value == decisive => Ok(decisive),
        (left, right) => both(left, right).map(|(_, right)| right),
    }
}

/// Both values, or everything that is missing for either.
fn both(left: Outcome, right: Outcome) -> Result<(Value, Value), Vec<Missing>> {
    match (left, right) {
        (Ok(left), Ok(right)) => Ok((left, right)),
        (Err(mut missing), Err(more)) => {
            merge(&mut missing, more);
            Err(missing)
        }
        (Err(missing), Ok(_)) | (Ok(_), Err(missing)) => Err(missing),
    }
}

fn all(outcomes: impl Iterator<Item = Outcome>) -> Result<Vec<f64>, Vec<Missing>> {
    let mut numbers = Vec::new();
    let mut missing = Vec::new();
    for outcome in outcomes {
        match outcome {
            Ok(value) => numbers.push(number(value)),
            Err(more) => merge(&mut missing, more),
        }
    }
    if missing.is_empty() {
        Ok(numbers)
    } else {
        Err(missing)
    }
}

/// Adds what is not there yet.
pub(crate) fn merge(missing: &mut Vec<Missing>, more: Vec<Missing>) {
    for one in more {
        if !missing.contains(&one) {
            missing.push(one);
        }
    }
}

/// The checker lets only numbers get here; anything else would be unknown, as NaN.
fn number(value: Value) -> f64 {
    match value {
        Value::Number(number) => number,
        Value::Bool(_) | Value::Text(_) => f64::NAN,
    }
}

fn finite(number: f64, expr: &Expr, text: &str) -> Outcome {
    if number.is_finite() {
        return Ok(Value::Number(number));
    }
    Err(vec![nothing(expr, text, "it is not a finite number")])
}

fn nothing(expr: &Expr, text: &str, why: &str) -> Missing {
    let what = text.get(expr.span.clone()).unwrap_or(text);
    Missing {
        what: format!("`{what}`"),
        why: why.to_owned(),
    }
}

fn arithmetic(operator: Operator, left: f64, right: f64) -> f64 {
    match operator {
        Operator::Add => left + right,
        Operator::Subtract => left - right,
        Operator::Multiply => left * right,
        _ => left / right,
    }
}

fn compare(operator: Operator, left: &Value, right: &Value) -> bool {
    match (left, right, operator) {
        (_, _, Operator::Equal) => left == right,
        (_, _, Operator::Unequal) => left != right,
        (Value::Number(left), Value::Number(right), operator) => match operator {
            Operator::Less => left < right,
            Operator::AtMost => left <= right,
            Operator::Greater => left > right,
            _ => left >= right,
        },
        _ => false,
    }
}

fn call(function: Function, numbers: &[f64]) -> f64 {
    match (function, numbers) {
        (Function::Min, numbers) => numbers.iter().copied().fold(f64::INFINITY, f64::min),
        (Function::Max, numbers) => numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        (Function::Abs, [number]) => number.abs(),
        // Not f64::clamp, which panics when the bounds are crossed; the upper bound wins here.
        (Function::Clamp, [number, low, high]) => number.max(*low).min(*high),
        _ => f64::NAN,
    }
}
