#!/usr/bin/env python3
"""What traces mean: levels and amounts, several GPUs, work at the same time. Written from field numbers. $SEXTANT is the binary."""
import json
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from import_files import field, packet
from command import Command, FolderTest

SEXTANT = os.environ['SEXTANT']
run = Command(SEXTANT)
START, MS = 5 * 10**9, 10**6
PERCENT, BYTE, NANOSECOND = 37, 7, 19


def spec(name, units=()):
    return field(1, field(1, field(1, 1) + field(2, name) + b''.join(field(7, u) for u in units)))


def sample(i, value, described=b'', gpu=0, sequence=1, offset=0, said=True):
    event = described + field(2, field(1, 1) + field(3, float(value))) + (field(3, gpu) if said else b'')
    return packet(field(8, START + i * 10 * MS + offset), field(10, sequence), field(52, event))


def counter(name, values, units=()):
    return b''.join(sample(i, v, spec(name, units) if i == 0 else b'') for i, v in enumerate(values))


class Traces(FolderTest):
    def write(self, data, name='t.pftrace'):
        path = os.path.join(self.folder.name, name)
        with open(path, 'wb') as out:
            out.write(data if isinstance(data, bytes) else data.encode())
        return path

    def report(self, data, name='t.pftrace'):
        result = run('report', '--json', self.write(data, name))
        self.assertIn(result.returncode, (0, 1), result.stderr)
        document = json.loads(result.stdout)
        return document, {(m['device'], m['name']): m for m in document['metrics'] if m['count']}, result

    def metric(self, data, name):
        found = [m for (_, n), m in self.report(data)[1].items() if n == name]
        self.assertEqual(len(found), 1, name)
        return found[0]


class Levels(Traces):
    def test_no_units(self):
        """Nothing says that such a counter is an amount: its mean lies between its ends."""
        for name, metric, values in (('GPU % Utilization', 'gpu_busy', [55] * 6), ('GPU % Utilization', 'gpu_busy', [9, 55, 56, 55, 56, 58]),
                                     ('GPU Frequency', 'gpu_frequency', [585e6] * 6), ('GPU busy', 'gpu_busy', [0.5] * 6)):
            with self.subTest(name):
                row = self.metric(counter(name, values), metric)
                self.assertAlmostEqual(row['mean'], sum(values[1:]) / 5)
                self.assertLessEqual(row['min'], row['mean'])
                self.assertLessEqual(row['mean'], row['max'])

    def test_amounts(self):
        """A unit that counts something adds up, as it did."""
        row = self.metric(counter('Things read', [100] * 6, (BYTE,)), 'Things read')
        self.assertEqual(row['total'], 500)
        # Nor is a unit needed where a catalog knows the counter as an amount.
        row = self.metric(counter('GPU active cycles', [100] * 6) + packet(field(128, field(1, field(1, 'Mali-G610')))), 'gpu_active_cycles')
        self.assertEqual(row['total'], 500)

    def test_no_share_above_all(self):
        for units in ((), (PERCENT,)):
            _, metrics, result = self.report(counter('GPU % Utilization', [0, 40, 250, 60, -3, 100.5], units))
            row = next(m for (_, n), m in metrics.items() if n == 'gpu_busy')
            self.assertEqual((row['count'], row['max']), (3, 100))
            self.assertAlmostEqual(row['mean'], 200 / 3)
            self.assertIn('2 values of GPU % Utilization cannot be (below 0 or beyond 1e200, a share above 100 %', ' '.join(result.stderr.split()))
        _, metrics, result = self.report(counter('GPU % Utilization', [250] * 6, (PERCENT,)) + counter_two())
        self.assertIn('5 values of GPU % Utilization', result.stderr)
        self.assertFalse([n for _, n in metrics if n == 'gpu_busy'])


def counter_two():
    """A counter of its own beside it, so that the device has a value."""
    event = field(1, field(1, field(1, 2) + field(2, 'Other') + field(7, BYTE)))
    return b''.join(packet(field(8, START + (10 + i) * 10 * MS), field(10, 1), field(52, (event if i == 0 else b'') + field(2, field(1, 2) + field(3, 7.0)) + field(3, 0)))
                    for i in range(3))


