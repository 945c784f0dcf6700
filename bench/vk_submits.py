"""What the Vulkan layer adds to a small submission: two threads submit to a queue each, of a made-up device that shares
nothing between them and runs nothing, so that only the layer is left; and one thread to a real one where there is one.
CPU time of a submission, plain and measured in turn, the least of each; and how often a thread had to wait.
Usage: vk_submits.py SEXTANT VK_SCENES FAKE_FOLDER [--runs N] [--submissions N] [--gate-waits SHARE]"""
import argparse
import glob
import json
import os
import re
import subprocess
import sys

SAMPLES = {"commands counted": ["-m", "Draws"], "all": [], "all, each": ["--overhead", "0"],
           "a queue's 100 ms": ["--per", "queue"]}


def run(command, env):
    """CPU microseconds, wall microseconds and waits, of each submission."""
    done = subprocess.run(command, env=dict(os.environ, **env), capture_output=True, text=True, timeout=200, check=False)
    found = re.search(r"(\d+) submissions, (\d+) us of CPU time, (\d+) us, (\d+) waits", done.stdout)
    if not found:
        sys.exit(f"{command}: status {done.returncode}\n{done.stderr}")
    count, *all_of_them = map(int, found.groups())
    return [number / count for number in all_of_them]


def compare(options, case, count, env):
    """Prints a line for each way of measuring. Gives the most waits of a submission."""
    program = [options.scenes, case, str(count)]
    ways = {"plain": program}
    for name, more in SAMPLES.items():
        ways[name] = [options.sextant, "stat", "-d", "vulkan", *more, "-o", os.devnull, "--", *program]
    seen = {name: [] for name in ways}
    for _ in range(options.runs):
        for name, command in ways.items():
            seen[name].append(run(command, env))
    for name, runs in seen.items():
        cpu, wall, waits = (min(numbers) for numbers in zip(*runs))
        print(f"{case}, {name}: {cpu:.2f} us of CPU time, {wall:.2f} us, {waits:.4%} waits", flush=True)
    return max(min(waits for _, _, waits in runs) for name, runs in seen.items() if name != "plain")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sextant")
    parser.add_argument("scenes")
    parser.add_argument("fake", help="the folder of the made-up driver")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--submissions", type=int, default=50000, help="of each thread")
    parser.add_argument("--gate-waits", type=float, default=1.0, help="fail above so many waits a submission")
    options = parser.parse_args()
    below = glob.glob("/usr/share/vulkan/icd.d/lvp_icd*.json")
    if not below:
        return 77
    with open(below[0], encoding="utf-8") as file:
        library = json.load(file)["ICD"]["library_path"]
    driver = os.path.join(options.fake, "fake_perf.json")
    env = {"VK_DRIVER_FILES": driver, "VK_ICD_FILENAMES": driver, "FAKE_BELOW": library, "FAKE_MACHINE": "1",
           "FAKE_IDLE": "0"}
    waits = compare(options, "submits-apart", options.submissions, env)
    compare(options, "submits", options.submissions // 10, {})
    return 1 if waits > options.gate_waits else 0


if __name__ == "__main__":
    sys.exit(main())
