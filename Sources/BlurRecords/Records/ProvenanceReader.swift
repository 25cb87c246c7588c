import BlurText
import Foundation

/// Reads the provenance text that ``Provenance`` wrote next to a file of records.
public struct ProvenanceReader: Sendable {
  /// The lines of the text, in order.
  public let lines: [(key: String, value: String)]
  private let values: [String: String]

  /// Parses lines of the form `key: value`. Other lines are ignored.
  public init(_ text: String = "") {
    lines = text.split(whereSeparator: \.isNewline).compactMap { line in
      line.firstIndex(of: ":").map { colon in
        (
          key: String(line[..<colon]),
          value: String(line[line.index(after: colon)...].drop { $0 == " " })
        )
      }
    }
    values = Dictionary(lines.map { ($0.key, $0.value) }) { first, _ in first }
  }

  /// Returns the first value of a key, or nil if no line has the key.
  public subscript(key: String) -> String? { values[key] }

  /// Reads the `.txt` file next to a file of results. If there is no such file, ``lines`` is empty.
  public init(beside path: String) {
    let text = URL(filePath: path).deletingPathExtension().appendingPathExtension("txt").path
    self.init((try? TextFile.text(at: text)) ?? "")
  }

  /// Splits the text of a provenance file where one run ends and the next begins. Returns one reader for the
  /// original run, and one for each run that resumed it.
  public static func runs(_ text: String) -> [ProvenanceReader] {
    text.replacing("\r\n", with: "\n").split(separator: "\n# resumed\n").map { ProvenanceReader(String($0)) }
  }

  /// Returns the `context` object of Google Benchmark's JSON document, filled with the values from the
  /// provenance. The keys that Google Benchmark itself writes come first, in Google Benchmark's order.
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
  /// Creates the integer nearest to a number. If the number is out of range, creates the largest or smallest
  /// integer instead.
  fileprivate init(clamped value: Double) {
    self = Int(exactly: value.rounded()) ?? (value < 0 ? .min : .max)
  }
}
