#!/usr/bin/env python3
"""Tables whose heads and cells are written as few are, read through the command. $SEXTANT is the binary."""
import json
import os
import re
import subprocess
import unittest
from datetime import datetime, timedelta, timezone

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

    def test_times_that_do_not_go_on(self):
        """A row at the time of the one above, or before it, has no length: that is told."""
        for stamps, told in (((0, 1, 2, 3), None), ((0, 2, 1, 3), '1 line is no later than the line above, line 4 the first'),
                             ((0, 2, 1, 1, 3), '2 lines are no later than the line above, line 4 the first')):
            for head, cell in (('time (s)', '{:.2f}'), ('timestamp_ms', '{}'), ('timestamp', '2026-11-23T00:21:0{}Z'), ('when', '2026/11/23 00:21:0{},5')):
                if cell[0] == '2' and len(set(stamps)) < len(stamps):
                    stamps = (0, 2, 1, 3, 2)  # of rows beside each other that have one date it is a label
                text = f'{head};IAVertices\n' + ''.join(f'{cell.format(at)};{i}\n' for i, at in enumerate(stamps))
                with self.subTest(text):
                    result = run('export', self.file(text), '--for', 'opengl', '-m', 'IAVertices', '--csv')
                    words = ' '.join(result.stderr.split())
                    self.assertIn(told, words) if told else self.assertNotIn('no later', words)
                    begins = [line.split(',')[0] for line in result.stdout.splitlines()[1:]]
                    self.assertEqual([bool(begin) for begin in begins], [i > 0 and stamps[i] > stamps[i - 1] for i in range(len(stamps))])

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

    def test_times_below_0(self):
        """A clock that counts from a moment of the recording is moved; other times below 0 are no times, and the row stays."""
        def times(text, catalog='opengl'):
            have, told = self.columns(text, '--for', catalog)
            return list(zip(have['begin_ns'][1], have['end_ns'][1])), told
        for text, want in (('begin_ns,end_ns,IAVertices\n-10,-4,1\n-4,0,2\n0,7,3\n', [(0, 6), (6, 10), (10, 17)]),
                           ('IAVertices,Time (ms)\n1,-0.5\n2,0\n3,0.25\n', [(None, 0), (0, 500000), (500000, 750000)])):
            have, told = times(text)
            self.assertEqual(have, want)
            self.assertIn('times begin below 0: all were moved by', told)
        for text, want in (('begin_ns,end_ns,IAVertices\n0,6,1\n-1,-1,2\n6,10,3\n', [(0, 6), (None, None), (6, 10)]),
                           ('duration_ns,IAVertices\n5,1\n-5,2\n6,3\n', [(0, 5), (None, None), (5, 11)]),
                           ('IAVertices,Time (s)\n1,-1\n2,1795000000\n3,1795000001\n', [(None, None), (None, 1795000000 * 10**9), (1795000000 * 10**9, 1795000001 * 10**9)])):
            have, told = times(text)
            self.assertEqual(have, want)
            self.assertIn('below 0, the first in line ', told)
        rows = run('eval', self.file('duration_ns,IAVertices\n5,1\n-5,2\n6,3\n'), '--for', 'opengl', '--csv', '-m', 'IAVertices')
        self.assertEqual((rows.returncode, rows.stdout.splitlines()), (0, ['begin_ns,end_ns,IAVertices', '0,5,1', ',,2', '5,11,3']))

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

    def test_dates(self):
        """Dates in one form are the times of rows, from the first on: with a zone and without, across days, months and years; numbers go before them."""
        for written in (lambda s: s.isoformat(), lambda s: s.isoformat(' ', 'microseconds'), lambda s: s.isoformat(timespec='milliseconds') + 'Z',
                        lambda s: s.astimezone(timezone(timedelta(hours=5, minutes=30))).isoformat(), lambda s: s.isoformat().replace('-', '/').replace('T', ' ')):
            for start in (datetime(2026, 11, 23, 0, 21, 35, 123000), datetime(2024, 2, 28, 23, 59, 59, 900000), datetime(1999, 12, 31, 23, 59, 59, 950000)):
                steps = [0, 10, 35, 100, 3600 * 1000, 86400 * 1000 * 2]
                at = [written((start.replace(tzinfo=timezone.utc) if '+05' in written(start) else start) + timedelta(milliseconds=ms)) for ms in steps]
                text = 'timestamp,IAVertices\n' + ''.join(f'{when},{i}\n' for i, when in enumerate(at))
                have, told = self.columns(text, '--for', 'opengl')
                self.assertEqual(have['end_ns'][1], [ms * 10**6 for ms in steps])
                self.assertEqual(have['begin_ns'][1], [None, *(ms * 10**6 for ms in steps[:-1])])
                self.assertIn(f'column timestamp holds dates: times of rows count from {at[0]}', told)
                rows = run('eval', self.file(text), '--for', 'opengl', '--csv', '-m', 'IAVertices').stdout.splitlines()
                self.assertEqual(rows[2], '0,10000000,1')
        lines = ''.join(f'2026-11-23T00:00:0{i},2026-11-23T00:00:0{i + 1},{30 + i}\n' for i in range(5))
        have, _ = self.columns('start,end,Frames\n' + lines, '--for', 'opengl')
        self.assertEqual((have['begin_ns'][1], have['end_ns'][1]), ([i * 10**9 for i in range(5)], [(i + 1) * 10**9 for i in range(5)]))
        rate = run('report', self.file('start,end,Frames\n' + lines), '--for', 'opengl', '--by', 'time', '--csv')
        self.assertEqual(rate.returncode, 0, rate.stderr)
        self.assertEqual(len(rate.stdout.splitlines()), 6)
        for text in ('time,end_ns,Frames\n2026-11-23T00:00:00,5,1\n2026-11-23T00:00:01,9,2\n', 'time,IAVertices\n2026-11-23T00:00:00,1\n2026-11-23 00:00:01,2\n',
                     'time,IAVertices\n2026-02-29T00:00:00,1\n', 'time,IAVertices\n2026-11-23T00:00:00,1\n2026-11-23T00:00:00,2\n2026-11-23T00:00:01,3\n', 'time,IAVertices\n2026-11-23T00:00:00+25:00,1\n', 'time,IAVertices\n2026-11-23T00:61:00,1\n'):
            have, told = self.columns(text, '--for', 'opengl')
            self.assertIn('time', have)
            self.assertNotIn('holds dates', told)

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
