//! A network from a file of this program or of another. The content says which form it has; the name of the file does not matter.
//!
//! | module | forms | hosts |
//! | --- | --- | --- |
//! | [`lines`] | a line `a b [speed]` per link: anything that no other form is | lines `host NAME...` and `switch NAME...` |
//! | [`graphml`] | GraphML | a node attribute `type`, `kind` or `role` |
//! | [`simulators`] | BookSim's anynet, the ns-3 topologies of ASTRA-sim and SimAI | nodes that are no routers or switches |
//! | [`slurm`] | Slurm's `topology.conf` and `topology.yaml` | `Nodes` |
//! | [`labs`] | containerlab, NVIDIA Air as JSON and as DOT, cabling plans as DOT, this program's wirings as JSON | kind, image or function of a node |
//! | [`infiniband`] | `ibnetdiscover`, ibsim | adapters, by their node |
//! | [`tables`] | cables of NetBox as CSV, this program's cable lists and wirings | names of devices and interfaces |
//!
//! If only hosts are named, all other nodes are switches, and vice versa. If the file names neither, the nodes with a single link
//! are the hosts. In a list of links or a graph that names both, every node needs a name; in the other forms the nodes without a
//! name count by their links. Hosts and switches are numbered in the order in which the file first names them. Hosts of the forms
//! that list no nodes, such as `ibnetdiscover`, are numbered in the order of their names.

mod graphml;
mod hints;
mod infiniband;
mod labs;
mod lines;
mod listed;
mod simulators;
mod slurm;
mod tables;
mod yaml;

use super::{
    Fabric, Link, Switch, SwitchKind,
    kind::{NetworkKind, Parts, Speeds, SwitchParts},
};
use crate::{
    cancel::checked,
    design::{Design, Names, Node, table},
    form::says,
    spec::{Fault, Faults},
    text::{count, grouped},
};
use std::collections::BTreeSet;

/// Max bytes of the file of a network.
pub const MAX_FILE_BYTES: usize = 64 << 20;
/// Max bytes of memory that reading takes for each byte of the text.
const BYTES_PER_BYTE: u64 = 20;

/// A network from a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetworkFile {
    name: String,
    hosts: u32,
    /// Ports of the hosts' speed and of the trunks' speed of each switch.
    switches: Vec<[u32; 2]>,
    links: Vec<FileLink>,
    /// Names of the hosts, then of the switches.
    names: Vec<String>,
    warnings: Vec<Fault>,
}

/// A link between two nodes, hosts first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FileLink {
    ends: [u32; 2],
    speed: LinkSpeed,
}

/// Speed of a link as the file gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LinkSpeed {
    /// No speed given: the speed of the hosts' links.
    Hosts,
    /// Speed of trunks.
    Trunks,
    /// In Mb/s.
    Fixed(u32),
}

impl LinkSpeed {
    const EXPECTED: &'static str =
        "a speed in Gb/s from 0.001 to 4,000,000, such as 400, 400G or 1.6T, or `trunk`";

    /// A number in Gb/s, or with one of the units M, G and T, to which `b/s` may be added; or `trunk`.
    fn read(text: &str) -> Option<LinkSpeed> {
        let text = text.trim().to_ascii_lowercase();
        if text == "trunk" {
            return Some(LinkSpeed::Trunks);
        }
        let text = ["b/s", "bit/s", "bps"].iter().find_map(|unit| text.strip_suffix(unit)).unwrap_or(&text);
        let units = [("m", 1.0), ("g", 1e3), ("t", 1e6)];
        let unit = units.iter().find_map(|(unit, factor)| Some((text.strip_suffix(unit)?, *factor)));
        let (number, factor) = unit.unwrap_or((text, 1e3));
        let speed = (number.trim().parse::<f64>().ok()? * factor).round();
        (1.0..=4e9).contains(&speed).then_some(LinkSpeed::Fixed(speed as u32))
    }
}

