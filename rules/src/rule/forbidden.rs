//! What no rule may do or advise, whatever it measured: give up the durability of somebody's data,
//! or write over it. Commands are checked strictly; in prose, "remove nobarrier" may be said.

/// How a text is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    /// A command to run now.
    Shell,
    /// A command that makes a change permanent.
    Persistent,
    /// An edit for people to make: `in /etc/fstab, replace ...`.
    Instruction,
    /// Advice.
    Prose,
}

/// Settings that hold data together: name, whether `on` (else `off`) is what is forbidden, the deed.
const SETTINGS: &[(&str, bool, &str)] = &[
    ("barrier", false, "turn write barriers off"),
    ("barriers", false, "turn write barriers off"),
    ("fsync", false, "turn fsync off"),
    ("full_page_writes", false, "turn full_page_writes off"),
    (
        "innodb_doublewrite",
        false,
        "turn the doublewrite buffer off",
    ),
    ("doublewrite", false, "turn the doublewrite buffer off"),
    ("data_sync_retry", true, "turn data_sync_retry on"),
];

/// Words that are forbidden wherever they are asked for.
const WORDS: &[(&str, &str)] = &[
    ("nobarrier", "turn write barriers off"),
    ("nobarriers", "turn write barriers off"),
    ("skip_innodb_doublewrite", "turn the doublewrite buffer off"),
];

const OFF: &[&str] = &["off", "0", "false", "no", "none", "disabled", "detect_only"];
const ON: &[&str] = &["on", "1", "true", "yes", "enabled"];

/// Programs that write over a device.
const DESTROYERS: &[&str] = &[
    "mkfs",
    "mke2fs",
    "mkswap",
    "dd",
    "wipefs",
    "blkdiscard",
    "shred",
    "sgdisk",
    "pvcreate",
];

/// Words after which what follows is taken away, up to the end of the clause.
const NEGATIONS: &[&str] = &[
    "remove",
    "removing",
    "drop",
    "dropping",
    "delete",
    "deleting",
    "replace",
    "replacing",
    "without",
    "never",
    "not",
    "no",
    "avoid",
    "avoiding",
    "instead",
    "stop",
    "undo",
];

/// Words after which something is put in place of what was taken away.
const RETURNS: &[&str] = &["by", "with", "then"];

/// What the text would do that no rule may, as a verb phrase.
pub(crate) fn forbidden(text: &str, manner: Manner) -> Option<&'static str> {
    let words = words(text);
    let lenient = matches!(manner, Manner::Instruction | Manner::Prose);
    for (index, word) in words.iter().enumerate() {
        if lenient && is_negated(&words, index) {
            continue;
        }
        let found = word_alone(&word.text)
            .or_else(|| setting(&words, index))
            .or_else(|| cache(&words, index));
        if found.is_some() {
            return found;
        }
    }
    if lenient { None } else { destroys(&words) }
}

/// A word with the number of the clause that it stands in.
#[derive(Debug)]
struct Word {
    text: String,
    clause: usize,
}

/// Lower-case words without quotes; `key = value` is one word.
fn words(text: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut current = String::new();
    let mut clause = 0;
    let mut flush = |current: &mut String, clause: usize| {
        if !current.is_empty() {
            let text = std::mem::take(current);
            words.push(Word { text, clause });
        }
    };
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let ends = chars.peek().is_none_or(|next| next.is_whitespace());
        match c {
            '\'' | '"' | '`' | '\\' => {}
            ';' | '\n' | '|' | '&' => {
                flush(&mut current, clause);
                clause += 1;
            }
            '.' | ':' if ends => {
                flush(&mut current, clause);
                clause += 1;
            }
            ',' | '(' | ')' | '<' | '>' | '[' | ']' | '{' | '}' => flush(&mut current, clause),
            c if c.is_whitespace() => flush(&mut current, clause),
            c => current.extend(c.to_lowercase()),
        }
    }
    flush(&mut current, clause);
    glued(words)
}

