//! The routes of two nodes: every shared switch, the route of each scheme, and the lines of exported files behind it.

use crate::prepare::{Request, TextError};
use shared::{
    analysis::routing::{
        MultiRoutes, Routes, RoutingError, ThroughRoutes, basic, fault_report, link_layer, singles, through,
    },
    api::{FailuresRequest, FailuresView, RouteView, RoutesRequest, RoutesView, SharedSwitchView},
    demand::Demand,
    design::{Design, Faults, Names, Path},
    exports::{Bundle, FileScope, Format, Settings, format},
    resolve::NoFiles,
    spec::{Fault, Spec},
};
use std::{collections::BTreeSet, sync::Arc};

/// Max pairs of a switch's nodes, over all switches, whose basic routes and failures are computed.
const MAX_PAIRS: u64 = 1 << 21;
/// The scheme whose settings name failed parts.
const FORMAT: &str = "multipath";
/// Max pairs of a report that are listed.
const MAX_LOST: usize = 200;

/// The routes of two nodes of a wiring.
///
/// # Errors
/// Faults of the spec or the table, nodes or failed parts that the wiring does not have.
pub fn routes(asked: &RoutesRequest) -> Result<RoutesView, TextError> {
    let request = Request::read(&asked.spec, &mut NoFiles)?;
    let design = request.wiring(&asked.table)?;
    let faults = failed(&asked.failed, &request.spec, &design)?;
    for (field, node) in [("from", asked.from), ("to", asked.to)] {
        if node >= design.pes() {
            let expected = format!("a node from 0 to {}", design.pes() - 1);
            return Err(Fault::new(field, node, expected).into());
        }
    }
    let schemes = Schemes::of(&request.spec, &request.demand, &design, &faults, !is_too_large(&design));
    let schemes = schemes.map_err(|e| Fault::new("table", "this wiring", e.to_string()))?;
    let choice = format!("failed={}", asked.failed);
    let settings = format(FORMAT).and_then(|format| {
        Settings::read(format, (!asked.failed.trim().is_empty()).then_some(choice.as_str()))
    });
    let settings = settings.map_err(|e| Fault::new("failed", &asked.failed, e.to_string()))?;
    let design = Arc::new(design);
    let bundle =
        Bundle::new(request.spec.clone(), request.text.clone(), request.demand.clone(), design.clone());
    let (from, to, basic) = (asked.from, asked.to, schemes.basic(asked.from, asked.to));
    let port = |pe: u32, switch: u32| design.members(switch).binary_search(&pe).map_or(0, |at| at as u32 + 1);
    let shared = schemes.shared(from, to).into_iter().map(|(path, works)| SharedSwitchView {
        switch: path.switch,
        nis: (path.ni, path.other_ni),
        ports: (port(from, path.switch), port(to, path.switch)),
        works,
        basic: basic == Some(path.switch),
    });
    Ok(RoutesView {
        shared: shared.collect(),
        routes: if from == to { Vec::new() } else { schemes.ways(&bundle.with(settings), from, to) },
        has_basic: schemes.basic.is_some(),
    })
}

/// The effect of failed parts on a wiring.
///
/// # Errors
/// Faults of the spec or the table, failed parts that the wiring does not have.
pub fn failures(asked: &FailuresRequest) -> Result<FailuresView, TextError> {
    let request = Request::read(&asked.spec, &mut NoFiles)?;
    let design = request.wiring(&asked.table)?;
    let faults = failed(&asked.failed, &request.spec, &design)?;
    let report = (!is_too_large(&design)).then(|| {
        let through = through(&design, &faults);
        let ranks = singles(&request.demand, through.working());
        let names = Names::of(&request.spec, &design);
        fault_report(&request.demand, (&design, &names), &through, &ranks, MAX_LOST)
    });
    Ok(FailuresView { requested: request.demand.len() as u64, report })
}

fn failed(text: &str, spec: &Spec, design: &Design) -> Result<Faults, TextError> {
    let names = Names::of(spec, design);
    Ok(Faults::parse(text, design, &names)
        .map_err(|unknown| Fault::new("failed", text, unknown.to_string()))?)
}

