"""Tables of what limits our kernels: what each optimisation gains, how far the times are from their floor,
and what more threads would gain."""
import math

from Tables.results import figures, made_by_commit, table


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


def headroom(found=None):
    """Returns a table with the ratio of two programs' times, and the cycles per component next to the
    floor."""
    found = found or figures("headroom")
    rows = []
    goals = any("goal" in case for case in found["cases"])
    for case in found["cases"]:
        name = "{kernel} {format} {size} sigma {sigma} {edge}".format(**case)
        if "ratio" not in case:
            # An old base program does not understand the name of a new kernel or edge mode.
            is_new = case["problem"].endswith("is not understood")
            rows.append([name, "not in the base" if is_new else case["problem"], *[""] * (5 if goals else 4)])
            continue
        floor = [f"{case['floor']:.2f}", f"{case['head_over_floor']:.1f}"] if "floor" in case else ["", ""]
        ratio = "{ratio:.2f} [{low:.2f}, {high:.2f}]".format(**case)
        goal = [f"{case['goal']:.2f}" if "goal" in case else ""] if goals else []
        rows.append([name, ratio, *goal, f"{case['base']:.2f}", f"{case['head']:.2f}", *floor])
    titles = ["case", "time over base's", *["goal"][:goals], "base", "head", "floor", "head over floor"]
    return table(titles, rows)


def neon():
    """Returns the table of the cycles that a model predicts for each loop, as Bench/Lab/neon prints it."""
    return figures("neon")["table"]


def spills():
    """Returns the table of the loops that keep vectors on the stack on 64-bit ARM, as Bench/Lab/neon
    prints it."""
    return figures("neon")["spills"]


def clock():
    return *made_by_commit("headroom.json"), f"{figures('headroom')['gigahertz']:.2f}"


def profile(found=None):
    """Returns a table of the parts in which the time is spent, in percent."""
    found = found or figures("profile")
    rows = [[case, *("" if share is None else share for share in shares)]
            for case, shares in found["percent"].items()]
    return table(["case", *found["parts"]], rows)


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
