#!/usr/bin/env python3
"""Tables of several devices: whose each row is, and under which number or name, through every verb. $SEXTANT is the binary."""
import json
import os
import unittest

from command import Command, FolderTest, csv_rows

run = Command(os.environ['SEXTANT'], code=0)
GAPS = ('device,begin_ns,end_ns,frame,quality,IAVertices,PSInvocations\n'
        '2,0,1000000,0,,300,7\n0,0,1000000,0,,50,1\n2,1000000,2000000,1,,310,8\n70,0,1000000,0,,9,3\n0,1000000,2000000,1,,60,2\n')


class Devices(FolderTest):
    def file(self, text, name='t.csv'):
        path = self.path(name)
        with open(path, 'w', encoding='utf-8') as out:
            out.write(text)
        return path

    def rows(self, path, *args):
        """IAVertices of each device, by its number."""
        out = {}
        for row in csv_rows(run('export', path, '--counters', '--csv', *args).stdout):
            out.setdefault(row.get('device'), []).append(float(row['IAVertices']))
        return out

    def numbers(self, path, *args):
        """The devices that each view of a report tells of."""
        report = run.document('report', path, *args)
        values = {str(m['device']): m['mean'] for m in report['metrics'] if m['name'] == 'IAVertices'}
        self.assertEqual(values, {m['device']: float(m['mean']) for m in csv_rows(run('report', path, '--csv', *args).stdout) if m['name'] == 'IAVertices'})
        self.assertEqual([str(d['id']) for d in report['devices']], sorted(values, key=int))
        self.assertEqual([str(d['id']) for d in run.document('report', path, '--by', 'frame', *args)['devices']], sorted(values, key=int))
        return values

    def test_numbers_stay(self):
        """Numbers of an export that do not follow each other, through a capture, a copy, a trace and every form of rows."""
        path = self.file(GAPS)
        want = {'0': [50, 60], '2': [300, 310], '70': [9]}
        kept, copied = self.path('kept.sxc'), self.path('copy.sxc')
        run('import', path, '-o', kept)
        run('capture', 'cut', kept, '-o', copied)
        files = [path, kept, copied]
        for form, more in (('csv', ()), ('json', ()), ('ndjson', ()), ('perfetto', ('--counters',))):
            files.append(self.path('again.' + ('pftrace' if form == 'perfetto' else form)))
            run('export', kept, '-f', form, '-o', files[-1], *(more or ('--counters',)))
        for file in files:
            with self.subTest(os.path.basename(file)):
                self.assertEqual(self.rows(file), want)
                self.assertEqual(self.rows(file, '-d', '70'), {None: [9]})
                self.assertEqual(sorted(row['id'] for row in csv_rows(run('list', 'devices', file, '--csv').stdout)), sorted(want))
                self.assertEqual(self.numbers(file, '--counters'), {'0': 55, '2': 305, '70': 9})
        self.assertEqual([d['id'] for d in run.document('capture', 'info', kept)['devices']], [0, 2, 70])
        self.assertEqual(json.loads(run('advise', kept, '--json', code=None).stdout)['devices'][0]['id'], 0)
        self.assertEqual(run('report', kept, '-d', '1', code=3).stderr.splitlines()[0], f'error: no device 1 in {kept}')

    def test_numbered_of_one_catalog(self):
        """Each is called by its number where several would be called after one catalog, and each is counted on stderr."""
        rows = ''.join(f'{at * 10},{at * 10 + 10},{device},{device * 10 + at}\n' for at in range(2) for device in (0, 3))
        forms = {'own.csv': 'begin_ns,end_ns,device,IAVertices\n' + rows, 'any.csv': 'begin_us;end_us;device;IAVertices\n' + rows.replace(',', ';'),
                 'rows.ndjson': ''.join('{"begin_ns": %s, "end_ns": %s, "device": %s, "IAVertices": %s}\n' % tuple(row.split(',')) for row in rows.split())}
        for name, text in forms.items():
            with self.subTest(name):
                path = self.file(text, name)
                result = run('report', path, '--for', 'opengl')
                self.assertEqual([line for line in result.stderr.splitlines() if 'samples' in line], [f'  device {n}: 2 samples, catalog opengl' for n in (0, 3)])
                self.assertEqual([line for line in result.stdout.splitlines() if line.startswith(('device', 'opengl'))], ['device 0', 'device 3'])
                self.assertEqual([d['name'] for d in run.document('report', path)['devices']], ['device 0', 'device 3'])
                self.assertEqual([m['mean'] for m in run.document('report', path, '-d', '3', '-m', 'IAVertices')['metrics']], [30.5])
        result = run('report', self.file('device,begin_ns,end_ns,IAVertices,CPUTime\n0,0,9,5,\n1,0,9,,7\n'), '--for', 'opengl')
        self.assertIn('device 1: 1 sample, catalog', result.stderr)
        twins = ', '.join('{"id": %d, "name": "SAME", "for": "opengl", "metrics": ["begin_ns", "end_ns", "IAVertices"], "units": ["ns", "ns", null], "rows": [[0, 9, %d]]}' % (n, n) for n in (0, 1))
        result = run('report', self.file('{"schema": "sextant.export/1", "devices": [' + twins + ']}', 'twins.json'))
        self.assertIn('  SAME: 2 devices, each 1 sample, catalog opengl', result.stderr)

    def test_names_stay(self):
        """JSON and NDJSON give devices their names, numbers and catalogs back, of several and of one whose number is not 0; names of rows are columns."""
        kept = self.path('two.sxc')
        run('record', '-d', 'mali-g310,mali-g625', '-I', '30ms', '-t', '120ms', '-o', kept)
        keys = ('id', 'name', 'catalog', 'constants')
        want = [{key: device[key] for key in keys} for device in run.document('capture', 'info', kept)['devices']]
        self.assertEqual([(d['id'], d['name'], d['catalog']) for d in want], [(0, 'Mali-G310 (simulated)', 'mali-g310'), (1, 'Mali-G625 (simulated)', 'mali-g625')])
        for form in ('json', 'ndjson'):
            for args, due in (((), want), (('-d', '1'), want[1:])):
                with self.subTest(form=form, args=args):
                    once = run('export', kept, '-f', form, '-m', 'gpu_active_cycles', *args).stdout
                    again = self.file(once, 'again.' + form)
                    self.assertEqual([{key: device[key] for key in keys} for device in run.document('capture', 'info', again)['devices']], due)
                    self.assertEqual(run('export', again, '-f', form, '-m', 'gpu_active_cycles').stdout, once)
        foreign = self.file('{"device": "7", "name": "menu", "id": 3, "end_ns": 5, "IAVertices": 2}\n{"device": "7", "name": "play", "id": 4, "end_ns": 9, "IAVertices": 3}\n')
        row = csv_rows(run('export', foreign, '--for', 'opengl', '--counters', '--csv').stdout)[1]
        self.assertEqual((row['name'], row['id']), ('play', '4'))

    def test_two_files(self):
        """Where two have a number, the first keeps it."""
        first, second = self.file(GAPS, 'a.csv'), self.file(GAPS.replace('70,', '1,'), 'b.csv')
        both = self.path('both.sxc')
        run('import', first, second, '-o', both)
        self.assertEqual([d['id'] for d in run.document('capture', 'info', both)['devices']], [0, 2, 70, 3, 1, 4])
        self.assertEqual(self.rows(both, '-d', '4'), {None: [300, 310]})

    def test_any_table(self):
        """The same of tables of other makers: numbers or names, in whatever column, each row its device's, whether --for is given or not."""
        wide = 'frame,Device,IAVertices,PSInvocations\n1,{0},2,5\n2,{0},3,6\n1,{1},7,9\n'
        long = 'name,frame,device,value\n' + ''.join(f'IAVertices,{frame},{{{device}}},{value}\n' for frame, device, value in ((1, 0, 2), (1, 1, 7), (2, 0, 3)))
        lines = [{'frame': frame, 'device': device, 'IAVertices': value, 'end_ns': 10 * frame} for frame, device, value in ((1, 0, 2), (2, 0, 3), (1, 1, 7))]
        for names, ids in ((('3', '9'), ('3', '9')), (('left', 'right'), ('0', '1')), (('0', 'the other'), ('0', '1'))):
            ndjson = ''.join(json.dumps({**line, 'device': names[line['device']]}) + '\n' for line in lines)
            tables = {'wide': wide.format(*names), 'semicolons': wide.replace(',', ';').format(*names), 'long': long.format(*names), 'ndjson': ndjson}
            for kind, text in tables.items():
                for args in ((), ('--for', 'opengl')):
                    with self.subTest(kind=kind, names=names, args=args):
                        path = self.file(text, 'd-' + kind)
                        self.assertEqual(self.rows(path, *args), {ids[0]: [2, 3], ids[1]: [7]})
                        self.assertEqual(self.rows(path, '-d', names[1], *args), {None: [7]})
                        rows = csv_rows(run('eval', path, '-m', 'IAVertices', '--csv', *args).stdout)
                        self.assertEqual([(r['device'], r['IAVertices']) for r in rows], [(ids[0], '2'), (ids[0], '3'), (ids[1], '7')])
            self.assertIn(names[1], run('list', 'devices', path).stdout)

    def test_each_its_own(self):
        """Columns of another device mean nothing: no catalog's names, units or constants mix; what a row does not say is nobody's."""
        text = ('device,IAVertices,IdleTime,cpus,scene,D3DGPUTime,UserTime\n'
                'a,5,,,x,7,\nb,,77,4,,,8\na,6,,,y,8,\n,8,,,,9,\n')
        info = run.document('capture', 'info', self.file(text))['devices']
        self.assertEqual([(d['name'], d['id'], d['catalog'], d['rows'], [c['name'] for c in d['columns']]) for d in info],
                         [('a', 0, 'opengl', 2, ['IAVertices', 'D3DGPUTime']), ('b', 1, 'cpu', 1, ['IdleTime', 'cpus', 'UserTime']),
                          ('', 2, 'opengl', 1, ['IAVertices', 'D3DGPUTime'])])
        self.assertEqual([d['constants'] for d in info], [{}, {'cpus': 4}, {}])
        mali = 'device,MaliGPUCyclesGPUActive,MaliGPUCyclesInterruptActive\n0,100,3\n4,200,5\n'
        self.assertEqual([d['id'] for d in run.document('capture', 'info', self.file(mali))['devices']], [0, 4])

    def test_called_after_a_catalog(self):
        """A device that is called after a catalog is of it; of names that several have, an API goes before hardware, in long tables too."""
        for device in ('vulkan', 'amd-gcn2'):
            path = self.file(f'device,duration_ns,IAVertices,cpu_busy\n{device},10000000,100,\ncpu,10000000,,50\n')
            devices = run.document('report', path)['devices']
            self.assertEqual([(d['catalog'], d['name']) for d in devices], [(device, device), ('cpu', 'cpu')])
            self.assertNotIn('does not say', run('report', path).stderr)
        for text in ('duration_ns,IAVertices\n10000000,100\n', 'frame,name,value\n0,IAVertices,100\n1,IAVertices,300\n'):
            path = self.file(text)
            device, = run.document('report', path)['devices']
            self.assertEqual(device['catalog'], 'opengl')
            self.assertIn('names fit opengl as well as any', ' '.join(run('report', path).stderr.split()))

    def test_broken_rows(self):
        """A device that cannot be read does not take the others with it."""
        result = run('export', self.file('device,IAVertices,Frames\n4,1,2\n6,x,3\n4,2,3\n'), '--for', 'opengl', '--counters', '--csv', code=None)
        self.assertEqual([row['IAVertices'] for row in csv_rows(result.stdout)], ['1', '2'])
        self.assertIn('t.csv:3: column 2: "x" is not a number', result.stderr)

    def test_too_many(self):
        """A column of that name which numbers no devices is a column as any."""
        text = 'device,IAVertices\n' + ''.join(f'{i}.5,{i}\n' for i in range(100))
        result = run('export', self.file(text), '--for', 'opengl', '--counters', '--csv')
        self.assertEqual([row['device'] for row in csv_rows(result.stdout)], [f'{i}.5' for i in range(100)])
        self.assertIn('column device has more than 64 texts', ' '.join(result.stderr.split()))


if __name__ == '__main__':
    unittest.main(verbosity=2)
