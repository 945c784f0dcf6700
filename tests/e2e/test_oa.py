#!/usr/bin/env python3
"""OA recordings through `sextant decode`, against a decoder and evaluator written in Python.

usage: test_oa.py SEXTANT CATALOG_FOLDER; every set of intel-bdw, both kinds of input, wraps of every
counter, several contexts, lost data, and the flexible EU verbs.
"""
import json
import math
import os
import random
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "oracle"))
import units
from intel_eval import Catalog

SEXTANT, FOLDER = sys.argv[1], sys.argv[2]
HZ = 12500000
GT2 = {"GpuTimestampFrequency": HZ, "GpuMinFrequency": 300000000, "GpuMaxFrequency": 900000000,
       "EuCoresTotalCount": 24, "EuSlicesTotalCount": 1, "EuSubslicesTotalCount": 3, "SliceMask": 1,
       "SubsliceMask": 7}
GT3 = {**GT2, "EuCoresTotalCount": 48, "EuSlicesTotalCount": 2, "EuSubslicesTotalCount": 6, "SliceMask": 3,
       "SubsliceMask": 63}
failures = []


def expect(what, got, want):
    if got != want:
        failures.append(f"{what}: {got!r}, expected {want!r}")


def record(kind, payload):
    return struct.pack("<IHH", kind, 0, 8 + len(payload)) + payload


def head(name, uuid, device, device_id=0x1616):
    """Version, device and topology records, as the recorder writes them."""
    slices = device["EuSlicesTotalCount"]
    info = struct.pack("<QIIIIIII", HZ, device_id, 9, device["GpuMinFrequency"], device["GpuMaxFrequency"], 0, 0, 10)
    info += name.encode().ljust(256, b"\0") + uuid.encode().ljust(40, b"\0") + bytes(4)
    topology = struct.pack("<8H", 0, 3, 3, 8, 1, 1, 4, 1) + bytes([(1 << slices) - 1])
    topology += bytes(7 if s < slices else 0 for s in range(3))
    topology += bytes(255 if s < slices else 0 for s in range(3) for _ in range(3))
    topology += bytes(-len(topology) % 8)
    return record(65536, struct.pack("<II", 1, 0)) + record(65537, info) + record(65538, topology)


def pack(r):
    """One report in the 256-byte layout; r holds absolute counters."""
    out = struct.pack("<IIII", 1 << 19 | (1 << 25 if r["context"] is not None else 0),
                      r["GPU_TIME"] & 0xFFFFFFFF, 0xFFFFFFFF if r["context"] is None else r["context"],
                      r["GPU_CLOCK"] & 0xFFFFFFFF)
    out += struct.pack("<36I", *(r[f"A{i}"] & 0xFFFFFFFF for i in range(36)))
    out += bytes(r[f"A{i}"] >> 32 & 0xFF for i in range(32))
    out += struct.pack("<16I", *(r[f"{f}{i}"] & 0xFFFFFFFF for f in "BC" for i in range(8)))
    assert len(out) == 256
    return out


def simulate(count, seed):
    """Reports with counters that are near their wrap to begin with."""
    rng = random.Random(seed)
    state = {"GPU_TIME": 0xFFFFF000, "GPU_CLOCK": 0xFFF00000}
    state.update({f"A{i}": (1 << 40) - rng.randrange(1 << 30) if i < 32 else 0xFFFF0000 for i in range(36)})
    state.update({f"{f}{i}": 0xFFFFFFFF - rng.randrange(1 << 20) for f in "BC" for i in range(8)})
    reports = []
    for n in range(count):
        reports.append({**state, "context": rng.choice([None, 5, 5, 5, 77])})
        ticks = rng.choice([1, 17, 1000, 13107, 12500000])
        clocks = ticks * 72 - rng.randrange(ticks * 40)
        state["GPU_TIME"] += ticks
        state["GPU_CLOCK"] += clocks
        for name in state:
            if name[0] == "A":
                state[name] += rng.randrange(clocks * (24 if int(name[1:]) < 32 else 1) + 1)
            elif name[0] in "BC":
                state[name] += rng.choice([0, clocks, rng.randrange(clocks + 1)])
    return reports


def deltas(reports):
    rows = []
    for a, b in zip(reports, reports[1:]):
        row = {name: b[name] - a[name] for name in a if name != "context"}
        rows.append({**row, "context": a["context"]})
    return rows


def decode(path, *args):
    done = subprocess.run([SEXTANT, "decode", "-i", path, "--json", *args], capture_output=True, text=True,
                          check=False)
    doc = json.loads(done.stdout) if done.stdout else None
    if doc:
        units.in_catalog_units(SEXTANT, doc)
    return done.returncode, doc, done.stderr


def close(a, b):
    if a is None or b is None or isinstance(a, int) and isinstance(b, int):
        return a == b
    return math.isclose(a, b, rel_tol=1e-14, abs_tol=1e-300)


def check_rows(what, doc, want, exists=lambda name: True):
    names = doc["metrics"]
    expect(f"{what}: rows", len(doc["rows"]), len(want))
    missing = set(want[0]) - set(names)
    expect(f"{what}: missing columns", missing, set())
    for number, (row, expected) in enumerate(zip(doc["rows"], want)):
        for name, value in zip(names, row):
            if name in expected and exists(name) and not close(value, expected[name]):
                expect(f"{what}: row {number} {name}", value, expected[name])
                return


