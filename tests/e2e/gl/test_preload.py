"""Runs OpenGL programs with and without libsextant-gl.so: what they print, how they end and what
they draw must be the same, and what was measured must be what they did."""
import glob
import os
import signal
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import channel
import xvfb

LIBRARY = os.environ["SEXTANT_GL_LIBRARY"]
PROGRAMS = os.environ["SEXTANT_GL_PROGRAMS"]
WHY_DERIVED, WHY_THREADS, WHY_NO_EXTENSION, WHY_DISPLAY_LIST, WHY_NOT_WANTED = 1, 2, 3, 6, 9
EMPTY = {name: 0 for name in channel.NAMES if not name.startswith("OverflowPred")}


def path(name):
    return os.path.join(PROGRAMS, name)


class Case(unittest.TestCase):
    environment = None

    def both(self, *command, status=0):
        """Runs without and with the library; the program must not notice. Gives the streams."""
        command = [path(command[0]), *command[1:]]
        if not os.path.exists(command[0]):
            self.skipTest("not built here")
        alone = subprocess.run(command, capture_output=True, text=True, env=self.environment,
                               timeout=60)
        if alone.returncode == 77:
            self.skipTest(alone.stderr.strip())
        self.assertEqual((alone.returncode, alone.stderr), (status, ""))
        for self.runs in range(1, 5):
            measured, seen = channel.run(LIBRARY, command, self.environment)
            self.assertEqual(measured.stderr, alone.stderr)
            self.assertEqual(measured.stdout, alone.stdout)
            self.assertEqual(measured.returncode, alone.returncode)
            # On a machine with more to do than it can, the last results may come too late.
            if not any(self.is_late(r) for s in seen.streams for r in s.records):
                break
        for stream in seen.streams:
            self.assertEqual(stream.lost, 0)
        self.channel = seen
        return seen.streams

    @staticmethod
    def is_late(record):
        return channel.LATE in (record.states["IAVertices"], record.states["OcclusionPredicate"])

    def values(self, record, **expected):
        for name, value in expected.items():
            self.assertEqual(record[name], value, name)


