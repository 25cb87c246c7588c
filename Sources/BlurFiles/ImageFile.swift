import Blur
import Foundation

/// Reads and writes image files: PNG, PNM (PBM, PGM, PPM), PAM and PFM.
public enum ImageFile {
  /// The file extensions of the formats that pictures can be written in.
  public static let endings = ["png", "pgm", "ppm", "pnm", "pam", "pfm"]

  /// Reads the picture at `path`. The first bytes of the file determine its format; the file extension does
  /// not matter. The path `-` stands for the standard input, and a pipe is read to its end.
  ///
  /// - Throws: ``ImageFileError`` if the file is missing, unreadable, in an unknown format, damaged or cut
  ///   short, or if its header declares more pixels than the file can hold.
  public static func read(_ path: String) throws(ImageFileError) -> Picture {
    do {
      let file = try InputFile(path)
      var picture = try picture(rows(of: file), named: path)
      picture.ending = try ending(of: file)
      return picture
    } catch {
      throw ImageFileError(path, "\(error)")
    }
  }

  /// Writes a picture to `path`. The file extension determines the format. The file becomes visible only when
  /// it is complete. The path `-` stands for the standard output. On the standard output, and in a pipe
  /// without a file extension, the picture is written in the format from which it was read, or as PNG if it
  /// was not read from a file.
  ///
  /// The samples are converted if the format does not support the depth of the picture. PNG, PNM and PAM
  /// store float values as 16 bits, clamped to 0…1. PPM stores gray as RGB. PGM, PPM and PNM store opaque
  /// pictures without their alpha channel. PFM holds linear light, and PNM and PAM hold sRGB values. A PNG
  /// file gets the curve of the PNG file from which the picture was read, or the sRGB curve if the picture
  /// was not read from a PNG file. If the picture's curve is unknown, for example because its file has a
  /// colour profile, values are written to PNM and PAM files without a conversion, and one of the returned
  /// sentences says so.
  ///
  /// - Returns: A sentence about each loss: metadata that the file cannot hold, and samples that were
  ///   clamped.
  /// - Throws: ``ImageFileError`` if the file extension is unknown, if the picture has alpha or colour that
  ///   the format cannot hold, if the file cannot be written, or if values must be converted from or to
  ///   linear light but their curve is unknown.
  @discardableResult
  public static func write(_ picture: Picture, to path: String) throws(ImageFileError) -> [String] {
    let ending = ending(of: path, from: picture.ending)
    var notes: [String] = []
    do {
      let kind = try FileFormat(of: picture.shape, ending: ending, isOpaque: picture.isOpaque)
      try OutputFile.write(to: path) { notes = try picture.write(to: $0, as: kind) }
    } catch let error as ImageFileError {
      throw error
    } catch {
      throw ImageFileError(path, "\(error)")
    }
    return notes
  }

  /// Converts an image to a picture with ``Picture/init(_:)``, and writes the picture to `path`. Float values
  /// are taken as linear light from 0 to 1, and integers as sRGB.
  ///
  /// - Returns: A sentence about each loss.
  /// - Throws: ``ImageFileError``, as for a picture.
  @discardableResult
  public static func write(_ image: Image, to path: String) throws(ImageFileError) -> [String] {
    try write(Picture(image), to: path)
  }

  /// Returns the picture as the bytes of a PNG file.
  ///
  /// - Throws: ``ImageFileError`` if libpng reports an error.
  public static func png(_ picture: Picture) throws(ImageFileError) -> [UInt8] {
    do { return try encode(picture, ending: "png") } catch {
      throw ImageFileError("a PNG in memory", "\(error)")
    }
  }

  /// Checks that the file extension of `path` belongs to a format that pictures can be written in. Call this
  /// function before you create the picture, so that the user sees the error at once.
  ///
  /// - Throws: ``ImageFileError`` if the extension is not in ``endings``.
  public static func checkEnding(of path: String) throws(ImageFileError) {
    let ending = ending(of: path, from: "png")
    guard endings.contains(ending) else { throw ImageFileError(path, FileFormat.unknown(ending)) }
  }

  /// Returns the transfer curve that a file at this path uses when it is written. The result is nil for PNG,
  /// because a PNG file keeps the curve of its source.
  ///
  /// - Parameter source: The file extension of the format that was read. A pipe without a file extension is
  ///   written in this format.
  public static func curve(of path: String, from source: String) -> TransferCurve? {
    FileFormat.curve(ending(of: path, from: source))
  }

  /// Returns a reader for the rows of the picture in `file`. The first bytes of the file determine its
  /// format.
  static func rows(of file: InputFile) throws(ImageDataError) -> any RowReader {
    if file.byteCount == 0 { throw .init("is empty") }
    try file.seek(to: 0)
    let magic = (file.next() ?? 0, file.next() ?? 0)
    if magic.0 == UInt8(ascii: "P"), NetpbmReader.kinds.contains(magic.1) {
      return try NetpbmReader(file, kind: magic.1)
    }
    try file.seek(to: 0)
    if PNGReader.signature.allSatisfy({ file.next() == $0 }) {
      try file.seek(to: 0)
      return try PNGReader(file)
    }
    throw .init(
      "is not an image in a supported format (PNG, PNM, PAM or PFM); convert others, such as JPEG, to PNG")
  }

