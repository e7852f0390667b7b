//! Fat trees (folded Clos networks) of equal switches, with links of one speed.
//!
//! A leaf has `oversubscription` hosts per uplink. Switches between leaves and top use half of their ports up and half down,
//! those at the top use all down. If the top has more ports than there are subtrees, top switches take several links from
//! each subtree, so that fewer of them suffice.

use super::{
    clos::{Clos, ClosKind},
    fit::within,
    kind::{Fitted, KindEntry, Limits},
    parameters::{Numbers, Parameter},
};
use crate::{
    spec::{MAX_PES, MAX_PORTS},
    text::grouped,
};

const MAX_LEVELS: u32 = 6;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FatTree {
    hosts: u32,
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
            Ok(Box::new(FatTree::new(hosts, radix, levels, oversubscription)?))
        },
        fit: FatTree::fit,
    };

    /// The fewest levels with room for all hosts.
    fn fit(hosts: u32, limits: &Limits) -> Fitted {
        let ports = limits.ports;
        let max = u64::from(ports / 2).saturating_pow(MAX_LEVELS).saturating_mul(2);
        within(hosts, ports + 1, max.min(MAX_PES.into()), |hosts| {
            (2..=MAX_LEVELS).find_map(|levels| FatTree::new(hosts, ports, levels, 1).ok())
        })
    }

    /// A fat tree of switches with `radix` ports, in 2 to 6 levels.
    ///
    /// # Errors
    /// The hosts are too many, or so few that one level less suffices.
    pub fn new(hosts: u32, radix: u32, levels: u32, oversubscription: u32) -> Result<FatTree, String> {
        let up = radix / oversubscription.saturating_add(1);
        if up == 0 {
            return Err(format!("fewer than {radix} hosts per uplink for switches with {radix} ports"));
        }
        let middle = u64::from(radix / 2).saturating_pow(levels - 2);
        let group = middle.saturating_mul((up * oversubscription).into());
        let (min, max) = (group.saturating_add(1), group.saturating_mul(radix.into()));
        if !(min..=max).contains(&u64::from(hosts)) {
            let hosts = format!("{} to {} hosts", grouped(min), grouped(max));
            return Err(format!("{hosts} for {radix} ports and {levels} levels"));
        }
        Ok(FatTree { hosts, radix, levels, oversubscription })
    }
}

impl ClosKind for FatTree {
    fn text(&self) -> String {
        let FatTree { hosts, radix, levels, oversubscription } = self;
        match oversubscription {
            1 => format!("fat-tree:{hosts},{radix},{levels}"),
            _ => format!("fat-tree:{hosts},{radix},{levels},{oversubscription}"),
        }
    }

    fn clos(&self) -> Clos {
        let up = self.radix / (self.oversubscription + 1);
        let half = self.radix / 2;
        let middle = self.levels as usize - 2;
        let mut below = vec![half; middle + 1];
        below[0] = up * self.oversubscription;
        let group: u64 = below.iter().map(|&below| u64::from(below)).product();
        let subtrees = u64::from(self.hosts).div_ceil(group) as u32;
        below.push(subtrees);
        let mut above = vec![half; middle + 1];
        above[0] = up;
        let last = above.len() - 1;
        let fits = |&links: &u32| above[last].is_multiple_of(links) && links * subtrees <= self.radix;
        let parallel = (1..=above[last]).rev().find(fits).unwrap_or(1);
        above[last] /= parallel;
        Clos { hosts: self.hosts, below, above, parallel, trunks: false }
    }
}
