//! The checker: every expression gets a kind, and numbers of different units do not mix.
//!
//! Multiplication and division work on dimensions (bytes and time), so that a size times a rate is
//! a throughput and a throughput times a duration is a size again.

use super::Error;
use super::parser::{Branch, Operator, Tree, is_keyword};
use crate::facts::{self, Fact, Scope, Type, Unit, Value};
use crate::suggest::did_you_mean;
use std::fmt;
use std::ops::Range;

/// What kind of value an expression has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Bool,
    Text,
    Number(Unit),
    /// A number written without a unit: a count or a ratio, as its neighbour needs.
    Plain,
}

impl From<Type> for Kind {
    fn from(of: Type) -> Self {
        match of {
            Type::Bool => Self::Bool,
            Type::Text => Self::Text,
            Type::Number(unit) => Self::Number(unit),
        }
    }
}

impl Kind {
    /// The type of a value of this kind, where a plain number is a count.
    pub fn as_type(self) -> Type {
        match self {
            Self::Bool => Type::Bool,
            Self::Text => Type::Text,
            Self::Number(unit) => Type::Number(unit),
            Self::Plain => Type::Number(Unit::Count),
        }
    }

    /// The kind that both can be, if there is one.
    fn meet(self, other: Self) -> Option<Self> {
        match (self, other) {
            (a, b) if a == b => Some(a),
            (Self::Plain, n @ Self::Number(Unit::Count | Unit::Ratio)) => Some(n),
            (n @ Self::Number(Unit::Count | Unit::Ratio), Self::Plain) => Some(n),
            _ => None,
        }
    }

    fn is_number(self) -> bool {
        matches!(self, Self::Number(_) | Self::Plain)
    }

    /// Exponents of bytes and of time.
    fn dimension(self) -> Option<(i8, i8)> {
        match self {
            Self::Bool | Self::Text => None,
            Self::Plain | Self::Number(Unit::Count | Unit::Ratio) => Some((0, 0)),
            Self::Number(Unit::Duration) => Some((0, 1)),
            Self::Number(Unit::Size) => Some((1, 0)),
            Self::Number(Unit::Rate) => Some((0, -1)),
            Self::Number(Unit::Throughput) => Some((1, -1)),
        }
    }

    /// Durations are kept in nanoseconds, everything per time in seconds: the powers of 1e9 to reconcile.
    fn nanos(self) -> i32 {
        i32::from(self == Self::Number(Unit::Duration))
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain => f.write_str("a plain number"),
            kind => kind.as_type().fmt(f),
        }
    }
}

/// A checked expression.
#[derive(Clone, Debug)]
pub struct Expr {
    pub(super) node: Node,
    pub(super) span: Range<usize>,
    pub(super) kind: Kind,
}

#[derive(Clone, Debug)]
pub(super) enum Node {
    Literal(Value),
    Fact(&'static Fact),
    Let(usize),
    Known(&'static Fact),
    Not(Box<Expr>),
    Negate(Box<Expr>),
    /// `and` or `or`.
    Logic(Operator, Box<Expr>, Box<Expr>),
    Compare(Operator, Box<Expr>, Box<Expr>),
    /// The result is multiplied by the last number, which reconciles nanoseconds with seconds.
    Arithmetic(Operator, Box<Expr>, Box<Expr>, f64),
    Call(Function, Vec<Expr>),
    In(Box<Expr>, Vec<Expr>, bool),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    Min,
    Max,
    Abs,
    Clamp,
}

const FUNCTIONS: &[&str] = &["min", "max", "abs", "clamp", "known"];

/// The names an expression may use.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a> {
    pub scope: Scope,
    /// The lets before it, with their kinds.
    pub lets: &'a [(String, Kind)],
}

/// Why a name cannot be given to a let, if it cannot.
pub fn refuse_let(name: &str) -> Option<&'static str> {
    let first = name.chars().next();
    if !first.is_some_and(|c| c.is_ascii_lowercase())
        || !name
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
    {
        return Some("a name has lower-case letters, digits and `_`, and begins with a letter");
    }
    if is_keyword(name) || FUNCTIONS.contains(&name) {
        return Some("this word belongs to the language");
    }
    if Scope::ALL.iter().any(|scope| scope.words().contains(&name)) {
        return Some("this is a word of a subject");
    }
    None
}

