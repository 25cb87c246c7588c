"""How numpy arrays are passed to the library: their dtypes, and the addresses of their rows."""

from __future__ import annotations

from typing import Any

import numpy
from numpy.typing import NDArray

# The smallest and the largest whole number for which all whole numbers between them exist in a dtype.
WHOLE_NUMBERS = {"uint8": (0, 255), "uint16": (0, 65535), "float32": (-(1 << 24), 1 << 24)}


# For each kind of dtype that cannot be converted, code that makes floats of it.
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
        return dtype.newbyteorder("=")
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


def memory(image: NDArray[Any], advice: str) -> tuple[int, int]:
    """Returns the address and the stride of an array whose pixels lie side by side in each row.

    Rows may be apart. The strides of axes of length 1 are not used, because numpy does not define them.
    """
    packed: list[int] = []
    size = image.itemsize
    for length in image.shape[::-1]:
        packed.insert(0, size)
        size *= length
    strides = [
        packed[axis] if length == 1 else image.strides[axis] for axis, length in enumerate(image.shape)]
    if strides[1:] != packed[1:] or strides[0] <= 0:
        raise ValueError(f"pixels must lie side by side: {advice}")
    return image.ctypes.data, strides[0]
