//! Markets that come with the program, and the choice of a market. Those of the papers have the papers' figures; the others
//! are assumptions to replace.

use super::{Market, MarketForm};
use crate::spec::{Fault, Faults, Spec};

/// A market that comes with the program.
pub struct Preset {
    /// Name on the command line.
    pub key: &'static str,
    /// Label.
    pub title: &'static str,
    /// Source of its figures.
    pub source: &'static str,
    text: &'static str,
}

/// All presets.
pub const PRESETS: &[Preset] = &[
    COMMON,
    Preset {
        key: "10g",
        title: "10 Gigabit Ethernet, an assumption",
        source: "rounded list prices; replace them with your own quotes",
        text: include_str!("10g.toml"),
    },
    Preset {
        key: "25g",
        title: "25 Gigabit Ethernet, an assumption",
        source: "rounded list prices; replace them with your own quotes",
        text: include_str!("25g.toml"),
    },
    BASE,
    Preset {
        key: "1999",
        title: "Myrinet, November 1999",
        source: "topology paper, table 1",
        text: include_str!("1999.toml"),
    },
];

/// Default for specs without prices.
pub const COMMON: Preset = Preset {
    key: "1g",
    title: "Gigabit Ethernet, an assumption",
    source: "rounded list prices of unmanaged and managed switches; replace them with your own quotes",
    text: include_str!("1g.toml"),
};

/// Speeds and model of the spec's own hardware.
const BASE: Preset = Preset {
    key: "1998",
    title: "Fast Ethernet, Spring 1998",
    source: "P-Mesh paper, table 1 and section 1.1",
    text: include_str!("1998.toml"),
};

/// The preset with that key.
pub fn preset(key: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.key == key)
}

impl Preset {
    /// As a form.
    ///
    /// # Panics
    /// Never: tests parse every preset.
    pub fn form(&self) -> MarketForm {
        MarketForm::parse(self.text).expect("a preset")
    }

    /// Prices and available hardware.
    ///
    /// # Panics
    /// Never: tests parse every preset.
    pub fn market(&self) -> Market {
        self.form().resolve().expect("a preset")
    }
}

/// Key of the spec's own hardware.
pub const OWN: &str = "spec";

/// A market, and where it comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct Chosen {
    /// Prices and available hardware.
    pub market: Market,
    /// `true` for the spec's own hardware.
    pub own: bool,
}

/// `true` if a spec has any price.
pub fn has_prices(spec: &Spec) -> bool {
    spec.ni_price.is_some()
        || spec.cable_price.is_some()
        || spec.switches.iter().any(|model| model.price.is_some())
}

/// The spec's own hardware, with the speeds and the model of the P-Mesh paper, which specs lack.
pub fn own(spec: &Spec) -> Market {
    Market::of_spec(spec, &BASE.market())
}

/// The market of `text`: `spec`, the key of a preset, or TOML text; if empty, the spec's own if it has prices, else
/// [`COMMON`].
///
/// # Errors
/// An unknown key, or every fault of the TOML text, at `prices.` and the key.
pub fn chosen(spec: &Spec, text: &str) -> Result<Chosen, Faults> {
    let key = match text.trim() {
        "" if has_prices(spec) => OWN,
        "" => COMMON.key,
        key => key,
    };
    if key == OWN {
        return Ok(Chosen { market: own(spec), own: true });
    }
    if let Some(preset) = preset(key) {
        return Ok(Chosen { market: preset.market(), own: false });
    }
    if !key.contains('=') && !key.contains('[') {
        let keys: Vec<_> = PRESETS.iter().map(|preset| preset.key).collect();
        let expected = format!("{OWN}, {}, or the TOML of a market", keys.join(", "));
        return Err(Fault::new("prices", key, expected).into());
    }
    Ok(Chosen { market: written(text)?, own: false })
}

/// The market of a TOML text.
///
/// # Errors
/// Every fault, at `prices.` and the key.
pub fn written(text: &str) -> Result<Market, Faults> {
    let market = MarketForm::parse(text).and_then(|form| form.resolve());
    market.map_err(|Faults(faults)| {
        Faults(
            faults
                .into_iter()
                .map(|fault| Fault { path: format!("prices.{}", fault.path), ..fault })
                .collect(),
        )
    })
}
