import BlurText

/// A column of the records file, with the functions that parse and round its values.
package struct RecordColumn: Sendable {
  /// The name of the column, and a function that returns a record's value as it is written to the records
  /// file.
  let column: Column<Record>
  /// Whether Google Benchmark's JSON document contains the value as a counter.
  var isCounter = false
  /// Parses the text of a field and stores the value in the record. Returns false if the text is not a valid
  /// value of this column.
  let set: @Sendable (inout Record, String) -> Bool
  /// Rounds the record's value in this column to ``Record/digits`` significant digits. Columns that don't
  /// contain measured numbers are not changed.
  var round: @Sendable (inout Record) -> Void = { _ in }
  /// A description of the values that the column can contain, such as "from 1 to 1024". No measurement gives
  /// a number outside this range, so a file that contains such a number is damaged.
  var allowed = "the name of the case"

  /// All columns: first the ten columns that Google Benchmark writes, in Google Benchmark's order, and then
  /// the columns of this project.
  static let all = essential + later.joined()

  /// The columns that every records file has, however old it is.
  static let essential: [RecordColumn] = [
    name, value("iterations", \.iterations, in: 1...most),
    value("real_time", \.realTime, in: aboveZero), value("cpu_time", \.cpuTime),
    timeUnit, counter("bytes_per_second", \.bytesPerSecond, in: unlimited),
    counter("items_per_second", \.itemsPerSecond, in: unlimited), word("label", \.label), errorOccurred,
    word("error_message", \.errorMessage),

    counter("megapixels_per_second", \.megapixelsPerSecond),
    counter("memcpy_ratio", \.memcpyRatio, in: aboveZero),
    counter("ceiling_share", \.ceilingShare), counter("plan_ns", \.planTime),
    counter("max_error_levels", \.maxErrorLevels, in: unlimited),
    counter("certified_levels", \.certifiedLevels, in: unlimited),
    counter("psnr_db", \.psnr, in: -most...most), counter("achieved_sigma", \.achievedSigma),
    counter("output_hash", \.outputHash), word("isa", isCounter: true, \.isa), threads,
    value("repetition", \.repetition, in: 0...9999), word("machine_key", \.machineKey),
  ]

  /// The columns that were added later, in groups from oldest to newest. Files that were written by an older
  /// version of the program lack the newer groups.
  static let later: [[RecordColumn]] = [
    frames,
    [counter("speed_shift", \.speedShift, in: aboveZero)],
    [
      counter("jitter_ns", \.frames.jitter), counter("energy_nj", \.energy),
      counter("cache_misses", \.cacheMisses), counter("tlb_misses", \.tlbMisses), word("build", \.build),
      counter("process", \.process, in: 0...9999), counter("probe_ns", \.probeTime, in: aboveZero),
      counter("memcpy_threads", \.memcpyThreads, in: threadCounts),
      counter("memcpy_low_ns", \.memcpyLow, in: aboveZero),
      counter("memcpy_high_ns", \.memcpyHigh, in: aboveZero), counter("quiet", \.disturbance.isQuiet),
      counter("core_slowdown", \.disturbance.coreSlowdown),
      counter("stolen_cpus", \.disturbance.stolenCPUs), counter("others_cpus", \.disturbance.othersCPUs),
      counter("throttles", \.disturbance.throttles), counter("cpu_mhz", \.disturbance.megahertz),
      frameTimes, counter("jump_levels", \.frames.jumpLevels, in: unlimited),
    ],
    [counter("held_bytes", \.frames.heldBytes)],
    [counter("truth_jump_levels", \.frames.truthJumpLevels, in: unlimited)],
  ]

  /// The largest value that most columns can contain.
  private static let most = Record.possibleTimes.upperBound
  private static let aboveZero = Record.possibleTimes, threadCounts = 1.0...1024
  /// The range of values in columns that have no upper limit. An error has no limit, because the pixels of a
  /// wrong result can be arbitrarily large. A rate has no limit, because a kernel that does nothing can be
  /// arbitrarily fast on a large image.
  private static let unlimited = 0...Double.greatestFiniteMagnitude

  /// The columns for the frame times and for other figures about frames. These columns have values only for
  /// interface scenes and for blurs that run once per frame of a screen.
  private static let frames: [RecordColumn] = [
    counter("frame_p50_ns", \.frames.p50), counter("frame_p90_ns", \.frames.p90),
    counter("frame_p99_ns", \.frames.p99), counter("frame_max_ns", \.frames.longest),
    counter("first_frame_ns", \.frames.first), counter("share_of_60_hz", \.frames.share60),
    counter("share_of_120_hz", \.frames.share120), counter("frames_over_60_hz", \.frames.over60),
    counter("frames_over_120_hz", \.frames.over120), counter("allocated_bytes", \.frames.allocatedBytes),
    counter("flicker_levels", \.frames.flickerLevels, in: unlimited),
    counter("stale_levels", \.frames.staleLevels, in: unlimited),
  ]

  private typealias Field<Value> = WritableKeyPath<Record, Value> & Sendable

  private static func word(
    _ name: String, isCounter: Bool = false, _ field: Field<String>
  ) -> RecordColumn {
    RecordColumn(
      column: Column(name) { $0[keyPath: field] }, isCounter: isCounter,
      set: { record, text in
        record[keyPath: field] = text
        return true
      })
  }

  /// Returns a column for an optional number, Boolean value or string.
  private static func value<Value: LosslessStringConvertible & Encodable & Sendable>(
    _ name: String, isCounter: Bool = false, _ field: Field<Value?>,
    in range: ClosedRange<Double> = 0...most
  ) -> RecordColumn {
    RecordColumn(
      column: Column(name) { $0[keyPath: field] }, isCounter: isCounter,
      set: { record, text in
        let isWritten = Value.self == Double.self ? Double.decimal(text) != nil : !text.isEmpty
        // The text is converted to lower case because spreadsheets write TRUE and FALSE.
        record[keyPath: field] = isWritten ? Value(Value.self == Bool.self ? text.lowercased() : text) : nil
        // Spreadsheets and pandas write 5.09E+02 or 509.0 for a whole number.
        if Value.self == Int.self, record[keyPath: field] == nil {
          record[keyPath: field] = Double.decimal(text).flatMap { Int(exactly: $0) } as? Value
        }
        return text.isEmpty || isPossible(record[keyPath: field], in: range)
      },
      round: { record in
        guard let value = record[keyPath: field] as? Double else { return }
        record[keyPath: field] = value.rounded(toDigits: Record.digits) as? Value
      },
      allowed: Value.self == Bool.self
        ? "true, false or empty" : words(range, isWhole: Value.self == Int.self))
  }

  /// Describes a range of numbers, such as "from 0 to 1e15".
  package static func words(_ range: ClosedRange<Double>, isWhole: Bool = false) -> String {
    let text = { (limit: Double) in abs(limit) == most ? limit < 0 ? "-1e15" : "1e15" : limit.short }
    let isUnlimited = range.upperBound == .greatestFiniteMagnitude
    return "from \(text(range.lowerBound)) " + (isUnlimited ? "upwards" : "to \(text(range.upperBound))")
      + (isWhole ? ", without a fraction" : "")
  }

  /// Returns a column for a value that also appears as a counter in the JSON document.
  private static func counter<Value: LosslessStringConvertible & Encodable & Sendable>(
    _ name: String, _ field: Field<Value?>, in range: ClosedRange<Double> = 0...most
  ) -> RecordColumn {
    value(name, isCounter: true, field, in: range)
  }

  /// Returns whether a field has a possible value: it could be parsed, and if the value is a number, this
  /// number is in the range. NaN is never in the range.
  private static func isPossible<Value>(_ value: Value?, in range: ClosedRange<Double>) -> Bool {
    guard let value else { return false }
    let number = value as? Double ?? (value as? Int).map { Double($0) }
    return number.map { range.contains($0) } ?? true
  }

  /// The column with the name of the case. A record gets its name when it is created. The setter therefore
  /// stores nothing, and only checks that the text equals the name.
  private static let name = RecordColumn(column: Column("name") { $0.name }, set: { $0.name == $1 })

  /// The column with the unit of the times, which is always nanoseconds.
  private static let timeUnit = RecordColumn(
    column: Column("time_unit") { $0.realTime == nil ? nil : "ns" },
    set: { $1 == ($0.realTime == nil ? "" : "ns") }, allowed: "ns, or empty in a row without real_time")

  private static let errorOccurred = RecordColumn(
    column: Column("error_occurred") { $0.errorOccurred ? true : nil },
    set: { record, text in
      record.errorOccurred = text.lowercased() == "true"
      return ["", "true", "false"].contains(text.lowercased())
    }, allowed: "true, false or empty")

  /// The column with the frame times in microseconds, separated by spaces.
  private static let frameTimes = RecordColumn(
    column: Column("frame_times_us") { $0.frames.times.map { ($0 / 1000).short }.joined(separator: " ") },
    set: { record, text in
      let times = text.split(separator: " ").map { Double.decimal($0) }
      record.frames.times = times.compactMap(\.self).filter { (0...most).contains($0) }
        .map { ($0 * 10).rounded() * 100 }
      return record.frames.times.count == times.count
    }, allowed: "\(words(0...most)) each, separated by spaces")

  private static let threads = RecordColumn(
    column: Column("threads") { $0.threads },
    set: { record, text in
      guard let threads = Int(text), threadCounts.contains(Double(threads)) else { return false }
      record.threads = threads
      return true
    }, allowed: words(threadCounts, isWhole: true))
}

extension Record {
  /// The range of times that a measurement can give, in nanoseconds. The upper limit is more than eleven
  /// days. A time outside this range means that the clock is wrong.
  package static let possibleTimes = 1e-9...1e15

  /// The number of significant digits to which measured numbers are rounded. More digits would only show the
  /// noise of the clock.
  package static let digits = 6

  /// The record with all measured numbers rounded to ``digits`` significant digits.
  package var rounded: Record {
    var record = self
    for column in RecordColumn.all { column.round(&record) }
    return record
  }
}
