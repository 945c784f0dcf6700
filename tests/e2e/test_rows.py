#!/usr/bin/env python3
"""Rows that a catalog has rules for: the device of each row, and counts that cannot be.

usage: test_rows.py SEXTANT
"""
import json
import os
import subprocess
import sys
import tempfile

SEXTANT = os.path.abspath(sys.argv[1])
ENGINES = {'mali-g71': 3, 'mali-g72': 3, 'mali-g76': 3, 'mali-g77': 1, 'mali-g78': 1, 'mali-g710': 2, 'mali-g610': 2}


def run(catalog, text, metric, *args, verb='eval'):
    with tempfile.NamedTemporaryFile('w', suffix='.csv', encoding='utf-8') as file:
        file.write(text)
        file.flush()
        command = [SEXTANT, verb, '--for', catalog, '-i', file.name, '-m', metric, '--json', *args]
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def values(*args):
    done = run(*args)
    return [row[0] for row in json.loads(done.stdout)['rows']]


def test_condition_of_rows():
    """A device that a column tells has what it has, row by row; an unknown one may have it."""
    text = 'GPU_CLOCK,B5,SubsliceMask\n1000,100,1\n1000,100,4\n1000,100,\n1000,100,5\n'
    assert values('icl', text, 'Sampler02InputAvailable') == [None, 10, 10, 10]
    alone = run('icl', 'GPU_CLOCK,B5,SubsliceMask\n1000,100,1\n', 'Sampler02InputAvailable')
    told = json.loads(alone.stdout)['why']['Sampler02InputAvailable']
    assert told == 'the device or driver has no such counter ($SubsliceMask 4 AND)', told


def test_below_zero():
    """Differences of sums and quotients of counts are no data below zero."""
    rate = 'ComputeBasic.EuAvgIpcRate'
    assert values('icl', 'A9,A10,A11\n500,300,100\n500,400,300\n', rate) == [None, 3.5]
    ready = '*NonPSThread00ReadyForDispatch'
    text = 'GPU_CLOCK,C2\n1000,1003\n1000,1000\n1000,250\n'
    assert values('cnl', text, ready, '--const', 'SubsliceMask=1') == [None, 0, 0.75]


def test_no_counts():
    """What no counter can have counted is no data, and told."""
    for cell in ('-500', '1e30', '18446744073709551616', '-0.5'):
        text = f'GPU_CLOCK,A0\n1000,{cell}\n1000,500\n'
        done = run('icl', text, 'RenderBasic.GpuBusy')
        assert [row[0] for row in json.loads(done.stdout)['rows']] == [None, 50], (cell, done.stdout)
        assert '1 count is below 0 or beyond 64 bits, the first in line 2, column A0: no data' in done.stderr, done.stderr
    assert values('icl', 'GPU_CLOCK,A0\n1000,5e2\n', 'RenderBasic.GpuBusy') == [50]


def test_constants_of_rows():
    """A constant in a column is as exact as one of --const: modulo 2^64."""
    for count in (9007199254740993, 2**63 + 1):
        want = (count * 3 * 32) % 2**64
        text = f'C2,C3,EuSubslicesTotalCount\n{count},0,3\n'
        assert values('icl', text, 'ComputeBasic.UntypedBytesRead') == [want], (count, want)
        text = f'C2,C3\n{count},0\n'
        assert values('icl', text, 'ComputeBasic.UntypedBytesRead', '--const', 'EuSubslicesTotalCount=3') == [want]


def constants_of(name):
    done = subprocess.run([SEXTANT, 'list', 'constants', '--for', name, '--json'], capture_output=True, text=True, check=True, timeout=60)
    return {c['name']: c.get('default') for c in json.loads(done.stdout)['constants']}


def test_products():
    """A product that its catalog is named after has its constants, and opens by the name it is sold by."""
    for name, engines in ENGINES.items():
        assert constants_of(name)['MaliExecEngineCount'] == engines, name
    for name in ('Immortalis-G715', 'Immortalis-G720', 'Immortalis-G925'):
        assert constants_of(name)['MaliGPUWarpSize'] == 16, name


def test_unit_of_rates():
    """Instructions each cycle are no bare count on any GPU."""
    for catalog in ('intel-mtlgt2', 'intel-mtlgt3', 'intel-icl'):
        done = subprocess.run([SEXTANT, 'list', 'metrics', '--for', catalog, '--json'], capture_output=True, text=True, check=True, timeout=60)
        units = {m['unit'] for m in json.loads(done.stdout)['metrics'] if m['name'].rpartition('.')[2] in ('XveAvgIpcRate', 'EuAvgIpcRate')}
        assert units == {'instructions/cycle'}, (catalog, units)


def test_flexible_counters():
    """Where no counter can be programmed, the reason is true: Haswell and Xe2 are Intel's as well."""
    for verb, catalog, fine in (('plan', 'hsw', False), ('explain', 'hsw', False), ('plan', 'bmg', False), ('explain', 'bmg', False),
                                ('explain', 'bdw', True), ('explain', 'acmgt3', True)):
        command = [SEXTANT, verb, '--for', catalog] + (['-m'] if verb == 'plan' else []) + ['A14=eu(fpu0-active)']
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
        assert (done.returncode == 0) == fine, (command, done.stderr)
        assert fine or 'from Broadwell to before Xe2' in done.stderr, done.stderr


def main():
    for name, test in list(globals().items()):
        if name.startswith('test_'):
            test()
            print(f'{name}: fine')


if __name__ == '__main__':
    main()
