import Blur
import Foundation
import TestSupport

@testable import BlurRecords

/// Jobs, and the records that a run would write for them, without measuring anything.
enum Fixture {
  static let build = BuildIdentity(hash: "b1", revision: "feed", compiler: "cc", configuration: "release")
  static let settings = TimingSettings(repetitions: 3, minTime: 0.001, warmUp: 0)

  /// Returns a job that runs some kernels on a small image.
  static func job(_ kernels: String..., threads: Int = 1, sigma: Double = 2) throws -> Job {
    let layout = try Size(width: 20, height: 10, padding: 3).layout(.gray8)
    let workload = Workload(threads: threads, layout: layout, sigma: sigma, edge: .clamp)
    return Job(
      workload: workload, cases: kernels.map { Case(kernel: $0, isa: .baseline, workload: workload) })
  }

  /// Returns the records of some jobs, one array for each job. The kernel `refusing` is skipped, `lying` and
  /// `drifting` are wrong, and all others and memcpy have three times each.
  ///
  /// - Parameters:
  ///   - jobs: The jobs that a run would measure.
  ///   - done: The names of the jobs and cases to leave out.
  ///   - machineKey: The key of the machine.
  ///   - nanoseconds: A function that returns the first time of a case. Each later time is longer by 10 % of
  ///     the first one.
  static func records(
    _ jobs: [Job], done: Set<String> = [], machineKey: String = "feed",
    nanoseconds: (Case) -> Double = { _ in 1000 }
  ) throws -> [[Record]] {
    jobs.filtered { !done.contains($0.name) }.map { job in
      (job.cases + [.copying(job.workload)]).filter { !done.contains($0.name) }
        .flatMap {
          rows(of: $0, machineKey, nanoseconds($0), beside: 1.1 * nanoseconds(.copying(job.workload)))
        }
    }
  }

  private static func rows(of item: Case, _ machineKey: String, _ time: Double, beside copy: Double)
    -> [Record]
  {
    var record = Record(item, machineKey: machineKey)
    switch item.kernel {
    case "refusing": return [record.skipped("refusing does not support anything, \"in tests\"")]
    case "lying": return [record.wrong("off by 200 levels")]
    case "drifting": return [record.wrong("the output changed while the case was timed: hash a, not b")]
    default: break
    }
    record.planTime = 250
    record.maxErrorLevels = item.kernel == Case.memcpy ? 0 : 100.5
    record.outputHash = "00c0ffee00c0ffee"
    return (0..<settings.repetitions).map { repetition in
      var record = record
      record.repetition = repetition
      record.iterations = 7
      record.realTime = time * (1 + 0.1 * Double(repetition))
      record.cpuTime = record.realTime.map { 1.25 * $0 }
      record.memcpyRatio = record.realTime.map { $0 / copy }
      (record.memcpyThreads, record.memcpyLow, record.memcpyHigh) = (1, copy / 1.1, copy * 1.2 / 1.1)
      return record
    }
  }
}