class Gpus(Traces):
    """Two GPUs number their counters alike: GPU 0 is at 40 %, GPU 1 at 60 %."""
    SPEC = spec('GPU % Utilization', (PERCENT,))

    def pairs(self, sequences=(1, 1), offset=0, second=True):
        for i in range(6):
            yield sample(i, 40, self.SPEC if i == 0 else b'', 0, sequences[0])
            yield sample(i, 60, self.SPEC if i == 0 and second else b'', 1, sequences[1], offset)

    def check(self, data):
        result = run('export', '--counters', '--json', self.write(data))
        self.assertEqual(result.returncode, 0, result.stderr)
        devices = json.loads(result.stdout)['devices']
        self.assertEqual(len(devices), 2)
        for device, value in zip(devices, (40, 60)):
            at = device['metrics'].index('GPU % Utilization')
            self.assertEqual([row[at] for row in device['rows']], [value] * 5)
        self.assertNotIn('left out', result.stderr)

    def test_interleaved(self):
        self.check(b''.join(self.pairs()))
        self.check(b''.join(self.pairs(offset=1000)))

    def test_sequences_of_their_own(self):
        self.check(b''.join(self.pairs((1, 2))))
        self.check(b''.join(self.pairs((1, 2), 1000)))

    def test_one_after_the_other(self):
        for sequences in ((1, 1), (1, 2)):
            pairs = list(self.pairs(sequences))
            self.check(b''.join(pairs[::2] + pairs[1::2]))

    def test_one_description(self):
        """Of the second GPU nothing says what its counters are: they are the first one's."""
        self.check(b''.join(self.pairs(second=False)))
        interned = field(47, field(1, 9) + field(2, self.SPEC_INNER) + field(3, 0))
        head = packet(field(10, 1), field(12, interned))
        self.check(head + b''.join(sample(i, v, field(4, 9), gpu) for i in range(6) for gpu, v in ((0, 40), (1, 60))))

    SPEC_INNER = field(1, field(1, 1) + field(2, 'GPU % Utilization') + field(7, PERCENT))

    def test_unnamed(self):
        """Values that name no GPU are of the one that the descriptor names."""
        data = b''.join(sample(i, 40, self.SPEC if i == 0 else b'', 3, said=i == 0) for i in range(6))
        result = run('export', '--counters', '--json', self.write(data))
        self.assertEqual(len(json.loads(result.stdout)['devices'][0]['rows']), 5, result.stderr)


class Stages(Traces):
    SPECS = field(7, b''.join(field(2, field(1, f'queue{i}')) for i in range(3)) + b''.join(field(3, field(1, f'stage{i}')) for i in range(3)))

    def stages(self, queues, length_ms, count=100):
        return b''.join(packet(field(8, START + i * 10 * MS), field(10, 1), field(53, field(1, queues * i + q) + field(2, length_ms * MS) + field(3, q) + field(4, q) +
                                                                                  (self.SPECS if i == q == 0 else b'')))
                        for i in range(count) for q in range(queues))

    def test_queues_at_the_same_time(self):
        """The GPU is busy while any queue is: 4 of 10 ms are 40 %, however many queues run in them."""
        for queues, length in ((1, 4), (2, 4), (3, 3), (2, 7)):
            with self.subTest(queues=queues, length=length):
                _, metrics, _ = self.report(self.stages(queues, length))
                named = {n: m for (_, n), m in metrics.items()}
                self.assertAlmostEqual(named['gpu_busy']['mean'], 100 * length * 100 / (990 + length), places=3)
                self.assertAlmostEqual(named['gpu_time']['total'], 0.1 * length)
                if queues > 1:
                    within = named['GpuTimeWithin']
                    self.assertAlmostEqual(within['total'] * (1 if within['unit'] == 's' else 1e-9), 0.1 * length * (queues - 1))
                text = run('report', os.path.join(self.folder.name, 't.pftrace')).stdout
                self.assertNotIn('Bound by the GPU', text)
                self.assertRegex(text, fr'GPU at work {100 * length * 100 / (990 + length):.1f} %')

    def test_overlap(self):
        """Ranges that begin apart: what the second adds is its own. The rows are in the order of the trace."""
        data = b''.join(packet(field(8, START + begin * MS), field(10, 1), field(53, field(1, i) + field(2, length * MS) + field(3, i % 2) + field(4, i % 2) +
                                                                                (self.SPECS if i == 0 else b'')))
                        for i, (begin, length) in enumerate([(0, 4), (2, 4), (20, 1), (10, 2), (11, 1)]))
        result = run('export', '--counters', '--json', self.write(data))
        rows, busy = json.loads(result.stdout)['devices']
        own, within = (rows['metrics'].index(n) for n in ('GpuTime', 'GpuTimeWithin'))
        self.assertEqual([(r[own], r[within]) for r in rows['rows']], [(.004, None), (.002, .002), (.001, None), (.002, None), (None, .001)])
        at = [busy['metrics'].index(n) for n in ('begin_ns', 'end_ns', 'GpuBusy')]
        self.assertEqual([[r[i] for i in at] for r in busy['rows']], [[START, START + 10 * MS, 60], [START + 10 * MS, START + 20 * MS, 20], [START + 20 * MS, START + 21 * MS, 100]])


