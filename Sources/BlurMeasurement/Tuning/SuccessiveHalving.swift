import BlurRecords

/// Finds the fastest candidate by successive halving, which spends most of the time on the candidates that
/// may still be the fastest. All candidates get a few short samples, the slower half is dropped, the others
/// get twice as many samples, and so on.
///
/// Source: K. Jamieson and A. Talwalkar, "Non-stochastic best arm identification and hyperparameter
/// optimization" (2016). Unlike there, the two fastest candidates within each error bound always stay,
/// because users ask for the fastest kernel within a bound.
///
/// The shortest sample on quiet cores counts. Other programs can only make samples longer, and short samples
/// are often undisturbed.
struct SuccessiveHalving {
  /// The error that each candidate promises not to exceed, in levels.
  let bounds: [Double]
  /// Takes a sample of a candidate with the given number of iterations.
  let sample: (_ candidate: Int, _ iterations: Int) throws(MeasurementError) -> TuningSample
  /// Returns whether to continue. The closure is called before each sample, except the first sample of each
  /// candidate. If it returns false, the times so far are the result.
  let goesOn: () -> Bool

  /// The shortest duration of a sample in nanoseconds.
  static let sampleTime = 250_000.0
  /// The smallest number of candidates that stay for each error bound.
  private static let leastOfBound = 2
  /// The number of samples of a candidate in the first round, and the number of rounds. The number of samples
  /// doubles in each round.
  private static let firstSamples = 3, rounds = 5

  /// Returns the shortest time of each candidate.
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

  /// Returns the faster half of the candidates, together with the fastest candidates within each error bound.
  func kept(of candidates: [Int], _ times: [Double]) -> [Int] {
    let sorted = candidates.sorted { times[$0] < times[$1] }
    var kept = Set(sorted.prefix(max(Self.leastOfBound, sorted.count / 2)))
    for bound in Set(bounds) {
      kept.formUnion(sorted.filter { bounds[$0] <= bound }.prefix(Self.leastOfBound))
    }
    return candidates.filter(kept.contains)
  }
}

/// The time of a blur, and whether the cores were free of other programs during the measurement.
struct TuningSample {
  /// The time of a blur in nanoseconds.
  let time: Double
  let isQuiet: Bool
}

/// The shortest of several samples. Samples on quiet cores take precedence over all others.
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
