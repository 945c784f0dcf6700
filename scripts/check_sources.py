#!/usr/bin/env python3
"""Holds docs/sources.md to src/source/sources.def: each source has a section with a table of states.

usage: check_sources.py SOURCE_ROOT
"""
import os
import re
import sys


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as f:
        return f.read()


def main():
    root = sys.argv[1]
    sources = re.findall(r"^SOURCE\((\w+)\)", read(root, "src/source/sources.def"), re.M)
    parts = re.split(r"^## (\w+)$", read(root, "docs/sources.md"), flags=re.M)
    sections = dict(zip(parts[1::2], parts[2::2]))
    findings = [f"docs/sources.md has no section on {name}" for name in sources if name not in sections]
    findings += [f"docs/sources.md: {name} has no table of what is verified"
                 for name in sources if name in sections and "\n| " not in sections[name]]
    findings += [f"docs/sources.md: {name} is no source" for name in sections if name not in sources]
    for finding in findings:
        print(finding)
    print(f"{len(sources)} sources, {len(findings)} findings")
    return 1 if findings or not sources else 0


if __name__ == "__main__":
    sys.exit(main())