impl NetworkFile {
    /// Beginning of the text form, before the name of the file.
    pub const PREFIX: &str = "file:";
    /// Text form.
    pub const FORM: &str = "file:PATH";
    /// One line of explanation.
    pub const EXPLANATION: &str = "A network from a file: a line `a b [speed]` per link, GraphML, DOT, BookSim anynet, ASTRA-sim, SimAI, \
                                   containerlab, NVIDIA Air, Slurm topology, ibnetdiscover, ibsim, or NetBox cables. `crosspoint help \
                                   --topic compare` explains the forms.";

    /// Reads a network from the text of the file with that name.
    ///
    /// # Errors
    /// Every fault, at the name and the line. A text of more than [`MAX_FILE_BYTES`] is not read.
    pub fn read(name: &str, text: &str) -> Result<NetworkFile, Faults> {
        if text.len() > MAX_FILE_BYTES {
            let found = format!("{} bytes", grouped(text.len() as u64));
            let expected = format!("at most {} bytes", grouped(MAX_FILE_BYTES as u64));
            return Err(Fault::new(name, found, expected).into());
        }
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        match Form::of(text) {
            Form::GraphMl => graphml::read(name, text),
            Form::InfiniBand => infiniband::read(name, text),
            Form::Slurm => slurm::read_conf(name, text),
            Form::BookSim => simulators::read_booksim(name, text),
            Form::Ns3 => simulators::read_ns3(name, text),
            Form::Dot => labs::read_dot(name, text),
            Form::Yaml => labs::read_yaml(name, text),
            Form::NetBox => tables::read_netbox(name, text),
            Form::Cables => tables::read_cables(name, text),
            Form::Wiring => tables::read_wiring(name, text),
            Form::Other(what) => Err(Fault::new(name, "", says(format!("is {what}."))).into()),
            Form::Lines => lines::read(name, text),
        }
    }

    /// The wiring table of a network, if a text is a network in another form than a table or a list of links. Hosts with these
    /// names of nodes are these nodes; all hosts of other names are the nodes in order. A cable between two hosts is a switch with
    /// two ports, after all others. Several cables between a host and a switch count once.
    ///
    /// # Errors
    /// Errors of [`NetworkFile::read`], links between switches, which a wiring cannot have, and too few or too many hosts of other names.
    pub fn wiring_table(
        name: &str,
        text: &str,
        nodes: &Names,
    ) -> Option<Result<(String, Vec<Fault>), Faults>> {
        let form = Form::of(text.strip_prefix('\u{feff}').unwrap_or(text));
        let is_network = !matches!(form, Form::Wiring | Form::Lines | Form::Other(_));
        is_network.then(|| {
            let network = NetworkFile::read(name, text)?;
            let (mut switches, numbers) = (network.wiring()?, network.numbers(nodes)?);
            for members in &mut switches {
                members.iter_mut().for_each(|host| *host = numbers[*host as usize]);
                members.sort_unstable();
                members.dedup();
            }
            Ok((table::write(&Design::from_switches(nodes.pes(), switches)), network.warnings))
        })
    }

    /// The number of the node that each host is.
    fn numbers(&self, names: &Names) -> Result<Vec<u32>, Fault> {
        let node = |host: &String| match names.find(host) {
            Some(Node::Pe(pe)) => Some(pe),
            _ => None,
        };
        let named: Option<Vec<u32>> = self.hosts().iter().map(node).collect();
        let is_distinct = |numbers: &Vec<u32>| numbers.iter().collect::<BTreeSet<_>>().len() == numbers.len();
        if let Some(numbers) = named.filter(is_distinct) {
            return Ok(numbers);
        }
        if self.hosts != names.pes() {
            let (hosts, nodes) = (count(self.hosts.into(), "node"), grouped(names.pes().into()));
            let first = names.pe(0);
            let sentence = format!(
                "has {hosts}, and the spec {nodes}. Give a cable of every node, or the nodes the names of the spec, such as `{first}`."
            );
            return Err(Fault::new(&self.name, "", says(sentence)));
        }
        Ok((0..self.hosts).collect())
    }

