//! `scoresheet read`: one game from photos, as PGN or JSON.

use super::{Outcome, Runtime, load, print};
use crate::error::{Error, Result};
use crate::game::{Colour, Quad, Status};
use crate::pipeline::photo::apart;
use crate::pipeline::photo::documents::photos;
use crate::pipeline::table::hint::{PageHint, parse_quad};
use crate::pipeline::{PhotoFile, ReadOptions, SheetFiles, read_game};
use clap::Args;
use std::path::PathBuf;

/// Read one game: photos of one sheet (pages in order), or both players' sheets.
#[derive(Debug, Args)]
pub struct ReadArgs {
    /// Photos of one sheet, pages in order.
    #[arg(value_name = "PHOTO", required_unless_present_any = ["white", "black"], conflicts_with_all = ["white", "black"])]
    photos: Vec<PathBuf>,
    /// A page of the sheet that White kept; may be given several times.
    #[arg(long, value_name = "PHOTO")]
    white: Vec<PathBuf>,
    /// A page of the sheet that Black kept; may be given several times.
    #[arg(long, value_name = "PHOTO")]
    black: Vec<PathBuf>,
    /// Print everything that is known about every move as JSON.
    #[arg(long)]
    json: bool,
    /// Language of the piece letters (ISO 639 code such as en, de, fr); found from the sheet if not given.
    #[arg(long, value_name = "CODE")]
    language: Option<String>,
    /// Corners of the rows of moves, clockwise from the upper left, in pixels of the upright photo; for one photo.
    #[arg(long, value_name = "X,Y,X,Y,X,Y,X,Y", value_parser = parse_quad, allow_hyphen_values = true)]
    quad: Option<Quad>,
    /// Rows in each column of moves, written on or not.
    #[arg(long, value_name = "N")]
    rows: Option<usize>,
    /// Pairs of columns (White's and Black's moves) side by side.
    #[arg(long, value_name = "N")]
    columns: Option<usize>,
    /// What runs the neural network.
    #[arg(long, value_enum, default_value = "tract")]
    runtime: Runtime,
}

pub(super) fn run(args: &ReadArgs) -> Result<Outcome> {
    let hint = PageHint { quad: args.quad, rows: args.rows, columns: args.columns };
    hint.check()?;
    if hint.quad.is_some() && args.photos.len() + args.white.len() + args.black.len() > 1 {
        return Err(Error::Usage("--quad says where the table is on one photo: give one photo with it.".to_owned()));
    }
    let sheets: Vec<SheetFiles> =
        [(None, &args.photos), (Some(Colour::White), &args.white), (Some(Colour::Black), &args.black)]
            .into_iter()
            .filter(|(_, paths)| !paths.is_empty())
            .map(|(keeper, paths)| {
                let limits = ReadOptions::default().limits;
                // What is said about a table is said about the whole photo.
                let open = if hint == PageHint::default() { apart::sheets } else { photos };
                let files = paths.iter().map(|path| open(load(path)?, &limits)).collect::<Result<Vec<_>>>()?;
                let pages = files.into_iter().flatten().map(|file| PhotoFile { hint, ..file }).collect();
                Ok(SheetFiles { keeper, pages })
            })
            .collect::<Result<_>>()?;
    let mut options = ReadOptions { tell_sheets_apart: true, ..ReadOptions::default() };
    options.decode.language = super::language(args.language.as_deref())?;
    let recogniser = args.runtime.recogniser()?;
    let game = read_game(&sheets, recogniser.as_ref(), &options)?;
    if args.json {
        let json = serde_json::to_string(&game).map_err(|error| Error::Usage(error.to_string()))?;
        print(&(json + "\n"))?;
    } else {
        game.warnings.iter().for_each(|warning| eprintln!("scoresheet: {warning}"));
        print(&game.pgn)?;
    }
    let clear = game.plies.iter().all(|ply| ply.status == Status::Clear);
    Ok(if clear { Outcome::Read } else { Outcome::ToReview })
}
