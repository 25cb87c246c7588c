"""Compiles the separable FIR of `halide-fir` ahead of time:  python fir.py FOLDER

Writes FOLDER/halide_fir_{gray,rgb,rgba}{8,f32}.{a,h} for this machine's instruction set. Each takes the
source, the weights of the centre and one side (the centre's halved) and the destination; a row is one of
channels * width components. Edges are clamped.

8-bit images stay in 16 bits: a pair of pixels at the same distance is added, times 128 fits 16 bits, and the
high half of its product with a weight in steps of 2^-16 is summed. What the high half cuts off, half a step
of 1/128 level on average, is put back beforehand.

For each strip of rows: the vertical sums, in column tiles whose widened source rows fit the first-level
cache; then the horizontal sums. Both keep a block of rows and vectors in registers. Strips run in parallel.
"""

import itertools
import pathlib
import sys

import halide as hl

STRIP, ROWS, VECTORS, TILE = 32, 4, 2, 64


def fir(kind, channels):
    small = kind == hl.UInt(8)
    work = hl.UInt(16) if small else kind
    lanes = 64 // work.bytes()
    block = lanes * VECTORS
    source = hl.ImageParam(kind, 2, "source")
    across, down = hl.ImageParam(work, 1, "across"), hl.ImageParam(work, 1, "down")
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
    clamped = hl.clamp(hl.likely(x // channels), 0, width - 1) * channels + x % channels
    wide[x, y] = widened(source[clamped, hl.clamp(hl.likely(y), 0, height - 1)])
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
    return result, [source, across, down]


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    colours, kinds = (("gray", 1), ("rgb", 3), ("rgba", 4)), (("8", hl.UInt(8)), ("f32", hl.Float(32)))
    for (colour, channels), (depth, kind) in itertools.product(colours, kinds):
        name = colour + depth
        result, arguments = fir(kind, channels)
        features = [] if name == "gray8" else [hl.TargetFeature.NoRuntime]
        target = hl.get_host_target().with_feature(hl.TargetFeature.NoAsserts)
        for feature in features:
            target = target.with_feature(feature)
        result.compile_to({hl.OutputFileType.static_library: str(folder / f"halide_fir_{name}.a"),
                           hl.OutputFileType.c_header: str(folder / f"halide_fir_{name}.h")},
                          arguments, f"halide_fir_{name}", target)
