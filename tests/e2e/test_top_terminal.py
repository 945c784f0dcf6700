#!/usr/bin/env python3
"""
`top` on a terminal, which is tmux: every key, sizes and storms of them, Ctrl-Z and back, signals, colours, and a terminal that is as it was
afterwards. usage: test_top_terminal.py SEXTANT SEXTANT_ON_TREE TREES CAPTURES. Ends with 77 where there is no tmux, or no ncurses.
"""
import csv
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import termios
import time
import unittest

SEXTANT, ON_TREE, TREES, CAPTURES = map(os.path.abspath, sys.argv[1:5])
WAIT_S = 20
PROMPT = 'ready>'


def wait_until(what, text=lambda: ''):
    end = time.monotonic() + WAIT_S
    while not (found := what()):
        if time.monotonic() > end:
            raise AssertionError(f'it does not come:\n{text()}')
        time.sleep(0.05)
    return found


class Terminal:
    """A shell in a tmux of its own, whose screen and colours can be read."""

    def __init__(self, width=80, height=24, **env):
        self.folder = tempfile.TemporaryDirectory()
        self.env = {**os.environ, 'LC_ALL': 'C.UTF-8', 'XDG_CONFIG_HOME': self.folder.name, 'TMUX_TMPDIR': self.folder.name, **env}
        for name in ('NO_COLOR', 'TMUX', 'COLORFGBG'):
            if name not in env:
                self.env.pop(name, None)
        self.env['PS1'] = PROMPT
        self.tmux('-f', '/dev/null', 'new-session', '-d', '-x', str(width), '-y', str(height), '/bin/bash', '--norc', '-i')
        self.tmux('set', '-g', 'default-terminal', 'screen-256color')
        wait_until(lambda: PROMPT in self.screen(), self.screen)

    def tmux(self, *words):
        return subprocess.run(['tmux', '-L', 'top', *words], env=self.env, check=True, capture_output=True, text=True, timeout=60).stdout

    def screen(self, *options):
        return self.tmux('capture-pane', '-p', *options)

    def line(self, text):
        self.tmux('send-keys', '-l', text)
        self.tmux('send-keys', 'Enter')

    def keys(self, *names):
        for name in names:
            self.tmux('send-keys', name)

    def shows(self, pattern):
        return wait_until(lambda: re.search(pattern, self.screen(), re.M), self.screen)

    def hides(self, pattern):
        wait_until(lambda: not re.search(pattern, self.screen(), re.M), self.screen)

    def resize(self, width, height):
        self.tmux('resize-window', '-x', str(width), '-y', str(height))

    def close(self):
        self.tmux('kill-server')
        self.folder.cleanup()


class Case(unittest.TestCase):
    def open(self, width=80, height=24, **env):
        terminal = Terminal(width, height, **env)
        self.addCleanup(terminal.close)
        return terminal

    def top(self, *options, tree='steam-deck', size=(80, 24), **env):
        """On a machine that is a text, in real time."""
        terminal = self.open(*size, SEXTANT_TREE_REALTIME='1', SEXTANT_TREE=os.path.join(TREES, tree + '.tree'), **env)
        terminal.line(' '.join([ON_TREE, 'top', '-d', 'drm', '-I', '200ms', *options]) + '; echo status=$?=')
        terminal.shows(r'processes, by busy')
        return terminal

    def ended(self, terminal, status):
        terminal.shows(rf'status={status}=')
        terminal.line('stty -a | tr ";" "\\n"')
        terminal.shows(r' icanon')
        for word in ('icanon', 'echo', 'isig', 'icrnl', 'opost'):
            self.assertRegex(terminal.screen(), rf'(?m)(^| ){word}( |$)')


