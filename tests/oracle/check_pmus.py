#!/usr/bin/env python3
"""PMUs of machines that are texts through the command, and what comes out of the same texts by an independent reader.

Encodings are worked out from the formats here; formulas are those of the drivers' and vendors' documents, not of the catalogs.
usage: check_pmus.py SEXTANT_ON_TREE FOLDER_OF_PMUS
"""
import json
import os
import subprocess
import sys
import tempfile

TOOL, FOLDER = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
UNITS = {'MiB': 2**20, 'ns': 1e-9, 'ms': 1e-3, 'M': 1e6, 'Joules': 1, None: 1}


class Machine:
    """One text: for each PMU its formats, its events and what is counted."""

    def __init__(self, path):
        self.pmus, now = {}, None
        with open(path, encoding='utf-8') as text:
            for line in text:
                words = line.split()
                if not words or words[0] == '#':
                    continue
                if words[0] == 'pmu':
                    now = self.pmus[words[1]] = {'format': {}, 'event': {}, 'counts': {}}
                elif words[0] == 'counts':
                    now['counts'][int(words[1], 0)] = int(words[2])
                else:
                    rest = dict(zip(words[3::2], words[4::2]))
                    now[words[0]][words[1]] = (words[2], rest)

    def encode(self, pmu, terms):
        config = 0
        for term in terms.split(','):
            field, _, value = term.partition('=')
            value = int(value, 0)
            if field == 'config':
                config = value
                continue
            for bits in pmu['format'][field][0].partition(':')[2].split(','):
                first, _, last = bits.partition('-')
                width = int(last or first) - int(first) + 1
                config |= (value & (1 << width) - 1) << int(first)
                value >>= width
            assert value == 0, terms
        return config

    def rate(self, name, event, **extra):
        """A second's count of an event by name or by terms, in its own unit."""
        pmu = self.pmus[name]
        terms, how = pmu['event'].get(event, (event, {}))
        for field, value in extra.items():
            terms += f',{field}={value}'
        count = pmu['counts'].get(self.encode(pmu, terms), 1000)
        return count * float(how.get('scale', 1)) * UNITS[how.get('unit')]

    def df(self, events, umask):
        return sum(self.rate('amd_df', f'event={event:#x},umask={umask:#x}') for event in events)


def tiger_lake(m):
    boxes = ['uncore_imc_free_running_0', 'uncore_imc_free_running_1']
    read, write, total = (sum(m.rate(box, name) for box in boxes if name in m.pmus[box]['event']) for name in ('data_read', 'data_write', 'data_total'))
    return {'memory_read_bandwidth': read, 'memory_write_bandwidth': write, 'memory_bandwidth': read + write, 'memory_traffic_bandwidth': total,
            'render_busy': 100 * m.rate('i915', 'rcs0-busy'), 'copy_busy': 100 * m.rate('i915', 'bcs0-busy'),
            'video_busy': 100 * m.rate('i915', 'vcs0-busy'), 'gpu_frequency': m.rate('i915', 'actual-frequency'),
            'gpu_sleep': 100 * m.rate('i915', 'rc6-residency'), 'GpuInterrupts': m.rate('i915', 'interrupts'),
            'GpuRenderWait': m.rate('i915', 'rcs0-wait'), 'compute_busy': None, 'render_active': None,
            'package_power': m.rate('power', 'energy-pkg'), 'gpu_power': m.rate('power', 'energy-gpu'), 'platform_power': m.rate('power', 'energy-psys'),
            'cores_power': None, 'CountedShare': 100}


def tiger_lake_merrifield(m):
    out = {}
    for n in (0, 1):
        for way, name in (('Read', 'data_read'), ('Write', 'data_write')):
            # Lines of 64 bytes are two of Merrifield's requests of 32.
            out[f'DDR_Chan{n}-{way}32B'] = m.rate(f'uncore_imc_free_running_{n}', name) / 32
            out[f'Chan{n}_{way}_MBps'] = m.rate(f'uncore_imc_free_running_{n}', name)
    return out | {'Mod0_Reqs': None, 'GFX_Reqs': None}


