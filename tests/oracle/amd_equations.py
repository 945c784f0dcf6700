#!/usr/bin/env python3
"""Holds the AMD catalogs against facts that were derived without them.

Counts of metrics, resolution of every name, and the value of every expression form: each is
evaluated by the small evaluator below and compared with tests/data/amd/equations.tsv, whose values
come from the published equations (form "published", constant gpa_2_20 = 1) and from the corrected
meaning written out by hand (form "corrected", the default). Inputs are not stored: column C of row
R has the FNV-1a hash h of "R/C", and the value
    row 0: h mod 1000003    row 1: 0 when (h >> 8) mod 4 is 0, else h mod 97
    row 2: h >> 12          row 3: 0
Columns are "BLOCK.EVENT", or "BLOCK[k].EVENT" where a form reads instances.

usage: amd_equations.py SOURCE_ROOT
"""
import os
import re
import sys

try:
    import yaml
except ImportError:
    print("SKIP: python3-yaml is not installed")
    sys.exit(77)

CONSTANTS = {"NUM_SHADER_ENGINES": 4.0, "NUM_SIMDS": 176.0, "NUM_CUS": 44.0, "NUM_PRIM_PIPES": 3.0,
             "SU_CLOCKS_PRIM": 2.0, "TS_FREQ": 100000000.0}
# name: metrics, of them with a value
COUNTS = {"amd-hd2000": (101, 29), "amd-hd3000": (101, 29), "amd-hd4000": (123, 29),
          "amd-hd5000": (164, 29), "amd-hd6000": (164, 29), "amd-gcn1": (115, 115),
          "amd-gcn2": (139, 139), "amd-gcn3": (139, 139)}
TOKEN = re.compile(r"\s*(?:(?P<name>[A-Za-z_]\w*(?:\[[0-9.*]+\])?(?:\.\w+)?)|(?P<number>\d+(?:\.\d+)?)"
                   r"|(?P<op>[-+*/(),]))")


