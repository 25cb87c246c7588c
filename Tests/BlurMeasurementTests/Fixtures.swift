import Blur
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import BlurMeasurement
@testable import BlurRecords

/// A simulated machine. It runs iterations, but the times that it reports depend only on the case.
final class FakeMachine {
  /// Returns the nanoseconds per iteration of a case's first sample. Each later sample takes 10 % of that
  /// longer.
  let nanoseconds: (Case) -> Double
  /// A closure that is called when the timing of a task begins.
  var onBegin: (TimedTask) throws(MeasurementError) -> Void = { _ in }
  /// The names of the tasks, in the order in which their timing began.
  private(set) var timed: [String] = []
  /// The number of threads that seem to be busy: the ratio of CPU time to real time.
  var busy = 1.25
  /// The seconds by which the clock advances each time it is read.
  var tick = 0.0
  var suspensions = SuspendDetector.shared
  var canEvict = true
  private var seconds = 0.0
  /// For each task, the number of iterations of its last run, and the number of runs directly before it with
  /// as many iterations.
  private var runs: [String: (iterations: Int, earlier: Int)] = [:]

  init(_ nanoseconds: @escaping (Case) -> Double = { _ in 1000 }) { self.nanoseconds = nanoseconds }

  var sampler: Sampler {
    var sampler = Sampler()
    sampler.time = { (task, iterations) throws(MeasurementError) in try self.time(task, iterations) }
    sampler.now = {
      self.seconds += self.tick
      return self.seconds
    }
    sampler.wait = { self.seconds = max(self.seconds, $0) }
    sampler.suspensions = suspensions
    sampler.canEvict = canEvict
    return sampler
  }

  /// Returns the times of a run. The sampler warms a task up with runs of more and more iterations, the first
  /// of which has only one. All samples then have the same number of iterations.
  private func time(
    _ task: TimedTask, _ iterations: Int
  ) throws(MeasurementError) -> (real: Double, cpu: Double) {
    if iterations == 1 {
      timed.append(task.name)
      try onBegin(task)
    }
    task.iterate()
    let last = runs[task.name]
    let earlier = last.map { $0.iterations == iterations ? $0.earlier + 1 : 0 } ?? 0
    runs[task.name] = (iterations, earlier)
    let time = nanoseconds(try Case(name: task.name)) * (1 + 0.1 * Double(earlier))
    return (real: time, cpu: busy * time)
  }
}

/// A kernel for tests. By default it promises an error of at most 1000 levels, which no result can exceed.
protocol TestKernel: BlurKernel {
  /// Returns the value that is written to all pixels of the rows `units`.
  func value(_ units: Range<Int>, _ buffers: PhaseContext) -> UInt8
}

extension TestKernel {
  var summary: String { "for tests" }
  var promise: Promise { .approximation(levels: 1000) }

  func plan(_ problem: BlurProblem) throws(BlurError) -> any Plan {
    FillPlan([Phase(units: problem.region.height)], value: value)
  }
}

/// A plan that writes a single value to all pixels of its rows of a gray8 image.
final class FillPlan: Plan {
  let facts: PlanFacts
  private let value: @Sendable (Range<Int>, PhaseContext) -> UInt8

  init(_ phases: [Phase], value: @escaping @Sendable (Range<Int>, PhaseContext) -> UInt8) {
    facts = PlanFacts(phases: phases)
    self.value = value
  }

  func run(_ phase: Int, _ units: Range<Int>, _ buffers: PhaseContext) {
    let (value, target) = (value(units, buffers), buffers.destination)
    for y in units {
      UnsafeMutableRawBufferPointer(start: target.unsafeRow(y), count: target.layout.width)
        .initializeMemory(as: UInt8.self, repeating: value)
    }
  }
}

/// A kernel that always writes the same value, on any number of threads.
struct Steady: TestKernel {
  let name = "steady"
  func value(_ units: Range<Int>, _ buffers: PhaseContext) -> UInt8 { 9 }
}

/// A kernel that writes a different value in each call.
struct Drifting: TestKernel {
  let name = "drifting"
  static let calls = Atomic<Int>(0)
  func value(_ units: Range<Int>, _ buffers: PhaseContext) -> UInt8 {
    UInt8(truncatingIfNeeded: Self.calls.wrappingAdd(1, ordering: .relaxed).newValue)
  }
}

/// A kernel that writes a wrong value in every second blur, as a kernel with a race between its
/// threads would.
struct Racing: TestKernel {
  let name = "racing"
  static let blurs = Atomic<Int>(0)
  func value(_ units: Range<Int>, _ buffers: PhaseContext) -> UInt8 {
    guard units.contains(0) else { return 9 }
    return Self.blurs.wrappingAdd(1, ordering: .relaxed).newValue % 2 == 0 ? 8 : 9
  }
}

/// A kernel that writes the row number at which each thread's strip of rows begins. Its result therefore
/// depends on the number of threads.
struct Seamed: TestKernel {
  let name = "seamed"
  func value(_ units: Range<Int>, _ buffers: PhaseContext) -> UInt8 {
    UInt8(truncatingIfNeeded: units.lowerBound)
  }
}

/// A kernel that rejects every problem.
struct Refusing: BlurKernel {
  let name = "refusing"
  let summary = "for tests"
  let promise = Promise.approximation(levels: 1000)
  func plan(_ problem: BlurProblem) throws(BlurError) -> any Plan {
    throw .unsupported(kernel: name, reason: "anything, \"in tests\"")
  }
}

/// A kernel that promises an exact Gaussian but writes a constant.
struct Lying: TestKernel {
  let name = "lying"
  let promise = Promise.exact()
  func value(_ units: Range<Int>, _ buffers: PhaseContext) -> UInt8 { 9 }
}

/// A kernel that always writes 9 and promises an error of at most 250 levels. It keeps this promise on every
/// test image, but would break it on a white image.
struct Bounded: TestKernel {
  let name = "bounded"
  let promise = Promise.approximation(levels: 250)
  func value(_ units: Range<Int>, _ buffers: PhaseContext) -> UInt8 { 9 }
}

enum Fixture {
  static let build = BuildIdentity(hash: "b1", revision: "feed", compiler: "cc", configuration: "release")
  static let kernels = [
    Kernel(Steady()), Kernel(Drifting()), Kernel(Racing()), Kernel(Seamed()), Kernel(Refusing()),
    Kernel(Lying()), Kernel(Bounded()),
  ]
  static let settings = TimingSettings(repetitions: 3, minTime: 0.001, warmUp: 0)
  static let options = RunnerOptions(settings: settings, cores: 1, machineKey: "feed")

  /// Returns a job that runs some kernels on a small image.
  static func job(_ kernels: String..., threads: Int = 1, sigma: Double = 2) throws -> Job {
    let layout = try Size(width: 20, height: 10, padding: 3).layout(.gray8)
    let workload = Workload(threads: threads, layout: layout, sigma: sigma, edge: .clamp)
    return Job(
      workload: workload, cases: kernels.map { Case(kernel: $0, isa: .baseline, workload: workload) })
  }

  /// Runs the jobs, and returns the records that the runner hands over for each job.
  static func records(
    _ jobs: [Job], _ machine: FakeMachine = FakeMachine(), done: Set<String> = [],
    options: RunnerOptions = options
  ) throws(MeasurementError) -> [[Record]] {
    var handed: [[Record]] = []
    try Runner(machine.sampler, options, kernels: kernels).run(jobs, done: done) { handed.append($0) }
    return handed
  }
}
