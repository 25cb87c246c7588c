"""Checks the Python package: blurs the cases listed in FOLDER/cases.json, compares the results with the files
of expected bytes in that folder, and checks that bad arguments raise errors."""

import copy
import json
import pathlib
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import get_args

import numpy

import blur as package
from blur import Blur, Method, VariableBlur, blurred

folder = pathlib.Path(sys.argv[1])


def refused(blur, image, out=None):
    try:
        blur(image, out)
    except ValueError:
        return True
    return False


for case in json.loads((folder / "cases.json").read_text()):
    shape, dtype = tuple(case["shape"]), case["dtype"]
    source, expected = (
        numpy.fromfile(folder / (case["name"] + end), dtype).reshape(shape)
        for end in (".source", ".expected"))
    blur = Blur(shape, dtype, case["sigma"], case["edge"], case["constant"], case["threads"])
    found = blur(source)
    assert found.tobytes() == expected.tobytes(), case
    options = {key: case[key] for key in ("edge", "constant", "threads")}
    assert blurred(source, (case["sigma"], case["sigma"]), **options).tobytes() == expected.tobytes(), case

    # Blurs a view of a larger array into a view of another one. Nothing outside the two views is read or
    # written.
    around = numpy.nan if dtype == "float32" else 77
    papers = [numpy.full((shape[0] + 9, shape[1] + 13) + shape[2:], around, dtype) for _ in range(2)]
    views = [paper[4 : 4 + shape[0], 6 : 6 + shape[1]] for paper in papers]
    views[0][...] = source
    untouched = papers[1].copy()
    untouched[4 : 4 + shape[0], 6 : 6 + shape[1]] = expected
    address = views[1].ctypes.data
    returned = blur(views[0], views[1])
    assert returned is views[1] and returned.ctypes.data == address, case
    assert papers[1].tobytes() == untouched.tobytes(), case
    assert views[0].tobytes() == source.tobytes(), case

    # Into an array that the caller has, in one call.
    out = numpy.full(shape, 99, dtype)
    assert blurred(source, case["sigma"], out=out, **options) is out, case
    assert out.tobytes() == expected.tobytes(), case

    # The library cannot use arrays with these shapes or values.
    wide = numpy.zeros((shape[0], 2 * shape[1]) + shape[2:], dtype)
    flat = numpy.broadcast_to(source[:1], shape)
    fixed = numpy.empty(shape, dtype)
    fixed.flags.writeable = False
    for bad in (source[1:], source.astype("complex128")):
        assert refused(blur, bad), case
    assert refused(blur, source, wide[:, ::2]), case

    # Any view gives the bits that a contiguous copy of it gives.
    wide[:, ::2] = source[::-1]
    views = [source[::-1], source[:, ::-1], source[::-1, ::-1], wide[:, ::2], flat, source.swapaxes(0, 1),
             numpy.asfortranarray(source), source[::2]]
    if len(shape) == 3:
        views += [source[..., 0], source[..., 1], source[..., ::-1], source[..., :3], source[..., 2::-1],
                  source[..., :1], source[::-1, :, ::-1], source[2:-3, 4:-5, ::-1]]
    for view in views:
        options["constant"] = case["constant"][: 1 if view.ndim == 2 else view.shape[2]]
        packed = numpy.array(view, order="C")
        wanted = blurred(packed, case["sigma"], **options)
        assert blurred(view, case["sigma"], **options).tobytes() == wanted.tobytes(), (case, view.strides)
        out = numpy.empty_like(packed)
        Blur.like(view, case["sigma"], **options)(view, out)
        assert out.tobytes() == wanted.tobytes(), (case, view.strides)
    options["constant"] = case["constant"]

    # Each image of a batch is blurred by itself, also if the results overwrite other images of the batch.
    batch = numpy.stack([source, source[::-1], source])
    batch = batch if len(shape) == 3 else batch[..., None]
    wanted = numpy.stack([
        blurred(numpy.ascontiguousarray(one), case["sigma"], **options) for one in batch])
    assert wanted[0].tobytes() == expected.tobytes(), case
    assert blurred(batch, case["sigma"], **options).tobytes() == wanted.tobytes(), case
    assert Blur.like(batch, case["sigma"], **options)(batch).tobytes() == wanted.tobytes(), case
    assert blurred(batch[:0], case["sigma"], **options).shape == batch[:0].shape, case
    blurred(batch[:2], case["sigma"], out=batch[1:], **options)
    assert batch[1:].tobytes() == wanted[:2].tobytes(), case
    views = [paper[4 : 4 + shape[0], 6 : 6 + shape[1]] for paper in papers]
    # Other types are converted, because no value changes.
    for other in ("float64", expected.dtype.newbyteorder()):
        assert blur(source.astype(other)).tobytes() == expected.tobytes(), (case, other)
    assert refused(blur, source, fixed) and refused(blur, source, source), case

    # Float and 16-bit arrays may begin at any address.
    memory = numpy.zeros(source.nbytes + 1, "uint8")
    memory[1:] = numpy.frombuffer(source.tobytes(), "uint8")
    unaligned = memory[1:].view(dtype).reshape(shape)
    assert blur(unaligned).tobytes() == expected.tobytes(), case

    # A blur of variable sigma gives the same bits in a padded view. A plan of either kind may be used by two
    # threads at once.
    varied = VariableBlur(shape, dtype, case["sigma"], numpy.full(shape[:2], 200, "uint8"), **options)
    once = varied(source)
    papers[1][...] = 0
    assert varied(views[0], views[1]).tobytes() == once.tobytes(), case
    with ThreadPoolExecutor(2) as threads:
        for plan, one in ((blur, expected), (varied, once)):
            both = threads.map(plan, [source, source[::-1].copy()] * 4)
            assert all(found.tobytes() == one.tobytes() for found in list(both)[::2]), case