fn is_too_large(design: &Design) -> bool {
    design.switch_pairs() > MAX_PAIRS
}

/// The routes of a design, by every scheme.
struct Schemes {
    /// `None` for designs whose basic routes take too long.
    basic: Option<Routes>,
    paths: MultiRoutes,
    through: ThroughRoutes,
}

impl Schemes {
    /// Routes over the working part. The basic scheme routes all pairs, so it can be left out; paths of the others follow from the
    /// two nodes.
    ///
    /// # Errors
    /// The design does not fit the spec.
    fn of(
        spec: &Spec,
        demand: &Demand,
        design: &Design,
        faults: &Faults,
        with_basic: bool,
    ) -> Result<Schemes, RoutingError> {
        Ok(Schemes {
            basic: with_basic.then(|| basic(spec, demand, design, faults)).transpose()?,
            paths: link_layer(spec, demand, design, faults)?,
            through: through(design, faults),
        })
    }

    /// Every switch that two nodes share without failures, and `true` if a route leads over it.
    fn shared(&self, from: u32, to: u32) -> Vec<(Path, bool)> {
        let working = self.paths.working();
        let live: Vec<Path> = self.paths.paths(from, to).collect();
        let all = (from != to).then(|| working.whole().shared(from, to)).into_iter().flatten();
        let path = |switch| working.path(from, to, switch);
        all.map(path).map(|path| (path, live.contains(&path))).collect()
    }

    /// The switch of the basic route, if there is one.
    fn basic(&self, from: u32, to: u32) -> Option<u32> {
        self.basic.as_ref()?.switch_for(from, to)
    }

    /// The route of each scheme. The bundle has the same failed parts. Schemes that build on the basic one are left out without it.
    fn ways(&self, bundle: &Bundle, from: u32, to: u32) -> Vec<RouteView> {
        let names = &bundle.names();
        let keys = keys(bundle, from, to);
        let paths: Vec<Path> = self.paths.paths(from, to).collect();
        let beyond = if paths.is_empty() { self.through_words(names, from, to) } else { None };
        let way = |scheme: &str, words: Option<String>, file: &str| RouteView {
            scheme: scheme.to_owned(),
            words: words.unwrap_or_else(|| "no route".to_owned()),
            file: file.to_owned(),
            lines: format(file).map(|format| lines(bundle, format, from, &keys)).unwrap_or_default(),
        };
        let several = paths.iter().map(|&path| words(names, path)).collect::<Vec<_>>().join("; ");
        let several = if paths.is_empty() { beyond.clone() } else { Some(several) };
        let several = way("Link layer: all paths at once", several, "multipath");
        let Some(basic) = &self.basic else { return vec![several] };
        let one = basic.path(from, to).map(|path| words(names, path));
        vec![
            way("Basic: one path per pair", one.clone(), "script"),
            several,
            way("Preloaded neighbours: one address per node", one.or(beyond), "preload"),
        ]
    }

    fn through_words(&self, names: &Names, from: u32, to: u32) -> Option<String> {
        let path = self.through.path(from, to)?;
        let inner = path.iter().skip(1).take(path.len().saturating_sub(2));
        Some(format!("through {}", inner.map(|&pe| names.pe(pe)).collect::<Vec<_>>().join(", ")))
    }
}

fn words(names: &Names, path: Path) -> String {
    format!("NIC {} – {} – NIC {}", path.ni, names.switch(path.switch), path.other_ni)
}

/// A node's names in the files of another: its name, and every address in host files.
fn keys(bundle: &Bundle, from: u32, to: u32) -> BTreeSet<String> {
    let name = bundle.name(FileScope::Node, to);
    let mut keys = BTreeSet::from([name.clone()]);
    for file in ["hosts", "names"] {
        let Ok(format) = format(file) else { continue };
        for (_, line) in lines(bundle, format, from, &BTreeSet::from([name.clone()])) {
            keys.extend(
                line.split_whitespace().next().filter(|word| !word.starts_with('#')).map(str::to_owned),
            );
        }
    }
    keys
}

