/// The Swift type of the components of an image: `UInt8`, `UInt16` or `Float`.
public protocol ComponentValue: BitwiseCopyable {
  /// The component type of pixel formats that corresponds to this Swift type, such as `.uint8` for `UInt8`.
  static var component: PixelFormat.Component { get }
}

extension UInt8: ComponentValue {
  public static var component: PixelFormat.Component { .uint8 }
}

extension UInt16: ComponentValue {
  public static var component: PixelFormat.Component { .uint16 }
}

extension Float: ComponentValue {
  public static var component: PixelFormat.Component { .float32 }
}

extension Image {
  /// Creates an image from its components, for example with `Image(layout, copying: array.span)`. Any further
  /// components, such as the padding of the last row, are ignored.
  ///
  /// - Parameters:
  ///   - layout: The layout of the components.
  ///   - components: At least ``ImageLayout/byteCount`` bytes, as values of the format's component type or as
  ///     `UInt8`.
  /// - Throws: ``BlurError/layoutMismatch(of:expected:found:)`` if `C` is neither the component type of the
  ///   format nor `UInt8`, ``BlurError/bufferTooSmall(of:needed:found:)`` or
  ///   ``BlurError/outOfMemory(bytes:)``.
  public init<C: ComponentValue>(_ layout: ImageLayout, copying components: Span<C>) throws(BlurError) {
    try layout.check("source", holds: C.self)
    try self.init(layout, copying: components.bytes)
  }

  /// Calls `body` with the components of a row, or of some columns of a row.
  ///
  /// - Parameters:
  ///   - y: The row, counted from 0. A row outside the image stops the program.
  ///   - columns: The columns, or nil for the whole row. Columns outside the image stop the program.
  ///   - type: The component type of the image's format, or `UInt8` for the bytes of any format. Any other
  ///     type stops the program. So does a row whose address is not a multiple of the size of the type, for
  ///     example with `UInt16` and an odd stride.
  ///   - body: A closure that gets the components. Each pixel has ``PixelFormat/channels`` components.
  public func withRow<C: ComponentValue, R: ~Copyable, E: Error>(
    _ y: Int, columns: Range<Int>? = nil, as type: C.Type, _ body: (Span<C>) throws(E) -> R
  ) throws(E) -> R {
    try withView { (view) throws(E) in try view.withRow(y, columns: columns, as: type, body) }
  }

  /// Calls `body` with the components of a row, or of some columns of a row, so that `body` can change them.
  /// If another image shares the pixels, they are copied first. For the parameters, see
  /// ``withRow(_:columns:as:_:)``.
  public mutating func withMutableRow<C: ComponentValue, R: ~Copyable, E: Error>(
    _ y: Int, columns: Range<Int>? = nil, as type: C.Type,
    _ body: (inout MutableSpan<C>) throws(E) -> R
  ) throws(E) -> R {
    try withMutableView { (view) throws(E) in
      try view.withMutableRow(y, columns: columns, as: type, body)
    }
  }

  /// Calls `body` with the image's ``ImageLayout/byteCount`` bytes. Each row begins `layout.stride` bytes
  /// after the previous one.
  public func withBytes<R: ~Copyable, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
    try withView { (view) throws(E) in
      // SAFETY: `view` points to `view.layout.byteCount` bytes, which stay valid during the call.
      let bytes = UnsafeRawBufferPointer(start: view.unsafeBase, count: view.layout.byteCount)
      return try body(bytes.assumingMemoryBound(to: UInt8.self).span)
    }
  }

  /// Calls `body` with the image's ``ImageLayout/byteCount`` bytes, so that `body` can change them. Each row
  /// begins `layout.stride` bytes after the previous one. If another image shares the pixels, they are copied
  /// first.
  public mutating func withMutableBytes<R: ~Copyable, E: Error>(
    _ body: (inout MutableSpan<UInt8>) throws(E) -> R
  ) throws(E) -> R {
    try withMutableView { (view) throws(E) in
      // SAFETY: `view` points to `view.layout.byteCount` bytes, which stay valid during the call.
      let bytes = UnsafeMutableRawBufferPointer(start: view.unsafeBase, count: view.layout.byteCount)
      var span = bytes.assumingMemoryBound(to: UInt8.self).mutableSpan
      return try body(&span)
    }
  }
}

