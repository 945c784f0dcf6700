#!/usr/bin/env python3
"""What is the same in every C file, and clang-format does not see.

Findings: a condition that compares a pointer with NULL (`if (p)`, `if (!p)`; a comparison is for a
value: `return p != NULL;`), a variable that is declared before the statement that first sets it
(`int fd = open(…)` there), text that is put together by offsets (`snprintf(buf + used, size - used, …)`), which
base/text_buf.h does without a size that wraps.
Usage: check_style.py ROOT"""
import os
import re
import sys

FOLDERS = ('include', 'src', 'tools', 'gpa', 'preload', 'layer', 'guest', 'query', 'tests', 'bench', 'examples')
BLANK = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*',
                   re.S | re.M)
COMPARISON = re.compile(r'[!=]=\s*NULL\b')
DECLARATION = re.compile(r'(?<=[;{}])\s*((?:(?:const|volatile|unsigned|signed|struct|enum|union)\s+)*'
                         r'[A-Za-z_]\w*(?:\s+(?:int|long|char))*)\s*(?:\s|(?=\*))([*A-Za-z_][^;{}]*);')
NO_TYPE = {'return', 'goto', 'case', 'else', 'typedef', 'extern', 'static', 'break', 'continue', 'default', 'do'}
BY_OFFSET = re.compile(r'\+=\s*(?:\([a-z_ ]+\)\s*)?v?snprintf\s*\(|\bv?snprintf\s*\(\s*[\w.>\[\]-]+\s*\+(?!\+)')
# Here the memory grows with the text, or is what the check is about; tests have memory to spare.
GROWS = ('src/base/text_buf.c', 'src/catalog/import/import.c', 'tests/', 'bench/', 'examples/')
CONDITION = re.compile(r'(?:\b(?:if|while|for)|!)\s*$')

# What the check itself is held to: a body, and how many findings it has.
EXAMPLES = [
    ('if (p == NULL) return 1;', 1),
    ('while (n > 0 && p->next != NULL) n--;', 1),
    ('return p == NULL ? 0 : 1;', 1),
    ('for (; p != NULL; p = p->next) n++;', 1),
    ('n = !(p == NULL);', 1),
    ('if ((p = next(p)) != NULL) n++;', 1),
    ('bool any = p != NULL; return any;', 0),
    ('n += p != NULL; call(p == NULL, n);', 0),
    ('if ((p == NULL) != (q == NULL)) n++;', 0),
    ('/* if (p == NULL) */ call("p == NULL");', 0),
    ('int a, b; call(); a = 1; b = 2;', 2),
    ('struct node *head; call(); head = next(p);', 1),
    ('struct node *head; ask(&head); head = next(p);', 0),
    ('int a; if (p) a = 1; else a = 2;', 0),
    ('int a; for (a = 0; a < 3; a++) call();', 0),
    ('if (p) { int a; call(); a = 1; }', 1),
    ('return a; a = 1;', 0),
    ('used += (size_t)snprintf(buf, size, "%d", n);', 1),
    ('snprintf(buf + used, size - used, "%d", n);', 1),
    ('snprintf(line + strlen(line), 9, "%d", n);', 1),
    ('snprintf(list[n++].text, 9, "%d", a + b);', 0),
    ('text_append(buf, size, "%d", n + 1);', 0),
]


def blank(match):
    """A comment, string or directive, as spaces: lines keep their numbers."""
    return re.sub(r'[^\n]', ' ', match.group())


def operand_begin(text, at):
    """Where the operand that ends before `at` begins, at the level of its own brackets."""
    depth = 0
    while at > 0:
        c, two = text[at - 1], text[max(at - 2, 0):at]
        if c in ')]}':
            depth += 1
        elif c in '([{' and depth == 0:
            return at
        elif c in '([{':
            depth -= 1
        elif depth == 0 and (c in ';,?:' or two in ('&&', '||')
                             or c == '=' and two not in ('==', '!=', '<=', '>=') and text[at:at + 1] != '='):
            return at
        at -= 1
    return 0


def compares(text):
    """Comparisons with NULL that are conditions: their places."""
    for match in COMPARISON.finditer(text):
        begin = operand_begin(text, match.start())
        before, after = text[:begin].rstrip(), text[match.end():].lstrip()
        joined = before.endswith(('&&', '||')) or after.startswith(('&&', '||', '?'))
        whole = before.endswith('(') and after.startswith(')') and CONDITION.search(before[:-1])
        loop = before.endswith(';') and after.startswith(';') and re.search(r'\bfor\s*\([^;{}]*;$', before)
        if joined or whole or loop:
            yield match.start()


def declarators(text):
    """Names of a declaration that have no value, no dimension and no parameters."""
    depth, part, parts = 0, '', []
    for c in text + ',':
        depth += (c in '([{') - (c in ')]}')
        if c == ',' and depth == 0:
            parts.append(part)
            part = ''
        else:
            part += c
    for part in parts:
        match = re.fullmatch(r'[\s*]*(?:const\s+)?(\w+)\s*', part)
        if match:
            yield match.group(1)


def is_flat(text):
    """Whether what stands between two places leaves them in one block, outside of brackets."""
    depth = 0
    for c in text:
        depth += (c in '([{') - (c in ')]}')
        if depth < 0:
            return False
    return depth == 0


def declared_early(text):
    """Variables that a later statement of their block sets first: (place of that, name)."""
    for match in DECLARATION.finditer(text):
        if match.group(1).split()[0] in NO_TYPE or match.group(1).split()[-1] in NO_TYPE:
            continue
        if text.count('{', 0, match.start() + 1) <= text.count('}', 0, match.start() + 1):
            continue  # at file scope
        for name in declarators(match.group(2)):
            first = re.compile(rf'\b{name}\b').search(text, match.end())
            between = text[match.end() - 1:first.start()] if first else ''
            if first and re.search(r'[;{}]\s*$', between) and re.match(r'\s*=(?!=)', text[first.end():]) \
                    and is_flat(between):
                yield first.start(), name


def findings(text):
    text = BLANK.sub(blank, text)
    for place in compares(text):
        yield text.count('\n', 0, place) + 1, 'a condition says `p` or `!p` of a pointer'
    for match in BY_OFFSET.finditer(text):
        yield text.count('\n', 0, match.start()) + 1, 'text is appended by text_append(), not by an offset'
    for place, name in declared_early(text):
        yield text.count('\n', 0, place) + 1, f'`{name}` can be declared here'


def files(root):
    for folder in FOLDERS:
        for path, folders, names in os.walk(os.path.join(root, folder)):
            folders.sort()
            for name in sorted(names):
                if name.endswith(('.c', '.h')):
                    yield os.path.join(path, name)


def main(root):
    bad, seen = [], 0
    for body, due in EXAMPLES:
        if len(list(findings(f'int f(struct node *p)\n{{\n\t{body}\n}}\n'))) != due:
            bad.append(f'check_style.py: not {due} findings: {body}')
    for path in files(root):
        seen += 1
        with open(path, encoding='utf-8') as file:
            name = os.path.relpath(path, root)
            bad += [f'{name}:{line}: {what}' for line, what in findings(file.read())
                    if not name.startswith(GROWS) or 'text_append' not in what]
    print('\n'.join(bad) or f'{seen} files, no findings')
    return 1 if bad or not seen else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1]))
