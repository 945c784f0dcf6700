#!/usr/bin/env python3
"""
Files as other tools write them, from scripted numbers: an independent writer for the tests of import, for its fuzz
seeds and for examples/data. Each writer returns (bytes or {name: bytes}, expected), where expected maps a column of the
capture (or a metric) to its values, a row each. usage: import_files.py FOLDER writes one of each kind.
"""
import json
import math
import os
import random
import re
import struct
import sys
import zlib


def frames(count=120, seed=7):
    """A program at about 60 frames a second with a slow stretch, as numbers a tool might read."""
    rng = random.Random(seed)
    out, now = [], 0
    for i in range(count):
        slow = 2.2 if 60 <= i < 75 else 1
        ms = round(16.5 * slow + rng.uniform(-0.8, 0.8), 4)
        now += int(ms * 1e6)
        out.append({'ms': ms, 'now': now, 'busy': round(min(99.0, 88 + 8 * math.sin(i / 9) + slow)), 'mhz': 2400 + i % 7 * 10,
                    'watts': round(180 + rng.uniform(-9, 9), 1), 'temp': 60 + i // 20, 'cpu': round(20 + rng.uniform(0, 9), 2),
                    'vram': round(6 + i / 400, 4)})
    return out


def mangohud(version='0.8', count=120):
    data = frames(count)
    head = []
    if version == 'versioned':
        head += ['v1', '0.7.2', '---------------------SYSTEM INFO---------------------']
    head += ['os,cpu,gpu,ram,kernel,driver,cpuscheduler',
             "Debian GNU/Linux 12,AMD Ryzen 7 5800X,AMD Radeon RX 6800 (RADV NAVI21),32768000,6.1.0,Mesa 24.1,schedutil"]
    if version == 'versioned':
        head += ['--------------------FRAME METRICS--------------------']
    if version == '0.6':  # whole microseconds, fewer columns
        head += ['fps,frametime,cpu_load,gpu_load,cpu_temp,gpu_temp,gpu_core_clock,gpu_mem_clock,gpu_vram_used,gpu_power,ram_used,elapsed']
        rows = [f"{1000 / f['ms']:.6g},{round(f['ms'] * 1000)},{f['cpu']:g},{f['busy']},55,{f['temp']},{f['mhz']},1990,{f['vram']:g},"
                f"{f['watts']:g},9.5,{f['now']}" for f in data]
        times = [round(f['ms'] * 1000) * 1000 for f in data]
    else:
        head += ['fps,frametime,cpu_load,cpu_power,gpu_load,cpu_temp,gpu_temp,gpu_core_clock,gpu_mem_clock,gpu_vram_used,gpu_power,'
                 'ram_used,swap_used,process_rss,cpu_mhz,elapsed']
        rows = [f"{1000 / f['ms']:.6g},{f['ms']:g},{f['cpu']:g},65.5,{f['busy']},55,{f['temp']},{f['mhz']},1990,{f['vram']:g},{f['watts']:g},"
                f"9.5,0,1.5,4450,{f['now']}" for f in data]
        times = [f['ms'] * 1e6 for f in data]
    expected = {'FrameTimes': times, 'GpuBusy': [f['busy'] for f in data], 'GpuFrequency': [f['mhz'] * 1e6 for f in data],
                'GpuPower': [f['watts'] * 1e3 for f in data], 'MemoryUsed': [f['vram'] * 2**30 for f in data],
                'GpuTemperature': [f['temp'] for f in data], 'end_ns': [f['now'] for f in data]}
    return ('\n'.join(head + rows) + '\n').encode(), expected


def mangohud_interval():
    """log_interval: at each look the frame that was the last."""
    data = frames(400)
    lines, times, at = mangohud()[0].decode().splitlines()[:3], [], 0
    for look in range(1, 60):
        while data[at + 1]['now'] < look * 10**8:
            at += 1
        lines.append(f"{1000 / data[at]['ms']:.6g},{data[at]['ms']:g},20,65.5,{data[at]['busy']},55,60,2400,1990,6,180,9.5,0,1.5,4450,{look * 10**8}")
        times.append(data[at]['ms'] * 1e6)
    return ('\n'.join(lines) + '\n').encode(), {'LastFrameTime': times, 'end_ns': [look * 10**8 for look in range(1, 60)]}


def mangohud_two():
    """Two logs of two versions behind each other."""
    (first, have), (second, more) = mangohud('versioned'), mangohud('0.6')
    last = have['end_ns'][-1]
    return first + second, {'FrameTimes': have['FrameTimes'] + more['FrameTimes'], 'GpuBusy': have['GpuBusy'] + more['GpuBusy'],
                            'end_ns': have['end_ns'] + [last + t for t in more['end_ns']]}


KERNELS = ['void gemm<float, 64>(float const*, float*, int)', 'reduce_rows(float*, int) [clone .kd]', 'copy<"x, y">(char*)']


def quoted(text):
    """A cell of CSV (RFC 4180)."""
    return '"' + text.replace('"', '""') + '"'


def dispatches(count=24):
    rng = random.Random(3)
    now, out = 1569115829711253, []
    for i in range(count):
        length = rng.randrange(5000, 90000)
        out.append({'id': i + 1, 'kernel': KERNELS[i % 3], 'begin': now, 'end': now + length, 'agent': 4 + i % 2,
                    'SQ_WAVES': rng.randrange(64, 9000), 'VALUBusy': round(rng.uniform(5, 95), 6),
                    'VALUUtilization': round(rng.uniform(20, 50), 6), 'MemUnitStalled': round(rng.uniform(25, 60), 6),
                    'L2CacheHit': round(rng.uniform(10, 35), 6), 'FetchSize': round(rng.uniform(2000, 9000), 4)})
        now += length + rng.randrange(900, 4000)
    return out


COUNTERS = ['SQ_WAVES', 'VALUBusy', 'VALUUtilization', 'MemUnitStalled', 'L2CacheHit', 'FetchSize']


