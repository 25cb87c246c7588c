"""Tables of blurs: races with other libraries, errors, and what one choice for two machines costs."""
import csv
import math

from Tables.results import MACHINES, cases, date, newest, newest_of_all, parts, table

OURS = "pyramid"
OWN = {"pyramid", "pyramid-fine", "simd", "dct", "box-triple"}
SIGMAS = ["1", "2", "5", "10", "20", "50"]


EDGES = ["mirror", "reflect", "wrap", "constant"]


def workloads(threads="1", edge="clamp"):
    """Time in milliseconds and error in levels by kernel, of each format, size and sigma."""
    found = {}
    file = newest("peers.csv" if edge == "clamp" else "peers-edges.csv")
    for case, time, error in cases(file, threads, edge):
        kernels = found.setdefault((case["format"], case["size"], case["sigma"]), {})
        if case["kernel"] not in kernels or time < kernels[case["kernel"]][0]:
            kernels[case["kernel"]] = time, error
    return found


def bound(form):
    return 1 if form.endswith("8") else 0.255


def factor(value):
    return f"{value:.2g}" if value < 10 else f"{value:.0f}"


def peers():
    """Some rows of a full-HD frame, and those in which a peer wins."""
    rows, shown = all_peers(), [f"| {form} 1920×1080 " for form in ("gray8", "rgba8", "grayf32", "rgbaf32")]
    return rows[:2] + [row for row in rows[2:] if row.startswith(tuple(shown)) or "**" in row]


def all_peers():
    """Time of the fastest peer within the bound over ours."""
    found = workloads()
    rows = []
    for form, size in dict.fromkeys((form, size) for form, size, _ in found):
        cells = [cell(found.get((form, size, sigma), {}), bound(form)) for sigma in SIGMAS]
        if any(text != "–" for text in cells):
            rows.append([f"{form} {size.replace('x', '×')}", *cells])
    return table(["", "sigma 1", *SIGMAS[1:]], rows)


def edge_peers():
    """The same by edge mode, of the peers that are the fastest with clamped edges."""
    found = {edge: workloads(edge=edge) for edge in EDGES}
    rows = [[f"{form} {size.replace('x', '×')} σ {sigma}",
             *(cell(found[edge].get((form, size, sigma), {}), bound(form)) for edge in EDGES)]
            for form, size, sigma in found[EDGES[0]]]
    return table(["", *EDGES], rows)


def lost_by_edge():
    """How many of these a peer wins, of how many."""
    leads = [lead(kernels, bound(key[0])) for edge in EDGES for key, kernels in workloads(edge=edge).items()]
    raced = [ratio for ratio, name in leads if name]
    return str(sum(ratio < 1 for ratio in raced)), str(len(raced))


def cell(kernels, most):
    ratio, name = lead(kernels, most)
    if not name:
        return "–"
    text = f"{factor(ratio)} {name.split('-')[0]}"
    return f"**{text}**" if ratio < 1 else text


def lead(kernels, most):
    """Time of the fastest peer within `most` levels over ours, and its name."""
    peers = kernels.keys() - OWN - {"memcpy"}
    near = [(kernels[name][0], name) for name in peers if kernels[name][1] <= most]
    if not near or OURS not in kernels:
        return 1, ""
    time, name = min(near)
    return time / kernels[OURS][0], name


def raced(threads):
    """The time of the fastest peer within the bound over ours, and its name, by workload that has one."""
    found = {key: lead(kernels, bound(key[0])) for key, kernels in workloads(threads).items()}
    return {key: (ratio, name) for key, (ratio, name) in found.items() if name}


def lost(threads):
    """The workloads in which a peer within the bound is the fastest."""
    return {key: (ratio, name) for key, (ratio, name) in raced(threads).items() if ratio < 1}


def lost_cells():
    """How many workloads a peer wins, of how many, on one thread and on two."""
    return tuple(str(len(of(threads))) for threads in ("1", "2") for of in (lost, raced))


def over(kernel, other, formats):
    """Time of kernels with a word in their name over another's, and the workload, sorted by it."""
    return sorted(
        (kernels[name][0] / kernels[other][0], key)
        for key, kernels in workloads().items() if key[0].endswith(formats) and other in kernels
        for name in kernels if kernel in name)


def recipe():
    """Errors of OpenCV's recipe in levels, its time over ours in 8 bits and in floats, and where it wins."""
    levels = [kernels[name][1] for kernels in workloads().values() for name in kernels if "shrink" in name]
    whole, single = ([ratio for ratio, _ in over("shrink", OURS, bits)] for bits in ("8", "f32"))
    # One workload is below 1 and stands by itself.
    ratios = [*(f"{ratio:.0f}" for ratio in (whole[0], whole[-1])), f"{single[1]:.2f}", f"{single[-1]:.1f}"]
    return f"{min(levels):.0f}", f"{max(levels):.0f}", *ratios, f"{single[0]:.2f}", *recipe_wins()


def recipe_wins():
    """The only workload in which OpenCV's recipe is faster."""
    (_, (form, size, sigma)), = [(ratio, key) for ratio, key in over("shrink", OURS, "") if ratio < 1]
    return form, size.replace("x", "×"), sigma


def boxes():
    """How much faster IPP's boxes are than ours in float formats at most."""
    return (f"{1 / over('box3', 'box-triple', 'f32')[0][0]:.1f}",)


def kornia():
    """Time of Kornia over our fastest kernel, from the run of the other peers."""
    found = {}
    for case, time, _ in cases(newest("peers-others.csv")):
        found.setdefault((case["format"], case["size"], case["sigma"]), {})[case["kernel"]] = time
    ratios = [
        kernels["kornia-gaussian"] / min(kernels[name] for name in OWN & kernels.keys())
        for (_, _, sigma), kernels in found.items() if sigma == "1" and "kornia-gaussian" in kernels
    ]
    return f"{min(ratios):.1f}", f"{max(ratios):.1f}"


