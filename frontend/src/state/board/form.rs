//! What a search over hardware is to be started with, as typed.

use crate::state::search::{seconds, seed, threads};
use shared::{
    api::StartBoard,
    demand::Demand,
    hardware::{HardwareRequest, catalogue},
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
    /// Seconds for one attempt at one cell, as typed.
    pub cell: String,
    /// Seconds for the whole board, as typed.
    pub total: String,
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
            cell: "5".into(),
            total: "300".into(),
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
            Field::Seed => &mut self.seed,
            Field::Threads => &mut self.threads,
        } = text;
    }

    /// The fields as another board was asked for, so that it can be asked for again.
    pub fn of(asked: &StartBoard) -> BoardForm {
        let fresh = BoardForm::default();
        let text = |budget: Option<Budget>, or: String| match budget {
            Some(Budget::Seconds(seconds)) => seconds.to_string(),
            Some(Budget::Effort(_)) | None => or,
        };
        BoardForm {
            nis_from: asked.nis_from.to_string(),
            nis_to: asked.nis_to.to_string(),
            ports: asked.ports.clone(),
            cell: text(asked.cell, fresh.cell),
            total: text(asked.total, fresh.total),
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
        told(Field::NisTo, nis(&self.nis_to).err());
        told(Field::Cell, seconds(&self.cell).err());
        told(Field::Total, seconds(&self.total).err());
        told(Field::Seed, seed(&self.seed).err());
        told(Field::Threads, threads(&self.threads).err());
        let Some((spec, demand)) = asked else { return faults };
        match catalogue(spec, &self.ports) {
            Err(found) => faults.extend(found.0.iter().map(faulty)),
            Ok(models) if faults.is_empty() => {
                let (Ok(nis_from), Ok(nis_to)) = (nis(&self.nis_from), nis(&self.nis_to)) else {
                    return faults;
                };
                let request = HardwareRequest {
                    spec: spec.clone(),
                    demand: demand.clone(),
                    nis_from,
                    nis_to,
                    catalogue: models,
                    cell: Budget::Seconds(seconds(&self.cell).unwrap_or(1.0)),
                    total: Budget::Seconds(seconds(&self.total).unwrap_or(1.0)),
                    seed: 1,
                    threads: 1,
                };
                faults.extend(request.faults().iter().map(faulty));
            }
            Ok(_) => {}
        }
        faults
    }

    /// The request to start with this form, on a spec's text; `None` if a field is wrong by itself.
    pub fn request(&self, spec: &str) -> Option<StartBoard> {
        Some(StartBoard {
            spec: spec.into(),
            nis_from: nis(&self.nis_from).ok()?,
            nis_to: nis(&self.nis_to).ok()?,
            ports: self.ports.trim().into(),
            cell: Some(Budget::Seconds(seconds(&self.cell).ok()?)),
            total: Some(Budget::Seconds(seconds(&self.total).ok()?)),
            seed: Some(seed(&self.seed).ok()?),
            threads: threads(&self.threads).ok()?,
        })
    }
}

fn nis(text: &str) -> Result<u32, String> {
    let nis = text.trim().parse().ok().filter(|n| (1..=MAX_NIS).contains(n));
    nis.ok_or_else(|| format!("a whole number from 1 to {MAX_NIS}"))
}

/// A fault of a request, at the field of its path.
fn faulty(fault: &Fault) -> Faulty {
    let field = match fault.path.as_str() {
        "nis_from" => Field::NisFrom,
        "nis_to" => Field::NisTo,
        "ports" => Field::Ports,
        "threads" => Field::Threads,
        path if path.starts_with("cell") => Field::Cell,
        path if path.starts_with("total") => Field::Total,
        // It is about the spec, where it has a place of its own.
        _ => return (None, fault.to_string()),
    };
    let found = if fault.value.is_empty() { String::new() } else { format!("{}: ", fault.value) };
    (Some(field), format!("{found}expected {}.", fault.expected))
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::spec::{NoFiles, language, resolve};

    fn spec(more: &str) -> (Arc<Spec>, Arc<Demand>) {
        let text = format!(
            "pes = 16\nnis_per_pe = 2\nobjective = \"sparse\"\n{more}\n[[switch]]\nports = 8\nprice = 20.0\n\n\
             [[pattern]]\nkind = \"hypercube\"\n"
        );
        let spec = resolve(&language::parse(&text).unwrap(), &mut NoFiles).unwrap();
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
                found.iter().any(|(at, words)| *at == Some(field) && words.contains("xpected")),
                "{text}: {found:?}"
            );
        }
    }

    #[test]
    fn two_parts_of_the_widths_are_told_at_once() {
        let mut form = BoardForm::default();
        form.set(Field::Ports, "x, 8, 1".into());
        assert_eq!(faults(&form).len(), 2);
    }

    #[test]
    fn a_spec_that_no_board_can_have_is_told_of_no_field() {
        let (spec, demand) = spec("[[placement]]\npes = [0]\nswitches = [0]\nkind = \"on\"\n");
        let found = BoardForm::default().faults(Some((&spec, &demand)));
        assert!(matches!(&found[..], [(None, words)] if words.contains("placement")), "{found:?}");
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
