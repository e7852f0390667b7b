//! Names of parts: each template, then all of them against each other and the machine.

use crate::{
    form::{Described, Reader, Record, says},
    spec::{
        NamesForm, Spec, SpecForm,
        names::{self, MAX_PART_NAME, NameScheme, Variable},
    },
    text::count,
};
use std::collections::HashMap;

/// Reads the templates. `None` after a fault.
pub(super) fn read(form: &SpecForm, reader: &mut Reader) -> Option<NameScheme> {
    let Some(form) = &form.names else { return Some(NameScheme::default()) };
    NameScheme::read(&mut reader.form(form, "names."), "")
}

pub(super) fn write(spec: &Spec, form: &mut SpecForm) {
    form.names = (spec.names != NameScheme::default()).then(|| NamesForm::short_of(&spec.names));
}

/// Checks that the names fit the machine and that no two parts have one name.
pub(super) fn fit(form: &SpecForm, spec: &Spec, reader: &mut Reader) {
    let has_racks = !form.rack.is_empty();
    let Some(form) = form.names.as_ref().filter(|_| spec.names != NameScheme::default()) else { return };
    let mut fields = reader.form(form, "names.");
    let scheme = &spec.names;
    let racks = names::racks(spec);
    let longest = racks.iter().map(|rack| rack.name.len()).max().unwrap_or(0);
    let hosts = [
        ("nodes", &scheme.nodes),
        ("switches", &scheme.switches),
        ("uplink", &scheme.uplink),
        ("spares", &scheme.spares),
    ];
    for (at, (key, template)) in hosts.into_iter().enumerate() {
        let places = [Variable::Rack, Variable::Slot];
        if !has_racks && places.into_iter().any(|variable| template.uses(variable)) {
            fields.fault::<()>(key, says("{rack} and {slot} need racks: remove them, or add [[rack]]."));
        } else if template.uses(Variable::Plane) && !spec.rail {
            fields.fault::<()>(key, says("{plane} needs planes: remove it, or set `rail = true`."));
        } else if let Err(advice) = template.check_host(longest) {
            fields.fault::<()>(key, advice);
        } else if key != "uplink" && !template.tells_apart() {
            let sentence = "gives two of them one name. Use {number}, or {rack} and {slot}, or {number/8} and {number%8}, \
                            with text between placeholders.";
            fields.fault::<()>(key, says(sentence));
        }
        for (other, earlier) in &hosts[..at] {
            if earlier.may_meet(template) {
                let sentence = format!(
                    "these could be names of `{other}`, too ({:?}); choose another prefix.",
                    earlier.written()
                );
                fields.fault_of::<()>(key, template.written(), says(sentence));
            }
        }
    }
    let mut seen: HashMap<String, usize> = HashMap::new();
    // Host names with {rack} have the rack's characters.
    let hosts_use = [&scheme.nodes, &scheme.switches].into_iter().any(|t| t.uses(Variable::Rack));
    let more = if hosts_use { "-" } else { "-_." };
    let plain = |c: char| c.is_ascii_alphanumeric() || more.contains(c);
    for (at, rack) in racks.iter().enumerate() {
        let name = &rack.name;
        let starts = name.starts_with(|c: char| c.is_ascii_alphabetic());
        if !starts || name.len() > MAX_PART_NAME || !name.chars().all(plain) {
            let expected = format!(
                "names of 1 to {MAX_PART_NAME} ASCII letters, digits{}, starting with a letter (rack {at} is {name})",
                if hosts_use { " or -, since host names have {rack}" } else { ", -, _ or ." }
            );
            return fields.fault::<()>("racks", expected).unwrap_or(());
        }
        if let Some(first) = seen.insert(name.to_ascii_lowercase(), at) {
            let sentence =
                format!("racks {first} and {at} are both named {name}; give each rack its own name.");
            return fields.fault::<()>("racks", says(sentence)).unwrap_or(());
        }
    }
    let most = spec.pe_groups.iter().map(|group| group.nis).max().unwrap_or(0) as usize;
    if let Some(given) = scheme.interface.count().filter(|&given| given != most) {
        let names = count(given as u64, "name");
        let sentence = format!("lists {names}; a node has {}. List as many.", count(most as u64, "NIC"));
        fields.fault::<()>("interface", says(sentence));
    }
}