def rocprofv3(timestamps=True, one_agent=True):
    head = ['Correlation_Id', 'Dispatch_Id', 'Agent_Id', 'Queue_Id', 'Process_Id', 'Thread_Id', 'Grid_Size', 'Kernel_Id', 'Kernel_Name',
            'Workgroup_Size', 'LDS_Block_Size', 'Scratch_Size', 'VGPR_Count', 'Accum_VGPR_Count', 'SGPR_Count', 'Counter_Name',
            'Counter_Value'] + (['Start_Timestamp', 'End_Timestamp'] if timestamps else [])
    lines = [','.join(f'"{h}"' for h in head)]
    data = dispatches()
    for d in data:
        for name in COUNTERS:
            agent = 4 if one_agent else d['agent']
            row = [d['id'], d['id'], f'"Agent {agent}"', 1, 77, 77, 4096, 9, quoted(d['kernel']), 256, 1024, 0, 36, 0, 48, f'"{name}"',
                   f'{d[name]:.6f}' if name != 'SQ_WAVES' else d[name]] + ([d['begin'], d['end']] if timestamps else [])
            lines.append(','.join(map(str, row)))
    mine = [d for d in data if one_agent or d['agent'] == 4]
    expected = {n if n != 'L2CacheHit' else 'CacheHit': [d[n] for d in mine] for n in COUNTERS}
    expected['group'] = [d['kernel'] for d in mine]
    if timestamps:
        expected['begin_ns'] = [d['begin'] for d in mine]
        expected['end_ns'] = [d['end'] for d in mine]
    return ('\n'.join(lines) + '\n').encode(), expected


def rocprof():
    lines = ['Index,KernelName,gpu-id,queue-id,queue-index,pid,tid,grd,wgr,lds,scr,arch_vgpr,accum_vgpr,sgpr,wave_size,sig,obj,'
             + ','.join(COUNTERS) + ',DispatchNs,BeginNs,EndNs,CompleteNs']
    data = dispatches()
    for i, d in enumerate(data):
        values = ','.join(f'{d[c]:.10g}' for c in COUNTERS)
        lines.append(f'{i},{quoted(d["kernel"])},0,0,{i},77,77,4096,256,1024,0,36,0,48,64,0x0,0x7f12,{values},{d["begin"] - 99},{d["begin"]},{d["end"]},'
                     f'{d["end"] + 50}')
    expected = {n if n != 'L2CacheHit' else 'CacheHit': [d[n] for d in data] for n in COUNTERS}
    expected |= {'group': [d['kernel'] for d in data], 'begin_ns': [d['begin'] for d in data], 'end_ns': [d['end'] for d in data]}
    return ('\n'.join(lines) + '\n').encode(), expected


def codexl():
    lines = ['# ProfilerVersion=5.1.7386', '# Application=/usr/bin/nbody', '# ApplicationArgs=-q', '# ListSeparator=,',
             'Method , ExecutionOrder , ThreadID , CallIndex , GlobalWorkSize , WorkGroupSize , Time , LocalMemSize , VGPRs , SGPRs , ScratchRegs , '
             'Wavefronts , VALUInsts , VALUUtilization , VALUBusy , FetchSize , CacheHit , MemUnitStalled , LDSBankConflict']
    data, times = [], []
    rng = random.Random(5)
    now = 0
    for i in range(10):
        v = [1024, round(rng.uniform(50, 99), 2), round(rng.uniform(20, 50), 2), round(rng.uniform(5, 80), 2), round(rng.uniform(2000, 4000), 2),
             round(rng.uniform(5, 30), 2), round(rng.uniform(22, 50), 2), 0]
        ms = round(rng.uniform(0.1, 2), 5)
        lines.append(f'nbody_sim__k1_Tahiti1,{i + 1},2520,{i + 30},{{  65536       1       1}},{{  256     1     1}},{ms},4096,28,18,NA,'
                     + ','.join(f'{x:.2f}' for x in v))
        data.append(v)
        now += round(ms * 1e6)
        times.append(now)
    names = ['Wavefronts', 'VALUInsts', 'VALUUtilization', 'VALUBusy', 'FetchSize', 'CacheHit', 'MemUnitStalled', 'LDSBankConflict']
    expected = {n: [v[i] for v in data] for i, n in enumerate(names)}
    expected |= {'end_ns': times, 'group': ['nbody_sim__k1_Tahiti1'] * 10}
    return ('\r\n'.join(lines) + '\r\n').encode(), expected


def codexl_hsa():
    """Radeon Compute Profiler 5.6 on HSA: names of kernels are demangled and not quoted, there is no Time."""
    columns = ['Method', 'ExecutionOrder', 'ThreadID', 'GlobalWorkSize', 'WorkGroupSize', 'LocalMemSize', 'VGPRs', 'SGPRs', 'Wavefronts', 'VALUBusy',
               'CacheHit']
    kernels = ['void gemm<float, 64>(float const*, float*, int)_gfx803', 'copy_gfx803', 'scale(float*, float)_gfx803']
    lines = ['#ProfileFileVersion=5.6', '#ProfilerVersion=5.6.7262', '#API=HSA', '#Application=/usr/bin/nbody', '#ListSeparator=,', ', '.join(columns)]
    data = [(kernels[i % 3], 1024 + i, 12.25 + i, 30.5) for i in range(7)]
    lines += [', '.join([name, str(i + 1), '2520', '{  65536       1       1}', '{  256     1     1}', '4096', '28', 'NA', f'{waves}',
                         f'{busy:12.2f}', f'{hit:12.2f}']) for i, (name, waves, busy, hit) in enumerate(data)]
    return ('\n'.join(lines) + '\n').encode(), {'group': [d[0] for d in data], 'Wavefronts': [d[1] for d in data], 'VALUBusy': [d[2] for d in data],
                                                 'CacheHit': [30.5] * 7, 'VGPRs': [28] * 7}


def gpa_csv():
    lines = ['Frame,GPUBusy,VSBusy,PSBusy,PrimitivesIn,GPUTime']
    data = [(i, 90 + i / 10, 11.5, 70.25 + i, 4000 + i, 5.5) for i in range(8)]
    lines += [','.join(f'{x:g}' for x in row) for row in data]
    return ('\n'.join(lines) + '\n').encode(), {'GPUBusy': [d[1] for d in data], 'PSBusy': [d[3] for d in data],
                                                 'PrimitivesIn': [d[4] for d in data], 'frame': [d[0] for d in data]}


