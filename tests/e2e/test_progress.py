#!/usr/bin/env python3
"""
How far a verb is that reads for over a second: a line on a terminal, gone at the end; nothing elsewhere. The input comes through a pipe
that takes its time, so that no machine is too fast. $SEXTANT is the binary.
"""
import concurrent.futures
import os
import pty
import signal
import subprocess
import tempfile
import threading
import time
import unittest

SEXTANT = os.environ['SEXTANT']
ERASE = b'\r\x1b[K'
TABLE = b'MaliGPUCyclesGPUActive,duration_ns\n' + b'1000,1000000\n' * 100
LOG = b'fps,frametime,cpu_load\n' + b'60,16.6,10\n' * 100
VERBS = (('eval', TABLE, ('--for', 'mali-g310', '-i', '-', '--csv')), ('advise', TABLE, ('--for', 'mali-g310', '-i', '-')),
         ('decode', b'', ('-i', '-', '--as', 'perf-stat', '--for', 'cpu')),
         ('import', LOG, ('-', '-o', 'OUT', '--as', 'mangohud')), ('report', LOG, ('-i', '-')), ('export', LOG, ('-i', '-')))


def feed(pipe, data, seconds):
    half = len(data) // 2
    try:
        pipe.write(data[:half])
        pipe.flush()
        time.sleep(seconds)
        pipe.write(data[half:])
        pipe.close()
    except BrokenPipeError:
        pass


class Progress(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def told(self, verb, data, args, seconds=1.8, terminal=True):
        """What the command writes to standard error."""
        args = [os.path.join(self.folder.name, 'out.sxc') if word == 'OUT' else word for word in args]
        ours, theirs = pty.openpty() if terminal else os.pipe()
        with open(os.path.join(self.folder.name, verb), 'wb') as out:
            child = subprocess.Popen([SEXTANT, verb, *args], stdin=subprocess.PIPE, stdout=out, stderr=theirs)
        os.close(theirs)
        feeder = threading.Thread(target=feed, args=(child.stdin, data, seconds))
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
                line = ERASE + f'sextant {verb}: 1 s'.encode()
                self.assertIn(line, seen)
                # Whatever comes behind the last line begins where it was erased.
                rest = seen[seen.rindex(line) + len(line):]
                self.assertTrue(rest.startswith(ERASE), rest)

    def test_not_shown(self):
        verb, data, args = VERBS[0]
        self.assertNotIn(b'\x1b', self.told(verb, data, args, terminal=False))
        self.assertEqual(self.told(verb, data, [*args, '-q']), b'')
        # Nor for what is done at once.
        self.assertNotIn(b'\x1b[K', self.told(verb, data, args, seconds=0))

    def test_how_much(self):
        """Of a file, the share that is read: the command is stopped in the middle for as long as it takes to be slow."""
        path = os.path.join(self.folder.name, 'long.csv')
        with open(path, 'wb') as file:
            file.write(b'MaliGPUCyclesGPUActive,duration_ns\n')
            for _ in range(40):
                file.write(b'123456,1000000\n' * 100000)
        for n in range(8):
            ours, theirs = pty.openpty()
            child = subprocess.Popen([SEXTANT, 'eval', '--for', 'mali-g310', '-i', path, '--csv', '-o', os.devnull], stderr=theirs)
            os.close(theirs)
            time.sleep(0.1 + 0.05 * n)
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
            if b'%' in seen:
                self.assertRegex(seen, rb'long\.csv: \d+ %, \d+ s')
                return
        self.fail(seen)

    def test_live_line(self):
        """Without a program, what the device did last, although rows are not there at every moment."""
        seen = self.told('stat', b'', ('-d', 'cpu', '-m', 'cpu_busy', '-t', '2500ms'))
        self.assertRegex(seen, rb'\d samples, cpu_busy [\d.]+ %; Ctrl-C ends')
        self.assertTrue(seen.rstrip().endswith(ERASE.strip()) or seen.endswith(ERASE), seen)


if __name__ == '__main__':
    unittest.main()
