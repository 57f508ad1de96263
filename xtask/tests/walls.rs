//! The walls between the parts (ARCHITECTURE.md): who may use what. A new exception is a change of the
//! design, and belongs in both places.

use std::fs;
use std::path::{Path, PathBuf};

/// Words that code below `inside` may use only where the path starts with one of `allowed`.
struct Wall {
    why: &'static str,
    words: &'static [&'static str],
    inside: &'static [&'static str],
    allowed: &'static [&'static str],
}

const WALLS: &[Wall] = &[
    Wall {
        why: "only the session loads and attaches programs",
        words: &["aya::", "use aya"],
        inside: &["profiler/src", "rules/src"],
        allowed: &["profiler/src/session.rs", "profiler/src/session/"],
    },
    Wall {
        why: "only kernel/ reads the kernel's type information",
        words: &["sys/kernel/btf", "0xeb9f", "0xEB9F"],
        inside: &["profiler/src", "rules/src"],
        allowed: &["profiler/src/kernel.rs", "profiler/src/kernel/"],
    },
    Wall {
        why: "only command/, report/ and main print",
        words: &[
            "print!(",
            "println!(",
            "eprint!(",
            "eprintln!(",
            "dbg!(",
            "io::stdout",
            "io::stderr",
        ],
        inside: &["profiler/src", "rules/src"],
        allowed: &[
            // A capture goes to stdout with `-o -`.
            "profiler/src/capture/writer.rs",
            "profiler/src/command.rs",
            "profiler/src/command/",
            "profiler/src/main.rs",
            "profiler/src/report.rs",
            "profiler/src/report/",
        ],
    },
    Wall {
        why: "only workload/ and capture/ write files",
        words: &[
            "fs::write(",
            "File::create",
            ".write(true)",
            ".append(true)",
            "fs::rename(",
            "fs::remove_",
            "fs::create_dir",
            "fs::copy(",
            "OFlags::WRONLY",
            "OFlags::RDWR",
        ],
        inside: &["profiler/src", "rules/src"],
        allowed: &[
            "profiler/src/capture/",
            // A known I/O pattern on a scratch file of its own.
            "profiler/src/session/selfcheck.rs",
            "profiler/src/workload.rs",
            "profiler/src/workload/",
        ],
    },
    Wall {
        why: "rules judge what they are given: no files",
        words: &["std::fs", "fs::", "std::net", "std::process"],
        inside: &["rules/src"],
        allowed: &["rules/src/source.rs"],
    },
    Wall {
        why: "rules judge what they are given: no clock and no environment",
        words: &["std::env", "env::", "SystemTime", "Instant", "rand::"],
        inside: &["rules/src"],
        allowed: &[],
    },
    Wall {
        why: "what crosses the kernel border is laid out by hand, not by serde",
        words: &["serde"],
        inside: &["profiler-ebpf/src", "profiler-ebpf/Cargo.toml"],
        allowed: &[],
    },
    Wall {
        why: "the chores build without our own crates",
        words: &[
            "profiler-ebpf.workspace",
            "profiler.workspace",
            "rules.workspace",
        ],
        inside: &[
            "xtask/Cargo.toml",
            "rules/Cargo.toml",
            "profiler-ebpf/Cargo.toml",
        ],
        allowed: &[],
    },
];

#[test]
fn the_walls_stand() {
    let broken: Vec<_> = WALLS.iter().flat_map(breaches).collect();
    assert!(broken.is_empty(), "\n{}", broken.join("\n"));
}

#[test]
fn a_wall_sees_what_it_is_for() {
    for wall in WALLS {
        for word in wall.words {
            let line = format!("    let x = {word}y;");
            assert!(uses(&line, wall.words), "{word}");
            let comment = format!("    // {word}y");
            assert!(!uses(&comment, wall.words), "{word}");
        }
    }
    assert!(!uses("    blueprint!(x);", &["print!("]));
    assert!(uses("    options.write(true);", &[".write(true)"]));
}

#[test]
fn tests_may_do_what_code_may_not() {
    let text = "fn a() {}\n\n#[cfg(test)]\nmod tests {\n    println!();\n}\n";
    assert_eq!(code_of(text), "fn a() {}\n\n");
    let sibling = "#[cfg(test)]\nmod tests;\n\nfn b() { println!() }\n";
    assert!(code_of(sibling).contains("println"), "only the item is cut");
}