def renderdoc():
    lines = ['EID,GPU Duration (s),Input Vertices Read,Input Primitives,VS Invocations,Rasterized Primitives,PS Invocations,Samples Passed']
    data = [(10 + 3 * i, 0.000125 * (i + 1), 300 + i, 100 + i, 200 + i, 90, 50000 + 7 * i, 40000) for i in range(9)]
    lines += [','.join(f'{x:.9g}' for x in row) for row in data]
    ends, now = [], 0
    for d in data:
        now += round(d[1] * 1e9)
        ends.append(now)
    return ('\n'.join(lines) + '\n').encode(), {'IAVertices': [d[2] for d in data], 'PSInvocations': [d[6] for d in data],
                                                 'Occlusion': [d[7] for d in data], 'end_ns': ends, 'group': [str(d[0]) for d in data]}


def intel_gpu_top(cut=False, bare=False):
    samples = []
    for i in range(20):
        samples.append(json.dumps({
            'period': {'duration': 1000.25, 'unit': 'ms'}, 'frequency': {'requested': 1300.0, 'actual': 1250.5 + i, 'unit': 'MHz'},
            'interrupts': {'count': 812.4, 'unit': 'irq/s'}, 'rc6': {'value': 3.5, 'unit': '%'},
            'power': {'GPU': 4.25, 'Package': 15.5, 'unit': 'W'}, 'imc-bandwidth': {'reads': 2048.0, 'writes': 512.0, 'unit': 'MiB/s'},
            'engines': {'Render/3D/0': {'busy': 80.5 + i / 2, 'sema': 0.0, 'wait': 1.5, 'unit': '%'},
                        'Blitter/0': {'busy': 2.0, 'sema': 0.0, 'wait': 0.0, 'unit': '%'},
                        'Video/0': {'busy': 10.0, 'sema': 0.0, 'wait': 0.0, 'unit': '%'},
                        'Video/1': {'busy': 7.0, 'sema': 0.0, 'wait': 0.0, 'unit': '%'}},
            'clients': {'4212': {'name': 'game', 'pid': '100', 'engine-classes': {'Render/3D': {'busy': '70.0', 'unit': '%'}}}}}, indent='\t'))
    text = ',\n'.join(samples)
    text = text if bare else '[\n' + text + ('' if cut else '\n]\n')
    count = 20
    if cut == 'inside':
        text = text[:text.rindex('"clients"') - 60]
    return text.encode(), {'GpuBusy': [80.5 + i / 2 for i in range(count)], 'GpuFrequency': [(1250.5 + i) * 1e6 for i in range(count)],
                           'GpuPower': [4250.0] * count, 'MemoryReadBandwidth': [2048 * 1.048576] * count, 'VideoBusy': [10] * count,
                           'Video/1 busy': [7] * count, 'end_ns': [1000250000 * (i + 1) for i in range(count)]}


def intel_gpu_top_units():
    """Every group in another unit than today's: the strings in the file tell. GTs of their own, as -p writes them."""
    samples = [json.dumps({
        'period': {'duration': 0.5, 'unit': 's'}, 'frequency-gt0': {'requested': 1.3, 'actual': 1.25, 'unit': 'GHz'},
        'frequency-gt1': {'requested': 0.9, 'actual': 0.75, 'unit': 'GHz'}, 'interrupts': {'count': 800.0, 'unit': 'irq/s'},
        'rc6-gt0': {'value': 3.5, 'unit': '%'}, 'rc6-gt1': {'value': 50.5, 'unit': '%'}, 'power': {'GPU': 4250.0 + i, 'Package': 15500.0, 'unit': 'mW'},
        'imc-bandwidth': {'reads': 2.0, 'writes': 0.5, 'unit': 'GB/s'}, 'engines': {'Render/3D': {'busy': 80.5, 'sema': 0.0, 'wait': 0.0, 'unit': '%'}}})
        for i in range(4)]
    return ('[\n' + ',\n'.join(samples) + '\n]\n').encode(), {
        'GpuFrequency': [1.25e9] * 4, 'GpuFrequencyRequested': [1.3e9] * 4, 'frequency-gt1 actual': [0.75e9] * 4, 'rc6-gt1 value': [50.5] * 4,
        'SleepShare': [3.5] * 4, 'GpuPower': [4250.0 + i for i in range(4)], 'PackagePower': [15500.0] * 4, 'MemoryReadBandwidth': [2000.0] * 4,
        'MemoryWriteBandwidth': [500.0] * 4, 'InterruptRate': [800.0] * 4, 'GpuBusy': [80.5] * 4, 'end_ns': [500_000_000 * (i + 1) for i in range(4)]}


def intel_gpu_top_csv_gts():
    """-c -p on a chip with two GTs."""
    lines = ['Freq GT0 MHz req,Freq GT0 MHz act,Freq GT1 MHz req,Freq GT1 MHz act,IRQ /s,RC6 GT0 %,RC6 GT1 %,Power W gpu,Power W pkg,IMC GiB/s rd,'
             'IMC GiB/s wr,RCS/0 %,RCS/0 se,RCS/0 wa,CCS/0 %,CCS/0 se,CCS/0 wa,VCS/1 %,VCS/1 se,VCS/1 wa']
    lines += [f'1300.0,{1200 + i}.0,900.0,800.0,500.0,5.5,60.5,3.25,15.0,2.0,1.0,{70 + i}.5,0.0,1.0,2.0,0.0,0.0,9.0,0.0,0.0' for i in range(6)]
    return ('\n'.join(lines) + '\n').encode(), {
        'GpuBusy': [70.5 + i for i in range(6)], 'GpuFrequency': [(1200 + i) * 1e6 for i in range(6)], 'frequency-gt1 actual': [800e6] * 6,
        'rc6-gt1 value': [60.5] * 6, 'SleepShare': [5.5] * 6, 'GpuPower': [3250.0] * 6, 'MemoryReadBandwidth': [2 * 2**30 / 1e6] * 6,
        'RenderBusy': [70.5 + i for i in range(6)], 'ComputeBusy': [2.0] * 6}


def intel_gpu_top_csv():
    lines = ['Freq MHz req,Freq MHz act,IRQ /s,RC6 %,Power W gpu,Power W pkg,RCS %,RCS se,RCS wa,BCS %,BCS se,BCS wa']
    lines += [f'1300.0,{1200 + i}.0,500.0,5.5,3.25,15.0,{70 + i}.5,0.0,1.0,2.0,0.0,0.0' for i in range(6)]
    return ('\n'.join(lines) + '\n').encode(), {'GpuBusy': [70.5 + i for i in range(6)], 'GpuFrequency': [(1200 + i) * 1e6 for i in range(6)],
                                                 'GpuPower': [3250.0] * 6}


