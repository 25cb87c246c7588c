/// An image in memory. It is a value type with copy-on-write storage.
public struct Image: Sendable {
  /// The image's format, size and stride.
  public private(set) var layout: ImageLayout
  private var storage: AlignedBuffer

  /// Creates an image of zeros.
  ///
  /// - Throws: ``BlurError/outOfMemory(bytes:)``.
  public init(_ layout: ImageLayout) throws(BlurError) {
    self.layout = layout
    storage = try AlignedBuffer(byteCount: layout.byteCount, zeroed: true)
  }

  /// Creates an image for a blur that will write all of its pixels. Until then, the pixels have arbitrary
  /// values. If there is padding between the rows, all bytes are set to zero instead.
  ///
  /// - Throws: ``BlurError/outOfMemory(bytes:)``.
  package init(unfilled layout: ImageLayout) throws(BlurError) {
    self.layout = layout
    storage = try AlignedBuffer(byteCount: layout.byteCount, zeroed: layout.stride != layout.rowBytes)
  }

  /// Creates an image of zeros without padding between its rows.
  ///
  /// - Throws: ``BlurError/invalidLayout(_:)`` or ``BlurError/outOfMemory(bytes:)``.
  public init(_ format: PixelFormat, width: Int, height: Int) throws(BlurError) {
    try self.init(ImageLayout(format, width: width, height: height))
  }

  /// Creates an image from the first `layout.byteCount` bytes of `bytes`. Further bytes, such as the padding
  /// of the last row, are ignored.
  ///
  /// - Throws: ``BlurError/bufferTooSmall(of:needed:found:)`` or ``BlurError/outOfMemory(bytes:)``.
  public init(_ layout: ImageLayout, copying bytes: RawSpan) throws(BlurError) {
    guard bytes.byteCount >= layout.byteCount else {
      throw .bufferTooSmall(of: "source", needed: layout.byteCount, found: bytes.byteCount)
    }
    self.layout = layout
    storage = try AlignedBuffer(byteCount: layout.byteCount, zeroed: false)
    bytes.withUnsafeBytes { source in
      // SAFETY: source and storage both hold at least `layout.byteCount` bytes, as checked above.
      storage.base.copyMemory(from: source.start, byteCount: layout.byteCount)
    }
  }

  /// A copy of the image's ``ImageLayout/byteCount`` bytes. Each row begins `layout.stride` bytes after the
  /// previous one.
  public var bytes: [UInt8] {
    // SAFETY: the memory of a view holds all bytes of its layout.
    withView { [UInt8](UnsafeRawBufferPointer(start: $0.unsafeBase, count: $0.layout.byteCount)) }
  }

  /// Calls `body` with a view of the pixels. The view is valid only during the call.
  public func withView<R: ~Copyable, E: Error>(_ body: (ImageView) throws(E) -> R) throws(E) -> R {
    defer { withExtendedLifetime(storage) {} }
    return try body(ImageView(storage.base, layout))
  }

  /// Calls `body` with a writable view of the pixels. The view is valid only during the call. If another
  /// image shares the pixels, they are copied first.
  public mutating func withMutableView<R: ~Copyable, E: Error>(
    _ body: (MutableImageView) throws(E) -> R
  ) throws(E) -> R {
    makeUnique()
    defer { withExtendedLifetime(storage) {} }
    return try body(MutableImageView(storage.base, layout))
  }

  /// Calls `body` with a view of this image's pixels and a writable view of the pixels of `target`. Both
  /// views are valid only during the call.
  package func withViews<E: Error>(
    into target: inout Image, _ body: (ImageView, MutableImageView) throws(E) -> Void
  ) throws(E) {
    try withView { (source) throws(E) in
      try target.withMutableView { (target) throws(E) in try body(source, target) }
    }
  }

  /// The number of bytes of memory that the image owns. It can be larger than the layout requires.
  package var byteCount: Int { storage.byteCount }

  /// Gives the image a new layout in the same memory. The values of its pixels are undefined afterwards.
  ///
  /// - Precondition: The memory of the image has at least as many bytes as `layout` needs.
  package mutating func become(_ layout: ImageLayout) {
    precondition(layout.byteCount <= storage.byteCount, "the image has too few bytes for \(layout)")
    self.layout = layout
  }

  private mutating func makeUnique() {
    guard !isKnownUniquelyReferenced(&storage) else { return }
    guard let copy = try? AlignedBuffer(byteCount: storage.byteCount, zeroed: false) else {
      // A copy on write cannot report an error to its caller. So if there is no memory for the copy, the
      // program has to stop, as it does with the collections of the standard library.
      preconditionFailure("cannot allocate \(storage.byteCount) bytes to copy a shared image")
    }
    // SAFETY: both buffers own `storage.byteCount` bytes.
    copy.base.copyMemory(from: storage.base, byteCount: storage.byteCount)
    storage = copy
  }
}
