//! Fitting of the confidence model on games whose moves are known.
//!
//! Logistic regression with a ridge penalty by Newton's method (Hastie, Tibshirani, Friedman, "The Elements of
//! Statistical Learning", section 4.4.1).

use super::dataset::{Case, Dataset};
use super::plain;
use crate::decode::{ConfidenceModel, INPUTS, decode};
use crate::error::Result;
use crate::pipeline::ReadOptions;
use crate::pipeline::recognise::Recogniser;
use std::collections::BTreeMap;

/// Constant and inputs.
const TERMS: usize = INPUTS + 1;
/// Weight of the penalty on squared weights, in plies.
const RIDGE: f64 = 1.0;
/// Newton steps; a handful suffices.
const STEPS: usize = 30;

/// Plies with their signs and whether they are right.
#[derive(Debug, Default)]
pub struct Sample {
    plies: Vec<([f64; INPUTS], bool)>,
}

impl Sample {
    /// Decodes all cases of a data set and compares with the moves played. Sheets that are not read are left out.
    ///
    /// # Errors
    /// Those of kept inks, see [`Dataset::keep_inks`].
    pub fn add(&mut self, dataset: &Dataset, recogniser: &dyn Recogniser, options: &ReadOptions) -> Result<()> {
        for case in &dataset.cases {
            if let Ok(ink) = dataset.ink(case, recogniser, options) {
                let mut decoding = options.decode.clone();
                decoding.keepers = ink.sheets.iter().map(|sheet| sheet.keeper).collect();
                if let Ok(decoded) = decode(&ink.rows, &ink.alphabet, &decoding) {
                    self.add_game(case, &decoded);
                }
            }
        }
        Ok(())
    }

    fn add_game(&mut self, case: &Case, decoded: &crate::decode::Decoded) {
        // Of several plies at one place the last one counts, as when figures are taken.
        let plies = decoded.plies.iter().zip(&decoded.signs);
        let last: BTreeMap<_, _> = plies.map(|(ply, signs)| ((ply.number, ply.colour), (ply, signs))).collect();
        for (place, san) in &case.played {
            let (Some(san), Some((ply, Some(signs)))) = (san, last.get(place)) else { continue };
            let right = plain(ply.san.as_deref().unwrap_or_default()) == plain(san);
            self.plies.push((signs.inputs(), right));
        }
    }

    /// The likeliest model, and as its least probability of a clear ply the one at which `false_clear` of all plies are
    /// clear and wrong.
    pub fn fit(&self, false_clear: f64) -> ConfidenceModel {
        let mut beta = [0.0; TERMS];
        for _ in 0..STEPS {
            let step = self.newton_step(&beta);
            beta.iter_mut().zip(step).for_each(|(b, s)| *b += s);
        }
        let mut model = ConfidenceModel { weights: beta[..INPUTS].to_vec(), constant: beta[INPUTS], clear: 1.0 };
        let mut sure: Vec<(f64, bool)> =
            self.plies.iter().map(|(inputs, right)| (probability(&beta, inputs), *right)).collect();
        sure.sort_by(|a, b| b.0.total_cmp(&a.0));
        let budget = (false_clear * sure.len() as f64) as usize;
        let cut = sure.iter().scan(0, |wrong, (p, right)| {
            *wrong += usize::from(!right);
            (*wrong <= budget).then_some(*p)
        });
        model.clear = cut.last().map_or(1.0, |p| p as f32);
        model
    }

    fn newton_step(&self, beta: &[f64; TERMS]) -> [f64; TERMS] {
        let mut gradient = [0.0; TERMS];
        let mut hessian = [[0.0; TERMS]; TERMS];
        for (i, (row, &weight)) in hessian.iter_mut().zip(beta).enumerate() {
            let ridge = if i < INPUTS { RIDGE } else { 1e-6 };
            row[i] = ridge;
            gradient[i] = -ridge * weight;
        }
        for (inputs, right) in &self.plies {
            let p = probability(beta, inputs);
            let terms: [f64; TERMS] = std::array::from_fn(|i| inputs.get(i).copied().unwrap_or(1.0));
            let error = f64::from(u8::from(*right)) - p;
            for i in 0..TERMS {
                gradient[i] += error * terms[i];
                for j in 0..TERMS {
                    hessian[i][j] += p * (1.0 - p) * terms[i] * terms[j];
                }
            }
        }
        solve(hessian, gradient)
    }
}

fn probability(beta: &[f64; TERMS], inputs: &[f64; INPUTS]) -> f64 {
    let sum: f64 = beta.iter().zip(inputs).map(|(b, x)| b * x).sum();
    1.0 / (1.0 + (-sum - beta[INPUTS]).exp())
}

/// Solves `a x = b` for a positive definite matrix by elimination.
fn solve(mut a: [[f64; TERMS]; TERMS], mut b: [f64; TERMS]) -> [f64; TERMS] {
    for i in 0..TERMS {
        for j in i + 1..TERMS {
            let factor = a[j][i] / a[i][i];
            let pivot = a[i];
            a[j].iter_mut().zip(pivot).skip(i).for_each(|(x, p)| *x -= factor * p);
            b[j] -= factor * b[i];
        }
    }
    let mut x = [0.0; TERMS];
    for i in (0..TERMS).rev() {
        let known: f64 = (i + 1..TERMS).map(|j| a[i][j] * x[j]).sum();
        x[i] = (b[i] - known) / a[i][i];
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fit_finds_the_share_that_is_right_and_the_sign_that_tells() {
        let mut sample = Sample::default();
        for i in 0..1000usize {
            let mut inputs = [0.0; INPUTS];
            inputs[2] = if i % 2 == 0 { 1.0 } else { -1.0 };
            // 95 of 100 are right with the sign, half without it.
            let right = if i % 2 == 0 { i % 40 != 0 } else { i % 4 == 1 };
            sample.plies.push((inputs, right));
        }
        let model = sample.fit(0.3);
        let sign = |value: f64| {
            let sum = model.constant + model.weights[2] * value;
            1.0 / (1.0 + (-sum).exp())
        };
        assert!((sign(1.0) - 0.95f64).abs() < 0.01 && (sign(-1.0) - 0.5f64).abs() < 0.01, "{model:?}");
        assert!(model.clear > 0.45 && model.clear < 0.96);
    }
}
