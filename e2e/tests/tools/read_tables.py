"""usage: read_tables.py JSON CSV... | read_tables.py same CSV XLSX CSV

Reads tables with pandas as anyone would, without options. The first form checks that they are tables, and the cables
against the JSON export. The second form checks that a spreadsheet and what it was saved as have the cells of a table.
"""

import csv
import json
import sys

import pandas


def read(path):
    frame = pandas.read_csv(path)
    with open(path, encoding="utf-8", newline="") as file:
        header, *lines = csv.reader(file, strict=True)
    assert header == list(frame.columns), (path, header)
    assert all(name and name == name.strip() and not name.startswith("#") for name in header), (path, header)
    assert all(len(line) == len(header) for line in lines), path
    assert len(frame) == len(lines), (path, len(frame))
    return frame


def tables(document, paths):
    cables = document["cables"]
    for path in paths:
        frame = read(path)
        columns = set(frame.columns)
        if {"pe", "ni", "switch", "port"} <= columns:
            frame = frame.sort_values(["pe", "ni"])
            assert len(frame) == len(cables), path
            for column, key in [("pe", "pe"), ("ni", "ni"), ("switch", "switch"), ("port", "port"), ("pe_id", "pe_end"),
                                ("switch_id", "switch_end"), ("length_m", "length_m")]:
                assert list(frame[column]) == [cable[key] for cable in cables], (path, column)
        if "side_a_device" in columns:
            assert len(frame) == len(cables), path
            assert list(frame["length"]) == [cable["length_m"] for cable in cables], path
            assert set(frame["side_a_site"]) == {document["name"]}, path
    assert sum(path.endswith("-cables.csv") for path in paths) == 2, paths


def same(original, spreadsheet, saved):
    with open(original, encoding="utf-8", newline="") as file:
        cells = list(csv.reader(file))

    def value(text):
        try:
            return float(text)
        except ValueError:
            return text or None

    expected = [[value(cell) for cell in line] for line in cells]
    with open(saved, encoding="utf-8", newline="") as file:
        found = [[value(cell) for cell in line] for line in csv.reader(file)]
    assert found == expected, (saved, found)
    frame = pandas.read_excel(spreadsheet, header=None, keep_default_na=False, na_values=[])
    found = [[value(str(cell)) for cell in line] for line in frame.itertuples(index=False)]
    assert found == expected, (spreadsheet, found)


if sys.argv[1] == "same":
    same(*sys.argv[2:])
else:
    tables(json.load(open(sys.argv[1], encoding="utf-8")), sys.argv[2:])
