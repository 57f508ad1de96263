//! The table of a device-mapper node, asked for by ioctl (include/uapi/linux/dm-ioctl.h).
//!
//! Only the types of the targets are asked for at first: the parameters of a crypt target hold
//! its key, so that they are read for striped tables alone.

use crate::host::model::Dm;
use crate::host::notes::{Notes, plain};
use crate::host::root::Root;
use rustix::ioctl::{Updater, ioctl, opcode};
use std::fs::File;
use std::io;

const CONTROL: &str = "/dev/mapper/control";

/// Fields of `struct dm_ioctl` by offset; its size is part of the request's number.
mod field {
    pub(super) const VERSION: usize = 0;
    pub(super) const DATA_SIZE: usize = 12;
    pub(super) const DATA_START: usize = 16;
    pub(super) const TARGET_COUNT: usize = 20;
    pub(super) const FLAGS: usize = 28;
    pub(super) const DEV: usize = 40;
    pub(super) const END: usize = 312;
}

/// Fields of `struct dm_target_spec`.
mod target {
    pub(super) const NEXT: usize = 20;
    pub(super) const TYPE: usize = 24;
    pub(super) const END: usize = 40;
}

/// Parameters rather than status.
const STATUS_TABLE: u32 = 1 << 4;
const BUFFER_FULL: u32 = 1 << 8;
/// A thin pool must not commit its metadata because somebody looks.
const NO_FLUSH: u32 = 1 << 11;

const TABLE_STATUS: rustix::ioctl::Opcode = opcode::read_write::<[u8; field::END]>(0xfd, 12);
const BUFFER_BYTES: usize = 64 << 10;

#[repr(C, align(8))]
struct Buffer([u8; BUFFER_BYTES]);

/// Fills targets, stripes and chunk of the node `number`; a reason where that cannot be.
pub(super) fn fill(root: &Root, number: &str, dm: &mut Dm, notes: &mut Notes) {
    let what = format!("device-mapper table of {}", dm.name);
    if !root.is_live() {
        notes.add(what, "it is asked for by ioctl, on the running host only");
        return;
    }
    if let Err(error) = ask(number, dm, &what, notes) {
        notes.add(what, format!("{CONTROL}: {}", plain(&error)));
    }
}

fn ask(number: &str, dm: &mut Dm, what: &str, notes: &mut Notes) -> io::Result<()> {
    let control = File::open(CONTROL)?;
    let types = status(&control, number, NO_FLUSH)?;
    dm.targets = without_repeats(&types);
    if dm.targets.iter().all(|name| name != "striped") {
        return Ok(());
    }
    if dm.targets.iter().any(|name| name == "crypt") {
        notes.add(
            what,
            "stripes are not read from a table that also holds a key",
        );
        return Ok(());
    }
    let table = status(&control, number, NO_FLUSH | STATUS_TABLE)?;
    match geometry(&table) {
        Some((stripes, chunk_bytes)) => {
            dm.stripes = Some(stripes);
            dm.stripe_chunk_bytes = Some(chunk_bytes);
        }
        None => notes.add(what, "its striped segments differ in stripes or chunk"),
    }
    Ok(())
}

/// One target: its type and its parameters or status.
type Target = (String, String);

fn status(control: &File, number: &str, flags: u32) -> io::Result<Vec<Target>> {
    let mut buffer = Box::new(Buffer([0; BUFFER_BYTES]));
    let bytes = &mut buffer.0;
    put(bytes, field::VERSION, &4u32.to_ne_bytes());
    put(
        bytes,
        field::DATA_SIZE,
        &(BUFFER_BYTES as u32).to_ne_bytes(),
    );
    put(bytes, field::DATA_START, &(field::END as u32).to_ne_bytes());
    put(bytes, field::FLAGS, &flags.to_ne_bytes());
    put(bytes, field::DEV, &device_code(number).to_ne_bytes());
    // SAFETY: the kernel writes at most `data_size` bytes, which is the size of the buffer, and
    // the buffer is aligned as struct dm_ioctl demands and outlives the call.
    unsafe { ioctl(control, Updater::<TABLE_STATUS, Buffer>::new(&mut buffer))? };
    parse(&buffer.0)
}

fn put(bytes: &mut [u8], at: usize, value: &[u8]) {
    bytes[at..at + value.len()].copy_from_slice(value);
}

/// `huge_encode_dev` of include/linux/kdev_t.h.
fn device_code(number: &str) -> u64 {
    let (major, minor) = number.split_once(':').unwrap_or(("0", "0"));
    let (major, minor): (u64, u64) = (major.parse().unwrap_or(0), minor.parse().unwrap_or(0));
    (minor & 0xff) | (major << 8) | ((minor & !0xff) << 12)
}

