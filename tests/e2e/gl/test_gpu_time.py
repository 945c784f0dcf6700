"""GPU time of programs whose GPU time is known: what the rasteriser's threads say of themselves
at the end, against what sextant says of the samples; and what measuring costs a program."""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import xvfb  # noqa: E402
from command import Command  # noqa: E402

SEXTANT = os.environ["SEXTANT"]
PROGRAMS = os.environ["SEXTANT_GL_PROGRAMS"]
sextant = Command(SEXTANT)


def stat(*command, options=(), env=None):
    """Gives the document, what the program printed, and what it wrote to stderr."""
    document, done = sextant.measure(command, "stat", "-d", "gl", *options, env=env)
    return document, done.stdout, done.stderr


def total_s(document, name):
    metric = next(m for m in document["metrics"] if m["name"] == name)
    assert metric["total"] is None or metric["unit"] == "s"
    return metric["total"], metric["why"]


def watched(document):
    """All samples have a GPU time. Where the watch came too late, they have none, and that is told."""
    return all(m["running"] > 0.95 for m in document["metrics"] if m["name"] == "D3DGPUTime")


def stolen():
    """Seconds of all CPUs that a host took: they are in times by the wall, and not in CPU times."""
    with open("/proc/stat", encoding="ascii") as file:
        return int(file.readline().split()[8]) / os.sysconf("SC_CLK_TCK")


class GpuTime(unittest.TestCase):
    def known(self, case, threads, rounds=8):
        document, text, _ = stat(os.path.join(PROGRAMS, "gl-known"), case, str(rounds),
                                 options=["-m", "D3DGPUTime,CPUTime,gpu_time_share,cpu_time_share,frames_per_second"],
                                 env={"LP_NUM_THREADS": str(threads)})
        raster = [int(line.split()[1]) * 1e-9 for line in text.splitlines() if line.startswith("raster ")]
        if not raster and threads:
            self.skipTest("no software rasteriser here")
        value, why = total_s(document, "D3DGPUTime")
        if value is None and "perf" in (why or ""):
            self.skipTest(why)
        return document, raster, value

    def within(self, case, threads, least, most):
        """The GPU time lies between what `least` and `most` make of the threads' CPU times."""
        for _ in range(8):  # a busy machine adds to one of them, or misses a process; a wrong number is in all
            before = stolen()
            document, raster, value = self.known(case, threads)
            limit = most(raster) + stolen() - before
            whole = watched(document)
            if value is not None and value < limit and whole:
                break
        why = total_s(document, "D3DGPUTime")[1] or ""
        if value is None and "before they were watched" in why:
            self.skipTest("this machine is too busy, eight times: " + why)
        self.assertIsNotNone(value, why)
        self.assertLess(value, limit)
        if whole:
            self.assertGreater(value, least(raster))

    def test_one_thread_exactly(self):
        """The union of one thread's times is its CPU time."""
        for case in ("busy", "idle", "flush", "finish", "readback", "parts", "es", "never-swap", "two-contexts",
                     "two-processes", "left-alone"):
            with self.subTest(case):
                self.within(case, 1, lambda raster: 0.9 * sum(raster), lambda raster: 1.1 * sum(raster))

    def test_several_threads_lie_between_the_longest_and_all(self):
        for case in ("busy", "finish", "readback"):
            with self.subTest(case):
                self.within(case, 3, lambda raster: 0.95 * max(raster), lambda raster: 1.05 * sum(raster))

    def test_idle_programs_are_not_bound_by_the_gpu(self):
        document, _, value = self.known("idle", 1, 20)
        self.assertLess(value, 0.5e-9 * document["duration_ns"])
        self.assertNotIn(document["verdict"]["verdict"], ("gpu", "cpu", "turns"))

    def test_a_program_without_frames_is_not_paced(self):
        """Its samples come at each 100 ms of work: that is no pace of its own."""
        document, _, _ = self.known("never-swap", 1)
        self.assertNotIn("paced", [p["verdict"] for p in document["verdict"]["parts"]])

    def test_a_rasteriser_on_the_programs_own_thread_has_no_gpu_time(self):
        document, raster, value = self.known("finish", 0)
        if raster:
            self.skipTest("the rasteriser has threads all the same")
        self.assertIsNone(value)
        self.assertIn("cannot be separated from the program's own", total_s(document, "D3DGPUTime")[1])
        self.assertNotEqual(document["verdict"]["verdict"], "gpu")

    def test_what_is_computed_has_no_gpu_time(self):
        """It runs on threads that carry the program's name; what was drawn beside it is not all."""
        document, _, _ = stat(os.path.join(PROGRAMS, "gl-scenes"), "core", "compute", "compute",
                              options=["--overhead", "0", "-m", "D3DGPUTime,CSInvocations,DrawCalls"])
        if "llvmpipe" not in document["devices"][0]["name"]:
            self.skipTest("no software rasteriser here")
        value, why = total_s(document, "D3DGPUTime")
        self.assertIsNone(value)
        self.assertIn("the software driver's CPU time cannot be separated", why)

    def test_rules_about_fragments_know_the_rasteriser(self):
        document, _, _ = stat(os.path.join(PROGRAMS, "gl-known"), "finish", "10")
        rules = {f["rule"] for f in document["findings"]}
        if "llvmpipe" not in document["devices"][0]["name"]:
            self.skipTest("no software rasteriser here")
        self.assertFalse(rules & {"fragment.wasted", "fragment.shaded-twice", "geometry.clipped"}, rules)


