//! HammingMesh: boards of hosts in a mesh, with a switch per row and per column of hosts across boards. Hosts forward.

use super::{
    Fabric, Link, RingChannel, Routing, Way,
    fit::{near, squarest},
    kind::{FitResult, KindEntry, Limits, NetworkKind, Parts, Speeds, SwitchParts},
    parameters::Numbers,
    routing::Ties,
};
use crate::{
    spec::{MAX_PES, MAX_PORTS},
    text::grouped,
};
use std::cmp::Ordering;

/// One plane. Host (x, y) of the whole grid is x + width * y.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HammingMesh {
    /// Width and height of a board, in hosts.
    board: [u32; 2],
    /// Boards side by side, and above each other.
    boards: [u32; 2],
}

impl HammingMesh {
    pub(super) const ENTRY: KindEntry = KindEntry {
        name: "hamming-mesh",
        title: "HammingMesh",
        form: "hamming-mesh:BOARD,BOARDS",
        example: "hamming-mesh:2x2,4x4",
        explanation: "Boards of hosts in a mesh, a switch per row and per column of hosts; hosts have four NICs and forward.",
        source: "Hoefler et al. 2022",
        read: |text| {
            let (board, rest) = Numbers::sides(text)?;
            let (boards, rest) = Numbers::sides(rest)?;
            Numbers::read(rest, [])?;
            match (board[..].try_into(), boards[..].try_into()) {
                (Ok(board), Ok(boards)) => Ok(Box::new(HammingMesh::new(board, boards)?)),
                _ => Err("two sides each, such as 2x2,4x4".into()),
            }
        },
        fit: |hosts: u32, limits: &Limits| -> FitResult {
            near(hosts, MAX_PES.into(), |hosts| {
                let boards = squarest(hosts.is_multiple_of(4).then_some(hosts / 4)?)?;
                let fits = boards.iter().all(|side| 2 * side <= limits.ports);
                HammingMesh::new([2, 2], boards).ok().filter(|_| fits)
            })
        },
    };

    fn new(board: [u32; 2], boards: [u32; 2]) -> Result<HammingMesh, String> {
        let all = board.iter().chain(&boards).try_fold(1u32, |all, &side| all.checked_mul(side));
        match all {
            _ if board.contains(&0) || boards.iter().any(|&side| side < 2) => {
                Err("boards of at least 1x1, and at least 2x2 of them".into())
            }
            Some(hosts) if hosts <= MAX_PES && boards.iter().all(|side| 2 * side <= MAX_PORTS) => {
                Ok(HammingMesh { board, boards })
            }
            _ => {
                let [hosts, side] = [MAX_PES, MAX_PORTS / 2].map(|most| grouped(most.into()));
                Err(format!("at most {hosts} hosts, and at most {side} boards in a row"))
            }
        }
    }

    fn width(&self, dimension: usize) -> u32 {
        self.board[dimension] * self.boards[dimension]
    }

    fn hosts(&self) -> u32 {
        self.width(0) * self.width(1)
    }

    /// Links along rows, then along columns: on boards, and from their edges to the switches.
    fn ends(&self) -> impl Iterator<Item = [u32; 2]> + '_ {
        let (width, hosts) = (self.width(0), self.hosts());
        let rows = self.width(1);
        (0..hosts).flat_map(move |host| {
            let place = [host % width, host / width];
            let switches = [hosts + place[1], hosts + rows + place[0]];
            [0, 1].into_iter().flat_map(move |dimension| {
                let at = place[dimension] % self.board[dimension];
                let stride = if dimension == 0 { 1 } else { width };
                let before = (at == 0).then_some([host, switches[dimension]]);
                let after = match at + 1 == self.board[dimension] {
                    true => [host, switches[dimension]],
                    false => [host, host + stride],
                };
                before.into_iter().chain([after])
            })
        })
    }

    /// The link of a host up along a dimension, or the one down to the switch from the first host of a board.
    fn link(&self, host: u32, dimension: usize, way: Way) -> u32 {
        let ([a, b], width) = (self.board, self.width(0));
        let [x, y] = [host % width, host / width];
        let first = [x % a == 0, y % b == 0].map(u32::from);
        // Every host has a link up in each dimension, and one down more where boards begin.
        let down = y * self.boards[0] + x.div_ceil(a) + y.div_ceil(b) * width + first[1] * x;
        let before = if dimension == 0 { 0 } else { first[0] + 1 };
        2 * host + down + before + if way == Way::Up { first[dimension] } else { 0 }
    }

    /// The edge of its board with fewer hosts before it, from a coordinate; `None` if both are as near.
    fn nearer(&self, dimension: usize, coordinate: u32) -> Option<Way> {
        let side = self.board[dimension];
        match (2 * (coordinate % side)).cmp(&(side - 1)) {
            Ordering::Less => Some(Way::Down),
            Ordering::Equal => None,
            Ordering::Greater => Some(Way::Up),
        }
    }

    /// `true` if the way between two coordinates on the board passes no more hosts than the way over the switch.
    fn stays(&self, dimension: usize, from: u32, to: u32) -> bool {
        let side = self.board[dimension];
        from / side == to / side && 2 * from.abs_diff(to) <= side
    }

    /// Coordinates of two hosts in a dimension.
    fn coordinates(&self, dimension: usize, hosts: [u32; 2]) -> [u32; 2] {
        let width = self.width(0);
        hosts.map(|host| if dimension == 0 { host % width } else { host / width })
    }
}

