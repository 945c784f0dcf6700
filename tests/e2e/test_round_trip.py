#!/usr/bin/env python3
"""Tables as people have them, through report, export and eval, held against what this reader of its own makes of the text. $SEXTANT is the binary."""
import csv
import io
import json
import math
import os
import random
import re
import subprocess
import tempfile
import unittest

SEXTANT = os.environ['SEXTANT']
TABLES = 20
MET = (96, 106)  # exports in which the catalog of telemetry is recognised, and whose first row has no begin
SEEDS = int(os.environ.get('SEXTANT_ROUND_TRIP_SEEDS', TABLES))  # more by hand
LABELS = ('scene', 'Level', 'map name', 'weather')
WORDS = ('menu', 'a, b', 'say "x"', 'zwei\nZeilen', 'ä', '7', '-9', 'x;y', ' é ')
# What is known of columns: the unit of the catalog opengl, in base units.
KNOWN = {'frame_time': 's', 'gpu_time': 's', 'IAVertices': None, 'PSInvocations': None, 'Frames': None}
# Factors that make base units of what stands behind a name.
UNITS = {'s': {'s': 1, 'ms': 1e-3, 'us': 1e-6, 'ns': 1e-9}, 'bytes': {'B': 1, 'KiB': 1024, 'MiB': 2 ** 20}, 'percent': {'%': 1, 'percent': 1}, 'W': {'W': 1, 'mW': 1e-3}}
OWN = {'my load': 'percent', 'vram used': 'bytes', 'board power': 'W', 'things': None, 'load time': 's'}
TIMES = ((None, None), ('begin_ns', 'end_ns'), ('timestamp_ns', 'duration_ns'), (None, 'time (ms)'))


def run(*args):
    return subprocess.run([SEXTANT, *args], capture_output=True, text=True, timeout=120, check=False)


def number(rng, whole):
    if whole:
        return rng.choice((rng.randrange(10), rng.randrange(10 ** 6), rng.getrandbits(63)))
    return round(rng.uniform(0.5, 99), rng.randrange(5))


