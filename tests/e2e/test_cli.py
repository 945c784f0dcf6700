#!/usr/bin/env python3
"""The command as a user meets it: shapes, exit codes, error triplets, colours. $SEXTANT is the binary."""
import csv
import io
import json
import os
import pathlib
import pty
import re
import resource
import signal
import struct
import subprocess
import tempfile
import time
import unittest

from command import Command, usual_signals

SEXTANT = os.environ['SEXTANT']
run = Command(SEXTANT)
usual_signals()


def scratch(content):
    handle = tempfile.NamedTemporaryFile('w', suffix='.csv', delete=False)
    with handle as file:
        file.write(content)
    return handle.name


class Case(unittest.TestCase):
    def json(self, *args, code=0, **kw):
        result = run(*args, '--json', **kw)
        self.assertEqual(result.returncode, code, result.stderr)
        return json.loads(result.stdout)

    def triplet(self, code, *args, has=(), **kw):
        result = run(*args, **kw)
        lines = result.stderr.strip().split('\n')[-3:]
        self.assertEqual(result.returncode, code, result.stderr)
        for line, start in zip(lines, ('error: ', 'because: ', 'try: ')):
            self.assertTrue(line.startswith(start), result.stderr)
            self.assertGreater(len(line), len(start) + 3, result.stderr)
        for word in has:
            self.assertIn(word, result.stderr)
        return result


