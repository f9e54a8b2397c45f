//! A column of numbers, and where each of them stands.

use super::median;

/// How much the distances of handwritten numbers differ from one to the next, in shares of the pitch: those of forms by at most
/// 0.026, those of most hands by 0.06 and more.
const UNEVEN: f32 = 0.035;

/// Share of the numbers behind which moves stand close, from which on all of them are taken to begin there.
const CLOSE: f32 = 0.3;

/// A column of numbers that go down the page.
#[derive(Debug, Clone)]
pub(super) struct List {
    /// The first number.
    pub first: usize,
    /// The left end and the middle of the number, by number from the first one on.
    pub places: Vec<[f32; 2]>,
    /// The left end and the middle of the numbers behind which their moves stand close, and where they end.
    pub joined: Vec<[f32; 3]>,
    /// What the numbers say together (natural logarithm).
    pub evidence: f32,
}

impl List {
    /// The last number.
    pub fn last(&self) -> usize {
        self.first + self.places.len() - 1
    }

    pub fn at(&self, number: f32) -> [f32; 2] {
        let last = self.places.len() - 1;
        let position = number - self.first as f32;
        if last == 0 {
            return self.places[0];
        }
        // Beyond the ends as it goes from end to end.
        if position < 0.0 || position > last as f32 {
            let end = if position < 0.0 { 0 } else { last };
            let step = [0, 1].map(|axis| (self.places[last][axis] - self.places[0][axis]) / last as f32);
            return [0, 1].map(|axis| self.places[end][axis] + (position - end as f32) * step[axis]);
        }
        let low = (position as usize).min(last - 1);
        let share = position - low as f32;
        [0, 1].map(|axis| self.places[low][axis] + share * (self.places[low + 1][axis] - self.places[low][axis]))
    }

    /// The list with places from one number to another, both among them: beyond its ends it goes on as from end to end, and the
    /// shorter it is the more as the other one does, whose numbers beside it are smaller by so much.
    pub fn reaching(&self, [first, last]: [i32; 2], other: &Self, smaller: i32) -> Self {
        let own = (self.places.len() as f32 / other.places.len() as f32).powi(2).min(1.0);
        let place = |number: i32| {
            let number = number as f32;
            let end = number.clamp(self.first as f32, self.last() as f32);
            let (at_end, straight) = (self.at(end), self.at(number));
            if number == end {
                return straight;
            }
            let [from, to] = [end, number].map(|number| other.at(number - smaller as f32));
            [0, 1].map(|axis| own * straight[axis] + (1.0 - own) * (at_end[axis] + to[axis] - from[axis]))
        };
        Self { first: first.max(0) as usize, places: (first..=last).map(place).collect(), ..self.clone() }
    }

    pub fn pitch(&self) -> f32 {
        let last = self.places.len().max(2) - 1;
        (self.places[self.places.len() - 1][1] - self.places[0][1]) / last as f32
    }

    /// Whether the hand writes moves close behind their numbers.
    pub fn is_joined(&self) -> bool {
        self.joined.len() as f32 > CLOSE * self.places.len() as f32
    }

    /// Whether from number to number the distance differs as it does in writing.
    pub fn is_uneven(&self) -> bool {
        let bend = |three: &[[f32; 2]]| (three[2][1] - 2.0 * three[1][1] + three[0][1]).abs();
        median(self.places.windows(3).map(bend)).is_some_and(|bend| bend > UNEVEN * self.pitch())
    }

    /// The left end of the numbers at a height.
    pub fn x_at(&self, y: f32) -> f32 {
        let (first, last) = (self.places[0], self.places[self.places.len() - 1]);
        first[0] + (last[0] - first[0]) * (y - first[1]) / (last[1] - first[1]).max(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_list_goes_on_as_a_long_one_beside_it() {
        let list = |x: f32, first: usize, count: usize, pitch: f32, lean: f32| List {
            first,
            places: (0..count).map(|row| [x + lean * row as f32, 300.0 + pitch * row as f32]).collect(),
            joined: Vec::new(),
            evidence: 20.0,
        };
        // Over a few numbers the hand leans more and writes closer.
        let (long, short) = (list(100.0, 1, 30, 40.0, 1.0), list(500.0, 31, 6, 36.0, -2.0));
        let whole = short.reaching([31, 60], &long, 30);
        assert_eq!((whole.first, whole.last()), (31, 60));
        assert_eq!(whole.places[..6], short.places[..], "what is read stays where it stands");
        let [x, y] = whole.places[29];
        assert!((x - 514.0).abs() < 4.0 && (y - 1440.0).abs() < 8.0, "{x} {y}");
        let [x, y] = long.reaching([0, 31], &short, -30).places[31];
        assert!((x - 130.0).abs() < 0.1 && (y - 1500.0).abs() < 0.1, "a long one goes on by itself: {x} {y}");
    }
}
