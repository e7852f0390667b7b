"""usage: read_graph.py design GRAPHML JSON | read_graph.py network GRAPHML LINKS

Reads a graph with networkx and compares every node, edge and attribute with another export of the same source.
"""

import json
import sys

import networkx


def design(graph, document):
    assert graph.graph["name"] == document["name"], graph.graph
    paints = {switch["name"]: switch["paint"] for switch in document["switches"]}
    nodes = {}
    for kind, part in [("pe", "pes"), ("switch", "switches")]:
        for entry in document[part]:
            node = {"kind": kind, "number": entry[kind], "rack": entry["rack"], "unit": entry["unit"]}
            if kind == "switch":
                node["ports"] = entry["ports"]
            nodes[entry["name"]] = node
    assert dict(graph.nodes(data=True)) == nodes, dict(graph.nodes(data=True))
    names = {kind: [entry["name"] for entry in document[part]] for kind, part in [("pe", "pes"), ("switch", "switches")]}
    cables = {}
    for cable in document["cables"]:
        switch = names["switch"][cable["switch"]]
        cables[names["pe"][cable["pe"]], switch] = {
            "ni": cable["ni"],
            "port": cable["port"],
            "interface": cable["interface"],
            "switchport": cable["switchport"],
            "colour": paints[switch],
            "length": cable["length_m"],
        }
    assert len(cables) == len(document["cables"])
    edges = {(a, b): data for a, b, data in graph.edges(data=True)}
    assert edges == cables, edges


def network(graph, links):
    kinds, edges = {}, []
    for line in links.splitlines():
        first, *rest = line.split()
        if first in ("host", "switch"):
            kinds.update({name: first for name in rest})
        elif first != "#":
            trunk = {"trunk": True} if rest[1:] == ["trunk"] else {}
            speed = {"speed": float(rest[1])} if rest[1:] and not trunk else {}
            edges.append((frozenset((first, rest[0])), trunk | speed))
    assert {name: data["kind"] for name, data in graph.nodes(data=True)} == kinds
    found = [(frozenset((a, b)), data) for a, b, data in graph.edges(data=True)]
    order = lambda edge: (sorted(edge[0]), sorted(edge[1]))
    assert sorted(found, key=order) == sorted(edges, key=order) and edges, found


kind, graph, other = sys.argv[1:]
graph = networkx.read_graphml(graph)
text = open(other, encoding="utf-8").read()
design(graph, json.loads(text)) if kind == "design" else network(graph, text)
