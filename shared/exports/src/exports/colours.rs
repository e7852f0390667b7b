//! Cable colours, one per switch (Dietz and Mattox 2000, section 3.1): solid, then transparent (marked by a double triangle),
//! then both again with bars. The switch number beside a colour decides. An alternative palette has eight colours for
//! colour-blind people.
//!
//! The paper names the colours; the paints are our choice. They were found by simulated annealing within each name's range of
//! hue, chroma and lightness, so that the nearest two of all 20 are as far apart as possible for people with and without colour
//! blindness. A test has the distances.

use super::{Choice, Setting, SettingOf};
pub(super) const PALETTE: SettingOf<Palette> = Setting::new("palette", "colours of cables")
    .choice(
        "Palette",
        &[
            Choice::new("papers", "20 colours, as in Dietz and Mattox 2000"),
            Choice::new("colour-blind", "8 colours that colour-blind people can tell apart"),
        ],
    )
    .or("papers")
    .read(|text| Ok(Palette::named(text)));

/// Cable colour of a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colour {
    /// The cable's hue.
    pub hue: &'static str,
    /// Printed colour, as `#rrggbb`.
    pub paint: &'static str,
    /// `true` if black text is legible on it, else white.
    pub dark_text: bool,
    /// `true` if the cable is transparent.
    pub transparent: bool,
    /// From 1; more than 1 where all colours have been used before.
    pub round: u32,
}

/// Colours to choose from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Palette {
    /// Colours of cables in shops (Dietz and Mattox 2000, section 3.1): 12 solid, 8 transparent. To people without cones for red
    /// or for two differ by at least 10 (CIEDE2000), of the first 17 by at least 11.
    Papers,
    /// Eight that differ for people with any of the common kinds of colour blindness: Okabe and Ito, "Color Universal
    /// Design" (2008).
    ColourBlind,
}

impl Palette {
    /// The palette of a setting's value: `papers` or `colour-blind`.
    pub fn named(name: &str) -> Palette {
        if name == "colour-blind" { Palette::ColourBlind } else { Palette::Papers }
    }

    /// Solid and transparent colours.
    fn paints(self) -> [&'static [Paint]; 2] {
        match self {
            Palette::Papers => [&SOLID, &TRANSPARENT],
            Palette::ColourBlind => [&OKABE_ITO, &[]],
        }
    }

    /// The colour of a switch's cables.
    pub fn of(self, switch: u32) -> Colour {
        let [solid, clear] = self.paints();
        let (at, round) = ((switch % self.round()) as usize, switch / self.round() + 1);
        let transparent = at >= solid.len();
        let (hue, paint, dark_text) = if transparent { clear[at - solid.len()] } else { solid[at] };
        Colour { hue, paint, dark_text, transparent, round }
    }

    /// Colours of solid cables, which come first.
    pub(super) fn solids(self) -> u32 {
        self.paints()[0].len() as u32
    }

    /// Colours in one round.
    pub(super) fn round(self) -> u32 {
        self.paints().map(|paints| paints.len() as u32).iter().sum()
    }
}

/// Rounds that bars can mark: more cannot be counted at a glance.
pub(super) const MAX_BARS: u32 = 4;

impl Colour {
    /// Text colour on it.
    pub fn text(&self) -> &'static str {
        if self.dark_text { "#000000" } else { "#ffffff" }
    }

    /// Bars that mark the second round of colours and those after it; none from the sixth on, which a broad one marks.
    pub fn bars(&self) -> u32 {
        if self.is_broad() { 0 } else { self.round - 1 }
    }

    /// `true` if the colour is used more often than bars can show.
    pub fn is_broad(&self) -> bool {
        self.round - 1 > MAX_BARS
    }

    /// The colour in words, such as `transparent blue ×2`.
    pub fn name(&self) -> String {
        let hue = match self {
            Colour { transparent: false, hue, .. } | Colour { hue: hue @ "clear", .. } => (*hue).to_string(),
            Colour { hue, .. } => format!("transparent {hue}"),
        };
        if self.round > 1 { format!("{hue} ×{}", self.round) } else { hue }
    }
}

type Paint = (&'static str, &'static str, bool);

const SOLID: [Paint; 12] = [
    ("blue", "#1055ea", false),
    ("yellow", "#ffc907", true),
    ("red", "#c62f32", false),
    ("green", "#1b8757", true),
    ("white", "#ffffff", true),
    ("black", "#121312", false),
    ("orange", "#f26600", true),
    ("purple", "#4a0073", false),
    ("grey", "#777878", true),
    ("pink", "#f268a6", true),
    ("aqua", "#23b3b6", true),
    ("brown", "#5c2a00", false),
];

