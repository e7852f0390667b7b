//! The cheapest network for each job, of every kind: `cargo bench -p server --bench buy [-- WORDS] [seconds=120]` prints the table of
//! `simulate/benches/README.md`. With words, only jobs with one of them in their names run.

mod common;

use server::frontier;
use shared::{
    compare::market::chosen,
    demand::Demand,
    design::Design,
    estimate::duration,
    hardware::{Board, BoardForm, BoardObserver, Frontier, FrontierRequest, Offer},
    resolve::{NoFiles, read},
    search::Budget,
    spec::{Objective, Spec},
    text::fixed,
};
use std::{
    error::Error,
    sync::{Arc, atomic::AtomicBool},
    time::Instant,
};

struct Silent;

impl BoardObserver for Silent {
    fn board(&mut self, _: &Board) {}

    fn design(&mut self, _: usize, _: &Spec, _: &Design, _: u64) {}
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let seconds = words.iter().find_map(|word| word.strip_prefix("seconds=")?.parse().ok()).unwrap_or(120.0);
    let wanted: Vec<&String> = words.iter().filter(|word| !word.contains('=')).collect();
    println!(
        "| job | wiring without uplinks | with uplinks | tree or fat tree | rail-optimised Clos | one switch per plane | answer | s |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- |"
    );
    for (name, text) in common::jobs()? {
        let spec = read(&text, &mut NoFiles).map_err(|faults| format!("{name}: {faults:?}"))?;
        let name = if name.is_empty() { spec.name.clone() } else { name };
        // A port for an uplink is kept by itself where uplinks are tried.
        let is_whole = spec.switches.iter().all(|model| model.reserve == 0);
        let is_wanted = wanted.is_empty() || wanted.iter().any(|word| name.contains(&***word));
        if is_wanted && is_whole {
            row(&name, spec, seconds)?;
        }
    }
    Ok(())
}

fn row(name: &str, spec: Spec, seconds: f64) -> Result<(), Box<dyn Error>> {
    let nics = spec.mean_nis().to_string();
    let spec = Arc::new(Spec { objective: Objective::Time, ..spec });
    let demand = Arc::new(Demand::build(&spec).map_err(|faults| format!("{faults:?}"))?);
    let form =
        BoardForm { nis_from: nics.clone(), nis_to: nics, threads: "2".into(), ..BoardForm::default() };
    let mut hardware = form.request(&spec, &demand).map_err(|faults| format!("{faults:?}"))?;
    hardware.total = Budget::Seconds(seconds);
    let market = chosen(&spec, "").map_err(|faults| format!("{faults:?}"))?;
    let request = FrontierRequest::new(hardware, market, "", 2.0).map_err(|faults| format!("{faults:?}"))?;
    let began = Instant::now();
    let board = frontier::run(&request, None, None, &mut Silent, &AtomicBool::new(false))
        .map_err(|error| format!("{error:?}"))?;
    let networks = board.networks.ok_or("no networks")?;
    let design = |uplinks: bool| move |offer: &Offer| offer.is_design() && (offer.uplinks > 0) == uplinks;
    let kind = |kinds: &'static [&'static str]| move |offer: &Offer| kinds.contains(&&*offer.kind);
    let cells = [
        best(&networks, design(false)),
        best(&networks, design(true)),
        best(&networks, kind(&["tree", "fat-tree"])),
        best(&networks, kind(&["rail-clos"])),
        best(&networks, kind(&["switch"])),
    ];
    println!(
        "| {name} | {} | {} | {} |",
        cells.join(" | "),
        networks.answer,
        fixed(began.elapsed().as_secs_f64(), 0)
    );
    Ok(())
}

/// The cheapest offer of some within 2 % of the fastest of them: step, frames beside the fluid model, price and power.
fn best(networks: &Frontier, is: impl Fn(&Offer) -> bool) -> String {
    let ranked = || {
        networks.offers.iter().filter(|offer| is(offer)).filter_map(|offer| Some((offer, offer.ranked()?)))
    };
    let fastest = ranked().map(|(_, (_, seconds))| seconds).fold(f64::INFINITY, f64::min);
    let within = ranked().filter(|(_, (_, seconds))| *seconds <= 1.02 * fastest);
    let Some((offer, (price, seconds))) = within.min_by(|a, b| a.1.0.total_cmp(&b.1.0)) else {
        return "–".into();
    };
    let frames = offer.frames.map_or("–".into(), |ratio| fixed(ratio, 2));
    let power = offer.power.map_or("–".into(), |watts| format!("{} kW", fixed(watts / 1000.0, 0)));
    let text =
        if offer.is_design() { format!("{} uplinks", offer.uplinks) } else { format!("`{}`", offer.text) };
    format!("{} ({frames}), {} M, {power}, {text}", duration(seconds), fixed(price / 1e6, 2))
}
