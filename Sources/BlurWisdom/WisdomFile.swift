import Blur

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Finds, reads, checks and writes wisdom files.
public enum WisdomFile {
  /// The maximum size of a wisdom file in bytes. Larger files are rejected.
  public static let mostBytes = 16 << 20
  /// The maximum number of blur problems in a file, and the maximum number of measured times for each
  /// problem. A file that exceeds one of these limits is rejected.
  public static let mostProblems = 20_000, mostTimes = 256

  /// The reason why a wisdom file cannot be used or written. Each message about an unusable file also names
  /// the command that makes a usable one.
  public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file does not exist.
    case missing(path: String)
    /// The system cannot read the file, or its contents are not valid wisdom. `reason` says which.
    case unusable(path: String, reason: String)
    /// The file is not a wisdom file but another kind of file, such as an image, which `kind` describes. Such
    /// a file is never overwritten.
    case otherKind(path: String, kind: String)
    /// The file was measured on another machine.
    case otherMachine(path: String, model: String)
    /// The file was measured with another revision of the kernels.
    case stale(path: String, revision: String)
    /// The file cannot be written, for the given reason.
    case unwritable(path: String, reason: String)

    /// The message, on one line.
    public var description: String {
      switch self {
      case .missing(let path): "\(path): no such file; create it with \(Self.tune(path, Self.problems))"
      case .unusable(let path, let reason):
        "\(path): \(reason); create it again with \(Self.tune(path, Self.problems, renew: true))"
      case .otherKind(let path, let kind):
        "\(path): is not a wisdom file but \(kind); name another file, or create a wisdom file with "
          + "'blurbench tune --output FILE.json'"
      case .otherMachine(let path, let model):
        "\(path): the times were measured on another machine (\(model)); measure them again with "
          + Self.tune(path, renew: true)
      case .stale(let path, let revision):
        "\(path): the times were measured with other versions of the kernels (revision \(revision), but this "
          + "program has revision \(Registry.revision)); measure them again with "
          + Self.tune(path, renew: true)
      case .unwritable(let path, let reason): "\(path): cannot be written: \(reason)"
      }
    }

    /// The end of a message that advises the user to run `blurbench tune` because no wisdom file could be
    /// read. Without a file, the command does not know which blurs to measure, so the user has to pass
    /// options.
    private static let problems =
      " and the values of --format, --size, --sigma, --edge and --threads that your program uses"

