//! bpftrace finds tracepoints in tracefs, which not every host has mounted.

use crate::step::Step;
use anyhow::Result;
use std::path::Path;

const PLACE: &str = "/sys/kernel/tracing";

/// Mounted while this lives, unless it was mounted before.
#[derive(Debug)]
pub(crate) struct TraceFs {
    ours: bool,
}

impl TraceFs {
    pub(crate) fn mounted() -> Result<Self> {
        let ours = !Path::new(PLACE).join("events").exists();
        if ours {
            Step::new("mount")
                .args(["-t", "tracefs", "tracefs", PLACE])
                .run()?;
        }
        Ok(Self { ours })
    }
}

impl Drop for TraceFs {
    fn drop(&mut self) {
        if self.ours
            && let Err(error) = Step::new("umount").arg(PLACE).run()
        {
            eprintln!("warning: {error:#}");
        }
    }
}
