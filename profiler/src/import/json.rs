//! A JSON reader for what tools print: it keeps repeated keys and says where a text ends.

/// A value. Numbers stay text, so that none loses digits.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Json {
    /// Also `nan` and `inf`, which some versions print.
    Null,
    Bool(bool),
    Number(String),
    Text(String),
    List(Vec<Json>),
    /// In order, repeated keys included.
    Object(Vec<(String, Json)>),
}

/// Why a text is no JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// Byte in the text.
    pub(super) at: usize,
    /// Where in the document: `jobs[0].read`.
    pub(super) inside: String,
    /// The text ended before the document did.
    pub(super) ended: bool,
}

/// Deeper documents are refused.
const DEPTH_LIMIT: usize = 64;

impl Json {
    /// The last value of that name; `None` for what is no object.
    pub(super) fn get(&self, name: &str) -> Option<&Self> {
        self.members()
            .iter()
            .rev()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value)
    }

    pub(super) fn members(&self) -> &[(String, Self)] {
        match self {
            Self::Object(members) => members,
            _ => &[],
        }
    }

    pub(super) fn items(&self) -> &[Self] {
        match self {
            Self::List(items) => items,
            _ => &[],
        }
    }

    /// A number, also one in quotes.
    pub(super) fn f64(&self) -> Option<f64> {
        match self {
            Self::Number(text) | Self::Text(text) => {
                text.trim().parse().ok().filter(|n: &f64| n.is_finite())
            }
            _ => None,
        }
    }

    /// A whole number, also one in quotes.
    pub(super) fn u64(&self) -> Option<u64> {
        match self {
            Self::Number(text) | Self::Text(text) => {
                let whole = text.trim().parse().ok();
                whole.or_else(|| {
                    self.f64()
                        .filter(|n| *n >= 0.0 && *n < 1.8e19)
                        .map(|n| n as u64)
                })
            }
            _ => None,
        }
    }

    /// Text, or a number as it was written.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Number(text) | Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// `true`, `1`, `"1"`, `"yes"`.
    pub(super) fn truth(&self) -> Option<bool> {
        match self {
            Self::Bool(truth) => Some(*truth),
            _ => match self.text()? {
                "1" | "true" | "yes" => Some(true),
                "0" | "false" | "no" => Some(false),
                _ => None,
            },
        }
    }
}

/// Reads the document that begins at byte `at`, and says where it ends.
pub(super) fn parse(text: &str, at: usize) -> Result<(Json, usize), Fault> {
    let mut parser = Parser {
        bytes: text.as_bytes(),
        at,
        path: Vec::new(),
    };
    let value = parser.value()?;
    Ok((value, parser.at))
}

enum Step {
    Key(String),
    Index(usize),
}

struct Parser<'a> {
    bytes: &'a [u8],
    at: usize,
    path: Vec<Step>,
}

