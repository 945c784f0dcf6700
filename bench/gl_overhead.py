"""What measuring costs: glmark2's score with and without `sextant stat`, in turn, as a ratio of
medians. Usage: gl_overhead.py SEXTANT [--runs N] [--duration S] [--size WxH] [--gate RATIO]
In short: --runs 2 --duration 0.5 --scenes build. A spread near the distance of the ratio from 1 says that
the machine was busy with something else: measure again."""
import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tests/e2e/gl"))
import xvfb


def score(command, env):
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=600)
    found = re.search(r"glmark2 Score: (\d+)", done.stdout)
    if done.returncode > 1 or not found:
        sys.exit(f"{' '.join(command)}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return int(found.group(1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sextant")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--duration", type=float, default=2.0, help="seconds for each scene")
    parser.add_argument("--size", default="800x600")
    parser.add_argument("--scenes", default="build,shading,texture")
    parser.add_argument("--gate", type=float, default=0.0, help="fail below this ratio")
    options = parser.parse_args()
    if not shutil.which("glmark2"):
        return 77
    bench = ["glmark2", "--size", options.size]
    for scene in options.scenes.split(","):
        bench += ["-b", f"{scene}:duration={options.duration}"]
    stat = [options.sextant, "stat", "-d", "gl", "-o", os.devnull, "--"]
    alone, measured = [], []
    with xvfb.Display() as display:
        if not display.name:
            return 77
        env = display.environment()
        score(["glmark2", "--size", options.size, "-b", "build:duration=1"], env)  # warm caches
        for run in range(options.runs):
            first = run % 2  # neither side always comes first
            for side in (first, 1 - first):
                (measured if side else alone).append(score((stat if side else []) + bench, env))
            print(f"run {run + 1}: {alone[-1]} without, {measured[-1]} with", flush=True)
    ratio = statistics.median(measured) / statistics.median(alone)
    pairs = statistics.median(with_it / without for with_it, without in zip(measured, alone))
    spread = (max(alone) - min(alone)) / statistics.median(alone)
    print(f"glmark2 score: {statistics.median(alone):g} without, {statistics.median(measured):g} with; "
          f"ratio {ratio:.3f}; median of the runs' own ratios {pairs:.3f}; spread of the runs without {spread:.1%}")
    return 1 if ratio < options.gate else 0


if __name__ == "__main__":
    sys.exit(main())
