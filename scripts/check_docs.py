#!/usr/bin/env python3
"""Every public prototype has its contract right above it (or at the end of its line). Usage: check_docs.py ROOT"""
import os
import re
import sys

PROTOTYPE = re.compile(r'^(?!typedef|static|#|/|\s|\*|extern "C"|\}|enum|struct \w+ \{)[\w ]+[\w\* ]+\b(sx_|GPA_)\w+\s*\(')
ENUM_PROTOTYPE = re.compile(r'^(SX_API|GPALIB_DECL|GPA_API)\b.*\b(sx_|GPA_)\w+\s*\(')


def findings(root):
    seen = 0
    for path, _, names in os.walk(os.path.join(root, 'include')):
        for name in sorted(n for n in names if n.endswith('.h')):
            file = os.path.join(path, name)
            with open(file, encoding='utf-8') as text:
                lines = text.read().split('\n')
            for i, line in enumerate(lines):
                if not (PROTOTYPE.match(line) or ENUM_PROTOTYPE.match(line)):
                    continue
                seen += 1
                above = lines[i - 1].strip() if i else ''
                if not (above.endswith('*/') or above.startswith('//') or '/*' in line):
                    yield f'{os.path.relpath(file, root)}:{i + 1}: no contract above: {line.strip()}'
    if seen < 20:
        yield f'only {seen} prototypes found: wrong folder?'


bad = list(findings(sys.argv[1]))
print('\n'.join(bad) if bad else 'every public prototype has its contract')
sys.exit(1 if bad else 0)
