#!/usr/bin/env python3
"""explain and list as a user meets them: numbers at every node, and lines that fit. $SEXTANT is the binary."""
import json
import math
import os
import random
import tempfile
import unittest

from command import Command

SEXTANT = os.environ['SEXTANT']
run = Command(SEXTANT, env={'COLUMNS': '80', 'LC_ALL': 'C.UTF-8'})
document = run.document
CATALOGS = ['mali-g310', 'mali-g625', 'intel-bdw', 'intel-merrifield', 'amd-hd5000', 'amd-gcn1', 'amd-gcn3', 'opengl',
            'vulkan', 'opencl', 'cpu']


def names_of(catalog, what='metrics'):
    return [m['name'] for m in document('list', what, '--for', catalog)[what]]


def widest(rng, catalog, what):
    """Names of which most is told, which fill lines, and some by chance."""
    listed = document('list', what, '--for', catalog)[what]
    listed.sort(key=lambda item: len(json.dumps(item)))
    return [item['name'] for item in listed[-4:] + rng.sample(listed[:-4], min(2, len(listed[:-4])))]


def table_of(catalog, rng, rows=3):
    names = names_of(catalog, 'counters')
    names = list(dict.fromkeys(names))
    with tempfile.NamedTemporaryFile('w', suffix='.csv', delete=False) as file:
        file.write('duration_ns,' + ','.join(names) + '\n')
        for _ in range(rows):
            file.write('16000000,' + ','.join(str(rng.randint(0, 10**6)) for _ in names) + '\n')
    return file.name


def apply(op, values):
    """What an operator makes of its operands' values; None is no data."""
    if op == 'if':
        return None if values[0] is None else values[1] if values[0] else values[2]
    if any(v is None for v in values):
        return None
    if op in ('min', 'max'):
        return (min if op == 'min' else max)(values)
    if op in ('sum', 'avg'):
        return math.fsum(values) / (len(values) if op == 'avg' else 1)
    if op == '-' and len(values) == 1:
        return -values[0]
    result = values[0]
    for value in values[1:]:
        if op == '/' and value == 0:
            return None
        result = {'+': lambda a, b: a + b, '-': lambda a, b: a - b, '*': lambda a, b: a * b,
                  '/': lambda a, b: a / b, '>': lambda a, b: float(a > b), '<': lambda a, b: float(a < b),
                  '>=': lambda a, b: float(a >= b), '<=': lambda a, b: float(a <= b),
                  'and': lambda a, b: float(bool(a and b))}[op](result, value)
    return result


