#!/usr/bin/env python3
"""Holds catalogs/neutral.yaml, docs/vocabulary.md and the catalogs' mappings to each other.

usage: check_vocabulary.py SOURCE_ROOT
"""
import fnmatch
import os
import re
import sys

try:
    import yaml
except ImportError:
    print("python3-yaml is missing", file=sys.stderr)
    sys.exit(77)

import catalog_yaml

ENTRY = re.compile(
    r"^\*\*`(?P<name>[a-z.]+)`\*\* · (?P<unit>\S+) · (?P<text>.+)\\\n"
    r"\*Not:\* (?P<nots>.+)\\\n\*From:\* (?P<origin>.+)\.$",
    re.M,
)
ORIGIN = re.compile(r"((?:[a-z0-9*-]+, )*[a-z0-9*-]+) \(((?:`[^`]+`, )*`[^`]+`)\)(?:; |$)")


class Units:
    """catalogs/units.tsv, read without the C code."""

    def __init__(self, path):
        self.known, self.below = {}, {}
        with open(path, encoding="utf-8") as f:
            rows = [line.rstrip("\n").split("\t") for line in f if not line.startswith("#")]
        for row in rows:
            if len(row) != 7:
                raise ValueError(f"units.tsv: {row[0]}: {len(row)} columns")
            if row[0] in self.known:
                raise ValueError(f"units.tsv: {row[0]} stands twice")
            self.known[row[0]] = (row[1], float(row[2]))
            if row[6] != "-":
                self.below[row[6]] = row[0]

    def measure(self, name):
        """(dimension, factor) of a unit or quotient; KeyError when there is none."""
        if name in self.known:
            return self.known[name]
        over, _, under = name.rpartition("/")
        dimension, factor = self.measure(over)
        below, divisor = self.known[self.below.get(under, under)]
        return f"{dimension}/{below}", factor / divisor


def load(path):
    with open(path, encoding="utf-8") as f:
        return yaml.load(f, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def check_units(units, names, say):
    for name, entry in names.items():
        try:
            units.measure(entry["unit"])
        except KeyError:
            say(f"neutral.yaml: {name}: unknown unit {entry['unit']}")
        if not re.fullmatch(r"[a-z]+(\.[a-z]+)+", name):
            say(f"neutral.yaml: {name}: not a dotted name")


def mappings(catalog):
    for kind in ("counters", "metrics"):
        for item in catalog.get(kind) or []:
            if "neutral" in item:
                yield item


def check_catalog(units, names, catalog, found, say):
    """Every mapping has the unit of its name, and each name is given once (or once a group)."""
    seen = {}
    for item in mappings(catalog):
        where = f"{catalog['name']}: {item['name']}"
        neutral = item["neutral"]
        if neutral not in names:
            say(f"{where}: unknown neutral name {neutral}")
            continue
        if units.measure(item["unit"]) != units.measure(names[neutral]["unit"]):
            say(f"{where}: {item['unit']}, but {neutral} is in {names[neutral]['unit']}")
        for group in item.get("groups") or [item.get("group")]:
            other = seen.setdefault((neutral, group), item["name"])
            if other != item["name"]:
                say(f"{where}: {neutral} is {other} already")
        found[neutral].setdefault(catalog["name"], set()).add(item["name"])


def check_origin(text, name, found, catalogs, say):
    """A line "amd-*, opengl (`A`, `B`); …": all that is mapped stands in it, and nothing else.

    A pattern's names need not all be in each of its catalogs, but each is in one of them.
    """
    told, at = {}, 0
    while at < len(text):
        match = ORIGIN.match(text, at)
        if not match:
            say(f"vocabulary.md: {name}: malformed: {text[at:]}")
            return
        items = set(re.findall(r"`([^`]+)`", match.group(2)))
        for pattern in match.group(1).split(", "):
            hits = fnmatch.filter(catalogs, pattern)
            used = set().union(*(found.get(c, set()) for c in hits))
            if items - used:
                say(f"vocabulary.md: {name}: {pattern} has no {sorted(items - used)}")
            for catalog in hits:
                told.setdefault(catalog, set()).update(items)
        at = match.end()
    for catalog, items in sorted(found.items()):
        if items - told.get(catalog, set()):
            say(f"vocabulary.md: {name}: {catalog} maps it from {sorted(items)}")


def check_page(page, names, found, catalogs, say):
    entries = list(ENTRY.finditer(page))
    if [e["name"] for e in entries] != list(names):
        say(f"vocabulary.md: names or order differ: {[e['name'] for e in entries]}")
    if len(entries) != len(re.findall(r"^\*\*`", page, re.M)):
        say("vocabulary.md: an entry is malformed")
    for entry in entries:
        name = entry["name"]
        want = names.get(name)
        if not want:
            continue
        text = want["description"][0].upper() + want["description"][1:] + "."
        if entry["unit"] != want["unit"]:
            say(f"vocabulary.md: {name}: unit {entry['unit']}, not {want['unit']}")
        if entry["text"] != text:
            say(f"vocabulary.md: {name}: neutral.yaml says: {text}")
        check_origin(entry["origin"], name, found[name], catalogs, say)


def main():
    root = sys.argv[1]
    findings = []
    units = Units(os.path.join(root, "catalogs/units.tsv"))
    entries = load(os.path.join(root, "catalogs/neutral.yaml"))["names"]
    names = {entry["name"]: entry for entry in entries}
    if len(names) != len(entries):
        findings.append("neutral.yaml: a name stands twice")
    check_units(units, names, findings.append)
    found = {name: {} for name in names}
    catalogs = [catalog_yaml.load(path) for path in catalog_yaml.paths(root)]
    for catalog in catalogs:
        check_catalog(units, names, catalog, found, findings.append)
    findings += [f"neutral.yaml: {name}: no catalog maps it" for name in names if not found[name]]
    with open(os.path.join(root, "docs/vocabulary.md"), encoding="utf-8") as f:
        check_page(f.read(), names, found, [c["name"] for c in catalogs], findings.append)
    for finding in findings:
        print(finding)
    total = sum(len(by) for by in found.values())
    print(f"{len(names)} names, {len(catalogs)} catalogs, {total} mappings, {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
