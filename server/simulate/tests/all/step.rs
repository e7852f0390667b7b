//! The time of a training step against arithmetic.

use analysis::analysis::{orders::orders, rings::Ring};
use network::{
    compare::{Market, Sources, market::chosen},
    fabric::kinds::parse_with,
};
use simulate::step::estimate;
use spec::{
    demand::{Demand, job::Practice},
    design::{Design, table},
    random::Rng,
    resolve::{self, NoFiles},
    spec::Spec,
};
use std::collections::BTreeMap;
use work::estimate::{
    Attention, DOUBTFUL, EstimateReport, EstimateSettings, FrameCheck, NetworkStep, timing::Timing,
};

pub struct Case {
    pub spec: Spec,
    demand: Demand,
    pub market: Market,
}

/// Nodes with those NICs and one rank each, in one group along data parallelism, over all shared switches.
pub fn case(nodes: u32, nics: u32, collective: &str) -> Case {
    of(&format!(
        "pes = {nodes}\nnis_per_pe = {nics}\n[[switch]]\nports = 32\n[job]\nlibrary = 'any'\nranks_per_pe = 1\n\
         {collective}\n"
    ))
}

pub fn of(text: &str) -> Case {
    let spec = resolve::read(text, &mut NoFiles).expect(text);
    let demand = Demand::build(&spec).expect("a demand");
    let market = chosen(&spec, "400g").expect("a market").market;
    Case { spec, demand, market }
}

/// The files of networks: a full mesh of four switches, two of which have hosts; two switches with a cable between them.
pub fn network(name: &str) -> Result<String, String> {
    let hosts = "host 0 1 2 3 4 5\n0 a\n1 a\n2 a\n3 b\n4 b\n5 b\n";
    match name {
        "mesh" => Ok(format!("{hosts}a b\na c\na d\nb c\nb d\nc d\n")),
        "cable" => Ok("host 0 1 2 3\n0 a\n2 a\n1 b\n3 b\na b\n".into()),
        _ => Err(name.into()),
    }
}

impl Case {
    pub fn estimate(&self, design: Option<&Design>, others: &[&str]) -> EstimateReport {
        self.estimate_with(&EstimateSettings::default(), design, others)
    }

    /// The estimate with other settings.
    pub fn estimate_with(
        &self,
        settings: &EstimateSettings,
        design: Option<&Design>,
        others: &[&str],
    ) -> EstimateReport {
        let sources =
            Sources { spec: &self.spec, demand: &self.demand, design, market: &self.market, own: false };
        let others: Vec<_> = others.iter().map(|text| parse_with(text, &network).expect(text)).collect();
        estimate(&sources, &others, settings).expect("a job")
    }

    /// The first network of the report.
    pub fn first(&self, design: Option<&Design>, others: &[&str]) -> NetworkStep {
        self.estimate(design, others).networks.remove(0)
    }

    /// Bytes per second of a NIC.
    pub fn rate(&self) -> f64 {
        self.market.model.bandwidth * 1e6
    }
}

pub fn near(found: f64, expected: f64) {
    assert!((found / expected - 1.0).abs() < 1e-3, "{found} instead of {expected}");
}

#[test]
fn a_ring_on_one_switch_takes_the_textbooks_time() {
    // 2 (n - 1) messages one after another, and 2 (n - 1) / n of the vector through every NIC.
    let ring = case(4, 1, "dp = 4\n[[collective]]\nalong = 'dp'\nbytes = 8e9");
    let step = ring.first(None, &["switch:4"]);
    let [dimension] = &step.dimensions[..] else { panic!("{step:?}") };
    near(dimension.transfer, 1.5 * 8e9 / ring.rate());
    near(dimension.latency, 6.0 * 2.7e-6);
    assert_eq!((dimension.name.as_str(), dimension.hidden), ("dp", None));
    let check = step.check.expect("a check");
    assert!(check.ratio.is_some_and(|ratio| (0.97..1.03).contains(&ratio)), "{check:?}");
}

