"""How numpy arrays are passed to the library: their dtypes, and the addresses of their rows."""

from __future__ import annotations

import ctypes
import sys
from typing import Any, Callable, Optional, Sequence

import numpy
from numpy.typing import NDArray

# For each dtype, the range of whole numbers that it can represent without gaps.
WHOLE_NUMBERS = {"uint8": (0, 255), "uint16": (0, 65535), "float32": (-(1 << 24), 1 << 24)}


# For each kind of dtype that cannot be converted, Python code with which the user can make floats of it.
CASTS = {
    "c": "image.real.astype(numpy.float32)",
    "V": "numpy.stack([image[name] for name in image.dtype.names], axis=-1)"}


def planned_dtype(dtype: numpy.dtype[Any]) -> numpy.dtype[Any]:
    """Returns the dtype to which images of this dtype are converted for a blur.

    Raises ValueError if the library has no such dtype.
    """
    if dtype.kind in "bf":
        return numpy.dtype(numpy.float32)
    if dtype.name in WHOLE_NUMBERS:
        return numpy.dtype(dtype.name)
    if dtype.kind in "iu":
        raise ValueError(
            f"no format for {dtype}: plan for numpy.uint8, numpy.uint16 or numpy.float32. {dtype} images are "
            "then converted if no value changes; image.astype(numpy.float32) converts any values")
    raise ValueError(
        f"no format for {dtype}: an image is uint8, uint16 or float32; "
        f"pass {CASTS.get(dtype.kind, 'image.astype(numpy.float32)')}")


def smallest_dtype(image: NDArray[Any]) -> numpy.dtype[Any]:
    """Returns the dtype to which this image is converted for a blur.

    For integers, it is the smaller of uint8 and uint16 that holds all values.
    """
    check_unmasked(image, "image")
    if image.dtype.kind not in "iu" or image.dtype.name in WHOLE_NUMBERS:
        return planned_dtype(image.dtype)
    for name in ("uint8", "uint16"):
        if is_within(image, name):
            return numpy.dtype(name)
    raise ValueError(
        f"an image of {image.dtype} must have values from 0 to 65535, not from {image.min()} to "
        f"{image.max()}: blur image.astype(numpy.float32)")


def is_within(image: NDArray[Any], dtype: str) -> bool:
    """Returns whether all values of an array of integers or bools are between those in WHOLE_NUMBERS."""
    least, most = WHOLE_NUMBERS[dtype]
    return image.size == 0 or (least <= int(image.min()) and int(image.max()) <= most)


def check_unmasked(image: NDArray[Any], name: str) -> None:
    """Raises ValueError if values of the array are masked, because the mask would be lost."""
    if isinstance(image, numpy.ma.MaskedArray) and numpy.any(image.mask):
        raise ValueError(f"some values of this array are masked; pass {name}.filled(value)")


def is_exact(integers: NDArray[Any], floats: NDArray[Any]) -> bool:
    """Returns whether these floats are the same numbers as these integers, from which they were converted."""
    most = numpy.iinfo(integers.dtype).max  # A float that was rounded up can exceed it.
    return int(floats.max()) <= most and numpy.array_equal(floats.astype(integers.dtype), integers)


