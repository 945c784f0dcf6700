#!/usr/bin/env python3
"""Files that are odd but true, as tools write them on odd days: what was measured comes over, and what is missing is told. $SEXTANT is the binary."""
import json
import os
import re
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'oracle'))
import units
from command import Command, FolderTest, csv_rows

SEXTANT = os.environ['SEXTANT']
run = Command(SEXTANT)
MS = 1000000


def notes(result):
    """What it said, without line breaks."""
    return ' '.join(result.stderr.split())


class Odd(FolderTest):
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
        """Raw columns, in the catalog's units, and labels of the first device."""
        result = run('export', path, '--counters', '--json', *args)
        self.assertIn(result.returncode, (0, 1), result.stderr)
        document = units.in_catalog_units(SEXTANT, json.loads(result.stdout))
        document = document['devices'][0]
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
            self.assertNotIn('does not name its GPU', said)

    def test_a_guess_is_told(self):
        for header in ('timestamp_ns,MaliGPUActiveCy,MaliFragQueueActiveCy', 'Time (s),ARM_Mali-Qqq_GPU_ACTIVE,ARM_Mali-Qqq_L2_EXT_READ_BEATS'):
            self.assertIn('does not name its GPU', self.catalog(header, '1,1000,10', '2,1000,10'))


class Lengths(Odd):
    def frames(self, change=None):
        """A log of MangoHud: frames of two lengths with a load each; `change` puts another text for an elapsed."""
        lines, now = ['os,cpu,gpu,ram,kernel,driver,cpuscheduler', 'Linux,CPU,GPU,1,6,1,x', 'fps,frametime,gpu_load,gpu_power,elapsed'], 0
        for i in range(60):
            ms, load = (20, 90) if i % 3 == 0 else (8, 30)
            now += ms * MS
            lines.append(f'{1000 / ms:g},{ms},{load},{load + 10},{(change or {}).get(i, now)}')
        return self.write('frames.csv', *lines)

    def test_a_frame_without_its_time(self):
        """By hand: 20 ms at 90 % and twice 8 ms at 30 %."""
        mean = (20 * 90 + 16 * 30) / 36
        for title, change in {'whole': {}, 'none': {30: ''}, 'below zero': {31: -5}, 'huge': {30: 10**18}, 'last': {59: ''}, 'two': {29: '', 30: 'x'},
                              'beyond': {30: '1e300'}}.items():
            with self.subTest(title):
                path = self.frames(change)
                have = self.means(path)
                self.assertAlmostEqual(have['gpu_busy'], mean, places=6)
                self.assertAlmostEqual(have['gpu_power'], mean + 10, places=6)
                if change:
                    self.assertRegex(notes(run('report', path)), 'no valid time|has no length')

    def test_a_sample_that_breaks_off(self):
        """intel_gpu_top -J, stopped within a sample: what stands there weighs as long as its period says."""
        samples = []
        for ms, busy in ((1000, 10), (1000, 10), (3000, 90)):
            samples.append({'period': {'duration': ms, 'unit': 'ms'}, 'frequency': {'requested': 500, 'actual': 10 * busy, 'unit': 'MHz'},
                            'rc6': {'value': 100 - busy, 'unit': '%'}, 'power': {'GPU': 5, 'Package': 9, 'unit': 'W'},
                            'engines': {'Render/3D': {'busy': busy, 'sema': 0, 'wait': 0, 'unit': '%'}, 'Blitter': {'busy': 0, 'sema': 0, 'wait': 0, 'unit': '%'}}})
        text = json.dumps(samples, indent=1)
        path = self.write('top.json', text[:text.rindex('"Blitter"')])
        have = self.means(path, code=1)
        self.assertAlmostEqual(have['gpu_busy'], (2 * 10 + 3 * 90) / 5, places=6)
        self.assertAlmostEqual(have['gpu_frequency'], (2 * 100 + 3 * 900) / 5 * 1e6, delta=1)