#[test]
fn planes_share_the_bytes_and_lose_their_part() {
    let ring = case(4, 2, "dp = 4\n[[collective]]\nalong = 'dp'\nbytes = 8e9");
    let step = ring.first(None, &["planes:2,switch:4"]);
    near(step.dimensions[0].transfer, 1.5 * 8e9 / ring.rate() / 2.0);
    let failure = step.failure.expect("a failure");
    near(failure.communication.expect("the other plane"), 1.5 * 8e9 / ring.rate());
    assert_eq!((failure.tried, failure.of), (4, 2 + 8));
    // On a single plane, the failure of its switch cuts all off.
    let single = case(4, 1, "dp = 4\n[[collective]]\nalong = 'dp'\nbytes = 8e9");
    let failure = single.first(None, &["switch:4"]).failure.expect("a failure");
    assert_eq!((failure.communication, &*failure.part), (None, "switch 0"));
}

#[test]
fn a_wiring_carries_a_pair_over_its_shared_switches() {
    // Two of the four pairs of the ring share both switches of their nodes, two share one.
    let ring = case(4, 2, "dp = 4\n[[collective]]\nalong = 'dp'\nbytes = 8e9");
    let design = table::parse("0: 0 1\n1: 0 1 2 3\n2: 2 3\n", 4).expect("a wiring");
    let step = ring.first(Some(&design), &[]);
    assert_eq!(step.title, "This design");
    near(step.dimensions[0].transfer, 1.5 * 8e9 / ring.rate());
    assert!(step.busiest[0].name.contains("switch 1"), "{:?}", step.busiest);
}

#[test]
fn a_wiring_is_faster_in_the_order_of_its_switches() {
    // The switches join 0-2, 2-1, 1-3 and 3-0, and ranks go 0-1-2-3.
    let ring = case(4, 2, "dp = 4\n[[collective]]\nalong = 'dp'\nbytes = 8e9");
    let design = table::parse("0: 0 2\n1: 1 2\n2: 1 3\n3: 0 3\n", 4).expect("a wiring");
    let report = ring.estimate(Some(&design), &[]);
    let orders = report.orders.expect("an estimate");
    assert_eq!((orders.groups, orders.complete, orders.orders, orders.hops_apart), (1, 1, 1, 0));
    assert_eq!(orders.bytes_apart, [0.5, 0.0]);
    assert_eq!(Some(orders.given), report.networks[0].communication());
    let (latency, transfer) = (6.0 * 2.7e-6, 1.5 * 8e9 / ring.rate());
    near(orders.renumbered, latency + transfer);
    // The ring runs in both directions, and half of the bytes in each.
    near(orders.ordered, latency + transfer / 2.0);
    assert!(orders.given > orders.renumbered, "{orders:?}");
    assert_eq!(ring.estimate(None, &[]).orders, None);
    // One switch joins all nodes; two pairs of them are on another one, too. The ring needs both NICs of every node.
    let design = table::parse("0: 0 1 2 3\n1: 0 1\n2: 2 3\n", 4).expect("a wiring");
    let orders = ring.estimate(Some(&design), &[]).orders.expect("an estimate");
    near(orders.ordered, latency + transfer / 2.0);
}

/// Bytes through the busiest direction of a NIC, if every ring takes its own switches, or all shared ones evenly. Each
/// ring carries as many of the `bytes`, in both directions.
fn busiest_nic(design: &Design, rings: &[Ring], bytes: f64, own: bool) -> f64 {
    let on = |node: u32, switch: u32| design.members(switch).contains(&node);
    let mut sums: BTreeMap<(u32, u32, bool), f64> = BTreeMap::new();
    for Ring { nodes, switches } in rings {
        for (hop, own_switch) in switches.iter().enumerate() {
            let ends = [nodes[hop], nodes[(hop + 1) % nodes.len()]];
            let mut shared: Vec<u32> =
                (0..design.switch_count()).filter(|&s| ends.iter().all(|&node| on(node, s))).collect();
            if own {
                shared = vec![own_switch.expect("a complete ring")];
            }
            let each = bytes / (2 * rings.len() * shared.len()) as f64;
            for (switch, [from, to]) in shared.into_iter().flat_map(|s| [(s, ends), (s, [ends[1], ends[0]])])
            {
                *sums.entry((from, switch, true)).or_default() += each;
                *sums.entry((to, switch, false)).or_default() += each;
            }
        }
    }
    sums.into_values().fold(0.0, f64::max)
}

