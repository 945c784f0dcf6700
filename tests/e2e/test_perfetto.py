#!/usr/bin/env python3
"""
Perfetto traces, read by a parser of the wire format that shares nothing with ours and shown as trace processor shows
them: every value against the CSV export. Arguments: sextant, make-capture.
"""
import json
import os
import struct
import subprocess
import sys
import unittest
import zipfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from import_files import field, packet
from command import Command, FolderTest, csv_rows

SEXTANT, MAKE = sys.argv.pop(1), sys.argv.pop(1)
run = Command(SEXTANT, text=False)
HOSTILE = 'x</script>"quoted" \\back\\ 😀\nnext line'
# Numbers of the public protos (ec5d16b): name, and what a field of bytes is.
TRACE = {1: ('packet', {
    6: ('clock_snapshot', {1: ('clocks', {1: 'clock_id', 2: 'timestamp'}), 2: 'primary_trace_clock'}),
    8: 'timestamp', 10: 'trusted_packet_sequence_id', 13: 'sequence_flags', 58: 'timestamp_clock_id', 87: 'first_packet_on_sequence',
    11: ('track_event', {4: ('debug_annotations', {3: 'uint_value', 5: 'double_value', 6: ('string_value', str), 10: ('name', str)}),
                         9: 'type', 11: 'track_uuid', 23: ('name', str), 30: 'counter_value', 44: 'double_counter_value'}),
    12: ('interned_data', {24: ('gpu_specifications', {1: 'iid', 2: ('name', str), 4: 'category'})}),
    52: ('gpu_counter_event', {1: ('counter_descriptor', {
        1: ('specs', {1: 'counter_id', 2: ('name', str), 3: ('description', str), 6: 'double_peak_value', 7: 'numerator_units',
                      8: 'denominator_units', 9: 'select_by_default', 10: 'groups', 11: 'value_direction'}),
        2: ('blocks', {1: 'block_id', 2: 'block_capacity', 3: ('name', str), 4: ('description', str), 5: 'counter_ids'}),
        6: ('counter_groups', {1: 'group_id', 2: ('name', str), 4: 'counter_ids'})}),
        2: ('counters', {1: 'counter_id', 2: 'int_value', 3: 'double_value'}), 3: 'gpu_id'}),
    53: ('gpu_render_stage_event', {1: 'event_id', 2: 'duration', 5: 'context', 6: ('extra_data', {1: ('name', str), 2: ('value', str)}), 11: 'gpu_id', 13: 'hw_queue_iid', 14: 'stage_iid', 17: ('name', str)}),
    60: ('track_descriptor', {1: 'uuid', 2: ('name', str), 5: 'parent_uuid', 11: 'child_ordering', 12: 'sibling_order_rank', 14: ('description', str),
                              15: 'sibling_merge_behavior', 8: ('counter', {6: ('unit_name', str), 7: ('y_axis_share_key', str)})}),
    78: ('ui_state', {1: 'timeline_start_ts', 2: 'timeline_end_ts'}),
    126: ('trace_attributes', {1: ('attribute', {1: ('key', str), 2: 'long_value', 3: ('string_value', str)})}),
    128: ('gpu_info', {1: ('gpus', {1: ('name', str), 2: ('vendor', str), 3: ('model', str), 6: ('extra_info', {1: ('key', str), 2: ('value', str)})})})})}
BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7f) << shift
        at, shift = at + 1, shift + 7
        if not byte & 0x80:
            return value, at


def decode(data, schema):
    """A message as lists by name; a number that the schema does not know raises."""
    out, at = {}, 0
    while at < len(data):
        key, at = varint(data, at)
        kind = schema[key >> 3]
        if key & 7 == 0:
            value, at = varint(data, at)
            value = value - (1 << 64) if value >> 63 and not str(kind).endswith(('_uuid', 'uuid')) else value
        elif key & 7 == 1:
            (value,), at = struct.unpack('<d', data[at:at + 8]), at + 8
        else:
            assert key & 7 == 2, key
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            assert len(value) == size
            value = value.decode() if kind[1] is str else decode(value, kind[1])
        name = kind if isinstance(kind, str) else kind[0]
        out.setdefault(name, []).append(value)
    return out


