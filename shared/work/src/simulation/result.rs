//! Results and progress of a simulation.

use crate::text::fixed;
use serde::{Deserialize, Serialize};

/// One offered load, simulated.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Point {
    /// Offered load: flits per cycle and sending host, on average.
    pub offered: f64,
    /// Generated flits per cycle and sending host, after the ignored cycles.
    pub generated: f64,
    /// Accepted traffic: received flits per cycle and sending host, after the ignored cycles.
    pub accepted: f64,
    /// Cycles from a frame's generation to the arrival of its last flit.
    pub latency: Latency,
    /// Frames lost at full buffers, since the beginning.
    pub lost: u64,
    /// Share of frames lost among those lost or received, 0 to 1.
    #[serde(default)]
    pub lost_share: f64,
    /// Frames generated, since the beginning.
    pub frames: u64,
    /// Frames received whole, since the beginning.
    pub received: u64,
    /// Frames still on their way or waiting at their source at the end.
    pub left: u64,
    /// Cycles simulated; fewer than requested after a deadlock or a cancel.
    pub cycles: u64,
    /// Flits sent over a link, summed over links, since the beginning.
    pub flit_hops: u64,
    /// Share of the counted time that each channel was sending, 0 to 1, by channel (see `fabric`).
    pub load: Vec<f32>,
    /// The three busiest channels, busiest first.
    #[serde(default)]
    pub busiest: Vec<BusyChannel>,
    /// Frames that wait for each other forever, if any.
    pub deadlock: Option<Deadlock>,
}

/// A channel and its load.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct BusyChannel {
    /// Number of the channel (see `fabric`).
    pub channel: u32,
    /// Name of the channel, such as `switch 3 -> switch 4`.
    pub name: String,
    /// Share of the time that it was sending, 0 to 1.
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
    /// Median. Percentiles are exact below 4,096 cycles, and at most 1/2,048 too low above.
    pub median: u64,
    /// 90th percentile.
    pub p90: u64,
    /// 99th percentile.
    pub p99: u64,
    /// Exact maximum.
    pub most: u64,
}

/// Channels in a cycle, each waiting for room at the end of the next.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Deadlock {
    /// The cycle of its detection, at most 1,024 cycles after it formed.
    pub cycle: u64,
    /// Numbers of the channels.
    pub channels: Vec<u32>,
    /// Names of the channels, such as `switch 3 -> switch 4`.
    pub names: Vec<String>,
}

/// The load at which accepted traffic stops growing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Saturation {
    /// The max accepted traffic of all loads tried below the first deadlock: the throughput of Otsuka et al. 2005.
    pub throughput: f64,
    /// The offered load of that throughput.
    pub offered: f64,
    /// Share of frames lost at that load, 0 to 1.
    #[serde(default)]
    pub lost_share: f64,
    /// The largest load tried of which 98 % or more was accepted.
    pub sustained: f64,
    /// The smallest load that ended in a deadlock.
    pub deadlock_from: Option<f64>,
}

/// A collective operation, timed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ClosedResult {
    /// Bytes per message.
    pub message: u64,
    /// Repetitions.
    pub rounds: u32,
    /// Cycles from the start of the first node to the end of the last.
    pub cycles: u64,
    /// Total bandwidth in Mb/s: bits of all messages, summed over pairs, per time (Etsion et al. 2000, section 3).
    pub bandwidth: f64,
    /// Completion times over all groups; `None` unless all completed.
    #[serde(default)]
    pub completion: Option<Completion>,
    /// Each group. Events omit them.
    #[serde(default)]
    pub groups: Vec<GroupTime>,
    /// Algorithm bandwidth of the slowest group in Mb/s: bits of the message per time of a round. For all-reduces,
    /// reduce-scatter and all-gather.
    #[serde(default)]
    pub algorithm_bandwidth: Option<f64>,
    /// Bus bandwidth of the slowest group in Mb/s, per node: the algorithm bandwidth times 2(n - 1)/n for all-reduces, times
    /// (n - 1)/n for reduce-scatter and all-gather (nccl-tests, `doc/PERFORMANCE.md`).
    #[serde(default)]
    pub bus_bandwidth: Option<f64>,
    /// Background traffic, if any.
    #[serde(default)]
    pub background: Option<BackgroundResult>,
    /// Cycles from a frame's generation to the arrival of its last flit, without background traffic.
    pub latency: Latency,
    /// Frames received, without background traffic.
    pub received: u64,
    /// Flits sent over a link, summed over links.
    pub flit_hops: u64,
    /// Share of the time that each channel was sending, 0 to 1.
    pub load: Vec<f32>,
    /// The three busiest channels, busiest first.
    #[serde(default)]
    pub busiest: Vec<BusyChannel>,
    /// Frames that wait for each other forever, if any; `cycles` and `bandwidth` then cover the completed part.
    pub deadlock: Option<Deadlock>,
    /// `true` if the operation completed.
    pub complete: bool,
}

/// Completion times of groups, in cycles from the start of the first node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Completion {
    /// Number of groups.
    pub groups: u32,
    /// The first group.
    pub fastest: u64,
    /// The median group, the earlier of two.
    pub median: u64,
    /// The last group.
    pub slowest: u64,
}

/// The time of a group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct GroupTime {
    /// First node of the group.
    pub first: u32,
    /// Number of nodes.
    pub nodes: u32,
    /// Cycles until all its nodes have completed all rounds; `None` if it did not complete.
    pub cycles: Option<u64>,
}

/// Background traffic beside a collective operation, from its start to its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct BackgroundResult {
    /// Offered load: flits per cycle and sending host, on average.
    pub offered: f64,
    /// Accepted traffic: received flits per cycle and sending host.
    pub accepted: f64,
    /// Share of the generated frames that were received, 0 to 1.
    pub delivered: f64,
    /// Frames generated.
    pub frames: u64,
    /// Frames received whole.
    pub received: u64,
}

/// Progress of loads or of a collective operation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SimulationProgress {
    /// Share done, 0 to 1: of a collective operation's messages, or of the cycles of all loads, weighted by load since frames
    /// take the time. `None` during a search for saturation, whose number of loads is unknown.
    pub share: Option<f64>,
    /// Loads in progress, by offered load; empty for a collective operation.
    pub loads: Vec<LoadProgress>,
    /// Cycles of a collective operation so far; 0 for loads, which have their own.
    pub cycles: u64,
    /// Messages of a collective operation received whole.
    pub messages: u64,
    /// Rounds of a collective operation completed by every node.
    pub rounds: u32,
}

/// A load in progress.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LoadProgress {
    /// Offered load: flits per cycle and sending host.
    pub offered: f64,
    /// Cycles simulated so far.
    pub cycles: u64,
    /// Share of all its cycles, 0 to 1.
    pub share: f64,
}

impl Latency {
    /// A figure of these latencies as text; a dash if no frame was counted.
    pub fn figure(&self, text: impl FnOnce(&Latency) -> String) -> String {
        if self.frames > 0 { text(self) } else { "–".into() }
    }
}

impl ClosedResult {
    /// The total bandwidth as text.
    pub fn total(&self) -> String {
        match self.complete {
            true => format!("{} Gb/s", fixed(self.bandwidth / 1000.0, 3)),
            false => "–, not finished".into(),
        }
    }
}
