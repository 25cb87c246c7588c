/// Recognises files that cannot be wisdom files, such as images or programs. A wisdom file stores measured
/// times of kernels as JSON. Error messages name the kind of a recognised file, and such a file is never
/// overwritten.
///
/// Only the first bytes are examined. A file that begins like JSON or plain text is not rejected, because it
/// may be a damaged wisdom file.
enum FileSniffer {
  /// Returns the kind of file in words, such as "an image file", or nil if the file may be a wisdom file,
  /// even a damaged one.
  static func words(_ bytes: [UInt8]) -> String? {
    let starts: [(String, [UInt8])] = [
      ("a program or a shared library", [0x7F, 0x45, 0x4C, 0x46]),
      ("an image file", [0x89, 0x50, 0x4E, 0x47]), ("an image file", [0xFF, 0xD8, 0xFF]),
      ("an archive", [0x1F, 0x8B]), ("an archive", Array("PK".utf8)),
      ("a script", Array("#!".utf8)), ("an HTML or XML document", Array("<".utf8)),
      ("a records file from `blurbench run`", Array("name,iterations,real_time,".utf8)),
    ]
    if let known = starts.first(where: { bytes.starts(with: $0.1) }) { return known.0 }
    return isTable(bytes) ? "a CSV table" : nil
  }

  /// Returns whether the first line looks like a CSV header: at least three names, made of letters, digits
  /// and underscores only.
  private static func isTable(_ bytes: [UInt8]) -> Bool {
    let line = bytes.prefix(4096).prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    let columns = line.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
    let letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_".utf8
    return columns.count >= 3 && columns.allSatisfy { !$0.isEmpty && $0.allSatisfy(letters.contains) }
  }
}
