//! Waves of booting and who asks whom, against a slow recomputation.

use super::machines::{all, faults, kasy0, lab, machine, ni, parted, row, works, written};
use shared::{
    analysis::routing::{BootPlan, boot},
    design::Design,
    design::{Faults, WorkingDesign},
};

/// The wave of each PE, by looking for somebody to ask until nobody new is found.
fn waves(design: &Design, faults: &Faults, server: u32, boot_ni: Option<u32>) -> Vec<Option<u32>> {
    let mut waves = vec![None; design.pes() as usize];
    waves[server as usize] = Some(0);
    for wave in 1.. {
        let before = waves.clone();
        for pe in (0..design.pes()).filter(|&pe| before[pe as usize].is_none()) {
            let may = |&switch: &u32| {
                let over = boot_ni.is_none_or(|wanted| ni(design, pe, switch) == wanted);
                over && works(design, faults, pe, switch)
            };
            let booted =
                |other: u32, switch| before[other as usize].is_some() && works(design, faults, other, switch);
            let asks = |switch: u32| (0..design.pes()).any(|other| booted(other, switch));
            if (0..design.switch_count()).filter(may).any(asks) {
                waves[pe as usize] = Some(wave);
            }
        }
        if waves == before {
            break;
        }
    }
    waves
}

#[test]
fn everyone_boots_as_early_as_can_be_and_asks_one_that_has_booted() {
    for machine in all() {
        let design = &machine.2;
        for (dead, server, boot_ni) in
            [("", 0, None), ("sw1 node2 node0.nic0", 1, None), ("", 3, Some(0)), ("sw0", 5, Some(1))]
        {
            let faults = faults(dead, design);
            let plan = boot(&WorkingDesign::new(design, &faults), server, boot_ni);
            let waves = waves(design, &faults, server, boot_ni);
            for pe in 0..design.pes() {
                let booting = plan.booting(pe);
                assert_eq!(booting.map(|b| b.wave), waves[pe as usize].filter(|_| pe != server), "PE {pe}");
                let Some(booting) = booting else { continue };
                assert!(
                    works(design, &faults, pe, booting.switch)
                        && works(design, &faults, booting.asks, booting.switch)
                );
                assert_eq!(booting.ni, ni(design, pe, booting.switch));
                assert!(boot_ni.is_none_or(|ni| ni == booting.ni));
                assert_eq!(waves[booting.asks as usize], Some(booting.wave - 1));
                assert_eq!(plan.served_by(booting.switch), Some(booting.asks), "one for each switch");
            }
            in_order(&plan, &waves);
        }
    }
}

/// The order is that of the waves, and holds everyone who boots once.
fn in_order(plan: &BootPlan, waves: &[Option<u32>]) {
    let order: Vec<(u32, u32)> = plan.order().iter().map(|&pe| (waves[pe as usize].unwrap(), pe)).collect();
    assert!(order.windows(2).all(|two| two[0] < two[1]), "{order:?}");
    assert_eq!(order.len(), waves.iter().flatten().count());
    for &(wave, pe) in &order {
        let chain = plan.chain(pe);
        assert_eq!((chain.len() as u32, chain.last()), (wave + 1, Some(&plan.server())));
    }
}

#[test]
fn few_relays_share_the_work() {
    let (_, _, design) = kasy0();
    let nis = design.nis();
    let plan = boot(&WorkingDesign::new(&design, &Faults::default()), 0, None);
    let booting = &plan;
    let wave = |wave| (0..128).filter(move |&pe| booting.booting(pe).is_some_and(|b| b.wave == wave));
    let relays: Vec<u32> = (1..128).filter(|&pe| plan.serves(pe).next().is_some()).collect();
    let least = fewest(&design, &wave(2).collect::<Vec<_>>(), design.nis().of(0));
    assert!(least > 1 && (least..=least + 1).contains(&relays.len()));
    assert!(
        relays.iter().all(|&relay| plan.serves(relay).count() == 1),
        "one relays twice where others are free"
    );
    for pe in wave(1) {
        let has = on(&plan, plan.booting(pe).unwrap().switch);
        let alternatives = nis.shared(0, pe);
        alternatives
            .for_each(|other| assert!(on(&plan, other) + 1 >= has, "PE {pe} would do better on {other}"));
    }
}

