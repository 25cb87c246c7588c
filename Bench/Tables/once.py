"""The table of single calls: those of our kernel against those of OpenCV, Pillow and SciPy."""
import math

from Tables.blurs import OURS, factor
from Tables.results import described, made, medians, newest, table

PACES = {"once": "repeated calls", "once-cold": "first calls, with cold caches"}


def single_calls():
    """Returns a table with the number of cells in which our kernel is faster than each peer, and the cells in
    which a peer comes closest to our kernel or wins. Below it, a sentence says where and when the records
    were made."""
    file = newest("once.csv")
    rows = []
    for pace, title in PACES.items():
        cells = ratios(file, pace)
        ahead, count = won(cells)
        rows.append([title, f"{ahead} of {count}", ", ".join(map(shown, cells[:3]))])
    day, revision = made(file)
    cpu, cores = described(file, "cpu"), described(file, "cores")
    return [
        *table(["", "cells in which `pyramid` wins", "closest peers"], rows), "",
        f"Measured on {cores} CPUs ({cpu}), on {day} with kernels revision {revision}, by the command in",
        f"[{file.stem}.txt](../{file.with_suffix('.txt').relative_to(file.parents[2])}).",
    ]


def won(cells):
    """Returns the number of cells in which our kernel is the fastest, and the number of all cells."""
    return sum(ratio > 1 for ratio, *_ in cells), len(cells)


def in_words():
    """Returns these two numbers for repeated and for first calls, and when the records were made."""
    file = newest("once.csv")
    return *(number for pace in PACES for number in won(ratios(file, pace))), *made(file)


def ratios(file, pace):
    """Returns, for each cell, the time of the fastest peer divided by our time, the name of this peer, and
    the format, size and sigma. The smallest ratio comes first. It is infinite if each peer was too slow to
    be measured."""
    cells = {}
    for case, time, _ in medians(file):
        if case.get("pace") == pace and case["kernel"] != "memcpy":
            cells.setdefault((case["format"], case["size"], case["sigma"]), {})[case["kernel"]] = time
    found = []
    for cell, times in cells.items():
        ours = times.pop(OURS)
        time, name = min(((time, name) for name, time in times.items()), default=(math.inf, ""))
        found.append((time / ours, name, *cell))
    return sorted(found)


def shown(cell):
    ratio, name, form, size, sigma = cell
    text = f"{factor(ratio)} {name.split('-')[0]} ({form} {size.replace('x', '×')}, sigma {sigma})"
    return f"**{text}**" if ratio < 1 else text