# The stride of an axis with one element can be any number. It does not matter.
picture = numpy.random.default_rng(4).integers(0, 256, (9, 20), numpy.uint8)
repeated = numpy.broadcast_to(picture[0], (1, 20))
for single in (picture[::-1][:1], picture[:1].T, picture[:, ::5][:, :1], repeated):
    packed = single.copy("C")
    out = numpy.empty_like(single)
    assert (Blur(single.shape, "uint8", 2)(single, out) == blurred(packed, 2)).all(), single.strides
    assert (out == blurred(packed, 2)).all(), single.strides

# Each of these wrong arguments must raise an error whose message contains the text next to it.
for arguments, reason in (
    (((8, 8), "int32", 1), "image.astype(numpy.float32)"),
    (((8, 8, 2), "uint8", 1), "(height, width, 1, 3 or 4)"), (((5, 8, 8), "uint8", 1), "(N, height, width"),
    (((8, 8), "uint8", (3, -1)), "sigma (3, -1), in the order (x, y): must be from 0 to 1000"),
    (((8, 8), "complex64", 1), "no format for complex64"), (((8, 8), "uint8", -1), "from 0 to 1000"),
    (((8, 8), "uint8", 1, "edges"), "there are clamp, mirror"), (((8, 0), "uint8", 1), "size 0x8"),
    (((8, 8), "uint8", (1, 2, 3)), "a pair (x, y), across and down; SciPy's order is (y, x)"),
    (((8, 8), "uint8", numpy.nan), "sigma nan: must be"),
    (((8, 8), "uint8", 1, "constant", (1, 2)), "2 values, and a pixel 1"),
    (((8, 8), "uint8", 1, "clamp", (), 1 << 32), "from 1 to 1024"),
    (((8, 8), "uint8", 1, "clamp", (), 1, 0, "simd\0"), "no kernel is called"),
):
    try:
        Blur(*arguments)
    except ValueError as error:
        assert reason in str(error), (arguments, error)
        continue
    raise AssertionError(arguments)



def gaussian(image, sigma):
    """Blurs an array of two dimensions with clamped edges, by the definition."""
    reach = int(6 * sigma) + 1
    weights = numpy.exp(-numpy.arange(-reach, reach + 1) ** 2 / (2 * sigma**2))
    for _ in range(2):
        wide = numpy.pad(image.astype(float), [(reach, reach), (0, 0)], "edge")
        image = sum(w * wide[i : i + len(image)] for i, w in enumerate(weights / weights.sum())).T
    return image


