//! Jellyfish: a random graph of switches with equal numbers of links.

use super::{
    kind::{FitResult, KindEntry, Limits},
    parameters::{Numbers, Parameter, split},
    switched::{SwitchGraph, SwitchedNetwork},
};
use crate::{
    random::Rng,
    spec::MAX_PORTS,
    text::{count, grouped},
    union_find::UnionFind,
};
use std::collections::HashSet;

const MAX_SWITCHES: u32 = 1 << 16;
const MAX_BETWEEN: u64 = 1 << 21;

/// A random regular graph, the same for a seed on every machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Jellyfish {
    switches: u32,
    degree: u32,
    seed: u32,
}

impl Jellyfish {
    pub(super) const ENTRY: KindEntry = KindEntry {
        name: Jellyfish::NAME,
        title: "Jellyfish",
        form: "jellyfish:SWITCHES,LINKS[,SEED[,HOSTS PER SWITCH[,HOSTS]]]",
        example: "jellyfish:20,6",
        explanation: "Switches in a random graph, all with the same number of links; the seed selects the graph.",
        source: "Singla et al. 2012",
        read: |text| {
            let (own, rest) = split(text, 3);
            let parameters = [
                Parameter::new("switches", 4, MAX_SWITCHES),
                Parameter::new("links per switch", 3, MAX_PORTS),
                Parameter::new("seed", 0, u32::MAX).or(0),
            ];
            let [switches, degree, seed] = Numbers::read(own, parameters)?;
            Ok(Box::new(SwitchedNetwork::read(Jellyfish::new(switches, degree, seed)?, rest)?))
        },
        fit: |hosts: u32, limits: &Limits| -> FitResult {
            // With links to more than half of the others, little is random.
            let graphs = |share: u32| {
                (1..limits.ports).filter_map(move |each| {
                    let switches = hosts.div_ceil(each).next_multiple_of(2);
                    let degree = (limits.ports - each).min((switches - 1) / share);
                    Jellyfish::new(switches, degree, 0).ok()
                })
            };
            SwitchedNetwork::fit_preferred(hosts, limits.ports, graphs(2), graphs(1))
        },
    };

    fn new(switches: u32, degree: u32, seed: u32) -> Result<Jellyfish, String> {
        match () {
            () if degree < 3 || degree >= switches => {
                Err(format!("3 to {} links per switch for {switches} switches", switches.saturating_sub(1)))
            }
            () if !(u64::from(switches) * u64::from(degree)).is_multiple_of(2) => {
                Err("an even number of switches, or of links per switch".into())
            }
            () if u64::from(switches) * u64::from(degree) / 2 > MAX_BETWEEN => {
                Err(format!("at most {} links between switches", grouped(MAX_BETWEEN)))
            }
            () => Ok(Jellyfish { switches, degree, seed }),
        }
    }

    /// A ring with links to the next switches on both sides, whose links then exchange ends at random until nothing is left of it.
    fn drawn(&self, stream: u64) -> Vec<[u32; 2]> {
        let (n, degree) = (self.switches, self.degree);
        let ring = (0..n).flat_map(|from| (1..=degree / 2).map(move |step| [from, (from + step) % n]));
        let across = (0..n / 2 * (degree % 2)).map(|from| [from, from + n / 2]);
        let mut links: Vec<[u32; 2]> = ring.chain(across).map(ascending).collect();
        let mut known: HashSet<[u32; 2]> = links.iter().copied().collect();
        let mut random = Rng::new(self.seed.into(), stream);
        for _ in 0..10 * links.len() {
            let [one, two] = [(); 2].map(|()| random.below(links.len() as u32) as usize);
            let ([a, b], [c, d]) = (links[one], links[two]);
            let (c, d) = if random.bits().is_multiple_of(2) { (c, d) } else { (d, c) };
            let new = [ascending([a, d]), ascending([c, b])];
            if a == d || c == b || new[0] == new[1] || new.iter().any(|link| known.contains(link)) {
                continue;
            }
            [links[one], links[two]].iter().for_each(|link| _ = known.remove(link));
            known.extend(new);
            [links[one], links[two]] = new;
        }
        links
    }

    fn is_connected(&self, links: &[[u32; 2]]) -> bool {
        let mut sets = UnionFind::new(self.switches);
        let joins = links.iter().filter(|&&[a, b]| sets.join(a, b)).count();
        joins as u32 + 1 == self.switches
    }
}

fn ascending([a, b]: [u32; 2]) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

impl SwitchGraph for Jellyfish {
    const NAME: &'static str = "jellyfish";

    fn text(&self, whole: bool) -> String {
        match self.seed {
            0 if !whole => format!("{},{}", self.switches, self.degree),
            seed => format!("{},{},{seed}", self.switches, self.degree),
        }
    }

    fn name(&self) -> String {
        format!("Jellyfish, {}", count(self.switches.into(), "switch"))
    }

    /// Links over the least mean distance of a graph with that degree (Cerf et al. 1974; Singla et al. 2012, section 4.1): no more
    /// hosts can send uniform traffic at full speed.
    fn balanced(&self) -> u32 {
        let (mut left, mut layer) = (u64::from(self.switches) - 1, u64::from(self.degree));
        let (mut sum, mut distance) = (0, 1);
        while left > 0 {
            sum += distance * layer.min(left);
            left -= layer.min(left);
            (layer, distance) = (layer * u64::from(self.degree - 1), distance + 1);
        }
        let uniform = u64::from(self.degree) * (u64::from(self.switches) - 1) / sum.max(1);
        (uniform as u32).max(1)
    }

    fn levels(&self) -> Vec<(u32, u32)> {
        vec![(self.switches, self.degree)]
    }

    fn between(&self) -> u64 {
        u64::from(self.switches) * u64::from(self.degree) / 2
    }

    fn links(&self) -> Vec<[u32; 2]> {
        let mut drawn = (0..).map(|stream| self.drawn(stream));
        drawn.find(|links| self.is_connected(links)).expect("a connected graph among so many")
    }
}
