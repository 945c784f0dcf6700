"""Simulated captures of Mali, Intel and AMD beside what a program's frames tell: imported, merged, and the verdict of
the report, which is to be right whatever vendor's counters say it. usage: test_vendors.py SEXTANT [TIMES]"""
import csv
import json
import os
import random
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from command import Command  # noqa: E402

SEXTANT = sys.argv[1]
TIMES = int(sys.argv[2]) if len(sys.argv) > 2 else 1
SHARE = 0.8  # of the time, at least: what comes by chance looks even for a while
HZ, PEAK, SLICE, LENGTH = 8e8, 12800.0, 50_000_000, 4_000_000_000
# Shares of time: of the GPU, the busiest thread, that thread's waits, memory's peak; and frames in ms, evenness.
SCENES = {
    "cpu": (0.35, 0.95, 0.02, 0.1, 12, 0.1),
    "gpu": (0.97, 0.30, 0.01, 0.3, 22, 0.1),
    "turns": (0.52, 0.46, 0.01, 0.2, 20, 0.1),
    "paced": (0.35, 0.25, 0.01, 0.1, 16.7, 0.02),
    "starved": (0.05, 0.08, 0.01, 0.02, 30, None),
    "bandwidth": (0.95, 0.30, 0.01, 0.92, 30, 0.1),
    "throttled": (0.95, 0.30, 0.01, 0.30, 30, 0.1),
    "crowded": (0.35, 0.55, 0.40, 0.1, 20, 0.1),
}


def mali(gpu, memory, ns):
    return {"MaliGPUCyclesGPUActive": gpu * HZ * ns / 1e9, "MaliExternalBusBeatsReadBeats": 0.6 * memory * ns / 16,
            "MaliExternalBusBeatsWriteBeats": 0.4 * memory * ns / 16, "MaliExternalBusStallCyclesReadStall": 0,
            "MaliExternalBusStallCyclesWriteStall": 0}


def intel(gpu, memory, ns):
    return {"GPU_CLOCK": HZ * ns / 1e9, "A0": gpu * HZ * ns / 1e9, "C6": 0.6 * memory * ns / 64,
            "C7": 0.4 * memory * ns / 64}


def amd(gpu, memory, ns):
    """Its counters of graphics do not tell traffic; those of kernels tell how long writes were held back."""
    active = gpu * HZ * ns / 1e9
    stalls = {f"TCC[{i}].MC_WRREQ_STALL": active * (0.75 if memory > 0.8 * PEAK * 1e-3 else 0.1) * (1 if i == 5 else 0.6) for i in range(16)}
    return {"GRBM.COUNT": HZ * ns / 1e9, "GRBM.GUI_ACTIVE": active, **stalls}


def kernel(throttled):
    """What the kernel's driver tells of the same GPU: with its clock, as cycles over the highest one are a bound."""
    return {"Clock": HZ, "Throttled": 100 if throttled else 0, "ThrottledThermal": 100 if throttled else 0, "Temperature": 97 if throttled else 55}


PEAKS = [f"--const=memory_bandwidth_peak={PEAK:g}"]
VENDORS = {"mali-g625": (mali, PEAKS + [f"--const=gpu_max_clock_hz={HZ:g}", "--const=MaliConstantsBusWidthBits=128",
                                        "--const=MaliConstantsL2SliceCount=1"]),
           "intel-bdw": (intel, PEAKS + ["--set", "RenderBasic"]), "amd-gcn3": (amd, [])}


def run(*args):
    return Command(SEXTANT)(*args, code=0).stdout


def write(path, rows):
    with open(path, "w", encoding="ascii", newline="") as file:
        out = csv.DictWriter(file, rows[0].keys())
        out.writeheader()
        out.writerows(rows)


def simulate(folder, vendor, scene, seed):
    """The verdict on one scene."""
    chance = random.Random(seed)
    gpu, cpu, wait, memory, frame_ms, jitter = SCENES[scene]
    noisy = lambda value: value * chance.uniform(0.96, 1.04)
    fill, options = VENDORS[vendor]
    frames, slices, told, at = [], [], [], 0
    while at < LENGTH:
        length = frame_ms * 1e6 * (chance.uniform(1 - jitter, 1 + jitter) if jitter else chance.expovariate(1) + 0.01)
        frames.append({"begin_ns": at, "end_ns": at + round(length), "frame": len(frames), "Frames": 1, "FrameTime": round(length),
                       "ThreadTime": round(noisy(cpu) * length), "ThreadWait": round(noisy(wait) * length)})
        at += round(length)
    for at in range(0, LENGTH, SLICE):
        values = fill(min(noisy(gpu), 1), noisy(memory) * PEAK * 1e-3, SLICE)
        slices.append({"begin_ns": at, "end_ns": at + SLICE, **{k: round(v) for k, v in values.items()}})
        told.append({"begin_ns": at, "end_ns": at + SLICE, **kernel(scene == "throttled")})
    paths = [os.path.join(folder, name) for name in ("gl.csv", "gpu.csv", "gl.sxc", "gpu.sxc", "all.sxc", "drm.csv", "drm.sxc")]
    write(paths[0], frames)
    write(paths[1], slices)
    write(paths[5], told)
    run("import", paths[0], "--as", "sextant-csv", "--for", "opengl", "-o", paths[2])
    kind = [] if vendor.startswith("mali") else ["--as", "sextant-csv"]
    run("import", paths[1], *kind, "--for", vendor, "-o", paths[3])
    run("import", paths[5], "--as", "sextant-csv", "--for", "drm", "-o", paths[6])
    run("capture", "merge", "--offset=0s", paths[2], paths[3], paths[6], "-o", paths[4])  # all count from one moment
    verdict = json.loads(run("report", paths[4], "--json", *options))["verdict"]
    if not seed:
        check_views(paths[4], options, verdict)
    return verdict


def bare(verdict):
    """Without the numbers of devices, which are those of the view."""
    return [(p["verdict"], p["share"], p["confidence"], [(e["name"], e["value"]) for e in p["evidence"]])
            for p in verdict["parts"]]


def check_views(path, options, verdict):
    """It is of everything that was measured, whatever is shown, and stands alone among the findings."""
    for view in (["-m", "frames_per_second"], ["--join"], ["-m", "frames_per_second", "--join"]):
        document = json.loads(run("report", path, "--json", *options, *view))
        assert bare(document["verdict"]) == bare(verdict), (view, bare(document["verdict"]), bare(verdict))
    assert json.loads(run("advise", path, "--json", *[o for o in options if o != "-d"]))["verdict"] == verdict


def main():
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        for vendor in VENDORS:
            for scene in SCENES:
                for seed in range(TIMES):
                    verdict = simulate(folder, vendor, scene, seed)
                    if verdict["verdict"] != scene or verdict["share"] < SHARE:
                        wrong.append((vendor, scene, seed, [(p["verdict"], p["share"], p["because"], p["evidence"])
                                                            for p in verdict["parts"]]))
    for line in wrong:
        print(*line)
    print(f"{len(wrong)} wrong")
    return 1 if wrong else 0


sys.exit(main())
