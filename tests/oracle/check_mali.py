#!/usr/bin/env python3
"""Checks the two Mali catalogs without the library: counts, names, slots, references, and that the
averaged and the summed form of every Mali-G310 metric agree as the two ways of reducing demand."""
import ast
import random
import re
import sys

import yaml

EXPECT = {
    'mali-g310': dict(used=66, further=90, gpu=91, reduce={'front-end': 'single', 'tiler': 'single', 'memory': 'sum', 'shader-core': 'mean'},
                      slots=64, per_core=22, two_places={}, product='0xa004', arch='10.4', scaled={}),
    'mali-g625': dict(used=102, further=107, gpu=114, reduce={'front-end': 'single', 'tiler': 'single', 'memory': 'sum', 'shader-core': 'sum'},
                      slots=128, per_core=0, two_places={'fragment_shading_rate': ['4.7.1', '6.4.4']}, product='0xd001', arch='13.1',
                      scaled={'MaliShaderThreadsAllFragmentThreads': 4, 'MaliTilerVertexCachePositionCacheHits': 16,
                              'MaliTilerVertexCacheVaryingCacheHits': 16}),
}
FUNCTIONS = {'min', 'max', 'sum', 'avg', 'abs', 'if', 'and', 'or', 'not'}
NAME = re.compile(r'\$?[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*(?:\[\*\])?')
failures = []


def check(ok, text):
    if not ok:
        failures.append(text)


def names_of(text):
    text = re.sub(r'\b\d+(\.\d+)?(e\d+)?', ' ', text)
    return {n.lstrip('$').replace('[*]', '') for n in NAME.findall(text)} - FUNCTIONS


def evaluate(text, values):
    """Standard arithmetic on plain floats; None where a division by zero leaves no data."""
    tree = ast.parse(text.replace('$', ''), mode='eval').body

    def walk(node):
        if isinstance(node, ast.Constant):
            return float(node.value)
        if isinstance(node, ast.Name):
            return values[node.id]
        if isinstance(node, ast.Call):
            return {'min': min, 'max': max}[node.func.id](*[walk(a) for a in node.args])
        left, right = walk(node.left), walk(node.right)
        return {ast.Add: left + right, ast.Sub: left - right, ast.Mult: left * right,
                ast.Div: left / right if right else float('nan')}[type(node.op)]
    return walk(tree)


def check_counters(name, doc, want):
    gpu = [c for c in doc['counters'] if c['block'] != 'cpu-cluster']
    check(sum('used' in c['tags'] for c in gpu) == want['used'], f'{name}: used counters')
    check(sum('further' in c['tags'] for c in gpu) == want['further'], f'{name}: further counters')
    check(len(doc['counters']) == want['used'] + want['further'] + 2, f'{name}: counters in all')
    seen, places = set(), set()
    for c in doc['counters']:
        for n in [c['name'], *c.get('aliases', [])]:
            check(n not in seen, f'{name}: {n} names two counters')
            seen.add(n)
        place = (c['block'], c['slot'])
        check(place not in places, f'{name}: {c["name"]} shares its slot')
        places.add(place)
        check(c['description'].endswith('.') and '$' not in c['name'], f'{name}: {c["name"]}')
    for c in gpu:
        check(4 <= c['slot'] < want['slots'], f'{name}: slot of {c["name"]}')
        check(c['reduce'] == want['reduce'][c['block']], f'{name}: reduction of {c["name"]}')
        check(c['bits'] == 32 and c.get('scale', 1) == want['scaled'].get(c['name'], 1), f'{name}: scale of {c["name"]}')


