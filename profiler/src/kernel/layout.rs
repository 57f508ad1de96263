//! Turns the fields that the probes read into the values of their read-only globals.

use super::btf::Btf;
use profiler_ebpf::kernel::{ABSENT, FIELDS};

/// A global of the object and its value on this kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Constant {
    Word(&'static str, u32),
    Long(&'static str, u64),
}

/// Offsets of all fields; fields that this kernel lacks are [`ABSENT`]. The second value names
/// fields whose size is not what the probes load: those are treated as absent too.
pub fn offsets(btf: &Btf) -> (Vec<Constant>, Vec<String>) {
    let mut wrong = Vec::new();
    let constants = FIELDS.iter().map(|field| {
        let offset = match btf.member(field.of, field.path) {
            Some(member) if fits(member.size, field.size) => member.offset,
            Some(member) => {
                let size = member
                    .size
                    .map_or("unknown".to_owned(), |size| size.to_string());
                wrong.push(format!(
                    "{}: {size} bytes, {} expected",
                    field.global, field.size
                ));
                ABSENT
            }
            None => ABSENT,
        };
        Constant::Word(field.global, offset)
    });
    let constants = constants.collect();
    (constants, wrong)
}

/// An array may be longer than the element that is read from its start.
fn fits(actual: Option<u32>, expected: usize) -> bool {
    actual.is_some_and(|size| {
        size as usize == expected
            || (size as usize > expected && (size as usize).is_multiple_of(expected))
    })
}

/// Masks of `rq_flags`. Up to 6.1 the bits are macros, which BTF does not carry: bit 4 and bit 13
/// (include/linux/blk-mq.h of 5.10 and 6.1); since 6.2 they are enumerators.
pub fn request_flags(btf: &Btf) -> [Constant; 2] {
    let mask = |name: &str, fallback: u32| {
        btf.enumerator(name).map_or(1 << fallback, |bit| {
            1u32.checked_shl(bit as u32).unwrap_or(0)
        })
    };
    [
        Constant::Word("rqf.flush_seq", mask("__RQF_FLUSH_SEQ", 4)),
        Constant::Word("rqf.io_stat", mask("__RQF_IO_STAT", 13)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_running_kernel_has_what_the_block_group_reads() {
        let Ok(btf) = Btf::of_running_kernel() else {
            eprintln!("skipped: {} cannot be read", Btf::VMLINUX);
            return;
        };
        let (constants, wrong) = offsets(&btf);
        assert_eq!(wrong, Vec::<String>::new());
        let absent = |name: &str| constants.contains(&Constant::Word(name_of(name), ABSENT));
        for field in [
            "request.q",
            "request.tag",
            "request.__data_len",
            "bio.bi_sector",
        ] {
            assert!(!absent(field), "{field}");
        }
    }

    fn name_of(name: &str) -> &'static str {
        FIELDS
            .iter()
            .find(|field| field.global == name)
            .expect("a declared field")
            .global
    }
}
