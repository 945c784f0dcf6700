#!/usr/bin/env python3
"""Checks the catalogs opengl, vulkan, opencl and cpu without the C code: names, references, numbers.

usage: check_api.py SOURCE_ROOT
"""
import ast
import math
import os
import re
import sys

try:
    import yaml
except ImportError:
    print("python3-yaml is missing", file=sys.stderr)
    sys.exit(77)

# The D3D11-style group in GPUPerfAPI's order of kinds; streams behind.
GROUP = (
    "D3DGPUTime Occlusion IAVertices IAPrimitives VSInvocations GSInvocations GSPrimitives CInvocations "
    "CPrimitives PSInvocations HSInvocations DSInvocations CSInvocations OcclusionPredicate PrimsWritten "
    "PrimsStorageNeed OverflowPred"
).split() + [f"{name}_S{k}" for k in range(4) for name in ("PrimsWritten", "PrimsStorageNeed", "OverflowPred")]
PROGRAM = "Frames DrawCalls Dispatches FrameTime CPUTime ThreadTime ThreadWait RasterThreadTime RasterThreadWait RasterCPUTime AnyThreadTime FramebufferWidth FramebufferHeight".split()


class Formula:
    """One infix expression, evaluated the way docs/catalog-format.md says; None is no data."""

    def __init__(self, text):
        text = re.sub(r"\bif\(", "if_(", text.replace("$", ""))
        text = re.sub(r"\b([A-Za-z_]\w*)\[(\d+)\]", r"\1__\2", text)
        self.tree = ast.parse(text, mode="eval").body

    def names(self):
        calls = {id(n.func) for n in ast.walk(self.tree) if isinstance(n, ast.Call)}
        return {re.sub(r"__(\d+)$", r"[\1]", n.id) for n in ast.walk(self.tree)
                if isinstance(n, ast.Name) and id(n) not in calls}

    def value(self, look):
        return self._value(self.tree, look)

    def _value(self, node, look):
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            return look(re.sub(r"__(\d+)$", r"[\1]", node.id))
        if isinstance(node, ast.Call) and node.func.id == "if_":
            condition = self._value(node.args[0], look)
            if condition is None:
                return None
            return self._value(node.args[1 if condition else 2], look)
        return self._operate(node, look)

    def _operate(self, node, look):
        if isinstance(node, ast.BinOp):
            args = [node.left, node.right]
        elif isinstance(node, ast.Compare):
            args = [node.left, node.comparators[0]]
        elif isinstance(node, ast.BoolOp):
            args = node.values
        else:
            args = node.args
        values = [self._value(arg, look) for arg in args]
        if any(v is None for v in values):
            return None
        if isinstance(node, ast.BinOp):
            return self._arithmetic(node.op, *values)
        if isinstance(node, ast.Compare):
            a, b = values
            return int({ast.Lt: a < b, ast.LtE: a <= b, ast.Gt: a > b, ast.GtE: a >= b,
                        ast.Eq: a == b, ast.NotEq: a != b}[type(node.ops[0])])
        if isinstance(node, ast.BoolOp):
            return int(all(values) if isinstance(node.op, ast.And) else any(values))
        return {"max": max, "min": min}[node.func.id](values)

    @staticmethod
    def _arithmetic(op, a, b):
        if isinstance(op, ast.Div):
            return a / b if b else None
        return {ast.Add: a.__add__, ast.Sub: a.__sub__, ast.Mult: a.__mul__}[type(op)](b) \
            if type(a) is type(b) else Formula._arithmetic(op, float(a), float(b))


