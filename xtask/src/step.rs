//! One command of a chore: shown before it runs, and its failure told in one sentence.

use crate::tree;
use anyhow::{Context, Result, bail};
use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

/// A command with the environment that the user must see to repeat it. It runs at the root of the
/// source tree, so paths below it are shown short.
#[derive(Debug)]
pub(crate) struct Step {
    command: Command,
    shown: String,
}

impl Step {
    pub(crate) fn new(program: impl AsRef<OsStr>) -> Self {
        let program = program.as_ref();
        let name = Path::new(program).file_name().unwrap_or(program);
        let shown = if name == "cargo" { name } else { program };
        let mut command = Command::new(program);
        command.current_dir(tree::root());
        Self {
            command,
            shown: short(shown),
        }
    }

    pub(crate) fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.shown.push(' ');
        self.shown.push_str(&short(arg.as_ref()));
        self.command.arg(arg);
        self
    }

    pub(crate) fn args<A: AsRef<OsStr>>(self, args: impl IntoIterator<Item = A>) -> Self {
        args.into_iter().fold(self, Step::arg)
    }

    /// Sets a variable and shows it in front of the command, as it is: who reads it may stand elsewhere.
    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        let shown = quoted(value.as_ref());
        self.shown = format!("{name}={shown} {}", self.shown);
        self.command.env(name, value);
        self
    }

    pub(crate) fn without_env(mut self, name: &str) -> Self {
        self.command.env_remove(name);
        self
    }

    /// The command as one would type it at the root of the source tree.
    pub(crate) fn shown(&self) -> &str {
        &self.shown
    }

    /// Prints the command, runs it, and returns how it ended.
    pub(crate) fn status(mut self) -> Result<ExitStatus> {
        println!("$ {}", self.shown);
        self.command
            .status()
            .with_context(|| format!("cannot start `{}`", self.shown))
    }

    /// As `status`; any end but exit code 0 is an error.
    pub(crate) fn run(self) -> Result<()> {
        let shown = self.shown.clone();
        let status = self.status()?;
        if !status.success() {
            bail!("`{shown}` ended with {status}; its own words are above");
        }
        Ok(())
    }

    /// Runs silently and returns what it wrote to stdout; any end but exit code 0 is an error.
    pub(crate) fn read(mut self) -> Result<String> {
        let output = self
            .command
            .stdin(Stdio::null())
            .output()
            .with_context(|| format!("cannot start `{}`", self.shown))?;
        if !output.status.success() {
            let words = String::from_utf8_lossy(&output.stderr);
            bail!(
                "`{}` ended with {}: {}",
                self.shown,
                output.status,
                words.trim()
            );
        }
        String::from_utf8(output.stdout)
            .with_context(|| format!("`{}` did not print UTF-8", self.shown))
    }

    /// Prints the command and hands it over, to be given its pipes.
    pub(crate) fn announce(self) -> Command {
        println!("$ {}", self.shown);
        self.command
    }
}

/// Whether a program of this name can be started.
pub(crate) fn found(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .chain(["/usr/sbin", "/sbin"].map(Into::into))
        .any(|dir| dir.join(program).is_file())
}

/// Whether this process runs as root.
pub(crate) fn is_root() -> bool {
    std::fs::read_to_string("/proc/self/status").is_ok_and(|status| {
        status
            .lines()
            .find_map(|line| line.strip_prefix("Uid:"))
            .and_then(|ids| ids.split_whitespace().nth(1)?.parse::<u32>().ok())
            == Some(0)
    })
}

fn short(word: &OsStr) -> String {
    let root = format!("{}/", tree::root().display());
    quoted(OsStr::new(&word.to_string_lossy().replace(&root, "")))
}

fn quoted(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.into_owned()
    } else {
        // Control characters are the separators of CARGO_ENCODED_RUSTFLAGS.
        let readable = word.replace('\u{1f}', "\\x1f").replace('\'', r"'\''");
        let sign = if word.contains('\u{1f}') { "$" } else { "" };
        format!("{sign}'{readable}'")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_shown_as_one_would_type_it() {
        let step = Step::new("/somewhere/cargo")
            .arg("build")
            .arg("two words")
            .arg("it's")
            .env("FLAGS", "-a\u{1f}-b");
        assert_eq!(
            step.shown(),
            r"FLAGS=$'-a\x1f-b' cargo build 'two words' 'it'\''s'"
        );
    }

    #[test]
    fn a_path_in_the_tree_is_shown_short() {
        let inside = tree::root().join("target/a b");
        let step = Step::new("ls").arg(inside).arg(tree::root());
        let root = tree::root().display();
        assert_eq!(step.shown(), format!("ls 'target/a b' {root}"));
    }

    #[test]
    fn a_failing_step_names_its_command_and_exit_code() {
        let error = Step::new("false").run().unwrap_err().to_string();
        assert_eq!(
            error,
            "`false` ended with exit status: 1; its own words are above"
        );
    }

    #[test]
    fn a_missing_program_is_an_error_not_a_panic() {
        let error = Step::new("no-such-program-here").read().unwrap_err();
        assert_eq!(error.to_string(), "cannot start `no-such-program-here`");
    }
}
