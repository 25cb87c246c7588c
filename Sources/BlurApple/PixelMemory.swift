#if canImport(CoreGraphics)
  import Blur

  extension ImageView {
    /// Creates a view of `memory`, which must stay valid while the view is used.
    ///
    /// - Throws: ``BlurError/bufferTooSmall(of:needed:found:)``.
    init(_ memory: UnsafeRawBufferPointer, checking layout: ImageLayout) throws(BlurError) {
      guard let base = memory.baseAddress, memory.count >= layout.byteCount else {
        throw .bufferTooSmall(of: "source", needed: layout.byteCount, found: memory.count)
      }
      // SAFETY: the memory holds all bytes of the layout, and the caller keeps it valid.
      self.init(base, layout)
    }
  }

  extension MutableImageView {
    /// Creates a view of `memory`, which must stay valid while the view is used.
    ///
    /// - Throws: ``BlurError/bufferTooSmall(of:needed:found:)``.
    init(_ memory: UnsafeMutableRawBufferPointer, checking layout: ImageLayout) throws(BlurError) {
      guard let base = memory.baseAddress, memory.count >= layout.byteCount else {
        throw .bufferTooSmall(of: "destination", needed: layout.byteCount, found: memory.count)
      }
      // SAFETY: the memory holds all bytes of the layout, and the caller keeps it valid.
      self.init(base, layout)
    }
  }
#endif
