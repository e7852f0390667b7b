//! What a simulation tells.

use serde::{Deserialize, Serialize};

/// One offered load, simulated.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Point {
    /// Offered load: flits a cycle and sending host, on average.
    pub offered: f64,
    /// Flits that came into being, a cycle and sending host, after the ignored cycles.
    pub generated: f64,
    /// Accepted traffic: flits received, a cycle and sending host, after the ignored cycles.
    pub accepted: f64,
    /// Cycles from a frame's generation to the arrival of its last flit.
    pub latency: Latency,
    /// Frames lost at full buffers, since the beginning.
    pub lost: u64,
    /// Frames generated, since the beginning.
    pub frames: u64,
    /// Frames received whole, since the beginning.
    pub received: u64,
    /// Frames still on their way or waiting at their source at the end.
    pub left: u64,
    /// Cycles simulated; fewer than asked for after a deadlock or a cancel.
    pub cycles: u64,
    /// Flits sent over a link, summed over links, since the beginning.
    pub flit_hops: u64,
    /// For each channel (see `fabric`), the share of the counted time that it was sending, 0 to 1.
    pub load: Vec<f32>,
    /// The three channels that were sending most, the busiest first.
    #[serde(default)]
    pub busiest: Vec<BusyChannel>,
    /// Frames that wait for each other for ever, if there are any.
    pub deadlock: Option<Deadlock>,
}

/// A channel and how busy it was.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct BusyChannel {
    /// Its number (see `fabric`).
    pub channel: u32,
    /// The same in words, such as `switch 3 -> switch 4`.
    pub name: String,
    /// The share of the time that it was sending, 0 to 1.
    pub load: f32,
}

/// Latencies in cycles, of frames generated after the ignored cycles and received before the end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Latency {
    /// Frames counted.
    pub frames: u64,
    /// Exact mean.
    pub mean: f64,
    /// Half of the frames took no longer. Percentiles are exact below 4,096 cycles, and at most 1/2,048 too low above.
    pub median: u64,
    /// 90 % of the frames took no longer.
    pub p90: u64,
    /// 99 % of the frames took no longer.
    pub p99: u64,
    /// Exact maximum.
    pub most: u64,
}

/// Channels each of which waits for room at the end of the next, the last for the first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Deadlock {
    /// The cycle in which it was found; it exists for at most 1,024 cycles by then.
    pub cycle: u64,
    /// The channels.
    pub channels: Vec<u32>,
    /// The same in words, such as `switch 3 -> switch 4`.
    pub names: Vec<String>,
}

/// Where accepted traffic ends to grow with offered load.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Saturation {
    /// The most accepted traffic at any load that was tried: the VLAN paper's throughput. Loads from the first deadlock on
    /// do not count.
    pub throughput: f64,
    /// The offered load at which that was.
    pub offered: f64,
    /// The largest load tried that was accepted, 98 % of it or more.
    pub sustained: f64,
    /// The smallest load that ended in a deadlock.
    pub deadlock_from: Option<f64>,
}

/// A collective operation, timed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ClosedResult {
    /// Bytes of a message.
    pub message: u64,
    /// Repetitions.
    pub rounds: u32,
    /// Cycles from the start of the first node to the end of the last.
    pub cycles: u64,
    /// Total bandwidth in Mb/s: bits of all messages, summed over pairs, by the time (topology paper, section 3).
    pub bandwidth: f64,
    /// Cycles from a frame's generation to the arrival of its last flit.
    pub latency: Latency,
    /// Frames received.
    pub received: u64,
    /// Flits sent over a link, summed over links.
    pub flit_hops: u64,
    /// For each channel, the share of the time that it was sending, 0 to 1.
    pub load: Vec<f32>,
    /// The three channels that were sending most, the busiest first.
    #[serde(default)]
    pub busiest: Vec<BusyChannel>,
    /// Frames that wait for each other for ever, if there are any; then `cycles` and `bandwidth` are of what was done.
    pub deadlock: Option<Deadlock>,
    /// Whether all of it was done.
    pub complete: bool,
}

/// What goes on now: loads, or a collective operation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SimulationProgress {
    /// The share of the whole that is done, 0 to 1: of a collective operation's messages, or of the cycles of all loads,
    /// each weighted by its load since frames take the time. None during a search for saturation: nobody knows how many
    /// loads it will try.
    pub share: Option<f64>,
    /// Loads that are being simulated, by offered load; empty with a collective operation.
    pub loads: Vec<LoadProgress>,
    /// Cycles that a collective operation has taken so far; 0 with loads, which tell their own.
    pub cycles: u64,
    /// Messages of a collective operation that have been received whole.
    pub messages: u64,
    /// Rounds of a collective operation that every node has done.
    pub rounds: u32,
}

/// One load that is being simulated.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LoadProgress {
    /// Offered load: flits a cycle and sending host.
    pub offered: f64,
    /// Cycles simulated so far.
    pub cycles: u64,
    /// Their share of all cycles, 0 to 1.
    pub share: f64,
}
