//! Open MPI with files of ours, and its files read by us.
//!
//! * Its monitoring of programs is imported as what they sent. The ranks run in one network namespace and talk over TCP.
//! * Rank files place ranks where they say.
//! * The exported settings use all NICs of a wiring.

use crate::{
    machine::{Form, Machine},
    run_story,
};
use anyhow::{Context, Result, ensure};
use e2e::{
    lab::Lab,
    readers::{DESIGN, read_by},
    root,
    studio::crosspoint,
};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::Command,
};

/// Ranks of the small programs.
const RANKS: u32 = 8;

/// Bytes per pair, in both directions.
type Sent = BTreeMap<(u32, u32), u64>;

#[test]
fn a_stencil_and_an_all_to_all_are_imported_as_they_ran() {
    run_story("Open MPI", obstacle(), |dir| {
        // Pairs in a grid of 4 x 2; see `grid.c`.
        let rows = [0, 4].into_iter().flat_map(|row| (row..row + 3).map(|rank| ((rank, rank + 1), 400_000)));
        let columns = (0..4).map(|rank| ((rank, rank + 4), 100_000));
        let grid: Sent = rows.chain(columns).collect();
        let files = run(dir, "grid", RANKS)?;
        let found = imported(&files, &[])?;
        ensure!(found == grid, "{found:?}");
        let two_per_node = imported(&files, &["--ranks-per-node", "2"])?;
        let expected = [((0, 1), 400_000), ((0, 2), 200_000), ((1, 3), 200_000), ((2, 3), 400_000)];
        ensure!(two_per_node == Sent::from(expected), "{two_per_node:?}");
        let heavy = imported(&files, &["--bytes", "400000"])?;
        ensure!(heavy.len() == 6, "{heavy:?}");
        matrix_agrees(&files, &found)?;

        let all = (0..RANKS).flat_map(|a| (a + 1..RANKS).map(move |b| ((a, b), 2 * 5 * 3000)));
        let files = run(dir, "all", RANKS)?;
        let found = imported(&files, &[])?;
        ensure!(found == all.collect(), "{found:?}");
        Ok(())
    });
}

/// `shared/tests` compare the stored matrix with the gallery's spec.
#[test]
fn the_stencil_of_the_gallery_sends_what_was_measured() {
    run_story("Open MPI, 64 ranks", obstacle(), |dir| {
        let files = run(dir, "halo", 64)?;
        let stored = root().join("shared/tests/measured/stencil64.mat");
        let stored = imported(&[stored.display().to_string()], &[])?;
        // Open MPI adds a few bytes of its own between some ranks.
        let found = imported(&files, &["--bytes", "1000000"])?;
        ensure!(found.keys().eq(stored.keys()), "{found:?}");
        let more = |pair| found[pair] - stored[pair];
        ensure!(stored.keys().all(|pair| found[pair] >= stored[pair] && more(pair) < 1000), "{found:?}");
        Ok(())
    });
}

