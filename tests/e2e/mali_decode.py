#!/usr/bin/env python3
"""Mali dumps with random contents through `sextant decode`, against an evaluation of the catalogs in
Python that shares nothing with the library: 1, 3 and 6 cores, holes, both widths, both reductions."""
import ast
import json
import math
import random
import struct
import subprocess
import sys
import tempfile

import yaml

SEXTANT, CATALOGS = sys.argv[1:3]
DEVICES = [  # catalog, bytes of a value, slices, core mask, variant
    ('mali-g310', 4, 1, 0x1, None), ('mali-g310', 8, 1, 0x7, None), ('mali-g310', 4, 2, 0xd, None),
    ('mali-g310', 4, 2, 0x3d, 'summed'), ('mali-g625', 4, 1, 0x1, None), ('mali-g625', 8, 2, 0x3f, None),
    ('mali-g625', 4, 4, 0x2d, None),
]
NAN = float('nan')


def evaluate(text, values):
    """Standard arithmetic; NaN is no data and passes through everything."""
    def walk(node):
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            return values[node.id]
        if isinstance(node, ast.Call):
            parts = [walk(a) for a in node.args]
            if any(math.isnan(p) for p in parts):
                return NAN
            return {'min': min, 'max': max}[node.func.id](*parts)
        a, b = walk(node.left), walk(node.right)
        if isinstance(node.op, ast.Div):
            return NAN if b == 0 else a / b
        return {ast.Add: a + b, ast.Sub: a - b, ast.Mult: a * b}[type(node.op)]
    return walk(ast.parse(text.replace('$', ''), mode='eval').body)


def make_dump(rng, slots, width, slices, mask, off):
    """Blocks in hardware order; each is a list of values, and `off` is a group that one block lacks."""
    blocks = []
    for n in range(2 + slices + mask.bit_length()):
        hole = n >= 2 + slices and not mask >> (n - 2 - slices) & 1
        values = [rng.randrange(2 ** 31) if hole else rng.randrange(10 ** 5) for _ in range(slots)]
        values[2] = (1 << slots // 4) - 1
        if off and off[0] == n:
            values[2] &= ~(1 << off[1])
        blocks.append(values)
    return blocks, b''.join(struct.pack('<%d%s' % (slots, 'I' if width == 4 else 'Q'), *b) for b in blocks)


def reduce_dump(doc, blocks, slices, mask, variant):
    kinds = {b['name']: b.get('code') for b in doc['blocks']}
    cores = [i for i in range(64) if mask >> i & 1]
    where = {0: [0], 1: [1], 2: [2 + i for i in range(slices)], 3: [2 + slices + i for i in cores]}
    values = {}
    for c in doc['counters']:
        if c['block'] == 'cpu-cluster':
            continue
        mine = [blocks[b] for b in where[kinds[c['block']]]]
        if not all(b[2] >> c['slot'] // 4 & 1 for b in mine):
            values[c['name']] = NAN
            continue
        total = sum(b[c['slot']] for b in mine) * c.get('scale', 1)
        values[c['name']] = total / len(mine) if c['reduce'] == 'mean' and variant != 'summed' else total
    values.update(MaliConstantsShaderCoreCount=len(cores), MaliConstantsL2SliceCount=slices, MaliConstantsBusWidthBits=128)
    return values


def check_device(rng, catalog, width, slices, mask, variant):
    with open(f'{CATALOGS}/{catalog}.yaml', encoding='utf-8') as f:
        doc = yaml.safe_load(f)
    slots = doc['blocks'][0]['slots']
    dumps = [make_dump(rng, slots, width, slices, mask, off)
             for off in (None, None, (0, 1), (2, 8), (2 + slices, 6))]
    with tempfile.NamedTemporaryFile(suffix='.bin') as f:
        f.write(b''.join(raw for _, raw in dumps))
        f.flush()
        command = [SEXTANT, 'decode', '-i', f.name, '--as', f'mali-dump:u{width * 8}', '--for', catalog, '--json',
                   '--const', f'l2_slices={slices}', '--const', f'shader_core_mask={mask:#x}',
                   '--const', 'MaliConstantsBusWidthBits=128'] + (['--api', variant] if variant else [])
        got = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    compared = missing = 0
    for (blocks, _), row in zip(dumps, got['rows'], strict=True):
        values = reduce_dump(doc, blocks, slices, mask, variant)
        for m in doc['metrics']:
            if m.get('section', '').startswith('2.'):
                continue
            want = evaluate(m.get('exprs', {}).get(variant, m['expr']), values)
            have = row[got['metrics'].index(m['name'])]
            if math.isnan(want):
                missing += 1
                assert have is None, (catalog, m['name'], have)
            else:
                assert have is not None and abs(have - want) <= 1e-12 * max(abs(want), 1), (catalog, m['name'], have, want)
            compared += 1
    assert compared == 5 * (91 if slots == 64 else 114) and missing > 20, (compared, missing)


for device in DEVICES:
    check_device(random.Random(625), *device)
print(f'{len(DEVICES)} devices agree')
