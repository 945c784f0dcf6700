#!/usr/bin/env python3
"""Holds `sextant eval` against tests/oracle/eval.py: every metric of every catalog, every variant
and set, over random, zero, huge and missing inputs.

compare_eval.py SEXTANT CATALOGS [ROWS [SEED [SETS]]]

SETS: how many sets of a catalog take part, chosen by the seed, each with kinds of input in turn; 0
for all of them. A catalog without sets takes part whole, with every kind. Kinds differ by rows; of
"missing" whole columns are missing, which makes a table of its own.

u64 results must be equal. f64 results must be equal bit for bit too, but for the sign of zero: both
sides form the same IEEE 754 operations in the same order, so no tolerance is needed.
"""
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import catalog_yaml
import eval as oracle
import units

KINDS = ["random", "small", "zero", "huge", "missing", "mixed"]


def names_of(catalog, metrics):
    """Columns that these metrics read, by their spelling: what the catalog says of them, and constants without a value."""
    row = oracle.Row(catalog, {})
    columns, constants, visited = {}, set(), set()

    def add(name, instance, group):
        kind, what = catalog.what(name, group)
        if kind == "metric" and instance is None:
            walk_metric(what)
        elif kind == "counter":
            head, dot, tail = what["name"].partition(".")
            spelled = what["name"] if instance is None else f"{head}[{instance}]{dot}{tail}"
            columns[spelled] = what
        elif kind == "constant":
            constants.add(what)
        else:
            columns["duration_ns"] = {}

    def walk(tree, group):
        if tree[0] == "number":
            return
        if tree[0] != "name":
            for child in tree[1]:
                walk(child, group)
        elif tree[2]:
            for i in row.instances(tree[1], tree[2], group):
                add(tree[1], i, group)
        else:
            add(tree[1], None, group)

    def walk_metric(metric):
        if id(metric) in visited:
            return
        visited.add(id(metric))
        for tree in (metric.tree, metric.condition):
            if tree:
                walk(tree, metric.group)

    for metric in metrics:
        walk_metric(metric)
    return columns, constants


def cells(rng, kind, columns):
    """A row of numbers that can be: shares of 100 percent, and as many cycles as a sample's time has."""
    out = {}
    for name, what in columns.items():
        # Times have to fit one clock, whatever else is huge.
        own = "random" if name == "duration_ns" and kind in ("huge", "mixed") else kind
        out[name] = cell(rng, own, what.get("type") == "f64")
        if what.get("unit") == "percent" and out[name]:
            out[name] = repr(float(out[name]) % 101) if what.get("type") == "f64" else str(int(out[name]) % 101)
    length = int(out.get("duration_ns") or 0)
    for name, what in columns.items():
        if what.get("unit") == "cycles" and out[name] and length:
            out[name] = repr(float(out[name]) % (40960 * length)) if what.get("type") == "f64" else str(int(out[name]) % (40960 * length))
    return [out[name] for name in columns] or [cell(rng, kind, False)]


def cell(rng, kind, is_f64):
    if kind == "mixed":
        kind = rng.choice(KINDS[:5])
    if kind == "zero" or kind == "missing" and rng.random() < 0.5:
        return "0" if kind == "zero" else ""
    if is_f64:
        return repr(rng.random() * 1e6)
    if kind == "small":
        return str(rng.randrange(8))
    if kind == "huge":
        return str(rng.choice([2**64 - 1, 2**53 + 1, rng.getrandbits(64), rng.getrandbits(60)]))
    return str(rng.getrandbits(rng.choice([8, 16, 32, 40])))


def constant_value(rng, name):
    if "Mask" in name or "mask" in name:
        return rng.choice([1, 3, 7, 63])
    if "Frequency" in name or "FREQ" in name:
        return rng.choice([12500000, 12000000, 1000000000])
    return rng.choice([1, 2, 3, 4, 24])


def same(got, expected):
    if got is None or expected is None:
        return got is None and expected is None
    return got == expected


