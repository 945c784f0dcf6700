#!/usr/bin/env python3
"""The PMUs of this machine, as sextant and as perf stat count them at the same time."""
import ctypes
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

SEXTANT = os.environ["SEXTANT"]
PERF = shutil.which("perf")
# Burns CPU, touches pages and gives way, once somebody says so, and tells nothing else.
PROGRAM = """
import sys, time
print("here", flush=True)
sys.stdin.read(1)
end = time.process_time() + 0.5
pages = []
while time.process_time() < end:
    pages.append(bytearray(1 << 18))
    if len(pages) > 64: pages.clear()
    if len(pages) % 16 == 0: time.sleep(0.0005)
"""
# Our name, perf's name, how far they may be apart: a share, and a count for what happens at the ends.
EVENTS = [("msr/tsc/", "msr/tsc/", 0.02, 0),
          ("TaskClock", "task-clock", 0.02, 0),
          ("CpuClock", "cpu-clock", 0.02, 0),
          ("PageFaults", "page-faults", 0.02, 4),
          ("ContextSwitches", "context-switches", 0.02, 4)]


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def wait_until_asleep(pid):
    end = time.monotonic() + 20
    while time.monotonic() < end:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as f:
            if f.read().rpartition(")")[2].split()[0] == "S":
                return
        time.sleep(0.01)
    skip("the program does not come to its wait")


def wait_for_events(process, name):
    """Until a process holds perf events."""
    end = time.monotonic() + 20
    folder = f"/proc/{process.pid}/fd"
    while time.monotonic() < end:
        try:
            links = [os.readlink(f"{folder}/{fd}") for fd in os.listdir(folder)]
        except OSError:
            links = []
        if sum("perf_event" in link for link in links) >= len(EVENTS):
            return
        if process.poll() is not None:
            skip(f"{name} cannot count here: {process.stderr.read()}")
        time.sleep(0.01)
    skip(f"{name} opened no events in 20 s")


def perf_counts(text):
    """perf stat -x, : value, unit, event, run time, share."""
    counts = {}
    for line in text.splitlines():
        cells = line.split(",")
        if len(cells) > 2 and cells[0] and cells[0][0].isdigit():
            counts[cells[2].split(":")[0]] = float(cells[0])
    return counts


