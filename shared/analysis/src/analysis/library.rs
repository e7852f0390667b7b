//! The shared switches that a communication library uses between two nodes.
//!
//! Two nodes may share several switches, but the library decides which NICs connect. Every switch is a subnet, as in the RDMA
//! exports, and no node forwards. NIC k of a node is on the k-th of the node's switches. Where the spec has uplink switches, switches
//! route to each other's subnets over them (a [`Spine`]).
//!
//! # NCCL
//!
//! Read in `src/transport/net_ib/connect.cc` of NCCL 2.30.7 (commit 5067397c), with `NCCL_IB_SUBNET_AWARE_ROUTING=1`. NCCL makes
//! [`Devices`] of a node's NICs. For a transfer to a device of the receiver:
//! 1. The receiver offers the subnets of the device's first two NICs (`listenGids`). A device here has at most two.
//! 2. The sender keeps the device with the same number if all NICs of this device are in the offered subnets. The bytes are then spread
//!    over the NICs of the sender's device (`ncclIbFindDevBySubnet`).
//! 3. Otherwise the sender uses its first NIC in one of the subnets. Single NICs come before merged devices in NCCL's list, so a
//!    merged device is never found in this step.
//! 4. Without such a NIC, the sender keeps the device with the same number, and its NICs in turn send to the NICs of the receiver's
//!    device (`ncclIbConnect`). That takes a route over uplink switches for each; without one, the connection fails.
//!
//! So two NICs in different subnets must be one device: as two devices, each offers one subnet, and a sender on the other
//! subnet finds no NIC. `NCCL_NET_FORCE_MERGE` makes the device (`src/graph/topo.cc:1311`); by default NCCL merges only ports of one
//! card (`NCCL_NET_MERGE_LEVEL=PORT`, `topo.cc:1744`). `NCCL_IB_MERGE_NICS=0` refuses every device of several NICs
//! (`src/transport/net_ib/init.cc:198`), and NCCL then stops at `NCCL_NET_FORCE_MERGE` (`topo.cc:1360`). `listenGids` has two places
//! (`connect.cc:57`, filled at 613): NICs of a device beyond the second are not offered, so no device here has more.
//!
//! The receiver follows the sender's subnet by the same rule. Transfers to all devices of the receiver count, each for an equal share
//! of the bytes: a pair connects only if every device of both nodes is reached. In step 2, the number of a device beyond the sender's
//! devices starts again at 0.
//!
//! Trees that NCCL sets up beside the algorithm of a group are not counted. NCCL connects them when they are first used
//! (`NCCL_RUNTIME_CONNECT`, on by default where CUDA has virtual memory management); `NCCL_ALGO` keeps them out. Without either,
//! NCCL connects rings and trees at start, whatever `NCCL_ALGO` says (`src/init.cc:1552` to 1568). Channels of
//! a graph file (`NCCL_GRAPH_FILE`) choose other devices than here.
//!
//! # MPI
//!
//! UCX connects two NICs only if they are in one subnet (`UCX_IB_ROCE_REACHABILITY_MODE=local_subnet`), for each pair of nodes anew.
//! A large message uses up to [`MAX_RNDV_RAILS`] of these NICs. They are taken to be the first ones: with equal speeds, UCX
//! has no reason to prefer others, but may do so for NICs near the process. Uplinks are of no use to it, since they lead to other subnets.
//!
//! # Any
//!
//! Every transfer is spread evenly over all shared switches. Without any, it is spread evenly over the NICs of both nodes that have a
//! shortest path over uplink switches.

use crate::{
    cancel::checked,
    demand::{
        job::{Share, groups, shares},
        key,
    },
    design::NiTable,
    spec::ports::Spine,
    text::grouped,
};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

pub use crate::spec::job::{DEFAULT_LIBRARY, Job, Library};

/// NICs that UCX uses for a large message: the default of `UCX_MAX_RNDV_RAILS` since 2019 (openucx/ucx, pull request 3247).
pub const MAX_RNDV_RAILS: usize = 2;

/// Max pairs that [`Connections::broken`] lists.
pub const MAX_BROKEN: usize = 10;

/// Network devices that NCCL makes of a node's NICs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum Devices {
    /// Every NIC is a device (`NCCL_IB_MERGE_NICS=0`).
    Nics,
    /// NICs 0 and 1 are a device, NICs 2 and 3 the next. The last NIC of an odd number is a device by itself. NCCL merges the ports of
    /// one card by default; `NCCL_NET_FORCE_MERGE` merges any NICs.
    Pairs,
}

impl Devices {
    /// NICs per device.
    pub fn size(self) -> usize {
        match self {
            Devices::Nics => 1,
            Devices::Pairs => 2,
        }
    }
}

