#!/usr/bin/env python3
"""
Pages of reports: every number in them against the CSV export, read by a parser that is not ours; names that a page must
escape; captures with nothing in them; sizes; errors. Arguments: sextant, make-page, folder of uPlot.
"""
import hashlib
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import page_reader
from command import Command, csv_rows  # noqa: E402

sextant, make_page, uplot = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), pathlib.Path(sys.argv[3])
# The same stand in make_page.c.
DEVICE = '</script><img src=x onerror=alert(1)>"\'&😀?second'  # captures have one line there
GROUPS = ['Shadow/</script><b>', 'Main "pass"\n🎮', "Post <!-- & 'x'"]
LONG_METRICS = 'gpu_active_cycles,compute_queue_utilization,mcu_active_cycles,output_external_read_bytes'


def run(folder, *args, code=0):
    return Command(sextant)(*args, code=code, cwd=folder, env={'XDG_CONFIG_HOME': str(folder)})


def page_of(folder, capture, *options, code=0):
    run(folder, 'report', capture, '-f', 'html', '-o', 'page.html', *options, code=code)
    text = (folder / 'page.html').read_text(encoding='utf-8')
    return page_reader.Page(text)


def exported(folder, capture, *options):
    """Rows by the bare names of their columns: those in base units have the unit behind the name."""
    rows = csv_rows(run(folder, 'export', capture, '--csv', *options).stdout)
    return [{name.partition(' (')[0]: value for name, value in row.items()} for row in rows]


def number(text):
    return None if text in ('', None) else float(text)


def same(a, b, tolerance=0.0):
    if a is None or b is None or math.isnan(a) or math.isnan(b):
        return (a is None or math.isnan(a)) and (b is None or math.isnan(b))
    return math.isclose(a, b, rel_tol=tolerance, abs_tol=0)


def check_stands_alone(page):
    """Nothing is fetched: no address but that of the empty icon, and a policy that forbids the rest."""
    assert [load for load in page.parts.loads if load != 'data:,' and not load.startswith('#')] == [], page.parts.loads
    assert "default-src 'none'" in page.text
    assert page.parts.tags.count('script') == len(page.parts.scripts)


def check_samples(page, rows):
    """One stretch a sample: each value is the export's, digit by digit."""
    layout, arrays, values = page.course(0)
    assert layout['each'] == 1 and layout['count'] == len(rows)
    origin = int(page.report['origin_ns'])
    for i, row in enumerate(rows):
        assert arrays['begin_ns'][i] + origin == int(row['begin_ns']) and arrays['end_ns'][i] + origin == int(row['end_ns'])
    for index, own in values.items():
        name, factor = (page.report['of_devices'][0]['rows'][index][key] for key in ('name', 'factor'))
        for i, row in enumerate(rows):
            value = own['value'][i] * factor
            assert same(value, number(row[name]), 0 if factor == 1 else 1e-15), (name, i, value, row[name])
    without = [row for i, row in enumerate(page.report['of_devices'][0]['rows']) if i not in values]
    for row in without:
        assert row['why'] and all(r[row['name']] == '' for r in rows), row['name']
    return len(values)


def check_stretches(page, rows):
    layout, arrays, values = page.course(0)
    each = layout['each']
    assert each > 1 and layout['count'] == math.ceil(len(rows) / each), layout
    for index, own in values.items():
        name, factor = (page.report['of_devices'][0]['rows'][index][key] for key in ('name', 'factor'))
        exact = 0 if factor == 1 else 1e-15
        for i in range(layout['count']):
            part = [number(row[name]) for row in rows[i * each:(i + 1) * each]]
            part = [v for v in part if v is not None]
            assert arrays['samples'][i] == len(rows[i * each:(i + 1) * each])
            assert same(own['min'][i] * factor, min(part), exact) and same(own['max'][i] * factor, max(part), exact), (name, i)
            assert same(own['mean'][i] * factor, sum(part) / len(part), 1e-6), (name, i)


def check_statistics(page, folder, capture):
    """What the page says of whole rows is what `report --json` says."""
    want = json.loads(run(folder, 'report', capture, '--json').stdout)
    for row, other in zip(page.report['of_devices'][0]['rows'], want['metrics']):
        for key in ('name', 'unit', 'total', 'mean', 'min', 'p50', 'p95', 'p99', 'max', 'why'):
            assert row[key] == other[key], (row['name'], key)
    fired = [f for f in page.report['of_devices'][0]['findings'] if f['fired']]
    assert [f['rule'] for f in fired] == [f['rule'] for f in want['findings']] and page.report['devices'] == want['devices']


