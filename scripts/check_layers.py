#!/usr/bin/env python3
"""A file includes headers of its own layer or a lower one only. Usage: check_layers.py ROOT"""
import os
import re
import sys

LAYER = {
    'base': 0, 'expr': 1, 'catalog': 1, 'wire': 1, 'source': 2, 'capture': 2, 'decode': 3, 'table': 3, 'import': 3,
    'metric': 4, 'analysis': 5, 'output': 6, 'session': 7,
}
# What a layer may not include although it is lower: the stages between bytes and tables.
FORBIDDEN = {
    'decode': {'source', 'capture'}, 'import': {'source', 'capture'}, 'table': {'source', 'capture'},
    'metric': {'source', 'capture'}, 'analysis': {'source', 'capture'},
    'output': {'source', 'capture'},
}
ALLOWED = {'source/raw.h', 'source/gl_wire.h', 'source/mali_wire.h'}  # pure data, no calls
# Public headers by the layer that implements them.
PUBLIC = {
    'status.h': 0, 'context.h': 1, 'catalog.h': 1, 'expr.h': 1, 'lint.h': 1, 'sample.h': 1, 'source.h': 2,
    'capture.h': 2, 'table.h': 3, 'oa.h': 1, 'mali.h': 3, 'metric.h': 4, 'analysis.h': 5,
    'plan.h': 4, 'session.h': 7, 'sextant.h': 8,
}
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.M)


def findings(root):
    for folder, layer in LAYER.items():
        for path, _, names in os.walk(os.path.join(root, 'src', folder)):
            for name in sorted(n for n in names if n.endswith(('.c', '.h', '.def'))):
                file = os.path.join(path, name)
                with open(file, encoding='utf-8') as text:
                    for target in INCLUDE.findall(text.read()):
                        bad = judge(folder, layer, target)
                        if bad:
                            yield f'{os.path.relpath(file, root)}: includes {target}: {bad}'


def judge(folder, layer, target):
    if target.startswith('sextant/'):
        theirs = PUBLIC.get(target[len('sextant/'):])
        if theirs is None:
            return 'scripts/check_layers.py does not know this header'
        return None if theirs <= layer else f'layer {theirs} above {layer}'
    first = target.split('/')[0]
    if '/' not in target or first not in LAYER:
        return 'a front end' if first in ('tools', 'gpa', 'preload', 'layer') else None
    if target in ALLOWED or first == folder:
        return None
    if first in FORBIDDEN.get(folder, ()):
        return f'{folder} must run without it'
    return None if LAYER[first] <= layer else f'layer {LAYER[first]} above {layer}'


def main():
    root = sys.argv[1]
    bad = list(findings(root))
    if not os.path.isdir(os.path.join(root, 'src', 'base')):
        bad.append('no src/base: wrong folder')
    # The check checks itself: a known offence must be found.
    if judge('decode', 3, 'session/session.h') is None or judge('base', 0, 'sextant/table.h') is None:
        bad.append('check_layers.py no longer sees an offence')
    print('\n'.join(bad) if bad else 'layers: clean')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
