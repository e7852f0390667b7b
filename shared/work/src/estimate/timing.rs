//! The time of what a spec communicates, on wirings that serve every pair: a step of its jobs, or its measured traffic.
//!
//! A *lane* is one dimension of a job, or all measured traffic. Lanes of a job do not run at the same time; jobs do, on different nodes.
//! Times here are those of each job alone. A step of several jobs is the mean over their nodes. The jobs' library chooses the
//! switches of a transfer among those that its two nodes share, or else of those that uplink switches join; measured traffic uses all of them evenly. The time of a lane is the latency of the messages that follow one another, plus
//! that of its transfers, phase by phase. Package `simulate` computes the same for any network.

use super::{EstimateSettings, bubble, compute, duration, windows};
use crate::{
    analysis::{
        bounds::TimeBound,
        library::{Devices, Library, MAX_RNDV_RAILS, choose},
    },
    cancel::checked,
    compare::{Market, market::own},
    demand::{
        collective::Transfer,
        job::{Practice, Share, calls, groups, shares_with},
    },
    design::Design,
    fabric::Hops,
    spec::{
        Objective, Parameters, Pattern, Spec,
        job::{Dimension, Job, MAX_JOBS},
        ports::Spine,
    },
    union_find::UnionFind,
};

/// What a spec communicates.
#[derive(Clone, Debug)]
pub struct Timing {
    /// The dimensions that use the network, job by job, in the order of [`Dimension::ALL`].
    pub lanes: Vec<Lane>,
    /// The jobs; measured traffic is one without computing.
    pub jobs: Vec<JobTiming>,
    /// Seconds of a message over one switch.
    pub latency: f64,
    /// Seconds of a message over uplink switches.
    pub latency_over: f64,
    /// The uplink switches, if the spec has any.
    pub spine: Option<Spine>,
    /// Bytes per second and direction of a NIC.
    pub rate: f64,
    /// The library that chooses switches.
    pub library: Library,
}

/// Times of a job that do not depend on the network.
#[derive(Clone, Copy, Debug)]
pub struct JobTiming {
    /// Number of nodes.
    pub nodes: u32,
    /// Seconds of a step beside which lanes are hidden, by [`Lane::window`].
    pub windows: [f64; 3],
    /// Seconds of a step without communication: computing, and the bubble of the pipeline. 0 without a model.
    pub base: f64,
}

/// Traffic that runs by itself.
#[derive(Clone, Debug)]
pub struct Lane {
    /// Number of its job.
    pub job: usize,
    /// Name, such as `dp`.
    pub name: &'static str,
    /// Name for people.
    pub label: &'static str,
    /// Messages of a step that follow one another.
    pub messages: f64,
    /// The window that it shares; `None` if nothing hides it.
    pub window: Option<usize>,
    /// Transfers of each phase, group by group.
    pub phases: Vec<Vec<Vec<Transfer>>>,
}

/// Seconds of what a spec communicates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seconds {
    /// The step, or the delivery of measured traffic.
    pub step: f64,
    /// All lanes, hidden or not.
    pub communication: f64,
}

/// The bound on the time of a spec in a search for time; `None` for other objectives, or without traffic in bytes. For the argument
/// see [`Lane::bound`].
pub fn bound(spec: &Spec) -> Option<TimeBound> {
    let timing = if spec.objective == Objective::Time { Timing::of(spec)? } else { return None };
    if timing.lanes.is_empty() {
        return None;
    }
    let Seconds { step, communication } = timing.bound(spec);
    let reason = format!(
        "{} of communication, as every node sends and receives at the speed of its NICs. Where a group and its partners do not fit on \
         one switch, {}",
        duration(communication),
        match timing.library {
            Library::Nccl => "NCCL uses only one NIC of a pair for at least one transfer",
            Library::Mpi | Library::Any => "at least one transfer has one NIC less",
        }
    );
    Some(TimeBound { step, communication, reason, source: "Crosspoint".into() })
}

