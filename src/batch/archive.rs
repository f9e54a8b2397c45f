//! Photos in ZIP archives, within bounds. Nothing is unpacked to the disk.

/// A file in an archive.
pub struct Member {
    /// Its place in the archive.
    pub index: usize,
    /// Its path in the archive, for showing only.
    pub name: String,
    /// Its content, or why there is none, in a sentence that goes on behind the name.
    pub content: Result<Vec<u8>, String>,
}

pub use zipped::{content, each};

#[cfg(not(feature = "zip"))]
mod zipped {
    use super::Member;
    use std::path::Path;

    const NOT_READ: &str = "is a ZIP archive, which this program was built without. Unpack it.";

    pub fn each(_: &Path, _: u64, _: impl FnMut(Member)) -> Result<(), String> {
        Err(NOT_READ.to_owned())
    }

    pub fn content(_: &Path, _: usize, _: u64) -> Result<Vec<u8>, String> {
        Err(NOT_READ.to_owned())
    }
}

#[cfg(feature = "zip")]
mod zipped {
    use super::Member;
    use std::fs::File;
    use std::io::{Read, Seek, SeekFrom};
    use std::path::Path;
    use zip::ZipArchive;
    use zip::result::ZipError;

    /// Most files in an archive.
    const MEMBERS: usize = 20_000;
    /// Largest table of contents, in bytes: it is held in memory.
    const CONTENTS: u32 = 32 << 20;
    /// How many times its own size an archive may unpack to. Photos hardly shrink; scans of text in black and white may
    /// by fifty.
    const GROWTH: u64 = 200;

    fn damaged(cause: impl std::fmt::Display) -> String {
        format!("is a ZIP archive that cannot be read ({cause}). Copy it again, or unpack it.")
    }

    /// Opens an archive once the size of its table of contents is known to be small.
    fn open(path: &Path) -> Result<ZipArchive<File>, String> {
        let mut file = File::open(path).map_err(damaged)?;
        let end = end_of(&mut file).map_err(damaged)?;
        let at = end.windows(4).rposition(|window| window == b"PK\x05\x06").ok_or_else(|| damaged("it has no end"))?;
        let size = end.get(at + 12..at + 16).and_then(|size| size.try_into().ok()).map_or(u32::MAX, u32::from_le_bytes);
        let is_zip64 = at >= 20 && end[at - 20..].starts_with(b"PK\x06\x07");
        if size > CONTENTS || is_zip64 {
            return Err("is a ZIP archive too large to be looked into. Unpack it.".to_owned());
        }
        ZipArchive::new(file).map_err(damaged)
    }

    /// The end of a file as far as it may hold the record that ends an archive.
    fn end_of(file: &mut File) -> std::io::Result<Vec<u8>> {
        let length = file.seek(SeekFrom::End(0))?;
        file.seek(SeekFrom::Start(length.saturating_sub(20 + 22 + 65_535)))?;
        let mut end = Vec::new();
        file.read_to_end(&mut end)?;
        file.rewind()?;
        Ok(end)
    }

