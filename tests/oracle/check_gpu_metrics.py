#!/usr/bin/env python3
"""gpu_metrics of every revision through the command, against layouts that the C compiler's rules give (ctypes).

The fields are those of Linux' drivers/gpu/drm/amd/include/kgd_pp_interface.h, v1.9's those of pm/swsmu/smu13/smu_v13_0_6_ppt.h
and pm/swsmu/smu_cmn.h (packed: a word that says what follows, then the values).

usage: check_gpu_metrics.py SEXTANT_ON_TREE
"""
import ctypes
import json
import os
import subprocess
import sys
import tempfile

U8, U16, U32, U64 = ctypes.c_uint8, ctypes.c_uint16, ctypes.c_uint32, ctypes.c_uint64
HEAD = [('structure_size', U16), ('format_revision', U8), ('content_revision', U8)]


def u16(names):
    return [(name, U16) for name in names.split()]


def u64(names):
    return [(name, U64) for name in names.split()]


HEAT = u16('temperature_edge temperature_hotspot temperature_mem temperature_vrgfx temperature_vrsoc temperature_vrmem')
BUSY = u16('average_gfx_activity average_umc_activity average_mm_activity average_socket_power')
CLOCKS = u16('a_gfxclk a_socclk a_uclk a_vclk0 a_dclk0 a_vclk1 a_dclk1 '
             'current_gfxclk current_socclk current_uclk current_vclk0 current_dclk0 current_vclk1 current_dclk1')
STATE = [('throttle_status', U32)] + u16('current_fan_speed')
V1_1 = HEAD + HEAT + BUSY + u64('energy_accumulator system_clock_counter') + CLOCKS + STATE + \
    u16('pcie_link_width pcie_link_speed padding') + [('gfx_acc', U32), ('mem_acc', U32), ('hbm', U16 * 4)]
V1_2 = V1_1 + u64('firmware_timestamp')
V1_3 = V1_2 + u16('voltage_soc voltage_gfx voltage_mem padding1') + u64('indep_throttle_status')
ENERGY = u64('energy_accumulator system_clock_counter')
V1_4_BEGIN = HEAD + u16('temperature_hotspot temperature_mem temperature_vrsoc current_socket_power average_gfx_activity average_umc_activity') + \
    [('vcn_activity', U16 * 4)]
LINKS = u16('pcie_link_width pcie_link_speed xgmi_link_width xgmi_link_speed') + [('gfx_acc', U32), ('mem_acc', U32)] + \
    u64('pcie_bandwidth_acc pcie_bandwidth_inst l0_count replay_count rover_count')
NAK = [('nak_sent', U32), ('nak_rcvd', U32)]
CLOCKS_OF_PARTS = [('current_gfxclk', U16 * 8), ('current_socclk', U16 * 4), ('current_vclk0', U16 * 4), ('current_dclk0', U16 * 4)]
V1_4_END = [('xgmi_read', U64 * 8), ('xgmi_write', U64 * 8)] + u64('firmware_timestamp') + CLOCKS_OF_PARTS + u16('current_uclk padding')
RESIDENCIES = 'accumulation_counter prochot ppt socket_thm vr_thm hbm_thm'.split()


class PartsV1(ctypes.LittleEndianStructure):
    _fields_ = [('busy', U32 * 8), ('jpeg', U16 * 32), ('vcn', U16 * 4), ('busy_acc', U64 * 8)]


class PartsV11(ctypes.LittleEndianStructure):
    _fields_ = PartsV1._fields_ + [('below_limit', U64 * 8)]


class PartsV12(ctypes.LittleEndianStructure):
    _fields_ = [('busy', U32 * 8), ('jpeg', U16 * 40), ('vcn', U16 * 4), ('busy_acc', U64 * 8), ('below_ppt', U64 * 8), ('below_thm', U64 * 8),
                ('low', U64 * 8), ('below_total', U64 * 8)]


def accumulating(bandwidth, status, parts):
    """v1.6 and what followed it: residencies of throttling, and a block for each partition of the chip."""
    return V1_4_BEGIN[:-1] + bandwidth + ENERGY + [(name, U32) for name in RESIDENCIES] + [('lock_status', U32)] + LINKS + NAK + \
        [('xgmi_read', U64 * 8), ('xgmi_write', U64 * 8)] + status + u64('firmware_timestamp') + CLOCKS_OF_PARTS + \
        u16('current_uclk num_partition') + [('parts', parts * 8), ('other_end', U32)]