def check_histogram(page, rows):
    histogram = page.report['of_devices'][0]['histogram']
    width, counts = histogram['width_ns'], histogram['counts']
    want = [0] * len(counts)
    for row in rows:
        length = int(row['end_ns']) - int(row['begin_ns'])
        want[min(max(math.ceil(length / width) - 1, 0), len(counts) - 1)] += 1
    assert counts == want, (counts, want)


def check_formula(page):
    """The formula with its numbers put in gives the metric of the whole run."""
    rows = {row['name']: row for row in page.report['of_devices'][0]['rows']}
    share = rows['gpu_time_share']
    text = share['formula']['infix']
    for operand in share['formula']['operands']:
        text = text.replace(operand['name'], repr(float(operand['value'])))
    assert re.fullmatch(r'[\d.e+*/() -]+', text), text
    value = eval(text)  # pylint: disable=eval-used
    assert math.isclose(value, share['mean'], rel_tol=1e-9), (text, value, share['mean'])


def test_frames(folder):
    subprocess.run([make_page, 'frames', 'frames.sxc'], cwd=folder, check=True)
    page = page_of(folder, 'frames.sxc', '--gate', 'frame_time.p99 < 20ms', '--gate', 'frame_time.total < 1000s', code=6)
    rows = exported(folder, 'frames.sxc')
    device = page.report['of_devices'][0]
    assert len(rows) == 600 and device['title'] == DEVICE
    check_stands_alone(page)
    count = check_samples(page, rows)
    assert count > 5, count
    check_statistics(page, folder, 'frames.sxc')
    check_histogram(page, rows)
    check_formula(page)
    layout, arrays, _ = page.course(0)
    assert [layout['strings'][g] for g in arrays['group'][:150:50]] == GROUPS
    assert device['gaps'] == [{'begin_ns': arrays['end_ns'][99], 'end_ns': arrays['begin_ns'][100], 'lost': 7, 'text': 'the <device> slept'}], device['gaps']
    assert [(g['passed'], line['of_samples'], line['above']) for g, line in zip(page.report['gates'], page.report['gate_lines'])] == \
        [(False, True, True), (True, False, True)]
    assert '<img' not in page.text and '<b>\n' not in page.text and 'simulated' not in page.report


def test_long(folder):
    subprocess.run([make_page, 'long', 'long.sxc', '24000'], cwd=folder, check=True)
    page = page_of(folder, 'long.sxc', '-m', LONG_METRICS)
    check_stretches(page, exported(folder, 'long.sxc', '-m', LONG_METRICS))
    assert page.report['simulated'] is True and '(simulated)' in page.text[:6000]
    whole = page_of(folder, 'long.sxc')
    size = (folder / 'page.html').stat().st_size
    rows = len(whole.report['of_devices'][0]['course']['rows'])
    assert size < 6 << 20 and rows > 80, (size, rows)


def test_baseline(folder):
    subprocess.run([make_page, 'frames', 'before.sxc', '500'], cwd=folder, check=True)
    page = page_of(folder, 'frames.sxc', '--baseline', 'before.sxc')
    of = page.report['baseline']
    layout, _, values = page.course(0, 'baseline', of)
    rows = exported(folder, 'before.sxc')
    assert layout['count'] == 500 == len(rows)
    for index, own in values.items():
        name, factor = (of['of_devices'][0]['rows'][index][key] for key in ('name', 'factor'))
        assert all(same(own['value'][i] * factor, number(row[name]), 1e-15) for i, row in enumerate(rows)), name
    want = json.loads(run(folder, 'diff', 'before.sxc', 'frames.sxc', '--json').stdout)
    changes = {c['name']: c for c in page.report['comparison']['changes']}
    assert page.report['comparison']['comparable'] == want['comparable']
    for metric in want['metrics']:
        if metric['name'] in changes and metric['name'] in ('gpu_time', 'frame_time'):
            own, other = changes[metric['name']], metric
            # diff leaves the beginning out of means, the page does not.
            assert (own['change'] is None) == (other['change'] is None), (own, other)


