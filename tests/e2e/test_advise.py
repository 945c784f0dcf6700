#!/usr/bin/env python3
"""sextant advise as a user meets it. $SEXTANT is the binary."""
import json
import os
import subprocess
import tempfile
import unittest

from command import Command, csv_rows

SEXTANT = os.environ['SEXTANT']
run = Command(SEXTANT, 'advise', env={'COLUMNS': '80'})


def scratch(text):
    with tempfile.NamedTemporaryFile('w', suffix='.csv', delete=False) as file:
        file.write(text)
    return file.name


FRAMES = scratch('duration_ns,Frames,D3DGPUTime,CPUTime,PSInvocations,IAPrimitives,FrameTime\n' +
               '20000000,1,19500000,4000000,9000000,100,20000000\n' * 5 + '10000000,1,9500000,2000000,1000,100,10000000\n')
OA = scratch('duration_ns,GPU_TIME,GPU_CLOCK,A0,A7,A8\n10000000,125000,9000000,8900000,190000000,1000\n')


class Advise(unittest.TestCase):
    def json(self, *args, code=0):
        result = run(*args, '--json')
        self.assertEqual(result.returncode, code, result.stderr)
        return json.loads(result.stdout)

    def test_text(self):
        result = run(FRAMES, '--for', 'opengl')
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = result.stdout.split('\n')
        self.assertEqual(lines[:2], ['verdict', '  Bound by the GPU  100 % of the time, confidence low'])
        self.assertLess(lines.index('OpenGL, any driver, 6 samples'), lines.index('advice'))
        self.assertIn('    frame_time: 20.0 ms, above 17.0 ms', lines)
        self.assertIn('    in 5 of 6 samples, longest run 0..4', lines)
        self.assertIn('    see 1.1 ', result.stdout)
        self.assertLessEqual(max(map(len, lines)), 80)
        self.assertNotIn('not judged\n', result.stdout)

    def test_verbose(self):
        out = run('-i', FRAMES, '--for', 'opengl', '-v').stdout
        self.assertIn('\ndoes not apply\n  frame.no-swap', out)
        rest = out[out.index('\nnot judged\n'):]
        self.assertIn('fragment.wasted', rest)
        self.assertIn('the run did not collect it (', rest)
        self.assertLessEqual(max(map(len, out.split('\n'))), 80)
        mali = run(scratch('MaliGPUCyclesGPUActive\n5\n'), '--for', 'mali-g625', '-v').stdout
        self.assertIn('\nnot for counters to judge\n', mali)

    def test_rows_without_an_axis_of_time_are_judged_by_their_lengths(self):
        verdict = self.json(FRAMES, '--for', 'opengl')['verdict']
        # Such rows follow each other: the window is as long as all of them.
        self.assertEqual((verdict['verdict'], verdict['window_ns']), ('gpu', 110 * 10**6))
        evidence = {e['name']: e['value'] for e in verdict['parts'][0]['evidence']}
        self.assertAlmostEqual(evidence['gpu'], 107e6 * 100 / 110e6)
        mali = 'duration_ns,MaliGPUCyclesGPUActive\n' + '10000000,7900000\n' * 9
        verdict = self.json(scratch(mali), '--for', 'mali-g625', '--const', 'gpu_max_clock_hz=8e8', code=1)['verdict']
        self.assertEqual(verdict['verdict'], 'gpu')
        self.assertAlmostEqual(verdict['parts'][0]['evidence'][0]['value'], 98.75)

    def test_json(self):
        document = self.json(FRAMES, '--for', 'opengl')
        self.assertEqual(document['schema'], 'sextant.advise/1')
        device, = document['devices']  # of one device the shape is that of several
        self.assertEqual((device['id'], device['simulated'], device['for'], device['set'], device['rows']), (0, False, 'opengl', None, 6))
        self.assertEqual({f['device'] for f in document['findings']}, {0})
        self.assertEqual((document['verdict']['verdict'], document['verdict']['process']), ('gpu', None))
        self.assertEqual(document['verdict']['parts'][0]['evidence'][0]['name'], 'gpu')
        late = next(f for f in document['findings'] if f['rule'] == 'frame.long')
        self.assertEqual(late['samples'], [0, 4])
        self.assertAlmostEqual(late['value'], 0.02)  # seconds: base units
        self.assertAlmostEqual(late['share'], 5 / 6)
        self.assertEqual((late['metric'], late['unit'], late['rows']), ('frame_time', 's', 6))
        self.assertEqual(sum(device['rules'].values()), 2 * device['rules']['all'])
        self.assertEqual(len(document['findings']), device['rules']['fired'])
        self.assertNotIn('quiet', device)
        verbose, = self.json(FRAMES, '--for', 'opengl', '-v')['devices']
        self.assertEqual(len(verbose['unjudged']), device['rules']['unjudged'])
        self.assertEqual(len(verbose['quiet']), device['rules']['quiet'])

    def test_csv(self):
        rows = csv_rows(run(FRAMES, '--for', 'opengl', '--csv').stdout)
        document = self.json(FRAMES, '--for', 'opengl')
        self.assertEqual([r['rule'] for r in rows], [f['rule'] for f in document['findings']])
        self.assertEqual([[int(r['first']), int(r['last'])] for r in rows],
                         [f['samples'] for f in document['findings']])

    def test_sets(self):
        args = [OA, '--for', 'intel-bdw', '--const', 'EuCoresTotalCount=24']
        bound = self.json(*args, '--set', 'RenderBasic')
        self.assertEqual(bound['devices'][0]['set'], 'RenderBasic')
        self.assertIn('eu.bound', [f['rule'] for f in bound['findings']])
        result = run(*args)
        self.assertIn('read as set ', result.stderr)
        quiet = run(*args, '-q')
        self.assertEqual(quiet.stderr, '')
        self.assertEqual(run(*args, '--set', 'Nonesuch').returncode, 3)

    def test_nothing_judged(self):
        for name, text in (('amd-hd2000', 'a\n1\n'), ('opengl', 'a\n1\n'), ('opengl', 'D3DGPUTime\n')):
            result = run(scratch(text), '--for', name)
            self.assertEqual(result.returncode, 1)
            lines = result.stderr.strip().split('\n')[-3:]
            self.assertEqual([line.split(':')[0] for line in lines], ['error', 'because', 'try'])
            self.assertIn('no rule', lines[0])

    def test_no_findings_is_success(self):
        calm = scratch('duration_ns,D3DGPUTime,CPUTime,FrameTime\n16000000,12000000,8000000,16000000\n')
        document = self.json(calm, '--for', 'opengl')
        self.assertEqual(document['findings'], [])

    def test_frame_rate(self):
        rules = lambda *args: [f['rule'] for f in self.json(FRAMES, '--for', 'opengl', *args)['findings']]
        self.assertIn('frame.long', rules())
        self.assertNotIn('frame.long', rules('--fps', '50'))
        self.assertIn('frame.long', rules('--fps', '51.1'))
        late = [f for f in self.json(FRAMES, '--for', 'opengl', '--fps', '120')['findings'] if f['rule'] == 'frame.long']
        self.assertAlmostEqual(late[0]['limit'], 0.0085)
        self.assertEqual(late[0]['samples'], [0, 5])
        self.assertEqual(run(FRAMES, '--for', 'cpu', '--fps', '60').returncode, 2)

    def test_usage(self):
        self.assertEqual(run('--for', 'opengl').returncode, 2)
        told = run(FRAMES)  # the catalog that has its names, and that it is a guess
        self.assertEqual((told.returncode, 'catalog opengl' in told.stderr), (0, True), told.stderr)
        self.assertEqual(run('/nonexistent.csv', '--for', 'opengl').returncode, 5)
        self.assertEqual(run(FRAMES, '--for', 'opengl', '-f', 'html').returncode, 2)


class Units(unittest.TestCase):
    def test_of_what_is_compared(self):
        """The largest of shares is a share."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'm.sxc')
            subprocess.run([SEXTANT, 'record', '-q', '-d', 'mali-g310', '-t', '200ms', '-o', path], check=True, timeout=60)
            text = ' '.join(run(path).stdout.split())
        self.assertRegex(text, r'load_store_unit_utilization\): [\d.]+ %, above [\d.]+ %')


if __name__ == '__main__':
    unittest.main(verbosity=2)