const TRANSPARENT: [Paint; 8] = [
    ("blue", "#a1bdfc", true),
    ("yellow", "#fcf59b", true),
    ("red", "#ce8c87", true),
    ("green", "#c4f3cc", true),
    ("clear", "#c3cecc", true),
    ("orange", "#f8a96e", true),
    ("purple", "#aa82d8", true),
    ("aqua", "#91effd", true),
];

const OKABE_ITO: [Paint; 8] = [
    ("blue", "#0072b2", false),
    ("orange", "#e69f00", true),
    ("green", "#009d73", true),
    ("black", "#0a0a0a", false),
    ("yellow", "#f0e442", true),
    ("pink", "#cc79a7", true),
    ("sky blue", "#56b4e9", true),
    ("vermilion", "#d55e00", true),
];

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: [Palette; 2] = [Palette::Papers, Palette::ColourBlind];

    /// Spreadsheets take `1055e6` for a number and save it as another one.
    #[test]
    fn no_paint_is_a_number_that_is_written_otherwise() {
        for paint in
            BOTH.into_iter().flat_map(|palette| (0..palette.round()).map(move |at| palette.of(at).paint))
        {
            let digits = paint.trim_start_matches('#');
            let same = digits.parse::<f64>().is_err()
                || digits.parse::<u32>().is_ok_and(|n| n.to_string() == digits);
            assert!(same, "{paint}");
        }
    }

    /// Red, green and blue, linear, 0 to 1.
    fn light(paint: &str) -> [f64; 3] {
        [1, 3, 5].map(|i| {
            let value = f64::from(u8::from_str_radix(&paint[i..i + 2], 16).unwrap()) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        })
    }

    fn times(matrix: [[f64; 3]; 3], v: [f64; 3]) -> [f64; 3] {
        matrix.map(|row| row.iter().zip(v).map(|(a, b)| a * b).sum())
    }

    fn luminance(paint: &str) -> f64 {
        times([[0.2126, 0.7152, 0.0722]; 3], light(paint))[0]
    }

    /// CIELAB of linear sRGB, white point D65.
    fn lab(rgb: [f64; 3]) -> [f64; 3] {
        const XYZ: [[f64; 3]; 3] =
            [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]];
        let bend = |t: f64| if t > 0.008856 { t.cbrt() } else { 7.787 * t + 16.0 / 116.0 };
        let [x, y, z] = times(XYZ, rgb.map(|c| c.clamp(0.0, 1.0)));
        let [x, y, z] = [x / 0.9505, y, z / 1.089].map(bend);
        [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
    }

    /// How colours look to people who lack the cones for red, for green and for blue (Machado, Oliveira and Fernandes, "A
    /// Physiologically-based Model for Simulation of Color Vision Deficiency", 2009, severity 1.0).
    const BLIND: [[[f64; 3]; 3]; 3] = [
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
    ];

    /// Difference of two colours in CIELAB by CIEDE2000 (ISO/CIE 11664-6). About 1 can just be seen side by side.
    fn difference(one: [f64; 3], other: [f64; 3]) -> f64 {
        let saturated = |chroma: f64| (chroma.powi(7) / (chroma.powi(7) + 25f64.powi(7))).sqrt();
        let mean = (one[1].hypot(one[2]) + other[1].hypot(other[2])) / 2.0;
        let stretch = 1.5 - 0.5 * saturated(mean);
        let polar =
            |[_, a, b]: [f64; 3]| (b.hypot(a * stretch), b.atan2(a * stretch).to_degrees().rem_euclid(360.0));
        let ((c1, h1), (c2, h2)) = (polar(one), polar(other));
        let turn = if c1 * c2 == 0.0 { 0.0 } else { (h2 - h1 + 180.0).rem_euclid(360.0) - 180.0 };
        let hue = match c1 * c2 {
            0.0 => h1 + h2,
            _ if (h1 - h2).abs() <= 180.0 => (h1 + h2) / 2.0,
            _ => ((h1 + h2 + 360.0) / 2.0).rem_euclid(360.0),
        };
        let (lightness, chroma) = ((one[0] + other[0]) / 2.0 - 50.0, (c1 + c2) / 2.0);
        let cos = |times: f64, from: f64| (times * hue + from).to_radians().cos();
        let t = 1.0 - 0.17 * cos(1.0, -30.0) + 0.24 * cos(2.0, 0.0) + 0.32 * cos(3.0, 6.0)
            - 0.2 * cos(4.0, -63.0);
        let l = (other[0] - one[0]) / (1.0 + 0.015 * lightness.powi(2) / (20.0 + lightness.powi(2)).sqrt());
        let c = (c2 - c1) / (1.0 + 0.045 * chroma);
        let h = 2.0 * (c1 * c2).sqrt() * (turn / 2.0).to_radians().sin() / (1.0 + 0.015 * chroma * t);
        let blue = 60.0 * (-((hue - 275.0) / 25.0).powi(2)).exp();
        let rotation = -2.0 * saturated(chroma) * blue.to_radians().sin();
        (l * l + c * c + h * h + rotation * c * h).sqrt()
    }

    /// Pairs of Sharma, Wu and Dalal, "The CIEDE2000 Color-Difference Formula" (2005), table 1.
    #[test]
    fn differences_are_those_of_the_published_pairs() {
        for (one, other, published) in [
            ([50.0, 2.6772, -79.7751], [50.0, 0.0, -82.7485], 2.0425),
            ([50.0, -1.3802, -84.2814], [50.0, 0.0, -82.7485], 1.0000),
            ([50.0, 0.0, 0.0], [50.0, -1.0, 2.0], 2.3669),
            ([50.0, 2.4900, -0.0010], [50.0, -2.4900, 0.0011], 7.2195),
            ([50.0, 2.5, 0.0], [73.0, 25.0, -18.0], 27.1492),
            ([60.2574, -34.0099, 36.2677], [60.4626, -34.1751, 39.4387], 1.2644),
            ([2.0776, 0.0795, -1.1350], [0.9033, -0.0636, -0.5514], 0.9082),
        ] {
            let found = difference(one, other);
            assert!((found - published).abs() < 1e-3, "{found}, {published}");
        }
    }

    /// The least difference between two of the first colours, and whose they are.
    fn nearest(palette: Palette, colours: u32, eyes: [[f64; 3]; 3]) -> (f64, String, String) {
        let seen = |switch: u32| lab(times(eyes, light(palette.of(switch).paint)));
        let pairs = (0..colours).flat_map(|a| (0..a).map(move |b| (a, b)));
        let (a, b) = pairs
            .min_by(|x, y| {
                let [x, y] = [x, y].map(|pair| difference(seen(pair.0), seen(pair.1)));
                x.total_cmp(&y)
            })
            .unwrap();
        (difference(seen(a), seen(b)), palette.of(a).name(), palette.of(b).name())
    }

    const ALL_CONES: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

    #[test]
    fn colours_differ_for_people_with_and_without_colour_blindness() {
        let [no_red, no_green, no_blue] = BLIND;
        for (palette, colours, eyes, least) in [
            (Palette::Papers, 17, ALL_CONES, 12.0),
            (Palette::Papers, 17, no_red, 11.0),
            (Palette::Papers, 17, no_green, 11.0),
            (Palette::Papers, 17, no_blue, 8.0),
            (Palette::Papers, 20, ALL_CONES, 12.0),
            (Palette::Papers, 20, no_red, 10.0),
            (Palette::Papers, 20, no_green, 10.0),
            (Palette::Papers, 20, no_blue, 7.5),
            (Palette::ColourBlind, 8, ALL_CONES, 20.0),
            (Palette::ColourBlind, 8, no_red, 12.0),
            (Palette::ColourBlind, 8, no_green, 11.5),
            (Palette::ColourBlind, 8, no_blue, 10.5),
        ] {
            let nearest = nearest(palette, colours, eyes);
            assert!(nearest.0 >= least, "{palette:?}, {colours} colours: {nearest:?}");
        }
    }

    /// WCAG 2.2, contrast minimum: 4.5 to 1.
    #[test]
    fn text_is_legible_on_every_patch() {
        for palette in BOTH {
            for switch in 0..palette.round() {
                let colour = palette.of(switch);
                let (paint, text) = (luminance(colour.paint), luminance(colour.text()));
                let contrast = (f64::max(paint, text) + 0.05) / (f64::min(paint, text) + 0.05);
                assert!(contrast >= 4.5, "{}: {contrast:.2}", colour.name());
            }
        }
    }

    #[test]
    fn names_differ_within_and_between_rounds() {
        for palette in BOTH {
            let mut names: Vec<String> = (0..3 * palette.round()).map(|s| palette.of(s).name()).collect();
            names.sort();
            names.dedup();
            assert_eq!(names.len(), 3 * palette.round() as usize);
        }
        assert_eq!(Palette::Papers.of(12).name(), "transparent blue");
        assert_eq!((Palette::Papers.of(20).name().as_str(), Palette::Papers.of(20).bars()), ("blue ×2", 1));
        let [last, after] = [99, 100].map(|switch| Palette::Papers.of(switch));
        assert_eq!((last.bars(), last.is_broad(), after.bars(), after.is_broad()), (4, false, 0, true));
    }
}