# Arrays of other dtypes are converted if no value changes. Otherwise, the error names the cast.
random = numpy.random.default_rng(7)
bytes8, words16 = random.integers(0, 256, (13, 17)), random.integers(0, 65536, (13, 17))
floats = random.random((13, 17), numpy.float32)
for image, dtype, most in (
    (bytes8, "uint8", 1), (words16, "uint16", 257), (bytes8.astype("int16"), "uint8", 1),
    (bytes8.astype("uint64"), "uint8", 1), (words16.astype(">i4"), "uint16", 257),
    (words16.astype(">u2"), "uint16", 257), (floats.astype(float), "float32", 1 / 255),
    (floats.astype(numpy.float16), "float32", 1 / 255), (floats.astype(">f4"), "float32", 1 / 255),
    (floats > 0.5, "float32", 1 / 255), (floats.astype(numpy.longdouble), "float32", 1 / 255),
):
    found = blurred(image, 2)
    assert found.dtype == numpy.dtype(dtype), (image.dtype, found.dtype)
    assert abs(found - gaussian(image, 2)).max() <= most + 0.5 * (dtype != "float32"), image.dtype
for image, cast in (
    (random.random((4, 5)), "image.astype(numpy.float32)"),
    (numpy.full((4, 5), 1e300), "image.astype(numpy.float32)"),
    (bytes8 - 300, "image.astype(numpy.float32)"), (words16 + 65536, "image.astype(numpy.float32)"),
    (bytes8.astype("int8"), "image.astype(numpy.float32)"),
    (bytes8 * 1j, "image.real.astype(numpy.float32)"), (bytes8.astype(object), "image.astype(numpy.float32)"),
    (numpy.ma.masked_greater(bytes8.astype("uint8"), 9), "image.filled(value)"),
    (numpy.zeros((4, 5), [("r", "u1"), ("g", "u1")]), "numpy.stack([image[name] for name"),
    (numpy.ma.masked_all((4, 5), int), "image.filled(value)"),
    (numpy.full((4, 5), 2**24 + 1), "image.astype(numpy.float32)"),
):
    try:
        blurred(image, 2)
    except ValueError as error:
        assert cast in str(error), (image.dtype, error)
        continue
    raise AssertionError(image.dtype)
for image, cast in (
    (bytes8 + 0.5, "image.round().clip(0, 255).astype(numpy.uint8)"),
    (bytes8 + 300, "image.clip(0, 255).astype"),
    (numpy.full((13, 17), -1, "int8"), "clip(0, 255)"),
    (numpy.full((13, 17), 2**64 - 1, "uint64"), "clip(0, 255)"),
    (numpy.full((13, 17), numpy.nan), "numpy.nan_to_num(image).round().clip(0, 255)"),
    (numpy.full((13, 17), 0.5, numpy.float16), "image.astype(numpy.float32).round().clip(0, 255)"),
):
    try:
        Blur((13, 17), "uint8", 2)(image)
    except ValueError as error:
        assert cast in str(error), (image.dtype, error)
        continue
    raise AssertionError(image.dtype)
odd = numpy.full((13, 17), numpy.nan, float)
odd[0, 0] = numpy.inf
assert numpy.isnan(Blur((13, 17), "float64", 0)(odd)[1:]).all()

# Integers beyond 2²⁴ are converted to floats if they are exact.
for value in (2**24 + 2, -2**31, 2**62):
    assert (Blur((4, 5), "float32", 0)(numpy.full((4, 5), value)) == value).all()
for value in (2**24 + 1, 2**63 - 1):
    try:
        Blur((4, 5), "float32", 0)(numpy.full((4, 5), value))
    except ValueError as error:
        assert "would change in float32" in str(error), error
        continue
    raise AssertionError(value)
