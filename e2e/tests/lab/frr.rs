//! The files of FRR, read by FRR itself on every PE: BFD notices a switch that forwards nothing while its links stay up.

use crate::{
    PEER,
    daemons::Daemon,
    forms::{RING, RING_WIRING},
    machine::{Form, Machine},
    plan::Plan,
    run_story,
};
use anyhow::{Context, Result, bail, ensure};
use e2e::{
    lab::{Lab, Peers},
    readers::{DESIGN, read_by_version},
    root, target_dir,
};
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, File},
    net::Ipv4Addr,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

/// Long, for machines that are busy.
const PATIENCE: Duration = Duration::from_secs(90);
/// The switch that fails: nodes 0 and 1 share another one, nodes 0 and 2 none.
const FAILS: u32 = 1;

#[test]
#[ignore = "takes FRR of Debian 13; run by `make site-check`"]
fn a_switch_that_forwards_nothing_is_left_out_of_routes() {
    let obstacle = (!debian().join("usr/lib/frr/bfdd").exists())
        .then(|| "there is no FRR of Debian 13; e2e/setup.sh --machines installs it".to_owned());
    run_story("the files of FRR", obstacle, |dir| {
        let machine = Machine::wired(dir, RING, RING_WIRING)?;
        let lab = Lab::up(machine.cables().to_vec())?;
        let plan = Plan::of(&machine, Form::Multipath, &[])?;
        machine.apply(&lab, Form::Multipath, "")?;
        let multipath = Routes::of_all(&lab)?;
        machine.undo(&lab, Form::Multipath, "")?;
        // FRR sets interfaces up itself.
        lab.on_all(|pe| lab.on(pe, "for n in eth0 eth1; do ip link set $n down; done", &[]))?;

        let files = machine.export("frr", "")?;
        let mut daemons =
            (0..lab.pes()).map(|pe| Frr::start(&lab, pe, &files, dir)).collect::<Result<Vec<_>>>()?;
        let watched: Vec<Routes> = multipath.iter().map(Routes::watched).collect();
        wait(&lab, &watched, &mut daemons).context("as FRR begins")?;
        let mut peers = Peers::on(&lab, Path::new(PEER))?;
        let pairs: Vec<_> = plan.pairs().collect();
        answer(&mut peers, &plan, &pairs)?;

        lab.silence(FAILS, true)?;
        let without: Vec<Routes> =
            (0..).zip(&multipath).map(|(pe, routes)| routes.without(&machine, pe)).collect();
        ensure!(without != watched, "no route is over the switch that fails");
        wait(&lab, &without, &mut daemons).context("after a switch failed")?;
        for cable in machine.cables().iter().filter(|cable| cable.switch == FAILS) {
            let carrier = lab.on(cable.pe, &format!("cat /sys/class/net/eth{}/carrier", cable.ni), &[])?;
            ensure!(carrier.trim() == "1", "PE {} notices it by itself", cable.pe);
        }
        let left =
            |hops: &[crate::plan::Hop]| hops.len() == 1 && hops[0].switches.iter().any(|&s| s != FAILS);
        let pairs: Vec<_> = pairs.into_iter().filter(|&pair| plan.way(pair).is_some_and(left)).collect();
        answer(&mut peers, &plan, &pairs)?;

        lab.silence(FAILS, false)?;
        wait(&lab, &watched, &mut daemons).context("after the switch works again")?;
        answer(&mut peers, &plan, &plan.pairs().collect::<Vec<_>>())?;
        listed_with_version()
    });
}

/// The Debian with FRR.
pub fn debian() -> PathBuf {
    target_dir().join("e2e/frr")
}

/// Checks that the list of formats names this FRR.
fn listed_with_version() -> Result<()> {
    let query = Command::new("chroot")
        .arg(debian())
        .args(["dpkg-query", "-W", "-f", "${Version}", "frr"])
        .output()?;
    let version = String::from_utf8(query.stdout)?;
    read_by_version("FRR", &version, DESIGN, &["frr"])
}

/// FRR on a PE; it ends with this value.
struct Frr {
    daemon: Daemon,
    log: PathBuf,
}

