//! The fields of a spec as written, found by the path that faults name them by: `switch[0].ports`.

use shared::spec::{PatternForm, PeGroupForm, SpecForm, SwitchForm};

/// The text of the field at `path`; `None` if there is no such field.
pub fn get<'a>(form: &'a SpecForm, path: &str) -> Option<&'a str> {
    let (list, index, key) = split(path);
    let text = match list {
        "" => match key {
            "name" => &form.name,
            "pes" => &form.pes,
            "nis_per_pe" => &form.nis_per_pe,
            "objective" => &form.objective,
            "ni_price" => &form.ni_price,
            "cable_price" => &form.cable_price,
            _ => return None,
        },
        "pe_group" => group(form.pe_group.get(index)?, key)?,
        "switch" => switch(form.switch.get(index)?, key)?,
        "pattern" => pattern(form.pattern.get(index)?, key)?,
        _ => return None,
    };
    Some(text)
}

/// The same, to be written.
pub fn get_mut<'a>(form: &'a mut SpecForm, path: &str) -> Option<&'a mut String> {
    let (list, index, key) = split(path);
    Some(match list {
        "" => match key {
            "name" => &mut form.name,
            "pes" => &mut form.pes,
            "nis_per_pe" => &mut form.nis_per_pe,
            "objective" => &mut form.objective,
            "ni_price" => &mut form.ni_price,
            "cable_price" => &mut form.cable_price,
            _ => return None,
        },
        "pe_group" => match (form.pe_group.get_mut(index)?, key) {
            (group, "count") => &mut group.count,
            (group, "nis") => &mut group.nis,
            _ => return None,
        },
        "switch" => match (form.switch.get_mut(index)?, key) {
            (switch, "ports") => &mut switch.ports,
            (switch, "reserve") => &mut switch.reserve,
            (switch, "price") => &mut switch.price,
            (switch, "count") => &mut switch.count,
            _ => return None,
        },
        "pattern" => pattern_mut(form.pattern.get_mut(index)?, key)?,
        _ => return None,
    })
}

/// A path as part of an element's id: `switch[0].ports` gives `spec-switch-0-ports`.
pub fn id(path: &str) -> String {
    let mut id = String::from("spec");
    for word in path.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty()) {
        id.push('-');
        id.push_str(word);
    }
    id
}

fn split(path: &str) -> (&str, usize, &str) {
    let indexed = path.split_once('[').and_then(|(list, rest)| {
        let (index, key) = rest.split_once("].")?;
        Some((list, index.parse().ok()?, key))
    });
    indexed.unwrap_or(("", 0, path))
}

fn group<'a>(form: &'a PeGroupForm, key: &str) -> Option<&'a String> {
    match key {
        "count" => Some(&form.count),
        "nis" => Some(&form.nis),
        _ => None,
    }
}

fn switch<'a>(form: &'a SwitchForm, key: &str) -> Option<&'a String> {
    match key {
        "ports" => Some(&form.ports),
        "reserve" => Some(&form.reserve),
        "price" => Some(&form.price),
        "count" => Some(&form.count),
        _ => None,
    }
}

fn pattern<'a>(form: &'a PatternForm, key: &str) -> Option<&'a String> {
    Some(match key {
        "kind" => &form.kind,
        "dims" => &form.dims,
        "dimensions" => &form.dimensions,
        "factorizations" => &form.factorizations,
        "neighbours" => &form.neighbours,
        "weight" => &form.weight,
        "links" => &form.links,
        "file" => &form.file,
        "pairs" => &form.pairs,
        "threshold" => &form.threshold,
        _ => return None,
    })
}

fn pattern_mut<'a>(form: &'a mut PatternForm, key: &str) -> Option<&'a mut String> {
    Some(match key {
        "kind" => &mut form.kind,
        "dims" => &mut form.dims,
        "dimensions" => &mut form.dimensions,
        "factorizations" => &mut form.factorizations,
        "neighbours" => &mut form.neighbours,
        "weight" => &mut form.weight,
        "links" => &mut form.links,
        "file" => &mut form.file,
        "pairs" => &mut form.pairs,
        "threshold" => &mut form.threshold,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_is_found_by_the_path_of_its_faults() {
        let mut form = SpecForm {
            switch: vec![SwitchForm::default(); 2],
            pattern: vec![PatternForm::default()],
            pe_group: vec![PeGroupForm::default()],
            ..SpecForm::default()
        };
        let paths = ["name", "pes", "ni_price", "pe_group[0].nis", "switch[1].reserve", "pattern[0].dims"];
        for path in paths {
            *get_mut(&mut form, path).unwrap() = path.into();
            assert_eq!(get(&form, path), Some(path));
        }
        assert_eq!(form.switch[1].reserve, "switch[1].reserve");
        for path in ["", "switch[2].ports", "switch", "switch[0].colour", "line 7", "switch[x].ports"] {
            assert_eq!(get(&form, path), None, "{path}");
            assert!(get_mut(&mut form, path).is_none(), "{path}");
        }
    }

    #[test]
    fn ids_are_plain_words() {
        assert_eq!(id("switch[0].ports"), "spec-switch-0-ports");
        assert_eq!(id("nis_per_pe"), "spec-nis-per-pe");
    }
}
