//! Tables as charts: a row of dots for each row, on a logarithmic scale, drawn as SVG.

use std::fmt::Write;

use super::cells::Cells;
use super::tables::{Column, Table};

const ROW: f64 = 22.0;
const TOP: f64 = 60.0;
const LEFT: f64 = 170.0;
const WIDTH: f64 = 640.0;
const LEGEND: f64 = 130.0;
/// Colours that people who see few of them can tell apart, after Okabe and Ito, then again with hollow dots.
const COLOURS: [&str; 7] = ["#000000", "#e69f00", "#56b4e9", "#009e73", "#d55e00", "#0072b2", "#cc79a7"];

/// The scale: powers of ten from 1 up to what is needed.
struct Scale {
    decades: u32,
}

impl Scale {
    fn x(&self, value: u64) -> f64 {
        LEFT + (value.max(1) as f64).log10() / f64::from(self.decades) * WIDTH
    }
}

pub(super) fn svg(table: &Table, cells: &Cells) -> String {
    let costs = table.cells().filter_map(|(row, column)| cells.summary(table, row, column));
    let most = costs.map(|summary| summary.cost.unwrap_or(summary.most)).max().unwrap_or(1);
    let scale = Scale { decades: most.max(10).ilog10() + 1 };
    let height = TOP + ROW * table.rows.len() as f64 + 40.0;
    let width = LEFT + WIDTH + LEGEND + 20.0;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n\
         <text x=\"10\" y=\"24\" font-size=\"15\">Table {}: {}</text>\n",
        table.name, table.title
    );
    text.push_str(&axis(&scale, height));
    for (at, row) in table.rows.iter().enumerate() {
        let y = TOP + ROW * (at as f64 + 0.5);
        let _ = writeln!(
            text,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n\
             <line x1=\"{LEFT}\" x2=\"{}\" y1=\"{y}\" y2=\"{y}\" stroke=\"#eeeeee\"/>",
            LEFT - 8.0,
            y + 4.0,
            row.label,
            LEFT + WIDTH
        );
        for (number, column) in table.columns.iter().enumerate() {
            if let Some(summary) = cells.summary(table, row, column) {
                let x = scale.x(summary.cost.unwrap_or(summary.most));
                text.push_str(&mark(x, y, number, summary.cost.is_some()));
            }
        }
    }
    text.push_str(&legend(table.columns));
    text.push_str("</svg>\n");
    text
}

fn axis(scale: &Scale, height: f64) -> String {
    let mut text = String::new();
    for power in 0..=scale.decades {
        let x = scale.x(10_u64.pow(power));
        let bottom = height - 34.0;
        let _ = writeln!(
            text,
            "<line x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{TOP}\" y2=\"{bottom}\" stroke=\"#cccccc\"/>\n\
             <text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">10<tspan dy=\"-5\" font-size=\"9\">{power}</tspan></text>",
            bottom + 18.0
        );
    }
    text
}

/// A dot, or a cross where nothing was found up to there.
fn mark(x: f64, y: f64, number: usize, is_found: bool) -> String {
    let colour = COLOURS[number % COLOURS.len()];
    let fill = if number < COLOURS.len() { colour } else { "#ffffff" };
    if is_found {
        return format!(
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4.5\" fill=\"{fill}\" stroke=\"{colour}\" stroke-width=\"1.5\"/>\n"
        );
    }
    let (left, right, top, bottom) = (x - 4.0, x + 4.0, y - 4.0, y + 4.0);
    format!(
        "<path d=\"M{left:.1} {top:.1} L{right:.1} {bottom:.1} M{left:.1} {bottom:.1} L{right:.1} {top:.1}\" \
         stroke=\"{colour}\" stroke-width=\"1.5\"/>\n"
    )
}

fn legend(columns: &[Column]) -> String {
    let x = LEFT + WIDTH + 25.0;
    let mut text = String::new();
    for (number, column) in columns.iter().enumerate() {
        let y = TOP + 10.0 + 18.0 * number as f64;
        text.push_str(&mark(x, y, number, true));
        let _ = writeln!(text, "<text x=\"{}\" y=\"{}\">{}</text>", x + 10.0, y + 4.0, column.name);
    }
    let y = TOP + 10.0 + 18.0 * columns.len() as f64;
    let _ = writeln!(text, "<text x=\"{}\" y=\"{}\" fill=\"#666666\">×: not found</text>", x - 4.0, y + 4.0);
    text
}