class Cells(Odd):
    def test_decimal_commas_between_commas(self):
        """What cannot be read is not said to be absent."""
        path = self.write('de.csv', 'os,cpu,gpu,ram,kernel,driver,cpuscheduler', 'Linux,CPU,GPU,1,6,1,x', 'fps,frametime,gpu_load,elapsed',
                          '111,111,9,5,99,9000000', '125,25,8,5,99,17000000')
        result = run('report', path)
        self.assertEqual(result.returncode, 5)
        self.assertIn('2 lines are left out, line 4 the first: a line has more cells than the header', notes(result))
        self.assertIn('numbers with commas in them need quotes', notes(result))
        self.assertNotIn('nothing after', notes(result))
        empty = self.write('empty.csv', 'fps,frametime,gpu_load,elapsed')
        self.assertIn('no value after it', notes(run('report', empty)))

    def test_points_that_group_digits(self):
        """A comma before a fraction says what points are, whichever comes first."""
        head, rows = 'FrameTime (ms);IAVertices', ['33,3;2.000', '16,6;1.000.000', '1.016,6;12.500']
        for lines, want in ((rows, [2000, 1000000, 12500]), (rows[::-1], [12500, 1000000, 2000]), (['33.3;2.5', '16.6;2.000'], [2.5, 2])):
            result = run('eval', self.write('g.csv', head, *lines), '--for', 'opengl', '-m', 'IAVertices', '--csv')
            self.assertEqual([float(line) for line in result.stdout.splitlines()[1:]], want)

    def test_rows_that_others_stand_for(self):
        """Totals of an export are those of the capture, where frames were spared."""
        head = 'begin_ns,end_ns,frame,context,process,quality,IAVertices,FrameTime (s)'
        rows = [f'{i * 10 * MS},{(i + 1) * 10 * MS},{i},0,game (7),{"skipped," if i % 2 else ",100"},0.01' for i in range(8)]
        path, capture = self.write('own.csv', head, *rows), os.path.join(self.folder.name, 'own.sxc')
        self.assertEqual(run('import', path, '-o', capture).returncode, 0)
        for source in (capture, path):
            row = csv_rows(run('report', source, '-m', 'IAVertices', '--csv').stdout)[0]
            self.assertEqual((float(row['total']), float(row['running'])), (800, 0.5))
        again = csv_rows(run('export', capture, '--counters', '--csv').stdout)
        self.assertEqual([row['quality'] for row in again], ['', 'skipped'] * 4)
        again = csv_rows(run('eval', path, '--for', 'opengl', '-m', 'IAVertices', '--csv').stdout)
        self.assertEqual([row['quality'] for row in again], ['', 'skipped'] * 4)

    def test_commas_within_quotes(self):
        path = self.write('q.csv', 'FrameTime (us),scene,IAVertices,IAPrimitives', '16600,menu,1000,500', '17000,"ga,me",2000,500')
        result = run('eval', path, '--for', 'opengl', '-m', 'IAVertices', '--csv')
        self.assertEqual(result.stdout.split()[1:], ['menu,1000', '"ga,me",2000'])


class PerfStat(Odd):
    def test_units_of_events_that_no_catalog_has(self):
        path = self.write('p.txt', '', ' Performance counter stats for \'x\':', '', '            156.40 msec cpu-clock       #    0.257 CPUs utilized',
                          '              2.50 Joules power/energy-pkg/', '             19256      page-faults', '', '       0.608483883 seconds time elapsed')
        units = {m['name']: (m['unit'], m['mean']) for m in self.report(path)[0]['metrics']}
        self.assertEqual((units['cpu-clock'], units['power/energy-pkg/']), (('s', 0.1564), ('J', 2.5)))

    def test_threads_of_any_name(self):
        """--per-thread: what was counted comes over, and what was not is no ratio."""
        head = ['', ' Performance counter stats for process id \'28906\':', '']
        tail = ['', '       0.205213374 seconds time elapsed']
        none = self.write('none.txt', *head, '            bash-28906         <not counted>      page-faults', *tail)
        self.assertNotIn('--metric-only', run('report', none).stderr)
        some = self.write('some.txt', *head, '            bash-28906         1,200      page-faults', '            my-tool-7             30      page-faults', *tail)
        self.assertEqual(self.columns(some)[0]['PageFaults'], [1230])

    def untimed(self, name, faults):
        return self.write(name, '# started on Sun Nov 22 06:47:11 2026', '', f'{faults / 100:.2f},msec,cpu-clock,150630831,100.00,0.304,CPUs utilized',
                          f'{faults},,page-faults,150630831,100.00,127.983,K/sec', f'{faults // 100},,context-switches,150630831,100.00,664.331,/sec')

    def test_counts_without_time(self):
        """perf stat -x without -I: no rate can be worked out, but what was counted is there to see."""
        document, result = self.report(self.untimed('a.csv', 19265))
        means = {m['name']: m['mean'] for m in document['metrics']}
        self.assertEqual((means['PageFaults'], means['ContextSwitches']), (19265, 192))
        self.assertIn('the file has no time', notes(result))
        self.assertIn('--counters', notes(result))

    def test_diff_of_counts_without_time(self):
        """The counts stand side by side, and it is said why there is no verdict."""
        result = run('diff', '-v', self.untimed('a.csv', 20000), self.untimed('b.csv', 30000))
        line = next(re.split('  +', line) for line in result.stdout.splitlines() if line.startswith('PageFaults'))
        self.assertEqual(line[1:4], ['20.0 k', '30.0 k', '+50.0 %'])
        self.assertIn('too few samples to know the noise', result.stdout)
        self.assertNotIn('nothing that can be compared', result.stdout)


