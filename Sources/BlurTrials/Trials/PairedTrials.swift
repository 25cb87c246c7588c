import BlurComparison
import BlurMeasurement
import BlurRecords
import Foundation

/// One of the candidates of a paired trial. It has a process to run in and a case to run there.
public struct Candidate {
  /// The index of the process, and the number of the slot in that process.
  public var track: Int, slot: Int
  /// Whether the outputs of this candidate are compared once with the true blur.
  public var isJudged: Bool
  /// Returns the request for case number `index`.
  public var entry: (_ index: Int) -> BenchRequest

  /// Creates a candidate.
  public init(track: Int, slot: Int = 0, isJudged: Bool = true, entry: @escaping (Int) -> BenchRequest) {
    self.track = track
    self.slot = slot
    self.isJudged = isJudged
    self.entry = entry
  }
}

/// Times candidates against the first of them. Each trial uses new processes, interleaves the candidates, and
/// gives all of them the same number of iterations.
///
/// The samples of one trial share memory pages, code addresses and the load of other programs, so they are
/// not independent. For this reason a trial yields only one value for each case and candidate: the median,
/// over the rounds of the trial, of the log ratio to the first candidate.
public final class PairedTrials {
  /// The results for one case so far.
  public struct CaseState: Sendable {
    /// The findings of each candidate.
    public internal(set) var findings: [Findings]
    /// For each candidate, one log ratio to the first candidate per trial. The first candidate has none.
    public internal(set) var logRatios: [[Double]]
    /// For each candidate, the median time of each trial in nanoseconds.
    public internal(set) var times: [[Double]]
    fileprivate var sampling: (iterations: Int, rounds: Int)?

    /// The indices of the candidates that can run the case.
    var places: [Int] { findings.indices.filter { findings[$0].problem == nil } }

    /// Returns whether neither the first candidate nor this one has a time, because neither of them supports
    /// the case or both are wrong in the same way.
    func isUntimed(_ place: Int) -> Bool { findings[place].isUntimed(like: findings[0]) }
  }

  /// A function that starts new processes for a trial. The argument says whether to start the last process
  /// first.
  public typealias Tracks = (_ isBackwards: Bool) throws(MeasurementError) -> [any BenchChannel]

  /// The results so far, one element per case.
  public private(set) var states: [CaseState]
  /// The number of samples whose disturbance is known, and the number of those that were disturbed by other
  /// programs.
  public private(set) var known = 0, disturbed = 0
  private let candidates: [Candidate]
  private let settings: TrialSettings
  private let tracks: Tracks
  private var trials = 0
  /// Shuffles the cases of a trial.
  private var generator: any RandomNumberGenerator

  /// Prepares trials of `count` cases.
  public init(
    count: Int, _ candidates: [Candidate], _ settings: TrialSettings,
    generator: any RandomNumberGenerator = SystemRandomNumberGenerator(), tracks: @escaping Tracks
  ) {
    self.generator = generator
    self.candidates = candidates
    self.settings = settings
    self.tracks = tracks
    let empty = Array(repeating: [Double](), count: candidates.count)
    let state = CaseState(findings: candidates.map { _ in Findings() }, logRatios: empty, times: empty)
    states = Array(repeating: state, count: count)
  }

  /// Runs one trial of the given cases in random order. Every second trial runs its candidates in backward
  /// order.
  ///
  /// - Parameters:
  ///   - cases: The indices of the cases to run.
  ///   - isReversed: Whether to swap forward and backward order.
  ///   - goesOn: A function that is called before each case. The trial ends if it returns false.
  /// - Throws: ``MeasurementError/failed(_:)`` if the processes cannot be started. An error of a single case
  ///   is not thrown but stored in the state of the case.
  public func trial(
    of cases: [Int], isReversed: Bool = false, goesOn: () -> Bool = { true }
  ) throws(MeasurementError) {
    let isBackwards = isReversed != (trials % 2 == 1)
    trials += 1
    var running = try tracks(isBackwards)
    for index in cases.shuffled(using: &generator) where isTimed(index) {
      guard goesOn() else { return }
      do throws(MeasurementError) {
        try measure(index, on: running, isBackwards)
      } catch {
        // A process has ended or hangs. The other cases continue in new processes.
        running = []
        running = try tracks(isBackwards)
      }
    }
  }

