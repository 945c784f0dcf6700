#!/usr/bin/env python3
"""
Every view of a report against its golden file (tests/data/views), and each golden file read back by a parser that is not
ours and held against statistics that are worked out here. Arguments: sextant, folder of golden files[, --update].
"""
import csv
import io
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sextant, golden = sys.argv[1], pathlib.Path(sys.argv[2])
UPDATE = '--update' in sys.argv
ROWS = 300
METRICS = ['Cycles', 'Instructions', 'PageFaults', 'instructions_per_cycle', 'TaskClock', 'gpu.busy']
VIEWS = {  # file: (environment, options)
    'report.json': ({}, ['-f', 'json']),
    'report.ndjson': ({}, ['-f', 'ndjson']),
    'report.csv': ({}, ['-f', 'csv']),
    'report-80.txt': ({'COLUMNS': '80', 'LC_ALL': 'C.UTF-8'}, []),
    'report-120.txt': ({'COLUMNS': '120', 'LC_ALL': 'C.UTF-8'}, []),
    'report-ascii.txt': ({'COLUMNS': '60', 'LC_ALL': 'C'}, []),
    'by-time.json': ({}, ['--by', 'time', '-I', '10s', '-f', 'json']),
    'by-time.csv': ({}, ['--by', 'time', '-I', '10s', '-f', 'csv']),
    'by-time.txt': ({'COLUMNS': '80', 'LC_ALL': 'C.UTF-8'}, ['--by', 'time', '-I', '10s']),
}


def counts():
    """What perf stat might have counted in 300 tenths of a second."""
    for i in range(ROWS):
        cycles = 200000000 + i * 7919 % 1000003
        yield {'Cycles': cycles, 'Instructions': cycles // 2 + i * 104729 % 999983, 'PageFaults': i % 9,
               'TaskClock': 99000000 + i * 1000}


def write_input(path):
    with open(path, 'w', encoding='utf-8') as file:
        for i, row in enumerate(counts()):
            for name, event, unit in (('TaskClock', 'task-clock', 'msec'), ('Cycles', 'cycles', ''),
                                      ('Instructions', 'instructions', ''), ('PageFaults', 'page-faults', '')):
                value = f'{row[name] / 1e6:.6f}' if unit else row[name]
                file.write(f'{(i + 1) * 0.1:.9f},{value},{unit},{event},100000000,100.00,,\n')


def rank(values, percent):
    return sorted(values)[max(math.ceil(percent / 100 * len(values)), 1) - 1]


def statistics():
    """The plain way, in base units: name to what each machine form must say."""
    columns = {name: [row[name] for row in counts()] for name in ('Cycles', 'Instructions', 'PageFaults')}
    columns['TaskClock'] = [row['TaskClock'] / 1e9 for row in counts()]
    ratio = [row['Instructions'] / row['Cycles'] for row in counts()]
    out = {name: {'total': sum(v), 'mean': sum(v) / ROWS, **rest(v)} for name, v in columns.items()}
    whole = sum(columns['Instructions']) / sum(columns['Cycles'])
    out['instructions_per_cycle'] = {'total': None, 'mean': whole, **rest(ratio)}
    out['gpu.busy'] = dict.fromkeys(['total', 'mean', 'min', 'p50', 'p95', 'p99', 'max'])
    return out


def rest(values):
    return {'min': min(values), 'p50': rank(values, 50), 'p95': rank(values, 95), 'p99': rank(values, 99),
            'max': max(values)}


def number(text):
    return None if text in ('', None) else float(text)


def same(have, want):
    if have is None or want is None:
        return have is want
    return math.isclose(have, want, rel_tol=1e-9, abs_tol=1e-12)


def check_rows(name, rows):
    want = statistics()
    assert [row['name'] for row in rows] == METRICS, (name, rows)
    for row in rows:
        for key, value in want[row['name']].items():
            assert same(number(row[key]), value), f"{name}: {row['name']}.{key} is {row[key]}, not {value}"
        assert bool(row['why']) == (row['name'] == 'gpu.busy'), row


