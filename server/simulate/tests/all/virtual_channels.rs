//! Virtual channels: no deadlocks where classes rule them out, and more throughput.

use network::fabric::{DimensionOrder, Grid, GridShape, Speeds, kinds};
use simulate::{Destinations, OpenInput, simulate};
use std::sync::atomic::AtomicBool;
use work::simulation::{OpenTraffic, Paths, Point, Settings};

/// Uniform traffic at full load, in dimension order.
fn full_load(shape: GridShape, sides: &[u32], settings: &Settings) -> Point {
    let grid = Grid::new(shape, sides, 1).unwrap();
    let (fabric, routing) = (grid.fabric(1000), DimensionOrder::new(grid));
    let traffic = Destinations::new(OpenTraffic::Uniform, fabric.hosts).unwrap();
    let open = OpenInput { fabric: &fabric, routing: &routing, settings, traffic: &traffic, seed: 1 };
    simulate(&open, 1.0, &AtomicBool::new(false)).unwrap()
}

#[test]
fn tori_deadlock_with_one_and_never_with_two() {
    let settings = Settings { buffer: 1, cycles: 40_000, ..Settings::default() };
    for sides in [&[4, 4][..], &[8, 8], &[4, 4, 4], &[5, 7]] {
        let with = |virtual_channels| {
            full_load(GridShape::Torus, sides, &Settings { virtual_channels, ..settings.clone() })
        };
        let one = with(1);
        assert!(one.deadlock.is_some_and(|deadlock| !deadlock.names[0].contains("virtual")), "{sides:?}");
        for count in [2, 3, 4] {
            let point = with(count);
            assert!(point.deadlock.is_none() && point.cycles == settings.cycles, "{sides:?} {count}");
            assert!(point.accepted > 0.25, "{sides:?} {count}: {}", point.accepted);
        }
    }
}

#[test]
fn hosts_that_forward_deadlock_with_one_and_never_with_two() {
    for text in ["host-torus:8x8", "hamming-mesh:4x4,2x2"] {
        let kind = kinds::parse(text).unwrap();
        let (fabric, routing) = (kind.fabric(Speeds::default()), kind.routing().unwrap());
        let traffic = Destinations::new(OpenTraffic::Uniform, fabric.hosts).unwrap();
        let point = |virtual_channels| {
            let settings = Settings {
                buffer: 1,
                host_buffer: 1,
                cycles: 100_000,
                virtual_channels,
                paths: Paths::Random,
                ..Settings::default()
            };
            let open = OpenInput {
                fabric: &fabric,
                routing: &routing,
                settings: &settings,
                traffic: &traffic,
                seed: 1,
            };
            simulate(&open, 1.0, &AtomicBool::new(false)).unwrap()
        };
        assert!(point(1).deadlock.is_some(), "{text}");
        for count in [2, 3] {
            assert!(point(count).deadlock.is_none(), "{text} with {count}");
        }
    }
}

#[test]
fn detours_deadlock_with_one_class_and_never_with_one_per_leg() {
    let paths = Paths::RandomIntermediate;
    let settings = Settings { buffer: 1, cycles: 40_000, paths, ..Settings::default() };
    for (shape, safe) in [(GridShape::Mesh, 2), (GridShape::Torus, 4)] {
        let with =
            |virtual_channels| full_load(shape, &[4, 4], &Settings { virtual_channels, ..settings.clone() });
        assert!(with(1).deadlock.is_some(), "{shape:?}");
        let point = with(safe);
        assert!(point.deadlock.is_none() && point.accepted > 0.15, "{shape:?}: {}", point.accepted);
    }
}

#[test]
fn a_deadlock_names_its_virtual_channels() {
    let paths = Paths::RandomIntermediate;
    let settings = Settings { buffer: 1, virtual_channels: 2, cycles: 200_000, paths, ..Settings::default() };
    let deadlock =
        full_load(GridShape::Torus, &[4, 4], &settings).deadlock.expect("legs alone break no ring");
    assert!(deadlock.names.iter().all(|name| name.ends_with(" (virtual channel 0)")), "{deadlock:?}");
}

#[test]
fn frames_pass_those_that_wait() {
    let accepted = |virtual_channels| {
        let settings = Settings { virtual_channels, cycles: 60_000, ..Settings::default() };
        full_load(GridShape::Mesh, &[8, 8], &settings).accepted
    };
    let (one, four) = (accepted(1), accepted(4));
    assert!(four > 1.1 * one, "{one} with one, {four} with four");
}
