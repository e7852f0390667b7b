#!/usr/bin/env python3
"""usage: NETBOX_URL=https://... NETBOX_TOKEN=... python3 FILE [--dry-run]

Brings a design into NetBox by its REST API, with Python alone. It creates what is missing, moves devices, cables and addresses to
where the design puts them, and prints each change. Running it twice changes nothing. Sites, manufacturers, roles, types, racks and
prefixes that exist stay as they are, and so do all statuses and the primary addresses of devices.
"""

# Lab <8> & 'co', "quoted" $(x) (8 nodes), as the import files of NetBox.
FILES = {
    "sites": [
        "name,slug,status",
        "\"Lab <8> & 'co', \"\"quoted\"\" $(x)\",lab-8-co-quoted-x,planned",
    ],
    "manufacturers": [
        "name,slug",
        "Crosspoint,crosspoint",
    ],
    "roles": [
        "name,slug,color",
        "Node,node,2196f3",
        "FNN switch,fnn-switch,4caf50",
    ],
    "device-types": [
        "manufacturer,model,slug,u_height",
        "Crosspoint,Node with 2 NICs,node-with-2-nics,1",
        "Crosspoint,Node with 3 NICs,node-with-3-nics,1",
        "Crosspoint,Switch with 5 ports,switch-with-5-ports,1",
    ],
    "devices": [
        "name,role,manufacturer,device_type,status,site,rack,position,face",
        "node000,Node,Crosspoint,Node with 3 NICs,planned,\"Lab <8> & 'co', \"\"quoted\"\" $(x)\",,,",
        "node001,Node,Crosspoint,Node with 3 NICs,planned,\"Lab <8> & 'co', \"\"quoted\"\" $(x)\",,,",
        "node002,Node,Crosspoint,Node with 3 NICs,planned,\"Lab <8> & 'co', \"\"quoted\"\" $(x)\",,,",
        "node003,Node,Crosspoint,Node with 3 NICs,planned,\"Lab <8> & 'co', \"\"quoted\"\" $(x)\",,,",
        "node004,Node,Crosspoint,Node with 2 NICs,planned,\"Lab <8> & 'co', \"\"quoted\"\" $(x)\",,,",
        "node005,Node,Crosspoint,Node with 3 NICs,planned,\"Lab <8> & 'co', \"\"quoted\"\" $(x)\",,,",
        "node006,Node,Crosspoint,Node with 2 NICs,planned,\"Lab <8> & 'co', \"\"quoted\"\" $(x)\",,,",
        "node007,Node,Crosspoint,Node with 3 NICs,planned,\"Lab <8> & 'co', \"\"quoted\"\" $(x)\",,,",
        "sw00,FNN switch,Crosspoint,Switch with 5 ports,planned,\"Lab <8> & 'co', \"\"quoted\"\" $(x)\",,,",
        "sw01,FNN switch,Crosspoint,Switch with 5 ports,planned,\"Lab <8> & 'co', \"\"quoted\"\" $(x)\",,,",
        "sw02,FNN switch,Crosspoint,Switch with 5 ports,planned,\"Lab <8> & 'co', \"\"quoted\"\" $(x)\",,,",
        "sw03,FNN switch,Crosspoint,Switch with 5 ports,planned,\"Lab <8> & 'co', \"\"quoted\"\" $(x)\",,,",
        "sw04,FNN switch,Crosspoint,Switch with 5 ports,planned,\"Lab <8> & 'co', \"\"quoted\"\" $(x)\",,,",
        "sw05,FNN switch,Crosspoint,Switch with 5 ports,planned,\"Lab <8> & 'co', \"\"quoted\"\" $(x)\",,,",
    ],
    "interfaces": [
        "device,name,label,type,description,mgmt_only",
        "node000,eth0,NIC0,other,,false",
        "node000,eth1,NIC1,other,,false",
        "node000,eth2,NIC2,other,,false",
        "node001,eth0,NIC0,other,,false",
        "node001,eth1,NIC1,other,,false",
        "node001,eth2,NIC2,other,,false",
        "node002,eth0,NIC0,other,,false",
        "node002,eth1,NIC1,other,,false",
        "node002,eth2,NIC2,other,,false",
        "node003,eth0,NIC0,other,,false",
        "node003,eth1,NIC1,other,,false",
        "node003,eth2,NIC2,other,,false",
        "node004,eth0,NIC0,other,,false",
        "node004,eth1,NIC1,other,,false",
        "node005,eth0,NIC0,other,,false",
        "node005,eth1,NIC1,other,,false",
        "node005,eth2,NIC2,other,,false",
        "node006,eth0,NIC0,other,,false",
        "node006,eth1,NIC1,other,,false",
        "node007,eth0,NIC0,other,,false",
        "node007,eth1,NIC1,other,,false",
        "node007,eth2,NIC2,other,,false",
        "sw00,swp1,port 1,other,,false",
        "sw00,swp2,port 2,other,,false",
        "sw00,swp3,port 3,other,,false",
        "sw00,swp4,port 4,other,,false",
        "sw00,swp5,port 5,other,reserved,false",
        "sw01,swp1,port 1,other,,false",
        "sw01,swp2,port 2,other,,false",
        "sw01,swp3,port 3,other,,false",
        "sw01,swp4,port 4,other,,false",
        "sw01,swp5,port 5,other,reserved,false",
        "sw02,swp1,port 1,other,,false",
        "sw02,swp2,port 2,other,,false",
        "sw02,swp3,port 3,other,,false",
        "sw02,swp4,port 4,other,,false",
        "sw02,swp5,port 5,other,reserved,false",
        "sw03,swp1,port 1,other,,false",
        "sw03,swp2,port 2,other,,false",
        "sw03,swp3,port 3,other,,false",
        "sw03,swp4,port 4,other,,false",
        "sw03,swp5,port 5,other,reserved,false",
        "sw04,swp1,port 1,other,,false",
        "sw04,swp2,port 2,other,,false",
        "sw04,swp3,port 3,other,,false",
        "sw04,swp4,port 4,other,,false",
        "sw04,swp5,port 5,other,reserved,false",
        "sw05,swp1,port 1,other,,false",
        "sw05,swp2,port 2,other,,false",
        "sw05,swp3,port 3,other,,false",
        "sw05,swp4,port 4,other,,false",
        "sw05,swp5,port 5,other,reserved,false",
    ],
    "cables": [
        "side_a_site,side_a_device,side_a_type,side_a_name,side_b_site,side_b_device,side_b_type,side_b_name,type,status,label,color,length,length_unit",
        "\"Lab <8> & 'co', \"\"quoted\"\" $(x)\",node000,dcim.interface,eth0,\"Lab <8> & 'co', \"\"quoted\"\" $(x)\",sw00,dcim.interface,swp1,,planned,node000:NIC0/sw00:01,1055ea,,",
        "\"Lab <8> & 'co', \"\"quoted\"\" $(x)\",node000,dcim.interface,eth1,\"Lab <8> & 'co', \"\"quoted\"\" $(x)\",sw02,dcim.interface,swp1,,planned,node000:NIC1/sw02:01,c62f32,,",
        "\"Lab <8> & 'co', \"\"quoted\"\" $(x)\",node000,dcim.interface,eth2,\"Lab <8> & 'co', \"\"quoted\"\" $(x)\",sw04,dcim.interface,swp1,,planned,node000:NIC2/sw04:01,ffffff,,",
        "\"Lab <8> & 'co', \"\"quoted\"\" $(x)\",node001,dcim.interface,eth0,\"Lab <8> & 'co', \"\"quoted\"\" $(x)\",sw00,dcim.interface,swp2,,planned,node001:NIC0/sw00:02,1055ea,,",
        "\"Lab <8> & 'co', \"\"quoted\"\" $(x)\",node001,dcim.interface,eth1,\"Lab <8> & 'co', \"\"quoted\"\" $(x)\",sw02,dcim.interface,swp2,,planned,node001:NIC1/sw02:02,c62f32,,",
        "\"Lab <8> & 'co', \"\"quoted\"\" $(x)\",node001,dcim.interface,eth2,\"Lab <8> & 'co', \"\"quoted\"\" $(x)\",sw05,dcim.interface,swp1,,planned,node001:NIC2/sw05:01,121312,,",
        "\"Lab <8> & 'co', \"\"quoted\"\" $(x)\",node002,dcim.interface,eth0,\"Lab <8> & 'co', \"\"quoted\"\" $(x)\",sw00,dcim.interface,swp3,,planned,node002:NIC0/sw00:03,1055ea,,",
        "\"Lab <8> & 'co', \"\"quoted\"\" $(x)\",node002,dcim.interface,eth1,\"Lab <8> & 'co', \"\"quoted\"\" $(x)\",sw03,dcim.interface,swp1,,planned,node002:NIC1/sw03:01,1b8757,,",
        "\"Lab <8> & 'co', \"\"quoted\"\" $(x)\",node002,dcim.interface,eth2,\"Lab <8> & 'co', \"\"quoted\"\" $(x)\",sw04,dcim.interface,swp2,,planned,node002:NIC2/sw04:02,ffffff,,",
        "\"Lab <8> & 'co', \"\"quoted\"\" $(x)\",node003,dcim.interface,eth0,\"Lab <8> & 'co', \"\"quoted\"\" $(x)\",sw00,dcim.interface,swp4,,planned,node003:NIC0/sw00:04,1055ea,,",
        "\"Lab <8> & 'co', \"\"quoted\"\" $(x)\",node003,dcim.interface,eth1,\"Lab <8> & 'co', \"\"quoted\"\" $(x)\",sw03,dcim.interface,swp2,,planned,node003:NIC1/sw03:02,1b8757,,",
        "\"Lab <8> & 'co', \"\"quoted\"\" $(x)\",node003,dcim.interface,eth2,\"Lab <8> & 'co', \"\"quoted\"\" $(x)\",sw05,dcim.interface,swp2,,planned,node003:NIC2/sw05:02,121312,,",
        "\"Lab <8> & 'co', \"\"quoted\"\" $(x)\",node004,dcim.interface,eth0,\"Lab <8> & 'co', \"\"quoted\"\" $(x)\",sw01,dcim.interface,swp1,,planned,node004:NIC0/sw01:01,ffc907,,",
        "\"Lab <8> & 'co', \"\"quoted\"\" $(x)\",node004,dcim.interface,eth1,\"Lab <8> & 'co', \"\"quoted\"\" $(x)\",sw02,dcim.interface,swp3,,planned,node004:NIC1/sw02:03,c62f32,,",
        "\"Lab <8> & 'co', \"\"quoted\"\" $(x)\",node005,dcim.interface,eth0,\"Lab <8> & 'co', \"\"quoted\"\" $(x)\",sw01,dcim.interface,swp2,,planned,node005:NIC0/sw01:02,ffc907,,",
        "\"Lab <8> & 'co', \"\"quoted\"\" $(x)\",node005,dcim.interface,eth1,\"Lab <8> & 'co', \"\"quoted\"\" $(x)\",sw02,dcim.interface,swp4,,planned,node005:NIC1/sw02:04,c62f32,,",
        "\"Lab <8> & 'co', \"\"quoted\"\" $(x)\",node005,dcim.interface,eth2,\"Lab <8> & 'co', \"\"quoted\"\" $(x)\",sw05,dcim.interface,swp3,,planned,node005:NIC2/sw05:03,121312,,",
        "\"Lab <8> & 'co', \"\"quoted\"\" $(x)\",node006,dcim.interface,eth0,\"Lab <8> & 'co', \"\"quoted\"\" $(x)\",sw01,dcim.interface,swp3,,planned,node006:NIC0/sw01:03,ffc907,,",
        "\"Lab <8> & 'co', \"\"quoted\"\" $(x)\",node006,dcim.interface,eth1,\"Lab <8> & 'co', \"\"quoted\"\" $(x)\",sw03,dcim.interface,swp3,,planned,node006:NIC1/sw03:03,1b8757,,",
        "\"Lab <8> & 'co', \"\"quoted\"\" $(x)\",node007,dcim.interface,eth0,\"Lab <8> & 'co', \"\"quoted\"\" $(x)\",sw01,dcim.interface,swp4,,planned,node007:NIC0/sw01:04,ffc907,,",
        "\"Lab <8> & 'co', \"\"quoted\"\" $(x)\",node007,dcim.interface,eth1,\"Lab <8> & 'co', \"\"quoted\"\" $(x)\",sw03,dcim.interface,swp4,,planned,node007:NIC1/sw03:04,1b8757,,",
        "\"Lab <8> & 'co', \"\"quoted\"\" $(x)\",node007,dcim.interface,eth2,\"Lab <8> & 'co', \"\"quoted\"\" $(x)\",sw04,dcim.interface,swp3,,planned,node007:NIC2/sw04:03,ffffff,,",
    ],
}

