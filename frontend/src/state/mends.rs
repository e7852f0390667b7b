//! Buttons beside a fault: values that mend it.

use shared::{
    form::{Described, Mend},
    spec::{Fault, SpecForm},
};

/// Words of a mend's button.
pub fn words(mend: &Mend) -> String {
    let (path, text) = (&mend.path, &mend.text);
    let label = SpecForm::SCHEMA.field_at(path).map_or("the field", |field| field.label);
    let label = if label.starts_with("NIC") { label.to_owned() } else { label.to_lowercase() };
    match path.rsplit_once('.') {
        _ if text.is_empty() => format!("Remove {label}"),
        Some((_, "dims")) => text.clone(),
        Some((table, degree)) if table.starts_with("job") => format!("{degree} = {text}"),
        _ => format!("Set {label} to {text}"),
    }
}

/// `true` if a spec asks for nothing yet, which is no error of the person who begins one.
pub fn is_unasked(fault: &Fault) -> bool {
    fault.path == "pattern" && fault.value.is_empty()
}

/// Best fix for each pattern whose sizes don't fit; empty for fewer than two such patterns.
pub fn all_sizes(faults: &[Fault]) -> Vec<Mend> {
    let of_sizes = faults.iter().filter(|fault| fault.path.ends_with(".dims"));
    let all: Vec<Mend> = of_sizes.filter_map(|fault| fault.mends.first().cloned()).collect();
    if all.len() > 1 { all } else { Vec::new() }
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

    fn all_words(mends: &[Mend]) -> Vec<String> {
        mends.iter().map(words).collect()
    }

    #[test]
    fn sizes_that_no_longer_fit_are_mended_in_one_step() {
        let mut draft = kasy0();
        set(&mut draft, "nodes", "64");
        let faults = draft.resolve().unwrap_err().0;
        let form = draft.document().form.clone();
        assert_eq!(all_words(&faults[0].mends), ["8x8", "16x4", "32x2"]);
        assert_eq!(all_words(&faults[1].mends), ["4x4x4", "8x4x2", "16x2x2"]);
        draft.update(Action::Mend(all_sizes(&faults)));
        assert_eq!(draft.resolve().unwrap().patterns.len(), 5);
        draft.update(Action::Undo);
        assert_eq!(draft.document().form, form);
    }

    #[test]
    fn a_hypercube_offers_numbers_of_nodes() {
        let mut draft = kasy0();
        set(&mut draft, "nodes", "100");
        let faults = draft.resolve().unwrap_err().0;
        let cube = faults.iter().find(|fault| fault.path.ends_with(".kind")).unwrap();
        assert_eq!(all_words(&cube.mends), ["Set nodes to 64", "Set nodes to 128"]);
    }

    #[test]
    fn degrees_that_do_not_fit_offer_others() {
        let mut draft = Draft::open(crate::state::job::EXAMPLE);
        set(&mut draft, "job.tp", "3");
        let faults = draft.resolve().unwrap_err().0;
        let found = faults[0].mends.clone();
        assert_eq!(all_words(&found), ["tp = 2", "tp = 4"], "{faults:?}");
        draft.update(Action::Mend(vec![found[0].clone()]));
        assert!(draft.resolve().is_ok());
    }

    #[test]
    fn a_lasting_mend_meets_all_bounds() {
        let mut draft = kasy0();
        set(&mut draft, "nics_per_node", "1");
        let spec = draft.resolve().unwrap();
        let refusal = refuse(&spec, &Demand::build(&spec).unwrap()).unwrap();
        let all: Vec<Mend> = refusal.faults.iter().flat_map(|fault| fault.mends.clone()).collect();
        assert!(all_words(&all).contains(&"Set ports to 27".to_owned()), "{all:?}");
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
            let all: Vec<Mend> = refusal.faults.iter().flat_map(|fault| fault.mends.clone()).collect();
            assert_eq!(all_words(&all), offered, "{refusal:?}");
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
        assert_eq!(all_words(&faults[0].mends), ["Set links per pair to 3"]);
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
