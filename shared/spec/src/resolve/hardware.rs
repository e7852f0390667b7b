//! Reservations, uplink, racks and placements: read, checked against the switches, and written.

use super::forms;
use crate::{
    form::{Described, Reader, Record, Written, known, plain_digits, says, set},
    spec::{
        Fault, Faults, MAX_ENTRIES, MAX_PES, MAX_PLACED, MAX_PORTS, Placement, RACK_PITCH, Rack, RackForm,
        ReservedPorts, Spec, SpecForm, Uplink, ports::UplinkRoom,
    },
    text::grouped,
};

/// Max models for which a smaller count is tried.
const MAX_ASKED: usize = 16;

/// Writes uplink, reservations, racks and placements.
pub(super) fn write(spec: &Spec, form: &mut SpecForm) {
    form.uplink = spec.uplink.as_ref().map(|uplink| written(uplink, "kind"));
    form.keep = forms(&spec.kept);
    form.rack = spec.racks.iter().enumerate().map(write_rack).collect();
    form.placement = spec.placements.iter().map(|placement| written(placement, "kind")).collect();
}

/// An entry with one field that is written even if it has its default.
fn written<F: Described>(record: &impl Record, key: &str) -> F {
    let (mut form, whole) = (F::short_of(record), F::of(record));
    set(&mut form, key, whole.get(key).unwrap_or_default().into());
    form
}

pub(super) fn uplink(form: &SpecForm, reader: &mut Reader) -> Option<Option<Uplink>> {
    let Some(form) = &form.uplink else { return Some(None) };
    let mut fields = reader.form(form, "uplink.");
    let uplink = Uplink::read(&mut fields, "");
    for key in Uplink::SEPARATE.into_iter().filter(|_| fields.typed("kind") == "folded") {
        if fields.is_given(key) {
            let reason = match key {
                "price" => "a folded uplink switch has its price in [[switch]]",
                _ => "a folded uplink switch has its ports in [[switch]]",
            };
            return fields.unwanted(key, reason);
        }
    }
    uplink.map(Some)
}

pub(super) fn kept(form: &SpecForm, reader: &mut Reader) -> Option<Vec<ReservedPorts>> {
    few("keep", form.keep.len(), reader)?;
    let mut kept: Vec<Option<ReservedPorts>> = Vec::with_capacity(form.keep.len());
    for (index, keep) in form.keep.iter().enumerate() {
        let mut fields = reader.form(keep, format!("keep[{index}]."));
        let new = ReservedPorts::read(&mut fields, "");
        let switch = known(keep, "switch");
        if let Some(first) = kept.iter().position(|k| k.is_some() && k.map(|k| k.switch) == switch) {
            let switch = fields.typed("switch");
            let sentence =
                format!("switch {switch} already has a reservation (keep[{first}]); keep one of them.");
            fields.fault::<()>("switch", says(sentence));
        }
        kept.push(new);
    }
    let mut kept: Vec<ReservedPorts> = kept.into_iter().collect::<Option<_>>()?;
    kept.sort_unstable_by_key(|k| k.switch);
    kept.windows(2).all(|pair| pair[0].switch < pair[1].switch).then_some(kept)
}

pub(super) fn racks(form: &SpecForm, pes: Option<u32>, reader: &mut Reader) -> Option<Vec<Rack>> {
    few("rack", form.rack.len(), reader)?;
    let mut racks = Vec::with_capacity(form.rack.len());
    for (index, rack) in form.rack.iter().enumerate() {
        let mut rack = rack.clone();
        if rack.x.trim().is_empty() {
            rack.x = rack_x(index);
        }
        let mut fields = reader.form(&rack, format!("rack[{index}]."));
        if !fields.is_given("nodes") && !fields.is_given("switches") {
            fields.fault::<()>("nodes", "the nodes in this rack, or its `switches`");
        }
        racks.push(Rack::read(&mut fields, ""));
    }
    let racks: Vec<Rack> = racks.into_iter().collect::<Option<_>>()?;
    let pes = pes.filter(|_| are_filled(&racks));
    let total: u64 = racks.iter().map(|rack| u64::from(rack.pes)).sum();
    if let Some(pes) = pes.filter(|&pes| !racks.is_empty() && total != u64::from(pes)) {
        let sentence = format!(
            "the racks hold {total} nodes in all, but the spec has {pes}; change `nodes` of the racks."
        );
        return reader.fault("rack", total, says(sentence));
    }
    Some(racks)
}