class Hardware(unittest.TestCase):
    """Timestamps, as of hardware: by Mesa's zink, which sends work when it is handed over, and with a name of its
    renderer that says nothing of software."""

    def stat(self, *program, options=()):
        """The document of one run, and what the program said."""
        with xvfb.Display() as display:
            if not display.name:
                self.skipTest("no Xvfb here")
            env = {"DISPLAY": display.name, "LIBGL_ALWAYS_SOFTWARE": "1", "GALLIUM_DRIVER": "zink",
                   "force_gl_renderer": "made up", "LP_NUM_THREADS": "1"}
            done = subprocess.run([os.path.join(PROGRAMS, "gl-known"), "busy", "1"], capture_output=True, text=True,
                                  env=dict(os.environ, **env), timeout=60, check=False)
            if done.returncode:
                self.skipTest("no zink here: " + done.stderr.strip()[-200:])
            document, text, _ = stat(os.path.join(PROGRAMS, program[0]), *program[1:], env=env,
                                     options=["--overhead", "0", *options])
        if "made up" not in document["devices"][0]["name"]:
            self.skipTest("the renderer could not be renamed: " + document["devices"][0]["name"])
        return document, text

    def zink(self, case, rounds=6):
        document, text = self.stat("gl-known", case, str(rounds), options=["-m", "D3DGPUTime,Occlusion"])
        value, why = total_s(document, "D3DGPUTime")
        self.assertIsNotNone(value, why)
        samples = next(m for m in document["metrics"] if m["name"] == "Occlusion")["total"]
        raster, waits = (sum(int(line.split()[1]) * 1e-9 for line in text.splitlines() if line.startswith(word + " "))
                         for word in ("raster", "waits"))
        return value, raster, waits, samples, document["duration_ns"] * 1e-9

    def rests(self, case, rounds, rest_s, samples):
        """Timestamps hold what the driver's threads wait for a CPU. A wrong number is in all runs."""
        for _ in range(5):
            before = stolen()
            value, raster, waits, counted, duration = self.zink(case, rounds)
            self.assertGreater(duration, rounds * rest_s)
            self.assertGreater(value, 0.9 * raster)
            self.assertEqual(counted, samples)
            if value < raster + 0.5 * rounds * rest_s + waits + stolen() - before:
                return
        self.fail(f"{value} s for {raster} s of work and {waits} s of waiting")

    def test_a_rest_between_hand_over_and_more_is_not_gpu_time(self):
        """60 ms a frame of which the rasteriser rests nearly all."""
        for case in ("rest-flush", "rest-finish", "rest-readback", "rest-fence", "rest-map"):
            with self.subTest(case):
                self.rests(case, 6, 0.06, 6 * 4 * 256 * 256)

    def test_a_rest_before_the_first_command_is_not_gpu_time(self):
        self.rests("idle", 12, 0.02, 12 * 256 * 256)

    def test_parts_of_frames_have_times_of_their_own(self):
        """Each group and draw lies between two timestamps: all have a time, which together is none that cannot be."""
        for per, samples in (("group", 3 * 126), ("draw", 3 * 7)):
            with self.subTest(per):
                document, _ = self.stat("gl-groups", "3", options=["--per", per, "-m", "D3DGPUTime,IAVertices"])
                time = next(m for m in document["metrics"] if m["name"] == "D3DGPUTime")
                self.assertGreater(document["samples"]["count"], 0.9 * samples)
                self.assertEqual(time["running"], 1, time)
                self.assertGreaterEqual(time["min"], 0)
                self.assertLess(time["total"], document["duration_ns"] * 1e-9)

    def test_more_hand_overs_than_a_set_holds(self):
        self.rests("rest-often", 3, 20 * 0.006, 3 * 42 * 256 * 256)