import csv
import json
import os
import sys
import urllib.error
import urllib.parse
import urllib.request

BULK = 200
ASKED = 100
# What people change in NetBox: they set the status as they build, and the types of interfaces and cables.
LEFT_ALONE = {"status": None, "type": ("", "other")}

words = sys.argv[1:]
dry = "--dry-run" in words
if [word for word in words if word != "--dry-run"]:
    sys.exit(__doc__)
missing = [name for name in ("NETBOX_URL", "NETBOX_TOKEN") if not os.environ.get(name)]
if missing:
    sys.exit(f"Set {' and '.join(missing)}.\n\n{__doc__}")
base, token = os.environ["NETBOX_URL"].rstrip("/"), os.environ["NETBOX_TOKEN"]
if not base.startswith(("http://", "https://")):
    sys.exit(f"NETBOX_URL is {base!r}, expected an address such as https://netbox.example.org")
scheme = "Bearer" if token.startswith("nbt_") else "Token"


def call(method, path, body=None):
    url = path if path.startswith("http") else f"{base}/api/{path}"
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": f"{scheme} {token}", "Content-Type": "application/json", "Accept": "application/json"}
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data, headers, method=method), timeout=300) as answer:
            text = answer.read()
    except urllib.error.HTTPError as error:
        text = error.read().decode(errors="replace")
        try:
            said = json.loads(text)
            if isinstance(said, list) and isinstance(body, list):
                said = [f"{thing}: {reason}" for thing, reason in zip(body, said) if reason]
        except ValueError:
            said = text[:2000]
        sys.exit(f"NetBox refuses {method} {url} with {error.code}: {said}")
    except (urllib.error.URLError, ValueError) as error:
        sys.exit(f"No NetBox at {url}: {error}")
    try:
        return json.loads(text) if text else None
    except ValueError:
        sys.exit(f"No NetBox at {base}: {method} {url} returned no JSON")


