"""Compares two Ignition configurations, whose files may be written in several ways.

usage: read_ignition.py EXPECTED < MADE
"""

import base64
import gzip
import json
import sys
import urllib.parse


def contents(value):
    """The same with the bytes of each file in place of its address."""
    if isinstance(value, list):
        return [contents(inside) for inside in value]
    if not isinstance(value, dict):
        return value
    if not str(value.get("source", "")).startswith("data:"):
        return {key: contents(inside) for key, inside in value.items()}
    head, data = value["source"].split(",", 1)
    text = base64.b64decode(data) if head.endswith(";base64") else urllib.parse.unquote_to_bytes(data)
    return gzip.decompress(text) if value.get("compression") == "gzip" else text


made = contents(json.load(sys.stdin))
with open(sys.argv[1], encoding="utf-8") as file:
    expected = contents(json.load(file))
assert made == expected, f"{made}\nis not\n{expected}"
