//! Latency and bandwidth between two hosts (P-Mesh paper, sections 3 and 4).

use crate::fabric::Hops;
use serde::{Deserialize, Serialize};

/// Constants of the model: switches and forwarding hosts add latency and reduce bandwidth.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Model {
    /// Latency between two directly connected hosts, in microseconds.
    pub latency: f64,
    /// Bandwidth between two directly connected hosts, in MB/s.
    pub bandwidth: f64,
    /// Added latency per switch, in microseconds.
    pub switch_latency: f64,
    /// Lost bandwidth per switch, in MB/s.
    pub switch_bandwidth: f64,
    /// Added latency per forwarding host, in microseconds.
    pub host_latency: f64,
    /// Lost bandwidth per forwarding host, in MB/s.
    pub host_bandwidth: f64,
}

/// Latency and bandwidth of a message between two hosts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Performance {
    /// Latency in microseconds.
    pub latency: f64,
    /// Bandwidth in MB/s, at least 0.
    pub bandwidth: f64,
}

impl Model {
    /// Latency and bandwidth over that number of hosts and switches.
    pub fn performance(&self, hops: Hops) -> Performance {
        let (hosts, switches) = (f64::from(hops.hosts), f64::from(hops.switches));
        let bandwidth = self.bandwidth - switches * self.switch_bandwidth - hosts * self.host_bandwidth;
        Performance {
            latency: self.latency + switches * self.switch_latency + hosts * self.host_latency,
            bandwidth: bandwidth.max(0.0),
        }
    }
}
