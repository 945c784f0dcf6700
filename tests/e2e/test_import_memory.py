#!/usr/bin/env python3
"""Files of other tools larger than what an import holds of them, through the command. $SEXTANT is the binary."""
import csv
import os
import subprocess
import unittest

from command import FolderTest

SEXTANT = os.environ['SEXTANT']
FEW, MANY = 150000, 350000  # rows: arrays begin to leave memory at half a megabyte
LOTS = 1200000  # of which 15 bytes each would be more than the test itself takes
ROW_BYTES = 60
MANGOHUD = 'os,cpu,gpu\nLinux,Ryzen,RX\nfps,frametime,gpu_load,cpu_temp,gpu_core_clock,gpu_power,ram_used,elapsed\n'


def load(i):
    return i * 37 % 101


def mangohud(i):
    return f'{60 + i % 9 / 10:.1f},{16 + i % 7 / 10:.1f},{load(i)},{60 + i % 3}.5,{2400 + i % 50},{200 + i % 11},12.{i % 100:02},{(i + 1) * 16500000}\n'


def ndjson(i):
    return f'{{"frame": {i}, "frame_time": 0.0165, "gpu_busy": {load(i)}, "gpu_temperature": {60 + i % 4}, "cpu_busy": {12.5 + i % 8}}}\n'


def table(i):
    return f'{i},{load(i)},{60 + i % 4},{12.5 + i % 8}\n'


class ImportMemory(FolderTest):
    def peak(self, head, row, count, verb='import'):
        """Bytes that an import holds at most. All of the file is never here: a child begins with what its parent has."""
        path, self.kept = os.path.join(self.folder.name, 'rows'), os.path.join(self.folder.name, 'kept.sxc')
        with open(path, 'w', encoding='ascii') as out:
            out.write(head)
            out.writelines(map(row, range(count)))
        child = subprocess.Popen([SEXTANT, verb, path, '-o', self.kept if verb == 'import' else '/dev/null'], stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(child.returncode, 0)
        return usage.ru_maxrss * 1024

    def test_memory_does_not_follow_the_file(self):
        """A row more costs next to nothing; it was once 130 to 200 bytes."""
        for head, row, column in ((MANGOHUD, mangohud, 'GpuBusy'), ('', ndjson, 'gpu_busy'), ('frame,gpu_busy,gpu_temperature,cpu_busy\n', table, 'gpu_busy')):
            with self.subTest(row.__name__):
                few, many = self.peak(head, row, FEW), self.peak(head, row, MANY)
                self.assertLess(many - few, ROW_BYTES * (MANY - FEW))
                self.assertEqual(self.values(column), [load(i) for i in range(MANY)])

    def test_nor_does_that_of_a_report(self):
        """Rows are read from where the import has them; without leaving memory they were once 15 bytes each."""
        few, many = (self.peak(MANGOHUD, mangohud, count, 'report') for count in (FEW, LOTS))
        self.assertLess(many - few, 6 * (LOTS - FEW))

    def values(self, column):
        with subprocess.Popen([SEXTANT, 'export', self.kept, '--counters', '--csv'], stdout=subprocess.PIPE, text=True) as child:
            lines = csv.reader(child.stdout)
            at = next(lines).index(column)
            return [float(cells[at]) for cells in lines]


if __name__ == '__main__':
    unittest.main()
