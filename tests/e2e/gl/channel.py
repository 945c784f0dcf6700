"""Reads the channel from docs/guest-channel.md, independently of the C code: hands it out at a
socket, runs a program with the library in it, and gives back its streams and records."""
import array
import contextlib
import fcntl
import mmap
import os
import shutil
import socket
import struct
import subprocess
import tempfile
import threading
import time

HEADER, LABELS, STREAM, RECORD, RING, STREAMS = 4096, 1 << 20, 4096, 576, 1024, 64
STRIDE = STREAM + RING * RECORD
BYTES = HEADER + LABELS + STREAMS * STRIDE
MAGIC, VERSION = 0x545347544e545853, 3
NAMES = ("D3DGPUTime Occlusion IAVertices IAPrimitives VSInvocations GSInvocations GSPrimitives "
         "CInvocations CPrimitives PSInvocations HSInvocations DSInvocations CSInvocations "
         "OcclusionPredicate PrimsWritten PrimsStorageNeed OverflowPred").split()
for k in range(4):
    NAMES += [f"PrimsWritten_S{k}", f"PrimsStorageNeed_S{k}", f"OverflowPred_S{k}"]
NOT_COLLECTED, VALID, DISTURBED, LATE, SPARED, IMPOSSIBLE, DISJOINT, LISTED = range(8)
FRAME, TIME, PASS, GROUP, DRAW, KERNEL, COMMANDS = range(1, 8)
RUN, PARTS = 34, 35
SIZE_KNOWN, CUT, CPU_KNOWN, GPU_KNOWN, LAST = (1 << i for i in range(5))
COMPUTED, SEVERAL = 1 << 9, 1 << 11
OPEN, CLOSED = 2, 3
F_ADD_SEALS, SEAL_ALL_SIZES = 1033, 1 | 2 | 4


class Record:
    def __init__(self, data, path):
        (self.kind, self.flags, self.frame, self.begin_ns, self.end_ns, self.cpu_begin_ns,
         self.cpu_end_ns, self.gpu_begin_ns, self.gpu_end_ns, self.cost_ns, label, self.index,
         self.width, self.height, self.groups, self.draws) = struct.unpack_from("<IIQQQQQQQQIIIIII", data, 0)
        self.dispatches, = struct.unpack_from("<I", data, 104)
        self.group = path(label)
        self.cpu_ns = self.cpu_end_ns - self.cpu_begin_ns if self.flags & CPU_KNOWN else None
        self.values = dict(zip(NAMES, struct.unpack_from("<29Q", data, 128)))
        self.states = dict(zip(NAMES, data[512:512 + 29]))
        self.size_known = bool(self.flags & SIZE_KNOWN)

    def __getitem__(self, name):
        """The value, or None when it is not valid."""
        return self.values[name] if self.states[name] == VALID else None


def calls_of(word, flags):
    """Draws and dispatches together, and of these the dispatches."""
    if not flags & COMPUTED:
        return word, 0
    return (word, word) if flags & SEVERAL else (word & (1 << 20) - 1, word >> 20)


def parts_at(data, path, whole):
    words = struct.unpack_from(f"<{4 * whole.index}I", data, 128)
    records = []
    for i in range(whole.index):
        one = Record(data, path)
        label, calls, before, length = words[4 * i:4 * i + 4]
        one.draws, one.dispatches = calls_of(calls, whole.flags)
        one.kind, one.group, one.index = struct.unpack_from("<I", data, 100)[0], path(label), whole.groups + i
        one.groups, one.values = 0, dict.fromkeys(NAMES, 0)
        one.begin_ns, one.end_ns = whole.begin_ns + before, whole.begin_ns + before + length
        one.cpu_ns = None  # nobody looks
        records.append(one)
    return records


def records_at(data, path):
    """The samples of a record: of a run, each frame of it."""
    whole = Record(data, path)
    if whole.kind == PARTS:
        return parts_at(data, path, whole)
    if whole.kind != RUN:
        return [whole]
    lengths = struct.unpack_from(f"<{2 * whole.index}I", data, 128)
    records, begin, length = [], whole.begin_ns, sum(lengths[::2])
    for i in range(whole.index):
        one = Record(data, path)
        one.kind, one.frame, one.index = FRAME, whole.frame + i, 0
        one.draws, one.dispatches = calls_of(lengths[2 * i + 1], whole.flags)
        one.begin_ns, one.end_ns = begin, begin + lengths[2 * i]
        one.values = dict.fromkeys(NAMES, 0)
        if whole.flags & CPU_KNOWN:
            cpu = lambda at: whole.cpu_begin_ns + whole.cpu_ns * (at - whole.begin_ns) // max(length, 1)
            one.cpu_begin_ns, one.cpu_end_ns = cpu(one.begin_ns), cpu(one.end_ns)
            one.cpu_ns = one.cpu_end_ns - one.cpu_begin_ns
        records.append(one)
        begin = one.end_ns
    return records


class Stream:
    def __init__(self, process, generation):
        self.process, self.pid = process.name, process.pid
        self.generation, self.records, self.draft_places = generation, [], []
        self.memory_of, self.path_of = process.memory, process.path

    def identify(self, memory, base):
        (self.serial, _, self.start_ns, self.window_system, self.api, self.profile,
         self.context_flags, self.major, self.minor) = struct.unpack_from("<IIQBBBBBB", memory, base + 8)
        text = lambda at, size: bytes(memory[base + at:base + at + size]).split(b"\0")[0].decode()
        self.vendor, self.renderer, self.version = text(192, 128), text(320, 192), text(512, 192)
        self.bits = dict(zip(NAMES, memory[base + 704:base + 704 + 29]))
        self.why = dict(zip(NAMES, memory[base + 752:base + 752 + 29]))
        self.state = struct.unpack_from("<I", memory, base)[0]
        self.lost = struct.unpack_from("<Q", memory, base + 72)[0]

    def frames(self):
        return [r for r in self.records if r.kind == FRAME]

    def drafts(self):
        """What a program that has ended had not read the results of."""
        memory = self.memory_of
        return [record for at in self.draft_places
                for record in records_at(bytes(memory[at:at + RECORD]), self.path_of)]

    def rest(self):
        return [r for r in self.records if r.kind == TIME]


