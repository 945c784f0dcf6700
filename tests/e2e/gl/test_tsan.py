"""Contexts and threads with the library under ThreadSanitizer: no race in what is ours."""
import os
import sys
import unittest

import channel

PROGRAMS = os.environ["SEXTANT_GL_PROGRAMS"]
ROUNDS = 10


class Races(unittest.TestCase):
    def check(self, case, frames, program="lives", kind=None):
        # The sanitizer wants its shadow where address randomisation may have put something.
        path = os.path.join(PROGRAMS, f"gl-{program}-tsan")
        wish = {} if kind is None else {"kinds": 1 << kind, "overhead": 50}
        measured, seen = channel.run("", ["setarch", "-R", path, case], timeout=100, **wish)
        if measured.returncode == 77 or "unexpected memory mapping" in measured.stderr:
            self.skipTest(measured.stderr)
        self.assertEqual(measured.returncode, 0, measured.stderr[:4000])
        if kind is None:
            self.assertEqual(sum(len(s.frames()) + s.lost for s in seen.streams), frames)
        else:
            self.assertTrue(any(r.kind == kind for s in seen.streams for r in s.records))

    def test_threads(self):
        self.check("threads", 160)

    def test_context_goes_from_thread_to_thread(self):
        self.check("handed", 25)


    def test_at_once(self):
        """Each with a sample for each frame, group and draw, where groups and draws are added up, too."""
        frames = {"turns": 4, "draws": 4, "come-and-go": 4, "beside": 4, "forks": 2, "look-up": 2}
        for case, threads in frames.items():
            for kind in None, channel.GROUP, channel.DRAW:
                with self.subTest(case=case, kind=kind):
                    self.check(case, threads * ROUNDS, "races", kind)


if __name__ == "__main__":
    result = unittest.main(exit=False).result
    if len(result.skipped) == result.testsRun:
        sys.exit(77)
    sys.exit(not result.wasSuccessful())
