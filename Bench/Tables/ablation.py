"""Tables of what each optimisation gains, and of what more threads would gain."""
import math

from Tables.results import figures, table


def ablation(found=None):
    """Returns a table with the time without an optimisation, divided by the time with it."""
    found = found or figures("ablation")
    rows = [[idea["without"], *(f"{ratio:.2f}" for ratio in idea["ratios"])] for idea in found["ideas"]]
    return table(["without", *map(workload, found["workloads"])], rows)


def workload(text):
    """Returns the title of a column for a workload, which is given as KERNEL FORMAT SIZE SIGMA THREADS."""
    kernel, form, size, sigma, threads = text.split()
    more = f", {threads} threads" if threads != "1" else ""
    return f"`{kernel}` {form} {size.replace('x', '×')} σ {sigma}{more}"


# The example in docs/dev/THREADS.md: the time W on one thread in ms, the cost of a wake in ms, and for each
# number of threads the share of work that is done twice.
ALONE, WAKE, OVERLAP = 1.8, 0.027, {8: 0.12, 16: 0.21, 64: 0.83}


def threads():
    """Returns a table of T(N) = W/N · (1 + overlap) + W/8N + wakes(N), the model in docs/dev/THREADS.md."""
    rows = []
    for count, overlap in OVERLAP.items():
        share = ALONE / count
        awake = share * (1 + overlap) + share / 8
        # In the tree, each thread wakes two other threads, one after the other.
        tree, one_by_one = (awake + wakes * WAKE for wakes in (2 * math.log2(count), count - 1))
        times = [f"{time:.2f} ms" for time in (share, awake, tree, one_by_one)]
        rows.append([count, times[0], f"{100 * overlap:.0f} %", *times[1:]])
    return table(["threads", "W/N", "overlap", "awake", "asleep, a tree", "asleep, woken one by one"], rows)