    private static func tune(_ path: String, _ more: String = "", renew: Bool = false) -> String {
      "'blurbench tune \(renew ? "--renew " : "")--output \(path)'\(more)"
    }
  }

  /// The path of the wisdom file. It is nil if wisdom is switched off by `BLUR_WISDOM=none`, or if the user's
  /// configuration folder is unknown.
  ///
  /// The path is the value of the environment variable `BLUR_WISDOM`. If that is not set, it is
  /// `blur/wisdom.json` in the user's configuration folder.
  public static var path: String? {
    path(SystemFile.environment)
  }

  static func path(_ environment: (String) -> String?) -> String? {
    if let named = environment("BLUR_WISDOM") { return named == "none" ? nil : named }
    let folder = environment("XDG_CONFIG_HOME") ?? environment("HOME").map { $0 + "/.config" }
    return folder.map { $0 + "/blur/wisdom.json" }
  }

  /// Reads a wisdom file, whichever machine and kernel revision it belongs to.
  ///
  /// - Throws: ``Failure/missing(path:)``, ``Failure/unusable(path:reason:)`` or
  ///   ``Failure/otherKind(path:kind:)``.
  public static func read(_ path: String) throws(Failure) -> Wisdom {
    let bytes: [UInt8]
    do throws(SystemFile.Failure) { bytes = try SystemFile.bytes(at: path, limit: mostBytes + 1) } catch {
      switch error {
      case .missing: throw .missing(path: path)
      case .refused(let reason): throw .unusable(path: path, reason: "cannot be read: \(reason)")
      }
    }
    return try parse(bytes, path: path)
  }

  /// Parses the bytes of a wisdom file, and checks that every number in it is in its valid range.
  ///
  /// - Throws: ``Failure/unusable(path:reason:)`` or ``Failure/otherKind(path:kind:)``.
  public static func parse(_ bytes: [UInt8], path: String) throws(Failure) -> Wisdom {
    let unusable = { Failure.unusable(path: path, reason: $0) }
    guard bytes.count <= mostBytes else {
      throw unusable("is larger than \(mostBytes >> 20) MiB, the largest allowed size")
    }
    if let kind = otherKind(of: bytes) { throw .otherKind(path: path, kind: kind) }
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    guard let header = try? decoder.decode(Header.self, from: Data(bytes)) else {
      let keys = (try? decoder.decode([String: AnyValue].self, from: Data(bytes)))?.keys
      if let keys, !keys.contains("format") {
        throw .otherKind(path: path, kind: "another JSON document")
      }
      throw unusable("is not a wisdom file, or is damaged")
    }
    guard header.format == Wisdom.format, header.version == Wisdom.version else {
      throw unusable(
        "has version \(header.version) of the file format, but this program reads version \(Wisdom.version)")
    }
    guard let wisdom = try? decoder.decode(Wisdom.self, from: Data(bytes)) else {
      throw unusable("is not a wisdom file, or is damaged")
    }
    guard wisdom.problems.count <= mostProblems else {
      throw unusable("has more than \(mostProblems) problems, the largest allowed number")
    }
    if let bad = wisdom.problems.firstIndex(where: { !isSound($0) }) {
      throw unusable("problem \(bad + 1) contains an invalid number or an unknown name")
    }
    return wisdom
  }

  private struct Header: Decodable {
    let format: String, version: Int
  }

  /// A value that decodes from any JSON and discards the contents.
  private struct AnyValue: Decodable {
    init(from decoder: any Decoder) {}
  }

  private static func isSound(_ problem: Wisdom.Problem) -> Bool {
    problem.measured != nil && problem.times.count <= mostTimes
      && problem.times.allSatisfy { (1e-3...1e15).contains($0.ns) }
  }

  /// Writes a wisdom file atomically, so that a failure never leaves an incomplete file.
  ///
  /// - Throws: ``Failure/unwritable(path:reason:)``. In that case, the old file stays unchanged.
  public static func write(_ wisdom: Wisdom, to path: String) throws(Failure) {
    let folder = URL(filePath: path).deletingLastPathComponent()
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data(text(of: wisdom).utf8).write(to: URL(filePath: path), options: .atomic)
    } catch { throw .unwritable(path: path, reason: reason(error)) }
  }

  /// Returns the system's reason for an error that Foundation reported.
  private static func reason(_ error: any Error) -> String {
    let cause = (error as? CocoaError)?.userInfo["NSUnderlyingError"] as? POSIXError
    return cause.map { SystemFile.reason($0.code.rawValue) } ?? "the system gave no reason"
  }

  /// Returns the wisdom as indented JSON, as it is stored in a file.
  ///
  /// `JSONDocument` in `BlurText` is not used here, because programs that only blur should not have to link
  /// all of Foundation.
  public static func text(of wisdom: Wisdom) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    encoder.keyEncodingStrategy = .convertToSnakeCase
    return String(decoding: try encoder.encode(wisdom), as: UTF8.self) + "\n"
  }

  /// Reads a wisdom file and checks that its times were measured on this machine with these kernels.
  ///
  /// - Throws: A ``Failure`` that explains why the file cannot be used.
  public static func load(
    _ path: String, for processor: Processor = .current, revision: String = Registry.revision
  ) throws(Failure) -> Wisdom {
    let wisdom = try read(path)
    guard wisdom.machine.key == processor.key else {
      throw .otherMachine(path: path, model: Self.shown(wisdom.machine.model))
    }
    guard wisdom.revision == revision else {
      throw .stale(path: path, revision: Self.shown(wisdom.revision))
    }
    return wisdom
  }

  /// Returns text from a file, shortened and without control characters, so that it is safe to show in a
  /// terminal.
  private static func shown(_ text: String) -> String {
    String(
      text.prefix(80).filter { $0.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control } })
  }

  /// Returns the kind of file in words, such as "an image file", or nil if the file may be a wisdom file,
  /// even a damaged one. Error messages name the kind, and such a file is never overwritten.
  ///
  /// Only the first bytes are examined. A file that begins like JSON or plain text is not recognised, because
  /// it may be a damaged wisdom file.
  static func otherKind(of bytes: [UInt8]) -> String? {
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
