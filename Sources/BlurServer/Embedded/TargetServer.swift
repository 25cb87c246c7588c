import Blur
import CBlurVectors

/// Answers the requests that `blurbench` sends to a target. The target runs the kernels of its own program on
/// its own machine.
public final class TargetServer {
  /// The plans that requests have made. A request refers to a plan by its index in this array. When a plan is
  /// freed, its element becomes nil, so that the indices of the other plans do not change.
  private var plans: [ServedPlan?] = []

  /// Creates a server. It has no plans until a request makes one.
  public init() {}

  /// Returns the answer to a request. Neither the request nor the answer includes the length that precedes
  /// each message in the stream.
  public func answer(to request: [UInt8]) -> [UInt8] {
    var answer = MessageWriter()
    answer.add(AnswerStatus.done.rawValue)
    do throws(ServedFailure) {
      try serve(request, &answer)
      return answer.bytes
    } catch {
      var answer = MessageWriter()
      switch error {
      case .refused: answer.add(AnswerStatus.refused.rawValue)
      case .failed: answer.add(AnswerStatus.failed.rawValue)
      }
      answer.add(error.text)
      return answer.bytes
    }
  }

  private func serve(_ request: [UInt8], _ answer: inout MessageWriter) throws(ServedFailure) {
    var message = MessageReader(request)
    let kind: RequestKind?
    do throws(WireError) { kind = RequestKind(rawValue: try message.bits()) } catch {
      throw .failed(error.description)
    }
    switch kind {
    case .hello: sayHello(&answer)
    case .plan:
      let plan = try ServedPlan(PlanRequest(from: &message))
      answer.add(keep(plan))
      plan.describe(to: &answer)
    case .blur: try plan(&message).plan.blur(&message, &answer)
    case .forget: plans[try plan(&message).number] = nil
    case nil: throw .failed("the request is of an unknown kind; blurbench may be newer than this blur-worker")
    }
  }

  private func sayHello(_ answer: inout MessageWriter) {
    answer.add(TargetProtocol.name)
    answer.add(TargetProtocol.version)
    answer.add(Self.machine)
    answer.add(Registry.kernels.count)
    for kernel in Registry.kernels { ServedKernel(kernel).write(to: &answer) }
  }

  private static var machine: String {
    #if arch(arm64)
      "aarch64"
    #elseif arch(wasm32)
      "wasm32"
    #elseif arch(x86_64)
      "x86-64"
    #else
      "another machine"
    #endif
  }

  /// Stores a plan and returns the number that identifies it in later requests. The numbers of freed plans
  /// are reused.
  private func keep(_ plan: ServedPlan) -> Int {
    for number in plans.indices where plans[number] == nil {
      plans[number] = plan
      return number
    }
    plans.append(plan)
    return plans.count - 1
  }

  private func plan(
    _ message: inout MessageReader
  ) throws(ServedFailure) -> (number: Int, plan: ServedPlan) {
    do throws(WireError) {
      let number = try message.number()
      guard plans.indices.contains(number), let plan = plans[number] else {
        throw WireError("there is no plan with the number \(number)")
      }
      return (number, plan)
    } catch {
      throw .failed(error.description)
    }
  }
}

extension TargetServer {
  /// Answers requests on standard input and output until `blurbench` closes the stream. This function also
  /// returns after a request with an invalid length, because the start of the next request is then unknown.
  public func serve() {
    while let request = Self.nextRequest() {
      let answer = self.answer(to: request)
      var length = MessageWriter()
      length.add(answer.count)
      guard Self.write(length.bytes), Self.write(answer) else { return }
    }
  }

  private static func nextRequest() -> [UInt8]? {
    guard let head = read(8) else { return nil }
    var reader = MessageReader(head)
    guard let count = try? reader.number(), (0...TargetProtocol.mostBytes).contains(count) else { return nil }
    return read(count)
  }

  /// Reads the next `count` bytes, or returns nil if the stream ends too early.
  private static func read(_ count: Int) -> [UInt8]? {
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        // SAFETY: the buffer has space for `count` bytes. At most `count - filled` bytes are written,
        // starting at index `filled`, so the last one is still inside the buffer.
        let more = blur_stream_read(buffer.start + filled, count - filled)
        guard more > 0 else { return }
        filled += Int(more)
      }
    }
    return bytes.count == count ? bytes : nil
  }

  private static func write(_ bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBytes { bytes in
      var done = 0
      while done < bytes.count {
        // SAFETY: the buffer holds `bytes.count` bytes. At most `bytes.count - done` bytes are read, starting
        // at index `done`, so the last one is still inside the buffer.
        let more = blur_stream_write(bytes.start + done, bytes.count - done)
        guard more > 0 else { return false }
        done += Int(more)
      }
      return true
    }
  }
}

/// Answers requests on standard input and output, like ``TargetServer/serve()``. C programs call this
/// function by the name `blur_worker_serve`.
@_cdecl("blur_worker_serve")
public func blurWorkerServe() { TargetServer().serve() }

/// A plan that the target has made for a request, and that later requests can use. Its blurs surround the
/// images with guard bytes, so that a write outside an image is detected.
private final class ServedPlan {
  private let plan: BlurPlan
  private let facts: PlanFacts

