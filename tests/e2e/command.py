"""What tests of the command share: how it is run, and how its tables and documents are read."""
import csv
import io
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest


class Command:
    """
    Runs the command. `code` is the exit status that it must end with, None for any; `env` comes on top of this process's
    environment; options are those of subprocess.run(). A call may say otherwise than the object.
    """

    def __init__(self, path, *first, code=None, env=None, **options):
        self.words, self.code, self.env = [path, *first], code, env or {}
        self.options = {'capture_output': True, 'text': True, 'timeout': 120, **options}

    def __call__(self, *args, code=..., env=None, **options):
        done = subprocess.run([*self.words, *map(str, args)], check=False, env={**os.environ, **self.env, **(env or {})},
                              **{**self.options, **options})
        code = self.code if code is ... else code
        assert code is None or done.returncode == code, f'{args}: exit {done.returncode}, not {code}\n{done.stdout}\n{done.stderr}'
        return done

    def document(self, *args, code=0, **how):
        """What it says as JSON, of a run that may measure a program."""
        at = args.index('--') if '--' in args else len(args)
        return json.loads(self(*args[:at], '--json', *args[at:], code=code, **how).stdout)

    def measure(self, program, *options, code=0, **how):
        """A program is measured (`options`: a verb and its options): the document, and the run. What is not built or finds no driver is skipped."""
        if not shutil.which(program[0]):
            raise unittest.SkipTest(f'not built here: {program[0]}')
        with tempfile.TemporaryDirectory() as folder:
            result = os.path.join(folder, 'out.json')
            done = self(*options, '--json', '-o', result, '--', *program, code=None, **how)
            if done.returncode == 77:
                raise unittest.SkipTest(done.stderr.strip())
            assert done.returncode == code, (done.returncode, done.stderr)
            with open(result, encoding='utf-8') as file:
                return json.load(file), done


class FolderTest(unittest.TestCase):
    """Cases that have a folder of their own for files."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def file(self, content, name='t.csv'):
        """Writes a file, of text or bytes; its path."""
        with open(self.path(name), 'wb') as out:
            out.write(content if isinstance(content, bytes) else content.encode())
        return self.path(name)


def csv_rows(text):
    """The rows of a CSV file, by the names of its columns."""
    return list(csv.DictReader(io.StringIO(text)))


def metrics(document):
    return {metric['name']: metric for metric in document['metrics']}


def usual_signals():
    """A job in the background starts with some signals ignored, and so would what a test starts."""
    for number in (signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)


def go_first():
    """Ahead of others on a busy machine, where that is allowed: their load is not what is tested."""
    try:
        os.nice(-15)
    except PermissionError:
        pass


def wait_until(what, *args):
    """Until it is so, however long that takes on a busy machine; gives what it gave."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        got = what(*args)
        if got:
            return got
        time.sleep(0.01)
    raise AssertionError(f'60 s are over: {what.__name__} {args}')


def read_terminal(ours):
    """All that is written to a terminal of which this is our end, until nobody writes any more."""
    text = b''
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:
            break
        if not part:
            break
        text += part
    return text
