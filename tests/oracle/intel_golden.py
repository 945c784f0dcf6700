#!/usr/bin/env python3
"""Writes golden rows of every set of intel-bdw as the Python evaluator sees them.

usage: intel_golden.py CATALOG > tests/data/oa/golden.tsv
A line `row SET NAME=VALUE ...` gives constants and counters; each line behind it a metric and its value.
"""
import random
import sys

from intel_eval import Catalog

GT2 = {"GpuTimestampFrequency": 12500000, "GpuMinFrequency": 300000000, "GpuMaxFrequency": 900000000,
       "EuCoresTotalCount": 24, "EuSlicesTotalCount": 1, "EuSubslicesTotalCount": 3, "EuThreadsCount": 7,
       "SliceMask": 1, "SubsliceMask": 7}
GT3 = {**GT2, "EuCoresTotalCount": 47, "EuSlicesTotalCount": 2, "EuSubslicesTotalCount": 6, "SliceMask": 3,
       "SubsliceMask": 63}


def counters(catalog, kind, rng):
    names = [c["name"] for c in catalog.doc["counters"] if not c["name"].startswith("PERFCNT")]
    if kind == "zero":
        return dict.fromkeys(names, 0)
    if kind == "long":  # sums over a day: products leave 64 bits
        return {n: rng.randrange(1 << 53) for n in names}
    clock = rng.randrange(10**6, 10**9)
    row = {n: rng.randrange(clock * (24 if n[0] == "A" else 1)) for n in names}
    return {**row, "GPU_CLOCK": clock, "GPU_TIME": clock // 60}


def main():
    catalog = Catalog(sys.argv[1])
    rng = random.Random(2015)
    for name in catalog.sets:
        for kind, device in (("usual", GT2), ("usual", GT3), ("long", GT3), ("zero", GT2)):
            row = counters(catalog, kind, rng)
            print("row", name, *(f"{k}={v}" for k, v in {**device, **row}.items()))
            for metric, value in catalog.evaluate(name, row, device).items():
                if not catalog.exists(name, metric, device):
                    value = None
                text = "null" if value is None else str(value) if isinstance(value, int) else repr(float(value))
                print(metric, text)


if __name__ == "__main__":
    main()
