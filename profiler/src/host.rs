//! The host's configuration: what can be read without tracing. Read once, kept in the capture.
//!
//! Reading never fails: whatever cannot be read is `None`, with the reason in [`Host::missing`].
//! [`Root`] is the tree to read from, so that a copied one gives the same answer as the host.

pub mod cgroup;
pub mod model;
pub mod pulse;

mod databases;
mod devices;
mod escape;
mod ext4;
mod fstab;
pub(crate) mod mountinfo;
mod mounts;
mod notes;
mod process;
mod root;
mod stack;
mod superblock;
mod system;
mod virtualisation;
mod xfs;

pub(crate) use databases::{mysql_option, mysql_section, postgresql_line};
pub(crate) use escape::unescape;
pub(crate) use ext4::of_options as ext4_of_options;
pub use model::*;
pub use notes::Notes;
pub use root::Root;
pub use stack::Selection;
pub(crate) use xfs::from_options as xfs_of_options;

impl Host {
    /// Reads the running host.
    pub fn live() -> Self {
        Self::read(&Root::live())
    }

    /// Reads the host whose tree this is.
    pub fn read(root: &Root) -> Self {
        let mut host = Self::default();
        let mut notes = Notes::default();
        system::fill(root, &mut host, &mut notes);
        host.virtualisation = virtualisation::hypervisor(root, &mut notes);
        host.container = virtualisation::container(root);
        host.devices = devices::read(root, &mut notes);
        let found = mounts::read(root, &host.devices, &mut notes);
        host.mounts = found.mounts;
        host.swaps = system::swaps(root, &host.devices, &host.mounts, &mut notes);
        stack::add_users(
            root,
            &mut host.devices,
            &host.mounts,
            &host.swaps,
            found.logs,
        );
        databases::fill(root, &mut host, &mut notes);
        host.missing = notes.into_missing();
        host
    }

    /// Adds the limits on the cgroup of one process; what cannot be read goes to `missing`.
    pub fn add_cgroup_of(&mut self, root: &Root, pid: u32, subject: &str) {
        let mut notes = Notes::default();
        let found = cgroup::of(root, pid, subject, &mut notes);
        self.cgroups.extend(found);
        for note in notes.into_missing() {
            if !self.missing.contains(&note) {
                self.missing.push(note);
            }
        }
    }
}
