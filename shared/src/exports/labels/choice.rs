//! What may be chosen for labels.

use super::{
    super::{
        colours::Palette,
        settings::{Setting, Settings},
    },
    sheet,
};

/// What is chosen for labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labels {
    /// The name of what they are printed on.
    pub(in super::super) sheet: &'static str,
    /// Which colours cables have.
    pub(in super::super) palette: Palette,
    /// What the QR code on each label says; none without.
    pub(in super::super) qr: Option<String>,
    /// What is labelled.
    pub(in super::super) of: Of,
}

/// What is labelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// Each PE, with all its NIs.
    Pe,
    /// Both ends of each cable.
    Cable,
    /// Nothing: rulers, outlines of the labels and patches of the colours.
    Calibration,
}

impl Default for Labels {
    fn default() -> Labels {
        Labels { sheet: sheet::sheets()[0].name, palette: Palette::Papers, qr: None, of: Of::Pe }
    }
}

/// Most characters of a QR code's text.
const LONGEST: usize = 300;

pub(in super::super) const SHEET: Setting = Setting {
    name: "sheet",
    purpose: "what labels are printed on: paper (A4 or Letter), a4, letter, Avery's die-cut sheets, or tape of 9, 12 or 24 mm",
    accepted: "paper, a4, letter, l7159, l7160, l7651, 5160, 5163, 5167, tape9, tape12 and tape24",
    default: "paper",
    set: |settings: &mut Settings, value| {
        settings.labels.sheet = sheet::known(value)?;
        Some(())
    },
};

pub(in super::super) const PALETTE: Setting = Setting {
    name: "palette",
    purpose: "the colours of cables: 20 of the LCPC paper's kind, or 8 that colour-blind people can tell apart",
    accepted: "papers and colour-blind",
    default: "papers",
    set: |settings: &mut Settings, value| {
        settings.labels.palette = Palette::named(value)?;
        Some(())
    },
};

pub(in super::super) const QR: Setting = Setting {
    name: "qr",
    purpose: "the text of a QR code on each label, such as the design's link",
    accepted: "1 to 300 characters",
    default: "",
    set: |settings: &mut Settings, value| {
        let fits = (1..=LONGEST).contains(&value.chars().count()) && !value.contains(char::is_control);
        settings.labels.qr = Some(fits.then(|| value.to_owned())?);
        Some(())
    },
};

pub(in super::super) const OF: Setting = Setting {
    name: "of",
    purpose: "what is labelled: each PE, both ends of each cable, or nothing: a calibration page to print first",
    accepted: "pe, cable and calibration",
    default: "pe",
    set: |settings: &mut Settings, value| {
        settings.labels.of = match value {
            "pe" => Of::Pe,
            "cable" => Of::Cable,
            "calibration" => Of::Calibration,
            _ => return None,
        };
        Some(())
    },
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sheet_is_among_what_is_accepted() {
        let named: Vec<&str> =
            SHEET.accepted.split([',', ' ']).filter(|w| !w.is_empty() && *w != "and").collect();
        let known: Vec<&str> = sheet::sheets().iter().map(|sheet| sheet.name).collect();
        assert_eq!(named, known);
        assert_eq!(SHEET.default, Labels::default().sheet);
    }
}
