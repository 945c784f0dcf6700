#!/usr/bin/env python3
"""
Holds the field numbers, types and names of src/output/perfetto/trace.proto against Perfetto's public protos.
For whoever has them: check_perfetto.py ROOT FOLDER-WITH-protos/perfetto
"""
import os
import re
import sys

# Our message: theirs, and the file.
PUBLIC = {
    'Trace': ('Trace', 'trace/trace.proto'), 'Packet': ('TracePacket', 'trace/trace_packet.proto'),
    'Clock': ('ClockSnapshot.Clock', 'trace/clock_snapshot.proto'), 'ClockSnapshot': ('ClockSnapshot', 'trace/clock_snapshot.proto'),
    'Attribute': ('TraceAttributes.Attribute', 'common/trace_attributes.proto'), 'TraceAttributes': ('TraceAttributes', 'common/trace_attributes.proto'),
    'UiState': ('UiState', 'trace/ui_state.proto'), 'KeyValue': ('GpuInfo.Gpu.KeyValue', 'trace/system_info/gpu_info.proto'),
    'Gpu': ('GpuInfo.Gpu', 'trace/system_info/gpu_info.proto'), 'GpuInfo': ('GpuInfo', 'trace/system_info/gpu_info.proto'),
    'CounterSpec': ('GpuCounterDescriptor.GpuCounterSpec', 'common/gpu_counter_descriptor.proto'),
    'CounterBlock': ('GpuCounterDescriptor.GpuCounterBlock', 'common/gpu_counter_descriptor.proto'),
    'CounterGroup': ('GpuCounterDescriptor.GpuCounterGroupSpec', 'common/gpu_counter_descriptor.proto'),
    'GpuCounterDescriptor': ('GpuCounterDescriptor', 'common/gpu_counter_descriptor.proto'),
    'GpuCounter': ('GpuCounterEvent.GpuCounter', 'trace/gpu/gpu_counter_event.proto'),
    'GpuCounterEvent': ('GpuCounterEvent', 'trace/gpu/gpu_counter_event.proto'),
    'StageData': ('GpuRenderStageEvent.ExtraData', 'trace/gpu/gpu_render_stage_event.proto'),
    'GpuRenderStageEvent': ('GpuRenderStageEvent', 'trace/gpu/gpu_render_stage_event.proto'),
    'StageSpecification': ('InternedGpuRenderStageSpecification', 'trace/gpu/gpu_render_stage_event.proto'),
    'InternedData': ('InternedData', 'trace/interned_data/interned_data.proto'),
    'CounterTrack': ('CounterDescriptor', 'trace/track_event/counter_descriptor.proto'),
    'TrackDescriptor': ('TrackDescriptor', 'trace/track_event/track_descriptor.proto'),
    'Annotation': ('DebugAnnotation', 'trace/track_event/debug_annotation.proto'),
    'TrackEvent': ('TrackEvent', 'trace/track_event/track_event.proto')}
FIELD = re.compile(r'(?:(optional|repeated)\s+)?([\w.]+)\s+(\w+)\s*=\s*(\d+)\s*(?:\[[^\]]*\])?;')
VARINTS = {'uint32', 'int32', 'uint64', 'int64', 'bool'}


def fields(text):
    """{message: {number: (name, type, repeated)}} with nested messages as Outer.Inner; a oneof's fields are its message's."""
    text = re.sub(r'//[^\n]*|/\*.*?\*/', '', text, flags=re.S)
    found, stack, at = {}, [], 0
    for match in re.finditer(r'(message|enum|oneof|extend)\s+([\w.]+)\s*\{|\{|\}|' + FIELD.pattern, text):
        if match[0].endswith('{'):
            stack.append((match[1], match[2]))
        elif match[0] == '}':
            stack.pop()
        elif stack and not any(kind in ('enum', 'extend') for kind, _ in stack):
            name = '.'.join(n for kind, n in stack if kind == 'message')
            found.setdefault(name, {})[int(match[6])] = (match[5], match[4], match[3] == 'repeated')
    return found


def wire(kind):
    return 'varint' if kind in VARINTS else kind if kind in ('double', 'string') else 'other'


def main():
    with open(os.path.join(sys.argv[1], 'src/output/perfetto/trace.proto'), encoding='utf-8') as file:
        ours = fields(file.read())
    bad = [f'{name} has no public message' for name in ours if name not in PUBLIC]
    count = 0
    for name, (public, path) in PUBLIC.items():
        with open(os.path.join(sys.argv[2], 'protos/perfetto', path), encoding='utf-8') as file:
            theirs = fields(file.read()).get(public, {})
        for number, (label, kind, repeated) in ours[name].items():
            want = theirs.get(number)
            count += 1
            if not want or want[0] != label or want[2] != repeated:
                bad.append(f'{name}.{label} = {number}: {public} has {want}')
            elif wire(kind) != wire(want[1]) and not (wire(kind) == 'varint' and wire(want[1]) == 'other' or kind in PUBLIC):
                bad.append(f'{name}.{label}: {kind}, there {want[1]}')
    print('\n'.join(bad) if bad else f'perfetto: {count} fields as in the public protos')
    return 1 if bad or not count else 0


if __name__ == '__main__':
    sys.exit(main())