#[test]
fn rings_take_their_own_switches_where_that_is_faster() {
    let ring = case(8, 4, "dp = 8\n[[collective]]\nalong = 'dp'\nbytes = 8e9");
    let mut rng = Rng::new(5, 0);
    let (mut own_faster, mut spread_faster) = (0, 0);
    for _ in 0..40 {
        let mut nics: Vec<u32> = (0..32).map(|nic| nic / 4).collect();
        rng.shuffle(&mut nics);
        let design = Design::from_switches(8, nics.chunks(4).map(<[u32]>::to_vec));
        let found = orders(&ring.spec.jobs[0], &design);
        if found[0].apart > 0 {
            continue;
        }
        let [own, spread] =
            [true, false].map(|own| busiest_nic(&design, &found[0].orders, 2.0 * 7.0 / 8.0 * 8e9, own));
        let report = ring.estimate(Some(&design), &[]);
        near(report.orders.expect("orders").ordered, 14.0 * 2.7e-6 + own.min(spread) / ring.rate());
        own_faster += u32::from(own < 0.999 * spread);
        spread_faster += u32::from(spread < 0.999 * own);
    }
    assert!(own_faster > 3 && spread_faster > 3, "{own_faster} and {spread_faster}");
}

#[test]
fn trees_and_lines_keep_or_change_their_order() {
    // Two trees over four nodes have their inner nodes at positions 1 and 2; here, only nodes 0 and 3 meet all others.
    let text = |algorithm: &str| format!("dp = 4\n[[collective]]\nalong = 'dp'\nbytes = 8e9\n{algorithm}");
    let design = table::parse("0: 0 1 3\n1: 0 2 3\n", 4).expect("a wiring");
    let trees = case(4, 2, &text("algorithm = 'tree'")).estimate(Some(&design), &[]).orders.expect("orders");
    assert_eq!((trees.groups, trees.complete, trees.orders), (1, 1, 1));
    // A pipeline's order is that of its stages.
    let line = case(4, 2, "pp = 4\n[[collective]]\nalong = 'pp'\nbytes = 8e9");
    let line = line.estimate(Some(&design), &[]).orders.expect("orders");
    assert_eq!((line.groups, line.ordered == line.given), (0, true));
    assert_eq!(line.bytes_apart[1], 0.0);
    near(line.bytes_apart[0], 1.0 / 3.0);
}

#[test]
fn other_algorithms_take_their_time() {
    let time = |algorithm: &str| {
        let all = case(8, 1, &format!("dp = 8\n[[collective]]\nalong = 'dp'\n{algorithm}\nbytes = 8e9"));
        let step = all.first(None, &["switch:8"]);
        (step.dimensions[0].transfer * all.rate() / 8e9, step.dimensions[0].latency / 2.7e-6)
    };
    // Rabenseifner: halves, quarters, eighths, there and back.
    let (transfer, latency) = time("algorithm = 'recursive-doubling'");
    near(transfer, 2.0 * 7.0 / 8.0);
    near(latency, 6.0);
    let (transfer, latency) = time("algorithm = 'all-pairs'");
    near(transfer, 2.0 * 7.0 / 8.0);
    near(latency, 2.0);
    // Halves arrive from two children and the parent in one tree, and from the parent in the other.
    let (transfer, latency) = time("algorithm = 'tree'");
    near(transfer, 2.0);
    near(latency, 6.0);
}

#[test]
fn frames_agree_where_nothing_waits_for_long() {
    // A hub passes one frame at a time.
    let ring = case(8, 1, "dp = 8\n[[collective]]\nalong = 'dp'\nbytes = 8e9");
    let hub = ring.first(None, &["hub:8"]);
    near(hub.dimensions[0].transfer, 8.0 * 1.75 * 8e9 / ring.rate());
    assert!(hub.check.and_then(|check| check.ratio).is_some_and(|ratio| (0.9..1.1).contains(&ratio)));
    // Hosts that forward, and trees with fewer uplinks than hosts.
    let all = case(
        64,
        1,
        "ep = 64\ndp = 64\n[[collective]]\nalong = 'ep'\nbytes = 1e9\n[[collective]]\nalong = 'dp'\nbytes = 1",
    );
    for network in ["rail:8x8", "tree:64,8,2"] {
        let step = all.first(None, &[network]);
        let check = step.check.expect("a check");
        assert_eq!(check.dimension, "Expert");
        assert!(check.ratio.is_some_and(|ratio| (0.95..1.1).contains(&ratio)), "{network}: {check:?}");
    }
}

