//! The likelihood of a spelling under a reading: the CTC forward algorithm over a prefix tree.
//!
//! Graves et al. 2006 ("Connectionist Temporal Classification", section 4.1) sum over all alignments of one string.
//! Here the forward column of a prefix is kept at a node of a trie, so that strings with a common beginning share the
//! work, and strings whose beginning the ink rules out cost nothing.

use crate::reading::{Alphabet, Reading, byte_symbol};
use std::ops::Range;

/// Least log-probability of a symbol, relative to the likeliest symbol of its time step: no reading is ever so sure
/// that a slip of the recogniser becomes impossible.
const FLOOR: f32 = -11.0;
/// A prefix whose whole forward column lies below this share of the best path is ruled out.
const RULED_OUT: f32 = 3e-6;
/// Entries of a forward column below this share of the best path are taken as zero.
const NEGLIGIBLE: f32 = 1e-12;
/// The classes of the bytes of spellings, looked up once per sheet.
#[derive(Debug, Clone)]
pub struct Symbols {
    classes: [u8; 256],
}

impl Symbols {
    /// The symbols of an alphabet.
    pub fn new(alphabet: &Alphabet) -> Self {
        let mut classes = [0; 256];
        for (byte, class) in classes.iter_mut().enumerate() {
            *class = alphabet.class(byte_symbol(byte as u8)).map_or(0, |c| c as u8);
        }
        Self { classes }
    }

    /// The class of a symbol; 0 if the recogniser does not know it.
    pub fn class(&self, byte: u8) -> usize {
        self.classes[byte as usize] as usize
    }
}

/// A reading made ready for scoring, with the best text that it allows.
#[derive(Debug, Clone)]
pub struct Lattice {
    steps: usize,
    classes: usize,
    /// For each look at the cell its time steps, and the probability of its best path relative to the greatest of them.
    looks: Vec<(Range<usize>, f32)>,
    /// Probabilities relative to the best symbol of each step, `steps` rows of `classes`.
    relative: Vec<f32>,
    /// For each step and class the greatest of `relative` from that step on.
    support: Vec<f32>,
    /// The likeliest text, read with no help from the game.
    pub text: String,
    /// Probability of `text`.
    pub confidence: f32,
    /// Forward score of `text` in units of the best path; every score is divided by it.
    best: f32,
}

impl Lattice {
    /// Prepares a reading. `scale` multiplies the log-probabilities: below one it flattens an overconfident recogniser.
    pub fn new(reading: &Reading, alphabet: &Alphabet, scale: f32) -> Self {
        let (steps, classes) = (reading.steps(), reading.classes);
        let mut relative = Vec::with_capacity(steps * classes);
        let mut tops = Vec::new();
        for look in reading.each_look() {
            let mut sum = 0.0;
            for t in look.clone() {
                let step = reading.step(t);
                let top = step.iter().copied().fold(f32::NEG_INFINITY, f32::max);
                relative.extend(step.iter().map(|&lp| ((lp - top) * scale).max(FLOOR).exp()));
                sum += top * scale;
            }
            tops.push((look, sum));
        }
        let greatest = tops.iter().map(|&(_, top)| top).fold(f32::NEG_INFINITY, f32::max);
        let looks = tops.into_iter().map(|(look, top)| (look, (top - greatest).exp())).collect();
        let mut support = relative.clone();
        for i in (0..support.len().saturating_sub(classes)).rev() {
            support[i] = support[i].max(support[i + classes]);
        }
        let mut lattice =
            Self { steps, classes, looks, relative, support, text: String::new(), confidence: 0.0, best: 1.0 };
        let best = lattice.best_labels(None);
        let mut trie = Trie::new(&lattice);
        let node = best.iter().fold(Trie::ROOT, |node, &class| trie.child(&lattice, node, class));
        lattice.best = trie.total(&lattice, node).max(f32::MIN_POSITIVE);
        lattice.text = best.iter().filter_map(|&class| alphabet.symbol(class)).collect();
        lattice.confidence = reading.log_likelihood(&best).exp();
        lattice
    }

    /// The greatest probability of a symbol at any step, relative to the likeliest symbol of that step and to the best
    /// text.
    pub fn support(&self, symbols: &Symbols, byte: u8) -> f32 {
        self.support.get(symbols.class(byte)).map_or(0.0, |support| support / self.best)
    }

