//! The result as the form asks for it: below the table one of three boxes ticked, one of three words or numbers circled,
//! or written by hand; above the table written by hand among other writing.

use super::WrittenResult;
use super::answer;
use super::choice::{choice, named};
use super::outside::{self, Side};
use crate::error::Result;
use crate::pipeline::ReadPage;
use crate::pipeline::recognise::Recogniser;

/// How often a mark is what was meant.
const SURE: f32 = 0.97;

/// The result that is marked or written below the table, or else written above it.
///
/// # Errors
/// As [`Recogniser::read`].
pub(crate) fn find(read: &ReadPage, recogniser: &dyn Recogniser) -> Result<Option<WrittenResult>> {
    for side in [Side::Below, Side::Above] {
        let Some(strip) = outside::strip(read, side) else { continue };
        let choice = if side == Side::Below { strip.views.iter().find_map(choice) } else { None };
        let told = match choice {
            Some(choice) => named(&choice).map(|result| (result, SURE, choice.mark)),
            None => answer::written(read, &strip, side, recogniser)?,
        };
        if let Some((result, confidence, [left, top, right, bottom])) = told {
            let corner = |u: usize, v: usize| read.page.to_photo(strip.to_page(u, v));
            let quad = [corner(left, top), corner(right, top), corner(right, bottom), corner(left, bottom)];
            let result = result.to_owned();
            return Ok(Some(WrittenResult { sheet: 0, page: 0, number: None, result, confidence, quad }));
        }
    }
    Ok(None)
}