#[test]
fn computing_hides_what_may_run_beside_it() {
    let text = "pes = 16\nnis_per_pe = 8\n[[switch]]\nports = 64\n[job]\ntp = 8\ndp = 8\npp = 2\n\
        [model]\nparameters = 7e9\nlayers = 32\nhidden = 4096\nsequence = 4096\nglobal_batch = 64\nzero = 1\n";
    let job = of(text);
    let report = job.estimate(None, &["planes:8,switch:16"]);
    // 6 operations per token and parameter on 128 GPUs; 8 micro-batches of 1 on 2 stages.
    let compute = 6.0 * 7e9 * 64.0 * 4096.0 / 128.0 / 4e14;
    near(report.compute.expect("a model"), compute);
    near(report.bubble.expect("a model"), compute / 8.0);
    let step = &report.networks[0];
    let names: Vec<&str> = step.dimensions.iter().map(|d| d.name.as_str()).collect();
    assert_eq!(names, ["dp", "pp"], "tensor parallelism stays inside nodes");
    for (dimension, window) in step.dimensions.iter().zip([compute / 8.0, compute]) {
        near(dimension.hidden.expect("a model"), dimension.seconds().min(window));
    }
    near(report.seconds(step).expect("a step"), compute * 1.125 + step.exposed().expect("a model"));
    let again = of(&text.replace("zero = 1", "zero = 0"));
    let other = again.estimate(None, &["planes:8,switch:16"]);
    // An all-reduce has as many messages as a reduce-scatter and an all-gather.
    near(other.networks[0].dimensions[0].latency, step.dimensions[0].latency);
}

#[test]
fn assumptions_change_the_step_as_their_help_says() {
    let text = "pes = 16\nnis_per_pe = 8\n[[switch]]\nports = 64\n[job]\nep = 16\ndp = 64\npp = 2\n\
        [model]\nparameters = 7e9\nactive_parameters = 2e9\nlayers = 32\nhidden = 4096\nsequence = 4096\nglobal_batch = 512\n\
        experts = 64\ntop_k = 4\nzero = 2\n";
    let job = of(text);
    let report = |settings: EstimateSettings| job.estimate_with(&settings, None, &["planes:8,switch:16"]);
    let usual = EstimateSettings { failures: 0, ..EstimateSettings::default() };
    let given = report(usual);
    let dimension = |report: &EstimateReport, name: &str| {
        let found = report.networks[0].dimensions.iter().find(|dimension| dimension.name == name);
        found.expect(name).clone()
    };
    assert_eq!(dimension(&given, "ep").hidden, Some(0.0));
    // Half of the expert traffic dispatches tokens; the other half keeps its 2 bytes.
    let practice = Practice { dispatch_bytes: Some(1.0), scatters_once: true };
    let other = report(EstimateSettings {
        is_net: true,
        attention: Attention::Causal,
        recomputes: true,
        expert_overlap: 1.0,
        practice,
        ..usual
    });
    near(dimension(&other, "ep").transfer, 0.75 * dimension(&given, "ep").transfer);
    let [ep, dp] = ["ep", "dp"].map(|name| dimension(&other, name));
    near(ep.hidden.expect("a model"), ep.seconds());
    assert_eq!(other.bubble, Some(0.0));
    let compute = (8.0 * 2e9 + 8.0 * 32.0 * 4096.0 * 4096.0) * 512.0 * 4096.0 / 128.0 / 4e14;
    near(other.compute.expect("a model"), compute);
    // Once per step instead of in 8 micro-batches, beside the last of them: 4 bytes scattered and 2 gathered instead of 34.
    near(dp.transfer, 6.0 / 34.0 * dimension(&given, "dp").transfer);
    near(dp.hidden.expect("a model"), dp.seconds().min(compute / 8.0));
    assert_eq!(given.assumptions.len(), 10, "{:?}", given.assumptions);
    assert!(given.assumptions.iter().all(|line| line.ends_with('.')));
    let lines = other.assumptions.join(" ");
    for part in
        ["includes the pipeline bubble", "8 operations", "causal", "100 %", "takes 1 bytes", "once per step"]
    {
        assert!(lines.contains(part), "{part}: {lines}");
    }
}

