//! Figure 9 of Otsuka et al. 2005: `cargo bench -p simulate --bench figure9` prints the saturation throughput of three routings
//! on six networks, and the gain of VLANs over one spanning tree, with and without dropped frames.
//!
//! The paper does not say what full buffers do. With back-pressure, partial DOR and every torus can deadlock, which the paper
//! does not mention. With frames dropped at full buffers, its figures come out. Words after `--` change settings: `shared`
//! (shared buffers), `buffer=N` (default: 4 frames), `seed=N`, `store` (store-and-forward). The word `range` prints the gain of DOR
//! on the 4x4x4 mesh over all combinations of these settings instead.

use network::fabric::{
    Grid, GridShape, Routing, SpanningTree,
    vlan::{Method, Vlans},
};
use simulate::{Destinations, OpenInput, saturate};
use std::{error::Error, sync::atomic::AtomicBool};
use work::simulation::{FullBufferRule, OpenTraffic, Queue, Settings, Switching};

const SIDES: [&[u32]; 3] = [&[4, 4], &[8, 8], &[4, 4, 4]];
/// All VLAN numbers.
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
            ("range", _) => return range(seed),
            _ => {}
        }
    }
    for full in [FullBufferRule::Drop, FullBufferRule::Hold] {
        settings.full = full;
        println!(
            "\nFull buffers {full:?}; room for {} frames ({:?}), {:?}; seed {seed}. Throughput in flits per cycle and host, lost frames in brackets.\n",
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
        "up to +706 %; DOR over partial DOR up to +75 % on meshes, and less on tori. * deadlocks at some load."
    );
    Ok(())
}

/// Prints the gain of DOR over the tree on the 4x4x4 mesh for 24 settings, and the least and largest gain.
fn range(seed: u64) -> Result<(), Box<dyn Error>> {
    let grid = Grid::new(GridShape::Mesh, &[4, 4, 4], 1)?;
    let fabric = grid.fabric(1000);
    let traffic = Destinations::new(OpenTraffic::Uniform, fabric.hosts)?;
    let (dor, tree) = (Vlans::new(&grid, Method::Dor, MAX_VLANS)?, SpanningTree::of(&fabric));
    println!("DOR over one tree on the 4x4x4 mesh; seed {seed}.\n");
    println!("| full buffers | frames per buffer | queue | switching | DOR | tree | gain |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    let mut gains: Vec<f64> = Vec::new();
    for full in [FullBufferRule::Drop, FullBufferRule::Hold] {
        for buffer in [1, 4, 16] {
            for queue in [Queue::Input, Queue::Shared] {
                for switching in [Switching::CutThrough, Switching::StoreAndForward] {
                    let settings = Settings { full, buffer, queue, switching, ..Settings::default() };
                    let throughput = |routing: &dyn Routing| {
                        let open = OpenInput {
                            fabric: &fabric,
                            routing,
                            settings: &settings,
                            traffic: &traffic,
                            seed,
                        };
                        saturate(&open, &AtomicBool::new(false), &mut |_| {}).map(|found| found.throughput)
                    };
                    let (dor, tree) = (throughput(&dor)?, throughput(&tree)?);
                    let gain = 100.0 * (dor / tree - 1.0);
                    println!(
                        "| {full:?} | {buffer} | {queue:?} | {switching:?} | {dor:.3} | {tree:.3} | {gain:.0} % |"
                    );
                    gains.push(gain);
                }
            }
        }
    }
    let least = gains.iter().copied().fold(f64::INFINITY, f64::min);
    let most = gains.iter().copied().fold(0.0, f64::max);
    println!("\nGain from {least:.0} to {most:.0} % over {} settings. Published: up to 753 %.", gains.len());
    Ok(())
}

fn row(shape: GridShape, sides: &[u32], settings: &Settings, seed: u64) -> Result<(), Box<dyn Error>> {
    let grid = Grid::new(shape, sides, 1)?;
    let fabric = grid.fabric(1000);
    let traffic = Destinations::new(OpenTraffic::Uniform, fabric.hosts)?;
    let throughput = |routing: &dyn Routing| -> Result<(f64, String), Box<dyn Error>> {
        let open = OpenInput { fabric: &fabric, routing, settings, traffic: &traffic, seed };
        let mut points = Vec::new();
        let found = saturate(&open, &AtomicBool::new(false), &mut |point| points.push(point.clone()))?;
        let best = points.iter().find(|point| point.offered == found.offered);
        let lost = best.map_or(0.0, |point| point.lost as f64 / (point.lost + point.received).max(1) as f64);
        let deadlock = if found.deadlock_from.is_some() { "*" } else { "" };
        Ok((found.throughput, format!("{:.4}{deadlock} ({:.0} %)", found.throughput, 100.0 * lost)))
    };
    let (dor, dor_text) = throughput(&Vlans::new(&grid, Method::Dor, MAX_VLANS)?)?;
    let (partial, partial_text) = throughput(&Vlans::new(&grid, Method::PartialDor, MAX_VLANS)?)?;
    let (tree, tree_text) = throughput(&SpanningTree::of(&fabric))?;
    let more = |a: f64, b: f64| format!("{:+.0} %", 100.0 * (a / b - 1.0));
    println!(
        "| {shape:?} {sides:?} | {dor_text} | {partial_text} | {tree_text} | {} | {} | {} |",
        more(dor, tree),
        more(partial, tree),
        more(dor, partial)
    );
    Ok(())
}