class Usage(Case):
    def test_errors(self):
        self.triplet(2, 'stta', has=['sextant stat'])
        self.triplet(2, 'list', has=['metrics'])
        self.triplet(2, 'list', 'metrcs', '--for', 'mali-g310', has=['metrics'])
        self.triplet(2, 'stat', '--intervall', '10ms', has=['--interval'])
        self.triplet(2, 'stat', '-t', '5', has=['5s'])
        self.triplet(2, 'stat', '-t', '-5s')
        self.triplet(2, 'stat', '-t', '1e99h')
        self.triplet(2, 'stat', '-n', '0', '--', 'true')
        self.triplet(2, 'stat', '--')
        self.triplet(2, 'stat', 'glmark2', has=['-- glmark2'])
        self.triplet(2, 'stat', '--json=yes', '--', 'true')
        self.triplet(2, 'eval', '--for', 'mali-g310', has=['-i FILE'])
        self.triplet(2, 'eval', '--for', 'mali-g310', '--const', 'x', '-i', '/dev/null')
        self.triplet(2, 'list', 'metrics', '--for', 'mali-g310', '-f', 'jsn', has=['json'])
        self.triplet(2, 'list', 'metrics', '--for', 'mali-g310', '-f', 'html', has=['text'])

    def test_not_found(self):
        self.triplet(3, 'list', 'metrics', '--for', 'mali-g3100', has=['mali-g310'])
        self.triplet(3, 'explain', 'gpu_activ_cycles', '--for', 'mali-g310', has=['gpu_active_cycles'])
        self.triplet(3, 'list', 'metrics', 'zzzzzz', '--for', 'mali-g310')
        self.triplet(3, 'stat', '-d', 'nonesuch', '--', 'true')
        self.triplet(3, 'eval', '--for', 'mali-g310', '--const', 'nonesuch=1', '-i', scratch('MaliGPUCyclesGPUActive\n1\n'))

    def test_bad_input(self):
        self.triplet(5, 'eval', '--for', 'mali-g310', '-i', '/proc/nonexistent/x.csv', has=['/nonexistent'])
        for verb in ('stat', 'report', 'export', 'advise'):
            self.triplet(5, verb, '-i', '/proc/nonexistent/x.sxc', has=['/nonexistent'])
            if verb != 'advise':
                self.triplet(5, verb, '-i', '/etc/passwd')
        self.triplet(5, 'eval', '--for', 'mali-g310', '-i', scratch(''))
        self.triplet(5, 'eval', '--for', 'mali-g310', '-i', scratch('MaliGPUCyclesGPUActive\nx7\n'),
                     has=[':2', 'x7'])
        self.triplet(5, 'eval', '--for', 'mali-g310', '-i', scratch('a,b\n1,2,3\n'), has=[':2'])
        self.triplet(5, 'eval', '--for', 'mali-g310', '-i', scratch('a,"b\n1,2\n'))

    def test_catalog_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'broken.yaml')
            with open(path, 'w', encoding='utf-8') as file:
                file.write('sextant-catalog: 1\nname: broken\ntitle: [\n')
            env = {'SEXTANT_CATALOG_PATH': folder}
            self.triplet(5, 'list', 'metrics', '--for', 'broken', env=env, has=['broken.yaml:'])
            # A broken catalog must not hide the others.
            names = [c['name'] for c in self.json('devices', env=env)['catalogs']]
            self.assertIn('mali-g310', names)
            with open(os.path.join(folder, 'plain.yaml'), 'w', encoding='utf-8') as file:
                file.write('sextant-catalog: 1\nname: plain\ntitle: P\nvendor: V\nkind: uncore\ndialect: standard\nnotation: infix\n'
                           'blocks:\n  - {name: b, title: B}\ncounters:\n  - {name: c, block: b, unit: count}\n')
            told = run('list', '--for', 'plain', env=env)
            self.assertEqual((told.returncode, told.stdout), (0, ''))
            self.assertEqual(told.stderr, 'catalog plain has no metrics; its counters: sextant list counters --for plain\n')

    def test_reader_gone(self):
        """A pager or head that has seen enough is no fault to tell, however much is left to write; a full disk is."""
        for args in (('catalog', 'show', 'intel-mtlgt3'), ('list', 'metrics', '--for', 'intel-mtlgt3')):
            with self.subTest(args[0]):
                piped = subprocess.Popen([SEXTANT, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                piped.stdout.read(10)
                piped.stdout.close()
                self.assertEqual(piped.stderr.read(), b'')
                piped.stderr.close()
                self.assertEqual(piped.wait(60), 1)
                with open('/dev/full', 'wb') as full:
                    told = subprocess.run([SEXTANT, *args], stdout=full, stderr=subprocess.PIPE, timeout=60, check=False)
                self.assertIn(b'error: cannot write the result', told.stderr)

    def test_reader_gone_of_something_incomplete(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'cpu.sxc')
            self.assertEqual(run('record', '-q', '-d', 'cpu', '-I', '20ms', '-t', '100ms', '-o', path).returncode, 0)
            with open(path, 'r+b') as file:
                file.truncate(os.path.getsize(path) - 40)  # cut: what is read is incomplete
            ours, theirs = os.pipe()
            os.close(ours)
            told = subprocess.run([SEXTANT, 'report', path], stdout=theirs, stderr=subprocess.PIPE, timeout=60, check=False)
            os.close(theirs)
            self.assertEqual(told.returncode, 1)
            self.assertNotIn(b'error', told.stderr)

    def test_result_too_large(self):
        """A limit of the file's size is an error like a full disk, leaves nothing behind, and is not the program's."""
        with tempfile.TemporaryDirectory() as folder:
            path, out = os.path.join(folder, 'cpu.sxc'), os.path.join(folder, 'out.csv')
            self.assertEqual(run('record', '-q', '-d', 'cpu', '-I', '10ms', '-t', '300ms', '-o', path).returncode, 0)

            most = len(run('export', path).stdout) // 2  # on a busy machine there are few rows

            def limit():
                resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
            done = subprocess.run([SEXTANT, 'export', path, '-o', out], stderr=subprocess.PIPE, timeout=60, preexec_fn=limit)
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertEqual([line.split(b' ')[0] for line in done.stderr.splitlines()], [b'error:', b'because:', b'try:'])
            self.assertEqual(os.listdir(folder), ['cpu.sxc'])
            done = subprocess.run([SEXTANT, 'stat', '-d', 'cpu', '-o', os.devnull, '--', 'sh', '-c', f'head -c {most + 9000} /dev/zero > {out}'],
                                  capture_output=True, timeout=60, preexec_fn=limit)
            self.assertEqual(done.returncode, 128 + signal.SIGXFSZ, done.stderr)

    def test_catalog_documents(self):
        """One schema, one shape."""
        diff = self.json('catalog', 'diff', 'amd-gcn1', 'amd-gcn2')
        self.assertEqual(diff['schema'], 'sextant.catalog-diff/1')
        self.assertEqual({d['change'] for d in diff['differences']}, {'new', 'other'} | {'gone'} & {
            d['change'] for d in diff['differences']})
        for name in ('cpu', 'intel-merrifield'):  # the latter has counters of one name in several groups
            self.assertEqual(self.json('catalog', 'diff', name, name)['differences'], [])
        self.assertEqual(self.json('catalog', 'lint', 'cpu')['schema'], 'sextant.catalog-lint/1')
        self.assertEqual(self.json('catalog', 'show', 'cpu')['schema'], 'sextant.catalog/1')

    def test_config(self):
        """Defaults and presets of the user's own; the command line wins."""
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, 'sextant'))
            path = os.path.join(folder, 'sextant', 'config')
            env = {'XDG_CONFIG_HOME': folder}
            with open(path, 'w', encoding='utf-8') as file:
                file.write('# mine\nlist.format = json\npreset two = cpu_busy,user_share\nformat = csv\n')
            printed = run('--print-config', env=env)
            self.assertIn(path, printed.stdout)
            self.assertIn('preset two = cpu_busy,user_share', printed.stdout)
            self.assertEqual(json.loads(run('list', 'metrics', '--for', 'cpu', env=env).stdout)['for'], 'cpu')
            self.assertIn('unit', run('list', 'metrics', '--for', 'cpu', '-f', 'text', env=env).stdout.split('\n')[0])
            rows = list(csv.reader(io.StringIO(run('stat', '-d', 'cpu', '-t', '100ms', '-m', 'two', env=env).stdout)))
            self.assertEqual([row[0] for row in rows], ['name', 'cpu_busy', 'user_share'])
            with open(path, 'w', encoding='utf-8') as file:
                file.write('device = a\x1b[31m\npreset x\u202e = b\x9b\n')
            shown = run('--print-config', env=env).stdout
            self.assertIn('device = a\\x1b[31m # line 1\npreset x\\u202e = b\\x9b # line 2\n', shown)
            for text in ('formt = json\n', 'format json\n', 'format = xml\n'):
                with open(path, 'w', encoding='utf-8') as file:
                    file.write(text)
                self.triplet(2, 'stat', '-d', 'cpu', '-t', '50ms', env=env, has=[path + ':1'])

    def test_config_of_other_verbs(self):
        """A default is for the verbs that can heed it, one of a single verb wins, and what is wrong in the file is blamed on the file."""
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, 'sextant'))
            path = os.path.join(folder, 'sextant', 'config')
            env = {'XDG_CONFIG_HOME': folder}
            stat = ('stat', '-d', 'cpu', '-t', '50ms')

            def write(text):
                with open(path, 'w', encoding='utf-8') as file:
                    file.write(text)
            write('format = csv\nstat.format = json\nconst = l2_slices=1\nconst = shader_cores=2\n')
            for args in (('explain', 'cpu_busy'), ('plan', '--for', 'amd-gcn3', '-m', 'VSBusy')):
                done = run(*args, env=env)
                self.assertEqual((done.returncode, done.stderr.count('error:')), (0, 0), done.stderr)
            self.assertEqual(json.loads(run(*stat, env=env).stdout)['schema'], 'sextant.stat/1')
            self.assertTrue(run('list', 'metrics', '--for', 'cpu', env=env).stdout.startswith('name,'))
            write('explain.format = csv\n')
            self.triplet(2, 'explain', 'cpu_busy', env=env, has=[path + ':1', 'does not write csv'])
            write('# mine\nmetric = cpu_bussy\n')
            self.triplet(3, *stat, env=env, has=['cpu_bussy', f'{path}:2 has metric = cpu_bussy'])
            self.assertNotIn(path, run(*stat, '-m', 'cpu_bsy', env=env).stderr)
            write('preset mine = cpu_busy,cpu_bussy\n')
            self.triplet(3, *stat, '-m', 'mine', env=env, has=[f'{path}:1 has preset mine = cpu_busy,cpu_bussy'])
            for text in ('preset a = cpu_busy\npreset a = user_share\n', 'format = json\nformat = csv\n', 'stat.per = frame\nstat.per = frame\n'):
                write(text)
                self.triplet(2, *stat, env=env, has=[path + ':2', 'earlier line'])
            os.unlink(path)
            os.symlink(path, path)
            self.triplet(4, *stat, env=env, has=['cannot read ' + path])
            os.unlink(path)
            self.assertEqual(run(*stat, env=env).returncode, 0)
            os.mkdir(path)
            self.triplet(4, *stat, env=env, has=['cannot read ' + path])
            self.triplet(4, '--print-config', env=env, has=['cannot read ' + path])

    def test_config_mistakes(self):
        """A line that means nothing is told with its place, whichever verb is at hand; what the remedy has in its place is read; help stays."""
        rows = [('foo = 3', 'no verb has an option foo', ''), ('intervall = 50ms', 'no verb has an option intervall', 'interval, or'),
                ('[stat]', 'there are no sections: [stat]', 'stat.interval = 50ms'), ('[preset a]', 'there are no sections', 'preset a = gpu_time'),
                ('interval = 5', 'has no unit', '5ms or 5s'),
                ('format = jsn', 'no verb writes jsn', 'format = json'), ('stat.foo = 3', 'no verb has an option foo', ''),
                ('stat.format = jsn', 'sextant stat does not write jsn', 'stat.format = json'),
                ('stat.top = 3', 'sextant stat has no option top', 'the line without "stat."'),
                ('stats.interval = 10ms', '"stats" is not a verb', 'stat, or'), ('foo.interval = 10ms', '"foo" is not a verb', 'sextant --help'),
                ('verbose = maybe', 'verbose cannot be "maybe"', 'verbose = yes'), ('color = 12', 'color cannot be "12"', 'color = never'),
                ('stat.overhead = x', 'overhead cannot be "x"', 'stat.overhead = 5'), ('top = five', 'top cannot be "five"', 'top = 10'),
                ('const = x', 'const cannot be "x"', 'const = shader_cores=4'), ('interval 10ms', 'there is no =', 'interval = 50ms'),
                ('bin\0ary', 'a byte of value 0', 'a text file'), ('a' * 1000000, 'more than 64 KiB', 'a text file')]
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, 'sextant'))
            path = os.path.join(folder, 'sextant', 'config')
            env = {'XDG_CONFIG_HOME': folder}

            def write(text):
                with open(path, 'w', encoding='utf-8') as file:
                    file.write(text)
            for line, error, remedy in rows:
                write(f'# mine\ncsv = no # as ever\n{line}\n')
                for args in (('devices',), ('list', 'metrics'), ('--print-config',)):
                    result = self.triplet(2, *args, env=env, has=[f'error: {path}:3: ', error, remedy])
                for args in (('--help',), ('stat', '--help')):
                    self.assertEqual(run(*args, env=env).returncode, 0, line)
                remedy = result.stderr.rstrip().split('try: ')[1]
                if ' = ' in remedy and 'file' not in remedy:
                    write(remedy.split(', ')[0])
                    self.assertEqual(run('--print-config', env=env).returncode, 0, remedy)
            write('\n# mine\nstat.interval = 50ms # as ever\npreset two = cpu_busy,user_share\n')
            printed = run('--print-config', env=env).stdout
            self.assertEqual(printed, f'# {path}\nstat.interval = 50ms # line 3\npreset two = cpu_busy,user_share # line 4\n')
            write(printed)  # it is what a file may have
            self.assertEqual(run('--print-config', env=env).stdout, printed.replace('line 3', 'line 2').replace('line 4', 'line 3'))
            os.unlink(path)
            os.mkfifo(path)
            self.triplet(4, 'devices', env=env, has=['cannot read ' + path, 'pipe', 'a text file'])

    def test_config_gives_way(self):
        """What the command line says in another way wins: a file that is an argument, a program, a device, a catalog."""
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, 'sextant'))
            config, mine, other, raw = (os.path.join(folder, name) for name in ('sextant/config', 'mine.sxc', 'other.sxc', 'raw.csv'))
            env = {'XDG_CONFIG_HOME': folder}
            for path, device in ((mine, 'cpu'), (other, 'mali-g310')):
                self.assertEqual(run('record', '-q', '-d', device, '-t', '100ms', '-I', '50ms', '-o', path).returncode, 0)
            with open(raw, 'w', encoding='utf-8') as file:
                file.write('duration_ns,MaliGPUCyclesGPUActive\n1000000,1000\n')

            def write(text):
                with open(config, 'w', encoding='utf-8') as file:
                    file.write(text)

            def catalogs(*args):
                done = run(*args, '--json', env=env)
                self.assertEqual((done.returncode, done.stderr.count('error:')), (0, 0), (args, done.stderr))
                return [device.get('catalog') for device in json.loads(done.stdout)['devices']]
            write(f'input = {mine}\n')
            self.assertEqual(catalogs('report'), ['cpu'])
            self.assertEqual(catalogs('report', other), ['mali-g310'])
            self.assertEqual(catalogs('list', 'devices', other), ['mali-g310'])
            self.assertEqual(catalogs('list', 'devices'), ['cpu'])
            self.assertEqual(catalogs('stat', '-d', 'mali-g310', '-t', '50ms'), ['mali-g310'])
            self.assertEqual(run('stat', '-q', '-o', os.path.join(folder, 'o.txt'), '--', 'true', env=env).returncode, 0)
            self.assertEqual(json.loads(run('eval', raw, '--for', 'mali-g310', '--json', env=env).stdout)['for'], 'mali-g310')
            imported = os.path.join(folder, 'imported.sxc')
            self.assertEqual(run('import', raw, '--for', 'mali-g310', '-o', imported, env=env).returncode, 0)
            self.assertEqual(catalogs('list', 'devices', imported), ['mali-g310'])
            self.assertEqual(json.loads(run('list', 'metrics', '--for', 'opengl', '--json', env=env).stdout)['for'], 'opengl')
            write('report.by = time\nreport.gate-warn = yes\nfps = 30\n')
            self.assertEqual(json.loads(run('report', other, '--json', env=env).stdout)['schema'], 'sextant.report-by/1')
            for args in (('-f', 'html', '-o', os.path.join(folder, 'page.html')), ('--resolution', '640x480')):
                done = run('report', other, *args, env=env)
                self.assertEqual((done.returncode, done.stderr), (0, ''), args)
            for text in ('device = cpu\n', 'for = cpu\n'):
                write(text)
                for args in (('list', 'metrics', '--for', 'opengl'), ('plan', '--for', 'amd-gcn3', '-m', 'VSBusy'), ('explain', 'frame_time', '--for', 'opengl'),
                             ('list', 'metrics', '-d', 'mali-g310')):
                    done = run(*args, env=env)
                    self.assertEqual((done.returncode, done.stderr), (0, ''), (text, args))

    def test_config_presets(self):
        """A preset may name others, but not itself; one that is called as a metric is told; a BOM is none of it."""
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, 'sextant'))
            path = os.path.join(folder, 'sextant', 'config')
            env = {'XDG_CONFIG_HOME': folder}
            stat = ('stat', '-q', '-d', 'cpu', '-t', '50ms', '--csv', '-m')

            def write(text):
                with open(path, 'w', encoding='utf-8') as file:
                    file.write(text)

            def names(*args):
                return [row[0] for row in csv.reader(io.StringIO(run(*stat, *args, env=env).stdout))][1:]
            write('\ufeffpreset a = b,run_queue\npreset b = cpu_busy,c\npreset c = user_share\n')
            self.assertEqual(names('a'), ['cpu_busy', 'user_share', 'run_queue'])
            self.assertEqual(names('c,b'), ['user_share', 'cpu_busy'])
            for text in ('preset a = a\n', 'preset a = b\npreset b = c,cpu_busy\npreset c = a\n'):
                write(text)
                self.triplet(2, *stat, 'a', env=env, has=[path + ':1: preset a is a part of itself'])
                self.assertEqual(names('run_queue'), ['run_queue'])
            write('preset cpu_busy = run_queue\npreset mine = user_share\n')
            told = run('stat', '-d', 'cpu', '-t', '50ms', '-m', 'cpu_busy', env=env).stderr
            self.assertIn(f'note: cpu_busy is the preset of {path}:1 here, not the metric', told)
            self.assertNotIn('preset', run('stat', '-d', 'cpu', '-t', '50ms', '-m', 'mine', env=env).stderr)

    def test_no_time_at_all(self):
        """Where a duration is a place in time, its beginning is one; a length of nothing is none."""
        with tempfile.TemporaryDirectory() as folder:
            whole, part = os.path.join(folder, 'whole.sxc'), os.path.join(folder, 'part.sxc')
            self.assertEqual(run('record', '-q', '-d', 'cpu', '-t', '100ms', '-I', '20ms', '-o', whole).returncode, 0)
            self.assertEqual(run('stat', '-q', '-d', 'cpu', '--delay', '0s', '-t', '50ms').returncode, 0)
            self.assertEqual(run('capture', 'cut', whole, '--from', '0ms', '--to', '1min', '-o', part).returncode, 0)
            self.assertEqual(run('capture', 'cut', whole, '--from', '0ms', '-o', part).returncode, 0)
            for words in (('--to', '0ms'), ('--from', '0'), ('--from', '0x0ms')):
                self.assertEqual(run('capture', 'cut', whole, *words, '-o', part).returncode, 2, words)

    def test_short_forms(self):
        self.assertEqual(run('-V').stdout, run('--version').stdout)
        self.assertEqual(run('LIST', 'metrics', '--for', 'cpu').stdout, run('list', 'metrics', '--dev', 'cpu').stdout)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'x.json')
            self.assertEqual(run('stat', '-d', 'cpu', '--dur', '50ms', '-I', '10ms', '-o', path).returncode, 0)
            with open(path, encoding='utf-8') as file:
                self.assertEqual(json.load(file)['schema'], 'sextant.stat/1')

    def test_search(self):
        """Without a catalog a name is searched for in all; a device and a capture name theirs."""
        self.assertIn('overdraw', run('list', 'metrics', 'overdraw').stdout)
        self.assertEqual({m['for'] for m in self.json('list', 'metrics', 'VSBusy')['metrics']} & {'amd-gcn1'}, {'amd-gcn1'})
        self.assertIn('amd-gcn2', run('explain', 'VSBusy').stderr)
        self.assertIn('Vertex shader busy', run('explain', 'vertex SHADER-busy').stdout)
        self.assertEqual(self.json('list', '-d', 'cpu')['for'], 'cpu')

    def test_any_program(self):
        """The CPU always answers; what did not, and why, is one line."""
        result = run('stat', '-m', 'cpu_busy,frame_time', '--json', '-I', '10ms', '--', 'sleep', '0.5')
        self.assertEqual(result.returncode, 1, result.stderr)  # frame_time was named
        doc = json.loads(result.stdout)
        self.assertEqual([d['source'] for d in doc['devices']][:2], ['gl', 'cpu'])
        self.assertGreater(doc['samples']['count'], 5)
        self.assertEqual(len([l for l in result.stderr.split('\n') if 'not measured: ' in l]), 1)

    def test_running_process(self):
        with subprocess.Popen(['sh', '-c', 'while :; do :; done']) as busy:
            doc = self.json('stat', '-p', str(busy.pid), '-m', 'cpus_used,TaskClock', '-t', '500ms')
            busy.kill()
        used = next(m for m in doc['metrics'] if m['name'] == 'TaskClock')
        self.assertGreater(used['total'], 0.01)  # s of CPU time, however busy the machine is
        began = time.monotonic()
        late = json.loads(run('stat', '--json', '-d', 'cpu', '-I', '20ms', '--delay', '300ms', '--', 'sleep', '0.6').stdout)
        rest = time.monotonic() - began - 0.3  # on a busy machine the program lasts longer than it sleeps
        self.assertLess(late['duration_ns'], rest * 1e9)
        # One begins the run, one ends it, and one that was late may come beside its next.
        self.assertIn(late['samples']['count'], range(1, int(rest / 0.02) + 4))

    def test_output(self):
        self.triplet(4, 'list', 'metrics', '--for', 'cpu', '-o', '/proc/nonexistent/out')
        self.triplet(4, 'record', '-d', 'cpu', '-t', '20ms', '-o', '/tmp', has=['Is a directory', 'FILE in a folder'])
        self.triplet(4, 'list', 'metrics', '--for', 'cpu', '-o', '/dev/full')
        self.assertEqual(run('list', 'metrics', '--for', 'cpu', '-o', '/dev/null').returncode, 0)
        direct = run('list', 'metrics', '--for', 'cpu', '-o', '/dev/stdout')
        self.assertEqual(direct.stdout, run('list', 'metrics', '--for', 'cpu').stdout)

    def test_result_in_the_place_of_its_input(self):
        """What a result is made from is never replaced by it, under whatever name."""
        with tempfile.TemporaryDirectory() as folder:
            path, link, other = (os.path.join(folder, name) for name in ('a.sxc', 'link.sxc', 'b.sxc'))
            for made in (path, other):
                subprocess.run([SEXTANT, 'record', '-q', '-d', 'mali-g310', '-t', '20ms', '-o', made], check=True, timeout=60)
            os.symlink('a.sxc', link)
            before = pathlib.Path(path).read_bytes()
            for args in (['report', path, '-f', 'html', '-o', path], ['export', path, '--csv', '-o', link],
                         ['export', link, '-f', 'perfetto', '-o', path], ['stat', '-i', path, '--json', '-o', path],
                         ['report', other, '--baseline', path, '-f', 'html', '-o', path],
                         ['export', other, '-f', 'perfetto', '--merge', path, '-o', path]):
                done = subprocess.run([SEXTANT, *args], capture_output=True, text=True, timeout=60, check=False)
                self.assertEqual(done.returncode, 2, (args, done.stderr))
                self.assertIn('input and output at once', done.stderr)
                self.assertEqual(pathlib.Path(path).read_bytes(), before, args)

    def test_output_stays(self):
        """What was there stays as it was until there is a result to take its place."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'kept')
            link = os.path.join(folder, 'link')
            with open(path, 'w', encoding='utf-8') as file:
                file.write('kept\n')
            os.symlink('kept', link)
            junk = os.path.join(folder, 'junk')
            with open(junk, 'w', encoding='utf-8') as file:
                file.write('junk\n')
            os.chmod(path, 0o640)
            for code, args in ((2, ['decode', '-i', junk, '--as', 'i915-recrd']),
                               (5, ['decode', '-i', junk, '--as', 'i915-record']),
                               (2, ['list', 'metrcs', '--for', 'cpu']),
                               (2, ['stat', '--nonsense', '--', 'true']),
                               (3, ['oa', 'record', '-d', 'i915:card99', '-t', '100ms']),
                               (3, ['explain', 'nonesuch', '--for', 'cpu', '--json'])):
                self.triplet(code, *args, '-o', link)
                with open(path, encoding='utf-8') as file:
                    self.assertEqual(file.read(), 'kept\n', args)
                self.assertEqual(sorted(os.listdir(folder)), ['junk', 'kept', 'link'], args)
            self.assertEqual(run('list', 'metrics', '--for', 'cpu', '-o', link).returncode, 0)
            with open(path, encoding='utf-8') as file:
                self.assertEqual(file.read(), run('list', 'metrics', '--for', 'cpu').stdout)
            self.assertTrue(os.path.islink(link))
            self.assertEqual(os.stat(path).st_mode & 0o777, 0o640)
            fresh = os.path.join(folder, 'fresh')
            mask = os.umask(0o027)
            run('list', 'metrics', '--for', 'cpu', '-o', fresh)
            os.umask(mask)
            self.assertEqual(os.stat(fresh).st_mode & 0o777, 0o640)
            self.assertEqual(sorted(os.listdir(folder)), ['fresh', 'junk', 'kept', 'link'])

    def test_output_empty(self):
        """An empty file, as mktemp makes it, may be open elsewhere: it is written in place."""
        with tempfile.NamedTemporaryFile('r') as file:
            self.assertEqual(run('list', 'metrics', '--for', 'cpu', '-o', file.name).returncode, 0)
            self.assertEqual(file.read(), run('list', 'metrics', '--for', 'cpu').stdout)
        reports = b''.join(struct.pack('<IIII', 1 << 19, 1000 * n, 5, 70000 * n) + bytes(48)
                           for n in range(2000))
        with tempfile.NamedTemporaryFile('r') as file:
            result = run('decode', '-i', '-', '--as', 'oa:C4_B8', '--counters', '-m', 'nonesuch', '-o', file.name,
                         input=reports, text=False)
            self.assertEqual(result.returncode, 3, result.stderr)
            self.assertEqual(file.read(), '')

    def test_output_of_child(self):
        """A child's exit status is no failure of ours."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'result')
            result = run('stat', '-d', 'cpu', '-I', '10ms', '--json', '-o', path, '--', 'sh', '-c',
                         'sleep 0.3; exit 5')
            self.assertEqual(result.returncode, 5, result.stderr)
            with open(path, encoding='utf-8') as file:
                self.assertEqual(json.load(file)['exit'], 5)

    def test_output_interrupted(self):
        """A run that is killed leaves neither a draft nor a hole."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'kept')
            with open(path, 'w', encoding='utf-8') as file:
                file.write('kept\n')
            child = subprocess.Popen([SEXTANT, 'decode', '-i', '-', '--as', 'oa:C4_B8', '--counters', '-o', path],
                                     stdin=subprocess.PIPE)
            deadline = time.monotonic() + 60
            while len(os.listdir(folder)) < 2 and time.monotonic() < deadline:
                time.sleep(0.01)
            self.assertEqual(len(os.listdir(folder)), 2)
            child.send_signal(signal.SIGINT)
            self.assertEqual(child.wait(timeout=60), -signal.SIGINT)
            child.stdin.close()
            self.assertEqual(os.listdir(folder), ['kept'])
            with open(path, encoding='utf-8') as file:
                self.assertEqual(file.read(), 'kept\n')

    def test_help(self):
        self.assertEqual(run('--help').returncode, 0)
        self.assertEqual(run().returncode, 2)
        self.assertRegex(run('--version').stdout, r'^sextant \d+\.\d+\.\d+\n$')
        verbs = [line.split()[0] for line in run('--help').stdout.split('\n') if re.match(r'  \w', line)]
        self.assertGreater(len(verbs), 15)
        for verb in verbs:
            if verb in ('sextant',):
                continue
            text = run(verb, '--help')
            self.assertEqual(text.returncode, 0, verb)
            self.assertIn('usage: sextant ' + verb, text.stdout)
            self.assertLessEqual(max(map(len, text.stdout.split('\n'))), 80, verb)


class Browse(Case):
    def test_shapes(self):
        metrics = self.json('list', 'metrics', '--for', 'mali-g310')
        self.assertEqual(metrics['schema'], 'sextant.list/1')
        self.assertEqual(metrics['for'], 'mali-g310')
        by_name = {m['name']: m for m in metrics['metrics']}
        self.assertEqual(len(by_name), 93)
        one = by_name['output_external_read_bytes']
        self.assertEqual(one['section'], '3.3.1')
        self.assertEqual(one['path'], ['GPU activity', 'External memory bandwidth'])
        self.assertEqual(one['unit'], 'bytes')
        self.assertEqual(one['inputs'], ['MaliExternalBusBeatsReadBeat', 'MaliConstantsBusWidthBits'])
        counters = self.json('list', 'counters', '--for', 'mali-g310')['counters']
        active = next(c for c in counters if c['name'] == 'MaliGPUCyclesGPUActive')
        self.assertEqual((active['block'], active['slot'], active['bits'], active['scale'],
                          active['reduce'], active['unit']), ('front-end', 4, 32, 1, 'single', 'cycles'))
        sets = self.json('list', 'sets', '--for', 'intel-bdw')['sets']
        self.assertEqual(len(sets), 24)
        basic = next(s for s in sets if s['name'] == 'RenderBasic')
        self.assertEqual(basic['metrics'], 52)
        self.assertEqual(basic['registers'], {'mux': 219, 'boolean': 5, 'flex': 7})
        chosen = self.json('list', 'metrics', '--for', 'intel-bdw', '--set', 'RenderBasic')['metrics']
        self.assertEqual(len(chosen), 52)
        self.assertTrue(all(m['set'] == 'RenderBasic' for m in chosen))

    def test_amd_fields(self):
        busy = next(m for m in self.json('list', 'metrics', '--for', 'amd-gcn2')['metrics']
                    if m['name'] == 'VSBusy')
        self.assertEqual(busy['group'], 'Timing')
        self.assertEqual(busy['usage'], 'percentage')
        self.assertTrue(busy['available'])
        self.assertIn('opengl', busy['apis'])

    def test_width(self):
        for verb in (['list', 'metrics', '--for', 'mali-g625'], ['list', 'counters', '--for', 'opengl'],
                     ['list', 'sets', '--for', 'intel-bdw'], ['explain', 'frame_time', '--for', 'opengl'],
                     ['devices'], ['doctor']):
            out = run(*verb, env={'COLUMNS': '80'}).stdout
            self.assertTrue(out, verb)
            self.assertLessEqual(max(map(len, out.split('\n'))), 80, verb)
            self.assertNotRegex(out, r'[ \t]\n', verb)
        narrow = run('doctor', env={'COLUMNS': '60'}).stdout
        self.assertLessEqual(max(map(len, narrow.split('\n'))), 60, narrow)

    def test_narrow(self):
        """Fewer than 40 columns are as many, down to 20, and not 80."""
        out = {columns: run('explain', 'frame_time', '--for', 'opengl', env={'COLUMNS': str(columns)}).stdout for columns in (1, 20, 30, 80)}
        self.assertLessEqual(max(map(len, out[30].split('\n'))), 30)
        self.assertGreater(out[20].count('\n'), out[30].count('\n'))
        self.assertGreater(out[30].count('\n'), out[80].count('\n'))
        self.assertEqual(out[1], out[20])

    def test_color(self):
        self.assertNotIn('\033', run('list', 'metrics', '--for', 'cpu').stdout)
        self.assertIn('\033', run('list', 'metrics', '--for', 'cpu', '--color', 'always').stdout)
        self.assertNotIn('\033', run('list', 'metrics', '--for', 'cpu', '--color', 'never').stdout)

    def test_pattern(self):
        all_names = {m['name'] for m in self.json('list', 'metrics', '--for', 'opengl')['metrics']}
        some = {m['name'] for m in self.json('list', 'metrics', 'GPU TIME', '--for', 'opengl')['metrics']}
        self.assertTrue(some and some < all_names)
        self.assertIn('gpu_time', some)

    def test_csv(self):
        rows = list(csv.reader(io.StringIO(run('list', 'counters', '--for', 'opengl', '--csv').stdout)))
        self.assertEqual(rows[0][0], 'name')
        self.assertEqual({len(r) for r in rows}, {5})


    def test_devices(self):
        doc = self.json('devices')
        self.assertEqual(doc['schema'], 'sextant.devices/1')
        self.assertLessEqual({'mali-g310', 'mali-g625', 'intel-bdw', 'intel-merrifield', 'amd-gcn3', 'opengl',
                              'vulkan', 'opencl', 'cpu'}, {c['name'] for c in doc['catalogs']})
        rows = list(csv.reader(io.StringIO(run('devices', '--csv').stdout)))
        self.assertEqual([r[0] for r in rows[1:]], [d['id'] for d in doc['devices']])
        self.triplet(3, 'doctor', '-d', 'nonesuch')
        self.triplet(2, 'doctor', '--selftest')
        self.triplet(3, 'doctor', '--selftest', '-d', 'cpu')
        for device in ('i915:card9', 'nonesuch', 'cpu'):
            self.assertEqual(run('doctor', '--selftest', '-d', device).stdout, '')
        self.triplet(3, 'stat', '-d', 'i915:card9', '-t', '1s')
        report = self.json('doctor')
        self.assertIn('i915_oa', {s['source'] for s in report['sources']})
        self.assertEqual(report['schema'], 'sextant.doctor/1')
        for source in report['sources']:
            usable = source['state'] in ('ready', 'inject')
            self.assertTrue(usable or source['reason'], source)
            self.assertTrue(source['state'] != 'unusable' or source['remedy'], source)


class Eval(Case):
    def test_values(self):
        raw = scratch('MaliGPUCyclesGPUActive,MaliExternalBusBeatsReadBeat,duration_ns\n'
                      '1000000,5000,16000000\n18446744073709551615,,16000000\n')
        doc = self.json('eval', '--for', 'mali-g310', '-i', raw, '--const', 'MaliConstantsBusWidthBits=128')
        self.assertEqual(doc['schema'], 'sextant.eval/1')
        column = {name: i for i, name in enumerate(doc['metrics'])}
        self.assertEqual((doc['metrics'][:2], doc['rows'][0][:2]), (['begin_ns', 'end_ns'], [0, 16000000]))
        gpu = [n for n in doc['metrics'][2:] if not n.startswith('cpu_')]
        self.assertEqual(len(gpu), 91)
        self.assertEqual(doc['rows'][0][column['gpu_active_cycles']], 1000000)
        self.assertEqual(doc['rows'][0][column['output_external_read_bytes']], 80000)
        self.assertIsNone(doc['rows'][1][column['output_external_read_bytes']])
        self.assertIsNone(doc['rows'][0][column['fragment_iterator_utilization']])

    def test_exact(self):
        raw = scratch('IAVertices\n9007199254740993\n')
        self.assertEqual(self.json('eval', '--for', 'opengl', '-i', raw, '-m', 'IAVertices')['rows'],
                         [[9007199254740993]])

    def test_stdin_and_alias(self):
        doc = self.json('eval', '--for', 'opengl', '-i', '-', '-m', 'IAVertices',
                        input='GL_VERTICES_SUBMITTED\n7\n')
        self.assertEqual(doc['rows'], [[7]])

    def test_ndjson_and_csv(self):
        raw = scratch('IAVertices,IAPrimitives\n6,2\n9,0\n')
        lines = run('eval', '--for', 'opengl', '-i', raw, '-m', 'vertices_per_primitive,IAVertices',
                    '-f', 'ndjson').stdout.strip().split('\n')
        self.assertEqual([json.loads(l) for l in lines],
                         [{'schema': 'sextant.eval/1', 'for': 'opengl', 'vertices_per_primitive': 3, 'IAVertices': 6,
                           'units': {'vertices_per_primitive': 'vertices/primitive', 'IAVertices': 'vertices'}},
                          {'vertices_per_primitive': None, 'IAVertices': 9}])
        rows = list(csv.reader(io.StringIO(run('eval', '--for', 'opengl', '-i', raw, '-m',
                                               'vertices_per_primitive,IAVertices', '--csv').stdout)))
        self.assertEqual(rows, [['vertices_per_primitive', 'IAVertices'], ['3', '6'], ['', '9']])

    def test_explain_numbers(self):
        raw = scratch('MaliExternalBusBeatsReadBeat,MaliConstantsBusWidthBits\n5000,128\n')
        out = run('explain', 'output_external_read_bytes', '--for', 'mali-g310', '-i', raw).stdout
        self.assertIn('= 5.00 k', out)
        self.assertIn('= 78.1 KiB', out)


class Stat(Case):
    """The child is a guest's host: its output, status and signals are its own."""

    def stat(self, *command, options=(), env=None):
        with tempfile.NamedTemporaryFile('r', suffix='.json') as file:
            result = run('stat', '-d', 'cpu', '-I', '10ms', '--json', '-o', file.name, *options, '--',
                         *command, env=env)
            text = file.read()
        return result, json.loads(text) if text else None

    def test_too_few_files(self):
        """The user's limit is in the way, and neither the program nor what was measured lacks anything."""
        for limit in range(6, 10):
            with self.subTest(limit):
                result = subprocess.run([SEXTANT, 'stat', '-d', 'cpu', '--', 'true'], capture_output=True, text=True, timeout=60,
                                        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit)))
                if result.returncode:
                    self.assertIn('because: Too many open files', result.stderr)
                    self.assertEqual(result.returncode, 4, result.stderr)

    def test_exit_and_output(self):
        result, doc = self.stat('sh', '-c', 'echo out; echo err >&2; sleep 0.4; exit 7')
        self.assertEqual(result.returncode, 7)
        self.assertEqual(result.stdout, 'out\n')
        self.assertIn('err\n', result.stderr)
        self.assertEqual(doc['schema'], 'sextant.stat/1')
        self.assertEqual(doc['exit'], 7)
        self.assertEqual(doc['samples']['kind'], 'time')
        self.assertGreaterEqual(doc['samples']['count'], 5)
        self.assertEqual(doc['devices'][0]['catalog'], 'cpu')
        self.assertGreater(doc['duration_ns'], 90_000_000)
        for metric in doc['metrics']:
            self.assertEqual(set(metric), {'name', 'device', 'unit', 'total', 'total_error', 'mean', 'min', 'p50', 'p95',
                                           'p99', 'max', 'running', 'why', 'count', 'lost'})
            self.assertEqual((metric['count'] > 0, metric['lost']), (metric['why'] is None, 0), metric)
            self.assertLessEqual(metric['count'], doc['samples']['count'])
            self.assertEqual(metric['mean'] is None, metric['why'] is not None, metric)

    def test_signal(self):
        result, doc = self.stat('sh', '-c', 'sleep 0.05; kill -SEGV $$')
        self.assertEqual(result.returncode, 128 + signal.SIGSEGV)
        self.assertEqual(doc['exit'], 128 + signal.SIGSEGV)

    def test_not_runnable(self):
        self.triplet(127, 'stat', '-d', 'cpu', '--', 'no-such-program-here')
        self.triplet(126, 'stat', '-d', 'cpu', '--', '/etc/passwd')

    def test_sigpipe_is_default(self):
        result, _ = self.stat('python3', '-c', 'import signal; print(open("/proc/self/status").read())')
        ignored = next(l for l in result.stdout.split('\n') if l.startswith('SigIgn:')).split()[1]
        mine = subprocess.run(['python3', '-c', 'print(open("/proc/self/status").read())'],
                              capture_output=True, text=True, check=True, restore_signals=False).stdout
        expected = next(l for l in mine.split('\n') if l.startswith('SigIgn:')).split()[1]
        self.assertEqual(int(ignored, 16) & ~int(expected, 16), 0)

    @unittest.skipUnless(os.geteuid() == 0, 'needs root to give rights away')
    def test_privileges(self):
        """Run as by a set-user-ID file: neither the child nor the command while it samples has them."""
        def as_nobody():
            os.setresgid(65534, 0, 0)
            os.setresuid(65534, 0, 0)
        show = 'grep -h ^Uid /proc/self/status /proc/$PPID/status; id -u > "$0" 2>&1 || echo refused'
        with tempfile.TemporaryDirectory() as private:  # root's own: nobody may not write here
            result = subprocess.run([SEXTANT, 'stat', '-d', 'cpu', '-o', '/dev/null', '--', 'sh', '-c', show,
                                     private + '/mine'], capture_output=True, text=True, timeout=60,
                                    preexec_fn=as_nobody)
        lines = [line.split()[1:] for line in result.stdout.split('\n') if line.startswith('Uid')]
        self.assertEqual(lines[0], ['65534'] * 4, result)
        self.assertEqual(lines[1][:2], ['65534', '65534'], result)
        self.assertIn('refused', result.stdout)

    def test_interrupt(self):
        """Once it says that it samples, Ctrl-C ends it with all that it has."""
        ours, theirs = pty.openpty()
        process = subprocess.Popen([SEXTANT, 'stat', '-d', 'cpu', '-I', '10ms', '--json'], stdout=subprocess.PIPE, stderr=theirs, text=True)
        os.close(theirs)
        told, seen = b'', 0
        while seen <= 10:
            told += os.read(ours, 4096)
            seen = max(map(int, re.findall(rb'(\d+) samples?,', told)), default=0)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
        os.close(ours)
        self.assertEqual(process.returncode, 0, told)
        self.assertGreaterEqual(json.loads(out)['samples']['count'], seen)

    def test_record_keeps(self):
        """A program that cannot be run costs no capture."""
        with tempfile.NamedTemporaryFile('w+', suffix='.sxc') as file:
            file.write('kept')
            file.flush()
            self.triplet(127, 'record', '-d', 'cpu', '-o', file.name, '--', 'no-such-program-here')
            self.triplet(126, 'record', '-d', 'cpu', '-o', file.name, '--', '/etc/passwd')
            self.triplet(127, 'record', '-d', 'cpu', '-o', file.name, '--', '/no/such/program')
            file.seek(0)
            self.assertEqual(file.read(), 'kept')

    def test_context(self):
        self.triplet(3, 'stat', '-d', 'cpu', '--context', '5', '--', 'true', has=['contexts'])
        self.triplet(2, 'stat', '--context', 'five', '--', 'true')
        self.triplet(2, 'top', '--context', '5')

    def test_duration_ends_child(self):
        result = run('stat', '-d', 'cpu', '-t', '200ms', '--', 'sleep', '30')
        self.assertEqual(result.returncode, 128 + signal.SIGTERM)

    def left(self, word):
        """Whether a program with this word among its arguments runs, a while after it was told to end."""
        for _ in range(100):
            found = False
            for pid in filter(str.isdigit, os.listdir('/proc')):
                try:
                    with open(f'/proc/{pid}/cmdline', 'rb') as file:
                        found |= word.encode() in file.read().split(b'\0')
                except OSError:
                    continue
            if not found:
                return False
            time.sleep(0.05)
        return True

    def test_duration_ends_what_the_child_started(self):
        """A shell's program, one in a session of its own, and those that ignore SIGTERM; nobody else."""
        mine = str(10 ** 6 + os.getpid())  # seconds to sleep, as a name
        beside = subprocess.Popen(['sleep', mine + '.9'])
        self.addCleanup(beside.wait)
        self.addCleanup(beside.kill)
        for script in (f'sleep {mine}; true', f'setsid sleep {mine} & wait', f"trap '' TERM; sleep {mine}; sleep {mine}"):
            began = time.monotonic()
            result = run('stat', '-d', 'cpu', '-t', '1s', '--', 'sh', '-c', script)
            killed = 'trap' in script
            self.assertEqual(result.returncode, 128 + (signal.SIGKILL if killed else signal.SIGTERM), script)
            self.assertGreater(time.monotonic() - began, 3 if killed else 1)
            self.assertFalse(self.left(mine), script)
        self.assertIsNone(beside.poll())

    def test_duration_wakes_what_is_stopped(self):
        """It hears SIGTERM, and ends as it likes, before it is killed."""
        result = run('stat', '-d', 'cpu', '-t', '1s', '--', 'sh', '-c', "trap 'exit 9' TERM; kill -STOP $$; exit 8")
        self.assertEqual(result.returncode, 9)


if __name__ == '__main__':
    unittest.main(verbosity=2)