for value in (300, -5, numpy.nan, numpy.inf):
    try:
        blurred(bytes8.astype("uint8"), 2, edge="constant", constant=value)
    except ValueError as error:
        assert "must be from 0 to 255" in str(error), error
        continue
    raise AssertionError(value)

# Straight colours are weighted by alpha, and the fourth channel of an opaque image becomes 255.
rgba = random.integers(0, 256, (13, 17, 4)).astype(numpy.uint8)
opacity, white = gaussian(rgba[..., 3], 2), numpy.full((13, 17), 255, "uint8")
varied = VariableBlur(rgba.shape, "uint8", 2, white, alpha="straight")
for soft in (blurred(rgba, 2, alpha="straight"), varied(rgba)):
    assert abs(soft[..., 3] - opacity).max() <= 1.5
    for channel in range(3):
        colour = gaussian(rgba[..., channel] * rgba[..., 3].astype(float), 2) / opacity
        assert (abs(soft[..., channel] - colour) <= 0.5 + 255 / opacity).all()
assert (blurred(rgba, 2, alpha="opaque")[..., 3] == 255).all()
assert (VariableBlur(rgba.shape, "uint8", 2, white, alpha="opaque")(rgba)[..., 3] == 255).all()
assert (blurred(rgba[..., ::-1], 2, alpha="straight") == blurred(
    numpy.ascontiguousarray(rgba[..., ::-1]), 2, alpha="straight")).all()
for image, alpha in ((rgba, "none"), (rgba[..., :3], "straight")):
    try:
        blurred(image, 2, alpha=alpha)
    except ValueError as error:
        assert "alpha" in str(error), error
        continue
    raise AssertionError(alpha)

# A list is an image, too. The result must go into an array.
plan = Blur((13, 17), "uint8", 2)
assert (plan(bytes8.tolist()) == blurred(bytes8.astype("uint8"), 2)).all()
try:
    plan(bytes8, bytes8.tolist())
    raise AssertionError("a list was written")
except TypeError as error:
    assert "must be a numpy.ndarray, not list" in str(error), error

# numpy does not define the strides of axes of length 1, so they must not matter.
row = random.integers(0, 256, 17).astype(numpy.uint8)
strange = numpy.lib.stride_tricks.as_strided
for image, plain in (
    (row[None], row.reshape(1, 17)), (row.reshape(1, 17).T, row.reshape(17, 1)),
    (row[:, None], row.reshape(17, 1)),
    (row[:, None, None], row.reshape(17, 1, 1)), (row.reshape(1, 17)[..., None], row.reshape(1, 17, 1)),
    (strange(row, (1, 17), (-999, 1)), row.reshape(1, 17)), (strange(row, (17, 1),
    (1, -5)), row.reshape(17, 1)),
    (numpy.asfortranarray(row.reshape(1, 17)), row.reshape(1, 17)),
    (strange(row, (1, 17, 1), (0, 1, 0)), row.reshape(1, 17, 1)),
):
    out = numpy.empty_like(image)
    assert blurred(image, 2).tobytes() == blurred(plain.copy(), 2).tobytes(), image.strides
    assert Blur(image.shape, "uint8", 2)(image, out).tobytes() == blurred(plain.copy(), 2).tobytes()

