//! `iosage floor`, for the bench: programs that only read the clock, until interrupted.

use crate::{exit::Outcome, session::Floor};
use anyhow::{Context as _, Result};

#[derive(Debug, clap::Args)]
pub struct Args {}

pub fn run(_: Args) -> Result<Outcome> {
    let _attached = Floor::attach().context("attaching the floor's programs")?;
    loop {
        // A signal ends the process, and the kernel detaches what it held.
        std::thread::park();
    }
}
