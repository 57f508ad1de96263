//! The importers: one file each in `kinds/`, and its entry in [`ALL`].

pub mod bcc_histogram;
pub mod blkparse;
pub mod block_events;
pub mod blockdev;
pub mod bonnie_csv;
pub mod bonnie_table;
pub mod bpftrace_histogram;
pub mod diskstats;
pub mod dmsetup;
pub mod fio_json;
pub mod fio_terse;
pub mod fstab;
pub mod iostat;
pub mod iostat_json;
pub mod iostat_series;
pub mod kernel_command_line;
pub mod kernel_release;
pub mod layers;
pub mod log;
pub mod lsblk;
pub mod lsblk_table;
pub mod lvs;
pub mod mdadm;
pub mod mdstat;
pub mod meminfo;
pub mod mounts;
pub mod my_cnf;
pub mod parted;
pub mod partitions;
pub mod perf_script;
pub mod pg_test_fsync;
pub mod postgresql_conf;
pub mod queue_attributes;
pub mod sysctl;
pub mod timed_requests;
pub mod tune2fs;
pub mod vmstat;
pub mod volume_notes;
pub mod workload_notes;
pub mod xfs_info;

use super::model::Imported;
use super::source::{Imports, Source};

/// One kind of file.
pub trait Kind: Sync {
    /// The word on the command line.
    fn name(&self) -> &'static str;
    /// One line for the help.
    fn about(&self) -> &'static str;
    /// Whether the content looks like it. Never by the name alone.
    fn recognises(&self, source: &Source) -> bool;
    /// Adds one file's values, or refuses it without having added any.
    fn read(&self, source: &Source, into: &mut Imported) -> Imports<()>;
    /// After the last file: what only several files tell together.
    fn finish(&self, _into: &mut Imported) {}
}

/// Every importer; for `auto` the first that recognises the content is taken, so that those with
/// the surest marks come first.
pub const ALL: &[&dyn Kind] = &[
    &fio_json::FioJson,
    &iostat_json::IostatJson,
    &lsblk::Lsblk,
    &fio_terse::FioTerse,
    &lsblk_table::LsblkTable,
    &bonnie_csv::BonnieCsv,
    &bonnie_table::BonnieTable,
    &iostat::Iostat,
    &iostat_series::IostatSeries,
    &vmstat::Vmstat,
    &blkparse::Blkparse,
    &perf_script::PerfScript,
    &block_events::BlockEvents,
    &timed_requests::TimedRequests,
    &bpftrace_histogram::BpftraceHistogram,
    &bcc_histogram::BccHistogram,
    &diskstats::Diskstats,
    &queue_attributes::QueueAttributes,
    &partitions::Partitions,
    &parted::Parted,
    &pg_test_fsync::PgTestFsync,
    &layers::Layers,
    &blockdev::Blockdev,
    &mdstat::Mdstat,
    &mdadm::Mdadm,
    &xfs_info::XfsInfo,
    &tune2fs::Tune2fs,
    &fstab::Fstab,
    &mounts::Mounts,
    &lvs::Lvs,
    &dmsetup::Dmsetup,
    &meminfo::Meminfo,
    &kernel_command_line::KernelCommandLine,
    &workload_notes::WorkloadNotes,
    &volume_notes::VolumeNotes,
    &sysctl::Sysctl,
    &my_cnf::MyCnf,
    &log::Log,
    &kernel_release::KernelRelease,
    &postgresql_conf::PostgresqlConf,
];

/// The importer of that name.
pub fn by_name(name: &str) -> Option<&'static dyn Kind> {
    ALL.iter().copied().find(|kind| kind.name() == name)
}

/// The importer whose content this is.
pub fn recognise(source: &Source) -> Option<&'static dyn Kind> {
    ALL.iter().copied().find(|kind| kind.recognises(source))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::fs;

    #[test]
    fn every_file_of_the_folder_has_its_entry() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/import/kinds");
        let files: BTreeSet<_> = fs::read_dir(folder)
            .unwrap()
            .filter_map(|entry| entry.unwrap().file_name().into_string().ok())
            .filter_map(|name| Some(name.strip_suffix(".rs")?.replace('_', "-")))
            .collect();
        let named: BTreeSet<_> = ALL.iter().map(|kind| kind.name().to_owned()).collect();
        assert_eq!(named.len(), ALL.len(), "a name stands twice");
        assert_eq!(files, named);
    }
}
