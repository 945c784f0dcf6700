"""Programs that are held back in known ways get the verdict that is right, N times of N.
usage: test_verdict.py SEXTANT LOADS [TIMES]; without TIMES the short form."""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from command import go_first  # noqa: E402

SEXTANT, LOADS = sys.argv[1:3]
TIMES = int(sys.argv[3]) if len(sys.argv) > 3 else 1
KINDS = {"cpu": 80, "gpu": 80, "turns": 60, "paced": 90, "overlap": 90, "half": 90, "ticks": 90, "close": 90, "starved": 60, "sleeps": 100}
# Of kinds that a timer paces whatever each side does at a tick, what is right; of the others their own name.
RIGHT = {"paced": ("paced",), "overlap": ("paced",), "half": ("paced",), "ticks": ("paced",), "close": ("paced", "unknown"),
         "sleeps": ("starved",)}
CONFIDENCE = 0.6
# Percent of the time without a CPU that a window needs to stay crowded (catalogs/verdict.yaml). A program that waited
# for less than a fifth of that cannot have been crowded in a fifth of its windows, however the waits lie.
KEPT = 18
CALM = KEPT / 5


def judge(kind, frames, device="gl"):
    """The document of one run, and what the program says of its own threads: run and wait, in percent."""
    with tempfile.TemporaryDirectory() as folder:
        result = os.path.join(folder, "stat.json")
        done = subprocess.run([SEXTANT, "stat", "-d", device, "--json", "-o", result, "--", LOADS, kind, str(frames)],
                              capture_output=True, text=True, timeout=300, env=dict(os.environ, LP_NUM_THREADS="1"), preexec_fn=go_first)
        if done.returncode == 77 or "llvmpipe" not in open(result, encoding="utf-8").read():
            print("skipped: this needs Mesa's llvmpipe", done.stderr)
            sys.exit(77)
        assert done.returncode == 0, (done.returncode, done.stderr)
        own = {line.split()[0]: [float(x) for x in line.split()[1:]] for line in done.stdout.splitlines()}
        with open(result, encoding="utf-8") as file:
            return json.load(file), own


def shown(verdict, own):
    return own, [(p["verdict"], round(p["share"], 2), round(p["confidence"], 2),
                  {e["name"]: round(e["value"], 1) for e in p["evidence"]}) for p in verdict["parts"]]


def share_of(verdict, *names):
    return sum(p["share"] for p in verdict["parts"] if p["verdict"] in names)


def check(kind, document, own):
    """What is wrong with the verdict on a program, or nothing. Where the program itself says that it had to wait for
    a CPU, the machine is overloaded, and saying so is right, too, for as long as it may have been; what limits the
    program by itself is less sure then, and frames that come late are no longer paced: work of both sides, one after
    the other, fills the time where ticks are missed."""
    verdict = document["verdict"]
    waited = own["main"][1] + own["raster"][1]
    allowed, excused = RIGHT.get(kind, (kind,)), ("crowded",)
    if kind in RIGHT and waited > CALM:
        allowed = (*allowed, "starved")
    if kind not in ("cpu", "gpu", "paced", "starved", "sleeps"):
        excused = ("crowded", "unknown", "turns")
    crowded = min(share_of(verdict, *excused), waited / KEPT) if waited > CALM else 0
    if share_of(verdict, *allowed) + crowded < 0.8 or \
            abs(share_of(verdict, *[p["verdict"] for p in verdict["parts"]]) - 1) > 1e-6:
        return [f"{kind}: {shown(verdict, own)}"]
    if kind != "starved" and verdict["verdict"] == allowed[0] and waited < CALM and verdict["confidence"] < CONFIDENCE:
        return [f"{kind}: not sure: {shown(verdict, own)}"]
    return check_evidence(kind, document, own)


def check_evidence(kind, document, own):
    """Evidence agrees with the rows of the same report, and with what the program says."""
    first = document["verdict"]["parts"][0]
    values = {e["name"]: e["value"] for e in first["evidence"]}
    rows = {m["name"]: m["mean"] for m in document["metrics"]}
    if first["share"] < 0.999:
        return []
    wrong = []
    if rows.get("gpu_time_share") is not None and "gpu" in values and abs(values["gpu"] - rows["gpu_time_share"]) > 8:
        wrong.append(f"{kind}: gpu {values['gpu']:.1f}, but gpu_time_share {rows['gpu_time_share']:.1f}")
    if "cpu" in values and abs(values["cpu"] - own["main"][0]) > 12:
        wrong.append(f"{kind}: busiest thread {values['cpu']:.1f}, the program says {own['main'][0]:.1f}")
    return wrong


