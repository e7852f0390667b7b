//! The fields of a spec as written, found by the path that faults name them by: `switch[0].ports`.

use shared::spec::{
    KeepForm, PatternForm, PeGroupForm, PlacementForm, RackForm, SpecForm, StartForm, SwitchForm, UplinkForm,
};

/// The text of the field at `path`; `None` if there is no such field.
pub fn get<'a>(form: &'a SpecForm, path: &str) -> Option<&'a str> {
    let (table, index, key) = split(path);
    let text = match (table, index) {
        ("", None) => form.key(key)?,
        ("uplink", None) => form.uplink.as_ref()?.key(key)?,
        ("start", None) => form.start.as_ref()?.key(key)?,
        ("pe_group", Some(i)) => form.pe_group.get(i)?.key(key)?,
        ("switch", Some(i)) => form.switch.get(i)?.key(key)?,
        ("keep", Some(i)) => form.keep.get(i)?.key(key)?,
        ("rack", Some(i)) => form.rack.get(i)?.key(key)?,
        ("placement", Some(i)) => form.placement.get(i)?.key(key)?,
        ("pattern", Some(i)) => form.pattern.get(i)?.key(key)?,
        _ => return None,
    };
    Some(text)
}

/// The same, to be written.
pub fn get_mut<'a>(form: &'a mut SpecForm, path: &str) -> Option<&'a mut String> {
    let (table, index, key) = split(path);
    match (table, index) {
        ("", None) => form.key_mut(key),
        ("uplink", None) => form.uplink.as_mut()?.key_mut(key),
        ("start", None) => form.start.as_mut()?.key_mut(key),
        ("pe_group", Some(i)) => form.pe_group.get_mut(i)?.key_mut(key),
        ("switch", Some(i)) => form.switch.get_mut(i)?.key_mut(key),
        ("keep", Some(i)) => form.keep.get_mut(i)?.key_mut(key),
        ("rack", Some(i)) => form.rack.get_mut(i)?.key_mut(key),
        ("placement", Some(i)) => form.placement.get_mut(i)?.key_mut(key),
        ("pattern", Some(i)) => form.pattern.get_mut(i)?.key_mut(key),
        _ => None,
    }
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

/// Table, index in it if it is a list, and key.
fn split(path: &str) -> (&str, Option<usize>, &str) {
    let Some((table, key)) = path.split_once('.') else { return ("", None, path) };
    match table.split_once('[').map(|(list, rest)| (list, rest.strip_suffix(']').map(str::parse))) {
        None => (table, None, key),
        Some((list, Some(Ok(index)))) => (list, Some(index), key),
        Some(_) => ("", None, path),
    }
}

/// The fields of one table.
trait Keys {
    fn key(&self, key: &str) -> Option<&String>;
    fn key_mut(&mut self, key: &str) -> Option<&mut String>;
}

macro_rules! keys {
    ($($form:ident: $($key:ident)*;)*) => {
        $(impl Keys for $form {
            fn key(&self, key: &str) -> Option<&String> {
                match key {
                    $(stringify!($key) => Some(&self.$key),)*
                    _ => None,
                }
            }

            fn key_mut(&mut self, key: &str) -> Option<&mut String> {
                match key {
                    $(stringify!($key) => Some(&mut self.$key),)*
                    _ => None,
                }
            }
        })*
    };
}

keys! {
    SpecForm: name pes nis_per_pe objective ni_price cable_price metre_price cable_slack;
    PeGroupForm: count nis;
    SwitchForm: ports reserve price count;
    KeepForm: switch ports;
    UplinkForm: kind spares price;
    RackForm: pes switches x y;
    PlacementForm: pes switches kind;
    PatternForm: kind dims dimensions factorizations neighbours weight links extra file pairs threshold;
    StartForm: moves renumber file table;
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
            keep: vec![KeepForm::default()],
            rack: vec![RackForm::default()],
            placement: vec![PlacementForm::default()],
            uplink: Some(UplinkForm::default()),
            start: Some(StartForm::default()),
            ..SpecForm::default()
        };
        let paths = [
            "name",
            "pes",
            "metre_price",
            "pe_group[0].nis",
            "switch[1].reserve",
            "pattern[0].extra",
            "keep[0].switch",
            "rack[0].x",
            "placement[0].kind",
            "uplink.spares",
            "start.table",
        ];
        for path in paths {
            *get_mut(&mut form, path).unwrap() = path.into();
            assert_eq!(get(&form, path), Some(path));
        }
        assert_eq!(form.switch[1].reserve, "switch[1].reserve");
        let strangers = ["", "switch[2].ports", "switch", "switch[0].colour", "line 7", "switch[x].ports"];
        for path in strangers.into_iter().chain(["uplink", "uplink[0].kind", "rack.pes", "start.", "keep[0]"])
        {
            assert_eq!(get(&form, path), None, "{path}");
            assert!(get_mut(&mut form, path).is_none(), "{path}");
        }
        form.uplink = None;
        assert_eq!(get(&form, "uplink.kind"), None);
    }

    #[test]
    fn ids_are_plain_words() {
        assert_eq!(id("switch[0].ports"), "spec-switch-0-ports");
        assert_eq!(id("nis_per_pe"), "spec-nis-per-pe");
        assert_eq!(id("uplink.kind"), "spec-uplink-kind");
    }
}
