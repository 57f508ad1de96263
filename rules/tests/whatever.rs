//! The built-in rules on hosts made of random values: whatever is measured, a judgement holds
//! what it promises.

use proptest::prelude::*;
use rules::Library;
use rules::facts::{self, Fact, Facts, Measured, Scope, Subject, Type, Value};
use rules::finding::State;
use std::sync::LazyLock;

static LIBRARY: LazyLock<Library> = LazyLock::new(Library::embedded);

/// Texts that rules ask for, so that their conditions hold now and then.
const TEXTS: &[&str] = &[
    "ext4",
    "xfs",
    "strict",
    "relatime",
    "noatime",
    "none",
    "bfq",
    "mq-deadline",
    "write back",
    "write through",
    "writeback",
    "journal",
    "ordered",
    "postgresql",
    "mysql",
    "continue",
    "raid5",
    "raid0",
    "md",
    "idle",
    "resync",
    "virtio",
    "nvme",
    "hdd",
    "it's; $(odd)\n",
    "",
];

fn value(fact: &Fact, choice: u8, size: f64) -> Value {
    match fact.of {
        Type::Bool => Value::Bool(choice & 1 == 1),
        Type::Text => Value::Text(TEXTS[usize::from(choice) % TEXTS.len()].to_owned()),
        Type::Number(_) if choice.is_multiple_of(7) => Value::Number(0.0),
        Type::Number(_) => Value::Number(10f64.powf(size)),
    }
}

/// A third of all facts unknown, the others anything; two of everything but the host.
fn host() -> impl Strategy<Value = Facts> {
    let one = (any::<u8>(), -3.0f64..12.0, 0u64..100_000);
    let all = prop::collection::vec(one, facts::ALL.len() * 2);
    (
        all,
        prop::sample::select(&[0u64, 5_000_000_000, 60_000_000_000][..]),
    )
        .prop_map(|(all, observed)| {
            let mut facts = Facts::new(observed);
            for copy in 0..2 {
                let subject = |scope: Scope| Subject {
                    scope,
                    name: format!("it's {copy}"),
                };
                for (upper, lower) in [
                    (Scope::Database, Scope::Filesystem),
                    (Scope::Filesystem, Scope::Device),
                    (Scope::Device, Scope::Array),
                    (Scope::Array, Scope::Device),
                    (Scope::Workload, Scope::Filesystem),
                ] {
                    facts.relate(&subject(upper), &subject(lower));
                    for word in upper.words() {
                        facts.word(&subject(upper), word, "a 'word' $HOME");
                    }
                }
                for (index, fact) in facts::ALL.iter().enumerate() {
                    let (choice, size, n) = all[index * 2 + copy];
                    if choice % 3 == 0 || (copy == 1 && fact.scope == Scope::Host) {
                        continue;
                    }
                    let measured = Measured {
                        value: value(fact, choice / 3, size),
                        interval: None,
                        n: (choice & 1 == 0).then_some(n),
                        source: "test".to_owned(),
                    };
                    facts.put(&subject(fact.scope), fact, measured);
                }
            }
            facts
        })
}

/// What no command of a finding may hold, by a plainer rule than the one of the crate.
const NEVER: &[&str] = &[
    "nobarrier /",
    "barrier=0",
    "fsync=off",
    "fsync = off",
    "full_page_writes=off",
    "drop_caches=",
    "eatmydata",
    "mkfs",
    "wipefs",
    "hdparm -W1",
    "'write through' >",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_judgement_keeps_its_promises(facts in host()) {
        let judgement = LIBRARY.judge(&facts);
        prop_assert!(!judgement.verdict.text.is_empty());
        for finding in &judgement.findings {
            let commands: Vec<&String> =
                finding.apply.iter().chain(&finding.persist).chain(&finding.undo).collect();
            match finding.state {
                State::Recommend => prop_assert!(finding.missing.is_empty()),
                State::InsufficientEvidence => {
                    prop_assert!(!finding.missing.is_empty(), "{finding:?}");
                    prop_assert!(commands.is_empty(), "{finding:?}");
                }
                _ => prop_assert!(commands.is_empty(), "{finding:?}"),
            }
            prop_assert!(!finding.because.is_empty(), "{finding:?}");
            for command in commands.iter().filter(|command| !command.starts_with("in /")) {
                for never in NEVER {
                    prop_assert!(!command.contains(never), "{}: {command}", finding.id);
                }
            }
            for text in commands.into_iter().chain(&finding.missing).chain([&finding.because]) {
                prop_assert!(!text.contains("NaN") && !text.contains("inf "), "{text}");
            }
        }
        let again = LIBRARY.judge(&facts);
        prop_assert_eq!(judgement, again);
    }
}