class Explain(unittest.TestCase):
    def check_node(self, node, where, counts):
        if 'number' in node:
            return node['number']
        if 'op' not in node:
            counts['leaves'] += 1
            return node.get('value')
        operands = [self.check_node(n, where, counts) for n in node['operands']]
        expected = apply(node['op'], operands)
        counts['nodes'] += 1
        if expected is None:
            self.assertIsNone(node['value'], where)
        else:
            self.assertIsNotNone(node['value'], f"{where}: {node['op']} {operands}")
            self.assertTrue(math.isclose(node['value'], expected, rel_tol=1e-9, abs_tol=1e-12),
                            f"{where}: {node['op']} {operands} is {node['value']}, not {expected}")
        return node['value']

    def test_values_of_every_node(self):
        rng = random.Random(3)
        counts = {'nodes': 0, 'leaves': 0}
        for catalog in ('mali-g310', 'mali-g625', 'opengl', 'vulkan', 'intel-merrifield'):
            table = table_of(catalog, rng)
            for name in rng.sample(names_of(catalog), 25):
                told = document('explain', name, '--for', catalog, '-i', table)
                if 'tree' not in told:
                    continue
                value = self.check_node(told['tree'], f'{catalog} {name}', counts)
                if told['metric']['type'] == 'float64':
                    self.assertEqual(told['value'], value, name)
            os.unlink(table)
        self.assertGreater(counts['nodes'], 200)
        self.assertGreater(counts['leaves'], 200)

    def test_value_is_that_of_the_whole(self):
        with tempfile.NamedTemporaryFile('w', suffix='.csv') as file:
            file.write('FrameTime,D3DGPUTime,FramebufferWidth\n10,4,640\n30,10,800\n')
            file.flush()
            told = document('explain', 'gpu_time_share', '--for', 'opengl', '-i', file.name)
            self.assertEqual(told['value'], 35)
            self.assertEqual({o['name']: o['value'] for o in told['operands']}, {'FrameTime': 40, 'D3DGPUTime': 14})
            text = run('explain', 'gpu_time_share', '--for', 'opengl', '-i', file.name).stdout
            self.assertIn('gpu_time_share = 35.0 %', text)
            self.assertIn('D3DGPUTime = 14.0 ns', text)
            # A level is not added up.
            width = document('explain', 'FramebufferWidth', '--for', 'opengl', '-i', file.name)
            self.assertEqual(width['value'], 800)

    def test_the_ratio_within_a_cut(self):
        """Percentages of Malis are cut at 100, on all of them; the tree has the ratio itself."""
        for catalog, name in (('mali-g72', 'tiler_utilization'), ('mali-g310', 'tiler_utilization'), ('mali-g1', 'tiler_utilization')):
            with tempfile.NamedTemporaryFile('w', suffix='.csv') as file:
                file.write('duration_ns,MaliGPUCyclesGPUActive,MaliGPUCyclesTilerActive\n16000000,1000,8660\n')
                file.flush()
                tree = document('explain', name, '--for', catalog, '-i', file.name)['tree']
            self.assertEqual(tree['value'], 100)
            ratio = tree['operands'][0]['operands'][0]
            self.assertAlmostEqual(ratio['value'], 866)

    def test_missing_numbers_are_null(self):
        with tempfile.NamedTemporaryFile('w', suffix='.csv') as file:
            file.write('FrameTime\n10\n')
            file.flush()
            told = document('explain', 'gpu_time_share', '--for', 'opengl', '-i', file.name)
            self.assertIsNone(told['value'])
            self.assertEqual([o['value'] for o in told['operands']], [None, 10])
            text = run('explain', 'gpu_time_share', '--for', 'opengl', '-i', file.name).stdout
            self.assertIn('D3DGPUTime = -', text)

    def test_postfix_is_shown_in_infix(self):
        told = document('explain', 'RenderBasic.EuActive', '--for', 'intel-bdw')
        self.assertEqual(told['infix'], 'A7 / EuCoresTotalCount * 100 / GpuCoreClocks')
        self.assertNotIn('value', told)
        self.assertEqual([o['kind'] for o in told['operands']], ['counter', 'constant', 'metric'])
        self.assertIn('eu.bound', [a['rule'] for a in told['advice']])
        self.assertIn(told['infix'], run('explain', 'RenderBasic.EuActive', '--for', 'intel-bdw').stdout)

    def test_name_of_several_sets(self):
        # The first set's, and where else it is.
        text = run('explain', 'EuActive', '--for', 'tglgt2').stdout
        self.assertIn('RenderBasic.EuActive', text)
        self.assertIn('the same in 16 further sets', text)
        told = document('explain', 'EuActive', '--for', 'tglgt2')
        self.assertEqual((told['also']['other_formula'], len(told['also']['same_formula'])), ([], 16))
        # Broadwell: another formula under the same name is told by the set's name.
        told = document('explain', 'GtiReadThroughput', '--for', 'bdw')
        self.assertTrue(told['also']['other_formula'])
        self.assertIn('with another formula in ' + told['also']['other_formula'][0],
                      ' '.join(run('explain', 'GtiReadThroughput', '--for', 'bdw').stdout.split()))
        self.assertEqual(run('explain', 'EuActive', '--for', 'tglgt2', '--set', 'TDL_1').stdout.split()[0], 'TDL_1.EuActive')

    def test_difference_below_zero(self):
        """A part that counted more than its whole is no number, and the counts are named, wherever it is met."""
        with tempfile.NamedTemporaryFile('w', suffix='.csv') as file:
            file.write('GPU_TIME,GPU_CLOCK,A9,A10,A11\n1000,1000,100,20,30\n1000,1000,100,20,30\n')
            file.flush()
            args = ('eval', file.name, '--for', 'kblgt2', '-m', 'ComputeBasic.EuAvgIpcRate,ComputeBasic.GpuCoreClocks')
            below = 'the formula divides by zero, or its difference is below zero (A10 + A11 counted less than A9)'
            told = json.loads(run(*args, '--json').stdout)
            self.assertEqual(told['why'], {'ComputeBasic.EuAvgIpcRate': below})
            self.assertEqual([row[0] for row in told['rows']], [None, None])
            self.assertIn(below, run(*args, '-v').stderr)
            alone = run('eval', file.name, '--for', 'kblgt2', '-m', 'ComputeBasic.EuAvgIpcRate')
            self.assertIn('because: ' + below, alone.stderr)
            text = run('explain', 'ComputeBasic.EuAvgIpcRate', '--for', 'kblgt2', '-i', file.name).stdout
            self.assertIn('EuAvgIpcRate = -', text)

    def test_counter(self):
        told = document('explain', 'A7', '--for', 'intel-bdw')
        self.assertEqual(told['counter']['slot'], 7)
        self.assertIn('EuActive, of RenderBasic and 19 further sets', run('explain', 'A7', '--for', 'intel-bdw').stdout)

    def test_fits_80_columns(self):
        rng = random.Random(5)
        for catalog in CATALOGS:
            table = table_of(catalog, rng)
            for what in ('metrics', 'counters'):
                for name in widest(rng, catalog, what):
                    for more in ((), ('-i', table)):
                        result = run('explain', name, '--for', catalog, *more)
                        self.assertEqual(result.returncode, 0, result.stderr)
                        for line in result.stdout.split('\n'):
                            self.assertLessEqual(len(line), 80, f'{catalog} {name}: {line}')
                            self.assertEqual(line, line.rstrip(), f'{catalog} {name}')
            os.unlink(table)


