#!/usr/bin/env python3
"""What a new user asks of the command gets an answer: names of other devices, rules, how a program ended. $SEXTANT is the binary."""
import csv
import io
import json
import os
import subprocess
import tempfile
import unittest

SEXTANT = os.environ['SEXTANT']


def run(*args, env=None, stdin=None):
    return subprocess.run([SEXTANT, *args], capture_output=True, text=True, timeout=120, check=False, input=stdin,
                          env={**os.environ, 'XDG_CONFIG_HOME': '/nonexistent', **(env or {})})


class Answers(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name, text=None):
        path = os.path.join(self.folder.name, name)
        if text is not None:
            with open(path, 'w', encoding='utf-8') as file:
                file.write(text)
        return path

    def metrics(self, result):
        return {m['name']: m for m in json.loads(result.stdout)['metrics']}


class Names(Answers):
    def test_neutral_names_of_others(self):
        """A neutral name that a device lacks, in either spelling, is no data with a reason: the others are answered."""
        for name in ('frame.time', 'frame_time', 'GPU_busy'):
            result = run('stat', '-d', 'cpu', '-m', f'{name},cpu_busy', '-t', '50ms', '--json')
            self.assertEqual(result.returncode, 1, result.stderr)
            rows = self.metrics(result)
            self.assertIn('cpu has nothing that means ' + name.lower().replace('_', '.'), rows[name]['why'])
            self.assertIsNone(rows[name]['mean'])
            self.assertIsNotNone(rows['cpu_busy']['mean'])
        result = run('stat', '-d', 'cpu', '-m', 'frame_tome,cpu_busy', '-t', '50ms')
        self.assertEqual(result.returncode, 3)

    def test_rows_of_a_device_that_gave_nothing(self):
        """What was named and is a guest's, of a program that does not draw: rows without data, and why."""
        result = run('stat', '-m', 'frame_time,D3DGPUTime,cpu_busy', '--json', '--', 'true')
        rows = self.metrics(result)
        self.assertEqual(sorted(rows), ['D3DGPUTime', 'cpu_busy', 'frame_time'], result.stderr)
        for name in ('frame_time', 'D3DGPUTime'):
            self.assertIsNone(rows[name]['mean'])
            self.assertIn('gave no', rows[name]['why'])
        self.assertEqual(result.returncode, 1)  # what was named is missing
        text = run('stat', '-m', 'frame_time,cpu_busy', '--', 'true').stdout
        self.assertRegex(text, r'(?s)not measured: .*\n  frame_time: no data\n')
        table = list(csv.DictReader(io.StringIO(run('stat', '-m', 'frame_time', '--csv', '--', 'true').stdout)))
        self.assertEqual([(r['name'], r['mean']) for r in table], [('frame_time', '')])
        self.assertEqual(run('stat', '--', 'true').returncode, 0)  # nothing was named


if __name__ == '__main__':
    unittest.main(verbosity=2)
