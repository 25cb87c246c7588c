"""The classes and the function of the package."""

from __future__ import annotations

import ctypes
from typing import Any, Callable, Literal, Optional, Sequence, get_args

import numpy
from numpy.typing import ArrayLike, DTypeLike, NDArray

from .arrays import address, converted, has_reversed_channels, packed_copy, packed_strides
from .arrays import planned_dtype, row_stride, smallest_dtype
from .library import KERNELS, Options, Plan, VariableOptions, check, library
from .names import EDGES, Edge, edge_named, says_sigma, sigma_pair

Method = Literal["levels", "layers", "cross-fade", "two-pass"]

# The numbers of blur.h for the meanings of the fourth channel.
Alpha = Literal["premultiplied", "straight", "opaque"]
ALPHAS: dict[Alpha, int] = {"premultiplied": 0, "straight": 16, "opaque": 32}

# The methods, in the order of their numbers in blur.h.
METHODS: tuple[Method, ...] = get_args(Method)
FORMATS = [("uint8", 1), ("uint8", 4), ("uint16", 1), ("uint16", 4), ("float32", 1), ("float32", 4),
           ("uint8", 3), ("uint16", 3), ("float32", 3)]


class Blurring:
    """Blurs arrays of one shape and one dtype, by calling a function of blur.h."""

    # The function of blur.h, and the value of its first argument.
    execute: Callable[..., int]
    handle: Any

    def __init__(
        self, shape: Sequence[int], dtype: DTypeLike, edge: Edge | int, constant: ArrayLike, threads: int,
        kernel: Optional[str], alpha: Alpha, downscaled: int = 1,
    ) -> None:
        self.shape, self.dtype = tuple(shape), planned_dtype(numpy.dtype(dtype))
        # The images of a batch are blurred one by one.
        image = self.shape[1:] if len(self.shape) == 4 else self.shape
        kind = (self.dtype.name, image[2] if len(image) == 3 else 1)
        if kind not in FORMATS or len(image) not in (2, 3):
            raise ValueError(
                f"no format for {self.dtype} of shape {self.shape}: the shape of an image is (height, width) "
                "or (height, width, 1, 3 or 4), and the shape of a batch is (N, height, width, 1, 3 or 4)")
        self.edge = edge_named(edge)
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
        if alpha not in ALPHAS:
            raise ValueError(f"alpha {alpha!r}: must be one of {', '.join(map(repr, ALPHAS))}")
        if alpha != "premultiplied" and kind[1] != 4:
            raise ValueError(f"alpha {alpha!r}: needs images with 4 channels, not of shape {self.shape}")
        if downscaled not in (1, 2, 4):
            raise ValueError(f"downscaled {downscaled}: must be 1, 2 or 4")
        if downscaled > 1 and min(image[:2]) < downscaled:
            raise ValueError(f"downscaled {downscaled}: an image of shape {image} is too small for this")
        self.constant, self.threads, self.alpha = tuple(pixel.tolist()), threads, alpha
        self.downscaled = downscaled
        small = (image[0] // downscaled, image[1] // downscaled, *image[2:])
        self.out_shape = (*self.shape[:-len(image)], *small)
        # Whether all channels are blurred in the same way.
        self.is_alike = len(set(self.constant)) < 2 and alpha == "premultiplied"
        # The options that both kinds of plans have.
        self.common = dict(
            format=FORMATS.index(kind), edge=EDGES.index(self.edge), width=image[1], height=image[0],
            constant=self.constant, threads=threads, kernel=kernel.encode() if kernel else None,
            allow_copy=1, pixels=ALPHAS[alpha])
        self.packed = packed_strides(image, self.dtype)
        self.out_packed = packed_strides(small, self.dtype)
        # The strides of arrays that need no further checks. A batch has none.
        self.strides = self.packed if image == self.shape else None
        self.out_strides = self.out_packed if image == self.shape else None

    def __call__(self, image: ArrayLike, out: Optional[NDArray[Any]] = None) -> NDArray[Any]:
        """Blurs `image`, and returns the result. Other Python threads can run in the meantime.

        The result is written into `out`, or into a new array if `out` is not given. `out` must have the
        plan's dtype. An image of another dtype is converted if this does not change any value.
        """
        # These are the most frequent arrays. `blur_view` checks all others.
        shape, strides, dtype = self.shape, self.strides, self.dtype
        if (type(image) is not numpy.ndarray or image.strides != strides or image.shape != shape
                or image.dtype is not dtype):
            return self.blur_view(image, out)
        if out is None:
            out = numpy.empty(self.out_shape, dtype)
        elif (type(out) is not numpy.ndarray or out.strides != self.out_strides or out.shape != self.out_shape
                or out.dtype is not dtype or not out.flags.writeable):
            return self.blur_view(image, out)
        error = self.execute(self.handle, address(image), 0, address(out), 0)
        if error:
            check(error)
        return out

    def blur_view(self, image: ArrayLike, out: Optional[NDArray[Any]]) -> NDArray[Any]:
        """Blurs any array into `out`, and returns `out`."""
        image = numpy.asanyarray(image)
        if image.shape != self.shape:
            raise ValueError(f"planned for {self.dtype} {self.shape}, not {image.dtype} {image.shape}")
        image = converted(image, self.dtype)
        # All channels are blurred alike. So an image with reversed channels is blurred in the order of its
        # memory if the result may have that order, too.
        is_reversed = self.is_alike and has_reversed_channels(image)
        if out is None:
            out = numpy.empty(self.out_shape, self.dtype)
            out = out[..., ::-1] if is_reversed else out
        elif not isinstance(out, numpy.ndarray):
            raise TypeError(f"out must be a numpy.ndarray, not {type(out).__name__}")
        elif (out.shape, out.dtype) != (self.out_shape, self.dtype):
            raise ValueError(f"out must be {self.dtype} {self.out_shape}, not {out.dtype} {out.shape}")
        if not out.flags.writeable:
            raise ValueError("out is read-only")
        if is_reversed and has_reversed_channels(out):
            self.blur_images(image[..., ::-1], out[..., ::-1])
        else:
            self.blur_images(image, out)
        return out

    def blur_images(self, image: NDArray[Any], out: NDArray[Any]) -> None:
        if image.ndim == 4:
            if numpy.may_share_memory(image, out):
                image = image.copy()
            for one, result in zip(image, out):
                self.blur_images(one, result)
            return
        stride, out_stride = row_stride(image, self.packed), row_stride(out, self.out_packed)
        if out_stride is None:
            raise ValueError(
                "the pixels of a row of out must lie side by side: pass an out that is C-contiguous, or none")
        if stride is None:
            image = packed_copy(image)
        check(self.execute(self.handle, address(image), stride or 0, address(out), out_stride))

    def text(self, *options: str) -> str:
        """Returns Python code that makes this object.

        options: the arguments that only one kind of plan has. The arguments of all plans are added to them.
        """
        constant = [f"constant={self.constant}"] if self.constant else []
        alpha = [] if self.alpha == "premultiplied" else [f"alpha={self.alpha!r}"]
        small = [] if self.downscaled == 1 else [f"downscaled={self.downscaled}"]
        words = [str(self.shape), repr(self.dtype.name), *options, *alpha, *small, f"edge={self.edge!r}",
                 *constant, f"threads={self.threads}"]
        return f"{type(self).__name__}({', '.join(words)})"


class OneCall(Blurring):
    """The arguments of `blurred` for images of one shape and one dtype, checked and ready for C."""

    execute = library.blur_image

    def __init__(
        self, shape: Sequence[int], dtype: DTypeLike, sigma: ArrayLike, edge: Edge | int, constant: ArrayLike,
        threads: int, max_error: float, kernel: Optional[str], alpha: Alpha, downscaled: int,
    ) -> None:
        super().__init__(shape, dtype, edge, constant, threads, kernel, alpha, downscaled)
        self.sigma = sigma_pair(sigma)
        options = Options(
            size=ctypes.sizeof(Options), sigma_x=self.sigma[0], sigma_y=self.sigma[1], max_error=max_error,
            downscaled=downscaled, **self.common)
        self.handle = ctypes.byref(options)


class Blur(OneCall):
    """A plan, which can blur any number of arrays that all have one shape and one dtype.

    sigma: the standard deviation in pixels, from 0 to 1000. A pair (x, y) gives one sigma across and another
        one down. (SciPy's order is (y, x).)
    edge: the edge mode, which defines the pixels beyond the image. The names of SciPy and the names and
        numbers of cv2 are accepted as well, such as edge="grid-mirror" or edge=cv2.BORDER_REFLECT_101.
    constant: the pixel beyond the image for the edge mode "constant", in the units of the image. It is black
        by default.
    threads: the number of threads that blur one image. The result does not depend on it.
    max_error: the largest error of any pixel, in levels (1/255 of full scale). 0 stands for 1 level.
    kernel: the name of the kernel. By default, the fastest kernel that keeps `max_error` is used.
    alpha: the meaning of the fourth channel. With "premultiplied", it is the opacity, and the colours have
        been multiplied by it. With "straight", it is the opacity, and the colours have not been multiplied
        by it, as in PNG files. With "opaque", the fourth channel has no meaning.
    downscaled: 2 or 4 for a result of half or a quarter of the width and height. Each pixel of such a result
        is the mean of a block of 2×2 or 4×4 blurred pixels. Columns and rows at the end that do not fill a
        block are left out.

    Raises ValueError if the library refuses an argument. The message says what is allowed.
    """

    execute = library.blur_execute

    @says_sigma
    def __init__(
        self, shape: Sequence[int], dtype: DTypeLike, sigma: ArrayLike, edge: Edge | int = "clamp",
        constant: ArrayLike = (), threads: int = 1, max_error: float = 0, kernel: Optional[str] = None,
        alpha: Alpha = "premultiplied", downscaled: int = 1,
    ) -> None:
        super().__init__(shape, dtype, sigma, edge, constant, threads, max_error, kernel, alpha, downscaled)
        self.plan = Plan(self.handle, library.blur_plan_create, library.blur_destroy)
        self.handle = self.plan.address

    @classmethod
    @says_sigma
    def like(cls, image: ArrayLike, sigma: ArrayLike, **options: Any) -> Blur:
        """A plan for arrays with the shape and the dtype of `image`. The options are those of `Blur`."""
        image = numpy.asanyarray(image)
        return cls(image.shape, smallest_dtype(image), sigma, **options)

    @property
    def kernel(self) -> str:
        """The name of the kernel that was chosen."""
        name: bytes = library.blur_plan_kernel(self.plan.address)
        return name.decode()

    def __repr__(self) -> str:
        x, y = self.sigma
        sigma = f"{x:g}" if x == y else f"({x:g}, {y:g})"
        return self.text(f"sigma={sigma}", f"kernel={self.kernel!r}")


class VariableBlur(Blurring):
    """A plan for a blur whose sigma differs from pixel to pixel.

    The sigma of a pixel is `sigma` times its mask value divided by 255. A pixel with the mask value 0 is not
    changed, with two exceptions. With straight alpha, the colours of a pixel whose alpha is 0 become 0, and
    float colours are rounded. In opaque images, the fourth channel becomes full scale.

    mask: whole numbers from 0 to 255, in an array of the shape (height, width). The plan copies the mask.
    method: the way in which several blurs of the image are mixed. With "levels", the sigma of each blur is a
        tenth larger than that of the next smaller blur, so the error of the mixing is less than a level. The
        other methods take less time.
    kernel: the name of the kernel that makes the blurs. By default, it is the fastest kernel with an error of
        at most one level.
    edge, constant, threads, alpha: as for `Blur`.

    Raises ValueError if the library refuses an argument. The message says what is allowed.
    """

    execute = library.blur_variable_execute

    @says_sigma
    def __init__(
        self, shape: Sequence[int], dtype: DTypeLike, sigma: float, mask: ArrayLike,
        method: Method = "levels", edge: Edge | int = "clamp", constant: ArrayLike = (), threads: int = 1,
        kernel: Optional[str] = None, alpha: Alpha = "premultiplied",
    ) -> None:
        super().__init__(shape, dtype, edge, constant, threads, kernel, alpha)
        mask = numpy.asanyarray(mask)
        size = (self.common["height"], self.common["width"])
        if mask.shape != size or mask.dtype.kind not in "iu":
            cast = "" if mask.dtype.kind in "iu" else (
                "; if 1 stands for the whole sigma, pass (mask * 255.0).round().astype(numpy.uint8)")
            raise ValueError(f"mask must be uint8 {size}, not {mask.dtype} {mask.shape}{cast}")
        mask = numpy.ascontiguousarray(converted(mask, numpy.dtype(numpy.uint8), "mask"))
        if method not in METHODS:
            raise ValueError(f"no method is called {method!r}; there are {', '.join(METHODS)}")
        self.sigma, self.method = sigma, method
        options = VariableOptions(
            size=ctypes.sizeof(VariableOptions), sigma=sigma, mask=mask.ctypes.data,
            method=METHODS.index(method), **self.common)
        self.plan = Plan(
            ctypes.byref(options), library.blur_variable_plan_create, library.blur_variable_destroy)
        self.handle = self.plan.address

    @property
    def error(self) -> Optional[float]:
        """The largest error, in levels, that the method adds to that of the blurs, or None if unknown."""
        error: float = library.blur_variable_plan_error(self.plan.address)
        return None if error < 0 else error

    def __repr__(self) -> str:
        return self.text(f"sigma={self.sigma:g}", "mask=...", f"method={self.method!r}")


# The most recent calls of `blurred`, by all arguments except the pixels.
calls: dict[tuple[Any, ...], OneCall] = {}


@says_sigma
def blurred(
    image: ArrayLike, sigma: ArrayLike, *, edge: Edge | int = "clamp", constant: ArrayLike = (),
    threads: int = 1, max_error: float = 0, kernel: Optional[str] = None, alpha: Alpha = "premultiplied",
    downscaled: int = 1, out: Optional[NDArray[Any]] = None,
) -> NDArray[Any]:
    """Blurs an image or a batch, and returns the result.

    The result is written into `out`, or into a new array if `out` is not given. `Blur` explains the other
    arguments.
    """
    image = numpy.asanyarray(image)
    key = (image.shape, image.dtype, sigma, edge, constant, threads, max_error, kernel, alpha, downscaled)
    try:
        call = calls[key]
    except (KeyError, TypeError):  # A list cannot be a key.
        call = new_call(image, key)
    return call(image, out)


def new_call(image: NDArray[Any], key: tuple[Any, ...]) -> OneCall:
    """Checks the arguments of `blurred`, and caches them for later calls if they do not depend on pixels."""
    dtype = smallest_dtype(image)
    if image.ndim == 4:
        return Blur(image.shape, dtype, *key[2:])
    call = OneCall(image.shape, dtype, *key[2:])
    if image.dtype == dtype:
        if len(calls) >= 64:
            calls.clear()
        try:
            calls[key] = call
        except TypeError:
            pass
    return call


def clear_plans() -> None:
    """Frees the plans that the library has cached for later calls of `blurred` with the same arguments."""
    library.blur_clear_plans()
