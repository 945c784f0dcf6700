#!/usr/bin/env python3
"""Evaluates the metrics of any catalog over CSV, written from docs/catalog-format.md alone.

eval.py CATALOG.yaml CSV [--variant NAME] [--set NAME] [--const NAME=VALUE]...
prints {"metrics": [name, ...], "rows": [[value or null, ...], ...]}, as `sextant eval --json` does.

Whole numbers are Python integers and exact, f64 are Python floats, None is "no data".
"""
import argparse
import csv
import functools
import json
import math
import re
import sys

import catalog_yaml

U64 = (1 << 64) - 1
U128 = (1 << 128) - 1
BUILT_IN = ("duration_ns", "seconds")


class Product(int):
    """A product of the intel dialect: 128 bits for a division or a further product."""


# --- parsing: a tree is ("number", value), ("name", name, instances) or (operator, [children])

TOKEN = re.compile(r"\s*(?:(0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)|"
                   r"(\$?[A-Za-z_][A-Za-z0-9_.]*(?:\[[^\]]*\][A-Za-z0-9_.]*)?)|"
                   r"(<=|>=|==|!=|[-+*/<>(),]))")
FUNCTIONS = ("min", "max", "sum", "avg", "abs", "if")
LEVELS = [("or",), ("and",), ("<", "<=", ">", ">=", "==", "!="), ("+", "-"), ("*", "/")]


def number(text):
    return int(text, 0) if re.fullmatch(r"\d+|0[xX][0-9a-fA-F]+", text) else float(text)


def name_node(text):
    part = re.fullmatch(r"\$?([^\[]*)(?:\[(.*?)\](.*))?", text)
    head, inside, tail = part.groups()
    if inside is None:
        return ("name", head, None)
    if inside == "*":
        return ("name", head + tail, "*")
    first, _, last = inside.partition("..")
    return ("name", head + tail, (int(first), int(last or first)))


class Infix:
    def __init__(self, text):
        self.tokens, at = [], 0
        text = text.rstrip()
        while at < len(text):
            match = TOKEN.match(text, at)
            if not match:
                raise ValueError(f"cannot read {text[at:]!r}")
            self.tokens.append(next((k, g) for k, g in zip("nis", match.groups()) if g))
            at = match.end()
        self.at = 0

    def peek(self):
        return self.tokens[self.at][1] if self.at < len(self.tokens) else None

    def take(self, expected=None):
        kind, text = self.tokens[self.at]
        if expected and text != expected:
            raise ValueError(f"expected {expected}, found {text}")
        self.at += 1
        return kind, text

    def parse(self):
        tree = self.level(0)
        if self.peek() is not None:
            raise ValueError(f"unexpected {self.peek()}")
        return tree

    def level(self, depth):
        if depth == len(LEVELS):
            return self.unary()
        if depth == 2 and self.peek() == "not":
            self.take()
            return ("not", [self.level(2)])
        tree = self.level(depth + 1)
        while self.peek() in LEVELS[depth]:
            tree = (self.take()[1], [tree, self.level(depth + 1)])
        return tree

    def unary(self):
        if self.peek() == "-":
            self.take()
            return ("neg", [self.unary()])
        kind, text = self.take()
        if kind == "n":
            return ("number", number(text))
        if text == "(":
            tree = self.level(0)
            self.take(")")
            return tree
        if kind == "i" and text in FUNCTIONS and self.peek() == "(":
            self.take("(")
            children = [self.level(0)]
            while self.peek() == ",":
                self.take()
                children.append(self.level(0))
            self.take(")")
            return (text, children)
        if kind != "i":
            raise ValueError(f"unexpected {text}")
        return name_node(text)


def parse_postfix(text):
    stack = []
    for word in text.split():
        if word == "READ":
            index, file = stack.pop()[1], stack.pop()[1]
            single = file in ("GPU_TIME", "GPU_CLOCK")
            stack.append(("name", file if single else f"{file}{index}", None))
        elif word in POSTFIX:
            b, a = stack.pop(), stack.pop()
            stack.append((word, [a, b]))
        elif word[0].isdigit() or word[0] == ".":
            stack.append(("number", number(word)))
        else:
            stack.append(name_node(word))
    if len(stack) != 1:
        raise ValueError(f"{len(stack)} values are left of {text}")
    return stack[0]


# --- arithmetic

def clean(value):
    return None if isinstance(value, float) and math.isnan(value) else value


def narrow(value):
    return int(value) & U64 if isinstance(value, Product) else value


def cut(value):
    if isinstance(value, int):
        return value
    return 0 if value <= 0 else min(int(value), U64) if value < 2.0**64 else U64


