//! T12, T15, T17 and the D cases: files of a host, alone and as a folder.

use super::{auto, of, path};
use profiler::host::DeviceClass;
use profiler::import::model::hostfiles::HostFiles;
use profiler::import::{self, folder};
use profiler::profile;
use rules::finding::{Finding, Severity, State};
use rules::{Judgement, Library};

fn files(name: &str) -> HostFiles {
    auto(name).host.expect("files of a host")
}

/// What is advised for the folder of a case.
pub(super) fn advised(case: &str) -> Judgement {
    let folder = folder::read(&path(case)).unwrap_or_else(|refusal| panic!("{refusal}"));
    Library::embedded().judge(&profile::facts(&folder.capture))
}

/// The same for some files of a case.
pub(super) fn advised_of(names: &[&str]) -> Judgement {
    let open = |name: &&str| import::source::Source::open(&path(name)).expect("a file of the case");
    let sources: Vec<_> = names.iter().map(open).collect();
    let capture = import::capture(import::import(None, &sources).expect("files of known kinds"));
    Library::embedded().judge(&profile::facts(&capture))
}

pub(super) fn recommended(judgement: &Judgement) -> Vec<&Finding> {
    judgement
        .findings
        .iter()
        .filter(|finding| finding.state == State::Recommend)
        .collect()
}

pub(super) fn ids(judgement: &Judgement) -> Vec<(&str, String)> {
    recommended(judgement)
        .iter()
        .map(|finding| (finding.id.as_str(), finding.subject.clone()))
        .collect()
}

pub(super) fn commands(judgement: &Judgement) -> String {
    serde_json::to_string(&recommended(judgement)).expect("findings are plain data")
}

#[test]
fn t12_stripes_of_xfs_in_three_units_are_the_same_bytes() {
    let info = files("T12/xfs_info.txt");
    let facts = &info.xfs[0].facts;
    assert_eq!(
        (facts.stripe_unit_bytes, facts.stripe_width_bytes),
        (Some(65_536), Some(524_288))
    );
    assert_eq!(facts.log_sunit_bytes, Some(65_536), "16 blocks of the log");
    assert_eq!(
        (facts.log_external, facts.log_bytes),
        (Some(false), Some(16_384 * 4096))
    );
    assert_eq!(info.xfs[0].device.as_deref(), Some("/dev/sdb1"));
    let mounts = files("T12/mounts.txt");
    let mount = &mounts.mounts[0];
    assert_eq!(
        (mount.stripe_unit_bytes, mount.stripe_width_bytes),
        (Some(65_536), Some(524_288))
    );
    let wrong = of("mounts", "/dev/sdb1 /p xfs rw,sunit=16,swidth=128 0 0\n")
        .unwrap()
        .remove(0);
    let mount = &wrong.host.as_ref().unwrap().mounts[0];
    assert_eq!(
        (mount.stripe_unit_bytes, mount.stripe_width_bytes),
        (Some(8192), Some(65_536))
    );
    let external = "data     =   bsize=4096   blocks=524160, imaxpct=25\n         =   sunit=0  swidth=0 blks\nlog      =/dev/sdc1   bsize=4096   blocks=2560, version=2\n         =    sectsz=512   sunit=0 blks, lazy-count=1\n";
    let external = of("xfs-info", external).unwrap().remove(0);
    assert_eq!(
        external.host.as_ref().unwrap().xfs[0].facts.log_external,
        Some(true)
    );
}

#[test]
fn t15_old_and_new_lsblk_say_the_same() {
    let old = files("T15/old.json");
    let new = files("T15/new.json");
    for node in old.nodes.iter().chain(&new.nodes) {
        assert_eq!(node.rotational, Some(true), "{}", node.name);
    }
    assert_eq!(old.nodes[0].size_bytes, Some(1_000_190_509_056));
    assert_eq!(new.nodes[0].size_bytes, Some(1_000_204_886_016));
    assert_eq!(old.nodes[0].physical_block_size_bytes, Some(4096));
    assert_eq!(new.nodes[0].physical_block_size_bytes, Some(4096));
    assert_eq!(old.nodes[1].mount_points, ["/data"]);
    let arrays: Vec<_> = new.nodes.iter().filter(|node| node.name == "md0").collect();
    assert_eq!(arrays.len(), 1, "one node for both members");
    assert_eq!(arrays[0].below, ["sdb", "sdc"]);
    assert_eq!(arrays[0].mount_points, ["/srv", "/var/lib/my sql"]);
    assert!(
        new.nodes[0].mount_points.is_empty(),
        "[null] is no mount point"
    );
}

