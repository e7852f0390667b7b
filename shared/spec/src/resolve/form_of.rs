//! A resolved spec as a form again: the normal form in which specs are exported.

use super::hardware::rack_x;
use crate::{
    demand::patterns,
    design::{Design, table},
    form::{Described, Form, Written},
    spec::{
        CollectiveForm, JobForm, KeepForm, Kept, ModelForm, NamesForm, Objective, PeGroupForm, Placement,
        PlacementForm, Rack, RackForm, Spec, SpecForm, Start, StartForm, SwitchForm, SwitchModel, Uplink,
        UplinkForm,
        assumptions::EstimateSettings,
        job::{Collective, Job},
        names::NameScheme,
    },
    text::ranges,
};

/// A form of these values, defaults left out.
macro_rules! short {
    ($form:ident { $($key:ident: $value:expr),* $(,)? }) => {{
        let mut form = $form::default();
        $(form.put(stringify!($key), $value);)*
        form
    }};
}

/// The normal form of a spec, which stands alone: plain digits, no defaults, a matrix's pairs and a wiring's table inline.
pub fn form_of(spec: &Spec) -> SpecForm {
    let jobs = || (0..).zip(&spec.jobs);
    let mut form = SpecForm {
        objective: objective(spec.objective).into(),
        keep: spec.kept.iter().map(keep).collect(),
        uplink: spec.uplink.as_ref().map(uplink),
        rack: spec.racks.iter().enumerate().map(rack).collect(),
        names: (spec.names != NameScheme::default()).then(|| names(&spec.names)),
        placement: spec.placements.iter().map(placement).collect(),
        start: spec.start.as_ref().map(|wiring| start(wiring, spec.pes)),
        switch: spec.switches.iter().map(switch).collect(),
        pattern: spec.own_patterns().iter().map(patterns::form).collect(),
        job: spec.jobs.iter().map(|of| job(of, spec)).collect(),
        model: jobs()
            .filter_map(|(at, job)| {
                Some(ModelForm {
                    job: Some(at).filter(|&at| at > 0).written(),
                    ..ModelForm::short_of(job.model.as_ref()?)
                })
            })
            .collect(),
        assumptions: (spec.assumptions != EstimateSettings::default()).then(|| spec.assumptions.form()),
        collective: jobs()
            .flat_map(|(at, job)| job.collectives.iter().map(move |of| collective(at, of)))
            .collect(),
        ..short!(SpecForm {
            name: &*spec.name,
            pes: spec.pes,
            rail: spec.rail,
            forwarding: spec.forwarding,
            market: spec.market,
            ni_price: spec.ni_price,
            cable_price: spec.cable_price,
            metre_price: spec.metre_price,
            cable_slack: spec.cable_slack,
        })
    };
    match spec.pe_groups[..] {
        [all] => form.put("nis_per_pe", all.nis),
        _ => {
            form.pe_group =
                spec.pe_groups.iter().map(|g| short!(PeGroupForm { count: g.count, nis: g.nis })).collect()
        }
    }
    form
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
    short!(SwitchForm { ports: model.ports, reserve: model.reserve, price: model.price, count: model.count })
}

fn keep(kept: &Kept) -> KeepForm {
    short!(KeepForm { switch: kept.switch, ports: kept.ports })
}

fn uplink(uplink: &Uplink) -> UplinkForm {
    let Uplink { links, ports, spares, price, .. } = *uplink;
    let kind = if uplink.folded { "folded" } else { "separate" }.into();
    UplinkForm { kind, ..short!(UplinkForm { links: links, ports: ports, spares: spares, price: price }) }
}

fn rack((index, rack): (usize, &Rack)) -> RackForm {
    let x = Some(rack.x).filter(|&x| x != rack_x(index));
    RackForm { pes: rack.pes.to_string(), ..short!(RackForm { switches: rack.switches, x: x, y: rack.y }) }
}

fn names(names: &NameScheme) -> NamesForm {
    short!(NamesForm {
        nodes: names.nodes.written(),
        switches: names.switches.written(),
        racks: names.racks.written(),
        uplink: names.uplink.written(),
        spares: names.spares.written(),
        interface: names.interface.written(),
        port: names.port.as_ref().map(|port| port.written()),
    })
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
    let share = (!has_all).then(|| f64::from(job.node_count()) / f64::from(spec.pes));
    let order: Vec<&str> = job.order.iter().map(|dimension| dimension.name()).collect();
    let listed = job.nodes.as_ref().filter(|_| spec.jobs.len() == 1);
    let ranks = listed.map(|nodes| {
        (0..).zip(nodes.iter()).map(|(rank, node): (u32, _)| format!("{rank} {node}\n")).collect::<String>()
    });
    short!(JobForm {
        share: share,
        ranks_per_pe: job.ranks_per_pe,
        tp: job.tp,
        cp: job.cp,
        ep: job.ep,
        dp: job.dp,
        pp: job.pp,
        order: order.join("-"),
        virtual_stages: job.virtual_stages,
        library: job.library.name(),
        ranks: ranks,
    })
}

fn collective(job: u32, collective: &Collective) -> CollectiveForm {
    short!(CollectiveForm {
        job: job,
        along: collective.along.name(),
        operation: collective.operation.name(),
        algorithm: collective.algorithm.name(),
        bytes: collective.bytes,
    })
}

fn start(start: &Start, pes: u32) -> StartForm {
    short!(StartForm {
        moves: start.moves,
        renumber: start.renumber,
        table: table::write(&Design::from_switches(pes, start.switches.iter().cloned())),
    })
}
