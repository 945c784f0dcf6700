"""The Vulkan layer on programs whose counts are known, on vkcube, and under the validation layers."""
import ctypes
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import xvfb  # noqa: E402
from command import Command, csv_rows  # noqa: E402

SEXTANT = os.environ["SEXTANT"]
SCENES = os.path.join(os.environ["SEXTANT_VK_PROGRAMS"], "vk-scenes")
LAYER = os.environ["SEXTANT_VK_LAYER"]
VALIDATION = "VK_LAYER_KHRONOS_validation"
PIXELS = 64 * 64
sextant = Command(SEXTANT)


def run(command, options=(), env=None, verb="stat", code=0):
    """Gives the document, and what the program and the command said."""
    document, done = sextant.measure(command, verb, "-d", "vulkan", *options, env=env, code=code)
    return document, done.stdout, done.stderr


def scene(case, rounds=10, options=("--overhead", "0"), env=None):
    if not os.path.exists(SCENES):
        raise unittest.SkipTest("not built here: no Vulkan loader")
    return run([SCENES, case, str(rounds)], options=options, env=env)


def metric(document, name):
    return next(m for m in document["metrics"] if m["name"] == name)


class Counts(unittest.TestCase):
    def check(self, document, samples, **each):
        """Every sample has exactly these values."""
        self.assertEqual(document["samples"]["count"], samples)
        for name, value in each.items():
            found = metric(document, name)
            self.assertEqual((name, found["min"], found["max"]), (name, value, value))
            self.assertEqual((name, found["total"]), (name, value * samples))

    def test_draws(self):
        document, _, _ = scene("draws")
        self.check(document, 10, Draws=5, RenderPasses=1, Submits=1, CommandBuffers=1, Dispatches=0, Barriers=0,
                   IAVertices=30, IAPrimitives=10, VSInvocations=30, CInvocations=10,
                   Occlusion=10 * PIXELS, Frames=0, GSInvocations=0)
        self.assertGreaterEqual(metric(document, "PSInvocations")["min"], 10 * PIXELS)
        self.assertIsNone(metric(document, "PrimsWritten")["total"])
        self.assertIn("no measured program did work that it counts", metric(document, "PrimsWritten")["why"])

    def test_submissions_of_unlike_size(self):
        """Those that were counted stand for others by what was drawn, not by their number."""
        draws = 8 * 100 + sum(1 + i % 3 for i in range(8, 300))
        for options, counted in (((), None), (("--overhead", "0"), 1)):
            document, _, _ = scene("uneven", 300, options=options)
            self.assertEqual((document["samples"]["kind"], document["samples"]["count"]), ("time", 300))
            self.assertEqual(metric(document, "Draws")["total"], draws)
            vertices = metric(document, "IAVertices")
            self.assertLess(abs(vertices["total"] - 6 * draws), 2 if counted is None else 0.5)
            self.assertEqual(vertices["running"] == 1, counted == 1)

    def test_what_a_launcher_left(self):
        """The program begins when the one that was started has ended, and is measured to its end."""
        launcher = ("import os, sys, time\n"
                    "if os.fork() == 0:\n"
                    "    os.setsid()\n"
                    "    time.sleep(0.3)\n"
                    "    os.execv(sys.argv[1], sys.argv[1:])\n"
                    "os._exit(3)")
        document, _, _ = run([sys.executable, "-c", launcher, SCENES, "draws", "10"], options=("--overhead", "0"), code=3)
        self.check(document, 10, Draws=5, IAVertices=30)

    def test_dynamic_rendering(self):
        document, _, _ = scene("dynamic")
        self.check(document, 10, Draws=1, RenderPasses=1, Barriers=1, IAPrimitives=2, Occlusion=2 * PIXELS)

    def test_a_rendering_that_is_suspended(self):
        """Over several command buffers or in one: queries within its parts, and one pass."""
        document, _, _ = scene("suspended", 200)
        self.check(document, 200, Draws=2, RenderPasses=1, CommandBuffers=2, IAVertices=12, Occlusion=4 * PIXELS)
        for per in (), ("--per", "group"):
            document, _, _ = scene("suspended-once", options=("--overhead", "0", *per))
            self.check(document, 10, Draws=4, RenderPasses=2, IAPrimitives=8, Occlusion=8 * PIXELS)
        document, _, _ = scene("suspended-once", options=("--overhead", "0", "--per", "pass"))
        self.assertEqual([metric(document, name)["total"] for name in ("Draws", "RenderPasses", "IAPrimitives")], [40, 20, 80])
        self.assertEqual(metric(document, "Draws")["max"], 3)

    def test_compute_beside_draws(self):
        document, _, _ = scene("compute")
        self.check(document, 10, Dispatches=2, CSInvocations=9 * 8, Draws=5, IAPrimitives=10, Occlusion=10 * PIXELS)

    def test_secondary_command_buffers(self):
        """They inherit, or count for themselves on a driver that cannot (lavapipe)."""
        document, _, _ = scene("secondaries")
        self.check(document, 10, Draws=2, IAVertices=9, IAPrimitives=3, Occlusion=3 * PIXELS, CommandBuffers=1)

    def test_a_secondary_that_runs_several_times(self):
        """In one pass: exact, or no data where neither the driver nor the layers below ours let it be counted."""
        for env in {}, {"VK_INSTANCE_LAYERS": VALIDATION}:
            document, _, _ = scene("shared-secondary", env=env)
            self.check(document, 10, Draws=3, CommandBuffers=1)
            for name, value in (("IAVertices", 9), ("Occlusion", 3 * PIXELS)):
                self.assertIn(metric(document, name)["min"], (None, value))
                if not env and "llvmpipe" in document["devices"][0]["name"]:
                    self.assertEqual(metric(document, name)["min"], value)

    def test_a_secondary_that_runs_several_times_outside_of_passes(self):
        document, _, _ = scene("overlap-computes", 30)
        self.check(document, 30, Draws=2, Dispatches=3, CommandBuffers=1, RenderPasses=2, CSInvocations=2 * 64 + 8, IAVertices=12,
                   Occlusion=4 * PIXELS)

    def test_secondaries_that_may_run_several_times(self):
        """Once in each pass of a command buffer that runs again while it runs."""
        document, _, _ = scene("overlap-draws", 30)
        self.check(document, 30, Draws=3, RenderPasses=2, CommandBuffers=1, IAVertices=12, VSInvocations=12, Occlusion=4 * PIXELS)

    def test_what_no_query_can_count_says_why(self):
        """A secondary command buffer that may run twice at once: never the wrong reason."""
        for env in {}, {"VK_INSTANCE_LAYERS": VALIDATION}:
            document, _, _ = scene("shared-secondary", env=env)
            self.check(document, 10, Draws=3, RenderPasses=1)
            found = metric(document, "IAVertices")
            if found["total"] is None:
                self.assertIn("the API permits no query at that place", found["why"])

    def test_one_recording_run_often(self):
        document, _, _ = scene("reuse")
        self.check(document, 10, Draws=5, IAPrimitives=10, Occlusion=10 * PIXELS)

    def test_one_recording_run_again_while_it_runs(self):
        """What each run counted is exact: on its way, surely before the next one begins, and in the forms of submissions."""
        for case, rounds, computes in (("overlap", 600, 0), ("overlap-waits", 40, 1), ("overlap-gated", 40, 1)):
            document, _, _ = scene(case, rounds)
            self.check(document, rounds, Draws=5, Dispatches=computes, CommandBuffers=1, IAVertices=30, VSInvocations=30,
                       CSInvocations=64 * computes, Occlusion=10 * PIXELS)
        document, _, _ = scene("overlap-once")  # four times a round, in both forms by turns
        self.check(document, 10, Draws=20, CommandBuffers=4, Submits=1, IAVertices=120, CSInvocations=256, Occlusion=40 * PIXELS)

    def test_what_is_drawn_later_took_no_time_that_is_known(self):
        """Submissions come quicker than one thread draws: what a sample drew in no time at all is no zero."""
        for names in ("D3DGPUTime,gpu_time,Draws", "D3DGPUTime,gpu_time"):  # also where draws are not asked for
            document, _, _ = scene("overlap", 1000, options=("--overhead", "0", "-m", names), env={"LP_NUM_THREADS": "1"})
            if "llvmpipe" not in document["devices"][0]["name"]:
                self.skipTest("a device of its own")
            for name in ("D3DGPUTime", "gpu_time"):
                found = metric(document, name)
                self.assertNotEqual((name, found["min"]), (name, 0))
                if found["total"] is None:  # of all samples, or of most, it is unknown how long they took
                    self.assertRegex(found["why"], "the counter covers more work than one sample|the software driver's CPU time cannot be separated")

    def test_the_programs_own_queries(self):
        """They give what they gave (the program checks); what they count exactly is counted, and else that is said."""
        document, _, _ = scene("own-queries", 10)
        self.check(document, 10, Draws=3, Occlusion=6 * PIXELS, IAVertices=18)
        found = metric(document, "VSInvocations")  # which those of the program do not count
        self.assertEqual((found["min"], found["max"], found["running"], found["total"]), (18, 18, 0.5, None))
        self.assertIn("in 5 of 10 samples: the program uses the same query or counter itself", found["why"])
        document, _, _ = scene("own-predicates", 10)
        self.check(document, 10, Draws=1, IAVertices=3)
        self.assertEqual((metric(document, "Occlusion")["total"], metric(document, "Occlusion")["running"]), (None, 0.5))
        self.assertIn("the program uses the same query or counter itself", metric(document, "Occlusion")["why"])
        for layers in {}, {"VK_INSTANCE_LAYERS": VALIDATION}:  # twice in a submission, and before it is reset
            document, said, _ = scene("own-resets", 10, env=layers)
            self.assertNotIn("VALIDATION", said)
            self.check(document, 10, Draws=4, Dispatches=4, Occlusion=6 * PIXELS, CSInvocations=4 * 8)

    def test_transform_feedback(self):
        document, _, _ = scene("feedback", 10)
        written, needed = metric(document, "PrimsWritten_S0"), metric(document, "PrimsStorageNeed_S0")
        if written["total"] is None:
            self.skipTest(written["why"])
        self.assertEqual((written["min"], written["max"], written["total"]), (0, 4, 20))
        self.assertEqual((needed["min"], needed["max"], needed["total"]), (0, 7, 35))
        self.assertEqual(metric(document, "OverflowPred_S0")["min"], 1)
        generated = metric(document, "PrimitivesGenerated")
        self.assertEqual((generated["min"], generated["max"], generated["total"]), (1, 8, 45))
        self.check(document, 10, RenderPasses=1, Barriers=1)

    def test_streams_of_a_geometry_shader(self):
        """Stream 1 has two points of each triangle, and room for five of them."""
        document, _, _ = scene("streams", 10)
        if metric(document, "PrimsWritten_S1")["total"] is None:
            self.skipTest(metric(document, "PrimsWritten_S1")["why"])
        for name, most in (("PrimsWritten_S0", 7), ("PrimsStorageNeed_S0", 7), ("PrimsWritten_S1", 5),
                           ("PrimsStorageNeed_S1", 14)):
            found = metric(document, name)
            self.assertEqual((name, found["min"], found["max"], found["total"]), (name, 0, most, 5 * most))
        for name, value in (("OverflowPred_S0", 0), ("OverflowPred_S1", 1), ("OverflowPred", 1)):
            self.assertEqual((name, metric(document, name)["max"]), (name, value))

    def test_mesh_shaders(self):
        """Of a real driver: as many as the shaders say, and as the program's own queries count without us."""
        if os.path.exists(SCENES):
            alone = subprocess.run([SCENES, "mesh-queries", "2"], capture_output=True, text=True, timeout=100, check=False)
            if alone.returncode == 77:
                self.skipTest("the driver has no mesh shaders: " + alone.stderr.strip())
            self.assertEqual((alone.returncode, alone.stdout), (0, 2 * "task 50 mesh 225 triangles 75\n"))
        document, _, _ = scene("mesh-shaders")
        self.check(document, 10, Draws=3, RenderPasses=1, TaskInvocations=50, MeshInvocations=225, IAVertices=6, IAPrimitives=2,
                   VSInvocations=6, Occlusion=77 * PIXELS)
        # The program's own queries of mesh shaders go on as they were, and what they disturb is told.
        document, said, _ = scene("mesh-queries", 3)
        self.assertEqual(said, 3 * "task 50 mesh 225 triangles 75\n")
        for name, value in (("TaskInvocations", 50), ("MeshInvocations", 225), ("Draws", 3)):
            self.assertIn(metric(document, name)["max"], (None, value))

    def test_cost_without_a_window(self):
        """Samples that are not frames are spared, too, and that is told."""
        cost = scene("draws", rounds=100, options=())[0]["cost"]
        self.assertEqual(cost["all_samples"], 100)
        self.assertGreater(cost["measured_samples"], 0)
        self.assertLess(cost["measured_samples"], 100)

    def test_what_overhead_cannot_bound(self):
        """A command buffer that is recorded once keeps its queries: that is told, and only then."""
        said = "--overhead bounds what is recorded anew: "
        _, _, errors = scene("reuse", 200, options=("--overhead", "1"))
        found = re.search(said + r"(\d+) of (\d+) samples", errors)
        self.assertTrue(found, errors)
        self.assertTrue(100 < int(found[1]) < int(found[2]) == 200, errors)
        for case, options in (("reuse", ("--overhead", "0")), ("draws", ("--overhead", "1"))):
            self.assertNotIn(said, scene(case, 100, options=options)[2])

    def test_submit2_and_timeline_semaphores(self):
        document, _, _ = scene("timeline")
        self.check(document, 10, Submits=1, Draws=5, IAPrimitives=10, Occlusion=10 * PIXELS)

    def test_more_than_the_device_does_meanwhile(self):
        document, _, _ = scene("flood", 900)
        self.check(document, 900, Draws=2, IAVertices=6, IAPrimitives=2)

    def test_threads_and_pools(self):
        document, _, _ = scene("threads", 20)
        self.check(document, 160, Draws=5, IAPrimitives=10, Occlusion=10 * PIXELS)

    def test_what_is_not_asked_for_is_not_counted(self):
        document, _, _ = scene("draws", options=("--overhead", "0", "-m", "Draws,IAVertices"))
        self.check(document, 10, Draws=5, IAVertices=30)
        self.assertEqual({m["name"] for m in document["metrics"]}, {"Draws", "IAVertices"})

    def test_the_first_label(self):
        document, _, _ = scene("labels")
        self.check(document, 10, Draws=5, RenderPasses=2, IAPrimitives=12)

    def test_submissions_of_no_command_buffer(self):
        """A fence or a batch of none is no work: neither a submission nor a sample."""
        for per in (), ("--per", "submit"):
            document, _, _ = scene("submits-empty", options=("--overhead", "0", *per))
            self.check(document, 10, Submits=1, CommandBuffers=1, Draws=5, IAVertices=30)

    def test_leaving_in_the_middle(self):
        """exit() without destroying anything hands over what there is."""
        document, _, _ = scene("leave")
        self.check(document, 10, Draws=5, IAPrimitives=10)

    def test_gone_when_all_is_counted(self):
        """By _exit, after the last wait: the last submission is counted like those before it, whatever a sample is."""
        document, _, _ = scene("gone")
        self.check(document, 10, Draws=5, IAVertices=30, Occlusion=10 * PIXELS)
        for per in "pass", "submit", "command-buffer", "queue", "group":
            document, _, _ = scene("gone", options=("--overhead", "0", "--per", per))
            self.assertEqual((per, metric(document, "Draws")["total"]), (per, 50))
            self.assertEqual((per, metric(document, "IAVertices")["total"]), (per, 300))

    def test_a_fork(self):
        document, _, _ = scene("forks")
        self.check(document, 10, Draws=5, IAPrimitives=10)
        self.assertEqual(len(document["devices"][0]["processes"]), 1)

    def test_children_with_devices_of_their_own(self):
        """They are forked when there is an instance, and no device: each is measured."""
        document, _, _ = scene("children", 5)
        self.check(document, 10, Draws=5, IAPrimitives=10)
        self.assertEqual(len(document["devices"][0]["processes"]), 2)

    def test_a_structure_that_nobody_knows(self):
        """A chain that cannot be copied is left as it is: no query, and the reason."""
        document, _, _ = scene("stranger")
        self.check(document, 10, Draws=5)
        found = metric(document, "IAVertices")
        self.assertIsNone(found["total"])
        self.assertIn("the device or driver has no such counter", found["why"])

    def test_two_devices(self):
        document, _, _ = scene("two-devices")
        self.check(document, 30, Draws=5, IAPrimitives=10)
        self.assertEqual(document["devices"][0]["processes"][0]["contexts"], 2)

    def test_what_was_killed_is_kept(self):
        if not os.path.exists(SCENES):
            self.skipTest("not built here: no Vulkan loader")
        killer = ("import subprocess, sys, time\n"
                  "p = subprocess.Popen([sys.argv[1], 'endless', '20'], stdout=subprocess.PIPE)\n"
                  "p.stdout.readline(), time.sleep(0.2), p.kill()\n"
                  "sys.exit(77 if p.wait() == 77 else 0)")
        document, _, _ = run([sys.executable, "-c", killer, SCENES], options=("--overhead", "0"))
        self.assertGreaterEqual(document["samples"]["count"], 20)
        draws = metric(document, "Draws")
        self.assertEqual((draws["min"], draws["max"]), (5, 5))

    def test_gone_before_the_device_is_through(self):
        """By _exit, right after its submissions: what was submitted is there, and what it counted is no data or right."""
        document, _, _ = scene("vanish", 200)
        self.check(document, 200, Draws=2, Submits=1, CommandBuffers=1, RenderPasses=1)
        vertices = metric(document, "IAVertices")
        self.assertIn(vertices["max"], (None, 6))
        self.assertLess(vertices["running"], 1)

    def test_memory(self):
        document, _, _ = scene("draws")
        heap = metric(document, "MemoryHeap0")
        self.assertGreaterEqual(heap["max"], 4 * PIXELS)
        self.assertEqual(heap["max"], metric(document, "DeviceMemory")["max"])

    def test_work_that_draws_nothing(self):
        """A software driver fills on threads that nobody knows: no GPU time, and no verdict made of it."""
        document, _, _ = scene("fills", 100)
        self.check(document, 100, Submits=1, CommandBuffers=1, Draws=0)
        if "llvmpipe" not in document["devices"][0]["name"]:
            self.skipTest("a device of its own")
        for name in ("D3DGPUTime", "gpu_time", "gpu_time_share", "RasterThreadTime"):
            self.assertEqual((name, metric(document, name)["total"], metric(document, name)["mean"]),
                             (name, None, None))
        self.assertIn("the software driver's CPU time cannot be separated", metric(document, "gpu_time")["why"])
        facts = [e["title"] for part in document["verdict"]["parts"] for e in part["evidence"]]
        self.assertNotIn("GPU at work", facts)

    def test_draws_beside_what_is_computed_or_filled(self):
        """A software driver does that on threads of its own: what those that draw took is not all, and no data."""
        for case in ("compute", "filled"):
            document, _, _ = scene(case)
            if "llvmpipe" not in document["devices"][0]["name"]:
                self.skipTest("a device of its own")
            for name in ("D3DGPUTime", "gpu_time"):
                found = metric(document, name)
                self.assertIsNone(found["total"], (case, found))
                self.assertIn("the software driver's CPU time cannot be separated", found["why"])
        document, _, _ = scene("filled", 3, options=("--overhead", "0", "-m", "Draws,IAPrimitives"))
        self.check(document, 3, Draws=1, IAPrimitives=1)

    def test_time_is_bounded(self):
        document, _, _ = scene("draws", 30)
        time = metric(document, "gpu_time")
        if time["total"] is None:
            self.assertTrue(time["why"])
            return
        self.assertLessEqual(time["total"], document["duration_ns"] * 1e-9)
        self.assertGreaterEqual(time["min"], 0)


