//! Graphs, tables and documents in the programs that read such files.

use crate::{FABRICS, SPEC, WIRING, all_files, fabric, lab_story, python, small};
use anyhow::{Result, ensure};
use e2e::{
    lab::machine::{Machine, files},
    readers::{DESIGN, listed, missing, read_by, run, run_quietly, tool},
    story,
};
use std::{fs, path::PathBuf};

#[test]
fn graphviz_draws_every_cable() {
    story("Graphviz", missing(&["Graphviz"]), |dir| {
        let machine = small(dir)?;
        let svg = run_quietly(tool("dot").arg("-Tsvg").arg(machine.export("dot", "")?))?;
        let count = |class: &str| svg.matches(&format!("class=\"{class}\"")).count();
        ensure!((count("node"), count("edge")) == (8 + 6, machine.cables().len()), "{svg}");
        ensure!(svg.contains("node000:eth0&#45;&#45;sw00:swp1"), "{svg}");
        read_by("Graphviz", DESIGN, &["dot"])
    });
}

#[test]
fn networkx_finds_every_attribute() {
    story("networkx", missing(&["networkx"]), |dir| {
        let machine = small(dir)?;
        let (graph, json) = (machine.export("graphml", "")?, machine.export("json", "")?);
        run_quietly(python("read_graph.py").arg("design").arg(graph).arg(json))?;
        read_by("networkx", DESIGN, &["graphml"])?;
        for kind in FABRICS {
            let (graph, links) = (fabric(dir, kind, "graphml")?, fabric(dir, kind, "links")?);
            run_quietly(python("read_graph.py").arg("network").arg(graph).arg(links))?;
            read_by("networkx", kind, &["graphml"])?;
        }
        Ok(())
    });
}

#[test]
fn json_fits_its_schema() {
    story("jsonschema", missing(&["jsonschema"]), |dir| {
        let machine = small(dir)?;
        let (json, schema) = (machine.export("json", "")?, machine.export("json-schema", "")?);
        let script = "import json, sys, jsonschema\n\
            schema, document = (json.load(open(path, encoding='utf-8')) for path in sys.argv[1:])\n\
            jsonschema.Draft202012Validator.check_schema(schema)\n\
            jsonschema.Draft202012Validator(schema).validate(document)\n";
        run_quietly(tool("python").args(["-c", script]).arg(schema).arg(json))?;
        read_by("jsonschema", DESIGN, &["json", "json-schema"])
    });
}

#[test]
fn pandas_reads_every_table() {
    story("pandas", missing(&["pandas"]), |dir| {
        let machine = small(dir)?;
        let all = dir.join("all");
        machine.export_to(&all, "all", &["failed=sw4 node5"])?;
        let tables: Vec<PathBuf> = all_files(&all)?
            .into_iter()
            .filter(|file| file.extension().is_some_and(|end| end == "csv"))
            .collect();
        run_quietly(python("read_tables.py").arg(machine.export("json", "")?).args(&tables))?;
        let read: Vec<String> = of_pandas(DESIGN)?;
        // Those of NetBox, and those in folders with other files, are tables too, but not for pandas.
        let is_other =
            |file: &&PathBuf| file.parent() != Some(&*all) || file.to_string_lossy().contains("-netbox-");
        let others = tables.iter().filter(is_other).count();
        ensure!(read.len() == tables.len() - others, "{tables:?} were read, and the list has {read:?}");
        read_by("pandas", DESIGN, &read.iter().map(String::as_str).collect::<Vec<_>>())?;
        for kind in FABRICS {
            let formats = of_pandas(kind)?;
            for format in &formats {
                let table = fabric(dir, kind, format)?;
                run_quietly(tool("python").args(["-c", READ]).arg(table))?;
            }
            read_by("pandas", kind, &formats.iter().map(String::as_str).collect::<Vec<_>>())?;
        }
        Ok(())
    });
}

const READ: &str = "import pandas, sys\nframe = pandas.read_csv(sys.argv[1])\n\
    assert len(frame.columns) > 2 and not any(c.startswith(('#', 'Unnamed')) for c in frame.columns), frame\n";

/// Formats that the list says pandas reads.
fn of_pandas(source: &str) -> Result<Vec<String>> {
    let named = listed(source)?.into_iter();
    let formats = named.filter(|(_, readers)| readers.iter().any(|reader| reader.starts_with("pandas ")));
    Ok(formats.map(|(format, _)| format).collect())
}

#[test]
fn libreoffice_opens_and_saves_the_same_cells() {
    story("LibreOffice", missing(&["LibreOffice", "pandas"]), |dir| {
        let machine = small(dir)?;
        let profile = format!("-env:UserInstallation=file://{}/profile", dir.display());
        let convert = |to: &str, file: PathBuf, folder: &str| -> Result<PathBuf> {
            let out = dir.join(folder);
            let mut office = tool("soffice");
            office.arg(&profile).args(["--headless", "--convert-to", to, "--outdir"]).arg(&out).arg(&file);
            if file.extension().is_some_and(|end| end == "csv") {
                // As chosen in its dialog: commas, double quotes, UTF-8.
                office.arg("--infilter=CSV:44,34,76");
            }
            run(&mut office)?;
            let extension = to.split(':').next().unwrap_or_default();
            Ok(out.join(file.with_extension(extension).file_name().unwrap_or_default()))
        };
        for format in ["cables", "netbox-cables"] {
            let original = dir.join(format!("{format}.csv"));
            fs::rename(machine.export(format, "")?, &original)?;
            let spreadsheet = convert("xlsx", original.clone(), "sheet")?;
            // The same, and cells as they are shown.
            let saved = convert(
                "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true",
                spreadsheet.clone(),
                "saved",
            )?;
            run_quietly(python("read_tables.py").arg("same").args([original, spreadsheet, saved]))?;
        }
        read_by("LibreOffice", DESIGN, &["cables"])
    });
}

