import BlurMeasurement
import BlurRecords
import BlurVerification
import Foundation

@testable import BlurComparison

/// A machine with a simulated clock. The test sets how long kernels take and how noisy the machine is.
final class SimulatedMachine {
  enum Weather: CaseIterable, Sendable {
    /// Times vary at random by a few percent.
    case quiet
    /// The clock rate slowly rises and falls by a third.
    case drift
    /// Other programs take half of the machine for a while, about a fifth of the time.
    case bursts
    /// Each process is either fast or 6 % slower, depending on where its memory happens to lie.
    case bimodal
    /// One sample in ten takes up to five times as long as usual.
    case outliers
  }

  let weather: Weather
  var generator: SplitMix64
  private(set) var now = 0.0
  private var burstEnds = 0.0, burstBegins = 0.0
  /// The fraction by which a process is slower than usual in a case.
  var slowdown: (_ process: Int, _ name: String) -> Double = { _, _ in 0 }
  /// How much the processes differ in a case, as the standard deviation of the logarithms of their times.
  var spread: (_ process: Int, _ name: String) -> Double = { _, _ in 0 }
  /// The findings that a process reports when it opens a case.
  var findings: (_ process: Int, _ name: String) -> Findings = { _, _ in .good }
  /// Whether samples report that nothing disturbed them, or nil if they report nothing about disturbances.
  var isQuiet: Bool?
  /// Whether a process crashes when it measures a case.
  var dies: (_ process: Int, _ name: String) -> Bool = { _, _ in false }
  /// The samples that were taken so far: the process, the case and the number of iterations.
  private(set) var log: [(process: Int, name: String, iterations: Int)] = []

  init(_ weather: Weather, seed: Int) {
    self.weather = weather
    generator = SplitMix64(seed: UInt64(seed) &* 0x9E37_79B9 &+ 3)
  }

  /// Returns `count` new simulated processes.
  func processes(_ count: Int) -> [any BenchChannel] {
    (0..<count).map { SimulatedProcess(self, number: $0, mode: Bool.random(using: &generator) ? 0.06 : 0) }
  }

  /// Draws the factor by which a process is slower than others in a case. On a real machine, it depends on
  /// where the process's memory happens to lie.
  fileprivate func factor(_ process: Int, _ name: String) -> Double {
    exp(spread(process, name) * Normal.draw(using: &generator))
  }

  fileprivate func nanoseconds(
    _ process: SimulatedProcess, _ name: String, _ factor: Double, _ iterations: Int
  ) -> Double {
    log.append((process.number, name, iterations))
    let jitter = 1 + 0.02 * Double.random(in: -1...1, using: &generator)
    let time = 50_000 * (1 + slowdown(process.number, name)) * jitter * factor * disturbance(of: process)
    now += time * Double(iterations) / 1e9
    return time
  }

  private func disturbance(of process: SimulatedProcess) -> Double {
    switch weather {
    case .quiet: return 1
    case .drift: return 1 + 0.33 * sin(now * 2 * .pi / 7)
    case .bimodal: return 1 + process.mode
    case .outliers:
      return Double.random(in: 0...1, using: &generator) < 0.1
        ? Double.random(in: 1...5, using: &generator) : 1
    case .bursts:
      if now > burstEnds {
        burstBegins = now + Double.random(in: 0...0.8, using: &generator)
        burstEnds = burstBegins + Double.random(in: 0...0.2, using: &generator)
      }
      return now > burstBegins ? 2 : 1
    }
  }
}

extension Findings {
  /// The findings for a case whose result is right.
  static var good: Findings {
    var findings = Findings()
    findings.outputHash = "feed"
    findings.maxErrorLevels = 0.5
    return findings
  }
}

/// A process on a simulated machine.
final class SimulatedProcess: BenchChannel {
  let number: Int, mode: Double
  private let machine: SimulatedMachine
  private var slots: [Int: (name: String, factor: Double)] = [:]

  init(_ machine: SimulatedMachine, number: Int, mode: Double) {
    self.machine = machine
    self.number = number
    self.mode = mode
  }

  func open(_ slot: Int, _ entry: BenchRequest) throws(MeasurementError) -> Findings {
    slots[slot] = (entry.name, machine.factor(number, entry.name))
    return machine.findings(number, entry.name)
  }

  func sample(_ slot: Int, iterations: Int) throws(MeasurementError) -> BenchSample {
    guard let (name, factor) = slots[slot] else { throw .failed("slot \(slot) holds no case") }
    if machine.dies(number, name) { throw .failed("crashed: signal 11") }
    var disturbance = Disturbance()
    disturbance.isQuiet = machine.isQuiet
    return BenchSample(
      nanoseconds: machine.nanoseconds(self, name, factor, iterations), disturbance: disturbance)
  }

  func close(_ slot: Int) throws(MeasurementError) -> String? { nil }
}

/// Comparisons on a simulated machine, of a base (process 0), a head (process 1) and the base again (process
/// 2).
enum Simulated {
  static func comparison(
    _ machine: SimulatedMachine, cases: Int, change: (inout ComparisonOptions) -> Void = { _ in }
  ) throws -> Comparison {
    let names = (0..<cases).map { "case \($0)" }
    var options = ComparisonOptions()
    change(&options)
    let candidates = (0..<3).map { place in
      Candidate(process: place, isJudged: place < 2) { BenchRequest(names[$0]) }
    }
    let sides = names.map { [$0, $0] }
    let comparison = PairedComparison(sides, candidates, options, generator: machine.generator) { _ in
      machine.processes(3)
    }
    try comparison.measure()
    return comparison.result(base: "old", head: "new", method: .processes)
  }
}
