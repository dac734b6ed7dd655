//! A run as a sequence chart in text: a column per machine, time goes down.
//!
//! An arrow is a message at the moment it is put into the queue; a dot on a machine's line is that machine taking a
//! message out. What does not fit is shortened: names (which then stand below in full) and labels first, and if there are more machines than columns, those
//! that act nearest to the end of the run stay and the others share the last column. Long runs are cut in the middle, but
//! for the steps that deviate from the natural run, which are never left out.
//! A step that deviates from the natural run is marked beside its number, and what it did instead stands at the right or,
//! if there is no room, on a line of its own above.

mod canvas;
mod layout;
mod rows;

use crate::explain::Explanation;
use crate::trace::{BugSummary, Machine, Run};

use canvas::{Canvas, Glyphs};
use layout::Layout;
use rows::{Row, RowKind};

/// How a chart is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChartOptions {
    /// The number of characters in a line.
    pub width: usize,
    /// The most lines between the head and the end, apart from steps that deviate; `None` for all.
    pub max_rows: Option<usize>,
    /// Whether the terminal has more than ASCII.
    pub unicode: bool,
}

impl Default for ChartOptions {
    fn default() -> ChartOptions {
        ChartOptions { width: 100, max_rows: Some(60), unicode: true }
    }
}

/// Draws a run, its deviations and the bug it ends in. No line is longer than the width; each ends with a line break.
pub fn chart(
    run: &Run,
    explanation: Option<&Explanation>,
    bug: Option<&BugSummary>,
    options: &ChartOptions,
) -> String {
    let glyphs = if options.unicode { &Glyphs::UNICODE } else { &Glyphs::ASCII };
    let rows = rows::rows(run, explanation, bug, glyphs);
    if rows.is_empty() {
        return String::new();
    }
    let layout = Layout::new(run, &rows, options.width);
    let rows = layout.visible(rows);
    let mut drawing =
        Drawing { layout: &layout, glyphs, is_alive: vec![false; layout.columns.len()], text: String::new() };
    drawing.head(run);
    for row in rows::without_middle(rows, options.max_rows) {
        drawing.row(&row);
    }
    drawing.foot();
    drawing.text
}

struct Drawing<'a> {
    layout: &'a Layout,
    glyphs: &'a Glyphs,
    /// Which columns have a line at the moment.
    is_alive: Vec<bool>,
    text: String,
}