def check_sets(folder, catalog):
    reports = simulate(60, 7)
    rows = deltas(reports)
    body = b"".join(record(1, pack(r)) for r in reports)
    for device, constants in (("GT2", GT2), ("GT3", GT3)):
        for group in catalog.doc["groups"]:
            name = group["name"]
            path = os.path.join(folder, "recording")
            with open(path, "wb") as file:
                file.write(head(name, group["uuid"], constants) + body)
            code, doc, err = decode(path, "--as", "i915-record")
            expect(f"{device} {name}: exit", (code, err), (0, ""))
            want = [catalog.evaluate(name, row, constants) for row in rows]
            exists = lambda metric, n=name, c=constants: catalog.exists(n, metric, c)
            check_rows(f"{device} {name}", doc, want, exists)
            absent = [m for m in catalog.sets[name] if not exists(m)]
            for metric in absent:
                if metric in doc["metrics"]:
                    column = doc["metrics"].index(metric)
                    expect(f"{device} {name}: {metric} does not exist",
                           {r[column] for r in doc["rows"]}, {None})


def check_counters(folder):
    reports = simulate(200, 3)
    rows = deltas(reports)
    path = os.path.join(folder, "reports")
    with open(path, "wb") as file:
        file.write(b"".join(pack(r) for r in reports))
    code, doc, err = decode(path, "--as", "oa:A32u40_A4u32_B8_C8", "--counters")
    expect("counters: exit", (code, err), (0, ""))
    times = [{**row, "begin_ns": (r["GPU_TIME"]) * 80} for row, r in zip(rows, reports)]
    check_rows("counters", doc, times)
    code, doc, _ = decode(path, "--as", "oa:A32u40_A4u32_B8_C8", "--counters", "--summary")
    total = {n: sum(r[n] for r in rows) for n in rows[0] if n != "context"}
    check_rows("summary", doc, [total])
    code, doc, _ = decode(path, "--as", "oa:A32u40_A4u32_B8_C8", "--counters", "--by", "context")
    by = {}
    for row in rows:
        sums = by.setdefault(row["context"], dict.fromkeys(total, 0) | {"context": row["context"]})
        for n in total:
            sums[n] += row[n]
    check_rows("by context", doc, list(by.values()))
    with open(path, "rb") as file:
        done = subprocess.run([SEXTANT, "decode", "-i", "-", "--as", "oa:A32u40_A4u32_B8_C8", "--counters", "--csv"],
                              stdin=file, capture_output=True, text=True, check=False)
    expect("standard input: lines", len(done.stdout.splitlines()), 200)


def check_contexts(folder):
    """One context alone; single reports without an id between two of its own belong to it."""
    reports = simulate(300, 12)
    path = os.path.join(folder, "contexts")
    for ids in ((5, 77), (0, 0xFFFFFFFE)):
        named = [{**r, "context": None if r["context"] is None else ids[r["context"] == 77]} for r in reports]
        with open(path, "wb") as file:
            file.write(head("RenderBasic", "", GT2) + b"".join(record(1, pack(r)) for r in named))
        for text, number in ((str(ids[0]), ids[0]), (hex(ids[1]), ids[1])):
            want = []
            for n, row in enumerate(deltas(named)):
                around = [r["context"] for r in named[max(n - 1, 0):n + 2]]
                if row["context"] == number or n and around == [number, None, number]:
                    want.append({**row, "context": number})
            code, doc, err = decode(path, "--as", "i915-record", "--counters", "--context", text)
            expect(f"context {text}: exit", (code, err), (0, ""))
            check_rows(f"context {text}", doc, want)
    code, doc, err = decode(path, "--as", "i915-record", "--counters", "--context", "6")
    expect("context 6: exit", (code, doc), (3, None))
    expect("context 6: error", [line.split(":")[0] for line in err.splitlines()], ["error", "because", "try"])
    for text in ("", "-1", "0x", "5x", "4294967296", "idle"):
        expect(f"context {text!r}", decode(path, "--as", "i915-record", "--context", text)[0], 2)
    expect("context of a dump", decode(path, "--as", "mali-dump:u32", "--for", "mali-g310", "--context", "5")[0], 2)
    expect("by and summary", decode(path, "--as", "i915-record", "--by", "residency", "--summary")[0], 2)