#[test]
fn nodes_that_do_not_forward_need_a_common_switch() {
    let ring = case(4, 2, "dp = 4\n[[collective]]\nalong = 'dp'\nbytes = 8e9");
    let mut off = case(4, 2, "dp = 4\n[[collective]]\nalong = 'dp'\nbytes = 8e9");
    off.spec.forwarding = Some(false);
    let chain = table::parse("0: 0 1\n1: 1 2\n2: 2 3\n", 4).expect("a wiring");
    let report = off.estimate(Some(&chain), &[]);
    let missing = report.networks[0].missing.as_deref().expect("no estimate");
    assert!(missing.contains("communicate, every path between them passes through other nodes"), "{missing}");
    assert!(report.verdict.starts_with("This design has no estimate: nodes"), "{}", report.verdict);
    // With a common switch for every pair, nothing changes. The failure of one cuts nodes off.
    let both = table::parse("0: 0 1 2 3\n1: 0 1 2 3\n", 4).expect("a wiring");
    let [with, without] = [&ring, &off].map(|case| case.estimate(Some(&both), &[]).networks.remove(0));
    assert_eq!(with.dimensions, without.dimensions);
    let through = table::parse("0: 0 3\n1: 0 1\n2: 1 2\n3: 2 3\n", 4).expect("a wiring");
    let [with, without] = [&ring, &off].map(|case| case.estimate(Some(&through), &[]).networks.remove(0));
    assert_eq!(with.dimensions, without.dimensions, "the ring stays on shared switches");
    let after = |step: &NetworkStep| step.failure.as_ref().and_then(|failure| failure.communication);
    assert!(after(&with).is_some() && after(&without).is_none(), "{with:?} {without:?}");
}

#[test]
fn the_length_of_cables_changes_their_price() {
    let ring = case(4, 2, "dp = 4\n[[collective]]\nalong = 'dp'\nbytes = 8e9");
    let price = |host_cable| {
        let settings = EstimateSettings { host_cable, ..EstimateSettings::default() };
        let report = ring.estimate_with(&settings, None, &["planes:2,switch:4"]);
        report.networks[0].price().expect("a price")
    };
    assert_eq!(price(None), price(Some(ring.market.host_length)));
    assert!(price(Some(20.0)) > price(None));
}

#[test]
fn the_verdict_names_the_better_buy() {
    let ring = case(4, 2, "dp = 4\n[[collective]]\nalong = 'dp'\nbytes = 8e9");
    // Three switches that carry half of what two would.
    let design = table::parse("0: 0 1\n1: 0 1 2 3\n2: 2 3\n", 4).expect("a wiring");
    let report = ring.estimate(Some(&design), &[]);
    assert!(
        report
            .verdict
            .starts_with("2 rails, one 4-port switch each, is a better buy than this design: 50 % faster, "),
        "{}",
        report.verdict
    );
    let same = table::parse("0: 0 1 2 3\n1: 0 1 2 3\n", 4).expect("a wiring");
    let mut report = ring.estimate(Some(&same), &[]);
    assert!(
        report.verdict.starts_with(
            "This design has the same step time and price as the next network (2 rails, one 4-port"
        ),
        "{}",
        report.verdict
    );
    // A network without a price may be the better buy.
    report.networks.iter_mut().skip(1).for_each(|network| network.bill.unpriced.push("cables".into()));
    let unknown = report.networks.iter().filter(|network| !network.text.is_empty()).count() - 1;
    let left_out = format!(" {unknown} other networks are not compared, since a price or a step is unknown.");
    assert!(report.judge().ends_with(&left_out), "{}", report.judge());
}

#[test]
fn networks_with_a_deadlock_are_no_better_buy() {
    let ring = case(4, 2, "dp = 4\n[[collective]]\nalong = 'dp'\nbytes = 8e9");
    let design = table::parse("0: 0 1\n1: 0 1 2 3\n2: 2 3\n", 4).expect("a wiring");
    let mut report = ring.estimate(Some(&design), &[]);
    let better =
        |report: &EstimateReport| report.judge().contains("2 rails, one 4-port switch each, is a better buy");
    assert!(better(&report));
    let at = report.networks.iter().position(|network| network.text == "planes:2,switch:4").expect("a row");
    for (ratio, is_better) in [(None, false), (Some(DOUBTFUL + 0.1), true)] {
        report.networks[at].check = Some(FrameCheck { dimension: "Data".into(), ratio, frames: 1 });
        assert!(report.networks[at].doubt().is_some(), "{ratio:?}");
        assert_eq!(better(&report), is_better, "{ratio:?}");
    }
    // Frames that take three times as long make the network slower than the design.
    report.networks[at].dimensions[0].transfer *= 3.0;
    assert!(!better(&report), "{}", report.judge());
    // Without a path, the design's fault comes first.
    let apart = table::parse("0: 0 1\n1: 2 3\n", 4).expect("a wiring");
    let verdict = ring.estimate(Some(&apart), &[]).verdict;
    assert!(
        verdict.starts_with("This design has no estimate: some nodes have no path to each other. Lowest"),
        "{verdict}"
    );
}

