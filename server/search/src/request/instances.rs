//! From a spec to the instances that are searched one after the other.

use crate::{
    graph::{Aim, Graph},
    problem::{Problem, concentrated, nis_per_pe, useful_ports},
    rules::Rules,
};
use shared::{
    demand::Demand,
    spec::{Objective, Spec},
};
use std::sync::Arc;

/// The instances to search, stricter ones first; `None` if `go_on` said no. Where links are wished for, the last one
/// counts them too, and begins where the others have served every pair.
pub fn read(spec: &Spec, demand: &Demand, go_on: &mut dyn FnMut() -> bool) -> Option<Vec<Problem>> {
    let fractional = spec.objective == Objective::Fractional;
    let aim = if fractional { Aim::Weigh } else { Aim::Cover };
    let graph = Arc::new(Graph::aimed(demand, aim, go_on)?);
    let ports = useful_ports(spec);
    let rules = Rules::of(spec).map(Arc::new);
    let ruled = rules.is_some();
    let wishes = demand.has_extra() && !fractional;
    let free = Problem::new(graph, nis_per_pe(spec), &ports).with_rules(rules).before(u32::from(wishes));
    let mut instances = Vec::new();
    if spec.objective == Objective::Universal && !ruled && spec.start.is_none() {
        // As many links a pair as the NIs can give take full switches; only if that does not work out are loads free.
        instances.push(free.with_ports(&concentrated(&ports, free.nis())));
    }
    if wishes {
        let graph = Arc::new(Graph::aimed(demand, Aim::Grant, go_on)?);
        instances.extend([free.clone(), free.with_graph(graph).before(0)]);
    } else {
        instances.push(free);
    }
    Some(instances)
}
