"""Gaussian blurs of numpy arrays. The library reads and writes the memory of the arrays directly.

    from blur import Blur, VariableBlur, blurred

    soft = blurred(image, sigma=12)                    # blurs one image, or a batch
    blurred(image, sigma=(12, 3), out=soft)            # 12 pixels across and 3 down, into an array you have
    soften = Blur.like(frame, sigma=12)                # a plan, for many images
    soften(frame, out)
    VariableBlur(frame.shape, frame.dtype, sigma=24, mask=mask)(frame)   # a sigma that differs by pixel

Arrays have the dtype uint8, uint16 or float32, and one of these shapes:

    (height, width)               a gray image
    (height, width, 1, 3 or 4)    gray, three colours, or three colours and alpha
    (N, height, width, channels)  a batch of N images

Colours are premultiplied by alpha, unless the option `alpha` says otherwise.

Arrays of other dtypes are converted if that changes no value: bool, float16 and float64 to float32, integers
to the smaller of uint8 and uint16 that holds them, and big-endian arrays to the byte order of this machine.

An array is read without a copy if the pixels of each row lie side by side, as in a crop of a larger array.
This also holds if only its channels are reversed, as in image[..., ::-1], and all channels are blurred alike.
The package copies other views, such as image.T, before it blurs them. The result is the same in all cases.

The package loads the shared library that is next to this file. If the environment variable BLUR_LIBRARY is
set, it loads the library at that path instead.
"""

from .names import Edge
from .plans import Alpha, Blur, Method, VariableBlur, blurred, clear_plans

__version__ = "0.1.0.dev0"

__all__ = ["Alpha", "Blur", "Edge", "Method", "VariableBlur", "blurred", "clear_plans", "__version__"]


def __dir__() -> list[str]:
    return __all__ + ["__doc__"]
