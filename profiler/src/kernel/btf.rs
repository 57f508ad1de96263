//! Reads raw BTF (Documentation/bpf/btf.rst): struct members, enumerators, tracepoint prototypes.
//!
//! No library reads what is needed here under a permissive licence; the format is small.

use anyhow::{Context as _, Result, bail, ensure};
use std::collections::HashMap;

const INT: u32 = 1;
const PTR: u32 = 2;
const ARRAY: u32 = 3;
const STRUCT: u32 = 4;
const UNION: u32 = 5;
const ENUM: u32 = 6;
const TYPEDEF: u32 = 8;
const FUNC_PROTO: u32 = 13;
const ENUM64: u32 = 19;
/// Types of types: volatile, const, restrict, type tags.
const MODIFIERS: [u32; 5] = [TYPEDEF, 9, 10, 11, 18];

/// The types of one kernel.
pub struct Btf {
    raw: Vec<u8>,
    /// Byte offset of each type; index 0 is void.
    types: Vec<u32>,
    strings: usize,
    structs: HashMap<String, u32>,
    /// `btf_trace_*` typedefs, by tracepoint.
    tracepoints: HashMap<String, u32>,
}

/// Where a member lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    pub offset: u32,
    /// Bytes; `None` for bit fields and members whose size BTF does not tell directly.
    pub size: Option<u32>,
}

impl Btf {
    /// Where the kernel shows its own types.
    pub const VMLINUX: &str = "/sys/kernel/btf/vmlinux";

    pub fn of_running_kernel() -> Result<Self> {
        let raw = std::fs::read(Self::VMLINUX).with_context(|| {
            format!(
                "reading {} (the kernel needs CONFIG_DEBUG_INFO_BTF=y)",
                Self::VMLINUX
            )
        })?;
        Self::parse(raw).with_context(|| format!("parsing {}", Self::VMLINUX))
    }

    /// Reads a BTF blob in the byte order of this machine.
    pub fn parse(raw: Vec<u8>) -> Result<Self> {
        let word = |at: usize| word_at(&raw, at).context("it ends early");
        ensure!(
            word(0)? & 0xffff == 0xeb9f,
            "it does not begin with the BTF magic"
        );
        let header = word(4)? as usize;
        let place = |offset: u32| header.checked_add(offset as usize).context("bad header");
        let (start, length) = (place(word(8)?)?, word(12)? as usize);
        let strings = place(word(16)?)?;
        let end = start.checked_add(length).filter(|end| *end <= raw.len());
        let end = end.context("its type section reaches beyond its end")?;
        let (mut types, mut at) = (vec![0u32], start);
        let (mut structs, mut tracepoints) = (HashMap::new(), HashMap::new());
        while at < end {
            let (name, info) = (word(at)?, word(at + 4)?);
            let id = types.len() as u32;
            types.push(at as u32);
            match info >> 24 & 0x1f {
                STRUCT | UNION => {
                    let name = text(&raw, strings, name);
                    if !name.is_empty() {
                        structs.entry(name.to_owned()).or_insert(id);
                    }
                }
                TYPEDEF => {
                    if let Some(event) = text(&raw, strings, name).strip_prefix("btf_trace_") {
                        tracepoints.insert(event.to_owned(), id);
                    }
                }
                _ => {}
            }
            at += 12 + trailer(info)?;
        }
        Ok(Self {
            raw,
            types,
            strings,
            structs,
            tracepoints,
        })
    }

    /// Number of types.
    pub fn len(&self) -> usize {
        self.types.len() - 1
    }

    /// Whether there is no type at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A member by its path (`bi_iter.bi_sector`), looking into anonymous structs and unions.
    /// `None`: this kernel has no such struct or member.
    pub fn member(&self, of: &str, path: &str) -> Option<Member> {
        let mut id = *self.structs.get(of)?;
        let mut bits = 0;
        let mut found = None;
        for name in path.split('.') {
            let (offset, width, kind) = self.find(id, name, 0)?;
            bits += offset;
            id = self.plain(kind);
            found = Some((width, kind));
        }
        let (width, kind) = found?;
        let size = if width == 0 { self.size(kind) } else { None };
        Some(Member {
            offset: bits / 8,
            size,
        })
    }

