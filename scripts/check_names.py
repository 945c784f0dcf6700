#!/usr/bin/env python3
"""Every function can be found by its name.

Findings: a static function with the bare word of a callback (`read` instead of `kbase_read`), a
file's own name (function, object, type) that names two things in one room, a function of more than 50
lines; of tests and examples, where each program has names of its own, long functions alone, of more
than 60 lines. Functions of more than five parameters are printed, and are no failure: a struct that is
made only to pass them is worse.
Usage: check_names.py ROOT"""
import collections
import os
import re
import sys

FOLDERS = ('src', 'tools', 'gpa', 'preload', 'layer', 'guest', 'query')
PROGRAMS = ('tests', 'bench', 'examples')
MOST_PARAMETERS = 5
MOST_LINES = 50
MOST_LINES_OF_PROGRAMS = 60
# Another project's interface prescribes what these take.
DEMANDED = re.compile(r'\b(HOOK|HOOKED|CL_API_CALL|VKAPI_CALL|APIENTRY)\b')
NAMED = {'mmap', 'real_mmap', 'perf_event_open', 'real_perf_event_open', 'syscall', 'query_info',
         'query_counter'}
BLANK = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*',
                   re.S | re.M)
KEYWORDS = {'if', 'for', 'while', 'switch', 'return', 'sizeof', 'defined', '_Static_assert',
            '__attribute__', '_Alignas', '_Atomic', '__typeof__'}
Definition = collections.namedtuple('Definition', 'kind name path line static parameters lines')


def blank(match):
    """A comment, string or directive, as spaces: lines keep their numbers."""
    return re.sub(r'[^\n]', ' ', match.group())


def split(parameters):
    """Parameters of a list, counted at the top level of its brackets."""
    depth, count, seen = 0, 0, False
    for c in parameters:
        depth += c in '([{'
        depth -= c in ')]}'
        if c == ',' and depth == 0:
            count += 1
        seen = seen or not c.isspace()
    return 0 if not seen or parameters.strip() == 'void' else count + 1


def closing(text, start):
    """The place of the bracket that closes the one at start."""
    depth = 0
    for i in range(start, len(text)):
        depth += text[i] in '([{'
        depth -= text[i] in ')]}'
        if depth == 0:
            return i
    return len(text) - 1


def pieces(text):
    """What stands at file scope: (start, end, head, body or None)."""
    i = start = 0
    while i < len(text):
        c = text[i]
        if c == ';':
            yield start, i, text[start:i], None
            start = i + 1
        elif c == '(':
            i = closing(text, i)
        elif c == '{':
            end = closing(text, i)
            head = text[start:i]
            if re.search(r'extern\s*$', head):  # extern "C" { ... }
                start = i = i + 1
                continue
            yield start, end, head, text[i:end + 1]
            if re.search(r'\)\s*$', head):
                start = end + 1
            i = end
        i += 1


def without_macros(head):
    """A head without macros that stand before it on lines of their own, and are functions themselves."""
    while True:
        match = re.match(r'\s*[A-Z][A-Z0-9_]*\s*\(', head)
        end = closing(head, match.end() - 1) + 1 if match else 0
        if not re.match(r'[ \t]*\n\s*\w', head[end:]) or not match:
            return head
        head = head[end:]


def read(path, root):
    with open(os.path.join(root, path), encoding='utf-8') as file:
        text = BLANK.sub(blank, file.read())
    found, callbacks = [], []
    for match in re.finditer(r'\(\s*\*\s*(?:const\s+)?(\w+)\s*\)\s*\(', text):
        end = closing(text, match.end() - 1)
        callbacks.append((match.group(1), path, text.count('\n', 0, match.start()) + 1,
                          split(text[match.end():end])))
    for start, end, head, body in pieces(text):
        whole, head = head, without_macros(head)
        start += len(whole) - len(head)
        start += len(head) - len(head.lstrip())
        line = text.count('\n', 0, start) + 1
        static = bool(re.search(r'\bstatic\b', head))
        tag = body and re.search(r'\b(?:struct|union|enum)\s+(\w+)\s*$', head)
        if tag:
            found.append(Definition('type', tag.group(1), path, line, True, 0, 0))
        call = next((m for m in re.finditer(r'\b(\w+)\s*\(', head)
                     if m.group(1) not in KEYWORDS), None)
        if call and '=' not in head[:call.start()]:
            if body and head.rstrip().endswith(')'):
                inside = head[call.end():closing(head, call.end() - 1)]
                demanded = DEMANDED.search(head[:call.start()]) or call.group(1) in NAMED
                found.append(Definition('function', call.group(1), path, line, static,
                                        0 if demanded else split(inside),
                                        text.count('\n', start, end) + 1))
        elif static and not tag:
            match = re.search(r'(\w+)\s*(?:\[[^]]*\]\s*)*(?:=|$)', re.sub(r'\{.*\}', '', head, flags=re.S))
            if match and match.group(1) not in ('struct', 'union', 'enum'):
                found.append(Definition('object', match.group(1), path, line, True, 0, 0))
    return found, callbacks


def files(root, of):
    for folder in of:
        for path, folders, names in os.walk(os.path.join(root, folder)):
            folders.sort()
            for name in sorted(names):
                if name.endswith(('.c', '.h')):
                    yield os.path.relpath(os.path.join(path, name), root)


def main():
    root = sys.argv[1]
    found, callbacks = [], []
    for path in files(root, FOLDERS):
        more, calls = read(path, root)
        found += more
        callbacks += calls
    bare = {name for name, *_ in callbacks}
    findings = []

    def finding(kind, path, line, text):
        findings.append((kind, path, line, text))

    rooms = collections.defaultdict(dict)
    for item in found:
        place = item.path, item.line
        if item.kind == 'function':
            if item.static and item.name in bare:
                finding('bare', *place, f'`{item.name}` is the bare word of a callback: say whose it is')
            if item.parameters > MOST_PARAMETERS:
                finding('parameters', *place, f'`{item.name}` takes {item.parameters} parameters')
            if item.lines > MOST_LINES:
                finding('long', *place, f'`{item.name}` has {item.lines} lines')
        if item.static:
            key = ('type' if item.kind == 'type' else 'name', item.name)
            other = rooms[os.path.dirname(item.path)].setdefault(key, item)
            if other.path != item.path:
                finding('twice', *place, f'`{item.name}` stands for something else in {other.path}:{other.line}')
    for path in files(root, PROGRAMS):
        for item in read(path, root)[0]:
            if item.kind == 'function' and item.lines > MOST_LINES_OF_PROGRAMS:
                finding('long', path, item.line, f'`{item.name}` has {item.lines} lines')
    for name, path, line, count in callbacks:
        if count > MOST_PARAMETERS and name not in NAMED:
            finding('parameters', path, line, f'the callback `{name}` takes {count} parameters')
    for kind, path, line, text in findings:
        print(f'{path}:{line}: {kind}: {text}')
    sys.exit(any(kind != 'parameters' for kind, *_ in findings))


main()
