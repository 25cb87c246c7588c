/// A stored component type that kernels written generically can load and store.
protocol PixelComponent: BitwiseCopyable {
  /// The value as a number in the format's own units.
  var number: Double { get }
  /// The nearest value that can be stored; ties go up.
  init(rounding number: Double)
  /// The value in single precision, exact for every component type.
  var single: Float { get }
  /// The nearest value that can be stored; ties go up.
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
  /// The component number `index` of a row that may start at any address.
  @inline(__always)
  func component<C: PixelComponent>(_ index: Int, as type: C.Type) -> C {
    // SAFETY: callers pass an index inside the row; no alignment is assumed.
    loadUnaligned(fromByteOffset: index * MemoryLayout<C>.size, as: type)
  }
}

extension UnsafeMutableRawPointer {
  /// Writes component number `index` of a row that may start at any address.
  @inline(__always)
  func setComponent<C: PixelComponent>(_ index: Int, to value: C) {
    // SAFETY: callers pass an index inside the row; storing bytes assumes no alignment.
    storeBytes(of: value, toByteOffset: index * MemoryLayout<C>.size, as: C.self)
  }
}
