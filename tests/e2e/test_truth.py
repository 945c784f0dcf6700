#!/usr/bin/env python3
"""What stat says of a run is what every other verb says of its recording; every verb shows every
device, and every format says what is simulated. Recordings under signals. Usage: test_truth.py
SEXTANT"""
import csv
import io
import json
import math
import os
import pathlib
import pty
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from command import Command, csv_rows, usual_signals, wait_until

sextant = sys.argv[1]
run = Command(sextant, code=0)
document = run.document
usual_signals()
folder = pathlib.Path(tempfile.mkdtemp(prefix="sextant-truth-"))
SLEEP = ["sleep", "0.3"]


def record(name, *args):
    path = folder / name
    run("record", "-q", "-o", path, *args)
    return path


def close(a, b):
    if a is None or b is None:
        return a is b
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)


def by_name(doc):
    return {(m["device"], m["name"]): m for m in doc["metrics"]}


def report_metrics(doc):
    """Metrics of a document, wherever its headings put them."""
    found = {}

    def look(value):
        if isinstance(value, dict):
            if "name" in value and "mean" in value:
                found[value.get("device", 0), value["name"]] = value
            for inner in value.values():
                look(inner)
        elif isinstance(value, list):
            for inner in value:
                look(inner)
    look(doc)
    return found


def export_means(path, device):
    """Means of each exported column, over rows that have data."""
    table = document("export", path)["devices"][device]
    columns = {}
    for i, name in enumerate(table["metrics"]):
        values = [row[i] for row in table["rows"] if isinstance(row[i], (int, float))]
        columns[name] = values
    return len(table["rows"]), columns


def round_trip(path, devices):
    """stat -i, report and export of one recording against each other."""
    stat = document("stat", "-i", path)
    report = document("report", path)
    ours, theirs = by_name(stat), report_metrics(report)
    assert [d["samples"] for d in stat["devices"]] == [d["samples"] for d in report["devices"]]
    assert [d["lost"] for d in stat["devices"]] == [d["lost"] for d in report["devices"]]
    compared = 0
    for key, metric in ours.items():
        if key not in theirs:
            continue
        for part in ("total", "mean", "min", "p50", "p95", "p99", "max"):
            assert close(metric[part], theirs[key][part]), (path, key, part)
        compared += 1
    assert compared > 10, compared
    for device in range(devices):
        rows, columns = export_means(path, device)
        assert rows == stat["devices"][device]["samples"]
        checked = 0
        for (at, name), metric in ours.items():
            values = columns.get(name)
            if at != device or not values or metric["min"] is None:
                continue
            assert close(min(values), metric["min"]), (name, min(values), metric["min"])
            assert close(max(values), metric["max"]), name
            checked += 1
        assert checked > 5, (device, checked)
    mine = {(f["rule"], f["device"]): f["value"] for f in stat["findings"]}
    advise = document("advise", path)
    said = {(f["rule"], f["device"]): f["value"] for f in advise["findings"]}
    assert mine.keys() == said.keys(), mine.keys() ^ said.keys()
    for key, value in mine.items():
        assert close(value, said[key]), (key, value, said[key])


def test_round_trip():
    cases = {"g310": ["-d", "mali-g310", "-n", "20"],
             "g625": ["-d", "mali-g625", "-n", "20", "-I", "5ms"],
             "cpu": ["-d", "cpu", "-I", "20ms", "--", *SLEEP],
             "two": ["-d", "mali-g310", "-d", "cpu", "-I", "20ms", "-t", "300ms"]}
    for name, args in cases.items():
        round_trip(record(name + ".sxc", *args), 2 if name == "two" else 1)


TWO = """device,begin_ns,end_ns,frame,quality,cpu_busy,frame_time (s),gpu_time (s)
0,0,100000000,,,50,,
0,100000000,200000000,,,60,,
1,0,20000000,0,,,0.02,0.005
1,20000000,40000000,1,,,0.02,0.006
1,40000000,60000000,2,,,0.02,0.007
"""


