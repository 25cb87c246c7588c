// Many images blurred at once, as in a server.
// In docs/Examples/Swift: swift run -c release server
//
// A blur holds its thread until it is done, so tasks blur as many images at a time as there are CPUs. Each
// takes a plan of the pool, which has no more of them than were ever needed at once.
import Blur
import Synchronization

/// Plans for images of one layout.
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

  /// Bytes of scratch of each plan.
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
