//! Cabling of a saved design: people tick off cables, several at a time and partly without a network.
//!
//! The state of a cable is its newest tick. Clocks of phones differ, so the studio dates each tick by its own clock: by the age of the
//! tick when it arrives, and later than the tick that the phone had seen. [`Tick::is_newer_than`] is a total order, so every order of
//! merging dated ticks gives the same state, and merging a tick twice changes nothing.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Max ticks of a request.
pub const MAX_TICKS: usize = 2000;
/// Max characters of a name.
pub const MAX_WHO: usize = 40;
/// Max characters of a note.
pub const MAX_TICK_NOTE: usize = 200;

/// A cable of a design: a NIC of a node, and its switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CableId {
    /// Number of the node.
    pub node: u32,
    /// Number of the NIC on the node.
    pub nic: u32,
    /// Number of the switch.
    pub switch: u32,
}

/// State of a cable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum CableState {
    /// Not plugged in, as every cable without a tick.
    Unplugged,
    /// Plugged in at both ends.
    Plugged,
    /// Seen where it belongs.
    Verified,
    /// Not where it belongs, or broken.
    Wrong,
}

/// Origin of a tick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum TickSource {
    /// A person.
    #[default]
    Person,
    /// The audit script, by LLDP.
    Audit,
}

/// State of a cable as somebody set it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Tick {
    /// Number of the node.
    pub node: u32,
    /// Number of the NIC on the node.
    pub nic: u32,
    /// Number of the switch.
    pub switch: u32,
    /// The new state.
    pub state: CableState,
    /// Origin of the tick. The server sets it.
    #[serde(default)]
    pub source: TickSource,
    /// Name of the person, or of the node that reported; 1 to 40 characters.
    pub who: String,
    /// Time in milliseconds since 1970: by the client's clock in a request, by the server's clock in every answer.
    pub at: u64,
    /// In a request, `at` of the newest tick of this cable that the client knew from the server; 0 without one.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub seen: u64,
    /// Reason why a cable is wrong; up to 200 characters.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Tick {
    /// `true` if both set a cable to the same state, by the same name and with the same note.
    pub fn says_the_same_as(&self, other: &Tick) -> bool {
        let words = |tick: &'_ Tick| (tick.cable(), tick.state, tick.source);
        (words(self), &self.who, &self.note) == (words(other), &other.who, &other.note)
    }

    /// Returns the cable.
    pub fn cable(&self) -> CableId {
        CableId { node: self.node, nic: self.nic, switch: self.switch }
    }

    /// `true` if this tick of a cable replaces the other. Of two at the same time, an audit's does, then the later name, state
    /// and note.
    pub fn is_newer_than(&self, other: &Tick) -> bool {
        let order = |tick: &'_ Tick| (tick.at, tick.source);
        (order(self), &self.who, self.state, &self.note)
            > (order(other), &other.who, other.state, &other.note)
    }
}

/// The newest tick of each cable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ticks(BTreeMap<CableId, Tick>);

impl Ticks {
    /// Takes a tick over, unless a newer one of its cable is known. Returns `true` if it changed anything.
    pub fn merge(&mut self, tick: Tick) -> bool {
        let cable = tick.cable();
        let is_new = self.0.get(&cable).is_none_or(|known| tick.is_newer_than(known));
        if is_new {
            self.0.insert(cable, tick);
        }
        is_new
    }

    /// The newest tick of a cable.
    pub fn get(&self, cable: CableId) -> Option<&Tick> {
        self.0.get(&cable)
    }

    /// The state of a cable.
    pub fn state(&self, cable: CableId) -> CableState {
        self.get(cable).map_or(CableState::Unplugged, |tick| tick.state)
    }

    /// All ticks, by cable.
    pub fn iter(&self) -> impl Iterator<Item = &Tick> {
        self.0.values()
    }
}

