#!/usr/bin/env python3
"""A room includes and calls itself and earlier rooms, and of those only what its row allows. No folders include
each other in a circle.
Usage: check_layers.py ROOT [LIBRARY.a…]: with the library as it was built, its calls are held to the order, too."""
import functools
import os
import re
import subprocess
import sys

import measure_house

# Lowest first, in floors. The row of a file is the longest one that its folder begins with; folders below that have
# none are a part of the room: it is one thing, in several folders.
FLOORS = {
    'ground': {
        'src/base': '',
        'src/wire': '',
    },
    'what is known': {
        'src/expr/parse': 'src/base',
        'src/expr/graph': 'src/base src/expr/parse',
        'src/expr/fast': 'src/base src/expr/graph',
        'src/expr': 'src/base src/expr/parse src/expr/graph src/expr/fast',
        'src/catalog': 'src/base src/expr',
        'src/catalog/load': 'src/base src/expr src/catalog',
        'src/catalog/search': 'src/base src/expr src/catalog src/catalog/load',
        'src/catalog/import': 'src/base src/catalog',
        'src/catalog/lint': 'src/base src/expr src/catalog src/catalog/load src/catalog/search',
        'src/wire/oa': 'src/base src/wire src/catalog src/expr',
    },
    'inside programs': {
        'guest': 'src/wire',
        'query': 'src/wire guest',
        'preload': 'src/wire guest query',
        'layer': 'src/wire guest query',
    },
    'where it comes from': {
        'src/capture/format': 'src/base src/wire',
        'src/capture': 'src/base src/wire src/capture/format',
        'src/source': 'src/base src/expr src/catalog src/wire src/capture',
        'src/source/mali': 'src/base src/expr src/catalog src/wire src/source',
        'src/source/perf': 'src/base src/expr src/catalog src/wire src/source',
        'src/source/guest': 'src/base src/expr src/catalog src/wire src/source',
        'src/source/oa': 'src/base src/expr src/catalog src/wire src/wire/oa src/source',
        'src/source/': 'src/base src/expr src/catalog src/wire src/wire/oa src/source '
                       'src/source/mali src/source/oa src/source/perf src/source/guest query',
    },
    'rows of values': {
        'src/table': 'src/base src/wire',
        'src/decode': 'src/base src/expr src/catalog src/wire src/wire/oa src/table',
        'src/import': 'src/base src/expr src/catalog src/wire src/wire/oa src/table src/decode',
        'src/metric': 'src/base src/expr src/catalog src/catalog/lint src/wire src/table src/decode',
    },
    'what they mean': {
        'src/analysis': 'src/base src/expr src/catalog src/wire src/table src/decode src/metric',
        'src/analysis/verdict': 'src/base src/expr src/catalog src/wire src/table src/metric src/analysis',
        'src/analysis/report': 'src/base src/expr src/catalog src/wire src/table src/metric src/analysis '
                               'src/analysis/verdict',
        'src/analysis/compare': 'src/base src/catalog src/table src/analysis src/analysis/report',
        'src/analysis/live': 'src/base src/expr src/catalog src/wire src/table src/metric src/analysis '
                             'src/analysis/verdict src/analysis/report',
    },
    'how it is shown': {
        'src/output/write': 'src/base src/catalog',
        'src/output': 'src/base src/expr src/catalog src/wire src/table src/metric src/analysis src/analysis/verdict '
                      'src/analysis/report src/analysis/compare src/analysis/live src/output/write',
    },
    'one measurement': {
        'src/session': 'src/base src/expr src/catalog src/wire src/wire/oa src/capture '
                       'src/source src/table src/decode src/import src/metric src/analysis',
        'src/input': 'src/base src/expr src/catalog src/wire src/capture src/source src/table src/decode src/import '
                     'src/metric src/analysis src/analysis/report src/analysis/compare src/session',
    },
    'front ends': {
        'gpa': 'src/base src/wire',
        'gpa/api3': 'src/base gpa',
        'gpa/gl': 'src/base src/wire gpa',
        'gpa/vk': 'src/base gpa query',
        'gpa/cl': 'src/base gpa',
        'tools/cli': 'src/base src/output src/analysis src/analysis/report src/analysis/compare '
                     'src/input',
        'tools/verbs': 'src/base src/output src/output/write src/analysis src/analysis/report '
                       'src/analysis/compare src/analysis/live src/input tools/cli',
        'tools': 'src/base src/input tools/cli tools/verbs',
    },
}
ROOMS = {room: allowed for floor in FLOORS.values() for room, allowed in floor.items()}
# A public header belongs to the room that implements it; front ends may include all of them.
PUBLIC = {
    'status.h': 'src/base', 'device.h': 'src/wire', 'context.h': 'src/catalog', 'catalog.h': 'src/catalog',
    'expr.h': 'src/expr', 'lint.h': 'src/catalog', 'sample.h': 'src/wire', 'value.h': 'src/base',
    'source.h': 'src/source', 'capture.h': 'src/capture', 'table.h': 'src/table',
    'oa.h': 'src/wire/oa', 'mali.h': 'src/decode', 'metric.h': 'src/metric', 'plan.h': 'src/metric',
    'analysis.h': 'src/analysis', 'session.h': 'src/session', 'sextant.h': 'tools',
}
FRONT_ENDS = ('preload', 'layer', 'gpa', 'tools')
# A list names the children of its room, which include the room's interface: the one way down there is.
LISTS = ('src/source/all.c', 'src/decode/decode.c', 'src/import/read.c', 'src/output/views.c')
# What a folder of a room may include beside what its row allows: verbs that show the bits of Intel's OA unit, and raw
# files as they are.
BESIDE = {'tools/verbs/oa': 'src/wire/oa', 'tools/verbs/decode': 'src/import'}
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.M)
BARE = re.compile(r'^\s*#\s*include\s+"([^/"]+)"', re.M)


