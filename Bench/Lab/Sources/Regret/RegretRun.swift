import Blur
import BlurMeasurement
import BlurRecords
import BlurWisdom
import Foundation

/// Measures how good the choices of the library are. The regret of a choice is the time of the chosen kernel
/// divided by the time of the fastest kernel. It is measured on random workloads.
///
/// First, all kernels are timed on each workload to find the fastest one. Then the chosen kernels are timed
/// alternately with the fastest kernel in several sessions, each of which visits all workloads. Other
/// programs disturb the measurements for milliseconds to seconds and slow some kernels down more than others,
/// so samples from several sessions are fairer.
struct RegretRun {
  private let kernels = Registry.kernels
  private let probe = CoreProbe()
  private static let sessions = 5

  /// Chooses kernels for `count` random workloads and measures the regret of each choice. The workloads
  /// depend on `seed`.
  ///
  /// - Parameter tuning: The number of seconds for measuring the kernels on each workload, before a kernel is
  ///   chosen by measured times.
  func measure(
    count: Int, seed: UInt64, cores: Int, tuning: Double, progress: (RunProgress) -> Void
  ) throws(MeasurementError) -> Regret {
    let start = ContinuousClock.seconds
    let trials: [RegretTrial]
    do { trials = try RegretTrial.list(count: count, seed: seed, cores: cores) } catch {
      throw .failed("seed \(seed): \(error)")
    }
    func begins(_ index: Int, of count: Int, _ title: String) {
      let elapsed = ContinuousClock.seconds - start
      progress(RunProgress(index: index, count: count, title: title, elapsed: elapsed))
    }
    var runOffs: [RunOff] = []
    for (index, trial) in trials.enumerated() {
      begins(index, of: trials.count, trial.workload.fullTitle)
      runOffs.append(try runOff(trial, tuning: tuning))
    }
    let open = runOffs.indices.filter { !runOffs[$0].competitors.isEmpty }
    for session in 0..<Self.sessions {
      for (place, index) in open.enumerated() {
        let title = "timing again: \(runOffs[index].trial.workload.fullTitle)"
        begins(session * open.count + place, of: Self.sessions * open.count, title)
        try extend(&runOffs[index])
      }
    }
    return Regret(runOffs.map(\.row), choosing: runOffs.map(\.choosing))
  }

  /// Finds the fastest kernel for a random workload, and the kernel that each method of choosing chooses.
  private func runOff(_ trial: RegretTrial, tuning: Double) throws(MeasurementError) -> RunOff {
    let candidates = trial.candidates(kernels)
    let table = MeasuredTimes()
    var wisdom = Wisdom(.current, date: "")
    wisdom.merge([try Tuner(kernels, probe: probe).measured(trial.workload, seconds: tuning)])
    wisdom.record(in: table)
    let picks: [Regret.Method: LikelyKernel.Name]
    let choosing: Double
    do throws(BlurError) {
      picks = [
        .null: try trial.nullChoice(candidates), .estimate: try trial.choice(Chooser()),
        .measured: try trial.choice(Chooser(table)),
      ]
      let start = ContinuousClock.seconds
      _ = try trial.choice(Chooser())
      choosing = (ContinuousClock.seconds - start) * 1e9
    } catch { throw .failed("\(trial.workload.fullTitle): \(error)") }
    let (best, time) = try RegretField(candidates, on: trial.workload, probe).fastest()
    return RunOff(trial: trial, best: best, time: time, choosing: choosing, picks: picks)
  }

  /// Times the chosen kernels and the fastest kernel once more and adds the samples to the results. The
  /// samples that determined the fastest kernel are not used again, because they are biased: this kernel was
  /// selected for its short times in exactly these samples.
  private func extend(_ runOff: inout RunOff) throws(MeasurementError) {
    let names = runOff.competitors.union([runOff.best])
    let candidates = runOff.trial.candidates(kernels).filter { names.contains($0.name) }
    let field = try RegretField(candidates, on: runOff.trial.workload, probe)
    for (name, times) in try field.again() { runOff.times[name, default: []] += times }
  }
}

/// A random workload, its fastest kernel, and the kernels that were chosen for it. The fastest kernel and the
/// chosen kernels are then timed against each other.
private struct RunOff {
  let trial: RegretTrial
  /// The fastest kernel and its median time in nanoseconds.
  let best: LikelyKernel.Name, time: Double
  /// The time in nanoseconds that was needed to choose a kernel by estimated times.
  let choosing: Double
  let picks: [Regret.Method: LikelyKernel.Name]
  /// The times of each kernel in nanoseconds. The samples that served to find the fastest kernel are not
  /// included.
  var times: [LikelyKernel.Name: [Double]] = [:]

