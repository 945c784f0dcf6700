#!/usr/bin/env python3
"""Any table of counters, in every verb that reads files: the same numbers, labels and words whatever the spelling. $SEXTANT is the binary."""
import csv
import gzip
import io
import json
import os
import resource
import subprocess
import unittest

from command import FolderTest

SEXTANT = os.environ['SEXTANT']

# Titles, a unit, a label and a name in capitals: what a script or a spreadsheet has.
HEAD = ('Scene', 'Frame time (ms)', 'IAVERTICES', 'Frames')
ROWS = [('menu', 16.6, 1000, 1), ('game', 33.3, 2000, 1), ('menu', 16.7, 3000, 1)]


def run(*args):
    return subprocess.run([SEXTANT, *args], capture_output=True, text=True, timeout=120, check=False)


def text_of(separator=',', end='\n', number=str):
    lines = [separator.join(HEAD)] + [separator.join([row[0]] + [number(v) for v in row[1:]]) for row in ROWS]
    return end.join(lines) + end


SPELLINGS = {
    'plain': text_of(),
    'separators at the ends': text_of(end=',\r\n'),
    'semicolon, decimal comma': 'sep=;\n' + text_of(';', number=lambda v: str(v).replace('.', ',')),
    'bar': 'sep=|\r\n' + text_of('|', '\r\n'),
    'Markdown': ''.join('| ' + ' | '.join(map(str, row)) + ' |\n' for row in (HEAD, [':--', *['---:'] * (len(HEAD) - 1)], *ROWS)),
    'Markdown without edges': ''.join('|'.join(map(str, row)) + '\n' for row in (HEAD, ['---'] * len(HEAD), *ROWS)),
    'tab, groups': text_of('\t', number=lambda v: f'{v:,}'.replace(',', ' ')),
    'quoted groups': text_of(number=lambda v: f'"{v:,}"'),
    'old Mac': text_of(end='\r'),
    'UTF-16': text_of().encode('utf-16'),
    'UTF-16 without a mark': text_of().encode('utf-16-be'),
    'packed': gzip.compress(('\ufeff' + text_of()).encode()),
}


