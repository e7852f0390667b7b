//! The least cuts of networks, held against every half of the hosts with every side of every switch.

use shared::{
    compare::{
        Bisection, Market, bisection, figures,
        market::{MarketForm, preset},
    },
    design::table,
    fabric::{Fabric, NetworkKind, Speeds, Wiring, kinds},
    resolve::{self, NoFiles},
    spec::Spec,
};

fn spec(text: &str) -> Spec {
    resolve::read(text, &mut NoFiles).unwrap()
}

fn read(text: &str) -> Box<dyn NetworkKind> {
    kinds::parse(text).unwrap_or_else(|fault| panic!("{fault}"))
}

/// Links of 100 Mb/s, trunks of 1,000, and switches that pass so much.
fn market(backplane: u32) -> Market {
    let text = format!("speed = 100\ntrunk_speed = 1000\nbackplane = {backplane}");
    MarketForm::parse(&text).unwrap().resolve().unwrap()
}

/// The least cut in Mb/s of both directions, switches on two sides or cut through at what they pass. Every half of the hosts is
/// tried; links between switches are not known here.
fn plainly(fabric: &Fabric, boxes: &[u32], limits: &[Option<u64>]) -> u64 {
    let halves = (0u32..1 << fabric.hosts).filter(|half| half.count_ones() == fabric.hosts / 2);
    let cut = |half: u32| {
        let mut here = vec![[0u64; 2]; boxes.len()];
        for link in &fabric.links {
            let [host, switch] = link.ends;
            here[(switch - fabric.hosts) as usize][(half >> host & 1) as usize] += 2 * u64::from(link.speed);
        }
        let mut passed = vec![0; limits.len()];
        for (sides, &of) in here.iter().zip(boxes) {
            passed[of as usize] += sides[0].min(sides[1]);
        }
        passed
            .iter()
            .zip(limits)
            .map(|(&links, limit)| limit.map_or(links, |most| links.min(most)))
            .sum::<u64>()
    };
    halves.map(cut).min().unwrap()
}

fn all(bisection: &Bisection, hosts: u32) -> [f64; 2] {
    [bisection.least_bandwidth, bisection.bandwidth.unwrap()].map(|each| each * 8.0 * f64::from(hosts))
}

#[test]
fn rows_of_p_meshes_and_rails_are_cut_as_cheaply_as_any_half() {
    for text in [
        "pmesh:3x4",
        "pmesh:5x3",
        "pmesh:2x7",
        "pmesh:3x5",
        "pmesh:4x4",
        "rail:3x4",
        "rail:5x3",
        "rail:2x7",
        "rail:4x4",
    ] {
        for backplane in [100_000, 500, 300, 250, 200] {
            let (kind, market) = (read(text), market(backplane));
            let fabric = kinds::build(&*kind, market.speeds()).unwrap();
            let parts = kind.parts();
            let limits: Vec<Option<u64>> = parts
                .switches
                .iter()
                .flat_map(|s| {
                    std::iter::repeat_n((s.trunks == 0).then_some(backplane.into()), s.count as usize)
                })
                .collect();
            let boxes: Vec<u32> = (0..limits.len() as u32).collect();
            // By the formula alone: with the graph, every cut would be tried.
            let found = bisection(&*kind, None, &market);
            let least = plainly(&fabric, &boxes, &limits) as f64;
            assert!(found.exact, "{text}, {backplane}: {found:?}");
            assert_eq!(all(&found, parts.hosts), [least; 2], "{text}, {backplane}");
        }
    }
}

#[test]
fn p_meshes_of_more_dimensions_have_bounds_that_are_close() {
    // Exact numbers by trying every stack of layers that shrink, elsewhere.
    let least = [
        ("3x3x2", 9),
        ("3x3x3", 13),
        ("4x3x3", 15),
        ("4x4x3", 20),
        ("4x4x4", 28),
        ("5x3x3", 20),
        ("5x4x3", 25),
    ];
    for (sides, links) in least {
        let kind = read(&format!("pmesh:{sides}"));
        let cut = kind.cut(Speeds::default()).unwrap();
        assert!(cut.least_links <= links && links <= cut.links, "{sides}: {cut:?}");
        assert!(cut.links - cut.least_links <= 1, "{sides}: {cut:?}");
    }
    // As many as one likes: a formula's bounds.
    let cut = read("pmesh:100x100x100").cut(Speeds::default()).unwrap();
    assert_eq!((cut.least_links, cut.links), (250_000, 500_000));
}

