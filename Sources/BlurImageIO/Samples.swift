import Blur
import Foundation

/// Samples as files hold them: straight alpha, 1 to 4 channels interleaved, rows without padding, native byte
/// order. Every codec reads and writes rows of this, and nothing else.
public struct Samples: Equatable, Sendable {
  /// The type of each sample.
  public enum Depth: Int, Sendable {
    case bits8 = 1
    case bits16 = 2
    case float = 4

    /// Bytes per sample.
    var bytes: Int { rawValue }
    var component: PixelFormat.Component { self == .bits8 ? .uint8 : self == .bits16 ? .uint16 : .float32 }
    /// The value that stands for white.
    var full: Double { self == .bits8 ? 255 : self == .bits16 ? 65535 : 1 }
  }

  /// Size, channels and type: what a file's header says.
  struct Shape: Equatable, Sendable {
    let width: Int, height: Int
    /// 1 gray, 2 gray and alpha, 3 RGB, 4 RGBA.
    var channels: Int
    var depth: Depth

    /// Whether the last channel is alpha.
    var hasAlpha: Bool { channels == 2 || channels == 4 }
    /// Samples in a row.
    var rowCount: Int { width * channels }
    var rowBytes: Int { rowCount * depth.bytes }
    /// The same for one row.
    var row: Shape { Shape(width: width, height: 1, channels: channels, depth: depth) }

    /// - Throws: when a side is 0 or too long for an image.
    static func declared(
      width: Int, height: Int, channels: Int, depth: Depth
    ) throws(ImageFileError.Fault) -> Shape {
      let sides = 1...ImageLayout.maximumSide
      guard sides.contains(width), sides.contains(height) else {
        throw .init("declares \(width)x\(height) pixels; each side must be from 1 to \(sides.upperBound)")
      }
      return Shape(width: width, height: height, channels: channels, depth: depth)
    }
  }

  /// What the samples are.
  let shape: Shape
  /// `width · height · channels` samples.
  public var bytes: [UInt8]

  /// The size of the picture, in pixels.
  public var width: Int { shape.width }
  public var height: Int { shape.height }
  /// 1 gray, 2 gray and alpha, 3 RGB, 4 RGBA.
  public var channels: Int { shape.channels }
  /// The type of each sample.
  public var depth: Depth { shape.depth }
  /// Whether the last channel is alpha.
  public var hasAlpha: Bool { shape.hasAlpha }

  /// The most bytes that a file may decode to as a whole: 8 GiB.
  static let mostBytes = 8 << 30

  /// Takes bytes of that shape, or zeros.
  init(_ shape: Shape, bytes: [UInt8]? = nil) {
    self.shape = shape
    self.bytes = bytes ?? [UInt8](repeating: 0, count: shape.height * shape.rowBytes)
  }

  /// Takes bytes of that shape, or zeros.
  init(width: Int, height: Int, channels: Int, depth: Depth, bytes: [UInt8]? = nil) {
    self.init(Shape(width: width, height: height, channels: channels, depth: depth), bytes: bytes)
  }

  /// Zeros of this shape, for a file that was found to hold as much.
  ///
  /// - Throws: when they take more than ``mostBytes``, or there is no memory for them.
  static func zeros(_ shape: Shape) throws(ImageFileError.Fault) -> Samples {
    let count = shape.height * shape.rowBytes
    let declares = "declares \(shape.width)x\(shape.height) pixels"
    guard count <= mostBytes else {
      throw .init("\(declares), \(count) bytes decoded; the most is \(mostBytes)")
    }
    // Arrays end the program when there is no memory; this asks first. Not with malloc, whose call the
    // optimizer leaves out, and takes memory for granted, where nothing is done with what it returns.
    var memory: UnsafeMutableRawPointer?
    guard posix_memalign(&memory, 64, count) == 0 else {
      throw .init("\(declares), for which \(count) bytes of memory are not to be had")
    }
    free(memory)
    return Samples(shape)
  }

  /// Sample number `index` as a share of full scale.
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

  /// Stores a share of full scale, rounded to nearest and clamped unless the depth is float.
  @inline(__always)
  mutating func setShare(_ index: Int, _ share: Double) {
    let depth = depth
    bytes.withUnsafeMutableBytes { bytes in
      // A share that is no number becomes 0 in integers.
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
