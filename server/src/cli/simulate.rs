//! `crosspoint simulate`: traffic on a network, frame by frame.

mod table;

use super::{
    Answer, cores, files,
    flags::{FlagForm, Flags, flag_of, named, number, whole},
    output::{self, to_stderr},
    watch::{self, Watch, percent},
};
use crate::simulations::{Limits, Simulation};
use anyhow::{Context, Result, bail};
use clap::{
    Args,
    builder::{PossibleValue, PossibleValuesParser},
};
use shared::{
    compare::market::{PRESETS, preset},
    fabric::{ROUTINGS, kinds::parse_with},
    form::Field,
    search::{SECONDS, THREADS},
    simulation::{
        CURRENT_SWITCHES, LoadProgress, Settings, SimulationForm, SimulationProgress, SimulationReport,
        SimulationRequest, TRAFFICS, TrafficEntry, traffic_forms,
    },
    spec::Faults,
    text::grouped,
};
use std::path::{Path, PathBuf};

const ENDING: &str = "\
Units:
  Offered load, accepted traffic: flits per cycle and sending host. A cycle is the time of a flit on the fastest link.
  Latency: cycles, and a time, from the generation of a frame to the arrival of its last flit.
  Lost: share of dropped frames.

Defaults are from Otsuka et al. 2005: frames of 6 header and 128 payload flits of 4 bytes, 10 cycles per routing decision,
5 cycles per link, and 100,000 cycles, of which the first 10,000 are ignored.

Examples:

  crosspoint simulate --fabric mesh:8x8 --traffic uniform --saturate
  crosspoint simulate spec.toml wiring.txt --traffic pattern:0 --load 0.1,0.5,0.9
  crosspoint simulate --fabric myrinet:16,4 --traffic all-to-all-phases --message 6144
  crosspoint simulate --fabric rail:16x8 --traffic all-reduce-ring --groups 4 --background uniform

Ctrl-C stops the simulation and keeps the finished loads. A second Ctrl-C exits at once.";

/// Simulate traffic on a design or any other network, frame by frame
///
/// Traffic at an offered load yields accepted traffic and latency, one row per load. Collective operations yield the total
/// bandwidth and the completion times of their groups. Frames that wait for each other forever are reported as a deadlock.
///
/// Exit codes: 0 done, 1 a load or the operation ended in a deadlock, 2 bad input, or above the memory or time limit.
#[derive(Args)]
#[command(after_help = ENDING)]
pub struct Simulate {
    /// Spec file, or - for standard input; optional with --fabric
    spec: Option<PathBuf>,
    /// Wiring table, or - for standard input; not with --fabric
    #[arg(conflicts_with = "fabric")]
    #[arg(value_name = "WIRING")]
    design: Option<PathBuf>,
    /// Traffic between hosts; --traffic list lists all names
    #[arg(long, value_name = "NAME")]
    traffic: Option<String>,
    /// Network to simulate instead of the wiring, such as mesh:8x8 or file:PATH
    #[arg(long, value_name = "KIND")]
    fabric: Option<String>,
    /// Routing of frames; --routing list lists all names [default: the network's own routing]
    #[arg(long, value_name = "NAME")]
    routing: Option<String>,
    /// Offered loads, separated by commas [default: ten, up to the max of a host]
    #[arg(long, value_name = "LOAD")]
    load: Vec<String>,
    #[arg(long, value_name = "MARKET", value_parser = markets(), help_heading = SimulationForm::HEADING,
        help = format!("{CURRENT_SWITCHES}; speeds and latencies of a market. Other flags change single fields"))]
    current_switches: Option<String>,
    #[command(flatten)]
    rules: Flags<SimulationForm>,
    /// Loads simulated in parallel [default: number of cores]
    #[arg(long, value_name = "T", value_parser = whole::<u64>(THREADS))]
    threads: Option<u64>,
    /// Print JSON, including the load of each channel
    #[arg(long)]
    json: bool,
    /// Output file [default: standard output]
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,
    /// Write files for BookSim 2 instead of simulating: the configuration of one load to PATH, network and paths to PATH.network, and a
    /// patch for BookSim to PATH.patch
    #[arg(long, value_name = "PATH")]
    booksim: Option<PathBuf>,
    /// Memory limit; a simulation that needs more doesn't start
    #[arg(long, value_name = "MIB", value_parser = whole::<u64>(Field::whole("Memory", 1, 1 << 24)), default_value_t = Limits::default().bytes >> 20)]
    limit_memory: u64,
    /// Limit of the estimated time; a simulation that takes longer doesn't start
    #[arg(long, value_name = "S", value_parser = number(SECONDS), default_value_t = Limits::default().seconds)]
    limit_seconds: f64,
}

