import Blur
import Foundation

// Kernels that each change one thing in a correct blur. `WrongKernelTests` names the property that must
// detect the change.

/// A kernel without any mistake, as a control.
enum Honest: Mutant {}

enum Copy: Mutant {
  static func mutate(_ blur: inout PlainBlur) { blur.weight = { i, _ in i == 0 ? 1 : 0 } }
}

enum ClampOffByOne: Mutant {
  static func mutate(_ blur: inout PlainBlur) {
    blur.index = { i, count, edge in
      if case .clamp = edge, i >= count { max(0, count - 2) } else { edge.index(of: i, count: count) }
    }
  }
}

/// A kernel that treats `reflect` like `mirror`.
enum ReflectAsMirror: Mutant {
  static func mutate(_ blur: inout PlainBlur) {
    blur.index = { i, count, edge in
      (edge == .reflect ? .mirror : edge).index(of: i, count: count)
    }
  }
}

/// A kernel that mirrors the image only once. That is wrong if a window reaches beyond the mirror image of
/// the whole image.
enum MirrorsOnce: Mutant {
  static func mutate(_ blur: inout PlainBlur) {
    blur.index = { i, count, edge in
      guard edge == .mirror else { return edge.index(of: i, count: count) }
      return max(0, min(count - 1, i < 0 ? -i : i >= count ? 2 * count - 2 - i : i))
    }
  }
}

enum BlackConstant: Mutant {
  static func mutate(_ blur: inout PlainBlur) { if case .constant = blur.edge { blur.edge = .transparent } }
}

/// A kernel that leaves out pixels outside the image, without a correction for their weights.
enum DarkEdges: Mutant {
  static func mutate(_ blur: inout PlainBlur) { blur.normalises = false }
}

enum WrongSigma: Mutant {
  static func mutate(_ blur: inout PlainBlur) { blur.weight = { exp(-pow(Double($0) / ($1 * 1.04), 2) / 2) } }
}

enum SwappedAxes: Mutant {
  static func mutate(_ blur: inout PlainBlur) {
    // Swapping the values of a valid sigma always gives a valid sigma, so the fallback is never used.
    blur.sigma = (try? Sigma(x: blur.sigma.y, y: blur.sigma.x)) ?? blur.sigma
  }
}

/// A kernel that blurs a little along an axis whose sigma is 0.
enum NoZeroSigma: Mutant {
  static func mutate(_ blur: inout PlainBlur) {
    blur.sigma = (try? Sigma(x: max(0.5, blur.sigma.x), y: max(0.5, blur.sigma.y))) ?? blur.sigma
  }
}

enum Darkened: Mutant {
  static func mutate(_ blur: inout PlainBlur) { blur.finish = { $0 * 255 / 256 } }
}

/// A kernel that cuts off fractions after both passes, instead of rounding once.
enum Truncating: Mutant {
  static func mutate(_ blur: inout PlainBlur) {
    guard blur.format.component != .float32 else { return }
    blur.afterDown = { $0.rounded(.down) }
    blur.finish = { ($0 + 1e-9).rounded(.down) }
  }
}

/// A kernel that makes one row 0.4 levels darker. No single pixel shows this mistake.
enum DimRow: Mutant {
  static func run(_ blur: PlainBlur, _ units: Range<Int>, _ buffers: PhaseContext) {
    blur.run(units, buffers)
    guard blur.format.component == .uint8, let y = units.last, y + blur.region.y == blur.height - 1 else {
      return
    }
    var dim = blur
    dim.finish = { ($0 - 0.4) }
    dim.run(y..<y + 1, buffers)
  }
}

/// A kernel that stores full scale as 0 in 16-bit formats.
enum Overflowing: Mutant {
  static func mutate(_ blur: inout PlainBlur) {
    if blur.format.component == .uint16 { blur.finish = { $0 > 65534.9 ? 0 : $0 } }
  }
}

/// A kernel that keeps only the lowest 11 bits of a column's number.
enum WrongFarRight: Mutant {
  static func mutate(_ blur: inout PlainBlur) {
    blur.index = { i, count, edge in edge.index(of: i, count: count).map { $0 & 2047 } }
  }
}

/// A kernel that moves the image half a pixel to the right.
enum OffCentre: Mutant {
  static func mutate(_ blur: inout PlainBlur) { blur.weight = { exp(-pow((Double($0) - 0.5) / $1, 2) / 2) } }
}

/// A kernel that has negative weights at distances beyond 2 sigma.
enum Overshooting: Mutant {
  static func mutate(_ blur: inout PlainBlur) {
    blur.weight = { i, sigma in
      let distance = Double(i) / sigma
      return exp(-distance * distance / 2) * (abs(distance) < 2 ? 1 : -1)
    }
  }
}

