//! A small SVG writer: shapes with classes (the page's style sheet colours them), text escaped.

use std::fmt::Write;

/// A picture under construction. It scales to the width of its place on the page.
pub(super) struct Svg {
    width: f64,
    height: f64,
    body: String,
}

impl Svg {
    /// An empty picture; the title and the description are read out instead of it.
    pub(super) fn new(width: f64, height: f64, title: &str, description: &str) -> Self {
        let mut body = String::new();
        let _ = write!(
            body,
            "<title>{}</title><desc>{}</desc>",
            escape(title),
            escape(description)
        );
        Self {
            width,
            height,
            body,
        }
    }

    pub(super) fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        let _ = write!(
            self.body,
            r#"<line class="{class}" x1="{}" y1="{}" x2="{}" y2="{}"/>"#,
            px(from.0),
            px(from.1),
            px(to.0),
            px(to.1)
        );
    }

    /// A rectangle; the tooltip may be empty.
    pub(super) fn rect(&mut self, class: &str, at: (f64, f64), size: (f64, f64), tooltip: &str) {
        let (x, y) = (px(at.0), px(at.1));
        let (width, height) = (px(size.0.max(0.0)), px(size.1.max(0.0)));
        let _ = write!(
            self.body,
            r#"<rect class="{class}" x="{x}" y="{y}" width="{width}" height="{height}""#
        );
        match tooltip.is_empty() {
            true => self.body.push_str("/>"),
            false => {
                let _ = write!(self.body, "><title>{}</title></rect>", escape(tooltip));
            }
        }
    }

    pub(super) fn path(&mut self, class: &str, path: &Path) {
        if !path.0.is_empty() {
            let _ = write!(self.body, r#"<path class="{class}" d="{}"/>"#, path.0);
        }
    }

    pub(super) fn text(&mut self, class: &str, at: (f64, f64), text: &str) {
        let _ = write!(
            self.body,
            r#"<text class="{class}" x="{}" y="{}">{}</text>"#,
            px(at.0),
            px(at.1),
            escape(text)
        );
    }

    pub(super) fn finish(self) -> String {
        format!(
            r#"<svg viewBox="0 0 {} {}" role="img" preserveAspectRatio="xMidYMid meet">{}</svg>"#,
            px(self.width),
            px(self.height),
            self.body
        )
    }
}

/// The outline of a shape.
#[derive(Default)]
pub(super) struct Path(String);

impl Path {
    pub(super) fn move_to(&mut self, x: f64, y: f64) -> &mut Self {
        let _ = write!(self.0, "M{} {}", px(x), px(y));
        self
    }

    pub(super) fn line_to(&mut self, x: f64, y: f64) -> &mut Self {
        let _ = write!(self.0, "L{} {}", px(x), px(y));
        self
    }

    pub(super) fn close(&mut self) -> &mut Self {
        self.0.push('Z');
        self
    }

    pub(super) fn rect(&mut self, x: f64, y: f64, width: f64, height: f64) -> &mut Self {
        let _ = write!(
            self.0,
            "M{} {}h{}v{}h-{}z",
            px(x),
            px(y),
            px(width),
            px(height),
            px(width)
        );
        self
    }

    /// Joins points with straight lines.
    pub(super) fn through(points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let mut path = Self::default();
        for (x, y) in points {
            match path.0.is_empty() {
                true => path.move_to(x, y),
                false => path.line_to(x, y),
            };
        }
        path
    }
}

/// A coordinate with one digit; what is not a number goes to the corner, where it harms nothing.
fn px(value: f64) -> String {
    let value = if value.is_finite() {
        value.clamp(-1e5, 1e5)
    } else {
        0.0
    };
    let text = format!("{value:.1}");
    match text.strip_suffix(".0") {
        Some("-0") => "0".to_owned(),
        Some(whole) => whole.to_owned(),
        None => text,
    }
}

/// Text as XML: also without the control characters that XML cannot hold.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if crate::units::is_hidden(c) => out.extend(c.escape_default()),
            c => out.push(c),
        }
    }
    out
}

/// About how wide a text is at the size of the labels (12 units).
pub(super) fn text_width(text: &str) -> f64 {
    text.chars().count() as f64 * 6.5
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_tooltips_are_escaped() {
        let mut svg = Svg::new(10.0, 10.0, "<script>", "a \"b\"");
        svg.text("t", (1.0, 2.0), "</text><script>alert('x')");
        svg.rect("r", (0.0, 0.0), (1.0, 1.0), "<b>");
        let out = svg.finish();
        assert!(!out.contains("<script") && !out.contains("<b>"), "{out}");
        assert!(out.contains("&lt;script&gt;alert(&#39;x&#39;)"), "{out}");
    }

    #[test]
    fn coordinates_are_always_numbers() {
        assert_eq!(px(f64::NAN), "0");
        assert_eq!(px(f64::INFINITY), "0");
        assert_eq!(px(1.25), "1.2");
        assert_eq!(px(-0.01), "0");
        assert_eq!(px(3.0), "3");
    }
}
