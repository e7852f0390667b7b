//! Markets that come with the program, and the choice of a market. Those of the papers have the papers' figures; the others
//! are assumptions to replace.

use super::{Market, MarketForm};
use crate::spec::{Fault, Faults, MARKET, MARKETS, Spec};

/// A market that comes with the program.
pub struct Preset {
    /// Name on the command line.
    pub key: &'static str,
    /// Source of its figures.
    pub source: &'static str,
    text: &'static str,
}

/// All presets, those of [`MARKETS`].
pub const PRESETS: &[Preset] = &[
    Preset {
        key: "1g",
        source: "rounded list prices of unmanaged and managed switches; replace them with your own quotes",
        text: include_str!("1g.toml"),
    },
    Preset {
        key: "10g",
        source: "rounded list prices; replace them with your own quotes",
        text: include_str!("10g.toml"),
    },
    Preset {
        key: "25g",
        source: "rounded list prices; replace them with your own quotes",
        text: include_str!("25g.toml"),
    },
    Preset {
        key: "100g",
        source: "round numbers of November 2026; replace them with your own quotes",
        text: include_str!("100g.toml"),
    },
    Preset {
        key: "200g",
        source: "round numbers of November 2026; replace them with your own quotes",
        text: include_str!("200g.toml"),
    },
    Preset {
        key: MARKET,
        source: "round numbers of November 2026; replace them with your own quotes",
        text: include_str!("400g.toml"),
    },
    Preset {
        key: "800g",
        source: "round numbers of November 2026; replace them with your own quotes",
        text: include_str!("800g.toml"),
    },
    Preset {
        key: "1998",
        source: "Nitzberg et al. 1999, table 1 and section 1.1",
        text: include_str!("1998.toml"),
    },
    Preset { key: "1999", source: "Etsion et al. 2000, table 1", text: include_str!("1999.toml") },
];

/// The preset with that key.
pub fn preset(key: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.key == key)
}

impl Preset {
    /// Label.
    ///
    /// # Panics
    /// Never: tests find every preset among the [`MARKETS`].
    pub fn title(&self) -> &'static str {
        MARKETS.iter().find(|market| market.word == self.key).expect("a market of specs").label
    }

    /// Returns the price list as a form.
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
pub struct MarketChoice {
    /// Prices and available hardware.
    pub market: Market,
    /// `true` for the spec's own hardware.
    pub own: bool,
}

/// `true` if a spec has any price.
fn has_prices(spec: &Spec) -> bool {
    spec.ni_price.is_some()
        || spec.cable_price.is_some()
        || spec.switches.iter().any(|model| model.price.is_some())
}

/// The key of the market of a spec if no other is chosen: [`OWN`] if it has prices, else its [`Spec::market`].
pub fn default_key(spec: &Spec) -> &'static str {
    if has_prices(spec) { OWN } else { spec.market }
}

/// The spec's own hardware, with the speeds and the model of its market.
///
/// # Panics
/// Never: tests find every market.
pub fn own(spec: &Spec) -> Market {
    Market::of_spec(spec, &preset(spec.market).expect("a market of specs").market())
}

/// The market of `text`: `spec`, the key of a preset, or TOML text; if empty, the [default](default_key).
///
/// # Errors
/// An unknown key, or every fault of the TOML text, at `prices.` and the key.
pub fn chosen(spec: &Spec, text: &str) -> Result<MarketChoice, Faults> {
    let key = match text.trim() {
        "" => default_key(spec),
        key => key,
    };
    if key == OWN {
        return Ok(MarketChoice { market: own(spec), own: true });
    }
    if let Some(preset) = preset(key) {
        return Ok(MarketChoice { market: preset.market(), own: false });
    }
    if !key.contains('=') && !key.contains('[') {
        let keys: Vec<_> = PRESETS.iter().map(|preset| preset.key).collect();
        let expected = format!("{OWN}, {}, or the TOML of a market", keys.join(", "));
        return Err(Fault::new("prices", key, expected).into());
    }
    let market = written(text).map_err(|Faults(faults)| {
        let inside = |fault: Fault| Fault { path: format!("prices.{}", fault.path), ..fault };
        Faults(faults.into_iter().map(inside).collect())
    })?;
    Ok(MarketChoice { market, own: false })
}

/// The market of a TOML text.
///
/// # Errors
/// Every fault, at its key.
pub fn written(text: &str) -> Result<Market, Faults> {
    MarketForm::parse(text)?.resolve()
}