/// Joins `fsync = off` and `fsync =off` to `fsync=off`.
fn glued(words: Vec<Word>) -> Vec<Word> {
    let mut joined: Vec<Word> = Vec::new();
    for word in words {
        match joined.last_mut() {
            Some(last)
                if last.clause == word.clause
                    && (last.text.ends_with('=') || word.text.starts_with('=')) =>
            {
                last.text.push_str(&word.text);
            }
            _ => joined.push(word),
        }
    }
    joined
}

fn is_negated(words: &[Word], index: usize) -> bool {
    let clause = words[index].clause;
    let before = words[..index].iter().rev();
    for word in before.take_while(|word| word.clause == clause) {
        if RETURNS.contains(&word.text.as_str()) {
            return false;
        }
        if NEGATIONS.contains(&word.text.as_str()) {
            return true;
        }
    }
    false
}

fn word_alone(word: &str) -> Option<&'static str> {
    if word.contains("drop_caches") {
        return Some("drop the page cache by hand");
    }
    if word.contains("eatmydata") {
        return Some("make fsync do nothing");
    }
    let bare = key(word);
    let found = WORDS.iter().find(|(own, _)| *own == bare);
    found.map(|(_, deed)| *deed)
}

/// `key=off`, `key off`, `key to off`, `turn key off`, `turn off key`, `disable key`.
fn setting(words: &[Word], index: usize) -> Option<&'static str> {
    let clause = words[index].clause;
    let near = |index: usize| match words.get(index) {
        Some(word) if word.clause == clause => word.text.as_str(),
        _ => "",
    };
    let text = &words[index].text;
    // `sed s/x/fsync=off/` sets it too.
    let punctuation = |c: char| !c.is_ascii_alphanumeric() && c != '_';
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, Some(value.trim_matches(punctuation))),
        None => (text.as_str(), None),
    };
    let name = key(name);
    let name = name.rsplit(['.', '/']).next().unwrap_or(&name);
    let (_, on, deed) = SETTINGS.iter().find(|(own, ..)| *own == name)?;
    let (bad, verb) = if *on {
        (ON, "enable")
    } else {
        (OFF, "disable")
    };
    let value = value.unwrap_or_else(|| match near(index + 1) {
        "to" => near(index + 2),
        // Bare, only the words that mean nothing else: `fsync no faster than ...` is prose.
        next @ ("off" | "on" | "disabled" | "enabled") => next,
        _ => "",
    });
    let before = index.checked_sub(1).map_or("", near);
    let turned = index.checked_sub(2).map_or("", near);
    let turned = matches!(turned, "turn" | "turning" | "switch" | "switching");
    let verbed = before.starts_with(verb) || before == "disabling" && !on;
    (bad.contains(&value) || verbed || (turned && bad.contains(&before))).then_some(*deed)
}

/// Caches that the kernel would no longer flush, or that would be made volatile.
fn cache(words: &[Word], index: usize) -> Option<&'static str> {
    let any = |part: &str| words.iter().any(|word| word.text.contains(part));
    let text = words[index].text.as_str();
    let next = words.get(index + 1).map_or("", |word| word.text.as_str());
    let through = text.contains("writethrough")
        || text.contains("write_through")
        || (text.ends_with("write") && next.starts_with("through"));
    if through && any("write_cache") {
        return Some("tell the kernel that a cache is write-through");
    }
    let option = text.starts_with('-') && !text.starts_with("--");
    let set = option && (text.contains("w1") || (text.ends_with('w') && next == "1"));
    let hdparm = any("hdparm") && set;
    let sdparm =
        any("sdparm") && text.contains("wce") && !text.contains("clear") && !text.contains("get");
    let smartctl = any("smartctl") && text == "wcache" && next == "on";
    (hdparm || sdparm || smartctl).then_some("turn a drive's volatile write cache on")
}

/// The name of an option or setting: no dashes before it, and `_` for `-` in it.
fn key(word: &str) -> String {
    word.trim_start_matches('-').replace('-', "_")
}

