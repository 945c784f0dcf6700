# Two promises: `make demo` profiles a real OpenGL program, `make check` runs everything that must hold.
# Both install the Debian packages that are missing, build, run, and end in one clear line.

.PHONY: all demo check test-verdict
all: demo

demo:
	@scripts/setup.sh demo
	@scripts/build.sh build -Dtests=false
	@build/tools/sextant demo && echo "make demo: done; profile your own: build/tools/sextant stat -- PROGRAM"

check:
	@scripts/setup.sh check
	@scripts/check.sh

# The verdict on programs whose limit is known, 20 times each (make check runs each once).
test-verdict:
	@scripts/setup.sh check
	@scripts/build.sh build
	@ninja -C build test-verdict test-verdict-vendors
