//! The networks among which the cheapest one for a job is found: all parameters that the switches of a market allow, each with a lower
//! bound on its time.
//!
//! A tree has as few hosts per leaf as its number of leaves allows, or the roundest number of hosts that gives as many leaves; every
//! number of uplinks up to full bisection; and as few roots as each switch width allows. Other parameters have the same parts, or more.
//!
//! The bound is that of cuts: in every phase, a host sends and receives no faster than all of its NICs, and the hosts of one switch, or
//! of one group of switches, no faster than the links that lead out of it. It holds on any paths.

use crate::{
    cancel::checked,
    compare::Market,
    demand::collective::Transfer,
    estimate::timing::Timing,
    fabric::{NetworkKind, kinds::parse},
    spec::job::{Dimension, Job},
};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BinaryHeap},
    ops::RangeInclusive,
};

/// Max levels of fat trees.
const MAX_LEVELS: u32 = 4;
/// Switches per group of a Dragonfly.
const GROUPS: [u32; 10] = [2, 4, 6, 8, 10, 12, 16, 20, 24, 32];
/// Max orders of a job's dimensions.
const MAX_ORDERS: usize = 24;
/// Max pairs of nodes up to which nodes are grouped by traffic.
const MAX_EDGES: usize = 1 << 17;

/// A network that a market's switches can build.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// Text form.
    pub text: String,
    /// NICs per host.
    pub nics: u32,
    /// Links from a switch with hosts to other switches.
    pub uplinks: u32,
    /// Cuts that traffic passes.
    cuts: Vec<Cut>,
}

/// The links of each block of hosts to all other hosts, in one plane.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Cut {
    blocks: Blocks,
    /// Links in NICs' speeds.
    links: f64,
}

/// Blocks of neighbouring hosts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Blocks {
    /// So many hosts each; the last may have fewer.
    Of(u32),
    /// Hosts spread evenly over so many switches, of which so many are a block.
    Spread(u32, u32),
}

impl Blocks {
    fn of(self, host: u32, hosts: u32) -> usize {
        match self {
            Blocks::Of(size) => (host / size) as usize,
            Blocks::Spread(switches, each) => {
                (u64::from(host) * u64::from(switches) / u64::from(hosts)) as usize / each as usize
            }
        }
    }

    fn count(self, hosts: u32) -> usize {
        self.of(hosts - 1, hosts) + 1
    }

    /// Most hosts of a block.
    fn size(self, hosts: u32) -> u32 {
        match self {
            Blocks::Of(size) => size,
            Blocks::Spread(switches, each) => hosts.div_ceil(switches) * each,
        }
    }
}

impl Candidate {
    /// The network.
    ///
    /// # Panics
    /// Never: [`candidates`] keeps only networks that can be read.
    pub fn kind(&self) -> Box<dyn NetworkKind> {
        parse(&self.text).expect("a network that was read before")
    }

    /// Name of its kind, of one plane.
    pub fn family(&self) -> &str {
        family(&self.text)
    }
}

/// Name of the kind of a network's text, of one plane.
pub fn family(text: &str) -> &str {
    let plane = text
        .strip_prefix("planes:")
        .and_then(|planes| planes.split_once(','))
        .map_or(text, |(_, plane)| plane);
    plane.split(':').next().unwrap_or_default()
}

/// Every network for so many hosts with each number of NICs, of switches with at most the widest of `widths` ports; see the top of the file.
pub fn candidates(hosts: u32, nics: RangeInclusive<u32>, market: &Market, widths: &[u32]) -> Vec<Candidate> {
    let Some(&widest) = widths.iter().max() else { return Vec::new() };
    let same_speed = market.speed == market.trunk_speed;
    let trunks = market.limits(1).trunk_ports;
    let of = Shapes {
        hosts,
        widths,
        widest,
        trunks: (!same_speed).then_some(trunks),
        ratio: f64::from(market.trunk_speed) / f64::from(market.speed),
    };
    let planes = of.planes();
    let mut all = Vec::new();
    for nics in nics {
        let with = |plane: &Candidate| match nics {
            1 => plane.clone(),
            _ => Candidate { text: format!("planes:{nics},{}", plane.text), nics, ..plane.clone() },
        };
        all.extend(planes.iter().map(with));
        if nics > 1 {
            all.extend(of.fat_trees(nics));
        }
    }
    all
}

