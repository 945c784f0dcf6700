#!/usr/bin/env python3
"""Intel OA live, as a user meets it: whole runs of the command on fake kernels of xe and i915.

usage: test_oa_live.py SEXTANT_ON_OA SEXTANT
"""
import json
import os
import sys
import tempfile
import time
import unittest

from command import Command

ON_OA, SEXTANT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
del sys.argv[1:3]
on_oa, sextant = Command(ON_OA), Command(SEXTANT, code=0)
CHIPS = {'intel-bmg': ('e20b', 2000), 'intel-lnl': ('64a0', 2000), 'intel-ptl': ('b080', 3000), 'intel-tglgt2': ('9a49', 1200),
         'intel-mtlgt3': ('7d55', 1270), 'intel-acmgt3': ('56a0', 1255)}


class Run:
    """One run of the command on a fake kernel; at its end nothing stays behind in the kernel."""

    def __init__(self, fake, *args, code=0, left=0):
        with tempfile.NamedTemporaryFile('r', encoding='utf-8') as state:
            done = on_oa(*args, code=code, env={'SEXTANT_FAKE': fake, 'SEXTANT_FAKE_STATE': state.name})
            assert state.read().strip() == f'configurations {left} streams 0', (args, 'something stayed in the kernel')
        self.out, self.err = done.stdout, done.stderr


def stat(fake, *args, code=0, left=0):
    return json.loads(Run(fake, 'stat', '--json', *args, code=code, left=left).out)


def metric(document, name, device=0):
    return {(m['name'], m['device']): m for m in document['metrics']}[name, device]


