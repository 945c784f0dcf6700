#!/usr/bin/env python3
"""Files that are odd but true, as tools write them on odd days: what was measured comes over, and what is missing is told. $SEXTANT is the binary."""
import json
import os
import subprocess
import tempfile
import unittest

SEXTANT = os.environ['SEXTANT']


def run(*args):
    return subprocess.run([SEXTANT, *args], capture_output=True, text=True, timeout=120, check=False)


def notes(result):
    """What it said, without line breaks."""
    return ' '.join(result.stderr.split())


class Odd(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, name, *lines):
        path = os.path.join(self.folder.name, name)
        with open(path, 'w', encoding='utf-8') as file:
            file.write('\n'.join(lines) + '\n')
        return path

    def report(self, path, *args, code=0):
        result = run('report', path, '--json', *args)
        self.assertEqual(result.returncode, code, result.stderr)
        return json.loads(result.stdout), result

    def means(self, path, code=0):
        return {m['name']: m['mean'] for m in self.report(path, code=code)[0]['metrics']}

    def columns(self, path, *args):
        """Raw columns and labels of the first device."""
        result = run('export', path, '--counters', '--json', *args)
        self.assertIn(result.returncode, (0, 1), result.stderr)
        document = json.loads(result.stdout)
        document = document['devices'][0] if 'devices' in document else document
        return {name: [row[i] for row in document['rows']] for i, name in enumerate(document['metrics'])}, result


class Mali(Odd):
    def catalog(self, *lines):
        out = os.path.join(self.folder.name, 'out.sxc')
        result = run('import', self.write('mali.csv', *lines), '-o', out)
        self.assertEqual(result.returncode, 0, result.stderr)
        return ' '.join((result.stdout + result.stderr).split())

    def test_streamline_names_its_gpu(self):
        for gpu, catalog in (('G72', 'mali-g72'), ('G76', 'mali-g76'), ('G31', 'mali-g31'), ('G710', 'mali-g710')):
            said = self.catalog(f'Time (s),ARM_Mali-{gpu}_GPU_ACTIVE,ARM_Mali-{gpu}_L2_EXT_READ_BEATS', '0.1,1000,10', '0.2,1000,10')
            self.assertIn(f'catalog {catalog} ', said + ' ')
            self.assertNotIn('does not say which GPU', said)

    def test_a_guess_is_told(self):
        for header in ('timestamp_ns,MaliGPUActiveCy,MaliFragQueueActiveCy', 'Time (s),ARM_Mali-Qqq_GPU_ACTIVE,ARM_Mali-Qqq_L2_EXT_READ_BEATS'):
            self.assertIn('does not say which GPU', self.catalog(header, '1,1000,10', '2,1000,10'))


if __name__ == '__main__':
    unittest.main()
