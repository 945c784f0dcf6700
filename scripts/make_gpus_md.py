#!/usr/bin/env python3
"""docs/gpus.md from src/source/drm/drivers.def, engines.def, sources.def and the catalogs.

usage: make_gpus_md.py SOURCE_ROOT [--check]

Without --check it writes the page; with it, a page that is not what it would write is a finding.
"""
import glob
import os
import re
import sys

WHERE = 'docs/gpus.md'


def read(root, path):
    with open(os.path.join(root, path), encoding='utf-8') as text:
        return text.read()


def arguments(call):
    """The arguments of a macro call: names as they stand, adjacent strings as one."""
    parts, rest = [], call
    while rest.strip():
        strings = re.match(r'\s*((?:"(?:[^"\\]|\\.)*"\s*)+)(?:,|$)', rest)
        word = re.match(r'\s*(\w+)\s*(?:,|$)', rest)
        match = strings or word
        if not match:
            raise ValueError(f'not understood: {rest[:60]}')
        parts.append(''.join(re.findall(r'"((?:[^"\\]|\\.)*)"', match[1])) if strings else match[1])
        rest = rest[match.end():]
    return parts


def calls(text, macro):
    code = re.sub(r'/\*.*?\*/', '', text, flags=re.S)
    return [arguments(m[1]) for m in re.finditer(rf'^{macro}\(((?:"(?:[^"\\]|\\.)*"|[^")])*)\)', code, re.M)]


def engines(root):
    """Keys by driver, from the comment behind each line."""
    by_driver = {}
    for line in read(root, 'src/source/drm/engines.def').splitlines():
        match = re.match(r'ENGINE\(\w+, "([^"]+)",.*/\* (.*?) \*/', line)
        for driver in match[2].split(', ') if match else ():
            by_driver.setdefault(driver, []).append(match[1])
    return by_driver


def catalogs(root):
    """The families of catalogs of a vendor that describe hardware counters."""
    by_vendor = {}
    for path in sorted(p for folder in ('amd', 'arm', 'intel', 'broadcom', 'adreno') for p in glob.glob(os.path.join(root, 'catalogs', folder, '*.yaml'))):
        head = read(root, os.path.relpath(path, root))[:2000]
        name = re.search(r'^name: (\S+)', head, re.M)
        vendor = re.search(r'^vendor: (.+)', head, re.M)
        if name and vendor and not path.endswith('.shared.yaml'):
            family = name[1].split('-')[0] + '-*'
            of = by_vendor.setdefault(vendor[1].strip('"'), [])
            of += [family] if family not in of else []
    return by_vendor


def page(root):
    drivers = calls(read(root, 'src/source/drm/drivers.def'), 'DRIVER')
    sources = re.findall(r'^SOURCE\((\w+)\)', read(root, 'src/source/sources.def'), re.M)
    keys, known = engines(root), catalogs(root)
    unknown = set(keys) - {driver[0] for driver in drivers}
    if unknown:
        raise ValueError(f'engines.def names drivers that drivers.def lacks: {", ".join(sorted(unknown))}')
    lines = ['# My GPU is X: what do I get?', '',
             '<!-- Made by scripts/make_gpus_md.py from src/source/drm/*.def and the catalogs; a test holds it to them. -->',
             'For everybody who wants to know what a GPU\'s driver reports without any set-up, and what more is possible. To see it on this machine, type:', '',
             '    sextant doctor', '',
             '`lspci -k` and `sextant devices` name the kernel driver; the last line of `sextant doctor` is the one that holds on this machine. `docs/sources.md` describes every source.', '',
             '| to see | type `sextant` and |', '|---|---|',
             '| the programs that keep the GPU busy, and their memory | `stat -d drm --per process -t 5s` (`-d nvml` with NVIDIA\'s driver) |',
             '| clock and power | `stat -d drm -t 5s` |',
             '| the same in a recording | `record -d drm --per process -o FILE`, then `report -i FILE --by process` |', '',
             'This page lists what each driver reports by its documents and code. `docs/sources.md` says on which of them Sextant has been seen to work.', '']
    for vendor in dict.fromkeys(driver[1] for driver in drivers):
        lines += [f'## {vendor}', '', '| driver | GPUs | without any set-up (`-d drm`) | more with | engines by program | besides |', '|---|---|---|---|---|---|']
        for name, of, which, gives, more, others in drivers:
            if of != vendor:
                continue
            for word in re.findall(r'\b(gl|i915_oa|kbase|panthor|xe_oa|pmu|nvml)\b', others):
                if word not in sources:
                    raise ValueError(f'{name}: no source is called {word}')
            units = ', '.join(f'`{key}`' for key in keys.get(name, [])) or '–'
            lines.append(f'| `{name}` | {which} | {gives} | {more or "–"} | {units} | {others} |')
        lines.append('')
        if vendor in known:
            shown = ', '.join(f'`{name}`' for name in known[vendor])
            lines += [f'Catalogs of hardware counters: {shown}; recordings and dumps of these are read on any machine (`decode`, `eval`).', '']
    others, without = calls(read(root, 'src/source/drm/drivers.def'), 'OTHERS')[0]
    lines += ['## None of these', '',
              f'Any other driver of `/sys/class/drm`: {others}.', '', without, '']
    return '\n'.join(lines)


def main():
    root, path = sys.argv[1], os.path.join(sys.argv[1], WHERE)
    made = page(root)
    if '--check' not in sys.argv:
        with open(path, 'w', encoding='utf-8') as out:
            out.write(made)
        return 0
    stands = read(root, WHERE) if os.path.exists(path) else ''
    if stands == made:
        print(f'{WHERE}: {made.count(chr(10))} lines, as it would be made')
        return 0
    for number, (a, b) in enumerate(zip(stands.split('\n'), made.split('\n')), 1):
        if a != b:
            print(f'{WHERE}:{number}: stands: {a}\n{WHERE}:{number}: would be: {b}')
            break
    print(f'{WHERE} is not what the sources say; run: scripts/make_gpus_md.py .')
    return 1


if __name__ == '__main__':
    sys.exit(main())
