#!/usr/bin/env python3
"""
Means of ratios over samples of several kinds: frames, slices of work that no swap ended, the rest of a frame that such
work came before, and samples that lack what others have. A second implementation says what each comes to, and no mean
lies outside its samples. usage: test_means.py SEXTANT MAKE-RUN
"""
import csv
import io
import itertools
import math
import os
import random
import re
import subprocess
import sys
import unittest

SEXTANT, MAKE_RUN = sys.argv.pop(1), sys.argv.pop(1)
sys.path.insert(0, os.path.join(os.path.dirname(__file__), 'html'))
from command import Command, FolderTest  # noqa: E402
from page_reader import Page  # noqa: E402

MS = 1000000
COLUMNS = {'Frames': 'frames', 'FrameTime': 'ns', 'CPUTime': 'ns', 'presented': 'boolean', 'DrawCalls': 'draws', 'D3DGPUTime': 'ns',
           'FramebufferWidth': 'pixels', 'FramebufferHeight': 'pixels', 'Occlusion': 'samples', 'PSInvocations': 'invocations',
           'IAVertices': 'vertices', 'IAPrimitives': 'primitives', 'VSInvocations': 'invocations', 'CInvocations': 'primitives',
           'CPrimitives': 'primitives', 'CSInvocations': 'invocations'}
LAST = ('FramebufferWidth', 'FramebufferHeight')
PIXELS = ('FramebufferWidth', 'FramebufferHeight', 'Frames')
# Name: factor, what is divided, and by what, which is a product; of frames where it reads how many there are.
RATIOS = {'frames_per_second': (1e9, 'Frames', ('FrameTime',)), 'gpu_time_share': (100, 'D3DGPUTime', ('FrameTime',)),
          'cpu_time_share': (100, 'CPUTime', ('FrameTime',)), 'vertices_per_primitive': (1, 'IAVertices', ('IAPrimitives',)),
          'vertex_runs_per_primitive': (1, 'VSInvocations', ('IAPrimitives',)), 'clipping_output_ratio': (1, 'CPrimitives', ('CInvocations',)),
          'fragments_per_pixel': (1, 'PSInvocations', PIXELS), 'overdraw': (1, 'Occlusion', PIXELS),
          'fragments_per_primitive': (1, 'PSInvocations', ('CPrimitives',)), 'samples_passed_per_fragment': (1, 'Occlusion', ('PSInvocations',)),
          'gpu_time_per_fragment': (1e-9, 'D3DGPUTime', ('PSInvocations',)), 'gpu_time_per_pixel': (1e-9, 'D3DGPUTime', PIXELS),
          'fragment_rate': (1e9, 'PSInvocations', ('D3DGPUTime',)), 'compute_threads_per_frame': (1, 'CSInvocations', ('Frames',)),
          'compute_rate': (1e9, 'CSInvocations', ('D3DGPUTime',))}
KEPT = ('Frames', 'FrameTime', 'presented', 'DrawCalls', 'CPUTime', *LAST)  # counted in every sample


class Row:
    """One sample: `values` without those it lacks; `skipped`: these were not measured, and others stand for them."""

    def __init__(self, process, context, begin, length, kind):
        self.process, self.context, self.begin, self.end, self.kind = process, context, begin, begin + length, kind
        self.frame, self.values, self.skipped = 0, {}, False

    def ratio(self, name):
        """What is divided and by what, or None where this row says nothing of it."""
        factor, above, below = RATIOS[name]
        if ('Frames' in (above, *below) and self.kind != 'frame') or any(c not in self.values for c in (above, *below)):
            return None
        by = math.prod(self.values[c] for c in below)
        return (factor * self.values[above], by) if by else None


def weighted(rows, name):
    """The mean of a ratio, and the least and the largest."""
    parts = [part for part in (row.ratio(name) for row in rows) if part]
    if not parts:
        return None
    return sum(a for a, _ in parts) / sum(b for _, b in parts), min(a / b for a, b in parts), max(a / b for a, b in parts)


