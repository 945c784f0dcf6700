"""Several processes and contexts through the command: each one's numbers, and those that outlive
the program that was started."""
import csv
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from command import Command, usual_signals  # noqa: E402

SEXTANT = os.environ["SEXTANT"]
PROGRAMS = os.environ["SEXTANT_GL_PROGRAMS"]
INERT = os.path.join(os.path.dirname(__file__), "../../../preload/inert.py")


def path(name):
    return os.path.join(PROGRAMS, name)


class Processes(unittest.TestCase):
    def setUp(self):
        if not os.path.exists(path("gl-lives")):
            self.skipTest("not built here")
        alone = subprocess.run([path("gl-lives"), "plain"], capture_output=True)
        if alone.returncode == 77:
            self.skipTest(alone.stderr.decode())

    sextant = Command(SEXTANT, code=0)

    def frames(self, done):
        device, = json.loads(done.stdout)["devices"]
        return device

    def test_children_that_outlive_the_program(self):
        """The program that was started ends at once; what it left behind draws 20 frames each."""
        done = self.sextant("stat", "-d", "gl", "-m", "Frames,frame_time", "--json", "--",
                            path("gl-outlive"), path("gl-lives"), "plain", code=3)
        device = self.frames(done)
        self.assertEqual(device["samples"], 40)
        self.assertEqual([(p["name"], p["samples"], p["contexts"]) for p in device["processes"]],
                         [("gl-lives", 20, 1)] * 2)
        self.assertEqual(len({p["pid"] for p in device["processes"]}), 2)

    def test_what_an_interrupted_program_leaves_behind(self):
        """A shell's programs in its background ignore SIGINT: who has interrupted the shell does not wait for them."""
        for number in (signal.SIGINT, signal.SIGTERM):
            with tempfile.TemporaryDirectory() as folder:
                began, out = os.path.join(folder, "began"), os.path.join(folder, "out")
                run = subprocess.Popen([SEXTANT, "stat", "-d", "gl", "-m", "Frames", "-o", out, "--", "sh", "-c",
                                        f"{path('gl-slices')} 100000 & touch {began}; wait"], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL, start_new_session=True, preexec_fn=usual_signals)
                try:
                    while not os.path.exists(began):
                        time.sleep(0.01)
                    time.sleep(1)
                    run.send_signal(number)
                    self.assertEqual(run.wait(8), 128 + number)
                finally:
                    os.killpg(run.pid, signal.SIGKILL)
                with open(out, encoding="utf-8") as told:
                    self.assertIn(f"ended by signal {number:d}", " ".join(told.read().split()))

    def test_children_that_execute_nothing(self):
        """Forked before there was any OpenGL: each child is a program of its own, and so is its parent."""
        done = self.sextant("stat", "-d", "gl", "-m", "Frames", "--json", "--", path("gl-lives"), "fork-first")
        device = self.frames(done)
        self.assertEqual(sorted((p["name"], p["samples"], p["contexts"]) for p in device["processes"]),
                         [("gl-lives", frames, 1) for frames in (10, 20, 30)])
        self.assertEqual(len({p["pid"] for p in device["processes"]}), 3)

    def test_programs_that_are_killed(self):
        """However a program ends, its frames are all there; of the last ones no counter is known, and none is made
        up."""
        codes = {"killed": 137, "quick": 4, "quick-exit": 4, "plain": 0}
        for case in codes:
            with self.subTest(case):
                done = self.sextant("stat", "-d", "gl", "--overhead", "0", "-m", "Frames,frame_time,IAVertices",
                                    "--json", "--", path("gl-lives"), case, "200", code=codes[case])
                document = json.loads(done.stdout)
                total = {m["name"]: m["total"] for m in document["metrics"]}
                self.assertEqual((self.frames(done)["samples"], total["Frames"]), (200, 200))
                self.assertLessEqual(total["IAVertices"], 600)
                if case == "plain":
                    self.assertEqual(total["IAVertices"], 600)

    def test_each_in_the_head(self):
        done = self.sextant("stat", "-d", "gl", "-m", "Frames", "--", path("gl-outlive"),
                            path("gl-lives"), "plain", code=3)
        self.assertRegex(done.stdout, r"(?m)^  gl-lives \(\d+\): 20 frames in ")

    def test_each_context_in_the_head(self):
        """Contexts of one program have rates of their own; of many the first, and how many more there are."""
        done = self.sextant("stat", "-d", "gl", "-m", "Frames", "--", path("gl-lives"), "threads")
        self.assertRegex(done.stdout, r"(?m)^  gl-lives \(\d+\): 160 frames, 4 contexts\n"
                                      r"(    context \d: 40 frames in [\d.]+ m?s \([\d.]+( k)?/s\)\n){4}\n")
        device = self.frames(self.sextant("stat", "-d", "gl", "-m", "Frames", "--json", "--", path("gl-lives"), "churn"))
        process, = device["processes"]
        self.assertEqual((process["contexts"], process["samples"]), (150, 300))
        self.assertEqual([(c["context"], c["samples"]) for c in process["each_context"]], [(i, 2) for i in range(16)])
        self.assertLess(max(c["duration_ns"] for c in process["each_context"]), process["duration_ns"])
        done = self.sextant("stat", "-d", "gl", "-m", "Frames", "--", path("gl-lives"), "churn")
        self.assertIn("    146 more contexts (report --by context)\n", done.stdout)

    def test_time_of_several_contexts_is_counted_once(self):
        with tempfile.TemporaryDirectory() as folder:
            capture = os.path.join(folder, "a.sxc")
            self.sextant("record", "-d", "gl", "-o", capture, "--", path("gl-lives"), "alternate")
            whole = json.loads(self.sextant("report", capture, "--json").stdout)
            groups = {by: self.grouped(capture, "--by", by)["groups"] for by in ("process", "context")}
        process, = groups["process"]
        one, other = groups["context"]
        self.assertLessEqual(process["time_ns"], whole["duration_ns"])
        self.assertGreater(process["time_ns"], max(one["time_ns"], other["time_ns"]) - 1)
        self.assertLess(process["time_ns"], 0.9 * (one["time_ns"] + other["time_ns"]))

    def test_totals_that_lack_samples_are_told(self):
        """Of one of six frames nothing is known: the program ran a query of its own."""
        shown = self.sextant("stat", "-d", "gl", "--overhead", "0", "-m", "Frames,IAVertices", "--",
                             path("gl-guest"), "own-core").stdout
        self.assertRegex(shown, r"(?m)^  Frames +6 ")
        self.assertRegex(shown, r"(?m)^  IAVertices: the total is too low, [\d.]+ % of the samples were counted$")
        whole = self.sextant("stat", "-d", "gl", "--overhead", "0", "-m", "Frames,IAVertices", "--",
                             path("gl-lives"), "plain").stdout
        self.assertNotIn("lacks", whole)

    def test_one_line_for_one_quantity(self):
        """Counters that a metric restates have no line of their own, unless they are asked for."""
        shown = self.sextant("stat", "-d", "gl", "--", path("gl-lives"), "plain").stdout
        self.assertRegex(shown, r"(?m)^  frame_time ")
        self.assertNotRegex(shown, r"(?m)^  FrameTime ")
        asked = self.sextant("stat", "-d", "gl", "-m", "FrameTime,frame_time", "--",
                             path("gl-lives"), "plain").stdout
        self.assertRegex(asked, r"(?m)^  FrameTime ")

    def test_the_program_before_the_machine(self):
        """The CPU's rows come first here; what was drawn is still what views begin with."""
        with tempfile.TemporaryDirectory() as folder:
            capture = os.path.join(folder, "late.sxc")
            self.sextant("record", "-q", "-o", capture, "--", "sh", "-c",
                         "sleep 0.4; exec " + path("gl-lives") + " plain")
            written = [d["source"] for d in self.document("capture", "info", capture)["devices"]]
            self.assertEqual(written, ["cpu", "gl"])
            for verb in (["report", capture], ["stat", "-i", capture]):
                document = self.document(*verb)
                ids = {d["catalog"]: d["id"] for d in document["devices"]}
                self.assertEqual(ids, {"cpu": 0, "opengl": 1})  # in the order of the file
                self.assertEqual(document["metrics"][0]["device"], ids["opengl"])
                text = self.sextant(*verb).stdout
                heads = [text.index("\n" + d["name"]) for d in document["devices"]]
                self.assertGreater(heads[0], heads[1])  # the CPU below what was drawn
            frames = self.grouped(capture, "--by", "frame")
            self.assertEqual((frames["id"], frames["for"], frames["count"]), (1, "opengl", 20))
            longest = self.grouped(capture, "--by", "frame", "--sort", "frame_time", "--top", "3")
            values = [g["values"]["frame_time"] for g in longest["groups"]]
            self.assertEqual(values, sorted(values, reverse=True))
            refused = self.sextant("report", capture, "--by", "frame", "--sort", "nonesuch",
                                   code=3)
            self.assertIn("in catalog opengl", refused.stderr)

    def document(self, *arguments):
        return json.loads(self.sextant(*arguments, "--json").stdout)

    def grouped(self, capture, *arguments):
        """The one device that has such groups."""
        device, = self.document("report", capture, *arguments)["devices"]
        return device

    def same_everywhere(self, capture, *options):
        """stat -i, report, export and advise of one recording, with these options."""
        parts = ("total", "mean", "min", "p50", "p95", "p99", "max", "running", "why")
        stat = self.document("stat", "-i", capture, *options)
        report = self.document("report", capture, *options)
        ours = {m["name"]: [m.get(p) for p in parts] for m in stat["metrics"]}
        theirs = {m["name"]: [m.get(p) for p in parts] for m in report["metrics"]}
        # Without -m stat shows raw counters as well.
        for name, values in theirs.items():
            for a, b in zip(ours[name], values):
                if isinstance(a, float) and isinstance(b, float):
                    self.assertAlmostEqual(a, b, delta=1e-9 * abs(b), msg=name)
                else:
                    self.assertEqual(a, b, name)
        self.assertTrue(len(theirs) > 20 or list(ours) == list(theirs))
        self.assertEqual(stat["devices"][0]["samples"], report["devices"][0]["samples"])
        # export is in the catalog's units, reports are in base units.
        plain = {m["name"] for m in stat["metrics"] if not {"s", "Hz"} & set(m["unit"].split("/"))}
        table, = self.document("export", capture, *options)["devices"]
        self.assertEqual(len(table["rows"]), stat["devices"][0]["samples"])
        for i, name in enumerate(table["metrics"]):
            values = [row[i] for row in table["rows"] if isinstance(row[i], (int, float))]
            if values and name in plain:
                self.assertAlmostEqual(min(values), ours[name][2], delta=1e-9 * abs(min(values)))
                self.assertAlmostEqual(max(values), ours[name][6], delta=1e-9 * abs(max(values)))
        if "-m" not in options:
            said = self.document("advise", capture, *options)
            self.assertEqual([f["rule"] for f in stat["findings"]], [f["rule"] for f in said["findings"]])
            self.assertEqual(said["verdict"], report["verdict"])
        return ours

    def test_a_run_and_its_recording(self):
        """What is drawn is known: the same live, recorded, and in every verb on the recording."""
        with tempfile.TemporaryDirectory() as folder:
            capture = os.path.join(folder, "x.sxc")
            run = ("-d", "gl", "--overhead", "0")
            def whole(ask):
                """What was asked, of a run in which no result came too late (as it may where the rasteriser waits long for a CPU)."""
                for _ in range(5):
                    document = ask()
                    if all(m["running"] == 1 for m in document["metrics"] if m["name"].startswith("IA")):
                        break
                return document

            def record():
                self.sextant("record", *run, "-q", "-o", capture, "--", path("gl-lives"), "plain")
                return self.document("report", capture)

            whole(record)
            recorded = self.same_everywhere(capture)
            self.same_everywhere(capture, "-m", "frame_time,Frames")
            live = whole(lambda: json.loads(self.sextant(
                "stat", *run, "-m", "Frames,IAVertices,IAPrimitives", "--json", "--", path("gl-lives"), "plain").stdout))
            live = {m["name"]: m["total"] for m in live["metrics"]}
            self.assertEqual(live["Frames"], 20)
            for name, total in live.items():
                self.assertEqual(total, recorded[name][0], name)

    def covered(self, capture):
        """ns in which any sample of a capture ran."""
        rows = csv.DictReader(io.StringIO(self.sextant("export", capture, "--counters", "--csv").stdout))
        total = end = 0
        for begin, until in sorted((int(row["begin_ns"]), int(row["end_ns"])) for row in rows):
            total += max(until - max(begin, end), 0)
            end = max(end, until)
        return total

    def test_by_process_and_context(self):
        with tempfile.TemporaryDirectory() as folder:
            capture = os.path.join(folder, "x.sxc")
            self.sextant("record", "-d", "gl", "-o", capture, "--", path("gl-lives"), "threads")
            groups = self.grouped(capture, "-m", "Frames", "--by", "context")["groups"]
            self.assertEqual(sorted(g["key"] for g in groups), ["0", "1", "2", "3"])  # whose frame ends first comes first
            self.assertEqual([g["rows"] for g in groups], [40] * 4)
            group, = self.grouped(capture, "-m", "Frames", "--by", "process")["groups"]
            self.assertRegex(group["key"], r"^gl-lives \(\d+\)$")
            self.assertEqual(group["rows"], 160)
            pid = group["key"].split("(")[1][:-1]
            for asked in ("gl-lives", pid):
                done = self.sextant("stat", "-i", capture, "-m", "Frames", "--process", asked, "--json")
                self.assertEqual(self.frames(done)["samples"], 160)
                frames = self.frames(done)["frames"]
                # Four contexts at once: in the time that any of them drew, not in the sum of theirs.
                self.assertAlmostEqual(frames["fps"], 160e9 / self.covered(capture), places=3)
            done = self.sextant("stat", "-i", capture, "-m", "Frames", "--context", "2", "--json")
            self.assertEqual(self.frames(done)["samples"], 40)
            for options, rows in ((("--process", pid), 160), (("--context", "2"), 40),
                                  (("--process", "gl-lives", "--context", "0"), 40)):
                self.same_everywhere(capture, *options)
                self.assertEqual(len(self.document("export", capture, *options)["devices"][0]["rows"]), rows)
                head, = self.document("advise", capture, *options)["devices"]
                self.assertEqual(head["rows"], rows)
                diff = self.document("diff", capture, capture, *options)
                self.assertEqual(diff["a"]["samples"], rows)
            frames = self.grouped(capture, "--context", "1", "--by", "frame")
            self.assertEqual(frames["count"], 40)
            for verb in ("report", "export", "advise"):
                refused = self.sextant(verb, capture, "--process", "nobody", code=1)
                self.assertIn("error: no sample is of process nobody", refused.stderr)

    def test_one_process_live(self):
        done = self.sextant("stat", "-d", "gl", "-m", "Frames", "--process", "gl-lives", "--json",
                            "--", path("gl-lives"), "fork")
        # While it waits for its child, on a busy machine for more than a second, work without a swap is a sample.
        total, = (metric["total"] for metric in json.loads(done.stdout)["metrics"] if metric["name"] == "Frames")
        self.assertEqual(total, 35)
        done = self.sextant("stat", "-d", "gl", "-m", "Frames", "--process", "nobody", "--json",
                            "--", path("gl-lives"), "plain", code=1)
        self.assertEqual(self.frames(done)["samples"], 0)
        self.assertIn("no sample is of process nobody", done.stderr)

    def test_work_that_no_swap_ends(self):
        """Samples that were spared are there, too: what was drawn is known, and what was counted is scaled to it."""
        for case in ("long-finish", "long-drawable"):
            for options in (("--overhead", "0"), ()):
                done = self.sextant("stat", "-d", "gl", *options, "-m", "DrawCalls,IAVertices", "--json", "--",
                                    path("gl-lives"), case)
                metrics = {m["name"]: m for m in json.loads(done.stdout)["metrics"]}
                self.assertEqual(metrics["DrawCalls"]["total"], 60, (case, options))
                vertices = metrics["IAVertices"]
                if options:
                    self.assertEqual(vertices["total"], 180, case)
                else:
                    self.assertTrue(vertices["total"] == 180 or vertices["running"] < 1, (case, vertices))

    def test_cpu_time_is_counted_once(self):
        """Four contexts in one process: not four times the CPU time that the kernel tells."""
        before = os.times()
        done = self.sextant("stat", "-d", "gl", "-m", "cpu_time", "--json", "--",
                            path("gl-lives"), "threads")
        after = os.times()
        total, = [m["total"] for m in json.loads(done.stdout)["metrics"]]
        spent = after.children_user + after.children_system - before.children_user - \
            before.children_system
        self.assertGreater(total, 0)
        self.assertLess(total, spent)

    def test_cpu_time_of_contexts_at_once_is_whole(self):
        """Samples of four threads come in any order: no less CPU time than the process took while all of them drew, and no more than it ever did."""
        for overhead in ("0", "5"):
            done = self.sextant("stat", "-d", "gl", "-m", "cpu_time", "--overhead", overhead, "--json", "-o", "/dev/stderr", "--",
                                path("gl-known"), "four-threads", "400")
            total, = [m["total"] for m in json.loads(done.stderr)["metrics"]]
            meanwhile, ever = (int(word) / 1e9 for word in re.search(r"process (\d+) (\d+)", done.stdout).groups())
            self.assertGreater(total, 0.95 * meanwhile, overhead)
            self.assertLess(total, ever, overhead)


