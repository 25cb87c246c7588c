import Testing

@testable import Blur

/// Tests of the step of a pyramid that makes an image four times smaller or four times larger. The results of
/// its loops are compared with binomial filters in double precision.
@Suite("Quartering")
struct QuarteringTests {
  static let shapes: [(channels: Int, order: Int)] = [1, 3, 4].flatMap { c in [2, 3].map { (c, $0) } }

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
        let window = PyramidDesign(orders: orders, aliasing: error).window(sigma: 4 * ratio)
        let worst = PyramidTests.worst(4 * ratio, orders, GaussianTaps.cut(window, tail: 1e-9).half)
        #expect(worst < error + 1e-8, "ρ \(ratio), \(orders)")
        if factor == 1 && further.isEmpty { #expect(worst > 0.95 * error) }
      }
    }
  }

  @Test("Each pixel of the smaller image is a weighted sum of source pixels", arguments: shapes)
  func downsampling(channels: Int, order: Int) {
    let groups = 5
    for count in [1, 2, 7, 8, 16, 31, 33, 64, 65, 130] {
      let (width, values) = (4 * (count + 2), (count + 2) * channels)
      let image = Self.bytes(4 * (groups + 1) * width * channels, seed: count)
      var first: [UInt16]?
      for set in InstructionSet.allCases where set.isAvailable {
        let found = Self.downsampled(image, width, channels, order, groups, values, set)
        for (x, value) in found.enumerated() {
          let (pixel, channel) = (x / channels + 2, x % channels)
          let exact = Self.weights(order, of: groups - 1).reduce(0.0) { sum, row in
            Self.weights(order, of: pixel).reduce(sum) {
              $0 + row.weight * $1.weight
                * Double(image[(row.pixel * width + $1.pixel) * channels + channel]) * 256
            }
          }
          #expect(abs(Double(value) - exact) < 2.5, "\(set) \(count) \(x)")
        }
        if let first { #expect(first == found, "\(set) \(count)") } else { first = found }
      }
    }
  }

  @Test("Each pixel of the larger image is a weighted sum of pixels of the smaller one", arguments: shapes)
  func upsampling(channels: Int, order: Int) {
    for count in [1, 3, 4, 5, 17, 63, 64, 65, 127, 129, 200, 260] {
      for isStreamed in [false, true] {
        let pixels = (count + 3) / 4 + 2
        let coarse = Self.bytes(3 * pixels * channels, seed: count).map { UInt16($0) * 256 }
        let exact = Self.interpolated(coarse, pixels, channels, order, count)
        var first: [[UInt8]]?
        for set in InstructionSet.allCases where set.isAvailable {
          let found = Self.upsampled(
            coarse, pixels * channels, channels, order, count * channels, isStreamed, set)
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

  private static func binomial(_ order: Int) -> [Double] {
    (0..<order).reduce([1.0]) { row, _ in zip(row + [0], [0] + row).map { ($0 + $1) / 2 } }
  }

  /// Returns the source pixels of a pixel of the smaller image, found by halving twice.
  private static func weights(_ order: Int, of pixel: Int) -> [(pixel: Int, weight: Double)] {
    binomial(order).enumerated().flatMap { i, outer in
      binomial(3).enumerated().map { j, inner in
        (2 * (2 * pixel - (order + 1) / 2 + i) - 2 + j, outer * inner)
      }
    }
  }

  /// Returns the weights of three neighbouring pixels of the smaller image in pixel `pixel` of the larger
  /// image, found by doubling twice. The first of the three pixels has the number `pixel` / 4.
  private static func interpolation(_ order: Int, _ pixel: Int) -> [Double] {
    var weights = [0.0, 0, 0]
    for (j, inner) in binomial(3).enumerated() where (pixel + j - 1) % 2 == 0 {
      let middle = (pixel + j - 1) / 2
      for (i, outer) in binomial(order).enumerated() where (middle + i - order / 2) % 2 == 0 {
        weights[(middle + i - order / 2) / 2 - pixel / 4] += 4 * inner * outer
      }
    }
    return weights
  }

  /// Returns the first four rows of the larger image, found by interpolation in double precision.
  private static func interpolated(
    _ coarse: [UInt16], _ pixels: Int, _ channels: Int, _ order: Int, _ count: Int
  ) -> [[Double]] {
    let weights = (0..<max(4, count)).map { interpolation(order, $0) }
    return (0..<4).map { y in
      (0..<count * channels).map { x in
        var sum = 0.0
        for i in 0..<3 {
          for j in 0..<3 {
            let index = (i * pixels + x / channels / 4 + j) * channels + x % channels
            sum += weights[y][i] * weights[x / channels][j] * Double(coarse[index]) / 256
          }
        }
        return sum
      }
    }
  }

  /// Returns the row `groups` − 1 of the smaller image, from its third pixel on.
  private static func downsampled(
    _ image: [UInt8], _ width: Int, _ channels: Int, _ order: Int, _ groups: Int, _ count: Int,
    _ set: InstructionSet
  ) -> [UInt16] {
    var state = [UInt16](repeating: 0xabcd, count: 4 * (2 * count + 64))
    var target = [UInt16](repeating: 0, count: count + 64)
    image.withUnsafeBytes { image in
      for group in 0..<groups {
        let rows = (0..<8).map { image.baseAddress! + (4 * group + $0) * width * channels }
        // SAFETY: the image has one group of rows more than are read. The state has at least four vectors for
        // each vector of the target row, and the target row has space for two more vectors.
        rows.withUnsafeBufferPointer { rows in
          state.withUnsafeMutableBufferPointer { state in
            target.withUnsafeMutableBytes { target in
              set.loops.quarter.downsample(
                (
                  rows: rows.baseAddress!, channels: channels, order: order, state: state.baseAddress!,
                  target: target.baseAddress!, count: count
                ))
            }
          }
        }
      }
    }
    return Array(target[2 * channels..<count])
  }

  /// Returns the first four rows of the larger image, and checks that nothing beyond them is written.
  private static func upsampled(
    _ coarse: [UInt16], _ width: Int, _ channels: Int, _ order: Int, _ count: Int, _ isStreamed: Bool,
    _ set: InstructionSet
  ) -> [[UInt8]] {
    let stride = (count + 127) / 64 * 64
    var target = [UInt8](repeating: 0xee, count: 4 * stride + 64)
    let padded = coarse + [UInt16](repeating: 0, count: 256)
    padded.withUnsafeBytes { coarse in
      target.withUnsafeMutableBytes { target in
        let rows = (0..<3).map { coarse.baseAddress! + 2 * width * $0 }
        let targets = (0..<4).map { target.baseAddress! + stride * $0 }
        // SAFETY: the smaller image is followed by 256 values, and each target row has `count` bytes.
        rows.withUnsafeBufferPointer { rows in
          targets.withUnsafeBufferPointer { targets in
            set.loops.quarter.upsample(
              (
                rows: rows.baseAddress!, channels: channels, order: order, targets: targets.baseAddress!,
                count: count, isStreamed: isStreamed
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
