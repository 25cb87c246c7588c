import Dispatch
import Synchronization
import Testing

@testable import Blur

@Suite("Plans that are kept for the next call")
struct BlurPlanCacheTests {
  static let parameters = BlurParameters(sigma: try! Sigma(3))

  static func layout(_ width: Int, _ height: Int = 40, stride: Int? = nil) throws -> ImageLayout {
    try ImageLayout(.gray8, width: width, height: height, stride: stride)
  }

  static func cache() -> BlurPlanCache { BlurPlanCache(mostPlans: 16, mostBytes: .max) }

  /// Returns the image blurred with a plan that is made for this blur alone.
  static func blurredAlone(_ image: Image, sigma: Double, _ edge: EdgeMode, threads: Int) throws -> Image {
    let plan = try BlurPlan(for: image.layout, sigma: sigma, edge: edge, threads: threads)
    var result = try Image(image.layout)
    try plan.blur(image, into: &result)
    return result
  }

  @Test("Calls give the same bits as plans of their own, in any order and from many threads")
  func sameBits() throws {
    let edges: [EdgeMode] = [.clamp, .wrap, .constant(SIMD4(200, 10, 10, 10))]
    let problems = [(50, 2.0, 1), (50, 9, 1), (51, 9, 2), (300, 9, 1), (50, 0, 1)].flatMap { problem in
      edges.map { (width: problem.0, sigma: problem.1, threads: problem.2, edge: $0) }
    }
    let images = try problems.map { try Image.noise(Self.layout($0.width)) }
    let expected = try zip(problems, images).map { problem, image in
      try Self.blurredAlone(image, sigma: problem.sigma, problem.edge, threads: problem.threads).bytes
    }
    let wrong = Mutex<[Int]>([])
    DispatchQueue.concurrentPerform(iterations: 20 * problems.count) { call in
      let number = (call * 7) % problems.count
      let (problem, image) = (problems[number], images[number])
      let result = try? image.blurred(sigma: problem.sigma, edge: problem.edge, threads: problem.threads)
      if result?.bytes != expected[number] { wrong.withLock { $0.append(number) } }
    }
    #expect(wrong.withLock { $0 } == [])
  }

  @Test("A result with padding between its rows holds no old bytes there")
  func padding() throws {
    let layout = try Self.layout(50, stride: 64)
    for _ in 0..<3 {
      let result = try Image.noise(layout).blurred(sigma: 2)
      for y in 0..<layout.height - 1 {
        #expect(result.bytes[y * 64 + 50..<(y + 1) * 64].allSatisfy { $0 == 0 })
      }
    }
  }

  @Test("A plan is used again for the same problem only")
  func problems() throws {
    let whole = try Self.layout(60)
    func parameters(_ change: (inout BlurParameters) throws -> Void) rethrows -> BlurParameters {
      var parameters = Self.parameters
      try change(&parameters)
      return parameters
    }
    typealias Problem = (ImageLayout, BlurParameters, Kernel?, ErrorBound, Int)
    let problems: [Problem] = [
      (whole, Self.parameters, nil, .levels(1), 1),
      (try Self.layout(61), Self.parameters, nil, .levels(1), 1),
      (try Self.layout(60, 41), Self.parameters, nil, .levels(1), 1),
      (try Self.layout(60, stride: 64), Self.parameters, nil, .levels(1), 1),
      (try ImageLayout(.rgba8, width: 60, height: 40), Self.parameters, nil, .levels(1), 1),
      (whole, try parameters { $0.sigma = try Sigma(x: 3, y: 4) }, nil, .levels(1), 1),
      (whole, try parameters { $0.sigma = try Sigma(x: 4, y: 3) }, nil, .levels(1), 1),
      (whole, parameters { $0.edge = .wrap }, nil, .levels(1), 1),
      (whole, parameters { $0.edge = .transparent }, nil, .levels(1), 1),
      (whole, parameters { $0.edge = .constant(SIMD4(-0.0, 0, 0, 0)) }, nil, .levels(1), 1),
      (whole, parameters { $0.edge = .constant(SIMD4(0, 0, 0, 1)) }, nil, .levels(1), 1),
      (whole, parameters { $0.region = Region(x: 1, y: 2, width: 30, height: 20) }, nil, .levels(1), 1),
      (whole, parameters { $0.region = whole.bounds }, nil, .levels(1), 1),
      (whole, parameters { $0.thresholds.levels = 1 }, nil, .levels(1), 1),
      (whole, Self.parameters, nil, .levels(2), 1),
      (whole, Self.parameters, nil, .levels(1), 2),
      (whole, Self.parameters, try Registry.kernel(named: "separable"), .levels(1), 1),
      (whole, Self.parameters, try Registry.kernel(named: "pyramid"), .levels(1), 1),
    ]
    for (i, a) in problems.enumerated() {
      for (j, b) in problems.enumerated() {
        let cache = Self.cache()
        let first = try BorrowedPlan(
          for: a.0, a.1, kernel: a.2, accuracy: a.3, threads: a.4, from: cache
        ).plan
        #expect(cache.size.plans == 1)
        let second = try BorrowedPlan(
          for: b.0, b.1, kernel: b.2, accuracy: b.3, threads: b.4, from: cache
        ).plan
        #expect((first === second) == (i == j), "problems \(i) and \(j)")
      }
    }
  }