impl Timing {
    /// [`Timing::with`] the spec's own assumptions, speeds and latencies.
    pub fn of(spec: &Spec) -> Option<Timing> {
        Timing::with(spec, &spec.assumptions, &own(spec))
    }

    /// What the spec's jobs communicate, or else its measured traffic: half of the bytes of a pair each way. `None` if it has neither, or
    /// a dimension of a job has no known bytes.
    pub fn with(spec: &Spec, settings: &EstimateSettings, market: &Market) -> Option<Timing> {
        let idle = Timing {
            lanes: Vec::new(),
            jobs: vec![JobTiming { nodes: spec.pes, windows: [0.0; 3], base: 0.0 }],
            latency: market.model.performance(Hops::new(0, 1)).latency * 1e-6,
            latency_over: market.model.performance(Hops::new(0, 3)).latency * 1e-6,
            spine: spec.spine(),
            rate: rate(market),
            library: spec.library(),
        };
        if spec.jobs.is_empty() {
            return Some(Timing { lanes: vec![measured(spec)?], ..idle });
        }
        let mut lanes = Vec::new();
        for (number, job) in spec.jobs.iter().enumerate() {
            for share in shares_with(job, &settings.practice) {
                let lane =
                    Lane::of(job, &share, &settings.practice, groups(job, share.collective).transfers());
                if let Some(lane) = lane {
                    share.collective.bytes?;
                    lanes.push(Lane { job: number, ..lane });
                }
            }
        }
        let of = |job: &Job| JobTiming {
            nodes: job.node_count(),
            windows: windows(job, settings).map_or([0.0; 3], |of| [of.data, of.pipeline, of.experts]),
            base: job
                .model
                .as_ref()
                .map_or(0.0, |model| compute(job, model, settings) + bubble(job, model, settings)),
        };
        Some(Timing { lanes, jobs: spec.jobs.iter().map(of).collect(), ..idle })
    }

    /// The time of a step from the seconds of each lane, the mean of all jobs. The search asks for every wiring, so nothing is
    /// allocated.
    pub fn total(&self, seconds: impl IntoIterator<Item = f64>) -> Seconds {
        let each = self.steps(seconds);
        let mean = |of: fn(&Seconds) -> f64| self.mean(each.iter().map(of));
        Seconds { step: mean(|job| job.step), communication: mean(|job| job.communication) }
    }

    /// The time of each job's step from the seconds of each lane.
    pub fn each(&self, seconds: impl IntoIterator<Item = f64>) -> Vec<Seconds> {
        self.steps(seconds)[..self.jobs.len()].to_vec()
    }

    /// Returns the time of each job's step, with places for [`MAX_JOBS`] jobs.
    fn steps(&self, seconds: impl IntoIterator<Item = f64>) -> [Seconds; MAX_JOBS] {
        let mut left = [[0.0; 3]; MAX_JOBS];
        let mut steps = [Seconds { step: 0.0, communication: 0.0 }; MAX_JOBS];
        for (at, job) in self.jobs.iter().enumerate() {
            (left[at], steps[at].step) = (job.windows, job.base);
        }
        for (lane, seconds) in self.lanes.iter().zip(seconds) {
            let step = &mut steps[lane.job];
            step.communication += seconds;
            step.step += seconds - lane.hide(&mut left[lane.job], seconds);
        }
        steps
    }

    /// Seconds of each lane that computing hides, from all seconds of each.
    pub fn hidden(&self, seconds: &[f64]) -> Vec<f64> {
        let mut left: Vec<[f64; 3]> = self.jobs.iter().map(|job| job.windows).collect();
        let of = |(lane, &seconds): (&Lane, &f64)| lane.hide(&mut left[lane.job], seconds);
        self.lanes.iter().zip(seconds).map(of).collect()
    }

    /// Mean over the nodes of all jobs, from a value for each job.
    pub fn mean(&self, values: impl IntoIterator<Item = f64>) -> f64 {
        mean(self.jobs.iter().map(|job| job.nodes).zip(values))
    }

