#!/usr/bin/env python3
"""Logs as MangoHud's versions write them, of programs whose frames are known. $SEXTANT is the binary.

The writer follows MangoHud's own source, version by version (src/overlay.cpp, src/logging.cpp at the tags): what it counts, in which
unit, and how its streams print it. What the importer makes of fps it does not know.
"""
import csv
import io
import os
import random
import struct
import unittest

from command import Command, FolderTest

SEXTANT = os.environ['SEXTANT']
run = Command(SEXTANT)
OLD = 'fps frametime cpu_load gpu_load cpu_temp gpu_temp gpu_core_clock gpu_mem_clock gpu_vram_used ram_used elapsed'
POWER = OLD.replace('ram_used', 'gpu_power ram_used')
SWAP = POWER.replace('elapsed', 'swap_used process_rss elapsed')
CPU_POWER = SWAP.replace('cpu_load', 'cpu_load cpu_power')
CPU_MHZ = CPU_POWER.replace('elapsed', 'cpu_mhz elapsed')
# Version: its columns; whether frametime is whole microseconds; whether fps is a mean since the last update.
VERSIONS = {
    '0.6.1': (OLD, True, True), '0.6.6': (POWER, True, True), '0.6.8': (POWER, True, False), '0.6.9': (POWER, False, False),
    '0.7.2': (SWAP, False, False), '0.8.0': (CPU_POWER, False, False), '0.8.2': (CPU_MHZ, False, False),
    # No release: fps as the overlay shows it, beside milliseconds.
    'mean, ms': (POWER, False, True),
}
SAMPLING_NS = 500 * 10**6


def single(value):
    """As a float of 32 bits holds it."""
    return struct.unpack('f', struct.pack('f', value))[0]


class Overlay:
    """What one swapchain's statistics are at each frame."""

    def __init__(self, version):
        self.columns, self.micro, self.mean = VERSIONS[version]
        self.now = self.updated = 0
        self.since_update = 0

    def present(self, length_ns):
        self.now += length_ns
        elapsed = self.now - self.updated
        frametime = length_ns // 1000 if self.micro else single(length_ns / 1e6)
        if self.mean:
            fps = 1e9 * self.since_update / elapsed
        else:
            fps = 1000 / (frametime / 1000) if self.micro else 1000 / frametime
        if elapsed >= SAMPLING_NS:
            self.since_update, self.updated = 0, self.now
        self.since_update += 1
        return fps, frametime

    def line(self, fps, frametime, elapsed):
        values = {'fps': f'{fps:.6g}', 'frametime': str(frametime) if self.micro else f'{frametime:.6g}', 'elapsed': str(elapsed)}
        return ','.join(values.get(name, '7') for name in self.columns.split()) + '\n'


def log(version, frames, skipped=100, interval_ns=0):
    """One log that begins when `skipped` frames of the program have passed: its text, and (end, length) of what stands in it."""
    overlay, rows, text = Overlay(version), [], ''
    if version >= '0.6.8' and version[0].isdigit():
        text += f'v1\n{version}\n---------------------SYSTEM INFO---------------------\n'
    text += 'os,cpu,gpu,ram,kernel,driver,cpuscheduler\nDebian,A CPU,A GPU,32768000,6.1.0,Mesa,schedutil\n'
    if 'v1\n' in text:
        text += '--------------------FRAME METRICS--------------------\n'
    text += overlay.columns.replace(' ', ',') + '\n'
    lines = []
    for length in frames[:skipped]:
        overlay.present(length)
    begin, look = overlay.now, interval_ns
    for length in frames[skipped:]:
        fps, frametime = overlay.present(length)
        end = overlay.now - begin
        if not interval_ns:
            rows.append((end, length))
            lines.append(overlay.line(fps, frametime, end))
        while interval_ns and look <= end:
            rows.append((look, length))
            lines.append(overlay.line(fps, frametime, look))
            look += interval_ns
    return text + ''.join(lines), rows


def program(rng, rate, count, hitch=0, every=97):
    """Frames of some rate, of which some take `hitch` ms."""
    return [int(hitch * 1e6) if hitch and i % every == every // 2 else int(1e9 / rate * rng.uniform(.9, 1.1)) for i in range(count)]


class MangoHud(FolderTest):
    def check(self, text, rows, column='FrameTimes'):
        path = os.path.join(self.folder.name, 'log.csv')
        with open(path, 'w', encoding='ascii') as out:
            out.write(text)
        done = run('export', path, '--counters', '--csv')
        self.assertEqual(done.returncode, 0, done.stderr)
        table = list(csv.DictReader(io.StringIO(done.stdout)))
        alone = text.count('fps,') == 1
        self.assertEqual(len(table), len(rows))
        for got, (end, length) in zip(table, rows):
            # Whole microseconds, or six digits.
            self.assertAlmostEqual(float(got[f'{column} (s)']) * 1e9, length, delta=1000 + length * 1e-5)
            if alone:
                self.assertEqual(int(got['end_ns']), end)

    def test_every_version_and_rate(self):
        for version in VERSIONS:
            for rate in (5, 24, 60, 144, 1000, 5000):
                for hitch in (0, 300):
                    with self.subTest(version=version, rate=rate, hitch=hitch):
                        self.check(*log(version, program(random.Random(rate), rate, 400 + rate, hitch, max(97, rate * 2 // 3))))

    def test_a_slow_beginning(self):
        """Loading, then play; fps is a mean of both for a while."""
        for version in VERSIONS:
            with self.subTest(version):
                rng = random.Random(5)
                self.check(*log(version, program(rng, 3, 30) + program(rng, 400, 900, 300), skipped=0))

    def test_short_logs(self):
        for version in VERSIONS:
            if version == 'mean, ms':
                continue
            for count in (*range(1, 13), 40):
                with self.subTest(version=version, count=count):
                    self.check(*log(version, program(random.Random(count), 90, 200 + count, 300, 7), skipped=200))

    def test_logs_behind_each_other(self):
        rng = random.Random(9)
        for _ in range(6):
            text, rows = '', []
            for version in rng.sample(sorted(VERSIONS), 5):
                more, have = log(version, program(rng, rng.choice((20, 60, 700)), 300, 300))
                text, rows = text + more, rows + have
            self.check(text, rows)

    def test_a_line_an_interval(self):
        for version in VERSIONS:
            for rate in (40, 300, 5000):
                with self.subTest(version=version, rate=rate):
                    self.check(*log(version, program(random.Random(rate), rate, rate * 3, 0), interval_ns=100 * 10**6), 'LastFrameTime')


if __name__ == '__main__':
    unittest.main()