class Reasons(unittest.TestCase):
    """Why nothing was measured: the true reason, and no word of the loader in the program."""

    def why(self, *command):
        done = Command(SEXTANT)("stat", "-d", "gl", "--", *command, code=1)
        self.assertNotIn("ld.so", done.stderr)
        return " ".join(done.stderr.split())

    def test_dynamic(self):
        self.assertIn("no OpenGL context was made current", self.why(path("gl-idle")))

    def test_a_result_whatever_the_status(self):
        """A program's status is no error of the command's: what an earlier run left is replaced."""
        with tempfile.TemporaryDirectory() as folder:
            result = os.path.join(folder, "r.json")
            for status in (0, 1, 2, 5):
                with open(result, "w") as file:
                    file.write("of an earlier run")
                Command(SEXTANT, code=status or 1)("stat", "-d", "gl", "--json", "-o", result, "--", "sh", "-c", f"exit {status}")
                with open(result) as file:
                    self.assertEqual(json.load(file)["exit"], status)

    def test_what_stays_behind_is_waited_for_once(self):
        """Each API gives what the program leaves behind two seconds to begin to draw: all of them at once."""
        with tempfile.TemporaryDirectory() as folder:
            late = os.path.join(folder, "late")
            behind = f"(sleep 5; touch {late}) >/dev/null 2>&1 & exit 0"
            Command(SEXTANT, code=0)("stat", "--", "sh", "-c", behind)
            self.assertFalse(os.path.exists(late))

    def test_static(self):
        self.assertIn("gl-idle-static is statically linked", self.why(path("gl-idle-static")))

    def test_cleared_environment(self):
        self.assertIn("LD_PRELOAD was taken out of the environment of",
                      self.why("env", "-i", path("gl-idle")))

    def test_another_user(self):
        """It goes on as somebody who does not reach the channel; its environment is what it was."""
        if os.geteuid() != 0:
            self.skipTest("only root can become another user")
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            program = shutil.copy(path("gl-idle"), folder)
            become = "import os, sys; os.setgid(65534); os.setuid(65534); os.execv(sys.argv[1], sys.argv[1:])"
            reads = [sys.executable, "-c", become, shutil.which("head"), "-c", "1", os.environ["SEXTANT_GL_LIBRARY"]]
            if subprocess.run(reads, capture_output=True, check=False).returncode:
                self.skipTest("another user does not reach the library where it was built")
            self.assertIn("another user's (65534)", self.why(sys.executable, "-c", become, program))

    def test_the_library_is_missing(self):
        """The CPU's profile alone looks as if the program did not draw."""
        away = dict(os.environ, SEXTANT_PRELOAD_DIR="/nonexistent")
        done = Command(SEXTANT)("stat", "--", path("gl-idle"), env=away)
        self.assertIn("note: not measured: opengl: its library is missing: libsextant-gl.so is not in /nonexistent", " ".join(done.stderr.split()))
        self.assertNotIn("is missing", Command(SEXTANT)("stat", "--", path("gl-idle")).stderr)

    def test_sextant_within(self):
        with open(SEXTANT, "rb") as file:
            if b"__asan_init" in file.read():
                self.skipTest("a sanitizer's runtime wants to come before every preloaded library")
        done = self.why(SEXTANT, "stat", "-d", "gl", "--", path("gl-idle"))
        self.assertIn("a sextant that runs in it", done)

    def test_a_sanitizer_in_the_program(self):
        """Its runtime refuses to start behind a library that was put in front, unless it is told not to look."""
        if not os.path.exists(path("gl-lives-asan")):
            self.skipTest("no sanitizer here")
        document, done = Command(SEXTANT).measure([path("gl-lives-asan"), "handed"], "stat", "-d", "gl", "--overhead", "0",
                                                  env={"ASAN_OPTIONS": "detect_leaks=0"})
        self.assertEqual(document["samples"]["count"], 25, done.stderr)

    def test_set_user_id(self):
        if os.geteuid() != 0:
            self.skipTest("only root can make one for another user")
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            program = shutil.copy(path("gl-idle"), folder)
            os.chown(program, 65534, 65534)
            os.chmod(program, 0o4755)
            if os.statvfs(folder).f_flag & os.ST_NOSUID:
                self.skipTest("mounted without set-user-ID")
            self.assertIn("set-user-ID", self.why(program))

    def test_32_bit(self):
        program = path("gl-idle-32")
        if not os.path.exists(program) or not os.path.exists("/lib/ld-linux.so.2"):
            self.skipTest("no 32-bit programs here")
        # It loads a library of its own kind, and is one of those that could have drawn.
        self.assertIn("no OpenGL context was made current", self.why(program))

    def test_32_bit_without_a_compiler(self):
        """The empty library in its place: the loader is content, and the reason is told."""
        program = path("gl-idle-32")
        if not os.path.exists(program) or not os.path.exists("/lib/ld-linux.so.2"):
            self.skipTest("no 32-bit programs here")
        with tempfile.TemporaryDirectory() as folder:
            library = os.path.join(folder, "libsextant-gl.so")
            subprocess.run([sys.executable, INERT, library], check=True)
            done = subprocess.run([program], env=dict(os.environ, LD_PRELOAD=library),
                                  capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    result = unittest.main(exit=False).result
    if result.testsRun and len(result.skipped) == result.testsRun:
        sys.exit(77)
    sys.exit(not result.wasSuccessful())
