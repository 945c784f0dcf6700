#!/usr/bin/env python3
"""The drm source as a user meets it, on machines that are texts, good and hostile ones.

usage: test_drm.py SEXTANT_ON_TREE FOLDER_OF_TREES
"""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from command import wait_until

TOOL, TREES = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
del sys.argv[1:3]
DEVICE = '/sys/devices/pci0000:00/0000:03:00.0'
HEAD = f'''uid 0
file /proc/sys/kernel/osrelease
	6.8.0-fixture
link /sys/class/drm/card0 ../../devices/pci0000:00/0000:03:00.0/drm/card0
link {DEVICE}/drm/card0/device ../../../0000:03:00.0
file {DEVICE}/drm/renderD128/dev
	226:128
file {DEVICE}/uevent
	DRIVER=amdgpu
	PCI_SLOT_NAME=0000:03:00.0
file {DEVICE}/vendor
	0x1002
file {DEVICE}/device
	0x7300
process 1 0 0 init
'''


def run(tree, *args, hostile=False, text=None, **env):
    with tempfile.NamedTemporaryFile('w', suffix='.tree', encoding='utf-8') as file:
        if text is not None:
            file.write(text)
            file.flush()
            tree = file.name
        env = dict(os.environ, SEXTANT_TREE=tree, **env)
        if hostile:
            env['SEXTANT_TREE_HOSTILE'] = '1'
        return subprocess.run([TOOL, *args], env=env, capture_output=True, text=True, timeout=120, check=False)


def read(path):
    with open(path, encoding='utf-8') as text:
        return text.read()


def tree(name):
    return os.path.join(TREES, name + '.tree')


def stat(path, *args, text=None, hostile=False, code=0):
    done = run(path, 'stat', '-d', 'drm', '--json', *args, text=text, hostile=hostile)
    assert done.returncode == code, (done.returncode, done.stderr)
    document = json.loads(done.stdout)
    return document, {metric['name']: metric for metric in document['metrics']}


def client(pid, fd, key, extra, driver='amdgpu'):
    lines = ''.join(f'\t{line}\n' for line in extra)
    return f'descriptor {pid} {fd} /dev/dri/renderD128\n\tdrm-driver:\t{driver}\n\tdrm-client-id:\t{key}\n\tdrm-pdev:\t0000:03:00.0\n{lines}'