fn word(bytes: &[u8], at: usize) -> io::Result<usize> {
    bytes
        .get(at..at + 4)
        .and_then(|word| word.try_into().ok())
        .map(|word| u32::from_ne_bytes(word) as usize)
        .ok_or_else(|| io::Error::other("the answer ends early"))
}

/// Targets of an answer. Each begins with a spec, whose `next` counts from the first of them.
fn parse(bytes: &[u8]) -> io::Result<Vec<Target>> {
    if word(bytes, field::FLAGS)? & BUFFER_FULL as usize != 0 {
        return Err(io::Error::other("the table is longer than 64 KiB"));
    }
    let start = word(bytes, field::DATA_START)?;
    let count = word(bytes, field::TARGET_COUNT)?;
    let mut targets = Vec::new();
    let mut at = start;
    for _ in 0..count {
        let next = word(bytes, at + target::NEXT)?;
        let name = text(
            bytes
                .get(at + target::TYPE..at + target::END)
                .unwrap_or_default(),
        );
        let parameters = text(bytes.get(at + target::END..).unwrap_or_default());
        targets.push((name, parameters));
        let following = start.saturating_add(next);
        if following <= at {
            break; // Never backwards, whatever the answer says.
        }
        at = following;
    }
    Ok(targets)
}

fn text(bytes: &[u8]) -> String {
    let end = bytes
        .iter()
        .position(|byte| *byte == 0)
        .unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

fn without_repeats(targets: &[Target]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (name, _) in targets {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    names
}

/// Stripes and chunk in bytes, when all striped targets agree: `STRIPES CHUNK_SECTORS DEV OFFSET...`.
fn geometry(targets: &[Target]) -> Option<(u64, u64)> {
    let mut found = targets
        .iter()
        .filter(|(name, _)| name == "striped")
        .map(|(_, parameters)| {
            let mut words = parameters.split_whitespace();
            let stripes: u64 = words.next()?.parse().ok()?;
            let chunk: u64 = words.next()?.parse().ok()?;
            Some((stripes, chunk.checked_mul(super::SECTOR)?))
        });
    let first = found.next()??;
    found.all(|other| other == Some(first)).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// An answer as drivers/md/dm-ioctl.c `retrieve_status` lays it out.
    fn answer(targets: &[(&str, &str)]) -> Vec<u8> {
        let mut bytes = vec![0; field::END];
        put(
            &mut bytes,
            field::DATA_START,
            &(field::END as u32).to_ne_bytes(),
        );
        put(
            &mut bytes,
            field::TARGET_COUNT,
            &(targets.len() as u32).to_ne_bytes(),
        );
        for (name, parameters) in targets {
            let at = bytes.len();
            bytes.resize(at + target::END, 0);
            put(&mut bytes, at + target::TYPE, name.as_bytes());
            bytes.extend(parameters.as_bytes());
            bytes.push(0);
            bytes.resize(
                field::END + (bytes.len() - field::END).next_multiple_of(8),
                0,
            );
            let next = (bytes.len() - field::END) as u32;
            put(&mut bytes, at + target::NEXT, &next.to_ne_bytes());
        }
        bytes
    }

    #[test]
    fn the_geometry_of_a_striped_volume() {
        let table = parse(&answer(&[
            ("striped", "2 128 8:16 2048 8:32 2048"),
            ("striped", "2 128 8:16 92048 8:32 92048"),
            ("linear", "8:48 0"),
        ]))
        .unwrap();
        assert_eq!(without_repeats(&table), ["striped", "linear"]);
        // 128 sectors of 512 bytes.
        assert_eq!(geometry(&table), Some((2, 65536)));
    }

    #[test]
    fn segments_that_differ_have_no_common_geometry() {
        let table = parse(&answer(&[
            ("striped", "2 128 a 0"),
            ("striped", "3 128 a 0"),
        ]))
        .unwrap();
        assert_eq!(geometry(&table), None);
    }

    #[test]
    fn the_request_number_is_the_kernels() {
        // _IOWR(0xfd, 12, struct dm_ioctl) with a size of 312 bytes.
        assert_eq!(u64::from(TABLE_STATUS), 0xc138_fd0c);
        // 253:300 by huge_encode_dev.
        assert_eq!(device_code("253:300"), 0x2c | (253 << 8) | (0x100 << 12));
    }

    proptest! {
        #[test]
        fn no_answer_makes_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..2048)) {
            let _ = parse(&bytes);
        }
    }
}