def converted(image: NDArray[Any], dtype: numpy.dtype[Any], name: str = "image") -> NDArray[Any]:
    """Returns the array as an array of `dtype`. It is not copied if it has that dtype.

    Raises ValueError if a value would change. The text names the cast to use instead.
    """
    check_unmasked(image, name)
    if image.dtype == dtype:
        return image
    if image.dtype.kind not in "biuf":
        raise ValueError(
            f"planned for {dtype}, and {image.dtype} cannot be converted to it; "
            f"pass {CASTS.get(image.dtype.kind, f'image.astype(numpy.{dtype})')}")
    # Values that do not fit are found below, so numpy need not warn of them.
    with numpy.errstate(all="ignore"):
        result = image.astype(dtype)
        if image.dtype.kind == "f":
            is_same = numpy.array_equal(result.astype(image.dtype), image, equal_nan=True)
        else:
            is_same = is_within(image, dtype.name) or dtype.kind == "f" and is_exact(image, result)
    if is_same:
        return result
    most = WHOLE_NUMBERS[dtype.name][1]
    whole = name
    if image.dtype.kind == "f":
        # float16 has no 65535, and NaN is no integer.
        wide = f"{name}.astype(numpy.float32)" if image.itemsize < 4 else name
        whole = f"{f'numpy.nan_to_num({wide})' if numpy.isnan(image).any() else wide}.round()"
    cast = name if dtype.kind == "f" else f"{whole}.clip(0, {most})"
    raise ValueError(
        f"some values of this {image.dtype} array would change in {dtype}; to change them, pass "
        f"{cast}.astype(numpy.{dtype})")


def packed_strides(shape: Sequence[int], dtype: numpy.dtype[Any]) -> tuple[int, ...]:
    """Returns the strides of a C-contiguous array."""
    strides: list[int] = []
    size = dtype.itemsize
    for length in shape[::-1]:
        strides.insert(0, size)
        size *= length
    return tuple(strides)


def row_stride(image: NDArray[Any], packed: tuple[int, ...]) -> Optional[int]:
    """Returns the stride of an image, or None if the pixels of a row do not lie side by side.

    There may be unused bytes between two rows. The strides of axes of length 1 are not used, because numpy
    does not define them.

    packed: the strides of a C-contiguous image of this shape.
    """
    strides = image.strides
    if 1 in image.shape:
        strides = tuple(
            packed[axis] if length == 1 else strides[axis] for axis, length in enumerate(image.shape))
    return strides[0] if strides[1:] == packed[1:] and strides[0] >= packed[0] else None


def has_reversed_channels(image: NDArray[Any]) -> bool:
    """Returns whether the channels of a pixel lie side by side in reversed order, as in image[..., ::-1]."""
    return image.ndim > 2 and image.shape[-1] > 1 and image.strides[-1] == -image.itemsize


# For each number of bytes in a pixel, a dtype as large as the pixel.
WHOLE_PIXELS = {4: "uint32", 8: "uint64", 16: "complex128"}


def packed_copy(image: NDArray[Any]) -> NDArray[Any]:
    """Returns a C-contiguous copy of an image.

    numpy would copy the few channels of each pixel in a separate loop. This takes up to 15 times as long as
    copying whole pixels, or all pixels of one channel.
    """
    if image.ndim < 3 or image.shape[2] == 1:
        return numpy.ascontiguousarray(image)
    pixel = image.itemsize * image.shape[2]
    if image.strides[2] == image.itemsize and pixel in WHOLE_PIXELS:
        return numpy.ascontiguousarray(image.view(WHOLE_PIXELS[pixel])).view(image.dtype)
    if image.strides[1:] == (pixel, image.itemsize):
        return numpy.ascontiguousarray(image)
    result = numpy.empty(image.shape, image.dtype)
    for channel in range(image.shape[2]):
        result[..., channel] = image[..., channel]
    return result


def slow_address(array: NDArray[Any]) -> int:
    return int(array.ctypes.data)


def fast_address(array: NDArray[Any]) -> Optional[int]:
    # NumPy documents that this address follows the header of the object (C API, PyArrayObject). Reading it
    # there takes a quarter of the time of `ctypes.data`.
    return ctypes.c_void_p.from_address(id(array) + HEADER).value


def is_fast() -> bool:
    """Returns whether `fast_address` works in this Python, where `id` must be the address of an object."""
    array = numpy.empty(1)
    return sys.implementation.name == "cpython" and fast_address(array) == slow_address(array)


# The size of the header of an object in CPython.
HEADER = object.__basicsize__

# Returns the address of the first element of an array.
address: Callable[[NDArray[Any]], Optional[int]] = fast_address if is_fast() else slow_address
