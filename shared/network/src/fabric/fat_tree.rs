//! Fat trees (folded Clos networks) of equal switches, with links of one speed.
//!
//! A leaf has `oversubscription` hosts per uplink. Switches between leaves and top use half of their ports up and half down,
//! those at the top use all down. If the top has more ports than there are subtrees, top switches take several links from
//! each subtree, so that fewer of them suffice.
//!
//! With several NICs per host, each on a leaf of its own rail, this is the rail-optimised network of GPU clusters.

use super::{
    clos::{Clos, ClosKind},
    fit::within,
    kind::{FitResult, KindEntry, Limits},
    parameters::{Numbers, Parameter},
};
use crate::{
    spec::{MAX_PES, MAX_PORTS},
    text::grouped,
};

const MAX_LEVELS: u32 = 6;
const MAX_NICS: u32 = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FatTree {
    hosts: u32,
    /// NICs per host; each is on another rail.
    nics: u32,
    radix: u32,
    levels: u32,
    oversubscription: u32,
}

impl FatTree {
    pub(super) const ENTRY: KindEntry = KindEntry {
        name: "fat-tree",
        title: "Fat tree",
        form: "fat-tree:HOSTS,PORTS,LEVELS[,OVERSUBSCRIPTION]",
        example: "fat-tree:128,8,3",
        explanation: "Levels of equal switches; leaf switches have as many uplinks as hosts, or fewer if oversubscribed.",
        source: "Leiserson 1985; Öhring et al. 1995",
        read: |text| {
            let parameters = [
                Parameter::new("hosts", 2, MAX_PES),
                Parameter::new("ports per switch", 2, MAX_PORTS),
                Parameter::new("levels", 2, MAX_LEVELS),
                Parameter::new("hosts per uplink", 1, MAX_PORTS).or(1),
            ];
            let [hosts, radix, levels, oversubscription] = Numbers::read(text, parameters)?;
            Ok(Box::new(FatTree::new(hosts, 1, [radix, levels, oversubscription])?))
        },
        fit: |hosts, limits| FatTree::fit(hosts, 1, limits),
    };
    pub(super) const RAILS: KindEntry = KindEntry {
        name: "rail-clos",
        title: "Rail-optimised Clos",
        form: "rail-clos:HOSTS,NICS,PORTS,LEVELS[,OVERSUBSCRIPTION]",
        example: "rail-clos:64,8,64,2",
        explanation: "A fat tree whose leaves belong to rails: NIC i of every host is on a leaf of rail i, and rails meet above.",
        source: "Wang et al. 2024, section 2",
        read: |text| {
            let parameters = [
                Parameter::new("hosts", 2, MAX_PES),
                Parameter::new("NICs per host", 2, MAX_NICS),
                Parameter::new("ports per switch", 2, MAX_PORTS),
                Parameter::new("levels", 2, MAX_LEVELS),
                Parameter::new("hosts per uplink", 1, MAX_PORTS).or(1),
            ];
            let [hosts, nics, radix, levels, oversubscription] = Numbers::read(text, parameters)?;
            Ok(Box::new(FatTree::new(hosts, nics, [radix, levels, oversubscription])?))
        },
        fit: |hosts, limits| match limits.nics {
            1 => Err("hosts with several NICs".into()),
            nics => FatTree::fit(hosts, nics, limits),
        },
    };

    /// The fewest levels with room for all hosts.
    fn fit(hosts: u32, nics: u32, limits: &Limits) -> FitResult {
        let ports = limits.ports;
        let tree = |levels| FatTree { hosts, nics, radix: ports, levels, oversubscription: 1 };
        let (least, _) = tree(2).takes();
        let (_, most) = tree(MAX_LEVELS).takes();
        within(hosts, least.min(MAX_PES.into()) as u32, most.min(MAX_PES.into()), |hosts| {
            (2..=MAX_LEVELS).find_map(|levels| FatTree::new(hosts, nics, [ports, levels, 1]).ok())
        })
    }

    /// A fat tree of switches with that radix, in 2 to 6 levels, with that many hosts per uplink of a leaf.
    ///
    /// # Errors
    /// The hosts are too many, or so few that one level less suffices.
    pub fn new(
        hosts: u32,
        nics: u32,
        [radix, levels, oversubscription]: [u32; 3],
    ) -> Result<FatTree, String> {
        let tree = FatTree { hosts, nics, radix, levels, oversubscription };
        if tree.up() == 0 {
            return Err(format!("fewer than {radix} hosts per uplink for switches with {radix} ports"));
        }
        let (least, most) = tree.takes();
        match (least..=most).contains(&u64::from(hosts)) {
            true => Ok(tree),
            false if least > MAX_PES.into() => Err(format!("fewer than {levels} levels for {radix} ports")),
            false if most < least => Err(format!("more than {radix} ports for {nics} NICs per host")),
            false => {
                let hosts = format!("{} to {} hosts", grouped(least), grouped(most));
                Err(format!("{hosts} for {radix} ports and {levels} levels"))
            }
        }
    }

    /// Uplinks of a leaf.
    fn up(&self) -> u32 {
        self.radix / self.oversubscription.saturating_add(1)
    }

    /// Subtrees below each switch of the levels between leaves and top: for the second level, whole groups of leaves.
    fn middle(&self) -> Vec<u32> {
        let half = self.radix / 2;
        let mut middle = vec![half; self.levels as usize - 2];
        if let Some(second) = middle.first_mut() {
            *second -= half % self.nics;
        }
        middle
    }

    /// Least and most hosts of a tree with those switches and levels.
    fn takes(&self) -> (u64, u64) {
        let (radix, nics) = (u64::from(self.radix), u64::from(self.nics));
        let leaf = u64::from(self.up() * self.oversubscription);
        let middle = self.middle().into_iter().map(u64::from).fold(1u64, u64::saturating_mul);
        match self.levels {
            2 => (leaf + 1, leaf * (radix / nics)),
            _ => {
                let group = (middle / nics).saturating_mul(leaf);
                (group.saturating_add(1), group.saturating_mul(radix))
            }
        }
    }
}

impl ClosKind for FatTree {
    fn text(&self) -> String {
        let FatTree { hosts, nics, radix, levels, oversubscription } = self;
        let own = match nics {
            1 => format!("fat-tree:{hosts},{radix},{levels}"),
            nics => format!("rail-clos:{hosts},{nics},{radix},{levels}"),
        };
        if *oversubscription == 1 { own } else { format!("{own},{oversubscription}") }
    }

    fn name(&self) -> String {
        let FatTree { nics, levels, oversubscription, .. } = self;
        match nics {
            1 => format!("fat tree, {levels} levels, 1:{oversubscription}"),
            rails => format!("rail-optimised Clos, {rails} rails, {levels} levels, 1:{oversubscription}"),
        }
    }

    fn clos(&self) -> Clos {
        let (up, half) = (self.up(), self.radix / 2);
        let mut below = vec![up * self.oversubscription];
        below.extend(self.middle());
        let leaves = self.hosts.div_ceil(below[0]) * self.nics;
        let subtrees = below[1..].iter().fold(leaves, |subtrees, &below| subtrees.div_ceil(below));
        below.push(subtrees);
        let mut above = vec![half; self.levels as usize - 1];
        above[0] = up;
        let last = above.len() - 1;
        let fits = |&links: &u32| above[last].is_multiple_of(links) && links * subtrees <= self.radix;
        let parallel = (1..=above[last]).rev().find(fits).unwrap_or(1);
        above[last] /= parallel;
        Clos { hosts: self.hosts, nics: self.nics, below, above, parallel, trunks: false }
    }
}
