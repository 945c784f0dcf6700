#!/usr/bin/env python3
"""The library stays small with all its catalogs: what is loaded of it, as strip would leave it. Usage: check_weight.py LIBRARY MIB"""
import struct
import sys

ALLOCATED, NOBITS = 2, 8


def loaded_bytes(path):
    """Bytes of all sections that a running program needs, of a 64-bit ELF file."""
    with open(path, 'rb') as file:
        data = file.read()
    if data[:5] != b'\x7fELF\x02':
        raise ValueError(f'{path}: no 64-bit ELF file')
    order = '<' if data[5] == 1 else '>'
    table, = struct.unpack_from(order + 'Q', data, 40)
    each, count = struct.unpack_from(order + 'HH', data, 58)
    total = 0
    for i in range(count):
        _, kind, flags, _, _, size = struct.unpack_from(order + 'IIQQQQ', data, table + i * each)
        total += size if flags & ALLOCATED and kind != NOBITS else 0
    return total


def main():
    path, limit = sys.argv[1], float(sys.argv[2])
    mib = loaded_bytes(path) / (1 << 20)
    print(f'{path}: {mib:.2f} MiB, limit {limit}')
    return 0 if 0.1 < mib < limit else 1


if __name__ == '__main__':
    sys.exit(main())
