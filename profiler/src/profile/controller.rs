//! What a log says of a RAID controller's cache: when it stopped caching writes, and why.

use super::answer::{flag, text};
use super::{About, Fold};
use crate::import::model::hostfiles::LogLine;
use rules::facts as f;

const SOURCE: &str = "the collected log";

#[derive(Clone, Copy, Debug, PartialEq)]
enum Event {
    LearnCycle,
    BadBattery,
    WriteThrough,
    WriteBack,
}

pub(super) fn put(fold: &Fold<'_>, about: &mut About<'_>) {
    let facts = [
        &f::CONTROLLER_WRITE_THROUGH,
        &f::CONTROLLER_WRITE_THROUGH_AT,
        &f::CONTROLLER_WRITE_THROUGH_UNTIL,
        &f::CONTROLLER_CAUSE,
    ];
    let imported = &fold.capture.imported;
    if !imported.iter().any(|one| one.kind == "log") {
        return about.say_unknown(&facts, "no log was collected");
    }
    let hosts = imported.iter().filter_map(|one| one.host.as_ref());
    let lines: Vec<&LogLine> = hosts.flat_map(|host| &host.log).collect();
    let events: Vec<(Event, &str)> = lines
        .iter()
        .filter_map(|line| Some((event(&line.text)?, line.text.as_str())))
        .collect();
    let through = events
        .iter()
        .position(|(event, _)| *event == Event::WriteThrough);
    about.say(facts[0], flag(Some(through.is_some()), SOURCE, ""));
    let Some(at) = through else {
        return about.say_unknown(&facts[1..], "no line says that writes are no longer cached");
    };
    about.say(facts[1], text(Some(&time(events[at].1)), SOURCE, ""));
    let back = events[at..]
        .iter()
        .find(|(event, _)| *event == Event::WriteBack);
    let until = match back {
        Some((_, line)) => format!("until {}", time(line)),
        None => "with no end in the log".to_owned(),
    };
    about.say(facts[2], text(Some(&until), SOURCE, ""));
    // The battery may be named before or just after.
    let of = |wanted: Event| events.iter().find(|(event, _)| *event == wanted);
    let cause = match (of(Event::LearnCycle), of(Event::BadBattery)) {
        (Some((_, line)), _) => format!("a learn cycle of its battery, started {}", time(line)),
        (None, Some((_, line))) => format!("its battery ({})", time(line)),
        (None, None) => "a reason that the log does not tell".to_owned(),
    };
    about.say(facts[3], text(Some(&cause), SOURCE, ""));
}

fn event(line: &str) -> Option<Event> {
    let line = line.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| line.contains(word));
    // What the kernel takes a disk's own cache for is no event of a controller.
    if has(&["assuming drive cache", "bcache", "dm-cache"]) {
        return None;
    }
    let change = has(&["policy", "chang", "switch", "revert"]);
    let through = [
        "write through",
        "write-through",
        "writethrough",
        "to wt",
        "to wt,",
    ];
    let back = ["write back", "write-back", "writeback", "to wb"];
    let place = |words: &[&str]| {
        // Of `to NEW from OLD` the new one counts.
        let new = line.split(" from ").next().unwrap_or(&line);
        words.iter().filter_map(|word| new.find(word)).min()
    };
    if change {
        match (place(&through), place(&back)) {
            (Some(_), None) => return Some(Event::WriteThrough),
            (None, Some(_)) => return Some(Event::WriteBack),
            // `from write back to write through`: the later one is the new one.
            (Some(through), Some(back)) => {
                return Some(if through > back {
                    Event::WriteThrough
                } else {
                    Event::WriteBack
                });
            }
            (None, None) => {}
        }
    }
    let controller = has(&[
        "controller",
        "smart array",
        "megaraid",
        "bbu",
        "perc",
        "hpsa",
        "cciss",
    ]);
    if has(&["learn cycle", "relearn"]) && !has(&["complet", "finish", "postpone"]) {
        return Some(Event::LearnCycle);
    }
    if controller
        && has(&["battery", "bbu"])
        && has(&["below", "fail", "replac", "low", "missing", "discharg"])
    {
        return Some(Event::BadBattery);
    }
    (controller && has(&["cache"]) && has(&["disabled"])).then_some(Event::WriteThrough)
}

/// The time at the head of a line of a log: `Apr 26 14:21:53`, `2024-05-06T11:00:00`, `[12.3]`.
fn time(line: &str) -> String {
    if let Some((stamp, _)) = line.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        return format!("at {} s after boot", stamp.trim());
    }
    let words: Vec<&str> = line.split_whitespace().take(3).collect();
    match words[..] {
        [first, ..] if first.contains('T') && first.contains(':') => format!("at {first}"),
        _ => format!("at {}", words.join(" ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vendors_have_words_of_their_own() {
        let said = |line: &str| event(line);
        assert_eq!(
            said("The controller battery Learn cycle has started.: Battery 0"),
            Some(Event::LearnCycle)
        );
        assert_eq!(
            said("Event: Battery relearn in progress"),
            Some(Event::LearnCycle)
        );
        assert_eq!(
            said("The controller write policy has been changed to Write Through.: Battery 0"),
            Some(Event::WriteThrough)
        );
        assert_eq!(
            said("The controller write policy has been changed to Write Back."),
            Some(Event::WriteBack)
        );
        assert_eq!(
            said("megaraid: BBU disabled; changing WB virtual disks to WT"),
            Some(Event::WriteThrough)
        );
        assert_eq!(
            said("Policy change on VD 00/0 to [current Write Through] from [current Write Back]"),
            Some(Event::WriteThrough)
        );
        assert_eq!(
            said("The controller battery charge level is below a normal threshold."),
            Some(Event::BadBattery)
        );
        assert_eq!(
            said("sd 0:0:0:0: [sda] Assuming drive cache: write through"),
            None
        );
        assert_eq!(
            said("sd 0:0:0:0: [sda] Write cache: enabled, read cache: enabled"),
            None
        );
        assert_eq!(
            said("The controller battery Learn cycle has completed."),
            None
        );
    }

    #[test]
    fn times_stand_at_the_head() {
        assert_eq!(time("Apr 26 14:21:53 db008 x"), "at Apr 26 14:21:53");
        assert_eq!(
            time("2024-05-06T11:00:00+02:00 db x"),
            "at 2024-05-06T11:00:00+02:00"
        );
        assert_eq!(time("[   12.500000] x"), "at 12.500000 s after boot");
    }
}
