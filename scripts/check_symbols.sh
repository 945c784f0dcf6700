#!/usr/bin/env bash
# check_symbols.sh LIBRARY REGEX: everything that a shared object exports matches REGEX, and it exports something.
# check_symbols.sh LIBRARY LIST HEADERS: it exports exactly the names of the file LIST, one a line and sorted, which are
# those that the headers of the folder HEADERS declare. With -u in front, writes LIST anew.
set -u
update=
[ "$1" != -u ] || { update=1; shift; }
lib=$1
exported=$(nm -D --defined-only "$lib" | awk '$2 != "A" {print $3}' | sed 's/@.*//' | grep -vE '^(_init|_fini|__asan.*|__ubsan.*|__odr_asan.*)$' | LC_ALL=C sort)
[ -n "$exported" ] || { echo "$lib exports nothing"; exit 1; }
if [ $# -eq 2 ]; then
  leaks=$(grep -vE "$2" <<<"$exported")
  [ -z "$leaks" ] || { echo "$lib exports what it should not:"; echo "$leaks"; exit 1; }
  echo "$(wc -l <<<"$exported") symbols, all $2"
  exit 0
fi
list=$2
[ -z "$update" ] || echo "$exported" >"$list"
# Comments and bodies of inline functions name functions as well: neither is a prototype.
declared=$(cat "$3"/*.h | tr '\n' ' ' | sed -E 's@/\*([^*]|\*+[^*/])*\*+/@@g' | grep -oE 'SX_API [^;]*;' |
  sed -E 's/^([^(]*[^A-Za-z0-9_(])?([A-Za-z0-9_]+)\(.*/\2/' | grep '^sx_' | LC_ALL=C sort)
bad=0
tell() { # the difference of two lists, in words
  [ -z "$2" ] || { echo "$1"; sed 's/^/  /' <<<"$2"; bad=1; }
}
listed=$(cat "$list")
tell "in no line of $list (a new call: docs/library.md):" "$(LC_ALL=C comm -23 <(echo "$exported") <(echo "$listed"))"
tell "gone, or not in order (breaks programs: docs/library.md):" "$(LC_ALL=C comm -13 <(echo "$exported") <(echo "$listed"))"
tell "exported, but in no public header:" "$(LC_ALL=C comm -23 <(echo "$exported") <(echo "$declared"))"
tell "in a public header, but not exported:" "$(LC_ALL=C comm -13 <(echo "$exported") <(echo "$declared"))"
[ $bad -ne 0 ] || echo "$(wc -l <<<"$exported") symbols, as listed"
exit $bad