# Names of SciPy, and names and numbers of cv2, are accepted. For the names of other libraries, the error
# suggests a mode. numpy.pad continues an image in the same way.
modes = {"reflect": "mirror", "symmetric": "reflect", "edge": "clamp", "wrap": "wrap", "constant": "constant"}
for name, pad in (
    ("reflect101", "reflect"), ("BORDER_REFLECT_101", "reflect"), (4, "reflect"),
    ("BORDER_DEFAULT", "reflect"), (numpy.int64(4), "reflect"), ("mirror", "reflect"),
    ("BORDER_REFLECT", "symmetric"), ("symmetric", "symmetric"), ("grid-mirror", "symmetric"),
    ("reflect", "symmetric"), (2, "symmetric"), ("edge", "edge"), ("BORDER_REFLECT101", "reflect"),
    ("replicate", "edge"), ("nearest", "edge"), (1, "edge"), ("BORDER_REPLICATE", "edge"),
    ("BORDER_WRAP", "wrap"), (3, "wrap"), ("grid-wrap", "wrap"), ("wrap", "wrap"), ("zero", "constant"),
    (0, "constant"), ("BORDER_CONSTANT", "constant"), ("grid-constant", "constant"), ("circular", "wrap"),
):
    padded = numpy.pad(row[:9][None].astype(numpy.float32), [(0, 0), (8, 8)], pad)
    inner = blurred(row[:9][None].astype(numpy.float32), (1, 0), edge=modes[pad])
    assert abs(blurred(padded, (1, 0))[:, 8:-8] - inner).max() < 0.1, pad
    try:
        found = blurred(bytes8.astype(numpy.uint8), 1, edge=name)
        assert name not in ("reflect101", "symmetric", "edge", "replicate", "zero", "circular"), name
        assert (found == blurred(bytes8.astype(numpy.uint8), 1, edge=modes[pad])).all(), name
        continue
    except ValueError as error:
        assert f"did you mean '{modes[pad]}'?" in str(error), (name, error)
for name in (5, -1, 16, 1.5, None, "BORDER_TRANSPARENT", ""):
    try:
        blurred(bytes8.astype(numpy.uint8), 1, edge=name)
    except ValueError as error:
        assert "there are clamp, mirror" in str(error), (name, error)
        continue
    raise AssertionError(name)
for options, sigma in (
    ({"ksize": 11}, "sigma=2 "), ({"ksize": (11, 5)}, "sigma=(2, 1.1), in the order (x, y), "),
    ({"radius": 5}, "use sigma=5;"),
    ({"radius": 5}, "use sigma=2"), ({"kernel_size": 3}, "sigma=0.8 "),
    ({"radius": "big"}, "standard deviation"), ({"kernelSize": 3}, "sigma=0.8 "),
    ({"blur_radius": 5}, "use sigma=5;"), ({"ksize": (0, 0)}, "standard deviation"),
):
    for blurring in (
        lambda: blurred(floats, **options), lambda: Blur((8, 8), "uint8", **options),
        lambda: Blur.like(floats, **options), lambda: blurred(floats, 2, **options),
    ):
        try:
            blurring()
        except TypeError as error:
            assert sigma in str(error), (options, error)
            continue
        raise AssertionError(options)

# An unknown option must be named in the error. For an unknown value, the error must list the valid values.
for options, kind, reasons in (
    ({"edgee": "clamp"}, TypeError, ["edgee"]),
    ({"edge": "clam"}, ValueError, ["clamp, mirror, reflect, wrap, constant"]),
    ({"kernel": "pyramids"}, ValueError, [" naive, ", " simd, ", ", pyramid"]),
):
    try:
        blurred(numpy.zeros((8, 8), "uint8"), 1, **options)
    except kind as error:
        assert all(reason in str(error) for reason in reasons), (options, error)
        continue
    raise AssertionError(options)

# A blur whose sigma varies by pixel must leave pixels unchanged where the mask is 0. With a mask of 255
# everywhere, it must match the plain blur.
picture = numpy.random.default_rng(5).integers(0, 256, (40, 50, 3), numpy.uint8)
mask = numpy.zeros((40, 50), numpy.uint8)
mask[:, 25:] = 255
for method in get_args(Method):
    result = VariableBlur(picture.shape, "uint8", 4, mask, method, "mirror", threads=2)(picture)
    assert (result[:, :25] == picture[:, :25]).all() and (result[:, 25:] != picture[:, 25:]).any(), method
    whole = VariableBlur(picture.shape, "uint8", 4, mask | 255, method)(picture)
    apart = abs(whole.astype(int) - blurred(picture, 4).astype(int)).max()
    assert apart <= (1 if method == "two-pass" else 0), (method, apart)
