#!/usr/bin/env python3
"""Checks the Intel catalogs without the C code: counts, references, registers, evaluation.

usage: check_intel.py CATALOG_FOLDER
"""
import os
import random
import re
import sys

try:
    import yaml
except ImportError:
    print("python3-yaml is missing", file=sys.stderr)
    sys.exit(77)
from intel_eval import Catalog, run

# uuid, counters, mux writes (all programs together), boolean writes, flex writes: facts of oa-bdw.xml.
SETS = {
    "RenderBasic": ("b541bd57-0e0f-4154-b4c0-5858010a2bf7", 52, 219, 5, 7),
    "ComputeBasic": ("35fbc9b2-a891-40a6-a38d-022bb7057552", 39, 182, 5, 7),
    "RenderPipeProfile": ("233d0544-fff7-4281-8291-e02f222aff72", 44, 111, 21, 7),
    "MemoryReads": ("2b255d48-2117-4fef-a8f7-f151e1d25a2c", 42, 50, 28, 7),
    "MemoryWrites": ("f7fd3220-b466-4a4d-9f98-b0caf3f2394c", 41, 49, 28, 7),
    "ComputeExtended": ("e99ccaca-821c-4df9-97a7-96bdb7204e43", 38, 648, 21, 7),
    "ComputeL3Cache": ("27a364dc-8225-4ecb-b607-d6f1925598d9", 58, 107, 13, 7),
    "DataPortReadsCoalescing": ("857fc630-2f09-4804-85f1-084adfadd5ab", 35, 114, 24, 7),
    "DataPortWritesCoalescing": ("343ebc99-4a55-414c-8c17-d8e259cf5e20", 38, 110, 24, 7),
    "HDCAndSF": ("78490af2-10fa-430b-ae3c-94ec04d5214e", 43, 99, 8, 7),
    "L3_1": ("c0abdd97-3b13-4cad-814c-bd178804e02c", 40, 92, 22, 7),
    "L3_2": ("ad665281-a7cf-483a-bd10-0e07c43f61c7", 40, 79, 22, 7),
    "L3_3": ("930a15aa-4300-4fce-a9ba-edb0b9e880be", 40, 95, 22, 7),
    "L3_4": ("d7793b26-b5e3-4f0f-ad78-7ebc9d0b4c7d", 40, 94, 22, 7),
    "RasterizerAndPixelBackend": ("da0f7875-1143-4d73-a39c-9128a951c46a", 46, 115, 18, 7),
    "Sampler_1": ("52c186e4-39e3-4534-87cd-41bd47763df9", 42, 127, 12, 7),
    "Sampler_2": ("edcb8c31-764d-451a-9ecd-c9c89fb54f8d", 42, 115, 12, 7),
    "TDL_1": ("729fc3f4-ccff-4902-be6b-f1a22cc92c02", 48, 152, 18, 7),
    "TDL_2": ("29598975-4785-43ab-a981-1dfa58d0e835", 48, 156, 18, 7),
    "ComputeExtra": ("8fb61ba2-2fbb-454c-a136-2dec5a8a595e", 5, 93, 6, 7),
    "VMEPipe": ("e1743ca0-7fc8-410b-a066-de7bbb9280b7", 10, 87, 17, 2),
    "GpuBusyness": ("0a9eb7be-feee-4275-a139-6d9cedf0fdb0", 9, 39, 7, 0),
    "TestOa": ("d6de6f55-e526-4f79-a6a6-d7315c09044e", 12, 14, 22, 0),
    "STC_PmaStall": ("e713f347-953e-4d8c-b02f-6be31df2db2b", 11, 34, 7, 0),
}
# What the kernel lets user space write on Gen8.
ALLOWED = {
    "mux": [(0x91B8, 0x91CC), (0x9800, 0x9888), (0xE180, 0xE180), (0x0D00, 0x0D2C), (0x20CC, 0x20CC)],
    "boolean": [(0x2710, 0x272C), (0x2740, 0x275C), (0x2770, 0x27AC)],
    "flex": [(a, a) for a in (0xE458, 0xE558, 0xE658, 0xE758, 0xE45C, 0xE55C, 0xE65C)],
}
GT3 = {"EuCoresTotalCount": 48, "EuSlicesTotalCount": 2, "EuSubslicesTotalCount": 6, "EuThreadsCount": 7,
       "GpuMinFrequency": 300000000, "GpuMaxFrequency": 1000000000, "SliceMask": 3, "SubsliceMask": 0x3F}

