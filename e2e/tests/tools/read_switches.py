"""Reads the configurations of switches with parsers and schemas that others keep, and compares them with the wiring.

usage: read_switches.py eos|nxos|nvue WIRING.json FOLDER none|pause|pfc
"""

import importlib
import ipaddress
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


with open(wiring, encoding="utf-8") as file:
    wires = json.load(file)

# Routing: a subnet per switch, then a /31 per switch, an address per router, and the subnet of the spare node.
COUNT = len(wires["switches"])
LINKS = ipaddress.ip_address(f"10.{COUNT}.0.0")
SPARES = ipaddress.ip_network((LINKS + (1 << (3 * COUNT).bit_length()), 30))
NETWORKS = [ipaddress.ip_network(f"10.{switch}.0.0/16") for switch in range(COUNT)] + [SPARES]
[UPLINK] = [switch["name"] for switch in wires["uplink"]["switches"]]
UPLINK_AS, FIRST_AS = 4200000000, 4200001000


def routing(switch, number):
    """AS number, router address, own subnet, and by port of a link the own and the other address, AS number and name."""
    ours = {}
    for cable in wires["uplink"]["cables"]:
        if cable.get("from_switch") is None:
            continue
        far = cable["from_switch"]
        high, low = LINKS + 2 * far, LINKS + 2 * far + 1
        if switch == UPLINK:
            ours[NAMES[dialect].format(cable["port"])] = (high, low, FIRST_AS + far, cable["from"])
        elif far == number:
            ours[NAMES[dialect].format(cable["from_port"])] = (low, high, UPLINK_AS, UPLINK)
    is_uplink = switch == UPLINK
    subnet = SPARES if is_uplink else NETWORKS[number]
    return (UPLINK_AS if is_uplink else FIRST_AS + number), LINKS + 2 * COUNT + number, subnet, ours


def wanted():
    """The far end of each port by switch; None without a cable."""
    port = NAMES[dialect].format
    ends = {s["name"]: {port(p): None for p in range(1, s["ports"] + 1)} for s in wires["switches"]}
    for cable in wires["cables"]:
        switch = wires["switches"][cable["switch"]]["name"]
        ends[switch][port(cable["port"])] = f"{wires['pes'][cable['pe']]['name']} {cable['interface']}"
    ends[UPLINK] = {}
    for cable in wires["uplink"]["cables"]:
        own = port(cable["port"])
        if cable.get("from_switch") is None:
            ends[UPLINK][own] = f"{cable['from']} {cable['from_interface']}"
        else:
            far = port(cable["from_port"])
            ends[UPLINK][own] = f"{cable['from']} {far}"
            ends[cable["from"]][far] = f"{UPLINK} {own}"
    return ends


def lines(switch, number, ends):
    """What a parser of command lines is to find: each line without a parent, and those inside it."""
    expected = {f"hostname {switch}": []} | WHOLE[dialect]
    asn, router, subnet, links = routing(switch, number)
    gateway = f"{subnet[-2]}/{subnet.prefixlen}"
    for port, far in ends.items():
        about, flows = f"description {switch} {port} to {far}", PORT[dialect][flow]
        if far is None:
            inside = ["shutdown"]
        elif dialect == "eos":
            routed = ["no switchport", "mtu 9214", f"ip address {links[port][0]}/31"] if port in links else []
            inside = [about, "no shutdown", *routed, *flows]
        elif port in links:
            inside = [about, "no switchport", "mtu 9216", f"ip address {links[port][0]}/31", "no shutdown", *flows]
        else:
            inside = [about, "switchport", "mtu 9216", "no shutdown", *flows]
        expected[f"interface {port}"] = inside
    peers = links.values()
    if dialect == "eos":
        expected |= {"service routing protocols model multi-agent": [], "ip routing": []}
        expected["interface Vlan1"] = ["mtu 9214", f"ip address {gateway}"]
        for network in ipaddress.collapse_addresses(NETWORKS):
            expected[f"ip route {network} Null0 254"] = []
        neighbours = [
            line
            for _, other, number_of, name in peers
            for line in (f"neighbor {other} remote-as {number_of}", f"neighbor {other} description {name}")
        ]
        head = [f"router-id {router}", "timers bgp 3 9", "maximum-paths 64 ecmp 64"]
        expected[f"router bgp {asn}"] = [*head, *neighbours, f"network {subnet}"]
    else:
        expected |= {f"feature {feature}": [] for feature in ("bgp", "interface-vlan", "lacp")}
        expected["interface Vlan1"] = ["mtu 9216", "no ip redirects", f"ip address {gateway}", "no shutdown"]
        family = "address-family ipv4 unicast"
        neighbours = [
            line
            for _, other, number_of, name in peers
            for line in (f"neighbor {other}", f"remote-as {number_of}", f"description {name}", family)
        ]
        head = [f"router-id {router}", "timers bgp 3 9", family, f"network {subnet}", "maximum-paths 64"]
        expected[f"router bgp {asn}"] = [*head, *neighbours]
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
    asn, router, subnet, links = routing(switch, number)
    svi = {"address": {f"{subnet[-2]}/{subnet.prefixlen}": {}}}
    interfaces["vlan1"] = {"type": "svi", "vlan": 1, "link": {"mtu": 9000}, "ipv4": svi}
    for port, far in ends.items():
        interfaces[port] = {"type": "swp", "link": {"state": {"down": {}}}}
        if far is not None:
            bridge = {"domain": {"br_default": {}}}
            link = {"mtu": 9000, "state": {"up": {}}}
            about = f"{switch} {port} to {far}"
            inside = {"ipv4": {"address": {f"{links[port][0]}/31": {}}}} if port in links else {"bridge": bridge}
            interfaces[port] = {"type": "swp", "link": link, "description": about} | inside | pause
    whole = {"system": {"hostname": switch}, "bridge": {"domain": {"br_default": {"vlan": {"1": {}}}}}}
    if flow == "pfc":
        whole["qos"] = {"roce": {"state": "enabled", "mode": "lossless"}}
    timers = {"keepalive": 3, "hold": 9}
    neighbours = {
        str(other): {"type": "numbered", "remote-as": number_of, "description": name, "timers": timers}
        for _, other, number_of, name in links.values()
    }
    unicast = {"state": "enabled", "multipaths": {"ebgp": 64}, "network": {str(subnet): {}}}
    bgp = {"state": "enabled", "address-family": {"ipv4-unicast": unicast}, "neighbor": neighbours}
    whole["router"] = {"bgp": {"state": "enabled", "autonomous-system": asn, "router-id": str(router)}}
    whole["vrf"] = {"default": {"router": {"bgp": bgp}}}
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
