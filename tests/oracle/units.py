"""Base units of machine-readable rows, by a table of its own: what a number in a catalog's unit becomes."""
import json
import subprocess

# unit of catalogs: base unit, multiplied by, divided by
BASES = {
    "ns": ("s", 1, 1e9), "us": ("s", 1, 1e6), "ms": ("s", 1, 1e3), "KiB": ("bytes", 1024, 1), "MB/s": ("bytes/s", 1e6, 1),
    "GB/s": ("bytes/s", 1e9, 1), "MHz": ("Hz", 1e6, 1), "mW": ("W", 1, 1e3), "uJ": ("J", 1, 1e6),
}


def base(unit):
    """(base unit, times, over) of a unit; a quotient's numerator alone is converted."""
    if not unit or unit in BASES or "/" not in unit:
        return BASES.get(unit, (unit, 1, 1))
    over, slash, under = unit.partition("/")
    name, times, divided = BASES.get(over, (over, 1, 1))
    return name + slash + under, times, divided


def to_base(value, unit):
    _, times, over = base(unit)
    if value is None or (times, over) == (1, 1):
        return value
    # A count that a double does not hold is divided as it is.
    exact = isinstance(value, int) and times == 1
    return value / int(over) if exact else float(value) * times / over


def of_metrics(sextant, name):
    """{metric: unit in the catalog}, by bare and by qualified name."""
    done = subprocess.run([sextant, "list", "metrics", "--for", name, "--json"], capture_output=True, text=True, check=True)
    listed = json.loads(done.stdout)["metrics"]
    return {m["name"].rpartition(".")[2]: m["unit"] for m in listed} | {m["name"]: m["unit"] for m in listed}


def row_in_catalog_units(document, index, catalog_units):
    """{metric: value} of a row of eval, export or decode, each number in the catalog's unit again."""
    out = {}
    for name, unit, value in zip(document["metrics"], document["units"], document["rows"][index]):
        own = catalog_units.get(name) or catalog_units.get(name.partition("[")[0]) or unit or ""
        _, times, over = base(own)
        if isinstance(value, (int, float)) and own != (unit or ""):
            assert base(own)[0] == unit, (name, own, unit)
            value = value * over / times
        out[name] = value
    return out


_KNOWN = {}


def of_catalog(sextant, name):
    """{metric or counter: unit}; asked once for each catalog."""
    if name not in _KNOWN:
        _KNOWN[name] = of_metrics(sextant, name)
        done = subprocess.run([sextant, "list", "counters", "--for", name, "--json"], capture_output=True, text=True, check=True)
        _KNOWN[name] |= {c["name"]: c["unit"] for c in json.loads(done.stdout)["counters"]}
    return _KNOWN[name]


def in_catalog_units(sextant, document):
    """A document of eval, export or decode with the catalog's units in its tables again, as tests have them."""
    for table in document.get("devices", [document]):
        known = of_catalog(sextant, table["for"])
        rows = [row_in_catalog_units(table, i, known) for i in range(len(table["rows"]))]
        table["rows"] = [[row[name] for name in table["metrics"]] for row in rows]
    return document