  /// Returns whether a case can be timed: the first candidate and at least one other candidate, not counting
  /// the control, must be able to run it.
  public func isTimed(_ index: Int) -> Bool {
    let places = states[index].places
    return places.contains(0) && places.contains { $0 > 0 && candidates[$0].isJudged }
  }

  /// Measures one case in one trial.
  private func measure(_ index: Int, on running: [any BenchChannel], _ isBackwards: Bool)
    throws(MeasurementError)
  {
    let places = isBackwards ? states[index].places.reversed() : states[index].places
    for place in places {
      try attributing(place, index) { (candidate) throws(MeasurementError) in
        try open(candidate, place, index, on: running[candidate.track])
      }
    }
    let timed = isTimed(index) ? states[index].places : []
    let times = try self.times(timed, index, on: running, isBackwards)
    for place in places {
      try attributing(place, index) { (candidate) throws(MeasurementError) in
        if let error = try running[candidate.track].close(candidate.slot) {
          states[index].findings[place].becomeWrong(error)
        }
      }
    }
    note(times, of: timed, index)
  }

  private func open(
    _ candidate: Candidate, _ place: Int, _ index: Int, on track: any BenchChannel
  ) throws(MeasurementError) {
    let known = states[index].findings[place]
    var entry = candidate.entry(index)
    entry.cpu = trials / 2
    entry.isVerified = candidate.isJudged && known.outputHash == nil
    let found = try track.open(candidate.slot, entry)
    if known.outputHash == nil || found.problem != nil {
      states[index].findings[place] = found
    } else if found.outputHash != known.outputHash {
      states[index].findings[place] = Findings(
        problem: "the output differs from process to process", isWrong: true)
    }
  }

  /// Returns the samples of each candidate in nanoseconds, one per round. A candidate that is not timed has
  /// none.
  private func times(
    _ timed: [Int], _ index: Int, on running: [any BenchChannel], _ isBackwards: Bool
  ) throws(MeasurementError) -> [[Double]] {
    let sample = { [self] (place: Int, iterations: Int) throws(MeasurementError) -> Double in
      try attributing(place, index) { (candidate) throws(MeasurementError) in
        let sample = try running[candidate.track].sample(candidate.slot, iterations: iterations)
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

  /// Returns the number of iterations per sample and the number of rounds per trial, computed from the times
  /// of the first two blurs.
  private func sampling(of first: Double, _ second: Double) -> (iterations: Int, rounds: Int) {
    let once = min(first, second)
    let iterations = SampleLength.iterations(lasting: settings.minTime * 1e9, each: once)
    let fitting = settings.minTime * 1e9 * Double(settings.rounds) / (Double(iterations) * once)
    let least = min(TrialSettings.leastRounds, settings.rounds)
    return (iterations, max(least, Int(min(Double(settings.rounds), fitting.rounded()))))
  }

  private func note(_ times: [[Double]], of timed: [Int], _ index: Int) {
    for place in timed where states[index].findings[place].problem == nil {
      if let time = Statistics.median(times[place]) { states[index].times[place].append(time) }
      guard place > 0, let ratio = Statistics.median(zip(times[place], times[0]).map { log($0 / $1) })
      else { continue }
      states[index].logRatios[place].append(ratio)
    }
  }

  /// Runs a step of one candidate. If the step throws an error, the error is stored in the candidate's
  /// findings and thrown again.
  private func attributing<Result>(
    _ place: Int, _ index: Int, _ step: (Candidate) throws(MeasurementError) -> Result
  ) throws(MeasurementError) -> Result {
    do throws(MeasurementError) { return try step(candidates[place]) } catch {
      states[index].findings[place].becomeWrong("\(error)")
      throw error
    }
  }
}