def make_rows(seed, measured=1.0):
    """Contexts of two programs that swap, or work for a while without, in windows that change; some counters are lost."""
    chance = random.Random(seed)
    rows = []
    for context in range(chance.randrange(1, 4)):
        at, size, frame, cut = chance.randrange(50) * MS, (64, 64), 0, False
        lossy = chance.random() * 0.4
        for _ in range(chance.randrange(6, 40)):
            kind = 'slice' if chance.random() < 0.4 else 'rest' if cut else 'frame'
            cut = kind == 'slice'
            length = int((100 if cut else chance.choice((1, 4, 17))) * MS * (1 + chance.random()))
            row = Row(f'p{context // 2} ({10 + context // 2})', context, at, length, kind)
            at, row.frame, frame = row.end, frame, frame + 1
            if chance.random() < 0.1:
                size = (chance.randrange(20, 900), chance.randrange(20, 900))
            calls = chance.randrange(0, 3) * (10 if cut else 1)
            v = {'Frames': int(not cut), 'FrameTime': length, 'presented': int(kind == 'frame'), 'DrawCalls': calls,
                 'CPUTime': int(length * chance.random()), 'D3DGPUTime': int(length * chance.random())}
            if kind == 'frame':
                v.update(FramebufferWidth=size[0], FramebufferHeight=size[1])
            v.update({c: calls * chance.randrange(1, 3000) for c in COLUMNS if c not in v and c not in LAST})
            row.skipped = chance.random() >= measured
            row.values = {c: x for c, x in v.items() if c in KEPT or not row.skipped and chance.random() >= lossy}
            rows.append(row)
    return sorted(rows, key=lambda row: row.end)


