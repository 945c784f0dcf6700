#!/usr/bin/env python3
"""
Text in, text out: `sextant eval` of CSV with every counter of a catalog to CSV of its metrics, and DuckDB doing the same
(the same formulas as SQL, one thread each) in the same run; and what a second CPU gains. Prints user and system time, the quickest of alternating runs.
DuckDB is npm's @duckdb/node-api, installed into a folder of its own; without npm, or a network, that part is skipped and said.
usage: text.py SEXTANT [ROWS]
"""
import json
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

CATALOG = 'mali-g625'
CONSTANTS = {'shader_cores': 6, 'l2_slices': 2, 'MaliConstantsBusWidthBits': 128, 'MaliConstantsL2SliceCount': 2, 'MaliConstantsShaderCoreCount': 6}
RUNS = 5
SCRIPT = '''
import { DuckDBInstance } from '@duckdb/node-api';
import { readFileSync } from 'node:fs';
const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
const connection = await instance.connect();
await connection.run(readFileSync(process.argv[2], 'utf8'));
'''


def listing(sextant, what):
    out = subprocess.run([sextant, 'list', what, '--for', CATALOG, '--json'], capture_output=True, text=True, check=True)
    return json.loads(out.stdout)[what]


def make_csv(path, counters, rows):
    rng = random.Random(1)
    with open(path, 'w', encoding='ascii') as out:
        out.write('duration_ns,' + ','.join(counters) + '\n')
        for _ in range(rows):
            out.write('10000000,' + ','.join(str(rng.getrandbits(24)) for _ in counters) + '\n')


def to_sql(metrics, counters, csv, out):
    """Each formula as an expression of SQL; names of metrics within formulas are put in."""
    # Those over the CPU's clusters have instances, which SQL does not know: two of Mali's.
    formulas = {m['name']: m['expression'] for m in metrics if m['expression'] and '[' not in m['expression']}

    def convert(name, depth=0):
        def put(match):
            word = match.group(1)
            if word in counters:
                return f'"{word}"'
            if word in CONSTANTS:
                return str(CONSTANTS[word])
            if word in formulas and depth < 16:
                return '(' + convert(word, depth + 1) + ')'
            return {'max': 'greatest', 'min': 'least'}.get(word, f'"{word}"')
        return re.sub(r'\$?\b([A-Za-z_]\w*)\b', put, formulas[name].replace('$', ''))
    columns = ',\n'.join(f'{convert(name)} AS "{name}"' for name in formulas)
    return f"COPY (SELECT {columns} FROM read_csv('{csv}', header = true)) TO '{out}' (HEADER);"


def cpu_seconds(command, folder):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def two_cpus(command, folder):
    """Wall and CPU seconds of the quickest of alternating runs that may use one CPU, and two: reading and writing are a thread each."""
    cpus = sorted(os.sched_getaffinity(0))
    best = [(1e9, 1e9), (1e9, 1e9)]
    for _ in range(RUNS if len(cpus) > 1 else 0):
        for i in range(2):
            os.sched_setaffinity(0, cpus[:i + 1])
            begin = time.monotonic()
            used = cpu_seconds(command, folder)
            wall = time.monotonic() - begin
            best[i] = (min(best[i][0], wall), min(best[i][1], used))
    os.sched_setaffinity(0, cpus)
    return best[0], best[1] if len(cpus) > 1 else None


def install_duckdb(folder):
    if not shutil.which('npm') or not shutil.which('node'):
        return 'npm or node is not installed'
    have = os.environ.get('SEXTANT_DUCKDB')  # a folder with node_modules
    if have:
        os.symlink(os.path.join(have, 'node_modules'), os.path.join(folder, 'node_modules'))
        return None
    result = subprocess.run(['npm', 'install', '--silent', '--no-fund', '--no-audit', '@duckdb/node-api'], cwd=folder, capture_output=True,
                            text=True, timeout=300, check=False)
    return 'npm cannot install @duckdb/node-api here' if result.returncode else None


def main():
    sextant, rows = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 40000
    counters = [c['name'] for c in listing(sextant, 'counters')]
    metrics = listing(sextant, 'metrics')
    with tempfile.TemporaryDirectory() as folder:
        csv = os.path.join(folder, 'in.csv')
        make_csv(csv, counters, rows)
        values = rows * len(metrics)
        print(f'{rows} rows, {len(counters)} counters in ({os.path.getsize(csv) / 1e6:.0f} MB), {len(metrics)} metrics out; one thread')
        known = {c['name'] for c in json.loads(subprocess.run([sextant, 'list', 'constants', '--for', CATALOG, '--json'], capture_output=True,
                                                              text=True, check=False).stdout or '{"constants": []}').get('constants', [])}
        eval_ = [sextant, 'eval', '--for', CATALOG, '-i', csv] + [a for k, v in CONSTANTS.items() if k in known or k in ('shader_cores',
                 'MaliConstantsBusWidthBits') for a in ('--const', f'{k}={v}')]
        commands = {f: eval_ + ['-f', f, '-o', os.path.join(folder, f'ours.{f}')] for f in ('csv', 'json', 'ndjson')}
        why = install_duckdb(folder)
        if why:
            print(f'DuckDB: skipped, {why}')
        else:
            with open(os.path.join(folder, 'run.mjs'), 'w', encoding='ascii') as out:
                out.write(SCRIPT)
            with open(os.path.join(folder, 'q.sql'), 'w', encoding='utf-8') as out:
                out.write(to_sql(metrics, set(counters), csv, os.path.join(folder, 'theirs.csv')))
            with open(os.path.join(folder, 'nothing.sql'), 'w', encoding='ascii') as out:
                out.write('SELECT 1;')
            commands['duckdb'] = ['node', 'run.mjs', 'q.sql']
            commands['node alone'] = ['node', 'run.mjs', 'nothing.sql']
        alone, both = two_cpus(commands['csv'], folder)
        best = {}
        for _ in range(RUNS):
            for name, command in commands.items():
                best[name] = min(best.get(name, 1e9), cpu_seconds(command, folder))
        for name, seconds in best.items():
            print(f'{name:>10}: {seconds:6.2f} s, {seconds / values * 1e9:5.0f} ns a value')
        if both:
            print(f'csv on two CPUs: {both[0]:.2f} s of wall clock, on one {alone[0]:.2f} s: {alone[0] / both[0]:.2f} times as fast; '
                  f'{both[1] / alone[1]:.2f} of the CPU time')
        else:
            print('csv on two CPUs: skipped, there is one')
        print(f'json / csv: {best["json"] / best["csv"]:.2f}')
        if 'duckdb' in best:
            theirs = best['duckdb'] - best['node alone']
            print(f'csv / DuckDB without the start of node ({theirs:.2f} s): {best["csv"] / theirs:.2f}')


if __name__ == '__main__':
    main()
