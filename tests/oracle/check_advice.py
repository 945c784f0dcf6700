#!/usr/bin/env python3
"""Rules over random tables, judged once by `advise --json` and once here from the values of `eval --json`.

Conditions are translated to Python by rewriting their text; no data is None and passes through everything.
usage: check_advice.py SEXTANT CATALOG_FOLDER
"""
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile

import yaml

import units

ROWS = 40
CASES = [  # catalog, set, share of counters left out, highest value, constants
    ("arm/mali-g310", None, 0.0, 10**6, {"shader_cores": 2}),
    ("arm/mali-g310", None, 0.2, 1000, {}),
    ("arm/mali-g625", None, 0.0, 10**7, {"MaliConstantsShaderCoreCount": 4}),
    ("arm/mali-g625", None, 0.3, 10**4, {}),
    ("api/opengl", None, 0.0, 10**6, {}),
    ("api/opengl", None, 0.3, 50, {}),
    ("api/vulkan", None, 0.1, 10**5, {}),
    ("api/opencl", None, 0.1, 10**5, {}),
    ("cpu/cpu", None, 0.0, 10**6, {"cpus": 4}),
    ("amd/amd-gcn2", None, 0.0, 10**6, {}),
    ("amd/amd-gcn3", None, 0.1, 10**6, {}),
    ("intel/intel-merrifield", None, 0.0, 10**6, {}),
    ("intel/intel-bdw", "RenderBasic", 0.0, 10**6, {"EuCoresTotalCount": 24, "EuSubslicesTotalCount": 3,
                                                     "SliceMask": 1, "SubsliceMask": 7, "GpuMaxFrequency": 10**9}),
    ("intel/intel-bdw", "ComputeBasic", 0.1, 10**6, {"EuCoresTotalCount": 24}),
    ("intel/intel-bdw", "Sampler_1", 0.0, 10**5, {}),
    ("intel/intel-bdw", None, 0.0, 10**6, {"EuCoresTotalCount": 24}),
]


def no_data(function):
    def guarded(*args):
        return None if any(a is None for a in args) else function(*args)
    return guarded


def divide(a, b):
    return None if b == 0 else a / b


OPS = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": divide,
       "<": lambda a, b: float(a < b), "<=": lambda a, b: float(a <= b), ">": lambda a, b: float(a > b),
       ">=": lambda a, b: float(a >= b), "==": lambda a, b: float(a == b), "!=": lambda a, b: float(a != b),
       "and": lambda a, b: float(bool(a) and bool(b)), "or": lambda a, b: float(bool(a) or bool(b))}
FUNCTIONS = {"min": lambda *a: min(a), "max": lambda *a: max(a), "sum": lambda *a: math.fsum(a),
             "avg": lambda *a: math.fsum(a) / len(a), "abs": abs}
LEVELS = [["or"], ["and"], ["<", "<=", ">", ">=", "==", "!="], ["+", "-"], ["*", "/"]]


class Condition:
    """A recursive descent evaluator over tokens; evaluates as it parses, once a row."""

    def __init__(self, text, lookup):
        self.tokens = re.findall(r"[0-9][0-9]*(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![\w.])|[\w.]+|<=|>=|==|!=|[-+*/<>(),]",
                                 text.replace("$", ""))
        self.at, self.lookup = 0, lookup

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def take(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def binary(self, level):
        if level == len(LEVELS):
            return self.operand()
        if level == 2 and self.peek() == "not":
            self.take()
            return no_data(lambda a: float(not a))(self.binary(2))
        value = self.binary(level + 1)
        while self.peek() in LEVELS[level]:
            op = self.take()
            value = no_data(OPS[op])(value, self.binary(level + 1))
        return value

    def operand(self):
        token = self.take()
        if token == "(":
            value = self.binary(0)
            assert self.take() == ")"
            return value
        if token == "-":
            return no_data(lambda a: -a)(self.operand())
        if token in FUNCTIONS and self.peek() == "(":
            self.take()
            args = [self.binary(0)]
            while self.peek() == ",":
                self.take()
                args.append(self.binary(0))
            assert self.take() == ")"
            return no_data(FUNCTIONS[token])(*args)
        if re.fullmatch(r"[0-9.]+(?:[eE][+-]?[0-9]+)?", token):
            return float(token)
        return self.lookup(token)

    def value(self):
        result = self.binary(0)
        assert self.at == len(self.tokens), self.tokens
        return result


def run(*args):
    result = subprocess.run(args, capture_output=True, text=True, timeout=120, check=False)
    if result.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(args)}: {result.returncode}\n{result.stderr}")
    return json.loads(result.stdout)


def write_table(path, catalog, dropped, highest, rng):
    names = []
    for counter in catalog["counters"]:
        if counter["name"] in names or rng.random() < dropped:
            continue
        names.append(counter["name"])
    if not any("duration_ns" == n for n in names):
        names.insert(0, "duration_ns")
    spans = {name: rng.choice([1, 2, 10, 100, highest, highest]) for name in names}
    with open(path, "w", encoding="utf-8") as out:
        out.write(",".join(names) + "\n")
        for _ in range(ROWS):
            out.write(",".join("" if n != "duration_ns" and rng.random() < 0.05 else
                               str(rng.randint(8 * 10**6, 4 * 10**7)) if n == "duration_ns" else
                               str(rng.randint(0, spans[n])) for n in names) + "\n")
    return names


def longest_run(flags):
    best, start = (0, 0, 0), None
    for i, flag in enumerate(flags + [False]):
        if flag and start is None:
            start = i
        if not flag and start is not None:
            if i - start > best[0]:
                best = (i - start, start, i - 1)
            start = None
    return list(best[1:])


