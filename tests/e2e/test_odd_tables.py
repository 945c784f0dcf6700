#!/usr/bin/env python3
"""Tables whose heads and cells are written as few are, read through the command. $SEXTANT is the binary."""
import json
import os
import re
import subprocess
import unittest

from command import FolderTest

SEXTANT = os.environ['SEXTANT']


def run(*args):
    return subprocess.run([SEXTANT, *args], capture_output=True, text=True, timeout=120, check=False)


class OddTables(FolderTest):
    def columns(self, text, *args):
        """Units and values of each column that export has, and what was told."""
        result = run('export', self.file(text), '--counters', '--json', *args)
        self.assertEqual(result.returncode, 0, result.stderr)
        table = json.loads(result.stdout)['devices'][0]
        values = zip(*table['rows'])
        return {name: (unit, list(cells)) for name, unit, cells in zip(table['metrics'], table['units'], values)}, ' '.join(result.stderr.split())

    def test_lines_of_a_long_table_that_cannot_be_read(self):
        """A line with a NUL or with text after a closing quote is left out, as in any table."""
        for line, because in (('frame_time,1\x007,1\n', 'a cell holds a NUL byte'), ('"frame_time"x,17,1\n', 'there is text after a closing quote')):
            with self.subTest(because):
                have, told = self.columns('name,value,begin_ns\nframe_time,16,0\n' + line + 'frame_time,18,2\n', '--for', 'opengl')
                self.assertEqual(len(next(iter(have.values()))[1]), 2)
                self.assertIn('1 line is left out, line 3 the first: ' + because, told)
        have, told = self.columns('name,value,begin_ns\nframe_time,16,0\n"frame_time","17",1\n', '--for', 'opengl')
        self.assertNotIn('left out', told)

    def test_tables_below_other_lines(self):
        """What tests/unit/import/test_tables.c shows of them is what eval reads; a text without a table is refused by every verb."""
        text = 'Title\nframe_time;gpu_busy;memory_read_bandwidth\nms;%;\n16.6;50;1.2 GB/s\n33.3;60;-\nend of the log\n'
        table = json.loads(run('eval', self.file(text), '--for', 'monitor', '--json', '-m', 'frame_time,gpu_busy,memory_read_bandwidth').stdout)
        at = [table['metrics'].index(name) for name in ('frame_time', 'gpu_busy', 'memory_read_bandwidth')]
        self.assertEqual([[row[i] for i in at] for row in table['rows']], [[0.0166, 50, 1.2e9], [0.0333, 60, None]])
        for text in ('hello world\n\nnothing to see\n', 'one two\nthree\n'):
            for verb in ('report', 'import'):
                result = run(verb, self.file(text), *(('-o', os.path.join(self.folder.name, 'x.sxc')) if verb == 'import' else ()))
                self.assertEqual((result.returncode, result.stderr.count('\n')), (5, 3), result.stderr)
                self.assertIn('line of names' if verb == 'import' else f'it begins with "{text.splitlines()[0]}"', result.stderr)
                self.assertIn('try: ', result.stderr)
                self.assertIn('a table', result.stderr)

    def test_a_total_says_what_it_lacks(self):
        """Cells without a number are part of no total: the report says so, the brief one too."""
        text = 'frame_time (ms),gpu_time (ms)\n16,8\n16,{}\n16,9\n16,10\n'
        for cell, lacks in (('9', False), ('ERR', True), ('', True)):
            for args in ((), ('-v',), ('-m', 'gpu_time')):
                told = ' '.join(run('report', self.file(text.format(cell)), '--for', 'monitor', *args).stdout.split())
                self.assertEqual('gpu_time: the total is too low, 75 % of the samples were counted' in told, lacks, (cell, args))

    def test_frames_without_a_length(self):
        """Five frames, of which three have both times: the rate is of these, and the headline does not divide five by their time."""
        rows = (('0', 16), ('', 32), (32, ''), (48, 64), (64, 80))
        text = 'begin (ms),end (ms),frame,gpu_time (ms)\n' + ''.join(f'{begin},{end},{i},7\n' for i, (begin, end) in enumerate(rows))
        self.assertIn('\n5 frames in 80.0 ms (62.5/s in 48.0 ms of frames)\n', run('report', self.file(text), '--for', 'monitor').stdout)

    def test_several_devices_in_blanks(self):
        """nvidia-smi's dmon and pmon, by their manuals: rows are of the device in their first column."""
        head = '# gpu    pwr  gtemp  mtemp     sm    mem   mclk   pclk     fb\n# Idx      W      C      C      %      %    MHz    MHz     MB\n'
        text = head + ''.join(f'    {gpu}     {watts}     46      -     1      2    405    300    500 \n' for gpu, watts in ((0, 17), (1, 18), (0, 19)))
        two = run('export', self.file(text), '--counters', '--json')
        self.assertEqual([[row[d['metrics'].index('GpuPower')] for row in d['rows']] for d in json.loads(two.stdout)['devices']], [[17, 19], [18]])
        have, told = self.columns('# gpu         pid   type     sm    mem    enc    dec    command\n# Idx           #    C/G      %      %      %      %    name\n'
                                  '    0       7372     G      2      1      -      -    Xorg\n    0       7400     C     60      1      -      -    game -x 5\n'
                                  '    1          -     -      -      -      -      -    -\n')
        self.assertEqual((have['command'][1], have['GpuBusy'][1], have['type'][1]), (['Xorg', 'game -x 5'], [2, 60], ['G', 'C']))
        self.assertIn('device 1 has no value: left out', told)

    def test_units_that_nobody_knows(self):
        """That the name is known and the unit is not is said, with the units that there are."""
        times = 'ns, us, ms, s, min, h'
        for args in ((), ('--for', 'opengl')):
            with self.subTest(args):
                result = run('report', self.file('gpu_time (furlongs),IAVertices\n1,5\n2,6\n'), *args)
                words = ' '.join(result.stderr.split())
                self.assertEqual(result.returncode, 0, words)
                self.assertIn(f'column gpu_time (furlongs) stays as it is: furlongs is no known unit; gpu_time is in {times}', words)
                self.assertNotIn('means nothing', words)
                self.assertIn('gpu_time (furlongs)', run('export', self.file('gpu_time (furlongs),IAVertices\n1,5\n'), '--counters', '--csv', *args).stdout)
                for head, shown, units in (('gpu_time (furlongs)', '(ns|ms)', times), ('IAVertices [total]', 'vertices', 'vertices')):
                    result = run('report', self.file(head + '\n1\n2\n'), *args)
                    name, unit = re.split(r' [([]', head.rstrip(')]'))
                    lines = result.stderr.splitlines()[-3:]
                    self.assertEqual((result.returncode, lines[1]), (5, f'because: {unit}, after {name}, is no known unit'))
                    self.assertRegex(lines[2], rf'^try: "{name} \({shown}\)" in the header; its units are {units}$')
        for unit in ('ns', 'min', 'h', 's'):
            result = run('report', self.file(f'gpu_time ({unit}),IAVertices\n1,5\n'), '--for', 'opengl')
            self.assertNotIn('no unit', result.stderr)

    def test_texts_beyond_all_room(self):
        """A label of which there is more than 4,095 bytes is cut between letters, in every reader; what is cut is no number."""
        for cell in ('é' * 3000, '"' + 'é' * 3000 + ', ""or"" more"', 'é' * 300000):
            for text in (f'scene,IAVertices\nmenu,1\n{cell},2\n', f'IAVertices,scene\n1,menu\n2,{cell}\n'):
                for args in (('import',), ('eval', '--for', 'opengl')):
                    path, kept = self.file(text), os.path.join(self.folder.name, 'kept.sxc')
                    result = run(args[0], path, *args[1:], *(('-o', kept, '--for', 'opengl') if args[0] == 'import' else ('--json', '-m', 'IAVertices')))
                    self.assertEqual(result.returncode, 0, result.stderr)
                    self.assertIn('1 text is cut to its first 4095 bytes, the first in line 3', ' '.join(result.stderr.split()))
                    rows = json.loads(run('export', kept, '--counters', '--json').stdout)['devices'][0] if args[0] == 'import' else json.loads(result.stdout)
                    at = rows['metrics'].index('scene')
                    self.assertEqual([row[at] for row in rows['rows']], ['menu', 'é' * 2047])
        refused = run('report', self.file('IAVertices\n0.' + '0' * 5000 + '1\n'), '--for', 'opengl')
        self.assertIn('because: it has more than 4095 bytes', refused.stderr)
        self.assertEqual(refused.returncode, 5)
        self.assertEqual(self.columns('IAVertices,x\n1' + ' ' * 5000 + ',2\n', '--for', 'opengl')[0]['IAVertices'][1], [1])

    def test_arrays_of_objects(self):
        """As other programs write a table, in an array or an object a line: what the same as CSV is, with the same said of its units; and what jq -s makes of our own lines."""
        rows = [{'frame': i, 'scene': 'a' if i < 2 else 'b "c"', 'gpu_time': 8.25 + i, 'frame_time_ms': 16.5, 'gpu_busy': None if i == 1 else 50} for i in range(4)]
        table = ['frame,scene,gpu_time,frame_time_ms,gpu_busy'] + [f'{i},{"a" if i < 2 else chr(34) + "b " + 2 * chr(34) + "c" + 3 * chr(34)},{8.25 + i},16.5,{"" if i == 1 else 50}' for i in range(4)]
        want = None
        for text in ('\n'.join(table) + '\n', json.dumps(rows), json.dumps(rows, indent=2), '[' + ',\n'.join(map(json.dumps, rows)) + ']\n',
                     ''.join(json.dumps(row) + '\n' for row in rows)):
            for verb in (('eval', '--json'), ('eval', '--for', 'opengl', '--json'), ('report', '--by', 'scene', '--csv')):
                if verb[0] == 'eval':
                    result = run(verb[0], self.file(text), *verb[1:], '-m', 'gpu_time,frame_time')
                    self.assertEqual(result.returncode, 0, result.stderr)
                    document = json.loads(result.stdout)
                    have = [dict(zip(document['metrics'], row)) for row in document['rows']]
                    self.assertEqual([(r['frame'], r.get('scene', r.get('group')), r['gpu_time'], r['frame_time']) for r in have],
                                     [(r['frame'], r['scene'], r['gpu_time'] / 1e3, 0.0165) for r in rows])
                else:
                    result = run(verb[0], self.file(text), *verb[1:], '-m', 'gpu_time')
                    self.assertEqual(result.returncode, 0, result.stderr)
                    want = want or result.stdout
                    self.assertEqual(result.stdout.replace('\ngroup', '\nscene'), want)
            self.assertIn('gpu_time has no unit: it is read in ms', ' '.join(result.stderr.split()))
        own = run('export', self.file(json.dumps(rows)), '--counters', '-f', 'ndjson').stdout
        again = run('export', self.file('[' + ','.join(own.splitlines()) + ']'), '--counters', '-f', 'ndjson')
        self.assertEqual((again.returncode, again.stdout), (0, own))
        part = run('export', self.file(own.split('\n', 1)[1]), '--counters', '-f', 'ndjson', '-m', 'gpu_time')  # ours without what the first line says
        self.assertEqual([json.loads(line)['gpu_time'] for line in part.stdout.splitlines()], [0.00925, 0.01025, 0.01125])
        cut = run('export', self.file('[{"gpu_time": 8.25}, {"gpu_'), '--counters', '--csv')
        self.assertEqual(cut.stdout.splitlines()[1:], [',,,0.00825'])
        self.assertIn('breaks off', cut.stderr)
        for other in ('[{"name": "x", "ph": "X", "ts": 1, "dur": 3}]', '[{"a": {"b": 1}}]', '[{"a": "b"}]', '[]'):
            self.assertEqual(run('report', self.file(other)).returncode, 5)

    def test_times_of_rows(self):
        """Times below 0 and dates, of which tests/unit/import/test_tables.c shows what they become: eval and report read them so."""
        rows = run('eval', self.file('duration_ns,IAVertices\n5,1\n-5,2\n6,3\n'), '--for', 'opengl', '--csv', '-m', 'IAVertices')
        self.assertEqual((rows.returncode, rows.stdout.splitlines()), (0, ['begin_ns,end_ns,IAVertices', '0,5,1', ',,2', '5,11,3']))
        path = self.file('start,end,Frames\n' + ''.join(f'2026-11-23T00:00:0{i},2026-11-23T00:00:0{i + 1},{30 + i}\n' for i in range(5)))
        self.assertEqual(run('eval', path, '--for', 'opengl', '--csv', '-m', 'Frames').stdout.splitlines()[2], '1000000000,2000000000,31')
        rate = run('report', path, '--for', 'opengl', '--by', 'time', '--csv')
        self.assertEqual((rate.returncode, len(rate.stdout.splitlines())), (0, 6), rate.stderr)

    def test_keys_of_each_row(self):
        """Every object repeats its keys: they cost their text, and nothing beside it."""
        def peak(key):
            path = self.file('', 't.json')
            with open(path, 'w', encoding='utf-8') as file:  # this process stays small: the peak of its child begins with its size
                file.writelines(f'{{"gpu_busy": {i % 100}, "{key}": 1, "{key[::-1]}": 2}}\n' for i in range(20000))
            sanitizer = {'ASAN_OPTIONS': os.environ.get('ASAN_OPTIONS', '') + ':quarantine_size_mb=0:thread_local_quarantine_size_kb=0'}
            child = subprocess.Popen([SEXTANT, 'import', path, '-o', os.path.join(self.folder.name, 'kept.sxc')], stderr=subprocess.DEVNULL, env=os.environ | sanitizer)
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            self.assertEqual(child.returncode, 0)
            return usage.ru_maxrss * 1024, os.path.getsize(path)
        (few, short), (many, long) = peak('ab'), peak('ab' * 200)
        self.assertLess(many - few, 2 * (long - short))


if __name__ == '__main__':
    unittest.main()