class Parts(unittest.TestCase):
    """Samples that are parts of frames add up to them."""

    def rows(self, kind, case, rounds=3):
        """Per sample: its label and the values of some counters."""
        if not os.path.exists(SCENES):
            self.skipTest("not built here: no Vulkan loader")
        with tempfile.TemporaryDirectory() as folder:
            result = os.path.join(folder, "parts.sxc")
            done = sextant("record", "-d", "vulkan", "--overhead", "0", "--per", kind, "-o", result, "--", SCENES, case, rounds)
            if done.returncode == 77:
                self.skipTest("no Vulkan driver here")
            self.assertEqual(done.returncode, 0, done.stderr)
            names = "Draws,RenderPasses,IAPrimitives,Occlusion,CSInvocations,Submits,CommandBuffers"
            return csv_rows(sextant("export", result, "-f", "csv", "-m", names, code=0).stdout)

    def test_passes(self):
        rows = self.rows("pass", "labels")
        got = [(r["group"], r["Draws"], r["RenderPasses"], r["IAPrimitives"], r["Occlusion"]) for r in rows]
        one = [("Shadow", "4", "1", "8", str(8 * PIXELS)), ("", "1", "1", "4", str(4 * PIXELS))]
        self.assertEqual(got, 3 * one)
        self.assertEqual([r["Submits"] for r in rows], 3 * ["1", "0"])

    def test_passes_and_what_lies_between(self):
        rows = self.rows("pass", "compute")
        got = [(r["Draws"], r["RenderPasses"], r["IAPrimitives"], r["CSInvocations"]) for r in rows]
        self.assertEqual(got, 3 * [("0", "0", "0", "64"), ("5", "1", "10", "0"), ("0", "0", "0", "8")])

    def test_groups(self):
        rows = self.rows("group", "labels")
        got = [(r["group"], r["Draws"], r["IAPrimitives"], r["Occlusion"]) for r in rows]
        one = [("Shadow", 1, 1), ("Shadow/Cascade 2", 2, 4), ("Shadow", 1, 3), ("", 1, 4)]
        self.assertEqual(got, 3 * [(g, str(d), str(p), str(p * PIXELS)) for g, d, p in one])

    def test_labels_over_command_buffers(self):
        """A label holds on its queue until it is ended there, and a queue has labels of its own."""
        across = [("Queue/Across", "1"), ("Queue/Across", "2"), ("Queue", "4"), ("", "3"), ("Again", "3")]
        for kind in ("pass", "group"):
            with self.subTest(kind=kind):
                got = [(r["group"], r["IAPrimitives"]) for r in self.rows(kind, "labels-across")]
                self.assertEqual(got, 3 * across)
        got = [(r["group"], r["IAPrimitives"]) for r in self.rows("command-buffer", "labels-across")]
        self.assertEqual(got, 3 * [("Queue/Across", "1"), ("Queue/Across", "6"), ("", "3"), ("Again", "3")])
        got = [(r["group"], r["IAPrimitives"]) for r in self.rows("submit", "labels-across")]
        self.assertEqual(got, 3 * [("Queue/Across", "7"), ("", "3"), ("Again", "3")])

    def test_command_buffers(self):
        rows = self.rows("command-buffer", "threads")
        self.assertEqual(len(rows), 4 * 3 * 2)
        self.assertEqual({(r["Draws"], r["IAPrimitives"], r["CommandBuffers"]) for r in rows}, {("5", "10", "1")})

    def test_submissions_and_queues(self):
        """Each call that submits is a sample, or all that one queue was given."""
        rows = self.rows("submit", "threads")
        self.assertEqual(len(rows), 4 * 3 * 2)
        self.assertEqual({(r["Draws"], r["IAPrimitives"], r["Submits"]) for r in rows}, {("5", "10", "1")})
        rows = self.rows("submit", "overlap-gated", 20)
        self.assertEqual([(r["Draws"], r["IAPrimitives"], r["CSInvocations"]) for r in rows], 20 * [("5", "10", "64")])
        rows = self.rows("pass", "overlap-draws")
        self.assertEqual([(r["Draws"], r["IAPrimitives"]) for r in rows], 3 * [("1", "1"), ("2", "3")])
        rows = self.rows("pass", "overlap-once")
        self.assertEqual([(r["Draws"], r["IAPrimitives"], r["CSInvocations"]) for r in rows],
                         3 * 4 * [("5", "10", "0"), ("0", "0", "64")])
        rows = self.rows("queue", "threads")
        self.assertLess(len(rows), 4 * 3 * 2)
        self.assertEqual({r["group"] for r in rows}, {"queue 0"})
        for name, each in (("Draws", 5), ("IAPrimitives", 10), ("Submits", 1), ("CommandBuffers", 1)):
            self.assertEqual((name, sum(int(r[name]) for r in rows)), (name, 4 * 3 * 2 * each))

    def test_secondaries_in_a_pass(self):
        rows = self.rows("pass", "secondaries")
        self.assertEqual([(r["Draws"], r["IAPrimitives"]) for r in rows], 3 * [("2", "3")])

    def test_words_for_samples(self):
        """A command buffer without a pass has a sample, which is none of a pass."""
        for kind in ("pass", "group"):
            text = self.text(kind)
            self.assertIn(f"\n3 samples by {kind} in ", text)
            self.assertNotIn("no samples by", text)

    def text(self, kind):
        if not os.path.exists(SCENES):
            self.skipTest("not built here: no Vulkan loader")
        return sextant("stat", "--per", kind, "-m", "Submits", "--", SCENES, "fills", "3", code=0).stdout

    def test_what_vulkan_has_not_but_others_have(self):
        """Which API a program uses shows when it runs: the report says that its samples are others."""
        for kind in ("draw", "kernel"):
            text = " ".join(self.text(kind).split())
            self.assertIn(f"Vulkan has no samples by {kind}, but by frame, group, pass, command-buffer,", text)
        self.assertNotIn("has no samples by", self.text("frame"))

    def test_what_there_is_not(self):
        done = subprocess.run([SEXTANT, "stat", "-d", "vulkan", "--per", "kernel", "--", "true"], capture_output=True,
                              text=True, timeout=60)
        self.assertEqual(done.returncode, 2)
        self.assertIn("because: there are these: ", done.stderr)


