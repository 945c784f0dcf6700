#!/usr/bin/env python3
"""
No line that the command writes to a terminal of 80 columns is longer, of any verb: results, notes and help alike, only the three lines
of an error are left whole. What is shortened in a table stays apart from the rest of it. $SEXTANT is the binary.
"""
import fcntl
import os
import pty
import re
import shlex
import struct
import subprocess
import sys
import tempfile
import termios
import unicodedata

from command import read_terminal

SEXTANT = os.environ['SEXTANT']
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
MS, WIDTH = 1000000, 80
VERBS = ('advise capture catalog compare decode demo devices diff doctor eval explain export import list oa plan record report stat').split()
COMMANDS = '''
help
devices
doctor
list metrics --for cpu
list counters --for opengl
list metrics --for mali-g310
list counters --for mali-g310
list sets --for tglgt2
list metrics --for tglgt2 --set RenderBasic
list groups --for intel-merrifield
list sections --for mali-g625
list constants --for opengl
list metrics --for amd-gcn3
list metrics BOTH
explain frame_time
explain gpu.busy
explain VSBusy --for amd-gcn3
explain RenderBasic.EuActive --for tglgt2
explain cpu.saturated
explain output_external_read_bytes --for mali-g310
explain run_queue -i BOTH
plan --for amd-gcn3 -m all
plan --for tglgt2 -m all
stat -d cpu -t 100ms -I 50ms
stat -d mali-g625 -t 50ms
stat -- true
record -d cpu -t 50ms -o NEW
report CPU
report MALI
report BOTH
report BOTH --join
report CPU --by time
report BOTH --by frame --top 10 --sort gpu_time
report BOTH --by process
report MALI --by instance
report BOTH --gate frame_time.p95<1us --gate gpu_time<1h
report BOTH --by group
report RATIOS --for mali-g310 --gate texture_unit_utilization<50% --gate no_such_metric_of_any_catalog_at_all.p95<50
report MALI --fps 60 --resolution 1920x1080
advise BOTH
advise MALI
diff CPU CPU
diff MALI MALI
diff BOTH CPU
diff BOTH BOTH --gate frame_time<+5%
compare -n 2 -- true ::: true
eval -i TABLE
eval --for opengl TABLE
decode -i SOURCE/tests/data/oa/recording --as i915-record
decode -i SOURCE/tests/data/oa/recording --as i915-record --summary
import TABLE -o NEW
report SOURCE/examples/data/mangohud.csv
report SOURCE/examples/data/rocprofv3.csv
report SOURCE/examples/data/trace.pftrace
capture info BOTH
capture check MALI
capture merge CPU MALI -o NEW
capture anonymise BOTH -o NEW
catalog lint mali-g310
catalog diff mali-g310 mali-g625
oa flex list
oa flex decode --register EU_PERF_CNT_CTL0 --value 0x5004
oa trigger decode --set TestOa --for intel-bdw
'''.strip().split('\n') + [f'{verb} --help' for verb in VERBS]


def frames():
    """A table of two devices: slices of time of the CPU, frames of OpenGL."""
    head = 'device,begin_ns,end_ns,frame,process,quality,Frames,FrameTime,PSInvocations,D3DGPUTime,CPUTime,UserTime,IdleTime,Runnable,cpus\n'
    rows = [f'1,{i * 100 * MS},{(i + 1) * 100 * MS},,,,,,,,,{40 * MS + i},{60 * MS},3,2\n' for i in range(20)]
    rows += [f'0,{i * 11 * MS},{(i + 1) * 11 * MS},{i},"a program of a long name (1234567)",,1,{11 * MS},{3000 + i},{9 * MS + i},{2 * MS},,,,\n'
             for i in range(180)]
    return head + ''.join(rows)


# Under a locale of ASCII, whose likenesses are longer ("deg C", "\\u6f22").
PLAIN = [[verb, *args] for verb, args in (('report', ('WIDE', '--for', 'monitor')), ('report', ('WIDE', '--for', 'monitor', '--by', 'group')),
                                          ('eval', ('WIDE', '--for', 'monitor')), ('report', ('SOURCE/examples/data/mangohud.csv',)))]


# Of a terminal of 40 columns, where tables go on in the next line.
NARROW = [line.split() for line in ('report BOTH', 'list metrics --for mali-g625', 'list counters --for opengl', 'list sets --for intel-bdw',
                                    'diff MALI MALI', 'eval -i TABLE', 'report BOTH --by group')]


