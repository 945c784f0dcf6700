#!/usr/bin/env python3
"""The modelled Mali through the whole command: sampled, recorded, split by core, held against a budget."""
import json
import math
import os
import sys
import tempfile

from command import Command, csv_rows

SEXTANT = sys.argv[1]
run = Command(SEXTANT, code=0)


def check_stat(device, metrics):
    doc = json.loads(run('stat', '-d', device, '-I', '10ms', '-t', '200ms', '--json').stdout)
    info, = doc['devices']
    assert info['catalog'] == device and info['simulated'] is True and 'simulated' in info['name'], info
    assert len(doc['metrics']) >= metrics and 10 <= doc['samples']['count'] <= 60, doc['samples']
    values = {m['name']: m for m in doc['metrics']}
    assert 0 < values['shader_core_usage']['mean'] <= 100
    assert values['gpu_active_cycles']['total'] > 0
    text = run('demo', '-d', device, '-t', '50ms', '-v').stdout
    assert 'SIMULATED' in text and 'GPU utilization' in text, text[:400]


def rows_of(path, *args):
    return csv_rows(run('report', path, '--csv', *args).stdout)


def check_capture(folder, device, cores):
    path = os.path.join(folder, device + '.sxc')
    run('record', '-d', device, '-I', '10ms', '-t', '300ms', '-o', path)
    whole = {r['name']: r for r in rows_of(path)}
    parts = rows_of(path, '--by', 'instance')
    assert [r['instance'] for r in parts] == [str(i) for i in range(max(cores, 2) if cores > 3 else cores)], parts
    warps = [float(r['fragment_warps']) for r in parts]
    total = float(whole['fragment_warps']['total'])
    expected = sum(warps) / (cores if device == 'mali-g310' else 1)  # the G310's series are means
    assert len(set(warps)) > 1 and math.isclose(expected, total, rel_tol=1e-9), (warps, total)
    # What is of the whole device is in no row, and alone it has none.
    assert 'gpu_active_cycles' in whole and 'gpu_active_cycles' not in parts[0], parts[0].keys()
    assert run('report', path, '--by', 'instance', '-m', 'gpu_active_cycles', code=3).returncode == 3
    assert all(0 < float(r['shader_core_usage']) <= 100 for r in parts), parts
    note = run('report', path, '--by', 'instance', '-m', 'fragment_warps').stderr
    assert 'shader_core_imbalance 1.0' in note, note
    doc = json.loads(run('report', path, '--resolution', '1280x720', '--fps', '60', '--json').stdout)
    budget, = doc['budgets']
    clock = {'mali-g310': 850e6, 'mali-g625': 1000e6}[device]
    assert math.isclose(budget['available_cycles_per_pixel'], cores * clock / (1280 * 720 * 60))
    assert 0 < budget['spent_cycles_per_pixel'] < budget['available_cycles_per_pixel'], budget


def check_selftest(device):
    text = run('doctor', '--selftest', '-d', device).stdout
    assert ' 0 failed' in text and 'simulated' in text, text
    doc = json.loads(run('doctor', '--selftest', '-d', device, '--json').stdout)
    assert doc['schema'] == 'sextant.selftest/1' and doc['device'] == device and doc['passed'] is True, doc
    assert doc['error'] is None and doc['lines'] == text.splitlines()[1:-1], doc


with tempfile.TemporaryDirectory() as folder:
    for device, metrics, cores in (('mali-g310', 93, 3), ('mali-g625', 116, 6)):
        check_stat(device, metrics)
        check_capture(folder, device, cores)
    check_selftest('mali-g625')
print('both models agree with themselves')
