import Blur
import CBlurVectors

/// Answers the requests that `blurbench` sends to a target. The target blurs with the kernels of its own
/// program, on its own machine.
public final class TargetServer {
  /// The plans, indexed by their numbers. An element is nil after its plan was freed.
  private var plans: [ServedPlan?] = []

  /// Creates a server. It has no plans until a request makes one.
  public init() {}

  /// Returns the answer to a request. The request and the answer both come without the length that precedes
  /// them in the stream.
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

  /// Stores a plan and returns the number by which later requests refer to it. The number of a plan that was
  /// freed is used again.
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
  /// Answers requests on standard input and output until `blurbench` closes the stream. A request with an
  /// invalid length also ends the loop, because the start of the next request is then unknown.
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

  /// Reads the next `count` bytes, or returns nil if the stream ends before that.
  private static func read(_ count: Int) -> [UInt8]? {
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        // SAFETY: the buffer has space for `count` bytes, and at most `count - filled` of them are written
        // from `filled` on.
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
        // SAFETY: the buffer holds `bytes.count` bytes, and at most `bytes.count - done` of them are read
        // from `done` on.
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
