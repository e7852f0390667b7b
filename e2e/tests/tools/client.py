"""Runs the main job with a generated client: starts a search, follows it, fetches exports. Usage: client.py CLIENT URL SPEC."""

import importlib
import json
import pathlib
import sys

folder, url, spec = sys.argv[1:]
sys.path.insert(0, str(pathlib.Path(folder).parent))
name = pathlib.Path(folder).name
client = importlib.import_module(name).Client(base_url=url, raise_on_unexpected_status=True)
models = importlib.import_module(f"{name}.models")
spec = pathlib.Path(spec).read_text()


def call(operation, *arguments, via=client, status=200, **named):
    """The parsed response of an operation."""
    module = importlib.import_module(f"{name}.api.{operation}")
    answer = module.sync_detailed(*arguments, client=via, **named)
    assert answer.status_code == status, (operation, answer.status_code, answer.content)
    return answer.parsed


def same(operation):
    """Checks that a parsed response has every field that was sent."""
    parsed = call(operation)
    module = importlib.import_module(f"{name}.api.{operation}")
    sent = json.loads(module.sync_detailed(client=client).content)
    items = parsed if isinstance(parsed, list) else [parsed]
    sent = sent if isinstance(sent, list) else [sent]
    assert [item.to_dict() for item in items] == sent, operation


for operation in ["version.version", "exports.exports_list", "exports.fabrics_list", "gallery.gallery_list", "help_.help_list"]:
    same(operation)

demand = call("demand.demand_count", body=models.SpecText(spec=spec))

# Start, follow, get.
request = models.StartWork.from_dict({"kind": "search", "spec": spec, "form": {"budget.seconds": "5", "seed": "1"}})
search = call("work.work_start", body=request, x_crosspoint_edit="a" * 32, status=201)
events = call("work.work_events_follow", search.id)
kinds = [line.removeprefix("event: ") for line in events.splitlines() if line.startswith("event: ")]
last = json.loads([line for line in events.splitlines() if line.startswith("data: ")][-1].removeprefix("data: "))
assert kinds[0] == kinds[-1] == "work" and last["state"] not in ["queued", "running"], (kinds, last["state"])
ended = models.WorkViewSearchReport.from_dict(call("work.work_get", search.id).to_dict())
assert ended.id == search.id and ended.state == last["state"], ended
progress = ended.report.progress
assert demand.pairs >= 8 and (progress.best, progress.covered) == (0, 1.0), (demand.pairs, progress)
table = call("work.work_table", search.id)
assert call("work.work_replay", search.id).frames, "no wirings on the way"
stopped = call("work.work_stop", search.id, x_crosspoint_edit="a" * 32)
assert stopped.id == search.id, stopped
picture = call("work.work_preview_png_search_picture", search.id)
assert picture.payload.read(4) == b"\x89PNG"

# Exports of a design that is not saved, and of a saved one.
wanted = models.ExportRequest(spec=spec, table=table)
cables = call("exports.exports_export", "cables", body=wanted).payload.read()
assert cables.count(b"\n") > 1, cables
design = call("designs.designs_save", body=models.SaveDesign(spec=spec, table=table), status=201)
assert call("designs.designs_get", design.id).table == design.table == table
assert call("designs.designs_exports_export", design.id, "cables").payload.read() == cables
bad = call("exports.exports_export", "no-such-format", body=wanted, status=404)
assert isinstance(bad, models.Problem) and bad.status == 404, bad

# Items of tuples keep their types.
routes = call("analysis.routes", body=models.RoutesRequest(spec=spec, table=table, from_=0, to=1))
assert routes.to_dict(), routes
waiting = models.StartWork(kind=models.WorkKind.ANALYSIS, spec=spec, table=table)
analysis = call("work.work_start", body=waiting, prefer="wait=20")
assert analysis.report["result"], analysis
sys.stdout.buffer.write(cables)