/// In a node's list of switches: a NIC that has failed or is not connected.
pub const IDLE: u32 = u32::MAX;

/// Devices of a receiver that a sender reaches; with MPI and any library, 1 of 1 if the nodes share a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach {
    /// Devices that are reached.
    pub connected: u32,
    /// Devices with working NICs, at least 1.
    pub devices: u32,
}

/// Calls `add([i, k], share)` for each NIC i of the sender that sends to NIC k of the receiver, with the share of the bytes; see the
/// [module](self). `from` and `to` are the switches of the NICs, each once or [`IDLE`]. NICs on different switches send over uplink
/// switches. The shares sum to `connected / devices`.
pub fn choose(
    library: Library,
    devices: Devices,
    spine: Option<&Spine>,
    [from, to]: [&[u32]; 2],
    mut add: impl FnMut([usize; 2], f64),
) -> Reach {
    let place = |of: &[u32], switch: u32| of.iter().position(|&other| other == switch);
    if library != Library::Nccl {
        let most = if library == Library::Mpi { MAX_RNDV_RAILS } else { usize::MAX };
        let is_shared = |&switch: &u32| switch != IDLE && to.contains(&switch);
        let shared = from.iter().filter(|switch| is_shared(switch)).count().min(most);
        let numbered = from.iter().enumerate().filter(|(_, switch)| is_shared(switch));
        for (at, &switch) in numbered.take(most) {
            place(to, switch).into_iter().for_each(|other| add([at, other], 1.0 / shared as f64));
        }
        let spine = spine.filter(|_| shared == 0 && library == Library::Any);
        let connected = shared > 0 || spine.is_some_and(|spine| spread(spine, [from, to], &mut add));
        return Reach { connected: connected.into(), devices: 1 };
    }
    let size = devices.size();
    let works = |device: &&[u32]| device.iter().any(|&switch| switch != IDLE);
    let all = |nics: &[u32]| nics.chunks(size).filter(works).count();
    let [senders, receivers] = [all(from), all(to)];
    let mut connected = 0;
    for (number, offered) in to.chunks(size).filter(works).enumerate() {
        let is_offered = |switch: u32| switch != IDLE && offered.contains(&switch);
        let own = number.checked_rem(senders).and_then(|own| from.chunks(size).filter(works).nth(own));
        let own = own.unwrap_or_default();
        let kept = own.iter().all(|&switch| switch == IDLE || is_offered(switch));
        let used = match kept {
            true => own.iter().filter(|&&switch| switch != IDLE).count(),
            false => usize::from(from.iter().any(|&switch| is_offered(switch))),
        };
        let chosen = if kept { own } else { from };
        for &switch in chosen.iter().filter(|&&switch| is_offered(switch)).take(used) {
            if let (Some(at), Some(other)) = (place(from, switch), place(to, switch)) {
                add([at, other], 1.0 / (receivers * used) as f64);
            }
        }
        let joins = |spine: &Spine| {
            let pairs = in_turn([own, offered]);
            let joined = pairs.clone().all(|ends| spine.joins(ends[0], ends[1]));
            for [at, other] in pairs.clone().filter(|_| joined) {
                if let (Some(at), Some(other)) = (place(from, at), place(to, other)) {
                    add([at, other], 1.0 / (receivers * pairs.clone().count()) as f64);
                }
            }
            joined && pairs.count() > 0
        };
        connected += u32::from(used > 0 || spine.is_some_and(joins));
    }
    Reach { connected, devices: receivers.max(1) as u32 }
}

/// The switches of the working NICs of two devices, each NIC with the next of the other, as often as the larger device has any.
fn in_turn<'a>([own, offered]: [&'a [u32]; 2]) -> impl Iterator<Item = [u32; 2]> + Clone + 'a {
    fn working(of: &[u32]) -> impl Iterator<Item = u32> + Clone {
        of.iter().copied().filter(|&switch| switch != IDLE)
    }
    let most = working(own).count().max(working(offered).count());
    working(own).cycle().zip(working(offered).cycle()).map(|(own, offered)| [own, offered]).take(most)
}

