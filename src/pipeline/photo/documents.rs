//! Files that hold several photos: PDF files of scans, and TIFF files of several pages (see tiff.rs).
//!
//! A scanner's PDF holds one picture a page. It is taken out as it is, so it keeps the scan's own resolution; nothing is
//! rendered.

use super::ingest::IngestLimits;
use crate::error::{Error, Result};
use crate::pipeline::{PhotoFile, photo::tiff};

/// The photos in a file: the pages of a PDF or TIFF, or the file itself.
///
/// # Errors
/// [`Error::Pdf`] for a PDF without scans, [`Error::Damaged`] for one that is cut short, [`Error::TooLarge`] where a limit is passed, and
/// as [`super::ingest::ingest`] for the pages of a TIFF.
pub fn photos(file: PhotoFile, limits: &IngestLimits) -> Result<Vec<PhotoFile>> {
    if file.bytes.starts_with(b"%PDF-") {
        return pdf::pages(&file, limits).map_err(|error| match error {
            Error::Pdf { file: name, .. } if !holds_end(&file.bytes) => {
                Error::Damaged { file: name, cause: "its end is missing".to_owned() }
            }
            error => error,
        });
    }
    Ok(tiff::pages(&file, limits)?.unwrap_or_else(|| vec![file]))
}

/// Whether a PDF has its end marker (ISO 32000-1, 7.5.5), with a little behind it that does not belong to it.
fn holds_end(pdf: &[u8]) -> bool {
    const END: &[u8] = b"%%EOF";
    const BEHIND: usize = 2048;
    pdf[pdf.len().saturating_sub(BEHIND)..].windows(END.len()).any(|part| part == END)
}

#[cfg(not(feature = "pdf"))]
mod pdf {
    use crate::error::Error;
    use crate::pipeline::{IngestLimits, PhotoFile, Result};

    pub fn pages(file: &PhotoFile, _: &IngestLimits) -> Result<Vec<PhotoFile>> {
        let cause = "this program was built without PDF support".to_owned();
        Err(Error::Pdf { file: file.name.clone(), cause })
    }
}

#[cfg(feature = "pdf")]
mod pdf {
    use crate::error::Error;
    use crate::pipeline::{IngestLimits, PhotoFile, Result};
    use fax::Color;
    use image::codecs::png::{CompressionType, FilterType, PngEncoder};
    use image::{DynamicImage, GrayImage, RgbImage};
    use lopdf::xobject::PdfImage;
    use lopdf::{Dictionary, Document, LoadOptions, Object};

    /// Most pages of one file.
    const PAGES: usize = 2000;
    /// Another picture on the page that is at least this large beside the largest may be a part of the scan.
    const PART: f64 = 0.3;

    /// The scan of every page, as a picture file of its own.
    pub fn pages(file: &PhotoFile, limits: &IngestLimits) -> Result<Vec<PhotoFile>> {
        let wrong = |cause: String| Error::Pdf { file: file.name.clone(), cause };
        let memory = usize::try_from(limits.memory).unwrap_or(usize::MAX);
        let options = LoadOptions { max_decompressed_size: Some(memory), ..LoadOptions::default() };
        let document = Document::load_mem_with_options(&file.bytes, options)
            .map_err(|error| wrong(format!("it cannot be read as PDF ({error})")))?;
        if document.is_encrypted() {
            return Err(wrong("it is protected by a password".to_owned()));
        }
        let pages = document.get_pages();
        if pages.is_empty() || pages.len() > PAGES {
            return Err(wrong(format!("it has {} pages, but 1 to {PAGES} can be read", pages.len())));
        }
        let many = pages.len() > 1;
        let page = |(number, id): (u32, lopdf::ObjectId)| {
            let name = if many { format!("{}, page {number}", file.name) } else { file.name.clone() };
            let wrong = |cause: String| Error::Pdf { file: name.clone(), cause };
            let images =
                document.get_page_images(id).map_err(|error| wrong(format!("its pictures are not found ({error})")))?;
            let bytes = scan(&document, &images, limits, &name)?.map_err(wrong)?;
            Ok(PhotoFile::new(name, bytes))
        };
        pages.into_iter().map(page).collect()
    }

