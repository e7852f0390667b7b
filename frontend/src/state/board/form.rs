//! What a search over hardware is to be started with, as typed.

use crate::state::search::{effort, seconds, seed, threads};
use shared::{
    api::StartBoard,
    demand::Demand,
    hardware::{HardwareRequest, catalogue, unsuited},
    search::Budget,
    spec::{Fault, MAX_NIS, Spec},
};
use std::sync::Arc;

/// The fields beside the start button.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardForm {
    /// Fewest NIs a PE, as typed.
    pub nis_from: String,
    /// Most NIs a PE, as typed.
    pub nis_to: String,
    /// Widths of switches, as typed; empty for the spec's models.
    pub ports: String,
    /// Whether budgets count work, so that the board is the same again, or seconds.
    pub by_effort: bool,
    /// Seconds for one attempt at one cell, as typed.
    pub cell: String,
    /// Seconds for the whole board, as typed.
    pub total: String,
    /// Million moves for one attempt at one cell, as typed.
    pub cell_effort: String,
    /// Million moves for the whole board, as typed.
    pub total_effort: String,
    /// Where randomness starts, as typed.
    pub seed: String,
    /// Islands, as typed; empty for the server's cores.
    pub threads: String,
}

impl Default for BoardForm {
    fn default() -> Self {
        BoardForm {
            nis_from: "2".into(),
            nis_to: "5".into(),
            ports: String::new(),
            by_effort: false,
            cell: "5".into(),
            total: "300".into(),
            cell_effort: "10".into(),
            total_effort: "1000".into(),
            seed: "1".into(),
            threads: String::new(),
        }
    }
}

/// A field of the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// Fewest NIs.
    NisFrom,
    /// Most NIs.
    NisTo,
    /// Widths.
    Ports,
    /// Seconds a cell.
    Cell,
    /// Seconds in all.
    Total,
    /// Million moves a cell.
    CellEffort,
    /// Million moves in all.
    TotalEffort,
    /// Where randomness starts.
    Seed,
    /// Islands.
    Threads,
}

/// What is wrong, with the field it is about; of none of them where it is about the spec.
pub type Faulty = (Option<Field>, String);

impl BoardForm {
    /// The text of a field.
    pub fn get(&self, field: Field) -> &str {
        match field {
            Field::NisFrom => &self.nis_from,
            Field::NisTo => &self.nis_to,
            Field::Ports => &self.ports,
            Field::Cell => &self.cell,
            Field::Total => &self.total,
            Field::CellEffort => &self.cell_effort,
            Field::TotalEffort => &self.total_effort,
            Field::Seed => &self.seed,
            Field::Threads => &self.threads,
        }
    }

    /// Types into a field.
    pub fn set(&mut self, field: Field, text: String) {
        *match field {
            Field::NisFrom => &mut self.nis_from,
            Field::NisTo => &mut self.nis_to,
            Field::Ports => &mut self.ports,
            Field::Cell => &mut self.cell,
            Field::Total => &mut self.total,
            Field::CellEffort => &mut self.cell_effort,
            Field::TotalEffort => &mut self.total_effort,
            Field::Seed => &mut self.seed,
            Field::Threads => &mut self.threads,
        } = text;
    }

    /// The fields as another board was asked for, so that it can be asked for again.
    pub fn of(asked: &StartBoard) -> BoardForm {
        let fresh = BoardForm::default();
        let of_seconds = |budget: Option<Budget>, or: String| match budget {
            Some(Budget::Seconds(seconds)) => seconds.to_string(),
            Some(Budget::Effort(_)) | None => or,
        };
        let of_effort = |budget: Option<Budget>, or: String| match budget {
            Some(Budget::Effort(millions)) => millions.to_string(),
            Some(Budget::Seconds(_)) | None => or,
        };
        BoardForm {
            nis_from: asked.nis_from.to_string(),
            nis_to: asked.nis_to.to_string(),
            ports: asked.ports.clone(),
            by_effort: matches!(asked.total, Some(Budget::Effort(_))),
            cell: of_seconds(asked.cell, fresh.cell),
            total: of_seconds(asked.total, fresh.total),
            cell_effort: of_effort(asked.cell, fresh.cell_effort),
            total_effort: of_effort(asked.total, fresh.total_effort),
            seed: asked.seed.map_or(fresh.seed, |seed| seed.to_string()),
            threads: asked.threads.map_or(fresh.threads, |threads| threads.to_string()),
        }
    }