#[test]
fn without_a_job_or_paths_there_is_no_estimate() {
    let plain = of("pes = 4\nnis_per_pe = 1\n[[switch]]\nports = 4\n[[pattern]]\nkind = 'ring'\n");
    let sources =
        Sources { spec: &plain.spec, demand: &plain.demand, design: None, market: &plain.market, own: false };
    let fault = estimate(&sources, &[], &EstimateSettings::default()).unwrap_err();
    assert_eq!(fault.path, "job");
    let unknown = case(4, 1, "dp = 4");
    let sources = Sources {
        spec: &unknown.spec,
        demand: &unknown.demand,
        design: None,
        market: &unknown.market,
        own: false,
    };
    assert_eq!(estimate(&sources, &[], &EstimateSettings::default()).unwrap_err().path, "model");
    let ring = case(4, 1, "dp = 4\n[[collective]]\nalong = 'dp'\nbytes = 8e9");
    let apart = table::parse("0: 0 1\n1: 2 3\n", 4).expect("a wiring");
    let step = ring.first(Some(&apart), &["switch:8"]);
    assert_eq!(step.missing.as_deref(), Some("some nodes have no path to each other"));
    let report = ring.estimate(None, &["switch:8"]);
    assert_eq!(report.networks[0].missing.as_deref(), Some("8 hosts instead of 4"));
}

#[test]
fn detours_relieve_a_dragonfly_of_neighbours() {
    // All transfers go from one group of routers to the next, over one global link; detours use all of them.
    let job = "dp = 2\norder = 'tp-cp-pp-dp'\npp = 36\n[[collective]]\nalong = 'dp'\nbytes = 1e9\n[[collective]]\nalong = 'pp'\nbytes = 1\n";
    let neighbours = case(72, 1, job);
    let step = neighbours.first(None, &["dragonfly:4,2,9,2,72"]);
    let [dp, pp] = &step.dimensions[..] else { panic!("{step:?}") };
    assert!(dp.detour && !pp.detour, "{step:?}");
    assert_eq!(step.check, None);
    // Half of the hosts of two groups share a link at worst; the fluid bound with shortest paths is the load of that link.
    let shortest = 8.0 / neighbours.rate() * 1e9;
    assert!(
        dp.transfer < shortest && dp.transfer > 1e9 / neighbours.rate(),
        "{} and {shortest}",
        dp.transfer
    );
    assert!(dp.latency > 2.0 * (2e-6 + 4.0 * 0.7e-6), "a detour is longer: {}", dp.latency);
    // A switch needs none.
    assert!(!neighbours.first(None, &["switch:72"]).dimensions.iter().any(|dimension| dimension.detour));
}

/// A ring of two nodes with three NICs each, on three shared switches.
fn with_library(library: &str, gpus: u32) -> Case {
    of(&format!(
        "pes = 2\nnis_per_pe = 3\n[[switch]]\nports = 4\n[job]\nranks_per_pe = {gpus}\nlibrary = '{library}'\n\
         [[collective]]\nalong = 'dp'\nbytes = 8e9\n"
    ))
}

#[test]
fn a_library_uses_only_its_switches() {
    let design = table::parse("0: 0 1\n1: 0 1\n2: 0 1\n", 2).expect("a wiring");
    let any = with_library("any", 1).first(Some(&design), &[]);
    for library in ["mpi", "nccl"] {
        let case = with_library(library, 1);
        let report = case.estimate(Some(&design), &[]);
        let step = &report.networks[0];
        // All bytes over three NICs take a third; the busiest of these NICs has half.
        near(step.dimensions[0].transfer / any.dimensions[0].transfer, 3.0 / 2.0);
        let ratio = step.check.as_ref().and_then(|check| check.ratio).expect("frames by the same rule");
        assert!((0.9..1.1).contains(&ratio), "{ratio}");
        let over_all = "Over all shared switches (`library = \"any\"`), this design's step takes";
        assert!(report.verdict.contains(over_all), "{}", report.verdict);
        let after = step.failure.as_ref().expect("a failure").communication;
        match library {
            // Two shared switches are left.
            "mpi" => near(after.expect("other switches") / step.communication().expect("a step"), 1.0),
            // NIC 2 is a device by itself. If that of one node fails, the other node still offers its own.
            _ => assert_eq!(after, None),
        }
    }
}

