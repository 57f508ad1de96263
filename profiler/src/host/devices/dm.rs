//! Device-mapper nodes: name and uuid from sysfs. The table comes from [`super::dm_table`].

use crate::host::model::{BlockDevice, Dm};
use crate::host::notes::Attributes;

pub(super) fn read(sys: &mut Attributes) -> Option<Dm> {
    let uuid = sys.text("dm/uuid");
    Some(Dm {
        name: sys.text("dm/name")?,
        // By convention of its tools: `LVM-...`, `CRYPT-LUKS2-...`, `mpath-...`, `part1-mpath-...`.
        subsystem: uuid
            .as_deref()
            .and_then(|uuid| uuid.split_once('-'))
            .map(|(subsystem, _)| subsystem.to_owned()),
        uuid,
        ..Dm::default()
    })
}

/// `VG/LV` of a logical volume: LVM joins the two by one hyphen and doubles the hyphens within.
pub(super) fn volume(device: &BlockDevice) -> Option<String> {
    let dm = device.dm.as_ref()?;
    if dm.subsystem.as_deref() != Some("LVM") {
        return None;
    }
    let doubled = dm.name.replace("--", "\0");
    let (group, volume) = doubled.split_once('-')?;
    Some(format!("{group}/{volume}").replace('\0', "-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubled_hyphens_belong_to_the_names() {
        let named = |name: &str| BlockDevice {
            dm: Some(Dm {
                name: name.into(),
                subsystem: Some("LVM".into()),
                ..Dm::default()
            }),
            ..BlockDevice::default()
        };
        assert_eq!(volume(&named("vg--0-pg--data")).unwrap(), "vg-0/pg-data");
        assert_eq!(volume(&named("vg0-data")).unwrap(), "vg0/data");
        assert_eq!(volume(&named("single")), None);
    }
}
