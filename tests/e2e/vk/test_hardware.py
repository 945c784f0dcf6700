"""The driver's own counters (VK_KHR_performance_query), on a made-up driver that says which rules were broken."""
import glob
import json
import os
import re
import subprocess
import tempfile
import unittest

import test_layer  # noqa: E402
from command import Command, csv_rows  # noqa: E402
from test_layer import SCENES, SEXTANT, VALIDATION, metric  # noqa: E402

FAKE = os.path.join(os.environ["SEXTANT_VK_FAKE"], "fake_perf.json")
BELOW = glob.glob("/usr/share/vulkan/icd.d/lvp_icd*.json")


def environment():
    with open(BELOW[0], encoding="utf-8") as file:
        below = json.load(file)["ICD"]["library_path"]
    return {"VK_DRIVER_FILES": FAKE, "VK_ICD_FILENAMES": FAKE, "FAKE_BELOW": below}


ENV = environment() if BELOW else {}
DRAWS, RATIO, BUSY, CYCLES, DISPATCHES, TEMPERATURE, TWO = (
    "hw.Draws_seen", "hw.L2_cache_hit_ratio", "hw.Busy_time", "hw.Buffer_cycles", "hw.Dispatches_seen",
    "hw.Chip_temperature", "hw.Needs_two_passes")


sextant = Command(SEXTANT, code=0, env=ENV)


