# Two promises: `make demo` profiles a real OpenGL program, `make check` runs everything that must hold.
# Both install the Debian packages that are missing, build, run, and end in one clear line.

.PHONY: all demo check
all: demo

demo:
	@scripts/setup.sh demo
	@scripts/build.sh build -Dtests=false
	@build/tools/sextant demo && echo "make demo: done; profile your own: build/tools/sextant stat -- PROGRAM"

check:
	@scripts/setup.sh check
	@scripts/check.sh
