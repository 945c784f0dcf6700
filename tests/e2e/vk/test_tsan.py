"""Programs with threads under ThreadSanitizer, together with the layer, which has to be silent."""
import json
import os
import subprocess
import tempfile
import unittest

SEXTANT = os.environ["SEXTANT"]
SCENES = os.path.join(os.environ["SEXTANT_VK_PROGRAMS"], "vk-scenes-tsan")


class Threads(unittest.TestCase):
    def test_silence(self):
        for case, samples in (("threads", 4 * 10 * 2), ("secondaries", 10)):
            with self.subTest(case=case), tempfile.TemporaryDirectory() as folder:
                result = os.path.join(folder, "out.json")
                env = dict(os.environ, TSAN_OPTIONS="ignore_noninstrumented_modules=1")
                done = subprocess.run([SEXTANT, "stat", "-d", "vulkan", "--overhead", "0", "--json", "-o", result, "-m",
                                       "Draws,IAPrimitives", "--", SCENES, case, "10"], env=env, capture_output=True,
                                      text=True, timeout=100)
                if done.returncode == 77 or "FATAL: ThreadSanitizer" in done.stderr:
                    self.skipTest("no Vulkan driver, or no ThreadSanitizer, here")
                self.assertNotIn("WARNING: ThreadSanitizer", done.stderr)
                self.assertEqual(done.returncode, 0, done.stderr)
                with open(result, encoding="utf-8") as file:
                    self.assertEqual(json.load(file)["samples"]["count"], samples)


if __name__ == "__main__":
    unittest.main()
