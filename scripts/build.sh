#!/usr/bin/env bash
# build.sh DIR [meson options]: configures DIR when it is new and builds it. Shows each tenth that is done,
# and the output when it fails.
set -u -o pipefail
cd "$(dirname "$0")/.." || exit 1
dir=$1
shift
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if [ ! -f "$dir/build.ninja" ]; then
  echo "configuring $dir"
  meson setup "$dir" "$@" >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
fi
echo "building $dir"
if ! ninja -C "$dir" 2>&1 | tee "$log" |
  awk -F'[][/]' '/^\[[0-9]+\/[0-9]+\]/ { part = int(10 * $2 / $3); if (part > shown) { shown = part; print "  " $2 " of " $3; fflush() } }'; then
  grep -E -A6 'error:|FAILED:|undefined reference' "$log" | head -60 >&2
  echo "the build of $dir failed; whole log: ninja -C $dir" >&2
  exit 1
fi
if [ "${SEXTANT_NO_WARNINGS:-}" ] && grep -q 'warning:' "$log"; then
  grep -A4 'warning:' "$log" | head -40 >&2
  exit 1
fi
exit 0
