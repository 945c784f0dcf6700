#!/usr/bin/env python3
"""Names of 4,000 bytes (process, device, driver, set, label, catalog, metric, unit, path) through every verb and view.

No name makes the command write past its memory (make check runs this with AddressSanitizer), and what machines read has
the names whole.
usage: test_long_names.py SEXTANT MAKE_RUN
"""
import csv
import io
import json
import os
import subprocess
import sys
import unittest

from command import Command, FolderTest

run = Command(sys.argv[1], errors='replace')
MAKE_RUN = sys.argv[2]
LONG = 4000
FINE = (0, 1, 2, 3, 4, 5, 6)


def name(word, euro='€', size=LONG):
    """A name of `size` bytes at most, of characters of several bytes each."""
    return word + euro * ((size - len(word)) // len(euro.encode()))


class LongNames(FolderTest):
    def capture(self):
        path = self.path('long.sxc')
        lines = [('property', 'command', name('command')), ('property', 'host', name('host'))]
        for device in range(2):
            lines += [('device', 'opengl', name(f'device{device}'), name('driver'), 'frame', 'real'),
                      ('column', 'IAVertices', 'vertices', 'u64', 'sum'),
                      ('column', name('column'), name('unit'), 'u64', 'sum')]
            for frame in range(40):
                lines += [('label', 'process', f'{name(f"process{frame % 2}")} (1{frame % 2})'), ('label', 'frame', str(frame)),
                          ('label', 'context', str(frame % 3)), ('label', 'group', name(f'group{frame % 4}')),
                          ('row', str(frame * 10**6), str((frame + 1) * 10**6), str(frame), '7')]
            lines.append(('lost', '3'))
        done = subprocess.run([MAKE_RUN, path], input='\n'.join('\t'.join(line) for line in lines), text=True, check=False,
                              capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return path

    def fine(self, *args):
        done = run(*args, code=None)
        self.assertIn(done.returncode, FINE, f'{args[0]}: {done.stderr[-600:]}')
        done.stdout.encode('utf-8')
        self.assertFalse('\ufffd' in done.stdout, f'{args[0]}: a character is cut')
        return done

    def documents(self, *args):
        json.loads(self.fine(*args, '--json').stdout)
        self.fine(*args)

    def test_views_of_a_capture(self):
        path = self.capture()
        for verb in (('report', path), ('stat', '-i', path), ('report', path, '-v'), ('advise', path), ('diff', path, path),
                     ('capture', 'info', path), ('capture', 'check', path), ('stat', '-i', path, '-m', 'all')):
            with self.subTest(verb):
                self.documents(*verb)
        for by in ('process', 'group', 'context', 'frame', 'time'):
            with self.subTest(by):
                self.documents('report', path, '--by', by)
                rows = list(csv.reader(io.StringIO(self.fine('report', path, '--by', by, '--csv').stdout)))
                self.assertEqual(len({len(row) for row in rows}), 1)
        for kind in ('text', 'json', 'ndjson', 'csv', 'html', 'perfetto', 'openmetrics'):
            with self.subTest(kind):
                self.fine('export', path, '-f', kind, '-o', self.path('out'))
                self.fine('report', path, '-f', kind, '-o', self.path('out'))
        for kind in ('markdown', 'junit'):
            self.fine('diff', path, path, '-f', kind)

    def test_names_just_beyond_a_line(self):
        for size in (220, 230, 240, 250, 260, 500, 520, 1000, 1400):
            names = [f'{name(f"process{i}", "n", size)} ({i + 1})' for i in range(2)]
            path = self.file('process,frame_time (ms),gpu_busy\n' + ''.join(f'{names[i % 2]},16,50\n' for i in range(20)))
            for verb in (('report', path), ('stat', '-i', path), ('report', path, '--by', 'process')):
                with self.subTest(size=size, verb=verb[0]):
                    self.fine(*verb, '--for', 'monitor')

    def test_machines_get_whole_names(self):
        path = self.capture()
        report = json.loads(self.fine('report', path, '--json').stdout)
        self.assertEqual(report['devices'][0]['name'], name('device0'))
        self.assertEqual({p['name'] for p in report['devices'][0]['processes']}, {name('process0'), name('process1')})

    def test_names_on_the_command_line(self):
        path, long = self.capture(), 'n' * LONG
        for verb in (('report', path, '-m', long), ('report', path, '-d', long), ('report', path, '--process', long), ('report', path, '--by', long),
                     ('report', path, '--gate', f'{long} < 3'), ('explain', long), ('explain', long, '--for', long), ('list', long),
                     ('list', 'metrics', long, '--for', 'opengl'), ('list', 'metrics', '--for', 'intel-bdw', '-s', long), ('plan', '--for', 'amd-gcn2', '-m', long),
                     ('catalog', 'lint', long), ('catalog', 'show', long), ('report', self.path(long)), ('report', path, '-o', self.path(long)),
                     ('import', path, '--as', long), ('decode', '-i', path, '--as', long), (long,), ('report', f'--{long}'), ('stat', '--', f'./{long}')):
            with self.subTest(verb[0]):
                self.assertIn(run(*verb, code=None).returncode, (*FINE, 126, 127))

    def test_tables(self):
        head, row = ['process', 'gpu_busy', name('x', 'é'), f'{"y" * LONG} ({"u" * LONG})'], [name('process'), '50', '1', '2']
        for sep, suffix in ((',', 'csv'), ('\t', 'tsv')):
            path = self.file('\n'.join(sep.join(line) for line in (head, row, row)) + '\n', f't.{suffix}')
            for verb in (('report', path, '--for', 'monitor'), ('stat', '-i', path, '--for', 'monitor'), ('report', path, '--for', 'monitor', '--by', 'process'),
                         ('eval', '-i', path, '--for', 'monitor'), ('import', path, '--for', 'monitor', '-o', self.path('t.sxc'))):
                with self.subTest(verb):
                    self.fine(*verb)

    def test_catalogs(self):
        long = 'm' * LONG
        folder = self.path('catalogs')
        os.mkdir(folder)
        with open(os.path.join(folder, 'long.yaml'), 'w', encoding='utf-8') as file:
            file.write(f'catalog: long\ntitle: "{name("title")}"\nkind: gpu\ncounters:\n  - {{name: {long}, unit: cycles, description: "{name("text")}"}}\n'
                       f'metrics:\n  - {{name: {long}_x, unit: cycles, expr: "${long}"}}\n')
        for verb in (('catalog', 'lint', os.path.join(folder, 'long.yaml')), ('list', 'metrics', '--for', 'long'), ('explain', long, '--for', 'long'), ('devices',)):
            self.assertIn(run(*verb, code=None, env={'SEXTANT_CATALOG_PATH': folder}).returncode, FINE)


unittest.main(argv=[sys.argv[0]], verbosity=1)
