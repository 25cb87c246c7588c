"""Compiles the separable FIR of `halide-fir` ahead of time:  python fir.py FOLDER

The script writes FOLDER/halide_fir_{gray,rgb,rgba}{8,f32}_{clamp,mirror,reflect,wrap,constant}.{a,h} for the
instruction set of this machine, and halide_fir.h, a table of all these functions. Each function takes the
source, the horizontal and the vertical weights, the constant pixel and the destination. The weights are half
the weight of the centre, followed by the weights of one side. A row is an array of channels * width
components.

8-bit images are filtered with 16-bit arithmetic. Pixels are scaled by 128, so that the sum of two pixels at
the same distance from the centre fits into 16 bits. Weights are multiples of 2^-16, and only the high half of
each product is summed. Dropping the low half of a product loses half of 1/128 level on average, so each sum
starts with that amount times the number of products.

The image is divided into strips of rows, which run in parallel. In each strip, the vertical sums come first,
in tiles of columns whose widened source rows fit into the first-level cache, and then the horizontal sums.
Both passes keep a block of rows and vectors in registers.
"""

import itertools
import pathlib
import sys

import halide as hl

STRIP, ROWS, VECTORS, TILE = 32, 4, 2, 64


EDGES = ["clamp", "mirror", "reflect", "wrap", "constant"]


def continued(i, extent, edge):
    """Returns the index of the pixel that is read for position i, which may lie beyond the edge.

    For the edge mode constant, the index is valid but has no meaning: the caller replaces the pixel. `likely`
    makes Halide compile separate loops for the interior, without checks for the edge.
    """
    last, inside = extent - 1, hl.clamp(hl.likely(i), 0, extent - 1)
    if edge in ("clamp", "constant"):
        return inside
    if edge == "wrap":
        outside = i % extent
    else:
        period = hl.max(2 * last, 1) if edge == "mirror" else 2 * extent
        phase = i % period
        outside = hl.select(phase > last, period - phase - (edge == "reflect"), phase)
    return hl.select((i < 0) | (i > last), outside, inside)


def fir(kind, channels, edge):
    small = kind == hl.UInt(8)
    work = hl.UInt(16) if small else kind
    lanes = 64 // work.bytes()
    block = lanes * VECTORS
    source = hl.ImageParam(kind, 2, "source")
    across, down = hl.ImageParam(work, 1, "across"), hl.ImageParam(work, 1, "down")
    constant = hl.ImageParam(kind, 1, "constant")
    x, y = hl.vars("x y")
    width, height = source.dim(0).extent() // channels, source.dim(1).extent()

    def widened(value):
        return hl.cast(work, value) << 7 if small else value

    def summed(name, line, weights):
        pairs = hl.RDom([(0, weights.dim(0).extent())], "pairs")
        sums = hl.Func(name)
        sums[x, y] = hl.cast(work, weights.dim(0).extent() // 2) if small else hl.f32(0)
        pair = line(-pairs) + line(pairs)
        exact = hl.cast(hl.UInt(32), pair) * weights[pairs] if small else pair * weights[pairs]
        sums[x, y] += hl.cast(work, exact >> 16) if small else exact
        return sums, pairs

    wide, vertical, result = (hl.Func(name) for name in ("wide", "vertical", "result"))
    pixel = x // channels
    value = source[continued(pixel, width, edge) * channels + x % channels, continued(y, height, edge)]
    if edge == "constant":
        outside = (pixel < 0) | (pixel >= width) | (y < 0) | (y >= height)
        value = hl.select(outside, constant[x % channels], hl.likely(value))
    wide[x, y] = widened(value)
    column, rows_apart = summed("column", lambda i: wide[x, y + i], down)
    vertical[x, y] = column[x, y]
    row, columns_apart = summed("row", lambda i: vertical[x + channels * i, y], across)
    result[x, y] = hl.cast(kind, hl.min((row[x, y] + 64) >> 7, 255)) if small else row[x, y]

    xo, yo, xi, yi, strip = hl.vars("xo yo xi yi strip")
    tail = hl.TailStrategy
    result.split(y, strip, y, STRIP, tail.GuardWithIf).split(y, yo, yi, ROWS, tail.GuardWithIf)
    result.split(x, xo, xi, block, tail.GuardWithIf).reorder(xi, yi, xo, yo, strip)
    result.vectorize(xi, lanes).unroll(xi).unroll(yi).parallel(strip)
    vertical.compute_at(result, strip).align_bounds(x, channels)
    vertical.tile(x, y, xo, yo, xi, yi, block, ROWS, tail.RoundUp)
    tile = hl.Var("tile")
    vertical.reorder(xi, yi, yo, xo).vectorize(xi, lanes).unroll(xi).unroll(yi)
    vertical.split(xo, tile, xo, max(1, TILE // block))
    vertical.reorder(xi, yi, xo, yo, tile)
    for sums, pairs, consumer in ((column, rows_apart, vertical), (row, columns_apart, result)):
        sums.compute_at(consumer, xo).vectorize(x, lanes).unroll(x).unroll(y)
        sums.update().reorder(x, y, pairs).vectorize(x, lanes).unroll(x).unroll(y)
    wide.compute_at(vertical, tile).align_bounds(x, channels)
    wide.store_in(hl.MemoryType.Stack).vectorize(x, lanes, tail.RoundUp)
    return result, [source, across, down, constant]


def main(folder):
    colours, kinds = (("gray", 1), ("rgb", 3), ("rgba", 4)), (("8", hl.UInt(8)), ("f32", hl.Float(32)))
    names = []
    for edge, (depth, kind), (colour, channels) in itertools.product(EDGES, kinds, colours):
        name = f"halide_fir_{colour}{depth}_{edge}"
        result, arguments = fir(kind, channels, edge)
        target = hl.get_host_target().with_feature(hl.TargetFeature.NoAsserts)
        if names:  # only the first library contains the Halide runtime
            target = target.with_feature(hl.TargetFeature.NoRuntime)
        result.compile_to({hl.OutputFileType.static_library: str(folder / f"{name}.a"),
                           hl.OutputFileType.c_header: str(folder / f"{name}.h")}, arguments, name, target)
        names.append(name)
    lines = [f'#include "{name}.h"' for name in names]
    lines += ["// By edge mode, depth and channels.", f"static const decltype(&{names[0]}) halide_fir[] = {{",
              *(f"  {name}," for name in names), "};"]
    (folder / "halide_fir.h").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
