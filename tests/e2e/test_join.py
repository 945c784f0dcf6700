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


def mistakes(folder):
    capture = os.path.join(folder, "one.sxc")
    run("record", "-d", "mali-g310", "-I", "30ms", "-t", "100ms", "-o", capture)
    done = run("export", capture, "--join", code=2)
    assert "nothing to join" in done.stderr and "try:" in done.stderr


with tempfile.TemporaryDirectory() as where:
    mistakes(where)
    check(where)
sys.exit(0)
