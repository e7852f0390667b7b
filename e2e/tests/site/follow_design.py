"""usage: follow_design.py

Runs the exported scripts of netbox-api against NetBox: first.py into an empty one, then after changes that people make. Afterwards
NetBox must have what the import files next to it say.
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
from import_csv import cell
from users.models import Token

URL = "http://127.0.0.1:8000"
MODELS = {"devices": models.Device, "interfaces": models.Interface, "cables": models.Cable}


def run(script, token, *words, refused=False):
    env = {**os.environ, "NETBOX_URL": URL, "NETBOX_TOKEN": token}
    done = subprocess.run([sys.executable, f"/mnt/{script}.py", *words], env=env, capture_output=True, text=True)
    print(f"--- {script} {' '.join(words)}\n{done.stdout}{done.stderr}")
    assert (done.returncode != 0) == refused, done.returncode
    return done.stderr if refused else done.stdout


def wanted(step):
    with open(f"/mnt/netbox-{step}.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, strict=True))


def interface(device, name):
    return models.Interface.objects.get(device__name=device, name=name)


def cable_of(row):
    return interface(row["side_a_device"], row["side_a_name"]).cable


def thing(step, row):
    if step == "cables":
        return cable_of(row)
    if step == "devices":
        return models.Device.objects.get(name=row["name"])
    return interface(row["device"], row["name"])


def check(*but):
    """Every cell of the import files, but those of some columns, is in NetBox, and nothing else is."""
    for step, model in MODELS.items():
        rows = wanted(step)
        assert model.objects.count() == len(rows), (step, model.objects.count(), len(rows))
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
    check()
    assert nothing_is_done(run("first", tokens[0])) and nothing_is_done(run("first", tokens[1], "--dry-run"))
    check()
    said = run("first", "nbt_wrong.token", refused=True)
    assert "403" in said or "401" in said, said

    # People build: what they say of statuses and types stays, or is what the settings say.
    models.Device.objects.update(status="active")
    models.Interface.objects.update(type="100gbase-x-qsfp28")
    models.Site.objects.update(status="active")
    mine = [("devices", "status"), ("interfaces", "type")]
    assert nothing_is_done(run("first", tokens[1]))
    check(*mine)
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
    check(*mine)
    assert nothing_is_done(run("rated", tokens[1]))

    # A cable too many is told of, and one that leads elsewhere is not touched.
    free = [port for port in models.Interface.objects.filter(cable=None).order_by("pk")][:2]
    plug(*free)
    said = run("rated", tokens[1])
    assert "not in the design: cable " in said and f"{free[0].device.name} {free[0].name}" in said, said
    models.Cable.objects.get(pk=models.Interface.objects.get(pk=free[0].pk).cable.pk).delete()
    device = models.Device.objects.first()
    other = models.Device(name="other", site=device.site, role=device.role, device_type=device.device_type)
    other.save()
    outside = models.Interface(device=other, name="x", type="other")
    outside.save()
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
