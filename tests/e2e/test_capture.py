#!/usr/bin/env python3
"""Captures end to end: an independent reader gets the same rows as the command, a recording that is
killed, interrupted or runs out of disk stays readable, and every verb that reads takes them.

SEXTANT_KILLS says how often a recording is killed (20)."""
import csv
import io
import json
import os
import pathlib
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time

try:
    import xxhash  # noqa: F401
    import zstandard  # noqa: F401
except ImportError as missing:
    print(f"cannot run here: {missing}")
    sys.exit(77)

here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here.parent / "oracle"))
import read_capture  # noqa: E402
from command import Command, csv_rows, usual_signals, wait_until

sextant, make_capture = sys.argv[1:3]
run = Command(sextant, code=0)
usual_signals()
os.environ["SEXTANT_CATALOG_PATH"] = str(here.parent / "data")
folder = pathlib.Path(tempfile.mkdtemp(prefix="sextant-capture-"))
KILLS = int(os.environ.get("SEXTANT_KILLS", "20"))
FLUSH_NS = 250_000_000
KINDS = ("time", "frame", "group", "context", "dump", "process", "row", "pass", "draw", "kernel",
         "command-buffer", "submit", "queue")
SLACK_NS = 250_000_000  # the disk's, and of readings one after the other


def waited_ns(pid):
    """How long threads of a process were ready to run and had no CPU: by the kernel, and where the host took it."""
    total = 0
    for thread in pathlib.Path(f"/proc/{pid}/task").iterdir():
        try:
            total += int((thread / "schedstat").read_text().split()[1])
        except OSError:
            continue  # it has ended, or this kernel does not tell
    stolen = int(pathlib.Path("/proc/stat").read_text().split(maxsplit=9)[8])
    return total + stolen * 1_000_000_000 // os.sysconf("SC_CLK_TCK")


def same_rows(path, device=None, code=0):
    """The command's export against the Python reader, number by number."""
    capture = read_capture.Capture(path)
    for number, about in sorted(capture.devices.items()):
        if device is not None and number != device:
            continue
        args = ["export", path, "--counters", "-d", str(number)]
        exported = list(csv.reader(io.StringIO(run(*args, code=code).stdout)))
        if about["flags"] & 1:
            said = [row.pop(0) for row in exported]
            assert said == ["simulated"] + ["true"] * (len(exported) - 1)
        if "sample_kind" in exported[0]:
            at = exported[0].index("sample_kind")
            assert {row.pop(at) for row in exported[1:]} <= {KINDS[about["kind"]]}
            exported[0].pop(at)
        due = list(read_capture.table(capture, number))
        known = dict(about["constants"])
        constants = exported[0][len(due[0]):]  # behind the counters, the same in every row
        assert set(constants) <= set(known), f"{constants}, not {known}"
        for row in exported[1:]:
            for name, cell in zip(constants, row[len(due[0]):]):
                assert float(cell) == float(known[name]), f"{name}: {cell}"
        exported = [row[:len(due[0])] for row in exported]
        assert exported[0] == due[0], f"{exported[0]} is not {due[0]}"
        assert len(exported) == len(due), f"{len(exported)} rows, not {len(due)}"
        for n, (got, want) in enumerate(zip(exported[1:], due[1:])):
            for name, a, b in zip(due[0], got, want):
                fits = float(a) == b if isinstance(b, float) and a else a == str(b)
                assert fits, f"row {n}, {name}: {a!r} is not {b!r}"
    return capture


def test_sample():
    path = folder / "sample.sxc"
    subprocess.run([make_capture, path], check=True)
    capture = same_rows(path, 0, code=1)  # it tells a loss
    assert capture.clean and not capture.damage
    assert [len(rows) for rows in capture.rows.values()] == [50, 3]
    assert [kind for kind, _, _ in capture.others] == ["clock", "loss", "gap", "note"]
    assert capture.others[1][2] == (10, 20, 3, 0, "a buffer ran over")
    info = json.loads(run("capture", "info", path, "--json", code=1).stdout)
    assert [d["rows"] for d in info["devices"]] == [50, 3] and info["clean"]
    assert info["devices"][0]["constants"] == {"Cores": 4, "Bus": 0.5}
    assert info["losses"] == [{"device": 0, "begin_ns": 10, "end_ns": 20, "samples": 3,
                               "why": "a buffer ran over"}]
    text = run("capture", "info", path, code=1).stdout
    assert "lost: 3 samples" in text and "a buffer ran over" in text, text


