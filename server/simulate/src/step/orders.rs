//! The design with rings, trees and ranks in orders that stay on shared switches.

use super::{
    Steps,
    phases::{Network, Work},
};
use shared::{
    analysis::{
        library::{Library, SwitchRule},
        orders::{orders, rank_order},
    },
    compare::Sources,
    demand::job::shares_with,
    design::Design,
    estimate::{DimensionStep, NetworkStep, OrderStep},
    fabric::{Wiring, kinds::build},
};

/// Bytes of a transfer per ring and NIC: the parts of its paths over shared switches, in both directions.
const PART_BYTES: u64 = 48;

/// Upper bound in bytes of the memory of rings in found orders, of so many transfers in the given one.
pub(super) fn memory(sources: &Sources, transfers: u64) -> u64 {
    let nics = u64::from(sources.spec.mean_nis());
    sources.design.map_or(0, |_| transfers.saturating_mul(nics * nics * PART_BYTES))
}

impl Steps<'_> {
    /// The step `given` of the design in other orders; `None` if it has no estimate.
    pub(super) fn orders(&self, given: &NetworkStep, design: &Design) -> Option<OrderStep> {
        given.communication()?;
        let given = given.dimensions.iter().map(|dimension| dimension.latency + dimension.fluid).sum();
        let fabric = build(&Wiring::of(self.sources.spec, design), self.sources.market.speeds()).ok()?;
        let nis = design.nis();
        let rule = (self.job.library != Library::Any).then(|| SwitchRule::of(self.job, &nis));
        let network = Network::of(&fabric, false, self.sources.market).ok()?.by(rule);
        let seconds = |work: &[Work]| -> Option<f64> {
            let mut load = vec![0.0; fabric.channels() as usize];
            let (dimensions, _) = self.dimensions(&network, work, &mut load).ok()?;
            Some(dimensions.iter().map(DimensionStep::seconds).sum())
        };
        let found = orders(self.job, design);
        let practice = &self.settings.practice;
        let shares = shares_with(self.job, practice);
        let ordered: Vec<Work> =
            shares.iter().filter_map(|share| Work::in_orders(self.job, share, practice, &found)).collect();
        let ranks = rank_order(self.job, design);
        let placed = ranks.placed(self.job);
        let renumbered: Vec<Work> =
            shares.iter().filter_map(|share| Work::of(&placed, share, practice)).collect();
        Some(OrderStep {
            groups: found.len() as u32,
            complete: found.iter().filter(|group| group.apart == 0).count() as u32,
            hops_apart: found.iter().map(|group| group.apart as u32).sum(),
            orders: found.iter().map(|group| group.orders.len() as u32).sum(),
            given,
            ordered: seconds(&ordered)?,
            bytes_apart: ranks.shares(),
            renumbered: seconds(&renumbered)?,
        })
    }
}