def in_parts(method, path, things):
    if dry:
        return []
    parts = [things[at:at + BULK] for at in range(0, len(things), BULK)]
    return [thing for part in parts for thing in call(method, path, part) or []]


def everything(path, **filters):
    url = f"{path}?{urllib.parse.urlencode({'limit': 1000, 'ordering': 'id', **filters}, doseq=True)}"
    while url:
        page = call("GET", url)
        yield from page["results"]
        url = page["next"]


def with_any(path, name, values):
    """Things with one of these values. Servers refuse addresses of pages that are too long."""
    values = list(values)
    for at in range(0, len(values), ASKED):
        yield from everything(path, **{name: values[at:at + ASKED]})


def rows(step):
    return list(csv.DictReader(FILES.get(step, []), strict=True))


def plain(value):
    """A value of NetBox as it is written: choices by value, related objects by number."""
    if isinstance(value, dict):
        return value.get("value", value.get("id"))
    return value


def same(found, wanted):
    found = plain(found)
    if isinstance(wanted, float):
        return found is not None and float(found) == wanted
    return (found or None) == (wanted or None)


def changes(found, wanted):
    kept = {name for name, values in LEFT_ALONE.items() if values is None or wanted.get(name) in values}
    fields = {name: value for name, value in wanted.items() if name not in kept and not isinstance(value, list)}
    return {"id": found["id"], **{name: value for name, value in fields.items() if not same(found[name], value)}}