/// The fewest switches beside some that hold all of these PEs, by trying all sets of switches.
fn fewest(design: &Design, pes: &[u32], beside: &[u32]) -> usize {
    let others: Vec<u32> = (0..design.switch_count()).filter(|switch| !beside.contains(switch)).collect();
    let bits = |&switch: &u32| {
        let holds = |&at: &usize| design.members(switch).contains(&pes[at]);
        (0..pes.len()).filter(holds).fold(0u128, |bits, at| bits | 1 << at)
    };
    let held: Vec<u128> = others.iter().map(bits).collect();
    let all = u128::MAX >> (128 - pes.len());
    let holds_all = |set: &u32| {
        let chosen = held.iter().enumerate().filter(|(at, _)| set >> at & 1 == 1);
        chosen.fold(0, |bits, (_, held)| bits | held) == all
    };
    (0..1 << others.len()).filter(holds_all).map(u32::count_ones).min().unwrap() as usize
}

fn on(plan: &BootPlan, switch: u32) -> usize {
    plan.order().iter().filter(|&&pe| plan.booting(pe).is_some_and(|b| b.switch == switch)).count()
}

#[test]
fn the_table_tells_waves_addresses_and_who_never_boots() {
    let text = written(row(), "boot", None, &["root=2"]).unwrap();
    let expected = "wave,pe,name,ni,switch,mac,address,asks\n0,2,node002,,,,,\n\
        1,0,node000,0,0,02:0a:00:00:00:00,10.0.0.1,2\n1,1,node001,0,0,02:0a:00:00:01:01,10.0.0.2,2\n\
        1,3,node003,0,1,02:0a:00:00:03:03,10.1.0.4,2\n1,4,node004,0,1,02:0a:00:00:04:04,10.1.0.5,2\n\
        2,5,node005,0,2,02:0a:00:00:05:05,10.2.0.6,4\n2,6,node006,0,2,02:0a:00:00:06:06,10.2.0.7,4\n\
        3,7,node007,0,3,02:0a:00:00:07:07,10.3.0.8,6\n3,8,node008,0,3,02:0a:00:00:08:08,10.3.0.9,6\n";
    assert_eq!(text, expected);
    // Over NI 1 nobody but PE 4 has a switch of PE 2's, PE 6 one of PE 4's.
    let text = written(row(), "boot", None, &["root=4", "boot-nic=0"]).unwrap();
    assert!(text.contains("\n1,3,node003,0,1,") && text.contains("\nnever,2,node002,,,,,\n"), "{text}");
    let text =
        written(parted(), "boot", None, &["network=172.16.0.0/16", "macs=node3.nic0=00:1b:21:3c:4d:5e"])
            .unwrap();
    assert!(text.contains("\n2,3,node003,0,1,00:1b:21:3c:4d:5e,172.16.1.4,2\n"), "{text}");
    assert_eq!(text.matches("never").count(), 4, "{text}");
}

#[test]
fn what_cannot_be_is_told() {
    let error = |choices: &[&str]| written(lab(), "boot", None, choices).unwrap_err();
    assert_eq!(error(&["root=8"]), "root=8: there is no node 8; nodes are 0 to 7");
    assert!(error(&["boot-nic=64"]).contains("must be a whole number from 0 to 63, not 64."));
    assert_eq!(error(&["boot-ni=3"]), "boot-nic=3: no node has this NIC; NICs are 0 to 2");
    assert!(error(&["macs=node7.nic9=00:1b:21:3c:4d:5e"]).contains("no such NI"));
    let error =
        written(machine(300, 1, "0: 0 1\n"), "boot", None, &["network=10.0.0.0/24", "avoid=10.0.0.0/25"]);
    assert!(error.unwrap_err().contains("network=10.0.0.0/24: "));
}
