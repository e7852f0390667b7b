//! Nodes and links as a file lists them, and the network that they are.

use super::{FileLink, LinkSpeed, NetworkFile};
use crate::{
    cancel::{check, checked},
    form::{Advice, says},
    spec::{Fault, Faults, MAX_PES},
    text::{count, grouped, natural},
    union_find::UnionFind,
};
use std::{borrow::Cow, collections::HashMap};

/// How a list of links or a GraphML graph names its hosts.
const NAMING: &str = "lines such as `host NAME...` or `switch NAME...` (in GraphML the node attribute `type`, `host` or `switch`)";

/// How a form names its nodes, and what it leaves open.
#[derive(Clone, Copy)]
pub(super) struct Rules {
    /// How a file names its hosts.
    pub naming: &'static str,
    /// `true` if nodes may have no link, and may have no role when others have one. Nodes without a link are then left out.
    pub is_partial: bool,
    /// `true` if hosts and switches are numbered in the order of their names.
    pub sorts: bool,
}

impl Rules {
    /// Every node has links, and either all nodes of a role or all nodes are named.
    pub const WHOLE: Rules = Rules { naming: NAMING, is_partial: false, sorts: false };

    /// A file that was written for something else.
    pub const fn partial(naming: &'static str) -> Rules {
        Rules { naming, is_partial: true, sorts: false }
    }

    /// Hosts and switches in the order of their names.
    pub const fn sorted(self) -> Rules {
        Rules { sorts: true, ..self }
    }
}

/// Max warnings of a file that are listed.
const MAX_WARNINGS: usize = 20;

/// Nodes and links of a file.
pub(super) struct FileGraph<'a> {
    file: &'a str,
    text: &'a str,
    nodes: Vec<Node<'a>>,
    numbers: HashMap<Cow<'a, str>, u32>,
    links: Vec<([u32; 2], LinkSpeed)>,
    /// In a directed graph, the edges whose opposite edges were not read yet.
    one_way: Option<HashMap<[u32; 2], u32>>,
    /// The first faults; the others are only counted.
    faults: Vec<Fault>,
    fault_count: usize,
    /// The first warnings; the others are only counted.
    warnings: Vec<Fault>,
    warning_count: usize,
    rules: Rules,
}

struct Node<'a> {
    name: Cow<'a, str>,
    /// Byte of the text at which it is first named.
    at: usize,
    role: Option<Role>,
    links: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Host,
    Switch,
    /// Left out with its links.
    Outside,
}

