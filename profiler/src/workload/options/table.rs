//! The table: every option name of fio 3 and what becomes of it.

use super::{Setter, Support, files, pace, shape};

/// What becomes of a name; `None`: fio has no such option.
pub(super) fn find(name: &str) -> Option<Support> {
    if let Some((names, setter)) = TAKEN.iter().find(|(names, _)| names.contains(&name)) {
        return Some(Support::Taken(names[0], *setter));
    }
    let has = |names: &str| names.split(' ').any(|one| one == name);
    if let Some((why, _)) = REFUSED.iter().find(|(_, names)| has(names)) {
        return Some(Support::Refused(why));
    }
    has(COMMAND_LINE).then_some(Support::CommandLine)
}

/// Every name there is, for suggestions.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    let taken = TAKEN.iter().flat_map(|(names, _)| names.iter().copied());
    let refused = REFUSED.iter().flat_map(|(_, names)| names.split(' '));
    taken.chain(refused).chain(COMMAND_LINE.split(' '))
}

/// Options that a job may set: name, other names, setter.
const TAKEN: &[(&[&str], Setter)] = &[
    (&["name"], files::name),
    (&["description"], files::description),
    (&["filename"], files::filename),
    (&["filename_format"], files::filename_format),
    (&["directory"], files::directory),
    (&["nrfiles", "nr_files"], files::nrfiles),
    (&["direct"], files::direct),
    (&["buffered"], files::buffered),
    (&["fadvise_hint"], files::fadvise_hint),
    (&["invalidate"], files::invalidate),
    (&["create_on_open"], files::create_on_open),
    (&["unlink"], files::unlink),
    (&["overwrite"], files::overwrite),
    (&["fallocate"], files::fallocate),
    (&["exec_prerun"], files::exec_prerun),
    (&["exec_postrun"], files::exec_postrun),
    (&["rw", "readwrite"], shape::rw),
    (&["bs", "blocksize"], shape::bs),
    (&["bssplit"], shape::bssplit),
    (&["ba", "blockalign"], shape::blockalign),
    (&["size"], shape::size),
    (&["filesize"], shape::filesize),
    (&["io_size", "io_limit"], shape::io_size),
    (&["offset"], shape::offset),
    (&["offset_increment"], shape::offset_increment),
    (&["rwmixread"], shape::rwmixread),
    (&["rwmixwrite"], shape::rwmixwrite),
    (&["kb_base"], shape::kb_base),
    (&["ioengine"], shape::ioengine),
    (&["randrepeat"], shape::randrepeat),
    (&["allrandrepeat"], shape::allrandrepeat),
    (&["randseed"], shape::randseed),
    (&["norandommap"], shape::norandommap),
    (&["random_generator"], shape::random_generator),
    (&["zero_buffers"], shape::zero_buffers),
    (&["refill_buffers"], shape::refill_buffers),
    (&["scramble_buffers"], shape::scramble_buffers),
    (&["buffer_pattern"], shape::buffer_pattern),
    (&["numjobs"], pace::numjobs),
    (&["runtime", "timeout"], pace::runtime),
    (&["time_based"], pace::time_based),
    (&["ramp_time"], pace::ramp_time),
    (&["startdelay"], pace::startdelay),
    (&["loops"], pace::loops),
    (&["iodepth"], pace::iodepth),
    (&["sync"], pace::sync),
    (&["fsync"], pace::fsync),
    (&["fdatasync"], pace::fdatasync),
    (&["end_fsync"], pace::end_fsync),
    (&["fsync_on_close"], pace::fsync_on_close),
    (&["stonewall", "wait_for_previous"], pace::stonewall),
    (&["new_group"], pace::new_group),
    (&["group_reporting"], pace::group_reporting),
    (&["thread"], pace::thread),
    (&["thinktime"], pace::thinktime),
    (&["thinktime_blocks"], pace::thinktime_blocks),
    (&["rate_iops"], pace::rate_iops),
];