THROTTLE = [('throttle_status', U32), ('lock_status', U32)]
APU_HEAT = u16('temperature_gfx temperature_soc') + [('temperature_core', U16 * 8), ('temperature_l3', U16 * 2)]
APU_BUSY = u16('average_gfx_activity average_mm_activity')
APU_POWER = u16('average_socket_power average_cpu_power average_soc_power average_gfx_power') + [('core_power', U16 * 8)]
APU_CLOCKS = u16('a_gfxclk a_socclk a_uclk a_fclk a_vclk a_dclk current_gfxclk current_socclk current_uclk current_fclk current_vclk current_dclk') + \
    [('current_coreclk', U16 * 8), ('current_l3clk', U16 * 2), ('throttle_status', U32)] + u16('fan_pwm')
V2_1 = HEAD + APU_HEAT + APU_BUSY + u64('system_clock_counter') + APU_POWER + APU_CLOCKS + [('padding', U16 * 3)]
V2_2 = V2_1 + u64('indep_throttle_status')
V2_3 = V2_2 + u16('average_temperature_gfx average_temperature_soc') + [('avg_core', U16 * 8), ('avg_l3', U16 * 2)]
LAYOUTS = {
    (1, 0): HEAD + u64('system_clock_counter') + HEAT + BUSY + [('energy_accumulator', U32)] + CLOCKS + STATE +
    [('pcie_link_width', U8), ('pcie_link_speed', U8)],
    (1, 1): V1_1, (1, 2): V1_2, (1, 3): V1_3,
    (1, 4): V1_4_BEGIN + ENERGY + THROTTLE + LINKS + V1_4_END,
    (1, 5): V1_4_BEGIN + [('jpeg_activity', U16 * 32)] + ENERGY + THROTTLE + LINKS + NAK + V1_4_END,
    (1, 6): accumulating([], [], PartsV1),
    (1, 7): accumulating(u64('max_bandwidth'), [('link_status', U16 * 8)] + u16('padding'), PartsV11),
    (1, 8): accumulating(u64('max_bandwidth'), [('link_status', U16 * 8)] + u16('padding'), PartsV12),
    (2, 0): HEAD + u64('system_clock_counter') + APU_HEAT + APU_BUSY + APU_POWER + APU_CLOCKS + u16('padding'),
    (2, 1): V2_1, (2, 2): V2_2, (2, 3): V2_3,
    (2, 4): V2_3 + u16('cpu_voltage soc_voltage gfx_voltage cpu_current soc_current gfx_current'),
    (3, 0): HEAD + u16('temperature_gfx temperature_soc') + [('temperature_core', U16 * 16)] + u16('temperature_skin average_gfx_activity vcn') +
    [('ipu', U16 * 8), ('c0', U16 * 16)] + u16('average_dram_reads average_dram_writes ipu_reads ipu_writes') + u64('system_clock_counter') +
    [('average_socket_power', U32), ('ipu_power', U16), ('apu_power', U32), ('average_gfx_power', U32), ('dgpu_power', U32),
     ('all_core_power', U32), ('core_power', U16 * 16)] + u16('sys_power stapm current_stapm a_gfxclk a_socclk a_vpeclk a_ipuclk a_fclk a_vclk a_uclk a_mpipu') +
    [('current_coreclk', U16 * 16)] + u16('core_maxfreq gfx_maxfreq') + [('r' + str(i), U32) for i in range(8)],
}


def structure(fields):
    return type('Metrics', (ctypes.LittleEndianStructure,), {'_fields_': fields})


NUMBERED = ('temperature_hotspot temperature_mem temperature_vrsoc current_socket_power average_gfx_activity average_umc_activity max_bandwidth '
            'energy_accumulator system_clock_counter ' + ' '.join(RESIDENCIES) + ' lock_status pcie_link_width pcie_link_speed xgmi_link_width '
            'xgmi_link_speed gfx_acc mem_acc pcie_bandwidth_acc pcie_bandwidth_inst l0_count replay_count rover_count nak_sent nak_rcvd xgmi_read '
            'xgmi_write link_status firmware_timestamp current_gfxclk current_socclk current_vclk0 current_dclk0 current_uclk num_partition').split()
