#!/usr/bin/env python3
"""Writes an empty shared object for 32-bit x86, byte by byte. Where there is no compiler for that
CPU, it takes the library's place in 32-bit programs: the loader would tell them of a wrong ELF class.
Usage: inert.py OUTPUT"""
import struct
import sys

PT_LOAD, PT_DYNAMIC, PT_GNU_STACK = 1, 2, 0x6474e551
DT_NULL, DT_HASH, DT_STRTAB, DT_SYMTAB, DT_STRSZ, DT_SYMENT = 0, 4, 5, 6, 10, 11
HEADER, PROGRAM, SEGMENTS = 52, 32, 3


def library():
    at = HEADER + PROGRAM * SEGMENTS
    symbols, strings = at, at + 16          # one symbol of nothing, one empty string
    table = strings + 4                     # one bucket, one chain
    dynamic = table + 16
    entries = [(DT_HASH, table), (DT_STRTAB, strings), (DT_SYMTAB, symbols), (DT_STRSZ, 1),
               (DT_SYMENT, 16), (DT_NULL, 0)]
    size = dynamic + 8 * len(entries)
    ident = b"\x7fELF" + bytes([1, 1, 1, 0]) + bytes(8)
    head = ident + struct.pack("<HHIIIIIHHHHHH", 3, 3, 1, 0, HEADER, 0, 0, HEADER, PROGRAM, SEGMENTS,
                               0, 0, 0)
    segments = [(PT_LOAD, 0, 0, 0, size, size, 6, 4096),
                (PT_DYNAMIC, dynamic, dynamic, dynamic, 8 * len(entries), 8 * len(entries), 6, 4),
                (PT_GNU_STACK, 0, 0, 0, 0, 0, 6, 16)]
    body = b"".join(struct.pack("<8I", *s) for s in segments)
    body += bytes(16) + bytes(4) + struct.pack("<4I", 1, 1, 0, 0)
    return head + body + b"".join(struct.pack("<2I", *e) for e in entries)


with open(sys.argv[1], "wb") as out:
    out.write(library())