/// Hosts and switches that networks are built from.
struct Shapes<'a> {
    hosts: u32,
    /// Ports per switch.
    widths: &'a [u32],
    widest: u32,
    /// Max ports of the trunks' speed per switch, if that is another speed.
    trunks: Option<u32>,
    /// Speed of trunks in speeds of NICs.
    ratio: f64,
}

impl Shapes<'_> {
    /// Networks of one plane that can be read.
    fn planes(&self) -> Vec<Candidate> {
        let mut all = Vec::new();
        if self.hosts <= self.widest && self.hosts > 1 {
            all.push(Candidate {
                text: format!("switch:{}", self.hosts),
                nics: 1,
                uplinks: 0,
                cuts: Vec::new(),
            });
        }
        all.extend(self.trees());
        all.extend(self.fat_trees(1));
        all.extend(self.tori());
        all.extend(self.dragonflies());
        all
    }

    fn plane(&self, text: String, uplinks: u32, cuts: Vec<Cut>) -> Option<Candidate> {
        let hosts = parse(&text).ok()?.parts().hosts;
        (hosts == self.hosts).then_some(Candidate { text, nics: 1, uplinks, cuts })
    }

    fn trees(&self) -> Vec<Candidate> {
        let hosts = self.hosts;
        let widest_root = self.trunks.unwrap_or(self.widest);
        let mut roots: Vec<u32> = self.widths.iter().copied().filter(|&width| width <= widest_root).collect();
        roots.push(widest_root);
        roots.sort_unstable();
        roots.dedup();
        let mut all = Vec::new();
        for leaves in 2..=widest_root.min(hosts / 2) {
            let least = hosts.div_ceil(leaves);
            let most = (hosts.div_ceil(leaves - 1) - 1).min(self.widest);
            let Some(roundest) = (least..=most).min_by_key(|size| (Reverse(size.trailing_zeros()), *size))
            else {
                continue;
            };
            let mut sizes = vec![least, roundest];
            sizes.dedup();
            for size in sizes {
                let room = self.trunks.unwrap_or(self.widest - size);
                let full = (f64::from(size) / self.ratio).ceil() as u32;
                for uplinks in 1..=full.min(room) {
                    let least_roots = |width: u32| {
                        (1..=uplinks)
                            .find(|&roots| uplinks.is_multiple_of(roots) && uplinks / roots * leaves <= width)
                    };
                    let mut counts: Vec<u32> = roots.iter().filter_map(|&width| least_roots(width)).collect();
                    counts.dedup();
                    let cut = Cut { blocks: Blocks::Of(size), links: f64::from(uplinks) * self.ratio };
                    let tree = |roots: u32| {
                        let own = if roots == uplinks { String::new() } else { format!(",{roots}") };
                        self.plane(format!("tree:{hosts},{size},{uplinks}{own}"), uplinks, vec![cut])
                    };
                    all.extend(counts.into_iter().filter_map(tree));
                }
            }
        }
        all
    }

    /// Fat trees, or with several NICs, rail-optimised Clos networks.
    fn fat_trees(&self, nics: u32) -> Vec<Candidate> {
        let mut all = Vec::new();
        for &width in self.widths {
            for levels in 2..=MAX_LEVELS {
                for oversubscription in 1..width {
                    let up = width / (oversubscription + 1);
                    let cut = Cut { blocks: Blocks::Of(up * oversubscription), links: f64::from(up) };
                    let over =
                        if oversubscription == 1 { String::new() } else { format!(",{oversubscription}") };
                    let text = match nics {
                        1 => format!("fat-tree:{},{width},{levels}{over}", self.hosts),
                        _ => format!("rail-clos:{},{nics},{width},{levels}{over}", self.hosts),
                    };
                    all.extend(self.plane(text, up, vec![cut]).map(|plane| Candidate { nics, ..plane }));
                }
            }
        }
        all
    }

    /// Tori of two and three dimensions, as square as possible, with every number of hosts per switch.
    fn tori(&self) -> Vec<Candidate> {
        let mut all = Vec::new();
        for each in (1..=self.widest).filter(|&each| self.hosts.is_multiple_of(each)) {
            for dimensions in [2, 3] {
                let Some(sides) = sides(self.hosts / each, dimensions) else { continue };
                // Two switches in a ring have one link.
                let links: u32 = sides.iter().map(|&side| if side == 2 { 1 } else { 2 }).sum();
                if each + links > self.widest {
                    continue;
                }
                let text: Vec<String> = sides.iter().map(u32::to_string).collect();
                let cut = Cut { blocks: Blocks::Of(each), links: f64::from(links) };
                all.extend(self.plane(format!("torus:{},{each}", text.join("x")), links, vec![cut]));
            }
        }
        all
    }

    fn dragonflies(&self) -> Vec<Candidate> {
        let hosts = self.hosts;
        let mut all = Vec::new();
        for switches in GROUPS {
            let mut last = 0;
            for each in 1..self.widest {
                let groups = hosts.div_ceil(each * switches);
                let Some(room) = self.widest.checked_sub(each + switches - 1) else { break };
                // More hosts per switch than needed are no other network.
                if groups < 3 || groups == last {
                    continue;
                }
                last = groups;
                let least = (groups - 1).div_ceil(switches);
                let mut links: Vec<u32> =
                    (0..4).map(|times| least << times).chain([each / 2, each, 2 * each]).collect();
                links.retain(|&links| links >= least && links <= room && links > 0);
                links.sort_unstable();
                links.dedup();
                for global in links {
                    let all_switches = switches * groups;
                    let own = Cut {
                        blocks: Blocks::Spread(all_switches, 1),
                        links: f64::from(switches - 1 + global),
                    };
                    let group = Cut {
                        blocks: Blocks::Spread(all_switches, switches),
                        links: f64::from(switches * global),
                    };
                    let text = format!("dragonfly:{switches},{global},{groups},{each},{hosts}");
                    all.extend(self.plane(text, switches - 1 + global, vec![own, group]));
                }
            }
        }
        all
    }
}

