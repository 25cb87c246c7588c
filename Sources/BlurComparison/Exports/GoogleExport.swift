import BlurMeasurement

/// Google Benchmark's JSON document with all repetitions, as its compare.py reads it.
enum GoogleExport {
  static func text(_ cases: [MeasuredCases.Item], _ origin: Origin) -> String {
    RecordsJSON.document(cases.flatMap(\.records), context: context(cases, origin))
  }

  /// The library's context as far as it is known, in its order, then keys of our own.
  private static func context(_ cases: [MeasuredCases.Item], _ origin: Origin) -> JSONText {
    let word = { (name: String, key: String) in origin[key].map { (name, JSONText.string($0)) } }
    let number = { (name: String, key: String) in
      origin[key].flatMap(Double.init).map { (name, JSONText.integer(Int(clamped: $0))) }
    }
    let program = origin["command"].flatMap { $0.split(separator: " ").first }.map(String.init)
    let loads = origin["load average"]?.split(separator: ", ").compactMap { Double($0) } ?? []
    let fields: [(String, JSONText)?] = [
      word("date", "date"), ("executable", .string(program ?? "blurbench")), number("num_cpus", "cores"),
      number("mhz_per_cpu", "mhz stated"),
      origin["frequency scaling"].flatMap { ["on": true, "off": false][$0] }.map {
        ("cpu_scaling_enabled", .bool($0))
      },
      loads.isEmpty ? nil : ("load_avg", .array(loads.map { .number($0) })),
      word("library_build_type", "build"),
      cases.first.map { ("machine_key", .string($0.records[0].machineKey)) },
      word("suite", "suite"), word("suite_hash", "suite hash"), word("command", "command"),
    ]
    return .object(fields.compactMap(\.self))
  }
}

extension Int {
  /// The nearest whole number, whatever the size.
  fileprivate init(clamped value: Double) {
    self = Int(exactly: value.rounded()) ?? (value < 0 ? .min : .max)
  }
}
