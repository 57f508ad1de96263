//! Looks up what the probes read in this kernel's BTF.

use super::{btf::Btf, placeholders::Values};
use profiler_ebpf::{kernel::FIELDS, placeholder::Setting};

/// Offsets of all fields that this kernel has. The second value names fields whose size is not
/// what the probes load: those are treated as absent.
pub fn of_kernel(btf: &Btf) -> (Values, Vec<String>) {
    let mut wrong = Vec::new();
    let fields = FIELDS
        .iter()
        .map(|field| match btf.member(field.of, field.path) {
            Some(member) if fits(member.size, field.size) => member.offset.try_into().ok(),
            Some(member) => {
                let size = member
                    .size
                    .map_or("unknown".to_owned(), |size| size.to_string());
                wrong.push(format!(
                    "{}: {size} bytes, {} expected",
                    field.name, field.size
                ));
                None
            }
            None => None,
        });
    let mut values = Values::new(fields.collect());
    request_flags(btf, &mut values);
    dirty_flags(btf, &mut values);
    (values, wrong)
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
fn request_flags(btf: &Btf, values: &mut Values) {
    let mask = |name: &str, fallback: u32| {
        btf.enumerator(name).map_or(1 << fallback, |bit| {
            1u32.checked_shl(bit as u32).unwrap_or(0)
        })
    };
    values.set(Setting::RqfFlushSeq, mask("__RQF_FLUSH_SEQ", 4));
    values.set(Setting::RqfIoStat, mask("__RQF_IO_STAT", 13));
}

/// Masks of what makes an inode dirty: macros with bits 0 and 1 (include/linux/fs.h of 5.10 to 6.17), then
/// enumerators, which moved.
fn dirty_flags(btf: &Btf, values: &mut Values) {
    let mask =
        |name: &str, fallback: u32| btf.enumerator(name).map_or(fallback, |mask| mask as u32);
    values.set(Setting::DirtySync, mask("I_DIRTY_SYNC", 1));
    values.set(Setting::DirtyDatasync, mask("I_DIRTY_DATASYNC", 2));
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
        let (values, wrong) = of_kernel(&btf);
        assert_eq!(wrong, Vec::<String>::new());
        for field in [
            "request.q",
            "request.tag",
            "request.__data_len",
            "bio.bi_sector",
        ] {
            let at = FIELDS.iter().position(|known| known.name == field);
            let at = at.expect("a declared field");
            assert!(values.fields[at].is_some(), "{field}");
        }
    }
}
