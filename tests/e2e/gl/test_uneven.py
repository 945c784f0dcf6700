"""Frames that differ from each other, of which some are counted: the totals are those that the program tells."""
import os
import re
import subprocess
import sys
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

    def test_much_and_little_by_turns(self):
        self.check("turns", 200)

    def test_every_second_frame_in_vain(self):
        self.check("conditional", 600)

    def test_from_thread_to_thread(self):
        self.check("migrate", 150)

    def test_short_lives(self):
        """What a toolkit does before is the first release: the program's own is the second."""
        self.check("short", 40)

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

    def test_few_are_told(self):
        text = self.sextant("stat", "-d", "gl", "-m", "IAVertices", "--", PROGRAM, "ramp", "20").stdout
        self.assertRegex(text, r"(?m)^\d of 20 samples were counted, totals are scaled \(so few may\s+miss what is rare\)")


if __name__ == "__main__":
    unittest.main()
