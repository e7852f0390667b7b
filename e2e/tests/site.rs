//! NetBox imports the exported files on its own pages, and follows a design by its REST API. `make site-check` installs it and runs this.

use anyhow::{Context, Result, ensure};
use e2e::{
    lab::machine::Machine,
    readers::{DESIGN, listed, run},
    root, story, target_dir,
};
use std::{fs, path::Path, process::Command};

/// The formats in the order of imports.
const STEPS: [&str; 8] =
    ["sites", "manufacturers", "roles", "device-types", "racks", "devices", "interfaces", "cables"];

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

#[test]
#[ignore = "takes minutes; run by `make site-check`"]
fn netbox_imports_every_row() {
    story("NetBox", None, |dir| {
        let machine = Machine::wired(dir, SPEC, WIRING)?;
        let formats = STEPS.map(|step| format!("netbox-{step}"));
        for format in &formats {
            machine.export_to(&dir.join(format!("{format}.csv")), format, &[])?;
        }
        inside(dir, "/opt/netbox/bin/python /mnt/import_csv.py /mnt")?;
        read_by_netbox(&formats)
    });
}

/// Cables 0 and 3 of node 0 change places, and nodes 6 and 7 theirs in the rack.
#[test]
#[ignore = "takes minutes; run by `make site-check`"]
fn netbox_follows_a_design_by_its_api() {
    story("NetBox API", None, |dir| {
        let machine = Machine::wired(dir, SPEC, WIRING)?;
        let script = |name: &str, settings: &[&str]| {
            machine.export_to(&dir.join(format!("{name}.py")), "netbox-api", settings)
        };
        script("first", &[])?;
        for format in ["netbox-interfaces", "netbox-cables", "netbox-devices"] {
            machine.export_to(&dir.join(format!("{format}.csv")), format, &[])?;
        }
        script("rated", &["interface-type=100gbase-x-qsfp28", "cable-type=dac-passive"])?;
        let said = inside(dir, "/opt/netbox/bin/python /mnt/follow_design.py")?;
        ensure!(said.trim_end().ends_with("NetBox has followed"), "{said}");
        read_by_netbox(&["netbox-api".into()])
    });
}