SCALES = {'': 1, 'k': 1e3, 'M': 1e6, 'G': 1e9, 'ms': 1e-3, 'us': 1e-6, 's': 1}


def shown(text):
    """A number as people read it: three digits of it hold."""
    match = re.fullmatch(r'(-?[\d.]+)(?: (ms|us|s|[kMG]))?', text)
    return float(match[1]) * SCALES[match[2] or '']


def whole_name(word, names):
    """A name whose middle was cut out."""
    begin, dots, end = word.partition('..')
    fits = [name for name in names if dots and name.startswith(begin) and name.endswith(end)]
    return fits[0] if len(fits) == 1 else word


def check_text(name, text, columns):
    want, found = statistics(), 0
    width = int(VIEWS[name][0]['COLUMNS'])
    assert max(map(len, text.split('\n'))) <= width, name
    head = next(line for line in text.split('\n') if ' mean ' in line).split()
    assert [word for word in head if word != 'unit'] == columns, (name, head)
    for line in text.split('\n'):
        words = re.split(r'  +', line.strip())
        if len(words) < 3 or not line.startswith('  '):
            continue
        words[0] = whole_name(words[0], want)
        if words[0] not in want:
            continue
        found += 1
        total = want[words[0]]['total'] is not None
        for key, word in zip([c for c in columns if total or c != 'total'], words[1:]):
            value = want[words[0]][key]
            assert abs(shown(word) - value) <= 0.006 * abs(value), f'{name}: {line}: {key} is {value}'
    assert found == len(METRICS) - 1, f'{name}: {found} lines'
    assert 'gpu.busy: no data: ' in text, name
    if 'ascii' in name:
        text.encode('ascii')


def check_groups(name, groups):
    """Three stretches of ten seconds: what adds up does so over them."""
    assert len(groups) == 3, name
    for metric in ('Cycles', 'Instructions', 'PageFaults'):
        total = sum(number(group[metric]) for group in groups)
        assert total == sum(row[metric] for row in counts()), (name, metric)


def check(name, text):
    if name == 'report.json':
        doc = json.loads(text)
        assert doc['schema'] == 'sextant.report/1' and doc['devices'][0]['samples'] == ROWS, doc['devices']
        check_rows(name, doc['metrics'])
    elif name == 'report.ndjson':
        head, *rows = [json.loads(line) for line in text.splitlines()]
        assert head['schema'] == 'sextant.report/1', head
        check_rows(name, rows)
    elif name == 'report.csv':
        check_rows(name, list(csv.DictReader(io.StringIO(text), strict=True)))
    elif name == 'by-time.json':
        doc = json.loads(text)
        device, = doc['devices']  # one device is an array's, too
        assert (doc['schema'], device['id'], device['simulated']) == ('sextant.report-by/1', 0, False), doc
        check_groups(name, [group['values'] for group in device['groups']])
    elif name == 'by-time.csv':
        check_groups(name, list(csv.DictReader(io.StringIO(text), strict=True)))
    elif name.startswith('report'):
        wide = ['total', 'min', 'mean', 'p50', 'p95', 'p99', 'max']
        check_text(name, text, wide if '120' in name else ['total', 'mean', 'p95', 'max'])


def main():
    wrong = []
    with tempfile.TemporaryDirectory(prefix='sextant-views-') as folder:
        write_input(os.path.join(folder, 'perf.csv'))
        for name, (env, options) in VIEWS.items():
            done = subprocess.run([os.path.abspath(sextant), 'report', 'perf.csv', '-m', ','.join(METRICS), *options],
                                  cwd=folder, env=dict(os.environ, XDG_CONFIG_HOME=folder, **env),
                                  capture_output=True, text=True, timeout=60)
            assert done.returncode == 1, (name, done.returncode, done.stderr)  # gpu.busy is not there
            if UPDATE:
                (golden / name).write_text(done.stdout, encoding='utf-8')
            want = (golden / name).read_text(encoding='utf-8')
            check(name, want)
            if done.stdout != want:
                wrong.append(name)
                print(f'--- {name} is not what {golden / name} holds:\n{done.stdout}')
    print(f'{len(VIEWS)} views, {len(wrong)} differ')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