    type Cause<T> = std::result::Result<T, String>;

    /// The one picture of a page.
    fn scan(document: &Document, images: &[PdfImage], limits: &IngestLimits, name: &str) -> Result<Cause<Vec<u8>>> {
        let area = |image: &PdfImage| image.width as f64 * image.height as f64;
        let mut images: Vec<&PdfImage> = images.iter().collect();
        images.sort_by(|a, b| area(b).total_cmp(&area(a)));
        let Some(largest) = images.first() else {
            return Ok(Err("the page holds no scan, only text or drawings".to_owned()));
        };
        if images.get(1).is_some_and(|second| area(second) > PART * area(largest)) {
            return Ok(Err("the page is made of several pictures".to_owned()));
        }
        let (Ok(width), Ok(height)) = (u32::try_from(largest.width), u32::try_from(largest.height)) else {
            return Ok(Err("the scan has no size".to_owned()));
        };
        if u64::from(width) * u64::from(height) > limits.pixels || width.max(height) > limits.side {
            return Err(Error::TooLarge {
                file: name.to_owned(),
                what: format!("{width} x {height} pixels"),
                limit: limits.size(),
            });
        }
        Ok(picture_file(document, largest, (width, height), limits))
    }

    /// A picture of the page as a JPEG or PNG file.
    fn picture_file(document: &Document, image: &PdfImage, size: (u32, u32), limits: &IngestLimits) -> Cause<Vec<u8>> {
        let filters: Vec<&str> = image.filters.iter().flatten().map(String::as_str).collect();
        match filters[..] {
            ["DCTDecode"] => Ok(image.content.to_vec()),
            ["CCITTFaxDecode"] => png(&fax_scan(document, image, size)?),
            [] | ["FlateDecode" | "LZWDecode" | "RunLengthDecode"] => {
                let object = document.get_object(image.id).and_then(Object::as_stream);
                let limit = usize::try_from(limits.memory).unwrap_or(usize::MAX);
                let raw = match filters[..] {
                    [] => Ok(image.content.to_vec()),
                    _ => object.and_then(|stream| stream.decompressed_content_with_limit(limit)),
                };
                png(&raster(&raw.map_err(|error| format!("the scan is damaged ({error})"))?, image, size)?)
            }
            _ => Err(format!("the scan is stored in a way that is not read ({})", filters.join(", "))),
        }
    }

    fn png(image: &DynamicImage) -> Cause<Vec<u8>> {
        let mut bytes = Vec::new();
        let encoder = PngEncoder::new_with_quality(&mut bytes, CompressionType::Fast, FilterType::Sub);
        image.write_with_encoder(encoder).map_err(|error| error.to_string())?;
        Ok(bytes)
    }

    /// Uncompressed pixels; their number tells grey from colour.
    fn raster(raw: &[u8], image: &PdfImage, (width, height): (u32, u32)) -> Cause<DynamicImage> {
        let pixels = width as usize * height as usize;
        let cut = || "the scan is cut short".to_owned();
        let indexed = image.color_space.as_deref() == Some("Indexed");
        match image.bits_per_component.unwrap_or(1) {
            1 => {
                let line = (width as usize).div_ceil(8);
                let bits = raw.get(..line * height as usize).ok_or_else(cut)?;
                Ok(black_on_white(width, height, |x, y| bits[y * line + x / 8] & (0x80 >> (x % 8)) != 0))
            }
            8 if !indexed && raw.len() >= pixels * 3 => {
                RgbImage::from_raw(width, height, raw[..pixels * 3].to_vec()).map(DynamicImage::from).ok_or_else(cut)
            }
            8 if !indexed => {
                let grey = raw.get(..pixels).ok_or_else(cut)?.to_vec();
                GrayImage::from_raw(width, height, grey).map(DynamicImage::from).ok_or_else(cut)
            }
            bits => Err(format!("the scan has colours that are not read ({bits} bits)")),
        }
    }

