//! A small, strict reader of markup: every tag closed, every attribute quoted.

/// One opened element.
#[derive(Debug)]
pub(crate) struct Tag {
    pub(crate) name: String,
    pub(crate) attributes: Vec<(String, String)>,
}

/// Elements of HTML that have no end.
const VOID: [&str; 5] = ["meta", "br", "hr", "img", "link"];

/// All elements of a page, or what is wrong with it.
pub(crate) fn tags(page: &str) -> Result<Vec<Tag>, String> {
    let mut tags = Vec::new();
    let mut open: Vec<String> = Vec::new();
    let mut rest = page;
    while let Some(start) = rest.find('<') {
        let text = &rest[..start];
        if text.contains('>') {
            return Err(format!("a bare > in {text:?}"));
        }
        rest = &rest[start + 1..];
        let end = end_of_tag(rest).ok_or_else(|| format!("no end of <{}", head(rest)))?;
        let (tag, after) = (&rest[..end], &rest[end + 1..]);
        rest = after;
        if tag.starts_with('!') || tag.starts_with('?') {
            continue;
        }
        if let Some(name) = tag.strip_prefix('/') {
            match open.pop() {
                Some(opened) if opened == name => continue,
                opened => return Err(format!("</{name}> closes {opened:?}")),
            }
        }
        let (tag, closed) = match tag.strip_suffix('/') {
            Some(tag) => (tag, true),
            None => (tag, false),
        };
        let parsed = parse(tag)?;
        if parsed.name == "style" {
            // The content of a style sheet is not markup; it ends at its end tag.
            let end = rest.find("</style>").ok_or("no end of the style sheet")?;
            rest = &rest[end..];
        }
        if !closed && !VOID.contains(&parsed.name.as_str()) {
            open.push(parsed.name.clone());
        }
        tags.push(parsed);
    }
    match open.is_empty() {
        true => Ok(tags),
        false => Err(format!("never closed: {open:?}")),
    }
}

fn head(text: &str) -> String {
    text.chars().take(60).collect()
}

/// Where a tag ends: the first > outside of quotes.
fn end_of_tag(text: &str) -> Option<usize> {
    let mut quoted = false;
    for (at, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '>' if !quoted => return Some(at),
            _ => {}
        }
    }
    None
}

fn parse(tag: &str) -> Result<Tag, String> {
    let (name, mut rest) = tag.split_once(char::is_whitespace).unwrap_or((tag, ""));
    if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric()) {
        return Err(format!("odd tag <{}", head(tag)));
    }
    let mut attributes = Vec::new();
    loop {
        rest = rest.trim_start();
        if rest.is_empty() {
            break;
        }
        let (key, after) = rest
            .split_once("=\"")
            .ok_or_else(|| format!("unquoted attribute in <{}", head(tag)))?;
        let (value, after) = after
            .split_once('"')
            .ok_or_else(|| format!("no closing quote in <{}", head(tag)))?;
        if value.contains('<') || key.contains(char::is_whitespace) {
            return Err(format!("odd attribute {key}={value:?}"));
        }
        attributes.push((key.to_owned(), value.to_owned()));
        rest = after;
    }
    Ok(Tag {
        name: name.to_owned(),
        attributes,
    })
}

#[test]
fn what_is_not_closed_is_found() {
    assert!(tags("<p><b>x</b></p><br>").is_ok());
    assert!(tags("<p><b>x</p></b>").is_err());
    assert!(tags("<p>").is_err());
    assert!(tags("<p a=x></p>").is_err());
    assert!(tags("a > b").is_ok());
    assert!(tags("a > b<br>").is_err());
}
