#!/usr/bin/env python3
"""export --join: rows of one device beside those of another, worked out a second time."""
import json
import os
import sys
import tempfile

from command import Command

SEXTANT = os.environ["SEXTANT"]
run = Command(SEXTANT, code=0)


def rows_of(document):
    return [dict(zip(document["metrics"], row)) for row in document["rows"]]


def share(row, begin, end):
    """Which part of a row lies within a span."""
    since, until = max(row["begin_ns"], begin), min(row["end_ns"], end)
    return max(until - since, 0) / (row["end_ns"] - row["begin_ns"])


def check(folder):
    capture = os.path.join(folder, "two.sxc")
    run("record", "-d", "mali-g310,mali-g625", "-I", "30ms", "-t", "500ms", "-o", capture)
    tables = json.loads(run("export", capture, "--counters", "--json").stdout)["devices"]
    first, other = (rows_of(t) for t in tables)
    joined = json.loads(run("export", capture, "--counters", "--join", "--json").stdout)
    assert joined["simulated"] is True
    joined, = joined["devices"]
    rows = rows_of(joined)
    assert len(rows) == len(first)
    name = "MaliGPUCyclesGPUActive"
    prefix = next(c for c in joined["metrics"] if c.endswith("." + name))[:-len(name)]
    compared = 0
    for row, own in zip(rows, first):
        begin, end = own["begin_ns"], own["end_ns"]
        assert row["begin_ns"] == begin and row[name] == own[name]
        shares = [(r, share(r, begin, end)) for r in other]
        covered = sum(s * (r["end_ns"] - r["begin_ns"]) for r, s in shares) / (end - begin)
        have = row[prefix + name]
        if covered < 0.5:
            assert have is None
            continue
        want = sum(r[name] * s for r, s in shares)
        if covered < 0.999:
            want /= covered
            assert "multiplexed" in row["quality"], row["quality"]
        assert abs(have - want) <= 1e-9 * want, (have, want)
        compared += 1
    assert compared >= 1, compared
    print(f"{compared} of {len(rows)} rows equal")
    # Metrics of the other are derived from its counters over these rows.
    text = run("export", capture, "--join", "-m", "gpu_active_cycles", "--csv").stdout
    assert prefix + "gpu_active_cycles" in text.splitlines()[0], text.splitlines()[0]


def check_names(folder):
    """What --join writes is understood wherever a metric is named: behind its device's source, its catalog, or its number."""
    capture = os.path.join(folder, "three.sxc")
    run("record", "-d", "mali-g310,mali-g625,cpu", "-I", "30ms", "-t", "500ms", "-o", capture)
    whole = {m["device"]: m["mean"] for m in run.document("report", capture, "-m", "cpu_busy,gpu_active_cycles")["metrics"]}
    for name, device in (("cpu.cpu_busy", 2), ("CPU.cpu_busy", 2), ("cpu#2.cpu_busy", 2), ("mali_model#1.gpu_active_cycles", 1), ("mali-g310.gpu_active_cycles", 0)):
        metric, = run.document("report", capture, "-m", name)["metrics"]
        assert (metric["device"], metric["mean"]) == (device, whole[device]), (name, metric)
        gate, = run.document("report", capture, "--gate", f"{name}>=0")["gates"]
        assert gate["passed"] is True and gate["value"] == whole[device], gate
        by, = run.document("report", capture, "--by", "time", "-I", "200ms", "--sort", "+" + name, "-m", name)["devices"]
        values = [value for group in by["groups"] for value in group["values"].values() if value is not None]  # none of a short rest
        assert by["id"] == device and values == sorted(values) and len(values) > 1, by
    gate, = run.document("diff", capture, capture, "--gate", "cpu.cpu_busy.max>=0")["gates"]
    assert gate["passed"] is True, gate
    for name in ("cpu#1.cpu_busy", "nvml.cpu_busy", "cpu.", "cpu.nothing"):
        assert run("report", capture, "-m", name, code=3).stderr.startswith(f"error: no metric or counter {name}"), name


def check_joined_names(folder):
    """The columns of --join have names that it takes, and units that are read back."""
    capture, table = os.path.join(folder, "three.sxc"), os.path.join(folder, "joined.csv")
    joined, = run.document("export", capture, "--join")["devices"]
    at = joined["metrics"].index("cpu.cpu_busy")
    for wanted in (["cpu.cpu_busy"], ["gpu_active_cycles", "cpu.cpu_busy"]):  # of the first device there may be rows alone
        part, = run.document("export", capture, "--join", "-m", ",".join(wanted))["devices"]
        own = [name for name in part["metrics"] if name in wanted]
        assert own == wanted, part["metrics"]
        assert [row[part["metrics"].index("cpu.cpu_busy")] for row in part["rows"]] == [row[at] for row in joined["rows"]]
    assert max(row[at] or 0 for row in joined["rows"]) <= 100
    run("export", capture, "--join", "-o", table)
    read, = [m for m in run.document("report", table)["metrics"] if m["name"] == "cpu.cpu_busy"]
    assert read["unit"] == "percent", read
    live, = run.document("stat", "-d", "mali-g310,cpu", "-t", "100ms", "-m", "cpu.cpu_busy")["metrics"]
    assert (live["name"], live["device"]) == ("cpu_busy", 1), live


def check_constants(folder):
    """What the devices are comes out beside their rows: the first one's by name, what others have otherwise or alone behind their prefix, and told."""
    capture = os.path.join(folder, "three.sxc")
    first, second, cpu = (d["constants"] for d in run.document("capture", "info", capture)["devices"])
    want = dict(first, **{"mali_model#1." + name: value for name, value in second.items() if first.get(name) != value}, **{"cpu." + name: value for name, value in cpu.items()})
    assert len(want) > len(first) + len(cpu) and len(want) < len(first) + len(second) + len(cpu), want
    done = run("export", capture, "--join", "--json")
    joined, = json.loads(done.stdout)["devices"]
    assert joined["constants"] == want, joined["constants"]
    assert "constants are not the same for all devices" in " ".join(done.stderr.split()), done.stderr
    for form in ("csv", "ndjson"):
        table = os.path.join(folder, "constants." + form)
        run("export", capture, "--join", "-f", form, "-o", table)
        device, = run.document("export", table, "--for", "mali-g310")["devices"]
        columns = dict(zip(device["metrics"], device["rows"][0]))
        for name, value in want.items():
            assert device["constants"].get(name, columns.get(name)) == value, (form, name, value, columns)


def mistakes(folder):
    capture = os.path.join(folder, "one.sxc")
    run("record", "-d", "mali-g310", "-I", "30ms", "-t", "100ms", "-o", capture)
    done = run("export", capture, "--join", code=2)
    assert "nothing to join" in done.stderr and "try:" in done.stderr


with tempfile.TemporaryDirectory() as where:
    mistakes(where)
    check(where)
    check_names(where)
    check_joined_names(where)
    check_constants(where)
sys.exit(0)