class Hardware(unittest.TestCase):
    def setUp(self):
        if not os.path.exists(SCENES):
            self.skipTest("not built here: no Vulkan loader")
        if not ENV:
            self.skipTest("Mesa's lavapipe is not installed")

    def count(self, case, *names, rounds=10, env=None, options=("--overhead", "0")):
        """The document of one run, in which no rule was broken."""
        document, said, errors = test_layer.scene(case, rounds, options=(*options, "-m", ",".join(names)),
                                                  env=dict(ENV, **(env or {})))
        self.assertNotIn("RULE", errors)
        self.assertNotIn("VALIDATION", said)
        return document

    def values(self, document, name):
        found = metric(document, name)
        return found["min"], found["max"]

    def test_two_counters_that_fit_one_pass(self):
        document = self.count("compute", DRAWS, DISPATCHES)
        self.assertEqual(self.values(document, DRAWS), (5, 5))
        self.assertEqual(metric(document, DRAWS)["total"], 50)
        self.assertEqual(self.values(document, DISPATCHES), (2, 2))

    def test_units_as_they_are(self):
        document = self.count("draws", RATIO, TEMPERATURE)
        self.assertEqual((metric(document, RATIO)["unit"], self.values(document, RATIO)), ("percent", (75.5, 75.5)))
        self.assertEqual(metric(document, TEMPERATURE)["unit"], "degC")
        self.assertAlmostEqual(metric(document, TEMPERATURE)["mean"], 26.85)
        document = self.count("draws", BUSY, CYCLES)
        self.assertEqual((metric(document, BUSY)["unit"], self.values(document, BUSY)), ("s", (5e-6, 5e-6)))
        self.assertEqual((metric(document, CYCLES)["unit"], self.values(document, CYCLES)), ("cycles", (105, 105)))

    def test_passes_take_turns_over_frames(self):
        """Five counters, two at a time: each is counted in a third of the samples, which tells."""
        document = self.count("compute", DRAWS, RATIO, BUSY, CYCLES, DISPATCHES, rounds=30)
        shares = {name: metric(document, name)["running"] for name in (DRAWS, BUSY, DISPATCHES)}
        for name, share in shares.items():
            self.assertAlmostEqual(share, 1 / 3, delta=0.1, msg=name)
        self.assertEqual(self.values(document, DRAWS), (5, 5))
        self.assertAlmostEqual(metric(document, DRAWS)["total"], 150)  # by what was drawn, however unlike samples are in length
        self.assertEqual(self.values(document, CYCLES), (100 + 5 + 20, 100 + 5 + 20))
        self.assertEqual(self.values(document, DISPATCHES), (2, 2))

    def test_beside_the_counters_of_every_driver(self):
        document = self.count("draws", DRAWS, "IAVertices", "Draws", "Occlusion")
        self.assertEqual(self.values(document, DRAWS), self.values(document, "Draws"))
        self.assertEqual(self.values(document, "IAVertices"), (30, 30))

    def test_one_that_takes_two_passes(self):
        found = metric(self.count("draws", TWO, DRAWS), TWO)
        self.assertIsNone(found["total"])
        self.assertIn("several runs of the same commands", found["why"])

    def test_scopes(self):
        """What encloses a command buffer or pass is not counted in less."""
        with tempfile.TemporaryDirectory() as folder:
            result = os.path.join(folder, "parts.sxc")
            for per, missing, rows in (("pass", {CYCLES}, [4, 1]), ("group", {CYCLES, BUSY}, [1, 2, 1, 1]),
                                       ("command-buffer", set(), [5])):
                done = sextant("record", "-d", "vulkan", "--overhead", "0", "--per", per, "-m",
                               ",".join((DRAWS, BUSY)), "-o", result, "--", SCENES, "labels", "6")
                self.assertNotIn("RULE", done.stderr)
                done = sextant("export", result, "-f", "csv", "-m", ",".join((DRAWS, BUSY)))
                found = csv_rows(done.stdout)
                self.assertEqual([float(r[DRAWS]) for r in found], 6 * rows)
                busy = [float(r[BUSY + " (s)"]) for r in found] if BUSY not in missing else None
                self.assertIn(busy, (None, [n / 1e6 for n in 6 * rows]))
                if CYCLES in missing:
                    document = self.count("labels", CYCLES, options=("--overhead", "0", "--per", per))
                    self.assertIn("the counter covers more work than one sample", metric(document, CYCLES)["why"])

    def test_secondary_command_buffers(self):
        """No query may be active around them: no data, with the reason, and no rule broken."""
        for case in ("secondaries", "shared-secondary"):
            document = self.count(case, DRAWS, CYCLES)
            self.assertIsNone(metric(document, DRAWS)["total"])
            self.assertIn("the API permits no query at that place", metric(document, DRAWS)["why"])

    def test_other_ways_of_submitting(self):
        for case, samples in (("timeline", 10), ("reuse", 10), ("threads", 80), ("two-devices", 30)):
            document = self.count(case, DRAWS, CYCLES)
            self.assertEqual(document["samples"]["count"], samples)
            self.assertEqual((case, self.values(document, DRAWS)), (case, (5, 5)))
        self.assertEqual(self.values(self.count("dynamic", DRAWS, CYCLES), DRAWS), (1, 1))

    def test_recorded_once_and_for_all(self):
        """What runs at once, or whose results nobody read, is no data; nothing else is wrong."""
        document = self.count("overlap", DRAWS, rounds=20)
        self.assertIn(self.values(document, DRAWS), ((None, None), (5, 5)))

    def test_inherited_queries(self):
        """Secondary command buffers are counted by the one that runs them, also three times in a pass, or while it runs."""
        for layers in {}, {"VK_INSTANCE_LAYERS": VALIDATION}:
            env = dict(layers, FAKE_INHERITED="1")
            for case, draws, vertices in (("secondaries", 2, 9), ("shared-secondary", 3, 9), ("overlap-draws", 3, 12),
                                          ("overlap-computes", 2, 12)):
                document = self.count(case, "Draws", "IAVertices", env=env)
                self.assertEqual((case, self.values(document, "Draws")), (case, 2 * (draws,)))
                self.assertEqual((case, self.values(document, "IAVertices")), (case, 2 * (vertices,)))

    def test_a_rendering_that_is_suspended(self):
        """Its parts have queries of their own, and what is behind them counts as before."""
        for per in "frame", "pass", "group":
            document = self.count("suspended-once", "Draws", "IAVertices", options=("--overhead", "0", "--per", per))
            self.assertEqual((per, [metric(document, name)["total"] for name in ("Draws", "IAVertices")]), (per, [40, 240]))
        document = self.count("suspended", "Draws", "IAVertices")
        self.assertEqual([self.values(document, name) for name in ("Draws", "IAVertices")], [(2, 2), (12, 12)])

    def test_one_recording_run_again_while_it_runs(self):
        """On a driver whose answers are asked for, what each run counted is copied before the next one; not over two queues."""
        for case, runs, env in (("overlap-gated", 1, {"FAKE_MACHINE": "1"}), ("overlap-once", 4, {})):
            document = self.count(case, "Draws", "IAVertices", "CSInvocations", env=env)
            for name, value in (("Draws", 5), ("IAVertices", 30), ("CSInvocations", 64)):
                self.assertEqual((case, name, self.values(document, name)), (case, name, 2 * (runs * value,)))
        document = self.count("overlap-queues", "Draws", "IAVertices", env={"FAKE_MACHINE": "1"})
        self.assertEqual(self.values(document, "Draws"), (5, 5))
        found = metric(document, "IAVertices")
        self.assertIsNone(found["total"])
        self.assertIn("the result did not arrive in time", found["why"])

    def test_the_profiling_lock(self):
        document = self.count("draws", DRAWS, "IAVertices", env={"FAKE_LOCK": "taken"})
        self.assertIn("another program uses the driver's counters", metric(document, DRAWS)["why"])
        self.assertEqual(self.values(document, "IAVertices"), (30, 30))
        document = self.count("draws", DRAWS, env={"FAKE_LOCK": "denied"})
        self.assertIn("this user may not read it", metric(document, DRAWS)["why"])

    def test_a_program_that_counts_itself(self):
        document = self.count("own-performance", DRAWS, "IAVertices")
        self.assertIn("the program uses the same query or counter itself", metric(document, DRAWS)["why"])
        self.assertEqual(self.values(document, "IAVertices"), (30, 30))

    def test_a_driver_without(self):
        """The program draws with another driver than the one that was asked: none here has the extension."""
        program = ["env", "VK_DRIVER_FILES=" + BELOW[0], "VK_ICD_FILENAMES=" + BELOW[0], SCENES, "draws", "3"]
        document, _, _ = test_layer.run(program, options=("--overhead", "0", "-m", DRAWS), env=ENV)
        self.assertIn("the program uses another driver or GPU", metric(document, DRAWS)["why"])

    def test_no_driver_has_any(self):
        done = Command(SEXTANT)("stat", "-d", "vulkan", "-m", DRAWS, "--", "true", code=3)
        self.assertIn(DRAWS, done.stderr)

    def test_the_device_is_lost(self):
        """The program hears of it as without us and ends by itself; what was counted before is kept."""
        plain = subprocess.run([SCENES, "draws", "20"], env=dict(os.environ, **ENV, FAKE_LOST="8"), capture_output=True,
                               text=True, timeout=60)
        self.assertIn("-4", plain.stderr)
        for names in ((DRAWS, "Draws"), ("IAVertices", "Draws", "Occlusion")):
            document, _, errors = test_layer.run([SCENES, "draws", "20"], env=dict(ENV, FAKE_LOST="8"),
                                                 options=("--overhead", "0", "-m", ",".join(names)), code=plain.returncode)
            self.assertIn(plain.stderr.strip(), errors)
            self.assertEqual(metric(document, "Draws")["total"], 7 * 5)
            first = metric(document, names[0])
            self.assertIn((first["min"], first["max"]), ((5, 5), (30, 30)))

    def test_plan(self):
        """The driver says what it counts at once; what it cannot in one run has its reason."""
        document = json.loads(sextant("plan", "-d", "vulkan", "--json", "-m", "hw.*,IAVertices").stdout)
        self.assertEqual([p["counters"] for p in document["driver_passes"]],
                         [[DRAWS, RATIO], [BUSY, CYCLES], [DISPATCHES, TEMPERATURE]])
        self.assertEqual(list(document["unavailable"]), [TWO])
        self.assertEqual(list(document["metrics"]), ["IAVertices"])
        self.assertIn("3 passes of the driver's own counters, which take turns",
                      sextant("plan", "-d", "vulkan", "-m", "hw.*").stdout)

    def test_list_and_explain(self):
        document = json.loads(sextant("list", "counters", "hw.*", "-d", "vulkan", "--json").stdout)
        self.assertEqual(len(document["counters"]), 7)
        said = sextant("explain", BUSY, "-d", "vulkan").stdout
        self.assertIn("of whole render passes", said)

    def test_validation_layers_find_nothing(self):
        """
        The Khronos layer, below ours, checks the same rules in its own way; not the one on the last command of a
        command buffer, which its version in Debian 12 (1.3.239) finds broken by any query of that scope.
        """
        if not glob.glob("/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json"):
            self.skipTest("vulkan-validationlayers are not installed")
        for case in ("compute", "labels", "secondaries", "reuse", "dynamic", "suspended-once"):
            for per in ("frame", "pass", "group"):
                self.count(case, DRAWS, BUSY, RATIO, DISPATCHES, env={"VK_INSTANCE_LAYERS": VALIDATION},
                           options=("--overhead", "0", "--per", per))