def test_device_numbers():
    """A device has the number of its recording in every format, as --device takes it, though frames come first."""
    table, path = folder / "numbers.csv", folder / "numbers.sxc"
    table.write_text(TWO)
    run("import", "-q", table, "-o", path)
    want = {"cpu_busy": (0, 55), "gpu_time": (1, 0.006)}
    doc = document("report", path, "-m", ",".join(want))
    assert [(d["id"], d["catalog"]) for d in doc["devices"]] == [(0, "cpu"), (1, "monitor")], doc["devices"]
    text = run("report", path, "-m", ",".join(want)).stdout
    assert text.index("gpu_time") < text.index("cpu_busy"), "frames do not come first: this shows nothing"
    means = {(m["name"], m["device"]): m["mean"] for m in doc["metrics"] if m["mean"] is not None}
    assert means.keys() == {(name, device) for name, (device, _) in want.items()}, means
    assert all(close(means[name, device], mean) for name, (device, mean) in want.items()), means
    evidence = [e for part in doc["verdict"]["parts"] for e in part["evidence"] if e["name"] == "gpu"]
    assert {e["device"] for e in evidence} == {1}, evidence
    rows = [r for r in csv_rows(run("report", path, "--csv", "-m", ",".join(want)).stdout) if r["mean"]]
    assert {(r["name"], int(r["device"])) for r in rows} == means.keys(), rows
    for name, (device, mean) in want.items():
        alone = document("report", path, "-d", str(device), "-m", name)
        assert [(m["device"], m["mean"]) for m in alone["metrics"]] == [(device, mean)], alone
    tables = document("export", path)["devices"]
    assert {t["id"]: t["for"] for t in tables} == {0: "cpu", 1: "monitor"}


def test_limits():
    """Exactly as many samples as asked for, live and of a recording."""
    path = record("limits.sxc", "-d", "mali-g310", "-n", "30")
    assert document("stat", "-i", path)["devices"][0]["samples"] == 30
    assert document("stat", "-i", path, "-n", "3")["devices"][0]["samples"] == 3
    assert document("stat", "-i", path, "-t", "50ms")["devices"][0]["samples"] == 5
    assert document("stat", "-d", "mali-g310", "-n", "7")["devices"][0]["samples"] == 7
    began = time.monotonic()
    done = subprocess.run([sextant, "stat", "-d", "mali-g310", "-I", "100us", "-t", "300ms", "--json"],
                          capture_output=True, text=True, timeout=120)
    assert time.monotonic() - began < 20
    stat = json.loads(done.stdout)
    # A machine that is too busy for this many says what it left.
    assert done.returncode == 0 or (done.returncode == 1 and "lost" in done.stderr), done.stderr
    # What was under way when the time was up counts, and what came before the run's begin was read: 3,003 were seen
    # on an idle machine; a busy one may stop us there for tens of milliseconds, of ten samples each.
    assert stat["devices"][0]["samples"] <= 4000, stat["devices"][0]["samples"]


def test_short_programs():
    for _ in range(5):
        stat = document("stat", "-d", "cpu", "--", "true")
        assert stat["devices"][0]["samples"] >= 1, stat["devices"]


def test_beside():
    """A program that draws nothing is measured all the same, by every verb that runs it."""
    path = folder / "beside.sxc"
    done = run("record", "-o", path, "--", *SLEEP)
    assert "not measured: OpenGL" in done.stderr and "of 1 device in" in done.stderr, done.stderr
    devices = document("capture", "info", path)["devices"]
    # What was only tried is no device of the capture.
    assert [d["source"] for d in devices] == ["cpu"] and devices[0]["rows"] > 0, devices
    run("record", "-q", "-d", "gl", "-o", folder / "named.sxc", "--", *SLEEP, code=1)
    done = run("compare", "-n", "2", "--json", "--", *SLEEP, ":::", *SLEEP)
    assert "ended with" not in done.stderr, done.stderr
    diff = json.loads(done.stdout)
    assert diff["comparable"] and any(m["name"] == "cpu_busy" for m in diff["metrics"]), diff
    done = run("stat", "-r", "2", "--json", "--", *SLEEP)
    names = [m["name"] for m in json.loads(done.stdout)["metrics"]]
    assert "ended with" not in done.stderr and "cpu_busy" in names, (done.stderr, names)


