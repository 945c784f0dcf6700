"""A program that writes nonsense into its channel, by what docs/guest-channel.md says of it. Usage: scribbler.py VARIABLE CASE"""
import array
import mmap
import os
import socket
import struct
import sys
import time

STREAM, RECORD = 4096 + (1 << 20), 576
MOST, MS = (1 << 64) - 1, 10**6
FRAME, DRAW, KERNEL, RUN, PARTS = 1, 5, 6, 34, 35
SPARED, SEVERAL = 4, 1 << 11
SIZE_KNOWN, CPU_KNOWN = 1, 4
SAMPLES = 10


class Channel:
    def __init__(self, variable):
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as client:
            client.connect(os.environ[variable])
            data, rights, _, _ = client.recvmsg(64, socket.CMSG_SPACE(4))
        self.memory = mmap.mmap(array.array('i', rights[0][2])[0], struct.unpack('<QIIQ', data)[3])
        self.ring, self.head = struct.unpack_from('<I', self.memory, 28)[0], 0
        api = {'SEXTANT_CHANNEL': 1, 'SEXTANT_CHANNEL_VULKAN': 3, 'SEXTANT_CHANNEL_OPENCL': 4}[variable]
        self.kind = KERNEL if api == 4 else FRAME
        self.put('<I', 64, 1)  # one context
        self.put('<IIIIQBBBBBB', STREAM, 1, 1, 1, 0, now(), 0, api, 0, 0, 1, 3)
        self.memory[STREAM + 320:STREAM + 329] = b'scribbler'
        self.put('<I', STREAM, 2)

    def put(self, form, at, *values):
        struct.pack_into(form, self.memory, at, *values)

    def write(self, begin, end, value=1, state=1, flags=0, cpu=(0, 0), kind=None, size=1, frame=0, index=0, of=0, draws=0):
        at = STREAM + 4096 + self.head % self.ring * RECORD
        self.memory[at:at + RECORD] = bytes(RECORD)
        self.put('<IIQQQQQQQQIIII', at, self.kind if kind is None else kind, flags, frame, begin, end, *cpu, 0, 0, 0, 0, index, size, size)
        self.put('<III', at + 92, draws, 0, of)
        self.put('<48Q', at + 128, *(value if isinstance(value, list) else [value] * 48))
        self.memory[at + 512:at + 560] = bytes([state] * 48)
        self.head += 1
        self.put('<Q', STREAM + 64, self.head)


def parts(channel, begin, length, calls, count=24):
    """A record of several draws."""
    channel.write(begin, begin + length, [calls << 32, length << 32] * 24, SPARED, SEVERAL, kind=PARTS, index=count, of=DRAW)


def now():
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC)


def cpu_clock(channel, begin):
    """Each sample by itself might be, all of them together not."""
    seconds = channel.head * 10**9
    channel.write(begin, begin + MS, flags=CPU_KNOWN, cpu=(seconds, seconds + 10**9))


CASES = {
    'fine': lambda c, t: c.write(t, t + MS),
    'negative': lambda c, t: c.write(t, t - 5),
    'years': lambda c, t: c.write(t, MOST),
    'future': lambda c, t: c.write(t + 10**15, t + 2 * 10**15),
    'since the epoch': lambda c, t: c.write(0, t + MS),
    'largest': lambda c, t: c.write(t, t + MS, MOST, flags=SIZE_KNOWN | CPU_KNOWN, cpu=(0, MOST), size=(1 << 32) - 1, frame=MOST),
    'half': lambda c, t: c.write(t, t + MS, 1 << 63),
    'states': lambda c, t: c.write(t, t + MS, MOST, state=200),
    'kinds': lambda c, t: [c.write(t, t + MS, MOST, kind=kind) for kind in (0, 10, 31, 32, 33, MOST >> 32)],
    'other': lambda c, t: c.write(t, t + MS, MOST, kind=FRAME + KERNEL - c.kind),
    'mixed': lambda c, t: [c.write(t, t + MS), c.write(t, MOST), c.write(t + MS, t)],
    'boot': lambda c, t: c.write(5, 1000),
    'hours': lambda c, t: c.write(t, t + MS, flags=CPU_KNOWN, cpu=(0, 3600 * 10**9)),
    'more and more': cpu_clock,
    'draws': lambda c, t: c.write(t, t + MS, draws=(1 << 32) - 1),
    'no frames': lambda c, t: c.write(t, t + MS, kind=RUN),
    'no parts': lambda c, t: parts(c, t, MS, 1, count=0),
    'frames without end': lambda c, t: c.write(t, t + MS, MOST, kind=RUN, index=48, flags=CPU_KNOWN, cpu=(0, MOST)),
    'head': lambda c, t: c.put('<Q', STREAM + 64, MOST - c.ring),
}

# What not every API has.
OTHER_CASES = {
    'years of a CPU': lambda c, t: c.write(t, t + 1000, 1000 | 1 << 32, SPARED, CPU_KNOWN, (0, MOST), RUN, index=48),
    'a draw each nanosecond': lambda c, t: parts(c, t, 800 * MS, 800 * MS),
}

if __name__ == '__main__':
    channel = Channel(sys.argv[1])
    time.sleep(0.01)
    for _ in range(SAMPLES):
        {**CASES, **OTHER_CASES}[sys.argv[2]](channel, now() - MS)
        time.sleep(0.002)
    channel.put('<I', STREAM, 3)
