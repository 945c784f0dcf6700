#!/usr/bin/env python3
"""What the derived counters of GCN 2 and 3 are on the model of tests/gpa/fake_amd.c.

Evaluates the OpenGL formulas of the catalogs with the evaluator of amd_equations.py, on values that
this script computes itself (FNV-1a of "GROUP/SELECT" modulo a million), and writes lines
"CATALOG NAME VALUE". Metrics of time are left out: the model has no clock. A chip that lacks
instances ("kaveri") counts 0 for them.

usage: amd_model.py SOURCE_ROOT > FILE
"""
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from amd_equations import Catalog, Evaluator, fnv1a  # noqa: E402

CONSTANTS = {"NUM_SHADER_ENGINES": 4.0, "NUM_SIMDS": 176.0, "NUM_CUS": 44.0, "NUM_PRIM_PIPES": 3.0,
             "SU_CLOCKS_PRIM": 2.0, "gpa_2_20": 0.0}
# label, catalog, instances that the chip has
CHIPS = [("amd-gcn2", "amd-gcn2", {}), ("amd-gcn3", "amd-gcn3", {}),
         ("amd-gcn2/kaveri", "amd-gcn2", {"TA": 8, "TCP": 8, "CB": 2, "DB": 2, "TCC": 4})]


class Time(Exception):
    pass


def lookup(catalog, instances):
    def find(name):
        if name in CONSTANTS:
            return [CONSTANTS[name]]
        if name.startswith("GPUTime"):
            raise Time
        return [value(column) for column in catalog.columns(name)]

    def value(column):
        match = re.fullmatch(r"(\w+?)(?:\[(\d+)\])?\.(\w+)", column)
        block, instance, event = match.groups()
        if instance and int(instance) >= instances.get(block, 1 << 30):
            return 0.0
        slot = catalog.counters[f"{block}.{event}"]["slot"]
        return float(fnv1a(f"{block}{instance or ''}/{slot}") % 1000000)
    return find


def main():
    for label, name, instances in CHIPS:
        catalog = Catalog(os.path.join(sys.argv[1], "catalogs/amd", name + ".yaml"))
        for metric in catalog.metrics.values():
            if "opengl" not in metric["apis"]:
                continue
            try:
                result = Evaluator(metric["expr"], lookup(catalog, instances)).value()
            except Time:
                continue
            print(label, metric["name"], repr(result))


main()
