#!/usr/bin/env python3
"""What diff compares, and why it does not compare the rest: each reason, whole runs, bad input.

Captures are written by make-run from what stands here, so that every number is known.

usage: test_comparable.py SEXTANT MAKE_RUN
"""
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

from command import Command

SEXTANT, MAKE_RUN = sys.argv[1], sys.argv[2]
run = Command(SEXTANT, code=0, errors="replace")
SEED = 20261121
OPENGL = [("FrameTime", "ns", "u64", "sum"), ("D3DGPUTime", "ns", "u64", "sum"),
          ("IAVertices", "vertices", "u64", "sum"), ("VSInvocations", "invocations", "u64", "sum"),
          ("Frames", "frames", "u64", "sum"), ("FramebufferWidth", "pixels", "u64", "last"),
          ("FramebufferHeight", "pixels", "u64", "last")]
MONITOR = [("FrameTime", "ns", "f64", "mean"), ("GpuFrequency", "Hz", "f64", "mean"),
           ("GpuBusy", "percent", "f64", "mean")]
MS = 1000000


class Captures(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.random = random.Random(SEED)
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def capture(self, name, rows, *, columns=None, catalog="opengl", device="Some GPU", driver="Mesa 1",
                kind="frame", real="real", lost=0, properties=None):
        """rows: of (begin, end, values) in ns."""
        lines = [f"property\t{k}\t{v}" for k, v in (properties or {}).items()]
        lines.append(f"device\t{catalog}\t{device}\t{driver}\t{kind}\t{real}")
        lines += ["column\t" + "\t".join(c) for c in (columns or OPENGL)]
        lines += [f"row\t{b}\t{e}\t" + "\t".join("-" if v is None else v if v == "~" else repr(v) for v in values) for b, e, values in rows]
        if lost:
            lines.append(f"lost\t{lost}")
        path = self.path(name)
        subprocess.run([MAKE_RUN, path], input="\n".join(lines) + "\n", text=True, check=True, timeout=60)
        return path

    def frames(self, count=100, ms=10.0, vertices=3000, width=640, spread=0.01):
        rows, begin = [], 5 * MS
        for _ in range(count):
            length = int(self.random.gauss(ms, ms * spread) * MS)
            rows.append((begin, begin + length, [length, length // 2, vertices, vertices // 2, 1, width, 480]))
            begin += length
        return rows

    def opengl(self, name, rows=None, **how):
        return self.capture(name, rows or self.frames(), **how)

    def side(self, name, count=4, driver="Mesa 1", **how):
        return ",".join(self.opengl(f"{name}{i}.sxc", self.frames(**how), driver=driver) for i in range(count))

    def diff(self, *args, code=0):
        return run.document("diff", *args, code=code)

    def row(self, doc, *names):
        found = [m for m in doc["metrics"] if m["name"] in names]
        self.assertEqual(len(found), 1, [m["name"] for m in doc["metrics"]])
        return found[0]


class Reasons(Captures):
    """Everything by which two sides are no pair, and what is compared all the same."""

    def judged(self, doc, name="gpu_time"):
        row = self.row(doc, name)
        return row["verdict"], row["why"]

    def test_nothing_differs(self):
        doc = self.diff(self.opengl("a.sxc"), self.opengl("b.sxc"))
        self.assertEqual(self.judged(doc), ("same", None))
        self.assertTrue(doc["comparable"])

    def test_a_sum_counts_once(self):
        """FrameTime the counter is no second series of frame_time the metric."""
        lines = run("export", self.opengl("a.sxc"), "-m", "frame_time,FrameTime", "-f", "openmetrics").stdout.splitlines()
        series = [line for line in lines if line.startswith("sextant_frame_time_seconds_total")]
        self.assertEqual(len(series), 1, series)
        self.assertTrue([line for line in lines if line.startswith("sextant_counter_frame_time_")], lines)

    def test_head_of_frames(self):
        """Count, time and rate on one line agree, also where nothing was drawn for most of the run."""
        frames = [(int(b + (8e9 if i >= 50 else 0)), int(e + (8e9 if i >= 50 else 0)), v) for i, (b, e, v) in enumerate(self.frames())]
        self.assertGreater(len(frames), 60)
        text = run("report", self.opengl("gap.sxc", frames)).stdout
        head = re.search(r"^(\d+) frames in ([\d.]+) (m?s) of ([\d.]+) s \(([\d.]+)/s", text, re.M)
        self.assertTrue(head, text)
        count, took, unit, whole, rate = head.groups()
        took = float(took) * (1e-3 if unit == "ms" else 1)
        self.assertAlmostEqual(int(count) / took, float(rate), delta=float(rate) * 0.01)
        self.assertGreater(float(whole), took + 7)

    def test_why_in_text(self):
        text = run("diff", self.opengl("a.sxc"), self.opengl("b.sxc", driver="Mesa 2"), code=None).stdout
        self.assertEqual(len(re.findall("because the drivers differ", text)), 1, text)

    def test_device_and_driver(self):
        a = self.opengl("a.sxc")
        for how, why in (({"device": "Another GPU"}, "the devices differ"), ({"driver": "Mesa 2"}, "the drivers differ")):
            doc = self.diff(a, self.opengl("b.sxc", **how))
            self.assertEqual(self.judged(doc), ("incomparable", why))
            self.assertEqual(doc["why_not"], why)
            # What has a neutral name is compared, its percentiles and the deadline too.
            doc = self.diff(a, self.opengl("b.sxc", **how), "--fps", "60")
            for name in ("FrameTime", "frames_per_second"):
                self.assertIsNone(self.judged(doc, name)[1])
            self.assertEqual(self.judged(doc, "deadline_misses"), ("same", None))
        a, b = self.side("a"), self.side("b", driver="Mesa 2")
        doc = self.diff(a, b, "--fps", "60")
        for name in ("FrameTime", "frame_time.p95", "deadline_misses"):
            self.assertEqual(self.judged(doc, name), ("same", None))

    def test_catalog(self):
        a = self.opengl("a.sxc")
        b = self.capture("b.sxc", [(i * MS, (i + 1) * MS, [1e6, 6e8, 50.0]) for i in range(60)], columns=MONITOR,
                         catalog="monitor")
        doc = self.diff(a, b)
        self.assertEqual(doc["why_not"], "the catalogs differ")
        self.assertEqual(self.judged(doc), ("incomparable", "B does not have it"))
        self.assertEqual(self.row(doc, "frame.time")["verdict"], "better")

    def test_simulated(self):
        a, b = self.opengl("a.sxc"), self.opengl("b.sxc", real="simulated")
        doc = self.diff(a, b, code=1)
        self.assertEqual(self.judged(doc), ("incomparable", "one side is simulated"))
        self.assertEqual((doc["comparable"], doc["simulated"]), (False, True))

    def monitor(self, name, hz, ms=10.0):
        rows = [(i * 10 * MS, (i + 1) * 10 * MS, [ms * MS * (1 + self.random.gauss(0, .01)), hz, 50.0]) for i in range(60)]
        return self.capture(name, rows, columns=MONITOR, catalog="monitor")

    def test_clock(self):
        """Times at another clock of the GPU are no result of the program; asked for or not."""
        a, b = self.monitor("a.sxc", 600e6), self.monitor("b.sxc", 1200e6, ms=5.0)
        doc = self.diff(a, b)
        self.assertEqual(self.judged(doc, "frame_time"), ("incomparable", "the clocks differ: 600 and 1200 MHz"))
        self.assertEqual(self.row(doc, "gpu_busy")["verdict"], "incomparable")
        alone = self.diff(a, b, "-m", "frame_time", code=1)
        self.assertFalse(alone["comparable"])
        self.assertIn("the clocks differ", self.judged(alone, "frame_time")[1])
        self.assertNotIn("gpu_frequency", [m["name"] for m in alone["metrics"]])
        # 3 % apart is a clock that wanders.
        doc = self.diff(a, self.monitor("c.sxc", 618e6))
        self.assertEqual(self.judged(doc, "frame_time")[0], "same")

    def test_clock_of_a_baseline(self):
        base = self.path("base.json")
        run("diff", self.monitor("a.sxc", 600e6), "-m", "frame_time", "--update-baseline", base)
        doc = self.diff(base, self.monitor("b.sxc", 1200e6, ms=5.0), "-m", "frame_time", code=1)
        self.assertIn("the clocks differ", self.judged(doc, "frame_time")[1])

    def test_resolution(self):
        a, b = self.opengl("a.sxc"), self.opengl("b.sxc", self.frames(width=1280))
        for more in ([], ["-m", "gpu_time"]):
            doc = self.diff(a, b, *more, code=1)
            self.assertEqual(self.judged(doc), ("incomparable", "the pictures differ in size"))
            self.assertEqual((doc["comparable"], doc["why_not"]), (False, "the pictures differ in size"))

    def test_losses(self):
        a = self.opengl("a.sxc")
        few = self.diff(a, self.opengl("few.sxc", lost=3), code=1)
        self.assertEqual(self.judged(few), ("same", None))
        self.assertEqual(few["b"]["devices"][0]["lost"], 3)
        many = self.diff(a, self.opengl("many.sxc", lost=20), code=1)
        self.assertEqual(self.judged(many), ("incomparable", "over 5 % of the samples are lost"))

    def test_units(self):
        a, base = self.opengl("a.sxc"), self.path("base.json")
        run("diff", a, "--update-baseline", base)
        with open(base, encoding="utf-8") as file:
            doc = json.load(file)
        next(m for m in doc["metrics"] if m["name"] == "gpu_time")["unit"] = "bytes"
        with open(base, "w", encoding="utf-8") as file:
            json.dump(doc, file)
        self.assertEqual(self.judged(self.diff(base, a)), ("incomparable", "the units differ"))


class WholeRuns(Captures):
    """What is sampled by time: what a run took, not how it went on meanwhile."""
    CPU = [("TaskClock", "ns", "u64", "sum"), ("Cycles", "cycles", "u64", "sum"), ("Instructions", "instructions", "u64", "sum")]

    def cpu(self, name, samples, properties, cycles=1000000):
        rows = [(i * 10 * MS, (i + 1) * 10 * MS, [9 * MS, int(cycles * self.random.gauss(1, .01)), 2 * cycles])
                for i in range(samples)]
        return self.capture(name, rows, columns=self.CPU, catalog="cpu", kind="time", properties=properties)

    def side(self, name, samples, properties=None, count=4):
        return ",".join(self.cpu(f"{name}{i}.sxc", samples + self.random.randrange(3),
                                 {"command": "./app", **(properties or {})}) for i in range(count))

    def test_runs_of_many_samples(self):
        """Above 4,096 samples a line of the course holds several, the last maybe fewer: means stay what they are."""
        few, many, most = (self.opengl(f"{n}.sxc", self.frames(count=n, spread=0.001)) for n in (3000, 5001, 9001))
        for other in (many, most):
            rows = {r["name"]: r for r in self.diff(few, other)["metrics"]}
            for name in ("frame_time", "IAVertices", "FramebufferWidth", "framebuffer_pixels"):
                self.assertAlmostEqual(rows[name]["b"]["mean"], rows[name]["a"]["mean"], delta=1e-3 * rows[name]["a"]["mean"], msg=name)
            self.assertEqual(rows["IAVertices"]["b"]["mean"], 3000)
            self.assertEqual(rows["IAVertices"]["verdict"], "same")

    def test_longer_run(self):
        """Twice the work in twice the time: each sample is as before, the run is not."""
        a, b = self.side("a", 100), self.side("b", 200)
        doc = self.diff(a, b)
        for name in ("Cycles", "TaskClock", "run_time"):
            row = self.row(doc, name)
            self.assertIn(row["verdict"], ("worse", "changed"), row)
            self.assertAlmostEqual(row["change"], 1, delta=0.05)
        cycles = self.row(doc, "Cycles")
        self.assertEqual(cycles["compared"], "total")
        self.assertAlmostEqual(cycles["a"]["mean"], 1e6, delta=1e4)
        self.assertAlmostEqual(cycles["a"]["total"], 101e6, delta=3e6)
        self.assertAlmostEqual(self.row(doc, "run_time")["a"]["mean"], 1.01, delta=0.02)
        self.assertEqual(self.row(doc, "run_time")["verdict"], "worse")
        self.assertIn("those of a whole run", run("diff", a, b).stdout)
        self.assertIn("those of a whole run", run("diff", a, b, "-f", "markdown").stdout)

    def test_through_a_baseline(self):
        a, b, base = self.side("a", 100), self.side("b", 200), self.path("base.json")
        run("diff", a, "--update-baseline", base)
        plain, by_base = self.diff(a, b), self.diff(base, b)
        for name in ("Cycles", "run_time"):
            self.assertEqual({k: v for k, v in self.row(plain, name).items()}, self.row(by_base, name))

    def test_what_did_not_end_by_itself(self):
        """A recording that the user limited, a part, or one without a program has no length to compare."""
        a = self.side("a", 100)
        b = self.side("b", 200, {"ends": "limit"})
        doc = self.diff(a, b)
        self.assertEqual(self.row(doc, "Cycles")["compared"], "mean")
        self.assertEqual(self.row(doc, "Cycles")["verdict"], "same")
        whole = self.side("c", 100).split(",")
        for i, path in enumerate(whole):
            run("capture", "cut", path, "--from", "100ms", "--to", "600ms", "-o", self.path(f"part{i}.sxc"))
        parts = ",".join(self.path(f"part{i}.sxc") for i in range(len(whole)))
        doc = self.diff(a, parts)
        self.assertEqual(self.row(doc, "Cycles")["verdict"], "same")
        self.assertFalse([m for m in doc["metrics"] if m["name"] == "run_time" and m["a"] and m["b"]])

    def sampled(self, name, ms, rate, seed):
        """Two seconds at `rate` cycles a ms, in samples of `ms`."""
        wave = random.Random(seed)
        rows = [(i * ms * MS, (i + 1) * ms * MS, [int(rate * ms * (1 + wave.gauss(0, 0.01))), ms * MS // 2]) for i in range(2000 // ms)]
        return self.capture(name, rows, columns=[("Cycles", "cycles", "u64", "sum"), ("TaskClock", "ns", "u64", "sum")], catalog="cpu", kind="time")

    def test_other_intervals(self):
        """The same work in samples of 5 ms and of 25 ms: a second of it is compared, live, in repeats and through a baseline."""
        a, b = self.sampled("a.sxc", 5, 1e6, 6), self.sampled("b.sxc", 25, 1e6, 7)
        cycles = self.row(self.diff(a, b), "Cycles")
        self.assertEqual((cycles["compared"], cycles["verdict"]), ("rate", "same"))
        self.assertAlmostEqual(cycles["change"], 0, delta=0.01)
        self.assertAlmostEqual(cycles["a"]["rate"], 1e9, delta=1e7)
        self.assertAlmostEqual(cycles["b"]["mean"] / cycles["a"]["mean"], 5, delta=0.05)
        clock = self.row(self.diff(a, b), "TaskClock")
        self.assertEqual((clock["compared"], clock["verdict"]), ("rate", "same"))
        self.assertAlmostEqual(clock["a"]["rate"], 0.5, places=9)
        # A gate without a statistic is held against the change of the table, any other against its own.
        text = run("diff", a, b, "--gate", "Cycles < +5%", "--gate", "Cycles.total < +5%").stdout
        self.assertNotIn("FAILED", text)
        self.assertIn("passed  Cycles < +5%", text)
        self.assertRegex(run("diff", a, b, "--gate", "Cycles.mean < +5%", code=6).stdout, r"FAILED  Cycles.mean < \+5%: (39|40)\d %")
        more = self.sampled("more.sxc", 25, 1.2e6, 3)
        cycles = self.row(self.diff(a, more), "Cycles")
        self.assertIn(cycles["verdict"], ("worse", "changed"))
        self.assertAlmostEqual(cycles["change"], 0.2, delta=0.01)
        text = run("diff", a, more).stdout
        self.assertRegex(text, r"Cycles +1.00 G +1.20 G +\+(19|20)")
        for view in ("text", "markdown"):
            self.assertIn("those of a second", run("diff", a, more, "-f", view).stdout)
        base = self.path("base.json")
        run("diff", a, "--update-baseline", base)
        self.assertEqual(self.row(self.diff(base, more), "Cycles"), cycles)
        # Several runs of each, of which one has other samples than the rest: as rates they are alike.
        sides = [",".join(self.sampled(f"{n}{i}.sxc", 25 if i == 1 else 5, rate, seed + i) for i in range(4))
                 for n, rate, seed in (("c", 1e6, 10), ("d", 1e6, 20), ("e", 1.1e6, 30))]
        self.assertEqual(self.row(self.diff(*sides[:2]), "Cycles")["verdict"], "same")
        cycles = self.row(self.diff(sides[0], sides[2]), "Cycles")
        self.assertAlmostEqual(cycles["change"], 0.1, delta=0.01)
        self.assertIn(cycles["verdict"], ("worse", "changed"))
        # Samples of one length are compared as they are.
        same = self.row(self.diff(a, self.sampled("f.sxc", 5, 1e6, 4)), "Cycles")
        self.assertEqual(same["compared"], "mean")

    def test_limits_are_recorded(self):
        path = self.path("r.sxc")
        for options, ends in ((["-t", "60ms"], True), (["-n", "3"], True), ([], False)):
            run("record", "-q", "-d", "cpu", "-I", "10ms", *options, "-o", path, "--", "sleep", "0.1", code=None)
            self.assertEqual("ends" in run("capture", "info", path).stdout, ends, options)

    def test_one_run_each(self):
        """One run cannot tell how much totals differ by themselves: means, and the time is shown."""
        doc = self.diff(self.cpu("a.sxc", 100, {"command": "x"}), self.cpu("b.sxc", 200, {"command": "x"}))
        self.assertEqual(self.row(doc, "Cycles")["verdict"], "same")
        self.assertEqual(self.row(doc, "run_time")["verdict"], "incomparable")
        self.assertAlmostEqual(self.row(doc, "run_time")["change"], 1, delta=0.01)
        self.assertIn("one run each", doc["why_not"])


class Told(Captures):
    """What stands in the result beside the numbers."""

    def overdrawn(self, name, factor, count=1, **how):
        columns = OPENGL + [("Occlusion", "samples", "u64", "sum")]
        paths = []
        for i in range(count):
            rows = [(b, e, v + [640 * 480 * factor]) for b, e, v in self.frames(60)]
            paths.append(self.capture(f"{name}{i}.sxc", rows, columns=columns, **how))
        return ",".join(paths)

    def test_advice(self):
        """Advice that every run of one side has and no run of the other, also against a baseline."""
        a, b, base = self.overdrawn("a", 2, 2), self.overdrawn("b", 6, 2), self.path("base.json")
        new = {"title": "Heavy overdraw", "appeared": True}
        self.assertIn(new, self.diff(a, b)["findings"])
        self.assertIn({**new, "appeared": False}, self.diff(b, a)["findings"])
        self.assertEqual(self.diff(*a.split(","))["findings"], [])
        run("diff", a, "--update-baseline", base)
        self.assertIn(new, self.diff(base, b)["findings"])
        self.assertIn("new in B: Heavy overdraw", run("diff", base, b).stdout)
        self.assertIn("New advice: Heavy overdraw", run("diff", base, b, "-f", "markdown").stdout)
        run("diff", b, "--update-baseline", base)
        self.assertIn({**new, "appeared": False}, self.diff(base, a)["findings"])
        self.assertIn("gone in B: Heavy overdraw", run("diff", base, a).stdout)
        # A baseline of an older version tells nothing of advice.
        with open(base, encoding="utf-8") as file:
            doc = json.load(file)
        for device in doc["devices"]:
            for key in ("advised", "advice", "fired"):
                del device[key]
        with open(base, "w", encoding="utf-8") as file:
            json.dump(doc, file)
        self.assertEqual(self.diff(base, a)["findings"], [])

    def test_broken_advice_of_a_baseline(self):
        base, a = self.path("base.json"), self.overdrawn("a", 6)
        run("diff", a, "--update-baseline", base)
        with open(base, encoding="utf-8") as file:
            text = file.read()
        self.assertIn('"fired": [1', text)
        for bad in ('"fired": [9', '"fired": [0', '"fired": [1, 1, 1, 1, 1, 1', '"fired": [-1', '"fired": [1e99'):
            with open(base, "w", encoding="utf-8") as file:
                file.write(text.replace('"fired": [1', bad, 1))
            self.assertEqual(len(run("diff", "-q", base, a, code=5).stderr.strip().splitlines()), 3)

    def test_junit_says_simulated(self):
        paths = [self.opengl(f"{n}.sxc", real="simulated") for n in "ab"]
        suite = ElementTree.fromstring(run("diff", *paths, "-f", "junit").stdout)[0]
        marks = [(p.get("name"), p.get("value")) for p in suite.findall("properties/property")]
        self.assertEqual(marks, [("simulated", "true")])
        real = [self.opengl(f"{n}.sxc") for n in "cd"]
        self.assertNotIn("simulated", run("diff", *real, "-f", "junit").stdout)

    def test_warm_up(self):
        """What means leave out of a run's beginning is told of each side, and only where it is so."""
        def side(name, slow):
            rows = self.frames(slow, ms=50.0) + self.frames(400 - slow)
            at, out = 0, []
            for begin, end, values in rows:
                out.append((at, at + end - begin, values))
                at += end - begin
            return self.opengl(name, out)

        a, b, short = side("a.sxc", 10), side("b.sxc", 0), self.opengl("c.sxc", self.frames(12))
        doc = self.diff(a, b)
        for key, least in ("a", 0.43e9), ("b", 0.39e9):
            self.assertTrue(least <= doc[key]["warm_up_ns"] <= least + 0.06e9, doc[key])
        self.assertAlmostEqual(self.row(doc, "frame_time")["a"]["mean"], 0.01, delta=0.0002)
        self.assertEqual(self.diff(short, short)["a"]["warm_up_ns"], 0)
        for form in "text", "markdown":
            page = run("diff", a, b, "-f", form).stdout
            self.assertEqual(page.count("means, but for some ratios, are without the first 4"), 2, page)
            self.assertEqual(page.count(": the warm-up"), 2, page)
            self.assertNotIn("warm-up", run("diff", short, short, "-f", form).stdout)

    def test_markdown_for_a_pull_request(self):
        sides = []
        for name, commit, host in (("a", "1111aaaa", "runner-one"), ("b", "2222bbbb", "runner-two")):
            sides.append(self.opengl(f"{name}.sxc", driver=f"Mesa of {name}",
                                     properties={"command": "./scene", "host": host, "commit": commit}))
        base = self.path("base.json")
        run("diff", sides[0], "--update-baseline", base)
        for first in (sides[0], base):
            page = run("diff", first, sides[1], "-f", "markdown").stdout
            for text in ("1111aaaa", "2222bbbb", "runner-one", "runner-two", "Mesa of a", "Mesa of b", "Some GPU"):
                self.assertIn(text, page)
        pair = [self.opengl(f"{n}{i}.sxc", self.frames(ms=ms)) for n, ms in (("c", 10), ("d", 12)) for i in range(3)]
        page = run("diff", ",".join(pair[:3]), ",".join(pair[3:]), "-f", "markdown", "--gate", "frame_time < +5%", code=6).stdout
        self.assertIn("| frame\\_time |", page)
        for line in page.splitlines():
            if line.startswith("|"):
                self.assertIn(line.replace("\\|", "").count("|"), (5, 6), line)

    def test_mean_of_ratios(self):
        """A ratio's mean is that of its sums, not of its rows; of several runs the mean of theirs."""
        def reuse(path_rows):
            submitted, shaded = sum(v[2] for _, _, v in path_rows), sum(v[3] for _, _, v in path_rows)
            return (submitted - shaded) * 100 / submitted
        sides, expected = [], []
        for side in range(2):
            paths, ratios = [], []
            for i in range(3):
                rows = self.frames(40)
                for k, (_, _, values) in enumerate(rows):
                    values[2] = 100 if k % 2 else 10000 + 100 * i
                    values[3] = 90 if k % 2 else 1000 * (side + 1)
                paths.append(self.opengl(f"{side}{i}.sxc", rows))
                ratios.append(reuse(rows))
            sides.append(",".join(paths))
            expected.append(sum(ratios) / 3)
        row = self.row(self.diff(*sides), "vertex_reuse")
        self.assertAlmostEqual(row["a"]["mean"], expected[0], delta=1e-9 * expected[0])
        self.assertAlmostEqual(row["b"]["mean"], expected[1], delta=1e-9 * expected[1])
        self.assertIsNone(row["a"]["total"])

    def test_counts_of_some_frames(self):
        """Exact are totals of all frames; where some were not measured they are estimates."""
        def side(name, measured):
            rows = self.frames(60)
            for k, (_, _, values) in enumerate(rows):
                values[2] = 1000 + 10 * (k % 7)
                values[3] = values[2] if k in measured else "~"
            return self.opengl(name, rows)
        a, b = side("a.sxc", range(0, 40)), side("b.sxc", range(20, 60))
        base = self.path("base.json")
        run("diff", a, "--update-baseline", base)
        for first in (a, base):
            doc = self.diff(first, b)
            vertices, shaded = self.row(doc, "IAVertices"), self.row(doc, "VSInvocations")
            self.assertEqual((vertices["exact"], vertices["verdict"]), (True, "same"))
            self.assertEqual((shaded["exact"], shaded["verdict"]), (False, "same"))

    def test_swapped(self):
        """B against A says the opposite of A against B, and of the same the same."""
        a, b = self.side("a", ms=10), self.side("b", ms=12, vertices=3300)
        there, back = self.diff(a, b), self.diff(b, a)
        mirror = {"worse": "better", "better": "worse", "same": "same", "changed": "changed", "incomparable": "incomparable"}
        self.assertEqual({m["name"]: mirror[m["verdict"]] for m in there["metrics"]},
                         {m["name"]: m["verdict"] for m in back["metrics"]})
        one, two = self.row(there, "frame_time")["change"], self.row(back, "frame_time")["change"]
        self.assertAlmostEqual((1 + one) * (1 + two), 1, places=9)
        for name in ("a", "b"):
            self.assertEqual(there[name]["files"], back["b" if name == "a" else "a"]["files"])

    def test_metrics_of_several_devices(self):
        """A list with names of several devices chooses of each what it has."""
        cpu = [(i * 10 * MS, (i + 1) * 10 * MS, [9 * MS, 1000 + i, 2000]) for i in range(60)]
        both = []
        for name in "ab":
            one = self.opengl(f"{name}1.sxc")
            two = self.capture(f"{name}2.sxc", cpu, columns=WholeRuns.CPU, catalog="cpu", kind="time")
            both.append(self.path(f"{name}.sxc"))
            run("capture", "merge", one, two, "--offset=0s", "-o", both[-1])
        doc = self.diff(*both, "-m", "frame_time,Cycles")
        self.assertEqual({m["name"] for m in doc["metrics"]} & {"frame_time", "Cycles"}, {"frame_time", "Cycles"})
        self.assertIn("no_such", run("diff", *both, "-m", "frame_time,no_such", code=3).stderr)


class Peaks(Captures):
    def test_a_maximum_that_goes_with_clocks(self):
        """What the vendor calls the maximum depends on how many clocks there were: that of a second of this run."""
        columns = [("GPU_CLOCK", "cycles", "u64", "sum"), ("C6", "events", "u64", "sum"), ("C7", "events", "u64", "sum")]
        rows = [(i * MS, (i + 1) * MS, [900000 + i, 1000 + i, 500]) for i in range(1, 41)]
        path = self.capture("oa.sxc", rows, columns=columns, catalog="intel-bdw", kind="time")
        doc = json.loads(run("report", path, "--set", "RenderBasic", "-m", "GtiReadThroughput,GtiWriteThroughput,EuActive", "--json",
                             code=None).stdout)
        found = {m["name"]: m for m in doc["metrics"]}
        clocks = sum(values[0] for _, _, values in rows) / (40 * MS) * 1e9
        self.assertAlmostEqual(found["GtiReadThroughput"]["peak"], 64 * clocks, delta=1)
        self.assertAlmostEqual(found["GtiWriteThroughput"]["peak"], 32 * clocks, delta=1)


class Gates(Captures):
    """Lists of gates as files: every byte that one may find there."""

    def judge(self, content, code):
        path, capture = self.path("gates"), getattr(self, "one", None) or self.opengl("one.sxc")
        self.one = capture
        with open(path, "wb") as file:
            file.write(content)
        done = run("report", capture, "--gates", path, "-q", "--json", code=code)
        if code in (2, 5):
            self.assertEqual(len(done.stderr.strip().splitlines()), 3, done.stderr)
            self.assertIn("gates", done.stderr.splitlines()[0])
        return done

    def test_good(self):
        for content in (b"frame_time < 1s", b"frame_time < 1s\r\n# no\r\nframe_time > 1us\r\n", b"\n\n\t frame_time\t<\t1s\t\n",
                        b"# only a comment", b"", b"\xef\xbb\xbfframe_time < 1s\n", "frame_time < 50000µs\n".encode()):
            self.judge(content, 0)

    def test_bad(self):
        for content in (b"\0", b"frame_time < 1s\0\n", b"frame_time < \xff\n", b"\xff\xfef\0r\0a\0", b"<" * 300, b"x" * 5000,
                        b"frame_time < 1" + b"0" * 400, b"frame_time <", b"= 5", b"frame_time < 5s < 6s", b"frame_time < 0x10\n",
                        b"frame_time < 1e999", b"frame_time < inf", b"frame_time < nan", b"frame_time < 5 5", b"a" * (1 << 21)):
            self.judge(content, 5)

    def test_advice_of_what_cannot_be_compared(self):
        """What advises one device is not new beside another."""
        times = ("UserTime", "NiceTime", "SystemTime", "IrqTime", "SoftIrqTime", "StealTime", "IdleTime", "IOWaitTime")
        busy = [(i * MS, (i + 1) * MS, [MS] + [0] * 7) for i in range(1, 30)]
        a = self.capture("busy.sxc", busy, columns=[(name, "ns", "u64", "sum") for name in times], catalog="cpu", kind="time")
        self.assertIn("All CPUs are busy", run("advise", a).stdout)
        b = self.opengl("b.sxc")
        doc = self.diff(b, a, code=1)
        self.assertEqual((doc["comparable"], doc["findings"]), (False, []))

    def test_counters_and_units(self):
        """A counter that a gate names is judged, and shown; minutes and hours are limits as well."""
        capture = self.opengl("one.sxc")
        self.assertNotIn("IAVertices", run("report", capture, "--csv").stdout)
        for gate, code in (("IAVertices < 1e9", 0), ("iavertices.max > 1G", 6), ("FrameTime < 1min", 0), ("frame_time.total < 1h", 0),
                           ("frame_time > 1h", 6)):
            done = run("report", capture, "--gate", gate, "--json", code=code)
            told, = json.loads(done.stdout)["gates"]
            self.assertEqual(told["passed"], code == 0, told)
            self.assertIsNotNone(told["value"], told)
        self.assertIn("measured in s, not in MiB", run("report", capture, "--gate", "frame_time < 1MiB", code=2).stderr)
        self.assertIn("IAVertices", run("report", capture, "-m", "frame_time", "--gate", "IAVertices < 1e9", "--csv").stdout)

    def test_no_such_statistic(self):
        """A broken number or a statistic that there is not is a mistake of whoever typed it, not a gate without data."""
        capture, other = self.opengl("one.sxc"), self.opengl("two.sxc")
        for gate in ("frame_time.p90 < 5ms", "IAVertices.median < 5", "frame_time < 1.2.3ms", "frame_time < 1,5ms", "frame_time < 5e", "frame_time.p95 < 1furlong",
                     "frame_time < 1d"):
            for verb in (["report", capture], ["diff", capture, other]):
                done = run(*verb, "--gate", gate, code=2)
                self.assertEqual([line.split(":")[0] for line in done.stderr.strip().splitlines()], ["error", "because", "try"])
        self.assertIn("p50, p95", run("report", capture, "--gate", "frame_time.p90 < 5ms", code=2).stderr)
        run("report", capture, "--gate", "no_such.p90 < 5", code=1)

    def test_not_there(self):
        capture = self.opengl("one.sxc")
        for path in (self.path("none"), self.folder):
            self.assertEqual(len(run("report", capture, "--gates", path, "-q", code=None).stderr.strip().splitlines()), 3)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