class Scenes(Case):
    """Frames whose counts are known."""

    def scene(self, scene, profile="core"):
        stream, = self.both("gl-scenes", profile, scene, "nothing")
        frames = stream.frames()
        self.assertEqual(len(frames), 2)
        self.assertEqual([f.frame for f in frames], [0, 1])
        self.assertLessEqual(frames[0].end_ns, frames[1].end_ns)
        self.assertTrue(frames[0].size_known)
        self.assertEqual((frames[0].width, frames[0].height), (64, 64))
        if stream.why["D3DGPUTime"] == WHY_THREADS:  # the command adds it
            self.assertIsNone(frames[0]["D3DGPUTime"])
        else:
            self.assertGreater(frames[0]["D3DGPUTime"], 0)
        self.values(frames[1], **{k: v for k, v in EMPTY.items() if k != "D3DGPUTime"})
        return frames[0]

    def wish(self, scenes, **wish):
        command = [path("gl-scenes"), "core", *scenes]
        if not os.path.exists(command[0]):
            self.skipTest("not built here")
        done, seen = channel.run(LIBRARY, command, self.environment, **wish)
        if done.returncode == 77:
            self.skipTest(done.stderr.strip())
        stream, = seen.streams
        return stream

    def test_only_what_is_asked_for(self):
        bits = 1 << channel.NAMES.index("IAVertices") | 1 << channel.NAMES.index("OcclusionPredicate")
        stream = self.wish(["triangles", "nothing"], counters=bits)
        frame = stream.frames()[0]
        self.values(frame, IAVertices=6, OcclusionPredicate=1)
        for name in channel.NAMES:
            if name not in ("IAVertices", "OcclusionPredicate"):
                self.assertIsNone(frame[name], name)
                self.assertEqual(stream.why[name], WHY_NOT_WANTED, name)

    def test_nothing_asked_for_is_a_frame_with_times(self):
        stream = self.wish(["triangles", "nothing"], counters=0)
        self.assertEqual(len(stream.frames()), 2)
        for frame in stream.frames():
            self.assertGreater(frame.end_ns, frame.begin_ns)
            self.assertEqual(set(frame.states.values()), {channel.NOT_COLLECTED})

    def test_frames_are_spared_and_counts_stay_exact(self):
        stream = self.wish(["triangles"] * 400, overhead=50)
        spared = [f for f in stream.frames() if f.states["IAVertices"] == channel.SPARED]
        counted = [f for f in stream.frames() if f["IAVertices"] is not None]
        self.assertEqual(len(stream.frames()), 400)
        self.assertEqual(len(spared) + len(counted), 400)
        self.assertGreaterEqual(len(spared), 40)
        self.assertGreaterEqual(len(counted), 6)
        for frame in counted:
            self.values(frame, IAVertices=6, IAPrimitives=2, Occlusion=4096)

    def test_triangles(self):
        for profile in ("core", "compat"):
            first = self.scene("triangles", profile)
            self.values(first, IAVertices=6, IAPrimitives=2, VSInvocations=6, CInvocations=2,
                        CPrimitives=2, Occlusion=4096, OcclusionPredicate=1, GSInvocations=0,
                        HSInvocations=0, CSInvocations=0, PrimsStorageNeed=2,
                        PrimsStorageNeed_S0=2, PrimsWritten=0, OverflowPred=None)
            self.assertGreaterEqual(first["PSInvocations"], 4096)

    def test_compute(self):
        self.values(self.scene("compute"), CSInvocations=96, IAVertices=0)

    def test_occlusion(self):
        self.values(self.scene("occlusion"), Occlusion=4096, IAPrimitives=4)

    def test_tessellation(self):
        self.values(self.scene("tessellation"), HSInvocations=2, DSInvocations=14, IAVertices=6)

    def test_feedback(self):
        self.values(self.scene("feedback"), GSInvocations=5, GSPrimitives=20, PrimsWritten=5,
                    PrimsStorageNeed=5, PrimsWritten_S0=5, PrimsStorageNeed_S0=5,
                    PrimsWritten_S1=8, PrimsStorageNeed_S1=15, OverflowPred=1, OverflowPred_S0=0,
                    OverflowPred_S1=1, OverflowPred_S2=0, OverflowPred_S3=0)

    def test_feedback_in_sections(self):
        self.values(self.scene("feedback-3"), PrimsWritten_S0=7, PrimsStorageNeed_S1=21,
                    OverflowPred=1, OverflowPred_S0=0, OverflowPred_S1=1)
        many = self.scene("feedback-9")  # more than are followed: no predicate, but counts
        self.values(many, PrimsWritten_S0=13, OverflowPred=None, OverflowPred_S0=None)
        self.assertEqual(many.states["OverflowPred"], channel.LATE)

    def test_feedback_across_a_swap(self):
        stream, = self.both("gl-scenes", "core", "feedback-swap", "nothing")
        frames = stream.frames()
        self.assertEqual(len(frames), 3)
        self.values(frames[0], OverflowPred=1, OverflowPred_S1=1, PrimsWritten_S1=8)
        self.values(frames[1], OverflowPred=0, PrimsWritten_S1=0)
        self.values(frames[2], OverflowPred=None)

    def test_draws(self):
        for scene, draws in (("triangles", 1), ("occlusion", 2), ("compute", 1), ("feedback-3", 3)):
            self.assertEqual(self.scene(scene).draws, draws, scene)
        stream = self.wish(["triangles", "nothing", "occlusion"] * 100, overhead=50)
        self.assertEqual([f.draws for f in stream.frames()], [1, 0, 2] * 100)  # also where nothing is measured

    def test_debug_groups(self):
        first = self.scene("group")
        self.assertEqual((first.group, first.groups), ("shadows", 2))

    def test_identity(self):
        stream, = self.both("gl-scenes", "core", "nothing")
        self.assertEqual(stream.process, "gl-scenes")
        self.assertEqual((stream.window_system, stream.api, stream.profile), (2, 1, 1))
        self.assertTrue(stream.renderer and stream.vendor and stream.version)
        self.assertTrue(all(stream.bits[n] for n in channel.NAMES if stream.why[n] == 0))
        self.assertEqual(stream.state, channel.CLOSED)


    def test_plugin(self):
        """A module that is opened for itself alone, and linked with EGL."""
        stream, = self.both("gl-plugin", path("gl-plugin-egl.so"), "core", "triangles", "nothing")
        self.values(stream.frames()[0], IAVertices=6, Occlusion=4096)


