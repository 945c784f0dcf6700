"""Contexts and threads with the library under ThreadSanitizer: no race in what is ours."""
import os
import sys
import unittest

import channel

PROGRAM = os.path.join(os.environ["SEXTANT_GL_PROGRAMS"], "gl-lives-tsan")


class Races(unittest.TestCase):
    def check(self, case, frames):
        # The sanitizer wants its shadow where address randomisation may have put something.
        measured, seen = channel.run("", ["setarch", "-R", PROGRAM, case], timeout=100)
        if measured.returncode == 77 or "unexpected memory mapping" in measured.stderr:
            self.skipTest(measured.stderr)
        self.assertEqual(measured.returncode, 0, measured.stderr[:4000])
        self.assertEqual(sum(len(s.frames()) + s.lost for s in seen.streams), frames)

    def test_threads(self):
        self.check("threads", 160)

    def test_context_goes_from_thread_to_thread(self):
        self.check("handed", 25)


if __name__ == "__main__":
    result = unittest.main(exit=False).result
    if len(result.skipped) == result.testsRun:
        sys.exit(77)
    sys.exit(not result.wasSuccessful())
