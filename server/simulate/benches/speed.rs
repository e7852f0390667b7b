//! Speed of the simulator: `cargo bench -p simulate --bench speed` prints a table.
//!
//! Uniform traffic at maximum load, one core, in processor seconds, with the delays of Otsuka et al. 2005 and paths in dimension
//! order. On tori full buffers drop frames, since with back-pressure they would deadlock.

use network::fabric::{DimensionOrder, Grid, GridShape};
use simulate::{CostModel, Destinations, OpenInput, simulate};
use std::{error::Error, sync::atomic::AtomicBool};
use work::simulation::{FullBufferRule, OpenTraffic, Settings};

/// Sides and shape of the grid, and simulated cycles.
const GRIDS: [(&[u32], GridShape, u64); 5] = [
    (&[8, 8], GridShape::Mesh, 1_000_000),
    (&[8, 8], GridShape::Torus, 1_000_000),
    (&[4, 4, 4], GridShape::Torus, 1_000_000),
    (&[64, 64], GridShape::Mesh, 100_000),
    (&[16, 16, 16], GridShape::Torus, 100_000),
];

fn main() -> Result<(), Box<dyn Error>> {
    println!(
        "| network | hosts | full buffers | accepted | frames | M flit-hops/s | ns a frame and hop | s | estimated s | estimated MiB | peak MiB |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for (sides, shape, cycles) in GRIDS {
        let grid = Grid::new(shape, sides, 1)?;
        let (fabric, routing) = (grid.fabric(1000), DimensionOrder::new(grid));
        for full in [FullBufferRule::Hold, FullBufferRule::Drop] {
            if (full == FullBufferRule::Hold) != (shape == GridShape::Mesh) {
                continue;
            }
            let settings = Settings { cycles, full, ..Settings::default() };
            let traffic = Destinations::new(OpenTraffic::Uniform, fabric.hosts)?;
            let open = OpenInput {
                fabric: &fabric,
                routing: &routing,
                settings: &settings,
                traffic: &traffic,
                seed: 1,
            };
            let estimate = CostModel::new(&open)?.at(1.0);
            let start = cpu_seconds();
            let point = simulate(&open, 1.0, &AtomicBool::new(false))?;
            let seconds = cpu_seconds() - start;
            let frame_hops = point.flit_hops as f64 / f64::from(settings.frame());
            println!(
                "| {shape:?} {sides:?} | {} | {full:?} | {:.3} | {} | {:.0} | {:.0} | {seconds:.2} | {:.1} | {} | {} |",
                fabric.hosts,
                point.accepted,
                point.frames,
                point.flit_hops as f64 / seconds / 1e6,
                seconds * 1e9 / frame_hops,
                estimate.seconds,
                estimate.bytes >> 20,
                peak_mebibytes(),
            );
        }
    }
    Ok(())
}

/// Processor seconds of this process in hundredths, or 0 where the system does not report them.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after = stat.rsplit(')').next().unwrap_or("");
    let ticks = after.split_whitespace().skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok());
    ticks.sum::<f64>() / 100.0
}

/// Peak memory of this process in MiB, or 0 where the system does not report it.
fn peak_mebibytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|l| l.starts_with("VmHWM:")).unwrap_or("");
    line.split_whitespace().nth(1).and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(0) / 1024
}