impl<'a> FileGraph<'a> {
    pub fn new(file: &'a str, text: &'a str, rules: Rules) -> FileGraph<'a> {
        FileGraph {
            file,
            text,
            nodes: Vec::new(),
            numbers: HashMap::new(),
            links: Vec::new(),
            one_way: None,
            faults: Vec::new(),
            fault_count: 0,
            warnings: Vec::new(),
            warning_count: 0,
            rules,
        }
    }

    /// A fault of the line with that byte.
    pub fn fault_at(&self, at: usize, value: &str, advice: impl Into<Advice>) -> Fault {
        let before = &self.text.as_bytes()[..at.min(self.text.len())];
        let line = memchr::memchr_iter(b'\n', before).count() + 1;
        Fault::new(format!("{} line {line}", self.file), value, advice)
    }

    /// Adds a fault of the line with that byte.
    pub fn fault(&mut self, at: usize, value: &str, advice: impl Into<Advice>) {
        check();
        if self.faults.len() <= Faults::MAX {
            self.faults.push(self.fault_at(at, value, advice));
        }
        self.fault_count += 1;
    }

    /// The first byte of a line of the text.
    pub fn at(&self, line: &str) -> usize {
        line.as_ptr() as usize - self.text.as_ptr() as usize
    }

    /// Adds a warning about the line with that byte.
    pub fn warn(&mut self, at: usize, sentence: impl Into<String>) {
        check();
        if self.warnings.len() < MAX_WARNINGS {
            self.warnings.push(self.fault_at(at, "", says(sentence)));
        }
        self.warning_count += 1;
    }

    /// The node of that name, new or not.
    pub fn node(&mut self, name: Cow<'a, str>, at: usize) -> u32 {
        let nodes = &mut self.nodes;
        *self.numbers.entry(name).or_insert_with_key(|name| {
            nodes.push(Node { name: name.clone(), at, role: None, links: 0 });
            nodes.len() as u32 - 1
        })
    }

    /// The node of that name.
    pub fn find(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    pub fn role(&self, node: u32) -> Option<Role> {
        self.nodes[node as usize].role
    }

    pub fn set_role(&mut self, node: u32, role: Role, at: usize) {
        let node = &mut self.nodes[node as usize];
        match node.role {
            Some(other) if other != role => {
                let name = node.name.clone();
                let sentence = says(format!("{name} is both a host and a switch; name it once."));
                self.fault(at, "", sentence);
            }
            _ => node.role = Some(role),
        }
    }

    /// Takes the edges that follow as those of a directed graph, in which an edge and its opposite edge are one link.
    pub fn set_directed(&mut self) {
        self.one_way = Some(HashMap::new());
    }

    pub fn link(&mut self, ends: [u32; 2], speed: LinkSpeed, at: usize) {
        if ends[0] == ends[1] {
            let name = self.nodes[ends[0] as usize].name.clone();
            return self.fault(at, "", says(format!("links {name} to itself; name two different nodes.")));
        }
        if let Some(one_way) = &mut self.one_way {
            let opposite = one_way.get_mut(&[ends[1], ends[0]]).filter(|edges| **edges > 0);
            match opposite {
                Some(edges) => return *edges -= 1,
                None => *one_way.entry(ends).or_default() += 1,
            }
        }
        ends.iter().for_each(|&node| self.nodes[node as usize].links += 1);
        self.links.push((ends, speed));
    }

    /// The network.
    ///
    /// # Errors
    /// Every fault of the file.
    pub fn network(mut self) -> Result<NetworkFile, Faults> {
        self.leave_out();
        // Skip this check after link errors; they would cause follow-up errors.
        if self.faults.is_empty() {
            self.fault_nodes(|node| node.links == 0 && node.role != Some(Role::Outside), "has no link");
        }
        let roles = if self.faults.is_empty() { self.roles() } else { Vec::new() };
        Faults::counted(std::mem::take(&mut self.faults), self.fault_count).map_or(Ok(()), Err)?;
        let network = self.numbered(&roles);
        self.check_paths(&network)?;
        Ok(network)
    }

    /// Leaves out the links of nodes outside, then nodes without a link if the form may have such.
    fn leave_out(&mut self) {
        let is_outside = |node: &Node| node.role == Some(Role::Outside);
        if self.nodes.iter().any(is_outside) {
            let nodes = &self.nodes;
            self.links.retain(|(ends, _)| !ends.iter().any(|&node| is_outside(&nodes[node as usize])));
            self.nodes.iter_mut().for_each(|node| node.links = 0);
            for end in self.links.iter().flat_map(|(ends, _)| ends) {
                self.nodes[*end as usize].links += 1;
            }
        }
        for index in checked(0..if self.rules.is_partial { self.nodes.len() } else { 0 }) {
            let node = &mut self.nodes[index];
            if node.links == 0 && node.role != Some(Role::Outside) {
                node.role = Some(Role::Outside);
                let (at, name) = (node.at, node.name.clone());
                self.warn(at, format!("{name} has no link and is left out."));
            }
        }
    }

    /// Adds a fault of each node that is wrong.
    fn fault_nodes(&mut self, is_wrong: impl Fn(&Node) -> bool, what: &str) {
        for index in checked(0..self.nodes.len()) {
            let node = &self.nodes[index];
            if is_wrong(node) {
                let (at, name) = (node.at, node.name.clone());
                self.fault(at, "", says(format!("{name} {what}.")));
            }
        }
    }

    /// Hosts and switches. Adds faults if the file does not say which nodes are which.
    fn roles(&mut self) -> Vec<Role> {
        let named = |role| self.nodes.iter().any(|node| node.role == Some(role));
        let (hosts, switches) = (named(Role::Host), named(Role::Switch));
        if hosts && switches && !self.rules.is_partial {
            let what = "is not named as a host or a switch, but other nodes are; name it";
            self.fault_nodes(|node| node.role.is_none(), what);
        }
        let role = |node: &Node| match node.role {
            Some(role) => role,
            None if hosts && switches && node.links == 1 => Role::Host,
            None if hosts => Role::Switch,
            None if switches => Role::Host,
            None if node.links == 1 => Role::Host,
            None => Role::Switch,
        };
        let roles: Vec<Role> = self.nodes.iter().map(role).collect();
        let found = roles.iter().filter(|&&role| role == Role::Host).count();
        let has = count(found as u64, "host");
        let sentence = match (found, hosts || switches) {
            (0, false) => {
                format!("has no hosts: no node has a single link. Name the hosts by {}.", self.rules.naming)
            }
            (0 | 1, _) => format!("has {has}, and needs at least 2, named by {}.", self.rules.naming),
            _ if found > MAX_PES as usize => {
                format!("has {has}; at most {} are supported.", grouped(MAX_PES.into()))
            }
            _ => return roles,
        };
        // What was left out says why.
        self.faults.push(Fault::new(self.file, has, says(sentence)));
        self.faults.append(&mut self.warnings);
        self.fault_count += 1 + self.warning_count;
        roles
    }

    /// The network with nodes by number: hosts, then switches.
    fn numbered(&self, roles: &[Role]) -> NetworkFile {
        let mut numbers = vec![0; roles.len()];
        let mut order: Vec<usize> = Vec::with_capacity(roles.len());
        for role in [Role::Host, Role::Switch] {
            let first = order.len();
            order.extend(checked(0..roles.len()).filter(|&node| roles[node] == role));
            if self.rules.sorts {
                order[first..].sort_by_cached_key(|&node| natural(&self.nodes[node].name));
            }
        }
        for (number, &node) in (0..).zip(&order) {
            numbers[node] = number;
        }
        let hosts = roles.iter().filter(|&&role| role == Role::Host).count();
        let mut switches = vec![[0; 2]; order.len() - hosts];
        let mut links = Vec::with_capacity(self.links.len());
        for &(ends, speed) in checked(&self.links) {
            let mut ends = ends.map(|node| numbers[node as usize]);
            ends.sort_unstable();
            for switch in ends.iter().filter_map(|&node: &u32| node.checked_sub(hosts as u32)) {
                switches[switch as usize][usize::from(speed == LinkSpeed::Trunks)] += 1;
            }
            links.push(FileLink { ends, speed });
        }
        let names = order.iter().map(|&node| self.nodes[node].name.clone().into_owned()).collect();
        let mut warnings = self.warnings.clone();
        if let Some(more) = self.warning_count.checked_sub(warnings.len()).filter(|more| *more > 0) {
            let sentence = format!("has {} more.", count(more as u64, "warning"));
            warnings.push(Fault::new(self.file, "", says(sentence)));
        }
        NetworkFile { name: self.file.into(), hosts: hosts as u32, switches, links, names, warnings }
    }

    /// Checks that there is a path between every two hosts.
    fn check_paths(&self, network: &NetworkFile) -> Result<(), Faults> {
        let mut parts = UnionFind::new(network.names.len() as u32);
        for FileLink { ends: [a, b], .. } in checked(&network.links) {
            parts.join(*a, *b);
        }
        let first = parts.root(0);
        let Some(cut_off) = (0..network.hosts).find(|&host| parts.root(host) != first) else { return Ok(()) };
        let [first, other] = [0, cut_off].map(|host| &network.names[host as usize]);
        let sentence = format!("has no path from {first} to {other}; connect all hosts.");
        Err(Fault::new(self.file, "", says(sentence)).into())
    }
}
