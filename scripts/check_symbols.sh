#!/usr/bin/env bash
# check_symbols.sh LIBRARY REGEX: everything that a shared object exports matches REGEX, and it exports something.
set -u
lib=$1
pattern=$2
exported=$(nm -D --defined-only "$lib" | awk '$2 != "A" {print $3}' | sed 's/@.*//' | grep -vE '^(_init|_fini|__asan.*|__ubsan.*|__odr_asan.*)$')
[ -n "$exported" ] || { echo "$lib exports nothing"; exit 1; }
leaks=$(grep -vE "$pattern" <<<"$exported")
[ -z "$leaks" ] || { echo "$lib exports what it should not:"; echo "$leaks"; exit 1; }
echo "$(wc -l <<<"$exported") symbols, all $pattern"
