"""Gaussian blurs of numpy arrays, which the library reads and writes where they are.

    from blur import Blur, blurred

    soft = blurred(image, sigma=12)                       # once
    soften = Blur(frame.shape, frame.dtype, sigma=12)     # or planned once, for many images
    soften(frame, out)
    VariableBlur(frame.shape, frame.dtype, sigma=24, mask=mask)(frame)   # a sigma that differs by pixel

Arrays are (height, width), or (height, width, 3 or 4) with premultiplied alpha; uint8, uint16 or float32.
Arrays of other dtypes are converted if that changes no value: bool, float16 and float64 to float32, integers
to the smaller of uint8 and uint16 that holds them, and big-endian arrays to the byte order of this machine.
Rows may be apart, as in a crop of a larger array; the pixels of a row lie side by side. The library is the
file beside this one, or the one that BLUR_LIBRARY names.
"""

from __future__ import annotations

import ctypes
import itertools
import os
from pathlib import Path
from typing import Any, Callable, Iterator, Literal, NoReturn, Optional, Sequence, get_args

import numpy
from numpy.typing import ArrayLike, DTypeLike, NDArray

from .arrays import converted, memory, planned_dtype, smallest_dtype
from .names import same_edge, says_sigma

__all__ = ["Blur", "Edge", "Method", "VariableBlur", "blurred"]

Edge = Literal["clamp", "mirror", "reflect", "wrap", "constant"]

Method = Literal["levels", "layers", "cross-fade", "two-pass"]

# In the order of blur.h's numbers.
EDGES: tuple[Edge, ...] = get_args(Edge)
METHODS: tuple[Method, ...] = get_args(Method)
FORMATS = [("uint8", 1), ("uint8", 4), ("uint16", 1), ("uint16", 4), ("float32", 1), ("float32", 4),
           ("uint8", 3), ("uint16", 3), ("float32", 3)]


class Options(ctypes.Structure):
    """`blur_options` of blur.h."""

    _fields_ = [
        ("size", ctypes.c_size_t), ("format", ctypes.c_int32), ("edge", ctypes.c_int32),
        ("width", ctypes.c_int64), ("height", ctypes.c_int64), ("sigma_x", ctypes.c_double),
        ("sigma_y", ctypes.c_double), ("constant", ctypes.c_float * 4), ("region", ctypes.c_int64 * 4),
        ("max_error", ctypes.c_double), ("kernel", ctypes.c_char_p), ("threads", ctypes.c_int32),
        ("pixels", ctypes.c_int32),
    ]


class VariableOptions(ctypes.Structure):
    """`blur_variable_options` of blur.h."""

    _fields_ = [
        ("size", ctypes.c_size_t), ("format", ctypes.c_int32), ("edge", ctypes.c_int32),
        ("width", ctypes.c_int64), ("height", ctypes.c_int64), ("sigma", ctypes.c_double),
        ("constant", ctypes.c_float * 4), ("mask", ctypes.c_void_p), ("mask_stride", ctypes.c_int64),
        ("kernel", ctypes.c_char_p), ("method", ctypes.c_int32), ("threads", ctypes.c_int32),
    ]


def load() -> ctypes.CDLL:
    path = os.environ.get("BLUR_LIBRARY") or Path(__file__).resolve().parent / "libBlurC.so"
    if not Path(path).exists():
        raise ImportError(
            f"there is no {path}: install the package with pip, or name the library in BLUR_LIBRARY")
    library = ctypes.CDLL(str(path))
    library.blur_last_error.restype = ctypes.c_char_p
    library.blur_plan_kernel.restype = ctypes.c_char_p
    library.blur_variable_plan_error.restype = ctypes.c_double
    library.blur_kernel_name.restype = ctypes.c_char_p
    for function in (library.blur_plan_kernel, library.blur_destroy, library.blur_variable_destroy,
                     library.blur_variable_plan_error):
        function.argtypes = [ctypes.c_void_p]
    for function in (library.blur_execute, library.blur_variable_execute):
        function.argtypes = [
            ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64]
    return library


