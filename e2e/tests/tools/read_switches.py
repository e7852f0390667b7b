"""Reads the configurations of switches with parsers and schemas that others keep, and compares them with the wiring.

usage: read_switches.py eos|nxos|nvue WIRING.json FOLDER none|pause|pfc
"""

import importlib
import json
import pathlib
import sys

import yaml
from ciscoconfparse2 import CiscoConfParse
from nvueschema import models

dialect, wiring, folder, flow = sys.argv[1:]
# Of the management network 192.168.7.0/24.
ADDRESS = "192.168.7.{}/24"
GATEWAY = "192.168.7.254"
NAMES = {"eos": "Ethernet{}", "nxos": "Ethernet1/{}", "nvue": "swp{}"}
PORT = {
    "eos": {
        "none": [],
        "pause": ["flowcontrol send on", "flowcontrol receive on"],
        "pfc": ["service-profile CROSSPOINT"],
    },
    "nxos": {
        "none": [],
        "pause": ["flowcontrol send on", "flowcontrol receive on"],
        "pfc": ["priority-flow-control mode on", "service-policy type qos input CROSSPOINT-IN"],
    },
}
# Lines of the whole switch, each with the lines inside it.
WHOLE = {
    "eos": {"lldp run": [], "end": []},
    "nxos": {"feature lldp": []},
}
if flow == "pfc":
    WHOLE["eos"] |= {
        "qos map dscp 26 to traffic-class 3": [],
        "qos profile CROSSPOINT": [
            "qos trust dscp",
            "priority-flow-control on",
            "priority-flow-control priority 3 no-drop",
            "uc-tx-queue 3",
            "random-detect ecn minimum-threshold 150 kbytes maximum-threshold 1500 kbytes max-mark-probability 100 weight 0",
        ],
    }
    IDLE = [line for n in (1, 2, 4, 5, 6) for line in (f"class type queuing c-out-8q-q{n}", "bandwidth remaining percent 0")]
    WHOLE["nxos"] |= {
        "class-map type qos match-all CROSSPOINT-RDMA": ["match dscp 26"],
        "policy-map type qos CROSSPOINT-IN": ["class CROSSPOINT-RDMA", "set qos-group 3"],
        "policy-map type network-qos CROSSPOINT": [
            "class type network-qos c-8q-nq3",
            "pause pfc-cos 3",
            "mtu 9216",
            "class type network-qos c-8q-nq-default",
            "mtu 9216",
        ],
        "policy-map type queuing CROSSPOINT-OUT": [
            "class type queuing c-out-8q-q7",
            "priority level 1",
            "class type queuing c-out-8q-q3",
            "bandwidth remaining percent 50",
            "random-detect minimum-threshold 150 kbytes maximum-threshold 1500 kbytes drop-probability 100 weight 0 ecn",
            "class type queuing c-out-8q-q-default",
            "bandwidth remaining percent 50",
            *IDLE,
        ],
        "system qos": [
            "service-policy type network-qos CROSSPOINT",
            "service-policy type queuing output CROSSPOINT-OUT",
        ],
    }


def wanted():
    """The far end of each port by switch; None without a cable."""
    with open(wiring, encoding="utf-8") as file:
        wires = json.load(file)
    port = NAMES[dialect].format
    ends = {s["name"]: {port(p): None for p in range(1, s["ports"] + 1)} for s in wires["switches"]}
    for cable in wires["cables"]:
        switch = wires["switches"][cable["switch"]]["name"]
        ends[switch][port(cable["port"])] = f"{wires['pes'][cable['pe']]['name']} {cable['interface']}"
    uplink = wires["uplink"]
    ends[uplink["name"]] = {}
    for cable in uplink["cables"]:
        own = port(cable["port"])
        if cable.get("from_switch") is None:
            ends[uplink["name"]][own] = f"{cable['from']} {cable['from_interface']}"
        else:
            far = port(cable["from_port"])
            ends[uplink["name"]][own] = f"{cable['from']} {far}"
            ends[cable["from"]][far] = f"{uplink['name']} {own}"
    return ends


