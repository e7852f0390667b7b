//! The switches that a job's library uses, against sets computed here and cases by hand.

use shared::{
    analysis::library::{Connections, Devices, Route, SwitchRule, pairs},
    design::{Design, table},
    random::Rng,
    resolve::{self, NoFiles},
    spec::job::Job,
};
use std::collections::BTreeSet;
use std::slice::from_ref;

/// Three switches; every two nodes share one, and nodes 0 and 1, 2 and 3, 4 and 5 share two.
const TRIANGLE: &str = "0: 0 1 2 3\n1: 0 1 4 5\n2: 2 3 4 5\n";

/// A job whose data-parallel group exchanges data between all nodes.
fn job(nodes: u32, nics: u32, gpus: u32, library: &str) -> Job {
    let text = format!(
        "pes = {nodes}\nnis_per_pe = {nics}\n[[switch]]\nports = 64\n[job]\nranks_per_pe = {gpus}\nlibrary = \"{library}\"\n\
         [[collective]]\nalong = \"dp\"\nalgorithm = \"all-pairs\"\n"
    );
    resolve::read(&text, &mut NoFiles).unwrap_or_else(|faults| panic!("{faults}")).jobs.remove(0)
}

fn wiring(text: &str, nodes: u32) -> Design {
    table::parse(text, nodes).expect(text)
}

fn route(job: &Job, design: &Design, from: u32, to: u32) -> Route {
    SwitchRule::of(None, from_ref(job), &design.nis()).route(from, to)
}

#[test]
fn two_merged_nics_meet_the_whole_neighbourhood() {
    let (design, job) = (wiring(TRIANGLE, 6), job(6, 2, 1, "nccl"));
    let found = Connections::of(None, from_ref(&job), &design.nis());
    assert_eq!((found.pairs, found.connected, found.partial, found.apart), (15, 15, 0, 0));
    assert_eq!((found.devices, found.rails), (Devices::Pairs, Some(3)));
    assert!(found.hold() && found.broken.is_empty() && found.remedies().is_empty());
    assert_eq!(found.counts(), "NCCL connects all 15 pairs of nodes that the job's groups use");
    let settings = found.settings();
    for part in ["NCCL_IB_SUBNET_AWARE_ROUTING=1 and NICs merged in pairs", "=0, only 3 of 15 pairs connect"]
    {
        assert!(settings.contains(part), "{settings}");
    }
    assert_eq!(route(&job, &design, 0, 1).switches, [(0, 0.5), (1, 0.5)]);
    assert_eq!(route(&job, &design, 0, 2).switches, [(0, 1.0)]);
}

#[test]
fn nics_stay_devices_on_rails_alone() {
    let rails = wiring("0: 0 1 2 3\n1: 0 1 2 3\n2: 0 1 2 3\n", 4);
    let own = job(4, 3, 3, "nccl");
    let found = Connections::of(None, from_ref(&own), &rails.nis());
    assert_eq!((found.devices, found.connected, found.rails), (Devices::Nics, 6, Some(6)));
    assert_eq!(route(&own, &rails, 0, 2).switches, [0, 1, 2].map(|switch| (switch, 1.0 / 3.0)));
    // Two GPUs per NIC: pairs of NICs, and the third alone.
    let found = Connections::of(None, from_ref(&job(4, 3, 6, "nccl")), &rails.nis());
    assert_eq!((found.devices, found.connected), (Devices::Pairs, 6));
    // Not the same switches on all nodes.
    let found = Connections::of(None, from_ref(&job(6, 2, 2, "nccl")), &wiring(TRIANGLE, 6).nis());
    assert_eq!((found.devices, found.connected), (Devices::Pairs, 15));
}

#[test]
fn a_lone_nic_must_meet_every_sender() {
    // Node 2 is not on switch 2, where the third NICs of nodes 0 and 1 are devices by themselves.
    let (design, job) = (wiring("0: 0 1 2\n1: 0 1 2\n2: 0 1\n3: 2\n", 3), job(3, 3, 1, "nccl"));
    let found = Connections::of(None, from_ref(&job), &design.nis());
    assert_eq!((found.pairs, found.connected, found.partial, found.apart), (3, 1, 2, 0));
    let first = found.broken[0];
    assert_eq!((first.nodes, first.connected, first.devices), ([0, 2], 2, 4));
    assert_eq!(
        found.counts(),
        "NCCL connects 1 of 3 pairs of nodes that the job's groups use: 2 connect on some devices only"
    );
    assert!(found.remedies()[0].contains("rail = true"), "{:?}", found.remedies());
    // Half of the bytes find no switch.
    let half = vec![(0, 0.25), (1, 0.25)];
    assert_eq!(route(&job, &design, 2, 0), Route { switches: half, over: vec![], connected: 1, devices: 2 });
}

