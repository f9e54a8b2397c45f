//! Pages without what is ruled on them: lines and squares on which one writes.
//!
//! Ruling that is paler than the ink is told by its tone, however the paper bends. Where pencil is as pale, what is long, thin and
//! straight is taken away. Of the two ways the one is likelier that leaves whole letters.

use super::erased::{erased, lighter};
use super::words::Writing;
use crate::pipeline::page::Page;
use crate::pipeline::page::shapes::far_shares;

/// Darkness (of 255) from which a pixel is ink where no ruling is darker, and where ink is pale; of the palest ruling that is
/// looked for, and of the darkest that can be told from ink.
const INK: u8 = 70;
const PALEST_INK: u8 = 40;
const PALEST: u8 = 30;
const DARKEST_RULING: u8 = 160;
const STEP: u8 = 10;
/// Share of the ink that hangs together over the page up to which it is no ruling, and the share of the page's longer side
/// over which only ruling reaches.
const RULED: f32 = 0.2;
pub(super) const FAR: f32 = 0.12;
/// How much darker than ruling ink is at least.
const CLEAR_OF_RULING: u8 = 15;
/// Darkness, as a share of that of the ruling, from which a pixel belongs to a line or a stroke.
const DARK: f32 = 0.6;
/// Share of the strokes that is clear of the ruling, if the ink is the darker one: of their pixels many lie at their edges.
const DARKER: f32 = 0.45;
/// How much higher letters become at least where pieces of strokes become whole, and how many more there are at most of them where
/// there are some.
const WHOLE: f32 = 1.06;
const GRAIN: f32 = 2.5;
/// How much lower letters are, if that, where they are broken into pieces; and the letters of a short game.
const BROKEN: f32 = 0.75;
const A_GAME: usize = 50;
/// How many times as many pieces as letters are more than strokes fall into.
const MOST_PIECES: usize = 4;

/// A page without its ruling.
#[derive(Clone)]
pub(crate) struct Unruled {
    pub(super) page: Page,
    /// The darkness from which a pixel is ink.
    pub(super) ink: u8,
}

/// A page without its ruling as either way to take it away leaves it.
pub(crate) struct Ways {
    pub likely: Unruled,
    /// None where there is no ruling.
    pub other: Option<Unruled>,
}

impl Ways {
    pub fn new(page: &Page) -> Self {
        let Some(clear) = ruling(page).map(|ruling| ruling + STEP).filter(|&clear| clear < DARKEST_RULING) else {
            return Self { likely: Unruled { page: page.clone(), ink: ink(page) }, other: None };
        };
        let dark = (DARK * f32::from(clear)) as u8;
        let erased = Unruled { page: erased(page, dark), ink: dark };
        let lightened = Unruled { page: lightened(page, clear), ink: INK.max(clear + CLEAR_OF_RULING) };
        let is_darker = darker(&erased.page, clear + CLEAR_OF_RULING) >= DARKER * darker(&erased.page, dark);
        // Strokes that are hardly darker than the ruling fall into pieces with it; bits of lines that are erased badly, and the
        // grain of what is none, are low too.
        let written = [&erased, &lightened].map(|way| Writing::new(way.clone()));
        let [(erasing, pieces), (lightening, letters)] = written.map(|writing| match writing {
            Some(writing) => (writing.height, writing.letters.len()),
            None => (0.0, 0),
        });
        let is_broken = lightening < BROKEN * erasing;
        let is_grain = letters >= A_GAME
            && (erasing < BROKEN * lightening || (erasing <= lightening && pieces > MOST_PIECES * letters));
        let [likely, other] =
            if !is_broken && (is_darker || is_grain) { [lightened, erased] } else { [erased, lightened] };
        Self { likely, other: Some(other) }
    }
}

impl Unruled {
    /// As the likelier way leaves it.
    pub(crate) fn new(page: &Page) -> Self {
        Ways::new(page).likely
    }

    /// The same page turned clockwise.
    pub(crate) fn turned(&self, quarter_turns: u8) -> Self {
        Self { page: self.page.turned(quarter_turns), ink: self.ink }
    }
}

/// The darkness from which a pixel of a page without ruling is ink. Pale strokes fall into pieces unless what is paler counts too;
/// where that makes whole letters of them, only these and not the grain of the paper become more.
fn ink(page: &Page) -> u8 {
    let written = |ink: u8| {
        let writing = Writing::on_paper(Unruled { page: page.clone(), ink });
        writing.map_or((0.0, 0.0), |writing| (writing.height, writing.letters.len() as f32))
    };
    let mut ink = INK;
    let (mut height, mut letters) = written(ink);
    while ink > PALEST_INK {
        let (higher, more) = written(ink - STEP);
        if higher < WHOLE * height || (letters >= A_GAME as f32 && more > GRAIN * letters) {
            break;
        }
        (ink, height, letters) = (ink - STEP, higher, more);
    }
    ink
}

/// The share of the pixels that is darker than so much.
fn darker(page: &Page, than: u8) -> f32 {
    let (darkness, _) = middle(page);
    darkness.iter().filter(|&&dark| dark > than).count() as f32 / darkness.len().max(1) as f32
}

/// The darkness of the middle of a page, and its width: what lies around the paper says nothing.
fn middle(page: &Page) -> (Vec<u8>, usize) {
    let (width, height) = (page.image.width() as usize, page.image.height() as usize);
    let (across, down) = (width / 6..width - width / 6, height / 6..height - height / 6);
    let rows = down.map(|y| &page.image.as_raw()[y * width..][across.clone()]);
    (rows.flatten().map(|&pixel| 255 - pixel).collect(), across.len())
}

