//! What holds for every word of the vocabulary.

use super::*;
use std::collections::BTreeSet;

#[test]
fn every_fact_says_what_it_is_and_has_a_name_of_its_own() {
    let mut names = BTreeSet::new();
    for fact in ALL {
        assert!(fact.about.len() > 10, "{} has no doc line", fact.name);
        assert!(fact.about.ends_with('.'), "{}: {:?}", fact.name, fact.about);
        assert!(names.insert(fact.name), "{} is there twice", fact.name);
        assert_eq!(named(fact.name), Some(*fact));
    }
}

#[test]
fn names_are_words_joined_by_dots() {
    for fact in ALL {
        let words: Vec<&str> = fact.name.split('.').collect();
        assert!(
            words.len() >= 2,
            "{} could be taken for a name of a rule",
            fact.name
        );
        for word in words {
            assert!(
                word.starts_with(|c: char| c.is_ascii_lowercase()),
                "{}",
                fact.name
            );
            assert!(
                word.chars()
                    .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_'),
                "{}",
                fact.name
            );
        }
    }
}
