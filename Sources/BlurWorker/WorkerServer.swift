import Blur

/// Answers the requests that `blurbench` sends to a worker. The worker blurs with the kernels of its own
/// program, on its own machine.
public final class WorkerServer {
  /// The plans, indexed by their numbers. An element is nil after its plan was freed.
  private var plans: [ServedPlan?] = []

  /// Creates a server. It has no plans until a request makes one.
  public init() {}

  /// Returns the answer to a request. The request and the answer both come without the length that precedes
  /// them in the stream.
  public func answer(to request: [UInt8]) -> [UInt8] {
    var answer = MessageWriter()
    answer.add(AnswerStatus.done.rawValue)
    do throws(WorkerFailure) {
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

  private func serve(_ request: [UInt8], _ answer: inout MessageWriter) throws(WorkerFailure) {
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
    case nil: throw .failed("the request is of an unknown kind; the harness may be newer than this worker")
    }
  }

  private func sayHello(_ answer: inout MessageWriter) {
    answer.add(WorkerProtocol.name)
    answer.add(WorkerProtocol.version)
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
  ) throws(WorkerFailure) -> (number: Int, plan: ServedPlan) {
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
