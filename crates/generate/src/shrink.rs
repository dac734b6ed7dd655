//! Shrinking: from a program that shows something to a small one that still does.
//!
//! Changes are made to lines, blocks and items of lists, without knowledge of the grammar beyond braces: most of them
//! give text that does not compile, and the predicate must say no to that. A program of a few hundred lines takes a few
//! thousand questions.
//!
//! Guarantees: the predicate holds for the result, and leaving out any one line or block of it breaks it.
//! Does not guarantee: that there is no smaller program.

/// Makes a text for which `holds` smaller as long as that is so. If it does not hold to begin with, the text is given
/// back as it is.
pub fn shrink(source: &str, holds: &mut dyn FnMut(&str) -> bool) -> String {
    if !holds(source) {
        return source.to_owned();
    }
    let lines = source.lines().map(str::to_owned).collect();
    let mut shrinker = Shrinker { lines, holds };
    loop {
        let before = shrinker.lines.clone();
        shrinker.leave_out_blocks();
        shrinker.leave_out_lines();
        shrinker.open_blocks();
        shrinker.leave_out_items();
        if shrinker.lines == before {
            return text(&before);
        }
    }
}

fn text(lines: &[String]) -> String {
    lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect()
}

struct Shrinker<'h> {
    lines: Vec<String>,
    holds: &'h mut dyn FnMut(&str) -> bool,
}

impl Shrinker<'_> {
    /// Keeps the lines if they still show it.
    fn offer(&mut self, lines: Vec<String>) -> bool {
        let is_better = (self.holds)(&text(&lines));
        if is_better {
            self.lines = lines;
        }
        is_better
    }

    fn offer_without(&mut self, start: usize, end: usize) -> bool {
        let mut lines = self.lines.clone();
        lines.drain(start..end);
        self.offer(lines)
    }

    /// Outer blocks come before inner ones, because they begin earlier. An `else` goes with its `if`, or alone.
    fn leave_out_blocks(&mut self) {
        let mut at = 0;
        while at < self.lines.len() {
            let Some(close) = self.closing(at) else {
                at += 1;
                continue;
            };
            let has_else =
                self.lines.get(close + 1).is_some_and(|line| line.trim_start().starts_with("else"));
            let after_else = if has_else { self.closing(close + 1) } else { None };
            let gone = after_else.is_some_and(|end| self.offer_without(at, end + 1))
                || self.offer_without(at, close + 1);
            at += usize::from(!gone);
        }
    }

    /// Many lines at once first.
    fn leave_out_lines(&mut self) {
        for size in [8, 4, 2, 1] {
            let mut at = 0;
            while at + size <= self.lines.len() {
                at += usize::from(!self.offer_without(at, at + size));
            }
        }
    }

    /// Leaves out the lines that open and close a block, and keeps what is between them.
    fn open_blocks(&mut self) {
        let mut at = 0;
        while at < self.lines.len() {
            if let Some(close) = self.closing(at) {
                let mut lines = self.lines.clone();
                for line in &mut lines[at + 1..close] {
                    *line = line.strip_prefix("  ").unwrap_or(line).to_owned();
                }
                lines.remove(close);
                lines.remove(at);
                if self.offer(lines) {
                    continue;
                }
            }
            at += 1;
        }
    }

    /// Leaves out items between commas, and specs that are attached to modules.
    fn leave_out_items(&mut self) {
        for at in 0..self.lines.len() {
            while let Some(line) = shorter(&self.lines[at]).into_iter().find(|line| {
                let mut lines = self.lines.clone();
                lines[at].clone_from(line);
                self.offer(lines)
            }) {
                self.lines[at] = line;
            }
        }
    }

    /// The line that closes the block that opens in a line.
    fn closing(&self, open: usize) -> Option<usize> {
        if !self.lines[open].ends_with('{') {
            return None;
        }
        let mut depth = 0;
        for (at, line) in self.lines.iter().enumerate().skip(open) {
            depth += usize::from(line.ends_with('{'));
            if line.trim() == "}" {
                depth -= 1;
            }
            if depth == 0 {
                return Some(at);
            }
        }
        None
    }
}

/// A line with one item of a list less.
fn shorter(line: &str) -> Vec<String> {
    let is_end = |byte: u8| matches!(byte, b',' | b'{' | b'}' | b'(' | b')' | b';' | b'[' | b']');
    let ends: Vec<usize> =
        line.bytes().enumerate().filter(|(_, byte)| is_end(*byte)).map(|(at, _)| at).collect();
    let mut found = Vec::new();
    for pair in ends.windows(2) {
        let (start, end) = (pair[0], pair[1]);
        if line.as_bytes()[start] == b',' {
            found.push(format!("{}{}", &line[..start], &line[end..]));
        }
        if line.as_bytes()[end] == b',' {
            found.push(format!("{} {}", &line[..=start], line[end + 1..].trim_start()));
        }
    }
    if let Some(start) = line.find("assert ")
        && let Some(length) = line[start..].find(" in ")
    {
        found.push(format!("{}{}", &line[..start], &line[start + length + 4..]));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::shrink;

    #[test]
    fn what_the_predicate_needs_stays_and_the_rest_goes() {
        let source = "a\nwhile {\n  (b, c, d);\n  if {\n    e\n  }\n  else {\n    f\n  }\n}\ng\n";
        let needs =
            |words: &'static [&'static str]| move |text: &str| words.iter().all(|word| text.contains(word));
        assert_eq!(shrink(source, &mut needs(&["c"])), "  ( c);\n");
        assert_eq!(shrink(source, &mut needs(&["while", "f"])), "while {\n    f\n");
        assert_eq!(shrink(source, &mut needs(&["g"])), "g\n");
    }

    #[test]
    fn a_text_that_does_not_show_it_stays_as_it_is() {
        assert_eq!(shrink("a\n", &mut |_| false), "a\n");
    }
}