def test_no_wait_in_the_run():
    """What is waited for after the program's end, children that may draw, is no part of the run."""
    for _ in range(5):  # a busy machine may stretch one
        began = time.monotonic()
        stat = document("stat", "--", "sleep", "0.1")
        took = (time.monotonic() - began) * 1e9
        cpu = next(d for d in stat["devices"] if d["source"] == "cpu")
        rest = took - stat["duration_ns"]
        if rest > 4e8 and stat["duration_ns"] - cpu["duration_ns"] < 1e8:
            return
    assert False, (took, stat["duration_ns"], cpu["duration_ns"])


def test_strangers():
    """Programs of others, without an environment and one after another, do not keep a run from its end."""
    loops = [subprocess.Popen(["sh", "-c", f"while :; do env -i sleep {length}; done"]) for length in (0.03, 0.04, 0.05)]
    try:
        for _ in range(3):
            document("stat", "--", "true", timeout=60)
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def test_units_of_rows():
    """Rows say what their numbers are in, column by column, as the catalog's list says it."""
    path = folder / "g310.sxc"
    listed = {m["name"]: m["unit"] for m in document("list", "metrics", "--for", "mali-g310")["metrics"]}
    listed |= {c["name"]: c["unit"] for c in document("list", "counters", "--for", "mali-g310")["counters"]}
    for args in (["export", path], ["export", path, "--counters"], ["eval", "-i", path]):
        doc = document(*args)
        doc = doc["devices"][0] if args[0] == "export" else doc
        assert len(doc["units"]) == len(doc["metrics"]), args
        found = dict(zip(doc["metrics"], doc["units"]))
        assert {found.get(name, "ns") for name in ("begin_ns", "end_ns")} == {"ns"}, found
        known = [name for name in found if name in listed]
        assert len(known) > 50 and all(found[name] == listed[name] for name in known), args
    doc, = document("report", path, "--by", "time")["devices"]
    assert doc["units"].keys() == doc["groups"][0]["values"].keys()
    assert doc["units"]["output_external_read_bytes"] == "bytes"


def test_peaks():
    """The most that a device can do, by its constants: in documents, and as a share where a terminal has room."""
    path = folder / "g310.sxc"
    constants = document("capture", "info", path)["devices"][0]["constants"]
    known = {c["name"]: c["value"] for c in constants} if isinstance(constants, list) else constants
    clock = known["gpu_max_clock_hz"]
    bus = clock * known["MaliConstantsL2SliceCount"] * known["MaliConstantsBusWidthBits"] / 8
    doc = document("report", path)
    found = {m["name"]: m for m in report_metrics(doc).values()}
    assert found["gpu_active_cycles"]["peak"] == clock
    assert found["output_external_read_bytes"]["peak"] == bus == found["output_external_write_bytes"]["peak"]
    cycles = found["gpu_active_cycles"]["total"] * 1e9 / doc["devices"][0]["duration_ns"] / clock * 100
    wide = run("report", path, env={"COLUMNS": "120", "LC_ALL": "C.UTF-8"}).stdout
    row = next(line for line in wide.splitlines() if line.startswith("  gpu_active_cycles "))
    share = re.search(r"([\d.]+) %$", row.rstrip())
    assert "of peak" in wide and share and abs(float(share[1]) - cycles) < 0.01 * cycles, (row, cycles)
    assert "of peak" not in run("report", path, env={"COLUMNS": "80"}).stdout
    cpus = {m["name"]: m for m in report_metrics(document("report", folder / "cpu.sxc")).values()}
    assert cpus["cpus_used"]["peak"] == os.cpu_count(), cpus["cpus_used"]


