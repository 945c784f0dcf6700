#!/usr/bin/env python3
"""Holds `sextant eval` against an evaluator of its own for every metric of every Intel chipset.

usage: intel_all.py SEXTANT FOLDER

Catalogs are put together by catalog_yaml.py, equations run by intel_eval.py; neither knows the C code. Raw counters
of a row are the same for all sets, so that one run of the command gives all metrics of a chipset: usual rows, one in
which parts are ahead of what they are parts of (differences below zero), and zeros. Values have to be equal.
"""
import glob
import json
import os
import random
import subprocess
import sys
import tempfile

import catalog_yaml
import intel_eval
import units

SHOWN = 10


class Whole(intel_eval.Catalog):
    """A catalog with what it inherits."""

    def __init__(self, path):
        self.doc = catalog_yaml.load(path)
        self.counters = {c["name"] for c in self.doc["counters"]}
        self.defaults = {c["name"]: c["default"] for c in self.doc["constants"] if "default" in c}
        self.constants = {c["name"] for c in self.doc["constants"]}
        self.sets = {g["name"]: {} for g in self.doc["groups"]}
        for metric in self.doc["metrics"]:
            for group in metric.get("groups", [metric.get("group")]):
                if group in self.sets:
                    self.sets[group][metric["name"]] = metric


def constant(rng, name):
    if "Frequency" in name:
        return rng.choice([12500000, 19200000, 1200000000])
    if name.startswith("Gt") or name == "QueryMode":
        return rng.randrange(2)
    return rng.choice([1, 3, 7]) if "Mask" in name else rng.choice([1, 2, 6, 8, 24, 96])


def row(rng, names, kind):
    if kind == "zero":
        return dict.fromkeys(names, 0)
    clock = rng.randrange(10**6, 10**9)
    values = {n: rng.randrange(clock * (24 if n[0] == "A" else 1)) for n in names}
    if kind == "usual":  # later counters of one kind are larger: parts come after the whole or before it
        for stem in "BC":
            own = sorted(n for n in names if n[0] == stem)
            values.update(zip(own, sorted(values[n] for n in own)))
    return {**values, "GPU_CLOCK": clock, "GPU_TIME": clock // 60}


def same(got, want):
    if got is None or want is None:
        return got is None and want is None
    return got == want or float(got) == float(want)


def check(sextant, path):
    catalog = Whole(path)
    name = catalog.doc["name"]
    rng = random.Random(name)
    given = {c: constant(rng, c) for c in sorted(catalog.constants)}
    counters = sorted(n for n in catalog.counters if not n.startswith("PERFCNT"))
    rows = [row(rng, counters, kind) for kind in ("usual", "below", "zero")]
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
        file.write(",".join(counters) + "\n")
        file.writelines(",".join(str(r[c]) for c in counters) + "\n" for r in rows)
        file.flush()
        done = subprocess.run([sextant, "eval", "--for", name, "-i", file.name, "--json"]
                              + [a for k, v in given.items() for a in ("--const", f"{k}={v}")],
                              capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        return [f"{name}: {done.stderr.strip()}"], 0, 0
    doc = json.loads(done.stdout)
    bad, values, below = [], 0, 0
    own = units.of_metrics(sextant, name)
    for i, raw in enumerate(rows):
        got = dict(zip(doc["metrics"], doc["rows"][i]))
        wanted_units = dict(zip(doc["metrics"], doc["units"]))
        for group in catalog.sets:
            for metric, want in catalog.evaluate(group, raw, given).items():
                if not catalog.exists(group, metric, given):
                    continue
                key = f"{group}.{metric}" if f"{group}.{metric}" in got else metric
                values += 1
                if key in got:
                    assert wanted_units[key] == units.base(own[key])[0], (name, key)
                    want = units.to_base(want, own[key])
                below += want is None
                if key not in got or not same(got[key], want):
                    bad.append(f"{name} {group}.{metric}, row {i}: {got.get(key, 'absent')!r}, expected {want!r}")
    return bad, values, below


def main():
    sextant, folder = sys.argv[1:3]
    bad, values, below, catalogs = [], 0, 0, 0
    for path in sorted(glob.glob(os.path.join(folder, "intel-*.yaml"))):
        if "merrifield" in path:
            continue
        found, count, none = check(sextant, path)
        bad += found
        values, below, catalogs = values + count, below + none, catalogs + 1
    print("\n".join(bad[:SHOWN]))
    print(f"{catalogs} chipsets, {values} values, {below} without data, {len(bad)} differ")
    return 1 if bad or values < 20000 or not below else 0


if __name__ == "__main__":
    sys.exit(main())