class Means(FolderTest):
    sextant = Command(SEXTANT, code=0)

    def write(self, rows):
        lines = ['device\topengl\tSome GPU\tMesa 1\tframe\treal']
        lines += [f'column\t{name}\t{unit}\tu64\t{"last" if name in LAST else "sum"}' for name, unit in COLUMNS.items()]
        for row in rows:
            lines += [f'label\t{label}\t{value}' for label, value in (('process', row.process), ('context', row.context), ('frame', row.frame))]
            missing = ['~' if row.skipped and c not in KEPT else '-' for c in COLUMNS]
            cells = [str(row.values.get(c, missing[i])) for i, c in enumerate(COLUMNS)]
            lines.append(f'row\t{row.begin}\t{row.end}\t' + '\t'.join(cells))
        path = self.path('run.sxc')
        subprocess.run([MAKE_RUN, path], input='\n'.join(lines) + '\n', text=True, check=True, timeout=60)
        return path

    def check(self, got, rows, name, where):
        due = weighted(rows, name)
        if due is None:
            self.assertIsNone(got, (where, name))
            return
        self.assertIsNotNone(got, (where, name, due))
        self.assertAlmostEqual(got / due[0] if due[0] else got + 1, 1, places=5, msg=f'{where} {name} {got} {due}')

    def test_means_are_weighted_by_what_they_divide_by(self):
        """In every view: of the run in text for programs, tables and the page; of each program, context and stretch of time."""
        for seed in range(8):
            rows = make_rows(seed)
            path = self.write(rows)
            names = ','.join(RATIOS)
            found = {m['name']: m for m in self.sextant.document('report', path, '-m', names)['metrics']}
            table = list(csv.DictReader(io.StringIO(self.sextant('report', path, '-m', names, '--csv').stdout)))
            page = self.path('page.html')
            self.sextant('report', path, '-m', names, '-o', page)
            with open(page, encoding='utf-8') as file:
                shown = {row['name']: row for row in Page(file.read()).report['of_devices'][0]['rows']}
            live = {m['name']: m for m in self.sextant.document('stat', '-i', path, '-m', names)['metrics']}
            for name in RATIOS:
                self.check(found[name]['mean'], rows, name, (seed, 'report'))
                self.check(live[name]['mean'], rows, name, (seed, 'stat'))
                cell = next(line['mean'] for line in table if line['name'] == name)
                self.check(float(cell) if cell else None, rows, name, (seed, 'csv'))
                due = weighted(rows, name)
                if due:
                    self.assertAlmostEqual(found[name]['min'] / due[1] if due[1] else 1 + found[name]['min'], 1, places=6)
                    self.assertAlmostEqual(found[name]['max'] / due[2] if due[2] else 1 + found[name]['max'], 1, places=6)
                    self.assertLessEqual(shown[name]['min'] * (1 - 1e-9), shown[name]['mean'])
                    self.assertLessEqual(shown[name]['mean'], shown[name]['max'] * (1 + 1e-9))
            for by, key in (('process', lambda row: row.process), ('context', lambda row: str(row.context))):
                for group in self.groups(path, names, '--by', by):
                    mine = [row for row in rows if key(row) == str(group['key'])]
                    self.assertTrue(mine, group['key'])
                    for name in RATIOS:
                        self.check(group['values'][name], mine, name, (seed, by, group['key']))
            begin = rows_begin = min(row.begin for row in rows)
            for group in self.groups(path, names, '--by', 'time', '--interval', '200ms', '--top', '999'):
                begin = group['begin_ns']
                mine = [row for row in rows if (row.begin - rows_begin) // (200 * MS) == (begin - rows_begin) // (200 * MS)]
                for name in RATIOS:
                    self.check(group['values'][name], mine, name, (seed, 'time', begin))

    def groups(self, path, names, *args):
        device, = self.sextant.document('report', path, '-m', names, *args)['devices']
        return device['groups']

    def test_groups_come_in_the_order_that_is_shown(self):
        for seed in range(4):
            path = self.write(make_rows(seed))
            for name in ('fragments_per_primitive', 'gpu_time_share', 'frames_per_second', 'IAVertices'):
                where = ('--by', 'time', '--interval', '100ms')
                shown = [g['values'][name] for g in self.groups(path, name, *where, '--top', '999')]
                due = sorted(value for value in shown if value is not None)
                for sort in ('+' + name, '-' + name):
                    few = [g['values'][name] for g in self.groups(path, name, *where, '--sort', sort, '--top', '4')]
                    self.assertEqual(few, (due[::-1] if sort[0] == '-' else due)[:4] + [None] * (4 - len(due)), (seed, sort))

    def test_totals_of_groups_hold_what_was_counted(self):
        """Samples whose counts were lost add nothing; a total of which as much was lost as counted is absent."""
        lacking = 0
        for seed in range(4):
            rows = make_rows(seed)
            path = self.write(rows)
            for by, key in (('process', lambda row: row.process), ('context', lambda row: str(row.context))):
                for group in self.groups(path, 'IAVertices', '--by', by):
                    mine = [row for row in rows if key(row) == str(group['key'])]
                    known = [row.values['IAVertices'] for row in mine if 'IAVertices' in row.values]
                    lacking += len(known) < len(mine)
                    most = len(known) > len(mine) - len(known)
                    self.assertEqual(group['values']['IAVertices'], sum(known) if most else None, (seed, by, group['key']))
        self.assertGreater(lacking, 4)

    def test_no_mean_lies_outside_its_samples(self):
        """Nor where one sample of three was measured, and stands for others by what each context does."""
        for seed in range(20, 34):
            rows = make_rows(seed, measured=1 / 3)
            for metric in self.sextant.document('report', self.write(rows), '-m', '*', '--counters')['metrics']:
                if metric['mean'] is None or metric['name'] not in RATIOS:
                    continue
                slack = 1e-9 * abs(metric['mean'])
                self.assertLessEqual(metric['min'], metric['mean'] + slack, (seed, metric))
                self.assertLessEqual(metric['mean'], metric['max'] + slack, (seed, metric))

    def test_what_was_lost_and_what_was_left_out_are_told_apart(self):
        """In JSON: of how many samples a total lacks what could not be counted, beside the share that was."""
        rows = make_rows(21, measured=0.5)
        metric, = self.sextant.document('report', self.write(rows), '-m', 'IAVertices')['metrics']
        self.assertEqual(metric['lost'], sum('IAVertices' not in row.values and not row.skipped for row in rows))
        self.assertAlmostEqual(metric['running'], sum('IAVertices' in row.values for row in rows) / len(rows))

    def test_totals_of_runs_that_lost_samples(self):
        """As many samples lost on their way as came: the amounts of those that came are not those of the run."""
        for lost in (3, 4, 1000):
            path = self.path(f'lost{lost}.sxc')
            lines = ['device\topengl\tSome GPU\tMesa 1\tframe\treal', 'column\tIAVertices\tvertices\tu64\tsum']
            lines += [f'row\t{i * MS}\t{(i + 1) * MS}\t100' for i in range(4)] + [f'lost\t{lost}']
            subprocess.run([MAKE_RUN, path], input='\n'.join(lines) + '\n', text=True, check=True, timeout=60)
            total, why = (400, None) if lost < 4 else (None, f'samples were lost ({lost} of {lost + 4})')
            for verb in (('report', path), ('stat', '-i', path)):
                metric, = self.sextant.document(*verb, '-m', 'IAVertices', code=1)['metrics']
                self.assertEqual((metric['total'], metric['why'], metric['mean'], metric['running']), (total, why, 100, 4 / (lost + 4)))
                text = self.sextant(*verb, '-m', 'IAVertices', code=1).stdout
                self.assertEqual(re.search(r'IAVertices +(\S+)', text).group(1), '400' if total else '-')
                self.assertEqual('no total: ' in text, not total)
            done = self.sextant('report', path, '-m', 'IAVertices', '--gate', 'IAVertices.total < 1000000', code=1)
            self.assertIn('passed' if total else 'not judged', done.stdout)
            text = self.sextant('export', path, '-m', 'IAVertices', '-f', 'openmetrics', code=1).stdout
            self.assertEqual('IAVertices' in text, bool(total))

    def test_what_was_missed_goes_by_the_calls_in_it(self):
        """One sample of three was lost, and most or few of the draws with it: rows alone do not say how much that is."""
        cases = ((0, 0, 120), None), ((40, 40, 80), None), ((60, 60, 100), 2 * 60)
        for kind, (draws, total) in itertools.product(('frame', 'pass'), cases):
            path = self.path('calls.sxc')
            lines = [f'device\topengl\tSome GPU\tMesa 1\t{kind}\treal', 'column\tIAVertices\tvertices\tu64\tsum',
                     'column\tDrawCalls\tcount\tu64\tsum', 'column\tFrames\tframes\tu64\tsum']
            lines += [f'row\t{i * MS}\t{(i + 1) * MS}\t{"-" if i == 2 else n}\t{n}\t1' for i, n in enumerate(draws)]
            subprocess.run([MAKE_RUN, path], input='\n'.join(lines) + '\n', text=True, check=True, timeout=60)
            metrics = {m['name']: m for m in self.sextant.document('report', path, '-m', 'IAVertices,DrawCalls')['metrics']}
            self.assertEqual((metrics['IAVertices']['total'], metrics['DrawCalls']['total']), (total, sum(draws)))
            self.assertEqual(metrics['IAVertices']['why'] is None, total is not None)

    def test_what_was_mostly_lost_is_absent_in_every_view(self):
        """Two of 42 samples counted 0, and the others could not be counted: no view says 0, and no gate passes."""
        path, other = self.path('run.sxc'), self.path('whole.sxc')
        columns = [f'column\t{name}\tinvocations\tu64\tsum' for name in ('IAVertices', 'VSInvocations', 'DrawCalls')]
        for file, counted in ((path, 2), (other, 42)):
            lines = ['device\topengl\tSome GPU\tMesa 1\tframe\treal', *columns, 'label\tgroup\tall']
            lines += [f'row\t{i * MS}\t{(i + 1) * MS}\t{0 if i < counted else "-"}\t{0 if i < counted else "-"}\t5' for i in range(42)]
            subprocess.run([MAKE_RUN, file], input='\n'.join(lines) + '\n', text=True, check=True, timeout=60)
        lost, names = ('IAVertices', 'VSInvocations'), 'IAVertices,VSInvocations,DrawCalls'
        for verb in (('report', path), ('stat', '-i', path)):
            for metric in self.sextant.document(*verb, '-m', names)['metrics']:
                numbers = [metric[key] for key in ('total', 'mean', 'min', 'p50', 'p95', 'p99', 'max')]
                if metric['name'] in lost:
                    self.assertEqual((numbers, metric['count'], metric['lost']), ([None] + [0] * 6, 2, 40))
                    self.assertIn('40 of 42 samples', metric['why'])
                else:
                    self.assertEqual(numbers, [210] + [5] * 6)
            for more in ((), ('-v',), ('-m', names)):
                text = self.sextant(*verb, *more).stdout
                self.assertNotRegex(text, r'0 in every sample|nothing was drawn')
            rows = {row['name']: row for row in csv.DictReader(io.StringIO(self.sextant(*verb, '-m', names, '--csv').stdout))}
            self.assertEqual([rows[name][key] for name in lost for key in ('total', 'mean', 'why')],
                             2 * ['', '0', 'in 40 of 42 samples: the device delivered no result'])
        for kind in ('openmetrics', 'ndjson', 'html', 'perfetto'):
            self.sextant('report' if kind == 'html' else 'export', path, '-m', names, '-f', kind, '-o', self.path(kind))
        with open(self.path('openmetrics'), encoding='utf-8') as file:
            self.assertNotRegex(file.read(), 'IAVertices|VSInvocations')
        for group in self.groups(path, names, '--by', 'group'):
            self.assertEqual([group['values'][name] for name in names.split(',')], [None, None, 210])
        device, = self.sextant.document('report', path, '-m', names, '--by', 'group')['devices']
        self.assertEqual([(mark['rows'], mark['metrics'], mark['quality']) for mark in device['quality'] if 'metrics' in mark],
                         [([0, 0], [name], 'gap') for name in lost])
        self.assertEqual(device['why'], {})
        for stat in ('total', 'mean', 'min', 'max', 'p95'):
            done = self.sextant('report', path, '-m', names, '--gate', f'IAVertices.{stat} < 1000', code=1)
            self.assertIn('not judged', done.stdout)
        rows = self.sextant.document('diff', other, path, '-m', names)['metrics']
        self.assertEqual({row['name']: row['verdict'] for row in rows if row['name'] in lost}, dict.fromkeys(lost, 'incomparable'))
        # Zero is what was counted as zero.
        for metric in self.sextant.document('report', other, '-m', names)['metrics']:
            self.assertEqual((metric['total'], metric['why']), (210 if metric['name'] == 'DrawCalls' else 0, None))

    def test_what_is_no_frame_has_no_frame_time(self):
        """Frame times, their total (once where contexts overlap) and their rate are those of whole frames."""
        for seed in range(8):
            rows = make_rows(seed)
            path = self.write(rows)
            frames = [row for row in rows if row.kind == 'frame']
            document = self.sextant.document('report', path, '-m', 'frame_time,FrameTime,frames_per_second')
            found = {m['name']: m for m in document['metrics']}
            if not frames:
                self.assertIsNone(found['frame_time']['mean'])
                continue
            lengths = sorted((row.end - row.begin) * 1e-9 for row in frames)
            together = self.union(frames) * 1e-9
            for name in ('frame_time', 'FrameTime'):
                due = {'total': together, 'mean': sum(lengths) / len(lengths), 'min': lengths[0], 'max': lengths[-1],
                       'p50': lengths[math.ceil(0.5 * len(lengths)) - 1], 'p95': lengths[math.ceil(0.95 * len(lengths)) - 1]}
                for key, value in due.items():
                    self.assertAlmostEqual(found[name][key] / value, 1, places=6, msg=f'{seed} {name} {key}')
                self.assertEqual(found[name]['running'], 1)
            told = document['devices'][0]['frames']
            if len(frames) > 1 and any(row.kind == 'slice' for row in rows):
                self.assertRegex(' '.join(self.sextant('report', path).stdout.split()), r'\d samples? without in [\d.]+ m?s \([\d.]+ ?k?/s in [\d.]+ m?s of frames')
            self.assertAlmostEqual(told['fps'] * together / len(frames), 1, places=6)
            self.assertAlmostEqual(told['fps_each'] * sum(lengths) / len(frames), 1, places=6)
            self.assertAlmostEqual(found['frames_per_second']['mean'] / told['fps_each'], 1, places=6)
            for process in document['devices'][0]['processes']:
                mine = [row for row in frames if row.process == f'{process["name"]} ({process["pid"]})']
                self.rate(process, mine)
                for context in process['each_context']:
                    self.rate(context, [row for row in mine if row.context == context['context']])
            for group in self.groups(path, 'frame_time,frames_per_second', '--by', 'process'):
                mine = [row for row in frames if row.process == group['key']]
                if mine:
                    self.assertAlmostEqual(group['values']['frame_time'] / (self.union(mine) * 1e-9), 1, places=6)
                    due = len(mine) / sum((row.end - row.begin) * 1e-9 for row in mine)
                    self.assertAlmostEqual(group['values']['frames_per_second'] / due, 1, places=6)

    def rate(self, told, frames):
        """Frames over the time in which any of them was on its way."""
        if not frames:
            self.assertIsNone(told['fps'])
            return
        self.assertAlmostEqual(told['fps'] * self.union(frames) * 1e-9 / len(frames), 1, places=6)

    @staticmethod
    def union(rows):
        covered, until = 0, 0
        for row in sorted(rows, key=lambda row: row.begin):
            covered += max(0, row.end - max(row.begin, until))
            until = max(until, row.end)
        return covered

    def test_a_quotient_has_no_total(self):
        """Nor of one sample, whose total it would be, nor where all are 0: else one run's shape is not another's."""
        for times in ((500,), (0, 0, 0), (500, 100)):
            path = self.path('cpu.sxc')
            lines = ['device\tcpu\tCPUs\tLinux\ttime\treal', 'column\tTaskClock\tns\tu64\tsum']
            lines += [f'row\t{i * 1000}\t{i * 1000 + 1000}\t{time}' for i, time in enumerate(times)]
            subprocess.run([MAKE_RUN, path], input='\n'.join(lines) + '\n', text=True, check=True, timeout=60)
            metric, clock = self.sextant.document('report', path, '-m', 'cpus_used,TaskClock')['metrics']
            self.assertIsNone(metric['total'])
            self.assertAlmostEqual(metric['mean'], sum(times) / len(times) / 1000)
            self.assertAlmostEqual(clock['total'], sum(times) * 1e-9)

    def test_a_level_has_one_mean(self):
        """Weighed by time, whichever view says it: samples are of unlike lengths."""
        path, at, seen, ns = self.path('level.sxc'), 0, 0, 0
        lines = ['device\tcpu\tCPUs\tLinux\ttime\treal', 'column\tRunnable\ttasks\tu64\tmean']
        chance = random.Random(7)
        for _ in range(100):
            length, level = chance.choice((MS, 3 * MS, 11 * MS)), chance.randrange(9)
            lines.append(f'row\t{at}\t{at + length}\t{level}')
            at, seen, ns = at + length, seen + level * length, ns + length
        subprocess.run([MAKE_RUN, path], input='\n'.join(lines) + '\n', text=True, check=True, timeout=60)
        only, due = ['-m', 'run_queue'], seen / ns
        report, stat = (self.sextant.document(*verb, path, *only)['metrics'][0]['mean'] for verb in (['report'], ['stat', '-i']))
        page = self.path('page.html')
        self.sextant('report', path, *only, '-o', page)
        with open(page, encoding='utf-8') as file:
            shown = Page(file.read()).report['of_devices'][0]['rows'][0]['mean']
        group, = self.groups(path, 'run_queue', '--by', 'time', '--interval', '10s')
        scraped = re.search(r'^sextant_run_queue_tasks\S* (\S+)$', self.sextant('export', path, *only, '-f', 'openmetrics').stdout, re.M)
        explained = self.sextant.document('explain', 'run_queue', '-i', path)['value']
        for where, value in (('report', report), ('stat', stat), ('page', shown), ('by', group['values']['run_queue']),
                             ('openmetrics', float(scraped[1])), ('explain', explained)):
            self.assertAlmostEqual(value, due, delta=1e-9, msg=where)
        gate, = self.sextant.document('report', path, '--gate', 'run_queue<99')['gates']
        self.assertAlmostEqual(gate['value'], due, delta=1e-9)
        # Without its warm-up, by time as well; the gate of a comparison is on the mean that stands beside it.
        compared = self.sextant.document('diff', path, path, *only, '--gate', 'run_queue<99')
        self.assertEqual(compared['gates'][0]['value'], compared['metrics'][0]['b']['mean'])

    def test_never_swapped(self):
        """Then nothing is said of frames, and why."""
        rows = [row for row in make_rows(3) if row.kind == 'slice']
        found = {m['name']: m for m in self.sextant.document('report', self.write(rows), '-m', '*')['metrics']}
        for name in ('frames_per_second', 'frame_time', 'compute_threads_per_frame'):
            self.assertIsNone(found[name]['mean'], name)
            self.assertIn('the samples are not whole frames', found[name]['why'])
        said = self.sextant('capture', 'info', self.path('run.sxc')).stdout
        self.assertIn(f'rows     {len(rows)}, each a frame, or work that no swap ended', said)
        said = self.sextant('advise', self.path('run.sxc')).stdout
        self.assertIn('The program presents nothing', said)
        self.assertNotIn('0 frames/s', said)
        for seed in range(4):  # one swap is enough
            rows = make_rows(seed)
            self.assertNotIn('presents nothing', self.sextant('advise', self.write(rows)).stdout, seed)


if __name__ == '__main__':
    unittest.main()