class Failing(unittest.TestCase):
    """The layer finds no memory: the program goes on, and what is said is right or no data."""

    TRUTH = {"draws": {"Draws": (5, 5), "IAPrimitives": (10, 10), "Occlusion": (10 * PIXELS, 10 * PIXELS)},
             "secondaries": {"Draws": (2, 2), "IAPrimitives": (3, 3), "Occlusion": (3 * PIXELS, 3 * PIXELS)},
             "threads": {"Draws": (5, 5), "IAPrimitives": (10, 10)},
             "overlap-gated": {"Draws": (5, 5), "IAPrimitives": (10, 10), "CSInvocations": (64, 64)}}

    def test_no_memory(self):
        if not os.path.exists(SCENES):
            self.skipTest("not built here: no Vulkan loader")
        short = os.environ.get("SEXTANT_LONG") is None
        preload = os.path.join(os.environ["SEXTANT_VK_PROGRAMS"], "vk-failing.so")
        created = 0
        for case, truth in self.TRUTH.items():
            for every in ({}, {"FAIL_FOR": "all"}):
                for at in (9, 16) if short else range(1, 40):
                    with self.subTest(case=case, at=at, every=every), tempfile.TemporaryDirectory() as folder:
                        result = os.path.join(folder, "out.json")
                        done = subprocess.run(
                            [SEXTANT, "stat", "-d", "vulkan", "--overhead", "0", "--json", "-o", result, "-m",
                             ",".join(truth), "--", "env", "LD_PRELOAD=" + preload, SCENES, case, "3"],
                            env=dict(os.environ, FAIL_AT=str(at), **every), capture_output=True, text=True, timeout=60)
                        if "vkCreate" in done.stderr and "-1" in done.stderr:
                            continue  # VK_ERROR_OUT_OF_HOST_MEMORY, as a driver's
                        if done.returncode == 77:
                            self.skipTest("no Vulkan driver here")
                        self.assertEqual(done.returncode, 0, done.stderr)
                        created += 1
                        with open(result, encoding="utf-8") as file:
                            document = json.load(file)
                        for name, (low, high) in truth.items():
                            found = metric(document, name)
                            if found["total"] is not None:
                                self.assertEqual((name, found["min"], found["max"]), (name, low, high))
        self.assertGreater(created, 5)


