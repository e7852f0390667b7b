//! The colours of cables, one a switch (LCPC paper, section 3.1): solid ones first, then transparent ones, which a
//! double triangle marks, then both again. After one round the switch's number, which is always beside a colour,
//! decides.

/// What cable a switch gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Colour {
    /// The cable's hue.
    pub hue: &'static str,
    /// What to print, as `#rrggbb`.
    pub paint: &'static str,
    /// Whether black or white is legible on it.
    pub dark_text: bool,
    /// Whether the cable is transparent.
    pub transparent: bool,
    /// From 1; more than 1 where all colours have been used before.
    pub round: u32,
}

impl Colour {
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

/// Colours of solid cables, which come first.
pub(super) const SOLIDS: u32 = SOLID.len() as u32;

/// Colours in one round.
pub(super) const ROUND: u32 = (SOLID.len() + TRANSPARENT.len()) as u32;

/// The colour of a switch's cables.
pub(super) fn of(switch: u32) -> Colour {
    let at = (switch % ROUND) as usize;
    let transparent = at >= SOLID.len();
    let (hue, paint, dark_text) = if transparent { TRANSPARENT[at - SOLID.len()] } else { SOLID[at] };
    Colour { hue, paint, dark_text, transparent, round: switch / ROUND + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn luminance(paint: &str) -> f64 {
        let channel = |i: usize| {
            let value = f64::from(u8::from_str_radix(&paint[i..i + 2], 16).unwrap()) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
    }

    /// WCAG 2.2, contrast minimum: 4.5 to 1.
    #[test]
    fn text_is_legible_on_every_patch() {
        for switch in 0..ROUND {
            let colour = of(switch);
            let (paint, text) = (luminance(colour.paint), if colour.dark_text { 0.0 } else { 1.0 });
            let contrast = (f64::max(paint, text) + 0.05) / (f64::min(paint, text) + 0.05);
            assert!(contrast >= 4.5, "{}: {contrast:.2}", colour.name());
        }
    }

    #[test]
    fn names_differ_within_and_between_rounds() {
        let mut names: Vec<String> = (0..3 * ROUND).map(|s| of(s).name()).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), 3 * ROUND as usize);
        assert_eq!(of(12).name(), "transparent blue");
        assert_eq!(of(ROUND).name(), "blue ×2");
    }
}
