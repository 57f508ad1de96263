//! The options that a job may set: names, what puts a value into a job, what a value may be.

use super::{Setter, content, draw, files, pace, setup, shape, verify, watch};

/// One option.
pub(super) struct Row {
    pub(super) names: &'static [&'static str],
    pub(super) setter: Setter,
    /// What a value may be, and where it differs from fio.
    pub(super) values: &'static str,
}

const fn row(names: &'static [&'static str], setter: Setter, values: &'static str) -> Row {
    Row {
        names,
        setter,
        values,
    }
}

/// In the order of the documentation.
pub(super) const TAKEN: &[Row] = &[
    row(
        &["name"],
        files::name,
        "the name of the job, instead of the section's",
    ),
    row(
        &["description"],
        files::description,
        "any text; shown, not used",
    ),
    row(
        &["filename"],
        files::filename,
        "`:` parts several names, `\\:` is a colon; `-` (standard input) is refused",
    ),
    row(
        &["filename_format"],
        files::filename_format,
        "`$jobname`, `$jobnum`, `$filenum`",
    ),
    row(
        &["directory"],
        files::directory,
        "`:` parts several; clones take turns",
    ),
    row(&["nrfiles", "nr_files"], files::nrfiles, "1 to 65536"),
    row(&["direct"], files::direct, "0 or 1"),
    row(&["buffered"], files::buffered, "the opposite of `direct`"),
    row(
        &["fadvise_hint"],
        files::fadvise_hint,
        "0, 1, none, random, sequential, noreuse",
    ),
    row(&["invalidate"], files::invalidate, "0 or 1"),
    row(
        &["create_on_open"],
        files::create_on_open,
        "0 only: files are laid out before the job",
    ),
    row(
        &["unlink"],
        files::unlink,
        "a file that was there before stays",
    ),
    row(&["overwrite"], files::overwrite, "0 or 1"),
    row(
        &["fallocate"],
        files::fallocate,
        "none, native, posix, keep, truncate",
    ),
    row(
        &["exec_prerun"],
        files::exec_prerun,
        "with `--allow-exec` only; run by `sh -c`",
    ),
    row(
        &["exec_postrun"],
        files::exec_postrun,
        "with `--allow-exec` only; run by `sh -c`",
    ),
    row(
        &["rw", "readwrite"],
        shape::rw,
        "read, write, trim, rw, randread, randwrite, randtrim, randrw; `:N` is a gap (negative: backwards) or, after a random mode, I/Os for each drawn offset",
    ),
    row(&["bs", "blocksize"], shape::bs, "`READ[,WRITE[,TRIM]]`"),
    row(
        &["bsrange", "blocksize_range"],
        shape::bsrange,
        "`FROM-TO[,...]`",
    ),
    row(
        &["bssplit"],
        shape::bssplit,
        "`SIZE/PERCENT:...[,...]`; sums over 100 are refused",
    ),
    row(
        &["ba", "blockalign"],
        shape::blockalign,
        "`READ[,WRITE[,TRIM]]`",
    ),
    row(
        &["rw_sequencer"],
        shape::rw_sequencer,
        "sequential, identical",
    ),
    row(
        &["percentage_random"],
        draw::percentage_random,
        "`READ[,WRITE[,TRIM]]`; below 100 blocks may come again",
    ),
    row(
        &["random_distribution"],
        draw::random_distribution,
        "random, `zipf:THETA`, `pareto:H`, `normal:PERCENT`, each with `:CENTER`; `zoned:` and `zoned_abs:` whose shares add up to 100",
    ),
    row(&["number_ios"], shape::number_ios, "1 or more"),
    row(&["size"], shape::size, "bytes or percent"),
    row(&["filesize"], shape::filesize, "bytes or a range"),
    row(&["io_size", "io_limit"], shape::io_size, "bytes or percent"),
    row(&["offset"], shape::offset, "bytes or percent"),
    row(
        &["offset_increment"],
        shape::offset_increment,
        "bytes or percent",
    ),
    row(&["rwmixread"], shape::rwmixread, "0 to 100"),
    row(&["rwmixwrite"], shape::rwmixwrite, "0 to 100"),
    row(
        &["kb_base"],
        shape::kb_base,
        "1000 or 1024; it holds for its whole section",
    ),
    row(
        &["ioengine"],
        shape::ioengine,
        "psync (also run for sync, pvsync), io_uring (also run for libaio), mmap (pages are asked for with madvise), null",
    ),
    row(
        &["randrepeat"],
        shape::randrepeat,
        "0 or 1; our own generator: other offsets than fio's",
    ),
    row(&["allrandrepeat"], shape::allrandrepeat, "0 or 1"),
    row(
        &["randseed"],
        shape::randseed,
        "a number; our own generator: other offsets than fio's",
    ),
    row(&["norandommap"], shape::norandommap, "0 or 1"),
    row(
        &["random_generator"],
        shape::random_generator,
        "tausworthe, tausworthe64, lfsr; lfsr touches each block once",
    ),
    row(&["zero_buffers"], content::zero_buffers, "0 or 1"),
    row(&["refill_buffers"], content::refill_buffers, "0 or 1"),
    row(&["scramble_buffers"], content::scramble_buffers, "0 or 1"),
    row(
        &["buffer_pattern"],
        content::buffer_pattern,
        "a number, hexadecimal digits or one `\"text\"`",
    ),
    row(
        &["numjobs"],
        pace::numjobs,
        "1 to 4096; always threads of one process",
    ),
    row(
        &["runtime", "timeout"],
        pace::runtime,
        "a time; 0 is no limit",
    ),
    row(&["time_based"], pace::time_based, "0 or 1; needs `runtime`"),
    row(&["ramp_time"], pace::ramp_time, "a time"),
    row(
        &["startdelay"],
        pace::startdelay,
        "a time, or a range from which each clone draws",
    ),
    row(&["loops"], pace::loops, "1 or more"),
    row(&["iodepth"], pace::iodepth, "1 to 4096"),
    row(
        &["iodepth_batch", "iodepth_batch_submit"],
        pace::iodepth_batch,
        "0 (all there is room for, the default; 1 in fio) to 4096",
    ),
    row(
        &["iodepth_batch_complete_min", "iodepth_batch_complete"],
        pace::iodepth_batch_complete_min,
        "0 to 4096",
    ),
    row(&["iodepth_low"], pace::iodepth_low, "1 to 4096"),
    row(&["sync"], pace::sync, "none, sync, dsync"),
    row(&["fsync"], pace::fsync, "after so many writes"),
    row(&["fdatasync"], pace::fdatasync, "after so many writes"),
    row(&["end_fsync"], pace::end_fsync, "0 or 1"),
    row(&["fsync_on_close"], pace::fsync_on_close, "0 or 1"),
    row(
        &["stonewall", "wait_for_previous"],
        pace::stonewall,
        "0 or 1",
    ),
    row(&["new_group"], pace::new_group, "0 or 1"),
    row(&["group_reporting"], pace::group_reporting, "0 or 1"),
    row(
        &["thread", "threads"],
        pace::thread,
        "0 or 1; always threads",
    ),
    row(
        &["thinktime"],
        pace::thinktime,
        "a time, in microseconds without a unit",
    ),
    row(&["thinktime_blocks"], pace::thinktime_blocks, "1 or more"),
    row(
        &["rate"],
        pace::rate,
        "`READ[,WRITE[,TRIM]]` in bytes a second; latencies then count from the intended start",
    ),
    row(&["rate_process"], pace::rate_process, "linear, poisson"),
    row(
        &["file_service_type"],
        pace::file_service_type,
        "roundrobin, random, each with `:N` I/Os; sequential",
    ),
    row(
        &["rate_iops"],
        pace::rate_iops,
        "`READ[,WRITE[,TRIM]]`; latencies then count from the intended start",
    ),
    row(
        &["percentile_list"],
        draw::percentile_list,
        "`PERCENT:...`, for `--format fio-json`",
    ),
    row(
        &["verify"],
        verify::verify,
        "crc32c, pattern; of jobs that write and do not read; the header of a block is iosage's own",
    ),
    row(
        &["verify_pattern"],
        verify::verify_pattern,
        "as `buffer_pattern`, with `verify=pattern`",
    ),
    row(&["verify_fatal"], verify::verify_fatal, "0 or 1"),
    row(&["do_verify"], verify::do_verify, "0 or 1"),
    row(
        &["ss", "steadystate"],
        watch::steadystate,
        "`iops:LIMIT`, `bw:LIMIT`, `iops_slope:LIMIT`, `bw_slope:LIMIT`, with % of the mean; each thread for itself",
    ),
    row(
        &["ss_dur", "steadystate_duration"],
        watch::ss_duration,
        "a time",
    ),
    row(
        &["ss_ramp", "steadystate_ramp_time"],
        watch::ss_ramp,
        "a time",
    ),
    row(
        &["ss_interval", "steadystate_check_interval"],
        watch::ss_interval,
        "a time, 1s if not given",
    ),
    row(
        &["write_bw_log"],
        watch::write_bw_log,
        "beginning of the file's name, below `--target`",
    ),
    row(
        &["write_iops_log"],
        watch::write_iops_log,
        "beginning of the file's name, below `--target`",
    ),
    row(
        &["write_lat_log"],
        watch::write_lat_log,
        "beginning of the files' names, below `--target`",
    ),
    row(
        &["log_avg_msec"],
        watch::log_avg_msec,
        "milliseconds; 0: rates over 500, latencies of each I/O",
    ),
    row(&["create_serialize"], setup::create_serialize, "1 only"),
    row(&["create_fsync"], setup::create_fsync, "1 only"),
    row(
        &["create_only"],
        setup::create_only,
        "0 or 1; the files stay only with `--keep`",
    ),
    row(&["allow_file_create"], setup::allow_file_create, "0 or 1"),
    row(&["pre_read"], setup::pre_read, "0 or 1"),
    row(
        &["fixedbufs"],
        setup::registered,
        "1 only, and so wherever the kernel allows it",
    ),
    row(
        &["registerfiles"],
        setup::registered,
        "1 only, and so wherever the kernel allows it",
    ),
    row(
        &["sqthread_poll"],
        setup::sqthread_poll,
        "0 or 1, with io_uring",
    ),
    row(
        &["cpus_allowed"],
        setup::cpus_allowed,
        "numbers and ranges; shared by the threads of the job",
    ),
    row(
        &["gtod_reduce"],
        setup::measured_anyway,
        "changes nothing, and a note says so",
    ),
    row(
        &["disable_lat"],
        setup::measured_anyway,
        "changes nothing, and a note says so",
    ),
    row(
        &["disable_clat"],
        setup::measured_anyway,
        "changes nothing, and a note says so",
    ),
    row(
        &["disable_slat"],
        setup::measured_anyway,
        "changes nothing, and a note says so",
    ),
    row(
        &["disable_bw_measurement", "disable_bw"],
        setup::measured_anyway,
        "changes nothing, and a note says so",
    ),
    row(
        &["io_submit_mode"],
        setup::io_submit_mode,
        "inline, offload; both hand in from the job's own thread",
    ),
    row(
        &["clat_percentiles"],
        setup::clat_percentiles,
        "0 or 1; they are always there",
    ),
    row(
        &["lat_percentiles"],
        setup::other_percentiles,
        "0 or 1; only with a rate",
    ),
    row(
        &["slat_percentiles"],
        setup::other_percentiles,
        "0 or 1; there are none",
    ),
    row(
        &["cpus_allowed_policy"],
        setup::cpus_allowed_policy,
        "shared only",
    ),
    row(&["wait_for"], setup::wait_for, "the name of a job above"),
    row(
        &["openfiles"],
        setup::openfiles,
        "not less than the number of files",
    ),
    row(
        &["iodepth_batch_complete_max"],
        pace::iodepth_batch_complete_max,
        "1 to 4096",
    ),
];
