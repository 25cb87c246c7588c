import BlurText
import Foundation

/// The kind of a file, recognised by its contents. Error messages use it to say what an unsuitable file
/// contains.
public enum FileKind: Equatable, Sendable {
  case records, certificates, comparison, googleBenchmark, calibration, figures, wisdom, suite, provenance
  /// A table of comma-separated values with unknown columns, which means that another program wrote it.
  case table(columns: [String])
  /// A table whose fields are separated by tabs or semicolons instead of commas. `mark` is the name of the
  /// separator in words.
  case separated(mark: String)
  /// Text that begins like JSON, but is not valid JSON. If the reason is an invalid number, `mistake` says
  /// which number it is.
  case damagedJSON(mistake: String?)
  case json, page, script, program, picture, archive, empty, text, encoded, binary

  /// Recognises the kind of a file from all of its bytes.
  public init(_ bytes: some Collection<UInt8>) {
    guard !bytes.isEmpty else {
      self = .empty
      return
    }
    if let kind = Self.magic(bytes) {
      self = kind
    } else if let text = PlainText.decoded(Array(bytes)) {
      self.init(text: text)
    } else {
      self = bytes.contains(0) ? .binary : .encoded
    }
  }

  /// Recognises the kind of the file at a path. The result is nil if the file cannot be read.
  public init?(file path: String) {
    guard let data = try? Data(contentsOf: URL(filePath: path), options: .mappedIfSafe) else { return nil }
    self.init(data)
  }

  /// Recognises the kind of a file from its text.
  public init(text: String) {
    guard let first = text.first(where: { !$0.isWhitespace }) else {
      self = .empty
      return
    }
    // UTF-16 text contains zero bytes, which have been replaced by U+FFFD because they are not safe to
    // display.
    let marks = text.unicodeScalars.prefix(4).map { $0 == "\u{FFFD}" }
    if [[false, true, false, true], [true, false, true, false]].contains(marks) {
      self = .encoded
      return
    }
    let line = text.drop(while: \.isWhitespace).prefix { !$0.isNewline }
    self =
      switch first {
      case "{", "[": Self.json(text)
      case "<": .page
      case "#" where line.hasPrefix("#!"): .script
      default: Self.magic(text.utf8.prefix(16)) ?? Self.table(line) ?? Self.lines(text)
      }
  }

  /// A noun phrase that describes the kind of file in an error message, such as "a records file from
  /// `blurbench run`".
  public var words: String {
    switch self {
    case .records: "a records file from `blurbench run`"
    case .certificates: "a table of certificates from `blurbench certify --csv`"
    case .comparison: "a comparison from `blurbench compare --json`"
    case .googleBenchmark: "Google Benchmark's JSON document"
    case .calibration: "a calibration from `lab calibrate`"
    case .figures: "a file of figures for the documentation (read by `Bench/readme`)"
    case .wisdom: "a wisdom file from `blurbench tune`"
    case .suite: "a suite"
    case .provenance: "the provenance text of a records file"
    case .table(let columns):
      "a table with the columns \(Array(columns.prefix(3)).listed)\(columns.count > 3 ? ", …" : "")"
    case .separated(let mark): "a table separated by \(mark); save it with commas and decimal points"
    case .json: "another JSON document"
    case .damagedJSON(let mistake): "damaged JSON" + (mistake.map { " (\($0))" } ?? "")
    case .page: "an HTML or XML document"
    case .script: "a script"
    case .program: "a program or a shared library"
    case .picture: "an image file"
    case .archive: "an archive"
    case .empty: "an empty file"
    case .text: "text"
    case .encoded: "text in another encoding; save it as UTF-8"
    case .binary: "binary data"
    }
  }

  /// Returns ``words`` for the file at a path. If the file belongs to a run that also wrote a records file,
  /// the phrase includes the path of the records file.
  public func words(at path: String) -> String {
    guard self == .googleBenchmark || self == .provenance else { return words }
    let records = URL(filePath: path).deletingPathExtension().appendingPathExtension("csv").relativePath
    return words + (FileKind(file: records) == .records ? " (\(records) has the records)" : "")
  }

