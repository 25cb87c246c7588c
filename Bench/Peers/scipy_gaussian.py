"""scipy.ndimage's gaussian_filter, window 4 sigma (its default). Single thread.

For 8- and 16-bit images, the filter truncates the result after each pass, which causes errors of up to two
levels. The wide kernel asks for a result in floats and rounds it. scipy itself provides all five edge modes.
"""

from types import SimpleNamespace as Kernel

import numpy
import scipy
from scipy import ndimage

MODES = {"clamp": "nearest", "mirror": "mirror", "reflect": "reflect", "wrap": "wrap", "constant": "constant"}


def planner(rounding):
    def plan(request):
        colour, floats = request.channels > 1, request.format.endswith("f32")
        if request.edge == "constant" and len(set(request.constant[:request.channels])) > 1:
            raise NotImplementedError("a constant that differs between channels")
        sigma = (request.sigma_y, request.sigma_x, 0)[:2 + colour]
        shape = (request.height, request.width, request.channels)[:2 + colour]
        sums = numpy.empty(shape, numpy.float32) if rounding and not floats else None

        def blur(source, destination):
            destination = numpy.asarray(destination)
            ndimage.gaussian_filter(numpy.asarray(source), sigma, mode=MODES[request.edge],
                                    output=destination if sums is None else sums, cval=request.constant[0])
            if sums is not None:
                numpy.rint(sums, out=sums)
                numpy.copyto(destination, sums, casting="unsafe")

        return blur

    return plan


SUMMARY = f"scipy {scipy.__version__}, ndimage.gaussian_filter, window 4 sigma"
KERNELS = [
    Kernel(NAME="scipy-gaussian", SUMMARY=SUMMARY, plan=planner(False)),
    Kernel(NAME="scipy-gaussian-wide", SUMMARY=f"{SUMMARY}, float output, rounded", plan=planner(True)),
]
