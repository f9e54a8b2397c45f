//! Trains the move prior `models/policy.bin` on games, and judges it: `cargo run --release --example policy -- --help`.
//!
//! Maximum likelihood of the moves played among the legal ones, by stochastic gradient steps of one position each, with
//! a rate of its own for every weight (Duchi, Hazan, Singer 2011, "Adaptive Subgradient Methods", figure 1). Features
//! and layers are those of `src/decode/prior`.

use clap::Parser;
use cozy_chess::util::parse_san_move;
use cozy_chess::{BitBoard, Board, Move, Piece, get_pawn_attacks};
use scoresheet::decode::prior::features::{FEATURES, INPUTS, MOST_INPUTS, View};
use scoresheet::decode::prior::{BYTES, HIDDEN, MovePrior, OUTPUTS, Policy, TABLE, UNITS};
use scoresheet::notation::{MoveShape, legal_shapes};
use std::collections::HashSet;
use std::io::Read;
use std::path::PathBuf;

#[derive(Parser)]
struct Args {
    /// Games, tab separated with a header that names white_elo, black_elo and moves (SAN, separated by spaces); `-`
    /// reads standard input.
    games: PathBuf,
    /// Where the model is written; without it the embedded model is judged only.
    #[arg(long)]
    out: Option<PathBuf>,
    /// More games of the same form to judge by: none of them is trained on.
    #[arg(long)]
    check: Vec<PathBuf>,
    /// Passes over the games.
    #[arg(long, default_value_t = 2)]
    passes: usize,
    /// Then a pass over the games with a player rated below this.
    #[arg(long, default_value_t = 2300)]
    club: u32,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Rates of learning at the start, of the table and of the layers; they fall to nothing.
    #[arg(long, num_args = 2, default_values_t = [0.05, 0.03])]
    rates: Vec<f32>,
    /// Read at most this many games.
    #[arg(long)]
    limit: Option<usize>,
}

/// One game in so many is held out.
const HELD_OUT: usize = 50;
/// Games that share so many plies count as one.
const SAME: usize = 40;

struct Game {
    moves: Vec<String>,
    /// The lower rating of the two players, where it is known.
    rating: Option<u32>,
}

fn main() {
    let args = Args::parse();
    let checks: Vec<(String, Vec<Game>)> =
        args.check.iter().map(|path| (path.display().to_string(), read(path, None))).collect();
    let mut seen: HashSet<Vec<String>> =
        checks.iter().flat_map(|(_, games)| games).map(|game| beginning(&game.moves)).collect();
    let mut games = read(&args.games, args.limit);
    let all = games.len();
    games.retain(|game| game.moves.len() >= 10 && seen.insert(beginning(&game.moves)));
    let (mut train, mut held_out) = (Vec::new(), Vec::new());
    for (i, game) in games.into_iter().enumerate() {
        if i % HELD_OUT == 0 { held_out.push(game) } else { train.push(game) }
    }
    println!("{all} games; {} to train on, {} held out", train.len(), held_out.len());
    let mut sets = vec![("held out".to_owned(), held_out)];
    sets.extend(checks);
    if let Some(out) = &args.out {
        let model = learn(&mut train, &sets, &args);
        let bytes = model.bytes();
        std::fs::write(out, &bytes).expect("the model is written");
        judge("learned", &Policy::parse(&bytes).expect("sizes agree"), &sets);
    } else {
        judge("embedded", Policy::embedded(), &sets);
    }
    judge("rules of thumb", &RulesOfThumb, &sets);
}

fn beginning(moves: &[String]) -> Vec<String> {
    moves[..moves.len().min(SAME)].to_vec()
}

fn read(path: &PathBuf, limit: Option<usize>) -> Vec<Game> {
    let mut text = String::new();
    if path.as_os_str() == "-" {
        std::io::stdin().read_to_string(&mut text).expect("games on standard input");
    } else {
        text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
    let column = |name: &str| header.iter().position(|h| *h == name).unwrap_or_else(|| panic!("no column {name}"));
    let (white, black, moves) = (column("white_elo"), column("black_elo"), column("moves"));
    lines
        .take(limit.unwrap_or(usize::MAX))
        .map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            let rating = [white, black].iter().filter_map(|&i| fields[i].parse().ok()).min();
            Game { moves: fields[moves].split(' ').map(str::to_owned).collect(), rating }
        })
        .collect()
}

/// Calls back for every position of a game with the legal moves and the number of the one played.
fn for_each_position(game: &Game, mut visit: impl FnMut(&Board, Option<Move>, &[(Move, MoveShape)], usize)) {
    let mut board = Board::default();
    let mut last = None;
    let mut shapes = Vec::new();
    for san in &game.moves {
        let Ok(mv) = parse_san_move(&board, san) else { return };
        shapes.clear();
        legal_shapes(&board, &mut shapes);
        let Some(played) = shapes.iter().position(|(m, _)| *m == mv) else { return };
        visit(&board, last, &shapes, played);
        board.play_unchecked(mv);
        last = Some(mv);
    }
}

