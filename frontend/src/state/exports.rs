//! The list of exports: formats that a filter finds, and formats that do not apply to a design.

use super::words::capital;
use shared::{
    design::Breach,
    exports::{Format, formats},
    spec::Spec,
};
use std::collections::{BTreeMap, BTreeSet};

/// Names of the formats that have all words of a filter in their names, uses, groups, file types or readers.
pub fn found(filter: &str) -> BTreeSet<&'static str> {
    let words: Vec<String> = filter.split_whitespace().map(str::to_lowercase).collect();
    let has = |format: &&Format| {
        let (group, _) = format.group.words();
        let text = [format.title, format.name, format.purpose, group, format.extension].join(" ");
        let text = (text + " " + &format.read_by.join(" ")).to_lowercase();
        words.iter().all(|word| text.contains(word))
    };
    formats().filter(has).map(|format| format.name).collect()
}

/// The formats that do not apply to a design, with the reasons.
pub fn refused(spec: &Spec, breaches: &[Breach]) -> BTreeMap<&'static str, String> {
    let why = |format: &'static Format| {
        let words = format.refusal(spec, breaches)?.to_string();
        // The reason stands beside the format's name.
        let words = words.strip_prefix(format.name).unwrap_or(&words).trim_start();
        Some((format.name, format!("{}.", capital(words.strip_prefix("is ").unwrap_or(words)))))
    };
    formats().filter_map(why).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::resolve;

    #[test]
    fn a_filter_finds_formats_by_any_of_their_words() {
        assert_eq!(found("  "), formats().map(|format| format.name).collect());
        assert!(found("label PDF").contains("labels-pdf"), "words in any order and case");
        assert!(found("netbox").iter().all(|name| name.starts_with("netbox-")));
        assert!(found("switches eos").contains("eos"), "the group");
        assert!(found("pandas 3.1").contains("ring-orders"), "a program");
        assert!(found("no such format").is_empty());
    }

    #[test]
    fn formats_that_do_not_apply_say_why() {
        let spec = |text| resolve::read(text, &mut resolve::NoFiles).unwrap();
        let kasy0 = refused(&spec(include_str!("../../../assets/specs/kasy0.toml")), &[]);
        assert_eq!(kasy0["rankfile"], "Needs a training job; add a [job] table to the spec.");
        assert_eq!(kasy0["netbox-racks"], "The spec has no racks; add [[rack]] tables.");
        assert!(kasy0["frr-switch"].starts_with("For switches that route between uplink switches;"));
        assert_eq!(kasy0.len(), 6);
        let job = refused(&spec(include_str!("../../../assets/specs/mixtral64.toml")), &[]);
        assert!(!job.contains_key("rankfile") && job.contains_key("netbox-racks"));
    }
}
