extension Kernel {
  /// Creates a kernel that blurs with a variable sigma by the given method. The kernel has the method's name,
  /// and can be listed, verified and measured like any other kernel.
  ///
  /// - Parameters:
  ///   - method: The method by which the blur is computed.
  ///   - shape: The shape of the mask that determines the sigma of each pixel. The mask is drawn for each
  ///     image size.
  package convenience init(_ method: VariableMethod, _ shape: MaskShape = .linear) {
    self.init(
      name: method.rawValue, summary: method.summary, promise: method.promise,
      instructionSets: method == .twoPass ? [.baseline] : InstructionSet.allCases,
      planner: { (problem) throws(BlurError) in try VariableKernelPlan(method, shape, problem) })
  }

  /// One kernel for each method of blurring with a variable sigma. All of them use the default mask.
  public static let variable = VariableMethod.allCases.map { Kernel($0) }

  /// Returns a kernel that uses the same method as this one, but a mask of the given shape. If `shape` is
  /// nil, or if this kernel does not blur with a variable sigma, returns the kernel itself.
  package func with(_ shape: MaskShape?) -> Kernel {
    guard let shape, let variableMethod else { return self }
    return Kernel(variableMethod, shape)
  }

  /// The method by which this kernel blurs with a variable sigma, or nil for a kernel whose sigma is the same
  /// everywhere.
  package var variableMethod: VariableMethod? { VariableMethod(rawValue: name) }
}

extension Registry {
  /// Every kernel of the library, including one kernel for each method of blurring with a variable sigma.
  public static let all = kernels + Kernel.variable
}

extension VariableMethod {
  /// The error bound that the method promises for any image, sigma and mask, if it promises one.
  var promise: Promise {
    switch self {
    // A level is 1/255 of full scale. The error of mixing two blurs is less than one level, the error of the
    // blurs themselves is at most one level, and rounding the mixture adds half a level. The sum is below
    // three levels.
    case .levels: .approximation(levels: 3)
    case .layers, .crossFade, .twoPass: .nothing
    }
  }
}

/// A plan that runs a blur with a variable sigma as a single unit of work. The executor does not divide the
/// work, because the blurs that are mixed start threads of their own.
private final class VariableKernelPlan: Plan {
  let facts = PlanFacts(phases: [Phase(units: 1)])
  private let plan: VariableBlurPlan
  private let sigma: Sigma

  init(_ method: VariableMethod, _ shape: MaskShape, _ problem: BlurProblem) throws(BlurError) {
    func unsupported(_ what: String) -> BlurError { .unsupported(kernel: method.rawValue, reason: what) }
    guard problem.sigma.x == problem.sigma.y else { throw unsupported("a different sigma for each axis") }
    guard problem.region == problem.layout.bounds else { throw unsupported("a region of the result") }
    let layout = problem.layout
    sigma = problem.sigma
    plan = try VariableBlurPlan(
      for: layout, sigma: problem.sigma.x, mask: shape.mask(width: layout.width, height: layout.height),
      edge: problem.edge, method: method, isa: problem.instructionSet, threads: problem.threads)
  }

  func run(_ phase: Int, _ units: Range<Int>, _ buffers: PhaseContext) {
    // The views still have the channel order and the kind of alpha of the user's images. The inner plan
    // expects the layout that kernels see, so it gets views of the same pixels with that layout.
    let (source, target) = (buffers.source, buffers.destination)
    do throws(BlurError) {
      try plan.blur(
        ImageView(source.unsafeBase, source.layout.forKernels(sigma)),
        into: MutableImageView(target.unsafeBase, target.layout.forKernels(sigma)))
    } catch {
      buffers.fail(error)
    }
  }
}
