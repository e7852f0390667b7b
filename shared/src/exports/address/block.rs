//! One block of addresses.

use super::room::{Room, instead, met};
use crate::exports::{ExportError, Settings};

/// The first address of a block of 2^`bits` in the network of the settings, clear of the site's networks. `what` says what
/// it is for.
///
/// # Errors
/// There is no room for it.
pub fn block(settings: &Settings, what: String, bits: u32) -> Result<u32, ExportError> {
    let place = |settings: &Settings| {
        let room = Room::new(settings.network, &settings.avoid);
        (bits <= 32).then(|| room.place(0, 1 << bits)).flatten()
    };
    place(settings).map(|first| first as u32).ok_or_else(|| ExportError::Addresses {
        what,
        network: settings.network,
        site: met(settings).join(" "),
        has: Room::new(settings.network, &settings.avoid).size(),
        instead: instead(settings, |other| place(other).is_some()),
    })
}
