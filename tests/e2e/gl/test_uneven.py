"""Frames that differ from each other, of which some are counted: the totals are those that the program tells."""
import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from command import Command  # noqa: E402

PROGRAM = os.path.join(os.environ["SEXTANT_GL_PROGRAMS"], "gl-uneven")


class Uneven(unittest.TestCase):
    sextant = Command(os.environ["SEXTANT"], code=0)

    @classmethod
    def setUpClass(cls):
        if not os.path.exists(PROGRAM):
            raise unittest.SkipTest("not built here")
        alone = subprocess.run([PROGRAM, "ramp", "1"], capture_output=True, text=True, timeout=60, check=False)
        if alone.returncode == 77:
            raise unittest.SkipTest(alone.stderr)

    def check(self, how, frames):
        for overhead in ("10", "5", "2"):
            document, done = self.sextant.measure([PROGRAM, how, str(frames)], "stat", "-d", "gl", "--overhead",
                                                  overhead, "-m", "IAVertices,DrawCalls")
            metrics = {metric["name"]: metric for metric in document["metrics"]}
            truth = int(re.search(r"vertices (\d+)", done.stderr).group(1))
            vertices = metrics["IAVertices"]
            self.assertEqual(metrics["DrawCalls"]["running"], 1)
            self.assertLess(vertices["running"], 1)  # some were left out
            self.assertLess(abs(vertices["total"] - truth), 0.1 * truth, (overhead, vertices["total"], truth))

    def test_more_and_more(self):
        self.check("ramp", 600)

    def test_dispatches_among_draws(self):
        """One dispatch of 64 a frame, beside ever more draws: what is computed goes by dispatches, not by draws."""
        document, _ = self.sextant.measure([PROGRAM, "compute", "600"], "stat", "-d", "gl", "-m", "IAVertices,CSInvocations,Dispatches,DrawCalls")
        metrics = {metric["name"]: metric for metric in document["metrics"]}
        self.assertEqual((metrics["Dispatches"]["total"], metrics["DrawCalls"]["total"]), (600, 600 + 10 * 60 * 61 // 2))
        if metrics["CSInvocations"]["total"] is None:
            self.skipTest(metrics["CSInvocations"]["why"])
        self.assertLess(metrics["CSInvocations"]["running"], 1)
        self.assertEqual((metrics["CSInvocations"]["total"], metrics["IAVertices"]["total"]), (64 * 600, 3 * 10 * 60 * 61 // 2))

    def test_much_and_little_by_turns(self):
        self.check("turns", 200)

    def test_every_second_frame_in_vain(self):
        self.check("conditional", 600)

    def test_from_thread_to_thread(self):
        self.check("migrate", 150)

    def test_short_lives(self):
        """What a toolkit does before is the first release: the program's own is the second."""
        self.check("short", 40)
        document, _ = self.sextant.measure([PROGRAM, "short", "40"], "stat", "-d", "gl", "-m", "IAVertices")
        self.assertGreater(document["metrics"][0]["p50"], 0)  # a quarter of the frames draws nothing

    def test_each_draw(self):
        """Of the first frames of what is dear two are measured; no share of the time between draws is told."""
        for frames, counted in ((8, 10), (300, None)):
            document, _ = self.sextant.measure([PROGRAM, "turns", str(frames)], "stat", "-d", "gl", "--per", "draw",
                                               "-m", "IAVertices")
            cost = document["cost"]
            self.assertEqual(cost["all_samples"], 5 * frames)
            self.assertIsNone(cost["share"])
            self.assertEqual(document["metrics"][0]["total"], 15 * frames)
            if counted:
                self.assertEqual(cost["measured_samples"], counted)

    def test_errors_are_told(self):
        """By a second implementation from the frames themselves: runs of counted frames, what they hold beyond their calls."""
        with tempfile.TemporaryDirectory() as folder:
            capture = os.path.join(folder, "rare.sxc")
            done = self.sextant("record", "-q", "-d", "gl", "-m", "IAVertices,DrawCalls", "-o", capture, "--", PROGRAM, "rare", "2000")
            truth = int(re.search(r"vertices (\d+)", done.stderr).group(1))
            metric, = (m for m in self.sextant.document("report", capture, "-m", "IAVertices")["metrics"] if m["name"] == "IAVertices")
            table, = self.sextant.document("export", capture, "-m", "IAVertices,DrawCalls")["devices"]
        at = table["metrics"].index("IAVertices")
        runs, alone, whole = [], 0, False  # the first four frames stand for themselves
        for i, row in enumerate(table["rows"]):
            value = row[at]
            if i < 4:
                alone += value
            elif value is not None:
                runs[-1:] = [(runs[-1][0] + value, runs[-1][1] + 1)] if whole else runs[-1:] + [(value, 1)]
            whole = i >= 4 and value is not None
        counted = sum(n for _, n in runs)
        mean, more = sum(v for v, _ in runs) / counted, (1996 - counted) / counted
        variance = sum((v - mean * n) ** 2 for v, n in runs) * len(runs) / max(len(runs) - 1, 1)
        self.assertLess(abs(metric["total"] - (alone + 1996 * mean)), 2)
        if variance == 0:
            self.skipTest(f"none of {counted} frames was another's like")  # a busy machine, on which few are counted
        error = metric["total_error"] / (variance * more * (1 + more)) ** 0.5
        self.assertTrue(1.96 <= error <= 12.8, (error, runs))  # Student's t, which is close to 2 for many runs
        if len(runs) > 20:
            self.assertLess(error, 2.1)
        self.assertLess(abs(metric["total"] - truth), 2.5 * metric["total_error"], (metric, truth))

    def test_driver_that_lags(self):
        """However many frames the driver has not drawn yet: without a limit of the overhead each is counted."""
        document, done = self.sextant.measure([PROGRAM, "behind", "200"], "stat", "-d", "gl", "--overhead", "0", "-m", "IAVertices")
        vertices, = document["metrics"]
        truth = int(re.search(r"vertices (\d+)", done.stderr).group(1))
        self.assertEqual((vertices["total"], vertices["count"], vertices["lost"]), (truth, 200, 0))

    def test_few_are_told(self):
        text = self.sextant("stat", "-d", "gl", "-m", "IAVertices", "--", PROGRAM, "ramp", "20").stdout
        self.assertRegex(text, r"(?m)^\d of 20 samples were counted, totals are scaled \(so few may\s+miss what is rare\)")
        text = self.sextant("stat", "-d", "gl", "-m", "IAVertices", "--", PROGRAM, "rare", "2000").stdout
        few = r"so\s+few\s+may\s+miss\s+what\s+is\s+rare"  # on a busy machine
        self.assertRegex(text, few + r"|the\s+largest\s+error\s+is\s+[\d.]+\s+%\s+\(IAVertices\)")


if __name__ == "__main__":
    unittest.main()
