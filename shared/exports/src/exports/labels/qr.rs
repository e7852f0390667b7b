//! The QR code of a label. Error correction level M; the quiet zone is four modules wide (ISO/IEC 18004).

use super::super::ExportError;
use qrcode::{Color, EcLevel, QrCode, Version};
use std::{cell::RefCell, rc::Rc};

/// Modules of white on each side.
pub const QUIET: f64 = 4.0;

/// QR codes of nodes, all of one size.
pub struct Codes {
    link: String,
    version: Version,
    /// Modules of one side, without the quiet zone.
    pub side: usize,
    /// The code made last: labels of a node's cables follow each other.
    last: RefCell<Option<(u32, Rc<Qr>)>>,
}

/// A QR code.
pub struct Qr {
    modules: Vec<bool>,
    side: usize,
}

impl Codes {
    /// The codes of nodes 0 to `nodes - 1` of the design with that link.
    ///
    /// # Errors
    /// The link is too long for any QR code.
    pub fn of(link: &str, nodes: u32) -> Result<Codes, ExportError> {
        let longest = text(link, nodes.saturating_sub(1));
        let code = QrCode::with_error_correction_level(longest, EcLevel::M).map_err(|_| {
            ExportError::Setting { choice: "link".into(), why: "the link is too long for a QR code".into() }
        })?;
        Ok(Codes { link: link.into(), version: code.version(), side: code.width(), last: RefCell::default() })
    }

    /// The code of a node; `None` for a node beyond the last.
    pub fn node(&self, node: u32) -> Option<Rc<Qr>> {
        if let Some((_, qr)) = self.last.borrow().as_ref().filter(|(last, _)| *last == node) {
            return Some(qr.clone());
        }
        let code = QrCode::with_version(text(&self.link, node), self.version, EcLevel::M).ok()?;
        let modules = code.into_colors().into_iter().map(|c| c == Color::Dark).collect();
        let qr = Rc::new(Qr { modules, side: self.side });
        *self.last.borrow_mut() = Some((node, qr.clone()));
        Some(qr)
    }

    /// Modules of one side with the quiet zone.
    pub fn whole(&self) -> f64 {
        self.side as f64 + 2.0 * QUIET
    }
}

/// Address of a node's page.
fn text(link: &str, node: u32) -> String {
    format!("{link}/node/{node}")
}

impl Qr {
    /// The code of a text; `None` if the text is too long for one.
    pub fn of(text: &str) -> Option<Qr> {
        let code = QrCode::with_error_correction_level(text, EcLevel::M).ok()?;
        let side = code.width();
        let modules = code.into_colors().into_iter().map(|c| c == Color::Dark).collect();
        Some(Qr { modules, side })
    }

    /// Modules of one side with the quiet zone.
    pub fn whole(&self) -> f64 {
        self.side as f64 + 2.0 * QUIET
    }

    /// Modules of one side, without the quiet zone.
    #[cfg(feature = "server")]
    pub(super) fn side(&self) -> usize {
        self.side
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

    const LINK: &str = "https://example.org/d/0123456789";

    #[test]
    fn finder_patterns_are_in_three_corners() {
        let codes = Codes::of(LINK, 10).unwrap();
        assert_eq!((codes.side, codes.whole()), (29, 37.0));
        let qr = codes.node(7).unwrap();
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
    fn all_nodes_have_codes_of_one_size() {
        let codes = Codes::of(LINK, 100_000).unwrap();
        assert!((0..6).all(|zeros| codes.node(10u32.pow(zeros) - 1).unwrap().side == codes.side));
        assert!(Codes::of(&"x".repeat(2400), 1).is_err());
    }
}
