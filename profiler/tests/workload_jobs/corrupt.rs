//! Broken job files: an error that names its place or a clean plan, never a panic.

use super::*;
use proptest::prelude::*;

/// Real job files to break.
fn originals() -> Vec<Vec<u8>> {
    let mut texts = Vec::new();
    for folder in std::fs::read_dir(case("")).unwrap() {
        for file in std::fs::read_dir(folder.unwrap().path()).unwrap() {
            let path = file.unwrap().path();
            if path.extension().is_some_and(|e| e == "fio") {
                texts.push((path.clone(), std::fs::read(path).unwrap()));
            }
        }
    }
    texts.sort();
    assert!(texts.len() >= 18, "{}", texts.len());
    texts.into_iter().map(|(_, text)| text).collect()
}

/// One change to a text.
#[derive(Clone, Debug)]
enum Break {
    Set(usize, u8),
    Insert(usize, u8),
    Delete(usize, usize),
    Double(usize, usize),
    Swap(usize, usize),
}

fn break_it() -> impl Strategy<Value = Break> {
    let byte = prop_oneof![
        any::<u8>(),
        prop::sample::select(b"[]=:;#%/\\,-+*()${}\n\r\t 0919kKmMgGiIbB".to_vec()),
    ];
    prop_oneof![
        (any::<usize>(), byte.clone()).prop_map(|(at, byte)| Break::Set(at, byte)),
        (any::<usize>(), byte).prop_map(|(at, byte)| Break::Insert(at, byte)),
        (any::<usize>(), 1usize..20).prop_map(|(at, n)| Break::Delete(at, n)),
        (any::<usize>(), 1usize..40).prop_map(|(at, n)| Break::Double(at, n)),
        (any::<usize>(), any::<usize>()).prop_map(|(a, b)| Break::Swap(a, b)),
    ]
}

fn apply(text: &mut Vec<u8>, change: &Break) {
    let length = text.len().max(1);
    match *change {
        Break::Set(at, byte) if !text.is_empty() => text[at % length] = byte,
        Break::Insert(at, byte) => text.insert(at % length % (text.len() + 1), byte),
        Break::Delete(at, n) => {
            let from = at % length % (text.len() + 1);
            text.drain(from..(from + n).min(text.len()));
        }
        Break::Double(at, n) => {
            let from = at % length % (text.len() + 1);
            let copy = text[from..(from + n).min(text.len())].to_vec();
            text.splice(from..from, copy);
        }
        Break::Swap(a, b) if !text.is_empty() => text.swap(a % length, b % length),
        Break::Set(..) | Break::Swap(..) => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn a_broken_job_file_is_named_by_place(which in any::<prop::sample::Index>(), changes in prop::collection::vec(break_it(), 1..6), lenient in any::<bool>()) {
        let originals = originals();
        let mut text = which.get(&originals).clone();
        changes.iter().for_each(|change| apply(&mut text, change));
        let options = Options { lenient, allow_exec: true, ..Options::default() };
        if let Err(refused) = workload::from_text("broken.fio", &text, &options) {
            let lines = text.split(|b| *b == b'\n').count() as u32;
            prop_assert!(!refused.problems.is_empty());
            for problem in &refused.problems {
                prop_assert!(problem.at.line >= 1 && problem.at.line <= lines && problem.at.column >= 1, "{problem}");
                prop_assert!(&*problem.at.file == "broken.fio" && !problem.message.is_empty(), "{problem}");
            }
        }
    }
}
