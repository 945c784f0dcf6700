#!/usr/bin/env python3
"""
A hundred and seventy mistakes of users. Each ends in its exit status and three lines, of which the second says why in words of its own
and the third is a remedy; what the remedy says, typed, works. $SEXTANT is the binary.
"""
import os
import subprocess
import sys
import tempfile

SEXTANT = os.environ['SEXTANT']
FILLERS = ('the command line does not say what is needed', 'nothing here goes by that name', 'sextant --help lists them')

# What was typed; exit status; what error and remedy must hold; what a reader of the remedy types next.
# CPU and MALI are captures, RAW a table of counters, NOTES a text that is none of these.
MISTAKES = [
    # Verbs.
    ('reprot CPU', 2, '"reprot" is not a verb', 'sextant report', 'report CPU'),
    ('stta', 2, '"stta" is not a verb', 'sextant stat', 'stat -d cpu -t 50ms'),
    ('foo', 2, '"foo" is not a verb', 'sextant --help, which lists', '--help'),
    ('CPU', 2, 'is not a verb', 'sextant report ', 'REMEDY'),
    ('CPU report --json', 2, 'is not a verb', 'sextant report ', 'REMEDY'),
    ('true', 2, 'is not a verb', 'sextant stat -- true', 'REMEDY'),
    ('run true', 2, 'is not a verb', 'sextant stat -- true', 'REMEDY'),
    ('run', 2, 'is not a verb', 'sextant stat -- COMMAND', 'stat -- true'),
    ('info CPU', 2, 'is not a verb', 'sextant capture info ', 'REMEDY'),
    ('verdict CPU', 2, 'is not a verb', 'sextant report ', 'REMEDY'),
    ('metrics --for cpu', 2, 'is not a verb', 'sextant list metrics --for cpu', 'REMEDY'),
    ('gpus', 2, 'is not a verb', 'sextant devices', 'REMEDY'),
    ('xyzzyx CPU', 2, 'is not a verb', 'sextant --help', '--help'),
    # Options.
    ('export CPU --json --csv', 2, 'two formats at once: json and csv', '--format json, or --format csv', 'export CPU --format csv'),
    ('report CPU -f csv --json', 2, 'two formats at once: csv and json', '--format json', 'report CPU --format json'),
    ('stat -d cpu -t 50ms --csv -f html', 2, 'two formats at once', '--format html', 'stat -d cpu -t 50ms --format csv'),
    ('report CPU --gates /proc/nonexistent', 5, 'cannot read the gates of /proc/nonexistent', "--gate 'frame_time.p95 < 16.6ms'",
     "report CPU --gate cpu_busy<1000%"),
    ('eval --for opengl COMMAS', 5, '"1,000" can be read in two ways', '1000 or 1.000', 'eval --for opengl POINTS'),
    ('report SEMICOLONS', 5, '"1,000" can be read in two ways', '1000 or 1.000', 'report POINTS'),
    ('report CPU --formt json', 2, 'unknown option --formt', '--format', 'report CPU --format json'),
    ('stat --intervall 10ms', 2, 'unknown option --intervall', '--interval', 'stat -d cpu --interval 10ms -t 50ms'),
    ('stat -x', 2, 'unknown option -x', 'sextant stat --help', 'stat --help'),
    ('report CPU --f json', 2, 'short for several', '--f', 'report CPU --format json'),
    ('report CPU --keep 3s', 2, 'unknown option --keep', 'sextant report --help', 'report --help'),
    ('stat --json=yes', 2, 'takes no value', '--json', 'stat -d cpu -t 50ms --json'),
    ('stat -t', 2, 'needs a value', '--duration DUR', 'stat -d cpu --duration 50ms'),
    ('stat -d cpu -t 5', 2, 'has no unit', '5ms', 'stat -d cpu -t 5ms -I 1ms'),
    ('stat -d cpu -t 5sec', 2, 'not a duration', '2s', 'stat -d cpu -t 50ms'),
    ('stat -d cpu -t -1s', 2, 'is not a duration', '10ms', 'stat -d cpu -t 50ms'),
    ('stat -d cpu -n 0', 2, '--count cannot be "0"', '--count 10', 'stat -d cpu -I 10ms --count 2'),
    ('stat -d cpu -I 0 -t 50ms', 2, 'is no time at all', '10ms', 'stat -d cpu -I 10ms -t 50ms'),
    ('stat -d cpu -I 0ms -t 50ms', 2, 'is no time at all', '500us, 10ms', 'stat -d cpu -I 10ms -t 50ms'),
    ('stat -d cpu -t 50m', 2, 'not a duration', '50ms or 50min', 'stat -d cpu -t 50ms'),
    ('stat -d cpu -t 50ms -m EMPTY', 2, '--metric is empty', 'no --metric', 'stat -d cpu -t 50ms'),
    ('stat -t 50ms -d EMPTY', 2, '--device is empty', '--device SEL', 'stat -t 50ms -d cpu'),
    ('stat -t 50ms -d ,', 2, '--device is empty', 'no --device', 'stat -t 50ms'),
    ('report EMPTY', 2, 'an argument is empty', 'sextant report --help', 'report --help'),
    ('list metrics EMPTY', 2, 'an argument is empty', 'sextant list --help', 'list --help'),
    ('report CPU --by time --top 0', 2, '--top cannot be "0"', '--top 10', 'report CPU --by time --top 10'),
    ('report CPU --fps 0', 2, '--fps cannot be "0"', '--fps 60', 'report CPU --fps 60 --resolution 1920x1080'),
    ('report CPU --color sometimes', 2, '--color cannot be', '--color never', 'report CPU --color never'),
    ('eval --for mali-g310 -i RAW --const l2_slices', 2, '--const cannot be', '--const shader_cores=4',
     'eval --for mali-g310 -i RAW --const l2_slices=1'),
    # Formats and files of results.
    ('report CPU -f html2', 2, 'does not write html2', '--format', 'report CPU --format text'),
    ('report CPU -f jsn', 2, 'does not write jsn', '--format json', 'report CPU --format json'),
    ('export CPU -f text', 2, 'does not write text', '--format json', 'export CPU --format json'),
    ('report CPU -o out.pftrace', 2, 'does not write perfetto', '--format', 'report CPU -o OUT'),
    ('export CPU -o OUT.json.gz', 2, 'results are not packed', 'out.json, and gzip', 'export CPU -o OUT.json'),
    ('export CPU -o OUT.xyz', 2, 'suffix .xyz', '--format json', 'export CPU -o OUT.xyz --format json'),
    ('report CPU -o OUT.xyz', 2, 'suffix .xyz', '--format text', 'report CPU -o OUT.xyz --format text'),
    ('export CPU -o OUT', 2, 'does not write text', '--format json', 'export CPU -o OUT --format json'),
    ('record -d cpu -t 50ms -o OUT.json', 2, 'does not write json', 'out.sxc', 'record -d cpu -t 50ms -o OUT.sxc'),
    ('import MALI -o OUT.json', 2, 'does not write json', 'out.sxc', None),
    ('capture cut CPU --to 100ms -o OUT.json', 2, 'does not write json', 'out.sxc', 'capture cut CPU --to 100ms -o OUT.sxc'),
    ('capture merge CPU MALI -o OUT.json', 2, 'does not write json', 'out.sxc', None),
    ('doctor --csv', 2, 'does not write csv', '--format text', 'doctor --format text'),
    ('report CPU -o /proc/nonexistent/out', 4, 'cannot write', 'another folder with -o', 'report CPU -o OUT'),
    ('stat -d cpu -o - -- true', 2, 'cannot go to standard output', '-o FILE', 'stat -d cpu -o OUT -- true'),
    # Options that go together, or do not.
    ('report CPU --top 3', 2, '--top does nothing without --by', '--by', 'report CPU --by time --top 3'),
    ('report CPU --sort cpu_busy', 2, '--sort does nothing', '--by', 'report CPU --by time --sort cpu_busy'),
    ('report CPU -I 100ms', 2, '--interval does nothing', '--by time', 'report CPU --by time -I 100ms'),
    ('report CPU --fps 60', 2, '--fps alone', '--resolution 1920x1080', 'report CPU --fps 60 --resolution 1920x1080'),
    ('report MALI --resolution 1x1 --by time', 2, '--resolution does nothing with --by', 'without --by', 'report MALI --resolution 1920x1080'),
    ('report MALI --fps 30 --by time', 2, '--fps does nothing with --by', 'without --by', 'report MALI --by time'),
    ('report CPU --gate-warn', 2, '--gate-warn does nothing without a gate', "--gate '", 'report CPU --gate-warn --gate cpu_busy<0'),
    ('report CPU --gate-missing skip', 2, '--gate-missing does nothing without a gate', "--gate '", 'report CPU --gate-missing skip --gate zzz<0'),
    ('diff CPU CPU --gate-warn', 2, '--gate-warn does nothing without a gate', "--gate '", 'diff CPU CPU --gate-warn --gate cpu_busy<0'),
    ('compare --gate zzz -- touch OUT ::: touch OUT', 2, 'is no gate', 'frame_time.p95', 'compare -n 2 -- true ::: true'),
    ('compare --gate-warn -- touch OUT ::: touch OUT', 2, '--gate-warn does nothing without a gate', "--gate '", None),
    ('report CPU --resolution big', 2, '--resolution cannot be', '1920x1080', 'report CPU --resolution 1920x1080'),
    ('stat --realtime', 2, '--realtime does nothing', '-i FILE', 'stat --realtime -i CPU'),
    ('stat -i CPU --delay 1s', 2, '--delay does not go with -i', 'sextant capture cut',
     'capture cut CPU --from 100ms -o OUT.sxc'),
    ('stat -i CPU -- true', 2, 'a capture and a command', 'sextant stat -i', 'stat -i CPU'),
    ('report -i CPU MALI', 2, 'is named beside -i', 'sextant report -i', 'report -i CPU'),
    ('export -i CPU MALI --csv', 2, 'is named beside -i', 'sextant export -i', 'export -i CPU --csv'),
    ('advise -i CPU MALI', 2, 'is named beside -i', 'sextant advise -i', 'advise -i CPU'),
    ('eval --for mali-g310 -i RAW MALI', 2, 'is named beside -i', 'sextant eval -i', 'eval -i RAW --for mali-g310'),
    ('decode -i RAW NOTES', 2, 'is named beside -i', 'sextant decode -i', None),
    ('import -i TABLE RAW -o OUT.sxc', 2, 'is named beside -i', 'both without -i', None),
    ('capture info -i CPU MALI', 2, 'is named beside -i', 'both without -i', 'capture info CPU'),
    ('stat -p 1 -- true', 2, '--pid and a command', '--pid 1', 'stat --pid 1 -t 50ms'),
    ('stat true', 2, 'one argument too many', 'sextant stat -- true', 'stat -- true'),
    ('stat -t 30s -d cpu sleep 0.1', 2, 'one argument too many', 'sextant stat -t 30s -d cpu -- sleep 0.1', 'REMEDY'),
    ('record -o OUT.sxc true', 2, 'one argument too many', '-- true', 'REMEDY'),
    ('stat --', 2, 'no command after --', 'sextant stat -- COMMAND', 'stat -- true'),
    ('report CPU MALI', 2, 'one argument too many', 'sextant report --help', 'report --help'),
    ('doctor x', 2, 'one argument too many', 'sextant doctor --help', 'doctor --help'),
    ('report -- true', 2, 'runs no command', 'sextant stat -- COMMAND', 'stat -- true'),
    ('report CPU --gate cpu_busy<20MB', 2, 'is no gate', "'cpu_busy< 20%'", 'report CPU --gate cpu_busy>=0%'),
    ('report CPU --gate cpu_busy<20m', 2, 'is no gate', "'cpu_busy< 20%'", 'report CPU --gate cpu_busy<=101%'),
    ('diff CPU CPU --gate cpu_busy<20MB', 2, 'is no gate', "'cpu_busy< 20%'", 'diff CPU CPU --gate cpu_busy>=0%'),
    ('report CPU --gate context_switch_rate>=0/x', 2, 'is no gate', 'frame_time.p95', 'report CPU --gate context_switch_rate>=0/s'),
    ('report CPU --gate cpu_busy>=0/s', 2, 'is no gate', 'cpu_busy', 'report CPU --gate cpu_busy>=0%'),
    ('report FRAMES --gate frame_time<30fps', 2, 'is no gate', 'frame_time', 'report FRAMES --gate frames_per_second>30fps'),
    ('report FRAMES --gate frames_per_second>30/', 2, 'is no gate', 'frame_time', 'report FRAMES --gate frames_per_second>30/s'),
    # Devices, catalogs, metrics.
    ('report FRAMES --by frame --sort page_fault_rate', 3, 'page_fault_rate', 'sextant list metrics', 'report FRAMES --by frame --sort gpu_time'),
    ('report CPU --by time --sort gpu_busy', 3, 'gpu_busy', 'cpu_busy', 'report CPU --by time --sort cpu_busy'),
    ('report SUMS', 5, 'is a report', 'sextant export --csv', 'export CPU --csv -o OUT.csv'),
    ('report SUMS.json', 5, 'is a report', 'sextant export --json', 'export CPU --json -o OUT.json'),
    ('export LIST.json --csv', 5, 'is a result (sextant.list)', 'sextant export --json', None),
    ('stat -d cp -t 50ms', 3, 'no device cp', '-d cpu', 'stat -d cpu -t 50ms'),
    ('stat -d mali -t 50ms', 3, 'no device mali', '-d mali-g', 'stat -d mali-g310 -t 50ms'),
    ('stat -d zzzzzzzz -t 50ms', 3, 'no device zzzzzzzz', 'sextant devices', 'devices'),
    ('stat -d gl -t 50ms', 2, 'gl measures only programs', 'sextant stat -d gl -- COMMAND', None),
    ('stat -d cpu --for mali-g310 -t 50ms', 2, 'not described by catalog mali-g310', 'without --for',
     'stat -d cpu -t 50ms'),
    ('list metrics -d cpuu', 3, 'no device cpuu', '-d cpu', 'list metrics -d cpu'),
    ('list metrics -d cpu --for opengl', 2, 'not described by catalog opengl', '-d cpu alone', 'list metrics -d cpu'),
    ('list metrics --for opengll', 3, 'no catalog is called', 'opengl', 'list metrics --for opengl'),
    ('list metric nosuch --for cpu', 3, 'no metrics of cpu match "nosuch"', 'sextant list metrics --for cpu', 'list metric cpu_busy --for cpu'),
    ('list metrcs --for cpu', 2, '"metrcs" cannot be listed', 'sextant list metrics', 'list metrics'),
    ('report CPU --set foo', 3, 'no set or group foo', 'leave out --set', 'report CPU'),
    ('report BOTH --set foo', 3, 'no set or group foo', 'leave out --set', 'report BOTH'),
    ('report BOTH --const zzz=1', 3, 'no constant zzz', 'sextant list constants --for', 'list constants --for cpu'),
    ('stat -d cpu -t 50ms --const zzz=1', 3, 'no constant zzz', 'sextant list constants --for cpu', 'list constants --for cpu'),
    ('stat --const zzz=1 -- true', 3, 'no constant zzz', 'sextant list constants --for', 'list constants --for cpu'),
    ('record -d cpu -t 50ms -o OUT.sxc --const zzz=1', 3, 'no constant zzz', 'sextant list constants --for cpu', 'list constants --for cpu'),
    ('list', 2, 'nothing to list was named', 'sextant list metrics', 'list metrics'),
    ('list sets --csv', 2, 'a table is of one catalog', '--for intel-', 'list sets --csv --for intel-bdw'),
    ('list metrics zzzzzz --csv', 3, 'no catalog has metrics that match', 'sextant list metrics', 'list metrics'),
    ('list metrics zzzzzz', 3, 'no catalog has metrics that match', 'sextant list metrics', 'list metrics'),
    ('list metrics zzzzzz --for cpu', 3, 'no metrics of cpu match', 'sextant list metrics --for cpu',
     'list metrics --for cpu'),
    ('explain', 2, 'nothing to explain was named', 'sextant explain', 'explain gpu.busy --for amd-gcn2'),
    ('explain cpu_bussy', 3, 'no catalog has a metric, counter or rule', 'sextant explain', 'explain cpu_busy'),
    ('explain zzzzzzzzz', 3, 'no catalog has a metric, counter or rule', 'sextant list metrics', 'list metrics'),
    ('explain crowdd', 3, 'no catalog has a metric, counter or rule', 'sextant explain crowded', 'explain crowded'),
    ('explain cpu_bussy --for cpu', 3, 'no metric, counter or rule cpu_bussy', 'sextant explain cpu_busy --for cpu',
     'explain cpu_busy --for cpu'),
    ('explain gpu.busy --for mali-g310', 1, 'gpu.busy: the device or driver has no such counter (catalog mali-g310)', 'sextant explain gpu.busy', 'explain gpu.busy'),
    ('explain gpu_busy -i MALI', 1, 'gpu_busy: the device or driver has no such counter (catalog mali-g310)', 'sextant explain gpu_busy', 'explain gpu_busy'),
    ('report CPU -m cpu_bussy', 3, 'no metric or counter cpu_bussy', 'cpu_busy', 'report CPU -m cpu_busy'),
    ('report CPU --by frame', 3, 'has a frame', '--by time', 'report CPU --by time'),
    ('report -q LAB --for opengl --by frame', 3, 'has a frame', 'without --by', 'report LAB --for opengl'),
    ('report -q LAB --for opengl --by time', 3, 'has a time', 'without --by', 'report LAB --for opengl'),
    ('report CPU --by group', 3, 'has a group', '--by time', 'report CPU --by time'),
    ('report BOTH -d 0 -m cpu_busy', 3, 'no metric or counter cpu_busy', 'sextant list metrics', 'report BOTH -m cpu_busy'),
    ('report BOTH -m cpu#0.cpu_busy', 3, 'no metric or counter cpu#0.cpu_busy', 'sextant list metrics', 'report BOTH -m cpu.cpu_busy'),
    ('report CPU --by fram', 2, '--by cannot be "fram"', '--by frame', 'report CPU --by time'),
    ('report CPU --for mali-g310', 3, 'holds no such device', 'sextant capture info', 'capture info CPU'),
    ('stat -p sextant -t 50ms', 2, '--pid cannot be "sextant"', '--pid "$(pidof -s sextant)"', 'stat -p 1 -t 50ms'),
    ('report CPU --context zz', 2, '--context cannot be', '0x1a2b', None),
    ('stat -p 4000000 -t 50ms', 3, 'no process 4000000 runs', 'pidof', None),
    # Files.
    ('report', 2, 'no input file', 'sextant report -i FILE', 'report -i CPU'),
    ('report /nonexistent.sxc', 5, 'nonexistent.sxc', 'check the name', 'report CPU'),
    ('report NOTES', 5, 'NOTES', '', None),
    ('eval --for mali-g310', 2, 'no input file', 'sextant eval -i FILE', 'eval -i RAW --for mali-g310'),
    ('eval --for mali-g310 -i /nonexistent.csv', 5, 'nonexistent.csv', 'check the name', 'eval --for mali-g310 -i RAW'),
    ('advise CPU --fps 30', 2, '--fps says nothing', 'opengl or vulkan', None),
    ('decode -i RAW', 2, 'needs the kind', '--as KIND', None),
    ('capture', 2, 'what is to be done', 'sextant capture info FILE', 'capture info CPU'),
    ('capture inf CPU', 2, 'no such action', 'sextant capture info FILE', 'capture info CPU'),
    ('catalog', 2, 'catalog does not know what to do', 'sextant catalog show', 'catalog show mali-g310'),
    ('catalog diff opengl', 2, 'catalog diff takes two names', 'sextant catalog diff', 'REMEDY'),
    ('catalog dif opengl', 2, 'catalog does not know what to do', 'sextant catalog diff', 'REMEDY'),
    ('catalog show', 2, 'catalog show takes one name', 'sextant catalog show', 'REMEDY'),
    ('catalog import igt-xml', 2, 'catalog import takes a kind and a file', 'sextant catalog import', None),
    ('catalog lint opengll', 3, 'no catalog is called', 'opengl', 'catalog lint opengl'),
    # What new users type first.
    ('report CPUX', 5, 'CPUX', 'check the name', 'report CPU'),
    ('export --csv cpu.sxcc', 5, 'cannot open the capture cpu.sxcc', 'cpu.sxc, a file that is there', 'NEAR'),
    ('diff CPU ./cpu.scx', 5, 'cannot open the capture ./cpu.scx', './cpu.sxc, a file that is there', 'NEAR'),
    ('eval --for mali-g310 -i rwa.csv', 5, 'cannot read rwa.csv', 'raw.csv, a file that is there', 'NEAR'),
    ('import -q -o OUT.sxc framse.csv', 5, 'cannot read framse.csv', 'frames.csv, a file that is there', 'NEAR'),
    ('report CPU --gates notse.txt', 5, 'cannot read the gates of notse.txt', 'notes.txt, a file that is there', None),
    ('stat ./app', 2, 'one argument too many', 'sextant stat -- ./app', None),
    ('stat true -t 1s', 2, 'one argument too many', 'sextant stat -- true -t 1s', 'REMEDY'),
    ('record true', 2, 'one argument too many', 'sextant record -- true', 'record -o OUT.sxc -- true'),
    ('report CPU --metrics cpu_busy', 2, 'unknown option --metrics', '--metric', 'report CPU --metric cpu_busy'),
    ('report CPU -m cpu_busy run_queue', 2, 'one argument too many', 'sextant report --help', 'report CPU -m cpu_busy,run_queue'),
    ('report CPU -o', 2, '--output needs a value', '--output FILE', 'report CPU --output OUT'),
    ('diff CPU', 2, 'diff takes two sides', 'sextant diff', 'diff CPU CPU'),
    ('diff CPU CPU CPU', 2, 'one argument too many', 'sextant diff --help', 'diff --help'),
    ('compare true ::: true', 2, 'one argument too many', 'sextant compare -- true ::: true', 'compare -n 2 -- true ::: true'),
    ('compare true false', 2, 'one argument too many', 'sextant compare -- true ::: false', 'compare -n 2 -- true ::: true'),
    ('stat help', 2, 'one argument too many', 'sextant stat --help', 'REMEDY'),
    ('catalog mali-g625', 2, 'does not know what to do', 'sextant catalog show mali-g625', 'REMEDY'),
    ('catalog list', 2, 'does not know what to do', 'sextant devices', 'devices'),
    ('capture CPU', 2, 'no such action', 'sextant capture info ', 'REMEDY'),
    ('capture join CPU MALI', 2, 'no such action', 'sextant capture merge A B -o FILE', 'capture merge CPU MALI -o OUT.sxc'),
    ('capture merge CPU', 2, 'another number of files', 'sextant capture merge A B', 'capture merge CPU MALI -o OUT.sxc'),
    ('capture check CPU MALI', 2, 'another number of files', 'sextant capture check FILE', 'capture check CPU'),
    ('compare -n 3 -- true', 2, 'compare takes two commands', '-- ./old ::: ./new', 'compare -n 2 -- true ::: true'),
    ('plan --for amd-gcn3 -m VSBsy', 3, 'no metric or counter VSBsy', 'VSBusy', 'plan --for amd-gcn3 -m VSBusy'),
    ('export CPU --cvs', 2, 'unknown option --cvs', '--csv', 'export CPU --csv'),
    ('export CPU -f cvs', 2, 'does not write cvs', '--format csv', 'export CPU --format csv'),
    ('import TABLE', 2, 'no output file', '-o OUT.sxc', 'import TABLE -o OUT.sxc'),
    ('import /nonexistent.csv -o OUT.sxc', 5, 'cannot read /nonexistent.csv', 'check the name', 'import TABLE -o OUT.sxc'),
    ('capture cut CPU', 2, 'needs a file to write', '-o FILE', 'capture cut CPU -o OUT.sxc'),
    ('capture cut CPU --from 200ms --to 100ms -o OUT.sxc', 2, 'nothing is between --from 200 ms and --to 100 ms', '--to with a longer time', 'capture cut CPU --from 100ms --to 200ms -o OUT.sxc'),
    ('capture cut CPU --to 5', 2, 'has no unit', '5ms or 5s', 'capture cut CPU --to 5s -o OUT.sxc'),
    ('capture chekc CPU', 2, 'no such action', 'sextant capture check FILE', 'capture check CPU'),
    ('decode RAW --as i915-recrd', 2, 'knows no kind of input', '--as i915-record', None),
    ('oa flx', 2, 'nothing to do', 'sextant oa --help', 'oa --help'),
    ('report FRAMES --gate frame_time', 2, 'is no gate', 'frame_time.p95 < 16.6ms', 'report FRAMES --gate frame_time.p95<99ms'),
    ('report FRAMES --gate frame_time<16,6ms', 2, 'is no gate', 'frame_time.p95 < 16.6ms', 'report FRAMES --gate frame_time<20.6ms'),
    ('report FRAMES --by frame --top five', 2, '--top cannot be "five"', '--top 10', 'report FRAMES --by frame --top 10'),
    ('report FRAMES --by', 2, '--by needs a value', '--by KEY', 'report FRAMES --by frame'),
    ('stat -d cpu -t 1e3', 2, 'has no unit', '1e3ms or 1e3s', 'stat -d cpu -t 5e1ms'),
    ('list metrics --for CPU', 2, 'is a capture', 'without --for', 'list metrics -i CPU'),
    ('explain cpu_bsy -i CPU', 3, 'no metric, counter or rule cpu_bsy', 'sextant explain cpu_busy --for cpu', 'explain cpu_busy --for cpu'),
    ('report .', 5, 'is of no kind that is known', '--as KIND', None),
    ('-v', 2, '"-v" is not a verb', 'sextant --help', '--help'),
    # Programs.
    ('stat -- /tmp', 126, 'cannot run /tmp', 'ls /tmp', None),
    ('record -o OUT.sxc -- /tmp/', 126, 'cannot run /tmp/', 'ls /tmp/', None),
    ('stat -- no-such-program', 127, 'cannot run no-such-program', 'check the spelling', 'stat -- true'),
    ('record -o OUT.sxc -- /etc/passwd', 126, 'cannot run /etc/passwd', '', None),
]