class Behaviour(unittest.TestCase):
    def test_devices_and_doctor(self):
        listed = json.loads(run(tree('optimus'), 'devices', '--json').stdout)['devices']
        self.assertEqual([d['id'] for d in listed if d['source'] == 'drm'], ['drm:card0', 'drm:card1'])
        text = run(tree('optimus'), 'doctor').stdout
        ours = text.split('unusable')[0] + text.split('sources can measure here')[1]
        self.assertTrue(all(len(line) <= 80 for line in ours.split('\n')), text)
        self.assertIn('try: run as root, or with CAP_SYS_PTRACE', text)
        last = ' '.join(text.split('sources can measure here')[1].split())
        page = read(os.path.join(TREES, '../../../docs/gpus.md'))
        for driver in ('i915', 'nouveau'):
            self.assertIn(f'({driver}): ', last)
            row = next(line for line in page.split('\n') if line.startswith(f'| `{driver}` |'))
            self.assertIn(row.split(' | ')[2], last)
        text = ' '.join(run(tree('tiger-lake'), 'doctor', '-d', 'drm').stdout.split())
        self.assertIn('try: run as root, or with CAP_SYS_PTRACE; sudo chmod a+r /sys/class/powercap/*/energy_uj, or -d pmu', text)
        self.assertNotIn('sudo', run(tree('radeon'), 'doctor', '-d', 'drm').stdout)

    def test_the_last_line_of_others(self):
        """An unknown driver, and no card at all: doctor's last line is that of docs/gpus.md as well."""
        page = read(os.path.join(TREES, '../../../docs/gpus.md'))
        for text, begin in ((HEAD.replace('DRIVER=amdgpu', 'DRIVER=strange'), 'The driver strange: '), ('uid 0\nprocess 1 0 0 init\n', 'Without a card in /sys/class/drm ')):
            last = ' '.join(run(None, 'doctor', text=text).stdout.split('sources can measure here')[1].split())
            self.assertTrue(last.startswith(begin), last)
            self.assertIn(last.removeprefix('The driver strange: '), page)

    def test_no_gpu(self):
        done = run(None, 'stat', '-d', 'drm', text='uid 0\nprocess 1 0 0 init\n')
        self.assertEqual(done.returncode, 3)
        self.assertIn('because: /sys/class/drm has no GPU', done.stderr)

    def test_old_kernels_and_panics_are_named(self):
        text = read(tree('pi5')).replace('6.12.0-fixture', '6.6.31-fixture')
        told = ' '.join(run(None, 'doctor', '-d', 'drm', text=text).stdout.split())
        self.assertNotIn("queues' times", told, 'Raspberry Pi OS brought gpu_stats to its 6.6')
        self.assertIn('can panic this kernel', told)
        told = ' '.join(run(None, 'doctor', '-d', 'drm', text=text.replace('v3d/gpu_stats', 'v3d/other')).stdout.split())
        self.assertIn("queues' times came with Linux 6.8", told)
        self.assertNotIn('panic', run(tree('pi5'), 'doctor', '-d', 'drm').stdout)
        for driver, new, old, what in (('amdgpu', '5.19.0', '5.18.19', "programs' engines came with Linux 5.19"), ('msm', '6.0.0', '5.19.17', "programs' times came with Linux 6.0"),
                                       ('panfrost', '6.10.0', '6.9.12', "programs' engines came with Linux 6.10"), ('panthor', '6.13.1', '6.12.40', "programs' times came with Linux 6.13"),
                                       ('xe', '6.11.0', '6.10.9', "programs' engines came with Linux 6.11")):
            for version in (new, old):
                text = HEAD.replace('amdgpu', driver).replace('6.8.0-fixture', version + '-fixture')
                told = ' '.join(run(None, 'doctor', '-d', 'drm', text=text).stdout.split())
                self.assertEqual(what in told, version == old, (driver, version, told))

    def test_modules_and_parameters_are_named(self):
        def told(text, *args):
            return ' '.join(run(None, 'doctor', *args, text=text).stdout.split())

        def cpu(vendor, flags='fpu vme'):
            return f'file /proc/cpuinfo\n\tprocessor\t: 0\n\tvendor_id\t: {vendor}\n\tflags\t\t: {flags}\n\tbugs\t: hypervisor\n'
        rapl = 'file /sys/class/powercap/intel-rapl:0/name\n\tpackage-0\nfile /sys/class/powercap/intel-rapl:0/energy_uj\n\t7\n'
        self.assertIn('sudo modprobe intel_rapl_msr', told(HEAD + cpu('GenuineIntel'), '-d', 'drm'))
        self.assertIn('sudo modprobe intel_rapl_msr', told(HEAD + cpu('AuthenticAMD'), '-d', 'drm'))
        for text in (HEAD, HEAD + cpu('GenuineIntel') + rapl, HEAD + cpu('GenuineIntel', 'fpu hypervisor vme'), HEAD + cpu('Other')):
            self.assertNotIn('modprobe', told(text, '-d', 'drm'))
        card = HEAD.replace('DRIVER=amdgpu', 'DRIVER=radeon')
        for device, step in (('0x6798', 'radeon.si_support=0 amdgpu.si_support=1'), ('0x67b1', 'radeon.cik_support=0 amdgpu.cik_support=1'), ('0x6719', None)):
            found = told(card.replace('0x7300', device), '-d', 'drm')
            if step:
                self.assertIn(f'the kernel parameters {step}', found)
            else:
                self.assertNotIn('kernel parameters', found)
        pmus = ''.join(f'file /sys/bus/event_source/devices/{name}/type\n\t{number}\n' for number, name in enumerate(('software', 'msr'), 1))
        found = told(HEAD + cpu('GenuineIntel') + pmus, '-d', 'pmu')
        self.assertIn('sudo modprobe rapl; sudo modprobe intel_uncore', found)
        self.assertIn('sudo modprobe rapl; sudo modprobe amd_uncore', told(HEAD + cpu('AuthenticAMD') + pmus, '-d', 'pmu'))
        found = told(HEAD + cpu('GenuineIntel') + pmus + 'file /sys/bus/event_source/devices/power/type\n\t9\n', '-d', 'pmu')
        self.assertNotIn('rapl', found)
        self.assertIn('intel_uncore', found)

    def test_selftest(self):
        for name in ('steam-deck', 'pi5', 'rk3588', 'tiger-lake', 'lunar-lake', 'radeon'):
            done = run(tree(name), 'doctor', '--selftest', '-d', 'drm')
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn('every invariant holds', done.stdout)
        text = read(tree('steam-deck')).replace('770000000/s', '7700000000/s')
        done = run(None, 'doctor', '--selftest', '-d', 'drm', text=text)
        self.assertEqual(done.returncode, 1)
        self.assertIn('FAILED: engine.gfx', done.stdout)

    def test_per_process(self):
        document, total = stat(tree('radeon'), '-I', '100ms', '-t', '1s')
        self.assertEqual(document['samples']['kind'], 'time')
        _, each = stat(tree('radeon'), '-I', '100ms', '-t', '1s', '--per', 'process')
        for name in ('engine.gfx', 'engine.compute', 'engine.enc'):
            self.assertAlmostEqual(each[name]['total'], total[name]['total'])
        self.assertIn('the counter covers the whole device', each['Clock']['why'])
        document, _ = stat(tree('radeon'), '-I', '100ms', '-t', '1s', '--per', 'process')
        who = {p['name']: p['pid'] for p in document['devices'][0]['processes']}
        self.assertEqual(who, {'kwin_wayland': 1111, 'Game.exe': 5000, 'obs': 5100})
        _, one = stat(tree('radeon'), '-I', '100ms', '-t', '1s', '--per', 'process', '--process', 'obs')
        self.assertAlmostEqual(one['engine.gfx']['total'], 0.02)

    def test_who_keeps_it_busy(self):
        """As docs/gpus.md says it: one line a program."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'gpu.sxc')
            self.assertEqual(run(tree('radeon'), 'record', '-d', 'drm', '--per', 'process', '-t', '5s', '-o', path).returncode, 0)
            done = run(tree('radeon'), 'report', '-i', path, '--by', 'process', '-m', 'work_busy,work_memory', '--csv')
            self.assertEqual(done.returncode, 0, done.stderr)
        rows = [line.split(',') for line in done.stdout.strip().split('\n')]
        busy = {row[rows[0].index('process')]: float(row[rows[0].index('work_busy')]) for row in rows[1:]}
        self.assertEqual({name.split(' ')[0]: round(value) for name, value in busy.items()}, {'kwin_wayland': 3, 'Game.exe': 91, 'obs': 2}, done.stdout)
        text = run(tree('radeon'), 'stat', '-d', 'drm', '--per', 'process', '-t', '5s').stdout
        table = [re.split(r'  +', line) for line in text[text.index('process   '):].strip().split('\n')]
        table = [[cells[0].split(' ')[0], *cells[-3:-1]] for cells in table]
        self.assertEqual(table, [['process', 'work_busy', 'work_memory'], ['Game.exe', '91.0 %', '6.74 GiB'], ['kwin_wayland', '3.00 %', '206 MiB'], ['obs', '2.00 %', '200 MiB']])
        # A card that tells nothing of programs has no such table; of several it says which it is of.
        text = run(tree('optimus'), 'stat', '--per', 'process', '-t', '1s', '-m', 'work_busy').stdout
        table = [line.split()[0] for line in text[text.rindex('Intel GPU'):].strip().split('\n')]
        self.assertEqual(table, ['Intel', 'process', 'gnome-shell', 'mpv'], text)
        self.assertEqual(len(run(tree('optimus'), 'stat', '--per', 'process', '-t', '1s', '--csv').stdout.split('process ')), 1)

    def test_a_process_that_runs_already(self):
        done = run(tree('radeon'), 'stat', '-p', '5100', '-t', '1s', '--json', '-m', 'engine.enc,engine.gfx', '-d', 'drm')
        metrics = {m['name']: m for m in json.loads(done.stdout)['metrics']}
        self.assertAlmostEqual(metrics['engine.enc']['total'], 0.33, places=6)
        self.assertAlmostEqual(metrics['engine.gfx']['total'], 0.02, places=6)
        self.assertEqual(run(tree('radeon'), 'stat', '-p', '5101', '-t', '1s').returncode, 3)
        # Without -d: the cards beside the CPU.
        text = 'file /proc/stat\n\tcpu0 1 0 1 1 0 0 0 0 0 0\nfile /sys/devices/system/cpu/online\n\t0\n' + read(tree('radeon'))
        done = run(None, 'stat', '-p', '5100', '-t', '1s', '--json', text=text)
        self.assertEqual([d['source'] for d in json.loads(done.stdout)['devices']], ['cpu', 'drm'])

    def test_a_clock_that_programs_alone_tell(self):
        """msm without devfreq: the clock and the highest one are those of the descriptors."""
        device = '/sys/devices/platform/soc/5000000.gpu'
        text = f'''uid 0
link /sys/class/drm/card0 ../../devices/platform/soc/5000000.gpu/drm/card0
link {device}/drm/card0/device ../../../5000000.gpu
file {device}/drm/renderD128/dev
	226:128
file {device}/uevent
	DRIVER=msm
process 1 0 0 init
process 20 1 0 game
descriptor 20 5 /dev/dri/renderD128
	drm-driver:	msm
	drm-client-id:	3
	drm-engine-gpu:	{{7+250000000/s}} ns
	drm-cycles-gpu:	{{7+100000000/s}}
	drm-maxfreq-gpu:	800 MHz
	drm-curfreq-gpu:	400000000 Hz
'''
        _, metrics = stat(None, '-I', '100ms', '-t', '1s', text=text)
        self.assertAlmostEqual(metrics['Clock']['mean'], 400e6)
        self.assertAlmostEqual(metrics['gpu_busy']['mean'], 25)
        self.assertAlmostEqual(metrics['effective_load']['mean'], 12.5)

    def test_of_others_is_told(self):
        document, _ = stat(tree('tiger-lake'), '-t', '1s')
        self.assertIn('2 processes of other users cannot be looked into', json.dumps(document))
        document, _ = stat(tree('lunar-lake'), '-t', '1s')
        self.assertNotIn('other users', json.dumps(document))
        hidden = '\n'.join(line for line in read(tree('tiger-lake')).split('\n') if not line.startswith('process 1 '))
        hidden = hidden.replace('process 1500 1 0 Xorg', 'process 1500 1 1000 Xorg')
        document, _ = stat(None, '-t', '1s', text=hidden)
        self.assertIn('(hidepid)', json.dumps(document))

    def test_a_card_that_goes(self):
        text = read(tree('radeon'))
        text += f'at 2600ms\ngone /sys/devices/pci0000:00/0000:00:03.1/0000:0a:00.0\n'
        document, metrics = stat(None, '-I', '1s', '-t', '5s', text=text, code=1)
        self.assertEqual(document['samples']['count'], 2)
        self.assertIn('card1 is gone', json.dumps(document))
        self.assertAlmostEqual(metrics['Clock']['mean'], 2481000000)

    def test_what_is_not_asked_is_not_read(self):
        """A selection of the card's alone looks at no program: one of a text that may not be read does not matter."""
        document, metrics = stat(tree('tiger-lake'), '-t', '1s', '-m', 'clock')
        self.assertNotIn('other users', json.dumps(document))
        self.assertAlmostEqual(metrics['clock']['mean'], 900e6)


