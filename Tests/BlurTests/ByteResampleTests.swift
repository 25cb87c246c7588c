import Testing

@testable import Blur

/// Tests of the loops that make images with 8-bit components two or four times smaller or larger. The results
/// are compared with binomial filters in double precision.
@Suite("Resampling of bytes")
struct ByteResampleTests {
  struct Shape: Sendable {
    let channels: Int, ratio: Int, order: Int
    /// The difference between the number of a group and the number of the smaller image's pixel that is
    /// centred in it. A filter of order 4 is centred on a group's first pixel, and also needs the next group.
    var lag: Int { ratio == 2 && order == 4 ? 1 : 0 }
    /// The instruction sets whose loops support the ratio.
    var instructionSets: [InstructionSet] {
      InstructionSet.allCases.filter { $0.isAvailable && (ratio == 2 || $0 != .baseline) }
    }
  }
  static let shapes = [1, 3, 4].flatMap { channels in
    [(2, 3), (2, 4), (4, 2), (4, 3)].map { Shape(channels: channels, ratio: $0, order: $1) }
  }

  @Test("Aliasing of a quartering is no worse than the design claims", arguments: PyramidDesign.quarterErrors)
  func aliasing(order: Int, constant: Double, least: Double) {
    func claimed(_ ratio: Double, _ order: Int, _ constant: Double) -> Double {
      (0..<order).reduce(constant) { error, _ in error / ratio }
    }
    for factor in [1, 1.1, 1.25, 1.5, 2, 3, 4] {
      for further in [[], [4], [3, 4]] {
        let (ratio, orders) = (least * factor, [3, order] + further)
        var error = claimed(ratio, order, constant)
        for (i, order) in further.enumerated() {
          let constant = PyramidDesign.errors.first { $0.order == order }!.constant
          error += claimed(ratio / Double(2 << i), order, constant)
        }
        guard ratio / Double(1 << further.count) >= 1.5 else { continue }
        let window = WindowSpectrum(PyramidDesign(orders: orders, aliasing: error), 4 * ratio).half()
        let worst = PyramidTests.worst(4 * ratio, orders, GaussianTaps.cut(window, tail: 1e-9).half)
        #expect(worst < error + 1e-8, "ρ \(ratio), \(orders)")
        if factor == 1 && further.isEmpty { #expect(worst > 0.95 * error) }
      }
    }
  }

  @Test("Each pixel of the smaller image is a weighted sum of source pixels", arguments: shapes)
  func downsampling(shape: Shape) {
    let channels = shape.channels
    for count in [1, 2, 7, 8, 16, 31, 33, 64, 65, 130] {
      let (width, values) = (shape.ratio * (count + 2), (count + 2) * channels)
      let image = Self.bytes(4 * (Self.calls + 1) * width * channels, seed: count)
      var first: [[UInt16]]?
      for set in shape.instructionSets {
        let found = Self.downsampled(image, width, shape, values, set)
        for (y, row) in found.enumerated() {
          let rows = Self.weights(shape, of: (Self.calls - 1) * 4 / shape.ratio + y)
          for (x, value) in row.enumerated() {
            let (pixel, channel) = (x / channels + 2, x % channels)
            let exact = rows.reduce(0.0) { sum, row in
              Self.weights(shape, of: pixel).reduce(sum) {
                $0 + row.weight * $1.weight
                  * Double(image[(row.pixel * width + $1.pixel) * channels + channel]) * 256
              }
            }
            #expect(abs(Double(value) - exact) < 2.5, "\(set) \(count) \(x)")
          }
        }
        if let first { #expect(first == found, "\(set) \(count)") } else { first = found }
      }
    }
  }

  @Test("Each pixel of the larger image is a weighted sum of pixels of the smaller one", arguments: shapes)
  func upsampling(shape: Shape) {
    let (channels, ratio) = (shape.channels, shape.ratio)
    for count in [1, 3, 4, 5, 17, 63, 64, 65, 127, 129, 200, 260] {
      for isStreamed in [false, true] {
        let pixels = (count + ratio - 1) / ratio + 2
        let coarse = Self.bytes(4 * pixels * channels, seed: count).map { UInt16($0) * 256 }
        let exact = Self.interpolated(coarse, pixels, shape, count)
        var first: [[UInt8]]?
        for set in shape.instructionSets {
          let found = Self.upsampled(coarse, pixels * channels, shape, count * channels, isStreamed, set)
          if let first {
            #expect(first == found, "\(set) \(count)")
          } else {
            first = found
            let errors = zip(exact.joined(), found.joined()).map { abs($0 - Double($1)) }
            #expect(errors.count == 4 * count * channels && errors.max()! < 0.508, "\(set) \(count)")
          }
        }
      }
    }
  }

  private static func bytes(_ count: Int, seed: Int) -> [UInt8] {
    (0..<count).map { i in
      let mixed = UInt32(truncatingIfNeeded: i + 1000 * seed) &* 2_654_435_761
      // A fifth of the bytes are 255, the value for which sums are largest.
      let hash = (mixed ^ mixed >> 15) &* 2_246_822_519
      return hash % 5 == 0 ? 255 : UInt8(truncatingIfNeeded: hash >> 20)
    }
  }

  /// Returns the source pixels of a pixel of the smaller image, found by halving once or twice. The pixel is
  /// counted by its group, as in ``PixelGroups``.
  private static func weights(_ shape: Shape, of pixel: Int) -> [(pixel: Int, weight: Double)] {
    func halved(_ pixel: Int, _ order: Int) -> [(pixel: Int, weight: Double)] {
      PyramidTests.binomial(order).enumerated().map { (2 * pixel - (order + 1) / 2 + $0, $1) }
    }
    let outer = halved(pixel - shape.lag, shape.order)
    if shape.ratio == 2 { return outer }
    return outer.flatMap { outer in halved(outer.pixel, 3).map { ($0.pixel, outer.weight * $0.weight) } }
  }

  /// Returns the weights of three neighbouring pixels of the smaller image in pixel `pixel` of the larger
  /// image, found by doubling once or twice. The first of the three pixels has the number `pixel` / ratio,
  /// counted by its group as in ``PixelGroups``.
  private static func interpolation(_ shape: Shape, _ pixel: Int) -> [Double] {
    func doubled(_ pixel: Int, _ order: Int) -> [(pixel: Int, weight: Double)] {
      PyramidTests.binomial(order).enumerated().filter { (pixel + $0.offset - order / 2) % 2 == 0 }.map {
        ((pixel + $0.offset - order / 2) >> 1, 2 * $0.element)
      }
    }
    var weights = [0.0, 0, 0]
    let middle = shape.ratio == 2 ? [(pixel, 1.0)] : doubled(pixel, 3)
    for (middle, outer) in middle {
      for (found, inner) in doubled(middle, shape.order) {
        weights[found - pixel / shape.ratio + shape.lag] += outer * inner
      }
    }
    return weights
  }

  /// Returns four rows of the larger image, found by interpolation in double precision.
  private static func interpolated(
    _ coarse: [UInt16], _ pixels: Int, _ shape: Shape, _ count: Int
  ) -> [[Double]] {
    let (channels, ratio) = (shape.channels, shape.ratio)
    let weights = (0..<max(4, count)).map { interpolation(shape, $0) }
    return (0..<4).map { y in
      (0..<count * channels).map { x in
        var sum = 0.0
        for i in 0..<3 {
          for j in 0..<3 where weights[y][i] != 0 {
            let index = ((y / ratio + i) * pixels + x / channels / ratio + j) * channels + x % channels
            sum += weights[y][i] * weights[x / channels][j] * Double(coarse[index]) / 256
          }
        }
        return sum
      }
    }
  }

  /// The number of calls of the downsampling loop. The first calls only fill its state.
  private static let calls = 4

  /// Returns the rows of the smaller image that the last call computes, from their third pixels on.
  private static func downsampled(
    _ image: [UInt8], _ width: Int, _ shape: Shape, _ count: Int, _ set: InstructionSet
  ) -> [[UInt16]] {
    var state = [UInt16](repeating: 0xabcd, count: 4 * (2 * count + 64))
    var targets = [UInt16](repeating: 0, count: 2 * (count + 64))
    image.withUnsafeBytes { image in
      for call in 0..<calls {
        let rows = (0..<8).map { image.baseAddress! + (4 * call + $0) * width * shape.channels }
        // SAFETY: the image has four rows more than are read. The state has at least four vectors for each
        // vector of a target row, and each target row has space for two more vectors.
        rows.withUnsafeBufferPointer { rows in
          state.withUnsafeMutableBufferPointer { state in
            targets.withUnsafeMutableBytes { targets in
              set.loops.bytes.downsample(
                (
                  rows: rows.baseAddress!, channels: shape.channels, ratio: shape.ratio, order: shape.order,
                  state: state.baseAddress!, target: targets.baseAddress!,
                  next: targets.baseAddress! + 2 * (count + 64), count: count
                ))
            }
          }
        }
      }
    }
    return (0..<4 / shape.ratio).map {
      Array(targets[$0 * (count + 64) + 2 * shape.channels..<$0 * (count + 64) + count])
    }
  }

  /// Returns four rows of the larger image, and checks that nothing beyond them is written.
  private static func upsampled(
    _ coarse: [UInt16], _ width: Int, _ shape: Shape, _ count: Int, _ isStreamed: Bool, _ set: InstructionSet
  ) -> [[UInt8]] {
    let stride = (count + 127) / 64 * 64
    var target = [UInt8](repeating: 0xee, count: 4 * stride + 64)
    let padded = coarse + [UInt16](repeating: 0, count: 256)
    padded.withUnsafeBytes { coarse in
      target.withUnsafeMutableBytes { target in
        let rows = (0..<4).map { coarse.baseAddress! + 2 * width * $0 }
        let targets = (0..<4).map { target.baseAddress! + stride * $0 }
        // SAFETY: the smaller image is followed by 256 values, and each target row has `count` bytes.
        rows.withUnsafeBufferPointer { rows in
          targets.withUnsafeBufferPointer { targets in
            set.loops.bytes.upsample(
              (
                rows: rows.baseAddress!, channels: shape.channels, ratio: shape.ratio, order: shape.order,
                targets: targets.baseAddress!, count: count, isStreamed: isStreamed
              ))
          }
        }
      }
    }
    return (0..<4).map { row in
      #expect(target[(row * stride + count)..<((row + 1) * stride)].allSatisfy { $0 == 0xee })
      return Array(target[(row * stride)..<(row * stride + count)])
    }
  }
}
