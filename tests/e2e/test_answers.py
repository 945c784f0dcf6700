#!/usr/bin/env python3
"""What a new user asks of the command gets an answer: names of other devices, rules, how a program ended. $SEXTANT is the binary."""
import json
import os
import pty
import re
import subprocess
import sys
import unittest

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'html'))
from command import Command, FolderTest, csv_rows, read_terminal  # noqa: E402
from page_reader import Page  # noqa: E402

SEXTANT = os.environ['SEXTANT']
run = Command(SEXTANT, env={'XDG_CONFIG_HOME': '/nonexistent'})


class Answers(FolderTest):
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
        for name in ('frame.time', 'frame_time', 'Frame time', 'GPU_busy', 'frame_rate', 'fps', 'FPS', 'frames_per_second'):
            result = run('stat', '-d', 'cpu', '-m', f'{name},cpu_busy', '-t', '50ms', '--json')
            self.assertEqual(result.returncode, 1, result.stderr)
            rows = self.metrics(result)
            self.assertEqual('the device or driver has no such counter (catalog cpu)', rows[name]['why'])
            self.assertIsNone(rows[name]['mean'])
            self.assertIsNotNone(rows['cpu_busy']['mean'])
        for name in ('frame_tome', 'VSBusy'):  # of nobody, and of another vendor's device
            result = run('stat', '-d', 'cpu', '-m', f'{name},cpu_busy', '-t', '50ms')
            self.assertEqual(result.returncode, 3)
        table = self.path('rate.csv', 'frame,frame_time (ms)\n0,20\n1,20\n')
        for name in ('frame_rate', 'Frame rate', 'fps'):  # on a device that has it: its metric, whatever that is called
            self.assertEqual(self.metrics(run('report', table, '-m', name, '--gate', f'{name} > 49', '--json'))['frames_per_second']['mean'], 50)

    def test_rows_of_a_device_that_gave_nothing(self):
        """What was named and is a guest's, of a program that does not draw: rows without data, and why."""
        result = run('stat', '-m', 'frame_time,D3DGPUTime,cpu_busy', '--json', '--', 'true')
        rows = self.metrics(result)
        self.assertEqual(sorted(rows), ['D3DGPUTime', 'cpu_busy', 'frame_time'], result.stderr)
        for name in ('frame_time', 'D3DGPUTime'):
            self.assertIsNone(rows[name]['mean'])
            self.assertIn('the device delivered no samples (', rows[name]['why'])
        self.assertEqual(result.returncode, 1)  # what was named is missing
        text = run('stat', '-m', 'frame_time,cpu_busy', '--', 'true').stdout
        self.assertRegex(text, r'(?s)not measured: .*\n  frame_time: no data\n')
        rows = csv_rows(run('stat', '-m', 'frame_time', '--csv', '--', 'true').stdout)
        self.assertEqual([(r['name'], r['mean']) for r in rows], [('frame_time', '')])
        self.assertEqual(run('stat', '--', 'true').returncode, 0)  # nothing was named


    def test_frame_rate_by_the_name_that_everybody_has(self):
        """fps is the frame rate wherever a metric is named, and in the header of a table."""
        table = self.path('fps.csv', 'frame,fps,gpu_time (ms)\n0,50,9\n1,60,9\n2,30,9\n')
        for args in (('report', table, '-m', 'fps'), ('report', table, '-m', 'FPS,gpu_time')):
            self.assertEqual(self.metrics(run(*args, '--json'))['frames_per_second']['max'], 60)
        self.assertEqual(run('report', table, '--gate', 'fps.min>29').returncode, 0)
        rows = csv_rows(run('report', table, '--by', 'frame', '--sort', 'fps', '--csv').stdout)
        self.assertEqual([row['frames_per_second'] for row in rows], ['30', '50', '60'])
        self.assertIn('frames_per_second', run('explain', 'fps').stdout.split('\n')[0])
        for catalog in ('opengl', 'vulkan', 'monitor'):
            found = json.loads(run('list', 'metrics', 'fps', '--for', catalog, '--json').stdout)['metrics']
            self.assertEqual([(m['name'], m['aliases']) for m in found], [('frames_per_second', ['fps'])])


class Verdicts(Answers):
    def test_of_the_cpu_alone(self):
        """What cannot be told, of a run in which no device knows a GPU: no word of a metric that is not there."""
        def part(*args):
            done = run('stat', '-d', 'cpu', *args, '--json', '-o', self.path('out.json'), '--', 'sleep', '0.4')
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(self.path('out.json'), encoding='utf-8') as file:
                return json.load(file)['verdict']['parts'][0]
        chosen, named = part(), part('-m', 'cpu_busy')
        self.assertEqual(chosen['because'], 'the CPU is not full, and nothing that was measured shows how busy a GPU is')
        self.assertNotIn('gpu_time', chosen['advice'])
        self.assertIn('such as input, files, the network or a lock', chosen['advice'])
        self.assertEqual(named['because'], 'busiest thread: the run did not collect it')
        self.assertIn('add ThreadTime and ThreadWait to -m', named['advice'])
        both = part('-m', 'ThreadTime,ThreadWait')  # as the remedy says
        self.assertEqual(both['because'], chosen['because'])


class Notes(Answers):
    def test_all_of_them(self):
        """What is said of a device stands in its document, all of it, when a table is read and when it was imported."""
        table, capture = self.path('odd.csv', 'FPS,frame_time\n60,16\n30,33\n'), self.path('odd.sxc')
        done = run('report', table, '--json')
        told = json.loads(done.stdout)['devices'][0]['notes']
        self.assertGreater(len(told), 3, told)
        self.assertEqual(len(set(told)), len(told))
        for note in told:
            self.assertIn(f'note: {note}', ' '.join(done.stderr.split()))
        run('import', '-q', table, '-o', capture)
        for verb in (('report',), ('stat', '-i')):
            self.assertEqual(json.loads(run(*verb, capture, '--json').stdout)['devices'][0]['notes'], told)


