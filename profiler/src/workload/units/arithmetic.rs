//! Sums and products of sizes: `+ - * / ( )`, checked, on whole numbers.

use super::{Base, Size};
use std::iter::Peekable;
use std::str::Chars;

/// Parentheses deeper than this are a mistake, and would cost stack.
const DEPTH: u32 = 32;

pub(super) fn evaluate(text: &str, base: Base) -> Result<Size, String> {
    let mut parser = Parser {
        rest: text.chars().peekable(),
        base,
        inverted: false,
        depth: 0,
    };
    let bytes = parser.sum().and_then(|n| match parser.peek() {
        None => Ok(n),
        Some(c) => Err(format!("`{c}` is out of place")),
    });
    match bytes {
        Ok(bytes) => Ok(Size {
            bytes,
            inverted: parser.inverted,
        }),
        Err(why) => Err(format!("`{text}` is not a size: {why}")),
    }
}

struct Parser<'a> {
    rest: Peekable<Chars<'a>>,
    base: Base,
    inverted: bool,
    depth: u32,
}

impl Parser<'_> {
    fn peek(&mut self) -> Option<char> {
        while self.rest.next_if(|c| c.is_ascii_whitespace()).is_some() {}
        self.rest.peek().copied()
    }

    fn sum(&mut self) -> Result<u64, String> {
        let mut left = self.product()?;
        while let Some(sign @ ('+' | '-')) = self.peek() {
            self.rest.next();
            let right = self.product()?;
            left = match sign {
                '+' => left.checked_add(right).ok_or("it is too large")?,
                _ => left.checked_sub(right).ok_or("it is below zero")?,
            };
        }
        Ok(left)
    }

    fn product(&mut self) -> Result<u64, String> {
        let mut left = self.value()?;
        while let Some(sign @ ('*' | '/')) = self.peek() {
            self.rest.next();
            let right = self.value()?;
            left = match sign {
                '*' => left.checked_mul(right).ok_or("it is too large")?,
                _ => left.checked_div(right).ok_or("it divides by zero")?,
            };
        }
        Ok(left)
    }

    fn value(&mut self) -> Result<u64, String> {
        match self.peek() {
            Some('(') if self.depth < DEPTH => {
                self.rest.next();
                self.depth += 1;
                let inner = self.sum()?;
                self.depth -= 1;
                match self.peek() {
                    Some(')') => self.rest.next(),
                    _ => return Err("a `)` is missing".to_owned()),
                };
                Ok(inner)
            }
            Some('(') => Err("too many parentheses".to_owned()),
            Some(c) if c.is_ascii_digit() => self.number(),
            Some(c) => Err(format!("a number is expected before `{c}`")),
            None => Err("a number is missing".to_owned()),
        }
    }

    fn number(&mut self) -> Result<u64, String> {
        let mut radix = 10;
        let mut digits = String::new();
        while let Some(c) = self.rest.next_if(|c| c.is_digit(radix) || *c == 'x') {
            if c != 'x' {
                digits.push(c);
            } else if digits == "0" && radix == 10 {
                radix = 16;
            } else {
                return Err("`x` is out of place".to_owned());
            }
        }
        let number = u64::from_str_radix(&digits, radix).map_err(|_| "the number is too large")?;
        if self.rest.peek() == Some(&'.') {
            return Err("fractions are not allowed, use a smaller unit".to_owned());
        }
        let mut suffix = String::new();
        while let Some(c) = self.rest.next_if(char::is_ascii_alphabetic) {
            suffix.push(c.to_ascii_lowercase());
        }
        number
            .checked_mul(self.factor(&suffix)?)
            .ok_or_else(|| "it is too large".to_owned())
    }

    fn factor(&mut self, suffix: &str) -> Result<u64, String> {
        let unknown = || format!("the suffix `{suffix}` is unknown (k, m, g, t, p)");
        let mut letters = suffix.chars();
        let power = match letters.next() {
            None => return Ok(1),
            Some('b') if suffix == "b" => return Ok(1),
            Some('k') => 1,
            Some('m') => 2,
            Some('g') => 3,
            Some('t') => 4,
            Some('p') => 5,
            Some(_) => return Err(unknown()),
        };
        let thousand = match (letters.as_str(), self.base) {
            ("" | "b" | "i", Base::K1024) => 1024,
            ("" | "b" | "i", Base::K1000) => 1000,
            ("ib", Base::K1024) => {
                self.inverted = true;
                1000
            }
            ("ib", Base::K1000) => 1024,
            _ => return Err(unknown()),
        };
        Ok(u64::pow(thousand, power))
    }
}
