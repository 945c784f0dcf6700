#!/usr/bin/env python3
"""
One precedence of constants: what is typed, then what the file says (in a column or beside its rows), then what a device
says, then the catalog's default. A table of each source against each verb: values and what is listed must agree.
usage: test_constants.py SEXTANT
"""
import json
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(__file__))
from command import Command, FolderTest, csv_rows, metrics  # noqa: E402

run = Command(sys.argv.pop(1), code=0)
BEATS, BITS, BYTES = 'MaliExternalBusBeatsReadBeat', 'MaliConstantsBusWidthBits', 'output_external_read_bytes'
TICKS, RATE, TIME = 'GPUTime.Bottom_To_Bottom', 'TS_FREQ', 'GPUTime'
COUNTS = (10, 20)


def listed(document):
    """The constants of a document of rows."""
    return (document['devices'][0] if 'devices' in document else document)['constants']


def column(document, name):
    table = document['devices'][0] if 'devices' in document else document
    return [row[table['metrics'].index(name)] for row in table['rows']]


class Constants(FolderTest):
    """Bytes are beats of the bus times an eighth of its width."""

    def write(self, name, head, *rows):
        with open(self.path(name), 'w', encoding='utf-8') as file:
            file.write('\n'.join(','.join(map(str, row)) for row in (head, *rows)) + '\n')
        return self.path(name)

    def sources(self):
        """Files of the same counts: how each says the width, what it says of each row, and what is listed of it."""
        times = ('begin_ns', 'end_ns'), ((0, 10 ** 6), (10 ** 6, 2 * 10 ** 6))
        plain = [(*t, n) for t, n in zip(times[1], COUNTS)]
        bare = self.write('bare.csv', (*times[0], BEATS), *plain)
        same = self.write('same.csv', (*times[0], BEATS, BITS), *((*r, 64) for r in plain))
        vary = self.write('vary.csv', (*times[0], BEATS, BITS), *((*r, w) for r, w in zip(plain, (64, 32))))
        alias = self.write('alias.csv', (*times[0], BEATS, 'bus_width_bits'), *((*r, 64) for r in plain))
        beside = self.path('beside.json')
        with open(beside, 'w', encoding='utf-8') as file:
            json.dump({'schema': 'sextant.export/1', 'devices': [
                {'id': 0, 'simulated': False, 'for': 'mali-g310', 'metrics': [*times[0], BEATS], 'units': ['ns', 'ns', None],
                 'rows': plain, 'why': {}, 'constants': {BITS: 64}}]}, file)
        for name, path, widths in (('none', bare, None), ('column', same, (64, 64)), ('rows', vary, (64, 32)),
                                   ('alias', alias, (64, 64)), ('beside', beside, (64, 64))):
            yield name, path, widths
            if path.endswith('.csv'):
                capture = path[:-4] + '.sxc'
                run('import', path, '--for', 'mali-g310', '-o', capture)
                yield name + ' of a capture', capture, widths

    def check_verbs(self, path, bits, typed):
        """Of the last row and of the whole run, in each verb; `bits` of each row, None: nobody says it."""
        want = [n * b // 8 for n, b in zip(COUNTS, bits)] if bits else [None] * 2
        only = ['--for', 'mali-g310', *typed, '-m', BYTES]
        same = bits and bits[0] == bits[1]
        code = 0 if bits else None
        for verb in ('eval', 'export'):
            document = run.document(verb, path, *only, code=code if verb == 'eval' else 0)
            self.assertEqual(column(document, BYTES), want, verb)
            if same:
                told = listed(document) or {name: column(document, name)[0] for name in (BITS, 'bus_width_bits') if name in document.get('metrics', ())}
                self.assertEqual(list(told.values()), [bits[0]], verb)
            rows = csv_rows(run(verb, path, *only, '--csv', code=code if verb == 'eval' else 0).stdout)
            self.assertEqual([r[BYTES] for r in rows], ['' if w is None else str(w) for w in want], verb)
            lines = [json.loads(line) for line in run(verb, path, *only, '-f', 'ndjson', code=code if verb == 'eval' else 0).stdout.splitlines()]
            lines = [line for line in lines if BYTES in line or 'schema' not in line]
            self.assertEqual([line.get(BYTES) for line in lines], want, verb)
            if same:
                for row in (*rows, *lines):
                    self.assertEqual([float(v) for k, v in row.items() if k in (BITS, 'bus_width_bits')], [bits[0]], (verb, row))
        raw = csv_rows(run('export', path, '--for', 'mali-g310', *typed, '--counters', '--csv').stdout)
        if bits:
            self.assertEqual([[float(v) for k, v in row.items() if k in (BITS, 'bus_width_bits')] for row in raw], [[b] for b in bits])
        for verb in ('report', 'stat'):
            first = ['-i', path] if verb == 'stat' else [path]
            one = metrics(run.document(verb, *first, *only))[BYTES]
            for stat, value in (('min', min), ('max', max), ('mean', lambda w: sum(w) / 2)):
                self.assertEqual(one[stat], value(want) if bits else None, (verb, stat))
        if same:
            shown = run('explain', BYTES, '-i', path, '--for', 'mali-g310', *typed).stdout
            self.assertIn(f'{BITS} = {bits[0]}\n', shown)
            twice = metrics(run.document('diff', path, path, *only))[BYTES]
            self.assertEqual([twice[side]['total'] for side in 'ab'], [sum(want)] * 2)

    def test_table(self):
        """What nobody types is the file's; what is typed, by whatever name, goes before it."""
        for name, path, bits in self.sources():
            with self.subTest(name):
                self.check_verbs(path, bits, [])
                for spelling in (BITS, 'bus_width_bits'):
                    self.check_verbs(path, (256, 256), ['--const', f'{spelling}=256'])
                self.check_verbs(path, (512, 512), ['--const', f'{BITS}=256', '--const', 'bus_width_bits=512'])

    def test_device(self):
        """What a device said is in its recording; what is typed goes before it."""
        path = self.path('model.sxc')
        run('record', '-d', 'mali-g310', '-t', '200ms', '-I', '50ms', '-o', path)
        own = listed(run.document('export', path, '-m', BYTES))[BITS]
        for typed, bits in (([], own), (['--const', f'{BITS}={2 * own}'], 2 * own)):
            document = run.document('export', path, '-m', f'{BYTES},{BEATS}', *typed)
            self.assertEqual(listed(document)[BITS], bits)
            self.assertEqual(column(document, BYTES), [n * bits / 8 for n in column(document, BEATS)])
            for verb in (['report'], ['stat', '-i']):
                both = metrics(run.document(*verb, path, '-m', f'{BYTES},{BEATS}', *typed))
                self.assertEqual(both[BYTES]['total'], both[BEATS]['total'] * bits / 8)

    def test_instances(self):
        """Rows of one core each are of one core, also where somebody types how many there are."""
        path = self.path('model.sxc')
        run('record', '-d', 'mali-g310', '-t', '200ms', '-I', '50ms', '-o', path)
        have = [run('report', path, '--by', 'instance', '--csv', *typed).stdout for typed in ([], ['--const', 'MaliConstantsShaderCoreCount=7'])]
        self.assertEqual(have[0], have[1])

    def test_default(self):
        """The catalog's default is the last."""
        bare = self.write('bare.csv', ('duration_ns', TICKS), (10 ** 6, 1000))
        said = self.write('said.csv', ('duration_ns', TICKS, RATE), (10 ** 6, 1000, 1e6))
        for path, typed, seconds in ((bare, [], 1e-6), (said, [], 1e-3), (bare, ['--const', RATE + '=1e3'], 1), (said, ['--const', RATE + '=1e3'], 1)):
            for verb in (['eval'], ['export'], ['report'], ['stat', '-i']):
                document = run.document(*verb, path, '--for', 'amd-gcn3', '--api', 'opengl', '-m', TIME, *typed)
                value = metrics(document)[TIME]['total'] if verb[0] in ('report', 'stat') else column(document, TIME)[0]
                self.assertAlmostEqual(value, seconds, delta=1e-12 * seconds, msg=(verb, path, typed))


if __name__ == '__main__':
    unittest.main()
