//! The colours and labels that charts have in common.

use crate::state::words::clock;
use plotters::style::RGBColor;

/// Colours of one theme, as in the styles.
pub struct Ink {
    /// Numbers at the axes.
    pub words: RGBColor,
    /// Axes and lines across.
    pub faint: RGBColor,
    /// What one looks for.
    pub accent: RGBColor,
    /// What stands behind it.
    pub soft: RGBColor,
    /// One of many thin lines.
    pub island: RGBColor,
    /// What went well.
    pub good: RGBColor,
    /// What gave up.
    pub warn: RGBColor,
    /// What cannot be.
    pub bad: RGBColor,
}

impl Ink {
    /// The colours of the light or the dark theme.
    pub fn of(dark: bool) -> Ink {
        match dark {
            false => Ink {
                words: RGBColor(70, 74, 80),
                faint: RGBColor(222, 225, 229),
                accent: RGBColor(11, 87, 164),
                soft: RGBColor(130, 136, 144),
                island: RGBColor(120, 158, 200),
                good: RGBColor(11, 107, 52),
                warn: RGBColor(150, 98, 0),
                bad: RGBColor(176, 13, 28),
            },
            true => Ink {
                words: RGBColor(176, 182, 190),
                faint: RGBColor(52, 57, 63),
                accent: RGBColor(110, 178, 255),
                soft: RGBColor(140, 146, 154),
                island: RGBColor(74, 116, 164),
                good: RGBColor(127, 220, 159),
                warn: RGBColor(240, 195, 107),
                bad: RGBColor(255, 138, 138),
            },
        }
    }
}

/// A time on an axis that ends at `most` seconds.
pub fn seconds_label(seconds: f64, most: f64) -> String {
    match most {
        m if m < 1.0 => format!("{:.0} ms", 1000.0 * seconds),
        m if m < 5.0 => format!("{seconds:.1} s"),
        m if m < 120.0 => format!("{seconds:.0} s"),
        _ => clock(seconds),
    }
}
