import Blur
import BlurRecords
import Foundation

/// Measures regret: every kernel that keeps the bound, by turns, on workloads that no tuning has seen.
///
/// First the quickest of each workload is looked for. Those who were chosen are then timed against it in several
/// sessions, each after a session of all other workloads: whoever else uses the cores does so for milliseconds to
/// seconds, and kernels suffer unequally.
public struct RegretRun {
  private let kernels: [Kernel], wisdom: Chooser?
  private let probe = CoreProbe()
  private static let sessions = 5

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
    let trials = RegretTrial.list(count: count, seed: seed, cores: cores)
    func begins(_ index: Int, of count: Int, _ title: String) {
      progress(Progress(index: index, count: count, title: title, elapsed: watch.now - start))
    }
    var contests: [Contest] = []
    for (index, trial) in trials.enumerated() {
      begins(index, of: trials.count, trial.workload.fullTitle)
      contests.append(try contest(trial))
    }
    let open = contests.indices.filter { !contests[$0].rivals.isEmpty }
    for session in 0..<Self.sessions {
      for (place, index) in open.enumerated() {
        let title = "again: \(contests[index].trial.workload.fullTitle)"
        begins(session * open.count + place, of: Self.sessions * open.count, title)
        try duel(&contests[index])
      }
    }
    return Regret(contests.map(\.row))
  }

  /// Looks for the quickest, and asks who would be chosen.
  private func contest(_ trial: RegretTrial) throws(MeasurementError) -> Contest {
    do {
      let model = try choice(Chooser(), trial)
      let start = ContinuousClock.now
      let wisdom = try wisdom.map { try choice($0, trial) }
      let choosing = (ContinuousClock.now - start) / .nanoseconds(1)
      let field = try RegretField(entrants(trial), on: trial.workload, probe)
      let (best, time) = try field.quickest()
      return Contest(
        trial: trial, best: best, time: time, wisdom: wisdom, model: model,
        choosing: wisdom == nil ? nil : choosing)
    } catch { throw .failed("\(trial.workload.fullTitle): \(error)") }
  }

  /// Samples of those who were chosen and of the best: fresh ones, for those by which the best was found flatter it.
  private func duel(_ contest: inout Contest) throws(MeasurementError) {
    let trial = contest.trial
    let names = contest.rivals.union([contest.best])
    do {
      let field = try RegretField(
        entrants(trial).filter { names.contains($0.name) }, on: trial.workload, probe)
      for (name, times) in try field.duel() { contest.times[name, default: []] += times }
    } catch { throw .failed("\(trial.workload.fullTitle): \(error)") }
  }

  private func entrants(_ trial: RegretTrial) -> [TuningCandidate] {
    TuningCandidate.all(kernels, for: trial.workload.layout.format).filter { $0.bound <= trial.bound.levels }
  }

  private func choice(_ chooser: Chooser, _ trial: RegretTrial) throws(BlurError) -> TuningCandidate.Name {
    let workload = trial.workload
    let parameters = try workload.parameters(isa: .best)
    let choice = try chooser.choices(
      for: workload.layout, parameters, within: trial.bound, threads: workload.threads)[0]
    return TuningCandidate.Name(kernel: choice.kernel.name, isa: choice.instructionSet)
  }
}

/// A trial, who was the quickest, and who was chosen.
private struct Contest {
  let trial: RegretTrial
  /// The quickest, and its median time in nanoseconds.
  let best: TuningCandidate.Name, time: Double
  let wisdom: TuningCandidate.Name?, model: TuningCandidate.Name
  /// Nanoseconds that choosing took, with wisdom.
  let choosing: Double?
  /// Of the sessions after that, by turns.
  var times: [TuningCandidate.Name: [Double]] = [:]

  /// Who was chosen and is not the best.
  var rivals: Set<TuningCandidate.Name> { Set([wisdom, model].compactMap(\.self)).subtracting([best]) }

  var row: Regret.Row {
    Regret.Row(
      workload: trial.workload.fullTitle, bound: trial.bound.levels, best: best.text, time: time,
      wisdom: wisdom?.text, wisdomRegret: wisdom.map(regret), model: model.text,
      modelRegret: regret(of: model),
      choosing: choosing)
  }

  private func regret(of name: TuningCandidate.Name) -> Double {
    guard name != best, let times = times[name], let least = self.times[best] else { return 1 }
    return Regret.ratio(times, to: least)
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
