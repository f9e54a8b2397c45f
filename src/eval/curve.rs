//! What a person must look at against what slips by, for other thresholds of a clear ply than the model's own.

use crate::game::{Ply, Status};
use serde::Serialize;

/// The thresholds at which the curve is measured.
const THRESHOLDS: [f32; 12] = [0.5, 0.8, 0.9, 0.93, 0.95, 0.96, 0.97, 0.98, 0.985, 0.99, 0.995, 0.999];

/// One point of the curve.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Point {
    /// Least confidence of a clear ply.
    pub clear: f32,
    /// Share of plies that are not clear.
    pub interruption: f64,
    /// Plies that are clear and wrong, per thousand.
    pub false_clear_per_1000: f64,
}

/// Counts of plies that would be clear, and of those that are wrong, by threshold.
#[derive(Debug, Default)]
pub struct Curve {
    clear: [usize; THRESHOLDS.len()],
    wrong: [usize; THRESHOLDS.len()],
}

impl Curve {
    /// Counts a ply whose move is known.
    pub fn add(&mut self, ply: &Ply, is_right: bool) {
        if !matches!(ply.status, Status::Clear | Status::Doubtful) {
            return;
        }
        for (i, _) in THRESHOLDS.iter().enumerate().filter(|(_, threshold)| ply.confidence >= **threshold) {
            self.clear[i] += 1;
            self.wrong[i] += usize::from(!is_right);
        }
    }

    /// The points, given how many plies there are in all.
    pub fn points(&self, plies: usize) -> Vec<Point> {
        let share = |part: usize| part as f64 / plies.max(1) as f64;
        let point = |i: usize| Point {
            clear: THRESHOLDS[i],
            interruption: super::round(1.0 - share(self.clear[i]), 4),
            false_clear_per_1000: super::round(1000.0 * share(self.wrong[i]), 2),
        };
        (0..THRESHOLDS.len()).map(point).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_higher_threshold_asks_more_and_lets_less_by() {
        let ply = |confidence: f32, status: &str| {
            let text = format!(
                r#"{{"ply":1,"number":1,"colour":"white","san":"e4","uci":"e2e4","confidence":{confidence},
                "status":"{status}","reason":null,"written":[],"candidates":[],"clock":null,"draw_offer":false,"nag":null}}"#
            );
            serde_json::from_str::<Ply>(&text).unwrap()
        };
        let mut curve = Curve::default();
        curve.add(&ply(0.992, "clear"), true);
        curve.add(&ply(0.955, "doubtful"), false);
        curve.add(&ply(0.999, "repaired"), false);
        let points = curve.points(4);
        let at = |clear: f32| points.iter().find(|p| p.clear == clear).unwrap();
        assert_eq!((at(0.95).interruption, at(0.95).false_clear_per_1000), (0.5, 250.0));
        assert_eq!((at(0.99).interruption, at(0.99).false_clear_per_1000), (0.75, 0.0));
        assert_eq!((at(0.999).interruption, at(0.999).false_clear_per_1000), (1.0, 0.0));
    }
}