    /// The time steps of each look.
    pub(super) fn each_look(&self) -> impl Iterator<Item = Range<usize>> {
        self.looks.iter().map(|(steps, _)| steps.clone())
    }

    /// Probabilities by class, relative to the likeliest symbol of the step.
    pub(super) fn step(&self, t: usize) -> &[f32] {
        &self.relative[t * self.classes..(t + 1) * self.classes]
    }
}

/// A node of the [`Trie`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct NodeId(pub(super) u32);

#[derive(Debug)]
struct TrieNode {
    class: u16,
    /// First and next of the children list; 0 (the root) stands for none.
    first_child: u32,
    next_sibling: u32,
    /// None for a ruled-out prefix.
    column: Option<Span>,
    peak: f32,
}

/// The part of a forward column that is not negligible.
#[derive(Debug, Clone, Copy)]
struct Span {
    /// Index of its first entry among all columns.
    offset: u32,
    /// Its first time step.
    first: u16,
    /// Number of time steps.
    length: u16,
}

/// Ink in a move's cell that is not part of the move, such as a clock time: the share of cells that hold any.
///
/// Such ink is passed over as freely as the best text explains it, so the shares are those of a cell, not of a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Beside {
    /// Before the move.
    pub before: f32,
    /// Behind the move.
    pub behind: f32,
}

/// Prefixes scored so far against one lattice.
#[derive(Debug)]
pub struct Trie {
    nodes: Vec<TrieNode>,
    /// Per live node and step: forward probabilities, ending in a blank and ending in the symbol.
    columns: Vec<[f32; 2]>,
    /// The root's children by class; 0 stands for none.
    beginnings: Vec<u32>,
    /// Share of cells with ink behind the text.
    behind: f32,
}

impl Trie {
    /// The empty prefix.
    pub const ROOT: NodeId = NodeId(0);

    /// A trie that holds the empty prefix only.
    pub fn new(lattice: &Lattice) -> Self {
        Self::with_ink_beside(lattice, Beside::default())
    }

    /// The same for cells that may hold other ink beside the text.
    pub fn with_ink_beside(lattice: &Lattice, beside: Beside) -> Self {
        let mut columns: Vec<[f32; 2]> = Vec::with_capacity(lattice.steps);
        for (look, whole) in &lattice.looks {
            let mut blank = *whole;
            columns.extend(look.clone().map(|t| {
                blank *= lattice.step(t)[0];
                [blank + whole * beside.before, 0.0]
            }));
        }
        // The last look must be reached.
        let last = lattice.each_look().last().map_or(0, |look| look.start);
        if let Some(end) = columns[last..].iter().position(|column| column[0] < NEGLIGIBLE * lattice.best) {
            columns.truncate(last + end);
        }
        let span = Span { offset: 0, first: 0, length: columns.len() as u16 };
        let root = TrieNode { class: 0, first_child: 0, next_sibling: 0, column: Some(span), peak: 1.0 };
        Self { nodes: vec![root], columns, beginnings: vec![0; lattice.classes], behind: beside.behind }
    }

    /// The prefix lengthened by a class; scored when first asked for.
    pub fn child(&mut self, lattice: &Lattice, parent: NodeId, class: usize) -> NodeId {
        // Every text starts at the root, whose children are too many to be searched.
        if parent == Self::ROOT && self.beginnings[class] != 0 {
            return NodeId(self.beginnings[class]);
        }
        let mut child = self.nodes[parent.0 as usize].first_child;
        while child != 0 {
            let node = &self.nodes[child as usize];
            if node.class as usize == class {
                return NodeId(child);
            }
            child = node.next_sibling;
        }
        let id = self.nodes.len() as u32;
        let node = self.scored(lattice, parent, class);
        self.nodes.push(node);
        self.nodes[parent.0 as usize].first_child = id;
        if parent == Self::ROOT {
            self.beginnings[class] = id;
        }
        NodeId(id)
    }

