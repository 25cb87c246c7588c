// Blurs many images at the same time, as a server does.
//
// In docs/Examples/Swift: swift run -c release server
//
// A blur occupies its thread until it is done, so the tasks blur as many images at a time as there are CPUs.
// Each task borrows a plan from a pool. The pool makes a new plan only if all others are in use.
import Blur
import Synchronization

/// A pool of plans for images of one layout.
final class PlanPool: Sendable {
  private let layout: ImageLayout, sigma: Double
  private let idle = Mutex<[BlurPlan]>([])

  init(_ layout: ImageLayout, sigma: Double) {
    self.layout = layout
    self.sigma = sigma
  }

  func blurred(_ image: Image) throws -> Image {
    let plan = try idle.withLock { $0.popLast() } ?? BlurPlan(for: layout, sigma: sigma)
    defer { idle.withLock { $0.append(plan) } }
    var result = try Image(layout)
    try plan.blur(image, into: &result)
    return result
  }

  /// The number of scratch bytes of each plan in the pool.
  var scratch: [Int] { idle.withLock { $0.map(\.scratchBytes) } }
}

let image = try Image(.rgba8, width: 1920, height: 1080)
let pool = PlanPool(image.layout, sigma: 12)
let start = ContinuousClock.now
try await withThrowingTaskGroup(of: Void.self) { tasks in
  for _ in 0..<100 { tasks.addTask { _ = try pool.blurred(image) } }
  try await tasks.waitForAll()
}
print("100 images in \(ContinuousClock.now - start)")
print("plans: \(pool.scratch.count), scratch of each: \(pool.scratch[0]) bytes")