fn judge(name: &str, prior: &dyn MovePrior, sets: &[(String, Vec<Game>)]) {
    for (set, games) in sets {
        let (mut count, mut first, mut third, mut loss) = (0usize, 0.0f64, 0.0f64, 0.0f64);
        let mut out = Vec::new();
        for game in games {
            for_each_position(game, |board, last, moves, played| {
                prior.scores(board, last, moves, &mut out);
                let better = out.iter().filter(|&&p| p > out[played]).count();
                count += 1;
                // Of moves that are alike, each is as often the first.
                let alike = out.iter().filter(|&&p| p == out[played]).count();
                let within = |places: usize| places.saturating_sub(better).min(alike) as f64 / alike as f64;
                first += within(1);
                third += within(3);
                loss += f64::from(total(&out) - out[played]);
            });
        }
        let share = |part: f64| part / count.max(1) as f64;
        println!(
            "{name}: {set}: {count} positions, first {:.4}, first three {:.4}, cross-entropy {:.4}",
            share(first),
            share(third),
            share(loss)
        );
    }
}

/// The logarithm of the sum of exponentials.
fn total(scores: &[f32]) -> f32 {
    let top = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    scores.iter().map(|score| (score - top).exp()).sum::<f32>().ln() + top
}

/// What the policy is measured against, weighed by hand: people take what is worth more, castle, and seldom leave a
/// piece where a pawn takes it.
struct RulesOfThumb;

impl MovePrior for RulesOfThumb {
    fn scores(&self, board: &Board, _: Option<Move>, moves: &[(Move, MoveShape)], out: &mut Vec<f32>) {
        let them = !board.side_to_move();
        let pawns = board.colored_pieces(them, Piece::Pawn).into_iter();
        let guarded = pawns.fold(BitBoard::EMPTY, |attacks, square| attacks | get_pawn_attacks(square, them));
        let worth = |piece: Piece| [1.0, 3.0, 3.0, 5.0, 9.0, 4.0f32][piece as usize];
        out.clear();
        out.extend(moves.iter().map(|(_, shape)| {
            let takes = |taken| 0.7 + 0.35 * (worth(taken) - worth(shape.piece)).clamp(-3.0, 5.0);
            let exposed = shape.piece != Piece::Pawn && guarded.has(shape.to);
            let promotes = shape.promotion.map_or(0.0, |piece| if piece == Piece::Queen { 1.5 } else { -2.5 });
            let walks = shape.piece == Piece::King && !shape.castles && board.occupied().len() > 14;
            let says = |said: bool, weight: f32| if said { weight } else { 0.0 };
            shape.captured.map_or(0.0, takes) + promotes - says(exposed, 1.0) + says(shape.castles, 1.5)
                - says(walks, 0.7)
        }));
    }
}

/// Weights with the sums of their squared gradients.
struct Weights {
    values: Vec<[f32; 2]>,
    bound: f32,
    rate: f32,
}

impl Weights {
    fn step(value: &mut [f32; 2], gradient: f32, rate: f32, bound: f32) {
        value[1] += gradient * gradient;
        value[0] = (value[0] - rate * gradient / value[1].sqrt()).clamp(-bound, bound);
    }

    fn new(count: usize, unit: f32, rate: f32, spread: f32, random: &mut Random) -> Self {
        let values = (0..count).map(|_| [spread * (2.0 * random.share() - 1.0), 0.02]).collect();
        Self { values, bound: 127.0 * unit, rate }
    }
}

struct Model {
    table: Weights,
    hidden: Weights,
    rows: Weights,
}