extension ImageView {
  /// Calls `body` with the components of a row. For the parameters, see
  /// ``Image/withRow(_:columns:as:_:)``.
  public func withRow<C: ComponentValue, R: ~Copyable, E: Error>(
    _ y: Int, columns: Range<Int>? = nil, as type: C.Type, _ body: (Span<C>) throws(E) -> R
  ) throws(E) -> R {
    let place = layout.place(ofRow: y, columns, as: type)
    let start = unsafeBase + place.offset
    layout.checkAlignment(of: start, as: type)
    // SAFETY: `place` lies inside the row, and the address is aligned, as checked above.
    return try body(UnsafeBufferPointer(start: start.assumingMemoryBound(to: type), count: place.count).span)
  }
}

extension MutableImageView {
  /// Calls `body` with the components of a row, so that `body` can change them. For the parameters, see
  /// ``Image/withRow(_:columns:as:_:)``.
  public func withMutableRow<C: ComponentValue, R: ~Copyable, E: Error>(
    _ y: Int, columns: Range<Int>? = nil, as type: C.Type,
    _ body: (inout MutableSpan<C>) throws(E) -> R
  ) throws(E) -> R {
    let place = layout.place(ofRow: y, columns, as: type)
    let start = unsafeBase + place.offset
    layout.checkAlignment(of: start, as: type)
    // SAFETY: `place` lies inside the row, and the address is aligned, as checked above.
    let row = UnsafeMutableBufferPointer(start: start.assumingMemoryBound(to: type), count: place.count)
    var span = row.mutableSpan
    return try body(&span)
  }
}

extension ImageLayout {
  /// Returns the offset in bytes of the first pixel of `columns` in row `y`, and the number of values of
  /// `type` in these columns. Stops the program if the image has no such pixels, or if `type` is neither its
  /// component type nor `UInt8`.
  fileprivate func place<C: ComponentValue>(
    ofRow y: Int, _ columns: Range<Int>?, as type: C.Type
  ) -> (offset: Int, count: Int) {
    let columns = columns ?? 0..<width
    precondition(y >= 0 && y < height, "row \(y): the image has rows 0 to \(height - 1)")
    precondition(
      columns.lowerBound >= 0 && columns.upperBound <= width,
      "columns \(columns.lowerBound)..<\(columns.upperBound): the image has columns 0 to \(width - 1)")
    precondition(holds(type), "the components of \(format.rawValue) do not have the requested type")
    let bytes = columns.count * format.bytesPerPixel
    return (y * stride + columns.lowerBound * format.bytesPerPixel, bytes / MemoryLayout<C>.stride)
  }

  /// Returns whether `type` is the component type of the format, or `UInt8`, which gives access to the bytes
  /// of any format.
  private func holds<C: ComponentValue>(_ type: C.Type) -> Bool {
    (type.component == .uint8 || type.component == format.component)
      && MemoryLayout<C>.stride == type.component.bytes
  }

  /// Throws ``BlurError/layoutMismatch(of:expected:found:)`` unless `type` is the component type of the
  /// format, or `UInt8`, which gives access to the bytes of any format.
  fileprivate func check<C: ComponentValue>(
    _ argument: String, holds type: C.Type
  ) throws(BlurError) {
    guard holds(type) else {
      throw .layoutMismatch(
        of: argument, expected: format.rawValue,
        found:
          "\(MemoryLayout<C>.size == 4 ? "float" : "integer") components of \(8 * MemoryLayout<C>.size) bits")
    }
  }

  /// Stops the program if the address is not a multiple of the alignment that `type` needs.
  fileprivate func checkAlignment<C>(of address: UnsafeRawPointer, as type: C.Type) {
    precondition(
      UInt(bitPattern: address) % UInt(MemoryLayout<C>.alignment) == 0,
      "a row does not begin at a multiple of \(MemoryLayout<C>.alignment) bytes; the stride is \(stride)")
  }
}

extension BlurPlan {
  /// Blurs the components of `source`, an image with the plan's ``layout``, into `target`, whose layout is
  /// `targetLayout`.
  ///
  /// - Parameters:
  ///   - source: The components in the type of the format, or their bytes as `UInt8`.
  ///   - target: Memory for components of the same type.
  ///   - targetLayout: The layout of the result, which has the size of ``region``.
  /// - Throws: ``BlurError/bufferTooSmall(of:needed:found:)`` or
  ///   ``BlurError/layoutMismatch(of:expected:found:)``.
  public func blur<C: ComponentValue>(
    _ source: Span<C>, into target: inout MutableSpan<C>, _ targetLayout: ImageLayout
  ) throws(BlurError) {
    try layout.check("source", holds: C.self)
    var bytes = target.mutableBytes
    try blur(source.bytes, into: &bytes, targetLayout)
  }
}
