//! Smooth fields over a page, fitted to samples.

/// Number of terms of a smooth field over a page.
pub(crate) const TERMS: usize = 8;

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

/// Weighted least squares by the normal equations, with a ridge that keeps unneeded curvature at zero.
pub(crate) fn least_squares(samples: impl Iterator<Item = ([f32; TERMS], f32, f32)>) -> [f32; TERMS] {
    let mut matrix = [[0f64; TERMS + 1]; TERMS];
    let mut total = 0f64;
    for (terms, value, weight) in samples {
        total += f64::from(weight);
        for i in 0..TERMS {
            for j in 0..TERMS {
                matrix[i][j] += f64::from(weight * terms[i] * terms[j]);
            }
            matrix[i][TERMS] += f64::from(weight * terms[i] * value);
        }
    }
    for (i, row) in matrix.iter_mut().enumerate().skip(1) {
        row[i] += 0.005 * total;
    }
    // Gauss-Jordan; the ridge makes the matrix positive definite, so no pivot is zero.
    for i in 0..TERMS {
        let pivot = matrix[i][i].max(1e-12);
        let row = matrix[i].map(|v| v / pivot);
        matrix[i] = row;
        for (j, other) in matrix.iter_mut().enumerate() {
            if j != i {
                let factor = other[i];
                for (o, r) in other.iter_mut().zip(&row) {
                    *o -= factor * r;
                }
            }
        }
    }
    std::array::from_fn(|i| matrix[i][TERMS] as f32)
}