class Xe(unittest.TestCase):
    def test_devices(self):
        for catalog, (device, version) in CHIPS.items():
            document = json.loads(Run(f'xe device={device} version={version}', 'devices', '--json').out)
            found = [d for d in document['devices'] if d['source'] == 'xe_oa']
            self.assertEqual([(d['id'], d['state'], d['catalog']) for d in found], [('xe:card0', 'ready', catalog)])
        document = json.loads(Run('xe device=e204', 'doctor', '--json').out)
        found = [d for d in document['sources'] if d['device'] == 'xe:card0'][0]
        self.assertIn('no catalog', found['reason'])
        self.assertIn('--for intel-bmg', found['remedy'])

    def test_rights(self):
        """The doctor says which rule holds, and what it says is what a run meets."""
        cases = (('kernel=7.2.4 perf=0', False, 'from Linux 7.3 on'), ('kernel=7.3.0 perf=2', False, 'perf_event_paranoid above 0'),
                 ('kernel=7.3.0 perf=0', True, ''), ('kernel=6.12.9 paranoid=0', True, ''))
        for words, allowed, because in cases:
            fake = 'xe capable=0 ' + words
            document = json.loads(Run(fake, 'doctor', '--json').out)
            found = [d for d in document['sources'] if d['device'] == 'xe:card0'][0]
            self.assertEqual(found['state'], 'ready' if allowed else 'unusable')
            self.assertIn(because, found['reason'] or '')
            run = Run(fake, 'stat', '-d', 'xe:card0', '-t', '60ms', '-m', 'GPU_BUSY', code=0 if allowed else 4)
            if not allowed:
                self.assertIn('try: sudo sysctl dev.xe.observation_paranoid=0', run.err)

    def test_stat(self):
        document = stat('xe', '-d', 'xe:card0', '-t', '300ms', '-m', 'GPU_BUSY,AvgGpuCoreFrequency,XVE_ACTIVE')
        device = document['devices'][0]
        self.assertEqual((device['source'], device['catalog']), ('xe_oa', 'intel-bmg'))
        self.assertGreater(device['samples'], 30)
        self.assertAlmostEqual(metric(document, 'GPU_BUSY')['mean'], 80, 3)
        self.assertAlmostEqual(metric(document, 'AvgGpuCoreFrequency')['mean'] / 2.4e9, 1, 5)
        # 25 of 64 parts of the clock, over the 64 EUs that the topology has
        self.assertAlmostEqual(metric(document, 'XVE_ACTIVE')['mean'], 100 * 25 / 64 / 64, 2)

    def test_sets(self):
        document = stat('xe', '-d', 'xe', '-t', '200ms', '--set', 'MediaSet2', '-m', 'all')
        self.assertGreater(document['devices'][0]['samples'], 15)
        document = stat('xe', '-d', 'xe', '-t', '800ms', '-m', 'RenderBasic.GPU_BUSY,TestOa.TEST_EVENT1')
        self.assertEqual(len(document['devices']), 2)
        self.assertAlmostEqual(metric(document, 'TEST_EVENT1', 1)['mean'], 100, 1)
        error = Run('xe', 'stat', '-d', 'xe', '-t', '1s', '--set', 'RenderBsic', code=3).err
        self.assertIn('RenderBasic', error)

    def test_program(self):
        run = Run('xe', 'stat', '-d', 'xe:card0', '-m', 'GPU_BUSY', '--', 'sleep', '0.15')
        self.assertIn('everything on the GPU', run.out)
        self.assertIn('80.0 %', run.out)

    def test_capture(self):
        """What is recorded gives the same numbers without the device."""
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, 'a.sxc')
            Run('xe', 'record', '-d', 'xe:card0', '-t', '200ms', '-o', file)
            for device in (), ('-d', 'xe_oa'), ('-d', 'xe-oa'):  # as it was called
                document = sextant.document('stat', '-i', file, '-m', 'GPU_BUSY', *device)
                self.assertAlmostEqual(metric(document, 'GPU_BUSY')['mean'], 80, 3)

    def test_recording(self):
        for fake, name, busy in (('xe', 'GPU_BUSY', 80), ('xe device=56a0 version=1255', 'GpuBusy', 80)):
            with tempfile.TemporaryDirectory() as folder:
                file = os.path.join(folder, 'a.oa')
                Run(fake, 'oa', 'record', '-d', 'xe:card0', '--set', 'RenderBasic', '-t', '200ms', '-o', file)
                done = sextant('decode', '-i', file, '--as', 'i915-record', '--summary', '-m', name, '--json')
                document = json.loads(done.stdout)
                self.assertEqual(document['recording']['set'], 'RenderBasic')
                self.assertIn(f'{busy}', done.stdout)

    def test_wide_counters(self):
        """A format whose counters all have 64 bits cannot wrap, however far reports are apart."""
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, 'a.oa')
            Run('xe', 'oa', 'record', '-d', 'xe:card0', '--set', 'RenderBasic', '-I', '100ms', '-t', '500ms', '-o', file)
            self.assertNotIn('wrap', sextant('decode', '-i', file, '--as', 'i915-record', '-m', 'GPU_BUSY,IA_VERTEX').stderr)

    def test_losses(self):
        for bits, told in ((1, ''), (2, ''), (4, 'shorter --interval'), (8, 'periodic ones are complete'), (15, '')):
            run = Run(f'xe lose={bits}@100', 'stat', '-d', 'xe:card0', '-t', '300ms', '-m', 'GPU_BUSY,AvgGpuCoreFrequency', '--json', code=1)
            document = json.loads(run.out)
            self.assertGreaterEqual(document['devices'][0]['lost'], 1)
            self.assertIn(told, run.err)
            # A loss never makes a wrong number: rates of what was counted are the model's.
            self.assertAlmostEqual(metric(document, 'GPU_BUSY')['mean'], 80, 2)
            self.assertAlmostEqual(metric(document, 'AvgGpuCoreFrequency')['max'] / 2.4e9, 1, 4)

    def test_device_goes(self):
        for kind in (1, 2):
            begin = time.monotonic()
            # its configuration goes with the driver
            run = Run(f'xe gone={kind}@100', 'stat', '-d', 'xe:card0', '-t', '20s', '-m', 'GPU_BUSY', code=1, left=1)
            self.assertLess(time.monotonic() - begin, 10)
            self.assertIn('went away', run.out + run.err)
            self.assertIn('80.0 %', run.out)

    def test_selftest(self):
        run = Run('xe', 'doctor', '--selftest', '-d', 'xe:card0')
        self.assertIn('the XeCores 0xff have 1.0000 of the event', run.out)
        self.assertNotIn('FAIL', run.out)