impl Drawing<'_> {
    /// The names, and the lines of those that exist from the beginning.
    fn head(&mut self, run: &Run) {
        let mut canvas = Canvas::new(self.layout.width);
        for (column, center) in self.layout.centers.iter().enumerate() {
            let room = self.layout.room_for_name(column);
            let name = match &self.layout.columns[column] {
                Some(machine) => fold_name(machine, room, self.glyphs),
                None => fold("others", room, self.glyphs),
            };
            canvas.write(center.saturating_sub(name.chars().count() / 2), &name);
        }
        self.push(&canvas);
        for (column, machine) in self.layout.columns.iter().enumerate() {
            let is_created_later = |machine: &Machine| rows::creates(run, machine);
            self.is_alive[column] = !machine.as_ref().is_some_and(is_created_later);
        }
    }

    fn row(&mut self, row: &Row) {
        let mut canvas = Canvas::new(self.layout.width);
        if let Some(step) = row.step {
            canvas.write(0, &format!("{step:>width$}", width = self.layout.margin - 2));
        }
        self.lines(&mut canvas);
        let before = self.is_alive.clone();
        match &row.kind {
            RowKind::Arrow { from, to, label, creates, lost } => {
                let (from, to) = (self.layout.column(from), self.layout.column(to));
                if *creates {
                    self.is_alive[to] = true;
                    canvas.write(self.layout.centers[to], self.glyphs.line);
                }
                self.arrow(&mut canvas, from, to, label, *lost);
            }
            RowKind::Note { at, mark, text, is_long, ends } => {
                let column = self.layout.column(at);
                self.note(&mut canvas, column, mark, text, *is_long);
                if *ends && self.layout.columns[column].is_some() {
                    self.is_alive[column] = false;
                }
            }
            RowKind::Cut { steps, created, ended } => {
                let columns = |machines: &[Machine]| -> Vec<usize> {
                    machines.iter().map(|machine| self.layout.column(machine)).collect()
                };
                let (created, ended) = (columns(created), columns(ended));
                created.into_iter().for_each(|column| self.is_alive[column] = true);
                let own = ended.into_iter().filter(|column| self.layout.columns[*column].is_some());
                own.for_each(|column| self.is_alive[column] = false);
                let noun = if *steps == 1 { "step" } else { "steps" };
                let text = format!("{0} {steps} {noun} not shown {0}", self.glyphs.ellipsis);
                canvas.write(self.layout.margin, &text);
            }
        }
        if let Some(deviation) = &row.deviation {
            self.mark(&mut canvas, deviation, &before);
        }
        self.push(&canvas);
    }

    /// The lines of the machines that exist at the moment.
    fn lines(&self, canvas: &mut Canvas) {
        for (center, _) in self.layout.centers.iter().zip(&self.is_alive).filter(|(_, alive)| **alive) {
            canvas.write(*center, self.glyphs.line);
        }
    }

    /// Marks a step as a deviation, and says what it did instead of the natural thing.
    fn mark(&mut self, canvas: &mut Canvas, deviation: &str, alive_before: &[bool]) {
        let mark = self.layout.margin - 2;
        let place = canvas.end() + 3;
        if place + deviation.chars().count() <= self.layout.width {
            canvas.write(mark, self.glyphs.deviation);
            canvas.write(place, deviation);
            return;
        }
        let now = std::mem::replace(&mut self.is_alive, alive_before.to_vec());
        let mut above = Canvas::new(self.layout.width);
        self.lines(&mut above);
        above.write(mark, self.glyphs.deviation);
        let room = self.layout.width.saturating_sub(self.layout.margin);
        above.write(self.layout.margin, &fold(&format!("{deviation} "), room, self.glyphs));
        self.push(&above);
        self.is_alive = now;
    }

    fn arrow(&self, canvas: &mut Canvas, from: usize, to: usize, label: &str, lost: bool) {
        let (from, to) = (self.layout.centers[from], self.layout.centers[to]);
        let (left, right) = (from.min(to) + 1, from.max(to));
        for place in left..right {
            canvas.write(place, self.glyphs.arrow);
        }
        let (head, place) =
            if from < to { (self.glyphs.to_right, right - 1) } else { (self.glyphs.to_left, left) };
        canvas.write(place, if lost { self.glyphs.lost } else { head });
        let room = (right - left).saturating_sub(4);
        canvas.write(left + 2, &fold(label, room, self.glyphs));
    }

    fn note(&self, canvas: &mut Canvas, column: usize, mark: &str, text: &str, is_long: bool) {
        let center = self.layout.centers[column];
        canvas.write(center, mark);
        let right = self.layout.width.saturating_sub(center + 2);
        let room = if is_long { right } else { right.min(self.layout.gap_after(column).saturating_sub(3)) };
        let length = text.chars().count();
        let left = center.saturating_sub(self.layout.margin + 1);
        if is_long && length > right && left > right {
            let text = fold(text, left, self.glyphs);
            canvas.write(center - 1 - text.chars().count(), &text);
        } else {
            canvas.write(center + 2, &fold(text, room, self.glyphs));
        }
    }

    /// Who the others are, and who those are whose names had no room.
    fn foot(&mut self) {
        if !self.layout.others.is_empty() {
            let names: Vec<String> = self.layout.others.iter().map(Machine::to_string).collect();
            self.push_text(&format!("others: {}", names.join(", ")));
        }
        let named = self.layout.columns.iter().enumerate();
        let cut = named.filter_map(|(column, machine)| {
            let name = machine.as_ref()?.to_string();
            (name.chars().count() > self.layout.room_for_name(column)).then_some(name)
        });
        let cut: Vec<String> = cut.collect();
        self.list("in full:", &cut);
    }

    /// Some names, on as many lines as it takes.
    fn list(&mut self, head: &str, names: &[String]) {
        let Some((last, others)) = names.split_last() else { return };
        let words = others.iter().map(|name| format!("{name},")).chain([last.clone()]);
        let mut line = head.to_owned();
        for word in words {
            if line.chars().count() + 1 + word.chars().count() > self.layout.width {
                self.push_text(&line);
                line = " ".repeat(head.len());
            }
            line.push(' ');
            line.push_str(&word);
        }
        self.push_text(&line);
    }

    fn push_text(&mut self, text: &str) {
        let mut canvas = Canvas::new(self.layout.width);
        canvas.write(0, &fold(text, self.layout.width, self.glyphs));
        self.push(&canvas);
    }

    fn push(&mut self, canvas: &Canvas) {
        self.text.push_str(&canvas.to_line());
        self.text.push('\n');
    }
}

/// The text, or as much of its beginning as there is room for.
fn fold(text: &str, room: usize, glyphs: &Glyphs) -> String {
    if text.chars().count() <= room {
        return text.to_owned();
    }
    let kept = room.saturating_sub(glyphs.ellipsis.chars().count());
    let mut folded: String = text.chars().take(kept).collect();
    folded.push_str(glyphs.ellipsis);
    folded.chars().take(room).collect()
}

/// The machine's name, with its number whole as long as there is room for that. Of the name its beginning and its end
/// stay: types that belong together often begin alike.
fn fold_name(machine: &Machine, room: usize, glyphs: &Glyphs) -> String {
    let number = format!("({})", machine.number);
    let room_for_type = room.saturating_sub(number.len());
    let length = machine.name.chars().count();
    let kept = room_for_type.saturating_sub(glyphs.ellipsis.chars().count());
    let name = if length <= room_for_type || kept < 3 {
        fold(&machine.name, room_for_type, glyphs)
    } else {
        let head: String = machine.name.chars().take(kept.div_ceil(2)).collect();
        let tail: String = machine.name.chars().skip(length - kept / 2).collect();
        format!("{head}{}{tail}", glyphs.ellipsis)
    };
    fold(&format!("{name}{number}"), room.max(number.len()), glyphs)
}