def one(message, name, default=None):
    values = message.get(name, [default])
    assert len(values) == 1, (name, values)
    return values[0]


class Trace:
    """A trace as its readers show it: values over intervals."""

    def __init__(self, data):
        self.packets = decode(data, TRACE).get('packet', [])
        self.specs, self.tracks, self.events, self.gpus, self.attributes, self.ui, self.snapshots, self.stages = {}, {}, [], [], {}, None, [], []
        begun, points, self.counters, self.curves = set(), {}, {}, {}
        for p in self.packets:
            sequence = one(p, 'trusted_packet_sequence_id')
            assert (sequence in begun) != bool(p.get('sequence_flags')), 'a sequence says once where its state begins'
            begun.add(sequence)
            self.take(p, points)
        for gpu_counter, list_ in points.items():
            list_.sort(key=lambda point: point[0])
            shown = []
            for time, value in list_:  # backwards: a value goes to the point before, 0 stands until the next comes
                if shown:
                    shown[-1][1] = value
                shown.append([time, 0])
            self.counters[gpu_counter] = shown
        for track, time, value in sorted(((one(e, 'track_uuid'), t, one(e, 'counter_value', one(e, 'double_counter_value')))
                                          for t, e in self.events if one(e, 'type') == COUNTER), key=lambda e: e[:2]):
            self.curves.setdefault(track, []).append([time, value])

    def take(self, p, points):
        time = one(p, 'timestamp')
        if 'gpu_counter_event' in p:
            event = one(p, 'gpu_counter_event')
            for spec in one(event, 'counter_descriptor', {}).get('specs', []):
                assert one(spec, 'counter_id') not in self.specs, 'numbers of counters are for the whole trace'
                assert one(spec, 'value_direction') == 1
                self.specs[one(spec, 'counter_id')] = (one(event, 'gpu_id'), spec)
            for counter in event.get('counters', []):
                assert time is not None
                gpu, spec = self.specs[one(counter, 'counter_id')]
                assert gpu == one(event, 'gpu_id')
                key = (gpu, one(spec, 'name'))
                points.setdefault(key, []).append((time, one(counter, 'int_value', one(counter, 'double_value'))))
        elif 'track_descriptor' in p:
            track = one(p, 'track_descriptor')
            assert one(track, 'uuid') not in self.tracks and (one(track, 'parent_uuid', 0) in self.tracks or not one(track, 'parent_uuid', 0))
            self.tracks[one(track, 'uuid')] = track
        elif 'track_event' in p:
            assert one(one(p, 'track_event'), 'track_uuid') in self.tracks
            self.events.append((time, one(p, 'track_event')))
        elif 'gpu_info' in p:
            self.gpus = one(p, 'gpu_info').get('gpus', [])
        elif 'trace_attributes' in p:
            for a in one(p, 'trace_attributes')['attribute']:
                assert one(a, 'key') not in self.attributes
                self.attributes[one(a, 'key')] = one(a, 'long_value', one(a, 'string_value'))
        elif 'ui_state' in p:
            self.ui = one(p, 'ui_state')
        elif 'clock_snapshot' in p:
            self.snapshots.append(one(p, 'clock_snapshot'))
        elif 'gpu_render_stage_event' in p:
            self.stages.append((time, one(p, 'gpu_render_stage_event')))

    def path(self, uuid):
        names = []
        while uuid:
            names.insert(0, one(self.tracks[uuid], 'name', ''))
            uuid = one(self.tracks[uuid], 'parent_uuid', 0)
        return names

    def find(self, *path):
        """Tracks whose path ends so."""
        return [u for u in self.tracks if self.path(u)[-len(path):] == list(path)]

    def slices(self, uuid):
        """(begin, end, name, annotations) of a track; instants end where they begin."""
        out, stack = [], []
        order = {END: 0, INSTANT: 1, BEGIN: 1}
        events = [(t, e) for t, e in self.events if one(e, 'track_uuid') == uuid]
        for time, event in sorted(events, key=lambda e: (e[0], order[one(e[1], 'type')])):
            if one(event, 'type') == END:
                stack.pop()[1] = time
                continue
            notes = {one(a, 'name'): one(a, 'string_value', one(a, 'uint_value', one(a, 'double_value'))) for a in event.get('debug_annotations', [])}
            out.append([time, time, one(event, 'name'), notes])
            if one(event, 'type') == BEGIN:
                stack.append(out[-1])
        assert not stack
        return out


