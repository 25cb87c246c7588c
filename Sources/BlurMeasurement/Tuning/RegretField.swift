import Blur
import BlurRecords
import Foundation

/// The kernels that keep a bound, on one workload.
struct RegretField {
  private let bench: TuningBench
  private let names: [TuningCandidate.Name]
  /// Nanoseconds of one blur each.
  private var once: [Double] = []
  /// When no calm cores are waited for any longer.
  private let impatient = GoogleBenchmark().now + Self.patience

  /// Entrants that take more times as long as the best after one blur, and after a few rounds, are not timed on.
  private static let hopelessAtOnce = 4.0, hopeless = 1.5
  private static let firstRounds = 3, rounds = 11, duelRounds = 7
  /// Seconds in which samples wait for calm cores.
  private static let patience = 1.0

  init(_ entrants: [TuningCandidate], on workload: Workload, _ probe: CoreProbe) throws {
    bench = try TuningBench(workload, probe)
    var names: [TuningCandidate.Name] = []
    for entrant in entrants where try bench.open(entrant) { names.append(entrant.name) }
    self.names = names
    for number in names.indices { once.append(try time(number, iterations: 1)) }
  }

  private func time(_ number: Int, iterations: Int) throws(MeasurementError) -> Double {
    try bench.sample(number, iterations: iterations) { GoogleBenchmark().now < impatient }.time
  }

  /// The one with the shortest sample, and its median time in nanoseconds.
  func quickest() throws(MeasurementError) -> (TuningCandidate.Name, Double) {
    let possible = names.indices.filter { once[$0] < Self.hopelessAtOnce * once.min()! }
    let first = try samples(of: possible, rounds: Self.firstRounds)
    let least = first.values.compactMap { $0.min() }.min()!
    let left = possible.filter { first[$0]!.min()! < Self.hopeless * least }
    let times = try samples(of: left, rounds: Self.rounds)
    let best = left.min { times[$0]!.min()! < times[$1]!.min()! }!
    return (names[best], Statistics.median(times[best]!)!)
  }

  /// Samples of all, by turns: the nth of each are of the same round.
  func duel() throws(MeasurementError) -> [TuningCandidate.Name: [Double]] {
    let times = try samples(of: Array(names.indices), rounds: Self.duelRounds)
    return Dictionary(uniqueKeysWithValues: times.map { (names[$0], $1) })
  }

  /// Samples by turns, in another order in each round.
  private func samples(of numbers: [Int], rounds: Int) throws(MeasurementError) -> [Int: [Double]] {
    var samples: [Int: [Double]] = [:]
    for _ in 0..<rounds {
      for number in numbers.shuffled() {
        let iterations = SampleLength.iterations(lasting: Halving.sampleTime, each: once[number])
        samples[number, default: []].append(try time(number, iterations: iterations))
      }
    }
    return samples
  }
}
