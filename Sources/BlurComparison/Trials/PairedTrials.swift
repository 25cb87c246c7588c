import BlurMeasurement
import BlurRecords
import Foundation

/// A build or kernel that takes part in a paired comparison. Its properties say which process times it, and
/// which message asks that process to prepare a case.
struct Candidate {
  /// The index of the process that times the candidate.
  var process: Int
  /// The number of the slot in which the process keeps the candidate's current case. Candidates that share a
  /// process use different slots.
  var slot = 0
  /// Whether the output of this candidate is compared with the exact blur. This is done only once per case.
  var isJudged = true
  /// Returns the message that asks this candidate's process to prepare a case for timing. The argument is the
  /// index of the case in the comparison.
  var entry: (_ index: Int) -> BenchRequest
}

/// Times several candidates, such as builds or kernels, and compares each of them with the first one. The
/// measurements are repeated in several trials. Each trial uses new processes, times the candidates
/// alternately, and gives all of them the same number of iterations.
///
/// All times of one trial come from the same processes, so they share memory pages, code addresses and the
/// load that other programs cause. Because these times are not independent, a trial yields only one value for
/// each case and candidate: the logarithm of the candidate's time divided by the first candidate's time, as
/// the median over the rounds of the trial.
final class PairedTrials {
  /// The results for one case so far.
  struct CaseState: Sendable {
    /// For each candidate, the facts that were found while the case was prepared, such as the hash of the
    /// output.
    fileprivate(set) var findings: [Findings]
    /// The logarithms of time ratios. There is one list per candidate, with one value per trial. Each ratio
    /// is the candidate's time divided by the time of the first candidate. The list of the first candidate is
    /// empty.
    fileprivate(set) var logRatios: [[Double]]
    /// For each candidate, the median time of each trial in nanoseconds.
    fileprivate(set) var times: [[Double]]
    fileprivate var sampling: (iterations: Int, rounds: Int)?

    /// The indices of the candidates that can run this case. For example, a candidate whose kernel does not
    /// support the case is not included.
    var places: [Int] { findings.indices.filter { findings[$0].problem == nil } }
  }

  /// Starts the processes for one trial: either one process per candidate, or a single process for all
  /// candidates. If the argument is true, the processes are started in reverse order.
  typealias Start = (_ isBackwards: Bool) throws(MeasurementError) -> [any BenchChannel]

  /// The results of each case so far.
  private(set) var states: [CaseState]
  /// The number of samples for which it is known whether other programs disturbed them (`known`), and the
  /// number of these samples that were disturbed (`disturbed`).
  private(set) var known = 0, disturbed = 0
  private let candidates: [Candidate]
  private let options: ComparisonOptions
  private let start: Start
  private var trials = 0
  /// The source of random numbers for shuffling the cases of a trial.
  private var generator: any RandomNumberGenerator

  /// Prepares to time up to `count` cases.
  init(
    count: Int, _ candidates: [Candidate], _ options: ComparisonOptions,
    generator: any RandomNumberGenerator, start: @escaping Start
  ) {
    self.generator = generator
    self.candidates = candidates
    self.options = options
    self.start = start
    let empty = Array(repeating: [Double](), count: candidates.count)
    let state = CaseState(findings: candidates.map { _ in Findings() }, logRatios: empty, times: empty)
    states = Array(repeating: state, count: count)
  }

  /// Runs one trial: starts new processes and measures each of the given cases once, in random order. Within
  /// a case, the candidates are timed in forward order in one trial and in backward order in the next.
  func trial(
    of cases: [Int], isReversed: Bool = false, goesOn: () -> Bool = { true }
  ) throws(MeasurementError) {
    let isBackwards = isReversed != (trials % 2 == 1)
    trials += 1
    var running = try start(isBackwards)
    for index in cases.shuffled(using: &generator) where isTimed(index) {
      guard goesOn() else { return }
      do throws(MeasurementError) {
        try measure(index, on: running, isBackwards)
      } catch {
        // A process has crashed or hangs, so all processes are replaced with new ones before the remaining
        // cases are measured.
        running = []
        running = try start(isBackwards)
      }
    }
  }

  /// Returns whether a case is worth timing: the first candidate and at least one other candidate must be
  /// able to run it. The control, which is a second copy of the first candidate, does not count as another
  /// candidate.
  func isTimed(_ index: Int) -> Bool {
    let places = states[index].places
    return places.contains(0) && places.contains { $0 > 0 && candidates[$0].isJudged }
  }