def lunar_lake(m):
    pmu = 'xe_0000_00_02.0'
    total = m.rate(pmu, 'engine-total-ticks', engine_class=0)
    return {'render_active': 100 * m.rate(pmu, 'engine-active-ticks', engine_class=0) / total,
            'compute_active': 100 * m.rate(pmu, 'engine-active-ticks', engine_class=4) / total,
            'gpu_sleep': 100 * m.rate(pmu, 'gt-c6-residency'), 'render_busy': None, 'memory_bandwidth': None}


def zen3(m):
    channels = (0x07, 0x47, 0x87, 0xc7, 0x107, 0x147, 0x187, 0x1c7)
    return {'memory_traffic_bandwidth': 64 * m.df(channels, 0x38), 'memory_read_bandwidth': None, 'memory_bandwidth': None,
            'io_memory_bandwidth': None, 'CountedShare': 50}  # eight events on four counters


STATIONS = [0x1f, 0x5f, 0x9f, 0xdf, 0x11f, 0x15f, 0x19f, 0x1df, 0x21f, 0x25f, 0x29f, 0x2df]
MODERATORS = [0x81f, 0x85f, 0x89f, 0x8df]


def zen4_df(m):
    read, write = 64 * m.df(STATIONS, 0x7fe), 64 * m.df(STATIONS, 0x7ff)
    return {'memory_read_bandwidth': read, 'memory_write_bandwidth': write, 'memory_traffic_bandwidth': read + write,
            'io_memory_bandwidth': 64 * (m.df(MODERATORS, 0x7fe) + m.df(MODERATORS, 0x7ff))}


def zen4_df_merrifield(m):
    return {'Chan0_Read_MBps': 64 * m.df(STATIONS[:1], 0x7fe), 'Chan0_Write_MBps': 64 * m.df(STATIONS[:1], 0x7ff),
            'Chan1_Read_MBps': 64 * m.df(STATIONS[1:2], 0x7fe), 'Chan1_Write_MBps': 64 * m.df(STATIONS[1:2], 0x7ff),
            'LowSpeedPF_Est_MBps': 64 * (m.df(MODERATORS, 0x7fe) + m.df(MODERATORS, 0x7ff)), 'Mod0_Est_MBps': None}


def zen4(m):
    def cas(box, mask):
        return 64 * m.rate(f'amd_umc_{box}', 'event=0x0a,rdwrmask=' + str(mask))
    return {'memory_read_bandwidth': cas(0, 1) + cas(1, 1), 'memory_write_bandwidth': cas(0, 2) + cas(1, 2),
            'memory_traffic_bandwidth': cas(0, 0) + cas(1, 0)}


def zen4_merrifield(m):
    out = {}
    for box in (0, 1):
        for way, mask in (('Read', 1), ('Write', 2)):
            out[f'Chan{box}_{way}_MBps'] = 64 * m.rate(f'amd_umc_{box}', f'event=0x0a,rdwrmask={mask}')
    return out


def arm(m):
    refill, back, all_ = (m.rate('arm_dsu_0', name) for name in ('l3d_cache_refill', 'l3d_cache_wb', 'l3d_cache'))
    miss, access = (m.rate('arm_cmn_0', name) for name in ('hnf_cache_miss', 'hnf_slc_sf_cache_access'))
    return {'cpu_memory_bandwidth': 64 * (refill + back), 'memory_traffic_bandwidth': 64 * m.rate('arm_cmn_0', 'hnf_mc_reqs'),
            'cluster_cache_hits': 100 * (1 - refill / all_), 'system_cache_hits': 100 * (1 - miss / access),
            'DeviceRequests': m.rate('arm_cmn_0', 'rnid_txreq_flits_total'), 'ClusterBusBeats': m.rate('arm_dsu_0', 'bus_access'),
            'memory_read_bandwidth': None, 'io_memory_bandwidth': None, 'CountedShare': 100}


