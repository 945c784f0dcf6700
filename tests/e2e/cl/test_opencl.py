#!/usr/bin/env python3
"""OpenCL programs through the command, on pocl: a known program's commands, exact, and what it sees of itself. Arguments: sextant, known, nomem."""
import collections
import decimal
import ctypes.util
import json
import os
import re
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from command import FolderTest, csv_rows, go_first  # noqa: E402

SEXTANT, KNOWN, NOMEM = sys.argv.pop(1), sys.argv.pop(1), sys.argv.pop(1)
# What each queue of the program does: name, kernels, work items, work groups (None: the driver's choice), bytes read, written, copied.
COMMANDS = [
    ('clEnqueueWriteBuffer', 0, 0, 0, 0, 4096, 0), ('twice', 1, 1024, 16, 0, 0, 0), ('add', 1, 1024, None, 0, 0, 0), ('add', 1, 512, 1, 0, 0, 0),
    ('clEnqueueCopyBuffer', 0, 0, 0, 0, 0, 512), ('clEnqueueFillBuffer', 0, 0, 0, 0, 0, 256), ('clEnqueueReadBufferRect', 0, 0, 0, 128, 0, 0),
    ('clEnqueueMapBuffer', 0, 0, 0, 1024, 0, 0), ('clEnqueueUnmapMemObject', 0, 0, 0, 0, 1024, 0), ('clEnqueueReadBuffer', 0, 0, 0, 4096, 0, 0)]
COLUMNS = ('KernelLaunches', 'WorkItems', 'WorkGroups', 'ReadBytes', 'WriteBytes', 'CopyBytes')


# Leaves a child behind, which executes the program only when it is gone.
LAUNCHER = """import os, sys, time
if os.fork() == 0:
    os.setsid()
    time.sleep(0.3)
    os.execv(sys.argv[1], sys.argv[1:])
os._exit(3)"""


def in_ns(row):
    """Times, which are in seconds with all their digits, in ns as the driver told them."""
    seconds = {name for name in row if name.endswith(' (s)')}
    return {name.removesuffix(' (s)'): str(int(decimal.Decimal(value) * 10**9)) if name in seconds and value else value
            for name, value in row.items()}


def run(*args, **options):
    return subprocess.run(args, capture_output=True, text=True, timeout=200, check=False, **options)


def said_of(result):
    """What a run said on its standard error, but for what it cost, which is another test's and depends on the load."""
    return re.sub(r'note: measuring took at least [^\n]*\n', '', result.stderr)


def children_of(parent):
    """Its children that are the known program."""
    for pid in filter(str.isdigit, os.listdir('/proc')):
        try:
            with open(f'/proc/{pid}/stat', encoding='utf-8') as file:
                name, rest = file.read().split('(', 1)[1].rsplit(')', 1)
        except OSError:
            continue
        if int(rest.split()[1]) == parent and name == 'cl-known':
            yield int(pid)


def number(text):
    return int(text) if text else None