/// Sides of at least 2 with that product, as equal as possible, the longest first; `None` if there are none.
fn sides(places: u32, dimensions: u32) -> Option<Vec<u32>> {
    if dimensions == 1 {
        return (places >= 2).then(|| vec![places]);
    }
    let root = f64::from(places).powf(1.0 / f64::from(dimensions)).round() as u32;
    (2..=root).rev().filter(|&short| places.is_multiple_of(short)).find_map(|short| {
        let mut rest = sides(places / short, dimensions - 1)?;
        rest.push(short);
        rest.sort_unstable_by_key(|&side| Reverse(side));
        Some(rest)
    })
}

/// An order of the nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Order {
    /// The order in words; empty for the given one.
    pub words: String,
    /// The place of each node; empty for the given order.
    pub places: Vec<u32>,
}

impl Order {
    /// The given order.
    pub fn given() -> Order {
        Order { words: String::new(), places: Vec::new() }
    }

    fn place(&self, node: u32) -> u32 {
        self.places.get(node as usize).copied().unwrap_or(node)
    }

    /// The traffic in this order.
    pub fn on(&self, timing: &Timing) -> Timing {
        if self.places.is_empty() { timing.clone() } else { timing.renumbered(&self.places) }
    }
}

/// The given order, and the others in which the dimensions of a job that lead from node to node follow each other.
pub fn orders(job: Option<&Job>) -> Vec<Order> {
    let digits = job.and_then(digits).unwrap_or_default();
    let hosts: u32 = digits.iter().map(|digit| digit.1).product();
    let mut all = vec![Order::given()];
    let given: Vec<usize> = (0..digits.len()).collect();
    for order in permutations(&given).into_iter().take(MAX_ORDERS).filter(|order| *order != given) {
        let place = |node: u32| {
            let mut left = node;
            let own: Vec<u32> = digits
                .iter()
                .map(|&(_, size)| {
                    let digit = left % size;
                    left /= size;
                    digit
                })
                .collect();
            order.iter().rev().fold(0, |place, &at| place * digits[at].1 + own[at])
        };
        let names: Vec<&str> = order.iter().map(|&at| digits[at].0).collect();
        all.push(Order {
            words: format!("nodes in the order {}", names.join("-")),
            places: (0..hosts).map(place).collect(),
        });
    }
    all
}

/// The dimensions along which neighbouring nodes differ, fastest first, with their sizes in nodes; `None` if nodes are no such grid.
fn digits(job: &Job) -> Option<Vec<(&'static str, u32)>> {
    if job.nodes.is_some() {
        return None;
    }
    let mut inside = job.ranks_per_pe;
    let mut digits = Vec::new();
    let mut add = |name, degree: u32| {
        if inside.is_multiple_of(degree) {
            inside /= degree;
        } else {
            if !degree.is_multiple_of(inside) {
                return None;
            }
            digits.push((name, degree / inside));
            inside = 1;
        }
        Some(())
    };
    for dimension in &job.order {
        match dimension {
            Dimension::Tp => add("tp", job.tp)?,
            Dimension::Cp => add("cp", job.cp)?,
            // Experts take neighbouring ranks along both, so they are a part of them.
            Dimension::Dp if job.cp == 1 && job.dp.is_multiple_of(job.ep) => {
                add("ep", job.ep)?;
                add("dp", job.dp / job.ep)?;
            }
            Dimension::Dp => add("dp", job.dp)?,
            Dimension::Pp => add("pp", job.pp)?,
            Dimension::Ep | Dimension::Edp => {}
        }
    }
    (inside == 1 && digits.len() > 1).then_some(digits)
}