class Catalog:
    def __init__(self, root, path):
        with open(os.path.join(root, "catalogs", path), encoding="utf-8") as f:
            self.data = yaml.load(f, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        self.name = self.data["name"]
        self.counters = {c["name"]: c for c in self.data["counters"]}
        self.metrics = {m["name"]: m for m in self.data["metrics"]}
        self.constants = {c["name"]: c.get("default") for c in self.data.get("constants", [])}

    def evaluate(self, name, values):
        def look(wanted):
            if wanted in self.metrics:
                return self.evaluate(wanted, values)
            return values.get(wanted, self.constants.get(wanted))
        formula = Formula(self.metrics[name]["expr"] if name in self.metrics else name)
        return formula.value(look)

    def check(self, say):
        """Every name that a formula or rule uses exists; sections and blocks as well."""
        each = {name for name, c in self.counters.items() if c["reduce"] == "each"}
        known = (set(self.counters) - each) | set(self.metrics) | set(self.constants) | {"duration_ns", "seconds"}
        sections = {s["id"] for s in self.data["sections"]}
        blocks = {b["name"] for b in self.data["blocks"]}
        formulas = {m["name"]: m["expr"] for m in self.metrics.values()}
        formulas.update({a["rule"]: a["when"] for a in self.data["advice"]})
        for where, text in formulas.items():
            for name in Formula(text).names():
                if name not in known and name.split("[")[0] not in each:
                    say(f"{self.name}: {where}: unknown name {name}")
        for metric in self.metrics.values():
            slug = re.sub("[^a-z0-9]+", "_", metric["title"].lower()).strip("_")
            if slug != metric["name"]:
                say(f"{self.name}: {metric['name']}: the title makes {slug}")
            if metric["section"] not in sections:
                say(f"{self.name}: {metric['name']}: unknown section")
        for counter in self.counters.values():
            if counter["block"] not in blocks:
                say(f"{self.name}: {counter['name']}: unknown block")
        for rule in self.data["advice"]:
            if rule["metric"] not in self.metrics or not set(rule["sections"]) <= sections:
                say(f"{self.name}: {rule['rule']}: unknown metric or section")

    def fired(self, values):
        """Rules whose condition holds in one sample."""
        return {a["rule"] for a in self.data["advice"] if self.evaluate(a["when"], values)}


# A frame of glmark2's kind: 20 ms, 800x600, 19 ms of GPU time, CPU time of four threads.
FRAME = dict(D3DGPUTime=19000000, Occlusion=960000, IAVertices=60000, IAPrimitives=20000, VSInvocations=60000,
             CInvocations=20000, CPrimitives=15000, PSInvocations=1200000, HSInvocations=0, DSInvocations=0,
             GSInvocations=0, GSPrimitives=0, CSInvocations=96, Frames=1, FrameTime=20000000, CPUTime=64000000,
             FramebufferWidth=800, FramebufferHeight=600)
FRAME_WANT = dict(frames_per_second=50.0, frame_time=20.0, gpu_time=19.0, cpu_time=64.0, gpu_time_share=95.0,
                  cpu_time_share=320.0, vertices_per_primitive=3.0,
                  vertex_reuse=0.0, vertex_runs_per_primitive=3.0, primitives_clipped_away=25.0,
                  clipping_output_ratio=0.75, tessellation_runs_per_patch=None, geometry_amplification=None,
                  fragments_per_pixel=2.5, overdraw=2.0, fragments_per_primitive=80.0,
                  samples_passed_per_fragment=0.8, vertex_runs_per_fragment=0.05, fragment_rate=1.2e6 / 19e-3,
                  compute_threads_per_frame=96.0, feedback_loss=None)
# Two clipped triangles as llvmpipe counts them, in a run that never swaps.
STILL = dict(FRAME, CInvocations=2, CPrimitives=6, Frames=0, D3DGPUTime=2000000, CPUTime=1000000, duration_ns=20000000)
STILL_WANT = dict(primitives_clipped_away=0.0, clipping_output_ratio=3.0, frames_per_second=0.0,
                  fragments_per_pixel=2.5, compute_threads_per_frame=None)
# Three frames together: 10, 10 and 40 ms are 50 frames a second, not the 75 of a mean.
TOTAL = dict(FRAME, Frames=3, FrameTime=60000000, PSInvocations=3600000, OverflowPred=1, PrimsStorageNeed=20,
             PrimsWritten=15)
TOTAL_WANT = dict(frames_per_second=50.0, fragments_per_pixel=2.5, feedback_loss=25.0)

KERNELS = dict(Queued=1000, Submitted=3000, Started=8000, Ended=28000, KernelLaunches=4, WorkItems=4096,
               WorkGroups=64, KernelTime=80000, KernelSubmitDelay=8000, KernelQueueDelay=400000, Reads=1, Writes=1,
               Copies=0, ReadBytes=3000, WriteBytes=1000, CopyBytes=0, ReadTime=10000, WriteTime=10000, CopyTime=0,
               BusyTime=90000, SpanTime=120000, HostTime=100000, CPUTime=95000)
KERNELS_WANT = dict(device_use=90.0, gaps=25.0, overlap=100 / 90, queue_delay_per_kernel=100.0,
                    duration_of_the_last_command=20.0, total_delay_of_the_last_command=7.0, time_per_kernel=20.0,
                    work_group_size=64.0, read_back_rate=300.0, copy_rate=None, transfer_share=20.0,
                    bytes_per_transfer=2000.0, cpu_time_share=95.0, launch_rate=40000.0)

CPU = dict(UserTime=600, NiceTime=0, SystemTime=200, IdleTime=1000, IOWaitTime=100, IrqTime=50, SoftIrqTime=50,
           StealTime=0, TaskClock=950000000, duration_ns=1000000000, seconds=1.0, Cycles=1900000000,
           Instructions=950000000, CacheReferences=50000000, CacheMisses=12500000, Branches=100, BranchMisses=1,
           ContextSwitches=300, **{"ClusterBusyTime[1]": 500000000, "ClusterTime[1]": 2000000000,
                                   "ClusterCycles[1]": 750000000})
CPU_WANT = dict(cpu_busy=45.0, user_share=30.0, system_share=15.0, storage_wait_share=5.0, cpus_used=0.95,
                effective_frequency=2e9, instructions_per_cycle=0.5, cache_miss_rate=25.0,
                context_switch_rate=300.0, cluster_1_activity=25.0, cluster_1_effective_frequency=1.5e9,
                cluster_0_activity=None, page_fault_rate=None)


def check_values(catalog, values, want, say):
    for name, expected in want.items():
        got = catalog.evaluate(name, values)
        same = got == expected if None in (got, expected) else math.isclose(got, expected, rel_tol=1e-12)
        if not same:
            say(f"{catalog.name}: {name} is {got}, not {expected}")


def check_rules(catalog, values, want, say):
    got = catalog.fired(values)
    if got != want:
        say(f"{catalog.name}: rules {sorted(got)} fire, not {sorted(want)}")


def main():
    root = sys.argv[1]
    findings = []
    say = findings.append
    gl, vk, cl, cpu = (Catalog(root, path) for path in
                       ("api/opengl.yaml", "api/vulkan.yaml", "api/opencl.yaml", "cpu/cpu.yaml"))
    for catalog in (gl, vk, cl, cpu):
        catalog.check(say)
    if list(gl.counters) != GROUP + PROGRAM:
        say(f"opengl: counters are {list(gl.counters)}")
    for name in GROUP + [n for n in PROGRAM if n not in ("DrawCalls", "Dispatches")]:  # Vulkan counts what command buffers hold
        if vk.counters.get(name, {}).get("unit") != gl.counters[name]["unit"]:
            say(f"vulkan: {name} differs from opengl")
    for catalog in (gl, vk):
        check_values(catalog, FRAME, FRAME_WANT, say)
        check_values(catalog, STILL, STILL_WANT, say)
        check_values(catalog, TOTAL, TOTAL_WANT, say)
        check_values(catalog, {}, {name: None for name in catalog.metrics}, say)
        check_values(catalog, dict.fromkeys(catalog.counters, 0),
                     {"frames_per_second": None, "frame_time": 0.0, "overdraw": None, "feedback_loss": 0}, say)
        last = "frame.no-swap" if catalog is gl else "frame.no-present"
        check_rules(catalog, FRAME, {"frame.long", "geometry.no-reuse"}, say)
        check_rules(catalog, STILL, {"frame.long", "geometry.no-reuse", last}, say)
    check_values(cl, KERNELS, KERNELS_WANT, say)
    check_rules(cl, KERNELS, {"kernels.delay", "device.gaps"}, say)
    check_values(cpu, CPU, CPU_WANT, say)
    check_rules(cpu, CPU, {"cpu.one-thread", "cpu.memory"}, say)
    for finding in findings:
        print(finding)
    print(f"4 catalogs, {sum(len(c.metrics) for c in (gl, vk, cl, cpu))} metrics, {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
