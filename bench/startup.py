#!/usr/bin/env python3
"""What starting costs: `list --for mali-g310`, `--for intel-mtlgt3` (254 sets), `list devices` and `stat -d cpu -- true` as
processes, and loading the library. Limits: 10, 20, 10 and 20 ms (more than true) and 1 ms, medians of runs; CPU time, the
least of them, beside. Usage: startup.py SEXTANT LIBSEXTANT"""
import resource
import statistics
import subprocess
import sys
import time

RUNS = 41
LIST_MS, MANY_MS, LOAD_MS = 10.0, 20.0, 1.0
DEVICES_MS, STAT_MS = 10.0, 20.0


def milliseconds(call):
    begin = time.perf_counter()
    call()
    return (time.perf_counter() - begin) * 1e3


def list_once(sextant, catalog):
    subprocess.run([sextant, 'list', 'metrics', '--for', catalog], stdout=subprocess.DEVNULL, check=True)


def run_once(*args):
    subprocess.run(args, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)


def cpu_milliseconds(call):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    call()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1e3


def load_in_child(library):
    """Each load in a process of its own, so that none finds the library already there."""
    code = ('import ctypes, sys, time; b = time.perf_counter(); ctypes.CDLL(sys.argv[1]); '
            'print((time.perf_counter() - b) * 1e3)')
    out = subprocess.run([sys.executable, '-c', code, library], capture_output=True, text=True, check=True)
    return float(out.stdout)


def main():
    sextant, library = sys.argv[1:3]
    listing = statistics.median(milliseconds(lambda: list_once(sextant, 'mali-g310')) for _ in range(RUNS))
    many = statistics.median(milliseconds(lambda: list_once(sextant, 'intel-mtlgt3')) for _ in range(RUNS))
    cpu = {name: min(cpu_milliseconds(lambda name=name: list_once(sextant, name)) for _ in range(RUNS)) for name in ('mali-g310', 'intel-mtlgt3')}
    nothing = statistics.median(milliseconds(lambda: subprocess.run(['/bin/true'], check=True)) for _ in range(RUNS))
    devices = statistics.median(milliseconds(lambda: run_once(sextant, 'list', 'devices')) for _ in range(RUNS))
    stat = statistics.median(milliseconds(lambda: run_once(sextant, 'stat', '-d', 'cpu', '--', 'true')) for _ in range(RUNS))
    load = statistics.median(load_in_child(library) for _ in range(RUNS))
    print(f'list metrics --for mali-g310: {listing:.2f} ms, {cpu["mali-g310"]:.2f} ms of CPU time (limit {LIST_MS}; /bin/true {nothing:.2f} ms)')
    print(f'list metrics --for intel-mtlgt3: {many:.2f} ms, {cpu["intel-mtlgt3"]:.2f} ms of CPU time (limit {MANY_MS})')
    print(f'list devices: {devices:.2f} ms (limit {DEVICES_MS})')
    print(f'stat -d cpu -- true: {stat:.2f} ms, {stat - nothing:.2f} more than true (limit {STAT_MS})')
    print(f'loading the library: {load:.3f} ms (limit {LOAD_MS})')
    fast = listing <= LIST_MS and many <= MANY_MS and load <= LOAD_MS
    return 0 if fast and devices <= DEVICES_MS and stat - nothing <= STAT_MS else 1


if __name__ == '__main__':
    sys.exit(main())
