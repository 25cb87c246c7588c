"""A separable Gaussian with numpy, window 4 sigma: the Python file to start from.

    blurbench verify --python Bench/Peers/Template/template.py

The source and the destination have the caller's strides, so numpy.asarray copies nothing.
"""

import math

import numpy

NAME = "template-gaussian"
FORMATS = ["gray8", "rgb8", "rgba8"]
EDGES = ["clamp"]
# The largest error that the kernel claims for any image: 1 level (1/255 of full scale) in 8-bit formats. The
# last number is the largest error in 16-bit and float formats, as a fraction of full scale.
PROMISE = ("exact", 1, 0)


def weights(sigma):
    radius = math.ceil(4 * sigma)
    # For sigma 0, the only weight is 1. The formula would divide by 0.
    weights = [math.exp(-i * i / (2 * sigma * sigma)) if i else 1 for i in range(-radius, radius + 1)]
    return numpy.array(weights, numpy.float32) / sum(weights)


def filtered(image, weights, axis):
    """Returns the image after one pass along the axis: 0 for columns, 1 for rows."""
    radius, count = len(weights) // 2, image.shape[axis]
    margins = [(radius, radius) if each == axis else (0, 0) for each in range(image.ndim)]
    padded = numpy.pad(image, margins, "edge")
    return sum(weight * numpy.take(padded, range(i, i + count), axis) for i, weight in enumerate(weights))


def plan(request):
    """Makes a plan, once per case. If the kernel does not support the request, raise NotImplementedError."""
    across, down = weights(request.sigma_x), weights(request.sigma_y)

    def blur(source, destination):
        image = numpy.asarray(source).astype(numpy.float32)
        # Adding 0.5 rounds to the nearest level, because assigning to uint8 drops the fraction.
        numpy.asarray(destination)[:] = filtered(filtered(image, down, 0), across, 1) + 0.5

    return blur
