/// An entry of the list of kernels: what is known of a kernel before it is planned.
public struct Kernel: Sendable {
  /// The stable name on the command line and in records.
  public let name: String
  /// One line that says what the algorithm is.
  public let summary: String
  /// What the kernel claims about its error.
  public let promise: Promise
  /// The instruction sets the kernel has code for.
  public let instructionSets: [InstructionSet]
  /// Whether source and destination may be the same buffer.
  public let worksInPlace: Bool
  /// Whether the kernel is the definition of the blur, written as code: to compare with, never chosen.
  public let isDefinition: Bool

  /// Makes a plan.
  public typealias Planner = @Sendable (BlurProblem) throws(BlurError) -> any Plan

  private let planner: Planner
  private let counter: @Sendable (BlurProblem) -> Cost

  /// Lists a kernel.
  public init(_ kernel: some BlurKernel) {
    self.init(
      name: kernel.name, summary: kernel.summary, promise: kernel.promise,
      instructionSets: kernel.instructionSets, worksInPlace: kernel.worksInPlace,
      isDefinition: kernel.isDefinition, counter: { kernel.cost($0) },
      planner: { (problem) throws(BlurError) in
        problem.sigma.isIdentity ? CopyPlan(problem) : try kernel.plan(problem)
      })
  }

  /// Lists a kernel given as a function, such as that of a plug-in.
  public init(
    name: String, summary: String, promise: Promise, instructionSets: [InstructionSet] = [.baseline],
    worksInPlace: Bool = false, isDefinition: Bool = false, planner: @escaping Planner
  ) {
    self.init(
      name: name, summary: summary, promise: promise, instructionSets: instructionSets,
      worksInPlace: worksInPlace, isDefinition: isDefinition, counter: { _ in .unknown }, planner: planner)
  }

  private init(
    name: String, summary: String, promise: Promise, instructionSets: [InstructionSet], worksInPlace: Bool,
    isDefinition: Bool, counter: @escaping @Sendable (BlurProblem) -> Cost, planner: @escaping Planner
  ) {
    self.name = name
    self.summary = summary
    self.promise = promise
    self.instructionSets = instructionSets
    self.worksInPlace = worksInPlace
    self.isDefinition = isDefinition
    self.counter = counter
    self.planner = planner
  }

  /// The operations of a blur, counted by the kernel.
  package func cost(_ problem: BlurProblem) -> Cost { counter(problem) }

  /// The widest instruction set that the kernel has, the CPU has, and `limit` allows.
  public func instructionSet(upTo limit: InstructionSet) -> InstructionSet {
    instructionSets.filter { $0 <= limit && $0.isAvailable }.max() ?? .baseline
  }

  /// Why the kernel would refuse these parameters for this layout, or nil.
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

  /// What this kernel plans for when a user asks for `parameters`.
  ///
  /// - Throws: ``BlurError/invalidRegion(_:_:)``.
  package func problem(
    _ parameters: BlurParameters, for layout: ImageLayout, threads: Int
  ) throws(BlurError) -> BlurProblem {
    if let region = parameters.region, !region.fits(layout) { throw .invalidRegion(region, layout) }
    return problem(
      parameters, for: layout, instructionSet(upTo: parameters.instructionSet), threads: threads)
  }

  /// The problem with one of the kernel's instruction sets. A kernel of the Gaussian gets the least sigma
  /// that has the same result.
  func problem(
    _ parameters: BlurParameters, for layout: ImageLayout, _ set: InstructionSet, threads: Int
  ) -> BlurProblem {
    let sigma = promise.isExact ? parameters.sigma.folded(parameters.edge, layout) : parameters.sigma
    return BlurProblem(
      layout, sigma: sigma, edge: parameters.edge, region: parameters.region, instructionSet: set,
      threads: threads)
  }

  /// Makes the kernel ready for a problem.
  ///
  /// - Throws: ``BlurError/unsupported(kernel:reason:)`` for what the kernel refuses.
  package func plan(_ problem: BlurProblem) throws(BlurError) -> any Plan { try planner(problem) }

  /// Makes the kernel ready for what a user asks for.
  ///
  /// - Throws: ``BlurError/unsupported(kernel:reason:)`` for what the kernel refuses, and
  ///   ``BlurError/invalidRegion(_:_:)``.
  package func plan(
    _ parameters: BlurParameters, for layout: ImageLayout, threads: Int
  ) throws(BlurError) -> any Plan {
    try planner(problem(parameters, for: layout, threads: threads))
  }
}