def need(ids, what, name):
    if name not in ids:
        sys.exit(f"NetBox has no {what} {name!r}. Create it, or export this script without its setting.")
    return ids[name]


def say(what, *counts):
    print(f"{what}: {', '.join(f'{count} {word}' for word, count in counts)}")


def create(what, path, wanted, found):
    """Creates what is missing. Returns the numbers of all by key; those of a dry run are negative."""
    new = [(key, thing) for key, thing in wanted.items() if key not in found]
    made = in_parts("POST", path, [thing for _, thing in new]) or [{"id": -at - 1} for at in range(len(new))]
    return new, {**{key: thing["id"] for key, thing in found.items()},
                 **{key: thing["id"] for (key, _), thing in zip(new, made)}}


def shared(step, path, key, convert):
    """Things that other designs may use, too; those that exist stay as they are."""
    wanted = {key(row): convert(row) for row in rows(step)}
    found = {key(thing): thing for thing in everything(path)}
    new, ids = create(step, path, wanted, found)
    say(step, ("created", len(new)), ("exist", len(wanted) - len(new)))
    return ids


def bring(what, path, wanted, found):
    """Creates and changes. A device leaves its place before another one takes it."""
    changed, moved = [], []
    for key, thing in wanted.items():
        fields = changes(found[key], thing) if key in found else {}
        if {"rack", "position", "face"} & fields.keys():
            moved.append({"id": fields["id"], "position": None, "face": ""})
            fields.update({name: thing[name] for name in ("rack", "position", "face")})
        if len(fields) > 1:
            changed.append(fields)
    in_parts("PATCH", path, moved)
    in_parts("PATCH", path, changed)
    new, ids = create(what, path, wanted, found)
    say(what, ("created", len(new)), ("changed", len(changed)), ("unchanged", len(wanted) - len(new) - len(changed)))
    return ids


