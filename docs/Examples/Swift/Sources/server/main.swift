// Blurs many images at the same time, as a server does.
//
// In docs/Examples/Swift: swift run -c release server
//
// Swift runs tasks on as many threads as there are CPUs, so that is how many images are blurred at a time.
// Each blur borrows a plan from a pool. The pool makes a new plan only if all others are in use.
import Blur

let image = try Image(.rgba8, width: 1920, height: 1080)
let pool = try PlanPool(for: image.layout, BlurParameters(sigma: Sigma(12)))
let start = ContinuousClock.now
try await withThrowingTaskGroup(of: Void.self) { tasks in
  for _ in 0..<100 { tasks.addTask { _ = try await pool.blurred(image) } }
  try await tasks.waitForAll()
}
print("100 images in \(ContinuousClock.now - start)")
print("plans: \(pool.planCount), scratch of each: \(try pool.withPlan { $0.scratchBytes }) bytes")
