//! Cells of tables whose columns are aligned and may be empty.

/// Heads of the columns and where they begin and end, in characters.
#[derive(Clone, Debug, Default)]
pub(super) struct Columns(Vec<(String, usize, usize)>);

/// The columns that a head line names.
pub(super) fn heads(line: &str) -> Columns {
    Columns(words(line))
}

impl Columns {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The word that stands under a head: the one that no other head is nearer to.
    pub(super) fn cell(&self, line: &str, name: &str) -> Option<String> {
        let at = self.0.iter().position(|(head, ..)| head == name)?;
        let mut words = words(line).into_iter();
        let found = words.find(|word| self.nearest(word) == Some(at));
        found.map(|(word, ..)| word)
    }

    /// Left-aligned words begin where their head does, right-aligned ones end where it ends.
    fn nearest(&self, (_, begin, end): &(String, usize, usize)) -> Option<usize> {
        let distance =
            |(_, from, to): &(String, usize, usize)| begin.abs_diff(*from).min(end.abs_diff(*to));
        let all = self.0.iter().enumerate();
        all.min_by_key(|(_, head)| distance(head)).map(|(at, _)| at)
    }
}

fn words(line: &str) -> Vec<(String, usize, usize)> {
    let mut words: Vec<(String, usize, usize)> = Vec::new();
    let mut inside = false;
    for (at, c) in line.chars().enumerate() {
        match (c.is_whitespace(), words.last_mut()) {
            (true, _) => inside = false,
            (false, Some((word, _, end))) if inside => {
                word.push(c);
                *end = at + 1;
            }
            (false, _) => {
                inside = true;
                words.push((c.to_string(), at, at + 1));
            }
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_to_the_left_and_to_the_right() {
        let columns = heads("NAME   RM   SIZE RO TYPE  MOUNTPOINT");
        let line = "  sda1  0 931.5G  0 part";
        let cell = |name| columns.cell(line, name);
        assert_eq!(cell("NAME").as_deref(), Some("sda1"));
        assert_eq!(cell("SIZE").as_deref(), Some("931.5G"));
        assert_eq!(cell("RO").as_deref(), Some("0"));
        assert_eq!(cell("TYPE").as_deref(), Some("part"));
        assert_eq!(cell("MOUNTPOINT"), None);
    }
}
