//! `scoresheet inspect`: pictures of what each stage saw, and packs of cells for training.

use super::{Outcome, load};
use crate::error::{Error, Result};
use crate::game::{Colour, Quad};
use crate::pipeline::cells::{CROP_HEIGHT, CROP_WIDTH, Crop};
use crate::pipeline::photo::ingest::{IngestLimits, Photo, ingest};
use crate::pipeline::recognise::{Recogniser, TractRecogniser};
use crate::pipeline::{ReadCell, ReadPage, Timing, read_page};
use crate::reading::Alphabet;
use crate::unique::unique;
use clap::Args;
use font8x8::UnicodeFonts;
use image::{Rgb, RgbImage};
use std::collections::HashSet;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Show what each stage saw: the page, the grid over the photo, and every cell with its reading.
#[derive(Debug, Args)]
pub struct InspectArgs {
    #[arg(value_name = "PHOTO", required = true)]
    photos: Vec<PathBuf>,
    /// Folder for the pictures.
    #[arg(long, value_name = "DIR", default_value = "inspect")]
    out: PathBuf,
    /// Instead of pictures write the cells of all photos as cells.bin and cells.tsv, for training.
    #[arg(long)]
    pack: bool,
}

pub(super) fn run(args: &InspectArgs) -> Result<Outcome> {
    std::fs::create_dir_all(&args.out).map_err(|cause| write_error(&args.out, cause))?;
    let recogniser = TractRecogniser::embedded()?;
    let mut pack = if args.pack { Some(Pack::create(&args.out)?) } else { None };
    let mut taken = HashSet::new();
    for path in &args.photos {
        let file = load(path)?;
        let photo = ingest(&file.name, &file.bytes, &IngestLimits::default())?;
        let page = match read_page(&photo, &recogniser, &mut Timing::new()) {
            Ok(page) => page,
            Err(error) if args.pack => {
                eprintln!("scoresheet: {error}");
                continue;
            }
            Err(error) => return Err(error),
        };
        if let Some(pack) = &mut pack {
            page.tables().try_for_each(|table| pack.add(table))?;
        } else {
            draw(&photo, &page, recogniser.alphabet(), &args.out.join(stem(&page.file, &mut taken)))?;
        }
        for table in page.tables() {
            println!(
                "{}: {} column pairs of {} rows from move {}, numbers read with evidence {:.1}, {} cells with ink",
                table.file,
                table.grid.pairs.len(),
                table.anchor.rows,
                table.anchor.first_number,
                table.anchor.evidence,
                table.cells.iter().filter(|cell| cell.reading.is_some()).count()
            );
        }
    }
    Ok(Outcome::Read)
}

fn write_error(path: &Path, cause: std::io::Error) -> Error {
    Error::Write { path: path.display().to_string(), cause }
}

fn save(image: &RgbImage, path: &Path) -> Result<()> {
    image.save(path).map_err(|error| write_error(path, std::io::Error::other(error)))
}

/// How the names of a photo's pictures begin; photos of one name in several folders are counted.
fn stem(file: &str, taken: &mut HashSet<String>) -> String {
    let stem = Path::new(file).file_stem().map_or_else(|| "sheet".into(), |stem| stem.to_string_lossy());
    unique(&stem, taken)
}

/// Writes NAME-page.png, NAME-grid.png and NAME-cells.png, of further tables NAME-cells-2.png and so on.
fn draw(photo: &Photo, page: &ReadPage, alphabet: &Alphabet, name: &Path) -> Result<()> {
    let save_as = |image: &RgbImage, what: &str| save(image, Path::new(&format!("{}-{what}.png", name.display())));
    save_as(&colour(&page.page.image), "page")?;
    let mut over = colour(&photo.grey);
    let thick = (photo.grey.width().max(photo.grey.height()) / 1200) as i32;
    for cell in page.all_cells() {
        let ink = match (cell.colour, &cell.reading) {
            (_, None) => Rgb([170, 170, 60]),
            (Colour::White, _) => Rgb([220, 40, 40]),
            (Colour::Black, _) => Rgb([40, 60, 220]),
        };
        outline(&mut over, &cell.quad, ink, thick);
    }
    save_as(&over, "grid")?;
    for (index, table) in page.tables().enumerate() {
        let ending = if index == 0 { String::new() } else { format!("-{}", index + 1) };
        save_as(&contact_sheet(table, alphabet), &format!("cells{ending}"))?;
    }
    Ok(())
}

fn colour(grey: &image::GrayImage) -> RgbImage {
    RgbImage::from_fn(grey.width(), grey.height(), |x, y| Rgb([grey.get_pixel(x, y).0[0]; 3]))
}

