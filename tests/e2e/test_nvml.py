#!/usr/bin/env python3
"""NVIDIA's GPUs as a user meets them: the command on a machine that is a text, with a library that is a fake.

usage: test_nvml.py SEXTANT_ON_TREE FAKE_LIBRARY
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

TOOL, LIBRARY = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
del sys.argv[1:3]
DRIVER = 'file /proc/driver/nvidia/version\n\tNVRM version: fake\n'
MACHINE = 'uid 0\nprocess 1 0 0 init\nprocess 100 1 0 compositor\nprocess 4242 1 0 game\nprocess 300 4242 0 helper\n'


def run(*args, text=MACHINE + DRIVER, library=True):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'machine.tree')
        with open(path, 'w', encoding='utf-8') as out:
            out.write(text)
        if library:
            shutil.copy(LIBRARY, os.path.join(folder, 'libnvidia-ml.so.1'))
        env = dict(os.environ, SEXTANT_TREE=path, LD_LIBRARY_PATH=folder)
        return subprocess.run([TOOL, *args], env=env, capture_output=True, text=True, timeout=120, check=False)


def stat(*args):
    done = run('stat', '-t', '1s', '-I', '100ms', '--json', *args)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    return document, {metric['name']: metric for metric in document['metrics']}


class Library(unittest.TestCase):
    def test_devices_and_doctor(self):
        listed = json.loads(run('devices', '--json').stdout)['devices']
        self.assertEqual([d['id'] for d in listed if d['source'] == 'nvml' and d['state'] == 'ready'], ['nvml:0', 'nvml:1'])
        told = run('doctor', '-d', 'nvml', library=False)
        self.assertIn('absent', told.stdout)
        self.assertIn('because: libnvidia-ml.so.1 is not here', told.stdout)

    def test_absent_is_no_error(self):
        """Without driver or library: listed as absent, not chosen by itself, and named when it is asked for."""
        for text, library, why in ((MACHINE, True, "NVIDIA's kernel driver does not run here"), (MACHINE + DRIVER, False, 'libnvidia-ml.so.1 is not here')):
            done = run('devices', '-v', text=text, library=library)
            line = next(line for line in done.stdout.split('\n') if line.startswith('nvml '))
            self.assertEqual(line.split()[:2], ['nvml', 'absent'])
            self.assertIn(why, ' '.join(run('doctor', text=text, library=library).stdout.split()))
            done = run('stat', '-d', 'nvml', '-t', '1s', text=text, library=library)
            self.assertEqual(done.returncode, 3)
            self.assertIn('because: ' + why, done.stderr)
            self.assertIn('try: ', done.stderr)

    def test_the_whole_device(self):
        document, metrics = stat('-d', 'nvml:1')
        self.assertEqual(document['samples']['count'], 10)
        for name, value in (('gpu_busy', 80), ('effective_load', 40), ('power', 150), ('temperature', 66), ('memory_used', 2 * 2**30),
                            ('programs', 3), ('pcie_received', 2e6)):
            self.assertAlmostEqual(metrics[name]['mean'], value, msg=name)

    def test_rows_of_programs(self):
        document, metrics = stat('-d', 'nvml:0', '--per', 'process')
        who = {p['name']: p['pid'] for p in document['devices'][0]['processes']}
        self.assertEqual(who, {'compositor': 100, 'game': 4242, 'helper': 300})
        self.assertIn('the counter covers the whole device', metrics['Power']['why'])
        for name, memory, busy in (('compositor', 2**20, 90), ('game', 64 * 2**20, 40), ('helper', None, 0)):
            _, metrics = stat('-d', 'nvml:0', '--per', 'process', '--process', name)
            self.assertEqual(metrics['program_memory']['mean'], memory)
            self.assertAlmostEqual(metrics['program_busy']['mean'], busy)

        text = run('stat', '-d', 'nvml:0', '--per', 'process', '-t', '1s').stdout
        table = [line.split()[0] for line in text[text.index('process   '):].strip().split('\n')]
        self.assertEqual(table, ['process', 'compositor', 'game', 'helper'], 'a line each, the busiest first')

    def test_a_program_and_what_it_starts(self):
        """Of its helper the library does not tell the memory: then neither does the sum."""
        _, metrics = stat('-d', 'nvml:0', '-p', '4242')
        self.assertAlmostEqual(metrics['program_busy']['mean'], 40)
        self.assertIsNone(metrics['program_memory']['mean'])
        self.assertIn('this user may not read it (Insufficient Permissions)', metrics['program_memory']['why'])
        _, metrics = stat('-d', 'nvml:0', '-p', '100')
        self.assertAlmostEqual(metrics['program_busy']['mean'], 90)
        self.assertAlmostEqual(metrics['program_memory']['mean'], 2**20)

    def test_recorded_and_told_by_program(self):
        with tempfile.TemporaryDirectory() as folder:
            capture = os.path.join(folder, 'a.sxc')
            done = run('record', '-d', 'nvml:0', '-t', '1s', '-I', '100ms', '--per', 'process', '-o', capture)
            self.assertEqual(done.returncode, 0, done.stderr)
            told = run('report', capture, '--by', 'process', '-m', 'program_busy', '--csv').stdout
        self.assertEqual([line.split(',')[1] for line in told.strip().split('\n')[1:]], ['compositor (100)', 'game (4242)', 'helper (300)'])


if __name__ == '__main__':
    unittest.main()