class Keys(Case):
    def test_help(self):
        t = self.top()
        for key in ('F1', '?', 'h'):
            t.keys(key)
            t.shows(r'Keys \(Esc leaves\)')
            t.keys('Escape')
            t.hides(r'Keys \(Esc leaves\)')
        t.keys('F10')
        self.ended(t, 0)

    def test_setup(self):
        """A metric more in the list, found by what is typed."""
        t = self.top()
        for key in ('F2', 'S'):
            t.keys(key)
            t.shows(r'1[56] of 153 shown; they fit one pass')
            t.keys('Escape')
            t.hides(r' of 153 shown')
        t.keys('F2')
        t.keys(*'gfx')
        t.shows(r'Search: gfx_')
        t.keys('Space')
        t.shows(r'16 of 153 shown')
        t.shows(r'\[x\] Gfx engine busy')
        t.keys('Enter', 'Tab', 'End', 'q')
        self.ended(t, 0)

    def test_search_and_filter(self):
        t = self.top()
        t.keys('Tab', '/')
        t.keys(*'clock')
        t.shows(r'^Search: clock_')
        t.keys('Enter', 'Enter')
        t.shows(r'^┌─ Clock ─')
        t.keys('Escape', 'n', 'Enter')
        t.shows(r'^┌─ ClockHighest ─')
        t.keys('Escape', 'F3')
        t.keys(*'nosuch')
        t.keys('Enter')
        t.shows(r'no metric shown has "nosuch" in its name')
        for key in ('F4', '\\'):
            t.keys(key)
            t.keys(*'clock')
            t.shows(r': 2 of 153 metrics with clock')
            t.keys('Escape')
            t.hides(r'with clock')
        t.keys('BTab', 'BTab', 'F4')
        t.keys(*'scope')
        t.keys('Enter')
        t.shows(r'1 process with scope, by busy')
        t.keys('q')
        self.ended(t, 0)

    def test_processes(self):
        """Sorted, reversed, as a tree."""
        t = self.top(size=(80, 40))
        names = lambda: re.findall(r'game\.x86_64|gamescope-wl|steam$', t.screen(), re.M)
        self.assertEqual(names(), ['game.x86_64', 'gamescope-wl', 'steam'])
        for key in ('F6', '>'):
            t.keys(key)
            t.shows('Sort processes by')
            t.keys('End', 'Enter')
            t.shows('processes, by name')
        t.keys('I')
        wait_until(lambda: names() == ['steam', 'gamescope-wl', 'game.x86_64'], t.screen)
        for key in ('F5', 't'):
            t.keys(key)
        t.keys('t')
        t.shows('by name, reversed, as a tree')
        t.keys('q')
        self.ended(t, 0)

    def test_time(self):
        t = self.top()
        t.keys('Space')
        t.shows(r'^Now: .*PAUSED')
        t.keys('p')
        t.hides('PAUSED')
        time.sleep(1)
        t.keys('Left')
        t.shows(r'PAUSED (2|3|4)\d\d ms ago')
        t.keys('[')
        t.shows(r'PAUSED [1-9]\.?\d* s ago')
        t.keys(']', ']', 'Right', 'p')
        t.hides('PAUSED')
        t.resize(120, 24)
        t.shows('live, 200 ms a point')
        t.keys('-')
        t.shows('live, 400 ms a point')
        t.keys('-', '+', '+')
        t.shows('live, 200 ms a point')
        t.keys('q')
        self.ended(t, 0)

    def test_advice_and_explanation(self):
        t = self.top(size=(80, 50))
        t.shows('── Advice ──')
        t.keys('a')
        t.hides('── Advice ──')
        t.keys('A')
        t.shows('── Advice ──')
        t.keys('Tab', 'Down', 'Enter')
        t.shows('neutral +gpu.load')
        t.keys('End', 'Home', 'NPage', 'PPage', 'Up', 'q')
        t.hides('neutral +gpu.load')
        t.keys('q')
        self.ended(t, 0)

    def test_record(self):
        """What is kept becomes a capture with each row once, and the view goes on."""
        t = self.top()
        with tempfile.TemporaryDirectory() as folder:
            t.keys('q')
            self.ended(t, 0)
            t.line(f'clear; cd {folder}; {ON_TREE} top -d drm -I 200ms; echo status=$?=')
            t.shows(r'processes, by busy')
            time.sleep(2)
            t.keys('r')
            name = t.shows(r'^wrote (sextant-\d{8}-\d{6}\.sxc)')[1]
            t.keys('Down')
            t.shows('^F1Help')
            t.keys('q')
            self.ended(t, 0)
            rows = subprocess.run([SEXTANT, 'export', os.path.join(folder, name), '-f', 'csv', '-m', 'gpu_busy'], check=True, capture_output=True, text=True)
        table = list(csv.DictReader(rows.stdout.splitlines()))
        begins, ends = ([int(row[name]) for row in table] for name in ('begin_ns', 'end_ns'))
        self.assertGreater(len(table), 5)
        self.assertEqual(begins[1:], ends[:-1])
        self.assertEqual({round(float(row['gpu_busy'])) for row in table} - {83, 99}, set())

    def test_devices(self):
        t = self.open()
        t.line(f'{SEXTANT} top -d mali-g625,mali-g310 -I 200ms; echo status=$?=')
        t.shows(r'\A.*\n Device.*\n▶.*\n \S')
        t.shows(r'GPU active cycles +[0-9]')
        t.keys('d')
        t.shows(r'\A.*\n Device.*\n .*\n▶')
        t.keys('Up')
        t.shows(r'\A.*\n Device.*\n▶')
        t.keys('q')
        self.ended(t, 0)

    def test_signal(self):
        """It is sent after a yes, and not after a no."""
        with subprocess.Popen(['sleep', '1000']) as child:
            self.addCleanup(child.kill)
            with open(os.path.join(TREES, 'steam-deck.tree'), encoding='utf-8') as file:
                text = re.sub(r'\b2346\b', str(child.pid), file.read())
            with tempfile.NamedTemporaryFile('w', suffix='.tree') as tree:
                tree.write(text)
                tree.flush()
                t = self.open(80, 24, SEXTANT_TREE_REALTIME='1', SEXTANT_TREE=tree.name)
                t.line(f'{ON_TREE} top -d drm -I 200ms; echo status=$?=')
                t.shows(r'processes, by busy')
                for key, answer in (('F9', 'n'), ('k', 'Escape'), ('F9', 'y')):
                    self.assertIsNone(child.poll())
                    t.keys(key)
                    t.shows(rf'Signal to game.x86_64 \({child.pid}\)')
                    t.keys('Enter')
                    t.shows(rf'Send SIGTERM to game.x86_64 \({child.pid}\)\?')
                    t.keys(answer)
                    t.hides('Send SIGTERM')
                t.shows(rf'signal 15 to {child.pid} \(game.x86_64\): sent')
                self.assertEqual(child.wait(WAIT_S), -signal.SIGTERM)
                t.keys('q')
                self.ended(t, 0)


