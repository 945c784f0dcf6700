#!/usr/bin/env python3
"""
Mean, min, max, p50, p95 and p99 of every column, one thread: `bench-summary`, which works the metrics out as well, beside DuckDB, which finds as
many columns of doubles in its memory; nanoseconds of CPU a value, the least of alternating runs, and their ratio. DuckDB's percentiles are asked for
both ways: approximate (its t-digest) and exact. It is npm's @duckdb/node-api; without npm, or a network, that part is skipped and said.
usage: aggregates.py BENCH_SUMMARY [MILLIONS OF ROWS]
"""
import os
import re
import subprocess
import sys
import tempfile

import text

RUNS = 3


def queries(columns, rows):
    """Making the table alone, and with each way of percentiles behind it: the difference is what counts."""
    make = f'CREATE TABLE t AS SELECT {", ".join(f"random() * {1000 << c % 16} AS c{c}" for c in range(columns))} FROM range({rows});'
    plain = ', '.join(f'avg(c{c}), min(c{c}), max(c{c})' for c in range(columns))
    quantiles = {name: ', '.join(f'{call}(c{c}, [0.5, 0.95, 0.99])' for c in range(columns))
                 for name, call in (('approximate', 'approx_quantile'), ('exact', 'quantile_disc'))}
    return {'nothing': make, **{name: f'{make} SELECT {plain}, {call} FROM t;' for name, call in quantiles.items()}}


def ours(bench, millions):
    out = subprocess.run([bench, str(millions)], capture_output=True, text=True, check=False).stdout
    found = re.search(r'of (\d+) metrics: ([\d.]+) ns a value', out)
    return int(found[1]), float(found[2]), out


def main():
    bench, millions = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
    with tempfile.TemporaryDirectory() as folder:
        columns, best, said = ours(bench, millions)
        print(said, end='')
        why = text.install_duckdb(folder)
        if why:
            print(f'DuckDB: skipped, {why}')
            return
        with open(os.path.join(folder, 'run.mjs'), 'w', encoding='ascii') as out:
            out.write(text.SCRIPT)
        values, least = millions * 1e6 * columns, {}
        for name, query in queries(columns, millions * 1000000).items():
            with open(os.path.join(folder, name + '.sql'), 'w', encoding='ascii') as out:
                out.write(query)
        for _ in range(RUNS):
            best = min(best, ours(bench, millions)[1])
            for name in ('nothing', 'approximate', 'exact'):
                took = text.cpu_seconds(['node', 'run.mjs', name + '.sql'], folder)
                least[name] = min(least.get(name, 1e9), took)
        for name in ('approximate', 'exact'):
            theirs = (least[name] - least['nothing']) / values * 1e9
            print(f'DuckDB, {name} percentiles: {theirs:.1f} ns a value; ours {best:.2f}: {theirs / best:.1f} times as fast')


if __name__ == '__main__':
    main()
