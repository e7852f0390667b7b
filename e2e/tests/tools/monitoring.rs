//! Prometheus reads the expected links and the rules, and alerts on the cables without a link. Started with the exported
//! configuration, it finds all targets.

use crate::{lab_story, small};
use anyhow::{Context, Result, ensure};
use e2e::{
    lab::machine::files,
    readers::{DESIGN, missing, read_by, run, tool},
    root, story,
};
use std::{fmt::Write as _, fs, fs::File};

/// A NIC without a carrier, and a node that reports nothing.
const DOWN: (&str, &str) = ("node001", "eth1");
const SILENT: &str = "node003";

#[test]
fn prometheus_alerts_on_cables_without_a_link() {
    story("Prometheus", missing(&["Prometheus"]), |dir| {
        let folder = dir.join("prometheus");
        small(dir)?.export_to(&folder, "prometheus", &[])?;
        let file = |name: &str| -> Result<_> {
            files(&folder)?.into_iter().find(|file| file.ends_with(name)).context(name.to_owned())
        };
        run(tool("promtool").args(["check", "metrics"]).stdin(File::open(file("links.prom")?)?))?;
        run(tool("promtool").args(["check", "rules"]).arg(file("rules.yml")?))?;
        let links = fs::read_to_string(file("links.prom")?)?;
        let (mut series, mut alerts, mut silent) = (String::new(), String::new(), 0);
        for line in links.lines().filter(|line| !line.starts_with('#')) {
            let link = line.strip_suffix(" 1").context(line.to_owned())?;
            let label = |name: &str| -> Result<&str> {
                let (_, rest) = link.split_once(&format!("{name}=\"")).context(line.to_owned())?;
                Ok(rest.split('"').next().unwrap_or_default())
            };
            let (node, nic) = (label("node")?, label("nic")?);
            writeln!(series, "      - {{series: '{link}', values: '1x10'}}")?;
            if node != SILENT {
                let up = u8::from((node, nic) != DOWN);
                let instance =
                    format!("node_network_up{{instance=\"{node}.example.org:9100\",device=\"{nic}\"}}");
                writeln!(series, "      - {{series: '{instance}', values: '{up}x10'}}")?;
            }
            silent += u32::from(node == SILENT);
            if node == SILENT || (node, nic) == DOWN {
                let (switch, port) = (label("switch")?, label("port")?);
                writeln!(
                    alerts,
                    "          - exp_labels: {{severity: warning, node: {node}, nic: {nic}, switch: {switch}, port: {port}}}\n\
                     \x20           exp_annotations: {{summary: 'No link from {node} {nic} to {switch} {port}'}}"
                )?;
            }
        }
        ensure!(silent > 1, "{links}");
        let test = format!(
            "rule_files: [{}]\nevaluation_interval: 1m\ntests:\n  - interval: 1m\n    input_series:\n{series}    alert_rule_test:\n\
             \x20     - eval_time: 5m\n        alertname: CrosspointLinkDown\n        exp_alerts:\n{alerts}\
             \x20     - eval_time: 5m\n        alertname: CrosspointNodeUnreachable\n        exp_alerts:\n\
             \x20         - exp_labels: {{severity: critical, node: {SILENT}}}\n\
             \x20           exp_annotations: {{summary: '{SILENT} has no link'}}\n\
             \x20     - eval_time: 5m\n        alertname: CrosspointSwitchDown\n        exp_alerts: []\n",
            file("rules.yml")?.display()
        );
        let path = dir.join("test.yml");
        fs::write(&path, test)?;
        run(tool("promtool").args(["test", "rules"]).arg(path))?;
        read_by("Prometheus", DESIGN, &["prometheus"])
    });
}

/// Failed node, which is no target.
const FAILED: &str = "node007";

#[test]
fn prometheus_finds_the_targets_and_the_links() {
    lab_story("Prometheus with targets", &["Prometheus", "node_exporter"], |dir| {
        let folder = dir.join("prometheus");
        small(dir)?.export_to(&folder, "prometheus", &[&format!("failed={FAILED}"), "domain=lab.example"])?;
        let config = files(&folder)?
            .into_iter()
            .find(|file| file.ends_with("prometheus.yml"))
            .context("a configuration")?;
        let folder = config.parent().context("its folder")?;
        run(tool("promtool").args(["check", "config"]).arg(&config))?;
        let targets = fs::read_to_string(folder.join("targets.json"))?;
        let places = [("node000", "A01"), ("node005", "A01"), ("node006", "A02")];
        for (node, rack) in places {
            let group = format!(
                "{{\"labels\":{{\"node\":\"{node}\",\"rack\":\"{rack}\"}},\"targets\":[\"{node}.lab.example:9100\"]}}"
            );
            ensure!(targets.contains(&group), "{group}\n{targets}");
        }
        ensure!(targets.matches(":9100").count() == 7 && !targets.contains(FAILED), "{targets}");
        let names: String = (0..7)
            .map(|pe| format!("127.0.0.{} node{pe:03}.lab.example\n", if pe == 0 { 1 } else { 2 }))
            .collect();
        fs::write(folder.join("names"), names)?;
        let scripts = root().join("e2e/tests/tools");
        let mut inside = tool("unshare");
        inside.args(["--net", "--mount", "--pid", "--fork", "--kill-child", "sh"]);
        inside.arg(scripts.join("prometheus.sh")).arg(folder).arg(scripts.join("read_prometheus.py"));
        run(&mut inside)?;
        read_by("Prometheus", DESIGN, &["prometheus"])?;
        read_by("node_exporter", DESIGN, &["prometheus"])
    });
}
