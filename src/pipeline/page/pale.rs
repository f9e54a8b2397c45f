//! Pale ink: pencil and carbon copies can be paler than anything that the recogniser has seen.

use crate::pipeline::ReadCell;

/// The cell that tells how dark the ink of a page is: as many are darker.
const WRITTEN: usize = 7;
/// Contrasts (see [`crate::pipeline::cells::Crop::contrast`]) of pale ink, those of mere paper lying below, and that to which it
/// is darkened.
const PALE: std::ops::Range<u8> = 12..40;
const DARK: f32 = 60.0;

/// By how much the ink of a page's cells is to be darkened; none where it is dark enough, or there is none.
pub(crate) fn gain(cells: &[ReadCell]) -> Option<f32> {
    let mut contrasts: Vec<u8> = cells.iter().map(|cell| cell.crop.contrast).collect();
    contrasts.sort_unstable_by(|a, b| b.cmp(a));
    contrasts.get(WRITTEN).filter(|ink| PALE.contains(ink)).map(|&ink| DARK / f32::from(ink))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Colour;
    use crate::pipeline::cells::Crop;

    fn cells(contrasts: &[u8]) -> Vec<ReadCell> {
        let crop = |&contrast: &u8| Crop { pixels: Vec::new(), ink: 0, span: 0..0, rows: 0..0, contrast };
        let cell = |crop| ReadCell {
            band: 0,
            pair: 0,
            number: 1,
            colour: Colour::White,
            quad: Default::default(),
            crop,
            reading: None,
            doubted: false,
        };
        contrasts.iter().map(crop).map(cell).collect()
    }

    #[test]
    fn only_pale_ink_is_darkened() {
        let page = |written: u8| cells(&[[written; 20], [4; 20]].concat());
        assert_eq!(gain(&page(30)), Some(2.0));
        assert_eq!(gain(&page(90)), None);
        assert_eq!(gain(&page(6)), None, "mere paper");
        assert_eq!(gain(&cells(&[30; 3])), None, "too few to tell");
    }
}
