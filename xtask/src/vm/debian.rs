//! Kernels of Debian, found in package lists of our own and unpacked, never installed.

use crate::step::Step;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

const SUITES: [&str; 8] = [
    "http://deb.debian.org/debian bullseye main",
    "http://security.debian.org/debian-security bullseye-security main",
    "http://deb.debian.org/debian bookworm main",
    "http://security.debian.org/debian-security bookworm-security main",
    "http://deb.debian.org/debian trixie main",
    "http://security.debian.org/debian-security trixie-security main",
    "http://deb.debian.org/debian trixie-backports main",
    "http://deb.debian.org/debian sid main",
];
/// Lists older than this are fetched again.
const FRESH: Duration = Duration::from_secs(24 * 3600);
const KEYRING: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

#[derive(Debug)]
pub(super) struct Archive {
    folder: PathBuf,
    config: PathBuf,
}

/// An unpacked kernel.
#[derive(Debug)]
pub(super) struct Kernel {
    /// As `uname -r` says it.
    pub(super) version: String,
    pub(super) vmlinuz: PathBuf,
    pub(super) modules: PathBuf,
    /// Where what is made of it belongs.
    pub(super) folder: PathBuf,
}

impl Archive {
    /// Package lists below `folder`, fetched when they are missing or old.
    pub(super) fn open(folder: &Path) -> Result<Self> {
        let apt = folder.join("apt");
        for part in ["state/lists/partial", "cache/archives/partial"] {
            fs::create_dir_all(apt.join(part))
                .with_context(|| format!("making {}", apt.display()))?;
        }
        let signed = Path::new(KEYRING)
            .exists()
            .then(|| format!("[signed-by={KEYRING}] "));
        let signed = signed.unwrap_or_default();
        let sources: String = SUITES
            .iter()
            .map(|suite| format!("deb {signed}{suite}\n"))
            .collect();
        let quoted = |part: &str| format!("\"{}\"", apt.join(part).display());
        let config = format!(
            "Dir::State {};\nDir::State::status \"/dev/null\";\nDir::Cache {};\n\
             Dir::Etc::sourcelist {};\nDir::Etc::sourceparts \"/dev/null\";\n\
             APT::Sandbox::User \"root\";\nAcquire::Languages \"none\";\n",
            quoted("state"),
            quoted("cache"),
            quoted("sources.list")
        );
        let archive = Self {
            config: apt.join("apt.conf"),
            folder: folder.to_owned(),
        };
        fs::write(apt.join("sources.list"), sources).context("writing the sources of kernels")?;
        fs::write(&archive.config, config).context("writing the configuration of apt")?;
        let stamp = apt.join("updated");
        let age = fs::metadata(&stamp).and_then(|file| file.modified());
        let fresh = age.is_ok_and(|time| time.elapsed().is_ok_and(|age| age < FRESH));
        if !fresh {
            archive.apt("apt-get").args(["-q", "update"]).run()?;
            fs::write(&stamp, "").context("noting when the lists were fetched")?;
        }
        Ok(archive)
    }

    fn apt(&self, program: &str) -> Step {
        Step::new(program).arg("-c").arg(&self.config)
    }

    /// The newest version of a line.
    pub(super) fn newest(&self, prefix: &str) -> Result<String> {
        let found = self
            .apt("apt-cache")
            .args(["search", "--names-only", "^linux-image-[0-9].*-amd64$"])
            .read()?;
        let newest = versions(&found, prefix).into_iter().max();
        let newest = newest.map(|(_, version)| version);
        newest.with_context(|| format!("Debian offers no kernel {prefix}"))
    }

    /// Downloads and unpacks it, unless that was done before.
    pub(super) fn fetch(&self, version: &str) -> Result<Kernel> {
        let folder = self.folder.join(version);
        let done = folder.join("unpacked");
        if !done.exists() {
            let root = folder.join("root");
            fs::create_dir_all(&root).with_context(|| format!("making {}", root.display()))?;
            // Since 7.2 the image is an empty package that needs the other two.
            let parts =
                ["image", "binary", "modules"].map(|part| format!("linux-{part}-{version}"));
            for package in parts {
                if package.starts_with("linux-image") || self.offers(&package) {
                    self.unpack(&package, &root)?;
                }
            }
            fs::write(&done, "").context("noting that a kernel is unpacked")?;
        }
        Kernel::in_folder(version, folder)
    }