  static func decode(_ bytes: [UInt8]) throws(ImageDataError) -> Samples {
    try rows(of: InputFile(bytes)).all()
  }

  static func picture(_ reader: any RowReader, named name: String) throws -> Picture {
    let samples = try reader.all()
    return try Picture(samples, reader.metadata, named: name, widensLight: true)
  }

  /// Decodes a picture from the bytes of an image file.
  static func picture(_ bytes: [UInt8]) throws -> Picture {
    try picture(rows(of: InputFile(bytes)), named: "the file")
  }

  static func encode(_ picture: Picture, ending: String) throws -> [UInt8] {
    let kind = try FileFormat(of: picture.shape, ending: ending, isOpaque: picture.isOpaque)
    var failure: (any Error)?
    let bytes = try OutputFile.bytes { (file) throws(ImageDataError) in
      do { _ = try picture.write(to: file, as: kind) } catch { failure = error }
    }
    if let failure { throw failure }
    return bytes
  }

  /// Returns the file extension of a path, in lowercase. For a pipe without an extension, returns `source`,
  /// the extension of the format that was read.
  public static func ending(of path: String, from source: String) -> String {
    let ending = URL(filePath: path).pathExtension.lowercased()
    return ending.isEmpty && Pipe.isOutput(path) ? source : ending
  }

  /// Returns the usual file extension for the format of `file`.
  static func ending(of file: InputFile) throws(ImageDataError) -> String {
    try file.seek(to: 0)
    let magic = (file.next(), file.next())
    guard magic.0 == UInt8(ascii: "P"), let kind = magic.1 else { return "png" }
    return kind == UInt8(ascii: "7") ? "pam" : "fF".utf8.contains(kind) ? "pfm" : "pnm"
  }
}

/// An output format, together with the channels and depth that a picture has in this format.
struct FileFormat {
  /// The file extension in lowercase.
  let ending: String
  /// The shape of the picture in the file. If the format does not support the channels or the depth of the
  /// original picture, this shape has supported ones instead.
  let shape: Samples.Shape

  /// Returns the transfer curve for files with this extension, or nil if each file can name its own curve.
  static func curve(_ ending: String) -> TransferCurve? {
    switch ending {
    case "png": nil
    case "pfm": .linear
    default: .sRGB
    }
  }

  /// Chooses the channels and the depth with which a picture is written to a file with this extension.
  ///
  /// - Parameter isOpaque: Whether every pixel is opaque. If so, alpha can be left out.
  /// - Throws: ``ImageDataError`` if the picture has colour or alpha that the format cannot hold, or if the
  ///   extension is unknown.
  init(
    of picture: Samples.Shape, ending: String, isOpaque: @autoclosure () -> Bool = false
  ) throws(ImageDataError) {
    var shape = picture
    if shape.hasAlpha && ["pgm", "ppm", "pnm"].contains(ending) && isOpaque() { shape.channels -= 1 }
    if ending == "pfm" {
      shape.depth = .float
    } else if shape.depth == .float {
      shape.depth = .bits16
    }
    if ending == "ppm" && shape.channels == 1 { shape.channels = 3 }
    // PFM cannot hold gray with alpha, but its variant PF4 can hold RGB with alpha, so the gray becomes RGB.
    if ending == "pfm" && shape.channels == 2 { shape.channels = 4 }
    if ending == "pgm" && shape.channels > 2 {
      throw .init("PGM files cannot hold colour; write .ppm, .png or .pam")
    }
    if shape.hasAlpha && ["pgm", "ppm", "pnm"].contains(ending) {
      throw .init("PNM files cannot hold alpha; write .png or .pam")
    }
    guard ImageFile.endings.contains(ending) else { throw .init(Self.unknown(ending)) }
    (self.ending, self.shape) = (ending, shape)
  }

  /// Creates a writer for the rows of the picture, and writes the header.
  ///
  /// - Parameter metadata: The metadata that the file can hold, as returned by
  ///   ``PictureMetadata/fitting(_:_:)``.
  func writer(_ metadata: PictureMetadata, _ file: FileStream) throws(ImageDataError) -> any RowWriter {
    switch ending {
    case "png": return try PNGWriter(shape, metadata.chunks, file)
    case "pam": return try NetpbmWriter.pam(shape, maximum: metadata.maximum, file)
    case "pfm": return try PFMWriter(shape, scale: metadata.scale ?? 1, file)
    default: return try NetpbmWriter.pnm(shape, maximum: metadata.maximum, file)
    }
  }

  static func unknown(_ ending: String) -> String {
    "pictures can be written as " + ImageFile.endings.map { ".\($0)" }.joined(separator: ", ")
      + (ending.isEmpty ? "; this name has no extension" : ", but not as .\(ending)")
  }
}
