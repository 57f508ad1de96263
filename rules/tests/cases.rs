//! The tests in the rule files themselves: those of the built-in rules, and of the rules here.

use rules::Library;
use std::path::Path;

fn all_pass(library: &Library) {
    let tested = library.test();
    let failures: Vec<String> = tested
        .iter()
        .filter_map(|one| {
            let failure = one.failure.as_ref()?;
            Some(format!("{}, case {:?}: {failure}", one.rule, one.case))
        })
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(tested.len() >= 3 * library.rules().len());
}

#[test]
fn every_case_of_the_built_in_rules_passes() {
    match Library::load(rules::source::embedded()) {
        Ok(library) => all_pass(&library),
        Err(errors) => panic!("{errors}"),
    }
}

#[test]
fn every_case_of_the_rules_for_tests_passes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/library");
    match Library::load_dir(&folder) {
        Ok(library) => {
            assert!(library.rules().len() >= 2);
            all_pass(&library);
        }
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn the_reference_says_everything_about_a_rule() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/library");
    let library = Library::load_dir(&folder).unwrap();
    insta::assert_snapshot!("reference", rules::docs::rules(&library));
}

#[test]
fn a_folder_that_cannot_be_read_is_named() {
    let missing = Path::new("/nowhere/rules");
    let error = Library::load_dir(missing).unwrap_err().to_string();
    assert!(
        error.starts_with("cannot read rules from /nowhere/rules: "),
        "{error}"
    );
}
