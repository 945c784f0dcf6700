#!/usr/bin/env python3
"""
One schema, one shape: every document is asked for with one device and with several, and holds the same keys both times. $SEXTANT is
the binary.
"""
import json
import os
import subprocess
import sys
import tempfile

SEXTANT = os.environ['SEXTANT']
MS = 1000000
NAMED = {'values', 'units', 'why', 'constants', 'cost', 'frames'}  # objects whose keys are names, or that only frames have
OF_FRAMES, OF_TIME = 'frame', 'time'

# What is asked, FILE standing for a capture of the one and of the other; which device has what is asked for.
DOCUMENTS = [(line, of) for of, lines in ((None, '''
report FILE
report FILE --by time
advise FILE
advise -v FILE
export FILE
export FILE --counters
eval FILE
eval FILE --counters
stat -i FILE
capture info FILE
capture check FILE
diff FILE FILE
diff FILE FILE --gate run_queue<+900%
list metrics FILE
list counters FILE
list constants FILE
list sections FILE
list groups FILE
'''), (OF_FRAMES, '''
report FILE --by frame
report FILE --by frame --sort frame_time
report FILE --by process
report FILE --gate frame_time<1h --gate gpu_time<1h
explain frame_time -i FILE
'''), (OF_TIME, '''
explain cpu_busy -i FILE
''')) for line in lines.strip().splitlines()]
# The same without a capture: what is asked of one thing, and of several.
PAIRS = [('stat -d mali-g310 -t 50ms', 'stat -d mali-g310,mali-g625 -t 50ms'), ('stat -r 2 -d mali-g310 -t 50ms', 'stat -r 2 -d mali-g310,mali-g625 -t 50ms'),
         ('list metrics busy --for cpu', 'list metrics busy'), ('list counters --for cpu', 'list counters time'), ('list sets --for intel-tglgt2', 'list sets Render'),
         ('list devices cpu', 'list devices'), ('catalog lint cpu', 'catalog lint cpu opengl'), ('explain gpu_time --for vulkan', 'explain gpu_time'),
         ('plan --for amd-gcn3 -m VSBusy', 'plan --for amd-gcn3 -m VSBusy,PSBusy,GPUBusy'), ('export FRAMES', 'export BOTH --join')]
TABLES = ('report FILE --by time --csv', 'advise FILE --csv', 'report FILE --csv')


def table(devices):
    """Rows of devices side by side: frames of OpenGL, or slices of time of the CPU."""
    head = 'device,begin_ns,end_ns,frame,process,quality,Frames,FrameTime,PSInvocations,D3DGPUTime,CPUTime,UserTime,IdleTime,Runnable,cpus\n'
    rows = []
    for number, kind in enumerate(devices):
        if kind == OF_TIME:
            rows += [f'{number},{i * 100 * MS},{(i + 1) * 100 * MS},,,,,,,,,{40 * MS + i},{60 * MS},3,2\n' for i in range(20)]
        else:
            rows += [f'{number},{i * 11 * MS},{(i + 1) * 11 * MS},{i},"a, b (7)",,1,{11 * MS},{3000 + i},{9 * MS + i},{2 * MS},,,,\n' for i in range(180)]
    return head + ''.join(rows)


def keys(value, at=''):
    """Each key with where it stands, an element of a list as []."""
    if isinstance(value, list):
        return {at + '[]'}.union(*(keys(v, at + '[]') for v in value)) if value else set()
    if not isinstance(value, dict):
        return set()
    return {f'{at}.{k}' for k in value}.union(*(keys(v, f'{at}.{k}') for k, v in value.items() if k not in NAMED))


def run(line, names):
    done = subprocess.run([SEXTANT, *(names.get(word, word) for word in line.split())], capture_output=True, text=True, timeout=60, check=False,
                          env=dict(os.environ, XDG_CONFIG_HOME='/nonexistent'))
    if done.returncode not in (0, 1, 6) or not done.stdout:
        raise SystemExit(f'sextant {line}: exit {done.returncode}: {done.stderr}')
    return done.stdout


def without_maps(found):
    """What stands below a plan's metrics are names."""
    return {key for key in found if not key.startswith(('.metrics.', '.unavailable.'))}


def differences(one, two):
    return [f'only of one: {key}' for key in sorted(one - two)] + [f'only of several: {key}' for key in sorted(two - one)]


