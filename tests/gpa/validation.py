#!/usr/bin/env python3
"""Runs a Vulkan program under the validation layer and fails when that has anything to say.

With the argument "offend" the program does something wrong, which the layer has to find first.

usage: validation.py PROGRAM [ARG...]
"""
import glob
import os
import subprocess
import sys

LAYER = "VK_LAYER_KHRONOS_validation"
FOLDERS = ["/usr/share/vulkan/explicit_layer.d", "/etc/vulkan/explicit_layer.d",
           "/usr/local/share/vulkan/explicit_layer.d"]


def run(command, env):
    result = subprocess.run(command, env=env, capture_output=True, text=True, timeout=100)
    output = result.stdout + result.stderr
    said = [line for line in output.splitlines() if "VUID" in line or "Validation" in line]
    return said, output, result


def main():
    manifests = [m for f in FOLDERS for m in glob.glob(os.path.join(f, "*.json"))]
    if not any(LAYER in open(m, encoding="utf-8").read() for m in manifests):
        print(f"SKIP: {LAYER} is not installed")
        return 77
    env = dict(os.environ, VK_INSTANCE_LAYERS=LAYER)
    offence, _, _ = run([sys.argv[1], "offend"], env)
    if not offence:
        print("the layer does not even find an offence: it does not run")
        return 1
    said, output, result = run(sys.argv[1:], env)
    print(output[-3000:] if said or result.returncode else f"silent over {len(output)} bytes")
    return 1 if said else result.returncode


sys.exit(main())
