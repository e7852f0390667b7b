"""Prints a SONiC configuration on top of that of a new switch as data of SONiC's YANG models, for yanglint.

usage: sonic_yang.py CONFIG_DB
"""

import json
import sys

# Module, list and keys of each table; the lists of maps have lists of the table's name inside, with these leaves.
LISTS = {
    "PORT": ("port", ["name"]),
    "VLAN": ("vlan", ["name"]),
    "VLAN_MEMBER": ("vlan", ["name", "port"]),
    "MGMT_PORT": ("mgmt_port", ["name"]),
    "MGMT_INTERFACE": ("mgmt_interface", ["name", "ip_prefix"]),
    "PORT_QOS_MAP": ("port-qos-map", ["ifname"]),
    "QUEUE": ("queue", ["ifname", "qindex"]),
    "WRED_PROFILE": ("wred-profile", ["name"]),
}
MAPS = {
    "DSCP_TO_TC_MAP": ("dscp-tc-map", ["dscp", "tc"]),
    "TC_TO_QUEUE_MAP": ("tc-queue-map", ["tc", "qindex"]),
    "TC_TO_PRIORITY_GROUP_MAP": ("tc-priority-group-map", ["tc", "pg"]),
    "MAP_PFC_PRIORITY_TO_QUEUE": ("pfc-priority-queue-map", ["pfc_priority", "qindex"]),
}
GROUPS = {"DEVICE_METADATA": "device_metadata", "LLDP": "lldp"}
# Leaves that are no strings.
TYPED = dict.fromkeys(["mtu", "speed", "vlanid", "tc"], int)
TYPED.update(dict.fromkeys(["green_min_threshold", "green_max_threshold", "green_drop_probability"], str))
TYPED["wred_green_enable"] = {"true": True, "false": False}.__getitem__
TYPED["enabled"] = {"true": True, "false": False}.__getitem__


def leaves(entry):
    return {name: TYPED.get(name, str)(value) for name, value in entry.items()}


def table(name, entries):
    if name in GROUPS:
        return GROUPS[name], {key: leaves(entry) for key, entry in entries.items()}
    if name in MAPS:
        module, [key, value] = MAPS[name]
        rows = {of: [leaves({key: a, value: b}) for a, b in pairs.items()] for of, pairs in entries.items()}
        return module, {f"{name}_LIST": [{"name": of, name: pairs} for of, pairs in rows.items()]}
    module, keys = LISTS[name]
    rows = [dict(zip(keys, key.split("|"), strict=True)) | leaves(entry) for key, entry in entries.items()]
    return module, {f"{name}_LIST": rows}


with open(sys.argv[1], encoding="utf-8") as file:
    config = json.load(file)
# The attributes that the models require, and that the switch's own configuration has.
for place, port in enumerate(config["PORT"].values()):
    port.update({"lanes": str(place), "speed": "100000"})
data = {}
for name, entries in config.items():
    module, content = table(name, entries)
    data.setdefault(f"sonic-{module}:sonic-{module}", {})[name] = content
json.dump(data, sys.stdout, indent=1)