class Words(Answers):
    """Remedies are typed as they stand, whatever files and programs are called."""

    def test_blanks_and_quotes(self):
        os.symlink(SEXTANT, self.path('sextant'))
        env = dict(os.environ, PATH=self.folder.name + ':' + os.environ['PATH'], XDG_CONFIG_HOME='/nonexistent')
        for odd in ('my app', "it's", 'a "b" $HOME\\'):
            program, capture = './' + odd, self.path(odd + ' x.sxc')
            os.symlink('/bin/true', self.path(odd))
            self.assertEqual(run('record', '-q', '-d', 'cpu', '-t', '50ms', '-I', '10ms', '-o', capture).returncode, 0)
            table = self.path(odd + ' x.csv', 'frame,FrameTime,D3DGPUTime\n0,10000000,9000000\n')
            for args, code in ((('stat', '-d', 'cpu', program), 2), (('stat', '-d', 'cpu', '-i', capture, '--', 'true'), 2), (('list', 'metrics', '--for', capture), 2),
                               (('report', '-d', 'xyzzy', capture), 3), (('list', 'metrics', 'xyzzy', table), 3), (('list', 'devices', 'xyzzy', table), 3),
                               (('import', table), 2), (('export', table, '-o', self.path(odd + '.csv.gz')), 2)):
                result = run(*args, cwd=self.folder.name)
                self.assertEqual(result.returncode, code, (args, result.stderr))
                remedy = result.stderr.split('try: ')[1].rstrip().removeprefix('without --for: ')
                if remedy.startswith('-o'):
                    remedy = 'echo ' + remedy.split(', and ')[0]
                again = subprocess.run(['sh', '-c', remedy], cwd=self.folder.name, env=env, capture_output=True, text=True, timeout=60)
                self.assertEqual(again.returncode, 0, (args, remedy, again.stderr))
                if remedy.startswith('echo'):
                    self.assertIn(odd + '.csv', again.stdout)


class Modelled(Answers):
    def test_every_document_says_so(self):
        """A table that says that a model made it: each answer made from it says so too, with a catalog named or not."""
        table = self.path('model.csv', 'simulated,begin_ns,end_ns,quality,MaliGPUCyclesGPUActive,MaliGPUCyclesAnyQueueActive\n' + ''.join(
            f'true,{i}000000,{i + 1}000000,,900000,800000\n' for i in range(10)))
        for catalog in ([], ['--for', 'mali-g625']):
            for verb in (['eval', table], ['advise', table], ['report', table], ['export', table], ['report', table, '--by', 'time', '-I', '1ms'],
                         ['explain', 'gpu_active_cycles', '-i', table]):
                command = [*verb, *catalog]
                document = json.loads(run(*command, '--json', code=None).stdout)
                marks = [document.get('simulated')] + [d.get('simulated') for d in document.get('devices', [])]
                self.assertIn(True, marks, command)
                if verb[0] != 'export':
                    self.assertIn('SIMULATED', run(*command, code=None).stdout, command)
                if verb[0] in ('eval', 'advise', 'export'):
                    text = run(*command, '--csv', code=None).stdout
                    self.assertIn('simulated', text.splitlines()[0], command)
                    self.assertLessEqual({row['simulated'] for row in csv_rows(text)}, {'true'}, command)


