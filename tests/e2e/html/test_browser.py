#!/usr/bin/env python3
"""
Pages in a browser: browse.cjs drives a headless Chromium over some. Needs node, npm and chromium; without one of them it
says so and is skipped. Arguments: sextant, make-page, a folder that keeps what npm brings.
"""
import csv
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sextant, make_page, kept = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), pathlib.Path(sys.argv[3])
here = pathlib.Path(__file__).resolve().parent
SKIPPED = 77


def missing():
    """What is not here, in words, or None; brings puppeteer-core where npm can."""
    for program in ('node', 'npm', 'chromium'):
        if not shutil.which(program):
            return f'no {program}'
    if (kept / 'node_modules' / 'puppeteer-core').is_dir():
        return None
    kept.mkdir(parents=True, exist_ok=True)
    for name in ('package.json', 'package-lock.json'):
        shutil.copy(here / name, kept / name)
    try:
        done = subprocess.run(['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund'], cwd=kept, capture_output=True, text=True, timeout=150)
    except subprocess.TimeoutExpired:
        return 'npm brought no puppeteer-core in time'
    return None if done.returncode == 0 else f'npm brought no puppeteer-core: {done.stderr.strip()[-300:]}'


def run(folder, *command):
    subprocess.run(command, cwd=folder, check=True, timeout=120, stdout=subprocess.DEVNULL)


def prepare(folder):
    """The pages that browse.cjs opens, and the numbers that it holds them against."""
    for kind, name, rows in (('frames', 'frames', 600), ('frames', 'before', 500), ('long', 'long', 24000)):
        run(folder, make_page, kind, f'{name}.sxc', str(rows))
    gate = ['--gate', 'frame_time.p50 < 20ms']
    run(folder, sextant, 'report', 'frames.sxc', '-o', 'frames.html', *gate)
    run(folder, sextant, 'report', 'frames.sxc', '-o', 'against.html', '--baseline', 'before.sxc')
    run(folder, sextant, 'report', 'long.sxc', '-o', 'long.html')
    text = subprocess.run([sextant, 'export', 'frames.sxc', '--csv'], cwd=folder, check=True, capture_output=True, text=True).stdout
    rows = [{'begin': int(row.pop('begin_ns')), 'end': int(row.pop('end_ns')),
             **{key.split(' (')[0]: float(value) if value else None for key, value in row.items() if key not in ('group', 'sample_kind', 'quality')}}
            for row in csv.DictReader(io.StringIO(text))]
    (folder / 'frames.json').write_text(json.dumps(rows))
    (folder / 'node_modules').symlink_to((kept / 'node_modules').resolve())


def main():
    why = missing()
    if why:
        print(f'cannot run here: {why}')
        return SKIPPED
    with tempfile.TemporaryDirectory(prefix='sextant-browser-') as folder:
        prepare(pathlib.Path(folder))
        done = subprocess.run(['node', str(here / 'browse.cjs'), shutil.which('chromium'), folder], timeout=200, check=False,
                              env={k: v for k, v in os.environ.items() if not k.startswith(('LD_PRELOAD', 'ASAN'))})
    return 1 if done.returncode else 0


if __name__ == '__main__':
    sys.exit(main())