def race_date():
    """The day of the main race."""
    return (date(newest("peers.csv")),)


def records():
    """How many records the races have."""
    with newest("peers.csv").open() as file:
        return (f"{sum(1 for _ in csv.DictReader(file)):,}",)


def bars():
    """Times over that of a memcpy, errors and names of a full-HD picture at sigma 10, the fastest first."""
    kernels = workloads()["rgba8", "1920x1080", "10"]
    copy = kernels.pop("memcpy")[0]
    return sorted((time / copy, error, name) for name, (time, error) in kernels.items())


def picture_in_words():
    """What the picture's text says: the multiples of pyramid and of OpenCV."""
    ratios = {name: ratio for ratio, _, name in bars()}
    return factor(ratios[OURS]), factor(ratios["opencv4-gaussian"])


def picture():
    """Bars: how long each kernel takes, and how far off it is."""
    rows, height, top = bars(), 21, 58
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="800" height="{top + height * len(rows) + 14}" '
        'font-family="sans-serif" font-size="13">',
        '<rect width="100%" height="100%" fill="white"/>',
        '<text x="16" y="24" font-size="15" font-weight="bold">One blur, rgba8 1920×1080, sigma 10, '
        'one thread: time over a memcpy of the image</text>',
        '<text x="16" y="44" fill="#555">Green: within 1 level of the true Gaussian. '
        'Orange: how many levels off, on the picture that was timed.</text>',
    ]
    widest = rows[-1][0]
    for index, (ratio, error, name) in enumerate(rows):
        y = top + height * index
        width = max(2, 480 * ratio / widest)
        tone = "#2a8a4a" if error <= 1 else "#d08020"
        off = "" if error <= 1 else f", {error:.0f} levels off"
        weight = ' font-weight="bold"' if name in OWN else ""
        lines += [
            f'<text x="176" y="{y + 15}" text-anchor="end"{weight}>{name}</text>',
            f'<rect x="184" y="{y + 3}" width="{width:.0f}" height="15" fill="{tone}"/>',
            f'<text x="{190 + width:.0f}" y="{y + 15}" fill="#333">{factor(ratio)}×{off}</text>',
        ]
    return "\n".join([*lines, "</svg>"]) + "\n"


# ---- Errors

def certificates():
    """The rows of certificates for clamped edges."""
    rows = csv.DictReader(newest_of_all("certificates.csv").open())
    return [row for row in rows if row["edge"] == "clamp" and row["certified_levels"]]


def errors():
    """The largest error of any image, in levels, by certificate."""
    found = {}
    for row in certificates():
        if row["format"] == "grayf32":
            sigma, levels = row["sigma"].removesuffix(".0"), float(row["certified_levels"])
            kernel = found.setdefault(row["kernel"], {})
            kernel[sigma] = max(levels, kernel.get(sigma, 0))
    rows = [
        [f"`{kernel}`", *(f"{levels[sigma]:.2g}" if sigma in levels else "–" for sigma in SIGMAS[:5])]
        for kernel, levels in found.items()
    ]
    return table(["", "sigma 1", *SIGMAS[1:5]], rows)


def errors_in_8_bits():
    """The least and the largest of our 8-bit kernels."""
    rows = [row for row in certificates() if row["kernel"] in {"simd", "dct", "pyramid"}]
    levels = [float(row["certified_levels"]) for row in rows if row["format"].endswith("8")]
    return f"{min(levels):.2f}", f"{max(levels):.2f}"


# ---- The first run

def first_run():
    """The beginning of what `Bench/run --output DATE-quick.csv >DATE-quick-output.txt` prints.

    A test holds the file to those records.
    """
    lines = newest_of_all("quick-output.txt").read_text().replace(" (10⁻³", "\n(10⁻³").splitlines()
    return ["```", *lines[:lines.index("") + 5], "…", "```"]


def first_run_date():
    return (date(newest_of_all("quick-output.txt")),)


# ---- One choice for several machines

# Kernels that promise 8 bits within a level.
EXACT = {
    "naive", "separable", "simd", "simd-fine", "dct", "dct-fine", "pyramid", "pyramid-fine", "fft",
}
FLEET = (newest("peers.csv"), MACHINES / "xeon-avx512-2vcpu/2026-11-22-kernels.csv")


def slowdowns(path):
    """By workload, of each exact kernel with its widest instruction set: its time over the fastest's."""
    found, sets = {}, ["baseline", "avx2", "avx512"]
    for case, time, _ in [*cases(path, "1"), *cases(path, "2")]:
        if case["kernel"] in EXACT:
            workload = tuple(case[key] for key in ("threads", "format", "size", "sigma"))
            kernels = found.setdefault(workload, {})
            new = sets.index(case["isa"]), time
            kernels[case["kernel"]] = max(kernels.get(case["kernel"], new), new)
    for workload, kernels in found.items():
        fastest = min(time for _, time in kernels.values())
        found[workload] = {name: time / fastest for name, (_, time) in kernels.items()}
    return found


def fleet():
    """What `select --fleet` of two machines says: how many workloads, and what choices lose in percent."""
    one, other = (slowdowns(path) for path in FLEET)
    shared = [(one[key], other[key]) for key in one if key in other]
    ours = [ratio[OURS] for pair in shared for ratio in pair]
    mean = math.exp(sum(map(math.log, ours)) / len(ours))
    each = max(min(max(a[name], b[name]) for name in a if name in b) for a, b in shared)
    return len(shared), *(f"{100 * ratio - 100:.1f}" for ratio in (mean, max(ours), each))
