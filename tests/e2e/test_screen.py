#!/usr/bin/env python3
"""
What `stat` and `report` say where nothing is chosen fits a screen of 40 lines by 80 columns; what is left out is counted, and -v and JSON
have it. $SEXTANT is the binary.
"""
import os
import re
import unittest

from command import Command, FolderTest
from xvfb import Display

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
LINES, WIDTH = 40, 80
sextant = Command(os.environ['SEXTANT'], env={'COLUMNS': str(WIDTH), 'LC_ALL': 'C.UTF-8'})
REST = re.compile(r'^ +not shown: (?:(\d+) metrics?)?(?:, )?(?:(\d+) always 0)?(?:, )?(?:(\d+) without data)? \(-v\)', re.M)


def tables(text):
    """Of each device the names of its table, and what its last line counts: more, always 0, without data."""
    found, names = [], None
    for line in text.splitlines():
        if re.match(r' +(total +)?mean\b', line):
            names = []
        elif names is not None and (rest := REST.match(line)):
            found.append((names, *(int(n or 0) for n in rest.groups())))
            names = None
        elif names is not None and (row := re.match(r'  (\S+)  ', line)):
            names.append(row[1])
    return found


class Screen(FolderTest):
    def fits(self, text):
        lines = text.splitlines()
        self.assertLessEqual(len(lines), LINES, text)
        self.assertLessEqual(max(map(len, lines)), WIDTH, text)
        self.assertTrue(lines[0].startswith('verdict'), text)

    def test_report_of_a_model(self):
        path = self.path('m.sxc')
        sextant('record', '-q', '-d', 'mali-g625', '-t', '200ms', '-o', path, code=0)
        text = sextant('report', path, code=0).stdout
        self.fits(text)
        self.assertIn('SIMULATED', text)
        self.assertEqual(text.count('advice: '), 4, text)
        (names, more, zero, none), = tables(text)
        self.assertEqual(len(names), 12, text)
        rows = sextant.document('report', path)['metrics']
        shown = [r for r in rows if r['count'] and (r['min'] or r['max'])]
        self.assertEqual((len(names) + more, zero, none), (len(shown), len(rows) - len(shown) - none, sum(not r['count'] for r in rows)))
        whole = sextant('report', path, '-v', code=0).stdout
        for row in rows:
            self.assertRegex(whole, rf'(?m)^(  |- ){re.escape(row["name"])}\b', row)

    def test_what_is_chosen_is_shown(self):
        path = self.path('m.sxc')
        sextant('record', '-q', '-d', 'mali-g625', '-t', '200ms', '-o', path, code=0)
        text = sextant('report', path, '-m', 'all', code=0).stdout
        self.assertGreater(len(text.splitlines()), 150)
        self.assertNotRegex(text, REST)
        self.assertGreater(len(sextant('report', path, '--counters', code=0).stdout.splitlines()), 60)

    def test_files_of_other_tools(self):
        for name in ('mangohud.csv', 'trace.pftrace', 'rocprofv3.csv'):
            with self.subTest(name):
                self.fits(sextant('report', os.path.join(SOURCE, 'examples/data', name), code=0).stdout)

    def test_many_devices(self):
        """The busiest are shown, in their order, and the others counted."""
        rows = [f'gpu{i},{t}00000000,{t + 1}00000000,,{60 - i if i != 7 else 99},40' for t in range(10) for i in range(60)]
        path = self.file('device,begin_ns,end_ns,quality,gpu_busy,gpu_temperature\n' + '\n'.join(rows) + '\n')
        text = sextant('report', path, code=0).stdout
        self.fits(text)
        names = re.findall(r'(?m)^gpu(\d+)$', text)
        self.assertEqual(names, [*map(str, range(len(names) - 1)), '7'])
        self.assertIn(f'and {60 - len(names)} more devices, less busy (-v)', text)
        self.assertEqual(sextant('report', path, '-v', code=0).stdout.count('\ngpu'), 60)

    def test_a_narrow_terminal_has_fewer_rows(self):
        trace = os.path.join(SOURCE, 'examples/data/trace.pftrace')
        wide, narrow = (sextant('report', trace, code=0, env={'COLUMNS': columns}).stdout for columns in ('80', '54'))
        self.assertLessEqual(len(narrow.splitlines()), LINES, narrow)
        self.assertLess(sum(len(names) for names, *_ in tables(narrow)), sum(len(names) for names, *_ in tables(wide)))

    def test_a_program_that_draws_nothing(self):
        self.fits(sextant('stat', '--', 'sleep', '0.5', code=0).stdout)

    def test_a_program_that_draws(self):
        program = os.path.join(os.environ['SEXTANT_GL_PROGRAMS'], 'gl-uneven')
        with Display() as screen:
            if not screen.name or not os.path.exists(program):
                self.skipTest('no Xvfb, or the program is not built here')
            done = sextant('stat', '--', program, 'turns', '60', env={'DISPLAY': screen.name})
        if done.returncode == 77:
            self.skipTest(done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)
        text = done.stdout[done.stdout.index('verdict'):]
        self.fits(text)
        (gl, *_), (cpu, *_) = tables(text)  # fewer, where a busy machine needs lines for what it lost
        self.assertIn((len(gl), len(cpu)), ((8, 4), (6, 3), (3, 2)), text)
        self.assertIn('frames_per_second', gl)


if __name__ == '__main__':
    unittest.main()
