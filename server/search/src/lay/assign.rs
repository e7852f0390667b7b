//! Which switch plays which part: an assignment problem, solved exactly for up to [`MOST`] switches of a kind (Kuhn and
//! Munkres), and for more on random windows of so many until that saves next to nothing.

use super::Map;
use crate::{dice::Dice, problem::NONE, wiring::Wiring};
use pathfinding::{kuhn_munkres::kuhn_munkres_min, matrix::Matrix};
use shared::spec::Spec;

/// Most switches assigned at once: 10 to 30 ms of work.
const MOST: usize = 256;
/// Most times that all windows are gone through.
const ROUNDS: u32 = 32;
/// A round that saves less than this share of the first one's savings is the last.
const SHARE: i64 = 50;

/// Gives every part the switch that makes cables shortest in all: micrometres saved.
pub fn assign(
    spec: &Spec,
    map: &Map,
    wiring: &mut Wiring,
    dice: &mut Dice,
    go_on: &mut dyn FnMut(u64) -> bool,
) -> i64 {
    let mut parts = Parts::new(spec, map, wiring);
    let mut saved = 0;
    for mut kind in kinds(spec, map, wiring) {
        saved += parts.assign_kind(&mut kind, dice, go_on);
    }
    if saved > 0 {
        let rename = |&switch: &u32| if switch == NONE { NONE } else { parts.player[switch as usize] };
        let genome: Vec<u32> = wiring.genome().iter().map(rename).collect();
        // Half-way through it cannot be stopped: a wiring that is stopped while it loads is empty.
        wiring.load(&genome, &mut || true);
    }
    saved
}

/// Switches of one model with equally many ports, a list for each kind that has more than one.
fn kinds(spec: &Spec, map: &Map, wiring: &Wiring) -> Vec<Vec<u32>> {
    let ends: Vec<u64> = spec
        .switch_counts()
        .iter()
        .scan(0, |end, &count| {
            *end += u64::from(count);
            Some(*end)
        })
        .collect();
    let model = |switch: u32| ends.partition_point(|&end| end <= u64::from(map.names[switch as usize]));
    let kind = |&switch: &u32| (model(switch), wiring.problem.ports_of(switch).len());
    let mut switches: Vec<u32> = (0..wiring.problem.switches()).filter(|&s| kind(&s).1 > 0).collect();
    switches.sort_by_key(kind);
    let kinds = switches.chunk_by(|a, b| kind(a) == kind(b)).filter(|kind| kind.len() > 1);
    kinds.map(<[u32]>::to_vec).collect()
}

/// What each switch of the wiring is for, and who plays that part.
struct Parts<'a> {
    map: &'a Map<'a>,
    /// PEs on each part.
    members: Vec<Vec<u32>>,
    /// The switch that plays each part.
    player: Vec<u32>,
    /// The folded uplink switch: every other switch in use has a cable to it.
    uplink: Option<u32>,
}

impl<'a> Parts<'a> {
    fn new(spec: &Spec, map: &'a Map, wiring: &Wiring) -> Self {
        let problem = wiring.problem;
        let occupants = |switch: u32| {
            let nis = problem.ports_of(switch).map(|port| wiring.ni_at(port as u32)).filter(|&ni| ni != NONE);
            nis.map(|ni| problem.owner(ni)).collect()
        };
        let uplink = spec.uplink_switch().and_then(|name| map.names.binary_search(&name).ok());
        Parts {
            map,
            members: (0..problem.switches()).map(occupants).collect(),
            player: (0..problem.switches()).collect(),
            uplink: uplink.map(|switch| switch as u32),
        }
    }

    /// Assigns switches of one kind, all at once or window by window.
    fn assign_kind(&mut self, kind: &mut [u32], dice: &mut Dice, go_on: &mut dyn FnMut(u64) -> bool) -> i64 {
        let (mut saved, mut first) = (0, 0);
        for round in 0..ROUNDS {
            if kind.len() > MOST {
                dice.shuffle(kind);
            }
            let mut gained = 0;
            for window in kind.chunks(MOST) {
                if !go_on((window.len() * window.len()) as u64) {
                    return saved + gained;
                }
                gained += self.assign_window(window);
            }
            saved += gained;
            first = first.max(gained);
            if kind.len() <= MOST || round > 0 && gained <= first / SHARE || gained == 0 {
                break;
            }
        }
        saved
    }

    /// Lets the players of these parts change parts among themselves.
    fn assign_window(&mut self, parts: &[u32]) -> i64 {
        let players: Vec<u32> = parts.iter().map(|&part| self.player[part as usize]).collect();
        let costs =
            Matrix::from_fn(parts.len(), parts.len(), |(row, column)| self.cost(parts[row], players[column]));
        let before: i64 = (0..parts.len()).map(|i| costs[(i, i)]).sum();
        let (after, chosen) = kuhn_munkres_min(&costs);
        if after < before {
            for (&part, column) in parts.iter().zip(chosen) {
                self.player[part as usize] = players[column];
            }
        }
        (before - after).max(0)
    }

    /// Micrometres of the cables of a part if this switch plays it.
    fn cost(&self, part: u32, switch: u32) -> i64 {
        let members = &self.members[part as usize];
        let cables: i64 = members.iter().map(|&pe| self.map.micrometres(pe, switch)).sum();
        match self.uplink {
            Some(uplink) if uplink != switch && !members.is_empty() => {
                cables + self.map.across(switch, uplink)
            }
            _ => cables,
        }
    }
}
