//! Markets that come with the program. Those of the papers carry the papers' figures; today's are assumptions.

use super::{Market, MarketForm};

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
