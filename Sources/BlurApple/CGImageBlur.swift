#if canImport(CoreGraphics)
  import Blur
  import CoreGraphics
  import Foundation

  extension CGImage {
    /// Returns the image blurred by the fastest kernel that promises to stay within an error bound. By
    /// default, the bound is one level, which is 1/255 of full scale.
    ///
    /// The result has the size of the image. It keeps the image's color space if this is an RGB or gray space
    /// that Core Graphics can draw into. Otherwise, the result's color space is sRGB. The constant pixel of
    /// an edge mode is always given as red, green, blue, alpha. Its red, green and blue must already be
    /// multiplied by alpha, unless this image has straight alpha. The plan is cached for the next call; see
    /// ``Blur/BlurPlanCache``.
    ///
    /// If the three conditions below are met, the stored pixels are blurred directly. Their channels may have
    /// any order, and alpha may be premultiplied, straight or missing. Any other image is first drawn into a
    /// bitmap, which is gray or has premultiplied alpha.
    ///
    /// - The color space is RGB, or it is gray and there is no alpha.
    /// - Components are integers of 8 or 16 bits or floats of 32 bits, in the byte order of the machine.
    /// - Rows have no padding.
    ///
    /// - Parameters:
    ///   - sigma: The standard deviation in pixels. Multiply a sigma in points by the scale of the screen.
    ///   - edge: The edge mode, which defines the pixels beyond the edges of the image.
    ///   - accuracy: The largest allowed difference from the exact Gaussian, in any image.
    ///   - threads: The number of threads that work on the image, from 1 to 1024.
    /// - Throws: The errors of
    ///   ``Blur/BlurPlan/init(for:sigma:edge:accuracy:threads:planning:scratch:)``.
    public func blurred(
      sigma: Double, edge: EdgeMode = .clamp, accuracy: ErrorBound = .levels(1), threads: Int = 1
    ) throws(BlurError) -> CGImage {
      let source = if let stored = try Bitmap(storedBy: self) { stored } else { try Bitmap(drawing: self) }
      let layout = source.layout
      var edge = edge
      if case .constant(var pixel) = edge, hasStraightAlpha, layout.alpha == .premultiplied {
        // Drawing the image multiplied its colours by alpha, so the constant pixel must be multiplied, too.
        let alpha = pixel.w
        pixel *= alpha / Float(layout.format.fullScale)
        pixel.w = alpha
        edge = .constant(pixel)
      }
      let plan = try BorrowedPlan(
        for: layout, BlurParameters(sigma: Sigma(sigma), edge: edge), accuracy: accuracy, threads: threads)
      let size = layout.stride * layout.height
      guard let result = NSMutableData(length: size) else { throw .outOfMemory(bytes: size) }
      // SAFETY: `result` owns `size` bytes, and lives longer than this call of `blur`. No other code uses its
      // memory yet.
      let target = UnsafeMutableRawBufferPointer(start: result.mutableBytes, count: size)
      try plan.blur(source.view, into: MutableImageView(base: target, layout: layout))
      withExtendedLifetime((source, result)) {}
      guard let provider = CGDataProvider(data: result as CFData),
        let image = CGImage(
          width: width, height: height, bitsPerComponent: layout.format.component.bytes * 8,
          bitsPerPixel: layout.format.bytesPerPixel * 8, bytesPerRow: layout.stride, space: source.space,
          bitmapInfo: source.info, provider: provider, decode: nil, shouldInterpolate: shouldInterpolate,
          intent: renderingIntent)
      else { throw .outOfMemory(bytes: size) }
      return image
    }

    /// Whether the colours of the stored pixels are not multiplied by alpha.
    fileprivate var hasStraightAlpha: Bool { alphaInfo == .first || alphaInfo == .last }
  }

  /// The pixels of an image in a format that the library can blur.
  private struct Bitmap {
    /// The pixels. The view is valid as long as ``owner`` lives.
    let view: ImageView
    let space: CGColorSpace
    let info: CGBitmapInfo
    private let owner: AnyObject

    var layout: ImageLayout { view.layout }

    /// Creates a bitmap from the pixels that an image stores, without drawing it. Returns nil if the image
    /// has to be drawn instead.
    ///
    /// A cropped image can share the data provider of the image from which it was cropped, and no property
    /// says where its pixels begin in the data. The provider must therefore hold exactly the rows of this
    /// image, without padding.
    init?(storedBy image: CGImage) throws(BlurError) {
      guard let format = PixelFormat(storing: image), let space = image.colorSpace,
        image.bytesPerRow == image.width * format.bytesPerPixel,
        let data = image.dataProvider?.data as NSData?, data.length == image.bytesPerRow * image.height
      else { return nil }
      let layout = try ImageLayout(
        format, width: image.width, height: image.height, order: format.hasAlpha ? .init(of: image) : .rgba,
        alpha: image.hasStraightAlpha ? .straight : .premultiplied)
      // SAFETY: `data` owns the bytes, does not change, and lives as long as the bitmap.
      view = try ImageView(
        base: UnsafeRawBufferPointer(start: data.bytes, count: data.length), layout: layout)
      self.space = space
      info = image.bitmapInfo
      owner = data
    }

    /// Creates a bitmap by drawing an image. The bitmap is gray or has premultiplied alpha, and its
    /// components are at least as precise as the components of the image.
    init(drawing image: CGImage) throws(BlurError) {
      let model = image.colorSpace?.model
      let isGray = model == .monochrome && image.alphaInfo == .none
      let kept = image.colorSpace.flatMap { (isGray || model == .rgb) && $0.supportsOutput ? $0 : nil }
      let alpha: CGImageAlphaInfo = isGray && kept != nil ? .none : .premultipliedLast
      let (component, order): (PixelFormat.Component, CGBitmapInfo) =
        if image.bitmapInfo.contains(.floatComponents) {
          (.float32, [.floatComponents, .byteOrder32Little])
        } else if image.bitsPerComponent > 8 { (.uint16, .byteOrder16Little) } else { (.uint8, []) }
      info = CGBitmapInfo(rawValue: alpha.rawValue | order.rawValue)
      guard let space = kept ?? CGColorSpace(name: CGColorSpace.sRGB),
        let format = PixelFormat(channels: alpha == .none ? 1 : 4, component),
        let context = CGContext(
          data: nil, width: image.width, height: image.height, bitsPerComponent: component.bytes * 8,
          bytesPerRow: 0, space: space, bitmapInfo: info.rawValue),
        let base = context.data
      else { throw .invalidLayout("this CGImage: Core Graphics cannot draw it into a bitmap") }
      context.draw(image, in: CGRect(x: 0, y: 0, width: image.width, height: image.height))
      let layout = try ImageLayout(
        format, width: image.width, height: image.height, stride: context.bytesPerRow)
      // SAFETY: the context owns this memory, which has `bytesPerRow` bytes per row, and lives as long as the
      // bitmap. Nothing else is drawn into the context from here on.
      view = try ImageView(base: UnsafeRawBufferPointer(start: base, count: layout.byteCount), layout: layout)
      self.space = space
      owner = context
    }
  }

  extension ImageLayout.ChannelOrder {
    /// Creates the order in which an image with four channels stores these channels.
    fileprivate init(of image: CGImage) {
      // `alphaInfo` says whether alpha, or the unused channel, is the first or the last channel of a pixel.
      // The byte order `order32Little` reverses the four bytes of each pixel in memory.
      let isFirst = [.premultipliedFirst, .first, .noneSkipFirst].contains(image.alphaInfo)
      let isReversed = image.bitsPerPixel == 32 && image.byteOrderInfo == .order32Little
      self = isFirst ? isReversed ? .bgra : .argb : isReversed ? .abgr : .rgba
    }
  }

  extension PixelFormat {
    /// Creates the format in which an image stores its pixels. Returns nil if the library cannot blur pixels
    /// that are stored in this way. If the image has an unused fourth channel, the format includes this
    /// channel, so the channel is blurred like the others.
    fileprivate init?(storing image: CGImage) {
      let model = image.colorSpace?.model
      guard model == .rgb || model == .monochrome, image.decode == nil else { return nil }
      let isFloat = image.bitmapInfo.contains(.floatComponents)
      let component: Component
      switch (image.bitsPerComponent, isFloat, image.byteOrderInfo) {
      case (8, false, .orderDefault), (8, false, .order32Little), (8, false, .order32Big): component = .uint8
      case (16, false, .order16Little): component = .uint16
      case (32, true, .order32Little): component = .float32
      default: return nil
      }
      let (channels, rest) = image.bitsPerPixel.quotientAndRemainder(dividingBy: image.bitsPerComponent)
      guard rest == 0 else { return nil }
      self.init(channels: channels, component)
    }
  }
#endif