def check_documents(files):
    wrong = 0
    kinds = {OF_FRAMES: [OF_FRAMES], OF_TIME: [OF_TIME], None: [OF_FRAMES, OF_TIME]}
    for line, of in DOCUMENTS:
        def asked(*devices):
            return keys(json.loads(run(line + ' --json', {'FILE': files[devices]})))

        pairs = [(asked(kind), asked(kind, kind)) for kind in kinds[of]]
        pairs.append((set().union(*(asked(kind) for kind in kinds[of])), asked(OF_FRAMES, OF_TIME)))
        for one, two in pairs:
            if one != two:
                print(f'sextant {line} --json', *differences(one, two), sep='\n    ')
                wrong += 1
    for first, second in PAIRS:
        names = {'FRAMES': files[(OF_FRAMES,)], 'BOTH': files[OF_FRAMES, OF_TIME]}
        documents = [json.loads(run(line + ' --json', names)) for line in (first, second)]
        one, two = (without_maps(keys(d)) if d['schema'] == 'sextant.plan/1' else keys(d) for d in documents)
        if 'list' in first or 'explain' in first:  # of catalogs that say more of what they hold
            one, two = ({key for key in found if key.count('.') < 2 or key.endswith(('.for', '.name'))} for found in (one, two))
        if one != two:
            print(f'sextant {first} --json, and {second}', *differences(one, two), sep='\n    ')
            wrong += 1
    return wrong


def check_tables(files):
    """CSV says the device of each row, of one as well as of several."""
    wrong = 0
    for line in TABLES:
        heads = {devices: run(line, {'FILE': path}).splitlines()[0].split(',') for devices, path in files.items()}
        for devices, head in heads.items():
            if 'device' not in head:
                print(f'sextant {line}: no device of {devices}: {head}')
                wrong += 1
        for kind in (OF_FRAMES, OF_TIME):
            if heads[kind,] != heads[kind, kind]:
                print(f'sextant {line}: {heads[kind,]} and {heads[kind, kind]}')
                wrong += 1
    return wrong


def check_contract(files):
    """eval is one table, whatever the devices; export has a table for each."""
    for devices, path in files.items():
        evaluated, exported = (json.loads(run(f'{verb} FILE --json', {'FILE': path})) for verb in ('eval', 'export'))
        assert [d['id'] for d in exported['devices']] == list(range(len(devices))), devices
        assert [d['for'] for d in exported['devices']] == ['opengl' if d == OF_FRAMES else 'cpu' for d in devices]
        assert len(evaluated['rows']) == sum(len(d['rows']) for d in exported['devices'])
        catalogs = {d['for'] for d in exported['devices']}
        assert evaluated['for'] == (catalogs.pop() if len(catalogs) == 1 else None)
        rows = [dict(zip(evaluated['metrics'], row)) for row in evaluated['rows']]
        assert all(len(row) == len(evaluated['metrics']) == len(evaluated['units']) for row in evaluated['rows'])
        for device in exported['devices']:
            own = [row for row in rows if row.get('device', 0) == device['id']]
            for row, values in zip(own, device['rows'], strict=True):
                said = dict(zip(device['metrics'], values))
                assert {k: row[k] for k in said} == said, (row, said)
            for name, value in device['constants'].items():
                assert {row.get(name, evaluated['constants'].get(name)) for row in own} == {value}, name
        if len(devices) == 1:
            assert evaluated['why'] == exported['devices'][0]['why']
        for name in evaluated['why']:
            assert all(row[name] is None for row in rows), name


def main():
    with tempfile.TemporaryDirectory(prefix='sextant-shapes-') as folder:
        files = {}
        for devices in ((OF_FRAMES,), (OF_TIME,), (OF_FRAMES, OF_FRAMES), (OF_TIME, OF_TIME), (OF_FRAMES, OF_TIME)):
            name = os.path.join(folder, '-'.join(devices))
            with open(name + '.csv', 'w', encoding='ascii') as file:
                file.write(table(devices))
            files[devices] = name + '.sxc'
            subprocess.run([SEXTANT, 'import', '-q', name + '.csv', '-o', name + '.sxc'], check=True, timeout=60)
        wrong = check_documents(files) + check_tables(files)
        check_contract(files)
    print(f'{len(DOCUMENTS) + len(PAIRS)} documents and {len(TABLES)} tables, {wrong} of two shapes')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