/// Spreads a transfer of nodes without a shared switch over uplink switches; `false` if these join none of their switches. A folded
/// uplink switch is on the shortest paths of its own nodes.
fn spread(spine: &Spine, [from, to]: [&[u32]; 2], add: &mut impl FnMut([usize; 2], f64)) -> bool {
    let has_folded = |of: &[u32]| spine.folded.is_some_and(|folded| of.contains(&folded));
    let is_short = [from, to].map(has_folded);
    let is_end =
        |side: usize, switch: u32| switch != IDLE && (!is_short[side] || spine.folded == Some(switch));
    let partners = |switch: u32| {
        let joined = move |other: &&u32| is_end(1, **other) && spine.joins(switch, **other);
        to.iter().filter(joined).count()
    };
    let senders = from.iter().filter(|&&switch| is_end(0, switch) && partners(switch) > 0).count();
    for (at, &switch) in from.iter().enumerate().filter(|(_, switch)| is_end(0, **switch)) {
        let each = 1.0 / (senders * partners(switch)).max(1) as f64;
        for (other, _) in
            to.iter().enumerate().filter(|(_, other)| is_end(1, **other) && spine.joins(switch, **other))
        {
            add([at, other], each);
        }
    }
    senders > 0
}

/// The switches from one node to another.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Route {
    /// Switches that carry the transfer, ascending, with the share of the bytes on each. The shares sum to `connected / devices`.
    pub switches: Vec<(u32, f64)>,
    /// Switches of both ends that transfers take over uplink switches, ascending, with the share of the bytes on each.
    pub over: Vec<([u32; 2], f64)>,
    /// Devices of the receiver that the sender reaches; with MPI and any library, 1 if the nodes share a switch.
    pub connected: u32,
    /// Devices of the receiver with working NICs, at least 1.
    pub devices: u32,
}

impl Route {
    /// `true` if the sender reaches every device of the receiver.
    pub fn is_complete(&self) -> bool {
        self.connected == self.devices
    }
}

/// The rule by which a library chooses switches in a wiring; see the [module](self).
#[derive(Clone, Debug)]
pub struct SwitchRule<'a> {
    nis: &'a NiTable,
    spine: Option<Spine>,
    library: Library,
    devices: Devices,
    /// Failed NICs, as nodes and switches, ascending.
    failed: Vec<(u32, u32)>,
}

impl<'a> SwitchRule<'a> {
    /// The rule of the jobs' library, with the uplink switches of their spec. NCCL's devices are the same whatever the library is:
    /// each NIC is a device in two cases: every node has one NIC, or every GPU has its own NIC and all pairs of the jobs connect that
    /// way (on rails). Otherwise a device is a pair of NICs.
    pub fn of(spine: Option<Spine>, jobs: &[Job], nis: &'a NiTable) -> SwitchRule<'a> {
        SwitchRule::among(spine, jobs, nis, &jobs.iter().map(pairs).collect::<Vec<_>>())
    }

    /// Chooses the switches with each job's pairs at hand.
    fn among(
        spine: Option<Spine>,
        jobs: &[Job],
        nis: &'a NiTable,
        pairs: &[Vec<[u32; 2]>],
    ) -> SwitchRule<'a> {
        let library = Library::of(jobs);
        let single = SwitchRule { nis, spine, library, devices: Devices::Nics, failed: Vec::new() };
        let are_rails = |(job, pairs): (&Job, &Vec<[u32; 2]>)| {
            let own = |&node: &u32| nis.of(node).len() == job.ranks_per_pe as usize;
            pairs.iter().all(|&[a, b]| own(&a) && own(&b) && single.are_rails(a, b))
        };
        let has_one = |node: &u32| nis.of(*node).len() < Devices::Pairs.size();
        let mut nodes = pairs.iter().flatten().flatten();
        let are_single = jobs.iter().zip(pairs).all(are_rails) || nodes.all(has_one);
        match pairs.iter().any(|pairs| !pairs.is_empty()) && are_single {
            true => single,
            false => SwitchRule { devices: Devices::Pairs, ..single },
        }
    }

    /// The rule of NCCL with these devices.
    pub fn nccl(spine: Option<Spine>, nis: &'a NiTable, devices: Devices) -> SwitchRule<'a> {
        SwitchRule { nis, spine, library: Library::Nccl, devices, failed: Vec::new() }
    }

    /// Adds failed NICs, each given by the node and the switch. Devices keep their other NIC.
    pub fn without(&self, failed: impl IntoIterator<Item = (u32, u32)>) -> SwitchRule<'a> {
        let mut rule = self.clone();
        rule.failed.extend(failed);
        rule.failed.sort_unstable();
        rule.failed.dedup();
        rule
    }

    /// The library.
    pub fn library(&self) -> Library {
        self.library
    }

    /// The devices of all nodes.
    pub fn devices(&self) -> Devices {
        self.devices
    }

