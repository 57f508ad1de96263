//! Lists the files of `library/` for `src/source.rs`, which embeds them.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let library = root.join("library");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=library");
    let mut files = Vec::new();
    if library.is_dir() {
        list(&library, &mut files)?;
    }
    files.sort();
    let mut text = String::from("&[\n");
    for file in files {
        let inside = file.strip_prefix(&library).map_err(io::Error::other)?;
        let id = inside.with_extension("");
        let (id, file) = (id.display().to_string(), file.display().to_string());
        let _ = writeln!(text, "    ({id:?}, include_str!({file:?})),");
    }
    text.push_str("]\n");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(out.join("library.rs"), text)
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            list(&path, files)?;
        } else if path
            .extension()
            .is_some_and(|extension| extension == "toml")
        {
            files.push(path);
        }
    }
    Ok(())
}