def run(line, names, folder):
    args = [names.get(word, word) for word in line.split()]
    env = dict(os.environ, XDG_CONFIG_HOME=folder, LC_ALL='C.UTF-8')
    return subprocess.run([SEXTANT, *args], capture_output=True, text=True, env=env, cwd=folder,
                          stdin=subprocess.DEVNULL, timeout=60)


def judge(mistake, names, folder):
    """What is wrong with the answer to a mistake, in words; None when nothing is."""
    line, status, error, remedy, typed = mistake
    done = run(line, names, folder)
    lines = done.stderr.rstrip('\n').split('\n')
    if done.returncode != status:
        return f'exit {done.returncode}, not {status}: {done.stderr}'
    if len(lines) != 3 or [part.split(' ')[0] for part in lines] != ['error:', 'because:', 'try:']:
        return f'not three lines: {done.stderr}'
    because = lines[1][len('because: '):]
    if len(because) < 8 or because in FILLERS or because == lines[0][len('error: '):]:
        return f'no reason: {lines[1]}'
    if error.replace('NOTES', names['NOTES']) not in lines[0] or remedy not in lines[2]:
        return f'other words: {done.stderr}'
    if typed is None:
        return None
    if typed == 'REMEDY':  # as it stands
        typed = lines[2].removeprefix('try: sextant ')
    if typed == 'NEAR':  # the file of the remedy, in the place of what was typed last
        typed = f"{line[:line.rindex(' ')]} {lines[2].removeprefix('try: ').removesuffix(', a file that is there')}"
    again = run(typed, names, folder)
    return None if again.returncode == 0 else f'the remedy fails: {typed}: {again.returncode} {again.stderr}'


