//! What kind of device a disk is, by the drivers above it in sysfs rather than by its name.

use crate::host::model::DeviceClass;
use crate::host::root::Root;

/// Class of the whole disk at `dir`, `/sys/block/NAME`.
pub(super) fn of(root: &Root, dir: &str, name: &str) -> DeviceClass {
    for (attribute, class) in [
        ("md", DeviceClass::Md),
        ("dm", DeviceClass::Dm),
        ("loop", DeviceClass::Loop),
    ] {
        if root.is_dir(&format!("{dir}/{attribute}")) {
            return class;
        }
    }
    match parent_bus(root, dir).as_deref() {
        Some("nvme" | "nvme-subsystem") => DeviceClass::Nvme,
        Some("virtio") => DeviceClass::Virtio,
        Some("xen") => DeviceClass::Xen,
        Some("mmc") => DeviceClass::Mmc,
        Some("scsi") if is_libata(root, dir) => DeviceClass::Ata,
        Some("scsi") => DeviceClass::Scsi,
        Some(_) => DeviceClass::Unknown,
        None => by_name(name),
    }
}

/// Subsystem of the device that the disk hangs on; virtual disks hang on none.
fn parent_bus(root: &Root, dir: &str) -> Option<String> {
    let subsystem = root.link(&format!("{dir}/device/subsystem")).ok()?;
    subsystem.rsplit('/').next().map(str::to_owned)
}

/// libata puts its port into the path: `.../ata1/host0/target0:0:0/0:0:0:0`.
fn is_libata(root: &Root, dir: &str) -> bool {
    let path = root.canonical(&format!("{dir}/device")).unwrap_or_default();
    path.split('/').any(|component| {
        component
            .strip_prefix("ata")
            .is_some_and(|port| !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit()))
    })
}

/// The kernel names virtual disks itself, so that the name is the driver.
fn by_name(name: &str) -> DeviceClass {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    match stem {
        "loop" => DeviceClass::Loop,
        "zram" => DeviceClass::Zram,
        "ram" => DeviceClass::Ram,
        "nbd" => DeviceClass::Nbd,
        "md" | "md_d" => DeviceClass::Md,
        "dm-" => DeviceClass::Dm,
        _ => DeviceClass::Unknown,
    }
}
