#!/usr/bin/env python3
"""Limits that the documents name are those of the code. Usage: check_limits.py ROOT"""
import os
import re
import sys

# Document, what stands there (the number in a group), file of the code, its macro.
LIMITS = [
    ('docs/capture-format.md', r"payload's size, at most ([\d,]+)", 'src/capture/format/format.h', 'CAPTURE_PAYLOAD_MAX'),
    ('docs/capture-format.md', r'count, at most ([\d,]+); for each:', 'src/capture/format/format.h', 'CAPTURE_COLUMNS_MAX'),
    ('docs/capture-format.md', r'rows, 1 to ([\d,]+)', 'src/capture/format/format.h', 'CAPTURE_ROWS_MAX'),
    ('docs/capture-format.md', r'R × V is at most ([\d,]+)', 'src/capture/format/format.h', 'CAPTURE_VALUES_MAX'),
    ('docs/capture-format.md', r'`u32` count \(at most (\d+)\), then for each clock', 'src/capture/format/format.h', 'CAPTURE_CLOCKS_MAX'),
    ('docs/capture-format.md', r'\(more than ([\d,]+) records\)', 'src/capture/log.c', 'INDEXED_MAX'),
    ('docs/capture-format.md', r'^([\d,]+) devices, ', 'src/capture/format/format.h', 'CAPTURE_DEVICES_MAX'),
    ('docs/capture-format.md', r' devices, ([\d,]+) columns, ', 'src/capture/format/format.h', 'CAPTURE_COLUMNS_MAX'),
    ('docs/capture-format.md', r'(\d+ MiB) a payload', 'src/capture/format/format.h', 'CAPTURE_PAYLOAD_MAX'),
    ('docs/capture-format.md', r'(\d+ MiB) a body', 'src/capture/format/format.h', 'CAPTURE_BODY_MAX'),
    ('docs/catalog-format.md', r'A tree has at most (\d+) levels', 'include/sextant/expr.h', 'SX_EXPR_DEPTH_MAX'),
    ('docs/catalog-format.md', r'levels and ([\d,]+) names', 'include/sextant/expr.h', 'SX_EXPR_NODES_MAX'),
    ('docs/catalog-format.md', r'a range ([\d,]+) instances', 'include/sextant/expr.h', 'SX_EXPR_INSTANCES_MAX'),
    ('docs/catalog-format.md', r'compiling them takes at most ([\d,]+) steps', 'src/expr/graph/lower.h', 'EXPR_PROGRAM_WORK_MAX'),
    ('docs/catalog-format.md', r'refer to each other ([\d,]+) levels deep', 'src/expr/graph/lower.h', 'EXPR_PROGRAM_DEPTH_MAX'),
    ('docs/catalog-format.md', r'A file has at most (\d+ MiB)', 'src/catalog/load/yaml.h', 'YAML_BYTES_MAX'),
    ('docs/catalog-format.md', r'and ([\d,]+) metrics', 'src/catalog/load/sections/metrics.c', 'METRICS_MAX'),
]


def number(text):
    value, _, unit = text.replace(',', '').partition(' ')
    return int(value) << {'': 0, 'MiB': 20}[unit]


def macro(text, name):
    found = re.search(rf'#define\s+{name}\s+(.+?)\s*(?:/\*|$)', text, re.M)
    if not found:
        return None
    value = re.sub(r'\(size_t\)|(?<=\d)u\b', '', found.group(1))
    return eval(value, {'__builtins__': {}})  # pylint: disable=eval-used  # numbers and operators of our own


def main(root):
    texts = {name: open(os.path.join(root, name), encoding='utf-8').read()
             for row in LIMITS for name in (row[0], row[2])}
    wrong = []
    for page, pattern, file, name in LIMITS:
        stated = re.search(pattern, texts[page], re.M)
        real = macro(texts[file], name)
        if not stated or real is None:
            wrong.append(f'{page}: nothing like "{pattern}"' if not stated else f'{file}: no {name}')
        elif number(stated.group(1)) != real:
            wrong.append(f'{page} says {stated.group(1)}, {file} has {name} = {real}')
    print('\n'.join(wrong) or f'{len(LIMITS)} limits are the same in documents and code')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1]))