    /// A bilevel picture. Which bit is black differs from file to file; paper is what there is more of.
    fn black_on_white(width: u32, height: u32, bit: impl Fn(usize, usize) -> bool) -> DynamicImage {
        let mut grey =
            GrayImage::from_fn(width, height, |x, y| image::Luma([255 * u8::from(bit(x as usize, y as usize))]));
        let white = grey.as_raw().iter().filter(|&&value| value > 0).count();
        if white * 2 < grey.as_raw().len() {
            image::imageops::invert(&mut grey);
        }
        DynamicImage::from(grey)
    }

    /// A fax of group 4, the usual form of black and white scans.
    fn fax_scan(document: &Document, image: &PdfImage, (width, height): (u32, u32)) -> Cause<DynamicImage> {
        let params: Option<&Dictionary> = match image.origin_dict.get(b"DecodeParms") {
            Ok(Object::Array(list)) => list.first().and_then(|object| object.as_dict().ok()),
            Ok(Object::Reference(id)) => document.get_dictionary(*id).ok(),
            Ok(object) => object.as_dict().ok(),
            Err(_) => None,
        };
        let number = |key: &[u8]| params.and_then(|dict| dict.get(key).ok()).and_then(|value| value.as_i64().ok());
        if number(b"K").unwrap_or(0) >= 0 {
            return Err("the scan is a fax of group 3, which is not read".to_owned());
        }
        let columns = u16::try_from(number(b"Columns").unwrap_or(1728)).map_err(|error| error.to_string())?;
        let rows = u16::try_from(height).map_err(|error| error.to_string())?;
        let mut dark: Vec<bool> = Vec::with_capacity(width as usize * height as usize);
        fax::decoder::decode_g4(image.content.iter().copied(), columns, Some(rows), |line| {
            let pels = fax::decoder::pels(line, columns).map(|pel| pel == Color::Black);
            dark.extend(pels.chain(std::iter::repeat(false)).take(width as usize));
        })
        .ok_or("the scan is damaged")?;
        dark.resize(width as usize * height as usize, false);
        Ok(black_on_white(width, height, |x, y| !dark[y * width as usize + x]))
    }

    #[cfg(test)]
    mod tests {
        use super::*;
        use lopdf::{Stream, dictionary};

