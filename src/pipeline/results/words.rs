//! Words of print and writing outside the table: letters that stand beside each other.

use crate::pipeline::page::shapes::{Mask, Place, Shape, joined};

/// Gap within a word or number, in heights of its letters.
const GAP: f32 = 2.0;
/// Smaller shapes are dust, in pixels.
const DUST: usize = 4;

/// Boxes of the shapes of a picture that are wanted, dust left out.
pub(crate) fn letters(ink: &Mask, wanted: impl Fn(&Shape) -> bool) -> Vec<Place> {
    let mut found: Vec<Place> = ink
        .strokes()
        .iter()
        .map(|(shape, _)| shape)
        .filter(|shape| shape.area >= DUST && wanted(shape))
        .map(Shape::place)
        .collect();
    found.sort_unstable();
    found
}

/// Letters, from left to right, put together to words, groups of words and numbers. Dots and dashes are lower than
/// letters, and no words.
pub(crate) fn words(letters: &[Place]) -> Vec<Place> {
    let mut heights: Vec<usize> = letters.iter().map(|letter| letter[3] - letter[1]).collect();
    heights.sort_unstable();
    let Some(&height) = heights.get(heights.len() * 3 / 4) else { return Vec::new() };
    let mut words: Vec<Place> = Vec::new();
    for &letter in letters {
        match words.last_mut() {
            Some(word) if letter[0] as f32 - (word[2] as f32) < GAP * height as f32 => *word = joined(*word, letter),
            _ => words.push(letter),
        }
    }
    words.retain(|word| 2 * (word[3] - word[1]) >= height && word[2] - word[0] >= height / 2);
    words
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A line of words, given by their places along it and the widths of their letters.
    pub fn line(words: &[(usize, usize)]) -> Vec<Place> {
        words.iter().flat_map(|&(left, width)| (left..left + width).step_by(12).map(|x| [x, 20, x + 9, 34])).collect()
    }

    #[test]
    fn letters_become_words() {
        let words = words(&line(&[(10, 60), (160, 48), (300, 36)]));
        assert_eq!(words, [[10, 20, 67, 34], [160, 20, 205, 34], [300, 20, 333, 34]]);
    }
}
