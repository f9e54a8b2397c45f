//! The photos below a folder: told by content, within bounds, symbolic links not followed.

use super::archive;
use crate::error::{Error, Result};
use crate::hex::hex;
use crate::pipeline::photo::documents::photos;
use crate::pipeline::photo::ingest::IngestLimits;
use crate::pipeline::{PhotoFile, photo::apart, photo::heic};
use sha2::{Digest, Sha256};
use std::io::Read;
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// How far a walk goes.
#[derive(Debug, Clone, Copy)]
pub struct WalkLimits {
    /// Folders within folders.
    pub depth: usize,
    /// Files looked at, photos or not.
    pub files: usize,
    /// Largest photo, in bytes.
    pub bytes: u64,
}

impl Default for WalkLimits {
    fn default() -> Self {
        Self { depth: 16, files: 1_000_000, bytes: 64 << 20 }
    }
}

/// A photo that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Photo {
    /// Path below the folder, with slashes.
    pub name: String,
    pub path: PathBuf,
    /// Index of the file, in a ZIP archive.
    pub member: Option<usize>,
    /// Index of the page, in a file that holds several photos.
    pub page: Option<usize>,
    /// Index of the sheet, where several lie apart in the photo.
    pub sheet: Option<usize>,
    /// SHA-256 of the photo's bytes, in hexadecimal; for one sheet of several named as [`apart::name`] does.
    pub hash: String,
    /// Other files with the same bytes, below the folder.
    pub copies: Vec<String>,
}

impl Photo {
    /// The photo's bytes.
    ///
    /// # Errors
    /// [`Error::Open`] if the file is gone, and as [`photos`].
    pub fn bytes(&self) -> Result<Vec<u8>> {
        let open = |cause| Error::Open { path: self.name.clone(), cause };
        let bytes = match self.member {
            None => std::fs::read(&self.path).map_err(open)?,
            Some(index) => archive::content(&self.path, index, WalkLimits::default().bytes)
                .map_err(|cause| Error::Usage(format!("{} {cause}", self.name)))?,
        };
        let mut photo = PhotoFile::new(self.name.clone(), bytes);
        let limits = IngestLimits::default();
        let pick = |mut of: Vec<PhotoFile>, index: usize| {
            let gone = || open(std::io::Error::other("the page is gone"));
            if index < of.len() { Ok(of.swap_remove(index)) } else { Err(gone()) }
        };
        if let Some(page) = self.page {
            photo = pick(photos(photo, &limits)?, page)?;
        }
        if let Some(sheet) = self.sheet {
            photo = pick(apart::sheets(photo, &limits)?, sheet)?;
        }
        Ok(photo.bytes)
    }

    /// The photo as so many sheets that lie apart in it.
    pub fn sheets(&self, count: usize) -> Vec<Self> {
        let sheet = |index: usize| {
            let named = |name: &String| apart::name(name, index, count);
            Self {
                name: named(&self.name),
                hash: named(&self.hash),
                copies: self.copies.iter().map(named).collect(),
                sheet: Some(index),
                ..self.clone()
            }
        };
        (0..count).map(sheet).collect()
    }
}

/// A file that should hold a sheet, as far as can be told, and cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    pub name: String,
    /// What is wrong and what to do, in one sentence.
    pub sentence: String,
}

/// What lies below a folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// In the order of their names.
    pub photos: Vec<Photo>,
    pub refused: Vec<Refused>,
    /// Files that are neither photos nor look like sheets.
    pub others: usize,
    /// What to tell the person about the walk.
    pub notes: Vec<String>,
}

/// Bytes at the beginning of a file that tell its format.
const HEAD: usize = 64;
/// Endings under which people keep photos; what bears one and holds something else is worth a word.
const PHOTO_ENDINGS: [&str; 9] = ["jpg", "jpeg", "png", "webp", "tif", "tiff", "heic", "heif", "avif"];

