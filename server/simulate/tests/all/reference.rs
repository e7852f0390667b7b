//! Frames moved whole take the same cycles as flits moved one by one.

use crate::support::{Parts, Table, flits, random_fabric, random_frames};
use spec::random::Rng;
use std::sync::atomic::AtomicBool;
use work::simulation::{FullBufferRule, Queue, Settings, Switching};

/// Random networks, rules and frames; every frame must arrive in the very cycle.
fn compare(parts: Parts, seeds: std::ops::Range<u64>, rules: impl Fn(&mut Rng, &mut Settings)) {
    let (mut arrived, mut stuck, mut lost, mut may_lose) = (0, 0, 0, false);
    for seed in seeds {
        let rng = &mut Rng::seeded(seed);
        let fabric = random_fabric(parts, rng);
        let lengths: Vec<u32> = (0..fabric.channels()).map(|_| 1 + rng.below(9)).collect();
        let routing = Table::shortest(&fabric, &lengths);
        let mut settings = Settings {
            header: rng.below(3),
            payload: 1 + rng.below(12),
            link_delay: 1 + rng.below(6),
            routing_delay: rng.below(8),
            host_delay: rng.below(20),
            credit_delay: rng.below(5),
            buffer: 1 + rng.below(3),
            host_buffer: 1 + rng.below(3),
            cycles: 4000,
            ignored: 0,
            ..Settings::default()
        };
        rules(rng, &mut settings);
        let apart = 1 + rng.below(60);
        let frames = random_frames(&fabric, 60, apart, rng);
        let plain = flits::simulate(&fabric, &routing, &settings, &frames);
        let whole =
            simulate::trace(&fabric, &routing, &settings, &frames, 0, &AtomicBool::new(false)).unwrap();
        assert_eq!(
            flits::Outcome { arrived: whole.arrived, lost: whole.lost },
            plain,
            "seed {seed}, {settings:?}"
        );
        if settings.full == FullBufferRule::Hold {
            assert_eq!(whole.deadlock.is_some(), plain.arrived.contains(&None), "seed {seed}");
        }
        arrived += plain.arrived.iter().flatten().count();
        lost += plain.lost;
        may_lose |= settings.full == FullBufferRule::Drop;
        stuck += u32::from(whole.deadlock.is_some());
    }
    assert!(
        arrived > 1000 && (lost > 0) == may_lose && stuck < 10,
        "{arrived} arrived, {lost} lost, {stuck} stuck"
    );
}

const PLAIN: Parts = Parts { speeds: &[1000], hubs: 0, behind: 0 };

#[test]
fn cut_through_with_input_buffers() {
    compare(PLAIN, 0..60, |_, _| {});
}

#[test]
fn store_and_forward() {
    compare(PLAIN, 100..150, |_, settings| settings.switching = Switching::StoreAndForward);
}

#[test]
fn shared_buffers() {
    compare(PLAIN, 200..250, |_, settings| settings.queue = Queue::Shared);
}

#[test]
fn memories_shared_by_all_links() {
    compare(Parts { behind: 2, hubs: 1, ..PLAIN }, 250..300, |rng, settings| {
        settings.queue = Queue::Shared;
        settings.shared_buffer = Some(2 + rng.below(6));
        settings.alpha = *rng.pick(&[0.25, 0.5, 1.0, 2.0]).unwrap();
        settings.full = *rng.pick(&[FullBufferRule::Hold, FullBufferRule::Drop]).unwrap();
    });
}

#[test]
fn full_buffers_drop() {
    compare(PLAIN, 300..350, |rng, settings| {
        settings.full = FullBufferRule::Drop;
        settings.queue = *rng.pick(&[Queue::Input, Queue::Shared]).unwrap();
    });
}

#[test]
fn virtual_channels() {
    compare(PLAIN, 800..860, |rng, settings| {
        settings.virtual_channels = 2 + rng.below(3);
        settings.full =
            *rng.pick(&[FullBufferRule::Hold, FullBufferRule::Hold, FullBufferRule::Drop]).unwrap();
        settings.queue = *rng.pick(&[Queue::Input, Queue::Input, Queue::Shared]).unwrap();
    });
    let parts = Parts { speeds: &[300, 700, 1000], hubs: 3, behind: 3 };
    compare(parts, 900..950, |rng, settings| {
        settings.cycles = 10_000;
        settings.virtual_channels = 2 + rng.below(7);
        settings.half_duplex_hosts = rng.below(2) == 0;
        settings.switching = *rng.pick(&[Switching::CutThrough, Switching::StoreAndForward]).unwrap();
        settings.full = *rng.pick(&[FullBufferRule::Hold, FullBufferRule::Drop]).unwrap();
    });
}

#[test]
fn links_of_several_speeds() {
    compare(Parts { speeds: &[100, 250, 300, 1000], ..PLAIN }, 400..450, |_, settings| {
        settings.cycles = 20_000
    });
}

#[test]
fn hosts_that_forward() {
    compare(Parts { behind: 6, ..PLAIN }, 500..550, |_, _| {});
}

#[test]
fn hubs() {
    compare(Parts { hubs: 6, speeds: &[500, 1000], behind: 1 }, 600..650, |_, settings| {
        settings.cycles = 10_000
    });
}

#[test]
fn everything_at_once() {
    let parts = Parts { speeds: &[300, 700, 1000], hubs: 3, behind: 3 };
    compare(parts, 700..780, |rng, settings| {
        settings.cycles = 10_000;
        settings.half_duplex_hosts = rng.below(2) == 0;
        settings.switching = *rng.pick(&[Switching::CutThrough, Switching::StoreAndForward]).unwrap();
        settings.queue = *rng.pick(&[Queue::Input, Queue::Shared]).unwrap();
        settings.full =
            *rng.pick(&[FullBufferRule::Hold, FullBufferRule::Hold, FullBufferRule::Drop]).unwrap();
        settings.reference_speed = *rng.pick(&[None, Some(1000), Some(1500)]).unwrap();
    });
}