#[test]
fn rows_that_share_a_switch_stay_apart() {
    let market = market(300);
    for (text, boxes) in [("pmesh:3x4,2", [0, 0, 1, 1, 2, 2, 3]), ("pmesh:3x4,4x1", [0, 0, 0, 0, 1, 2, 3])] {
        let kind = read(text);
        let rows = kinds::build(&*read("pmesh:3x4"), market.speeds()).unwrap();
        let switches = boxes.iter().max().unwrap() + 1;
        let unlimited = plainly(&rows, &boxes, &vec![None; switches as usize]);
        let limited = plainly(&rows, &boxes, &vec![Some(300); switches as usize]);
        let fabric = kinds::build(&*kind, market.speeds()).unwrap();
        let found = bisection(&*kind, Some(&fabric), &market);
        assert_eq!(found.links, Some(unlimited / 200), "{text}");
        assert_eq!(found.least_links, unlimited / 200, "{text}");
        let [least, most] = all(&found, 12);
        assert!(least <= limited as f64 && limited as f64 <= most, "{text}: {limited}, {found:?}");
    }
    // One switch for all rows of a dimension: without it, hosts in different columns are apart.
    let lost = |text: &str| {
        let survival = figures(&*read(text), None, &market).survival.unwrap();
        (survival.losses.switch.unwrap(), survival.switches.unwrap(), survival.exact)
    };
    assert_eq!(lost("pmesh:4x4,4"), (12, 0, true));
    assert_eq!(lost("pmesh:4x4,4x1"), (12, 0, true));
    assert_eq!(lost("pmesh:4x4,2"), (0, 1, true));
    assert_eq!(lost("pmesh:4x3x2,6x1x1"), (18, 0, true));
}

/// A wiring of which some switches are better cut through and others not.
#[test]
fn switches_that_pass_little_are_cut_through_one_by_one() {
    let spec = spec("pes = 10\nnis_per_pe = 2\n[[switch]]\nports = 10\n[[pattern]]\nkind = \"ring\"");
    let text = "0: 0 1 2 3 4 5 6 7 8 9\n1: 0 1 2\n2: 3 4\n3: 5 6\n4: 7 8 9\n";
    let design = table::parse(text, 10).unwrap();
    let kind = Wiring::of(&spec, &design);
    for backplane in [100_000, 1000, 700, 400, 150] {
        let market = market(backplane);
        let fabric = kinds::build(&kind, market.speeds()).unwrap();
        let found = bisection(&kind, Some(&fabric), &market);
        let least = plainly(&fabric, &[0, 1, 2, 3, 4], &[Some(backplane.into()); 5]);
        assert!(found.exact, "{backplane}: {found:?}");
        assert_eq!(all(&found, 10), [least as f64; 2], "{backplane}");
    }
}

#[test]
fn what_is_not_tried_has_bounds_that_say_so() {
    // 17 switches that pass half of what 24 ports send; trying each of three ways is too much. The least cut was found by
    // trying every one elsewhere: 1,575 MB/s, where all links together let 1,925 through.
    let spec = spec(include_str!("../../assets/specs/kasy0.toml"));
    let design = table::parse(include_str!("../../assets/wirings/kasy0.txt"), 128).unwrap();
    let kind = Wiring::of(&spec, &design);
    let market = preset("1998").unwrap().market();
    let fabric = kinds::build(&kind, market.speeds()).unwrap();
    let found = bisection(&kind, Some(&fabric), &market);
    assert_eq!((found.least_links, found.links, found.exact), (77, Some(77), false));
    let [least, most] = all(&found, 128).map(|speed| speed / 8.0);
    assert!(least > 0.0 && least <= 1575.0 && (1575.0..1925.0).contains(&most), "{least}, {most}");
    assert!(found.how.ends_with("bounds by the switches' total rate"), "{}", found.how);
}

#[test]
fn grids_without_an_even_side_are_cut_through_their_middle() {
    let links = |text: &str| {
        let cut = read(text).cut(Speeds::default()).unwrap();
        (cut.least_links, cut.links)
    };
    // A row of each other dimension, then a row of the middle layer, and so on to the last dimension.
    assert_eq!(links("mesh:5x5"), (6, 6));
    assert_eq!(links("mesh:7x3"), (4, 4));
    assert_eq!(links("host-torus:7x3"), (7, 8));
    assert_eq!(links("host-torus:5x5"), (11, 12));
    assert_eq!(links("mesh:5x5x5").1, 31);
    // Half the hosts of the switch in the middle are cut off by themselves.
    assert_eq!(links("mesh:5x5,4"), (6, 8));
    // The longest side, though another one is even.
    assert_eq!(links("mesh:2x31"), (3, 3));
}
