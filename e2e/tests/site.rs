//! NetBox imports the exported files on its own pages, and follows a design by its REST API. `make site-check` installs it and runs this.

use anyhow::{Context, Result, ensure};
use e2e::{
    lab::machine::{Machine, files},
    readers::{DESIGN, listed, run},
    root, story, target_dir,
};
use std::{fs, path::Path, process::Command};

/// The formats in the order of imports.
const STEPS: [&str; 10] = [
    "sites",
    "manufacturers",
    "roles",
    "device-types",
    "racks",
    "devices",
    "interfaces",
    "cables",
    "prefixes",
    "addresses",
];
/// Settings of addresses in both forms, each with those of management ports.
const ROUTED: [&str; 5] = [
    "addresses=routed",
    "network=10.64.0.0/16",
    "avoid=10.64.0.0/24",
    "management=192.168.7.0/24",
    "management-port=mgmt0",
];
const RDMA: [&str; 4] =
    ["addresses=rdma", "network=10.64.0.0/16", "management=192.168.7.0/24", "management-port=mgmt0"];

/// Names by templates, two kinds of switch, an uplink switch, spares, racks, and a name of a site with every kind of quote.
const SPEC: &str = r#"name = "Up, \"site\" <1> it's"
pes = 8
nis_per_pe = 2
objective = "sparse"
[[switch]]
ports = 6
count = 4
[[switch]]
ports = 10
count = 1
[uplink]
kind = "separate"
spares = 2
[[pattern]]
kind = "ring"
[[rack]]
pes = 8
switches = 5
[names]
nodes = "gpu{rack}-{slot:02}"
switches = "{rack}-leaf{number}"
racks = "h2{row}{place:02}"
interface = "ens{nic+1}f0"
port = "Ethernet{port*4-4}"
"#;
const WIRING: &str = "0: 0 1 2 3 4\n1: 3 4 5 6 7\n2: 0 7\n3: 1 2\n4: 5 6\n";

/// Runs a command in the Debian of NetBox, with a database of its own, and the folder with the scripts of
/// `e2e/tests/site` as `/mnt`.
fn inside(dir: &Path, what: &str) -> Result<String> {
    let site = target_dir().join("e2e/site");
    let scripts = root().join("e2e/tests/site");
    for script in ["import_csv.py", "follow_design.py"] {
        fs::copy(scripts.join(script), dir.join(script))?;
    }
    let mut inside = Command::new("unshare");
    inside.args(["--mount", "--net", "--pid", "--fork", "--kill-child", "sh"]);
    inside.arg(scripts.join("inside.sh")).args([&site, dir]);
    let database = "dropdb --if-exists site; createdb -T netbox site; export DATABASE=site; ";
    run(inside.args(["sh", "-eu", "-c", &format!("{database} {what}")]))
}

/// Checks that the list says of formats what NetBox has read.
fn read_by_netbox(formats: &[String]) -> Result<()> {
    let version = fs::read_to_string(target_dir().join("e2e/site/installed"))?;
    let named = listed(DESIGN)?;
    for format in formats {
        let readers = named.get(format).with_context(|| format!("no format {format}"))?;
        let is_named = readers.contains(&format!("NetBox {}", version.trim()));
        ensure!(is_named, "NetBox {version} read {format}, and the list names {readers:?}");
    }
    Ok(())
}

/// Exports tables into a folder; each format takes those of the settings that it has.
fn export(machine: &Machine, folder: &Path, formats: &[String], settings: &[&str]) -> Result<()> {
    let all = folder.join("all");
    fs::create_dir_all(folder)?;
    machine.export_to(&all, &formats.join(","), settings)?;
    for format in formats {
        let end = format!("-{format}.csv");
        let file = files(&all)?.into_iter().find(|file| file.to_string_lossy().ends_with(&end));
        fs::rename(file.with_context(|| format.clone())?, folder.join(format!("{format}.csv")))?;
    }
    Ok(fs::remove_dir_all(all)?)
}

#[test]
#[ignore = "takes minutes; run by `make site-check`"]
fn netbox_imports_every_row() {
    story("NetBox", None, |dir| {
        let machine = Machine::wired(dir, SPEC, WIRING)?;
        let formats = STEPS.map(|step| format!("netbox-{step}"));
        for form in [&ROUTED[..], &RDMA] {
            export(&machine, dir, &formats, form)?;
            inside(dir, "/opt/netbox/bin/python /mnt/import_csv.py /mnt")?;
        }
        read_by_netbox(&formats)
    });
}

/// Cables 0 and 3 of node 0 change places, and nodes 6 and 7 theirs in the rack. Addresses come with settings, in one form and then
/// in the other.
#[test]
#[ignore = "takes minutes; run by `make site-check`"]
fn netbox_follows_a_design_by_its_api() {
    story("NetBox API", None, |dir| {
        let machine = Machine::wired(dir, SPEC, WIRING)?;
        let script = |name: &str, settings: &[&str]| {
            machine.export_to(&dir.join(format!("{name}.py")), "netbox-api", settings)
        };
        let types = ["interface-type=100gbase-x-qsfp28", "cable-type=dac-passive"];
        let own = STEPS[5..].iter().map(|step| format!("netbox-{step}")).collect::<Vec<_>>();
        for (name, formats, settings) in [
            ("first", &own[..3], vec![]),
            ("rated", &own[..3], types.to_vec()),
            ("routed", &own[..], [&types[..], &ROUTED].concat()),
            ("rdma", &own[..], [&types[..], &RDMA].concat()),
        ] {
            export(&machine, &dir.join(name), formats, &settings)?;
            script(name, &settings)?;
        }
        let said = inside(dir, "/opt/netbox/bin/python /mnt/follow_design.py")?;
        ensure!(said.trim_end().ends_with("NetBox has followed"), "{said}");
        read_by_netbox(&["netbox-api".into()])
    });
}

/// NetBox's own lists against what the settings accept.
#[test]
#[ignore = "takes minutes; run by `make site-check`"]
fn settings_have_every_type_of_netbox() {
    story("NetBox types", None, |dir| {
        let machine = Machine::wired(dir, SPEC, WIRING)?;
        let accepts =
            |setting: &str| machine.export_to(&dir.join("cables"), "netbox-api", &[setting]).is_ok();
        let listed = inside(
            dir,
            "cd /opt/netbox && DJANGO_SETTINGS_MODULE=netbox.settings bin/python -c '
import django
django.setup()
from dcim.choices import CableTypeChoices, InterfaceTypeChoices
from dcim.constants import NONCONNECTABLE_IFACE_TYPES
for name in InterfaceTypeChoices.values():
    print(name not in NONCONNECTABLE_IFACE_TYPES, f\"interface-type={name}\")
for name in CableTypeChoices.values():
    print(True, f\"cable-type={name}\")'",
        )?;
        let mut types = 0;
        for line in listed.lines() {
            let Some((takes_cable, setting)) = line.split_once(' ') else { continue };
            let takes_cable = takes_cable == "True";
            ensure!(accepts(setting) == takes_cable, "{setting}: NetBox says {takes_cable}");
            types += 1;
        }
        ensure!(types > 200, "{listed}");
        Ok(())
    });
}