/// First along the row, then along the column. A frame crosses a board where that passes no more hosts, and otherwise leaves and
/// enters boards at the nearer edge. From the middle of a board there is a path over each edge.
impl Routing for HammingMesh {
    fn choices(&self, from: u32, to: u32) -> u32 {
        let ties = |dimension| {
            let [from, to] = self.coordinates(dimension, [from, to]);
            let ends = [from, to].into_iter().filter(|&end| self.nearer(dimension, end).is_none());
            if self.stays(dimension, from, to) { 0 } else { ends.count() }
        };
        1 << (ties(0) + ties(1))
    }

    fn path(&self, from: u32, to: u32, choice: u32, channels: &mut Vec<u32>) {
        let mut ties = Ties::of(from, to, choice);
        // Row of the source, then column of the destination.
        let turn = from - self.coordinates(0, [from, to])[0] + self.coordinates(0, [from, to])[1];
        for (dimension, [host, end]) in [[from, turn], [turn, to]].into_iter().enumerate() {
            let [at, to] = self.coordinates(dimension, [host, end]);
            let stride = if dimension == 0 { 1 } else { self.width(0) };
            let place = |coordinate: u32| host - at * stride + coordinate * stride;
            let up = |at: u32| 2 * self.link(place(at), dimension, Way::Up);
            let cross = |at: u32, to: u32, channels: &mut Vec<u32>| {
                channels.extend((at..to).map(up));
                channels.extend((to..at).rev().map(|at| up(at) + 1));
            };
            if self.stays(dimension, at, to) {
                cross(at, to, channels);
                continue;
            }
            let side = self.board[dimension];
            let [leave, enter] = [at, to].map(|at| {
                let way = self.nearer(dimension, at).unwrap_or_else(|| ties.next());
                let edge = at - at % side + if way == Way::Up { side - 1 } else { 0 };
                (edge, 2 * self.link(place(edge), dimension, way))
            });
            cross(at, leave.0, channels);
            channels.extend([leave.1, enter.1 + 1]);
            cross(enter.0, to, channels);
        }
    }

    /// A row or column of a board and its switch are a ring, which the links of the switch close.
    fn rings(&self) -> Vec<RingChannel> {
        let ends = self.ends().flat_map(|[host, next]| {
            let dimension = match next.checked_sub(self.hosts()) {
                Some(switch) => usize::from(switch >= self.width(1)),
                None => usize::from(next != host + 1),
            };
            [(dimension, next >= self.hosts()); 2]
        });
        (0..)
            .zip(ends)
            .map(|(channel, (dimension, closes))| RingChannel { channel, dimension, closes })
            .collect()
    }
}

impl NetworkKind for HammingMesh {
    fn text(&self) -> String {
        let ([a, b], [x, y]) = (self.board, self.boards);
        format!("hamming-mesh:{a}x{b},{x}x{y}")
    }

    fn name(&self) -> String {
        let [[a, b], [c, d]] = [self.boards, self.board];
        format!("HammingMesh, {a}x{b} boards of {c}x{d} hosts")
    }

    fn parts(&self) -> Parts {
        let hosts = u64::from(self.hosts());
        // Each line of hosts has a link more than hosts per board.
        let along = |d: usize| hosts / u64::from(self.board[d]) * u64::from(self.board[d] + 1);
        let of = |count, boards: u32| SwitchParts { count, ports: 2 * boards, trunks: 0, hub: false };
        Parts {
            hosts: self.hosts(),
            nis: 4 * hosts,
            trunk_nis: 0,
            switches: vec![of(self.width(1), self.boards[0]), of(self.width(0), self.boards[1])],
            cables: along(0) + along(1),
            between: 0,
        }
    }

    fn fabric(&self, speeds: Speeds) -> Fabric {
        let links = self.ends().map(|ends| Link { ends, speed: speeds.hosts }).collect();
        Fabric { hosts: self.hosts(), switches: self.parts().all_switches(), links }
    }

    fn routing(&self) -> Option<Box<dyn Routing>> {
        Some(Box::new(*self))
    }
}