def intel_gpu_top_list():
    """-l, whose lines of words come again; the first as long as the others."""
    head = ['Freq MHz      IRQ RC6     Power W     IMC MiB/s           RCS/0           BCS/0           CCS/0 ',
            ' req  act       /s   %   gpu   pkg     rd     wr       %  se  wa       %  se  wa       %  se  wa ']
    rows = [f'1300 {1200 + i:>4}      500   6  3.25 15.00   1000     80   {70 + i}.50   0   1    2.00   0   0    3.00   0   0 ' for i in range(6)]
    return ('\n'.join(head + rows[:3] + head + rows[3:]) + '\n').encode(), {
        'GpuBusy': [70.5 + i for i in range(6)], 'GpuFrequency': [(1200 + i) * 1e6 for i in range(6)], 'GpuPower': [3250.0] * 6, 'PackagePower': [15000.0] * 6,
        'SleepShare': [6.0] * 6, 'InterruptRate': [500.0] * 6, 'MemoryReadBandwidth': [1000 * 2**20 / 1e6] * 6, 'CopyBusy': [2.0] * 6, 'ComputeBusy': [3.0] * 6}


def nvtop(forget_commas=False):
    def device(name, i):
        pairs = [('device_name', name), ('gpu_clock', f'{2000 + i}MHz'), ('mem_clock', '1249MHz'), ('temp', '51C'), ('fan_speed', '14%'),
                 ('power_draw', f'{117 + i}W'), ('gpu_util', f'{73 + i}%'), ('mem_util', '28%')]
        separator = ',\n   '
        text = separator.join(f'"{k}": "{v}"' if v else f'"{k}": null' for k, v in pairs)
        tail = '"mem_total": "17163091968"\n   "mem_used": "4805665792"' if forget_commas else \
            '"mem_total": "17163091968",\n   "mem_used": "4805665792"'
        return '  {\n   ' + text + ('\n   ' if forget_commas else ',\n   ') + tail + '\n  }'
    one = '[\n' + device('AMD Radeon RX 7900 XTX', 0) + ',\n' + device('AMD Ryzen 9 7950X', 5) + '\n]\n'
    two = '[\n' + device('AMD Radeon RX 7900 XTX', 1) + ',\n' + device('AMD Ryzen 9 7950X', 6) + '\n]\n'
    return (one + two).encode(), {'GpuBusy': [73, 74], 'GpuFrequency': [2000e6, 2001e6], 'GpuPower': [117e3, 118e3], 'GpuTemperature': [51, 51],
                                  'MemoryUsed': [4805665792] * 2}


def radeontop():
    lines, ends = ['Dumping to -, until termination.'], []
    for i in range(12):
        seconds, micros = 1700000000 + i, 5 * i + 17
        ends.append(seconds * 10**9 + micros * 1000)
        lines.append(f'{seconds}.{micros}: bus 03, gpu {60.5 + i:.2f}%, ee 0.00%, vgt 4.17%, ta 30.00%, tc 12.50%, sx 8.33%, sh 1.00%, spi 9.17%, '
                     f'sc 40.83%, pa 3.33%, db 39.17%, cb 37.50%, uvd 0.00%, vce0 0.00%, vram 25.00% 2048.50mb, gtt 1.20% 48.00mb, '
                     f'mclk 100.00% 1.990ghz, sclk 50.00% 1.150ghz')
    return ('\n'.join(lines) + '\n').encode(), {'GpuBusy': [60.5 + i for i in range(12)], 'MemoryUsed': [2048.5 * 2**20] * 12,
                                                 'GpuFrequency': [1.15e9] * 12, 'DepthBlockBusy': [39.17] * 12, 'end_ns': ends}


def radeontop_comma():
    """radeontop before it set LC_NUMERIC, under a locale with a decimal comma."""
    data, expected = radeontop()
    lines = data.decode().splitlines()
    return ('\n'.join(line.split(': ', 1)[0] + ': ' + line.split(': ', 1)[1].replace('.', ',') if ': bus' in line else line
                      for line in lines) + '\n').encode(), expected


def gallium_hud_comma():
    files, expected = gallium_hud()
    return {name: data.replace(b'.', b',') for name, data in files.items()}, expected


def gallium_hud():
    fps = [60 + i % 3 for i in range(15)]
    load = [80.5 + i for i in range(14)]
    return ({'fps': ('\n'.join(map(str, fps)) + '\n').encode(), 'GPU-load': ('\n'.join(f'{x:f}' for x in load) + '\n').encode(),
             'draw-calls': ('\n'.join(['1200'] * 15) + '\n').encode()},
            {'FrameRate': fps, 'GpuBusy': load + [None], 'draw-calls': [1200] * 15})


def utrace_events():
    out, now = [], 5_000_000
    for frame in range(3):
        for name, length in (('render_pass', 900_000), ('blit', 40_000), ('compute', 250_000)):
            out.append((frame, name, now, now + length))
            now += length + 1000
    return out


def utrace_csv():
    lines = ['frame,batch,time_ns,event,']
    for frame, name, begin, end in utrace_events():
        lines += [f'{frame},0,{begin},start_{name},width=64,', f'{frame},0,{end},end_{name},']
    return ('\n'.join(lines) + '\n\n').encode(), {'GpuTime': [e - b for _, _, b, e in utrace_events()],
                                                   'group': [n for _, n, _, _ in utrace_events()], 'frame': [f for f, *_ in utrace_events()],
                                                   'begin_ns': [b for _, _, b, _ in utrace_events()]}


def utrace_json():
    text, last = '[\n', None
    for frame, name, begin, end in utrace_events():
        if frame != last:
            text += ('' if last is None else ']\n}\n,\n') + f'{{\n"frame": {frame},\n"batches": [\n'
        else:
            text += ',\n'
        last = frame
        text += (f'{{\n"events": [\n{{\n"event": "intel_begin_{name}",\n"time_ns": "{begin:016d}",\n"params": {{"w": "64"}}\n}}\n,\n'
                 f'{{\n"event": "intel_end_{name}",\n"time_ns": "{end:016d}",\n"params": {{}}\n}}\n],\n"duration_ns": {end - begin}\n}}\n')
    return (text + ']\n}\n\n]').encode(), utrace_csv()[1]


