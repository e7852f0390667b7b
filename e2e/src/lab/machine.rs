//! A design with its exported files, and the forms of script that set it up.

use super::{Cable, Lab, cables};
use crate::{root, studio::crosspoint};
use anyhow::{Context, Result, ensure};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// A form of script, one file a PE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// An address per NI, one path a pair; PEs that share no switch do not meet.
    Script,
    /// One address a PE, one path a pair, also through other PEs.
    Preload,
    /// One address a PE, all paths of a pair at once, also through other PEs.
    Multipath,
}

impl Form {
    /// All of them.
    pub const ALL: [Form; 3] = [Form::Script, Form::Preload, Form::Multipath];

    /// As `--format` takes it.
    pub fn name(self) -> &'static str {
        match self {
            Form::Script => "script",
            Form::Preload => "preload",
            Form::Multipath => "multipath",
        }
    }
}

/// A spec and a wiring in a folder, where exports go too.
pub struct Machine {
    dir: PathBuf,
    spec: PathBuf,
    cables: Vec<Cable>,
}

impl Machine {
    /// Searches for a gallery spec's wiring, from the command line.
    pub fn of_gallery(dir: &Path, spec: &str) -> Result<Machine> {
        Machine::searched(dir, root().join(format!("assets/specs/{spec}.toml")))
    }

    /// Searches for the wiring of a spec.
    pub fn of_spec(dir: &Path, text: &str) -> Result<Machine> {
        let spec = dir.join("spec.toml");
        fs::write(&spec, text)?;
        Machine::searched(dir, spec)
    }

    /// Takes a wiring as it is.
    pub fn wired(dir: &Path, text: &str, wiring: &str) -> Result<Machine> {
        let spec = dir.join("spec.toml");
        fs::write(&spec, text)?;
        fs::write(dir.join("design"), wiring)?;
        Machine::new(dir, spec)
    }

    fn searched(dir: &Path, spec: PathBuf) -> Result<Machine> {
        let (from, to) = (spec.display().to_string(), dir.join("design").display().to_string());
        run(&["search", &from, "--effort", "5", "-o", &to])?;
        Machine::new(dir, spec)
    }

    fn new(dir: &Path, spec: PathBuf) -> Result<Machine> {
        let mut machine = Machine { dir: dir.to_owned(), spec, cables: Vec::new() };
        machine.cables = cables(&fs::read_to_string(machine.export("cables", "")?)?)?;
        Ok(machine)
    }

    /// The cables.
    pub fn cables(&self) -> &[Cable] {
        &self.cables
    }

    /// Writes a format, with what is dead; returned is the file, or the folder of a format of several files.
    pub fn export(&self, format: &str, dead: &str) -> Result<PathBuf> {
        let to = self.dir.join(format!("{format} {dead}").trim_end());
        let with = format!("dead={dead}");
        let with: &[&str] = if dead.is_empty() { &[] } else { &[&with] };
        self.export_to(&to, format, with)?;
        Ok(to)
    }

    /// Writes a format with settings, each `name=value`, to a file or folder.
    ///
    /// # Errors
    /// If Crosspoint refuses.
    pub fn export_to(&self, to: &Path, format: &str, with: &[&str]) -> Result<()> {
        let path = |path: &Path| path.display().to_string();
        let (spec, design, to) = (path(&self.spec), path(&self.dir.join("design")), path(to));
        let mut words = vec!["export", &spec, &design, "--format", format, "-o", &to];
        words.extend(with.iter().flat_map(|setting| ["--with", setting]));
        run(&words)
    }

    /// The table of a format that is one CSV file: its lines without the header, in cells.
    pub fn table(&self, format: &str, dead: &str) -> Result<Vec<Vec<String>>> {
        let text = fs::read_to_string(self.export(format, dead)?)?;
        let lines = text.lines().filter(|line| !line.starts_with('#')).skip(1);
        Ok(lines.map(|line| line.split(',').map(str::to_owned).collect()).collect())
    }

    /// Runs the scripts of a form on every PE, or on those that have one where some are dead.
    pub fn apply(&self, lab: &Lab, form: Form, dead: &str) -> Result<()> {
        self.order(lab, form, dead, "apply --force")
    }

    /// Takes back what the scripts set.
    pub fn undo(&self, lab: &Lab, form: Form, dead: &str) -> Result<()> {
        self.order(lab, form, dead, "undo")
    }

    fn order(&self, lab: &Lab, form: Form, dead: &str, order: &str) -> Result<()> {
        let scripts = files(&self.export(form.name(), dead)?)?;
        lab.on_all(|pe| {
            let script = file_of(&scripts, pe)?;
            self.run(lab, pe, script, order)
        })?;
        Ok(())
    }

    /// Runs one script on a PE.
    pub fn run(&self, lab: &Lab, pe: u32, script: &Path, order: &str) -> Result<String> {
        lab.on(pe, &format!("sh '{}' {order}", script.display()), &[("CROSSPOINT_STATE", &self.dir)])
    }
}

/// What every PE's network is set to: interfaces, addresses, routes, permanent neighbours and kernel settings.
pub fn state(lab: &Lab) -> Result<Vec<String>> {
    let ask = "ip -br link; ip -br -4 address; ip route show table all; ip neighbour show nud permanent; \
               cd /proc/sys/net/ipv4; grep -rs '' conf fib_multipath_hash_policy";
    lab.on_all(|pe| lab.on(pe, ask, &[]))
}

/// Checks that two states are the same, and tells the first lines that differ.
pub fn same(now: &[String], before: &[String]) -> Result<()> {
    for (pe, (now, before)) in now.iter().zip(before).enumerate() {
        if now != before {
            let (more, less): (Vec<_>, Vec<_>) = (
                now.lines().filter(|line| !before.lines().any(|other| other == *line)).collect(),
                before.lines().filter(|line| !now.lines().any(|other| other == *line)).collect(),
            );
            anyhow::bail!("PE {pe} has {more:?} now, and had {less:?} instead");
        }
    }
    Ok(())
}

/// The files of a folder, in the order of their names.
pub fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files: Vec<_> = fs::read_dir(folder)
        .with_context(|| folder.display().to_string())?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    files.sort();
    Ok(files)
}

/// The file of one PE: its name tells the PE's number.
pub fn file_of(files: &[PathBuf], pe: u32) -> Result<&Path> {
    let name = format!("node{pe:03}.");
    let of = |file: &&PathBuf| file.file_name().is_some_and(|f| f.to_string_lossy().contains(&name));
    files.iter().find(of).map(PathBuf::as_path).with_context(|| format!("no file of PE {pe}"))
}

fn run(arguments: &[&str]) -> Result<()> {
    let out = crosspoint(arguments)?;
    ensure!(out.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&out.stderr));
    Ok(())
}
