#!/usr/bin/env python3
"""
A result for which there is no room: every verb in every format ends with 4 and three lines, whichever way it was to be written,
and what was there stays. A recording keeps what it has. $SEXTANT is the binary.
"""
import os
import resource
import subprocess
import sys
import unittest

from command import Command, FolderTest

SEXTANT = os.environ['SEXTANT']
run = Command(SEXTANT, env={'XDG_CONFIG_HOME': '/nonexistent'}, stdin=subprocess.DEVNULL)

# What is typed, and its formats; CPU and FRAMES are captures, RAW and TABLE of other tools, OUT the result.
VERBS = [('devices', 'text json csv'), ('doctor', 'text json'), ('list metrics --for cpu', 'text json csv'), ('list devices', 'text json csv'),
         ('explain cpu_busy', 'text json'), ('eval --for mali-g310 -i RAW', 'json csv ndjson'), ('plan --for amd-gcn3 -m VSBusy', 'text json'),
         ('report CPU', 'text json ndjson csv html openmetrics'), ('report FRAMES --by frame', 'text json csv'), ('advise FRAMES', 'text json'),
         ('diff FRAMES FRAMES', 'text json markdown junit'), ('compare -n 2 -- true ::: true', 'text json'),
         ('export FRAMES', 'json csv ndjson perfetto openmetrics'), ('capture info CPU', 'text json'), ('capture check CPU', 'text json'),
         ('catalog show cpu', 'text json'), ('catalog diff cpu opengl', 'text json'), ('oa flex list', 'text json'),
         ('stat -d cpu -t 50ms -I 10ms', 'text json ndjson csv'), ('stat -- true', 'text json'), ('stat -r 2 -- true', 'text json'), ('stat -i CPU', 'text json csv html')]
WORDS = ['--print-config', '--help', '--version', 'stat --help']
CAPTURES = ['import TABLE', 'capture cut CPU --to 100ms', 'capture merge CPU FRAMES --offset 1s', 'capture anonymise CPU']


def nothing_fits():
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))


class FullDisk(FolderTest):
    def setUp(self):
        super().setUp()
        self.file('MaliGPUCyclesGPUActive,duration_ns\n' + '1000,1000000\n' * 20, 'raw.csv')
        self.file('begin_ns,end_ns,frame,quality,frame_time (s),gpu_time (s)\n' +
                  ''.join(f'{i * 20000000},{i * 20000000 + 20000000},{i},,0.02,0.00{i + 1}\n' for i in range(9)), 'table.csv')
        run('record', '-q', '-d', 'cpu', '-I', '20ms', '-t', '200ms', '-o', self.path('cpu.sxc'), code=0)
        run('import', '-q', self.path('table.csv'), '-o', self.path('frames.sxc'), code=0)
        self.there = set(os.listdir(self.folder.name))

    def words(self, line, *more):
        """A command line with the names of files, and options before what is run."""
        names = {name.split('.')[0].upper(): self.path(name) for name in ('cpu.sxc', 'frames.sxc', 'raw.csv', 'table.csv')}
        words = [names.get(word, word) for word in line.split()]
        at = words.index('--') if '--' in words else len(words)
        return words[:at] + list(more) + words[at:]

    def told(self, done, args):
        """No room: the exit status, and one error of three lines."""
        heads = [line.split(' ')[0] for line in done.stderr.splitlines() if line.split(' ')[0] in ('error:', 'because:', 'try:')]
        self.assertEqual((done.returncode, heads), (4, ['error:', 'because:', 'try:']), (args, done.stderr))

    def lines(self):
        for line, formats in VERBS:
            for form in formats.split():
                yield self.words(line, '-f', form)

    def test_standard_output(self):
        with open('/dev/full', 'wb') as full:
            for args in [*self.lines(), *(line.split() for line in WORDS)]:
                self.told(run(*args, capture_output=False, stdout=full, stderr=subprocess.PIPE), args)

    def test_device(self):
        for line in CAPTURES:
            args = self.words(line, '-o', '/dev/full')
            self.told(run(*args), args)
        for line, formats in VERBS:
            args = self.words(line, '-f', formats.split()[-1], '-o', '/dev/full')
            self.told(run(*args), args)
        args = self.words('diff FRAMES FRAMES --update-baseline /dev/full')
        self.told(run(*args), args)
        done = run('record', '-d', 'cpu', '-t', '50ms', '-o', '/dev/full')
        self.told(done, 'record')
        self.assertNotIn('readable', done.stderr)

    def test_file(self):
        """What was there stays, and what was not is not."""
        for line in [*CAPTURES, 'export FRAMES -f csv', 'report CPU -f json', 'diff FRAMES FRAMES --update-baseline OUT']:
            for before in (None, 'before'):
                out = self.path('out.sxc' if line in CAPTURES else 'out')
                if before:
                    with open(out, 'w', encoding='utf-8') as file:
                        file.write(before)
                args = self.words(line.replace('OUT', out)) if 'OUT' in line else self.words(line, '-o', out)
                self.told(run(*args, preexec_fn=nothing_fits), args)
                self.assertEqual(set(os.listdir(self.folder.name)), self.there | ({os.path.basename(out)} if before else set()), args)
                if before:
                    with open(out, encoding='utf-8') as file:
                        self.assertEqual(file.read(), before, args)
                    os.unlink(out)
        out = self.path('begun.sxc')
        self.told(run('record', '-d', 'cpu', '-t', '50ms', '-o', out, preexec_fn=nothing_fits), 'record')
        self.assertFalse(os.path.exists(out))


if __name__ == '__main__':
    sys.exit(unittest.main(verbosity=2))