def hwcpipe():
    lines = ['timestamp_ns,duration_ns,MaliGPUActiveCy,MaliFragQueueActiveCy,MaliCoreActiveCy']
    data = [(10**9 + i * 10**7, 10**7, 4_000_000 + i, 3_000_000 + i, 2_900_000) for i in range(10)]
    lines += [','.join(map(str, d)) for d in data]
    return ('\n'.join(lines) + '\n').encode(), {'MaliGPUActiveCy': [d[2] for d in data], 'begin_ns': [d[0] for d in data]}


def hwcpipe_symbols():
    lines = ['Time (ms);GPU_ACTIVE;FRAG_ACTIVE;L2_EXT_READ_BEATS']
    data = [(16.5 * (i + 1), 4_000_000 + i, 3_000_000, 700_000) for i in range(5)]
    lines += [';'.join(map(str, d)) for d in data]
    return ('\n'.join(lines) + '\n').encode(), {'GPU_ACTIVE': [d[1] for d in data], 'L2_EXT_READ_BEATS': [700_000] * 5,
                                                'end_ns': [16_500_000 * (i + 1) for i in range(5)]}


def hwcpipe_1():
    """The names of HWCPipe 1.0, which programs on it print."""
    lines = ['frame,GpuCycles,VertexComputeCycles,FragmentCycles,ExternalMemoryReadBytes']
    lines += [f'{i},{900 + i},{300 + i},{600 + i},4096' for i in range(5)]
    return ('\n'.join(lines) + '\n').encode(), {'GPU_ACTIVE': [900 + i for i in range(5)], 'JS0_ACTIVE': [600 + i for i in range(5)],
                                                'JS1_ACTIVE': [300 + i for i in range(5)], 'ExternalMemoryReadBytes': [4096] * 5,
                                                'frame': list(range(5))}


def hwcpipe_odd_order():
    """No front-end counter among them, and a line before the header."""
    lines = ['# sampled by my_app', 'timestamp_ns,$MaliTilerActiveCy,MaliFragQueueActiveCy']
    lines += [f'{10**9 + i},{5 + i},{7 + i}' for i in range(4)]
    return ('\n'.join(lines) + '\n').encode(), {'MaliTilerActiveCy': [5 + i for i in range(4)], 'MaliFragQueueActiveCy': [7 + i for i in range(4)]}


def streamline():
    lines = ['Time (s),ARM_Mali-TTUx_GPU_ACTIVE,ARM_Mali-TTUx_FRAG_ACTIVE,CPU Activity: User']
    data = [(0.1 * (i + 1), 40_000_000 + i, 30_000_000 + i, 12.5) for i in range(10)]
    lines += [f'{a:.3f},{b},{c},{d}' for a, b, c, d in data]
    return ('\n'.join(lines) + '\n').encode(), {'GPU_ACTIVE': [d[1] for d in data], 'end_ns': [10**8 * (i + 1) for i in range(10)]}


def perf_csv():
    lines, faults = ['# started on Sat Nov 21 22:00:00 2026', ''], []
    for i in range(5):
        t = f'{i + 1}.000{i:06d}'
        lines += [f'{t},1000.25,msec,task-clock,1000250000,100.00,1.000,CPUs utilized', f'{t},{50 + i},,page-faults [software],1000250000,100.00,50,/sec',
                  f'{t},{2000000 + i},,cycles,750000000,75.00,,']
        faults.append(50 + i)
    return ('\n'.join(lines) + '\n').encode(), {'PageFaults': faults, 'TaskClock': [1000250000] * 5, 'Cycles': [2000000 + i for i in range(5)]}


def perf_json():
    lines, faults = [], []
    for i in range(5):
        for value, unit, event in ((f'{1000.25:f}', 'msec', 'task-clock'), (f'{50 + i:f}', '', 'page-faults'), ('<not supported>', '', 'cycles')):
            lines.append(f'{{"interval" : {i + 1}.000{i:06d}, "counter-value" : "{value}", "unit" : "{unit}", "event" : "{event}", '
                         f'"event-runtime" : 1000250000, "pcnt-running" : 100.00, "metric-value" : "1.0", "metric-unit" : "CPUs utilized"}}')
        faults.append(50 + i)
    return ('\n'.join(lines) + '\n').encode(), {'PageFaults': faults, 'TaskClock': [1000250000] * 5}


def perf_json_array():
    """The same through Python's json, as one array."""
    data, expected = perf_json()
    return json.dumps([json.loads(line) for line in data.decode().splitlines()], indent=1).encode(), expected


def perf_text():
    text = '''
 Performance counter stats for 'sleep 1':

              1.25 msec task-clock                       #    0.001 CPUs utilized
                 1      context-switches                 #  800.000 /sec
            12,345      page-faults:u                    #   52.800 K/sec
         2,345,678      cycles                           #    1.876 GHz                         (66.67%)
   <not supported>      instructions

       1.001234567 seconds time elapsed

       0.000000000 seconds user
       0.001300000 seconds sys

'''
    return text.encode(), {'PageFaults': [12345], 'TaskClock': [1250000], 'Cycles': [2345678], 'ContextSwitches': [1], 'begin_ns': [0],
                           'end_ns': [1001234567]}


def perf_text_cpus():
    text = '''# started on Sun Nov 22 00:19:50 2026


 Performance counter stats for 'system wide':

CPU0                   209.50 msec task-clock                       #    0.999 CPUs utilized
CPU1                   200.25 msec task-clock                       #    1.000 CPUs utilized
CPU0                   17,908      page-faults                      #   85.449 K/sec
CPU1                       92      page-faults                      #   99.579 K/sec

       0.209727918 seconds time elapsed

'''
    return text.encode(), {'PageFaults': [18000], 'TaskClock': [409750000], 'end_ns': [209727918]}


def perf_text_socket():
    text = ''' Performance counter stats for 'system wide':

S0        2             432.50 msec task-clock                       #    2.000 CPUs utilized
S0        2                458      context-switches                 #    1.060 K/sec

       0.216016320 seconds time elapsed

'''
    return text.encode(), {'ContextSwitches': [458], 'TaskClock': [432500000]}


