//! The QR code of a label. Error correction level M; the quiet zone is four modules wide (ISO/IEC 18004).

use qrcode::{Color, EcLevel, QrCode};

/// Modules of white on each side.
pub const QUIET: f64 = 4.0;

/// A QR code.
pub struct Qr {
    modules: Vec<bool>,
    /// Modules of one side, without the quiet zone.
    pub side: usize,
}

impl Qr {
    /// Encodes a text; none where it is too long for any QR code.
    pub fn of(text: &str) -> Option<Qr> {
        let code = QrCode::with_error_correction_level(text, EcLevel::M).ok()?;
        let side = code.width();
        Some(Qr { modules: code.into_colors().into_iter().map(|c| c == Color::Dark).collect(), side })
    }

    /// Modules of one side with the quiet zone.
    pub fn whole(&self) -> f64 {
        self.side as f64 + 2.0 * QUIET
    }

    /// Dark modules that follow each other in a row: column, row, how many.
    pub fn runs(&self) -> Vec<(usize, usize, usize)> {
        let mut runs = Vec::new();
        for (y, row) in self.modules.chunks_exact(self.side).enumerate() {
            let mut x = 0;
            for run in row.chunk_by(|a, b| a == b) {
                if run[0] {
                    runs.push((x, y, run.len()));
                }
                x += run.len();
            }
        }
        runs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finder_patterns_are_in_three_corners() {
        let qr = Qr::of("https://example.org/designs/0123456789").unwrap();
        assert_eq!((qr.side, qr.whole()), (29, 37.0));
        let runs = qr.runs();
        for corner in [(0, 0), (22, 0), (0, 22)] {
            for y in [0, 6] {
                assert!(runs.contains(&(corner.0, corner.1 + y, 7)), "{corner:?}: {runs:?}");
            }
            assert!(runs.iter().any(|&(x, y, long)| (x, y) == (corner.0 + 2, corner.1 + 3) && long == 3));
        }
        assert!(!runs.contains(&(22, 22, 7)));
        let dark: usize = runs.iter().map(|run| run.2).sum();
        assert_eq!(dark, qr.modules.iter().filter(|dark| **dark).count());
    }

    #[test]
    fn what_is_too_long_is_none() {
        assert!(Qr::of(&"x".repeat(2331)).is_some() && Qr::of(&"x".repeat(2332)).is_none());
    }
}
