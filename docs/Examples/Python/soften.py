"""Blurs an image of a white rectangle in the way that suits the frames of a video.

The plan is made once, and blurring a frame allocates no memory.

    pip install Sources/BlurPython && python3 docs/Examples/Python/soften.py
"""

import numpy
from blur import Blur

frame = numpy.zeros((1080, 1920, 4), numpy.uint8)
frame[400:700, 600:1300] = 255
out = numpy.empty_like(frame)
soften = Blur.like(frame, sigma=12, threads=2)
soften(frame, out)
print(out[550, 560:640:8, 0])
