//! Leaf switches with uplinks to root switches (Nitzberg et al. 1999, section 3.4).

use super::{
    clos::{Clos, ClosKind},
    fit::within,
    kind::{FitResult, KindEntry, Limits},
    parameters::{Numbers, Parameter},
};
use crate::{
    spec::{MAX_PES, MAX_PORTS},
    text::count,
};

/// A tree of two levels. Uplinks have the trunks' speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tree {
    /// Hosts, more than fit one leaf.
    pub hosts: u32,
    /// Hosts per leaf.
    pub leaf: u32,
    /// Uplinks per leaf.
    pub uplinks: u32,
    /// Root switches, which share each leaf's uplinks evenly.
    pub roots: u32,
}

impl Tree {
    pub(super) const ENTRY: KindEntry = KindEntry {
        name: "tree",
        title: "Tree",
        form: "tree:HOSTS,LEAF[,UPLINKS[,ROOTS]]",
        example: "tree:768,24,2",
        explanation: "Leaf switches with uplinks to root switches; by default one root per uplink.",
        source: "Nitzberg et al. 1999, section 3.4",
        read: |text| {
            let parameters = [
                Parameter::new("hosts", 2, MAX_PES),
                Parameter::new("hosts per leaf", 1, MAX_PORTS),
                Parameter::new("uplinks per leaf", 1, MAX_PORTS).or(1),
                Parameter::new("root switches (0: one per uplink)", 0, MAX_PORTS).or(0),
            ];
            let [hosts, leaf, uplinks, roots] = Numbers::read(text, parameters)?;
            let roots = if roots == 0 { uplinks } else { roots };
            Ok(Box::new(Tree::new(hosts, leaf, uplinks, roots)?))
        },
        fit: Tree::fit,
    };

    /// The leaves of the market, with as few roots as possible.
    fn fit(hosts: u32, limits: &Limits) -> FitResult {
        let Limits { leaf, uplinks, trunk_ports, .. } = *limits;
        let max = u64::from(leaf) * u64::from(trunk_ports);
        within(hosts, leaf + 1, max.min(MAX_PES.into()), |hosts| {
            let leaves = u64::from(hosts.div_ceil(leaf));
            let suffices = |&roots: &u32| {
                uplinks.is_multiple_of(roots) && u64::from(uplinks / roots) * leaves <= trunk_ports.into()
            };
            Tree::new(hosts, leaf, uplinks, (1..=uplinks).find(suffices)?).ok()
        })
    }

    /// A tree with those numbers. Errors: one leaf suffices, or the roots cannot share the uplinks evenly.
    pub fn new(hosts: u32, leaf: u32, uplinks: u32, roots: u32) -> Result<Tree, String> {
        match () {
            () if leaf == 0 || leaf >= hosts => {
                Err(format!("1 to {} hosts per leaf, fewer than {hosts}", hosts - 1))
            }
            () if roots == 0 || !uplinks.is_multiple_of(roots) => {
                Err(format!("a number of roots that divides the {uplinks} uplinks"))
            }
            () => Ok(Tree { hosts, leaf, uplinks, roots }),
        }
    }
}

impl ClosKind for Tree {
    fn text(&self) -> String {
        let Tree { hosts, leaf, uplinks, roots } = self;
        match roots == uplinks {
            true => format!("tree:{hosts},{leaf},{uplinks}"),
            false => format!("tree:{hosts},{leaf},{uplinks},{roots}"),
        }
    }

    fn name(&self) -> String {
        let Tree { leaf, uplinks, roots, .. } = self;
        let roots =
            if roots == uplinks { String::new() } else { format!(", {}", count((*roots).into(), "root")) };
        format!(
            "tree, {} and {} per leaf{roots}",
            count((*leaf).into(), "host"),
            count((*uplinks).into(), "uplink")
        )
    }

    fn clos(&self) -> Clos {
        Clos {
            hosts: self.hosts,
            nics: 1,
            below: vec![self.leaf, self.hosts.div_ceil(self.leaf)],
            above: vec![self.roots],
            parallel: self.uplinks / self.roots,
            trunks: true,
        }
    }
}