# What locale -k numeric says: mark of groups, their sizes from the right, decimal point.
LOCALES = {'de': ('.', (3,), ','), 'fr': ('\u202f', (3,), ','), 'cs': ('\u00a0', (3,), ','), 'ch': ('\u2019', (3,), '.'),
           'in': (',', (3, 2), '.'), 'c': ('', (99,), '.'), 'pt': ('', (99,), ',')}


def perf_number(locale, value, decimals=0):
    mark, sizes, point = LOCALES[locale]
    digits, _, fraction = f'{value:.{decimals}f}'.partition('.')
    groups, i = [], 0
    while digits:
        size = sizes[min(i, len(sizes) - 1)]
        groups.insert(0, digits[-size:])
        digits, i = digits[:-size], i + 1
    return mark.join(groups) + (point + fraction if fraction else '')


def perf_text_locale(locale):
    """perf stat under LC_ALL=…: counts grouped, two decimals or none; the times at the end are never grouped."""
    data = [(1234567.25, 'msec', 'task-clock'), (12345, '', 'page-faults'), (999, '', 'context-switches'), (23456789012, '', 'cycles')]
    lines = ['', " Performance counter stats for 'sleep 1':", '']
    lines += [f"{perf_number(locale, v, 2 if u else 0):>18} {u:4} {e:<32} # {perf_number(locale, 1.001, 3)} K/sec"
              f"{'  (' + perf_number(locale, 66.67, 2) + '%)' if e == 'cycles' else ''}" for v, u, e in data]
    point = LOCALES[locale][2]
    lines += ['', f'       1{point}001234567 seconds time elapsed', '', f'       0{point}100000000 seconds user', f'       0{point}001300000 seconds sys', '']
    return ('\n'.join(lines) + '\n').encode(), {'TaskClock': [1234567250000], 'PageFaults': [12345], 'ContextSwitches': [999],
                                                'Cycles': [23456789012], 'end_ns': [1001234567]}


def perf_repeat_locale():
    """perf stat -r: as many digits as the spread leaves, here three, which are no group."""
    text = '''
 Performance counter stats for 'sleep 1' (3 runs):

            12.345      page-faults                      #   52,800 K/sec                    ( +-  1,23% )

             1,003 +- 0,001 seconds time elapsed  ( +-  0,10% )

'''
    return text.encode(), {'PageFaults': [12345], 'end_ns': [1003000000]}


def perf_csv_comma():
    """-x, where the locale's point is a comma: the number stands in two cells."""
    lines = ['1000,25,msec,task-clock,1000250000,100,00,1,000,CPUs utilized', '12345,,page-faults,1000250000,100,00,50,123,/sec',
             '2000000,,cycles,750000000,75,50,,']
    return ('\n'.join(lines) + '\n').encode(), {'TaskClock': [1000250000], 'PageFaults': [12345], 'Cycles': [2000000]}


def perf_json_comma():
    lines = ['{"counter-value" : "1000,250000", "unit" : "msec", "event" : "task-clock", "event-runtime" : 1000250000, "pcnt-running" : 100,00, '
             '"metric-value" : "1,000", "metric-unit" : "CPUs utilized"}',
             '{"counter-value" : "77,000000", "unit" : "", "event" : "page-faults", "event-runtime" : 1000250000, "pcnt-running" : 100,00}']
    return ('\n'.join(lines) + '\n').encode(), {'TaskClock': [1000250000], 'PageFaults': [77]}


def perf_text_interval():
    lines = ['#           time             counts unit events']
    for i in range(4):
        lines += [f'{i + 1:5d}.00012345{i}             100.25 msec task-clock                #    1.002 CPUs utilized            ',
                  f'{i + 1:5d}.00012345{i}              {7 + i}      page-faults               #   69.825 /sec                     ']
    return ('\n'.join(lines) + '\n').encode(), {'PageFaults': [7 + i for i in range(4)], 'TaskClock': [100250000] * 4}


def long_table():
    data = [(f * 10**7, 'menu' if f < 3 else 'play', 4_000_000 + f, 3_000_000 + 2 * f) for f in range(6)]
    lines = ['timestamp_ns,duration_ns,scene,name,value']
    for begin, scene, active, fragment in data:
        lines += [f'{begin},10000000,{scene},MaliGPUCyclesGPUActive,{active}', f'{begin},10000000,{scene},MaliGPUCyclesFragmentActive,{fragment}']
    return ('\n'.join(lines) + '\n').encode(), {'MaliGPUCyclesGPUActive': [d[2] for d in data], 'scene': [d[1] for d in data],
                                                 'begin_ns': [d[0] for d in data], 'end_ns': [d[0] + 10**7 for d in data]}


def long_table_bare():
    values = [(12, 7), (14, 9), (15, 2)]
    lines = ['name;value'] + [line for a, b in values for line in (f'MaliGPUCyclesGPUActive;{a}', f'MaliGPUCyclesFragmentActive;{b}')]
    return ('\n'.join(lines) + '\n').encode(), {'MaliGPUCyclesGPUActive': [a for a, _ in values]}


def own_csv():
    """As sextant export --counters --csv writes a modelled device: a comment, what it is, times, labels, then counters."""
    data = [(i * 10**7, 4_000_000 + i, 3_000_000 + 2 * i, 'menu' if i < 3 else 'play "x", y') for i in range(6)]
    lines = ['# A model', 'simulated,begin_ns,end_ns,group,quality,MaliGPUCyclesGPUActive,MaliGPUCyclesAnyQueueActive']
    lines += [f'true,{begin},{begin + 10**7},{quoted(scene)},{"lost" if i == 2 else ""},{active},{queue if i != 4 else ""}'
              for i, (begin, active, queue, scene) in enumerate(data)]
    return ('\n'.join(lines) + '\n').encode(), {'MaliGPUCyclesGPUActive': [d[1] for d in data], 'group': [d[3] for d in data],
                                                 'MaliGPUCyclesAnyQueueActive': [d[2] if i != 4 else None for i, d in enumerate(data)],
                                                 'begin_ns': [d[0] for d in data], 'end_ns': [d[0] + 10**7 for d in data]}


