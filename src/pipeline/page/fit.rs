//! Smooth fields over a page, fitted to samples.

/// Number of terms of a smooth field over a page.
pub(crate) const TERMS: usize = 8;

/// The ridge of such a field (see [`least_squares`]).
pub(crate) const RIDGE: f64 = 0.005;

/// The terms of a field at a place given in shares of the page, -1 to 1.
pub(crate) fn terms(x: f32, y: f32) -> [f32; TERMS] {
    [1.0, x, y, x * y, x * x, y * y, x * x * y, x * x * x]
}

/// The value of a field at the terms of a place.
pub(crate) fn dot(a: &[f32; TERMS], b: &[f32; TERMS]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The value with half of the weight on either side, of (value, weight).
pub(crate) fn weighted_median(mut pairs: Vec<(f32, f32)>) -> f32 {
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let half = pairs.iter().map(|p| p.1).sum::<f32>() / 2.0;
    let mut sum = 0.0;
    for &(value, weight) in &pairs {
        sum += weight;
        if sum >= half {
            return value;
        }
    }
    0.0
}

/// Weighted least squares by the normal equations, with a ridge (in shares of the weights) that keeps unneeded curvature at
/// zero. The samples are terms, value and weight.
pub(crate) fn least_squares<const N: usize>(
    samples: impl Iterator<Item = ([f32; N], f32, f32)>,
    ridge: f64,
) -> [f32; N] {
    let (mut matrix, mut values) = ([[0f64; N]; N], [0f64; N]);
    let mut total = 0f64;
    for (terms, value, weight) in samples {
        total += f64::from(weight);
        for i in 0..N {
            for j in 0..N {
                matrix[i][j] += f64::from(weight * terms[i] * terms[j]);
            }
            values[i] += f64::from(weight * terms[i] * value);
        }
    }
    for (i, row) in matrix.iter_mut().enumerate().skip(1) {
        row[i] += ridge * total;
    }
    // Gauss-Jordan; the ridge makes the matrix positive definite, so no pivot is zero.
    for i in 0..N {
        let pivot = matrix[i][i].max(1e-12);
        let row = matrix[i].map(|v| v / pivot);
        (matrix[i], values[i]) = (row, values[i] / pivot);
        for j in (0..N).filter(|&j| j != i) {
            let factor = matrix[j][i];
            matrix[j].iter_mut().zip(&row).for_each(|(other, own)| *other -= factor * own);
            values[j] -= factor * values[i];
        }
    }
    values.map(|value| value as f32)
}
