#!/usr/bin/env python3
"""The drm source's numbers on machines that are texts, through the command, against this reader of the same texts.

usage: check_drm.py SEXTANT_ON_TREE FOLDER_OF_TREES

It shares no code with the library: it reads the trees by itself, evaluates the numbers that grow, and works out from the
kernel's documents what each sample must hold.
"""
import json
import os
import re
import struct
import subprocess
import sys

import units

NS = 10**9


class Tree:
    """A tree as tests/data/drm/README.md describes it, at any time."""

    def __init__(self, path):
        self.uid, self.nodes, self.processes = 0, {}, {}
        at, lines = 0, open(path, encoding='utf-8').read().split('\n')
        i = 0
        while i < len(lines):
            words = lines[i].split()
            i += 1
            body = []
            while i < len(lines) and lines[i].startswith('\t'):
                body.append(lines[i][1:])
                i += 1
            if not words or words[0].startswith('#'):
                continue
            kind, rest = words[0], words[1:]
            text = ''.join(line + '\n' for line in body)
            if kind == 'uid':
                self.uid = int(rest[0])
            elif kind == 'at':
                at = int(rest[0][:-2]) * 10**6
            elif kind in ('file', 'hex'):
                mode = int(rest[1], 8) if len(rest) > 1 else 0o444
                owner = int(rest[2]) if len(rest) > 2 else 0
                data = bytes.fromhex(text) if kind == 'hex' else text
                self.put(rest[0], at, data, self.uid == 0 or mode & (0o400 if owner == self.uid else 0o004))
            elif kind == 'link':
                self.put(rest[0], at, ('link', rest[1]), True)
            elif kind == 'process':
                self.processes[int(rest[0])] = (int(rest[1]), int(rest[2]), rest[3])
                self.put(f'/proc/{rest[0]}', at, ('process',), True)
            elif kind == 'descriptor':
                self.put(f'/proc/{rest[0]}/fd/{rest[1]}', at, (rest[2], text), True)
            elif kind == 'gone':
                for known in self.nodes:
                    if known == rest[0] or known.startswith(rest[0] + '/'):
                        self.put(known, at, None, True)

    def put(self, path, at, data, readable):
        self.nodes.setdefault(path, []).append((at, data, readable))

    def node(self, path, now):
        found = None
        for at, data, readable in self.nodes.get(path, ()):
            if at <= now:
                found = data if readable else None
        return found

    def resolve(self, path, now):
        for _ in range(50):
            parts, walked = path.strip('/').split('/'), ''
            for index, part in enumerate(parts):
                walked += '/' + part
                link = self.node(walked, now)
                if isinstance(link, tuple) and link[0] == 'link':
                    path = os.path.normpath(os.path.join(os.path.dirname(walked), link[1], *parts[index + 1:]))
                    break
            else:
                return path
        return path

    def text(self, path, now):
        data = self.node(self.resolve(path, now), now)
        return self.grow(data, now) if isinstance(data, str) else data

    @staticmethod
    def grow(text, now):
        return re.sub(r'\{(\d+)([+-])(\d+)/s\}', lambda m: str(
            int(m[1]) + (1 if m[2] == '+' else -1) * (int(m[3]) * now // NS)), text)

    def number(self, path, now):
        text = self.text(path, now)
        return int(text) if text is not None else None

    def listed(self, folder, now):
        folder = self.resolve(folder, now)
        return sorted({p[len(folder) + 1:].split('/')[0] for p in self.nodes if p.startswith(folder + '/')})


UNITS = {'': 1, 'KiB': 2**10, 'MiB': 2**20}
REGIONS = {'vram': 'vram', 'local': 'vram', 'gtt': 'gtt', 'cpu': 'cpu', 'system': 'system', 'stolen': 'stolen',
           'memory': 'memory', 'stolen-system': 'stolen'}
WORKING = ('render', 'gfx', 'rcs', 'gpu', 'panthor', 'fragment', 'vertex-tiler', 'bin', 'gp', 'pp', 'compute', 'ccs', 'csd')


def parse(text):
    keys = {}
    for line in text.splitlines():
        key, _, value = line.partition(':')
        keys[key] = value.split()
    return keys


class Client:
    def __init__(self, keys):
        self.keys = keys
        self.memory = {}
        for key, value in keys.items():
            m = re.match(r'drm-(total|shared|resident|active|purgeable|memory)-(.+)', key)
            if not m or m[2].startswith('cycles-'):
                continue
            kind = 'resident' if m[1] == 'memory' else m[1]
            region = REGIONS.get(re.sub(r'\d+$', '', m[2]), 'other')
            if m[1] == 'memory' and f'drm-resident-{m[2]}' in keys:
                continue
            size = int(value[0]) * UNITS[value[1] if len(value) > 1 else '']
            self.memory[region, kind] = self.memory.get((region, kind), 0) + size

    def engines(self):
        for key, value in self.keys.items():
            m = re.match(r'drm-engine-(?!capacity-)(.+)', key)
            if m:
                yield m[1], int(value[0]), None
            m = re.match(r'drm-cycles-(.+)', key)
            if m and f'drm-engine-{m[1]}' not in self.keys and f'drm-total-cycles-{m[1]}' in self.keys:
                yield m[1], int(value[0]), int(self.keys[f'drm-total-cycles-{m[1]}'][0])

    def capacity(self, engine):
        return int(self.keys.get(f'drm-engine-capacity-{engine}', ['1'])[0])


class Reader:
    def __init__(self, tree, card, root=0):
        self.tree, self.card, self.root = tree, card, root
        self.device = f'/sys/class/drm/card{card}/device'
        uevent = tree.text(self.device + '/uevent', 0)
        self.driver = re.search(r'^DRIVER=(.*)$', uevent, re.M)[1]
        self.nodes = {f'/dev/dri/card{card}'} | {
            '/dev/dri/' + name for name in tree.listed(self.device + '/drm', 0) if name.startswith('renderD')}
        self.highest, self.last = {}, {}
        self.engines_seen, self.memory_seen, self.capacity = set(), set(), {}

    def in_scope(self, pid):
        while pid and self.root:
            if pid == self.root:
                return True
            pid = self.tree.processes.get(pid, (0,))[0]
        return not self.root

    def clients(self, now, everybody=False):
        """By id: the first descriptor of each client, in the order of processes."""
        found = {}
        for pid in sorted(self.tree.processes):
            if not self.tree.node(f'/proc/{pid}', now):
                continue
            if self.tree.uid and self.tree.processes[pid][1] != self.tree.uid:
                continue
            if not everybody and not self.in_scope(pid):
                continue
            for fd in sorted(self.tree.listed(f'/proc/{pid}/fd', now)):
                at = self.tree.node(f'/proc/{pid}/fd/{fd}', now)
                if at and at[0] in self.nodes:
                    client = Client(parse(self.tree.grow(at[1], now)))
                    found.setdefault(client.keys['drm-client-id'][0], (pid, client))
        return found

    def work(self, now, took, everybody=False):
        """Time on each engine since the reading before, and memory now."""
        out, times, memory, total = {}, {}, {}, 0
        for key, (pid, client) in self.clients(now, everybody).items():
            total += 1
            for engine, value, clock in client.engines():
                self.engines_seen.add(engine)
                self.capacity[engine] = max(client.capacity(engine), self.capacity.get(engine, 1))
                place = (everybody, key, engine)
                before, before_clock = self.last.get(place, (value, clock))
                did = max(value - before, 0)
                if clock is not None:
                    did = int(did / (clock - before_clock) * took + 0.5) if clock > before_clock else 0
                times[engine] = times.get(engine, 0) + did
                self.last[place] = (max(value, before), clock)
            for place, size in client.memory.items():
                self.memory_seen.add(place)
                memory[place] = memory.get(place, 0) + size
        for engine in self.engines_seen:
            out['engine.' + engine.replace('-', '_')] = times.get(engine, 0) // self.capacity[engine]
        for region, kind in self.memory_seen:
            out[f'memory.{region}.{kind}'] = memory.get((region, kind), 0)
        out['Clients'] = total
        held = self.resident(out)
        if held is not None:
            out['WorkMemory'] = held
        if self.engines_seen:
            out['WorkTime'] = max([out['engine.' + e.replace('-', '_')] for e in self.engines_seen if e in WORKING] or [0])
        return out

    def resident(self, work):
        """In a card's own memory where it has any; None where nobody tells."""
        own = any(region == 'vram' and kind == 'resident' for region, kind in self.memory_seen)
        sizes = [value for key, value in work.items() if re.fullmatch(r'memory\.(vram|.*)\.resident', key) and (not own or '.vram.' in key)]
        return sum(sizes) if sizes else None

    def delta(self, name, path, now, wrap=0):
        value = self.tree.number(path, now)
        before = self.last.get(name)
        self.last[name] = value
        if value is None or before is None:
            return None
        return value - before if value >= before else wrap - before + value

    def sample(self, now, took):
        tree, out = self.tree, {}
        out.update(self.work(now, took))
        asleep = (tree.text(self.device + '/power/runtime_status', now) or '').strip() == 'suspended'
        if asleep:
            out['BusyTime'] = 0
            return out
        self.sensors(now, out)
        getattr(self, 'of_' + self.driver, lambda *_: None)(now, took, out)
        for name in tree.listed(self.device + '/devfreq', now)[:1]:
            folder = f'{self.device}/devfreq/{name}'
            out['Clock'] = tree.number(folder + '/cur_freq', now)
            out['ClockLimit'] = tree.number(folder + '/max_freq', now)
            out['ClockHighest'] = max(map(int, tree.text(folder + '/available_frequencies', now).split()))
        self.energies(now, took, out)
        if 'BusyTime' not in out:
            everybody = self.work(now, took, True)
            if 'WorkTime' in everybody:
                out['BusyTime'] = everybody['WorkTime']
        if 'MemoryUsed' not in out:
            out['MemoryUsed'] = self.resident(self.work(now, took, True))
        return {key: value for key, value in out.items() if value is not None}

    def sensors(self, now, out):
        tree = self.tree
        for name in tree.listed(self.device + '/hwmon', now)[:1]:
            folder = f'{self.device}/hwmon/{name}'
            labels = {tree.text(f'{folder}/temp{n}_label', now): n for n in range(1, 9)}
            for label, counter in (('edge', 'Temperature'), ('junction', 'HotspotTemperature'), ('mem', 'MemoryTemperature')):
                if label + '\n' in labels:
                    out[counter] = tree.number(f'{folder}/temp{labels[label + chr(10)]}_input', now) / 1000
            if 'Temperature' not in out and tree.number(f'{folder}/temp1_input', now) is not None:
                out['Temperature'] = tree.number(f'{folder}/temp1_input', now) / 1000
            for file, counter, scale in (('power1_average', 'Power', 1000), ('power1_cap', 'PowerLimit', 1000),
                                         ('fan1_input', 'Fan', 1), ('freq1_input', 'Clock', 1), ('freq2_input', 'MemoryClock', 1)):
                value = tree.number(f'{folder}/{file}', now)
                out[counter] = value / scale if value is not None else None
        for zone in tree.listed('/sys/class/thermal', now):
            if 'gpu' in tree.text(f'/sys/class/thermal/{zone}/type', now):
                out['Temperature'] = tree.number(f'/sys/class/thermal/{zone}/temp', now) / 1000

    def energies(self, now, took, out):
        names = {'package-0': 'PackageEnergy', 'core': 'CoreEnergy', 'psys': 'PlatformEnergy', 'dram': 'DramEnergy', 'uncore': 'Energy'}
        for zone in self.tree.listed('/sys/class/powercap', now):
            folder = f'/sys/class/powercap/{zone}'
            counter = names.get(self.tree.text(folder + '/name', now).strip())
            if counter == 'Energy' and self.driver not in ('i915', 'xe'):
                continue
            if counter:
                wrap = self.tree.number(folder + '/max_energy_range_uj', now) or 0
                out[counter] = self.delta(counter, folder + '/energy_uj', now, wrap)
        if out.get('Energy') is not None and out.get('Power') is None:
            out['Power'] = out['Energy'] / took * 1e6

    def of_amdgpu(self, now, took, out):
        tree = self.tree
        out['BusyTime'] = took * tree.number(self.device + '/gpu_busy_percent', now) // 100
        memory = tree.number(self.device + '/mem_busy_percent', now)
        out['MemoryBusyTime'] = took * memory // 100 if memory is not None else None
        for kind in ('vram', 'gtt'):
            for what in ('used', 'total'):
                out[kind.title() + what.title()] = tree.number(f'{self.device}/mem_info_{kind}_{what}', now)
        out['MemoryUsed'] = out['VramUsed']
        levels = tree.text(self.device + '/pp_dpm_sclk', now)
        out['ClockHighest'] = max(map(int, re.findall(r'(\d+)Mhz', levels))) * 10**6
        raw = tree.text(self.device + '/gpu_metrics', now)
        size, major, minor = struct.unpack_from('<HBB', raw)
        bits = None
        if (major, minor) == (2, 2) and size == 128:
            out['Clock'] = struct.unpack_from('<H', raw, 76)[0] * 10**6
            out['MemoryClock'] = struct.unpack_from('<H', raw, 80)[0] * 10**6
            out['SocketPower'], out['GfxPower'] = struct.unpack_from('<H', raw, 40)[0], struct.unpack_from('<H', raw, 46)[0]
            out['Power'] = out['GfxPower']
            out['PowerLimit'] = None
            bits = struct.unpack_from('<Q', raw, 120)[0]
        elif (major, minor) == (1, 3) and size == 120:
            out['SocketPower'] = struct.unpack_from('<H', raw, 22)[0] * 1000
            bits = struct.unpack_from('<Q', raw, 112)[0]
        if bits is not None:
            out['Throttled'] = 100 if bits else 0
            out['ThrottledPower'] = 100 if bits & 0xffff else 0
            out['ThrottledCurrent'] = 100 if bits & 0xffff0000 else 0
            out['ThrottledThermal'] = 100 if bits & 0xffffff00000000 else 0

    def of_i915(self, now, took, out):
        card = f'/sys/class/drm/card{self.card}'
        out['Clock'] = self.tree.number(card + '/gt_act_freq_mhz', now) * 10**6
        out['ClockLimit'] = self.tree.number(card + '/gt_max_freq_mhz', now) * 10**6
        out['ClockHighest'] = self.tree.number(card + '/gt_RP0_freq_mhz', now) * 10**6
        self.intel(card + '/gt/gt0/rc6_residency_ms', card + '/gt/gt0/throttle_reason_', now, took, out)

    def of_xe(self, now, took, out):
        gt = self.device + '/tile0/gt0'
        out['Clock'] = self.tree.number(gt + '/freq0/act_freq', now) * 10**6
        out['ClockLimit'] = self.tree.number(gt + '/freq0/max_freq', now) * 10**6
        out['ClockHighest'] = self.tree.number(gt + '/freq0/rp0_freq', now) * 10**6
        self.intel(gt + '/gtidle/idle_residency_ms', gt + '/freq0/throttle/reason_', now, took, out)

    def intel(self, idle, reasons, now, took, out):
        slept = self.delta('idle', idle, now)
        if slept is not None:
            out['AwakeTime'] = took - slept * 10**6
        status = reasons + 'status' if 'throttle_reason_' in reasons else reasons[:-len('reason_')] + 'status'
        if self.tree.number(status, now) is None:
            return
        out['Throttled'] = 100 * (self.tree.number(status, now) != 0)
        for counter, names in (('ThrottledPower', 'pl1 pl2'), ('ThrottledCurrent', 'pl4 vr_tdc'),
                               ('ThrottledThermal', 'thermal prochot ratl vr_thermalert')):
            values = [self.tree.number(reasons + name, now) for name in names.split()]
            values = [value for value in values if value is not None]
            if values:
                out[counter] = 100 * any(values)

    def of_v3d(self, now, took, out):
        busiest = None
        for line in self.tree.text(self.device + '/gpu_stats', now).splitlines()[1:]:
            queue, _, _, runtime = line.split('\t')
            if queue in ('bin', 'render', 'csd'):
                did = int(runtime) - self.last.get(queue, int(runtime))
                busiest = max(busiest or 0, did) if queue in self.last else None
                self.last[queue] = int(runtime)
        out['BusyTime'] = busiest


def command(tool, tree, *args):
    env = dict(os.environ, SEXTANT_TREE=tree, ASAN_OPTIONS=os.environ.get('ASAN_OPTIONS', ''))
    run = subprocess.run([tool, *args], env=env, capture_output=True, text=True, timeout=100, check=False)
    return run


def rows_of(tool, tree, card, args):
    """The raw counters of every sample, as record and export give them."""
    capture = os.path.join(os.environ.get('TMPDIR', '/tmp'), f'drm-{os.getpid()}.sxc')
    try:
        run = command(tool, tree, 'record', '-d', f'drm:card{card}', '-o', capture, *args)
        if run.returncode:
            raise SystemExit(f'{tree}: record failed: {run.stderr}')
        run = command(tool, tree, 'export', capture, '--json', '-m', '*')
        return json.loads(run.stdout)['devices'][0]
    finally:
        if os.path.exists(capture):
            os.unlink(capture)


def close(a, b):
    return a is not None and abs(a - b) <= 1e-9 * max(abs(a), abs(b), 1) + 1


def compare(tool, path, card, step, root=0):
    tree, wrong, checked = Tree(path), [], 0
    args = ['-I', f'{step}ms', '-t', f'{5 * step}ms'] + (['-p', str(root)] if root else [])
    document = rows_of(tool, path, card, args)
    names, rows = document['metrics'], document['rows']
    # The kernel's own, which the catalog has kept.
    kernel_units = {n: {'s': 'ns', 'W': 'mW', 'J': 'uJ'}.get(u) for n, u in zip(names, document['units'])}
    reader = Reader(tree, card, root)
    reader.sample(0, step * 10**6)
    if len(rows) != 5:
        wrong.append(f'{len(rows)} samples instead of 5')
    for index in range(len(rows)):
        now, took = (index + 1) * step * 10**6, step * 10**6
        expected = reader.sample(now, took)
        got = units.row_in_catalog_units(document, index, kernel_units)
        for name, value in expected.items():
            checked += 1
            if not close(got.get(name), value):
                wrong.append(f'sample {index}: {name} is {got.get(name)}, the reader has {value}')
        counters = [n for n in names if n[0].isupper() or n.startswith(('engine.', 'memory.'))]
        for name in counters:
            if name not in expected and got.get(name) is not None and name != 'Processes':
                wrong.append(f'sample {index}: {name} is {got[name]}, the reader has none')
        busy, clock, highest = expected.get('BusyTime'), expected.get('Clock'), expected.get('ClockHighest')
        if None not in (busy, clock, highest):
            load = min(busy * 100 / took, 100) * clock / highest
            checked += 1
            if not close(got.get('effective_load'), load):
                wrong.append(f'sample {index}: effective_load is {got.get("effective_load")}, the reader has {load}')
    print(f'{os.path.basename(path)} card{card}{" -p %d" % root if root else ""}: {checked} values, {len(wrong)} wrong')
    for line in wrong[:12]:
        print('  ' + line)
    return checked, len(wrong)


CASES = (('steam-deck', 0, 1000, 0), ('steam-deck', 0, 500, 2100), ('pi5', 0, 1000, 0), ('rk3588', 1, 1000, 0),
         ('rk3588', 1, 700, 990), ('tiger-lake', 0, 1000, 0), ('tiger-lake', 0, 500, 1800), ('lunar-lake', 0, 1000, 0),
         ('lunar-lake', 0, 400, 3000), ('radeon', 1, 1000, 0), ('radeon', 1, 300, 5000), ('optimus', 0, 1000, 0),
         ('optimus', 1, 1000, 0))


def main():
    tool, folder = sys.argv[1:3]
    checked = wrong = 0
    for name, card, step, root in CASES:
        done, bad = compare(tool, os.path.join(folder, name + '.tree'), card, step, root)
        checked, wrong = checked + done, wrong + bad
    print(f'{checked} values of {len(CASES)} runs, {wrong} wrong')
    return 1 if wrong or checked < 500 else 0


if __name__ == '__main__':
    sys.exit(main())
