//! Files for Prometheus and Grafana, so that the design stays the truth after the build: every link that is expected, alerts on those
//! that are down, and a dashboard.
//!
//! `links.prom` is for the textfile collector of one node_exporter, whose scrape needs `honor_labels`. The alerts compare it with
//! `node_network_up`, which each node's node_exporter has for its NICs; the node is the first part of `instance`. `targets.json`
//! lists these, and `prometheus.yml` scrapes them. Prometheus reads both next to each other and to the rules.

use super::{
    DesignPlan, ExportError, FAILED, FOLDER, FileSink, Format, Group, INTERFACE, PORT, Render, WriteResult,
    dns::DOMAIN, identifiers::Identifiers, uplinks::End,
};
use serde_json::{Value, json};
use std::fmt::Write as _;

pub(super) const PROMETHEUS: Format = Format::new(Group::Monitoring, "prometheus", "Prometheus and Grafana", FOLDER, Render::Files(render))
    .read_by(&["Prometheus 2.42", "node_exporter 1.5"])
    .recommended()
    .purpose("Prometheus configuration with targets and alert rules, expected links for node_exporter, and a dashboard for Grafana")
    .with(&[&INTERFACE, &PORT, &FAILED, &DOMAIN]);

/// Port of node_exporter.
const EXPORTER: u16 = 9100;

fn render(plan: &DesignPlan, _: u32, each: &mut FileSink) -> WriteResult {
    each("links.prom", &links(plan)?)?;
    each("rules.yml", &rules(plan))?;
    each("targets.json", &targets(plan)?)?;
    each("prometheus.yml", &format!("# Prometheus for the nodes of {}.\n{CONFIGURATION}", plan.title()))?;
    each("dashboard.json", &format!("{:#}\n", dashboard(plan)))
}

/// A sample per cable of working parts.
fn links(plan: &DesignPlan) -> Result<String, ExportError> {
    let (faults, identifiers) = (plan.faults()?, Identifiers::of(plan));
    let mut text = String::from(
        "# HELP crosspoint_link_expected Cable of the design, from a NIC of a node to a port of a switch or a NIC of another node.\n\
         # TYPE crosspoint_link_expected gauge\n",
    );
    for pe in (0..plan.pes()).filter(|&pe| !faults.is_dead(pe)) {
        let node = plan.pe_name(pe);
        for cable in plan.working_nis(pe)?.into_iter().filter_map(|(ni, _)| plan.cable(pe, ni)) {
            // The far end of a direct cable stands for a switch: its node and NIC.
            let [End { port: nic, .. }, End { device: switch, port, .. }] = plan.ends(&identifiers, cable);
            // A String takes everything.
            let _ = writeln!(
                text,
                "crosspoint_link_expected{{node=\"{node}\",nic=\"{nic}\",switch=\"{switch}\",port=\"{port}\"}} 1"
            );
        }
    }
    uplinks(plan, &mut text);
    Ok(text)
}

/// A sample per cable to an uplink switch, which no node sees.
fn uplinks(plan: &DesignPlan, text: &mut String) {
    let Some(uplink) = plan.uplink() else { return };
    text.push_str(
        "# HELP crosspoint_uplink_expected Cable of the design, from a port of a switch or a NIC of a spare node to an uplink switch.\n\
         # TYPE crosspoint_uplink_expected gauge\n",
    );
    let identifiers = Identifiers::of(plan);
    for &cable in &uplink.cables {
        let [from, to] = uplink.ends(&plan.names, &identifiers, cable);
        let plane =
            uplink.switch_of(cable).plane.map_or_else(String::new, |plane| format!(",plane=\"{plane}\""));
        // A String takes everything.
        let _ = writeln!(
            text,
            "crosspoint_uplink_expected{{device=\"{}\",device_port=\"{}\",switch=\"{}\",port=\"{}\"{plane}}} 1",
            from.device, from.port, to.device, to.port
        );
    }
}

/// The node_exporter of each working node, for discovery by file.
fn targets(plan: &DesignPlan) -> Result<String, ExportError> {
    let faults = plan.faults()?;
    let domain = plan.settings.given(&DOMAIN).map_or(String::new(), |domain| format!(".{domain}"));
    let target = |pe| {
        let node = plan.pe_name(pe);
        let targets = json!([format!("{node}{domain}:{EXPORTER}")]);
        let labels = match plan.names.pe_place(pe) {
            Some(place) => json!({"node": node, "rack": place.rack}),
            None => json!({"node": node}),
        };
        format!("  {}", json!({"targets": targets, "labels": labels}))
    };
    let all: Vec<String> = (0..plan.pes()).filter(|&pe| !faults.is_dead(pe)).map(target).collect();
    Ok(format!("[\n{}\n]\n", all.join(",\n")))
}

