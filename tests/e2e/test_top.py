#!/usr/bin/env python3
"""sextant top off a terminal: its numbers are those of export and stat, of files, machines that are texts, and models.

usage: test_top.py SEXTANT SEXTANT_ON_TREE FOLDER_OF_TREES FOLDER_OF_CAPTURES
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

import import_files
from command import Command

TOOL, TREE_TOOL, TREES, CAPTURES = (os.path.abspath(path) for path in sys.argv[1:5])
del sys.argv[1:5]
sextant = Command(TOOL)
HEADS = ('begin_ns', 'end_ns', 'frame', 'context', 'process', 'simulated', 'quality', 'label', 'device')
CARD = '/sys/devices/pci0000:00/0000:%02x:00.0'


def lines(text):
    return [json.loads(line) for line in text.splitlines()]


def capture(name):
    return os.path.join(CAPTURES, f'v0.1-{name}.sxc')


def on_tree(text, *args, code=0, **env):
    """A machine that is a text, or the path of one."""
    with tempfile.NamedTemporaryFile('w', suffix='.tree', encoding='utf-8') as file:
        if '\n' in text:
            file.write(text)
            file.flush()
        return Command(TREE_TOOL, env={'SEXTANT_TREE': file.name if '\n' in text else text, **env})(*args, code=code)


def tree(name):
    return os.path.join(TREES, name + '.tree')


def card(number, busy):
    device = CARD % (3 + number)
    return f'''link /sys/class/drm/card{number} ../../devices/pci0000:00/0000:{3 + number:02x}:00.0/drm/card{number}
link {device}/drm/card{number}/device ../../../0000:{3 + number:02x}:00.0
file {device}/drm/renderD{128 + number}/dev
	226:{128 + number}
file {device}/uevent
	DRIVER=amdgpu
	PCI_SLOT_NAME=0000:{3 + number:02x}:00.0
file {device}/vendor
	0x1002
file {device}/device
	0x7300
file {device}/gpu_busy_percent
	{busy}
'''


def machine(cards, clients, head='uid 0\n'):
    """Cards that are 10, 20, ... percent busy, and clients in turn on them: client i uses 1 ms a second for each of its number."""
    text = head + 'file /proc/sys/kernel/osrelease\n\t6.8.0-fixture\nprocess 1 0 0 init\n'
    text += ''.join(card(i, 10 * (i + 1)) for i in range(cards))
    for i in range(clients):
        text += f'process {1000 + i} 1 0 prog{i}\ndescriptor {1000 + i} 5 /dev/dri/renderD{128 + i % cards}\n\tdrm-driver:\tamdgpu\n'
        text += f'\tdrm-pdev:\t0000:{3 + i % cards:02x}:00.0\n\tdrm-client-id:\t{i + 1}\n\tdrm-engine-gfx:\t{{{i}+{1000000 * i}/s}} ns\n'
        text += f'\tdrm-memory-vram:\t{1024 + i} KiB\n'
    return text


class Numbers(unittest.TestCase):
    def test_a_capture_as_export_has_it(self):
        for name in ('cpu', 'gl', 'mali'):
            with self.subTest(name):
                rows = lines(sextant('export', '-f', 'ndjson', capture(name)).stdout)
                shown = {d['devices'][0]['end_ns']: d['devices'][0] for d in lines(sextant('top', '-i', capture(name), '-f', 'ndjson').stdout)}
                self.assertGreater(len(rows), 5)
                self.assertEqual({row['end_ns'] for row in rows}, set(shown))
                for row in rows:
                    metrics = shown[row['end_ns']]['metrics']
                    self.assertGreater(len(metrics), 10)
                    self.assertEqual({key: row[key] for key in metrics}, metrics)
                    self.assertEqual(shown[row['end_ns']]['begin_ns'], row['begin_ns'])

    def test_files_of_every_vendor_as_export_has_them(self):
        with tempfile.TemporaryDirectory() as folder:
            reports = os.path.join(folder, 'oa.csv')
            with open(reports, 'w', encoding='utf-8') as file:
                file.write(sextant('decode', os.path.join(TREES, '..', 'oa', 'recording'), '--as', 'i915-record', '--counters', '--csv').stdout)
            files = [(import_files.write(folder, kind),) for kind in ('rocprofv3', 'radeontop', 'intel-gpu-top', 'mangohud')]
            for words in [*files, (reports, '--for', 'intel-bdw', '-s', 'RenderBasic')]:
                with self.subTest(words):
                    rows = lines(sextant('export', '-f', 'ndjson', *words).stdout)
                    shown = {d['devices'][0]['end_ns']: d['devices'][0]['metrics'] for d in lines(sextant('top', '-f', 'ndjson', *words).stdout)}
                    self.assertGreater(len(rows), 1)
                    self.assertEqual({row['end_ns'] for row in rows}, set(shown))
                    for row in rows:
                        self.assertEqual({key: row[key] for key in shown[row['end_ns']]}, shown[row['end_ns']])
                    self.assertGreater(sum(value is not None for value in shown[rows[-1]['end_ns']].values()), 1)

    def test_an_interval_as_stat_has_it(self):
        """One window over the whole capture: shares are those of the run, amounts its totals."""
        for name in ('cpu', 'gl', 'mali'):
            with self.subTest(name):
                report = {m['name']: m for m in sextant.document('report', capture(name), '-m', 'all')['metrics']}
                rows = lines(sextant('export', '-f', 'ndjson', capture(name)).stdout)
                whole = f'{min(60000, max(101, (rows[-1]["end_ns"] - rows[0]["begin_ns"]) // 1000000 + 1))}ms'
                document = lines(sextant('top', '-i', capture(name), '-I', whole, '-f', 'ndjson').stdout)[-1]
                metrics, compared = document['devices'][0]['metrics'], 0
                self.assertEqual(document['devices'][0]['end_ns'], rows[-1]['end_ns'])
                for key, value in metrics.items():
                    of = report.get(key)
                    if value is None or of is None or of['mean'] is None:
                        continue
                    compared += 1
                    want = of['total'] if of['total'] is not None else of['mean']
                    self.assertAlmostEqual(value, want, delta=abs(want) * 1e-9, msg=key)
                self.assertGreater(compared, 5)

    def test_chosen_metrics(self):
        document = lines(sextant('top', '-i', capture('gl'), '-f', 'ndjson', '-n', 1, '-m', 'gpu_time,frame_time').stdout)[0]
        self.assertEqual(list(document['devices'][0]['metrics']), ['gpu_time', 'frame_time'])

    def test_a_model_says_so(self):
        documents = lines(sextant('top', '-d', 'mali-g625', '-n', 2, '-I', '100ms', '-f', 'ndjson').stdout)
        self.assertEqual([d['simulated'] for d in documents], [True, True])
        device = documents[1]['devices'][0]
        self.assertEqual(device['catalog'], 'mali-g625')
        self.assertIn('simulated', device['name'])
        self.assertGreater(device['metrics']['gpu_active_cycles'], 0)
        # Also where the name does not: of a table that says so in a column.
        with tempfile.TemporaryDirectory() as folder:
            table = os.path.join(folder, 'm.csv')
            with open(table, 'w', encoding='utf-8') as file:
                file.write(sextant('export', capture('mali'), '-f', 'csv').stdout)
            for width in (20, 40, 80, 160):
                screen = sextant('top', table, '--once', env={'COLUMNS': str(width)}).stdout
                self.assertIn('SIMULATED', screen.splitlines()[0], screen)
            self.assertRegex(sextant('top', table, '-n', 1).stdout, r'(?m)^device 0: [^:]*: SIMULATED, not a real device: ')


class Machines(unittest.TestCase):
    def test_card_and_programs_of_one_reading(self):
        """The programs' numbers are those of --per process, and the card's those without."""
        for name in ('steam-deck', 'radeon', 'tiger-lake', 'rk3588'):
            with self.subTest(name):
                document = lines(on_tree(tree(name), 'top', '-d', 'drm', '-n', 2, '-I', '1s', '-f', 'ndjson').stdout)[0]
                device = document['devices'][0]
                whole = json.loads(on_tree(tree(name), 'stat', '-d', 'drm', '-I', '1s', '-n', 1, '--json').stdout)['metrics']
                for metric in whole:
                    if metric['name'] in device['metrics'] and metric['total'] is None and metric['mean'] is not None:
                        self.assertAlmostEqual(device['metrics'][metric['name']], metric['mean'], places=6, msg=metric['name'])
                with tempfile.TemporaryDirectory() as folder:
                    path = os.path.join(folder, 'p.sxc')
                    on_tree(tree(name), 'record', '-d', 'drm', '-I', '1s', '-n', 20, '-t', '1s', '--per', 'process', '-o', path)
                    rows = lines(sextant('export', '-f', 'ndjson', path).stdout)
                each = {row['process']: row for row in rows}
                self.assertGreater(len(each), 0)
                self.assertEqual(sorted(each), sorted(f"{p['name']} ({p['pid']})" for p in device['processes']))
                for p in device['processes']:
                    row = each[f"{p['name']} ({p['pid']})"]
                    self.assertEqual({key: row[key] for key in p['metrics']}, p['metrics'])
                    self.assertIsNotNone(p['metrics']['work_busy'])

    def test_many_programs_on_several_cards(self):
        devices = ','.join(f'drm:card{i}' for i in range(4))
        document = lines(on_tree(machine(4, 500), 'top', '-d', devices, '-n', 3, '-I', '100ms', '-f', 'ndjson').stdout)[-1]
        self.assertEqual([d['metrics']['gpu_busy'] for d in document['devices']], [10, 20, 30, 40])
        seen = {}
        for at, device in enumerate(document['devices']):
            busy = [p['metrics']['work_busy'] for p in device['processes']]
            self.assertEqual(busy, sorted(busy, reverse=True))
            for p in device['processes']:
                seen[p['pid']] = (at, p['name'], p['metrics']['work_busy'], p['metrics']['work_memory'])
        self.assertEqual(len(seen), 500)
        for i in range(500):
            at, name, busy, memory = seen[1000 + i]
            self.assertEqual((at, name, memory), (i % 4, f'prog{i}', (1024 + i) * 1024))
            self.assertAlmostEqual(busy, i / 10, delta=0.02)

    def test_a_card_that_goes(self):
        text = machine(2, 4) + 'at 2000ms\ngone ' + CARD % 4 + '\ngone /sys/class/drm/card1\n'
        done = on_tree(text, 'top', '-d', 'drm:card0,drm:card1', '-n', 5, '-I', '500ms', '-f', 'ndjson', code=1)
        documents = lines(done.stdout)
        self.assertEqual([d['devices'][1]['state'] for d in documents][0], 'measuring')
        last = documents[-1]['devices']
        self.assertEqual([last[0]['state'], last[1]['state']], ['measuring', 'gone'])
        self.assertEqual((last[1]['metrics'], last[1]['processes']), ({}, []))
        self.assertEqual((last[1]['why'], last[1]['try']), ('card1 is gone', 'sextant devices'))
        self.assertIn('card1 is gone', done.stderr)


    def test_a_card_that_comes_back(self):
        gone = 'at 2000ms\ngone ' + CARD % 4 + '\ngone /sys/class/drm/card1\n'
        done = on_tree(machine(2, 4) + gone + 'at 5000ms\n' + card(1, 70), 'top', '-d', 'drm:card0,drm:card1', '-n', 20, '-I', '500ms', '-f', 'ndjson',
                       code=1)
        states = [d['devices'][1]['state'] for d in lines(done.stdout)]
        self.assertEqual(sorted(set(states), key=states.index), ['measuring', 'gone', 'back'])
        last = lines(done.stdout)[-1]
        self.assertEqual([d['metrics']['gpu_busy'] for d in last['devices']], [10, 70])
        self.assertEqual(last['devices'][0]['end_ns'] // 10**9, last['devices'][1]['end_ns'] // 10**9)


class Behaviour(unittest.TestCase):
    def test_counts(self):
        for count in (1, 4):
            self.assertEqual(len(lines(sextant('top', '-i', capture('gl'), '-n', count, '-f', 'ndjson').stdout)), count)
        self.assertEqual(len(lines(sextant('top', '-d', 'cpu', '--once', '-I', '100ms', '-f', 'ndjson').stdout)), 1)

    def test_schema(self):
        document = lines(sextant('top', '-d', 'cpu', '-n', 1, '-I', '200ms', '-f', 'ndjson').stdout)[0]
        self.assertEqual(list(document), ['schema', 'time_ns', 'devices', 'verdict'])
        self.assertEqual(document['schema'], 'sextant.top/1')
        self.assertEqual(list(document['devices'][0])[:3], ['id', 'name', 'catalog'])
        self.assertEqual(document['time_ns'], document['devices'][0]['end_ns'])

    def test_a_program_keeps_its_status(self):
        self.assertEqual(sextant('top', '-n', 9, '-I', '100ms', '-f', 'ndjson', '--', 'sh', '-c', 'sleep 0.3; exit 7').returncode, 7)
        self.assertEqual(sextant('top', '-I', '100ms', '--', 'sh', '-c', 'kill -9 $$').returncode, 137)
        missing = sextant('top', '--once', '--', '/nonexistent/program')
        self.assertEqual(missing.returncode, 127)
        self.assertRegex(missing.stderr, r'^error: .*\nbecause: .*\ntry: ')

    def test_realtime(self):
        rows = lines(sextant('export', '-f', 'ndjson', capture('cpu')).stdout)
        length = (rows[-1]['end_ns'] - rows[0]['end_ns']) / 1e9
        before = os.times().elapsed
        self.assertEqual(len(lines(sextant('top', '-i', capture('cpu'), '--realtime', '-f', 'ndjson').stdout)), len(rows))
        self.assertGreaterEqual(os.times().elapsed - before, length * 0.9)

    def test_once_is_a_screen_and_others_are_lines(self):
        screen = on_tree(tree('steam-deck'), 'top', '-d', 'drm', '--once').stdout
        self.assertIn('game.x86_64', screen)
        self.assertIn('62 °C', screen)
        self.assertTrue(all(len(line) <= 80 for line in screen.splitlines()))
        text = on_tree(tree('steam-deck'), 'top', '-d', 'drm', '-n', 2).stdout
        self.assertEqual(len(re.findall('^verdict: ', text, re.M)), 2)
        self.assertTrue(all(re.match(r'(verdict|advice|device \d+|process \d+)', line) for line in text.splitlines() if line), text)
        self.assertIn('62 °C', text)
        for name in ('cpu', 'gl', 'mali'):
            self.assertGreater(len(sextant('top', '-i', capture(name), '--once').stdout.splitlines()), 5)

    def test_a_name_that_no_device_has(self):
        done = sextant('top', '-d', 'cpu', '-n', 1, '-I', '100ms', '-f', 'ndjson', '-m', 'gpu.busy', code=1)
        self.assertEqual(lines(done.stdout)[0]['devices'][0]['metrics'], {'gpu.busy': None})

    def test_files(self):
        """By --input or as an argument, through a stream, and of another tool."""
        whole = sextant('top', '-i', capture('gl'), '-f', 'ndjson').stdout
        self.assertEqual(sextant('top', capture('gl'), '-f', 'ndjson').stdout, whole)
        with open(capture('gl'), 'rb') as file:
            self.assertEqual(sextant('top', '-i', '-', '-f', 'ndjson', stdin=file).stdout, whole)
        with tempfile.TemporaryDirectory() as folder:
            log = os.path.join(folder, 'log.csv')
            with open(log, 'w', encoding='utf-8') as file:
                file.write('os,cpu,gpu,ram,kernel,driver,cpuscheduler\nL,C,G,1,6,5,p\nfps,frametime,gpu_load,elapsed\n')
                file.writelines(f'50,20,{40 + i},{20000000 * i}\n' for i in range(1, 31))
            documents = lines(sextant('top', log, '-f', 'ndjson').stdout)
            self.assertEqual([d['devices'][0]['metrics']['gpu_busy'] for d in documents], list(range(41, 71)))
            cut = os.path.join(folder, 'cut.sxc')
            with open(capture('mali'), 'rb') as whole_file, open(cut, 'wb') as file:
                file.write(whole_file.read(100))
            for verb in (('top', '-n', 1), ('report',)):
                self.assertIn('cut.sxc describes no device\nbecause: it ends before that\n', sextant(*verb, cut, code=5).stderr)

    def test_mistakes(self):
        for args, code in ((('-I', '1ms'), 2), (('-I', '2min'), 2), (('-f', 'csv'), 2), (('-d', 'drm:card77'), 3), (('-i', '/nonexistent.sxc'), 5),
                           (('-m', 'no_such_metric'), 3), (('-i', capture('gl'), '--', 'true'), 2), (('-n', '2'), 2)):
            with self.subTest(args):
                done = sextant('top', '--once', *args)
                self.assertEqual((done.returncode, done.stdout), (code, ''))
                self.assertRegex(done.stderr, r'error: .*\nbecause: .*\ntry: ')

    def test_an_interrupt_ends_it(self):
        process = subprocess.Popen([TOOL, 'top', '-d', 'cpu', '-I', '100ms', '-f', 'ndjson'], stdout=subprocess.PIPE, text=True)
        self.assertTrue(json.loads(process.stdout.readline()))
        process.send_signal(2)
        rest, _ = process.communicate(timeout=20)
        self.assertEqual(process.returncode, 0)
        lines(rest)


if __name__ == '__main__':
    unittest.main()
