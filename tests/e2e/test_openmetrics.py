#!/usr/bin/env python3
"""
OpenMetrics text against a strict parser of its own and the report's JSON, and scraped by Prometheus where that is
installed (Debian's package). $SEXTANT is the binary.
"""
import http.server
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
import unittest
import urllib.parse
import urllib.request

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from import_files import field, packet
from command import Command, FolderTest

SEXTANT = os.environ['SEXTANT']
run = Command(SEXTANT, text=False)
NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*'
SAMPLE = re.compile(rf'({NAME})\{{((?:{NAME}="(?:[^"\\\n]|\\["\\n])*",?)*)\}} (\S+)')
LABEL = re.compile(rf'({NAME})="((?:[^"\\]|\\.)*)"')
SUFFIXES = {'gauge': [''], 'counter': ['_total', '_created'], 'info': ['_info']}
HOSTILE = 'x</script>"quoted" \\back\\ 😀\nnext line'
WORDS = {'s': 'seconds', 'percent': 'ratio', 'W': 'watts', 'degC': 'celsius', 'Hz': 'hertz', 'count': '', 'bytes/s': 'bytes_per_second',
         'boolean': ''}


def free_port():
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return probe.getsockname()[1]


def parse(text):
    """Samples by (name, labels); whatever the format forbids raises."""
    lines = text.split('\n')
    assert lines[-2:] == ['# EOF', ''], lines[-2:]
    types, samples, family, done = {}, {}, None, set()
    for line in lines[:-2]:
        meta = re.fullmatch(rf'# (TYPE|UNIT|HELP) ({NAME}) (.*)', line)
        if meta:
            word, name, value = meta.groups()
            if word == 'TYPE':
                assert name not in done, f'{name} stands in two places'
                done.add(name)
                types[name], family = value, name
            assert name == family, line
            assert word != 'UNIT' or name.endswith('_' + value), line
            assert word != 'HELP' or re.fullmatch(r'(?:[^\\"]|\\[\\n"])*', value), line
            continue
        match = SAMPLE.fullmatch(line)
        assert match, line
        name, labels, value = match.groups()
        assert any(name == family + suffix for suffix in SUFFIXES[types[family]]), line
        plain = {k: re.sub(r'\\(.)', lambda m: '\n' if m[1] == 'n' else m[1], v) for k, v in LABEL.findall(labels)}
        key = (name, tuple(sorted(plain.items())))
        assert key not in samples, line
        samples[key] = float(value)
        assert types[family] != 'counter' or float(value) >= 0, line
    return types, samples


def unit_word(unit):
    """The format's word of a base unit: singular of what stands below a bar."""
    if unit in WORDS:
        return WORDS[unit]
    if '/' in unit:
        over, under = unit.rsplit('/', 1)
        return f'{unit_word(over) or "count"}_per_{dict(s="second").get(under, under)}'.lower()
    return unit.lower()