def cables(path, wanted, found, names):
    """A cable with other ends than those of the design is replaced if both its ends are parts of the design."""
    at = {end: cable for cable in found for end in cable["ends"]}
    right, replaced, new = [], {}, []
    for ends, fields in wanted.items():
        cable = at.get(min(ends))
        if cable and cable["ends"] == ends:
            right.append(changes(cable, fields))
            continue
        new.append(fields)
        replaced.update({cable["id"]: cable for cable in map(at.get, ends) if cable})
    for cable in replaced.values():
        foreign = [end for end in cable["ends"] if end not in names]
        if foreign or len(cable["ends"]) != 2:
            ours = [" ".join(names[end]) for end in cable["ends"] if end in names]
            sys.exit(f"{' and '.join(ours)}: cable {cable['id']} of NetBox leads out of the design. Remove it first.")
        print("cables: between " + " and ".join(" ".join(names[end]) for end in cable["ends"]) + " is replaced")
    changed = [thing for thing in right if len(thing) > 1]
    in_parts("DELETE", path, [{"id": number} for number in replaced])
    in_parts("PATCH", path, changed)
    in_parts("POST", path, new)
    say("cables", ("created", len(new)), ("deleted", len(replaced)), ("changed", len(changed)),
        ("unchanged", len(right) - len(changed)))
    for cable in found:
        if cable["id"] not in replaced and cable["ends"] not in wanted and all(end in names for end in cable["ends"]):
            print("not in the design: cable " + " to ".join(" ".join(names[end]) for end in cable["ends"]))


