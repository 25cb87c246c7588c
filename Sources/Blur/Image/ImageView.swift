/// A read-only view of an image in memory: the address and the layout of its pixels. The view does not own
/// the memory.
///
/// Views are the unsafe part of the library's interface, because nothing keeps their memory alive. Views are
/// meant for kernels, and for callers that manage their own memory. With the compiler option
/// `-strict-memory-safety`, each use of a view has to be marked with `unsafe`.
@unsafe public struct ImageView: @unchecked Sendable {
  /// The address of the first pixel.
  public let unsafeBase: UnsafeRawPointer
  /// The layout of the pixels at ``unsafeBase``.
  public let layout: ImageLayout

  /// Creates a view of an image that begins at the first byte of `base`. The memory must stay valid while the
  /// view is used.
  ///
  /// - Throws: ``BlurError/bufferTooSmall(of:needed:found:)`` if the buffer has fewer than
  ///   `layout.byteCount` bytes.
  public init(base: UnsafeRawBufferPointer, layout: ImageLayout) throws(BlurError) {
    guard base.count >= layout.byteCount else {
      throw .bufferTooSmall(of: "buffer", needed: layout.byteCount, found: base.count)
    }
    self.init(base.start, layout)
  }

  /// Creates a view of `layout.byteCount` bytes at `base`, which must stay valid while the view is used.
  package init(_ base: UnsafeRawPointer, _ layout: ImageLayout) {
    unsafeBase = base
    self.layout = layout
  }

  /// Returns the address of the first pixel of row `y`. Nothing checks that the image has such a row.
  @inline(__always)
  public func unsafeRow(_ y: Int) -> UnsafeRawPointer { unsafeBase + y * layout.stride }

  /// Returns a view of the part of the image inside `region`, with the same stride.
  ///
  /// - Throws: ``BlurError/invalidRegion(_:_:)`` if the region is not inside the image.
  public func cropped(to region: Region) throws(BlurError) -> ImageView {
    let layout = try layout.cropped(to: region)
    // SAFETY: the region lies inside the image, so the address of its first pixel does, too.
    return ImageView(unsafeRow(region.y) + region.x * layout.format.bytesPerPixel, layout)
  }
}

/// A writable view of an image in memory: the address and the layout of its pixels. The view does not own the
/// memory, and is as unsafe as an ``ImageView``.
@unsafe public struct MutableImageView: @unchecked Sendable {
  /// The address of the first pixel.
  public let unsafeBase: UnsafeMutableRawPointer
  /// The layout of the pixels at ``unsafeBase``.
  public let layout: ImageLayout

  /// Creates a view of an image that begins at the first byte of `base`. The memory must stay valid while the
  /// view is used.
  ///
  /// - Throws: ``BlurError/bufferTooSmall(of:needed:found:)`` if the buffer has fewer than
  ///   `layout.byteCount` bytes.
  public init(base: UnsafeMutableRawBufferPointer, layout: ImageLayout) throws(BlurError) {
    guard base.count >= layout.byteCount else {
      throw .bufferTooSmall(of: "buffer", needed: layout.byteCount, found: base.count)
    }
    self.init(base.start, layout)
  }

  /// Creates a view of `layout.byteCount` bytes at `base`, which must stay valid while the view is used.
  package init(_ base: UnsafeMutableRawPointer, _ layout: ImageLayout) {
    unsafeBase = base
    self.layout = layout
  }

  /// Returns the address of the first pixel of row `y`. Nothing checks that the image has such a row.
  @inline(__always)
  public func unsafeRow(_ y: Int) -> UnsafeMutableRawPointer { unsafeBase + y * layout.stride }

  /// A read-only view of the same pixels.
  public var readOnly: ImageView { ImageView(unsafeBase, layout) }

  /// Returns a view of the part of the image inside `region`, with the same stride.
  ///
  /// - Throws: ``BlurError/invalidRegion(_:_:)`` if the region is not inside the image.
  public func cropped(to region: Region) throws(BlurError) -> MutableImageView {
    let layout = try layout.cropped(to: region)
    // SAFETY: the region lies inside the image, so the address of its first pixel does, too.
    return MutableImageView(unsafeRow(region.y) + region.x * layout.format.bytesPerPixel, layout)
  }

  /// Copies the pixels of `source`, which must have the same format and size.
  package func copyPixels(of source: ImageView) {
    for y in 0..<layout.height {
      // SAFETY: both views have the same format and size, so each row holds `rowBytes` bytes in both.
      unsafeRow(y).copyMemory(from: source.unsafeRow(y), byteCount: layout.rowBytes)
    }
  }
}

extension ImageView {
  /// Returns whether all rows of this view lie outside the memory of the rows of `target`. For example, the
  /// result is true for the left half and the right half of one image, because the rows of the two halves
  /// alternate in memory without overlapping. If the strides differ, the result is true only if one view ends
  /// before the other begins.
  package func isApart(from target: MutableImageView) -> Bool {
    let from = UInt(bitPattern: unsafeBase)
    let to = UInt(bitPattern: target.unsafeBase)
    let fromEnd = from + UInt(layout.byteCount)
    let toEnd = to + UInt(target.layout.byteCount)
    if fromEnd <= to || toEnd <= from { return true }
    let stride = layout.stride
    guard stride == target.layout.stride else { return false }
    let distance = Int(bitPattern: to) - Int(bitPattern: from)
    let offset = ((distance % stride) + stride) % stride
    return offset >= layout.rowBytes && offset + target.layout.rowBytes <= stride
  }
}

extension ImageLayout {
  /// Returns the layout of a region of the image. It has the size of the region and the stride of the whole
  /// image.
  func cropped(to region: Region) throws(BlurError) -> ImageLayout {
    guard region.fits(self) else { throw .invalidRegion(region, self) }
    return ImageLayout(format, region.width, region.height, stride, order, alpha)
  }
}
