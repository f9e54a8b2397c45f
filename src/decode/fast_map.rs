//! Hash maps for keys that a multiplication mixes well enough.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A hasher for keys that are well mixed by one multiplication (Knuth, TAOCP vol. 3, section 6.4).
#[derive(Debug, Default, Clone, Copy)]
pub struct MultiplyHasher(u64);

impl Hasher for MultiplyHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }
    fn write_u32(&mut self, value: u32) {
        self.write_u64(u64::from(value));
    }
    fn write_u64(&mut self, value: u64) {
        let mixed = (self.0 ^ value).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = mixed ^ (mixed >> 32);
    }
}

/// A map with the [`MultiplyHasher`].
pub type FastMap<K, V> = HashMap<K, V, BuildHasherDefault<MultiplyHasher>>;