@functools.lru_cache(maxsize=None)
def room_of(folder):
    """The row of a folder; folders below src/source/ that have none share the row of 'src/source/'."""
    best = ''
    for room in ROOMS:
        inside = folder.startswith(room) if room.endswith('/') else \
            folder == room or folder.startswith(room + '/')
        if inside and len(room) > len(best):
            best = room
    return best


def target_folder(target):
    """The folder of a header as it is included, or ''."""
    folder = os.path.dirname(target)
    if not folder or folder.split('/')[0] in {room.split('/')[0] for room in ROOMS} - {'src'}:
        return folder
    return 'src/' + folder


@functools.lru_cache(maxsize=None)
def judge(folder, target):
    """Why a file of this folder may not include this header, or None."""
    mine = room_of(folder)
    allowed = set(ROOMS[mine].split()) | set(BESIDE.get(folder, '').split()) | {mine}
    if target.startswith('sextant/'):
        theirs = PUBLIC.get(target[len('sextant/'):])
        if theirs is None:
            return 'scripts/check_layers.py does not know this header'
        # A room below the owner's implements a part of the header.
        if folder.split('/')[0] in FRONT_ENDS or theirs in allowed or mine.startswith(theirs + '/'):
            return None
        return f'{mine} knows nothing of {theirs}'
    where = target_folder(target)
    theirs = room_of(where)
    if not where or not theirs:
        return None
    if mine == theirs == 'src/source/' and where.split('/')[2] != folder.split('/')[2]:
        return 'a source knows no other source'
    if theirs in allowed:
        return None
    return f'{mine} knows nothing of {theirs}'


def sources(root):
    """Folder and name of each file that includes others."""
    for top in sorted({room.split('/')[0] for room in ROOMS}):
        for path, _, names in sorted(os.walk(os.path.join(root, top))):
            for name in sorted(n for n in names if n.endswith(('.c', '.cc', '.h', '.def'))):
                yield os.path.relpath(path, root), name


def includes(root, pattern=INCLUDE):
    """Each include of each file: folder, name, target."""
    for folder, name in sources(root):
        with open(os.path.join(root, folder, name), encoding='utf-8') as text:
            for target in pattern.findall(text.read()):
                yield folder, name, target


def include_findings(root):
    for folder, name, target in includes(root):
        bad = judge(folder, target) if room_of(folder) else None
        if bad:
            yield f'{folder}/{name}: includes {target}: {bad}'
    for folder, name, target in includes(root, BARE):
        yield f'{folder}/{name}: includes "{target}" without its folder'


def circle_findings(root):
    edges = measure_house.included(measure_house.read(root))
    for circle in measure_house.circles(measure_house.folders(edges)):
        yield f'{", ".join(circle)}: these folders include each other'


def order_findings():
    rooms = list(ROOMS)
    for room, allowed in ROOMS.items():
        for other in allowed.split():
            if other not in rooms or rooms.index(other) >= rooms.index(room):
                yield f'{room}: {other} stands no earlier'


def symbols(root, libraries):
    """Who defines each name of the library, and who uses which: files of the tree."""
    objects = {f'{folder[4:]}/{name}'.replace('/', '_') + '.o': (folder, name) for folder, name in sources(root)
               if folder.startswith('src/')}
    defined, used = {}, []
    for library in libraries:
        text = subprocess.run(['nm', '-A', library], check=True, capture_output=True, text=True).stdout
        for line in text.splitlines():
            member, _, rest = line.rpartition('.o:')
            file = objects.get(os.path.basename(member) + '.o')
            kind, name = rest[16:].split()[:2]
            if file and kind == 'U':
                used.append((file, name))
            elif file and kind in 'TDBRVW':
                defined[name] = file
    return defined, used


def call_findings(root, libraries):
    rank = {room: i for i, room in enumerate(ROOMS)}
    defined, used = symbols(root, libraries)
    if libraries and len(defined) < 1000:
        yield f'{len(defined)} names defined in {libraries[0]}: was it built of this tree?'
    for (folder, name), symbol in used:
        there = defined.get(symbol)
        if there and f'{folder}/{name}' not in LISTS and \
                rank[room_of(there[0])] > rank[room_of(folder)]:
            yield f'{folder}/{name}: calls {symbol} of {there[0]}, which stands later'


def main():
    root = sys.argv[1]
    bad = [*order_findings(), *include_findings(root), *circle_findings(root), *call_findings(root, sys.argv[2:])]
    if not os.path.isdir(os.path.join(root, 'src', 'base')):
        bad.append('no src/base: wrong folder')
    # The check checks itself: known offences must be found, and what is right must pass.
    offences = [('src/decode', 'session/session.h'), ('src/base', 'sextant/table.h'),
                ('src/source/kbase', 'source/cpu/cpu.h'), ('tools/verbs', 'metric/metrics.h'),
                ('tools/cli', 'wire/oa/oa.h'), ('preload', 'catalog/catalog.h'), ('src/table', 'decode/decode.h')]
    fine = [('src/source/kbase', 'source/source.h'), ('tools/cli', 'sextant/metric.h')]
    if not all(judge(*o) for o in offences) or any(judge(*f) for f in fine):
        bad.append('check_layers.py no longer sees an offence')
    print('\n'.join(bad) if bad else 'layers: clean')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