def own_json():
    """As sextant export --json writes a device: units beside names, times in seconds, ranges of rows as decode has them."""
    data = [(i * 10**7, 16600000 + i, 1000 + i, 'menu "a"\n\u00e9' if i < 3 else 'play') for i in range(6)]
    device = {'id': 1, 'simulated': False, 'for': 'opengl', 'metrics': ['begin_ns', 'end_ns', 'frame', 'group', 'FrameTime', 'IAVertices'],
                'units': ['ns', 'ns', None, None, 's', 'vertices'], 'constants': {'cpus': 4},
                'rows': [[begin, begin + 10**7, i, label, ns / 1e9, None if i == 4 else vertices] for i, (begin, ns, vertices, label) in enumerate(data)],
                'quality': [{'rows': [1, 2], 'quality': 'lost'}], 'why': {}}
    return json.dumps({'schema': 'sextant.export/1', 'devices': [device]}, indent=1).encode(), {
        'FrameTime': [d[1] for d in data], 'IAVertices': [None if i == 4 else d[2] for i, d in enumerate(data)], 'group': [d[3] for d in data],
        'begin_ns': [d[0] for d in data], 'end_ns': [d[0] + 10**7 for d in data], 'quality': ['lost' if i in (1, 2) else None for i in range(6)]}


def own_ndjson():
    """The same as --format=ndjson: base units, whatever the catalog has, and what is not there is left out."""
    data = [(i * 10**7, 16600000 + i, 1000 + i) for i in range(6)]
    lines = [json.dumps({'begin_ns': begin, 'end_ns': begin + 10**7, 'process': 'a, "b"', 'FrameTime': ns / 1e9} | ({} if i == 4 else {'IAVertices': vertices}))
             for i, (begin, ns, vertices) in enumerate(data)]
    return ('\n'.join(lines) + '\n').encode(), {
        'FrameTime': [d[1] for d in data], 'IAVertices': [None if i == 4 else d[2] for i, d in enumerate(data)], 'process': ['a, "b"'] * 6,
        'begin_ns': [d[0] for d in data], 'end_ns': [d[0] + 10**7 for d in data]}


# Perfetto, from its field numbers.
def varint(value):
    value &= (1 << 64) - 1
    out = b''
    while True:
        out += bytes([value & 0x7f | (0x80 if value > 0x7f else 0)])
        value >>= 7
        if not value:
            return out


def field(number, value):
    if isinstance(value, float):
        return varint(number << 3 | 1) + struct.pack('<d', value)
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def packet(*parts):
    return field(1, b''.join(parts))


def perfetto(interned=False, compressed=False):
    spec = [(1, 'GPU active cycles', 0, None), (2, 'GPU utilization', 37, None), (3, 'Read bandwidth', 9, 22)]
    specs = b''.join(field(1, field(1, i) + field(2, name) + field(7, unit) + (field(8, under) if under else b'')) for i, name, unit, under in spec)
    out = [packet(field(10, 1), field(13, 1), field(6, field(1, field(1, 6) + field(2, 1000)) + field(2, 6))),
           packet(field(128, field(1, field(1, 'Mali-G610'))))]
    start, step = 10_000_000_000, 10_000_000
    if interned:
        out.append(packet(field(10, 1), field(12, field(47, field(1, 9) + field(2, specs) + field(3, 0)))))
    values = []
    for i in range(31):
        if i:
            values.append((5_000_000 + i, 60.5 + i / 4, 100.0 + i))
        v = values[-1] if values else (0, 0.0, 0.0)
        event = b''.join(field(2, field(1, k + 1) + (field(2, v[k]) if k == 0 else field(3, v[k]))) for k in range(3))
        if interned:
            event += field(4, 9)
        elif i == 0:
            event = field(1, specs) + event
        out.append(packet(field(8, start + i * step), field(10, 1), field(52, event + field(3, 0))))
        out.append(packet(field(8, start + i * step + 5), field(10, 1), field(129, field(1, 0) + field(2, 800_000 + 1000 * i))))
        out.append(packet(field(8, start + i * step + 6), field(10, 1), field(71, field(1, 0) + field(2, 0) + field(3, 2**28 + i))))
    out.append(packet(field(10, 1), field(12, field(24, field(1, 3) + field(2, 'Shadow pass')))))
    for i in range(5):
        out.append(packet(field(8, start + i * step), field(10, 1),
                          field(53, field(1, i) + field(2, 700_000 + i) + field(14, 3) + field(11, 0))))
    data = b''.join(out)
    if compressed:
        data = packet(field(50, zlib.compress(data)))
    return data, {'GPU active cycles': [v[0] for v in values], 'GPU utilization': [v[1] for v in values],
                  'Read bandwidth': [v[2] * 1e6 for v in values], 'end_ns': [start + (i + 1) * step for i in range(30)]}


def perfetto_own():
    """As sextant export writes them: anchors on a sequence of their own, facts of the GPU, a gap between two rows."""
    def info(key, value):
        return field(6, field(1, key) + field(2, value))
    out = [packet(field(10, 1), field(13, 1), field(6, field(1, field(1, 3) + field(2, 1000)) + field(2, 3))),
           packet(field(10, 1), field(128, field(1, field(1, 'A GPU') + field(3, 'mali-g625') + info('sextant.constant.shader_core_mask', '3') +
                                                 info('sextant.kind', 'frame') + info('sextant.simulated', 'true') + info('sextant.constant.', 'x')))),
           packet(field(10, 1), field(126, field(1, field(1, 'sextant.anchor_sequence') + field(2, 2)) + field(1, field(1, 'other') + field(3, 'text')))),
           packet(field(10, 1), field(52, field(1, field(1, field(1, 1) + field(2, 'MaliGPUCyclesGPUActive') + field(3, 'Cycles. Unit: cycles.'))) + field(3, 0)))]
    rows = [(1000, 2000, 11), (2000, 3000, 22), (5000, 6000, 33), (6000, 6000, 44)]
    end = None
    for begin, stop, value in rows:
        if begin != end or begin == stop:
            out.append(packet(field(8, begin), field(10, 2), field(58, 3), field(52, field(2, field(1, 1) + field(2, 0)) + field(3, 0))))
        out.append(packet(field(8, stop), field(10, 1), field(58, 3), field(52, field(2, field(1, 1) + field(2, value)) + field(3, 0))))
        end = stop
    return b''.join(out), {'MaliGPUCyclesGPUActive': [r[2] for r in rows], 'begin_ns': [r[0] for r in rows], 'end_ns': [r[1] for r in rows]}


