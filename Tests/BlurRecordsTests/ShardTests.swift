import Blur
import Foundation
import Testing

@testable import BlurRecords

@Suite("Shards")
struct ShardTests {
  static let settings = TimingSettings(repetitions: 5, minTime: 0.03, warmUp: 0.01)

  /// Returns jobs with many different durations, some of which use several threads.
  static func jobs() throws -> [Job] {
    try MeasurementPlan(suite: "quick", cores: 2).jobs
  }

  @Test("A shard is parsed back from its text")
  func text() throws {
    let shard = try Shard("2/5", environment: [:])
    #expect(shard == (try Shard(2, of: 5)) && shard.text == "2/5")
  }

  @Test(
    "Malformed texts of shards are rejected",
    arguments: ["0/5", "6/5", "-1/5", "2", "2/", "/5", "2/5/6", "a/b", "", "1/0", "1/99999999"])
  func refused(text: String) {
    let error = #expect(throws: MeasurementError.self) { try Shard(text, environment: [:]) }
    #expect(error?.isUsage == true)
  }

  static func slurm(_ task: Int, min: Int, max: Int, step: Int = 1, count: Int) -> [String: String] {
    [
      "SLURM_ARRAY_TASK_ID": "\(task)", "SLURM_ARRAY_TASK_MIN": "\(min)", "SLURM_ARRAY_TASK_MAX": "\(max)",
      "SLURM_ARRAY_TASK_STEP": "\(step)", "SLURM_ARRAY_TASK_COUNT": "\(count)",
    ]
  }

  @Test(
    "The tasks of a Slurm array are all the shards, each exactly once",
    arguments: [(0, 4, 1), (1, 5, 1), (10, 19, 3)])
  func slurm(min: Int, max: Int, step: Int) throws {
    let tasks = Array(stride(from: min, through: max, by: step))
    let shards = try tasks.map { task in
      try Shard(
        "auto",
        environment: Self.slurm(task, min: min, max: tasks.last!, step: step, count: tasks.count))
    }
    #expect(shards.map(\.index) == Array(1...tasks.count) && Set(shards.map(\.count)) == [tasks.count])
  }

  @Test("A Slurm array with gaps needs an explicit count, and a task's number is then its shard's")
  func holes() throws {
    let environment = Self.slurm(4, min: 2, max: 4, count: 2)
    let error = #expect(throws: MeasurementError.self) { try Shard("auto", environment: environment) }
    #expect(error?.description.contains("auto/n") == true)
    #expect(try Shard("auto/5", environment: environment) == Shard(4, of: 5))
    #expect(throws: MeasurementError.self) { try Shard("auto/3", environment: environment) }
  }

  @Test("Indexes of Kubernetes jobs start at 0 and need the number of completions")
  func kubernetes() throws {
    for index in 0..<3 {
      let environment = ["JOB_COMPLETION_INDEX": "\(index)"]
      #expect(try Shard("auto/3", environment: environment) == Shard(index + 1, of: 3))
      #expect(throws: MeasurementError.self) { try Shard("auto", environment: environment) }
    }
    #expect(throws: MeasurementError.self) { try Shard("auto/3", environment: ["JOB_COMPLETION_INDEX": "3"]) }
  }

  @Test("Outside a job, in two jobs at once, or with broken variables, the message names the problem")
  func unclear() throws {
    let both = ["SLURM_ARRAY_TASK_ID": "1", "JOB_COMPLETION_INDEX": "1"]
    for (environment, word) in [
      ([:], "SLURM_ARRAY_TASK_ID"), (both, "both"), (["JOB_COMPLETION_INDEX": "one"], "'one'"),
      (["SLURM_ARRAY_TASK_ID": "1"], "SLURM_ARRAY_TASK_"),
    ] {
      let text = word == "SLURM_ARRAY_TASK_" ? "auto" : "auto/4"
      let error = #expect(throws: MeasurementError.self) { try Shard(text, environment: environment) }
      #expect(error?.description.contains(word) == true, "\(error as Any)")
    }
  }