class Windows:
    """The windows that show on a display."""

    def __init__(self, display):
        self.x = ctypes.CDLL("libX11.so.6")
        for name in ("XOpenDisplay", "XGetImage"):
            getattr(self.x, name).restype = ctypes.c_void_p
        for name in ("XDefaultRootWindow", "XGetPixel"):
            getattr(self.x, name).restype = ctypes.c_ulong
        self.server = ctypes.c_void_p(self.x.XOpenDisplay(display.encode()))
        self.top = ctypes.c_ulong(self.x.XDefaultRootWindow(self.server))

    def all(self):
        root, parent, count = ctypes.c_ulong(), ctypes.c_ulong(), ctypes.c_uint()
        children = ctypes.POINTER(ctypes.c_ulong)()
        self.x.XQueryTree(self.server, self.top, ctypes.byref(root), ctypes.byref(parent), ctypes.byref(children),
                          ctypes.byref(count))
        return [ctypes.c_ulong(children[i]) for i in range(count.value)]

    def colours(self):
        """How many there are on a line through the middle of the screen, where a window comes to stand."""
        image = ctypes.c_void_p(self.x.XGetImage(self.server, self.top, 0, 100, 500, 1, ctypes.c_ulong(0xffffffff), 2))
        seen = {self.x.XGetPixel(image, i, 0) for i in range(0, 500, 5)}
        self.x.XDestroyImage(image)
        return len(seen)

    def resize(self, width, height):
        for window in self.all():
            self.x.XResizeWindow(self.server, window, width, height)
        self.x.XSync(self.server, 0)

    def close(self):
        self.x.XCloseDisplay(self.server)


