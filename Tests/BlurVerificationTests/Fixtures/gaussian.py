"""Blurs noise with SciPy's Gaussian filter in double precision, and confirms each result with padding and
weighted sums in NumPy.

    gaussian.py > scipy.json    the small images, committed for machines without SciPy
    gaussian.py --all           the small images, then larger ones

Prints one case per line. Pixels are rows of interleaved components in the format's units. Each number is a
decimal that identifies one double exactly.
"""

import json
import math
import random
import sys

import numpy
import scipy
from numpy.lib.stride_tricks import sliding_window_view
from scipy import ndimage

# The number of channels of each format, and its values: the integers 0...n divided by a number.
FORMATS = {"gray8": (1, 255, 1), "rgba16": (4, 65535, 1), "grayf32": (1, 256, 256), "rgbaf32": (4, 256, 256)}
COLOUR = 200, 30, 90, 250  # in units of 1/255
EDGES = [(edge, (0, 0, 0, 0)) for edge in ("clamp", "mirror", "reflect", "wrap", "constant")]
EDGES += [("constant", COLOUR)]

# Width, height, sigma along x, and sigma along y. The windows are up to 1,561 times as large as the image.
SMALL = [
    (*size, *sigma)
    for size in [(1, 1), (1, 2), (2, 1), (1, 3), (3, 2), (2, 5), (5, 4), (7, 1)]
    for sigma in [(0.5, 0.5), (2, 2), (7, 7), (40, 40), (0.5, 7), (40, 2), (130, 40), (40, 130), (0, 130)]
]
# Windows that are smaller than the image, and windows that are several times as large.
LARGE = [
    (23, 17, 1, 1), (7, 5, 12, 12), (1, 9, 2, 3), (9, 1, 30, 0.3), (31, 22, 0.4, 7), (20, 31, 0, 2.5),
    (97, 61, 20, 20), (90, 64, 9, 11),
]  # fmt: skip

# The names of the edge modes in SciPy and in NumPy.
SCIPY = {"clamp": "nearest", "mirror": "mirror", "reflect": "reflect", "wrap": "wrap", "constant": "constant"}
NUMPY = {"clamp": "edge", "mirror": "reflect", "reflect": "symmetric", "constant": "constant"}


def radius(sigma):
    return math.ceil(6 * sigma)


def by_scipy(plane, sigmas, edge, constant):
    for axis, sigma in enumerate(sigmas):
        if sigma > 0:
            only = [sigma if a == axis else 0 for a in (0, 1)]
            plane = ndimage.gaussian_filter(
                plane, only, mode=SCIPY[edge], cval=constant, truncate=radius(sigma) / sigma)
    return plane


def padded(plane, radii, edge, constant):
    if edge == "wrap":  # numpy.pad is wrong beyond one period up to NumPy 1.24.
        for axis, reach in enumerate(radii):
            plane = plane.take(range(-reach, plane.shape[axis] + reach), axis, mode="wrap")
        return plane
    more = {"constant_values": constant} if edge == "constant" else {}
    return numpy.pad(plane, [(reach, reach) for reach in radii], NUMPY[edge], **more)


def by_numpy(plane, sigmas, edge, constant):
    plane = padded(plane, [radius(sigma) for sigma in sigmas], edge, constant)
    for axis, sigma in enumerate(sigmas):
        if sigma > 0:
            distances = numpy.arange(-radius(sigma), radius(sigma) + 1)
            weights = numpy.exp(-0.5 * (distances / sigma) ** 2)
            plane = sliding_window_view(plane, len(weights), axis) @ (weights / weights.sum())
    return plane


def blurred(source, sigmas, edge, constant):
    planes = []
    for plane, value in zip(numpy.moveaxis(source, 2, 0), constant):
        planes.append(by_scipy(plane, sigmas, edge, value))
        numpy.testing.assert_allclose(planes[-1], by_numpy(plane, sigmas, edge, value), rtol=1e-13)
    return numpy.stack(planes, axis=2)


def case(name, width, height, sigma_x, sigma_y, edge, colour):
    channels, levels, divisor = FORMATS[name]
    noise = random.Random(11)
    shape = height, width, channels
    # No pixel is 0, so that each result has a relative error.
    source = [(1 + int(noise.random() * levels)) / divisor for _ in range(math.prod(shape))]
    constant = [round(part * levels / 255) / divisor for part in colour]
    result = blurred(numpy.reshape(source, shape), (sigma_y, sigma_x), edge, constant)
    return {
        "format": name, "width": width, "height": height, "sigmaX": sigma_x, "sigmaY": sigma_y,
        "edge": edge, "constant": constant, "source": source, "blurred": result.ravel().tolist(),
    }  # fmt: skip


cases = [case("grayf32", *size, *edge) for size in SMALL for edge in EDGES]
if sys.argv[1:] == ["--all"]:
    cases += [case(name, *size, *edge) for name in FORMATS for size in LARGE for edge in EDGES]
print(f'{{"SciPy": "{scipy.__version__}", "NumPy": "{numpy.__version__}", "cases": [')
print(",\n".join(map(json.dumps, cases)), "]}", sep="\n")
