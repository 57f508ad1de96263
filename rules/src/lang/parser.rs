//! Tokens to a tree, by precedence. Nesting is bounded, so no text can exhaust the stack.

use super::Error;
use super::lexer::{Token, Tokens, lex};
use crate::facts::Unit;
use std::ops::Range;

/// Deepest tree. Rules that people can read stay below ten.
const DEEPEST: usize = 64;

/// An expression before its types are known.
#[derive(Debug)]
pub(super) struct Tree {
    pub(super) node: Branch,
    pub(super) span: Range<usize>,
    depth: usize,
    /// Stands in parentheses.
    grouped: bool,
}

#[derive(Debug)]
pub(super) enum Branch {
    Number(f64, Option<Unit>),
    Bool(bool),
    Text(String),
    Name(String),
    Call(String, Vec<Tree>),
    Not(Box<Tree>),
    Negate(Box<Tree>),
    Binary(Operator, Box<Tree>, Box<Tree>),
    In {
        item: Box<Tree>,
        list: Vec<Tree>,
        inside: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Or,
    And,
    Equal,
    Unequal,
    Less,
    AtMost,
    Greater,
    AtLeast,
    Add,
    Subtract,
    Multiply,
    Divide,
}

/// How tightly an operator binds; comparisons do not chain.
const COMPARISON: u8 = 4;

impl Operator {
    fn of(token: Token<'_>) -> Option<(Self, u8)> {
        Some(match token {
            Token::Name("or") => (Self::Or, 1),
            Token::Name("and") => (Self::And, 2),
            Token::Symbol(symbol) => match symbol {
                "==" => (Self::Equal, COMPARISON),
                "!=" => (Self::Unequal, COMPARISON),
                "<" => (Self::Less, COMPARISON),
                "<=" => (Self::AtMost, COMPARISON),
                ">" => (Self::Greater, COMPARISON),
                ">=" => (Self::AtLeast, COMPARISON),
                "+" => (Self::Add, 5),
                "-" => (Self::Subtract, 5),
                "*" => (Self::Multiply, 6),
                "/" => (Self::Divide, 6),
                _ => return None,
            },
            _ => return None,
        })
    }
}

pub(super) fn parse(text: &str) -> Result<Tree, Error> {
    let mut parser = Parser {
        end: text.len(),
        tokens: lex(text)?,
        next: 0,
    };
    if parser.tokens.is_empty() {
        return Err(Error::new(0..text.len(), "there is no expression here"));
    }
    let tree = parser.expression(1, 0)?;
    match parser.peek() {
        None => Ok(tree),
        Some(_) => {
            let error = Error::new(parser.here(), "an operator or the end is needed here");
            Err(error.help("join conditions with `and` or `or`".to_owned()))
        }
    }
}

struct Parser<'a> {
    tokens: Tokens<'a>,
    next: usize,
    end: usize,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<Token<'a>> {
        self.tokens.get(self.next).map(|(token, _)| *token)
    }

    /// Where the next token stands, or the end of the text.
    fn here(&self) -> Range<usize> {
        match self.tokens.get(self.next) {
            Some((_, span)) => span.clone(),
            None => self.end..self.end,
        }
    }

    fn eat(&mut self, token: Token<'_>) -> bool {
        let found = self.peek() == Some(token);
        self.next += usize::from(found);
        found
    }

    /// An expression of operators that bind at least as tightly as `least`.
    fn expression(&mut self, least: u8, depth: usize) -> Result<Tree, Error> {
        let mut left = self.operand(depth + 1)?;
        loop {
            if least <= COMPARISON && self.starts_membership() {
                left = self.membership(left, depth)?;
                continue;
            }
            let Some((operator, binding)) = self.peek().and_then(Operator::of) else {
                return Ok(left);
            };
            if binding < least {
                return Ok(left);
            }
            if binding == COMPARISON && is_comparison(&left) {
                let error = Error::new(self.here(), "comparisons do not chain");
                return Err(error.help("write `a < b and b < c`".to_owned()));
            }
            self.next += 1;
            let right = self.expression(binding + 1, depth + 1)?;
            let span = left.span.start..right.span.end;
            let below = left.depth.max(right.depth);
            let node = Branch::Binary(operator, Box::new(left), Box::new(right));
            left = grow(node, span, below)?;
        }
    }

    fn starts_membership(&self) -> bool {
        let second = self.tokens.get(self.next + 1).map(|(token, _)| *token);
        match self.peek() {
            Some(Token::Name("in")) => true,
            Some(Token::Name("not")) => second == Some(Token::Name("in")),
            _ => false,
        }
    }

    /// `in ["a", "b"]` or `not in ["a", "b"]`, after its item.
    fn membership(&mut self, item: Tree, depth: usize) -> Result<Tree, Error> {
        let inside = !self.eat(Token::Name("not"));
        self.eat(Token::Name("in"));
        let open = self.here();
        if !self.eat(Token::Symbol("[")) {
            let error = Error::new(open, "a list is needed after `in`");
            return Err(error.help("write it like [\"ext3\", \"ext4\"]".to_owned()));
        }
        let list = self.list("]", open, depth)?;
        let span = item.span.start..self.tokens[self.next - 1].1.end;
        let below = list
            .iter()
            .map(|tree| tree.depth)
            .max()
            .unwrap_or(0)
            .max(item.depth);
        let item = Box::new(item);
        grow(Branch::In { item, list, inside }, span, below)
    }

    /// Expressions between commas up to the closing symbol; `open` is what it closes.
    fn list(
        &mut self,
        close: &'static str,
        open: Range<usize>,
        depth: usize,
    ) -> Result<Vec<Tree>, Error> {
        let mut list = Vec::new();
        if self.eat(Token::Symbol(close)) {
            return Ok(list);
        }
        loop {
            list.push(self.expression(1, depth + 1)?);
            if self.eat(Token::Symbol(close)) {
                return Ok(list);
            }
            if !self.eat(Token::Symbol(",")) {
                return Err(match self.peek() {
                    Some(_) => Error::new(self.here(), format!("`,` or `{close}` is needed here")),
                    None => Error::new(open, format!("this is never closed by `{close}`")),
                });
            }
        }
    }

    fn operand(&mut self, depth: usize) -> Result<Tree, Error> {
        if depth > DEEPEST {
            return Err(too_deep(self.here()));
        }
        let span = self.here();
        let Some(token) = self.peek() else {
            return Err(Error::new(
                span,
                "an operand is needed here, but the text ends",
            ));
        };
        self.next += 1;
        let node = match token {
            Token::Number(value, unit) => Branch::Number(value, unit),
            Token::Text(text) => Branch::Text(text.to_owned()),
            Token::Name("true") => Branch::Bool(true),
            Token::Name("false") => Branch::Bool(false),
            Token::Name("not") => {
                // Binds more loosely than comparisons: `not a == b` negates the comparison.
                let inner = self.expression(3, depth + 1)?;
                let (span, below) = (span.start..inner.span.end, inner.depth);
                return grow(Branch::Not(Box::new(inner)), span, below);
            }
            Token::Symbol("-") => {
                let inner = self.operand(depth + 1)?;
                let (span, below) = (span.start..inner.span.end, inner.depth);
                return grow(Branch::Negate(Box::new(inner)), span, below);
            }
            Token::Symbol("(") => return self.parenthesis(span, depth),
            Token::Name(name) if !KEYWORDS.contains(&name) => return self.name(name, span, depth),
            Token::Name(_) | Token::Symbol(_) => {
                return Err(Error::new(
                    span,
                    "a fact, a number or a parenthesis is needed here",
                ));
            }
        };
        grow(node, span, 0)
    }

    fn parenthesis(&mut self, open: Range<usize>, depth: usize) -> Result<Tree, Error> {
        let inner = self.expression(1, depth + 1)?;
        let close = self.here();
        if !self.eat(Token::Symbol(")")) {
            return Err(match self.peek() {
                Some(_) => Error::new(close, "an operator or `)` is needed here"),
                None => Error::new(open, "this parenthesis is never closed"),
            });
        }
        Ok(Tree {
            span: open.start..close.end,
            grouped: true,
            ..inner
        })
    }

    /// A name, or a call if a parenthesis follows.
    fn name(&mut self, name: &str, span: Range<usize>, depth: usize) -> Result<Tree, Error> {
        let open = self.here();
        if !self.eat(Token::Symbol("(")) {
            return grow(Branch::Name(name.to_owned()), span, 0);
        }
        let arguments = self.list(")", open, depth)?;
        let span = span.start..self.tokens[self.next - 1].1.end;
        let below = arguments.iter().map(|tree| tree.depth).max().unwrap_or(0);
        grow(Branch::Call(name.to_owned(), arguments), span, below)
    }
}

const KEYWORDS: &[&str] = &["and", "or", "not", "in", "true", "false"];

/// Whether a name may not be given to a let.
pub(super) fn is_keyword(name: &str) -> bool {
    KEYWORDS.contains(&name)
}

fn is_comparison(tree: &Tree) -> bool {
    use Operator::{AtLeast, AtMost, Equal, Greater, Less, Unequal};
    let compares = matches!(
        tree.node,
        Branch::Binary(Equal | Unequal | Less | AtMost | Greater | AtLeast, ..)
    );
    compares && !tree.grouped
}

fn grow(node: Branch, span: Range<usize>, below: usize) -> Result<Tree, Error> {
    if below + 1 > DEEPEST {
        return Err(too_deep(span));
    }
    Ok(Tree {
        node,
        span,
        depth: below + 1,
        grouped: false,
    })
}

fn too_deep(span: Range<usize>) -> Error {
    let message = format!("this is nested more than {DEEPEST} deep");
    Error::new(span, message).help("split it with [let]".to_owned())
}
