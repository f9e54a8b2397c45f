//! What the last layer of a network sees, and that layer: with them a hand can be learned without running the network.

use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// One of the recogniser's two networks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Pass {
    /// The small one, which reads every cell.
    First,
    /// The larger one, for what the first is not sure of.
    Second,
}

/// A time step in which the network is surer than this that nothing stands has no features.
const NOTHING: f32 = 0.99;
/// Features are kept in steps of one in so many.
const UNITS: f32 = 256.0;

/// What the last layer of a network saw in those time steps of a look in which something may stand.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Features {
    pub pass: Pass,
    /// Time steps of the [`Reading`](super::Reading), in order.
    pub steps: Vec<u16>,
    /// A row of equal length for each of them, in 1/256.
    #[serde(with = "packed")]
    values: Vec<i16>,
}

impl Features {
    /// Keeps what is worth keeping of all features of a look, a row for each step of `log_probs`, which has `classes`
    /// values a step. None where nothing stands.
    pub fn keep(pass: Pass, all: &[f32], log_probs: &[f32], classes: usize) -> Option<Self> {
        let width = all.len() * classes / log_probs.len().max(1);
        let shows = |&(_, step): &(usize, &[f32])| step[0] < NOTHING.ln();
        let steps: Vec<u16> =
            log_probs.chunks_exact(classes).enumerate().filter(shows).map(|(t, _)| t as u16).collect();
        let rows = steps.iter().flat_map(|&t| &all[usize::from(t) * width..(usize::from(t) + 1) * width]);
        let values = rows.map(|value| (value * UNITS).round() as i16).collect();
        (!steps.is_empty()).then_some(Self { pass, steps, values })
    }

    /// The same where other time steps come first.
    pub(super) fn later(mut self, steps: usize) -> Self {
        self.steps.iter_mut().for_each(|step| *step += steps as u16);
        self
    }

    /// Number of features of a step.
    pub fn width(&self) -> usize {
        self.values.len() / self.steps.len().max(1)
    }

    /// The features of each step.
    pub fn rows(&self) -> impl Iterator<Item = (usize, Vec<f32>)> {
        let width = self.width();
        let row = move |index: usize| &self.values[index * width..(index + 1) * width];
        let value = |&value: &i16| f32::from(value) / UNITS;
        self.steps.iter().enumerate().map(move |(i, &t)| (usize::from(t), row(i).iter().map(value).collect()))
    }
}

/// A network's last layer: from features to scores, of which the softmax is taken.
#[derive(Debug, Clone, PartialEq)]
pub struct Head {
    /// Number of features.
    pub width: usize,
    pub classes: usize,
    /// Scores are divided by it, as the model's card says.
    pub temperature: f32,
    /// A row for each feature and a last one for the biases, with a value for each class.
    pub weights: Vec<f32>,
}

impl Head {
    /// The last layer of a network that comes with the program.
    pub fn embedded(pass: Pass) -> Option<&'static Self> {
        static HEADS: OnceLock<Vec<Head>> = OnceLock::new();
        let heads = HEADS.get_or_init(|| Self::parse(include_bytes!("../../models/heads.bin")).unwrap_or_default());
        heads.get(pass as usize)
    }

    /// The layers in a file as `models/train/heads.py` writes it.
    pub fn parse(mut bytes: &[u8]) -> Option<Vec<Self>> {
        let mut heads = Vec::new();
        while !bytes.is_empty() {
            let mut whole = || Some(u32::from_le_bytes(*take(&mut bytes, 1)?.first_chunk()?) as usize);
            let (width, classes) = (whole()?, whole()?);
            let mut floats = |count: usize| {
                let float = |four: &[u8]| f32::from_le_bytes([four[0], four[1], four[2], four[3]]);
                Some(take(&mut bytes, count)?.chunks_exact(4).map(float).collect::<Vec<f32>>())
            };
            let temperature = floats(1)?[0];
            heads.push(Self { width, classes, temperature, weights: floats((width + 1).checked_mul(classes)?)? });
        }
        Some(heads)
    }
}

/// Scores of the classes by a last layer's weights, in the order of [`Head::weights`]. Features are often zero.
pub fn score(weights: &[f32], features: &[f32], scores: &mut [f32]) {
    scores.fill(0.0);
    for (row, value) in weights.chunks_exact(scores.len()).zip(features.iter().chain([&1.0])) {
        if *value != 0.0 {
            scores.iter_mut().zip(row).for_each(|(score, weight)| *score += value * weight);
        }
    }
}

/// So many numbers of four bytes off the front.
fn take<'a>(bytes: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (taken, rest) = bytes.split_at_checked(count.checked_mul(4)?)?;
    *bytes = rest;
    Some(taken)
}

/// Numbers of 16 bits as text: base64, the lowest byte first.
mod packed {
    use base64::{Engine, engine::general_purpose::STANDARD};
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(values: &[i16], serializer: S) -> Result<S::Ok, S::Error> {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        serializer.serialize_str(&STANDARD.encode(bytes))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<i16>, D::Error> {
        let bytes = STANDARD.decode(String::deserialize(deserializer)?).map_err(D::Error::custom)?;
        Ok(bytes.chunks_exact(2).map(|pair| i16::from_le_bytes([pair[0], pair[1]])).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::Reading;

    /// A look of two steps, of which the second shows something, at features 1.5 and -2.
    fn look() -> Reading {
        let log_probs: Vec<f32> = [0.995, 0.005, 0.3, 0.7].map(f32::ln).to_vec();
        let features = Features::keep(Pass::Second, &[0.0, 0.0, 1.5, -2.0], &log_probs, 2);
        Reading { features: features.into_iter().collect(), ..Reading::new(log_probs, 2) }
    }

    #[test]
    fn features_are_kept_where_something_stands_and_survive_storage() {
        let both = Reading::of_looks([look(), look()]).unwrap();
        let kept: Vec<_> = both.features.iter().flat_map(Features::rows).collect();
        assert_eq!(kept, [(1, vec![1.5, -2.0]), (3, vec![1.5, -2.0])]);
        let back: Reading = serde_json::from_str(&serde_json::to_string(&both).unwrap()).unwrap();
        assert_eq!(back.features, both.features);
        assert!(Features::keep(Pass::First, &[1.0, 1.0], &[0.0, -9.0], 2).is_none());
    }

    #[test]
    fn a_file_that_is_cut_off_holds_no_layers() {
        let file = include_bytes!("../../models/heads.bin");
        assert_eq!(Head::parse(file).unwrap().iter().map(|head| head.classes).collect::<Vec<_>>(), [62, 62]);
        assert!(Head::parse(&file[..file.len() - 2]).is_none());
    }
}