  /// The chosen kernels that are timed against the fastest kernel.
  var competitors: Set<LikelyKernel.Name> { Set(picks.values).subtracting([best]) }

  var row: Regret.Row {
    Regret.Row(
      workload: trial.workload.fullTitle, bound: trial.bound.levels, best: best.text, time: time,
      null: pick(.null), estimate: pick(.estimate), measured: pick(.measured))
  }

  private func pick(_ method: Regret.Method) -> Regret.Pick {
    let name = picks[method] ?? best
    return Regret.Pick(kernel: name.text, regret: regret(of: name))
  }

  private func regret(of name: LikelyKernel.Name) -> Double {
    guard name != best, let times = times[name], let least = self.times[best] else { return 1 }
    return Regret.ratio(times, to: least)
  }
}

/// The candidates for one random workload, ready to be timed. A candidate is a kernel whose promised error is
/// small enough for the workload.
private struct RegretField {
  private let bench: TuningBench
  /// The time in nanoseconds of one blur with each candidate, in the order of the candidates.
  private var once: [Double] = []
  /// Until this moment, samples are taken only while the CPU cores are free of other programs. After that,
  /// samples are taken on busy cores too.
  private let timeout = ContinuousClock.seconds + Self.waiting

  /// Kernels that take longer than a multiple of the best time are not timed any further. The multiple is
  /// `hopelessAtOnce` after a single blur of each kernel, and `hopeless` after a few rounds of samples.
  private static let hopelessAtOnce = 4.0, hopeless = 1.5
  private static let firstRounds = 3, rounds = 11, againRounds = 7
  /// The shortest duration of a sample in nanoseconds.
  private static let sampleTime = 250_000.0
  /// The number of seconds during which samples are taken only while the CPU cores are free of other
  /// programs.
  private static let waiting = 1.0

  init(_ candidates: [LikelyKernel], on workload: Workload, _ probe: CoreProbe) throws(MeasurementError) {
    bench = try TuningBench(workload, candidates, probe)
    for number in bench.candidates.indices { once.append(try time(number, iterations: 1)) }
  }

  private func time(_ number: Int, iterations: Int) throws(MeasurementError) -> Double {
    try bench.sample(number, iterations: iterations) { ContinuousClock.seconds < timeout }.time
  }

  /// Finds the fastest kernel, which is the kernel with the shortest sample. Returns the name of this kernel
  /// and the median of its samples in nanoseconds.
  func fastest() throws(MeasurementError) -> (LikelyKernel.Name, Double) {
    let least = once.min() ?? 0
    let possible = once.indices.filter { once[$0] < Self.hopelessAtOnce * least }
    let first = try samples(of: possible, rounds: Self.firstRounds)
    let shortest = first.values.compactMap { $0.min() }.min() ?? 0
    let left = first.filter { $1.contains { $0 < Self.hopeless * shortest } }.keys.sorted()
    let times = try samples(of: left, rounds: Self.rounds)
    guard let best = times.min(by: { ($0.value.min() ?? 0) < ($1.value.min() ?? 0) }),
      let median = Statistics.median(best.value)
    else { throw .failed("no kernel supports the workload") }
    return (bench.candidates[best.key].name, median)
  }

  /// Times all kernels alternately, several times each, and returns the times in nanoseconds. The values at
  /// the same index of all arrays were measured shortly after each other, so they can be compared.
  func again() throws(MeasurementError) -> [LikelyKernel.Name: [Double]] {
    let times = try samples(of: Array(once.indices), rounds: Self.againRounds)
    return Dictionary(uniqueKeysWithValues: times.map { (bench.candidates[$0].name, $1) })
  }

  /// Times the kernels alternately, in a new random order in each round. Returns the samples in nanoseconds.
  private func samples(of numbers: [Int], rounds: Int) throws(MeasurementError) -> [Int: [Double]] {
    var samples: [Int: [Double]] = [:]
    try Sampler.interleaved(numbers, rounds: rounds) { (number) throws(MeasurementError) in
      let iterations = Sampler.iterations(lasting: Self.sampleTime, each: once[number])
      samples[number, default: []].append(try time(number, iterations: iterations))
    }
    return samples
  }
}

extension LikelyKernel {
  /// The name of a kernel together with an instruction set.
  struct Name: Hashable {
    let kernel: String
    let isa: InstructionSet
    var text: String { "\(kernel) \(isa.name)" }
  }

  var name: Name { Name(kernel: kernel.name, isa: instructionSet) }
}
