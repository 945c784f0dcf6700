#!/usr/bin/env python3
"""Counts what `meson test` logged: "PASSED FAILED SKIPPED". A log that is missing or empty is a failure."""
import json
import sys

ok = bad = skip = 0
try:
    with open(sys.argv[1], encoding='utf-8') as log:
        for line in log:
            result = json.loads(line)['result']
            if result in ('OK', 'EXPECTEDFAIL'):
                ok += 1
            elif result == 'SKIP':
                skip += 1
            else:
                bad += 1
except OSError as error:
    print(error, file=sys.stderr)
if ok + bad == 0:
    bad = 1
print(ok, bad, skip)
