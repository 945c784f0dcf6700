"""Debug groups of an OpenGL program through the command: what each of them counts, and no more."""
import collections
import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from command import Command, csv_rows  # noqa: E402

SEXTANT = os.environ["SEXTANT"]
PROGRAM = os.path.join(os.environ["SEXTANT_GL_PROGRAMS"], "gl-groups")
DEEP = 60  # as in groups.c


def expected(frames):
    """Vertices of each path, by the program's text."""
    sums = collections.Counter()
    for frame in range(frames):
        if frame % 2:
            sums["open"] += 7
        else:
            sums["open"] += 5
        sums[""] += 1 + 2  # one group was refused
        sums["Shadow"] += 30
        sums["Shadow/Cascade 0"] += 100
        sums["/".join(["Main"] + ["n"] * DEEP)] += 3
        sums["Main"] += 1000
    return +sums


class Groups(unittest.TestCase):
    def setUp(self):
        if not os.path.exists(PROGRAM):
            self.skipTest("not built here")
        alone = subprocess.run([PROGRAM, "1"], capture_output=True)
        if alone.returncode == 77:
            self.skipTest(alone.stderr.decode())
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.capture = os.path.join(self.folder.name, "groups.sxc")

    sextant = Command(SEXTANT, code=0)

    def record(self, *arguments, per="group"):
        return self.sextant("record", "-d", "gl", "--per", per, "--overhead", "0", "-o",
                            self.capture, "--", PROGRAM, *arguments)

    def rows(self):
        text = self.sextant("export", self.capture, "--csv", "-m",
                            "IAVertices,Frames,FrameTime,D3DGPUTime,PSInvocations").stdout
        return csv_rows(text)

    def counted(self, rows):
        sums = collections.Counter()
        for row in rows:
            sums[row["group"]] += int(row["IAVertices"])
        return +sums

    def test_counts_of_each_group(self):
        plain = subprocess.run([PROGRAM, "9"], capture_output=True, text=True).stdout
        self.assertEqual(self.record("9").stdout, plain)  # picture and GL error
        rows = self.rows()
        self.assertEqual(self.counted(rows), expected(9))
        self.assertEqual(sum(int(row["Frames"]) for row in rows), 9)

    def test_a_program_that_never_swaps(self):
        self.record("6", "still")
        rows = self.rows()
        self.assertEqual(self.counted(rows), expected(6))
        self.assertEqual(sum(int(row["Frames"]) for row in rows), 0)

    def test_the_sum_of_the_parts(self):
        """Groups add up to what a run with whole frames counts, and to its time."""
        self.record("8")
        rows = self.rows()
        whole = self.stat("frame", "8")
        totals = {m["name"]: m["total"] for m in whole["metrics"]}
        for name in ("IAVertices", "PSInvocations"):
            self.assertEqual(sum(int(row[name]) for row in rows), totals[name])
        for first, second in zip(rows, rows[1:]):  # no time between them but the swaps
            self.assertLessEqual(int(first["end_ns"]), int(second["begin_ns"]))
            if first["Frames"] == "0":
                self.assertEqual(first["end_ns"], second["begin_ns"])

    def stat(self, per, *arguments):
        out = os.path.join(self.folder.name, "stat.json")
        self.sextant("stat", "-d", "gl", "--per", per, "--overhead", "0", "-m",
                     "IAVertices,PSInvocations,frame_time,frames_per_second,gpu_time", "-o", out,
                     "--", PROGRAM, *arguments)
        with open(out) as file:
            return json.load(file)

    def test_kinds_that_opengl_lacks(self):
        """Where another device of the machine has them, the report says what OpenGL has."""
        for kind in ("pass", "submit"):
            text = self.sextant("stat", "--per", kind, "-m", "Frames", "--", PROGRAM, "2").stdout
            self.assertIn(f"OpenGL has no samples by {kind}, but by frame, group, draw", " ".join(text.split()))

    def test_what_a_part_has_not(self):
        """No frame time, rate or verdict of frames is made of parts of frames."""
        document = self.stat("group", "4")
        self.assertEqual(document["samples"]["kind"], "group")
        reasons = {m["name"]: m["why"] for m in document["metrics"] if m["total"] is None}
        self.assertIn("the samples are not whole frames", reasons["frame_time"])
        self.assertIn("the samples are not whole frames", reasons["frames_per_second"])
        self.record("4")
        report = json.loads(self.sextant("report", self.capture, "--json").stdout)
        for device in document["devices"] + report["devices"]:
            for process in device.get("processes", []):
                self.assertIsNone(process["fps"])
                self.assertEqual({c["fps"] for c in process["each_context"]}, {None})
        self.assertTrue(report["devices"][0]["processes"])
        advice = json.loads(self.sextant("advise", self.capture, "--json").stdout)
        self.assertEqual(advice["findings"], [])

    def test_report_by_group(self):
        self.record("9")
        device, = json.loads(self.sextant("report", self.capture, "--by", "group", "-m",
                                          "IAVertices", "--json").stdout)["devices"]
        values = {g["key"]: g["values"]["IAVertices"] for g in device["groups"] if g["values"]["IAVertices"]}
        want = expected(9)
        want["(none)"] = want.pop("")
        self.assertEqual(values, want)
        times = collections.Counter()
        for row in self.rows():
            times[row["group"] or "(none)"] += int(row["end_ns"]) - int(row["begin_ns"])
        self.assertEqual({g["key"]: g["time_ns"] for g in device["groups"]}, dict(times))

    def test_each_draw(self):
        plain = subprocess.run([PROGRAM, "2"], capture_output=True, text=True).stdout
        self.assertEqual(self.record("2", per="draw").stdout, plain)
        deep = "/".join(["Main"] + ["n"] * DEEP)
        want = []
        for frame, calls in enumerate((
                [("", 1), ("Shadow", 10), ("Shadow/Cascade 0", 100), ("Shadow", 20), ("", 2), (deep, 3),
                 ("Main", 1000), ("open", 5)],
                [("open", 7), ("", 1), ("Shadow", 10), ("Shadow/Cascade 0", 100), ("Shadow", 20),
                 ("", 2), (deep, 3), ("Main", 1000)])):
            want += [(str(frame), f"{group}/{i} glDrawArrays".lstrip("/"), str(vertices))
                     for i, (group, vertices) in enumerate(calls)]
        self.assertEqual([(row["frame"], row["group"], row["IAVertices"]) for row in self.rows()],
                         want)

    def test_draws_of_opengl_1(self):
        """What lies between glBegin and glEnd is one, what a display list holds comes with its call."""
        plain = subprocess.run([PROGRAM, "2", "old"], capture_output=True, text=True).stdout
        self.assertEqual(self.record("2", "old", per="draw").stdout, plain)
        calls = [("0 glBegin", "4"), ("1 glCallList", "8"), ("2 glCallLists", "8")]
        self.assertEqual([(row["group"], row["IAVertices"]) for row in self.rows()], calls * 2)

    def test_more_draws_than_may_wait(self):
        """What found no query is told as late, and no draw is missing."""
        self.record("900", "still", per="draw")
        rows = self.rows()
        self.assertEqual(len(rows), 900 * 8)
        for row in rows:
            if row["IAVertices"] == "":
                self.assertIn("IAVertices", row["quality"])

    def test_what_opengl_lacks(self):
        done = self.sextant("stat", "-d", "gl", "--per", "kernel", "--", PROGRAM, "1", code=2)
        self.assertEqual(done.stdout, "")
        self.assertIn("no device here has a sample for each kernel", done.stderr)
        self.assertIn("frame, group, draw", done.stderr)
        self.record("1")
        done = self.sextant("stat", "-i", self.capture, "--per", "frame", code=2)
        self.assertIn("a recording keeps the samples", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
