"""scikit-image's filters.gaussian, window 4 sigma (its default): scipy's filter, in floats. Single thread.

This adapter converts 8- and 16-bit images to floats and rounds the result. It keeps the buffers for that
between calls.
"""

import numpy
import skimage
from skimage import filters

NAME = "skimage-gaussian"
SUMMARY = f"scikit-image {skimage.__version__}, filters.gaussian, window 4 sigma"
MODES = {"clamp": "nearest", "mirror": "mirror", "reflect": "reflect", "wrap": "wrap", "constant": "constant"}


def plan(request):
    colour, floats = request.channels > 1, request.format.endswith("f32")
    if request.edge == "constant" and len(set(request.constant[:request.channels])) > 1:
        raise NotImplementedError("a constant that differs between channels")
    shape = (request.height, request.width, request.channels)[:2 + colour]
    values, sums = (None if floats else numpy.empty(shape, numpy.float32) for _ in range(2))

    def blur(source, destination):
        source, destination = numpy.asarray(source), numpy.asarray(destination)
        if not floats:
            numpy.copyto(values, source)
        filters.gaussian(source if floats else values, (request.sigma_y, request.sigma_x),
                         mode=MODES[request.edge], cval=request.constant[0], preserve_range=True,
                         channel_axis=2 if colour else None, out=destination if floats else sums)
        if not floats:
            numpy.rint(sums, out=sums)
            numpy.copyto(destination, sums, casting="unsafe")

    return blur