def arm_merrifield(m):
    refill, back = m.rate('arm_dsu_0', 'l3d_cache_refill'), m.rate('arm_dsu_0', 'l3d_cache_wb')
    devices = m.rate('arm_cmn_0', 'rnid_txreq_flits_total')
    return {'Mod0_Est_MBps': 64 * (refill + back), 'LowSpeedPF_Est_MBps': 64 * devices, 'Mod0_ReadPartial': refill, 'Mod0_WritePartial': back,
            'Mod0_Read64B': refill, 'Mod0_Write64B': back, 'Mod0_Read32B': None, 'Mod0_Snoop_Reqs': None, 'Chan0_Read_MBps': None, 'GFX_Est_MBps': None}


CASES = [('tiger-lake', None, tiger_lake), ('tiger-lake', 'intel-merrifield', tiger_lake_merrifield), ('lunar-lake', None, lunar_lake),
         ('zen3', None, zen3), ('zen4-df', None, zen4_df), ('zen4-df', 'intel-merrifield', zen4_df_merrifield), ('zen4', None, zen4),
         ('zen4', 'intel-merrifield', zen4_merrifield), ('arm-server', None, arm), ('arm-server', 'intel-merrifield', arm_merrifield)]


def run(pmus, *args):
    with tempfile.NamedTemporaryFile('w', suffix='.tree') as tree:
        tree.write('uid 0\nprocess 1 0 0 init\nfile /proc/sys/kernel/osrelease\n\t6.12.0-fixture\n')
        tree.flush()
        env = dict(os.environ, SEXTANT_TREE=tree.name, SEXTANT_PMUS=os.path.join(FOLDER, pmus + '.pmus'))
        return subprocess.run([TOOL, *args], env=env, capture_output=True, text=True, timeout=60, check=False)


def check(pmus, catalog, expected):
    done = run(pmus, 'stat', '-d', 'pmu', '-t', '1s', '-I', '100ms', '--json', '-m', '*', *(['--for', catalog] if catalog else []))
    assert done.returncode == 0, done.stderr
    have = {}
    for metric in json.loads(done.stdout)['metrics']:
        have.setdefault(metric['name'].rpartition('.')[2], metric)
    wrong = 0
    want = expected(Machine(os.path.join(FOLDER, pmus + '.pmus')))
    for name, value in want.items():
        metric = have[name]
        # Counts have a total; what is a rate or a state has a mean.
        got = metric['total'] if metric.get('total') is not None and not name.endswith(('bandwidth', 'power', 'MBps')) else metric['mean']
        same = got is None if value is None else got is not None and abs(got - value) <= 2e-5 * max(value, 1e-9)
        if not same or (value is None and not metric['why']):
            wrong += 1
            print(f'{pmus} ({catalog or "pmu"}): {name} is {got}, and should be {value}; {metric.get("why")}')
    return len(want), wrong


def main():
    checked = wrong = 0
    for case in CASES:
        more = check(*case)
        checked, wrong = checked + more[0], wrong + more[1]
    # What takes turns is told, and a PMU of the machine's refuses no program: it counts for all beside it.
    told = ' '.join(run('zen3', 'stat', '-d', 'pmu', '-t', '1s', '-v').stdout.split())
    wrong += 'events take turns in 2 groups' not in told
    # Counters of several groups share a name: a run that chooses none begins all the same.
    wrong += run('arm-server', 'stat', '-d', 'pmu', '-t', '1s', '--for', 'intel-merrifield').returncode != 0
    report = run('arm-server', 'doctor', '--selftest', '-d', 'pmu')
    wrong += report.returncode != 0 or '0 wrong' not in report.stdout
    named = run('arm-server', 'stat', '-d', 'pmu', '-t', '1s', '--json', '--map', 'nodes=arm_cmn_0/type=0x5,eventid=0xd,bynodeid=1,nodeid=0x44/', '-m', 'nodes')
    wrong += json.loads(named.stdout)['metrics'][0]['total'] != 1000
    print(f'{len(CASES)} machines, {checked} values, {wrong} wrong')
    return 1 if wrong or checked < 60 else 0


if __name__ == '__main__':
    sys.exit(main())
