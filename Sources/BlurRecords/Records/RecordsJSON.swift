import BlurText

/// Writes records as a JSON document in the format of Google Benchmark, so that the tools of Google Benchmark
/// can read them.
///
/// Skipped cases are left out, because nothing in the format tells the tools to ignore a case. Cases with a
/// wrong result are written as Google Benchmark itself would write them, with `error_occurred` and with times
/// of 0.
public struct RecordsJSON {
  /// The text that closes the document. More runs can be added by inserting them before this text.
  public static let tail = "\n  ]\n}\n"

  private var families: [String: Int] = [:]

  /// Creates a writer for a new document.
  public init() {}

  /// Returns the beginning of the document, up to the start of the list of runs.
  public func head(_ context: JSONText) -> String {
    "{\n  \"context\": \(context.text(indent: 2)),\n  \"benchmarks\": ["
  }

  /// Returns the JSON text of the records, to be appended after the head or after earlier runs. All
  /// repetitions of a case must be passed in one call.
  public mutating func runs(_ records: [Record]) -> String {
    let written = records.filter { !$0.isSkipped }
    let repetitions = Dictionary(grouping: written, by: \.name).mapValues(\.count)
    return written.map { record in
      let separator = families.isEmpty ? "" : ","
      let family = families[record.name] ?? families.count
      families[record.name] = family
      return separator + "\n    "
        + Self.run(record, family: family, repetitions: repetitions[record.name] ?? 1).text(indent: 4)
    }.joined()
  }

  /// Returns the complete document for the given records.
  public static func document(_ records: [Record], context: JSONText) -> String {
    var document = RecordsJSON()
    return document.head(context) + document.runs(records) + tail
  }

  private static func run(_ record: Record, family: Int, repetitions: Int) -> JSONText {
    let failure: [(String, JSONText)] = [
      ("error_occurred", .bool(true)), ("error_message", .string(record.errorMessage)),
    ]
    return .object(
      [
        ("name", .string(record.name)), ("family_index", .integer(family)),
        ("per_family_instance_index", .integer(0)), ("run_name", .string(record.name)),
        ("run_type", .string("iteration")), ("repetitions", .integer(repetitions)),
        ("repetition_index", .integer(record.repetition ?? 0)), ("threads", .integer(record.threads)),
      ] + (record.errorOccurred ? failure : []) + [
        ("iterations", .integer(record.iterations ?? 0)), ("real_time", .number(record.realTime ?? 0)),
        ("cpu_time", .number(record.cpuTime ?? 0)), ("time_unit", .string("ns")),
      ] + counters(record) + [("label", .string(record.label))])
  }

  /// Returns the values of a record that are written as counters to Google Benchmark's JSON document. Numbers
  /// come before strings, and missing values are left out.
  private static func counters(_ record: Record) -> [(String, JSONText)] {
    let all = RecordColumn.all.filter(\.isCounter).map(\.column).compactMap { column -> (String, JSONText)? in
      guard let value = column.value(record) else { return nil }
      if value is String || value is Bool { return (column.title, .string(value.description)) }
      return Double(value.description).map { (column.title, .number($0)) }
    }
    return all.filter { !$0.1.isString } + all.filter(\.1.isString)
  }
}
