//! Buttons beside a fault: values that mend it.

use shared::{
    form::{Described, Form, plain_digits},
    spec::{Fault, SpecForm, patterns::factorization},
};

/// Max number of sizes that a torus or grid is offered.
const MAX_SIZES: usize = 4;

/// A new value of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mend {
    /// Words of its button.
    pub words: String,
    /// Path of the field.
    pub path: String,
    /// The new text.
    pub text: String,
}

impl Mend {
    fn of(path: impl Into<String>, text: impl Into<String>) -> Mend {
        let (path, text) = (path.into(), text.into());
        let label = SpecForm::SCHEMA.field_at(&path).map_or("the field", |field| field.label);
        let label = if label.starts_with("NIC") { label.to_owned() } else { label.to_lowercase() };
        Mend { words: format!("Set {label} to {text}"), path, text }
    }
}

/// `true` if a spec asks for nothing yet, which is no error of the person who begins one.
pub fn is_unasked(fault: &Fault) -> bool {
    fault.path == "pattern" && fault.value.is_empty()
}

/// Values that mend a fault of a spec, the best first. Empty if that takes a decision.
pub fn mends(form: &SpecForm, fault: &Fault) -> Vec<Mend> {
    if fault.path.starts_with("pattern[") && !fault.path.ends_with(".links") {
        return of_pattern(form, fault);
    }
    if fault.path.starts_with("job") {
        return of_job(fault);
    }
    of_proof(form, fault)
}

/// The best mend of each pattern whose sizes don't fit the number of nodes, if there are several.
pub fn all_sizes(form: &SpecForm, faults: &[Fault]) -> Vec<Mend> {
    let first =
        |fault: &Fault| fault.path.ends_with(".dims").then(|| mends(form, fault).into_iter().next())?;
    let all: Vec<Mend> = faults.iter().filter_map(first).collect();
    if all.len() > 1 { all } else { Vec::new() }
}

fn of_pattern(form: &SpecForm, fault: &Fault) -> Vec<Mend> {
    let (path, pes) = (&fault.path, form.pes.trim());
    if path.ends_with(".dims") && fault.expected.starts_with("sizes whose product") {
        let count = form.text_at(path).unwrap_or_default().split(['x', 'X', '×', ',']).count() as u32;
        let fitting = plain_digits(pes).map_or_else(Vec::new, |pes| sizes(pes, count));
        return fitting
            .into_iter()
            .map(|text| Mend { words: text.clone(), path: path.clone(), text })
            .collect();
    }
    // A pattern for other numbers of nodes.
    let near = fault.expected.strip_prefix("a node count").and_then(|words| words.split_once("such as "));
    let near =
        near.map_or("", |(_, numbers)| numbers).split(" or ").filter(|n| plain_digits::<u32>(n).is_some());
    near.map(|nodes| Mend::of("nodes", nodes)).collect()
}

/// Sizes of a lattice of so many nodes and dimensions, or of fewer dimensions, the most cube-like first.
fn sizes(pes: u32, dimensions: u32) -> Vec<String> {
    let mut all = (1..=dimensions)
        .rev()
        .map(|count| factorization::all(pes, count))
        .find(|all| !all.is_empty())
        .unwrap_or_default();
    all.sort_by_key(|sizes| (sizes.iter().sum::<u32>(), sizes.clone()));
    let written = |sizes: Vec<u32>| sizes.iter().map(u32::to_string).collect::<Vec<_>>().join("x");
    all.into_iter().take(MAX_SIZES).map(written).collect()
}

