//! The design with rings, trees and ranks in orders that stay on shared switches.

use super::{Steps, phases::Network};
use analysis::analysis::{
    library::{Library, SwitchRule},
    orders::{GroupOrders, orders, rank_order},
};
use network::{
    compare::Sources,
    fabric::{Wiring, kinds::build},
};
use spec::{
    demand::job::{Practice, Share, groups, shares_with},
    design::Design,
    spec::job::Job,
};
use std::collections::BTreeMap;
use work::estimate::{DimensionStep, NetworkStep, OrderStep, timing::Lane};

/// Bytes of a transfer per ring and NIC: the parts of its paths over shared switches, in both directions.
const PART_BYTES: u64 = 48;

/// Upper bound in bytes of the memory of rings in found orders, of so many transfers in the given one.
pub(super) fn memory(sources: &Sources, transfers: u64) -> u64 {
    let nics = u64::from(sources.spec.mean_nis());
    sources.design.map_or(0, |_| transfers.saturating_mul(nics * nics * PART_BYTES))
}

impl Steps<'_> {
    /// The step `given` of the design in other orders; `None` if it has no estimate, or there are several jobs.
    pub(super) fn orders(&self, given: &NetworkStep, design: &Design) -> Option<OrderStep> {
        let job = self.sources.spec.only_job()?;
        given.communication()?;
        let given = given.dimensions.iter().map(|dimension| dimension.latency + dimension.fluid).sum();
        let fabric = build(&Wiring::of(self.sources.spec, design), self.sources.market.speeds()).ok()?;
        let nis = design.nis();
        let rule = (job.library != Library::Any)
            .then(|| SwitchRule::of(self.sources.spec.spine(), &self.sources.spec.jobs, &nis));
        let network = Network::of(&fabric, false, self.sources.market).ok()?.by(rule);
        let seconds = |lanes: &[Lane]| -> Option<f64> {
            let mut load = vec![0.0; fabric.channels() as usize];
            let (dimensions, _) = self.dimensions(&network, lanes, &mut load).ok()?;
            Some(dimensions.iter().map(DimensionStep::seconds).sum())
        };
        let found = orders(job, design);
        let practice = &self.settings.practice;
        let shares = shares_with(job, practice);
        let ordered: Vec<Lane> =
            shares.iter().filter_map(|share| in_orders(job, share, practice, &found)).collect();
        let ranks = rank_order(job, design);
        let placed = ranks.placed(job);
        let lane = |share| Lane::of(&placed, share, practice, groups(&placed, share.collective).transfers());
        let renumbered: Vec<Lane> = shares.iter().filter_map(lane).collect();
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

/// The lane of a share with rings and trees in these orders, where there are any.
fn in_orders(job: &Job, share: &Share, practice: &Practice, orders: &[GroupOrders]) -> Option<Lane> {
    let own = orders.iter().filter(|group| group.along == share.collective.along);
    let own: BTreeMap<&[u32], &GroupOrders> = own.map(|group| (&group.members[..], group)).collect();
    let ordered = |members: &[u32]| match own.get(members) {
        Some(group) => group.members(),
        None => vec![(members.to_vec(), Vec::new())],
    };
    Lane::of(job, share, practice, groups(job, share.collective).transfers_in(ordered))
}
