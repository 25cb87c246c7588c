/// Reads a picture's rows from the top, each once.
protocol RowReader: AnyObject {
  var shape: Samples.Shape { get }
  /// Why rows cannot be had without the whole picture in memory, or nil.
  var wholeOnly: String? { get }

  /// Reads the next row, as row `y` of `samples`.
  func read(into samples: inout Samples, row y: Int) throws(ImageFileError.Fault)
  /// Reads what follows the last row.
  func finish() throws(ImageFileError.Fault)
}

extension RowReader {
  var wholeOnly: String? { nil }
  func finish() throws(ImageFileError.Fault) {}

  /// Reads all rows.
  func all() throws(ImageFileError.Fault) -> Samples {
    var samples = try Samples.zeros(shape)
    for y in 0..<shape.height { try read(into: &samples, row: y) }
    try finish()
    return samples
  }
}

/// Writes a picture's rows from the top, each once.
protocol RowWriter: AnyObject {
  var shape: Samples.Shape { get }

  /// Writes the next row: samples of one row of the shape.
  func write(_ row: Samples) throws(ImageFileError.Fault)
  /// Writes what follows the last row.
  func finish() throws(ImageFileError.Fault)
}

extension RowWriter {
  func finish() throws(ImageFileError.Fault) {}
}
