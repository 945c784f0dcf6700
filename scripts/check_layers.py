#!/usr/bin/env python3
"""A room includes itself, rooms that stand earlier, and of those only what its row allows.
Usage: check_layers.py ROOT"""
import os
import re
import sys

# Lowest first. The row of a file is the longest one that its folder begins with.
ROOMS = {
    'src/base': '',
    'src/expr/parse': 'src/base',
    'src/expr/graph': 'src/base src/expr/parse',
    'src/expr/fast': 'src/base src/expr/graph',
    'src/expr': 'src/base src/expr/parse src/expr/graph src/expr/fast',
    'src/wire': '',
    'src/catalog': 'src/base src/expr',
    'src/catalog/load': 'src/base src/expr src/catalog',
    'src/catalog/search': 'src/base src/expr src/catalog src/catalog/load',
    'src/catalog/import': 'src/base src/catalog',
    'src/catalog/lint': 'src/base src/expr src/catalog src/catalog/load src/catalog/search',
    'src/wire/oa': 'src/base src/wire src/catalog src/expr',
    'src/capture/format': 'src/base src/wire',
    'src/capture': 'src/base src/expr src/wire src/capture/format',
    'src/source': 'src/base src/expr src/catalog src/wire src/capture',
    'src/source/mali': 'src/base src/expr src/catalog src/wire src/source',
    'src/source/perf': 'src/base src/expr src/catalog src/wire src/source',
    'src/source/guest': 'src/base src/expr src/catalog src/wire src/source',
    'src/source/oa': 'src/base src/expr src/catalog src/wire src/wire/oa src/source',
    'src/source/': 'src/base src/expr src/catalog src/wire src/wire/oa src/source '
                   'src/source/mali src/source/oa src/source/perf src/source/guest query',
    'src/table': 'src/base src/expr src/wire',
    'src/decode': 'src/base src/expr src/catalog src/wire src/wire/oa src/table',
    'src/import': 'src/base src/expr src/catalog src/wire src/wire/oa src/table src/decode',
    'src/metric': 'src/base src/expr src/catalog src/catalog/lint src/wire src/table src/decode',
    'src/analysis': 'src/base src/expr src/catalog src/wire src/table src/decode src/metric',
    'src/output': 'src/base src/expr src/catalog src/wire src/table src/decode src/metric '
                  'src/analysis',
    'src/session': 'src/base src/expr src/catalog src/wire src/wire/oa src/capture '
                   'src/source src/table src/decode src/import src/metric src/analysis',
    'guest': 'src/wire',
    'query': 'src/wire guest',
    'preload': 'src/wire guest query',
    'layer': 'src/wire guest query',
    'gpa': 'src/base src/wire',
    'gpa/api3': 'src/base gpa',
    'gpa/gl': 'src/base gpa',
    'gpa/vk': 'src/base gpa',
    'gpa/cl': 'src/base gpa',
    'tools': 'src/base src/output src/import src/analysis',
}
# A public header belongs to the room that implements it; front ends may include all of them.
PUBLIC = {
    'status.h': 'src/base', 'context.h': 'src/catalog', 'catalog.h': 'src/catalog',
    'expr.h': 'src/expr', 'lint.h': 'src/catalog', 'sample.h': 'src/wire',
    'source.h': 'src/source', 'capture.h': 'src/capture', 'table.h': 'src/table',
    'oa.h': 'src/wire/oa', 'mali.h': 'src/decode', 'metric.h': 'src/metric', 'plan.h': 'src/metric',
    'analysis.h': 'src/analysis', 'session.h': 'src/session', 'sextant.h': 'tools',
}
FRONT_ENDS = ('preload', 'layer', 'gpa', 'tools')
# What stands in the wrong room today, by row. This list may only get shorter: an entry that is no
# longer needed is a finding.
EXCEPTIONS = {
    'tools': 'wire/oa/oa.h',
}
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.M)


def room_of(folder):
    """The row of a folder; folders below src/source/ that have none share the row of 'src/source/'."""
    best = ''
    for room in ROOMS:
        inside = folder.startswith(room) if room.endswith('/') else \
            folder == room or folder.startswith(room + '/')
        if inside and len(room) > len(best):
            best = room
    return best


def judge(folder, target):
    """Why a file of this folder may not include this header, or None."""
    mine = room_of(folder)
    allowed = set(ROOMS[mine].split()) | {mine}
    if target.startswith('sextant/'):
        theirs = PUBLIC.get(target[len('sextant/'):])
        if theirs is None:
            return 'scripts/check_layers.py does not know this header'
        # A room below the owner's implements a part of the header.
        if folder.split('/')[0] in FRONT_ENDS or theirs in allowed or mine.startswith(theirs + '/'):
            return None
        return f'{mine} knows nothing of {theirs}'
    path = os.path.dirname(target)
    where = path if path.split('/')[0] in FRONT_ENDS else 'src/' + path
    theirs = room_of(where)
    if not path or not theirs:
        return None
    if mine == theirs == 'src/source/' and where != folder:
        return 'a source knows no other source'
    if theirs in allowed:
        return None
    return f'{mine} knows nothing of {theirs}'


def findings(root):
    left = {room: set(targets.split()) for room, targets in EXCEPTIONS.items()}
    for top in sorted({room.split('/')[0] for room in ROOMS}):
        for path, _, names in os.walk(os.path.join(root, top)):
            folder = os.path.relpath(path, root)
            room = room_of(folder)
            for name in sorted(n for n in names if room and n.endswith(('.c', '.h', '.def'))):
                file = os.path.join(folder, name)
                with open(os.path.join(root, file), encoding='utf-8') as text:
                    for target in INCLUDE.findall(text.read()):
                        bad = judge(folder, target)
                        if bad and target in EXCEPTIONS.get(room, '').split():
                            left[room].discard(target)
                        elif bad:
                            yield f'{file}: includes {target}: {bad}'
    for room, targets in left.items():
        for target in sorted(targets):
            yield f'{room}: no longer needs an exception for {target}'


def main():
    root = sys.argv[1]
    bad = list(findings(root))
    if not os.path.isdir(os.path.join(root, 'src', 'base')):
        bad.append('no src/base: wrong folder')
    # The check checks itself: known offences must be found, and what is right must pass.
    offences = [('src/decode', 'session/session.h'), ('src/base', 'sextant/table.h'),
                ('src/source/kbase', 'source/cpu/cpu.h'), ('tools', 'metric/metrics.h'),
                ('src/table', 'decode/decode.h')]
    fine = [('src/source/kbase', 'source/source.h'), ('tools', 'sextant/metric.h')]
    if not all(judge(*o) for o in offences) or any(judge(*f) for f in fine):
        bad.append('check_layers.py no longer sees an offence')
    print('\n'.join(bad) if bad else 'layers: clean')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
