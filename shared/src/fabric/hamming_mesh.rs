//! HammingMesh: boards of hosts in a mesh, with a switch per row and per column of hosts across boards. Hosts forward.

use super::{
    Fabric, Link,
    fit::{near, squarest},
    kind::{Fitted, Kind, KindEntry, Limits, Parts, Speeds, SwitchParts},
    parameters::Numbers,
};
use crate::{
    spec::{MAX_PES, MAX_PORTS},
    text::grouped,
};

/// One plane. Host (x, y) of the whole grid is x + width * y.
#[derive(Clone, Debug, PartialEq, Eq)]
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
        source: "Hoefler et al. 2022, HammingMesh",
        read: |text| {
            let (board, rest) = Numbers::sides(text)?;
            let (boards, rest) = Numbers::sides(rest)?;
            Numbers::read(rest, [])?;
            match (board[..].try_into(), boards[..].try_into()) {
                (Ok(board), Ok(boards)) => Ok(Box::new(HammingMesh::new(board, boards)?)),
                _ => Err("two sides each, such as 2x2,4x4".into()),
            }
        },
        fit: |hosts: u32, limits: &Limits| -> Fitted {
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
}

impl Kind for HammingMesh {
    fn text(&self) -> String {
        let ([a, b], [x, y]) = (self.board, self.boards);
        format!("hamming-mesh:{a}x{b},{x}x{y}")
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
}
