//! Choice of paths.

use crate::{SimulateError, network::Network, random_stream};
use network::fabric::Routing;
use spec::random::Rng;
use work::simulation::Paths;

/// Paths between hosts as channels.
pub(crate) struct PathTable<'a> {
    pub routing: &'a dyn Routing,
    paths: Paths,
    pub hosts: u32,
}

/// Chooses a path for each frame of a host in turn.
#[derive(Clone, Debug)]
pub(crate) struct Chooser {
    /// Random stream of the host, so that hosts do not influence each other's draws; `None` if nothing is drawn.
    rng: Option<Rng>,
    /// Next path by destination; empty unless paths alternate.
    next: Vec<u16>,
}

impl Chooser {
    /// Chooser of the host `from`. A clone repeats the same choices. Streams from 2^32 on belong to choosers, those below to
    /// the traffic.
    pub fn new(paths: Paths, hosts: u32, from: u32, seed: u64) -> Chooser {
        let drawn = matches!(paths, Paths::Random | Paths::RandomIntermediate);
        let alternates = paths == Paths::Alternate;
        Chooser {
            rng: drawn.then(|| random_stream(seed, (1 << 32) | u64::from(from))),
            next: vec![0; if alternates { hosts as usize } else { 0 }],
        }
    }

    /// Choice for the next frame: the number of a path, or the intermediate host.
    pub fn choose(&mut self, routes: &PathTable, from: u32, to: u32) -> u32 {
        let Some(rng) = &mut self.rng else {
            let Some(next) = self.next.get_mut(to as usize) else { return 0 };
            let choice = u32::from(*next);
            let choices = routes.routing.choices(from, to).clamp(1, 1 << 16);
            *next = ((choice + 1) % choices) as u16;
            return choice;
        };
        match routes.paths {
            Paths::RandomIntermediate if routes.hosts > 2 => {
                // Any host but the two.
                let (low, high) = (from.min(to), from.max(to));
                let drawn = rng.below(routes.hosts - 2);
                let drawn = drawn + u32::from(drawn >= low);
                drawn + u32::from(drawn >= high)
            }
            Paths::RandomIntermediate => to,
            _ => rng.below(routes.routing.choices(from, to)),
        }
    }
}

impl<'a> PathTable<'a> {
    /// Paths of a routing between `hosts` hosts.
    pub fn new(routing: &'a dyn Routing, paths: Paths, hosts: u32) -> PathTable<'a> {
        PathTable { routing, paths, hosts }
    }

    /// Writes the channels of the chosen path to `path`. Returns the number of those before the random host, if the path leads
    /// over one, else the number of all.
    ///
    /// # Errors
    /// Returned if there is no such path, or its channels do not follow one another.
    pub fn path(
        &self,
        network: &Network,
        (from, to): (u32, u32),
        choice: u32,
        path: &mut Vec<u32>,
    ) -> Result<usize, SimulateError> {
        path.clear();
        let part = |from: u32, to: u32, choice: u32, path: &mut Vec<u32>| {
            if self.routing.choices(from, to) <= choice {
                return Err(SimulateError::NoPath(from, to));
            }
            let start = path.len();
            self.routing.path(from, to, choice, path);
            check(network, (from, to), &path[start..])
        };
        if self.paths == Paths::RandomIntermediate && choice != to {
            part(from, to, 0, path)?;
            // Frames between hosts on one switch stay there.
            if path.len() == 2 && network.from[path[1] as usize] >= network.hosts {
                return Ok(2);
            }
            path.clear();
            part(from, choice, 0, path)?;
            let mut middle = path.len();
            part(choice, to, 0, path)?;
            let turn = path[middle - 1] ^ path[middle];
            let switch = network.from[path[middle - 1] as usize];
            // Going to the intermediate host and back over one link turns in the switch.
            if turn == 1 && switch >= network.hosts {
                path.drain(middle - 1..=middle);
                middle -= 1;
            }
            Ok(middle)
        } else {
            let choice = if self.paths == Paths::RandomIntermediate { 0 } else { choice };
            part(from, to, choice, path)?;
            Ok(path.len())
        }
    }

    /// [`PathTable::path`] for several choices of the same hosts: calls `each(at, path, hops before the random host)`.
    ///
    /// # Errors
    /// As [`PathTable::path`].
    pub fn paths(
        &self,
        network: &Network,
        (from, to): (u32, u32),
        choices: &[u32],
        mut each: impl FnMut(usize, &[u32], usize) -> Result<(), SimulateError>,
    ) -> Result<(), SimulateError> {
        if self.paths == Paths::RandomIntermediate {
            let mut path = Vec::new();
            for (at, &choice) in choices.iter().enumerate() {
                let leg = self.path(network, (from, to), choice, &mut path)?;
                each(at, &path, leg)?;
            }
            return Ok(());
        }
        let count = self.routing.choices(from, to);
        if choices.iter().any(|&choice| choice >= count) {
            return Err(SimulateError::NoPath(from, to));
        }
        let mut result = Ok(());
        self.routing.paths([from, to], choices, &mut |at, path| {
            if result.is_ok() {
                result = check(network, (from, to), path).and_then(|()| each(at, path, path.len()));
            }
        });
        result
    }
}

/// Checks that channels lead from one host to another.
///
/// # Errors
/// They do not follow one another.
fn check(network: &Network, (from, to): (u32, u32), path: &[u32]) -> Result<(), SimulateError> {
    let mut node = from;
    for &channel in path {
        if channel >= network.channels() || network.from[channel as usize] != node {
            return Err(SimulateError::Path(from, to, channel));
        }
        node = network.to[channel as usize];
    }
    if node == to { Ok(()) } else { Err(SimulateError::NoPath(from, to)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use network::fabric::{Minimal, Speeds, kinds};
    use work::simulation::Settings;

    #[test]
    fn frames_between_hosts_on_one_switch_take_no_detour() {
        // Two hosts on each of four switches, all of which are connected.
        let kind = kinds::parse("hyperx:4,1,2").unwrap();
        let fabric = kind.fabric(Speeds::default());
        let network = Network::new(&fabric, &Settings::default()).unwrap();
        let routing = Minimal::of(&fabric).unwrap();
        let routes = PathTable::new(&routing, Paths::RandomIntermediate, fabric.hosts);
        let mut path = Vec::new();
        for middle in 2..8 {
            assert_eq!(routes.path(&network, (0, 1), middle, &mut path), Ok(2), "over {middle}");
            assert_eq!(path.len(), 2);
        }
        // Other frames turn in the switch of the random host.
        assert_eq!(routes.path(&network, (0, 2), 4, &mut path).unwrap(), 2);
        assert_eq!(path.len(), 4);
    }
}
