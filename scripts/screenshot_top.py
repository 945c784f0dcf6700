#!/usr/bin/env python3
"""
Draws docs/top.png and the screen in docs/top.md: `sextant top` on the machine of a text, in a terminal of tmux.
usage: screenshot_top.py ROOT BUILD. Needs tmux and chromium.
"""
import html
import os
import re
import subprocess
import sys
import tempfile
import time

WIDTH, HEIGHT, SECONDS = 100, 30, 12
BASIC = ('#2e3436', '#cc0000', '#4e9a06', '#c4a000', '#3465a4', '#75507b', '#06989a', '#d3d7cf',
         '#555753', '#ef2929', '#8ae234', '#fce94f', '#729fcf', '#ad7fa8', '#34e2e2', '#eeeeec')
STEPS = (0, 95, 135, 175, 215, 255)


def colour(number):
    """One of xterm's 256."""
    if number < 16:
        return BASIC[number]
    if number >= 232:
        return '#' + f'{8 + 10 * (number - 232):02x}' * 3
    number -= 16
    return '#' + ''.join(f'{STEPS[part]:02x}' for part in (number // 36, number // 6 % 6, number % 6))


def styled(state, codes):
    """The style after an SGR sequence."""
    codes = [int(code or 0) for code in codes.split(';')]
    while codes:
        code = codes.pop(0)
        if code == 0:
            state = {}
        elif code in (1, 2, 7):
            state = {**state, {1: 'bold', 2: 'dim', 7: 'reverse'}[code]: True}
        elif code in (38, 48) and codes[:1] == [5]:
            state = {**state, 'front' if code == 38 else 'back': colour(codes[1])}
            codes = codes[2:]
        elif 30 <= code <= 37 or 90 <= code <= 97:
            state = {**state, 'front': colour(code - 30 if code < 90 else code - 82)}
        elif 40 <= code <= 47 or 100 <= code <= 107:
            state = {**state, 'back': colour(code - 40 if code < 100 else code - 92)}
        elif code in (39, 49):
            state = {key: value for key, value in state.items() if key != ('front' if code == 39 else 'back')}
    return state


def page(text):
    """A terminal's text with its colours as HTML."""
    out, state = [], {}
    for part in re.split(r'(\x1b\[[0-9;]*m)', text):
        if part.startswith('\x1b'):
            state = styled(state, part[2:-1])
            continue
        front, back = state.get('front', '#d3d7cf'), state.get('back', '#1d1f21')
        if state.get('reverse'):
            front, back = back, front
        weight = ';font-weight:bold' if state.get('bold') else ';opacity:.6' if state.get('dim') else ''
        out.append(f'<span style="color:{front};background:{back}{weight}">{html.escape(part)}</span>')
    return ('<!doctype html><meta charset="utf-8"><body style="margin:0;background:#1d1f21"><pre style="margin:8px;font:15px/18px '
            f'DejaVu Sans Mono,monospace">{"".join(out)}</pre>')


def screen(root, build, width, height, *options):
    """What a terminal shows after some time."""
    words = [f'SEXTANT_TREE={root}/tests/data/drm/steam-deck.tree', 'SEXTANT_TREE_REALTIME=1', f'{build}/tests/sextant-on-tree', 'top', '-I', '500ms']
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, 'TMUX_TMPDIR': folder, 'XDG_CONFIG_HOME': folder, 'LC_ALL': 'C.UTF-8'}
        tmux = ['tmux', '-L', 'screenshot', '-f', '/dev/null']
        subprocess.run([*tmux, 'new-session', '-d', '-x', str(width), '-y', str(height), ' '.join(['env', 'TERM=screen-256color', *words])], env=env, check=True)
        time.sleep(SECONDS)
        text = subprocess.run([*tmux, 'capture-pane', '-p', *options], env=env, check=True, capture_output=True, text=True).stdout
        subprocess.run([*tmux, 'kill-server'], env=env, check=True)
        return text


def main(root, build):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'top.html')
        with open(path, 'w', encoding='utf-8') as file:
            file.write(page(screen(root, build, WIDTH, HEIGHT, '-e')))
        subprocess.run(['chromium', '--headless', '--no-sandbox', '--disable-gpu', f'--user-data-dir={folder}/profile', '--hide-scrollbars',
                        f'--window-size={9 * WIDTH + 20},{18 * HEIGHT + 16}', f'--screenshot={root}/docs/top.png', 'file://' + path],
                       check=True, capture_output=True, timeout=120)
    lines = [('    ' + line).rstrip() for line in screen(root, build, 80, 24).rstrip('\n').split('\n')]
    path = os.path.join(root, 'docs', 'top.md')
    with open(path, encoding='utf-8') as file:
        document = file.read()
    document = re.sub(r'(?<=\n## What it shows\n)(?:    .*\n)+', lambda _: '\n'.join(lines) + '\n', document)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(document)


if __name__ == '__main__':
    main(*map(os.path.abspath, sys.argv[1:3]))