def shown_at(points, begin, end):
    """What a track shows from begin to end: one value, or raises."""
    values = [value for time, value in points if begin <= time < end or (begin == end == time)]
    before = [value for time, value in points if time < begin]
    assert any(time == begin for time, _ in points), 'a value begins where its row does'
    assert len(values) == 1, (begin, end, values, before[-1:])
    return values[0]


def number(text):
    try:
        return int(text)
    except ValueError:
        return float(text)


class Perfetto(FolderTest):
    def model(self, *args, device='mali-g625'):
        path = self.path('model.sxc')
        result = run('record', '-d', device, '-I', '10ms', '-o', path, *(args or ('-t', '200ms')))
        self.assertEqual(result.returncode, 0, result.stderr)
        return path

    def sample(self):
        """The capture of the unit tests: gaps, missing values, losses, frames."""
        path = self.path('sample.sxc')
        subprocess.run([MAKE, path, 'opengl'], check=True, timeout=60)
        return path

    def write(self, name, data):
        with open(self.path(name), 'wb') as file:
            file.write(data)
        return self.path(name)

    def export(self, path, *args, code=(0,)):
        out = self.path('out.pftrace')
        result = run('export', path, '-o', out, *args)
        self.assertIn(result.returncode, code, result.stderr)
        with open(out, 'rb') as file:
            return Trace(file.read())

    def rows(self, path, *args):
        result = run('export', path, '--csv', *args)
        self.assertIn(result.returncode, (0, 1), result.stderr)
        rows = csv_rows(result.stdout.decode())
        about = json.loads(run('capture', 'info', path, '--json').stdout)
        constants = {name for device in about['devices'] for name in device['constants']}  # no counters, in a trace
        return [{name: cell for name, cell in row.items() if name not in constants} for row in rows]

    def check_counters(self, trace, rows, gpu=0):
        skip = ('begin_ns', 'end_ns', 'simulated', 'sample_kind', 'quality', 'device', 'frame', 'group', 'context', 'instance', 'reason', 'process')
        covered, checked = {}, 0
        for row in rows:
            begin, end = int(row['begin_ns']), int(row['end_ns'])
            for name in [n for n in row if n not in skip and row[n] != '']:
                value = number(row[name])
                shown = shown_at(trace.counters[gpu, name], begin, end)
                self.assertEqual(shown, float(value) if value > 2**63 - 1 else value, (name, begin))
                covered.setdefault(name, []).append((begin, end))
                checked += 1
        for name, spans in covered.items():  # and nothing but 0 where no row has a value
            begins = {begin for begin, _ in spans}
            for time, value in trace.counters[gpu, name]:
                self.assertTrue(time in begins or value == 0, (name, time, value))
        return checked

    def check_metrics(self, trace, rows):
        curves = {one(trace.tracks[uuid], 'name'): points for uuid, points in trace.curves.items()}
        checked = 0
        for name, points in curves.items():
            want = {int(row['begin_ns']): number(row[name]) for row in rows if row[name] != ''}
            ends = {int(row['end_ns']) for row in rows if row[name] != ''}
            have = dict(points)
            for begin, value in want.items():
                self.assertEqual(have[begin], value, (name, begin))
                checked += 1
            for time, value in points:
                self.assertTrue(time in want or (value == 0 and time in ends), (name, time, value))
        for name in rows[0]:  # and no track for what has no value at all
            if all(row[name] == '' for row in rows):
                self.assertNotIn(name, curves)
        return checked

    def test_values_equal_the_csv(self):
        path = self.model()
        trace = self.export(path)
        self.assertGreater(self.check_counters(trace, self.rows(path, '--counters')), 500)
        self.assertGreater(self.check_metrics(trace, self.rows(path)), 200)
        only = self.export(path, '-m', 'gpu_active_cycles,MaliGPUCyclesGPUActive')
        self.assertEqual([name for _, name in only.counters], ['MaliGPUCyclesGPUActive'])
        self.assertEqual([only.path(u)[-1] for u in only.curves], ['gpu_active_cycles'])
        raw = self.export(path, '--counters')
        self.assertFalse(raw.curves)
        self.check_counters(raw, self.rows(path, '--counters'))

    def test_descriptors(self):
        trace = self.export(self.model())
        descriptor = next(one(one(p, 'gpu_counter_event'), 'counter_descriptor') for p in trace.packets if 'gpu_counter_event' in p)
        specs = {one(s, 'name'): s for s in descriptor['specs']}
        reads = specs['MaliExternalBusBeatsReadBeats']
        self.assertIn('Unit: beats.', one(reads, 'description'))
        self.assertEqual(reads['groups'], [5])  # memory
        known = {one(s, 'counter_id') for s in descriptor['specs']}
        for part, least in (('blocks', 3), ('counter_groups', 5)):
            self.assertGreaterEqual(len(descriptor[part]), least)
            for item in descriptor[part]:
                self.assertTrue(one(item, 'name') and set(item['counter_ids']) <= known)
        self.assertTrue(all(one(g, 'group_id') >= 100 for g in descriptor['counter_groups']))
        self.assertEqual(one(trace.gpus[0], 'name'), 'Mali-G625 (simulated)')
        self.assertEqual(one(trace.gpus[0], 'model'), 'mali-g625')
        self.assertEqual(trace.attributes['sextant.device.0.simulated'], 1)
        shares = {one(t['counter'][0], 'unit_name'): one(t['counter'][0], 'y_axis_share_key') for t in trace.tracks.values() if 'counter' in t}
        self.assertGreater(len(shares), 5)
        self.assertEqual(len(set(shares.values())), len(shares))  # one axis a unit
        for uuid in trace.curves:
            self.assertEqual(trace.path(uuid)[:2], ['Sextant', 'Mali-G625 (simulated)'])
            self.assertEqual(len(trace.path(uuid)), 4)  # device, section, metric

    def test_clocks_and_window(self):
        path = self.model()
        trace, rows = self.export(path), self.rows(path)
        self.assertGreaterEqual(len(trace.snapshots), 2)
        clocks = {one(c, 'clock_id'): one(c, 'timestamp') for c in trace.snapshots[0]['clocks']}
        self.assertEqual(set(clocks), {1, 3, 6})
        self.assertEqual(one(trace.snapshots[0], 'primary_trace_clock'), 6)
        self.assertTrue(all(one(p, 'timestamp_clock_id') == 3 for p in trace.packets if 'timestamp' in p))
        offset = clocks[6] - clocks[3]
        first, last = int(rows[0]['begin_ns']) + offset, int(rows[-1]['end_ns']) + offset
        start, end = one(trace.ui, 'timeline_start_ts'), one(trace.ui, 'timeline_end_ts')
        self.assertLess(start, end)
        self.assertTrue(first - (last - first) < start < last and first < end < last + (last - first))

    def test_findings(self):
        path = self.model('-t', '500ms')
        trace = self.export(path)
        told = json.loads(run('advise', path, '--json').stdout)
        rules = set()
        for uuid in trace.tracks:
            if len(trace.path(uuid)) == 4 and trace.path(uuid)[2] == 'Advice':
                for begin, end, name, notes in trace.slices(uuid):
                    self.assertLess(begin, end)
                    self.assertEqual(name, trace.path(uuid)[-1])
                    self.assertLessEqual(notes['samples'], notes['of samples'])
                    self.assertTrue(notes['advice'])
                    rules.add(notes['rule'])
        self.assertEqual(rules, {f['rule'] for f in told['findings']})
        self.assertTrue(rules)

    def test_verdict(self):
        """One track, the same stretches of time as the report's and advise's."""
        path = self.model('-t', '500ms')
        trace = self.export(path)
        told = json.loads(run('report', path, '--json').stdout)['verdict']
        self.assertEqual(json.loads(run('advise', path, '--json').stdout)['verdict'], told)
        track, = trace.find('Verdict')
        self.assertEqual(trace.path(track), ['Sextant', 'Verdict'])
        parts = {part['verdict']: part for part in told['parts']}
        slices = trace.slices(track)
        self.assertEqual([(begin, end, notes['verdict']) for begin, end, _, notes in slices],
                         [(s['begin_ns'], s['end_ns'], s['verdict']) for s in told['stretches']])
        for _, _, name, notes in slices:
            self.assertEqual((name, notes['share of the run']),
                             (parts[notes['verdict']]['title'], parts[notes['verdict']]['share']))
        self.assertEqual(trace.attributes['sextant.verdict'], parts[told['verdict']]['title'])

    def test_gaps_losses_and_frames(self):
        path = self.sample()
        both = self.export(path, code=(0, 1))
        for i in range(2):
            rows = [row for row in self.rows(path, '--counters') if row['device'] == str(i)]
            self.assertGreaterEqual(self.check_counters(both, rows, gpu=i), 8)
        trace, rows = self.export(path, '-d', '0', code=(0, 1)), self.rows(path, '--counters', '-d', '0')
        self.assertGreater(self.check_counters(trace, rows), 100)
        self.assertGreater(sum(int(a['end_ns']) < int(b['begin_ns']) for a, b in zip(rows, rows[1:])), 1)  # there are gaps
        self.assertTrue(any(row['Patchy'] == '' for row in rows) and any(row['Patchy'] for row in rows))
        self.assertNotIn((0, 'Absent'), trace.counters)
        frames, = trace.find('Frames')
        slices = trace.slices(frames)
        self.assertEqual([(begin, end) for begin, end, _, _ in slices], [(int(r['begin_ns']), int(r['end_ns'])) for r in rows])
        self.assertTrue(all(name.startswith('frame') for _, _, name, _ in slices))
        quality, = trace.find('Quality')
        kinds = {}
        for begin, end, name, notes in trace.slices(quality):
            kinds.setdefault(name, []).append((begin, end, notes))
        self.assertTrue({'lost', 'gap', 'note'} <= set(kinds), kinds)
        self.assertTrue(all(notes['begin_ns'] <= notes['end_ns'] for name in ('lost', 'gap') for _, _, notes in kinds[name]))
        self.assertTrue(any(notes.get('samples lost') for _, _, notes in kinds['lost']))

    def hostile(self, values, stages=()):
        specs = b''.join(field(1, field(1, i) + field(2, HOSTILE + str(i)) + field(7, 7)) for i in (1, 2))
        out = [packet(field(10, 1), field(128, field(1, field(1, HOSTILE))))]
        for i, value in enumerate([0, *values]):
            event = (field(2, field(1, 1) + field(2, value)) if value is not None else b'') + (field(1, specs) if i == 0 else b'')
            out.append(packet(field(8, 1000 * (i + 1)), field(10, 1), field(52, event)))
        for i, (begin, length, name) in enumerate(stages):
            out.append(packet(field(8, begin), field(10, 1), field(53, field(1, i) + field(2, length) + field(11, 0) + field(17, name))))
        source, path = self.write('hostile.in', b''.join(out)), self.path('hostile.sxc')
        result = run('import', source, '-o', path, '--as', 'perfetto')
        self.assertEqual(result.returncode, 0, result.stderr)
        return path

    def test_hostile_names(self):
        path = self.hostile([1, 2**62, 2**63 - 1])
        trace = self.export(path)
        name = [n for n in self.rows(path, '--counters')[0] if n.startswith('x</script>')][0]
        self.assertIn('"quoted" \\back\\ 😀', name)
        self.assertEqual(one(trace.gpus[0], 'name'), HOSTILE.replace('\n', '?'))
        self.assertEqual(self.check_counters(trace, self.rows(path, '--counters')), 3)

    def test_rows_that_overlap(self):
        """Each level of nested groups, and each context, is a GPU of its own: no value is lost."""
        stages = [(1000, 9000, HOSTILE), (2000, 1000, 'inner'), (4000, 1000, 'inner'), (2500, 200, 'innermost')]
        path = self.hostile([5], stages)
        trace = self.export(path, '-d', '1')
        names = sorted((begin, end, name) for uuid in trace.find('Groups') for begin, end, name, _ in trace.slices(uuid))
        self.assertEqual(len(trace.find('Groups')), 3)
        self.assertEqual([n[:2] for n in names], [(1000, 10000), (2000, 3000), (2500, 2700), (4000, 5000)])
        self.assertEqual(names[2][2], 'innermost')
        for counter, truth in (('GpuTime', [9000]), ('GpuTimeWithin', [200, 1000, 1000])):  # no time counts twice
            times = sorted(value for (_, name), points in trace.counters.items() if name == counter for _, value in points if value)
            self.assertEqual(times, truth)

    def test_small_captures(self):
        trace = self.export(self.hostile([7]))
        self.assertEqual(self.check_counters(trace, self.rows(self.path('hostile.sxc'), '--counters')), 1)
        self.assertEqual(self.check_counters(self.export(self.model('-n', '1')), self.rows(self.path('model.sxc'), '--counters')) > 100, True)
        none = self.path('none.sxc')
        cut = run('capture', 'cut', self.path('model.sxc'), '--from', '10s', '--to', '11s', '-o', none)
        if cut.returncode == 0:
            trace = self.export(none)
            self.assertFalse(trace.counters or trace.curves)
            self.assertEqual(trace.attributes['sextant.device.0.samples'], 0)
        nothing = self.export(self.model('-n', '2'), '-m', 'gpu.power', code=(1,))  # a name that the device lacks
        self.assertFalse(nothing.curves or nothing.counters)
        reasons = [notes for _, _, name, notes in nothing.slices(nothing.find('Quality')[0]) if name == 'no data']
        self.assertEqual(list(reasons[0])[:1], ['gpu.power'])

    def test_import_gives_the_same(self):
        for device in ('mali-g625', 'mali-g310'):
            path, back = self.model(device=device), self.path('back.sxc')
            self.export(path)
            self.assertEqual(run('import', self.path('out.pftrace'), '-o', back).returncode, 0)
            for args in ([], ['--counters']):
                self.assertEqual(run('export', path, '--csv', *args).stdout, run('export', back, '--csv', *args).stdout)
        back = self.path('gaps.sxc')
        self.export(self.sample(), code=(0, 1))
        self.assertIn(b'which is not imported', run('import', self.path('out.pftrace'), '-o', back).stderr.replace(b'\n ', b''))
        have, want = self.rows(back, '--counters'), self.rows(self.path('sample.sxc'), '--counters')
        self.assertEqual(len(have), len(want))
        for a, b in zip(have, want):
            for name in ('begin_ns', 'end_ns', 'frame', 'group', 'Time', 'Patchy'):
                self.assertEqual(a[name], b[name])
            if int(b['Clocks']) < 2**63:
                self.assertEqual(a['Clocks'], b['Clocks'])

    def test_labels_come_back(self):
        """Labels of rows that overlap, of frames, of work and of time, by the names that their file had; and one device stays one."""
        nested = [(0, 100, 'frame/shadow'), (10, 30, 'frame/shadow/a'), (120, 200, 'frame/main'), (130, 200, '"x", y'), (210, 210, 'empty')]
        texts = {
            'labels.csv': 'begin_ns,end_ns,Scene,Level,frame,context,instance,GpuBusy\n0,10,menu,"a, b",0,5,,20\n10,20,game,x,1,5,2,30\n20,30,game,,2,7,2,\n25,40,menu,\u00e4,,5,,40\n',
            'groups.csv': 'begin_ns,end_ns,group,frame,gpu_time (ms)\n' + ''.join('%d,%d,"%s",0,%d\n' % (b, e, g.replace('"', '""'), i) for i, (b, e, g) in enumerate(nested)),
            'work.ndjson': ''.join('{"begin_ns":%d,"end_ns":%d,"group":%s,"frame":3,"process":"game (7)","GpuTime":%d}\n' % (b, e, json.dumps(g), i) for i, (b, e, g) in enumerate(nested)),
        }
        with open(os.path.join(os.path.dirname(__file__), '../../examples/data/rocprofv3.csv'), encoding='utf-8') as file:
            texts['rocprofv3.csv'] = file.read()  # kernels
        for name, text in texts.items():
            with open(self.path(name), 'w', encoding='utf-8') as file:
                file.write(text)
            path, back = self.path('labels.sxc'), self.path('back.sxc')
            result = run('import', self.path(name), *(() if name.startswith('rocprof') else ('--for', 'monitor')), '-o', path)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.export(path)
            result = run('import', self.path('out.pftrace'), '-o', back)
            self.assertEqual(result.returncode, 0, result.stderr)
            for args in ([], ['--counters']):
                with self.subTest(name=name, args=args):
                    want, have = (run('export', file, '--csv', *args).stdout for file in (path, back))
                    self.assertEqual(have, want)
            # Which things are said of the file is another matter than what it holds.
            want, have = (json.loads(run('report', file, '--json').stdout) for file in (path, back))
            self.assertEqual(have['metrics'], want['metrics'])
            self.assertEqual([(d['kind'], d['name'], d['samples'], d.get('frames')) for d in have['devices']], [(d['kind'], d['name'], d['samples'], d.get('frames')) for d in want['devices']])
            if name == 'groups.csv':
                self.assertIn(b'frame/shadow/a', run('report', back, '--by', 'group').stdout)

    def test_merge(self):
        system = self.write('system.pftrace', packet(field(10, 1), field(6, field(1, field(1, 6) + field(2, 1000)) + field(2, 6))) * 50000)
        path, out = self.model(), self.path('both.zip')
        result = run('export', path, '--merge', system, '-o', out)
        self.assertEqual(result.returncode, 0, result.stderr)
        alone = run('export', path, '-f', 'perfetto').stdout
        with zipfile.ZipFile(out) as archive:
            self.assertIsNone(archive.testzip())
            manifest = json.loads(archive.read('perfetto_manifest.json'))
            self.assertTrue(archive.read('perfetto_manifest.json').startswith(b'{"perfetto_manifest"'))
            self.assertEqual(manifest, {'perfetto_manifest': {'version': 1, 'trace_time': {'clock': 'BOOTTIME'}, 'files': [
                {'path': 'system.pftrace'}, {'path': 'sextant.pftrace'}]}})
            self.assertEqual(sorted(archive.namelist()), ['perfetto_manifest.json', 'sextant.pftrace', 'system.pftrace'])
            with open(system, 'rb') as file:
                self.assertEqual(archive.read('system.pftrace'), file.read())
            self.assertEqual(archive.read('sextant.pftrace'), alone)
        piped = run('export', path, '--merge', system, '-f', 'perfetto')  # the same into a pipe
        with open(out, 'rb') as file:
            self.assertEqual(piped.stdout, file.read())
        for bad, code in ((self.write('no.txt', b'hello'), 5), (self.write('nothing', b''), 5), (self.path('absent'), 5)):
            result = run('export', path, '--merge', bad, '-o', self.path('never.zip'))
            self.assertEqual(result.returncode, code, result.stderr)
            self.assertFalse(os.path.exists(self.path('never.zip')))
        self.assertEqual(run('export', path, '--merge', system, '--csv').returncode, 2)

    def test_full_disk(self):
        path = self.model()
        system = self.write('system.pftrace', packet(field(10, 1), field(89, b'x')))
        for args in ([], ['--merge', system]):
            result = run('export', path, '-f', 'perfetto', '-o', '/dev/full', *args)
            self.assertEqual(result.returncode, 4, result.stderr)
            self.assertEqual([line.split(':')[0] for line in result.stderr.decode().splitlines()], ['error', 'because', 'try'])

    def test_terminal(self):
        path = self.model('-n', '1')
        ours, theirs = os.openpty()
        result = subprocess.run([SEXTANT, 'export', path, '-f', 'perfetto'], stdout=theirs, stderr=subprocess.PIPE, timeout=60, check=False)
        os.close(theirs)
        os.close(ours)
        self.assertEqual(result.returncode, 2, result.stderr)

    def test_memory_does_not_grow(self):
        def peak(rows):
            source = self.write('rows.csv', b''.join(b'%.9f,%d,,page-faults,100000000,100.00,,\n' % ((i + 1) / 10, i % 97) for i in range(rows)))
            path = self.path('rows.sxc')
            self.assertEqual(run('import', source, '-o', path).returncode, 0)
            env = {**os.environ, 'ASAN_OPTIONS': 'quarantine_size_mb=1:detect_leaks=0'}
            child = subprocess.Popen([SEXTANT, 'export', path, '-o', self.path('rows.pftrace')], env=env, stderr=subprocess.DEVNULL)
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = status
            self.assertEqual(status, 0)
            return usage.ru_maxrss
        small, large = peak(15000), peak(120000)
        self.assertLess(large - small, 12 * 1024, f'{small} KiB, {large} KiB')


if __name__ == '__main__':
    unittest.main()