def prefixes():
    wanted = {row["prefix"]: row for row in rows("prefixes")}
    found = {thing["prefix"]: thing for thing in with_any("ipam/prefixes/", "prefix", wanted) if not thing["vrf"]}
    new, _ = create("prefixes", "ipam/prefixes/", wanted, found)
    say("prefixes", ("created", len(new)), ("exist", len(wanted) - len(new)))


def owner(address):
    """The device and the interface that an address is assigned to, in words."""
    thing = address["assigned_object"]
    holder = thing.get("device") or thing.get("virtual_machine") or {}
    return f"{holder.get('name', '')} {thing.get('name') or thing.get('display')}".strip()


def is_ours(address, devices):
    holder = (address["assigned_object"] or {}).get("device")
    return address["assigned_object_type"] == "dcim.interface" and holder["id"] in devices


def known_addresses(wanted, devices):
    """The wanted addresses that NetBox has, by host. One of a device outside the design is not taken from it."""
    found = {}
    for thing in with_any("ipam/ip-addresses/", "address", wanted):
        if thing["vrf"]:
            continue
        host = thing["address"].split("/")[0]
        if host in found:
            sys.exit(f"NetBox has {host} more than once. Remove all but one.")
        if thing["assigned_object"] and not is_ours(thing, devices):
            sys.exit(f"{wanted[host]['name']}: address {thing['address']} of NetBox is assigned to {owner(thing)}, which is not in "
                     "the design. Remove it first.")
        found[host] = thing
    return found


def addresses(wanted, devices):
    """Creates and moves addresses. A device whose main address moves has none until it is given another."""
    found = known_addresses(wanted, devices)
    changed, freed = [], []
    for host, thing in found.items():
        fields = changes(thing, wanted[host]["fields"])
        if len(fields) == 1:
            continue
        changed.append(fields)
        if not fields.keys() & {"assigned_object_type", "assigned_object_id"}:
            continue
        if not thing["assigned_object"]:
            print(f"addresses: {thing['address']} was not assigned and is given to {wanted[host]['name']}")
            continue
        print(f"addresses: {thing['address']} moves from {owner(thing)} to {wanted[host]['name']}")
        device = devices[thing["assigned_object"]["device"]["id"]]
        main = [name for name in ("primary_ip4", "oob_ip") if (device.get(name) or {}).get("id") == thing["id"]]
        if main and device["id"] != wanted[host]["device"]:
            print(f"devices: {device['name']} gives up {thing['address']} as {' and '.join(main)}")
            freed.append({"id": device["id"], **dict.fromkeys(main)})
            device.update(dict.fromkeys(main))
    in_parts("PATCH", "dcim/devices/", freed)
    in_parts("PATCH", "ipam/ip-addresses/", changed)
    new, ids = create("addresses", "ipam/ip-addresses/", {host: thing["fields"] for host, thing in wanted.items()}, found)
    say("addresses", ("created", len(new)), ("changed", len(changed)), ("unchanged", len(found) - len(changed)))
    held = {thing["fields"]["assigned_object_id"] for thing in wanted.values() if thing["fields"]["assigned_object_id"] > 0}
    for thing in with_any("ipam/ip-addresses/", "interface_id", sorted(held)):
        if thing["vrf"] or thing["address"].split("/")[0] not in wanted:
            print(f"not in the design: address {thing['address']} of {owner(thing)}")
    return ids


def primaries(wanted, ids, devices):
    main = [(thing["device"], ids[host]) for host, thing in wanted.items() if thing["is_primary"]]
    new = [{"id": device, "primary_ip4": address} for device, address in main
           if not devices.get(device, {}).get("primary_ip4")]
    in_parts("PATCH", "dcim/devices/", new)
    say("primary addresses", ("set", len(new)), ("exist", len(main) - len(new)))


