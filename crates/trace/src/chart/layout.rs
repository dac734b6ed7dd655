//! Where the columns of a chart go, and which machines get one.

use crate::trace::{Machine, Run};

use super::rows::{Row, RowKind};

/// The least distance between two columns.
const LEAST_GAP: usize = 12;
/// No column asks for more room than this.
const LARGEST_GAP: usize = 32;

/// The columns of a chart.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) width: usize,
    /// The places before the first column's room, for the numbers of steps.
    pub(super) margin: usize,
    /// The machine of each column, in the order of creation; `None` for the last one if several share it.
    pub(super) columns: Vec<Option<Machine>>,
    /// The machines that share the last column.
    pub(super) others: Vec<Machine>,
    /// Where the line of each column is.
    pub(super) centers: Vec<usize>,
}

impl Layout {
    pub(super) fn new(run: &Run, rows: &[Row], width: usize) -> Layout {
        let margin = run.steps.len().to_string().len() + 2;
        let by_recency = by_recency(rows);
        let mut shown = by_recency.len().min(width / LEAST_GAP + 1);
        loop {
            let layout = Layout::with_machines(margin, &by_recency, shown, rows, width);
            if shown <= 1 || layout.fits() {
                return layout;
            }
            shown -= 1;
        }
    }

    /// The layout in which the first `shown` of the machines have columns of their own.
    fn with_machines(
        margin: usize,
        machines: &[Machine],
        shown: usize,
        rows: &[Row],
        width: usize,
    ) -> Layout {
        let (own, others) = machines.split_at(shown);
        let mut own = own.to_vec();
        own.sort_by_key(|machine| machine.number);
        let mut others = others.to_vec();
        others.sort_by_key(|machine| machine.number);
        let mut columns: Vec<Option<Machine>> = own.into_iter().map(Some).collect();
        if !others.is_empty() {
            columns.push(None);
        }
        let mut layout = Layout { width, margin, columns, others, centers: Vec::new() };
        let wanted = layout.wanted_gaps(rows);
        let half = layout.name_length(0).div_ceil(2);
        if layout.place(margin + half, &wanted, LARGEST_GAP) <= width {
            return layout;
        }
        let first = margin + half.min(LEAST_GAP / 2);
        for cap in (LEAST_GAP..=LARGEST_GAP).rev() {
            let end = layout.place(first, &wanted, cap);
            if end <= width {
                break;
            }
        }
        layout
    }

    /// Puts the columns at the wanted distances or `cap`, whichever is less. Gives the place where a next one would be.
    fn place(&mut self, first: usize, wanted: &[usize], cap: usize) -> usize {
        self.centers.clear();
        let mut center = first;
        for gap in wanted {
            self.centers.push(center);
            center += gap.min(&cap);
        }
        center
    }

    /// Whether the last column has room for its name.
    fn fits(&self) -> bool {
        let last = self.centers.last().copied().unwrap_or(0);
        let half = self.name_length(self.columns.len() - 1).min(LEAST_GAP).div_ceil(2);
        last + half < self.width
    }

    /// How far from each column the next one would have to be for everything to be shown in full.
    fn wanted_gaps(&self, rows: &[Row]) -> Vec<usize> {
        let last = self.columns.len() - 1;
        let half = |column: usize| self.name_length(column).div_ceil(2);
        let between = (0..last).map(|column| (half(column) + half(column + 1) + 2).max(LEAST_GAP));
        let mut gaps: Vec<usize> = between.chain([half(last) + 1]).collect();
        for row in rows {
            match &row.kind {
                RowKind::Arrow { from, to, label, .. } => {
                    let (from, to) = (self.column(from), self.column(to));
                    if from.abs_diff(to) == 1 {
                        let gap = &mut gaps[from.min(to)];
                        *gap = (*gap).max(label.chars().count() + 6);
                    }
                }
                RowKind::Note { at, text, is_long: false, .. } => {
                    let column = self.column(at);
                    if self.columns[column].is_some() {
                        gaps[column] = gaps[column].max(text.chars().count() + 4);
                    }
                }
                RowKind::Note { .. } | RowKind::Cut { .. } => {}
            }
        }
        gaps
    }

    /// The column of a machine.
    pub(super) fn column(&self, machine: &Machine) -> usize {
        let own = self.columns.iter().position(|column| column.as_ref() == Some(machine));
        own.unwrap_or(self.columns.len() - 1)
    }

    /// The distance to the next column, or to the edge.
    pub(super) fn gap_after(&self, column: usize) -> usize {
        let next = self.centers.get(column + 1).copied().unwrap_or(self.width + 1);
        next.saturating_sub(self.centers[column])
    }

    /// How long a name over this column may be without touching its neighbours'.
    pub(super) fn room_for_name(&self, column: usize) -> usize {
        let half = |column: usize| self.name_length(column).div_ceil(2);
        let mut room = self.name_length(column);
        if column == 0 {
            room = room.min(2 * self.centers[0]);
        }
        if column + 1 == self.columns.len() {
            room = room.min(2 * self.width.saturating_sub(self.centers[column]).saturating_sub(1));
        }
        for left in [column.checked_sub(1), Some(column)].into_iter().flatten() {
            if let Some(next) = self.centers.get(left + 1) {
                let gap = next - self.centers[left];
                if half(left) + half(left + 1) >= gap {
                    room = room.min(gap - 1);
                }
            }
        }
        room
    }

    /// The rows without those that concern the shared column only. Steps that deviate keep a line, if only for that.
    pub(super) fn visible(&self, rows: Vec<Row>) -> Vec<Row> {
        let is_shared = |machine: &Machine| self.columns[self.column(machine)].is_none();
        let mut visible: Vec<Row> = Vec::new();
        // The number of a step goes to its first line that is shown.
        let (mut number, mut deviation) = (None, None);
        let mut without_line = None;
        for mut row in rows {
            if row.step.is_some() {
                visible.extend(without_line.take());
                without_line = row.deviation.is_some().then(|| row.bare());
                (number, deviation) = (row.step, row.deviation.take());
            }
            let is_hidden = match &row.kind {
                RowKind::Arrow { from, to, .. } => is_shared(from) && is_shared(to),
                RowKind::Note { at, is_long, .. } => is_shared(at) && !is_long,
                RowKind::Cut { .. } => false,
            };
            if !is_hidden {
                without_line = None;
                row.step = number.take();
                row.deviation = deviation.take();
                visible.push(row);
            }
        }
        visible.extend(without_line);
        visible
    }

    fn name_length(&self, column: usize) -> usize {
        match &self.columns[column] {
            Some(machine) => machine.to_string().chars().count(),
            None => "others".len(),
        }
    }
}

/// The machines that occur in the rows, the one that acts last first.
fn by_recency(rows: &[Row]) -> Vec<Machine> {
    let mut machines: Vec<Machine> = Vec::new();
    let mut add = |machine: &Machine| {
        if !machines.contains(machine) {
            machines.push(machine.clone());
        }
    };
    for row in rows.iter().rev() {
        match &row.kind {
            RowKind::Arrow { from, to, .. } => {
                add(from);
                add(to);
            }
            RowKind::Note { at, .. } => add(at),
            RowKind::Cut { .. } => {}
        }
    }
    machines
}
