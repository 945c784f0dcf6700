"""Real programs from Debian, plain and under `sextant stat`: the same exit status, the same words, the same
picture where it can be compared, and samples. Usage: programs.py [--short] [NAME...]; what is not installed is
skipped and told. Of the short form only programs that end within seconds."""
import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import xvfb

SEXTANT = os.environ.get("SEXTANT", "sextant")
HACKS = "/usr/libexec/xscreensaver"
HERE = os.path.dirname(os.path.abspath(__file__))
GUESTS = os.path.join(HERE, "guests")
PYTHON = "/usr/bin/python3"  # which has the packages of Debian
GTK = {"GSK_RENDERER": "gl", "GDK_BACKEND": "x11"}  # newer ones draw with Vulkan
WINE = "/usr/lib/wine/wine64"


class Program:
    """
    A name, a command, and what is to be expected of it. `ends`: seconds after which it is told to end, by `signal`;
    `pictures`: files that it writes, the same ones each time; `tries`: more than one for what fails by itself now and then,
    or draws late where others have the CPUs: each has longer; `fails`: its status is its own, and no sign that it cannot run.
    """

    def __init__(self, name, *command, ends=0, short=False, frames=None, words=True, samples=True, env=None,
                 server=None, needs=None, device="gl", pictures=(), signal="TERM", tries=1,
                 fails=False):
        self.needs = needs or command[0]
        self.name, self.command, self.ends, self.short = name, list(command), ends, short
        self.frames, self.words, self.samples, self.env, self.server = frames, words, samples, env or {}, server
        self.device, self.pictures, self.signal, self.tries, self.fails = device, pictures, signal, tries, fails


def programs(trace, folder):
    browser = [sys.executable, os.path.join(HERE, "browser.py")]
    found = [
        Program("chromium", *browser, "chromium", needs="chromium"),  # ANGLE on GL, in a process of its own
        Program("firefox", *browser, "firefox", needs="firefox-esr"),
        Program("godot", "godot3", "--path", os.path.join(folder, "godot"), "-s", "main.gd", frames=61),
        Program("wine d3d9", "sh", "-c", WINE + ' "$0"; status=$?; /usr/lib/wine/wineserver64 -k; exit $status',
                os.path.join(folder, "d3d9.exe"), needs=WINE, frames=61,
                env={"WINEPREFIX": os.path.join(folder, "wine"), "WINEDEBUG": "-all"}, tries=6),  # it crashes at its end
        Program("glxgears", "glxgears", ends=2, words=False, short=True),
        Program("glxinfo", "glxinfo", "-B", samples=False, words=False, short=True),
        Program("glxdemo", "glxdemo", ends=2, samples=False),  # it draws once, and waits to be killed
        Program("glxheads", "glxheads", ends=2),
        Program("eglinfo", "eglinfo", samples=False, short=True, fails=True),
        Program("es2_info", "es2_info", samples=False, short=True),
        Program("es2gears", "es2gears_x11", ends=2, words=False, short=True),
        Program("es2tri", "es2tri", ends=2, words=False, samples=False),  # likewise
        Program("glmark2 validation", "glmark2", "-s", "320x240", "--validate", "-b", "build", "-b", "texture", "-b",
                "shading", "-b", "bump", short=True),
        Program("glmark2 frames", "glmark2", "-s", "320x240", "-b", "build:nframes=50", words=False, frames=50),
        Program("glmark2-es2 validation", "glmark2-es2", "-s", "320x240", "--validate", "-b", "build", "-b", "texture",
                "-b", "shading"),
        Program("glmark2-es2-wayland", "glmark2-es2-wayland", "-s", "320x240", "--validate", "-b", "build",
                server="weston"),
        Program("weston-simple-egl", "weston-simple-egl", ends=2, words=False, server="weston"),
        Program("mpv", "mpv", "--no-config", "--vo=gpu", "--gpu-api=opengl", "--gpu-context=x11egl", "--frames=40", "--no-audio",
                "--really-quiet", "av://lavfi:testsrc=size=320x240:rate=30"),
        Program("mpv es", "mpv", "--no-config", "--vo=gpu", "--gpu-api=opengl", "--gpu-context=x11egl", "--opengl-es=yes", "--frames=40",
                "--no-audio", "--really-quiet", "av://lavfi:testsrc=size=320x240:rate=30"),
        Program("kitty", "kitty", "--config", "NONE", "sh", "-c", "seq 100; sleep 1", words=False),
        Program("alacritty", "alacritty", "-e", "sh", "-c", "seq 100; sleep 1", words=False),
        Program("neverball", "/usr/games/neverball", ends=4, words=False, tries=3),
        Program("neverputt", "/usr/games/neverputt", ends=4, words=False, tries=3),
        Program("extremetuxracer", "/usr/games/etr", ends=5, words=False, tries=3),
        Program("gtk4-demo", "gtk4-demo", "--run=gears", ends=4, words=False, env=GTK, tries=2),
        Program("gtk4-widget-factory", "gtk4-widget-factory", ends=4, words=False, env=GTK, tries=2),
        Program("moderngl", PYTHON, os.path.join(GUESTS, "triangle.py"), short=True),
        Program("pygame", PYTHON, os.path.join(GUESTS, "clears.py"), frames=60,
                env={"SDL_VIDEODRIVER": "x11"}, short=True),
        Program("gstreamer", "gst-launch-1.0", "-q", "videotestsrc", "num-buffers=40", "!", "glimagesink"),
        Program("qt 5 widgets", PYTHON, os.path.join(GUESTS, "widgets.py"), "5", frames=60),
        Program("qt 6 widgets", PYTHON, os.path.join(GUESTS, "widgets.py"), "6", frames=60),
        Program("qt 5 qml", "qmlscene", os.path.join(folder, "scene.qml"), pictures=[os.path.join(folder, "scene.png")]),
        Program("qt 6 qml", "/usr/lib/qt6/bin/qml", os.path.join(folder, "scene.qml"),
                pictures=[os.path.join(folder, "scene.png")]),
        Program("blender", "blender", "-b", "--factory-startup", "-noaudio", "--python-exit-code", "3", "-P",
                os.path.join(GUESTS, "render.py"), "--", folder),
        Program("apitrace replay", "glretrace", "-b", "-S", "frame", "-s", "-", "--snapshot-format=MD5", trace),
        Program("apitrace trace", "apitrace", "trace", "-o", os.path.join(folder, "other.trace.2"), "glxinfo", "-B", samples=False,
                words=False),
    ]
    for hack in ("gears", "atlantis", "antspotlight", "blinkbox", "cubestorm", "engine", "flyingtoasters", "geodesic",
                 "glmatrix", "glplanet", "hypertorus", "lavalite", "mirrorblob", "molecule", "morph3d", "pipes",
                 "polyhedra", "sierpinski3d", "splodesic", "superquadrics", "voronoi"):
        found.append(Program("hack " + hack, os.path.join(HACKS, hack), "-window", ends=2, words=False, tries=3))
    return found