class Guest(Case):
    """The program's own queries, errors and messages."""

    def test_own_queries(self):
        mine = ("Occlusion", "OcclusionPredicate", "IAVertices", "PrimsStorageNeed",
                "PrimsStorageNeed_S0")
        for case in ("own-core", "own-compat"):
            stream, = self.both("gl-guest", case)
            frames = stream.frames()
            self.assertEqual(len(frames), 6)
            for name in mine:
                self.assertEqual(frames[1].states[name], channel.DISTURBED, name)
                for i in (0, 2, 3, 4, 5):
                    self.assertEqual(frames[i].states[name], channel.VALID, (i, name))
            for frame in frames:
                self.values(frame, IAPrimitives=1, VSInvocations=3)
            self.values(frames[5], IAVertices=3, Occlusion=4096)

    def test_long_queries(self):
        stream, = self.both("gl-guest", "long")
        frames = stream.frames()
        self.assertEqual(len(frames), 5)
        states = [f.states["Occlusion"] for f in frames]
        self.assertEqual(states, [channel.DISTURBED] * 4 + [channel.VALID])
        # Known to be 0, whoever else counts it: there is no geometry shader.
        self.assertEqual([f["PrimsStorageNeed_S2"] for f in frames], [0] * 5)
        for frame in frames:
            self.values(frame, IAVertices=3)

    def test_foreign_names(self):
        for case in ("names-core", "names-compat"):
            stream, = self.both("gl-guest", case)
            self.assertEqual(len(stream.frames()), 5)
            self.assertEqual(stream.frames()[2]["Occlusion"], 4096)

    def test_errors(self):
        stream, = self.both("gl-guest", "errors")
        frames = stream.frames()
        self.assertEqual(frames[0]["IAVertices"], 3)
        self.assertEqual(frames[1].states["Occlusion"], channel.DISTURBED)
        self.assertEqual(frames[-1]["Occlusion"], 4096)
        self.assertEqual(frames[-1]["IAVertices"], 3)

    def test_debug_messages(self):
        self.both("gl-guest", "debug")

    def test_a_buffer_for_results(self):
        """What the program's own queries write, and where, is its own; ours count as ever."""
        stream, = self.both("gl-guest", "query-buffer")
        frames = stream.frames()
        self.assertEqual(len(frames), 50)
        for frame in frames[:20] + frames[21:48]:
            self.values(frame, IAVertices=3, Occlusion=4096)

    def test_results_go_where_the_program_says(self):
        """By name beside a bound buffer, and into one that is deleted while it is bound: ours wait until it is gone."""
        stream, = self.both("gl-results", "named")
        self.assertEqual([f["IAVertices"] for f in stream.frames()], [3] * 21)
        streams = self.both("gl-results", "deleted")
        frames = max((s.frames() for s in streams), key=len)
        self.assertEqual([f["IAVertices"] for f in frames], [3] * 36)
        stream, = self.both("gl-results", "es")
        self.assertEqual({f["OcclusionPredicate"] for f in stream.frames()}, {0})
        self.assertEqual(len(stream.frames()), 10)

    def test_errno(self):
        self.both("gl-guest", "errno")

    def test_display_lists(self):
        stream, = self.both("gl-guest", "lists")
        self.assertEqual(stream.why["Occlusion"], WHY_DISPLAY_LIST)
        frames = stream.frames()
        self.assertEqual(frames[-1]["Occlusion"], None)
        self.assertEqual(frames[-1]["OcclusionPredicate"], None)
        self.assertEqual(frames[-1]["IAVertices"], 3)

    def test_swaps_in_display_lists(self):
        """They are frames; what no query could tell apart is no data, and all else is exact."""
        stream, = self.both("gl-guest", "list-swaps")
        frames = stream.frames()
        self.assertEqual([f["IAVertices"] for f in frames],
                         [3, 3, 6, 0, 0, 3, 15, None, None, None, 3, 12, 3, 3])
        self.assertEqual([f["Occlusion"] for f in frames[3:5]], [0, 0])
        self.assertEqual({f.states["IAVertices"] for f in frames[7:10]}, {channel.LISTED})
        self.assertEqual([f.draws for f in frames], [1, 1, 1, 0, 0, 1, 2, 1, 1, 2, 1, 2, 1, 1])
        for one, after in zip(frames, frames[1:]):
            self.assertLessEqual(one.end_ns, after.begin_ns)
            self.assertLess(after.begin_ns, after.end_ns)

    def test_more_swaps_in_a_list_than_may_wait(self):
        measured, seen = channel.run(LIBRARY, [path("gl-guest"), "list-long"])
        if measured.returncode == 77:
            self.skipTest(measured.stderr)
        stream, = seen.streams
        counts = [f["IAVertices"] for f in stream.frames()]
        self.assertEqual(len(counts) + stream.lost, 603)
        self.assertGreater(stream.lost, 0)
        self.assertEqual((counts[:2], set(counts[2:-2]), counts[-1]), ([3, 6], {0}, 3))

    def test_es(self):
        stream, = self.both("gl-guest", "es")
        self.assertEqual(stream.api, 2)
        self.assertEqual(stream.why["IAVertices"], WHY_NO_EXTENSION)
        frames = stream.frames()
        self.assertEqual(frames[0]["OcclusionPredicate"], 1)
        self.assertEqual(frames[0]["IAVertices"], None)
        self.assertEqual(frames[1].states["OcclusionPredicate"], channel.DISTURBED)
        self.assertEqual(frames[-1]["OcclusionPredicate"], 1)