#[test]
fn t17_the_last_setting_wins_and_a_bare_number_has_a_unit() {
    let postgresql = files("T17/postgresql.conf").postgresql.unwrap();
    let setting = |name: &str| postgresql.settings.get(name).map(String::as_str);
    assert_eq!(setting("shared_buffers"), Some("16384"));
    assert_eq!(postgresql.settings_bytes["shared_buffers"], 128 << 20);
    assert_eq!(postgresql.settings_bytes["max_wal_size"], 1 << 30);
    assert_eq!(setting("synchronous_commit"), Some("off"));
    assert_eq!(setting("fsync"), None, "a comment sets nothing");
    assert_eq!(setting("checkpoint_timeout"), Some("5min"));
    assert_eq!(setting("random_page_cost"), Some("1.1"));
    assert!(
        !postgresql.settings_bytes.contains_key("wal_buffers"),
        "-1 is automatic"
    );

    let mysql = files("T17/my.cnf").mysql.unwrap();
    let setting = |name: &str| mysql.settings.get(name).map(String::as_str);
    assert_eq!(setting("innodb_flush_log_at_trx_commit"), Some("2"));
    assert_eq!(setting("innodb_flush_method"), Some("O_DIRECT"));
    assert_eq!(setting("innodb_doublewrite"), Some("OFF"));
    assert_eq!(setting("sync_binlog"), Some("0"));
    assert_eq!(setting("skip_name_resolve"), Some("ON"));
    assert_eq!(mysql.settings_bytes["innodb_buffer_pool_size"], 12 << 30);
}

#[test]
fn what_alter_system_wrote_overrules_the_file_in_either_order() {
    use profiler::import::source::Source;
    let own = || {
        Source::new(
            "postgresql.conf",
            b"fsync = on\nmax_connections = 9\n".to_vec(),
        )
        .unwrap()
    };
    let auto = || Source::new("postgresql.auto.conf", b"fsync = 'off'\n".to_vec()).unwrap();
    for sources in [[own(), auto()], [auto(), own()]] {
        let all = import::import(None, &sources).unwrap();
        let settings = all[0].host.clone().unwrap().postgresql.unwrap().settings;
        assert_eq!(settings["fsync"], "off");
        assert_eq!(settings["max_connections"], "9");
    }
}

