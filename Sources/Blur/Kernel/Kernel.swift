/// An entry in the list of kernels. It has the kernel's name, promise and other properties, and functions
/// that make plans and count the operations of a blur.
public final class Kernel: Sendable {
  /// The stable name of the kernel on the command line and in records.
  public let name: String
  /// A one-line description of the algorithm.
  public let summary: String
  /// The largest error that the kernel promises, if it makes such a promise.
  public let promise: Promise
  /// The instruction sets that the kernel has code for.
  public let instructionSets: [InstructionSet]
  /// Whether source and destination may be the same buffer.
  public let worksInPlace: Bool
  /// Whether the kernel computes the blur directly from its definition, without any optimisation. Such a
  /// kernel is very slow, so the automatic choice uses it only as a last resort.
  public let isDefinition: Bool

  /// A function that makes a plan for a problem.
  public typealias Planner = @Sendable (BlurProblem) throws(BlurError) -> any Plan

  /// Whether the kernel can compute a downscaled result directly. For all other kernels, the library averages
  /// pixels of the full-size result.
  package let downscales: Bool
  private let planner: Planner
  private let drafter: @Sendable (BlurProblem) -> PlanDraft
  /// The instruction sets that both the kernel and the CPU support, from wide to narrow.
  private let availableSets: [InstructionSet]

  /// Creates the list entry of a kernel. If sigma is 0, a plan of this entry copies the image, and the kernel
  /// is not used. If the kernel does not support downscaled results, its plans average pixels of the
  /// full-size result.
  package convenience init(_ kernel: some BlurKernel) {
    let planner: Planner = { (problem) throws(BlurError) in
      problem.sigma.isIdentity
        ? CopyPlan(problem, cost: kernel.cost(problem)) : try kernel.plan(problem)
    }
    self.init(
      name: kernel.name, summary: kernel.summary, promise: kernel.promise,
      instructionSets: kernel.instructionSets, worksInPlace: kernel.worksInPlace,
      isDefinition: kernel.isDefinition, downscales: kernel.downscales,
      drafter: {
        $0.sigma.isIdentity ? PlanDraft(cost: kernel.cost($0), plan: planner) : kernel.draft($0)
      }, planner: planner)
  }

  /// Creates a list entry from a function that makes plans, for example for the kernel of a plug-in. The
  /// entry cannot count the operations of a blur, so the time of the kernel cannot be estimated.
  public convenience init(
    name: String, summary: String, promise: Promise, instructionSets: [InstructionSet] = [.baseline],
    worksInPlace: Bool = false, isDefinition: Bool = false, planner: @escaping Planner
  ) {
    self.init(
      name: name, summary: summary, promise: promise, instructionSets: instructionSets,
      worksInPlace: worksInPlace, isDefinition: isDefinition, downscales: false,
      drafter: { _ in PlanDraft(cost: .unknown, plan: planner) }, planner: planner)
  }

  private init(
    name: String, summary: String, promise: Promise, instructionSets: [InstructionSet], worksInPlace: Bool,
    isDefinition: Bool, downscales: Bool, drafter: @escaping @Sendable (BlurProblem) -> PlanDraft,
    planner: @escaping Planner
  ) {
    self.name = name
    self.summary = summary
    self.promise = promise
    self.instructionSets = instructionSets
    self.worksInPlace = worksInPlace
    self.isDefinition = isDefinition
    self.downscales = downscales
    self.drafter = drafter
    self.planner = planner
    availableSets = instructionSets.filter { $0.isAvailable }.sorted(by: >)
  }

  /// Returns the operation counts of a blur, as reported by the kernel.
  package func cost(_ problem: BlurProblem) -> Cost { draft(problem).cost }

  /// Returns the cost of a blur, and a function that makes the plan.
  func draft(_ problem: BlurProblem) -> PlanDraft {
    isAveraged(problem) ? DownscaledPlan.draft(problem, drafter) : drafter(problem)
  }

  /// Returns whether the problem asks for a downscaled result that is computed by averaging pixels of the
  /// full-size result.
  private func isAveraged(_ problem: BlurProblem) -> Bool {
    problem.downscaled > 1 && (problem.sigma.isIdentity || !downscales)
  }

  /// Returns the widest instruction set that both the kernel and the CPU support and that `limit` allows.
  public func instructionSet(upTo limit: InstructionSet) -> InstructionSet {
    availableSets(upTo: limit).first ?? .baseline
  }

  /// Returns the instruction sets that both the kernel and the CPU support and that `limit` allows, from wide
  /// to narrow.
  package func availableSets(upTo limit: InstructionSet) -> ArraySlice<InstructionSet> {
    availableSets.drop { $0 > limit }
  }

  /// Returns the reason why the kernel rejects these parameters for this layout, or nil if it accepts them.
  public func planningError(
    of parameters: BlurParameters, for layout: ImageLayout, threads: Int = 1
  ) -> BlurError? {
    do throws(BlurError) {
      _ = try plan(parameters, for: layout, threads: threads)
      return nil
    } catch {
      return error
    }
  }

  /// Returns the problem that a plan has to solve if a user asks for `parameters`. The problem uses the
  /// widest instruction set that the kernel, the CPU and the parameters allow.
  ///
  /// - Throws: ``BlurError/invalidRegion(_:_:)`` or ``BlurError/invalidDownscaling(_:_:)``.
  package func problem(
    _ parameters: BlurParameters, for layout: ImageLayout, threads: Int
  ) throws(BlurError) -> BlurProblem {
    try parameters.check(layout)
    return problem(
      parameters, for: layout, instructionSet(upTo: parameters.instructionSet), threads: threads)
  }

  /// Returns the problem that a plan with the given instruction set has to solve.
  ///
  /// If the edge mode repeats the image periodically, all sigmas above a certain limit give the same blur.
  /// For a kernel that promises the exact Gaussian, a larger sigma is therefore reduced to this limit.
  ///
  /// If `layout` has straight alpha, the problem describes the blur of the premultiplied images instead.
  func problem(
    _ parameters: BlurParameters, for layout: ImageLayout, _ set: InstructionSet, threads: Int
  ) -> BlurProblem {
    let sigma = promise.isExact ? parameters.sigma.folded(parameters.edge, layout) : parameters.sigma
    var problem = BlurProblem(
      layout.forKernels(sigma), sigma: sigma, edge: parameters.edge.forKernels(of: layout),
      region: parameters.region, instructionSet: set, threads: threads)
    (problem.downscaled, problem.thresholds) = (parameters.downscaled, parameters.thresholds)
    return problem
  }

  /// Prepares the kernel for a problem.
  ///
  /// - Throws: ``BlurError/unsupported(kernel:reason:)`` if the kernel does not support the problem.
  package func plan(_ problem: BlurProblem) throws(BlurError) -> any Plan {
    isAveraged(problem) ? try draft(problem).plan(problem) : try planner(problem)
  }

  /// Makes a plan for the given parameters and image layout.
  ///
  /// - Throws: ``BlurError/unsupported(kernel:reason:)`` if the kernel does not support the parameters,
  ///   ``BlurError/invalidRegion(_:_:)``, or ``BlurError/invalidDownscaling(_:_:)``.
  package func plan(
    _ parameters: BlurParameters, for layout: ImageLayout, threads: Int
  ) throws(BlurError) -> any Plan {
    let problem = try problem(parameters, for: layout, threads: threads)
    return try layout.plan(try plan(problem), problem)
  }
}
