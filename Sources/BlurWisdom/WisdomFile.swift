import Blur

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Files of wisdom: where they are, and what is accepted.
public enum WisdomFile {
  /// Files with more bytes are refused.
  public static let mostBytes = 16 << 20
  /// Files with more problems, or more times of one, are refused.
  public static let mostProblems = 20_000, mostTimes = 256

  /// Why a file is not used. Each message says how to get a good one.
  public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// There is no file.
    case missing(path: String)
    /// The system refuses it, or it is no wisdom, and why.
    case unusable(path: String, reason: String)
    /// It is something else, and what; it is never overwritten.
    case otherKind(path: String, kind: String)
    /// It was measured on another machine.
    case otherMachine(path: String, model: String)
    /// It was measured with other kernels.
    case stale(path: String, revision: String)
    /// It cannot be written, and why.
    case unwritable(path: String, reason: String)

    /// One line of text.
    public var description: String {
      switch self {
      case .missing(let path): "\(path): no such file; \(Self.tune(path, Self.problems)) makes it"
      case .unusable(let path, let reason):
        "\(path): \(reason); \(Self.tune(path, Self.problems, renew: true)) makes it anew"
      case .otherKind(let path, let kind):
        "\(path): is no wisdom, but \(kind); name another file: 'blurbench tune --output FILE.json' makes one"
      case .otherMachine(let path, let model):
        "\(path): measured on another machine (\(model)); \(Self.tune(path, renew: true)) measures it again"
      case .stale(let path, let revision):
        "\(path): measured with other kernels (revision \(revision), these are \(Registry.revision)); "
          + "\(Self.tune(path, renew: true)) measures it again"
      case .unwritable(let path, let reason): "\(path): cannot be written: \(reason)"
      }
    }

    /// What else to name where the file does not say which problems are to be measured.
    private static let problems = " with the --format, --size, --sigma, --edge and --threads of your program"

    private static func tune(_ path: String, _ more: String = "", renew: Bool = false) -> String {
      "'blurbench tune \(renew ? "--renew " : "")--output \(path)'\(more)"
    }
  }

  /// The file that the environment names: `BLUR_WISDOM`, else `blur/wisdom.json` in the user's folder of
  /// configurations; nil where wisdom is switched off by `BLUR_WISDOM=none`, or there is no such folder.
  public static var path: String? {
    path(SystemFile.environment)
  }

  static func path(_ environment: (String) -> String?) -> String? {
    if let named = environment("BLUR_WISDOM") { return named == "none" ? nil : named }
    let folder = environment("XDG_CONFIG_HOME") ?? environment("HOME").map { $0 + "/.config" }
    return folder.map { $0 + "/blur/wisdom.json" }
  }

  /// Reads a file, of any machine and revision.
  ///
  /// - Throws: ``Failure/missing(path:)``, ``Failure/unusable(path:reason:)``,
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

  /// Reads the bytes of a file; every number in it is then one that can be reckoned with.
  ///
  /// - Throws: ``Failure/unusable(path:reason:)``, ``Failure/otherKind(path:kind:)``.
  public static func parse(_ bytes: [UInt8], path: String) throws(Failure) -> Wisdom {
    let unusable = { Failure.unusable(path: path, reason: $0) }
    guard bytes.count <= mostBytes else { throw unusable("has more than \(mostBytes >> 20) MiB") }
    if let kind = FileSniffer.words(bytes) { throw .otherKind(path: path, kind: kind) }
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    guard let header = try? decoder.decode(Header.self, from: Data(bytes)) else {
      let keys = (try? decoder.decode([String: AnyValue].self, from: Data(bytes)))?.keys
      if let keys, !keys.contains("format") {
        throw .otherKind(path: path, kind: "another JSON document")
      }
      throw unusable("is no wisdom, or damaged")
    }
    guard header.format == Wisdom.format, header.version == Wisdom.version else {
      throw unusable("has another layout (version \(header.version), known is \(Wisdom.version))")
    }
    guard let wisdom = try? decoder.decode(Wisdom.self, from: Data(bytes)) else {
      throw unusable("is no wisdom, or damaged")
    }
    guard wisdom.problems.count <= mostProblems else {
      throw unusable("has more than \(mostProblems) problems")
    }
    if let bad = wisdom.problems.firstIndex(where: { !isSound($0) }) {
      throw unusable("problem \(bad + 1) has numbers or names that cannot be")
    }
    return wisdom
  }

  private struct Header: Decodable {
    let format: String, version: Int
  }

  /// Any value, which is not looked at.
  private struct AnyValue: Decodable {
    init(from decoder: any Decoder) {}
  }

  private static func isSound(_ problem: Wisdom.Problem) -> Bool {
    problem.measured != nil && problem.times.count <= mostTimes
      && problem.times.allSatisfy { (1e-3...1e15).contains($0.ns) }
  }

  /// Writes a file, whole or not at all: a new one takes the place of the old one.
  ///
  /// - Throws: ``Failure/unwritable(path:reason:)``; the old file is then as it was.
  public static func write(_ wisdom: Wisdom, to path: String) throws(Failure) {
    let folder = URL(filePath: path).deletingLastPathComponent()
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data(text(of: wisdom).utf8).write(to: URL(filePath: path), options: .atomic)
    } catch { throw .unwritable(path: path, reason: reason(error)) }
  }

  /// Why the system refused what Foundation tried.
  private static func reason(_ error: any Error) -> String {
    let cause = (error as? CocoaError)?.userInfo["NSUnderlyingError"] as? POSIXError
    return cause.map { SystemFile.reason($0.code.rawValue) } ?? "the system refuses it"
  }

  /// The file's text, indented.
  ///
  /// Not by `JSONDocument` of `BlurText`, for programs that only blur link no Foundation.
  public static func text(of wisdom: Wisdom) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    encoder.keyEncodingStrategy = .convertToSnakeCase
    return String(decoding: try encoder.encode(wisdom), as: UTF8.self) + "\n"
  }

  /// The wisdom of a file, if it is of this machine and of these kernels.
  ///
  /// - Throws: a ``Failure`` that says why it is not to be used.
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

  /// What a file says, as it may stand in a message on a terminal.
  private static func shown(_ text: String) -> String {
    String(
      text.prefix(80).filter { $0.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control } })
  }
}
