#!/usr/bin/env python3
"""Rows of tables that lack what others have: a length, or one of two counters. A mean over the run is made of the rows that have all of it.

usage: test_lengths.py SEXTANT
"""
import csv
import io
import random
import sys
import unittest

from command import Command, FolderTest

run = Command(sys.argv[1], code=0, errors='replace')


class Lengths(FolderTest):
    def means(self, text, catalog, *names):
        """The means that report and stat give, which must be the same."""
        path = self.file(text)
        out = []
        for verb in (('report', path), ('stat', '-i', path)):
            result = run(*verb, '--for', catalog, '--csv', '-m', ','.join(names))
            rows = {row['name']: row for row in csv.DictReader(io.StringIO(result.stdout))}
            out.append([float(rows[name]['mean']) for name in names])
        self.assertEqual(*out)
        return out[0]

    def test_rates_are_of_rows_with_a_length(self):
        """The first row of such a table has counts and no length, and a row that repeats its time neither."""
        seed = random.Random(20261122)
        for gaps in ([10, 10], [0, 20], [seed.randrange(1, 50) for _ in range(40)]):
            with self.subTest(gaps):
                at, faults, busy, ns, lines = 10, 0, 0, 0, ['Time (s),PageFaults,TaskClock', '0.01,70,1000000']
                for gap in gaps:
                    at, more, clock = at + gap, seed.randrange(1, 1000), seed.randrange(1, 10**6)
                    lines.append(f'{at / 1000},{more},{clock}')
                    if gap:
                        faults, busy, ns = faults + more, busy + clock, ns + gap * 10**6
                have = self.means('\n'.join(lines) + '\n', 'cpu', 'page_fault_rate', 'cpus_used')
                for value, right in zip(have, (faults * 1e9 / ns, busy / ns)):
                    self.assertAlmostEqual(value / right, 1, 9)

    def test_ratios_are_of_rows_that_have_both(self):
        text = 'IAVertices,IAPrimitives\n300,100\n600,\n,100\n900,100\n'
        self.assertEqual(self.means(text, 'opengl', 'vertices_per_primitive'), [6])

    def test_levels_go_by_the_lengths_that_are_known(self):
        text = 'Time (s),gpu_busy,gpu_power (W)\n0.1,50,10\n0.2,50,10\n10.2,0,20\n'
        for value, right in zip(self.means(text, 'monitor', 'gpu_busy', 'gpu_power'), (50 * 0.1 / 10.1, (10 * 0.1 + 20 * 10) / 10.1)):
            self.assertAlmostEqual(value, right, 9)
        # Where most rows have none, they go by rows.
        text = 'begin_ns,end_ns,gpu_busy\n,,50\n,,20\n1,2,80\n'
        self.assertEqual(self.means(text, 'monitor', 'gpu_busy'), [50])


unittest.main(argv=[sys.argv[0]], verbosity=1)