#[test]
fn other_host_files() {
    let tune2fs = "tune2fs 1.47.0\nFilesystem volume name:   <none>\nLast mounted on:          /srv\nFilesystem features:      has_journal ext_attr extent 64bit\nDefault mount options:    user_xattr acl\nErrors behavior:          Continue\nBlock size:               4096\nRAID stride:              16\nRAID stripe width:        128\nJournal inode:            8\n";
    let ext = &of("tune2fs", tune2fs).unwrap().remove(0).host.unwrap().ext[0];
    assert_eq!(ext.mounted_on.as_deref(), Some("/srv"));
    assert_eq!(
        (ext.facts.stride_blocks, ext.facts.stripe_width_blocks),
        (Some(16), Some(128))
    );
    assert_eq!(ext.facts.errors_behaviour.as_deref(), Some("continue"));
    let dmsetup = "vg-lv: 0 8388608 striped 2 128 8:16 2048 8:32 2048\nluks: 0 100 crypt aes-xts-plain64 :64:logon:key 0 8:1 4096\n";
    let mappings = of("dmsetup", dmsetup)
        .unwrap()
        .remove(0)
        .host
        .unwrap()
        .mappings;
    assert_eq!(
        (mappings[0].stripes, mappings[0].stripe_chunk_bytes),
        (Some(2), Some(65_536))
    );
    assert_eq!(mappings[0].devices, ["8:16", "8:32"]);
    assert_eq!(mappings[1].devices, ["8:1"]);
    assert!(
        !format!("{mappings:?}").contains("logon"),
        "no part of a key is kept"
    );
    let lvs = "  LV   VG   Attr       LSize   #Str Stripe\n  data vg0  -wi-ao---- 100.00g    2 64.00k\n  root vg0  -wi-ao----  10.00g    1     0\n";
    let volumes = of("lvs", lvs)
        .unwrap()
        .remove(0)
        .host
        .unwrap()
        .logical_volumes;
    assert_eq!(
        (
            volumes[0].stripes,
            volumes[0].stripe_bytes,
            volumes[0].size_bytes
        ),
        (Some(2), Some(65_536), Some(100 << 30))
    );
    assert_eq!(
        (volumes[1].stripes, volumes[1].size_bytes),
        (Some(1), Some(10 << 30))
    );
    let mdstat = "Personalities : [raid10]\nmd1 : active raid10 sdd1[3] sdc1[2](F) sdb1[1] sda1[0]\n      1953260544 blocks super 1.2 512K chunks 2 near-copies [4/3] [UU_U]\n      [==>..................]  recovery = 12.6% (123/456) finish=1.0min speed=100K/sec\n      bitmap: 2/15 pages [8KB], 65536KB chunk\n";
    let array = &of("mdstat", mdstat).unwrap().remove(0).host.unwrap().arrays[0];
    assert_eq!(
        (array.disks, array.degraded, array.failed),
        (Some(4), Some(1), Some(1))
    );
    assert_eq!(
        (array.chunk_bytes, array.bitmap_chunk_bytes),
        (Some(512 << 10), Some(64 << 20))
    );
    assert_eq!(
        (
            array.data_disks,
            array.sync_action.as_deref(),
            array.sync_percent
        ),
        (Some(2), Some("recovery"), Some(12.6))
    );
}

#[test]
fn d01_dirty_limits_that_grew_with_the_memory() {
    let judgement = advised("D01");
    assert_eq!(
        ids(&judgement),
        [("writeback/dirty-ratio", "host".to_owned())]
    );
    let text = commands(&judgement);
    assert!(text.contains("dirty_background_bytes") && text.contains("sets the ratios to 0"));
    assert!(!text.contains("shared_buffers") && !text.contains("dirty_ratio=0"));
}

#[test]
fn d03_the_controllers_events_are_kept() {
    let log = files("D03/messages").log;
    let topics: Vec<_> = log.iter().map(|line| line.topic.as_str()).collect();
    assert_eq!(
        topics,
        [
            "controller-battery",
            "controller-battery",
            "write-cache",
            "write-cache"
        ]
    );
    assert!(log[2].text.contains("14:21:53") && log[2].text.contains("Write Through"));
    let reports = auto("D03/iostat.txt").iostat;
    let awaits: Vec<_> = reports
        .iter()
        .map(|report| report.devices[0].write_await_ns)
        .collect();
    assert_eq!(awaits, [Some(430_000.0), Some(56_400_000.0)]);
}

#[test]
fn d09_the_array_is_read_whole() {
    let array = &files("D09/mdstat").arrays[0];
    assert_eq!(
        (array.level.as_deref(), array.disks, array.data_disks),
        (Some("raid5"), Some(6), Some(5))
    );
    assert_eq!(array.chunk_bytes, Some(65_536));
}

#[test]
fn d10_a_check_is_no_rebuild() {
    let judgement = advised("D10");
    assert_eq!(
        ids(&judgement),
        [("raid/resync-running", "array md0".to_owned())]
    );
    let text = commands(&judgement);
    assert!(
        text.contains("runs check now")
            && text.contains("sync_speed_max")
            && text.contains("ionice")
    );
    // Without the log an old mdadm cannot tell one from the other.
    let judgement = advised_of(&["D10/mdadm.txt"]);
    assert!(commands(&judgement).contains("runs recover now"));
}