def on_terminal(args, folder, locale='C.UTF-8', shell=None, columns=WIDTH):
    """The exit status, and the lines that a terminal shows; `shell`: what runs at that terminal meanwhile."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack('HHHH', 24, columns, 0, 0))
    env = dict(os.environ, TERM='xterm', PAGER='cat', LC_ALL=locale, XDG_CONFIG_HOME=folder)
    env.pop('COLUMNS', None)
    child = subprocess.Popen([SEXTANT, *args], stdin=theirs, stdout=theirs, stderr=theirs, env=env, cwd=folder)
    beside = subprocess.Popen(['sh', '-c', shell], stdin=theirs, cwd=folder) if shell else None
    os.close(theirs)
    out = read_terminal(ours)
    os.close(ours)
    if beside:
        beside.wait()
    text = re.sub(r'\x1b\[[0-9;?]*[A-Za-z]', '', out.decode('utf-8').replace('\r\n', '\n'))
    return child.wait(), [line.split('\r')[-1] for line in text.split('\n')]


def resized(folder, names):
    """The terminal was made narrower while something ran or was read: the result is laid out for what it is then."""
    narrow, wrong = 70, 0
    # The file ends only after the resize, else the command may be done before it.
    said = f'exec 3> {os.path.join(folder, "pipe")} && cat {names["CPU"]} >&3 && stty cols {narrow} && exec 3>&-'
    os.mkfifo(os.path.join(folder, 'pipe'))
    for args in ('stat -d cpu -- stty cols 70', 'stat -- stty cols 70', 'stat -r 2 -d cpu -- stty cols 70', 'compare -n 2 -- stty cols 70 ::: true', 'report PIPE', 'advise PIPE'):
        words = [os.path.join(folder, 'pipe') if word == 'PIPE' else word for word in args.split()]
        status, lines = on_terminal(words, folder, shell=said if 'PIPE' in args else None)
        long = [line for line in lines if width(line) > narrow]
        if status not in (0, 1) or long or len(lines) < 5:
            print(f'sextant {args}\n    exit {status}, of {len(lines)} lines too long after a resize:', *long[:3], sep='\n    ')
            wrong += 1
    return wrong


def look_alike(command, lines):
    """Names that were shortened to the same, of a command that writes one table. A metric may stand below several headings."""
    if ' MALI' not in command or command.split()[0] not in ('report', 'eval'):
        return []
    names = [line.split()[0] for line in lines if '\u2026' in line and re.search(r'\d', line)]
    return sorted({name for name in names if '\u2026' in name and names.count(name) > 1})


UNITS = r'(?:[num]?s|min|h|[kMGTPE]|(?:[kMGTPE]i?)?B|[kMG]?Hz|m?W|J|%|\u00b0C|frames)(?:/s)?'


def glued(command, lines):
    """Numbers without a blank before prefix and unit: they have one form, in tables and sentences. What can be typed is as it is typed."""
    if '--help' in command or command.split()[0] in ('help', 'list', 'explain', 'oa', 'doctor'):
        return []  # texts of catalogs and options
    found = [line for line in lines if re.search(r'(?<![\w.<>=+-])\d+(?:\.\d+)?' + UNITS + r'(?![\w/])', line)]
    return [line for line in found if not re.search(r'--|\btry: ', line)]


def width(line):
    return sum(2 if unicodedata.east_asian_width(c) in 'WF' else not unicodedata.combining(c) for c in line)


def main():
    wrong = 0
    with tempfile.TemporaryDirectory(prefix='sextant-width-') as folder:
        names = {name: os.path.join(folder, file) for name, file in
                 (('CPU', 'cpu.sxc'), ('MALI', 'mali.sxc'), ('BOTH', 'both.sxc'), ('TABLE', 'rows.csv'), ('NEW', 'new.sxc'), ('RATIOS', 'ratios.csv'), ('WIDE', 'wide.csv'))}
        with open(names['TABLE'], 'w', encoding='ascii') as file:
            file.write(frames())
        with open(names['RATIOS'], 'w', encoding='ascii') as file:
            file.write('gpu_active_cycles,texture_unit_utilization\n10,20\n30,60\n')
        for line in ('record -d cpu -I 20ms -t 200ms -o CPU', 'record -d mali-g310 -t 200ms -o MALI', 'import TABLE -o BOTH'):
            subprocess.run([SEXTANT, *(names.get(word, word) for word in line.split())], capture_output=True, check=True, timeout=60)
        with open(names['WIDE'], 'w', encoding='utf-8') as file:
            file.write('begin_ns,end_ns,scene,gpu_temperature,cpu_temperature,gpu_busy,frame_time (ms)\n')
            for i in range(12):
                file.write(f'{i * 10 * MS},{(i + 1) * 10 * MS},{"漢字の場面" * (1 + i % 3)}{i % 3},{60 + i},{50 + i},{90 - i},{10 + i % 2}\n')
        for args in PLAIN:
            status, lines = on_terminal([names.get(word, word.replace('SOURCE', SOURCE)) for word in args], folder, 'C')
            long = [line for line in lines if len(line) > WIDTH or not line.isascii()]
            if status or long or len(lines) < 3:
                print(f'LC_ALL=C sextant {" ".join(args)}\n    exit {status}:', *(long or lines)[:3], sep='\n    ')
                wrong += 1
        for args in NARROW:
            status, lines = on_terminal([names.get(word, word) for word in args], folder, columns=40)
            long = [line for line in lines if width(line) > 40 or not line.strip() and line]
            if status or long or len(lines) < 5:
                print(f'sextant {" ".join(args)} on 40 columns\n    exit {status}:', *(long or lines)[:3], sep='\n    ')
                wrong += 1
        wrong += resized(folder, names)
        for command in COMMANDS:
            args = [names.get(word, word.replace('SOURCE', SOURCE)) for word in shlex.split(command)]
            status, lines = on_terminal(args, folder)
            long = [line for line in lines if width(line) > WIDTH]
            if status not in (0, 1, 6) or len(lines) < 2:
                print(f'sextant {command}\n    exit {status}: {lines}')
            elif long:
                print(f'sextant {command}\n    {len(long)} lines are too long:', *long[:3], sep='\n    ')
            elif glued(command, lines):
                print(f'sextant {command}\n    numbers without a blank:', *glued(command, lines)[:3], sep='\n    ')
            elif look_alike(command, lines):
                print(f'sextant {command}\n    not told apart:', *look_alike(command, lines))
            else:
                continue
            wrong += 1
    print(f'{len(COMMANDS)} commands, {wrong} with lines over {WIDTH} columns')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