#[test]
fn libreoffice_computes_the_bill() {
    story("LibreOffice", missing(&["LibreOffice", "pandas"]), |dir| {
        let machine = Machine::wired(dir, &format!("ni_price = 99.5\n{SPEC}\n[uplink]\n"), WIRING)?;
        let [table, workbook, filled] = ["bill.csv", "bill.xlsx", "filled.xlsx"].map(|name| dir.join(name));
        machine.export_to(&table, "bill", &[])?;
        machine.export_to(&workbook, "bill-xlsx", &[])?;
        run_quietly(python("read_tables.py").arg("fill").args([&workbook, &filled]))?;
        let profile = format!("-env:UserInstallation=file://{}/profile", dir.display());
        // Every sheet, with cells as they are, not as they are shown.
        let filter = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,false,false,false,false,-1";
        let mut office = tool("soffice");
        run(office
            .arg(profile)
            .args(["--headless", "--convert-to", filter, "--outdir"])
            .args([dir, &filled]))?;
        run_quietly(python("read_tables.py").arg("bill").args([&table, &workbook]).arg(dir))?;
        read_by("LibreOffice", DESIGN, &["bill-xlsx"])
    });
}

#[test]
fn names_resolve_to_the_addresses() {
    lab_story("the resolver", &["glibc"], |dir| {
        let machine = small(dir)?;
        let names = fs::read_to_string(machine.export("names", "")?)?;
        let of_node = fs::read_to_string(&files(&machine.export("hosts", "")?)?[0])?;
        for (text, lines) in [(names, 8), (of_node, 8)] {
            let file = dir.join("of-one");
            fs::write(&file, &text)?;
            let pairs = text.lines().filter(|line| !line.starts_with('#') && line.contains(" node"));
            let mut found = 0;
            for line in pairs {
                let words: Vec<_> = line.split_whitespace().collect();
                let ask = "mount --bind \"$1\" /etc/hosts && getent -s files ahostsv4 \"$2\"";
                let mut command = tool("unshare");
                let answer = run(command.args(["-m", "sh", "-c", ask, "sh"]).arg(&file).arg(words[1]))?;
                ensure!(answer.starts_with(&format!("{} ", words[0])), "{line}: {answer}");
                found += 1;
            }
            ensure!(found >= lines - 1, "{text}");
        }
        read_by("glibc", DESIGN, &["hosts", "names"])
    });
}

/// Names by templates, an uplink switch and two spares.
const NAMED: &str = "name = \"Up\"\npes = 8\nnis_per_pe = 2\nobjective = \"sparse\"\n[[switch]]\nports = 6\ncount = 4\n\
    [[switch]]\nports = 10\ncount = 1\n[uplink]\nkind = \"separate\"\nspares = 2\n[[pattern]]\nkind = \"ring\"\n\
    [[rack]]\npes = 8\nswitches = 5\n[names]\nnodes = \"gpu{rack}-{slot:02}\"\nswitches = \"{rack}-leaf{number}\"\n\
    racks = \"h2{row}{place:02}\"\ninterface = \"ens{nic+1}f0\"\nport = \"Ethernet{port*4-4}\"\n";
const NAMED_WIRING: &str = "0: 0 1 2 3 4\n1: 3 4 5 6 7\n2: 0 7\n3: 1 2\n4: 5 6\n";

#[test]
fn names_of_the_spec_and_uplinks_are_read_too() {
    story("names and uplinks", missing(&["Graphviz", "jsonschema", "networkx", "pandas"]), |dir| {
        let machine = Machine::wired(dir, NAMED, NAMED_WIRING)?;
        let export = |format| machine.export(format, "");
        run_quietly(tool("dot").arg("-Tsvg").arg(export("dot")?))?;
        let script = "import json, sys, jsonschema, networkx, pandas\n\
            schema, document = (json.load(open(path, encoding='utf-8')) for path in sys.argv[1:3])\n\
            jsonschema.Draft202012Validator(schema).validate(document)\n\
            number = len(document['cables']) + len(document['uplink']['cables'])\n\
            edges = networkx.read_graphml(sys.argv[3]).number_of_edges()\n\
            rows = [len(pandas.read_csv(path)) for path in sys.argv[4:]]\n\
            assert {number} == {edges, *rows}, (number, edges, rows)\n";
        let mut python = tool("python");
        python.args(["-c", script]);
        for format in ["json-schema", "json", "graphml", "cables", "worklist-csv", "netbox-cables"] {
            python.arg(export(format)?);
        }
        run_quietly(&mut python)?;
        Ok(())
    });
}
