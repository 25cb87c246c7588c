"""kornia-rs' gaussian_blur, window 3 sigma.

The caller chooses the window. A window wider than 3 sigma would not be more accurate, because the weights are
multiples of 1/256. The function returns a new array, and copying it into the destination is part of the
measured time. The function uses the threads of Rayon, whose number is fixed at the first call in a process.
"""

import math
import os

import kornia_rs
import numpy

NAME = "kornia-gaussian"
SUMMARY = f"kornia-rs {kornia_rs.__version__}, gaussian_blur, window 3 sigma"
FORMATS = ["gray8", "rgb8", "rgba8"]
EDGES = ["clamp"]
THREADS = 0


def plan(request):
    threads = os.environ.setdefault("RAYON_NUM_THREADS", str(request.threads))
    if threads != str(request.threads):
        raise NotImplementedError(f"this process already has {threads} threads")
    sigma = (request.sigma_x, request.sigma_y)
    size = tuple(2 * math.ceil(3 * value) + 1 for value in sigma)
    shape = (request.height, request.width, request.channels)

    def blur(source, destination):
        image = numpy.ascontiguousarray(source).reshape(shape)
        result = kornia_rs.imgproc.gaussian_blur(image, size, sigma)
        numpy.asarray(destination).reshape(shape, copy=False)[:] = result

    return blur
