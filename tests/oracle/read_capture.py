#!/usr/bin/env python3
"""Reads captures as docs/capture-format.md describes them; written from that page alone.

As a program: read_capture.py FILE [DEVICE] writes the device's raw rows as CSV, as
`sextant export --counters` does, and an account of damage to standard error.
"""
import csv
import struct
import sys

import xxhash
import zstandard

import units

UNKNOWN = 2**64 - 1
MASK = 2**64 - 1
LABELS = ["frame", "group", "context", "instance", "reason", "process"]
TEXT_LABELS = {1, 4, 5}
NO_VALUE = 0x0F
RESERVATIONS = [(16, "lost"), (32, "wrapped"), (64, "multiplexed"), (128, "stretched")]


def digest(data):
    return xxhash.xxh64_intdigest(data, 0)


class Parts:
    """Takes fields off a payload; running over its end is an error."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, size):
        if self.at + size > len(self.data):
            raise ValueError("payload too short")
        self.at += size
        return self.data[self.at - size:self.at]

    def number(self, code):
        return struct.unpack("<" + code, self.take(struct.calcsize("<" + code)))[0]

    def string(self):
        return self.take(self.number("H")).decode("utf-8")


def read_device(payload):
    p = Parts(payload)
    device = {"catalog": p.string(), "catalog_hash": p.number("Q"), "source": p.string(),
              "name": p.string(), "driver": p.string(), "kind": p.number("B"),
              "flags": p.number("B"), "clock": p.string(), "clock_error": p.number("Q"),
              "interval": p.number("Q"), "hash": digest(payload)}
    device["constants"] = [(p.string(), p.number("d")) for _ in range(p.number("I"))]
    device["columns"] = [
        {"name": p.string(), "unit": p.string(), "type": p.number("B"), "over_time": p.number("B"),
         "bits": p.number("B"), "why": p.string()} for _ in range(p.number("I"))]
    device["properties"] = [(p.string(), p.string()) for _ in range(p.number("I"))]
    return device


def unzigzag(r):
    return (r >> 1) ^ (-(r & 1) & MASK)


def decode_vector(mode, base, residues):
    values, last, delta = [], base, 0
    for r in residues:
        if mode == 0:
            last = (base + r) & MASK
        elif mode == 1:
            last = (last + unzigzag(r)) & MASK
        elif mode == 2:
            delta = (delta + unzigzag(r)) & MASK
            last = (last + delta) & MASK
        elif mode == 3:
            last ^= r
        else:
            raise ValueError(f"mode {mode}")
        values.append(last)
    return values


def read_rows(payload, device):
    """Yields one dictionary a row: begin, end, labels, and values as (number or None, quality)."""
    rows, size, first, _, made_for, labels, how = struct.unpack("<IIQQQIB", payload[:37])
    if made_for != device["hash"]:
        raise ValueError("rows of another device")
    body = payload[40:]
    if how == 1:
        body = zstandard.ZstdDecompressor().decompress(body, max_output_size=size)
    if len(body) != size or how > 1:
        raise ValueError("body of another size")
    present = [i for i in range(6) if labels >> i & 1]
    columns = device["columns"]
    vectors = 2 + len(present) + len(columns)
    p = Parts(body)
    modes, widths, forms = p.take(vectors), p.take(vectors), p.take(len(columns))
    bases = struct.unpack(f"<{vectors}Q", p.take(8 * vectors))
    residues = [[0] * rows for _ in range(vectors)]
    for plane in range(8):
        for v in range(vectors):
            if widths[v] > plane:
                for i, byte in enumerate(p.take(rows)):
                    residues[v][i] |= byte << (8 * plane)
    quality = []
    for form in forms:
        if form > 2:
            raise ValueError(f"quality {form}")
        quality.append([0] * rows if form == 0 else list(p.take(1)) * rows if form == 1
                       else list(p.take(rows)))
    strings = []
    if labels & 0b110010:
        strings = [p.string() for _ in range(p.number("I"))]
    if p.at != len(body):
        raise ValueError("body too long")
    values = [decode_vector(modes[v], bases[v], residues[v]) for v in range(vectors)]
    end = first
    for i in range(rows):
        begin = (end + values[0][i]) & MASK
        end = (begin + values[1][i]) & MASK
        row = {"begin": begin, "end": end, "labels": {}, "values": []}
        for n, label in enumerate(present):
            value = values[2 + n][i]
            if value != UNKNOWN:
                row["labels"][LABELS[label]] = strings[value] if label in TEXT_LABELS else value
        for c, column in enumerate(columns):
            value, q = values[2 + len(present) + c][i], quality[c][i]
            if column["type"] == 1:
                value = struct.unpack("<d", struct.pack("<Q", value))[0]
            row["values"].append((None if q & NO_VALUE or value != value else value, q))
        yield row


class Capture:
    """All of a file: devices, rows of each, other records, and what is damaged."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        self.devices, self.rows, self.others, self.damage = {}, {}, [], []
        self.clean, self.cut, self.properties = False, 0, []
        self.read_header()
        self.read_records()

    def read_header(self):
        head = self.data[:16]
        sound = len(head) == 16 and head[:8] == b"\x89SXCAP\r\n" and \
            struct.unpack("<I", head[12:])[0] == digest(head[:12]) & 0xFFFFFFFF
        if not sound and not self.frame(16):
            raise ValueError("not a capture")
        if not sound:
            self.damage.append("header")
        elif struct.unpack("<H", head[8:10])[0] != 1:
            raise ValueError("another major version")

    def frame(self, at):
        head = self.data[at:at + 32]
        if len(head) < 32 or head[:4] != b"SXR\n" or \
                struct.unpack("<Q", head[16:24])[0] != digest(head[:16]):
            return None
        kind, _, device, size, sequence = struct.unpack("<BBHII", head[4:16])
        return kind, device, size, sequence, struct.unpack("<Q", head[24:32])[0]

    def read_records(self):
        at, due = 16, 0
        while at < len(self.data):
            rest = self.data[at:at + 24]
            if at + 24 == len(self.data) and rest[:8] == b"SXCEND\r\n" and \
                    struct.unpack("<Q", rest[16:])[0] == digest(rest[:16]):
                self.clean = True
                return
            frame = self.frame(at)
            if frame and at + 32 + frame[2] <= len(self.data):
                kind, device, size, sequence, check = frame
                payload = self.data[at + 32:at + 32 + size]
                if digest(payload) == check:
                    if sequence != due:
                        self.damage.append(f"{sequence - due} records missing")
                    due = sequence + 1
                    self.take(kind, device, payload)
                    at += 32 + size
                    continue
            found = self.data.find(b"SXR\n", at + 1)
            while found >= 0 and not self.frame(found):
                found = self.data.find(b"SXR\n", found + 1)
            if found < 0:
                self.cut = len(self.data) - at
                return
            self.damage.append(f"{found - at} bytes at {at}")
            at = found

    def take(self, kind, number, payload):
        if kind == 1:
            p = Parts(payload)
            self.created = p.number("Q")
            self.properties = [(p.string(), p.string()) for _ in range(p.number("I"))]
        elif kind == 2:
            self.devices.setdefault(number, read_device(payload))
            self.rows.setdefault(number, [])
        elif kind == 3:
            self.rows[number].extend(read_rows(payload, self.devices[number]))
        elif kind == 4:
            p = Parts(payload)
            self.others.append(("clock", number, [(p.string(), p.number("Q"), p.number("Q"))
                                                  for _ in range(p.number("I"))]))
        elif kind in (5, 6, 7):
            p = Parts(payload)
            self.others.append(({5: "loss", 6: "gap", 7: "note"}[kind], number,
                                (p.number("Q"), p.number("Q"), p.number("Q"), p.number("B"),
                                 p.string())))


