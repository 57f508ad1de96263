//! PostgreSQL and MySQL from fake trees.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "host_support/tree.rs"]
mod tree;

use profiler::host::{Database, DatabaseKind, Host};
use std::collections::BTreeMap;
use tree::Tree;

/// A host with /, /data and /wal on partitions of sda.
fn host() -> Tree {
    let tree = Tree::new();
    tree.disk("virtual/block/sda", &[("dev", "8:0"), ("size", "4096")]);
    for part in 1..=3 {
        tree.attributes(
            &format!("/sys/devices/virtual/block/sda/sda{part}"),
            &[
                ("dev", &format!("8:{part}")),
                ("partition", &part.to_string()),
            ],
        );
    }
    tree.file(
        "/proc/self/mountinfo",
        concat!(
            "20 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw\n",
            "21 20 8:2 / /data rw,relatime - xfs /dev/sda2 rw\n",
            "22 20 8:3 / /wal rw,relatime - xfs /dev/sda3 rw\n",
            "23 20 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
        ),
    );
    process(&tree, 1, 0, "systemd", &["/sbin/init"]);
    tree
}

fn process(tree: &Tree, pid: u32, parent: u32, name: &str, arguments: &[&str]) {
    tree.file(
        &format!("/proc/{pid}/stat"),
        format!("{pid} ({name}) S {parent} 1 1 0"),
    )
    .file(&format!("/proc/{pid}/cmdline"), arguments.join("\0") + "\0")
    .file(&format!("/proc/{pid}/environ"), "LANG=C\0")
    .file(
        &format!("/proc/{pid}/cgroup"),
        format!("0::/system.slice/{name}.service\n"),
    );
}

fn only(host: &Host) -> &Database {
    assert_eq!(host.databases.len(), 1, "{:?}", host.databases);
    &host.databases[0]
}

