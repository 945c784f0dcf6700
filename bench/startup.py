#!/usr/bin/env python3
"""What starting costs: `list --for mali-g310` as a process, and loading the library.
Limits: 10 ms and 1 ms, medians of runs. Usage: startup.py SEXTANT LIBSEXTANT"""
import statistics
import subprocess
import sys
import time

RUNS = 41
LIST_MS, LOAD_MS = 10.0, 1.0


def milliseconds(call):
    begin = time.perf_counter()
    call()
    return (time.perf_counter() - begin) * 1e3


def list_once(sextant):
    subprocess.run([sextant, 'list', 'metrics', '--for', 'mali-g310'], stdout=subprocess.DEVNULL, check=True)


def load_in_child(library):
    """Each load in a process of its own, so that none finds the library already there."""
    code = ('import ctypes, sys, time; b = time.perf_counter(); ctypes.CDLL(sys.argv[1]); '
            'print((time.perf_counter() - b) * 1e3)')
    out = subprocess.run([sys.executable, '-c', code, library], capture_output=True, text=True, check=True)
    return float(out.stdout)


def main():
    sextant, library = sys.argv[1:3]
    listing = statistics.median(milliseconds(lambda: list_once(sextant)) for _ in range(RUNS))
    nothing = statistics.median(milliseconds(lambda: subprocess.run(['/bin/true'], check=True)) for _ in range(RUNS))
    load = statistics.median(load_in_child(library) for _ in range(RUNS))
    print(f'list metrics --for mali-g310: {listing:.2f} ms (limit {LIST_MS}; /bin/true {nothing:.2f} ms)')
    print(f'loading the library: {load:.3f} ms (limit {LOAD_MS})')
    return 0 if listing <= LIST_MS and load <= LOAD_MS else 1


if __name__ == '__main__':
    sys.exit(main())
