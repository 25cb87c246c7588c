/// A type in which images store components, with the conversions that generic kernels need.
protocol PixelComponent: BitwiseCopyable {
  /// The component as a double-precision number, in the units of the format.
  var number: Double { get }
  /// Creates the storable value that is nearest to a number. If two values are equally near, it is the larger
  /// one.
  init(rounding number: Double)
  /// The component in single precision. The conversion is exact for every component type.
  var single: Float { get }
  /// Creates the storable value that is nearest to a single-precision number. If two values are equally near,
  /// it is the larger one.
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
  /// Returns component number `index` of a row. The row may start at any address, even an unaligned one.
  @inline(__always)
  func component<C: PixelComponent>(_ index: Int, as type: C.Type) -> C {
    // SAFETY: callers pass the index of a component inside the row. The load does not need an aligned
    // address.
    loadUnaligned(fromByteOffset: index * MemoryLayout<C>.size, as: type)
  }
}

extension UnsafeMutableRawPointer {
  /// Writes component number `index` of a row. The row may start at any address, even an unaligned one.
  @inline(__always)
  func setComponent<C: PixelComponent>(_ index: Int, to value: C) {
    // SAFETY: callers pass the index of a component inside the row. The store does not need an aligned
    // address.
    storeBytes(of: value, toByteOffset: index * MemoryLayout<C>.size, as: C.self)
  }
}
