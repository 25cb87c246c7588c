import BlurRecords

/// Finds out who is quickest, spending time where that is open: everybody gets a few short samples, the slower half is
/// dropped, the others get twice as many, and so on.
///
/// Source: K. Jamieson and A. Talwalkar, "Non-stochastic best arm identification and hyperparameter optimization"
/// (2016), successive halving. Here the two quickest within each error bound stay, for they are asked for too.
///
/// The shortest sample on calm cores counts: others that use the machine can only make samples longer, and short ones are
/// often left alone.
struct Halving {
  /// The error bound of each entrant, in levels.
  let bounds: [Double]
  /// Times so many iterations of an entrant.
  let sample: (_ entrant: Int, _ iterations: Int) throws(MeasurementError) -> TuningSample
  /// Asked before each sample but the first of an entrant; when it says no, the times so far are the answer.
  let goesOn: () -> Bool

  /// Nanoseconds of a sample at least.
  static let sampleTime = 250_000.0
  /// How many stay for each bound, at least.
  private static let leastOfBound = 2
  /// Samples of an entrant in the first round, and the number of rounds, in each of which they double.
  private static let firstSamples = 3, rounds = 5

  /// The shortest time of each entrant.
  func times() throws(MeasurementError) -> [ShortestTime] {
    var times: [ShortestTime] = []
    for entrant in bounds.indices { times.append(ShortestTime(try sample(entrant, 1))) }
    var left = Array(bounds.indices)
    for round in 0..<Self.rounds {
      for _ in 0..<Self.firstSamples << round {
        for entrant in left.shuffled() {
          guard goesOn() else { return times }
          let each = times[entrant].nanoseconds
          let iterations = SampleLength.iterations(lasting: Self.sampleTime, each: each)
          times[entrant].take(try sample(entrant, iterations))
        }
      }
      left = kept(of: left, times.map(\.nanoseconds))
    }
    return times
  }

  /// The quicker half, and the quickest within each bound.
  func kept(of entrants: [Int], _ times: [Double]) -> [Int] {
    let sorted = entrants.sorted { times[$0] < times[$1] }
    var kept = Set(sorted.prefix(max(Self.leastOfBound, sorted.count / 2)))
    for bound in Set(bounds) {
      kept.formUnion(sorted.filter { bounds[$0] <= bound }.prefix(Self.leastOfBound))
    }
    return entrants.filter(kept.contains)
  }
}
