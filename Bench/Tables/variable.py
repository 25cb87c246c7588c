"""Tables of blurs whose sigma differs from pixel to pixel: the errors that the methods state, and their
certificates."""
from Tables.results import figures, table

SIGMAS = [4, 16, 48]
HOW = {
    "levels": "blurs whose sigmas differ by a tenth; a pixel mixes the two around its own",
    "layers": "the same with eight blurs at equal distances",
    "cross-fade": "the image and one blur, mixed by the mask",
    "two-pass": "across, then down, each with the sigma of the pixel that is written",
}
MASKS = ["linear", "radial", "scattered"]


def rows():
    return {(row["kernel"], row["mask"], float(row["sigma"])): row for row in figures("variable")["rows"]}


def short(levels):
    return f"{levels:.2f}" if levels < 10 else f"{levels:.0f}"


def stated():
    """Returns a table of the error that each method states, for three sigmas."""
    found, lines = rows(), []
    for method, how in HOW.items():
        levels = [found[method, MASKS[0], sigma].get("stated_levels") for sigma in SIGMAS]
        text = "none is stated" if None in levels else ", ".join(map(short, levels))
        lines.append([f"`{method}`", how, text])
    return table(["method", "how", "largest error of any image, in levels, for sigma 4, 16, 48"], lines)


def certificates():
    """Returns a table of the largest error of any image, for each mask."""
    found, lines = rows(), []
    for method in HOW:
        of = lambda mask: [short(found[method, mask, sigma]["certified_levels"]) for sigma in SIGMAS]
        cells = [", ".join(of(mask)) for mask in MASKS]
        lines.append([f"`{method}`", *cells])
    return table(["method", f"mask `{MASKS[0]}`", *(f"`{mask}`" for mask in MASKS[1:])], lines)
