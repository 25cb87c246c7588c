import Blur
import Foundation

/// How much longer what is chosen takes than the best in hindsight.
public struct Regret: Encodable, Sendable {
  /// A trial.
  public struct Row: Encodable, Sendable {
    /// The workload in a few words, and the accepted error in levels.
    public let workload: String, bound: Double
    /// The quickest, and its median time in nanoseconds.
    public let best: String, time: Double
    /// What wisdom chose and what the cost model chose, and their regret: 1 is none. No wisdom, no values.
    public let wisdom: String?, wisdomRegret: Double?
    public let model: String, modelRegret: Double
    /// Nanoseconds that choosing took, with wisdom.
    public let choosing: Double?
  }

  /// Geometric mean and worst of some rows.
  public struct Mean: Encodable, Sendable {
    public let geometricMean: Double, worst: Double

    init?(_ regrets: [Double]) {
      guard let mean = Statistics.geometricMean(regrets), let worst = regrets.max() else { return nil }
      (geometricMean, self.worst) = (mean, worst)
    }
  }

  public let rows: [Row]
  public let wisdom: Mean?, model: Mean?
  /// The median of the time that choosing took, in nanoseconds.
  public let choosing: Double?

  init(_ rows: [Row]) {
    self.rows = rows
    wisdom = Mean(rows.compactMap(\.wisdomRegret))
    model = Mean(rows.map(\.modelRegret))
    choosing = Statistics.median(rows.compactMap(\.choosing))
  }

  /// One time over another, from samples that were taken by turns: the median of the rounds' ratios, or 1 where it is
  /// not sure that the first takes longer. Sure is what chance does in one of 40 cases, by the sign test.
  static func ratio(_ times: [Double], to best: [Double]) -> Double {
    let ratios = zip(times, best).map { $0 / $1 }
    let slower = Double(ratios.count { $0 > 1 })
    let count = Double(ratios.count)
    guard slower > count / 2 + count.squareRoot(), let median = Statistics.median(ratios) else { return 1 }
    return max(1, median)
  }
}

/// Measures regret: every kernel that keeps the bound, by turns, on workloads that no tuning has seen.
public struct RegretRun {
  private let kernels: [Kernel], wisdom: Chooser?
  private let probe = CoreProbe()

  /// - Parameter wisdom: who chooses, beside the cost model; nil for the cost model alone.
  public init(kernels: [Kernel] = Registry.kernels, wisdom: Chooser?) {
    self.kernels = kernels
    self.wisdom = wisdom.flatMap { $0.hasWisdom ? $0 : nil }
  }

  /// So many trials from a seed.
  public func measure(
    count: Int, seed: UInt64, cores: Int, progress: (Progress) -> Void
  ) throws(MeasurementError) -> Regret {
    let watch = GoogleBenchmark()
    let start = watch.now
    var rows: [Regret.Row] = []
    for (index, trial) in RegretTrial.list(count: count, seed: seed, cores: cores).enumerated() {
      progress(
        Progress(index: index, count: count, title: trial.workload.fullTitle, elapsed: watch.now - start))
      do throws(BlurError) {
        rows.append(try row(of: trial))
      } catch { throw .failed("\(trial.workload.fullTitle): \(error)") }
    }
    return Regret(rows)
  }

  private func row(of trial: RegretTrial) throws(BlurError) -> Regret.Row {
    let workload = trial.workload
    let entrants = TuningCandidate.all(kernels, for: workload.layout.format)
      .filter { $0.bound <= trial.bound.levels }
    let model = try choice(Chooser(), trial)
    let start = ContinuousClock.now
    let chosen = try wisdom.map { (wisdom) throws(BlurError) in try choice(wisdom, trial) }
    let choosing = (ContinuousClock.now - start) / .nanoseconds(1)
    let field = try Field(entrants, on: workload, probe)
    do throws(MeasurementError) {
      let (best, time) = try field.quickest()
      let regret = { (name: TuningCandidate.Name) throws(MeasurementError) in
        name == best ? 1 : try field.regret(of: name, beside: best)
      }
      return Regret.Row(
        workload: workload.fullTitle, bound: trial.bound.levels, best: best.text, time: time,
        wisdom: chosen?.text, wisdomRegret: try chosen.map(regret), model: model.text,
        modelRegret: try regret(model), choosing: chosen == nil ? nil : choosing)
    } catch { throw .failed(kernel: "of the list", reason: "\(error)") }
  }

  private func choice(_ chooser: Chooser, _ trial: RegretTrial) throws(BlurError) -> TuningCandidate.Name {
    let workload = trial.workload
    let parameters = try workload.parameters(isa: .best)
    let choice = try chooser.choices(
      for: workload.layout, parameters, within: trial.bound, threads: workload.threads)[0]
    return TuningCandidate.Name(kernel: choice.kernel.name, isa: choice.instructionSet)
  }
}

/// The kernels that keep a bound, on one workload.
private struct Field {
  private let bench: TuningBench
  private let names: [TuningCandidate.Name]
  /// Nanoseconds of one blur each.
  private var once: [Double] = []
  /// When no calm cores are waited for any longer.
  private let impatient = GoogleBenchmark().now + Self.patience

  /// Entrants that take more times as long as the best after one blur, and after a few rounds, are not timed on.
  private static let hopelessAtOnce = 4.0, hopeless = 1.5
  private static let firstRounds = 3, rounds = 11, duelRounds = 31
  /// Seconds in which samples wait for calm cores.
  private static let patience = 1.0

  init(_ entrants: [TuningCandidate], on workload: Workload, _ probe: CoreProbe) throws(BlurError) {
    bench = try TuningBench(workload, probe)
    var names: [TuningCandidate.Name] = []
    for entrant in entrants where try bench.open(entrant) { names.append(entrant.name) }
    self.names = names
    do throws(MeasurementError) {
      for number in names.indices { once.append(try time(number, iterations: 1)) }
    } catch { throw .failed(kernel: names[once.count].text, reason: "\(error)") }
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

  /// How many times as long as the best an entrant takes, from fresh samples of the two: those by which the best was
  /// found flatter it.
  func regret(
    of name: TuningCandidate.Name, beside best: TuningCandidate.Name
  ) throws(MeasurementError) -> Double {
    guard let one = names.firstIndex(of: name), let other = names.firstIndex(of: best) else { return 1 }
    let times = try samples(of: [one, other], rounds: Self.duelRounds)
    return Regret.ratio(times[one]!, to: times[other]!)
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

extension TuningCandidate {
  /// What tells candidates apart.
  struct Name: Hashable {
    let kernel: String
    let isa: InstructionSet
    var text: String { "\(kernel) \(isa.name)" }
  }

  var name: Name { Name(kernel: kernel.name, isa: isa) }
}