def check_changes():
    """Half of the frames one way, half the other: two verdicts, in this order, and no flicker."""
    document, own = judge("changes", 300)
    stretches = document["verdict"]["stretches"]
    waited = own["main"][1] + own["raster"][1]
    told = [s["verdict"] for s in stretches if s["verdict"] in ("cpu", "gpu")]
    if waited > CALM and "crowded" in [s["verdict"] for s in stretches]:
        return []
    if told != ["cpu", "gpu"] or len(stretches) > 3:
        return [f"changes: {stretches}"]
    return []


def check_crowded():
    """Programs that compute, or have little to do, beside more others than there are CPUs: these wait for a core
    themselves, or what they wait for may; neither lacks work."""
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"], preexec_fn=go_first)
              for _ in range(2 * os.cpu_count())]
    try:
        judged = [judge("cpu", 30), judge("starved", 40, "gl,cpu")]
    finally:
        for other in others:
            other.kill()
            other.wait()
    return [f"crowded: {shown(document['verdict'], own)}" for document, own in judged
            if share_of(document["verdict"], "crowded") < 0.8]


def said_by(stdout):
    """What each of several programs says of its threads: the busiest's first."""
    lines = [line.split() for line in stdout.splitlines() if line.startswith(("main", "raster"))]
    return sorted(([float(x) for x in line[1:]] for line in lines), reverse=True)


def check_programs(order):
    """An idle program beside one that the GPU holds back, the same whichever began first: the verdict is the busy
    one's, by name, live and of the recording, as text, JSON and page."""
    loads = {"paced": "100", "gpu": "110"}
    script = " & ".join(f"{LOADS} {kind} {loads[kind]}" for kind in order) + " & wait"
    with tempfile.TemporaryDirectory() as folder:
        path = lambda name: os.path.join(folder, name)
        run = lambda *args: subprocess.run([SEXTANT, *args], capture_output=True, text=True, timeout=300, check=True,
                                           env=dict(os.environ, LP_NUM_THREADS="1", COLUMNS="80"), preexec_fn=go_first).stdout
        own = said_by(run("stat", "-d", "gl", "--json", "-o", path("stat.json"), "--", "sh", "-c", script))
        with open(path("stat.json"), encoding="utf-8") as file:
            document = json.load(file)
        again = said_by(run("record", "-q", "-d", "gl", "-o", path("a.sxc"), "--", "sh", "-c", script))
        report = json.loads(run("report", path("a.sxc"), "--json"))
        text, page = run("report", path("a.sxc")), path("a.html")
        advice = run("advise", path("a.sxc"))
        run("report", path("a.sxc"), "-o", page)
        with open(page, encoding="utf-8") as file:
            page = file.read()
    wrong = []
    busiest = max(document["devices"][0]["processes"], key=lambda p: p["samples"] == int(loads["gpu"]))
    told = document["verdict"]["process"]
    if told != {"pid": busiest["pid"], "name": busiest["name"], "of": 2}:
        wrong.append(f"{order}: of {told}, not {busiest}")
    heading = "on {name} ({pid}), the busiest of {of} programs".format(**(report["verdict"]["process"] or dict(name="", pid="", of="")))
    for name, said in (("text", text), ("advise", advice), ("page", page)):
        if heading not in said:
            wrong.append(f"{order}: {name} lacks {heading}")
    for verdict, threads in ((document["verdict"], own), (report["verdict"], again)):
        crowded = ("crowded",) if sum(wait for _, wait in threads) > CALM else ()
        if share_of(verdict, "gpu", *crowded) < 0.8:
            wrong.append(f"{order}: {shown(verdict, threads)}")
    return wrong


def main():
    wrong = []
    for kind, frames in KINDS.items():
        found = [line for _ in range(TIMES) for line in check(kind, *judge(kind, frames))]
        print(f"{kind}: {TIMES - len(found)} of {TIMES}", flush=True)
        wrong += found
    found = [line for _ in range(max(TIMES // 5, 1)) for line in check_changes()]
    print(f"changes: {max(TIMES // 5, 1) - len(found)} of {max(TIMES // 5, 1)}")
    wrong += found
    for order in (("paced", "gpu"), ("gpu", "paced")):
        found = [line for _ in range(max(TIMES // 5, 1)) for line in check_programs(order)]
        print(f"{' beside '.join(order)}: {'wrong' if found else 'right'}", flush=True)
        wrong += found
    found = [line for _ in range(max(TIMES // 5, 1)) for line in check_crowded()]
    print(f"crowded: {max(TIMES // 5, 1) - len(found)} of {max(TIMES // 5, 1)}")
    wrong += found
    for line in wrong:
        print(line)
    return 1 if wrong else 0


sys.exit(main())
