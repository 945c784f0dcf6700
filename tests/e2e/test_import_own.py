#!/usr/bin/env python3
"""What Sextant wrote itself, imported again: the same numbers, and the same said of them. usage: test_import_own.py SEXTANT MAKE-RUN"""
import json
import random
import subprocess
import sys
import unittest

from command import Command, FolderTest, csv_rows

SEXTANT, MAKE_RUN = sys.argv.pop(1), sys.argv.pop(1)
run = Command(SEXTANT)
MS = 1000000
OPENGL = [('Frames', 'frames', 'u64', 'sum'), ('FrameTime', 'ns', 'u64', 'sum'), ('PSInvocations', 'invocations', 'u64', 'sum'),
          ('IAVertices', 'vertices', 'u64', 'sum'), ('FramebufferWidth', 'pixels', 'u64', 'last'), ('FramebufferHeight', 'pixels', 'u64', 'last')]


class Own(FolderTest):
    def frames(self, name, real='real', measured=lambda i: i % 4 == 0):
        """Frames of which the sampler spares most: what they drew grows, so that the measured ones are no mean of all."""
        lines = [f'device\topengl\tSome GPU\tMesa 1\tframe\t{real}']
        lines += ['column\t' + '\t'.join(c) for c in OPENGL]
        for i in range(200):
            work = [300000 + 900 * i, 3000 + i] if measured(i) else ['~', '~']
            values = [1, 10 * MS + 1000 * (i % 7), *work, 640, 480]
            lines.append(f'row\t{i * 11 * MS}\t{(i + 1) * 11 * MS}\t' + '\t'.join(map(str, values)))
        path = self.path(name)
        subprocess.run([MAKE_RUN, path], input='\n'.join(lines) + '\n', text=True, check=True, timeout=60)
        return path

    def report(self, path, *args):
        result = run('report', path, '--json', *args)
        self.assertEqual(result.returncode, 0, result.stderr)
        return {m['name']: m for m in json.loads(result.stdout)['metrics']}

    def export(self, path, name, *args):
        out = self.path(name)
        result = run('export', path, '-o', out, *args)
        self.assertEqual(result.returncode, 0, result.stderr)
        return out

    def check_same(self, path, again):
        have, want = self.report(again), self.report(path)
        self.assertEqual(sorted(have), sorted(want))
        for name, row in want.items():
            for key in ('mean', 'total', 'min', 'p95', 'max', 'count'):
                if row[key] is None:
                    self.assertIsNone(have[name][key], f'{name} {key}')
                else:
                    self.assertAlmostEqual(have[name][key], row[key], delta=abs(row[key]) * 1e-6, msg=f'{name} {key}')

    def test_trace_of_spared_frames(self):
        """Ratios of a run mix what was measured in some frames with what is known of all: the trace says which."""
        path = self.frames('run.sxc')
        rows = self.report(path)
        # By hand: a measured frame stands for four.
        fragments = sum(300000 + 900 * i for i in range(0, 200, 4)) * 4
        self.assertAlmostEqual(rows['fragments_per_pixel']['mean'], fragments / (200 * 640 * 480), places=4)
        for name, args in (('all.pftrace', ()), ('raw.pftrace', ('--counters',))):
            with self.subTest(name):
                self.check_same(path, self.export(path, name, *args))
        kept = self.path('kept.sxc')
        self.assertEqual(run('import', self.path('all.pftrace'), '-o', kept).returncode, 0)
        self.check_same(path, kept)

    def test_trace_of_spared_groups(self):
        """Rows of which nothing was measured are rows all the same."""
        lines = ['device\topengl\tSome GPU\tMesa 1\tgroup\treal', 'column\tPSInvocations\tinvocations\tu64\tsum', 'column\tIAVertices\tvertices\tu64\tsum']
        for i in range(40):
            values = [1000 + i, 30] if i % 4 == 0 else ['~', '~']
            lines.append(f'row\t{i * 2 * MS}\t{i * 2 * MS + MS}\t' + '\t'.join(map(str, values)))
        path = self.path('groups.sxc')
        subprocess.run([MAKE_RUN, path], input='\n'.join(lines) + '\n', text=True, check=True, timeout=60)
        trace = self.export(path, 'groups.pftrace', '--counters')
        self.check_same(path, trace)
        for file in (path, trace):
            rows = self.report(file, '-m', 'IAVertices,PSInvocations')
            self.assertEqual((rows['IAVertices']['total'], rows['IAVertices']['count']), (1200, 10), file)
            self.assertEqual(rows['PSInvocations']['total'], 4 * sum(1000 + i for i in range(0, 40, 4)))
            self.assertEqual(json.loads(run('capture', 'info', file, '--json').stdout)['devices'][0]['rows'], 40)

    def test_trace_of_all_frames(self):
        path = self.frames('run.sxc', measured=lambda i: True)
        self.check_same(path, self.export(path, 'run.pftrace'))
        with open(self.path('run.pftrace'), 'rb') as file:
            self.assertNotIn(b'sextant.skipped', file.read())

    def everything(self, path):
        """A report, but for what only the writer knows, and what to try where no verdict is known: a file is not measured again."""
        result = run('report', path, '--json')
        self.assertEqual(result.returncode, 0, result.stderr)
        document = json.loads(result.stdout)
        del document['file']
        for verdict in document['verdict']['parts']:
            if verdict['verdict'] == 'unknown':
                del verdict['advice']
        for device in document['devices']:
            for key in ('source', 'driver', 'name'):
                device.pop(key, None)
        return document

    def test_losses_and_reasons_come_back(self):
        """JSON keeps how many samples were lost and why a column has no value, read as it is and imported."""
        lines = ['device\tcpu\tSome CPU\tLinux\ttime\treal', 'column\tTaskClock\tns\tu64\tsum', 'column\tCycles\tcycles\tu64\tsum']
        lines += [f'row\t{i * 11 * MS}\t{(i + 1) * 11 * MS}\t{5 * MS}\t-' for i in range(20)]
        path = self.path('lost.sxc')
        subprocess.run([MAKE_RUN, path], input='\n'.join(lines + ['lost\t77']) + '\n', text=True, check=True, timeout=60)
        rows = json.loads(run('export', path, '--json').stdout)
        rows['devices'][0]['why']['effective_frequency'] = 'Cycles: nothing counts them (made up)'
        again, imported = self.file(json.dumps(rows), 'lost.json'), self.path('again.sxc')
        run('import', again, '-o', imported)
        for name in (again, imported):
            report = run.document('report', name, '-m', 'effective_frequency', code=None)
            self.assertEqual([(d['lost'], d['lost_more']) for d in report['devices']], [(77, False)])
            self.assertEqual(report['metrics'][0]['why'], 'Cycles: nothing counts them (made up)')
        rows['devices'][0].update(lost=5, lost_more=True)
        report = run.document('report', self.file(json.dumps(rows), 'more.json'), code=None)
        self.assertEqual([(d['lost'], d['lost_more']) for d in report['devices']], [(5, True)])
        for wrong in ('"5"', '-3', '2.5', '{"a": 1}', 'null'):
            text = json.dumps(rows).replace('"lost": 5, "lost_more": true', f'"lost": {wrong}')
            result = run('report', self.file(text, 'wrong.json'), '--json')
            self.assertTrue(json.loads(result.stdout)['devices'][0]['lost_more'], wrong)
            self.assertIn('how many were lost is not known', ' '.join(result.stderr.split()))
        rows['devices'][0].update(lost=0, lost_more=True)
        report = run.document('report', self.file(json.dumps(rows), 'more.json'), code=None)
        self.assertTrue(report['devices'][0]['lost_more'])
        rows['devices'][0]['why'] = {'': 'of what has no name', 'effective_frequency': ''}
        run.document('report', self.file(json.dumps(rows), 'nameless.json'), code=None)

    def test_kinds_come_back(self):
        """What rows enclose is no guess from labels: totals of spared frames, of passes and of slices are worked out each in their way."""
        totals = {}
        for kind in ('time', 'frame', 'dump', 'row', 'command-buffer'):
            path = self.path(f'{kind}.sxc')
            lines = [f'device\topengl\tSome GPU\tMesa 1\t{kind}\treal'] + ['column\t' + '\t'.join(c) for c in [*OPENGL, ('DrawCalls', 'calls', 'u64', 'sum')]]
            for i in range(60):
                work = [300000 + 900 * i, 3000 + i] if i % 4 == 0 else ['~', '~']
                lines.append(f'row\t{i * 11 * MS}\t{(i + 1) * 11 * MS}\t1\t{10 * MS + 1000 * (i % 7)}\t{work[0]}\t{work[1]}\t640\t480\t{40 if i % 4 else 10}')
            subprocess.run([MAKE_RUN, path], input='\n'.join(lines) + '\n', text=True, check=True, timeout=60)
            want = self.everything(path)
            totals[kind] = self.report(path, '-m', 'PSInvocations')['PSInvocations']['total']
            for form in ('csv', 'ndjson', 'json'):
                with self.subTest(kind=kind, form=form):
                    again = self.export(path, f'{kind}.{form}', '-f', form, '--counters')
                    self.assertEqual(self.everything(again), want)
                    with open(again, encoding='utf-8') as file:
                        self.assertEqual('sample_kind' in file.read(), kind != 'time' or form == 'json')
            rows = self.export(path, 'rows.csv', '--csv', '--counters')
            with open(rows, encoding='utf-8') as file:
                for args in ((), ('--for', 'opengl')):
                    file.seek(0)
                    self.assertEqual(run('eval', rows, '--counters', '--csv', *args).stdout, file.read(), (kind, args))
        self.assertNotAlmostEqual(totals['time'], totals['frame'], delta=1000)

    def test_a_column_called_sample_kind(self):
        """Somebody's own, which says nothing of rows, is a label as any."""
        for args in ((), ('--for', 'opengl')):
            with self.subTest(args):
                with open(self.path('own.csv'), 'w', encoding='ascii') as file:
                    file.write('begin_ns,end_ns,quality,sample_kind,PSInvocations,IAVertices\n0,9,,blue,5,1\n9,18,,frame,6,2\n')
                result = run('report', self.path('own.csv'), '--by', 'sample_kind', '--csv', '-m', 'PSInvocations', *args)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertEqual([row['PSInvocations'] for row in csv_rows(result.stdout)], ['5', '6'])

    def test_metrics_of_spared_frames(self):
        """Counters weigh frames that were not measured by their calls; metrics alone cannot, and that is told."""
        lines = ['device\topengl\tSome GPU\tMesa 1\tframe\treal', 'column\tFrames\tframes\tu64\tsum', 'column\tDrawCalls\tcalls\tu64\tsum',
                 'column\tFrameTime\tns\tu64\tsum', 'column\tIAVertices\tvertices\tu64\tsum']
        for i in range(90):
            calls = 10 if i % 3 == 0 else 40
            lines += [f'label\tframe\t{i}', f'row\t{i * 11 * MS}\t{(i + 1) * 11 * MS}\t1\t{calls}\t{11 * MS}\t{"~" if i % 3 else 3000 + i}']
        path = self.path('spared.sxc')
        subprocess.run([MAKE_RUN, path], input='\n'.join(lines) + '\n', text=True, check=True, timeout=60)
        want = self.report(path, '-m', 'IAVertices')['IAVertices']['total']
        measured = sum(3000 + i for i in range(0, 90, 3))
        self.assertAlmostEqual(want / measured, 9, places=1)  # 10 + 40 + 40 calls for each 10; the first frames stand apart
        said = '60 rows were not measured, and no counter says how much work was in them'
        for form in ('csv', 'json', 'ndjson'):
            for args, total, told in ((('-m', 'IAVertices'), measured * 3, True), (('--counters',), want, False)):
                with self.subTest(form, args=args):
                    again = self.export(path, f'again.{form}', '-f', form, *args)
                    result = run('report', again)
                    self.assertEqual(said in ' '.join(result.stderr.split()), told, result.stderr)
                    self.assertAlmostEqual(self.report(again, '-m', 'IAVertices')['IAVertices']['total'], total, delta=1)

    def model(self):
        path = self.path('model.sxc')
        result = run('record', '-d', 'mali-g625', '-I', '10ms', '-t', '200ms', '-o', path)
        self.assertEqual(result.returncode, 0, result.stderr)
        return path

    def check_simulated(self, path):
        """Whatever is said of it says that nobody measured it."""
        kept = self.path('kept.sxc')
        self.assertEqual(run('import', path, '-o', kept).returncode, 0)
        verbs = [('report',), ('report', '--json'), ('report', '--csv'), ('advise',), ('advise', '--json'), ('export', '--csv'), ('export', '--json'),
                 ('capture', 'info'), ('capture', 'info', '--json')]
        for file, some in ((path, verbs[:1]), (kept, verbs)):
            for verb in some:
                result = run(*verb, file)
                self.assertIn(result.returncode, (0, 1), f'{verb}: {result.stderr}')
                text = (result.stdout + ('' if '--json' in verb or '--csv' in verb else result.stderr)).lower()
                self.assertIn('simulated', text, f'{verb}')
                self.assertNotIn('"simulated": false', text, f'{verb}')
        self.assertTrue(all(d['simulated'] for d in json.loads(run('capture', 'info', kept, '--json').stdout)['devices']))

    def test_simulated_rows(self):
        model = self.model()
        for args in (('--counters', '--csv'), ('--csv',)):
            with self.subTest(args):
                path = self.export(model, 'rows.csv', *args)
                self.check_simulated(path)
                again = run('export', path, *args).stdout
                with open(path, encoding='utf-8') as file:
                    self.assertEqual(again, file.read())
        # A table without times, a line for each value, and what was measured.
        for name, text, simulated in (('gpa.csv', 'simulated,VALUBusy,Wavefronts,CacheHit\ntrue,40,1000,30\n', True),
                                      ('long.csv', 'simulated,frame,name,value\ntrue,1,MaliGPUCyclesGPUActive,5\n', True),
                                      ('mali.csv', 'simulated,MaliGPUCyclesGPUActive,MaliGPUCyclesAnyQueueActive\nfalse,9,5\n', False)):
            with self.subTest(name):
                with open(self.path(name), 'w', encoding='ascii') as file:
                    file.write(text)
                if simulated:
                    self.check_simulated(self.path(name))
                else:
                    self.assertNotIn('imulated', run('report', self.path(name)).stdout)

    def test_constants(self):
        """Metrics over constants are the same from raw counters in CSV: eval, report and a capture of them."""
        model = self.model()
        info = json.loads(run('capture', 'info', model, '--json').stdout)['devices'][0]
        constants = {c['name']: c['value'] for c in info['constants']} if isinstance(info['constants'], list) else info['constants']
        self.assertTrue(constants)
        rows = self.export(model, 'raw.csv', '--counters', '--csv')
        with open(rows, encoding='utf-8') as file:
            table = csv_rows(file.read())
        for name, value in constants.items():
            self.assertEqual({float(row[name]) for row in table}, {float(value)}, name)
        result = run('eval', '--for', info['catalog'], rows, '--csv')
        self.assertEqual(result.returncode, 0, result.stderr)
        want = csv_rows(run('export', model, '--csv').stdout)
        have = csv_rows(result.stdout)
        self.assertEqual(have, want)
        for name, value in constants.items():
            self.assertEqual({float(row[name]) for row in have}, {float(value)}, name)
        self.check_same(model, rows)
        kept = self.path('kept.sxc')
        self.assertEqual(run('import', rows, '-o', kept).returncode, 0)
        again = json.loads(run('capture', 'info', kept, '--json').stdout)['devices'][0]
        self.assertEqual(again['constants'], info['constants'])

    def test_eval_of_several_devices(self):
        """Rows of another device are no samples of the catalog's."""
        path = self.path('two.sxc')
        result = run('record', '-d', 'mali-g625', '-d', 'cpu', '-I', '10ms', '-t', '200ms', '-o', path)
        self.assertEqual(result.returncode, 0, result.stderr)
        rows = self.export(path, 'two.csv', '--counters', '--csv')
        for number, catalog in enumerate(('mali-g625', 'cpu')):
            with self.subTest(catalog):
                result = run('eval', '--for', catalog, rows, '--csv')
                self.assertEqual(result.returncode, 0, result.stderr)
                want = csv_rows(run('export', path, '-d', str(number), '--csv').stdout)
                have = csv_rows(result.stdout)
                self.assertEqual([[r[k] for k in ('begin_ns', 'end_ns')] for r in have], [[r[k] for k in ('begin_ns', 'end_ns')] for r in want])
                for b in want:
                    self.assertLess({'begin_ns', 'end_ns', 'quality'}, set(b))
                for a, b in zip(have, want):
                    self.assertEqual({k: v for k, v in a.items() if v and k != 'simulated'}, {k: v for k, v in b.items() if v and k != 'simulated'})
                self.assertIn('samples, catalog ' + ('cpu', 'mali-g625')[number], result.stderr)  # which --for leaves out

    def two_devices(self):
        """Frames of a GPU behind slices of time of the CPU, by hand."""
        head = 'device,begin_ns,end_ns,frame,process,quality,Frames,FrameTime,PSInvocations,D3DGPUTime,CPUTime,UserTime,IdleTime,Runnable,cpus\n'
        rows = [f'1,{i * 100 * MS},{(i + 1) * 100 * MS},,,,,,,,,{40 * MS + i},{60 * MS},3,2\n' for i in range(20)]
        rows += [f'0,{i * 11 * MS},{(i + 1) * 11 * MS},{i},"a, b (7)",,1,{11 * MS},{3000 + i},{9 * MS + 600000 + i},{2 * MS},,,,\n' for i in range(180)]
        with open(self.path('hand.csv'), 'w', encoding='ascii') as file:
            file.write(head + ''.join(rows))
        path = self.path('both.sxc')
        result = run('import', self.path('hand.csv'), '-o', path)
        self.assertEqual(result.returncode, 0, result.stderr)
        return path

    def test_eval_is_lossless(self):
        """eval of an export is that export, byte for byte: time, labels, constants; of one device and of two."""
        model = self.model()
        one, two = self.frames('run.sxc'), self.two_devices()
        for path, catalog, args in ((one, 'opengl', ()), (one, 'opengl', ('--counters',)), (model, 'mali-g625', ()), (model, 'mali-g625', ('--counters',)),
                                    (one, 'opengl', ('-m', 'frame_time,PSInvocations')), (two, None, ()), (two, None, ('--counters',))):
            rows = self.export(path, 'rows.csv', '--csv', *args)
            with open(rows, encoding='utf-8') as file:
                want = file.read()
            for chosen in ((), ('--for', catalog)) if catalog else ((),):
                with self.subTest(path=path, args=args, chosen=chosen):
                    result = run('eval', rows, '--csv', *args, *chosen)
                    self.assertEqual(result.returncode, 0, result.stderr)
                    self.assertTrue(want == result.stdout, want[:600] + '\nis now\n' + result.stdout[:600])
        self.assertIn('frame', want.splitlines()[0])
        self.assertEqual(want.count('\n'), 1 + 20 + 180)
        self.assertEqual(want.splitlines()[0].rsplit(',', 1)[1], 'cpus')

    def test_least_and_largest_have_all_digits(self):
        """Of whole numbers beyond 2^53, whatever rows are: of a table, slices of time, frames of two programs, of which some lack the value."""
        rng = random.Random(9)
        for count in (1, 2, 3, 40, 5000):
            for least in (1, 2 ** 53 - 1, 2 ** 53 + 1, 2 ** 60 + 3, 2 ** 63 + 9):
                values = [least + 2 * rng.randrange(1, 2 ** 9) for _ in range(count)]
                if count > 3 and rng.random() < 0.5:
                    values[rng.randrange(count)] = 2 ** 64 - rng.randrange(1, 9)
                head, form = rng.choice((('', lambda i: ''), ('begin_ns,end_ns,quality,', lambda i: f'{i * 10},{i * 10 + 10},,'),
                                         ('begin_ns,end_ns,frame,process,quality,', lambda i: f'{i * 10},{i * 10 + 10},{i},p{i % 2},,')))
                gap = rng.random() < 0.5
                path = self.path('long.csv')
                with open(path, 'w', encoding='ascii') as file:
                    file.write(f'{head}IAVertices,PSInvocations\n' + ''.join(f'{form(i)}{value},7\n' + (f'{form(i)},7\n' if gap and not head else '') for i, value in enumerate(values)))
                want = min(values), max(values)
                with self.subTest(count=count, least=least, head=head, gap=gap):
                    row = self.report(path, '--for', 'opengl', '-m', 'IAVertices')['IAVertices']
                    self.assertEqual((row['min'], row['max']), want)
                    row = csv_rows(run('report', path, '--for', 'opengl', '-m', 'IAVertices', '--csv').stdout)[0]
                    self.assertEqual((row['min'], row['max']), tuple(map(str, want)))
                    line = json.loads(run('report', path, '--for', 'opengl', '-m', 'IAVertices', '-f', 'ndjson').stdout.splitlines()[-1])
                    self.assertEqual((line['min'], line['max']), want)

    def test_two_devices_come_back(self):
        """Each row is of its own device: what it is a sample of, which catalog knows a name, and the verdict."""
        path = self.two_devices()
        for args in ((), ('--counters',)):
            rows = self.export(path, 'rows.csv', '--csv', *args)
            devices = json.loads(run('capture', 'info', rows, '--json').stdout)['devices']
            self.assertEqual({d['catalog']: d['kind'] for d in devices}, {'cpu': 'time', 'opengl': 'frame'})
            text = run('report', rows).stdout
            self.assertIn('\ncpu\n20 samples in 2.00 s', text)
            self.assertRegex(text, r'gpu_time_per_fragment +3\.1\d us ')  # 9.6 ms for some 3,090 runs
            for name, catalog, value in (('frame_time', 'opengl', 180 * 11), ('run_queue', 'cpu', 3)):
                for chosen in ((), ('--for', catalog)):
                    result = run('explain', name, '-i', rows, '--json', *chosen)
                    self.assertEqual(result.returncode, 0, result.stderr)
                    told = json.loads(result.stdout)
                    self.assertEqual(told['for'], catalog)
                    self.assertAlmostEqual(told['value'], value, places=6)
            lines = [run('report', file).stdout.splitlines()[1] for file in (path, rows)]
            self.assertEqual(lines[0], lines[1])
            self.assertNotIn('Unknown', lines[0])

    def test_means_of_whole_numbers(self):
        """A mean of whole numbers is none: in tables, by stretches of time, and put into a formula."""
        path = self.path('queue.csv')
        with open(path, 'w', encoding='ascii') as file:
            file.write('begin_ns,end_ns,Runnable,Blocked\n' + ''.join(f'{i * 10 * MS},{(i + 1) * 10 * MS},{1 + i % 2},{i % 4 == 3:d}\n' for i in range(40)))
        capture = self.path('queue.sxc')
        self.assertEqual(run('import', path, '-o', capture).returncode, 0)
        for file in (path, capture):
            rows = self.report(file, '--for', 'cpu', '-m', 'run_queue,Runnable,Blocked')
            self.assertEqual({name: row['mean'] for name, row in rows.items()}, {'run_queue': 1.5, 'Runnable': 1.5, 'Blocked': 0.25})
            for key in ('10s', '200ms'):
                table = csv_rows(run('report', file, '--for', 'cpu', '--by', 'time', '-I', key, '-m', 'run_queue,Blocked', '--csv').stdout)
                self.assertEqual([(row['run_queue'], row['Blocked']) for row in table], [('1.5', '0.25')] * (1 if key == '10s' else 2))
            self.assertEqual(json.loads(run('explain', 'run_queue', '--for', 'cpu', '-i', file, '--json').stdout)['value'], 1.5)

    def test_given_metrics_make_counters(self):
        """What a table gives as a metric serves formulas over the counter that says the same."""
        path = self.path('times.csv')
        with open(path, 'w', encoding='ascii') as file:
            file.write('Frame time (ms),gpu_time (ms)\n16,8\n20,5\n')
        result = run('eval', '--for', 'opengl', path, '--csv', '-m', 'gpu_time_share,FrameTime,gpu.time')
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout, 'gpu_time_share,FrameTime (s),D3DGPUTime (s)\n50,0.016,0.008\n25,0.02,0.005\n')
        with open(path, 'w', encoding='ascii') as file:  # a counter that is there, if empty, is not made up
            file.write('Frame time (ms),gpu_time (ms),D3DGPUTime\n16,8,\n20,5,1000000\n')
        result = run('eval', '--for', 'opengl', path, '--csv', '-m', 'gpu_time_share')
        self.assertEqual(result.stdout, 'gpu_time_share\n\n5\n')

    def test_rows_of_any_catalog(self):
        """Labels, frames and several devices come back."""
        frames = self.frames('run.sxc', measured=lambda i: True)
        path = self.export(frames, 'run.csv', '--counters', '--csv')
        self.check_same(frames, path)
        both = self.path('both.csv')
        with open(self.path('both.csv'), 'w', encoding='ascii') as file:
            file.write('device,begin_ns,end_ns,group,quality,DrawCalls,VALUBusy,SQ_WAVES,Wavefronts\n'
                       '0,0,10,"a ""b"", c",lost+multiplexed,5,,,\n1,0,20,k,,,50,3,9\n0,10,20,,,6,,,\n')
        again = run('export', both, '--counters', '--csv')
        self.assertEqual(again.returncode, 0, again.stderr)
        lines = again.stdout.splitlines()
        self.assertEqual(lines[1], '0,0,10,"a ""b"", c",lost+multiplexed,5,,,', again.stdout)
        info = json.loads(run('capture', 'info', both, '--json').stdout)
        self.assertEqual([d['catalog'].split('-')[0] for d in info['devices']], ['opengl', 'amd'])
        with open(both, 'w', encoding='ascii') as file:
            file.write('begin_ns,end_ns,quality,nobody_knows\n0,10,,5\n')
        result = run('report', both)
        self.assertEqual(result.returncode, 5)
        self.assertIn('--for CATALOG', result.stderr)
        result = run('report', '--for', 'monitor', both)  # whose own column it then is
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn('catalog monitor', result.stderr)

    def test_rows_in_any_order(self):
        """Sorted by another column, or of two devices in turns: times stay with their rows."""
        head = 'device,begin_ns,end_ns,quality,GpuBusy,IAVertices'
        lines = [f'0,{i * 10 * MS},{(i + 1) * 10 * MS},,,{i}' for i in range(9)] + [f'1,{i * 5 * MS},{(i + 1) * 5 * MS},,{i},' for i in range(18)]
        for order in (lambda line: line[::-1], lambda line: int(line.split(',')[1]) % 7, lambda line: -len(line)):
            shuffled = sorted(lines, key=order)
            with open(self.path('rows.csv'), 'w', encoding='ascii') as file:
                file.write('\n'.join([head, *shuffled]) + '\n')
            for path in (self.path('rows.csv'), self.export(self.path('rows.csv'), 'rows.ndjson', '--format', 'ndjson', '--counters')):
                result = run('export', path, '--counters', '--csv')
                self.assertEqual(result.returncode, 0, result.stderr)
                have = [','.join(row[name] for name in ('device', 'begin_ns', 'end_ns', 'quality')) for row in csv_rows(result.stdout)]
                self.assertEqual(sorted(have), sorted(line.rsplit(',', 2)[0] for line in lines))
                self.assertEqual([h for h in have if h[0] == '1'], [line.rsplit(',', 2)[0] for line in shuffled if line[0] == '1'])

    def test_rows_as_json(self):
        """Numbers, units, times, labels, quality and devices of JSON and NDJSON are those of CSV, whoever wrote the JSON again."""
        frames, two = self.frames('run.sxc'), self.path('two.sxc')
        result = run('record', '-d', 'mali-g625', '-d', 'cpu', '-I', '10ms', '-t', '100ms', '-o', two)
        self.assertEqual(result.returncode, 0, result.stderr)
        for source, args in ((frames, ('--counters',)), (frames, ()), (two, ())):
            want = run('export', source, '--csv', *args).stdout
            for form in ('json', 'ndjson'):
                with self.subTest(source=source, args=args, form=form):
                    path = self.export(source, f'rows.{form}', '--format', form, *args)
                    result = run('export', path, '--csv', *args)
                    self.assertEqual((result.returncode, result.stdout), (0, want), result.stderr)
                    self.assertIn('rows as JSON', result.stderr)
                    with open(path, encoding='utf-8') as file:
                        documents = [json.load(file)] if form == 'json' else [json.loads(line) for line in file]
                    with open(path, 'w', encoding='utf-8') as file:  # as jq -cS has it
                        file.write(''.join(json.dumps(d, sort_keys=True, separators=(',', ':')) + '\n' for d in documents))
                    have = csv_rows(run('export', path, '--csv', *args).stdout)
                    self.assertEqual(have, csv_rows(want))
        model = self.model()  # whose metrics need its constants
        for form in ('json', 'ndjson'):
            raw = self.export(model, f'model.{form}', '--format', form, '--counters')
            self.check_same(model, raw)
            kept = self.path('model-kept.sxc')
            self.assertEqual(run('import', raw, '-o', kept).returncode, 0)
            have, want = (json.loads(run('capture', 'info', path, '--json').stdout)['devices'][0]['constants'] for path in (kept, model))
            self.assertEqual(have, want)
        self.check_same(frames, self.export(frames, 'raw.ndjson', '--format', 'ndjson', '--counters'))
        kept = self.path('kept.sxc')
        self.assertEqual(run('import', self.path('raw.ndjson'), '-o', kept).returncode, 0)
        self.check_same(frames, kept)

    @staticmethod
    def lines(path):
        """What each row says: members that are no data are not said."""
        with open(path, encoding='utf-8') as file:
            return [{key: value for key, value in json.loads(line).items() if value is not None} for line in file]

    def test_ndjson_is_lossless(self):
        """eval of an export as NDJSON is that export, number for number: times, labels, quality, constants; of one device and of two."""
        model, one, two = self.model(), self.frames('run.sxc'), self.two_devices()
        texts = self.path('texts.csv')
        with open(texts, 'w', encoding='utf-8') as file:
            file.write('Scene,Level,Frame time (ms),IAVertices,begin_ns,duration_ns\nmenu,"a, b",16.6,18446744073709551615,0,10\ngame,\u00e4,33.3,2,10,20\n')
        said = set()
        for path, args in ((one, ()), (model, ('--counters',)), (two, ()), (two, ('--counters',)), (texts, ('--counters',))):
            with self.subTest(path=path, args=args):
                first = self.export(path, 'first.ndjson', '-f', 'ndjson', *args)
                want = self.lines(first)
                again = self.path('again.ndjson')
                result = run('eval', first, '-f', 'ndjson', '-o', again, *args)
                self.assertEqual(result.returncode, 0, result.stderr)
                have = self.lines(again)
                self.assertEqual(len(have), len(want))
                for row, was in zip(have, want):  # the first of each device says for all whose rows and in what they are
                    told, heads = row.pop('units', {}), (row.pop('schema', None), was.pop('schema', None))
                    self.assertEqual((was.get('device'), 'units' in was), (was.get('device'), heads[1] == 'sextant.export/1'))
                    for name, unit in was.pop('units', {}).items():
                        self.assertEqual(told.get(name, unit), unit)
                    self.assertEqual(*((of.get('name') for of in (row.pop('of', {}), was.pop('of', {})))))
                    row.pop('for', None), was.pop('for', None)
                    self.assertEqual(row, was)
                said |= {key for row in want for key in row}
        self.assertLessEqual({'device', 'begin_ns', 'end_ns', 'frame', 'quality', 'Scene', 'simulated', 'MaliConstantsShaderCoreCount'}, said)
        self.assertEqual([row.get('Level') for row in want], ['a, b', '\u00e4'])
        self.assertEqual(want[0]['IAVertices'], 2 ** 64 - 1)

    def test_other_json(self):
        """Documents without rows are none; what breaks off is told, and what stands before is read."""
        for name, text in (('a.json', '{"schema":"sextant.report/1","metrics":[],"rows":[]}'), ('b.json', '{"a": {"b": 1}}'), ('c.json', '[1, 2]'),
                           ('d.json', '{"schema":"sextant.export/1","metrics":["x"],"units":[null],"rows":[]}')):
            with open(self.path(name), 'w', encoding='ascii') as file:
                file.write(text)
            result = run('import', self.path(name), '-o', self.path('x.sxc'))
            self.assertEqual(result.returncode, 5, name)
            self.assertEqual([line.split(':')[0] for line in result.stderr.strip().splitlines()[-3:]], ['error', 'because', 'try'])
        with open(self.path('cut.json'), 'w', encoding='ascii') as file:
            file.write('{"begin_ns":0,"end_ns":5,"IAVertices":7}\n{"begin_ns":5,"end_ns":9,"IAVert')
        result = run('import', self.path('cut.json'), '-o', self.path('x.sxc'))
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn('cut.json breaks off in line 2', result.stderr)
        self.assertIn('how many samples are missing is not known', ' '.join(run('report', self.path('cut.json')).stderr.split()))
        self.assertNotIn('lost while it was recorded', run('report', self.path('cut.json')).stderr)
        rows = csv_rows(run('export', self.path('x.sxc'), '--counters', '--csv').stdout)
        self.assertEqual([row['IAVertices'] for row in rows], ['7'])


if __name__ == '__main__':
    unittest.main(verbosity=2)