class Lives(Case):
    """Contexts, threads and processes come and go."""

    def frames(self, *command, status=0):
        return [len(s.frames()) for s in self.both("gl-lives", *command, status=status)]

    def exact(self, streams, vertices=3):
        """No value is wrong; only the last ones of a context may be missing, and few are."""
        late = 0
        for stream in streams:
            frames = stream.frames()
            for frame in frames:
                if self.is_late(frame) and frame in frames[-2:]:
                    late += 1
                else:
                    self.values(frame, IAVertices=vertices)
        self.assertLess(late, len(streams) / 4 + 1)

    def test_threads(self):
        self.assertEqual(self.frames("threads"), [40] * 4)
        self.exact(self.channel.streams)

    def test_context_goes_from_thread_to_thread(self):
        self.assertEqual(self.frames("handed"), [25])
        self.exact(self.channel.streams)

    def test_driver_falls_behind(self):
        """Values that come too late are left out and told; they are never wrong."""
        measured, seen = channel.run(LIBRARY, [path("gl-lives"), "ahead"])
        if measured.returncode == 77:
            self.skipTest(measured.stderr)
        stream, = seen.streams
        self.assertEqual(len(stream.frames()) + stream.lost, 300)
        for frame in stream.frames():
            self.assertIn((frame.states["IAVertices"], frame.values["IAVertices"]),
                          ((channel.VALID, 3), (channel.LATE, 0)))

    def test_many_contexts(self):
        self.assertEqual(self.frames("churn"), [2] * 150)
        self.exact(self.channel.streams)

    def test_two_contexts_by_turns(self):
        one, two = self.both("gl-lives", "alternate")
        for stream in (one, two):
            self.assertEqual(len(stream.frames()), 20)
            for frame in stream.frames():
                self.values(frame, IAVertices=6)

    def test_fork_and_exec(self):
        self.assertEqual(sorted(self.frames("fork")), [15, 20])
        # Each program fetches its memory once; a driver may run helpers of its own.
        programs = [p for p in self.channel.all if p.name == "gl-lives"]
        self.assertEqual((len(programs), len({p.pid for p in programs})), (2, 2),
                         [(p.name, p.pid) for p in self.channel.all])
        self.exact(self.channel.streams)

    def test_programs_that_become_others_hand_over_before(self):
        """exec that fails changes nothing; one that does not loses no count (before, those of up to 20 ms)."""
        for way in ("exec-l", "exec-le", "exec-vp", "exec-ve"):
            with self.subTest(way):
                one, two = self.both("gl-lives", way)
                self.assertEqual((one.pid, len(one.frames()), len(two.frames())), (two.pid, 30, 20))
                self.assertEqual(one.drafts(), [])
                for frame in one.frames():
                    self.values(frame, IAVertices=3)

    def test_a_child_of_vfork_hands_nothing_over(self):
        streams = self.both("gl-lives", "vfork")
        self.assertEqual([len(stream.frames()) for stream in streams], [20, 20])
        for stream in streams:  # a slow machine ends samples by time; what an exec ends is short
            for rest in stream.rest():
                self.assertTrue(rest.flags & channel.LAST or rest.end_ns - rest.begin_ns > 50000000)
        self.exact(streams)

    def test_what_was_finished_is_read_at_once(self):
        """A thread that ends with its context current: what it finished before is known (before, nothing was)."""
        stream, = self.both("gl-lives", "left-current")
        known, = [r for r in stream.rest() if not r.flags & channel.LAST]
        self.values(known, IAVertices=240, IAPrimitives=80)
        self.assertEqual(known.draws, sum(r.draws for r in stream.records))
        self.assertEqual(sum(r["IAVertices"] or 0 for r in stream.records), 240)

    def test_without_swap(self):
        for case in ("unswapped", "unswapped-closed"):
            stream, = self.both("gl-lives", case)
            self.assertEqual(stream.frames(), [])
            rest, = stream.rest()
            self.values(rest, IAVertices=12, Occlusion=4 * 4096)
            self.assertEqual(stream.state, channel.CLOSED)

    def test_samples_of_time(self):
        """Without a swap: a sample each 100 ms, at a flush, finish or fence; nothing is lost."""
        for case in ("long-finish", "long-flush", "long-fence"):
            with self.subTest(case):
                stream, = self.both("gl-lives", case)
                self.assertEqual(stream.frames(), [])
                samples = stream.rest()
                self.assertGreaterEqual(len(samples), 4)
                self.assertEqual(sum(s["IAVertices"] for s in samples), 180)
                for sample in samples[:-1]:
                    self.assertGreaterEqual(sample.end_ns - sample.begin_ns, 100_000_000)
                    self.assertFalse(sample.flags & channel.LAST)
                self.assertTrue(samples[-1].flags & channel.LAST)

    def test_a_drawable_may_yet_be_swapped(self):
        """A slow first frame is one frame: samples of time begin after a second without a swap."""
        stream, = self.both("gl-lives", "long-drawable")
        samples = stream.rest()
        self.assertGreaterEqual(len(samples), 3)
        self.assertGreaterEqual(samples[0].end_ns - samples[0].begin_ns, 900_000_000)
        self.assertEqual(sum(s["IAVertices"] for s in samples), 180)

    def test_killed_without_a_swap(self):
        stream, = self.both("gl-lives", "long-killed", status=-signal.SIGKILL)
        samples = stream.rest()
        self.assertGreaterEqual(len(samples), 3)
        self.assertGreater(sum(s["IAVertices"] for s in samples), 90)

    def test_contexts_left_behind(self):
        for stream in self.both("gl-lives", "left-behind"):
            self.assertEqual(stream.state, channel.CLOSED)
            rest, = stream.rest()
            self.values(rest, IAVertices=12)

    def test_unfinished_work_at_the_end(self):
        """What the driver still works on when the program or the context ends is waited for, if it is not too much."""
        for case in ("busy-exit", "busy-closed", "busy-destroyed"):
            with self.subTest(case):
                stream, = self.both("gl-lives", case)
                self.assertTrue(case != "busy-exit" or self.runs == 1)  # a program's end waits longer
                rest, = stream.rest()
                self.values(rest, IAVertices=30, Occlusion=10 * 1024 * 1024)

    def test_contexts_left_for_another(self):
        """A context that another one takes the place of is often destroyed then: its last work is waited for."""
        streams = self.both("gl-lives", "left-for-another")
        self.assertEqual([[r["IAVertices"] for r in s.rest()] for s in streams][:3], [[30]] * 3)

    def test_exit_status(self):
        self.assertEqual(self.frames("status", status=42), [20])

    def test_killed(self):
        for case, status in (("crash", -signal.SIGSEGV), ("abort", -signal.SIGABRT), ("quick", 4)):
            count, = self.frames(case, status=status)
            self.assertGreaterEqual(count, 12)  # at most the last ones are lost
            self.assertEqual(self.channel.streams[0].state, channel.OPEN)

    def test_the_last_frames_of_a_killed_program_have_drafts(self):
        """Whatever ends it without a word: every frame is there, those not read with times alone."""
        for case, status in (("killed", -signal.SIGKILL), ("crash", -signal.SIGSEGV), ("abort", -signal.SIGABRT),
                             ("quick", 4), ("quick-exit", 4)):
            with self.subTest(case):
                stream, = self.both("gl-lives", case, "200", status=status)
                frames, drafts = stream.frames(), stream.drafts()
                self.assertEqual([f.frame for f in frames + drafts], list(range(200)))
                self.assertEqual({d.kind for d in drafts}, {channel.FRAME} if drafts else set())
                for one, next_one in zip(frames[-1:] + drafts, drafts):
                    self.assertLessEqual(one.end_ns, next_one.begin_ns)
                    self.assertLess(next_one.begin_ns, next_one.end_ns)
                for draft in drafts:
                    self.assertFalse({channel.VALID, channel.DISTURBED} & set(draft.states.values()))

    def test_drafts_without_cpu_times_say_nothing_of_them(self):
        """The CPU clock is asked once in a millisecond: of the frame after that it is known when it began alone."""
        for _ in range(3):
            done, seen = channel.run(LIBRARY, [path("gl-lives"), "killed", "200"], overhead=50)
            if done.returncode == 77:
                self.skipTest(done.stderr)
            stream, = seen.streams
            self.assertEqual(len(stream.frames() + stream.drafts()), 200)
            for frame in stream.frames() + stream.drafts():
                self.assertEqual(frame.cpu_ns is None, frame.cpu_end_ns == 0)
                self.assertLessEqual(frame.cpu_begin_ns, frame.cpu_end_ns)

    def test_programs_that_end_well_leave_no_drafts(self):
        stream, = self.both("gl-lives", "plain", "200")
        self.assertEqual((len(stream.frames()), stream.drafts()), (200, []))

    def test_exit_in_a_signal_handler(self):
        """GL must not be called then: it may be what the signal interrupted."""
        count, = self.frames("interrupted", status=7)
        self.assertGreaterEqual(count, 12)
        self.assertEqual(self.channel.streams[0].state, channel.OPEN)
        self.assertEqual(self.channel.streams[0].rest(), [])

    def test_display_terminated(self):
        counts = self.frames("terminated")
        self.assertEqual(counts, [3] * 3)

    def test_program_without_gl(self):
        self.assertEqual(self.frames("no-gl", status=5), [])
        self.assertEqual(self.channel.processes(), 1)


