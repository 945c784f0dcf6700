#!/usr/bin/env python3
"""Words that docs/glossary.md says to avoid, and sentences that are too long, may only become fewer.

The table "Words to avoid" of the glossary names each word and where it counts: in names (identifiers of
C), messages (texts in C and in catalogs), comments, docs (Markdown and the man page). A sentence of a
message has at most 30 words, a paragraph of docs 120. A page of docs/ begins with who it is for and a
command: both are in its first 15 lines. words_left.tsv holds how many findings of each kind are left: more of one
are a failure; after there are fewer, --update lowers the number.
Usage: check_words.py ROOT [--list WORD | --update]"""
import collections
import os
import re
import sys

CODE = ('include', 'src', 'tools', 'gpa', 'preload', 'layer', 'guest', 'query')
DOCS = ('docs', 'man', 'README.md', 'CONTRIBUTING.md')
LEFT = 'scripts/words_left.tsv'
LONGEST = 30
LONG = f'sentence over {LONGEST} words'
LONGEST_PARAGRAPH = 120
LONG_PARAGRAPH = f'paragraph over {LONGEST_PARAGRAPH} words'
OPENING = 15
NO_OPENING = f'no reader or no command in the first {OPENING} lines'
PARAGRAPH_ENDS = re.compile(r'^\s*$|^#|^\s*(?:[-*]|\d+\.) |^\||^\.(?:TP|IP|PP|SH|SS)\b')
PROSE = re.compile(r'\b(?:title|description|advice|remedy|nowhere|elsewhere|of|unavailable|needs): *("(?:[^"\\]|\\.)*"|[^\n{",}]*)'
                   r'|^ *- ("(?:[^"\\]|\\.)*")$', re.M)
TOKEN = re.compile(r'(?P<comment>/\*.*?\*/|//[^\n]*)|(?P<text>"(?:\\.|[^"\\\n])*")|(?P<char>\'(?:\\.|[^\'\\\n])*\')'
                   r'|(?P<include>^[ \t]*#[ \t]*include[^\n]*)|(?P<name>[A-Za-z_]\w*)|(?P<other>[^\s\w])', re.S | re.M)

# What the check itself is held to: code, and its findings of the words "tell" and "heirs".
EXAMPLES = [
    ('int tell_all(void);', {('names', 'tell'): 1}),
    ('/* Tell it. */ int f(void) { return g("we tell", "retell"); }', {('comments', 'tell'): 1, ('messages', 'tell'): 1}),
    ('g("a" PRIu64 " tell");', {('messages', 'tell'): 1}),
    ('#include "guest/heirs.h"', {}),
    ('g("' + 'word ' * 31 + '");', {('messages', LONG): 1}),
    ('g("' + 'word ' * 20 + '. " "' + 'Word ' * 20 + '");', {}),
    ('g("' + 'word ' * 20 + '" "' + 'word ' * 20 + '");', {('messages', LONG): 1}),
    ('g("' + 'command ' * 20 + r'\n" "' + 'command ' * 20 + '");', {}),
]
# The same for pages, with the findings of "tell".
PAGES = [
    ('docs', 'We tell ' + 'word ' * 118, {('docs', 'tell'): 1}),
    ('docs', 'word ' * 121, {('docs', LONG_PARAGRAPH): 1}),
    ('docs', 'word ' * 61 + '\n- ' + 'word ' * 61 + '\n\n' + 'word ' * 61 + '\n.TP\n' + 'word ' * 61, {}),
    ('docs', '```\n' + 'word ' * 121 + '\n```', {}),
    ('docs', '    word\n' * 121, {}),
    ('pages', '# Title\n\nFor everybody. Type:\n\n    sextant doctor\n', {}),
    ('pages', '# Title\n\nFor everybody.\n```console\n$ sextant doctor\n```\n', {}),
    ('pages', '# Title\n\n    sextant doctor\n', {('pages', NO_OPENING): 1}),
    ('pages', '# Title\n\nFor everybody.\n' + 'Text.\n' * 15 + '\n    sextant doctor\n', {('pages', NO_OPENING): 1}),
]


def avoided(root):
    """{place: {word}} of the glossary's table."""
    words = collections.defaultdict(set)
    with open(os.path.join(root, 'docs', 'glossary.md'), encoding='utf-8') as file:
        table = file.read().split('## Words to avoid')[1]
    for row in re.findall(r'^\| ([a-z, ]+) \| ([a-z, ]+) \| [^|\n]+ \|$', table, re.M):
        if row[0] != 'word':
            for place in row[1].split(', '):
                words[place] |= set(row[0].split(', '))
    return words


