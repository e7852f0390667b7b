//! Graphs of hosts, switches and links.

use thiserror::Error;

/// The graph of a network.
#[derive(Clone, Debug, PartialEq)]
pub struct Fabric {
    /// Hosts: the nodes 0 to `hosts` - 1.
    pub hosts: u32,
    /// Switches: switch `s` is the node `hosts + s`.
    pub switches: Vec<Switch>,
    /// Links between any two nodes; two nodes may share several.
    pub links: Vec<Link>,
}

/// A switch or a hub.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Switch {
    /// Ports, used or not.
    pub ports: u32,
    /// Switch or hub.
    pub kind: SwitchKind,
}

/// Sharing of the switch by its ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SwitchKind {
    /// Frames between different ports pass at the same time.
    Switch,
    /// All ports share one medium: one frame at a time.
    Hub,
    /// A cable between two hosts: no switch to cross.
    Cable,
}

/// A link between two nodes, with one channel per direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// Ends of the link. Channel `2 * link` leads from the first to the second, channel `2 * link + 1` back.
    pub ends: [u32; 2],
    /// Speed of each direction, in Mb/s.
    pub speed: u32,
}

/// A fault of a graph.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FabricFault {
    /// A link to a node that does not exist.
    #[error("link {link} ends at node {node}, but there are {nodes} nodes")]
    Node {
        /// Index of the link.
        link: usize,
        /// The missing node.
        node: u32,
        /// Number of nodes.
        nodes: u32,
    },
    /// A link from a node to itself.
    #[error("link {link} joins node {node} to itself")]
    Loop {
        /// Index of the link.
        link: usize,
        /// The node.
        node: u32,
    },
    /// A link without speed.
    #[error("link {link} has speed 0")]
    Speed {
        /// Index of the link.
        link: usize,
    },
    /// More links than ports.
    #[error("switch {switch} has {ports} ports, but {links} links")]
    Ports {
        /// The switch.
        switch: u32,
        /// Ports of the switch.
        ports: u32,
        /// Links of the switch.
        links: u32,
    },
}

/// The link of a channel.
pub fn channel_link(channel: u32) -> u32 {
    channel / 2
}

impl Fabric {
    /// Number of hosts and switches.
    pub fn nodes(&self) -> u32 {
        self.hosts + self.switches.len() as u32
    }

    /// `true` if a node is a host.
    pub fn is_host(&self, node: u32) -> bool {
        node < self.hosts
    }

    /// `true` if all switches are cables between two hosts. Every path then alternates between hosts and cables.
    pub fn has_only_cables(&self) -> bool {
        !self.switches.is_empty() && self.switches.iter().all(|switch| switch.kind == SwitchKind::Cable)
    }

    /// The node of a switch.
    pub fn switch_node(&self, switch: u32) -> u32 {
        self.hosts + switch
    }

    /// Number of channels, two per link.
    pub fn channels(&self) -> u32 {
        2 * self.links.len() as u32
    }

    /// The node a channel leaves and the node it reaches.
    pub fn channel_ends(&self, channel: u32) -> (u32, u32) {
        let [first, second] = self.links[channel_link(channel) as usize].ends;
        if channel.is_multiple_of(2) { (first, second) } else { (second, first) }
    }

    /// Name of a channel for people, such as `host 3 -> switch 1`.
    pub fn channel_name(&self, channel: u32) -> String {
        let node = |node: u32| match node.checked_sub(self.hosts) {
            Some(switch) => format!("switch {switch}"),
            None => format!("host {node}"),
        };
        let (from, to) = self.channel_ends(channel);
        format!("{} -> {}", node(from), node(to))
    }

    /// The channels that leave each node, ascending.
    pub fn leaving(&self) -> Vec<Vec<u32>> {
        let mut leaving = vec![Vec::new(); self.nodes() as usize];
        for channel in 0..self.channels() {
            leaving[self.channel_ends(channel).0 as usize].push(channel);
        }
        leaving
    }

    /// Checks the graph.
    ///
    /// # Errors
    /// Links to missing nodes or to themselves, links without speed, switches with fewer ports than links.
    pub fn check(&self) -> Result<(), Vec<FabricFault>> {
        let nodes = self.nodes();
        let mut faults = Vec::new();
        let mut links = vec![0; nodes as usize];
        for (number, link) in self.links.iter().enumerate() {
            for node in link.ends {
                match links.get_mut(node as usize) {
                    Some(count) => *count += 1,
                    None => faults.push(FabricFault::Node { link: number, node, nodes }),
                }
            }
            if link.ends[0] == link.ends[1] {
                faults.push(FabricFault::Loop { link: number, node: link.ends[0] });
            }
            if link.speed == 0 {
                faults.push(FabricFault::Speed { link: number });
            }
        }
        let used = links.iter().skip(self.hosts as usize);
        for (switch, (have, &links)) in (0..).zip(self.switches.iter().zip(used)) {
            if links > have.ports {
                faults.push(FabricFault::Ports { switch, ports: have.ports, links });
            }
        }
        if faults.is_empty() { Ok(()) } else { Err(faults) }
    }
}