fn outline(image: &mut RgbImage, quad: &Quad, ink: Rgb<u8>, thick: i32) {
    for side in 0..4 {
        let ([x0, y0], [x1, y1]) = (quad[side], quad[(side + 1) % 4]);
        let steps = (x1 - x0).abs().max((y1 - y0).abs()).ceil().max(1.0);
        for step in 0..=steps as usize {
            let share = step as f32 / steps;
            let (x, y) = ((x0 + (x1 - x0) * share) as i32, (y0 + (y1 - y0) * share) as i32);
            for (dx, dy) in (-thick..=thick).flat_map(|dx| (-thick..=thick).map(move |dy| (dx, dy))) {
                let (x, y) = (x + dx, y + dy);
                if x >= 0 && y >= 0 && (x as u32) < image.width() && (y as u32) < image.height() {
                    image.put_pixel(x as u32, y as u32, ink);
                }
            }
        }
    }
}

/// Height of a tile of the contact sheet: a crop with a line of text below.
const TILE: u32 = CROP_HEIGHT as u32 + 12;

/// Every cell with its number, reading and confidence, a column of tiles for each column of the form.
fn contact_sheet(page: &ReadPage, alphabet: &Alphabet) -> RgbImage {
    let columns = page.grid.pairs.len() as u32 * 2;
    let mut sheet =
        RgbImage::from_pixel(columns * (CROP_WIDTH as u32 + 4), page.anchor.rows as u32 * TILE, Rgb([225, 225, 225]));
    for cell in &page.cells {
        let column = cell.pair as u32 * 2 + u32::from(cell.colour == Colour::Black);
        let (x0, y0) = (column * (CROP_WIDTH as u32 + 4), (cell.band - page.anchor.first_band) as u32 * TILE);
        for (at, &grey) in cell.crop.pixels.iter().enumerate() {
            sheet.put_pixel(x0 + (at % CROP_WIDTH) as u32, y0 + (at / CROP_WIDTH) as u32, Rgb([grey; 3]));
        }
        let text = match &cell.reading {
            None => format!("{} blank ({})", cell.number, cell.crop.ink),
            Some(reading) => {
                let (text, log_likelihood) = reading.best_path(alphabet);
                format!("{} {text} {:.3}", cell.number, log_likelihood.exp())
            }
        };
        write_text(&mut sheet, x0 + 2, y0 + CROP_HEIGHT as u32 + 2, &text);
    }
    sheet
}

fn write_text(image: &mut RgbImage, x: u32, y: u32, text: &str) {
    for (index, glyph) in text.chars().filter_map(|c| font8x8::BASIC_FONTS.get(c)).enumerate() {
        for (row, bits) in glyph.iter().enumerate() {
            for column in (0..8).filter(|column| bits >> column & 1 == 1) {
                let (x, y) = (x + index as u32 * 8 + column, y + row as u32);
                if x < image.width() && y < image.height() {
                    image.put_pixel(x, y, Rgb([0, 0, 0]));
                }
            }
        }
    }
}

/// Cells for training: `cells.bin` holds 48 x 192 grey bytes a cell, `cells.tsv` says which cell it is.
struct Pack {
    pixels: std::io::BufWriter<std::fs::File>,
    table: std::io::BufWriter<std::fs::File>,
    count: usize,
}

impl Pack {
    fn create(dir: &Path) -> Result<Self> {
        let file = |name: &str| {
            let path = dir.join(name);
            std::fs::File::create(&path).map(std::io::BufWriter::new).map_err(|cause| write_error(&path, cause))
        };
        let mut pack = Self { pixels: file("cells.bin")?, table: file("cells.tsv")?, count: 0 };
        pack.line("index\tpage\tnumber\tcolour\tink")?;
        Ok(pack)
    }

    fn line(&mut self, text: &str) -> Result<()> {
        writeln!(self.table, "{text}").map_err(|cause| write_error(Path::new("cells.tsv"), cause))
    }

    /// The cells of a page, and its printed numbers as cells of the colour `number`.
    fn add(&mut self, page: &ReadPage) -> Result<()> {
        for ReadCell { number, colour, crop, .. } in &page.cells {
            let colour = if *colour == Colour::White { "white" } else { "black" };
            self.cell(&page.file, *number, colour, crop)?;
        }
        for (pair, columns) in page.grid.pairs.iter().enumerate() {
            let Some(numbers) = &columns.numbers else { continue };
            for row in 0..page.anchor.rows {
                let number = page.anchor.first_number + (pair * page.anchor.period + row) as u32;
                let band = &page.grid.bands[page.anchor.first_band + row];
                self.cell(&page.file, number, "number", &Crop::cut(&page.page, band, numbers))?;
            }
        }
        Ok(())
    }

    fn cell(&mut self, page: &str, number: u32, colour: &str, crop: &Crop) -> Result<()> {
        self.line(&format!("{}\t{page}\t{number}\t{colour}\t{}", self.count, crop.ink))?;
        self.pixels.write_all(&crop.pixels).map_err(|cause| write_error(Path::new("cells.bin"), cause))?;
        self.count += 1;
        Ok(())
    }
}