impl Parser<'_> {
    fn fault(&self) -> Fault {
        let mut inside = String::new();
        for step in &self.path {
            match step {
                Step::Key(key) if inside.is_empty() => inside.push_str(key),
                Step::Key(key) => {
                    inside.push('.');
                    inside.push_str(key);
                }
                Step::Index(index) => inside.push_str(&format!("[{index}]")),
            }
        }
        Fault {
            at: self.at,
            inside,
            ended: self.at >= self.bytes.len(),
        }
    }

    fn space(&mut self) {
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    fn next(&mut self) -> Result<u8, Fault> {
        self.space();
        self.bytes.get(self.at).copied().ok_or_else(|| self.fault())
    }

    fn value(&mut self) -> Result<Json, Fault> {
        if self.path.len() > DEPTH_LIMIT {
            return Err(self.fault());
        }
        match self.next()? {
            b'{' => self.object(),
            b'[' => self.list(),
            b'"' => self.string().map(Json::Text),
            _ => self.word(),
        }
    }

    fn object(&mut self) -> Result<Json, Fault> {
        self.at += 1;
        let mut members = Vec::new();
        loop {
            match self.next()? {
                b'}' => break,
                b',' if !members.is_empty() => self.at += 1,
                b'"' => {
                    let key = self.string()?;
                    if self.next()? != b':' {
                        return Err(self.fault());
                    }
                    self.at += 1;
                    self.path.push(Step::Key(key.clone()));
                    let value = self.value()?;
                    self.path.pop();
                    members.push((key, value));
                    self.separated(b'}')?;
                }
                _ => return Err(self.fault()),
            }
        }
        self.at += 1;
        Ok(Json::Object(members))
    }

    fn list(&mut self) -> Result<Json, Fault> {
        self.at += 1;
        let mut items = Vec::new();
        loop {
            match self.next()? {
                b']' => break,
                b',' if !items.is_empty() => self.at += 1,
                _ => {
                    self.path.push(Step::Index(items.len()));
                    items.push(self.value()?);
                    self.path.pop();
                    self.separated(b']')?;
                }
            }
        }
        self.at += 1;
        Ok(Json::List(items))
    }

    /// After an element comes a comma or the end; a comma too many before the end is let pass.
    fn separated(&mut self, end: u8) -> Result<(), Fault> {
        match self.next()? {
            byte if byte == end || byte == b',' => Ok(()),
            _ => Err(self.fault()),
        }
    }

    fn string(&mut self) -> Result<String, Fault> {
        self.at += 1;
        let mut bytes = Vec::new();
        loop {
            let byte = *self.bytes.get(self.at).ok_or_else(|| self.fault())?;
            self.at += 1;
            match byte {
                b'"' => break,
                b'\\' => self.escape(&mut bytes)?,
                _ => bytes.push(byte),
            }
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn escape(&mut self, bytes: &mut Vec<u8>) -> Result<(), Fault> {
        let byte = *self.bytes.get(self.at).ok_or_else(|| self.fault())?;
        self.at += 1;
        match byte {
            b'n' => bytes.push(b'\n'),
            b't' => bytes.push(b'\t'),
            b'r' => bytes.push(b'\r'),
            b'b' | b'f' => bytes.push(b' '),
            b'u' => {
                let digits = self.bytes.get(self.at..self.at + 4);
                let digits = digits.and_then(|d| std::str::from_utf8(d).ok());
                let code = digits.and_then(|d| u32::from_str_radix(d, 16).ok());
                let code = code.ok_or_else(|| self.fault())?;
                self.at += 4;
                let c = char::from_u32(code).unwrap_or('\u{fffd}');
                bytes.extend(c.to_string().as_bytes());
            }
            other => bytes.push(other),
        }
        Ok(())
    }

    fn word(&mut self) -> Result<Json, Fault> {
        let begin = self.at;
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
        while self.bytes.get(self.at).is_some_and(is_part) {
            self.at += 1;
        }
        // A word at the very end may have been cut.
        if self.at >= self.bytes.len() && !self.path.is_empty() {
            return Err(self.fault());
        }
        let word = String::from_utf8_lossy(&self.bytes[begin..self.at]).into_owned();
        match word.as_str() {
            "true" => Ok(Json::Bool(true)),
            "false" => Ok(Json::Bool(false)),
            "null" | "nan" | "-nan" | "inf" | "-inf" => Ok(Json::Null),
            _ if word.parse::<f64>().is_ok_and(f64::is_finite) => Ok(Json::Number(word)),
            _ => {
                self.at = begin;
                Err(self.fault())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn repeated_keys_are_kept_and_the_last_one_is_got() {
        let (value, end) = parse(r#"{"a": 1, "a": 2.5} rest"#, 0).unwrap();
        assert_eq!(value.members().len(), 2);
        assert_eq!(value.get("a").and_then(Json::f64), Some(2.5));
        assert_eq!(end, 18);
    }

    #[test]
    fn a_cut_text_says_where_it_ends() {
        let text = r#"{"jobs": [{"read": {"bw": 1"#;
        let fault = parse(text, 0).unwrap_err();
        assert_eq!(fault.at, text.len());
        assert_eq!(fault.inside, "jobs[0].read.bw");
        assert!(fault.ended);
    }

    #[test]
    fn what_is_no_number_is_null() {
        let (value, _) = parse(r#"{"x": -nan, "y": 18446744073709551615,}"#, 0).unwrap();
        assert_eq!(value.get("x"), Some(&Json::Null));
        assert_eq!(value.get("y").and_then(Json::u64), Some(u64::MAX));
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "[\\[\\]{}\",:0-9a-z\\\\ u]{0,60}") {
            let _ = parse(&text, 0);
        }
    }
}