/// How dark the ruling of a page is; none where it has none that is paler than ink.
fn ruling(page: &Page) -> Option<u8> {
    let far = (FAR * page.image.width().max(page.image.height()) as f32) as usize;
    let (darkness, width) = middle(page);
    let steps: Vec<u8> = (PALEST..DARKEST_RULING).step_by(usize::from(STEP)).collect();
    let shares = far_shares(&darkness, width, &steps, far);
    steps.into_iter().zip(shares).take_while(|(_, share)| *share > RULED).map(|(step, _)| step).last()
}

/// The page with everything up to a darkness made white, and what is darker the less so the darker it is.
fn lightened(page: &Page, darkness: u8) -> Page {
    page.toned(|grey| lighter(255.0 - grey, f32::from(darkness)))
}

#[cfg(test)]
mod tests {
    use super::super::words::Writing;
    use super::super::words::tests::squared;
    use super::*;
    use image::Luma;

    #[test]
    fn a_page_has_the_same_ruling_whichever_way_up() {
        let letters: Vec<[u32; 2]> = (0..12).map(|row| [200, 205 + 60 * row]).collect();
        let page = squared(60, &letters);
        let unruled = Unruled::new(&page);
        assert!(unruled.page.image != page.image, "there is ruling to take away");
        let (turned, of_turned) = (unruled.turned(1), Unruled::new(&page.turned(1)));
        assert!(turned.page.image == of_turned.page.image && turned.ink == of_turned.ink);
    }

    #[test]
    fn ruling_is_taken_away_in_two_ways() {
        let letters: Vec<[u32; 2]> = (0..12).map(|row| [200, 205 + 60 * row]).collect();
        let page = squared(60, &letters);
        let Ways { likely, other } = Ways::new(&page);
        let other = other.unwrap();
        let is_line = |unruled: &Unruled| unruled.page.image.get_pixel(300, 240).0[0] < 240;
        assert!(!is_line(&likely) && !is_line(&other), "both are without the lines");
        assert!(likely.page.image != other.page.image);
        assert!(Ways::new(&squared(0, &letters)).other.is_none(), "there are no lines");
    }

    #[test]
    fn pencil_may_be_as_pale_as_the_squares() {
        // Strokes of three pixels as dark as the ruling, some across its lines.
        let mut page = squared(75, &[]);
        let strokes: Vec<[u32; 2]> = (0..30).map(|at| [95 + 120 * (at % 6), 225 + 120 * (at / 6)]).collect();
        for &[left, top] in &strokes {
            for (down, x) in (0..30).flat_map(|down| (0..3).map(move |x| (down, x))) {
                page.image.put_pixel(left + x + down / 3, top + down, Luma([165]));
            }
        }
        let unruled = Unruled::new(&page);
        assert!(unruled.page.image.get_pixel(140, 200).0[0] > 240, "the ruling is white");
        let writing = Writing::new(unruled).unwrap();
        assert_eq!(writing.letters.len(), strokes.len());
        assert!((writing.height - 30.0).abs() < 3.0, "{}", writing.height);
    }

    #[test]
    fn paper_with_much_grain_is_lightened() {
        // Letters that are no darker than twice the ruling, and ten times as many bits of grain as dark as that.
        let letters: Vec<[u32; 2]> = (0..60).map(|at| [210 + 80 * (at % 6), 210 + 80 * (at / 6)]).collect();
        let mut page = squared(60, &letters);
        for (left, top) in (0..25).flat_map(|x| (0..28).map(move |y| (5 + 32 * x, 46 + 40 * y))) {
            let is_paper = |&(x, y): &(u32, u32)| page.image.get_pixel(x, y).0[0] > 240;
            let bit = (0..12).flat_map(|x| (0..24).map(move |y| (left + x, top + y)));
            let bit: Vec<(u32, u32)> = bit.filter(is_paper).collect();
            bit.into_iter().for_each(|(x, y)| page.image.put_pixel(x, y, Luma([195])));
        }
        let writing = Writing::new(Unruled::new(&page)).unwrap();
        assert_eq!(writing.letters.len(), letters.len());
    }

    #[test]
    fn what_is_paler_than_usual_ink_makes_pale_strokes_whole() {
        // Strokes of three by thirty pixels that are paler in their middle, or specks of that tone.
        let drawn = |middle: u8, speck: u8| {
            let mut page = squared(0, &[]);
            for [left, top] in (0..60).map(|at| [95 + 70 * (at % 10), 225 + 120 * (at / 10)]) {
                for (down, x) in (0..30).flat_map(|down| (0..3).map(move |x| (down, x))) {
                    let dark = if (12..18).contains(&down) { middle } else { 100 };
                    page.image.put_pixel(left + x, top + down, Luma([255 - dark]));
                }
                for (x, y) in (30..42).flat_map(|x| (60..72).map(move |y| (left + x, top + y))) {
                    page.image.put_pixel(x, y, Luma([255 - speck]));
                }
            }
            Unruled::new(&page).ink
        };
        assert_eq!(drawn(100, 0), INK);
        assert_eq!(drawn(64, 0), INK - STEP);
        assert_eq!(drawn(100, 64), INK, "specks make letters no higher");
    }
}