#[test]
fn a_pair_that_the_library_does_not_connect_has_no_estimate() {
    let case = with_library("nccl", 3);
    let design = table::parse("0: 0 1\n1: 0 1\n2: 0\n3: 1\n", 2).expect("a wiring");
    let report = case.estimate(Some(&design), &[]);
    let missing =
        "NCCL connects 0 of 1 pairs of nodes that the job's groups use: 1 connects on some devices only";
    assert_eq!(report.networks[0].missing.as_deref(), Some(missing));
    assert!(
        report.verdict.starts_with(&format!("This design has no estimate: {missing}. ")),
        "{}",
        report.verdict
    );
    for part in [
        "NCCL_IB_SUBNET_AWARE_ROUTING=1",
        "NICs merged in pairs",
        "Over all shared switches (`library = \"any\"`), this design's step takes",
    ] {
        assert!(report.verdict.contains(part), "{part}: {}", report.verdict);
    }
    assert_eq!(report.orders, None);
    let any = with_library("any", 3).estimate(Some(&design), &[]);
    assert_eq!(any.networks[0].missing, None);
    assert!(!any.verdict.contains("NCCL"), "{}", any.verdict);
}

#[test]
fn pairs_without_a_shared_switch_take_uplinks() {
    // Nodes 0 to 3 in one plane of two switches each; 0 and 2 share none, and have two NICs.
    for (library, uplink) in
        [("any", "links = 1"), ("any", "links = 2\nports = 2"), ("nccl", "links = 1"), ("nccl", "links = 2")]
    {
        let case = of(&format!(
            "pes = 4\nnis_per_pe = 2\nrail = true\n[[switch]]\nports = 4\ncount = 4\n[uplink]\n{uplink}\n[job]\n\
             library = '{library}'\nranks_per_pe = 2\ntp = 2\ndp = 4\n[[collective]]\nalong = 'dp'\nbytes = 8e9"
        ));
        let design = table::parse("0: 0 1\n1: 2 3\n2: 0 1\n3: 2 3\n", 4).expect("a wiring");
        let report = case.estimate(Some(&design), &[]);
        let step = &report.networks[0];
        assert_eq!(step.missing, None, "{library} {uplink}");
        let timing = Timing::of(&case.spec).expect("traffic");
        let seconds = timing.on(&design).expect("a time");
        near(step.dimensions.iter().map(|d| d.latency + d.fluid).sum(), seconds.communication);
        // Two rings cross from one half of the nodes to the other, on two planes: as much as a NIC sends leaves a switch.
        let hop = 2.0 * 1.5 * 8e9 / 2.0 / timing.rate;
        near(seconds.communication - timing.lanes[0].messages * timing.latency_over, hop);
        assert!(step.check.as_ref().is_some_and(|check| check.ratio.is_some()), "{step:?}");
        // With a second uplink switch, one may fail.
        let two = case.estimate_with(
            &EstimateSettings { failures: 8, ..EstimateSettings::default() },
            Some(&design),
            &[],
        );
        assert!(two.networks[0].failure.as_ref().is_some_and(|failure| failure.of > 8), "{two:?}");
    }
    let alone = of(
        "pes = 4\nnis_per_pe = 1\n[[switch]]\nports = 2\ncount = 2\n[job]\nranks_per_pe = 1\ndp = 4\n[[collective]]\nalong = 'dp'\n\
         bytes = 8e9",
    );
    let design = table::parse("0: 0 1\n1: 2 3\n", 4).expect("a wiring");
    let missing = alone.estimate(Some(&design), &[]).networks.remove(0).missing.expect("no path");
    assert!(missing.contains("share no switch"), "{missing}");
}

#[test]
fn measured_traffic_takes_as_long_as_its_busiest_nic() {
    let case = of(
        "pes = 4\nnis_per_pe = 2\nobjective = \"time\"\n[[switch]]\nports = 4\n[[pattern]]\nkind = \"matrix\"\n\
                   pairs = \"0 1 8e9\\n2 3 6e9\"\n",
    );
    // Nodes 0 and 1 share two switches, nodes 2 and 3 one.
    let design = table::parse("0: 0 1 2\n1: 0 1 3\n2: 2 3\n", 4).expect("a wiring");
    let report = case.estimate(Some(&design), &[]);
    let step = &report.networks[0];
    let names: Vec<&str> = step.dimensions.iter().map(|dimension| &*dimension.name).collect();
    assert_eq!((names, report.ranks, report.compute), (vec!["traffic"], None, None));
    let timing = Timing::of(&case.spec).expect("traffic");
    // Half of the bytes go each way.
    near(step.communication().expect("a time"), 3e9 / case.rate());
    near(timing.on(&design).expect("a time").step, 3e9 / timing.rate);
    near(report.seconds(step).expect("a time"), 3e9 / case.rate());
    assert!(!report.verdict.contains("NCCL"), "{}", report.verdict);
    assert!(report.assumptions.iter().any(|line| line.contains("half of a pair's bytes")));
}