class Started(unittest.TestCase):
    """stat -- command: the tree of what it starts, which lives by the clock of the text."""
    # It waits to be ended by a signal; each client's engine runs at its own rate from the tree's begin on.
    COMMAND = ('--', 'sleep', '600')

    def runs(self, program, ends, *args):
        with tempfile.NamedTemporaryFile('w', suffix='.tree') as file:
            file.write(HEAD + 'process 40 1 0 other\n' + client(40, 3, 4, ['drm-engine-gfx:\t{9+900000000/s} ns', 'drm-resident-vram:\t1 MiB']))
            file.flush()
            env = dict(os.environ, SEXTANT_TREE=file.name, SEXTANT_TREE_PROGRAM=program, SEXTANT_TREE_ENDS=str(ends))
            done = subprocess.run([TOOL, 'stat', '-d', 'drm', '--json', '-I', '100ms', *args, *self.COMMAND], env=env, capture_output=True,
                                  text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 128 + signal.SIGTERM, done.stderr)
        document = json.loads(done.stdout)
        return document, {metric['name']: metric for metric in document['metrics']}

    GAME = 'process PROGRAM 1 0 game\n' + client('PROGRAM', 5, 7, ['drm-engine-gfx:\t{0+300000000/s} ns', 'drm-resident-vram:\t64 MiB'])
    WORKER = 'process CHILD PROGRAM 0 worker\n' + client('CHILD', 6, 9, ['drm-engine-gfx:\t{0+200000000/s} ns', 'drm-resident-vram:\t8 MiB'])
    END = 'at 1000ms\nfile /proc/PROGRAM/stat\n\tPROGRAM (game) Z 1 1 1\ngone /proc/PROGRAM/fd\ngone /proc/PROGRAM/fdinfo\n'

    def test_a_program(self):
        document, metrics = self.runs(self.GAME + self.END, 1000, '-m', '*')
        self.assertGreaterEqual(document['samples']['count'], 9)
        # All until the last sample before its end, and nothing of the others.
        self.assertAlmostEqual(metrics['engine.gfx']['total'], 0.3, delta=0.3 * 0.1 + 0.001)
        self.assertAlmostEqual(metrics['memory.vram.resident']['max'], 64 * 2**20)
        self.assertEqual(metrics['Processes']['max'], 1)

    def test_what_it_did_last_is_not_zero(self):
        """Of the sample in which it ended nothing is known: neither time nor memory is 0, and means are of what was seen."""
        for end in (950, 1000):
            _, metrics = self.runs(self.GAME + self.END.replace('1000', str(end)), end, '-m', '*')
            self.assertAlmostEqual(metrics['memory.vram.resident']['mean'], 64 * 2**20)
            self.assertAlmostEqual(metrics['work_busy']['mean'], 30)
            self.assertAlmostEqual(metrics['engine.gfx']['total'], 0.27)
            self.assertEqual((metrics['engine.gfx']['count'], metrics['engine.gfx']['lost']), (9, 1))
        document, metrics = self.runs(self.GAME + self.END.replace('1000', '80'), 80, '-m', '*')
        for name in ('engine.gfx', 'memory.vram.resident', 'work_busy', 'Clients', 'gpu_busy'):
            self.assertIsNone(metrics[name]['mean'], name)
        self.assertIn('the program ended before its first sample', json.dumps(document))

    def test_what_it_starts_and_ends(self):
        """A child that begins within the run, works, and is gone before its parent."""
        child = 'at 300ms\n' + self.WORKER + 'at 700ms\ngone /proc/CHILD\n'
        _, metrics = self.runs(self.GAME + child + self.END, 1000, '-m', '*')
        # The child's client is of this run, so all that it did counts, to its last sample at 600 or 700 ms.
        self.assertAlmostEqual(metrics['engine.gfx']['total'], 0.3 + 0.2 * 0.65, delta=0.3 * 0.1 + 0.2 * 0.06)
        self.assertAlmostEqual(metrics['memory.vram.resident']['max'], 72 * 2**20)
        self.assertEqual(metrics['Processes']['max'], 2)
        document, _ = self.runs(self.GAME + child + self.END, 1000, '--per', 'process')
        self.assertEqual(sorted(p['name'] for p in document['devices'][0]['processes']), ['game', 'worker'])

    def test_a_child_that_outlives_its_parent(self):
        """It belongs to what was started, also while its parent is a zombie; the run is over with the parent."""
        orphan = 'at 300ms\n' + self.WORKER + 'at 600ms\nfile /proc/CHILD/stat\n\tCHILD (worker) S 1 1 1\n'
        _, metrics = self.runs(self.GAME + orphan + self.END, 1000, '-m', '*')
        self.assertAlmostEqual(metrics['engine.gfx']['total'], 0.3 + 0.2, delta=0.05 + 0.001)

    def test_a_number_that_is_taken_over(self):
        """Another program that gets the child's number is a stranger: what it does is not counted."""
        taken = 'at 300ms\n' + self.WORKER + 'at 550ms\ngone /proc/CHILD\nat 551ms\n' + \
            'process CHILD 1 0 stranger\n' + client('CHILD', 6, 11, ['drm-engine-gfx:\t{0+700000000/s} ns', 'drm-resident-vram:\t512 MiB'])
        _, metrics = self.runs(self.GAME + taken + self.END, 1000, '-m', '*')
        self.assertAlmostEqual(metrics['engine.gfx']['total'], 0.3 + 0.2 * 0.45, delta=0.3 * 0.1 + 0.2 * 0.06)
        self.assertAlmostEqual(metrics['memory.vram.resident']['max'], 72 * 2**20)