class Programs(Case):
    def test_output_and_status(self):
        """What a program writes is a part of the screen, and is written in the end; its status is kept."""
        t = self.open(80, 30)
        program = self.script('printf "one\\ttwo\\n\\033[31mred\\033[0m\\n"; echo late >&2; sleep 3; read line || echo nothing to read; exit 7')
        t.line(f'{SEXTANT} top -d cpu -I 200ms -- sh {program}; echo status=$?=')
        t.shows(r'── Output ──+\n one {5}two\n red\n late\n')
        self.ended(t, 7)
        text = t.tmux('capture-pane', '-p', '-S', '-100')
        self.assertRegex(text, r'(?m)^one +two\nred\nlate\nnothing to read\n')

    def test_much_output(self):
        """A program that writes without end does not stop the view, and is ended with it."""
        t = self.open(80, 30)
        t.line(f'{SEXTANT} top -d cpu -I 200ms -- yes; echo status=$?=')
        t.shows(r'── Output ──+\n y\n')
        t.shows('CPU busy')
        t.keys('?')
        t.shows(r'Keys \(Esc leaves\)')
        t.keys('q', 'q')
        t.shows(r'status=\d+=')

    def test_keys_are_not_the_programs(self):
        """A program that reads from its terminal has none."""
        t = self.open(80, 30)
        program = self.script('read line </dev/tty || echo no terminal; sleep 60')
        t.line(f'{SEXTANT} top -d cpu -I 200ms -- sh {program}; echo status=$?=')
        t.shows(r'no terminal\n|No such device')
        t.keys('?')
        t.shows(r'Keys \(Esc leaves\)')
        t.keys('q', 'q')
        t.shows(r'status=\d+=')

    def script(self, text):
        file = tempfile.NamedTemporaryFile('w', suffix='.sh')
        self.addCleanup(file.close)
        file.write(text)
        file.flush()
        return file.name


class Saved(Case):
    def test_look_is_kept(self):
        """Order, form and metrics of one run are those of the next; -m goes first."""
        t = self.top()
        t.keys('F6', 'Down', 'Enter', 't', 'I', 'a', 'F2')
        t.shows(r'\[x\] GPU busy')
        t.keys('Space')
        t.shows(r'\[ \] GPU busy')
        t.keys('Enter', 'q')
        self.ended(t, 0)
        again = ' '.join([ON_TREE, 'top', '-d', 'drm', '-I', '200ms'])
        t.line(f'clear; {again}')
        t.shows(r'processes, by memory, reversed, as a tree')
        t.hides(r'^ GPU busy')
        t.shows(r'^ Effective load')
        t.keys('q')
        t.line(f'clear; {again} -m gpu_busy; echo status=$?=')
        t.shows(r'^ GPU busy')
        t.keys('q')
        self.ended(t, 0)
        with open(os.path.join(t.folder.name, 'sextant/top'), encoding='utf-8') as file:
            text = file.read()
        self.assertRegex(text, '(?m)^advice = no$')
        self.assertRegex(text, '(?m)^metrics.drm = effective_load,')

    def test_folder_that_cannot_be_written(self):
        t = self.top(XDG_CONFIG_HOME='/dev/null/none')
        t.keys('q')
        t.shows(r'note: the view is not kept for the next time: Not a directory')
        self.ended(t, 0)