class List(unittest.TestCase):
    def test_devices(self):
        """Every catalog stands once, below its vendor, with what else it opens as."""
        text = run('list', 'devices').stdout
        lines = text.split('\n')
        self.assertTrue(all(len(line) <= 80 for line in lines))
        names = [line.split()[0] for line in text.split('\n\n', 1)[1].split('\n') if line.strip()]
        for catalog in ('intel-tglgt2', 'intel-bmg', 'mali-g710', 'intel-hsw'):
            self.assertEqual(names.count(catalog), 1, catalog)
        self.assertEqual([names.count(vendor) for vendor in ('Intel', 'Arm')], [1, 1])
        self.assertRegex(text, r'\nmali-g710 +Arm Mali-G710 +mali-g510, mali-g610\n')
        self.assertNotRegex(text, r'(?m)^mali-g610\b')

    def test_fits(self):
        for catalog in CATALOGS:
            for what in ('metrics', 'counters', 'sets', 'groups', 'sections', 'constants'):
                for width, *more in ((80,), (80, '-v'), (160, '-v')):
                    result = run('list', what, '--for', catalog, *more, env={'COLUMNS': str(width)})
                    self.assertEqual(result.returncode, 0, result.stderr)
                    for line in result.stdout.split('\n'):
                        self.assertLessEqual(len(line), width, f'{catalog} {what}: {line}')
                        self.assertEqual(line, line.rstrip(), f'{catalog} {what}')
                    if not result.stdout:
                        self.assertIn(f'catalog {catalog} has no {what}', result.stderr)

    def test_sets_stand_together(self):
        lines = run('list', 'metrics', '--for', 'intel-bdw').stdout.split('\n')[1:]
        headings = [line.split(':')[0] for line in lines if line and not line.startswith(' ')]
        self.assertEqual(headings, [s['name'] for s in document('list', 'sets', '--for', 'intel-bdw')['sets']])

    def test_verbose_cuts_nothing(self):
        for what in ('metrics', 'counters', 'constants'):
            text = ' '.join(run('list', what, '--for', 'opengl', '-v').stdout.split())
            for item in document('list', what, '--for', 'opengl')[what]:
                self.assertIn(' '.join(item['description'].split()), text, item['name'])

    def test_metric_and_verdict_of_one_name(self):
        text = run('explain', 'throttled').stdout
        self.assertIn('Throttled share', text)
        self.assertIn('kind       verdict', text)
        told = document('explain', 'throttled')
        self.assertEqual((told['metric']['name'], [r['rule'] for r in told['rules']]), ('throttled', ['throttled']))
        self.assertNotIn('rules', document('explain', 'gpu_busy', '--for', 'monitor'))
        self.assertNotIn('kind       verdict', run('explain', 'gpu_busy', '--for', 'monitor').stdout)

    def test_csv_of_every_kind(self):
        for what, head in (('metrics', 'name,title,unit,expression,description'),
                           ('counters', 'name,block,slot,unit,description'), ('sections', 'id,title,parent'),
                           ('constants', 'name,default,unit,description'),
                           ('sets', 'name,title,uuid,metrics,mux,boolean,flex')):
            lines = run('list', what, '--for', 'intel-bdw', '--csv').stdout.split('\n')
            self.assertEqual(lines[0], head)
            self.assertEqual(len(lines) - 2, len(document('list', what, '--for', 'intel-bdw')[what]))


if __name__ == '__main__':
    unittest.main(verbosity=2)
