#!/usr/bin/env python3
"""Draws docs/house.svg: the rooms of the code, and which room includes which, as the files themselves say.
Usage: make_house.py ROOT [--check]"""
import os
import sys

import check_layers

# What a room is for, in a few words.
ABOUT = {
    'src/base': 'memory, strings, errors, numbers, clocks, system calls as a table',
    'src/wire': 'bytes that two rooms agree on: the channel, raw samples, query lists',
    'src/expr/parse': 'text to tree, tree to text',
    'src/expr/graph': 'tree to typed graph; the arithmetic of values',
    'src/expr/fast': 'graph to vector code and its loops',
    'src/expr': 'compile, evaluate by column with quality, conditions',
    'src/catalog': 'what a loaded catalog is: getters, names, columns, units',
    'src/catalog/load': 'YAML to a catalog',
    'src/catalog/search': 'search path, cache, embedded copies, match of a device',
    'src/catalog/import': "a vendor's XML to our YAML",
    'src/catalog/lint': 'what is wrong with a catalog; identity of names',
    'src/wire/oa': "Intel's OA reports and registers: names and bits",
    'guest': 'what every injected part shares: process, channel, frames, labels',
    'query': 'counting through an API: counters, groups, passes',
    'preload': 'OpenGL programs: contexts, samples, hooks',
    'layer': 'Vulkan and OpenCL programs',
    'src/capture/format': 'records and chunks to bytes and back',
    'src/capture': 'writer, its thread and sinks; reader and recovery',
    'src/source': 'the interface of sources, their list, replay',
    'src/source/mali': 'what all drivers of Mali share',
    'src/source/perf': "what all users of the kernel's perf share",
    'src/source/guest': 'the reading end of the channel; what to inject, and how',
    'src/source/oa': "what both drivers of Intel's OA share",
    'src/source/': 'one driver interface a folder',
    'src/table': 'columns with time, quality, labels; totals; joins',
    'src/decode': 'raw samples to rows',
    'src/import': 'files of others to tables',
    'src/metric': 'selection, formulas over a table, passes',
    'src/analysis': 'statistics, rules, advice, budget',
    'src/analysis/verdict': 'what limited the program',
    'src/analysis/report': 'the one model that views show',
    'src/analysis/compare': 'noise, change, gates',
    'src/analysis/live': 'what devices do now, and did in the last minutes',
    'src/output/write': 'how JSON, CSV, text and zip are spelled',
    'src/output': 'views: one of a report, rows, a catalog or a comparison',
    'src/session': 'one measurement: open, select, start, drive, record',
    'src/input': 'files with samples as input: captures, and what other tools wrote',
    'gpa': "AMD's GPUPerfAPI as one state machine",
    'gpa/api3': 'its version 3',
    'gpa/gl': 'its back end for OpenGL',
    'gpa/vk': 'its back end for Vulkan',
    'gpa/cl': 'its back end for OpenCL',
    'tools/cli': 'options, config, input and output of the command',
    'tools/verbs': 'one verb a file',
    'tools': 'the list of verbs; help',
}
ROW, CELL, NAME, TEXT, LEFT, TOP = 21, 17, 150, 425, 26, 150
TINTS = ('#eef3f8', '#f8f4ea')


def uses(root):
    """Pairs of rooms: whether one includes the other's own headers, or its public ones alone."""
    own, public = set(), set()
    for folder, name, target in check_layers.includes(root):
        mine = check_layers.room_of(folder)
        if f'{folder}/{name}' in check_layers.LISTS or target in check_layers.LISTS:
            continue
        if target.startswith('sextant/'):
            theirs = check_layers.PUBLIC.get(target[len('sextant/'):])
            # A room below the owner's implements a part of the header.
            if theirs != 'tools' and not mine.startswith(theirs + '/'):
                public.add((mine, theirs))
        else:
            own.add((mine, check_layers.room_of(check_layers.target_folder(target) or folder)))
    return {pair for pair in own if pair[1] and pair[0] != pair[1]}, {p for p in public - own if p[0] != p[1]}


