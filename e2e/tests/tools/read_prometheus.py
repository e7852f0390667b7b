"""usage: read_prometheus.py FOLDER

Compares the targets, rules, links and alerts of a Prometheus on 127.0.0.1:9090 with the exported files in a folder. In its nodes,
eth1 alone has no carrier.
"""

import json
import os
import re
import sys
import time
import urllib.parse
import urllib.request


def ask(path, **words):
    url = f"http://127.0.0.1:9090/api/v1/{path}?{urllib.parse.urlencode(words)}"
    with urllib.request.urlopen(url, timeout=30) as answer:
        return json.load(answer)["data"]


def until(get, wanted):
    """Waits for up to two minutes until Prometheus says what is wanted."""
    found = None
    for _ in range(240):
        try:
            found = get()
        except OSError as error:
            found = error
        if found == wanted:
            return
        time.sleep(0.5)
    sys.exit(f"{get.__name__}: wanted {wanted}, found {found}")


def exact(things):
    """Labels in an order of their own."""
    return sorted(sorted(thing.items()) for thing in things)


def targets():
    active = ask("targets", state="active")["activeTargets"]
    return exact({**target["labels"], "health": target["health"]} for target in active)


def rules():
    groups = ask("rules")["groups"]
    return sorted((rule["name"], rule["health"], rule["type"]) for group in groups for rule in group["rules"])


def links():
    return exact(series["metric"] for series in ask("query", query="crosspoint_link_expected")["result"])


def alerts():
    return exact(alert["labels"] for alert in ask("alerts")["alerts"])


def main(folder):
    with open(os.path.join(folder, "targets.json"), encoding="utf-8") as file:
        groups = json.load(file)
    with open(os.path.join(folder, "links.prom"), encoding="utf-8") as file:
        expected = [dict(re.findall(r'(\w+)="([^"]*)"', line)) for line in file if not line.startswith("#")]
    assert len(groups) > 2 and len(expected) > 2 * len(groups), (groups, expected)
    until(targets, exact({**group["labels"], "instance": target, "job": "crosspoint", "health": "up"}
                         for group in groups for target in group["targets"]))
    until(rules, [("CrosspointLinkDown", "ok", "alerting"), ("CrosspointNodeUnreachable", "ok", "alerting"),
                  ("CrosspointSwitchDown", "ok", "alerting"), ("crosspoint_link_up", "ok", "recording")])
    until(links, exact({**link, "__name__": "crosspoint_link_expected", "job": "crosspoint"} for link in expected))
    down = [link for link in expected if link["nic"] == "eth1"]
    by_switch = {link["switch"]: {other["nic"] for other in expected if other["switch"] == link["switch"]} for link in expected}
    until(alerts, exact([
        *({**link, "alertname": "CrosspointLinkDown", "severity": "warning", "job": "crosspoint"} for link in down),
        *({"switch": switch, "alertname": "CrosspointSwitchDown", "severity": "critical"}
          for switch, nics in by_switch.items() if nics == {"eth1"})]))


main(sys.argv[1])
