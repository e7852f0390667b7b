//! How frames are made and how nodes pass them on.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// How a simulation is timed and what its switches are like. The defaults are the VLAN paper's (its section 4.1); what
/// that paper leaves open says so.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Settings {
    /// Flits of a frame's header.
    pub header: u32,
    /// Flits of a full frame's payload.
    pub payload: u32,
    /// Bytes of a flit.
    pub flit_bytes: u32,
    /// Cycles a flit needs from one end of a link to the other, at least 1.
    pub link_delay: u32,
    /// Cycles a switch needs to route a frame and set its crossbar.
    pub routing_delay: u32,
    /// Cycles a host needs to route a frame that it forwards. The default is 40 µs (P-Mesh paper) at 100 Mb/s and 4-byte flits.
    pub host_delay: u32,
    /// Cycles until a sender knows that room has become free at the other end. Not in the paper: a link delay.
    pub credit_delay: u32,
    /// Frames that a switch has room for at each incoming link. Not in the paper.
    pub buffer: u32,
    /// Frames that a forwarding host has room for at each incoming link.
    pub host_buffer: u32,
    /// When a switch passes a frame on.
    pub switching: Switching,
    /// Which of a switch's waiting frames may leave.
    pub queue: Queue,
    /// What happens to a frame that meets a full buffer.
    pub full: Full,
    /// Whether a host either sends or receives at any one time on a link, as the topology paper's network interfaces do.
    pub half_duplex_hosts: bool,
    /// Speed, in Mb/s, that carries one flit a cycle; the fabric's fastest link if it is not given.
    pub reference_speed: Option<u32>,
    /// Cycles that are simulated with open-loop traffic.
    pub cycles: u64,
    /// Cycles at the beginning that no figure counts.
    pub ignored: u64,
    /// Which of a pair's paths a frame takes.
    pub paths: Paths,
    /// Whether logical nodes are placed on the hosts at random.
    pub random_placement: bool,
}

/// When a switch passes a frame on. Hosts that forward always store the whole frame first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum Switching {
    /// As soon as its head is routed and the next buffer has room for all of it (virtual cut-through). On its way to a
    /// faster link it waits until it can be sent without gaps.
    #[default]
    CutThrough,
    /// When all of it has arrived.
    StoreAndForward,
}

/// Which of a switch's waiting frames may leave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum Queue {
    /// The oldest of each incoming link: a first-in first-out buffer before a crossbar.
    #[default]
    Input,
    /// All of them, also several of one incoming link at once: a memory that all ports share.
    Shared,
}

/// What happens to a frame that meets a full buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum Full {
    /// The sender holds it back until there is room (back-pressure). Cyclic waiting is possible, and is found.
    #[default]
    Hold,
    /// It is lost on arrival.
    Drop,
}

/// Which of a pair's paths a frame takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum Paths {
    /// The first.
    #[default]
    First,
    /// One after the other, counted for each pair (topology paper, section 4).
    Alternate,
    /// Any, drawn for each frame.
    Random,
    /// The first path to a host drawn for each frame, and from there the first to the destination. The frame turns round
    /// in that host's switch if the two paths meet there, else the host forwards it.
    RandomIntermediate,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            header: 6,
            payload: 128,
            flit_bytes: 4,
            link_delay: 5,
            routing_delay: 10,
            host_delay: 125,
            credit_delay: 5,
            buffer: 4,
            host_buffer: 64,
            switching: Switching::default(),
            queue: Queue::default(),
            full: Full::default(),
            half_duplex_hosts: false,
            reference_speed: None,
            cycles: 100_000,
            ignored: 10_000,
            paths: Paths::default(),
            random_placement: false,
        }
    }
}

/// A setting that no simulation can have.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{field} is {value}; {accepted} was expected")]
pub struct SettingsFault {
    /// The field's name.
    pub field: &'static str,
    /// What it holds.
    pub value: String,
    /// What would be accepted.
    pub accepted: String,
}

impl Settings {
    /// Flits of a full frame.
    pub fn frame(&self) -> u32 {
        self.header + self.payload
    }

    /// Everything that makes no simulation.
    ///
    /// # Errors
    /// Fields outside their range, each named.
    pub fn check(&self) -> Result<(), Vec<SettingsFault>> {
        let whole = [
            ("header", self.header, 0, 1 << 16),
            ("payload", self.payload, 1, 1 << 16),
            ("flit_bytes", self.flit_bytes, 1, 1 << 16),
            ("link_delay", self.link_delay, 1, 1 << 20),
            ("routing_delay", self.routing_delay, 0, 1 << 20),
            ("host_delay", self.host_delay, 0, 1 << 24),
            ("credit_delay", self.credit_delay, 0, 1 << 20),
            ("buffer", self.buffer, 1, 1 << 20),
            ("host_buffer", self.host_buffer, 1, 1 << 20),
            ("reference_speed", self.reference_speed.unwrap_or(1), 1, u32::MAX),
        ];
        let mut faults = Vec::new();
        for (field, value, least, most) in whole {
            if !(least..=most).contains(&value) {
                let accepted = format!("a whole number from {least} to {most}");
                faults.push(SettingsFault { field, value: value.to_string(), accepted });
            }
        }
        if !(1..=MOST_CYCLES).contains(&self.cycles) {
            let accepted = format!("a whole number from 1 to {MOST_CYCLES}");
            faults.push(SettingsFault { field: "cycles", value: self.cycles.to_string(), accepted });
        }
        if self.ignored >= self.cycles {
            let accepted = format!("a whole number below the {} cycles", self.cycles);
            faults.push(SettingsFault { field: "ignored", value: self.ignored.to_string(), accepted });
        }
        if faults.is_empty() { Ok(()) } else { Err(faults) }
    }
}

/// So many cycles at the most.
const MOST_CYCLES: u64 = 1_000_000_000_000;
