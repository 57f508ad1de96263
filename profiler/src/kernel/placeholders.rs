//! Fills the placeholders of the probes' object in: a copy of it goes to the kernel.

use anyhow::{Context as _, Result, bail};
use object::{Object as _, ObjectSection as _, SectionFlags, elf::SHF_EXECINSTR};
use profiler_ebpf::{
    kernel::FIELDS,
    placeholder::{ABSENT, FIELD, OFFSET, PRESENT, SETTING, SETTINGS, Setting},
};
use zerocopy::IntoBytes as _;

/// What the placeholders become.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Values {
    /// Byte offsets, as [`FIELDS`]; `None`: this kernel lacks the field.
    pub fields: Vec<Option<u16>>,
    settings: [u32; SETTINGS],
}

impl Values {
    pub fn new(fields: Vec<Option<u16>>) -> Self {
        Self {
            fields,
            settings: [0; SETTINGS],
        }
    }

    pub fn set(&mut self, setting: Setting, value: u32) {
        self.settings[setting as usize] = value;
    }

    fn field(&self, index: usize) -> Result<Option<u16>> {
        let field = self.fields.get(index).copied();
        field.with_context(|| format!("placeholder of field {index} of {}", FIELDS.len()))
    }
}

/// An object in memory, aligned as its reader wants it.
pub struct Aligned {
    words: Vec<u64>,
    bytes: usize,
}

impl Aligned {
    fn copy(object: &[u8]) -> Self {
        let mut words = vec![0u64; object.len().div_ceil(8)];
        words.as_mut_bytes()[..object.len()].copy_from_slice(object);
        Self {
            words,
            bytes: object.len(),
        }
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.words.as_mut_bytes()[..self.bytes]
    }

    pub fn bytes(&self) -> &[u8] {
        &self.words.as_bytes()[..self.bytes]
    }
}

/// A copy of the object with every placeholder filled in.
pub fn fill(object: &[u8], values: &Values) -> Result<Aligned> {
    let elf = object::File::parse(object).context("the probes' object is not an ELF file")?;
    let code = |section: &object::Section<'_, '_>| match section.flags() {
        SectionFlags::Elf { sh_flags } => sh_flags & u64::from(SHF_EXECINSTR) != 0,
        _ => false,
    };
    let ranges: Vec<_> = elf
        .sections()
        .filter(code)
        .filter_map(|section| section.file_range())
        .collect();
    let mut copy = Aligned::copy(object);
    for (start, length) in ranges {
        let (start, length) = (start as usize, length as usize);
        let section = copy.bytes_mut().get_mut(start..start + length);
        let section = section.context("a section of the probes' object lies outside of it")?;
        instructions(section, values).context("the probes' object does not fit this binary")?;
    }
    Ok(copy)
}

// Documentation/bpf/standardization/instruction-set.rst.
const LOAD_CLASS: u8 = 0x01;
const LOAD_IMMEDIATE_64: u8 = 0x18;
const ADD_64: u8 = 0x07;
const MOVE_32: u8 = 0xb4;

fn instructions(section: &mut [u8], values: &Values) -> Result<()> {
    let mut second_half = false;
    for instruction in section.chunks_exact_mut(8) {
        if std::mem::take(&mut second_half) {
            continue;
        }
        let opcode = instruction[0];
        second_half = opcode == LOAD_IMMEDIATE_64;
        let displacement = i16::from_le_bytes([instruction[2], instruction[3]]);
        if opcode & 7 == LOAD_CLASS && displacement <= FIELD {
            let offset = values.field(usize::from(FIELD.abs_diff(displacement)))?;
            let offset = offset.map_or(Ok(ABSENT), i16::try_from);
            let offset = offset.context("a field lies beyond the reach of a load")?;
            instruction[2..4].copy_from_slice(&offset.to_le_bytes());
        } else if matches!(opcode, ADD_64 | MOVE_32) {
            let index = usize::from(u16::from_le_bytes([instruction[4], instruction[5]]));
            let mark = u16::from_le_bytes([instruction[6], instruction[7]]);
            let value = match (opcode, mark) {
                (ADD_64, OFFSET) => u32::from(values.field(index)?.unwrap_or(0)),
                (MOVE_32, PRESENT) => u32::from(values.field(index)?.is_some()),
                (MOVE_32, SETTING) => match values.settings.get(index) {
                    Some(value) => *value,
                    None => bail!("placeholder of setting {index} of {SETTINGS}"),
                },
                _ => continue,
            };
            instruction[4..8].copy_from_slice(&value.to_le_bytes());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instruction(opcode: u8, displacement: i16, immediate: u32) -> Vec<u8> {
        let mut bytes = vec![opcode, 0x21];
        bytes.extend(displacement.to_le_bytes());
        bytes.extend(immediate.to_le_bytes());
        bytes
    }

    fn filled(code: &[Vec<u8>]) -> Result<Vec<Vec<u8>>> {
        let mut values = Values::new(vec![Some(8), None, Some(120)]);
        values.set(Setting::Stacks, 77);
        let mut section = code.concat();
        instructions(&mut section, &values)?;
        Ok(section.chunks(8).map(<[u8]>::to_vec).collect())
    }

    #[test]
    fn each_kind_of_placeholder_becomes_its_value() {
        let mark = |mark: u16, index: u32| u32::from(mark) << 16 | index;
        let before = [
            instruction(0x61, FIELD, 0),
            instruction(0x79, FIELD - 1, 0),
            instruction(0x71, FIELD - 2, 0),
            instruction(0x07, 0, mark(OFFSET, 2)),
            instruction(0xb4, 0, mark(PRESENT, 0)),
            instruction(0xb4, 0, mark(PRESENT, 1)),
            instruction(0xb4, 0, mark(SETTING, Setting::Stacks as u32)),
        ];
        let after = [
            instruction(0x61, 8, 0),
            instruction(0x79, ABSENT, 0),
            instruction(0x71, 120, 0),
            instruction(0x07, 0, 120),
            instruction(0xb4, 0, 1),
            instruction(0xb4, 0, 0),
            instruction(0xb4, 0, 77),
        ];
        assert_eq!(filled(&before).unwrap(), after);
    }

    #[test]
    fn other_instructions_stay_as_they_are() {
        let mark = u32::from(SETTING) << 16;
        let code = [
            // A load from the stack, a store far below, an addition of another number.
            instruction(0x79, -512, 0),
            instruction(0x7b, FIELD, 0),
            instruction(0x07, 0, 0x6f45_0001),
            // The upper half of a 64-bit constant looks like anything.
            instruction(0x18, 0, 1),
            instruction(0xb4, 0, mark),
        ];
        assert_eq!(filled(&code).unwrap(), code);
    }

    #[test]
    fn a_placeholder_that_this_binary_does_not_know_is_refused() {
        for code in [
            instruction(0x61, FIELD - 3, 0),
            instruction(0xb4, 0, u32::from(SETTING) << 16 | 999),
        ] {
            assert!(filled(&[code]).is_err());
        }
    }

    #[test]
    fn what_is_no_object_is_refused() {
        let values = Values::new(Vec::new());
        for bytes in [&b""[..], b"\x7fELF", &[0; 64]] {
            assert!(fill(bytes, &values).is_err());
        }
    }
}
