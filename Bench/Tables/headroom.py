"""Tables of what binds our kernels: what ideas buy, what is left, and what more threads would bring."""
import math

from Tables.results import figures, origin, table


def day(name):
    return (origin(figures(name), "date")[:10],)


def ablation(found=None):
    """Time without an idea over the time with it."""
    found = found or figures("ablation")
    rows = [[idea["without"], *(f"{ratio:.2f}" for ratio in idea["ratios"])] for idea in found["ideas"]]
    return table(["without", *map(workload, found["workloads"])], rows)


def workload(text):
    """KERNEL FORMAT SIZE SIGMA THREADS as a title."""
    kernel, form, size, sigma, threads = text.split()
    more = f", {threads} threads" if threads != "1" else ""
    return f"`{kernel}` {form} {size.replace('x', '×')} σ {sigma}{more}"


def headroom(found=None):
    """The ratio of two programs' times, and cycles for each component beside the floor."""
    found = found or figures("headroom")
    rows = []
    goals = any("goal" in case for case in found["cases"])
    for case in found["cases"]:
        name = "{kernel} {format} {size} sigma {sigma} {edge}".format(**case)
        if "ratio" not in case:
            # An old base does not know what is new.
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
    """What a model predicts of each loop, as Bench/neon prints it."""
    return figures("neon")["table"]


def spills():
    """Which loops keep vectors on the stack on 64-bit ARM, likewise."""
    return figures("neon")["spills"]


def changes():
    """What single changes brought."""
    return figures("changes")["table"]


def clock():
    found = figures("headroom")
    return origin(found, "date")[:10], f"{found['gigahertz']:.2f}"


def profile(found=None):
    """Where the time goes, in percent."""
    found = found or figures("profile")
    rows = [[case, *("" if share is None else share for share in shares)]
            for case, shares in found["percent"].items()]
    return table(["case", *found["parts"]], rows)


# The map of METHODOLOGY: its W and its wake in ms, and the share of work that pieces repeat by threads.
ALONE, WAKE, OVERLAP = 1.8, 0.027, {8: 0.12, 16: 0.21, 64: 0.83}


def threads():
    """T(N) = W/N · (1 + overlap) + W/8N + wakes(N), as the page says."""
    rows = []
    for count, overlap in OVERLAP.items():
        share = ALONE / count
        awake = share * (1 + overlap) + share / 8
        # Down the tree each caller wakes two, one after the other.
        tree, one_by_one = (awake + wakes * WAKE for wakes in (2 * math.log2(count), count - 1))
        times = [f"{time:.2f} ms" for time in (share, awake, tree, one_by_one)]
        rows.append([count, times[0], f"{100 * overlap:.0f} %", *times[1:]])
    return table(["threads", "W/N", "overlap", "awake", "asleep, a tree", "asleep, woken one by one"], rows)
