#!/usr/bin/env python3
"""sextant eval of more rows than fit a block: the same values as row by row, in memory that does not grow."""
import json
import os
import random
import subprocess
import sys
import unittest

from command import FolderTest

SEXTANT = sys.argv.pop(1)


def peak_kib(args, stdin=None):
    """The largest resident set of one command, whose output nobody keeps."""
    # A sanitizer's quarantine of freed memory would drown the measure.
    env = dict(os.environ, ASAN_OPTIONS='quarantine_size_mb=1:detect_leaks=0')
    child = subprocess.Popen([SEXTANT, *args], stdin=stdin, stdout=subprocess.DEVNULL, env=env)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = status
    assert os.waitstatus_to_exitcode(status) == 0, args
    return usage.ru_maxrss


class Stream(FolderTest):
    def write(self, rows):
        path = os.path.join(self.folder.name, f'{rows}.csv')
        random.seed(rows)
        with open(path, 'w') as out:
            out.write('MaliGPUCyclesGPUActive,unknown,duration_ns\n')
            for i in range(rows):
                out.write(f'{"" if i % 7 == 3 else random.getrandbits(24)},{i},16000000\n')
        return path

    def test_values(self):
        path = self.write(150000)
        args = ['eval', '--for', 'mali-g310', '-m', 'gpu_active_cycles', '-q']
        with open(path) as text:
            cells = [line.split(',')[0] for line in text][1:]
        result = subprocess.run([SEXTANT, *args, path, '--json'], capture_output=True, check=True)
        document = json.loads(result.stdout)
        self.assertEqual(document['metrics'], ['begin_ns', 'end_ns', 'gpu_active_cycles'])
        self.assertTrue([row[2] for row in document['rows']] == [float(cell) if cell else None for cell in cells])
        for form in ('--csv', '--json', '--format=ndjson', '--format=text'):
            of_file = subprocess.run([SEXTANT, *args, path, form], capture_output=True, check=True)
            with open(path) as text:
                piped = subprocess.Popen(['cat'], stdin=text, stdout=subprocess.PIPE)
                of_pipe = subprocess.run([SEXTANT, *args, '-i', '-', form], stdin=piped.stdout,
                                         capture_output=True, check=True)
                piped.stdout.close()
                piped.wait()
            self.assertEqual(of_file.stdout, of_pipe.stdout)
            self.assertEqual(of_file.stdout.count(b'\n') >= len(cells), form != '--format=text')

    def test_reason(self):
        """A value in the last block alone: the column is not said to lack anything."""
        path = os.path.join(self.folder.name, 'late.csv')
        with open(path, 'w') as out:
            out.write('MaliGPUCyclesGPUActive,x\n' + ',1\n' * 200000 + '5,1\n')
        result = subprocess.run([SEXTANT, 'eval', path, '--for', 'mali-g310', '-q', '--json', '-m', 'gpu_active_cycles'],
                                capture_output=True, check=True)
        document = json.loads(result.stdout)
        self.assertEqual(document['rows'][-1], [5])
        self.assertEqual(document['why'], {})

    def test_late_line(self):
        """A line that cannot be read is left out, and where a quote has no end, the rest is: the exit status says so."""
        path = self.write(100000)
        whole = subprocess.run([SEXTANT, 'eval', path, '--for', 'mali-g310', '--csv'], capture_output=True, text=True)
        for line, code, words in (('1,1,3,4', 0, '1 line is left out, line 100002 the first: a line has more cells than the header'),
                                  ('1,"1,3\n4,5,6', 1, ':100002: a quoted cell has no end')):
            with open(path) as text, open(path + '.2', 'w') as out:
                out.write(text.read() + line + '\n')
            for args in (['eval', path + '.2'], ['eval', '-i', '-']):
                with open(path + '.2') as text:
                    result = subprocess.run([SEXTANT, *args, '--for', 'mali-g310', '--csv'], stdin=text, capture_output=True, text=True)
                self.assertEqual((result.returncode, result.stdout == whole.stdout), (code, True), result.stderr)
                self.assertIn(words, ' '.join(result.stderr.split()))

    def test_late_odd_cell(self):
        """A cell that is no number has no value, also in the last block."""
        path = self.write(100000)
        with open(path, 'a') as out:
            out.write('x,1,3\n')
        result = subprocess.run([SEXTANT, 'eval', path, '--for', 'mali-g310', '--csv', '-m', 'gpu_active_cycles'], capture_output=True, text=True)
        self.assertEqual(result.returncode, 0)
        self.assertIn('1 cell is no number and left out, the first in line 100002, column MaliGPUCyclesGPUActive: "x"', ' '.join(result.stderr.split()))
        self.assertEqual(result.stdout.splitlines()[-1], '1600000000000,1600000000003,')

    def test_memory(self):
        few, many = self.write(100000), self.write(500000)
        for form in ('--csv', '--json', '--format=ndjson', '--format=text'):
            args = ['--for', 'mali-g310', '-q', form, '-m', 'gpu_active_cycles']
            small, large = (peak_kib(['eval', path, *args]) for path in (few, many))
            self.assertLess(large, small + 4096, form)
        with open(many) as text:
            piped = subprocess.Popen(['cat'], stdin=text, stdout=subprocess.PIPE)
            large = peak_kib(['eval', '-i', '-', *args], stdin=piped.stdout)
            piped.stdout.close()
            piped.wait()
        self.assertLess(large, small + 4096)


if __name__ == '__main__':
    unittest.main()