/// Nothing in the tree depends on where somebody's copy of it lay.
#[test]
fn no_file_names_a_path_of_one_machine() {
    let places = ["work", "farm", "root", "home/runner"].map(|name| format!("/{name}"));
    let mut named = Vec::new();
    for path in files(root()) {
        let shown = shown(&path);
        // Collected files of other hosts say what they said there.
        if shown.contains("tests/cases/") {
            continue;
        }
        let Ok(text) = fs::read_to_string(&path) else {
            continue;
        };
        for (number, line) in text.lines().enumerate() {
            if places.iter().any(|place| names(line, place)) {
                named.push(format!("{shown}:{}: {}", number + 1, line.trim()));
            }
        }
    }
    assert!(named.is_empty(), "\n{}", named.join("\n"));
}

/// Whether the line has the absolute path, and not a longer word that contains it.
fn names(line: &str, place: &str) -> bool {
    line.match_indices(place).any(|(at, _)| {
        let part_of_word = |c: char| c.is_alphanumeric() || "_-.})*".contains(c);
        let before = line[..at].chars().next_back();
        let after = line[at + place.len()..].chars().next();
        !before.is_some_and(part_of_word) && !after.is_some_and(|c| c.is_alphanumeric() || c == '_')
    })
}

#[test]
fn a_path_is_told_from_a_word_that_contains_it() {
    let place = format!("/{}", "work");
    assert!(names(&format!("cd {place}/main"), &place));
    assert!(names(&format!("\"{place}\""), &place));
    assert!(!names("profiler/src/workload.rs", &place));
    assert!(!names(&format!("target{place}"), &place));
}

fn breaches(wall: &Wall) -> Vec<String> {
    let mut found = Vec::new();
    for place in wall.inside {
        let place = root().join(place);
        assert!(
            place.exists(),
            "the wall names {}, which is gone",
            place.display()
        );
        for path in files(&place) {
            let shown = shown(&path);
            let is_test = shown.ends_with("/tests.rs") || shown.contains("/tests/");
            if is_test
                || wall
                    .allowed
                    .iter()
                    .any(|allowed| shown.starts_with(allowed))
            {
                continue;
            }
            let text = fs::read_to_string(&path).expect("sources are UTF-8");
            for (number, line) in code_of(&text).lines().enumerate() {
                if uses(line, wall.words) {
                    found.push(format!(
                        "{shown}:{}: {}: {}",
                        number + 1,
                        wall.why,
                        line.trim()
                    ));
                }
            }
        }
    }
    found
}

/// The text without the items that only tests have; cut items leave no lines behind them, so a line's
/// number is right up to the first of them.
fn code_of(text: &str) -> String {
    let mut code = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.trim() != "#[cfg(test)]" {
            code.push_str(line);
            code.push('\n');
            continue;
        }
        let indent = line.len() - line.trim_start().len();
        let end = format!("{}}}", " ".repeat(indent));
        // An item ends with `;` on its first line, or with a brace as far in as it began.
        let mut first = true;
        for line in lines.by_ref() {
            let one_line = first && (line.ends_with(';') || line.ends_with('}'));
            if one_line || line == end {
                break;
            }
            first = line.trim_start().starts_with("#[");
        }
    }
    code
}

/// Whether the line's code has one of the words, not as the end of a longer word.
fn uses(line: &str, words: &[&str]) -> bool {
    let part_of_word = |c: char| c.is_alphanumeric() || c == '_';
    let code = line.find("//").map_or(line, |at| &line[..at]);
    words.iter().any(|word| {
        code.match_indices(word)
            .any(|(at, _)| !word.starts_with(part_of_word) || !code[..at].ends_with(part_of_word))
    })
}

/// All files below, or the file itself; build products and other tools' folders are left out.
fn files(place: &Path) -> Vec<PathBuf> {
    if place.is_file() {
        return vec![place.to_owned()];
    }
    let mut entries: Vec<_> = fs::read_dir(place)
        .expect("a folder of the tree can be read")
        .map(|entry| entry.expect("a folder of the tree can be read").path())
        .filter(|path| !path.is_symlink())
        .filter(|path| !["target", ".git"].iter().any(|name| path.ends_with(name)))
        .collect();
    entries.sort();
    entries.iter().flat_map(|path| files(path)).collect()
}

fn shown(path: &Path) -> String {
    let inner = path
        .strip_prefix(root())
        .expect("the path lies in the tree");
    inner.display().to_string()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask lies in the tree")
}
