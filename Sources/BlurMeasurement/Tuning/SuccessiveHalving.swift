import BlurRecords

/// Finds out what is fastest, spending time where that is open: all candidates get a few short samples, the
/// slower half is dropped, the others get twice as many, and so on.
///
/// Source: K. Jamieson and A. Talwalkar, "Non-stochastic best arm identification and hyperparameter
/// optimization" (2016). Here the two fastest within each error bound stay, for they are asked for too.
///
/// The shortest sample on quiet cores counts: other programs can only make samples longer, and short ones are
/// often left alone.
struct SuccessiveHalving {
  /// The error bound of each candidate, in levels.
  let bounds: [Double]
  /// Times a number of iterations of a candidate.
  let sample: (_ candidate: Int, _ iterations: Int) throws(MeasurementError) -> TuningSample
  /// Asked before each sample but the first of a candidate; when it says no, the times so far are the answer.
  let goesOn: () -> Bool

  /// Nanoseconds of a sample at least.
  static let sampleTime = 250_000.0
  /// How many stay for each bound, at least.
  private static let leastOfBound = 2
  /// Samples of a candidate in the first round, and the number of rounds, in each of which they double.
  private static let firstSamples = 3, rounds = 5

  /// The shortest time of each candidate.
  func times() throws(MeasurementError) -> [ShortestTime] {
    var times: [ShortestTime] = []
    for candidate in bounds.indices { times.append(ShortestTime(try sample(candidate, 1))) }
    var left = Array(bounds.indices)
    for round in 0..<Self.rounds {
      for _ in 0..<Self.firstSamples << round {
        for candidate in left.shuffled() {
          guard goesOn() else { return times }
          let each = times[candidate].nanoseconds
          let iterations = SampleLength.iterations(lasting: Self.sampleTime, each: each)
          times[candidate].take(try sample(candidate, iterations))
        }
      }
      left = kept(of: left, times.map(\.nanoseconds))
    }
    return times
  }

  /// The faster half, and the fastest within each bound.
  func kept(of candidates: [Int], _ times: [Double]) -> [Int] {
    let sorted = candidates.sorted { times[$0] < times[$1] }
    var kept = Set(sorted.prefix(max(Self.leastOfBound, sorted.count / 2)))
    for bound in Set(bounds) {
      kept.formUnion(sorted.filter { bounds[$0] <= bound }.prefix(Self.leastOfBound))
    }
    return candidates.filter(kept.contains)
  }
}

/// The time of a blur, and whether other programs left the cores alone meanwhile.
struct TuningSample {
  /// Nanoseconds.
  let time: Double
  let isQuiet: Bool
}

/// The shortest of some samples: of those on quiet cores, where there are such.
struct ShortestTime {
  private(set) var nanoseconds: Double
  private(set) var isQuiet: Bool

  init(_ sample: TuningSample) { (nanoseconds, isQuiet) = (sample.time, sample.isQuiet) }

  mutating func take(_ sample: TuningSample) {
    if isQuiet && !sample.isQuiet { return }
    if sample.isQuiet && !isQuiet { self = ShortestTime(sample) }
    nanoseconds = min(nanoseconds, sample.time)
  }
}
