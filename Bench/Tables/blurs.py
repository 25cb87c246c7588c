"""Tables of blurs: comparisons with other libraries, and errors."""
import csv
import math
import re

from Tables.results import cases, described, made, newest, table

OURS = "pyramid"
OWN = {"pyramid", "pyramid-fine", "simd", "dct", "box-triple"}
SIGMAS = ["1", "2", "5", "10", "20", "50"]


EDGES = ["mirror", "reflect", "wrap", "constant"]


def workloads(threads="1", edge="clamp", alpha=None):
    """Returns the time in milliseconds and the error in levels of each kernel, for each format, size and
    sigma."""
    found = {}
    file = newest("peers.csv" if edge == "clamp" else "peers-edges.csv")
    for case, time, error in cases(file, threads, edge, alpha):
        kernels = found.setdefault((case["format"], case["size"], case["sigma"]), {})
        if case["kernel"] not in kernels or time < kernels[case["kernel"]][0]:
            kernels[case["kernel"]] = time, error
    return found


def disturbed():
    """Returns the percentage of all samples that were marked as disturbed."""
    return [re.search(r"(\d+) % of all samples", described(newest("peers.csv"), "medians"))[1]]


def bound(form):
    return 1 if form.endswith("8") else 0.255


def factor(value):
    return f"{value:.2g}" if value < 10 else f"{value:.0f}"


def peers():
    """Returns a part of the table of all peers: the rows of a full-HD image at three sigmas, and all rows and
    columns in which a peer wins."""
    rows, shown = all_peers(), [f"| {form} 1920×1080 " for form in ("gray8", "rgba8", "grayf32", "rgbaf32")]
    rows = rows[:2] + [row for row in rows[2:] if row.startswith(tuple(shown)) or "**" in row]
    columns = zip(*(row.strip("|").split("|") for row in rows))
    kept = ("", "sigma 1", "5", "20")
    chosen = [column for column in columns if column[0].strip() in kept or "**" in "".join(column)]
    return ["|" + "|".join(cells) + "|" for cells in zip(*chosen)]


def all_peers():
    """Returns a table with the time of the fastest peer within the error bound, divided by our time."""
    found = workloads()
    rows = []
    for form, size in dict.fromkeys((form, size) for form, size, _ in found):
        cells = [cell(found.get((form, size, sigma), {}), bound(form)) for sigma in SIGMAS]
        if any(text != "–" for text in cells):
            rows.append([f"{form} {size.replace('x', '×')}", *cells])
    return table(["", "sigma 1", *SIGMAS[1:]], rows)


def edge_peers():
    """Returns a table of these ratios by edge mode, for the peers that are the fastest with clamped edges. It
    has the rows of a full-HD image at sigma 1 and 5, and the rows in which a peer wins."""
    found = {edge: workloads(edge=edge) for edge in EDGES}
    rows = [[f"{form} {size.replace('x', '×')} σ {sigma}",
             *(cell(found[edge].get((form, size, sigma), {}), bound(form)) for edge in EDGES)]
            for form, size, sigma in found[EDGES[0]]]
    shown = ("1920×1080 σ 1", "1920×1080 σ 5")
    rows = [row for row in rows if row[0].endswith(shown) or "**" in "".join(row)]
    return table(["", *EDGES], rows)


def lost_by_edge():
    """Returns how many cells of the table by edge mode a peer wins, and how many cells there are."""
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
    """Returns the time of the fastest peer whose error is at most `most` levels, divided by our time, and the
    name of this peer. The name is empty if there is no such peer."""
    peers = kernels.keys() - OWN - {"memcpy"}
    near = [(kernels[name][0], name) for name in peers if kernels[name][1] <= most]
    if not near or OURS not in kernels:
        return 1, ""
    time, name = min(near)
    return time / kernels[OURS][0], name


def raced(threads, alpha=None):
    """Returns, for each workload with a peer within the error bound, the time of the fastest one divided by
    our time, and its name."""
    found = {key: lead(kernels, bound(key[0])) for key, kernels in workloads(threads, alpha=alpha).items()}
    return {key: (ratio, name) for key, (ratio, name) in found.items() if name}


def lost(threads):
    """Returns the workloads in which a peer within the error bound is faster than our kernel."""
    return {key: (ratio, name) for key, (ratio, name) in raced(threads).items() if ratio < 1}


def straight():
    """Returns the smallest and the largest of these ratios for images with straight alpha."""
    ratios = [ratio for ratio, _ in raced("1", "straight").values()]
    return factor(min(ratios)), factor(max(ratios))


def lost_cells():
    """Returns how many workloads a peer wins and how many there are, first on one thread and then on two."""
    return tuple(str(len(of(threads))) for threads in ("1", "2") for of in (lost, raced))


def over(kernel, other, formats):
    """Returns, for each workload, the time of each kernel whose name contains `kernel` divided by the time of
    the kernel `other`, together with the workload. The list is sorted by this ratio."""
    return sorted(
        (kernels[name][0] / kernels[other][0], key)
        for key, kernels in workloads().items() if key[0].endswith(formats) and other in kernels
        for name in kernels if kernel in name)


def recipe():
    """Returns the figures of OpenCV's recipe: its errors in levels, and its time divided by our time in 8
    bits and in floats."""
    levels = [kernels[name][1] for kernels in workloads().values() for name in kernels if "shrink" in name]
    whole, single = ([ratio for ratio, _ in over("shrink", OURS, bits)] for bits in ("8", "f32"))
    return (
        f"{min(levels):.0f}", f"{max(levels):.0f}", f"{whole[0]:.0f}", f"{whole[-1]:.0f}",
        f"{single[0]:.2f}", f"{single[-1]:.1f}")