MHZ, CELSIUS, WATT, PERCENT = 1, 2, 3, 10
UNITS = {name: CELSIUS for name in NUMBERED if name.startswith('temperature')} | {name: MHZ for name in NUMBERED if name.startswith('current_')} | \
    {'current_socket_power': WATT, 'average_gfx_activity': PERCENT, 'average_umc_activity': PERCENT}
KINDS = {U8: 0, U16: 2, U32: 4, U64: 6}


def attributes(metrics, fields, wide=()):
    """v1.9 of the same values as a table: each behind its word of 64 bits. Later kernels have some of them in 64 bits as well."""
    out, count = b'', 0
    for name, of in fields:
        if name not in NUMBERED:
            continue
        array = hasattr(of, '_length_')
        kind, instances = (of._type_, of._length_) if array else (of, 1)
        value = getattr(metrics, name)
        kind = U64 if name in wide else kind
        word = UNITS.get(name, 0) << 24 | KINDS[kind] << 20 | NUMBERED.index(name) << 10 | instances
        out += word.to_bytes(8, 'little') + (bytes(value) if array else value.to_bytes(ctypes.sizeof(kind), 'little'))
        count += 1
    size = 8 + len(out)
    return bytes((size & 255, size >> 8, 1, 9)) + count.to_bytes(4, 'little') + out


def tree(raw, later=None):
    device = '/sys/devices/pci0000:00/0000:03:00.0'
    def lines(data):
        return '\n'.join('\t' + data.hex()[i:i + 64] for i in range(0, len(data) * 2, 64))
    change = f'at 50ms\nhex {device}/gpu_metrics\n{lines(later)}\n' if later else ''
    return f'''uid 0
file /proc/sys/kernel/osrelease
	6.8.0-fixture
link /sys/class/drm/card0 ../../devices/pci0000:00/0000:03:00.0/drm/card0
link {device}/drm/card0/device ../../../0000:03:00.0
file {device}/drm/renderD128/dev
	226:128
file {device}/uevent
	DRIVER=amdgpu
	PCI_SLOT_NAME=0000:03:00.0
file {device}/vendor
	0x1002
file {device}/device
	0x7300
hex {device}/gpu_metrics
{lines(raw)}
process 1 0 0 init
{change}'''


def measure(tool, raw, *more, later=None):
    with tempfile.NamedTemporaryFile('w', suffix='.tree') as text:
        text.write(tree(raw, later))
        text.flush()
        run = subprocess.run([tool, 'stat', '-d', 'drm', '-I', '100ms', '-t', '300ms', '--json', '-m', '*', *more],
                             env=dict(os.environ, SEXTANT_TREE=text.name), capture_output=True, text=True, timeout=60, check=False)
    return run, json.loads(run.stdout)


def expected(values, version):
    apu, out = version[0] >= 2, {}
    heat, watt = (0.01, 1e-3) if apu else (1, 1)  # the command writes base units: W, s, bytes a second
    for field, counter, scale in (('temperature_gfx' if apu else 'temperature_edge', 'Temperature', heat),
                                  ('temperature_hotspot', 'HotspotTemperature', heat), ('temperature_mem', 'MemoryTemperature', heat),
                                  ('current_gfxclk' if version[0] < 3 else 'a_gfxclk', 'Clock', 1e6),
                                  ('current_uclk' if version[0] < 3 else 'a_uclk', 'MemoryClock', 1e6),
                                  ('average_socket_power', 'SocketPower', watt), ('current_socket_power', 'SocketPower', watt),
                                  ('average_gfx_power', 'GfxPower', watt), ('current_fan_speed', 'Fan', 1),
                                  ('average_dram_reads', 'DramRead', 1e6), ('average_dram_writes', 'DramWrite', 1e6)):
        if field in values:
            out[counter] = values[field] * scale
    out['Power'] = out.get('GfxPower', out.get('SocketPower'))
    if version[0] != 2:
        out['BusyTime'] = values['average_gfx_activity'] * 1e-3
    if 'throttle_status' in values:
        out['Throttled'] = 100
    return out


