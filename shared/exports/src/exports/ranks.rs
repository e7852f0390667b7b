//! Files that place the ranks of a training job on nodes, and NCCL's NICs for its rings.
//!
//! Nodes are renumbered so that groups stay on shared switches; see [`rank_order`]. Open MPI and Slurm start the ranks there. NCCL
//! then takes the order of its rings from the ranks: in all channels, node n sends to node n + 1 of the communicator
//! (`connectRings` in `src/graph/connect.cc`). A graph file therefore chooses NICs only, not the order.

use super::{
    CSV, DesignPlan, ExportError, Field, FileScope, Format, Group, Need, Render, Setting, SettingOf, TEXT,
    WriteResult, design::once,
};
use crate::{
    analysis::orders::{RankOrder, orders, rank_order},
    demand::job::{groups, shares},
    spec::job::Job,
    text::{fixed, grouped},
};
use std::{cmp::Reverse, collections::BTreeMap, fmt};

const CORES: SettingOf<u32> =
    Setting::new("cores", "cores of each rank; rank k of a node starts at core k times this")
        .field(Field::whole("Cores per rank", 1, 1024))
        .or("1")
        .parsed();

/// A job on the nodes that its ranks are placed on.
struct Ranks<'a> {
    /// The job, with the node of each rank.
    job: Job,
    order: &'a RankOrder,
}

impl DesignPlan {
    /// The job of a format that needs one; `format` is for the error.
    fn job(&self, format: &'static str) -> Result<&Job, ExportError> {
        self.spec.jobs.first().ok_or(ExportError::NoJob(format))
    }

    /// The placed job; `format` is for the error.
    fn ranks(&self, format: &'static str) -> Result<Ranks<'_>, ExportError> {
        let job = self.job(format)?;
        let order = once(&self.computed.ranks, || Ok(rank_order(job, &self.design)))?;
        Ok(Ranks { job: order.placed(job), order })
    }
}

impl Ranks<'_> {
    /// Comment lines on the order, without `#`.
    fn about(&self, plan: &DesignPlan) -> [String; 2] {
        let ranks = grouped(self.job.ranks().into());
        let unit = match shares(&self.job).iter().any(|share| share.collective.bytes.is_some()) {
            true => "bytes of a step",
            false => "pairs",
        };
        let [given, placed] = self.order.shares().map(|share| fixed(100.0 * share, 1));
        let result = match self.order.apart {
            [_, 0.0] => format!(
                "In this order, all {unit} use shared switches. In the order of node numbers, {given} % don't."
            ),
            _ => format!(
                "{placed} % of the {unit} are between nodes without a shared switch; by node numbers, {given} %."
            ),
        };
        let result = result + " `crosspoint estimate` says whether this is faster.";
        [format!("{} ({} nodes, {ranks} ranks).", plan.title(), plan.pes()), result]
    }

    /// The node of each rank, and its place among the ranks of that node.
    fn places(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let mut next = vec![0; self.order.nodes.len()];
        (0..self.job.ranks()).map(move |rank| {
            let node = self.job.node_of(rank);
            next[node as usize] += 1;
            (node, next[node as usize] - 1)
        })
    }
}

pub(super) const RANKFILE: Format =
    Format::new(Group::Jobs, "rankfile", "Open MPI rankfile", TEXT, Render::Text(rankfile))
        .read_by(&["Open MPI 4.1"])
        .purpose("Open MPI rankfile of the training job, in an order of nodes that stays on shared switches")
        .with(&[&CORES])
        .needs(Need::Job);

