#if canImport(CoreVideo)
  import Blur
  import CoreVideo

  extension BlurPlan {
    /// Blurs the pixel buffer `source` into `target` without copying pixels, and propagates attachments, such
    /// as the color space, to `target`. To blur a video, create the plan once from the `imageLayout` of a
    /// frame, and use it for all frames. If the frames have straight alpha, `target` must declare it as well:
    /// first set its attachment `kCVImageBufferAlphaChannelModeKey` to
    /// `kCVImageBufferAlphaChannelMode_StraightAlpha`.
    ///
    /// - Throws: ``BlurError/invalidLayout(_:)`` if a buffer cannot be locked or if `imageLayout` does
    ///   not list its pixel format, ``BlurError/layoutMismatch(of:expected:found:)``, or
    ///   ``BlurError/overlap(kernel:)``.
    public func blur(_ source: CVPixelBuffer, into target: CVPixelBuffer) throws(BlurError) {
      try source.withPixels(.readOnly) { (pixels, layout) throws(BlurError) in
        try target.withPixels([]) { (result, resultLayout) throws(BlurError) in
          try blur(
            ImageView(base: UnsafeRawBufferPointer(pixels), layout: layout),
            into: MutableImageView(base: result, layout: resultLayout))
        }
      }
      CVBufferPropagateAttachments(source, target)
    }
  }

  extension CVPixelBuffer {
    /// The layout of the pixels in memory.
    ///
    /// These pixel formats can be blurred: 32 bits (BGRA, RGBA, ARGB and ABGR), 24 bits (RGB and BGR),
    /// 64RGBALE, 128RGBAFloat, and OneComponent with 8 bits, 16 bits or 32-bit floats. To get such buffers
    /// from a camera, ask for 32BGRA in its `videoSettings`.
    ///
    /// Alpha is straight if the attachment `kCVImageBufferAlphaChannelModeKey` says so, and premultiplied
    /// otherwise.
    ///
    /// - Throws: ``BlurError/invalidLayout(_:)`` if the pixel format is not one of these.
    public var imageLayout: ImageLayout {
      get throws(BlurError) {
        let type = CVPixelBufferGetPixelFormatType(self)
        guard let (format, order) = PixelFormat.stored(as: type) else {
          throw .invalidLayout(
            "pixel format \(type.fourCharacters): use 32BGRA or one of the formats that `imageLayout` lists")
        }
        let mode = CVBufferCopyAttachment(self, kCVImageBufferAlphaChannelModeKey, nil)
        let isStraight = mode.map { CFEqual($0, kCVImageBufferAlphaChannelMode_StraightAlpha) } ?? false
        return try ImageLayout(
          format, width: CVPixelBufferGetWidth(self), height: CVPixelBufferGetHeight(self),
          stride: CVPixelBufferGetBytesPerRow(self), order: order,
          alpha: isStraight && format.hasAlpha ? .straight : .premultiplied)
      }
    }

    /// Blurs the pixels in place, through a temporary copy. The plan is cached for the next call; see
    /// ``Blur/BlurPlanCache``. To blur many frames, use ``Blur/BlurPlan/blur(_:into:)`` with two buffers.
    ///
    /// - Parameters:
    ///   - sigma: The standard deviation in pixels.
    ///   - edge: The edge mode, which defines the pixels beyond the edges of the image.
    ///   - accuracy: The largest allowed difference from the exact Gaussian, in any image.
    ///   - threads: The number of threads that work on the image, from 1 to 1024.
    /// - Throws: The errors of ``imageLayout`` and of
    ///   ``Blur/BlurPlan/init(for:sigma:edge:accuracy:threads:planning:scratch:)``.
    public func blur(
      sigma: Double, edge: EdgeMode = .clamp, accuracy: ErrorBound = .levels(1), threads: Int = 1
    ) throws(BlurError) {
      try withPixels([]) { (pixels, layout) throws(BlurError) in
        let plan = try BorrowedPlan(
          for: layout, BlurParameters(sigma: Sigma(sigma), edge: edge), accuracy: accuracy, threads: threads)
        let copy = try Image(layout, copying: UnsafeRawBufferPointer(pixels).bytes)
        try copy.withView { (source) throws(BlurError) in
          try plan.blur(source, into: MutableImageView(base: pixels, layout: layout))
        }
      }
    }

    /// Calls `body` with the pixels, which are locked during the call. With the flag `readOnly`, `body` must
    /// not change the pixels.
    fileprivate func withPixels(
      _ flags: CVPixelBufferLockFlags,
      _ body: (UnsafeMutableRawBufferPointer, ImageLayout) throws(BlurError) -> Void
    ) throws(BlurError) {
      let layout = try imageLayout
      let code = CVPixelBufferLockBaseAddress(self, flags)
      guard code == kCVReturnSuccess else {
        throw .invalidLayout("pixel buffer: Core Video cannot lock its memory (error \(code))")
      }
      defer { CVPixelBufferUnlockBaseAddress(self, flags) }
      // SAFETY: a locked buffer has `stride` bytes for each row, at an address that is valid until it is
      // unlocked. None of the formats of `imageLayout` is planar.
      let base = CVPixelBufferGetBaseAddress(self)
      try body(UnsafeMutableRawBufferPointer(start: base, count: base == nil ? 0 : layout.byteCount), layout)
    }
  }

  extension PixelFormat {
    /// Returns the format and the order of the channels for a pixel format of Core Video, or nil if the
    /// library cannot blur it.
    fileprivate static func stored(as type: OSType) -> (PixelFormat, ImageLayout.ChannelOrder)? {
      switch type {
      case kCVPixelFormatType_32BGRA: (.rgba8, .bgra)
      case kCVPixelFormatType_32RGBA: (.rgba8, .rgba)
      case kCVPixelFormatType_32ARGB: (.rgba8, .argb)
      case kCVPixelFormatType_32ABGR: (.rgba8, .abgr)
      case kCVPixelFormatType_24RGB: (.rgb8, .rgba)
      case kCVPixelFormatType_24BGR: (.rgb8, .bgra)
      case kCVPixelFormatType_64RGBALE: (.rgba16, .rgba)
      case kCVPixelFormatType_128RGBAFloat: (.rgbaf32, .rgba)
      case kCVPixelFormatType_OneComponent8: (.gray8, .rgba)
      case kCVPixelFormatType_OneComponent16: (.gray16, .rgba)
      case kCVPixelFormatType_OneComponent32Float: (.grayf32, .rgba)
      default: nil
      }
    }
  }

  extension OSType {
    /// The code as four characters, such as 420v. If some of them cannot be printed, the result is the code
    /// as a decimal number.
    fileprivate var fourCharacters: String {
      let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: self >> $0) }
      return bytes.allSatisfy { (32..<127).contains($0) } ? String(decoding: bytes, as: UTF8.self) : "\(self)"
    }
  }
#endif