class Screens(Case):
    def test_sizes(self):
        t = self.top()
        for width, height in ((80, 24), (120, 40), (300, 80), (40, 12), (20, 5), (1, 1), (80, 24)):
            t.resize(width, height)
            if width >= 40:
                t.shows(rf'\A.*live.*\n Device .*Load.*\n(.*\n){{{height - 3}}}F1Help')
        t.keys('q')
        self.ended(t, 0)

    def test_storm(self):
        t = self.top()
        for i in range(100):
            t.resize(20 + i * 37 % 200, 5 + i * 13 % 60)
        t.resize(100, 30)
        t.shows(r'\A.*live, 200 ms a point\n Device .*Load')
        self.assertTrue(t.screen().rstrip('\n').split('\n')[29].startswith('F1Help'), t.screen())
        t.keys('q')
        self.ended(t, 0)

    def test_colours(self):
        """None, 16 and 256 of them; -e gives what the terminal got."""
        for env, options, wanted, unwanted in (
                ({'TERM': 'screen-256color'}, (), r'\x1b\[[0-9;]*38;5;', None),
                ({'TERM': 'linux'}, (), r'\x1b\[[0-9;]*3[0-7]m', r'38;5;'),
                ({'TERM': 'screen-256color', 'NO_COLOR': '1'}, (), r'\x1b\[', r'\x1b\[([0-9]+;)*(3[0-7]|38|9[0-7])[;m]'),
                ({'TERM': 'screen-256color'}, ('--color', 'never'), r'\x1b\[', r'\x1b\[([0-9]+;)*(3[0-7]|38|9[0-7])[;m]')):
            with self.subTest(env=env, options=options):
                term = env.pop('TERM')
                t = self.open(80, 24, SEXTANT_TREE_REALTIME='1', SEXTANT_TREE=os.path.join(TREES, 'steam-deck.tree'), **env)
                t.line(f'TERM={term} {ON_TREE} top -d drm -I 200ms {" ".join(options)}')
                t.shows('processes, by busy')
                colours = t.screen('-e')
                self.assertRegex(colours, wanted)
                if unwanted:
                    self.assertNotRegex(colours, unwanted)

    def test_ascii(self):
        t = self.open(80, 24, SEXTANT_TREE_REALTIME='1', SEXTANT_TREE=os.path.join(TREES, 'steam-deck.tree'), LC_ALL='C')
        t.line(f'{ON_TREE} top -d drm -I 200ms; echo status=$?=')
        t.shows('processes, by busy')
        self.assertTrue(t.screen().isascii(), t.screen())
        t.keys('q')
        self.ended(t, 0)

    def test_dumb(self):
        """Lines instead of a screen, and one line that says why."""
        t = self.open(100, 40, SEXTANT_TREE_REALTIME='1', SEXTANT_TREE=os.path.join(TREES, 'steam-deck.tree'))
        t.line(f'TERM=dumb {ON_TREE} top -d drm -I 200ms -t 1s; echo status=$?=')
        t.shows('status=0=')
        text = t.tmux('capture-pane', '-p', '-J', '-S', '-200')
        self.assertRegex(text, r'note: cannot draw on this terminal: TERM is dumb')
        self.assertRegex(text, r'(?m)^device 0: .*: Effective load ')

    def test_replay(self):
        """At its own speed, faster, by points, to its end."""
        with tempfile.TemporaryDirectory() as folder:
            capture = os.path.join(folder, 'long.sxc')
            subprocess.run([ON_TREE, 'record', '-q', '-d', 'drm', '-I', '1s', '-t', '60s', '-o', capture], check=True, capture_output=True,
                           env={**os.environ, 'SEXTANT_TREE': os.path.join(TREES, 'steam-deck.tree')})
            t = self.open(80, 24)
            t.line(f'{SEXTANT} top -i {capture}; echo status=$?=')
            t.shows(r'replay x1$')
            t.keys('Space', 'Right')
            t.shows(r'PAUSED')
            t.shows(r'^ GPU busy +83.0 %')
            t.keys(']')
            t.shows(r'^ GPU busy +99.0 %')
            t.keys('p', '.', '.', '.', ',')
            t.shows(r'replay x4$')
            t.keys(*'......')
            t.shows(r'end of the recording$')
            t.keys('q')
            self.ended(t, 0)


