import BlurRecords
import Foundation

/// Go's benchmark data format (proposal 14313): lines `key: value`, then a line for each repetition with a
/// name, the number of iterations, and values with units.
///
/// benchstat puts what has other keys into other tables, so times of different machines are not compared.
enum GoExport {
  static func text(_ cases: [MeasuredCases.Item], _ origin: ProvenanceReader) -> String {
    var lines = configuration(origin)
    var machine: String?
    for item in cases {
      for record in item.records {
        if record.machineKey != machine {
          machine = record.machineKey
          lines.append("machine-key: \(record.machineKey.plain)")
        }
        guard let time = record.realTime else { continue }
        lines.append("\(escaped(item.name))-\(record.threads)\t\(record.iterations ?? 1)\t\(time) ns/op")
      }
    }
    return lines.map { $0 + "\n" }.joined()
  }

  /// What is known of the machine, in the keys of `go test`.
  private static func configuration(_ origin: ProvenanceReader) -> [String] {
    let flags = Set(origin["cpu flags"]?.split(separator: " ").map(String.init) ?? [])
    let architecture = flags.contains("sse2") ? "amd64" : flags.contains("asimd") ? "arm64" : nil
    // Foundation's text for macOS begins with this word, those for Linux with a name.
    let system = origin["system"].map { $0.hasPrefix("Version ") ? "darwin" : "linux" }
    let pairs = [
      ("goos", system), ("goarch", architecture), ("pkg", "blurbench"), ("cpu", origin["cpu"]),
    ]
    return pairs.compactMap { key, value in value.map { "\(key): \($0.plain)" } }
  }

  /// A name as the format wants it: `Benchmark`, then no lower-case letter, and no spaces anywhere. Those and
  /// unseen characters become percent-escapes, and so does the percent sign, so that names stay different.
  static func escaped(_ name: String) -> String {
    let rest = name.hasPrefix("BM_") ? String(name.dropFirst(3)) : "/" + name
    let isBad = rest.unicodeScalars.first?.properties.isLowercase == true
    let text = (isBad ? "/" : "") + rest
    return "Benchmark"
      + text.unicodeScalars.map { scalar in
        let isPlain = scalar != "%" && scalar != " " && String(scalar).plain == String(scalar)
        return isPlain
          ? String(scalar) : String(scalar).utf8.map { String(format: "%%%02X", $0) }.joined()
      }.joined()
  }
}