def check_text(folder):
    """What people read: whose row it is and when, of which device, how many reports, and no line too wide."""
    named = [(None, 0), (5, 1000), (5, 3000), (77, 7000), (None, 15000), (5, 15100)]
    reports = [{**simulate(1, 1)[0], "context": c, "GPU_TIME": t, "GPU_CLOCK": t * 40} for c, t in named]
    path = os.path.join(folder, "text")
    with open(path, "wb") as file:
        file.write(head("RenderBasic", "", GT2) + b"".join(record(1, pack(r)) for r in reports))
    rows = {(): [["context", "idle", "5", "5", "77"], ["begin", "0 s", "80.0 us", "240 us", "560 us"],
                 ["duration", "80.0 us", "160 us", "320 us", "640 us"], ["ended by"] + ["timer"] * 4],
            ("--by", "residency"): [["context", "idle", "5", "77", "idle"],
                                    ["duration", "80.0 us", "480 us", "640 us", "8.00 us"]],
            ("--by", "context"): [["context", "idle", "5", "77"], ["begin", "0 s", "80.0 us", "560 us"],
                                  ["span", "1.21 ms", "480 us", "640 us"]],
            ("--summary",): [["metric", "all", "unit"], ["duration", "1.21 ms"]],
            ("--context", "5"): [["context", "5", "5"], ["begin", "0 s", "160 us"]]}
    for args, want in rows.items():
        code, out, _ = spawn("decode", "-i", path, "--as", "i915-record", *args)
        cells = [[cell for cell in line.split("  ") if cell.strip()] for line in out.splitlines()]
        cells = [[cell.strip() for cell in line] for line in cells]
        expect(f"text {args}: exit", code, 0)
        for line in want:
            expect(f"text {args}: {line}", line in cells, True)
        expect(f"text {args}: wide", [line for line in out.splitlines() if len(line) > 80], [])
        for words in ("device 0x1616 revision 9", "24 EUs", "3 subslices", "set RenderBasic", "6 reports, "):
            expect(f"text {args}: {words}", words in out.replace("\n", " "), True)
    expect("text: counts", "5 intervals, " in spawn("decode", path, "--as", "i915-record")[1], True)
    with open(path, "rb") as file:
        cut = file.read()[:-100]
    with open(path + "-cut", "wb") as file:
        file.write(cut)
    code, out, _ = spawn("decode", path + "-cut", "--as", "i915-record", "-m", "EuActive")
    expect("text: cut", (code, out.splitlines()[-1].replace("\n", " ")),
           (1, "5 reports, 4 intervals, 3 context switches, 164 bytes cut off at the end"))
    expect("text: quiet", "RenderBasic" in spawn("decode", path, "--as", "i915-record", "-q")[1], False)
    doc = decode(path, "--as", "i915-record", "-m", "EuActive")[1]
    expect("json: columns", doc["metrics"], ["begin_ns", "end_ns", "context", "EuActive"])
    about = doc["recording"]
    expect("json: recording", [about[k] for k in ("device", "eus", "subslices", "set", "reports", "intervals")],
           ["0x1616", 24, 3, "RenderBasic", 6, 5])


def spawn(*args):
    done = subprocess.run([SEXTANT, *args], capture_output=True, text=True, check=False,
                          env={**os.environ, "COLUMNS": "80"})
    return done.returncode, done.stdout, done.stderr


def check_short_formats(folder):
    rng = random.Random(5)
    layouts = {"A12": (64, [f"A{i}" for i in range(7, 19)]),
               "A12_B8_C8": (128, [f"A{i}" for i in range(7, 19)] + [f"B{i}" for i in range(8)]
                             + [f"C{i}" for i in range(8)]),
               "C4_B8": (64, [f"C{i}" for i in range(4)] + [f"B{i}" for i in range(8)])}
    for name, (size, columns) in layouts.items():
        values = [[rng.randrange(1 << 32) for _ in columns] for _ in range(20)]
        path = os.path.join(folder, name)
        with open(path, "wb") as file:
            for n, v in enumerate(values):
                file.write((struct.pack("<IIII", 1 << 19 | 1 << 25, 1000 * n + 1, 5, 70000 * n)
                            + struct.pack(f"<{len(v)}I", *v)).ljust(size, b"\0"))
        code, doc, err = decode(path, "--as", f"oa:{name}", "--counters")
        expect(f"{name}: exit", (code, err), (0, ""))
        want = [{c: (y - x) & 0xFFFFFFFF for c, x, y in zip(columns, a, b)} for a, b in zip(values, values[1:])]
        check_rows(name, doc, want)


