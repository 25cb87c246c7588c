import BlurText
import Foundation

/// Where records come from, as the text beside them says: what ``Provenance`` writes, read back.
public struct ProvenanceReader: Sendable {
  /// A line `key: value`.
  public struct Line: Equatable, Sendable {
    public let key: String, value: String

    /// Reads a line; nil without a colon.
    public init?(_ line: some StringProtocol) {
      guard let colon = line.firstIndex(of: ":") else { return nil }
      key = String(line[..<colon])
      value = String(line[line.index(after: colon)...].drop { $0 == " " })
    }
  }

  /// The lines in order.
  public let lines: [Line]
  private let values: [String: String]

  /// Reads lines `key: value`; others are passed over.
  public init(_ text: String = "") {
    lines = text.split(whereSeparator: \.isNewline).compactMap { Line($0) }
    values = Dictionary(lines.map { ($0.key, $0.value) }) { first, _ in first }
  }

  /// The first value of a key.
  public subscript(key: String) -> String? { values[key] }

  /// The lines of the `.txt` beside a file of results; none where there is no such text.
  public static func beside(_ path: String) -> [Line] {
    let text = URL(filePath: path).deletingPathExtension().appendingPathExtension("txt").path
    return ProvenanceReader((try? TextFile.text(at: text)) ?? "").lines
  }

  /// The provenance of a run, and of each run that went on with its files.
  public static func runs(_ text: String) -> [ProvenanceReader] {
    text.split(separator: "\n# resumed\n", omittingEmptySubsequences: true).map {
      ProvenanceReader(String($0))
    }
  }

  /// Google Benchmark's context as far as it is known, in its order, then keys of our own.
  public func context(machineKey: String?) -> JSONText {
    let word = { (name: String, key: String) in self[key].map { (name, JSONText.string($0)) } }
    let number = { (name: String, key: String) in
      self[key].flatMap(Double.init).map { (name, JSONText.integer(Int(clamped: $0))) }
    }
    let program = self["command"].flatMap { $0.split(separator: " ").first }.map(String.init)
    let loads = self["load average"]?.split(separator: ", ").compactMap { Double($0) } ?? []
    let fields: [(String, JSONText)?] = [
      word("date", "date"), ("executable", .string(program ?? "blurbench")), number("num_cpus", "cores"),
      number("mhz_per_cpu", "mhz stated"),
      self["frequency scaling"].flatMap { ["on": true, "off": false][$0] }.map {
        ("cpu_scaling_enabled", .bool($0))
      },
      loads.isEmpty ? nil : ("load_avg", .array(loads.map { .number($0) })),
      word("library_build_type", "build"),
      machineKey.map { ("machine_key", .string($0)) },
      word("program", "program"), word("git_revision", "git revision"), word("compiler", "compiler"),
      word("suite", "suite"), word("suite_hash", "suite hash"), word("command", "command"),
    ]
    let kernels = lines.filter { $0.key.hasPrefix("kernel ") }.map { line in
      ("kernel_" + line.key.dropFirst("kernel ".count), JSONText.string(line.value))
    }
    return .object(fields.compactMap(\.self) + kernels)
  }
}

extension Int {
  /// The nearest whole number, whatever the size.
  fileprivate init(clamped value: Double) {
    self = Int(exactly: value.rounded()) ?? (value < 0 ? .min : .max)
  }
}
