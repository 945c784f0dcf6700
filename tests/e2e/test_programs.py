#!/usr/bin/env python3
"""Several programs in one capture: what was left out of each is made up for by its own. usage: test_programs.py SEXTANT MAKE-RUN"""
import csv
import io
import json
import os
import random
import subprocess
import sys
import unittest

from command import FolderTest

SEXTANT, MAKE_RUN = sys.argv.pop(1), sys.argv.pop(1)
sys.path.insert(0, os.path.join(os.path.dirname(__file__), 'html'))
from page_reader import Page  # noqa: E402

MS = 1000000
COLUMNS = [('Frames', 'frames', 'u64', 'sum'), ('FrameTime', 'ns', 'u64', 'sum'), ('PSInvocations', 'invocations', 'u64', 'sum'),
           ('IAVertices', 'vertices', 'u64', 'sum'), ('IAPrimitives', 'primitives', 'u64', 'sum')]


def run(*args, code=0):
    done = subprocess.run([SEXTANT, *args], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == code, (args, done.returncode, done.stderr)
    return done


class Program:
    """Frames of one context, of which one in `every` is measured from the first on; 0: none is."""

    def __init__(self, name, context, length_ms, work, every, count=240, start_ms=0):
        self.name, self.context, self.apart = name, context, True
        self.rows = []
        for i in range(count):
            begin = int((start_ms + i * length_ms) * MS)
            measured = every and i % every == 0
            values = (1, int(length_ms * MS), work(i), work(i) // 10, work(i) // 30)
            self.rows.append((begin, begin + int(length_ms * MS), i, self, measured, values))

    def kind(self, row):
        """Its first four frames stand for themselves alone."""
        return self.apart and row[2] < 4

    def mean(self, column, kind):
        """Of the frames of that kind; of all where none of them was measured."""
        rows = [row for row in self.rows if row[4] or column < 2]
        alike = [row for row in rows if self.kind(row) == kind] or rows
        return sum(row[5][column] for row in alike) / len(alike) if alike else None

    def due(self, column):
        """What was measured, for each of its frames."""
        means = {kind: self.mean(column, kind) for kind in (False, True)}
        return None if None in means.values() else sum(means[self.kind(row)] for row in self.rows)


class Programs(FolderTest):
    def write(self, name, programs, order=None):
        lines = ['device\topengl\tSome GPU\tMesa 1\tframe\treal'] + ['column\t' + '\t'.join(c) for c in COLUMNS]
        rows = sorted((row for p in programs for row in p.rows), key=order or (lambda row: row[1]))
        for begin, end, frame, program, measured, values in rows:
            lines += [f'label\tprocess\t{program.name}', f'label\tcontext\t{program.context}', f'label\tframe\t{frame}']
            shown = [str(v) if measured or i < 2 else '~' for i, v in enumerate(values)]
            lines.append(f'row\t{begin}\t{end}\t' + '\t'.join(shown))
        path = self.path(name)
        subprocess.run([MAKE_RUN, path], input='\n'.join(lines) + '\n', text=True, check=True, timeout=60)
        return path

    def three(self):
        """A heavy one measured in every frame, a light one in one of twelve, and its second context in one of five."""
        wave = random.Random(7)
        return [Program('heavy (10)', 0, 10, lambda i: 900000 + wave.randrange(1000), 1),
                Program('light (11)', 1, 10, lambda i: 30000 + 7 * i, 12, start_ms=3),
                Program('light (11)', 2, 20, lambda i: 60000 + wave.randrange(90), 5, count=120, start_ms=5)]

    def rows_of(self, path, *args):
        """Traces have a device for each context: their totals are added up."""
        rows = {}
        for m in json.loads(run('report', path, '-m', '*', '--counters', '--json', *args).stdout)['metrics']:
            had = rows.setdefault(m['name'], m)
            if had is not m and had['total'] is not None:
                had['total'] += m['total']
        return rows

    def test_totals(self):
        """Each counter of each program for itself, then added up; rates and ratios are of these sums."""
        programs = self.three()
        path = self.write('three.sxc', programs)
        rows = self.rows_of(path)
        due = [sum(p.due(c) for p in programs) for c in range(len(COLUMNS))]
        due[1] = 2.405  # one frame or another is on its way all the time: contexts' times overlap, and count once
        for column, (name, *_) in enumerate(COLUMNS):
            self.assertAlmostEqual(rows[name]['total'] / due[column], 1, places=5, msg=name)
        count = sum(len(p.rows) for p in programs)
        self.assertAlmostEqual(rows['PSInvocations']['mean'] / (due[2] / count), 1, places=5)
        self.assertAlmostEqual(rows['vertices_per_primitive']['mean'] / (due[3] / due[4]), 1, places=5)
        # The share of all programs together, as it was: far off.
        measured = [row[5][2] for p in programs for row in p.rows if row[4]]
        self.assertGreater(sum(measured) / len(measured) * count / due[2], 1.3)

    def test_everywhere(self):
        """The same number in stat, report, JSON, the page, OpenMetrics and what a trace or a table gives back."""
        programs = self.three()
        path = self.write('three.sxc', programs)
        due = self.rows_of(path)['PSInvocations']['total']
        stat = json.loads(run('stat', '-i', path, '-m', 'PSInvocations', '--json').stdout)
        self.assertEqual(stat['metrics'][0]['total'], due)
        page = self.path('page.html')
        run('report', path, '-m', 'PSInvocations,vertices_per_primitive', '-o', page)
        with open(page, encoding='utf-8') as file:
            device, = Page(file.read()).report['of_devices']
        shown = {row['name']: row for row in device['rows']}
        self.assertAlmostEqual(shown['PSInvocations']['total'] / due, 1, places=9)
        parts = {v['name']: v['value'] for v in shown['vertices_per_primitive']['formula']['operands']}
        self.assertAlmostEqual(parts['IAVertices'], sum(p.due(3) for p in programs), delta=3)
        metrics = run('report', path, '-m', 'PSInvocations', '-f', 'openmetrics').stdout
        self.assertIn(f' {due}\n', metrics)
        # A trace does not number frames: its first stand for others, too.
        for name, args, places in (('all.pftrace', (), 4), ('raw.csv', ('--counters', '--csv'), 5)):
            with self.subTest(name):
                out = self.path(name)
                run('export', path, '-o', out, *args)
                self.assertAlmostEqual(self.rows_of(out)['PSInvocations']['total'] / due, 1, places=places)

    def test_groups_add_up(self):
        """The whole is what its programs are, and what their contexts are."""
        programs = self.three()
        path = self.write('three.sxc', programs)
        whole = self.rows_of(path)['PSInvocations']['total']
        for by, keys in (('process', 2), ('context', 3)):
            values = {g['key']: g['values']['PSInvocations'] for g in self.groups(path, '--by', by)}
            self.assertEqual(len(values), keys)
            self.assertAlmostEqual(sum(values.values()) / whole, 1, places=6)
        self.assertAlmostEqual(values['1'] / programs[1].due(2), 1, places=5)

    def test_percentiles(self):
        """Each value for as many frames as it stands for, which of each program and context are more or less."""
        programs = self.three()
        rows = self.rows_of(self.write('three.sxc', programs))
        weights = []
        for program in programs:
            for kind in (False, True):
                alike = [row for row in program.rows if program.kind(row) == kind]
                measured = [row for row in alike if row[4]]
                weights += [(row, len(alike) / len(measured)) for row in measured]
        for column in (2, 3, 4):
            values = sorted((row[5][column], weight) for row, weight in weights)
            whole = sum(weight for _, weight in values)
            for percent in (50, 95, 99):
                passed, due = 0, None
                for value, weight in values:
                    passed += weight
                    if passed >= whole * percent / 100 - 1e-9:
                        due = value
                        break
                self.assertEqual(rows[COLUMNS[column][0]][f'p{percent}'], due, (column, percent))
        # The light ones are two thirds of all frames, and less than a third of those measured.
        self.assertLess(rows['PSInvocations']['p50'], 100000)

    def test_order_does_not_matter(self):
        """One program after the other, or both in turn."""
        programs = self.three()
        due = self.rows_of(self.write('a.sxc', programs))
        again = self.rows_of(self.write('b.sxc', programs, order=lambda row: (row[3].context, row[1])))
        for name, row in due.items():
            for key in ('total', 'mean'):
                if row[key]:
                    self.assertAlmostEqual(again[name][key] / row[key], 1, places=6, msg=f'{name} {key}')

    def test_what_is_told(self):
        """Nothing is rough where each program was measured; where one was not, its share is a guess, and told."""
        path = self.write('three.sxc', self.three())
        text = run('report', path).stdout
        self.assertIn('samples were counted, totals are scaled', text)
        self.assertNotIn('rough', text)
        self.assertNotIn('as the others', text)
        programs = self.three()
        path = self.write('four.sxc', programs + [Program('silent (12)', 3, 10, lambda i: 5, 0)])
        self.assertAlmostEqual(self.rows_of(path)['PSInvocations']['total'] / (sum(p.due(2) for p in programs) * 840 / 600), 1, places=5)
        text = ' '.join(run('report', path).stdout.split())
        self.assertIn('284 of 840 samples were counted, totals are scaled (240 of contexts without any as the others)', text)

    def test_too_many(self):
        """55 are told apart, eight with their first frames; those that came later are one, which is told."""
        programs = [Program(f'p{i} ({i})', i, 10, lambda n, i=i: 30000 * (i + 1), 1 + i % 5, count=10 + i, start_ms=i / 8) for i in range(70)]
        for program in programs[8:]:
            program.apart = False
        late = [row for p in programs[55:] for row in p.rows]
        known = [row[5][2] for row in late if row[4]]
        due = sum(p.due(2) for p in programs[:55]) + sum(known) / len(known) * len(late)
        path = self.write('many.sxc', programs)
        self.assertAlmostEqual(self.rows_of(path)['PSInvocations']['total'] / due, 1, places=5)
        self.assertIn('are scaled, those of late contexts together', ' '.join(run('report', path).stdout.split()))

    def test_rates_of_frames(self):
        """What the head says of all together and of each, and the metric of that name: one and the same."""
        programs = self.three()
        path = self.write('three.sxc', programs)
        device, = json.loads(run('report', path, '--json').stdout)['devices']
        together = 600 / 2.405  # one frame or another is on its way all the time
        each = 600 / sum((row[1] - row[0]) * 1e-9 for p in programs for row in p.rows)
        self.assertAlmostEqual(device['frames']['fps'] / together, 1, places=6)
        self.assertAlmostEqual(device['frames']['fps_each'] / each, 1, places=6)
        self.assertAlmostEqual(self.rows_of(path)['frames_per_second']['mean'] / each, 1, places=6)
        self.assertIn('(249/s together, each 83.3/s; slowest 1 %: 50/s)', ' '.join(run('report', path).stdout.split()))
        self.assertNotIn('together', run('report', path, '--context', '1').stdout)

    def groups(self, path, *args):
        device, = json.loads(run('report', path, '-m', 'PSInvocations,Frames,frame_time', '--json', *args).stdout)['devices']
        return device['groups']

    def test_each_stretch_once(self):
        """Rows of one program behind those of the other: each stretch of time is told once, in order, with the rows of both."""
        programs = self.three()
        due = {}
        for begin, *_ in (row for p in programs for row in p.rows):
            due[begin // (100 * MS)] = due.get(begin // (100 * MS), 0) + 1
        path = self.write('behind.sxc', programs, order=lambda row: (row[3].context, row[1]))
        groups = self.groups(path, '--by', 'time', '--interval', '100ms', '--top', '100')
        self.assertEqual([g['rows'] for g in groups], [due[key] for key in sorted(due)])
        begins = [g['begin_ns'] // (100 * MS) for g in groups]
        self.assertEqual(begins, sorted(due))
        # More stretches than wait for late rows: of the second program 376 come when theirs are complete.
        long = [Program(f'p{i} ({i})', i, 1, lambda n: 30, 1, count=1400) for i in range(2)]
        path = self.write('long.sxc', long, order=lambda row: (row[3].context, row[1]))
        done = run('report', path, '--by', 'time', '--interval', '1ms', '--top', '9999', '-m', 'Frames', '--csv')
        table = list(csv.DictReader(io.StringIO(done.stdout)))
        self.assertEqual(len({row['time (s)'] for row in table}), len(table))
        self.assertTrue([int(row['rows']) for row in table] == [1] * 376 + [2] * 1024 + [376], [row['rows'] for row in table[::50]])
        self.assertEqual([table[i]['time (s)'] for i in (0, 1234, -1)], ['0', '1.234', '(others)'])
        self.assertIn('over 1024 stretches of time late', ' '.join(done.stderr.split()))

    def test_stretches_without_any(self):
        """A stretch in which nothing of a context was measured: what it does in the whole run, not what the others do."""
        programs = self.three()
        path = self.write('three.sxc', programs)
        groups = self.groups(path, '--by', 'time', '--interval', '100ms', '--top', '100')
        for g in groups:
            at, due = g['begin_ns'] // (100 * MS), 0
            for p in programs:
                for kind in (False, True):
                    rows = [row for row in p.rows if row[0] // (100 * MS) == at and p.kind(row) == kind]
                    known = [row[5][2] for row in rows if row[4]]
                    due += len(rows) * (sum(known) / len(known) if known else p.mean(2, kind))
            self.assertAlmostEqual(g['values']['PSInvocations'], due, delta=2, msg=str(at))
        self.assertLess(max(g['values']['PSInvocations'] for g in groups), 1.02 * min(g['values']['PSInvocations'] for g in groups[:-1]))

    def test_frames_of_each(self):
        """Frames are counted by each context: number 7 is three frames, and each says whose it is."""
        programs = self.three()
        path = self.write('three.sxc', programs)
        groups = self.groups(path, '--by', 'frame', '--top', '1000')
        have = {(g['process'], g['context'], int(g['key'])): (g['rows'], g['begin_ns']) for g in groups}
        self.assertEqual(have, {(p.name, p.context, row[2]): (1, row[0]) for p in programs for row in p.rows})
        text = run('report', path, '--by', 'frame', '--sort', 'frame_time', '--top', '5', '-m', 'frame_time').stdout
        self.assertRegex(text, r'(?m)^frame +process +context +at +frame_time$')
        self.assertRegex(text, r'(?m)^0 +light \(11\) +2 +5.00 ms +20.0 ms$')
        table = list(csv.DictReader(io.StringIO(run('report', path, '--by', 'frame', '--top', '9', '-m', 'frame_time', '--csv').stdout)))
        self.assertEqual({(row['process'], row['context']) for row in table}, {(p.name, str(p.context)) for p in programs})
        alone = run('report', path, '--by', 'frame', '--top', '5', '-m', 'frame_time', '--process', 'heavy').stdout
        self.assertRegex(alone, r'(?m)^frame +at +frame_time$')


if __name__ == '__main__':
    unittest.main()