/// Cabling of a saved design: `GET /api/designs/{id}/cabling`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CablingView {
    /// Start of cabling, RFC 3339 in UTC; `None` if it has not started.
    pub started: Option<String>,
    /// `true` if the request's cabling key may tick.
    pub allowed: bool,
    /// `true` if the request's edit token may start cabling and replace its key.
    #[serde(default)]
    pub may_edit: bool,
    /// Number of changes that the server counted. Compare it with `revision` of [`CablingChange`].
    pub revision: u64,
    /// The newest tick of each cable that has one.
    pub ticks: Vec<Tick>,
}

/// A fresh cabling key, which lets clients tick: the answer of `POST /api/designs/{id}/cabling` and
/// `POST /api/designs/{id}/cabling/key`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CablingKey {
    /// The key. The server keeps only its hash.
    pub key: String,
}

/// The latest changes of a cabling: the data of the `ticks` events of `GET /api/designs/{id}/cabling/events`. If `revision` grew by
/// more than the number of ticks, fetch the cabling again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CablingChange {
    /// Number of changes that the server counted.
    pub revision: u64,
    /// The latest changes, up to 64, oldest first.
    pub ticks: Vec<Tick>,
}

/// Ticks to merge, in the order in which they were made: `POST /api/designs/{id}/cabling/ticks`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SendTicks {
    /// Up to 2,000 ticks.
    pub ticks: Vec<Tick>,
    /// Time of the client's clock when it sends them, in milliseconds since 1970. It gives the age of each tick.
    pub sent: u64,
}

/// Answer to [`SendTicks`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct MergedTicks {
    /// Number of changes that the server counted.
    pub revision: u64,
    /// The newest tick of the cable of each tick in the request.
    pub ticks: Vec<Tick>,
    /// Ticks of the request that changed nothing, because their cable has a newer one that the client had not seen.
    pub rejected: Vec<Tick>,
}

/// LLDP neighbours to compare with the design: `POST /api/designs/{id}/cabling/audit`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ReportAudit {
    /// Name of the reporting node, such as `node007`.
    pub host: String,
    /// Output of `lldpctl -f keyvalue` on that node.
    pub neighbours: String,
    /// Name of the nodes' NICs without number, such as `eth`.
    pub interface: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tick(at: u64, who: &str, state: CableState) -> Tick {
        let source = TickSource::Person;
        Tick { node: 1, nic: 0, switch: 2, state, source, who: who.into(), at, seen: 0, note: String::new() }
    }

    #[test]
    fn any_order_of_merging_gives_the_same_state() {
        let ticks = [
            tick(5, "Ann", CableState::Plugged),
            tick(9, "Ann", CableState::Unplugged),
            tick(9, "Bob", CableState::Plugged),
            tick(9, "Bob", CableState::Wrong),
            Tick { source: TickSource::Audit, ..tick(9, "Ann", CableState::Verified) },
            tick(2, "Eve", CableState::Wrong),
        ];
        for start in 0..ticks.len() {
            for step in [1, 5] {
                let mut merged = Ticks::default();
                for at in 0..ticks.len() {
                    merged.merge(ticks[(start + step * at) % ticks.len()].clone());
                }
                assert!(!merged.merge(ticks[start].clone()), "a second time");
                assert_eq!(merged.iter().collect::<Vec<_>>(), [&ticks[4]]);
            }
        }
    }

    #[test]
    fn cables_have_their_own_ticks() {
        let mut ticks = Ticks::default();
        ticks.merge(tick(5, "Ann", CableState::Plugged));
        ticks.merge(Tick { nic: 1, switch: 3, ..tick(1, "Ann", CableState::Wrong) });
        let state = |nic, switch| ticks.state(CableId { node: 1, nic, switch });
        assert_eq!(
            [state(0, 2), state(1, 3), state(2, 4)],
            [CableState::Plugged, CableState::Wrong, CableState::Unplugged]
        );
    }
}