    /// Names of the hosts, by number.
    pub fn hosts(&self) -> &[String] {
        &self.names[..self.hosts as usize]
    }

    /// The hosts of each switch of a wiring.
    fn wiring(&self) -> Result<Vec<Vec<u32>>, Fault> {
        let mut switches: Vec<Vec<u32>> = vec![Vec::new(); self.switches.len()];
        let mut between = 0u64;
        for FileLink { ends: [low, high], .. } in checked(&self.links) {
            match (low.checked_sub(self.hosts), high.checked_sub(self.hosts)) {
                (None, Some(switch)) => switches[switch as usize].push(*low),
                (None, None) => switches.push(vec![*low, *high]),
                _ => between += 1,
            }
        }
        if between > 0 {
            let links = count(between, "link");
            let sentence = format!(
                "has {links} between switches; a wiring only has cables between nodes and switches. Compare the network with `--fabric file:PATH`."
            );
            return Err(Fault::new(&self.name, "", says(sentence)));
        }
        Ok(switches)
    }
}

/// Form of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Lines,
    GraphMl,
    InfiniBand,
    Slurm,
    BookSim,
    /// Of ASTRA-sim or SimAI.
    Ns3,
    Dot,
    /// YAML or JSON.
    Yaml,
    NetBox,
    /// This program's cable list.
    Cables,
    /// This program's wiring table.
    Wiring,
    /// A known file without a network: a noun with what to do.
    Other(&'static str),
}

/// The text without the comments at its start.
fn without_comments(text: &str) -> &str {
    let mut rest = text.trim_start();
    loop {
        let end = match rest {
            rest if rest.starts_with("/*") => rest.find("*/").map(|at| at + 2),
            rest if rest.starts_with(['#', '*']) || rest.starts_with("//") => rest.find('\n'),
            _ => None,
        };
        let Some(end) = end else { return rest };
        rest = rest[end..].trim_start();
    }
}

/// Max lines that are looked at for the form.
const MAX_HEAD: usize = 2000;

impl Form {
    fn of(text: &str) -> Form {
        let start = without_comments(text);
        if start.starts_with('<') {
            return Form::of_xml(start);
        }
        // A spec starts with `[[switch]]`, a list of JSON with a map here.
        if start.strip_prefix('[').unwrap_or(start).trim_start().starts_with('{') {
            return Form::Yaml;
        }
        let is_comment = |line: &&str| line.is_empty() || line.starts_with(['#', '/', '*']);
        let mut content = start.lines().map(str::trim).filter(|line| !is_comment(line)).take(MAX_HEAD);
        let Some(first) = content.next() else { return Form::Lines };
        let words: Vec<&str> = first.split_whitespace().take(8).collect();
        let all = || std::iter::once(first).chain(content.clone());
        let has_key = |line: &str, keys: &[&str]| {
            let key = line.split(['=', ' ']).next().unwrap_or_default();
            line.contains('=') && keys.iter().any(|known| key.eq_ignore_ascii_case(known))
        };
        if labs::is_dot(first, content.clone().next().unwrap_or_default()) {
            Form::Dot
        } else if tables::is_netbox(first) {
            Form::NetBox
        } else if first.starts_with("pe,ni,switch,port") {
            Form::Cables
        } else if simulators::is_booksim(&words) {
            Form::BookSim
        } else if simulators::is_ns3(&words, content.clone()) {
            Form::Ns3
        } else if all().any(infiniband::is_record) {
            Form::InfiniBand
        } else if all().any(|line| has_key(line, &["SwitchName", "BlockName"])) {
            Form::Slurm
        } else if all().any(|line| has_key(line, &["NodeName", "PartitionName"])) {
            Form::Other("a slurm.conf, which has no network; give topology.conf or topology.yaml")
        } else if all().any(|line| line.contains("==(") && line.contains(")==>")) {
            Form::Other("the output of iblinkinfo; give the output of ibnetdiscover, which names all ports")
        } else if first == "---" || labs::is_yaml(all()) {
            Form::Yaml
        } else if tables::is_wiring(first) {
            Form::Wiring
        } else {
            Form::Lines
        }
    }

