//! The same job file run by fio and by us: counts, bytes, file names, lengths and contents agree.

use super::*;
use serde_json::Value;

/// Per job of fio's result: reads and writes, number and bytes; syncs.
type Counts = Vec<([(u64, u64); 2], u64)>;

/// Runs fio on a job file text in a directory; `None` when there is no fio.
fn fio(text: &str, directory: &Path) -> Option<Counts> {
    std::fs::write(directory.join("job.fio"), text).unwrap();
    let output = Command::new("fio")
        .args(["--output-format=json", "job.fio"])
        .current_dir(directory)
        .output();
    std::fs::remove_file(directory.join("job.fio")).unwrap();
    let Ok(output) = output else {
        eprintln!("skipped: fio is not installed");
        return None;
    };
    let text = String::from_utf8(output.stdout).unwrap();
    let json: Value = serde_json::from_str(&text[text.find('{').unwrap()..]).unwrap();
    let number = |value: &Value| value.as_u64().unwrap();
    let jobs = json["jobs"].as_array().unwrap().iter();
    Some(
        jobs.map(|job| {
            let of = |op: &str| (number(&job[op]["total_ios"]), number(&job[op]["io_bytes"]));
            let syncs = job["sync"]["lat_ns"]["N"].as_u64().unwrap_or(0);
            ([of("read"), of("write")], syncs)
        })
        .collect(),
    )
}

/// Runs both and compares everything that does not depend on chance.
fn same(text: &str) -> Option<(Scratch, Scratch)> {
    let (theirs, ours) = (Scratch::new(), Scratch::new());
    let expected = fio(text, theirs.path())?;
    let result = ours.run(text);
    let got: Counts = result
        .jobs
        .iter()
        .map(|job| {
            let syncs = ["fsync", "fdatasync"].map(|op| job.ops.get(op).map_or(0, |op| op.n));
            (moved(job), syncs.iter().sum())
        })
        .collect();
    assert_eq!(got, expected, "{text}");
    assert_eq!(ours.files(), theirs.files(), "{text}");
    Some((theirs, ours))
}

#[test]
fn counts_and_files_agree() {
    for text in [
        "[a]\nrw=write\nsize=100k\nnrfiles=3\nnumjobs=2\n",
        "[a]\nrw=write\nsize=64k\noffset=1000\nfilename=o\n",
        "[a]\nrw=read\nsize=100k\nbs=3k\n",
        "[a]\nrw=randread\nsize=1m\nbs=8k\nloops=2\noffset=8k\n",
        "[a]\nrw=randwrite\nsize=230k\nbs=2300\nfsync=10\nfallocate=none\n",
        "[a]\nrw=write\nsize=64k\nfdatasync=3\n",
        "[a]\nrw=read\nsize=64k\nio_size=100k\n",
        "[a]\nrw=write\nsize=128k\noffset_increment=64k\nnumjobs=2\nfilename=o\n",
        "[a]\nrw=write\nfilesize=64k\nnrfiles=2\nsize=96k\n",
        "[a]\nrw=read\nsize=64k\n[b]\nstonewall\nrw=write\nsize=32k\nbs=1k\n",
        "[a]\nrw=randwrite\nsize=256k\nioengine=io_uring\niodepth=8\n",
        "[a]\nrw=read:8k\nsize=256k\nbs=4k\n",
        "[global]\nbs=16k\n[a b]\nrw=write\nsize=64k\n[global]\nbs=4k\n[c]\nrw=write\nsize=64k\nfilename_format=$jobname-$jobnum-$filenum.dat\n",
    ] {
        if same(text).is_none() {
            return;
        }
    }
}

#[test]
fn contents_agree_where_the_job_says_them() {
    for text in [
        "[a]\nrw=randwrite\nsize=64k\nbuffer_pattern=0xdeadbeef\nfilename=f\n",
        "[a]\nrw=write\nsize=20000\nbs=3000\nbuffer_pattern=0x123\nfilename=f\n",
        "[a]\nrw=write:4k\nsize=64k\nbuffer_pattern=\"xyz\"\nfilename=f\nio_size=32k\n",
        "[a]\nrw=write\nsize=16k\nzero_buffers\nfilename=f\n",
        "[a]\nrw=write\nsize=16k\nbuffer_pattern=513\nfilename=f\n",
    ] {
        let Some((theirs, ours)) = same(text) else {
            return;
        };
        assert!(ours.read("f") == theirs.read("f"), "{text}");
    }
}

#[test]
fn every_option_that_fio_lists_is_known() {
    let Ok(help) = Command::new("fio").arg("--cmdhelp=all").output() else {
        eprintln!("skipped: fio is not installed");
        return;
    };
    let help = String::from_utf8(help.stdout).unwrap();
    let names: Vec<_> = help
        .lines()
        .filter_map(|line| Some(line.split_once(':')?.0.trim()))
        .filter(|name| !name.is_empty() && !name.contains(' '))
        .collect();
    assert!(names.len() > 200, "{}", names.len());
    let text: String = std::iter::once("[a]\nsize=4k\n".to_owned())
        .chain(names.iter().map(|name| format!("{name}=1\n")))
        .collect();
    let refused = workload::from_text("t", &text, &Options::default()).unwrap_err();
    let unknown: Vec<_> = refused
        .problems
        .iter()
        .filter(|p| p.message.starts_with("unknown"))
        .collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}
