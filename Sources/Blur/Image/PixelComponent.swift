/// The type of one component of a pixel, such as its red value: an 8-bit integer, a 16-bit integer or a
/// float. Generic kernels use this protocol to convert components to numbers and back.
protocol PixelComponent: BitwiseCopyable {
  /// The component as a double-precision number, without scaling. For example, an 8-bit component gives a
  /// number from 0 to 255.
  var number: Double { get }
  /// Creates the component whose value is nearest to `number`. For the integer types, a number halfway
  /// between two integers is rounded up, and a number outside the range of the type is clamped to that range.
  init(rounding number: Double)
  /// The component as a single-precision number, without scaling. All component types are converted exactly.
  var single: Float { get }
  /// Creates the component whose value is nearest to `single`. For the integer types, a number halfway
  /// between two integers is rounded up, and a number outside the range of the type is clamped to that range.
  init(rounding single: Float)
}

extension UInt8: PixelComponent {
  @inline(__always) var number: Double { Double(self) }
  @inline(__always) var single: Float { Float(self) }
  @inline(__always) init(rounding number: Double) {
    self = UInt8(truncatingIfNeeded: Int32(Swift.max(0, Swift.min(255, number)) + 0.5))
  }
  @inline(__always) init(rounding single: Float) {
    self = UInt8(truncatingIfNeeded: Int32(Swift.max(0, Swift.min(255, single)) + 0.5))
  }
}

extension UInt16: PixelComponent {
  @inline(__always) var number: Double { Double(self) }
  @inline(__always) var single: Float { Float(self) }
  @inline(__always) init(rounding number: Double) {
    self = UInt16(truncatingIfNeeded: Int32(Swift.max(0, Swift.min(65535, number)) + 0.5))
  }
  @inline(__always) init(rounding single: Float) {
    self = UInt16(truncatingIfNeeded: Int32(Swift.max(0, Swift.min(65535, single)) + 0.5))
  }
}

extension Float: PixelComponent {
  @inline(__always) var number: Double { Double(self) }
  @inline(__always) var single: Float { self }
  @inline(__always) init(rounding number: Double) { self = Float(number) }
  @inline(__always) init(rounding single: Float) { self = single }
}

extension UnsafeRawPointer {
  /// Reads component number `index` of the row that begins at this pointer. The row need not be aligned.
  @inline(__always)
  func component<C: PixelComponent>(_ index: Int, as type: C.Type) -> C {
    // SAFETY: callers pass the index of a component of the row, so the load reads only bytes of the row.
    // `loadUnaligned` accepts any address.
    loadUnaligned(fromByteOffset: index * MemoryLayout<C>.size, as: type)
  }
}

extension UnsafeMutableRawPointer {
  /// Writes component number `index` of the row that begins at this pointer. The row need not be aligned.
  @inline(__always)
  func setComponent<C: PixelComponent>(_ index: Int, to value: C) {
    // SAFETY: callers pass the index of a component of the row, so the store writes only bytes of the row.
    // `storeBytes` accepts any address.
    storeBytes(of: value, toByteOffset: index * MemoryLayout<C>.size, as: C.self)
  }
}
