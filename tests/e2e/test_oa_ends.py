#!/usr/bin/env python3
"""Live OA streams of the whole command against a fake kernel: whatever ends it, the kernel holds
nothing of it any more, and what it wrote is whole. Usage: test_oa_ends.py SEXTANT_ON_OA DRIVER (i915 or xe)"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

from command import Command, usual_signals, wait_until

SEXTANT, DRIVER = sys.argv[1:3]
folder = pathlib.Path(tempfile.mkdtemp(prefix="sextant-oa-ends-"))
state = folder / "state"
NOTHING = "configurations 0 streams 0"

sextant = Command(SEXTANT, code=0)
usual_signals()


def kernel():
    return state.read_text().strip() if state.exists() else ""


def start(*args, fake=""):
    state.unlink(missing_ok=True)
    child = subprocess.Popen([SEXTANT, *map(str, args)], text=True, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE,
                             env=dict(os.environ, SEXTANT_FAKE_STATE=str(state),
                                      SEXTANT_FAKE=DRIVER + fake))
    wait_until(lambda: "streams 1" in kernel() or child.poll() is not None)
    assert "streams 1" in kernel(), child.communicate()
    return child


def end(child, number=None, after=0.25):
    time.sleep(after)
    if number:
        child.send_signal(number)
    out, err = child.communicate(timeout=120)
    return child.returncode, out, err


def reports(path):
    """Rows of a raw recording, which must be read without any complaint."""
    done = sextant("decode", "-i", path, "--as", "i915-record", "-m", "GpuTime", "--json")
    assert not done.stderr, done.stderr
    return json.loads(done.stdout)["rows"]


def flushed(path):
    """Rows of a capture that nobody has ended."""
    done = sextant("capture", "info", path, "--json", code=None)
    info = json.loads(done.stdout) if done.stdout else {"rows": 0, "clean": False}
    assert not info["clean"], info
    return info["rows"]


def test_raw_recording():
    """Ended by a signal it is whole: no record is cut, and what was unread is in it."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        path = folder / "raw.rec"
        code, out, err = end(start("oa", "record", "-d", "card0", "-I", "1ms", "-o", path), number)
        assert (code, out, err) == (0, "", ""), (number, code, out, err)
        assert kernel() == NOTHING, (number, kernel())
        rows = reports(path)
        assert len(rows) > 100, (number, len(rows))


def test_raw_recording_of_a_card_that_goes():
    path = folder / "gone.rec"
    code, _, err = end(start("oa", "record", "-d", "card0", "-I", "1ms", "-o", path,
                             fake=" gone=2@200"))
    assert code == 1 and "ended after" in err, (code, err)
    assert len(reports(path)) > 50
    assert "streams 0" in kernel(), kernel()  # configurations go with the card


def test_self_test():
    """A signal kills it, as it would any program, but the kernel's configurations are gone."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        code, _, err = end(start("doctor", "--selftest", "-d", DRIVER), number, after=0.02)
        assert code == -number, (number, code, err)
        assert kernel() == NOTHING, (number, kernel())


def test_captures():
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        path = folder / "live.sxc"
        child = start("record", "-q", "-d", DRIVER, "-I", "2ms", "-o", path)
        child.send_signal(signal.SIGSTOP)
        time.sleep(0.05)
        child.send_signal(signal.SIGCONT)
        code, out, err = end(child, number)
        assert (code, out) == (0, ""), (number, code, err)
        assert kernel() == NOTHING, (number, kernel())
        info = sextant.document("capture", "info", path)
        assert info["clean"] and info["rows"] > 50 and not info["losses"], info
    path = folder / "killed.sxc"
    child = start("record", "-q", "-d", DRIVER, "-I", "2ms", "-o", path)
    wait_until(lambda: flushed(path) >= 50)
    before = flushed(path)
    end(child, signal.SIGKILL)
    assert 50 <= before <= flushed(path), (before, flushed(path))


def test_a_card_that_goes():
    """Cause, time and extent, in text and JSON, and of the recording as well; exit 1."""
    path = folder / "gone.sxc"
    code, out, err = end(start("stat", "-d", DRIVER, "-I", "2ms", "--json",
                               fake=" gone=2@300"))
    device = json.loads(out)["devices"][0]
    assert code == 1 and "ended after 0." in err, (code, err)
    assert device["samples"] > 50 and device["failure"], device
    code, _, err = end(start("record", "-d", DRIVER, "-I", "2ms", "-o", path,
                             fake=" gone=2@300"))
    assert code == 1 and "ended after 0." in err, (code, err)
    done = sextant("report", path, code=1)
    assert "ended after 0." in " ".join((done.stdout + done.stderr).split()), done
    assert "streams 0" in kernel(), kernel()


def main():
    tests = [value for name, value in sorted(globals().items()) if name.startswith("test_")]
    failed = 0
    for test in tests:
        try:
            test()
        except AssertionError as error:
            failed += 1
            print(f"FAILED {test.__name__}: {str(error)[:600]}")
    print(f"{len(tests)} tests, {failed} failed")
    sys.exit(1 if failed else 0)


main()
