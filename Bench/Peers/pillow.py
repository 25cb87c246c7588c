"""Pillow's GaussianBlur, which applies three extended boxes. Single thread; its only edge mode is clamp.

Pillow needs packed pixels and makes a new image for each call, so copying from the source buffer and into the
destination buffer is part of the measured time. The mode "RGBX" filters all four channels in the same way.
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