def shown(room):
    return room + 'NAME' if room.endswith('/') else room


def text(x, y, words, style):
    words = words.replace('&', '&amp;').replace('<', '&lt;')
    return f'<text x="{x}" y="{y}" {style}>{words}</text>'


def head(rooms, width, height):
    """What holds for the whole picture, and the name above each column."""
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
           'font-family="DejaVu Sans, Verdana, sans-serif" font-size="11" fill="#222">')
    yield '<!-- Made by scripts/make_house.py from the includes of the code. -->'
    yield f'<rect width="{width}" height="{height}" fill="#fff"/>'
    yield text(LEFT, 34, 'The house', 'font-size="20" font-weight="bold"')
    for i, line in enumerate(('A room knows rooms below it alone:', 'its row says which, by their own headers (dots)',
                              'or by public ones only (rings).')):
        yield text(LEFT, 60 + 17 * i, line, 'fill="#555"')
    for i, room in enumerate(rooms):
        x, y = LEFT + NAME + TEXT + CELL * i + CELL // 2 + 4, TOP - 8
        yield text(x, y, shown(room).removeprefix('src/'), f'transform="rotate(-60 {x} {y})" font-size="10"')


def row(rooms, room, own, public):
    """One room: its name, what it is for, and a mark in the column of each that it knows."""
    at = rooms.index(room)
    y = TOP + ROW * at + ROW // 2
    yield text(LEFT, y + 4, shown(room), 'font-weight="bold"')
    yield text(LEFT + NAME, y + 4, ABOUT[room], 'fill="#444"')
    x = LEFT + NAME + TEXT + CELL * at
    yield f'<rect x="{x + 3}" y="{y - 5}" width="11" height="11" fill="#c3cdd6"/>'
    for i, other in enumerate(rooms):
        x = LEFT + NAME + TEXT + CELL * i + CELL // 2
        if (room, other) in own:
            yield f'<circle cx="{x}" cy="{y}" r="4.5" fill="#1f5f8b"/>'
        elif (room, other) in public:
            yield f'<circle cx="{x}" cy="{y}" r="4" fill="none" stroke="#1f5f8b"/>'


def draw(root):
    own, public = uses(root)
    floors = [(name, list(reversed(rooms))) for name, rooms in reversed(check_layers.FLOORS.items())]
    rooms = [room for _, inside in floors for room in inside]
    width = LEFT + NAME + TEXT + CELL * len(rooms) + 140
    height = TOP + ROW * len(rooms) + 20
    out = list(head(rooms, width, height))
    y = TOP
    for i, (floor, inside) in enumerate(floors):
        tall = ROW * len(inside)
        out.append(f'<rect x="0" y="{y}" width="{width}" height="{tall}" fill="{TINTS[i % 2]}"/>')
        out.append(text(width - 10, y + tall // 2 + 4, floor, 'text-anchor="end" font-style="italic" fill="#777"'))
        y += tall
    for i in range(0, len(rooms), 3):
        x = LEFT + NAME + TEXT + CELL * i + CELL // 2
        out.append(f'<line x1="{x}" y1="{TOP}" x2="{x}" y2="{TOP + ROW * len(rooms)}" stroke="#fff"/>')
    for room in rooms:
        out.extend(row(rooms, room, own, public))
    return '\n'.join(out + ['</svg>', ''])


def main():
    root, path = sys.argv[1], os.path.join(sys.argv[1], 'docs', 'house.svg')
    missing = set(check_layers.ROOMS) ^ set(ABOUT)
    if missing:
        print('make_house.py: ABOUT and the rooms differ:', *sorted(missing))
        return 1
    picture = draw(root)
    if '--check' not in sys.argv:
        with open(path, 'w', encoding='utf-8') as file:
            file.write(picture)
        return 0
    with open(path, encoding='utf-8') as file:
        same = file.read() == picture
    print('docs/house.svg: as the code is' if same else
          'docs/house.svg is not as the code is: scripts/make_house.py . draws it again')
    return 0 if same else 1


if __name__ == '__main__':
    sys.exit(main())