def unsigned(op):
    def apply(a, b):
        a, b = narrow(a), narrow(b)
        if isinstance(a, float) or isinstance(b, float):
            result = clean(op(float(a), float(b)))
            return None if result is None else cut(result)
        return op(a, b) & U64
    return apply


def umul(a, b):
    if isinstance(a, float) or isinstance(b, float):
        return unsigned(lambda x, y: x * y)(a, b)
    return Product(int(a) * int(b) & U128)


def whole(op):
    return lambda a, b: int(op(cut(narrow(a)), cut(narrow(b)))) & U64


def real(op):
    return lambda a, b: op(float(narrow(a)), float(narrow(b)))


def difference(a, b):
    """Counts differ exactly; a difference below zero is no data."""
    a, b = narrow(a), narrow(b)
    if a < b:
        return None
    return cut(float(a) - float(b)) if isinstance(a, float) or isinstance(b, float) else a - b


def real_difference(a, b):
    a, b = narrow(a), narrow(b)
    if isinstance(a, float) or isinstance(b, float):
        a, b = float(a), float(b)
        if a < b:  # no data, but where rounding alone may have made it
            return 0.0 if b - a <= b * 2.0**-50 else None
        return a - b
    result = difference(a, b)
    return None if result is None else float(result)


POSTFIX = {
    "UADD": unsigned(lambda a, b: a + b), "USUB": difference, "UMUL": umul,
    "UMIN": unsigned(min), "UMAX": unsigned(max), "UDIV": None, "FDIV": None,
    "FADD": real(lambda a, b: a + b), "FSUB": real_difference,
    "FMUL": real(lambda a, b: a * b), "FMIN": real(min), "FMAX": real(max),
    "AND": whole(lambda a, b: a & b), "OR": whole(lambda a, b: a | b),
    "ULT": whole(lambda a, b: a < b), "ULTE": whole(lambda a, b: a <= b),
    "UGT": whole(lambda a, b: a > b), "UGTE": whole(lambda a, b: a >= b),
    "UEQ": whole(lambda a, b: a == b),
}
INFIX = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b,
    "min": min, "max": max,
    "<": lambda a, b: float(a < b), "<=": lambda a, b: float(a <= b),
    ">": lambda a, b: float(a > b), ">=": lambda a, b: float(a >= b),
    "==": lambda a, b: float(a == b), "!=": lambda a, b: float(a != b),
    "and": lambda a, b: float(a != 0 and b != 0), "or": lambda a, b: float(a != 0 or b != 0),
}


class Arithmetic:
    """What operators mean in one dialect."""

    def __init__(self, dialect):
        self.standard = dialect == "standard"
        self.by_zero = None if self.standard else 0

    def binary(self, op, a, b):
        if a is None or b is None:
            return None
        if op == "UDIV":
            a, b = cut(a), cut(narrow(b))
            return int(a) // int(b) & U64 if b else self.by_zero
        if op == "FDIV":
            b = float(narrow(b))
            return clean(float(int(a) if isinstance(a, int) else a) / b) if b \
                else None if self.standard else 0.0
        if op in POSTFIX:
            return clean(POSTFIX[op](a, b))
        if op in "+-" and self.standard and isinstance(a, int) and isinstance(b, int) and \
                not isinstance(a, Product) and not isinstance(b, Product):
            return INFIX[op](a, b)
        a, b = float(a), float(b)
        if op == "/":
            return clean(a / b) if b else None if self.standard else 0.0
        return clean(INFIX[op](a, b))

    def negate(self, a):
        return -a if self.standard and isinstance(a, int) else -float(a)

    def reduce(self, op, values):
        total = values[0]
        for value in values[1:]:
            total = self.binary("+" if op in ("sum", "avg") else op, total, value)
        return self.binary("/", total, len(values)) if op == "avg" else total


# --- catalogs

class Metric:
    def __init__(self, info, group, variant, postfix):
        self.name, self.group, self.info = info["name"], group, info
        text = info.get("exprs", {}).get(variant, info.get("expr"))
        if "unavailable" in info:
            text = None
        self.text, self.postfix = text, postfix
        self.type = info.get("type", "f64")

    @functools.cached_property
    def tree(self):
        """Parsed when it is needed: a set uses few of a catalog's formulas."""
        return self.text and (
            parse_postfix(self.text) if self.postfix else Infix(self.text).parse())

    @functools.cached_property
    def condition(self):
        return parse_postfix(self.info["when"]) if "when" in self.info else None