def lines(switch, number, ends):
    """What a parser of command lines is to find: each line without a parent, and those inside it."""
    expected = {f"hostname {switch}": []} | WHOLE[dialect]
    for port, far in ends.items():
        if far is None:
            inside = ["shutdown"]
        elif dialect == "eos":
            inside = [f"description {switch} {port} to {far}", "no shutdown", *PORT[dialect][flow]]
        else:
            about = f"description {switch} {port} to {far}"
            inside = [about, "switchport", "mtu 9216", "no shutdown", *PORT[dialect][flow]]
        expected[f"interface {port}"] = inside
    address, route = f"ip address {ADDRESS.format(number + 1)}", f"ip route 0.0.0.0/0 {GATEWAY}"
    if dialect == "eos":
        return expected | {"interface Management1": [address], route: []}
    return expected | {"interface mgmt0": ["vrf member management", address], "vrf context management": [route]}


def tree(file):
    parsed = CiscoConfParse(str(file), syntax={"eos": "ios", "nxos": "nxos"}[dialect])
    tops = [line for line in parsed.objs if not line.parent or line.parent is line]
    # Comments and the end of the file are lines, too.
    tops = [line for line in tops if line.text and not line.text.startswith("!")]
    assert len({line.text for line in tops}) == len(tops), f"{file}: a line is there twice"
    return {line.text: [inside.text.strip() for inside in line.all_children] for line in tops}


def nvue(switch, number, ends):
    """The configuration below `set`."""
    pause = {"qos": {"link-pause": {"profile": "default-global"}}} if flow == "pause" else {}
    address = {"address": {ADDRESS.format(number + 1): {}}, "gateway": {GATEWAY: {}}}
    interfaces = {"eth0": {"type": "eth", "ipv4": address}}
    for port, far in ends.items():
        interfaces[port] = {"type": "swp", "link": {"state": {"down": {}}}}
        if far is not None:
            bridge = {"domain": {"br_default": {}}}
            link = {"mtu": 9000, "state": {"up": {}}}
            about = f"{switch} {port} to {far}"
            interfaces[port] = {"type": "swp", "link": link, "description": about, "bridge": bridge} | pause
    whole = {"system": {"hostname": switch}, "bridge": {"domain": {"br_default": {"vlan": {"1": {}}}}}}
    if flow == "pfc":
        whole["qos"] = {"roce": {"state": "enabled", "mode": "lossless"}}
    return whole | {"interface": interfaces}


def kept(value, model):
    """Checks that a model has every key of a value: models ignore what they do not know."""
    if isinstance(value, dict):
        assert isinstance(model, dict) and value.keys() <= model.keys(), (value, model)
        for key, inside in value.items():
            kept(inside, model[key])


for number, (switch, ends) in enumerate(wanted().items()):
    [file] = pathlib.Path(folder).glob(f"*-{switch}.*")
    if dialect == "nvue":
        [patch] = yaml.safe_load(file.read_text(encoding="utf-8"))
        expected, read = nvue(switch, number, ends), patch["set"]
        # The versions from 5.15 on that there are models of.
        versions = [path.stem for path in pathlib.Path(models.__path__[0]).glob("v5_*.py")]
        versions = [name for name in versions if int(name.removeprefix("v5_")) >= 15]
        assert len(versions) >= 4, versions
        for version in versions:
            model = importlib.import_module(f"nvueschema.models.{version}").NvueConfig.model_validate(read)
            kept(read, model.model_dump(mode="json", exclude_unset=True, by_alias=True))
    else:
        expected, read = lines(switch, number, ends), tree(file)
    assert read == expected, f"{file}:\n{read}\nis not\n{expected}"
print(number + 1)
