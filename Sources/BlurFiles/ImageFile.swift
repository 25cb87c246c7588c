import Blur
import Foundation

/// Reads and writes image files: PNG, PNM (PBM, PGM, PPM), PAM and PFM.
public enum ImageFile {
  /// The file extensions that pictures can be written with.
  public static let endings = ["png", "pgm", "ppm", "pnm", "pam", "pfm"]

  /// Reads the picture at `path`. The first bytes of the file determine its format; the file extension does
  /// not matter. The path `-` stands for the standard input, and a pipe is read to its end.
  ///
  /// - Throws: ``ImageFileError`` if the file is missing, unreadable, in an unknown format, damaged or cut
  ///   short, or if it declares more pixels than it can hold.
  public static func read(_ path: String) throws(ImageFileError) -> Picture {
    do {
      let file = try InputFile(path)
      var picture = try Picture(rows(of: file).all())
      picture.ending = try ending(of: file)
      return picture
    } catch {
      throw ImageFileError(path, "\(error)")
    }
  }

  /// Writes a picture to `path`. The file extension determines the format. The file appears complete or not
  /// at all. The path `-` stands for the standard output. There, and in a pipe without a file extension, a
  /// picture has the format of the file from which it was read, or else PNG.
  ///
  /// The samples are converted if the format does not support the depth of the picture. PNG, PNM and PAM
  /// store float values as 16 bits: 0…1 becomes 0…65535, clamped. PFM stores integers as fractions of full
  /// scale. PPM stores gray as RGB. Formats without alpha store opaque pictures without their alpha channel.
  ///
  /// - Throws: ``ImageFileError`` for other file extensions, for alpha or colour in a format that lacks them,
  ///   and if the file cannot be written.
  public static func write(_ picture: Picture, to path: String) throws(ImageFileError) {
    let ending = ending(of: path, from: picture.ending)
    do {
      let writer = try maker(of: picture.shape, ending: ending, isOpaque: picture.isOpaque)
      try OutputFile.write(to: path) { try picture.write(to: writer($0)) }
    } catch {
      throw ImageFileError(path, "\(error)")
    }
  }

  /// Returns the picture as the bytes of a PNG file.
  ///
  /// - Throws: ``ImageFileError`` if libpng reports an error.
  public static func png(_ picture: Picture) throws(ImageFileError) -> [UInt8] {
    do throws(ImageDataError) { return try encode(picture, ending: "png") } catch {
      throw ImageFileError("a PNG in memory", error.description)
    }
  }

  /// Checks that a picture can be written to a path with this file extension. Call this function before doing
  /// any work for the picture.
  ///
  /// - Throws: ``ImageFileError`` if the extension is not in ``endings``.
  public static func checkEnding(of path: String) throws(ImageFileError) {
    let ending = ending(of: path, from: "png")
    guard endings.contains(ending) else { throw ImageFileError(path, unknown(ending)) }
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

  static func encode(_ picture: Picture, ending: String) throws(ImageDataError) -> [UInt8] {
    let writer = try maker(of: picture.shape, ending: ending, isOpaque: picture.isOpaque)
    return try OutputFile.bytes { (file) throws(ImageDataError) in try picture.write(to: writer(file)) }
  }

  typealias WriterMaker = (FileStream) throws(ImageDataError) -> any RowWriter

  /// Returns a function that creates a writer for files with this extension. The writer converts a depth or
  /// channels that the file format does not support.
  ///
  /// - Parameter isOpaque: Whether every pixel is opaque, so that alpha can be left out.
  /// - Throws: ``ImageDataError`` if the picture has colour or alpha that the format cannot hold, or if the
  ///   extension is unknown.
  static func maker(
    of picture: Samples.Shape, ending: String, isOpaque: @autoclosure () -> Bool = false
  ) throws(ImageDataError) -> WriterMaker {
    var shape = picture
    if shape.hasAlpha && ["pgm", "ppm", "pnm", "pfm"].contains(ending) && isOpaque() { shape.channels -= 1 }
    if ending == "pfm" {
      shape.depth = .float
    } else if shape.depth == .float {
      shape.depth = .bits16
    }
    if ending == "ppm" && shape.channels == 1 { shape.channels = 3 }
    if ending == "pgm" && shape.channels > 2 {
      throw .init("PGM files cannot hold colour; write .ppm, .png or .pam")
    }
    if shape.hasAlpha && ["pgm", "ppm", "pnm", "pfm"].contains(ending) {
      throw .init("\(ending == "pfm" ? "PFM" : "PNM") files cannot hold alpha; write .png or .pam")
    }
    let chosen = shape
    switch ending {
    case "png": return { (file) throws(ImageDataError) in try PNGWriter(chosen, file) }
    case "pgm", "ppm", "pnm":
      return { (file) throws(ImageDataError) in try NetpbmWriter.pnm(chosen, file) }
    case "pam": return { (file) throws(ImageDataError) in try NetpbmWriter.pam(chosen, file) }
    case "pfm": return { (file) throws(ImageDataError) in try PFMWriter(chosen, file) }
    default: throw .init(unknown(ending))
    }
  }

  /// Returns the file extension of a path in lowercase. A pipe without an extension gets `source`, which is
  /// the extension of the format that was read.
  static func ending(of path: String, from source: String) -> String {
    let ending = URL(filePath: path).pathExtension.lowercased()
    return ending.isEmpty && Pipe.isOutput(path) ? source : ending
  }

  /// Returns the file extension for the format of a file that has been read.
  static func ending(of file: InputFile) throws(ImageDataError) -> String {
    try file.seek(to: 0)
    let magic = (file.next(), file.next())
    guard magic.0 == UInt8(ascii: "P"), let kind = magic.1 else { return "png" }
    return kind == UInt8(ascii: "7") ? "pam" : "fF".utf8.contains(kind) ? "pfm" : "pnm"
  }

  private static func unknown(_ ending: String) -> String {
    "pictures can be written as " + endings.map { ".\($0)" }.joined(separator: ", ")
      + (ending.isEmpty ? "; this name has no extension" : ", but not as .\(ending)")
  }
}
