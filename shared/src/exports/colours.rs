//! Cable colours, one per switch (LCPC paper, section 3.1): solid, then transparent (marked by a double triangle), then both again
//! with bars. The switch number beside a colour decides. An alternative palette has eight colours for colour-blind people.

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
    /// Those of cables in shops, as in the LCPC paper: 12 solid, 8 transparent.
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
    ("blue", "#0050b5", false),
    ("yellow", "#ffd500", true),
    ("red", "#c8102e", false),
    ("green", "#007a33", false),
    ("white", "#ffffff", true),
    ("black", "#161616", false),
    ("orange", "#ff8200", true),
    ("purple", "#6d2077", false),
    ("grey", "#9ea2a2", true),
    ("pink", "#f59bbb", true),
    ("aqua", "#00b5c9", true),
    ("brown", "#6b3d1c", false),
];

const TRANSPARENT: [Paint; 8] = [
    ("blue", "#a3c4f0", true),
    ("yellow", "#fff0a0", true),
    ("red", "#f2a6ae", true),
    ("green", "#a5dcb4", true),
    ("clear", "#eef3f6", true),
    ("orange", "#ffcd99", true),
    ("purple", "#d2b1dc", true),
    ("aqua", "#a9e6ec", true),
];

const OKABE_ITO: [Paint; 8] = [
    ("blue", "#0072b2", false),
    ("orange", "#e69f00", true),
    ("green", "#009e73", true),
    ("black", "#000000", false),
    ("yellow", "#f0e442", true),
    ("pink", "#cc79a7", true),
    ("sky blue", "#56b4e9", true),
    ("vermilion", "#d55e00", true),
];

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: [Palette; 2] = [Palette::Papers, Palette::ColourBlind];

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

    /// The least CIELAB distance between two solid colours, and whose they are.
    fn nearest(palette: Palette, eyes: [[f64; 3]; 3]) -> (f64, &'static str, &'static str) {
        let seen = |switch: u32| lab(times(eyes, light(palette.of(switch).paint)));
        let mut nearest = (f64::INFINITY, "", "");
        for a in 0..palette.solids() {
            for b in 0..a {
                let apart = seen(a).iter().zip(seen(b)).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
                if apart < nearest.0 {
                    nearest = (apart, palette.of(a).hue, palette.of(b).hue);
                }
            }
        }
        nearest
    }

    /// A difference of about 2.3 can just be seen side by side; ten are plain at arm's length.
    #[test]
    fn colour_blind_people_can_tell_their_palette_apart_and_not_the_papers() {
        for eyes in BLIND {
            let apart = nearest(Palette::ColourBlind, eyes);
            assert!(apart.0 > 10.0, "{apart:?}");
        }
        let papers = BLIND.map(|eyes| nearest(Palette::Papers, eyes).0);
        assert!(papers.iter().any(|apart| *apart < 10.0), "{papers:?}");
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
