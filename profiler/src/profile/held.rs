//! What holds writers and bios back before the device sees them: dirty limits, tags, throttling.

use super::answer::{Answer, share};
use super::{About, Fold, traffic};
use crate::capture::{DeviceSlice, Span, WaitCause};
use crate::host::BlockDevice;
use rules::facts::{self as f, Measured};

pub(super) fn put(fold: &Fold<'_>, device: &BlockDevice, about: &mut About<'_>) {
    about.say(&f::WRITERS_PAUSED, paused(fold, device));
    let slice = match device.bio_based {
        true => Err("a stacked device has no requests to wait for".to_owned()),
        false => traffic::slice(fold, device),
    };
    let slice = slice.and_then(|slice| fold.silence("wait").map_or(Ok(slice), Err));
    let part = |cause| slice.clone().and_then(|slice| slept(&slice, cause));
    about.say(&f::WAIT_TAGS_SHARE, part(WaitCause::Tags));
    about.say(&f::WAIT_WBT_SHARE, part(WaitCause::Wbt));
}

fn paused(fold: &Fold<'_>, device: &BlockDevice) -> Answer {
    if let Some(reason) = fold.silence("writeback") {
        return Err(reason);
    }
    let seconds = fold.seconds().ok_or("nothing was recorded")?;
    let pauses = fold.total.pauses.get(&device.number);
    let all = pauses.map_or_else(Default::default, |pauses| pauses.all);
    let share = all.sum_ns as f64 / 1e9 / seconds;
    Ok(Measured::of(share, all.pauses, "writeback probe"))
}

/// Of the time from bio to completion, which is that of the wait and of the request.
fn slept(slice: &DeviceSlice, cause: WaitCause) -> Answer {
    let all = slice.all_ops();
    let sum = |span| all.spans.get(&span).map_or(0, |span| span.sum);
    let whole = sum(Span::Wait).saturating_add(sum(Span::Request));
    let n = all.spans.get(&Span::Wait).map_or(0, |wait| wait.n());
    let slept = slice.waits.get(&cause).map_or(0, |wait| wait.sum_ns);
    let missing = "no requests were allocated in the window";
    share(slept as f64, whole as f64, n, "wait probe", missing)
}
