"""An hour of glxgears under `stat` in constant memory: neither the command nor the program grows after the first
sixth. Usage: soak.py [SECONDS]"""
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
GROWTH_KIB = 4096


def memory_kib(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1))


def child_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return int(file.read().split()[0])


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 3600
    with xvfb.Display() as display, tempfile.TemporaryDirectory() as folder:
        if not display.name:
            return 77
        result = os.path.join(folder, "stat.json")
        # The program has an output of its own, in which it counts frames as well: 66 in 5 seconds.
        stat = subprocess.Popen([SEXTANT, "stat", "-d", "gl", "--json", "-o", result, "--", "glxgears"],
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=display.environment())
        begin, early, late = time.monotonic(), {}, {}
        while time.monotonic() - begin < seconds:
            time.sleep(min(10, seconds / 20))
            now = {"stat": memory_kib(stat.pid), "glxgears": memory_kib(child_of(stat.pid))}
            side = early if time.monotonic() - begin < seconds / 6 else late
            for name, kib in now.items():
                side[name] = max(kib, side.get(name, 0))
            print(f"{time.monotonic() - begin:.0f} s: {now} KiB", flush=True)
        stat.send_signal(signal.SIGTERM)
        stat.wait(60)
        with open(result, encoding="utf-8") as file:
            device, = json.load(file)["devices"]
    for name in late:
        print(f"{name}: {early[name]} KiB at first, at most {late[name]} later")
    print("frames:", device["samples"])
    return not device["samples"] or any(late[name] > early[name] + GROWTH_KIB for name in late)


if __name__ == "__main__":
    sys.exit(main())