enum BlueForRed: Mutant {
  static func mutate(_ blur: inout PlainBlur) {
    if blur.format.channels == 4 { blur.channel = { $0 == 0 ? 2 : $0 == 2 ? 0 : $0 } }
  }
}

/// A kernel that reduces 16-bit results to 8 bits.
enum EightBitsOnly: Mutant {
  static func mutate(_ blur: inout PlainBlur) {
    if blur.format.component == .uint16 { blur.finish = { ($0 / 257).rounded() * 257 } }
  }
}

enum ClampsFloats: Mutant {
  static func mutate(_ blur: inout PlainBlur) {
    if blur.format.component == .float32 { blur.finish = { max(0, min(1, $0)) } }
  }
}

/// A kernel that reads the source as if its rows had no padding.
enum AssumesPacked: Mutant {
  static func mutate(_ blur: inout PlainBlur) {
    let rowBytes = blur.width * blur.format.bytesPerPixel
    blur.sourceStride = { _ in rowBytes }
  }
}

/// A kernel that takes the region for the whole image.
enum BlindToRegion: Mutant {
  static func mutate(_ blur: inout PlainBlur) {
    let (region, width, height) = (blur.region, blur.width, blur.height)
    blur.index = { i, count, edge in
      // The mistake affects only regions that are narrower than the image, and only the horizontal direction.
      // In square images, rows and columns have the same length and cannot be told apart here, so the mistake
      // is left out.
      guard region.width < width, count == width, count != height else {
        return edge.index(of: i, count: count)
      }
      return edge.index(of: i - region.x, count: region.width).map { $0 + region.x }
    }
  }
}

/// A kernel that reads pixels in pairs that begin where the region begins.
enum GridOfRegion: Mutant {
  static func mutate(_ blur: inout PlainBlur) {
    let region = blur.region
    blur.index = { i, count, edge in
      edge.index(of: region.x + (i - region.x) & ~1, count: count)
    }
  }
}

/// A kernel that claims to read two sigma on each side, but reads six.
enum SmallHalo: Mutant {
  static func mutate(_ blur: inout PlainBlur) {
    blur.claimedReach = (Int(2 * blur.sigma.x), Int(2 * blur.sigma.y))
  }
}

/// A kernel that claims to read one row less than it reads.
enum HaloOffByOne: Mutant {
  static func mutate(_ blur: inout PlainBlur) {
    // The outermost weights of a Gaussian are too small to change a result in integers. Equal weights at all
    // distances do change it.
    blur.weight = { _, _ in 1 }
    blur.claimedReach = (Int((6 * blur.sigma.x).rounded(.up)), Int((6 * blur.sigma.y).rounded(.up)) - 1)
  }
}

enum PaddingWriter: Mutant {
  static func run(_ blur: PlainBlur, _ units: Range<Int>, _ buffers: PhaseContext) {
    blur.run(units, buffers)
    let layout = buffers.destination.layout
    guard layout.stride >= layout.rowBytes + layout.format.bytesPerPixel else { return }
    // Only rows before the last one have padding that belongs to the buffer.
    for y in units where y < layout.height - 1 { blur.write(buffers.destination, layout.width, y, 0, 0) }
  }
}

/// A kernel that overwrites a byte of the source.
enum SourceWriter: Mutant {
  static func run(_ blur: PlainBlur, _ units: Range<Int>, _ buffers: PhaseContext) {
    blur.run(units, buffers)
    UnsafeMutableRawPointer(mutating: buffers.source.unsafeBase).storeBytes(of: 0, as: UInt8.self)
  }
}

/// A kernel in which each thread treats its own rows as the whole image, so the edge mode is applied at their
/// borders.
enum ThreadSeam: Mutant {
  static func run(_ blur: PlainBlur, _ units: Range<Int>, _ buffers: PhaseContext) {
    var blur = blur
    let (height, rows) = (blur.height, units.lowerBound + blur.region.y..<units.upperBound + blur.region.y)
    guard height != blur.width, blur.region.height == height else { return blur.run(units, buffers) }
    blur.index = { i, count, edge in
      guard count == height else { return edge.index(of: i, count: count) }
      return edge.index(of: i - rows.lowerBound, count: rows.count).map { $0 + rows.lowerBound }
    }
    blur.run(units, buffers)
  }
}

