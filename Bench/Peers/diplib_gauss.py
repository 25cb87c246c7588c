"""DIPlib's Gauss, with its own choice of a method, and the FIR method in float, window 4 sigma.

By default, Gauss uses a Fourier transform below sigma 0.8, a window of 3 sigma up to sigma 10, and a
recursive filter above. For 8- and 16-bit images, DIPlib truncates the result. The wide kernel asks for a
result in floats and rounds it. DIPlib uses its own threads, as many as the request asks for.
"""

from types import SimpleNamespace as Kernel

import diplib
import numpy

# In DIPlib's mode "mirror", the border pixel is not repeated.
MODES = {"clamp": "zero order", "mirror": "mirror", "wrap": "periodic", "constant": "add zeros"}


def planner(wide, **options):
    def plan(request):
        if request.edge == "constant" and any(request.constant):
            raise NotImplementedError("a constant other than 0")
        colour = request.channels > 1
        axis = 2 if colour else None  # DIPlib would take a gray image that is three pixels wide for colours
        shape = (request.height, request.width, request.channels)[:2 + colour]
        rounding = wide and not request.format.endswith("f32")
        sums = numpy.empty(shape, numpy.float32)
        sigmas, edges = [request.sigma_x, request.sigma_y], [MODES[request.edge]]

        def blur(source, destination):
            if diplib.GetNumberOfThreads() != request.threads:
                diplib.SetNumberOfThreads(request.threads)
            # DIPlib refuses arrays whose address is not a multiple of the size of a component.
            source, destination = numpy.require(source, requirements="A"), numpy.asarray(destination)
            result = sums if rounding or not destination.flags.aligned else destination
            diplib.Gauss(diplib.Image(source, axis), out=diplib.Image(result, axis), sigmas=sigmas,
                         boundaryCondition=edges, **options)
            if rounding:
                numpy.rint(sums, out=sums)
            if result is sums:
                numpy.copyto(destination, sums, casting="unsafe")

        return blur

    return plan


NAME, EDGES = f"DIPlib {diplib.__version__}", list(MODES)
KERNELS = [
    Kernel(NAME="diplib-gauss", SUMMARY=f"{NAME}, Gauss, its own method", EDGES=EDGES, THREADS=0,
           plan=planner(False)),
    Kernel(NAME="diplib-gauss-wide", SUMMARY=f"{NAME}, Gauss by FIR in float, window 4 sigma", EDGES=EDGES,
           THREADS=0, plan=planner(True, method="FIR", truncation=4.0)),
]
