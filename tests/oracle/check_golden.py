#!/usr/bin/env python3
"""Holds every metric of the Intel and Mali catalogs against golden values.

check_golden.py SEXTANT SOURCE_ROOT

tests/data/golden/catalogs.json.gz has {catalog: {metric: value or null}}. The values were computed
from the vendors' own equations by an evaluator that shares nothing with this project, over the
inputs that are made here again: a counter's count comes from its name, a constant's value as well.
Arm's equations give ratios as they are, and its tools cut percentages at 0 and 100: so does this one.
"""
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile
import zlib

import catalog_yaml
import units

CONSTANTS = {
    "GpuTimestampFrequency": 12000000, "GpuMinFrequency": 300000000,
    "GpuMaxFrequency": 1200000000, "MaliConstantsBusWidthBits": 128,
    "MaliConstantsL2SliceCount": 4, "MaliConstantsShaderCoreCount": 10,
}


def count_of(catalog, name):
    return zlib.crc32(f"{catalog}/{name}".encode()) % 16777215 + 1


def constant_of(name):
    if name in CONSTANTS:
        return CONSTANTS[name]
    if name.endswith("Mask"):
        return 63
    if re.match(r"Gt(Slice|XeCore)\d", name) or name == "QueryMode":
        return 1
    return 2 + zlib.crc32(name.encode()) % 7


def evaluate(sextant, path):
    """{metric: value} of one run over all metrics of a catalog."""
    catalog = catalog_yaml.load(path)
    name = catalog["name"]
    counters = [c["name"] for c in catalog["counters"] if "_slot_" not in c["name"]]
    # What a Mali fixes of itself stays as the catalog says.
    given = [c["name"] for c in catalog["constants"]
             if c["name"] in CONSTANTS or name.startswith("intel-")]
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
        file.write(",".join(["duration_ns"] + counters) + "\n")
        file.write(",".join(["16000000"] + [str(count_of(name, c)) for c in counters]) + "\n")
        file.flush()
        command = [sextant, "eval", "--for", path, "--json", "-i", file.name]
        for constant in given:
            command += ["--const", f"{constant}={constant_of(constant)}"]
        done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"{name}: {done.stderr}")
    got = json.loads(done.stdout)
    return units.row_in_catalog_units(got, 0, units.of_metrics(sextant, path))


def same(have, want):
    if have is None or want is None:
        return have is want
    return abs(have - want) <= 1e-12 * max(abs(have), abs(want))


def main():
    sextant, root = sys.argv[1:3]
    with gzip.open(os.path.join(root, "tests/data/golden/catalogs.json.gz")) as file:
        golden = json.load(file)
    values, bad = 0, []
    for name, metrics in sorted(golden.items()):
        folder = "intel" if name.startswith("intel-") else "arm"
        path = os.path.join(root, "catalogs", folder, name + ".yaml")
        got = evaluate(sextant, path)
        percents = {m["name"] for m in catalog_yaml.load(path)["metrics"] if folder == "arm" and m.get("unit") == "percent"}
        for metric, want in metrics.items():
            values += 1
            if metric in percents and want is not None:
                want = min(max(want, 0), 100)
            have = got.get(metric, got.get(metric.partition(".")[2], "missing"))
            if have == "missing" or not same(have, want):
                bad.append(f"{name}: {metric}: {have!r}, expected {want!r}")
    for line in bad[:40]:
        print(line)
    print(f"{values} values of {len(golden)} catalogs, {len(bad)} differ")
    return 1 if bad or not values else 0


if __name__ == "__main__":
    sys.exit(main())