    /// The value of an enumerator, whichever enum it is in.
    pub fn enumerator(&self, name: &str) -> Option<u64> {
        for id in 1..self.types.len() as u32 {
            let kind = self.kind(id);
            if kind != ENUM && kind != ENUM64 {
                continue;
            }
            let (at, info) = self.head(id);
            let step = if kind == ENUM { 8 } else { 12 };
            for i in 0..(info & 0xffff) as usize {
                let entry = at + 12 + i * step;
                if text(&self.raw, self.strings, self.word(entry)) == name {
                    let low = u64::from(self.word(entry + 4));
                    let high = if kind == ENUM64 {
                        self.word(entry + 8)
                    } else {
                        0
                    };
                    return Some(low | u64::from(high) << 32);
                }
            }
        }
        None
    }

    /// The arguments of a tracepoint after `__data`: for each the struct it points to, if any.
    /// `None`: this kernel has no such tracepoint (built in).
    pub fn arguments(&self, tracepoint: &str) -> Option<Vec<Option<String>>> {
        let typedef = *self.tracepoints.get(tracepoint)?;
        let pointer = self.target(typedef);
        let proto = self.target(pointer);
        if self.kind(proto) != FUNC_PROTO {
            return None;
        }
        let (at, info) = self.head(proto);
        let parameters = (1..(info & 0xffff) as usize).map(|i| self.word(at + 12 + i * 8 + 4));
        Some(parameters.map(|kind| self.pointee(kind)).collect())
    }

    fn pointee(&self, id: u32) -> Option<String> {
        let id = self.plain(id);
        if self.kind(id) != PTR {
            return None;
        }
        let to = self.plain(self.target(id));
        if !matches!(self.kind(to), STRUCT | UNION | 7) {
            return None;
        }
        let (at, _) = self.head(to);
        Some(text(&self.raw, self.strings, self.word(at)).to_owned())
    }

    /// Bit offset, bit-field width (0: none) and type of a member.
    fn find(&self, id: u32, name: &str, depth: u32) -> Option<(u32, u32, u32)> {
        if !matches!(self.kind(id), STRUCT | UNION) || depth > 16 {
            return None;
        }
        let (at, info) = self.head(id);
        let packed = info >> 31 == 1;
        for i in 0..(info & 0xffff) as usize {
            let entry = at + 12 + i * 12;
            let (kind, place) = (self.word(entry + 4), self.word(entry + 8));
            let (offset, width) = if packed {
                (place & 0xff_ffff, place >> 24)
            } else {
                (place, 0)
            };
            let member = text(&self.raw, self.strings, self.word(entry));
            if member == name {
                return Some((offset, width, kind));
            }
            if member.is_empty()
                && let Some((inner, width, kind)) = self.find(self.plain(kind), name, depth + 1)
            {
                return Some((offset + inner, width, kind));
            }
        }
        None
    }

    fn size(&self, id: u32) -> Option<u32> {
        let id = self.plain(id);
        let (at, _) = self.head(id);
        match self.kind(id) {
            PTR => Some(8),
            INT | STRUCT | UNION | ENUM | ENUM64 => Some(self.word(at + 8)),
            ARRAY => {
                let (element, n) = (self.word(at + 12), self.word(at + 20));
                self.size(element)?.checked_mul(n)
            }
            _ => None,
        }
    }

    /// The type behind typedefs and qualifiers.
    fn plain(&self, mut id: u32) -> u32 {
        for _ in 0..32 {
            if !MODIFIERS.contains(&self.kind(id)) {
                break;
            }
            id = self.target(id);
        }
        id
    }

    fn kind(&self, id: u32) -> u32 {
        if id == 0 || id as usize >= self.types.len() {
            0
        } else {
            self.head(id).1 >> 24 & 0x1f
        }
    }

    fn target(&self, id: u32) -> u32 {
        if self.kind(id) == 0 {
            0
        } else {
            self.word(self.head(id).0 + 8)
        }
    }

    fn head(&self, id: u32) -> (usize, u32) {
        let at = self.types.get(id as usize).copied().unwrap_or(0) as usize;
        (at, self.word(at + 4))
    }

    fn word(&self, at: usize) -> u32 {
        word_at(&self.raw, at).unwrap_or(0)
    }
}