    /// Seconds of a step without communication.
    pub fn base(&self) -> f64 {
        self.mean(self.jobs.iter().map(|job| job.base))
    }

    /// The time on a wiring; `None` if the library does not connect two nodes.
    pub fn on(&self, design: &Design) -> Option<Seconds> {
        Some(self.total(self.lanes_on(design)?))
    }

    /// Seconds of each lane on a wiring; `None` if the library does not connect two nodes. Every phase takes as long as its busiest
    /// direction of a NIC, or of the uplinks of a switch, whose bytes are spread over them evenly.
    pub fn lanes_on(&self, design: &Design) -> Option<Vec<f64>> {
        let nis = design.nis();
        let mut starts = vec![0];
        (0..design.pes()).for_each(|node| starts.push(starts[node as usize] + nis.of(node).len()));
        let cables = starts[design.pes() as usize];
        let mut seconds = Vec::with_capacity(self.lanes.len());
        let switches = design.switch_count() as usize;
        for lane in &self.lanes {
            let (mut sum, mut is_over) = (0.0, false);
            for groups in &lane.phases {
                let mut bytes = vec![0.0; 2 * cables];
                let mut over = vec![0.0; 2 * switches];
                for transfer in checked(groups.iter().flatten()) {
                    let [a, b] = transfer.ends;
                    for ([from, to], sent) in [([a, b], transfer.bytes[0]), ([b, a], transfer.bytes[1])] {
                        let first = [starts[from as usize], cables + starts[to as usize]];
                        let of = [nis.of(from), nis.of(to)];
                        let spine = self.spine.as_ref();
                        let reach = choose(self.library, Devices::Pairs, spine, of, |[own, other], share| {
                            bytes[first[0] + own] += sent * share;
                            bytes[first[1] + other] += sent * share;
                            let Some(spine) = spine.filter(|_| of[0][own] != of[1][other]) else { return };
                            is_over |= sent > 0.0;
                            for (at, switch) in spine.ends([of[0][own], of[1][other]]) {
                                over[at * switches + switch as usize] +=
                                    sent * share / f64::from(spine.links);
                            }
                        });
                        if reach.connected < reach.devices {
                            return None;
                        }
                    }
                }
                sum += bytes.into_iter().chain(over).fold(0.0, f64::max) / self.rate;
            }
            seconds.push(sum + lane.messages * if is_over { self.latency_over } else { self.latency });
        }
        Some(seconds)
    }

    /// Returns the traffic with each node on another one, given by number.
    #[must_use]
    pub fn renumbered(&self, nodes: &[u32]) -> Timing {
        let mut timing = self.clone();
        for transfer in timing.lanes.iter_mut().flat_map(|lane| &mut lane.phases).flatten().flatten() {
            transfer.ends = transfer.ends.map(|end| nodes[end as usize]);
        }
        timing
    }

    /// The nodes that each of so many nodes has transfers with, ascending.
    pub fn partners(&self, nodes: usize) -> Vec<Vec<u32>> {
        let mut partners = vec![Vec::new(); nodes];
        for transfer in checked(self.lanes.iter().flat_map(Lane::transfers)) {
            let [a, b] = transfer.ends;
            partners[a as usize].push(b);
            partners[b as usize].push(a);
        }
        for list in &mut partners {
            list.sort_unstable();
            list.dedup();
        }
        partners
    }

    /// A time that no wiring of the spec beats; see [`Timing::bound_of`].
    pub fn bound(&self, spec: &Spec) -> Seconds {
        let nis: Vec<u32> = spec.nis_per_pe().collect();
        let widest = spec.usable_ports().into_iter().max().unwrap_or(0);
        let partners = self.partners(nis.len());
        self.total(self.lanes.iter().map(|lane| self.bound_of(lane, &nis, widest, &partners)))
    }

