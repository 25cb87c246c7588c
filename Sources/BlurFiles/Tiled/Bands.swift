import Blur
import Foundation

/// A division of an image into bands of whole rows, so that the image can be blurred in limited memory. To
/// blur a band, only a part of the source has to be in memory: the rows of the band, and the rows that are
/// close enough to affect its result.
///
/// The result is bit-identical to a blur of the whole image. Kernels that cannot guarantee identical bits are
/// refused.
public struct Bands: Sendable {
  /// One band of the result: several whole rows that are blurred together.
  struct Band: Sendable {
    let rows: Range<Int>
    /// The part of the source image that has to be read to blur the band.
    var reads: Region
    /// The first source row that this band or a later one reads. Earlier rows can be discarded.
    var firstHeld: Int

    var endHeld: Int { reads.y + reads.height }
  }

  /// The kernel that blurs the bands.
  public let kernel: Kernel
  /// The parameters for a blur of the whole image. They do not select a region of the image, because each
  /// band has its own region.
  public let parameters: BlurParameters
  /// The number of threads that work on a band.
  public let threads: Int
  /// The layout of the whole image.
  public let layout: ImageLayout
  /// The number of rows in a band. The last band may have fewer.
  public let rowsPerBand: Int
  /// The peak memory use in bytes: rows of the source, a band of the result, scratch memory, and rows that
  /// are being read from or written to files.
  public let byteCount: Int
  var all: [Band]
  /// The maximum number of source rows that are in memory at the same time.
  let mostHeld: Int

  /// The instruction set that the kernel uses.
  public var instructionSet: InstructionSet { kernel.instructionSet(upTo: parameters.instructionSet) }

  /// Divides the image into as few bands as the memory limit allows.
  ///
  /// - Parameters:
  ///   - memory: The memory limit in bytes.
  /// - Throws: ``MemoryBoundError`` if even bands of a single row need more than `memory`,
  ///   ``Blur/BlurError/unsupported(kernel:reason:)`` for kernels and edge modes that need the whole image,
  ///   and any error that the kernel throws.
  public init(
    _ kernel: Kernel, for layout: ImageLayout, _ parameters: BlurParameters, threads: Int = 1, memory: Int
  ) throws {
    let maker = BandMaker(kernel: kernel, layout: layout, parameters: parameters, threads: threads)
    try maker.check()
    try self.init(maker, maker.tallest(within: memory))
    // The number of rows per band comes from an estimate that looks at only three bands. Other bands can take
    // more memory, because a kernel's blocks and grids are aligned differently in each band.
    while byteCount > memory {
      guard rowsPerBand > 1 else { throw MemoryBoundError(bound: memory, needed: byteCount) }
      self = try Bands(maker, max(1, rowsPerBand * 7 / 8))
    }
  }

  /// Divides the image into bands of `rowsPerBand` rows.
  init(
    _ kernel: Kernel, for layout: ImageLayout, _ parameters: BlurParameters, threads: Int = 1,
    rowsPerBand: Int
  ) throws(BlurError) {
    let maker = BandMaker(kernel: kernel, layout: layout, parameters: parameters, threads: threads)
    try maker.check()
    try self.init(maker, rowsPerBand)
  }

  private init(_ maker: BandMaker, _ rowsPerBand: Int) throws(BlurError) {
    let made = try maker.bands(of: rowsPerBand)
    (kernel, parameters, threads, layout) = (maker.kernel, maker.parameters, maker.threads, maker.layout)
    (all, mostHeld, byteCount) = made
    self.rowsPerBand = rowsPerBand
  }

  /// Divides the image into bands for the first kernel in `choices` that can blur in bands. The memory limit
  /// does not affect which kernel is used, so it never changes the result.
  ///
  /// - Parameter choices: The candidates, with the preferred kernel first.
  /// - Throws: ``MemoryBoundError`` if the bands of that kernel do not fit into the memory. If no kernel can
  ///   blur in bands, this initializer throws the error that says why the first kernel cannot.
  public init(
    firstOf choices: [Choice], for layout: ImageLayout, _ parameters: BlurParameters, threads: Int,
    memory: Int
  ) throws {
    var failure = BlurError.noKernel(within: 0, format: layout.format)
    for choice in choices {
      var parameters = parameters
      parameters.instructionSet = choice.instructionSet
      do {
        try self.init(choice.kernel, for: layout, parameters, threads: threads, memory: memory)
        return
      } catch let error as BlurError {
        guard case .unsupported = error else { throw error }
        if case .noKernel = failure { failure = error }
      }
    }
    throw failure
  }
}

