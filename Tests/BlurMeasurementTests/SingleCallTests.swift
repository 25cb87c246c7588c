import Blur
import BlurRecords
import Synchronization
import Testing

@testable import BlurMeasurement

@Suite("Single calls, which plan and blur once")
struct SingleCallTests {
  static func item(_ kernel: String, _ pace: Pace, threads: Int = 1) throws -> Case {
    let layout = try ImageLayout(.gray8, width: 53, height: 31, stride: 61)
    let workload = Workload(threads: threads, layout: layout, sigma: 4, edge: .clamp, pace: pace)
    return Case(kernel: kernel, isa: .best, workload: workload)
  }

  static func prepared(_ item: Case, _ kernel: Kernel) throws -> PreparedCase {
    let layout = item.workload.layout
    let bytes = (0..<layout.byteCount).map { UInt8(truncatingIfNeeded: $0 &* $0 &* 37) }
    let image = try Image(layout, copying: bytes.span.bytes)
    let checks = PreparedCase.Checks(inputHash: image.pixelHash)
    return try PreparedCase(item, kernel, CaseBuffers(image), checks: checks)
  }

  @Test("A kernel of another library makes a plan for each single call", arguments: Pace.allCases)
  func plans(pace: Pace) throws {
    let plans = Atomic(0)
    let separable = try Registry.kernel(named: "separable")
    let kernel = Kernel(name: "counted", summary: "for tests", promise: .nothing) {
      (problem) throws(BlurError) in
      plans.add(1, ordering: .relaxed)
      return try separable.plan(problem)
    }
    let prepared = try Self.prepared(Self.item("counted", pace), kernel)
    let before = plans.load(ordering: .relaxed)
    for _ in 0..<5 { prepared.iterate() }
    let isSingle = pace == .once || pace == .onceCold
    #expect(plans.load(ordering: .relaxed) - before == (isSingle ? 5 : 0))
    #expect(prepared.violation == nil)
  }

  @Test("Single calls of our kernels give the verified result", arguments: ["pyramid", "simd", "naive"])
  func results(name: String) throws {
    for pace in [Pace.once, .onceCold] {
      for threads in [1, 2] {
        let item = try Self.item(name, pace, threads: threads)
        let prepared = try Self.prepared(item, Registry.kernel(named: name))
        for _ in 0..<3 {
          prepared.evict()
          prepared.iterate()
        }
        prepared.inspect(after: 0.001)
        #expect(prepared.violation == nil, "\(pace.rawValue), \(threads) threads")
      }
    }
  }

  @Test("A job of single calls is measured, with our kernels and with others", arguments: ["steady", "simd"])
  func records(name: String) throws {
    for pace in [Pace.once, .onceCold] {
      var job = try Fixture.job(name)
      job.workload.pace = pace
      job.cases = job.cases.map { Case(kernel: $0.kernel, isa: $0.isa, workload: job.workload) }
      let machine = FakeMachine()
      machine.tick = 0.0005
      let runner = Runner(machine.sampler, Fixture.options, kernels: Fixture.kernels + Registry.all)
      var records: [Record] = []
      try runner.run([job], done: []) { records += $0 }
      #expect(records.contains { $0.name.contains("kernel=\(name)/") })
      for record in records { #expect(record.isMeasured, "\(record.name): \(record.errorMessage)") }
    }
  }

  @Test("A kernel whose single calls give different results is found out")
  func drifting() throws {
    let prepared = try Self.prepared(Self.item("drifting", .once), Kernel(Drifting()))
    prepared.iterate()
    #expect(prepared.violation?.contains("the output changed") == true)
  }

  @Test("Before a first call, the plans of earlier calls are freed")
  func first() throws {
    let item = try Self.item("pyramid", .onceCold)
    let prepared = try Self.prepared(item, Registry.kernel(named: "pyramid"))
    let parameters = try item.workload.parameters(isa: .best)
    weak let kept = try BorrowedPlan(for: item.workload.layout, parameters).plan
    prepared.evict()
    #expect(kept == nil)
  }
}