    /// Seconds of a lane that no wiring beats which serves all [`Timing::partners`], of nodes with so many NICs on switches with at
    /// most `widest` ports each.
    ///
    /// In every phase, a node sends and receives at most as fast as all of its NICs, and a transfer as fast as the NICs that the library
    /// uses for it. Suppose each transfer between connected nodes used all NICs at both ends. Then all these nodes, and
    /// their partners, would be on the same switches. If they all have no room there, one transfer has a NIC less. With
    /// NCCL, the
    /// bytes of one of its devices then go through one NIC. Where uplinks serve pairs, none needs to share a switch, and this last
    /// argument does not hold.
    pub fn bound_of(&self, lane: &Lane, nis: &[u32], widest: u32, partners: &[Vec<u32>]) -> f64 {
        let rails = if self.library == Library::Mpi { MAX_RNDV_RAILS as u32 } else { u32::MAX };
        let of = |groups: &Vec<Vec<Transfer>>| {
            let mut sums = vec![[0.0; 2]; nis.len()];
            let mut least = 0.0_f64;
            for group in groups {
                for transfer in group {
                    let [a, b] = transfer.ends.map(|end| end as usize);
                    let [to, back] = transfer.bytes;
                    least = least.max(to.max(back) / f64::from(nis[a].min(nis[b]).min(rails)));
                    sums[a][0] += to;
                    sums[b][1] += to;
                    sums[b][0] += back;
                    sums[a][1] += back;
                }
                if self.spine.is_none() {
                    least = least.max(cut(group, nis, widest, self.library, partners));
                }
            }
            let busiest =
                sums.iter().zip(nis).map(|(&[sent, received], &nis)| sent.max(received) / f64::from(nis));
            busiest.fold(least, f64::max) / self.rate
        };
        lane.messages * self.latency + lane.phases.iter().map(of).sum::<f64>()
    }
}

impl Lane {
    /// The lane of a share of a job, from the transfers of its groups and their rounds; `None` if all groups are inside nodes.
    pub fn of(
        job: &Job,
        share: &Share,
        practice: &Practice,
        (groups, rounds): (Vec<Vec<Transfer>>, f64),
    ) -> Option<Lane> {
        let (dimension, phases) = (share.collective.along, by_phase(groups));
        (!phases.is_empty()).then(|| Lane {
            job: 0,
            name: dimension.name(),
            label: dimension.label(),
            messages: calls(job, &share.collective, practice) * rounds,
            window: window_of(dimension),
            phases,
        })
    }

    /// Takes up to `seconds` from the rest of the window of this lane, and returns the seconds that fit.
    fn hide(&self, left: &mut [f64; 3], seconds: f64) -> f64 {
        let Some(window) = self.window else { return 0.0 };
        let hidden = seconds.min(left[window]);
        left[window] -= hidden;
        hidden
    }

    /// All transfers.
    pub fn transfers(&self) -> impl Iterator<Item = &Transfer> {
        self.phases.iter().flatten().flatten()
    }
}

/// Mean of values over all nodes, from the number of nodes that each is of. One value stays as it is.
pub fn mean(values: impl IntoIterator<Item = (u32, f64)>) -> f64 {
    let (mut all, mut mean) = (0.0, 0.0);
    for (nodes, value) in values {
        let nodes = f64::from(nodes);
        all += nodes;
        mean += (value - mean) * (nodes / all);
    }
    mean
}

/// `true` if a spec has traffic whose time can be estimated, once all bytes of a job are known.
pub fn has_traffic(spec: &Spec) -> bool {
    let of = |pattern: &Pattern| match &pattern.kind.parameters {
        Parameters::Matrix(matrix) => Some(matrix.pairs.len()),
        _ => None,
    };
    let measured: Option<usize> = spec.patterns.iter().map(of).sum();
    !spec.jobs.is_empty() || measured.is_some_and(|pairs| pairs > 0)
}

