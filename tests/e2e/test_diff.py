#!/usr/bin/env python3
"""diff, compare, stat -r and gates through the command, from start to end.

Captures are made of MangoHud logs that this script writes with a change and noise that it knows;
means and percentiles are worked out here again. A real pair is one OpenGL program with another
number of triangles.

usage: test_diff.py SEXTANT [GL_PROGRAMS]
"""
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree as ElementTree

from command import Command, usual_signals
import xvfb

SEXTANT = sys.argv[1]
run = Command(SEXTANT, code=0)
usual_signals()
SEED = 20261121


def mangohud(path, frames_ms):
    """A log of one run: its frames, and a GPU load that does not change."""
    with open(path, "w", encoding="utf-8") as out:
        out.write("os,cpu,gpu,ram,kernel,driver,cpuscheduler\n")
        out.write("Debian,Some CPU,Some GPU,16000000,6.1,Mesa 22.3.6,\n")
        out.write("fps,frametime,cpu_load,gpu_load,elapsed\n")
        elapsed = 0
        for ms in frames_ms:
            elapsed += int(ms * 1e6)
            out.write(f"{1000 / ms:.3f},{ms:.6f},30,{60},{elapsed}\n")


class Diff(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.random = random.Random(SEED)
        self.addCleanup(shutil.rmtree, self.folder)

    def log(self, name, mean=10.0, frames=400, noise=0.05, shift=0.0):
        """One run: frames around a mean that itself differs by `shift` from run to run."""
        path = os.path.join(self.folder, name)
        centre = mean * (1 + self.random.gauss(0, shift))
        values = [max(0.1, self.random.gauss(centre, centre * noise)) for _ in range(frames)]
        mangohud(path, values)
        return path, values

    def test_rates_leave_out_the_warm_up(self):
        """Frames a second and shares of time are of the same frames as the frame time beside them."""
        path, at = os.path.join(self.folder, "slow-start.csv"), 0
        with open(path, "w", encoding="utf-8") as out:
            out.write("begin_ns,end_ns,frame,quality,Frames,FrameTime (s),D3DGPUTime (s)\n")
            for i in range(200):
                length = 100000000 if i < 2 else 10000000 + 1000000 * (i % 3)
                out.write(f"{at},{at + length},{i},,1,{length / 1e9},0.005\n")
                at += length
        recording = os.path.join(self.folder, "slow-start.sxc")
        run("import", "-q", path, "--for", "opengl", "-o", recording)
        copy = os.path.join(self.folder, "copy.sxc")
        shutil.copy(recording, copy)
        rows = {m["name"]: m["a"]["mean"] for m in json.loads(run("diff", recording, copy, "--json").stdout)["metrics"]}
        frame = rows["frame_time"]
        self.assertLess(frame, 0.0111)  # as long as those behind the two slow ones
        self.assertAlmostEqual(rows["frames_per_second"], 1 / frame, delta=1e-6 / frame)
        self.assertAlmostEqual(rows["gpu_time_share"], 100 * 0.005 / frame, delta=1e-4)

    def test_partial_runs_are_not_exact(self):
        """A frame without a result may have drawn anything: what the others drew is no exact result of the run."""
        paths = []
        for i, lost in enumerate((None, 7, 8)):
            paths.append(os.path.join(self.folder, f"{i}.csv"))
            with open(paths[i], "w", encoding="utf-8") as out:
                out.write("begin_ns,end_ns,frame,quality,Frames,IAVertices\n")
                for frame in range(100):
                    begin, vertices = frame * 1000000, 3 if frame % 2 else 27
                    gone = frame == lost
                    out.write(f"{begin},{begin + 1000000},{frame},{'gap' if gone else ''},1,{'' if gone else vertices}\n")
        for a, b, exact in ((0, 0, True), (0, 1, False), (1, 2, False)):
            sides = [paths[a], paths[b]]
            if a == b:
                sides[1] = shutil.copy(paths[a], os.path.join(self.folder, "copy.csv"))
            document = self.diff(*sides, "--for", "opengl", "-m", "IAVertices")
            row, = (m for m in document["metrics"] if m["name"] == "IAVertices")
            self.assertEqual(row["exact"], exact, (a, b, row))

    def side(self, name, count=5, **how):
        return ",".join(self.log(f"{name}{i}.csv", **how)[0] for i in range(count))

    def diff(self, *args, code=0):
        return run.document("diff", *args, code=code)

    def frame_time(self, doc):
        rows = [m for m in doc["metrics"] if m["name"] in ("frame_time", "frame.time")]
        self.assertEqual(len(rows), 1, [m["name"] for m in doc["metrics"]])
        return rows[0]

    def capture(self, log):
        path = log[:-4] + ".sxc"
        run("import", log, "-o", path, "-q")
        return path

    def test_numbers(self):
        a, values = self.log("a.csv", frames=1000)
        doc = self.diff(self.capture(a), self.capture(self.log("b.csv", frames=1000)[0]))
        row = self.frame_time(doc)
        self.assertEqual(doc["schema"], "sextant.diff/1")
        self.assertEqual(row["unit"], "s")
        self.assertAlmostEqual(row["a"]["min"], min(values) / 1e3, delta=1e-8)
        self.assertAlmostEqual(row["a"]["max"], max(values) / 1e3, delta=1e-8)
        ordered = sorted(values)
        self.assertAlmostEqual(row["a"]["p50"], ordered[499] / 1e3, delta=1e-6)
        # The first tenth of a run is warm-up.
        settled = [v for i, v in enumerate(values) if sum(values[:i]) > sum(values) / 10]
        self.assertAlmostEqual(row["a"]["mean"], sum(settled) / len(settled) / 1e3, delta=2e-5)
        self.assertEqual(row["verdict"], "same", row)

    def test_known_change(self):
        """5 % slower with 1 % between runs is worse; the way back is better; the same is same."""
        a = self.side("a", shift=0.01)
        b = self.side("b", mean=10.5, shift=0.01)
        c = self.side("c", shift=0.01)
        worse, better = self.frame_time(self.diff(a, b)), self.frame_time(self.diff(b, a))
        self.assertEqual((worse["verdict"], better["verdict"]), ("worse", "better"))
        self.assertAlmostEqual(worse["change"], 0.05, delta=0.02)
        self.assertLess(worse["chance"], 0.02)
        self.assertEqual(self.frame_time(self.diff(a, c))["verdict"], "same")

    def test_same_file_twice(self):
        a = self.capture(self.log("a.csv")[0])
        doc = self.diff(a, a)
        self.assertTrue(doc["comparable"])
        self.assertEqual({m["verdict"] for m in doc["metrics"]} - {"incomparable"}, {"same"})
        self.assertTrue(all(not m["change"] for m in doc["metrics"]))

    def test_runs_of_different_length(self):
        doc = self.diff(self.log("a.csv", frames=300)[0], self.log("b.csv", frames=1200)[0])
        self.assertEqual(self.frame_time(doc)["verdict"], "same")
        short = self.diff(self.log("c.csv", frames=3)[0], self.log("d.csv", frames=3)[0], code=None)
        self.assertEqual(self.frame_time(short)["verdict"], "incomparable")
        self.assertIn("too few", self.frame_time(short)["why"])

    def test_gates(self):
        a = self.side("a", shift=0.005)
        b = self.side("b", mean=12, shift=0.005)
        cases = [("frame_time < +5%", False), ("frame_time < +50%", True),
                 ("frame_time.p95 < 16.6ms", True), ("frame_time.max<1us", False),
                 ("frame_time >= 11ms", True), ("frame_time.p50 <= 0.02", True)]
        for gate, passes in cases:
            doc = self.diff(a, b, "--gate", gate, code=0 if passes else 6)
            self.assertEqual([g["passed"] for g in doc["gates"]], [passes], gate)
        self.diff(a, b, "--gate", cases[0][0], "--gate-warn")
        both = self.diff(a, b, *[w for g, _ in cases for w in ("--gate", g)], code=6)
        self.assertEqual([g["passed"] for g in both["gates"]], [p for _, p in cases])

    def test_gates_that_cannot_be_judged(self):
        a, b = self.log("a.csv")[0], self.log("b.csv")[0]
        doc = self.diff(a, b, "--gate", "no_such < 5", code=1)
        self.assertIsNone(doc["gates"][0]["passed"])
        self.assertIn("no such metric", doc["gates"][0]["why"])
        self.diff(a, b, "--gate", "no_such < 5", "--gate-missing", "skip")
        run("diff", a, b, "--gate", "frame_time < 5s", "--gate-missing", "perhaps", code=2)
        for gate in ("frame_time", "frame_time < fast", "< 5ms", "frame_time = 5ms", "frame_time < 5MB", "frame_time.p95 < 20m"):
            done = run("diff", "-q", a, b, "--gate", gate, code=2)
            self.assertEqual(len(done.stderr.strip().splitlines()), 3, done.stderr)

    def test_junit_of_gates_that_cannot_be_judged(self):
        """CI reads the file: what was not judged is not among what passed or was left out."""
        a, b = self.log("a.csv")[0], self.log("b.csv")[0]
        for options, key, code in (([], "errors", 1), (["--gate-missing", "skip"], "skipped", 0)):
            done = run("diff", a, b, "--gate", "no_such < 5", "-f", "junit", *options, code=code)
            suite = ElementTree.fromstring(done.stdout)[0]
            self.assertEqual(int(suite.get(key)), len(suite.findall(f"testcase/{'error' if key == 'errors' else key}")))
            self.assertGreaterEqual(int(suite.get(key)), 1)

    def test_a_run_named_twice(self):
        a, b = self.log("a.csv")[0], self.log("b.csv")[0]
        self.assertIn("twice", run("diff", f"{a},{a}", b, code=2).stderr)

    def test_gates_file_and_report(self):
        a = self.capture(self.log("a.csv")[0])
        gates = os.path.join(self.folder, "gates")
        with open(gates, "w", encoding="utf-8") as out:
            out.write("# budget\nframe_time.p99 < 33ms # two frames\n\nframe_time < 1ms\n")
        done = run("report", a, "--gates", gates, "--json", code=6)
        self.assertEqual([g["passed"] for g in json.loads(done.stdout)["gates"]], [True, False])
        self.assertIn("FAILED", run("report", a, "--gates", gates, code=6).stdout)
        run("report", a, "--gate", "frame_time < +5%", code=1)
        with open(gates, "a", encoding="utf-8") as out:
            out.write("nonsense\n")
        self.assertIn(":5:", run("report", a, "--gates", gates, code=5).stderr)

    def test_baseline(self):
        a, b = self.side("a", shift=0.005), self.side("b", mean=11, shift=0.005)
        base = os.path.join(self.folder, "base.json")
        run("diff", a, "--update-baseline", base)
        with open(base, encoding="utf-8") as file:
            self.assertEqual(json.load(file)["schema"], "sextant.baseline/1")
        plain, by_base = self.diff(a, b), self.diff(base, b)
        for one, two in zip(plain["metrics"], by_base["metrics"]):
            self.assertEqual(one["verdict"], two["verdict"], one["name"])
            if one["change"] is not None:
                self.assertAlmostEqual(one["change"], two["change"], places=9)
        self.assertEqual(self.diff("--baseline", base, b)["metrics"], by_base["metrics"])

    def test_bad_baselines(self):
        a = self.log("a.csv")[0]
        base = os.path.join(self.folder, "base.json")
        run("diff", a, "--update-baseline", base)
        with open(base, encoding="utf-8") as file:
            text = file.read()
        bad = [text[:len(text) // 2], text.replace('"means": [', '"means": [1, 2, '),
               text.replace('"unit"', '"tinu"'), text.replace('"runs": 1', '"runs": 99999999999'),
               text.replace('"device": 0', '"device": 77'),
               re.sub('"means": \\[[^,\\]]+', '"means": [1e999', text),
               re.sub('"within": \\[[^,\\]]+', '"within": [-1', text)]
        for i, content in enumerate(bad):
            self.assertNotEqual(content, text, i)
            with open(base, "w", encoding="utf-8") as file:
                file.write(content)
            done = run("diff", "-q", base, a, code=5)
            self.assertEqual(len(done.stderr.strip().splitlines()), 3, done.stderr)

    def test_other_devices(self):
        """Only what has a neutral name is compared between devices."""
        a, b = self.log("a.csv")[0], self.log("b.csv")[0]
        with open(b, encoding="utf-8") as file:
            text = file.read()
        with open(b, "w", encoding="utf-8") as file:
            file.write(text.replace("Some GPU", "Another GPU"))
        doc = self.diff(a, b, code=None)
        self.assertEqual(doc["why_not"], "the devices differ")
        whys = {m["why"] for m in doc["metrics"] if m["verdict"] == "incomparable"}
        self.assertIn("the devices differ", whys)
        self.assertEqual(self.frame_time(doc)["verdict"], "same")

    def test_cut_capture(self):
        a, b = self.capture(self.log("a.csv")[0]), self.capture(self.log("b.csv")[0])
        with open(b, "r+b") as file:
            file.truncate(os.path.getsize(b) - 40)
        self.assertIn("did not end cleanly", run("diff", a, b, code=1).stderr)
        with open(b, "r+b") as file:
            file.seek(os.path.getsize(b) // 2)
            file.write(b"\xff" * 64)
        self.assertIn("note", run("diff", a, b, code=None).stderr)
        with open(b, "r+b") as file:
            file.truncate(20)
        run("diff", a, b, code=5)

    def test_formats(self):
        a, b = self.side("a", shift=0.005), self.side("b", mean=12, shift=0.005)
        gate = ["--gate", "frame_time < +5%", "--gate", "no_such < 1"]
        root = ElementTree.fromstring(run("diff", a, b, *gate, "-f", "junit", code=6).stdout)
        suite = root.find("testsuite")
        self.assertEqual(int(suite.get("failures")), len(root.findall(".//failure")))
        self.assertEqual(int(suite.get("skipped")), len(root.findall(".//skipped")))
        self.assertEqual(int(suite.get("tests")), len(root.findall(".//testcase")))
        page = run("diff", a, b, *gate, "-f", "markdown", code=6).stdout
        self.assertIn("| metric | A | B | change | verdict |", page)
        for line in page.splitlines():
            if line.startswith("|"):
                self.assertIn(line.replace("\\|", "").count("|"), (5, 6), line)
        text = run("diff", a, b, code=0).stdout
        self.assertIn("worse", text)
        self.assertLessEqual(max(len(line) for line in text.splitlines()
                                 if self.folder not in line), 80)
        run("diff", a, b, "-f", "csv", code=2)

    def test_percentiles_and_deadline(self):
        """The tail of frame times and missed deadlines have rows of their own."""
        def side(name, late):
            paths = []
            for i in range(4):
                path = os.path.join(self.folder, f"{name}{i}.csv")
                frames = [self.random.gauss(10, 0.2) for _ in range(500)]
                for k in range(late):
                    frames[60 + 7 * k] = 25 + self.random.random()
                mangohud(path, frames)
                paths.append(path)
            return ",".join(paths)
        doc = self.diff(side("a", 1), side("b", 20), "--fps", "60")
        rows = {m["name"]: m for m in doc["metrics"]}
        self.assertEqual(rows["deadline_misses"]["verdict"], "worse")
        self.assertAlmostEqual(rows["deadline_misses"]["a"]["mean"], 1 / 500, places=9)
        self.assertAlmostEqual(rows["deadline_misses"]["b"]["mean"], 20 / 500, places=9)
        self.assertEqual(rows["frame_time.p50"]["verdict"], "same")
        self.assertEqual(rows["frame_time.p99"]["verdict"], "worse")
        self.assertGreater(rows["frame_time.p99"]["b"]["mean"], 0.024)

    def test_what_is_named_has_a_row(self):
        """In every format, also where it is the same, where a side lacks it, or both, with the reason."""
        names = ['frame_time', 'gpu_busy', 'gpu_power', 'cpu.ipc']
        whys = [None, 'gpu_busy: the run did not collect it', 'GpuPower: the run did not collect it',
                'the device or driver has no such counter (catalog monitor)']
        sides = [os.path.join(self.folder, side + '.csv') for side in 'ab']
        for path, busy in zip(sides, (40, '')):
            with open(path, 'w', encoding='ascii') as file:
                file.write('frame,frame_time (ms),gpu_busy\n' + ''.join(f'{i},{20 + i % 2},{busy}\n' for i in range(9)))
        rows = {m['name']: m for m in self.diff(*sides, '-m', ','.join(names), code=1)['metrics']}
        self.assertEqual([(rows[name]['verdict'], rows[name]['why']) for name in names], [('incomparable' if why else 'same', why) for why in whys])
        text = run('diff', *sides, '-m', ','.join(names), code=1).stdout
        table = run('diff', *sides, '-m', ','.join(names), '-f', 'markdown', code=1).stdout.replace('\\_', '_')
        for name, why in zip(names, whys):
            self.assertRegex(text, rf'(?m)^{name} .* {"incomparable" if why else "same"}$')
            self.assertEqual(f' {name}: not compared: {why} ' in ' '.join(text.split()) + ' ', why is not None)
            self.assertRegex(table, rf'(?m)^\| {name} \|.*\| {re.escape(f"incomparable: {why}") if why else "same"} \|$')
        self.assertNotRegex(run('diff', *sides).stdout, '(?m)^(frame_time|gpu_power) ')  # nothing was named

    def test_old_captures(self):
        """Captures of version 0.1 are read; what they were made with is said."""
        folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../data/captures")
        for name in sorted(os.listdir(folder)):
            path = os.path.join(folder, name)
            doc = self.diff(path, path)
            self.assertEqual({m["verdict"] for m in doc["metrics"]} - {"incomparable"}, {"same"})
            run("report", path)
            run("export", path, "-f", "csv")
        gl = os.path.join(folder, "v0.1-gl.sxc")
        self.assertIn("another version of catalog", run("report", gl).stderr)
        self.assertIn("glmark2", self.diff(gl, gl)["a"]["about"])

    def test_commit_is_told(self):
        path = os.path.join(self.folder, "c.sxc")
        subprocess.run([SEXTANT, "record", "-q", "-d", "cpu", "-I", "10ms", "-n", "5", "-o", path],
                       check=True, env=dict(os.environ, GITHUB_SHA="0123abcd"))
        self.assertIn("commit 0123abcd", self.diff(path, path)["a"]["about"])
        self.assertIn("0123abcd", run("diff", path, path, "-f", "markdown").stdout)

    def test_usage(self):
        a = self.log("a.csv")[0]
        for args in (["diff"], ["diff", a, "-q"], ["compare", "--", "true"],
                     ["compare", "--", "true", ":::"], ["compare", "true"],
                     ["compare", "--", ":::", "true"], ["compare", "--", "true", ":::", "true", ":::", "true"]):
            done = run(*args, code=2)
            self.assertEqual(len(done.stderr.strip().splitlines()), 3, done.stderr)
        run("diff", a, os.path.join(self.folder, "none.sxc"), code=5)


class Programs(unittest.TestCase):
    """Real runs of commands, on the CPU source, which is everywhere."""

    BUSY = "import time\nt=time.process_time()\nwhile time.process_time()-t<{}: pass"

    def command(self, seconds):
        return [sys.executable, "-c", self.BUSY.format(seconds)]

    def test_compare(self):
        done = run("compare", "-n", "2", "-d", "cpu", "-I", "20ms", "--json", "--",
                   *self.command(0.2), ":::", *self.command(0.2), code=None)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        doc = json.loads(done.stdout)
        self.assertEqual((doc["a"]["runs"], doc["b"]["runs"]), (2, 2))
        self.assertIn("python", doc["a"]["files"][0])

    def test_a_program_that_fails(self):
        fails = [sys.executable, "-c", self.BUSY.format(0.1) + "\nraise SystemExit(7)"]
        done = run("compare", "-n", "1", "-d", "cpu", "-I", "20ms", "--", *self.command(0.1), ":::",
                   *fails, code=1)
        self.assertIn("run 1 of B ended with 7", done.stderr)
        run("stat", "-r", "2", "-d", "cpu", "-I", "20ms", "--", *fails, code=7)

    def test_signals(self):
        """What was measured before the signal is told; nothing else is left."""
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        out = os.path.join(folder, "out.json")
        for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
            with self.subTest(number):
                with open(out, "w", encoding="utf-8") as file:
                    file.write("old")
                child = subprocess.Popen(
                    [SEXTANT, "compare", "-n", "500", "-d", "cpu", "-I", "20ms", "--json", "-o", out, "--",
                     *self.command(0.1), ":::", *self.command(0.1)],
                    env={**os.environ, "TMPDIR": folder}, stderr=subprocess.PIPE, text=True)
                end = time.monotonic() + 60
                while time.monotonic() < end and not any(
                        "run-4" in f for _, _, files in os.walk(folder) for f in files):
                    time.sleep(0.01)
                child.send_signal(number)
                _, told = child.communicate(timeout=60)
                self.assertEqual(child.returncode, 1, told)
                self.assertIn("a signal ended it", told)
                with open(out, encoding="utf-8") as file:
                    self.assertGreaterEqual(json.load(file)["a"]["runs"], 1)
                self.assertEqual(os.listdir(folder), ["out.json"])

    def test_one_run_is_one(self):
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "out.txt")
            child = subprocess.Popen([SEXTANT, "stat", "-r", "500", "-d", "cpu", "-I", "20ms", "-o", out, "--", "sleep", "1"],
                                     env={**os.environ, "TMPDIR": folder}, stderr=subprocess.DEVNULL)
            end = time.monotonic() + 60
            while time.monotonic() < end and not any("run-2" in f for _, _, files in os.walk(folder) for f in files):
                time.sleep(0.01)
            child.send_signal(signal.SIGINT)
            child.wait(60)
            with open(out, encoding="utf-8") as file:
                self.assertIn("\n1 run; each mean", file.read())

    def test_compare_program_that_is_not_there(self):
        """The error and the status are those of one run, whatever makes the runs."""
        missing = "/no/such/program"
        one = run("stat", "-d", "cpu", "--", missing, code=127)
        self.assertEqual(one.stderr.count("error:"), 1)
        for args in (("stat", "-r", "2", "-d", "cpu", "--", missing), ("compare", "-n", "2", "-d", "cpu", "--", missing, ":::", "true"),
                     ("compare", "-n", "2", "-d", "cpu", "--", "true", ":::", missing)):
            self.assertEqual(run(*args, code=127).stderr, one.stderr)
        few = ["sh", "-c", 'ulimit -n 6; exec "$@"', "sh", SEXTANT]
        have = [subprocess.run([*few, "stat", *args, "-d", "cpu", "--", "true"], capture_output=True, text=True, timeout=60, check=False)
                for args in ((), ("-r", "2"))]
        self.assertEqual((have[1].returncode, have[1].stderr), (have[0].returncode, have[0].stderr))
        self.assertEqual(have[0].returncode, 4)

    def record_gl(self, folder, name, scene, size):
        path = os.path.join(folder, name)
        with xvfb.Display() as display:
            done = subprocess.run([SEXTANT, "record", "-q", "-o", path, "-n", "60", "--overhead", "0", "--", "glmark2", "-b", scene,
                                   "--size", size], capture_output=True, text=True, timeout=120,
                                  env=display.environment())
        self.assertTrue(os.path.exists(path), done.stderr)
        return path

    @unittest.skipUnless(shutil.which("glmark2") and shutil.which("Xvfb"), "no glmark2")
    def test_one_scene_changed(self):
        """A real pair: the same model with another way to draw it, and with another window."""
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        a = self.record_gl(folder, "a.sxc", "build:use-vbo=true:nframes=100", "64x64")
        b = self.record_gl(folder, "b.sxc", "build:use-vbo=false:nframes=100", "64x64")
        c = self.record_gl(folder, "c.sxc", "shading:nframes=100", "64x64")
        d = self.record_gl(folder, "d.sxc", "build:use-vbo=true:nframes=100", "128x64")

        def vertices(one, two, code=0):
            doc = json.loads(run("diff", one, two, "--json", code=code).stdout)
            return doc, next(m for m in doc["metrics"] if m["name"] == "IAVertices")
        doc, row = vertices(a, b)
        self.assertEqual((row["verdict"], row["exact"]), ("same", True), row)
        doc, row = vertices(a, c)
        self.assertEqual((row["verdict"], row["exact"]), ("changed", True), row)
        doc, row = vertices(a, d, code=None)
        self.assertFalse(doc["comparable"])
        self.assertEqual((row["verdict"], row["why"]),
                         ("incomparable", "the pictures differ in size"))

    ASKED = ("import mmap, os, socket, struct\n"
             "s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)\n"
             "s.connect(os.environ['SEXTANT_CHANNEL'])\n"
             "fd = socket.recv_fds(s, 64, 1)[1][0]\n"
             "asked, = struct.unpack_from('<I', mmap.mmap(fd, 4096), 48)\n"
             "print('overhead', asked, file=open({!r}, 'a'))")

    def test_options_of_each_run(self):
        """What the command line asks of a recording is asked of every one."""
        with tempfile.TemporaryDirectory() as folder:
            log = os.path.join(folder, "log")
            program = [sys.executable, "-c", self.ASKED.format(log)]
            for words, permille in ((["compare", "-n", "1", "--overhead", "0"], 0),
                                    (["stat", "-r", "2", "--overhead", "2.5%"], 25)):
                both = [":::", *program] if words[0] == "compare" else []
                run(*words, "-d", "gl", "--", *program, *both, code=None)
                with open(log, encoding="utf-8") as file:
                    self.assertEqual(file.read(), f"overhead {permille}\n" * 2)
                os.unlink(log)
        began = time.monotonic()
        done = run("stat", "-r", "2", "-n", "3", "-d", "cpu", "-I", "20ms", "--json", "--", "sleep", "60", code=None)
        self.assertEqual(json.loads(done.stdout)["runs"], 2)
        self.assertLess(time.monotonic() - began, 60)

    def test_repeat(self):
        """Like perf stat -r: what a run took, not what a sample of it had."""
        done = run("stat", "-r", "3", "-d", "cpu", "-I", "20ms", "--json", "--",
                   *self.command(0.2))
        doc = json.loads(done.stdout)
        self.assertEqual(doc["runs"], 3)
        rows = {metric["name"]: metric for metric in doc["metrics"]}
        for metric in rows.values():
            self.assertEqual(len(metric["means"]), 3)
            self.assertAlmostEqual(metric["mean"], sum(metric["means"]) / 3,
                                   delta=1e-9 * max(1, abs(metric["mean"])))
        text = run("stat", "-r", "2", "-d", "cpu", "-I", "20ms", "--", "true").stdout
        self.assertEqual(text.count("+- is the standard deviation"), 1, text)
        clock, length = rows["TaskClock"], rows["run_time"]
        self.assertEqual((clock["of"], length["of"], rows["cpu_busy"]["of"]), ("total", "mean", "mean"))
        self.assertGreaterEqual(clock["mean"], 0.15)  # the program burns 0.2 s and starts
        self.assertGreaterEqual(length["mean"], 0.15)
        text = run("stat", "-r", "2", "-d", "cpu", "-I", "20ms", "--", *self.command(0.1)).stdout
        self.assertIn("those of a whole run", text)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
