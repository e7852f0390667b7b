//! Latency and bandwidth from one host to another, by what a message passes (P-Mesh paper, sections 3 and 4).

use crate::fabric::Hops;
use serde::{Deserialize, Serialize};

/// Constants of the model. Switches and hosts on the way add to latency and take from bandwidth.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Model {
    /// Latency between two hosts that are joined directly, in microseconds.
    pub latency: f64,
    /// Bandwidth between two such hosts, in MB/s.
    pub bandwidth: f64,
    /// What each switch adds to latency, in microseconds.
    pub switch_latency: f64,
    /// What each switch takes from bandwidth, in MB/s.
    pub switch_bandwidth: f64,
    /// What each host that forwards adds to latency, in microseconds.
    pub host_latency: f64,
    /// What each host that forwards takes from bandwidth, in MB/s.
    pub host_bandwidth: f64,
}

/// What a message between two hosts gets.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Performance {
    /// In microseconds.
    pub latency: f64,
    /// In MB/s; 0 where the model takes more than there is.
    pub bandwidth: f64,
}

impl Model {
    /// What a message gets that passes so many hosts and switches.
    pub fn performance(&self, hops: Hops) -> Performance {
        let (hosts, switches) = (f64::from(hops.hosts), f64::from(hops.switches));
        let bandwidth = self.bandwidth - switches * self.switch_bandwidth - hosts * self.host_bandwidth;
        Performance {
            latency: self.latency + switches * self.switch_latency + hosts * self.host_latency,
            bandwidth: bandwidth.max(0.0),
        }
    }
}