class Process:
    """One program's memory."""

    def __init__(self, pid, wish):
        self.pid, self.open, self.streams = pid, {}, []
        self.name = "?"
        with contextlib.suppress(OSError):  # it was killed meanwhile
            with open(f"/proc/{pid}/comm") as comm:
                self.name = comm.read().strip()
        self.fd = os.memfd_create("sextant-channel", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.ftruncate(self.fd, BYTES)
        fcntl.fcntl(self.fd, F_ADD_SEALS, SEAL_ALL_SIZES)
        self.memory = mmap.mmap(self.fd, BYTES)
        # Whole words at once, as the guest reads them: struct clears the bytes before it packs them.
        self.words = memoryview(self.memory).cast("Q")
        struct.pack_into("<QIIIIIIIIQI", self.memory, 0, MAGIC, VERSION, HEADER, STREAM, RECORD, STREAMS,
                         RING, LABELS, wish["kinds"], wish["counters"], wish["overhead"])

    def number(self, at):
        return struct.unpack_from("<I", self.memory, at)[0]

    def path(self, label):
        texts = []
        while label:
            parent, length = struct.unpack_from("<II", self.memory, HEADER + label)
            at = HEADER + label + 8
            texts.insert(0, bytes(self.memory[at:at + length]).decode())
            assert parent < label
            label = parent
        return "/".join(texts)

    def poll(self):
        for index in range(STREAMS):
            base = HEADER + LABELS + index * STRIDE
            state, generation = struct.unpack_from("<II", self.memory, base)
            if state not in (OPEN, CLOSED):
                continue
            stream = self.open.get(index)
            if stream is None or stream.generation != generation:
                stream = Stream(self, generation)
                self.open[index] = stream
                self.streams.append(stream)
            stream.identify(self.memory, base)
            head, tail = self.words[(base + 64) // 8], self.words[(base + 128) // 8]
            for at in range(tail, head):
                place = base + STREAM + at % RING * RECORD
                stream.records += records_at(bytes(self.memory[place:place + RECORD]), self.path)
            self.words[(base + 128) // 8] = head
            stream.draft_places = [base + STREAM + at % RING * RECORD
                                   for at in range(head, self.words[(base + 80) // 8])]
            if state == CLOSED:
                struct.pack_into("<I", self.memory, base, 0)
                del self.open[index]


class Channel:
    def __init__(self, kinds=1 << FRAME | 1 << TIME, counters=(1 << 64) - 1, overhead=0):
        self.wish = {"kinds": kinds, "counters": counters, "overhead": overhead}
        self.all = []
        self.folder = tempfile.mkdtemp(prefix="sextant-")
        self.path = os.path.join(self.folder, "channel")
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.listener.bind(self.path)
        self.listener.listen(256)
        self.server = threading.Thread(target=self.serve, daemon=True)
        self.server.start()

    def serve(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            with client:
                pid, _, _ = struct.unpack("iII", client.getsockopt(socket.SOL_SOCKET,
                                                                   socket.SO_PEERCRED, 12))
                process = Process(pid, self.wish)
                self.all.append(process)
                hello = struct.pack("<QIIQ", MAGIC, VERSION, 0, BYTES)
                rights = array.array("i", [process.fd])
                with contextlib.suppress(BrokenPipeError):  # it was killed meanwhile
                    client.sendmsg([hello], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])

    def close(self):
        try:
            self.listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.listener.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def processes(self):
        return len(self.all)

    def environment(self, library, base=None):
        env = dict(os.environ if base is None else base)
        env["SEXTANT_CHANNEL"] = self.path
        env["LD_PRELOAD"] = library + (":" + env["LD_PRELOAD"] if env.get("LD_PRELOAD") else "")
        return env

    @property
    def streams(self):
        return [stream for process in self.all for stream in process.streams]

    def poll(self):
        for process in list(self.all):
            process.poll()

    def drain(self):
        """Takes records without looking at them. Gives how many there were."""
        taken = 0
        for process in list(self.all):
            for index in range(STREAMS):
                base = HEADER + LABELS + index * STRIDE
                head, tail = process.words[(base + 64) // 8], process.words[(base + 128) // 8]
                process.words[(base + 128) // 8] = head
                taken += head - tail
        return taken


def run(library, command, env=None, timeout=60, **wish):
    """Runs a command with the library in it. Returns the finished process and the channel."""
    channel = Channel(**wish)
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
    channel.close()
    child.stdout, child.stderr = output["o"].decode(), output["e"].decode()
    return child, channel


if __name__ == "__main__":
    import sys
    done, seen = run(sys.argv[1], sys.argv[2:])
    print(done.stdout, end="")
    print(done.stderr, end="", file=sys.stderr)
    print("exit", done.returncode, "processes", [(p.name, p.pid) for p in seen.all])
    for s in seen.streams:
        print(s.process, s.pid, s.renderer, "|", s.version, "frames", len(s.frames()), "rest", len(s.rest()),
              "lost", s.lost, "why", {k: v for k, v in s.why.items() if v})
        for r in (s.records[:3] + s.records[-2:]):
            print(r.kind, r.frame, r.end_ns - r.begin_ns, r.cpu_ns, (r.width, r.height) if r.size_known else None,
                  r.group, {k: r[k] for k in NAMES if r[k] != 0})
