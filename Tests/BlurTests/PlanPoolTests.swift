import Synchronization
import Testing

@testable import Blur

@Suite("A pool of plans")
struct PlanPoolTests {
  /// A plan with three phases, which copies the image in the last one. In its first blur, the first phase
  /// cancels the current task.
  private final class CancellingPlan: Plan {
    let facts = PlanFacts(phases: [Phase(units: 1), Phase(units: 1), Phase(units: 1)])
    let began = Mutex<[Int]>([])

    func run(_ phase: Int, _ units: Range<Int>, _ buffers: PhaseContext) {
      let count = began.withLock { began in
        began.append(phase)
        return began.count
      }
      if count == 1 { withUnsafeCurrentTask { $0?.cancel() } }
      if phase == 2 { buffers.destination.copyPixels(of: buffers.source) }
    }
  }

  private static func image() throws -> Image {
    var image = try Image(.gray8, width: 40, height: 30)
    image.withMutableRow(15, as: UInt8.self) { row in
      for x in row.indices { row[x] = UInt8(6 * x) }
    }
    return image
  }

  @Test("A cancelled task leaves out the phases that have not begun")
  func cancellation() async throws {
    let image = try Self.image()
    let plan = CancellingPlan()
    let kernel = Kernel(name: "cancelling", summary: "cancels its task", promise: .nothing) { _ in plan }
    let pool = PlanPool(try BlurPlan(kernel, for: image.layout, BlurParameters(sigma: Sigma(2))))
    let task = Task { try await pool.blurred(image) }
    await #expect(throws: CancellationError.self) { _ = try await task.value }
    #expect(plan.began.withLock { $0 } == [0])
    // The plan is back in the pool, and a blur without a task runs all phases.
    var result = try Image(image.layout)
    try pool.withPlan { try $0.blur(image, into: &result) }
    #expect(plan.began.withLock { $0 } == [0, 0, 1, 2] && result == image && pool.planCount == 1)
  }

  @Test("A task that is cancelled already does not blur")
  func cancelledBefore() async throws {
    let image = try Self.image()
    let pool = try PlanPool(for: image.layout, BlurParameters(sigma: Sigma(2)))
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await pool.blurred(image)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test("All plans of a pool run the same kernel, and there are only as many as are borrowed at a time")
  func plans() async throws {
    let image = try Self.image()
    let parameters = BlurParameters(
      sigma: try Sigma(2), edge: .mirror, region: Region(x: 3, y: 10, width: 20, height: 9))
    let pool = try PlanPool(for: image.layout, parameters)
    let expected = try image.blurred(sigma: 2, region: parameters.region, edge: .mirror)
    #expect(try await pool.blurred(image) == expected && pool.planCount == 1)
    try pool.withPlan { first in
      try pool.withPlan { second in
        #expect(first !== second && first.kernel.name == second.kernel.name && pool.planCount == 2)
        var result = try Image(expected.layout)
        try second.blur(image, into: &result)
        #expect(result == expected)
      }
    }
    try pool.withPlan { _ in #expect(pool.planCount == 2) }
    let other = try Image(.gray8, width: 41, height: 30)
    await #expect(throws: BlurError.self) { try await pool.blurred(other) }
  }
}
