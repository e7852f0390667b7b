//! Slurm's controller reads the topology and places jobs on one switch.

use crate::{lab_story, small};
use anyhow::{Context, Result, ensure};
use e2e::{
    readers::{DESIGN, read_by, run, tool},
    root,
};
use std::{collections::BTreeSet, fs, path::Path};

/// Nodes are allocated without a daemon on them, as those of a cloud are.
const CONF: &str = "ClusterName=lab\nSlurmctldHost=localhost(192.0.2.1)\nAuthType=auth/munge\nAuthInfo=socket=DIR/munge\n\
    CredType=cred/munge\nSlurmUser=root\nSlurmctldPidFile=DIR/pid\nStateSaveLocation=DIR/state\nSlurmdTimeout=0\n\
    TopologyPlugin=topology/tree\nSelectType=select/cons_tres\nProctrackType=proctrack/linuxproc\n\
    SchedulerParameters=sched_interval=1,bf_interval=1\nSuspendProgram=/bin/true\nResumeProgram=/bin/true\nSuspendTime=3600\n\
    PartitionName=all Nodes=ALL Default=YES State=UP\n";

#[test]
fn slurm_knows_the_switches_and_keeps_jobs_on_one() {
    lab_story("Slurm", &["Slurm"], |dir| {
        let machine = small(dir)?;
        let folder = dir.join("slurm");
        fs::create_dir(&folder)?;
        let topology = folder.join("topology.conf");
        machine.export_to(&topology, "slurm", &[])?;
        machine.export_to(&folder.join("names"), "names", &[])?;
        let text = fs::read_to_string(&topology)?;
        // What the comments ask to add.
        let nodes = text.lines().filter_map(|line| line.strip_prefix("# NodeName="));
        let nodes: String = nodes.map(|line| format!("NodeName={line} CPUs=2 State=CLOUD\n")).collect();
        let conf = nodes + &CONF.replace("DIR", &folder.display().to_string());
        fs::write(folder.join("slurm.conf"), conf)?;
        let constraint =
            text.lines().find_map(|line| line.strip_prefix("# sbatch ")).context("a constraint")?;
        fs::write(folder.join("constraint"), constraint.replace('"', ""))?;
        let script = root().join("e2e/tests/tools/slurm.sh");
        run(tool("unshare").args(["--net", "--uts", "--mount", "sh"]).arg(script).arg(&folder))?;

        let switches = switches(&machine.table("cables", "")?)?;
        topology_is(&fs::read_to_string(folder.join("topology"))?, &switches, &folder)?;
        let jobs = fs::read_to_string(folder.join("jobs"))?;
        let lines: Vec<&str> = jobs.lines().collect();
        let [test, five, _, leaves, _, _, first, second] = lines[..] else { anyhow::bail!("{jobs}") };
        ensure!(test.contains("to start at") && (five, leaves) == ("refused", "PENDING"), "{jobs}");
        for placed in [first, second] {
            let nodes: BTreeSet<&str> = placed.split_whitespace().collect();
            let on_one = switches.iter().any(|members| nodes.iter().all(|node| members.contains(*node)));
            ensure!(nodes.len() == 4 && on_one, "{placed} share no switch");
        }
        read_by("Slurm", DESIGN, &["slurm"])
    });
}

/// Names of the nodes of each switch, from the list of cables.
fn switches(cables: &[Vec<String>]) -> Result<Vec<BTreeSet<String>>> {
    let mut switches = Vec::new();
    for cable in cables {
        let (pe, switch): (u32, usize) = (cable[0].parse()?, cable[2].parse()?);
        switches.resize(switches.len().max(switch + 1), BTreeSet::new());
        switches[switch].insert(format!("node{pe:03}"));
    }
    Ok(switches)
}

/// Compares what `scontrol show topology` printed.
fn topology_is(printed: &str, switches: &[BTreeSet<String>], folder: &Path) -> Result<()> {
    let conf = folder.join("slurm.conf");
    let names = |list: &str| -> Result<BTreeSet<String>> {
        let out = run(tool("scontrol").env("SLURM_CONF", &conf).args(["show", "hostnames", list]))?;
        Ok(out.lines().map(str::to_owned).collect())
    };
    let leaves: Vec<&str> = printed.lines().filter(|line| line.contains(" Level=0 ")).collect();
    ensure!(leaves.len() == switches.len(), "{printed}");
    for (number, (line, members)) in leaves.iter().zip(switches).enumerate() {
        let nodes = line.split("Nodes=").nth(1).context(line.to_string())?;
        ensure!(
            line.starts_with(&format!("SwitchName=sw{number:02} ")) && names(nodes)? == *members,
            "{line}"
        );
    }
    ensure!(printed.contains("SwitchName=root Level=1 "), "{printed}");
    Ok(())
}
