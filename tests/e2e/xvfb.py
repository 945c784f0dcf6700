"""An X server for tests that need one: ours, by Xvfb, never the user's."""
import os
import shutil
import subprocess


class Display:
    """Use as a context; `name` is None when there is no Xvfb."""

    def __enter__(self):
        self.name, self.server = None, None
        if shutil.which("Xvfb"):
            read, write = os.pipe()
            self.server = subprocess.Popen(
                # A server that begins anew when its last client goes refuses the next one meanwhile.
                ["Xvfb", "-displayfd", str(write), "-screen", "0", "1024x768x24", "-nolisten", "tcp", "-noreset"],
                pass_fds=[write], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            os.close(write)
            with os.fdopen(read) as answer:
                number = answer.readline().strip()
            if number:
                self.name = ":" + number
        return self

    def environment(self):
        return dict(os.environ, DISPLAY=self.name)

    def __exit__(self, *unused):
        if self.server:
            self.server.terminate()
            self.server.wait()
