//! Shell commands of a rule, and the type of those that may be shown to people.
//!
//! A [`Safe`] is made in one place, [`Command::fill`], after the check of [`super::forbidden`]
//! has seen the command with its holes filled. Nothing else can put a command into a finding.

use super::forbidden::{Manner, forbidden};
use super::prose::{self, Part, Style};
use crate::facts::{Type, Unit};
use crate::lang::{Error, Missing, Names, Scene};

/// What a command is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Apply,
    Persist,
    Undo,
}

/// A checked command with holes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Command {
    /// As written, with its holes.
    pub(crate) text: String,
    parts: Vec<(Part, Quote)>,
    manner: Manner,
}

/// A command that is filled in, quoted for the shell, and does nothing that is forbidden.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Safe(String);

impl Safe {
    pub(crate) fn into_text(self) -> String {
        self.0
    }
}

/// Why a command cannot be given.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Unfit {
    Missing(Vec<Missing>),
    /// Filled in, it would do this.
    Forbidden(&'static str),
}

/// What surrounds a hole in a shell command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quote {
    Bare,
    Single,
    Double,
    /// In an instruction for people, nothing is quoted.
    Never,
}

impl Command {
    pub(crate) fn parse(text: &str, role: Role, names: &Names<'_>) -> Result<Self, Error> {
        let manner = manner(text, role);
        let whole = || 0..text.len();
        if let Some(deed) = forbidden(text, manner) {
            return Err(Error {
                span: whole(),
                message: format!("no rule may {deed}"),
                help: (role == Role::Undo)
                    .then(|| "leave undo empty, and say `not offered` in the advice".to_owned()),
            });
        }
        let mut quote = if manner == Manner::Instruction {
            Quote::Never
        } else {
            Quote::Bare
        };
        let mut parts = Vec::new();
        for (part, span) in prose::parse(text, names)? {
            if let Part::Value(reference, Style::People) = &part
                && let Type::Number(unit) = reference.kind().as_type()
                && unit != Unit::Count
                && manner != Manner::Instruction
            {
                let message = format!("a command needs a bare number here, but this is {unit}");
                let help = "say in which unit, like {name:KiB} or {name:int}";
                return Err(Error {
                    span,
                    message,
                    help: Some(help.to_owned()),
                });
            }
            if let Part::Plain(plain) = &part {
                quote = after(plain, quote);
            }
            parts.push((part, quote));
        }
        if matches!(quote, Quote::Single | Quote::Double) {
            return Err(Error {
                span: whole(),
                message: "a quote of this command is never closed".to_owned(),
                help: None,
            });
        }
        Ok(Self {
            text: text.to_owned(),
            parts,
            manner,
        })
    }

    pub(crate) fn fill(&self, scene: &Scene<'_>) -> Result<Safe, Unfit> {
        let mut text = String::new();
        let mut missing = Vec::new();
        for (part, quote) in &self.parts {
            match part.fill(scene) {
                Ok(piece) if matches!(part, Part::Plain(_)) => text.push_str(&piece),
                Ok(piece) => text.push_str(&quoted(&piece, *quote)),
                Err(more) => crate::lang::eval::merge(&mut missing, more),
            }
        }
        if !missing.is_empty() {
            return Err(Unfit::Missing(missing));
        }
        match forbidden(&text, self.manner) {
            Some(deed) => Err(Unfit::Forbidden(deed)),
            None => Ok(Safe(text)),
        }
    }
}

/// `in /etc/fstab, replace ...` is an instruction for people; everything else runs in a shell.
fn manner(text: &str, role: Role) -> Manner {
    match role {
        Role::Persist | Role::Undo if text.trim_start().starts_with("in /") => Manner::Instruction,
        Role::Persist => Manner::Persistent,
        Role::Apply | Role::Undo => Manner::Shell,
    }
}

/// The quoting in force after a piece of shell text.
fn after(plain: &str, mut quote: Quote) -> Quote {
    let mut chars = plain.chars();
    while let Some(c) = chars.next() {
        quote = match (quote, c) {
            (Quote::Never, _) => Quote::Never,
            (Quote::Bare | Quote::Double, '\\') => {
                chars.next();
                quote
            }
            (Quote::Bare, '\'') => Quote::Single,
            (Quote::Bare, '"') => Quote::Double,
            (Quote::Single, '\'') | (Quote::Double, '"') => Quote::Bare,
            (quote, _) => quote,
        };
    }
    quote
}

/// A word as the shell must read it where it stands.
fn quoted(word: &str, quote: Quote) -> String {
    let harmless = |c: char| c.is_ascii_alphanumeric() || "_./:@%+=,-".contains(c);
    match quote {
        Quote::Never => word.to_owned(),
        Quote::Single => word.replace('\'', r"'\''"),
        Quote::Double => {
            let mut text = String::new();
            for c in word.chars() {
                if matches!(c, '\\' | '"' | '$' | '`') {
                    text.push('\\');
                }
                text.push(c);
            }
            text
        }
        Quote::Bare if !word.is_empty() && word.chars().all(harmless) => word.to_owned(),
        Quote::Bare => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::{Facts, Scope, Subject};

    fn filled(template: &str, mount: &str) -> String {
        let subject = Subject {
            scope: Scope::Filesystem,
            name: mount.to_owned(),
        };
        let mut facts = Facts::new(0);
        facts.word(&subject, "mount", mount);
        let names = Names {
            scope: Scope::Filesystem,
            lets: &[],
        };
        let command = Command::parse(template, Role::Apply, &names).unwrap();
        command
            .fill(&Scene::new(&facts, &subject))
            .unwrap()
            .into_text()
    }

    /// The shell itself is the judge of quoting: it must hand the word over unchanged.
    #[test]
    fn the_shell_reads_every_word_back_as_it_was() {
        let nasty = [
            "/srv/pg",
            "/srv/my data",
            "/srv/it's",
            "/srv/$HOME/`id`/\\x",
            "/srv/\"quoted\"",
            "/srv/new\nline",
            "-n",
            "/srv/*;rm",
        ];
        for word in nasty {
            for template in [
                "printf %s {mount}",
                "printf %s '{mount}'",
                "printf %s \"{mount}\"",
            ] {
                let command = filled(template, word);
                let output = std::process::Command::new("sh")
                    .args(["-c", &command])
                    .output()
                    .unwrap();
                assert_eq!(String::from_utf8_lossy(&output.stdout), word, "{command}");
            }
        }
    }

    #[test]
    fn harmless_words_stay_bare() {
        let command = filled("mount -o remount,relatime {mount}", "/var/lib/pg");
        assert_eq!(command, "mount -o remount,relatime /var/lib/pg");
    }
}
