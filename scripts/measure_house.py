#!/usr/bin/env python3
"""Measures the code's structure: a report for people, not a limit.

Counts lines, files and folders of the product; files and folders that include each other in a circle;
doors (headers of a folder that other folders include); headers that their own .c and at most one other
file include; folders of at most three files.
Usage: measure_house.py ROOT [-v]"""
import collections
import os
import re
import sys

TOPS = ('src', 'tools', 'guest', 'query', 'preload', 'layer', 'gpa', 'include')
CODE = ('.c', '.h', '.def', '.cc')
DOORS = 3
FEW = 3
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.M)


def read(root):
    """{path: text} of the product."""
    texts = {}
    for top in TOPS:
        for path, _, names in os.walk(os.path.join(root, top)):
            for name in names:
                if name.endswith(CODE):
                    full = os.path.join(path, name)
                    with open(full, encoding='utf-8') as file:
                        texts[os.path.relpath(full, root)] = file.read()
    return texts


def included(texts):
    """{path: {path of each header of the product that it includes}}"""
    edges = collections.defaultdict(set)
    for path, text in texts.items():
        for target in INCLUDE.findall(text):
            for place in (target, 'src/' + target, 'include/' + target, os.path.join(os.path.dirname(path), target)):
                if place in texts and place != path:
                    edges[path].add(place)
                    break
    return edges


def circles(edges):
    """Strongly connected components of more than one node (Tarjan, 1972), without recursion."""
    index, low, stack, on, found = {}, {}, [], set(), []
    for root in sorted(edges):
        work = [(root, iter(sorted(edges[root])))] if root not in index else []
        while work:
            node, rest = work[-1]
            if node not in index:
                index[node] = low[node] = len(index)
                stack.append(node)
                on.add(node)
            for to in rest:
                if to not in index:
                    work.append((to, iter(sorted(edges.get(to, ())))))
                    break
                if to in on:
                    low[node] = min(low[node], index[to])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    at = stack.index(node)
                    part, stack[at:] = stack[at:], []
                    on -= set(part)
                    if len(part) > 1:
                        found.append(sorted(part))
    return sorted(found, key=len, reverse=True)


def units(texts, edges):
    """The same with a .c and its .h as one node."""
    unit = {path: os.path.splitext(path)[0] for path in texts}
    merged = collections.defaultdict(set)
    for path, targets in edges.items():
        merged[unit[path]] |= {unit[t] for t in targets} - {unit[path]}
    return merged


def folders(edges):
    merged = collections.defaultdict(set)
    for path, targets in edges.items():
        if not path.startswith('include/'):
            here = os.path.dirname(path)
            merged[here] |= {os.path.dirname(t) for t in targets if not t.startswith('include/')} - {here}
    return merged


def doors(edges):
    """{folder: {its headers that other folders include}}"""
    seen = collections.defaultdict(set)
    for path, targets in edges.items():
        for target in targets:
            if not target.startswith('include/') and os.path.dirname(target) != os.path.dirname(path):
                seen[os.path.dirname(target)].add(os.path.basename(target))
    return seen


def narrow(texts, edges):
    """Headers that their own .c and at most one other file include."""
    users = collections.defaultdict(set)
    for path, targets in edges.items():
        for target in targets:
            users[target].add(path)
    for header in sorted(h for h in texts if h.endswith('.h') and not h.startswith('include/')):
        others = {u for u in users[header] if os.path.splitext(u)[0] != os.path.splitext(header)[0]}
        if len(others) <= 1 and header[:-2] + '.c' in texts:
            yield header, ', '.join(others)


def show(title, rows, verbose):
    rows = list(rows)
    print(f'{len(rows):7,}  {title}')
    if verbose:
        print(''.join(f'           {row}\n' for row in rows), end='')


def main(root, verbose=False):
    texts = read(root)
    edges = included(texts)
    by_folder = collections.Counter(os.path.dirname(p) for p in texts)
    print(f'{sum(t.count(chr(10)) for t in texts.values()):7,}  lines\n{len(texts):7,}  files\n{len(by_folder):7,}  folders')
    show('circles of folders', map(', '.join, circles(folders(edges))), verbose)
    show('circles of files', map(', '.join, circles(units(texts, edges))), verbose)
    show(f'folders with more than {DOORS} doors', (f'{f}: {len(d)}: {", ".join(sorted(d))}'
         for f, d in sorted(doors(edges).items(), key=lambda i: -len(i[1])) if len(d) > DOORS), verbose)
    show('headers for their own .c and one other file', (f'{h}: {u}' for h, u in narrow(texts, edges)), verbose)
    show(f'folders of at most {FEW} files', (f'{f}: {n}' for f, n in sorted(by_folder.items()) if n <= FEW), verbose)
    return 0 if texts else 1


if __name__ == '__main__':
    sys.exit(main(sys.argv[1], '-v' in sys.argv[2:]))
