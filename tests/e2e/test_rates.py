"""Rates of what could be read in some samples only: by the time in which it could. usage: test_rates.py SEXTANT"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

SEXTANT = sys.argv[1]
# Busy for half of the first 10 ms; then its file could not be read for 30 ms, while the clock went on.
ROWS = "begin_ns,end_ns,BusyTime,Clock\n0,10000000,5000000,1000\n" + "".join(
    f"{at}0000000,{at + 1}0000000,,1000\n" for at in (1, 2, 3))


class Rates(unittest.TestCase):
    def run_it(self, *args):
        done = subprocess.run([SEXTANT, *args], capture_output=True, text=True, timeout=60, check=False,
                              env=dict(os.environ, COLUMNS="80"))
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_everywhere(self):
        with tempfile.TemporaryDirectory() as folder:
            table, capture = os.path.join(folder, "a.csv"), os.path.join(folder, "a.sxc")
            with open(table, "w", encoding="ascii") as file:
                file.write(ROWS)
            self.run_it("import", table, "--as", "sextant-csv", "--for", "drm", "-o", capture)
            for verb in (["report", capture], ["stat", "-i", capture]):
                rows = {m["name"]: m for m in json.loads(self.run_it(*verb, "--json", "-m", "gpu_busy,BusyTime"))["metrics"]}
                self.assertEqual((rows["gpu_busy"]["mean"], rows["gpu_busy"]["running"]), (50, 0.25))
                self.assertEqual((rows["BusyTime"]["total"], rows["BusyTime"]["why"]),  # an amount of which most was missed
                                 (None, "in 3 of 4 samples: the run did not collect it"))
            device, = json.loads(self.run_it("report", capture, "--by", "time", "-I", "20ms", "-m", "gpu_busy", "--json"))["devices"]
            self.assertEqual([g["values"]["gpu_busy"] for g in device["groups"]], [50, None])
            self.assertRegex(self.run_it("report", capture, "-m", "gpu_busy"), r"gpu_busy +50\.0 %")
            self.assertIn(" 0.5\n", self.run_it("export", capture, "-f", "openmetrics", "-m", "gpu_busy"))
            self.assertIn("50.0", self.run_it("explain", "gpu_busy", "-i", capture))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
