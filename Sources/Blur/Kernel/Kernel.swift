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

  private let make: @Sendable (BlurParameters, ImageLayout) throws(BlurError) -> any BlurKernel

  /// Lists a kernel written in Swift.
  public init<K: BlurKernel>(_ type: K.Type) {
    name = K.name
    summary = K.summary
    promise = K.promise
    instructionSets = K.instructionSets
    worksInPlace = K.worksInPlace
    make = { (parameters, layout) throws(BlurError) -> any BlurKernel in
      try K(parameters, layout: layout)
    }
  }

  /// The widest instruction set that the kernel has, the CPU has, and `limit` allows.
  public func instructionSet(upTo limit: InstructionSet) -> InstructionSet {
    instructionSets.filter { $0 <= limit && $0.isAvailable }.max() ?? .baseline
  }

  /// Why the kernel would refuse these parameters for this layout, or nil.
  public func refusal(of parameters: BlurParameters, for layout: ImageLayout) -> BlurError? {
    do throws(BlurError) {
      _ = try planned(parameters, layout)
      return nil
    } catch {
      return error
    }
  }

  /// Plans the kernel: weights, tables and edges for one layout.
  ///
  /// - Throws: ``BlurError/unsupported(kernel:reason:)`` for what the kernel refuses, and
  ///   ``BlurError/invalidRegion(_:_:)``.
  func planned(_ parameters: BlurParameters, _ layout: ImageLayout) throws(BlurError) -> any BlurKernel {
    if let region = parameters.region, !region.fits(layout) { throw .invalidRegion(region, layout) }
    guard !parameters.sigma.isIdentity else { return Identity(parameters, layout: layout) }
    var parameters = parameters
    parameters.instructionSet = instructionSet(upTo: parameters.instructionSet)
    return try make(parameters, layout)
  }
}