/// Degrees and numbers of nodes, from `tp = 2 or 4 or dp = 5 for …` and `these degrees fit 60 or 64 nodes`.
fn of_job(fault: &Fault) -> Vec<Mend> {
    let table = fault.path.rsplit_once('.').map_or(&*fault.path, |(table, _)| table);
    if let Some((_, nodes)) = fault.expected.split_once("these degrees fit ") {
        let nodes = nodes.trim_end_matches(" nodes").split(" or ").map(|number| number.replace(',', ""));
        return nodes
            .filter(|n| plain_digits::<u32>(n).is_some())
            .map(|nodes| Mend::of("nodes", nodes))
            .collect();
    }
    let Some((fits, _)) = fault.expected.split_once(" for ") else { return Vec::new() };
    let (mut key, mut found) = ("", Vec::new());
    for word in fits.split(", ").flat_map(|words| words.split(" or ")) {
        let number = match word.split_once(" = ") {
            Some((degree, number)) => {
                key = degree;
                number
            }
            None => word,
        };
        if !key.is_empty() && plain_digits::<u32>(number).is_some() {
            found.push(Mend {
                words: format!("{key} = {number}"),
                path: format!("{table}.{key}"),
                text: number.into(),
            });
        }
    }
    found
}

/// Numbers that a proof calls sufficient.
fn of_proof(form: &SpecForm, fault: &Fault) -> Vec<Mend> {
    let (path, mut found) = (&fault.path, Vec::new());
    // The widest switches are those that a proof speaks of.
    let ports = |(_, model): &(usize, &shared::spec::SwitchForm)| {
        plain_digits::<u32>(model.ports.trim()).unwrap_or(0)
    };
    let widest =
        form.switch.iter().enumerate().max_by_key(ports).map(|(at, _)| format!("switch[{at}].ports"));
    for way in fault.expected.split(", ").map(|way| way.trim_start_matches("or ")) {
        let number = |start: &str, end: &str| {
            let number = way.strip_prefix(start)?.strip_suffix(end)?.replace(',', "");
            plain_digits::<u32>(&number).map(|number| number.to_string())
        };
        let own =
            ["", " ports"].iter().find_map(|end| number("at least ", end)).or_else(|| number("at most ", ""));
        found.extend(own.map(|text| Mend::of(path, text)));
        found.extend(
            widest
                .clone()
                .zip(number("switches with at least ", " ports"))
                .map(|(path, text)| Mend::of(path, text)),
        );
        let common = number("", " NICs per node").filter(|_| form.pe_group.is_empty());
        found.extend(common.map(|text| Mend::of("nics_per_node", text)));
    }
    found.retain(|mend| {
        SpecForm::SCHEMA.field_at(&mend.path).is_some_and(|field| field.check(&mend.text).is_ok())
    });
    found
}

