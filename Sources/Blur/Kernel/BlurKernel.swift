/// A blur algorithm. Stored properties, such as an order or an accuracy, select a variant of it, as in
/// `Deriche(order: 3)`.
///
/// To add a kernel, write a file in a folder of `Algorithms/` and add a line to `Registry.swift`;
/// docs/KERNEL-AUTHORS.md shows how.
package protocol BlurKernel: Sendable {
  /// The stable name of the kernel on the command line and in records, such as `box-triple`.
  var name: String { get }
  /// A one-line description of the algorithm.
  var summary: String { get }
  /// The largest error that the kernel promises, if it makes such a promise.
  var promise: Promise { get }
  /// The instruction sets that the kernel has code for. A plan uses the widest of these instruction sets that
  /// the CPU has and the user allows.
  var instructionSets: [InstructionSet] { get }
  /// Whether source and destination may be the same buffer.
  var worksInPlace: Bool { get }
  /// Whether the kernel can compute a downscaled result directly. For all other kernels, the library averages
  /// pixels of the full-size result.
  var downscales: Bool { get }
  /// Whether the kernel computes the blur directly from its definition, without any optimisation. Such a
  /// kernel is very slow, so the automatic choice uses it only as a last resort.
  var isDefinition: Bool { get }

  /// Prepares the kernel for images of one layout: computes the weights and the tables, and determines which
  /// pixel is read for each position beyond the edges of the image.
  ///
  /// - Throws: ``BlurError/unsupported(kernel:reason:)`` if the kernel does not support the problem.
  func plan(_ problem: BlurProblem) throws(BlurError) -> any Plan

  /// Returns the operation counts of a blur, calculated by a formula. When the library chooses a kernel
  /// automatically, it asks every kernel for these counts.
  ///
  /// A kernel that does not count its operations is chosen only if its speed was measured, or if no other
  /// kernel promises to stay within the error bound.
  func cost(_ problem: BlurProblem) -> Cost

  /// Returns the cost of a blur, and a function that makes the plan. A kernel implements this method if it
  /// cannot know the cost without making most of the decisions that the plan needs. The draft then keeps
  /// these decisions, so that they are made only once.
  func draft(_ problem: BlurProblem) -> PlanDraft
}

/// The cost of a blur, together with the decisions that a kernel made to calculate this cost.
package struct PlanDraft {
  let cost: Cost
  /// Makes the plan for the problem of the draft, or for the same problem with a different region.
  let plan: (BlurProblem) throws(BlurError) -> any Plan
}

extension BlurKernel {
  package var instructionSets: [InstructionSet] { [.baseline] }
  package var worksInPlace: Bool { false }
  package var downscales: Bool { false }
  package var isDefinition: Bool { false }
  package func cost(_ problem: BlurProblem) -> Cost { .unknown }
  package func draft(_ problem: BlurProblem) -> PlanDraft { PlanDraft(cost: cost(problem), plan: plan) }
}

/// The task that a kernel makes a plan for. Everything in it has already been checked: the region lies inside
/// the image, and the kernel, the CPU and this build all support the instruction set.
public struct BlurProblem: Hashable, Sendable {
  /// The layout of the source images.
  public var layout: ImageLayout
  /// The standard deviation in pixels along each axis.
  public var sigma: Sigma
  /// The edge mode, which defines the pixels beyond the edges of the image.
  public var edge: EdgeMode
  /// The part of the blurred image that the plan writes.
  public var region: Region
  /// The factor by which the width and the height of the region are divided to get the size of the result: 1,
  /// 2 or 4. It is always 1 for kernels that do not support downscaled results.
  package var downscaled = 1
  /// The vector instructions to use.
  public var instructionSet: InstructionSet
  /// The number of threads that will work on one image. It does not change the result.
  public var threads: Int
  /// The thresholds at which kernels switch to a different method.
  package var thresholds = Thresholds()

  /// Creates a problem. The defaults are the whole image, clamped edges, the baseline instruction set and one
  /// thread.
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

  /// The layout of the result, without padding.
  package var result: ImageLayout { layout.result(of: region, downscaled: downscaled) }
}