impl Expr {
    /// Visits every node, outermost first.
    pub(super) fn walk(&self, visit: &mut impl FnMut(&Expr)) {
        visit(self);
        match &self.node {
            Node::Literal(_) | Node::Fact(_) | Node::Let(_) | Node::Known(_) => {}
            Node::Not(a) | Node::Negate(a) => a.walk(visit),
            Node::Logic(_, a, b) | Node::Compare(_, a, b) | Node::Arithmetic(_, a, b, _) => {
                a.walk(visit);
                b.walk(visit);
            }
            Node::Call(_, arguments) => arguments.iter().for_each(|a| a.walk(visit)),
            Node::In(item, list, _) => {
                item.walk(visit);
                list.iter().for_each(|a| a.walk(visit));
            }
        }
    }
}

pub(super) fn check(tree: Tree, names: &Names<'_>) -> Result<Expr, Error> {
    let span = tree.span;
    let (node, kind) = match tree.node {
        Branch::Number(value, None) => (Node::Literal(Value::Number(value)), Kind::Plain),
        Branch::Number(value, Some(unit)) => {
            (Node::Literal(Value::Number(value)), Kind::Number(unit))
        }
        Branch::Bool(value) => (Node::Literal(Value::Bool(value)), Kind::Bool),
        Branch::Text(value) => (Node::Literal(Value::Text(value)), Kind::Text),
        Branch::Name(name) => resolve(&name, &span, names)?,
        Branch::Not(inner) => {
            let inner = check(*inner, names)?;
            needs(&inner, Kind::Bool)?;
            (Node::Not(Box::new(inner)), Kind::Bool)
        }
        Branch::Negate(inner) => {
            let inner = check(*inner, names)?;
            needs_number(&inner)?;
            let kind = inner.kind;
            (Node::Negate(Box::new(inner)), kind)
        }
        Branch::Binary(operator, left, right) => {
            let (left, right) = (check(*left, names)?, check(*right, names)?);
            binary(operator, left, right)?
        }
        Branch::In { item, list, inside } => membership(*item, list, inside, names)?,
        Branch::Call(name, arguments) if name == "known" => known(arguments, &span, names)?,
        Branch::Call(name, arguments) => call(&name, arguments, &span, names)?,
    };
    Ok(Expr { node, span, kind })
}

/// A name is a let of the rule or a fact within its reach.
fn resolve(name: &str, span: &Range<usize>, names: &Names<'_>) -> Result<(Node, Kind), Error> {
    if let Some(index) = names.lets.iter().position(|(own, _)| own == name) {
        return Ok((Node::Let(index), names.lets[index].1));
    }
    let fact = fact_in_reach(name, names).map_err(|error| Error {
        span: span.clone(),
        ..error
    })?;
    Ok((Node::Fact(fact), fact.of.into()))
}