class I915(unittest.TestCase):
    """The same machine with the other driver: what both share holds for both."""

    def test_stat(self):
        document = stat('i915', '-d', 'i915:card0', '-t', '300ms', '-m', 'GpuBusy,EuActive')
        self.assertAlmostEqual(metric(document, 'GpuBusy')['mean'], 80, 2)
        self.assertAlmostEqual(metric(document, 'EuActive')['mean'], 50, 2)

    def test_loss_and_end(self):
        document = stat('i915 lose=1@100', '-d', 'i915:card0', '-t', '300ms', '-m', 'GpuBusy', code=1)
        self.assertGreaterEqual(document['devices'][0]['lost'], 1)
        # The same of a recording, and of all that is made of it.
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, 'lossy.sxc')
            Run('i915 lose=1@100', 'record', '-d', 'i915:card0', '-t', '300ms', '-o', file, code=1)
            for args in (('capture', 'check'), ('capture', 'info'), ('report',), ('export',)):
                done = sextant(*args, file, code=1)
                self.assertIn('lost', done.stdout + done.stderr, args)
        run = Run('i915 gone=1@100', 'stat', '-d', 'i915:card0', '-t', '20s', '-m', 'GpuBusy', code=1, left=1)
        self.assertIn('went away', run.out + run.err)

    def test_every_verb_counts_alike(self):
        """All sets, recorded once: whatever shows samples has as many of them, and `-n` bounds them alike."""
        sets = [s['name'] for s in sextant.document('list', 'sets', '--for', 'intel-bdw')['sets']]
        self.assertEqual(len(sets), 24)
        with tempfile.TemporaryDirectory() as folder:
            for name in sets:
                file = os.path.join(folder, name)
                Run('i915', 'record', '-q', '-d', 'i915:card0', '--set', name, '-t', '60ms', '-I', '2ms', '-o', file)
                documents = [sextant.document(verb, file) for verb in ('report', 'export')] + [sextant.document('stat', '-i', file)]
                counts = [documents[0]['samples']['count'], documents[0]['devices'][0]['samples'], len(documents[1]['devices'][0]['rows']),
                          documents[2]['samples']['count'], documents[2]['devices'][0]['samples'],
                          len(sextant('export', '-f', 'csv', file).stdout.splitlines()) - 1,
                          len(sextant('export', '-f', 'ndjson', file).stdout.splitlines()), sextant.document('capture', 'info', file)['rows']]
                counts += [m['count'] for m in documents[2]['metrics'] if m['total'] is not None and m['name'] in ('GpuTime', 'GpuCoreClocks')]
                self.assertGreater(counts[0], 10, name)
                self.assertEqual(set(counts), {counts[0]}, name)
            self.assertEqual(stat('i915', '-d', 'i915:card0', '-n', '10', '-I', '2ms')['samples']['count'], 10)
            Run('i915', 'record', '-q', '-d', 'i915:card0', '-n', '10', '-I', '2ms', '-o', file)
            self.assertEqual(len(sextant.document('export', file)['devices'][0]['rows']), 10)

    def test_rights(self):
        error = Run('i915 capable=0 paranoid=1', 'stat', '-d', 'i915:card0', '-t', '60ms', code=4).err
        self.assertIn('dev.i915.perf_stream_paranoid=0', error)


