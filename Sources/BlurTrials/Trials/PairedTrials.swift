import BlurComparison
import BlurMeasurement
import BlurRecords
import Foundation

/// One side of a paired trial: where it runs, and what it runs.
public struct Candidate {
  /// The number of the track, and the slot there.
  public var track: Int, slot: Int
  /// Whether its results are checked against the truth, once.
  public var isJudged: Bool
  /// What this side runs for case number `index`.
  public var entry: (_ index: Int) -> BenchRequest

  /// Makes a candidate.
  public init(track: Int, slot: Int = 0, isJudged: Bool = true, entry: @escaping (Int) -> BenchRequest) {
    self.track = track
    self.slot = slot
    self.isJudged = isJudged
    self.entry = entry
  }
}

/// Times candidates against the first of them, in trials on fresh tracks. Within a trial the candidates are
/// interleaved and run the same number of iterations.
///
/// The samples of one trial share memory pages, code addresses and neighbours: they are not independent. So a
/// trial gives one datum for each case and candidate, the median of its log ratios to the first candidate
/// within a round.
public final class PairedTrials {
  /// What is known of one case.
  public struct CaseState: Sendable {
    /// By candidate: its findings.
    public internal(set) var findings: [Findings]
    /// By candidate: a log ratio to the first one for each trial; none for the first.
    public internal(set) var logRatios: [[Double]]
    /// By candidate: the median time of each trial in nanoseconds.
    public internal(set) var times: [[Double]]
    fileprivate var sampling: (iterations: Int, rounds: Int)?

    /// The candidates that can run the case.
    var places: [Int] { findings.indices.filter { findings[$0].problem == nil } }

    /// Whether the first candidate and this one both refuse the case, or are wrong in the same way.
    func isUntimed(_ place: Int) -> Bool { findings[place].isUntimed(like: findings[0]) }
  }

  /// Makes fresh tracks for a trial; the argument says whether the last is to be started first.
  public typealias Tracks = (_ isBackwards: Bool) throws(MeasurementError) -> [any BenchChannel]

  /// By case.
  public private(set) var states: [CaseState]
  /// Of how many samples it is known whether others disturbed them, and how many they did.
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

  /// Runs one trial of the cases of these numbers, in random order; every other trial runs its candidates
  /// backwards.
  ///
  /// - Parameters:
  ///   - isReversed: whether that order of candidates is reversed.
  ///   - goesOn: called before each case; the trial ends when it returns false.
  /// - Throws: ``MeasurementError/failed(_:)`` when the tracks cannot be made. What becomes of one case is in
  ///   its state.
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
        // A process ended or hangs. The other cases go on with new ones.
        running = []
        running = try tracks(isBackwards)
      }
    }
  }

  /// Whether the first candidate and another one, besides the control, can run a case.
  public func isTimed(_ index: Int) -> Bool {
    let places = states[index].places
    return places.contains(0) && places.contains { $0 > 0 && candidates[$0].isJudged }
  }

  /// One case of one trial.
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
        problem: "the output differs from one process to the next", isWrong: true)
    }
  }

  /// By candidate: its samples in nanoseconds, round by round; none of those that are not timed.
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

  /// Iterations of a sample and rounds of a trial, by the time of a first and of a second blur.
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

  /// Runs a step of one candidate. An error becomes the candidate's finding, and is thrown on.
  private func attributing<Result>(
    _ place: Int, _ index: Int, _ step: (Candidate) throws(MeasurementError) -> Result
  ) throws(MeasurementError) -> Result {
    do throws(MeasurementError) { return try step(candidates[place]) } catch {
      states[index].findings[place].becomeWrong("\(error)")
      throw error
    }
  }
}