def fnv1a(text):
    h = 0xCBF29CE484222325
    for byte in text.encode():
        h = ((h ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return h


def column_value(column, row):
    h = fnv1a(f"{row}/{column}")
    return float((h % 1000003, 0 if (h >> 8) % 4 == 0 else h % 97, h >> 12, 0)[row])


class Evaluator:
    """Recursive descent over the infix notation, AMD's arithmetic: f64, division by zero is 0."""

    def __init__(self, text, lookup):
        self.tokens = list(TOKEN.finditer(text))
        if "".join(m.group(0) for m in self.tokens) != text:
            raise ValueError(f"cannot read {text!r}")
        self.at = 0
        self.lookup = lookup

    def value(self):
        result = self.sum()
        if self.at != len(self.tokens) or len(result) != 1:
            raise ValueError("trailing text, or an instance range outside sum, min, max")
        return result[0]

    def peek(self):
        return self.tokens[self.at].group(0).strip() if self.at < len(self.tokens) else None

    def take(self, what):
        if self.peek() != what:
            raise ValueError(f"expected {what}, found {self.peek()}")
        self.at += 1

    def sum(self):
        left = self.product()
        while self.peek() in ("+", "-"):
            op = self.peek()
            self.at += 1
            right = self.product()
            left = [left[0] + right[0] if op == "+" else left[0] - right[0]]
        return left

    def product(self):
        left = self.primary()
        while self.peek() in ("*", "/"):
            op = self.peek()
            self.at += 1
            right = self.primary()
            if op == "*":
                left = [left[0] * right[0]]
            else:
                left = [left[0] / right[0] if right[0] != 0 else 0.0]
        return left

    def primary(self):
        token = self.tokens[self.at]
        text = self.peek()
        self.at += 1
        if token["number"]:
            return [float(text)]
        if text == "(":
            inner = self.sum()
            self.take(")")
            return inner
        if text in ("sum", "max", "min", "if") and self.peek() == "(":
            args = self.arguments()
            if text == "if":
                return args[1] if args[0][0] != 0 else args[2]
            flat = [v for arg in args for v in arg]
            return [{"sum": sum, "max": max, "min": min}[text](flat)]
        return self.lookup(text)

    def arguments(self):
        self.take("(")
        args = [self.sum()]
        while self.peek() == ",":
            self.at += 1
            args.append(self.sum())
        self.take(")")
        return args


class Catalog:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.data = yaml.load(file, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        self.blocks = {b["name"]: b for b in self.data.get("blocks", [])}
        self.counters = {c["name"]: c for c in self.data["counters"]}
        self.metrics = {m["name"]: m for m in self.data["metrics"]}
        self.constants = {c["name"]: c for c in self.data.get("constants", [])}

    def columns(self, name):
        """Columns behind one name of an expression; raises when it does not resolve."""
        match = re.fullmatch(r"(\w+)\[(\d+)(?:\.\.(\d+))?\]\.(\w+)", name)
        if not match:
            if name not in self.counters:
                raise KeyError(name)
            return [name]
        block, first, last, event = match.groups()
        if f"{block}.{event}" not in self.counters:
            raise KeyError(name)
        first, last = int(first), int(last or first)
        if not first <= last < self.blocks[block].get("instances", 1):
            raise KeyError(f"{name}: block {block} has no such instance")
        return [f"{block}[{k}].{event}" for k in range(first, last + 1)]

    def lookup(self, row, old):
        def find(name):
            if name == "gpa_2_20":
                return [float(old)]
            if name in self.constants:
                return [CONSTANTS[name]]
            return [column_value(column, row) for column in self.columns(name)]
        return find

    def form(self, metric, api):
        return self.metrics[metric].get("exprs", {}).get(api, self.metrics[metric].get("expr"))


def golden(path):
    rows = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            if not line.startswith("#"):
                catalog, api, form, metric, *values = line.rstrip("\n").split("\t")
                rows[(catalog, api, metric, form)] = [float(v) for v in values]
    return rows


def close(a, b):
    return a == b or abs(a - b) <= 1e-12 * max(abs(a), abs(b))


def check_counters(name, catalog, fail):
    for counter in catalog.counters.values():
        block = counter["block"]
        if block not in catalog.blocks:
            fail(f"{name}: {counter['name']}: unknown block")
        if block not in ("query", "GPUTime") and not counter["name"].startswith(block + "."):
            fail(f"{name}: {counter['name']} is not named after its block")
    slots = [(c["block"], c["slot"]) for c in catalog.counters.values() if "slot" in c]
    if len(set(slots)) != len(slots):
        fail(f"{name}: two events share a select number")


def check_metric(name, catalog, metric, fail):
    for text in filter(None, [metric.get("expr"), *metric.get("exprs", {}).values()]):
        for old in (0, 1):
            try:
                Evaluator(text, catalog.lookup(0, old)).value()
            except (KeyError, ValueError, IndexError) as error:
                fail(f"{name}: {metric['name']}: {error}")
    if ("expr" in metric) == ("unavailable" in metric):
        fail(f"{name}: {metric['name']} needs either a formula or a reason")
    for kept in metric.get("keep", []):
        if kept not in catalog.counters:
            fail(f"{name}: {metric['name']} keeps unknown {kept}")


def check_structure(name, catalog, fail):
    metrics = catalog.metrics.values()
    have = (len(metrics), sum("expr" in m for m in metrics))
    if have != COUNTS[name]:
        fail(f"{name}: metrics, with an expression: {have}; expected {COUNTS[name]}")
    check_counters(name, catalog, fail)
    for metric in metrics:
        check_metric(name, catalog, metric, fail)
    for rule in catalog.data.get("advice", []):
        names = set(re.findall(r"[A-Za-z_]\w*", rule["when"])) - {"and", "or", "not"}
        unknown = names - set(catalog.metrics) - set(catalog.counters)
        if unknown or rule["metric"] not in catalog.metrics:
            fail(f"{name}: rule {rule['rule']} uses unknown {sorted(unknown)}")


def check_values(catalogs, rows, fail):
    forms = 0
    for (name, api, metric, form), expected in rows.items():
        text = catalogs[name].form(metric, api)
        modes = [0]
        if form == "published":
            forms += 1
            # without a correction both modes agree with the published form
            modes = [1] if (name, api, metric, "corrected") in rows else [0, 1]
        for old in modes:
            for row, want in enumerate(expected):
                got = Evaluator(text, catalogs[name].lookup(row, old)).value()
                if not close(got, want):
                    fail(f"{name} {api} {metric} gpa_2_20={old} row {row}: {got!r}, not {want!r}")
    return forms


def main():
    root = sys.argv[1]
    failures = []
    catalogs = {}
    for name in COUNTS:
        catalogs[name] = Catalog(os.path.join(root, "catalogs/amd", name + ".yaml"))
        check_structure(name, catalogs[name], failures.append)
    union = set().union(*(c.metrics for c in catalogs.values()))
    if len(union) != 230:
        failures.append(f"the guide has 230 counters, the catalogs {len(union)}")
    forms = check_values(catalogs, golden(os.path.join(root, "tests/data/amd/equations.tsv")),
                         failures.append)
    if forms != 554:
        failures.append(f"554 published forms, {forms} in the data")
    for line in failures[:40]:
        print("FAIL:", line)
    print(f"{len(catalogs)} catalogs, {len(union)} counters, {forms} published forms,"
          f" {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
