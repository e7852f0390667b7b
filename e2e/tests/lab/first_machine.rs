//! The help's chapter `first-machine`, line by line: commands at a desk and on nodes, and what they print.

use crate::run_story;
use anyhow::{Context, Result, ensure};
use e2e::{
    lab::{Lab, cables},
    studio::{crosspoint, program},
};
use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

const NODES: u32 = 8;
/// Prompt of a command that runs on every node.
const EACH: &str = "each node";
/// File whose export comes with plugging in the cables.
const CABLES: &str = "cables.csv";

#[test]
fn the_chapter_leads_from_a_spec_to_a_ping() {
    run_story("the chapter of the first machine", None, |dir| {
        let help = crosspoint(["help", "--topic", "first-machine"])?;
        let mut chapter = Chapter { dir, lab: None, printed: Vec::new(), file: None };
        for line in String::from_utf8(help.stdout)?.lines() {
            match line.strip_prefix("    ") {
                Some(line) => chapter.follow(line).with_context(|| line.to_owned())?,
                None if line.is_empty() => {}
                None => chapter.file = None,
            }
        }
        ensure!(chapter.lab.is_some(), "no command of the chapter exports {CABLES}");
        Ok(())
    });
}

/// The state of a reader who follows the chapter.
struct Chapter<'a> {
    dir: &'a Path,
    /// The machine, once its cables are plugged in.
    lab: Option<Lab>,
    /// Outputs of the last command, one per node that ran it.
    printed: Vec<String>,
    /// File that the block of text at hand is for.
    file: Option<String>,
}

impl Chapter<'_> {
    /// Follows an indented line: the text of a file, a command, or output of the last command.
    fn follow(&mut self, line: &str) -> Result<()> {
        let title = line.strip_prefix("# ").filter(|name| name.ends_with(".toml"));
        if let Some(name) = title.map(str::to_owned).or_else(|| self.file.take()) {
            let path = self.dir.join(&name);
            let before = if title.is_some() { String::new() } else { fs::read_to_string(&path)? };
            fs::write(&path, format!("{before}{line}\n"))?;
            self.file = Some(name);
        } else if let Some(words) = line.strip_prefix("crosspoint ") {
            self.printed = vec![self.at_desk(words)?];
            if words.ends_with(CABLES) {
                self.lab = Some(Lab::up(cables(&fs::read_to_string(self.dir.join(CABLES))?)?)?);
            }
        } else if let Some((node, shell)) = line.split_once("# ") {
            let lab = self.lab.as_ref().context("no cables are plugged in")?;
            let is_on = |&number: &u32| node == EACH || node == name(number);
            let nodes: Vec<u32> = (0..NODES).filter(is_on).collect();
            ensure!(!nodes.is_empty(), "there is no node {node}");
            self.printed = nodes.into_iter().map(|n| on(lab, n, self.dir, shell)).collect::<Result<_>>()?;
        } else {
            let shows = |printed: &String| printed.lines().any(|said| said.contains(line));
            ensure!(self.printed.iter().all(shows), "printed was {:?}", self.printed);
        }
        Ok(())
    }

    /// Runs Crosspoint in the reader's folder.
    fn at_desk(&self, words: &str) -> Result<String> {
        let out = Command::new(program()?).args(words.split(' ')).current_dir(self.dir).output()?;
        let printed =
            [out.stdout, out.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
        ensure!(out.status.success(), "{printed}");
        Ok(printed)
    }
}

/// Runs a shell command on a node, which has a name and a hosts file of its own.
fn on(lab: &Lab, node: u32, dir: &Path, shell: &str) -> Result<String> {
    let hosts = dir.join(format!("hosts-of-{node}"));
    if !hosts.exists() {
        fs::write(&hosts, "127.0.0.1 localhost\n")?;
    }
    let mut run: Command = lab.enter(node, Path::new("unshare"));
    run.args(["--uts", "--mount", "sh", "-ec"]);
    run.arg(format!("hostname {}; mount --bind \"$HOSTS\" /etc/hosts; cd \"$HOME\"; {shell}", name(node)));
    run.env("HOSTS", hosts).env("HOME", dir).env("CROSSPOINT_STATE", dir.join("state"));
    let out = run.stdin(Stdio::null()).output()?;
    let printed = String::from_utf8_lossy(&out.stdout).into_owned();
    ensure!(out.status.success(), "on {}: {printed}{}", name(node), String::from_utf8_lossy(&out.stderr));
    Ok(printed)
}

fn name(node: u32) -> String {
    format!("node{node:03}")
}