class Nested(Traces):
    def test_ranges_of_mesa(self):
        """A draw in a render pass in a command buffer is one millisecond of the GPU, not three."""
        lines = ['frame,batch,time_ns,event,']
        for i in range(10):
            at = 1000 + i * 10 * MS
            lines += [f'{i},0,{at + time},{event},' for time, event in ((0, 'start_cmd_buffer'), (10, 'start_render_pass'), (20, 'start_draw'), (MS - 1000, 'end_draw'),
                                                                        (MS - 500, 'end_render_pass'), (MS, 'end_cmd_buffer'))]
        _, metrics, _ = self.report('\n'.join(lines) + '\n', 't.csv')
        named = {n: m for (_, n), m in metrics.items()}
        self.assertAlmostEqual(named['gpu_time']['total'], 0.01)
        self.assertAlmostEqual(named['gpu_busy']['mean'], 100 * 10 / 91, places=6)
        result = run('export', '--counters', '--json', os.path.join(self.folder.name, 't.csv'))
        table = json.loads(result.stdout)['devices'][0]
        at = [table['metrics'].index(n) for n in ('group', 'GpuTime', 'GpuTimeWithin')]
        self.assertEqual([[r[i] for i in at] for r in table['rows'][:3]], [['draw', None, (MS - 1020) / 1e9], ['render_pass', None, (MS - 510) / 1e9], ['cmd_buffer', .001, None]])


class Snapshots(Traces):
    def check(self, names, count=5):
        def device(i, k):
            pairs = [('device_name', names[k]), ('gpu_clock', f'{1500 + 100 * i}MHz'), ('power_draw', f'{100 * k + i}W'), ('gpu_util', f'{10 * k + i}%')]
            return dict(pairs)
        data = ''.join(json.dumps([device(i, k) for k in range(len(names))], indent=1) + '\n' for i in range(count))
        result = run('export', '--counters', '--json', self.write(data, 't.json'))
        devices = json.loads(result.stdout)['devices']
        self.assertEqual(len(devices), len(names), result.stderr)
        for k, table in enumerate(devices):
            at = [table['metrics'].index(n) for n in ('GpuBusy', 'GpuPower')]
            self.assertEqual([[r[i] for i in at] for r in table['rows']], [[10 * k + i, 100 * k + i] for i in range(count)])

    def test_cards_of_one_name(self):
        """Each place in the array is a card, whatever it is called."""
        for names in (['RTX 4090'], ['RTX 4090'] * 2, ['RTX 4090'] * 3, ['RTX 4090', 'Arc A770', 'RTX 4090'], ['Arc A770', 'RTX 4090', 'RTX 4090']):
            with self.subTest(names):
                self.check(names)


class Apart(Traces):
    """Files whose times begin anywhere stand beside each other, and nothing lays one over the other."""

    def test_no_clock_in_common(self):
        lines = ['os,cpu,gpu,ram,kernel,driver,cpuscheduler', 'L,C,RTX 3060,1,6,5,p', 'fps,frametime,cpu_load,gpu_load,elapsed']
        lines += [f'100,10,20,75,{(i + 1) * 10 * MS}' for i in range(300)]
        log = self.write('\n'.join(lines) + '\n', 'a.csv')
        perf = self.write(''.join(f'{i}.0,2700.0,msec,task-clock,1000000000,100.00,2.7,CPUs utilized\n' for i in range(1, 5)), 'b.csv')
        out = os.path.join(self.folder.name, 'both.sxc')
        result = run('import', log, perf, '-o', out)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn('no clock in common', result.stderr)
        both, alone = run('report', out, '--json'), run('report', log, '--json')
        document = json.loads(both.stdout)
        self.assertEqual(document['verdict'], json.loads(alone.stdout)['verdict'])
        self.assertEqual(len(document['devices']), 2)
        self.assertIn('no clock in common', ' '.join(run('report', out).stdout.split()))
        for verb in ('report', 'export'):
            result = run(verb, out, '--join', *(('--csv',) if verb == 'export' else ()))
            self.assertNotEqual(result.returncode, 0)
            self.assertIn('cannot be joined', result.stderr)


if __name__ == '__main__':
    unittest.main()
