"""OpenCV 5 from PyPI (opencv-python-headless).

opencv4-gaussian.cpp explains the Gaussian kernels. OpenCV uses its own threads, as many as the request asks
for. The GaussianBlur of this build may use Intel IPP if that is faster.

stackBlur has triangular weights, whose standard deviation is sqrt(radius * (radius + 2) / 6). The adapter
takes the radius that comes closest to sigma. Edges are clamped, but from radius 8 on, the columns next to the
right edge are off by several levels, and by more if the image is narrower than the window. 16-bit formats are
left out because their sums overflow. stackBlur assumes that the rows of the result follow each other without
gaps. If they do not, the result is copied, which is part of the measured time.
"""

import math
from types import SimpleNamespace as Kernel

import cv2
import numpy

BORDERS = {"clamp": cv2.BORDER_REPLICATE, "mirror": cv2.BORDER_REFLECT_101, "reflect": cv2.BORDER_REFLECT,
           "constant": cv2.BORDER_CONSTANT}


def arrays(request, source, destination):
    if cv2.getNumThreads() != request.threads:
        cv2.setNumThreads(request.threads)
    return numpy.asarray(source), numpy.asarray(destination)


def check(request):
    if request.edge == "constant" and any(request.constant):
        raise NotImplementedError("a constant other than 0")
    if not (request.sigma_x and request.sigma_y):
        raise NotImplementedError("sigma 0: OpenCV would take the other axis' sigma")


def gaussian(request):
    check(request)
    border = BORDERS[request.edge]

    def blur(source, destination):
        source, destination = arrays(request, source, destination)
        cv2.GaussianBlur(source, (0, 0), request.sigma_x, destination, request.sigma_y, border,
                         cv2.ALGO_HINT_APPROX)

    return blur


def wide(request):
    check(request)
    border, floats = BORDERS[request.edge], request.format.endswith("f32")
    shape = (request.height, request.width, request.channels)[:2 + (request.channels > 1)]
    sums = None if floats else numpy.empty(shape, numpy.float32)
    row, column = (weights(sigma) for sigma in (request.sigma_x, request.sigma_y))

    def blur(source, destination):
        source, destination = arrays(request, source, destination)
        cv2.sepFilter2D(source, cv2.CV_32F, row, column, destination if floats else sums, borderType=border)
        if request.format.endswith("8"):
            cv2.convertScaleAbs(sums, destination)
        elif not floats:
            cv2.add(sums, 0.0, destination, dtype=cv2.CV_16U)

    return blur


def stack(request):
    sigmas = request.sigma_x, request.sigma_y
    size = [2 * round(math.sqrt(6 * sigma * sigma + 1) - 1) + 1 for sigma in sigmas]
    shape = (request.height, request.width, request.channels)[:2 + (request.channels > 1)]
    packed = numpy.empty(shape, numpy.float32 if request.format.endswith("f32") else numpy.uint8)

    def blur(source, destination):
        source, destination = arrays(request, source, destination)
        result = destination if destination.flags.c_contiguous else packed
        cv2.stackBlur(source, size, result)
        if result is packed:
            destination[:] = packed

    return blur


def weights(sigma):
    i = numpy.arange(-math.ceil(4 * sigma), math.ceil(4 * sigma) + 1)
    g = numpy.exp(-i * i / (2 * sigma * sigma))
    return (g / g.sum()).astype(numpy.float32)


EDGES = list(BORDERS)
NAME = f"OpenCV {cv2.__version__}"
KERNELS = [
    Kernel(NAME="opencv5-gaussian", SUMMARY=f"{NAME}, GaussianBlur, its own window", EDGES=EDGES, THREADS=0,
           plan=gaussian),
    Kernel(NAME="opencv5-gaussian-wide", SUMMARY=f"{NAME}, sepFilter2D in float, window 4 sigma", EDGES=EDGES,
           THREADS=0, plan=wide),
    Kernel(NAME="opencv5-stack", SUMMARY=f"{NAME}, stackBlur, the radius nearest to sigma", EDGES=["clamp"],
           FORMATS=["gray8", "rgb8", "rgba8", "grayf32", "rgbf32", "rgbaf32"], THREADS=0, plan=stack)]
