#!/usr/bin/env python3
"""Writes the equations of one metric set as C functions, each computing what it refers to anew: the way
in which generated readers of OA metrics work. usage: oa_equations.py CATALOG SET OUT.c
"""
import sys

import yaml

C_OPS = {"UADD": "+", "USUB": "-", "UMUL": "*", "FADD": "+", "FSUB": "-", "FMUL": "*"}
SLOTS = {"GPU_TIME": 0, "GPU_CLOCK": 1, "A": 2, "B": 38, "C": 46}


def function(name):
    return f"read_{name}"


def body(metric, names):
    lines, stack, count = [], [], 0

    def emit(kind, text):
        nonlocal count
        lines.append(f"\t{kind} t{count} = {text};")
        stack.append(f"t{count}")
        count += 1

    for token in metric["expr"].split():
        if token == "READ":
            index, file = stack.pop(), stack.pop()
            emit("uint64_t", f"sums[{SLOTS[file] + int(index)}]")
        elif token in C_OPS:
            b, a = stack.pop(), stack.pop()
            emit("double" if token[0] == "F" else "uint64_t", f"{a} {C_OPS[token]} {b}")
        elif token in ("UDIV", "FDIV"):
            b, a = stack.pop(), stack.pop()
            kind = "double" if token == "FDIV" else "uint64_t"
            emit(kind, f"{b} ? ({kind}){a} / ({kind}){b} : 0")
        elif token in ("UMIN", "FMAX"):
            b, a = stack.pop(), stack.pop()
            emit("double" if token[0] == "F" else "uint64_t", f"{a} {'<' if token == 'UMIN' else '>'} {b} ? {a} : {b}")
        elif token.startswith("$"):
            name = token[1:]
            stack.append(f"{function(name)}(device, sums)" if name in names else f"device->{name}")
        else:
            stack.append(token)
    return "\n".join([*lines, f"\treturn {stack.pop()};"])


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        doc = yaml.safe_load(file)
    metrics = [m for m in doc["metrics"] if sys.argv[2] in m["groups"]]
    names = {m["name"] for m in metrics}
    out = ['#include "oa_equations.h"', ""]
    for m in metrics:
        kind = "uint64_t" if m["type"] == "u64" else "double"
        out.append(f"static {kind} {function(m['name'])}(const struct oa_constants *device, const uint64_t *sums);")
    for m in metrics:
        kind = "uint64_t" if m["type"] == "u64" else "double"
        out += ["", f"static {kind} {function(m['name'])}(const struct oa_constants *device, const uint64_t *sums)",
                "{", body(m, names), "}"]
    out += ["", "const struct oa_equation oa_equations[] = {"]
    for m in metrics:
        member = "u64" if m["type"] == "u64" else "f64"
        out.append(f"\t{{.{member} = {function(m['name'])}}},")
    out += ["};", f"const size_t oa_equation_count = {len(metrics)};", ""]
    with open(sys.argv[3], "w", encoding="utf-8") as file:
        file.write("\n".join(out))


if __name__ == "__main__":
    main()
