//! Plots before they are drawn: the range of an axis, and places of labels that do not collide.

use super::words::fixed;
use shared::text::trimmed;

/// Width and height of a plot, in the units of the drawing.
pub const PLOT: (u32, u32) = (640, 400);

/// Width of the labels of the vertical axis, height of those of the horizontal axis.
pub const FRAME: [i32; 2] = [108, 58];

/// Points closer than this share a label.
const NEAR: i32 = 7;
/// Distances of a label from its point; from the second on, a line joins them.
const AWAY: [i32; 5] = [13, 30, 47, 64, 81];
const LETTER: (i32, i32) = (12, 20);

/// The end of a label at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Left end of the label.
    Left,
    /// Right end of the label.
    Right,
    /// Middle of the label.
    Center,
}

/// A label beside its point.
#[derive(Clone, Debug, PartialEq)]
pub struct Name {
    /// The label.
    pub words: String,
    /// The end at `at`.
    pub side: Side,
    /// Place of the label.
    pub at: (i32, i32),
    /// The point, if the label is not right beside it.
    pub from: Option<(i32, i32)>,
}

/// Labels of points. Points in one place share a label; a label goes where it hides no point and no other label. One without such a
/// place is left out: the legend has all of them.
pub fn named(points: &[(&str, (i32, i32))]) -> Vec<Name> {
    let mut places: Vec<(String, (i32, i32))> = Vec::new();
    for &(name, (x, y)) in points {
        let near = |place: &&mut (String, (i32, i32))| {
            (place.1.0 - x).abs() <= NEAR && (place.1.1 - y).abs() <= NEAR
        };
        match places.iter_mut().find(near) {
            Some(place) => place.0 += &format!(", {name}"),
            None => places.push((name.into(), (x, y))),
        }
    }
    let mut taken: Vec<[i32; 4]> =
        points.iter().map(|&(_, (x, y))| [x - NEAR, y - NEAR, x + NEAR, y + NEAR]).collect();
    let mut names = Vec::with_capacity(places.len());
    for (words, (x, y)) in places {
        let (width, half) = (LETTER.0 * words.len() as i32, LETTER.1 / 2);
        let sides = |away: i32| {
            let (up, down) = (y - away - half / 2, y + away + half / 2);
            [
                (Side::Left, (x + away, y), x + away),
                (Side::Right, (x - away, y), x - away - width),
                (Side::Center, (x, up), x - width / 2),
                (Side::Center, (x, down), x - width / 2),
                (Side::Left, (x + away, up), x + away),
                (Side::Right, (x - away, up), x - away - width),
                (Side::Left, (x + away, down), x + away),
                (Side::Right, (x - away, down), x - away - width),
            ]
        };
        let frame = |&(_, (_, y), left): &(Side, (i32, i32), i32)| [left, y - half, left + width, y + half];
        let free = |side: &(Side, (i32, i32), i32)| {
            let [left, top, right, bottom] = frame(side);
            let inside =
                left >= FRAME[0] && right <= PLOT.0 as i32 && top >= 0 && bottom <= PLOT.1 as i32 - FRAME[1];
            inside && taken.iter().all(|o| right < o[0] || o[2] < left || bottom < o[1] || o[3] < top)
        };
        let chosen = AWAY.into_iter().find_map(|away| Some((away, sides(away).into_iter().find(free)?)));
        let Some((away, place)) = chosen else { continue };
        taken.push(frame(&place));
        names.push(Name { words, side: place.0, at: place.1, from: (away > AWAY[0]).then_some((x, y)) });
    }
    names
}

/// The range of an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axis {
    /// Lowest number.
    pub low: f64,
    /// Highest number.
    pub high: f64,
    /// `true` if it is logarithmic.
    pub logarithmic: bool,
    /// `true` for labels at whole numbers only.
    pub is_whole: bool,
}

impl Axis {
    /// Around these values: logarithmic if they differ by a factor of 20 or more and none is 0; else from 0, or if the least is more
    /// than half of the most, from a little below.
    pub fn of(values: impl Iterator<Item = f64> + Clone) -> Axis {
        let (min, max) = (values.clone().fold(f64::MAX, f64::min), values.clone().fold(0.0, f64::max));
        if min <= 0.5 * max || max <= 0.0 {
            return Axis::from_zero(values);
        }
        let room = 0.15 * (max - min).max(0.02 * max);
        Axis { low: min - room, high: max + room, logarithmic: false, is_whole: false }
    }

