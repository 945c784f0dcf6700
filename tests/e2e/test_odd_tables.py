#!/usr/bin/env python3
"""Tables whose heads and cells are written as few are, read through the command. $SEXTANT is the binary."""
import json
import os
import subprocess
import unittest

from command import FolderTest

SEXTANT = os.environ['SEXTANT']


def run(*args):
    return subprocess.run([SEXTANT, *args], capture_output=True, text=True, timeout=120, check=False)


class OddTables(FolderTest):
    def columns(self, text, *args):
        """Units and values of each column that export has, and what was told."""
        result = run('export', self.file(text), '--counters', '--json', *args)
        self.assertEqual(result.returncode, 0, result.stderr)
        table = json.loads(result.stdout)['devices'][0]
        values = zip(*table['rows'])
        return {name: (unit, list(cells)) for name, unit, cells in zip(table['metrics'], table['units'], values)}, ' '.join(result.stderr.split())

    def test_units_that_what_is_measured_tells(self):
        """K is kelvin of temperatures and thousands of what is counted; 1/s is whatever comes in a second."""
        rows = '330,12\n331.25,12.5\n'
        for text, catalog, want in (
                ('gpu_temperature (K),FrameRate (1/s)\n', 'monitor', {'gpu_temperature': ('degC', [56.85, 58.1]), 'FrameRate': ('frames/s', [12, 12.5])}),
                ('gpu_temperature,FrameRate\nK,1/s\n', 'monitor', {'gpu_temperature': ('degC', [56.85, 58.1]), 'FrameRate': ('frames/s', [12, 12.5])}),
                ('heat (K),InterruptRate (kHz)\n', 'monitor', {'heat': ('K', [330, 331.25]), 'InterruptRate': ('interrupts/s', [12000, 12500])}),
                ('IAVertices (K),what (1/s)\n', 'opengl', {'IAVertices': ('vertices', [330000, 331250]), 'what': ('Hz', [12, 12.5])}),
                ('MemoryReadBandwidth (Mbit/s),x (kbit/s)\n', 'monitor', {'MemoryReadBandwidth': ('bytes/s', [41250000, 41406250]), 'x': ('bytes/s', [1500, 1562.5])})):
            with self.subTest(text):
                have, _ = self.columns(text + rows, '--for', catalog)
                self.assertEqual({name: have[name] for name in want}, want)
        cells, _ = self.columns('frame_time (ms),gpu_temperature\n16,330 K\n17,331.25 K\n', '--for', 'monitor')
        self.assertEqual(cells['gpu_temperature'], ('degC', [56.85, 58.1]))
        other, told = self.columns('gpu_temperature (K),MemoryUsed (K)\n' + rows, '--for', 'monitor')
        self.assertNotIn('MemoryUsed', other)
        self.assertIn('MemoryUsed is in K, which cannot be made into bytes', told)


if __name__ == '__main__':
    unittest.main()
