#!/usr/bin/env bash
# check_format.sh ROOT: every C file is as clang-format leaves it.
cd "$1" || exit 1
# Versions differ in what they leave; the files are as this one does.
version=14
tool=clang-format-$version
command -v $tool >/dev/null || tool=clang-format
command -v $tool >/dev/null || { echo "no clang-format here"; exit 77; }
$tool --version | grep -q "version $version\." || { echo "clang-format $version is not here: not checked"; exit 77; }
files=$(git ls-files '*.c' '*.h' 2>/dev/null || find include src guest preload tools tests gpa bench examples -name '*.[ch]')
bad=$($tool --dry-run -Werror $files 2>&1 | grep -oE '^[^ :]+:[0-9]+:[0-9]+:' | cut -d: -f1 | sort -u)
[ -z "$bad" ] || { echo "run clang-format -i on:"; echo "$bad"; exit 1; }