def number(text):
    return float(text) if text else None


def by_name(thing):
    return thing["name"]


def main():
    sites = shared("sites", "dcim/sites/", by_name, dict)
    makers = shared("manufacturers", "dcim/manufacturers/", by_name, dict)
    roles = shared("roles", "dcim/device-roles/", by_name, dict)

    def maker(thing):
        name = thing["manufacturer"]
        return name["id"] if isinstance(name, dict) else need(makers, "manufacturer", name)

    types = shared("device-types", "dcim/device-types/", lambda thing: (maker(thing), thing["model"]),
                   lambda row: {**row, "manufacturer": maker(row), "u_height": float(row["u_height"])})
    devices = rows("devices")
    site = need(sites, "site", devices[0]["site"])

    def here(path):
        return everything(path, site_id=site) if site > 0 else []

    racks = {thing["name"]: thing for thing in here("dcim/racks/")}
    new, racks = create("racks", "dcim/racks/", {row["name"]: {
        **row, "site": site, "width": int(row["width"]), "u_height": int(row["u_height"])} for row in rows("racks")}, racks)
    say("racks", ("created", len(new)), ("exist", len(rows("racks")) - len(new)))
    ids = bring("devices", "dcim/devices/", {row["name"]: {
        "name": row["name"], "site": site, "status": row["status"], "role": need(roles, "role", row["role"]),
        "device_type": need(types, "device type", (maker(row), row["device_type"])),
        "rack": need(racks, "rack", row["rack"]) if row["rack"] else None, "position": number(row["position"]),
        "face": row["face"]} for row in devices}, {thing["name"]: thing for thing in here("dcim/devices/")})
    # Types of devices may have brought interfaces.
    found = {(thing["device"]["name"], thing["name"]): thing for thing in here("dcim/interfaces/")}
    interfaces = bring("interfaces", "dcim/interfaces/", {(row["device"], row["name"]): {
        **row, "device": need(ids, "device", row["device"]), "mgmt_only": row["mgmt_only"] == "true"}
        for row in rows("interfaces")}, found)

    def end(row, side):
        return need(interfaces, "interface", (row[f"side_{side}_device"], row[f"side_{side}_name"]))

    def termination(interface):
        return [{"object_type": "dcim.interface", "object_id": interface}]

    wanted = {}
    for row in rows("cables"):
        a, b = end(row, "a"), end(row, "b")
        fields = {name: row[name] for name in ("type", "status", "label", "color", "length_unit")}
        wanted[frozenset((a, b))] = {"a_terminations": termination(a), "b_terminations": termination(b), **fields,
                                     "length": number(row["length"])}
    known = []
    for cable in here("dcim/cables/"):
        sides = cable["a_terminations"] + cable["b_terminations"]
        kinds = [end["object_id"] if end["object_type"] == "dcim.interface" else (end["object_type"], end["object_id"])
                 for end in sides]
        known.append({**cable, "ends": frozenset(kinds)})
    names = {interfaces[row["device"], row["name"]]: (row["device"], row["name"]) for row in rows("interfaces")}
    cables("dcim/cables/", wanted, known, names)
    if rows("prefixes"):
        ipam({row["name"]: ids[row["name"]] for row in devices}, interfaces, here)


def ipam(ids, interfaces, here):
    prefixes()
    devices = {thing["id"]: thing for thing in here("dcim/devices/") if thing["id"] in ids.values()}
    wanted = {row["address"].split("/")[0]: {
        "name": f"{row['device']} {row['interface']}", "device": ids[row["device"]], "is_primary": row["is_primary"] == "true",
        "fields": {"address": row["address"], "status": row["status"], "assigned_object_type": "dcim.interface",
                   "assigned_object_id": interfaces[row["device"], row["interface"]]}} for row in rows("addresses")}
    primaries(wanted, addresses(wanted, devices), devices)


main()
