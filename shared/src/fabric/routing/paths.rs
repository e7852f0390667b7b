//! One path for every pair of hosts, written out.

/// Paths from each host to each other one.
#[derive(Clone, Debug)]
pub(super) struct Paths {
    hosts: u32,
    /// Path of pair p: `channels[starts[p]..starts[p + 1]]`.
    starts: Vec<u32>,
    pub channels: Vec<u32>,
}

impl Paths {
    pub fn new(hosts: u32) -> Paths {
        let pairs = hosts as usize * hosts as usize;
        let mut starts = Vec::with_capacity(pairs + 1);
        starts.push(0);
        Paths { hosts, starts, channels: Vec::new() }
    }

    /// Ends the path of the next pair, in order of sources and then of destinations.
    pub fn end(&mut self) {
        self.starts.push(self.channels.len() as u32);
    }

    /// The path of a pair; empty where there is none.
    pub fn of(&self, from: u32, to: u32) -> &[u32] {
        let pair = from as usize * self.hosts as usize + to as usize;
        &self.channels[self.starts[pair] as usize..self.starts[pair + 1] as usize]
    }
}
