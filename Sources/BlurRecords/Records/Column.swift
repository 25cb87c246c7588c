/// A column of the records: its name, and how its text is written and read.
struct Column: Sendable {
  let name: String
  let text: @Sendable (Record) -> String
  /// Returns false for text that is no value of this column.
  let set: @Sendable (inout Record, String) -> Bool

  /// Google Benchmark's ten columns in its order, then ours.
  static let all = essential + later.joined()

  /// The columns of every file of records.
  static let essential: [Column] = [
    word("name", \.name), number("iterations", \.iterations), number("real_time", \.realTime),
    number("cpu_time", \.cpuTime), timeUnit, number("bytes_per_second", \.bytesPerSecond),
    number("items_per_second", \.itemsPerSecond), word("label", \.label), errorOccurred,
    word("error_message", \.errorMessage),

    number("megapixels_per_second", \.megapixelsPerSecond), number("memcpy_ratio", \.memcpyRatio),
    number("ceiling_share", \.ceilingShare), number("plan_ns", \.planTime),
    number("max_error_levels", \.maxErrorLevels), number("certified_levels", \.certifiedLevels),
    number("psnr_db", \.psnr), number("achieved_sigma", \.achievedSigma), hash, word("isa", \.isa),
    threads, number("repetition", \.repetition), word("machine_key", \.machineKey),
  ]

  /// Columns that came later, group by group: older files end before them.
  static let later: [[Column]] = [
    frames,
    [number("speed_shift", \.speedShift)],
  ]

  /// Columns of scenes, empty for others.
  private static let frames: [Column] = [
    number("frame_p50_ns", \.frames.p50), number("frame_p90_ns", \.frames.p90),
    number("frame_p99_ns", \.frames.p99), number("frame_max_ns", \.frames.longest),
    number("first_frame_ns", \.frames.first), number("share_of_60_hz", \.frames.share60),
    number("share_of_120_hz", \.frames.share120), number("frames_over_60_hz", \.frames.over60),
    number("frames_over_120_hz", \.frames.over120), number("allocated_bytes", \.frames.allocatedBytes),
    number("flicker_levels", \.frames.flickerLevels), number("stale_levels", \.frames.staleLevels),
  ]

  private typealias Field<Value> = WritableKeyPath<Record, Value> & Sendable

  private static func word(_ name: String, _ field: Field<String>) -> Column {
    Column(
      name: name, text: { $0[keyPath: field] },
      set: { record, text in
        record[keyPath: field] = text
        return true
      })
  }

  private static func number<Value: LosslessStringConvertible & Sendable>(
    _ name: String, _ field: Field<Value?>
  ) -> Column {
    Column(
      name: name, text: { $0[keyPath: field].map(\.description) ?? "" },
      set: { record, text in
        record[keyPath: field] = Value(text)
        return text.isEmpty || isFinite(record[keyPath: field])
      })
  }

  private static func isFinite<Value>(_ value: Value?) -> Bool {
    guard let value else { return false }
    return (value as? Double)?.isFinite ?? true
  }

  /// Times are always in nanoseconds.
  private static let timeUnit = Column(
    name: "time_unit", text: { $0.realTime == nil ? "" : "ns" },
    set: { $1 == ($0.realTime == nil ? "" : "ns") })

  private static let errorOccurred = Column(
    name: "error_occurred", text: { $0.errorOccurred ? "true" : "" },
    set: { record, text in
      record.errorOccurred = text == "true"
      return ["", "true", "false"].contains(text)
    })

  private static let hash = Column(
    name: "output_hash", text: { $0.outputHash ?? "" },
    set: { record, text in
      record.outputHash = text.isEmpty ? nil : text
      return true
    })

  private static let threads = Column(
    name: "threads", text: { String($0.threads) },
    set: { record, text in
      guard let threads = Int(text) else { return false }
      record.threads = threads
      return true
    })
}
