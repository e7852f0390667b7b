//! The files of systemd-networkd and of netplan, read by the daemon itself on every PE.

use crate::{
    PEER, crossing,
    forms::{RING, RING_WIRING},
    machine::{Form, Machine},
    plan::Plan,
    run_story,
};
use anyhow::{Context, Result, ensure};
use e2e::{
    lab::{Lab, Peers},
    readers::{DESIGN, read_by},
    root,
};
use std::{
    fs,
    net::Ipv4Addr,
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

#[test]
fn networkd_sets_what_multipath_sets() {
    run_story("the files of systemd-networkd", missing(&NETWORKD), |dir| {
        let machine = Machine::wired(dir, RING, RING_WIRING)?;
        run(&machine, &machine.export("networkd", "")?)?;
        read_by("systemd", DESIGN, &["networkd"])
    });
}

#[test]
fn netplan_sets_what_multipath_sets() {
    let needed = [&NETWORKD[..], &["/usr/sbin/netplan"]].concat();
    run_story("the files of netplan", missing(&needed), |dir| {
        let machine = Machine::wired(dir, RING, RING_WIRING)?;
        let files = machine.export("netplan", "")?;
        for folder in fs::read_dir(&files)? {
            let folder = folder?.path();
            let out =
                Command::new("/usr/sbin/netplan").args(["generate", "--root-dir"]).arg(&folder).output()?;
            ensure!(out.status.success(), "netplan: {}", String::from_utf8_lossy(&out.stderr));
        }
        run(&machine, &files)?;
        read_by("systemd", DESIGN, &["netplan"])?;
        read_by("netplan", DESIGN, &["netplan"])
    });
}

const NETWORKD: [&str; 2] = ["/lib/systemd/systemd-networkd", "/lib/systemd/systemd-sysctl"];

/// What is not installed, if so.
fn missing(programs: &[&str]) -> Option<String> {
    let missing: Vec<_> = programs.iter().filter(|path| !Path::new(path).exists()).copied().collect();
    (!missing.is_empty())
        .then(|| format!("there is no {}; its package is not installed", missing.join(", no ")))
}

/// Lets the daemon read the files of each PE, waits until it has set them, and checks every pair.
fn run(machine: &Machine, files: &Path) -> Result<()> {
    let lab = Lab::up(machine.cables().to_vec())?;
    let script = root().join("e2e/tests/lab/daemons.sh");
    let start = |pe| {
        let mut command = lab.enter(pe, Path::new("sh"));
        command
            .arg(&script)
            .arg(files.join(format!("node{pe:03}")))
            .stdin(Stdio::null())
            .stderr(Stdio::null());
        command.spawn().map(Daemon).with_context(|| format!("a daemon on PE {pe}"))
    };
    let mut daemons: Vec<Daemon> = (0..lab.pes()).map(start).collect::<Result<_>>()?;
    let plan = Plan::of(machine, Form::Multipath, &[])?;
    let mut peers = Peers::on(&lab, Path::new(PEER))?;
    wait(&mut daemons, &mut peers, &plan)?;
    crossing::check(&lab, &mut peers, &plan)
}

/// It ends with this value.
pub struct Daemon(pub Child);

impl Drop for Daemon {
    fn drop(&mut self) {
        // An error means that it has ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Nothing tells when a daemon has set everything but that everything works.
fn wait(daemons: &mut [Daemon], peers: &mut Peers, plan: &Plan) -> Result<()> {
    let mut lists: Vec<Vec<Ipv4Addr>> = vec![Vec::new(); plan.pes() as usize];
    for pair in plan.pairs() {
        lists[pair.0 as usize].push(plan.address(pair)?);
    }
    let began = Instant::now();
    loop {
        for (pe, daemon) in daemons.iter_mut().enumerate() {
            let ended = daemon.0.try_wait()?;
            ensure!(ended.is_none(), "the daemon on PE {pe} ended: {ended:?}");
        }
        let unanswered = peers.ask(&lists, Duration::from_secs(1))?;
        if unanswered.iter().all(Vec::is_empty) {
            return Ok(());
        }
        ensure!(
            began.elapsed() < Duration::from_secs(90),
            "by PE, these addresses do not answer: {unanswered:?}"
        );
    }
}
