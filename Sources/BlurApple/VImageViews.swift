#if canImport(Accelerate)
  import Accelerate
  import Blur

  extension ImageView {
    /// Creates a view of the pixels of a vImage buffer, which must stay valid while the view is used.
    ///
    /// Pass `gray8` for vImage's Planar8, and `grayf32` for PlanarF. Pass `rgba8` for ARGB8888, BGRA8888 and
    /// all other formats with four 8-bit channels and premultiplied alpha. The order of the channels does not
    /// matter, because a blur treats all channels alike. However, the constant pixel of an edge mode must
    /// have its channels in the order in which the buffer stores them.
    ///
    /// - Throws: ``BlurError/invalidLayout(_:)``, or ``BlurError/bufferTooSmall(of:needed:found:)`` if the
    ///   buffer has no memory.
    public init(vImage buffer: vImage_Buffer, format: PixelFormat) throws(BlurError) {
      self = try MutableImageView(vImage: buffer, format: format).readOnly
    }
  }

  extension MutableImageView {
    /// Creates a writable view of the pixels of a vImage buffer. For the values of `format`, see
    /// ``ImageView/init(vImage:format:)``.
    ///
    /// - Throws: ``BlurError/invalidLayout(_:)``, or ``BlurError/bufferTooSmall(of:needed:found:)`` if the
    ///   buffer has no memory.
    public init(vImage buffer: vImage_Buffer, format: PixelFormat) throws(BlurError) {
      let layout = try ImageLayout(
        format, width: Int(clamping: buffer.width), height: Int(clamping: buffer.height),
        stride: buffer.rowBytes)
      // SAFETY: a vImage buffer has `rowBytes` bytes for each of its rows, and the caller keeps it valid.
      let count = buffer.data == nil ? 0 : layout.byteCount
      try self.init(base: UnsafeMutableRawBufferPointer(start: buffer.data, count: count), layout: layout)
    }
  }
#endif
