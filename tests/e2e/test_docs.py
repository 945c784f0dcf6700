#!/usr/bin/env python3
"""
Every command of the README and of docs/ (`sextant …` between backticks, or a line of its own) works as it is written: with
the files that it names, made here, in a folder of its own. Those that need a device are refused for that reason and no other. Arguments:
sextant, source root.
"""
import os
import pathlib
import re
import shlex
import struct
import subprocess
import sys
import tempfile

sextant, root = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
# What only hardware can answer here: exit 3, no such device.
HARDWARE = ('oa record', 'doctor --selftest')
# Spoken of, not typed: they lack what they are about.
SPOKEN = ('advise --json', 'catalog lint ./mali-g999.yaml', 'catalog show', 'doctor --selftest', 'doctor --selftest -d pmu')
# Recordings of programs that draw, of which there is none here: nothing came, and that is said.
DRAWING = ('record -o', 'record --keep', 'diff before', 'compare', 'stat --overhead', 'stat -d gl')
# A device is measured until somebody ends it.
ENDLESS = ('stat -m',)


def commands():
    for page in [root / 'README.md', *sorted((root / 'docs').glob('*.md'))]:
        for text in re.findall(r'(?:`|^    )sextant ([^`\n]+)(?:`|$)', page.read_text(encoding='utf-8'), re.M):
            words = text.split()
            # Names of verbs alone, and forms with parts left open, are no commands.
            if len(words) < 2 or text in SPOKEN or any(re.fullmatch(r'[^-a-z.]*(FILE|NAME|DIR|PID|COMMAND).*|.*…', w) for w in words):
                continue
            yield page.name, text


def prepare(folder, env):
    run = lambda *args: subprocess.run([sextant, *args], cwd=folder, env=env, check=True, capture_output=True)
    for program in ('app', 'game', 'old', 'new'):
        (folder / program).write_text('#!/bin/sh\nsleep 0.1\n')
        (folder / program).chmod(0o755)
    run('record', '-d', 'mali-g625', '-t', '200ms', '-o', 'app.sxc')
    for name in ('before', 'after'):
        (folder / f'{name}.sxc').write_bytes((folder / 'app.sxc').read_bytes())
    (folder / 'examples').symlink_to((root / 'examples').resolve())
    # Front end, tiler, one L2 slice, one core: 64 counters of 32 bits each.
    (folder / 'dump').write_bytes(struct.pack('<256I', *range(256)) * 2)


def judge(text, folder, env):
    args = [sextant, *shlex.split(text.replace('$(sextant ', f'$({shlex.quote(sextant)} '))]
    if text.startswith(ENDLESS):
        args += ['-t', '50ms']
    if text.startswith(DRAWING):
        args = [word if not word.endswith('.sxc') else 'drawn.sxc' for word in args]
    if '$(' in text:
        args = ['sh', '-c', f'{shlex.quote(sextant)} ' + text.replace('$(sextant ', f'$({shlex.quote(sextant)} ')]
    done = subprocess.run(args, cwd=folder, env=env, capture_output=True, text=True, timeout=60,
                          stdin=subprocess.DEVNULL)
    if text.startswith(HARDWARE):
        return None if done.returncode == 3 else f'exit {done.returncode}, not 3: {done.stderr}'
    # 1: it is there, and what was named is not, which a machine without a GPU may say.
    fine = done.returncode == 0 or (done.returncode == 1 and text.startswith(ENDLESS + DRAWING))
    return None if fine else f'exit {done.returncode}: {done.stderr}'


def main():
    found, wrong = 0, 0
    with tempfile.TemporaryDirectory(prefix='sextant-docs-') as name:
        folder = pathlib.Path(name)
        env = dict(os.environ, XDG_CONFIG_HOME=name, LC_ALL='C.UTF-8')
        prepare(folder, env)
        for page, text in commands():
            found += 1
            told = judge(text, folder, env)
            if told:
                wrong += 1
                print(f'{page}: sextant {text}\n    {told}')
    print(f'{found} commands, {wrong} fail')
    return 1 if wrong or found < 15 else 0


if __name__ == '__main__':
    sys.exit(main())
