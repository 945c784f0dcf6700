#!/usr/bin/env python3
"""A table that gives metrics serves as one that gives counters, wherever a metric's formula is one counter: in every
catalog, held against a table of the counters themselves. $SEXTANT is the binary, the argument the folder of catalogs."""
import csv
import json
import os
import re
import subprocess
import sys
import unittest

from command import FolderTest

SEXTANT = os.environ['SEXTANT']
CATALOGS = sys.argv.pop(1)
# "$NAME", "NAME 0 READ", and the same times a whole number.
BARE = {'gpu_time': ' (ns)'}  # without a unit it is read in ms, whatever the catalog has
SOLE = re.compile(r'\$?([A-Za-z_][\w.]*)(?: 0 READ)?(?:(?: \* (\d+))|(?: (\d+) UMUL))?')


def run(*args):
    return subprocess.run([SEXTANT, *args], capture_output=True, text=True, timeout=120, check=False)


def names():
    for _, _, files in os.walk(CATALOGS):
        for name in files:
            if name.endswith('.yaml') and '.shared' not in name and name not in ('neutral.yaml', 'verdict.yaml'):
                yield name[:-5]


class GivenMetrics(FolderTest):
    def table(self, head, *rows):
        path = os.path.join(self.folder.name, 't.csv')
        with open(path, 'w', encoding='utf-8') as file:
            csv.writer(file).writerows([head, *rows])
        return path

    def row(self, head, row, *args):
        result = run('eval', self.table(head, row), '-m', 'all', '-f', 'ndjson', *args)
        self.assertEqual(result.returncode, 0, result.stderr)
        return {name: value for name, value in json.loads(result.stdout).items() if value is not None and name not in ('schema', 'for', 'units')}

    def listed(self, what, catalog):
        return json.loads(run('list', what, '--for', catalog, '--json').stdout)[what]

    def test_every_catalog(self):
        """The same metrics, with the same values, from the counters and from the metrics that are these counters."""
        derived = 0
        for catalog in sorted(names()):
            metrics, counters = self.listed('metrics', catalog), {c['name'] for c in self.listed('counters', catalog)}
            sets = sorted({m['set'] for m in metrics if m.get('set')})
            metrics = [m for m in metrics if not sets or m['set'] == sets[0]]
            given = {}
            for metric in metrics:
                sole = SOLE.fullmatch(metric['expression'] or '')
                if sole and sole[1] in counters and metric['available'] and metric['name'] not in counters:
                    given.setdefault(sole[1], (metric['name'], int(sole[2] or sole[3] or 1)))
            if not given:
                continue
            with self.subTest(catalog):
                chosen = ['--for', catalog] + (['--set', sets[0]] if sets else [])
                shares = {m['name'] for m in metrics if m['unit'] == 'percent'}  # of which no more than 100 can be given
                value = {counter: 3 + 7 * i % 90 if given[counter][0] in shares else 1000003 + 7919 * i for i, counter in enumerate(given)}
                want = self.row(['duration_ns', *given], [10 ** 9, *value.values()], *chosen)
                have = self.row(['duration_ns', *(name + BARE.get(name, '') for name, _ in given.values())],
                                [10 ** 9, *(value[c] * times for c, (_, times) in given.items())], *chosen)
                self.assertEqual(have.keys(), want.keys())
                for name, number in want.items():
                    self.assertAlmostEqual(have[name], number, delta=1e-12 * abs(number), msg=name)
                derived += len(have) - len(given)
        self.assertGreater(derived, 1000)

    def test_catalogs_without_metrics(self):
        """`all` is all that there is: of Midgard's catalogs, which have no metrics, the counters."""
        self.assertEqual(self.listed('metrics', 'mali-t860'), [])
        self.assertEqual(self.row(['duration_ns', 'MESSAGES_SENT'], [10 ** 9, 42], '--for', 'mali-t860')['MESSAGES_SENT'], 42)

    def test_scaled(self):
        """Units, constants of the device and the sample's length are undone; what is not one counter gives none."""
        got = self.row(['output_external_read_bytes', 'shader_core_usage'], [4096, 50], '--for', 'mali-g625', '--const', 'MaliConstantsBusWidthBits=128',
                       '-m', 'MaliExternalBusBeatsReadBeats,MaliShaderCoreCyclesAnyWorkloadActive')
        self.assertEqual(got['MaliExternalBusBeatsReadBeats'], 4096 / 16)
        self.assertNotIn('MaliShaderCoreCyclesAnyWorkloadActive', got)
        rows = run('eval', self.table(['GPU active cycles (Mcycles)'], [1], [3]), '--for', 'mali-g625', '--csv', '-m', 'MaliGPUCyclesGPUActive')
        self.assertEqual(rows.stdout, 'MaliGPUCyclesGPUActive\n1000000\n3000000\n')

    def test_gates_on_given_ratios(self):
        """Where rows give a ratio and nothing makes the run's, a gate on its mean is judged only where all rows say the same."""
        def judged(path, gate, *args):
            both = []
            for verb in (['report', path], ['diff', path, path]):  # one mechanism
                result = run(*verb, '--gate', gate, '--json', *args)
                told, = json.loads(result.stdout)['gates']
                both.append((result.returncode, told['passed'], told['why']))
            self.assertEqual(*both, gate)
            return both[0]

        alone = self.table(['gpu_active_cycles', 'texture_unit_utilization'], [10, 20], [30, 60])
        for gate, code, passed in (('<70', 0, True), ('<10', 6, False), ('<50', 1, None), ('>=30', 1, None), ('.max<70', 0, True), ('.p95<50', 6, False)):
            have = judged(alone, 'texture_unit_utilization' + gate, '--for', 'mali-g310')
            self.assertEqual(have[:2], (code, passed), gate)
            self.assertEqual("run's ratio is not known: between 20 and 60, the rows' mean is 40" in (have[2] or ''), passed is None, have)
        self.assertEqual(judged(alone, 'gpu_active_cycles<25', '--for', 'mali-g310')[:2], (0, True))  # an amount has its sum
        # What makes the run's ratio is there: 4 frames of 10 ms and one of 60 are 50 a second, not 83.
        made = self.table(['frame_time (ms)', 'frames_per_second'], *[[10, 100]] * 4, [60, 50 / 3])
        self.assertEqual(judged(made, 'frames_per_second<60', '--for', 'monitor'), (0, True, None))

    def test_changes_of_given_ratios(self):
        """A relative gate on the mean of such a ratio is judged where every change that may be says the same."""
        def side(name, *rows):
            path = os.path.join(self.folder.name, name)
            with open(path, 'w', encoding='utf-8') as file:
                csv.writer(file).writerows([['gpu_active_cycles', 'texture_unit_utilization'], *rows * 20])
            return path

        a, b = side('a.csv', (10, 20), (30, 40)), side('b.csv', (10, 30), (30, 36))  # the run's: 20 to 40, 30 to 36
        exact = side('c.csv', (10, 30), (30, 30))
        for before, after, gate, code, passed in (
                (a, b, '<+81%', 0, True), (a, b, '<+80%', 1, None), (a, b, '<+10%', 1, None), (a, b, '<-24%', 1, None), (a, b, '<-25%', 6, False), (a, b, '<-26%', 6, False),
                (a, b, '>-26%', 0, True), (a, b, '>=+80%', 1, None), (a, b, '>+80%', 6, False), (a, exact, '<+51%', 0, True),
                (a, exact, '<+20%', 1, None), (exact, b, '<+21%', 0, True), (exact, b, '<+10%', 1, None), (exact, exact, '<+1%', 0, True),
                (a, b, '.max<-5%', 0, True)):
            result = run('diff', before, after, '--for', 'mali-g310', '--gate', 'texture_unit_utilization' + gate, '--json')
            document = json.loads(result.stdout)
            told, = document['gates']
            self.assertEqual((result.returncode, told['passed']), (code, passed), (before, after, gate, told))
            self.assertEqual("the runs' ratios are not known" in (told['why'] or ''), passed is None, told)
            row, = (m for m in document['metrics'] if m['name'] == 'texture_unit_utilization')
            self.assertTrue(row['of_rows'])
        for form in 'text', 'markdown':
            page = ' '.join(run('diff', a, b, '--for', 'mali-g310', '-m', 'texture_unit_utilization', '-f', form).stdout.split())
            self.assertIn('Ratios that were given by row are means of the rows: those of the runs are not known.', page)

    def test_totals(self):
        """A metric that is a counter adds up as that does."""
        path = self.table(['GPU active cycles'], [1000], [3000])
        rows = list(csv.DictReader(run('report', path, '--for', 'mali-g625', '--csv').stdout.splitlines()))
        self.assertEqual([r['total'] for r in rows if r['name'] == 'gpu_active_cycles'], ['4000'])
        rows = list(csv.DictReader(run('report', self.table(['group', 'GPU active cycles'], ['a', 1000], ['a', 3000]), '--for', 'mali-g625', '--by', 'group', '--csv').stdout.splitlines()))
        self.assertEqual(rows[0]['gpu_active_cycles'], '4000')


if __name__ == '__main__':
    unittest.main()
