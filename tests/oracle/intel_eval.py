#!/usr/bin/env python3
"""Evaluates Intel's postfix equations, independently of the C code: the oracle of the intel dialect.

Library: Catalog(path).evaluate(set, counters, constants) -> {metric: int, float or None}.
Command: intel_eval.py CATALOG SET [NAME=VALUE ...] prints "metric<TAB>value" for every metric of a set.

Integers are exact Python numbers. A product carries up to 128 bits into a division; every other use
sees it modulo 2^64. None is "no data" and passes through everything.
"""
import sys
import yaml

U64 = (1 << 64) - 1
U128 = (1 << 128) - 1


class Product(int):
    """An integer product that has not been divided yet."""


def narrow(value):
    return int(value) & U64 if isinstance(value, int) else value


def cut(value):
    """An f64 as C converts it to u64, with the ends made definite."""
    if isinstance(value, int):
        return value
    if value != value or value <= 0:
        return 0
    return min(int(value), U64)


def nearest(value):
    """A result of type u64: the nearest whole number, ties to even; no data outside of the range."""
    if isinstance(value, int):
        return narrow(value)
    return round(value) if 0 <= value < 2.0**64 else None


def integer(op):
    def apply(a, b):
        a, b = narrow(a), narrow(b)
        if isinstance(a, float) or isinstance(b, float):
            return cut(op(float(a), float(b)))
        return op(a, b) & U64
    return apply


def umul(a, b):
    if isinstance(a, float) or isinstance(b, float):
        return cut(float(narrow(a)) * float(narrow(b)))
    return Product((int(a) * int(b)) & U128)


def udiv(a, b):
    a, b = cut(a), cut(narrow(b))
    return (int(a) // int(b)) & U64 if b else 0


def real(op):
    return lambda a, b: op(float(narrow(a)), float(narrow(b)))


def fdiv(a, b):
    b = float(narrow(b))
    return float(int(a) if isinstance(a, int) else a) / b if b else 0.0


def compare(op):
    return lambda a, b: int(op(cut(narrow(a)), cut(narrow(b))))


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


OPS = {
    "UADD": integer(lambda a, b: a + b), "USUB": difference,
    "UMUL": umul, "UDIV": udiv,
    "UMIN": integer(min), "UMAX": integer(max),
    "FADD": real(lambda a, b: a + b), "FSUB": real_difference,
    "FMUL": real(lambda a, b: a * b), "FDIV": fdiv,
    "FMIN": real(min), "FMAX": real(max),
    "AND": integer(lambda a, b: int(a) & int(b)), "OR": integer(lambda a, b: int(a) | int(b)),
    "ULT": compare(lambda a, b: a < b), "ULTE": compare(lambda a, b: a <= b),
    "UGT": compare(lambda a, b: a > b), "UGTE": compare(lambda a, b: a >= b),
    "UEQ": compare(lambda a, b: a == b),
}


def counter_name(file, index):
    """`A 7 READ` is A7; GPU_TIME and GPU_CLOCK have no number."""
    return file if file in ("GPU_TIME", "GPU_CLOCK") else f"{file}{index}"


def run(equation, lookup):
    """Runs one equation; lookup(name, is_counter) gives an int, a float or None."""
    stack = []
    for token in equation.split():
        if token == "READ":
            index, file = stack.pop(), stack.pop()
            stack.append(lookup(counter_name(file, index), True))
        elif token in OPS:
            b, a = stack.pop(), stack.pop()
            stack.append(None if a is None or b is None else OPS[token](a, b))
        elif token.startswith("$"):
            stack.append(lookup(token[1:], False))
        elif token[0].isdigit():
            stack.append(float(token) if "." in token else int(token, 0))
        else:
            stack.append(token)
    if len(stack) != 1 or isinstance(stack[0], str):
        raise ValueError(f"equation leaves {stack}: {equation}")
    return stack[0]


class Catalog:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.doc = yaml.safe_load(file)
        self.counters = {c["name"] for c in self.doc["counters"]}
        self.defaults = {c["name"]: c["default"] for c in self.doc["constants"] if "default" in c}
        self.constants = {c["name"] for c in self.doc["constants"]}
        self.sets = {g["name"]: {} for g in self.doc["groups"]}
        for metric in self.doc["metrics"]:
            for group in metric["groups"]:
                if metric["name"] in self.sets[group]:
                    raise ValueError(f"{group} has {metric['name']} twice")
                self.sets[group][metric["name"]] = metric

    def evaluate(self, group, counters, constants=None, key="expr"):
        """All metrics of a set (key "max": their maxima); a missing counter or constant is None."""
        metrics = self.sets[group]
        known = {**self.defaults, **(constants or {})}
        done, busy = {}, set()

        def lookup(name, is_counter):
            if is_counter:
                if name not in self.counters:
                    raise KeyError(f"no counter {name}")
                return counters.get(name)
            if name in metrics:
                return value(name)
            if name not in self.constants:
                raise KeyError(f"no metric or constant {name}")
            return known.get(name)

        def finish(metric, result):
            if result is None:
                return None
            if metric.get("type") == "u64":
                return nearest(result)
            return float(int(result)) if isinstance(result, Product) else float(result)

        def value(name):
            if name not in done:
                if name in busy:
                    raise ValueError(f"cycle through {name}")
                busy.add(name)
                done[name] = finish(metrics[name], run(metrics[name]["expr"], lookup))
                busy.discard(name)
            return done[name]

        if key == "max":
            return {n: finish(m, run(m["max"], lookup)) for n, m in metrics.items() if "max" in m}
        return {name: value(name) for name in metrics}

    def exists(self, group, name, constants):
        """Whether a device with these constants has the metric."""
        when = self.sets[group][name].get("when")
        known = {**self.defaults, **constants}
        result = run(when, lambda n, _: known.get(n)) if when else 1
        return result is None or bool(result)


def main(argv):
    if len(argv) < 3:
        sys.exit(__doc__)
    given = dict(arg.split("=", 1) for arg in argv[3:])
    numbers = {k: float(v) if "." in v or "e" in v.lower() and not v.startswith("0x") else int(v, 0)
               for k, v in given.items()}
    for name, value in Catalog(argv[1]).evaluate(argv[2], numbers, numbers).items():
        text = "null" if value is None else str(value) if isinstance(value, int) else f"{value:.17g}"
        print(f"{name}\t{text}")


if __name__ == "__main__":
    main(sys.argv)