def test_repeat():
    doc = document("stat", "-r", "3", "-m", "run_time", "--", "sleep", "0.1")
    assert [m["name"] for m in doc["metrics"]] == ["run_time"], doc
    # The wait after the program's end, 0.5 s for children that may draw, would be in each.
    assert 0.1 <= min(doc["metrics"][0]["means"]) < 0.5, doc
    doc = document("stat", "-r", "3", "-d", "cpu", "-t", "100ms", "-m", "cpu_busy,run_time")
    assert doc["runs"] == 3 and [m["name"] for m in doc["metrics"]] == ["cpu_busy"], doc
    run("stat", "-r", "3", "-d", "cpu", code=2)
    run("stat", "-r", "3", "-i", folder / "cpu.sxc", code=2)
    # What a run takes of options, each of the runs gets.
    doc = document("stat", "-r", "2", "-p", str(os.getpid()), "-d", "cpu", "-t", "100ms", "-m", "TaskClock")
    assert [m["name"] for m in doc["metrics"]] == ["TaskClock"], doc
    same = folder / "same.sxc"
    shutil.copy(folder / "cpu.sxc", same)
    doc = document("diff", folder / "cpu.sxc", same, "-m", "run_time")
    assert [m["name"] for m in doc["metrics"]] == ["run_time"], doc


def test_both_devices():
    """Every verb shows both devices of a capture, in every format."""
    two = folder / "two.sxc"
    for args in (["stat", "-i", two], ["report", two], ["report", two, "--by", "time"],
                 ["export", two], ["advise", two], ["capture", "info", two]):
        document_of = document(*args)
        assert len(document_of["devices"]) == 2, args
        if args[-1] == "time" or args[0] == "advise":  # one device has the shape of both
            one = document(*args, "-d", "0")
            assert one.keys() <= document_of.keys() and "devices" in one, (args, one.keys())
            assert [device["id"] for device in document_of["devices"] + one["devices"]] == [0, 1, 0], args
            assert one["devices"][0].keys() == document_of["devices"][0].keys(), args
    document_of = document("eval", "-i", two)  # one table, whose rows say their device
    assert document_of["for"] is None and {row[0] for row in document_of["rows"]} == {0, 1}, document_of["metrics"][:3]
    for args in (["report", two, "--csv"], ["stat", "-i", two, "--csv"], ["export", two], ["eval", "-i", two, "--csv"],
                 ["advise", two, "--csv"],
                 ["report", two, "--by", "time", "--csv"]):
        rows = csv_rows(run(*args).stdout)
        seen = {row["device"] for row in rows}
        assert seen == {"0", "1"} or (args[0] == "advise" and "0" in seen), (args, seen)
    lines = run("export", two, "-f", "ndjson").stdout.splitlines()
    assert {json.loads(line)["device"] for line in lines} == {0, 1}
    for args in (["report", two], ["stat", "-i", two], ["report", two, "--by", "time"],
                 ["advise", two], ["capture", "info", two]):
        text = run(*args).stdout
        assert "Mali-G310" in text and text.count("sample") + text.count("rows") >= 2, args
    text = run("eval", "-i", two).stdout
    assert text.count("SIMULATED") == 1 and "Mali-G310" in text and "cpu_busy" in text, text
    assert len(document("eval", "-i", two, "--for", "cpu")["rows"]) > 3
    # A metric of each: neither is refused, one of no device is.
    both = run("export", two, "-m", "gpu_active_cycles,UserTime").stdout
    assert both.startswith("device,simulated,"), both[:80]
    run("export", two, "-m", "gpu_active_cycles,NoSuch", code=3)