        /// A document with a page for each list of pictures: dictionary and content.
        fn document(pages: Vec<Vec<(Dictionary, Vec<u8>)>>) -> PhotoFile {
            let mut document = Document::with_version("1.5");
            let tree = document.new_object_id();
            let mut kids: Vec<Object> = Vec::new();
            for images in pages {
                let mut objects = Dictionary::new();
                for (index, (mut dict, content)) in images.into_iter().enumerate() {
                    dict.set("Type", Object::Name(b"XObject".to_vec()));
                    dict.set("Subtype", Object::Name(b"Image".to_vec()));
                    let mut stream = Stream::new(dict, content);
                    stream.allows_compression = false;
                    objects.set(format!("Im{index}"), document.add_object(stream));
                }
                let resources = document.add_object(dictionary! { "XObject" => objects });
                let page = dictionary! { "Type" => "Page", "Parent" => tree, "Resources" => resources };
                kids.push(document.add_object(page).into());
            }
            let count = kids.len() as i64;
            document.objects.insert(tree, dictionary! { "Type" => "Pages", "Kids" => kids, "Count" => count }.into());
            let catalogue = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => tree });
            document.trailer.set("Root", catalogue);
            let mut bytes = Vec::new();
            document.save_to(&mut bytes).unwrap();
            PhotoFile::new("scan.pdf", bytes)
        }

        fn image(width: i64, height: i64, bits: i64, filter: Option<&str>) -> Dictionary {
            let mut dict = dictionary! { "Width" => width, "Height" => height, "BitsPerComponent" => bits };
            if let Some(filter) = filter {
                dict.set("Filter", Object::Name(filter.as_bytes().to_vec()));
            }
            dict
        }

        fn read(file: &PhotoFile) -> Result<Vec<PhotoFile>> {
            super::super::photos(file.clone(), &IngestLimits::default())
        }

        #[test]
        fn every_page_is_a_photo() {
            let jpeg = b"\xff\xd8 a scan".to_vec();
            // 300 pixels a line are 38 bytes; the first is black on paper of ones, the rest of the line is white.
            let mut bits = vec![0xffu8; 38 * 300];
            bits[0] = 0;
            let grey = vec![200u8; 300 * 300];
            let file = document(vec![
                vec![(image(300, 300, 8, Some("DCTDecode")), jpeg.clone()), (image(20, 20, 8, None), vec![0; 400])],
                vec![(image(300, 300, 1, None), bits)],
                vec![(image(300, 300, 8, None), grey)],
            ]);
            let pages = read(&file).unwrap();
            assert_eq!(pages.len(), 3);
            assert_eq!((pages[0].name.as_str(), &pages[0].bytes), ("scan.pdf, page 1", &jpeg));
            let bilevel = image::load_from_memory(&pages[1].bytes).unwrap().into_luma8();
            assert_eq!(
                (bilevel.get_pixel(7, 0).0, bilevel.get_pixel(8, 0).0, bilevel.dimensions()),
                ([0], [255], (300, 300))
            );
            assert_eq!(image::load_from_memory(&pages[2].bytes).unwrap().into_luma8().get_pixel(299, 299).0, [200]);
        }

        #[test]
        fn a_fax_is_read() {
            // A white line of group 4 is one bit (V0); end of block is 000000000001 twice.
            let mut dict = image(16, 8, 1, Some("CCITTFaxDecode"));
            dict.set("DecodeParms", dictionary! { "K" => -1, "Columns" => 16, "Rows" => 8 });
            let file = document(vec![vec![(dict, vec![0xff, 0x00, 0x10, 0x01])]]);
            let pages = read(&file).unwrap();
            let white = image::load_from_memory(&pages[0].bytes).unwrap().into_luma8();
            assert!(white.as_raw().iter().all(|&value| value == 255) && white.dimensions() == (16, 8));
        }

        #[test]
        fn a_document_that_is_cut_short_says_so() {
            let scan = || vec![(image(300, 300, 8, None), vec![200u8; 90_000])];
            let whole = document(vec![scan(), scan()]);
            for share in [30, 60, 99] {
                let bytes = whole.bytes[..whole.bytes.len() * share / 100].to_vec();
                let error = read(&PhotoFile::new("scan.pdf", bytes)).unwrap_err();
                assert!(matches!(error, Error::Damaged { .. }), "{share} %: {error}");
            }
        }

        #[test]
        fn what_is_no_scan_says_so() {
            let cases = [
                (document(vec![vec![]]), "no scan"),
                (
                    document(vec![vec![(image(9, 9, 8, None), vec![0; 81]), (image(9, 8, 8, None), vec![0; 72])]]),
                    "several",
                ),
                (document(vec![vec![(image(300, 300, 8, Some("JBIG2Decode")), vec![0; 9])]]), "JBIG2Decode"),
                (document(vec![vec![(image(300, 300, 8, None), vec![0; 9])]]), "cut short"),
                (document(vec![]), "0 pages"),
                (PhotoFile::new("a.pdf", b"%PDF-1.4 nothing else %%EOF".to_vec()), "cannot be read as PDF"),
            ];
            for (file, word) in cases {
                let error = read(&file).unwrap_err().to_string();
                assert!(error.contains(word) && error.ends_with("send those."), "{error}");
            }
            let bomb = document(vec![vec![(image(60_000, 60_000, 1, Some("FlateDecode")), vec![0; 9])]]);
            assert!(matches!(read(&bomb), Err(Error::TooLarge { .. })));
        }
    }
}
