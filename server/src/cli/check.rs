//! `crosspoint check`: checks that a design serves every requested pair within budget, or that a machine is wired accordingly.

use super::{Answer, files, flags::parser, import, output, uncovered};
use crate::counts::advise;
use anyhow::{Result, anyhow, bail};
use clap::Args;
use shared::{
    analysis::{
        audit::{self, Audit},
        hops::{HopAudit, audit_hops},
        library::{Connections, Library},
    },
    demand::trace,
    design::{Design, GivenGuids, Guids, Names, Verdict, check},
    exports::uplink_cables,
    form::of_lines,
    spec::{Objective, Spec, job::Job, names::Interfaces},
    text::{count, grouped},
};
use std::{
    fmt::Write,
    path::{Path, PathBuf},
};

/// Max bytes of LLDP output per cable; lldpctl prints about 1 kB in its longest form.
const LLDP_BYTES_PER_CABLE: u64 = 8 << 10;
const LLDP_BYTES: u64 = 16 << 20;
/// Max uncovered pairs to print of a wiring without most of the spec's nodes.
const MAX_OF_OTHER: usize = 10;

/// Check that a wiring covers every requested pair and obeys the spec
///
/// Lists every broken limit and every uncovered pair, or ten pairs if half of the spec's nodes or more have no cable. If the
/// objective is fractional, the heaviest pairs come first, with the share of the weight that is served.
///
/// With --lldp it checks the machine instead: it lists cables that are swapped, missing or on the wrong switch. One file may
/// hold the output of many nodes, each after a line with the node's name, as `pdsh` and `ansible` print it.
///
/// With --ib it checks the InfiniBand cables of the machine. A node is identified by its description, such as `node007 mlx5_0`, or by a
/// GUID of --guids, and a switch by its name or a GUID. Other switches are identified by their cables, and listed.
///
/// With --nccl it checks a running job: NCCL's log names the NICs at both ends of each connection, which must be on a common switch.
/// NCCL_DEBUG=INFO with NCCL_DEBUG_SUBSYS=INIT,NET,ENV logs them; give the logs of all processes. Nodes are host names, or NCCL_HOSTID.
///
/// With --library it checks the training job instead: the library chooses the NICs of two nodes, and may choose NICs that share no
/// switch. It counts the pairs of nodes that the library connects, and lists up to ten pairs that it does not connect.
///
/// Exit codes: 0 no errors, 1 errors found, 2 bad input.
#[derive(Args)]
pub struct Check {
    /// Spec file, or - for standard input
    spec: PathBuf,
    /// Wiring table, or - for standard input
    #[arg(value_name = "WIRING")]
    design: PathBuf,
    /// LLDP neighbours: the output of lldpctl (plain, keyvalue or json) or of a switch's `show lldp neighbors`; - for
    /// standard input
    #[arg(long, value_name = "FILE")]
    lldp: Option<PathBuf>,
    /// With --lldp or --nccl: NIC names on the nodes, instead of the spec's: a prefix, a template or all names
    #[arg(long, value_name = "NAMES", conflicts_with = "ib", value_parser = parser(Interfaces::parse))]
    interface: Option<Interfaces>,
    /// InfiniBand links: the output of ibnetdiscover or iblinkinfo of each subnet, one after another; - for standard input
    #[arg(long, value_name = "FILE", conflicts_with = "lldp")]
    ib: Option<PathBuf>,
    /// NCCL's logs of a job that runs on the machine; - for standard input
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["lldp", "ib"])]
    nccl: Vec<PathBuf>,
    /// With --ib or --nccl: names of RDMA devices: a prefix, a template or all names
    #[arg(long, value_name = "NAMES", conflicts_with = "lldp", default_value = "mlx5_{nic}", value_parser = parser(Interfaces::parse))]
    hca: Interfaces,
    /// With --ib: file with GUIDs of NICs and switches, such as node7.nic0=0x08c0eb0300f2a3c4 sw3=0x08c0eb0300a1b2c0
    #[arg(long, value_name = "FILE", requires = "ib")]
    guids: Option<PathBuf>,
    /// Check which pairs of nodes of the training job this library connects: nccl, mpi (UCX), or any for a library that uses
    /// all shared switches
    #[arg(long, value_name = "NAME", conflicts_with_all = ["lldp", "ib", "nccl"], value_parser = parser(library))]
    library: Option<Library>,
}