class RenderDoc(Odd):
    def test_amds_counters_by_event(self):
        have, result = self.columns(self.write('amd.csv', 'EID,GPU Duration,GPUTime,GPUBusy,VSBusy,PSBusy', '1,0.5 ms,0.5,90.5 %,10 %,-'))
        self.assertEqual((have['GPUBusy'], have['VSBusy']), ([90.5], [10]))
        self.assertIn('counters of RenderDoc', notes(result))


class Hud(Odd):
    def test_graphs_of_several_periods(self):
        """Mesa's HUD writes no times: rows of graphs that have other lengths are not of one time, and it says so."""
        for lines, told in ((20, False), (19, False), (10, True)):
            folder = os.path.join(self.folder.name, str(lines))
            os.mkdir(folder)
            for name, count in (('fps', 20), ('GPU-load', lines), ('cpu', 20)):
                with open(os.path.join(folder, name), 'w', encoding='utf-8') as file:
                    file.write(''.join(f'{50 + i}\n' for i in range(count)))
            columns, result = self.columns(folder)
            self.assertEqual(len(columns['GpuBusy']), 20)
            self.assertEqual('GPU-load has 10 lines and cpu 20: their periods differ' in notes(result), told, notes(result))


class Large(Odd):
    def peak(self, rows):
        """The largest resident set of an import, in bytes."""
        path = self.write(f'{rows}.csv', 'fps,frametime,cpu_load,cpu_power,gpu_load,gpu_power,gpu_core_clock,gpu_mem_clock,ram_used,elapsed')
        with open(path, 'a', encoding='ascii') as file:  # our own memory is part of a child's until it runs another program
            for i in range(1, rows + 1):
                file.write(f'60.25,{16.5 + i % 7 / 8},{i % 90},65.5,9{i % 10},180.5,2100,1000,12.5,{i * 16600000}\n')
        # A sanitizer's quarantine of freed memory would drown the measure.
        env = dict(os.environ, ASAN_OPTIONS='quarantine_size_mb=1:detect_leaks=0')
        child = subprocess.Popen([SEXTANT, 'import', path, '-q', '-o', path + '.sxc'], env=env)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(child.returncode, 0)
        return usage.ru_maxrss * 1024

    def test_memory_of_a_row(self):
        """What is read is there once, and what it becomes: 70 bytes of text and 10 values of 9 bytes, twice for one column."""
        few, many = self.peak(120000), self.peak(250000)
        # AddressSanitizer copies what grows, and has shadows: 331 with it, 190 without.
        self.assertLess((many - few) / 130000, 430 if 'ASAN_OPTIONS' in os.environ else 280)


class Unknown(Odd):
    def test_what_is_no_capture(self):
        result = run('report', self.write('notes.txt', 'a shopping list'))
        self.assertEqual(result.returncode, 5)
        self.assertIn('sextant import --help', notes(result))

    def test_more_gpus_than_fit(self):
        """Both of AMD's tables say that there are too many, which is no lack of memory."""
        for name, head in (('v1.csv', 'Index,KernelName,gpu-id,SQ_WAVES,BeginNs,EndNs'),
                           ('v3.csv', 'Dispatch_Id,Kernel_Name,Agent_Id,Counter_Value,Counter_Name')):
            rows = [f'{i},k,{i},5,' + ('SQ_WAVES' if name == 'v3.csv' else f'{i}00,{i}50') for i in range(1, 66)]
            result = run('export', self.write(name, head, *rows), '--counters')
            self.assertEqual(result.returncode, 5, result.stderr)
            self.assertIn('more than 64 GPUs', notes(result))


if __name__ == '__main__':
    unittest.main()
