#!/usr/bin/env python3
"""Programs whose channel holds nonsense, through the command: it ends, and says nothing that cannot be. Arguments: sextant."""
import json
import math
import os
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import scribbler  # noqa: E402
from command import Command, FolderTest  # noqa: E402

WAYS = {'gl': 'SEXTANT_CHANNEL', 'vulkan': 'SEXTANT_CHANNEL_VULKAN', 'opencl': 'SEXTANT_CHANNEL_OPENCL'}
CLOCKS = {'Queued', 'Submitted', 'Started', 'Ended'}  # of the device, which may show anything
NOTHING = {'negative', 'years', 'future', 'since the epoch', 'boot', 'draws', 'kinds', 'other', 'no frames', 'no parts',
           'frames without end', 'head'}
sextant = Command(sys.argv.pop(1), timeout=60)


class Scribbled(FolderTest):
    def measure(self, device, case, *options):
        program = [sys.executable, scribbler.__file__, WAYS[device], case]
        begin = time.monotonic()
        done = sextant('stat', '-d', device, *options, '--json', '-o', self.path('out'), '--', *program)
        return done, time.monotonic() - begin

    def check_possible(self, document, seconds):
        """No value that does not fit into the time that the run took."""
        for m in document['metrics']:
            for stat in ('total', 'mean', 'min', 'max', 'p50', 'p95', 'p99'):
                value = m.get(stat)
                if value is None or m['name'] in CLOCKS:
                    continue
                self.assertTrue(math.isfinite(value) and value >= 0, (m['name'], stat, value))
                if m['unit'] == 's':
                    self.assertLessEqual(value, scribbler.SAMPLES * (seconds + 1), (m['name'], stat))
                elif stat == 'total':
                    self.assertLess(value, 1e18, m['name'])

    def check(self, device):
        for case in scribbler.CASES:
            with self.subTest(device=device, case=case):
                done, seconds = self.measure(device, case)
                self.assertEqual(done.returncode, case in NOTHING, done.stderr)
                if case in NOTHING:
                    self.assertIn('because: ', done.stderr)
                    continue
                with open(self.path('out'), encoding='utf-8') as file:
                    document = json.load(file)
                self.assertEqual(document['samples']['count'], scribbler.SAMPLES)
                self.check_possible(document, seconds)
                if case in ('largest', 'half') and device != 'opencl':
                    for name in 'IAVertices', 'gpu_time':
                        found = next(m for m in document['metrics'] if m['name'] == name)
                        self.assertIsNone(found['total'])
                        self.assertIn('impossible', found['why'])
                if case == 'mixed':
                    self.assertIn(f'{2 * scribbler.SAMPLES} records that made no sense', done.stderr + json.dumps(document))

    def test_opengl(self):
        self.check('gl')

    def test_vulkan(self):
        self.check('vulkan')

    def test_opencl(self):
        self.check('opencl')

    def cpu_seconds(self, case, *options):
        done, seconds = self.measure('gl', case, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path('out'), encoding='utf-8') as file:
            metrics = {m['name']: m['total'] for m in json.load(file)['metrics']}
        return metrics['CPUTime'], seconds

    def test_cpu_time_is_no_more_than_there_was(self):
        for case in 'hours', 'more and more', 'years of a CPU':
            with self.subTest(case=case):
                cpu, seconds = self.cpu_seconds(case)
                self.assertLessEqual(cpu or 0, (seconds + 2) * os.sysconf('SC_NPROCESSORS_CONF'))

    def test_other_programs_are_measured_all_the_same(self):
        """What one writes is its own affair: no warning, and the exit status is the program's."""
        both = [f'"{sys.executable}" "{scribbler.__file__}" SEXTANT_CHANNEL {case}' for case in ('other', 'fine')]
        done = sextant('stat', '-d', 'gl', '--json', '-o', self.path('out'), '--', 'sh', '-c', ' & '.join(both) + '; wait')
        self.assertEqual((done.returncode, 'warning' in done.stderr), (0, False), done.stderr)
        with open(self.path('out'), encoding='utf-8') as file:
            document = json.load(file)
        self.assertEqual(document['samples']['count'], scribbler.SAMPLES)
        self.assertIn(f'{scribbler.SAMPLES} records that made no sense', json.dumps(document))

    def test_many_draws_in_a_row(self):
        """What stands for many samples takes no longer than one."""
        done, seconds = self.measure('gl', 'a draw each nanosecond', '--per', 'draw')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertLess(seconds, 20)
        with open(self.path('out'), encoding='utf-8') as file:
            self.assertEqual(json.load(file)['samples']['count'], 24 * scribbler.SAMPLES * 800 * scribbler.MS)

    def test_it_is_told(self):
        self.assertIn('no record in its channel made sense', self.measure('vulkan', 'years')[0].stderr)


if __name__ == '__main__':
    unittest.main()