    fn offers(&self, package: &str) -> bool {
        let shown = self.apt("apt-cache").arg("show").arg(package).read();
        shown.is_ok_and(|text| text.contains("Filename:"))
    }

    fn unpack(&self, package: &str, root: &Path) -> Result<()> {
        let uris = self
            .apt("apt-get")
            .args(["--print-uris", "download"])
            .arg(package)
            .read()?;
        let file = uris
            .split_whitespace()
            .nth(1)
            .context("apt-get named no file")?
            .to_owned();
        let step = Step::new("sh").args([
            "-c",
            "cd \"$1\" && apt-get -q -c \"$2\" download \"$3\"",
            "sh",
        ]);
        step.arg(root).arg(&self.config).arg(package).run()?;
        let deb = root.join(file);
        Step::new("dpkg-deb").arg("-x").arg(&deb).arg(root).run()?;
        fs::remove_file(&deb).with_context(|| format!("removing {}", deb.display()))
    }
}

impl Kernel {
    fn in_folder(version: &str, folder: PathBuf) -> Result<Self> {
        let first = |places: &[String]| {
            let paths = places.iter().map(|place| folder.join("root").join(place));
            paths.into_iter().find(|path| path.exists())
        };
        let release = format!(
            "{}-amd64",
            version.strip_suffix("-amd64").unwrap_or(version)
        );
        let vmlinuz = first(&[
            format!("boot/vmlinuz-{release}"),
            format!("usr/lib/modules/{release}/vmlinuz"),
        ]);
        let modules = first(&[
            format!("usr/lib/modules/{release}"),
            format!("lib/modules/{release}"),
        ]);
        let (Some(vmlinuz), Some(modules)) = (vmlinuz, modules) else {
            bail!("the packages of {version} hold no kernel");
        };
        Ok(Self {
            version: release,
            vmlinuz,
            modules,
            folder,
        })
    }
}

/// Versions of plain kernels in the output of `apt-cache search`, with a key that sorts them.
fn versions(found: &str, prefix: &str) -> Vec<(Vec<u32>, String)> {
    let names = found.lines().filter_map(|line| line.split(' ').next());
    let versions = names.filter_map(|name| name.strip_prefix("linux-image-"));
    versions
        .filter(|version| version.starts_with(prefix))
        // Builds for other purposes, and those for an older release.
        .filter(|version| {
            !["cloud", "rt-", "deb11", "unsigned", "dbg"]
                .iter()
                .any(|word| version.contains(word))
        })
        .map(|version| {
            let key = version.split(|c: char| !c.is_ascii_digit());
            // The suffix `amd64` is no part of the version.
            let key = key
                .filter_map(|part| part.parse().ok())
                .filter(|part| *part != 64);
            (key.collect::<Vec<u32>>(), version.to_owned())
        })
        .filter(|(key, _)| key.len() > 2)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_plain_kernel_of_a_line_is_found() {
        let found = "linux-image-5.10.0-9-amd64 - Linux 5.10\nlinux-image-5.10.0-46-amd64 - Linux\n\
            linux-image-6.1-amd64 - meta\nlinux-image-6.1.0-0.deb11.52-amd64 - Linux\n\
            linux-image-6.1.0-50-amd64 - Linux\nlinux-image-7.3.4+deb13-amd64 - Linux\n\
            linux-image-7.3.5+deb13-cloud-amd64 - Linux\nlinux-image-7.3.5+deb13-rt-amd64 - Linux\n";
        let newest = |prefix| {
            versions(found, prefix)
                .into_iter()
                .max()
                .map(|(_, version)| version)
        };
        assert_eq!(newest("5.10.").as_deref(), Some("5.10.0-46-amd64"));
        assert_eq!(newest("6.1.").as_deref(), Some("6.1.0-50-amd64"));
        assert_eq!(newest("").as_deref(), Some("7.3.4+deb13-amd64"));
        assert_eq!(newest("8."), None);
    }
}
