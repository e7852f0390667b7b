//! Settings of Open MPI and NCCL that use all NICs, and Slurm's topology.conf.
//!
//! In forms with one address per node the kernel spreads flows over shared switches. A connection is one flow, so Open MPI and
//! NCCL open several.
//!
//! Every NIC of a node carries the node's address. Open MPI 4.1 and 5.0 hang if they may use several interfaces with one
//! address, as given by the network, so the files name one interface. Its name only tells them the address.
//!
//! Slurm's plugin topology/tree has leaf switches with nodes and switches above them. A node may be on several leaves, with a
//! warning. Each switch is a leaf here, and a root that does not exist joins them, since Slurm places no job on unjoined leaves.

use super::{
    DesignPlan, ExportError, FAILED, FOLDER, FileSink, Format, Group, INTERFACE, Render, WriteResult,
    design::Rails,
};
use crate::{
    design::Design,
    text::{capital, noun},
};
use std::{
    collections::BTreeMap,
    fmt::{self, Write as _},
};

pub(super) const OPENMPI: Format =
    Format::new(Group::Jobs, "openmpi", "Open MPI settings and hostfile", FOLDER, Render::Files(openmpi))
        .read_by(&["Open MPI 4.1"])
        .recommended()
        .purpose("Open MPI settings that use all NICs, and a hostfile; for multipath, networkd or netplan")
        .with(&[&INTERFACE, &FAILED]);

/// Max connections between two processes that Open MPI's TCP transport is tried with.
const MAX_LINKS: usize = 4;

fn openmpi(plan: &DesignPlan, _: u32, each: &mut FileSink) -> WriteResult {
    let interface = plan.interface(common_nic(plan)?);
    let about = format!(
        "# Open MPI over all NICs of {} ({} nodes), for nodes configured by multipath, networkd or netplan.\n",
        plan.title(),
        plan.pes()
    );
    let links = flows(plan).min(MAX_LINKS);
    each(
        "openmpi-mca-params.conf",
        &format!(
            "{about}# Copy to etc/ in Open MPI's folder, or to ~/.openmpi/mca-params.conf.\n\n\
             # Interface that holds the node's address (all NICs share it). The kernel's routes choose the NICs, so\n\
             # all of them are used. Do not add more interfaces: several with one address hang.\n\
             btl_tcp_if_include = {interface}\n\
             # The same for starting processes in versions up to 4; later ones read prte-mca-params.conf.\n\
             oob_tcp_if_include = {interface}\n\
             # Connections between two processes. Each is a flow, and the kernel spreads flows over the shared switches\n\
             # of two nodes.\n\
             btl_tcp_links = {links}\n"
        ),
    )?;
    each(
        "prte-mca-params.conf",
        &format!(
            "{about}# For Open MPI 5 and later: copy to etc/ in its folder, or to ~/.prte/mca-params.conf.\n\n\
             prte_if_include = {interface}\n"
        ),
    )?;
    each("hostfile", &hostfile(plan)?)
}

/// The first NIC that works in every working node.
fn common_nic(plan: &DesignPlan) -> Result<u32, ExportError> {
    let (working, faults) = (plan.multi_routes()?.working(), plan.faults()?);
    let works = |pe: u32, ni: u32| {
        let switch = working.whole().of(pe).get(ni as usize);
        switch.is_some_and(|switch| working.live().of(pe).contains(switch))
    };
    let alive = || (0..plan.pes()).filter(|&pe| !faults.is_dead(pe));
    (0..plan.most_nis() as u32).find(|&ni| alive().all(|pe| works(pe, ni))).ok_or(ExportError::NoCommonNic)
}

/// Flows between two processes: twice as many as a PE has NIs, since hashes fill no paths evenly.
fn flows(plan: &DesignPlan) -> usize {
    match plan.most_nis() {
        0 | 1 => 1,
        nis => 2 * nis,
    }
}

fn hostfile(plan: &DesignPlan) -> Result<String, ExportError> {
    let jobs = &plan.spec.jobs;
    let about = match jobs.len() {
        0 => "Add `slots=N` after a name to start N processes there; the default is one per core.",
        1 => "A slot is a rank of the training job.",
        _ => "A slot is a rank of the node's training job.",
    };
    let slots = |pe: u32| {
        let job = jobs.iter().find(|job| jobs.len() == 1 || job.span().contains(&pe));
        job.map_or_else(String::new, |job| format!(" slots={}", job.ranks_per_pe))
    };
    let mut text = format!("# Node names as in the export `names`. {about}\n");
    let faults = plan.faults()?;
    for pe in (0..plan.pes()).filter(|&pe| !faults.is_dead(pe)) {
        writeln!(text, "{}{}", plan.pe_name(pe), slots(pe))?;
    }
    Ok(text)
}

