"""Labels that never come back: whoever records or reads them takes as much memory for many as for
few, and what has no name any more is told.

usage: test_labels.py [--long]
"""
import csv
import os
import subprocess
import sys
import tempfile

SEXTANT = os.environ["SEXTANT"]
PROGRAM = os.path.join(os.environ["SEXTANT_GL_PROGRAMS"], "gl-labels")
FULL = 12000  # short labels that one program has room for
# What a sanitizer keeps of freed memory would be all that is seen.
ENVIRONMENT = dict(os.environ)
ENVIRONMENT["ASAN_OPTIONS"] = ENVIRONMENT.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=0"
# KiB that a long run may take more than a short one: rows wait for a disk that is busy. All labels
# would take more.
MORE = 48 << 10


def peak(*arguments, codes=(0,)):
    """Runs the command; its peak memory in KiB, what it said, and its exit status."""
    started = subprocess.Popen([SEXTANT, *arguments], env=ENVIRONMENT, stderr=subprocess.PIPE,
                               text=True)
    said = started.stderr.read()
    _, status, usage = os.wait4(started.pid, 0)
    started.returncode = os.waitstatus_to_exitcode(status)
    assert started.returncode in codes, (arguments, started.returncode, said)
    return usage.ru_maxrss, said, started.returncode


def record(path, programs, each, prefix="group"):
    """On a machine with more to do than it can, samples are lost (1), or the program gets no channel (2): then once more."""
    for _ in range(10):
        size, said, code = peak("record", "-d", "gl", "--per", "group", "-o", path, "--", PROGRAM,
                                str(programs), str(each), prefix, codes=(0, 1, 2))
        if code == 0:
            return size
        assert code == 2 or "lost: " in said, said
    raise AssertionError(said)


def groups_of(path, out):
    peak("export", path, "--csv", "-o", out, "-m", "Frames")
    with open(out, newline="", encoding="utf-8") as file:
        return [row["group"] for row in csv.DictReader(file)]


def same_memory(folder, programs, each, prefix):
    """Few labels and many: the recording and what reads it."""
    few, many, out = (os.path.join(folder, name) for name in ("few.sxc", "many.sxc", "out"))
    sizes = {"record": (record(few, 3, each, prefix), record(many, programs, each, prefix))}
    for verb in (["stat", "-i"], ["report"], ["export", "--csv"], ["advise"]):
        sizes[" ".join(verb)] = tuple(peak(*verb, path, "-q", "-o", out)[0] for path in (few, many))
    for verb, (small, large) in sizes.items():
        assert large < small + MORE, f"{verb}: {small} KiB for few labels, {large} KiB for many"
    want = {f"{prefix} {label} of program {program + 1}" for program in range(programs)
            for label in range(each)}
    groups = groups_of(many, out)
    assert len(groups) == len(want) and set(groups) == want, len(groups)
    return sizes


def too_many(folder):
    """One program with more labels than it has room for: what lacks a name is told."""
    path, out = os.path.join(folder, "full.sxc"), os.path.join(folder, "out")
    record(path, 1, 2 * FULL)
    groups = groups_of(path, out)
    named = sum(1 for group in groups if group)
    assert len(groups) == 2 * FULL and FULL <= named < 2 * FULL, (len(groups), named)
    want = f"{2 * FULL - named} debug groups without a name"
    for verb in (["report"], ["stat", "-i"], ["capture", "info"]):
        for form in ([], ["--json"]):
            said = subprocess.run([SEXTANT, *verb, path, *form], capture_output=True, text=True,
                                  check=True)
            assert want in " ".join(said.stdout.split()), (verb, form, want, said.stdout[:2000])


def main():
    if not os.path.exists(PROGRAM):
        sys.exit(77)
    # A million short ones; else fewer, and long, so that all of them would be seen as well.
    programs, each, prefix = (84, FULL, "group") if "--long" in sys.argv else (40, 900, "x" * 1000)
    with tempfile.TemporaryDirectory() as folder:
        sizes = same_memory(folder, programs, each, prefix)
        too_many(folder)
    for verb, (small, large) in sizes.items():
        print(f"{verb}: {small >> 10} MiB for {3 * each} labels, {large >> 10} MiB for "
              f"{programs * each}")


main()
