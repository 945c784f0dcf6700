#!/usr/bin/env python3
"""Every command on examples/data that README and docs show runs as it stands. usage: test_examples.py SEXTANT ROOT"""
import glob
import os
import re
import shlex
import subprocess
import sys
import tempfile

SEXTANT, ROOT = os.path.abspath(sys.argv[1]), sys.argv[2]


def commands():
    for page in [os.path.join(ROOT, 'README.md'), *sorted(glob.glob(os.path.join(ROOT, 'docs', '*.md'))),
                 os.path.join(ROOT, 'examples', 'data', 'README.md')]:
        with open(page, encoding='utf-8') as text:
            for command in re.findall(r'`(sextant [^`]*examples/data/[^`]*)`', text.read()):
                yield page, command


def main():
    bad, count = [], 0
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(os.path.join(os.path.abspath(ROOT), 'examples'), os.path.join(folder, 'examples'))
        for page, command in commands():
            count += 1
            words = shlex.split(command)
            result = subprocess.run([SEXTANT, *words[1:]], cwd=folder, capture_output=True, text=True, timeout=60, check=False)
            wrote = result.stdout or ('-o' in words and os.path.getsize(os.path.join(folder, words[words.index('-o') + 1])))
            if result.returncode or not wrote:
                bad.append(f'{os.path.relpath(page, ROOT)}: {command}: {result.returncode}, {result.stderr}')
    if count < 5:
        bad.append(f'only {count} commands were found')
    files = set(os.listdir(os.path.join(ROOT, 'examples', 'data'))) - {'README.md'}
    shown = {os.path.basename(word) for _, command in commands() for word in command.split()}
    bad += [f'no command shows examples/data/{name}' for name in sorted(files - shown)]
    print('\n'.join(bad) or f'{count} commands ran')
    return bool(bad)


if __name__ == '__main__':
    sys.exit(main())