pub(super) const NCCL: Format = Format::new(
    Group::Jobs,
    "nccl",
    "NCCL settings",
    ("text/plain; charset=utf-8", "conf"),
    Render::Text(nccl),
)
.recommended()
.purpose("NCCL settings that use all NICs, as /etc/nccl.conf; for multipath, networkd or netplan")
.with(&[&INTERFACE]);

/// Max sockets that NCCL opens for a connection, and max threads that serve it here.
const MAX_SOCKETS: usize = 64;
const MAX_THREADS: usize = 4;

fn nccl(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> WriteResult {
    let nis = plan.most_nis();
    let names: Vec<String> = (0..nis as u32).map(|ni| plan.interface(ni)).collect();
    let threads = nis.clamp(1, MAX_THREADS);
    let sockets = flows(plan).div_ceil(threads).min(MAX_SOCKETS / threads);
    writeln!(
        out,
        "# NCCL over all NICs of {} ({} nodes), for nodes configured by multipath, networkd or",
        plan.title(),
        plan.pes()
    )?;
    write!(
        out,
        "# netplan. Copy to /etc/nccl.conf, or set these in the environment of a job.\n\n\
         # A node has one address, on all of its working NICs. The routes choose the NIC of each packet, no matter which one\n\
         # NCCL finds the address on.\n\
         NCCL_SOCKET_IFNAME=={}\n\
         # The network is Ethernet; without this NCCL may look for InfiniBand first.\n\
         NCCL_NET=Socket\n\
         # Sockets per connection, {threads} x {sockets}. Each is a separate flow; the kernel spreads flows over the switches that\n\
         # two nodes share.\n\
         NCCL_SOCKET_NTHREADS={threads}\n\
         NCCL_NSOCKS_PERTHREAD={sockets}\n\
         {}",
        names.join(","),
        cross_nic(plan)
    )?;
    Ok(())
}

/// The lines that tell NCCL whether a ring may leave a node by another NIC than it came in by.
pub(super) fn cross_nic(plan: &DesignPlan) -> &'static str {
    match plan.rails() {
        Rails::Full => {
            "# Rails: nodes that share a switch do so on every NIC, each time with the NIC of the same number.\n\
             NCCL_CROSS_NIC=0\n"
        }
        Rails::Split => {
            "# Nodes meet on NICs of the same number, but on one number with one node and on another with the next. So a ring\n\
             # may leave a node by another NIC than it came in by.\n\
             NCCL_CROSS_NIC=1\n"
        }
        Rails::None => {
            "# NICs with the same number may be on different switches, so there are no rails to keep to.\n\
             NCCL_CROSS_NIC=1\n"
        }
    }
}

pub(super) const SLURM: Format = Format::new(
    Group::Jobs,
    "slurm",
    "Slurm topology",
    ("text/plain; charset=utf-8", "conf"),
    Render::Text(slurm),
)
.read_by(&["Slurm 22.05"])
.recommended()
.purpose("Slurm topology.conf that keeps jobs on one switch if they fit; its comments name the limits")
.with(&[&FAILED]);

/// Switches beyond which Slurm takes long to read the file: it compares all of them with each other, three at a time.
const SLOW: usize = 1000;

