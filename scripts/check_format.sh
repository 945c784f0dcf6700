#!/usr/bin/env bash
# check_format.sh ROOT: every C file is as clang-format leaves it.
cd "$1" || exit 1
command -v clang-format >/dev/null || { echo "no clang-format here"; exit 77; }
files=$(git ls-files '*.c' '*.h' 2>/dev/null || find include src guest preload tools tests gpa bench examples -name '*.[ch]')
bad=$(clang-format --dry-run -Werror $files 2>&1 | grep -oE '^[^ :]+:[0-9]+:[0-9]+:' | cut -d: -f1 | sort -u)
[ -z "$bad" ] || { echo "run clang-format -i on:"; echo "$bad"; exit 1; }
