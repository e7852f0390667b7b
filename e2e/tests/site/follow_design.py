"""usage: follow_design.py

Runs the exported scripts of netbox-api against NetBox: first.py into an empty one, then others after changes that people make.
Afterwards NetBox must have what the import files in the folder of the script's name say.
"""

import csv
import os
import subprocess
import sys
import time
import urllib.request

sys.path.insert(0, "/mnt")
os.environ["DJANGO_SETTINGS_MODULE"] = "netbox.settings"
import django

django.setup()

from dcim import models
from django.contrib.auth import get_user_model
from import_csv import STEPS, cell
from ipam.models import VRF, IPAddress, Prefix
from users.models import Token

URL = "http://127.0.0.1:8000"


def run(script, token, *words, refused=False):
    env = {**os.environ, "NETBOX_URL": URL, "NETBOX_TOKEN": token}
    done = subprocess.run([sys.executable, f"/mnt/{script}.py", *words], env=env, capture_output=True, text=True)
    print(f"--- {script} {' '.join(words)}\n{done.stdout}{done.stderr}")
    assert (done.returncode != 0) == refused, done.returncode
    return done.stderr if refused else done.stdout


def wanted(step, script="first"):
    with open(f"/mnt/{script}/netbox-{step}.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, strict=True))


def interface(device, name):
    return models.Interface.objects.get(device__name=device, name=name)


def cable_of(row):
    return interface(row["side_a_device"], row["side_a_name"]).cable


def host(row):
    return row["address"].split("/")[0]


def address(row):
    return IPAddress.objects.get(address__net_host=host(row), vrf=None)


def thing(step, row):
    if step == "cables":
        return cable_of(row)
    if step == "devices":
        return models.Device.objects.get(name=row["name"])
    if step == "prefixes":
        return Prefix.objects.get(prefix=row["prefix"], vrf=None)
    if step == "addresses":
        return address(row)
    return interface(row["device"], row["name"])


def check(script, *but, others={}):
    """Every cell of the import files, but those of some columns, is in NetBox, and nothing else is but so many others."""
    steps = [name.removeprefix("netbox-").removesuffix(".csv") for name in os.listdir(f"/mnt/{script}")]
    assert {"devices", "interfaces", "cables"} <= set(steps), steps
    for step in steps:
        rows, count = wanted(step, script), STEPS[step][0].objects.count()
        assert count == len(rows) + others.get(step, 0), (step, count, len(rows), others)
        for row in rows:
            for column, given in row.items():
                if (step, column) in but:
                    continue
                found = cell(thing(step, row), column)
                assert (float(given) if isinstance(found, float) else given) == found, (step, row, column, found)


def plug(a, b):
    models.Cable(a_terminations=[a], b_terminations=[b], status="connected").save()


def nothing_is_done(said):
    counts = [word for line in said.splitlines() for word in line.split(": ", 1)[1].split(", ")]
    return all(word.startswith("0 ") for word in counts if word.split()[1] not in ("exist", "unchanged"))


def hold(held, address, is_primary=True):
    """Assigns an address to an interface. A device with it as its primary one has none before, as NetBox asks."""
    models.Device.objects.filter(primary_ip4=address).update(primary_ip4=None)
    address = IPAddress.objects.get(pk=address.pk)
    address.assigned_object = held
    address.full_clean()
    address.save()
    if is_primary:
        models.Device.objects.filter(pk=held.device.pk).update(primary_ip4=address)


def follow_addresses(token, mine):
    assert not IPAddress.objects.exists() and not Prefix.objects.exists()
    rows = wanted("addresses", "routed")
    run("routed", token, "--dry-run")
    assert not IPAddress.objects.exists() and not Prefix.objects.exists()
    said = run("routed", token)
    assert f"addresses: {len(rows)} created, 0 changed, 0 unchanged" in said, said
    assert f"primary addresses: {len(rows)} set, 0 exist" in said, said
    check("routed", *mine)
    assert nothing_is_done(run("routed", token)) and nothing_is_done(run("routed", token, "--dry-run"))

    # Two nodes have each other's addresses, one address has another mask, one is assigned to nothing, and one is in use.
    held = [interface(row["device"], row["interface"]) for row in rows]
    first, second = address(rows[0]), address(rows[1])
    models.Device.objects.filter(pk__in=[held[0].device.pk, held[1].device.pk]).update(primary_ip4=None)
    hold(held[1], first)
    hold(held[0], second)
    IPAddress.objects.filter(pk=address(rows[2]).pk).update(address=f"{host(rows[2])}/24")
    models.Device.objects.filter(pk=held[3].device.pk).update(primary_ip4=None)
    hold(None, address(rows[3]), is_primary=False)
    IPAddress.objects.filter(pk=address(rows[4]).pk).update(status="active")
    # The same address in a VRF is another one.
    vrf = VRF(name="elsewhere")
    vrf.save()
    IPAddress(address=rows[0]["address"], vrf=vrf).save()
    for words in (["--dry-run"], []):
        said = run("routed", token, *words)
        assert said.count(" moves from ") == 2 and said.count(" was not assigned ") == 1, said
        assert said.count(" gives up ") == 2, said
        assert f"addresses: 0 created, 4 changed, {len(rows) - 4} unchanged" in said, said
        assert f"primary addresses: 3 set, {len(rows) - 3} exist" in said, said
    assert str(address(rows[4]).status) == "active"
    mine.append(("addresses", "status"))
    check("routed", *mine, others={"addresses": 1})
    assert nothing_is_done(run("routed", token))

    # A primary address stays, and one that the design does not have is told of.
    own = IPAddress(address="172.16.0.1/24", assigned_object=held[5])
    own.save()
    models.Device.objects.filter(pk=held[5].device.pk).update(primary_ip4=own)
    said = run("routed", token)
    assert f"not in the design: address 172.16.0.1/24 of {rows[5]['device']} {rows[5]['interface']}" in said, said
    assert models.Device.objects.get(pk=held[5].device.pk).primary_ip4 == own
    own.delete()
    assert "primary addresses: 1 set" in run("routed", token)

    # An address of a device outside the design is not touched.
    device = models.Device.objects.first()
    other = models.Device(name="other", site=device.site, role=device.role, device_type=device.device_type)
    other.save()
    outside = models.Interface(device=other, name="x", type="other")
    outside.save()
    hold(outside, address(rows[0]), is_primary=False)
    said = run("routed", token, refused=True)
    assert f"{rows[0]['device']} {rows[0]['interface']}: address {rows[0]['address']} of NetBox is assigned to other x" in said, said
    assert address(rows[0]).assigned_object == outside
    address(rows[0]).delete()
    said = run("routed", token)
    assert "addresses: 1 created" in said and "primary addresses: 1 set" in said, said
    others = {"addresses": 1, "devices": 1, "interfaces": 1}
    check("routed", *mine, others=others)

    # The other form takes what it needs from this one.
    run("rdma", token)
    mine.append(("addresses", "is_primary"))
    for step, name in [("addresses", host), ("prefixes", lambda row: row["prefix"]),
                       ("interfaces", lambda row: (row["device"], row["name"]))]:
        before, now = ({name(row) for row in wanted(step, form)} for form in ("routed", "rdma"))
        assert before & now, step
        others[step] = others.get(step, 0) + len(before - now)
    check("rdma", *mine, others=others)
    assert "addresses: 0 created, 0 changed" in run("rdma", token)


def main():
    user = get_user_model().objects.create_superuser("importer", password="of a test, 1 use Only")
    old = Token(user=user, version=1)
    old.save()
    new = Token(user=user, version=2)
    new.save()
    tokens = [old.token, f"nbt_{new.key}.{new.token}"]
    for _ in range(120):
        try:
            urllib.request.urlopen(f"{URL}/login/").read()
            break
        except OSError:
            time.sleep(0.5)

    run("first", tokens[1], "--dry-run")
    assert not models.Site.objects.exists() and not models.Device.objects.exists()
    run("first", tokens[1])
    check("first")
    assert nothing_is_done(run("first", tokens[0])) and nothing_is_done(run("first", tokens[1], "--dry-run"))
    check("first")
    said = run("first", "nbt_wrong.token", refused=True)
    assert "403" in said or "401" in said, said

    # People build: what they say of statuses and types stays, or is what the settings say.
    models.Device.objects.update(status="active")
    models.Interface.objects.update(type="100gbase-x-qsfp28")
    models.Site.objects.update(status="active")
    mine = [("devices", "status"), ("interfaces", "type")]
    assert nothing_is_done(run("first", tokens[1]))
    check("first", *mine)
    said = run("rated", tokens[1])
    cables = wanted("cables")
    assert f"cables: 0 created, 0 deleted, {len(cables)} changed, 0 unchanged" in said, said
    assert nothing_is_done(run("rated", tokens[1]))
    mine.append(("cables", "type"))

    # Two cables and two devices are in each other's places.
    pairs = [(cables[0], cables[3])]
    ends = [[interface(row[f"side_{side}_device"], row[f"side_{side}_name"]) for side in "ab"] for row in pairs[0]]
    for row in pairs[0]:
        cable_of(row).delete()
    ends = [[models.Interface.objects.get(pk=end.pk) for end in both] for both in ends]
    plug(ends[0][0], ends[1][1])
    plug(ends[1][0], ends[0][1])
    placed = [row["name"] for row in wanted("devices") if row["position"]][:2]
    low, high = (models.Device.objects.get(name=name) for name in placed)
    places = low.position, high.position
    models.Device.objects.filter(pk=low.pk).update(position=None)
    models.Device.objects.filter(pk=high.pk).update(position=places[0])
    models.Device.objects.filter(pk=low.pk).update(position=places[1])
    said = run("rated", tokens[1], "--dry-run")
    assert said.count(" is replaced") == 2, said
    said = run("rated", tokens[1])
    assert "devices: 0 created, 2 changed" in said and "cables: 2 created, 2 deleted" in said, said
    check("first", *mine)
    assert nothing_is_done(run("rated", tokens[1]))

    follow_addresses(tokens[1], [("devices", "status")])

    # A cable too many is told of, and one that leads elsewhere is not touched.
    free = [port for port in models.Interface.objects.filter(cable=None).order_by("pk")][:2]
    plug(*free)
    said = run("rated", tokens[1])
    assert "not in the design: cable " in said and f"{free[0].device.name} {free[0].name}" in said, said
    models.Cable.objects.get(pk=models.Interface.objects.get(pk=free[0].pk).cable.pk).delete()
    outside = models.Interface.objects.get(device__name="other")
    cable_of(cables[0]).delete()
    plug(interface(cables[0]["side_a_device"], cables[0]["side_a_name"]), outside)
    said = run("rated", tokens[1], refused=True)
    assert f"{cables[0]['side_a_device']} {cables[0]['side_a_name']}: cable" in said, said
    assert cable_of(cables[0]) is not None
    print("NetBox has followed")


server = subprocess.Popen(["/opt/netbox/bin/netbox", "runserver", "--insecure", "--noreload", "127.0.0.1:8000"],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
try:
    main()
finally:
    server.kill()