def test_simulated():
    """Modelled data says so in every verb and format."""
    path = folder / "g310.sxc"
    metric = "gpu_active_cycles"
    for args in (["stat", "-i", path], ["report", path], ["report", path, "--by", "time"],
                 ["export", path, "-m", metric], ["advise", path],
                 ["eval", "-i", path, "-m", metric], ["explain", metric, "-i", path],
                 ["stat", "-d", "mali-g310", "-n", "2"]):
        doc = document(*args)
        assert doc.get("simulated") is True, (args, list(doc)[:4])
        if args[0] != "export":
            assert "SIMULATED" in run(*args).stdout, args
        if args[0] not in ("explain",):
            head, *rows = list(csv.reader(io.StringIO(run(*args, "--csv").stdout)))
            at = head.index("simulated")
            assert rows and all(row[at] == "true" for row in rows), args
    for args in (["export", path, "-m", metric], ["eval", "-i", path, "-m", metric]):
        for line in run(*args, "-f", "ndjson").stdout.splitlines():
            assert json.loads(line)["simulated"] is True
    assert document("capture", "info", path)["devices"][0]["simulated"] is True
    real = folder / "cpu.sxc"
    for args in (["export", real], ["report", real, "--csv"], ["advise", real, "--csv"]):
        assert "simulated" not in run(*args).stdout.splitlines()[0], args


FORMATS = ("text", "json", "ndjson", "csv", "html", "perfetto", "openmetrics", "markdown", "junit")


def test_simulated_in_every_format():
    """Whatever a verb can write says it; what it cannot write is a mistake of the user's."""
    path, out = folder / "g310.sxc", folder / "simulated.out"
    other = record("g310-other.sxc", "-d", "mali-g310", "-n", "20")
    verbs = (["report", path], ["report", path, "--by", "time"], ["stat", "-i", path], ["export", path],
             ["advise", path], ["eval", "-i", path, "-m", "gpu_active_cycles"], ["diff", path, other],
             ["explain", "gpu_active_cycles", "-i", path], ["capture", "info", path],
             ["report", path, "--gate", "gpu_active_cycles.mean<1G"])
    written = 0
    for args in verbs:
        for form in FORMATS:
            done = subprocess.run([sextant, *map(str, args), "-f", form, "-q", "-o", out],
                                  capture_output=True, timeout=120)
            if done.returncode == 2:
                assert b"does not write" in done.stderr, (args, form, done.stderr)
                continue
            assert b"simulated" in out.read_bytes().lower(), (args, form)
            written += 1
    assert written >= 30, written


