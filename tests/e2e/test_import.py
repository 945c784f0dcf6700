#!/usr/bin/env python3
"""Files of other tools through the command: what is in the capture against what the writer in Python meant. $SEXTANT is the binary."""
import csv
import gzip
import json
import os
import random
import re
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import import_files

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'oracle'))
import units
from command import Command, FolderTest

SEXTANT = os.environ['SEXTANT']
run = Command(SEXTANT)


def columns(path, *args):
    """Raw columns and labels of the first device of a file."""
    result = run('export', path, '--counters', '--json', *args)
    if result.returncode not in (0, 1) or not result.stdout:
        raise AssertionError(result.stderr)
    document = units.in_catalog_units(SEXTANT, json.loads(result.stdout))
    document = document['devices'][0]  # one table a device
    return {name: [row[i] for row in document['rows']] for i, name in enumerate(document['metrics'])}, result


class Import(FolderTest):
    def check_values(self, have, expected, name):
        for column, want in expected.items():
            self.assertIn(column, have, f'{name}: {sorted(have)}')
            self.assertEqual(len(have[column]), len(want), f'{name} {column}')
            for got, value in zip(have[column], want):
                if value is None or isinstance(value, str):
                    self.assertEqual(got, value, f'{name} {column}')
                else:
                    self.assertIsNotNone(got, f'{name} {column}')
                    self.assertAlmostEqual(got, value, delta=abs(value) * 1e-9 + 1e-9, msg=f'{name} {column}')

    def test_one_list_of_kinds(self):
        """What formats.def lists is what --as accepts, the documents describe and writers make."""
        def document(name):
            with open(os.path.join(os.path.dirname(__file__), '../..', name), encoding='utf-8') as file:
                return file.read()
        kinds = set(import_files.kinds())
        path = import_files.write(self.folder.name, 'table')
        known = run('import', path, '--as', 'none', '-o', self.path('x.sxc')).stderr
        self.assertEqual(set(re.search('because: known are (.*)', known)[1].split(', ')), kinds)
        self.assertEqual({import_files.kind_of(name) for name in import_files.KINDS}, kinds)
        self.assertEqual(set(re.findall(r'^\| `([a-z0-9-]+)` \|', document('docs/import.md').split('## Kinds')[1].split('\n## ')[0], re.M)), kinds)
        self.assertEqual(kinds - set(re.findall('[a-z0-9-]+', run('import', '--help').stdout)), set())
        self.assertIn(f'of {len([k for k in kinds if not k.startswith("sextant-")])} kinds', document('README.md'))

    def test_every_kind(self):
        for name in import_files.KINDS:
            with self.subTest(name):
                path = import_files.write(self.folder.name, name)
                expected = import_files.KINDS[name][0]()[1]
                have, result = columns(path)
                self.check_values(have, expected, name)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertIn(os.path.basename(path), result.stderr)  # the kind is said
                out = self.path('kept.sxc')
                kept = run('import', path, '-o', out, '--as', import_files.kind_of(name))
                self.assertEqual(kept.returncode, 0, kept.stderr)
                self.check_values(columns(out)[0], expected, name + ' kept')

    def test_every_verb(self):
        for name in ('mangohud', 'rocprofv3', 'perfetto', 'perf-stat-text', 'gallium-hud', 'codexl', 'nvtop', 'streamline-csv'):
            path = import_files.write(self.folder.name, name)
            for verb in (('report',), ('report', '--json'), ('export',), ('capture', 'info'), ('capture', 'check')):
                with self.subTest(f'{verb} {name}'):
                    result = run(*verb, path)
                    self.assertEqual(result.returncode, 0, result.stderr)
                    self.assertNotIn('/proc/self', result.stdout + result.stderr)
        path = import_files.write(self.folder.name, 'mangohud')
        data = import_files.frames()
        busy = sum(f['busy'] * f['ms'] for f in data) / sum(f['ms'] for f in data)
        self.assertIn(f'GpuBusy = {busy:.1f} %', run('explain', 'gpu_busy', '-i', path).stdout)

    def test_cut_within_the_header(self):
        for name in ('rocprofv3', 'rocprof', 'mangohud', 'renderdoc', 'codexl', 'perf-stat-json'):
            with self.subTest(name):
                path = import_files.write(self.folder.name, name)
                with open(path, 'rb') as file:
                    data = file.read()
                with open(path, 'wb') as file:
                    file.write(data[:60])
                result = run('import', path, '--as', import_files.kind_of(name), '-o', self.path('x.sxc'))
                self.assertEqual(result.returncode, 5, result.stderr)

    def test_standard_input(self):
        text = import_files.mangohud()[0].decode()
        self.assertEqual(run('import', '-', '-o', self.path('in.sxc'), input=text).returncode, 0)
        for verb in ('report', 'export', 'advise'):
            result = run(verb, '-', input=text)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn('MangoHud', result.stderr)
        # ScratchRegs is NA in every line: not measured, which is told and no failure.
        codexl = run('report', import_files.write(self.folder.name, 'codexl'))
        self.assertEqual(codexl.returncode, 0, codexl.stderr)
        self.assertIn('1 column has no value: ScratchRegs', ' '.join(codexl.stderr.split()))
        self.assertNotIn('has times', run('report', import_files.write(self.folder.name, 'long-table')).stderr)
        result = run('report', '-', input='nothing that is known')
        self.assertEqual(result.returncode, 5, result.stderr)

    def test_streams(self):
        """A FIFO, a process substitution and a pipe are read once, whatever looks at them first; a capture as well as a log."""
        log = import_files.write(self.folder.name, 'mangohud')
        table, capture = self.path('t.csv'), self.path('kept.sxc')
        self.assertEqual(run('import', log, '-o', capture).returncode, 0)
        with open(table, 'w', encoding='ascii') as file:
            file.write('MaliGPUCyclesGPUActive\n12345\n')
        for verb in (('report',), ('advise',), ('export', '--csv'), ('capture', 'info'), ('eval',), ('explain', 'gpu_busy', '-i')):
            for file in (log, capture):
                with self.subTest(f'{verb} {os.path.basename(file)}'):
                    want = run(*verb, file).stdout.replace(os.path.basename(file), 'FILE')
                    name = '/dev/fd/9'
                    script = '"$0" "$@" 9< <(cat "$FILE")'
                    piped = subprocess.run(['bash', '-c', script, SEXTANT, *verb, name], capture_output=True, text=True, timeout=60, check=False,
                                           env=os.environ | {'FILE': file})
                    self.assertEqual(piped.returncode, 0, piped.stderr)
                    self.assertNotIn('/proc/self', piped.stdout + piped.stderr)
                    if verb[0] == 'capture':
                        self.assertIn('120 rows', piped.stdout)
                    else:
                        self.assertEqual(piped.stdout.replace(name, 'FILE'), want)
                    with open(file, 'rb') as stdin:
                        data = stdin.read()
                    piped = subprocess.run([SEXTANT, *verb, '-'], input=data, capture_output=True, timeout=60, check=False)
                    self.assertEqual(piped.returncode, 0, piped.stderr)
        fifo = self.path('fifo')
        os.mkfifo(fifo)
        for args, source in ((('diff', fifo, log, '--json'), log), (('eval', '--for', 'mali-g310', fifo, '--csv', '-m', 'gpu_active_cycles'), table)):
            with self.subTest(args[0]):
                writer = subprocess.Popen(['cp', source, fifo])
                result = run(*args)
                self.assertEqual(writer.wait(60), 0)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertIn('"same"' if args[0] == 'diff' else '12345', result.stdout)
        bad = subprocess.run([SEXTANT, 'eval', '--for', 'mali-g310', '-'], input='MaliGPUCyclesGPUActive,x\n,5\nx,6\n', capture_output=True, text=True,
                             timeout=60, check=False)
        self.assertIn('standard input:3', bad.stderr)

    def test_decode_says_where(self):
        path = import_files.write(self.folder.name, 'rocprof')
        result = run('decode', path, '--as', 'rocprof')
        self.assertEqual(result.returncode, 2)
        self.assertIn(f'try: sextant export {path} --counters', result.stderr)

    def test_rules_find_their_inputs(self):
        for name in ('rocprof', 'rocprofv3', 'codexl'):
            with self.subTest(name):
                result = run('advise', import_files.write(self.folder.name, name), '--json')
                self.assertEqual(result.returncode, 0, result.stderr)
                fired = {f['rule'] for f in json.loads(result.stdout)['findings']}
                self.assertLessEqual({'cl.lanes', 'cl.memory', 'cl.cache'}, fired)
        self.assertIn('GFX9', result.stderr + run('advise', import_files.write(self.folder.name, 'rocprof')).stderr)
        self.assertIn('catalog amd-gcn1', run('report', import_files.write(self.folder.name, 'codexl')).stderr)  # Tahiti

    def test_neutral_names(self):
        path = import_files.write(self.folder.name, 'mangohud')
        result = run('export', path, '--json', '-m', 'gpu.busy,frame.time,gpu.frequency,cpu.busy')
        document, = json.loads(result.stdout)['devices']
        self.assertEqual([m for m in document['metrics'] if not m.endswith('_ns') and m != 'quality'],
                         ['gpu_busy', 'frame_time', 'gpu_frequency', 'cpu_busy'])

    def test_several_devices(self):
        for name, count in (('nvtop', 2), ('rocprofv3-two-agents', 2), ('perfetto', 4)):
            path = import_files.write(self.folder.name, name)
            info = json.loads(run('capture', 'info', path, '--json').stdout)
            self.assertEqual(len(info['devices']), count, name)
        # Files of one run in one capture.
        out = self.path('all.sxc')
        result = run('import', import_files.write(self.folder.name, 'mangohud'), import_files.write(self.folder.name, 'radeontop'), '-o', out)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(len(json.loads(run('capture', 'info', out, '--json').stdout)['devices']), 2)

    def test_packed_and_encoded(self):
        data, expected = import_files.mangohud()
        for name, content in (('gz', gzip.compress(data)), ('bom', b'\xef\xbb\xbf' + data), ('utf16', data.decode().encode('utf-16')),
                              ('utf16be', b'\xfe\xff' + data.decode().encode('utf-16-be')), ('crlf', data.replace(b'\n', b'\r\n'))):
            with self.subTest(name):
                path = self.path(name + '.csv')
                with open(path, 'wb') as out:
                    out.write(content)
                self.check_values(columns(path)[0], expected, name)
        data, expected = import_files.perfetto()
        path = self.path('trace.gz')
        with open(path, 'wb') as out:
            out.write(gzip.compress(data))
        self.check_values(columns(path)[0], expected, 'perfetto.gz')

    def test_cut(self):
        """What stands before the break is there, and the exit status says that something is not."""
        for name in ('mangohud', 'rocprof', 'perfetto', 'radeontop', 'mesa-utrace'):
            with self.subTest(name):
                path = import_files.write(self.folder.name, name)
                with open(path, 'rb') as file:
                    data = file.read()
                with open(path, 'wb') as file:
                    file.write(data[:len(data) * 2 // 3 - 3])
                out = self.path('cut.sxc')
                result = run('import', path, '-o', out)
                self.assertEqual(result.returncode, 1, result.stderr)
                self.assertIn('breaks off', result.stderr)
                self.assertEqual(len(result.stderr.strip().splitlines()[-3:]), 3)
                have, again = columns(out)
                self.assertGreater(len(have['begin_ns']), 3)
                self.assertEqual(again.returncode, 1)
        data = import_files.intel_gpu_top(cut='inside')[0]
        with open(self.path('cut.json'), 'wb') as file:
            file.write(data)
        have, _ = columns(self.path('cut.json'))
        self.assertEqual(len(have['GpuBusy']), 20)

    def test_cut_within_the_last_cell(self):
        """The last line has as many cells as it should, and no end: its last number may lack digits, and is not there."""
        # Per kind: bytes that are cut, and rows that are left of those that were there.
        for name, cut, rows in (('mangohud', 3, 119), ('rocprof', 4, 23), ('renderdoc', 3, 8), ('codexl', 5, 9), ('intel-gpu-top-csv', 3, 5),
                                ('radeontop', 4, 11), ('perf-stat', 3, 5), ('perf-stat-json', 2, 5)):
            with self.subTest(name):
                path = import_files.write(self.folder.name, name)
                whole = import_files.KINDS[name][0]()[0]
                with open(path, 'wb') as file:
                    file.write(whole[:-cut])
                out = self.path('cut.sxc')
                result = run('import', path, '-o', out)
                self.assertEqual(result.returncode, 1, result.stderr)
                self.assertIn('breaks off in line', result.stderr)
                self.assertEqual(len(columns(out)[0]['begin_ns']), rows)
        # Whoever wrote these may leave the last line without an end: it stays, and that is told.
        for name in ('gpa-csv', 'hwcpipe-csv', 'streamline-csv', 'long-table'):
            with self.subTest(name):
                path = import_files.write(self.folder.name, name)
                data, expected = import_files.KINDS[name][0]()
                with open(path, 'wb') as file:
                    file.write(data[:-1])
                have, result = columns(path)
                self.check_values(have, expected, name)
                self.assertEqual(result.returncode, 0)
                self.assertIn('the last line has no end', ' '.join(result.stderr.split()))
        path = import_files.write(self.folder.name, 'nvtop')
        with open(path, 'wb') as file:
            file.write(import_files.nvtop()[0].rstrip()[:-1])  # its bracket alone: another device may have stood there
        self.assertEqual(columns(path)[1].returncode, 1)
        path = import_files.write(self.folder.name, 'gallium-hud')
        with open(os.path.join(path, 'fps'), 'wb') as file:
            file.write(b'60\n61\n6')
        with open(os.path.join(path, 'began'), 'wb'):
            pass  # a graph of which nothing was written yet
        have, result = columns(path)
        self.assertEqual(have['FrameRate'][:3], [60, 61, None])
        self.assertEqual(result.returncode, 1, result.stderr)

    def test_a_folder_with_a_fifo(self):
        """The HUD writes files alone: what nothing writes to is not waited for."""
        path = import_files.write(self.folder.name, 'gallium-hud')
        os.mkfifo(os.path.join(path, 'pipe'))
        have, result = columns(path)
        self.assertIn('FrameRate', have)
        self.assertIn('pipe', result.stderr)

    def test_summary_of_mangohud(self):
        """What lies beside each log, and is picked as easily: refused with the way to the log."""
        with open(self.path('game_summary.csv'), 'w', encoding='ascii') as file:
            file.write('0.1% Min FPS,1% Min FPS,97% Percentile FPS,Average FPS,GPU Load,CPU Load\n41.2,44.0,63.1,58.8,90.0,20.5')
        result = run('report', self.path('game_summary.csv'))
        self.assertEqual(result.returncode, 5)
        self.assertIn('without _summary', result.stderr)

    def test_unknown_units(self):
        """A unit that nobody knows is no reason to print a wrong number."""
        data = import_files.intel_gpu_top()[0].replace(b'"MHz"', b'"furlongs"')
        with open(self.path('odd.json'), 'wb') as file:
            file.write(data)
        have, result = columns(self.path('odd.json'))
        self.assertNotIn('GpuFrequency', have)
        self.assertIn('GpuPower', have)
        self.assertIn('frequency is in furlongs', ' '.join(result.stderr.split()))

    def test_cut_text_of_perf(self):
        """perf ends its text with the time that it took; counts before a break are there, the line that breaks off is not."""
        data = import_files.perf_text()[0]
        for title, end, faults in (('behind a line', data.index(b'         2,345,678'), [12345]), ('within a count', data.index(b',678'), [12345]),
                                   ('within a name', data.index(b'faults') + 3, None), ('before the time', data.index(b'      1.001'), [12345])):
            with self.subTest(title):
                with open(self.path('cut.txt'), 'wb') as file:
                    file.write(data[:end])
                have, result = columns(self.path('cut.txt'))
                self.assertEqual(result.returncode, 1, result.stderr)
                self.assertIn('breaks off', result.stderr)
                self.assertEqual(have.get('PageFaults'), faults)
                self.assertEqual(have.get('Cycles'), [2345678] if title == 'before the time' else None)
                self.assertEqual(run('decode', self.path('cut.txt'), '--as', 'perf-stat', '--for', 'cpu').returncode, 1)

    def test_damaged_numbers(self):
        """Of every kind: what should be a number and is none is no data, and is told with its place."""
        for name, number, damaged, column, place in (
                ('radeontop', b'gpu 61.50%', b'gpu 6!.50%', 'GpuBusy', 'in line 3, column gpu'), ('nvtop', b'"2000MHz"', b'"2OOOMHz"', 'GpuFrequency', 'in sample 1, column gpu_clock'),
                ('intel-gpu-top', b'"actual": 1251.5', b'"actual": "fast"', 'GpuFrequency', 'in sample 2, column actual'),
                ('intel-gpu-top-csv', b'1201.0', b'12O1.0', 'GpuFrequency', 'in line 3, column Freq MHz act'),
                ('mesa-utrace', None, None, 'GpuTime', 'column time_ns'), ('rocprof', None, None, 'VALUBusy', 'in line 2, column VALUBusy'),
                ('rocprofv3', None, None, 'VALUBusy', 'column Counter_Value'), ('codexl', b',28,18,', b',28,1B,', 'SGPRs', 'in line 6, column SGPRs'),
                ('renderdoc', b',300,', b',3oo,', 'IAVertices', 'in line 2, column Input Vertices Read'), ('long-table', b',4000001', b',4OOOO01', 'MaliGPUCyclesGPUActive', 'column value'),
                ('hwcpipe-csv', None, None, None, 'in line 2')):
            with self.subTest(name):
                path = import_files.write(self.folder.name, name)
                with open(path, 'rb') as file:
                    data = file.read()
                if name == 'mesa-utrace':
                    cells = data.splitlines()[1].split(b',')
                    number, damaged = b','.join(cells[:4]), b','.join([*cells[:2], b'1x', cells[3]])
                elif name == 'rocprof':
                    number = f'{import_files.dispatches()[0]["VALUBusy"]:.10g}'.encode()
                elif name == 'rocprofv3':
                    number = f'{import_files.dispatches()[0]["VALUBusy"]:.6f}'.encode()
                elif name == 'hwcpipe-csv':
                    number = data.splitlines()[1].rpartition(b',')[2]
                damaged = damaged or number[:-1] + b'?'
                self.assertIn(number, data)
                with open(path, 'wb') as file:
                    file.write(data.replace(number, damaged, 1))
                have, result = columns(path)
                told = ' '.join(result.stderr.split())
                self.assertIn('no number and left out, the first in', told)
                self.assertIn(place, told)
                if column and column != 'GpuTime':
                    self.assertEqual(have[column].count(None), 1, told)

    def test_dispatch_without_number(self):
        """A word for the number of a dispatch is noted, and its line is a row still."""
        path = import_files.write(self.folder.name, 'rocprofv3')
        with open(path, 'rb') as file:
            lines = file.read().split(b'\n')
        lines[3] = lines[3].replace(b'1,1,', b'1,foo,', 1)
        with open(path, 'wb') as file:
            file.write(b'\n'.join(lines))
        told = ' '.join(columns(path)[1].stderr.split())
        self.assertIn('1 cell is no number and left out, the first in line 4, column Dispatch_Id: "foo"', told)

    def test_words_for_no_data(self):
        """What a writer prints where it has no number is no mistake."""
        for name, number, word in (('radeontop', b'gpu 61.50%', b'gpu -nan%'), ('radeontop', b'vram 25.00% 2048.50mb', b'vram -nan% 0.00mb'),
                                   ('nvtop', b'"14%"', b'"CPU Fan"'), ('nvtop', b'"14%"', b'"1400RPM"'), ('nvtop', b'"117W"', b'null')):
            with self.subTest(word):
                path = import_files.write(self.folder.name, name)
                with open(path, 'rb') as file:
                    data = file.read()
                self.assertIn(number, data)
                with open(path, 'wb') as file:
                    file.write(data.replace(number, word))
                result = run('report', path)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertNotIn('no number', result.stderr)

    def test_json_of_perf_through_other_tools(self):
        """What jq or Python print again are the same numbers: spaces, arrays, the order of keys, how a number is written."""
        data, expected = import_files.perf_json()
        objects = [json.loads(line) for line in data.decode().splitlines()]

        def lines(change=lambda o: o, **how):
            return '\n'.join(json.dumps(change(dict(o)), **how) for o in objects) + '\n'

        forms = {'spaces': lines(), 'compact': lines(separators=(',', ':')), 'sorted': lines(sort_keys=True), 'indented': lines(indent=2),
                 'array': json.dumps(objects), 'array indented': json.dumps(objects, indent=2) + '\n',
                 'values as numbers': lines(lambda o: o | {'counter-value': float(o['counter-value']) if o['counter-value'][0] != '<' else o['counter-value'],
                                                           'event-runtime': float(o['event-runtime'])}),
                 'whole seconds': lines(lambda o: o | {'interval': int(o['interval'])}), 'text': lines(lambda o: o | {'interval': str(o['interval'])}),
                 'exponent': lines(lambda o: o | {'interval': f"@{round(o['interval'] * 1e6)}E-6@"}).replace('"@', '').replace('@"', '')}
        for title, text in forms.items():
            with self.subTest(title):
                with open(self.path('perf.json'), 'w', encoding='ascii') as file:
                    file.write(text)
                have, result = columns(self.path('perf.json'))
                self.assertEqual(result.returncode, 0, result.stderr)
                self.check_values(have, expected, title)
                self.assertNotIn('no counts', result.stderr)
                ends = [int(o['interval']) * 10**9 for o in objects[::3]]
                for got, want in zip(have['end_ns'], ends):
                    self.assertLessEqual(abs(got - want), 1000, title)
        with open(self.path('perf.json'), 'w', encoding='ascii') as file:
            file.write(forms['array indented'][:-200])
        self.assertEqual(columns(self.path('perf.json'))[1].returncode, 1)

    def test_metric_only_of_perf(self):
        """Ratios without their counts: refused by name, as perf 6.1 prints them."""
        for title, text in {'text': "# started on Sun\n\n Performance counter stats for 'sleep 1':\n\n\n\n       1.001234567 seconds time elapsed\n\n",
                            'interval': '#           time   CPUs utilized   insn per cycle\n     1.000123456             1.0             0.9\n',
                            'cells': ' time,CPUs utilized,insn per cycle\n     1.000123456,1.0,0.9\n',
                            'json': '{"unit" : "CPUs utilized"}\n{"interval" : 1.000123456}{"metric-value" : "1.0"}\n'}.items():
            with self.subTest(title):
                with open(self.path('ratios.txt'), 'w', encoding='ascii') as file:
                    file.write(text)
                result = run('report', self.path('ratios.txt'))
                self.assertEqual(result.returncode, 5, result.stdout)
                self.assertIn('--metric-only', result.stderr)

    def log(self, changes, name='mangohud'):
        """A log with other times: {row: elapsed}; its path."""
        lines = import_files.KINDS[name][0]()[0].decode().splitlines()
        for row, elapsed in changes.items():
            lines[row + 3] = lines[row + 3].rpartition(',')[0] + f',{elapsed}'
        with open(self.path('times.csv'), 'w', encoding='ascii') as file:
            file.write('\n'.join(lines) + '\n')
        return self.path('times.csv')

    def test_impossible_times(self):
        """They are told and taken from the times beside them, and hide neither the sample's values nor how long all took."""
        expected = import_files.mangohud()[1]
        for title, row, elapsed, note in (('negative', 7, -5, 'below 0'), ('beyond', 7, 2**63 + 5, 'a century off'), ('not a number', 7, 'x', 'no numbers'),
                                          ('a year on', 47, 10**18, 'a year or more'), ('first', 0, 10**18, 'a year or more'),
                                          ('back', 47, 1000, 'out of the order')):
            with self.subTest(title):
                path = self.log({row: elapsed})
                have, result = columns(path)
                want = list(expected['end_ns'])
                # Behind a time out of the order two frames share what lies between known ones.
                self.assertAlmostEqual(have['end_ns'][row], want[row], delta=3e5 if title == 'back' else 2)
                want[row] = have['end_ns'][row]
                self.check_values(have, expected | {'end_ns': want}, title)
                self.assertIn(note, ' '.join(result.stderr.split()))
                for begin, end in zip(have['begin_ns'], have['end_ns']):
                    self.assertFalse(begin is not None and end is not None and begin > end)
                length = json.loads(run('report', path, '--json').stdout)['duration_ns']
                self.assertAlmostEqual(length, expected['end_ns'][-1], delta=5e7)
        # The end before the begin, each as its own column; also through eval.
        table = 'begin_ns,end_ns,MaliGPUActiveCy,MaliCoreActiveCy\n100,200,5,5\n300,250,6,5\n400,500,7,5\n'
        with open(self.path('table.csv'), 'w', encoding='ascii') as file:
            file.write(table)
        have, result = columns(self.path('table.csv'))
        self.assertEqual((have['begin_ns'], have['end_ns'], have['MaliGPUActiveCy']), ([100, None, 400], [200, None, 500], [5, 6, 7]))
        self.assertIn('ends before it begins', ' '.join(result.stderr.split()))
        result = run('eval', '--for', 'mali-g310', self.path('table.csv'), '--csv', '-m', 'gpu_active_cycles')
        self.assertEqual(result.stdout.splitlines(), ['begin_ns,end_ns,gpu_active_cycles', '100,200,5', ',,6', '400,500,7'], result.stderr)
        self.assertIn('times that cannot be, line 3 the first', ' '.join(result.stderr.split()))

    def test_recordings_behind_each_other(self):
        """Two logs in one file, whose times begin again, last as long as both."""
        data, expected = import_files.mangohud()
        lines = data.decode().splitlines(True)
        with open(self.path('two.csv'), 'w', encoding='ascii') as file:
            file.writelines(lines + lines[3:])
        have, result = columns(self.path('two.csv'))
        last = expected['end_ns'][-1]
        self.check_values(have, {'end_ns': expected['end_ns'] + [t + last for t in expected['end_ns']]}, 'two logs')
        self.assertIn('times begin again', ' '.join(result.stderr.split()))
        self.assertAlmostEqual(json.loads(run('report', self.path('two.csv'), '--json').stdout)['duration_ns'], 2 * last, delta=1e6)
        perf = import_files.perf_text()[0].decode()
        with open(self.path('two.txt'), 'w', encoding='ascii') as file:
            file.write('# started on Sun\n' + perf + '# started on Mon\n' + perf)
        have, _ = columns(self.path('two.txt'))
        self.assertEqual((have['begin_ns'], have['end_ns']), ([0, 1001234567], [1001234567, 2002469134]))
        # Rows of one time, say a core each, are of one recording.
        with open(self.path('cores.csv'), 'w', encoding='ascii') as file:
            file.write('begin_ns,duration_ns,MaliCoreActiveCy,MaliFragQueueActiveCy\n0,10,1,1\n0,10,2,2\n10,10,3,3\n10,10,4,4\n')
        have, result = columns(self.path('cores.csv'))
        self.assertEqual((have['begin_ns'], have['end_ns']), ([0, 0, 10, 10], [10, 10, 20, 20]), result.stderr)
        with open(self.path('cores.csv'), 'w', encoding='ascii') as file:  # or a core behind the other
            file.write('begin_ns,duration_ns,MaliCoreActiveCy,MaliFragQueueActiveCy\n0,10,1,1\n10,10,2,2\n0,10,3,3\n10,10,4,4\n')
        self.assertEqual(columns(self.path('cores.csv'))[0]['begin_ns'], [0, 10, 0, 10])
        # A clock of the day is not counted on: it may be set.
        dump = import_files.radeontop()[0].decode().splitlines(True)
        with open(self.path('back.txt'), 'w', encoding='ascii') as file:
            file.writelines(dump + dump[4:6])
        have, result = columns(self.path('back.txt'))
        self.assertEqual(have['end_ns'][-2:], import_files.radeontop()[1]['end_ns'][3:5])
        self.assertIn('times go back', ' '.join(result.stderr.split()))

    def test_wrong_kind(self):
        path = import_files.write(self.folder.name, 'mangohud')
        for kind in sorted({import_files.kind_of(n) for n in import_files.KINDS} - {'mangohud'}):
            with self.subTest(kind):
                result = run('import', path, '--as', kind, '-o', self.path('x.sxc'))
                self.assertEqual(result.returncode, 5, f'{kind}: {result.stderr}')
                self.assertEqual([line.split(':')[0] for line in result.stderr.strip().splitlines() if line[0] != ' '][-3:],
                                 ['error', 'because', 'try'])
        result = run('import', path, '--as', 'mangohat', '-o', self.path('x.sxc'))
        self.assertEqual(result.returncode, 2)
        self.assertIn('mangohud', result.stderr)

    def test_unknown_files(self):
        for name, content in (('text', b'hello\nworld\n'), ('empty', b''), ('zeros', bytes(4096)), ('json', b'{"a": [1, 2]}'),
                              ('table', b'a,b,c\n1,2,3\n4,5,6\n')):
            with self.subTest(name):
                path = self.path(name)
                with open(path, 'wb') as out:
                    out.write(content)
                result = run('import', path, '-o', self.path('x.sxc'))
                self.assertIn(result.returncode, (2, 5), result.stderr)
                self.assertFalse(os.path.exists(self.path('x.sxc')) and os.path.getsize(self.path('x.sxc')) > 4096)

    def test_bombs(self):
        """A small file that unpacks to very much is refused before it fills the memory."""
        path = self.path('bomb.csv.gz')
        with gzip.open(path, 'wb', 1) as out:
            out.write(b'os,cpu,gpu,ram,kernel,driver,cpuscheduler\n')
            for _ in range(300):
                out.write(b'1' * (1 << 20))
        result = run('import', path, '-o', self.path('x.sxc'))
        self.assertEqual(result.returncode, 5, result.stderr)
        self.assertIn('unpacks to more than', result.stderr)

    def test_what_is_there_stays(self):
        """An import that fails leaves the old result, and none takes its own input's place."""
        out, bad = self.path('kept.sxc'), self.path('bad')
        with open(bad, 'wb') as file:
            file.write(b'hello\nworld\n')
        good = import_files.write(self.folder.name, 'mangohud')
        self.assertEqual(run('import', good, '-o', out).returncode, 0)
        with open(out, 'rb') as file:
            before = file.read()
        for inputs in ((bad,), (good, bad)):
            self.assertEqual(run('import', *inputs, '-o', out).returncode, 5)
            with open(out, 'rb') as file:
                self.assertEqual(file.read(), before)
        with open(good, 'rb') as file:
            before = file.read()
        result = run('import', good, '-o', good)
        self.assertEqual(result.returncode, 2, result.stderr)
        with open(good, 'rb') as file:
            self.assertEqual(file.read(), before)
        self.assertEqual([name for name in os.listdir(self.folder.name) if name.startswith('.')], [])
        result = run('import', good, '-o', '/dev/full')
        self.assertEqual(result.returncode, 4, result.stderr)
        self.assertIn('/dev/full', result.stderr)
        self.assertNotIn('/proc/', result.stderr)

    def test_head_only(self):
        for name in ('mangohud', 'rocprof', 'rocprofv3', 'renderdoc', 'intel-gpu-top-csv', 'codexl'):
            with self.subTest(name):
                path = import_files.write(self.folder.name, name)
                with open(path, 'rb') as file:
                    lines = file.read().decode().splitlines(True)
                head = [i for i, line in enumerate(lines) if line.startswith(('fps', 'Index', '"Corr', 'EID', 'Freq', 'Method'))][0]
                with open(path, 'w', encoding='utf-8') as file:
                    file.writelines(lines[:head + 1])
                self.assertEqual(run('report', path).returncode, 5)


class Tables(FolderTest):
    """Tables of counters as people have them, through eval."""

    def eval(self, content, *args, catalog='mali-g310', code=0):
        result = run('eval', '--for', catalog, self.file(content), '-f', 'csv', *args)
        self.assertEqual(result.returncode, code, result.stderr)
        if code:
            self.assertEqual([line.split(':')[0] for line in result.stderr.strip().splitlines()[-3:]], ['error', 'because', 'try'])
        return [line.split(',') for line in result.stdout.splitlines()], result.stderr

    def test_spellings(self):
        names = 'MaliGPUCyclesGPUActive{0}MaliGPUCyclesFragmentActive\n'
        want = [['gpu_active_cycles', 'MaliGPUCyclesFragmentActive'], ['1234567', '12.5'], ['2000000', '']]
        for title, text in {
                'comma': names.format(',') + '1234567,12.5\n2000000,\n',
                'quoted groups': names.format(',') + '"1,234,567",12.5\n"2,000,000",N/A\n',
                'semicolon, decimal comma': names.format(';') + '1.234.567;12,5\n2.000.000;-\n',
                'semicolon, blanks': names.format(';') + '1 234 567;12,5\n2\u202f000\u202f000;#N/A\n',
                'tab': names.format('\t') + "1'234'567\t12.5\n2000000\tNA\n",
                'sep': 'sep=|\n' + names.format('|') + '1234567|12.5\n2000000|null\n',
                'crlf': (names.format(',') + '1234567,12.5\n2000000,\n').replace('\n', '\r\n'),
                'bom': '\ufeff' + names.format(',') + '1234567,12.5\n2000000,\n',
                'dashes': names.format(',') + '1234567,12.5\n2000000,--\n',
                'separators at the ends': (names.format(',') + '1234567,12.5\n2000000,\n').replace('\n', ',\n'),
                'separators behind values': names.format(';') + '1234567;12.5;\n2000000;;\n',
        }.items():
            with self.subTest(title):
                self.assertEqual(self.eval(text, '-m', 'gpu_active_cycles,MaliGPUCyclesFragmentActive')[0], want)
                plain = text.lstrip('\ufeff')
                for packed in (gzip.compress(text.encode()), plain.encode('utf-16'), plain.encode('utf-16-le'), plain.encode('utf-16-be')):
                    self.assertEqual(self.eval(packed, '-m', 'gpu_active_cycles,MaliGPUCyclesFragmentActive')[0], want)
        # One point or comma before three digits may be either: refused, not guessed.
        _, err = self.eval(names.format(';') + '1,234;5\n', code=5)
        self.assertIn('1,234', err)
        rows, _ = self.eval(names.format(';') + '1;2,5\n1;1,234\n', '-m', 'MaliGPUCyclesFragmentActive')
        self.assertEqual(rows[2], ['1.234'])  # but a comma before other fractions tells

    def test_packed_standard_input(self):
        """From a file and from a pipe, which cannot be read twice; and one that is cut."""
        text = b'MaliGPUCyclesGPUActive\n5\n7\n'
        want = b'gpu_active_cycles\n5\n7\n'
        command = [SEXTANT, 'eval', '--for', 'mali-g310', '-m', 'gpu_active_cycles', '--csv', '-i', '-']
        for packed in (text, gzip.compress(text), text.decode().encode('utf-16')):
            piped = subprocess.run(command, input=packed, capture_output=True, timeout=60, check=False)
            self.assertEqual((piped.returncode, piped.stdout), (0, want), piped.stderr)
            with open(self.file(packed), 'rb') as file:
                read = subprocess.run(command, stdin=file, capture_output=True, timeout=60, check=False)
            self.assertEqual((read.returncode, read.stdout), (0, want), read.stderr)
        cut = subprocess.run(command, input=gzip.compress(text)[:20], capture_output=True, timeout=60, check=False)
        self.assertEqual(cut.returncode, 5)
        self.assertRegex(cut.stderr, rb'(?s)error: standard input cannot be unpacked\nbecause: .*\ntry: ')

    def test_units_in_headers(self):
        rows, _ = self.eval('Frame time (ms),GPU power [W],GPU memory used (GiB)\n16,200,1\n20,150.5,2.5\n',
                            '-m', 'frame_time,gpu.power,gpu_memory_used', catalog='monitor')
        self.assertEqual(rows, [['frame_time (s)', 'gpu_power (W)', 'gpu_memory_used'], ['0.016', '200', '1073741824'],
                                ['0.02', '150.5', '2684354560']])
        for head in ('GPU active cycles (kcycles)', 'MaliGPUCyclesGPUActive [Mcycles]', 'GPU_ACTIVE (Gcycles)'):
            rows, err = self.eval(f'{head}\n2.5\n', '-m', 'gpu_active_cycles')
            self.assertEqual(rows[1], [str(int(2.5 * 10 ** {'k': 3, 'M': 6, 'G': 9}[head.split('cycles')[-2][-1]]))], err)
        rows, _ = self.eval('GPU busy,My own (ms)\n50,3\n', '-m', 'My own', catalog='monitor')
        self.assertEqual(rows, [['My own (s)'], ['0.003']])
        for text in ('(ms)', '[GiB]'):
            rows, err = self.eval(f'GPU active cycles {text},MaliFragQueueJob\n7000,1\n', '-m', 'gpu_active_cycles,MaliFragQueueJob', catalog='mali-g71')
            self.assertEqual(rows[1], ['', '1'])
            self.assertRegex(err, r'note: column GPU active cycles is in (ms|bytes), which cannot be made into cycles: no data')
            self.assertIn('no column of ', self.eval(f'GPU active cycles {text}\n7000\n', '-m', 'gpu_active_cycles', code=5)[1])
        for text in ('', ' (cycles)', ' (count)'):
            self.assertNotIn('note: column', self.eval(f'GPU active cycles{text}\n7\n', '-m', 'gpu_active_cycles')[1])

    def test_units_of_another_kind(self):
        """Whatever the table: a metric or a counter in a unit of another kind is no data, and told; things that are counted are one kind."""
        wide = 'frame_time (MB),gpu_time (us),IAVertices (ms),PSInvocations (threads),Frames (%)\n1,2,3,4,5\n'
        files = {'t.csv': wide, 'own.csv': wide.replace('frame', 'begin_ns,end_ns,quality,frame', 1).replace('\n1,', '\n0,9,,1,'),
                 'long.csv': 'name,unit,value\n' + ''.join(f'{name},{unit},{i}\n' for i, (name, unit) in enumerate(
                     (('frame_time', 'MB'), ('gpu_time', 'us'), ('IAVertices', 'ms'), ('PSInvocations', 'threads'), ('Frames', '%')), 1)),
                 'lines.json': json.dumps({'begin_ns': 0, 'end_ns': 9, 'frame_time (MB)': 1, 'gpu_time (us)': 2, 'IAVertices (ms)': 3, 'PSInvocations (threads)': 4, 'Frames (%)': 5})}
        for name, text in files.items():
            path = os.path.join(self.folder.name, name)
            with open(path, 'w', encoding='utf-8') as out:
                out.write(text)
            for verb in ('export', 'eval'):
                with self.subTest(name, verb=verb):
                    result = run(verb, path, '--for', 'opengl', '--csv', '-m', 'frame_time,gpu_time,IAVertices,PSInvocations,Frames')
                    self.assertEqual(result.returncode, 0, result.stderr)
                    row = list(csv.DictReader(result.stdout.splitlines()))[0]
                    self.assertEqual([row.get(c, '') for c in ('frame_time (s)', 'gpu_time (s)', 'IAVertices', 'PSInvocations', 'Frames')], ['', '2e-06', '', '4', ''])
                    self.assertIn('column frame_time is in bytes, which cannot be made into ms: no data', ' '.join(result.stderr.split()))

    def test_one_thing_in_two_columns(self):
        """An alias beside a name: one is read, and that is told."""
        rows, err = self.eval('MaliGPUCyclesGPUActive,GPU_ACTIVE\n1,2\n', '-m', 'gpu_active_cycles')
        self.assertEqual(rows, [['gpu_active_cycles'], ['1']])
        self.assertIn('column GPU_ACTIVE means the same as MaliGPUCyclesGPUActive, which is read instead', err)

    def test_metrics_are_input(self):
        """By name, title, neutral name; others are derived from them, rules read them, and a contradiction is told."""
        for name in ('VALUBusy', 'valu busy', 'VALU_BUSY'):
            self.assertEqual(self.eval(f'{name}\n12.5\n', '-m', 'VALUBusy', catalog='amd-gcn3')[0], [['VALUBusy'], ['12.5']])
        self.assertEqual(self.eval('gpu.busy\n12.5\n', '-m', 'gpu_busy', catalog='monitor')[0], [['gpu_busy'], ['12.5']])
        _, err = self.eval('MaliGPUCyclesGPUActive,GPU active cycles\n100,100\n100,150\n', '-m', 'gpu_active_cycles')
        self.assertIn('row 1: 150, and 100 by its formula', err)
        _, err = self.eval('MaliGPUCyclesGPUActive,GPU active cycles\n100,100\n', '-m', 'gpu_active_cycles')
        self.assertNotIn('formula', err)
        result = run('advise', '--for', 'amd-gcn3', self.file('VALUUtilization\n30\n31\n'), '--json')
        self.assertEqual([f['rule'] for f in json.loads(result.stdout)['findings']], ['cl.lanes'], result.stderr)

    def test_unit_behind_numbers_without_one(self):
        """A cell's unit is that of the column only where no number without a unit is above it."""
        for rows, seconds in (('16.6,5\n16.6 s,5\n16.6,5\n', 0.0166), ('16.6 s,5\n16.6,5\n', 16.6)):
            report = run.document('report', self.file('frame_time,gpu_time\n' + rows), '-m', 'frame_time', code=None)
            self.assertAlmostEqual(report['metrics'][0]['max'], seconds, 6)

    def test_pace_of_rows_that_are_frames(self):
        """Even frames are paced where no counter says how many there are: rows do."""
        path = self.file('frame_time (ms),gpu_time (ms),cpu_time (ms)\n' + '16.667,4,3\n' * 600)
        verdict = run.document('report', path, code=None)['verdict']
        self.assertEqual(verdict['verdict'], 'paced')
        rate = [e['value'] for e in verdict['parts'][0]['evidence'] if e['name'] == 'frame.rate']
        self.assertAlmostEqual(rate[0], 60, 1)

    def test_what_makes_the_gpu_less_sure(self):
        """A low clock is evidence and advice; even frames may wait for a display, whatever is between the first command and the last."""
        path = self.file('frame_time (ms),gpu_busy (%),gpu_frequency (MHz),gpu_frequency_share (%)\n' + '25,97,400,22\n' * 300)
        part = run.document('report', path, code=None)['verdict']['parts'][0]
        self.assertEqual([part['verdict']] + [(e['name'], e['value']) for e in part['evidence'][:3]], ['gpu', ('gpu', 97), ('clock', 400e6), ('clock.share', 22)])
        self.assertIn('what holds the clock down', part['advice'])
        for step, low in ((0, True), (4, False)):
            rows = ''.join(f'{16.7 + step * (i % 3)},{16.2 + step * (i % 3)},8\n' for i in range(300))
            path = self.file('frame_time (ms),gpu_time (ms),cpu_time (ms)\n' + rows)
            part = run.document('report', path, '--for', 'opengl', code=None)['verdict']['parts'][0]
            self.assertEqual((part['verdict'], part['confidence'] < 0.45), ('gpu', low))

    def test_labels(self):
        rows, err = self.eval('scene,MaliGPUCyclesGPUActive,remark\nMenu,1,x\n"A, b",2,y\n,3,\n', '-m', 'gpu_active_cycles')
        self.assertEqual(rows[:2], [['scene', 'remark', 'gpu_active_cycles'], ['Menu', 'x', '1']])
        self.assertIn('columns of text are labels: scene is group, remark is group2', ' '.join(err.split()))
        rows, _ = self.eval('level,MaliGPUCyclesGPUActive\n1,1\nend,2\n' + 'x' * 3000 + ',3\n', '-m', 'gpu_active_cycles')
        self.assertEqual([row[0] for row in rows[1:]], ['1', 'end', 'x' * 3000])
        _, err = self.eval('MaliGPUCyclesGPUActive\n\nx\n', code=5)  # a counter is no label
        self.assertIn(':3', err)

    def test_what_is_told(self):
        _, err = self.eval('MaliGPUCyclesGPUActive,MaliGPUCyclesFragmentActive\n1,2\n3\n-4,5\n', '-m', 'gpu_active_cycles')
        self.assertIn('1 line has fewer cells than the header, line 3', err)
        self.assertIn('1 count is below 0 or beyond 64 bits, the first in line 4', err)
        rows, err = self.eval('MaliGPUCyclesGPUActive,,MaliGPUCyclesGPUActive\n1,7,2\n', '-m', 'gpu_active_cycles')
        self.assertEqual(rows[1], ['1'])
        self.assertIn('1 column has the name of one before, which is read instead; MaliGPUCyclesGPUActive', err)
        self.assertIn('1 column has no name, column 2 the first', err)
        _, err = self.eval('MaliGPUCyclesGPUActive\n1,2\n', code=5)
        self.assertIn('t.csv:2: a line has more cells than the header', err)
        _, err = self.eval('a,b\n1,2\n', code=5)
        self.assertIn('no column', err)
        self.eval('MaliGPUCyclesMCUActive\n1\n', '-m', 'fragment_iterator_utilization', code=1)
        _, err = self.eval('MaliGPUCyclesMCUActive\n', code=1)
        self.assertIn('the table has no row', err)

    def test_device_as_text(self):
        """Numbers in a column device are devices, and so is text further down: no row is left out."""
        rows, err = self.eval('device,MaliGPUCyclesGPUActive,zzz\n0,5,\n1,,3\nx,1,2\n', '-m', 'gpu_active_cycles')
        self.assertEqual([row[0] for row in rows[1:]], ['0', '1', '2'])
        self.assertNotIn('left out', err)

    def test_lossless(self):
        """eval of an export is the export, byte for byte."""
        for name in ('mangohud', 'rocprofv3', 'perf-stat', 'mesa-utrace', 'renderdoc', 'hwcpipe-csv', 'long-table'):
            with self.subTest(name):
                source = import_files.write(self.folder.name, name)
                # One table: of several devices the first, the ranges themselves.
                export = run('export', source, '-f', 'csv', *(('-d', '0') if name == 'mesa-utrace' else ()))
                catalog = json.loads(run('report', source, '--json').stdout)['devices'][0]['catalog']
                again = run('eval', '--for', catalog, self.file(export.stdout, 'export.csv'), '-f', 'csv')
                self.assertEqual(again.returncode, 0, again.stderr)
                self.assertEqual(again.stdout, export.stdout)

    def test_base_units(self):
        """Machine forms are in base units, the header says so, and what is written is read alike again."""
        given = {'amd-gcn3': ('FetchSize,WriteSize,GPUTime', '3.3,7,16.667123', 'FetchSize (bytes),WriteSize (bytes),GPUTime (s)', '3379.2,7168,0.016667123'),
                 'intel-merrifield': ('UNC_SOC_Graphics_BW.Read_MBps', '1.1', 'UNC_SOC_Graphics_BW.Read_MBps (bytes/s)', '1100000'),
                 'monitor': ('gpu_power,frame_time', '1500,16.670001', 'gpu_power (W),frame_time (s)', '1.5,0.016670001')}
        for catalog, (head, row, want, values) in given.items():
            args = ('eval', '--for', catalog, '-m', head)
            with self.subTest(catalog):
                first = run(*args, self.file(f'{head}\n{row}\n', 'first.csv'), '--csv').stdout
                self.assertEqual(first.splitlines(), [want, values])
                self.assertEqual(run(*args, self.file(first, 'second.csv'), '--csv').stdout, first)
                document = json.loads(run(*args, self.file(first, 'second.csv'), '--json').stdout)
                self.assertEqual(document['rows'], [[float(v) for v in values.split(',')]])
                self.assertEqual([f'{n} ({u})' for n, u in zip(document['metrics'], document['units'])], want.split(','))
                line = json.loads(run(*args, self.file(first, 'second.csv'), '-f', 'ndjson').stdout)
                self.assertEqual({n: line.get(n) for n in head.split(',')}, {n: float(v) for n, v in zip(head.split(','), values.split(','))})
                self.assertEqual(line['units'], dict(zip(document['metrics'], document['units'])))

    def test_random_values_are_read_back(self):
        """Any f64 and any u64 in any of the units: text that is written is written alike when it is read."""
        rng = random.Random(14)
        for catalog, names in (('monitor', ('FrameTimes', 'GpuPower', 'frame_time', 'gpu_power')), ('opencl', ('Queued', 'KernelTime', 'Started')),
                               ('amd-gcn3', ('FetchSize', 'GPUTime'))):
            cells = [[str(rng.getrandbits(rng.choice((20, 40, 52)))) if rng.random() < 0.5 else repr(rng.random() * 10 ** rng.randrange(-6, 12)) for _ in names]
                     for _ in range(400)]
            listed = json.loads(run('list', 'counters', '--for', catalog, '--json').stdout)['counters']
            counts = {'Queued', 'KernelTime', 'Started'} & {c['name'] for c in listed}
            for row in cells:
                for i, name in enumerate(names):
                    row[i] = str(rng.getrandbits(64)) if name in counts else row[i]
            text = '\n'.join([','.join(names), *map(','.join, cells)]) + '\n'
            args = ('eval', '--for', catalog, '-m', ','.join(names))
            first = run(*args, self.file(text, 'first.csv'), '--csv')
            self.assertEqual(first.returncode, 0, first.stderr)
            self.assertEqual(run(*args, self.file(first.stdout, 'second.csv'), '--csv').stdout, first.stdout, catalog)
            self.assertNotEqual(first.stdout, text)


if __name__ == '__main__':
    unittest.main(verbosity=2)