class Breaks(Case):
    """What programs do that a measurement might break."""

    def test_sandbox(self):
        """It kills for reading clocks that are system calls, and for naps."""
        for case in ("sandbox-prctl", "sandbox-syscall"):
            with self.subTest(case):
                stream, = self.both("gl-breaks", case, status=6)
                frames = stream.frames()
                self.assertGreaterEqual(len(frames), 17)
                self.assertTrue(all(f.cpu_ns is not None for f in frames[:5]))
                self.assertTrue(all(f.cpu_ns is None for f in frames[6:]))
                for frame in frames:
                    self.assertIn(frame["IAVertices"], (3, None))

    def test_sandbox_from_the_start(self):
        streams = self.both("gl-breaks", "sandboxed", status=6)
        self.assertGreaterEqual(len(streams[-1].frames()), 17)
        self.assertTrue(all(f.cpu_ns is None for f in streams[-1].frames()))

    def test_release_without_flush(self):
        """A context that asked not to be flushed when it is released is not flushed."""
        self.both("gl-breaks", "unflushed")


class Ways(Case):
    """How a program reaches GL."""

    @classmethod
    def setUpClass(cls):
        cls.display = xvfb.Display().__enter__()
        if not cls.display.name:
            raise unittest.SkipTest("no Xvfb")
        cls.environment = cls.display.environment()

    @classmethod
    def tearDownClass(cls):
        cls.display.__exit__()

    def ways(self, *arguments):
        for way in ("linked", "dlsym", "proc"):
            with self.subTest(way):
                stream, = self.both("gl-ways-" + way, *arguments)
                frames = stream.frames()
                self.assertEqual(len(frames), 12)
                self.assertEqual(stream.window_system, 1)
                for frame in frames:
                    self.values(frame, IAVertices=3, IAPrimitives=1)
                    self.assertEqual((frame.width, frame.height), (64, 64))

    def test_ways(self):
        self.ways()

    def test_display_closed_under_the_context(self):
        self.ways("abrupt")


    def test_swaps_without_a_context(self):
        """glXSwapBuffers needs none: the frame is that of the context that drew into the window."""
        for way in ("linked", "dlsym", "proc"):
            with self.subTest(way):
                stream, = self.both("gl-ways-" + way, "apart")
                self.assertEqual([f["IAVertices"] for f in stream.frames()], [3] * 12)
                self.assertEqual([f.frame for f in stream.frames()], list(range(12)))

    def test_no_context_destroyed(self):
        """glXDestroyContext(display, NULL) destroys no context, above all not that which draws."""
        self.ways("no-context")
        self.assertEqual(len(self.channel.streams), 1)

    def test_a_window_that_changes_its_size(self):
        """The size is never wrong, and known again from the second frame in a new one."""
        for way in ("glx", "glx-window", "egl"):
            with self.subTest(way):
                stream, = self.both("gl-resize", way)
                sizes = [(f.width, f.height) if f.size_known else None for f in stream.frames()]
                self.assertEqual(len(sizes), 24)
                want = [(64, 64), (96, 48), None, (96, 48), None, (32, 40)]
                for i, size in enumerate(want):
                    first, *rest = sizes[4 * i:4 * i + 4]
                    self.assertIn(first, (size, None), (i, sizes))
                    self.assertEqual(rest, [size] * 3, (i, sizes))

    def test_windows_by_turns(self):
        """Their sizes are known, and the X server is not asked for them in each turn."""
        for way in ("glx", "glx-window", "egl"):
            with self.subTest(way):
                stream, = self.both("gl-resize", way, "turns")
                frames = [f for f in stream.frames() if f.size_known]
                self.assertGreater(len(frames), 300)
                for frame in frames:
                    side = 32 if frame.frame % 2 else 64
                    self.assertEqual((frame.width, frame.height), (side, side))

    def test_plugin(self):
        """A module that is opened for itself alone, and linked with GL."""
        stream, = self.both("gl-plugin", path("gl-plugin-glx.so"))
        self.assertEqual(len(stream.frames()), 12)
        for frame in stream.frames():
            self.values(frame, IAVertices=3)

    def test_plugin_with_an_inert_library(self):
        env = dict(self.environment, LD_PRELOAD=LIBRARY)
        env.pop("SEXTANT_CHANNEL", None)
        command = [path("gl-plugin"), path("gl-plugin-glx.so")]
        alone = subprocess.run(command, env=self.environment, capture_output=True, timeout=60)
        inert = subprocess.run(command, env=env, capture_output=True, timeout=60)
        self.assertEqual((inert.returncode, inert.stdout, inert.stderr),
                         (alone.returncode, alone.stdout, alone.stderr))

    def beside(self, hookers, exact=True, bypassed=False, **more):
        """
        Other hookers before and behind ours: the same picture, and all frames. Some draw
        themselves (not exact), some that stand first never call whoever comes next (bypassed).
        """
        for way in ("linked", "dlsym", "proc"):
            command = [path("gl-ways-" + way)]
            alone = subprocess.run(command, env=self.environment, capture_output=True, text=True,
                                   timeout=60)
            if alone.returncode == 77:
                self.skipTest(alone.stderr)
            self.assertEqual((alone.returncode, len(alone.stdout.split())), (0, 2), alone.stderr)
            for preload in ([*hookers, LIBRARY], [LIBRARY, *hookers]):
                with self.subTest(way=way, preload=[os.path.basename(p) for p in preload]):
                    seen = channel.Channel()
                    env = dict(self.environment, LD_PRELOAD=":".join(preload),
                               SEXTANT_CHANNEL=seen.path, **more)
                    done = subprocess.run(command, env=env, capture_output=True, text=True,
                                          timeout=60)
                    seen.poll()
                    seen.close()
                    self.assertEqual((done.returncode, done.stdout), (0, alone.stdout),
                                     done.stderr)
                    frames = [f for s in seen.streams for f in s.frames()]
                    if bypassed and preload[0] != LIBRARY and not frames:
                        continue
                    self.assertEqual(len(frames), 12)
                    for frame in frames:
                        if exact:
                            self.assertIn(frame["IAVertices"], (3, None))

    def test_other_hookers(self):
        for how in ("handle", "next", "proc"):
            self.beside([path(f"gl-hooker-{how}.so")])

    def installed(self, *names):
        found = [f for n in names for f in glob.glob(f"/usr/lib/*/{n}") + glob.glob(f"/usr/lib/{n}")]
        if not found:
            self.skipTest("not installed")
        return found[:1]

    def test_renderdoc(self):
        with tempfile.TemporaryDirectory() as folder:
            self.beside(self.installed("renderdoc/librenderdoc.so", "librenderdoc.so"), exact=False,
                        HOME=folder, TMPDIR=folder)

    def test_mangohud(self):
        for library in ("mangohud/libMangoHud.so", "mangohud/libMangoHud_dlsym.so"):
            self.beside(self.installed(library), bypassed=True, exact=False,
                        MANGOHUD_CONFIG="no_display", MANGOHUD="1")

    def test_apitrace(self):
        with tempfile.TemporaryDirectory() as folder:
            self.beside(self.installed("apitrace/wrappers/glxtrace.so"),
                        TRACE_FILE=os.path.join(folder, "x.trace"))

    def test_several_other_hookers(self):
        self.beside([path("gl-hooker-handle.so"), path("gl-hooker-next.so")])


