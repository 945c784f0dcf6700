"""Programs with threads under ThreadSanitizer, together with the layer, which has to be silent."""
import json
import os
import subprocess
import tempfile
import unittest

SEXTANT = os.environ["SEXTANT"]
SCENES = os.path.join(os.environ["SEXTANT_VK_PROGRAMS"], "vk-scenes-tsan")


def stat(env, options, *command):
    """The document of a run in which ThreadSanitizer found nothing; None: it cannot run here."""
    with tempfile.TemporaryDirectory() as folder:
        result = os.path.join(folder, "out.json")
        done = subprocess.run([SEXTANT, "stat", "-d", "vulkan", "--overhead", "0", "--json", "-o", result, *options, "--",
                               *command], env=dict(os.environ, TSAN_OPTIONS="ignore_noninstrumented_modules=1", **env),
                              capture_output=True, text=True, timeout=100)
        if done.returncode == 77 or "FATAL: ThreadSanitizer" in done.stderr:
            return None
        if "WARNING: ThreadSanitizer" in done.stderr or done.returncode:
            raise AssertionError(done.stderr)
        with open(result, encoding="utf-8") as file:
            return json.load(file)


class Threads(unittest.TestCase):
    def check(self, samples, *command, options=("-m", "Draws,IAPrimitives"), env=None):
        document = stat(env or {}, options, *command)
        if document is None:
            self.skipTest("no Vulkan driver, or no ThreadSanitizer, here")
        self.assertEqual(document["samples"]["count"], samples)

    def test_silence(self):
        for case, samples in (("threads", 4 * 10 * 2), ("secondaries", 10), ("labels-across", 30), ("overlap-gated", 10), ("overlap-once", 10),
                              ("overlap-computes", 10), ("overlap-draws", 10),
                              ("own-resets", 10)):
            with self.subTest(case=case):
                self.check(samples, SCENES, case, "10")

    def test_queues_apart(self):
        """Two threads with a queue each, on a made-up machine whose results take their time."""
        from test_hardware import ENV  # which driver there is below it
        if not ENV:
            self.skipTest("Mesa's lavapipe is not installed")
        for case in "submits-apart", "submits-labelled":
            self.check(600, SCENES, case, "300", env=dict(ENV, FAKE_MACHINE="1", FAKE_IDLE="100"))

    def test_recorded_anew(self):
        from test_hardware import ENV
        if not ENV:
            self.skipTest("Mesa's lavapipe is not installed")
        for case, late in (("submits-anew", {"FAKE_IDLE": "1000"}), ("submits-late", {"FAKE_LATE": "1000"})):
            self.check(200 if "anew" in case else 100, SCENES, case, "100", env=dict(ENV, FAKE_MACHINE="1", **late))


if __name__ == "__main__":
    unittest.main()
