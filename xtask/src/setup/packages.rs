//! Debian packages, by apt-get.

use crate::compiler;
use crate::step::{Step, found, is_root};
use anyhow::{Context, Result, bail};

/// Installs the packages; asks for the package lists only where they do not offer them.
pub(crate) fn install(packages: &[String]) -> Result<()> {
    let shown = command(packages).shown().to_owned();
    if !found("apt-get") {
        bail!(
            "this system has no apt-get; `rustup toolchain install nightly --component rust-src` \
             brings all that the probes need"
        );
    }
    if !is_root() {
        bail!(
            "the packages {} are missing and only root may install them; run `sudo {shown}`, then repeat",
            packages.join(", ")
        );
    }
    let offered = packages.iter().all(|package| is_offered(package));
    if offered && command(packages).status()?.success() {
        return Ok(());
    }
    // Either the lists do not know the packages, or they are old and name files that are gone.
    update()?;
    command(packages).run().with_context(|| {
        format!("the packages could not be installed; see to apt-get, then repeat (`{shown}`)")
    })
}

/// The command that installs them.
pub(crate) fn command(packages: &[String]) -> Step {
    Step::new("apt-get")
        .args(["install", "--yes", "--no-install-recommends"])
        .args(packages)
        .env("DEBIAN_FRONTEND", "noninteractive")
}

fn update() -> Result<()> {
    Step::new("apt-get").arg("update").run().context(
        "the package lists could not be fetched; check the network and /etc/apt/sources.list, then repeat",
    )
}

/// Whether apt's lists offer the package, and rustc-web in a release that is new enough.
fn is_offered(package: &str) -> bool {
    let policy = Step::new("apt-cache")
        .args(["policy", package])
        .env("LC_ALL", "C")
        .read()
        .unwrap_or_default();
    candidate(&policy).is_some_and(|version| {
        !package.starts_with("rust") || compiler::new_enough(version.trim_start_matches("1:"))
    })
}

/// The version in the `Candidate:` line of `apt-cache policy`.
fn candidate(policy: &str) -> Option<&str> {
    policy
        .lines()
        .find_map(|line| line.trim().strip_prefix("Candidate:"))
        .map(str::trim)
        .filter(|version| *version != "(none)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_candidate_is_read_from_apts_policy() {
        let policy = "rustc-web:\n  Installed: (none)\n  Candidate: 1.96.0+dfsg1-1~deb12u2\n";
        assert_eq!(candidate(policy), Some("1.96.0+dfsg1-1~deb12u2"));
        assert_eq!(candidate("x:\n  Candidate: (none)\n"), None);
        assert_eq!(candidate(""), None);
    }

    #[test]
    fn the_install_command_asks_nothing() {
        let shown = command(&["rustc-web".to_owned()]).shown().to_owned();
        assert_eq!(
            shown,
            "DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends rustc-web"
        );
    }
}
