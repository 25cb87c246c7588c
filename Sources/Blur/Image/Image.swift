/// An image in memory: a value with copy-on-write storage.
public struct Image: Sendable {
  /// The image's format, size and stride.
  public private(set) var layout: ImageLayout
  private var storage: AlignedBuffer

  /// Makes an image of zeros.
  ///
  /// - Throws: ``BlurError/outOfMemory(bytes:)``.
  public init(_ layout: ImageLayout) throws(BlurError) {
    self.layout = layout
    storage = try AlignedBuffer(byteCount: layout.byteCount, zeroed: true)
  }

  /// Makes an image of zeros without padding between rows.
  ///
  /// - Throws: ``BlurError/invalidLayout(_:)`` or ``BlurError/outOfMemory(bytes:)``.
  public init(_ format: PixelFormat, width: Int, height: Int) throws(BlurError) {
    try self.init(ImageLayout(format, width: width, height: height))
  }

  /// Makes an image from the first `layout.byteCount` of some bytes; what follows, such as padding of the
  /// last row, is ignored.
  ///
  /// - Throws: ``BlurError/bufferTooSmall(of:needed:found:)`` or ``BlurError/outOfMemory(bytes:)``.
  public init(_ layout: ImageLayout, copying bytes: RawSpan) throws(BlurError) {
    guard bytes.byteCount >= layout.byteCount else {
      throw .bufferTooSmall(of: "source", needed: layout.byteCount, found: bytes.byteCount)
    }
    self.layout = layout
    storage = try AlignedBuffer(byteCount: layout.byteCount, zeroed: false)
    bytes.withUnsafeBytes { source in
      // SAFETY: both sides hold at least `layout.byteCount` bytes, checked above.
      storage.base.copyMemory(from: source.start, byteCount: layout.byteCount)
    }
  }

  /// The image's ``ImageLayout/byteCount`` bytes, copied: rows are `layout.stride` bytes apart.
  public var bytes: [UInt8] {
    // SAFETY: a view's memory holds its layout's bytes.
    withView { [UInt8](UnsafeRawBufferPointer(start: $0.base, count: $0.layout.byteCount)) }
  }

  /// Calls `body` with a view of the pixels, valid during the call.
  public func withView<R: ~Copyable, E: Error>(_ body: (ImageView) throws(E) -> R) throws(E) -> R {
    defer { withExtendedLifetime(storage) {} }
    return try body(ImageView(storage.base, layout))
  }

  /// Calls `body` with a writable view of the pixels, valid during the call; copies them first if shared.
  public mutating func withMutableView<R: ~Copyable, E: Error>(
    _ body: (MutableImageView) throws(E) -> R
  ) throws(E) -> R {
    makeUnique()
    defer { withExtendedLifetime(storage) {} }
    return try body(MutableImageView(storage.base, layout))
  }

  /// Bytes of its memory, which its layout need not use all.
  package var byteCount: Int { storage.byteCount }

  /// Takes another layout in the same memory; what its pixels are is undefined.
  ///
  /// - Precondition: the image was made with at least as many bytes as `layout` has.
  package mutating func become(_ layout: ImageLayout) {
    precondition(layout.byteCount <= storage.byteCount, "the image has no room for \(layout)")
    self.layout = layout
  }

  private mutating func makeUnique() {
    guard !isKnownUniquelyReferenced(&storage) else { return }
    guard let copy = try? AlignedBuffer(byteCount: storage.byteCount, zeroed: false) else {
      // As for the standard library's collections, a copy on write that finds no memory cannot go on.
      preconditionFailure("cannot allocate \(storage.byteCount) bytes to copy a shared image")
    }
    // SAFETY: both buffers own `byteCount` bytes.
    copy.base.copyMemory(from: storage.base, byteCount: storage.byteCount)
    storage = copy
  }
}
