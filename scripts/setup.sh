#!/usr/bin/env bash
# setup.sh demo|check: installs the Debian packages of packages.txt that are missing; nothing when all are here.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
want=$1
missing=()
while read -r name use; do
  case $name in '' | '#'*) continue ;; esac
  [ "$use" = demo ] || [ "$want" = check ] || continue
  dpkg-query -W -f '${db:Status-Abbrev}' "$name" 2>/dev/null | grep -q '^ii' || missing+=("$name")
done <"$here/packages.txt"
[ ${#missing[@]} -eq 0 ] && exit 0
line="apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"
if [ "$(id -u)" = 0 ]; then
  sudo=
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
  sudo='sudo -n'
elif command -v sudo >/dev/null && [ -t 0 ]; then
  sudo=sudo
else
  printf 'make %s: packages are missing, and this needs root. Run:\n  sudo sh -c "%s"\n' "$want" "$line" >&2
  exit 1
fi
echo "make $want: installing ${#missing[@]} Debian packages (once)"
log=$(mktemp)
if ! { $sudo apt-get update && $sudo env DEBIAN_FRONTEND=noninteractive \
  apt-get install -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
  tail -20 "$log" >&2
  printf 'make %s: the packages could not be installed. Try:\n  sudo sh -c "%s"\n' "$want" "$line" >&2
  exit 1
fi
rm -f "$log"
