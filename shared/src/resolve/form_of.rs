//! A resolved spec as a form again: the normal form in which specs are exported.

use super::hardware::rack_x;
use crate::{
    demand::patterns,
    design::{Design, table},
    spec::{
        CABLE_SLACK, CollectiveForm, JobForm, KeepForm, Kept, MARKET, ModelForm, NamesForm, Objective,
        PeGroup, PeGroupForm, Placement, PlacementForm, Rack, RackForm, Spec, SpecForm, Start, StartForm,
        SwitchForm, SwitchModel, Uplink, UplinkForm,
        assumptions::EstimateSettings,
        job::{Collective, DEFAULT_LIBRARY, Dimension, Job, Model},
        names::NameScheme,
    },
    text::{number, ranges},
};
use std::sync::Arc;

/// The normal form of a spec, which stands alone: plain digits, no defaults, a matrix's pairs and a wiring's table inline.
pub fn form_of(spec: &Spec) -> SpecForm {
    let jobs = || (0..).zip(&spec.jobs);
    let mut form = SpecForm {
        name: spec.name.clone(),
        pes: spec.pes.to_string(),
        rail: unless(!spec.rail, spec.rail),
        objective: objective(spec.objective).into(),
        forwarding: spec.forwarding.map_or_else(String::new, |forwards| forwards.to_string()),
        market: unless(spec.market == MARKET, spec.market),
        ni_price: price(spec.ni_price),
        cable_price: price(spec.cable_price),
        metre_price: price(spec.metre_price),
        cable_slack: unless(spec.cable_slack == CABLE_SLACK, number(spec.cable_slack)),
        keep: spec.kept.iter().map(keep).collect(),
        uplink: spec.uplink.as_ref().map(uplink),
        rack: spec.racks.iter().enumerate().map(rack).collect(),
        names: (spec.names != NameScheme::default()).then(|| names(&spec.names)),
        placement: spec.placements.iter().map(placement).collect(),
        start: spec.start.as_ref().map(|wiring| start(wiring, spec.pes)),
        switch: spec.switches.iter().map(switch).collect(),
        pattern: spec.own_patterns().iter().map(patterns::form).collect(),
        job: spec.jobs.iter().map(|of| job(of, spec)).collect(),
        model: jobs().filter_map(|(at, job)| Some(model(at, job.model.as_ref()?))).collect(),
        assumptions: (spec.assumptions != EstimateSettings::default()).then(|| spec.assumptions.form()),
        collective: jobs()
            .flat_map(|(at, job)| job.collectives.iter().map(move |of| collective(at, of)))
            .collect(),
        ..SpecForm::default()
    };
    match spec.pe_groups[..] {
        [all] => form.nis_per_pe = all.nis.to_string(),
        _ => {
            let group = |g: &PeGroup| PeGroupForm { count: g.count.to_string(), nis: g.nis.to_string() };
            form.pe_group = spec.pe_groups.iter().map(group).collect();
        }
    }
    form
}

fn price(price: Option<f64>) -> String {
    price.map_or_else(String::new, number)
}

fn objective(objective: Objective) -> &'static str {
    match objective {
        Objective::Universal => "universal",
        Objective::Sparse => "sparse",
        Objective::Fractional => "fractional",
        Objective::Time => "time",
    }
}

fn switch(model: &SwitchModel) -> SwitchForm {
    SwitchForm {
        ports: model.ports.to_string(),
        reserve: unless(model.reserve == 0, model.reserve),
        price: price(model.price),
        count: model.count.map_or_else(String::new, |count| count.to_string()),
    }
}

fn keep(kept: &Kept) -> KeepForm {
    KeepForm { switch: kept.switch.to_string(), ports: kept.ports.to_string() }
}

fn uplink(uplink: &Uplink) -> UplinkForm {
    UplinkForm {
        kind: if uplink.folded { "folded" } else { "separate" }.into(),
        links: unless(uplink.links == 1, uplink.links),
        ports: uplink.ports.map_or_else(String::new, |ports| ports.to_string()),
        spares: unless(uplink.spares == 0, uplink.spares),
        price: price(uplink.price),
    }
}