def parts_of(code):
    """(place, text) of C: names, comments, and messages whose literals are joined."""
    message = ''
    for match in TOKEN.finditer(code):
        kind, text = match.lastgroup, match.group()
        if kind == 'text':
            message += text[1:-1]
            continue
        if kind == 'name' and message and text.startswith('PRI'):
            message += '0'
            continue
        if message:
            yield 'messages', message
            message = ''
        if kind == 'name':
            yield 'names', text.lower().replace('_', ' ')
        elif kind == 'comment':
            yield 'comments', text
    if message:
        yield 'messages', message


def sentences(message):
    text = re.sub(r'\\n|\\t', '\n', message)
    return re.split(r'[.:;!?](?:\s|$)|\n', text)


def paragraphs(page):
    """How many words each paragraph, item and row of a table has; code is none of these."""
    count = 0
    for line in re.sub(r'^```.*?^```$', '', page, flags=re.S | re.M).split('\n'):
        if PARAGRAPH_ENDS.match(line):
            yield count
            count = 0
        count += 0 if line.startswith('    ') else len(line.split())
    yield count


def begins_well(page):
    lines = page.split('\n')[:OPENING]
    return (any(line.startswith('For ') for line in lines)
            and any(re.match(r'    \S|\$ |.*`sextant \w', line) for line in lines))


def count_in(place, text, words):
    """Findings of one part: {word: count}."""
    found = collections.Counter(w for w in re.findall(r'[a-z]+', text.lower()) if w in words[place])
    if place == 'messages':
        long = sum(len(s.split()) > LONGEST for s in sentences(text))
        found.update({LONG: long} if long else {})
    elif place == 'docs':
        long = sum(n > LONGEST_PARAGRAPH for n in paragraphs(text))
        found.update({LONG_PARAGRAPH: long} if long else {})
    elif place == 'pages' and not begins_well(text):
        found.update([NO_OPENING])
    return found


def files(root):
    for folder in CODE + DOCS + ('catalogs',):
        top = os.path.join(root, folder)
        if os.path.isfile(top):
            yield top
        for path, folders, names in os.walk(top):
            folders.sort()
            yield from (os.path.join(path, name) for name in sorted(names))


def parts_of_file(path):
    with open(path, encoding='utf-8') as file:
        if path.endswith(('.c', '.h', '.def', '.cc')):
            yield from parts_of(file.read())
        elif path.endswith(('.md', '.1')):
            text = file.read()
            if os.path.basename(os.path.dirname(path)) == 'docs':
                yield 'pages', text
            if not path.endswith('glossary.md'):
                yield 'docs', text
        elif path.endswith('.yaml'):
            yield from (('messages', value or item) for value, item in PROSE.findall(file.read()))


def count_all(root, words, wanted):
    found = collections.Counter()
    for path in files(root):
        if not path.endswith(('.c', '.h', '.def', '.cc', '.md', '.1', '.yaml')):
            continue
        for place, text in parts_of_file(path):
            here = count_in(place, text, words)
            if wanted in here:
                print(f'{os.path.relpath(path, root)}: {place}: {" ".join(text.split())[:160]}')
            found.update({(place, word): n for word, n in here.items()})
    return found


def read_left(root):
    with open(os.path.join(root, LEFT), encoding='utf-8') as file:
        rows = [line.rstrip('\n').split('\t') for line in file if not line.startswith('#')]
    return {(place, word): int(count) for place, word, count in rows}


def write_left(root, found):
    with open(os.path.join(root, LEFT), 'w', encoding='utf-8') as file:
        file.write('# Findings of check_words.py that are left: place, word, count. Counts may only fall.\n')
        file.writelines(f'{place}\t{word}\t{n}\n' for (place, word), n in sorted(found.items()))


def check_examples():
    words = collections.defaultdict(lambda: {'tell', 'heirs'})
    for code, due in EXAMPLES:
        found = collections.Counter()
        for place, text in parts_of(code):
            found.update({(place, word): n for word, n in count_in(place, text, words).items()})
        if dict(found) != due:
            yield f'check_words.py: {dict(found)} in {code[:60]}'
    for place, text, due in PAGES:
        found = {(place, word): n for word, n in count_in(place, text, words).items()}
        if found != due:
            yield f'check_words.py: {found} in {text[:60]}'


def main(root, *options):
    bad = list(check_examples())
    words = avoided(root)
    found = count_all(root, words, options[1] if options[:1] == ('--list',) else None)
    if options[:1] == ('--update',):
        write_left(root, found)
    left = read_left(root)
    for key in sorted(set(found) | set(left)):
        now, then = found[key], left.get(key, 0)
        if now > then:
            bad.append(f'{key[0]}: "{key[1]}" {now} times, {then} are left: see docs/glossary.md '
                       f'(check_words.py . --list "{key[1]}")')
    fewer = sum(left.values()) - sum(found.values())
    print('\n'.join(bad) or f'{sum(found.values())} words and sentences are left, {fewer} fewer than {LEFT} says')
    return 1 if bad or not words else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