/// Anywhere in a command, so that `sh -c`, `sudo` and the like hide nothing.
fn destroys(words: &[Word]) -> Option<&'static str> {
    let destroyer = |word: &Word| {
        let program = word.text.rsplit('/').next().unwrap_or(&word.text);
        DESTROYERS.contains(&program) || program.starts_with("mkfs.")
    };
    words.iter().any(destroyer).then_some("write over a device")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forbidden_commands_are_found_in_every_spelling() {
        for command in [
            "mount -o remount,nobarrier /srv",
            "mount -o remount,barrier=0 /srv",
            "tune2fs -o nobarrier /dev/sda1",
            "echo \"write through\" > /sys/block/sda/queue/write_cache",
            "echo write\\ through | tee /sys/block/sda/queue/write_cache",
            "psql -c \"ALTER SYSTEM SET fsync = off\"",
            "psql -c 'ALTER SYSTEM SET fsync TO off'",
            "postgres -c fsync=off",
            "mysql -e 'SET PERSIST innodb_doublewrite = OFF'",
            "mysqld --innodb-doublewrite=0",
            "mysqld --skip-innodb-doublewrite",
            "psql -c 'ALTER SYSTEM SET full_page_writes = false'",
            "psql -c 'ALTER SYSTEM SET data_sync_retry = on'",
            "echo 3 > /proc/sys/vm/drop_caches",
            "sysctl -w vm.drop_caches=1",
            "eatmydata pg_ctl start",
            "LD_PRELOAD=/usr/lib/libeatmydata.so pg_ctl start",
            "hdparm -W1 /dev/sda",
            "hdparm -W 1 /dev/sda",
            "sdparm --set=WCE /dev/sda",
            "mkfs.ext4 /dev/sdb",
            "true && sudo dd if=/dev/zero of=/dev/sdb",
            "/sbin/wipefs -a /dev/sdb",
            "sh -c 'mkfs.xfs -f /dev/sdb'",
            "hdparm -qW1 /dev/sda",
            "smartctl -s wcache,on /dev/sda",
            "sed -i 's/^fsync.*/fsync=off/' postgresql.conf",
            "mount -o remount,no'barrier' /srv",
        ] {
            assert!(forbidden(command, Manner::Shell).is_some(), "{command}");
        }
    }

    #[test]
    fn what_undoes_the_harm_is_allowed() {
        for command in [
            "mount -o remount,barrier=1 /srv",
            "tune2fs -o ^nobarrier /dev/sda1",
            "hdparm -W0 /dev/sda",
            "sdparm --clear=WCE /dev/sda",
            "echo \"write back\" > /sys/block/sda/queue/write_cache",
            "psql -c 'ALTER SYSTEM SET fsync = on'",
            "echo none > /sys/block/sda/queue/scheduler",
            "echo 0 > /sys/block/sda/queue/nomerges",
        ] {
            assert_eq!(forbidden(command, Manner::Shell), None, "{command}");
        }
    }

    #[test]
    fn instructions_may_name_what_they_take_away() {
        let allowed = [
            "in /etc/fstab, remove nobarrier for /srv; then: findmnt --verify",
            "in /etc/fstab, replace nobarrier by barrier=1 for /srv",
            "in /etc/cron.d, delete the line that writes to /proc/sys/vm/drop_caches",
        ];
        for text in allowed {
            assert_eq!(forbidden(text, Manner::Instruction), None, "{text}");
        }
        let refused = [
            "in /etc/fstab, replace barrier by nobarrier for /srv",
            "in /etc/fstab, add nobarrier for /srv",
            "in /etc/fstab, remove discard; add nobarrier",
        ];
        for text in refused {
            assert!(forbidden(text, Manner::Instruction).is_some(), "{text}");
        }
    }

    #[test]
    fn advice_may_warn_but_not_recommend() {
        for text in [
            "Never turn fsync off.",
            "Do not use nobarrier.",
            "Turn fsync on again.",
        ] {
            assert_eq!(forbidden(text, Manner::Prose), None, "{text}");
        }
        for text in [
            "Turn fsync off.",
            "Turn off fsync.",
            "Disable barriers.",
            "Use nobarrier.",
        ] {
            assert!(forbidden(text, Manner::Prose).is_some(), "{text}");
        }
    }
}