/// Nodes are daemons on this machine, which a stand-in for ssh starts under the names of the export.
#[test]
fn ranks_run_where_rank_files_place_them() {
    run_story("Open MPI, rank files", obstacle(), |dir| {
        let spec = "pes = 4\nnis_per_pe = 2\n[[switch]]\nports = 2\n[job]\nranks_per_pe = 1\ndp = 4\n\
            [[collective]]\nalong = 'dp'\nbytes = 1e9\n";
        let files = [
            ("spec.toml", spec),
            ("wiring.txt", "0: 0 2\n1: 1 2\n2: 1 3\n3: 0 3\n"),
            ("hosts", "node000 slots=1\nnode001 slots=1\nnode002 slots=1\nnode003 slots=1\n"),
            // Only mpirun itself shows its map. Daemons under one name would share files of Open MPI, which it does not expect.
            (
                "agent",
                "#!/bin/sh\nname=$1\nshift\nexec unshare --uts sh -c \"hostname $name; $*\" > /dev/null\n",
            ),
        ];
        for (name, text) in files {
            std::fs::write(dir.join(name), text)?;
        }
        let path = |name: &str| dir.join(name).display().to_string();
        done(Command::new("chmod").args(["+x", &path("agent")]))?;
        for format in ["rankfile", "rank-hosts"] {
            let (spec, wiring, file) = (path("spec.toml"), path("wiring.txt"), path(format));
            let output = crosspoint(["export", &spec, &wiring, "--format", format, "-o", &file])?;
            ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
        let hosts = std::fs::read_to_string(path("rank-hosts"))?;
        let expected: Vec<&str> = hosts.lines().filter(|line| !line.starts_with('#')).collect();
        ensure!(expected != ["node000", "node001", "node002", "node003"], "{hosts}");
        let by_rankfile = format!("--hostfile {} --rankfile {}", path("hosts"), path("rankfile"));
        let by_hosts = format!("--hostfile {} --map-by seq --bind-to none", path("rank-hosts"));
        for options in [by_rankfile, by_hosts] {
            let placed = map(&path("agent"), &options)?;
            ensure!(placed.values().eq(&expected), "{options}: {placed:?}");
        }
        read_by("Open MPI", DESIGN, &["rankfile", "rank-hosts"])
    });
}

/// Bytes from each rank to each other, five times.
const BYTES: u64 = 65_536;

/// A daemon per node, in the node's namespace and under its name. Links with one address on all NICs of a node.
#[test]
fn programs_run_with_the_exported_settings_over_all_nics() {
    run_story("Open MPI over all NICs", obstacle(), |dir| {
        let machine = Machine::of_gallery(dir, "lab16")?;
        let lab = Lab::up(machine.cables().to_vec())?;
        machine.apply(&lab, Form::Multipath, "")?;
        let settings = machine.export("openmpi", "")?;
        let home = dir.join("home");
        for (file, to) in [("openmpi-mca-params.conf", ".openmpi"), ("prte-mca-params.conf", ".prte")] {
            std::fs::create_dir_all(home.join(to))?;
            let name = file.trim_start_matches("openmpi-").trim_start_matches("prte-");
            std::fs::copy(settings.join(file), home.join(to).join(name))?;
        }
        let agent = dir.join("agent");
        let enter = lab.namespace(0).trim_end_matches('0').to_owned();
        let script = format!(
            "#!/bin/sh\nname=$1\nnumber=$(echo \"$1\" | sed 's/^node0*//')\nshift\n\
             exec ip netns exec {enter}${{number:-0}} unshare --uts sh -c \"hostname $name; $*\"\n"
        );
        std::fs::write(&agent, script)?;
        done(Command::new("chmod").arg("+x").arg(&agent))?;
        let program = compiled(dir, "all")?;
        let hostfile = settings.join("hostfile");
        let before = lab.traffic()?;
        let run = format!(
            "timeout 120 {} node000 mpirun --allow-run-as-root --mca plm rsh --mca plm_rsh_agent {} \
             --hostfile {} --map-by node --bind-to none -np {} {} {BYTES}",
            agent.display(),
            agent.display(),
            hostfile.display(),
            lab.pes(),
            program.display()
        );
        lab.on(0, &run, &[("HOME", &home)])?;
        let mut carried: BTreeMap<u32, u64> = BTreeMap::new();
        for (at, traffic) in lab.traffic()? {
            *carried.entry(at.1).or_default() += traffic.bytes - before[&at].bytes;
        }
        let (pes, all) = (u64::from(lab.pes()), carried.values().sum::<u64>());
        ensure!(all > pes * (pes - 1) * 5 * BYTES, "{carried:?}");
        // Each connection takes a shared switch by the hash of its ports, so only sums over many are certain.
        ensure!(carried.values().all(|bytes| bytes * 40 > all), "{carried:?}");
        read_by("Open MPI", DESIGN, &["openmpi"])
    });
}

/// The node of each rank, as `mpirun` shows its map.
fn map(agent: &str, options: &str) -> Result<BTreeMap<u32, String>> {
    let script = format!(
        "ip link set lo up && mpirun --allow-run-as-root --mca plm rsh --mca plm_rsh_agent {agent} --display-map {options} -np 4 true"
    );
    let output = Command::new("unshare")
        .args(["--net", "sh", "-c", &script])
        .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
        .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
        .output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let (mut node, mut placed) = (String::new(), BTreeMap::new());
    for line in String::from_utf8(output.stdout)?.lines() {
        if let Some((_, rest)) = line.split_once("Data for node: ") {
            node = rest.split_whitespace().next().unwrap_or_default().to_owned();
        } else if let Some((_, rest)) = line.split_once("Process rank: ") {
            placed.insert(rest.split_whitespace().next().context("a rank")?.parse()?, node.clone());
        }
    }
    Ok(placed)
}

fn obstacle() -> Option<String> {
    let exists = |program: &str| Command::new(program).arg("--version").output().is_ok();
    let missing =
        ["mpicc", "mpirun", "profile2mat", "unshare"].into_iter().find(|program| !exists(program))?;
    Some(format!("there is no {missing}; e2e/setup.sh installs it"))
}

/// Compiles a program and runs it with monitoring on. Returns the files of its ranks.
fn run(dir: &Path, name: &str, ranks: u32) -> Result<Vec<String>> {
    let (program, output) = (compiled(dir, name)?, dir.join(format!("{name}-out")));
    let options = [
        "--allow-run-as-root --oversubscribe --mca btl tcp,self --mca btl_tcp_if_include lo",
        "--mca pml_monitoring_enable 2 --mca pml_monitoring_enable_output 3",
    ];
    let script = format!(
        "ip link set lo up && mpirun -np {ranks} {} --mca pml_monitoring_filename {} {}",
        options.join(" "),
        output.display(),
        program.display()
    );
    done(Command::new("unshare").args(["--net", "sh", "-c", &script]))?;
    Ok((0..ranks).map(|rank| format!("{}.{rank}.prof", output.display())).collect())
}

fn compiled(dir: &Path, name: &str) -> Result<PathBuf> {
    let (program, source) = (dir.join(name), root().join(format!("e2e/tests/lab/mpi/{name}.c")));
    done(Command::new("mpicc").arg("-o").arg(&program).arg(source))?;
    Ok(program)
}

fn done(command: &mut Command) -> Result<()> {
    let output = command.output().with_context(|| format!("{command:?}"))?;
    ensure!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}

fn imported(files: &[String], options: &[&str]) -> Result<Sent> {
    let files = files.iter().map(String::as_str);
    let output = crosspoint(["import"].into_iter().chain(files).chain(options.iter().copied()))?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout)?;
    let pair = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let [a, b, bytes] = words[..] else { anyhow::bail!("{line}") };
        Ok(((a.parse()?, b.parse()?), bytes.parse()?))
    };
    text.lines().map(pair).collect()
}

/// Open MPI's own aggregation gives a matrix of the same bytes.
fn matrix_agrees(files: &[String], found: &Sent) -> Result<()> {
    let joined = files[0].replace(".0.prof", "-joined.prof");
    let texts: Vec<String> = files.iter().map(std::fs::read_to_string).collect::<Result<_, _>>()?;
    std::fs::write(&joined, texts.concat())?;
    ensure!(imported(std::slice::from_ref(&joined), &[])? == *found, "joined");
    done(Command::new("profile2mat").arg(&joined))?;
    let matrix = joined.replace(".prof", "_size_external.mat");
    let own = imported(&[matrix], &[])?;
    ensure!(own == *found, "profile2mat: {own:?}");
    Ok(())
}