fn rack((index, rack): (usize, &Rack)) -> RackForm {
    RackForm {
        pes: rack.pes.to_string(),
        switches: unless(rack.switches == 0, rack.switches),
        x: unless(rack.x == rack_x(index), number(rack.x)),
        y: unless(rack.y == 0.0, number(rack.y)),
    }
}

fn names(names: &NameScheme) -> NamesForm {
    let usual = NameScheme::default();
    NamesForm {
        nodes: unless(names.nodes == usual.nodes, names.nodes.written()),
        switches: unless(names.switches == usual.switches, names.switches.written()),
        racks: unless(names.racks == usual.racks, names.racks.written()),
        uplink: unless(names.uplink == usual.uplink, names.uplink.written()),
        spares: unless(names.spares == usual.spares, names.spares.written()),
        interface: unless(names.interface == usual.interface, names.interface.written()),
        port: names.port.as_ref().map_or_else(String::new, |port| port.written().into()),
    }
}

fn placement(placement: &Placement) -> PlacementForm {
    PlacementForm {
        pes: ranges(&placement.pes),
        switches: ranges(&placement.switches),
        kind: if placement.on { "on" } else { "off" }.into(),
    }
}

fn job(job: &Job, spec: &Spec) -> JobForm {
    let has_all = spec.jobs.len() == 1 && (job.nodes.is_some() || job.node_count() == spec.pes);
    let listed = job.nodes.as_ref().filter(|_| spec.jobs.len() == 1);
    let degree = |degree: u32| unless(degree == 1, degree);
    let order: Vec<&str> = job.order.iter().map(|dimension| dimension.name()).collect();
    let ranks = |nodes: &Arc<[u32]>| {
        (0..).zip(nodes.iter()).map(|(rank, node): (u32, _)| format!("{rank} {node}\n")).collect()
    };
    JobForm {
        share: unless(has_all, number(f64::from(job.node_count()) / f64::from(spec.pes))),
        ranks_per_pe: unless(job.ranks_per_pe == 8, job.ranks_per_pe),
        tp: degree(job.tp),
        cp: degree(job.cp),
        ep: degree(job.ep),
        dp: job.dp.to_string(),
        pp: degree(job.pp),
        order: unless(job.order == Dimension::ORDER, order.join("-")),
        virtual_stages: degree(job.virtual_stages),
        library: unless(job.library == DEFAULT_LIBRARY, job.library.name()),
        ranks: listed.map_or_else(String::new, ranks),
        rank_file: String::new(),
    }
}

fn model(job: u32, model: &Model) -> ModelForm {
    ModelForm {
        job: unless(job == 0, job),
        parameters: number(model.parameters),
        active_parameters: unless(
            model.active_parameters == model.parameters,
            number(model.active_parameters),
        ),
        layers: model.layers.to_string(),
        expert_layers: unless(model.expert_layers == model.layers, model.expert_layers),
        hidden: model.hidden.to_string(),
        kv_hidden: unless(model.kv_hidden == model.hidden, model.kv_hidden),
        sequence: model.sequence.to_string(),
        micro_batch: unless(model.micro_batch == 1, model.micro_batch),
        global_batch: model.global_batch.to_string(),
        experts: unless(model.experts == 0, model.experts),
        top_k: unless(model.top_k == 1, model.top_k),
        max_expert_nodes: model.max_expert_nodes.map_or_else(String::new, |most| most.to_string()),
        bytes_per_element: unless(model.bytes_per_element == 2.0, number(model.bytes_per_element)),
        gradient_bytes: unless(model.gradient_bytes == 4.0, number(model.gradient_bytes)),
        zero: unless(model.zero == 0, model.zero),
    }
}

fn collective(job: u32, collective: &Collective) -> CollectiveForm {
    CollectiveForm {
        job: unless(job == 0, job),
        along: collective.along.name().into(),
        operation: collective.operation.name().into(),
        algorithm: collective.algorithm.name().into(),
        bytes: collective.bytes.map_or_else(String::new, number),
    }
}

fn start(start: &Start, pes: u32) -> StartForm {
    StartForm {
        moves: start.moves.map_or_else(String::new, |moves| moves.to_string()),
        renumber: unless(!start.renumber, start.renumber),
        file: String::new(),
        table: table::write(&Design::from_switches(pes, start.switches.iter().cloned())),
    }
}

fn unless(default: bool, value: impl ToString) -> String {
    if default { String::new() } else { value.to_string() }
}