/// Two jobs on two nodes each, with rings of so many bytes.
fn two_jobs(bytes: [&str; 2], model: &str) -> Case {
    let job = "[[job]]\nlibrary = 'any'\nranks_per_pe = 1\n";
    let ring =
        |number: usize| format!("[[collective]]\njob = {number}\nalong = 'dp'\nbytes = {}\n", bytes[number]);
    let tables = format!("{job}share = 0.5\n{job}{}{}{model}", ring(0), ring(1));
    of(&format!("pes = 4\nnis_per_pe = 1\n[[switch]]\nports = 4\n{tables}"))
}

#[test]
fn jobs_share_the_links_between_switches() {
    let case = two_jobs(["8e9", "8e9"], "");
    let report = case.estimate(None, &["file:cable"]);
    let network = &report.networks[0];
    let [one, two] = network.jobs[..] else { panic!("{network:?}") };
    // Alone, 8 GB each way at the speed of a link. Both jobs use the cable all of the time, so each has half of it.
    near(one.alone, 8e9 / case.rate());
    near(one.step, 2.0 * 8e9 / case.rate());
    assert_eq!((two.alone, two.step, one.nodes, two.first), (one.alone, one.step, 2, 2));
    near(network.communication().expect("a time"), one.step);
    assert!(report.verdict.contains("job 0 loses most beside the others"), "{}", report.verdict);
    let names: Vec<&str> = network.dimensions.iter().map(|dimension| dimension.name.as_str()).collect();
    assert_eq!(names, ["dp of job 0", "dp of job 1"]);
    near(network.dimensions[0].seconds(), one.alone);
    assert_eq!(one.cells(0), ["0", "0–1", "165.0 ms", "329.9 ms", "100 %"]);
}

#[test]
fn jobs_on_links_of_their_own_lose_nothing() {
    let case = two_jobs(["8e9", "4e9"], "");
    let design = table::parse("0: 0 1\n1: 2 3\n", 4).expect("a table");
    let report = case.estimate(Some(&design), &[]);
    let network = &report.networks[0];
    let [one, two] = network.jobs[..] else { panic!("{network:?}") };
    assert_eq!((one.alone, two.alone), (one.step, two.step));
    near(one.step / two.step, 2.0);
    near(report.seconds(network).expect("a time"), (one.step + two.step) / 2.0);
    assert!(report.verdict.contains("no job slows another"), "{}", report.verdict);
    assert_eq!((report.ranks, report.orders.is_none()), (Some(4), true));
    let crossbar = report.networks.iter().find(|network| network.text == "switch:4").expect("a switch");
    assert!(crossbar.jobs.iter().all(|job| job.step == job.alone && job.step > 0.0), "{crossbar:?}");
}

#[test]
fn a_job_has_what_the_mean_load_of_another_leaves() {
    let model = "[[model]]\njob = 1\nparameters = 1e9\nlayers = 10\nhidden = 1024\nsequence = 4096\nglobal_batch = 32\n";
    let case = two_jobs(["8e9", "8e9"], model);
    let report = case.estimate(None, &["file:cable"]);
    let [one, two] = report.networks[0].jobs[..] else { panic!("{report:?}") };
    let transfer = 8e9 / case.rate();
    // The second job computes most of the time.
    let load = transfer / two.alone;
    assert!((0.1..0.45).contains(&load), "{load}");
    near(one.alone, transfer);
    near(one.step, transfer / (1.0 - load));
    // The first one uses the cable all of the time, so the second has half of it.
    near(two.communication, 2.0 * transfer);
    near(two.step, two.alone + transfer);
    // Computing of half of the nodes.
    let hidden = two.communication - two.exposed.expect("a model");
    near(2.0 * report.compute.expect("a model"), two.alone - (transfer - hidden));
}
