/// A blur algorithm as a value; order and accuracy are stored properties, as in `Deriche(order: 3)`.
///
/// To add a kernel, write a file in `Kernels/` and a line in `Registry.swift`; docs/ADDING-A-KERNEL.md shows
/// how.
public protocol BlurKernel: Sendable {
  /// The stable name on the command line and in records, such as `box-triple`.
  var name: String { get }
  /// One line that says what the algorithm is.
  var summary: String { get }
  /// What the kernel claims about its error.
  var promise: Promise { get }
  /// The instruction sets the kernel has code for; the widest that is allowed is planned.
  var instructionSets: [InstructionSet] { get }
  /// Whether source and destination may be the same buffer.
  var worksInPlace: Bool { get }
  /// Whether the kernel is the definition of the blur, written as code: to compare with, never chosen.
  var isDefinition: Bool { get }

  /// Makes the kernel ready for images of one layout: weights, tables, edges.
  ///
  /// - Throws: ``BlurError/unsupported(kernel:reason:)`` for what the kernel refuses.
  func plan(_ problem: BlurProblem) throws(BlurError) -> any Plan

  /// The operations of a blur, counted in closed form: choosing asks every kernel for them.
  ///
  /// A kernel that does not count them is chosen only where it was measured, or where nothing else may be.
  func cost(_ problem: BlurProblem) -> Cost
}

extension BlurKernel {
  public var instructionSets: [InstructionSet] { [.baseline] }
  public var worksInPlace: Bool { false }
  public var isDefinition: Bool { false }
  public func cost(_ problem: BlurProblem) -> Cost { .unknown }
}

/// What a kernel plans for. All choices are made: the region lies inside the image, and the instruction set
/// is one that the kernel, the CPU and this build have.
public struct BlurProblem: Hashable, Sendable {
  /// The images to be read.
  public var layout: ImageLayout
  /// Standard deviation in pixels by axis.
  public var sigma: Sigma
  /// What is read beyond the image.
  public var edge: EdgeMode
  /// The part of the blurred image that is written.
  public var region: Region
  /// The vector instructions to use.
  public var instructionSet: InstructionSet
  /// How many threads will work on one image; the result is the same for any number.
  public var threads: Int

  /// States a problem; by default the whole image, clamped edges, the baseline, one thread.
  public init(
    _ layout: ImageLayout, sigma: Sigma, edge: EdgeMode = .clamp, region: Region? = nil,
    instructionSet: InstructionSet = .baseline, threads: Int = 1
  ) {
    self.layout = layout
    self.sigma = sigma
    self.edge = edge
    self.region = region ?? layout.bounds
    self.instructionSet = instructionSet
    self.threads = threads
  }
}
