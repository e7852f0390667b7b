//! Taking a change back.

use super::{Trade, Wiring};
use crate::problem::NONE;

/// What takes a trade back, before anything else is changed.
pub enum Back {
    /// The same two places once more.
    Trade(Trade),
    /// The NI was idle and the port empty.
    Disconnect(u32),
}

impl Back {
    /// What takes back a trade that is about to be carried out.
    pub fn of(wiring: &Wiring, trade: &Trade) -> Back {
        let (switch, port) = (wiring.switch_of(trade.ni), wiring.port_of(trade.ni));
        let occupant = wiring.ni_at(trade.port);
        if port != NONE {
            Back::Trade(Trade { ni: trade.ni, switch, port })
        } else if occupant != NONE {
            Back::Trade(Trade { ni: occupant, switch: trade.switch, port: trade.port })
        } else {
            Back::Disconnect(trade.ni)
        }
    }

    /// Takes it back.
    pub fn apply(&self, wiring: &mut Wiring) {
        match self {
            Back::Trade(trade) => wiring.apply(trade),
            Back::Disconnect(ni) => wiring.disconnect(*ni),
        }
    }
}