class Machine(unittest.TestCase):
    """Heaps, queues and mesh shaders of a made-up machine: none of this has run on hardware yet."""

    def setUp(self):
        if not os.path.exists(SCENES) or not ENV:
            self.skipTest("not built here, or without Mesa's lavapipe")

    def rows(self, case, kind, names, rounds=4, **env):
        with tempfile.TemporaryDirectory() as folder:
            result = os.path.join(folder, "machine.sxc")
            done = sextant("record", "-d", "vulkan", "--overhead", "0", "--per", kind, "-o", result,
                           "--", SCENES, case, rounds, env=dict(env, FAKE_MACHINE="1"))
            self.assertNotIn("RULE", done.stderr)
            done = sextant("export", result, "-f", "csv", "-m", ",".join(names))
            return [{k: v for k, v in row.items() if k in names or k == "group"}
                    for row in csv_rows(done.stdout)]

    def test_memory_by_heap(self):
        """What is allocated as a sample ends, which is when the next one is submitted."""
        names = ("MemoryHeap0", "MemoryHeap1", "MemoryHeap2", "MemoryHeap3", "DeviceMemory")
        rows = self.rows("heaps", "submit", names)
        first = int(rows[0]["MemoryHeap0"])
        self.assertGreater(first, 0)
        for row, base, there in zip(rows, (first, first, first, 0), (1, 0, 0, 0)):  # the last is the device's end
            self.assertEqual([row[n] for n in names], [str(base), str(there * 65536), str(there * 131072), "",
                                                       str(base + there * 131072)])

    def test_results_are_read_together(self):
        """A GPU's driver is asked for several command buffers' results at once; lavapipe, a CPU's, never: each copies its own."""
        for machine, calls in ({"FAKE_MACHINE": "1"}, range(1, 4 * 12 // 2)), ({}, (0,)):
            with tempfile.TemporaryDirectory() as folder:
                result = os.path.join(folder, "many.sxc")
                done = sextant("record", "-d", "vulkan", "--overhead", "0", "--per", "command-buffer", "-o", result,
                               "-m", "IAVertices,IAPrimitives,Draws", "--", SCENES, "many", 4, env=machine)
                self.assertNotIn("RULE", done.stderr)
                reads = re.search(r"^READS (\d+)$", done.stderr, re.MULTILINE)
                self.assertIn(int(reads[1]) if reads else 0, calls)
                rows = csv_rows(sextant("export", result, "-f", "csv", "-m", "IAVertices,Draws").stdout)
                self.assertEqual([(int(row["Draws"]), int(row["IAVertices"])) for row in rows],
                                 [(n, 3 * n) for n in range(1, 13)] * 4)

    def test_queues_apart(self):
        """The queue that cannot draw counts its dispatches all the same."""
        names = ("Draws", "IAPrimitives", "Dispatches", "CSInvocations", "Submits")
        rows = self.rows("queues", "queue", names)
        sums = {}
        for row in rows:
            add = [int(row[n] or 0) for n in names]
            sums[row["group"]] = [a + b for a, b in zip(sums.get(row["group"], [0] * 5), add)]
        self.assertEqual(sums, {"queue 0": [12, 12, 0, 0, 4], "queue 1": [8, 8, 0, 0, 4],
                                "queue 2": [0, 0, 4, 4 * 64, 4]})
        rows = self.rows("queues", "submit", names)
        self.assertEqual([[row[n] for n in ("Draws", "Dispatches")] for row in rows],
                         4 * [["3", "0"], ["2", "0"], ["0", "1"]])

    def test_two_threads_and_queues(self):
        """While one thread reads results, the other's submissions wait for nobody: each is a sample all the same."""
        for us in "0", "300":
            with self.subTest(us=us):
                document, said, errors = test_layer.scene("submits-apart", 400, options=("--overhead", "0"),
                                                          env=dict(ENV, FAKE_MACHINE="1", FAKE_IDLE=us))
                self.assertNotIn("RULE", errors)
                self.assertIn("800 submissions", said)
                self.assertEqual(document["samples"]["count"], 800)
                for name in "Draws", "Submits", "CommandBuffers":
                    found = metric(document, name)
                    self.assertEqual((name, found["min"], found["max"], found["total"]), (name, 1, 1, 800))

    def test_recorded_anew_before_it_is_noted(self):
        """What was submitted counts as it was then, though it is recorded anew or freed while others have the lock, or
        before the call that submitted it returns."""
        for case, env in (("submits-anew", {"FAKE_IDLE": "2000"}), ("submits-late", {"FAKE_LATE": "3000"})):
            with self.subTest(case=case):
                document, said, _ = test_layer.scene(case, 150, options=("--overhead", "0", "-m", "Barriers,Draws,IAPrimitives"),
                                                     env=dict(ENV, FAKE_MACHINE="1", **env))
                barriers, draws = map(int, re.search(r"(\d+) barriers, (\d+) draws", said).groups())
                self.assertEqual([(metric(document, n)["total"], metric(document, n)["running"]) for n in ("Barriers", "Draws")],
                                 [(barriers, 1), (draws, 1)])

    def test_labels_of_two_queues(self):
        """Each queue has its own, whichever thread takes in what the other one did; and each of them is a sample, though
        they are noted in another order than that in which they were begun."""
        rows = self.rows("submits-labelled", "submit", ("Draws",), rounds=200, FAKE_IDLE="0")
        self.assertEqual(len(rows), 400)
        self.assertEqual({(row["group"], row["Draws"]) for row in rows}, {("One", "1"), ("Two", "1")})

    def test_mesh_shaders(self):
        document, _, errors = test_layer.scene("mesh", 5, env=dict(ENV, FAKE_MACHINE="1"))
        self.assertNotIn("RULE", errors)
        for name, each in (("TaskInvocations", 25), ("MeshInvocations", 50), ("Draws", 3), ("IAVertices", 6)):
            found = metric(document, name)
            self.assertEqual((name, found["min"], found["max"], found["total"]), (name, each, each, 5 * each))


if __name__ == "__main__":
    unittest.main(verbosity=2)