/// A sufficient value in words, with the field's label in place of its path.
pub fn sufficient(fault: &Fault) -> String {
    format!("{}: {}", SpecForm::SCHEMA.label(&fault.path), fault.expected)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::draft::{Action, Draft};
    use shared::{analysis::bounds::refuse, demand::Demand};

    fn kasy0() -> Draft {
        Draft::open(include_str!("../../../assets/specs/kasy0.toml"))
    }

    fn set(draft: &mut Draft, path: &str, text: &str) {
        draft.update(Action::Set { path: path.into(), text: text.into() });
    }

    fn words(mends: &[Mend]) -> Vec<&str> {
        mends.iter().map(|mend| &*mend.words).collect()
    }

    #[test]
    fn sizes_that_no_longer_fit_are_mended_in_one_step() {
        let mut draft = kasy0();
        set(&mut draft, "nodes", "64");
        let faults = draft.resolve().unwrap_err().0;
        let form = draft.document().form.clone();
        assert_eq!(words(&mends(&form, &faults[0])), ["8x8", "16x4", "32x2"]);
        assert_eq!(words(&mends(&form, &faults[1])), ["4x4x4", "8x4x2", "16x2x2"]);
        draft.update(Action::Mend(all_sizes(&form, &faults)));
        assert_eq!(draft.resolve().unwrap().patterns.len(), 5);
        draft.update(Action::Undo);
        assert_eq!(draft.document().form, form);
    }

    #[test]
    fn a_prime_number_of_nodes_has_one_dimension() {
        assert_eq!(sizes(47, 2), ["47"]);
        assert_eq!(sizes(48, 2), ["8x6", "12x4", "16x3", "24x2"]);
    }

    #[test]
    fn a_hypercube_offers_numbers_of_nodes() {
        let mut draft = kasy0();
        set(&mut draft, "nodes", "100");
        let faults = draft.resolve().unwrap_err().0;
        let cube = faults.iter().find(|fault| fault.path.ends_with(".kind")).unwrap();
        assert_eq!(words(&mends(&draft.document().form, cube)), ["Set nodes to 64", "Set nodes to 128"]);
    }

    #[test]
    fn degrees_that_do_not_fit_offer_others() {
        let mut draft = Draft::open(crate::state::job::EXAMPLE);
        set(&mut draft, "job.tp", "3");
        let faults = draft.resolve().unwrap_err().0;
        let found = mends(&draft.document().form, &faults[0]);
        assert_eq!(words(&found), ["tp = 2", "tp = 4"], "{faults:?}");
        draft.update(Action::Mend(vec![found[0].clone()]));
        assert!(draft.resolve().is_ok());
    }

    #[test]
    fn a_lasting_mend_meets_all_bounds() {
        let mut draft = kasy0();
        set(&mut draft, "nics_per_node", "1");
        let spec = draft.resolve().unwrap();
        let refusal = refuse(&spec, &Demand::build(&spec).unwrap()).unwrap();
        let form = draft.document().form.clone();
        let all: Vec<Mend> = refusal.faults.iter().flat_map(|fault| mends(&form, fault)).collect();
        assert!(words(&all).contains(&"Set ports to 27"), "{all:?}");
        for mend in all {
            let mut mended = draft.clone();
            mended.update(Action::Mend(vec![draft.lasting(mend)]));
            let spec = mended.resolve().unwrap();
            assert_eq!(refuse(&spec, &Demand::build(&spec).unwrap()), None);
        }
    }

    /// Each mend of a proof makes its bound hold.
    #[test]
    fn proofs_offer_sufficient_values() {
        let wide = ("switch[0].ports", "8");
        for (changes, offered) in [
            (vec![wide], vec!["Set NICs per node to 5", "Set ports to 11"]),
            (vec![("switch[0].count", "3")], vec!["Set max count to 12"]),
        ] {
            let mut draft = kasy0();
            changes.iter().for_each(|(path, text)| set(&mut draft, path, text));
            let spec = draft.resolve().unwrap();
            let refusal = refuse(&spec, &Demand::build(&spec).unwrap()).unwrap();
            let form = draft.document().form.clone();
            let all: Vec<Mend> = refusal.faults.iter().flat_map(|fault| mends(&form, fault)).collect();
            assert_eq!(words(&all), offered, "{refusal:?}");
            for mend in all {
                let mut mended = draft.clone();
                mended.update(Action::Mend(vec![mend]));
                let spec = mended.resolve().unwrap();
                let left = refuse(&spec, &Demand::build(&spec).unwrap());
                assert_ne!(left.map(|left| left.faults), Some(refusal.faults.clone()));
            }
        }
    }

    #[test]
    fn more_links_than_nics_offer_as_many() {
        let mut draft = kasy0();
        set(&mut draft, "pattern[0].links", "5");
        let faults = draft.resolve().unwrap_err().0;
        assert_eq!(words(&mends(&draft.document().form, &faults[0])), ["Set links per pair to 3"]);
    }

    #[test]
    fn only_a_spec_without_patterns_is_unasked() {
        let draft = Draft::open(&shared::spec::blank(64));
        let faults = draft.resolve().unwrap_err().0;
        assert!(faults.len() == 1 && is_unasked(&faults[0]));
        let mut many = kasy0();
        set(&mut many, "nodes", "");
        assert!(!many.resolve().unwrap_err().0.iter().any(is_unasked));
    }
}
