#!/usr/bin/env python3
"""The CPU source beside perf stat, over the same run: sextant measures perf, which measures a program.

usage: cpu_perf.py SEXTANT. Ends with 77 where there is no perf that works.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

SEXTANT = sys.argv[1]
LOOP = 'x = 0\nfor i in range(20000000): x += i'
LIMIT = 0.02


def measure(folder, program):
    out = os.path.join(folder, 'perf.csv')
    done = subprocess.run([SEXTANT, 'stat', '-d', 'cpu', '-m', 'Instructions,TaskClock', '--json', '--',
                           'perf', 'stat', '-x,', '-o', out, '-e', 'task-clock,instructions', '--',
                           *program], capture_output=True, text=True, check=False)
    if not os.path.exists(out):
        return None, None, done.stderr
    with open(out, encoding='utf-8') as lines:
        rows = [line.split(',') for line in lines if ',' in line]
    perf = {row[2].split(':')[0]: row for row in rows}
    ours = {m['name']: m for m in json.loads(done.stdout)['metrics']}
    return ours, perf, done.stderr


def number(text):
    try:
        return float(text)
    except ValueError:
        return None


def compare(what, ours, theirs, perf):
    """What sextant measures holds perf itself as well: as much as beside a program that does nothing."""
    off = (ours - perf) / theirs - 1
    print(f'{what}: {ours:.0f}, {perf:.0f} of them perf, perf stat {theirs:.0f}, {off:+.3%}')
    return abs(off) <= LIMIT


def main():
    if not shutil.which('perf'):
        print('no perf here')
        return 77
    with tempfile.TemporaryDirectory() as folder:
        ours, perf, err = measure(folder, [sys.executable, '-c', LOOP])
        empty, none, _ = measure(folder, ['true'])
    clock = number(perf['task-clock'][0]) if perf and 'task-clock' in perf else None
    if clock is None:
        print(f'perf stat does not work here: {err}')
        return 77
    # Machine forms are in base units: seconds.
    assert ours['TaskClock']['unit'] == 's', ours['TaskClock']
    good = compare('TaskClock (ns)', ours['TaskClock']['total'] * 1e9, clock * 1e6,
                   empty['TaskClock']['total'] * 1e9 - number(none['task-clock'][0]) * 1e6)
    counted = number(perf['instructions'][0]) if 'instructions' in perf else None
    if counted is None:
        assert ours['Instructions']['total'] is None, 'Instructions without a PMU'
        print('no PMU here: Instructions are not collected by either')
    else:
        good = compare('Instructions', ours['Instructions']['total'], counted,
                       empty['Instructions']['total'] - number(none['instructions'][0])) and good
    return 0 if good else 1


if __name__ == '__main__':
    sys.exit(main())