def run(command, env, ends):
    """Runs a command, which is told to end after a while. Gives its status, words and errors."""
    child = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                             text=True, errors="replace")
    try:
        words, errors = child.communicate(timeout=120)
    except subprocess.TimeoutExpired:
        child.kill()
        words, errors = child.communicate()
        return "hangs", words, errors
    return child.returncode, words, errors


def steady(text):
    """Without what differs from run to run: times, addresses, process numbers. What a picture sums up to stays."""
    return re.sub(r"0x[0-9a-f]+|\d+\.\d+|(?<!picture )\b\d{4,}\b", "N", text)


def same_words(plain, measured, again):
    """Whether two outputs are the same, apart from lines that differ without sextant, too."""
    plain, measured = steady(plain).splitlines(), steady(measured).splitlines()
    if plain == measured:
        return True
    other = steady(again()).splitlines()
    return len(plain) == len(measured) == len(other) and all(
        a == b or a != c for a, b, c in zip(plain, measured, other))


def take_pictures(program):
    """What a run has drawn; the next one begins without. A picture that is not there is None."""
    taken = []
    for path in program.pictures:
        taken.append(None)
        if os.path.exists(path):
            with open(path, "rb") as file:
                taken[-1] = hashlib.md5(file.read()).hexdigest()
            os.unlink(path)
    return taken


