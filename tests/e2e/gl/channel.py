"""Reads the GL channel from docs/gl-channel.md, independently of the C code: makes one, runs a
program with the library in it, and gives back its streams and records."""
import mmap
import os
import struct
import subprocess
import threading
import time

HEADER, STREAM, RECORD, RING, STREAMS = 4096, 4096, 512, 1024, 64
STRIDE = STREAM + RING * RECORD
BYTES = HEADER + STREAMS * STRIDE
MAGIC = 0x4c4c47544e545853
NAMES = ("D3DGPUTime Occlusion IAVertices IAPrimitives VSInvocations GSInvocations GSPrimitives "
         "CInvocations CPrimitives PSInvocations HSInvocations DSInvocations CSInvocations "
         "OcclusionPredicate PrimsWritten PrimsStorageNeed OverflowPred").split()
for k in range(4):
    NAMES += [f"PrimsWritten_S{k}", f"PrimsStorageNeed_S{k}", f"OverflowPred_S{k}"]
NOT_COLLECTED, VALID, DISTURBED, LATE = range(4)
FRAME, REST = 1, 2
OPEN, CLOSED = 2, 3


class Record:
    def __init__(self, data):
        (self.kind, self.flags, self.frame, self.begin_ns, self.end_ns, self.cpu_ns, self.width,
         self.height, self.groups) = struct.unpack_from("<IIQQQQIII", data, 0)
        self.group = data[64:128].split(b"\0")[0].decode()
        self.values = dict(zip(NAMES, struct.unpack_from("<29Q", data, 128)))
        self.states = dict(zip(NAMES, data[384:384 + 29]))
        self.size_known = bool(self.flags & 1)

    def __getitem__(self, name):
        """The value, or None when it is not valid."""
        return self.values[name] if self.states[name] == VALID else None


class Stream:
    def __init__(self, index, generation):
        self.index, self.generation, self.records = index, generation, []

    def identify(self, memory, base):
        (self.pid, self.serial, self.start_ns, self.window_system, self.api, self.profile,
         self.context_flags, self.major, self.minor) = struct.unpack_from("<iIQBBBBBB", memory, base + 8)
        text = lambda at, size: bytes(memory[base + at:base + at + size]).split(b"\0")[0].decode()
        self.process, self.vendor = text(192, 32), text(224, 128)
        self.renderer, self.version = text(352, 192), text(544, 192)
        self.bits = dict(zip(NAMES, memory[base + 736:base + 736 + 29]))
        self.why = dict(zip(NAMES, memory[base + 768:base + 768 + 29]))
        self.state = struct.unpack_from("<I", memory, base)[0]
        self.lost = struct.unpack_from("<Q", memory, base + 72)[0]

    def frames(self):
        return [r for r in self.records if r.kind == FRAME]

    def rest(self):
        return [r for r in self.records if r.kind == REST]


class Channel:
    def __init__(self):
        self.fd = os.memfd_create("sextant-gl", os.MFD_CLOEXEC)
        os.ftruncate(self.fd, BYTES)
        self.memory = mmap.mmap(self.fd, BYTES)
        struct.pack_into("<QIIIIII", self.memory, 0, MAGIC, 1, HEADER, STREAM, RECORD, STREAMS, RING)
        self.streams, self.open = [], {}

    def processes(self):
        return struct.unpack_from("<I", self.memory, 32)[0]

    def environment(self, library, base=None):
        env = dict(os.environ if base is None else base)
        env["SEXTANT_GL_CHANNEL"] = f"/proc/{os.getpid()}/fd/{self.fd}"
        env["LD_PRELOAD"] = library + (":" + env["LD_PRELOAD"] if env.get("LD_PRELOAD") else "")
        return env

    def poll(self):
        for index in range(STREAMS):
            base = HEADER + index * STRIDE
            state, generation = struct.unpack_from("<II", self.memory, base)
            if state not in (OPEN, CLOSED):
                continue
            stream = self.open.get(index)
            if stream is None or stream.generation != generation:
                stream = Stream(index, generation)
                self.open[index] = stream
                self.streams.append(stream)
            stream.identify(self.memory, base)
            head, = struct.unpack_from("<Q", self.memory, base + 64)
            tail, = struct.unpack_from("<Q", self.memory, base + 128)
            for at in range(tail, head):
                place = base + STREAM + at % RING * RECORD
                stream.records.append(Record(bytes(self.memory[place:place + RECORD])))
            struct.pack_into("<Q", self.memory, base + 128, head)
            if state == CLOSED:
                struct.pack_into("<I", self.memory, base, 0)
                del self.open[index]


    def drain(self):
        """Takes records without looking at them. Gives how many there were."""
        taken = 0
        for index in range(STREAMS):
            base = HEADER + index * STRIDE
            head, = struct.unpack_from("<Q", self.memory, base + 64)
            tail, = struct.unpack_from("<Q", self.memory, base + 128)
            struct.pack_into("<Q", self.memory, base + 128, head)
            taken += head - tail
        return taken


def run(library, command, env=None, timeout=60):
    """Runs a command with the library in it. Returns the finished process and the channel."""
    channel = Channel()
    child = subprocess.Popen(command, env=channel.environment(library, env), stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
    output = {}
    reader = threading.Thread(target=lambda: output.update(zip("oe", child.communicate())))
    reader.start()
    until = time.monotonic() + timeout
    while reader.is_alive():
        channel.poll()
        time.sleep(0.01)
        if time.monotonic() > until:
            child.kill()
    reader.join()
    channel.poll()
    child.stdout, child.stderr = output["o"].decode(), output["e"].decode()
    return child, channel


if __name__ == "__main__":
    import sys
    done, seen = run(sys.argv[1], sys.argv[2:])
    print(done.stdout, end="")
    print(done.stderr, end="", file=sys.stderr)
    print("exit", done.returncode, "processes", seen.processes())
    for s in seen.streams:
        print(s.process, s.pid, s.renderer, "|", s.version, "frames", len(s.frames()), "rest", len(s.rest()),
              "lost", s.lost, "why", {k: v for k, v in s.why.items() if v})
        for r in (s.records[:3] + s.records[-2:]):
            print(r.kind, r.frame, r.end_ns - r.begin_ns, r.cpu_ns, (r.width, r.height) if r.size_known else None,
                  r.group, {k: r[k] for k in NAMES if r[k] != 0})
