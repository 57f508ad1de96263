//! What is wrong with a rule file, and where: rendered with the line it is about.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// A file of rules as text; reading it is somebody else's work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The id of the rule in it: its path in the library without `.toml`.
    pub id: String,
    /// The path to show.
    pub path: String,
    pub text: String,
}

/// One mistake in one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    source: Arc<Source>,
    span: Range<usize>,
    pub message: String,
    pub help: Option<String>,
}

impl Diagnostic {
    /// A span outside the text, or inside a character, is moved to the nearest place within.
    pub(crate) fn new(
        source: &Arc<Source>,
        span: Range<usize>,
        message: impl Into<String>,
        help: Option<String>,
    ) -> Self {
        let text = &source.text;
        // The end of a file is the end of its last line, not the empty line after it.
        let last = text.trim_end_matches(['\n', '\r']).len();
        let start = text.floor_char_boundary(span.start.min(last));
        let end = text.ceil_char_boundary(span.end.clamp(start, last));
        Self {
            source: Arc::clone(source),
            span: start..end,
            message: message.into(),
            help,
        }
    }

    pub fn path(&self) -> &str {
        &self.source.path
    }

    /// Line and column, counted from 1, the column in characters.
    pub fn position(&self) -> (usize, usize) {
        let before = &self.source.text[..self.span.start];
        let line = before.matches('\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        (line, before[start..].chars().count() + 1)
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The renderer wants something to underline, and knows no control characters but tabs.
        let text = shown(&self.source.text);
        let snippet = Snippet::source(text)
            .path(self.source.path.as_str())
            .annotation(AnnotationKind::Primary.span(self.span.clone()));
        let title = Level::ERROR.primary_title(self.message.as_str());
        let mut group = Group::with_title(title).element(snippet);
        if let Some(help) = &self.help {
            group = group.element(Level::HELP.message(help.as_str()));
        }
        f.write_str(&Renderer::plain().render(&[group]))
    }
}

/// The text with control characters of one byte replaced by spaces, so that spans stay right.
fn shown(text: &str) -> String {
    let plain = |c: char| c.is_ascii_control() && c != '\n' && c != '\t';
    text.replace(plain, " ")
}

/// Everything that is wrong with a set of files; never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Errors(pub(crate) Vec<Diagnostic>);

impl Errors {
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.0
    }
}

impl fmt::Display for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, diagnostic) in self.0.iter().enumerate() {
            let gap = if index == 0 { "" } else { "\n\n" };
            write!(f, "{gap}{diagnostic}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Errors {}
