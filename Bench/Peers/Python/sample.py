"""The mean of three rows with numpy, the shortest Python kernel.

    blurbench run --python Bench/Peers/Python/sample.py --kernel simd,plugins --format gray8 --sigma 1

The kernel takes its name from the file, and its summary from the first line above. The views have the
caller's strides, so numpy.asarray copies nothing. To do part of the work only once per case, define
`plan(request)` instead of `blur`. It returns a function of (source, destination). python.cpp describes
everything that a file may define.
"""

import numpy

FORMATS = ["gray8", "rgb8", "rgba8"]
EDGES = ["clamp"]

# The promise is the largest error that the kernel claims for any image, which `blurbench verify` checks. The
# mean of three rows ignores sigma, so this file declares that its kernel is no Gaussian. A kernel that
# computes the Gaussian promises ("exact", 1, 2e-5): 1 level (1/255 of full scale) for 8 bits, and 2e-5 of
# full scale for other formats. An approximation promises ("approximation", n), where n is the largest error
# that `blurbench certify` prints, plus 1. Without a promise, the result must only look like a Gaussian.
PROMISE = ("not-gaussian",)


def blur(source, destination, request):
    above_and_below = [(1, 1)] + [(0, 0)] * (source.ndim - 1)
    rows = numpy.pad(numpy.asarray(source).astype(numpy.uint16), above_and_below, "edge")
    numpy.asarray(destination)[:] = (rows[:-2] + rows[1:-1] + rows[2:] + 1) // 3