class Plain(Answers):
    """Text under a locale that is not UTF-8 is ASCII; what programs and files get is not changed by it."""
    VERBS = 'advise capture catalog compare decode demo devices diff doctor eval explain export import list oa plan record report stat'.split()

    def both(self, *args):
        return [subprocess.run([SEXTANT, *args], capture_output=True, check=False, timeout=60,
                               env={**os.environ, 'XDG_CONFIG_HOME': '/nonexistent', 'LC_ALL': locale}) for locale in ('C', 'C.UTF-8')]

    def test_text(self):
        names = self.path('names.csv', 'begin_ns,end_ns,group,quality,IAVertices\n0,10,Größe,,1\n10,20,Gräße,,2\n20,30,漢字 × 😀,,3\n')
        hot = self.path('hot.csv', 'frame_time (ms),gpu_temperature (°C)\n16.6,61\n16.7,62\n')
        likenesses = {'│': '|', '├': '|', '└': '`', '…': '...', '°': 'deg ', '×': 'x', 'ö': '\\u00f6', 'ß': '\\u00df', 'ä': '\\u00e4',
                      '漢': '\\u6f22', '字': '\\u5b57', '😀': '\\U01f600'}
        seen = set()
        for args in (['explain', 'EuActive', '--for', 'intel-bdw'], ['explain', 'gpu_temperature', '-i', hot], ['report', hot], ['report', names, '--for', 'opengl', '--by', 'group', '-m', 'IAVertices'], ['frobnicate…'],
                     ['report', '/nonexistent/°'], *([verb, '--help'] for verb in self.VERBS)):
            plain, rich = self.both(*args)
            self.assertEqual(plain.returncode, rich.returncode, args)
            for ours, theirs in ((plain.stdout, rich.stdout), (plain.stderr, rich.stderr)):
                wanted = theirs.decode()
                seen |= set(wanted) & set(likenesses)
                for character, likeness in likenesses.items():
                    wanted = wanted.replace(character, likeness)
                self.assertTrue(ours.isascii(), (args, ours))
                # A likeness that is longer moves what stands beside it.
                self.assertEqual(ours.decode().split(), wanted.split(), args)
        self.assertEqual(seen, set(likenesses))

    def test_files(self):
        hot = self.path('hot.csv', 'frame_time (ms),gpu_temperature (°C)\n16.6,61\n16.7,62\n')
        for args in (['catalog', 'show', 'opengl'], ['report', hot, '--json'], ['report', hot, '--csv'], ['export', hot, '--csv']):
            plain, rich = self.both(*args)
            self.assertEqual(plain.stdout, rich.stdout, args)

    def test_nowhere_to_write(self):
        """What is said without a verb is a result like any other, under either locale."""
        for args in (['--help'], ['help', 'stat'], ['--version'], ['--print-config'], ['stat', '--help'], ['list', 'metrics', '--for', 'cpu']):
            for locale in ('C', 'C.UTF-8'):
                with open('/dev/full', 'wb') as full:
                    told = subprocess.run([SEXTANT, *args], stdout=full, stderr=subprocess.PIPE, timeout=60, check=False,
                                          env={**os.environ, 'XDG_CONFIG_HOME': '/nonexistent', 'LC_ALL': locale})
                self.assertEqual(told.returncode, 4, args)
                self.assertEqual(told.stderr.decode().splitlines()[:2], ['error: cannot write the result', 'because: No space left on device'], args)
        closed = subprocess.run(['sh', '-c', '"$0" --help >&-', SEXTANT], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(closed.returncode, 4)
        self.assertEqual(closed.stderr.splitlines()[2], 'try: standard output that is not closed, or -o FILE')


class Rules(Answers):
    def test_every_rule_that_fires_is_explained(self):
        """What advise names can be asked for: condition, inputs and source, in text and JSON."""
        frames = 'frame,FrameTime,D3DGPUTime\n' + ''.join(f'{i},20000000,19500000\n' for i in range(30))
        table = self.path('frames.csv', frames)
        found = json.loads(run('advise', table, '--for', 'opengl', '--json').stdout)['findings']
        self.assertGreater(len(found), 0)
        constants = {c['name'] for c in json.loads(run('list', 'constants', '--for', 'opengl', '--json').stdout)['constants']}
        for rule in found:
            result = run('explain', rule['rule'], '--for', 'opengl', '--json')
            self.assertEqual(result.returncode, 0, result.stderr)
            told = json.loads(result.stdout)['rules'][0]
            self.assertEqual((told['rule'], told['title'], told['severity'], told['metric'], told['advice']),
                             tuple(rule[k] for k in ('rule', 'title', 'severity', 'metric', 'advice')))
            for name in told['inputs']:
                self.assertIn(name, told['when'])
                self.assertTrue(name in constants or run('explain', name, '--for', 'opengl').returncode == 0, name)
        text = run('explain', 'CPU.saturated').stdout
        for part in ('All CPUs are busy', 'cpu_busy > 90', '90.0 %', 'catalog cpu (embedded), line', 'inputs', 'advice'):
            self.assertIn(part, text)
        self.assertLessEqual(max(map(len, text.splitlines())), 80)

    def test_rules_of_the_verdict(self):
        document = json.loads(run('stat', '-d', 'cpu', '-t', '60ms', '--json').stdout)
        self.assertIn('verdict', document)
        told = json.loads(run('explain', 'bandwidth', '--json').stdout)
        self.assertGreater(len(told['rules']), 1)  # several ways to one verdict
        self.assertEqual({r['kind'] for r in told['rules']}, {'verdict'})
        text = run('explain', 'crowded').stdout
        self.assertIn('verdict.yaml, line', text)
        self.assertLessEqual(max(map(len, text.splitlines())), 80)

    def test_near_names(self):
        for name, args, near in (('cpu.saturatd', [], 'sextant explain cpu.saturated'), ('frame.lnog', ['--for', 'opengl'], 'sextant explain frame.long --for opengl')):
            result = run('explain', name, *args)
            self.assertEqual(result.returncode, 3)
            self.assertEqual(result.stderr.splitlines()[-1], 'try: ' + near)
            self.assertEqual(run(*near.split()[1:]).returncode, 0)


class Gates(Answers):
    def test_gates_know_names_as_metrics(self):
        """A title, another case, an alias: a gate understands what -m does, and a statistic in any case; a title is the metric's before a counter's."""
        table = self.path('t.csv', 'begin_ns,end_ns,FrameTime,GpuTime,IAVertices\n' + ''.join(f'{i}0000000,{i + 1}0000000,10000000,2000000,7\n' for i in range(4)))
        capture = os.path.join(self.folder.name, 't.sxc')
        self.assertEqual(run('import', '-q', table, '--for', 'opengl', '-o', capture).returncode, 0)
        for name, wanted in (('Frame Time', 'frame_time'), ('FRAME_TIME', 'frame_time'), ('frame-time', 'frame_time'), ('frametime', 'FrameTime')):
            self.assertEqual(list(self.metrics(run('report', capture, '-m', name, '--json'))), [wanted], name)
        for name in ('Frame time', 'FRAME_TIME.MEAN', 'frametime.P95', 'frame-time'):
            for verb in (['report', capture], ['diff', capture, capture]):
                for limit, code in (('11ms', 0), ('9ms', 6)):
                    done = run(*verb, '-m', 'gpu_time', '--gate', f'{name} < {limit}', '--json')
                    self.assertEqual((done.returncode, [g['passed'] for g in json.loads(done.stdout)['gates']]), (code, [not code]), (verb[0], name, done.stdout))

    def test_gates_on_how_evenly_frames_came(self):
        """What report says of frames beside their metrics holds a gate, too, under its names in JSON."""
        def frames(name, slow):
            times = [40 if i in slow else 10 for i in range(200)]
            return self.path(name, 'frame,frame_time (ms),gpu_time (ms)\n' + ''.join(f'{i},{t},5\n' for i, t in enumerate(times)))

        path = frames('uneven.csv', (50, 90, 91))
        told = json.loads(run('report', path, '--for', 'opengl', '--json').stdout)['devices'][0]['frames']
        self.assertEqual((told['stutters'], told['low_1_percent']), (3, 25))
        for gate, code, value in (('stutters < 3', 6, 3), ('stutters <= 3', 0, 3), ('low_1_percent >= 25', 0, 25), ('Low_1_Percent > 30 fps', 6, 25),
                                  ('low_0_1_percent > 20', 0 if told['low_0_1_percent'] else 1, told['low_0_1_percent'])):
            done = run('report', path, '--for', 'opengl', '--gate', gate, '--json')
            judged, = json.loads(done.stdout)['gates']
            self.assertEqual((done.returncode, judged['value']), (code, value), (gate, judged))
        near, = json.loads(run('report', path, '--for', 'opengl', '--gate', 'stuters < 1', '--json').stdout)['gates']
        self.assertIn('stutters is one that is near', near['why'])
        of_time = self.path('slices.csv', 'begin_ns,end_ns,cpu_busy\n0,100,5\n100,200,6\n')
        done = run('report', of_time, '--for', 'cpu', '--gate', 'stutters < 1', '--json')
        self.assertEqual((done.returncode, json.loads(done.stdout)['gates'][0]['passed']), (1, None))

    def test_gate_on_what_was_not_chosen(self):
        """diff -m X --gate 'Y': Y is compared, as report does it."""
        paths = [self.path(f'{n}.sxc') for n in 'ab']
        rows = [f'{i * 10000000},{(i + 1) * 10000000},{i},,{1000 + i % 3},{500 + i % 2}' for i in range(40)]
        table = self.path('frames.csv', '\n'.join(['begin_ns,end_ns,frame,quality,IAVertices,IAPrimitives', *rows]) + '\n')
        for path in paths:
            self.assertEqual(run('import', table, '-o', path).returncode, 0)
        result = run('diff', *paths, '-m', 'IAVertices', '--gate', 'IAPrimitives < 100000', '--json')
        document = json.loads(result.stdout)
        self.assertEqual((result.returncode, [g['passed'] for g in document['gates']]), (0, [True]), result.stdout)
        self.assertEqual({m['name'] for m in document['metrics']} >= {'IAVertices', 'IAPrimitives'}, True)
        failed = run('diff', *paths, '-m', 'IAVertices', '--gate', 'IAPrimitives < 0')
        self.assertEqual(failed.returncode, 6)
        missing = run('diff', *paths, '-m', 'IAVertices', '--gate', 'IAVertixes < 1')
        self.assertEqual(missing.returncode, 1)
        self.assertIn('there is no such metric in both: IAVertices is one that is near', ' '.join(missing.stdout.split()))
        missing = run('report', paths[0], '--gate', 'IAPrimitivs < 1', '--json')
        self.assertEqual(missing.returncode, 1)
        self.assertEqual(json.loads(missing.stdout)['gates'][0]['why'], 'there is no such metric in this report: IAPrimitives is one that is near')
        far = run('report', paths[0], '--gate', 'zzzzzz < 1', '--json')
        self.assertEqual(json.loads(far.stdout)['gates'][0]['why'], 'there is no such metric in this report')

    def both(self):
        """A recording of frames and of a CPU."""
        path = os.path.join(self.folder.name, 'both.sxc')
        tables = [self.path(name, text) for name, text in (
            ('f.csv', 'begin_ns,end_ns,frame,frame_time (ms)\n0,10000000,0,10\n10000000,20000000,1,10\n'),
            ('c.csv', 'begin_ns,end_ns,run_queue\n0,10000000,3\n10000000,20000000,5\n'))]
        parts = []
        for table, catalog in zip(tables, ('opengl', 'cpu')):
            parts.append(table + '.sxc')
            self.assertEqual(run('import', '-q', table, '--for', catalog, '-o', parts[-1]).returncode, 0)
        self.assertEqual(run('capture', 'merge', *parts, '--offset', '0s', '-o', path).returncode, 0)
        return path

    def test_gate_of_another_device(self):
        """What a gate names is read of whatever device has it; nothing else of that device is shown."""
        path = self.both()
        for verb in (['report', path], ['diff', path, path], ['report', path, '--by', 'frame']):
            for limit, code in (('4.5', 0), ('3.5', 6)):
                done = run(*verb, '-m', 'frame_time', '--gate', f'run_queue < {limit}', '--json')
                document = json.loads(done.stdout)
                self.assertEqual((done.returncode, document['gates'][0]['value'], document['gates'][0]['passed']), (code, 4, not code), verb)
        self.assertEqual([m['name'] for m in json.loads(run('report', path, '-m', 'frame_time', '--gate', 'run_queue<9', '--json').stdout)['metrics']],
                         ['frame_time', 'run_queue'])
        self.assertEqual([d['for'] for d in document['devices']], ['opengl'])  # --by: its rows were not asked for
        self.assertEqual(run('report', path, '-m', 'frame_tim', '--gate', 'run_queue<9').returncode, 3)

    def test_every_format_tells_each(self):
        """Name, verdict and value of each gate: in the result, or on standard error where its format has no place."""
        path = self.both()
        gates = ['--gate', 'frame_time<9ms', '--gate', 'run_queue<5', '--gate', 'nobody<3']
        for words in ([], ['--by', 'frame'], ['--by', 'time', '-I', '10ms']):
            for form in ('text', 'json', 'csv', 'ndjson', 'openmetrics', 'html'):
                if words and form in ('ndjson', 'openmetrics', 'html'):
                    continue
                page = os.path.join(self.folder.name, 'page.html')
                done = run('report', path, *words, *gates, '-f', form, *(['-o', page] if form == 'html' else []))
                self.assertEqual(done.returncode, 6, (words, form))
                if form == 'json':
                    told = json.loads(done.stdout)['gates']
                    self.assertEqual([(g['value'], g['passed']) for g in told], [(0.01, False), (4, True), (None, None)], words)
                    continue
                text = ' '.join((done.stdout if form == 'text' else done.stderr).split())
                for gate, verdict, value in (('frame_time<9ms', 'FAILED', '10'), ('run_queue<5', 'passed', '4'), ('nobody<3', 'not judged', 'there is no such')):
                    pattern = f'{verdict} {gate}: {value}' if form == 'text' else f'gate {gate}: {verdict}, {value}'
                    self.assertIn(pattern, text, (words, form))


class Groups(Answers):
    def test_more_groups_than_stand_for_themselves(self):
        """Nothing is lost beyond the limit: the rest is one group, and told."""
        lines = ['begin_ns,end_ns,group,quality,IAVertices']
        for turn in range(2):
            lines += [f'{(turn * 17000 + i) * 1000},{(turn * 17000 + i + 1) * 1000},g{i},,{3 + turn}' for i in range(17000)]
        table = self.path('many.csv', '\n'.join(lines) + '\n')
        args = ('report', table, '--for', 'opengl', '--by', 'group', '-m', 'IAVertices')
        result = run(*args, '--csv', '--top', '100000')
        self.assertEqual(result.returncode, 0, result.stderr)
        rows = csv_rows(result.stdout)
        self.assertEqual(len(rows), 16385)
        self.assertEqual([int(r['IAVertices']) for r in rows[:-1]], [7] * 16384)
        self.assertEqual((rows[-1]['group'], int(rows[-1]['rows']), int(rows[-1]['IAVertices'])), ('(others)', 2 * 616, 7 * 616))
        self.assertIn('the first 16384 groups have rows of their own', result.stderr)
        few = run(*args, '--sort', 'IAVertices', '--top', '2')
        self.assertIn('(others)', few.stdout)
        # What the note says to do works as it stands there.
        told = ' '.join(few.stderr.split() + few.stdout.split())
        remedy = re.search(r'sextant (capture cut FILE --from TIME --to TIME -o PART.sxc)', told)[1].split()
        part = os.path.join(self.folder.name, 'part.sxc')
        whole = self.path('whole.sxc')
        self.assertEqual(run('import', table, '--for', 'opengl', '-o', whole).returncode, 0)
        words = {'FILE': [whole], 'PART.sxc': [part]}
        times = iter(['1us', '10ms'])
        cut = run(*(w for word in remedy for w in ([next(times)] if word == 'TIME' else words.get(word, [word]))))
        self.assertEqual(cut.returncode, 0, cut.stderr)
        again = run('report', part, *args[4:], '--sort', 'IAVertices')
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertNotIn('(others)', again.stdout + again.stderr)
        untimed = run('report', self.path('lines.csv', 'group,IAVertices\n' + ''.join(f'g{i},3\n' for i in range(16400))), *args[2:])
        self.assertIn('a file of some of its lines has fewer', ' '.join((untimed.stdout + untimed.stderr).split()))

    def test_memory_of_groups(self):
        """A group takes a few KB: what describes its columns is there once."""
        def most(groups):
            path = self.path(f'{groups}.csv', 'frame_time (ms),scene\n' + ''.join(f'{i % 50},scene {i}\n' for i in range(groups)))
            with subprocess.Popen([SEXTANT, 'report', path, '--for', 'opengl', '--by', 'scene', '--top', '5'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
                _, status, usage = os.wait4(child.pid, 0)
                child.returncode = os.waitstatus_to_exitcode(status)
            self.assertEqual(child.returncode, 0)
            return usage.ru_maxrss

        # Before, 70 KB each; with room for what a sanitizer adds.
        self.assertLess((most(8000) - most(1000)) / 7000, 24)


class Listings(Answers):
    """`list` of a file tells of all of its devices, or of the one that -d names."""

    def table(self):
        rows = ['0,0,10,0,,10000000,9000000,,,', '1,0,10,,,,,5,5,2']
        return self.path('both.csv', '\n'.join(['device,begin_ns,end_ns,frame,quality,FrameTime,D3DGPUTime,UserTime,IdleTime,cpus', *rows]) + '\n')

    def test_metrics_of_every_device(self):
        table, capture = self.table(), self.path('both.sxc')
        self.assertEqual(run('import', table, '-o', capture).returncode, 0)
        own = {name: {m['name'] for m in json.loads(run('list', 'metrics', '--for', name, '--json').stdout)['metrics']} for name in ('opengl', 'cpu')}
        for file in (capture, table):
            for args in ((file,), ('metrics', file), ('metrics', '-i', file)):
                result = run('list', *args, '--json')
                self.assertEqual(result.returncode, 0, result.stderr)
                found = json.loads(result.stdout)
                self.assertEqual(({m['name'] for m in found['metrics']}, found['for']), (own['opengl'] | own['cpu'], None))
            for device, name in (('0', 'opengl'), ('1', 'cpu'), ('cpu', 'cpu')):
                found = json.loads(run('list', 'metrics', file, '-d', device, '--json').stdout)
                self.assertEqual(({m['name'] for m in found['metrics']}, found['for']), (own[name], name))
            text = run('list', 'metrics', 'busy', file).stdout
            self.assertIn('cpu_busy', text)
            self.assertNotIn('frame_time', text)
        self.assertEqual([run('list', 'metrics', capture, '--csv', *more).returncode for more in ([], ['-d', '1'])], [2, 0])
        result = run('list', 'metrics', 'no such thing', capture)
        self.assertEqual((result.returncode, 'both.sxc has metrics that match "no such thing"' in result.stderr), (3, True), result.stderr)

    def test_devices_of_a_file(self):
        table, capture = self.table(), self.path('both.sxc')
        run('import', table, '-o', capture)
        for file in (capture, table):
            document = json.loads(run('list', 'devices', file, '--json').stdout)
            devices = document['devices']
            self.assertEqual((document['schema'], document['for']), ('sextant.list/1', None))
            self.assertEqual([(d['id'], d['catalog'], d['state']) for d in devices], [('0', 'opengl', 'recorded'), ('1', 'cpu', 'recorded')])
            self.assertEqual([r['id'] for r in csv_rows(run('list', 'devices', file, '-d', 'cpu', '--csv').stdout)], ['1'])
            self.assertEqual(len(run('list', 'devices', file).stdout.splitlines()), 3)
        self.assertEqual(run('list', 'devices', capture, '-d', 'nvml').returncode, 3)
        here = json.loads(run('list', 'devices', '--json').stdout)['devices']
        chosen = json.loads(run('list', 'devices', '-d', 'cpu', '--json').stdout)['devices']
        self.assertEqual(chosen, [d for d in here if d['id'] == 'cpu'])
        self.assertEqual(run('list', 'devices', '--set', 'X').returncode, 2)  # it would do nothing

    def test_what_no_device_here_has(self):
        """Sets and groups, which only some GPUs have, are listed of all catalogs where no device of this machine has any."""
        for what in ('sets', 'groups'):
            result = run('list', what)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn('RenderBasic', result.stdout)
            self.assertIn(f'no device of this machine has {what}', result.stderr)
            found = json.loads(run('list', what, '--json').stdout)[what]
            self.assertGreater(len({row['for'] for row in found}), 20)
        table = self.table()
        result = run('list', 'sets', table)
        self.assertEqual((result.returncode, result.stdout), (0, ''))
        self.assertIn('both.csv has sets', result.stderr)

    def test_metrics_behind_what_recorded_them(self):
        """stat -i knows a metric behind the source or catalog of its device as report does."""
        table, capture = self.table(), self.path('both.sxc')
        run('import', table, '-o', capture)
        ids = [(d['source'], d['catalog']) for d in json.loads(run('report', capture, '--json').stdout)['devices']]
        for name in [f'{ids[1][1]}.cpu_busy', f'{ids[1][0]}#1.cpu_busy', f'{ids[0][1]}#0.frame_time']:
            told = [run(*verb, capture, '-m', name, '--csv') for verb in (['report'], ['stat', '-i'])]
            self.assertEqual([t.returncode for t in told], [0, 0], [t.stderr for t in told])
            self.assertEqual(*([r['name'] for r in csv_rows(t.stdout)] for t in told))
        self.assertEqual(run('stat', '-i', capture, '-m', f'{ids[1][1]}#0.cpu_busy').returncode, 3)

    def test_keys_that_are_near(self):
        """--by with a part of a name leads to what the file has of it."""
        path = self.path('scenes.csv')
        with open(path, 'w', encoding='utf-8') as file:
            file.write('scene,frame_time,gpu_time\nrain,10,8\nsun,12,9\n')
        for key, near in (('scen', 'scene'), ('scenes', 'scene'), ('sceen', 'scene'), ('proces', 'process'), ('fram', 'frame')):
            result = run('report', path, '--for', 'opengl', '--by', key)
            self.assertEqual((result.returncode, result.stderr.splitlines()[-1]), (2, f'try: --by {near}'), key)

    def test_numbers_of_devices(self):
        """stat -i takes what report takes, and numbers its devices as that does."""
        table, capture = self.table(), self.path('both.sxc')
        run('import', table, '-o', capture)
        for file in (capture, table):
            for device, ids in (([], [0, 1]), (['-d', '1'], [1]), (['-d', 'cpu'], [1]), (['-d', '0'], [0])):
                for command in (['report', file], ['stat', '-i', file]):
                    document = json.loads(run(*command, *device, '--json').stdout)
                    self.assertEqual([d['id'] for d in document['devices']], ids, command)
                    self.assertEqual(sorted({m['device'] for m in document['metrics']}), ids, command)
                    rows = csv_rows(run(*command, *device, '--csv').stdout)
                    self.assertEqual(sorted({int(r['device']) for r in rows}), ids, command)
        # A file whose devices stand in another order than they are shown in: ids all the same, and places where none is left out.
        swapped = self.path('swapped.csv')
        with open(table, encoding='utf-8') as file:
            lines = file.read().splitlines()
        with open(swapped, 'w', encoding='utf-8') as file:
            file.write('\n'.join([lines[0], '0' + lines[2][1:], '1' + lines[1][1:]]) + '\n')
        for command in (['report', swapped], ['stat', '-i', swapped], ['diff', swapped, swapped]):
            document = json.loads(run(*command, '--json').stdout)
            devices = document.get('devices') or document['a']['devices']
            self.assertEqual([(d['id'], d['catalog']) for d in devices], [(0, 'cpu'), (1, 'opengl')])
            self.assertEqual({devices[m['device']]['catalog'] for m in document['metrics'] if m['name'] == 'frame_time'}, {'opengl'})
        page = self.path('swapped.html')
        run('report', swapped, '-o', page)
        with open(page, encoding='utf-8') as file:
            shown = Page(file.read()).report['of_devices']
        self.assertEqual([(d['id'], {row['device'] for row in d['rows']}) for d in shown], [(1, {1}), (0, {0})])
        live = json.loads(run('stat', '-d', 'cpu', '-t', '50ms', '--json').stdout)
        self.assertEqual([d['id'] for d in live['devices']], [0])
        result = run('stat', capture)
        self.assertEqual((result.returncode, result.stderr.splitlines()[-1]), (2, 'try: sextant stat -i ' + capture))


class Reasons(Answers):
    def test_reasons_of_some_samples(self):
        """Where several things are in the way, each says in how many samples it was."""
        turns = 'Sextant measured other samples instead; a longer run measures more'
        undefined = 'the formula divides by zero, or its difference is below zero'
        for kinds, why in (([''] * 6, undefined), (['skipped'] * 4 + [''] * 2, f'in 4 of 6 samples: {turns}; in 2: {undefined}')):
            lines = ['begin_ns,end_ns,frame,quality,FrameTime,IAVertices,IAPrimitives']
            lines += [f'{i}0,{i + 1}0,{i},{kind},10' + (',,' if kind else ',0,0') for i, kind in enumerate(kinds)]
            rows = self.metrics(run('report', self.path('some.csv', '\n'.join(lines) + '\n'), '--for', 'opengl', '-m', 'vertices_per_primitive', '--json'))
            self.assertEqual(rows['vertices_per_primitive']['why'], why)


class OfTables(Answers):
    def test_constants_come_out_again(self):
        table = self.path('constants.csv', 'MaliGPUCyclesGPUActive,duration_ns,gpu_max_clock_hz\n1000,1000000,850000000\n2000,1000000,850000000\n')
        for form, read in (('json', lambda text: [dict(zip(d['metrics'], row)) for d in [json.loads(text)] for row in d['rows']]),
                           ('ndjson', lambda text: [json.loads(line) for line in text.splitlines()]), ('csv', csv_rows)):
            out = self.path('again.' + form)
            self.assertEqual(run('eval', '--for', 'mali-g310', table, '-m', 'gpu_active_cycles', '-o', out).returncode, 0)
            with open(out, encoding='utf-8') as file:
                rows = read(file.read())
            self.assertEqual([float(row['gpu_max_clock_hz']) for row in rows], [850000000.0] * 2, form)
            again = json.loads(run('eval', '--for', 'mali-g310', out, '-m', 'gpu_active_cycles', '--json').stdout)
            values = [dict(again.get('constants', {}), **dict(zip(again['metrics'], row))) for row in again['rows']]
            self.assertEqual([(v['gpu_active_cycles'], v['gpu_max_clock_hz']) for v in values], [(1000, 850000000), (2000, 850000000)], form)

    def test_empty_columns_are_told(self):
        """Counters that an export names and never tells: left out, with a word; others need none."""
        table = self.path('empty.csv', 'begin_ns,end_ns,frame,quality,FrameTime,IAVertices,PSInvocations\n0,10,1,,10,,\n10,20,2,,20,,\n')
        for verb in ('eval', 'export'):
            self.assertIn('note: 2 columns of no value left out: IAVertices is the first', run(verb, table, '--counters', '--csv').stderr, verb)
        whole = self.path('whole.csv', 'begin_ns,end_ns,frame,quality,FrameTime,IAVertices\n0,10,1,,10,\n10,20,2,,20,5\n')
        self.assertNotIn('left out', run('export', whole, '--counters', '--csv').stderr)

    def test_modelled_tables(self):
        """What a table says of itself, that it is simulated, stands in each document, also with --for."""
        table = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'examples', 'data', 'counters.csv')
        for device in ([], ['--for', 'mali-g625']):
            for verb in ('eval', 'advise', 'report', 'export', 'explain'):
                if verb == 'export' and device:
                    continue
                args = [verb, 'gpu_active_cycles', '-i', table] if verb == 'explain' else [verb, table]
                self.assertIs(json.loads(run(*args, *device, '--json').stdout).get('simulated'), True, (args, device))
                if verb != 'export':
                    self.assertIn('SIMULATED', run(*args, *device).stdout, (args, device))


class Groupings(Answers):
    def table(self):
        rows = ['0,0,10,0,,10000000,9000000,100,,,', '0,10,20,1,,20000000,9000000,50,,,', '0,20,30,2,,5000000,9000000,200,,,', '1,0,30,,,,,,5,5,2']
        return self.path('by.csv', '\n'.join(['device,begin_ns,end_ns,frame,quality,FrameTime,D3DGPUTime,frames_per_second,UserTime,IdleTime,cpus', *rows]) + '\n')

    def test_worst_first(self):
        """--sort has the worst first, whichever way that is, and + and - say which end is wanted."""
        for sort, frames in (('frame_time', '102'), ('+frame_time', '201'), ('-frame_time', '102'),
                             ('frames_per_second', '102'), ('+frames_per_second', '102'), ('-frames_per_second', '201')):
            result = run('report', self.table(), '-d', '0', '--by', 'frame', '--sort', sort, '--csv')
            self.assertEqual(''.join(r['frame'] for r in csv_rows(result.stdout)), frames, sort + result.stderr)
        result = run('report', self.table(), '--by', 'frame', '--sort', '+frame_tome')
        self.assertEqual((result.returncode, 'frame_tome in catalog opengl' in result.stderr), (3, True))

    def test_named_and_left_out(self):
        """What was named and has no row of that kind is said to be missing."""
        named = run('report', self.table(), '--by', 'frame', '-m', 'frame_time,cpus_used')
        self.assertEqual(named.returncode, 1)
        self.assertIn('note: cpus_used left out: no sample of cpu has a frame; --join shows', named.stderr)
        self.assertEqual(run('report', self.table(), '--by', 'frame').returncode, 0)
        one = self.path('frames.csv', 'begin_ns,end_ns,frame,quality,FrameTime\n0,10,0,,10\n')
        none = run('report', one, '--for', 'opengl', '--by', 'frame', '-m', 'cpu.busy,frame_time')
        self.assertEqual(none.returncode, 1)
        self.assertIn('cpu.busy: no data: the device or driver has no such counter (catalog opengl)', none.stdout)

    def test_groups_of_whole_frames(self):
        """Frames that were recorded without groups are shown whole, and that is said; slices of time have none."""
        path = self.table()
        frames = self.metrics(run('report', path, '-d', '0', '-m', 'FrameTime,frame_time', '--json'))
        result = run('report', path, '--by', 'group', '-m', 'FrameTime,frame_time', '--json')
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn('recorded with a group: they are shown whole', ' '.join(result.stderr.split()))
        self.assertIn('--per group', result.stderr)
        device, = json.loads(result.stdout)['devices']
        group, = device['groups']
        self.assertEqual((device['for'], device['by'], group['key'], group['rows']), ('opengl', 'group', '(whole frames)', 3))
        for name, value in group['values'].items():
            self.assertAlmostEqual(value, frames[name]['total'], delta=abs(frames[name]['total']) * 1e-9, msg=name)
        self.assertEqual(run('report', path, '-d', '1', '--by', 'group').returncode, 3)


class Cost(Answers):
    def test_cost_of_nothing(self):
        """What measuring took is said where it took something."""
        for extra, told in ((-20000, None), (600000, '1.30 times the CPU time, measuring cost 9.09 % of it')):
            lines = ['begin_ns,end_ns,frame,quality,Frames,FrameTime,IAVertices,CPUTime']
            for i in range(300):
                on = i // 10 % 3 == 0
                lines.append(f'{i}0000000,{i + 1}0000000,{i},{"" if on else "skipped"},1,10000000,{500 + i if on else ""},'
                             f'{2000000 + i * 7919 % 1000 + (extra if on else 0)}')
            text = ' '.join(run('report', self.path('turns.csv', '\n'.join(lines) + '\n')).stdout.split())
            self.assertIn('100 of 300 samples were counted, totals are scaled', text)
            if told:
                self.assertIn(told, text)
            else:
                self.assertNotIn('CPU time', text.split('total')[0])


class Counts(Answers):
    """One of a thing has no plural, and more have one."""

    def test_one_and_several(self):
        one = self.path('one.csv', 'frame,FrameTime,D3DGPUTime\n1,20000000,19500000\n')
        two = self.path('two.csv', 'frame,FrameTime,D3DGPUTime\n1,20000000,19500000\n2,20000000,19500000\n')
        catalog = self.path('own.yaml', 'sextant-catalog: 1\nname: one-thing\ntitle: One thing\nvendor: Nobody\nkind: gpu\n')
        outputs = []
        for table, name in ((one, 'one.sxc'), (two, 'two.sxc')):
            capture = self.path(name)
            cut = self.path('cut-' + name)
            for args in (('import', table, '--for', 'opengl', '-o', capture), ('capture', 'info', capture), ('capture', 'check', capture),
                         ('capture', 'cut', capture, '--to', '1s', '-o', cut), ('report', capture), ('advise', capture), ('eval', capture),
                         ('report', capture, '--by', 'frame', '--top', '1'), ('report', capture, '--by', 'frame', '--top', '1', '-m', 'frame_time')):
                done = run(*args)
                outputs.append((args, done.stdout + done.stderr))
        for args in (('catalog', 'lint', catalog), ('catalog', 'show', catalog), ('plan', '--for', 'amd-gcn3', '-m', 'VSBusy'),
                     ('list', 'sets', '--for', 'tglgt2')):
            done = run(*args)
            outputs.append((args, done.stdout + done.stderr))
        for args, text in outputs:
            for word in ('row', 'sample', 'chunk', 'metric', 'record', 'byte', 'pass', 'counter', 'finding', 'catalog', 'rule', 'frame', 'group'):
                self.assertNotRegex(text, rf'(?<![\d.,_])1 (more )?{word}e?s\b(?! of )', args)
                self.assertNotRegex(text, rf'(?<![\d.,_])(?!1 )\d+ (more )?{word}\b(?! [a-z]*s\b)', args)
        self.assertIn('1 row in 1 chunk', outputs[1][1])


class Pager(Answers):
    """A long text goes through a pager on a terminal, and nowhere else."""

    def on_terminal(self, *args, **env):
        master, slave = pty.openpty()
        plain = {k: v for k, v in os.environ.items() if k not in ('PAGER', 'SEXTANT_PAGER', 'LESS')}
        with subprocess.Popen([SEXTANT, *args], stdin=subprocess.DEVNULL, stdout=slave, stderr=subprocess.PIPE,
                              env={**plain, 'XDG_CONFIG_HOME': '/nonexistent', 'TERM': 'xterm', **env}) as child:
            os.close(slave)
            text = read_terminal(master)
            self.told = child.stderr.read()
            status = child.wait(60)
        os.close(master)
        return text.decode().replace('\r\n', '\n'), status

    def test_no_pager_of_nothing(self):
        """An error is not covered by a pager that has nothing to show."""
        mark = self.path('ran')
        pager = f"touch '{mark}'; sed 's/^/> /'"
        self.on_terminal('report', self.path('nosuch.sxc'), SEXTANT_PAGER=pager)
        self.assertIn(b'error: ', self.told)
        self.assertFalse(os.path.exists(mark))
        text, status = self.on_terminal('list', 'metrics', '--for', 'opengl', SEXTANT_PAGER=pager)
        self.assertEqual(status, 0)
        self.assertTrue(os.path.exists(mark))
        self.assertEqual([line[:2] for line in text.splitlines()], ['> '] * len(text.splitlines()))
        self.assertGreater(len(text.splitlines()), 20)

    def test_pager(self):
        lines = ('list', 'metrics', '--for', 'mali-g310')
        for env in ({'SEXTANT_PAGER': "sed 's/^/> /'"}, {'PAGER': "sed 's/^/> /'"}, {'SEXTANT_PAGER': "sed 's/^/> /'", 'PAGER': 'false'}):
            text, status = self.on_terminal(*lines, **env)
            self.assertEqual(status, 0)
            self.assertGreater(len(text.splitlines()), 80)
            self.assertTrue(all(line.startswith('> ') for line in text.splitlines()), env)
        for env in ({'SEXTANT_PAGER': 'cat'}, {'SEXTANT_PAGER': ''}, {'PAGER': 'sed d', 'TERM': 'dumb'}):
            text, status = self.on_terminal(*lines, **env)
            self.assertEqual(status, 0)
            self.assertGreater(len(text.splitlines()), 80, env)
        # One that leaves early, and results that are for programs or files.
        for catalog in ('mali-g310', 'intel-mtlgt3'):  # less and more than a pipe holds
            text, status = self.on_terminal('list', 'metrics', '--for', catalog, SEXTANT_PAGER='head -n 2')
            self.assertEqual((len(text.splitlines()), status, self.told), (2, 0, b''))
        # One that is not there costs no line; where only the shell finds that out, it is no success.
        for env in ({'PAGER': 'no-such-pager'}, {'SEXTANT_PAGER': '/nonexistent/pager -x'}):
            text, status = self.on_terminal(*lines, **env)
            self.assertEqual((status, self.told), (0, f'note: the pager {[*env.values()][0]} is not there\n'.encode()), env)
            self.assertGreater(len(text.splitlines()), 80, env)
        text, status = self.on_terminal(*lines, SEXTANT_PAGER='LESS=R no-such-pager')
        self.assertEqual(status, 1)
        self.assertIn(b'error: the pager did not run', self.told)
        text, _ = self.on_terminal(*lines, '--json', SEXTANT_PAGER='sed d')
        self.assertEqual(json.loads(text)['for'], 'mali-g310')
        out = self.path('out.txt')
        self.assertEqual(self.on_terminal(*lines, '-o', out, SEXTANT_PAGER='sed d'), ('', 0))
        self.assertGreater(os.path.getsize(out), 1000)
        piped = run(*lines, env={'SEXTANT_PAGER': 'sed d', 'TERM': 'xterm'})
        self.assertGreater(len(piped.stdout.splitlines()), 80)


class Endings(Answers):
    def test_delay_longer_than_the_program(self):
        """What is missing is what --delay left out, not a program that does not draw."""
        for devices in ([], ['-d', 'cpu']):
            result = run('stat', *devices, '--delay', '20s', '--', 'sleep', '0.05')
            self.assertEqual(result.returncode, 1)
            lines = result.stderr.splitlines()[-3:]
            self.assertEqual(lines[0], 'error: the program ended before --delay was over')
            self.assertRegex(lines[1], r'^because: it ran for .*s, and the first 20\.0 s are left out$')
            self.assertIn('shorter --delay', lines[2])
            self.assertNotIn('OpenGL context', result.stderr + result.stdout)
        result = run('stat', '-d', 'cpu', '--delay', '50ms', '--json', '-I', '10ms', '--', 'sleep', '0.4')
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_limits_that_end_the_program(self):
        """--duration and --count end a program that would go on: told in text, JSON and captures."""
        for limit, args in (('duration', ['-t', '100ms']), ('count', ['-n', '3', '-I', '20ms'])):
            text = run('stat', '-d', 'cpu', *args, '--', 'sleep', '60')
            self.assertEqual(text.returncode, 143)
            self.assertIn(f'ended by --{limit} with signal 15 (Terminated)', ' '.join(text.stdout.split()))
            document = json.loads(run('stat', '-d', 'cpu', *args, '--json', '--', 'sleep', '60').stdout)
            self.assertEqual((document['exit'], document['signal'], document['ended_by']), (143, 15, limit))
            capture = self.path(limit + '.sxc')
            told = run('record', '-d', 'cpu', *args, '-o', capture, '--', 'sleep', '60')
            self.assertIn(f'--{limit} ended the program, with signal 15', told.stderr)
            document = json.loads(run('report', '--json', capture).stdout)
            self.assertEqual((document['exit'], document['signal'], document['ended_by']), (143, 15, limit))

    def test_report_tells_how_the_program_ended(self):
        for script, text, status, signal in (('exit 0', 'exit status 0', 0, None), ('exit 3', 'exit status 3', 3, None),
                                             ('kill -SEGV $$', 'ended by signal 11 (Segmentation fault)', 139, 11)):
            capture = self.path('end.sxc')
            self.assertEqual(run('record', '-q', '-d', 'cpu', '-I', '20ms', '-o', capture, '--', 'sh', '-c', 'sleep 0.1; ' + script).returncode, status)
            self.assertIn(text, run('report', capture).stdout)
            document = json.loads(run('report', capture, '--json').stdout)
            self.assertEqual((document['exit'], document['signal'], document['ended_by']), (status, signal, None))
            cut = self.path('cut.sxc')
            self.assertEqual(run('capture', 'cut', capture, '--to', '50ms', '-o', cut).returncode, 0)
            self.assertEqual(run('stat', '-i', capture).returncode, 0)  # a replay's own status
        without = self.path('none.sxc')
        run('record', '-q', '-d', 'cpu', '-I', '20ms', '-t', '60ms', '-o', without)
        self.assertIsNone(json.loads(run('report', without, '--json').stdout)['exit'])
        self.assertNotIn('exit status', run('report', without).stdout)


if __name__ == '__main__':
    unittest.main(verbosity=2)
