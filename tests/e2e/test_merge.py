"""Captures of two machines on one axis: 200 ppm of drift, a wall clock that was set, and a suspend, all simulated.
usage: test_merge.py SEXTANT MAKE_MACHINES"""
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest

from command import Command, csv_rows

SEXTANT, MACHINES = sys.argv[1:3]
run = Command(SEXTANT, code=0)
WAKE, SLEPT = 14.6, 5.0


def truth(t):
    return 1e9 * (0.5 * t - 0.3 * 7 / 6.2831853 * math.cos(t * 6.2831853 / 7))


def true_time(ns):
    """True time of a reading of A's clock."""
    t = ns * 1e-9 - 100
    return t + SLEPT if t > WAKE - SLEPT else t


class Merge(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.a, cls.b, cls.both = (f"{cls.folder.name}/{name}.sxc" for name in ("a", "b", "both"))
        subprocess.run([MACHINES, cls.a, cls.b], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def joined(self, path):
        text = run("export", path, "--join", "--counters", "--csv").stdout
        return csv_rows(text)

    def check_values(self, rows):
        worst, judged = 0, 0
        for row in rows:
            begin, end = true_time(int(row["begin_ns"])), true_time(int(row["end_ns"]))
            due = truth(end) - truth(begin)
            if not row["cpu.TaskClock (s)"]:
                continue
            judged += 1
            worst = max(worst, abs(float(row["cpu.TaskClock (s)"]) * 1e9 / due - 1))
        self.assertGreater(judged, 0.97 * len(rows))
        return worst

    def test_by_wall_clocks(self):
        done = run("capture", "merge", self.a, self.b, "-o", self.both)
        self.assertIn("wall clock of", done.stderr)
        self.assertIn("was set, by +2.00 s", done.stderr)
        self.assertIn("slept, +5.00 s", done.stderr)
        self.assertRegex(done.stderr, r"drifts by (199|200|201)(\.\d+)? ppm")
        self.assertLess(self.check_values(self.joined(self.both)), 0.01)
        info = json.loads(run("capture", "info", self.both, "--json").stdout)
        self.assertEqual([d["name"] for d in info["devices"]], ["machine A", "machine B"])

    def test_rows_of_frames_in_reports(self):
        """report --join: each frame has what the other machine's CPU did meanwhile, within 1 % of truth."""
        run("capture", "merge", self.a, self.b, "-o", self.both)
        text = run("report", self.both, "--join", "--by", "frame", "-m", "TaskClock", "--csv", "--top", "1000").stdout
        rows = [row for row in csv_rows(text) if row.get("TaskClock (s)")]
        self.assertGreater(len(rows), 370)
        for row in rows:
            begin = int(row["frame"]) * 0.05
            value = float(row["TaskClock (s)"]) * 1e9
            self.assertAlmostEqual(value / (truth(begin + 0.05) - truth(begin)), 1, delta=0.01)
        document = json.loads(run("report", self.both, "--join", "-m", "TaskClock,FrameTime", "--json").stdout)
        cpu = document["devices"][1]
        self.assertEqual((cpu["joined_to"], cpu["kind"], cpu["samples"]), (0, "frame", document["devices"][0]["samples"]))
        alone = json.loads(run("report", self.both, "-m", "TaskClock,FrameTime", "--json").stdout)
        self.assertNotIn("joined_to", alone["devices"][1])
        self.assertEqual(alone["devices"][1]["samples"], 1200)
        text = run("report", self.both, "--join", "-m", "TaskClock,FrameTime").stdout
        self.assertIn("what it did during the samples of machine A", text)

    def test_without_correction_it_would_be_wrong(self):
        """The check above can fail: an offset alone leaves the suspend in."""
        done = run("capture", "merge", self.a, self.b, "--offset=-4900s", "-o", self.both)
        self.assertIn("as was asked for", done.stderr)
        rows = [row for row in self.joined(self.both) if int(row["begin_ns"]) * 1e-9 - 100 < 9]
        self.assertLess(self.check_values(rows), 0.02)  # 2 ms of drift of frames of 50 ms
        with self.assertRaises(AssertionError):
            self.assertLess(self.check_values(self.joined(self.both)), 0.02)

    def test_clocks_are_told(self):
        info = json.loads(run("capture", "info", self.a, "--json").stdout)
        clocks = {c["name"]: c for c in info["clocks"]}
        self.assertEqual(clocks["boottime"]["jumps"], 1)
        self.assertAlmostEqual(clocks["boottime"]["jump_ns"] * 1e-9, SLEPT, delta=0.01)
        self.assertEqual(clocks["realtime"]["error_ns"], 900)
        info = json.loads(run("capture", "info", self.b, "--json").stdout)
        clocks = {c["name"]: c for c in info["clocks"]}
        self.assertEqual((clocks["boottime"]["jumps"], clocks["realtime"]["jumps"]), (0, 1))
        self.assertAlmostEqual(clocks["realtime"]["drift_ppm"], -200, delta=1)
        self.assertIn("1 jump: +2.00 s", run("capture", "info", self.b).stdout)

    def test_one_machine_stays_as_it_is(self):
        for kind, word in (("same", "its clock is that of"),):
            with self.subTest(kind):
                part = f"{self.folder.name}/part.sxc"
                run("capture", "cut", self.b, "--from", "1s", "--to", "2s", "-o", part)
                done = run("capture", "merge", self.b, part, "-o", self.both)
                self.assertIn(word, done.stderr)

    def test_without_a_clock_in_common(self):
        """Two imported files, whose times count from moments that nobody knows, are not laid over each other."""
        for name in ("one", "two"):
            with open(f"{self.folder.name}/{name}.csv", "w", encoding="utf-8") as out:
                out.write("EID,GPU Duration (us),VS Invocations\n1,10,3\n2,20,4\n")
            run("import", f"{self.folder.name}/{name}.csv", "-o", f"{self.folder.name}/{name}.sxc")
        one, two, both = (f"{self.folder.name}/{name}.sxc" for name in ("one", "two", "unaligned"))
        for first, second, lacks in ((one, two, two), (self.a, two, two), (one, self.a, one)):
            done = run("capture", "merge", first, second, "-o", both, code=2)
            self.assertIn("have no clock in common", done.stderr)
            self.assertIn(f"because: {lacks} has no wall clock", done.stderr)
            self.assertIn("try: --offset=DUR", done.stderr)
            self.assertFalse(os.path.exists(both))
        run("capture", "merge", one, two, "--offset=+1ms", "-o", both)
        document = json.loads(run("export", both, "--counters", "--json").stdout)
        self.assertEqual([[row[d["metrics"].index("begin_ns")] for row in d["rows"]] for d in document["devices"]],
                         [[0, 10000], [1000000, 1010000]])

    def test_bad_offsets(self):
        for text in ("1", "--1s", "x", "0", "0parsecs", "--0s"):
            done = run("capture", "merge", self.a, self.b, f"--offset={text}", "-o", self.both, code=2)
            self.assertEqual(done.stderr.count("\n"), 3, done.stderr)


unittest.main(argv=sys.argv[:1])