def residencies(tool):
    """Shares of the firmware's ticks between two readings: of power, of heat, of whatever lasted longest; none where the counts make no sense."""
    wrong = checked = 0
    for version, wide in (((1, 6), ()), ((1, 7), ()), ((1, 8), ()), ((1, 9), ()), ((1, 9), RESIDENCIES), ((1, 9), RESIDENCIES[1:])):
        fields = LAYOUTS[(1, 8) if version == (1, 9) else version]
        for before, after, want in (((1000, 5, 10, 20, 30, 40), (1200, 5, 60, 20, 70, 41), (25, 25, 20)),
                                    ((2**32 - 100, 2**32 - 2, 0, 0, 0, 0), (100, 98, 0, 0, 0, 0), (50, 0, 50)),
                                    ((1000, 0, 0, 0, 0, 0), (10, 0, 0, 0, 0, 0), (None,) * 3),
                                    ((1000, 0, 0, 0, 0, 0), (1010, 0, 11, 0, 0, 0), (None,) * 3),
                                    ((1000, 0, 0, 0, 0, 0), (1010, 0, 0, 2**32 - 1, 0, 0), (None,) * 3)):
            if wide and before[0] > 2**31:
                continue  # such a count does not wrap there
            raws = []
            for counts in (before, after):
                metrics = structure(fields)()
                metrics.structure_size, (metrics.format_revision, metrics.content_revision) = ctypes.sizeof(metrics), version
                for name, count in zip(RESIDENCIES, counts):
                    setattr(metrics, name, count)
                raws.append(attributes(metrics, fields, wide) if version == (1, 9) else bytes(metrics))
            _, document = measure(tool, raws[0], later=raws[1])
            got = {metric['name']: metric['max'] for metric in document['metrics']}
            for name, value in zip(('Throttled', 'ThrottledPower', 'ThrottledThermal'), want):
                checked += 1
                if (got[name] is None) != (value is None) or value is not None and abs(got[name] - value) > 1e-9:
                    wrong += 1
                    print(f'v{version[0]}.{version[1]}: {name} is {got[name]}, and should be {value}')
    return checked, wrong


def malformed(tool):
    """Version 1.9 whose parts do not fit is refused; parts that are not known, or in other units, are passed over."""
    wrong = 0
    metrics = structure(LAYOUTS[1, 8])()
    metrics.current_gfxclk[0] = 2000
    good = attributes(metrics, LAYOUTS[1, 8])
    more = (0x3ff << 10 | 2).to_bytes(8, 'little') + b'ab'

    def sized(raw, count=0):
        raw = bytearray(raw)
        raw[:2] = len(raw).to_bytes(2, 'little')
        raw[4:8] = (int.from_bytes(raw[4:8], 'little') + count).to_bytes(4, 'little')
        return bytes(raw)
    cases = [(good, 2e9), (sized(good + more, 1), 2e9), (sized(good + more), None), (sized(good[:-1]), None), (sized(good, 1), None), (sized(good, -1), None),
             (sized(good[:4] + b'\xff\xff\xff\xff' + good[8:]), None), (good + b'\0', None), (sized(good[:8], 0), None),
             (sized(good + (8 << 20 | 1).to_bytes(8, 'little') + b'a' * 16, 1), None), (sized(good + bytes(8), 1), None),
             (sized(good + (1 << 32 | 1).to_bytes(8, 'little') + b'a', 1), None)]
    other = bytearray(good)
    at = good.index((MHZ << 24 | 2 << 20 | 33 << 10 | 8).to_bytes(8, 'little'))
    other[at + 3] = WATT
    cases.append((bytes(other), None))
    for raw, want in cases:
        _, document = measure(tool, raw)
        got = next(metric['mean'] for metric in document['metrics'] if metric['name'] == 'Clock')
        refused = 'gpu_metrics v1.9' in json.dumps(document)
        if got != want or refused != (want is None and raw != bytes(other)):
            wrong += 1
            print(f'v1.9 of {len(raw)} bytes: the clock is {got}, and should be {want}; refused: {refused}')
    return len(cases), wrong