def start_recording(path, *args):
    return subprocess.Popen([sextant, "record", "-q", "-o", str(path), *args],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def rows_in(path, code=0):
    info = json.loads(run("capture", "info", path, "--json", code=code).stdout)
    return info, sum(d["rows"] for d in info["devices"])


# What started this test may ignore it (nohup), and what we start would inherit that.
signal.signal(signal.SIGHUP, signal.SIG_DFL)


def wait_for_rows(path, count):
    """Until so many rows are in the file of a recording that goes on."""
    def has_rows():
        told = run("capture", "info", path, "--json", code=None).stdout
        return told and sum(d["rows"] for d in json.loads(told)["devices"]) >= count
    wait_until(has_rows)


def test_signals():
    """Whatever ends a recording, what was flushed is readable."""
    cases = [(signal.SIGHUP, ["-d", "mali-g310", "-I", "1ms"]), (signal.SIGQUIT, ["-d", "cpu", "-I", "2ms"]),
             (signal.SIGTERM, ["-d", "cpu", "-I", "2ms"]), (signal.SIGKILL, ["-d", "cpu", "-I", "2ms"]),
             (signal.SIGINT, ["-d", "mali-g310", "-d", "cpu", "-I", "2ms"]),
             (signal.SIGKILL, ["-d", "mali-g310", "-I", "1ms"])]
    for i, (number, args) in enumerate(cases):
        path = folder / f"signal-{i}.sxc"
        recorder = start_recording(path, *args)
        wait_for_rows(path, 1)
        recorder.send_signal(signal.SIGSTOP)
        time.sleep(0.05)
        recorder.send_signal(signal.SIGCONT)
        wait_for_rows(path, 21)
        recorder.send_signal(number)
        recorder.communicate(timeout=60)
        info, rows = rows_in(path, code=int(number == signal.SIGKILL))
        assert rows > 20, (number, rows)
        assert info["clean"] == (number != signal.SIGKILL), number
        clean = number != signal.SIGKILL
        assert recorder.returncode == (0 if clean else -signal.SIGKILL), recorder.returncode


def test_guests():
    """The program keeps what it was started with, and gets each signal once."""
    counter = ("import signal,sys,time\n"
               "n=[0]\n"
               "signal.signal(signal.SIGTERM, lambda *a: n.__setitem__(0, n[0]+1))\n"
               "print('ready', flush=True)\n"
               "end=time.monotonic()+60\n"
               "while not n[0] and time.monotonic()<end: time.sleep(0.05)\n"
               "time.sleep(0.7)\n"  # for a second one to come
               "print(n[0])\n")
    guest = subprocess.Popen([sextant, "stat", "-d", "cpu", "-o", os.devnull, "--", sys.executable,
                              "-c", counter], stdout=subprocess.PIPE, text=True)
    assert guest.stdout.readline() == "ready\n"
    guest.send_signal(signal.SIGTERM)
    assert guest.stdout.read() == "1\n"
    guest.wait(60)
    show = ("import signal;"
            "print([int(signal.getsignal(n)==signal.SIG_IGN) for n in (1,2,13,15,10,12)],"
            "sorted(map(int,signal.pthread_sigmask(signal.SIG_BLOCK,[]))))")

    def ignore():
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        signal.signal(signal.SIGUSR1, signal.SIG_IGN)
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2])
    alone = subprocess.run([sys.executable, "-c", show], capture_output=True, text=True,
                           preexec_fn=ignore).stdout
    under = subprocess.run([sextant, "stat", "-d", "cpu", "-o", os.devnull, "--", sys.executable,
                            "-c", show], capture_output=True, text=True, preexec_fn=ignore).stdout
    assert alone and alone == under, (alone, under)


def test_terminal():
    """What is typed at a terminal reaches the program once."""
    counter = ("import signal,time\n"
               "n=[0]\n"
               "signal.signal(signal.SIGINT, lambda *a: n.__setitem__(0, n[0]+1))\n"
               "print('ready', flush=True)\n"
               "end=time.monotonic()+60\n"
               "while not n[0] and time.monotonic()<end: time.sleep(0.05)\n"
               "time.sleep(0.7)\n"  # for a second one to come
               "print('interrupts:', n[0], flush=True)\n")
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(sextant, [sextant, "stat", "-d", "cpu", "-o", os.devnull, "--", sys.executable,
                           "-c", counter])
    seen = b""
    while b"ready" not in seen:
        seen += os.read(terminal, 1000)
    os.write(terminal, b"\x03")
    try:
        while b"interrupts: " not in seen or not seen.rstrip(b"^C").endswith(b"\n"):
            seen += os.read(terminal, 1000)
    except OSError:
        pass  # the other end is closed
    os.waitpid(pid, 0)
    assert b"interrupts: 1\r\n" in seen, seen


def test_nothing_is_replaced_too_early():
    path = folder / "kept.sxc"
    path.write_text("precious")
    run("record", "-d", "cpu", "-o", path, "--", "/no/such/program", code=127)
    run("record", "-d", "no-such-device", "-o", path, "--", "true", code=3)
    run("record", "-d", "cpu", "-I", "1us", "-o", path, "--", "true", code=2)
    assert path.read_text() == "precious"


def main():
    tests = [value for name, value in sorted(globals().items(), key=lambda v: ORDER(v[0]))
             if name.startswith("test_")]
    failed = 0
    for test in tests:
        try:
            test()
        except AssertionError as error:
            failed += 1
            print(f"FAILED {test.__name__}: {str(error)[:400]}")
    shutil.rmtree(folder)
    print(f"{len(tests)} tests, {failed} failed")
    sys.exit(1 if failed else 0)


def ORDER(name):
    """The round trip makes the captures that others read."""
    return name != "test_round_trip", name


main()