  /// Whether the user may have meant a file of this kind as a suite. A suite with mistakes can look like
  /// plain text or like a table. A suite can also be written as JSON, because JSON is valid YAML.
  var maySuit: Bool {
    switch self {
    case .suite, .text, .json, .damagedJSON, .empty, .table: true
    default: false
    }
  }

  private static func magic(_ bytes: some Collection<UInt8>) -> FileKind? {
    let kinds: [(FileKind, [[UInt8]])] = [
      (.program, [[0x7F, 0x45, 0x4C, 0x46], [0xCF, 0xFA, 0xED, 0xFE], [0xCA, 0xFE, 0xBA, 0xBE]]),
      (.picture, [[0x89, 0x50, 0x4E, 0x47], [0xFF, 0xD8, 0xFF], Array("GIF8".utf8), Array("RIFF".utf8)]),
      (.encoded, [[0xFF, 0xFE], [0xFE, 0xFF]]),
      (.archive, [[0x1F, 0x8B], [0x50, 0x4B, 0x03, 0x04], [0x28, 0xB5, 0x2F, 0xFD]]),
    ]
    if let kind = kinds.first(where: { $0.1.contains { bytes.starts(with: $0) } })?.0 { return kind }
    // Netpbm images begin with P1 to P7, PF or Pf, followed by white space.
    let head = Array(bytes.prefix(3))
    guard head.count == 3, head[0] == UInt8(ascii: "P"), "1234567Ff".utf8.contains(head[1]) else {
      return nil
    }
    return " \n\t\r".utf8.contains(head[2]) ? .picture : nil
  }

  private static func json(_ text: String) -> FileKind {
    guard let value = try? JSONSerialization.jsonObject(with: Data(text.utf8)) else {
      // Other programs may write numbers that JSON does not allow, such as NaN, or numbers that are too
      // large.
      let numbers = text.matches(
        of: /[:\[,]\s*([-+]?(?i:nan|inf|infinity|0x[0-9a-f]+)|[-.0-9]+[eE]\+?[0-9]+)\b/)
      let number = numbers.first { Double.decimal($0.1)?.finite == nil }
      let mistake = number.map { match in
        "line \(text[..<match.1.startIndex].count(where: \.isNewline) + 1): '\(match.1)' is not a number"
      }
      return .damagedJSON(mistake: mistake)
    }
    guard let keys = (value as? [String: Any])?.keys else { return .json }
    let known: [(FileKind, [String])] = [
      (.googleBenchmark, ["context", "benchmarks"]), (.comparison, ["outcome", "cases", "method"]),
      (.calibration, ["phases"]), (.figures, ["figures", "provenance"]), (.wisdom, ["format", "problems"]),
    ]
    return known.first { $0.1.allSatisfy(keys.contains) }?.0 ?? .json
  }

  /// The columns that every table of certificates has.
  package static let certificateColumns = ["kernel", "sigma", "certified_levels"]

  private static func table(_ line: Substring) -> FileKind? {
    let columns = TableFile.header(of: String(line))
    if RecordsCSV.isHeader(columns) { return .records }
    if certificateColumns.allSatisfy(columns.contains) { return .certificates }
    for (mark, name) in [("\t", "tabs"), (";", "semicolons")]
    where RecordsCSV.begins(String(line.replacing(mark, with: ","))) { return .separated(mark: name) }
    // The line counts as a table header only if all of its fields look like names. Otherwise, it may just be
    // prose with commas.
    let words = line.split(separator: ",", omittingEmptySubsequences: false)
    let isHeader =
      words.count > 1 && words.allSatisfy { $0.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_ \/%-]*/) != nil }
    return isHeader ? .table(columns: columns) : nil
  }

  private static func lines(_ text: String) -> FileKind {
    let lines = text.split(whereSeparator: \.isNewline).prefix(200)
    let keys = lines.compactMap { $0.firstMatch(of: /^[a-z_ ]+(?=:)/)?.0 }
    if ["name", "workloads"].allSatisfy({ keys.contains($0[...]) }) { return .suite }
    return ["date", "machine key"].allSatisfy { keys.contains($0[...]) } ? .provenance : .text
  }
}