/// Options that are refused, by the reason they are refused for.
const REFUSED: &[(&str, &str)] = &[
    (
        "the order of files is fixed",
        "file_service_type openfiles opendir lockfile unique_filename file_append",
    ),
    (
        "block sizes come from bs or bssplit",
        "bsrange blocksize_range bs_unaligned blocksize_unaligned bs_is_seq_rand",
    ),
    ("offsets are as given", "offset_align"),
    (
        "the amount of I/O comes from size, io_size or runtime",
        "number_ios fill_device fill_fs",
    ),
    (
        "random jobs draw evenly over the file",
        "random_distribution percentage_random rw_sequencer use_os_rand softrandommap \
         sprandom num_range",
    ),
    (
        "the queue is refilled as I/Os complete, up to iodepth",
        "iodepth_batch iodepth_batch_submit iodepth_batch_complete_min \
         iodepth_batch_complete iodepth_batch_complete_max iodepth_low io_submit_mode \
         serialize_overlap",
    ),
    ("a job starts with its group (stonewall)", "wait_for"),
    (
        "a job ends on its first error",
        "ignore_error continue_on_error error_dump exitall exit_what exitall_on_error",
    ),
    (
        "data is not verified",
        "verify verify_only do_verify verifysort verifysort_nr verify_interval verify_offset \
         verify_pattern verify_fatal verify_dump verify_async verify_async_cpus \
         verify_backlog verify_backlog_batch experimental_verify verify_state_load \
         verify_state_save verify_write_sequence verify_header_seed verify_pattern_interval",
    ),
    (
        "trims are not supported",
        "trim_percentage trim_verify_zero trim_backlog trim_backlog_batch num_trim_ranges",
    ),
    (
        "traces are not replayed",
        "write_iolog read_iolog read_iolog_chunked replay_no_stall replay_redirect \
         replay_scale replay_align replay_time_scale replay_skip merge_blktrace_file \
         merge_blktrace_scalars merge_blktrace_iters",
    ),
    (
        "the host's settings are not changed by a job",
        "ioscheduler cgroup cgroup_nodelete cgroup_weight",
    ),
    (
        "zoned devices are not supported",
        "zonemode zonesize zonecapacity zonerange zoneskip read_beyond_wp max_open_zones \
         job_max_open_zones ignore_zone_limits zone_reset_threshold zone_reset_frequency \
         recover_zbd_write_error",
    ),
    (
        "buffers are page-aligned memory of the process",
        "mem iomem iomem_align mem_align hugepage-size lockmem",
    ),
    (
        "threads keep the rights and places the process has",
        "nice prio prioclass priohint cpumask cpus_allowed cpus_allowed_policy \
         numa_cpu_nodes numa_mem_policy uid gid",
    ),
    (
        "only rate_iops limits the rate",
        "rate rate_min ratemin rate_process rate_cycle ratecycle rate_ignore_thinktime \
         rate_iops_min rate_min_iops",
    ),
    (
        "only thinktime and thinktime_blocks are supported",
        "thinktime_spin thinktime_blocks_type thinktime_iotime",
    ),
    (
        "the rate is not steered by latency",
        "max_latency latency_target latency_window latency_percentile latency_run",
    ),
    (
        "files are laid out and synced before the job",
        "create_serialize create_fsync create_only allow_file_create pre_read \
         unlink_each_loop",
    ),
    (
        "a mounted or held device is never written",
        "allow_mounted_write",
    ),
    (
        "only sync, fsync and fdatasync order writes",
        "write_barrier sync_file_range atomic write_hint",
    ),
    (
        "write buffers are random, zero or a pattern",
        "buffer_compress_percentage buffer_compress_chunk dedupe_percentage dedupe_mode \
         dedupe_working_set_percentage dedupe_global",
    ),
    (
        "no log files are written: record the run instead",
        "per_job_logs write_bw_log write_lat_log write_iops_log write_hist_log bwavgtime \
         iopsavgtime log_entries log_avg_msec log_hist_msec log_hist_coarseness \
         log_max_value log_offset log_prio log_issue_time log_compression \
         log_compression_cpus log_store_compressed log_unix_epoch log_alternate_epoch \
         log_alternate_epoch_clock_id log_window_value log_max job_start_clock_id",
    ),
    (
        "every latency is always measured, with the monotonic clock",
        "clocksource gtod_reduce gtod_cpu disable_lat disable_clat disable_slat \
         disable_bw_measurement disable_bw",
    ),
    (
        "the report has its own percentiles and units",
        "clat_percentiles lat_percentiles slat_percentiles percentile_list \
         significant_figures block_error_percentiles unified_rw_reporting unit_base \
         disk_util stats",
    ),
    (
        "jobs do not take turns",
        "flow flow_id flow_sleep flow_watermark",
    ),
    ("profiles are not supported", "profile"),
    (
        "a run ends by amount or time",
        "steadystate ss steadystate_duration ss_dur steadystate_ramp_time ss_ramp \
         steadystate_check_interval ss_interval",
    ),
    (
        "data placement is not supported",
        "fdp fdp_pli dataplacement plids plid_select fdp_pli_select dp_scheme",
    ),
    (
        "an option of an engine that is not supported",
        "cpuload cpuchunks cpumode exit_on_io_done exit_io_done thp hipri hipri_percentage \
         uncached hostname port protocol proto nodelay listen pingpong interface ttl \
         window_size mss stat_type program arguments grace_time std_redirect donorname donor \
         inplace volume brick single-instance skip_bad readfua writefua sg_write_mode \
         stream_id cmd_type uri userspace_reap bindname verb clustername rbdname pool \
         clientname conf busy_poll touch_objects namenode chunk_size hdfsdirectory \
         hdfs_use_direct http_host http_user http_pass http_s3_key http_s3_keyid \
         http_s3_region http_mode https http_verbose http_swift_auth_token \
         http_s3_sse_customer_key http_s3_sse_customer_algorithm http_s3_storage_class \
         libblkio_driver libblkio_path libblkio_pre_connect_props xnvme_async xnvme_sync \
         xnvme_admin xnvme_dev_nsid xnvme_iovec md_per_io_size pi_act pi_chk apptag \
         apptag_mask deallocate lat writefua_nvme",
    ),
    (
        "priorities of single I/Os are not supported",
        "cmdprio cmdprio_class cmdprio_percentage cmdprio_hint cmdprio_bssplit cmdprio_split",
    ),
    (
        "the ring is set up by the engine itself",
        "fixedbufs registerfiles nonvectored sqthread_poll sqthread_poll_cpu force_async \
         nowait",
    ),
];

/// Options of the fio command.
const COMMAND_LINE: &str = "debug parse-only merge-blktrace-only output bandwidth-log minimal append-terse \
    output-format terse-version version help cpuclock-test crctest cmdhelp enghelp showcmd \
    eta eta-newline eta-interval status-interval readonly section alloc-size warnings-fatal \
    max-jobs server daemonize client remote-config idle-prof inflate-log trigger-file \
    trigger-timeout trigger trigger-remote aux-path";