class Tables(FolderTest):
    def good(self, *args):
        result = run(*args)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def test_spellings(self):
        want = [{'Scene': scene, 'Frame time (s)': f'{ms / 1000:.4f}', 'IAVERTICES': str(vertices), 'Frames': '1'} for scene, ms, vertices, _ in ROWS]
        for title, text in SPELLINGS.items():
            with self.subTest(title):
                result = self.good('export', self.file(text), '--counters', '--csv')
                have = list(csv.DictReader(result.stdout.splitlines()))
                self.assertEqual([{k: v for k, v in row.items() if k in want[0]} for row in have], want)
                self.assertIn('t.csv: a table of counters', result.stderr)
                self.assertIn('catalog opengl', result.stderr)
                self.assertIn('--for NAME says better', ' '.join(result.stderr.split()))

    def test_every_verb(self):
        """With --for and without."""
        path, kept = self.file(text_of()), os.path.join(self.folder.name, 'kept.sxc')
        self.good('import', path, '-o', kept)
        for source, args in ((path, ()), (path, ('--for', 'opengl')), (kept, ())):
            with self.subTest(source=source, args=args):
                metrics = {m['name']: m for m in json.loads(self.good('report', source, '--json', *args).stdout)['metrics']}
                self.assertAlmostEqual(metrics['frame_time']['mean'], 0.0222, places=9)
                self.assertEqual(metrics['frame_time']['count'], 3)
                rows = list(csv.DictReader(self.good('eval', source, '-m', 'frame_time', '--csv', *args).stdout.splitlines()))
                self.assertEqual([round(float(row['frame_time (s)']), 12) for row in rows], [0.0166, 0.0333, 0.0167])
                self.assertIn('frame_time = ', self.good('explain', 'frame_time', '-i', source, *args).stdout)
                # The column's own name, in any case, or what it is in ours.
                for key in ('scene', 'SCENE', 'group'):
                    document = self.good('report', source, '--by', key, '--csv', *args).stdout
                    self.assertEqual([row['Scene'] for row in csv.DictReader(document.splitlines())], ['menu', 'game'])
        slower = self.file(text_of().replace('16.6', '36.6'), 'b.csv')
        row = next(m for m in json.loads(self.good('diff', path, slower, '--json').stdout)['metrics'] if m['name'] == 'frame_time')
        self.assertAlmostEqual(row['a']['mean'], 0.0222, places=9)
        self.assertAlmostEqual(row['b']['mean'], 0.0866 / 3, places=9)

    def test_columns_of_text(self):
        """Four of them are labels: by their own names in report, and through export and eval in every form."""
        head = ('Scene', 'Level', 'Weather', 'Player', 'Remark', 'Frame time (ms)', 'IAVertices')
        rows = [('menu', 'one', 'sun', '1', 'a', 16, 1), ('game', 'one', 'rain, snow', 'x', 'b', 32, 1), ('menu', '2', '', 'x', '"c"', 16, 1)]
        with open(os.path.join(self.folder.name, 'w.csv'), 'w', encoding='utf-8', newline='') as out:
            csv.writer(out).writerows([head, *rows])
        path, kept = out.name, os.path.join(self.folder.name, 'kept.sxc')
        self.assertIn('further column of text was left out, Remark', ' '.join(self.good('import', path, '-o', kept).stderr.split()))
        told = 'columns of text are labels: Scene is group, Level is group2, Weather is group3, Player is group4'
        for source in (path, kept):
            for column, name in enumerate(head[:4]):
                want = {}
                for row in rows:
                    of = row[column] or '(none)'
                    want[of] = want.get(of, 0) + row[5] / 1000
                key = 'group' + (str(column + 1) if column else '')
                for by in (name, name.upper(), key):
                    result = self.good('report', source, '--by', by, '--csv')
                    have = list(csv.DictReader(result.stdout.splitlines()))
                    self.assertEqual({row[name]: round(float(row['frame_time (s)']), 9) for row in have}, want, by)
                    if source == path:
                        self.assertIn(told, ' '.join(result.stderr.split()))
        labels = head[:4]
        for form in ('csv', 'json', 'ndjson'):
            once = self.file(self.good('export', path, '-f', form).stdout, 'once.' + form)
            again = self.good('eval', once, '-f', form).stdout
            if form == 'csv':
                self.assertEqual([[row[name] for name in labels] for row in csv.DictReader(again.splitlines())], [list(row[:4]) for row in rows])
                self.assertEqual(self.good('eval', once, '--csv', '--for', 'opengl').stdout, again)
            elif form == 'json':
                table = json.loads(again)
                at = [table['metrics'].index(name) for name in labels]
                self.assertEqual([[row[i] or '' for i in at] for row in table['rows']], [list(row[:4]) for row in rows])
            else:
                self.assertEqual([[json.loads(line).get(name) or '' for name in labels] for line in again.splitlines()], [list(row[:4]) for row in rows])
        for form in ('perfetto', 'html'):
            self.good('export' if form == 'perfetto' else 'report', kept, '-o', os.path.join(self.folder.name, 'x.' + form), '-f', form)

    def test_labels_come_out_again(self):
        """Under the names that they had, in every form, and read back they are the same labels; also one of words and numbers, and line breaks in them."""
        head, rows = ('Scene', 'frame_time (ms)', 'Player'), (('menu', 10, '1'), ('game', 20, 'x'), ('a "b",\nc', 40, '2'), ('', 80, '1'))
        with open(os.path.join(self.folder.name, 'l.csv'), 'w', encoding='utf-8', newline='') as out:
            csv.writer(out).writerows([head, *rows])
        want = [(scene, player, ms / 1000) for scene, ms, player in rows]
        kept = os.path.join(self.folder.name, 'kept.sxc')
        self.good('import', out.name, '-o', kept)
        for form in ('csv', 'json', 'ndjson'):
            def read(text):
                if form == 'csv':
                    found = list(csv.DictReader(io.StringIO(text, newline='')))
                elif form == 'ndjson':
                    found = [json.loads(line) for line in text.splitlines()]
                else:
                    document = json.loads(text)
                    table = document.get('devices', [document])[0]
                    found = [dict(zip(table['metrics'], row)) for row in table['rows']]
                return [(row.get('Scene') or '', row.get('Player') or '', round(float(row.get('frame_time (s)') or row['frame_time']), 9)) for row in found]
            once = self.good('export', out.name, '-f', form).stdout
            first = self.file(once, 'once.' + form)
            for args in (('export', kept), ('eval', out.name), ('eval', kept), ('eval', out.name, '--for', 'monitor'), ('export', first), ('eval', first)):
                with self.subTest(form, args=args):
                    self.assertEqual(read(self.good(*args, '-f', form).stdout), want)
            self.assertEqual(self.good('export', first, '-f', form).stdout, once)
            for by, at in (('scene', 0), ('Player', 1), ('group', 0), ('group2', 1)):
                with open(first, encoding='utf-8') as source:
                    result = subprocess.run([SEXTANT, 'report', '-', '--by', by, '--csv'], stdin=source, capture_output=True, text=True, timeout=60, check=False)
                self.assertEqual(result.returncode, 0, result.stderr)
                have = {row[('Scene', 'Player')[at]]: round(float(row['frame_time (s)']), 9) for row in csv.DictReader(io.StringIO(result.stdout, newline=''))}
                sums = {}
                for row in want:
                    sums.setdefault(row[at] or '(none)', []).append(row[2])
                self.assertEqual(set(have), set(sums))
        # Of several devices, in one table.
        two = 'device,begin_ns,end_ns,frame_time (ms),GpuBusy,Scene\n0,0,5,7,,a\n1,0,5,,9,b\n'
        self.assertIn('Scene', self.good('export', self.file(two), '--for', 'monitor', '--csv').stdout.splitlines()[0])

    def report(self, text, *args, name='t.csv'):
        """The rows of a report by name, and what was told."""
        result = self.good('report', self.file(text, name), '--csv', *args)
        return {row['name']: row for row in csv.DictReader(result.stdout.splitlines())}, ' '.join(result.stderr.split())

    def test_means_of_whole_numbers(self):
        """The mean of a level or ratio is not rounded because its rows are whole."""
        for name, cells, catalog in (('overdraw', (1, 2), 'opengl'), ('gpu_busy', (50, 51), 'monitor'), ('gpu_time_share', (0, 0, 1), 'opengl'), ('cpu_busy', (0, 1), 'monitor')):
            mean = sum(cells) / len(cells)
            wide = name + '\n' + ''.join(f'{c}\n' for c in cells)
            long = 'frame,name,value\n' + ''.join(f'{i},{name},{c}\n' for i, c in enumerate(cells))
            lines = ''.join(json.dumps({'begin_ns': i, 'end_ns': i + 1, name: c}) + '\n' for i, c in enumerate(cells))
            for text in (wide, long, lines):
                with self.subTest(name, text=text):
                    rows, _ = self.report(text, '--for', catalog)
                    self.assertAlmostEqual(float(rows[name]['mean']), mean, places=12)
                    judged = run('report', self.file(text), '--for', catalog, '--gate', f'{name}<{mean + 0.1}')
                    # Of a ratio the mean of the run is not known, which may be anywhere between the rows'.
                    self.assertEqual(judged.returncode, 1 if catalog == 'opengl' else 0, judged.stderr)
        rows, _ = self.report('begin (s),end (s),gpu_busy\n0.0,0.1,50\n0.1,0.2,10\n0.2,0.3,20\n')
        self.assertAlmostEqual(float(rows['gpu_busy']['mean']), 80 / 3, places=12)

    def test_given_ratios(self):
        """Over a run they are what other columns make of them, else means of rows, and that is told."""
        text = 'frame_time (ms),frames_per_second\n10,100\n10,100\n100,10\n'
        rows, told = self.report(text)
        self.assertAlmostEqual(float(rows['frames_per_second']['mean']), 25)
        self.assertEqual(rows['frames_per_second']['max'], '100')
        self.assertEqual(run('report', self.file(text), '--gate', 'frames_per_second>60').returncode, 6)
        rows, told = self.report('GPU time (ms),Frame time (ms),gpu_time_share,overdraw\n10,10,100,1\n10,90,11.1,2\n', '--for', 'opengl')
        self.assertAlmostEqual(float(rows['gpu_time_share']['mean']), 20)
        self.assertAlmostEqual(float(rows['overdraw']['mean']), 1.9)  # each by its length
        self.assertIn('2 ratios are given by row (gpu_time_share, ...): unless other columns give them, averages over the run are those of the rows', told)
        self.assertNotIn('given by row', self.report('Frame time (ms)\n10\n90\n', '--for', 'opengl')[1])

    def test_the_verdict_has_the_same_rate(self):
        """Windows of rows without times are totals as others are, and each counts by the time of its frames."""
        for rows in ([10, 10, 100], [10, 10, 100] * 20, [10] * 32 + [100] * 32):
            text = 'frame_time (ms),frames_per_second\n' + ''.join(f'{ms},{1000 // ms}\n' for ms in rows)
            document = json.loads(run('report', self.file(text), '--json').stdout)
            rate = [e['value'] for e in document['verdict']['parts'][0]['evidence'] if e['name'] == 'frame.rate']
            self.assertEqual(len(rate), 1)
            self.assertAlmostEqual(rate[0], len(rows) * 1000 / sum(rows), places=9)
        text = 'frame_time (ms),frames_per_second,scene\n10,100,a\n10,100,a\n100,10,a\n5,200,b\n'
        lines = csv.DictReader(run('report', self.file(text), '--by', 'scene', '--csv').stdout.splitlines())
        self.assertEqual({line['scene']: float(line['frames_per_second']) for line in lines}, {'a': 25, 'b': 200})

    def test_values_that_cannot_be(self):
        """Amounts below 0 and shares above 100 % are no data, and told; temperatures and ratios of several counters may be below 0."""
        wide = 'frame_time (ms),gpu_busy,GPU temperature\n-16,150,-5\n20,-3,10\n30,50,10\n'
        lines = ''.join(json.dumps({'begin_ns': i, 'end_ns': i + 1, 'frame_time (ms)': a, 'gpu_busy': b, 'gpu_temperature': c}) + '\n'
                        for i, (a, b, c) in enumerate(((-16, 150, -5), (20, -3, 10), (30, 50, 10))))
        for text in (wide, lines, wide.replace('gpu_busy', 'gpu_busy (ratio)').replace('150', '1.5').replace(',50,', ',0.5,')):
            with self.subTest(text):
                rows, told = self.report(text, '--for', 'monitor')
                self.assertEqual([rows[name]['count'] for name in ('frame_time', 'gpu_busy', 'gpu_temperature')], ['2', '1', '3'], told)
                self.assertEqual(rows['gpu_busy']['mean'], '50')
                self.assertEqual(rows['gpu_temperature']['min'], '-5')
                self.assertIn('no data', told)
        self.assertIn('3 values are below 0 or beyond 1e200, a share above 100 %, or more than its time allows, the first in line 2, column frame_time', self.report(wide, '--for', 'monitor')[1].replace('Frame time', 'frame_time'))
        rows, told = self.report('vertex_reuse\n-10\n20\n', '--for', 'opengl')
        self.assertEqual(rows['vertex_reuse']['count'], '2')

    def test_counters_that_cannot_be(self):
        """The same of a device's own counters (tests/unit/import/test_units.c): where nothing is left, the reason is given."""
        for text in ('GpuBusy,Frames\n150,1\n160,1\n', 'begin_ns,end_ns,quality,GpuBusy,Frames\n0,9,,150,1\n9,20,,160,1\n'):
            rows, _ = self.report(text, '--for', 'monitor', '-m', 'gpu_busy,Frames')
            self.assertEqual((rows['gpu_busy']['count'], rows['gpu_busy']['mean']), ('0', ''))
            document = json.loads(run('report', self.file(text), '--for', 'monitor', '-m', 'gpu_busy,Frames', '--json').stdout)
            self.assertIn('what the file has of it cannot be', [m['why'] for m in document['metrics'] if m['name'] == 'gpu_busy'][0])
        text = 'duration_ns,MaliGPUCyclesGPUActive\n1000000,1000000\n1000000,90000000000\n'
        result = self.good('eval', self.file(text), '--for', 'mali-g625', '--csv', '-m', 'MaliGPUCyclesGPUActive')
        self.assertEqual(result.stdout.splitlines()[1:], ['0,1000000,1000000', '1000000,2000000,'])

    def test_frames_of_times(self):
        """A frame's time is no longer for being longer: means and rates are of all frames, however their rows are timed."""
        rows = ((0, 10, 10), (10, 20, 10), (20, 120, 100))
        forms = ['frame_time (ms)\n' + ''.join(f'{ms}\n' for *_, ms in rows), 'duration_ns,frame_time (ms)\n' + ''.join(f'{ms}000000,{ms}\n' for *_, ms in rows)]
        forms += [f'begin_ns,end_ns,{more}Frame time (ms)\n' + ''.join(f'{a}000000,{b}000000,{"," if more else ""}{ms}\n' for a, b, ms in rows) for more in ('', 'quality,')]
        forms += ['{' + '}\n{'.join(f'"begin_ns":{a}000000,"end_ns":{b}000000,"frame_time":{ms / 1000}' for a, b, ms in rows) + '}\n',
                  'time (ms),name,value\n' + ''.join(f'{b},frame_time (ms),{ms}\n' for _, b, ms in rows)]
        for text in forms:
            for args in (('--for', 'monitor'), ()):
                with self.subTest(text=text, args=args):
                    have, told = self.report(text, *args)
                    self.assertAlmostEqual(float(have['frame_time']['mean']), 0.04, places=12, msg=told)
                    if 'catalog monitor' in told:
                        self.assertAlmostEqual(float(have['frames_per_second']['mean']), 25, places=9)
                        self.assertIn('each row is one frame', told)
                        again = self.good('export', self.file(text), '--csv', *args).stdout
                        self.assertAlmostEqual(float(self.report(again, *args)[0]['frame_time']['mean']), 0.04, places=12)

    def test_amounts(self):
        """A metric whose formula is a sum adds up as what it is a sum of does, and is no ratio."""
        rows, told = self.report('total_input_primitives,gpu_active_cycles\n10,100\n20,300\n', '--for', 'mali-g310')
        self.assertEqual([rows[name]['total'] for name in ('total_input_primitives', 'gpu_active_cycles')], ['30', '400'])
        self.assertNotIn('ratio', told)
        timed = self.report('duration_ns,gpu_time_share\n10,100\n30,20\n', '--for', 'opengl')
        self.assertEqual(timed[0]['gpu_time_share']['mean'], '40')
        self.assertIn("averages over the run are those of the rows, weighted by duration", timed[1])

    def test_lengths_alone(self):
        """Rows that say only how long they are follow each other: rates of the run are by the sum of their lengths. Those of instances are at one time."""
        for text, spans, want in (
                ('duration_ns,TaskClock\n1000000,500000\n3000000,500000\n', [('0', '1000000'), ('1000000', '4000000')], 0.25),
                ('duration_ms,TaskClock\n' + '1,500000\n' * 10, [(str(i * 10 ** 6), str((i + 1) * 10 ** 6)) for i in range(10)], 0.5),
                ('begin_ns,duration_ns,TaskClock\n5000000,1000000,500000\n,1000000,500000\n,,0\n,2000000,100000\n',
                 [('5000000', '6000000'), ('6000000', '7000000'), ('', ''), ('7000000', '9000000')], 0.275),
                ('instance,duration_ns,TaskClock\n' + '0,1000000,500000\n1,1000000,500000\n' * 2, [('0', '1000000')] * 2 + [('1000000', '2000000')] * 2, 1)):
            with self.subTest(text):
                rows = csv.DictReader(self.good('export', self.file(text), '--for', 'cpu', '--counters', '--csv').stdout.splitlines())
                self.assertEqual([(row['begin_ns'], row['end_ns']) for row in rows], spans)
                self.assertAlmostEqual(float(self.report(text, '--for', 'cpu')[0]['cpus_used']['mean']), want, places=12)

    def test_counters_in_no_metric(self):
        """What a file has and no metric shows, report shows as stat does: alone, beside metrics, in groups, and of a catalog that has no metrics."""
        streamline = 'Index,Time,Mali GPU Cycles:GPU active,Mali GPU Cycles:Fragment queue active\n1,0.1,5,6\n2,0.2,6,7\n'
        for text, args, want in (('DrawCalls\n5\n6\n', ('--for', 'opengl'), {'DrawCalls': '11'}), ('PageFaults,ContextSwitches\n5,1\n6,2\n', (), {'PageFaults': '11', 'ContextSwitches': '3'}),
                                 ('frame_time (ms),IAVertices,foo\n16,5,1\n17,6,2\n', ('--for', 'opengl'), {'frame_time': '0.033', 'IAVertices': '11', 'foo': ''}),
                                 ('IAVertices,IAPrimitives\n6,2\n9,3\n', ('--for', 'opengl'), {'vertices_per_primitive': ''}), (streamline, (), None)):
            with self.subTest(text):
                have = self.report(text, *args)[0]
                stat = csv.DictReader(self.good('stat', '-i', self.file(text), *args, '--csv').stdout.splitlines())
                rows = {name: row['total'] for name, row in have.items() if row['mean']}
                self.assertEqual(rows, want or {row['name']: row['total'] for row in stat if row['mean']})
                self.assertTrue(rows)
        groups = self.good('report', self.file('scene,DrawCalls\na,5\nb,6\na,7\n'), '--for', 'opengl', '--by', 'scene', '--csv').stdout
        self.assertEqual([(row['scene'], row['DrawCalls']) for row in csv.DictReader(groups.splitlines())], [('a', '12'), ('b', '6')])

    def test_names_of_sets(self):
        """What several metric sets call alike is known once --set says which one was programmed; without it, that is what is missing."""
        path = self.file('GpuBusy,EuActive,GpuTime\n50,40,1000000\n60,45,1000000\n')
        for verb in ('report', 'eval'):
            result = self.good(verb, path, '--for', 'intel-bdw', '--set', 'RenderBasic', '--csv', '-m', 'GpuBusy,EuActive')
            self.assertNotRegex(result.stderr, r'(nothing|not)\s+in\s+catalog')
            rows = list(csv.DictReader(result.stdout.splitlines()))
            self.assertEqual([r['EuActive'] for r in rows] if verb == 'eval' else {r['name']: r['mean'] for r in rows},
                             ['40', '45'] if verb == 'eval' else {'GpuBusy': '55', 'EuActive': '42.5'})
        result = run('report', path, '--for', 'intel-bdw')
        self.assertEqual(result.returncode, 2)
        self.assertIn('does not say which metric set was programmed\nbecause: each set counts other things', result.stderr)
        self.assertIn('try: --set NAME', result.stderr)

    def test_wide_tables(self):
        def seconds(columns):
            path = self.file(f'frame_time (ms),{",".join(f"x{i}" for i in range(columns))}\n' + f'10{",7" * columns}\n' * 3)
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            self.good('report', path, '--for', 'opengl', '--csv')
            return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before

        # Of eight times the columns: at most 8 where each costs the same, 20 where each is held against all.
        few, many = zip(*((seconds(1000), seconds(8000)) for _ in range(2)))
        self.assertLess(min(many), 12 * min(few))

    def test_reports_are_no_input(self):
        """Sums of groups have no samples."""
        path = self.file('begin_ns,end_ns,frame_time (ms)\n0,9,10\n9,18,20\n')
        for by in ('frame', 'time'):
            path = self.file('frame,begin_ns,end_ns,IAVertices\n1,0,9,10\n2,9,18,20\n')
            grouped = self.file(self.good('report', path, '--for', 'opengl', '--by', by, '--csv').stdout, 'by.csv')
            for verb in (('report',), ('report', '--for', 'opengl'), ('eval', '--for', 'opengl')):
                result = run(*verb, grouped)
                self.assertEqual((result.returncode, result.stdout), (5, ''))
                self.assertIn('is a report, which has no samples\nbecause: --by adds up', result.stderr)

    def test_commas_and_points(self):
        """Other numbers, also behind it, tell what 1,234 is; where they contradict each other, or none tells, the file is refused."""
        def values(text):
            rows = self.good('eval', self.file('frame_time (ms);IAVertices\n' + text), '--for', 'opengl', '--csv', '-m', 'frame_time,IAVertices').stdout.splitlines()
            return [tuple(float(cell) for cell in row.split(',')) for row in rows[1:]]
        self.assertEqual(values('16.6;1,234\n17.5;2,345,678\n'), [(0.0166, 1234), (0.0175, 2345678)])
        self.assertEqual(values('16;1,234\n17.5;2,345\n'), [(0.016, 1234), (0.0175, 2345)])
        self.assertEqual(values('1,234;10\n20,5;20\n'), [(0.001234, 10), (0.0205, 20)])
        self.assertEqual(values('1.234;10\n20,5;20\n'), [(1.234, 10), (0.0205, 20)])
        self.assertEqual(values('1.234;10\n20.5;20\n'), [(0.001234, 10), (0.0205, 20)])
        for text, words in (('1.234;1.5\n20,5;2\n', 'points and commas before their fractions'), ('1;1,234\n2;2,345\n', 't.csv:2: column 2: "1,234" can be read in two ways')):
            for args in (('--for', 'opengl'), ()):
                result = run('eval', self.file('frame_time (ms);IAVertices\n' + text), *args)
                self.assertEqual(result.returncode, 5)
                self.assertIn(words, ' '.join(result.stderr.split()))

    def test_times_of_presentmon(self):
        """Its milliseconds have no unit, and GPUBusy is a time there, no share."""
        head = 'Application,ProcessID,SwapChainAddress,PresentMode,FrameType,CPUStartTime,FrameTime,CPUBusy,GPUTime,GPUBusy,ClickToPhotonLatency'
        text = head + '\n' + 'a.exe,1,0x1F,Flip,Application,0.0,16.6,8,7,5,NA\na.exe,1,0x1F,Flip,Application,16.6,33.4,9,9,6,NA\n'
        for args in ((), ('--for', 'monitor')):
            rows, told = self.report(text, *args)
            self.assertEqual([float(rows[name]['mean']) for name in ('frame_time', 'frames_per_second', 'gpu_time')], [0.025, 40, 0.008])
            self.assertEqual((rows['gpu_busy']['mean'], rows['cpu_busy']['mean']), ('', ''))
            self.assertIn('CPUBusy is in ms', told)
        rows, _ = self.report(text, '--for', 'opengl')
        self.assertEqual([float(rows[name]['mean']) for name in ('frame_time', 'GPUBusy')], [0.025, 0.0055])
        rows, _ = self.report('SwapChainAddress,Dropped,msBetweenPresents\n0x1F,0,10\n0x1F,0,30\n', '--for', 'monitor')
        self.assertEqual(float(rows['frame_time']['mean']), 0.02)
        head = 'Application,ProcessID,SwapChainAddress,Runtime,SyncInterval,PresentFlags,Dropped,TimeInSeconds,msInPresentAPI,msBetweenPresents,msUntilDisplayed'
        rows, _ = self.report(head + '\na.exe,1,0x1F,DXGI,0,512,0,0.01,0.5,10,20\na.exe,1,0x1F,DXGI,0,512,0,0.04,0.5,30,20\n')  # which says what it is
        self.assertEqual(float(rows['frame_time']['mean']), 0.02)

    def test_words_of_nvidia_smi(self):
        """Its names with units, and units behind numbers or none there."""
        head = 'timestamp, utilization.gpu [%], memory.used [MiB], power.draw [W], clocks.current.graphics [MHz], temperature.gpu\n'
        for rows in ('2026/11/20 10:00:00.123, 45 %, 1024 MiB, 120.50 W, 1500 MHz, 60\n2026/11/20 10:00:01.123, 55 %, 1024 MiB, 121.50 W, 1510 MHz, 62\n',
                     '2026/11/20 10:00:00.123, 45, 1024, 120.50, 1500, 60\n2026/11/20 10:00:01.123, 55, 1024, 121.50, 1510, 62\n'):
            rows, _ = self.report(head + rows)
            self.assertEqual([float(rows[name]['mean']) for name in ('gpu_busy', 'gpu_power', 'gpu_frequency', 'gpu_temperature')], [55, 121.5, 1510e6, 62])  # the first has no length
            self.assertEqual(float(rows['gpu_memory_used']['mean']), 2 ** 30)

    def test_units_that_are_not_written(self):
        """That a unit was taken (tests/unit/import/test_units.c) is told by eval and report alike; what Sextant writes has base units or says them."""
        text = 'frame_time,gpu_time\n16.6,3\n'
        for result in (self.good('eval', self.file(text), '--for', 'monitor', '-m', 'frame_time,gpu_time'), self.good('report', self.file(text), '--csv')):
            self.assertIn('2 columns have no unit and are read as frame_time in ms, gpu_time in ms; "frame_time (ms)" says so', ' '.join(result.stderr.split()))
        for form in ('csv', 'json', 'ndjson'):
            once = self.file(self.good('export', self.file('frame_time (ms),gpu_time (us)\n16.6,3\n'), '-f', form).stdout, 'once.' + form)
            rows = {row['name']: row['mean'] for row in csv.DictReader(self.good('report', once, '--csv').stdout.splitlines())}
            self.assertEqual((rows['frame_time'], rows['gpu_time']), ('0.0166', '3e-06'))
            self.assertNotIn('no unit', self.good('report', once, '--csv').stderr)

    def test_own_columns_in_every_verb(self):
        """What means nothing in the catalog stands for itself in eval with --for as in export and report, and that is told; digits beyond 2^53 stay."""
        path = self.file('frame_time (ms),my_thing,IAVertices\n1,18446744073709551615,2\n')
        for args in (('export', path), ('eval', path), ('eval', path, '--for', 'opengl'), ('export', path, '--for', 'opengl')):
            result = self.good(*args, '-m', 'frame_time,my_thing', '--csv')
            row = next(csv.DictReader(result.stdout.splitlines()))
            self.assertEqual((row['frame_time (s)'], row['my_thing']), ('0.001', '18446744073709551615'))
            self.assertIn('my_thing', result.stderr)
        self.assertIn('my_thing', self.good('eval', path, '--for', 'opengl', '--csv').stdout)
        self.assertEqual(run('eval', self.file('a,b\n1,2\n'), '--for', 'opengl').returncode, 5)

    def test_a_guess_is_of_some_names(self):
        """A chance of short names in a wide table is no catalog's; one name that says something is, however many others there are."""
        for width in (12, 100, 5000):
            names = [f'c{i}' for i in range(width)]
            result = run('report', self.file(','.join(names) + '\n' + ','.join(['1'] * width) + '\n'))
            self.assertEqual((result.returncode, result.stderr.count('\n')), (5, 3), result.stderr)
            self.assertIn('no column of ', result.stderr)
            self.assertIn('because: its header has no name of a counter, constant or metric', result.stderr)
            self.assertNotIn('set', result.stderr)
            rows, _ = self.report(','.join(['frame_time (ms)', *names]) + '\n' + ','.join(['1'] * (width + 1)) + '\n', '-m', 'frame_time')
            self.assertEqual(rows['frame_time']['mean'], '0.001')

    def test_a_unit_of_something_else(self):
        """A known name alone in a unit that it cannot have: the unit is what is wrong."""
        for more in ((), ('--for', 'opengl')):
            result = run('report', self.file('frame_time (MB),a\n1,2\n2,2\n'), *more)
            self.assertEqual((result.returncode, result.stderr.count('\n')), (5, 3), result.stderr)
            self.assertIn('because: column frame_time is in bytes, which cannot be made into ', result.stderr)
            self.assertRegex(result.stderr, r'try: the unit of its values in the header, as "frame_time \((ms|ns)\)"')

    def test_units_wherever_they_stand(self):
        """What tests/unit/import/test_units.c shows of them is what eval reads, block by block or laid out."""
        for text in ('frame_time/ms,gpu_time/us\n16.6,5000\n', '\ufeffframe_time;gpu_time\r\n(ms);[us]\r\n16,6;5000\r\n', 'frame_time,gpu_time\n16.6 ms,5000 us\n'):
            row = next(csv.DictReader(self.good('eval', self.file(text), '--for', 'opengl', '-m', 'frame_time,gpu_time', '--csv').stdout.splitlines()))
            self.assertEqual((row['frame_time (s)'], row['gpu_time (s)']), ('0.0166', '0.005'))

    def test_western_letters(self):
        """Without UTF-8 they are those of Windows-1252, in names, units and labels; a file of UTF-8 with a hurt letter stays UTF-8."""
        text = 'frame_time (\u00b5s),Sc\u00e8ne\n16600,caf\u00e9\n33000,caf\u00e8 \u20ac\n'
        for args in ((), ('--for', 'opengl')):
            for verb in ('export', 'eval'):
                result = self.good(verb, self.file(text.encode('cp1252')), *args, '-m', 'frame_time', '--csv')
                rows = list(csv.DictReader(result.stdout.splitlines()))
                self.assertEqual([(row['Sc\u00e8ne'], row['frame_time (s)']) for row in rows], [('caf\u00e9', '0.0166'), ('caf\u00e8 \u20ac', '0.033')])
        self.assertIn('Windows-1252', self.good('report', self.file(text.encode('cp1252'))).stderr)
        result = self.good('export', self.file(text.encode() + b'5,x\xe9y\n'), '-m', 'frame_time', '--csv')
        self.assertIn('caf\u00e9', result.stdout)

    def test_packed_captures(self):
        """A capture in gzip is read as it is by every verb that reads files, from a pipe, too; one that breaks off is told."""
        kept = os.path.join(self.folder.name, 'kept.sxc')
        self.good('import', self.file(text_of()), '-o', kept)
        with open(kept, 'rb') as source:
            packed = gzip.compress(source.read())
        path = self.file(packed, 'kept.sxc.gz')
        for args in (('report', '--csv'), ('export', '--csv'), ('eval', '--csv'), ('diff', kept, '--json'), ('capture', 'info')):
            verb, rest = (('capture', 'info'), ()) if args[0] == 'capture' else ((args[0],), args[1:])
            # Lines end elsewhere where a name is longer.
            text = self.good(*verb, path, *rest).stdout.replace('kept.sxc.gz', 'kept.sxc')
            self.assertEqual(text.split(), self.good(*verb, kept, *rest).stdout.split())
        result = run('report', self.file(packed[:-20], 'cut.sxc.gz'))
        self.assertEqual((result.returncode, result.stderr.count('\n')), (5, 3), result.stderr)
        self.assertIn('cannot be unpacked', result.stderr)

    def test_times_in_words(self):
        """Dates that are not written as most are a label, which is told with what a time would be."""
        path = self.file('timestamp,frame_time (ms)\n22.11.2026 10:00:00.000000,10\n22.11.2026 10:00:00.010000,20\n')
        for args in (('report',), ('eval', '--for', 'opengl')):
            told = ' '.join(self.good(args[0], path, *args[1:], '--csv', '-m', 'frame_time').stderr.split())
            self.assertIn('column timestamp holds text and is a label: times are numbers, with their unit in the header, as "timestamp (s)"', told)

    def test_units_in_words(self):
        """Spelled out, of one or of several, in any case and in brackets."""
        for head, seconds in (('frame_time (Millisecond)', 0.016), ('frame_time [Microseconds]', 16e-6), ('frame_time_milliseconds', 0.016),
                              ('Frame time (SECOND)', 16), ('frame_time [nanosecond]', 16e-9), ('frame_time[ms]', 0.016)):
            rows, _ = self.report(f'{head},gpu_busy\n16,5\n16,5\n', '-m', 'frame_time', '--for', 'monitor')
            self.assertAlmostEqual(float(rows['frame_time']['max']), seconds, 12, head)
        for head, name, value in (('gpu_frequency (Megahertz)', 'gpu_frequency', 16e6), ('gpu_power (Watt)', 'gpu_power', 16), ('gpu_power [Milliwatts]', 'gpu_power', 0.016),
                                  ('gpu_memory_used (Mebibytes)', 'gpu_memory_used', 16 << 20), ('gpu_temperature (Degrees Celsius)', 'gpu_temperature', 16)):
            rows, _ = self.report(f'frame_time (ms),{head}\n16,16\n16,16\n', '-m', name, '--for', 'monitor')
            self.assertAlmostEqual(float(rows[name]['max']), value, 9, head)

    def test_units_of_own_columns(self):
        """What stands for itself has its unit from its head alone: through an export it stays what it is."""
        text = 'frame_time (ms),gpu load (%),vram (MiB),draws\n1,30,2,5\n'
        once = self.good('export', self.file(text), '--for', 'opengl', '--csv').stdout
        self.assertEqual(once.splitlines()[0].split(',')[-3:], ['gpu load (percent)', 'vram (bytes)', 'draws'])
        units = [{name: row['unit'] for name, row in self.report(t, '--for', 'opengl', '-m', 'gpu load,vram,draws')[0].items()}
                 for t in (text, once)]
        self.assertEqual(units, [{'gpu load': 'percent', 'vram': 'bytes', 'draws': 'count'}] * 2)

    def test_what_json_is_told(self):
        """Columns of one name, units of another kind; a row with too many values is left out, as that of CSV is."""
        document = {'schema': 'sextant.export/1', 'for': 'opengl', 'metrics': ['frame_time', 'IAVertices', 'IAVertices'], 'units': ['bytes', None, None],
                    'rows': [[1, 2, 3], [1, 2, 3]]}
        result = self.good('export', self.file(json.dumps(document)), '--csv', '--counters')
        self.assertEqual([row['IAVertices'] for row in csv.DictReader(result.stdout.splitlines())], ['2', '2'])
        self.assertNotIn('frame_time', result.stdout)
        for words in ('the name of one before, which is read instead: IAVertices', 'column frame_time is in bytes'):
            self.assertIn(words, ' '.join(result.stderr.split()))
        document['rows'][1].append(4)
        wide = {'json': (json.dumps(document), json.dumps(document | {'rows': [[1, 2, 3, 4]] * 2}), 'row 2', 1),
                'csv': ('IAVertices,Frames\n1,2\n1,2,3\n', 'IAVertices,Frames\n1,2,3\n4,5,6\n', 'line 3', 2),
                'export': ('begin_ns,end_ns,quality,Frames\n1,2,,3\n1,2,,3,4\n', 'begin_ns,end_ns,quality,Frames\n1,2,,3,4\n', 'line 3', 2),
                'long': ('frame,name,value\n1,IAVertices,5\n1,Frames,2\n1,Frames,2,3\n', 'frame,name,value\n1,IAVertices,5,6\n1,Frames,2,3\n', 'line 4', 2)}
        for kind, (text, bad, place, line) in wide.items():
            with self.subTest(kind):
                result = self.good('export', self.file(text), '--csv', '--counters')
                self.assertEqual(len(result.stdout.splitlines()), 2)
                self.assertIn(f'1 line is left out, {place} the first: a line has more cells than the header', ' '.join(result.stderr.split()))
                result = run('export', self.file(bad), '--csv', '--counters')
                self.assertEqual((result.returncode, result.stdout, result.stderr.count('\n')), (5, '', 3), result.stderr)
                for word in (f't.csv:{line}: a line has more cells than the header', '\nbecause: each cell needs a column name', '\ntry: '):
                    self.assertIn(word, result.stderr)

    def test_fractions_of_counts(self):
        """Whatever the catalog's type, what stands in a table is not rounded."""
        for catalog in ('amd-gcn1', 'opengl', 'vulkan'):
            path = self.file('IAVertices,IAPrimitives\n1234.5,411\n3.5,1\n')
            have = self.good('eval', path, '--for', catalog, '-m', 'IAVertices', '--csv').stdout
            self.assertEqual(have.splitlines()[1:], ['1234.5', '3.5'], catalog)

    def test_text_added_to_an_export(self):
        """And to NDJSON; and in long tables."""
        lines = self.good('export', self.file(text_of()), '--csv').stdout.splitlines()
        path = self.file('\n'.join([lines[0] + ',Level'] + [f'{line},{level}' for line, level in zip(lines[1:], ('one', 'two', 'one'))]) + '\n')
        have = {row['Level']: row['rows'] for row in csv.DictReader(self.good('report', path, '--by', 'level', '--csv').stdout.splitlines())}
        self.assertEqual(have, {'one': '2', 'two': '1'})
        path = self.file('scene,level,frame,name,value\nmenu,a,1,frame_time,2\nmenu,b,2,frame_time,3\n')
        for by in ('scene', 'level'):
            rows = self.good('report', path, '--for', 'opengl', '--by', by, '--csv').stdout.splitlines()
            self.assertEqual(len(rows) - 1, 1 if by == 'scene' else 2)

    def test_what_is_told(self):
        """The same words where a table is evaluated and where it is imported."""
        path = self.file('FrameTime,Frames,,IAVertices,iavertices,IAVertices,odd\n1,1,7,5,5,6,2\n2,1,8,-5,5,6,3\n3,1\n')
        told = ('1 count is below 0 or beyond 64 bits, the first in line 3, column IAVertices', '1 line has fewer cells than the header, line 4 the first',
                '1 column has no name, column 3 the first', 'the name of one before, which is read instead; IAVertices',
                'column iavertices means the same as IAVertices, which is read instead', 'odd')
        for command in (('eval', '--for', 'opengl', '-m', 'IAVertices,Frames', '--csv'), ('export', '--for', 'opengl', '-m', 'IAVertices,Frames', '--csv'), ('export', '-m', 'IAVertices,Frames', '--csv')):
            result = self.good(command[0], path, *command[1:])
            for words in told:
                self.assertIn(words, ' '.join(result.stderr.split()))
            rows = list(csv.DictReader(result.stdout.splitlines()))
            self.assertEqual([row['IAVertices'] for row in rows], ['5', '', ''])

    def test_two_spellings(self):
        """One column is the metric in every statistic, in rows and in exports, whatever the reader."""
        names = ('FRAME_TIME (ms)', 'frame_time (ms)', 'Gpu Busy (%)', 'gpu_busy')
        rows = [(10 + i % 3, 20 + i % 5, 50 + i % 7, 80 + i % 3) for i in range(40)]
        for text in (','.join(names) + '\n' + ''.join(','.join(map(str, row)) + '\n' for row in rows), json.dumps([dict(zip(names, row)) for row in rows])):
            with self.subTest(text[:20]):
                path = self.file(text)
                result = self.good('report', path, '--json')
                metrics = {m['name']: m for m in json.loads(result.stdout)['metrics'] if m['mean'] is not None}
                for name, least, most in (('frame_time', 0.010, 0.012), ('gpu_busy', 80, 82), ('GpuBusy', 50, 56)):
                    if name in metrics:
                        self.assertEqual([metrics[name]['min'], metrics[name]['max']], [least, most])
                        self.assertTrue(least < metrics[name]['mean'] < most, metrics[name])
                self.assertIn('gpu_busy', metrics)
                self.assertIn('column frame_time means the same as FRAME_TIME, which is read instead', ' '.join(result.stderr.split()))
                self.assertIn('80, and 50 by its formula; what is given is the metric', ' '.join(result.stderr.split()))
                for name, least, most in (('frame_time (s)', 0.010, 0.012), ('gpu_busy', 80, 82)):
                    values = [float(row[name]) for row in csv.DictReader(self.good('export', path, '--csv').stdout.splitlines())]
                    self.assertEqual([min(values), max(values)], [least, most])

    def test_lines_left_out_are_counted(self):
        """In JSON as a number, of the table and of an import of it; samples they need not be."""
        path, imported = self.file('frame_time (ms),gpu_busy\n16,5\n17,5,9,9\n16,"5"x\n17,5\n'), os.path.join(self.folder.name, 'left.sxc')
        self.good('import', path, '--for', 'monitor', '-o', imported)
        for file in (path, imported):
            device = json.loads(self.good('report', file, '--json').stdout)['devices'][0]
            self.assertEqual((device['left_out'], device['lost'], device['samples']), (2, 0, 2))
        self.assertNotIn('left_out', json.loads(self.good('report', self.file('frame_time (ms)\n16\n'), '--json').stdout)['devices'][0])

    def test_contradictions(self):
        """What is given against what follows from the rest."""
        path = self.file('MaliGPUCyclesGPUActive,GPU active cycles\n100,100\n100,150\n')
        for verb in (('eval', '--csv'), ('report',), ('import', '-o', os.path.join(self.folder.name, 'x.sxc'))):
            result = self.good(verb[0], path, '--for', 'mali-g310', *verb[1:])
            self.assertEqual(' '.join(result.stderr.split()).count('1 given value is not what the formula gives; the first is gpu_active_cycles in row 1: 150, and 100'), 1)
        self.assertIn('given value', ' '.join(run('report', os.path.join(self.folder.name, 'x.sxc')).stdout.split()))
        metrics = {m['name']: m for m in json.loads(self.good('report', path, '--for', 'mali-g310', '--json').stdout)['metrics']}
        self.assertEqual([metrics['gpu_active_cycles'][s] for s in ('total', 'mean', 'max')], [250, 125, 150])
        self.file('MaliGPUCyclesGPUActive,GPU active cycles\n100,100\n100,100.5\n')
        self.assertNotIn('formula gives', run('report', path, '--for', 'mali-g310').stderr)

    def counters(self, content, *names, catalog='opengl'):
        result = self.good('export', self.file(content), '--for', catalog, '--counters', '--csv')
        return [tuple(row[name] for name in names) for row in csv.DictReader(result.stdout.splitlines())], ' '.join(result.stderr.split())

    def test_long_tables(self):
        """A line a value: pivoted, with units, times and labels."""
        want = [('menu', '0.0166', '1000'), ('game', '0.0333', '2000')]
        for text in ('scene,name,value\nmenu,FrameTime,16600000\nmenu,IAVertices,1000\ngame,FrameTime,33300000\ngame,IAVertices,2000\n',
                     'Scene;Counter;Unit;Value\nmenu;FrameTime;ms;16,6\nmenu;IAVertices;;1.000\ngame;FrameTime;us;33300\ngame;IAVertices;;2 000\n',
                     'metric\tvalue\tscene\nFrame time [ms]\t16.6\tmenu\niavertices\t1000\tmenu\nframe time [ms]\t33.3\tgame\niavertices\t2000\tgame\n'
                     .replace('Frame time', 'FrameTime').replace('frame time', 'FrameTime').replace('iavertices', 'IAVertices')):
            with self.subTest(text=text):
                have, err = self.counters(text, 'Scene' if 'Scene' in text else 'scene', 'FrameTime (s)', 'IAVertices')
                self.assertEqual(have, want)
                self.assertIn('a line for each value', err)
        # Keys that do not tell samples apart, however long: a name that comes again begins another one.
        key = 'a kernel of a very long name, which begins as another one does, number '
        rows = ''.join(f'{key}{i % 2},{name},{value}\n' for i in range(4) for name, value in (('FrameTime', i), ('IAVertices', 10 * i)))
        have, _ = self.counters('kernel,name,value\n' + rows.replace(key, f'"{key}"').replace('"0', '0"').replace('"1', '1"'), 'kernel', 'IAVertices')
        self.assertEqual(have, [(f'{key}{i % 2}', str(10 * i)) for i in range(4)])
        have, err = self.counters('Time (ms),name,unit,value\n1,Mine,ms,5\n2.5,Mine,W,7\n4,Mine,us,9\n', 'end_ns', 'Mine (s)')
        self.assertEqual(have, [('1000000', '0.005'), ('2500000', ''), ('4000000', '9e-06')])
        self.assertIn('1 value is in another unit', err)

    def test_kinds_of_other_tools(self):
        """What is known of any table is known of those with a kind of their own."""
        text = ('sep=;\r\ntimestamp_ns;MaliGPUActiveCy;MaliFragQueueActiveCy;MaliGPUActiveCy;GPU_ACTIVE\r\n1;1.234.567;12;9;8\r\n2;2.345.678;-5;9;8\r\n3;5\r\n')
        have, err = self.counters(text, 'MaliGPUActiveCy', 'MaliFragQueueActiveCy', catalog='mali-g31')
        self.assertEqual(have, [('1234567', '12'), ('2345678', ''), ('5', '')])
        for words in ('1 line has fewer cells than the header, line 5', '1 column has the name of one before', '1 value of MaliFragQueueActiveCy cannot be (below 0 or beyond 1e200, a share above 100 %, or more than its time allows), the first in line 4',
                      'GPU_ACTIVE means the same as MaliGPUActiveCy, which is read instead'):
            self.assertIn(words, err)

    def test_nothing_to_read(self):
        """No usable column is 5, nothing computed 1, each with a remedy."""
        for text, args, code, words in (('foo,bar\n1,2\n', (), 5, 'means anything in any catalog'), ('foo,bar\n1,2\n', ('--for', 'opengl'), 5, 'means anything in catalog opengl'),
                                        ('IAVertices,IAPrimitives\n-,--\n', ('--for', 'opengl'), 1, 'could be worked out'), ('IAVertices,IAPrimitives\n-,--\n', (), 1, 'could be worked out'),
                                        ('IAVertices,IAPrimitives\n', ('--for', 'opengl'), 1, 'no row'), ('a shopping list\nmilk\n', (), 5, 'sextant import --help')):
            with self.subTest(text=text, args=args):
                result = run('eval' if code == 1 else 'report', self.file(text), *args)
                self.assertEqual(result.returncode, code, result.stderr)
                self.assertEqual([line.split(':')[0] for line in result.stderr.strip().splitlines()[-3:]], ['error', 'because', 'try'])
                self.assertIn(words, ' '.join(result.stderr.split()))

    def test_files_of_no_kind(self):
        """They are blamed, not that no catalog was named; with the file behind -i and without."""
        for text in ('', '\n\n', '{"a": [1]}\n'):
            for verb in ('eval', 'advise'):
                for args in (('-i', self.file(text)), (self.file(text),)):
                    result = run(verb, *args)
                    self.assertEqual(result.returncode, 5, result.stderr)
                    self.assertIn('is of no kind that is known', result.stderr)

    def test_other_json(self):
        """JSON that is not ours is called that; what CSV would say of its quotes is no help."""
        for text in ('[[16.6, "a"],\n[17,"b"]]\n', '\n {\n "frame_time": [1, 2, "x" ]\n}\n'):
            result = run('eval', self.file(text, 't.json'), '--for', 'opengl', '--csv')
            self.assertEqual((result.returncode, result.stdout), (5, ''), result.stderr)
            self.assertIn('is JSON of a kind that is not known', result.stderr)
            self.assertIn('as CSV', result.stderr)
        self.assertNotIn('JSON', run('eval', self.file('IAVertices\nx7"\n'), '--for', 'opengl').stderr)

    def test_for_a_product(self):
        """--for takes names that stand for a catalog, of tables and of recordings made of them."""
        kept = os.path.join(self.folder.name, 'kept.sxc')
        self.good('import', self.file('MaliGPUCyclesGPUActive,n\n10,1\n'), '--for', 'Mali-G310', '-o', kept)
        for source in (kept, self.file('MaliGPUCyclesGPUActive,n\n10,1\n')):
            rows = list(csv.DictReader(self.good('export', source, '--for', 'mali-G310', '-m', 'gpu_active_cycles', '--csv').stdout.splitlines()))
            self.assertEqual([row['gpu_active_cycles'] for row in rows], ['10'])
            self.assertNotEqual(run('report', kept, '--for', 'mali-g625').returncode, 0)

    def test_constants(self):
        """A column that is a constant and the same in each row is the device's."""
        path = self.file('MaliConstantsShaderCoreCount,GPU active cycles\n4,10\n4,20\n')
        result = self.good('import', path, '--for', 'mali-g310', '-o', os.path.join(self.folder.name, 'x.sxc'))
        device = json.loads(self.good('capture', 'info', os.path.join(self.folder.name, 'x.sxc'), '--json').stdout)['devices'][0]
        self.assertIn('4', json.dumps(device['constants']), result.stderr)
        self.assertIn('MaliConstantsShaderCoreCount', json.dumps(device['constants']))

    def test_times_come_out_again(self):
        """However a table says when its rows were, eval says it too, and what it wrote is read as the same."""
        want = [('5', '16000005', '1000', '4'), ('16000005', '32000005', '2000', '4')]
        names = ('begin_ns', 'end_ns', 'gpu_active_cycles', 'MaliConstantsShaderCoreCount')
        for head, times in (('timestamp_ns,duration_ns', ('5,16000000', '16000005,16000000')), ('begin_ns,duration (ms)', ('5,16', '16000005,16')),
                            ('end_ns,duration_us', ('16000005,16000', '32000005,16000')), ('begin_ns,end_ns', ('5,16000005', '16000005,32000005'))):
            with self.subTest(head):
                text = f'{head},MaliGPUCyclesGPUActive,MaliConstantsShaderCoreCount\n{times[0]},1000,4\n{times[1]},2000,4\n'
                for _ in range(2):
                    text = self.good('eval', self.file(text), '--for', 'mali-g310', '-m', 'gpu_active_cycles', '--csv').stdout
                    self.assertEqual([tuple(row[n] for n in names) for row in csv.DictReader(text.splitlines())], want)
        path = self.file('duration_ns,IAVertices\n16000000,7\n')
        document = json.loads(self.good('eval', path, '--for', 'opengl', '--counters', '--json').stdout)
        row = dict(zip(document['metrics'], document['rows'][0]))
        self.assertEqual([row[n] for n in ('begin_ns', 'end_ns', 'IAVertices')], [0, 16000000, 7])
        self.assertNotIn('begin_ns', run('eval', self.file('IAVertices\n7\n'), '--for', 'opengl', '--counters', '--csv').stdout)


if __name__ == '__main__':
    unittest.main()
