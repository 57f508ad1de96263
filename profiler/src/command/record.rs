//! `iosage record`.

use crate::exit::Outcome;
use anyhow::Result;

#[derive(Debug, clap::Args)]
pub struct Args {}

pub fn run(_args: Args) -> Result<Outcome> {
    anyhow::bail!("`iosage record` is not built yet")
}
