#!/usr/bin/env python3
"""A percentage means the same on every Mali: it lies in 0..100, and the ratio within it is what Arm's database says.

usage: check_mali_percent.py SEXTANT FOLDER_OF_CATALOGS

Every metric of unit percent of every catalog, over counters that are random and counters that cannot be, through `eval`: what the
command prints is the ratio, worked out here without the cut, cut here.
"""
import glob
import json
import os
import random
import re
import subprocess
import sys
import tempfile

import catalog_yaml
import compare_eval
import eval as oracle

ROWS = 40
CUT = re.compile(r'max\(min\((.*), 100\), 0\)')
KINDS = ('random', 'small', 'huge', 'mixed', 'zero', 'missing')


def tables(rng, catalog, metrics):
    """The header's names, the rows, and the constants that the catalog has no value for."""
    columns, constants = compare_eval.names_of(catalog, metrics)
    given = {name: compare_eval.constant_value(rng, name) for name in sorted(constants) if name not in catalog.constants}
    rows = [compare_eval.cells(rng, rng.choice(KINDS), columns) for _ in range(ROWS)]
    # One counter beyond all others in turn: as far above or below what it is divided by as can be.
    for name in columns:
        row = compare_eval.cells(rng, 'small', columns)
        row[list(columns).index(name)] = str(10**12)
        rows.append(row)
    # What is given as a share is one.
    for i in (i for i, name in enumerate(columns) if columns[name].get('unit') == 'percent'):
        for row in rows:
            row[i] = row[i] and repr(min(float(row[i]), 100.0))
    return list(columns), rows, given


def printed(tool, path, names, lines, given):
    with tempfile.NamedTemporaryFile('w', suffix='.csv', encoding='utf-8') as file:
        file.write('\n'.join(lines) + '\n')
        file.flush()
        command = [tool, 'eval', '--for', path, '--json', '-m', ','.join(names), '-i', file.name]
        for name, value in given.items():
            command += ['--const', f'{name}={value}']
        done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(f'{path}: {done.stderr}')
    document = json.loads(done.stdout)
    return [[row[document['metrics'].index(name)] for name in names] for row in document['rows']]


def ratio_of(metric):
    """The formula without its cut, or None where it has none and needs none: a mean of shares."""
    whole = CUT.fullmatch(metric.info['expr'])
    return oracle.Infix(whole[1]).parse() if whole else None


def compare(tool, path, rng, seen):
    catalog = oracle.Catalog(path)
    metrics = [m for m in catalog.metrics if m.info.get('unit') == 'percent']
    if not metrics:
        return []
    names, rows, given = tables(rng, catalog, metrics)
    catalog = oracle.Catalog(path, None, given)
    lines = [','.join(f'"{n}"' for n in names)] + [','.join(row) for row in rows]
    got, bad = printed(tool, path, [m.info['name'] for m in metrics], lines, given), []
    for m, metric in enumerate(metrics):
        ratio, name = ratio_of(metric), metric.info['name']
        for text in metric.info.get('exprs', {}).values():
            if not CUT.fullmatch(text):
                bad.append(f'{name}: {text} is not cut')
        if not ratio and not re.fullmatch(r'avg\(\$CPUActivityUser\.Cluster\[\*\]\)', metric.info['expr']):
            bad.append(f'{name}: {metric.info["expr"]} is not cut')
        for r, values in enumerate(oracle.read_csv(catalog, lines)):
            value = got[r][m]
            if value is not None and not 0 <= value <= 100:
                bad.append(f'{name}, row {r}: {value}')
            if not ratio:
                continue
            row = oracle.Row(catalog, values)
            want = row.value(ratio, metric.group)
            seen['none' if want is None else 'above' if want > 100 else 'below' if want < 0 else 'within'] += 1
            cut = None if want is None else min(max(want, 0), 100)
            if value != cut:
                bad.append(f'{name}, row {r}: {value!r}, expected {cut!r} of {want!r}')
    return [f'{os.path.basename(path)}: {line}' for line in bad]


def main():
    tool, folder = sys.argv[1:3]
    paths = sorted(glob.glob(os.path.join(folder, 'mali-*.yaml')))
    rng, bad = random.Random(31), []
    seen = {'within': 0, 'above': 0, 'below': 0, 'none': 0}
    for path in paths:
        bad += compare(tool, path, rng, seen)
    for line in bad[:40]:
        print(line)
    print(f'{len(paths)} catalogs, {seen}, {len(bad)} wrong')
    enough = len(paths) >= 23 and all(count > 500 for count in seen.values())
    return 1 if bad or not enough else 0


if __name__ == '__main__':
    sys.exit(main())