/// Bytes that follow the twelve of a type's head.
fn trailer(info: u32) -> Result<usize> {
    let n = (info & 0xffff) as usize;
    Ok(match info >> 24 & 0x1f {
        INT | 14 | 17 => 4,
        ARRAY => 12,
        STRUCT | UNION | 15 | ENUM64 => 12 * n,
        ENUM | FUNC_PROTO => 8 * n,
        PTR | 7..=12 | 16 | 18 => 0,
        kind => bail!("type kind {kind} is unknown to this version"),
    })
}

fn word_at(raw: &[u8], at: usize) -> Option<u32> {
    let bytes = raw.get(at..at.checked_add(4)?)?;
    Some(u32::from_ne_bytes(
        bytes.try_into().expect("four bytes were taken"),
    ))
}

fn text(raw: &[u8], strings: usize, offset: u32) -> &str {
    let rest = strings
        .checked_add(offset as usize)
        .and_then(|at| raw.get(at..))
        .unwrap_or(&[]);
    let end = rest.iter().position(|byte| *byte == 0).unwrap_or(0);
    std::str::from_utf8(&rest[..end]).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Builds a blob: `struct outer { int a; struct { int b; }; }`, `enum { RED = 7 }`, and
    /// `typedef void (*btf_trace_ev)(void *, struct outer *)`.
    fn sample() -> Vec<u8> {
        let strings = b"\0int\0outer\0a\0b\0RED\0btf_trace_ev\0";
        let s = |name: &str| {
            let needle = [b"\0", name.as_bytes(), b"\0"].concat();
            strings
                .windows(needle.len())
                .position(|w| w == needle)
                .unwrap() as u32
                + 1
        };
        let head = |kind: u32, n: u32| kind << 24 | n;
        let words = [
            vec![s("int"), head(INT, 0), 4, 32],                          // 1
            vec![0, head(STRUCT, 1), 4, s("b"), 1, 0],                    // 2
            vec![s("outer"), head(STRUCT, 2), 8, s("a"), 1, 0, 0, 2, 32], // 3
            vec![0, head(ENUM, 1), 4, s("RED"), 7],                       // 4
            vec![0, head(PTR, 0), 3],                                     // 5
            vec![0, head(FUNC_PROTO, 2), 0, 0, 0, 0, 5],                  // 6
            vec![0, head(PTR, 0), 6],                                     // 7
            vec![s("btf_trace_ev"), head(TYPEDEF, 0), 7],                 // 8
        ]
        .concat();
        let types: Vec<u8> = words.iter().flat_map(|w| w.to_ne_bytes()).collect();
        let header = [
            0x0001_eb9f,
            24,
            0,
            types.len() as u32,
            types.len() as u32,
            strings.len() as u32,
        ];
        let mut blob: Vec<u8> = header.iter().flat_map(|w: &u32| w.to_ne_bytes()).collect();
        blob.extend(types);
        blob.extend(strings);
        blob
    }

    #[test]
    fn members_are_found_inside_anonymous_structs() {
        let btf = Btf::parse(sample()).unwrap();
        assert_eq!(btf.len(), 8);
        assert_eq!(
            btf.member("outer", "a"),
            Some(Member {
                offset: 0,
                size: Some(4)
            })
        );
        assert_eq!(
            btf.member("outer", "b"),
            Some(Member {
                offset: 4,
                size: Some(4)
            })
        );
        assert_eq!(btf.member("outer", "c"), None);
        assert_eq!(btf.member("inner", "a"), None);
        assert_eq!(btf.enumerator("RED"), Some(7));
        assert_eq!(btf.arguments("ev"), Some(vec![Some("outer".to_owned())]));
        assert_eq!(btf.arguments("other"), None);
    }

    proptest! {
        #[test]
        fn broken_blobs_are_refused_or_read(at in 0usize..300, byte: u8, cut in 0usize..300) {
            let mut blob = sample();
            let index = at % blob.len();
            blob[index] = byte;
            blob.truncate(blob.len().saturating_sub(cut % 40));
            if let Ok(btf) = Btf::parse(blob) {
                btf.member("outer", "b");
                btf.enumerator("RED");
                btf.arguments("ev");
            }
        }
    }
}
