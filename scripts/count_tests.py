#!/usr/bin/env python3
"""
Counts what `meson test` logged, after the end of what each failed test said: "PASSED FAILED SKIPPED" and the names of those that
failed are the last line. A log that is missing or empty is a failure.
"""
import json
import sys

LINES = 30  # of each failed test
WIDTH = 400  # of a line

ok = skip = 0
bad = []
try:
    with open(sys.argv[1], encoding='utf-8') as log:
        for line in log:
            test = json.loads(line)
            if test['result'] in ('OK', 'EXPECTEDFAIL'):
                ok += 1
            elif test['result'] == 'SKIP':
                skip += 1
            else:
                bad.append(test['name'].split(' / ')[-1])
                print(f"\n{bad[-1]}: {test['result']}, exit status {test.get('returncode')}, after {test['duration']:.0f} s")
                said = test.get('stdout', '').splitlines() + test.get('stderr', '').splitlines()
                for text in said[-LINES:]:
                    print(text if len(text) <= WIDTH else text[:WIDTH // 2] + ' ... ' + text[-WIDTH // 2:])
except OSError as error:
    print(error, file=sys.stderr)
if ok + len(bad) == 0:
    bad = ['no-log-of-tests']
print(ok, len(bad), skip, *bad)