/// The error for a memory limit that is too small to blur even one row of the result.
public struct MemoryBoundError: LocalizedError, Equatable, CustomStringConvertible {
  /// The memory limit, and the smallest limit that would be enough, both in bytes.
  public let bound: Int, needed: Int

  /// One line of text for the user.
  public var description: String {
    "memory \(Self.text(bound)): blurring a single row of the result takes \(Self.text(needed)); allow that "
      + "much, or use a smaller sigma"
  }

  /// The same text as ``description``, for programs that show `localizedDescription`.
  public var errorDescription: String? { description }

  /// Formats a number of bytes in whole KiB or MiB, rounded up, such as `64K` or `12M`.
  static func text(_ bytes: Int) -> String {
    bytes < 10 << 20 ? "\((bytes + 1023) >> 10)K" : "\((bytes + 1 << 20 - 1) >> 20)M"
  }
}

/// Divides an image into bands with a given number of rows, and computes the memory that blurring in these
/// bands takes.
private struct BandMaker {
  let kernel: Kernel
  let layout: ImageLayout
  let parameters: BlurParameters
  let threads: Int

  /// The number of extra rows in the memory estimate. They account for the samples that are being read and
  /// written, for the buffers of the codecs, and for the tables that kernels make for a line of pixels.
  private static let rowsOnTheirWay = 12

  typealias Made = (all: [Bands.Band], mostHeld: Int, byteCount: Int)

  func check() throws(BlurError) {
    if parameters.edge == .wrap {
      throw .unsupported(
        kernel: kernel.name,
        reason: "edge wrap in bands, because with that edge mode the first rows depend on the last ones")
    }
    guard try facts(0..<1).facts.isSameByRegion else {
      throw .unsupported(
        kernel: kernel.name,
        reason: "bands of \(layout.format), because some bits would differ from an untiled blur")
    }
  }

  /// Returns the largest number of rows per band for which the estimated memory is at most `memory` bytes.
  func tallest(within memory: Int) throws -> Int {
    let least = try estimate(1)
    // The estimate looks at only three bands, and others can take more memory, so the error reports 1/16
    // more.
    guard least <= memory else { throw MemoryBoundError(bound: memory, needed: least + least / 16) }
    var range = 1..<layout.height + 1
    while range.count > 1 {
      let middle = range.lowerBound + range.count / 2
      range = try estimate(middle) <= memory ? middle..<range.upperBound : range.lowerBound..<middle
    }
    return range.lowerBound
  }

  /// Estimates how many bytes a blur in bands of `height` rows takes. The estimate is the largest number of
  /// bytes that the first, the middle or the last band takes.
  private func estimate(_ height: Int) throws(BlurError) -> Int {
    var most = 0
    for first in [0, (layout.height - height) / 2, layout.height - height] {
      let (facts, reads) = try facts(first..<first + height)
      most = max(most, byteCount(held: reads.height, height, facts.workspaceBytes(threads: threads)))
    }
    return most
  }

  func bands(of height: Int) throws(BlurError) -> Made {
    var (all, scratch) = ([Bands.Band](), 0)
    for first in stride(from: 0, to: layout.height, by: height) {
      let rows = first..<min(first + height, layout.height)
      let (facts, reads) = try facts(rows)
      all.append(Bands.Band(rows: rows, reads: reads, firstHeld: reads.y))
      scratch = max(scratch, facts.workspaceBytes(threads: threads))
    }
    for i in all.indices.dropLast().reversed() {
      all[i].firstHeld = min(all[i].firstHeld, all[i + 1].firstHeld)
    }
    let mostHeld = all.map { $0.endHeld - $0.firstHeld }.max() ?? 0
    return (all, mostHeld, byteCount(held: mostHeld, height, scratch))
  }

  private func byteCount(held: Int, _ height: Int, _ scratch: Int) -> Int {
    (held + height + Self.rowsOnTheirWay) * layout.rowBytes + scratch
  }

  private func facts(_ rows: Range<Int>) throws(BlurError) -> (facts: PlanFacts, reads: Region) {
    let facts = try kernel.plan(parameters.of(rows, layout), for: layout, threads: threads).facts
    guard let reads = facts.reads else {
      throw .unsupported(
        kernel: kernel.name, reason: "bands, because each part of its result depends on the whole image")
    }
    return (facts, reads)
  }
}

extension BlurParameters {
  /// Returns a copy of the parameters in which the region is a band: the given rows of the result, over the
  /// full width of the image.
  func of(_ rows: Range<Int>, _ layout: ImageLayout) -> BlurParameters {
    var own = self
    own.region = Region(x: 0, y: rows.lowerBound, width: layout.width, height: rows.count)
    return own
  }
}
