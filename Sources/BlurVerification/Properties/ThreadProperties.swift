import Blur
import CLinux
import Synchronization

extension Property {
  /// Checks that the number of threads does not change the result.
  static let threads = Property(
    "threads", "any number of threads gives the same bits, even if some threads are delayed",
    // All instruction sets use the same code to divide the work among threads. The narrower instruction sets
    // are still checked at one sigma with clamped edges, because each of them has its own loops.
    scope: Scope(sigmas: [5, 0.7, 20], includesNarrowSets: { $0.sigma.x == 5 && $0.edge == .clamp })
  ) { test in
    try test.skipDefinition(ifSigmaAbove: 2.5)
    let counts = try test.threadCounts()
    for (width, height) in try test.dividedSizes() {
      // Two different images are blurred alternately. If a blur used values that are left over from the
      // previous image, its result would be wrong.
      let images = try [9, 10].map { try test.image(.noise, width, height, seed: $0) }
      let expected = try images.map { try test.blurred($0, threads: 1) }
      for threads in counts {
        let (plan, surroundings) = try test.hostilePlan(
          images[0].layout, threads: threads, delays: .long, spoilsScratch: threads == 2)
        var result = try Image(images[0].layout)
        for (image, expected) in zip(images, expected) {
          surroundings.spoilShared()
          try plan.blur(image, into: &result)
          try test.expectSame(result, expected, of: image, KernelUnderTest.words(threads, image.layout))
        }
      }
    }
    guard test.known.longSeries.begins(test.format.component) else { return nil }
    try test.holdThreads(counts)
    try test.searchForRaces(counts)
    return nil
  }
}

extension KernelUnderTest {
  /// The numbers of threads to check if the kernel supports any number.
  private static var usualCounts: [Int] { [2, 3, 7] }

  /// Returns the numbers of threads to check: 2, 3 and 7 for most kernels. If a kernel supports only some
  /// numbers of threads, the result is all supported numbers up to 7, and the highest supported number.
  ///
  /// - Throws: ``NotApplicable`` if the kernel supports only one thread.
  func threadCounts() throws -> [Int] {
    let layout = try layout(64, 64)
    let parameters = parameters()
    func supports(_ threads: Int) throws -> Bool {
      do {
        _ = try kernel.plan(parameters, for: layout, threads: threads)
        return true
      } catch BlurError.unsupported { return false }
    }
    _ = try kernel.plan(parameters, for: layout, threads: 1)
    let most = 64
    if try supports(most) { return Self.usualCounts }
    guard let highest = try (2..<most).last(where: supports) else {
      throw NotApplicable("kernel \(kernel.name) uses only one thread")
    }
    return try (2...7).filter { try $0 < highest && supports($0) } + [highest]
  }

  /// Blurs an image while a ``PhaseGate`` holds the threads, so that all of them are at work at the same time
  /// in each phase, however few CPUs there are. The ``PoisonedPlan`` reports a failure if two threads get the
  /// same scratch memory. Numbers of threads from 2 to 8 are tried, or the numbers in `counts` if the kernel
  /// limits the number of threads.
  fileprivate func holdThreads(_ counts: [Int]) throws {
    let counts = counts == Self.usualCounts ? Array(2...8) : counts
    let most = counts.max() ?? 1
    // The image is so high that the kernel divides its rows among all threads, if the kernel can use that
    // many.
    func used(_ height: Int) throws -> Int { try threadsInPhases(layout(37, height), most).max() ?? 1 }
    let highest = 2270
    let height = try [67, 283, 563, 1130].first { try used($0) == most } ?? highest
    guard try used(height) > 1 else { return }
    let image = try image(.noise, 37, height)
    let expected = try blurred(image, threads: 1)
    for threads in counts {
      let workers = try threadsInPhases(image.layout, threads)
      let started = workers.max() ?? 1
      let (plan, _) = try hostilePlan(image.layout, threads: threads, gate: PhaseGate(threads: workers))
      var result = try Image(image.layout)
      try image.withViews(into: &result) { source, target in
        try plan.blur(source, into: target) { PhaseGate.callOnThreads(started, $0) }
      }
      try expectSame(result, expected, of: image, Self.words(threads, image.layout))
    }
  }