library = load()


def kernels() -> Iterator[str]:
    """The names of the library's kernels."""
    for index in itertools.count():
        name: Optional[bytes] = library.blur_kernel_name(index)
        if name is None:
            return
        yield name.decode()


KERNELS = list(kernels())


def check(error: int) -> None:
    if error:
        raise ValueError(library.blur_last_error().decode())


class Plan:
    """A `blur_plan` of blur.h, or a `blur_variable_plan`, freed with the last object that uses it."""

    address: Optional[int] = None

    def __init__(
        self, options: ctypes.Structure, create: Callable[..., int], destroy: Callable[..., object],
    ) -> None:
        self.destroy = destroy
        made = ctypes.c_void_p()
        check(create(ctypes.byref(options), ctypes.byref(made)))
        self.address = made.value

    def __del__(self) -> None:
        if self.address is not None:
            self.destroy(self.address)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a plan is memory of this process: make one in each")


class Planned:
    """What blurs images of one shape and one dtype, by a function of blur.h."""

    plan: Plan
    execute = library.blur_execute

    def __init__(
        self, shape: Sequence[int], dtype: DTypeLike, edge: Edge, constant: ArrayLike, threads: int,
        kernel: Optional[str],
    ) -> None:
        self.shape, self.dtype = tuple(shape), planned_dtype(numpy.dtype(dtype))
        kind = (self.dtype.name, self.shape[2] if len(self.shape) == 3 else 1)
        if kind not in FORMATS or len(self.shape) not in (2, 3):
            raise ValueError(
                f"no format for {self.dtype} of shape {self.shape}: the shape of an image is (height, width) "
                "or (height, width, 3 or 4)")
        if edge not in EDGES:
            same = same_edge(edge, EDGES)
            raise ValueError(
                f"no edge mode is called {edge!r}{f', did you mean {same!r}?' if same else ';'} "
                f"there are {', '.join(EDGES)}")
        if not 1 <= threads <= 1024:
            raise ValueError(f"threads {threads}: must be from 1 to 1024")
        if kernel and kernel not in KERNELS:
            raise ValueError(f"no kernel is called {kernel!r}; there are {', '.join(KERNELS)}")
        pixel = numpy.ravel(numpy.asarray(constant, float))
        if pixel.size not in (0, kind[1]):
            raise ValueError(f"constant has {pixel.size} values, and a pixel {kind[1]}")
        if self.dtype.kind == "u" and not all(0 <= value <= numpy.iinfo(self.dtype).max for value in pixel):
            raise ValueError(
                f"constant {constant!r}: must be from 0 to {numpy.iinfo(self.dtype).max} in {self.dtype}")
        # What the options of both plans have.
        self.common = dict(
            format=FORMATS.index(kind), edge=EDGES.index(edge), width=self.shape[1], height=self.shape[0],
            constant=tuple(pixel), threads=threads, kernel=kernel.encode() if kernel else None)

    def __call__(self, image: ArrayLike, out: Optional[NDArray[Any]] = None) -> NDArray[Any]:
        """Blurs `image` into `out`, a new array by default, and returns it. Other Python threads go on.

        An image of another dtype is converted if no value changes. `out` must have the plan's dtype.
        """
        image = numpy.asanyarray(image)
        out = numpy.empty(self.shape, self.dtype) if out is None else out
        if not isinstance(out, numpy.ndarray):
            raise TypeError(f"out must be a numpy.ndarray, not {type(out).__name__}")
        if image.shape != self.shape or (out.shape, out.dtype) != (self.shape, self.dtype):
            wrong = image if image.shape != self.shape else out
            raise ValueError(f"planned for {self.dtype} {self.shape}, not {wrong.dtype} {wrong.shape}")
        if not out.flags.writeable:
            raise ValueError("out is read-only")
        image = converted(image, self.dtype)
        check(self.execute(
            self.plan.address, *memory(image, "blur numpy.ascontiguousarray(image)"),
            *memory(out, "pass an out that is C-contiguous, or none")))
        return out


