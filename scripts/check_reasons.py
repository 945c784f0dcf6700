#!/usr/bin/env python3
"""Why there is no data: docs/no-data.md lists the reasons of src/base/no_data.def, in that order, with what to do; there
are at most 30, of at most 25 words. Usage: check_reasons.py ROOT"""
import os
import re
import sys

MOST, WORDS = 30, 25
ENTRY = re.compile(r'^NO_DATA\((\w+),\s*"([^"]+)",\s*"([^"]*)"\)', re.M)
ROW = re.compile(r'^\| (.+?) \| (.+?) \| (.+?) \|$', re.M)


def read(root, name):
    with open(os.path.join(root, name), encoding='utf-8') as file:
        return file.read()


def findings(code, page):
    reasons = ENTRY.findall(code)
    rows = [row for row in ROW.findall(page) if row[0] != 'reason']
    if len(reasons) != len(re.findall(r'^NO_DATA\(', code, re.M)):
        yield 'src/base/no_data.def: an entry has another form'
    if not 10 <= len(reasons) <= MOST:
        yield f'src/base/no_data.def: {len(reasons)} reasons, of at most {MOST}'
    texts, shown = [text for _, text, _ in reasons], [row[0] for row in rows]
    yield from (f'docs/no-data.md lacks "{text}"' for text in texts if text not in shown)
    yield from (f'docs/no-data.md has "{text}", which src/base/no_data.def lacks' for text in shown if text not in texts)
    yield from (f'"{text}" is there twice' for text in sorted(set(shown)) if shown.count(text) + texts.count(text) > 2)
    if sorted(texts) == sorted(shown) and texts != shown:
        yield 'docs/no-data.md: another order than src/base/no_data.def'
    remedies = {row[0]: row[2].replace('`', '') for row in rows}
    for name, text, remedy in reasons:
        if len(text.split()) > WORDS:
            yield f'NO_DATA_{name}: over {WORDS} words'
        if remedy not in remedies.get(text, remedy):
            yield f'docs/no-data.md: "{text}" lacks what to do: "{remedy}"'


def self_test(code, page):
    """A page or a list that has one more is found."""
    entry = 'NO_DATA(MORE, "one more", "")\n'
    assert list(findings(code + entry, page)), 'one more in the code passes'
    assert list(findings(code, page + '| one more | a | b |\n')), 'one more on the page passes'


def main(root):
    code, page = read(root, 'src/base/no_data.def'), read(root, 'docs/no-data.md')
    wrong = list(findings(code, page))
    self_test(code, page)
    print('\n'.join(wrong) or f'{len(ENTRY.findall(code))} reasons are the same in code and document')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1]))
