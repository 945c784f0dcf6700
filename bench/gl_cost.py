"""What measuring costs in CPU time, for each frame: a program plain and measured, both at once, so that whatever
else the machine does hits both alike; and what the command takes beside it. Usage: gl_cost.py SEXTANT [--runs N]
[--alternate] [--cpu N] [--gate RATIO] [--options '-m x'] [--device D] [PROGRAM...]
With --alternate one after the other, in turn, N of each (9 unless told): the ratio is that of the least of each, which on
a machine without other work says more. With --cpu programs and command run on that CPU alone: of programs that run at once
each then has the same neighbours, which on a busy machine leaves a tenth of the noise. With --gate it fails above such a ratio.
A PROGRAM is a command whose number of frames is known: nframes=N stands in it (glmark2), num-buffers=N (GStreamer),
--frames=N (mpv) or --c N (vkcube), or it says every so often how many it drew ('N frames in'), and then it is measured
from the first to the fourth of these lines, and ended.
Without one: glxgears, and six scenes of glmark2 with 600 frames each."""
import argparse
import os
import re
import resource
import shlex
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tests/e2e"))
import xvfb

LINES = 4
FRAMES = r"(?:\bnframes=|\bnum-buffers=|--frames=|--c )(\d+)"  # of glmark2, GStreamer, mpv, vkcube
SCENES = ("build", "texture", "shading", "bump", "effect2d", "terrain")


def seconds(who):
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


def cpu_clock(pid):
    """CPU seconds of a process that runs; the kernel's number of its clock is made of its own."""
    return time.clock_gettime(~pid << 3 | 2)


def inner(output, command):
    """Between the command and the program: notes the program's CPU seconds, its frames, and what both took."""
    frames = sum(int(n) for n in re.findall(FRAMES, " ".join(command)))
    said = []  # frames, and the CPU time when they were said
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            match = re.search(r"(\d+) frames in", line)
            if match and process.poll() is None:
                said.append((int(match.group(1)), cpu_clock(process.pid)))
            if len(said) == LINES and not frames:
                process.terminate()
    cpu = seconds(resource.RUSAGE_CHILDREN)
    if not frames and len(said) > 1:
        frames, cpu = sum(n for n, _ in said[1:]), said[-1][1] - said[0][1]
    with open(output, "w", encoding="utf-8") as file:
        print(cpu, frames, seconds(resource.RUSAGE_CHILDREN) + seconds(resource.RUSAGE_SELF), file=file)
    return 0


class Run:
    def __init__(self, prefix, command, env, folder):
        self.note = tempfile.mktemp(dir=folder)
        self.command = command
        self.process = subprocess.Popen([*prefix, sys.executable, __file__, "--inner", self.note, "--", *command],
                                        env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def end(self):
        """CPU seconds of each frame, and the command's share of what the program took."""
        errors = self.process.stderr.read()
        _, status, usage = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        if self.process.returncode:
            sys.exit(f"{self.command}: status {self.process.returncode}\n{errors}")
        with open(self.note, encoding="utf-8") as file:
            cpu, frames, both = (float(word) for word in file.read().split())
        if not frames:
            sys.exit(f"{self.command}: nobody knows how many frames it drew")
        return cpu / frames, (usage.ru_utime + usage.ru_stime - both) / both


def run_both(program, options, env, folder):
    """CPU seconds of a frame in each run, plain and measured; and the command's shares."""
    command = shlex.split(program)
    stat = [options.sextant, "stat", "-d", options.device, "-o", os.devnull, *shlex.split(options.options), "--"]
    plain, measured, shares = [], [], []
    for turn in range(options.runs):
        runs, ends = {}, {}
        for side in (turn % 2, 1 - turn % 2):  # neither side always comes first
            runs[side] = Run(stat if side else [], command, env, folder)
            if options.alternate:
                ends[side] = runs[side].end()
        ends = ends or {side: run.end() for side, run in runs.items()}
        plain.append(ends[0][0])
        measured.append(ends[1][0])
        shares.append(ends[1][1])
    return plain, measured, shares


def compare(program, options, env, folder):
    """Prints what measuring a program costs. Gives the ratio."""
    plain, measured, shares = run_both(program, options, env, folder)
    choose, word = (min, "at least ") if options.alternate else (statistics.mean, "")
    if options.alternate:
        ratio, error = min(measured) / min(plain), f"of the least of {options.runs} each in turn"
    else:
        ratios = [a / b for a, b in zip(measured, plain)]
        ratio = statistics.mean(ratios)
        spread = statistics.stdev(ratios) / len(ratios) ** 0.5 if len(ratios) > 1 else float("nan")
        error = f"+- {spread:.3f}"
    print(f"{program}: {word}{choose(plain) * 1e6:.1f} us plain, {choose(measured) * 1e6:.1f} us measured, "
          f"ratio {ratio:.3f} {error}; the command {min(shares):.1%} of that", flush=True)
    return ratio


def main():
    if sys.argv[1:2] == ["--inner"]:
        return inner(sys.argv[2], sys.argv[4:])
    parser = argparse.ArgumentParser()
    parser.add_argument("sextant")
    parser.add_argument("programs", nargs="*")
    parser.add_argument("--runs", type=int, help="of each; 3, with --alternate 9")
    parser.add_argument("--alternate", action="store_true", help="in turn, not at once; the least of each counts")
    parser.add_argument("--cpu", type=int, help="run all but the display there")
    parser.add_argument("--gate", type=float, default=float("inf"), help="fail above this ratio")
    parser.add_argument("--options", default="")
    parser.add_argument("--device", default="gl")
    options = parser.parse_intermixed_args()
    options.runs = options.runs or (9 if options.alternate else 3)
    programs = options.programs or ["glxgears"] + [
        f"glmark2 -s 640x480 -b {scene}:nframes=600" for scene in SCENES]
    with xvfb.Display() as display, tempfile.TemporaryDirectory() as folder:
        if not display.name:
            return 77
        if options.cpu is not None:
            os.sched_setaffinity(0, {options.cpu})
        ratios = [compare(program, options, display.environment(), folder) for program in programs]
    return 1 if max(ratios) > options.gate else 0


if __name__ == "__main__":
    sys.exit(main())