def check(program, env, folder, attempt):
    """What is wrong with a program under sextant, a line each."""
    env = dict(env, **program.env)
    ends = ["timeout", "-k", "6", "-s", program.signal, str(program.ends * attempt)] if program.ends else []
    command = ends + program.command
    document = os.path.join(folder, "stat.json")
    take_pictures(program)
    plain = run(command, env, program.ends)
    pictures = take_pictures(program)
    stat = [SEXTANT, "stat", "-d", program.device, "--json", "-o", document, "--", *command]
    if os.path.exists(document):
        os.unlink(document)
    measured = run(stat, env, program.ends)
    wrong = []
    if plain[0] not in (0, 124) and not program.ends and not program.fails or "ModuleNotFoundError" in plain[2]:
        return None, []
    missing = not program.samples and measured[0] == 1 and plain[0] == 0
    status = plain[0] if plain[0] == "hangs" or plain[0] >= 0 else 128 - plain[0]  # as a shell has it
    if measured[0] != status and not missing:
        wrong.append(f"status {measured[0]}, not {plain[0]}: {measured[2].strip()[-300:]}")
    if take_pictures(program) != pictures or None in pictures:
        wrong.append("its pictures differ, or there are none")
    if program.words and not same_words(plain[1], measured[1], lambda: run(command, env, program.ends)[1]):
        wrong.append("its words differ")
    if "ld.so" in measured[2] and "ld.so" not in plain[2]:
        wrong.append(measured[2].strip()[-200:])
    count = 0
    if os.path.exists(document) and os.path.getsize(document):
        with open(document, encoding="utf-8") as file:
            result = json.load(file)
        count = result["samples"]["count"]
        bound = {p["verdict"] for p in (result["verdict"] or {"parts": []})["parts"] if p["share"] > 0.5}
        times = {m["name"]: m for m in result["metrics"]}
        gpu, cpu, wall = ((times.get(name) or {}).get("total") for name in ("gpu_time", "cpu_time", "frame_time"))
        # A rasteriser's union of busy time is a part of the process's CPU time.
        if gpu is not None and cpu is not None and gpu > 1.1 * cpu + 0.05:
            wrong.append(f"{gpu} s of GPU time in {cpu} s of CPU time")
        if "gpu" in bound and gpu < 0.5 * wall:
            wrong.append(f"bound by the GPU at {gpu} s of {wall} s")
    if program.samples and not count:
        wrong.append("no sample: " + measured[2].strip()[-300:])
    if program.frames and abs(count - program.frames) > 2:
        wrong.append(f"{count} frames, not {program.frames}")
    return count, wrong


def make_trace(folder, env):
    """A short trace of a real program, or a path that does not exist."""
    trace = os.path.join(folder, "gears.trace")
    if shutil.which("apitrace"):
        subprocess.run(["apitrace", "trace", "-o", trace, "timeout", "0.7", "glxgears"], env=env, capture_output=True,
                       check=False)
    return trace


def make_sources(folder):
    """What other programs run: a project of Godot's, and a program for Windows where it can be built."""
    shutil.copytree(os.path.join(GUESTS, "godot"), os.path.join(folder, "godot"))  # it writes there
    shutil.copy(os.path.join(GUESTS, "scene.qml"), folder)  # likewise
    if shutil.which("x86_64-w64-mingw32-gcc"):
        subprocess.run(["x86_64-w64-mingw32-gcc", "-O1", "-o", os.path.join(folder, "d3d9.exe"),
                        os.path.join(HERE, "d3d9.c"), "-ld3d9"], check=False)


def start_weston(folder, env):
    socket = os.path.join(folder, "wayland-test")
    child = subprocess.Popen(["weston", "--backend=headless-backend.so", "--use-gl", "--socket=wayland-test", "--idle-time=0"],
                             env=dict(env, XDG_RUNTIME_DIR=folder), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(50):
        if os.path.exists(socket):
            break
        time.sleep(0.1)
    return child


def judge(all_of_them, env, folder):
    bad, good, skipped = [], 0, []
    weston = None
    for program in all_of_them:
        known = shutil.which(program.needs)
        files = [word for word in program.command if word.endswith((".exe", ".trace"))]
        if not known or not all(map(os.path.exists, files)) or (program.server and not shutil.which(program.server)):
            skipped.append(program.name)
            continue
        own = dict(env)
        if program.server:
            weston = weston or start_weston(folder, env)
            own.update(XDG_RUNTIME_DIR=folder, WAYLAND_DISPLAY="wayland-test")
        for attempt in range(1, program.tries + 1):
            count, wrong = check(program, own, folder, attempt)
            if count is not None and not wrong:
                break
        if count is None:
            skipped.append(program.name)
            continue
        good += not wrong
        print(f"{program.name:24} {'ok' if not wrong else 'WRONG'}  {count} samples", flush=True)
        for line in wrong:
            print("    " + line, flush=True)
        if wrong:
            bad.append(program.name)
    if weston:
        weston.terminate()
        weston.wait()
    return good, bad, skipped


def opengl(folder, env, short):
    if not short:
        make_sources(folder)
    return programs("" if short else make_trace(folder, env), folder)


def main(choose=opengl):
    parser = argparse.ArgumentParser()
    parser.add_argument("--short", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    with xvfb.Display() as display, tempfile.TemporaryDirectory() as folder:
        if not display.name:
            print("skipped: no Xvfb")
            return 77
        env = display.environment()
        env.setdefault("HOME", folder)
        env.setdefault("XDG_RUNTIME_DIR", folder)
        wanted = [p for p in choose(folder, env, options.short)
                  if (not options.short or p.short) and (not options.names or p.name in options.names)]
        good, bad, skipped = judge(wanted, env, folder)
    print(f"{good} programs are the same, {len(bad)} are not{': ' + ', '.join(bad) if bad else ''}; "
          f"{len(skipped)} are not here{': ' + ', '.join(skipped) if skipped else ''}")
    if not good and not bad:
        return 77
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