def main():
    tool, wrong, checked = sys.argv[1], 0, 0
    for check in (residencies, malformed):
        more = check(tool)
        checked, wrong = checked + more[0], wrong + more[1]
    for version, fields in list(LAYOUTS.items()) + [((1, 9), LAYOUTS[1, 8])]:
        kind = structure(fields)
        metrics, values = kind(), {}
        for number, (name, of) in enumerate(fields):
            small = 20 + number % 80
            if of in (U16, U32, U64, U8) and name not in ('structure_size', 'format_revision', 'content_revision'):
                values[name] = small
                setattr(metrics, name, small)
            elif name == 'current_gfxclk':
                metrics.current_gfxclk[0], values[name] = small, small
        metrics.structure_size, (metrics.format_revision, metrics.content_revision) = ctypes.sizeof(kind), version
        run, document = measure(tool, attributes(metrics, fields) if version == (1, 9) else bytes(metrics))
        got = {metric['name']: metric['mean'] for metric in document['metrics']}
        got['BusyTime'] = next((m['max'] for m in document['metrics'] if m['name'] == 'BusyTime'), None)
        for name, value in expected(values, version).items():
            checked += 1
            if got.get(name) is None or abs(got[name] - value) > 1e-6 * max(value, 1):
                wrong += 1
                print(f'v{version[0]}.{version[1]}: {name} is {got.get(name)}, and should be {value}')
    # What is not known exactly is refused, by its number, and never read.
    good = bytearray(bytes(structure(V1_3)()))
    for version, size in (((1, 7), 120), ((1, 8), 120), ((1, 9), 120), ((1, 6), 384), ((1, 10), 120), ((4, 0), 120), ((1, 3), 128), ((0, 0), 4), ((2, 5), 120)):
        raw = bytearray(size)
        raw[:min(size, len(good))] = good[:size]
        raw[0:4] = bytes((size & 255, size >> 8, *version))
        raw[54:56] = b'\x10\x10' if size > 56 else b''
        _, document = measure(tool, bytes(raw))
        checked += 1
        metrics = {metric['name']: metric for metric in document['metrics']}
        told = json.dumps(document)
        if metrics['Clock']['mean'] is not None or f'gpu_metrics v{version[0]}.{version[1]}' not in told:
            wrong += 1
            print(f'v{version[0]}.{version[1]} of {size} bytes was not refused by its number')
        reason = 'has another size or other parts' if version <= (1, 9) and version[0] else 'is not known'
        if f'gpu_metrics v{version[0]}.{version[1]} {reason}' not in told:
            wrong += 1
            print(f'v{version[0]}.{version[1]} of {size} bytes: "{reason}" is not said')
    _, document = measure(tool, bytes(good[:3]))
    checked += 1
    if 'gpu_metrics ends before its revision' not in json.dumps(document):
        wrong += 1
        print('a table of 3 bytes has a revision')
    # Bits that mean the same on every chip: power, current, temperature, others.
    for bit, reason in ((0, 'Power'), (15, 'Power'), (16, 'Current'), (31, 'Current'), (32, 'Thermal'), (55, 'Thermal'), (56, None), (63, None)):
        for version, fields in (((1, 3), V1_3), ((2, 2), V2_2), ((2, 4), LAYOUTS[2, 4])):
            metrics = structure(fields)()
            metrics.structure_size, (metrics.format_revision, metrics.content_revision) = ctypes.sizeof(metrics), version
            metrics.indep_throttle_status = 1 << bit
            _, document = measure(tool, bytes(metrics))
            got = {metric['name']: metric['mean'] for metric in document['metrics']}
            for name in ('Power', 'Current', 'Thermal'):
                checked += 1
                if got['Throttled'] != 100 or got['Throttled' + name] != (100 if name == reason else 0):
                    wrong += 1
                    print(f'v{version[0]}.{version[1]}: bit {bit}: Throttled{name} is {got["Throttled" + name]}')
    print(f'{len(LAYOUTS) + 1} revisions, {checked} values, {wrong} wrong')
    return 1 if wrong or checked < 80 else 0


if __name__ == '__main__':
    sys.exit(main())
