"""usage: import_csv.py FOLDER

Imports netbox-*.csv of a folder on NetBox's own pages for bulk imports, as a person does, in the order of their numbers. Then
compares every cell with what NetBox has.
"""

import csv
import io
import os
import re
import sys

os.environ["DJANGO_SETTINGS_MODULE"] = "netbox.settings"
import django

django.setup()

from dcim import models
from django.contrib.auth import get_user_model
from django.test import Client
from ipam.models import IPAddress, Prefix

# Each file with the page that imports it.
STEPS = {
    "sites": (models.Site, "dcim/sites"), "manufacturers": (models.Manufacturer, "dcim/manufacturers"),
    "roles": (models.DeviceRole, "dcim/device-roles"), "device-types": (models.DeviceType, "dcim/device-types"),
    "racks": (models.Rack, "dcim/racks"), "devices": (models.Device, "dcim/devices"),
    "interfaces": (models.Interface, "dcim/interfaces"), "cables": (models.Cable, "dcim/cables"),
    "prefixes": (Prefix, "ipam/prefixes"), "addresses": (IPAddress, "ipam/ip-addresses"),
}


def end(terminations, name):
    (interface,) = terminations
    return {"site": interface.device.site.name, "device": interface.device.name, "type": "dcim.interface",
            "name": interface.name}[name]


def cell(thing, column):
    """What NetBox has in a column of an import file."""
    if column.startswith("side_"):
        side = thing.a_terminations if column[5] == "a" else thing.b_terminations
        return end(side, column[7:])
    if column in ("manufacturer", "device_type") and isinstance(thing, models.Device):
        kind = thing.device_type
        return str(kind.manufacturer) if column == "manufacturer" else kind.model
    if isinstance(thing, IPAddress) and column in ("device", "interface", "is_primary"):
        device = thing.assigned_object.device
        return {"device": device.name, "interface": thing.assigned_object.name,
                "is_primary": str(device.primary_ip4 == thing).lower()}[column]
    value = getattr(thing, column)
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if column in ("position", "length", "u_height"):
        return float(value)
    return str(value)


def main(folder):
    user = get_user_model().objects.create_superuser("importer", password="of a test, 1 use Only")
    client = Client()
    client.force_login(user)
    wrong = 0
    for step, (model, page) in STEPS.items():
        path = os.path.join(folder, f"netbox-{step}.csv")
        with open(path, encoding="utf-8", newline="") as file:
            text = file.read()
        rows = list(csv.DictReader(io.StringIO(text), strict=True))
        if rows:
            form = {"import_method": "direct", "data": text, "format": "auto", "csv_delimiter": "auto"}
            response = client.post(f"/{page}/import/", form)
            if response.status_code != 302:
                page = response.content.decode()
                errors = re.findall(r"Record \d+[^<]*|<div class=\"alert[^>]*>(?:[^<]|<(?!/div))*", page)
                sys.exit(f"NetBox refuses {path}: {response.status_code} {errors or page}")
        things = list(model.objects.order_by("pk"))
        assert len(things) == len(rows), (path, len(things), len(rows))
        for row, thing in zip(rows, things):
            for column, given in row.items():
                found = cell(thing, column)
                if (float(given) if isinstance(found, float) else given) != found:
                    wrong += 1
                    print(f"{path}: {column} of {row}: NetBox has {found!r}", file=sys.stderr)
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main(sys.argv[1])