    fn scored(&mut self, lattice: &Lattice, parent: NodeId, class: usize) -> TrieNode {
        let above = &self.nodes[parent.0 as usize];
        let mut node =
            TrieNode { class: class as u16, first_child: 0, next_sibling: above.first_child, column: None, peak: 0.0 };
        let (Some(start), true) = (above.column, class > 0) else { return node };
        // No step behind the parent's first supports the symbol: the sum over alignments adds a few times at most.
        let support = lattice.support[start.first as usize * lattice.classes + class];
        if 4.0 * above.peak * support < RULED_OUT * lattice.best {
            return node;
        }
        let above_columns = start.offset as usize..start.offset as usize + start.length as usize;
        let repeated = above.class as usize == class;
        let own = self.columns.len();
        let negligible = NEGLIGIBLE * lattice.best;
        let begin = if parent == Self::ROOT { 0 } else { start.first as usize };
        let (mut from, mut blank, mut symbol, mut first) = (0.0f32, 0.0f32, 0.0f32, begin);
        let mut looks = lattice.looks.iter().skip_while(|(look, _)| look.start < begin).peekable();
        let mut peak = 0.0f32;
        for t in begin..lattice.steps {
            if let Some((_, whole)) = looks.next_if(|(look, _)| look.start == t) {
                // Before the first step of a look only the empty prefix exists.
                (blank, symbol) = (0.0, 0.0);
                from = if parent == Self::ROOT { *whole } else { 0.0 };
                node.peak += std::mem::take(&mut peak);
            }
            let step = lattice.step(t);
            let entered = (symbol + from) * step[class];
            blank = (blank + symbol) * step[0];
            symbol = entered;
            from = 0.0;
            let index = above_columns.start + t - start.first as usize;
            if index < above_columns.end {
                let [above_blank, above_symbol] = self.columns[index];
                from = above_blank + if repeated { 0.0 } else { above_symbol };
            }
            let total = blank + symbol;
            if total < negligible {
                // Also keeps the numbers out of the slow subnormal range.
                (blank, symbol) = (0.0, 0.0);
                if index >= above_columns.end {
                    break;
                }
                if self.columns.len() == own {
                    first = t + 1;
                    continue;
                }
            }
            peak = peak.max(total);
            self.columns.push([blank, symbol]);
        }
        node.peak += peak;
        if node.peak < RULED_OUT * lattice.best {
            self.columns.truncate(own);
        } else {
            let length = (self.columns.len() - own) as u16;
            node.column = Some(Span { offset: own as u32, first: first as u16, length });
        }
        node
    }

    /// Forward score of the prefix as the whole text, in units of the best path. Of several looks it is their number times the
    /// square of the mean square root: what only one look says counts for less than half.
    fn total(&self, lattice: &Lattice, node: NodeId) -> f32 {
        let Some(span) = self.nodes[node.0 as usize].column else { return 0.0 };
        let columns = &self.columns[span.offset as usize..][..span.length as usize];
        let last = lattice.each_look().map(|look| look.end.checked_sub(span.first as usize + 1));
        let ends = last.filter_map(|at| columns.get(at?)).map(|[blank, symbol]| blank + symbol);
        match lattice.looks.len() {
            1 => ends.sum(),
            looks => ends.map(f32::sqrt).sum::<f32>().powi(2) / looks as f32,
        }
    }

    /// Likelihood of the prefix as the whole text, relative to the best text (1 for the best text itself).
    pub fn likelihood(&self, lattice: &Lattice, node: NodeId) -> f32 {
        (self.total(lattice, node) + self.behind * self.nodes[node.0 as usize].peak) / lattice.best
    }

    /// How well the lattice can begin with the prefix, whatever follows; about 1 where the best text begins so.
    pub fn promise(&self, lattice: &Lattice, node: NodeId) -> f32 {
        self.nodes[node.0 as usize].peak / lattice.best
    }

    /// False if the ink rules the prefix out.
    pub fn is_live(&self, node: NodeId) -> bool {
        self.nodes[node.0 as usize].column.is_some()
    }