def main():
    with tempfile.TemporaryDirectory(prefix='sextant-mistakes-') as folder:
        names = {name: os.path.join(folder, file) for name, file in
                 (('CPU', 'cpu.sxc'), ('MALI', 'mali.sxc'), ('BOTH', 'both.sxc'), ('RAW', 'raw.csv'), ('NOTES', 'notes.txt'),
                  ('OUT', 'out.txt'), ('OUT.sxc', 'out.sxc'), ('OUT.json', 'out.json'), ('OUT.xyz', 'out.xyz'),
                  ('FRAMES', 'frames.sxc'), ('LAB', 'lab.csv'), ('TABLE', 'frames.csv'), ('SUMS', 'sums.csv'), ('SUMS.json', 'sums.json'), ('LIST.json', 'list.json'), ('OUT.csv', 'out.csv'), ('OUT.json.gz', 'out.json.gz'))}
        names['EMPTY'] = ''
        for name, text in (('COMMAS', 'frame\tFrameTime\n1\t1,000\n2\t2,000\n'), ('SEMICOLONS', 'frame;FrameTime\n1;1,000\n2;2,000\n'),
                           ('POINTS', 'frame\tFrameTime\n1\t1000\n2\t2.000\n')):
            names[name] = os.path.join(folder, name.lower() + '.csv')
            with open(names[name], 'w', encoding='utf-8') as file:
                file.write(text)
        with open(names['RAW'], 'w', encoding='utf-8') as file:
            file.write('MaliGPUCyclesGPUActive,duration_ns\n1000,1000000\n2000,1000000\n')
        with open(names['LAB'], 'w', encoding='utf-8') as file:
            file.write('IAVertices,IAPrimitives\n300,100\n600,200\n')
        with open(names['NOTES'], 'w', encoding='utf-8') as file:
            file.write('these are notes\nof no use to anybody\n')
        with open(names['TABLE'], 'w', encoding='utf-8') as file:
            file.write('begin_ns,end_ns,frame,quality,frame_time (s),gpu_time (s)\n')
            for i in range(3):
                file.write(f'{i * 20000000},{i * 20000000 + 20000000},{i},,0.02,0.00{i + 1}\n')
        for line in ('record -d cpu -I 20ms -t 300ms -o CPU', 'record -d mali-g310 -t 200ms -o MALI', 'record -d mali-g310,cpu -I 50ms -t 200ms -o BOTH', 'report CPU --csv -o SUMS', 'report CPU --json -o SUMS.json', 'list metrics --for cpu --json -o LIST.json',
                     'import -q TABLE -o FRAMES'):
            done = run(line, names, folder)
            assert done.returncode in (0, 1), done.stderr
        wrong = [(mistake[0], told) for mistake in MISTAKES if (told := judge(mistake, names, folder))]
    for line, told in wrong:
        print(f'sextant {line}\n    {told}')
    print(f'{len(MISTAKES)} mistakes, {len(wrong)} answered badly')
    return 1 if wrong or len(MISTAKES) < 170 else 0


if __name__ == '__main__':
    sys.exit(main())
