//! NetBox imports the exported files on its own pages. `make site-check` installs it and runs this.

use anyhow::ensure;
use e2e::{
    lab::machine::Machine,
    readers::{DESIGN, listed, run},
    root, story, target_dir,
};
use std::{fs, process::Command};

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

#[test]
#[ignore = "takes minutes; run by `make site-check`"]
fn netbox_imports_every_row() {
    story("NetBox", None, |dir| {
        let site = target_dir().join("e2e/site");
        let version = fs::read_to_string(site.join("installed"))?;
        let scripts = root().join("e2e/tests/site");
        let machine = Machine::wired(dir, SPEC, WIRING)?;
        for step in STEPS {
            let format = format!("netbox-{step}");
            machine.export_to(&dir.join(format!("{format}.csv")), &format, &[])?;
        }
        fs::copy(scripts.join("import_csv.py"), dir.join("import_csv.py"))?;
        let mut inside = Command::new("unshare");
        inside.args(["--mount", "--net", "--pid", "--fork", "--kill-child", "sh"]);
        inside.arg(scripts.join("inside.sh")).args([&site, dir]);
        let script = "dropdb --if-exists site; createdb -T netbox site; export DATABASE=site; \
                      /opt/netbox/bin/python /mnt/import_csv.py /mnt";
        run(inside.args(["sh", "-eu", "-c", script]))?;
        let named = listed(DESIGN)?;
        for step in STEPS {
            let readers = &named[&format!("netbox-{step}")];
            let is_named = readers.contains(&format!("NetBox {}", version.trim()));
            ensure!(is_named, "NetBox {version} read netbox-{step}, and the list names {readers:?}");
        }
        Ok(())
    });
}