#[test]
fn a_sender_keeps_a_device_whose_nics_are_all_offered() {
    // Node 0 has the devices {0, 1} and {2, 3}, node 1 {0, 1} and {2, 4}.
    let design = wiring("0: 0 1\n1: 0 1\n2: 0 1\n3: 0\n4: 1\n", 2);
    let found = route(&job(2, 4, 2, "nccl"), &design, 0, 1);
    assert_eq!(found.switches, [(0, 0.25), (1, 0.25), (2, 0.5)]);
    assert!(found.is_complete());
}

#[test]
fn pairs_without_a_shared_switch_are_apart() {
    let design = wiring("0: 0 1\n1: 1 2\n", 3);
    for library in ["nccl", "mpi", "any"] {
        let found = Connections::of(None, from_ref(&job(3, 2, 1, library)), &design.nis());
        assert_eq!((found.connected, found.partial, found.apart), (2, 0, 1), "{library}");
        assert_eq!(found.broken[0].nodes, [0, 2]);
        assert!(
            found
                .counts()
                .ends_with("connects 2 of 3 pairs of nodes that the job's groups use: 1 shares no switch")
        );
    }
}

#[test]
fn mpi_uses_two_shared_switches_and_any_library_all() {
    let design = wiring("0: 0 1\n1: 0 1\n2: 0 1\n3: 0 1\n", 2);
    assert_eq!(route(&job(2, 4, 1, "mpi"), &design, 0, 1).switches, [(0, 0.5), (1, 0.5)]);
    let all = [0, 1, 2, 3].map(|switch| (switch, 0.25));
    assert_eq!(route(&job(2, 4, 1, "any"), &design, 0, 1).switches, all);
}

#[test]
fn failed_nics_leave_their_device_to_the_other_nic() {
    let (design, job) = (wiring(TRIANGLE, 6), job(6, 2, 1, "nccl"));
    let nis = design.nis();
    let rule = SwitchRule::of(None, from_ref(&job), &nis);
    let one = rule.without([(0, 1)]);
    assert_eq!(one.route(0, 1).switches, [(0, 1.0)]);
    assert_eq!(one.route(1, 0).switches, [(0, 1.0)]);
    // Node 4 shares only switch 1 with node 0.
    assert_eq!(one.route(4, 0), Route { switches: vec![], over: vec![], connected: 0, devices: 1 });
    let none = one.without([(0, 0)]);
    for (from, to) in [(0, 1), (1, 0)] {
        assert_eq!(none.route(from, to), Route { switches: vec![], over: vec![], connected: 0, devices: 1 });
    }
}

#[test]
fn inside_nodes_nothing_connects() {
    let text = "pes = 2\nnis_per_pe = 1\n[[switch]]\nports = 4\n[job]\nranks_per_pe = 2\nlibrary = 'nccl'\ntp = 2\n\
                pp = 1\ndp = 2\n[[collective]]\nalong = 'dp'\nalgorithm = 'ring'\n";
    let job = resolve::read(text, &mut NoFiles).unwrap().jobs.remove(0);
    assert_eq!(pairs(&job), [[0, 1]]);
    let alone = Job { dp: 1, tp: 2, nodes: Some([0, 0].into()), ..job };
    let found = Connections::of(None, from_ref(&alone), &wiring("0: 0 1\n", 2).nis());
    assert_eq!((found.pairs, &*found.counts()), (0, "All groups of the job are inside nodes"));
    assert!(found.hold());
}

