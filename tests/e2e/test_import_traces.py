#!/usr/bin/env python3
"""What traces mean: levels and amounts, several GPUs, work at the same time. Written from field numbers. $SEXTANT is the binary."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from import_files import field, packet

SEXTANT = os.environ['SEXTANT']
START, MS = 5 * 10**9, 10**6
PERCENT, BYTE, NANOSECOND = 37, 7, 19


def run(*args):
    return subprocess.run([SEXTANT, *args], capture_output=True, text=True, timeout=120, check=False)


def spec(name, units=()):
    return field(1, field(1, field(1, 1) + field(2, name) + b''.join(field(7, u) for u in units)))


def sample(i, value, described=b'', gpu=0, sequence=1, offset=0, said=True):
    event = described + field(2, field(1, 1) + field(3, float(value))) + (field(3, gpu) if said else b'')
    return packet(field(8, START + i * 10 * MS + offset), field(10, sequence), field(52, event))


def counter(name, values, units=()):
    return b''.join(sample(i, v, spec(name, units) if i == 0 else b'') for i, v in enumerate(values))


class Traces(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, data, name='t.pftrace'):
        path = os.path.join(self.folder.name, name)
        with open(path, 'wb') as out:
            out.write(data if isinstance(data, bytes) else data.encode())
        return path

    def report(self, data, name='t.pftrace'):
        result = run('report', '--json', self.write(data, name))
        self.assertIn(result.returncode, (0, 1), result.stderr)
        document = json.loads(result.stdout)
        return document, {(m['device'], m['name']): m for m in document['metrics'] if m['count']}, result

    def metric(self, data, name):
        found = [m for (_, n), m in self.report(data)[1].items() if n == name]
        self.assertEqual(len(found), 1, name)
        return found[0]


class Levels(Traces):
    def test_no_units(self):
        """Nothing says that such a counter is an amount: its mean lies between its ends."""
        for name, metric, values in (('GPU % Utilization', 'gpu_busy', [55] * 6), ('GPU % Utilization', 'gpu_busy', [9, 55, 56, 55, 56, 58]),
                                     ('GPU Frequency', 'gpu_frequency', [585e6] * 6), ('GPU busy', 'gpu_busy', [0.5] * 6)):
            with self.subTest(name):
                row = self.metric(counter(name, values), metric)
                self.assertAlmostEqual(row['mean'], sum(values[1:]) / 5)
                self.assertLessEqual(row['min'], row['mean'])
                self.assertLessEqual(row['mean'], row['max'])

    def test_amounts(self):
        """A unit that counts something adds up, as it did."""
        row = self.metric(counter('Things read', [100] * 6, (BYTE,)), 'Things read')
        self.assertEqual(row['total'], 500)
        # Nor is a unit needed where a catalog knows the counter as an amount.
        row = self.metric(counter('GPU active cycles', [100] * 6) + packet(field(128, field(1, field(1, 'Mali-G610')))), 'gpu_active_cycles')
        self.assertEqual(row['total'], 500)

    def test_no_share_above_all(self):
        for units in ((), (PERCENT,)):
            _, metrics, result = self.report(counter('GPU % Utilization', [0, 40, 250, 60, -3, 100.5], units))
            row = next(m for (_, n), m in metrics.items() if n == 'gpu_busy')
            self.assertEqual((row['count'], row['max']), (3, 100))
            self.assertAlmostEqual(row['mean'], 200 / 3)
            self.assertIn('2 values of GPU % Utilization are no data', result.stderr)
        _, metrics, result = self.report(counter('GPU % Utilization', [250] * 6, (PERCENT,)) + counter_two())
        self.assertIn('5 values of GPU % Utilization', result.stderr)
        self.assertFalse([n for _, n in metrics if n == 'gpu_busy'])


def counter_two():
    """A counter of its own beside it, so that the device has a value."""
    event = field(1, field(1, field(1, 2) + field(2, 'Other') + field(7, BYTE)))
    return b''.join(packet(field(8, START + (10 + i) * 10 * MS), field(10, 1), field(52, (event if i == 0 else b'') + field(2, field(1, 2) + field(3, 7.0)) + field(3, 0)))
                    for i in range(3))


if __name__ == '__main__':
    unittest.main()
