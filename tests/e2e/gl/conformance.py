"""piglit's tests about queries, debug groups, contexts, robustness, no-error contexts and transform feedback, plain
and under `sextant stat`: the same result of each. Usage: conformance.py [--short] [PATTERN]; without piglit it is
skipped. Some tests end by chance without us, too: each side runs until both have said the same once."""
import argparse
import glob
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import xvfb

SEXTANT = os.environ.get("SEXTANT", "sextant")
ABOUT = re.compile(r"quer|occlu|debug|robust|no[-_]error|transform.?feedback|xfb|time-elapsed|timestamp|pipeline.stat|"
                   r"create-context|make-?current|flush|sync")
SHORT = re.compile(r"^(occlusion_query|arb_pipeline_statistics_query-(vert|frag)|arb_occlusion_query2-api|"
                   r"arb_timer_query.*|khr_debug-push-pop-group_(gl|gles2)|query-rgba-signed-components)")
TRIES = 5


def programs(pattern, short):
    found = []
    for folder in glob.glob("/usr/lib/*/piglit/bin") + ["/usr/lib/piglit/bin"]:
        for name in sorted(os.listdir(folder) if os.path.isdir(folder) else []):
            wanted = pattern.search(name) if pattern else (SHORT if short else ABOUT).search(name)
            if wanted and os.access(os.path.join(folder, name), os.X_OK):
                found.append(os.path.join(folder, name))
    return found


def result(command, env):
    """What piglit says of a test: pass, skip, fail, warn, and of its parts; or how the program ended."""
    try:
        done = subprocess.run(command, env=env, capture_output=True, text=True, errors="replace", timeout=60,
                              stdin=subprocess.DEVNULL, check=False)
    except subprocess.TimeoutExpired:
        return "hangs"
    said = [json.loads(line[len("PIGLIT: "):]) for line in done.stdout.splitlines()
            if line.startswith("PIGLIT: {") and line.endswith("}")]
    said = [entry for entry in said if "result" in entry or "subtest" in entry]
    return json.dumps(said) if said else f"status {done.returncode}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--short", action="store_true")
    parser.add_argument("pattern", nargs="?")
    options = parser.parse_args()
    found = programs(re.compile(options.pattern) if options.pattern else None, options.short)
    counts, bad = {}, []
    with xvfb.Display() as display:
        if not found or not display.name:
            print("skipped: no piglit or no Xvfb here")
            return 77
        env = dict(display.environment(), PIGLIT_NO_WINDOW="1", LIBGL_ALWAYS_SOFTWARE="1")
        for program in found:
            command = [program, "-auto", "-fbo"]
            stat = [SEXTANT, "stat", "-d", "gl", "--overhead", "0", "-o", os.devnull, "--", *command]
            plain, measured = {result(command, env)}, set()
            if plain == {"status 0"}:  # it wants arguments, and tested nothing
                kind = "untested"
            else:
                kind = next((k for k in ("pass", "skip") if f'"{k}"' in str(plain)), "other")
            for _ in range(TRIES if kind != "untested" else 0):
                measured.add(result(stat, env))
                if plain & measured:
                    break
                plain.add(result(command, env))
            else:
                if kind != "untested":
                    bad.append(f"{os.path.basename(program)}: {plain} plain, {measured} measured")
                    print(bad[-1], flush=True)
            counts[kind] = counts.get(kind, 0) + 1
    print(f"{len(found) - len(bad)} tests are the same ({', '.join(f'{n} {kind}' for kind, n in sorted(counts.items()))}), "
          f"{len(bad)} are not")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