/// Random wirings: a device of the receiver is reached exactly if the sender is on one of the device's switches.
#[test]
fn random_wirings_follow_the_rule() {
    let mut rng = Rng::seeded(7);
    for round in 0..200_u32 {
        let (nodes, nics, gpus) = (6, 1 + round % 5, 1 + round % 3);
        let mut members = vec![Vec::new(); 8];
        for node in 0..nodes {
            let mut switches: Vec<usize> = (0..8).collect();
            for _ in 0..nics {
                let at = rng.below(switches.len() as u32) as usize;
                members[switches.swap_remove(at)].push(node);
            }
        }
        let design = Design::from_switches(nodes, members);
        let (job, nis) = (job(nodes, nics, gpus, "nccl"), design.nis());
        let rule = SwitchRule::of(None, from_ref(&job), &nis);
        let alike = pairs(&job).iter().all(|&[a, b]| nis.of(a) == nis.of(b));
        let size = if nics == 1 || (nics == gpus && alike) { 1 } else { 2 };
        assert_eq!(rule.devices().size(), size);
        let (mut complete, mut reached) = (0, 0);
        for [a, b] in pairs(&job) {
            let mut both = [0, 0];
            for (from, to) in [(a, b), (b, a)] {
                let own: BTreeSet<u32> = nis.of(from).iter().copied().collect();
                let devices: Vec<&[u32]> = nis.of(to).chunks(size).collect();
                let met =
                    devices.iter().filter(|device| device.iter().any(|switch| own.contains(switch))).count();
                let found = rule.route(from, to);
                assert_eq!((found.connected, found.devices), (met as u32, devices.len() as u32));
                let sum: f64 = found.switches.iter().map(|(_, share)| share).sum();
                assert!((sum - met as f64 / devices.len() as f64).abs() < 1e-12, "{found:?}");
                let shared: Vec<u32> = nis.shared(from, to).collect();
                assert!(found.switches.iter().all(|(switch, _)| shared.contains(switch)), "{found:?}");
                assert!(found.switches.windows(2).all(|pair| pair[0].0 < pair[1].0), "{found:?}");
                both = [both[0] + met, both[1] + devices.len()];
            }
            complete += u64::from(both[0] == both[1]);
            reached += u64::from(both[0] > 0);
        }
        let found = Connections::of(None, from_ref(&job), &nis);
        assert_eq!((found.connected, found.connected + found.partial), (complete, reached));
        assert_eq!(found.pairs, found.connected + found.partial + found.apart);
    }
}

/// Two planes of two switches; nodes 0 and 3, and 1 and 2, share none.
const SQUARE: &str = "0: 0 1\n1: 2 3\n2: 0 2\n3: 1 3\n";

#[test]
fn nodes_without_a_shared_switch_meet_over_uplinks() {
    let spine = |more: &str| {
        let text = format!(
            "pes = 4\nnis_per_pe = 2\n{more}[[switch]]\nports = 4\ncount = 4\n[[pattern]]\nkind = \"ring\"\n[uplink]\n"
        );
        resolve::read(&text, &mut NoFiles).unwrap_or_else(|faults| panic!("{faults}")).spine()
    };
    let (design, each) = (wiring(SQUARE, 4), |pairs: &[[u32; 2]], share: f64| {
        pairs.iter().map(|&switches| (switches, share)).collect::<Vec<_>>()
    });
    let nis = design.nis();
    let over = |more: &str, library: &str| {
        let job = job(4, 2, 1, library);
        let rule = SwitchRule::of(spine(more), from_ref(&job), &nis);
        let found = Connections::of(spine(more), from_ref(&job), &nis);
        (rule.route(0, 3), found.hold(), found.over)
    };
    let (all, holds, pairs) = over("", "any");
    assert_eq!(
        (all.over, all.switches.len(), holds, pairs),
        (each(&[[0, 1], [0, 3], [2, 1], [2, 3]], 0.25), 0, true, Some(2))
    );
    let in_planes = each(&[[0, 1], [2, 3]], 0.5);
    assert_eq!(over("rail = true\n", "any").0.over, in_planes);
    for more in ["", "rail = true\n"] {
        let (nccl, holds, pairs) = over(more, "nccl");
        assert_eq!((&nccl.over, nccl.is_complete(), holds, pairs), (&in_planes, true, true, Some(2)));
        // UCX connects NICs of one subnet only.
        let (mpi, holds, _) = over(more, "mpi");
        assert_eq!((mpi.over.len(), mpi.connected, holds), (0, 0, false));
    }
    // A pair that shares a switch stays on it.
    let job = job(4, 2, 1, "any");
    assert_eq!(SwitchRule::of(spine(""), from_ref(&job), &nis).route(0, 1).over, []);
    // Of two nodes apart, one on the folded uplink switch, the shortest path is through that.
    let text = "pes = 4\nnis_per_pe = 2\n[[switch]]\nports = 8\ncount = 4\n[[pattern]]\nkind = \"ring\"\n[uplink]\nkind = \"folded\"\n";
    let folded = resolve::read(text, &mut NoFiles).unwrap_or_else(|faults| panic!("{faults}")).spine();
    let route = SwitchRule::of(folded, from_ref(&job), &nis).route(0, 3);
    assert_eq!(route.over, each(&[[0, 3], [2, 3]], 0.5));
}
