#!/usr/bin/env python3
"""Large files: what captures are asked for is read and no more, and texts take the memory of a block.

usage: test_large.py SEXTANT MAKE_LARGE [--long]
The short form has 64 MiB and is part of the suite; the long one is 2.6 GB of capture and 10 million
rows of six columns (`ninja large-files`).
"""
import json
import os
import random
import subprocess
import sys
import tempfile
import time

SEXTANT, MAKE_LARGE = sys.argv[1:3]
LONG = "--long" in sys.argv
MIB = 1 << 20


def run(*args):
    """What the command read in bytes, its peak memory in bytes, how long it took, and the output's beginning."""
    env = dict(os.environ, ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=1")
    began = time.monotonic()
    child = subprocess.Popen([SEXTANT, *args], stdout=subprocess.PIPE, env=env)
    head = child.stdout.read(1 << 20)
    while child.stdout.read(1 << 20):
        pass
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    with open(f"/proc/{child.pid}/io", encoding="ascii") as file:
        read = int(dict(line.split(": ") for line in file.read().splitlines())["rchar"])
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0, (args, child.returncode)
    return read, usage.ru_maxrss << 10, time.monotonic() - began, head


def captures(folder):
    path, part = os.path.join(folder, "large.sxc"), os.path.join(folder, "part.sxc")
    subprocess.run([MAKE_LARGE, path, "2600" if LONG else "64"], check=True)
    size = os.path.getsize(path)
    assert size > (2.6e9 if LONG else 60e6), size
    libraries, *_ = run("--version")  # what every start reads
    read, peak, took, head = run("capture", "info", path, "--json")
    info = json.loads(head)
    print(f"info of {size >> 20} MiB: {(read - libraries) >> 10} KiB read, {peak >> 20} MiB of memory, {took:.2f} s")
    assert info["rows"] * 913 * 8 >= 0.99 * size, info["rows"]
    assert read - libraries < size / 100 + MIB, (read - libraries, size)
    # A hundredth of its time, from the middle.
    middle = info["duration_ns"] // 2_000_000
    span = info["duration_ns"] // 100_000_000
    read, peak, took, _ = run("capture", "cut", path, "-q", "-o", part, "--from", f"{middle}ms", "--to",
                              f"{middle + span}ms")
    print(f"cut of {os.path.getsize(part) >> 10} KiB: {(read - libraries) >> 10} KiB read, {peak >> 20} MiB, {took:.2f} s")
    assert read - libraries < size / 25 + 6 * MIB, (read - libraries, size)
    assert abs(os.path.getsize(part) - size / 100) < size / 200 + 3 * MIB, os.path.getsize(part)
    checked, peak, took, _ = run("capture", "check", path, "-q")
    print(f"check: {(checked - libraries) >> 20} MiB read, {peak >> 20} MiB, {took:.2f} s")
    assert checked - libraries >= size, "check reads all of it"
    assert peak < 200 * MIB or "ASAN_OPTIONS" in os.environ, peak
    os.unlink(path)


def texts(folder):
    path = os.path.join(folder, "large.csv")
    rows = 10_000_000 if LONG else 200_000
    random.seed(1)
    block = "".join(f"{random.getrandbits(24)},{random.getrandbits(20)},{i},{i % 7},{random.getrandbits(10)},16000000\n"
                    for i in range(10000))
    with open(path, "w", encoding="ascii") as file:
        file.write("MaliGPUCyclesGPUActive,MaliGPUQueuedCyclesComp,x,y,z,duration_ns\n")
        for _ in range(rows // 10000):
            file.write(block)
    small = os.path.join(folder, "small.csv")
    with open(small, "w", encoding="ascii") as file:
        file.write("MaliGPUCyclesGPUActive,MaliGPUQueuedCyclesComp,x,y,z,duration_ns\n" + block * 10)
    for form in ("json", "csv", "ndjson", "text"):
        common = ("--for", "mali-g310", "-q", "-m", "gpu_active_cycles", "-f", form)
        _, few, _, _ = run("eval", small, *common)
        _, many, took, _ = run("eval", path, *common)
        print(f"eval of {os.path.getsize(path) >> 20} MiB to {form}: {many >> 20} MiB of memory ({few >> 20} for "
              f"100,000 rows), {took:.1f} s")
        assert many < few + 4 * MIB, (form, few, many)


def main():
    with tempfile.TemporaryDirectory() as folder:
        captures(folder)
        texts(folder)


main()
