#!/usr/bin/env python3
"""-d means the same of a recording as of this machine: ids, sources, catalogs, names, gpu, all; what is near otherwise. $SEXTANT is the binary."""
import json
import os
import unittest

from command import Command, FolderTest

run = Command(os.environ['SEXTANT'], env={'XDG_CONFIG_HOME': '/nonexistent'})
MALI = ['mali-g310', 'mali-g625']
MEANT = (('gpu', MALI), ('GPU', MALI), ('all', [*MALI, 'cpu']), ('0', ['mali-g310']), ('2', ['cpu']), ('CPU', ['cpu']), ('Mali-G625', ['mali-g625']),
         ('mali-g310 (SIMULATED)', ['mali-g310']), ('mali_model', MALI), ('Mali-Model', MALI), ('cpu,MALI-G310', ['mali-g310', 'cpu']), ('gpu,all', [*MALI, 'cpu']))


class Recorded(FolderTest):
    def setUp(self):
        super().setUp()
        self.file = self.path('three.sxc')
        run('record', '-q', '-d', 'mali-g310,mali-g625,cpu', '-t', '100ms', '-I', '50ms', '-o', self.file, code=0)

    def test_words(self):
        for word, wanted in MEANT:
            for verb in (['report', self.file], ['list', 'devices', '-i', self.file], ['stat', '-i', self.file]):
                document = run.document(*verb, '-d', word)
                self.assertEqual([d['catalog'] for d in document['devices']], wanted, (verb[0], word))
            rows = json.loads(run('export', self.file, '-d', word, '--json', code=0).stdout)
            self.assertEqual(len(rows.get('devices', [rows])), len(wanted), word)

    def test_words_that_mean_none(self):
        for word, near in (('cp', '-d cpu'), ('mali-g311', '-d mali-g310'), ('cpu,mali-g3100', '-d mali-g310'), ('zzzzzzzz', 'sextant list devices ' + self.file)):
            for verb in ('report', 'export', 'stat', 'list devices'):
                done = run(*verb.split(), '-i', self.file, '-d', word, '--json', code=3)
                lines = done.stderr.splitlines()
                self.assertEqual((len(lines), lines[0].split(' in ')[0], lines[2]), (3, f'error: no device {word.rpartition(",")[2]}', 'try: ' + near), (verb, done.stderr))
                self.assertIn('0 (mali-g310), 1 (mali-g625), 2 (cpu)', lines[1])

    def test_of_this_machine(self):
        for word in ('all', 'ALL'):
            self.assertIn('cpu', [d['catalog'] for d in run.document('list', 'devices', '-d', word)['devices']])
        self.assertIn('cpu', [d['catalog'] for d in run.document('stat', '-d', 'All', '-t', '50ms', code=None)['devices']])
        self.assertEqual([d['id'] for d in run.document('list', 'devices', '-d', 'MALI-G310')['devices']], ['mali-g310'])
        self.assertNotIn('cpu', [d['catalog'] for d in run.document('list', 'devices', '-d', 'Gpu')['devices']])
        listed = run('list', 'metrics', '-d', 'all', '--json', code=0)
        self.assertRegex(listed.stderr, r'^note: this is of \S+; -d all means \d+ other devices?\n$')
        self.assertIn('try: -d cpu', run('list', 'devices', '-d', 'cp', code=3).stderr)

    def test_names(self):
        """Of this machine a device's name serves, or leads to its id; the name of a renderer its driver tells."""
        shown = {d['id']: d['name'] for d in run.document('list', 'devices', '-v')['devices']}
        plain = {d['id']: d['name'] for d in run.document('list', 'devices')['devices']}
        word = max(shown['cpu'].split(), key=len)
        refused = run('stat', '-d', word, '-t', '20ms', code=None)
        self.assertTrue(refused.returncode == 0 or 'try: -d cpu\n' in refused.stderr, refused.stderr)
        if shown['gl'] == plain['gl']:
            self.skipTest('no OpenGL driver here')
        renderer = shown['gl'].split()[0]
        self.assertEqual(run.document('list', 'metrics', '-d', renderer)['for'], 'opengl')
        # No sample of a program that does not draw: what is missing is OpenGL's, not the device.
        done = run('stat', '-d', renderer, '--', 'true', code=1)
        self.assertNotIn('no device', done.stderr)

    def test_notes_of_each(self):
        """What a device's source says stands with that device, as when it is measured live, also where another one comes first."""
        live = run.document('stat', '-d', 'mali-g310,cpu', '-t', '100ms', '-I', '50ms', code=None)
        recorded = run.document('report', self.file)
        notes = {d['catalog']: d['notes'] for d in live['devices']}
        self.assertEqual({d['catalog']: d['notes'] for d in recorded['devices']}, {**notes, 'mali-g625': []})
        self.assertEqual(notes['mali-g310'], [])

    def test_defaults(self):
        """What the configuration says is for the recordings that have it."""
        config = self.path('sextant/config')
        os.mkdir(os.path.dirname(config))
        for text, wanted in (('device = cpu\n', ['cpu']), ('device = xe\n', [*MALI, 'cpu']), ('for = mali-g625\n', ['mali-g625']), ('for = opengl\n', [*MALI, 'cpu'])):
            with open(config, 'w', encoding='utf-8') as file:
                file.write(text)
            for verb in ('report', 'stat'):
                document = run.document(verb, '-i', self.file, env={'XDG_CONFIG_HOME': self.folder.name})
                self.assertEqual([d['catalog'] for d in document['devices']], wanted, (verb, text))


if __name__ == '__main__':
    unittest.main()