fn map(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

fn reasons(host: &Host, what: &str) -> Vec<String> {
    let notes = host.missing.iter().filter(|note| note.what.contains(what));
    notes.map(|note| note.reason.clone()).collect()
}

#[test]
fn postgresql_with_includes_and_its_wal_elsewhere() {
    let tree = host();
    let binary = "/usr/lib/postgresql/15/bin/postgres";
    process(
        &tree,
        700,
        1,
        "postgres",
        &[
            binary,
            "-D",
            "/data/main",
            "-c",
            "config_file=/etc/postgresql/postgresql.conf",
            "-c",
            "commit_delay=5",
        ],
    );
    process(&tree, 701, 700, "postgres", &["postgres: checkpointer "]);
    tree.file("/data/main/PG_VERSION", "15\n")
        .link("/data/main/pg_wal", "/wal/main")
        .folder("/wal/main")
        .file(
            "/etc/postgresql/postgresql.conf",
            concat!(
                "# a comment\n",
                "shared_buffers = 32MB\t\t# first\n",
                "Shared_Buffers 16384\n",
                "#fsync = off\n",
                "full_page_writes = on\n",
                "port = 5432\n",
                "include 'extra.conf'\n",
                "include_if_exists 'none.conf'\n",
                "include_dir = 'conf.d'\n",
                "checkpoint_timeout = 5min\n",
                "commit_delay = 9\n",
                "broken = 'line\n",
            ),
        )
        .file(
            "/etc/postgresql/extra.conf",
            "wal_sync_method = open_datasync\nmax_wal_size = 2GB\n",
        )
        .file("/etc/postgresql/conf.d/20-b.conf", "max_wal_size = '4GB'\n")
        .file(
            "/etc/postgresql/conf.d/10-a.conf",
            "max_wal_size = 3GB\ninclude 'missing.conf'\n",
        )
        .file(
            "/etc/postgresql/conf.d/.hidden.conf",
            "max_wal_size = 5GB\n",
        )
        .file("/etc/postgresql/conf.d/note.txt", "max_wal_size = 6GB\n")
        .file(
            "/data/main/postgresql.auto.conf",
            "synchronous_commit = 'off'\ncheckpoint_timeout = '30min'\n",
        )
        .file(
            "/sys/fs/cgroup/system.slice/postgres.service/io.max",
            "8:0 wbps=1000\n",
        );
    let host = tree.read();
    let database = only(&host);
    assert_eq!(
        (database.kind, database.pid),
        (DatabaseKind::Postgresql, 700)
    );
    assert_eq!(database.version.as_deref(), Some("15"));
    assert_eq!(database.data_directory.as_deref(), Some("/data/main"));
    assert_eq!(database.wal_directory.as_deref(), Some("/wal/main"));
    assert_eq!(database.data_mount.as_deref(), Some("/data"));
    assert_eq!(database.wal_mount.as_deref(), Some("/wal"));
    assert_eq!(
        database.settings,
        map(&[
            ("checkpoint_timeout", "30min"),
            ("commit_delay", "5"),
            ("full_page_writes", "on"),
            ("max_wal_size", "4GB"),
            ("shared_buffers", "16384"),
            ("synchronous_commit", "off"),
            ("wal_sync_method", "open_datasync"),
        ])
    );
    assert_eq!(
        reasons(&host, "PostgreSQL settings"),
        [
            "/etc/postgresql/conf.d/missing.conf: No such file or directory",
            "/etc/postgresql/postgresql.conf, line 12: the quotation mark is not closed",
        ]
    );
    assert_eq!(
        database.cgroup.as_deref(),
        Some("/system.slice/postgres.service")
    );
    let cgroup = &host.cgroups[0];
    assert_eq!((cgroup.subject.as_str(), cgroup.version), ("postgresql", 2));
    assert_eq!(cgroup.io_limits[0].write_bytes_per_s, Some(1000));
}

#[test]
fn postgresql_found_by_environment_and_by_working_directory() {
    let tree = host();
    process(
        &tree,
        700,
        1,
        "postmaster",
        &["/usr/pgsql-9.6/bin/postmaster"],
    );
    tree.file("/proc/700/environ", "LANG=C\0PGDATA=/data/old\0")
        .file("/data/old/PG_VERSION", "9.6\n")
        .folder("/data/old/pg_xlog")
        .file("/data/old/postgresql.conf", "fsync = off\n");
    process(&tree, 800, 1, "postgres", &["postgres", "-D", "relative"]);
    tree.link("/proc/800/cwd", "/wal/cluster")
        .file(
            "/wal/cluster/postgresql.conf",
            "data_directory = '/data/elsewhere'\n",
        )
        .folder("/data/elsewhere");
    let host = tree.read();
    let [first, second] = &host.databases[..] else {
        panic!("{:?}", host.databases)
    };
    assert_eq!(first.wal_directory.as_deref(), Some("/data/old/pg_xlog"));
    assert_eq!(first.settings, map(&[("fsync", "off")]));
    assert_eq!(second.data_directory.as_deref(), Some("/data/elsewhere"));
    assert_eq!((&second.version, &second.wal_directory), (&None, &None));
    assert_eq!(
        reasons(&host, "version of postgresql 800"),
        ["/data/elsewhere/PG_VERSION: No such file or directory"]
    );
    assert_eq!(reasons(&host, "WAL directory of postgresql 800").len(), 1);
}

#[test]
fn postgresql_in_a_container() {
    let tree = host();
    process(&tree, 700, 1, "postgres", &["postgres"]);
    tree.link("/proc/self/ns/mnt", "mnt:[1]")
        .link("/proc/700/ns/mnt", "mnt:[2]")
        .file("/proc/700/environ", "PGDATA=/var/lib/postgresql/data\0")
        .file(
            "/proc/700/mountinfo",
            concat!(
                "90 80 0:50 / / rw,relatime - overlay overlay rw\n",
                "91 90 8:2 /volumes/pg /var/lib/postgresql/data rw,relatime - xfs /dev/sda2 rw\n",
            ),
        );
    let inside = "/proc/700/root/var/lib/postgresql/data";
    tree.file(&format!("{inside}/PG_VERSION"), "17")
        .file(&format!("{inside}/postgresql.conf"), "fsync = on\n")
        .link(&format!("{inside}/pg_wal"), "/wal")
        .folder("/proc/700/root/wal")
        .file("/var/lib/postgresql/data/postgresql.conf", "fsync = off\n");
    let host = tree.read();
    let database = only(&host);
    assert_eq!(database.version.as_deref(), Some("17"));
    assert_eq!(
        database.settings,
        map(&[("fsync", "on")]),
        "the files it sees, not the host's"
    );
    assert_eq!(
        database.data_mount.as_deref(),
        Some("/data"),
        "the host's mount of that disk"
    );
    assert_eq!(
        (database.wal_directory.as_deref(), &database.wal_mount),
        (Some("/wal"), &None)
    );
    let reasons = reasons(&host, "mounts of postgresql 700");
    assert!(
        reasons[0].starts_with("process 700 has its own mounts"),
        "{reasons:?}"
    );
    assert_eq!(
        reasons[1],
        "/wal lies on / (overlay), which is not mounted on the host"
    );
}

#[test]
fn mysql_with_included_files() {
    let tree = host();
    process(
        &tree,
        900,
        1,
        "mysqld",
        &[
            "/usr/sbin/mysqld",
            "--innodb-io-capacity=2000",
            "--skip-log-bin",
        ],
    );
    tree.link("/proc/900/exe", "/opt/mysql-8.0.36-linux/bin/mysqld")
        .link("/proc/900/cwd", "/data/mysql")
        .folder("/data/mysql/#innodb_redo")
        .link("/etc/my.cnf", "/etc/mysql/my.cnf")
        .file(
            "/etc/mysql/my.cnf",
            concat!(
                "[client]\n",
                "innodb_flush_log_at_trx_commit=1\n",
                "[mysqld]\n",
                "datadir = /data/mysql\n",
                "innodb-flush-log-at-trx-commit = 2 # note\n",
                "innodb_flush_method=O_DIRECT\n",
                "skip-name-resolve\n",
                "loose_innodb_doublewrite=OFF\n",
                "innodb_buffer_pool_size=12G\n",
                "innodb_io_capacity=100\n",
                "[mysqld-8.0]\n",
                "sync_binlog=0\n",
                "[mysqld-5.7]\n",
                "sync_binlog=57\n",
                "[mariadb]\n",
                "sync_binlog=10\n",
                "!includedir /etc/mysql/conf.d\n",
                "!include /etc/mysql/other.cnf\n",
                "!include beside.cnf\n",
            ),
        )
        .file(
            "/etc/mysql/conf.d/a.cnf",
            "innodb_page_size=4k\n[mysqld]\ninnodb_use_native_aio=0\n",
        )
        .file(
            "/etc/mysql/conf.d/b.txt",
            "[mysqld]\ninnodb_page_size=64k\n",
        );
    let host = tree.read();
    let database = only(&host);
    assert_eq!(
        (database.kind, database.version.as_deref()),
        (DatabaseKind::Mysql, Some("8.0"))
    );
    assert_eq!(database.data_directory.as_deref(), Some("/data/mysql"));
    assert_eq!(
        database.wal_directory.as_deref(),
        Some("/data/mysql/#innodb_redo")
    );
    assert_eq!(database.wal_mount.as_deref(), Some("/data"));
    assert_eq!(
        database.settings,
        map(&[
            ("innodb_buffer_pool_size", "12G"),
            ("innodb_doublewrite", "OFF"),
            ("innodb_flush_log_at_trx_commit", "2"),
            ("innodb_flush_method", "O_DIRECT"),
            ("innodb_io_capacity", "2000"),
            ("innodb_use_native_aio", "0"),
            ("log_bin", "OFF"),
            ("sync_binlog", "0"),
        ])
    );
    assert_eq!(
        reasons(&host, "MySQL settings"),
        [
            "/etc/mysql/other.cnf: No such file or directory",
            "/etc/my.cnf, line 19: `beside.cnf` is relative to where the server was started",
        ]
    );
}

#[test]
fn mariadb_with_its_log_elsewhere() {
    let tree = host();
    process(
        &tree,
        900,
        1,
        "mysqld",
        &[
            "/usr/sbin/mysqld",
            "--defaults-file=/srv/db.cnf",
            "--datadir=/data/m",
        ],
    );
    tree.folder("/wal/redo")
        .file("/data/m/mysql_upgrade_info", "10.3.39-MariaDB")
        .file("/etc/my.cnf", "[mysqld]\nsync_binlog=5\n")
        .file(
            "/srv/db.cnf",
            "[mariadb-10.3]\nsync_binlog=1\n[server]\ninnodb_log_group_home_dir=/wal/redo\n",
        );
    let host = tree.read();
    let database = only(&host);
    assert_eq!(
        (database.kind, &database.version),
        (DatabaseKind::Mariadb, &None)
    );
    assert_eq!(database.wal_directory.as_deref(), Some("/wal/redo"));
    assert_eq!(database.wal_mount.as_deref(), Some("/wal"));
    assert_eq!(
        database.settings,
        map(&[
            ("innodb_log_group_home_dir", "/wal/redo"),
            ("sync_binlog", "1")
        ])
    );
    assert_eq!(
        reasons(&host, "MySQL settings"),
        [
            "/srv/db.cnf, line 1: [mariadb-10.3] is taken to apply, as the server's version is not known"
        ]
    );
}