class Catalog:
    def __init__(self, path, variant=None, constants=None):
        doc = catalog_yaml.load(path)
        self.doc = doc
        postfix = doc["notation"] == "postfix"
        variants = [v["name"] for v in doc.get("variants", [])]
        variant = variant or (variants[0] if variants else None)
        self.arithmetic = Arithmetic(doc["dialect"])
        self.metrics = [Metric(info, group, variant, postfix) for info in doc.get("metrics", [])
                        for group in info.get("groups") or [None]]
        self.by_group = {(m.group, n): m for m in reversed(self.metrics)
                         for n in [m.name] + m.info.get("aliases", [])}
        self.by_name = {n: m for m in reversed(self.metrics)
                        for n in [m.name] + m.info.get("aliases", [])}
        self.counters = {}
        for counter in reversed(doc.get("counters", [])):
            for name in [counter["name"]] + counter.get("aliases", []):
                self.counters[name] = counter
                self.counters[(counter.get("group"), name)] = counter
        self.constants, self.constant_names = {}, {}
        for constant in doc.get("constants", []):
            for name in [constant["name"]] + constant.get("aliases", []):
                self.constant_names[name] = constant["name"]
            if "default" in constant:
                self.constants[constant["name"]] = constant["default"]
        for name, value in (constants or {}).items():
            self.constants[self.constant_names[name]] = value
        self.blocks = {b["name"]: b for b in doc.get("blocks", [])}

    def reduction(self, name):
        counter = self.counters[name]
        count = self.blocks.get(counter.get("block"), {}).get("instances", 1)
        return counter.get("reduce", "single" if count == 1 else "sum")

    def what(self, name, group):
        """("metric", m), ("counter", c), ("constant", name) or ("built-in", name)."""
        if group and (group, name) in self.by_group:
            return "metric", self.by_group[group, name]
        for key in ((group, name), name):
            if key in self.counters:
                return "counter", self.counters[key]
        if name in self.constant_names:
            return "constant", self.constant_names[name]
        if name in self.by_name:
            return "metric", self.by_name[name]
        bare = name.partition(".")
        if (bare[0], bare[2]) in self.by_group:
            return "metric", self.by_group[bare[0], bare[2]]
        if name in BUILT_IN:
            return "built-in", name
        raise ValueError(f"{name} means nothing")


def column_key(catalog, name):
    """What a CSV column is: ("counter", name, instance), ("constant", name) or a built-in."""
    name = name.lstrip("$")
    counters = catalog.counters
    if name in counters:
        return "counter", counters[name]["name"], None
    head, dot, tail = name.partition(".")
    for stem, rest in ((head, dot + tail), (name, "")):
        part = re.fullmatch(r"(.*?)(?:\[(\d+)\]|(\d+))", stem)
        if part and part.group(1) + rest in counters:
            return "counter", counters[part.group(1) + rest]["name"], int(part.group(2) or part.group(3))
    if name in catalog.constant_names:
        return "constant", catalog.constant_names[name]
    return "other", name


