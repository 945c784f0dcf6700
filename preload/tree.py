#!/usr/bin/env python3
"""Links the libraries below DIR as the loader's $LIB spells the folders of each kind of program.
Usage: tree.py STAMP DIR LIBRARY LIB LIBRARY32 LIB32..."""
import os
import sys

stamp, where, library, lib, library32, *libs32 = sys.argv[1:]
for target, folder in [(library, lib)] + [(library32, name) for name in libs32 if name != lib]:
    path = os.path.join(where, folder, "libsextant-gl.so")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if os.path.lexists(path):
        os.remove(path)
    os.symlink(os.path.abspath(target), path)
open(stamp, "w").close()