/// Limits of a simulation and their flags.
const LIMITS: [(&str, &str); 2] = [("memory", "--limit-memory"), ("time", "--limit-seconds")];

impl Simulate {
    pub fn run(self) -> Result<Answer> {
        if self.traffic.as_deref() == Some("list") {
            let line = |entry: &TrafficEntry| format!("{:21} {}\n", entry.form(), entry.label);
            output::print(&TRAFFICS.iter().map(line).collect::<String>())?;
            return Ok(Answer::Yes);
        }
        if self.routing.as_deref() == Some("list") {
            let lines = ROUTINGS.iter().map(|entry| format!("{:14} {}\n", entry.name, entry.explanation));
            output::print(&lines.collect::<String>())?;
            return Ok(Answer::Yes);
        }
        let missing = || format!("--traffic is missing; give {}", traffic_forms());
        let traffic = self.traffic.as_deref().with_context(missing)?;
        // Fail now rather than after the simulation.
        output::ready(self.output.as_deref(), self.spec.iter().chain(&self.design))?;
        let simulation = watch::aside("Setting up", |_| self.read(traffic))?;
        if let Some(path) = &self.booksim {
            if !self.load.is_empty() && simulation.loads().len() > 1 {
                bail!("--booksim writes a single load; --load has {}", simulation.loads().len());
            }
            return write_booksim(&simulation, path);
        }
        let threads = self.threads.unwrap_or_else(|| cores().into()) as usize;
        let limits = Limits { bytes: self.limit_memory << 20, seconds: self.limit_seconds };
        let estimate = watch::aside("Estimating the time", |_| simulation.estimate(threads, limits));
        let estimate = estimate.map_err(|faults| beyond_limits(named::<SimulationForm>(faults)))?;
        let mut watch = Watch::start()?;
        watch.line.remark(&format!(
            "about {} frames of {:.1} hops, at most {} MiB, {:.0} s on one core",
            grouped(estimate.frames as u64),
            estimate.hops,
            grouped(estimate.bytes.div_ceil(1 << 20)),
            estimate.seconds.max(1.0)
        ));
        let loads = simulation.loads().len();
        let cancel = watch.cancel.clone();
        let report = simulation.run(threads, None, Vec::new(), &cancel, &mut |report| {
            watch.line.write(|| fields(report, loads))
        })?;
        watch.line.end(&fields(&report, loads));
        self.write(&report, simulation.settings())?;
        Ok(answer(&report))
    }

    fn read(&self, traffic: &str) -> Result<Simulation> {
        let typed = SimulationForm {
            routing: self.routing.clone().unwrap_or_default(),
            traffic: traffic.into(),
            loads: self.load.join(","),
            ..self.typed()
        };
        self.check_effects(&typed)?;
        let (request, design) = match (&self.spec, &self.design) {
            (Some(spec), Some(design)) => {
                let (request, design) = files::read_fitting(spec, design)?;
                (Some(request), Some(design))
            }
            (Some(spec), None) => (Some(files::read_spec(spec)?), None),
            _ => (None, None),
        };
        let network = self.fabric.as_deref().map(|text| parse_with(text, &files::read_network)).transpose();
        let (form, network) = match (typed.read(), network) {
            (Ok(form), Ok(network)) => (SimulationRequest { fabric: self.fabric.clone(), ..form }, network),
            (form, network) => {
                let faults = [network.err(), form.err()].into_iter().flatten().flat_map(|faults| faults.0);
                return Err(named::<SimulationForm>(Faults(faults.collect())).into());
            }
        };
        network.iter().for_each(|network| files::warn(network.warnings()));
        let simulation = Simulation::of(form, network, request.as_ref(), design.as_ref());
        Ok(simulation.map_err(named::<SimulationForm>)?)
    }

    /// The fields of the preset, with the given flags instead of its own.
    fn typed(&self) -> SimulationForm {
        let mut typed = SimulationForm::default();
        if let Some(market) = self.current_switches.as_deref().and_then(preset) {
            typed.set_current_switches(&market.market());
            // A queue of its own takes the place of the market's shared memory.
            if self.rules.typed.queue == "input" {
                typed.shared_buffer.clear();
            }
        }
        self.rules.over(typed)
    }