#[test]
fn d13_readahead_is_counted_in_sectors_by_blockdev() {
    let nodes = files("D13/blockdev.txt").nodes;
    let readahead = |name: &str| {
        nodes
            .iter()
            .find(|node| node.name == name)
            .unwrap()
            .read_ahead_kib
    };
    assert_eq!(readahead("md0"), Some(32 << 10));
    assert_eq!(readahead("sda"), Some(128));
}

#[test]
fn d15_relatime_on_a_new_kernel_needs_nothing() {
    let judgement = advised_of(&["D15/new-mounts.txt", "D15/new-uname.txt"]);
    assert!(
        recommended(&judgement)
            .iter()
            .all(|finding| finding.severity >= Severity::Notice)
    );
    assert!(!commands(&judgement).contains("nodiratime"));
    let old = files("D15/old-mounts.txt");
    assert_eq!(old.mounts[0].options, ["rw"]);
}

#[test]
fn d23_only_what_the_kernel_offers() {
    let judgement = advised("D23");
    let text = commands(&judgement);
    assert!(
        !text.contains("noop") && !text.contains("echo mq-deadline >"),
        "{text}"
    );
    assert!(
        !ids(&judgement)
            .iter()
            .any(|(_, name)| name == "device nvme0n1" || name == "device sdb")
    );
}

#[test]
fn d26_alignment_counts_from_the_physical_block() {
    let misaligned: Vec<_> = files("D26/parts.csv")
        .partitions
        .iter()
        .map(|p| p.misaligned_bytes)
        .collect();
    assert_eq!(
        misaligned,
        [Some(3584), Some(0), Some(1024), Some(0), Some(0), Some(0)]
    );
    let judgement = advised("D26");
    let expected = [
        ("raid/misaligned", "device sda".to_owned()),
        ("raid/misaligned", "device sdb".to_owned()),
    ];
    assert_eq!(ids(&judgement), expected);
}

#[test]
fn the_tree_of_lsblk_is_read_from_its_text_too() {
    let text = "\
NAME          MAJ:MIN RM   SIZE RO TYPE  MOUNTPOINT
sda             8:0    0 931.5G  0 disk
└─sda1          8:1    0 931.5G  0 part
  └─md0         9:0    0 931.4G  0 raid1
    └─vg-data 253:0    0   900G  0 lvm   /srv
sdb             8:16   0 931.5G  0 disk
└─sdb1          8:17   0 931.5G  0 part
  └─md0         9:0    0 931.4G  0 raid1
    └─vg-data 253:0    0   900G  0 lvm   /srv
";
    let nodes = of("lsblk-table", text)
        .unwrap()
        .remove(0)
        .host
        .unwrap()
        .nodes;
    let node = |name: &str| nodes.iter().find(|node| node.name == name).unwrap();
    assert_eq!(nodes.len(), 6);
    assert_eq!(node("md0").below, ["sda1", "sdb1"]);
    assert_eq!(node("vg-data").below, ["md0"]);
    assert_eq!(node("vg-data").mount_points, ["/srv"]);
    assert_eq!(node("sda1").mount_points, Vec::<String>::new());
    assert_eq!(
        (node("md0").kind.as_deref(), node("sdb").number.as_deref()),
        (Some("raid1"), Some("8:16"))
    );
    // A mount by its mapper name finds the volume, and the array below it.
    let open = |name: &str, text: &str| {
        import::source::Source::new(name, text.as_bytes().to_vec()).unwrap()
    };
    let sources = [
        open("lsblk", text),
        open("mounts", "/dev/mapper/vg-data /srv ext4 rw,relatime 0 0\n"),
    ];
    let host = import::capture(import::import(None, &sources).unwrap()).host;
    assert_eq!(host.mounts[0].device.as_deref(), Some("vg-data"));
}

