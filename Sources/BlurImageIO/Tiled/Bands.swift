import Blur

/// How an image is blurred band by band in bounded memory: whole rows of the result at a time, each band from
/// the rows that its windows reach.
///
/// Bands are bit-identical to the whole result; kernels whose regions are not are refused.
public struct Bands: Sendable {
  /// A band of the result.
  struct Band: Sendable {
    let rows: Range<Int>
    /// The part of the image that the band is blurred from.
    var reads: Region
    /// The first row that this band or a later one reads.
    var firstHeld: Int

    var endHeld: Int { reads.y + reads.height }
  }

  /// What runs.
  public let kernel: Kernel
  /// What was asked, without a region.
  public let parameters: BlurParameters
  /// How many threads work on a band.
  public let threads: Int
  /// The whole image.
  public let layout: ImageLayout
  /// Rows of a band; the last may have fewer.
  public let rowsPerBand: Int
  /// The most bytes that are held at a time: rows of the image, a band of the result, scratch, and rows on
  /// their way from and to files.
  public let byteCount: Int
  var all: [Band]
  /// The most rows of the image that are held at a time.
  let mostHeld: Int

  /// The instruction set that runs.
  public var instructionSet: InstructionSet { kernel.instructionSet(upTo: parameters.instructionSet) }

  /// As many bands as a bound of memory makes necessary.
  ///
  /// - Parameters:
  ///   - memory: in bytes.
  /// - Throws: ``MemoryBoundError`` when not even single rows fit,
  ///   ``Blur/BlurError/unsupported(kernel:reason:)`` for kernels and edge modes that need the whole image,
  ///   and what the kernel itself refuses.
  public init(
    _ kernel: Kernel, for layout: ImageLayout, _ parameters: BlurParameters, threads: Int = 1, memory: Int
  ) throws {
    let maker = BandMaker(kernel: kernel, layout: layout, parameters: parameters, threads: threads)
    try maker.check()
    try self.init(maker, maker.tallest(within: memory))
    // Few bands were looked at; how grids and blocks lie may make another one larger.
    while byteCount > memory {
      guard rowsPerBand > 1 else { throw MemoryBoundError(bound: memory, needed: byteCount) }
      self = try Bands(maker, max(1, rowsPerBand * 7 / 8))
    }
  }

  /// Bands of a given height.
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

  /// The first of several kernels that can, whatever memory it takes: a bound never changes the result.
  ///
  /// - Parameter choices: the preferred kernel first.
  /// - Throws: ``MemoryBoundError``, and what the first kernel was refused for, when all are.
  public init(
    firstOf choices: [Choice], for layout: ImageLayout, _ parameters: BlurParameters, threads: Int,
    memory: Int
  ) throws {
    var refusal = BlurError.noKernel(within: 0, format: layout.format)
    for choice in choices {
      var parameters = parameters
      parameters.instructionSet = choice.instructionSet
      do {
        try self.init(choice.kernel, for: layout, parameters, threads: threads, memory: memory)
        return
      } catch let error as BlurError {
        guard case .unsupported = error else { throw error }
        if case .noKernel = refusal { refusal = error }
      }
    }
    throw refusal
  }
}

/// A bound of memory in which not even one row of the result can be blurred.
public struct MemoryBoundError: Error, Equatable, CustomStringConvertible {
  /// What was allowed, and what suffices, in bytes.
  public let bound: Int, needed: Int

  /// One line of text.
  public var description: String {
    "memory \(Self.text(bound)): one row of the result and the rows that it is blurred from take "
      + "\(Self.text(needed)); allow that, or take a smaller sigma"
  }

  /// Whole units, rounded up.
  static func text(_ bytes: Int) -> String {
    bytes < 10 << 20 ? "\((bytes + 1023) >> 10)K" : "\((bytes + 1 << 20 - 1) >> 20)M"
  }
}

/// Plans bands of any height.
private struct BandMaker {
  let kernel: Kernel
  let layout: ImageLayout
  let parameters: BlurParameters
  let threads: Int

  /// Rows beside the window and the band: of the picture as files hold it, in and out, of the codecs, and of
  /// the tables that kernels make for a line.
  private static let rowsOnTheirWay = 12

  typealias Made = (all: [Bands.Band], mostHeld: Int, byteCount: Int)

  func check() throws(BlurError) {
    if parameters.edge == .wrap {
      throw .unsupported(
        kernel: kernel.name, reason: "edge wrap by bands: the first rows are blurred from the last ones")
    }
    guard try facts(0..<1).facts.isSameByRegion else {
      throw .unsupported(
        kernel: kernel.name,
        reason: "bands of \(layout.format): their bits would differ from the whole result's")
    }
  }

  /// The highest bands that seem to fit.
  func tallest(within memory: Int) throws -> Int {
    let least = try estimate(1)
    // One part in sixteen for bands that were not looked at.
    guard least <= memory else { throw MemoryBoundError(bound: memory, needed: least + least / 16) }
    var range = 1..<layout.height + 1
    while range.count > 1 {
      let middle = range.lowerBound + range.count / 2
      range = try estimate(middle) <= memory ? middle..<range.upperBound : range.lowerBound..<middle
    }
    return range.lowerBound
  }

  /// Bytes for bands of that height, by the first, the middle and the last of them.
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
      throw .unsupported(kernel: kernel.name, reason: "bands: it reads the whole image for any part of it")
    }
    return (facts, reads)
  }
}

extension BlurParameters {
  /// The same for whole rows of the result.
  func of(_ rows: Range<Int>, _ layout: ImageLayout) -> BlurParameters {
    var own = self
    own.region = Region(x: 0, y: rows.lowerBound, width: layout.width, height: rows.count)
    return own
  }
}
