#!/usr/bin/env python3
"""
Labels and names of any characters, from a table through a capture and every view: each view is what its own kind of reader takes,
machine forms give the text back, and nothing reaches a terminal that would do something to it. usage: test_hostile_labels.py SEXTANT
"""
import csv
import html.parser
import io
import json
import os
import pty
import re
import sys
import unicodedata
import unittest
import xml.etree.ElementTree

from command import Command, FolderTest

SEXTANT = sys.argv.pop(1)
run = Command(SEXTANT, text=False, code=0)
LABELS = ['esc \x1b[31mred\x1b]0;title\x07', 'two\nlines', 'return\r\nhere', 'pipe | of | Markdown', '=1+1', '@SUM(A1)', '+cmd', '</script><script>alert(1)</script>',
          '<img src=x onerror=alert(1)>', 'quo"te\'s & amp;', 'bidi \u202e live \u2066x', 'tab\tin', 'del \x7f\x01', 'beyond ASCII \x85\x9b31m', 'comma, a; semicolon',
          'wide \u6f22\u5b57 e\u0301', '$(x) `y` {z}', '<!-- -->', 'back\\n\\slash\\', '{"x":1}', '# no remark', '%s%n', 'nan', '-', 'null', '1e5', '\u2028\u2029',
          '\ufeffmark', 'x' * 4000]
ORDER = set('\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069')


def controls(text, but='\n'):
    return [c for c in text if (unicodedata.category(c) == 'Cc' and c not in but) or c in ORDER]


