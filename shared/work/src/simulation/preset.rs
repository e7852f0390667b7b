//! Current switches as settings of a simulation.

use super::SimulationForm;
use crate::{compare::Market, form::Form};

/// Label of the preset.
pub const CURRENT_SWITCHES: &str = "Current switches: 4,096-byte frames, cut-through, shared memory";

/// Bytes of a flit, and flits of a frame's payload: 4,096 bytes.
const FLIT: u32 = 64;
const PAYLOAD: u32 = 64;
/// Frames in the memory of a switch: 16 MiB.
const MEMORY: u32 = 4096;
/// Delay of a cable in microseconds per meter: light takes 5 ns.
const PER_METER: f64 = 0.005;

impl SimulationForm {
    /// Sets current switches with the speeds, latencies and cables of a market: frames of 4,096 bytes, cut-through, 16 MiB of
    /// memory per switch with alpha 1, one virtual channel, senders held back as by PFC.
    pub fn set_current_switches(&mut self, market: &Market) {
        let fastest = market.speed.max(market.trunk_speed);
        let cycle = f64::from(8 * FLIT) / f64::from(fastest);
        let cycles = |microseconds: f64| (microseconds / cycle).round();
        let cable = cycles(PER_METER * market.host_length.max(market.switch_length)).max(1.0);
        let values = [
            ("speed", market.speed.to_string()),
            ("trunk_speed", market.trunk_speed.to_string()),
            ("reference_speed", String::new()),
            ("header", "1".into()),
            ("payload", PAYLOAD.to_string()),
            ("flit_bytes", FLIT.to_string()),
            ("link_delay", cable.to_string()),
            ("credit_delay", cable.to_string()),
            ("routing_delay", cycles(market.model.switch_latency).to_string()),
            ("host_delay", cycles(market.model.host_latency).to_string()),
            ("virtual_channels", "1".into()),
            ("switching", "cut-through".into()),
            ("queue", "shared".into()),
            ("shared_buffer", MEMORY.to_string()),
            ("alpha", "1".into()),
            ("full", "hold".into()),
        ];
        for (key, value) in values {
            if let Some(text) = self.get_mut(key) {
                *text = value;
            }
        }
    }
}
