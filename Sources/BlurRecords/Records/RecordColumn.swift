import BlurText

/// A column of the records file, with the functions that parse and round its values.
struct RecordColumn: Sendable {
  /// The name of the column, and its value as the records file contains it.
  let column: Column<Record>
  /// Whether Google Benchmark's JSON document contains the value as a counter.
  var isCounter = false
  /// Parses the text of a field and stores the value in the record. Returns false if the text is not a valid
  /// value of this column.
  let set: @Sendable (inout Record, String) -> Bool
  /// Rounds the record's value in this column to ``Record/digits`` significant digits. It does nothing for
  /// columns that are not measured numbers.
  var round: @Sendable (inout Record) -> Void = { _ in }

  /// All columns: the ten columns of Google Benchmark in its order, then the columns of this project.
  static let all = essential + later.joined()

  /// The columns that every records file has, however old it is.
  static let essential: [RecordColumn] = [
    name, value("iterations", \.iterations), value("real_time", \.realTime), value("cpu_time", \.cpuTime),
    timeUnit, counter("bytes_per_second", \.bytesPerSecond),
    counter("items_per_second", \.itemsPerSecond), word("label", \.label), errorOccurred,
    word("error_message", \.errorMessage),

    counter("megapixels_per_second", \.megapixelsPerSecond), counter("memcpy_ratio", \.memcpyRatio),
    counter("ceiling_share", \.ceilingShare), counter("plan_ns", \.planTime),
    counter("max_error_levels", \.maxErrorLevels), counter("certified_levels", \.certifiedLevels),
    counter("psnr_db", \.psnr), counter("achieved_sigma", \.achievedSigma),
    counter("output_hash", \.outputHash), word("isa", isCounter: true, \.isa), threads,
    value("repetition", \.repetition), word("machine_key", \.machineKey),
  ]

  /// The columns that were added later, in groups from oldest to newest. A file that was written by an older
  /// version lacks the newest groups.
  static let later: [[RecordColumn]] = [
    frames,
    [counter("speed_shift", \.speedShift)],
    [
      counter("jitter_ns", \.frames.jitter), counter("energy_nj", \.energy),
      counter("cache_misses", \.cacheMisses), counter("tlb_misses", \.tlbMisses), word("build", \.build),
      counter("process", \.process), counter("probe_ns", \.probeTime),
      counter("memcpy_threads", \.memcpyThreads), counter("memcpy_low_ns", \.memcpyLow),
      counter("memcpy_high_ns", \.memcpyHigh), counter("quiet", \.disturbance.isQuiet),
      counter("core_slowdown", \.disturbance.coreSlowdown),
      counter("stolen_cpus", \.disturbance.stolenCPUs), counter("others_cpus", \.disturbance.othersCPUs),
      counter("throttles", \.disturbance.throttles), counter("cpu_mhz", \.disturbance.megahertz),
      frameTimes, counter("jump_levels", \.frames.jumpLevels),
    ],
    [counter("held_bytes", \.frames.heldBytes)],
    [counter("truth_jump_levels", \.frames.truthJumpLevels)],
  ]

  /// The columns with the times of frames and with other figures about frames. These columns have values only
  /// for interface scenes and for blurs that run once per frame of a screen.
  private static let frames: [RecordColumn] = [
    counter("frame_p50_ns", \.frames.p50), counter("frame_p90_ns", \.frames.p90),
    counter("frame_p99_ns", \.frames.p99), counter("frame_max_ns", \.frames.longest),
    counter("first_frame_ns", \.frames.first), counter("share_of_60_hz", \.frames.share60),
    counter("share_of_120_hz", \.frames.share120), counter("frames_over_60_hz", \.frames.over60),
    counter("frames_over_120_hz", \.frames.over120), counter("allocated_bytes", \.frames.allocatedBytes),
    counter("flicker_levels", \.frames.flickerLevels), counter("stale_levels", \.frames.staleLevels),
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

  /// Returns a column for a number, a Boolean value or a text that may be missing.
  private static func value<Value: LosslessStringConvertible & Encodable & Sendable>(
    _ name: String, isCounter: Bool = false, _ field: Field<Value?>
  ) -> RecordColumn {
    RecordColumn(
      column: Column(name) { $0[keyPath: field] }, isCounter: isCounter,
      set: { record, text in
        record[keyPath: field] = text.isEmpty ? nil : Value(text)
        return text.isEmpty || isFinite(record[keyPath: field])
      },
      round: { record in
        guard let value = record[keyPath: field] as? Double else { return }
        record[keyPath: field] = value.rounded(toDigits: Record.digits) as? Value
      })
  }

  /// Returns a column for a value that also appears as a counter in the JSON document.
  private static func counter<Value: LosslessStringConvertible & Encodable & Sendable>(
    _ name: String, _ field: Field<Value?>
  ) -> RecordColumn {
    value(name, isCounter: true, field)
  }

  private static func isFinite<Value>(_ value: Value?) -> Bool {
    guard let value else { return false }
    return (value as? Double)?.isFinite ?? true
  }

  /// The name of a record is fixed when the record is created. The setter therefore does not store the text,
  /// but only checks that it equals the name.
  private static let name = RecordColumn(column: Column("name") { $0.name }, set: { $0.name == $1 })

  /// The unit of the times, which is always nanoseconds.
  private static let timeUnit = RecordColumn(
    column: Column("time_unit") { $0.realTime == nil ? nil : "ns" },
    set: { $1 == ($0.realTime == nil ? "" : "ns") })

  private static let errorOccurred = RecordColumn(
    column: Column("error_occurred") { $0.errorOccurred ? true : nil },
    set: { record, text in
      record.errorOccurred = text == "true"
      return ["", "true", "false"].contains(text)
    })

  /// The times of the frames in microseconds, separated by spaces.
  private static let frameTimes = RecordColumn(
    column: Column("frame_times_us") { $0.frames.times.map { ($0 / 1000).short }.joined(separator: " ") },
    set: { record, text in
      let times = text.split(separator: " ").map { Double($0) }
      record.frames.times = times.compactMap(\.self).filter(\.isFinite).map { ($0 * 10).rounded() * 100 }
      return record.frames.times.count == times.count
    })

  private static let threads = RecordColumn(
    column: Column("threads") { $0.threads },
    set: { record, text in
      guard let threads = Int(text) else { return false }
      record.threads = threads
      return true
    })
}

extension Record {
  /// The number of significant digits of a measured number. Noise in the clock makes further digits
  /// meaningless.
  package static let digits = 6

  /// The record with all measured numbers rounded to ``digits`` significant digits.
  package var rounded: Record {
    var record = self
    for column in RecordColumn.all { column.round(&record) }
    return record
  }
}