def write_face(folder):
    """The description of the vendor that stands before Mesa's EGL."""
    face = os.path.join(folder, "vendor.json")
    with open(face, "w", encoding="ascii") as file:
        json.dump({"file_format_version": "1.0.0",
                   "ICD": {"library_path": os.path.join(PROGRAMS, "gl-vendor.so")}}, file)
    return face


class Impossible(unittest.TestCase):
    """A driver whose GPU clock runs too fast: more GPU time than there was time is none at all."""

    def run_with(self, factor):
        with tempfile.TemporaryDirectory() as folder:
            document, _, errors = stat(os.path.join(PROGRAMS, "gl-known"), "finish", "12",
                                       options=["--overhead", "0"],
                                       env={"__EGL_VENDOR_LIBRARY_FILENAMES": write_face(folder),
                                            "VENDOR_CLOCK": str(factor)})
        if "Made-up" not in document["devices"][0]["name"]:
            self.skipTest("no such vendor here: " + errors[-200:])
        return document

    def test_it_is_no_data_with_the_reason(self):
        self.assertIsNotNone(total_s(self.run_with(1), "D3DGPUTime")[0])
        document = self.run_with(10**9)
        for name in ("D3DGPUTime", "gpu_time"):
            value, why = total_s(document, name)
            self.assertIsNone(value, name)
            self.assertIn("the driver reported an impossible value", why)
        self.assertIsNotNone(next(m for m in document["metrics"] if m["name"] == "Occlusion")["total"])
        self.assertNotIn(document["verdict"]["verdict"], ("gpu", "turns"))
        self.assertFalse({f["rule"] for f in document["findings"] if "gpu" in f["rule"]})


class Disjoint(unittest.TestCase):
    """A context whose driver says that its clock was not steady."""

    def run_with(self, at):
        with tempfile.TemporaryDirectory() as folder:
            face, capture = write_face(folder), os.path.join(folder, "a.sxc")
            env = {"__EGL_VENDOR_LIBRARY_FILENAMES": face, "VENDOR_DISJOINT": str(at)}
            done = sextant("record", "-d", "gl", "--overhead", "0", "-o", capture, "--",
                           os.path.join(PROGRAMS, "gl-known"), "es-disjoint", "12", env=env)
            if done.returncode or "vendor: " not in done.stderr:
                self.skipTest("no such vendor here: " + done.stderr[-200:])
            rows = sextant("export", capture, "-f", "csv", "-m", "D3DGPUTime", code=0).stdout.splitlines()[1:]
        return [row.split(",")[-1] for row in rows], done.stdout

    def test_times_around_it_are_no_data_and_the_program_learns_of_it(self):
        values, said = self.run_with(6)
        self.assertIn("told 1 times", said)
        self.assertIn("", values[4:7])
        self.assertLessEqual(values.count(""), 6)
        self.assertNotIn("", values[10:12])
        values, said = self.run_with(-1)
        self.assertIn("told 0 times", said)
        self.assertNotIn("", values[:12])


