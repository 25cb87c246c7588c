/// A kernel prepared for one problem. A plan holds weights and tables, which never change and which all
/// threads share.
///
/// The executor supplies the buffers, and decides which thread does which units. A plan never allocates
/// memory while it blurs, never writes padding, and gives the same bits however its units are divided among
/// threads.
public protocol Plan: AnyObject, Sendable {
  /// The facts about the plan that the executor needs.
  var facts: PlanFacts { get }

  /// Does the work of the units `units` in phase number `phase`.
  ///
  /// If the plan cannot do this work, it reports the error by ``PhaseContext/fail(_:)``. Kernels of this
  /// library cannot fail, but the kernel of a plug-in can.
  func run(_ phase: Int, _ units: Range<Int>, _ buffers: PhaseContext)
}

/// The facts about a plan that the executor needs. A plan that wraps another plan passes on all facts of the
/// inner plan.
public struct PlanFacts: Hashable, Sendable {
  /// The phases of one blur, in order. Each phase ends on all threads before the next one begins.
  public var phases: [Phase]
  /// The number of scratch bytes that all threads share. Their contents are kept between phases.
  public var sharedBytes: Int
  /// The number of scratch bytes that each thread has to itself within a phase.
  public var scratchBytes: Int
  /// The smallest rectangle of the source that holds every pixel read for the region. It is nil if the kernel
  /// does not report it, which means the whole image. These pixels are all that is needed to blur a tile of
  /// an image.
  public var reads: Region?
  /// Whether a blurred region is bit-identical to the same part of the whole blurred image. It is false if
  /// float sums begin at other pixels when only a region is blurred, because they are then rounded
  /// differently.
  public var isSameByRegion: Bool
  /// The name of the plan's arithmetic, or nil if its sums depend on how wide the vectors are. Two plans of
  /// one kernel for the same problem give the same bits if these names are equal, whatever their instruction
  /// sets.
  public var arithmetic: String?
  /// Whether the plan calls ``PhaseContext/finished(_:)`` for each row of the region once the row is written.
  /// If not, the epilogue is applied to all rows when the blur is over.
  public var hasRowEpilogue: Bool
  /// How many times the image is halved before it is filtered, or 0 if the plan does not downsample.
  public var halvings: Int
  /// The numbers of pixels along a row, and along a column, after which the plan begins new sums or a new
  /// strip of rows. A number is 0 if the plan never begins anew. The harness tries images that end just
  /// before and just after such a boundary.
  public var blockColumns: Int, blockRows: Int

  /// Creates the facts. All facts except the phases have the simplest value by default.
  public init(
    phases: [Phase], sharedBytes: Int = 0, scratchBytes: Int = 0, reads: Region? = nil,
    isSameByRegion: Bool = true, arithmetic: String? = nil, hasRowEpilogue: Bool = false,
    blockColumns: Int = 0, blockRows: Int = 0, halvings: Int = 0
  ) {
    self.phases = phases
    self.sharedBytes = sharedBytes
    self.scratchBytes = scratchBytes
    self.reads = reads
    self.isSameByRegion = isSameByRegion
    self.arithmetic = arithmetic
    self.hasRowEpilogue = hasRowEpilogue
    (self.blockColumns, self.blockRows, self.halvings) = (blockColumns, blockRows, halvings)
  }

  /// Returns the number of scratch bytes that the plan needs on `threads` threads.
  package func workspaceBytes(threads: Int) -> Int { Workspace.byteCount(for: self, threads: threads) }
}

/// A step of a blur that can be divided among threads. A phase consists of `units` independent units of work,
/// mostly rows.
public struct Phase: Hashable, Sendable {
  /// The number of units in the phase.
  public let units: Int
  /// Units are handed out in multiples of this number, so that blocks of rows stay whole.
  public let grain: Int

  /// The number of units whose work must be repeated at the start of each range of units. For example,
  /// running sums must first add up a whole window, and the rows of this window belong to the units before
  /// the range.
  public let overlap: Int

  /// Creates a phase of `units` units.
  public init(units: Int, grain: Int = 1, overlap: Int = 0) {
    self.units = units
    self.grain = grain
    self.overlap = overlap
  }
}

/// The images and the scratch memory of one call to a plan. The context is valid only while the plan runs.
public struct PhaseContext: @unchecked Sendable {
  /// The image to read. Pixel (0, 0) of this view is the first pixel of the whole image. Only the pixels
  /// inside ``PlanFacts/reads`` exist in memory, and the layout of the view has the size of that part.
  public let source: ImageView
  /// The region to write. Pixel (0, 0) of this view is the top left pixel of the region.
  public let destination: MutableImageView
  /// The scratch memory that all threads share: `sharedBytes` bytes, aligned to 64.
  public let shared: UnsafeMutableRawPointer
  /// The scratch memory of this thread: `scratchBytes` bytes, aligned to 64.
  public let scratch: UnsafeMutableRawPointer
  /// The operation to apply to rows of the region as soon as they are written, or nil.
  let epilogue: (any RowEpilogue)?
  /// The place where the blur's first error is kept.
  let failure: BlurFailure

  /// The number of rows that are best finished together: few enough to stay in the cache, and enough for
  /// memory to be prefetched.
  static let rowsAtOnce = 16

  /// Whether rows of the result are written with non-temporal stores. They are if no epilogue reads the rows
  /// and the result has more than 6 MiB, because such a result and its source together are larger than the
  /// caches of most machines.
  var isStreamed: Bool {
    epilogue == nil && destination.layout.height * destination.layout.rowBytes > 6 << 20
  }

  /// Returns a context with the same images, but with other scratch memory. Both parts of this memory must
  /// have the sizes that the plan asked for.
  package func with(
    shared: UnsafeMutableRawPointer, scratch: UnsafeMutableRawPointer
  ) -> PhaseContext {
    PhaseContext(
      source: source, destination: destination, shared: shared, scratch: scratch, epilogue: epilogue,
      failure: failure)
  }

  /// Reports that these rows of the destination are written, and that no other row needs them any more. A
  /// plan that calls this method for one row must call it for all rows; see ``PlanFacts/hasRowEpilogue``.
  public func finished(_ rows: Range<Int>) { epilogue?.finish(rows, in: destination) }

  /// Reports why the blur fails. When all threads of the blur are done, the blur throws this error. If
  /// several errors are reported, it throws the first one.
  public func fail(_ error: BlurError) { failure.report(error) }
}
