import Blur

extension ImageFile {
  /// Reads a picture as a mask for a blur with a variable sigma: black is 0, white is 255.
  ///
  /// Any picture of grays will do, also one with a palette, with 16 bits or with floats, which are rounded to
  /// 8 bits.
  ///
  /// - Throws: ``ImageFileError`` if the file cannot be read, or if it has colours or transparent pixels.
  public static func readMask(_ path: String) throws(ImageFileError) -> Image {
    let picture = try read(path)
    if picture.image.layout.format == .gray8 { return picture.image }
    let samples = picture.samples()
    guard samples.isOpaque else {
      throw ImageFileError(path, "has transparent pixels, but a mask must be opaque; flatten it")
    }
    let (channels, colours) = (samples.channels, samples.channels < 3 ? 1 : 3)
    var bytes = Samples(width: samples.width, height: samples.height, channels: 1, depth: .bits8)
    for pixel in 0..<samples.width * samples.height {
      let gray = samples.share(pixel * channels)
      for c in 1..<colours where samples.share(pixel * channels + c) != gray {
        throw ImageFileError(path, "has colours, but a mask must be gray; convert it to gray")
      }
      bytes.setShare(pixel, gray)
    }
    do { return try Picture(bytes).image } catch { throw ImageFileError(path, "\(error)") }
  }
}
