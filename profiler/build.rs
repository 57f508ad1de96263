//! Embeds the probes where they have been built; the binary says how to add them where not.

use std::{env, fs, path::PathBuf};

fn main() {
    let manifest = env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it");
    // A folder of its own: cargo watches it whether or not the object is there.
    let folder = PathBuf::from(manifest).join("../target/probes");
    let _ = fs::create_dir_all(&folder);
    println!("cargo::rerun-if-changed={}", folder.display());
    println!("cargo::rustc-check-cfg=cfg(iosage_probes)");
    let object = folder.join("profiler-ebpf.o");
    if object.is_file() {
        println!("cargo::rustc-cfg=iosage_probes");
        println!("cargo::rustc-env=IOSAGE_PROBES={}", object.display());
    }
}
