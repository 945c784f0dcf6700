#!/usr/bin/env python3
"""Runs a page of docs/ (the tutorial): every command in its blocks, in order, in one folder. What the page shows of
an output must still be there, numbers aside, and the hot frame that it finds must be the hottest. The jobs of a page
for CI are run as well, each step as it stands; what installs packages and builds the program is left out."""
import csv
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here / "html"))
import page_reader  # noqa: E402
import xvfb  # noqa: E402
from command import go_first  # noqa: E402

sextant = pathlib.Path(sys.argv[1]).resolve()
page = here.parent.parent / "docs" / (sys.argv[2] if len(sys.argv) > 2 else "tutorial.md")


def blocks():
    """Pairs of a command and the lines that the page shows below it."""
    for block in re.findall(r"```console\n(.*?)```", page.read_text(), re.S):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, *shown = part.splitlines()
            yield command, [line for line in shown if line.strip()]


def stable(text):
    """The words of a line that do not depend on the machine and its load: names, headings, units aside."""
    return [word for word in re.findall(r"\b[A-Za-z_]{4,}\b", text)
            if word not in ("llvmpipe", "LLVM", "bits", "verdict", "serialised", "confidence", "high", "slowest",
                            "stutters")]


def check_output(command, shown, output):
    words = set(stable(output))
    for line in shown:
        missing = [word for word in stable(line) if word not in words]
        assert not missing, f"{command}\nno longer shows {missing} of {line!r}\n{output}"


def run_command(command, folder, env):
    return subprocess.run(command, shell=True, cwd=folder, env=env, text=True, timeout=120,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def is_in_time(command, folder, env):
    """The page cuts by times of its first recording, and compares the parts. A machine that takes seconds to start
    glmark2, or to draw a frame, has other times; one that switches threads often has few frames of known GPU time."""
    if "record -o scene.sxc" not in command:
        return True
    told = run_command("sextant export scene.sxc -m frame_time,gpu_time,cpu_busy --csv", folder, env).stdout
    rows = list(csv.DictReader(told.splitlines()))
    first = min(int(row["begin_ns"]) for row in rows)
    # Of fewer than 20 on either side nothing can be said.
    for metric, least in (("frame_time (s)", 40), ("gpu_time (s)", 25)):
        frames = [int(row["begin_ns"]) - first for row in rows if row.get(metric)]
        if sum(at < 1.9e9 for at in frames) <= least or sum(at > 2.6e9 for at in frames) <= least:
            return False
    return True


def run_page(folder, env):
    outputs = {}
    for command, shown in blocks():
        assert re.match(r"([A-Z_]+=\w+ )*sextant ", command), command
        done = run_command(command, folder, env)
        for _ in range(4):  # glmark2 itself, on a busy machine
            if "Could not initialize canvas" not in done.stdout and is_in_time(command, folder, env):
                break
            done = run_command(command, folder, env)
        assert done.returncode == 0, f"{command}: exit {done.returncode}\n{done.stdout}"
        check_output(command, shown, done.stdout)
        outputs[command] = done.stdout
    return outputs


def write_files(folder):
    """Files that the page shows: text blocks whose first line names one."""
    for name, content in re.findall(r"```text\n(# (?:\w+/)*[\w.]+): [^\n]*\n(.*?)```", page.read_text(), re.S):
        path = folder / name[2:]
        path.parent.mkdir(exist_ok=True)
        path.write_text(content)


def jobs():
    """Of each job of the page: its variables and steps."""
    import yaml
    for block in re.findall(r"```yaml\n(.*?)```", page.read_text(), re.S):
        document = yaml.safe_load(block)
        for name, job in document.get("jobs", document).items():
            steps = job.get("script") or [step["run"] for step in job["steps"] if "run" in step]
            yield name, job.get("env") or job.get("variables") or {}, steps


def run_job(job, folder, env):
    """Exit statuses and outputs of the steps."""
    _, variables, steps = job
    own = dict(env, GITHUB_STEP_SUMMARY=str(folder / "summary"), **{k: str(v) for k, v in variables.items()})
    for step in steps:
        if step.startswith(("apt-get ", "meson ")):
            continue
        for _ in range(4):
            done = run_command(step, folder, own)
            # xvfb-run's server begins anew when its last client goes, and refuses who connects meanwhile.
            if "xvfb-run: error" not in done.stdout and "Could not initialize canvas" not in done.stdout:
                break
        yield step, done


def run_jobs(folder, env):
    """In turn, with a program of ours as theirs: it passes as it was, and fails where it has more to do."""
    found = list(jobs())
    (folder / "build").mkdir()

    def build(name, command):
        program = folder / "build" / name
        program.write_text(f"#!/bin/sh\nexec {command}\n")
        program.chmod(0o755)
    build("scene", "glmark2 -b build:duration=1 --size 320x240")
    build("cube", "vkcube --c 60")
    for job in found:
        ran = list(run_job(job, folder, env))
        assert len(ran) >= 2, job
        for step, done in ran:
            assert done.returncode == 0, f"{job[0]}: {step}: exit {done.returncode}\n{done.stdout}"
    assert "Performance" in (folder / "summary").read_text()
    build("scene", "glmark2 -b shadow:duration=1 --size 320x240")  # the same model, drawn twice
    failed = {step: done.returncode for step, done in run_job(found[0], folder, env) if done.returncode}
    assert list(failed.values()) == [6] and "--gates" in list(failed)[0], failed
    return len(found)


def check_hot_frame(folder, outputs):
    with open(folder / "scene.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    hottest = max(rows, key=lambda row: float(row["gpu_time (s)"] or 0))
    table = next(text for command, text in outputs.items() if "--by frame" in command)
    first = next(line for line in table.splitlines() if re.match(r"\d+ +\d+ +[\d.]+ (us|ms|s) ", line))
    number = [hottest["frame"], hottest["context"]]
    assert first.split()[:2] == number, f"{first!r} is not frame {number[0]} of context {number[1]}"


def check_page(folder):
    """The page is whole, and its charts have every frame of the recording."""
    page = page_reader.Page((folder / "scene.html").read_text(encoding="utf-8"))
    with open(folder / "scene.csv", newline="") as file:
        frames = sum(1 for _ in csv.DictReader(file))
    layout, _, rows = page.course(0)
    assert layout["count"] == frames and rows, (layout["count"], frames)


def main():
    go_first()
    for program in ("glmark2", "vkcube") if page.name == "ci.md" else ("glmark2",):
        if not shutil.which(program):
            print(f"cannot run here: no {program}")
            return 77
    folder = pathlib.Path(tempfile.mkdtemp(prefix="sextant-tutorial-"))
    try:
        with xvfb.Display() as display:
            if not display.name:
                print("cannot run here: no Xvfb")
                return 77
            env = dict(display.environment(), COLUMNS="80",
                       PATH=f"{sextant.parent}:{os.environ['PATH']}")
            if len(os.sched_getaffinity(0)) == 1:  # llvmpipe would have no threads of its own, hence no GPU time
                env["LP_NUM_THREADS"] = "1"
            write_files(folder)
            outputs = run_page(folder, env)
            if page.name == "tutorial.md":
                check_hot_frame(folder, outputs)
                check_page(folder)
            if page.name == "ci.md":
                print(f"{run_jobs(folder, env)} jobs")
            print(f"{len(outputs)} commands")
    finally:
        shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
