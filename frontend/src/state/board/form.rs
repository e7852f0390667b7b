//! The faults of a hardware search as typed.

use shared::{
    demand::Demand,
    form::Fault,
    hardware::BoardForm,
    spec::{Faults, Spec},
};
use std::sync::Arc;

/// Every fault: of each field by itself, and of all fields together for this spec and its pairs.
pub fn faults(form: &BoardForm, asked: Option<(&Arc<Spec>, &Arc<Demand>)>) -> Vec<Fault> {
    let faults = match asked {
        Some((spec, demand)) => form.request(spec, demand).err(),
        None => form.read("").err(),
    };
    faults.map_or_else(Vec::new, |Faults(faults)| faults)
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::{
        form::{Form, message},
        resolve::{self, NoFiles},
        search::Budget,
        spec::MAX_NIS,
    };

    fn spec_text(more: &str) -> String {
        format!(
            "pes = 16\nnis_per_pe = 2\nobjective = \"sparse\"\n{more}\n[[switch]]\nports = 8\nprice = 20.0\n\n\
             [[pattern]]\nkind = \"hypercube\"\n"
        )
    }

    fn spec_of(text: &str) -> (Arc<Spec>, Arc<Demand>) {
        let spec = resolve::read(text, &mut NoFiles).unwrap();
        let demand = Demand::build(&spec).unwrap();
        (Arc::new(spec), Arc::new(demand))
    }

    fn typed(texts: &[(&str, &str)]) -> BoardForm {
        let mut form = BoardForm::default();
        texts.iter().for_each(|(key, text)| *form.get_mut(key).unwrap() = (*text).into());
        form
    }

    fn told(form: &BoardForm) -> Vec<Fault> {
        let (spec, demand) = spec_of(&spec_text(""));
        faults(form, Some((&spec, &demand)))
    }

    /// The message beside a field.
    fn beside(form: &BoardForm, key: &str) -> Option<String> {
        message(&told(form), key, form.get(key).unwrap())
    }

    #[test]
    fn a_right_form_makes_a_request_and_comes_back_from_it() {
        let form = typed(&[("ports", "6-12, 16, 24"), ("threads", "2")]);
        assert_eq!(told(&form), []);
        let request = form.read("pes = 8").unwrap();
        assert_eq!((request.nis_from, request.nis_to, request.threads), (2, 5, Some(2)));
        assert_eq!((request.cell, request.total), (Some(Budget::Seconds(5.0)), Some(Budget::Seconds(300.0))));
        let mut back = BoardForm::of(&request);
        assert_eq!(back.read("pes = 8").unwrap(), request);
        back.clear_defaults();
        assert_eq!(back, form);
    }

    #[test]
    fn budgets_of_work_become_a_request_and_come_back_from_it() {
        let mut form = typed(&[
            ("cell.unit", "effort"),
            ("total.unit", "effort"),
            ("cell.effort", "3"),
            ("total.effort", "40"),
            // What is not on screen is not judged.
            ("cell.seconds", "soon"),
        ]);
        assert_eq!(told(&form), []);
        let request = form.read("pes = 8").unwrap();
        assert_eq!((request.cell, request.total), (Some(Budget::Effort(3)), Some(Budget::Effort(40))));
        form.cell_seconds.clear();
        assert_eq!(BoardForm::of(&request).read("pes = 8").unwrap(), form.read("pes = 8").unwrap());
        for (key, text) in [("cell.effort", "0"), ("cell.effort", "0.5"), ("total.effort", "much")] {
            let mut form = form.clone();
            *form.get_mut(key).unwrap() = text.into();
            let [fault] = &told(&form)[..] else { panic!("one fault of {text}") };
            assert_eq!((fault.path.as_str(), form.read("").is_err()), (key, true));
            let words = beside(&form, key).unwrap();
            assert!(words.starts_with("Expected a whole number from 1 to "), "{words}");
        }
    }

    #[test]
    fn a_wrong_field_says_what_would_do() {
        let wrong = [
            ("nis_from", "0"),
            ("nis_to", "65"),
            ("nis_to", "1"),
            ("ports", "6-12, many"),
            ("ports", "12-6"),
            ("cell.seconds", "0"),
            ("total.seconds", "soon"),
            ("seed", "-1"),
            ("threads", "65"),
        ];
        for (key, text) in wrong {
            let words = beside(&typed(&[(key, text)]), key);
            assert!(words.as_ref().is_some_and(|words| words.starts_with("Expected ")), "{text}: {words:?}");
        }
    }

    #[test]
    fn two_parts_of_the_widths_are_told_in_one_sentence() {
        let words = "Expected widths from 2 to 4096, such as 6-12, 16, 24; got x, 1.";
        assert_eq!(beside(&typed(&[("ports", "x, 8, 1")]), "ports").as_deref(), Some(words));
    }

    #[test]
    fn every_wrong_field_is_told_at_once() {
        let form = typed(&[("nis_to", "1"), ("ports", "x"), ("cell.seconds", "0"), ("seed", "x")]);
        let found = told(&form);
        let paths: Vec<_> = found.iter().map(|fault| fault.path.as_str()).collect();
        assert_eq!(paths, ["nis_to", "ports", "cell.seconds", "seed"]);
        assert_eq!(beside(&form, "nis_to").unwrap(), format!("Expected a whole number from 2 to {MAX_NIS}."));
    }

    #[test]
    fn every_message_is_a_sentence_that_is_told_once() {
        for (key, text) in [("nis_to", "1"), ("ports", "8, 8, x, x"), ("ports", "2-4096")] {
            let words = beside(&typed(&[(key, text)]), key).unwrap();
            assert!(words.starts_with("Expected ") && words.ends_with('.'), "{words}");
            assert_eq!(words.matches("xpected").count(), 1, "{words}");
        }
    }

    #[test]
    fn a_spec_that_no_board_can_have_is_told_of_no_field() {
        let (spec, demand) = spec_of(&spec_text("[[placement]]\npes = [0]\nswitches = [0]\nkind = \"on\"\n"));
        let found = faults(&BoardForm::default(), Some((&spec, &demand)));
        assert!(matches!(&found[..], [fault] if fault.path == "placement"), "{found:?}");
    }

    #[test]
    fn groups_with_different_nis_are_told_beside_other_faults() {
        let groups = "[[pe_group]]\ncount = 8\nnis = 2\n[[pe_group]]\ncount = 8\nnis = 3\n";
        let (spec, demand) = spec_of(&spec_text(groups).replace("nis_per_pe = 2\n", ""));
        for (seed, count) in [("1", 1), ("-1", 2)] {
            let found = faults(&typed(&[("seed", seed)]), Some((&spec, &demand)));
            assert_eq!(found.len(), count, "{found:?}");
            let own = found.iter().find(|fault| fault.path == "pe_group").expect("of the spec");
            assert!(own.expected.contains("`nis_per_pe`"), "{own:?}");
        }
    }

    #[test]
    fn a_board_too_large_is_told_beside_its_widths() {
        let words = beside(&typed(&[("ports", "2-4096")]), "ports");
        assert!(words.as_ref().is_some_and(|words| words.contains("4096")), "{words:?}");
    }
}
