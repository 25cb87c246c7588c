"""The method that experts use for a large sigma, with OpenCV 5 from PyPI; see opencv4-shrink.cpp."""

import itertools
import math

import cv2
import numpy

SUMMARY = f"OpenCV {cv2.__version__}, resize by area, GaussianBlur, resize linear"
EDGES = ["clamp", "reflect"]
THREADS = 0


def plan(request):
    ring = int(request.edge == "clamp")
    border = cv2.BORDER_REPLICATE if ring else cv2.BORDER_REFLECT
    width, low_x = shrunk(request.width, request.sigma_x)
    height, low_y = shrunk(request.height, request.sigma_y)
    dtype = {"8": numpy.uint8, "6": numpy.uint16, "2": numpy.float32}[request.format[-1]]
    shape = (height + 2 * ring, width + 2 * ring, request.channels)[:2 + (request.channels > 1)]
    small, blurred = numpy.empty(shape, dtype), numpy.empty(shape, dtype)
    # The source and target ranges of each part of the small image, along each axis. A part is the first
    # pixel, all pixels or the last pixel.
    rows, columns = pieces(request.height, height, ring), pieces(request.width, width, ring)
    parts = [((y, x), small[v, u]) for (y, v), (x, u) in itertools.product(rows, columns)]
    inner = blurred[ring:ring + height, ring:ring + width]

    def blur(source, destination):
        if cv2.getNumThreads() != request.threads:
            cv2.setNumThreads(request.threads)
        source, destination = numpy.asarray(source), numpy.asarray(destination)
        for where, part in parts:
            cv2.resize(source[where], part.shape[1::-1], part, interpolation=cv2.INTER_AREA)
        cv2.GaussianBlur(small, (0, 0), low_x, blurred, low_y, border, cv2.ALGO_HINT_APPROX)
        cv2.resize(inner, (request.width, request.height), destination, interpolation=cv2.INTER_LINEAR)

    return blur


def shrunk(count, sigma):
    if sigma < 5:
        raise NotImplementedError("sigma below 5: nothing to shrink")
    low = max(1, round(count / 2 ** math.floor(math.log2(sigma / 2.5))))
    f = count / low
    return low, math.sqrt(sigma * sigma - (f * f - 1) / 12 - f * f / 6) / f


def pieces(count, low, ring):
    first, every, last = slice(0, 1), slice(0, count), slice(count - 1, count)
    if not ring:
        return [(every, slice(0, low))]
    return [(first, slice(0, 1)), (every, slice(1, low + 1)), (last, slice(low + 1, low + 2))]
