import csv
import json
import os
import sys
import urllib.error
import urllib.parse
import urllib.request

BULK = 200
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
scheme = "Bearer" if token.startswith("nbt_") else "Token"


def call(method, path, body=None):
    url = path if path.startswith("http") else f"{base}/api/{path}"
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": f"{scheme} {token}", "Content-Type": "application/json", "Accept": "application/json"}
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data, headers, method=method), timeout=300) as answer:
            text = answer.read()
            return json.loads(text) if text else None
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


def in_parts(method, path, things):
    if dry:
        return []
    parts = [things[at:at + BULK] for at in range(0, len(things), BULK)]
    return [thing for part in parts for thing in call(method, path, part) or []]


def everything(path, **filters):
    url = f"{path}?{urllib.parse.urlencode({'limit': 1000, 'ordering': 'id', **filters})}"
    while url:
        page = call("GET", url)
        yield from page["results"]
        url = page["next"]


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
        **row, "device": need(ids, "device", row["device"])} for row in rows("interfaces")}, found)

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


main()
