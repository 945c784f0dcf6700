"""Programs that are held back in known ways get the verdict that is right, N times of N.
usage: test_verdict.py SEXTANT LOADS [TIMES]; without TIMES the short form."""
import json
import os
import subprocess
import sys
import tempfile

SEXTANT, LOADS = sys.argv[1:3]
TIMES = int(sys.argv[3]) if len(sys.argv) > 3 else 1
KINDS = {"cpu": 80, "gpu": 80, "turns": 60, "paced": 90, "starved": 60}
CONFIDENCE = 0.6


def judge(kind, frames, *options):
    """The document of one run."""
    with tempfile.TemporaryDirectory() as folder:
        result = os.path.join(folder, "stat.json")
        done = subprocess.run([SEXTANT, "stat", "-d", "gl", "--json", "-o", result, *options, "--", LOADS, kind,
                               str(frames)], capture_output=True, text=True, timeout=300,
                              env=dict(os.environ, LP_NUM_THREADS="1"))
        if done.returncode == 77 or "llvmpipe" not in open(result, encoding="utf-8").read():
            print("skipped: this needs Mesa's llvmpipe", done.stderr)
            sys.exit(77)
        assert done.returncode == 0, (done.returncode, done.stderr)
        with open(result, encoding="utf-8") as file:
            return json.load(file)


def check(kind, document):
    """What is wrong with the verdict on a program, or nothing."""
    verdict = document["verdict"]
    first = verdict["parts"][0]
    if verdict["verdict"] != kind or first["share"] < 0.8 or verdict["confidence"] < CONFIDENCE:
        shown = [(p["verdict"], round(p["share"], 2), round(p["confidence"], 2),
                  {e["name"]: round(e["value"], 1) for e in p["evidence"]}) for p in verdict["parts"]]
        return [f"{kind}: {shown}"]
    if abs(sum(p["share"] for p in verdict["parts"]) - 1) > 1e-6:
        return [f"{kind}: shares do not add up"]
    return []


def check_changes():
    """Half of the frames one way, half the other: two verdicts, in this order, and no flicker."""
    stretches = judge("changes", 300)["verdict"]["stretches"]
    told = [s["verdict"] for s in stretches if s["verdict"] in ("cpu", "gpu")]
    if told != ["cpu", "gpu"] or len(stretches) > 3:
        return [f"changes: {stretches}"]
    return []


def main():
    wrong = []
    for kind, frames in KINDS.items():
        found = [line for _ in range(TIMES) for line in check(kind, judge(kind, frames))]
        print(f"{kind}: {TIMES - len(found)} of {TIMES}", flush=True)
        wrong += found
    found = [line for _ in range(max(TIMES // 5, 1)) for line in check_changes()]
    print(f"changes: {max(TIMES // 5, 1) - len(found)} of {max(TIMES // 5, 1)}")
    wrong += found
    for line in wrong:
        print(line)
    return 1 if wrong else 0


sys.exit(main())
