/// Pixels to read: an address and the layout found there. It does not own the memory.
///
/// The unsafe border of the library, for kernels and for callers with buffers of their own.
public struct ImageView: @unchecked Sendable {
  /// The first pixel.
  public let base: UnsafeRawPointer
  /// The shape of the pixels at ``base``.
  public let layout: ImageLayout

  /// Views `layout.byteCount` bytes at `base`, which must stay valid while the view is used.
  public init(_ base: UnsafeRawPointer, _ layout: ImageLayout) {
    self.base = base
    self.layout = layout
  }

  /// The address of the first pixel of row `y`.
  @inline(__always)
  public func row(_ y: Int) -> UnsafeRawPointer { base + y * layout.stride }

  /// The part of the image inside `region`, as an image of its own with the same stride.
  ///
  /// - Throws: ``BlurError/invalidRegion(_:_:)`` when the region is not inside the image.
  public func cropped(to region: Region) throws(BlurError) -> ImageView {
    let layout = try layout.cropped(to: region)
    // SAFETY: the region lies inside the image, so its first pixel does.
    return ImageView(row(region.y) + region.x * layout.format.bytesPerPixel, layout)
  }
}

/// Pixels to write: an address and the layout found there. It does not own the memory.
public struct MutableImageView: @unchecked Sendable {
  /// The first pixel.
  public let base: UnsafeMutableRawPointer
  /// The shape of the pixels at ``base``.
  public let layout: ImageLayout

  /// Views `layout.byteCount` bytes at `base`, which must stay valid while the view is used.
  public init(_ base: UnsafeMutableRawPointer, _ layout: ImageLayout) {
    self.base = base
    self.layout = layout
  }

  /// The address of the first pixel of row `y`.
  @inline(__always)
  public func row(_ y: Int) -> UnsafeMutableRawPointer { base + y * layout.stride }

  /// The same pixels, to read.
  public var readOnly: ImageView { ImageView(base, layout) }

  /// The part of the image inside `region`, as an image of its own with the same stride.
  ///
  /// - Throws: ``BlurError/invalidRegion(_:_:)`` when the region is not inside the image.
  public func cropped(to region: Region) throws(BlurError) -> MutableImageView {
    let layout = try layout.cropped(to: region)
    // SAFETY: the region lies inside the image, so its first pixel does.
    return MutableImageView(row(region.y) + region.x * layout.format.bytesPerPixel, layout)
  }
}

extension ImageView {
  /// Whether any byte from the first pixel to the last is one of `other`'s, padding included.
  package func overlaps(_ other: MutableImageView) -> Bool {
    base < other.base + other.layout.byteCount && other.base < base + layout.byteCount
  }
}

extension ImageLayout {
  /// The layout of a region: its size, the whole image's stride.
  func cropped(to region: Region) throws(BlurError) -> ImageLayout {
    guard region.fits(self) else { throw .invalidRegion(region, self) }
    return try ImageLayout(format, width: region.width, height: region.height, stride: stride)
  }
}
