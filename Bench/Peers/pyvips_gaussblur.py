"""The newer libvips from PyPI (pyvips-binary); vips.cpp explains the kernels.

pyvips needs packed pixels and returns the result in new memory, so copying from the source buffer and into
the destination buffer is part of the measured time. libvips uses its own threads, as many as the request
asks for.
"""

from types import SimpleNamespace as Kernel

import numpy
import pyvips

pyvips.cache_set_max(0)


def planner(**options):
    def plan(request):
        if request.sigma_x != request.sigma_y:
            raise NotImplementedError("gaussblur has one sigma for both axes")
        size = (request.width, request.height, request.channels)
        kind = {"8": "uchar", "6": "ushort", "2": "float"}[request.format[-1]]

        def blur(source, destination):
            if pyvips.concurrency_get() != request.threads:
                pyvips.concurrency_set(request.threads)
            image = pyvips.Image.new_from_memory(numpy.ascontiguousarray(source), *size, kind)
            result = image.gaussblur(request.sigma_x, **options)
            if result.format != kind:
                result = (result + 0.5).cast(kind)
            destination = numpy.asarray(destination)
            pixels = numpy.frombuffer(result.write_to_memory(), destination.dtype)
            destination[:] = pixels.reshape(destination.shape)

        return blur

    return plan


NAME = f"libvips {'.'.join(str(pyvips.version(part)) for part in range(3))}"
KERNELS = [
    Kernel(NAME="pyvips-gaussblur", SUMMARY=f"{NAME}, gaussblur, its own window (amplitude .2)",
           EDGES=["clamp"], THREADS=0, plan=planner()),
    Kernel(NAME="pyvips-gaussblur-wide", SUMMARY=f"{NAME}, gaussblur in float, window 3.7 sigma",
           EDGES=["clamp"], THREADS=0, plan=planner(min_ampl=0.001, precision="float")),
]