/// `false` if a rack has neither nodes nor switches, and so a fault of its own.
fn are_filled(racks: &[Rack]) -> bool {
    racks.iter().all(|rack| rack.pes > 0 || rack.switches > 0)
}

fn write_rack((index, rack): (usize, &Rack)) -> RackForm {
    let mut form: RackForm = written(rack, "nodes");
    if form.x == rack_x(index) {
        form.x.clear();
    }
    form
}

/// Default position of a rack along the row.
fn rack_x(index: usize) -> String {
    (index as f64 * RACK_PITCH).written()
}

pub(super) fn placements(form: &SpecForm, pes: Option<u32>, reader: &mut Reader) -> Option<Vec<Placement>> {
    few("placement", form.placement.len(), reader)?;
    let mut placements = Vec::with_capacity(form.placement.len());
    let mut placed = 0usize;
    for (index, placement) in form.placement.iter().enumerate() {
        let last = u64::from(pes.unwrap_or(MAX_PES)) - 1;
        let mut fields = reader.form(placement, format!("placement[{index}]."));
        let placement = Placement::read(fields.within("nodes", 0, last), "");
        if let Some(Placement { pes, switches, on }) = &placement {
            let places = if *on { pes.len().saturating_mul(switches.len()) } else { 0 };
            placed = placed.saturating_add(pes.len() + switches.len()).saturating_add(places);
        }
        if placed > MAX_PLACED {
            let expected = format!(
                "at most {} nodes, switches and node-switch pairs in all placements",
                grouped(MAX_PLACED as u64)
            );
            let path = format!("placement[{index}]");
            return reader.fault(path, format!("{placed} with earlier placements"), expected);
        }
        placements.push(placement);
    }
    placements.into_iter().collect()
}

fn few(path: &str, entries: usize, reader: &mut Reader) -> Option<()> {
    if entries <= MAX_ENTRIES {
        return Some(());
    }
    reader.fault(path, grouped(entries as u64), format!("at most {} entries", grouped(MAX_ENTRIES as u64)))
}

/// Returns the hardware without the parts that [`fit`] finds fault with.
pub(super) fn sound(spec: &Spec) -> Spec {
    let mut sound = spec.clone();
    let budget = spec.switch_budget();
    let is_sound = |kept: &ReservedPorts| {
        spec.model_of(kept.switch).is_some_and(|m| kept.switch < budget && kept.ports < m.ports)
    };
    sound.kept.retain(is_sound);
    let joined =
        sound.uplink_switch().is_none_or(|switch| sound.usable_of(switch).is_some_and(|ports| ports > 0));
    sound.uplink = sound.uplink.filter(|_| joined);
    let beyond = |placement: &&mut Placement| placement.switches.last().is_some_and(|&last| last >= budget);
    // Faults of the others name them by number.
    sound.placements.iter_mut().filter(beyond).for_each(|placement| placement.pes.clear());
    sound
}

