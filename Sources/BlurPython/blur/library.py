"""The functions and structs of blur.h, the library's header for C."""

from __future__ import annotations

import ctypes
import itertools
import os
from pathlib import Path
from typing import Any, Callable, Iterator, NoReturn, Optional


class Options(ctypes.Structure):
    """`blur_options` of blur.h."""

    _fields_ = [
        ("size", ctypes.c_size_t), ("format", ctypes.c_int32), ("edge", ctypes.c_int32),
        ("width", ctypes.c_int64), ("height", ctypes.c_int64), ("sigma_x", ctypes.c_double),
        ("sigma_y", ctypes.c_double), ("constant", ctypes.c_float * 4), ("region", ctypes.c_int64 * 4),
        ("max_error", ctypes.c_double), ("kernel", ctypes.c_char_p), ("threads", ctypes.c_int32),
        ("allow_copy", ctypes.c_int32), ("pixels", ctypes.c_int32), ("downscaled", ctypes.c_int32),
    ]


class VariableOptions(ctypes.Structure):
    """`blur_variable_options` of blur.h."""

    _fields_ = [
        ("size", ctypes.c_size_t), ("format", ctypes.c_int32), ("edge", ctypes.c_int32),
        ("width", ctypes.c_int64), ("height", ctypes.c_int64), ("sigma", ctypes.c_double),
        ("constant", ctypes.c_float * 4), ("mask", ctypes.c_void_p), ("mask_stride", ctypes.c_int64),
        ("kernel", ctypes.c_char_p), ("method", ctypes.c_int32), ("threads", ctypes.c_int32),
        ("allow_copy", ctypes.c_int32), ("pixels", ctypes.c_int32),
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
    for function in (library.blur_image, library.blur_execute, library.blur_variable_execute):
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
    """Raises ValueError with the library's message if a function of blur.h has returned an error."""
    if error:
        raise ValueError(library.blur_last_error().decode())


class Plan:
    """Owns a `blur_plan` or a `blur_variable_plan` of blur.h, and frees it when no object uses it."""

    address: Optional[int] = None

    def __init__(
        self, options: Any, create: Callable[..., int], destroy: Callable[..., object],
    ) -> None:
        self.destroy = destroy
        made = ctypes.c_void_p()
        check(create(options, ctypes.byref(made)))
        self.address = made.value

    def __del__(self) -> None:
        if self.address is not None:
            self.destroy(self.address)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a plan is memory of this process: make one in each")
