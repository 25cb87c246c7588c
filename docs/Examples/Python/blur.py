"""Blurs numpy arrays with libBlurC.so, which reads and writes them where they are.

    swift build -c release --product BlurC && python3 docs/Examples/Python/blur.py

To use it elsewhere, copy this file and .build/release/libBlurC.so into one folder.
"""

import ctypes
import os
import pathlib

import numpy

EDGES = ["clamp", "mirror", "reflect", "wrap", "constant"]
FORMATS = [("uint8", 1), ("uint8", 4), ("uint16", 1), ("uint16", 4), ("float32", 1), ("float32", 4), ("uint8", 3),
           ("uint16", 3), ("float32", 3)]
HERE = pathlib.Path(__file__).resolve().parent
PLACES = [HERE / "libBlurC.so", HERE / "../../../.build/release/libBlurC.so"]


class Options(ctypes.Structure):
    """`blur_options` of blur.h."""

    _fields_ = [
        ("size", ctypes.c_size_t), ("format", ctypes.c_int32), ("edge", ctypes.c_int32),
        ("width", ctypes.c_int64), ("height", ctypes.c_int64), ("sigma_x", ctypes.c_double),
        ("sigma_y", ctypes.c_double), ("constant", ctypes.c_float * 4), ("region", ctypes.c_int64 * 4),
        ("max_error", ctypes.c_double), ("kernel", ctypes.c_char_p), ("threads", ctypes.c_int32),
        ("reserved", ctypes.c_int32),
    ]


path = os.environ.get("BLUR_LIBRARY") or next(filter(pathlib.Path.exists, PLACES), None)
if path is None:
    raise ImportError(f"no libBlurC.so beside {__file__}: copy it there, or name it in BLUR_LIBRARY")
library = ctypes.CDLL(path)
library.blur_last_error.restype = ctypes.c_char_p
library.blur_destroy.argtypes = [ctypes.c_void_p]
library.blur_execute.argtypes = [ctypes.c_void_p] + 2 * [ctypes.c_void_p, ctypes.c_int64]


def check(error):
    if error:
        raise ValueError(library.blur_last_error().decode())


def memory(image):
    """Address and stride of an array whose pixels lie side by side in each row; rows may be apart."""
    pixel = image.itemsize * (image.shape[2] if image.ndim == 3 else 1)
    if image.strides[1:] != (pixel, image.itemsize)[: image.ndim - 1] or image.strides[0] <= 0:
        raise ValueError("pixels must lie side by side: blur numpy.ascontiguousarray(image)")
    return image.ctypes.data, image.strides[0]


class Blur:
    """A plan: for images of one shape, (height, width) or (height, width, 3 or 4), and one dtype."""

    def __init__(self, shape, dtype, sigma, edge="clamp", constant=(), threads=1, max_error=0, kernel=None):
        self.shape, self.dtype, self.plan = tuple(shape), numpy.dtype(dtype), ctypes.c_void_p()
        kind = (self.dtype.name, shape[2] if len(shape) == 3 else 1)
        if kind not in FORMATS or len(shape) not in (2, 3) or not self.dtype.isnative:
            raise ValueError(f"no format for {self.dtype} of shape {self.shape}")
        options = Options(
            ctypes.sizeof(Options), FORMATS.index(kind), EDGES.index(edge), shape[1], shape[0], sigma, sigma,
            constant=tuple(constant), max_error=max_error, threads=threads, kernel=kernel and kernel.encode())
        check(library.blur_plan_create(ctypes.byref(options), ctypes.byref(self.plan)))

    def __call__(self, image, out=None):
        """Blurs `image` into `out`, a new array by default, and returns it. Other Python threads go on."""
        out = numpy.empty(self.shape, self.dtype) if out is None else out
        for array in (image, out):
            if (array.shape, array.dtype) != (self.shape, self.dtype):
                raise ValueError(f"planned for {self.dtype} {self.shape}, not {array.dtype} {array.shape}")
        if not out.flags.writeable:
            raise ValueError("out is read-only")
        check(library.blur_execute(self.plan, *memory(image), *memory(out)))
        return out

    def __del__(self):
        library.blur_destroy(self.plan)


if __name__ == "__main__":
    picture = numpy.zeros((1080, 1920, 4), numpy.uint8)
    picture[400:700, 600:1300] = 255
    print(Blur(picture.shape, picture.dtype, sigma=12)(picture)[550, 560:640:8, 0])
