// Blurs the frames of a video with one plan.
//
// In docs/Examples/Swift: swift run -c release video [THREADS]
//
// Prints how long the frames took, and how many times the program allocated memory while it blurred them
// (always 0).
import AllocationCount
import Blur

let threads = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 1
let layout = try ImageLayout(.rgba8, width: 1280, height: 720)
let plan = try BlurPlan(for: layout, sigma: 12, threads: threads)
var frame = try Image(layout)
var result = try Image(layout)
var times = [Duration](repeating: .zero, count: 300)

/// Draws frame `number` of the video: an opaque bar that moves to the right.
func draw(_ number: Int, into frame: inout Image) {
  for y in 0..<layout.height {
    frame.withMutableRow(y, as: UInt8.self) { row in
      for x in 0..<layout.width {
        let isInside = (x - 8 * number) & 511 < 200
        row[4 * x] = isInside ? 0xF0 : 0
        row[4 * x + 1] = isInside ? 0x80 : 0
        row[4 * x + 2] = isInside ? 0x40 : 0
        row[4 * x + 3] = 0xFF
      }
    }
  }
}

// The first frames are not timed, because the operating system is still creating the threads.
for number in 0..<60 {
  draw(number, into: &frame)
  try plan.blur(frame, into: &result)
}
let clock = ContinuousClock()
var allocations = 0
for number in times.indices {
  draw(number, into: &frame)
  let before = allocation_count()
  let start = clock.now
  try plan.blur(frame, into: &result)
  times[number] = clock.now - start
  allocations += allocation_count() - before
}

times.sort()
let counted = allocation_count() < 0 ? "not counted here" : "\(allocations)"
print("\(times.count) frames of \(layout.width)x\(layout.height) by \(plan.kernel.name), \(threads) threads")
print("p50 \(times[times.count / 2]), p99 \(times[times.count * 99 / 100]), worst \(times.last!)")
print("allocations: \(counted)")