class OpenCL(FolderTest):
    def setUp(self):
        super().setUp()
        self.path = os.path.join(self.folder.name, 'out.sxc')

    def record(self, *args):
        """All commands are timed."""
        result = run(SEXTANT, 'record', '--overhead', '0', '-d', 'opencl', '-o', self.path, '--', KNOWN, *args)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def rows(self):
        """Rows of each queue, in the order of the capture; queues as the program made them, which is how contexts are numbered."""
        result = run(SEXTANT, 'export', self.path, '--counters', '--csv')
        self.assertIn(result.returncode, (0, 1), result.stderr)
        queues = collections.defaultdict(list)
        for row in map(in_ns, csv_rows(result.stdout)):
            queues[int(row['context'])].append(row)
        return [rows for _, rows in sorted(queues.items())]

    def test_known_commands(self):
        self.record()
        queues = self.rows()
        self.assertEqual(len(queues), 4)
        last = 0
        for rows in queues:
            have = [(row['group'], *(number(row[name]) for name in COLUMNS)) for row in rows]
            self.assertEqual(have, COMMANDS)
            for row in rows:
                times = [int(row[name]) for name in ('Queued', 'Submitted', 'Started', 'Ended')]
                self.assertEqual(times, sorted(times))
                length = times[3] - times[2]
                self.assertEqual(int(row['end_ns']) - int(row['begin_ns']), length)
                kind = {'KernelTime': row['KernelLaunches'], 'ReadTime': row['Reads'], 'WriteTime': row['Writes'], 'CopyTime': row['Copies']}
                self.assertEqual([int(row[name]) for name in kind], [length * int(count) for count in kind.values()])
                self.assertEqual(sum(int(count) for count in kind.values()), 1)
                self.assertLessEqual(int(row['BusyTime']), int(row['SpanTime']))
                self.assertLessEqual(int(row['SpanTime']), int(row['HostTime']))
                self.assertEqual(row['CPUTime'], '')
                self.assertRegex(row['process'], r'^cl-known \(\d+\)$')
                self.assertGreaterEqual(int(row['Queued']), last)  # the queue is in order, and one came after the other
                last = int(row['Queued'])
        # Samples and the time before each add up to the run.
        ends = [int(row['end_ns']) for rows in queues for row in rows]
        begin = min(int(row['begin_ns']) - int(row['Started']) + int(row['Queued']) for row in queues[0][:1])
        whole = sum(int(row['HostTime']) for rows in queues for row in rows)
        self.assertAlmostEqual(whole, max(ends) - begin, delta=0.2 * whole + 5e6)

    def test_the_program_sees_itself(self):
        """Properties, references, times and errors as without us; references that pocl itself leaves to chance differ from run to run."""
        alone, measured = set(), set()
        for _ in range(15):
            alone.add(run(KNOWN).stdout)
            measured.add(self.record().stdout)
            if alone & measured:
                break
        plain = {re.sub(r'(event|events|references|context) [\d ]+', r'\1', text) for text in alone | measured}
        self.assertEqual(len(plain), 1, plain)
        self.assertIn('times -7 -7', plain.pop())  # CL_PROFILING_INFO_NOT_AVAILABLE: the program did not ask
        self.assertTrue(alone & measured, (alone, measured))

    def test_threads(self):
        self.record('threads')
        queues = self.rows()
        self.assertEqual([len(rows) for rows in queues], [200] * 4)
        for rows in queues:
            self.assertEqual({(row['group'], row['WorkItems'], row['KernelLaunches']) for row in rows}, {('twice', '1024', '1')})
            queued = [int(row['Queued']) for row in rows]
            self.assertEqual(queued, sorted(queued))

    def test_per_kernel_and_totals(self):
        result = run(SEXTANT, 'stat', '--per', 'kernel', '-d', 'opencl', '-m', 'KernelLaunches,WorkItems,ReadBytes,WriteBytes,CopyBytes', '--json', '-o',
                     os.path.join(self.folder.name, 'out.json'), '--', KNOWN)
        self.assertEqual(result.returncode, 0, result.stderr)
        with open(os.path.join(self.folder.name, 'out.json'), encoding='utf-8') as file:
            document = json.load(file)
        totals = {m['name']: m['total'] for m in document['metrics']}
        self.assertEqual(totals, {'KernelLaunches': 12, 'WorkItems': 4 * 2560, 'ReadBytes': 4 * 5248, 'WriteBytes': 4 * 5120, 'CopyBytes': 4 * 768})
        self.assertEqual(document['samples'], {'kind': 'kernel', 'count': 40})
        # pocl's CPU: 'pthread-skylake', from version 5 on 'cpu-skylake'.
        self.assertRegex(document['devices'][0]['name'], '^(pthread|cpu)')
        text = run(SEXTANT, 'stat', '-d', 'opencl', '-m', 'KernelLaunches', '--', KNOWN).stdout
        self.assertIn('\n40 commands in ', text)  # 12 of them kernels
        by = run(SEXTANT, 'stat', '--per', 'frame', '-d', 'opencl', '--', KNOWN)
        self.assertNotEqual(by.returncode, 0)

    def totals(self, *args, code=0, overhead='5'):
        """Kernels that were counted, commands that were lost, and all that was said, of a run whose end is good; code: 1 where some were lost."""
        out = os.path.join(self.folder.name, 'out.json')
        result = run(SEXTANT, 'stat', '--overhead', overhead, '-d', 'opencl', '-m', 'KernelLaunches', '--json', '-o', out, '--', KNOWN, *args)
        self.assertEqual(result.returncode, code, result.stderr)
        with open(out, encoding='utf-8') as file:
            document = json.load(file)
        metric, lost = document['metrics'][0], document['devices'][0]['lost']
        count = round(metric['mean'] * metric['count'])
        self.assertAlmostEqual(metric['running'], count / (count + lost))  # a total that lacks some says so by itself,
        self.assertEqual(metric['total'], count if lost < count else None)  # and one that lacks most is absent
        return count, lost, said_of(result)

    def test_deep_queue(self):
        """More commands wait than a ring has records: all are counted, however late they are read."""
        self.assertEqual(self.totals('deep'), (20000, 0, ''))

    def test_queues_one_after_the_other(self):
        """A queue that is gone leaves its stream to another, also where its kernels end after it."""
        self.assertEqual(self.totals('queues'), (300, 0, ''))
        self.assertEqual(self.totals('released'), (100, 0, ''))

    def test_what_never_ran_is_not_lost(self):
        self.assertEqual(self.totals('never'), (1, 0, ''))

    def test_kernels_that_the_program_leaves_behind(self):
        """They are lost, and that is told; what ended before is there."""
        self.assertEqual(self.totals('left', code=1)[:2], (3, 5))

    def test_more_queues_than_numbers(self):
        """What a queue that is gone was numbered is another's number then: none goes uncounted."""
        self.assertEqual(self.totals('crowd'), (5000, 0, ''))

    def test_more_queues_at_once_than_streams(self):
        """Not only the queues are told that there was no room for, but also that what they did is missing."""
        for overhead in ('0', '5'):
            count, lost, said = self.totals('held', code=1, overhead=overhead)
            self.assertEqual((count, lost), (64, 6))
            self.assertIn('6 contexts for which there was no room', said)

    def test_command_buffers(self):
        """Each command of one is counted whenever it is put into a queue, by its name; that it has no time is told, and is not 0."""
        out = os.path.join(self.folder.name, 'out.json')
        names = 'KernelLaunches,WorkItems,WorkGroups,Copies,CopyBytes,KernelTime,BusyTime'
        result = run(SEXTANT, 'stat', '--overhead', '0', '-d', 'opencl', '-m', names, '--json', '-o', out, '--', KNOWN, 'batch')
        if result.returncode == 77:
            self.skipTest('this driver has no command buffers')
        self.assertEqual((result.returncode, said_of(result)), (0, ''))
        with open(out, encoding='utf-8') as file:
            document = json.load(file)
        # The one command that has a time says nothing of how busy the device was with the others.
        self.assertNotIn('gpu', {e['name'] for part in document['verdict']['parts'] for e in part['evidence']})
        metrics = {m['name']: m for m in document['metrics']}
        self.assertEqual({name: metrics[name]['total'] for name in names.split(',')[:5]},
                         {'KernelLaunches': 11, 'WorkItems': 11 * 1024, 'WorkGroups': 10 * 16, 'Copies': 5,
                          'CopyBytes': 5 * 4096})
        for name in 'KernelTime', 'BusyTime':
            self.assertAlmostEqual(metrics[name]['running'], 1 / 16)
            # One command of sixteen has a time: that is no total of theirs.
            self.assertIsNone(metrics[name]['total'])
            self.assertGreater(metrics[name]['mean'], 0)
            self.assertTrue(metrics[name]['why'])
        self.record('batch')
        rows, = self.rows()
        self.assertEqual([row['group'] for row in rows], 5 * ['clCommandFillBufferKHR', 'twice', 'twice'] + ['twice'])
        self.assertEqual([bool(row['KernelTime']) for row in rows], 15 * [False] + [True])

    def test_many_mappings(self):
        """Bytes of every one that was written to, however many there are at a time."""
        out = os.path.join(self.folder.name, 'out.json')
        result = run(SEXTANT, 'stat', '-d', 'opencl', '-m', 'WriteBytes,Writes', '--json', '-o', out, '--', KNOWN, 'maps')
        self.assertEqual(result.returncode, 0, result.stderr)
        with open(out, encoding='utf-8') as file:
            self.assertEqual({m['name']: m['total'] for m in json.load(file)['metrics']}, {'WriteBytes': 64000, 'Writes': 1000})

    def test_overhead(self):
        """Kernels that are shorter than their measurement: all are counted, some are timed, and the result says so."""
        document = {}
        for overhead in ('1', '0'):
            out = os.path.join(self.folder.name, 'out.json')
            result = run(SEXTANT, 'stat', '--overhead', overhead, '-d', 'opencl', '-m', 'KernelLaunches,WorkItems,KernelTime,BusyTime', '--json', '-o', out,
                         '--', KNOWN, 'deep')
            self.assertEqual(result.returncode, 0, result.stderr)
            with open(out, encoding='utf-8') as file:
                document[overhead] = json.load(file)
            self.assertEqual(document[overhead]['samples'], {'kind': 'kernel', 'count': 20000})
        paced, whole = ({m['name']: m for m in document[overhead]['metrics']} for overhead in ('1', '0'))
        for metrics in paced, whole:
            self.assertEqual((metrics['KernelLaunches']['total'], metrics['WorkItems']['total']), (20000, 20000 * 1024))
            self.assertEqual((metrics['KernelLaunches']['running'], metrics['WorkItems']['running']), (1, 1))
        for name in ('KernelTime', 'BusyTime'):
            self.assertEqual(whole[name]['running'], 1)
            self.assertTrue(0 < paced[name]['running'] < 0.9, paced[name])
            self.assertGreater(paced[name]['total'], 0)
        text = run(SEXTANT, 'stat', '--overhead', '1', '-d', 'opencl', '-m', 'KernelLaunches,KernelTime', '--', KNOWN, 'deep').stdout
        self.assertRegex(text, r'\n20000 commands in .*\n.*of 20000 samples were counted, totals are scaled\n')

    def test_what_no_share_bounds_is_told(self):
        """Commands as short as counting them: the run says what that took, beyond what was asked for; a share that bounds it is silent."""
        out = os.path.join(self.folder.name, 'out.json')
        for overhead, told in (('1', True), ('95', False)):
            for _ in range(5):  # on a busy machine so many may be lost, and the note, which comes behind them
                result = run(SEXTANT, 'stat', '--overhead', overhead, '-d', 'opencl', '-m', 'KernelLaunches', '--json', '-o', out,
                             '--', KNOWN, 'empty', preexec_fn=go_first)
                self.assertIn(result.returncode, (0, 1), result.stderr)
                if result.returncode == 0:
                    break
            with open(out, encoding='utf-8') as file:
                note = '\n'.join(json.load(file)['devices'][0]['notes'])
            found = re.search(r"measuring took at least (\d+) % of the program's CPU time, more than the 1 % of --overhead", note)
            self.assertEqual(bool(found), told, note)
            if found:
                self.assertTrue(1 < int(found[1]) < 60, note)
                self.assertIn(found[0], result.stderr)

    def test_order_and_names_without_times(self):
        """Commands that are not timed keep their place among the others, their names and sizes."""
        result = run(SEXTANT, 'record', '--overhead', '0.1', '-d', 'opencl', '-o', self.path, '--', KNOWN, 'deep')
        self.assertEqual(result.returncode, 0, result.stderr)
        rows, = self.rows()
        self.assertEqual({(row['group'], row['KernelLaunches'], row['WorkItems'], row['Reads']) for row in rows}, {('twice', '1', '1024', '0')})
        timed = [i for i, row in enumerate(rows) if row['KernelTime']]
        self.assertTrue(0 < len(timed) < 18000, len(timed))
        for row in rows:
            self.assertEqual(bool(row['KernelTime']), bool(row['Queued']))
            self.assertLessEqual(int(row['begin_ns']), int(row['end_ns']))

    def test_what_a_launcher_left(self):
        """The program begins when the one that was started has ended, and is measured to its end."""
        out = os.path.join(self.folder.name, 'out.json')
        result = run(SEXTANT, 'stat', '-d', 'opencl', '-m', 'KernelLaunches', '--json', '-o', out, '--', sys.executable, '-c', LAUNCHER, KNOWN, 'queues')
        self.assertEqual((result.returncode, said_of(result)), (3, ''))
        with open(out, encoding='utf-8') as file:
            self.assertEqual(json.load(file)['metrics'][0]['total'], 300)

    def test_by_name(self):
        self.record()
        result = run(SEXTANT, 'report', self.path, '--by', 'group', '-m', 'KernelLaunches', '--json')
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn('"twice"', result.stdout)

    def test_trace(self):
        """In a Perfetto trace commands are events of a queue, with their names."""
        self.record()
        out = os.path.join(self.folder.name, 'out.pftrace')
        self.assertEqual(run(SEXTANT, 'export', self.path, '-o', out).returncode, 0)
        sys.argv[1:1] = [SEXTANT, '']
        import test_perfetto
        with open(out, 'rb') as file:
            trace = test_perfetto.Trace(file.read())
        have = sorted((time, event['duration'][0], event['name'][0]) for time, event in trace.stages)
        want = sorted((int(row['begin_ns']), int(row['end_ns']) - int(row['begin_ns']), row['group']) for rows in self.rows() for row in rows)
        self.assertEqual(have, want)

    def test_killed(self):
        """What was published before a kill -9 is there."""
        with subprocess.Popen([SEXTANT, 'record', '-d', 'opencl', '-o', self.path, '--', KNOWN, 'kill'], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as recorder:
            self.assertEqual(recorder.stdout.readline(), 'running\n')
            child, = children_of(recorder.pid)
            os.kill(child, signal.SIGKILL)
            recorder.communicate(timeout=60)
            self.assertEqual(recorder.returncode, 128 + signal.SIGKILL)
        rows, = self.rows()
        self.assertGreaterEqual(len(rows), 20)
        self.assertEqual({row['group'] for row in rows}, {'twice'})

    def test_no_memory(self):
        """The layer finds none: the program does not notice, and that nothing was measured is told."""
        result = run(SEXTANT, 'record', '-d', 'opencl', '-o', self.path, '--', 'env', f'LD_PRELOAD={NOMEM}', KNOWN)
        self.assertIn('plain: times -7 -7', result.stdout)
        self.assertIn('context', result.stdout)
        self.assertIn('no OpenCL command queue was made', result.stderr)
        self.assertEqual(result.returncode, 1)

    def test_each_allocation_fails(self):
        """One after another: the program does not notice, and what is missing is told; what is there is right."""
        for at in range(1, 6):
            with self.subTest(at=at):
                result = run(SEXTANT, 'record', '-d', 'opencl', '-o', self.path, '--', 'env', f'LD_PRELOAD={NOMEM}', f'FAIL_AT={at}', KNOWN)
                self.assertIn('plain: times -7 -7', result.stdout)
                queues = self.rows()
                names = [command[0] for command in COMMANDS]
                for rows in queues:
                    have = [row['group'] for row in rows]
                    self.assertEqual([name for name in dict.fromkeys(names) if name in have], list(dict.fromkeys(have)))
                missing = 4 * len(names) - sum(map(len, queues))
                self.assertGreaterEqual(missing, 0)
                told = any(word in result.stderr for word in ('lost', 'no room', 'no OpenCL sample'))
                self.assertEqual(missing > 0, told, result.stderr)

    def test_each_allocation_fails_for_command_buffers(self):
        """Also where what was recorded finds no memory: kernels are all counted, or some are told as lost."""
        out = os.path.join(self.folder.name, 'out.json')
        for at in range(1, 8):
            with self.subTest(at=at):
                result = run(SEXTANT, 'stat', '--overhead', '0', '-d', 'opencl', '-m', 'KernelLaunches', '--json', '-o', out, '--', 'env',
                             f'LD_PRELOAD={NOMEM}', f'FAIL_AT={at}', KNOWN, 'batch')
                if result.returncode == 77:
                    self.skipTest('this driver has no command buffers')
                told = any(word in result.stderr for word in ('lost', 'no room', 'no OpenCL sample'))
                self.assertEqual(result.returncode != 0, told, result.stderr)
                if not told:
                    with open(out, encoding='utf-8') as file:
                        self.assertEqual(json.load(file)['metrics'][0]['total'], 11)

    def test_without_a_channel(self):
        """A layer that nobody listens to stands aside."""
        layer = os.path.join(os.path.dirname(SEXTANT), '..', 'layer', 'opencl', 'libsextant-opencl.so')
        self.assertTrue(os.path.exists(layer))
        for channel in ({}, {'SEXTANT_CHANNEL_OPENCL': '/nowhere'}):
            result = run(KNOWN, env={**os.environ, 'OPENCL_LAYERS': os.path.abspath(layer), **channel})
            self.assertEqual((result.returncode, said_of(result)), (0, ''))
            self.assertIn('plain: times -7 -7', result.stdout)


class LoaderWithoutLayers(OpenCL):
    """The same program, through a loader that does not know OPENCL_LAYERS: the real one with that word changed."""
    # What the layer does with commands does not depend on how it came between: once is enough.
    test_more_queues_than_numbers = test_overhead = test_order_and_names_without_times = None
    test_what_no_share_bounds_is_told = test_each_allocation_fails_for_command_buffers = None

    def setUp(self):
        super().setUp()
        loader = ctypes.util.find_library('OpenCL')
        places = [os.path.join(folder, loader or '') for folder in ('/usr/lib/x86_64-linux-gnu', '/usr/lib/aarch64-linux-gnu', '/usr/lib')]
        found = [place for place in places if loader and os.path.exists(place)]
        if not found:
            self.skipTest('no OpenCL loader here')
        with open(found[0], 'rb') as file:
            changed = file.read().replace(b'OPENCL_LAYERS', b'OPENCL_NOTHING'[:13])
        with open(os.path.join(self.folder.name, 'libOpenCL.so.1'), 'wb') as file:
            file.write(changed)
        old = os.environ.get('LD_LIBRARY_PATH')
        os.environ['LD_LIBRARY_PATH'] = self.folder.name + (':' + old if old else '')
        self.addCleanup(os.environ.update if old else os.environ.pop, *([{'LD_LIBRARY_PATH': old}] if old else ['LD_LIBRARY_PATH']))

    def test_opengl_keeps_its_library(self):
        """Both are loaded in front of the program when nobody named a device."""
        result = run(SEXTANT, 'stat', '--', 'sh', '-c', 'echo "$LD_PRELOAD"')
        self.assertRegex(result.stdout, r'libsextant-gl.*:.*libsextant-opencl')


if __name__ == '__main__':
    probe = run(KNOWN)
    if probe.returncode:
        print('no OpenCL device here:', probe.stderr)
        sys.exit(77)
    unittest.main()
