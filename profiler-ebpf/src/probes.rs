//! The probe groups. A new one is a file here, its `pub mod` line and its line in [`ALL`].

pub mod block;
pub mod journal;
pub mod queue;
pub mod stack;
pub mod stacked;
pub mod sync;
pub mod wait;

use crate::probe::Probe;

/// Every group, in the order in which they are attached.
pub const ALL: &[&Probe] = &[
    &block::PROBE,
    &queue::PROBE,
    &stacked::PROBE,
    &journal::PROBE,
    &sync::PROBE,
    &wait::PROBE,
    &stack::PROBE,
];

#[cfg(test)]
mod tests {
    use super::ALL;

    #[test]
    fn every_file_of_the_folder_is_in_the_list() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/probes");
        let mut files: Vec<_> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| {
                entry
                    .unwrap()
                    .path()
                    .file_stem()
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .to_owned()
            })
            .collect();
        files.sort();
        let mut listed: Vec<_> = ALL.iter().map(|probe| probe.id.to_owned()).collect();
        listed.sort();
        assert_eq!(files, listed);
    }
}
