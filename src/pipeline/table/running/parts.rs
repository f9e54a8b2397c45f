//! What may be one number or move: signs of a line that stand closer to each other than to the rest.

use super::lines::{Line, Sign};

/// Width of a move at most, and gap within it, in heights of a letter.
const WIDEST: f32 = 9.0;
const WIDEST_GAP: f32 = 1.6;
/// How much wider than the gaps beside it a gap within a part may be: so many times, and so many heights of a letter more.
const UNEVEN: f32 = 1.3;
const MORE: f32 = 0.1;

/// Signs that follow each other in one line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Part {
    pub line: usize,
    /// The first one, counted over all lines, and the one behind the last.
    pub first: usize,
    pub end: usize,
    pub left: f32,
    pub right: f32,
    pub y: f32,
    /// The paper at its left and right up to the next sign, in pixels.
    pub gaps: [f32; 2],
}

/// The parts that some lines may have.
pub(super) fn parts(lines: &[Line], height: f32) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut before = 0;
    for (index, Line { signs: line, .. }) in lines.iter().enumerate() {
        // The gap before each sign, and the one behind the last.
        let between = line.windows(2).map(|two| (two[1].left - two[0].right).max(0.0));
        let gaps: Vec<f32> = std::iter::once(f32::INFINITY).chain(between).chain([f32::INFINITY]).collect();
        for first in 0..line.len() {
            for end in first + 1..=line.len() {
                let inner = gaps[first + 1..end].iter().copied().fold(0.0, f32::max);
                if line[end - 1].right - line[first].left > WIDEST * height || inner > WIDEST_GAP * height {
                    break;
                }
                if inner <= UNEVEN * gaps[first].min(gaps[end]) + MORE * height {
                    parts.push(Part { line: index, ..part(line, before, first..end, [gaps[first], gaps[end]]) });
                }
            }
        }
        before += line.len();
    }
    parts
}

fn part(line: &[Sign], before: usize, signs: std::ops::Range<usize>, gaps: [f32; 2]) -> Part {
    let (first, last) = (line[signs.start], line[signs.end - 1]);
    Part {
        line: 0,
        first: before + signs.start,
        end: before + signs.end,
        left: first.left,
        right: last.right,
        y: (first.y + last.y) / 2.0,
        gaps,
    }
}

/// A part cut in two behind so great a share of its width, at the gap nearest to it; none where it is one stroke.
pub(super) fn parted(part: &Part, signs: &[Sign], share: f32) -> Option<[Part; 2]> {
    let at = part.left + share * (part.right - part.left);
    let off = |next: usize| ((signs[next - 1].right + signs[next].left) / 2.0 - at).abs();
    let next = (part.first + 1..part.end).min_by(|&a, &b| off(a).total_cmp(&off(b)))?;
    let gap = (signs[next].left - signs[next - 1].right).max(0.0);
    let left = Part { end: next, right: signs[next - 1].right, gaps: [part.gaps[0], gap], ..*part };
    let right = Part { first: next, left: signs[next].left, gaps: [gap, part.gaps[1]], ..*part };
    Some([left, right])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Signs that are each 10 pixels wide, with gaps of the given widths between them.
    fn signs(gaps: &[f32]) -> Vec<Sign> {
        let mut left = 100.0;
        let mut signs = vec![Sign { left, right: left + 10.0, y: 50.0 }];
        for gap in gaps {
            left += 10.0 + gap;
            signs.push(Sign { left, right: left + 10.0, y: 50.0 });
        }
        signs
    }

    #[test]
    fn words_are_parts_and_signs_across_a_gap_are_not() {
        // A number, and two moves of two and of three signs.
        let line = Line { signs: signs(&[10.0, 4.0, 20.0, 4.0, 5.0]), letters: Vec::new() };
        let parts = parts(&[line], 20.0);
        let found: Vec<(usize, usize)> = parts.iter().map(|part| (part.first, part.end)).collect();
        for word in [(0, 1), (1, 3), (3, 6), (0, 3)] {
            assert!(found.contains(&word), "{word:?} {found:?}");
        }
        assert!(!found.contains(&(2, 4)) && !found.contains(&(0, 2)), "{found:?}");
    }

    #[test]
    fn a_part_is_cut_at_the_gap_nearest_to_a_place() {
        let signs = signs(&[3.0, 3.0, 3.0]);
        let part = part(&signs, 0, 0..4, [f32::INFINITY; 2]);
        let [number, rest] = parted(&part, &signs, 0.3).unwrap();
        assert_eq!((number.end, rest.first, rest.end), (1, 1, 4));
        assert_eq!((number.right, rest.left), (110.0, 113.0));
        assert!(parted(&number, &signs, 0.5).is_none());
    }
}
