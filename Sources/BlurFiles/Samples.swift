import Blur
import Foundation

/// The samples of a picture, in the form in which every codec reads and writes them. They have 1 to 4
/// interleaved channels, straight alpha and native byte order, and there is no padding between rows.
public struct Samples: Equatable, Sendable {
  /// The type of each sample.
  public enum Depth: Int, Sendable {
    case bits8 = 1
    case bits16 = 2
    case float = 4

    /// The number of bytes per sample.
    var bytes: Int { rawValue }
    var component: PixelFormat.Component { self == .bits8 ? .uint8 : self == .bits16 ? .uint16 : .float32 }
    /// The value of white.
    var full: Double { self == .bits8 ? 255 : self == .bits16 ? 65535 : 1 }
  }

  /// The size, channels and sample type of a picture, as declared in the header of its file.
  struct Shape: Equatable, Sendable {
    let width: Int, height: Int
    /// The number of channels: 1 for gray, 2 for gray and alpha, 3 for RGB, 4 for RGBA.
    var channels: Int
    var depth: Depth

    /// Whether the last channel is alpha.
    var hasAlpha: Bool { channels == 2 || channels == 4 }
    /// The number of samples in a row.
    var rowCount: Int { width * channels }
    var rowBytes: Int { rowCount * depth.bytes }
    /// The shape of a single row of the picture.
    var row: Shape { Shape(width: width, height: 1, channels: channels, depth: depth) }

    /// Returns the shape that a header declares.
    ///
    /// - Throws: ``ImageDataError`` if the width or height is 0, or too large for an image.
    static func declared(
      width: Int, height: Int, channels: Int, depth: Depth
    ) throws(ImageDataError) -> Shape {
      let sides = 1...ImageLayout.maximumSide
      guard sides.contains(width), sides.contains(height) else {
        throw .init(
          "declares \(width)x\(height) pixels; width and height must be from 1 to \(sides.upperBound)")
      }
      return Shape(width: width, height: height, channels: channels, depth: depth)
    }
  }

  /// The size, channels and type of the samples.
  let shape: Shape
  /// The bytes of the `width · height · channels` samples.
  public var bytes: [UInt8]

  /// The size of the picture in pixels.
  public var width: Int { shape.width }
  public var height: Int { shape.height }
  /// The number of channels: 1 for gray, 2 for gray and alpha, 3 for RGB, 4 for RGBA.
  public var channels: Int { shape.channels }
  /// The type of each sample.
  public var depth: Depth { shape.depth }
  /// Whether the last channel is alpha.
  public var hasAlpha: Bool { shape.hasAlpha }

  /// The maximum number of bytes for the samples of a picture that is read as a whole: 8 GiB.
  static let mostBytes = 8 << 30

  /// Creates samples of the given shape from `bytes`, or samples that are all 0 if `bytes` is nil.
  init(_ shape: Shape, bytes: [UInt8]? = nil) {
    self.shape = shape
    self.bytes = bytes ?? [UInt8](repeating: 0, count: shape.height * shape.rowBytes)
  }

  /// Creates samples of the given size and type from `bytes`, or samples that are all 0 if `bytes` is nil.
  init(width: Int, height: Int, channels: Int, depth: Depth, bytes: [UInt8]? = nil) {
    self.init(Shape(width: width, height: height, channels: channels, depth: depth), bytes: bytes)
  }

  /// Returns samples of the given shape filled with zeros, for reading a file into them.
  ///
  /// The header of a damaged file may declare a huge picture. Before calling this function, make sure that
  /// the file is long enough for such a picture. Otherwise, a tiny file could make the program reserve a lot
  /// of memory.
  ///
  /// - Throws: ``ImageDataError`` if the samples take more than ``mostBytes``, or if there is not
  ///   enough memory.
  static func zeros(_ shape: Shape) throws(ImageDataError) -> Samples {
    let count = shape.height * shape.rowBytes
    let declares = "declares \(shape.width)x\(shape.height) pixels"
    guard count <= mostBytes else {
      throw .init("\(declares), \(count) bytes when decoded; at most \(mostBytes) are allowed")
    }
    // Creating an array ends the program if there is not enough memory. The memory is therefore first
    // allocated and freed again as a test, so that a lack of memory can be reported as an error. malloc would
    // not work here, because the optimizer removes a malloc call with an unused result, and assumes that it
    // succeeded.
    var memory: UnsafeMutableRawPointer?
    guard posix_memalign(&memory, 64, count) == 0 else {
      throw .init("\(declares), for which \(count) bytes of memory are not available")
    }
    free(memory)
    return Samples(shape)
  }

  /// Returns the sample at `index` as a fraction of full scale.
  @inline(__always)
  func share(_ index: Int) -> Double {
    bytes.withUnsafeBytes { bytes in
      switch depth {
      case .bits8: Double(bytes[index]) / 255
      case .bits16: Double(bytes.loadUnaligned(fromByteOffset: 2 * index, as: UInt16.self)) / 65535
      case .float: Double(bytes.loadUnaligned(fromByteOffset: 4 * index, as: Float.self))
      }
    }
  }

  /// The number of pixels that have a nonzero colour but an alpha of 0. Multiplying by alpha loses these
  /// colours.
  var hiddenColours: Int {
    guard hasAlpha else { return 0 }
    return stride(from: 0, to: width * height * channels, by: channels).count { first in
      share(first + channels - 1) == 0 && (first..<first + channels - 1).contains { share($0) != 0 }
    }
  }

  /// Stores a fraction of full scale as the sample at `index`. Unless the depth is float, the value is
  /// clamped and rounded to the nearest integer.
  @inline(__always)
  mutating func setShare(_ index: Int, _ share: Double) {
    let depth = depth
    bytes.withUnsafeMutableBytes { bytes in
      // NaN becomes 0 in integer samples, because it fails this comparison.
      let clamped = share > 0 ? min(share, 1) : 0
      switch depth {
      case .bits8: bytes[index] = UInt8(clamped * 255 + 0.5)
      case .bits16:
        bytes.storeBytes(of: UInt16(clamped * 65535 + 0.5), toByteOffset: 2 * index, as: UInt16.self)
      case .float: bytes.storeBytes(of: Float(share), toByteOffset: 4 * index, as: Float.self)
      }
    }
  }
}
