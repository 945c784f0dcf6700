#!/usr/bin/env python3
"""Holds `sextant plan` against the rules of a pass, read from the catalog by this script alone.

For each generation and API: no pass breaks a block's limit, mixes stages of a family, exceeds a
pass limit or puts anything beside a block that is alone; every metric finds all inputs of its live
formula in its passes, and has no more passes than it needs on its own; the number of passes is not
above that of AMD's own scheduler on the same set, unless counting shows that the rules need more: what
a stage windows cannot be counted with it, which the scheduler of AMD's 2.x, whose numbers these are,
did not know.

usage: check_plan.py SOURCE_ROOT SEXTANT
"""
import json
import os
import re
import subprocess
import sys

try:
    import yaml
except ImportError:
    print("SKIP: python3-yaml is not installed")
    sys.exit(77)

# Passes of AMD's scheduler for all counters of an API.
AMD = {"opencl": (2, 2, 2), "opengl": (9, 9, 13), "dx11": (12, 14, 17)}
NAME = re.compile(r"[A-Za-z_]\w*(?:\[[0-9.]+\])?(?:\.\w+)?")


def live(text):
    """The formula with the present branch of if(gpa_2_20, old, present)."""
    start = text.find("if(gpa_2_20, ")
    if start < 0:
        return text
    depth, args, at = 0, [], start + 3
    for i in range(start + 2, len(text)):
        if text[i] == "(":
            depth += 1
        elif text[i] == ")":
            depth -= 1
            if depth == 0:
                args.append(text[at:i])
                return f"{text[:start]}({args[2]}){text[i + 1:]}"
        elif text[i] == "," and depth == 1:
            args.append(text[at:i])
            at = i + 1
    raise ValueError(text)


class Catalog:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            data = yaml.safe_load(file)
        self.blocks = {b["name"]: b for b in data["blocks"]}
        self.counters = {c["name"]: c for c in data["counters"]}
        self.limits = data.get("pass-limits", {})
        self.metrics = data["metrics"]

    def inputs(self, metric, api):
        text = live(metric.get("exprs", {}).get(api, metric["expr"]))
        names = (re.sub(r"\[[0-9.]+\]", "", m.group(0)) for m in NAME.finditer(text))
        return {n for n in names if n in self.counters}

    def block(self, counter):
        return self.blocks[self.counters[counter]["block"]]

    def broken(self, counters):
        """What is wrong with these counters in one pass; None when nothing is."""
        blocks = [self.block(c) for c in counters]
        for block in {b["name"] for b in blocks}:
            count = sum(b["name"] == block for b in blocks)
            if self.blocks[block].get("limit") and count > self.blocks[block]["limit"]:
                return f"{count} counters of {block}"
            if self.blocks[block].get("alone") and count != len(blocks):
                return f"{block} is not alone"
        for family in {b["family"] for b in blocks if "family" in b}:
            members = [b for b in blocks if b.get("family") == family]
            if len({b["stage"] for b in members}) > 1:
                return f"stages of {family} are mixed"
            windowed = {b["name"] for b in blocks if b.get("windowed") == family}
            if windowed and {b["stage"] for b in members} != {"all"}:
                return f"{sorted(windowed)} beside a stage of {family}"
            limit = self.limits.get(family + "_events")
            if limit and len(members) > limit:
                return f"{len(members)} events of {family}"
        return None

    def needed(self, counters):
        """Passes that a set of counters needs on its own, by counting."""
        alone = {self.block(c)["name"] for c in counters if self.block(c).get("alone")}
        rest = [self.block(c) for c in counters if not self.block(c).get("alone")]
        plain = narrow = wide = 0
        stages = {}
        for block in rest:
            if "family" in block:
                key = (block["family"], block["stage"])
                stages[key] = stages.get(key, 0) + 1
                continue
            count = sum(b["name"] == block["name"] for b in rest)
            runs = -(-count // block["limit"]) if block.get("limit") else 1
            if "windowed" in block:
                wide = max(wide, runs)
            else:
                plain = max(plain, runs)
        for (family, stage), count in stages.items():
            runs = -(-count // self.limits.get(family + "_events", 16))
            if stage == "all":
                wide = max(wide, runs)
            else:
                narrow += runs
        return len(alone) + max(plain, narrow + wide)


def check(name, api, bound, root, command, fail):
    catalog = Catalog(os.path.join(root, "catalogs/amd", name + ".yaml"))
    output = subprocess.run([command, "plan", "--for", name, "--api", api, "-m", "all", "--json"],
                            check=True, capture_output=True, text=True).stdout
    plan = json.loads(output)
    passes = [p["counters"] for p in plan["passes"]]
    expected = {m["name"]: catalog.inputs(m, api) for m in catalog.metrics if api in m["apis"]}
    if set(plan["metrics"]) != set(expected) or plan["unavailable"]:
        fail(f"{name} {api}: plans {len(plan['metrics'])} metrics, expected {len(expected)}")
    least = catalog.needed(set().union(*expected.values()))
    if not passes or not least <= len(passes) <= max(bound, least):
        fail(f"{name} {api}: {len(passes)} passes, at least {least} are needed, AMD's scheduler "
             f"takes {bound}")
    for index, counters in enumerate(passes):
        if len(set(counters)) != len(counters) or catalog.broken(counters):
            fail(f"{name} {api} pass {index}: {catalog.broken(counters) or 'a counter twice'}")
    for metric, used in plan["metrics"].items():
        missing = expected[metric] - set().union(*(passes[p] for p in used))
        if missing or len(used) != catalog.needed(expected[metric]):
            fail(f"{name} {api} {metric}: passes {used}, missing {sorted(missing)}")
    return len(passes)


def main():
    root, command = sys.argv[1:3]
    failures = []
    for api, bounds in AMD.items():
        counts = [check(f"amd-gcn{g + 1}", api, bounds[g], root, command, failures.append)
                  for g in range(3)]
        print(f"{api}: {counts} passes, AMD's scheduler {list(bounds)}")
    for line in failures[:40]:
        print("FAIL:", line)
    return 1 if failures else 0


sys.exit(main())