fn library(name: &str) -> Result<Library, String> {
    let found = Library::ALL.into_iter().find(|library| library.name() == name);
    found.ok_or_else(|| "nccl, mpi or any".into())
}

impl Check {
    /// Prints every broken limit and every uncovered pair.
    pub fn run(self) -> Result<Answer> {
        let standard = Path::new(output::STANDARD);
        let is_standard = |file: &&PathBuf| file.as_path() == standard;
        let options = [&self.lldp, &self.ib, &self.guids].into_iter().flatten().chain(&self.nccl);
        let options = options.filter(is_standard).count();
        if options > 0 && options + [&self.spec, &self.design].into_iter().filter(is_standard).count() > 1 {
            bail!("only one of SPEC, WIRING, --lldp, --ib, --guids and --nccl can be standard input");
        }
        let (request, design) = files::read_both(&self.spec, &self.design)?;
        if let Some(lldp) = &self.lldp {
            return self.machine(&request.spec, &design, lldp);
        }
        if let Some(ib) = &self.ib {
            return self.infiniband(&request.spec, &design, ib);
        }
        if !self.nccl.is_empty() {
            return self.job(&request.spec, &design);
        }
        if let Some(library) = self.library {
            return connections(&request.spec, &design, library);
        }
        let verdict = check(&request.spec, &request.demand, &design);
        let mut text = String::new();
        if verdict.holds() {
            let _ = writeln!(text, "{}; all limits of the spec hold", uncovered::none(verdict.requested));
            text += &uncovered::extras(&verdict);
            output::print(&text)?;
            return Ok(Answer::Yes);
        }
        for breach in &verdict.breaches {
            let _ = writeln!(text, "broken rule: {breach}");
        }
        if !verdict.uncovered.is_empty() {
            let (spec, nodes) = (&request.spec, wired(&design));
            let is_many = verdict.uncovered.len() > MAX_OF_OTHER && spec.objective != Objective::Fractional;
            let is_other = is_many && nodes <= spec.pes / 2;
            let (most, advice) = if is_other {
                let (has, of) = (grouped(nodes.into()), count(spec.pes.into(), "node"));
                let _ = writeln!(text, "the wiring has {has} of the spec's {of}; is it for another spec?");
                // Most pairs are uncovered since their nodes are missing.
                (MAX_OF_OTHER, Vec::new())
            } else {
                let free = free_parts(spec, &design, &verdict).map(|line| vec![line]);
                (usize::MAX, free.unwrap_or_else(|| advise(spec, &request.demand, &verdict)))
            };
            text += &uncovered::coverage(&request, &verdict, most, &advice);
        }
        output::print(&text)?;
        Ok(Answer::No)
    }

    fn machine(&self, spec: &Spec, design: &Design, lldp: &Path) -> Result<Answer> {
        let text = files::read_text(lldp, LLDP_BYTES + LLDP_BYTES_PER_CABLE * design.cables() as u64)?;
        let names = Names::of(spec, design).with(self.interface.as_ref(), None);
        let audit = audit::audit(design, &names, &uplink_cables(spec, design), &text)
            .map_err(|faults| files::without(lldp, &text, "LLDP neighbours", &of_lines(&faults)))?;
        if let Some(names) = &self.interface
            && audit.knows_no_nic()
        {
            let (names, file) = (names.written(), files::name(lldp));
            bail!(
                "--interface {names:?}: no NIC in {file} has this name. Without --interface, cables are matched by switch only."
            );
        }
        answer(&audit, &names)
    }

    fn job(&self, spec: &Spec, design: &Design) -> Result<Answer> {
        let (_, traffic) = import::read(&self.nccl, trace::format("nccl"))?;
        files::warn(&traffic.warnings);
        let names = Names::of(spec, design).with(self.interface.as_ref(), None);
        let devices = names.clone().with(Some(&self.hca), None);
        let nic = |name: &str| devices.nic(name).or_else(|| names.nic(name));
        let audit = audit_hops(&design.nis(), &names, nic, &traffic.hops);
        if audit == HopAudit::default() {
            bail!(
                "the logs have no connection between two nodes; run with NCCL_DEBUG=INFO and NCCL_DEBUG_SUBSYS=INIT,NET,ENV"
            );
        }
        let mut text = String::new();
        let _ = audit.write(&names, &mut text);
        output::print(&text)?;
        Ok(if audit.holds() { Answer::Yes } else { Answer::No })
    }

