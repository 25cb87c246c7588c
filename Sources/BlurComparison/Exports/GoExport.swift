import BlurRecords
import Foundation

/// Go's benchmark data format (proposal 14313). It consists of lines `key: value`, and one line for each
/// repetition with a name, the number of iterations, and values with units.
///
/// benchstat puts results with different keys into different tables, so that times of different machines are
/// not compared.
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

  /// Returns the known properties of the machine, with the keys that `go test` uses.
  private static func configuration(_ origin: ProvenanceReader) -> [String] {
    let flags = Set(origin["cpu flags"]?.split(separator: " ").map(String.init) ?? [])
    let architecture = flags.contains("sse2") ? "amd64" : flags.contains("asimd") ? "arm64" : nil
    // The description of the system in Foundation begins with "Version" on macOS, and with the name of the
    // distribution on Linux.
    let system = origin["system"].map { $0.hasPrefix("Version ") ? "darwin" : "linux" }
    let pairs = [
      ("goos", system), ("goarch", architecture), ("pkg", "blurbench"), ("cpu", origin["cpu"]),
    ]
    return pairs.compactMap { key, value in value.map { "\(key): \($0.plain)" } }
  }

  /// Returns a name in the form that the format requires. Such a name begins with `Benchmark`, the next
  /// character is no lowercase letter, and there are no spaces. Spaces, invisible characters and percent
  /// signs are percent-escaped, so that different names remain different.
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
