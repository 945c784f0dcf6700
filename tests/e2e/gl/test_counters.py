"""Hardware counters through OpenGL, on a made-up driver: whole runs through the command. What the
driver counts is worked out here once more from its rules (FNV-1a of "GROUP/COUNTER")."""
import json
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from command import Command, FolderTest, csv_rows  # noqa: E402

SEXTANT = os.environ["SEXTANT"]
PROGRAM = os.path.join(os.environ["SEXTANT_GL_PROGRAMS"], "gl-counters")
DRIVER = os.path.dirname(os.environ["FAKE_GL_DRIVER"])
GL = "gl_counters"
run = Command(SEXTANT)


def value(group, counter):
    h = 0xcbf29ce484222325
    for c in f"{group}/{counter}".encode():
        h = (h ^ c) * 0x100000001b3 % 2**64
    return h % 1000000


def windowed(group, counter, stage):
    """A counter of TA, TD or TCP beside counters of one stage of SQ (its number from 2 up)."""
    return value(group, counter) // (16 + stage)


class Counters(FolderTest):
    def setUp(self):
        super().setUp()
        self.log = os.path.join(self.folder.name, "log")
        self.capture = os.path.join(self.folder.name, "counters.sxc")
        alone = subprocess.run([PROGRAM, "1"], capture_output=True, env=self.env("amd"))
        if alone.returncode == 77:
            self.skipTest(alone.stderr.decode())
        self.assertEqual(alone.returncode, 0, alone.stderr)
        self.picture = alone.stdout

    def env(self, driver, **more):
        return dict(os.environ, LD_LIBRARY_PATH=DRIVER, FAKE_GL=driver, LIBGL_ALWAYS_SOFTWARE="1",
                    EGL_LOG_LEVEL="fatal", **more)

    def sextant(self, *arguments, driver="amd", status=0, **more):
        return run(*arguments, code=status, env=self.env(driver, **more))

    def stat(self, metrics, *program, driver="amd", devices=(GL,), status=0, options=(), **more):
        out = os.path.join(self.folder.name, "stat.json")
        self.sextant("stat", *sum((["-d", d] for d in devices), []), "-m", metrics, "--overhead",
                     "0", "--json", "-o", out, *options, "--", PROGRAM, *program, driver=driver,
                     status=status, **more)
        with open(out) as file:
            document = json.load(file)
        return document, {m["name"]: m for m in document["metrics"]}

    def count_once(self, metric, frames, each):
        self.assertEqual((metric["total"], metric["running"], metric["why"]),
                         (frames * each, 1.0, None), metric)
        self.assertEqual((metric["min"], metric["max"]), (each, each))

    def test_counts_are_exact(self):
        document, m = self.stat("GRBM.GRBM_0007,TA3.TA3_0015,SQ_PS.SQ_PS_0004", "30")
        self.assertEqual(document["samples"], {"kind": "frame", "count": 30})
        self.assertEqual(document["devices"][0]["catalog"], "amd-gcn2")
        self.assertIn("hawaii", document["devices"][0]["name"])
        self.assertEqual(m["GRBM.GRBM_0007"]["unit"], "unknown")
        # TA3 and SQ_PS share no pass: TA would count in waves of one stage alone.
        for name, each in (("TA3.TA3_0015", value("TA3", 15)),
                           ("SQ_PS.SQ_PS_0004", value("SQ_PS", 4))):
            self.assertEqual(m[name]["running"], 0.5, m[name])
            self.assertEqual((m[name]["mean"], m[name]["max"]), (each, each))
            self.assertEqual(m[name]["total"], 30 * each)

    def test_one_pass_is_every_frame(self):
        _, m = self.stat("GRBM.GRBM_0007,GRBM.GRBM_0008,VGT.VGT_0001", "40")
        for group, counter in (("GRBM", 7), ("GRBM", 8), ("VGT", 1)):
            self.count_once(m[f"{group}.{group}_{counter:04}"], 40, value(group, counter))

    def test_limits_become_passes(self):
        _, m = self.stat("GRBM.GRBM_000?", "100")
        self.assertEqual(len(m), 10)  # two at once: five passes
        for counter in range(10):
            one = m[f"GRBM.GRBM_{counter:04}"]
            self.assertEqual((one["total"], one["running"]), (100 * value("GRBM", counter), 0.2))
        plan = self.sextant("plan", "-d", GL, "-m", "GRBM.GRBM_000?", "--json").stdout
        self.assertEqual([len(p["counters"]) for p in json.loads(plan)["passes"]], [2] * 5)
        self.assertIn("GRBM 2 of 2 (full)",
                      self.sextant("plan", "-d", GL, "-m", "GRBM.GRBM_000?").stdout)
        done = self.sextant("stat", "-d", GL, "-m", "GRBM.GRBM_000?", "--overhead", "0", "--",
                            PROGRAM, "10")
        self.assertIn("5 passes, a frame each in turn", " ".join(done.stdout.split()))

    def test_metrics_of_the_chip(self):
        # TexUnitBusy: the busiest TA of four against the clocks of GRBM, as AMD's formula has it.
        _, m = self.stat("TexUnitBusy,GPUBusy", "20")
        busy = max(value(f"TA{i}", 0) for i in range(4))
        engines = 4  # that the driver's group GPIN tells
        self.assertAlmostEqual(m["TexUnitBusy"]["mean"],
                               100 * busy / value("GRBM", 2) / engines, places=9)
        self.assertAlmostEqual(m["GPUBusy"]["mean"],
                               min(100, 100 * value("GRBM", 2) / value("GRBM", 0)), places=9)
        self.assertEqual(m["GPUBusy"]["running"], 1.0)

    def test_engines_that_the_driver_splits_are_summed(self):
        _, m = self.stat("SPI.VS_BUSY,SPI1.SPI1_0001", "12", driver="amd-split")
        self.count_once(m["SPI.VS_BUSY"], 12, value("SPI0", 1) + value("SPI1", 1))
        self.count_once(m["SPI1.SPI1_0001"], 12, value("SPI1", 1))

    def test_without_a_catalog_all_is_raw(self):
        document, m = self.stat("SQ_PS.SQ_PS_0001,TA1.TA1_0002,CB0.CB0_0300", "20",
                                driver="unknown")
        self.assertEqual(document["devices"][0]["catalog"], "gl-counters")
        self.assertEqual({x["unit"] for x in m.values()}, {"unknown"})
        # The windows of stages are kept by the driver's names alone, too.
        self.assertEqual(m["TA1.TA1_0002"]["mean"], value("TA1", 2))
        self.assertEqual(m["SQ_PS.SQ_PS_0001"]["mean"], value("SQ_PS", 1))
        self.assertEqual(m["CB0.CB0_0300"]["mean"], value("CB0", 300))

    def test_intel(self):
        document, m = self.stat("RenderBasic.*,Other_things.*", "40", driver="intel")
        self.assertEqual(document["devices"][0]["catalog"], "gl-counters")
        self.assertEqual({n: x["unit"] for n, x in m.items()},
                         {"RenderBasic.GpuTime": "s", "RenderBasic.GpuBusy": "percent",
                          "RenderBasic.VsThreads": "threads", "Other_things.Odd_name_1": "unknown",
                          "Other_things.Exact": "unknown", "Other_things.Flag": "unknown",
                          "Other_things.Odd_name_1_2": "unknown"})
        # One query at a time: two passes.
        self.assertEqual({x["running"] for x in m.values()}, {0.5})
        self.assertAlmostEqual(m["RenderBasic.GpuTime"]["max"], 9007199.254740993)
        self.assertEqual(m["RenderBasic.GpuBusy"]["mean"], 62.5)
        self.assertEqual(m["Other_things.Exact"]["mean"], 0.125)
        self.assertEqual(m["Other_things.Odd_name_1"]["total"], 40 * 77)
        row = self.rows("RenderBasic.GpuTime", "plain", "intel")[0]
        self.assertEqual(row["RenderBasic.GpuTime (s)"], "9007199.254740993")  # no double holds this
        listed = self.sextant("list", "counters", "-d", GL, "--json", driver="intel").stdout
        names = {c["name"]: c["unit"] for c in json.loads(listed)["counters"]}
        self.assertEqual(names["RenderBasic.GpuBusy"], "percent")
        default, m = self.default("intel")
        self.assertEqual(sorted(m), sorted(n for n in names if n.startswith("RenderBasic")))

    def default(self, driver):
        out = os.path.join(self.folder.name, "default.json")
        self.sextant("stat", "-d", GL, "--overhead", "0", "--json", "-o", out, "--", PROGRAM, "60",
                     driver=driver)
        with open(out) as file:
            document = json.load(file)
        return document, {m["name"]: m for m in document["metrics"]}

    def test_default_is_the_chips_metrics_over_frames(self):
        document, m = self.default("amd")
        cost = document["cost"]
        self.assertEqual((cost["measured_samples"], cost["all_samples"]), (60, 60))
        self.assertAlmostEqual(m["GPUBusy"]["mean"],
                               min(100, 100 * value("GRBM", 2) / value("GRBM", 0)), places=9)
        self.assertLess(m["VSBusy"]["running"], 0.5)
        self.assertIn("another source or metric set counts it (-d gl)", m["GPUTime"]["why"])
        self.assertFalse([n for n in m if "." in n], "no raw counters unless they are named")

    def test_names(self):
        listed = self.sextant("list", "counters", "-d", GL, "--json").stdout
        names = [c["name"] for c in json.loads(listed)["counters"]]
        self.assertIn("TA3.TA3_0110", names)
        self.assertNotIn("TA3.TA3_0111", names)  # real sizes of groups
        self.assertEqual(len(names), len(set(names)))
        done = self.sextant("stat", "-d", GL, "-m", "GRBM.GRBM_0099", "--", PROGRAM, status=3)
        self.assertIn("try:", done.stderr)

    def test_none(self):
        for driver, words in (("none", "no hardware counters"),):
            done = self.sextant("stat", "-d", GL, "--", PROGRAM, driver=driver, status=3)
            self.assertIn(words, done.stderr)
            self.assertIn("-d gl", done.stderr)
        # It is nobody's default, and does not keep others from measuring.
        self.sextant("stat", "--", PROGRAM, driver="none")

    def test_record_report_export_advise(self):
        metrics = "GRBM.GRBM_000?,TexUnitBusy"
        self.sextant("record", "-d", GL, "-m", metrics, "--overhead", "0", "-o", self.capture, "--",
                     PROGRAM, "60")
        rows = csv_rows(self.sextant("export", self.capture, "--csv", "-m", metrics).stdout)
        self.assertEqual(len(rows), 60)
        for row in rows:
            there = [n for n in row if n.startswith("GRBM.") and row[n]]
            self.assertLessEqual(len(there), 2)  # what one pass holds
            for name in there:
                self.assertEqual(int(row[name]), value("GRBM", int(name[-4:])))
        report = json.loads(self.sextant("report", self.capture, "--json", "-m", metrics).stdout)
        m = {x["name"]: x for x in report["metrics"]}
        for counter in range(10):
            one = m[f"GRBM.GRBM_{counter:04}"]
            self.assertEqual(one["mean"], value("GRBM", counter))
            self.assertEqual(one["total"], 60 * value("GRBM", counter))
        # Counters that the recording's catalog does not know are known by the recording.
        out = os.path.join(self.folder.name, "again.json")
        self.sextant("stat", "-i", self.capture, "-m", "GRBM.GRBM_0003", "--json", "-o", out)
        with open(out) as file:
            self.assertEqual(json.load(file)["metrics"][0]["mean"], value("GRBM", 3))
        self.sextant("report", self.capture, "-f", "html", "-o",
                     os.path.join(self.folder.name, "x.html"))
        self.sextant("advise", self.capture)
        self.assertIn("gl_counters", self.sextant("capture", "info", self.capture).stdout)

    def test_opengl_es(self):
        _, m = self.stat("GRBM.GRBM_0007", "12", "es")
        self.count_once(m["GRBM.GRBM_0007"], 12, value("GRBM", 7))

    def test_instances_stay_apart_in_recordings(self):
        self.sextant("record", "-d", GL, "-m", "TexUnitBusy", "--overhead", "0", "-o", self.capture,
                     "--", PROGRAM, "5")
        text = self.sextant("export", self.capture, "--counters", "--csv").stdout
        row = csv_rows(text)[0]
        for i in range(4):
            self.assertEqual(int(row[f"TA[{i}].TA_BUSY"]), value(f"TA{i}", 0))
        self.assertEqual(row["TA[7].TA_BUSY"], "0")  # this chip has four

    def test_a_driver_that_dies_when_it_is_asked(self):
        done = self.sextant("stat", "-d", GL, "--", PROGRAM, status=3, FAKE_GL_LIE="crash")
        self.assertIn("it died or hung meanwhile", done.stderr)

    def test_two_contexts(self):
        document, m = self.stat("GRBM.GRBM_0007", "25", "two")
        self.assertEqual(document["samples"]["count"], 50)
        # Each frame but the first is cut in two by the other context's turn: this driver counts
        # the same in each part, and both are in the sum.
        self.assertEqual(m["GRBM.GRBM_0007"]["total"], (2 + 48 * 2) * value("GRBM", 7))
        self.assertEqual(m["GRBM.GRBM_0007"]["running"], 1.0)
        self.assertEqual(document["devices"][0]["processes"][0]["contexts"], 2)

    def test_beside_the_queries_of_the_api(self):
        document, m = self.stat("GRBM.GRBM_0007,FrameTime", "30", devices=("gl", GL))
        self.assertEqual(len(document["devices"]), 2)
        self.assertEqual(document["samples"]["count"], 30)
        self.count_once(m["GRBM.GRBM_0007"], 30, value("GRBM", 7))
        self.assertEqual(m["FrameTime"]["running"], 1.0)

    def test_guest_is_not_disturbed(self):
        for what, driver in (("own", "amd"), ("own-intel", "intel"), ("error", "amd")):
            with self.subTest(what):
                metric = "GRBM.GRBM_0007" if driver == "amd" else "RenderBasic.VsThreads"
                each = value("GRBM", 7) if driver == "amd" else 1234567
                document, m = self.stat(metric, "30", what, driver=driver, FAKE_GL_LOG=self.log)
                one = m[metric]
                self.assertEqual(one["mean"], each)
                if what != "error":  # every third frame is the program's own
                    self.assertAlmostEqual(one["running"], 20 / 30)
                    self.assertEqual(document["samples"]["count"], 30)
                    rows = self.rows(metric, what, driver)
                    self.assertEqual([bool(r[metric]) for r in rows],
                                     [i % 3 != 0 for i in range(30)])

    def rows(self, metric, what, driver, **more):
        self.sextant("record", "-d", GL, "-m", metric, "--overhead", "0", "-o", self.capture, "--",
                     PROGRAM, "30", what, driver=driver, **more)
        text = self.sextant("export", self.capture, "--csv", "-m", metric).stdout
        os.unlink(self.capture)
        return csv_rows(text)

    def test_nothing_is_left_in_the_driver(self):
        for driver, metric in (("amd", "GRBM.GRBM_000?"), ("intel", "RenderBasic.*")):
            self.stat(metric, "30", "exit", driver=driver, FAKE_GL_LOG=self.log)
            with open(self.log) as file:
                lines = file.read().splitlines()
            os.unlink(self.log)
            guest = [line for line in lines if not line.startswith("begun 0")]
            self.assertEqual(len(guest), 1, lines)
            words = guest[0].split()
            self.assertEqual((words[3], words[5]), ("0", "0"), guest)  # refused, alive
            self.assertGreaterEqual(int(words[1]), 30)

    def test_picture_and_status_stay(self):
        done = self.sextant("stat", "-d", GL, "-m", "GRBM.GRBM_0001", "--", PROGRAM, "1")
        self.assertEqual(done.stdout.splitlines()[0].encode(), self.picture.strip())

    def lying(self, lie, why, driver="amd", metric="GRBM.GRBM_0007", least=0):
        document, m = self.stat(metric, "30", driver=driver, FAKE_GL_LIE=lie)
        self.assertEqual(document["samples"]["count"], 30, lie)
        if why:
            self.assertIsNone(m[metric]["total"], (lie, m))
            self.assertIn(why, m[metric]["why"], lie)
        return m[metric]

    def test_a_driver_that_lies(self):
        for lie in ("huge-size", "long-answer", "garbage"):
            self.lying(lie, "the driver reported an impossible value")
        small = self.lying("small-size", "")  # the answer itself is whole
        self.assertEqual(small["total"], 30 * value("GRBM", 7))
        self.lying("no-begin", "refuses to count")
        self.lying("never-ready", "the result did not arrive in time")
        later = self.lying("later", "")
        self.assertEqual(later["mean"], value("GRBM", 7))  # what was counted stands
        for lie in ("long-answer", "short-answer"):
            self.lying(lie, "the driver reported an impossible value", "intel", "RenderBasic.VsThreads")
        self.lying("nan", "the driver reported an impossible value", "intel", "RenderBasic.GpuBusy")
        self.lying("no-begin", "refuses to count", "intel", "RenderBasic.GpuBusy")
        self.lying("never-ready", "the result did not arrive in time", "intel", "RenderBasic.GpuBusy")

    def test_another_driver_in_the_program(self):
        _, m = self.stat("GRBM.GRBM_0007", "10", FAKE_GL_OTHER="renderer")
        self.assertIn("another driver or GPU", m["GRBM.GRBM_0007"]["why"])
        # Other numbers and sizes of groups: names find the counters.
        _, m = self.stat("GRBM.GRBM_0007,VGT.VGT_0001", "10", FAKE_GL_OTHER="groups")
        self.count_once(m["GRBM.GRBM_0007"], 10, value("GRBM", 7))
        self.count_once(m["VGT.VGT_0001"], 10, value("VGT", 1))

    def test_cost_is_bounded_as_for_queries(self):
        out = os.path.join(self.folder.name, "stat.json")
        self.sextant("stat", "-d", GL, "-m", "GRBM.GRBM_0007", "--overhead", "1%", "--json", "-o",
                     out, "--", PROGRAM, "400")
        with open(out) as file:
            document = json.load(file)
        self.assertEqual(document["samples"]["count"], 400)
        self.assertEqual(document["metrics"][0]["mean"], value("GRBM", 7))


if __name__ == "__main__":
    unittest.main()
