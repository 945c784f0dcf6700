"""What measuring costs in CPU time: a program plain and measured, in turn, the least of each, for each
frame; and what the command takes beside it. Usage: gl_cost.py SEXTANT [--runs N] [--options '-m x'] [PROGRAM...]
A PROGRAM is a shell command that ends by itself after a known number of frames, or says how many it drew
('N frames in'). Without one: glxgears for 6 s, and six scenes of glmark2 with 600 frames each."""
import argparse
import os
import re
import resource
import shlex
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tests/e2e/gl"))
import xvfb

SCENES = ("build", "texture", "shading", "bump", "effect2d", "terrain")


def seconds(who):
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


def inner(output, command):
    """Between the command and the program: notes what the program took."""
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    with open(output, "w", encoding="utf-8") as file:
        print(seconds(resource.RUSAGE_CHILDREN), sum(int(n) for n in re.findall(r"(\d+) frames in", done.stdout)),
              file=file)
    return 0


def run(prefix, command, env, folder):
    """CPU seconds of the program, its frames, and the CPU seconds of all that stands around it."""
    note = os.path.join(folder, "note")
    before = seconds(resource.RUSAGE_CHILDREN)
    done = subprocess.run([*prefix, sys.executable, __file__, "--inner", note, "--", *command], env=env,
                          capture_output=True, text=True, timeout=900, check=False)
    if done.returncode:
        sys.exit(f"{command}: status {done.returncode}\n{done.stderr}")
    with open(note, encoding="utf-8") as file:
        program, frames = file.read().split()
    return float(program), int(frames) or 1, seconds(resource.RUSAGE_CHILDREN) - before - float(program)


def compare(program, options, env, folder):
    command = shlex.split(program)
    stat = [options.sextant, "stat", "-d", "gl", "-o", os.devnull, *shlex.split(options.options), "--"]
    plain, measured, around, around_plain = [], [], [], []
    for turn in range(options.runs):
        for side in (turn % 2, 1 - turn % 2):  # neither side always comes first
            cpu, frames, rest = run(stat if side else [], command, env, folder)
            (measured if side else plain).append(cpu / frames)
            (around if side else around_plain).append(rest / cpu)
    tool = min(around) - min(around_plain)  # less what Python takes
    print(f"{program}: {min(plain) * 1e6:.1f} us plain, {min(measured) * 1e6:.1f} us measured, "
          f"ratio {min(measured) / min(plain):.3f}; the command {tool:.1%} of that", flush=True)


def main():
    if sys.argv[1:2] == ["--inner"]:
        return inner(sys.argv[2], sys.argv[4:])
    parser = argparse.ArgumentParser()
    parser.add_argument("sextant")
    parser.add_argument("programs", nargs="*")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--options", default="")
    options = parser.parse_args()
    programs = options.programs or ["timeout 6 glxgears"] + [
        f"glmark2 -s 640x480 -b {scene}:nframes=600" for scene in SCENES]
    with xvfb.Display() as display, tempfile.TemporaryDirectory() as folder:
        if not display.name:
            return 77
        for program in programs:
            compare(program, options, display.environment(), folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
