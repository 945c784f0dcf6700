#!/usr/bin/env bash
# screenshot.sh SEXTANT OUT.png [CAPTURE]: the README's picture of a page: a recording of glmark2, or the capture, in Chromium.
set -eu
sextant=$(realpath "$1")
out=$(realpath -m "$2")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
capture=${3:-$folder/glmark2.sxc}
[ $# -gt 2 ] || xvfb-run -a "$sextant" record -q -o "$capture" -- glmark2 -b build:duration=2 -b shadow:duration=2 --size 640x480 >"$folder/log"
"$sextant" report "$capture" -q -o "$folder/page.html"
# The address opens the page at its charts, without moving.
chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --force-prefers-reduced-motion --window-size=1280,1120 \
  --virtual-time-budget=8000 --screenshot="$folder/page.png" "file://$folder/page.html" 2>>"$folder/log"
size=$(stat -c %s "$folder/page.png")
[ "$size" -lt 204800 ] || { echo "screenshot.sh: $size bytes are more than 200 KiB" >&2; exit 1; }
cp "$folder/page.png" "$out"
echo "$out: $size bytes"
