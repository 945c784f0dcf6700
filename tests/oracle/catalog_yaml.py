"""Reads catalogs without the C code: inheritance, shared files and their forms put together.

Written from docs/catalog-format.md; load(path) gives the whole catalog as plain data.
"""
import functools
import glob
import os

import yaml

KEYS = {
    "constants": "name", "blocks": "name", "sections": "id", "groups": "name", "counters": "name",
    "metrics": "name", "advice": "rule", "programs": "name",
}
OWN = {
    "sextant-catalog", "sextant-shared", "name", "title", "extends", "shared", "remove", "facts",
    "match", "products",
}


@functools.lru_cache(maxsize=None)
def read(path):
    with open(path, encoding="utf-8") as f:
        return yaml.load(f, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def key_of(kind, entry):
    name = entry[KEYS[kind]]
    return f"{entry['group']}.{name}" if "group" in entry else name


def taken(entries):
    """Every name, in every group, that the child says something of."""
    result = set()
    for entry in entries:
        result.update(f"{g}.{entry['name']}" for g in entry.get("groups", []))
    return result


def without_groups(entry, removed, child):
    gone = set(removed.get("metrics", []))
    name = entry["name"]
    entry["groups"] = [
        g for g in entry["groups"]
        if g not in removed.get("groups", []) and f"{g}.{name}" not in gone | child
    ]
    return entry["groups"]


def merge(kind, mine, theirs, removed):
    """The parent's list with what the child overrides and removes; then what is the child's own."""
    own = {key_of(kind, e): e for e in mine if "groups" not in e}
    child = taken(mine) if kind == "metrics" else set()
    result, placed = [], set()
    for entry in [dict(e) for e in theirs]:
        key = key_of(kind, entry)
        if key in removed.get(kind, []) or entry[KEYS[kind]] in removed.get(kind, []):
            continue
        if entry.get("group") in removed.get("groups", []):
            continue
        if "groups" in entry and not without_groups(entry, removed, child):
            continue
        if key in own:
            placed.add(key)
            entry.update(own[key])
        result.append(entry)
    return result + [e for e in mine if "groups" in e or key_of(kind, e) not in placed]


def extend(catalog, parent):
    removed = catalog.get("remove", {})
    for key, value in parent.items():
        if key in OWN:
            continue
        if key in KEYS:
            catalog[key] = merge(key, catalog.get(key, []), value, removed)
        else:
            catalog.setdefault(key, value)


def fill(catalog, shared):
    for kind in KEYS:
        forms = {(e[KEYS[kind]], e.get("form")): e for e in shared.get(kind, [])}
        if kind == "programs":
            mine = {p["name"] for p in catalog.get(kind, [])}
            catalog.setdefault(kind, []).extend(
                p for p in shared.get(kind, []) if p["name"] not in mine)
            continue
        for entry in catalog.get(kind, []):
            name, form = entry[KEYS[kind]], entry.pop("form", None)
            for said in ([forms[(name, form)]] if form else []) + [forms.get((name, None), {})]:
                for key, value in said.items():
                    if key != "form":
                        entry.setdefault(key, value)


@functools.lru_cache(maxsize=None)
def load(path):
    """The whole catalog. Callers share what is returned."""
    catalog = {k: [dict(e) for e in v] if k in KEYS else v for k, v in read(path).items()}
    folder = os.path.dirname(path)
    shared = catalog.get("shared")
    if "extends" in catalog:
        parent = read(os.path.join(folder, catalog["extends"] + ".yaml"))
        if "extends" in parent:
            raise ValueError(f"{path}: two levels")
        shared = shared or parent.get("shared")
        extend(catalog, parent)
    if shared:
        fill(catalog, read(os.path.join(folder, shared + ".shared.yaml")))
    for counter in catalog.get("counters", []):
        if "aliases" in counter:
            counter["aliases"] = [
                a["name"] if isinstance(a, dict) else a for a in counter["aliases"]]
    return catalog


def paths(root):
    """Every catalog of the sources, sorted; shared files are none."""
    found = glob.glob(os.path.join(root, "catalogs/*/*.yaml"))
    return sorted(p for p in found if not p.endswith(".shared.yaml"))
