#!/usr/bin/env python3
"""
`sextant report` of a recording of many columns: 8,000 samples of the 913 counters of mali-g625 and its 116 metrics, verdict and advice included;
nanoseconds of CPU a value of either, the least of alternating runs. Ends with 1 when the limit is missed. Beside it DuckDB finds mean, min, max, p50,
p95 and p99 of as many columns of doubles in its memory; without npm, or a network, that part is skipped and said.
usage: wide.py SEXTANT
"""
import json
import os
import subprocess
import sys
import tempfile

import aggregates
import text

SAMPLES = 8000
RUNS = 5
LIMIT_NS = 20


def record(sextant, path):
    """Writes the recording and returns how many samples, counters and metrics it has."""
    subprocess.run([sextant, 'record', '-d', text.CATALOG, '-I', '100us', '-n', str(SAMPLES), '-q', '-o', path], check=True)
    info = json.loads(subprocess.run([sextant, 'capture', 'info', '--json', path], capture_output=True, check=True).stdout)
    report = json.loads(subprocess.run([sextant, 'report', '--json', path], capture_output=True, check=True).stdout)
    return info['rows'], len(info['devices'][0]['columns']), len(report['metrics'])


def main():
    sextant, best = os.path.abspath(sys.argv[1]), {}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'wide.sxc')
        samples, counters, metrics = record(sextant, path)
        columns, commands = counters + metrics, {'ours': [sextant, 'report', path]}
        why = text.install_duckdb(folder)
        if why:
            print(f'DuckDB: skipped, {why}')
        else:
            with open(os.path.join(folder, 'run.mjs'), 'w', encoding='ascii') as out:
                out.write(text.SCRIPT)
            for name, query in aggregates.queries(columns, samples).items():
                with open(os.path.join(folder, name + '.sql'), 'w', encoding='ascii') as out:
                    out.write(query)
                commands[name] = ['node', 'run.mjs', name + '.sql']
        for _ in range(RUNS):
            for name, command in commands.items():
                best[name] = min(best.get(name, 1e9), text.cpu_seconds(command, folder))
        ours = best['ours'] / (samples * columns) * 1e9
        print(f'report of {samples} samples of {counters} counters and {metrics} metrics: {ours:.1f} ns a value (limit {LIMIT_NS})')
        for name in ('approximate', 'exact'):
            if name in best:
                theirs = (best[name] - best['nothing']) / (samples * columns) * 1e9
                print(f'DuckDB, {name} percentiles: {theirs:.1f} ns a value: {theirs / ours:.1f} times as long')
    return ours > LIMIT_NS


if __name__ == '__main__':
    sys.exit(main())
