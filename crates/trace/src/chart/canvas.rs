//! One line of a chart, written to in any order. A character takes one place.

/// The characters of which charts are made; each takes one place, except the ellipsis.
#[derive(Debug)]
pub(super) struct Glyphs {
    pub(super) line: &'static str,
    pub(super) arrow: &'static str,
    pub(super) to_right: &'static str,
    pub(super) to_left: &'static str,
    pub(super) lost: &'static str,
    pub(super) received: &'static str,
    pub(super) entered: &'static str,
    pub(super) chose: &'static str,
    pub(super) to_itself: &'static str,
    pub(super) halted: &'static str,
    pub(super) monitor: &'static str,
    pub(super) announced: &'static str,
    pub(super) deviation: &'static str,
    pub(super) bug: &'static str,
    pub(super) becomes: &'static str,
    pub(super) ellipsis: &'static str,
}

impl Glyphs {
    pub(super) const UNICODE: Glyphs = Glyphs {
        line: "│",
        arrow: "─",
        to_right: "▶",
        to_left: "◀",
        lost: "✗",
        received: "●",
        entered: "○",
        chose: "?",
        to_itself: "↻",
        halted: "■",
        monitor: "◆",
        announced: "◇",
        deviation: "▲",
        bug: "✗",
        becomes: "→",
        ellipsis: "…",
    };

    pub(super) const ASCII: Glyphs = Glyphs {
        line: "|",
        arrow: "-",
        to_right: ">",
        to_left: "<",
        lost: "x",
        received: "*",
        entered: "o",
        chose: "?",
        to_itself: "@",
        halted: "#",
        monitor: "+",
        announced: "!",
        deviation: "^",
        bug: "X",
        becomes: "->",
        ellipsis: "..",
    };
}

pub(super) struct Canvas {
    places: Vec<char>,
}

impl Canvas {
    pub(super) fn new(width: usize) -> Canvas {
        Canvas { places: vec![' '; width] }
    }

    /// Writes over what is there. What goes over the edge is lost.
    pub(super) fn write(&mut self, place: usize, text: &str) {
        for (place, character) in self.places.iter_mut().skip(place).zip(text.chars()) {
            *place = character;
        }
    }

    /// The place after the last that was written to.
    pub(super) fn end(&self) -> usize {
        self.places.iter().rposition(|character| *character != ' ').map_or(0, |last| last + 1)
    }

    pub(super) fn to_line(&self) -> String {
        let line: String = self.places.iter().collect();
        line.trim_end().to_owned()
    }
}