const CONFIGURATION: &str = "\
# Start it in this folder with `prometheus --config.file=prometheus.yml`, or add these parts to a configuration.
global:
  scrape_interval: 15s
  evaluation_interval: 15s
rule_files: [rules.yml]
scrape_configs:
  - job_name: crosspoint
    # Expected links have the labels of their own nodes, no matter which node serves links.prom.
    honor_labels: true
    file_sd_configs:
      - files: [targets.json]
    metric_relabel_configs:
      - source_labels: [__name__]
        regex: crosspoint_link_expected
        target_label: instance
        replacement: ''
      - source_labels: [__name__]
        regex: crosspoint_link_expected
        target_label: rack
        replacement: ''
";

fn rules(plan: &DesignPlan) -> String {
    format!("# Alerts on the cables of {}.\n{RULES}", plan.title())
}

const RULES: &str = r#"groups:
  - name: crosspoint
    rules:
      # 1 for each NIC that has a carrier, with the labels of the expected links.
      - record: crosspoint_link_up
        expr: >-
          max by (node, nic) (label_replace(label_replace(node_network_up,
          "nic", "$1", "device", "(.+)"), "node", "$1", "instance", "([^.:]+).*"))
      - alert: CrosspointLinkDown
        expr: crosspoint_link_expected unless on (node, nic) (crosspoint_link_up == 1)
        for: 2m
        labels:
          severity: warning
        annotations:
          summary: "No link from {{ $labels.node }} {{ $labels.nic }} to {{ $labels.switch }} {{ $labels.port }}"
      - alert: CrosspointSwitchDown
        expr: >-
          count by (switch) (crosspoint_link_expected unless on (node, nic) (crosspoint_link_up == 1))
          == count by (switch) (crosspoint_link_expected)
        for: 2m
        labels:
          severity: critical
        annotations:
          summary: "No node has a link to {{ $labels.switch }}"
      - alert: CrosspointNodeUnreachable
        expr: >-
          count by (node) (crosspoint_link_expected unless on (node, nic) (crosspoint_link_up == 1))
          == count by (node) (crosspoint_link_expected)
        for: 2m
        labels:
          severity: critical
        annotations:
          summary: "{{ $labels.node }} has no link"
"#;

/// Links that are down.
const DOWN: &str = "crosspoint_link_expected unless on (node, nic) (crosspoint_link_up == 1)";

/// A dashboard: numbers of links, links that are down, and links by switch.
fn dashboard(plan: &DesignPlan) -> Value {
    let source = json!({"type": "prometheus", "uid": "${source}"});
    let panel = |id: u32,
                 kind: &str,
                 title: &str,
                 (x, y, w, h): (u32, u32, u32, u32),
                 expr: &str,
                 table: bool| {
        let format = if table { "table" } else { "time_series" };
        json!({
            "id": id, "type": kind, "title": title, "datasource": source,
            "gridPos": {"x": x, "y": y, "w": w, "h": h},
            "targets": [{"refId": "A", "expr": expr, "instant": true, "format": format, "datasource": source}],
        })
    };
    json!({
        "title": format!("Cables of {}", plan.title()),
        "uid": format!("crosspoint-{}", plan.revision()),
        "schemaVersion": 39,
        "tags": ["crosspoint"],
        "time": {"from": "now-6h", "to": "now"},
        "templating": {"list": [{"name": "source", "type": "datasource", "query": "prometheus", "label": "Data source"}]},
        "panels": [
            panel(1, "stat", "Expected links", (0, 0, 6, 4), "count(crosspoint_link_expected)", false),
            panel(2, "stat", "Links down", (6, 0, 6, 4), &format!("count({DOWN}) or vector(0)"), false),
            panel(3, "table", "Links that are down", (0, 4, 12, 12), DOWN, true),
            panel(4, "bargauge", "Links down by switch", (12, 0, 12, 16), &format!("count by (switch) ({DOWN})"), false),
        ],
    })
}
