//! The options that a job may not set here, and why; and those of the fio command.

/// Options that are refused, by the reason they are refused for.
pub(super) const REFUSED: &[(&str, &str)] = &[
    (
        "files are opened once, all of them, before the job",
        "opendir lockfile unique_filename file_append",
    ),
    (
        "block sizes come from bs, bsrange or bssplit",
        "bs_unaligned blocksize_unaligned bs_is_seq_rand",
    ),
    ("offsets are as given", "offset_align"),
    (
        "the amount of I/O comes from size, io_size or runtime",
        "fill_device fill_fs",
    ),
    (
        "random numbers come from the engine's own generator, and the map is exact",
        "use_os_rand softrandommap sprandom num_range",
    ),
    ("I/Os of one job may overlap", "serialize_overlap"),
    (
        "a job ends on its first error",
        "ignore_error continue_on_error error_dump exitall exit_what exitall_on_error",
    ),
    (
        "data is verified after the job, block by block as it was written",
        "verify_only verifysort verifysort_nr verify_interval verify_offset verify_dump verify_async verify_async_cpus verify_backlog verify_backlog_batch experimental_verify verify_state_load verify_state_save verify_write_sequence verify_header_seed verify_pattern_interval",
    ),
    (
        "a job trims, or it reads and writes",
        "trim_percentage trim_verify_zero trim_backlog trim_backlog_batch num_trim_ranges",
    ),
    (
        "traces are not replayed",
        "write_iolog read_iolog read_iolog_chunked replay_no_stall replay_redirect replay_scale replay_align replay_time_scale replay_skip merge_blktrace_file merge_blktrace_scalars merge_blktrace_iters",
    ),
    (
        "the host's settings are not changed by a job",
        "ioscheduler cgroup cgroup_nodelete cgroup_weight",
    ),
    (
        "zoned devices are not supported",
        "zonemode zonesize zonecapacity zonerange zoneskip read_beyond_wp max_open_zones job_max_open_zones ignore_zone_limits zone_reset_threshold zone_reset_frequency recover_zbd_write_error",
    ),
    (
        "buffers are page-aligned memory of the process",
        "mem iomem iomem_align mem_align hugepage-size lockmem",
    ),
    (
        "threads keep the rights and the priority of the process; cpus_allowed names CPUs",
        "nice prio prioclass priohint cpumask numa_cpu_nodes numa_mem_policy uid gid",
    ),
    (
        "a rate is what is asked for, not what must be reached",
        "rate_min ratemin rate_cycle ratecycle rate_ignore_thinktime rate_iops_min rate_min_iops",
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
        "files are laid out before the job, once",
        "unlink_each_loop",
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
        "buffer_compress_percentage buffer_compress_chunk dedupe_percentage dedupe_mode dedupe_working_set_percentage dedupe_global",
    ),
    (
        "logs have lines of time, value, way, block and priority",
        "per_job_logs write_hist_log bwavgtime iopsavgtime log_entries log_hist_msec log_hist_coarseness log_max_value log_offset log_prio log_issue_time log_compression log_compression_cpus log_store_compressed log_unix_epoch log_alternate_epoch log_alternate_epoch_clock_id log_window_value log_max job_start_clock_id",
    ),
    (
        "every latency is measured, with the monotonic clock",
        "clocksource gtod_cpu",
    ),
    (
        "the report has its own units",
        "significant_figures block_error_percentiles unified_rw_reporting unit_base disk_util stats",
    ),
    (
        "jobs do not take turns",
        "flow flow_id flow_sleep flow_watermark",
    ),
    ("profiles are not supported", "profile"),
    (
        "data placement is not supported",
        "fdp fdp_pli dataplacement plids plid_select fdp_pli_select dp_scheme",
    ),
    (
        "an option of an engine that is not supported",
        "cpuload cpuchunks cpumode exit_on_io_done exit_io_done thp hipri hipri_percentage uncached hostname port protocol proto nodelay listen pingpong interface ttl window_size mss stat_type program arguments grace_time std_redirect donorname donor inplace volume brick single-instance skip_bad readfua writefua sg_write_mode stream_id cmd_type uri userspace_reap bindname verb clustername rbdname pool clientname conf busy_poll touch_objects namenode chunk_size hdfsdirectory hdfs_use_direct http_host http_user http_pass http_s3_key http_s3_keyid http_s3_region http_mode https http_verbose http_swift_auth_token http_s3_sse_customer_key http_s3_sse_customer_algorithm http_s3_storage_class libblkio_driver libblkio_path libblkio_pre_connect_props xnvme_async xnvme_sync xnvme_admin xnvme_dev_nsid xnvme_iovec md_per_io_size pi_act pi_chk apptag apptag_mask deallocate lat writefua_nvme",
    ),
    (
        "priorities of single I/Os are not supported",
        "cmdprio cmdprio_class cmdprio_percentage cmdprio_hint cmdprio_bssplit cmdprio_split",
    ),
    (
        "the ring is otherwise set up by the engine itself",
        "nonvectored sqthread_poll_cpu force_async nowait",
    ),
];

/// Options of the fio command.
pub(super) const COMMAND_LINE: &str = "debug parse-only merge-blktrace-only output bandwidth-log minimal append-terse output-format terse-version version help cpuclock-test crctest cmdhelp enghelp showcmd eta eta-newline eta-interval status-interval readonly section alloc-size warnings-fatal max-jobs server daemonize client remote-config idle-prof inflate-log trigger-file trigger-timeout trigger trigger-remote aux-path";
