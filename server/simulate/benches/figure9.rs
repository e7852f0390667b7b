//! The VLAN paper's figure 9: `cargo bench -p simulate --bench figure9` prints saturation throughput of its three routings on its
//! six networks, and how much more than the spanning tree the VLANs give, beside what the paper prints.
//!
//! The paper does not say what full buffers do. With back-pressure, partial DOR and every torus can come to a deadlock, of which
//! it has none; with frames lost at full buffers, as Ethernet switches do, its figures come out. Both are printed. Words after
//! `--` are other rules: `shared` (shared buffers), `buffer=N` (4 frames otherwise), `seed=N`, `store` (store and forward).

use shared::{
    fabric::{
        Grid, GridShape, Routing, SpanningTree,
        vlan::{Method, Vlans},
    },
    simulation::{Full, OpenTraffic, Queue, Settings, Switching},
};
use simulate::{Destinations, Open, saturate};
use std::{error::Error, sync::atomic::AtomicBool};

const SIDES: [&[u32]; 3] = [&[4, 4], &[8, 8], &[4, 4, 4]];
/// VLANs that a switch can have: as many as there are.
const MAX_VLANS: u32 = 4094;

fn main() -> Result<(), Box<dyn Error>> {
    let mut settings = Settings::default();
    let mut seed = 1;
    for word in std::env::args().skip(1) {
        match word.split_once('=').unwrap_or((&word, "")) {
            ("shared", _) => settings.queue = Queue::Shared,
            ("store", _) => settings.switching = Switching::StoreAndForward,
            ("buffer", frames) => settings.buffer = frames.parse()?,
            ("seed", number) => seed = number.parse()?,
            _ => {}
        }
    }
    for full in [Full::Drop, Full::Hold] {
        settings.full = full;
        println!(
            "\nFull buffers {full:?}; room for {} frames ({:?}), {:?}; seed {seed}. Throughput in flits a cycle and host.\n",
            settings.buffer, settings.queue, settings.switching
        );
        println!(
            "| network | DOR | partial DOR | tree | DOR over tree | partial over tree | DOR over partial |"
        );
        println!("| --- | --- | --- | --- | --- | --- | --- |");
        for shape in [GridShape::Mesh, GridShape::Torus] {
            for sides in SIDES {
                row(shape, sides, &settings, seed)?;
            }
        }
    }
    println!(
        "\nPublished: DOR over tree up to +753 % on the 4x4x4 mesh and up to +902 % on the 4x4x4 torus; partial DOR over tree"
    );
    println!(
        "up to +706 %; DOR over partial DOR up to +75 % on meshes, and less on tori. * some load ends in a deadlock."
    );
    Ok(())
}

fn row(shape: GridShape, sides: &[u32], settings: &Settings, seed: u64) -> Result<(), Box<dyn Error>> {
    let grid = Grid::new(shape, sides, 1)?;
    let fabric = grid.fabric(1000);
    let traffic = Destinations::new(OpenTraffic::Uniform, fabric.hosts)?;
    let throughput = |routing: &dyn Routing| -> Result<(f64, &str), Box<dyn Error>> {
        let open = Open { fabric: &fabric, routing, settings, traffic: &traffic, seed };
        let found = saturate(&open, &AtomicBool::new(false), &mut |_| {})?;
        Ok((found.throughput, if found.deadlock_from.is_some() { "*" } else { "" }))
    };
    let (dor, dor_stuck) = throughput(&Vlans::new(&grid, Method::Dor, MAX_VLANS)?)?;
    let (partial, partial_stuck) = throughput(&Vlans::new(&grid, Method::PartialDor, MAX_VLANS)?)?;
    let (tree, tree_stuck) = throughput(&SpanningTree::of(&fabric))?;
    let more = |a: f64, b: f64| format!("{:+.0} %", 100.0 * (a / b - 1.0));
    println!(
        "| {shape:?} {sides:?} | {dor:.4}{dor_stuck} | {partial:.4}{partial_stuck} | {tree:.4}{tree_stuck} | {} | {} | {} |",
        more(dor, tree),
        more(partial, tree),
        more(dor, partial)
    );
    Ok(())
}
