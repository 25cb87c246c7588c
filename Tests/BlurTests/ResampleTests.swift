import BlurLoopTable
import Testing

@testable import Blur

/// Tests of the loops that halve and double the size of images in 16-bit arithmetic and in single precision.
/// The results are compared with binomial filters in double precision.
@Suite("Resampling of words and floats")
struct ResampleTests {
  struct Shape: Sendable {
    let isFixed: Bool, channels: Int, order: Int
    var groups: PixelGroups { PixelGroups(ratio: 2, order: order) }
  }
  static let shapes = [1, 3, 4].flatMap { channels in
    [2, 3, 4].map { Shape(isFixed: true, channels: channels, order: $0) }
      + [2, 3, 4, 5, 6, 8].map { Shape(isFixed: false, channels: channels, order: $0) }
  }
  private static let counts = [1, 2, 5, 8, 15, 16, 17, 31, 33, 64, 97]
  /// The number of pixels before and after each row that the loops may read or write.
  private static let beyond = 200

  @Test("Each pixel of the smaller image is a weighted sum of source pixels", arguments: shapes)
  func downsampling(shape: Shape) {
    let (order, channels, lead) = (shape.order, shape.channels, shape.groups.lead)
    let weights = PyramidTests.binomial(order)
    for count in Self.counts {
      let image = Image(shape, rows: order + 7, pixels: 2 * (count + lead))
      func exact(_ row: Int, _ pixel: Int, _ c: Int) -> Double {
        let first = 2 * (pixel - shape.groups.lag) - (order + 1) / 2
        return (0...order).reduce(0) { sum, i in
          (0...order).reduce(sum) {
            $0 + weights[i] * weights[$1] * image[2 * row + i, first + $1, c]
          }
        }
      }
      expect(shape, count + lead, from: lead, exact) { loops, targets in
        image.withRows(skipping: 0) {
          loops.downsample(
            (
              rows: $0, channels: channels, order: order, target: targets.0, next: targets.1,
              count: (count + lead) * channels
            ))
        }
      }
    }
  }

  @Test("Each pixel of the larger image is a weighted sum of pixels of the smaller one", arguments: shapes)
  func upsampling(shape: Shape) {
    let (order, channels) = (shape.order, shape.channels)
    for count in Self.counts {
      let image = Image(shape, rows: 5, pixels: 20 + count / 2)
      func exact(_ row: Int, _ pixel: Int, _ c: Int) -> Double {
        PyramidTests.upsampledFrom([row: 1], order).reduce(0) { sum, down in
          PyramidTests.upsampledFrom([pixel: 1], order).reduce(sum) {
            $0 + down.value * $1.value * image[down.key + 2, $1.key + 5, c]
          }
        }
      }
      for isExact in [false, true] {
        expect(shape, count, isExact: isExact, exact) { loops, targets in
          image.withRows(skipping: 5) {
            loops.upsample(
              (
                rows: $0, channels: channels, order: order, target: targets.0, next: targets.1,
                count: count * channels, isExact: isExact
              ))
          }
        }
      }
    }
  }

  /// Expects that a loop computes two rows of `count` pixels with the right values, and in 16-bit arithmetic
  /// the same bits with every instruction set. The pixels before pixel `first` are not checked.
  ///
  /// - Parameter isExact: Whether the loop must not write beyond the rows.
  private func expect(
    _ shape: Shape, _ count: Int, from first: Int = 0, isExact: Bool = false,
    _ exact: (Int, Int, Int) -> Double,
    _ loop: (ResampleLoops, (UnsafeMutableRawPointer, UnsafeMutableRawPointer)) -> Void
  ) {
    let (channels, bytes) = (shape.channels, shape.isFixed ? 2 : 4)
    let (values, stride) = (count * channels, (count + Self.beyond) * channels * bytes)
    var earlier: [UInt8]?
    for set in InstructionSet.allCases where set.isAvailable {
      var found = [UInt8](repeating: 0xaa, count: 2 * stride)
      found.withUnsafeMutableBytes {
        let loops = shape.isFixed ? set.loops.fixedResample : set.loops.floatResample
        loop(loops, ($0.baseAddress!, $0.baseAddress! + stride))
        for row in 0..<2 {
          for i in first * channels..<values {
            let place = row * stride + i * bytes
            let value =
              shape.isFixed
              ? Double($0.load(fromByteOffset: place, as: UInt16.self))
              : Double($0.load(fromByteOffset: place, as: Float.self))
            let error = abs(value - exact(row, i / channels, i % channels))
            #expect(error < (shape.isFixed ? 2.6 : 0.04), "\(set) row \(row), value \(i) of \(values)")
          }
        }
      }
      let rows = [0, stride].map { found[$0 + first * channels * bytes..<$0 + values * bytes] }
      if isExact {
        #expect([0, stride].allSatisfy { found[$0 + values * bytes] == 0xaa }, "\(set) \(count)")
      }
      if shape.isFixed {
        let all = Array(rows.joined())
        if let earlier { #expect(earlier == all, "\(set) \(count)") } else { earlier = all }
      }
    }
  }

  /// Rows of pixels, with unused pixels before and after each row.
  private struct Image {
    private let shape: Shape, rows: Int, stride: Int
    private let values: [Float]

    init(_ shape: Shape, rows: Int, pixels: Int) {
      (self.shape, self.rows) = (shape, rows)
      stride = (pixels + 2 * ResampleTests.beyond) * shape.channels
      values = (0..<rows * stride).map { i in
        let mixed = UInt32(truncatingIfNeeded: i) &* 2_654_435_761
        return Float(UInt16(truncatingIfNeeded: ((mixed ^ mixed >> 15) &* 2_246_822_519) >> 16))
      }
    }

    subscript(row: Int, pixel: Int, c: Int) -> Double {
      Double(values[row * stride + (pixel + ResampleTests.beyond) * shape.channels + c])
    }

    /// Calls `body` with the addresses of all rows, each from pixel `skipped` on.
    func withRows(skipping skipped: Int, _ body: (UnsafePointer<UnsafeRawPointer>) -> Void) {
      let words = shape.isFixed ? values.map { UInt16($0) } : []
      func call(_ bytes: UnsafeRawBufferPointer, _ size: Int) {
        let start = (ResampleTests.beyond + skipped) * shape.channels
        let addresses = (0..<rows).map { bytes.baseAddress! + ($0 * stride + start) * size }
        addresses.withUnsafeBufferPointer { body($0.baseAddress!) }
      }
      if shape.isFixed {
        words.withUnsafeBytes { call($0, 2) }
      } else {
        values.withUnsafeBytes { call($0, 4) }
      }
    }
  }
}