    /// Checks that every given flag has an effect. Errors: the first flag that has no effect, and the reason.
    fn check_effects(&self, typed: &SimulationForm) -> Result<()> {
        let pool = !typed.shared_buffer.is_empty();
        let others: [(bool, &[&str], &str); 4] = [
            (typed.queue != "shared", &["shared_buffer"], "without --queue shared"),
            (!pool, &["alpha"], "without --shared-buffer"),
            (pool, &["buffer"], "with a shared buffer"),
            (
                self.booksim.is_some(),
                &["saturate", "threads", "json", "output"],
                "with --booksim, which simulates nothing",
            ),
        ];
        let given = |flag: &&&str| match **flag {
            "threads" => self.threads.is_some(),
            "json" => self.json,
            "output" => self.output.is_some(),
            field => self.rules.is_given(field),
        };
        let others = others.into_iter().filter(|(applies, ..)| *applies);
        let others = others
            .flat_map(|(_, flags, why)| flags.iter().filter(given).map(move |flag| (*flag, why.to_owned())));
        match typed.unused().into_iter().chain(others).next() {
            Some((key, why)) => {
                bail!("{} has no effect {why}", flag_of::<SimulationForm>(key).unwrap_or(format!("--{key}")))
            }
            None => Ok(()),
        }
    }

    fn write(&self, report: &SimulationReport, settings: &Settings) -> Result<()> {
        output::to(self.output.as_deref(), |out| {
            let text = match self.json {
                true => serde_json::to_string_pretty(report)? + "\n",
                false => table::text(report, settings),
            };
            Ok(out.write_all(text.as_bytes())?)
        })
    }
}

/// Faults of an estimate beyond a limit, with the flag of the limit.
fn beyond_limits(mut faults: Faults) -> Faults {
    for fault in &mut faults.0 {
        if let Some((_, flag)) = LIMITS.iter().find(|(limit, _)| *limit == fault.path) {
            fault.path = (*flag).into();
            fault.message = format!("{}, or raise the limit.", fault.message.trim_end_matches('.'));
        }
    }
    faults
}

/// Markets whose speeds and latencies current switches may have.
fn markets() -> PossibleValuesParser {
    PossibleValuesParser::new(
        PRESETS.iter().map(|market| PossibleValue::new(market.key).help(market.title())),
    )
}

/// Progress line of a running simulation.
fn fields(report: &SimulationReport, loads: usize) -> Vec<String> {
    let mut fields = Vec::new();
    if let Some(collective) = &report.collective {
        fields.push(format!("{} frames received", grouped(collective.received)));
    } else if report.points.len() > loads {
        fields.push(format!("{} loads", report.points.len()));
    } else if loads > 0 {
        fields.push(format!("{} of {loads} loads", report.points.len()));
    }
    fields.extend(report.progress.iter().flat_map(current));
    let most = report.points.iter().map(|point| point.accepted).fold(0.0, f64::max);
    if most > 0.0 {
        fields.push(format!("accepted up to {most:.4}"));
    }
    if report.cancelled {
        fields.push("stopped".into());
    }
    fields
}

/// Progress of the current loads or operation.
fn current(progress: &SimulationProgress) -> Vec<String> {
    let mut fields: Vec<String> = progress.share.map(percent).into_iter().collect();
    if progress.cycles > 0 {
        fields.push(format!("{} messages received", grouped(progress.messages)));
        fields.push(format!("{} rounds done", grouped(progress.rounds.into())));
        fields.push(format!("{} cycles", grouped(progress.cycles)));
    }
    let load = |load: &LoadProgress| format!("load {:.4} at {}", load.offered, percent(load.share));
    fields.extend(progress.loads.iter().map(load));
    fields
}

fn answer(report: &SimulationReport) -> Answer {
    let points = report.points.iter().map(|point| &point.deadlock);
    let mut all = points.chain(report.collective.iter().map(|collective| &collective.deadlock));
    if all.any(Option::is_some) { Answer::No } else { Answer::Yes }
}

fn write_booksim(simulation: &Simulation, path: &Path) -> Result<Answer> {
    if output::is_standard(path) {
        bail!("--booksim writes three files, so it needs a path, not standard output");
    }
    let beside = |extension: &str| {
        let mut path = path.as_os_str().to_owned();
        path.push(extension);
        PathBuf::from(path)
    };
    let [network, patch] = [".network", ".patch"].map(beside);
    let name = network.file_name().context("--booksim: the path has no file name")?.to_string_lossy();
    let files = simulation.booksim(&name)?;
    for (path, text) in
        [(&*network, &*files.network), (path, &*files.config), (&patch, simulate::booksim::PATCH)]
    {
        output::to(Some(path), |out| Ok(out.write_all(text.as_bytes())?))?;
    }
    to_stderr(&format!("written; apply {} to BookSim 2, and run it in this folder\n", patch.display()));
    Ok(Answer::Yes)
}
