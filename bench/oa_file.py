#!/usr/bin/env python3
"""Decodes a recording of 1 GB to one row, against `cat` of the same cached file to /dev/null.

usage: oa_file.py SEXTANT BENCH_OA_DECODE [REPORTS]; prints both times, their ratio and peak memory.
"""
import os
import resource
import subprocess
import sys
import tempfile
import time

RUNS = 9


def best(command):
    times = []
    for _ in range(RUNS):
        begin = time.perf_counter()
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        times.append(time.perf_counter() - begin)
    return min(times)


def main():
    sextant, writer = sys.argv[1:3]
    reports = sys.argv[3] if len(sys.argv) > 3 else "4067797"
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "recording")
        subprocess.run([writer, reports, "1", path], check=True)
        size = os.path.getsize(path)
        cat = best(["cat", path])
        decode = best([sextant, "decode", "-i", path, "--as", "i915-record", "--counters", "--summary", "--json"])
        start = best([sextant, "decode", "--help"])
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    print(f"{size / 1e9:.2f} GB: cat {cat * 1e3:.0f} ms, decode {decode * 1e3:.0f} ms (of it start {start * 1e3:.0f} ms),"
          f" {decode / cat:.2f} times; peak {memory / 1024:.0f} MiB of any child")


if __name__ == "__main__":
    main()