/// Finds the photos below `dir`, leaving out what lies below `out`.
///
/// # Errors
/// [`Error::Open`] if `dir` itself cannot be read, [`Error::Usage`] if it is a file.
pub fn walk(dir: &Path, out: &Path, limits: &WalkLimits) -> Result<Found> {
    if dir.is_file() {
        let file = dir.display();
        return Err(Error::Usage(format!(
            "{file} is a file: give the folder that holds the photos, or read it alone with `scoresheet read {file}`"
        )));
    }
    let open = |cause| Error::Open { path: dir.display().to_string(), cause };
    std::fs::read_dir(dir).map_err(open)?;
    let out = out.canonicalize().unwrap_or_else(|_| out.to_path_buf());
    let mut found = Found::default();
    let (mut links, mut seen) = (0, 0);
    let walker = WalkDir::new(dir).max_depth(limits.depth).sort_by_file_name().into_iter();
    let inside = |entry: &walkdir::DirEntry| entry.path().canonicalize().map_or(true, |path| path != out);
    for entry in walker.filter_entry(inside) {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                let name = error.path().map(|path| name_below(dir, path)).unwrap_or_default();
                let sentence = format!("{name} cannot be opened ({error}). Check the permissions.");
                found.refused.push(Refused { name, sentence });
                continue;
            }
        };
        if entry.path_is_symlink() {
            links += 1;
        } else if entry.file_type().is_dir() && entry.depth() == limits.depth {
            found.notes.push(format!(
                "{}: folders this deep are not looked into. Move them up.",
                name_below(dir, entry.path())
            ));
        } else if entry.file_type().is_file() {
            seen += 1;
            if seen > limits.files {
                found.notes.push(format!("Only the first {} files were looked at. Split the folder.", limits.files));
                break;
            }
            look_at(dir, entry.path(), limits, &mut found);
        }
    }
    if links > 0 {
        found.notes.push(format!("{links} symbolic links were not followed."));
    }
    gather_copies(&mut found.photos);
    Ok(found)
}

fn look_at(dir: &Path, path: &Path, limits: &WalkLimits, found: &mut Found) {
    let name = name_below(dir, path);
    let open = |cause| Error::Open { path: name.clone(), cause }.to_string();
    let looked = match head(path).map(|head| kind(&head)) {
        Err(cause) => Err(open(cause)),
        Ok(Kind::Photo) => match hash(path, limits.bytes) {
            Ok(Some(hash)) => Ok(vec![Place { path, member: None }.photo(name.clone(), None, hash)]),
            Ok(None) => Err(too_large(&name, limits)),
            Err(cause) => Err(open(cause)),
        },
        Ok(Kind::Document) => match std::fs::metadata(path) {
            Ok(file) if file.len() > limits.bytes => Err(too_large(&name, limits)),
            _ => std::fs::read(path).map_err(open).and_then(|bytes| pages(&Place { path, member: None }, &name, bytes)),
        },
        Ok(Kind::Archive) => {
            let visited = archive::each(path, limits.bytes, |member| look_into(path, &name, member, found));
            visited.map(|()| Vec::new()).map_err(|cause| format!("{name} {cause}"))
        }
        Ok(Kind::Empty) => other(&name, Error::Empty { file: name.clone() }, found),
        Ok(Kind::Other) => other(&name, Error::NotAPicture { file: name.clone() }, found),
    };
    keep(name, looked, found);
}

/// Looks at a file of an archive.
fn look_into(path: &Path, archive: &str, member: archive::Member, found: &mut Found) {
    let name = format!("{archive}/{}", member.name);
    let place = Place { path, member: Some(member.index) };
    let looked = match member.content.map(|bytes| (kind(&bytes), bytes)) {
        Err(cause) => Err(format!("{name} {cause}")),
        Ok((Kind::Photo, bytes)) => Ok(vec![place.photo(name.clone(), None, hex(&Sha256::digest(&bytes)))]),
        Ok((Kind::Document, bytes)) => pages(&place, &name, bytes),
        Ok((Kind::Archive, _)) => Err(format!("{name} is a ZIP archive in another. Unpack it.")),
        Ok((Kind::Empty, _)) => other(&name, Error::Empty { file: name.clone() }, found),
        Ok((Kind::Other, _)) => other(&name, Error::NotAPicture { file: name.clone() }, found),
    };
    keep(name, looked, found);
}