    /// The switches that carry a transfer from one node to another.
    pub fn route(&self, from: u32, to: u32) -> Route {
        let [a, b] = [from, to].map(|node| self.working(node));
        let (mut switches, mut over) = (Vec::new(), Vec::new());
        let reach =
            choose(self.library, self.devices, self.spine.as_ref(), [&a, &b], |[at, other], share| {
                match a[at] == b[other] {
                    true => switches.push((a[at], share)),
                    false => over.push(([a[at], b[other]], share)),
                }
            });
        let (switches, over) = (summed(switches), summed(over));
        Route { switches, over, connected: reach.connected, devices: reach.devices }
    }

    /// The switches of a node's NICs, [`IDLE`] for those that have failed.
    fn working(&self, node: u32) -> Cow<'a, [u32]> {
        let all = self.nis.of(node);
        if self.failed.is_empty() {
            return Cow::Borrowed(all);
        }
        let works = |switch: u32| self.failed.binary_search(&(node, switch)).is_err();
        all.iter().map(|&switch| if works(switch) { switch } else { IDLE }).collect()
    }

    /// `true` if NIC k of one node is on the switch of NIC k of the other, for every k.
    fn are_rails(&self, a: u32, b: u32) -> bool {
        self.nis.of(a) == self.nis.of(b)
    }
}

/// The pairs of nodes that a job's groups use, and how the library connects them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Connections {
    /// The library.
    pub library: Library,
    /// Devices of the nodes.
    pub devices: Devices,
    /// Pairs of nodes that exchange data.
    pub pairs: u64,
    /// Pairs that connect in both directions on all devices.
    pub connected: u64,
    /// Pairs that connect on some devices only. NCCL then fails.
    pub partial: u64,
    /// Pairs that share no working switch, and that no uplink switch connects.
    pub apart: u64,
    /// Connected pairs of which some traffic goes over uplink switches; `None` without uplinks.
    #[serde(default)]
    pub over: Option<u64>,
    /// Up to [`MAX_BROKEN`] pairs that are partial or apart, ascending.
    pub broken: Vec<BrokenPair>,
    /// Pairs that NCCL connects with `NCCL_IB_SUBNET_AWARE_ROUTING=0`: each NIC of one node is on the switch of the NIC with
    /// the same number. `None` for other libraries.
    pub rails: Option<u64>,
}

/// Two nodes that the library does not connect on all devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct BrokenPair {
    /// The nodes, the lower number first.
    pub nodes: [u32; 2],
    /// Devices that are reached, of both nodes together.
    pub connected: u32,
    /// Devices of both nodes.
    pub devices: u32,
}

/// Shares in ascending order, those of one place added up.
fn summed<T: Ord + Copy>(mut shares: Vec<(T, f64)>) -> Vec<(T, f64)> {
    shares.sort_by_key(|&(place, _)| place);
    shares.dedup_by(|next, kept| {
        let is_same = next.0 == kept.0;
        kept.1 += if is_same { next.1 } else { 0.0 };
        is_same
    });
    shares
}

impl Connections {
    /// The connections of jobs in a wiring, with the uplink switches of their spec.
    pub fn of(spine: Option<Spine>, jobs: &[Job], nis: &NiTable) -> Connections {
        let pairs: Vec<Vec<[u32; 2]>> = jobs.iter().map(pairs).collect();
        let rule = SwitchRule::among(spine, jobs, nis, &pairs);
        let pairs = pairs.concat();
        let mut found = Connections {
            library: rule.library,
            devices: rule.devices,
            pairs: pairs.len() as u64,
            connected: 0,
            partial: 0,
            apart: 0,
            over: rule.spine.map(|_| 0),
            broken: Vec::new(),
            rails: (rule.library == Library::Nccl).then_some(0),
        };
        for &[a, b] in checked(&pairs) {
            let routes = [rule.route(a, b), rule.route(b, a)];
            let [connected, devices] = [|route: &Route| route.connected, |route: &Route| route.devices]
                .map(|of| routes.iter().map(of).sum());
            match connected {
                0 => found.apart += 1,
                _ if connected == devices => found.connected += 1,
                _ => found.partial += 1,
            }
            if let Some(over) = &mut found.over {
                *over += u64::from(routes.iter().any(|route| !route.over.is_empty()));
            }
            if connected < devices && found.broken.len() < MAX_BROKEN {
                found.broken.push(BrokenPair { nodes: [a, b], connected, devices });
            }
            if let Some(rails) = &mut found.rails {
                *rails += u64::from(rule.are_rails(a, b));
            }
        }
        found
    }

    /// `true` if the library connects every pair on all devices.
    pub fn hold(&self) -> bool {
        self.connected == self.pairs
    }