  @Test("A plan that is in use is not in the cache, so another call gets its own plan")
  func inUse() throws {
    let cache = Self.cache()
    let layout = try Self.layout(60)
    var first: BorrowedPlan? = try BorrowedPlan(for: layout, Self.parameters, from: cache)
    let second = try BorrowedPlan(for: layout, Self.parameters, from: cache)
    #expect(first?.plan !== second.plan && cache.size.plans == 0)
    let plan = first?.plan
    first = nil
    #expect(cache.size.plans == 1)
    let third = try BorrowedPlan(for: layout, Self.parameters, from: cache)
    #expect(third.plan === plan && third.plan !== second.plan)
  }

  @Test("No two calls have the same plan at the same time")
  func exclusive() throws {
    let cache = BlurPlanCache(mostPlans: 2, mostBytes: .max)
    let layouts = try (0..<3).map { try Self.layout(20 + $0) }
    let used = Mutex<[ObjectIdentifier: Int]>([:])
    let shared = Atomic(0)
    DispatchQueue.concurrentPerform(iterations: 300) { call in
      guard let borrowed = try? BorrowedPlan(for: layouts[call % 3], Self.parameters, from: cache) else {
        shared.add(1, ordering: .relaxed)
        return
      }
      let plan = ObjectIdentifier(borrowed.plan)
      let users = used.withLock { users in
        users[plan, default: 0] += 1
        return users[plan, default: 0]
      }
      if users != 1 || borrowed.plan.layout != layouts[call % 3] { shared.add(1, ordering: .relaxed) }
      used.withLock { $0[plan, default: 0] -= 1 }
      withExtendedLifetime(borrowed) {}
    }
    #expect(shared.load(ordering: .relaxed) == 0)
    #expect(cache.size.plans <= 2)
  }

  @Test("The cache keeps the plans that were used last, and no more plans and bytes than it may")
  func bounded() throws {
    func borrow(_ width: Int, _ cache: BlurPlanCache) throws -> BlurPlan {
      try BorrowedPlan(for: Self.layout(width), Self.parameters, from: cache).plan
    }
    let few = BlurPlanCache(mostPlans: 3, mostBytes: .max)
    let plans = try (1...5).map { try borrow($0, few) }
    #expect(few.size.plans == 3 && few.size.scratchBytes == plans[2...].reduce(0) { $0 + $1.scratchBytes })
    #expect(try borrow(3, few) === plans[2])
    // Plan 3 is now the one that was used last, so a new plan takes the place of plan 4.
    _ = try borrow(6, few)
    #expect(try borrow(3, few) === plans[2] && borrow(5, few) === plans[4])
    #expect(try borrow(4, few) !== plans[3])

    let bytes = plans[0].scratchBytes
    let small = BlurPlanCache(mostPlans: 16, mostBytes: 2 * bytes)
    for width in 1...40 {
      _ = try borrow(width, small)
      #expect(small.size.scratchBytes <= 2 * bytes)
    }
    let last = try borrow(1, small)
    let large = try borrow(5000, small)
    #expect(large.scratchBytes > 2 * bytes && small.size.scratchBytes <= 2 * bytes)
    #expect(try borrow(5000, small) !== large)
    // A plan that is too large to be kept does not take the place of a smaller one.
    #expect(try borrow(1, small) === last)
  }

  @Test("Clearing frees all plans, except those in use, which stay valid")
  func cleared() throws {
    let cache = Self.cache()
    let image = try Image.noise(Self.layout(60))
    weak var kept: BlurPlan?
    kept = try BorrowedPlan(for: image.layout, Self.parameters, from: cache).plan
    #expect(kept != nil && cache.size.plans == 1)
    let inUse = try BorrowedPlan(for: Self.layout(61), Self.parameters, from: cache)
    cache.removeAll()
    #expect(kept == nil && cache.size.plans == 0 && cache.size.scratchBytes == 0)
    let other = try Image.noise(Self.layout(61))
    var result = try Image(other.layout)
    try other.withViews(into: &result) { try inUse.blur($0, into: $1) }
    #expect(try result.bytes == Self.blurredAlone(other, sigma: 3, .clamp, threads: 1).bytes)
  }

  @Test("A plan that cannot be made gives the same error again, and leaves nothing in the cache")
  func failing() throws {
    let cache = Self.cache()
    for _ in 0..<2 {
      #expect(throws: BlurError.self) {
        try BorrowedPlan(for: Self.layout(60), Self.parameters, threads: 0, from: cache)
      }
    }
    #expect(cache.size.plans == 0)
  }

  @Test("New measured times are used by the next call")
  func measured() throws {
    let layout = try Self.layout(67, 43)
    #expect(try BorrowedPlan(for: layout, Self.parameters).plan.kernel.name != "separable")
    MeasuredTimes.shared.record(
      [KernelTime(kernel: "separable", instructionSet: .baseline, nanoseconds: 1)],
      of: MeasuredProblem(layout, sigma: Self.parameters.sigma, edge: .clamp, threads: 1))
    #expect(try BorrowedPlan(for: layout, Self.parameters).plan.kernel.name == "separable")
  }
}