    /// Everything that is wrong: of each field by itself, and of all together for this spec and its pairs.
    pub fn faults(&self, asked: Option<(&Arc<Spec>, &Arc<Demand>)>) -> Vec<Faulty> {
        let mut faults = Vec::new();
        let mut told = |field: Field, fault: Option<String>| {
            faults.extend(fault.map(|expected| (Some(field), format!("Expected {expected}."))));
        };
        told(Field::NisFrom, nis(&self.nis_from).err());
        // Told whatever else is wrong, so that it does not come up only once all that is mended.
        let least = nis(&self.nis_from).unwrap_or(1);
        told(Field::NisTo, nis_from(&self.nis_to, least).err());
        let [cell, total] = self.budgets();
        told(cell.0, cell.1.as_ref().err().cloned());
        told(total.0, total.1.as_ref().err().cloned());
        told(Field::Seed, seed(&self.seed).err());
        told(Field::Threads, threads(&self.threads).err());
        let Some((spec, demand)) = asked else { return faults };
        match catalogue(spec, &self.ports) {
            Err(found) => faults.extend(faulty(&[found.0, unsuited(spec)].concat())),
            Ok(models) if faults.is_empty() => {
                let ((_, Ok(cell)), (_, Ok(total))) = (cell, total) else { return faults };
                let (Ok(nis_from), Ok(nis_to)) = (nis(&self.nis_from), nis(&self.nis_to)) else {
                    return faults;
                };
                let request = HardwareRequest {
                    spec: spec.clone(),
                    demand: demand.clone(),
                    nis_from,
                    nis_to,
                    catalogue: models,
                    cell,
                    total,
                    seed: 1,
                    threads: 1,
                };
                faults.extend(faulty(&request.faults()));
            }
            Ok(_) => faults.extend(faulty(&unsuited(spec))),
        }
        faults
    }

    /// The request to start with this form, on a spec's text; `None` if a field is wrong by itself.
    pub fn request(&self, spec: &str) -> Option<StartBoard> {
        let [(_, cell), (_, total)] = self.budgets();
        Some(StartBoard {
            spec: spec.into(),
            nis_from: nis(&self.nis_from).ok()?,
            nis_to: nis(&self.nis_to).ok()?,
            ports: self.ports.trim().into(),
            cell: Some(cell.ok()?),
            total: Some(total.ok()?),
            seed: Some(seed(&self.seed).ok()?),
            threads: threads(&self.threads).ok()?,
        })
    }

    /// What an attempt and what the board may spend, each with its field; or what would be accepted.
    fn budgets(&self) -> [(Field, Result<Budget, String>); 2] {
        if self.by_effort {
            let read = |text| effort(text).map(Budget::Effort);
            [(Field::CellEffort, read(&self.cell_effort)), (Field::TotalEffort, read(&self.total_effort))]
        } else {
            let read = |text| seconds(text).map(Budget::Seconds);
            [(Field::Cell, read(&self.cell)), (Field::Total, read(&self.total))]
        }
    }
}

fn nis(text: &str) -> Result<u32, String> {
    nis_from(text, 1)
}

/// The same of at least so many.
fn nis_from(text: &str, least: u32) -> Result<u32, String> {
    let nis = text.trim().parse().ok().filter(|n| (least..=MAX_NIS).contains(n));
    nis.ok_or_else(|| format!("a whole number from {least} to {MAX_NIS}"))
}

