"""Names that other libraries use for the options of this one, so that errors can say what to use instead."""

from __future__ import annotations

import functools
import re
from typing import Any, Callable, Literal, Optional, Sequence, TypeVar, cast, get_args

import numpy

# Our edge modes, SciPy's, and cv2's. NumPy calls "mirror" "reflect", which is another mode here, in SciPy and
# in cv2.
Edge = Literal[
    "clamp", "mirror", "reflect", "wrap", "constant", "nearest", "grid-mirror", "grid-wrap", "grid-constant",
    "BORDER_REPLICATE", "BORDER_REFLECT_101", "BORDER_REFLECT101", "BORDER_DEFAULT", "BORDER_REFLECT",
    "BORDER_WRAP", "BORDER_CONSTANT"]

# Our edge modes, in the order of blur.h's numbers.
EDGES = ["clamp", "mirror", "reflect", "wrap", "constant"]

# For each edge mode, the names that it has in OpenCV, SciPy, NumPy, PyTorch, MATLAB, OpenGL and others.
EDGE_NAMES = {
    "clamp": "replicate nearest edge border repeatedge clamptoedge copy duplicate extend",
    "mirror": "reflect101 default mirrorinterior",
    "reflect": "symmetric gridmirror mirroredrepeat mirrorimage",
    "wrap": "circular gridwrap repeat tile periodic cyclic repeatimage",
    "constant": "zero zeros zeropad zeropadding gridconstant fill constantexterior black transparent "
    "clamptoborder",
}

# The edge modes with the numbers 0 to 4 of OpenCV, such as `cv2.BORDER_CONSTANT`.
OPENCV_EDGES = ["constant", "clamp", "reflect", "wrap", "mirror"]


def edge_named(edge: object) -> str:
    """Returns the edge mode for one of our names, or for a name or a number of SciPy or cv2.

    Raises ValueError for any other name. The text suggests the mode that another library calls so.
    """
    if edge in EDGES:
        return str(edge)
    same = same_edge(edge)
    if same and (edge in get_args(Edge) or not isinstance(edge, str)):
        return same
    raise ValueError(
        f"no edge mode is called {edge!r}{f', did you mean {same!r}?' if same else ';'} "
        f"there are {', '.join(EDGES)}")


def same_edge(name: object) -> Optional[str]:
    """Returns the edge mode that other libraries call `name`, or None if there is none."""
    given = str(name)
    if re.fullmatch("[0-9]+", given):
        return OPENCV_EDGES[int(given)] if int(given) < len(OPENCV_EDGES) else None
    whole = re.sub("[^a-z0-9]", "", given.lower())
    word = re.sub("^((cv2?)?border|gl)(?=.)", "", whole)
    if whole != word and word == "transparent":
        return None  # OpenCV's mode of this name leaves pixels near the edge as they are.
    return next((edge for edge in EDGES if word == edge or word in EDGE_NAMES[edge].split()), None)


Function = TypeVar("Function", bound=Callable[..., Any])


def says_sigma(function: Function) -> Function:
    """Wraps a function so that an argument `radius` or `ksize` raises an error that names the sigma."""

    @functools.wraps(function)
    def checked(*arguments: Any, **options: Any) -> Any:
        try:
            return function(*arguments, **options)
        except TypeError:
            for name, value in options.items():
                word = name.lower().replace("_", "")
                if word in ("radius", "radii", "blurradius", "ksize", "ksizes", "kernelsize", "windowsize"):
                    raise TypeError(sigma_of(name, value)) from None
            raise

    return cast(Function, checked)


def sigma_pair(sigma: Any) -> tuple[float, float]:
    """Returns sigma across and down, from one number or from a pair (x, y). Raises ValueError for others."""
    values = numpy.asarray(sigma, float)
    if values.shape not in ((), (1,), (2,)):
        raise ValueError(
            f"sigma {sigma}: must be one number, or a pair (x, y), across and down; SciPy's order is (y, x)")
    x, y = (float(value) for value in numpy.broadcast_to(values, 2))
    if not (0 <= x <= 1000 and 0 <= y <= 1000):
        which = f"{x:g}" if values.size == 1 else f"({x:g}, {y:g}), in the order (x, y)"
        raise ValueError(f"sigma {which}: must be from 0 to 1000 pixels")
    return x, y


def sigma_of(name: str, value: Any) -> str:
    """Returns a text that names the sigma to use instead of a radius, or instead of the size of a window."""
    value = value.tolist() if hasattr(value, "tolist") else value  # A numpy array or number.
    try:
        given = [float(number) for number in (value if isinstance(value, (tuple, list)) else [value])]
    except (TypeError, ValueError):
        given = []
    if not given or not all(0 < number < float("inf") for number in given):
        return f"there is no {name}; the size of a blur is given as sigma, its standard deviation"
    if "radi" not in name.lower():
        sigmas = text([window_sigma(size) for size in given])
        return f"there is no {name}; OpenCV blurs with sigma={sigmas} if its window has that size"
    sizes = [2 * number + 1 for number in given]
    return (
        f"there is no {name}; if it is the standard deviation, as in Pillow and CSS, use "
        f"sigma={text(given)}; if a window reaches that far, as in OpenCV with ksize={text(sizes)}, use "
        f"sigma={text([window_sigma(size) for size in sizes])}")


def window_sigma(size: float) -> float:
    """Returns the sigma that OpenCV chooses for a window of `size` pixels."""
    return 0.3 * ((size - 1) * 0.5 - 1) + 0.8


def text(numbers: Sequence[float]) -> str:
    """Returns one number, or several as a tuple, as Python code."""
    words = [f"{number:g}" for number in numbers]
    return words[0] if len(words) == 1 else f"({', '.join(words)}), in the order (x, y),"
