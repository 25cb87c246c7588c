import Blur

extension ImageFile {
  /// Reads a picture that serves as the mask for a blur with a variable sigma. The image of the result has
  /// the format `gray8`, where black is 0 and white is 255.
  ///
  /// Any gray picture can be a mask, even one with a palette, with 16 bits or with floats. Its values are
  /// rounded to 8 bits. Floats above 1 become 255, and negative floats and NaN become 0. A warning in the
  /// metadata says how many such floats there were. No transfer curve is applied to the stored values.
  ///
  /// - Throws: ``ImageFileError`` if the file cannot be read, or if it has colours or transparent pixels.
  public static func readMask(_ path: String) throws(ImageFileError) -> Picture {
    do {
      let reader = try rows(of: InputFile(path))
      let (samples, clamped) = try gray(reader.all())
      var metadata = reader.metadata
      if clamped.note != nil {
        metadata.warnings.append(
          "a mask has values from 0 to 1, but \(clamped.above) pixels are above 1 (now 1), "
            + "\(clamped.below) are below 0 (now 0), and \(clamped.undefined) are not a number (now 0)")
      }
      return try Picture(samples, metadata, named: path)
    } catch {
      throw ImageFileError(path, "\(error)")
    }
  }

  /// Converts the samples to a single 8-bit channel, and counts the pixels that have to be clamped.
  private static func gray(_ samples: Samples) throws(ImageDataError) -> (Samples, ClampedSamples) {
    guard samples.isOpaque else {
      throw .init("has transparent pixels, but a mask must be opaque; flatten it")
    }
    let (channels, colours) = (samples.channels, samples.channels < 3 ? 1 : 3)
    var clamped = ClampedSamples()
    if channels == 1 && samples.depth == .bits8 { return (samples, clamped) }
    var bytes = Samples(width: samples.width, height: samples.height, channels: 1, depth: .bits8)
    for pixel in 0..<samples.width * samples.height {
      let gray = samples.share(pixel * channels)
      for c in 1..<colours {
        let other = samples.share(pixel * channels + c)
        guard other == gray || (other.isNaN && gray.isNaN) else {
          throw .init("has colours, but a mask must be gray; convert it to gray")
        }
      }
      // A value that lies outside 0…1 by at most half a 16-bit step is only a rounding error, so it is not
      // counted.
      clamped.count(gray, full: 65535)
      bytes.setShare(pixel, gray)
    }
    return (bytes, clamped)
  }
}
