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

  /// Makes a plan; the last argument is the number of threads that will run it.
  public typealias Planner =
    @Sendable (BlurParameters, ImageLayout, Int) throws(BlurError) -> any PlannedBlur

  private let planner: Planner

  private let counter: @Sendable (BlurProblem) -> Cost

  /// Lists a kernel written in Swift.
  public init<K: BlurKernel>(_ type: K.Type) {
    self.init(type, name: K.name, summary: K.summary, promise: K.promise) { _ in }
  }

  /// Lists a kernel planned for an accuracy: under its own name for ``Accuracy/standard``, with the accuracy
  /// appended for others (`pyramid-fine`).
  public init<K: GradedKernel>(_ type: K.Type, _ accuracy: Accuracy) {
    let isStandard = accuracy == .standard
    self.init(
      type, name: isStandard ? K.name : "\(K.name)-\(accuracy.rawValue)",
      summary: isStandard ? K.summary : "\(K.name), within 1e-5 of full scale", promise: .exact(accuracy)
    ) { $0.accuracy = accuracy }
  }

  /// Lists one of a family of filters, with its order appended to the name (`deriche-3`).
  public init<K: OrderedKernel>(_ type: K.Type, order: Int) {
    self.init(
      type, name: "\(K.name)-\(order)", summary: "\(K.summary), order \(order)",
      promise: K.promise(order: order)
    ) { $0.order = order }
  }

  /// Lists a kernel written in Swift, planned with what `choose` writes into the parameters.
  private init<K: BlurKernel>(
    _ type: K.Type, name: String, summary: String, promise: Promise,
    choose: @escaping @Sendable (inout BlurParameters) -> Void
  ) {
    let counter = { @Sendable (problem: BlurProblem) in
      guard let type = type as? any CountingKernel.Type else { return Cost.unknown }
      var parameters = BlurParameters(sigma: problem.sigma)
      choose(&parameters)
      return type.cost(problem, parameters.accuracy, order: parameters.order)
    }
    self.init(
      name: name, summary: summary, promise: promise, instructionSets: K.instructionSets,
      worksInPlace: K.worksInPlace, counter: counter
    ) { (parameters, layout, _) throws(BlurError) -> any PlannedBlur in
      if parameters.sigma.isIdentity { return Identity(parameters, layout: layout) }
      var parameters = parameters
      choose(&parameters)
      return try K(parameters, layout: layout)
    }
  }

  /// Lists a kernel from elsewhere, such as a plug-in.
  public init(
    name: String, summary: String, promise: Promise, instructionSets: [InstructionSet] = [.baseline],
    worksInPlace: Bool = false, planner: @escaping Planner
  ) {
    self.init(
      name: name, summary: summary, promise: promise, instructionSets: instructionSets,
      worksInPlace: worksInPlace, counter: { _ in .unknown }, planner: planner)
  }

  private init(
    name: String, summary: String, promise: Promise, instructionSets: [InstructionSet], worksInPlace: Bool,
    counter: @escaping @Sendable (BlurProblem) -> Cost, planner: @escaping Planner
  ) {
    self.counter = counter
    self.name = name
    self.summary = summary
    self.promise = promise
    self.instructionSets = instructionSets
    self.worksInPlace = worksInPlace
    self.planner = planner
  }

  /// The operations of a blur, counted by the kernel.
  func cost(_ problem: BlurProblem) -> Cost { counter(problem) }

  /// The widest instruction set that the kernel has, the CPU has, and `limit` allows.
  public func instructionSet(upTo limit: InstructionSet) -> InstructionSet {
    instructionSets.filter { $0 <= limit && $0.isAvailable }.max() ?? .baseline
  }

  /// Why the kernel would refuse these parameters for this layout, or nil.
  public func refusal(
    of parameters: BlurParameters, for layout: ImageLayout, threads: Int = 1
  ) -> BlurError? {
    do throws(BlurError) {
      _ = try planned(parameters, layout, threads: threads)
      return nil
    } catch {
      return error
    }
  }

  /// Plans the kernel: weights, tables and edges for one layout.
  ///
  /// - Throws: ``BlurError/unsupported(kernel:reason:)`` for what the kernel refuses, and
  ///   ``BlurError/invalidRegion(_:_:)``.
  package func planned(
    _ parameters: BlurParameters, _ layout: ImageLayout, threads: Int
  ) throws(BlurError) -> any PlannedBlur {
    if let region = parameters.region, !region.fits(layout) { throw .invalidRegion(region, layout) }
    var parameters = parameters
    parameters.instructionSet = instructionSet(upTo: parameters.instructionSet)
    if promise.bound(for: layout.format) != nil {
      parameters.sigma = parameters.sigma.folded(
        parameters.edge, width: layout.width, height: layout.height)
    }
    return try planner(parameters, layout, threads)
  }
}
