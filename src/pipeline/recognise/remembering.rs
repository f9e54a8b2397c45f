//! A recogniser that reads the same crop once: while the table is looked for, cells are read that are read again later.

use super::{Crop, Recogniser};
use crate::error::Result;
use crate::reading::{Alphabet, Reading};
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Reads by another recogniser what it has not read before. It keeps all crops and readings: one is made for a page.
pub struct Remembering<'a> {
    recogniser: &'a dyn Recogniser,
    known: Mutex<HashMap<Crop, Reading>>,
}

impl<'a> Remembering<'a> {
    /// A recogniser that has read nothing yet.
    pub fn new(recogniser: &'a dyn Recogniser) -> Self {
        Self { recogniser, known: Mutex::default() }
    }

    fn known(&self) -> MutexGuard<'_, HashMap<Crop, Reading>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Recogniser for Remembering<'_> {
    fn alphabet(&self) -> &Alphabet {
        self.recogniser.alphabet()
    }

    fn read(&self, crops: &[&Crop]) -> Result<Vec<Reading>> {
        let mut seen = HashSet::new();
        let unknown: Vec<&Crop> = {
            let known = self.known();
            crops.iter().copied().filter(|&crop| !known.contains_key(crop) && seen.insert(crop)).collect()
        };
        let readings = self.recogniser.read(&unknown)?;
        let mut known = self.known();
        known.extend(unknown.into_iter().cloned().zip(readings));
        Ok(crops.iter().filter_map(|&crop| known.get(crop).cloned()).collect())
    }

    fn read_again(&self, crops: &[&Crop]) -> Result<Vec<Reading>> {
        self.recogniser.read_again(crops)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::cells::{CROP_HEIGHT, CROP_WIDTH};
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Reads the first pixel as a probability, and counts what it reads.
    struct Counting(Alphabet, AtomicUsize);

    impl Recogniser for Counting {
        fn alphabet(&self) -> &Alphabet {
            &self.0
        }

        fn read(&self, crops: &[&Crop]) -> Result<Vec<Reading>> {
            self.1.fetch_add(crops.len(), Ordering::Relaxed);
            Ok(crops.iter().map(|crop| Reading::new(vec![f32::from(crop.pixels[0])], 1)).collect())
        }
    }

    #[test]
    fn a_crop_is_read_once() {
        let counting = Counting(Alphabet::new("a".chars()), AtomicUsize::new(0));
        let remembering = Remembering::new(&counting);
        let crop = |pixel: u8| Crop {
            pixels: vec![pixel; CROP_WIDTH * CROP_HEIGHT],
            ink: 99,
            span: 0..9,
            rows: 0..9,
            contrast: 99,
        };
        let (a, b, c) = (crop(1), crop(2), crop(3));
        let read = |crops: &[&Crop]| -> (Vec<f32>, usize) {
            let readings = remembering.read(crops).unwrap();
            (readings.iter().map(|reading| reading.step(0)[0]).collect(), counting.1.load(Ordering::Relaxed))
        };
        assert_eq!(read(&[&a, &b, &a]), (vec![1.0, 2.0, 1.0], 2));
        assert_eq!(read(&[&c, &b]), (vec![3.0, 2.0], 3));
        assert_eq!(read(&[]), (vec![], 3));
    }
}
