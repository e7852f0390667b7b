//! Exported files in programs, models and schemas that no package has. A variable names each; without it, its test says so and ends.
//! `e2e/README.md` has the versions that were tried.

use crate::{
    python, small,
    switches::{MANAGEMENT, joined},
};
use anyhow::{Context, Result, ensure};
use e2e::{
    lab::machine::files,
    readers::{DESIGN, missing, read_by_version, run, run_quietly, tool},
    story,
};
use serde_json::Value;
use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

/// Runs a test with what a variable names: a file or a folder.
fn peer_story(variable: &str, peer: &str, programs: &[&str], test: impl FnOnce(&Path, &Path) -> Result<()>) {
    let named = std::env::var_os(variable);
    let obstacle = named.is_none().then(|| format!("{variable} does not name {peer}"));
    story(peer, obstacle.or_else(|| missing(programs)), |dir| {
        let path = named.as_deref().map(Path::new).context("a path")?;
        ensure!(path.exists(), "{variable}: there is no {}", path.display());
        test(path, dir)
    });
}

/// The models are those of `src/sonic-yang-models` of sonic-buildimage, with its templates filled in.
#[test]
fn models_of_sonic_take_the_configuration() {
    peer_story("CROSSPOINT_SONIC_YANG", "the folder of SONiC's YANG models", &["libyang"], |models, dir| {
        let machine = joined(dir)?;
        let read = |file: &Path| {
            let text = run(python("sonic_yang.py").arg(file))?;
            let data = dir.join("data.json");
            fs::write(&data, &text)?;
            let containers: Value = serde_json::from_str(&text)?;
            let containers = containers.as_object().context("containers")?;
            let modules = containers.keys().filter_map(|key| key.split(':').next());
            // Conditions of these models are about the others.
            let modules = modules.chain(["sonic-portchannel", "sonic-interface", "sonic-mirror-session"]);
            let mut yanglint = tool("yanglint");
            yanglint.args(["-t", "config", "-p"]).arg(models);
            yanglint.args(modules.map(|name| models.join(format!("{name}.yang"))));
            run(yanglint.arg(&data)).with_context(|| file.display().to_string())
        };
        for flow in ["none", "pfc"] {
            let folder = dir.join(flow);
            machine.export_to(&folder, "sonic", &[MANAGEMENT, &format!("flow-control={flow}")])?;
            for file in files(&folder)? {
                read(&file)?;
            }
        }
        // A queue of a port that is not there is refused.
        let first = files(&dir.join("pfc"))?.into_iter().next().context("a file")?;
        let wrong = dir.join("wrong.json");
        fs::write(&wrong, fs::read_to_string(first)?.replace("Ethernet0|3", "Ethernet999|3"))?;
        ensure!(read(&wrong).is_err(), "a queue of no port was taken");
        read_by_version("SONiC's YANG models", "086b03bd70", DESIGN, &["sonic"])
    });
}

/// The schema is containerlab's `schemas/clab.schema.json`.
#[test]
fn schema_of_containerlab_takes_the_topology() {
    let peer = "containerlab's schema";
    peer_story("CROSSPOINT_CONTAINERLAB_SCHEMA", peer, &["jsonschema"], |schema, dir| {
        // Python has no classes of letters and digits of all scripts in regular expressions.
        let script = "import json, sys, jsonschema, yaml\n\
            schema = open(sys.argv[1], encoding='utf-8').read()\n\
            schema = json.loads(schema.replace(r'\\\\p{N}\\\\p{L}', r'\\\\w'))\n\
            topology = yaml.safe_load(open(sys.argv[2], encoding='utf-8'))\n\
            assert topology['topology']['nodes'] and topology['topology']['links']\n\
            jsonschema.Draft7Validator(schema).validate(topology)\n";
        let read =
            |topology: &Path| run_quietly(tool("python").args(["-c", script]).arg(schema).arg(topology));
        let topology = small(dir)?.export("containerlab", "")?;
        read(&topology)?;
        let wrong = dir.join("wrong.clab.yml");
        fs::write(&wrong, fs::read_to_string(&topology)?.replace("endpoints:", "endpoint:"))?;
        ensure!(read(&wrong).is_err(), "a link without endpoints was taken");
        read_by_version("containerlab's schema", "39ff2b7cc", DESIGN, &["containerlab"])
    });
}

/// Butane translates its file into the Ignition configuration that is exported beside it.
#[test]
fn butane_makes_the_exported_ignition_configuration() {
    peer_story("CROSSPOINT_BUTANE", "the program butane", &[], |butane, dir| {
        let machine = small(dir)?;
        for form in ["routed", "rdma"] {
            let folders = ["butane", "ignition"].map(|format| dir.join(format!("{form}-{format}")));
            for (folder, format) in folders.iter().zip(["butane", "ignition"]) {
                machine.export_to(folder, format, &[&format!("form={form}")])?;
            }
            let [written, translated] = [files(&folders[0])?, files(&folders[1])?];
            ensure!(written.len() == 8 && translated.len() == 8, "{written:?} {translated:?}");
            for (file, expected) in written.iter().zip(&translated) {
                let made = dir.join("made.ign");
                run_quietly(Command::new(butane).arg("--strict").arg("--output").arg(&made).arg(file))?;
                let made = fs::File::open(made)?;
                run_quietly(python("read_ignition.py").arg(expected).stdin(made))
                    .with_context(|| file.display().to_string())?;
            }
        }
        read_by_version("Butane", "0.29.0", DESIGN, &["butane"])
    });
}

/// The root of xCAT has `bin/mkdef` and `bin/lsdef`; its tables are in a database of the test.
#[test]
fn xcat_defines_every_node_and_network() {
    let programs = ["bin/mkdef", "bin/lsdef"];
    peer_story("CROSSPOINT_XCAT", "the root of xCAT", &[], |root, dir| {
        let stanzas = small(dir)?.export("xcat", "")?;
        let tables = dir.join("tables");
        fs::create_dir(&tables)?;
        let xcat = |program: &str| {
            let mut perl = Command::new("perl");
            perl.arg(root.join(program)).env("XCATROOT", root).env("XCATBYPASS", "yes").env("TERM", "dumb");
            perl.env("XCATCFG", format!("SQLite:{}", tables.display()));
            perl
        };
        let input =
            Command::new("cat").arg(&stanzas).stdout(Stdio::piped()).spawn()?.stdout.context("a pipe")?;
        let said = run(xcat(programs[0]).arg("-z").stdin(input))?;
        ensure!(said.contains("14 object definitions have been created"), "{said}");
        let text = fs::read_to_string(&stanzas)?;
        let lines = |of: &str| -> Vec<String> {
            let own = text.lines().skip_while(|line| *line != format!("{of}:")).skip(1);
            let own = own.take_while(|line| line.starts_with(' ')).map(|line| line.trim().to_owned());
            own.filter(|line| !line.starts_with("objtype=")).collect()
        };
        for (kind, name) in [("node", "node007"), ("node", "node000"), ("network", "sw03")] {
            let shown = run(xcat(programs[1]).args(["-t", kind, "-o", name]))?;
            let (mut shown, mut written): (Vec<_>, Vec<_>) = (
                shown.lines().filter(|line| line.starts_with("    ")).map(|l| l.trim().to_owned()).collect(),
                lines(name),
            );
            shown.sort();
            written.sort();
            ensure!(shown == written && shown.len() > 2, "{name}: {shown:?} is not {written:?}");
        }
        read_by_version("xCAT", "2.19.0", DESIGN, &["xcat"])
    });
}
