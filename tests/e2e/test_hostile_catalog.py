#!/usr/bin/env python3
"""Valid catalogs that ask for more than a program may hold, and numbers beyond 64 bits: told, with the name concerned."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

SEXTANT = sys.argv.pop(1)

HEAD = '''sextant-catalog: 1
name: large
title: Metrics that refer to each other
vendor: Nobody
kind: gpu
dialect: standard
notation: infix
blocks:
  - {name: core, instances: 2, slots: 64, slot-bits: 64, description: A core}
sections:
  - {id: "1", title: All}
counters:
  - {name: C, block: core, slot: 1, bits: 64, reduce: sum, unit: count, description: A count}
metrics:
'''


class Limits(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = holder.name

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, 'w', encoding='utf-8') as out:
            out.write(text)
        return path

    def metric(self, name, formula):
        return f'  - {{name: {name}, title: {name}, section: "1", unit: count, type: f64, '\
               f'expr: "{formula}", description: "A number"}}\n'

    def test_shared_formulas(self):
        """Every metric reaches the whole chain: following them all takes more steps than a program may."""
        text = HEAD + self.metric('m0', 'C * 1.5')
        for i in range(1, 800):
            text += self.metric(f'm{i}', f'm{i - 1} + {i}.5')
        for i in range(4000):
            text += self.metric(f'wide{i}', f'm799 * {i}.25')
        catalog = self.write('large.yaml', text)
        rows = self.write('rows.csv', 'C\n5\n')
        self.assertEqual(subprocess.run([SEXTANT, 'catalog', 'lint', catalog], capture_output=True).returncode, 0)
        for args in (('eval', rows), ('plan', '-m', '*')):
            result = subprocess.run([SEXTANT, *args, '--for', catalog], capture_output=True, text=True, timeout=60)
            self.assertEqual(result.returncode, 5, result.stderr)
            self.assertRegex(result.stderr, r'error: wide\d+: .*\nbecause: .*4000000 steps\ntry: select fewer')

    def test_beyond_64_bits(self):
        """A number that no u64 holds is no data where a whole one is wanted, and stays what it is elsewhere."""
        catalog = self.write('large.yaml', HEAD + self.metric('twice', 'C * 2'))
        for columns, rows, values in (
                ('C', '18446744073709551616\n1e30\n-4\n7\n', [2.0 ** 65, 2e30, -8, 14]),
                ('C[0],C[1]', '1,18446744073709551616\n1e30,2\n-4,3.0\n7,4\n9007199254740993,0\n',
                 [None, None, None, 22, 18014398509481984])):
            file = self.write('rows.csv', columns + '\n' + rows)
            result = subprocess.run([SEXTANT, 'eval', file, '--for', catalog, '--json', '-m', 'twice'],
                                    capture_output=True, text=True, timeout=60)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual([row[0] for row in json.loads(result.stdout)['rows']], values)


if __name__ == '__main__':
    unittest.main()
