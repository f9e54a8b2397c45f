//! How long each stage takes on one sheet: `cargo bench`.

use divan::{Bencher, black_box};
use scoresheet::decode;
use scoresheet::pipeline::cells::Crop;
use scoresheet::pipeline::numbers::anchor;
use scoresheet::pipeline::page::Page;
use scoresheet::pipeline::photo::ingest::{IngestLimits, Photo, ingest};
use scoresheet::pipeline::recognise::{Recogniser, TractRecogniser};
use scoresheet::pipeline::table::grid::{Grid, Known};
use scoresheet::pipeline::{PhotoFile, ReadOptions, ReadPage, SheetFiles, Timing, numbers, read_game, read_page, rows};

fn main() {
    divan::main();
}

const SHEET: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/samples/long-game.jpg");

fn bytes() -> Vec<u8> {
    std::fs::read(SHEET).expect("the sample is there")
}

fn photo() -> Photo {
    ingest("sheet", &bytes(), &IngestLimits::default()).expect("the sample is a picture")
}

fn recogniser() -> TractRecogniser {
    TractRecogniser::embedded().expect("the model loads")
}

fn whole_page(recogniser: &TractRecogniser) -> ReadPage {
    read_page(&photo(), recogniser, &mut Timing::new()).expect("the sample is a sheet")
}

#[divan::bench]
fn ingest_photo(bencher: Bencher) {
    let bytes = bytes();
    bencher.bench(|| ingest("sheet", black_box(&bytes), &IngestLimits::default()));
}

#[divan::bench]
fn even_page(bencher: Bencher) {
    let photo = photo();
    bencher.bench(|| Page::new(black_box(&photo), 0));
}

#[divan::bench]
fn find_grid(bencher: Bencher) {
    let page = Page::new(&photo(), 0);
    bencher.bench(|| Grid::find(black_box(&page), &Known::default()));
}

#[divan::bench(sample_count = 10)]
fn anchor_rows(bencher: Bencher) {
    let page = Page::new(&photo(), 0);
    let mut grid = Grid::find(&page, &Known::default()).expect("the sample has a table");
    let recogniser = recogniser();
    numbers::settle(&page, &mut grid, false, &recogniser).expect("the model runs");
    bencher.bench(|| anchor::anchor(black_box(&page), &grid, None, true, &recogniser));
}

#[divan::bench]
fn cut_cell(bencher: Bencher) {
    let page = Page::new(&photo(), 0);
    let grid = Grid::find(&page, &Known::default()).expect("the sample has a table");
    bencher.bench(|| Crop::cut(black_box(&page), &grid.bands[3], &grid.pairs[0].white));
}

#[divan::bench]
fn load_model() -> TractRecogniser {
    recogniser()
}

#[divan::bench]
fn recognise_cell(bencher: Bencher) {
    let recogniser = recogniser();
    let page = whole_page(&recogniser);
    bencher.bench(|| recogniser.read(&[black_box(&page.cells[0].crop)]));
}

#[divan::bench(sample_count = 10)]
fn decode_game(bencher: Bencher) {
    let recogniser = recogniser();
    let rows = rows(&[vec![whole_page(&recogniser)]]);
    bencher.bench(|| decode::decode(black_box(&rows), recogniser.alphabet(), &decode::Options::default()));
}

#[divan::bench(sample_count = 10)]
fn whole_sheet(bencher: Bencher) {
    let recogniser = recogniser();
    let file = PhotoFile::new("sheet", bytes());
    let sheets = [SheetFiles { keeper: None, pages: vec![file] }];
    bencher.bench(|| read_game(black_box(&sheets), &recogniser, &ReadOptions::default()));
}