  init(_ request: PlanRequest) throws(ServedFailure) {
    do throws(BlurError) {
      let kernel = try Registry.kernel(named: request.kernel)
      let problem = request.problem
      let plain = try kernel.plan(problem)
      let checked: any Plan = request.isTimed ? plain : PoisonedScratchPlan(plain, of: kernel)
      facts = plain.facts
      let parameters = BlurParameters(
        sigma: problem.sigma, edge: problem.edge, region: problem.region,
        instructionSet: problem.instructionSet)
      // If the blur is only checked and not timed, all threads must work even on small images. Otherwise, the
      // code for several threads would not be checked.
      plan = try BlurPlan(
        checked, kernel, nil, for: problem.layout, parameters, threads: problem.threads,
        sharing: request.isTimed ? .ifFaster : .always)
    } catch {
      throw ServedFailure(error)
    }
  }

  /// Adds facts about the plan to a message for the program that requested the plan.
  func describe(to message: inout MessageWriter) {
    message.add(plan.reads)
    message.add(facts.isSameByRegion)
    message.add(facts.arithmetic ?? "")
    message.add(facts.blockColumns)
    message.add(facts.blockRows)
    message.add(facts.halvings)
  }

  /// Blurs the pixels in the request `message` and adds the time and the result to `answer`.
  ///
  /// - Throws: ``ServedFailure/failed(_:)`` if the request is invalid, or if the kernel fails or writes
  ///   outside the result.
  func blur(_ message: inout MessageReader, _ answer: inout MessageWriter) throws(ServedFailure) {
    do throws(WireError) {
      let turns = try message.number()
      guard turns > 0 else {
        throw WireError("the request asks for \(turns) blurs, but must ask for at least 1")
      }
      let format = plan.layout.format
      let source = try Self.image(format, plan.reads, &message)
      let target = try Self.image(format, plan.region, &message)
      try message.pixels(into: source.view)
      let time = try timed(turns, source.view.readOnly, target.view)
      if let place = target.damage { throw WireError("it writes outside the result, \(place)") }
      if source.damage != nil { throw WireError("it writes to the bytes around the source image") }
      answer.add(time)
      withExtendedLifetime(target) { answer.add(pixels: target.view.readOnly) }
    } catch {
      throw .failed(error.description)
    }
  }

  /// Allocates memory for an image with the width and height of the region `size`, and for guard bytes around
  /// the image. Reads two numbers from the request `message`: the stride of the image, and the number of
  /// bytes from an aligned address to the first pixel.
  private static func image(
    _ format: PixelFormat, _ size: Region, _ message: inout MessageReader
  ) throws(WireError) -> GuardedImage {
    let (stride, shift) = (try message.number(), try message.number())
    guard (0..<TargetProtocol.alignment).contains(shift) else {
      throw WireError(
        "the pixels begin \(shift) bytes after an aligned address; this must be from 0 to 63 bytes")
    }
    do throws(BlurError) {
      let layout = try ImageLayout(format, width: size.width, height: size.height, stride: stride)
      return try GuardedImage(layout, shift: shift)
    } catch {
      throw WireError(error.description)
    }
  }

  /// Blurs the image `turns` times and returns the total time in nanoseconds.
  private func timed(
    _ turns: Int, _ source: ImageView, _ target: MutableImageView
  ) throws(WireError) -> UInt64 {
    let start = blur_nanoseconds()
    do throws(BlurError) { for _ in 0..<turns { try plan.blur(tile: source, into: target) } } catch {
      throw WireError(ServedFailure(error).text)
    }
    return blur_nanoseconds() - start
  }
}

/// Wraps the plan of a kernel. The wrapper fills the scratch memory with garbage before each call, and
/// reports a failure if the kernel writes beyond its scratch memory. The garbage changes the result of a
/// kernel that relies on zeros in the scratch memory, or on values from an earlier call.
private final class PoisonedScratchPlan: Plan {
  let facts: PlanFacts
  private let plan: any Plan
  private let kernel: String
  private let scratchBytes: Int

  private static let guardBytes = 64
  private static let garbage: UInt8 = 0x7F

  init(_ plan: any Plan, of kernel: Kernel) {
    self.plan = plan
    self.kernel = kernel.name
    scratchBytes = plan.facts.scratchBytes
    var facts = plan.facts
    facts.scratchBytes += Self.guardBytes
    self.facts = facts
  }

  func run(_ phase: Int, _ units: Range<Int>, _ buffers: PhaseContext) {
    // SAFETY: the executor provides at least `facts.scratchBytes` bytes of scratch memory, and the buffer has
    // exactly this size. The wrapped plan may use all but the last `guardBytes` bytes.
    let scratch = UnsafeMutableRawBufferPointer(start: buffers.scratch, count: facts.scratchBytes)
    scratch.initializeMemory(as: UInt8.self, repeating: Self.garbage)
    plan.run(phase, units, buffers)
    for place in scratchBytes..<scratch.count where scratch[place] != Self.garbage {
      buffers.fail(.failed(kernel: kernel, reason: "it writes outside its scratch memory"))
    }
  }
}
