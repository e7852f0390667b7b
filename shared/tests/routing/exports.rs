//! Reads routing exports back and compares them with the routes and a slow recomputation.

use super::machine::{self, Machine};
use crate::common::{spec, wiring};
use shared::{
    analysis::routing::{basic, through},
    demand::Demand,
    design::Design,
    design::Faults,
    exports::{Bundle, Settings, format},
    spec::Spec,
};
use std::{collections::BTreeMap, sync::Arc};

const KASY0: (&str, &str) =
    (include_str!("../../../assets/specs/kasy0.toml"), include_str!("../../../assets/wirings/kasy0.txt"));

fn kasy0() -> (Spec, Demand, Design) {
    let (spec, demand) = spec(KASY0.0);
    (spec, demand, wiring(KASY0.1, 128))
}

/// A format's file of KASY0 with dead parts.
fn written(name: &str, pe: Option<u32>, dead: &str) -> Result<String, String> {
    let (spec, demand, design) = kasy0();
    let format = format(name).unwrap();
    let settings = Settings::read(format, [format!("dead={dead}").as_str()]).map_err(|e| e.to_string())?;
    let bundle = Bundle::new(Arc::new(spec), KASY0.0, Arc::new(demand), Arc::new(design)).with(settings);
    let mut text = String::new();
    bundle.render(format, pe, &mut text).map_err(|e| e.to_string())?;
    Ok(text)
}

/// Lines of a CSV file, field by field, behind its header.
fn rows<'a>(csv: &'a str, header: &str) -> Vec<Vec<&'a str>> {
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some(header));
    lines.map(|line| line.split(',').collect()).collect()
}

fn number(text: &str) -> usize {
    text.parse().unwrap_or_else(|e| panic!("{text:?}: {e}"))
}

#[test]
fn the_basic_routes_have_a_line_for_each_direction() {
    let (spec, demand, design) = kasy0();
    let csv = written("routes", None, "sw5 node3.nic1").unwrap();
    let faults = machine::faults("sw5 node3.nic1", &design).unwrap();
    let (routes, machine) =
        (basic(&spec, &demand, &design, &faults).unwrap(), Machine::new(&design, &faults));
    let rows = rows(&csv, "pe,to,ni,to_ni,switch,requested");
    assert_eq!(rows.len(), 2 * routes.pairs());
    for row in rows {
        let [pe, to, ni, to_ni, switch] = [0, 1, 2, 3, 4].map(|at| number(row[at]));
        assert_eq!(routes.switch_for(pe as u32, to as u32), Some(switch as u32));
        assert!(machine.shared(pe, to).contains(&switch));
        assert_eq!((machine.ni(pe, switch), machine.ni(to, switch)), (ni, to_ni));
        assert_eq!(row[5] == "yes", demand.index_of(pe as u32, to as u32).is_some());
    }
}

#[test]
fn all_paths_are_listed_place_by_place() {
    let (_, _, design) = kasy0();
    let csv = written("paths", None, "node9").unwrap();
    let machine = Machine::new(&design, &machine::faults("node9", &design).unwrap());
    let rows = rows(&csv, "a,b,paths,switches,a_nis,b_nis,requested");
    let listed: BTreeMap<(usize, usize), &Vec<&str>> =
        rows.iter().map(|row| ((number(row[0]), number(row[1])), row)).collect();
    for (a, b) in machine.pairs() {
        let shared = machine.shared(a, b);
        let Some(row) = listed.get(&(a, b)) else {
            assert!(shared.is_empty(), "{a} {b}");
            continue;
        };
        let list = |of: &str| of.split(' ').map(number).collect::<Vec<_>>();
        assert_eq!((number(row[2]), list(row[3])), (shared.len(), shared.clone()));
        let nis = |pe| shared.iter().map(|&switch| machine.ni(pe, switch)).collect::<Vec<_>>();
        assert_eq!((list(row[4]), list(row[5])), (nis(a), nis(b)));
    }
}

/// Dietz and Mattox 2000, figure 10: a row and a column a PE.
#[test]
fn the_subnet_table_holds_every_pair_twice() {
    let (spec, demand, design) = kasy0();
    let table = written("subnets", None, "sw0").unwrap();
    let routes = basic(&spec, &demand, &design, &machine::faults("sw0", &design).unwrap()).unwrap();
    let lines: Vec<Vec<&str>> =
        table.lines().filter(|line| !line.starts_with('#')).map(|l| l.split_whitespace().collect()).collect();
    assert!(table.contains("\n# Failed: sw00\n"));
    assert_eq!(lines.len(), 129);
    assert_eq!((lines[0].len(), lines[0][128]), (129, "127"));
    for (pe, line) in (0..).zip(&lines[1..]) {
        assert_eq!((line.len(), line[0]), (129, format!("{pe}:").as_str()));
        for (other, &cell) in (0..).zip(&line[1..]) {
            let expected = match routes.switch_for(pe, other) {
                Some(switch) => switch.to_string(),
                None => if pe == other { "." } else { "-" }.to_owned(),
            };
            assert_eq!(cell, expected, "{pe} {other}");
        }
    }
    let widths: Vec<usize> = table.lines().filter(|line| !line.starts_with('#')).map(str::len).collect();
    assert!(widths.iter().all(|&width| width == widths[0]), "columns stand below each other");
}