fn slurm(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> WriteResult {
    let routes = plan.multi_routes()?;
    let design = routes.working().design();
    let pes = plan.pes();
    let all_meet = (0..pes).all(|pe| routes.neighbours(pe).len() as u32 + 1 == pes);
    writeln!(
        out,
        "# {} of {} ({pes} nodes), for slurm.conf with TopologyPlugin=topology/tree.",
        capital(&noun(2, plan.spec.switch_noun())),
        plan.title()
    )?;
    let one = plan.spec.switch_noun();
    let more = noun(2, one);
    out.write_str(&SAYS.replace("{one}", one))?;
    out.write_str(&if all_meet { ALL_MEET } else { SOME_APART }.replace("{one}", one))?;
    let used: Vec<u32> =
        (0..design.switch_count()).filter(|&switch| !design.members(switch).is_empty()).collect();
    if used.len() > SLOW {
        writeln!(out, "# topology/tree is slow with {} {more}: Slurm may take long to start.", used.len())?;
    }
    writeln!(out, "#\n# Nodes for slurm.conf; add CPUs and memory. The features are their {more}:")?;
    for (switches, nodes) in nodes_by_switches(plan, design) {
        let features: Vec<String> = switches.iter().map(|&switch| plan.switch_name(switch)).collect();
        let nodes = hostlist(nodes.into_iter().map(|pe| plan.pe_name(pe)));
        writeln!(out, "# NodeName={nodes} Feature={}", features.join(","))?;
    }
    let switches: Vec<String> = used.iter().map(|&switch| plan.switch_name(switch)).collect();
    writeln!(
        out,
        "# For a job on one {one}, whichever is free:\n# sbatch --constraint=\"[{}]\"\n",
        switches.join("|")
    )?;
    for &switch in &used {
        let nodes = hostlist(design.members(switch).iter().map(|&pe| plan.pe_name(pe)));
        writeln!(out, "SwitchName={} Nodes={nodes}", plan.switch_name(switch))?;
    }
    if used.len() > 1 {
        let switches = hostlist(used.into_iter().map(|switch| plan.switch_name(switch)));
        writeln!(out, "SwitchName=root Switches={switches}")?;
    }
    Ok(())
}

const SAYS: &str = "\
# Each {one} is a leaf with its nodes. If a job fits on one {one}, Slurm places it on one, and all its pairs share it.
# Do not ask for --switches=1: Slurm counts every leaf that a node is on, so the job waits for max_switch_wait (5 minutes).
# Use the features below.
# Nodes are on several leaves. Slurm warns of this (\"Multiple leaf switches contain nodes\"); ignore the warning.
# `root` is not a real {one}; topology/tree requires one.
# topology/block needs blocks without common nodes and cannot express this wiring.
";
const ALL_MEET: &str = "\
# In this wiring every pair of nodes shares a {one}, so any placement works, also with topology/flat.
# Use this file to keep small jobs on one {one}.
";
const SOME_APART: &str = "\
# In this wiring some pairs of nodes share no {one}. Place jobs that are larger than one {one} by hand with --nodelist if
# all their pairs must share one.
";

/// The nodes on each set of working switches, without those on none.
fn nodes_by_switches(plan: &DesignPlan, design: &Design) -> BTreeMap<Vec<u32>, Vec<u32>> {
    let mut nodes: BTreeMap<Vec<u32>, Vec<u32>> = BTreeMap::new();
    for pe in 0..plan.pes() {
        let on = |switch: &u32| design.members(*switch).binary_search(&pe).is_ok();
        let switches: Vec<u32> = plan.nis.of(pe).iter().copied().filter(on).collect();
        if !switches.is_empty() {
            nodes.entry(switches).or_default().push(pe);
        }
    }
    nodes
}

/// Names as Slurm writes them: `node[000-003,007]`, where names that follow each other differ only in the number at their end.
fn hostlist(names: impl Iterator<Item = String>) -> String {
    let mut groups: Vec<(String, Vec<(String, String)>)> = Vec::new();
    for name in names {
        let (prefix, number) = name.split_at(name.trim_end_matches(|c: char| c.is_ascii_digit()).len());
        let spans = match groups.last_mut() {
            Some((last, spans)) if last == prefix && !number.is_empty() => spans,
            _ => {
                groups.push((prefix.into(), vec![(number.into(), number.into())]));
                continue;
            }
        };
        match spans.last_mut() {
            Some((_, last)) if follows(last, number) => *last = number.into(),
            _ => spans.push((number.into(), number.into())),
        }
    }
    let span = |(first, last): &(String, String)| {
        if first == last { first.clone() } else { format!("{first}-{last}") }
    };
    let group = |(prefix, spans): &(String, Vec<(String, String)>)| match &spans[..] {
        [(first, last)] if first == last => format!("{prefix}{first}"),
        _ => format!("{prefix}[{}]", spans.iter().map(span).collect::<Vec<_>>().join(",")),
    };
    groups.iter().map(group).collect::<Vec<_>>().join(",")
}

/// `true` if a number is one more than the last and as long, so that a range of both has the same leading zeros.
fn follows(last: &str, number: &str) -> bool {
    let value = |digits: &str| digits.parse::<u64>().ok();
    last.len() == number.len() && value(last).is_some_and(|last| value(number) == Some(last + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_follow_each_other_are_ranges() {
        for (names, list) in [
            ("node000", "node000"),
            ("node000 node001 node002 node007", "node[000-002,007]"),
            ("n8 n9 n10 n11", "n[8-9,10-11]"),
            ("gpuA01-01 gpuA01-02 gpuA02-01 x", "gpuA01-[01-02],gpuA02-01,x"),
            ("n1-a n2-a", "n1-a,n2-a"),
            ("", ""),
        ] {
            assert_eq!(hostlist(names.split_whitespace().map(String::from)), list);
        }
    }
}