/// The traffic of a spec whose patterns are all measured; `None` if it has others, or none.
fn measured(spec: &Spec) -> Option<Lane> {
    let mut all: Vec<Transfer> = Vec::new();
    for pattern in &spec.patterns {
        let Parameters::Matrix(matrix) = &pattern.kind.parameters else { return None };
        let of = |&(a, b, weight): &(u32, u32, f64)| {
            let bytes = [weight * pattern.weight / 2.0; 2];
            Transfer { ends: [a, b], bytes, phase: 0, switch: None }
        };
        all.extend(matrix.pairs.iter().map(of));
    }
    let phases = vec![vec![all]];
    (!phases[0][0].is_empty()).then_some(Lane {
        job: 0,
        name: "traffic",
        label: "Traffic",
        messages: 0.0,
        window: None,
        phases,
    })
}

/// Bytes per NIC of the transfer of a group that cannot have all NICs; 0 if all could.
fn cut(group: &[Transfer], nis: &[u32], widest: u32, library: Library, partners: &[Vec<u32>]) -> f64 {
    let mut nodes: Vec<u32> = group.iter().flat_map(|transfer| transfer.ends).collect();
    nodes.sort_unstable();
    nodes.dedup();
    let at = |node: u32| nodes.binary_search(&node).unwrap_or(0);
    let mut sets = UnionFind::new(nodes.len() as u32);
    for transfer in group {
        let [a, b] = transfer.ends.map(|end| at(end) as u32);
        sets.join(a, b);
    }
    let mut parts = vec![Vec::new(); nodes.len()];
    (0..nodes.len()).for_each(|at| parts[sets.root(at as u32) as usize].push(nodes[at]));
    // Of every part without room, its lightest transfer, over all NICs but one, or of one of NCCL's devices.
    let mut lightest = vec![f64::INFINITY; nodes.len()];
    for transfer in group {
        let part = sets.root(at(transfer.ends[0]) as u32) as usize;
        let all = transfer.ends.map(|end| nis[end as usize]).into_iter().max().unwrap_or(1);
        let over = match library {
            Library::Nccl => all.div_ceil(Devices::Pairs.size() as u32),
            Library::Mpi | Library::Any => all.saturating_sub(1),
        };
        let bytes = transfer.bytes[0].max(transfer.bytes[1]) / f64::from(over);
        lightest[part] = lightest[part].min(bytes);
    }
    let is_large = |part: &[u32]| {
        let Some(room) = widest.checked_sub(part.len() as u32) else { return true };
        let mut outside: Vec<u32> = part.iter().flat_map(|&node| &partners[node as usize]).copied().collect();
        outside.sort_unstable();
        outside.dedup();
        outside.retain(|node| part.binary_search(node).is_err());
        let all = part.iter().map(|&node| nis[node as usize]).max().unwrap_or(0);
        outside.len() as u64 > u64::from(all) * u64::from(room)
    };
    let large = (0..nodes.len()).filter(|&part| lightest[part].is_finite() && is_large(&parts[part]));
    large.map(|part| lightest[part]).fold(0.0, f64::max)
}

/// Transfers of each phase, group by group.
fn by_phase(groups: Vec<Vec<Transfer>>) -> Vec<Vec<Vec<Transfer>>> {
    let mut phases: Vec<Vec<Vec<Transfer>>> = Vec::new();
    for transfers in groups {
        for of_phase in transfers.chunk_by(|a, b| a.phase == b.phase) {
            let phase = of_phase[0].phase as usize;
            if phases.len() <= phase {
                phases.resize_with(phase + 1, Vec::new);
            }
            phases[phase].push(of_phase.to_vec());
        }
    }
    phases.retain(|phase| !phase.is_empty());
    phases
}

/// Bytes per second of a NIC, at the share of its speed that messages reach.
fn rate(market: &Market) -> f64 {
    let speed = f64::from(market.speed) / 8.0;
    speed * 1e6 * (market.model.bandwidth / speed).min(1.0)
}

/// Both kinds of data parallelism share a window.
fn window_of(dimension: Dimension) -> Option<usize> {
    match dimension {
        Dimension::Dp | Dimension::Edp => Some(0),
        Dimension::Pp => Some(1),
        Dimension::Ep => Some(2),
        Dimension::Tp | Dimension::Cp => None,
    }
}