class Blur(Planned):
    """A plan: for images of one shape and one dtype.

    sigma: the standard deviation in pixels, 0 to 1000; or one across and one down.
    edge: what is read beyond the image; `constant` is the pixel for "constant", black by default, in the
        image's own units.
    threads: how many blur one image; the result is the same.
    max_error: the largest error of any pixel, in levels (1/255 of full scale); 0 stands for 1 level.
    kernel: a kernel's name, instead of the fastest within `max_error`.

    Raises ValueError for what the library refuses; the text says what is allowed.
    """

    @says_sigma
    def __init__(
        self, shape: Sequence[int], dtype: DTypeLike, sigma: ArrayLike, edge: Edge = "clamp",
        constant: ArrayLike = (), threads: int = 1, max_error: float = 0, kernel: Optional[str] = None,
    ) -> None:
        super().__init__(shape, dtype, edge, constant, threads, kernel)
        sigma_x, sigma_y = numpy.broadcast_to(numpy.asarray(sigma, float), 2)
        options = Options(
            size=ctypes.sizeof(Options), sigma_x=sigma_x, sigma_y=sigma_y, max_error=max_error, **self.common)
        self.plan = Plan(options, library.blur_plan_create, library.blur_destroy)

    @property
    def kernel(self) -> str:
        """The name of the kernel that was chosen."""
        name: bytes = library.blur_plan_kernel(self.plan.address)
        return name.decode()


class VariableBlur(Planned):
    """A plan for a sigma that differs by pixel: `sigma` times the mask, in 255ths; 0 leaves a pixel as it is.

    mask: whole numbers from 0 to 255, (height, width); it is copied.
    method: "levels" mixes blurs a tenth apart, so that the mixing errs by less than a level; the others are
        cheaper.
    kernel: makes the blurs that are mixed, instead of the fastest within a level.
    edge, constant, threads: as for `Blur`.

    Raises ValueError for what the library refuses; the text says what is allowed.
    """

    execute = library.blur_variable_execute

    @says_sigma
    def __init__(
        self, shape: Sequence[int], dtype: DTypeLike, sigma: float, mask: ArrayLike,
        method: Method = "levels", edge: Edge = "clamp", constant: ArrayLike = (), threads: int = 1,
        kernel: Optional[str] = None,
    ) -> None:
        super().__init__(shape, dtype, edge, constant, threads, kernel)
        mask = numpy.asanyarray(mask)
        if mask.shape != self.shape[:2] or mask.dtype.kind not in "iu":
            cast = "" if mask.dtype.kind in "iu" else (
                "; if 1 stands for the whole sigma, pass (mask * 255.0).round().astype(numpy.uint8)")
            raise ValueError(f"mask must be uint8 {self.shape[:2]}, not {mask.dtype} {mask.shape}{cast}")
        mask = numpy.ascontiguousarray(converted(mask, numpy.dtype(numpy.uint8), "mask"))
        if method not in METHODS:
            raise ValueError(f"no method is called {method!r}; there are {', '.join(METHODS)}")
        options = VariableOptions(
            size=ctypes.sizeof(VariableOptions), sigma=sigma, mask=mask.ctypes.data,
            method=METHODS.index(method), **self.common)
        self.plan = Plan(options, library.blur_variable_plan_create, library.blur_variable_destroy)

    @property
    def error(self) -> Optional[float]:
        """The method's largest error, in levels, beside that of the blurs; None if none is stated."""
        error: float = library.blur_variable_plan_error(self.plan.address)
        return None if error < 0 else error


@says_sigma
def blurred(
    image: ArrayLike, sigma: ArrayLike, *, edge: Edge = "clamp", constant: ArrayLike = (), threads: int = 1,
    max_error: float = 0, kernel: Optional[str] = None,
) -> NDArray[Any]:
    """The image blurred, as a new array. The options are those of `Blur`."""
    image = numpy.asanyarray(image)
    return Blur(image.shape, smallest_dtype(image), sigma, edge, constant, threads, max_error, kernel)(image)