  @Test(
    "Each job is in exactly one shard, together with jobs that differ only in threads",
    arguments: [1, 2, 5, 40])
  func partition(count: Int) throws {
    let jobs = try Self.jobs()
    let shards = try (1...count).map { ShardPlan(jobs, try Shard($0, of: count), Self.settings) }
    #expect(shards.allSatisfy { $0.isSame(as: shards[0]) })
    let shares = shards.map { $0.own(jobs) }
    #expect(shares.joined().count == jobs.count)
    #expect(jobs.allSatisfy(shares.joined().contains))
    let pictures = shares.map { Set($0.map(\.workload.picture)) }
    for (index, some) in pictures.enumerated() {
      for others in pictures[(index + 1)...] { #expect(some.isDisjoint(with: others)) }
    }
  }

  /// Returns seven jobs with pseudo-random image sizes and sigmas, so that their estimated durations vary
  /// widely. Each job has an image of its own.
  private func small(_ seed: UInt64) throws -> [Job] {
    var state = seed
    return try (0..<7).map { index in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let side = 100 + Int(state >> 52)
      let layout = try Size(width: side, height: side).layout(.gray8)
      let workload = Workload(threads: 1, layout: layout, sigma: Double(1 + state >> 60), edge: .clamp)
      let kernels = ["simd", "dct", "pyramid"].prefix(1 + index % 3)
      return Job(
        workload: workload, cases: kernels.map { Case(kernel: $0, isa: .baseline, workload: workload) })
    }
  }

  /// Returns the estimated duration of the longest of several shards. Each shard is an array of jobs that one
  /// machine would run.
  private func longest(_ shares: [[Job]]) -> Double {
    shares.map { $0.reduce(0) { $0 + $1.estimate(Self.settings) } }.max()!
  }

  @Test(
    "The longest shard is within Graham's bound of the best possible division",
    arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
  func balance(seed: UInt64) throws {
    let jobs = try small(seed)
    let count = 3
    let shares = try (1...count).map { ShardPlan(jobs, try Shard($0, of: count), Self.settings).own(jobs) }
    var best = Double.infinity
    for division in 0..<2187 {
      var (rest, loads) = (division, [0.0, 0, 0])
      for job in jobs {
        loads[rest % count] += job.estimate(Self.settings)
        rest /= count
      }
      best = min(best, loads.max()!)
    }
    #expect(longest(shares) <= best * (4.0 / 3 - 1.0 / 9) * (1 + 1e-12))
  }

  @Test("More pixels, larger sigmas, more kernels and more samples take longer")
  func estimates() throws {
    let estimate = { (side: Int, sigma: Double, kernels: [String], repetitions: Int) in
      let layout = try Size(width: side, height: side).layout(.rgba8)
      let workload = Workload(threads: 1, layout: layout, sigma: sigma, edge: .clamp)
      return Job(
        workload: workload, cases: kernels.map { Case(kernel: $0, isa: .baseline, workload: workload) }
      )
      .estimate(TimingSettings(repetitions: repetitions, minTime: 0.03, warmUp: 0.01))
    }
    let base = try estimate(500, 5, ["simd"], 5)
    #expect(try estimate(5000, 5, ["simd"], 5) > base && estimate(500, 50, ["simd"], 5) > base)
    #expect(try estimate(500, 5, ["simd", "dct"], 5) > base && estimate(500, 5, ["simd"], 9) > base)
  }

  @Test("The plan is read back from the provenance, unless it was cut off anywhere")
  func provenance() throws {
    let jobs = [try Fixture.job("steady", "refusing"), try Fixture.job("steady", sigma: 5)]
    let plan = ShardPlan(jobs, try Shard(2, of: 2), Fixture.settings)
    var provenance = Provenance(
      machine: Machine(), build: Fixture.build, suite: "s", suiteText: "x", command: ["blurbench"],
      date: Date())
    #expect(try ShardPlan(ProvenanceReader(provenance.text)) == nil)
    provenance.shardPlan = plan
    let text = provenance.text
    #expect(try ShardPlan(ProvenanceReader(text)) == plan)
    let start = try #require(text.range(of: "\nrepetitions")).lowerBound
    for end in text[start...].indices.dropFirst().dropLast(2) {
      let cut = ProvenanceReader(String(text[..<end]))
      #expect(throws: MeasurementError.self, "cut after \(text[..<end].suffix(30))") { try ShardPlan(cut) }
    }
  }
}
