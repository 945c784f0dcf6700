#!/usr/bin/env bash
# Everything that must hold at every commit; ends in "N passed, N failed" alone on a line.
set -u
cd "$(dirname "$0")/.." || exit 1
passed=0
failed=0
names=() # of what failed
note() { # NAME STATUS
  if [ "$2" = 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); names+=("$1"); fi
}

show_tests() { # passes on what is not OK, and every 25 tests how far it is
  local ok=0 line
  while IFS= read -r line; do
    case $line in
      ninja:*) ;;
      *' OK  '*)
        ok=$((ok + 1))
        [ $((ok % 25)) != 0 ] || echo "  $ok tests passed, $((SECONDS / 60)) min $((SECONDS % 60)) s" ;;
      *) printf '%s\n' "$line" ;;
    esac
  done
}

# 1. gcc with sanitizers: unit tests, end-to-end tests, lints.
asan=build-check
# At -O1 it builds in half the time, and no test takes longer. What UBSan finds is a trap, of which ASan prints the stack: its
# messages would be 11 MB of data, which each start of the command relocates and each look for leaks scans.
flags='-g1 -fsanitize-undefined-trap-on-error'
scripts/build.sh $asan -Dwerror=true -Doptimization=1 "-Dc_args=$flags" "-Dcpp_args=$flags" -Db_sanitize=address,undefined -Db_lundef=false
note "build with gcc, ASan and UBSan" $?
if [ -f $asan/build.ninja ]; then
  export ASAN_OPTIONS=detect_leaks=1:abort_on_error=1:handle_sigill=1
  export LSAN_OPTIONS=suppressions=$PWD/tests/lsan.supp:print_suppressions=0
  # Limits of time are those of a machine of its own; one that others use takes longer. No more tests at once than there are
  # CPUs: some compare times, and what is beside them makes a slice of a frame, or another verdict.
  meson test -C $asan --no-rebuild --num-processes "$(nproc)" --timeout-multiplier 4 --print-errorlogs --suite unit --suite e2e --suite lint --suite fuzz 2>&1 |
    show_tests
  results=$(python3 scripts/count_tests.py $asan/meson-logs/testlog.json)
  read -r -a counts <<<"${results##*$'\n'}"
  passed=$((passed + counts[0]))
  failed=$((failed + counts[1]))
  names+=("${counts[@]:3}")
  [ "${counts[2]}" = 0 ] || echo "skipped (cannot run here): ${counts[2]}"
fi

# 2. clang, every warning an error; nothing of it runs, and its warnings need no optimization.
CC=clang scripts/build.sh build-clang -Dwerror=true -Doptimization=0 -Ddebug=false
note "build with clang" $?

# Last, where who sees only the end of a log finds it: what failed tests said, and what failed.
case ${results:-} in *$'\n'*) printf '%s\n' "${results%$'\n'*}" ;; esac
echo
printf -v list '%s; ' "${names[@]}"
[ "$failed" = 0 ] || echo "FAILED: ${list%; }"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
