//! The colours and labels of all charts.

use crate::state::words::clock;
use plotters::style::RGBColor;

/// Colours of one theme, as in the styles.
pub struct Ink {
    /// Numbers at the axes.
    pub words: RGBColor,
    /// Axes and grid lines.
    pub faint: RGBColor,
    /// The most important line.
    pub accent: RGBColor,
    /// The line behind it.
    pub soft: RGBColor,
    /// One of many thin lines.
    pub island: RGBColor,
    /// Success.
    pub good: RGBColor,
    /// Failure.
    pub warn: RGBColor,
    /// Proven impossible.
    pub bad: RGBColor,
    /// Numbered lines.
    pub lines: [RGBColor; 6],
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
                lines: [
                    RGBColor(11, 87, 164),
                    RGBColor(190, 80, 0),
                    RGBColor(0, 122, 92),
                    RGBColor(168, 50, 128),
                    RGBColor(112, 98, 20),
                    RGBColor(96, 72, 180),
                ],
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
                lines: [
                    RGBColor(110, 178, 255),
                    RGBColor(255, 168, 92),
                    RGBColor(84, 208, 168),
                    RGBColor(240, 146, 208),
                    RGBColor(214, 196, 92),
                    RGBColor(178, 160, 255),
                ],
            },
        }
    }
}

impl Ink {
    /// The colour of a line by its number, from 1 on.
    pub fn line(&self, number: u32) -> RGBColor {
        self.lines[number.saturating_sub(1) as usize % self.lines.len()]
    }
}

/// A time on an axis that ends at `end` seconds.
pub fn seconds_label(seconds: f64, end: f64) -> String {
    match end {
        m if m < 1.0 => format!("{:.0} ms", 1000.0 * seconds),
        m if m < 5.0 => format!("{seconds:.1} s"),
        m if m < 120.0 => format!("{seconds:.0} s"),
        _ => clock(seconds),
    }
}