class Profiling(unittest.TestCase):
    PATH = '/sys/class/drm/card1/device/profiling'

    def runs(self, *args, kill=False, text=None):
        with tempfile.TemporaryDirectory() as folder:
            log, path = os.path.join(folder, 'writes'), tree('rk3588')
            if text:
                path = os.path.join(folder, 'tree')
                with open(path, 'w', encoding='utf-8') as out:
                    out.write(text)
            env = dict(os.environ, SEXTANT_TREE=path, SEXTANT_TREE_WRITES=log)
            if kill:
                env['SEXTANT_TREE_REALTIME'] = '1'
            with subprocess.Popen([TOOL, 'stat', '-d', 'drm', *args], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                  text=True) as child:
                if kill:
                    self.wait(log, '=3')
                    child.send_signal(signal.SIGKILL)
                    child.wait()
                    self.wait(log, '=0')
                error = child.communicate()[1]
            writes = read(log).split() if os.path.exists(log) else []
            return child.returncode, [line.split('=')[1] for line in writes], error

    def wait(self, log, text):
        wait_until(lambda: os.path.exists(log) and text in read(log))

    def test_only_when_asked(self):
        self.assertEqual(self.runs('-t', '1s')[:2], (0, []))
        self.assertEqual(self.runs('-t', '1s', '--profiling')[:2], (0, ['3', '0']))

    def test_after_a_kill(self):
        self.assertEqual(self.runs('-t', '600s', '--profiling', kill=True)[:2], (-signal.SIGKILL, ['3', '0']))

    def test_found_on_stays_on(self):
        text = read(tree('rk3588')).replace('profiling 0644\n\t0', 'profiling 0644\n\t3')
        self.assertEqual(self.runs('-t', '1s', '--profiling', text=text)[:2], (0, []))
        told = ' '.join(run(None, 'doctor', '-d', 'drm', text=text).stdout.split())
        self.assertIn('profiling was found on (3)', told)
        self.assertIn('try: echo 0 | sudo tee', told)

    def test_without_the_right(self):
        text = read(tree('rk3588')).replace('uid 0', 'uid 1000')
        code, writes, error = self.runs('-t', '1s', '--profiling', text=text)
        self.assertEqual((code, writes), (4, []))
        self.assertIn('try: run as root', error)


