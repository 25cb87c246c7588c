import BlurRecords

/// Finds the fastest of several kernels by successive halving. In the first round, all kernels get a few
/// short samples. Then the slower half is dropped, the other half gets twice as many samples, and so on. Most
/// of the time is therefore spent on the kernels that may be the fastest.
///
/// Source: K. Jamieson and A. Talwalkar, "Non-stochastic best arm identification and hyperparameter
/// optimization" (2016). Unlike in that paper, the two fastest kernels within each error bound always stay,
/// because users ask for the fastest kernel within a bound.
///
/// The time of a kernel is its shortest sample on CPU cores that are free of other programs. The shortest
/// sample is the best estimate, because other programs can only make samples longer.
struct SuccessiveHalving {
  /// The largest error that each candidate promises, in levels. A level is 1/255 of full scale.
  let bounds: [Double]
  /// Takes one sample of a candidate, by timing `iterations` blurs together.
  let sample: (_ candidate: Int, _ iterations: Int) throws(MeasurementError) -> TuningSample
  /// Returns whether there is time for another sample. When the result is false, the search ends with the
  /// times that have been measured so far. Every candidate is sampled once before the first call, so every
  /// candidate has a time.
  let goesOn: () -> Bool

  /// The shortest duration of a sample in nanoseconds.
  static let sampleTime = 250_000.0
  /// The number of candidates that always stay in the search for each error bound. They are the fastest
  /// candidates within the bound, and stay even if many candidates with larger errors are faster.
  private static let leastOfBound = 2
  /// The number of samples of a candidate in the first round, and the number of rounds. The number of samples
  /// doubles from one round to the next.
  private static let firstSamples = 3, rounds = 5

  /// Returns the shortest time of each candidate.
  func times() throws(MeasurementError) -> [ShortestTime] {
    var times: [ShortestTime] = []
    for candidate in bounds.indices { times.append(ShortestTime(try sample(candidate, 1))) }
    var left = Array(bounds.indices)
    for round in 0..<Self.rounds {
      try Sampler.interleaved(left, rounds: Self.firstSamples << round, while: goesOn) {
        (candidate) throws(MeasurementError) in
        let iterations = Sampler.iterations(lasting: Self.sampleTime, each: times[candidate].nanoseconds)
        times[candidate].take(try sample(candidate, iterations))
      }
      guard goesOn() else { break }
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

/// The measured time of a blur, and whether the CPU cores were free of other programs during the measurement.
package struct TuningSample {
  /// The time of a blur in nanoseconds.
  package let time: Double
  let isQuiet: Bool
}

/// The shortest of several samples. If some of the samples were taken while the CPU cores were free of other
/// programs, only these samples count.
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
