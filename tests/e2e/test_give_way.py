"""The command lets the program that it measures stay on its CPU. usage: test_give_way.py SEXTANT"""
import os
import subprocess
import sys
import tempfile
import unittest

SEXTANT = sys.argv.pop(1)
# Ends when the command, its parent, has another policy than at the start, or after a while; says both policies.
PROGRAM = """import os, time
for _ in range(150):
    if os.sched_getscheduler(os.getppid()) == os.SCHED_BATCH:
        break
    time.sleep(0.01)
print(os.sched_getscheduler(os.getppid()), os.sched_getscheduler(0))
"""


class GiveWay(unittest.TestCase):
    def policies(self, *command, before=()):
        with tempfile.TemporaryDirectory() as folder:
            words = [word.format(folder=folder) for word in command]
            done = subprocess.run([*before, SEXTANT, *words, "--", sys.executable, "-c", PROGRAM],
                                  capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            line = next(line for line in done.stdout.splitlines() if line and line[0].isdigit())
            return [int(word) for word in line.split()[:2]]

    def test_the_command_alone(self):
        for verb in (["stat", "-d", "cpu"], ["stat", "-d", "cpu", "-r", "2", "-o", os.devnull],
                     ["record", "-d", "cpu", "-o", "{folder}/a.sxc"]):
            self.assertEqual(self.policies(*verb), [os.SCHED_BATCH, os.SCHED_OTHER], verb)

    def test_a_choice_of_the_user_stands(self):
        first = ["chrt", "-f", "1"]  # an idle one would not get far on a busy machine
        if subprocess.run([*first, "true"], capture_output=True, check=False).returncode:
            self.skipTest("may not choose a policy here")
        self.assertEqual(self.policies("stat", "-d", "cpu", before=first), [os.SCHED_FIFO, os.SCHED_FIFO])

    def test_in_time_where_that_is_asked(self):
        self.assertEqual(self.policies("stat", "-d", "cpu", "-I", "2ms"), [os.SCHED_OTHER, os.SCHED_OTHER])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