class Hostile(unittest.TestCase):
    """Whatever /proc and /sys say: an answer in time, nothing that cannot be, no crash."""

    def check(self, text, **expected):
        begin = time.monotonic()
        document, metrics = stat(None, '-I', '100ms', '-t', '300ms', '-m', '*', text=text, hostile=True)
        self.assertLess(time.monotonic() - begin, 60)
        for name, value in expected.items():
            got = metrics[name.replace('__', '.')]
            got = got['total'] if got.get('total') is not None else got['mean']
            if value is None:
                self.assertIsNone(got, name)
            else:
                self.assertAlmostEqual(got, value, msg=name)
        return document, metrics

    def test_numbers_that_are_none(self):
        for value in ('-5', 'nan', 'inf', '1e9', '0x10', '', ' ', '99999999999999999999999', '12 34', '٣', '\x01\x02', '5' * 4000):
            text = HEAD + f'file {DEVICE}/gpu_busy_percent\n\t{value}\nfile {DEVICE}/mem_info_vram_used\n\t{value}\n' \
                          f'file {DEVICE}/pp_dpm_sclk\n\t0: {value}Mhz *\nfile {DEVICE}/hwmon/hwmon0/temp1_input\n\t{value}\n' \
                          f'file {DEVICE}/hwmon/hwmon0/power1_average\n\t{value}\n'
            text += client(1, 3, 7, [f'drm-engine-gfx:\t{value} ns', f'drm-resident-vram:\t{value} KiB', 'drm-engine-capacity-gfx:\t0'])
            known = {'Temperature': -0.005} if value == '-5' else {'Temperature': None}
            self.check(text, BusyTime=None, VramUsed=None, ClockHighest=None, Power=None, engine__gfx=None,
                       memory__vram__resident=None, Clients=1, **known)

    def test_units_and_capacity(self):
        text = HEAD + client(1, 3, 7, ['drm-resident-vram0:\t3 MiB', 'drm-resident-vram1:\t1024 KiB', 'drm-resident-gtt:\t4096',
                                       'drm-resident-cpu:\t7 GiB', 'drm-engine-gfx:\t{1+100000000/s} ns', 'drm-engine-capacity-gfx:\t4',
                                       'drm-engine-enc:\t{1+100000000/s} us', 'drm-engine-mystery:\t{1+100000000/s} ns'])
        self.check(text, memory__vram__resident=4 * 2**20, memory__gtt__resident=4096, memory__cpu__resident=None,
                   engine__gfx=0.3 * 0.1 / 4, engine__enc=None, engine__other=0.03)

    def test_engines_of_unknown_names(self):
        """Whether they are busy with graphics is not known, which is not 0; beside known ones those count."""
        odd = 'drm-engine-mystery:\t{1+100000000/s} ns'
        _, metrics = self.check(HEAD + client(1, 3, 7, [odd]), engine__other=0.03, WorkTime=None, BusyTime=None)
        self.assertIn('neither the driver nor the system reports it', metrics['WorkTime']['why'])
        self.check(HEAD + client(1, 3, 7, [odd, 'drm-engine-gfx:\t{1+50000000/s} ns']), engine__other=0.03, WorkTime=0.015, BusyTime=0.015)

    def test_what_cannot_be(self):
        """Sensors that say all ones, clocks of THz, an engine that worked longer than the machine runs."""
        hwmon = ('power1_average', 'energy1_input', 'temp1_input', 'fan1_input', 'freq1_input')
        for value in (2**64 - 1, 2**63 - 1, 2**32 - 1):
            text = HEAD + ''.join(f'file {DEVICE}/hwmon/hwmon0/{file}\n\t{value}\n' for file in hwmon)
            known = {'Clock': 2**32 - 1} if value == 2**32 - 1 else {'Clock': None}
            # The energy stands still, which is a power of 0; without it there is none.
            _, metrics = self.check(text, Fan=None, Temperature=None, Energy=0, Power=0, **known)
            self.assertIn('an impossible value (driver amdgpu)', metrics['Fan']['why'])
            self.check(text.replace('energy1', 'other1'), Power=None)
        text = HEAD + f'file {DEVICE}/devfreq/x/cur_freq\n\t{2**60}\nfile {DEVICE}/pp_dpm_sclk\n\t0: 200Mhz\n\t1: {2**60}Mhz *\n' \
                      f'file {DEVICE}/mem_info_vram_used\n\t{2**64 - 1}\n'
        text += client(1, 3, 7, [f'drm-engine-gfx:\t{{5+{10**18}/s}} ns', f'drm-resident-vram:\t{2**53} KiB', 'drm-resident-gtt:\t1 MiB',
                                 f'drm-cycles-rcs:\t{{1+{10**18}/s}}', 'drm-total-cycles-rcs:\t{1+100/s}'])
        self.check(text, Clock=None, ClockHighest=2e8, VramUsed=None, MemoryUsed=2**20, engine__gfx=0, engine__rcs=0, memory__vram__resident=None, memory__gtt__resident=2**20)
        told = run(None, 'doctor', '--selftest', '-d', 'drm', text=HEAD + f'file {DEVICE}/hwmon/hwmon0/fan1_input\n\t65535\n', hostile=True)
        self.assertEqual(told.returncode, 1)
        self.assertIn('FAILED: Fan is what cannot be', told.stdout)
        # Energy that begins again, nobody knows where: that interval has none.
        back = f'file {DEVICE}/hwmon/hwmon0/energy1_input\n\t{{5000000000-100000000/s}}\n'
        self.check(HEAD + back, Energy=None, Power=None)
        self.check(HEAD + back.replace('{5000000000-100000000/s}', f'{{{2**64 - 7 * 10**6}+100000000/s}}'), Energy=20)

    def test_rights_that_change_in_between(self):
        text = HEAD.replace('uid 0', 'uid 1000').replace('process 1 0 0 init', 'process 1 0 1000 init') + client(1, 3, 7, ['drm-engine-gfx:\t{5+100000000/s} ns'])
        for file, value in (('gpu_busy_percent', 50), ('hwmon/hwmon0/power1_average', 5000000)):
            text += f'file {DEVICE}/{file}\n\t{value}\n'
        text += 'at 150ms\n'
        for file, value in (('gpu_busy_percent', 50), ('hwmon/hwmon0/power1_average', 5000000)):
            text += f'file {DEVICE}/{file} 0\n\t{value}\n'
        _, metrics = self.check(text + 'file /proc/1/fdinfo/3 0\n\tdrm-driver:\tamdgpu\n', Power=5e-3 * 1000, engine__gfx=0.01)
        self.assertAlmostEqual(metrics['Power']['running'], 1 / 3)
        # A program that takes another user's rights, and gives them back: what it did in between is missing, and told.
        text = HEAD.replace('uid 0', 'uid 1000') + 'process 50 1 1000 a\n' + client(50, 3, 7, ['drm-engine-gfx:\t{5+100000000/s} ns'])
        text += 'at 150ms\nfile /proc/50/comm 444 0\n\ta\nat 250ms\nfile /proc/50/comm 444 1000\n\ta\n'
        done = run(None, 'stat', '-d', 'drm', '--json', '-I', '100ms', '-t', '400ms', text=text, hostile=True)
        metrics = {m['name']: m for m in json.loads(done.stdout)['metrics']}
        self.assertAlmostEqual(metrics['engine.gfx']['total'], 0.02)
        self.assertIn('1 processes of other users', done.stderr)

    def test_folders_without_end(self):
        sensors = ''.join(f'file {DEVICE}/hwmon/hwmon{i}/temp1_input\n\t40000\n' for i in range(5000))
        zones = ''.join(f'file /sys/class/powercap/intel-rapl:{i}/name\n\tpackage-0\nfile /sys/class/powercap/intel-rapl:{i}/energy_uj\n\t7\n' for i in range(5000))
        self.check(HEAD + sensors + zones, Temperature=40, PackageEnergy=0)
        cards = ''.join(HEAD.split('process')[0].replace('uid 0\n', '').replace('card0', f'card{i}').replace('0000:03:00.0', f'{i:04x}:03:00.0')
                        .replace('renderD128', f'renderD{128 + i}').replace('226:128', f'226:{128 + i}') for i in range(1, 5000))
        begin = time.monotonic()
        self.assertEqual(run(None, 'devices', text=HEAD + cards, hostile=True).returncode, 0)
        self.assertLess(time.monotonic() - begin, 30)

    def test_the_cores_of_a_processor(self):
        """powercap's domain core, of the first package, in any order; AMD's is of one core, and so of no use."""
        zones = ''.join(f'file /sys/class/powercap/{zone}/name\n\t{name}\nfile /sys/class/powercap/{zone}/energy_uj\n\t{{7+{rate}/s}}\n'
                        for zone, name, rate in (('intel-rapl:1:0', 'core', 90000000), ('intel-rapl:0', 'package-0', 50000000), ('intel-rapl:0:0', 'core', 20000000)))
        self.check(HEAD + zones, CoreEnergy=6, PackageEnergy=15)
        _, metrics = self.check(HEAD + zones + 'file /proc/cpuinfo\n\tvendor_id\t: AuthenticAMD\n\tflags\t\t: fpu\n', CoreEnergy=None, PackageEnergy=15)
        self.assertIn('another source or metric set counts it (powercap has one core alone; -d pmu has all)', metrics['CoreEnergy']['why'])

    def test_energy_behind_a_sleep(self):
        """What was used while the card slept, and was not read, is not of the sample in which it woke."""
        zone = 'file /sys/class/powercap/intel-rapl:0/name\n\tpackage-0\nfile /sys/class/powercap/intel-rapl:0/energy_uj\n\t{7+50000000/s}\n'
        card = f'file {DEVICE}/hwmon/hwmon0/energy1_input\n\t{{7+90000000/s}}\n'
        status = f'file {DEVICE}/power/runtime_status\n\t%s\n'
        text = HEAD + zone + card + status % 'active' + 'at 150ms\n' + status % 'suspended' + 'at 950ms\n' + status % 'active'
        done = run(None, 'stat', '-d', 'drm', '--json', '-I', '100ms', '-t', '1500ms', '-m', '*', text=text)
        metrics = {m['name']: m for m in json.loads(done.stdout)['metrics']}
        for name, power in (('package_power', 50), ('Power', 90)):
            self.assertAlmostEqual(metrics[name]['min'], power, msg=name)
            self.assertAlmostEqual(metrics[name]['max'], power, msg=name)
            self.assertEqual((metrics[name]['count'], metrics[name]['lost']), (6, 9), name)

    def test_clients_of_a_card_that_sleeps(self):
        """xe wakes the card to answer for its clients: they are left alone, and what they did counts later."""
        work = 'drm-cycles-rcs:\t{1+1920000/s}', 'drm-total-cycles-rcs:\t{1+19200000/s}'
        status = f'file {DEVICE}/power/runtime_status\n\t%s\n'
        for driver, seen in (('xe', 1), ('i915', 2)):
            text = HEAD.replace('amdgpu', driver) + status % 'active' + client(1, 3, 7, [*work, 'drm-resident-system:\t1 MiB'], driver)
            text += 'at 150ms\n' + status % 'suspended' + client(1, 3, 7, [*work, 'drm-resident-system:\t2 MiB'], driver)
            text += 'at 450ms\n' + client(1, 3, 7, [*work, 'drm-resident-system:\t1 MiB'], driver) + status % 'active'
            done = run(None, 'stat', '-d', 'drm', '--json', '-I', '100ms', '-t', '800ms', '-m', '*', text=text)
            metrics = {m['name']: m for m in json.loads(done.stdout)['metrics']}
            self.assertEqual(metrics['WorkMemory']['max'], seen * 2**20, driver)
            self.assertAlmostEqual(metrics['engine.rcs']['total'], 0.08, msg=driver)

    def test_counters_that_run_backwards(self):
        text = HEAD + client(1, 3, 7, ['drm-engine-gfx:\t{5000000000-100000000/s} ns', 'drm-cycles-rcs:\t{5000000-1000/s}',
                                       'drm-total-cycles-rcs:\t{5000000-1000/s}'])
        self.check(text, engine__gfx=0, engine__rcs=0)

    def test_a_client_that_is_found_late(self):
        """Of all programs: a machine of so many descriptors that a new one is seen a second later. No sample has more than it can."""
        text = HEAD + ''.join(f'process {9000 + k} 1 0 helper\n' + ''.join(f'link /proc/{9000 + k}/fd/{fd} /dev/null\n' for fd in range(10, 410))
                              for k in range(40)) + 'process 20000 1 0 browser\n'
        text += 'at 100ms\n' + client(20000, 5, 9, ['drm-engine-gfx:\t{0+500000000/s} ns'])
        done = run(None, 'stat', '-d', 'drm', '-I', '100ms', '-t', '3s', '--json', '-m', '*', text=text, hostile=True)
        metrics = {m['name']: m for m in json.loads(done.stdout)['metrics']}
        self.assertAlmostEqual(metrics['gfx_engine_busy']['max'], 50)
        self.assertAlmostEqual(metrics['gpu_busy']['p50'], 50)

    def test_one_client_of_many_descriptors(self):
        work = ['drm-engine-gfx:\t{5+100000000/s} ns', 'drm-resident-vram:\t1 MiB']
        text = HEAD + 'process 50 1 0 a\nprocess 51 1 0 b\n'
        for pid in (50, 51):
            for fd in range(3, 30):
                text += client(pid, fd, 7, work)
        self.check(text + client(51, 40, 8, work), engine__gfx=0.06, Clients=2, memory__vram__resident=2 * 2**20)

    def test_a_client_that_comes_back(self):
        """Of a young process, too: what it did before it went is not counted again."""
        text = HEAD + client(1, 3, 7, ['drm-engine-gfx:\t{5+100000000/s} ns'])
        text += 'at 50ms\nprocess 80 1 0 young\n' + client(80, 3, 9, ['drm-engine-gfx:\t{0+100000000/s} ns'])
        text += 'at 150ms\ngone /proc/80/fd/3\ngone /proc/80/fdinfo/3\nat 250ms\n' + client(80, 3, 9, ['drm-engine-gfx:\t{0+100000000/s} ns'])
        # 30 ms of the first; of the young one 10 ms until it went, and nothing once it is back.
        self.check(text, engine__gfx=0.03 + 0.01, memory__vram__resident=None)

    def test_a_hoard_of_one_client(self):
        text = HEAD + 'process 60 1 0 hoarder\n' + ''.join(
            client(60, fd, 7, ['drm-engine-gfx:\t{5+100000000/s} ns']) for fd in range(3, 3000))
        self.check(text, engine__gfx=0.03, Clients=1)
        # What hides behind hundreds of idle ones is missing, and that is told.
        text = HEAD + 'process 60 1 0 hoarder\n' + ''.join(client(60, fd, fd, ['drm-engine-gfx:\t5 ns']) for fd in range(3, 259))
        one = run(None, 'stat', '-d', 'drm', '-t', '300ms', text=text, hostile=True)
        self.assertNotIn('descriptors', one.stdout + one.stderr)
        more = run(None, 'stat', '-d', 'drm', '-t', '300ms', text=text + client(60, 999, 999, ['drm-engine-gfx:\t{5+100000000/s} ns']), hostile=True)
        self.assertIn('a program has 256 descriptors of the card, and others', ' '.join((more.stdout + more.stderr).split()))

    def test_other_cards_and_files(self):
        work = ['drm-engine-gfx:\t{5+100000000/s} ns']
        text = HEAD + client(1, 3, 7, work).replace('renderD128', 'renderD129') + \
            client(1, 4, 8, work).replace('0000:03:00.0', '0000:04:00.0') + 'descriptor 1 5 /dev/dri/renderD1280\n\tdrm-driver:\tx\n' \
            'descriptor 1 6 /home/x/dev/dri/renderD128\n\tdrm-driver:\tx\ndescriptor 1 7 /dev/dri/renderD128\n\tpos:\t0\n'
        self.check(text, Clients=0)

    def test_links_in_a_circle(self):
        text = HEAD.replace('link /sys/class/drm/card0 ../../devices/pci0000:00/0000:03:00.0/drm/card0', 'link /sys/class/drm/card0 card0')
        self.assertEqual(run(None, 'stat', '-d', 'drm', text=text, hostile=True).returncode, 3)
        text = HEAD + f'link {DEVICE}/hwmon/hwmon0 hwmon0\nlink {DEVICE}/devfreq ../0000:03:00.0/devfreq\nlink /proc/1/fdinfo/3 3\n'
        self.check(text, Clients=0)

    def test_files_without_end_and_binary(self):
        long = '\t' + 'drm-engine-gfx: 1 ns ' * 5000 + '\n'
        text = HEAD + f'descriptor 1 3 /dev/dri/renderD128\n\tdrm-driver: amdgpu\n{long}' + f'file {DEVICE}/pp_dpm_sclk\n' + \
            '\t1: 500Mhz *\n' * 20000 + f'hex {DEVICE}/gpu_metrics\n' + ('\t' + 'ff' * 64 + '\n') * 100
        _, metrics = self.check(text, ClockHighest=5e8)
        for name in ('Fan', 'Power', 'Energy', 'BusyTime'):
            self.assertIn('gpu_metrics v255.255 is not known', metrics[name]['why'])

    def test_a_hundred_thousand_descriptors(self):
        text = HEAD + 'process 60 1 0 hoarder\n' + ''.join(f'link /proc/60/fd/{fd} /dev/null\n' for fd in range(100000))
        self.check(text + client(1, 3, 7, ['drm-engine-gfx:\t{5+100000000/s} ns']), engine__gfx=0.03)

    def test_names_made_to_confuse(self):
        text = HEAD + 'file /proc/70/stat\n\t70 (a) R 1 (b) S 1 1 1\nfile /proc/70/comm\n\t\x1b[31mx\x07(9)\nlink /proc/70/fd/3 /dev/dri/renderD128\n' \
            'file /proc/70/fdinfo/3\n\tdrm-driver:\tamdgpu\n\tdrm-engine-gfx:\t{5+100000000/s} ns\nfile /proc/99999999999/comm\n\tx\n' \
            'file /proc/-7/comm\n\tx\nfile /proc/7a/comm\n\tx\nfile /proc/0x1/comm\n\tx\n'
        done = run(None, 'stat', '-d', 'drm', '-I', '100ms', '-t', '300ms', '--per', 'process', text=text, hostile=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn('\x1b', done.stdout)
        self.assertNotIn('\x07', done.stdout)
        self.assertIn('?[31mx?(9) (70)', done.stdout)


class Ways(unittest.TestCase):
    def test_a_card_by_its_name(self):
        """Two sources reach the card: the one that can be used measures it, and which it is is said."""
        done = run(tree('tiger-lake'), 'stat', '-d', 'card0', '-t', '1s', '--json')
        self.assertEqual(done.returncode, 0, done.stderr)
        device, = json.loads(done.stdout)['devices']
        self.assertEqual(device['source'], 'drm')
        self.assertIn('card0 is measured as drm:card0; i915:card0 cannot be: ', done.stderr)
        done = run(tree('tiger-lake'), 'stat', '-d', 'card7', '-t', '1s')
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn('error: no device card7', done.stderr)


if __name__ == '__main__':
    unittest.main()
