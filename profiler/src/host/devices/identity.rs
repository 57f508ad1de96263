//! A name that stays with the medium when the kernel numbers its devices otherwise.

use crate::host::model::DeviceClass;
use crate::host::notes::Attributes;
use crate::host::root::Root;
use std::io::Read;

/// Stable id of a whole disk, if it has one.
pub(super) fn of(sys: &mut Attributes, class: DeviceClass, root: &Root) -> Option<String> {
    match class {
        DeviceClass::Nvme => first(sys, &["wwid", "device/serial"]),
        DeviceClass::Scsi | DeviceClass::Ata => {
            first(sys, &["device/wwid", "wwid"]).or_else(|| unit_serial(sys, root))
        }
        DeviceClass::Virtio => first(sys, &["serial"]),
        DeviceClass::Mmc => first(sys, &["device/cid", "device/serial"]),
        DeviceClass::Dm => first(sys, &["dm/uuid"]),
        DeviceClass::Md => first(sys, &["md/uuid"]),
        DeviceClass::Loop => first(sys, &["loop/backing_file"]),
        _ => None,
    }
}

fn first(sys: &mut Attributes, names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| sys.text(name)).map(collapse)
}

/// ATA ids are padded with runs of spaces.
fn collapse(text: String) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Page 0x80 of the vital product data: a four byte header, then the serial number.
fn unit_serial(sys: &Attributes, root: &Root) -> Option<String> {
    let file = root.open(&sys.path("device/vpd_pg80")).ok()?;
    let mut page = Vec::new();
    file.take(256).read_to_end(&mut page).ok()?;
    if page.get(1) != Some(&0x80) {
        return None;
    }
    let serial = collapse(String::from_utf8_lossy(page.get(4..)?).replace('\0', " "));
    (!serial.is_empty()).then_some(serial)
}