class Loading(unittest.TestCase):
    """The library in programs that are not to be measured."""

    def test_rtld_next_of_others(self):
        measured, _ = channel.run(LIBRARY, [path("gl-next")])
        self.assertEqual((measured.returncode, measured.stdout), (0, "0\n"))

    def test_an_opengl_of_the_programs_own(self):
        """Chromium's ANGLE: whoever looks in it gets its functions, since the driver's below it are measured."""
        measured, _ = channel.run(LIBRARY, [path("gl-translator"), path("gl-translator-own.so")])
        self.assertEqual(measured.returncode, 0)

    def test_exports(self):
        symbols = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], capture_output=True,
                                 text=True, check=True).stdout.split("\n")
        names = [line.split()[-1] for line in symbols if line]
        self.assertIn("dlsym", names)
        self.assertIn("glXSwapBuffers", names)
        for name in names:
            self.assertRegex(name, r"^(dlsym|syscall|prctl|XCloseDisplay|f?exec[a-z]+|gl[A-Z]\w+|egl[A-Z]\w+)$")

    def test_no_channel(self):
        for value in (None, "", "/nowhere", "/dev/null", "/proc/self/exe", "/tmp"):
            env = dict(os.environ, LD_PRELOAD=LIBRARY)
            env.pop("SEXTANT_CHANNEL", None)
            if value is not None:
                env["SEXTANT_CHANNEL"] = value
            done = subprocess.run([path("gl-lives"), "status"], env=env, capture_output=True)
            self.assertIn(done.returncode, (42, 77))
            self.assertTrue(done.returncode == 77 or done.stderr == b"")


if __name__ == "__main__":
    program = unittest.main(exit=False)
    result = program.result
    if result.testsRun and len(result.skipped) == result.testsRun:
        sys.exit(77)
    sys.exit(not result.wasSuccessful())