impl Frr {
    fn start(lab: &Lab, pe: u32, files: &Path, dir: &Path) -> Result<Frr> {
        let mut command = lab.enter(pe, Path::new("unshare"));
        command.args(["--mount", "--pid", "--fork", "--kill-child", "sh"]);
        command
            .arg(root().join("e2e/tests/lab/frr.sh"))
            .arg(debian())
            .arg(files.join(format!("node{pe:03}")));
        let log = dir.join(format!("frr-{pe}.log"));
        let file = File::create(&log)?;
        command.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file);
        Ok(Frr { daemon: Daemon(command.spawn().with_context(|| format!("FRR on PE {pe}"))?), log })
    }

    /// Checks that it runs.
    fn is_up(&mut self) -> Result<()> {
        let ended = self.daemon.0.try_wait()?;
        ensure!(ended.is_none(), "FRR ended: {}", fs::read_to_string(&self.log)?);
        Ok(())
    }
}

/// Routes of a PE to others by destination: the next hops, each the NIC and the gateway, if there is one.
#[derive(Debug, PartialEq, Eq)]
struct Routes(BTreeMap<Ipv4Addr, BTreeSet<(String, Option<Ipv4Addr>)>>);

impl Routes {
    fn of_all(lab: &Lab) -> Result<Vec<Routes>> {
        lab.on_all(|pe| {
            Routes::read(&lab.on(pe, "ip -j route show", &[])?).with_context(|| format!("PE {pe}"))
        })
    }

    /// Reads routes as `ip -j` prints them.
    fn read(json: &str) -> Result<Routes> {
        let mut routes = BTreeMap::new();
        let list: Vec<Value> = serde_json::from_str(json)?;
        for route in &list {
            let hops = route["nexthops"].as_array().map_or(std::slice::from_ref(route), Vec::as_slice);
            let hop = |hop: &Value| {
                let dev = hop["dev"].as_str().with_context(|| route.to_string())?;
                let gateway = hop["gateway"].as_str().map(str::parse).transpose()?;
                Ok((dev.to_owned(), gateway))
            };
            let to = route["dst"].as_str().context("a destination")?.parse()?;
            let hops = hops.iter().map(hop).collect::<Result<BTreeSet<_>>>()?;
            ensure!(routes.insert(to, hops).is_none(), "two routes to {to}");
        }
        Ok(Routes(routes))
    }

    /// Returns these routes under BFD: neighbours are their own gateways.
    fn watched(&self) -> Routes {
        let each = self.0.iter().map(|(&to, hops)| {
            let hops = hops.iter().map(|(dev, gateway)| (dev.clone(), Some(gateway.unwrap_or(to))));
            (to, hops.collect())
        });
        Routes(each.collect())
    }

    /// What remains of them on a PE when a switch fails. A neighbour over nothing else is in the routes without BFD.
    fn without(&self, machine: &Machine, pe: u32) -> Routes {
        let failed: Vec<String> = machine
            .cables()
            .iter()
            .filter(|cable| cable.pe == pe && cable.switch == FAILS)
            .map(|cable| format!("eth{}", cable.ni))
            .collect();
        let mut left = self.watched();
        for hops in left.0.values_mut() {
            hops.retain(|(dev, _)| !failed.contains(dev));
        }
        for (to, hops) in &mut left.0 {
            let first = &self.0[to];
            if hops.is_empty() && first.iter().all(|(_, gateway)| gateway.is_none()) {
                hops.clone_from(first);
            }
        }
        left.0.retain(|_, hops| !hops.is_empty());
        left
    }
}

/// Waits until every PE has these routes.
fn wait(lab: &Lab, expected: &[Routes], daemons: &mut [Frr]) -> Result<()> {
    let began = Instant::now();
    loop {
        daemons.iter_mut().try_for_each(Frr::is_up)?;
        let routes = Routes::of_all(lab)?;
        let differs = (0..).zip(routes.iter().zip(expected)).find(|(_, (own, expected))| own != expected);
        match differs {
            None => return Ok(()),
            Some((pe, (own, expected))) if began.elapsed() > PATIENCE => {
                bail!("PE {pe} has {own:?} instead of {expected:?}")
            }
            Some(_) => std::thread::sleep(Duration::from_millis(100)),
        }
    }
}

/// Lets PEs ask others, and checks that all are answered.
fn answer(peers: &mut Peers, plan: &Plan, pairs: &[(u32, u32)]) -> Result<()> {
    let mut lists = vec![Vec::new(); plan.pes() as usize];
    for &pair in pairs {
        lists[pair.0 as usize].push(plan.address(pair)?);
    }
    let unanswered = peers.ask(&lists, PATIENCE)?;
    ensure!(unanswered.iter().all(Vec::is_empty), "by PE, these addresses do not answer: {unanswered:?}");
    Ok(())
}
