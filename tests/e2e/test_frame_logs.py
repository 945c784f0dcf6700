#!/usr/bin/env python3
"""Logs of frames through report, against means and percentiles that Python works out from the same frames. $SEXTANT is the binary."""
import json
import math
import os
import random
import re
import unittest

from command import Command, FolderTest

SEXTANT = os.environ['SEXTANT']
run = Command(SEXTANT)
SYSTEM = 'os,cpu,gpu,ram,kernel,driver,cpuscheduler\nDebian,A CPU,{gpu},32768000,6.1.0,Mesa,schedutil\n'
NAMES = 'fps,frametime,cpu_load,cpu_power,gpu_load,cpu_temp,gpu_temp,gpu_core_clock,gpu_mem_clock,gpu_vram_used,gpu_power,ram_used,swap_used,' \
        'process_rss,cpu_mhz,elapsed'
OLD_NAMES = 'fps,frametime,cpu_load,gpu_load,cpu_temp,gpu_temp,gpu_core_clock,gpu_mem_clock,gpu_vram_used,gpu_power,ram_used,elapsed'


def frames(count=1500, ms=16.5, seed=1):
    """A program with a slow stretch and single long frames: (end in ns, length in ms)."""
    rng = random.Random(seed)
    out, now = [], 0
    for i in range(count):
        length = ms * (2.2 if count // 2 <= i < count * 5 // 8 else 1) * (4 if i % 211 == 17 else 1) * rng.uniform(.95, 1.05)
        length = float(f'{length:.6g}')  # as a C++ stream prints it
        now += length * 1e6
        out.append((now, length))
    return out


def line(length, end, watts=100.0, old=False):
    if old:  # whole microseconds
        return f'{1000 / length:.6g},{round(length * 1000)},20,90,55,60,2400,1990,6,{watts:.6g},9.5,{int(end)}\n'
    return f'{1000 / length:.6g},{length:.6g},20,65.5,90,55,60,2400,1990,6,{watts:.6g},9.5,0,1.5,4450,{int(end)}\n'


def log(data, old=False, jitter=0, gpu='A GPU'):
    rng = random.Random(2)
    return SYSTEM.format(gpu=gpu) + (OLD_NAMES if old else NAMES) + '\n' + ''.join(
        line(length, end + rng.uniform(0, jitter), old=old) for end, length in data)


def watched(data, every_ms):
    """What log_interval writes of these frames: at each look the frame that was the last. Also (begin, end, length) of each line."""
    rows, at, now, before = [], 0, every_ms * 1e6, None
    while now < data[-1][0]:
        while at + 1 < len(data) and data[at + 1][0] <= now:
            at += 1
        rows.append((before, now, data[at][1]))
        before, now = now, now + every_ms * 1e6 + 60e3
    watts = [80 + i % 40 for i in range(len(rows))]
    text = SYSTEM.format(gpu='A GPU') + NAMES + '\n' + ''.join(line(length, end, w) for (_, end, length), w in zip(rows, watts))
    return text, rows, watts


class Frames(FolderTest):
    def write(self, text, name='log.csv'):
        path = os.path.join(self.folder.name, name)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)
        return path

    def report(self, path):
        result = run('report', path, '--json')
        self.assertEqual(result.returncode, 0, result.stderr)
        return {m['name']: m for m in json.loads(result.stdout)['metrics']}, ' '.join(result.stderr.split())

    def near(self, have, want, share=1e-5, what=''):
        self.assertLessEqual(abs(have - want), abs(want) * share, f'{what}: {have}, expected {want}')

    def check_frames(self, path, lengths, share=1e-5):
        """Means are totals by totals, percentiles those of frames, and the head says the same."""
        rows, _ = self.report(path)
        time, rate = rows['frame_time'], rows['frames_per_second']
        self.near(time['mean'], sum(lengths) / len(lengths) / 1e3, share, 'mean frame time')
        self.near(rate['mean'], len(lengths) * 1e3 / sum(lengths), share, 'frames per second')
        ordered = sorted(lengths)
        for name in ('p50', 'p95', 'p99'):
            want = ordered[min(len(ordered) - 1, math.ceil(int(name[1:]) / 100 * len(ordered)) - 1)]
            self.near(time[name], want / 1e3, 0.02, f'frame time {name}')
        self.near(time['max'], ordered[-1] / 1e3, share, 'longest frame')
        self.near(rate['min'], 1e3 / ordered[-1], share, 'lowest rate')
        text = run('report', path).stdout
        head = re.search(r'(\d+) frames in ([^(]+) \(([\d.]+)/s; slowest 1 %: ([\d.]+)/s', text)
        self.assertTrue(head, text[:300])
        self.assertEqual(int(head.group(1)), len(lengths))
        self.near(float(head.group(3)), rate['mean'], 0.005, 'rate in the head')
        slow = ordered[-round(len(ordered) / 100):]
        self.near(float(head.group(4)), len(slow) * 1e3 / sum(slow), 0.03, 'slowest frames in the head')

    def test_a_line_a_frame(self):
        data = frames()
        lengths = [length for _, length in data]
        self.check_frames(self.write(log(data)), lengths)
        # The log's clock is read a little behind the frame's end.
        self.check_frames(self.write(log(data, jitter=4e5)), lengths)
        self.check_frames(self.write(log(data, old=True)), [round(length * 1000) / 1000 for length in lengths])
        quick = frames(4000, ms=2.1, seed=5)
        self.check_frames(self.write(log(quick, jitter=5e4)), [length for _, length in quick])

    def test_more_lines_than_a_course_keeps(self):
        """Above 4,096 lines a course has a row for several of them."""
        data = frames(10001)
        self.check_frames(self.write(log(data)), [length for _, length in data])

    def test_levels(self):
        """Power, load and temperature of a run are those of its time: long frames hold theirs for longer."""
        data = frames(1000)
        watts = [100.0 if length < 30 else 40.0 for _, length in data]
        text = SYSTEM.format(gpu='A GPU') + NAMES + '\n' + ''.join(line(length, end, w) for (end, length), w in zip(data, watts))
        rows, _ = self.report(self.write(text))
        lengths = [length for _, length in data]
        self.near(rows['gpu_power']['mean'], sum(w * n for w, n in zip(watts, lengths)) / sum(lengths), 1e-4)
        self.near(rows['gpu_busy']['mean'], 90)

    def test_mean_without_times(self):
        """A line whose time is damaged counts like any other."""
        data = frames(300)
        lines = log(data).splitlines(True)
        lines[100] = lines[100].rpartition(',')[0] + ',x\n'
        rows, told = self.report(self.write(''.join(lines)))
        self.near(rows['frame_time']['mean'], sum(length for _, length in data) / len(data) / 1e3)
        self.assertIn('no numbers', told)

    def test_a_line_an_interval(self):
        """What was read now and then holds until the next look: means are over time, and no frame is made up."""
        for every_ms in (100, 500, 20, 7):
            with self.subTest(every_ms):
                data = frames(2400)
                text, lines, watts = watched(data, every_ms)
                rows, told = self.report(self.write(text))
                self.assertIn('a line an interval', told)
                spans = [end - (begin if begin is not None else end - length * 1e6) for begin, end, length in lines]
                rate = sum(span / length * 1e3 for span, (_, _, length) in zip(spans, lines)) / sum(spans)
                self.near(rows['frames_per_second']['mean'], rate, 1e-4, 'frames per second')
                self.near(rows['frame_time']['mean'], 1 / rate, 1e-4, 'frame time')
                self.near(rate, len(data) * 1e9 / data[-1][0], 0.05, 'the frames themselves')
                self.near(rows['gpu_power']['mean'], sum(watts) / len(watts), 0.01, 'power')
                self.near(rows['frame_time']['max'], max(length for _, _, length in lines) / 1e3, 1e-4, 'longest')
                text = run('report', self.write(text)).stdout
                self.assertIn(f'{len(lines)} samples in', text)
                self.assertNotRegex(text, r'\d frames in')

    def test_logs_behind_each_other(self):
        """Heads within a file are none of its frames, whichever version wrote them."""
        data, other = frames(400), frames(200, ms=8, seed=3)
        lengths = [length for _, length in data] + [round(length * 1000) / 1000 for _, length in other]
        head = 'v1\n0.7.2\n---------------------SYSTEM INFO---------------------\n'
        for title, text in {'plain': log(data) + log(other, old=True),
                            'versioned': log(data) + head + log(other, old=True)}.items():
            with self.subTest(title):
                path = self.write(text)
                rows, told = self.report(path)
                self.assertEqual(rows['frame_time']['count'], 600)
                self.near(rows['frame_time']['mean'], sum(lengths) / 600 / 1e3)
                second = text[:text.rindex('fps,')].count('\n') + 1
                self.assertIn(f'2 logs follow each other, the second from line {second}', told)
                self.assertNotIn('left out', told)
                info = json.loads(run('capture', 'info', path, '--json').stdout)
                self.assertEqual([d['name'] for d in info['devices']], ['A GPU'])
        _, told = self.report(self.write(log(data) + log(other, gpu='Another')))
        self.assertIn('of different systems', told)

    def test_damaged_cells(self):
        """What is no number is no data, and its place is told."""
        lines = log(frames(200)).splitlines(True)
        cells = lines[60].split(',')
        cells[4], cells[7] = '9O', '24oo'
        lines[60] = ','.join(cells)
        rows, told = self.report(self.write(''.join(lines)))
        self.assertEqual((rows['gpu_busy']['count'], rows['frame_time']['count']), (199, 200))
        self.assertIn('2 cells are no number and left out, the first in line 61, column gpu_load: "9O"', told)
        cells[4], cells[7] = 'N/A', '2400'  # stands for no data
        lines[60] = ','.join(cells)
        self.assertNotIn('no number', self.report(self.write(''.join(lines)))[1])

    def test_hud(self):
        """Of Mesa's graphs that of frame times has a line a frame; without it the rate of each period is all there is."""
        data = [length for _, length in frames(900)]
        folder = os.path.join(self.folder.name, 'hud')
        os.mkdir(folder)
        rates = [60.5 + i % 5 for i in range(30)]
        graphs = {'fps': rates, 'GPU-load': [50 + i % 7 for i in range(30)], 'frametime_(ms)': data}
        for name, values in graphs.items():
            with open(os.path.join(folder, name), 'w', encoding='ascii') as file:
                file.writelines(f'{v:f}\n' for v in values)
        rows, told = self.report(folder)
        self.near(rows['frame_time']['mean'], sum(data) / len(data) / 1e3)
        self.near(rows['frames_per_second']['mean'], len(data) * 1e3 / sum(data))
        self.near(rows['gpu_busy']['mean'], sum(graphs['GPU-load']) / 30)
        self.assertIn('frametime_(ms) has a line a frame', told)
        os.remove(os.path.join(folder, 'frametime_(ms)'))
        with open(os.path.join(folder, 'fps'), 'a', encoding='ascii') as file:
            file.write('oops\n62.5\n')
        with open(os.path.join(folder, 'notes.txt'), 'w', encoding='ascii') as file:
            file.write('what I did\n')
        rows, told = self.report(folder)
        self.near(rows['frames_per_second']['mean'], (sum(rates) + 62.5) / 31)
        self.assertEqual(rows['frames_per_second']['count'], 31)
        self.assertIn('1 cell is no number and left out, the first in line 31, column fps: "oops"', told)
        self.assertIn('notes.txt is no graph', told)
        empty = os.path.join(self.folder.name, 'other')
        os.mkdir(empty)
        with open(os.path.join(empty, 'notes.txt'), 'w', encoding='ascii') as file:
            file.write('what I did\n')
        result = run('report', empty)
        self.assertEqual(result.returncode, 5)
        self.assertIn('a folder is read as', result.stderr)


if __name__ == '__main__':
    unittest.main(verbosity=2)
