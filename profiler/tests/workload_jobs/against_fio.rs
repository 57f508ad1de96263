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
        "[a]\nrw=read:-8k\nsize=256k\n",
        "[a]\nrw=randread:8\nsize=256k\nrw_sequencer=identical\n",
        "[a]\nrw=randwrite\nsize=256k\nrandom_distribution=zipf:1.1\nioengine=libaio\niodepth=4\niodepth_batch=2\niodepth_low=1\n",
        "[a]\nrw=read\nsize=256k\nnrfiles=4\nfile_service_type=sequential\n",
        "[a]\nrw=read\nsize=256k\nnumber_ios=10\n",
        "[a]\nrw=randread\nsize=256k\nrandom_distribution=zoned:50/5:30/15:20/\n",
        "[a]\nrw=write\nsize=256k\nfilename=f\n[b]\nrw=randread\nsize=256k\nfilename=f\nwait_for=a\nthreads=1\n",
        "[a]\nrw=write\nsize=256k\nfilename=f\nioengine=mmap\nfsync=8\n",
        "[a]\nrw=randread\nsize=256k\nrate_iops=2000\nrate_process=poisson\n",
        "[a]\nrw=read\nsize=256k\nrate=8m\nstartdelay=0\n",
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

/// Keys of `theirs` that `ours` lacks, by path; arrays are compared by their first element.
fn missing(ours: &Value, theirs: &Value, path: &str, found: &mut Vec<String>) {
    match theirs {
        Value::Object(map) => {
            for (key, value) in map {
                // Bins and percentiles are numbers, not names.
                let number = key.starts_with(|c: char| c.is_ascii_digit());
                match ours.get(key) {
                    Some(own) if !own.is_null() => {
                        missing(own, value, &format!("{path}.{key}"), found);
                    }
                    Some(_) => {}
                    None if number && path.ends_with("bins") => {}
                    None => found.push(format!("{path}.{key}")),
                }
            }
        }
        Value::Array(list) => {
            if let (Some(theirs), Some(ours)) = (list.first(), ours.get(0)) {
                missing(ours, theirs, path, found);
            }
        }
        _ => {}
    }
}

#[test]
fn the_fio_json_has_every_key_of_fio() {
    let text = "[global]\nbs=8k\n[a]\nrw=randrw\nsize=1m\nfsync=8\nnumjobs=2\ngroup_reporting\npercentile_list=50:99\n";
    let scratch = Scratch::new();
    std::fs::write(scratch.path().join("j.fio"), text).unwrap();
    let output = Command::new("fio")
        .args(["--output-format=json+", "j.fio"])
        .current_dir(scratch.path())
        .output();
    let Ok(theirs) = output else {
        eprintln!("skipped: fio is not installed");
        return;
    };
    let parsed = |bytes: &[u8]| -> Value { serde_json::from_slice(bytes).unwrap() };
    let theirs = parsed(&theirs.stdout);
    let ours = scratch.iosage(&["run", "j.fio", "--overwrite", "--format", "fio-json"]);
    let ours = parsed(&ours.stdout);
    let mut found = Vec::new();
    missing(&ours, &theirs, "", &mut found);
    assert_eq!(found, Vec::<String>::new());
    let job = |json: &Value| -> Value { json["jobs"].as_array().unwrap()[0].clone() };
    let (mut ours, theirs) = (job(&ours), job(&theirs));
    // fio leaves this one out.
    ours["job options"]
        .as_object_mut()
        .unwrap()
        .remove("group_reporting");
    assert_eq!(ours["job options"], theirs["job options"]);
    let sum = |job: &Value, key: &str| -> u64 {
        ["read", "write"]
            .iter()
            .map(|op| job[op][key].as_u64().unwrap())
            .sum()
    };
    for key in ["io_bytes", "total_ios"] {
        assert_eq!(sum(&ours, key), sum(&theirs, key), "{key}");
    }
    let read = &ours["read"];
    let [n, min, max, mean] =
        ["N", "min", "max", "mean"].map(|k| read["clat_ns"][k].as_f64().unwrap());
    assert_eq!(Some(n), read["total_ios"].as_f64());
    assert!(min <= mean && mean <= max);
    let bins = read["clat_ns"]["bins"].as_object().unwrap();
    assert_eq!(
        bins.values().map(|n| n.as_u64().unwrap()).sum::<u64>() as f64,
        n
    );
    let percentiles: Vec<_> = read["clat_ns"]["percentile"]
        .as_object()
        .unwrap()
        .keys()
        .collect();
    assert_eq!(percentiles, ["50.000000", "99.000000"]);
}