  /// Blurs two images alternately, many times and with each of the given numbers of threads, and compares
  /// each result with the blur on one thread. During a quarter of the blurs, all threads share one CPU. In
  /// half of the blurs, the threads are woken up for each image. In the other half, they mostly stay awake
  /// between two images.
  fileprivate func searchForRaces(_ counts: [Int]) throws {
    let series = known.longSeries
    let images = try imagesForRaces()
    let expected = try images.map { try blurred($0, threads: 1) }
    var result = try Image(images[0].layout)
    let turns = series.blurs / (2 * counts.count) + 1
    let end = ContinuousClock.now + .seconds(min(series.seconds, 1e6))
    defer { Self.pin(toOne: false) }
    for (threads, sharing) in counts.flatMap({ [($0, ThreadSharing.ifAwake), ($0, .always)] }) {
      Self.pin(toOne: true)
      let (plan, _) = try hostilePlan(
        images[0].layout, threads: threads, delays: .short, spoilsScratch: false, sharing: sharing)
      for turn in 0..<turns where ContinuousClock.now < end {
        if turn == turns / 4 { Self.pin(toOne: false) }
        known.progresses()
        try plan.blur(images[turn % 2], into: &result)
        // From the third blur on, the plan has already blurred the same image correctly, so a wrong result is
        // due to a race.
        try expectSame(
          result, expected[turn % 2], of: images[turn % 2],
          cause: turn < 2 ? nil : VerificationSummary.race,
          "blur \(turn + 1), " + Self.words(threads, result.layout))
      }
    }
  }

  /// A lock that lets only one thread at a time choose the CPUs on which this process's threads run.
  private static let pinning = Mutex(())

  /// Pins all threads of this process to one CPU, or lets them run on all CPUs.
  private static func pin(toOne isOne: Bool) {
    pinning.withLock { _ in _ = affinity_set_all(isOne ? 0 : -1) }
  }

  /// Returns two images that are large enough for several threads to work on each of them at the same time.
  func imagesForRaces() throws -> [Image] {
    var height = 64
    while height < 4096 {
      let image = try TestImage.noise.image(layout(96, height), seed: 9)
      let plan = try plan(image.layout, threads: 1)
      var result = try Image(image.layout)
      try plan.blur(image, into: &result)
      let start = ContinuousClock.now
      try plan.blur(image, into: &result)
      if ContinuousClock.now - start > .microseconds(100) { break }
      height *= 2
    }
    return try [9, 10].map { try image(.noise, 96, height, seed: $0) }
  }

  fileprivate static func words(_ threads: Int, _ layout: ImageLayout) -> String {
    "result on \(threads) threads compared with one thread, size \(layout.width)x\(layout.height)"
  }

  /// Returns the sizes of the images that are blurred on several threads. With clamped edges and a sigma from
  /// 2.5 to 10, one image is so large that every kernel divides it into several blocks of rows, and some more
  /// images end near a boundary between two blocks.
  fileprivate func dividedSizes() throws -> [(Int, Int)] {
    let sizes = [(37, 29), (5, 83), (83, 2)]
    let isClamped = subject.edge == .clamp
    if sigma.x > 10 {
      // At large sigmas, only one image is checked, and only with clamped edges. The image is so large that a
      // pyramid kernel computes several coarser versions of it, in which neighbouring blocks of rows overlap.
      guard isClamped else { throw NotApplicable("at large sigmas, only clamped edges are checked") }
      return [(67, 283)]
    }
    guard isClamped, sigma.x >= 2.5, !kernel.isDefinition else { return sizes }
    return try sizes + [(141, 563)] + blockSizes()
  }
}