class OpenMetrics(FolderTest):
    def capture(self, name, *args):
        path = self.path(name)
        result = run('record', '-o', path, *args)
        self.assertEqual(result.returncode, 0, result.stderr)
        return path

    def hostile(self, values=(1, 2, 3)):
        """A capture whose device and counters are called as nobody should."""
        specs = b''.join(field(1, field(1, i) + field(2, HOSTILE + str(i)) + field(7, 7)) for i in (1, 2))
        out = [packet(field(10, 1), field(128, field(1, field(1, HOSTILE))))]
        for i, value in enumerate([0, *values]):
            event = field(2, field(1, 1) + field(2, value)) + (field(1, specs) if i == 0 else b'')
            out.append(packet(field(8, 1000 * (i + 1)), field(10, 1), field(52, event)))
        source, path = self.path('hostile.pftrace'), self.path('hostile.sxc')
        with open(source, 'wb') as file:
            file.write(b''.join(out))
        result = run('import', source, '-o', path)
        self.assertEqual(result.returncode, 0, result.stderr)
        return path

    def export(self, path, *args, code=0):
        result = run('export', path, '-f', 'openmetrics', *args)
        self.assertEqual(result.returncode, code, result.stderr)
        return parse(result.stdout.decode())

    def test_a_device_keeps_its_id(self):
        path = self.capture('two.sxc', '-d', 'mali-g310', '-d', 'cpu', '-t', '300ms', '-I', '20ms')

        def ids(*args):
            text = run('export', path, '-f', 'openmetrics', *args).stdout.decode()
            return set(re.findall(r'sextant_device_info\{hw_id="([^"]*)"', text))
        self.assertEqual(ids(), ids('-d', 'cpu') | ids('-d', 'mali-g310'))
        self.assertEqual(ids('-d', 'cpu'), {'cpu-0'})

    def test_values_equal_the_report(self):
        path = self.capture('mali.sxc', '-d', 'mali-g625', '-t', '300ms', '-I', '10ms')
        types, samples = self.export(path)
        report = json.loads(run('report', path, '-m', '*', '--json').stdout)
        by_metric = {}
        for (name, labels), value in samples.items():
            labels = dict(labels)
            self.assertEqual(labels['simulated'], 'true')  # a model says so in every series
            if not name.endswith('_created'):
                by_metric.setdefault(labels.get('metric'), {})[name] = value
        found = 0
        for row in report['metrics']:
            unit, ratio = unit_word(row['unit']), row['unit'] == 'percent'
            plain = re.sub('_+', '_', row['name'])
            exact = by_metric.get(row['name'], {})
            names = exact or {n: v for n, v in by_metric[None].items() if
                              n in (f'sextant_{plain}_{unit}'.rstrip('_'), f'sextant_{plain}', f'sextant_{plain}_{unit}_total',
                                    f'sextant_{plain}_total')}
            if not row['count']:
                self.assertFalse(names, row['name'])  # no data: no series
                continue
            self.assertEqual(len(names), 1, (row['name'], unit, names))
            (name, value), = names.items()
            want = row['mean'] if row['total'] is None else row['total']
            self.assertEqual(name.endswith('_total'), row['total'] is not None, name)
            self.assertAlmostEqual(value, want * (0.01 if ratio else 1), delta=abs(want) * 1e-12, msg=name)
            self.assertTrue(not unit or unit in name, (name, unit))
            found += 1
        self.assertGreater(found, 150)
        self.assertEqual(types['sextant_device'], 'info')
        self.assertEqual(samples[next(k for k in samples if k[0] == 'sextant_samples_total')], report['devices'][0]['samples'])

    def test_hostile_names(self):
        _, samples = self.export(self.hostile())
        info = next(dict(labels) for name, labels in samples if name == 'sextant_device_info')
        self.assertIn(HOSTILE[:20], info['hw_name'])
        name, = [n for n in json.loads(run('export', self.path('hostile.sxc'), '--counters', '--json').stdout)['devices'][0]['metrics'] if n.endswith('1')]
        self.assertIn('</script>"quoted" \\back\\ 😀', name)
        data = [(dict(labels), value) for (name, labels), value in samples.items() if 'next_line' in name and name.endswith('_total')]
        self.assertEqual([(labels['metric'], value) for labels, value in data], [(name, 6)])  # and nothing of the second

    def test_common_names(self):
        """What OpenTelemetry names is there under its names, as a ratio and in base units."""
        source = self.path('m.csv')
        with open(source, 'w', encoding='utf-8') as file:
            file.write('os,cpu,gpu,ram,kernel,driver,cpuscheduler\nLinux,A,GPU,1,6,m,s\n'
                       'fps,frametime,cpu_load,cpu_power,gpu_load,cpu_temp,gpu_temp,gpu_core_clock,gpu_mem_clock,gpu_vram_used,gpu_power,'
                       'ram_used,swap_used,process_rss,elapsed\n')
            for i in range(20):
                file.write(f'60,16.6,10,5,{40 + i % 2},50,{60 + i % 2},800,900,2,{30 + i % 2},4,0,1,{16600000 * (i + 1)}\n')
        _, samples = self.export(source)
        have = {name: value for (name, _), value in samples.items()}
        self.assertAlmostEqual(have['hw_gpu_utilization_ratio'], 0.405, places=3)
        self.assertAlmostEqual(have['hw_temperature_celsius'], 60.5, delta=0.1)
        self.assertAlmostEqual(have['hw_power_watts'], 30.5, delta=0.1)
        self.assertGreater(have['hw_gpu_memory_usage_bytes'], 1e9)

    def test_small_captures(self):
        """One sample, and none: still a whole document."""
        _, samples = self.export(self.hostile(values=(5,)))
        self.assertIn(5, [v for (name, _), v in samples.items() if name.endswith('bytes_total')])
        empty = self.capture('empty.sxc', '-d', 'mali-g310', '-n', '1')
        self.assertTrue(self.export(empty)[1])
        none = self.path('none.sxc')
        run('capture', 'cut', empty, '--from', '10s', '--to', '11s', '-o', none)
        if os.path.exists(none):
            types, _ = self.export(none)
            self.assertEqual(set(types), {'sextant_device', 'sextant_samples', 'sextant_samples_lost'})

    def test_suffix_and_full_disk(self):
        path, out = self.hostile(), self.path('out.prom')
        self.assertEqual(run('export', path, '-o', out).returncode, 0)
        with open(out, encoding='utf-8') as file:
            parse(file.read())
        full = run('export', path, '-f', 'openmetrics', '-o', '/dev/full')
        self.assertEqual(full.returncode, 4, full.stderr)
        self.assertEqual([line.split(':')[0] for line in full.stderr.decode().splitlines()], ['error', 'because', 'try'])

    @unittest.skipUnless(shutil.which('prometheus'), 'prometheus is not installed')
    def test_prometheus_scrapes_it(self):
        paths = [self.capture('mali.sxc', '-d', 'mali-g310', '-t', '200ms', '-I', '10ms'), self.hostile()]
        text = [run('export', path, '-f', 'openmetrics').stdout for path in paths]

        class Server(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header('Content-Type', 'application/openmetrics-text; version=1.0.0; charset=utf-8')
                self.end_headers()
                self.wfile.write(text[int(self.path[-1])])

            def log_message(self, *_):
                pass
        server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(lambda: (server.shutdown(), server.server_close()))
        jobs = ''.join(f'- {{job_name: "job{i}", metrics_path: "/{i}", static_configs: [{{targets: ["127.0.0.1:{server.server_port}"]}}]}}\n'
                       for i in range(2))
        config = self.path('prometheus.yml')
        with open(config, 'w', encoding='utf-8') as file:
            file.write('global: {scrape_interval: 2s, scrape_timeout: 2s}\nscrape_configs:\n' + jobs)
        due = [parse(part.decode())[1] for part in text]
        deadline, have, port, prometheus = time.monotonic() + 90, None, 0, None

        def query(what):
            url = f'http://127.0.0.1:{port}/api/v1/query?' + urllib.parse.urlencode({'query': what})
            with urllib.request.urlopen(url, timeout=10) as reply:
                return json.load(reply)['data']['result']
        def scraped(job):
            return {(r['metric'].pop('__name__'), tuple(sorted((k, v) for k, v in r['metric'].items() if k not in ('job', 'instance')))):
                    float(r['value'][1]) for r in query(f'{{job="{job}",__name__=~"(sextant|hw)_.*"}}')}
        # A scrape that takes too long on a busy machine takes away what the one before brought.
        while have != due and time.monotonic() < deadline:
            if not prometheus or prometheus.poll() is not None:  # the port may be somebody else's by now
                port = free_port()
                prometheus = subprocess.Popen(
                    ['prometheus', f'--config.file={config}', f'--storage.tsdb.path={self.path("tsdb")}',
                     f'--web.listen-address=127.0.0.1:{port}'], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
                self.addCleanup(lambda own: (own.kill(), own.wait()), prometheus)
            time.sleep(0.2)
            try:
                have = [scraped(f'job{i}') for i in range(2)]
            except OSError:
                continue
        self.assertEqual(have, due)


if __name__ == '__main__':
    unittest.main()
