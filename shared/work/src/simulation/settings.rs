//! Format of frames and timing of nodes.

use crate::estimate::duration;
use serde::{Deserialize, Serialize};

/// Timing and switches of a simulation. Defaults are from Otsuka et al. 2005, section 4.1, unless noted.
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
    /// Cycles a host needs to route a frame that it forwards; by default 40 µs (Nitzberg et al. 1999) at 100 Mb/s and 4-byte
    /// flits.
    pub host_delay: u32,
    /// Cycles until a sender knows that room has become free at the other end. Not in the paper: a link delay.
    pub credit_delay: u32,
    /// Virtual channels per link, 1 to 8. Each has a buffer of its own.
    pub virtual_channels: u32,
    /// Frames that a switch has room for at each incoming link and virtual channel. Not in the paper.
    pub buffer: u32,
    /// Frames that a forwarding host has room for at each incoming link and virtual channel.
    pub host_buffer: u32,
    /// Time at which a switch passes a frame on.
    pub switching: Switching,
    /// Which waiting frames a switch may send.
    pub queue: Queue,
    /// Frames in the memory that all links of a switch share, instead of `buffer` at each; needs a shared queue.
    pub shared_buffer: Option<u32>,
    /// Dynamic threshold of a shared memory: a port holds up to this many times the free part (Choudhury and Hahne 1998). With
    /// [`FullBufferRule::Hold`] the port is the incoming link, as for PFC; with [`FullBufferRule::Drop`] it is the outgoing one.
    pub alpha: f64,
    /// Treatment of a frame at a full buffer.
    pub full: FullBufferRule,
    /// `true` if a host either sends or receives on a link at any one time, as in Etsion et al. 2000.
    pub half_duplex_hosts: bool,
    /// Speed in Mb/s that carries one flit per cycle; by default the fastest link's.
    pub reference_speed: Option<u32>,
    /// Cycles that are simulated with open-loop traffic.
    pub cycles: u64,
    /// Cycles at the start that all figures ignore.
    pub ignored: u64,
    /// Path that a frame takes if its pair has several.
    pub paths: Paths,
    /// `true` if logical nodes are placed on the hosts at random.
    pub random_placement: bool,
}

/// Time at which a switch forwards a frame. Forwarding hosts always store the whole frame first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum Switching {
    /// A frame leaves when its head is routed and the next buffer has room for all of it (virtual cut-through). On its way to a
    /// faster link it waits until it can be sent without gaps.
    #[default]
    CutThrough,
    /// Once the whole frame has arrived.
    StoreAndForward,
}

/// Which waiting frames a switch may send.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum Queue {
    /// The oldest of each incoming link: a first-in first-out buffer before a crossbar.
    #[default]
    Input,
    /// All of them, even several from one incoming link: a memory shared by all ports.
    Shared,
}

/// Treatment of a frame at a full buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum FullBufferRule {
    /// The sender holds it back until there is room (back-pressure). Deadlocks are possible and are detected.
    #[default]
    Hold,
    /// The frame is dropped on arrival.
    Drop,
}

/// Path that a frame takes if its pair has several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum Paths {
    /// The first.
    #[default]
    First,
    /// One path after the other, counted for each pair (Etsion et al. 2000, section 4).
    Alternate,
    /// Any, drawn for each frame.
    Random,
    /// The first path to a host drawn for each frame, and from there the first to the destination. The frame turns round
    /// in that host's switch if the two paths meet there, else the host forwards it. Frames between hosts on one switch stay there.
    RandomIntermediate,
}

/// Measured against BookSim 2: see the simulator's `benches/README.md`.
const SMALL_BUFFER: &str = "A switch buffer holds one frame. Frames move as a whole here, so networks saturate 8 to 17 % lower \
    than with wormhole switching. With two frames per buffer, they saturate up to 5 % lower.";

const SHARED_HOLD: &str = "Memory shared by all links of a switch can fill up with frames that wait for each other. So any network can \
    deadlock when full buffers hold the sender, with virtual channels too.";

/// A number of cycles as a time, such as `1.25 us`.
pub fn time(cycles: f64, cycle_ns: f64) -> String {
    duration(cycles * cycle_ns / 1e9)
}

impl Settings {
    /// The time of a cycle and the delays, as a phrase.
    pub fn delays(&self, cycle_ns: f64) -> String {
        let time = |cycles: u32| time(f64::from(cycles), cycle_ns);
        format!(
            "{} per cycle; delays: link {}, routing {}, forwarding {}, credit {}",
            time(1),
            time(self.link_delay),
            time(self.routing_delay),
            time(self.host_delay),
            time(self.credit_delay)
        )
    }

    /// Flits of a full frame.
    pub fn frame(&self) -> u32 {
        self.header + self.payload
    }

    /// Nanoseconds per cycle: the time of a flit at a reference speed in Mb/s.
    pub fn cycle_ns(&self, reference: u32) -> f64 {
        8000.0 * f64::from(self.flit_bytes) / f64::from(reference)
    }

    /// Limits of the model that these settings touch, as sentences.
    pub fn warnings(&self) -> Vec<String> {
        let whole = self.switching == Switching::CutThrough && self.full == FullBufferRule::Hold;
        let small = whole && self.buffer < 2 && self.shared_buffer.is_none();
        let shared = self.full == FullBufferRule::Hold && self.shared_buffer.is_some();
        let known = [(small, SMALL_BUFFER), (shared, SHARED_HOLD)];
        known.into_iter().filter(|(applies, _)| *applies).map(|(_, warning)| warning.to_owned()).collect()
    }
}