assert VariableBlur((8, 8), "uint8", 4, mask[:8, :8]).error < 1
wide = VariableBlur(picture.shape, "uint8", 4, mask.astype(">i8"))(picture)
assert (wide == VariableBlur(picture.shape, "uint8", 4, mask)(picture)).all()
assert VariableBlur((8, 8), "uint8", 4, mask[:8, :8], "two-pass").error is None
for arguments, reason in (
    ((4, mask), "mask must be uint8 (8, 8), not uint8 (40, 50)"), ((4, numpy.ones((8, 8))), "(mask * 255.0)"),
    ((4, numpy.full((8, 8), 256)), "mask.clip(0, 255).astype(numpy.uint8)"),
    ((4, mask[:8, :8], "level"), "there are levels, layers"), ((-1, mask[:8, :8]), "from 0 to 1000"),
    ((4, mask[:8, :8], "levels", "clamp", (), 1, None, "straight"), "needs images with 4 channels"),
):
    try:
        VariableBlur((8, 8), "uint8", *arguments)
    except ValueError as error:
        assert reason in str(error), (arguments, error)
        continue
    raise AssertionError(arguments)

# A pair of sigmas is (x, y).
dot = numpy.zeros((21, 21), numpy.float32)
dot[10, 10] = 1
assert (blurred(dot, (2, 0))[[9, 11]] == 0).all() and (blurred(dot, (2, 0))[10, 7:14] > 0).all()

# Reversed channels are read where they are, and the result has the order of the image in memory.
picture = random.integers(0, 256, (40, 50, 3), numpy.uint8)
assert blurred(picture[..., ::-1], 3).strides == picture[..., ::-1].strides
assert blurred(picture[..., ::-1], 3, edge="constant", constant=(1, 2, 3)).strides == picture.strides

# Smaller results are means of blocks, of one image and of a batch.
grey = random.integers(0, 256, (41, 54), numpy.uint8)
for n in (2, 4):
    small, whole = blurred(grey, 6, downscaled=n), blurred(grey, 6).astype(float)
    means = whole[:41 // n * n, :54 // n * n].reshape(41 // n, n, 54 // n, n).mean((1, 3))
    assert small.shape == means.shape and abs(small - means).max() <= 2, n
    batch = numpy.stack([grey, grey])[..., None]
    assert (Blur.like(batch, 6, downscaled=n)(batch)[1, :, :, 0] == small).all()
    out = numpy.empty_like(small)
    assert blurred(grey, 6, downscaled=n, out=out) is out and (out == small).all()
for options, text in (({"downscaled": 3}, "must be 1, 2 or 4"), ({"downscaled": 4}, "too small")):
    try:
        blurred(grey[:3], 6, **options)
        raise AssertionError(options)
    except ValueError as error:
        assert text in str(error), error

# The texts of plans. That of a plain plan makes the plan again.
plan = Blur((8, 9), ">u2", (2, 3), 4, threads=2)
assert repr(plan) == (
    f"Blur((8, 9), 'uint16', sigma=(2, 3), kernel='{plan.kernel}', edge='mirror', threads=2)"), plan
again = eval(repr(Blur((8, 8, 3), "uint8", 2.5, "constant", (1, 2, 3))))
assert (again.sigma, again.constant, again.edge) == ((2.5, 2.5), (1, 2, 3), "constant"), again
assert repr(VariableBlur((8, 8), "uint8", 4, mask[:8, :8])) == (
    "VariableBlur((8, 8), 'uint8', sigma=4, mask=..., method='levels', edge='clamp', threads=1)")
assert set(package.__all__) == {
    "Blur", "VariableBlur", "blurred", "Alpha", "Edge", "Method", "clear_plans", "__version__"}
assert set(dir(package)) == {*package.__all__, "__doc__"} and package.__version__.startswith("0.1.0")
assert Blur.like(numpy.zeros((8, 8), int), 1).dtype == numpy.uint8

# A copy shares the plan with the original, and the plan is freed only once.
plan = Blur((8, 8), "uint8", [2, 3])
shared = copy.copy(plan)
del plan
assert shared(numpy.full((8, 8), 7, numpy.uint8)).tolist() == [[7] * 8] * 8
try:
    pickle.dumps(shared)
    raise AssertionError("a plan was pickled")
except TypeError:
    pass
print("all the same")