class World:
    """Values of everything that a rule may name, a list of rows for each name."""

    def __init__(self, sextant, name, catalog, group, table, constants, chosen):
        base = ["--for", name, "-i", table, "--json"]
        for key, value in constants.items():
            base += ["--const", f"{key}={value}"]
        metrics = run(sextant, "eval", *base, *(["--set", chosen] if chosen else []))
        counters = run(sextant, "eval", *base, "--counters")
        self.units = {}
        for document in (counters, metrics):
            units.in_catalog_units(sextant, document)
            self.units |= units.of_catalog(sextant, document["for"])
        self.columns = {}
        for document in (counters, metrics):
            for i, column in enumerate(document["metrics"]):
                self.columns[column] = [row[i] for row in document["rows"]]
        self.constants = {c["name"]: c.get("default") for c in catalog.get("constants", [])}
        for constant in catalog.get("constants", []):
            for spelling in [constant["name"]] + constant.get("aliases", []):
                if spelling in constants:
                    self.constants[constant["name"]] = constants[spelling]
        with open(table, encoding="utf-8") as f:
            self.durations = [int(line.split(",")[0]) for line in f.read().splitlines()[1:]]

    def lookup(self, name, row):
        if name in self.columns:
            value = self.columns[name][row]
            return None if value is None else float(value)
        bare = name.split(".")[-1]
        if name != bare and bare in self.columns:
            return None if self.columns[bare][row] is None else float(self.columns[bare][row])
        if name in ("seconds", "duration_ns"):
            return self.durations[row] / (1e9 if name == "seconds" else 1)
        value = self.constants.get(name)
        return None if value is None else float(value)


def check(sextant, folder, case, rng, findings):
    path, group, dropped, highest, constants = case
    with open(os.path.join(folder, path + ".yaml"), encoding="utf-8") as f:
        catalog = yaml.load(f, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    known = {s for c in catalog.get("constants", []) for s in [c["name"]] + c.get("aliases", [])}
    constants = {k: v for k, v in constants.items() if k in known}
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
        write_table(file.name, catalog, dropped, highest, rng)
        args = ["--for", catalog["name"], "-i", file.name, "--json", "-v"]
        for key, value in constants.items():
            args += ["--const", f"{key}={value}"]
        told = run(sextant, "advise", *args, *(["--set", group] if group else []))
        device, = told["devices"]
        world = World(sextant, catalog["name"], catalog, group, file.name, constants, device["set"])
    fired = {f["rule"]: f for f in told["findings"]}
    order = {"high": 0, "medium": 1, "low": 2, "info": 3}
    ranks = [(order[f["severity"]], -f["share"]) for f in told["findings"]]
    if ranks != sorted(ranks):
        findings.append(f"{path}: findings are not in order")
    unjudged = {u["rule"] for u in device["unjudged"]}
    judged = 0
    for rule in catalog["advice"]:
        where = f"{path} {group}: {rule['rule']}"
        if "needs" in rule:
            if rule["rule"] not in unjudged:
                findings.append(f"{where} needs a person and was judged")
            continue
        verdicts = [Condition(rule["when"], lambda name, r=row: world.lookup(name, r)).value() for row in range(ROWS)]
        flags = [bool(v) for v in verdicts if v is not None]
        yes = [v is not None and v != 0 for v in verdicts]
        if not flags:
            if rule["rule"] not in unjudged:
                findings.append(f"{where} has no data and was judged")
            continue
        judged += 1
        expected = any(flags) and sum(flags) / len(flags) >= rule.get("min-share", 0.05)
        if expected != (rule["rule"] in fired):
            findings.append(f"{where}: fires here {expected}, there {rule['rule'] in fired}")
        elif expected:
            check_evidence(where, rule, fired[rule["rule"]], world, yes, flags, findings)
    return judged, len(fired)


def check_evidence(where, rule, finding, world, yes, flags, findings):
    if finding["samples"] != longest_run(yes):
        findings.append(f"{where}: samples {finding['samples']}, here {longest_run(yes)}")
    if finding["rows"] != len(flags) or not math.isclose(finding["share"], sum(flags) / len(flags)):
        findings.append(f"{where}: share {finding['share']} of {finding['rows']}")
    values = [world.lookup(rule["metric"], r) for r in range(ROWS) if yes[r]] if rule.get("metric") else []
    values = [v for v in values if v is not None]
    mean = math.fsum(values) / len(values) if values else None
    bare = {name.split(".")[-1]: unit for name, unit in world.units.items()}
    unit = world.units.get(rule.get("metric"), bare.get((rule.get("metric") or "").split(".")[-1], ""))
    mean = units.to_base(mean, unit)
    if finding["unit"] and finding["unit"] != units.base(unit)[0]:
        findings.append(f"{where}: in {finding['unit']}, the catalog has {unit}")
    if (mean is None) != (finding["value"] is None) or (mean is not None and not
                                                        math.isclose(mean, finding["value"], rel_tol=1e-9)):
        findings.append(f"{where}: value {finding['value']}, here {mean}")
    if rule.get("limit") is not None and finding["limit"] not in (rule["limit"], units.to_base(rule["limit"], unit)):
        findings.append(f"{where}: limit {finding['limit']}")


def main():
    sextant, folder = sys.argv[1:]
    rng, findings, judged, fired = random.Random(20261121), [], 0, 0
    for case in CASES:
        for _ in range(3):
            counts = check(sextant, folder, case, rng, findings)
            judged, fired = judged + counts[0], fired + counts[1]
    for finding in findings:
        print(finding)
    print(f"{judged} rules judged, {fired} fired, {len(findings)} findings")
    return 1 if findings or judged < 500 or fired < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