/// Checks all switch numbers against the switches.
pub(super) fn fit(form: &SpecForm, spec: &Spec, reader: &mut Reader) {
    let budget = spec.switch_budget();
    let known = match (budget, spec.unlimited()) {
        (0, _) => "no number: the spec allows no switch".to_string(),
        (_, None) => format!("a switch number from 0 to {}: the spec allows {budget}", budget - 1),
        (_, Some(model)) => format!(
            "a switch number from 0 to {}: {budget} switches have a port for each NIC; to name more, set `switch[{model}].count`",
            budget - 1
        ),
    };
    for (index, keep) in form.keep.iter().enumerate() {
        let switch: Option<u32> = plain_digits(keep.switch.trim());
        let Some(kept) = switch.and_then(|switch| spec.kept.iter().find(|k| k.switch == switch)) else {
            continue;
        };
        let Some(model) = spec.model_of(kept.switch).filter(|_| kept.switch < budget) else {
            reader.fault::<()>(format!("keep[{index}].switch"), &keep.switch, known.clone());
            continue;
        };
        if kept.ports >= model.ports {
            let expected = format!("less than {}, the ports of switch {}", model.ports, kept.switch);
            reader.fault::<()>(format!("keep[{index}].ports"), &keep.ports, expected);
        }
    }
    if spec.rail {
        rails(spec, reader);
    }
    join(spec, reader);
    for (index, placement) in spec.placements.iter().enumerate().take(2 * Faults::MAX) {
        if let Some(&last) = placement.switches.last().filter(|&&last| last >= budget) {
            reader.faults.push(Fault::new(format!("placement[{index}].switches"), last, known.clone()));
        }
    }
    let racked: u64 = spec.racks.iter().map(|rack| u64::from(rack.switches)).sum();
    if spec.racks_hold_switches() && are_filled(&spec.racks) && racked < u64::from(budget) {
        let missing = u64::from(budget) - racked;
        let sentence =
            format!("the racks hold {racked} switches in all, but the spec has {budget}; add {missing}.");
        reader.fault::<()>("rack", racked, says(sentence));
    }
}

/// Checks that the switches divide into planes of equally many, and that each plane has a port for each NI.
fn rails(spec: &Spec, reader: &mut Reader) -> Option<()> {
    let (planes, budget) = (spec.planes(), spec.switch_budget());
    let open = spec.open_model();
    if let Some(open) = open.filter(|_| spec.switches.len() > 1) {
        let expected = "a count: under `rail`, only a single model may have none";
        return reader.fault(format!("switch[{open}].count"), "", expected);
    }
    let path = if spec.switches.len() == 1 { "switch[0].count" } else { "switch" };
    // Without a count, the spec has as many as it takes.
    let most = spec.switches.iter().map(|model| spec.usable_by_model(model)).max().unwrap_or(0);
    let least = spec.pes.div_ceil(most.max(1)) * planes;
    if !budget.is_multiple_of(planes) {
        let (below, above) = (budget / planes * planes, budget.next_multiple_of(planes));
        let counts =
            if below < least { format!("{}", above.max(least)) } else { format!("{below} or {above}") };
        let expected =
            format!("{counts} in all: under `rail`, each of the {planes} planes has equally many switches");
        return reader.fault(path, format!("{budget} switches"), expected);
    }
    let each = (budget / planes).max(1) as usize;
    for (plane, ports) in (0..planes).zip(spec.usable_ports().chunks(each)) {
        let (room, pes) =
            (ports.iter().map(|&ports| u64::from(ports)).sum::<u64>(), spec.pes_on_plane(plane));
        if room < u64::from(pes) {
            let found = format!(
                "{each} switch{} with {} usable ports in plane {plane}",
                if each == 1 { "" } else { "es" },
                grouped(room)
            );
            let expected = format!(
                "at least {} ports there, one per node with a NIC on the plane: for example {} switches in all",
                grouped(pes.into()),
                least.max(budget + planes)
            );
            return reader.fault(path, found, expected);
        }
    }
    Some(())
}

