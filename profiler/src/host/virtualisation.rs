//! What stands below the kernel, and around the process: hypervisor and container.

use super::notes::Notes;
use super::root::Root;

/// Vendor strings of DMI and the hypervisor that they mean; the first that matches counts.
const VENDORS: [(&str, &str); 19] = [
    ("Amazon EC2", "amazon"),
    ("Google Compute Engine", "google"),
    ("Alibaba Cloud", "alibaba"),
    ("OpenStack", "kvm"),
    ("KubeVirt", "kvm"),
    ("RHEV Hypervisor", "kvm"),
    ("DigitalOcean", "kvm"),
    ("Hetzner", "kvm"),
    ("KVM", "kvm"),
    ("QEMU", "qemu"),
    ("VMware", "vmware"),
    ("VMW", "vmware"),
    ("innotek GmbH", "virtualbox"),
    ("VirtualBox", "virtualbox"),
    ("Xen", "xen"),
    ("Bochs", "qemu"),
    ("Parallels", "parallels"),
    ("BHYVE", "bhyve"),
    ("Apple Virtualization", "apple"),
];

/// Name of the hypervisor; `none` on bare metal; `unknown` for one without a name.
pub(super) fn hypervisor(root: &Root, notes: &mut Notes) -> Option<String> {
    // The first domain of Xen drives the hardware itself.
    if root
        .read("/proc/xen/capabilities")
        .is_ok_and(|text| text.contains("control_d"))
    {
        return Some("none".to_owned());
    }
    let flag = cpu_flag(root);
    if flag == Some(false) {
        return Some("none".to_owned()); // Rented bare metal keeps its owner's name in DMI.
    }
    if root
        .read("/sys/hypervisor/type")
        .is_ok_and(|text| text.trim() == "xen")
    {
        return Some("xen".to_owned());
    }
    if let Some(name) = from_dmi(root) {
        return Some(name.to_owned());
    }
    if let Some(name) = from_device_tree(root) {
        return Some(name);
    }
    match flag {
        Some(_) => Some(from_cpuid(root).unwrap_or("unknown").to_owned()),
        None if root.is_dir("/sys/class/dmi/id") => Some("none".to_owned()),
        None => {
            notes.add(
                "virtualisation",
                "/proc/cpuinfo shows no flags, and /sys/class/dmi/id is not there",
            );
            None
        }
    }
}

/// The `hypervisor` flag of x86; `None` where CPUs have no such flags.
fn cpu_flag(root: &Root) -> Option<bool> {
    let text = root.read("/proc/cpuinfo").ok()?;
    let (_, flags) = text
        .lines()
        .find(|line| line.starts_with("flags"))?
        .split_once(':')?;
    Some(flags.split_whitespace().any(|flag| flag == "hypervisor"))
}

fn from_dmi(root: &Root) -> Option<&'static str> {
    let texts: Vec<String> = ["product_name", "sys_vendor", "board_vendor", "bios_vendor"]
        .iter()
        .filter_map(|name| root.read(&format!("/sys/class/dmi/id/{name}")).ok())
        .collect();
    // Microsoft also builds machines.
    if texts.iter().any(|text| text.starts_with("Virtual Machine"))
        && texts.iter().any(|text| text.starts_with("Microsoft"))
    {
        return Some("microsoft");
    }
    VENDORS
        .iter()
        .find(|(vendor, _)| texts.iter().any(|text| text.starts_with(vendor)))
        .map(|(_, name)| *name)
}

fn from_device_tree(root: &Root) -> Option<String> {
    let text = root.read("/proc/device-tree/hypervisor/compatible").ok()?;
    Some(if text.contains("kvm") {
        "kvm".to_owned()
    } else if text.contains("xen") {
        "xen".to_owned()
    } else {
        "unknown".to_owned()
    })
}

/// The signature that a hypervisor gives by the instruction made for it.
#[cfg(target_arch = "x86_64")]
fn from_cpuid(root: &Root) -> Option<&'static str> {
    if !root.is_live() {
        return None;
    }
    let leaf = std::arch::x86_64::__cpuid(0x4000_0000);
    let mut signature = [0; 12];
    for (place, register) in signature
        .chunks_exact_mut(4)
        .zip([leaf.ebx, leaf.ecx, leaf.edx])
    {
        place.copy_from_slice(&register.to_le_bytes());
    }
    match &signature {
        b"KVMKVMKVM\0\0\0" => Some("kvm"),
        b"Microsoft Hv" => Some("microsoft"),
        b"VMwareVMware" => Some("vmware"),
        b"XenVMMXenVMM" => Some("xen"),
        b"TCGTCGTCGTCG" => Some("qemu"),
        b"bhyve bhyve " => Some("bhyve"),
        _ => None,
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn from_cpuid(_root: &Root) -> Option<&'static str> {
    None
}

/// Marks that container managers leave.
pub(super) fn container(root: &Root) -> Option<String> {
    if let Ok(name) = root.read("/run/systemd/container") {
        return Some(name.trim().to_owned()).filter(|name| !name.is_empty());
    }
    if root.exists("/run/.containerenv") {
        return Some("podman".to_owned());
    }
    if root.exists("/.dockerenv") {
        return Some("docker".to_owned());
    }
    let environment = root.read("/proc/1/environ").unwrap_or_default();
    environment
        .split('\0')
        .find_map(|variable| variable.strip_prefix("container="))
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn tree(files: &[(&str, &str)]) -> (tempfile::TempDir, Root) {
        let dir = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let root = Root::at(dir.path());
        (dir, root)
    }

    const FLAGS: (&str, &str) = ("proc/cpuinfo", "flags\t\t: fpu hypervisor sse\n");

    #[test]
    fn the_vendor_names_the_hypervisor() {
        for (vendor, product, want) in [
            ("Amazon EC2", "m5.large", "amazon"),
            ("Microsoft Corporation", "Virtual Machine", "microsoft"),
            ("QEMU", "Standard PC (Q35 + ICH9, 2009)", "qemu"),
            ("Somebody", "Something", "unknown"),
        ] {
            let (_dir, root) = tree(&[
                FLAGS,
                ("sys/class/dmi/id/sys_vendor", vendor),
                ("sys/class/dmi/id/product_name", product),
            ]);
            assert_eq!(
                hypervisor(&root, &mut Notes::default()).as_deref(),
                Some(want),
                "{vendor}"
            );
        }
    }

    #[test]
    fn rented_bare_metal_is_bare_metal() {
        let (_dir, root) = tree(&[
            ("proc/cpuinfo", "flags\t\t: fpu sse\n"),
            ("sys/class/dmi/id/sys_vendor", "Amazon EC2"),
        ]);
        assert_eq!(
            hypervisor(&root, &mut Notes::default()).as_deref(),
            Some("none")
        );
    }

    #[test]
    fn nothing_to_go_by_is_not_bare_metal() {
        let (_dir, root) = tree(&[]);
        let mut notes = Notes::default();
        assert_eq!(hypervisor(&root, &mut notes), None);
        assert_eq!(notes.into_missing().len(), 1);
        assert_eq!(container(&root), None);
    }

    #[test]
    fn containers_leave_marks() {
        let (_dir, root) = tree(&[("proc/1/environ", "PATH=/bin\0container=lxc\0")]);
        assert_eq!(container(&root).as_deref(), Some("lxc"));
        let (_dir, root) = tree(&[(".dockerenv", "")]);
        assert_eq!(container(&root).as_deref(), Some("docker"));
    }
}
