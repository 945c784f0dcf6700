"""Several processes and contexts through the command: each one's numbers, and those that outlive
the program that was started."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

SEXTANT = os.environ["SEXTANT"]
PROGRAMS = os.environ["SEXTANT_GL_PROGRAMS"]


def path(name):
    return os.path.join(PROGRAMS, name)


class Processes(unittest.TestCase):
    def setUp(self):
        if not os.path.exists(path("gl-lives")):
            self.skipTest("not built here")
        alone = subprocess.run([path("gl-lives"), "plain"], capture_output=True)
        if alone.returncode == 77:
            self.skipTest(alone.stderr.decode())

    def sextant(self, *arguments, status=0):
        done = subprocess.run([SEXTANT, *arguments], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def frames(self, done):
        device, = json.loads(done.stdout)["devices"]
        return device

    def test_children_that_outlive_the_program(self):
        """The program that was started ends at once; what it left behind draws 20 frames each."""
        done = self.sextant("stat", "-d", "gl", "-m", "Frames,frame_time", "--json", "--",
                            path("gl-outlive"), path("gl-lives"), "plain", status=3)
        device = self.frames(done)
        self.assertEqual(device["samples"], 40)
        self.assertEqual([(p["name"], p["samples"], p["contexts"]) for p in device["processes"]],
                         [("gl-lives", 20, 1)] * 2)
        self.assertEqual(len({p["pid"] for p in device["processes"]}), 2)

    def test_each_in_the_head(self):
        done = self.sextant("stat", "-d", "gl", "-m", "Frames", "--", path("gl-outlive"),
                            path("gl-lives"), "plain", status=3)
        self.assertRegex(done.stdout, r"(?m)^  gl-lives \(\d+\): 20 frames in ")

    def test_by_process_and_context(self):
        with tempfile.TemporaryDirectory() as folder:
            capture = os.path.join(folder, "x.sxc")
            self.sextant("record", "-d", "gl", "-o", capture, "--", path("gl-lives"), "threads")
            groups = json.loads(self.sextant("report", capture, "-m", "Frames", "--by", "context",
                                             "--json").stdout)["groups"]
            self.assertEqual([g["key"] for g in groups], ["0", "1", "2", "3"])
            self.assertEqual([g["rows"] for g in groups], [40] * 4)
            times, = [m["total"] for m in json.loads(self.sextant(
                "report", capture, "-m", "frame_time", "--json").stdout)["metrics"]]
            group, = json.loads(self.sextant("report", capture, "-m", "Frames", "--by", "process",
                                             "--json").stdout)["groups"]
            self.assertRegex(group["key"], r"^gl-lives \(\d+\)$")
            self.assertEqual(group["rows"], 160)
            pid = group["key"].split("(")[1][:-1]
            for asked in ("gl-lives", pid):
                done = self.sextant("stat", "-i", capture, "-m", "Frames", "--process", asked, "--json")
                self.assertEqual(self.frames(done)["samples"], 160)
                frames = self.frames(done)["frames"]
                # Four contexts at once: more than the sum of their times would give.
                self.assertGreater(frames["fps"], 1.5 * 160 / times)
            done = self.sextant("stat", "-i", capture, "-m", "Frames", "--context", "2", "--json")
            self.assertEqual(self.frames(done)["samples"], 40)

    def test_one_process_live(self):
        done = self.sextant("stat", "-d", "gl", "-m", "Frames", "--process", "gl-lives", "--json",
                            "--", path("gl-lives"), "fork")
        self.assertEqual(self.frames(done)["samples"], 35)
        done = self.sextant("stat", "-d", "gl", "-m", "Frames", "--process", "nobody", "--json",
                            "--", path("gl-lives"), "plain", status=1)
        self.assertEqual(self.frames(done)["samples"], 0)
        self.assertIn("no sample is of process nobody", done.stderr)

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


if __name__ == "__main__":
    result = unittest.main(exit=False).result
    if result.testsRun and len(result.skipped) == result.testsRun:
        sys.exit(77)
    sys.exit(not result.wasSuccessful())
