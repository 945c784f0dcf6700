#!/usr/bin/env python3
"""
How far a verb is that reads for over a second: a line on a terminal, gone at the end; nothing elsewhere. The input comes through a pipe
that takes its time, so that no machine is too fast. $SEXTANT is the binary.
"""
import array
import concurrent.futures
import fcntl
import os
import pty
import re
import signal
import subprocess
import termios
import threading
import time
import unittest

from command import FolderTest

SEXTANT = os.environ['SEXTANT']
ERASE = b'\r\x1b[K'
TABLE = b'MaliGPUCyclesGPUActive,duration_ns\n' + b'1000,1000000\n' * 100
LOG = b'fps,frametime,cpu_load\n' + b'60,16.6,10\n' * 100
VERBS = (('eval', TABLE, ('--for', 'mali-g310', '-i', '-', '--csv')), ('advise', TABLE, ('--for', 'mali-g310', '-i', '-')),
         ('decode', b'\n' * 100, ('-i', '-', '--as', 'perf-stat', '--for', 'cpu')),
         ('import', LOG, ('-', '-o', 'OUT', '--as', 'mangohud')), ('report', LOG, ('-i', '-')), ('export', LOG, ('-i', '-')))


def wait_until_read(pipe, child):
    """The reader has begun: on a busy machine that may take longer than what is to be slow."""
    waiting = array.array('i', [1])
    while waiting[0] and child.poll() is None:
        time.sleep(0.01)
        fcntl.ioctl(pipe, termios.FIONREAD, waiting)


def feed(child, data, seconds):
    pipe, half = child.stdin, len(data) // 2
    try:
        pipe.write(data[:half])
        pipe.flush()
        wait_until_read(pipe, child)
        time.sleep(seconds)
        pipe.write(data[half:])
        pipe.close()
    except BrokenPipeError:
        pass


def read_by(child):
    """Bytes that a process has read so far."""
    with open(f'/proc/{child.pid}/io', encoding='ascii') as file:
        return int(file.readline().split()[1])


class Progress(FolderTest):
    def told(self, verb, data, args, seconds=1.8, terminal=True):
        """What the command writes to standard error."""
        args = [os.path.join(self.folder.name, 'out.sxc') if word == 'OUT' else word for word in args]
        ours, theirs = pty.openpty() if terminal else os.pipe()
        with open(os.path.join(self.folder.name, verb), 'wb') as out:
            child = subprocess.Popen([SEXTANT, verb, *args], stdin=subprocess.PIPE, stdout=out, stderr=theirs)
        os.close(theirs)
        feeder = threading.Thread(target=feed, args=(child, data, seconds))
        feeder.start()
        seen = b''
        while True:
            try:
                part = os.read(ours, 4096)
            except OSError:  # a terminal whose other end is closed
                break
            if not part:
                break
            seen += part
        os.close(ours)
        child.wait(60)
        feeder.join()
        with open(os.path.join(self.folder.name, verb), 'rb') as out:
            self.assertNotIn(b'\x1b[K', out.read())
        return seen

    def test_shown_and_gone(self):
        with concurrent.futures.ThreadPoolExecutor(len(VERBS)) as pool:
            all_seen = list(pool.map(lambda case: self.told(*case), VERBS))
        for (verb, _, _), seen in zip(VERBS, all_seen):
            with self.subTest(verb):
                lines = list(re.finditer(re.escape(ERASE) + rb'sextant %s: \d+ s' % verb.encode(), seen))
                self.assertTrue(lines, seen)
                # Whatever comes behind the last line begins where it was erased.
                rest = seen[lines[-1].end():]
                self.assertTrue(rest.startswith(ERASE), rest)

    def test_not_shown(self):
        verb, data, args = VERBS[0]
        self.assertNotIn(b'\x1b', self.told(verb, data, args, terminal=False))
        self.assertEqual(self.told(verb, data, [*args, '-q']), b'')
        # Nor for what is done at once, on a machine where that takes less than a second.
        began = time.monotonic()
        seen = self.told(verb, data, args, seconds=0)
        self.assertTrue(b'\x1b[K' not in seen or time.monotonic() - began > 1, seen)

    def test_how_much(self):
        """Of a file, the share that is read: the command is stopped in the middle for as long as it takes to be slow."""
        path = os.path.join(self.folder.name, 'long.csv')
        with open(path, 'wb') as file:
            file.write(b'MaliGPUCyclesGPUActive,duration_ns\n')
            for _ in range(12):
                file.write(b'123456,1000000\n' * 100000)
        ours, theirs = pty.openpty()
        child = subprocess.Popen([SEXTANT, 'eval', '--for', 'mali-g310', '-i', path, '--csv', '-o', os.devnull], stderr=theirs)
        os.close(theirs)
        while child.poll() is None and read_by(child) < os.path.getsize(path) // 8:
            time.sleep(0.002)
        child.send_signal(signal.SIGSTOP)
        time.sleep(1.2)
        child.send_signal(signal.SIGCONT)
        seen = b''
        try:
            while part := os.read(ours, 4096):
                seen += part
        except OSError:
            pass
        os.close(ours)
        child.wait(60)
        self.assertRegex(seen, rb'long\.csv: \d+ %, \d+ s')

    def test_live_line(self):
        """Without a program, what the device did last, although rows are not there at every moment."""
        seen = self.told('stat', b'', ('-d', 'cpu', '-m', 'cpu_busy', '-t', '2500ms'))
        self.assertRegex(seen, rb'\d samples, cpu_busy [\d.]+ %; Ctrl-C ends')
        self.assertTrue(seen.rstrip().endswith(ERASE.strip()) or seen.endswith(ERASE), seen)

    def test_recording(self):
        """Samples since the line before, so that the first line has no rate."""
        lines = self.told('record', b'', ('-d', 'mali-g310', '-o', 'OUT', '-t', '1300ms')).split(ERASE)[1:-1]
        rates = [float(re.search(rb'([\d.e+-]+)/s', line).group(1)) for line in lines if b'/s' in line]
        self.assertTrue(rates, lines)
        self.assertGreater(min(rates), 1, lines)


if __name__ == '__main__':
    unittest.main()