def test_damage():
    """Both readers give the same rows of damaged files, and both say that they are."""
    whole = (folder / "sample.sxc").read_bytes()
    path = folder / "damaged.sxc"
    chance = random.Random(4)
    for _ in range(12):
        data = bytearray(whole[:chance.randrange(len(whole) // 2, len(whole))])
        if chance.random() < 0.7:
            data[chance.randrange(600, len(data))] ^= 1 << chance.randrange(8)
        path.write_bytes(data)
        capture = read_capture.Capture(path)
        done = subprocess.run([sextant, "capture", "check", path, "--json"], capture_output=True)
        assert done.returncode == 1, done.stderr
        found = json.loads(done.stdout)
        assert [d["rows"] for d in found["devices"]] == \
            [len(rows) for _, rows in sorted(capture.rows.items())]


def test_record():
    path = folder / "cpu.sxc"
    done = run("record", "-d", "cpu", "-I", "5ms", "-t", "600ms", "-o", path)
    assert "recorded" in done.stderr and not done.stdout
    capture = same_rows(path)
    assert len(capture.rows[0]) > 10
    assert dict(capture.properties)["interval"] == "5000000 ns"
    clocks = [value for kind, _, value in capture.others if kind == "clock"]
    assert len(clocks) >= 2 and {name for name, _, _ in clocks[0]} == {"monotonic", "realtime", "boottime"}
    run("capture", "check", path)


def test_verbs():
    path = folder / "cpu.sxc"
    stat = json.loads(run("stat", "-i", path, "--json").stdout)
    rows = len(read_capture.Capture(path).rows[0])
    assert stat["samples"]["count"] == rows and stat["devices"][0]["catalog"] == "cpu"
    values = json.loads(run("eval", "-i", path, "--json").stdout)
    assert len(values["rows"]) == rows
    lines = run("export", path, "--format", "ndjson").stdout.splitlines()
    assert len(lines) == rows and "begin_ns" in json.loads(lines[0])
    document = json.loads(run("export", path, "--json").stdout)
    assert document["schema"] == "sextant.export/1" and len(document["devices"][0]["rows"]) == rows
    assert "cpu_busy" in run("list", "metrics", "-i", path).stdout
    assert "cpu_busy" in run("explain", "cpu_busy", "-i", path).stdout
    times = read_capture.Capture(path).rows[0]
    begin = time.monotonic_ns()
    run("stat", "-i", path, "--realtime")
    took, due = time.monotonic_ns() - begin, times[-1]["end"] - times[0]["end"]
    assert took >= due > 0, f"{due} ns were replayed in {took} ns"


def test_copies():
    path, part, both, clean = (folder / name for name in ("cpu.sxc", "part", "both", "clean"))
    rows = read_capture.Capture(path).rows[0]
    first = rows[0]["begin"]
    run("capture", "cut", path, "--from", "200ms", "--to", "400ms", "-o", part)
    kept = same_rows(part).rows[0]
    assert kept == [r for r in rows
                    if first + 200_000_000 < r["end"] <= first + 400_000_000]
    cuts = [folder / name for name in ("before", "after")]
    for cut, limit in zip(cuts, ("--to", "--from")):
        run("capture", "cut", path, limit, "333ms", "-o", cut)
    assert [row for cut in cuts for row in same_rows(cut).rows[0]] == rows  # the one across the cut once
    run("capture", "merge", path, folder / "sample.sxc", "--offset=0s", "-o", both)
    merged = read_capture.Capture(both)
    assert [d["catalog"] for d in merged.devices.values()] == ["cpu", "example"]
    assert merged.rows[0] == rows and len(merged.rows[1]) == 53
    run("capture", "anonymise", folder / "sample.sxc", "-o", clean)
    nameless = read_capture.Capture(clean)
    assert b"here" not in clean.read_bytes() and "hello" not in str(nameless.others)
    assert nameless.rows[0][0]["begin"] == 0
    assert {r["labels"].get("group") for r in nameless.rows[0]} == {None, "group 1", "group 2"}
    run("capture", "cut", path, "-o", path, code=2)
    assert same_rows(path).rows[0] == rows


def test_report():
    """A stream of records gives what a table in memory gives, and groups what Python adds up."""
    path = folder / "cpu.sxc"
    stat = json.loads(run("stat", "-i", path, "--json", "-m", "all").stdout)
    report = json.loads(run("report", path, "--json", "-m", "all").stdout)
    assert report["devices"][0]["samples"] == stat["samples"]["count"]
    due = {m["name"]: m for m in stat["metrics"]}
    assert len(report["metrics"]) == len(due) > 10
    for metric in report["metrics"]:
        for key in ("total", "mean", "min", "p50", "p95", "p99", "max", "why"):
            a, b = metric[key], due[metric["name"]][key]
            same = a == b or (a is not None and b is not None and key != "why" and
                              abs(a - b) <= 1e-9 * abs(b))
            assert same, f"{metric['name']} {key}: {a} is not {b}"
    text = run("report", path, env={"COLUMNS": "80"}).stdout
    wide = run("report", path, env={"COLUMNS": "140"}).stdout
    assert max(map(len, text.splitlines())) <= 80 and "p50" not in text and "p50" in wide


def test_groups():
    path = folder / "sample.sxc"
    options = ["-d", "0", "--csv", "--counters", "-m", "Clocks"]
    rows = read_capture.Capture(path).rows[0]
    by_group, by_frame = {}, {}
    for row in rows:
        value = row["values"][0][0]
        group = row["labels"].get("group", "(none)")
        by_group[group] = by_group.get(group, 0) + value & 2**64 - 1
        by_frame[row["labels"]["frame"]] = value
    found = csv_rows(run("report", path, "--by", "group", *options, code=1).stdout)
    assert {r["group"]: int(r["Clocks"]) for r in found} == by_group, found
    found = csv_rows(run("report", path, "--by", "frame", "--top", "7", "--sort", "Clocks", *options,
                         code=1).stdout)
    due = sorted(by_frame.items(), key=lambda item: -item[1])[:7]
    assert [(int(r["frame"]), int(r["Clocks"])) for r in found] == due, found
    run("report", path, "--by", "instance", *options, code=3)
    run("report", path, "--by", "nothing", *options, code=2)


def test_several_devices():
    path = folder / "several.sxc"
    for milliseconds in (500, 2000, 8000):  # a busy machine has a CPU for us now and then
        run("record", "-d", "cpu,mali-g625", "-I", "10ms", "-t", f"{milliseconds}ms", "-o", path)
        capture = same_rows(path)
        assert sorted(d["catalog"] for d in capture.devices.values()) == ["cpu", "mali-g625"]
        counts = [len(rows) for rows in capture.rows.values()]
        if min(counts) > 5:
            break
    assert min(counts) > 5, f"{counts} rows of {milliseconds // 10}"
    simulated = [d["flags"] & 1 for _, d in sorted(capture.devices.items(),
                                                  key=lambda item: item[1]["catalog"])]
    assert simulated == [0, 1]
    report = run("report", path).stdout
    assert "SIMULATED" in report and "run_queue" in report, report


def recording(*args):
    return subprocess.Popen([sextant, "record", "-d", "cpu", *map(str, args)], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)


def has_rows(path):
    return path.exists() and path.stat().st_size > 2500


def wait_for_rows(path):
    wait_until(has_rows, path)


def test_interrupt():
    for number in (signal.SIGINT, signal.SIGTERM):
        path = folder / f"interrupted-{number}.sxc"
        child = recording("-I", "5ms", "-o", path)
        wait_for_rows(path)
        child.send_signal(number)
        _, told = child.communicate(timeout=60)
        assert child.returncode == 0 and "recorded" in told, told
        run("capture", "check", path)


def catches(pid, number):
    """Whether a process has a handler of its own for a signal."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    caught = next(line for line in status.splitlines() if line.startswith("SigCgt:")).split()[1]
    return bool(int(caught, 16) >> number - 1 & 1)


def whole(path):
    """Whether a recording of this name has ended: it is there, and empty, before its head is."""
    return path.exists() and path.stat().st_size >= 40 and read_capture.Capture(path).clean


def test_ring():
    path = folder / "ring.sxc"
    child = recording("-I", "5ms", "--keep", "500ms", "-o", path)
    wait_until(catches, child.pid, signal.SIGUSR2)
    time.sleep(1.5)
    for name in ("ring.sxc", "ring-2.sxc"):
        child.send_signal(signal.SIGUSR2)
        wait_until(whole, folder / name)
        rows = read_capture.Capture(folder / name).rows[0]
        length = rows[-1]["end"] - rows[0]["begin"]
        # What is kept goes in parts of 250 ms, which are longer where the writer has no CPU.
        most = 1_500_000_000 + waited_ns(child.pid)
        assert 500_000_000 < length < most, f"{length} ns kept"
        assert len(rows) > 5, f"{len(rows)} rows"  # a hundred, where there is a CPU for them
    child.send_signal(signal.SIGINT)
    _, told = child.communicate(timeout=60)
    assert child.returncode == 0 and "2 dumps" in told, told


def test_ring_at_the_last_moment():
    """A dump that is asked for when the program ends is written."""
    for i in range(5):
        path = folder / f"last-{i}.sxc"
        done = run("record", "-d", "cpu", "-I", "5ms", "--keep", "5s", "-o", path, "--", "sh", "-c",
                   "sleep 0.1; kill -USR2 $PPID")
        assert "1 dump" in done.stderr, done.stderr
        assert read_capture.Capture(path).clean


def test_two_recorders_at_once():
    """The second is refused before its program runs; the first, which lasts until then, is whole."""
    for i in range(4):
        path, told, refused = folder / f"race-{i}.sxc", folder / f"race-{i}", folder / f"refused-{i}"
        both = [subprocess.Popen([sextant, "record", "-q", "-d", "cpu", "-o", path, "--", "sh", "-c",
                                  f"echo {name} >>{told}; until [ -e {refused} ]; do sleep 0.1; done"],
                                 stderr=subprocess.PIPE, text=True) for name in "ab"]
        try:
            wait_until(lambda: any(child.poll() is not None for child in both))
        finally:
            refused.touch()
        ended = [(child.communicate(timeout=60)[1], child.returncode) for child in both]
        assert sorted(code for _, code in ended) == [0, 4], ended
        assert any("another recording is written to it" in said for said, _ in ended), ended
        assert len(told.read_text().split()) == 1, told.read_text()
        run("capture", "check", path)
    # What could not be started leaves no file behind.
    none = folder / "none-begun.sxc"
    script = folder / "script"
    script.write_text("#!/no/such/interpreter\n")
    script.chmod(0o755)
    done = subprocess.run([sextant, "record", "-d", "cpu", "-o", none, "--", script], capture_output=True, timeout=60)
    assert done.returncode and not none.exists(), done


def test_full_disk():
    path = folder / "full.sxc"

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (9000, 9000))
    child = subprocess.Popen([sextant, "record", "-d", "cpu", "-I", "1ms", "-t", "2s", "-o", path],
                             stderr=subprocess.PIPE, text=True, preexec_fn=limit)
    _, told = child.communicate(timeout=60)
    assert child.returncode == 1, f"exit {child.returncode}: {told}"
    assert "cannot write" in told and "try:" in told, told
    assert "warning: cannot write" in told, told  # when it happened
    assert path.stat().st_size <= 9000
    capture = read_capture.Capture(path)
    assert capture.clean and not capture.damage and len(capture.rows[0]) > 5
    assert "lost while it was recorded: " in run("capture", "info", path, code=1).stdout


def test_full_file_system():
    """The disk itself is full: there is still room for the index, and nothing is kept afterwards."""
    place = folder / "small"
    place.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "none", place], capture_output=True).returncode:
        print("cannot mount here")
        return
    try:
        path = place / "full.sxc"
        (place / "others").write_bytes(bytes((2 << 20) - (150 << 10)))
        done = subprocess.run([sextant, "record", "-d", "mali-g625", "-I", "1ms", "-t", "3s", "-o", path],
                              capture_output=True, text=True, timeout=60)
        assert done.returncode == 1 and "No space left" in done.stderr, done
        capture = read_capture.Capture(path)
        assert capture.clean and not capture.damage and len(capture.rows.get(0, [])) > 5, done
    finally:
        subprocess.run(["umount", place], check=True)


def test_two_recorders():
    path = folder / "two.sxc"
    first = recording("-I", "2ms", "-o", path)
    wait_for_rows(path)
    done = run("record", "-d", "cpu", "-t", "50ms", "-o", path, code=4)
    assert "because: another recording" in done.stderr and "try: " in done.stderr, done.stderr
    first.send_signal(signal.SIGINT)
    first.communicate(timeout=60)
    assert first.returncode == 0
    assert read_capture.Capture(path).clean


def test_signals_that_end():
    for number in (signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM, signal.SIGINT):
        path = folder / f"ended-{number}.sxc"
        child = recording("-I", "2ms", "-o", path)
        wait_for_rows(path)
        child.send_signal(number)
        _, told = child.communicate(timeout=60)
        assert child.returncode == 0, (number, told)
        assert read_capture.Capture(path).clean, number


def has_late_rows(path):
    """Records enough, and rows after the 900 ms from which it is cut."""
    rows = read_capture.Capture(path).rows[0]
    late = [row for row in rows if row["begin"] > rows[0]["begin"] + 900_000_000]
    return len(late) > 40 and path.read_bytes().count(b"SXR\n\x03") > 4


def test_heads_alone():
    """info reads the heads of rows, check all of them; cut passes over what lies outside."""
    whole, hurt = folder / "heads.sxc", folder / "hurt.sxc"
    child = recording("-I", "2ms", "-o", whole)
    wait_for_rows(whole)
    wait_until(has_late_rows, whole)
    child.send_signal(signal.SIGINT)
    child.communicate(timeout=60)
    capture = read_capture.Capture(whole)
    data = bytearray(whole.read_bytes())
    rows = [at for at in range(16, len(data) - 32) if data[at:at + 5] == b"SXR\n\x03"]
    assert len(rows) >= 3, "too few records to tell"
    data[rows[0] + 32 + 60] ^= 0xff  # in the body of the first
    hurt.write_bytes(data)
    told = json.loads(run("capture", "info", hurt, "--json").stdout)
    assert told["rows"] == len(capture.rows[0]) and told["damage"]["records"] == 0, told
    told = json.loads(run("capture", "check", hurt, "--json", code=1).stdout)
    assert told["damage"]["records"] == 1, told
    # The damage lies before what is cut out: it is never met.
    run("capture", "cut", hurt, "--from", "900ms", "-o", folder / "late.sxc")
    assert 20 < len(read_capture.Capture(folder / "late.sxc").rows[0]) < len(capture.rows[0])
    same_rows(folder / "late.sxc")


def test_copies_that_lack():
    path = folder / "whole.sxc"
    run("record", "-d", "cpu", "-t", "100ms", "-I", "5ms", "-o", path)
    done = run("capture", "cut", path, "--from", "10s", "-o", folder / "none.sxc", code=1)
    assert "nothing is between" in done.stderr and "ms long" in done.stderr, done.stderr
    (folder / "copy.sxc").write_bytes(path.read_bytes())
    for other in (path, folder / "copy.sxc"):
        done = run("capture", "merge", path, other, "-o", folder / "twice.sxc", code=2)
        assert "same recording" in done.stderr and "try: " in done.stderr, done.stderr
    assert not (folder / "twice.sxc").exists()
    data = path.read_bytes()
    (folder / "part.sxc").write_bytes(data[:len(data) // 2])
    second = folder / "second.sxc"
    run("record", "-d", "cpu", "-t", "50ms", "-I", "5ms", "-o", second)
    done = run("capture", "merge", second, folder / "part.sxc", "-o", folder / "both.sxc", code=1)
    assert "part.sxc" in done.stderr, done.stderr


def test_a_cut_is_incomplete():
    """Whoever reads a recording that was cut is told: by the exit status, and in the result's head."""
    whole, cut = folder / "whole.sxc", folder / "cut.sxc"
    run("record", "-q", "-d", "cpu", "-I", "20ms", "-t", "200ms", "-o", whole)
    cut.write_bytes(whole.read_bytes()[:-40])
    for path, code in ((whole, 0), (cut, 1)):
        for args in (["report", path], ["export", path], ["advise", path], ["stat", "-i", path],
                     ["eval", "-i", path], ["explain", "cpu_busy", "-i", path], ["diff", whole, path],
                     ["report", path, "--by", "time"]):
            run(*args, code=code)
        says = {}
        for suffix in ("txt", "json", "html", "pftrace", "prom"):
            out = folder / f"head.{suffix}"
            run(*(["export"] if suffix in ("pftrace", "prom") else ["report"]), path, "-o", out, code=code)
            says[suffix] = b"did not end cleanly" in b" ".join(out.read_bytes().split())
        assert set(says.values()) == {path == cut}, (path, says)
    assert "# TYPE sextant_incomplete gauge" in (folder / "head.prom").read_text()


def test_check():
    """check ends with 1 for whatever lacks: an end, a bit, samples; and says what."""
    path, hurt = folder / "checked.sxc", folder / "checked-hurt.sxc"
    run("record", "-q", "-d", "cpu", "-I", "10ms", "-t", "200ms", "-o", path)
    assert "sound" in run("capture", "check", path).stdout
    whole, chance = path.read_bytes(), random.Random(7)
    ends = [at for at in range(16, len(whole)) if whole[at:at + 4] == b"SXR\n"]
    for at in [ends[2], ends[-1], len(whole) - 1] + [chance.randrange(ends[1], len(whole)) for _ in range(6)]:
        hurt.write_bytes(whole[:at])
        assert "not whole" in run("capture", "check", hurt, code=1).stdout, f"cut at {at}"
        run("capture", "info", hurt, code=1)
    for _ in range(10):
        data, at = bytearray(whole), chance.randrange(16, len(whole))
        data[at] ^= 1 << chance.randrange(8)
        hurt.write_bytes(data)
        assert "not whole" in run("capture", "check", hurt, code=1).stdout, f"a bit of byte {at}"

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))
    done = run("record", "-d", "cpu", "-I", "1ms", "-t", "1s", "-o", hurt, code=1, preexec_fn=limit)
    assert "\nlost: " in done.stderr, done.stderr
    said = run("capture", "check", hurt, code=1).stdout
    assert "sound" in said and "lost" in said, said


def test_sync():
    """What --sync promises is asked of the kernel; seen from outside as calls of fdatasync."""
    path = folder / "sync.sxc"
    run("record", "-d", "cpu", "-t", "300ms", "--sync", "50ms", "-o", path)
    assert read_capture.Capture(path).clean
    done = run("record", "-d", "cpu", "--sync", "1s", "--keep", "1s", "-o", path, code=2)
    assert "exclude each other" in done.stderr
    done = run("record", "-d", "cpu", "--sync", "5", "-o", path, code=2)
    assert "5s" in done.stderr or "unit" in done.stderr, done.stderr


def kill(child, path):
    """How much of a recording is lost when it is killed, in ns."""
    slack = FLUSH_NS + SLACK_NS + waited_ns(child.pid)  # without a CPU nothing can be written
    child.send_signal(signal.SIGKILL)
    killed = time.monotonic_ns()
    child.communicate(timeout=60)
    capture = read_capture.Capture(path)
    assert not capture.damage and not capture.clean
    lost = killed - capture.rows[0][-1]["end"]
    assert lost <= slack, f"{lost / 1e6:.0f} ms were lost, not {slack / 1e6:.0f}"
    return lost


def test_kill():
    """Some at a time, since nearly all of it is waiting."""
    worst = 0
    chance = random.Random()
    paths = [folder / f"killed-{n}.sxc" for n in range(5)]
    for _ in range(0, KILLS, len(paths)):
        children = []
        for path in paths:
            path.unlink(missing_ok=True)
            children.append((recording("-I", "2ms", "-o", path), path))
        for path in paths:
            wait_for_rows(path)
        due = sorted((time.monotonic() + chance.random() * 0.4, n) for n in range(len(paths)))
        for at, n in due:
            time.sleep(max(at - time.monotonic(), 0))
            worst = max(worst, kill(*children[n]))
    print(f"{KILLS} kills, at most {worst / 1e6:.0f} ms lost")


def main():
    failed = 0
    for name, test in list(globals().items()):
        if not name.startswith("test_"):
            continue
        try:
            test()
            print(f"ok {name}")
        except AssertionError as wrong:
            failed += 1
            print(f"FAILED {name}: {wrong}")
    subprocess.run(["rm", "-rf", str(folder)], check=True)
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
