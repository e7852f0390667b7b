//! Detours of a step against arithmetic, and against the sums over all paths of small networks.

use crate::step::{Case, case, near, network, of};
use network::fabric::{
    Fabric,
    kinds::{build, parse_with},
};
use std::collections::BTreeMap;
use work::estimate::{DimensionStep, EstimateSettings, NetworkStep};

/// One group per pair of nodes half of all nodes apart, which exchange 1 GB in both directions.
fn halves(nodes: u32) -> Case {
    let pairs = nodes / 2;
    case(
        nodes,
        1,
        &format!(
            "dp = 2\norder = 'tp-cp-pp-dp'\npp = {pairs}\n[[collective]]\nalong = 'dp'\nbytes = 1e9\n\
            [[collective]]\nalong = 'pp'\nbytes = 1\n"
        ),
    )
}

fn named<'a>(step: &'a NetworkStep, name: &str) -> &'a DimensionStep {
    step.dimensions.iter().find(|dimension| dimension.name == name).expect(name)
}

#[test]
fn pairs_of_switches_share_all_links_of_a_full_mesh() {
    // Three hosts of each switch send to the switch opposite. Of 3 G, d directly and the rest over two links: 4 (6 G - d) on 12
    // links, with d on 4 of them. Both are as busy with d = 1.5 G.
    let mesh = halves(12);
    let step = mesh.first(None, &["hyperx:4,1,3"]);
    let [dp, pp] = &step.dimensions[..] else { panic!("{step:?}") };
    near(dp.transfer, 1.5e9 / mesh.rate());
    assert!(dp.detour && !pp.detour, "{step:?}");
    assert_eq!(step.check, None);
    // Two messages, over three switches.
    near(dp.latency, 2.0 * mesh.market.model.performance(network::fabric::Hops::new(0, 3)).latency * 1e-6);
}

#[test]
fn switches_without_hosts_are_detours_too() {
    // Two of four switches have hosts. A third of the traffic goes directly, and a third over each of the others.
    let mesh = halves(6);
    let step = mesh.first(None, &["file:mesh"]);
    near(named(&step, "dp").transfer, 1e9 / mesh.rate());
    assert!(named(&step, "dp").detour);
}

#[test]
fn detours_that_take_longer_than_they_save_are_left_out() {
    let text = |bytes: f64| {
        format!(
            "dp = 2\norder = 'tp-cp-pp-dp'\npp = 6\n[[collective]]\nalong = 'dp'\nbytes = {bytes}\n\
            [[collective]]\nalong = 'pp'\nbytes = 1\n"
        )
    };
    // Shortest paths take 1.5 S longer, and another switch on the way of two messages 1.4 us.
    let detour = |bytes: f64| {
        let mesh = case(12, 1, &text(bytes));
        named(&mesh.first(None, &["hyperx:4,1,3"]), "dp").detour
    };
    let equal = 1.4e-6 / 1.5 * case(12, 1, &text(1.0)).rate();
    assert_eq!([detour(0.9 * equal), detour(1.1 * equal)], [false, true]);
}

#[test]
fn jobs_reach_the_limit_of_their_hosts() {
    // Both are possible, as linear programmes over all paths say. On shortest paths they take 2.29 and 2 times as long.
    let deepseek = of(include_str!("../../../../assets/specs/deepseek-v3.toml"));
    let mixtral = include_str!("../../../../assets/specs/mixtral64.toml");
    let mixtral =
        of(&mixtral.replace("nics_per_node = 8", "nics_per_node = 4").replace("ports = 32", "ports = 8"));
    for (job, network, dimension, switches) in [
        (deepseek, "planes:8,dragonfly:12,6,4,6,256", "ep", "planes:8,switch:256"),
        (mixtral, "planes:4,hyperx:4x4", "edp", "planes:4,switch:64"),
    ] {
        let settings = EstimateSettings { failures: 0, ..EstimateSettings::default() };
        let report = job.estimate_with(&settings, None, &[network, switches]);
        let [found, limit] = [0, 1].map(|at| named(&report.networks[at], dimension));
        near(found.transfer, limit.transfer);
        assert!(found.detour && !limit.detour, "{network}");
    }
}

/// Shares of a flow on channels.
type Channels = BTreeMap<u32, f64>;

/// A network whose hosts have one link each.
struct Paths {
    fabric: Fabric,
    /// Links from one switch to another; `u32::MAX` without a path.
    distances: Vec<Vec<u32>>,
}