def compare(sextant, path, kinds, rng, rows, variant, group):
    """So many rows of each kind, in one table."""
    catalog = oracle.Catalog(path, variant)
    metrics = [m for m in catalog.metrics if group is None or m.group == group]
    columns, constants = names_of(catalog, metrics)
    given = {name: constant_value(rng, name) for name in sorted(constants)
             if name not in catalog.constants or rng.random() < 0.2}
    if kinds == ["missing"]:
        columns = {n: f for n, f in columns.items() if rng.random() < 0.7} or columns
        given = {n: v for n, v in given.items() if rng.random() < 0.8}
    catalog = oracle.Catalog(path, variant, given)
    names = list(columns) or ["unused"]
    lines = [",".join(f'"{n}"' for n in names)]
    for kind in kinds * rows:
        lines.append(",".join(cells(rng, kind, columns)) or '""')  # an empty line is no row
    rows *= len(kinds)
    expected = oracle.evaluate(catalog, lines, group)
    command = [sextant, "eval", "--for", path, "--json"]
    command += ["--api", variant] if variant else []
    command += ["--set", group] if group else []
    for name, value in given.items():
        command += ["--const", f"{name}={value}"]
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
        file.write("\n".join(lines) + "\n")
        file.flush()
        done = subprocess.run(command + ["-i", file.name], capture_output=True, text=True)
    what = f"{pathlib.Path(path).stem} {variant or ''} {group or ''} {' '.join(kinds)}"
    if done.returncode not in (0, 1):
        return [f"{what}: {done.stderr.strip()}"], 0
    got = json.loads(done.stdout)
    bad = []
    if "duration_ns" in names:  # what has times gets them back, in front
        if got["metrics"][:2] != ["begin_ns", "end_ns"]:
            return [f"{what}: no times"], 0
        for key in ("metrics", "units"):
            del got[key][:2]
        got["rows"] = [row[2:] for row in got["rows"]]
    if len(got["metrics"]) != len(expected["metrics"]) or len(got["rows"]) != rows:
        return [f"{what}: {len(got['metrics'])} metrics, expected {len(expected['metrics'])}"], 0
    for i, (have, want) in enumerate(zip(got["metrics"], expected["metrics"])):
        if have != want and not have.endswith("." + want):
            bad.append(f"{what}: column {i} is {have}, expected {want}")
        unit = expected["units"][i]
        if got["units"][i] != (units.base(unit)[0] or None):
            bad.append(f"{what}: {have} is in {got['units'][i]}, expected {units.base(unit)[0]}")
        for r in range(rows):
            want = units.to_base(expected["rows"][r][i], unit)
            if not same(got["rows"][r][i], want):
                bad.append(f"{what}: {have}, row {r}: {got['rows'][r][i]!r}, expected {want!r}")
                break
    return bad, len(expected["metrics"]) * rows


def main():
    sextant, root = sys.argv[1:3]
    rows = int(sys.argv[3]) if len(sys.argv) > 3 else 6
    rng = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else 1)
    os.environ["NO_COLOR"] = "1"
    bad, values = [], 0
    some = int(sys.argv[5]) if len(sys.argv) > 5 else 3
    for path in catalog_yaml.paths(pathlib.Path(root).parent):
        catalog = oracle.Catalog(path)
        if not catalog.metrics:
            continue
        variants = [v["name"] for v in catalog.doc.get("variants", [])] or [None]
        sets = [g["name"] for g in catalog.doc.get("groups", []) if g.get("kind") == "set"]
        if some and len(sets) > some:
            sets = rng.sample(sets, some)
        for variant in variants:
            for at, group in enumerate(sets or [None]):
                kinds = KINDS[:] if group is None else ["random", KINDS[1 + at % (len(KINDS) - 1)]]
                tables = [["missing"]] if "missing" in kinds else []
                tables.append([kind for kind in kinds if kind != "missing"])
                for kinds in tables:
                    found, count = compare(sextant, str(path), kinds, rng, rows, variant, group)
                    bad += found
                    values += count
    for line in bad[:40]:
        print(line)
    print(f"{values} values compared, {len(bad)} metrics differ")
    sys.exit(1 if bad or not values else 0)


if __name__ == "__main__":
    main()
