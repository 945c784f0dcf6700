#!/usr/bin/env python3
"""Holds man/sextant.1 to the command: every verb and option described, none that is not there.

usage: check_man.py SOURCE_ROOT
"""
import os
import re
import shutil
import subprocess
import sys


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as f:
        return f.read()


def section(page, title):
    """The text of one .SH section."""
    match = re.search(rf"^\.SH {title}\n(.*?)(?=^\.SH |\Z)", page, re.M | re.S)
    return match.group(1) if match else ""


def plain(line):
    """A line of roff without requests, fonts and escapes."""
    line = re.sub(r"^\.[A-Z]+ ", "", line)
    return re.sub(r"\\f[A-Z]", "", line).replace("\\-", "-").replace('"', "")


def tags(text):
    """The line behind each .TP."""
    return [plain(line) for line in re.findall(r"^\.TP\n(.+)$", text, re.M)]


def compare(what, have, want, findings):
    for name in sorted(want - have):
        findings.append(f"man/sextant.1 does not describe the {what} {name}")
    for name in sorted(have - want):
        findings.append(f"man/sextant.1 describes {name}, which is no {what}")


def check_groff(root, findings):
    if not shutil.which("man"):
        print("man is missing: the page's formatting was not checked")
        return
    run = subprocess.run(
        ["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", os.path.join(root, "man/sextant.1")],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False,
        env=dict(os.environ, MANROFFSEQ="", MANWIDTH="80", LC_ALL="C.UTF-8"))
    findings += run.stderr.splitlines()


def main():
    root = sys.argv[1]
    page = read(root, "man/sextant.1")
    findings = []
    verbs = set(re.findall(r"^VERB\((\w+)\)", read(root, "tools/verbs.def"), re.M))
    told = {tag.split()[0] for tag in tags(section(page, "VERBS"))}
    compare("verb", told, verbs, findings)
    options = {
        (f"-{letter}, " if letter else "") + f"--{name}"
        for name, letter in re.findall(
            r"^\s*\{\"([a-z-]+)\", (?:'(.)'|0), [A-Z]+,", read(root, "tools/cli/options/table.c"), re.M)
    }
    matches = [re.match(r"(?:-(\w)\s*,\s*)?--([a-z]+(?:-[a-z]+)*)", tag) for tag in tags(section(page, "OPTIONS"))]
    told = {(f"-{m[1]}, " if m[1] else "") + f"--{m[2]}" for m in matches if m}
    compare("option", told, options, findings)
    if len(verbs) < 5 or len(options) < 20:
        findings.append("check_man.py no longer understands tools/verbs.def or tools/cli/options/table.c")
    check_groff(root, findings)
    for finding in findings:
        print(finding)
    print(f"{len(verbs)} verbs, {len(options)} options, {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