impl Paths {
    fn of(fabric: Fabric) -> Paths {
        let count = fabric.switches.len();
        let mut distances = vec![vec![u32::MAX; count]; count];
        for (to, row) in distances.iter_mut().enumerate() {
            row[to] = 0;
            for far in 0..count as u32 {
                for channel in 0..fabric.channels() {
                    let (a, b) = fabric.channel_ends(channel);
                    if let (Some(a), Some(b)) = (a.checked_sub(fabric.hosts), b.checked_sub(fabric.hosts))
                        && row[b as usize] == far
                    {
                        row[a as usize] = row[a as usize].min(far + 1);
                    }
                }
            }
        }
        Paths { fabric, distances }
    }

    /// Adds a flow over all shortest paths from one switch to another, split evenly at every switch.
    fn add(&self, from: u32, to: u32, share: f64, channels: &mut Channels) {
        if from == to {
            return;
        }
        let row = &self.distances[to as usize];
        let ways: Vec<(u32, u32)> = (0..self.fabric.channels())
            .filter_map(|channel| {
                let (a, b) = self.fabric.channel_ends(channel);
                let next = b.checked_sub(self.fabric.hosts)?;
                let leads_on = a == from + self.fabric.hosts && row[next as usize] + 1 == row[from as usize];
                leads_on.then_some((channel, next))
            })
            .collect();
        for (channel, next) in &ways {
            let each = share / ways.len() as f64;
            *channels.entry(*channel).or_default() += each;
            self.add(*next, to, each, channels);
        }
    }

    fn switch(&self, host: u32) -> u32 {
        let mut ends = self.fabric.links.iter().map(|link| link.ends);
        let [a, b] = ends.find(|ends| ends.contains(&host)).expect("a link");
        a.max(b) - self.fabric.hosts
    }

    /// Bytes through the busiest channel with the best of 2,001 shares of detours, and on shortest paths.
    fn least(&self, transfers: &[(u32, u32, f64)]) -> [f64; 2] {
        let [mut shortest, mut detours] = [Channels::new(), Channels::new()];
        let mut at_hosts = BTreeMap::<(u32, bool), f64>::new();
        for &(from, to, bytes) in transfers {
            *at_hosts.entry((from, true)).or_default() += bytes;
            *at_hosts.entry((to, false)).or_default() += bytes;
            let [from, to] = [from, to].map(|host| self.switch(host));
            if from == to {
                continue;
            }
            self.add(from, to, bytes, &mut shortest);
            let count = self.fabric.switches.len() as u32;
            for middle in (0..count).filter(|middle| ![from, to].contains(middle)) {
                self.add(from, middle, bytes / f64::from(count - 2), &mut detours);
                self.add(middle, to, bytes / f64::from(count - 2), &mut detours);
            }
        }
        let at_hosts = at_hosts.into_values().fold(0.0, f64::max);
        let on = |channels: &Channels, channel: u32| channels.get(&channel).copied().unwrap_or(0.0);
        let busiest = |share: f64| {
            let all = 0..self.fabric.channels();
            all.map(|c| (1.0 - share) * on(&shortest, c) + share * on(&detours, c)).fold(at_hosts, f64::max)
        };
        let best = (0..=2000).map(|step| busiest(f64::from(step) / 2000.0)).fold(f64::INFINITY, f64::min);
        [best, busiest(0.0)]
    }
}

#[test]
fn the_best_share_of_detours_is_found() {
    let mut better = 0;
    for (name, nodes) in [
        ("jellyfish:10,3,1,2,14", 14),
        ("jellyfish:9,4,2,3,20", 20),
        ("torus:5x3,1", 15),
        ("hyperx:3x3,1,2,12", 12),
        ("file:mesh", 6),
        ("dragonfly:4,2,9,2,72", 72),
    ] {
        for dp in (2..=nodes).filter(|dp| nodes % dp == 0) {
            let pp = nodes / dp;
            let job = format!(
                "order = 'tp-cp-pp-dp'\ndp = {dp}\npp = {pp}\n[[collective]]\nalong = 'dp'\nbytes = 1e9\n\
                [[collective]]\nalong = 'pp'\nbytes = 1\n"
            );
            let ring = case(nodes, 1, &job);
            let bytes = 2.0 * f64::from(dp - 1) / f64::from(dp) * 1e9;
            let transfers: Vec<_> = (0..nodes).map(|node| (node, (node + pp) % nodes, bytes)).collect();
            let kind = parse_with(name, &network).expect(name);
            let paths = Paths::of(build(&*kind, ring.market.speeds()).expect(name));
            let [least, shortest] = paths.least(&transfers).map(|bytes| bytes / ring.rate());
            let step = ring.first(None, &[name]);
            let found = named(&step, "dp");
            assert!((found.transfer / least - 1.0).abs() < 2e-3, "{name}, {dp}: {found:?}, {least}");
            assert_eq!(found.detour, found.transfer < shortest * 0.999, "{name}, {dp}: {found:?}");
            better += u32::from(found.detour);
        }
    }
    assert!(better > 5, "{better}");
}
