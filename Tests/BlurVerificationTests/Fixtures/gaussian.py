"""Blurs images in double precision as SciPy does, and as plain NumPy does: truth from outside.

    gaussian.py FOLDER

FOLDER/cases.json lists width, height, channels, sigma by axis, edge mode and constant pixel of each image;
FOLDER/source.f64 holds their pixels one after the other. The results go to scipy.f64 and numpy.f64.
"""

import json
import math
import pathlib
import sys

import numpy
from numpy.lib.stride_tricks import sliding_window_view
from scipy import ndimage

# What others call the edge modes.
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
    if edge == "wrap":  # numpy.pad errs beyond one period up to NumPy 1.24.
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


def main(folder):
    source = numpy.fromfile(folder / "source.f64")
    results = {"scipy.f64": [], "numpy.f64": []}
    for case in json.loads((folder / "cases.json").read_text()):
        shape = case["height"], case["width"], case["channels"]
        image, source = numpy.split(source, [math.prod(shape)])
        for name, blur in zip(results, (by_scipy, by_numpy)):
            planes = [
                blur(plane, (case["sigmaY"], case["sigmaX"]), case["edge"], constant)
                for plane, constant in zip(numpy.moveaxis(image.reshape(shape), 2, 0), case["constant"])
            ]
            results[name].append(numpy.stack(planes, axis=2).ravel())
    for name, images in results.items():
        numpy.concatenate(images).tofile(folder / name)


main(pathlib.Path(sys.argv[1]))