def resize_windows(display, width, height):
    """Gives a new size to the window on the display as soon as there is a picture in it."""
    windows = Windows(display)
    before, until = windows.colours(), time.monotonic() + 60
    while windows.colours() <= before and time.monotonic() < until:
        time.sleep(0.002)
    windows.resize(width, height)
    windows.close()


class Cube(unittest.TestCase):
    def stat(self, *options, env=None, frames="90"):
        if not shutil.which("vkcube"):
            self.skipTest("vkcube is not installed")
        with xvfb.Display() as display:
            if not display.name:
                self.skipTest("no Xvfb here")
            return run(["vkcube", "--c", frames, "--suppress_popups"], options=options,
                       env=dict(env or {}, DISPLAY=display.name))

    def test_a_window_that_changes_its_size(self):
        """A new swapchain takes the old one's place: every frame is there, and each has its own size."""
        if not shutil.which("vkcube"):
            self.skipTest("vkcube is not installed")
        with xvfb.Display() as display:
            if not display.name:
                self.skipTest("no Xvfb here")
            resizer = threading.Thread(target=resize_windows, args=(display.name, 301, 203))
            resizer.start()
            document, _, _ = run(["vkcube", "--c", "400", "--suppress_popups"], env={"DISPLAY": display.name},
                                 options=("--overhead", "0"))
            resizer.join()
        self.assertEqual(metric(document, "Frames")["total"], 400)
        self.assertEqual(metric(document, "IAVertices")["max"], 36)
        width, height = metric(document, "FramebufferWidth"), metric(document, "FramebufferHeight")
        self.assertEqual((width["min"], width["max"]), (301, 500))
        self.assertEqual((height["min"], height["max"]), (203, 500))

    def test_ninety_frames_exactly(self):
        document, _, _ = self.stat()
        self.assertEqual(document["samples"], {"kind": "frame", "count": 90})
        for name, value in (("IAVertices", 36), ("IAPrimitives", 12), ("Draws", 1), ("RenderPasses", 1),
                            ("Presents", 1), ("Frames", 1)):
            found = metric(document, name)
            self.assertEqual((name, found["min"], found["max"], found["total"]), (name, value, value, 90 * value))
        self.assertEqual(metric(document, "Submits")["total"], 91)  # one prepares
        self.assertEqual(metric(document, "FramebufferWidth")["max"], 500)

    def test_beside_the_other_way_in(self):
        """Nobody names a device: the one that the program uses is shown, the other not mentioned."""
        if not shutil.which("vkcube"):
            self.skipTest("vkcube is not installed")
        with xvfb.Display() as display, tempfile.TemporaryDirectory() as folder:
            if not display.name:
                self.skipTest("no Xvfb here")
            result = os.path.join(folder, "out")
            command = ["--", "vkcube", "--c", "20", "--suppress_popups"]
            done = subprocess.run([SEXTANT, "stat", "--json", "-o", result, *command], env=display.environment(),
                                  capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(result, encoding="utf-8") as file:
                document = json.load(file)
            self.assertNotIn("gl", [d["source"] for d in document["devices"]])
            self.assertEqual(document["devices"][0]["source"], "vulkan")
            self.assertNotIn("OpenGL", done.stderr)
            done = subprocess.run([SEXTANT, "record", "-o", result, *command], env=display.environment(),
                                  capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 0, done.stderr)
            done = subprocess.run([SEXTANT, "capture", "info", "--json", result], capture_output=True, text=True,
                                  timeout=60)
            self.assertEqual(sorted(d["source"] for d in json.loads(done.stdout)["devices"]),
                             ["cpu", "vulkan"])


class Zink(unittest.TestCase):
    """The same OpenGL program, drawn by Vulkan: both ways in say the same."""

    def test_both_agree(self):
        program = shutil.which("glmark2")
        if not program:
            self.skipTest("glmark2 is not installed")
        command = [program, "-s", "160x120", "-b", "build:nframes=20:use-vbo=true"]
        with xvfb.Display() as display:
            if not display.name:
                self.skipTest("no Xvfb here")
            env = {"DISPLAY": display.name, "LIBGL_ALWAYS_SOFTWARE": "1", "GALLIUM_DRIVER": "zink"}
            said = {}
            for device, draws in (("gl", "Frames"), ("vulkan", "Draws")):
                with tempfile.TemporaryDirectory() as folder:
                    result = os.path.join(folder, "out.json")
                    done = subprocess.run([SEXTANT, "stat", "-d", device, "--overhead", "0", "--json", "-o", result,
                                           "-m", draws + ",IAVertices,IAPrimitives,VSInvocations", "--", *command],
                                          env=dict(os.environ, **env), capture_output=True, text=True, timeout=100)
                    if not os.path.exists(result) or done.returncode:
                        self.skipTest("no zink here: " + done.stderr[-200:])
                    with open(result, encoding="utf-8") as file:
                        document = json.load(file)
                    if device == "gl" and "zink" not in document["devices"][0]["name"]:
                        self.skipTest("this is no zink: " + document["devices"][0]["name"])
                    said[device] = {m["name"]: m for m in document["metrics"]}
        draws = said["vulkan"]["Draws"]["total"]  # one a frame
        self.assertGreaterEqual(draws, 20)
        for name in ("IAVertices", "IAPrimitives", "VSInvocations"):
            each = said["gl"][name]["max"]
            self.assertEqual(said["gl"][name]["min"], each)
            self.assertEqual(said["vulkan"][name]["total"], draws * each)


class Ways(unittest.TestCase):
    """How the layer gets into a program."""

    def test_installed_as_an_implicit_layer(self):
        """In a home of its own, with both manifests: it is loaded once, and only when it is asked for."""
        with tempfile.TemporaryDirectory() as home:
            for kind in ("explicit", "implicit"):
                folder = os.path.join(home, "vulkan", kind + "_layer.d")
                os.makedirs(folder)
                source, = glob.glob(os.path.join(LAYER, "manifests", kind + "-*.json"))
                with open(source, encoding="utf-8") as file:
                    manifest = json.load(file)
                self.assertTrue(os.path.isabs(manifest["layer"]["library_path"]))
                manifest["layer"]["library_path"] = os.path.join(LAYER, "libsextant-vulkan.so")
                with open(os.path.join(folder, os.path.basename(source)[len(kind) + 1:]), "w", encoding="utf-8") as file:
                    json.dump(manifest, file)
            env = {"XDG_DATA_HOME": home}
            document, _, _ = scene("draws", env=env)
            Counts.check(self, document, 10, Draws=5, IAVertices=30)
            document, _, _ = scene("draws", env=dict(env, SEXTANT_LAYER_DIR=os.path.join(
                home, "vulkan", "explicit_layer.d")))
            Counts.check(self, document, 10, Draws=5, IAVertices=30)
            without = subprocess.run([SCENES, "draws", "1"], capture_output=True, text=True, timeout=60,
                                     env=dict(os.environ, **env, VK_LOADER_DEBUG="layer"))
            self.assertNotIn("Loading layer library " + LAYER, without.stderr)
            implicit = subprocess.run([SCENES, "draws", "1"], capture_output=True, text=True, timeout=60,
                                      env=dict(os.environ, **env, VK_LOADER_DEBUG="layer", SEXTANT_VULKAN="1"))
            self.assertEqual(implicit.returncode, 0)
            self.assertIn("Loading layer library " + LAYER, implicit.stderr)

    def test_one_folder_for_both_layers(self):
        """From the folder of either layer, or what holds the two, the other is found, in a build and in an installation."""
        manifest = os.path.basename(glob.glob(os.path.join(LAYER, "sextant_vulkan.*.json"))[0])
        with tempfile.TemporaryDirectory() as root:
            for vulkan, opencl in (("layer/vulkan", "layer/opencl"), ("share/vulkan/explicit_layer.d", "lib/sextant")):
                for folder in (vulkan, opencl):
                    os.makedirs(os.path.join(root, folder))
                for path in (os.path.join(vulkan, "libsextant-vulkan.so"), os.path.join(opencl, "libsextant-opencl.so")):
                    with open(os.path.join(root, path), "w", encoding="utf-8"):
                        pass
                shutil.copy(os.path.join(LAYER, manifest), os.path.join(root, vulkan))
                for folder in {vulkan, opencl} | ({"layer"} if "layer" in vulkan else set()):
                    for name in ("vulkan", "opencl"):
                        self.assertEqual(self.doctor(name, os.path.join(root, folder))["state"], "inject", (folder, name))
            missing = self.doctor("vulkan", root)
            for part in (manifest, root, "share/vulkan/explicit_layer.d"):
                self.assertIn(part, missing["reason"])
            self.assertEqual(missing["state"], "unusable")

    @staticmethod
    def doctor(name, folder):
        done = subprocess.run([SEXTANT, "doctor", "-d", name, "--json"], capture_output=True, text=True, timeout=60,
                              env=dict(os.environ, SEXTANT_LAYER_DIR=folder), check=False)
        return json.loads(done.stdout)["sources"][0]

    def test_a_manifest_without_its_library(self):
        """As a staged installation has it: said by doctor, and beside the numbers of a program, which may be one of Vulkan's."""
        source, = glob.glob(os.path.join(LAYER, "sextant_vulkan.*.json"))
        with tempfile.TemporaryDirectory() as folder:
            with open(source, encoding="utf-8") as file:
                manifest = json.load(file)
            for library, reason in (("/nonexistent/libsextant-vulkan.so", "names /nonexistent/libsextant-vulkan.so, which is not there"),
                                    ("./gone.so", "names ./gone.so, which is not there"), ("", "names no library")):
                manifest["layer"]["library_path"] = library
                with open(os.path.join(folder, os.path.basename(source)), "w", encoding="utf-8") as file:
                    json.dump(manifest, file)
                told = self.doctor("vulkan", folder)
                self.assertEqual(told["state"], "unusable")
                self.assertIn(reason, told["reason"])
                done = subprocess.run([SEXTANT, "stat", "--", "true"], capture_output=True, text=True, timeout=60,
                                      env=dict(os.environ, SEXTANT_LAYER_DIR=folder), check=False)
                self.assertIn("not measured: vulkan", done.stderr)
                self.assertIn(reason, " ".join(done.stderr.split()))
                self.assertEqual(done.returncode, 0)

    def test_beside_a_path_of_the_users(self):
        with tempfile.TemporaryDirectory() as folder:
            for variable in ("VK_LAYER_PATH", "VK_ADD_LAYER_PATH"):
                document, _, _ = scene("draws", env={variable: folder})
                Counts.check(self, document, 10, Draws=5)

    def test_below_a_layer_that_wraps_handles(self):
        """RenderDoc's knows handles of its own alone: what is below it must not be given its functions."""
        if not glob.glob("/usr/share/vulkan/implicit_layer.d/renderdoc_capture.json"):
            self.skipTest("RenderDoc is not installed")
        for case, rounds in (("draws", 10), ("threads", 80)):
            with xvfb.Display() as display, tempfile.TemporaryDirectory() as home:
                env = dict(display.environment() if display.name else {}, ENABLE_VULKAN_RENDERDOC_CAPTURE="1", HOME=home,
                           RENDERDOC_TEMP=home)
                document, _, _ = scene(case, env=env)
            for name, each in (("Draws", 5), ("IAVertices", 30)):  # RenderDoc submits something itself, which draws nothing
                found = metric(document, name)
                self.assertEqual((name, found["max"], found["total"]), (name, each, rounds * each))

    def test_doctor_knows_what_hides_layers(self):
        for name, value in (("VK_LOADER_LAYERS_DISABLE", "~all~"), ("VK_IMPLICIT_LAYER_PATH", "/nowhere")):
            done = subprocess.run([SEXTANT, "doctor", "-d", "vulkan"], capture_output=True, text=True, timeout=60,
                                  env=dict(os.environ, **{name: value}))
            self.assertIn(name, done.stdout)
        done = subprocess.run([SEXTANT, "doctor", "-d", "vulkan"], capture_output=True, text=True, timeout=60)
        self.assertNotIn("VK_", done.stdout)

    def test_a_program_without_vulkan(self):
        done = subprocess.run([SEXTANT, "stat", "-d", "vulkan", "--", "true"], capture_output=True, text=True,
                              timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertIn("because: ", done.stderr)
        self.assertIn("does not use Vulkan", done.stderr)

    def test_without_the_layer(self):
        done = subprocess.run([SEXTANT, "stat", "-d", "vulkan", "--", "true"], capture_output=True, text=True,
                              timeout=60, env=dict(os.environ, SEXTANT_LAYER_DIR="/nonexistent"))
        self.assertIn("cannot be measured", done.stderr)
        self.assertIn("SEXTANT_LAYER_DIR", done.stderr)


class Validation(unittest.TestCase):
    """Whatever the program is told by the validation layers, it is told without us."""

    @staticmethod
    def messages(*command, env):
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=dict(os.environ, **env))
        words = re.sub(r"0x[0-9a-f]+", "N", done.stdout)  # handles differ from run to run
        return done.returncode, [line for line in words.splitlines() if line.startswith("VALIDATION")]

    def test_silence(self):
        if not os.path.exists(SCENES):
            self.skipTest("not built here")
        env = {"VK_LAYER_ENABLES": "VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT",
               "VK_INSTANCE_LAYERS": VALIDATION}
        code, control = self.messages(SCENES, "offend", env=env)
        if code:
            self.skipTest("no validation layer here")
        self.assertTrue(control, "the validation layer finds nothing: it does not run")
        for case in ("draws", "dynamic", "suspended", "suspended-once", "compute", "secondaries", "shared-secondary", "reuse", "overlap",
                     "overlap-waits", "overlap-gated", "overlap-computes", "overlap-draws", "overlap-once", "own-queries", "own-predicates",
                     "own-resets", "feedback", "streams",
                     "timeline", "threads", "labels", "abandon", "mesh-shaders", "mesh-queries"):
            alone = self.messages(SCENES, case, "4", env=env)
            if alone[0] == 77:  # no mesh shaders here
                continue
            for order in ("VK_LAYER_SEXTANT:" + VALIDATION, VALIDATION + ":VK_LAYER_SEXTANT"):
                with self.subTest(case=case, order=order):
                    told = self.messages(SEXTANT, "stat", "-d", "vulkan", "-o", "/dev/null", "--", SCENES, case, "4",
                                         env=dict(env, VK_INSTANCE_LAYERS=order))
                    self.assertEqual(told, alone)


if __name__ == "__main__":
    unittest.main()
