//! The plain description of a probe group: what the loader, `doctor` and the docs walk over.

/// One group of programs that measure one thing together.
#[derive(Clone, Copy, Debug)]
pub struct Probe {
    /// Stable id, as in `--probes`.
    pub id: &'static str,
    pub about: &'static str,
    /// Hooks in the order they are attached. A group needs all hooks marked `required`.
    pub hooks: &'static [Hook],
}

/// A tracepoint and the programs that can serve it; the first whose arguments match is loaded.
#[derive(Clone, Copy, Debug)]
pub struct Hook {
    pub tracepoint: &'static str,
    pub attach: Attach,
    pub required: bool,
    /// What is not measured when this hook is missing.
    pub gives: &'static str,
    pub programs: &'static [Program],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attach {
    /// Typed arguments from vmlinux BTF.
    Btf,
    /// By name; works for modules, arguments are plain numbers.
    Raw,
}

/// A program, and the arguments that it was written for.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// Symbol in the object.
    pub name: &'static str,
    /// Position and pointed-to struct of the arguments it reads. Empty: any prototype.
    pub arguments: &'static [(usize, &'static str)],
}
