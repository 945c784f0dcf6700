#!/usr/bin/env bash
# setup.sh demo|check: installs the Debian packages of packages.txt that are missing; nothing when all are here.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
want=$1
installed() { dpkg-query -W -f '${db:Status-Abbrev}' "$1" 2>/dev/null | grep -q '^ii'; }

# Whether this release has it, as far as its lists are here.
known() { apt-cache show --no-all-versions "$1" 2>/dev/null | grep -q '^Package:'; }

missing=()
spare=() # what the release may not have
while read -r line; do
  case $line in '' | '#'*) continue ;; esac
  use=${line##* }
  [ "$use" = demo ] || [ "$want" = check ] || continue
  names=${line% *}
  have=
  for name in ${names//|/ }; do
    [ "$name" != - ] && installed "$name" && have=yes
  done
  [ "$have" ] && continue
  case $names in
    *'| -'*) spare+=("${names%% *}") ;;
    *) missing+=("${names// /}") ;;
  esac
done <"$here/packages.txt"
# These alone are no reason to ask for lists.
for name in "${spare[@]}"; do
  if [ ${#missing[@]} -ne 0 ] || known "$name"; then
    missing+=("$name|-")
  fi
done
[ ${#missing[@]} -eq 0 ] && exit 0

# The command that puts root's rights in front, as far as there is one.
as_root=()
remedy='as root, run:\n  '
if [ "$(id -u)" != 0 ]; then
  if command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
    as_root=(sudo)
  fi
  command -v sudo >/dev/null && remedy='run:\n  sudo '
fi

# Of alternatives, the first that this release has; its lists must be there to tell.
choose() {
  local chosen=() group name
  for group in "${missing[@]}"; do
    for name in ${group//|/ }; do
      [ "$name" = - ] && continue 2
      [ "${group//|/}" = "$group" ] || known "$name" || continue
      chosen+=("$name")
      continue 2
    done
    chosen+=("${group%%|*}")
  done
  echo "${chosen[*]}"
}

if [ "$(id -u)" != 0 ] && [ ${#as_root[@]} -eq 0 ]; then
  # shellcheck disable=SC2059 # the remedy holds a line break
  printf "make $want: packages are missing, and this needs root; ${remedy}sh -c \"%s\"\n" \
    "apt-get update && apt-get install -y --no-install-recommends $(choose)" >&2
  exit 1
fi
echo "make $want: installing ${#missing[@]} Debian packages (once)"
log=$(mktemp)
if ! { "${as_root[@]}" apt-get update && "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -y --no-install-recommends $(choose); } >"$log" 2>&1; then
  tail -20 "$log" >&2
  # shellcheck disable=SC2059
  printf "make $want: the packages could not be installed; ${remedy}sh -c \"%s\"\n" \
    "apt-get update && apt-get install -y --no-install-recommends $(choose)" >&2
  exit 1
fi
rm -f "$log"
