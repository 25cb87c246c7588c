import Blur

extension ImageFile {
  /// Reads a picture as a mask for a blur with a variable sigma: black is 0, white is 255. Its image has the
  /// format `gray8`.
  ///
  /// Any picture of grays will do, also one with a palette, with 16 bits or with floats, which are rounded to
  /// 8 bits. The stored values count, whatever curve they are under.
  ///
  /// - Throws: ``ImageFileError`` if the file cannot be read, or if it has colours or transparent pixels.
  public static func readMask(_ path: String) throws(ImageFileError) -> Picture {
    do {
      let reader = try rows(of: InputFile(path))
      let samples = try gray(reader.all())
      return try Picture(samples, reader.metadata, named: path)
    } catch {
      throw ImageFileError(path, "\(error)")
    }
  }

  /// Returns the samples as one channel with 8 bits.
  private static func gray(_ samples: Samples) throws(ImageDataError) -> Samples {
    guard samples.isOpaque else {
      throw .init("has transparent pixels, but a mask must be opaque; flatten it")
    }
    let (channels, colours) = (samples.channels, samples.channels < 3 ? 1 : 3)
    if channels == 1 && samples.depth == .bits8 { return samples }
    var bytes = Samples(width: samples.width, height: samples.height, channels: 1, depth: .bits8)
    for pixel in 0..<samples.width * samples.height {
      let gray = samples.share(pixel * channels)
      for c in 1..<colours where samples.share(pixel * channels + c) != gray {
        throw .init("has colours, but a mask must be gray; convert it to gray")
      }
      bytes.setShare(pixel, gray)
    }
    return bytes
  }
}
