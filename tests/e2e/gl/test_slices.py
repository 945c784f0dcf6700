"""A program that never swaps: samples are slices of time of unlike length, some of which are measured. It says itself
how many vertices it drew; every way to see the total must come to that."""
import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from command import Command, csv_rows  # noqa: E402

PROGRAM = os.path.join(os.environ["SEXTANT_GL_PROGRAMS"], "gl-slices")
ROUNDS = 16


class Slices(unittest.TestCase):
    sextant = Command(os.environ["SEXTANT"], code=0)

    @classmethod
    def setUpClass(cls):
        if not os.path.exists(PROGRAM):
            raise unittest.SkipTest("not built here")
        alone = subprocess.run([PROGRAM, "1"], capture_output=True, text=True, timeout=60, check=False)
        if alone.returncode == 77:
            raise unittest.SkipTest(alone.stderr)
        cls.folder = tempfile.TemporaryDirectory()
        cls.captures = {}
        for name, shape in (("window", ["window"]), ("none", [])):
            cls.captures[name] = cls.record(name, shape)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def record(cls, name, shape, *options, rounds=ROUNDS):
        """A capture of the program, and what it says that it drew."""
        path = os.path.join(cls.folder.name, name + ".sxc")
        done = cls.sextant("record", "-d", "gl", *options, "-o", path, "--", PROGRAM, str(rounds), *shape)
        return path, int(re.search(r"vertices (\d+)", done.stderr).group(1))

    def near(self, value, truth):
        self.assertLess(abs(value - truth), 0.02 * truth, (value, truth))

    def test_totals_are_those_of_the_program(self):
        for path, truth in self.captures.values():
            document = self.sextant.document("report", path, "-m", "IAVertices,VSInvocations,gpu_time")
            totals = {metric["name"]: metric for metric in document["metrics"]}
            self.assertEqual(document["samples"]["kind"], "time")
            self.assertLess(totals["IAVertices"]["running"], 1)  # some were left out
            self.near(totals["IAVertices"]["total"], truth)
            self.near(totals["VSInvocations"]["total"], truth)
            if totals["gpu_time"]["total"]:  # a device is at work for no longer than there is time
                self.assertLess(totals["gpu_time"]["total"], document["duration_ns"] * 1e-9)
            text = self.sextant("report", path, "-m", "IAVertices").stdout
            self.assertRegex(text, r"(?m)^\d+ of \d+ samples were counted, totals are scaled")
            written = re.search(r"(?m)^  IAVertices +([\d.]+) ?([kM]?) ", text)
            self.near(float(written.group(1)) * {"": 1, "k": 1e3, "M": 1e6}[written.group(2)], truth)

    def test_groups_and_exports_say_the_same(self):
        for path, truth in self.captures.values():
            for by in ("process", "context"):
                document = self.sextant.document("report", path, "-m", "IAVertices", "--by", by)
                device, = document["devices"]
                group, = device["groups"]
                self.near(group["values"]["IAVertices"], truth)
            text = self.sextant("export", path, "-m", "IAVertices", "-f", "openmetrics").stdout
            self.near(float(re.search(r"(?m)^sextant_ia_vertices_total\{.*\} (\S+)", text).group(1)), truth)

    def test_nothing_is_called_a_frame(self):
        """Neither in heads, nor in the verdict, which knows no rate of frames."""
        for path, _ in self.captures.values():
            text = self.sextant("report", path).stdout
            self.assertRegex(text, r"(?m)^\d+ samples in ")
            self.assertNotRegex(text, r"\d frames?\b(?!/)")
            self.assertNotRegex(text, r"frames \d+ frames/s")
            text = self.sextant("report", path, "--by", "frame", "--top", "2").stderr
            self.assertRegex(text, r"(?m)^2 of \d+ samples shown; ")
            trace = os.path.join(self.folder.name, "trace")
            self.sextant("export", path, "-m", "IAVertices", "-f", "perfetto", "-o", trace)
            with open(trace, "rb") as file:
                data = file.read()
            self.assertNotRegex(data, rb"frame \d")
            self.assertIn(b"Work outside of frames", data)
            document = self.sextant.document("report", path, "-m", "IAVertices")
            for part in document["verdict"]["parts"]:
                rates = [e["value"] for e in part["evidence"] if e["name"] == "frame.rate"]
                self.assertIn(rates, ([], [None]))

    def test_frames_and_others_are_told_apart(self):
        path, _ = self.record("frames", ["frames"], rounds=9)
        text = self.sextant("report", path, "-m", "IAVertices").stdout
        self.assertRegex(text, r"(?m)^20 frames and \d+ samples? without in ")
        self.assertNotIn("presents nothing", text)
        names = ("overdraw", "fragments_per_pixel", "gpu_time_per_pixel")
        exported = self.sextant("export", path, "-m", "Frames," + ",".join(names), "-f", "csv").stdout
        for row in csv_rows(exported):  # of what is no picture there is nothing to tell of its pixels
            if row["Frames"] == "0":
                cells = [value for head, value in row.items() if head.startswith(names)]
                self.assertEqual(cells, [""] * len(names))
        both = f"{PROGRAM} 3 & {PROGRAM} 0 frames; wait"
        text = self.sextant("stat", "-d", "gl", "-m", "IAVertices", "--", "sh", "-c", both).stdout
        self.assertRegex(text, r"(?m)^  gl-slices \(\d+\): 20 frames (and 1 sample without )?in ")
        self.assertRegex(text, r"(?m)^  gl-slices \(\d+\): \d+ samples? in [\d.]+ m?s$")

    def test_without_a_limit_it_is_exact(self):
        path, truth = self.record("exact", [], "--overhead", "0", rounds=6)
        metric, = self.sextant.document("report", path, "-m", "IAVertices")["metrics"]
        self.assertEqual((metric["total"], metric["running"]), (truth, 1))


if __name__ == "__main__":
    unittest.main()