class Table:
    """One table: text, and what each row is in base units."""

    def __init__(self, rng):
        self.rows = rng.randrange(2, 12)
        names = ['frame_time', *rng.sample(list(KNOWN)[1:], rng.randrange(1, 4)), *rng.sample(list(OWN), rng.randrange(0, 4))]
        self.units, self.heads, self.cells, self.want = {}, [], [], {}
        for name in names:
            base = KNOWN.get(name, OWN.get(name))
            unit = rng.choice(list(UNITS[base])) if base else None
            self.units[name] = base
            values = [number(rng, base is None) if rng.random() > 0.15 or name == 'frame_time' else None for _ in range(self.rows)]
            if all(v is None for v in values):
                values[0] = 1
            self.add(f'{name} ({unit})' if unit else name, ['' if v is None else repr(v) for v in values])
            self.want[name] = [None if v is None else v * UNITS[base][unit] if base else v for v in values]
        self.labels = rng.sample(LABELS, rng.randrange(0, 4))
        for name in self.labels:
            words = [rng.choice(('', *WORDS)) for _ in range(self.rows)]
            words[0] = 'menu'  # some word is no number
            self.add(name, words)
            self.want[name] = [w.strip() or None for w in words]
        self.times(rng)
        if rng.random() < 0.4:
            self.constant = rng.randrange(1, 9)
            self.add('target_frame_rate', [str(self.constant)] * self.rows)
        else:
            self.constant = None
        self.quality = rng.random() < 0.3 and [rng.choice(('', 'lost', 'multiplexed')) for _ in range(self.rows)]
        if self.quality:
            self.add('quality', self.quality)

    def add(self, head, cells):
        self.heads.append(head)
        self.cells.append(cells)

    def times(self, rng):
        """begin and end of each row in ns, or None."""
        first, second = rng.choice(TIMES)
        length = [rng.randrange(1, 9) * 10 ** 6 for _ in range(self.rows)]
        begin = [sum(length[:i]) for i in range(self.rows)]
        end = [b + n for b, n in zip(begin, length)]
        if first:
            self.add(first, list(map(str, begin)))
            self.add(second, list(map(str, end if second == 'end_ns' else length)))
        elif second:  # the end of a row, and the begin of the next
            self.add(second, [str(e // 10 ** 6) for e in end])
            begin[0] = None
        self.want['begin_ns'] = begin if second else [None] * self.rows
        self.want['end_ns'] = end if second else [None] * self.rows

    def text(self, rng):
        order = list(range(len(self.heads)))
        rng.shuffle(order)
        out = io.StringIO()
        writer = csv.writer(out, delimiter=rng.choice(',;\t'), lineterminator=rng.choice(('\n', '\r\n')))
        writer.writerow([self.heads[i] for i in order])
        writer.writerows([[self.cells[i][r] for i in order] for r in range(self.rows)])
        return ('\ufeff' if rng.random() < 0.3 else '') + out.getvalue()


def split_unit(head):
    found = re.fullmatch(r'(.*) \(([^()]*)\)', head)
    return found.groups() if found else (head, None)


def read_rows(text):
    """CSV of ours: name to unit, name to cells."""
    heads, *rows = csv.reader(io.StringIO(text, newline=''))
    names = [split_unit(h) for h in heads]
    return dict(names), {name: [row[i] or None for row in rows] for i, (name, _) in enumerate(names)}


class RoundTrip(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, text, name):
        path = os.path.join(self.folder.name, name)
        with open(path, 'w', encoding='utf-8', newline='') as out:
            out.write(text)
        return path

    def good(self, *args):
        result = run(*args)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def check_rows(self, table, text, also=()):
        units, have = read_rows(text)
        for name, values in table.want.items():
            if name.endswith('_ns') and values == [None] * table.rows:
                continue  # none, or those of frames that follow each other: test_frame_clock.py
            self.assertIn(name, have)
            self.assertEqual(len(have[name]), table.rows)
            for got, value in zip(have[name], values):
                if isinstance(value, float):
                    self.assertTrue(got is not None and math.isclose(float(got), value, rel_tol=1e-15), (name, got, value))
                else:
                    self.assertEqual(got, None if value is None else str(value), name)
            if name in table.units:
                self.assertIn(units[name], (table.units[name],) if table.units[name] else (None, 'count'), name)
        if table.quality:
            self.assertEqual([q or '' for q in have['quality']], table.quality)
        for name in also:
            self.assertEqual(have[name], [str(table.constant)] * table.rows, name)

    def check_report(self, table, document):
        rows = {m['name']: m for m in document['metrics']}
        for name, unit in table.units.items():
            values = [v for v in table.want[name] if v is not None]
            row = rows[name]
            self.assertEqual((row['count'], row['unit']), (len(values), unit or row['unit']), name)
            for have, want in ((row['min'], min(values)), (row['max'], max(values))):
                self.assertTrue(math.isclose(have, want, rel_tol=1e-12), (name, have, want))

    def test_tables(self):
        """Units, labels, constants, times, own columns, reservations: what comes out is what stands there, and again what is read back."""
        for seed in (*range(SEEDS), *(s for s in MET if s >= SEEDS)):
            rng = random.Random(seed)
            table = Table(rng)
            path = self.file(table.text(rng), 'table.csv')
            names = ','.join([*table.units])
            wanted = names + ',frames_per_second'
            constant = ('target_frame_rate',) if table.constant else ()
            with self.subTest(seed=seed, heads=table.heads):
                self.check_report(table, json.loads(self.good('report', path, '--for', 'opengl', '--json', '-m', names)))
                export = self.good('export', path, '--for', 'opengl', '--csv', '-m', names)
                self.check_rows(table, export, constant)
                self.check_rows(table, self.good('eval', path, '--for', 'opengl', '--csv', '-m', names), constant)
                # Without --for it may be read as of another catalog, which counts in other units.
                what, args = (wanted, ('--for', 'opengl')) if seed % 2 else (names, ())
                once = self.good('export', path, '--for', 'opengl', '--csv', '-m', what)
                again = self.file(once, 'again.csv')
                for verb in ('export', 'eval'):
                    twice = self.good(verb, again, *args, '--csv', '-m', what)
                    if args:
                        self.assertEqual(twice, once, verb)
                    self.check_rows(table, twice)
                self.check_report(table, json.loads(self.good('report', again, *args, '--json', '-m', names)))
                for form in ('json',) if seed // 2 % 2 else ('ndjson',):
                    once = self.good('export', path, '--for', 'opengl', '-f', form, '-m', wanted)
                    again = self.file(once, 'again.' + form)
                    self.assertEqual(self.good('export', again, '--for', 'opengl', '-f', form, '-m', wanted), once)
                    if form == 'ndjson':  # which has no units: of own columns nothing tells them
                        table.units = {name: unit for name, unit in table.units.items() if name in KNOWN or not unit}
                        names = ','.join(table.units)
                    self.check_report(table, json.loads(self.good('report', again, '--for', 'opengl', '--json', '-m', names)))

    def test_units_of_every_form(self):
        """Numbers are in the unit that stands with them, or in NDJSON in the base one, also where no catalog lists that."""
        for catalog, heads, args in (('drm', ('power', 'energy'), ()), ('monitor', ('gpu_power', 'gpu_memory_used', 'gpu_time'), ()), ('intel-bdw', ('GpuTime',), ('-s', 'RenderBasic'))):
            path = self.file(','.join(heads) + '\n' + ','.join(['40'] * len(heads)) + '\n', 'one.csv')
            what = ('--for', catalog, *args, '-m', ','.join(heads))
            want = self.good('export', path, *what, '--csv')
            self.assertNotIn(',,,', want.splitlines()[1].lstrip(','))
            for form in ('csv', 'json', 'ndjson'):
                again = self.file(self.good('export', path, *what, '-f', form), 'again.' + form)
                self.assertEqual(self.good('export', again, *what, '--csv'), want, (catalog, form))


if __name__ == '__main__':
    unittest.main()
