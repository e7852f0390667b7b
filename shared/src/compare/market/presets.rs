//! Markets that come with the program. Those of the papers carry the papers' figures; today's are assumptions.

use super::{Market, MarketForm};
use crate::spec::{Fault, Faults, Spec};

/// A market that comes with the program.
pub struct Preset {
    /// How it is asked for.
    pub key: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// Where its figures are from.
    pub source: &'static str,
    text: &'static str,
}

/// All of them.
pub const PRESETS: &[Preset] = &[
    Preset {
        key: "1g",
        title: "Gigabit Ethernet, an assumption",
        source: "round list prices of unmanaged and managed switches, to be replaced by an offer of your own",
        text: include_str!("1g.toml"),
    },
    Preset {
        key: "10g",
        title: "10 Gigabit Ethernet, an assumption",
        source: "round list prices, to be replaced by an offer of your own",
        text: include_str!("10g.toml"),
    },
    Preset {
        key: "25g",
        title: "25 Gigabit Ethernet, an assumption",
        source: "round list prices, to be replaced by an offer of your own",
        text: include_str!("25g.toml"),
    },
    Preset {
        key: "1998",
        title: "Fast Ethernet, Spring 1998",
        source: "P-Mesh paper, table 1 and section 1.1",
        text: include_str!("1998.toml"),
    },
    Preset {
        key: "1999",
        title: "Myrinet, November 1999",
        source: "topology paper, table 1",
        text: include_str!("1999.toml"),
    },
];

/// The preset of that key.
pub fn preset(key: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.key == key)
}

impl Preset {
    /// Its TOML text.
    pub fn text(&self) -> &'static str {
        self.text
    }

    /// As a form, to be changed.
    ///
    /// # Panics
    /// Never: tests read every preset.
    pub fn form(&self) -> MarketForm {
        MarketForm::parse(self.text).expect("a preset")
    }

    /// What it offers.
    ///
    /// # Panics
    /// Never: tests read every preset.
    pub fn market(&self) -> Market {
        self.form().resolve().expect("a preset")
    }
}

/// What the spec's own hardware is asked for by.
pub const OWN: &str = "spec";
/// What is taken where nobody chooses and the spec has no prices.
pub const COMMON: &str = "1g";
/// Speeds and the model of the spec's own hardware.
const BASE: &str = "1998";

/// A market, and whether it is the spec's own hardware.
#[derive(Clone, Debug, PartialEq)]
pub struct Chosen {
    /// What is for sale.
    pub market: Market,
    /// Whether that is the spec's own hardware.
    pub own: bool,
}

/// Whether a spec has any price.
pub fn has_prices(spec: &Spec) -> bool {
    spec.ni_price.is_some()
        || spec.cable_price.is_some()
        || spec.switches.iter().any(|model| model.price.is_some())
}

/// The spec's own hardware, with the speeds and the model of the P-Mesh paper, since specs have none.
pub fn own(spec: &Spec) -> Market {
    let base = preset(BASE).map(Preset::market).expect("a preset");
    Market::of_spec(spec, &base)
}

/// The market that `text` means: `spec`, the key of a preset, or a market's TOML text; where it is empty, the spec's own if
/// it has prices, else [`COMMON`].
///
/// # Errors
/// It is none of those, or every fault of the TOML text, at `prices.` and the key.
pub fn chosen(spec: &Spec, text: &str) -> Result<Chosen, Faults> {
    let key = match text.trim() {
        "" if has_prices(spec) => OWN,
        "" => COMMON,
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