failures = []


def expect(what, got, want):
    if got != want:
        failures.append(f"{what}: {got!r}, expected {want!r}")


def check_programs(name, programs, constants):
    counts = {"mux": 0, "boolean": 0, "flex": 0}
    order = [p["priority"] for p in programs if p["kind"] == "mux"]
    expect(f"{name}: priorities in order", order, sorted(order))
    for program in programs:
        kind = program["kind"]
        for write in program["writes"].split():
            match = re.fullmatch(r"([0-9A-F]+):([0-9A-F]{8})", write)
            if not match:
                failures.append(f"{name}: bad write {write}")
                continue
            address = int(match[1], 16)
            counts[kind] += 1
            if not any(low <= address <= high for low, high in ALLOWED[kind]):
                failures.append(f"{name}: the kernel refuses {kind} address {address:#x}")
            if kind == "flex" and int(match[2], 16) >> 24:
                failures.append(f"{name}: flex value {match[2]} has high bits")
        if "when" in program:
            run(program["when"], lambda n, _: constants[n])
    return counts["mux"], counts["boolean"], counts["flex"]


def check_bdw(folder):
    catalog = Catalog(os.path.join(folder, "intel-bdw.yaml"))
    doc = catalog.doc
    expect("bdw: sets in order", [g["name"] for g in doc["groups"]], list(SETS))
    expect("bdw: memberships", sum(len(s) for s in catalog.sets.values()), 863)
    expect("bdw: symbols", len({m["name"] for m in doc["metrics"]}), 253)
    expect("bdw: counters", [(c["name"], c["bits"]) for c in doc["counters"]],
           [("GPU_TIME", 32), ("GPU_CLOCK", 32)]
           + [(f"A{i}", 40 if i < 32 else 32) for i in range(36)]
           + [(f"B{i}", 32) for i in range(8)] + [(f"C{i}", 32) for i in range(8)]
           + [("PERFCNT0", 44), ("PERFCNT1", 44)])
    random.seed(1)
    for group in doc["groups"]:
        name = group["name"]
        uuid, metrics, *registers = SETS[name]
        expect(f"{name}: uuid", group["uuid"], uuid)
        expect(f"{name}: metrics", len(catalog.sets[name]), metrics)
        expect(f"{name}: registers", check_programs(name, group["programs"], GT3), tuple(registers))
        counters = {c["name"]: random.getrandbits(c["bits"]) for c in doc["counters"]}
        values = catalog.evaluate(name, counters, GT3)
        catalog.evaluate(name, counters, GT3, "max")
        # A difference below zero is no data; where all counters are equal there is none.
        again = catalog.evaluate(name, dict.fromkeys(counters, 1000), GT3)
        expect(f"{name}: metrics without a value",
               [n for n, v in values.items() if v is None and again[n] is None], [])
        empty = catalog.evaluate(name, {}, GT3)
        expect(f"{name}: values out of nothing", [n for n, v in empty.items() if v is not None], [])
        for metric in catalog.sets[name]:
            catalog.exists(name, metric, GT3)
    # Hand-made: 12.5e6 ticks are a second, 900e6 clocks in it, one EU of 24 always active.
    gt2 = {**GT3, "EuCoresTotalCount": 24, "SliceMask": 1, "SubsliceMask": 7}
    row = catalog.evaluate("RenderBasic", {"GPU_TIME": 12500000, "GPU_CLOCK": 900000000, "A7": 900000000}, gt2)
    expect("GpuTime", row["GpuTime"], 1000000000)
    expect("AvgGpuCoreFrequency", row["AvgGpuCoreFrequency"], 900000000)
    expect("EuActive", row["EuActive"], 100 * 37500000 / 900000000)
    expect("GpuBusy", row["GpuBusy"], None)
    day = catalog.evaluate("RenderBasic", {"GPU_TIME": 12500000 * 86400}, gt2)["GpuTime"]
    expect("a day: the product needs more than 64 bits", day, 86400 * 10**9)
    expect("GT2 has no slice 1", catalog.exists("L3_1", "L31Bank0Stalled", gt2), False)
    vme = catalog.evaluate("VMEPipe", {"GPU_CLOCK": 1000, "B0": 1, "B3": 2}, gt2)["VMEBusy"]
    expect("half a count survives UMUL", vme, 0.15)


