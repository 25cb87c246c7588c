/// Reads the rows of a picture from top to bottom, each row once.
protocol RowReader: AnyObject {
  var shape: Samples.Shape { get }
  /// The data in the file apart from the pixels. It is complete after ``finish()``.
  var metadata: PictureMetadata { get }
  /// The reason why the whole picture must be in memory while the file is read, or nil if the rows can be
  /// read one by one.
  var wholeOnly: String? { get }

  /// Reads the next row of the file into row `y` of `samples`.
  func read(into samples: inout Samples, row y: Int) throws(ImageDataError)
  /// Reads the data that the file format stores after the last row, such as the last chunks of a PNG file.
  func finish() throws(ImageDataError)
}

extension RowReader {
  var wholeOnly: String? { nil }
  func finish() throws(ImageDataError) {}

  /// Reads all rows of the file, and then the data that the file format stores after the last row.
  func all() throws(ImageDataError) -> Samples {
    var samples = try Samples.zeros(shape)
    for y in 0..<shape.height { try read(into: &samples, row: y) }
    try finish()
    return samples
  }
}

/// Writes the rows of a picture from top to bottom, each row once.
protocol RowWriter: AnyObject {
  var shape: Samples.Shape { get }

  /// Writes the next row. `row` has the channels and depth of ``shape`` and a height of 1.
  func write(_ row: Samples) throws(ImageDataError)
  /// Writes the data that the file format stores after the last row, such as the last chunks of a PNG file.
  ///
  /// - Parameter metadata: The metadata that the file can hold, including the data that the source file
  ///   stores after its last row.
  func finish(with metadata: PictureMetadata) throws(ImageDataError)
}

extension RowWriter {
  func finish(with metadata: PictureMetadata) throws(ImageDataError) {}
}