/// Checks that all other switches and the spares have their ports on the uplink switches, and that switches keep a port for a node.
fn join(spec: &Spec, reader: &mut Reader) {
    let Some(uplink) = &spec.uplink else { return };
    let narrow = spec.switches.iter().zip(0..).find(|(model, _)| model.ports <= uplink.links);
    if let Some((model, number)) = narrow {
        let expected = format!("fewer than {}, the ports of `switch[{number}]`", model.ports);
        return reader.fault::<()>("uplink.links", uplink.links, expected).unwrap_or(());
    }
    if spec.fits_uplink() {
        return;
    }
    let UplinkRoom { others, most, folded } = spec.uplink_room(uplink);
    let spares = match uplink.spares {
        0 => String::new(),
        spares => format!(" and {spares} spares"),
    };
    let ways = ways_out(spec);
    let ways = if ways.is_empty() { String::new() } else { format!(": {}", ways.join(", or ")) };
    if let Some(ports) = uplink.ports {
        let needed = others + u64::from(uplink.spares);
        let whose = if spec.rail { " of a plane" } else { "" };
        let mut expected = format!(
            "at least {} ports: an uplink switch has one for each of the {others} switches{whose}{spares}",
            grouped(needed)
        );
        if needed > MAX_PORTS.into() {
            expected = format!("{expected}, and no switch has more than {}{ways}", grouped(MAX_PORTS.into()));
        }
        let railed = Spec { rail: true, ..spec.clone() };
        if !spec.rail && spec.planes() > 1 && railed.fits_uplink() {
            let each = railed.uplink_room(uplink).others;
            expected += &format!("; or `rail = true`, where they join the {each} of a plane");
        }
        return reader.fault::<()>("uplink.ports", ports, expected).unwrap_or(());
    }
    let (whom, whose, per) = match folded {
        Some((switch, ports)) => (
            "other switches",
            format!("since switch {switch}, the uplink switch with {ports} ports, needs one for a node"),
            u64::from(uplink.links),
        ),
        None => ("switches", "the max ports per switch".into(), 1),
    };
    let each = if per > 1 { format!(" with {per} cables each") } else { String::new() };
    let found = format!("{others} {whom}{each} and {} spares", uplink.spares);
    let room = most * per + u64::from(uplink.spares);
    let room =
        if per > 1 { format!("{} cables", grouped(room)) } else { format!("{} in all", grouped(room)) };
    reader.fault::<()>("uplink", &found, format!("at most {room}, {whose}{ways}"));
}

fn ways_out(spec: &Spec) -> Vec<String> {
    let Some(uplink) = spec.uplink else { return Vec::new() };
    let mut ways = Vec::new();
    let spare = (0..uplink.spares)
        .rev()
        .find(|&spares| Spec { uplink: Some(Uplink { spares, ..uplink }), ..spec.clone() }.fits_uplink());
    ways.extend(spare.map(|spares| format!("`spares` of at most {spares}")));
    let fewer = (1..uplink.links)
        .rev()
        .find(|&links| Spec { uplink: Some(Uplink { links, ..uplink }), ..spec.clone() }.fits_uplink());
    ways.extend(fewer.map(|links| format!("`links` of at most {links}")));
    let widest = (0..spec.switches.len()).max_by_key(|&model| spec.switches[model].ports).unwrap_or(0);
    let mut changed = spec.clone();
    let wide_enough = (spec.switches[widest].ports + 1..=MAX_PORTS).find(|&ports| {
        changed.switches[widest].ports = ports;
        changed.fits_uplink()
    });
    ways.extend(wide_enough.map(|ports| format!("`switch[{widest}].ports` of at least {ports}")));
    // Without a count there are no more switches than NIs ask for.
    let fewer = |model: usize| {
        let mut changed = spec.clone();
        let enough = (1..spec.switches[model].count?).rev().take(MAX_PORTS as usize).find(|&fewer| {
            changed.switches[model].count = Some(fewer);
            changed.fits_uplink()
        });
        enough.map(|count| format!("`switch[{model}].count` of at most {count}"))
    };
    ways.extend((0..spec.switches.len().min(MAX_ASKED)).find_map(fewer));
    let separate = Spec { uplink: Some(Uplink { folded: false, ..uplink }), ..spec.clone() };
    if uplink.folded && separate.fits_uplink() {
        ways.push("`kind = \"separate\"`".into());
    }
    ways
}