#[test]
fn d32_geometry_is_compared_in_bytes() {
    let [a, b] = ["D32/arrayA.txt", "D32/arrayB.txt"].map(|name| files(name).arrays.remove(0));
    assert_eq!((a.chunk_bytes, a.data_disks), (Some(65_536), Some(8)));
    assert_eq!((b.chunk_bytes, b.data_disks), (Some(524_288), Some(8)));
    let xfs = files("D32/xfs_info.txt").xfs.remove(0).facts;
    assert_eq!(
        (xfs.stripe_unit_bytes, xfs.stripe_width_bytes),
        (a.chunk_bytes, Some(8 * 65_536))
    );
    let untold = files("D32/hwraid-xfs_info.txt").xfs.remove(0).facts;
    assert_eq!(
        (untold.stripe_unit_bytes, untold.stripe_width_bytes),
        (Some(0), Some(0))
    );
}

#[test]
fn d32_without_the_mount_files_are_compared_with_each_other() {
    let said = |names: &[&str]| {
        let open = |name: &&str| import::source::Source::open(&path(name)).unwrap();
        let sources: Vec<_> = names.iter().map(open).collect();
        let capture = import::capture(import::import(None, &sources).unwrap());
        let notes = capture.imported.iter().flat_map(|one| &one.notes);
        notes
            .map(|note| note.text.clone())
            .collect::<Vec<_>>()
            .join("\n")
    };
    assert_eq!(said(&["D32/arrayA.txt", "D32/xfs_info.txt"]), "");
    let b = said(&["D32/arrayB.txt", "D32/xfs_info.txt"]);
    assert!(b.contains("sunit=1024,swidth=8192"), "{b}");
    assert!(
        b.contains("64 KiB and 512 KiB") && b.contains("512 KiB and 4 MiB"),
        "{b}"
    );
    let c = said(&["D32/hwraid-xfs_info.txt"]);
    assert!(c.contains("ask the controller"), "{c}");
    // With its mount in the folder the rule says it.
    let mount = "/dev/md0 /srv xfs rw,noatime 0 0\n";
    let mut sources: Vec<_> = ["D32/arrayB.txt", "D32/xfs_info.txt"]
        .iter()
        .map(|name| import::source::Source::open(&path(name)).unwrap())
        .collect();
    sources.push(import::source::Source::new("mounts", mount.as_bytes().to_vec()).unwrap());
    let capture = import::capture(import::import(None, &sources).unwrap());
    let judgement = Library::embedded().judge(&profile::facts(&capture));
    assert!(
        ids(&judgement).contains(&("raid/xfs-stripe", "filesystem /srv".to_owned())),
        "{:?}",
        ids(&judgement)
    );
}

#[test]
fn what_fstab_asks_for_is_not_what_is_mounted() {
    let text = "# <file system> <mount point>\nUUID=1-2 / ext4 defaults,errors=remount-ro 0 1\n/dev/sdb1 /srv xfs noatime\n";
    let host = of("fstab", text).unwrap().remove(0).host.unwrap();
    assert_eq!((host.mounts.len(), host.fstab.len()), (0, 2));
    assert_eq!(host.fstab[1].options, ["noatime"]);
    let source = import::source::Source::new("x", text.as_bytes().to_vec()).unwrap();
    assert_eq!(import::kinds::recognise(&source).unwrap().name(), "fstab");
}

/// Any advice here would be a false alarm.
#[test]
fn d36_a_healthy_host_gets_no_finding_above_info() {
    let judgement = advised("D36");
    let loud: Vec<_> = recommended(&judgement)
        .into_iter()
        .filter(|f| f.severity < Severity::Info)
        .collect();
    assert!(loud.is_empty(), "{loud:?}");
    assert!(
        !judgement
            .findings
            .iter()
            .any(|finding| finding.state == State::Unsafe)
    );
    let folder = folder::read(&path("D36")).unwrap();
    assert!(folder.unknown.is_empty(), "{:?}", folder.unknown);
    let host = &folder.capture.host;
    let disk = host
        .devices
        .iter()
        .find(|device| device.name == "nvme0n1")
        .unwrap();
    assert_eq!(disk.class, DeviceClass::Nvme);
    assert_eq!(
        disk.queue.as_ref().unwrap().scheduler.as_deref(),
        Some("none")
    );
    assert_eq!(host.mounts[0].device.as_deref(), Some("nvme0n1p1"));
}
