//! Where the demonstration's I/O is issued from.

use profiler::capture::{Op, Stack};

const READ_PATH: &[&str] = &[
    "entry_SYSCALL_64_after_hwframe",
    "do_syscall_64",
    "__x64_sys_pread64",
    "vfs_read",
    "ext4_file_read_iter",
    "filemap_read",
    "page_cache_sync_ra",
    "ext4_mpage_readpages",
    "submit_bio_noacct_nocheck",
    "blk_mq_submit_bio",
];
const SYNC_PATH: &[&str] = &[
    "entry_SYSCALL_64_after_hwframe",
    "do_syscall_64",
    "__x64_sys_fdatasync",
    "ext4_sync_file",
    "file_write_and_wait_range",
    "do_writepages",
    "ext4_writepages",
    "submit_bio_noacct_nocheck",
    "blk_mq_submit_bio",
];
const COMMIT_PATH: &[&str] = &[
    "ret_from_fork",
    "kthread",
    "kjournald2",
    "jbd2_journal_commit_transaction",
    "submit_bh_wbc",
    "blk_mq_submit_bio",
];
const LOOP_PATH: &[&str] = &[
    "ret_from_fork",
    "kthread",
    "loop_rootcg_workfn",
    "lo_rw_aio",
    "ext4_file_write_iter",
    "blkdev_issue_flush",
];

pub(crate) fn stacks() -> Vec<Stack> {
    let stack = |device: &str,
                 op,
                 command: &str,
                 user: &[&str],
                 kernel: &[&str],
                 samples: u64,
                 mean_ns: u64,
                 size: u64| Stack {
        device: device.into(),
        op,
        command: command.into(),
        tgid: 811,
        user: user.iter().map(|f| (*f).to_owned()).collect(),
        kernel: kernel.iter().map(|f| (*f).to_owned()).collect(),
        samples,
        requests: samples * 8,
        device_ns: samples * 8 * mean_ns,
        bytes: samples * 8 * size,
    };
    vec![
        stack(
            "7:0",
            Op::Read,
            "postgres",
            &["_start", "main", "PostgresMain", "heap_getnext", "mdread"],
            READ_PATH,
            498,
            290_000,
            8192,
        ),
        stack(
            "7:0",
            Op::Read,
            "postgres",
            &["_start", "main", "PostgresMain", "index_getnext", "mdread"],
            READ_PATH,
            231,
            310_000,
            8192,
        ),
        stack(
            "7:0",
            Op::Write,
            "walwriter",
            &["_start", "main", "WalWriterMain", "XLogWrite"],
            SYNC_PATH,
            204,
            740_000,
            16_384,
        ),
        stack(
            "7:0",
            Op::Write,
            "jbd2/loop0-8",
            &[],
            COMMIT_PATH,
            96,
            880_000,
            4096,
        ),
        stack(
            "254:0",
            Op::Flush,
            "kworker/u8:3",
            &[],
            LOOP_PATH,
            58,
            1_180_000,
            0,
        ),
    ]
}
