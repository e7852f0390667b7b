//! Through routes against a slow search: shortest, symmetric with one intermediary, evenly spread; and the figures of KASY0.

use super::machine::{self, Machine};
use crate::common::{spec, wiring};
use proptest::prelude::*;
use shared::{
    analysis::routing::{BALANCED_PES, ThroughRoutes, basic, link_layer, through},
    design::Design,
    design::Faults,
};

const KASY0: &str = include_str!("../../../assets/wirings/kasy0.txt");

fn whole(design: &Design) -> ThroughRoutes {
    through(design, &Faults::default())
}

/// Checks one machine wholly; gives the load that its paths put on each PE.
fn checked(design: &Design, faults: &Faults) -> Result<Vec<u64>, TestCaseError> {
    let machine = Machine::new(design, faults);
    let (routes, distances) = (through(design, faults), machine.distances());
    prop_assert_eq!(routes.unreachable(), machine.unreachable());
    let mut load = vec![0; machine.pes];
    for (a, distances) in distances.iter().enumerate() {
        let row = routes.routes_from(a as u32);
        prop_assert!(row.is_sorted_by_key(|route| route.dest));
        let far = distances.iter().filter(|distance| distance.is_some_and(|d| d > 1)).count();
        prop_assert_eq!(row.len(), far);
        for (b, distance) in distances.iter().enumerate() {
            let (from, to) = (a as u32, b as u32);
            let path = routes.path(from, to);
            let known = distance.filter(|&d| d > 0);
            prop_assert_eq!(path.as_ref().map(|path| path.len() as u32 - 1), known);
            prop_assert_eq!(routes.reaches(from, to), known.is_some());
            let Some(path) = path else { continue };
            prop_assert_eq!((path[0], path[path.len() - 1]), (from, to));
            for hop in path.windows(2) {
                prop_assert!(!machine.shared(hop[0] as usize, hop[1] as usize).is_empty());
                prop_assert_eq!(routes.next_hop(hop[0], to), Some(hop[1]));
            }
            let listed = row.iter().find(|route| route.dest == to);
            prop_assert_eq!(
                listed.map(|route| (route.next, route.intermediaries + 1)),
                known.filter(|&d| d > 1).map(|d| (path[1], d))
            );
            if path.len() == 3 {
                prop_assert_eq!(routes.next_hop(to, from), Some(path[1]));
            }
            path[1..path.len() - 1].iter().for_each(|&pe| load[pe as usize] += 1);
        }
    }
    prop_assert_eq!(routes.load(), load.clone());
    Ok(load)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn small_machines_are_routed_by_shortest_paths(
        switches in prop::collection::vec(prop::collection::vec(0u32..18, 0..5), 1..12),
        (switch, pe) in (0u32..12, 0u32..18),
    ) {
        let design = Design::from_switches(18, switches);
        checked(&design, &Faults::default())?;
        checked(&design, &Faults { switches: vec![switch % design.switch_count()], nis: vec![], pes: vec![pe] })?;
    }
}

/// Rooms in a ring, each two switches of its PEs, joined by PEs on switches of two rooms.
fn rooms(pes: u32, room: u32) -> Design {
    let rooms = pes.div_ceil(room);
    let own = (0..rooms).map(|r| (r * room..pes.min((r + 1) * room)).collect());
    let doors = (0..rooms).map(|r| {
        let next = (r + 1) % rooms * room;
        (0..6).flat_map(|i| [r * room + i, next + 6 + i]).filter(|&pe| pe < pes).collect()
    });
    Design::from_switches(pes, own.chain(doors).collect::<Vec<Vec<u32>>>())
}

#[test]
fn large_machines_are_routed_row_by_row_and_column_by_column_alike() {
    let design = rooms(1200, 40);
    assert!(design.pes() > BALANCED_PES);
    let routes = whole(&design);
    let working = routes.working();
    let mut farthest = 0;
    for pe in (0..1200).step_by(97) {
        let row = routes.routes_from(pe);
        let near = (0..1200).filter(|&other| working.paths(pe, other).next().is_some()).count();
        assert_eq!(row.len() + near + 1, 1200);
        let mut towards = routes.towards(pe);
        for route in row.iter().step_by(7) {
            towards.turn_to(route.dest);
            assert_eq!(towards.next(pe), Some(route.next));
            assert_eq!(towards.intermediaries(pe), Some(route.intermediaries));
            let path = towards.path(pe).unwrap();
            assert_eq!(path.len() as u32, route.intermediaries + 2);
            assert!(path.windows(2).all(|hop| working.paths(hop[0], hop[1]).next().is_some()));
            if route.intermediaries == 1 {
                assert_eq!(routes.next_hop(route.dest, pe), Some(route.next));
            }
            farthest = farthest.max(route.intermediaries);
        }
    }
    assert!(farthest > 10, "{farthest}");
}