impl Model {
    /// One step towards the move played; returns its loss. `slow` is the share of the rates.
    fn learn(
        &mut self,
        view: &View,
        moves: &[(Move, MoveShape)],
        played: usize,
        slow: f32,
        scratch: &mut Scratch,
    ) -> f32 {
        let mut inputs = [0; MOST_INPUTS];
        let count = view.inputs(&mut inputs);
        let mut hidden = [0.0f32; HIDDEN];
        hidden.iter_mut().zip(&self.hidden.values[..HIDDEN]).for_each(|(h, w)| *h = w[0]);
        for &input in &inputs[..count] {
            let start = (1 + usize::from(input)) * HIDDEN;
            hidden.iter_mut().zip(&self.hidden.values[start..start + HIDDEN]).for_each(|(h, w)| *h += w[0]);
        }
        hidden.iter_mut().for_each(|h| *h = h.max(0.0));
        scratch.features.clear();
        scratch.scores.clear();
        for (_, shape) in moves {
            let features = view.features(shape);
            let mut score: f32 = features.iter().map(|&f| self.table.values[f as usize][0]).sum();
            for row in view.outputs(shape) {
                let row = &self.rows.values[row * HIDDEN..(row + 1) * HIDDEN];
                score += hidden.iter().zip(row).map(|(h, w)| h * w[0]).sum::<f32>();
            }
            scratch.features.push(features);
            scratch.scores.push(score);
        }
        let total = total(&scratch.scores);
        let mut back = [0.0f32; HIDDEN];
        for (i, (_, shape)) in moves.iter().enumerate() {
            let error = (scratch.scores[i] - total).exp() - f32::from(u8::from(i == played));
            if error.abs() < 2e-4 {
                continue;
            }
            let rate = self.table.rate * slow;
            for &feature in &scratch.features[i] {
                Weights::step(&mut self.table.values[feature as usize], error, rate, self.table.bound);
            }
            let (rate, bound) = (self.rows.rate * slow, self.rows.bound);
            for row in view.outputs(shape) {
                let row = &mut self.rows.values[row * HIDDEN..(row + 1) * HIDDEN];
                for ((w, &h), b) in row.iter_mut().zip(&hidden).zip(&mut back) {
                    *b += error * w[0];
                    Weights::step(w, error * h, rate, bound);
                }
            }
        }
        back.iter_mut().zip(&hidden).filter(|(_, h)| **h <= 0.0).for_each(|(b, _)| *b = 0.0);
        let (rate, bound) = (self.hidden.rate * slow, self.hidden.bound);
        let rows = inputs[..count].iter().map(|&input| (1 + usize::from(input)) * HIDDEN);
        for start in std::iter::once(0).chain(rows) {
            let row = &mut self.hidden.values[start..start + HIDDEN];
            row.iter_mut().zip(&back).for_each(|(w, &b)| Weights::step(w, b, rate, bound));
        }
        total - scratch.scores[played]
    }

    fn bytes(&self) -> Vec<u8> {
        let whole = |weights: &Weights, unit: f32| -> Vec<u8> {
            weights.values.iter().map(|w| (w[0] / unit).round().clamp(-127.0, 127.0) as i8 as u8).collect()
        };
        let parts = [(&self.table, UNITS[0]), (&self.hidden, UNITS[1]), (&self.rows, UNITS[2])];
        let bytes = parts.map(|(weights, unit)| whole(weights, unit)).concat();
        assert_eq!(bytes.len(), BYTES);
        bytes
    }
}

/// What one step needs, kept from step to step.
#[derive(Default)]
struct Scratch {
    features: Vec<[u32; FEATURES]>,
    scores: Vec<f32>,
}

fn learn(games: &mut [Game], sets: &[(String, Vec<Game>)], args: &Args) -> Model {
    let mut random = Random(args.seed);
    let mut model = Model {
        table: Weights::new(TABLE, UNITS[0], args.rates[0], 0.0, &mut random),
        hidden: Weights::new(HIDDEN * (1 + INPUTS), UNITS[1], args.rates[1], 0.15, &mut random),
        rows: Weights::new(HIDDEN * OUTPUTS, UNITS[2], args.rates[1], 0.1, &mut random),
    };
    let club: Vec<usize> = (0..games.len()).filter(|&i| games[i].rating.is_some_and(|r| r < args.club)).collect();
    let mut order: Vec<usize> = Vec::new();
    for pass in 0..=args.passes {
        let mut part = if pass < args.passes { (0..games.len()).collect() } else { club.clone() };
        random.shuffle(&mut part);
        order.extend(part);
    }
    println!("{} games of clubs; {} in all passes", club.len(), order.len());
    let mut scratch = Scratch::default();
    let (mut loss, mut count) = (0.0f64, 0usize);
    for (i, &game) in order.iter().enumerate() {
        let slow = 1.0 - 0.98 * i as f32 / order.len() as f32;
        for_each_position(&games[game], |board, last, moves, played| {
            let view = View::new(board, last);
            loss += f64::from(model.learn(&view, moves, played, slow, &mut scratch));
            count += 1;
        });
        if (i + 1) % 5000 == 0 {
            println!("{} games: {:.4}", i + 1, loss / count as f64);
            (loss, count) = (0.0, 0);
        }
        if (i + 1) % 50000 == 0 {
            judge("so far", &Policy::parse(&model.bytes()).expect("sizes agree"), sets);
        }
    }
    model
}

/// Marsaglia's xorshift.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn share(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1u64 << 24) as f32
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, (self.next() % (i as u64 + 1)) as usize);
        }
    }
}
