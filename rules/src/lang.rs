//! The expression language of rules: typed, with units as types and three-valued logic.
//!
//! Text goes through [`lexer`] and [`parser`] to a tree, through [`types`] to an expression that
//! cannot fail but be unknown, and then [`eval`] answers and [`explain`] says why. There are no
//! loops and no recursion to write, so every expression ends, in time bounded by its length.

pub mod eval;
pub mod explain;
mod lexer;
mod parser;
pub mod types;

pub use eval::{Missing, Outcome, Scene};
pub use explain::{Decided, Trace};
pub use types::{Kind, Names};

use crate::facts::Fact;
use std::ops::Range;

/// Longest expression in bytes. The longest sensible ones have a few hundred.
const LONGEST: usize = 4096;

/// Why a text is no expression: where, what, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Bytes of the text.
    pub span: Range<usize>,
    pub message: String,
    pub help: Option<String>,
}

impl Error {
    fn new(span: Range<usize>, message: impl Into<String>) -> Self {
        Self {
            span,
            message: message.into(),
            help: None,
        }
    }

    fn help(self, help: impl Into<Option<String>>) -> Self {
        Self {
            help: help.into(),
            ..self
        }
    }
}

/// A checked expression with the text it came from.
#[derive(Clone, Debug)]
pub struct Expression {
    text: String,
    root: types::Expr,
}

impl Expression {
    /// Parses and checks a text.
    pub fn compile(text: &str, names: &Names<'_>) -> Result<Self, Error> {
        if text.len() > LONGEST {
            let message = format!("this is longer than {LONGEST} bytes");
            return Err(Error::new(0..text.len(), message));
        }
        let tree = parser::parse(text)?;
        let root = types::check(tree, names)?;
        let text = text.to_owned();
        Ok(Self { text, root })
    }

    /// As [`Self::compile`], for a place that needs a condition.
    pub fn condition(text: &str, names: &Names<'_>) -> Result<Self, Error> {
        let expression = Self::compile(text, names)?;
        match expression.kind() {
            Kind::Bool => Ok(expression),
            other => {
                let message = format!("a condition is needed here, but this is {other}");
                Err(Error::new(expression.root.span.clone(), message))
            }
        }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn kind(&self) -> Kind {
        self.root.kind
    }

    /// Every fact it names, in order of appearance; those of the lets it uses are not among them.
    pub fn facts(&self) -> Vec<&'static Fact> {
        let mut facts = Vec::new();
        self.root.walk(&mut |expr| match expr.node {
            types::Node::Fact(fact) | types::Node::Known(fact) if !facts.contains(&fact) => {
                facts.push(fact);
            }
            _ => {}
        });
        facts
    }

    /// Every let it names.
    pub fn lets(&self) -> Vec<usize> {
        let mut lets = Vec::new();
        self.root.walk(&mut |expr| match expr.node {
            types::Node::Let(index) if !lets.contains(&index) => lets.push(index),
            _ => {}
        });
        lets
    }

    /// Its value in a scene, or what is missing.
    pub fn evaluate(&self, scene: &Scene<'_>) -> Outcome {
        eval::evaluate(&self.root, &self.text, scene)
    }

    /// The comparisons that decided it.
    pub fn explain(&self, scene: &Scene<'_>) -> Trace {
        explain::explain(&self.root, &self.text, scene)
    }
}
