//! Whether what a job writes can be verified afterwards, and by what.

use crate::workload::engine::HEADER;
use crate::workload::problem::Problem;
use crate::workload::spec::{Check, Generator, Spec, Way};

/// What blocks are held against.
pub(super) fn of(spec: &Spec) -> Result<Check, Problem> {
    let at = spec.place("verify");
    let check = match (&spec.verify, &spec.verify_pattern) {
        (Check::None, _) => return Ok(Check::None),
        (Check::Pattern(_), None) => {
            return Err(Problem::new(at, "verify=pattern needs verify_pattern="));
        }
        (Check::Pattern(_), Some(pattern)) => Check::Pattern(pattern.clone()),
        (Check::Crc32c, _) => Check::Crc32c,
    };
    if spec.access.reads || !spec.access.does(Way::Write) {
        let message =
            "only jobs that write and do not read are verified: they read back by themselves";
        return Err(Problem::new(at, message));
    }
    let [_, blocks, _] = spec.splits();
    if check == Check::Crc32c && blocks.smallest() < 2 * HEADER as u64 {
        let message = format!(
            "verify=crc32c needs blocks of at least {} bytes",
            2 * HEADER
        );
        return Err(Problem::new(spec.place("bs"), message));
    }
    let again = spec.time_based || spec.loops > 1 || spec.io_size.is_some();
    let mapped = spec.random_map || spec.generator == Generator::Lfsr;
    let anywhere = spec.access.random && !(mapped && spec.align.is_none());
    let own = spec
        .align
        .is_none_or(|align| align[1].is_multiple_of(blocks.largest()));
    let many = blocks.single().is_none()
        && (again || anywhere || spec.access.random && spec.random_percent[1] < 100);
    if check == Check::Crc32c && (many || !own) {
        let message = "blocks that are partly written over cannot be verified: use one block size, or write each block once";
        return Err(Problem::new(at, message));
    }
    Ok(check)
}
