#!/usr/bin/env python3
"""Valid catalogs that ask for more than a program may hold, and numbers beyond 64 bits: told, with the name concerned."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

SEXTANT = os.path.abspath(sys.argv.pop(1))

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


class Files(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = holder.name

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, 'w', encoding='utf-8') as out:
            out.write(text)
        return path


class Limits(Files):
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
        """A number that no u64 holds is no count, and no data."""
        catalog = self.write('large.yaml', HEAD + self.metric('twice', 'C * 2'))
        for columns, rows, values in (
                ('C', '18446744073709551616\n1e30\n-4\n7\n', [None, None, None, 14]),
                ('C[0],C[1]', '1,18446744073709551616\n1e30,2\n-4,3.0\n7,4\n9007199254740993,0\n',
                 [None, None, None, 22, 18014398509481984])):
            file = self.write('rows.csv', columns + '\n' + rows)
            result = subprocess.run([SEXTANT, 'eval', file, '--for', catalog, '--json', '-m', 'twice'],
                                    capture_output=True, text=True, timeout=60)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual([row[0] for row in json.loads(result.stdout)['rows']], values)



class Intel(Files):
    """Parents that are none, and register programs that no kernel takes."""

    CHILD = '''sextant-catalog: 1
name: {name}
title: A child
vendor: Intel
kind: gpu
extends: {parent}
'''
    SET = '''match:
  - {{driver: i915, key: device_id, value: "0x9a49"}}
groups:
  - name: RenderBasic
    uuid: 11111111-913d-4ab9-ba9a-43beb059a18c
    programs:
      - {{kind: {kind}, writes: "{writes}"}}
'''

    def lint(self, name, text):
        result = subprocess.run([SEXTANT, 'catalog', 'lint', self.write(name + '.yaml', text), '--json'], capture_output=True, text=True, timeout=60)
        return result.returncode, [f['message'] for f in json.loads(result.stdout)['findings']]

    def test_parents(self):
        for name, parent, says in (('own', 'own', 'extends itself'), ('orphan', 'nosuch', 'there is no catalog "nosuch"'),
                                   ('deep', 'intel-bmg', 'extends another catalog itself')):
            code, messages = self.lint(name, self.CHILD.format(name=name, parent=parent))
            self.assertEqual((code, len(messages)), (5, 1))
            self.assertIn(says, messages[0])

    def test_programs(self):
        """Each kind of program has its own list of registers, before Xe2."""
        for kind, writes, refused in (('mux', '9888:00000001', None), ('mux', '9888:00000001 1234:00000000', '0x1234'), ('boolean', 'D900:00000000', None),
                                      ('boolean', '9888:00000000', '0x9888'), ('flex', 'E458:00005004', None), ('flex', 'E45A:00000000', '0xe45a'),
                                      ('boolean', '393200:00000000', '0x393200')):
            text = self.CHILD.format(name='child', parent='intel-tglgt2') + self.SET.format(kind=kind, writes=writes)
            code, messages = self.lint('child', text)
            self.assertEqual(code, 5 if refused else 0, (writes, messages))
            self.assertEqual(messages, [f'set RenderBasic: register {refused} of its {kind} program is none that the kernel lets be written'] if refused else [])

    def test_ours(self):
        """What is built in goes into the kernels' lists, on every generation."""
        result = subprocess.run([SEXTANT, 'catalog', 'lint'], capture_output=True, text=True, timeout=100)
        self.assertEqual((result.returncode, result.stdout), (0, ''), result.stdout)

    def test_file_without_folder(self):
        self.write('child.yaml', self.CHILD.format(name='child', parent='intel-tglgt2'))
        result = subprocess.run([SEXTANT, 'catalog', 'lint', 'child.yaml'], capture_output=True, text=True, timeout=60, cwd=self.folder)
        self.assertEqual(result.returncode, 3)
        self.assertIn('try: ./child.yaml', result.stderr)


if __name__ == '__main__':
    unittest.main()
