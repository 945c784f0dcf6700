#!/usr/bin/env python3
"""
Every reason why there is no data is one of src/base/no_data.def, in each view. usage: test_reasons.py SEXTANT [COMMAND…]:
with a command, of that program under "stat" alone
"""
import json
import os
import re
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from command import Command, FolderTest, csv_rows  # noqa: E402

run = Command(os.path.abspath(sys.argv[1]), code=None)
PROGRAM = sys.argv[2:]
with open(os.path.join(HERE, '../../src/base/no_data.def'), encoding='utf-8') as file:
    REASONS = re.findall(r'^NO_DATA\(\w+,\s*"([^"]+)",\s*"([^"]*)"\)', file.read(), re.M)
# An input and the count of samples may stand before a reason, a detail and what to do behind it.
ONE = r'(?:[^;:()]+: )*(?:%s)' % '|'.join(re.escape(text) + r'(?: \(.*?\))?' + (f'; {re.escape(remedy)}' if remedy else '')
                                           for text, remedy in REASONS)
SOME = r'in \d+(?: of \d+ samples)?: '
WHY = re.compile(rf'(?:{SOME})?{ONE}(?:; (?:{SOME})?{ONE})*')
CAPTURES = [os.path.join(HERE, '../data/captures', name) for name in ('v0.1-cpu.sxc', 'v0.1-mali.sxc')]
FILES = [os.path.join(HERE, '../../examples/data', name) for name in ('counters.csv', 'mangohud.csv', 'rocprofv3.csv')]


def reasons_of(value):
    """Every "why" of metrics in a document, and of the columns and cells of tables."""
    if isinstance(value, list):
        for item in value:
            yield from reasons_of(item)
    elif isinstance(value, dict):
        why = value.get('why')
        yield from why.values() if isinstance(why, dict) else [why] if isinstance(why, str) and ('mean' in value or 'quality' in value) else []
        for key, item in value.items():
            if key != 'why':
                yield from reasons_of(item)


class Reasons(FolderTest):
    def check_all(self, whys, what):
        whys = list(whys)
        for why in whys:
            self.assertTrue(WHY.fullmatch(why), (what, why))
        return len(whys)

    def check_document(self, *args):
        return self.check_all(reasons_of(json.loads(run(*args, '--json').stdout)), args)

    @unittest.skipIf(PROGRAM, 'of a program alone')
    def test_files(self):
        seen = sum(self.check_document('report', path, '-m', '*') for path in CAPTURES + FILES)
        self.assertGreater(seen, 100)
        for path in CAPTURES:
            self.assertGreater(self.check_all((row['why'] for row in csv_rows(run('report', path, '-m', '*', '--csv').stdout) if row['why']), path), 0)
            self.check_document('report', path, '-m', '*', '--by', 'time', '-I', '20ms')
            self.check_document('export', path, '-m', '*')
            self.check_document('diff', path, path, '-m', '*')

    @unittest.skipIf(PROGRAM, 'of a program alone')
    def test_devices(self):
        for device in ('cpu', 'pmu', 'mali-g310', 'cpu --per process', 'drm'):
            result = run('stat', '-d', *device.split(), '-t', '50ms', '-m', '*', '--json')
            if result.stdout:  # the device is here
                self.check_all(reasons_of(json.loads(result.stdout)), device)

    @unittest.skipIf(PROGRAM, 'of a program alone')
    def test_page(self):
        """What the page of a report says where a chart has none."""
        path = self.path('page.html')
        run('report', CAPTURES[0], '-o', path)
        with open(path, encoding='utf-8') as file:
            texts = re.search(r'"no_data":\s*(\[.*?\])', file.read(), re.S)
        self.assertEqual(self.check_all(reasons_of(json.loads(texts.group(1))), 'page'), 5)

    @unittest.skipUnless(PROGRAM, 'no program was given')
    def test_program(self):
        for more in ((), ('--overhead', '0'), ('--per', 'draw'), ('--per', 'group'), ('-m', 'frame_time')):
            path = self.path('program.json')
            run('stat', *more, '-m', '*', '-f', 'json', '-o', path, '--', *PROGRAM)
            with open(path, encoding='utf-8') as result:
                self.assertGreater(self.check_all(reasons_of(json.load(result)), more), 0)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
