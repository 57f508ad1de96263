//! The stripes of an XFS whose mount was not collected, against the one array that was.

use crate::import::model::Imported;
use crate::import::model::hostfiles::{ArrayFile, XfsFile};
use crate::units::bytes;

/// File and sentence. With the mount in the folder a rule judges it, and nothing is said here.
pub(super) fn contradictions(imported: &[Imported]) -> Vec<(String, String)> {
    let hosts = || {
        imported
            .iter()
            .filter_map(|one| Some((one, one.host.as_ref()?)))
    };
    if hosts().any(|(_, host)| !host.mounts.is_empty()) {
        return Vec::new();
    }
    let arrays: Vec<&ArrayFile> = hosts().flat_map(|(_, host)| &host.arrays).collect();
    let mut found = Vec::new();
    for (one, host) in hosts() {
        let file = one.files.first().cloned().unwrap_or_default();
        for xfs in &host.xfs {
            found.extend(compare(xfs, &arrays).map(|text| (file.clone(), text)));
        }
    }
    found
}

fn compare(xfs: &XfsFile, arrays: &[&ArrayFile]) -> Option<String> {
    let facts = &xfs.facts;
    let unit = facts.stripe_unit_bytes?;
    let on = |array: &&&ArrayFile| {
        xfs.device
            .as_deref()
            .is_none_or(|device| device == format!("/dev/{}", array.name))
    };
    let possible: Vec<_> = arrays.iter().filter(on).collect();
    if unit == 0 {
        let text = "sunit=0: this XFS was not told of stripes; behind a hardware RAID ask the controller for its stripe, on one disk that is right";
        return possible.is_empty().then(|| text.to_owned());
    }
    let [array] = possible[..] else { return None };
    let chunk = array.chunk_bytes?;
    let width = chunk.checked_mul(array.data_disks?)?;
    let own_width = facts.stripe_width_bytes.unwrap_or(0);
    let taken = match xfs.device {
        Some(_) => String::new(),
        None => format!(
            " (taken to be what it lies on, as the only array in the folder is {})",
            array.name
        ),
    };
    let of = |unit: u64, width: u64| format!("{} and {}", bytes(unit as f64), bytes(width as f64));
    (unit != chunk || own_width != width).then(|| {
        format!(
            "XFS has stripe unit and width {}, but {}{taken} has {}: mounting once with sunit={},swidth={} (512-byte sectors) mends the allocation without mkfs",
            of(unit, own_width),
            array.name,
            of(chunk, width),
            chunk / 512,
            width / 512
        )
    })
}
