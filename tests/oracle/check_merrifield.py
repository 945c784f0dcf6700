#!/usr/bin/env python3
"""Merrifield's bandwidths from a simulated machine's memory controllers, worked out a second time.

Formulas stand here as the article on the SoC's uncore events has them; nothing is read from the
catalog. usage: check_merrifield.py MERRIFIELD_LIVE
"""
import json
import random
import subprocess
import sys

BURST = 64  # bytes of one CAS of a server's channel, and of one request of a client's controller


def expected(counts):
    """Counts of one second to MB/s."""
    read0, write0, read1, write1, cpu, gpu, devices = counts
    # The kernel's bursts as requests of 32 bytes, which is what Merrifield counts.
    requests = [n * BURST // 32 for n in (read0, write0, read1, write1)]
    rates = [n * 32 / 1e6 for n in requests]
    estimate = {n: c * 64 / 1e6 for n, c in (("Mod0", cpu), ("GFX", gpu), ("LowSpeedPF", devices))}
    ddr = {"Chan0_Read_MBps": rates[0], "Chan0_Write_MBps": rates[1], "Chan1_Read_MBps": rates[2],
           "Chan1_Write_MBps": rates[3], "Total_Read_MBps": rates[0] + rates[2],
           "Total_Write_MBps": rates[1] + rates[3], "Chan0_MBps": rates[0] + rates[1],
           "Chan1_MBps": rates[2] + rates[3], "Total_MBps": sum(rates)}
    out = {f"UNC_SOC_Memory_DDR_BW.{name}": value for name, value in ddr.items()}
    out |= {f"UNC_SOC_All_Reqs.{name}_Est_MBps": value for name, value in estimate.items()}
    # What no event equals has no value, and neither has a sum with it.
    for name in ("Disp", "Imaging", "DDR"):
        out[f"UNC_SOC_All_Reqs.{name}_Est_MBps"] = None
    return out


def bare(values):
    return {name.rpartition(".")[2]: value for name, value in values.items()}


def main():
    rng = random.Random(15)
    compared = 0
    for _ in range(20):
        # Whole numbers a tenth of a second: the fake machine counts no halves.
        counts = [10 * rng.randrange(0, 40_000_000) for _ in range(7)]
        done = subprocess.run([sys.argv[1], *map(str, counts)], text=True, capture_output=True,
                              timeout=60, check=True)
        have, want = bare(json.loads(done.stdout)), bare(expected(counts))
        for name, value in want.items():
            same = have[name] is None if value is None else \
                have[name] is not None and abs(have[name] - value) <= 1e-6 * max(value, 1)
            assert same, f"{counts}: {name} is {have[name]}, not {value}"
            compared += 1
    print(f"{compared} values equal")


main()
