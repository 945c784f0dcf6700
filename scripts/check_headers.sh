#!/usr/bin/env bash
# check_headers.sh ROOT: each public header compiles alone, as pedantic C99 and as C++.
set -u
root=$1
bad=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
for header in "$root"/include/sextant/*.h "$root"/include/gpa/*.h; do
  [ -e "$header" ] || continue
  name=${header#"$root"/include/}
  printf '#include <%s>\nint sextant_header_test(void);\nint sextant_header_test(void) { return 0; }\n' "$name" >"$dir/t.c"
  cp "$dir/t.c" "$dir/t.cc"
  gcc -std=c99 -pedantic -Wall -Wextra -Werror -I"$root/include" -I"$root/include/gpa" -c "$dir/t.c" -o "$dir/t.o" || bad=1
  g++ -std=c++11 -pedantic -Wall -Wextra -Werror -I"$root/include" -I"$root/include/gpa" -c "$dir/t.cc" -o "$dir/t.o" || bad=1
done
exit $bad
