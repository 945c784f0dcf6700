#!/usr/bin/env python3
"""Decodes a recording of 1 GB to one row, against `cat` of the same cached file to /dev/null.

usage: oa_file.py SEXTANT BENCH_OA_DECODE [REPORTS]; prints both times, their ratio and peak memory (that of a
child, which starts with what Python has). Ends with 1 when the ratio exceeds 3.
"""
import os
import subprocess
import sys
import tempfile
import time

RUNS = 9


def best(command):
    """The quickest of some runs in seconds, and the most memory that one took in KiB."""
    times, memory = [], 0
    for _ in range(RUNS):
        begin = time.perf_counter()
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        times.append(time.perf_counter() - begin)
        child.returncode = os.waitstatus_to_exitcode(status)
        memory = max(memory, usage.ru_maxrss)
        if child.returncode:
            sys.exit(f"{command[0]} ended with {child.returncode}")
    return min(times), memory


def main():
    sextant, writer = sys.argv[1:3]
    reports = sys.argv[3] if len(sys.argv) > 3 else "4067797"
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "recording")
        subprocess.run([writer, reports, "1", path], check=True)
        size = os.path.getsize(path)
        cat, _ = best(["cat", path])
        decode, memory = best([sextant, "decode", "-i", path, "--as", "i915-record", "--counters", "--summary", "--json"])
        start, _ = best([sextant, "decode", "--help"])
    print(f"{size / 1e9:.2f} GB: cat {cat * 1e3:.0f} ms, decode {decode * 1e3:.0f} ms (of it start {start * 1e3:.0f} ms),"
          f" {decode / cat:.2f} times; peak {memory / 1024:.1f} MiB")
    sys.exit(decode > 3 * cat)


if __name__ == "__main__":
    main()
