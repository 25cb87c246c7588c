import BlurRecords

/// The time of a blur, and whether nobody else slowed the cores down meanwhile.
struct TuningSample {
  /// Nanoseconds.
  let time: Double
  let isCalm: Bool
}

/// The shortest of some samples: of those on calm cores, where there are such.
struct ShortestTime {
  private(set) var nanoseconds: Double
  private(set) var isCalm: Bool

  init(_ sample: TuningSample) { (nanoseconds, isCalm) = (sample.time, sample.isCalm) }

  mutating func take(_ sample: TuningSample) {
    if isCalm && !sample.isCalm { return }
    if sample.isCalm && !isCalm { self = ShortestTime(sample) }
    nanoseconds = min(nanoseconds, sample.time)
  }
}
