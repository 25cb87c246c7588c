"""Pillow's GaussianBlur: three extended boxes. Single thread; it has no edge mode but clamp.

Pillow wants packed pixels and makes a new image for each call; the copies out of and into the buffers are
part of the time. "RGBX" has four channels filtered alike.
"""

import numpy
import PIL
from PIL import Image, ImageFilter

NAME = "pillow-gaussian"
SUMMARY = f"Pillow {PIL.__version__}, GaussianBlur, three extended boxes"
FORMATS = ["gray8", "rgb8", "rgba8"]
EDGES = ["clamp"]


def plan(request):
    mode = {1: "L", 3: "RGB", 4: "RGBX"}[request.channels]
    size = (request.width, request.height)
    filter = ImageFilter.GaussianBlur((request.sigma_x, request.sigma_y))

    def blur(source, destination):
        image = Image.frombuffer(mode, size, numpy.ascontiguousarray(source), "raw", mode, 0, 1)
        numpy.asarray(destination)[:] = numpy.asarray(image.filter(filter))

    return blur
