"""The loops that Bench/Lab/neon looks for. Each of them is a row of its table."""
import collections

ARM, X86 = "aarch64", "x86_64"

# `wanted` says how many times certain opcodes must occur at least in the body of a loop. If several bodies
# fit, the shortest of them is used, and `name` says which one that is. `work` says how to find the number of
# values that an iteration computes. Either it names an opcode, the bytes of a value in the result of this
# opcode, and the number of taps that the opcode covers; or the number follows from the bytes that are stored.
# In `functions`, the private functions that the compiler does not inline come after the loop's own function.
Loop = collections.namedtuple("Loop", "name functions per wanted work")
STORED = "stored"


def loop(name, functions, per, arm, x86, work):
    return Loop(name, functions.split(), per, {ARM: arm, X86: x86}, work)


def by(arm, x86):
    return {ARM: arm, X86: x86}


TAP, VALUE = "value and tap", "value"
AVERAGES = by(("urhadd", 2, 2), ("vpavgw", 2, 2))
PRODUCTS = by(("smlal", 4, 1), ("vpmaddwd", 4, 2))
FLOATS = by(("fmul", 4, 1), ("vfmadd", 4, 1))
THIRDS = by(("usubl", 2, 1 / 3), ("vpsubw", 2, 1 / 3))

WINDOWS = [
    loop("window down, 8 bits, radius 5 up", "averagesDown", TAP,
         {"urhadd": 4, "umull": 4}, {"vpavgw": 4, "vpmulhuw": 4}, AVERAGES),
    loop("the same, radius 4, gray, with its stores", "averagesDown", TAP,
         {"urhadd": 32, "umull": 40}, {"vpavgw": 32, "vpmulhuw": 40}, AVERAGES),
    loop("window down, 8 bits, radius 4, three channels", "threeDown", TAP,
         {"urhadd": 96, "umull": 120}, {"vpavgw": 96, "vpmulhuw": 120}, AVERAGES),
    loop("window across, 8 bits, radius 5 up", "averagesAcross", TAP,
         {"urhadd": 2, "umull": 2}, {"vpavgw": 2, "vpmulhuw": 2}, AVERAGES),
    loop("the same, radius 4, with its stores", "averagesAcross", TAP,
         {"urhadd": 8, "umull": 10, "str": 1}, {"vpavgw": 8, "vpmulhuw": 10}, AVERAGES),
    loop("window across, 8 bits, radius 4, three channels", "threeAcross", TAP,
         {"urhadd": 24, "umull": 30, "add": 30}, {"vpavgw": 24, "vpmulhuw": 30, "vpaddw": 30}, AVERAGES),
    loop("window down, 16 bits", "fixedDown", TAP, {"smlal": 8}, {"vpmaddwd": 8}, PRODUCTS),
    loop("window across, 16 bits", "fixedAcross", TAP, {"smlal": 16}, {"vpmaddwd": 8}, PRODUCTS),
    loop("window down, float, radius 9 up", "sumFloats", TAP,
         {"fmul": 16, "fadd": 16}, {"vfmadd": 16}, FLOATS),
    loop("window across, float", "floatAcross", TAP,
         {"fmul": 4, "fadd": 8}, {"vfmadd": 4, "vaddps": 4}, by(("fmul", 4, 2), ("vfmadd", 4, 2))),
    loop("weights by pixel, down, 16 bits", "bandDown", TAP,
         {"fmul": 4, "ucvtf": 1}, {"vfmadd": 4}, FLOATS),
    loop("weights by pixel, down, float", "bandDown", TAP,
         {"fmul": 4, "bic": 4}, {"vfmadd": 4, "vcmp": 4}, FLOATS),
    loop("weights by pixel, across, 16 bits", "bandAcross", TAP, {"fmul": 4}, {"vfmadd": 4}, FLOATS),
    loop("weights by pixel, across, float", "bandAcross", TAP,
         {"fmul": 4, "bic": 4}, {"vfmadd": 4, "vcmp": 1}, FLOATS),
]
RESAMPLING = [
    loop("downsample, 16 bits, order 4", "fixedDownsample", VALUE,
         {"urhadd": 30}, {"vpavgw": 30}, (STORED, 2)),
    loop("upsample, 16 bits, order 4", "fixedUpsample", VALUE, {"urhadd": 12}, {"vpavgw": 12}, (STORED, 2)),
    loop("downsample, float, order 4", "floatDownsample4", VALUE,
         {"fmul": 18, "fadd": 24}, {"vfmadd": 12}, (STORED, 4)),
    loop("downsample, float, order 8", "floatDownsample8", VALUE,
         {"fmul": 30, "fadd": 48}, {"vfmadd": 24}, (STORED, 4)),
    loop("upsample, float, order 4", "floatUpsample4", VALUE,
         {"fmul": 9, "fadd": 9}, {"vfmadd": 3}, (STORED, 4)),
    loop("upsample, float, order 4, three channels", "floatUpsample4", VALUE,
         {"fmul": 27, "fadd": 27}, {"vfmadd": 9}, (STORED, 4)),
]
BOXES = [
    loop("triple box down, 8 bits, sums", "boxDown32", VALUE, {"usubl": 12}, {"vpsubw": 12}, THIRDS),
    loop("the same, sums of 64 bits", "boxDown64", VALUE,
         {"usubl": 12}, {"vpsubw": 12, "vpaddq": 40}, THIRDS),
    loop("triple box across, 16 bits", "boxAcross32", VALUE,
         {"umull": 2, "sub": 2}, {"vpmuludq": 2}, (STORED, 4)),
    loop("the same, sums of 64 bits, of one limb", "boxAcross64", VALUE,
         {"ucvtf": 2, "ldr": 6}, {"vcvtuqq2pd": 2}, (STORED, 4)),
    loop("the same, of two limbs", "boxAcross64", VALUE,
         {"ucvtf": 2, "ldr": 12}, {"vcvtuqq2pd": 2, "vpaddq": 8}, (STORED, 4)),
    loop("means of boxes, float, the sums to an end", "boxMeans", VALUE,
         {"fcvtl": 2, "fadd": 2}, {"vcvtps2pd": 2}, (STORED, 8)),
    loop("the same, the means from a start", "boxMeans", VALUE,
         {"fmul": 2, "fadd": 4}, {"vmulpd": 2}, (STORED, 4)),
    loop("steps of rows, float, gray", "boxTranspose", VALUE, {"zip1": 8}, {"vunpcklps": 2}, (STORED, 4)),
]
OTHERS = [
    loop("cosines down, the first sums, 8 bits", "cosineBeginDown", TAP,
         {"fmul": 6, "fadd": 8, "ucvtf": 2}, {"vfmadd": 4, "vcvtdq2ps": 2},
         by(("ucvtf", 4, 1), ("vcvtdq2ps", 4, 1))),
    loop("cosines down, 8 bits", "cosineDown", VALUE,
         {"fmul": 7, "fadd": 13}, {"vfmadd": 5, "vaddps": 6}, (STORED, 4)),
    loop("cosines across", "cosineAcross", VALUE,
         {"fmul": 7, "fadd": 13}, {"vfmadd": 5, "vaddps": 6}, (STORED, 4)),
    loop("dual filter, rows mixed", "dualBlend", VALUE,
         {"fmul": 4, "fadd": 3}, {"vmulps": 2, "vfmadd": 2}, (STORED, 4)),
    loop("dual filter, downsample, gray", "dualDownsample", VALUE,
         {"fmul": 5, "uzp1": 2}, {"vfmadd": 3, "vpermt2ps": 6}, (STORED, 4)),
    loop("dual filter, upsample", "dualUpsample", VALUE,
         {"fmul": 19}, {"vfmadd": 9, "vmulps": 9}, (STORED, 4)),
    loop("dual filter, rows written, 8 bits", "dualMix", VALUE,
         {"fcvtzs": 1, "uzp1": 1}, {"vcvttps2dq": 1, "vpmovdb": 1}, (STORED, 1)),
]
LOOPS = WINDOWS + RESAMPLING + BOXES + OTHERS