    /// Unpacks a file, and subtracts its size from what is left to unpack of the archive.
    fn unpack(archive: &mut ZipArchive<File>, index: usize, limit: u64, left: &mut u64) -> Result<Vec<u8>, String> {
        let said = |error: ZipError| match error {
            ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED) => {
                "is protected by a password. Unpack the archive.".to_owned()
            }
            ZipError::UnsupportedArchive(_) | ZipError::CompressionMethodNotSupported(_) => {
                "is packed in a way that is not known here. Unpack the archive.".to_owned()
            }
            error => format!("is damaged ({error}). Copy the archive again."),
        };
        let mut bytes = Vec::new();
        // The size that the archive tells may be wrong.
        let most = limit.min(*left) + 1;
        let read = archive.by_index(index).map_err(said)?.take(most).read_to_end(&mut bytes);
        *left = left.saturating_sub(bytes.len() as u64);
        read.map_err(|error| said(error.into()))?;
        if bytes.len() as u64 > limit {
            return Err(format!("is larger than {} MB. Send a smaller photo.", limit >> 20));
        }
        Ok(bytes)
    }

    /// Visits every file of an archive; `limit` is the largest in bytes.
    ///
    /// # Errors
    /// Why not all of it was visited, in a sentence that goes on behind the archive's name.
    pub fn each(path: &Path, limit: u64, mut visit: impl FnMut(Member)) -> Result<(), String> {
        let mut archive = open(path)?;
        let size = std::fs::metadata(path).map_err(damaged)?.len();
        let mut left = size.saturating_mul(GROWTH);
        if archive.len() > MEMBERS {
            return Err(format!("holds more than {MEMBERS} files. Unpack it."));
        }
        for index in 0..archive.len() {
            let Ok(entry) = archive.by_index_raw(index) else { return Err(damaged("a file in it is out of place")) };
            let name = entry.name().unwrap_or_default().replace('\\', "/");
            // Archives from a Mac hold a second file of notes for every file.
            if !entry.is_file() || name.starts_with("__MACOSX/") {
                continue;
            }
            drop(entry);
            let name = name.chars().filter(|c| !c.is_control()).collect();
            let content = unpack(&mut archive, index, limit, &mut left);
            if left == 0 {
                return Err("unpacks to far more than photos would. Unpack it yourself if you trust it.".to_owned());
            }
            visit(Member { index, name, content });
        }
        Ok(())
    }

    /// The content of a file of an archive.
    ///
    /// # Errors
    /// Why there is none, in a sentence that goes on behind its name.
    pub fn content(path: &Path, index: usize, limit: u64) -> Result<Vec<u8>, String> {
        unpack(&mut open(path)?, index, limit, &mut limit.saturating_add(1))
    }

    #[cfg(test)]
    mod tests {
        use super::*;
        use std::io::Write;
        use zip::ZipWriter;
        use zip::write::SimpleFileOptions;

        /// An archive of files of zeros, by name and size.
        fn archive(name: &str, files: &[(&str, usize)]) -> std::path::PathBuf {
            let path = std::env::temp_dir().join(format!("scoresheet-{name}-{}.zip", std::process::id()));
            let mut writer = ZipWriter::new(File::create(&path).unwrap());
            for (name, size) in files {
                writer.start_file(*name, SimpleFileOptions::default()).unwrap();
                writer.write_all(&vec![0; *size]).unwrap();
            }
            writer.finish().unwrap();
            path
        }

        /// A file's name and size, or what is wrong with it.
        type Seen = (String, Result<usize, String>);

        fn visited(path: &Path, limit: u64) -> (Vec<Seen>, Result<(), String>) {
            let mut seen = Vec::new();
            let outcome =
                each(path, limit, |member| seen.push((member.name, member.content.map(|content| content.len()))));
            (seen, outcome)
        }

        #[test]
        fn files_come_out_and_notes_of_a_mac_do_not() {
            let path = archive("plain", &[("a\\b.jpg", 10), ("__MACOSX/._b.jpg", 10), ("../c\u{7}.jpg", 2000)]);
            let (seen, outcome) = visited(&path, 1000);
            assert_eq!(outcome, Ok(()));
            assert_eq!(seen[0], ("a/b.jpg".to_owned(), Ok(10)));
            assert_eq!((seen.len(), seen[1].0.as_str()), (2, "../c.jpg"));
            assert!(seen[1].1.as_ref().unwrap_err().contains("larger than"), "{:?}", seen[1].1);
            assert_eq!(content(&path, 0, 1000).unwrap(), [0; 10]);
            assert!(content(&path, 9, 1000).is_err());
            std::fs::remove_file(path).unwrap();
        }

        #[test]
        fn a_bomb_is_not_unpacked() {
            let names: Vec<String> = (0..40).map(|index| format!("{index}.jpg")).collect();
            let files: Vec<(&str, usize)> = names.iter().map(|name| (name.as_str(), 1 << 20)).collect();
            let path = archive("bomb", &files);
            let (seen, outcome) = visited(&path, 64 << 20);
            assert!(outcome.unwrap_err().contains("far more than photos"));
            let size = std::fs::metadata(&path).unwrap().len();
            let unpacked: usize = seen.iter().map(|(_, content)| content.as_ref().map_or(0, |&size| size)).sum();
            assert!(unpacked > 0 && unpacked as u64 <= size * GROWTH, "{unpacked} bytes of {size}");
            std::fs::remove_file(path).unwrap();
        }

        #[test]
        fn a_table_of_contents_that_is_too_large_is_not_read() {
            let path = archive("contents", &[("a.jpg", 10)]);
            let mut bytes = std::fs::read(&path).unwrap();
            let end = bytes.len() - 22;
            bytes[end + 12..end + 16].copy_from_slice(&(CONTENTS + 1).to_le_bytes());
            std::fs::write(&path, &bytes).unwrap();
            assert!(visited(&path, 1000).1.unwrap_err().contains("too large"));
            std::fs::write(&path, &bytes[..end]).unwrap();
            assert!(visited(&path, 1000).1.unwrap_err().contains("cannot be read"));
            std::fs::remove_file(path).unwrap();
        }
    }
}