class Refusals(unittest.TestCase):
    """What the kernel refuses ends in the exit status of the contract, with a cause and a remedy that helps."""

    def refused(self, driver, words, code, because, remedy):
        run = Run(f'{driver} {words}', 'stat', '-d', f'{driver}:card0', '-t', '60ms', code=code)
        lines = run.err.splitlines()
        self.assertEqual([line.split(':')[0] for line in lines], ['error', 'because', 'try'], run.err)
        self.assertIn(because, lines[1], words)
        self.assertIn(remedy, lines[2], words)
        self.assertEqual(run.out, '')

    def test_topology(self):
        for driver, since in (('i915', '4.17'), ('xe', '6.11')):
            self.refused(driver, 'topology=22', 3, 'does not know the query', f'a kernel of {since} or later')
            for denied in (1, 13):
                self.refused(driver, f'topology={denied}', 4, 'render node', 'usermod -aG render')
            self.refused(driver, 'topology=5', 1, 'Input/output error', 'dmesg')
        # The item's ENODEV: a GPU of which this driver has no topology. The query's: no GPU any more.
        self.refused('i915', 'topology=19', 3, 'not for this GPU', 'a kernel of 4.17')
        self.refused('xe', 'topology=19', 3, 'went away', 'once the GPU is back')

    def test_no_metrics(self):
        """There is no option of the kernel's build for them: its version, and the GPU, decide."""
        for driver, since in (('i915', '4.17'), ('xe', '6.11')):
            self.refused(driver, 'metrics=0', 3, 'no OA metrics', f'a kernel of {since} or later')
        self.refused('i915', 'add=524', 3, 'no perf interface', 'a kernel of 4.17 or later')

    def test_open(self):
        for driver, sysctl in (('i915', 'dev.i915.perf_stream_paranoid'), ('xe', 'dev.xe.observation_paranoid')):
            for denied in (1, 13):
                # What the rules allow and the kernel refuses: the capability is a container's, or a policy forbids it.
                self.refused(driver, f'paranoid=1 open={denied}', 4, 'CAP_PERFMON of a container', f'sysctl {sysctl}=0, outside')
                self.refused(driver, f'paranoid=0 open={denied}', 4, 'policy', 'outside of containers')
                self.refused(driver, f'paranoid=1 capable=0 open={denied}', 4, f'{sysctl} is 1', f'sudo sysctl {sysctl}=0')
            self.refused(driver, 'open=22', 3, 'refuses report format', 'another --interval or --set')
            self.refused(driver, 'open=19', 3, 'no OA unit', 'a kernel of')
            for held in ('open=16', 'held=1'):
                self.refused(driver, held, 4, 'another process', 'end the other profiler')

    def test_removed(self):
        """A configuration that another process removes between look and open is added again."""
        for driver, busy in (('i915', 'GpuBusy'), ('xe', 'GPU_BUSY')):
            args = ('-d', f'{driver}:card0', '-t', '200ms', '-m', busy)
            for words, left in (('removed=1', 0), ('removed=2', 0), ('removed=1 takeover=1', 1)):
                document = stat(f'{driver} {words}', *args, left=left)
                self.assertAlmostEqual(metric(document, busy)['mean'], 80, 2)
            self.refused(driver, 'removed=9', 4, 'adds and removes configurations', 'end the other profiler')
            self.refused(driver, 'open=2', 3, 'refuses report format', 'another --interval or --set')

    def test_doctor(self):
        """The doctor asks for a stream, and opens none; what is in the way is what a run meets."""
        chips = [('i915', '')] + [('i915', f' device={CHIPS[name][0]}') for name in ('intel-tglgt2', 'intel-acmgt3', 'intel-mtlgt3')]
        chips += [('xe', f' device={device} version={version}') for device, version in CHIPS.values()]
        cases = (('', 'ready', '', ''), ('held=1', 'unusable', 'another process', 'end the other profiler'),
                 ('topology=22', 'unusable', 'does not know the query', 'a kernel of'),
                 ('paranoid=0 open=13', 'unusable', 'policy', 'outside of containers'), ('open=19', 'unusable', 'no OA unit', 'a kernel of'))
        for driver, chip in chips:
            for words, state, because, remedy in cases:
                fake = f'{driver}{chip} {words}'
                document = json.loads(Run(fake, 'doctor', '--json').out)
                found = [d for d in document['sources'] if d['device'] == f'{driver}:card0'][0]
                self.assertEqual(found['state'], state, fake)
                self.assertIn(because, found['reason'] or '', fake)
                self.assertIn(remedy, found['remedy'] or '', fake)


if __name__ == '__main__':
    unittest.main()
