//! The files of a clone: `filename` with fio's `:` rules, else names made from the job's.

use crate::workload::problem::Problem;
use crate::workload::spec::{Engine, Spec};
use std::path::{Path, PathBuf};

/// Paths of one clone, and whether the job names them itself.
pub(super) struct Names {
    pub(super) paths: Vec<PathBuf>,
    pub(super) named: bool,
}

pub(super) fn of(
    spec: &Spec,
    clone: u64,
    directory: &Path,
    notes: &mut Vec<String>,
) -> Result<Names, Problem> {
    let place = place(spec, clone, directory)?;
    let Some(text) = &spec.filename else {
        let names = made(spec, clone)?;
        let paths = names.iter().map(|name| place.join(name)).collect();
        return Ok(Names {
            paths,
            named: false,
        });
    };
    let at = spec.place("filename");
    let names = split(text);
    if names.iter().any(String::is_empty) {
        return Err(Problem::new(
            at,
            format!("`{text}` holds an empty file name; a `:` inside a name is written `\\:`"),
        ));
    }
    devices_only(spec, text, &names)?;
    if spec.files > 1 && spec.files != names.len() as u64 {
        notes.push(format!(
            "job `{}`: nrfiles={} gives way to the {} files of filename",
            spec.name,
            spec.files,
            names.len()
        ));
    }
    let joined = |name: &String| match &spec.directory {
        // As in fio the directory stands before an absolute name too.
        Some(_) => place.join(name.trim_start_matches('/')),
        None => place.join(name),
    };
    if spec.directory.is_some() && names.iter().any(|name| name.starts_with('/')) {
        notes.push(format!(
            "job `{}`: as in fio an absolute filename is taken below directory=",
            spec.name
        ));
    }
    Ok(Names {
        paths: names.iter().map(joined).collect(),
        named: true,
    })
}

/// Whether a job's files lie wherever the program was started.
pub(super) fn is_homeless(spec: &Spec) -> bool {
    let absolute = |text: &String| split(text).iter().all(|name| name.starts_with('/'));
    spec.engine != Engine::Null
        && spec.directory.is_none()
        && !spec.filename.as_ref().is_some_and(absolute)
}

/// The directory that this clone's relative names lie in.
fn place(spec: &Spec, clone: u64, directory: &Path) -> Result<PathBuf, Problem> {
    let Some(text) = &spec.directory else {
        return Ok(plain(directory));
    };
    let directories = split(text);
    if directories.iter().any(String::is_empty) {
        let message = format!("`{text}` holds an empty directory name");
        return Err(Problem::new(spec.place("directory"), message));
    }
    // As in fio clones take turns through the list.
    let turn = (clone % directories.len() as u64) as usize;
    Ok(plain(&directory.join(&directories[turn])))
}

/// The path without `.` parts, as people write it.
fn plain(path: &Path) -> PathBuf {
    path.components().collect()
}

/// A name cut at an unescaped `:` must not become a regular file under /dev or beside it.
fn devices_only(spec: &Spec, text: &str, names: &[String]) -> Result<(), Problem> {
    if names.len() < 2 || !names.iter().any(|name| name.starts_with("/dev/")) {
        return Ok(());
    }
    match names.iter().find(|name| !is_block_device(Path::new(name))) {
        None => Ok(()),
        Some(odd) => Err(Problem::new(
            spec.place("filename"),
            format!(
                "`{text}` is cut at `:` into {} names and `{odd}` is no block device; if `:` belongs to the name write `{}`",
                names.len(),
                text.replace(':', "\\:")
            ),
        )),
    }
}

pub(super) fn is_block_device(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    std::fs::metadata(path).is_ok_and(|meta| meta.file_type().is_block_device())
}

/// Names in a `:` list; `\:` is a colon of the name.
fn split(text: &str) -> Vec<String> {
    let mut names = vec![String::new()];
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let Some(name) = names.last_mut() else {
            break;
        };
        match c {
            '\\' if rest.peek() == Some(&':') => {
                name.push(':');
                rest.next();
            }
            ':' => names.push(String::new()),
            _ => name.push(c),
        }
    }
    names
}

/// Names from `filename_format`.
fn made(spec: &Spec, clone: u64) -> Result<Vec<String>, Problem> {
    if spec.name.contains('/') {
        let message = format!(
            "the job name `{}` holds a `/` and no filename= is given: name the target with filename=",
            spec.name
        );
        return Err(Problem::new(&spec.at, message));
    }
    Ok((0..spec.files)
        .map(|file| {
            spec.filename_format
                .replace("$jobname", &spec.name)
                .replace("$jobnum", &clone.to_string())
                .replace("$filenum", &file.to_string())
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colons_part_names_unless_escaped() {
        assert_eq!(split(r"pci-0000\:06\:00.0"), ["pci-0000:06:00.0"]);
        assert_eq!(split("e:f"), ["e", "f"]);
        assert_eq!(split(r"a\b:c"), [r"a\b", "c"]);
        assert_eq!(split("a::b"), ["a", "", "b"]);
    }
}