    /// The form of a text of elements; GraphML names the fault of any other.
    fn of_xml(text: &str) -> Form {
        let head = text.get(..4096).unwrap_or(text);
        match head {
            head if head.contains("<graphml") => Form::GraphMl,
            head if head.contains("<system") && head.contains("<cpu") => {
                Form::Other("an NCCL topology of one node, which has no network")
            }
            head if head.contains("hwloc") || head.contains("<topology") && head.contains("<object") => {
                Form::Other("a hwloc topology of one node, which has no network")
            }
            _ => Form::GraphMl,
        }
    }
}

impl NetworkFile {
    /// Name of the network of a file, in the middle of a sentence.
    pub(super) fn name_of(file: &str) -> String {
        format!("network of {file}")
    }

    /// Max bytes of memory that reading this text takes.
    pub fn max_bytes(text: &str) -> u64 {
        let (each, besides) = match Form::of(text) {
            Form::Yaml => (yaml::BYTES_PER_BYTE, slurm::MAX_BYTES),
            Form::Slurm => (BYTES_PER_BYTE, slurm::MAX_BYTES),
            Form::Dot => (labs::BYTES_PER_BYTE, labs::MAX_GROUPED_BYTES),
            Form::InfiniBand | Form::Ns3 | Form::BookSim | Form::Wiring | Form::NetBox => {
                (2 * BYTES_PER_BYTE, 0)
            }
            _ => (BYTES_PER_BYTE, 0),
        };
        each * text.len() as u64 + besides
    }
}

impl NetworkKind for NetworkFile {
    fn text(&self) -> String {
        format!("{}{}", Self::PREFIX, self.name)
    }

    fn name(&self) -> String {
        Self::name_of(&self.name)
    }

    /// A port counts as one of the hosts' speed, unless it is one of a trunk.
    fn parts(&self) -> Parts {
        let mut nis = [0; 2];
        for link in &self.links {
            let hosts = link.ends.iter().filter(|&&node| node < self.hosts).count() as u64;
            nis[usize::from(link.speed == LinkSpeed::Trunks)] += hosts;
        }
        let mut switches: Vec<SwitchParts> = Vec::new();
        for &[ports, trunks] in &self.switches {
            match switches.last_mut().filter(|last| (last.ports, last.trunks) == (ports, trunks)) {
                Some(last) => last.count += 1,
                None => switches.push(SwitchParts { count: 1, ports, trunks, hub: false }),
            }
        }
        let between = self.links.iter().filter(|link| link.ends.iter().all(|&node| node >= self.hosts));
        Parts {
            hosts: self.hosts,
            nis: nis[0],
            trunk_nis: nis[1],
            switches,
            cables: self.links.len() as u64,
            between: between.count() as u64,
        }
    }

    fn warnings(&self) -> &[Fault] {
        &self.warnings
    }

    fn fabric(&self, speeds: Speeds) -> Fabric {
        let link = |link: &FileLink| {
            let speed = match link.speed {
                LinkSpeed::Hosts => speeds.hosts,
                LinkSpeed::Trunks => speeds.trunks,
                LinkSpeed::Fixed(speed) => speed,
            };
            Link { ends: link.ends, speed }
        };
        let switch = |[ports, trunks]: &[u32; 2]| Switch { ports: ports + trunks, kind: SwitchKind::Switch };
        Fabric {
            hosts: self.hosts,
            switches: self.switches.iter().map(switch).collect(),
            links: self.links.iter().map(link).collect(),
        }
    }
}
