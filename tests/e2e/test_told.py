#!/usr/bin/env python3
"""
What results say about themselves: whole keys, whose a note is, a note once, schema and units where rows are objects, and
null where a length is not known. usage: test_told.py SEXTANT
"""
import json
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.dirname(__file__))
from command import Command, FolderTest, csv_rows  # noqa: E402

run = Command(os.path.abspath(sys.argv.pop(1)), code=0)


class Told(FolderTest):
    def write(self, name, text):
        with open(self.path(name), 'w', encoding='utf-8') as file:
            file.write(text)
        return self.path(name)

    def test_keys_are_whole(self):
        """However long a group's path is."""
        keys = ['A' * 300 + tail for tail in ('x', 'y', '\u00e4')]
        rows = ''.join(f'{i},{i + 1},{key},{i}\n' for i, key in enumerate(keys))
        path = self.write('long.csv', 'begin_ns,end_ns,group,IAVertices\n' + rows)
        how = (path, '--for', 'opengl', '--by', 'group', '-m', 'IAVertices')
        self.assertEqual([row['group'] for row in csv_rows(run('report', *how, '--csv').stdout)], keys)
        self.assertEqual([group['key'] for group in run.document('report', *how)['devices'][0]['groups']], keys)

    def test_whose_note(self):
        """Notes on tables of several devices name the device; of one they do not."""
        path = self.path('both.sxc')
        run('record', '-d', 'mali-g310,mali-g625', '-t', '200ms', '-I', '50ms', '-o', path)
        for devices, heads in (('mali-g310,mali-g625', ['Mali-G310 (simulated): ', 'Mali-G625 (simulated): ']), ('mali-g310', [''])):
            told = [line for line in run('report', path, '-d', devices, '--by', 'time', '-I', '50ms').stderr.splitlines() if 'did not fit' in line]
            self.assertEqual([re.sub(r'\d+ more metrics did not fit.*', '', line) for line in told], heads)

    def test_told_once(self):
        """A recording of another version of its catalog, read by verbs that open it more than once."""
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../data/captures/v0.1-gl.sxc')
        for args in (('report', path), ('report', path, '-m', 'frame_time'), ('export', path, '--csv'), ('explain', 'frame_time', '-i', path), ('diff', path, path)):
            notes = [line for line in run(*args).stderr.splitlines() if line]
            self.assertEqual(len(notes), len(set(notes)), (args, notes))
            self.assertEqual(sum('another version of catalog opengl' in note for note in notes), 1, (args, notes))

    def test_ndjson_says_what_it_is(self):
        """In the first row of each device: schema, catalog and units; each line stays one row."""
        path = self.write('a.csv', 'begin_ns,end_ns,frame_time (ms),my_load (%)\n0,20000000,20,5\n20000000,30000000,10,6\n')
        for verb, more in (('export', ()), ('eval', ()), ('eval', ('--for', 'opengl'))):
            lines = [json.loads(line) for line in run(verb, path, *(more or ('--for', 'opengl')), '-m', 'frame_time', '-f', 'ndjson').stdout.splitlines()]
            self.assertEqual(len(lines), 2)
            self.assertEqual((lines[0]['schema'], lines[0]['for'], lines[0]['units']), (f'sextant.{verb}/1', 'opengl', {'frame_time': 's'}))
            self.assertEqual([line['frame_time'] for line in lines], [0.02, 0.01])
            self.assertNotIn('units', lines[1])
        rows = self.path('rows.ndjson')
        run('export', path, '--for', 'opengl', '-m', 'frame_time,my_load', '-f', 'ndjson', '-o', rows)
        told = run.document('report', rows, '-m', 'frame_time,my_load')
        self.assertEqual([(m['name'], m['unit'], m['mean']) for m in told['metrics']], [('frame_time', 's', 0.015), ('my_load', 'percent', 16 / 3)])
        self.assertEqual(told['devices'][0]['catalog'], 'opengl')

    def test_length_is_not_known(self):
        """Of a table without times: null, and no series, never 0."""
        path = self.write('bare.csv', 'IAVertices\n10\n20\n')
        document = run.document('report', path, '--for', 'opengl')
        self.assertIsNone(document['duration_ns'])
        self.assertIsNone(document['devices'][0]['duration_ns'])
        self.assertNotIn('sextant_run_seconds', run('export', path, '--for', 'opengl', '-f', 'openmetrics').stdout)

    def test_base_units(self):
        """Lists say what numbers for machines are in, beside what formulas come to."""
        listed = {m['name']: m for m in run.document('list', 'metrics', '--for', 'opengl')['metrics']}
        self.assertEqual((listed['frame_time']['unit'], listed['frame_time']['base_unit']), ('ms', 's'))
        self.assertEqual(listed['frames_per_second']['base_unit'], 'frames/s')

    def test_what_is_missing(self):
        """A column without a value, which the catalog does not know, is nothing missing unless it is named."""
        path = self.write('na.csv', 'frame_time (ms),foo\n10,NA\n20,NA\n')
        for named, code in ((), 0), (('-m', 'foo'), 1), (('-m', 'frame_time'), 0), (('-m', 'frame_time,gpu_time'), 0):
            for verb in (['report', path], ['stat', '-i', path], ['diff', path, path]):
                self.assertEqual(run(*verb, '--for', 'opengl', *named, code=None).returncode, code, (verb[0], named))

    def test_without_a_verb(self):
        """What needs no verb may be shortened as options are."""
        for word, first in (('--vers', 'sextant '), ('--hel', 'sextant '), ('--print', '# ')):
            self.assertTrue(run(word).stdout.startswith(first), word)
        run('--', code=2)

    def test_other_catalogs(self):
        """A name that dozens of catalogs have: the first ones, and how many more."""
        told = run('explain', 'gpu.busy').stderr
        self.assertRegex(told, r'also in .* and \d+ more \(--for CATALOG\)\n')
        self.assertLess(len(told), 240)

    def test_capture_on_standard_output(self):
        """-o - is standard output for captures, too, and no file of that name."""
        for name in ('c.sxc', 'd.sxc'):
            run('record', '-d', 'mali-g310', '-n', '5', '-o', self.path(name))
        made = (('record', '-d', 'mali-g310', '-n', '5'), ('import', self.write('t.csv', 'frame_time (ms)\n16\n17\n')),
                ('capture', 'cut', self.path('c.sxc'), '--to', '30ms'), ('capture', 'anonymise', self.path('c.sxc')),
                ('capture', 'merge', self.path('c.sxc'), self.path('d.sxc')))
        for args in made:
            with self.subTest(args[:2]):
                written = run(*args, '-o', '-', text=False, cwd=self.folder.name).stdout
                self.assertIn(b'sound', run('capture', 'check', '-', input=written, text=False).stdout)
                self.assertFalse(os.path.exists(self.path('-')))
        with open(self.path('file.sxc'), 'ab') as file:
            run('record', '-d', 'mali-g310', '-n', '5', '-o', '-', capture_output=False, stderr=-3, stdout=file)
            run('capture', 'check', file.name)
            again = run('record', '-d', 'mali-g310', '-n', '5', '-o', '-', capture_output=False, stderr=-1, stdout=file, code=2)
            self.assertIn('a file with content', again.stderr)
        self.assertIn('the program writes there', run('record', '-o', '-', '--', 'true', code=2).stderr)

    def test_one_reason(self):
        """Why a metric has no data does not depend on what else was selected."""
        path = self.path('c.sxc')
        run('import', self.write('t.csv', 'TaskClock,duration_ns\n5,1000\n7,1000\n'), '--for', 'cpu', '-o', path)
        whys = [{m['name']: m['why'] for m in run.document(*args, code=None)['metrics']} for args in (('report', path), ('stat', '-i', path))]
        self.assertIn(': the run did not collect it', whys[0]['cache_miss_rate'])
        for name in set.intersection(*map(set, whys)):
            self.assertEqual(len({why[name] for why in whys}), 1, (name, [why[name] for why in whys]))

    def test_list_of_a_catalog(self):
        """A catalog in the place of what to list is as behind --for."""
        for what in ('metrics', 'counters'):
            self.assertEqual(run('list', 'mali-g625', what).stdout, run('list', what, '--for', 'mali-g625').stdout)
        self.assertEqual(run('list', 'mali-g625').stdout, run('list', 'metrics', '--for', 'mali-g625').stdout)
        self.assertEqual(run('list', 'mali-g625', 'metrics', 'gpu_act').stdout, run('list', 'metrics', 'gpu_act', '--for', 'mali-g625').stdout)
        self.assertIn('cannot be listed', run('list', 'mali-g999', code=2).stderr)


if __name__ == '__main__':
    unittest.main()
