"""glmark2's scenes, counted by libsextant-gl.so and by Mesa's own HUD at the same time: the counts of
each frame must be equal, and the number of frames must be glmark2's own."""
import os
import re
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import channel
import xvfb

LIBRARY = os.environ["SEXTANT_GL_LIBRARY"]
PAIRS = {"ia-vertices": "IAVertices", "ia-primitives": "IAPrimitives",
         "vs-invocations": "VSInvocations", "clipper-invocations": "CInvocations"}
SECONDS = 3


def read_hud(folder):
    columns = {}
    for graph, counter in PAIRS.items():
        with open(os.path.join(folder, graph.replace("-", "_")), encoding="ascii") as file:
            columns[counter] = [int(float(line)) for line in file if line.strip()]
    return columns


class Hud(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not shutil.which("glmark2"):
            raise unittest.SkipTest("no glmark2")
        cls.display = xvfb.Display().__enter__()
        if not cls.display.name:
            raise unittest.SkipTest("no Xvfb")

    @classmethod
    def tearDownClass(cls):
        cls.display.__exit__()

    def measure(self, scene, folder):
        env = self.display.environment()
        env.update(GALLIUM_HUD=",".join(PAIRS), GALLIUM_HUD_PERIOD="0", GALLIUM_HUD_VISIBLE="false",
                   GALLIUM_HUD_DUMP_DIR=folder)
        done, seen = channel.run(LIBRARY, ["glmark2", "-b", f"{scene}:duration={SECONDS}", "--size",
                                           "320x240"], env)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        stream = max(seen.streams, key=lambda s: len(s.frames()))
        self.assertEqual(stream.lost, 0)
        fps = int(re.search(r"FPS: (\d+)", done.stdout).group(1))
        return stream.frames(), fps

    def check(self, scene):
        with tempfile.TemporaryDirectory() as folder:
            frames, fps = self.measure(scene, folder)
            if not os.listdir(folder):
                self.skipTest("this driver has no Gallium HUD")
            hud = read_hud(folder)
        for counter, theirs in hud.items():
            ours = [f[counter] for f in frames]
            # The HUD begins with the second swap and ends with frames still in flight.
            self.assertGreater(len(theirs), len(ours) - 12)
            self.assertLessEqual(len(theirs), len(ours))
            equal = [shift for shift in range(len(ours) - len(theirs) + 1)
                     if ours[shift:shift + len(theirs)] == theirs]
            self.assertTrue(equal, f"{scene} {counter}: {ours[:5]}… against {theirs[:5]}…")
            self.assertGreater(sum(theirs), 0)
        # glmark2 counts whole seconds of its own clock.
        self.assertLess(abs(len(frames) - fps * SECONDS), 2 * fps)

    def test_build(self):
        self.check("build")

    def test_shading(self):
        self.check("shading")

    def test_texture(self):
        self.check("texture")


if __name__ == "__main__":
    result = unittest.main(exit=False).result
    if result.skipped and not result.failures and not result.errors:
        sys.exit(77)
    sys.exit(not result.wasSuccessful())
