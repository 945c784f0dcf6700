#!/usr/bin/env python3
"""decode --as perf-stat on what the perf that is installed here prints. $SEXTANT is the binary; 77 without a usable perf."""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'oracle'))
import units

SEXTANT = os.environ['SEXTANT']
EVENTS = 'task-clock,context-switches,page-faults,cycles'


def perf(*args, command=('sh', '-c', 'sleep 0.12; ls -R /usr/include > /dev/null; sleep 0.1')):
    with tempfile.NamedTemporaryFile('r', suffix='.csv') as file:
        result = subprocess.run(['perf', 'stat', '-o', file.name, '-e', EVENTS, *args, '--', *command],
                                capture_output=True, text=True, timeout=60, check=False)
        return result.returncode, file.read()


def decode(text, *args):
    with tempfile.NamedTemporaryFile('w', suffix='.csv') as file:
        file.write(text)
        file.flush()
        result = subprocess.run([SEXTANT, 'decode', file.name, '--as', 'perf-stat', *args], capture_output=True,
                                text=True, timeout=60, check=False)
    return result


def rows(text, *args):
    result = decode(text, '--for', 'cpu', '--counters', '--json', *args)
    if result.returncode:
        raise AssertionError(result.stderr)
    document = units.in_catalog_units(SEXTANT, json.loads(result.stdout))
    return [dict(zip(document['metrics'], row)) for row in document['rows']]


class PerfStat(unittest.TestCase):
    def sums(self, text, event):
        """Values of an event in the text, added up; from 6.12 on some forms name its PMU as well."""
        found = re.findall(rf'(?:^|[,;|\t])([0-9.]+)[,;|\t](?:msec)?[,;|\t]{event}(?: \[software\])?[,;|\t]',
                           text, re.M)
        return sum(map(float, found))

    def check(self, *args):
        code, text = perf(*args)
        if code or EVENTS.split(',', maxsplit=1)[0] not in text:
            self.skipTest(f'perf stat {args} does not work here')
        table = rows(text)
        for event, name, factor in (('page-faults', 'PageFaults', 1), ('context-switches', 'ContextSwitches', 1),
                                    ('task-clock', 'TaskClock', 1e6)):
            have = sum(row[name] or 0 for row in table)
            want = self.sums(text, event) * factor
            self.assertAlmostEqual(have, want, delta=len(text.splitlines()) * (6e3 if factor > 1 else 0) + 1e-9)
        self.assertGreater(sum(row['PageFaults'] or 0 for row in table), 0)
        return table

    def test_whole_run(self):
        table = self.check('-x,')
        self.assertEqual(len(table), 1)
        self.assertIsNone(table[0]['begin_ns'])

    def test_intervals(self):
        table = self.check('-x,', '-I', '50')
        self.assertGreater(len(table), 2)
        for before, after in zip(table, table[1:]):
            self.assertEqual(before['end_ns'], after['begin_ns'])
        self.assertGreaterEqual(table[0]['end_ns'], 49000000)

    def test_summary(self):
        text = ''.join(f'{n}.000000000,{n * 10},,page-faults,1000000000,100.00,,\n' for n in range(1, 5))
        self.assertEqual([row['PageFaults'] for row in rows(text)], [10, 20, 30, 40])
        self.assertEqual([row['PageFaults'] for row in rows(text, '--summary')], [100])

    def test_separators(self):
        for separator in (';', '\t', '|'):
            self.check('-x', separator, '-I', '100')

    def test_aggregation(self):
        for option in ('-A', '--per-socket', '--per-core', '--per-die', '--per-node'):
            with self.subTest(option):
                self.check('-x,', '-a', option, '-I', '100')

    def test_repeats(self):
        self.check('-x,', '-r', '3')

    def test_metrics(self):
        code, text = perf('-x,', '-I', '50')
        self.assertEqual(code, 0)
        result = decode(text, '--for', 'cpu', '-m', 'cpus_used', '--json')
        self.assertEqual(result.returncode, 0, result.stderr)
        values = [row[-1] for row in json.loads(result.stdout)['rows']]
        self.assertTrue(any(v and 0 < v < 64 for v in values), values)

    def test_errors(self):
        result = decode('1,,cs,9,100.00,,\n')
        self.assertEqual(result.returncode, 2)
        self.assertIn('--for', result.stderr)
        result = decode('what is this\n', '--for', 'cpu')
        self.assertEqual(result.returncode, 5)
        self.assertEqual([l.split(':')[0] for l in result.stderr.strip().split('\n')], ['error', 'because', 'try'])


if __name__ == '__main__':
    try:
        usable = perf('-x,')[0] == 0
    except OSError:
        usable = False
    if not usable:
        print('no usable perf here')
        sys.exit(77)
    unittest.main(verbosity=2)
