extension Kernel {
  /// A blur of variable sigma as an entry of a list of kernels, under its method's name: what verifies and
  /// measures kernels takes it like any other.
  ///
  /// - Parameters:
  ///   - method: how images of fixed sigma are made into one.
  ///   - shape: the mask of every image.
  public init(_ method: VariableMethod, _ shape: MaskShape = .linear) {
    self.init(
      name: method.rawValue, summary: method.summary, promise: method.promise,
      instructionSets: method == .twoPass ? [.baseline] : InstructionSet.allCases,
      planner: { (problem) throws(BlurError) in try VariableKernelPlan(method, shape, problem) })
  }

  /// Every method, as ``init(_:_:)`` lists it.
  public static let variable = VariableMethod.allCases.map { Kernel($0) }

  /// The same method with that mask; the kernel itself where there is none, or where it is no method.
  public func with(_ shape: MaskShape?) -> Kernel {
    guard let shape, let variableMethod else { return self }
    return Kernel(variableMethod, shape)
  }

  /// The method of that name; nil for kernels, whose sigma is the same everywhere.
  public var variableMethod: VariableMethod? { VariableMethod(rawValue: name) }
}

extension Registry {
  /// Every kernel, and every method of variable sigma.
  public static let all = kernels + Kernel.variable
}

extension VariableMethod {
  /// What holds for any image, sigma and mask.
  var promise: Promise {
    switch self {
    // In levels: mixing errs by less than 1, the blurs by 1 after rounding, and the mixture is rounded anew.
    case .levels: .approximation(levels: 3)
    case .layers, .crossFade, .twoPass: .nothing
    }
  }
}

/// A variable blur's plan, run as one piece: its blurs have threads of their own.
private final class VariableKernelPlan: Plan {
  let facts = PlanFacts(phases: [Phase(units: 1)])
  private let plan: VariableBlurPlan
  private let last = Lock<BlurError?>(nil)

  init(_ method: VariableMethod, _ shape: MaskShape, _ problem: BlurProblem) throws(BlurError) {
    func refusal(_ what: String) -> BlurError { .unsupported(kernel: method.rawValue, reason: what) }
    guard problem.sigma.x == problem.sigma.y else { throw refusal("a sigma for each axis, with a mask") }
    guard problem.region == problem.layout.bounds else { throw refusal("a region of the result") }
    let layout = problem.layout
    plan = try VariableBlurPlan(
      for: layout, sigma: problem.sigma.x, mask: shape.mask(width: layout.width, height: layout.height),
      edge: problem.edge, method: method, isa: problem.instructionSet, threads: problem.threads)
  }

  var failure: BlurError? { last.withLock { $0 } }

  func run(_ phase: Int, _ units: Range<Int>, _ buffers: PhaseContext) {
    var failure: BlurError?
    do throws(BlurError) { try plan.blur(buffers.source, into: buffers.destination) } catch {
      failure = error
    }
    last.withLock { $0 = failure }
  }
}