def cpu_of(stderr):
    return float(re.search(r"cpu ([\d.]+)", stderr).group(1))


class Cost(unittest.TestCase):
    FRAMES = 300

    def in_time(self, program, options=()):
        """A run in which no result came too late, as it may where the rasteriser has no CPU for long."""
        for _ in range(5):
            run = stat(*program, options=options)
            counted = {m["name"]: m["running"] * self.FRAMES for m in run[0]["metrics"] if m["name"].startswith("IA")}
            if all(abs(frames - run[0]["cost"]["measured_samples"]) < 0.5 for frames in counted.values()):
                break
        return run

    def test_cost_is_bounded_and_told(self):
        """Opaque quads: any query makes the rasteriser shade what it would skip."""
        program = [os.path.join(PROGRAMS, "gl-quads"), str(self.FRAMES)]
        plain, measured = [], []
        for _ in range(2):
            done = subprocess.run(program, capture_output=True, text=True, timeout=120, check=False)
            if done.returncode == 77:
                self.skipTest(done.stderr)
            plain.append(cpu_of(done.stderr))
            document, text, stderr = self.in_time(program)
            measured.append(cpu_of(stderr))
            self.assertEqual(text, done.stdout)
        every, _, stderr = self.in_time(program, options=["--overhead", "0"])
        exact = cpu_of(stderr)
        cost = document["cost"]
        self.assertEqual(cost["all_samples"], self.FRAMES)
        self.assertEqual(document["samples"]["count"], self.FRAMES)
        self.assertLess(cost["measured_samples"], self.FRAMES)
        self.assertGreater(cost["measured_samples"], 3)
        counts = {m["name"]: m for m in document["metrics"]}
        exactly = {m["name"]: m for m in every["metrics"]}
        for name in ("IAVertices", "IAPrimitives", "Occlusion"):
            self.assertEqual(counts[name]["total"], exactly[name]["total"], name)
            self.assertAlmostEqual(counts[name]["running"], cost["measured_samples"] / self.FRAMES, places=9)
            self.assertEqual(exactly[name]["running"], 1)
        self.assertEqual(counts["frame_time"]["running"], 1)
        self.assertEqual(every["cost"]["measured_samples"], self.FRAMES)
        if exact > 1.5 * min(plain):  # a tile rasteriser: there is something to save
            self.assertLess(min(measured), min(plain) + 0.6 * (exact - min(plain)))
            self.assertLess(min(measured) / min(plain), 1.3)
            if cost["slowdown_of_measured"] is not None:
                self.assertGreater(cost["slowdown_of_measured"], 1.1)

    def test_only_what_is_asked_for_runs(self):
        document, _, _ = stat(os.path.join(PROGRAMS, "gl-quads"), "60", options=["-m", "frame_time,cpu_time"])
        self.assertEqual([m["name"] for m in document["metrics"]], ["frame_time", "cpu_time"])
        self.assertEqual(document["cost"]["measured_samples"], 60)
        self.assertTrue(all(m["running"] == 1 for m in document["metrics"]))

    def test_share_that_is_no_share(self):
        for word in ("x", "-1", "5x", ""):
            done = sextant("stat", "--overhead", word, "--", "true", code=2)
            self.assertRegex(done.stderr, "error: .*\nbecause: .*\ntry: ")


if __name__ == "__main__":
    program = unittest.main(exit=False)
    result = program.result
    if result.testsRun and len(result.skipped) == result.testsRun:
        sys.exit(77)
    sys.exit(not result.wasSuccessful())
