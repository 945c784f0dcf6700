#!/usr/bin/env python3
"""Threads with queues of their own under ThreadSanitizer: no race in what is ours. Arguments: sextant, known, folder of the layer."""
import os
import subprocess
import sys
import tempfile

sextant, known, folder = sys.argv[1:4]
with tempfile.TemporaryDirectory() as out:
    probe = subprocess.run(['setarch', '-R', known, 'threads'], capture_output=True, text=True, timeout=100, check=False)
    if probe.returncode:
        print('not here:', probe.stderr[:2000])  # no OpenCL device, no room for the sanitizer's shadow, or the driver's own races
        sys.exit(77)
    path = os.path.join(out, 'out.sxc')
    result = subprocess.run(['setarch', '-R', sextant, 'record', '-d', 'opencl', '-o', path, '--', known, 'threads'], capture_output=True, text=True,
                            timeout=200, check=False, env={**os.environ, 'SEXTANT_LAYER_DIR': folder, 'TSAN_OPTIONS': 'exitcode=66'})
    print(result.stderr[-4000:])
    rows = subprocess.run([sextant, 'export', path, '--counters', '--csv'], capture_output=True, text=True, timeout=100, check=False).stdout
    with_layer = sum('twice' in line for line in rows.splitlines())
    print(f'{with_layer} of 800 commands, exit {result.returncode}')
    sys.exit(result.returncode != 0 or with_layer != 800)