/// A kernel that spreads NaN and infinities to the end of the row, as a running sum would.
enum SpreadingNaN: Mutant {
  static func run(_ blur: PlainBlur, _ units: Range<Int>, _ buffers: PhaseContext) {
    blur.run(units, buffers)
    guard blur.format.component == .float32 else { return }
    for y in units {
      var sum = 0.0
      for x in 0..<blur.region.width {
        sum += 0 * blur.read(buffers.destination.readOnly, x, y, 0)
        if !sum.isFinite { blur.write(buffers.destination, x, y, 0, sum) }
      }
    }
  }
}

/// A kernel that returns black if the image has a single column.
enum WrongAtSizeOne: Mutant {
  static func mutate(_ blur: inout PlainBlur) { if blur.width == 1 { blur.finish = { _ in 0 } } }
}

/// A kernel that repeats the nearest pixel if the image has a single row, whatever the edge mode is.
enum ClampsSingleRow: Mutant {
  static func mutate(_ blur: inout PlainBlur) { if blur.height == 1 { blur.edge = .clamp } }
}

/// A kernel that forgets the pixels that remain after whole vectors of 16, in images that are wide enough for
/// a vector.
enum ForgetsTail: Mutant {
  static func run(_ blur: PlainBlur, _ units: Range<Int>, _ buffers: PhaseContext) {
    blur.run(units, buffers)
    guard blur.region.width > 31, !blur.region.width.isMultiple(of: 16) else { return }
    for y in units { blur.write(buffers.destination, blur.region.width - 1, y, 0, 0) }
  }
}

/// A kernel that claims to work in place, but reads rows that it has already overwritten.
enum OverwritesItself: Mutant {
  static let worksInPlace = true
}

/// A kernel that leaves data in its scratch memory that changes the next image.
enum Remembers: Mutant {
  static func run(_ blur: PlainBlur, _ units: Range<Int>, _ buffers: PhaseContext) {
    var blur = blur
    let used = buffers.scratch.load(as: UInt8.self)
    if used > 0 { blur.finish = { $0 * 0.9 } }
    buffers.scratch.storeBytes(of: 1, as: UInt8.self)
    blur.run(units, buffers)
  }
}

/// A kernel that relies on scratch memory that contains zeros.
enum TrustsScratch: Mutant {
  static func run(_ blur: PlainBlur, _ units: Range<Int>, _ buffers: PhaseContext) {
    var blur = blur
    let found = buffers.scratch.load(as: UInt32.self)
    if found != 0 { blur.finish = { $0 / 2 } }
    blur.run(units, buffers)
  }
}

/// A kernel that writes 4 bytes beyond the scratch memory that it asked for.
enum WritesPastScratch: Mutant {
  static func run(_ blur: PlainBlur, _ units: Range<Int>, _ buffers: PhaseContext) {
    blur.run(units, buffers)
    buffers.scratch.storeBytes(of: 0, toByteOffset: PlainPlan.scratchBytes, as: UInt32.self)
  }
}

/// A kernel that promises to be three boxes, but is a Gaussian.
enum GaussianAsBoxes: Mutant {
  static let promise = Promise.specification("W3C triple box")
}

/// A kernel that promises a specification for which there is no reference.
enum UnknownSpecification: Mutant {
  static let promise = Promise.specification("my own blur")
}

/// A kernel that is less accurate than it promises.
enum LoosePromise: Mutant {
  static let promise = Promise.approximation(levels: 2)
  static func mutate(_ blur: inout PlainBlur) { blur.weight = { exp(-pow(Double($0) / ($1 * 1.2), 2) / 2) } }
}

/// A kernel that promises nothing, is inaccurate, and also writes into the padding.
enum Unpromising: Mutant {
  static let promise = Promise.nothing
  static func mutate(_ blur: inout PlainBlur) { blur.finish = { $0 * 0.9 } }
  static func run(_ blur: PlainBlur, _ units: Range<Int>, _ buffers: PhaseContext) {
    PaddingWriter.run(blur, units, buffers)
  }
}

/// A kernel that promises nothing, and blurs with a quarter of the requested sigma.
enum NarrowWithoutPromise: Mutant {
  static let promise = Promise.nothing
  static func mutate(_ blur: inout PlainBlur) { blur.weight = { exp(-pow(Double($0) / ($1 / 4), 2) / 2) } }
}

/// A kernel that copies the image, which is within the error that it promises.
enum CopyWithinPromise: Mutant {
  static let promise = Promise.approximation(levels: 255)
  static func mutate(_ blur: inout PlainBlur) { Copy.mutate(&blur) }
}

/// A kernel that promises nothing, and inverts the image.
enum InvertsWithoutPromise: Mutant {
  static let promise = Promise.nothing
  static func mutate(_ blur: inout PlainBlur) {
    let full = blur.format.fullScale
    blur.finish = { full - $0 }
  }
}