class Row:
    """The values of one row, and the evaluation of everything over it."""

    def __init__(self, catalog, values):
        self.catalog, self.values = catalog, values
        self.seen = {}
        for key in values:
            if key[0] == "counter" and key[2] is not None:
                self.seen[key[1]] = max(self.seen.get(key[1], 0), key[2] + 1)
        self.busy, self.done = set(), {}

    def instances(self, name, spec, group):
        if spec != "*":
            return range(spec[0], spec[1] + 1)
        counter = self.catalog.what(name, group)[1]
        count = self.catalog.blocks[counter["block"]].get("instances", 1)
        if isinstance(count, str):
            known = self.catalog.constants.get(self.catalog.constant_names[count])
            count = known or self.seen.get(counter["name"], 1)
        return range(count)

    def metric(self, metric):
        key = id(metric)
        if key not in self.done:
            if key in self.busy:
                raise ValueError(f"cycle through {metric.name}")
            self.busy.add(key)
            value = None if metric.tree is None else self.value(metric.tree, metric.group)
            self.busy.discard(key)
            self.done[key] = narrow(value)
            if self.catalog.arithmetic.standard or metric.tree is None:
                self.done[key] = value
        return self.done[key]

    def name(self, name, instance, group):
        kind, what = self.catalog.what(name, group)
        if kind == "metric" and instance is None:
            return self.metric(what)
        if kind == "counter":
            return self.values.get(("counter", what["name"], instance))
        if kind == "constant":
            if ("constant", what) in self.values:
                value = self.values["constant", what]
                return None if value is None else float(value)
            return self.catalog.constants.get(what)
        duration = self.values.get(("other", "duration_ns"))
        if name == "duration_ns" or duration is None:
            return duration
        return float(duration) / 1e9

    def is_constant(self, tree, group):
        """Whether no row can change it: then an `if` is its chosen branch, types and all."""
        if tree[0] == "number":
            return True
        if tree[0] == "name":
            kind, what = self.catalog.what(tree[1], group)
            if kind == "metric":
                return what.tree is not None and self.is_constant(what.tree, what.group)
            return kind == "constant" and ("constant", what) not in self.values and \
                what in self.catalog.constants
        if tree[0] == "if" and self.is_constant(tree[1][0], group):
            chosen = self.value(tree[1][0], group)
            return chosen is not None and self.is_constant(tree[1][1 if chosen else 2], group)
        return all(self.is_constant(child, group) for child in tree[1])

    def choose(self, children, group):
        condition = self.value(children[0], group)
        if condition is None:
            return None
        value = self.value(children[1 if condition != 0 else 2], group)
        if value is None or self.is_constant(children[0], group):
            return value
        return float(value)

    def value(self, tree, group):
        op, arithmetic = tree[0], self.catalog.arithmetic
        if op == "number":
            return tree[1]
        if op == "name":
            return self.name(tree[1], tree[2] and tree[2][0], group)
        if op == "if":
            return self.choose(tree[1], group)
        if op in ("min", "max", "sum", "avg"):
            values = []
            for child in tree[1]:
                if child[0] == "name" and child[2]:
                    values += [self.name(child[1], i, group)
                               for i in self.instances(child[1], child[2], group)]
                else:
                    values.append(self.value(child, group))
            return arithmetic.reduce(op, values)
        values = [self.value(child, group) for child in tree[1]]
        if op in ("neg", "abs", "not"):
            if values[0] is None:
                return None
            return arithmetic.negate(values[0]) if op == "neg" else \
                abs(float(values[0])) if op == "abs" else float(values[0] == 0)
        return arithmetic.binary(op, *values)

    def result(self, metric):
        """The value as its column holds it."""
        if metric.condition and self.value(metric.condition, metric.group) == 0:
            return None
        value = self.metric(metric)
        if value is None:
            return None
        if metric.type != "u64":
            return float(value)
        value = narrow(value)
        if isinstance(value, float):
            value = round(value) if math.isfinite(value) else -1
        return value if 0 <= value <= U64 else None


def read_csv(catalog, lines):
    rows = list(csv.reader(lines))
    keys = [column_key(catalog, name) for name in rows[0]]
    cells = [[row[i] if i < len(row) else "" for row in rows[1:]] for i in range(len(keys))]
    # A column of nothing but whole numbers is u64, whatever the counter is elsewhere.
    kinds = [int if all(re.fullmatch(r"\d*", c.strip()) for c in column) else float
             for column in cells]
    empty = {key for key, column in zip(keys, cells) if not any(c.strip() for c in column)}
    for row in rows[1:]:
        values = {key: (kind(cell) if cell.strip() else None)
                  for key, kind, cell in zip(keys, kinds, row)}
        reduce_instances(catalog, values, empty)
        yield values


def reduce_instances(catalog, values, empty):
    """A counter of which the table has only the instances: reduced row by row; one missing, no data."""
    parts = {}
    for key, value in values.items():
        if key[0] == "counter" and key[2] is not None and key not in empty:
            parts.setdefault(key[1], []).append(value)
    for name, amounts in parts.items():
        bare = ("counter", name, None)
        how = catalog.reduction(name)
        if how not in ("sum", "mean", "max") or (bare in values and bare not in empty):
            continue
        values[bare] = None
        if None in amounts:
            continue
        whole = all(isinstance(a, int) for a in amounts)
        total = max(amounts) if how == "max" else sum(amounts)
        if how == "mean":
            total = (total + len(amounts) // 2) // len(amounts) if whole else total / len(amounts)
        values[bare] = total & U64 if whole else float(total)


def evaluate(catalog, lines, group=None):
    metrics = [m for m in catalog.metrics if group is None or m.group == group]
    table = []
    for values in read_csv(catalog, lines):
        row = Row(catalog, values)
        table.append([row.result(m) for m in metrics])
    return {"metrics": [m.name for m in metrics], "units": [m.info.get("unit", "") for m in metrics], "rows": table}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("catalog")
    parser.add_argument("csv")
    parser.add_argument("--variant")
    parser.add_argument("--set")
    parser.add_argument("--const", action="append", default=[])
    args = parser.parse_args()
    constants = {name: number(value) for name, value in (c.split("=", 1) for c in args.const)}
    catalog = Catalog(args.catalog, args.variant, constants)
    with open(args.csv, encoding="utf-8", newline="") as file:
        json.dump(evaluate(catalog, file, args.set), sys.stdout)
    print()


if __name__ == "__main__":
    main()