  /// Prepares one case in the running processes, times it for all candidates, and removes it from the
  /// processes again.
  private func measure(_ index: Int, on running: [any BenchChannel], _ isBackwards: Bool)
    throws(MeasurementError)
  {
    let places = isBackwards ? states[index].places.reversed() : states[index].places
    for place in places {
      try attributing(place, index) { (candidate) throws(MeasurementError) in
        try open(candidate, place, index, on: running[candidate.process])
      }
    }
    let timed = isTimed(index) ? states[index].places : []
    let times = try self.times(timed, index, on: running, isBackwards)
    for place in places {
      try attributing(place, index) { (candidate) throws(MeasurementError) in
        if let error = try running[candidate.process].close(candidate.slot) {
          states[index].findings[place].becomeWrong(error)
        }
      }
    }
    note(times, of: timed, index)
  }

  private func open(
    _ candidate: Candidate, _ place: Int, _ index: Int, on process: any BenchChannel
  ) throws(MeasurementError) {
    let known = states[index].findings[place]
    var entry = candidate.entry(index)
    entry.cpu = trials / 2
    entry.isVerified = candidate.isJudged && known.outputHash == nil
    let found = try process.open(candidate.slot, entry)
    if known.outputHash == nil || found.problem != nil {
      states[index].findings[place] = found
    } else if found.outputHash != known.outputHash {
      let item = try? Case(name: entry.name)
      let hint = item.flatMap {
        $0.workload.threads > 1 ? $0.commandForChanges(entry.kernelOptions ?? []) : nil
      }
      states[index].findings[place] = Findings(
        problem: "the output differs from process to process"
          + (hint.map { "; \($0) shows the difference" } ?? ""), isWrong: true)
    }
  }

  /// Times one case for all candidates, in several rounds. Returns the times of each candidate in
  /// nanoseconds, with one value per round. The list of a candidate that cannot run the case is empty.
  private func times(
    _ timed: [Int], _ index: Int, on running: [any BenchChannel], _ isBackwards: Bool
  ) throws(MeasurementError) -> [[Double]] {
    let sample = { [self] (place: Int, iterations: Int) throws(MeasurementError) -> Double in
      try attributing(place, index) { (candidate) throws(MeasurementError) in
        let sample = try running[candidate.process].sample(candidate.slot, iterations: iterations)
        if let isQuiet = sample.disturbance?.isQuiet {
          known += 1
          if !isQuiet { disturbed += 1 }
        }
        return sample.nanoseconds
      }
    }
    var times = Array(repeating: [Double](), count: candidates.count)
    guard !timed.isEmpty else { return times }
    let (iterations, rounds) =
      if let known = states[index].sampling { known } else {
        sampling(of: try sample(0, 1), try sample(0, 1))
      }
    states[index].sampling = (iterations, rounds)
    for round in WilliamsDesign.rounds(timed.count, atLeast: rounds, isBackwards: isBackwards) {
      for place in round.map({ timed[$0] }) { times[place].append(try sample(place, iterations)) }
    }
    return times
  }

  /// Decides how often to blur for one sample, and how many rounds of samples to take. Both numbers depend on
  /// how long one blur takes. The arguments are two measured times of one blur in nanoseconds. The shorter
  /// one is used.
  private func sampling(of first: Double, _ second: Double) -> (iterations: Int, rounds: Int) {
    let once = min(first, second)
    let iterations = Sampler.iterations(lasting: options.minTime * 1e9, each: once)
    let fitting = options.minTime * 1e9 * Double(options.rounds) / (Double(iterations) * once)
    let least = min(ComparisonOptions.leastRounds, options.rounds)
    return (iterations, max(least, Int(min(Double(options.rounds), fitting.rounded()))))
  }

  private func note(_ times: [[Double]], of timed: [Int], _ index: Int) {
    for place in timed where states[index].findings[place].problem == nil {
      if let time = Statistics.median(times[place]) { states[index].times[place].append(time) }
      guard place > 0, let ratio = Statistics.median(zip(times[place], times[0]).map { log($0 / $1) })
      else { continue }
      states[index].logRatios[place].append(ratio)
    }
  }

  /// Runs an operation on one candidate. If the operation throws an error, the error is also stored in the
  /// results of this candidate, so that the report can name the build or kernel that failed.
  private func attributing<Result>(
    _ place: Int, _ index: Int, _ step: (Candidate) throws(MeasurementError) -> Result
  ) throws(MeasurementError) -> Result {
    do throws(MeasurementError) { return try step(candidates[place]) } catch {
      states[index].findings[place].becomeWrong("\(error)")
      throw error
    }
  }
}
