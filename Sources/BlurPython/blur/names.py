"""Names that other libraries use for the options of this one, so that errors can say what to use instead."""

from __future__ import annotations

import functools
import re
from typing import Any, Callable, Optional, Sequence, TypeVar, cast

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


def same_edge(name: object, edges: Sequence[str]) -> Optional[str]:
    """Returns the edge mode that other libraries call `name`, or None if there is none."""
    given = str(name)
    if re.fullmatch("[0-9]+", given):
        return OPENCV_EDGES[int(given)] if int(given) < len(OPENCV_EDGES) else None
    whole = re.sub("[^a-z0-9]", "", given.lower())
    word = re.sub("^((cv2?)?border|gl)(?=.)", "", whole)
    if whole != word and word == "transparent":
        return None  # OpenCV's mode of this name leaves pixels near the edge as they are.
    return next((edge for edge in edges if word == edge or word in EDGE_NAMES[edge].split()), None)


Function = TypeVar("Function", bound=Callable[..., Any])


def says_sigma(function: Function) -> Function:
    """Wraps a function so that an argument `radius` or `ksize` raises an error that names the sigma."""

    @functools.wraps(function)
    def checked(*arguments: Any, **options: Any) -> Any:
        for name, value in options.items():
            word = name.lower().replace("_", "")
            if word in ("radius", "radii", "blurradius", "ksize", "ksizes", "kernelsize", "windowsize"):
                raise TypeError(sigma_of(name, value))
        return function(*arguments, **options)

    return cast(Function, checked)


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
    return words[0] if len(words) == 1 else f"({', '.join(words)})"