/// Numbers as chance would have it, the same every time.
fn chance(state: &mut u64) -> u32 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
    (*state >> 33) as u32
}

/// Every PE on three of so many switches, of which some get many PEs and some few.
fn scattered(pes: u32, switches: u32) -> Design {
    let mut lists = vec![Vec::new(); switches as usize];
    let mut state = 1;
    for pe in 0..pes {
        let mut on = Vec::new();
        while on.len() < 3 {
            let switch = chance(&mut state) % switches;
            if !on.contains(&switch) {
                on.push(switch);
                lists[switch as usize].push(pe);
            }
        }
    }
    Design::from_switches(pes, lists)
}

/// Every PE on three switches with 24 ports, all of them taken.
fn dealt(pes: u32) -> Design {
    let mut state = 1;
    let mut lists = Vec::new();
    for _ in 0..3 {
        let mut deck: Vec<u32> = (0..pes).collect();
        (1..pes).rev().for_each(|last| deck.swap(last as usize, (chance(&mut state) % (last + 1)) as usize));
        lists.extend(deck.chunks(24).map(<[u32]>::to_vec));
    }
    Design::from_switches(pes, lists)
}

/// The share of the most loaded PE beside the mean.
fn peak(load: &[u64]) -> f64 {
    let mean = load.iter().sum::<u64>() as f64 / load.len() as f64;
    *load.iter().max().unwrap() as f64 / mean
}

#[test]
fn load_is_spread_over_the_intermediaries() {
    let peaks =
        [dealt(1200), scattered(1200, 150), dealt(960), scattered(960, 120)].map(|d| peak(&whole(&d).load()));
    let most = [1.45, 1.5, 1.02, 1.02];
    assert!(peaks.iter().zip(most).all(|(peak, most)| *peak < most), "{peaks:?} of {most:?}");
}

#[test]
fn only_routes_through_a_dead_pe_change_on_large_machines() {
    let design = dealt(1200);
    let (before, after) = (whole(&design), through(&design, &machine::faults("node600", &design).unwrap()));
    let (mut kept, mut changed) = (0, 0);
    let near = (0..1200).filter(|&pe| before.working().paths(pe, 600).next().is_some());
    for pe in near.step_by(5) {
        for route in
            before.routes_from(pe).iter().filter(|route| route.dest != 600 && route.intermediaries == 1)
        {
            if route.next == 600 {
                changed += 1;
                assert_ne!(after.next_hop(pe, route.dest), Some(600));
            } else {
                kept += 1;
                assert_eq!(after.next_hop(pe, route.dest), Some(route.next));
            }
        }
    }
    assert!(kept > 1000 && changed > 0, "{kept} {changed}");
}

/// Mattox 2006, section 6.2: 128 PEs, of whose 8,128 pairs 3,457 share a switch of the wiring of its figure 6.4.
#[test]
fn kasy0_reaches_every_pair_that_shares_no_switch() {
    let design = wiring(KASY0, 128);
    let (spec, demand) = spec(include_str!("../../../assets/specs/kasy0.toml"));
    let connected = basic(&spec, &demand, &design, &Faults::default()).unwrap().pairs();
    let load = checked(&design, &Faults::default()).unwrap();
    let routes = whole(&design);
    let apart: usize = (0..128).map(|pe| routes.routes_from(pe).len()).sum();
    assert_eq!((connected, apart, routes.unreachable()), (3457, 2 * (8128 - 3457), 0));
    assert!(peak(&load) < 1.05, "{}", peak(&load));
}

/// Dietz and Mattox 2000, section 4.1: eight switches with 31 PEs and one with 8 give 64 PEs (31*30*8 + 8*7)/(64*63), or about
/// 1.859, links a pair, however the PEs are spread.
#[test]
fn klat2s_switches_give_its_links_a_pair() {
    let sizes = [31, 31, 31, 31, 31, 31, 31, 31, 8];
    let mut at = 0u32;
    let lists: Vec<Vec<u32>> = sizes
        .iter()
        .map(|&size| {
            let list = (at..at + size).map(|pe| pe % 64).collect();
            at += size;
            list
        })
        .collect();
    let design = Design::from_switches(64, lists);
    let (spec, demand) = spec(include_str!("../../../assets/specs/klat2.toml"));
    let routes = link_layer(&spec, &demand, &design, &Faults::default()).unwrap();
    let links: usize = (0..64).flat_map(|pe| routes.neighbours(pe)).map(|near| near.paths.len()).sum();
    assert_eq!(links, 31 * 30 * 8 + 8 * 7);
    assert_eq!((links as f64 / (64.0 * 63.0) * 1000.0).round(), 1859.0);
}