def test_baseline_of_others(folder):
    """What is read as a run may be a baseline too, another tool's file as well; other devices are not compared."""
    log = pathlib.Path(__file__).resolve().parents[3] / 'examples/data/mangohud.csv'
    page = page_of(folder, str(log), '--baseline', str(log))
    changes = page.report['comparison']['changes']
    assert 'same' in {c['verdict'] for c in changes} <= {'same', 'incomparable'} and {c['change'] for c in changes} <= {0, None}, changes
    page = page_of(folder, 'frames.sxc', '--baseline', 'long.sxc')
    assert page.report['comparison']['comparable'] is False and page.report['comparison']['why_not']
    run(folder, 'report', 'frames.sxc', '-o', 'page.html', '--baseline', 'nothing.sxc', code=5)


def test_little(folder):
    """Captures with nothing, with one sample, and with no data at all."""
    for kind, samples in (('empty', 0), ('one', 1), ('nodata', 600)):
        subprocess.run([make_page, kind, f'{kind}.sxc'], cwd=folder, check=True)
        page = page_of(folder, f'{kind}.sxc')
        assert page.report['devices'][0]['samples'] == samples, kind
        layout, _, values = page.course(0)
        assert layout['count'] == samples
        if kind != 'one':
            assert not values, kind
            assert all(row['mean'] is None for row in page.report['of_devices'][0]['rows']), kind
        if kind == 'nodata':
            assert all(row['why'] for row in page.report['of_devices'][0]['rows'])


def test_unknown_verdict(folder):
    """A page says why a verdict is unknown, as the text does."""
    with open(os.path.join(folder, 'gpu.csv'), 'w', encoding='utf-8') as file:
        file.write('Frame time (ms),GPU time (ms)\n' + '16,5\n17,6\n' * 60)
    page = page_of(folder, 'gpu.csv')
    device = page.report['of_devices'][0]
    assert device['verdict_line'].startswith('Unknown'), device
    assert device['verdict_advice'].startswith('Because busiest thread: the run did not collect it; try: '), device


def test_damage(folder):
    """A file with a hole is no whole run, neither on the page nor in the exit status; nor is a baseline."""
    run(folder, 'record', '-q', '-d', 'mali-g310', '-I', '1ms', '-t', '500ms', '-o', 'sound.sxc')
    data = bytearray((folder / 'sound.sxc').read_bytes())
    data[len(data) // 2] ^= 0xff
    (folder / 'holed.sxc').write_bytes(data)
    assert run(folder, 'capture', 'check', 'holed.sxc', code=1)
    page = page_of(folder, 'holed.sxc', code=1)
    assert 'the file is damaged: samples are missing' in page.text
    page_of(folder, 'sound.sxc', '--baseline', 'holed.sxc', code=1)
    assert 'more than 0 lost' in run(folder, 'report', 'holed.sxc', code=1).stdout


def test_errors(folder):
    for options, because, code in ((['-o', '/dev/full'], 'No space left on device', 4), (['-o', 'no/such/page.html'], 'No such file', 4)):
        done = run(folder, 'report', 'frames.sxc', '-f', 'html', *options, code=code)
        lines = done.stderr.splitlines()
        assert [line.split(':')[0] for line in lines] == ['error', 'because', 'try'] and because in lines[1], done.stderr
    done = run(folder, 'report', 'frames.sxc', '--baseline', 'before.sxc', code=2)
    assert 'sextant diff before.sxc' in done.stderr, done.stderr
    run(folder, 'report', 'frames.sxc', '-f', 'html', '--by', 'frame', code=2)
    # The name's end decides where no format is given.
    run(folder, 'report', 'frames.sxc', '-o', 'named.html')
    assert (folder / 'named.html').read_text(encoding='utf-8').startswith('<!DOCTYPE html>')


def test_uplot(_):
    """What is checked in is what npm has of that version."""
    for line in (uplot / 'SHA256SUMS').read_text(encoding='utf-8').splitlines():
        digest, name = line.split()
        assert hashlib.sha256((uplot / name).read_bytes()).hexdigest() == digest, f'{name} was changed'


def main():
    tests = [test_frames, test_long, test_baseline, test_baseline_of_others, test_damage, test_little, test_unknown_verdict, test_errors, test_uplot]
    with tempfile.TemporaryDirectory(prefix='sextant-html-') as folder:
        for test in tests:
            test(pathlib.Path(folder))
    print(f'{len(tests)} tests')
    return 0


if __name__ == '__main__':
    sys.exit(main())