fn permutations(of: &[usize]) -> Vec<Vec<usize>> {
    if of.len() < 2 {
        return vec![of.to_vec()];
    }
    let with = |at: usize| {
        let rest: Vec<usize> = of.iter().copied().filter(|&other| other != of[at]).collect();
        permutations(&rest).into_iter().map(move |mut rest| {
            rest.insert(0, of[at]);
            rest
        })
    };
    (0..of.len()).flat_map(with).collect()
}

/// Lower bounds on the time of networks, and the order of nodes with the least.
pub struct Bounds<'a> {
    timing: &'a Timing,
    hosts: u32,
    /// Fixed orders, then those that group nodes by traffic.
    orders: Vec<Order>,
    fixed: usize,
    /// Bytes between nodes; empty if there are too many pairs.
    edges: Vec<Vec<(u32, f64)>>,
    /// The order that groups nodes by traffic in blocks of a size.
    grouped: BTreeMap<u32, usize>,
    /// Most bytes of a host in one direction, of each lane and phase.
    own: Vec<Vec<f64>>,
    /// Most bytes into or out of a block, of each lane and phase, by order and blocks.
    cut: BTreeMap<(usize, Blocks), Vec<Vec<f64>>>,
}

impl<'a> Bounds<'a> {
    /// Bounds for the traffic of `timing` on `hosts` hosts.
    pub fn new(timing: &'a Timing, hosts: u32, job: Option<&Job>) -> Bounds<'a> {
        let orders = orders(job);
        let mut sums: BTreeMap<(u32, u32), f64> = BTreeMap::new();
        for transfer in checked(timing.lanes.iter().flat_map(|lane| lane.transfers())) {
            let [a, b] = transfer.ends;
            *sums.entry((a.min(b), a.max(b))).or_default() += transfer.bytes[0] + transfer.bytes[1];
            if sums.len() > MAX_EDGES {
                sums.clear();
                break;
            }
        }
        let mut edges = vec![Vec::new(); if sums.is_empty() { 0 } else { hosts as usize }];
        for ((a, b), bytes) in sums {
            edges[a as usize].push((b, bytes));
            edges[b as usize].push((a, bytes));
        }
        let mut bounds = Bounds {
            timing,
            hosts,
            fixed: orders.len(),
            orders,
            edges,
            grouped: BTreeMap::new(),
            own: Vec::new(),
            cut: BTreeMap::new(),
        };
        bounds.own = bounds.bytes(&Order::given(), Blocks::Of(1));
        bounds
    }

    /// Seconds per step that no paths of a network beat, in the order of nodes in which they are fewest, and that order by number.
    pub fn of(&mut self, candidate: &Candidate) -> (f64, usize) {
        let mut orders: Vec<usize> = (0..self.fixed).collect();
        if let Some(cut) = candidate.cuts.first().filter(|_| !self.edges.is_empty()) {
            orders.push(self.grouping(cut.blocks.size(self.hosts)));
        }
        if candidate.cuts.is_empty() {
            orders.truncate(1);
        }
        let mut best = (f64::INFINITY, 0);
        for order in orders {
            let seconds = self.in_order(candidate, order);
            // Rounding is no reason to renumber nodes.
            if seconds < best.0 * (1.0 - 1e-9) {
                best = (seconds, order);
            }
        }
        best
    }

    /// An order of nodes by number.
    pub fn order(&self, number: usize) -> &Order {
        &self.orders[number]
    }

    fn in_order(&mut self, candidate: &Candidate, order: usize) -> f64 {
        for cut in &candidate.cuts {
            if !self.cut.contains_key(&(order, cut.blocks)) {
                let bytes = self.bytes(&self.orders[order], cut.blocks);
                self.cut.insert((order, cut.blocks), bytes);
            }
        }
        let rate = self.timing.rate * f64::from(candidate.nics);
        let seconds = self.timing.lanes.iter().enumerate().map(|(lane, of)| {
            let phase = |phase: usize| {
                let at = |cut: &Cut| self.cut[&(order, cut.blocks)][lane][phase] / cut.links;
                candidate.cuts.iter().map(at).fold(self.own[lane][phase], f64::max) / rate
            };
            of.messages * self.timing.latency + (0..of.phases.len()).map(phase).sum::<f64>()
        });
        self.timing.total(seconds).step
    }

    /// Most bytes into or out of a block of hosts, of each lane and phase.
    fn bytes(&self, order: &Order, blocks: Blocks) -> Vec<Vec<f64>> {
        let most = |groups: &Vec<Vec<Transfer>>| {
            let mut sums = vec![[0.0; 2]; blocks.count(self.hosts)];
            for transfer in checked(groups.iter().flatten()) {
                let [a, b] = transfer.ends.map(|end| blocks.of(order.place(end), self.hosts));
                if a != b {
                    let [to, back] = transfer.bytes;
                    sums[a][0] += to;
                    sums[b][1] += to;
                    sums[b][0] += back;
                    sums[a][1] += back;
                }
            }
            sums.into_iter().flatten().fold(0.0, f64::max)
        };
        self.timing.lanes.iter().map(|lane| lane.phases.iter().map(most).collect()).collect()
    }

    /// The order that fills blocks of so many places one after another, each time with the node that has most traffic with the block.
    fn grouping(&mut self, size: u32) -> usize {
        if let Some(&known) = self.grouped.get(&size) {
            return known;
        }
        let hosts = self.hosts as usize;
        let mut places = vec![u32::MAX; hosts];
        let (mut weights, mut heap) = (vec![0.0; hosts], BinaryHeap::new());
        let mut first = 0;
        for place in checked(0..self.hosts) {
            if place % size == 0 {
                weights.fill(0.0);
                heap.clear();
            }
            // Bits of numbers that are not negative have the numbers' order.
            let current = |weights: &[f64], (bits, Reverse(node)): (u64, Reverse<u32>)| {
                let is_current =
                    places[node as usize] == u32::MAX && f64::to_bits(weights[node as usize]) == bits;
                is_current.then_some(node)
            };
            let mut next = None;
            while next.is_none() {
                let Some(top) = heap.pop() else { break };
                next = current(&weights, top);
            }
            let node = next.unwrap_or_else(|| {
                while places[first as usize] != u32::MAX {
                    first += 1;
                }
                first
            });
            places[node as usize] = place;
            for &(other, bytes) in &self.edges[node as usize] {
                weights[other as usize] += bytes;
                heap.push((weights[other as usize].to_bits(), Reverse(other)));
            }
        }
        self.orders.push(Order { words: format!("nodes grouped by traffic, {size} per block"), places });
        self.grouped.insert(size, self.orders.len() - 1);
        self.orders.len() - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        compare::market::preset,
        resolve::{self, NoFiles},
        spec::Spec,
    };

    fn market() -> Market {
        preset("400g").unwrap().market()
    }

    fn texts(hosts: u32, nics: RangeInclusive<u32>, widths: &[u32]) -> Vec<String> {
        candidates(hosts, nics, &market(), widths).into_iter().map(|candidate| candidate.text).collect()
    }

    #[test]
    fn every_kind_is_there_with_parameters_that_switches_allow() {
        let all = candidates(2048, 8..=8, &market(), &[128, 64]);
        let has = |text: &str| all.iter().any(|candidate| candidate.text == text);
        assert!(has("planes:8,tree:2048,120,8,4"), "the tree with 120 hosts and 8 uplinks per leaf");
        assert!(has("planes:8,fat-tree:2048,128,2") && has("planes:8,torus:8x4,64"));
        for family in ["tree", "fat-tree", "rail-clos", "torus", "dragonfly"] {
            assert!(all.iter().any(|candidate| candidate.family() == family), "{family}");
        }
        for candidate in &all {
            let parts = candidate.kind().parts();
            let ports = parts.switches.iter().map(|part| part.ports + part.trunks).max();
            assert!(ports <= Some(128) && parts.hosts == 2048, "{}", candidate.text);
            assert_eq!(parts.nis, 2048 * 8, "{}", candidate.text);
        }
    }

    #[test]
    fn few_hosts_fit_one_switch_per_plane() {
        let all = texts(16, 1..=2, &[32]);
        assert!(all.contains(&"switch:16".into()) && all.contains(&"planes:2,switch:16".into()));
        assert!(!texts(64, 1..=2, &[32]).iter().any(|text| text.contains("switch:")));
        assert!(texts(64, 1..=1, &[]).is_empty());
    }

    #[test]
    fn families_look_through_planes() {
        let of = ["planes:8,tree:256,48,16,1", "torus:4x4", "rail-clos:64,2,32,2"].map(family);
        assert_eq!(of, ["tree", "torus", "rail-clos"]);
    }

    fn spec(order: &str) -> Spec {
        let text = format!(
            "pes = 32\nnis_per_pe = 1\nobjective = \"time\"\n[[switch]]\nports = 64\n[job]\ndp = 8\npp = 4\nranks_per_pe = 1\n\
             order = \"{order}\"\n[model]\nparameters = 1e9\nlayers = 8\nhidden = 1024\nsequence = 1024\nglobal_batch = 64\n"
        );
        resolve::read(&text, &mut NoFiles).unwrap()
    }

    fn tree(hosts: u32, uplinks: u32) -> Candidate {
        let cut = Cut { blocks: Blocks::Of(hosts), links: f64::from(uplinks) };
        Candidate { text: format!("tree:32,{hosts},{uplinks}"), nics: 1, uplinks, cuts: vec![cut] }
    }

    #[test]
    fn the_order_with_the_least_cut_counts() {
        // Data parallelism moves most bytes; groups of 8 nodes fill a leaf only if they are neighbours.
        let spec = spec("tp-cp-ep-pp-dp");
        let timing = Timing::of(&spec).unwrap();
        let mut bounds = Bounds::new(&timing, 32, spec.only_job());
        let (seconds, order) = bounds.of(&tree(8, 1));
        assert_eq!(bounds.order(order).words, "nodes in the order dp-pp");
        let given = bounds.in_order(&tree(8, 1), 0);
        assert!(given > 1.02 * seconds, "{given} {seconds}");
        let neighbours = super::tests::spec("tp-cp-ep-dp-pp");
        let timing = Timing::of(&neighbours).unwrap();
        let (same, order) = Bounds::new(&timing, 32, neighbours.only_job()).of(&tree(8, 1));
        assert!((same / seconds - 1.0).abs() < 1e-9 && order == 0, "{same} {seconds}");
    }

    #[test]
    fn orders_are_permutations_of_the_nodes() {
        let spec = spec("tp-cp-ep-dp-pp");
        let all = orders(spec.only_job());
        assert_eq!(
            all.iter().map(|order| order.words.as_str()).collect::<Vec<_>>(),
            ["", "nodes in the order pp-dp"]
        );
        let mut places = all[1].places.clone();
        assert_eq!(places[..9], [0, 4, 8, 12, 16, 20, 24, 28, 1]);
        places.sort_unstable();
        assert_eq!(places, (0..32).collect::<Vec<_>>());
        assert_eq!(orders(None).len(), 1);
    }

    #[test]
    fn measured_traffic_is_grouped_by_its_pairs() {
        // Nodes talk to the node that is 4 further on; leaves of 2 keep all of it inside.
        let pairs: Vec<String> = (0..4).map(|node| format!("[{node}, {}, 1e9]", node + 4)).collect();
        let text = format!(
            "pes = 8\nnis_per_pe = 1\nobjective = \"time\"\n[[switch]]\nports = 8\n[[pattern]]\nkind = \"matrix\"\npairs = [{}]\n",
            pairs.join(", ")
        );
        let spec = resolve::read(&text, &mut NoFiles).unwrap();
        let timing = Timing::of(&spec).unwrap();
        let mut bounds = Bounds::new(&timing, 8, None);
        let narrow = Candidate { cuts: vec![Cut { blocks: Blocks::Of(2), links: 0.5 }], ..tree(2, 1) };
        let (seconds, order) = bounds.of(&narrow);
        assert!(
            bounds.order(order).words.starts_with("nodes grouped by traffic"),
            "{:?}",
            bounds.order(order)
        );
        assert!((bounds.in_order(&narrow, 0) / seconds - 4.0).abs() < 1e-9);
        let moved = bounds.order(order).on(&timing);
        assert!(moved.lanes[0].transfers().all(|transfer| transfer.ends[0] / 2 == transfer.ends[1] / 2));
    }

    #[test]
    fn sides_are_as_equal_as_possible() {
        assert_eq!(sides(32, 2), Some(vec![8, 4]));
        assert_eq!(sides(64, 3), Some(vec![4, 4, 4]));
        assert_eq!((sides(7, 2), sides(4, 3)), (None, None));
    }
}