def beside(folder):
    """Both attach to a program that waits, which then runs to its end."""
    program = subprocess.Popen([sys.executable, "-c", PROGRAM], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE)
    program.stdout.readline()  # it has begun: from here on it waits, and counts nothing
    wait_until_asleep(program.pid)
    theirs = os.path.join(folder, "perf.txt")
    perf = subprocess.Popen(
        [PERF, "stat", "-x,", "-o", theirs, "-p", str(program.pid), "-e",
         ",".join(event for _, event, _, _ in EVENTS)],
        stderr=subprocess.PIPE, text=True, env={**os.environ, "LC_ALL": "C"})
    wait_for_events(perf, "perf")
    ours = subprocess.Popen(
        [SEXTANT, "stat", "-d", "pmu", "-p", str(program.pid), "--json", "-I", "50ms", "-m",
         ",".join(name for name, _, _, _ in EVENTS)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for_events(ours, "sextant")
    program.communicate(b"g", timeout=60)
    out, err = ours.communicate(timeout=60)
    perf.communicate(timeout=60)
    assert ours.returncode == 0, err
    with open(theirs, encoding="utf-8") as f:
        return json.loads(out), perf_counts(f.read())


def compare(ours, theirs):
    totals = {m["name"]: m["total"] for m in ours["metrics"]}
    compared = 0
    for name, event, share, count in EVENTS:
        want = theirs.get(event)
        if want is None:
            print(f"{event}: perf has none")
            continue
        have = totals[name]
        if event.endswith("-clock"):
            want *= 1e-3  # perf: milliseconds; sextant: seconds
        print(f"{name}: {have} beside perf's {want}")
        assert abs(have - want) <= share * want + count, name
        compared += 1
    assert compared >= 3, "too few events to compare"


def errors():
    """Every refusal says what, why and what to do."""
    for args, code, word in (
            (["-m", "nopmu/x/"], 3, "there is no PMU"),
            (["-m", "msr/nothing/"], 3, "the PMU has none of this name"),
            (["--map", "x=msr/"], 5, "between two slashes"),
            (["--map", "x y=msr/tsc/"], 2, "letters, digits"),
            (["--map", "x=64 miles * msr/tsc/"], 5, "units.tsv"),
            (["--map", "x=software/page-faults/ + nopmu/x/", "-m", "x"], 3, "there is no PMU"),
            (["--map", "x=software/page-faults/ + "], 5, "the name is empty"),
            (["--for", "opengl"], 2, "PMUs feed no counter of catalog opengl")):
        done = subprocess.run([SEXTANT, "stat", "-d", "pmu", "-t", "50ms", *args], text=True,
                              capture_output=True, timeout=60)
        assert done.returncode == code, (args, done.returncode, done.stderr)
        assert word in done.stderr and "try:" in done.stderr, (args, done.stderr)


def names():
    """Names of libpfm4's, where it is installed; without it the error says so."""
    try:
        ctypes.CDLL("libpfm.so.4")
    except OSError:
        here = False
    else:
        here = True
    # Debian 13's libpfm4 forgets what it listed of sysfs, and is closed before anybody could name it in a suppression.
    env = dict(os.environ, ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0")
    done = subprocess.run(
        [SEXTANT, "stat", "-d", "pmu", "--map", "x=perf::PERF_COUNT_SW_PAGE_FAULTS",
         "-m", "x,PageFaults", "--json", "--", "true"], text=True, capture_output=True, timeout=60, env=env)
    if not here:
        assert done.returncode != 0 and "libpfm4" in done.stderr, done.stderr
        print("libpfm4 is not here: its absence is told")
        return
    assert done.returncode == 0, done.stderr
    totals = {m["name"]: m["total"] for m in json.loads(done.stdout)["metrics"]}
    assert totals["x"] == totals["PageFaults"] > 0, totals
    done = subprocess.run([SEXTANT, "stat", "-d", "pmu", "--map", "x=no::SUCH_EVENT", "-m", "x",
                           "-t", "50ms"], text=True, capture_output=True, timeout=60, env=env)
    assert done.returncode == 3 and "libpfm4 says" in done.stderr, done.stderr


def replay(folder):
    """A counter of the user's is in the capture with its unit, and can be shown from it; a sum counts both parts."""
    capture = os.path.join(folder, "a.sxc")
    done = subprocess.run([SEXTANT, "record", "-d", "pmu", "--map", "faults=software/page-faults/",
                           "--map", "twice=software/page-faults/ + software/page-faults/",
                           "-m", "faults,twice,PageFaults", "-o", capture, "--", "true"],
                          text=True, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
    done = subprocess.run([SEXTANT, "report", capture, "--json", "--counters"], text=True,
                          capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
    totals = {m["name"]: m["total"] for m in json.loads(done.stdout)["metrics"]}
    assert totals["faults"] == totals["PageFaults"] > 0, totals
    assert totals["twice"] == 2 * totals["faults"], totals


def by_number(folder):
    """An event by its number is perf's way to one without a name, and the same as by name."""
    capture = os.path.join(folder, "number.sxc")
    done = subprocess.run([SEXTANT, "record", "-d", "pmu", "-q", "-m",
                           "software/config=2/,software/page-faults/", "-o", capture, "--", "true"],
                          text=True, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
    done = subprocess.run([SEXTANT, "report", capture, "--json", "--counters"], text=True,
                          capture_output=True, timeout=60)
    totals = {m["name"]: m["total"] for m in json.loads(done.stdout)["metrics"]}
    number, name = totals["software/config=2/"], totals["software/page-faults/"]
    assert name > 0 and abs(number - name) <= 2 + name / 20, totals  # they are read one after the other


def main():
    if not os.path.isdir("/sys/bus/event_source/devices/software"):
        skip("this kernel has no perf events")
    errors()
    names()
    with tempfile.TemporaryDirectory() as folder:
        replay(folder)
        by_number(folder)
        if not PERF:
            skip("perf is missing: nothing to compare with")
        compare(*beside(folder))


main()
