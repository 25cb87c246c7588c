import Blur
import CLinux
import Foundation

/// A part of the property `cost`: the check that planning takes little time.
///
/// Kernels do not count the operations of planning, so the CPU time of the calling thread is measured. Noise
/// can only make such a time longer, so the shortest of several times is used. The limit is a multiple of the
/// shortest time of a blur in the same process, because the load of the machine and the compiler's settings
/// affect both times alike.
extension KernelUnderTest {
  /// Checks that making a plan takes no longer than a few blurs. If the library itself would choose this
  /// kernel, the time for choosing it is included, and the limit is 20, 6 or 2 blurs, depending on the size
  /// of the image. The limit is ten times as high for kernels that the library would not choose. It is also
  /// ten times as high with mirrored edges, because kernels then compute the weights of small images pixel by
  /// pixel.
  ///
  /// - Returns: Whether planning was checked. It is checked with clamped and mirrored edges, up to sigma 40,
  ///   and with the widest instruction set. It is not checked in a build with a sanitizer, which slows
  ///   allocations down. Such a build is recognised because allocations cannot be counted.
  func expectQuickPlanning() throws -> Bool {
    guard max(sigma.x, sigma.y) <= 40, [.clamp, .mirror].contains(subject.edge), allocations_held() >= 0,
      isWidest
    else { return false }
    // The time that it takes to blur the previous, smaller image. Blurring the next, larger image takes at
    // least as long. If planning for the larger image is quick enough even compared with this time, the
    // larger image is not blurred, which saves much time with slow kernels.
    var smaller = 0.0
    for (side, blurs) in [(32, 20.0), (128, 6.0), (512, 2.0)] {
      smaller = max(smaller, try expectQuickPlanning(layout(side, side), blurs, smaller))
    }
    return true
  }

  /// Checks planning for one layout. Returns the time of a blur in nanoseconds, or 0 if no blur was timed.
  ///
  /// - Parameters:
  ///   - blurs: The time limit for planning, as a multiple of the time of a blur. Kernels that the library
  ///     would not choose, and mirrored edges, may take ten times as long.
  ///   - smaller: The time of a blur of a smaller image in nanoseconds.
  private func expectQuickPlanning(
    _ layout: ImageLayout, _ blurs: Double, _ smaller: Double
  ) throws -> Double {
    let alwaysQuick = isOwnEntry ? Self.quickForOurs : Self.quickForOthers
    var (planning, blurring, attempts, spent) = (Double.infinity, Double.infinity, 0, 0.0)
    // All plans use the same scratch memory, so only the first one has to wait until the system provides the
    // pages.
    let scratch = SharedScratch()
    while true {
      let (plan, time, isChosen) = try timedPlan(layout, scratch)
      let most = isChosen && subject.edge == .clamp ? blurs : 10 * blurs
      planning = min(planning, time)
      if planning <= max(alwaysQuick, most * smaller) { return 0 }
      let blur = try nanosecondsOfBlur(plan)
      blurring = min(blurring, blur)
      if planning <= most * blurring { return blurring }
      attempts += 1
      spent += time + blur
      // Long measurements are repeated only once, because noise changes them little. They are repeated at all
      // because the first plan of a plug-in may take much longer than later ones, for example to load a
      // library.
      guard attempts == 10 || (attempts > 1 && spent > 50_000_000) else { continue }
      throw Violation(
        "\(layout.width)x\(layout.height): planning takes as long as "
          + "\((planning / blurring).threeDigits) blurs; allowed: at most \(Int(most))")
    }
  }

  /// The time in nanoseconds up to which planning is always considered quick enough. Plug-ins get more time,
  /// because some of them compile code or call another process.
  private static let quickForOurs = 10_000.0, quickForOthers = 20_000_000.0

  /// Whether the kernel is one of the library's own kernels, and not a modified kernel with the same name.
  private var isOwnEntry: Bool { Registry.kernels.contains { $0 === kernel } }

  /// Makes a plan. Returns the plan, the CPU time in nanoseconds for making it, and whether this time
  /// includes the time for choosing the kernel.
  private func timedPlan(
    _ layout: ImageLayout, _ scratch: SharedScratch
  ) throws -> (plan: BlurPlan, nanoseconds: Double, isChosen: Bool) {
    if isOwnEntry, let bound = kernel.promise.bound(for: format) {
      let start = Self.threadNanoseconds
      let plan = try BlurPlan(
        for: layout, parameters(), accuracy: .levels(bound), chooser: Chooser(), scratch: scratch)
      let time = Self.threadNanoseconds - start
      if plan.kernel === kernel { return (plan, time, true) }
    }
    let start = Self.threadNanoseconds
    let plan = try BlurPlan(kernel, for: layout, parameters(), scratch: scratch)
    return (plan, Self.threadNanoseconds - start, false)
  }

  /// Blurs an image twice with a plan, and returns the CPU time of the second blur in nanoseconds. The first
  /// blur is not timed, because it still has to load the images and the plan's memory into the caches.
  private func nanosecondsOfBlur(_ plan: BlurPlan) throws -> Double {
    let source = try image(.noise, plan.layout.width, plan.layout.height)
    var target = try Image(plan.layout)
    try plan.blur(source, into: &target)
    let start = Self.threadNanoseconds
    try plan.blur(source, into: &target)
    return Self.threadNanoseconds - start
  }

  /// The CPU time of the calling thread in nanoseconds.
  private static var threadNanoseconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }
}