/// Faults of a request, each at the field of its path. What a field has several times is told once, with every part of its
/// text that is wrong.
fn faulty(faults: &[Fault]) -> Vec<Faulty> {
    let mut told: Vec<(Field, &str, Vec<&str>)> = Vec::new();
    let mut others = Vec::new();
    for fault in faults {
        let Some(field) = field_of(&fault.path) else {
            // It is about the spec, where it has a place of its own.
            others.push((None, fault.to_string()));
            continue;
        };
        match told.iter_mut().find(|(at, expected, _)| *at == field && *expected == fault.expected) {
            Some((_, _, values)) => values.push(&fault.value),
            None => told.push((field, &fault.expected, vec![&fault.value])),
        }
    }
    let words = |(field, expected, mut values): (Field, &str, Vec<&str>)| {
        values.retain(|value| !value.is_empty());
        values.dedup();
        let found = if values.is_empty() { String::new() } else { format!("; found {}", values.join(", ")) };
        (Some(field), format!("Expected {expected}{found}."))
    };
    told.into_iter().map(words).chain(others).collect()
}

fn field_of(path: &str) -> Option<Field> {
    Some(match path {
        "nis_from" => Field::NisFrom,
        "nis_to" => Field::NisTo,
        "ports" => Field::Ports,
        "threads" => Field::Threads,
        "cell.effort" => Field::CellEffort,
        "total.effort" => Field::TotalEffort,
        path if path.starts_with("cell") => Field::Cell,
        path if path.starts_with("total") => Field::Total,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::resolve::{self, NoFiles};

    fn spec_text(more: &str) -> String {
        format!(
            "pes = 16\nnis_per_pe = 2\nobjective = \"sparse\"\n{more}\n[[switch]]\nports = 8\nprice = 20.0\n\n\
             [[pattern]]\nkind = \"hypercube\"\n"
        )
    }

    fn spec(more: &str) -> (Arc<Spec>, Arc<Demand>) {
        spec_of(&spec_text(more))
    }

    fn spec_of(text: &str) -> (Arc<Spec>, Arc<Demand>) {
        let spec = resolve::read(text, &mut NoFiles).unwrap();
        let demand = Demand::build(&spec).unwrap();
        (Arc::new(spec), Arc::new(demand))
    }

    fn faults(form: &BoardForm) -> Vec<(Option<Field>, String)> {
        let (spec, demand) = spec("");
        form.faults(Some((&spec, &demand)))
    }

    #[test]
    fn a_right_form_makes_a_request_and_comes_back_from_it() {
        let mut form = BoardForm::default();
        form.set(Field::Ports, "6-12, 16, 24".into());
        form.set(Field::Threads, "2".into());
        assert_eq!(faults(&form), []);
        let request = form.request("pes = 8").unwrap();
        assert_eq!((request.nis_from, request.nis_to, request.threads), (2, 5, Some(2)));
        assert_eq!((request.cell, request.total), (Some(Budget::Seconds(5.0)), Some(Budget::Seconds(300.0))));
        assert_eq!(BoardForm::of(&request), form);
    }

    #[test]
    fn budgets_of_work_become_a_request_and_come_back_from_it() {
        let mut form = BoardForm { by_effort: true, ..BoardForm::default() };
        form.set(Field::CellEffort, "3".into());
        form.set(Field::TotalEffort, "40".into());
        // What is not on screen is not judged.
        form.set(Field::Cell, "soon".into());
        assert_eq!(faults(&form), []);
        let request = form.request("pes = 8").unwrap();
        assert_eq!((request.cell, request.total), (Some(Budget::Effort(3)), Some(Budget::Effort(40))));
        let back = BoardForm::of(&request);
        assert_eq!((back.by_effort, back.get(Field::CellEffort), back.get(Field::Cell)), (true, "3", "5"));
        for (field, text) in
            [(Field::CellEffort, "0"), (Field::CellEffort, "0.5"), (Field::TotalEffort, "much")]
        {
            let mut form = form.clone();
            form.set(field, text.into());
            let [(at, words)] = &faults(&form)[..] else { panic!("one fault of {text}") };
            assert_eq!((*at, form.request("")), (Some(field), None));
            assert!(words.starts_with("Expected a whole number of million moves from 1 to "), "{words}");
        }
    }

    #[test]
    fn a_wrong_field_says_what_would_do() {
        let wrong = [
            (Field::NisFrom, "0"),
            (Field::NisTo, "65"),
            (Field::NisTo, "1"),
            (Field::Ports, "6-12, many"),
            (Field::Ports, "12-6"),
            (Field::Cell, "0"),
            (Field::Total, "soon"),
            (Field::Seed, "-1"),
            (Field::Threads, "65"),
        ];
        for (field, text) in wrong {
            let mut form = BoardForm::default();
            form.set(field, text.into());
            let found = faults(&form);
            assert!(
                found.iter().any(|(at, words)| *at == Some(field) && words.starts_with("Expected ")),
                "{text}: {found:?}"
            );
        }
    }

    #[test]
    fn two_parts_of_the_widths_are_told_in_one_sentence() {
        let mut form = BoardForm::default();
        form.set(Field::Ports, "x, 8, 1".into());
        let words = "Expected widths from 2 to 4096, such as 6-12, 16, 24; found x, 1.";
        assert_eq!(faults(&form), [(Some(Field::Ports), words.into())]);
    }

    #[test]
    fn every_wrong_field_is_told_at_once() {
        let mut form = BoardForm::default();
        for (field, text) in [(Field::NisTo, "1"), (Field::Ports, "x"), (Field::Cell, "0"), (Field::Seed, "")]
        {
            form.set(field, text.into());
        }
        let found = faults(&form);
        let fields: Vec<_> = found.iter().filter_map(|(field, _)| *field).collect();
        assert_eq!(fields, [Field::NisTo, Field::Cell, Field::Seed, Field::Ports]);
        assert_eq!(found[0].1, format!("Expected a whole number from 2 to {MAX_NIS}."));
    }

    #[test]
    fn every_message_is_a_sentence_that_is_told_once() {
        let wrong = [(Field::NisTo, "1"), (Field::Ports, "8, 8, x, x"), (Field::Ports, "2-4096")];
        for (field, text) in wrong {
            let mut form = BoardForm::default();
            form.set(field, text.into());
            let found = faults(&form);
            let own: Vec<&str> = found.iter().filter(|f| f.0 == Some(field)).map(|f| f.1.as_str()).collect();
            assert!(own.len() == 1 && own[0].starts_with("Expected ") && own[0].ends_with('.'), "{found:?}");
            assert_eq!(own[0].matches("xpected").count(), 1, "{found:?}");
        }
    }

    #[test]
    fn a_spec_that_no_board_can_have_is_told_of_no_field() {
        let (spec, demand) = spec("[[placement]]\npes = [0]\nswitches = [0]\nkind = \"on\"\n");
        let found = BoardForm::default().faults(Some((&spec, &demand)));
        assert!(matches!(&found[..], [(None, words)] if words.contains("placement")), "{found:?}");
    }

    #[test]
    fn groups_with_different_nis_are_told_beside_other_faults() {
        let groups = "[[pe_group]]\ncount = 8\nnis = 2\n[[pe_group]]\ncount = 8\nnis = 3\n";
        let (spec, demand) = spec_of(&spec_text(groups).replace("nis_per_pe = 2\n", ""));
        for (seed, faults) in [("1", 1), ("-1", 2)] {
            let mut form = BoardForm::default();
            form.set(Field::Seed, seed.into());
            let found = form.faults(Some((&spec, &demand)));
            assert_eq!(found.len(), faults, "{found:?}");
            let own = found.iter().find(|(field, _)| field.is_none()).expect("of the spec");
            assert!(own.1.starts_with("pe_group: ") && own.1.contains("`nis_per_pe`"), "{own:?}");
        }
    }

    #[test]
    fn a_board_too_large_is_told_beside_its_widths() {
        let mut form = BoardForm::default();
        form.set(Field::Ports, "2-4096".into());
        let found = faults(&form);
        assert!(
            found.iter().any(|(at, words)| *at == Some(Field::Ports) && words.contains("4096")),
            "{found:?}"
        );
    }
}
