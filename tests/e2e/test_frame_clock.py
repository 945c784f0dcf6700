#!/usr/bin/env python3
"""Tables with a row a frame that tell how long each took, and not when it was: their clock is the running sum.

usage: test_frame_clock.py SEXTANT
"""
import csv
import io
import json
import random
import statistics
import sys
import unittest

from command import Command, FolderTest

run = Command(sys.argv[1], code=0)
TOLD = 'no column has times: frames follow each other by their frame_time, and what lay between rows is not known'


def lengths(count=1500, seed=1123):
    """Milliseconds, of which some are long."""
    rng = random.Random(seed)
    return [round(rng.uniform(15, 18) * (4 if i % 200 == 77 else 1), 3) for i in range(count)]


def edges(times):
    """Begin and end of each, in ns."""
    at, out = 0, []
    for ms in times:
        out.append((round(at * 1e6), round((at + ms) * 1e6)))
        at += ms
    return out


class FrameClock(FolderTest):
    def table(self, times, head='frame_time,gpu_time', line='{ms},{gpu}'):
        rows = [line.format(i=i, ms=ms, gpu=round(ms / 2, 4)) for i, ms in enumerate(times)]
        return self.file('\n'.join([head, *rows]) + '\n')

    def words(self, *args):
        done = run(*args)
        return ' '.join(done.stdout.split()), ' '.join(done.stderr.split())

    def test_pace(self):
        times = lengths()
        slow = sorted(times, reverse=True)
        for head, line in (('frame,frame_time,gpu_time', '{i},{ms},{gpu}'), ('frame_time,gpu_time', '{ms},{gpu}')):
            for catalog in ('monitor', 'opengl', 'vulkan'):
                with self.subTest(head, catalog=catalog):
                    path = self.table(times, head, line)
                    device, = run.document('report', path, '--for', catalog)['devices']
                    frames = device['frames']
                    self.assertEqual((device['samples'], frames['count'], device['kind']), (1500, 1500, 'frame'))
                    self.assertAlmostEqual(device['duration_ns'] / sum(times) / 1e6, 1, 9)
                    self.assertAlmostEqual(frames['fps'], 1500e3 / sum(times), 6)
                    self.assertAlmostEqual(frames['low_1_percent'] * sum(slow[:15]) / 15e3, 1, 6)
                    self.assertAlmostEqual(frames['low_0_1_percent'] * statistics.mean(slow[:2]) / 1e3, 1, 1)
                    self.assertEqual(frames['stutters'], sum(ms > 2 * statistics.median(times) for ms in times))
                    out, err = self.words('report', path, '--for', catalog)
                    self.assertIn(f'1500 frames in {sum(times) / 1e3:.3g} s ({1500e3 / sum(times):.3g}/s; slowest 1 %:', out)
                    self.assertIn(TOLD, err)
                    # GPU time is half of the frames', and no share of no time.
                    self.assertNotIn('Bound by the GPU', out)

    def test_by_frame_and_time(self):
        times = lengths(300)
        path = self.table(times)
        for form in ((), ('--json',), ('--csv',)):
            self.assertTrue(run('report', path, '--by', 'frame', *form).stdout)
        document = run.document('report', path, '--by', 'frame', '--top', '300')
        self.assertIn('299', json.dumps(document))
        # Each tenth of a second, whose frames begin in it.
        rows = list(csv.DictReader(io.StringIO(run('report', path, '--by', 'time', '--top', '1000', '--csv').stdout)))
        self.assertEqual(sum(int(row['rows']) for row in rows), 300)
        self.assertAlmostEqual(sum(int(row['time_ns']) for row in rows) / 1e6 / sum(times), 1, 6)
        page = run('report', path, '-f', 'html').stdout
        self.assertIn('"low_1_percent"', page)

    def test_times_come_out(self):
        times = lengths(50)
        rows = list(csv.DictReader(io.StringIO(run('export', self.table(times), '--csv').stdout)))
        self.assertEqual([(int(row['begin_ns']), int(row['end_ns'])) for row in rows], edges(times))
        self.assertEqual([row['frame'] for row in rows], [str(i) for i in range(50)])

    def test_processes_run_beside_each_other(self):
        times = lengths(200)
        rows = [f'{"ab"[i % 2]},{ms},{ms / 2}' for i, ms in enumerate(times)]
        path = self.file('process,frame_time,gpu_time\n' + '\n'.join(rows) + '\n')
        got = list(csv.DictReader(io.StringIO(run('export', path, '--csv').stdout)))
        for i in range(2):
            have = [(int(row['begin_ns']), int(row['end_ns'])) for row in got if row['process'] == 'ab'[i]]
            self.assertEqual(have, edges(times[i::2]))

    def test_names_of_frames(self):
        for name in ('frame', 'Frame', 'FRAME', 'Frame number', 'frame_index', 'FrameID', 'Frame #'):
            with self.subTest(name):
                path = self.file(f'{name},Frame Time (ms)\n7,16\n9,17\n')
                rows = list(csv.DictReader(io.StringIO(run('export', path, '--csv').stdout)))
                self.assertEqual([row['frame'] for row in rows], ['7', '9'])
                self.assertIn('"7"', run('report', path, '--by', 'frame', '--json').stdout)
        for cells in ('menu\ngame', '1.5\n2.5'):  # words are labels, other numbers a column
            path = self.file('Frame,Frame Time (ms)\n' + ''.join(f'{cell},16\n' for cell in cells.split()))
            rows = list(csv.DictReader(io.StringIO(run('export', path, '--csv').stdout)))
            self.assertEqual([(row['frame'], row['Frame']) for row in rows], list(zip('01', cells.split())))

    def test_times_that_agree(self):
        """Whatever the stamp of a frame is, its rows are frames as long as they say; and the GPU has no more work than time."""
        times = lengths()
        slow, at = sorted(times, reverse=True), edges([7, *times])[1:]
        forms = {'timestamp_ns,frame_time (ms),gpu_time (ms)': lambda begin, end: begin,
                 'begin_ns,frame_time (ms),gpu_time (ms)': lambda begin, end: begin,
                 'time (s),frame_time (ms),gpu_time (ms)': lambda begin, end: f'{end / 1e9:.9f}',
                 'timestamp_us,frame_time (ms),gpu_time (ms)': lambda begin, end: end / 1e3,
                 'duration_ns,frame_time (ms),gpu_time (ms)': lambda begin, end: end - begin}
        for head, stamp in forms.items():
            rows = [f'{stamp(*span)},{ms},{ms / 4}' for ms, span in zip(times, at)]
            path = self.file('\n'.join([head, *rows]) + '\n')
            for catalog in ('monitor', 'opengl'):
                with self.subTest(head, catalog=catalog):
                    document = run.document('report', path, '--for', catalog)
                    device, = document['devices']
                    frames = device['frames']
                    self.assertEqual((device['kind'], frames['count']), ('frame', 1500))
                    self.assertAlmostEqual(frames['fps'] * sum(times) / 1500e3, 1, 5)
                    self.assertAlmostEqual(frames['low_1_percent'] * sum(slow[:15]) / 15e3, 1, 5)
                    self.assertEqual(frames['stutters'], sum(ms > 2 * statistics.median(times) for ms in times))
                    gpu = [e['value'] for part in document['verdict']['parts'] for e in part['evidence'] if e['name'] == 'gpu']
                    self.assertAlmostEqual(gpu[0], 25, 0)
                    self.assertIn('1500 frames in', self.words('report', path, '--for', catalog, '--by', 'frame')[0])

    def test_intervals_are_no_frames(self):
        """A line a second tells of one frame of that second: nothing says how many there were."""
        for head in ('time (s)', 'timestamp_s', 'begin [s]'):
            rows = [f'{i},{ms},{ms / 4}' for i, ms in enumerate(lengths(100))]
            path = self.file('\n'.join([f'{head},frame_time (ms),gpu_time (ms)', *rows]) + '\n')
            with self.subTest(head):
                self.assertIn('rows are not as long as their frame_time', self.words('report', path, '--for', 'monitor')[1])
                device, = run.document('report', path, '--for', 'monitor')['devices']
                self.assertNotIn('frames', device)
                self.assertNotIn('Bound by the GPU', run('report', path, '--for', 'monitor').stdout)

    def test_gpu_time_beyond_time(self):
        """Nanoseconds that are read as milliseconds are no work of a GPU."""
        path = self.file('duration_ns,gpu_time\n' + '16000000,8000000\n' * 50)
        self.assertNotIn('Bound by', run('report', path, '--for', 'opengl').stdout)

    def test_what_is_no_clock(self):
        # A frame without a length takes no time; rows that count their frames, or have times, are what they say.
        path = self.file('frame_time,gpu_time\n10,5\n,5\n20,5\n')
        rows = list(csv.DictReader(io.StringIO(run('export', path, '--csv').stdout)))
        self.assertEqual([(row['begin_ns'], row['end_ns']) for row in rows], [('0', '10000000'), ('', ''), ('10000000', '30000000')])
        for text in ('Frames,frame_time,gpu_time\n60,16,5\n30,33,5\n', 'begin_ns,frame_time,gpu_time\n5,16,5\n90,33,5\n', 'gpu_time\n5\n6\n'):
            with self.subTest(text):
                self.assertNotIn('follow each other', self.words('report', self.file(text), '--for', 'opengl')[1])


unittest.main(argv=[sys.argv[0]], verbosity=1)