/// Finds a fact that a rule of this scope can see. The error's span is empty.
pub(crate) fn fact_in_reach(name: &str, names: &Names<'_>) -> Result<&'static Fact, Error> {
    let Some(fact) = facts::named(name) else {
        let lets = names.lets.iter().map(|(name, _)| name.as_str());
        let known = facts::ALL.iter().map(|fact| fact.name).chain(lets);
        let error = Error::new(0..0, format!("unknown fact `{name}`"));
        return Err(error.help(did_you_mean(name, known)));
    };
    if names.scope.reach().contains(&fact.scope) {
        return Ok(fact);
    }
    let message = format!(
        "`{name}` is about the {}, which a rule about the {} cannot see",
        fact.scope, names.scope
    );
    Err(Error::new(0..0, message))
}

fn needs(expr: &Expr, kind: Kind) -> Result<(), Error> {
    if expr.kind == kind {
        return Ok(());
    }
    let message = format!("{kind} is needed here, but this is {}", expr.kind);
    Err(Error::new(expr.span.clone(), message))
}

fn needs_number(expr: &Expr) -> Result<(), Error> {
    if expr.kind.is_number() {
        return Ok(());
    }
    let message = format!("a number is needed here, but this is {}", expr.kind);
    Err(Error::new(expr.span.clone(), message))
}

/// The kind that two sides share, or an error on the right one.
fn agree(left: &Expr, right: &Expr) -> Result<Kind, Error> {
    left.kind.meet(right.kind).ok_or_else(|| {
        let message = format!("this is {}, but the left side is {}", right.kind, left.kind);
        let error = Error::new(right.span.clone(), message);
        let plain = match (left.kind, right.kind) {
            (Kind::Number(unit), Kind::Plain) | (Kind::Plain, Kind::Number(unit)) => {
                let example = crate::units::example(unit);
                Some(format!("give the number a unit, like {example}"))
            }
            _ => None,
        };
        error.help(plain)
    })
}

fn binary(operator: Operator, left: Expr, right: Expr) -> Result<(Node, Kind), Error> {
    let (kind, factor) = match operator {
        Operator::And | Operator::Or => {
            needs(&left, Kind::Bool)?;
            needs(&right, Kind::Bool)?;
            let node = Node::Logic(operator, Box::new(left), Box::new(right));
            return Ok((node, Kind::Bool));
        }
        Operator::Equal | Operator::Unequal => {
            agree(&left, &right)?;
            let node = Node::Compare(operator, Box::new(left), Box::new(right));
            return Ok((node, Kind::Bool));
        }
        Operator::Less | Operator::AtMost | Operator::Greater | Operator::AtLeast => {
            needs_number(&left)?;
            agree(&left, &right)?;
            let node = Node::Compare(operator, Box::new(left), Box::new(right));
            return Ok((node, Kind::Bool));
        }
        Operator::Add | Operator::Subtract => {
            needs_number(&left)?;
            (agree(&left, &right)?, 1.0)
        }
        Operator::Multiply | Operator::Divide => product(operator, &left, &right)?,
    };
    let node = Node::Arithmetic(operator, Box::new(left), Box::new(right), factor);
    Ok((node, kind))
}

/// The kind of a product or quotient, and the factor between nanoseconds and seconds.
fn product(operator: Operator, left: &Expr, right: &Expr) -> Result<(Kind, f64), Error> {
    needs_number(left)?;
    needs_number(right)?;
    let (kind, sign) = match operator {
        Operator::Multiply => (multiplied(left.kind, right.kind), 1),
        _ => (divided(left.kind, right.kind), -1),
    };
    let Some(kind) = kind else {
        let verb = if sign == 1 { "multiplied" } else { "divided" };
        let message = format!("{} cannot be {verb} by {}", left.kind, right.kind);
        return Err(Error::new(left.span.start..right.span.end, message));
    };
    let nanos = kind.nanos() - (left.kind.nanos() + sign * right.kind.nanos());
    Ok((kind, 1e9f64.powi(nanos)))
}

pub(super) fn multiplied(left: Kind, right: Kind) -> Option<Kind> {
    use Unit::{Count, Ratio};
    let ((a, b), (c, d)) = (left.dimension()?, right.dimension()?);
    match (left, right) {
        (Kind::Plain, other) | (other, Kind::Plain) => Some(other),
        (Kind::Number(Ratio), Kind::Number(Ratio)) => Some(Kind::Number(Ratio)),
        _ => of_dimension(a + c, b + d, Count),
    }
}

pub(super) fn divided(left: Kind, right: Kind) -> Option<Kind> {
    use Unit::{Count, Ratio};
    let ((a, b), (c, d)) = (left.dimension()?, right.dimension()?);
    match (left, right) {
        (Kind::Plain, Kind::Plain) => Some(Kind::Plain),
        (n, Kind::Plain) => Some(n),
        (n, m) if n == m => Some(Kind::Number(Ratio)),
        (Kind::Number(Count), Kind::Number(Ratio)) => Some(Kind::Number(Count)),
        _ => of_dimension(a - c, b - d, if (c, d) == (0, 0) { Ratio } else { Count }),
    }
}

fn of_dimension(bytes: i8, time: i8, without: Unit) -> Option<Kind> {
    Some(Kind::Number(match (bytes, time) {
        (0, 0) => without,
        (0, 1) => Unit::Duration,
        (1, 0) => Unit::Size,
        (0, -1) => Unit::Rate,
        (1, -1) => Unit::Throughput,
        _ => return None,
    }))
}

fn membership(
    item: Tree,
    list: Vec<Tree>,
    inside: bool,
    names: &Names<'_>,
) -> Result<(Node, Kind), Error> {
    let item = check(item, names)?;
    let mut checked = Vec::with_capacity(list.len());
    for entry in list {
        let entry = check(entry, names)?;
        if !matches!(entry.node, Node::Literal(_)) {
            let message = "a list holds texts and numbers, nothing to look up";
            return Err(Error::new(entry.span, message));
        }
        if item.kind.meet(entry.kind).is_none() {
            let message = format!(
                "this is {}, but what is looked for is {}",
                entry.kind, item.kind
            );
            return Err(Error::new(entry.span, message));
        }
        checked.push(entry);
    }
    if checked.is_empty() {
        return Err(Error::new(item.span, "the list after this is empty"));
    }
    Ok((Node::In(Box::new(item), checked, inside), Kind::Bool))
}

fn known(
    arguments: Vec<Tree>,
    span: &Range<usize>,
    names: &Names<'_>,
) -> Result<(Node, Kind), Error> {
    let wrong = || Error::new(span.clone(), "known() takes the name of one fact");
    let [argument] = <[Tree; 1]>::try_from(arguments).map_err(|_| wrong())?;
    match check(argument, names)?.node {
        Node::Fact(fact) => Ok((Node::Known(fact), Kind::Bool)),
        _ => Err(wrong()),
    }
}

fn call(
    name: &str,
    arguments: Vec<Tree>,
    span: &Range<usize>,
    names: &Names<'_>,
) -> Result<(Node, Kind), Error> {
    let (function, takes) = match name {
        "min" => (Function::Min, 2..=8),
        "max" => (Function::Max, 2..=8),
        "abs" => (Function::Abs, 1..=1),
        "clamp" => (Function::Clamp, 3..=3),
        _ => {
            let name_span = span.start..span.start + name.len();
            let error = Error::new(name_span, format!("unknown function `{name}`"));
            return Err(error.help(did_you_mean(name, FUNCTIONS.iter().copied())));
        }
    };
    if !takes.contains(&arguments.len()) {
        let message = match takes.start() == takes.end() {
            true => format!("{name}() takes {}, not {}", takes.start(), arguments.len()),
            false => format!("{name}() takes {} to {} values", takes.start(), takes.end()),
        };
        return Err(Error::new(span.clone(), message));
    }
    let mut checked: Vec<Expr> = Vec::with_capacity(arguments.len());
    let mut kind = Kind::Plain;
    for (index, argument) in arguments.into_iter().enumerate() {
        let argument = check(argument, names)?;
        needs_number(&argument)?;
        kind = match index {
            0 => argument.kind,
            _ => kind.meet(argument.kind).ok_or_else(|| {
                let message = format!(
                    "this is {}, but the value before it is {kind}",
                    argument.kind
                );
                Error::new(argument.span.clone(), message)
            })?,
        };
        checked.push(argument);
    }
    Ok((Node::Call(function, checked), kind))
}
