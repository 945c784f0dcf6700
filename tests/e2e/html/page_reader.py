"""Reads a page that sextant wrote, by the standard library alone: its data, and the numbers of its charts."""
import base64
import html.parser
import json
import struct
import zlib

SIZES = {'f64': ('d', 8), 'f32': ('f', 4), 'u32': ('I', 4), 'u8': ('B', 1)}
NO_LABEL, MIXED = 0xffffffff, 0xfffffffe


class Parts(html.parser.HTMLParser):
    """The text of scripts by their ids, and everything that a page could load."""

    def __init__(self):
        super().__init__()
        self.scripts, self.tags, self.loads, self.current = [], [], [], None

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.tags.append(tag)
        for key in ('src', 'href', 'data', 'srcset', 'action'):
            if key in attrs:
                self.loads.append(attrs[key])
        if tag == 'script':
            self.current = (attrs.get('id'), [])
            self.scripts.append(self.current)

    def handle_data(self, data):
        if self.current is not None:
            self.current[1].append(data)

    def handle_endtag(self, tag):
        if tag == 'script':
            self.current = None


class Reader:
    def __init__(self, data, count):
        self.data, self.at, self.count = data, 0, count

    def array(self, kind):
        """Elements stand by bytes: the first of all, the second of all, and so on."""
        code, size = SIZES[kind]
        n = self.count
        part = self.data[self.at:self.at + n * size]
        assert len(part) == n * size, 'the numbers end early'
        self.at += n * size
        whole = bytearray(n * size)
        for b in range(size):
            whole[b::size] = part[b * n:(b + 1) * n]
        return struct.unpack(f'<{n}{code}', whole)


class Page:
    def __init__(self, text):
        self.parts = Parts()
        self.parts.feed(text)
        self.text = text
        self.scripts = {name: ''.join(chunks) for name, chunks in self.parts.scripts if name}
        self.report = json.loads(self.scripts['report'])

    def course(self, device, name='course', of=None):
        """The arrays of a device, and for each row with data its own."""
        layout = (of or self.report)['of_devices'][device]['course']
        reader = Reader(zlib.decompress(base64.b64decode(self.scripts[f'{name}-{device}'], validate=True)), layout['count'])
        arrays = {key: reader.array(kind) for key, kind in layout['arrays']}
        rows = {index: {key: reader.array(kind) for key, kind in layout['of_each_row']} for index in layout['rows']}
        assert reader.at == len(reader.data), 'more numbers than were told'
        return layout, arrays, rows
