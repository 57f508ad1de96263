//! The initramfs: busybox, a script, and the modules that the tests need, in the order of loading.

use super::cpio::Archive;
use super::debian::Kernel;
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

const INIT: &[u8] = include_bytes!("init.sh");
/// Wanted where the kernel has them as modules. Checksums come first: file systems ask for them by
/// name while they load, which no dependency tells.
const MODULES: [&str; 22] = [
    "crc32c_generic",
    "crc32c_intel",
    "crc32_generic",
    "libcrc32c",
    "virtio_pci",
    "virtio_blk",
    "9pnet_virtio",
    "9p",
    "loop",
    "ext4",
    "xfs",
    "btrfs",
    "null_blk",
    "scsi_debug",
    "sd_mod",
    "nvme",
    "dm_mod",
    "raid0",
    "raid10",
    "raid456",
    "bfq",
    "kyber_iosched",
];

/// Builds it, unless that was done before with the same script and programs.
pub(super) fn build(kernel: &Kernel) -> Result<PathBuf> {
    let image = kernel.folder.join("initramfs.cpio");
    let recipe = kernel.folder.join("initramfs.recipe");
    let ours = [INIT, MODULES.join(" ").as_bytes()].concat();
    if image.exists() && fs::read(&recipe).is_ok_and(|old| old == ours) {
        return Ok(image);
    }
    let files = files(&kernel.modules)?;
    let mut archive = Archive::default();
    for folder in ["bin", "dev", "host", "modules", "proc", "sys", "tmp"] {
        archive.folder(folder);
    }
    archive.character_device("dev/console", 5, 1);
    archive.file("init", INIT);
    archive.file(
        "bin/busybox",
        &fs::read(busybox()?).context("reading busybox")?,
    );
    let mut order = Vec::new();
    for module in MODULES {
        load(module, &files, &mut archive, &mut order)?;
    }
    archive.file("modules/order", order.join("\n").as_bytes());
    fs::write(&image, archive.finish()).with_context(|| format!("writing {}", image.display()))?;
    fs::write(&recipe, ours).context("noting the recipe of the initramfs")?;
    Ok(image)
}

fn busybox() -> Result<PathBuf> {
    let places = ["/bin/busybox", "/usr/bin/busybox"].map(PathBuf::from);
    places
        .into_iter()
        .find(|path| path.exists())
        .context("busybox is not installed")
}

/// Every module of a kernel: its name, with `_` for `-`, and its file.
fn files(folder: &Path) -> Result<BTreeMap<String, PathBuf>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.join("kernel")];
    while let Some(folder) = folders.pop() {
        let entries =
            fs::read_dir(&folder).with_context(|| format!("reading {}", folder.display()))?;
        for entry in entries {
            let path = entry.context("reading a folder of modules")?.path();
            if path.is_dir() {
                folders.push(path);
            } else if let Some((name, _)) = path
                .file_name()
                .and_then(|name| name.to_str()?.split_once(".ko"))
            {
                found.insert(name.replace('-', "_"), path);
            }
        }
    }
    Ok(found)
}

/// Adds a module after those it needs.
fn load(
    module: &str,
    files: &BTreeMap<String, PathBuf>,
    archive: &mut Archive,
    order: &mut Vec<String>,
) -> Result<()> {
    let Some(path) = files.get(module) else {
        // Part of the kernel, or not there at all: the tests that need it say so.
        return Ok(());
    };
    if order.iter().any(|loaded| loaded == module) {
        return Ok(());
    }
    let content = unpacked(path)?;
    for needed in needs(&content) {
        load(&needed, files, archive, order)?;
    }
    archive.file(&format!("modules/{module}.ko"), &content);
    order.push(module.to_owned());
    Ok(())
}

fn unpacked(path: &Path) -> Result<Vec<u8>> {
    let program = match path.extension().and_then(|end| end.to_str()) {
        Some("ko") => return fs::read(path).with_context(|| format!("reading {}", path.display())),
        Some("xz") => "xz",
        Some("zst") => "zstd",
        _ => bail!("{} is packed in an unknown way", path.display()),
    };
    let mut command = std::process::Command::new(program);
    let output = command.arg("-dc").arg(path).output();
    let output = output.with_context(|| format!("starting {program}"))?;
    if !output.status.success() {
        bail!("{program} could not unpack {}", path.display());
    }
    Ok(output.stdout)
}

/// The modules named in `depends=` of the section .modinfo (kernel/module, scripts/mod/modpost.c).
fn needs(module: &[u8]) -> Vec<String> {
    const KEY: &[u8] = b"\0depends=";
    let Some(at) = module.windows(KEY.len()).position(|window| window == KEY) else {
        return Vec::new();
    };
    let list = module[at + KEY.len()..].split(|byte| *byte == 0).next();
    let list = String::from_utf8_lossy(list.unwrap_or_default()).into_owned();
    let names = list.split(',').filter(|name| !name.is_empty());
    names.map(|name| name.replace('-', "_")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_says_what_it_needs() {
        let of = |text: &[u8]| needs(text);
        assert_eq!(
            of(b"ELF\0license=GPL\0depends=jbd2,mbcache,crc32c-x\0intree=Y\0"),
            ["jbd2", "mbcache", "crc32c_x"]
        );
        assert_eq!(of(b"\0depends=\0retpoline=Y\0"), Vec::<String>::new());
        assert_eq!(of(b"none"), Vec::<String>::new());
    }
}