class Ends(Case):
    def test_stop_and_go_on(self):
        t = self.top()
        for _ in range(2):
            t.keys('C-z')
            t.shows(r'Stopped')
            t.line('stty -a | tr ";" "\\n"')
            t.shows(r' icanon')
            t.line('clear; fg; echo status=$?=')
            t.shows(r'\A.*live\n Device .*Load')
        t.keys('q')
        self.ended(t, 0)

    def test_signals(self):
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            with self.subTest(number):
                t = self.top()
                shell = int(t.tmux('display', '-p', '#{pane_pid}'))
                child = int(subprocess.run(['ps', '-o', 'pid=', '--ppid', str(shell)], capture_output=True, text=True, check=True).stdout.split()[0])
                os.kill(child, number)
                self.ended(t, 0)

    def test_flow_control(self):
        """Ctrl-S stops nothing, also after Ctrl-Z; the shell has flow control again afterwards."""
        t = self.top()
        t.keys('C-s', '?')
        t.shows(r'Keys \(Esc leaves\)')
        t.keys('C-z')
        t.shows(r'Stopped')
        t.line('clear; fg; echo status=$?=')
        t.shows(r'Keys \(Esc leaves\)')
        t.keys('C-s', 'q')
        t.hides(r'Keys \(Esc leaves\)')
        t.keys('q')
        self.ended(t, 0)
        self.assertRegex(t.screen(), r'(?m)(^| )ixon( |$)')

    def test_nobody_reads_the_terminal(self):
        """A terminal that takes nothing any more does not keep a signal from ending it."""
        reader, terminal = os.openpty()
        process = subprocess.Popen([ON_TREE, 'top', '-d', 'drm', '-I', '100ms'], stdin=terminal, stdout=terminal, stderr=subprocess.DEVNULL,
                                   env={**os.environ, 'TERM': 'xterm', 'SEXTANT_TREE_REALTIME': '1',
                                        'SEXTANT_TREE': os.path.join(TREES, 'steam-deck.tree')})
        self.addCleanup(process.kill)
        drawn = bytearray()
        wait_until(lambda: drawn.extend(os.read(reader, 65536)) or b'processes' in drawn)
        termios.tcflow(terminal, termios.TCOOFF)
        time.sleep(0.5)
        process.terminate()
        self.assertEqual(process.wait(WAIT_S), 0)
        os.close(reader)
        os.close(terminal)

    def test_without_a_verb(self):
        """The command alone says how to leave, and is top."""
        t = self.open()
        t.line(f'{SEXTANT}; echo status=$?=')
        t.shows(r'F10Quit')
        t.keys('q')
        t.shows(r'note: this is sextant top: q ends it')
        self.ended(t, 0)

    def test_interrupt(self):
        t = self.top()
        t.keys('C-c')
        self.ended(t, 0)

    def test_connection_breaks(self):
        """The terminal is gone: so is the process."""
        t = self.top()
        shell = int(t.tmux('display', '-p', '#{pane_pid}'))
        child = int(subprocess.run(['ps', '-o', 'pid=', '--ppid', str(shell)], capture_output=True, text=True, check=True).stdout.split()[0])
        t.tmux('new-window', 'sleep 1000')
        t.tmux('kill-pane', '-t', ':0')
        wait_until(lambda: not os.path.exists(f'/proc/{child}'))


class Devices(Case):
    def test_the_only_card_goes_and_comes_back(self):
        with open(os.path.join(TREES, 'steam-deck.tree'), encoding='utf-8') as file:
            text = file.read()
        card = text[text.index('link /sys/class'):text.index('\nprocess ')]
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, 'goes.tree'), 'w', encoding='utf-8') as file:
                file.write(f'{text}\nat 2000ms\ngone /sys/devices/pci0000:00/0000:00:08.1\nat 5000ms\n{card}\n')
            t = self.top(tree=os.path.join(folder, 'goes'))
            t.shows(r'^▶AMD GPU.* gone')
            t.shows(r'^▶AMD GPU.* 5\d\.\d %')
            t.keys('q')
            self.ended(t, 1)


if __name__ == '__main__':
    if not shutil.which('tmux'):
        print('no tmux here')
        sys.exit(77)
    unittest.main(argv=sys.argv[:1] + sys.argv[5:])