    fn infiniband(&self, spec: &Spec, design: &Design, ib: &Path) -> Result<Answer> {
        let most = LLDP_BYTES + LLDP_BYTES_PER_CABLE * design.cables() as u64;
        let text = files::read_text(ib, most)?;
        let names = Names::of(spec, design).with(Some(&self.hca), None);
        let mut guids = Guids::default();
        if let Some(file) = &self.guids {
            let name = files::name(file);
            let given = GivenGuids::parse(&files::read_text(file, most)?).ok_or_else(|| {
                anyhow!("{name} has a word that is not a part with its GUID, such as node7.nic0=0x08c0eb0300f2a3c4 or sw3=0x08c0eb0300a1b2c0, or one part twice")
            })?;
            guids = given.of(design, &names).map_err(|why| anyhow!("{name}: {why}"))?;
        }
        let audit = audit::audit_infiniband(design, &names, &guids, &text)
            .map_err(|faults| files::without(ib, &text, "InfiniBand links", &of_lines(&faults)))?;
        answer(&audit, &names)
    }
}

/// Number of nodes with a cable.
fn wired(design: &Design) -> u32 {
    let nis = design.nis();
    (0..design.pes()).filter(|&pe| !nis.of(pe).is_empty()).count() as u32
}

/// A free NIC of one node of an uncovered pair and a free port beside the other, in a sentence; `None` if no pair has both.
fn free_parts(spec: &Spec, design: &Design, verdict: &Verdict) -> Option<String> {
    let (nis, ports) = (design.nis(), spec.grown(design.used_switches()).usable_ports());
    let free_nis = |pe: u32| spec.pe_groups[spec.group_of(pe)].nis.saturating_sub(nis.of(pe).len() as u32);
    let free_ports = |switch: u32| {
        let usable = ports.get(switch as usize).copied().unwrap_or(0);
        usable.saturating_sub(design.members(switch).len() as u32)
    };
    let beside = |(pe, other): (u32, u32)| {
        let switch = nis.of(other).iter().copied().find(|&switch| free_ports(switch) > 0);
        Some((pe, switch.filter(|_| free_nis(pe) > 0)?))
    };
    let mut both = verdict.uncovered.iter().flat_map(|&(a, b)| [(b, a), (a, b)]);
    let (pe, switch) = both.find_map(beside)?;
    let (nics, ports) = (free_nis(pe).into(), free_ports(switch).into());
    Some(format!(
        "Node {pe} has {}, and switch {switch} has {}.",
        count(nics, "free NIC"),
        count(ports, "free port")
    ))
}

/// Prints how the library connects the pairs of the spec's job.
fn connections(spec: &Spec, design: &Design, library: Library) -> Result<Answer> {
    if spec.jobs.is_empty() {
        let name = library.name();
        bail!("--library {name}: the spec has no training job; add a `[job]` table or leave out --library");
    }
    let jobs: Vec<Job> = spec.jobs.iter().map(|job| Job { library, ..job.clone() }).collect();
    let (found, names) = (Connections::of(spec.spine(), &jobs, &design.nis()), Names::of(spec, design));
    let mut text = format!("{}.\n", found.counts());
    for pair in &found.broken {
        let [a, b] = pair.nodes.map(|node| names.pe(node));
        let _ = match pair.connected {
            0 => writeln!(text, "  {a} {b}: no shared switch"),
            connected => writeln!(text, "  {a} {b}: {connected} of {} devices", pair.devices),
        };
    }
    let more = found.pairs - found.connected - found.broken.len() as u64;
    if more > 0 {
        let _ = writeln!(text, "  and {} more", grouped(more));
    }
    for line in [found.settings()].into_iter().chain(found.remedies()) {
        let _ = writeln!(text, "{line}");
    }
    output::print(&text)?;
    Ok(if found.hold() { Answer::Yes } else { Answer::No })
}

fn answer(audit: &Audit, names: &Names) -> Result<Answer> {
    let mut text = String::new();
    let _ = audit.write(names, &mut text);
    output::print(&text)?;
    Ok(if audit.holds() { Answer::Yes } else { Answer::No })
}