fn rankfile(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> WriteResult {
    let ranks = plan.ranks(RANKFILE.name)?;
    let [title, order] = ranks.about(plan);
    let cores = plan.settings.get(&CORES);
    writeln!(out, "# Ranks of {title}\n# {order}")?;
    writeln!(out, "# mpirun --hostfile HOSTS --rankfile FILE -np {}", ranks.job.ranks())?;
    let slots = match cores {
        1 => String::new(),
        _ => format!(", with `slots={}` for every node", ranks.job.ranks_per_pe * cores),
    };
    writeln!(
        out,
        "# HOSTS is the hostfile of the export openmpi{slots}. A slot is a core; the setting cores gives more\n\
         # to a rank. For ranks that are bound to no core, use the export rank-hosts.\n"
    )?;
    for (rank, (node, place)) in ranks.places().enumerate() {
        let first = place * cores;
        let slots = if cores == 1 { first.to_string() } else { format!("{first}-{}", first + cores - 1) };
        writeln!(out, "rank {rank}={} slot={slots}", plan.pe_name(node))?;
    }
    Ok(())
}

pub(super) const HOSTS: Format = Format::new(
    Group::Jobs,
    "rank-hosts",
    "Node of each rank",
    TEXT,
    Render::Text(hosts),
)
.read_by(&["Open MPI 4.1"])
.purpose("node of each rank of the training job, one per line, for Slurm and Open MPI; order as in rankfile")
.needs(Need::Job);

fn hosts(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> WriteResult {
    let ranks = plan.ranks(HOSTS.name)?;
    let [title, order] = ranks.about(plan);
    let count = ranks.job.ranks();
    writeln!(out, "# The node of each rank of {title}\n# {order}")?;
    writeln!(
        out,
        "# Slurm:    SLURM_HOSTFILE=FILE srun --distribution=arbitrary --ntasks={count} PROGRAM\n\
         # Open MPI: mpirun --hostfile FILE --map-by seq --bind-to none PROGRAM"
    )?;
    for (node, _) in ranks.places() {
        writeln!(out, "{}", plan.pe_name(node))?;
    }
    Ok(())
}

pub(super) const RING_ORDERS: Format = Format::new(
    Group::Jobs,
    "ring-orders",
    "Rings and trees of the job",
    CSV,
    Render::Text(ring_orders),
)
.read_by(&["pandas 3.1"])
.purpose(
    "rings and trees of each group of the training job: nodes in order, and the switch from each to the next",
)
.needs(Need::Job);

/// Orders of a group share its bytes evenly. A ring runs in both directions. A tree order is that of NCCL's two trees, on any
/// shared switches. Without a switch, the two nodes share none.
fn ring_orders(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> WriteResult {
    let job = plan.job(RING_ORDERS.name)?;
    out.write_str("along,group,kind,order,position,node,switch_to_next\n")?;
    for (group, found) in orders(job, &plan.design).iter().enumerate() {
        let kind = if found.is_tree { "tree" } else { "ring" };
        for (order, ring) in found.orders.iter().enumerate() {
            let switches = ring.switches.iter().copied().chain(std::iter::repeat(None));
            for (position, (&node, switch)) in ring.nodes.iter().zip(switches).enumerate() {
                let (along, node) = (found.along.name(), plan.pe_name(node));
                let switch = switch.map(|switch| plan.switch_name(switch)).unwrap_or_default();
                writeln!(out, "{along},{group},{kind},{order},{position},{node},{switch}")?;
            }
        }
    }
    Ok(())
}

pub(super) const NCCL_GRAPH: Format = Format::new(
    Group::Jobs,
    "nccl-graph",
    "NCCL graph file per node",
    ("application/xml", "xml"),
    Render::Text(nccl_graph),
)
.purpose("NCCL_GRAPH_FILE per node: the NICs of each channel, for jobs whose groups are whole nodes")
.per(FileScope::Node)
.needs(Need::Job);

/// Max channels of NCCL (`MAXCHANNELS`).
const MAX_CHANNELS: usize = 64;
/// Max names of nodes in a message.
const MAX_NAMES: usize = 4;
/// Graphs of a file: number and pattern of rings (`NCCL_TOPO_PATTERN_RING`) and trees (`NCCL_TOPO_PATTERN_TREE`).
const GRAPHS: [(u32, u32); 2] = [(0, 4), (1, 3)];

fn nccl_graph(plan: &DesignPlan, pe: u32, out: &mut dyn fmt::Write) -> WriteResult {
    let ranks = plan.ranks(NCCL_GRAPH.name)?;
    let rings = whole_nodes(&ranks.job).map_err(|why| ExportError::NcclGraph { why })?;
    let Some(own) = rings.iter().position(|ring| ring.contains(&pe)) else {
        let why = format!("{} is in no group on several nodes", plan.pe_name(pe));
        return Err(ExportError::NcclGraph { why });
    };
    let ring = &rings[own];
    let hops = |ring: &[u32]| -> Vec<[u32; 2]> {
        let next = ring.iter().cycle().skip(1);
        ring.iter().zip(next).map(|(&from, &to)| [from, to]).collect()
    };
    let gpus = ranks.job.ranks_per_pe;
    let on_all = |ring: &[u32]| -> Vec<u32> {
        let is_on = |switch: &u32, node: &u32| plan.nis.of(*node).binary_search(switch).is_ok();
        let first = plan.nis.of(ring[0]).iter().copied();
        first.filter(|switch| ring.iter().all(|node| is_on(switch, node))).collect()
    };
    let commons: Vec<Vec<u32>> =
        rings.iter().map(|ring| if gpus == 1 { on_all(ring) } else { Vec::new() }).collect();
    // The switches of a hop's channels. A node with one GPU enters and leaves by the same NIC, as all others then do.
    let shared = |ring: usize, [from, to]: [u32; 2]| -> Vec<u32> {
        if gpus == 1 { commons[ring].clone() } else { plan.nis.shared(from, to).collect() }
    };
    let all =
        (0..).zip(&rings).flat_map(|(number, ring)| hops(ring).into_iter().map(move |hop| (number, hop)));
    if let Some((number, hop)) = all.clone().find(|&(number, hop)| shared(number, hop).is_empty()) {
        let why =
            if gpus == 1 { no_common_switch(plan, &rings[number]) } else { no_shared_switch(plan, hop) };
        return Err(ExportError::NcclGraph { why });
    }
    // NCCL uses as many channels as the node with the fewest.
    let channels = all.map(|(number, hop)| shared(number, hop).len()).max().unwrap_or(1).min(MAX_CHANNELS);
    let [title, order] = ranks.about(plan);
    let text = |text: &str| super::markup(text).replace("--", "- -");
    writeln!(out, "<!-- NCCL's channels on {} in {} {} -->", plan.pe_name(pe), text(&title), text(&order))?;
    let nics = if gpus == 1 { SAME_NIC } else { TWO_NICS };
    writeln!(out, "{BEFORE_NICS}{nics}{AFTER_NICS}")?;
    out.write_str("<graphs version=\"1\">\n")?;
    let at = ring.iter().position(|node| *node == pe).unwrap_or_default();
    let hops = hops(ring);
    let (before, after) = (hops[(at + hops.len() - 1) % hops.len()], hops[at]);
    let nic = |hop: [u32; 2], channel: usize| {
        let switches = shared(own, hop);
        let switch = switches[channel % switches.len()];
        plan.nis.of(pe).binary_search(&switch).unwrap_or_default()
    };
    for (id, pattern) in GRAPHS {
        writeln!(
            out,
            "  <graph id=\"{id}\" pattern=\"{pattern}\" crossnic=\"1\" nchannels=\"{channels}\" speedintra=\"20\" \
             speedinter=\"20\" latencyinter=\"0\" typeintra=\"NVL\" typeinter=\"PXB\" samechannels=\"0\">"
        )?;
        for channel in 0..channels {
            out.write_str("    <channel>")?;
            write!(out, "<net dev=\"{:x}\"/>", nic(before, channel))?;
            for gpu in 0..gpus {
                write!(out, "<gpu dev=\"{:x}\"/>", (gpu + channel as u32) % gpus)?;
            }
            writeln!(out, "<net dev=\"{:x}\"/></channel>", nic(after, channel))?;
        }
        out.write_str("  </graph>\n")?;
    }
    Ok(out.write_str("</graphs>\n")?)
}

const BEFORE_NICS: &str = "\
<!-- For NCCL_GRAPH_FILE, with NCCL_CROSS_NIC=1 and NCCL_ALGO=Ring. Start the ranks as the export rankfile or rank-hosts places
     them, since NCCL's rings follow the order of ranks. ";
const TWO_NICS: &str = "\
Channel k enters by the NIC on the k-th switch shared with the
     node before, and leaves by the NIC on the k-th switch shared with the node after. ";
const SAME_NIC: &str = "\
With one GPU per node, NCCL enters and leaves by the first NIC of
     a channel. Channel k uses the NIC on the k-th switch that all nodes of the group share. ";
const AFTER_NICS: &str = "\
Device k is NIC k, and GPU k is local rank
     k. Speeds (GB/s per channel) and types assume NVLink and one 400G NIC per two channels; NCCL uses them to
     choose protocols only. -->";

/// Says that two nodes of a hop share no switch.
fn no_shared_switch(plan: &DesignPlan, hop: [u32; 2]) -> String {
    let [from, to] = hop.map(|node| plan.pe_name(node));
    format!("{from} and {to} follow each other in a ring and share no switch")
}

/// Says that nodes with one GPU have no common switch, and names some that lack the one with most of them. NCCL gives the first
/// `<net>` of a channel to the first GPU, for sending and receiving (`ncclTopoGetNetDev` in `src/graph/search.cc`), so each
/// node and the next must be on the switch of one NIC: all of the ring on one switch.
fn no_common_switch(plan: &DesignPlan, ring: &[u32]) -> String {
    let mut on: BTreeMap<u32, u32> = BTreeMap::new();
    ring.iter().flat_map(|&node| plan.nis.of(node)).for_each(|&switch| *on.entry(switch).or_default() += 1);
    let fullest =
        on.iter().max_by_key(|(switch, nodes)| (**nodes, Reverse(**switch))).map(|(switch, _)| *switch);
    let lacks =
        |node: &&u32| fullest.is_none_or(|fullest| plan.nis.of(**node).binary_search(&fullest).is_err());
    let lacking: Vec<String> = ring.iter().filter(lacks).map(|&node| plan.pe_name(node)).collect();
    let more = match lacking.len().saturating_sub(MAX_NAMES) {
        0 => String::new(),
        more => format!(" and {} more", grouped(more as u64)),
    };
    let names = lacking[..lacking.len().min(MAX_NAMES)].join(", ");
    let switch = fullest.map(|switch| plan.switch_name(switch)).unwrap_or_default();
    format!(
        "with one GPU per node, NCCL uses one NIC of a node for both directions. A ring then needs a switch that all of its nodes \
         share. {switch} has the most of them, but not {names}{more}. Use NCCL_NET=Socket with the export `nccl`, or groups on one \
         switch"
    )
}

/// The nodes of each group on several nodes, in rank order.
///
/// NCCL reads the same file for every communicator of a process and fails if a GPU in it is not in the communicator
/// (`ncclTopoGetChannelFromXml` in `src/graph/search.cc`). So all groups must be whole nodes, and those on several nodes
/// must have the same neighbours.
fn whole_nodes(job: &Job) -> Result<Vec<Vec<u32>>, String> {
    let mut found: Vec<Vec<u32>> = Vec::new();
    let mut along = None;
    for share in shares(job) {
        let name = share.collective.along.name();
        let groups = groups(job, share.collective);
        let spanning = groups.spanning();
        let is_whole = |(nodes, _): &(Vec<u32>, u32)| {
            nodes.chunk_by(|a, b| a == b).all(|ranks| ranks.len() == job.ranks_per_pe as usize)
        };
        if !spanning.iter().all(is_whole) || spanning.is_empty() && groups.members() != job.ranks_per_pe {
            return Err(format!(
                "groups along {name} have some GPUs of a node, and NCCL reads the file for all communicators; \
                 use it for jobs whose groups are whole nodes"
            ));
        }
        if spanning.is_empty() {
            continue;
        }
        if let Some(first) = along.replace(name) {
            return Err(format!(
                "groups along {first} and {name} have different neighbours, and NCCL reads the file for both; \
                 use it for jobs with one kind of group on several nodes"
            ));
        }
        for (mut nodes, _) in spanning {
            nodes.dedup();
            found.push(nodes);
        }
    }
    match along {
        Some(_) => Ok(found),
        None => Err("all groups are inside nodes".into()),
    }
}
