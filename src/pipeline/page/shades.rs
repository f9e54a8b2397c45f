//! Shades of grey in order.

/// Sorts shades by counting them, which is many times as fast as comparing them.
pub(crate) fn sort(shades: &mut [u8]) {
    let mut counts = [0usize; 256];
    shades.iter().for_each(|&shade| counts[usize::from(shade)] += 1);
    let mut rest = shades;
    for (shade, count) in (0..=u8::MAX).zip(counts) {
        let (own, behind) = rest.split_at_mut(count);
        own.fill(shade);
        rest = behind;
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn shades_are_sorted() {
        let mut shades = [7, 255, 0, 7, 3, 255, 1];
        super::sort(&mut shades);
        assert_eq!(shades, [0, 1, 3, 7, 7, 255, 255]);
        super::sort(&mut []);
    }
}
