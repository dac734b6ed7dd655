//! A search over time: a few points, however long it takes.

use std::time::{Duration, Instant};

use fabius_search::Progress;

/// The most points.
const MOST: usize = 20;
/// How far apart the first points are.
const FIRST_INTERVAL: Duration = Duration::from_millis(50);

/// How far a search had come at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in super::super) struct Point {
    pub(in super::super) seconds: f64,
    pub(in super::super) states: u64,
    pub(in super::super) steps: u64,
}

/// Points at equal distances, which double whenever there are too many.
#[derive(Debug)]
pub(super) struct Series {
    start: Instant,
    interval: Duration,
    // Invariant: fewer than `MOST`, later ones behind.
    points: Vec<Point>,
}

impl Series {
    pub(super) fn new() -> Self {
        Self { start: Instant::now(), interval: FIRST_INTERVAL, points: Vec::new() }
    }

    /// Keeps a point if it is time for one.
    pub(super) fn show(&mut self, progress: &Progress) {
        let now = self.start.elapsed();
        if now >= self.interval * (self.points.len() as u32 + 1) {
            self.push(Point { seconds: now.as_secs_f64(), states: progress.states, steps: progress.steps });
        }
    }

    fn push(&mut self, point: Point) {
        self.points.push(point);
        if self.points.len() == MOST {
            let mut position = 0;
            self.points.retain(|_| {
                position += 1;
                position % 2 == 0
            });
            self.interval *= 2;
        }
    }

    /// All points, with the end as the last.
    pub(super) fn finish(mut self, states: u64, steps: u64) -> Vec<Point> {
        let end = Point { seconds: self.start.elapsed().as_secs_f64(), states, steps };
        // Threads that tell their progress late may be ahead of what they were told to have done.
        self.points.retain(|point| point.states <= states && point.steps <= steps);
        self.points.push(end);
        self.points
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST, Point, Series};

    #[test]
    fn there_are_few_points_at_equal_distances() {
        let mut series = Series::new();
        let first = series.interval;
        for step in 1..1000u32 {
            let seconds = f64::from(step) * first.as_secs_f64();
            if seconds >= (series.interval * (series.points.len() as u32 + 1)).as_secs_f64() {
                series.push(Point { seconds, states: step.into(), steps: step.into() });
            }
        }
        let points = series.finish(1000, 1000);
        assert!((MOST / 2..=MOST).contains(&points.len()), "{} points", points.len());
        let distances: Vec<u64> = points.windows(2).map(|pair| pair[1].states - pair[0].states).collect();
        let (last, others) = distances.split_last().expect("there are several points");
        assert!(others.iter().all(|distance| *distance == others[0]), "{distances:?}");
        assert!(*last <= others[0] && points[0].states == others[0], "{distances:?}");
    }
}