def known(value):
    return "" if value == UNKNOWN else value


def base(column):
    return units.base(column["unit"])[0]


def table(capture, number):
    """Header and rows as `sextant export --counters` writes them, numbers not yet text."""
    device, rows = capture.devices[number], capture.rows[number]
    labels = [label for label in LABELS if any(label in row["labels"] for row in rows)]
    yield ["begin_ns", "end_ns"] + labels + ["quality"] + [c["name"] + (f" ({base(c)})" if base(c) != c["unit"] else "") for c in device["columns"]]
    for row in rows:
        seen = 0
        for value, quality in row["values"]:
            if value is not None:
                seen |= quality
        yield ([known(row["begin"]), known(row["end"])] +
               [row["labels"].get(label, "") for label in labels] +
               ["+".join(name for bit, name in RESERVATIONS if seen & bit)] +
               ["" if value is None else units.to_base(value, c["unit"])
                for c, (value, _) in zip(device["columns"], row["values"])])


def main():
    capture = Capture(sys.argv[1])
    number = int(sys.argv[2]) if len(sys.argv) > 2 else min(capture.devices)
    csv.writer(sys.stdout, lineterminator="\n").writerows(table(capture, number))
    for damage in capture.damage:
        print(f"damaged: {damage}", file=sys.stderr)
    if capture.cut or not capture.clean:
        print(f"not a clean end, {capture.cut} bytes cut", file=sys.stderr)


if __name__ == "__main__":
    main()
