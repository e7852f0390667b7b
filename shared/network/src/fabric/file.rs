//! A network from a file: a list of links, or a GraphML graph.
//!
//! | form | recognized by | links | hosts |
//! | --- | --- | --- | --- |
//! | [`lines`] | anything else | a line `a b [speed]` per link | lines `host NAME…` and `switch NAME…` |
//! | [`graphml`] | `<` as the first character | an edge per link | a node attribute `type`, `kind` or `role` |
//!
//! If only hosts are named, all other nodes are switches, and vice versa. If both are named, every node needs a name. If the
//! file names neither, the nodes with a single link are the hosts. Hosts and switches are numbered in the order in which the
//! file first names them.

mod graphml;
mod lines;
mod listed;

use super::{
    Fabric, Link, Switch, SwitchKind,
    kind::{NetworkKind, Parts, Speeds, SwitchParts},
};
use crate::{
    spec::{Fault, Faults},
    text::grouped,
};

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
    pub const EXPLANATION: &str = "A network from a file: a line `a b [speed]` per link, or GraphML. Hosts are the nodes of \
                                   lines `host NAME...` or of type `host`, otherwise the nodes with a single link.";

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
        match text.trim_start().starts_with('<') {
            true => graphml::read(name, text),
            false => lines::read(name, text),
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
        BYTES_PER_BYTE * text.len() as u64
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
