//! Damaged capture files are read whole or refused with a place, and never take the reader down.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use profiler::capture::{Capture, FormatError};
use std::path::Path;

/// A generator whose sequence is the same on every machine.
struct Dice(u64);

impl Dice {
    /// Below `n`.
    fn roll(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let high = (self.0 >> 33) as usize;
        high % n.max(1)
    }
}

/// One of: a flipped bit, a cut end, a piece copied elsewhere, overwritten bytes, a removed piece.
fn damage(bytes: &mut Vec<u8>, dice: &mut Dice) {
    let (from, to) = (dice.roll(bytes.len()), dice.roll(bytes.len()));
    let length = 1 + dice.roll(64);
    match dice.roll(5) {
        0 => bytes[from] ^= 1 << dice.roll(8),
        1 => bytes.truncate(from),
        2 => {
            let piece = bytes[from..(from + length).min(bytes.len())].to_vec();
            bytes.splice(to..to, piece);
        }
        3 => {
            let junk = b"{}[],:\"\\0-9e.\xff nul";
            let end = (from + length % 8).min(bytes.len());
            bytes[from..end].fill_with(|| junk[dice.roll(junk.len())]);
        }
        _ => {
            bytes.drain(from..(from + length).min(bytes.len()));
        }
    }
}

fn read(bytes: &[u8]) -> Result<Capture, FormatError> {
    Capture::from_reader(bytes, Path::new("damaged.capture"))
}

fn peak_memory_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|l| l.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// Damages a file again and again. `checked`: it has a checksum, so what is read must be unharmed.
fn survive(original: &[u8], checked: bool) {
    let mut dice = Dice(42);
    let (mut accepted, mut refused) = (0, 0);
    for _ in 0..1000 {
        let mut bytes = original.to_vec();
        for _ in 0..=dice.roll(3) {
            if !bytes.is_empty() {
                damage(&mut bytes, &mut dice);
            }
        }
        let error = match read(&bytes) {
            Err(error) => error,
            Ok(capture) => {
                accepted += 1;
                assert!(!checked || capture == demo());
                continue;
            }
        };
        refused += 1;
        let said = error.to_string();
        assert!(said.starts_with("damaged.capture:"), "{said}");
        let whole = ["not an iosage capture", "is empty", "capture format"];
        let placed = error.position.is_some() || !error.place.0.is_empty();
        assert!(placed || whole.iter().any(|w| said.contains(w)), "{said}");
    }
    println!("{accepted} damaged files read, {refused} refused");
    assert!(refused > 250, "the damage is too small to test anything");
    assert!(peak_memory_kib() < 2 << 20);
}

/// The demonstration capture with its first slices only, so that a thousand are read soon.
fn demo() -> Capture {
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/captures/demo.capture.json");
    let mut capture = Capture::read(&demo).unwrap();
    capture.slices.truncate(2);
    capture.stacks.truncate(2);
    capture
}

fn text() -> Vec<u8> {
    serde_json::to_vec(&demo()).unwrap()
}

#[test]
fn a_thousand_damaged_plain_files() {
    survive(&text(), false);
}

#[test]
fn a_thousand_damaged_compressed_files() {
    let mut packed = zstd::Encoder::new(Vec::new(), 3).unwrap();
    packed.include_checksum(true).unwrap();
    std::io::Write::write_all(&mut packed, &text()).unwrap();
    survive(&packed.finish().unwrap(), true);
}

#[test]
fn a_damaged_text_in_sound_compression_is_refused_in_the_same_place() {
    let mut dice = Dice(7);
    let original = text();
    for _ in 0..100 {
        let mut bytes = original.clone();
        damage(&mut bytes, &mut dice);
        if bytes.is_empty() {
            continue;
        }
        let plain = read(&bytes).err();
        let packed = read(&zstd::encode_all(&bytes[..], 1).unwrap()).err();
        let named = plain.map(|e| (e.position, e.place, e.what));
        let named_packed = packed.map(|e| {
            assert!(e.decompressed);
            (e.position, e.place, e.what)
        });
        assert_eq!(named, named_packed);
    }
}
