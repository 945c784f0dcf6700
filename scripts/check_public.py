#!/usr/bin/env python3
"""Every public function is called by a front end, an input, a view or an example, or stands here with its reason.
Usage: check_public.py ROOT"""
import os
import re
import sys

USERS = ('tools', 'gpa', 'preload', 'layer', 'src/output', 'src/input', 'examples')
# Calls that none of these needs, and for whom each of them is.
KEPT = {
    'sx_capture_write_ending': 'programs that write captures of their own; sx_capture_ending() reads it',
}


def plain(path):
    with open(path, encoding='utf-8') as file:
        return re.sub(r'/\*.*?\*/|//[^\n]*', ' ', file.read(), flags=re.S)


def files(root, folder):
    for path, _, names in os.walk(os.path.join(root, folder)):
        yield from (os.path.join(path, n) for n in sorted(names) if n.endswith(('.c', '.h', '.cc', '.def')))


def main(root):
    declared = {}
    for path in files(root, 'include/sextant'):
        for name in re.findall(r'SX_API [^;]*?\b(sx_\w+)\s*\(', plain(path)):
            declared[name] = os.path.relpath(path, root)
    used = set()
    for folder in USERS:
        for path in files(root, folder):
            used.update(re.findall(r'\bsx_\w+', plain(path)))
    bad = [f'{declared[n]}: {n} is called by no front end, input, view or example'
           for n in sorted(declared) if n not in used and n not in KEPT]
    bad += [f'scripts/check_public.py: {n} is called now, or gone: strike it out' for n in sorted(KEPT)
            if n in used or n not in declared]
    if len(declared) < 100:
        bad.append(f'only {len(declared)} public functions found: wrong folder')
    print('\n'.join(bad) or f'{len(declared)} public functions, {len(KEPT)} of them kept for a reason')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1]))