def boxes():
    """Returns by which factor IPP's boxes are faster than ours in float formats, at most."""
    return (f"{1 / over('box3', 'box-triple', 'f32')[0][0]:.1f}",)


def others():
    """Returns the smallest and the largest time of Kornia at sigma 1, and the smallest time of the other
    peers in the same run. The times are divided by the time of our fastest kernel."""
    found = {}
    for case, time, _ in cases(newest("peers-others.csv")):
        found.setdefault((case["format"], case["size"], case["sigma"]), {})[case["kernel"]] = time
    ratios = [
        (name.split("-")[0], sigma, time / min(kernels[own] for own in OWN & kernels.keys()))
        for (_, _, sigma), kernels in found.items() for name, time in kernels.items()
    ]
    kornia = [ratio for name, sigma, ratio in ratios if name == "kornia" and sigma == "1"]
    rest = [ratio for name, _, ratio in ratios if name in {"scipy", "skimage", "gegl", "diplib", "ffmpeg"}]
    return f"{min(kornia):.1f}", f"{max(kornia):.1f}", f"{min(rest):.1f}"


def race():
    """Returns the day of the main comparison with peers, and its kernels revision."""
    return made(newest("peers.csv"))


def closest():
    """Returns the peer that comes closest to our kernel, with the format, the size and the sigma, and its
    time divided by ours."""
    (form, size, sigma), (ratio, name) = min(raced("1").items(), key=lambda item: item[1][0])
    return name.split("-")[0], form, size.replace("x", "×"), sigma, f"{ratio:.2f}"


def bars():
    """Returns the time divided by that of a memcpy, the error and the name of each kernel, for a full-HD
    image at sigma 10. The fastest kernel comes first."""
    kernels = workloads()["rgba8", "1920x1080", "10"]
    copy = kernels.pop("memcpy")[0]
    return sorted((time / copy, error, name) for name, (time, error) in kernels.items())


def picture_in_words():
    """Returns the two ratios that the text of the picture states, for `pyramid` and for OpenCV."""
    ratios = {name: ratio for ratio, _, name in bars()}
    return factor(ratios[OURS]), factor(ratios["opencv4-gaussian"])


def picture():
    """Returns an SVG picture with a bar for each kernel, which shows the time and the error of the kernel.
    The scale is logarithmic, because the bars of the fastest kernels would otherwise be hairlines."""
    rows, height, top = bars(), 21, 80
    bottom = top + height * len(rows)
    place = lambda ratio: 184 + 400 * math.log(ratio) / math.log(rows[-1][0])
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="800" height="{bottom + 14}" '
        'font-family="sans-serif" font-size="13">',
        '<rect width="100%" height="100%" fill="white"/>',
        '<text x="16" y="24" font-size="15" font-weight="bold">One blur, rgba8 1920×1080, sigma 10, '
        'one thread</text>',
        '<text x="16" y="44" fill="#555">Time divided by the time of a memcpy, on a logarithmic scale. '
        'Green: within 1 level of the Gaussian.</text>',
    ]
    for ratio in (10**power for power in range(math.ceil(math.log10(rows[-1][0])))):
        x = f"{place(ratio):.0f}"
        lines += [f'<path d="M{x} {top - 4}V{bottom}" stroke="#ccc"/>',
                  f'<text x="{x}" y="{top - 10}" text-anchor="middle" fill="#555">{ratio}×</text>']
    for index, (ratio, error, name) in enumerate(rows):
        y = top + height * index
        width = max(2, place(ratio) - 184)
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
    """Returns the certificates for clamped edges, as rows."""
    rows = csv.DictReader(newest("certificates.csv").open())
    return [row for row in rows if row["edge"] == "clamp" and row["certified_levels"]]


def errors():
    """Returns a table with the largest error of any image according to the certificates, in levels."""
    found = {}
    for row in certificates():
        if row["format"] == "grayf32":
            sigma, levels = row["sigma"].removesuffix(".0"), float(row["certified_levels"])
            kernel = found.setdefault(row["kernel"], {})
            kernel[sigma] = max(levels, kernel.get(sigma, 0))
    rows = [
        [f"`{kernel}`", *(f"{levels[sigma]:.2g}" if sigma in levels else "–" for sigma in ("1", "5", "20"))]
        for kernel, levels in found.items()
    ]
    return table(["", "sigma 1", "5", "20"], rows)


def errors_in_8_bits():
    """Returns the smallest and the largest error of our 8-bit kernels."""
    rows = [row for row in certificates() if row["kernel"] in {"simd", "dct", "pyramid"}]
    levels = [float(row["certified_levels"]) for row in rows if row["format"].endswith("8")]
    return f"{min(levels):.2f}", f"{max(levels):.2f}"


# ---- The first run

def first_run():
    """Returns the beginning of the output of `Bench/run --output DATE-quick.csv >DATE-quick-output.txt`.

    A test checks that this output matches the records in DATE-quick.csv.
    """
    lines = newest("quick-output.txt").read_text().replace(" (10⁻³", "\n(10⁻³").splitlines()
    return ["```", *lines[:lines.index("") + 4], "…", "```"]


def first_run_made():
    return made(newest("quick-output.txt"))