class Page(html.parser.HTMLParser):
    """Its tags, and the attributes that would run something."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.tags, self.handlers = {}, []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags[tag] = self.tags.get(tag, 0) + 1
        self.handlers += [name for name, _ in attrs if name.startswith('on')]


class Hostile(FolderTest):
    def table(self, labels, name='t.csv', column='IAVertices'):
        """A table of frames with a label each, as a spreadsheet writes it."""
        path = self.path(name)
        with open(path, 'w', newline='', encoding='utf-8') as file:
            out = csv.writer(file, lineterminator='\n')
            out.writerow(['frame', 'begin_ns', 'end_ns', 'group', column, 'FrameTime'])
            for i, label in enumerate(labels):
                out.writerow([i, i * 10**6, (i + 1) * 10**6, label, 100 + i, 10**6])
        return path

    def capture(self, labels, name='c.sxc'):
        path = self.path(name)
        run('import', self.table(labels), '--for', 'opengl', '-o', path)
        return path

    def rows(self, text):
        return list(csv.DictReader(io.StringIO(text.decode(), newline='')))

    def test_reasons_of_a_file(self):
        """Why a column has no value, and a device's name, are of the file as well."""
        wrong = 'bidi \u202e live \u2066x \u200fy \u061cz \u2028 end'
        path = self.path('why.json')
        with open(path, 'w', encoding='utf-8') as file:
            json.dump({'schema': 'sextant.export/1', 'devices': [{'id': 0, 'name': wrong, 'for': 'monitor', 'metrics': ['frame', 'frame_time', 'gpu_time'],
                                                                  'units': [None, 's', 's'], 'rows': [[0, 0.01, None], [1, 0.01, None]], 'why': {'gpu_time': wrong}}]}, file)
        for verb in ('report', 'stat', 'advise'):
            for args in (('-v',), ('--json',)):
                result = run(verb, '-i', path, *args, code=None)
                self.assertEqual(controls((result.stdout + result.stderr).decode()), [], (verb, args))
        self.assertIn('bidi \\u202e live', run('report', path, '-v').stdout.decode())

    def test_labels_come_back(self):
        """Through the capture and every form of rows, and from these again."""
        path = self.capture(LABELS)
        forms = {'csv': lambda text: [row['group'] for row in self.rows(text)],
                 'json': lambda text: [row[device['metrics'].index('group')] for device in json.loads(text)['devices'] for row in device['rows']],
                 'ndjson': lambda text: [json.loads(line)['group'] for line in text.decode().split('\n') if line]}
        for form, read in forms.items():
            with self.subTest(form):
                out = self.path('again.' + form)
                run('export', path, '--counters', '-f', form, '-o', out)
                with open(out, 'rb') as file:
                    self.assertEqual(read(file.read()), LABELS)
                again = run('export', out, '--counters', '--csv')
                self.assertEqual([row['group'] for row in self.rows(again.stdout)], LABELS, again.stderr)
        groups = json.loads(run('report', path, '--by', 'group', '--json').stdout)['devices'][0]['groups']
        self.assertEqual(len(groups), len(LABELS))

    def test_documents(self):
        """JSON, XML, a page, Markdown, OpenMetrics and a trace are whole, with nothing of a label's making in them."""
        path, plain = self.capture(LABELS), self.capture([f'label {i}' for i in range(len(LABELS))], 'plain.sxc')
        for args in (('report', '--json'), ('report', '--by', 'group', '--json'), ('report', '--by', 'frame', '--json'), ('advise', '--json'), ('capture', 'info', '--json'),
                     ('eval', '--json'), ('stat', '-i', '--json'), ('report', '-f', 'ndjson')):
            at = args.index('-i') + 1 if '-i' in args else 1 + (args[0] == 'capture')
            text = run(*args[:at], path, *args[at:], code=None).stdout.decode()
            self.assertEqual(controls(text), [], args)
            for line in text.split('\n') if 'ndjson' in args else [text]:
                self.assertTrue(not line or json.loads(line), args)
        pages = [Page(run('report', file, '-f', 'html').stdout.decode()) for file in (path, plain)]
        self.assertEqual((pages[0].tags, pages[0].handlers), (pages[1].tags, pages[1].handlers))
        xml.etree.ElementTree.fromstring(run('diff', path, path, '-f', 'junit').stdout)
        for line in run('diff', path, path, '-f', 'markdown').stdout.decode().split('\n'):
            self.assertEqual(controls(line), [])
        metrics = run('report', path, '-f', 'openmetrics').stdout.decode()
        self.assertTrue(metrics.endswith('# EOF\n'))
        self.assertEqual(controls(metrics), [])
        trace = self.path('t.pftrace')
        run('export', path, '-f', 'perfetto', '-o', trace)
        run('report', trace)

    def test_terminal(self):
        """What a person sees holds no control character, in whatever format: of a pipe's CSV and a terminal's."""
        path = self.capture(LABELS)
        for args in (('report',), ('report', '-v'), ('report', '--by', 'group', '--top', '99'), ('report', '--by', 'frame'), ('advise',), ('capture', 'info'), ('eval',),
                     ('export', '-f', 'text', '--counters'), ('list', 'devices')):
            done = run(*args, path, code=None)
            self.assertEqual(controls(done.stdout.decode()) + controls(done.stderr.decode()), [], args)
        shown = self.on_terminal('export', path, '--counters', '--csv')
        self.assertEqual(controls(shown), [])
        self.assertIn('"esc \\x1b[31mred\\x1b]0;title\\x07"', shown)
        self.assertIn('"bidi \\u202e live \\u2066x"', shown)

    def on_terminal(self, *args):
        """What is written to a terminal, without its ends of lines."""
        pid, fd = pty.fork()
        if not pid:
            os.execv(SEXTANT, [SEXTANT, *args])
        out = b''
        try:
            while chunk := os.read(fd, 65536):
                out += chunk
        except OSError:
            pass
        os.close(fd)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 0)
        return out.decode().replace('\r\n', '\n')

    def test_names(self):
        """Names of columns, devices and files, in what is said of them too."""
        names = ('own \x1b[31m(ms)', 'a|b', '</script>', 'bidi \u202e', 'quo"te', 'pi\u009be')
        path = self.path('x\x1b[31m\u202e.csv')
        with open(path, 'w', newline='', encoding='utf-8') as file:
            out = csv.writer(file, lineterminator='\n')
            out.writerow(['device', 'IAVertices', *names])
            out.writerow(['gpu \x1b[1m', 5, *['7'] * len(names)])
            out.writerow(['gpu \u202e2', -5, *['8'] * len(names)])
        for args in (('report',), ('report', '-v'), ('report', '-f', 'openmetrics'), ('list', 'devices'), ('export', '-f', 'text', '--counters'), ('capture', 'info'), ('report', '-d', '9'), ('eval', '-m', 'nope')):
            done = run(*args, path, '--for', 'opengl', code=None) if args[0] != 'capture' else run(*args, path, code=None)
            self.assertEqual(controls(done.stdout.decode()) + controls(done.stderr.decode()), [], args)
        document = json.loads(run('report', path, '--for', 'opengl', '--json', code=None).stdout)
        self.assertEqual(len(document['devices']), 2)

    def test_no_text(self):
        """Bytes that are no UTF-8, and a label of a megabyte: read as far as that goes, or refused in three lines."""
        path = self.path('bytes.csv')
        with open(path, 'wb') as file:
            file.write(b'begin_ns,end_ns,quality,group,IAVertices\n0,9,,bad \xff\xc3(\xe4,1\n9,18,,' + b'long ' + b'y' * 10**6 + b',2\n')
        kept = self.path('k.sxc')
        run('import', path, '-o', kept, '--for', 'opengl')
        rows = self.rows(run('export', kept, '--counters', '--csv').stdout)
        self.assertEqual([len(rows[1]['group']), rows[1]['IAVertices']], [65535, '2'])
        self.assertTrue(re.fullmatch('bad .{3,}', rows[0]['group']), rows[0])
        with open(self.path('t.csv'), 'wb') as file:
            file.write(b'scene,IAVertices\nshort,1\n' + b'y' * 10**6 + b',2\n')
        cut = run('eval', self.path('t.csv'), '--for', 'opengl', '--csv', '-m', 'IAVertices')
        self.assertEqual([(len(row['scene']), row['IAVertices']) for row in self.rows(cut.stdout)], [(5, '1'), (4095, '2')])
        self.assertIn(b'1 text is cut to its first 4095 bytes, the first in line 3', b' '.join(cut.stderr.split()))


if __name__ == '__main__':
    unittest.main(verbosity=2)
