#!/usr/bin/env python3
"""
Copies of the command with rights of their own, run by a user without any: one that is set-user-ID root and one with
file capabilities. Needs root to make them; exits 77 without.
"""
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

SEXTANT, GREEDY, MAKE_CAPTURE, PRELOAD, PROGRAMS = (os.path.abspath(path) for path in sys.argv[1:6])
del sys.argv[1:6]
NOBODY = 65534
SECRET = 'name: secret-of-root'
# CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_SYS_ADMIN, CAP_PERFMON
CAPABILITIES = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 21 | 1 << 38


def give_capabilities(path):
    revision, effective = 0x02000000, 1
    os.setxattr(path, 'security.capability', struct.pack(
        '<5I', revision | effective, CAPABILITIES & 0xffffffff, 0, CAPABILITIES >> 32, 0))


def as_nobody():
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)


class Rights(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        cls.folder = cls.holder.name
        os.chmod(cls.folder, 0o755)
        if os.statvfs(cls.folder).f_flag & os.ST_NOSUID:
            sys.exit(77)
        cls.copies = {}
        for name in ('plain', 'set-user-id', 'capabilities'):
            cls.copies[name] = shutil.copy(SEXTANT, os.path.join(cls.folder, name))
        os.chmod(cls.copies['set-user-id'], 0o4755)
        try:
            give_capabilities(cls.copies['capabilities'])
        except OSError:
            print('this file system keeps no capabilities: skipped')
            sys.exit(77)
        cls.private = os.path.join(cls.folder, 'private')
        os.mkdir(cls.private, 0o700)
        cls.open = os.path.join(cls.folder, 'open')
        os.mkdir(cls.open)
        os.chown(cls.open, NOBODY, NOBODY)
        cls.secret = os.path.join(cls.private, 'secret.yaml')
        with open(cls.secret, 'w', encoding='utf-8') as out:
            out.write(f'sextant: {SECRET}\n{SECRET}: [\n')

    @classmethod
    def tearDownClass(cls):
        cls.holder.cleanup()

    def run_as_nobody(self, copy, *args, env=None, stdin=None):
        # A sanitizer that looks for leaks would stop the process, which a user may not do to these.
        merged = dict(os.environ, ASAN_OPTIONS='detect_leaks=0', **(env or {}))
        return subprocess.run([self.copies[copy], *args], capture_output=True, text=True, timeout=60, input=stdin,
                              env=merged, preexec_fn=as_nobody, cwd=self.open)

    def run_into_files(self, *args):
        """What the program holds open is no pipe of ours, which would be read until it ends."""
        paths = [os.path.join(self.folder, name) for name in ('stdout', 'stderr')]
        with open(paths[0], 'wb') as out, open(paths[1], 'wb') as err:
            code = subprocess.run([self.copies['plain'], *args], stdout=out, stderr=err, timeout=60, cwd=self.open, check=False,
                                  env=dict(os.environ, ASAN_OPTIONS='detect_leaks=0'), preexec_fn=as_nobody).returncode
        texts = [open(path, encoding='utf-8').read() for path in paths]
        return subprocess.CompletedProcess(args, code, *texts)

    def test_a_program_that_nobody_may_end(self):
        """-t and -n bound a run also where the user may not signal the program: what was measured is there, and where it runs."""
        become_root = shutil.copy(shutil.which('setpriv'), os.path.join(self.folder, 'become-root'))
        os.chmod(become_root, 0o4755)
        sleeper = shutil.copy(shutil.which('sleep'), os.path.join(self.folder, 'sleeper'))
        for verb in (('stat', '--json', '-d', 'cpu', '-I', '20ms', '-t', '300ms'), ('stat', '-d', 'cpu', '-I', '20ms', '-n', '10'),
                     ('record', '-d', 'cpu', '-I', '20ms', '-t', '300ms', '-o', os.path.join(self.open, 'left.sxc'))):
            with self.subTest(verb):
                begun = time.monotonic()
                done = self.run_into_files(*verb, '--', become_root, '--reuid=0', sleeper, '30')
                took = time.monotonic() - begun
                pid = int(re.search(r'still runs, as process (\d+)', done.stderr).group(1))
                with open(f'/proc/{pid}/cmdline', encoding='ascii') as file:
                    self.assertIn('sleeper', file.read())
                os.kill(pid, signal.SIGKILL)
                self.assertLess(took, 15)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn(f'sudo kill {pid}', ' '.join(done.stderr.split()))
                if '--json' in verb:
                    document = json.loads(done.stdout)
                    self.assertIsNone(document['exit'])
                    self.assertEqual(document['ended_by'], 'duration')
                    self.assertGreater(document['samples']['count'], 2)
                elif verb[0] == 'stat':
                    self.assertIn(f'still runs (process {pid})', ' '.join(done.stdout.split()))
        done = self.run_as_nobody('plain', 'report', os.path.join(self.open, 'left.sxc'), '--json')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIsNone(json.loads(done.stdout)['exit'])

    def test_a_program_that_is_left_is_named_by_every_verb(self):
        """With -q, too, and where a recording runs for another verb."""
        become_root = shutil.copy(shutil.which('setpriv'), os.path.join(self.folder, 'become-root-2'))
        os.chmod(become_root, 0o4755)
        sleeper = shutil.copy(shutil.which('sleep'), os.path.join(self.folder, 'sleeper-2'))
        program = (become_root, '--reuid=0', sleeper, '30')
        options = ('-d', 'cpu', '-I', '20ms', '-t', '300ms')
        for verb in (('record', '-q', '-o', os.path.join(self.open, 'left-2.sxc'), *options, '--', *program),
                     ('stat', '-r', '1', *options, '--', *program), ('compare', '-n', '1', *options, '--', 'true', ':::', *program)):
            with self.subTest(verb[0]):
                done = self.run_into_files(*verb)
                left = [int(pid) for pid in re.findall(r'still runs, as process (\d+)', done.stderr)]
                for pid in left:
                    os.kill(pid, signal.SIGKILL)
                self.assertEqual(len(left), 1, done.stderr)

    def test_files_of_others(self):
        """Whatever reads a file reads it with the user's own rights."""
        capture = os.path.join(self.private, 'own.sxc')
        subprocess.run([MAKE_CAPTURE, capture], check=True)
        cases = [('eval', '--for', 'mali-g310', self.secret), ('catalog', 'show', self.secret),
                 ('catalog', 'lint', self.secret), ('list', 'metrics', '--for', self.secret),
                 ('report', capture), ('export', capture), ('capture', 'info', capture),
                 ('stat', '-i', capture), ('explain', 'x', '--for', 'mali-g310', '-i', self.secret),
                 ('decode', self.secret, '--as', 'perf-stat', '--for', 'cpu'),
                 ('list', 'metrics', '--for', 'secret')]
        for copy in ('set-user-id', 'capabilities'):
            for case in cases:
                result = self.run_as_nobody(copy, *case, env={'SEXTANT_CATALOG_PATH': self.private})
                self.assertNotIn('secret-of-root', result.stdout + result.stderr, (copy, case))
                self.assertIn(result.returncode, (3, 4, 5), (copy, case, result))
                self.assertIn('because: ', result.stderr)

    def test_path_in_capture(self):
        """A capture that names a file as its catalog makes nobody read it, with rights or without."""
        capture = os.path.join(self.open, 'path.sxc')
        subprocess.run([MAKE_CAPTURE, capture, self.secret], check=True)
        os.chmod(capture, 0o644)
        for run in (lambda *a: self.run_as_nobody('set-user-id', *a), lambda *a: subprocess.run(
                [SEXTANT, *a], capture_output=True, text=True, timeout=60)):
            for case in (('report', capture), ('stat', '-i', capture), ('export', capture), ('advise', capture),
                         ('eval', capture)):
                result = run(*case)
                self.assertNotIn('secret-of-root', result.stdout + result.stderr, case)
                self.assertEqual(result.returncode, 5, (case, result.stderr))
                self.assertIn('a catalog cannot be named', result.stderr)

    def test_devices(self):
        """Around a device's calls the rights are there."""
        def missing(result):
            self.assertEqual(result.returncode, 0, result.stderr)
            return {m['name'] for m in json.loads(result.stdout)['metrics'] if m['total'] is None}
        args = ('stat', '-d', 'cpu', '-t', '50ms', '--json', '-m', 'Migrations,PageFaults')
        by_root = missing(subprocess.run([SEXTANT, *args], capture_output=True, text=True, timeout=60))
        plain = missing(self.run_as_nobody('plain', *args))
        if plain == by_root:
            self.skipTest('this kernel counts no more for root than for anybody')
        for copy in ('set-user-id', 'capabilities'):
            self.assertEqual(missing(self.run_as_nobody(copy, *args)), by_root, copy)

    def test_child(self):
        """Neither the program nor the command while it samples acts with more than the user's rights."""
        show = 'cat /proc/self/status; echo ---; cat /proc/$PPID/task/*/status'
        for copy in ('set-user-id', 'capabilities'):
            result = self.run_as_nobody(copy, 'stat', '-d', 'cpu', '-o', '/dev/null', '--', 'sh', '-c', show)
            mine, _, parent = result.stdout.partition('---')
            self.assertEqual(rights_of(mine), NONE, copy)
            effective = rights_of(parent)
            self.assertEqual((effective['Uid'][:2], effective['CapEff']), ([str(NOBODY)] * 2, ['0' * 16]), copy)

    def test_driver_of_user(self):
        """A library in a driver's place cannot take rights back."""
        library = shutil.copy(GREEDY, os.path.join(self.open, 'greedy.so'))
        os.chmod(library, 0o755)
        os.chmod(shutil.copy(PRELOAD, self.open), 0o755)
        vendor = os.path.join(self.open, 'vendor.json')
        with open(vendor, 'w', encoding='utf-8') as out:
            json.dump({'file_format_version': '1.0.0', 'ICD': {'library_path': library}}, out)
        for copy in ('set-user-id', 'capabilities'):
            seen = os.path.join(self.open, copy + '.status')
            self.run_as_nobody(copy, 'doctor', env={
                '__EGL_VENDOR_LIBRARY_FILENAMES': vendor, 'GREEDY': seen, 'SEXTANT_PRELOAD_DIR': self.open})
            if not os.path.exists(seen):
                self.skipTest('no EGL here loads a vendor that the user names')
            with open(seen, encoding='utf-8') as text:
                self.assertEqual(rights_of(text.read()), NONE, copy)

    def test_opengl(self):
        """A copy with rights measures a program's OpenGL: the channel is handed over to the user's process."""
        program = os.path.join(PROGRAMS, 'gl-known')
        if not os.path.exists(program) or subprocess.run([program, '3'], capture_output=True).returncode == 77:
            self.skipTest('no OpenGL program here')
        program = shutil.copy(program, self.folder)
        library = os.path.join(self.folder, 'library')
        os.mkdir(library)
        shutil.copy(PRELOAD, library)
        for path in (program, library, os.path.join(library, os.path.basename(PRELOAD))):
            os.chmod(path, 0o755)
        counted = {}
        for copy in ('plain', 'set-user-id', 'capabilities'):
            result = self.run_as_nobody(copy, 'stat', '-d', 'gl', '--overhead', '0', '-m', 'IAVertices,PSInvocations',
                                        '--json', '-o', copy + '.json', '--', program, '3',
                                        env={'SEXTANT_PRELOAD_DIR': library, 'HOME': self.open})
            self.assertEqual(result.returncode, 0, (copy, result.stderr))
            with open(os.path.join(self.open, copy + '.json'), encoding='utf-8') as text:
                document = json.load(text)
            counted[copy] = {m['name']: m['total'] for m in document['metrics']}
            self.assertGreater(counted[copy]['IAVertices'], 0, copy)
        self.assertEqual(counted['set-user-id'], counted['plain'])
        self.assertEqual(counted['capabilities'], counted['plain'])

    def test_swapped_output(self):
        """As root, into a folder of somebody who swaps the file, then the folder, for links."""
        victim = os.path.join(self.private, 'victim')
        elsewhere = os.path.join(self.private, 'elsewhere')
        os.mkdir(elsewhere)
        for existing in (b'', b'kept', None):
            folder = os.path.join(self.open, 'results')
            os.mkdir(folder)
            os.chown(folder, NOBODY, NOBODY)
            target = os.path.join(folder, 'out.csv')
            with open(victim, 'wb') as out:
                out.write(b'untouched')
            if existing is not None:
                with open(target, 'wb') as out:
                    out.write(existing)
                os.chown(target, NOBODY, NOBODY)
            process = subprocess.Popen([SEXTANT, 'eval', '--for', 'mali-g310', '-i', '-', '-o', target, '--csv', '-q'],
                                       stdin=subprocess.PIPE)
            deadline = time.monotonic() + 30  # until it has opened what it writes
            def target_of(fd):
                try:
                    return os.readlink(f'/proc/{process.pid}/fd/{fd}')
                except FileNotFoundError:  # closed since it was listed
                    return ''
            while time.monotonic() < deadline and not any(
                    target_of(fd).startswith(folder) for fd in list_fds(process.pid)):
                time.sleep(0.01)
            if existing is not None:
                os.unlink(target)
            os.symlink(victim, target)
            os.rename(folder, folder + '.moved')
            os.symlink(elsewhere, folder)
            process.communicate(b'MaliGPUCyclesGPUActive\n5\n')
            self.assertEqual(process.returncode, 0)
            with open(victim, 'rb') as text:
                self.assertEqual(text.read(), b'untouched', existing)
            self.assertEqual((os.stat(victim).st_uid, os.listdir(elsewhere)), (0, []), existing)
            os.unlink(folder)
            shutil.rmtree(folder + '.moved')

    def test_no_rights_from_target(self):
        """A set-user-ID file that is replaced gives its owner, not its rights."""
        target = os.path.join(self.open, 'special.csv')
        with open(target, 'w', encoding='utf-8') as out:
            out.write('old')
        os.chown(target, NOBODY, NOBODY)
        os.chmod(target, 0o6755)
        subprocess.run([SEXTANT, 'list', 'metrics', '--for', 'mali-g310', '-o', target], check=True)
        info = os.stat(target)
        self.assertEqual((info.st_mode & 0o7777, info.st_uid), (0o755, NOBODY))


NONE = {'Uid': [str(NOBODY)] * 4, 'Gid': [str(NOBODY)] * 4, 'CapPrm': ['0' * 16], 'CapEff': ['0' * 16],
        'CapInh': ['0' * 16], 'CapAmb': ['0' * 16]}


def rights_of(status):
    return {key: rest.split() for key, _, rest in (line.partition(':') for line in status.split('\n')) if key in NONE}


def list_fds(pid):
    try:
        return os.listdir(f'/proc/{pid}/fd')
    except OSError:
        return []


if __name__ == '__main__':
    if os.geteuid() != 0:
        print('only root can give rights to a copy: skipped')
        sys.exit(77)
    unittest.main()
