"""usage: read_tables.py JSON CSV... | same CSV XLSX CSV | fill XLSX XLSX | bill CSV XLSX FOLDER

Reads tables with pandas as anyone would, without options. The first form checks that they are tables, and the cables
against the JSON export. The second form checks that a spreadsheet and what it was saved as have the cells of a table. The third writes prices into a bill that has none, and leaves
its formulas without results; the fourth checks that the bill as written, and its two sheets as LibreOffice computed
them from the filled one, agree with the bill as a table.
"""

import csv
import json
import os
import sys

import openpyxl
import pandas

PRICE = 2.5


def read(path):
    frame = pandas.read_csv(path)
    with open(path, encoding="utf-8", newline="") as file:
        header, *lines = csv.reader(file, strict=True)
    # pandas numbers the repeated titles of NVIDIA's point-to-point table.
    repeats = [header[:place].count(title) for place, title in enumerate(header)]
    titles = [f"{title}.{repeat}" if repeat else title for title, repeat in zip(header, repeats)]
    assert titles == list(frame.columns), (path, header)
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
                                ("switch_id", "switch_end"), ("length_m", "length_m"), ("interface", "interface"),
                                ("switchport", "switchport")]:
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


def fill(original, filled):
    book = openpyxl.load_workbook(original)
    for unit in book["To buy"]["F"][1:-1]:
        unit.value = PRICE if unit.value is None else unit.value
    book.save(filled)


def bill(table, workbook, folder):
    rows = read(table).astype(object).fillna("")
    found = pandas.read_excel(workbook, sheet_name=None, keep_default_na=False, na_values=[""])
    computed = {name: read(os.path.join(folder, f"filled-{name}.csv")) for name in found}
    for sheets in found, computed:
        racks = sheets["By rack"].astype(object).fillna("")
        expected = rows[rows["rack"] != "spare"][["rack", "part", "kind", "quantity"]].values.tolist()
        assert sorted(racks.values.tolist()) == sorted(expected), racks
    for sheets, price in (found, None), (computed, PRICE):
        *parts, last = sheets["To buy"].to_dict("records")
        total = 0
        for row in parts:
            kind = "" if pandas.isna(row["kind"]) else row["kind"]
            same = rows[(rows["part"] == row["part"]) & (rows["kind"] == kind)]
            is_spare = same["rack"] == "spare"
            assert row["in racks"] == same["quantity"][~is_spare].sum(), row
            assert row["spare"] == same["quantity"][is_spare].sum(), row
            assert row["quantity"] == same["quantity"].sum(), row
            (unit,) = set(same["unit_price"])
            unit = unit or price
            assert row["unit price"] == unit if unit else pandas.isna(row["unit price"]), row
            expected = row["quantity"] * unit if unit else None
            assert row["price"] == (expected or 0), row
            total += expected or 0
        assert len(parts) == len(rows[["part", "kind"]].drop_duplicates()) and last["price"] == total, (last, total)
        assert last["part"] == ("sum" if price else "sum of the known prices"), last


if sys.argv[1] in ("same", "fill", "bill"):
    {"same": same, "fill": fill, "bill": bill}[sys.argv[1]](*sys.argv[2:])
else:
    tables(json.load(open(sys.argv[1], encoding="utf-8")), sys.argv[2:])