def check_times(folder, mask):
    """Linear between pairs, across 2^32 and across 2^36 ticks; some recorders keep more than 36 bits."""
    rng = random.Random(9)
    start, cpu = (1 << 36) - 5 * HZ, 10**12
    data = head("GpuBusyness", "", GT2)
    reports = simulate(2, 1)
    times = []
    for second in range(10):
        data += record(65539, struct.pack("<QQ", cpu + second * 1000100000, (start + second * HZ) & mask))
        for n in range(5):
            ticks = second * HZ + n * HZ // 5 + rng.randrange(1000)
            data += record(1, pack({**reports[0], "GPU_TIME": start + ticks, "GPU_CLOCK": ticks * 40}))
            times.append(cpu + second * 1000100000 + (ticks - second * HZ) * 1000100000 // HZ)
    data += record(65539, struct.pack("<QQ", cpu + 10 * 1000100000, (start + 10 * HZ) & mask))
    path = os.path.join(folder, "times")
    with open(path, "wb") as file:
        file.write(data)
    code, doc, err = decode(path, "--as", "i915-record", "--counters")
    expect("times: exit", (code, err), (0, ""))
    expect("times: begin_ns", [r[0] for r in doc["rows"]], times[:-1])
    expect("times: end_ns", [r[1] for r in doc["rows"]], times[1:])


def flipped(data, at, bits):
    return data[:at] + bytes([data[at] ^ bits]) + data[at + 1:]


def check_damage(folder):
    reports = simulate(6, 2)
    good = head("RenderBasic", "", GT2)
    samples = [record(1, pack(r)) for r in reports]
    cases = {
        "unknown set": (head("NoSuchSet", "", GT2) + b"".join(samples), 3, None, None),
        "empty": (b"", 5, None, None),
        "text": (b"hello, this is no recording at all", 5, None, None),
        "no samples": (good, 5, None, None),
        "size 0": (good + samples[0] + struct.pack("<IHH", 1, 0, 0) + b"".join(samples[1:]), 1, 5, [[0, 0]]),
        "cut": (good + b"".join(samples)[:-3], 1, 4, []),
        "lost": (good + samples[0] + record(2, b"") + b"".join(samples[1:]), 1, 5, [[0, 0]]),
        "one bit": (good + samples[0] + flipped(samples[1], 7, 0x80) + b"".join(samples[2:]), 1, 4, [[0, 0]]),
        "hole": (good + samples[0] + samples[1][:90] + samples[1][200:] + b"".join(samples[2:]), 1, 4, [[0, 0]]),
        "noise": (good + samples[0] + b"\x0b" * 61 + b"".join(samples[1:]), 1, 5, [[0, 0]]),
        "too long at the end": (good + b"".join(samples[:4]) + struct.pack("<IHH", 9, 0, 60000) +
                                b"".join(samples[4:]), 1, 5, [[2, 3]]),
        "broken": (good + b"".join(samples[:3]) + record(3, b"") + b"".join(samples[3:]), 1, 4, [[2, 2]]),
    }
    for what, (data, want, rows, marked) in cases.items():
        path = os.path.join(folder, "damaged")
        with open(path, "wb") as file:
            file.write(data)
        code, doc, err = decode(path, "--as", "i915-record")
        expect(f"{what}: exit", code, want)
        expect(f"{what}: rows", len(doc["rows"]) if doc else None, rows)
        expect(f"{what}: marked rows", [q["rows"] for q in doc["quality"]] if doc else None, marked)
        triplet = [line.split(":")[0] for line in err.splitlines() if not line.startswith("note:")]
        expect(f"{what}: error", triplet, ["error", "because", "try"])


def check_identity(folder, catalog):
    """A recording of another GPU, or whose name and uuid of a set contradict each other."""
    sets = {g["name"]: g["uuid"] for g in catalog.doc["groups"]}
    reports = simulate(4, 5)
    rows = deltas(reports)
    stranger = "12345678-1234-1234-1234-123456789abc"

    def case(what, start, want_code, want_set, needle, *args):
        path = os.path.join(folder, "identity")
        with open(path, "wb") as file:
            file.write(start + b"".join(record(1, pack(r)) for r in reports))
        code, doc, err = decode(path, "--as", "i915-record", *args)
        expect(f"{what}: exit", code, want_code)
        if needle not in err if needle else err:
            failures.append(f"{what}: stderr {err!r} without {needle!r}")
        if any(not line.startswith(("note: ", "warning: ", "error: ", "because: ", "try: ")) for line in err.splitlines()):
            failures.append(f"{what}: not a line each: {err!r}")
        if want_set:
            check_rows(what, doc, [catalog.evaluate(want_set, row, GT2) for row in rows],
                       lambda metric: catalog.exists(want_set, metric, GT2))
        else:
            expect(f"{what}: rows", doc and len(doc["rows"]), 3 if want_code == 0 else None)

    basic, compute = sets["RenderBasic"], sets["ComputeBasic"]
    case("good", head("RenderBasic", basic, GT2), 0, "RenderBasic", "")
    case("upper case", head("X", compute.upper(), GT2), 0, "ComputeBasic", "")
    # Others than Broadwell have catalogs of their own, where the uuid of its set is none.
    case("Skylake", head("RenderBasic", basic, GT2, 0x1912), 0, None, "is not of set RenderBasic")
    case("Skylake counters", head("RenderBasic", basic, GT2, 0x1912), 0, None, "", "--counters")
    case("Skylake GT1", head("RenderBasic", basic, GT2, 0x1902), 3, None, "--for intel-sklgt2")
    case("Haswell", head("RenderBasic", basic, GT2, 0x0412), 3, None, "Haswell")
    case("Cherryview", head("RenderBasic", basic, GT2, 0x22b1), 0, None, "is not of set RenderBasic")
    case("all Broadwells", head("RenderBasic", basic, GT2, 0x163e), 0, "RenderBasic", "")
    case("unknown id", head("RenderBasic", basic, GT2, 0x1680), 0, "RenderBasic", "0x1680 is unknown")
    case("unknown id and uuid", head("RenderBasic", stranger, GT2, 0x1680), 3, None, "no catalog describes")
    case("unknown id, --set", head("RenderBasic", stranger, GT2, 0x1680), 0, "ComputeBasic", "0x1680",
         "--set", "ComputeBasic")
    case("unknown id, --counters", head("RenderBasic", stranger, GT2, 0x1680), 0, None, "0x1680", "--counters")
    case("uuid wins", head("RenderBasic", compute, GT2), 0, "ComputeBasic", "its uuid is that of ComputeBasic")
    case("unknown uuid", head("RenderBasic", stranger, GT2), 0, "RenderBasic", "is not of set RenderBasic")
    case("defined otherwise", head("RenderBasic", basic, GT2), 0, None, "A7 is eu(eu-active)",
         "-m", "A7=eu(fpu0-active)")
    case("defined so", head("RenderBasic", basic, GT2), 0, None, "", "-m", "A7=eu(eu-active)")
    path = os.path.join(folder, "two")
    with open(path, "wb") as file:
        for device_id in (0x1616, 0x1912):
            file.write(head("RenderBasic", basic, GT2, device_id) + b"".join(record(1, pack(r)) for r in reports))
    code, doc, err = decode(path, "--as", "i915-record")
    expect("a Skylake behind: rows, told", (doc and len(doc["rows"]), "differs from the first" in err), (3, True))


def check_constants(folder):
    """--const reaches times and formulas alike, also against what the recording says."""
    reports = simulate(6, 8)
    path = os.path.join(folder, "constants")
    with open(path, "wb") as file:
        file.write(head("RenderBasic", "", GT2) + b"".join(record(1, pack(r)) for r in reports))
    for given, hz in (([], HZ), (["--const", "GpuTimestampFrequency=6250000"], HZ // 2)):
        code, doc, err = decode(path, "--as", "i915-record", "-m", "GpuTime", *given)
        expect(f"constants {given}: exit", (code, err), (0, ""))
        begin, end, _, gpu = zip(*doc["rows"]) if doc else ((),) * 4
        want = [row["GPU_TIME"] * 10**9 // hz for row in deltas(reports)]
        expect(f"constants {given}: GpuTime", list(gpu), want)
        off = [abs(e - b - w) <= 1 for b, e, w in zip(begin, end, want)]
        expect(f"constants {given}: end - begin", off, [True] * 5)
    for bad in ("GpuTimestampFrequency=10", "GpuMaxFrequency=5e9", "GpuMinFrequency=0"):
        expect(bad, decode(path, "--as", "i915-record", "--const", bad)[0], 2)
    # A limit that the clock exceeds is told, whoever says it.
    _, _, err = decode(path, "--as", "i915-record", "-m", "GpuTime", "--const", "GpuMaxFrequency=100000000")
    expect("GpuMaxFrequency", "more than the device can" in err, True)


def metric_set(chipset, name="RenderBasic"):
    done = subprocess.run([SEXTANT, "list", "sets", "--for", f"intel-{chipset}", "--json"], capture_output=True, check=True)
    return next(s for s in json.loads(done.stdout)["sets"] if s["name"] == name)


def crystal_recording(device_id, group, told, pairs_hz, form=12, only_first=False):
    """A recording from a GPU whose OA unit counts a crystal of 38.4 MHz and whose command streamer
    counts half of it: a report each 2 ms of a clock of 2 GHz, a pair of times each second."""
    crystal, start_ns, start = 38400000, 10**12, (7 << 33) + 0x9234567A
    info = struct.pack("<QIIIIIII", told, device_id, 8, 300000000, 2400000000, 0, 0, form)
    info += group["name"].encode().ljust(256, b"\0") + group["uuid"].encode().ljust(40, b"\0") + bytes(4)
    topology = struct.pack("<8H", 0, 1, 32, 16, 1, 4, 5, 2) + b"\1" + b"\xff\0\0\0" + b"\xff\xff" * 8 + bytes(48)
    topology += bytes(-len(topology) % 8)
    file = record(65536, struct.pack("<II", 1, 0)) + record(65537, info) + record(65538, topology)
    for ms in range(0, 3001, 2):
        if ms % 1000 == 0 and not (ms and only_first):
            ticks = (start * pairs_hz // crystal + ms * pairs_hz // 1000) & 0xFFFFFFFFF
            file += record(65539, struct.pack("<QQ", start_ns + ms * 10**6, ticks))
        report = struct.pack("<IIII", 1 << 19, start + ms * crystal // 1000 & 0xFFFFFFFF, 0xFFFFFFFF,
                             ms * 2000000 & 0xFFFFFFFF)
        file += record(1, report + bytes(240))
    return file, start_ns


def check_oa_clock(folder):
    """Arc and Meteor Lake: the unit counts twice as fast as the command streamer, whose frequency older
    recorders tell, and whose timestamp every recorder pairs with CPU time. Newer ones tell the unit's."""
    path = os.path.join(folder, "clock")
    for name, device_id in (("acmgt3", 0x56A0), ("acmgt1", 0x56A5), ("mtlgt3", 0x7D55), ("mtlgt2", 0x7D45), ("mtlgt2", 0x7D67)):
        group = metric_set(name)
        for told, pairs in ((19200000, 19200000), (38400000, 19200000), (38400000, 38400000)):
            for only_first in (False, True):
                what = f"{name} 0x{device_id:x}, {told} Hz told, {pairs} Hz in pairs, only the first {only_first}"
                file, start_ns = crystal_recording(device_id, group, told, pairs, only_first=only_first)
                with open(path, "wb") as out:
                    out.write(file)
                code, doc, err = decode(path, "--as", "i915-record", "-m", "GpuTime,AvgGpuCoreFrequency")
                expect(f"{what}: exit", (code, err), (0, ""))
                rows = doc["rows"] if doc else []
                at = {n: i for i, n in enumerate(doc["metrics"])} if doc else {}
                expect(f"{what}: rows", len(rows), 1500)
                expect(f"{what}: GpuTime", {r[at["GpuTime"]] for r in rows}, {2000000})
                expect(f"{what}: frequency", {round(r[at["AvgGpuCoreFrequency"]]) for r in rows}, {2000000000})
                off = [abs(r[at["begin_ns"]] - start_ns - n * 2000000) <= 1 and abs(r[at["end_ns"]] - r[at["begin_ns"]] - 2000000) <= 1
                       for n, r in enumerate(rows)]
                expect(f"{what}: times of the CPU", all(off), True)
    # Where both count alike, what the file says is what holds.
    with open(path, "wb") as out:
        out.write(crystal_recording(0x9A49, metric_set("tglgt2"), 38400000, 38400000, form=10)[0])
    code, doc, err = decode(path, "--as", "i915-record", "-m", "GpuTime")
    expect("tglgt2: exit", (code, err, {r[-1] for r in doc["rows"]}), (0, "", {2000000}))


def check_nulls(folder):
    """Each null has a reason: its column's in `why`, or a range of rows in `quality` that names the metric."""
    nulls = 0
    for chipset, device_id, form, name in (("bdw", 0x1616, 10, "DataPortReadsCoalescing"), ("sklgt2", 0x1912, 10, "HDCAndSF"),
                                           ("icl", 0x8A52, 10, "TDL_2"), ("mtlgt3", 0x7D55, 12, "Ext195")):
        path = os.path.join(folder, "nulls")
        rng, file = random.Random(5), crystal_recording(device_id, metric_set(chipset, name), 38400000, 38400000, form=form)[0]
        report = record(1, bytes(256))[:8]
        parts = file.split(report + struct.pack("<I", 1 << 19))
        body = b"".join(report + struct.pack("<I", 1 << 19) + p[:12] + rng.randbytes(240) + p[252:] for p in parts[1:64])
        with open(path, "wb") as out:
            out.write(parts[0] + body)
        _, doc, err = decode(path, "--as", "i915-record", "-m", "all")
        if not doc:
            failures.append(f"nulls of {chipset}: {err}")
            continue
        reasons = {(row, m) for q in doc["quality"] if q.get("why") for row in range(q["rows"][0], q["rows"][1] + 1) for m in q["metrics"]}
        open_ = [(n, m) for n, row in enumerate(doc["rows"]) for m, v in zip(doc["metrics"], row)
                 if v is None and m != "context" and m not in doc["why"]]
        nulls += len(open_)
        expect(f"nulls of {chipset}", [cell for cell in open_ if cell not in reasons][:3], [])
        for row, m in reasons:
            expect(f"a reason of {chipset} for what has a value", doc["rows"][row][doc["metrics"].index(m)], None)
    expect("some cells are null", nulls > 50, True)


def check_messages(folder):
    """What went wrong and what to do: near names, the unknown set, and the verb that reads such a file."""
    body = b"".join(record(1, pack(r)) for r in simulate(5, 6))
    path, other = os.path.join(folder, "messages"), os.path.join(folder, "other")
    with open(path, "wb") as file:
        file.write(head("RenderBasic", "", GT2) + body)
    with open(other, "wb") as file:
        file.write(head("TheirOwn", "01234567-89ab-cdef-0123-456789abcdef", GT2) + body)
    cases = {("decode", path, "--as", "i915-record", "--set", "RenderBsic"): (3, "try: RenderBasic\n"),
             ("list", "metrics", "--for", "intel-bdw", "--set", "RenderBsic"): (3, "try: RenderBasic\n"),
             ("explain", "EuActive", "--for", "intel-bdw", "--set", "TestOA"): (3, "try: TestOa\n"),
             ("decode", other, "--as", "i915-record", "-m", "GpuTime"): (2, '"TheirOwn", is unknown'),
             ("decode", path, "--as", "i915-recrd"): (2, "try: --as i915-record\n"),
             ("report", path): (5, "try: sextant decode -i "), ("capture", "info", path): (5, "try: sextant decode -i "),
             ("stat", "-i", path): (5, "try: sextant decode -i "), ("export", path): (5, "try: sextant decode -i "),
             ("explain", "EuActive", "--for", "intel-bdw", "-i", path): (5, "try: sextant decode -i "),
             ("oa", "flex", "encode"): (2, "because: ")}
    for args, (want, words) in cases.items():
        code, out, err = spawn(*args)
        expect(f"{args}: exit", (code, out), (want, ""))
        expect(f"{args}: {err!r} has {words!r}", words in err, True)
        for empty in ("because: not found", "because: wrong usage", "sextant oa needs it"):
            expect(f"{args}: {empty}", empty in err, False)


def check_definitions(folder):
    """User-defined counters as shares of the EU time that their filters let through."""
    reports = simulate(30, 11)
    path = os.path.join(folder, "definitions")
    with open(path, "wb") as file:
        file.write(head("RenderBasic", "", GT2) + b"".join(record(1, pack(r)) for r in reports))
    cases = {"A14=eu(fpu0-active, coarse=ps)": ("A14", 1, 1), "A20=eu(4, coarse=row1, fine=eu3)": ("A20", 8, 1),
             "A7=eu(eu-occupancy, fine=eu0)": ("A7", 32, 7)}
    code, doc, err = decode(path, "--as", "i915-record", "-m", ",".join(cases))
    expect("definitions: exit", (code, err), (0, ""))
    want = []
    for row in deltas(reports):
        expected = {}
        for text, (counter, factor, threads) in cases.items():
            share = row[counter] * factor // 24 // threads * 100
            expected[text] = share / row["GPU_CLOCK"] if row["GPU_CLOCK"] else 0
            expected[counter] = row[counter]
        want.append(expected)
    check_rows("definitions", doc, want)
    for text, want in (("A21=eu(4)", 2), ("A12=eu(4,0,0)", 2), ("A12=eu()", 2), ("a12=eu(eu-active)", 2),
                       ("A12=eu(eu-active,coarse=ps,coarse=vs)", 2), ("A12=eu(coarse=ps,eu-active)", 2),
                       ("A12=eu(9)", 3), ("A12=eu(nothing)", 3),
                       ("A12=eu(eu-active),A12=eu(fpu0-active)", 2)):
        code, _, err = decode(path, "--as", "i915-record", "-m", text)
        expect(f"{text}: exit", (code, len(err.splitlines())), (want, 3))
    code, doc, _ = decode(path, "--as", "i915-record", "-m", "A12=eu(eu-active), A12=eu(4)")
    expect("equal definitions: columns", doc and doc["metrics"][3:], ["A12=eu(eu-active)", "A12"])


def check_plan():
    """What a set has a flexible counter count stands against the user's definition, before anything runs."""
    for args, reason in ((["--set", "RenderBasic", "-m", "A7=eu(fpu0-active),EuActive"], "RenderBasic needs A7"),
                         (["--set", "RenderBasic", "-m", "A7=eu(fpu0-active)"], "as eu(eu-active)"),
                         (["-m", "A12=eu(fpu1-active),RenderBasic.VsFpu1Active"], None),
                         (["-m", "A7=eu(fpu1-active),RenderBasic.EuActive"], "RenderBasic needs A7"),
                         (["--set", "RenderBasic", "-m", "A7=eu(eu-active),EuActive"], None),
                         (["--set", "RenderBasic", "-m", "A14=eu(fpu0-active),EuActive"], None)):
        code, doc = run("plan", "--for", "intel-bdw", "--json", *args)
        name = args[-1].split(",")[0]
        why = doc["unavailable"].get(name) if code == 0 else doc
        expect(f"plan {args}: {why}", (why is not None and reason in why) if reason else why is None, True)
        expect(f"plan {args}: planned", name in doc["metrics"], reason is None)


def check_names(folder):
    """Qualified names where the set is known, and what a name of another set is answered."""
    path = os.path.join(folder, "names")
    with open(path, "wb") as file:
        file.write(head("RenderBasic", "", GT2) + b"".join(record(1, pack(r)) for r in simulate(9, 4)))
    plain = decode(path, "--as", "i915-record", "-m", "EuActive")
    expect("names: exit", (plain[0], plain[2]), (0, ""))
    expect("names: qualified", decode(path, "--as", "i915-record", "-m", "RenderBasic.EuActive"), plain)
    code, doc, err = decode(path, "--as", "i915-record", "-m", "TestOa.Counter0")
    expect("names: of another set", (code, doc), (3, None))
    expect("names: whose it is", "set TestOa" in err and "try: TestOa" not in err, True)
    expect("names: near", "try: EuActive\n" in decode(path, "--as", "i915-record", "-m", "EuActve")[2], True)
    for args in (("plan", "-m"), ("explain",)):
        expect(f"{args[0]}: qualified", run(*args, "RenderBasic.EuActive", "--for", "intel-bdw", "--set",
                                            "RenderBasic")[0], 0)


def run(*args):
    done = subprocess.run([SEXTANT, *args], capture_output=True, text=True, check=False)
    return done.returncode, json.loads(done.stdout) if done.stdout.startswith("{") else done.stdout


def check_flex():
    """Every legal event there and back, and the registers of every published set."""
    code, names = run("oa", "flex", "list", "--json")
    expect("flex list", [len(names[k]) for k in ("events", "coarse", "fine")], [7, 9, 10])
    rng = random.Random(4)
    for number in range(7, 21):
        event, coarse, fine = (rng.choice(names[k])["encoding"] for k in ("events", "coarse", "fine"))
        code, doc = run("oa", "flex", "encode", "--counter", f"A{number}", "--event", str(event), "--coarse",
                        str(coarse), "--fine", str(fine), "--json")
        expect(f"A{number}: exit", code, 0)
        expect(f"A{number}: field", doc["field"], f"0x{event | coarse << 4 | fine << 8:03x}")
        expect(f"A{number}: shift", doc["shift"], 12 * ((number - 7) % 2))
        value = int(doc["field"], 16) << doc["shift"]
        code, back = run("oa", "flex", "decode", "--register", doc["register"], "--value", hex(value), "--json")
        found = next(c for c in back["counters"] if c["counter"] == f"A{number}")
        expect(f"A{number}: back", (found["event"], found["coarse"], found["fine"]), (event, coarse, fine))
        expect(f"A{number}: supported", found["supported"], doc["supported"])
    expect("undefined", run("oa", "flex", "encode", "--counter", "A7", "--event", "9")[0], 3)
    text = "A13=eu(eu-occupancy, coarse=row0, fine=eu2)"
    want = run("oa", "flex", "encode", "--counter", "A13", "--event", "8", "--coarse", "row0", "--fine", "eu2", "--json")
    expect("by definition", run("oa", "flex", "encode", text, "--json"), want)
    expect("by definition: exit", want[0], 0)
    for args in (("encode", text, "more"), ("encode", text, "--event", "4"), ("list", "more"), ("encode", "A13=eu()"),
                 ("encode", "--counter", "A7", "--event", "4", "foo", "bar"),
                 ("decode", "--register", "EU_PERF_CNT_CTL0", "--value", "0", "more")):
        expect(f"oa flex {args}", run("oa", "flex", *args)[0], 2)
    code, doc = run("explain", text, "--for", "intel-bdw", "--json")
    expect("explain definition", (code, doc["definition"]["counter"], doc["definition"]["event"],
                                  doc["definition"]["address"], doc["definition"]["field"]),
           (0, "A13", "eu-occupancy", want[1]["address"], want[1]["field"]))
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
        file.write("A13,GPU_CLOCK,EuCoresTotalCount,EuThreadsCount\n21,50,24,7\n")
        file.flush()
        doc = run("explain", text, "--for", "intel-bdw", "-i", file.name, "--json")[1]
    expect("explain definition: value", doc["value"], 21 * 8 * 8 // 24 // 7 * 100 / 50)
    expect("explain: no device of it", run("explain", text, "--for", "mali-g310")[0], 3)
    err = spawn("explain", "A12=eu(fpu-both-active, coarse=row1, fine=send-start)", "--for", "intel-bdw")[1:]
    expect("explain: wide", [line for line in "".join(err).splitlines() if len(line) > 80], [])
    err = spawn("plan", "-m", "A12=eu(fpu-both-active, coarse=row1, fine=send-start)", "--for", "intel-bdw")[2]
    expect("warning: wide", ("warning: A12" in err, [line for line in err.splitlines() if len(line) > 80]), (True, []))
    expect("no such counter", run("oa", "flex", "encode", "--counter", "A6", "--event", "4")[0], 2)


def check_triggers(catalog):
    for group in catalog.doc["groups"]:
        writes = [w.lower().split(":") for p in group["programs"] if p["kind"] == "boolean"
                  for w in p["writes"].split()]
        code, doc = run("oa", "trigger", "decode", "--set", group["name"], "--json")
        expect(f"{group['name']}: exit", code, 0)
        lines = [r["text"] for r in doc["registers"]]
        code, back = run("oa", "trigger", "encode", *lines, "--json")
        expect(f"{group['name']}: there and back",
               [(r["address"], r["value"]) for r in back["registers"]],
               [(f"0x{int(a, 16):04x}", f"0x{v}") for a, v in writes])
        # What is shown to people is one argument of the way back.
        code, shown = run("oa", "trigger", "decode", "--set", group["name"])
        expect(f"{group['name']}: exit of text", code, 0)
        expect(f"{group['name']}: widest line", [line for line in shown.splitlines() if len(line) > 80], [])
        code, text = run("oa", "trigger", "encode", shown)
        expect(f"{group['name']}: text there and back",
               [line.split()[0] for line in text.splitlines()], [f"{int(a, 16):04x}:{v}" for a, v in writes])
    check_refused()


def check_refused():
    """2 for what was typed wrong, 3 for what no name or encoding has; three lines in either case."""
    cases = {("trigger", "encode", "OACEC0_0: compare=8"): 2, ("trigger", "encode", "OACEC0_0: value=0x1ffff"): 2,
             ("trigger", "encode", "OACEC0_0: compare=less compare=greater"): 2,
             ("trigger", "encode", "OACEC0_0: compare"): 2, ("trigger", "encode", "OACEC0_0: compare=lower"): 3,
             ("trigger", "encode", "OACEC0_0: what=1"): 3, ("trigger", "encode", "OACEC9_0: value=1"): 3,
             ("trigger", "encode", "OASTARTTRIG1: threshold=1 count=3"): 3,
             ("trigger", "encode", "OASTARTTRIG2: flag=1"): 3, ("trigger", "encode", "OACEC0_0: source=3"): 3,
             ("trigger", "decode", "--register", "OASTARTTRIG1", "--value", "0x30001"): 3,
             ("trigger", "decode", "--register", "OACEC0_0", "--value", "zero"): 2,
             ("trigger", "decode", "--set", "TestOa", "more"): 2, ("flex", "list", "more"): 2,
             ("trigger", "encode"): 2, ("trigger", "encode", " # nothing"): 2,
             ("flex", "encode", "--counter", "A7", "--event", "4", "more"): 2,
             ("flex", "encode", "A12=eu(eu-active)", "more"): 2, ("flex", "encode", "A12=eu()"): 2,
             ("flex", "encode", "A12=eu(9)"): 3, ("flex",): 2}
    for args, want in cases.items():
        done = subprocess.run([SEXTANT, "oa", *args], capture_output=True, text=True, check=False)
        lines = [line.split(":")[0] for line in done.stderr.splitlines()]
        expect(f"oa {args}: {done.stderr}", (done.returncode, lines), (want, ["error", "because", "try"]))
    for line, needle in (("OACEC0_0: compare=7", "undefined"), ("OASTARTTRIG2: reserved=0x7", "does not name")):
        done = subprocess.run([SEXTANT, "oa", "trigger", "encode", line], capture_output=True, text=True, check=False)
        expect(f"{line}: {done.stderr}", (done.returncode, needle in done.stderr, len(done.stderr.splitlines())),
               (0, True, 1))
    code, doc = run("oa", "flex", "encode", "A12=eu(fpu0-active, coarse=ps)", "--json")
    expect("a definition: encoded", (code, doc["counter"], doc["field"]), (0, "A12", "0x050"))


def main():
    catalog = Catalog(os.path.join(FOLDER, "intel-bdw.yaml"))
    with tempfile.TemporaryDirectory() as folder:
        check_counters(folder)
        check_contexts(folder)
        check_text(folder)
        check_short_formats(folder)
        check_times(folder, (1 << 36) - 1)
        check_times(folder, (1 << 64) - 1)
        check_damage(folder)
        check_identity(folder, catalog)
        check_constants(folder)
        check_oa_clock(folder)
        check_nulls(folder)
        check_definitions(folder)
        check_names(folder)
        check_messages(folder)
        check_sets(folder, catalog)
    check_flex()
    check_plan()
    check_triggers(catalog)
    for failure in failures[:40]:
        print(failure[:600], file=sys.stderr)
    print(f"{len(failures)} failures" if failures else "oa: ok")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