    /// The counts in a sentence without a full stop, such as `NCCL connects 120 of 128 pairs of nodes: 8 share no switch`.
    pub fn counts(&self) -> String {
        let (label, pairs) = (self.library.label(), grouped(self.pairs));
        if self.hold() {
            let over = match self.over.unwrap_or(0) {
                0 => String::new(),
                over => format!(", {} of them over uplink switches", grouped(over)),
            };
            return match self.pairs {
                0 => "All groups of the job are inside nodes".into(),
                1 => format!("{label} connects the one pair of nodes that the job's groups use{over}"),
                _ => format!("{label} connects all {pairs} pairs of nodes that the job's groups use{over}"),
            };
        }
        let count = |pairs: u64, one: &str, many: &str| match pairs {
            0 => None,
            1 => Some(format!("1 {one}")),
            pairs => Some(format!("{} {many}", grouped(pairs))),
        };
        let partial = count(self.partial, "connects on some devices only", "connect on some devices only");
        let apart = count(self.apart, "shares no switch", "share no switch");
        let broken: Vec<String> = partial.into_iter().chain(apart).collect();
        format!(
            "{label} connects {} of {pairs} pairs of nodes that the job's groups use: {}",
            grouped(self.connected),
            broken.join(", ")
        )
    }

    /// The settings that the counts need, in sentences.
    pub fn settings(&self) -> String {
        match self.library {
            Library::Nccl => {
                let devices = match self.devices {
                    Devices::Nics => "NCCL_IB_MERGE_NICS=0",
                    Devices::Pairs => "NICs merged in pairs (NCCL_NET_FORCE_MERGE)",
                };
                let rails = self.rails.unwrap_or(0);
                let without = match rails {
                    _ if self.over.is_some() => {
                        "NICs of the same number connect, over uplinks where they are on different switches"
                            .into()
                    }
                    rails if rails == self.pairs => "all pairs connect, too".into(),
                    0 => "no pair connects".into(),
                    rails => format!(
                        "only {} of {} pairs connect: those on the same switch with every NIC of the same number",
                        grouped(rails),
                        grouped(self.pairs)
                    ),
                };
                format!(
                    "NCCL must be version 2.30.7 or later and run with one subnet per switch, NCCL_IB_SUBNET_AWARE_ROUTING=1 and {devices}. \
                     With `library = \"nccl\"` in `[job]`, the export rdma-env sets these variables. With \
                     NCCL_IB_SUBNET_AWARE_ROUTING=0, {without}."
                )
            }
            Library::Mpi => format!(
                "UCX must run with one subnet per switch, UCX_IB_ROCE_REACHABILITY_MODE=local_subnet and \
                 UCX_MAX_RNDV_RAILS={MAX_RNDV_RAILS}. With `library = \"mpi\"` in `[job]`, the export rdma-env sets these variables."
            ),
            Library::Any => {
                "The library must spread every transfer over all switches that two nodes share.".into()
            }
        }
    }

    /// Ways to connect more pairs, each in a sentence; none if all connect.
    pub fn remedies(&self) -> Vec<String> {
        let mut ways = Vec::new();
        if self.hold() {
            return ways;
        }
        if self.library == Library::Nccl {
            ways.push(
                "If all nodes have equally many NICs and all planes are wired alike (`rail = true`), NCCL connects all nodes that share a switch."
                    .into(),
            );
            ways.push(
                "If a node has an odd number of NICs, the last NIC is a device by itself. Without a cable, other nodes don't need to \
                 reach this device."
                    .into(),
            );
            if self.partial > 0 {
                ways.push("MPI connects all pairs that share a switch (`library = \"mpi\"`).".into());
            }
        }
        if self.apart > 0 {
            ways.push(match (self.library, self.over) {
                (Library::Mpi, Some(_)) => {
                    "UCX does not use uplinks: pairs that share no switch need another wiring (`crosspoint search` looks for one), or \
                     another library."
                        .into()
                }
                (_, None) => {
                    "Pairs that share no switch need another wiring (`crosspoint search` looks for one), or uplinks (`[uplink]`), which \
                     join all switches."
                        .into()
                }
                (_, Some(_)) => {
                    "Pairs that share no switch need another wiring; `crosspoint search` looks for one.".into()
                }
            });
        }
        ways
    }
}

/// The pairs of nodes between which the job's groups have transfers, ascending.
pub fn pairs(job: &Job) -> Vec<[u32; 2]> {
    let of = |share: Share| groups(job, share.collective).pairs();
    let mut keys: Vec<u64> = shares(job).into_iter().flat_map(of).map(|(a, b, _)| key(a, b)).collect();
    keys.sort_unstable();
    keys.dedup();
    keys.into_iter().map(|key| [(key >> 32) as u32, key as u32]).collect()
}
