import Blur
import Foundation
import Synchronization
import Testing

@testable import BlurMeasurement
@testable import BlurRecords

/// A simulated stopwatch: every iteration takes a fixed time by its name, and really happens.
final class FakeStopwatch: Stopwatch {
  /// Nanoseconds per iteration of the first sample; each later one takes 10 % of it more.
  let nanoseconds: (Case) -> Double
  /// What is called before the tasks of each workload.
  var onTime: () throws(MeasurementError) -> Void = {}
  private(set) var timed: [[String]] = []
  /// How many threads seem to be busy.
  var busy = 1.25
  /// How many seconds the clock goes on each time it is read.
  var tick = 0.0
  var heartbeat = Heartbeat.shared
  private var seconds = 0.0

  init(_ nanoseconds: @escaping (Case) -> Double = { _ in 1000 }) { self.nanoseconds = nanoseconds }

  var now: Double {
    seconds += tick
    return seconds
  }

  func time(_ tasks: [TimedTask], _ settings: TimingSettings) throws(MeasurementError) -> [Sample] {
    try onTime()
    timed.append(tasks.map(\.name))
    var samples: [Sample] = []
    for repetition in 0..<settings.repetitions {
      for task in tasks.shuffled() {
        task.iterate()
        let time = nanoseconds(try Case(name: task.name)) * (1 + 0.1 * Double(repetition))
        samples.append(
          Sample(
            name: task.name, repetition: repetition, iterations: 7, realTime: time, cpuTime: busy * time))
      }
    }
    return samples.sorted { $0.repetition < $1.repetition }
  }
}

/// A kernel of a test: promises nothing that the truth could break.
protocol TestKernel: BlurKernel {
  /// What is written: all of it, with one value.
  var region: Region { get }
}

extension TestKernel {
  static var summary: String { "for tests" }
  static var promise: Promise { .approximation(levels: 1000) }
  var phases: [Phase] { [Phase(units: region.height)] }

  /// Writes `value` into all pixels of the rows of a gray8 image.
  func fill(_ units: Range<Int>, _ buffers: BlurBuffers, with value: UInt8) {
    for y in units {
      UnsafeMutableRawBufferPointer(start: buffers.destination.row(y), count: region.width)
        .initializeMemory(as: UInt8.self, repeating: value)
    }
  }
}

/// Always writes the same, on any number of threads.
struct Steady: TestKernel {
  static let name = "steady"
  let region: Region
  init(_ parameters: BlurParameters, layout: ImageLayout) { region = parameters.region ?? layout.bounds }
  func run(_ phase: Int, _ units: Range<Int>, _ buffers: BlurBuffers) { fill(units, buffers, with: 9) }
}

/// Writes something else each time.
struct Drifting: TestKernel {
  static let name = "drifting"
  static let calls = Atomic<Int>(0)
  let region: Region
  init(_ parameters: BlurParameters, layout: ImageLayout) { region = parameters.region ?? layout.bounds }
  func run(_ phase: Int, _ units: Range<Int>, _ buffers: BlurBuffers) {
    let call = Self.calls.wrappingAdd(1, ordering: .relaxed).newValue
    fill(units, buffers, with: UInt8(truncatingIfNeeded: call))
  }
}

/// Writes where its strip begins: another result on another number of threads.
struct Seamed: TestKernel {
  static let name = "seamed"
  let region: Region
  init(_ parameters: BlurParameters, layout: ImageLayout) { region = parameters.region ?? layout.bounds }
  func run(_ phase: Int, _ units: Range<Int>, _ buffers: BlurBuffers) {
    fill(units, buffers, with: UInt8(truncatingIfNeeded: units.lowerBound))
  }
}

/// Refuses everything.
struct Refusing: TestKernel {
  static let name = "refusing"
  let region: Region
  init(_ parameters: BlurParameters, layout: ImageLayout) throws(BlurError) {
    throw .unsupported(kernel: Self.name, reason: "anything, \"in tests\"")
  }
  func run(_ phase: Int, _ units: Range<Int>, _ buffers: BlurBuffers) {}
}

/// Promises the Gaussian and writes a constant.
struct Lying: TestKernel {
  static let name = "lying"
  static let promise = Promise.exact()
  let region: Region
  init(_ parameters: BlurParameters, layout: ImageLayout) { region = parameters.region ?? layout.bounds }
  func run(_ phase: Int, _ units: Range<Int>, _ buffers: BlurBuffers) { fill(units, buffers, with: 9) }
}

enum Fixture {
  static let kernels = [
    Kernel(Steady.self), Kernel(Drifting.self), Kernel(Seamed.self), Kernel(Refusing.self),
    Kernel(Lying.self),
  ]
  static let settings = TimingSettings(repetitions: 3, minTime: 0.001, warmUp: 0)
  static let options = RunnerOptions(settings: settings, machineKey: "feed")

  /// A job of some kernels on a small picture.
  static func job(_ kernels: String..., threads: Int = 1, sigma: Double = 2) throws -> Job {
    let layout = try Size(width: 20, height: 10, padding: 3).layout(.gray8)
    let workload = Workload(threads: threads, layout: layout, sigma: sigma, edge: .clamp)
    return Job(
      workload: workload, cases: kernels.map { Case(kernel: $0, isa: .baseline, workload: workload) })
  }

  /// What a runner hands on, job by job.
  static func records(
    _ jobs: [Job], _ stopwatch: FakeStopwatch = FakeStopwatch(), done: Set<String> = [],
    options: RunnerOptions = options
  ) throws(MeasurementError) -> [[Record]] {
    var handed: [[Record]] = []
    try Runner(stopwatch, options, kernels: kernels).run(jobs, done: done) { handed.append($0) }
    return handed
  }

  /// Calls `body` with a folder that is removed afterwards.
  static func withFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("blur-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder)
  }
}