def check_merrifield(folder):
    with open(os.path.join(folder, "intel-merrifield.yaml"), encoding="utf-8") as file:
        doc = yaml.safe_load(file)
    sizes = {}
    for counter in doc["counters"]:
        expect(f"{counter['name']}: slot", counter["slot"], sizes.get(counter["group"], 0))
        sizes[counter["group"]] = counter["slot"] + 1
    expect("merrifield: groups", list(sizes.items()), [
        ("UNC_SOC_Memory_DDR_BW", 5), ("UNC_SOC_DDR_Self_Refresh", 5), ("UNC_SOC_All_Reqs", 6),
        ("UNC_SOC_Module0_BW", 7), ("UNC_SOC_Module0_Snoops", 3), ("UNC_SOC_Graphics_BW", 7),
        ("UNC_SOC_Display_BW", 7), ("UNC_SOC_Imaging_BW", 7), ("UNC_SOC_LowSpeedPF_BW", 7)])
    events = [c for c in doc["counters"] if c["name"] != "Clock_Counter"]
    expect("merrifield: events", len(events), 45)
    expect("merrifield: clocks", len(doc["counters"]) - len(events), 9)
    for counter in doc["counters"]:
        if "-" in counter["name"]:
            expect(counter["name"], counter.get("aliases"), [counter["name"].replace("-", "_")])
    for metric in doc["metrics"]:
        group = metric["groups"][0]
        names = {n for c in doc["counters"] if c["group"] == group for n in [c["name"], *c.get("aliases", [])]}
        names |= {m["name"] for m in doc["metrics"] if m["groups"] == [group]}
        names |= {"seconds", "base_dram_hz", "max"}
        used = set(re.findall(r"[A-Za-z_]\w*", re.sub(r"\b\d[\d.e]*", "", metric["expr"])))
        expect(f"{group}.{metric['name']}: unknown names", used - names, set())
        if metric["unit"] == "MB/s" and "seconds" in used:
            expect(f"{group}.{metric['name']} ends in 1e6", metric["expr"].endswith("/ seconds / 1e6"), True)


def check_common(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    doc = yaml.safe_load(text)
    metrics = {m["name"] for m in doc["metrics"]}
    groups = {g["name"] for g in doc["groups"]}
    constants = {c["name"] for c in doc["constants"]}
    for metric in doc["metrics"]:
        expect(f"{metric['name']}: unknown groups", set(metric["groups"]) - groups, set())
    for item in doc["metrics"] + doc["counters"] + doc["constants"] + doc["blocks"]:
        if not 10 <= len(item["description"]) <= 200:
            failures.append(f"{item['name']}: description of {len(item['description'])} characters")
    for rule in doc["advice"]:
        if "when" not in rule:
            continue
        names = re.findall(r"[A-Z][\w.]*", rule["when"])
        short = {n.rsplit(".", 1)[-1] for n in names}
        expect(f"{rule['rule']}: unknown names", short - metrics - constants, set())
        expect(f"{rule['rule']}: its metric", rule["metric"].rsplit(".", 1)[-1] in metrics, True)


def main():
    folder = sys.argv[1]
    check_bdw(folder)
    check_merrifield(folder)
    for name in ("intel-bdw", "intel-merrifield"):
        check_common(os.path.join(folder, f"{name}.yaml"))
    for failure in failures:
        print(failure, file=sys.stderr)
    print(f"{len(failures)} failures" if failures else "intel catalogs: ok")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