/// The lines of a node's file that contain any of the words, with their numbers from 1; empty for files that cannot be made.
fn lines(bundle: &Bundle, format: &Format, pe: u32, keys: &BTreeSet<String>) -> Vec<(usize, String)> {
    let mut text = String::new();
    if bundle.render(format, Some(pe), &mut text).is_err() {
        return Vec::new();
    }
    let names = |line: &str| line.split_whitespace().any(|word| keys.contains(word));
    // A line of another node's route names its next hop after `via`.
    let own = |line: &str| line.split(" via ").next().is_some_and(names);
    let found = text.lines().enumerate().filter(|(_, line)| own(line) && !line.starts_with('#'));
    found.map(|(at, line)| (at + 1, line.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::{
        design::table,
        exports::Settings,
        resolve::{self, NoFiles},
    };
    use std::sync::Arc;

    /// KASY0 with its wiring, parts of it failed.
    fn kasy0(failed: &str) -> (Arc<Design>, Schemes, Bundle) {
        let text = include_str!("../../assets/specs/kasy0.toml");
        let spec = Arc::new(resolve::read(text, &mut NoFiles).unwrap());
        let design = table::parse(include_str!("../../assets/wirings/kasy0.txt"), spec.pes).unwrap();
        let (design, demand) = (Arc::new(design), Arc::new(Demand::build(&spec).unwrap()));
        let faults = Faults::parse(failed, &design, &Names::of(&spec, &design)).unwrap();
        let schemes = Schemes::of(&spec, &demand, &design, &faults, true).unwrap();
        let choice = format!("failed={failed}");
        let settings = Settings::read(format("multipath").unwrap(), [choice.as_str()]).unwrap();
        (design.clone(), schemes, Bundle::new(spec, text, demand, design).with(settings))
    }

    #[test]
    fn every_scheme_says_its_way_and_the_lines_that_make_it_so() {
        let (design, schemes, bundle) = kasy0("");
        let nis = design.nis();
        let (from, to) = (0, (1..128).find(|&to| nis.shared(0, to).count() == 1).unwrap());
        let switch = nis.shared(from, to).next().unwrap();
        let [(path, true)] = schemes.shared(from, to)[..] else { panic!("one switch is shared, and works") };
        assert_eq!((path.switch, schemes.basic(from, to)), (switch, Some(switch)));
        for way in schemes.ways(&bundle, from, to) {
            assert!(way.words.contains(&format!("sw{switch:02}")), "{way:?}");
            assert!(!way.lines.is_empty(), "{way:?}");
            let mut whole = String::new();
            bundle.render(format(&way.file).unwrap(), Some(from), &mut whole).unwrap();
            for (at, line) in &way.lines {
                assert_eq!(whole.lines().nth(at - 1), Some(line.as_str()));
            }
        }
    }

    #[test]
    fn a_failed_switch_is_still_listed_and_others_stand_in() {
        let (design, schemes, _) = kasy0("");
        let nis = design.nis();
        let to = (1..128).find(|&to| nis.shared(0, to).count() == 1).unwrap();
        let switch = schemes.basic(0, to).unwrap();
        let (_, schemes, bundle) = kasy0(&format!("sw{switch}"));
        assert!(matches!(schemes.shared(0, to)[..], [(path, false)] if path.switch == switch));
        let ways = schemes.ways(&bundle, 0, to);
        assert_eq!((ways[0].words.as_str(), ways[0].lines.len()), ("no route", 0));
        for way in &ways[1..] {
            assert!(way.words.starts_with("through node") && !way.lines.is_empty(), "{way:?}");
        }
    }

    #[test]
    fn without_the_basic_scheme_every_path_is_listed_all_the_same() {
        let (design, schemes, bundle) = kasy0("");
        let spec = resolve::read(include_str!("../../assets/specs/kasy0.toml"), &mut NoFiles);
        let (spec, faults) = (spec.unwrap(), Faults::default());
        let demand = Demand::build(&spec).unwrap();
        let fewer = Schemes::of(&spec, &demand, &design, &faults, false).unwrap();
        assert!(schemes.basic.is_some() && fewer.basic.is_none() && fewer.basic(0, 1).is_none());
        let all = schemes.ways(&bundle, 0, 1);
        assert_eq!(fewer.ways(&bundle, 0, 1), all[1..2]);
    }
}