def check_metrics(name, doc, want):
    counters = {c['name'] for c in doc['counters']}
    constants = {n for c in doc['constants'] for n in [c['name'], *c.get('aliases', [])]}
    sections = {s['id']: s['title'] for s in doc['sections']}
    metrics = {m['name']: m for m in doc['metrics']}
    check(len(metrics) == len(doc['metrics']), f'{name}: two metrics share a name')
    cpu = [m for m in doc['metrics'] if m.get('section', '').startswith('2.')]
    check([m['name'] for m in cpu] == ['cpu_activity', 'cpu_cycles'], f'{name}: CPU metrics')
    check(len(metrics) - 2 == want['gpu'], f'{name}: GPU metrics')
    places = [p for m in doc['metrics'] for p in m.get('sections', [m.get('section')])]
    check(len(places) == len(set(places)), f'{name}: two metrics in one section')
    for m in doc['metrics']:
        mine = m.get('sections', [m.get('section')])
        check(m['name'] == re.sub('[^a-z0-9]+', '_', m['title'].lower()), f'{name}: {m["name"]} is not its title')
        check(all(sections.get(p) == m['title'] for p in mine), f'{name}: section of {m["name"]}')
        check(len(mine) == 1 or want['two_places'].get(m['name']) == mine, f'{name}: places of {m["name"]}')
        for text in [m['expr'], *m.get('exprs', {}).values()]:
            for n in names_of(text):
                check(n in counters or n in constants, f'{name}: {m["name"]} uses unknown {n}')
    used = {n for m in doc['metrics'] for n in names_of(m['expr'])} & counters
    check(used == {c['name'] for c in doc['counters'] if 'used' in c['tags']}, f'{name}: tags say other counters are used')
    rules = set()
    for a in doc['advice']:
        check(a['rule'] not in rules, f'{name}: {a["rule"]} twice')
        rules.add(a['rule'])
        check(('when' in a) != ('needs' in a), f'{name}: {a["rule"]} needs one of when and needs')
        check(a['metric'] in metrics, f'{name}: {a["rule"]} shows unknown {a["metric"]}')
        check(all(s in sections for s in a['sections']), f'{name}: sections of {a["rule"]}')
        for n in names_of(a.get('when', '')):
            check(n in metrics or n in counters or n == 'seconds', f'{name}: {a["rule"]} uses unknown {n}')


def check_reduction(name, doc, want):
    """The same work on 3 cores, reduced both ways: ratios agree, per-core means differ by the core count."""
    rng = random.Random(310)
    cores, per_core = 3, 0
    total = {c['name']: rng.randrange(10 ** 5, 10 ** 6) for c in doc['counters']}
    mean = dict(total)
    for c in doc['counters']:
        if c['block'] == 'shader-core':
            mean[c['name']] = total[c['name']] / cores
    constants = {'MaliConstantsShaderCoreCount': cores, 'MaliConstantsL2SliceCount': 2, 'MaliConstantsBusWidthBits': 128}
    for m in doc['metrics']:
        if m['section'].startswith('2.'):
            continue
        averaged = evaluate(m['expr'], {**mean, **constants})
        summed = evaluate(m.get('exprs', {}).get('summed', m['expr']), {**total, **constants})
        if abs(summed - averaged * cores) <= 1e-9 * abs(summed) and summed:
            per_core += 1
        else:
            check(abs(summed - averaged) <= 1e-9 * abs(summed), f'{name}: forms of {m["name"]} disagree')
    check(per_core == want['per_core'], f'{name}: {per_core} metrics are per-core means')


for catalog, want in EXPECT.items():
    with open(f'{sys.argv[1]}/{catalog}.yaml', encoding='utf-8') as f:
        doc = yaml.safe_load(f)
    check(doc['name'] == catalog, f'{catalog}: name')
    check({'driver': 'kbase', 'key': 'product_id', 'value': want['product']} in doc['match'], f'{catalog}: product id')
    check({'driver': 'panthor', 'key': 'arch_product', 'value': want['arch']} in doc['match'], f'{catalog}: architecture')
    check([(b['name'], b['code'], b['slots']) for b in doc['blocks'][:4]] ==
          [(b, i, want['slots']) for i, b in enumerate(['front-end', 'tiler', 'memory', 'shader-core'])], f'{catalog}: blocks')
    check_counters(catalog, doc, want)
    check_metrics(catalog, doc, want)
    if want['per_core']:
        check_reduction(catalog, doc, want)
for line in failures:
    print(line)
sys.exit(1 if failures else 0)