#[test]
fn through_routes_and_their_load_agree() {
    let (_, _, design) = kasy0();
    let faults = machine::faults("sw0 sw16 node5", &design).unwrap();
    let (routes, machine) = (through(&design, &faults), Machine::new(&design, &faults));
    let csv = written("through", None, "sw0 sw16 node5").unwrap();
    let mut load = vec![0; 128];
    let (mut reached, mut unreachable) = (0, 0);
    for row in rows(&csv, "to,from,intermediaries,via") {
        let (to, from) = (number(row[0]), number(row[1]));
        if row[2] == "unreachable" {
            unreachable += 1;
            continue;
        }
        let via: Vec<usize> = row[3].split(' ').map(number).collect();
        assert_eq!(via.len(), number(row[2]));
        let way: Vec<usize> = [vec![from], via.clone(), vec![to]].concat();
        assert!(way.windows(2).all(|hop| !machine.shared(hop[0], hop[1]).is_empty()), "{row:?}");
        via.iter().for_each(|&pe| load[pe] += 1);
        reached += 1;
    }
    let apart = machine.distances();
    let far = apart.iter().flatten().filter(|d| d.is_some_and(|d| d > 1)).count();
    assert_eq!((reached, unreachable), (far, 2 * routes.unreachable()));
    let relays = written("relays", None, "sw0 sw16 node5").unwrap();
    let told: Vec<usize> = rows(&relays, "pe,name,routes").iter().map(|row| number(row[2])).collect();
    assert_eq!(told, load);
    assert!(relays.contains("\n5,node005,0\n"));
}

#[test]
fn losses_name_what_a_pair_has_instead() {
    let (spec, demand, design) = kasy0();
    let faults = machine::faults("sw1 node7", &design).unwrap();
    let (before, after) = (Machine::new(&design, &Faults::default()), Machine::new(&design, &faults));
    let routes = basic(&spec, &demand, &design, &faults).unwrap();
    let far = through(&design, &faults);
    let csv = written("losses", None, "sw1 node7").unwrap();
    let rows = rows(&csv, "a,b,requested,had,has,left,switch,next");
    let lost = before.pairs().filter(|&(a, b)| before.shared(a, b) != after.shared(a, b)).count();
    assert_eq!(rows.len(), lost);
    for row in rows {
        let (a, b) = (number(row[0]), number(row[1]));
        assert_eq!((number(row[3]), number(row[4])), (before.shared(a, b).len(), after.shared(a, b).len()));
        let text = |number: Option<u32>| number.map_or_else(String::new, |n| n.to_string());
        let (a, b) = (a as u32, b as u32);
        let expected = match row[5] {
            "other switches" => (text(routes.switch_for(a, b)), String::new()),
            "through" => (String::new(), text(far.next_hop(a, b))),
            "failed node" if a == 7 || b == 7 => (String::new(), String::new()),
            other => panic!("{other}: {row:?}"),
        };
        assert_eq!((row[6].to_owned(), row[7].to_owned()), expected);
        assert_eq!(row[2] == "yes", demand.index_of(a, b).is_some());
    }
    assert_eq!(written("losses", None, "").unwrap().lines().count(), 1, "nothing is lost without faults");
}

#[test]
fn the_report_ranks_every_switch() {
    let report = written("faults", None, "").unwrap();
    let switches: Vec<&str> = report
        .lines()
        .skip_while(|line| !line.starts_with("switches, "))
        .skip(1)
        .take_while(|line| !line.is_empty())
        .collect();
    assert_eq!(switches.len(), 17);
    assert!(!report.contains("failed"), "{report}");
    let dead = written("faults", None, "sw0 sw1").unwrap();
    assert!(dead.contains("\nfailed: sw00 sw01\n") && dead.contains("of 1,536 requested pairs lose paths"));
    assert_eq!(dead.matches("\n  sw").count(), 15);
}

#[test]
fn hosts_leave_out_what_is_dead() {
    let hosts = written("hosts", Some(0), "node0.nic1 node15").unwrap();
    assert!(hosts.contains(" node000 node000-eth0\n") && hosts.contains(" node000-eth2\n"), "{hosts}");
    assert!(!hosts.contains("node000-eth1") && !hosts.contains("node015\n127"), "{hosts}");
    let paths = hosts.lines().filter(|line| line.starts_with("10.")).count() - 2;
    assert!(hosts.contains(&format!("Nodes with a path from node000: {paths}\n")), "{hosts}");
    assert!(hosts.lines().all(|line| !line.starts_with("10.") || !line.ends_with("node015")), "{hosts}");
}

#[test]
fn what_cannot_be_dead_is_refused() {
    let unknown = written("routes", None, "sw17 node0.nic3").unwrap_err();
    assert_eq!(
        unknown,
        "failed=sw17 node0.nic3: there is no switch 17; switches are 0 to 16; node 0 has no NIC 3; its NICs are 0 to 2"
    );
    let word = written("through", None, "switch 3").unwrap_err();
    assert!(word.starts_with("failed=switch 3: \"switch\" is not a switch (such as sw03)"), "{word}");
    let beside = written("routes", None, "uplink spare00").unwrap_err();
    for name in ["uplink", "spare00"] {
        assert!(beside.contains(&format!("{name:?} names an uplink switch or a spare node")), "{beside}");
    }
    assert!(written("wiring", None, "sw3").unwrap_err().contains("wiring has no settings"));
}