    /// The node of a text below a node, unless a prefix on the way promises less than `least`.
    pub fn walk(
        &mut self,
        lattice: &Lattice,
        symbols: &Symbols,
        start: NodeId,
        text: &[u8],
        least: f32,
    ) -> Option<NodeId> {
        let hopeful = |trie: &Self, node| trie.is_live(node) && trie.promise(lattice, node) >= least;
        let mut node = start;
        for &byte in text {
            node = self.child(lattice, node, symbols.class(byte));
            if !hopeful(self, node) {
                return None;
            }
        }
        Some(node)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A reading in which each symbol of `text` has probability `p` at its own step, with sure blanks between.
    pub(crate) fn reading_of(text: &str, p: f32, alphabet: &Alphabet) -> Reading {
        let classes = alphabet.classes();
        let mut log_probs = Vec::new();
        for symbol in text.chars() {
            let class = alphabet.class(symbol).unwrap();
            let mut step = vec![((1.0 - p) / (classes - 1) as f32).ln(); classes];
            step[class] = p.ln();
            log_probs.extend(step);
            let mut blank = vec![(0.001 / (classes - 1) as f32).ln(); classes];
            blank[0] = 0.999f32.ln();
            log_probs.extend(blank);
        }
        Reading::new(log_probs, classes)
    }

    pub(crate) fn alphabet() -> Alphabet {
        Alphabet::new("123456789abcdefghxABCDEFGHJKLNOPQRSTVWZ+#=-:./()!?ФЛЦДП♔♕♖♗♘".chars())
    }

    #[test]
    fn the_text_written_scores_one_and_others_less() {
        let alphabet = alphabet();
        let symbols = Symbols::new(&alphabet);
        let lattice = Lattice::new(&reading_of("Nxf3", 0.9, &alphabet), &alphabet, 1.0);
        assert_eq!(lattice.text, "Nxf3");
        assert!(lattice.confidence > 0.6 && lattice.confidence < 0.7);
        let mut trie = Trie::new(&lattice);
        let mut score = |text: &str| {
            let node = trie.walk(&lattice, &symbols, Trie::ROOT, text.as_bytes(), 0.0);
            node.map_or(0.0, |node| trie.likelihood(&lattice, node))
        };
        assert!((score("Nxf3") - 1.0).abs() < 1e-4);
        assert!(score("Nxf5") < 0.01);
        assert!(score("Nf3") < 0.01);
    }

    #[test]
    fn the_trie_agrees_with_the_plain_forward_algorithm() {
        let alphabet = Alphabet::new("ab".chars());
        let symbols = Symbols::new(&alphabet);
        let reading = |steps: [[f32; 3]; 4]| Reading::new(steps.iter().flatten().map(|p| p.ln()).collect(), 3);
        let first = reading([[0.2, 0.5, 0.3], [0.6, 0.3, 0.1], [0.1, 0.7, 0.2], [0.5, 0.2, 0.3]]);
        let second = reading([[0.1, 0.1, 0.8], [0.7, 0.2, 0.1], [0.3, 0.6, 0.1], [0.1, 0.1, 0.8]]);
        // Where every sign is sure, hardly anything can begin with a blank.
        let (a, b) = ([1e-20, 1.0, 1e-20], [1e-20, 1e-20, 1.0]);
        let sure = reading([a, b, a, b]);
        for looks in [&[&first][..], &[&first, &second], &[&second, &sure], &[&sure, &second]] {
            agrees(looks, &alphabet, &symbols);
        }
    }

    fn agrees(looks: &[&Reading], alphabet: &Alphabet, symbols: &Symbols) {
        let reading = Reading::of_looks(looks.iter().map(|&look| look.clone())).unwrap();
        let root = |labels: &[usize]| looks.iter().map(|look| (look.log_likelihood(labels) / 2.0).exp()).sum::<f32>();
        let lattice = Lattice::new(&reading, alphabet, 1.0);
        let mut trie = Trie::new(&lattice);
        let best: Vec<usize> = lattice.text.chars().filter_map(|c| alphabet.class(c)).collect();
        for text in ["", "a", "aa", "ab", "aba", "bb"] {
            let labels: Vec<usize> = text.chars().filter_map(|c| alphabet.class(c)).collect();
            let node = trie.walk(&lattice, symbols, Trie::ROOT, text.as_bytes(), 0.0).unwrap();
            let expected = (root(&labels) / root(&best)).powi(2);
            let got = trie.likelihood(&lattice, node);
            // What one look rules out is lifted to the floor, of which the root counts.
            assert!((got - expected).abs() < 4e-3, "{text}: {got} and {expected}");
        }
    }
}
