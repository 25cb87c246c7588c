import Blur
import Foundation

/// Reads and writes image files: PNG, PNM (PBM, PGM, PPM), PAM and PFM.
public enum ImageFile {
  /// The endings that files may be written with.
  public static let endings = ["png", "pgm", "ppm", "pnm", "pam", "pfm"]

  /// Reads the picture at `path`; its format is seen from its first bytes, not from its name.
  ///
  /// - Throws: ``ImageFileError`` when the file is missing, unreadable, of another kind, damaged, cut short, or
  ///   declares more than it can hold.
  public static func read(_ path: String) throws(ImageFileError) -> Picture {
    let bytes = try FileBytes.read(path)
    do {
      return try Picture(decode(bytes))
    } catch let fault as ImageFileError.Fault {
      throw ImageFileError(path, fault.reason)
    } catch {
      throw ImageFileError(path, "\(error)")
    }
  }

  /// Writes a picture to `path`, in the format that the name's ending names. The file appears whole or not at
  /// all.
  ///
  /// Depths are converted where the format lacks the picture's: float values to 16 bits for PNG, PNM and PAM
  /// (0…1 to 0…65535, clamped), integers to shares of full scale for PFM. Gray is written as RGB in PPM.
  ///
  /// - Throws: ``ImageFileError`` for other endings, for alpha or colour in formats without, and when the file
  ///   cannot be written.
  public static func write(_ picture: Picture, to path: String) throws(ImageFileError) {
    let ending = URL(filePath: path).pathExtension.lowercased()
    do throws(ImageFileError.Fault) {
      try FileBytes.write(encode(picture, ending: ending), to: path)
    } catch {
      throw ImageFileError(path, error.reason)
    }
  }

  /// A PNG file of a picture, in memory.
  ///
  /// - Throws: ``ImageFileError`` when libpng refuses.
  public static func png(_ picture: Picture) throws(ImageFileError) -> [UInt8] {
    do throws(ImageFileError.Fault) { return try encode(picture, ending: "png") } catch {
      throw ImageFileError("a PNG in memory", error.reason)
    }
  }

  /// Whether a picture can be written under that name, before any work is done for it.
  ///
  /// - Throws: ``ImageFileError`` for an ending that is not in ``endings``.
  public static func checkEnding(of path: String) throws(ImageFileError) {
    let ending = URL(filePath: path).pathExtension.lowercased()
    guard endings.contains(ending) else { throw ImageFileError(path, unknown(ending)) }
  }

  static func decode(_ bytes: [UInt8]) throws(ImageFileError.Fault) -> Samples {
    if bytes.isEmpty { throw .init("is empty") }
    if bytes.starts(with: PNGCodec.signature) { return try PNGCodec.decode(bytes) }
    if bytes.count > 2, bytes[0] == UInt8(ascii: "P"), "1234567Ff".utf8.contains(bytes[1]) {
      return try NetpbmReader.decode(bytes)
    }
    throw .init("is not an image that can be read: PNG, PNM, PAM and PFM can")
  }

  static func encode(_ picture: Picture, ending: String) throws(ImageFileError.Fault) -> [UInt8] {
    var picture = picture
    if ending == "pfm" {
      picture.depth = .float
    } else if picture.depth == .float {
      picture.depth = .bits16
    }
    if ending == "ppm" && picture.channels == 1 { picture.channels = 3 }
    if ending == "pgm" && picture.channels > 2 {
      throw .init("PGM holds no colour; write .ppm, .png or .pam")
    }
    let samples = picture.samples()
    switch ending {
    case "png": return try PNGCodec.encode(samples)
    case "pgm", "ppm", "pnm": return try NetpbmWriter.pnm(samples)
    case "pam": return try NetpbmWriter.pam(samples)
    case "pfm": return try NetpbmWriter.pfm(samples)
    default: throw .init(unknown(ending))
    }
  }

  private static func unknown(_ ending: String) -> String {
    "files are written as " + endings.map { ".\($0)" }.joined(separator: ", ")
      + (ending.isEmpty ? "; this name has no ending" : ", not as .\(ending)")
  }
}