    /// Logarithmic if they differ by a factor of 20 or more and none is 0, else from 0.
    pub fn from_zero(values: impl Iterator<Item = f64> + Clone) -> Axis {
        let (min, max) = (values.clone().fold(f64::MAX, f64::min), values.fold(0.0, f64::max));
        if min > 0.0 && max >= 20.0 * min {
            Axis { low: min / 1.4, high: max * 1.4, logarithmic: true, is_whole: false }
        } else {
            Axis::linear(std::iter::once(max))
        }
    }

    /// A number on the axis, in the digits that tell it from its neighbours.
    pub fn label(self, number: f64) -> String {
        let size = if self.logarithmic { number } else { self.high };
        let (unit, sign) = match size {
            size if size >= 1e9 => (1e9, " G"),
            size if size >= 1e6 => (1e6, " M"),
            size if size >= 2e4 => (1e3, " k"),
            _ => (1.0, ""),
        };
        let step = if self.logarithmic { number } else { (self.high - self.low) / 10.0 };
        let decimals = (-(step / unit).log10().floor()).clamp(0.0, 9.0) as usize;
        let text = fixed(number / unit, decimals);
        if number == 0.0 { "0".into() } else { trimmed(&text).to_owned() + sign }
    }

    /// From 0 to a little above these values.
    pub fn linear(values: impl Iterator<Item = f64>) -> Axis {
        Axis {
            low: 0.0,
            high: 1.08 * values.fold(0.0, f64::max).max(1e-9),
            logarithmic: false,
            is_whole: false,
        }
    }

    /// Numbers that are 1, 2 or 5 times a power of ten, or only the powers if these are many.
    pub fn decades(&self, max: usize) -> Vec<f64> {
        let (first, last) = (self.low.log10().floor() as i32, self.high.log10().ceil() as i32);
        let of = |digits: &[f64]| -> Vec<f64> {
            let numbers = (first..=last).flat_map(|power| digits.iter().map(move |d| d * 10f64.powi(power)));
            numbers.filter(|number| (self.low..=self.high).contains(number)).collect()
        };
        let fine = of(&[1.0, 2.0, 5.0]);
        if fine.len() <= max { fine } else { of(&[1.0]) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The frame of a label.
    fn frame(name: &Name) -> [i32; 4] {
        let width = LETTER.0 * name.words.len() as i32;
        let left = match name.side {
            Side::Left => name.at.0,
            Side::Right => name.at.0 - width,
            Side::Center => name.at.0 - width / 2,
        };
        [left, name.at.1 - LETTER.1 / 2, left + width, name.at.1 + LETTER.1 / 2]
    }

    #[test]
    fn labels_do_not_collide() {
        let numbers: Vec<String> = (1..=60).map(|number| number.to_string()).collect();
        // Crowded in a corner, in a row, and all over.
        let crowds: [fn(i32) -> (i32, i32); 3] = [
            |n| (200 + 9 * (n % 8), 200 + 9 * (n / 8)),
            |n| (110 + 9 * n, 330),
            |n| (110 + 83 * n % 500, 20 + 47 * n % 300),
        ];
        for crowd in crowds {
            let at: Vec<_> = numbers.iter().zip(0..).map(|(name, n)| (name.as_str(), crowd(n))).collect();
            let names = named(&at);
            let frames: Vec<_> = names.iter().map(frame).collect();
            for (n, a) in frames.iter().enumerate() {
                for b in &frames[..n] {
                    assert!(a[2] < b[0] || b[2] < a[0] || a[3] < b[1] || b[3] < a[1], "{a:?} {b:?}");
                }
            }
            assert!(names.len() > 10, "{}", names.len());
        }
        let shared = named(&[("1", (300, 100)), ("2", (303, 100))]);
        assert_eq!(shared.iter().map(|name| name.words.as_str()).collect::<Vec<_>>(), ["1, 2"]);
    }

    #[test]
    fn an_axis_shows_differences() {
        let axis = |values: &[f64]| Axis::of(values.iter().copied());
        let close = axis(&[12.30, 12.35]);
        assert!(close.low > 12.0 && close.high < 12.6, "{} {}", close.low, close.high);
        assert_eq!((close.label(12.3), close.label(12.35)), ("12.3".into(), "12.35".into()));
        let same = axis(&[7.0, 7.0]);
        assert!(same.low < 7.0 && same.high > 7.0);
        assert_eq!((axis(&[1.0, 9.0]).low, axis(&[0.0, 0.0]).low), (0.0, 0.0));
        let wide = axis(&[1e3, 5e6]);
        assert!(wide.logarithmic);
        assert_eq!([1e3, 5e4, 2e6].map(|number| wide.label(number)), ["1,000", "50 k", "2 M"]);
        let prices = axis(&[156_300.0, 99_600.0]);
        assert_eq!((prices.label(100_000.0), prices.label(0.0)), ("100 k".into(), "0".into()));
    }
}