fn keep(name: String, looked: std::result::Result<Vec<Photo>, String>, found: &mut Found) {
    match looked {
        Ok(photos) => found.photos.extend(photos),
        Err(sentence) => found.refused.push(Refused { name, sentence }),
    }
}

/// A file that holds no photo: worth a word if it bears the ending of one.
fn other(name: &str, why: Error, found: &mut Found) -> std::result::Result<Vec<Photo>, String> {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_lowercase()).unwrap_or_default();
    if PHOTO_ENDINGS.contains(&ending.as_str()) {
        return Err(why.to_string());
    }
    found.others += 1;
    Ok(Vec::new())
}

fn too_large(name: &str, limits: &WalkLimits) -> String {
    let limit = format!("{} MB", limits.bytes >> 20);
    Error::TooLarge { file: name.to_owned(), what: format!("more than {limit}"), limit }.to_string()
}

/// Where the bytes of photos lie.
struct Place<'a> {
    path: &'a Path,
    member: Option<usize>,
}

impl Place<'_> {
    fn photo(&self, name: String, page: Option<usize>, hash: String) -> Photo {
        Photo { name, path: self.path.to_path_buf(), member: self.member, page, sheet: None, hash, copies: Vec::new() }
    }
}

/// The pages of a document as photos, or why it has none.
fn pages(place: &Place, name: &str, bytes: Vec<u8>) -> std::result::Result<Vec<Photo>, String> {
    let photos = photos(PhotoFile::new(name, bytes), &IngestLimits::default()).map_err(|error| error.to_string())?;
    let photo =
        |(page, photo): (usize, PhotoFile)| place.photo(photo.name, Some(page), hex(&Sha256::digest(&photo.bytes)));
    Ok(photos.into_iter().enumerate().map(photo).collect())
}

enum Kind {
    Photo,
    /// Holds a photo a page.
    Document,
    Archive,
    Empty,
    Other,
}

fn kind(head: &[u8]) -> Kind {
    use image::ImageFormat::{Jpeg, Png, Tiff, WebP};
    match image::guess_format(head) {
        _ if head.is_empty() => Kind::Empty,
        Ok(Jpeg | Png | WebP) => Kind::Photo,
        // May hold several pages.
        Ok(Tiff) => Kind::Document,
        _ if head.starts_with(b"%PDF-") => Kind::Document,
        _ if head.starts_with(b"PK\x03\x04") => Kind::Archive,
        _ if heic::begins(head) || heic::begins_avif(head) => Kind::Photo,
        _ => Kind::Other,
    }
}

fn head(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut head = Vec::with_capacity(HEAD);
    std::fs::File::open(path)?.take(HEAD as u64).read_to_end(&mut head)?;
    Ok(head)
}

/// The SHA-256 of a file of at most `limit` bytes, in hexadecimal; none for a larger one.
fn hash(path: &Path, limit: u64) -> std::io::Result<Option<String>> {
    let mut file = std::fs::File::open(path)?.take(limit + 1);
    let mut hasher = Sha256::new();
    let read = std::io::copy(&mut file, &mut hasher)?;
    Ok((read <= limit).then(|| hex(&hasher.finalize())))
}

fn name_below(dir: &Path, path: &Path) -> String {
    let below = path.strip_prefix(dir).unwrap_or(path);
    below.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}

/// Keeps the first of the photos with the same bytes, with the names of the others.
fn gather_copies(photos: &mut Vec<Photo>) {
    let mut first = std::collections::HashMap::<String, usize>::new();
    let mut kept: Vec<Photo> = Vec::new();
    for photo in photos.drain(..) {
        match first.get(&photo.hash) {
            Some(&index) => kept[index].copies.push(photo.name),
            None => {
                first.insert(photo.hash.clone(), kept.len());
                kept.push(photo);
            }
        }
    }
    *photos = kept;
}
