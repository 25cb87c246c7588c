import BlurComparison
import BlurMeasurement
import BlurRecords
import Foundation

/// One side of a contest: where it runs, and what it is asked to run.
public struct Contestant {
  /// The number of the track, and the slot there.
  public var track: Int, slot: Int
  /// Whether its results are held to the truth, once.
  public var isJudged: Bool
  /// The case that this side runs where the contest is about case number `index`.
  public var entry: (_ index: Int) -> BenchRequest

  /// Makes a contestant.
  public init(track: Int, slot: Int = 0, isJudged: Bool = true, entry: @escaping (Int) -> BenchRequest) {
    self.track = track
    self.slot = slot
    self.isJudged = isJudged
    self.entry = entry
  }
}

/// Times contestants against the first of them: trial after trial on fresh tracks, in turns within a trial, all with the
/// same number of iterations.
///
/// The samples of one trial have memory pages, code addresses and neighbours in common, so that they are no independent
/// data: a trial gives one datum for each case and contestant, the median of its log ratios to the first contestant.
/// The ratios are those of one round, whose samples stand next to each other in time.
public final class Contest {
  /// What is known of one case.
  public struct Standing: Sendable {
    /// By contestant: what it said of the case.
    public internal(set) var findings: [Findings]
    /// By contestant: a log ratio to the first one for each trial; none for the first.
    public internal(set) var logRatios: [[Double]]
    /// By contestant: the median time of each trial in nanoseconds.
    public internal(set) var times: [[Double]]
    fileprivate var pace: (iterations: Int, rounds: Int)?

    /// The contestants that can run the case.
    var places: [Int] { findings.indices.filter { findings[$0].problem == nil } }
  }

  /// Makes fresh tracks for a trial; the argument says whether the last is to be started first.
  public typealias Tracks = (_ isBackwards: Bool) throws(MeasurementError) -> [any BenchChannel]

  /// By case.
  public private(set) var standings: [Standing]
  private let contestants: [Contestant]
  private let settings: ContestSettings
  private let tracks: Tracks
  private var trials = 0

  /// Prepares a contest about `count` cases.
  public init(
    count: Int, _ contestants: [Contestant], _ settings: ContestSettings, tracks: @escaping Tracks
  ) {
    self.contestants = contestants
    self.settings = settings
    self.tracks = tracks
    let empty = Array(repeating: [Double](), count: contestants.count)
    let standing = Standing(findings: contestants.map { _ in Findings() }, logRatios: empty, times: empty)
    standings = Array(repeating: standing, count: count)
  }

  /// Holds one trial of the cases of these numbers, in random order; every other trial goes backwards.
  ///
  /// - Parameters:
  ///   - isReversed: whether all turns are taken the other way round.
  ///   - goesOn: asked before each case; the trial ends when it says no.
  /// - Throws: ``MeasurementError/failed(_:)`` when the tracks cannot be made. What becomes of one case is in its
  ///   standing.
  public func trial(
    of cases: [Int], isReversed: Bool = false, goesOn: () -> Bool = { true }
  ) throws(MeasurementError) {
    let isBackwards = isReversed != (trials % 2 == 1)
    trials += 1
    var running = try tracks(isBackwards)
    for index in cases.shuffled() where isTimed(index) {
      guard goesOn() else { return }
      do throws(MeasurementError) {
        try hold(index, on: running, isBackwards)
      } catch {
        // A process is gone, or hangs. The other cases go on with new ones.
        running = []
        running = try tracks(isBackwards)
      }
    }
  }

  /// Whether the first contestant and another one, that is not there for control, can run a case.
  public func isTimed(_ index: Int) -> Bool {
    let places = standings[index].places
    return places.contains(0) && places.contains { $0 > 0 && contestants[$0].isJudged }
  }

  /// One case of one trial.
  private func hold(_ index: Int, on running: [any BenchChannel], _ isBackwards: Bool)
    throws(MeasurementError)
  {
    let places = isBackwards ? standings[index].places.reversed() : standings[index].places
    for place in places {
      try blaming(place, index) { (contestant) throws(MeasurementError) in
        try open(contestant, place, index, on: running[contestant.track])
      }
    }
    let timed = isTimed(index) ? standings[index].places : []
    let times = try self.times(timed, index, on: running, isBackwards)
    for place in places {
      try blaming(place, index) { (contestant) throws(MeasurementError) in
        if let complaint = try running[contestant.track].close(contestant.slot) {
          standings[index].findings[place].becomeWrong(complaint)
        }
      }
    }
    note(times, of: timed, index)
  }

  private func open(
    _ contestant: Contestant, _ place: Int, _ index: Int, on track: any BenchChannel
  ) throws(MeasurementError) {
    let known = standings[index].findings[place]
    var entry = contestant.entry(index)
    entry.cpu = trials / 2
    entry.isVerified = contestant.isJudged && known.outputHash == nil
    let found = try track.open(contestant.slot, entry)
    if known.outputHash == nil || found.problem != nil {
      standings[index].findings[place] = found
    } else if found.outputHash != known.outputHash {
      standings[index].findings[place] = Findings(
        problem: "the output differs from one process to the next", isWrong: true)
    }
  }

  /// By contestant: its samples in nanoseconds, round by round; none of those that are not timed.
  private func times(
    _ timed: [Int], _ index: Int, on running: [any BenchChannel], _ isBackwards: Bool
  ) throws(MeasurementError) -> [[Double]] {
    let sample = { [self] (place: Int, iterations: Int) throws(MeasurementError) -> Double in
      try blaming(place, index) { (contestant) throws(MeasurementError) in
        try running[contestant.track].nanoseconds(contestant.slot, iterations: iterations)
      }
    }
    var times = Array(repeating: [Double](), count: contestants.count)
    guard !timed.isEmpty else { return times }
    if standings[index].pace == nil {
      let (first, second) = (try sample(0, 1), try sample(0, 1))
      standings[index].pace = pace(of: first, second)
    }
    let (iterations, rounds) = standings[index].pace!
    for round in WilliamsDesign.rounds(timed.count, atLeast: rounds, isBackwards: isBackwards) {
      for place in round.map({ timed[$0] }) { times[place].append(try sample(place, iterations)) }
    }
    return times
  }

  /// Iterations of a sample and rounds of a trial, by the time of a first and of a second blur.
  private func pace(of first: Double, _ second: Double) -> (iterations: Int, rounds: Int) {
    let once = min(first, second)
    let iterations = SampleLength.iterations(lasting: settings.minTime * 1e9, each: once)
    let fitting = settings.minTime * 1e9 * Double(settings.rounds) / (Double(iterations) * once)
    let least = min(ContestSettings.leastRounds, settings.rounds)
    return (iterations, max(least, Int(min(Double(settings.rounds), fitting.rounded()))))
  }

  private func note(_ times: [[Double]], of timed: [Int], _ index: Int) {
    for place in timed where standings[index].findings[place].problem == nil {
      let samples = times[place]
      standings[index].times[place].append(Statistics.median(samples)!)
      guard place > 0 else { continue }
      standings[index].logRatios[place].append(
        Statistics.median(zip(samples, times[0]).map { log($0 / $1) })!)
    }
  }

  /// Runs a step of one contestant; if its process dies of it, that is what there is to say of the case.
  private func blaming<Result>(
    _ place: Int, _ index: Int, _ step: (Contestant) throws(MeasurementError) -> Result
  ) throws(MeasurementError) -> Result {
    do throws(MeasurementError) { return try step(contestants[place]) } catch {
      standings[index].findings[place].becomeWrong("\(error)")
      throw error
    }
  }
}