def any_table():
    """As a spreadsheet has it where commas stand before fractions: names in any case, units, a label, marks at the ends of lines."""
    rows = [('menu', 16600000, 1000), ('game "2"', 33300000, 2000000), ('menu', 16700000, 30)]
    text = 'sep=;\r\nScene;FrameTime (ms);iavertices;;Mine [KiB];\r\n'
    for i, (scene, ns, vertices) in enumerate(rows):
        text += f'"{scene.replace(chr(34), chr(34) * 2)}";{ns // 1000000},{ns // 100000 % 10};{vertices:,};x;{i};\r\n'.replace(f'{vertices:,}', f'{vertices:,}'.replace(',', ' '))
    return text.encode('utf-16-le'), {'FrameTime': [ns for _, ns, _ in rows], 'iavertices': [v for _, _, v in rows], 'Mine': [0, 1024, 2048],
                                      'Scene': [s for s, _, _ in rows]}


def any_table_total():
    values = [(12, 7), (14, 9), (15, 2)]
    lines = ['scene,iavertices,FrameTime (ns)', *(f's{i},{a},{b}' for i, (a, b) in enumerate(values)), 'Total,41,6']
    return ('\n'.join(lines) + '\n').encode(), {'iavertices': [a for a, _ in values], 'FrameTime': [b for _, b in values]}


KINDS = {
    'table': (any_table, 'csv'), 'table-total': (any_table_total, 'csv'), 'sextant-json': (own_json, 'json'), 'sextant-json-lines': (own_ndjson, 'json'),
    'mangohud': (mangohud, 'csv'), 'mangohud-0.6': (lambda: mangohud('0.6'), 'csv'), 'mangohud-versioned': (lambda: mangohud('versioned'), 'csv'),
    'mangohud-interval': (mangohud_interval, 'csv'), 'mangohud-two': (mangohud_two, 'csv'),
    'rocprofv3': (rocprofv3, 'csv'), 'rocprofv3-no-times': (lambda: rocprofv3(timestamps=False), 'csv'),
    'rocprofv3-two-agents': (lambda: rocprofv3(one_agent=False), 'csv'), 'rocprof': (rocprof, 'csv'), 'codexl': (codexl, 'csv'), 'codexl-hsa': (codexl_hsa, 'csv'),
    'gpa-csv': (gpa_csv, 'csv'), 'renderdoc': (renderdoc, 'csv'), 'perfetto': (perfetto, 'pftrace'),
    'perfetto-interned': (lambda: perfetto(interned=True), 'pftrace'), 'perfetto-compressed': (lambda: perfetto(compressed=True), 'pftrace'),
    'perfetto-own': (perfetto_own, 'pftrace'),
    'intel-gpu-top': (intel_gpu_top, 'json'), 'intel-gpu-top-cut': (lambda: intel_gpu_top(cut=True), 'json'),
    'intel-gpu-top-bare': (lambda: intel_gpu_top(bare=True), 'json'), 'intel-gpu-top-csv': (intel_gpu_top_csv, 'csv'), 'intel-gpu-top-list': (intel_gpu_top_list, 'txt'),
    'intel-gpu-top-units': (intel_gpu_top_units, 'json'), 'intel-gpu-top-csv-gts': (intel_gpu_top_csv_gts, 'csv'),
    'nvtop': (nvtop, 'json'), 'nvtop-3.3.0': (lambda: nvtop(forget_commas=True), 'json'), 'radeontop': (radeontop, 'txt'),
    'gallium-hud': (gallium_hud, None), 'gallium-hud-comma': (gallium_hud_comma, None), 'radeontop-comma': (radeontop_comma, 'txt'), 'mesa-utrace': (utrace_csv, 'csv'), 'mesa-utrace-json': (utrace_json, 'json'),
    'hwcpipe-csv': (hwcpipe, 'csv'), 'hwcpipe-csv-symbols': (hwcpipe_symbols, 'csv'),
    'hwcpipe-csv-1': (hwcpipe_1, 'csv'), 'hwcpipe-csv-odd': (hwcpipe_odd_order, 'csv'), 'streamline-csv': (streamline, 'csv'), 'perf-stat': (perf_csv, 'csv'), 'perf-stat-json': (perf_json, 'json'), 'perf-stat-json-array': (perf_json_array, 'json'),
    'sextant-csv': (own_csv, 'csv'), 'long-table': (long_table, 'csv'), 'long-table-bare': (long_table_bare, 'csv'), 'perf-stat-text': (perf_text, 'txt'), 'perf-stat-text-interval': (perf_text_interval, 'txt'),
    'perf-stat-text-cpus': (perf_text_cpus, 'txt'), 'perf-stat-text-socket': (perf_text_socket, 'txt'),
    'perf-stat-text-repeat-de': (perf_repeat_locale, 'txt'), 'perf-stat-comma': (perf_csv_comma, 'csv'), 'perf-stat-json-comma': (perf_json_comma, 'json'),
} | {f'perf-stat-text-{locale}': (lambda locale=locale: perf_text_locale(locale), 'txt') for locale in LOCALES}


def kinds():
    """Every kind as --as has it."""
    with open(os.path.join(os.path.dirname(__file__), '../../src/import/formats.def'), encoding='utf-8') as file:
        return re.findall(r'^IMPORT\(\w+, "(.*)"\)', file.read(), re.M)


def kind_of(name):
    """The kind as --as has it."""
    known = sorted(kinds(), key=len, reverse=True)
    return next(k for k in known if name.startswith(k))


def write(folder, name):
    """Writes one file (or folder) of a kind; its path."""
    make, suffix = KINDS[name]
    data = make()[0]
    path = os.path.join(folder, name + (f'.{suffix}' if suffix else ''))
    if isinstance(data, dict):
        os.makedirs(path, exist_ok=True)
        for file, content in data.items():
            with open(os.path.join(path, file), 'wb') as out:
                out.write(content)
    else:
        with open(path, 'wb') as out:
            out.write(data)
    return path


if __name__ == '__main__':
    os.makedirs(sys.argv[1], exist_ok=True)
    for kind in KINDS:
        print(write(sys.argv[1], kind))
