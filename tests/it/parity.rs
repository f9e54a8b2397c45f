//! The two runtimes of the recogniser say the same. Needs `--features ort` and ORT_DYLIB_PATH.

use crate::util::sample;
use scoresheet::pipeline::photo::ingest::{IngestLimits, ingest};
use scoresheet::pipeline::recognise::{OrtRecogniser, Recogniser, TractRecogniser};
use scoresheet::pipeline::{Timing, read_page};

#[test]
fn both_runtimes_read_alike() {
    if std::env::var_os("ORT_DYLIB_PATH").is_none() {
        eprintln!("skipped: ORT_DYLIB_PATH does not name the shared library of ONNX Runtime");
        return;
    }
    let (tract, ort) = (TractRecogniser::embedded().unwrap(), OrtRecogniser::embedded().unwrap());
    for file in ["german.jpg", "english-shadow.jpg", "spanish.jpg"] {
        let photo = ingest(file, &std::fs::read(sample(file)).unwrap(), &IngestLimits::default()).unwrap();
        let page = read_page(&photo, &tract, &mut Timing::new()).unwrap();
        let crops: Vec<_> = page.cells.iter().map(|cell| &cell.crop).collect();
        let first = tract.read(&crops).unwrap().into_iter().zip(ort.read(&crops).unwrap());
        let second = tract.read_again(&crops).unwrap().into_iter().zip(ort.read_again(&crops).unwrap());
        for (a, b) in first.chain(second) {
            assert_eq!(a.log_probs.len(), b.log_probs.len());
            // Probabilities below one in a hundred thousand are nothing but rounding.
            let gap = a.log_probs.iter().zip(&b.log_probs).filter(|(a, _)| **a > -11.5).map(|(a, b)| (a - b).abs());
            let gap = gap.fold(0.0, f32::max);
            assert!(gap < 1e-3, "{file}: {gap}");
        }
    }
}
