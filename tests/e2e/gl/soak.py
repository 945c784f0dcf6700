"""An hour of glxgears under `stat` or `record` in constant memory: neither the command nor the program grows after the
first sixth, and the command stays below 32 MiB. Usage: soak.py [SECONDS [stat|record]]"""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import xvfb  # noqa: E402

SEXTANT = os.environ["SEXTANT"]
GROWTH_KIB = 1024
LIMIT_KIB = 32768


def memory_kib(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1))


def child_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return int(file.read().split()[0])


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 3600
    verb = sys.argv[2] if len(sys.argv) > 2 else "stat"
    with xvfb.Display() as display, tempfile.TemporaryDirectory() as folder:
        if not display.name:
            return 77
        result, capture = os.path.join(folder, "stat.json"), os.path.join(folder, "run.sxc")
        output = ["-o", capture] if verb == "record" else ["--json", "-o", result]
        # The program has an output of its own, in which it counts frames as well: 66 in 5 seconds.
        tool = subprocess.Popen([SEXTANT, verb, "-d", "gl", *output, "--", "glxgears"],
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=display.environment())
        begin, early, late = time.monotonic(), {}, {}
        while time.monotonic() - begin < seconds:
            time.sleep(min(10, seconds / 20))
            now = {verb: memory_kib(tool.pid), "glxgears": memory_kib(child_of(tool.pid))}
            side = early if time.monotonic() - begin < seconds / 6 else late
            for name, kib in now.items():
                side[name] = max(kib, side.get(name, 0))
            print(f"{time.monotonic() - begin:.0f} s: {now} KiB", flush=True)
        tool.send_signal(signal.SIGTERM)
        tool.wait(60)
        if verb == "record":
            subprocess.run([SEXTANT, "report", capture, "--json", "-o", result], check=True, timeout=600)
        with open(result, encoding="utf-8") as file:
            device, = json.load(file)["devices"]
    for name in late:
        print(f"{name}: {early[name]} KiB at first, at most {late[name]} later")
    print("frames:", device["samples"])
    grown = any(late[name] > early[name] + GROWTH_KIB for name in late)
    return not device["samples"] or grown or late[verb] > LIMIT_KIB


if __name__ == "__main__":
    sys.exit(main())
