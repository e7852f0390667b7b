//! What BookSim 2 cannot simulate.

use thiserror::Error;

/// Why BookSim 2 cannot simulate it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BooksimFault {
    /// Not one link at a host.
    #[error("BookSim's anynet has one link from each host to a switch; host {host} has {links}")]
    Host {
        /// The host.
        host: u32,
        /// Its links to switches.
        links: u32,
    },
    /// A link between hosts.
    #[error("BookSim's anynet has links from hosts to switches alone; one joins hosts {0} and {1}")]
    HostToHost(u32, u32),
    /// Several links between two switches.
    #[error("BookSim's anynet has one link between two switches; switches {0} and {1} have several")]
    Parallel(u32, u32),
    /// Links of several speeds, or slower than a flit a cycle.
    #[error(
        "BookSim's links carry a flit a cycle; links of one speed, which is reference_speed, were expected"
    )]
    Speeds,
    /// A shared medium.
    #[error("BookSim has no hubs; switch {switch} is one")]
    Hub {
        /// Which.
        switch: u32,
    },
    /// A network in parts.
    #[error("BookSim's anynet must be in one piece; there is no way from switch 0 to switch {switch}")]
    Apart {
        /// A switch of another part.
        switch: u32,
    },
    /// Hosts that take no part.
    #[error("all of BookSim's nodes send; the traffic has {nodes} nodes, and the fabric {hosts} hosts")]
    Nodes {
        /// Nodes of the traffic.
        nodes: u32,
        /// Hosts of the fabric.
        hosts: u32,
    },
    /// A setting that it does not have.
    #[error("BookSim has no {field} of {value}; {accepted} was expected")]
    Rule {
        /// The setting.
        field: &'static str,
        /// What it holds.
        value: String,
        /// What would be accepted.
        accepted: String,
    },
    /// A file's name that its configuration cannot hold.
    #[error(
        "BookSim cannot read {name:?} as a file's name; letters, digits and the characters _-./+ were expected"
    )]
    Name {
        /// The name.
        name: String,
    },
    /// Traffic it does not have.
    #[error("BookSim has no traffic {name:?} among {nodes} nodes; {accepted} was expected")]
    Traffic {
        /// The traffic's name.
        name: String,
        /// How many nodes there are.
        nodes: u32,
        /// What would be accepted.
        accepted: &'static str,
    },
}
