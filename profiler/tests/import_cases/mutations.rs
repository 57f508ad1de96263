//! Whatever bytes a file has, importing ends with values or with a sentence.

use profiler::import::source::Source;
use profiler::import::{import, kinds, show};
use std::fs;

const MUTATIONS: u64 = 1_000;

/// A small generator with a fixed seed, so that a failure can be run again.
struct Random(u64);

impl Random {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % below.max(1) as u64) as usize
    }
}

fn mutate(bytes: &mut Vec<u8>, random: &mut Random) {
    const PIECES: [&[u8]; 12] = [
        b"-1",
        b"18446744073709551615",
        b"nan",
        b"\xff",
        b"+++++",
        b",",
        b"[",
        b"{\"",
        b"]",
        b":",
        b"\n",
        b"\xc3\xa4",
    ];
    for _ in 0..=random.next(4) {
        let at = random.next(bytes.len());
        match random.next(6) {
            0 => bytes.truncate(at),
            1 if !bytes.is_empty() => bytes[at] = random.next(256) as u8,
            2 if !bytes.is_empty() => _ = bytes.remove(at),
            3 => {
                let end = (at + random.next(60)).min(bytes.len());
                bytes.drain(at..end);
            }
            4 => {
                let end = (at + random.next(200)).min(bytes.len());
                let copy = bytes[at..end].to_vec();
                let to = random.next(bytes.len());
                bytes.splice(to..to, copy);
            }
            _ => {
                let piece = PIECES[random.next(PIECES.len())];
                bytes.splice(at..at, piece.iter().copied());
            }
        }
    }
}

#[test]
fn no_bytes_make_an_importer_panic() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut samples = Vec::new();
    let cases = fs::read_dir(super::path("")).unwrap();
    for case in cases.map(|entry| entry.unwrap().path()) {
        let name = case.file_name().unwrap().to_string_lossy().into_owned();
        if name.starts_with('F') {
            continue;
        }
        samples.extend(
            fs::read_dir(&case)
                .unwrap()
                .map(|entry| entry.unwrap().path()),
        );
    }
    samples.sort();
    assert!(samples.len() > 40);
    for sample in samples {
        let whole = fs::read(&sample).unwrap();
        let source = Source::new("whole", whole.clone()).ok();
        let own = source.as_ref().and_then(kinds::recognise);
        for _ in 0..MUTATIONS {
            let mut bytes = whole.clone();
            mutate(&mut bytes, &mut random);
            let Ok(source) = Source::new("mutated", bytes) else {
                continue;
            };
            let kind = match random.next(4) {
                0 => None,
                1 => Some(kinds::ALL[random.next(kinds::ALL.len())]),
                _ => own,
            };
            // The kind's own reader, also where it would not be chosen.
            let mut into = profiler::import::model::Imported::default();
            if let Some(kind) = kind
                && kind.read(&source, &mut into).is_ok()
            {
                kind.finish(&mut into);
                let _ = show::lines(&into);
            }
            if let Ok(all) = import(None, &[source]) {
                let capture = profiler::import::capture(all);
                assert_eq!(capture.check(), Ok(()), "{}", sample.display());
                let text = serde_json::to_string(&capture.imported).unwrap();
                let back: Vec<profiler::import::model::Imported> =
                    serde_json::from_str(&text).unwrap();
                assert_eq!(back, capture.imported, "{}", sample.display());
            }
        }
    }
}
