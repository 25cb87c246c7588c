/// A kernel prepared for one problem. A plan holds weights and tables, which never change and which all
/// threads share.
///
/// The work of a plan is divided into units, such as rows of the result. The executor supplies the memory,
/// and decides which thread does which units. A plan never allocates memory while it blurs, and never writes
/// the padding between rows. It must give the same bits no matter how its units are divided among threads.
public protocol Plan: AnyObject, Sendable {
  /// The facts about the plan that the executor needs.
  var facts: PlanFacts { get }

  /// Does some of the work in the phase with the index `phase`. `units` holds the indices of the units of
  /// work to do. A unit is usually a row.
  ///
  /// If the plan cannot do this work, it reports the error by calling ``PhaseContext/fail(_:)``. Kernels of
  /// this library cannot fail, but the kernel of a plug-in can.
  func run(_ phase: Int, _ units: Range<Int>, _ buffers: PhaseContext)
}

/// The facts about a plan that the executor needs. A plan that wraps another plan passes on all facts of the
/// inner plan.
public struct PlanFacts: Hashable, Sendable {
  /// The phases of one blur, in order. All threads finish a phase before the next phase begins.
  public var phases: [Phase]
  /// The number of scratch bytes that all threads share. A phase can read the data that an earlier phase has
  /// written there.
  public var sharedBytes: Int
  /// The number of scratch bytes that each thread has to itself within a phase.
  public var scratchBytes: Int
  /// The smallest rectangle of the source image that holds every pixel that the plan reads. If an image is
  /// blurred tile by tile, this is the part of the image that must be in memory for the tile. If the value is
  /// nil, the kernel does not report the rectangle, and the plan may read the whole image.
  public var reads: Region?
  /// Whether blurring only a region gives exactly the same bits as blurring the whole image. This is false
  /// for some float kernels: if they blur only a region, their sums start at different pixels and are
  /// therefore rounded differently.
  public var isSameByRegion: Bool
  /// A name for the way that the plan rounds and adds numbers, or nil if its sums depend on the width of the
  /// vectors. Two plans of one kernel for the same problem give exactly the same bits if they have the same
  /// name here, even if their instruction sets differ.
  public var arithmetic: String?
  /// Whether the plan calls ``PhaseContext/finished(_:)`` for each row of the result once the row is written.
  /// The epilogue, an operation on finished rows, can then be applied to each row immediately. If this
  /// property is false, the epilogue is applied to all rows when the blur is over.
  public var hasRowEpilogue: Bool
  /// The number of times that the image is halved before it is filtered, or 0 if the plan does not
  /// downsample.
  public var halvings: Int
  /// The size in pixels of the blocks into which the plan divides the image: the width of a block is
  /// `blockColumns`, and its height is `blockRows`. For example, a plan may restart its running sums at the
  /// start of each block. A size is 0 if there are no blocks. The harness tests images that end just before
  /// and just after the end of a block.
  public var blockColumns: Int, blockRows: Int
  /// The weights of the plan if it only computes weighted sums with integer weights, and nil for all other
  /// plans. From these weights, a test can compute what every bit of the result must be.
  package var integerWeights: IntegerWeights?
  /// The operation counts for blurring the whole image, even if only a region is blurred. They equal
  /// ``BlurKernel/cost(_:)``, or ``Cost/unknown`` if the kernel does not count its operations.
  package var cost = Cost.unknown

  /// Creates the facts about a plan with the given phases. By default, the plan has no scratch memory, does
  /// not divide the image into blocks, and does not halve it.
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

  /// Returns a copy of these facts with the given operation counts.
  func costing(_ cost: Cost) -> PlanFacts {
    var facts = self
    facts.cost = cost
    return facts
  }

  /// Reserves shared scratch memory for an image, and returns the offset of this memory in bytes.
  package mutating func share(_ image: ImageLayout) -> Int {
    let start = AlignedBuffer.roundedUp(sharedBytes)
    sharedBytes = start + image.byteCount
    return start
  }

  /// Returns the number of scratch bytes that the plan needs on `threads` threads. The memory begins with the
  /// part that all threads share, followed by one part for each thread. Each part begins on a new cache line.
  package func workspaceBytes(threads: Int) -> Int { scratchStart(thread: threads) }

  /// Returns the offset in the scratch memory of the part that belongs to `thread`. Threads are counted from
  /// 0.
  func scratchStart(thread: Int) -> Int {
    AlignedBuffer.roundedUp(sharedBytes) + thread * AlignedBuffer.roundedUp(scratchBytes)
  }
}

/// A part of a blur that is finished before the next part begins. The work in a phase consists of `units`
/// independent units, mostly rows, which can be divided among threads.
public struct Phase: Hashable, Sendable {
  /// The number of units in the phase.
  public let units: Int
  /// The number of neighbouring units that must stay together on one thread, for example the rows of a block.
  /// Each thread starts at a multiple of this number.
  public let grain: Int

  /// The additional work of each thread before it can do its first unit, expressed as a number of units. For
  /// example, a running sum must add up the rows of a whole window before it can produce its first row.
  public let overlap: Int

  /// Creates a phase of `units` independent units of work. By default, each unit may run on any thread and
  /// needs no work in advance.
  public init(units: Int, grain: Int = 1, overlap: Int = 0) {
    self.units = units
    self.grain = grain
    self.overlap = overlap
  }
}

/// The images and the scratch memory of one call to a plan. The context is valid only while the plan runs.
public struct PhaseContext: @unchecked Sendable {
  /// The image to read. Pixel (0, 0) of this view is the first pixel of the whole image, even if only a part
  /// of the image is in memory. In that case, only the pixels inside ``PlanFacts/reads`` may be read, and the
  /// layout of the view has the size of the part in memory.
  public let source: ImageView
  /// The region to write. Pixel (0, 0) of this view is the top left pixel of the region.
  public let destination: MutableImageView
  /// The scratch memory that all threads share: `sharedBytes` bytes, aligned to 64 bytes.
  public let shared: UnsafeMutableRawPointer
  /// The scratch memory of this thread: `scratchBytes` bytes, aligned to 64 bytes.
  public let scratch: UnsafeMutableRawPointer
  /// The operation to apply to rows of the region as soon as they are written, or nil.
  let epilogue: CompleteEpilogue?
  /// The object that stores the first error of the blur.
  let failure: BlurFailure
  /// The thresholds of the plan. One of them is the size above which a result is written with non-temporal
  /// stores.
  var thresholds = Thresholds()
  /// Whether another plan will soon read the destination.
  var isReadAgain = false

  /// The number of rows that a plan computes before it reports them as finished. The number is small enough
  /// that the rows are still in the cache when the epilogue (an operation on finished rows) reads them. It is
  /// large enough that the CPU can prefetch memory.
  static let rowsAtOnce = 16

  /// Whether rows of the result are written with non-temporal stores, which bypass the caches. These stores
  /// are used for results with more bytes than ``Thresholds/streamedBytes``. They are not used if the rows
  /// are read again by an epilogue (an operation on finished rows) or by another plan.
  var isStreamed: Bool {
    epilogue == nil && !isReadAgain
      && destination.layout.height * destination.layout.rowBytes > thresholds.streamedBytes
  }

  /// Returns a context with the same images and the given scratch memory. All threads use `shared`, but only
  /// one thread uses `scratch`. Both must have at least the sizes in ``PlanFacts/sharedBytes`` and
  /// ``PlanFacts/scratchBytes``.
  package func with(
    shared: UnsafeMutableRawPointer, scratch: UnsafeMutableRawPointer
  ) -> PhaseContext {
    PhaseContext(
      source: source, destination: destination, shared: shared, scratch: scratch, epilogue: epilogue,
      failure: failure, thresholds: thresholds, isReadAgain: isReadAgain)
  }

  /// Returns a context with the same scratch memory but other images. It is used when one plan reads the
  /// result of another.
  package func with(_ source: ImageView, _ destination: MutableImageView) -> PhaseContext {
    PhaseContext(
      source: source, destination: destination, shared: shared, scratch: scratch, epilogue: nil,
      failure: failure, thresholds: thresholds, isReadAgain: true)
  }

  /// Reports that rows of the destination are finished: they are written, and the plan will not read them
  /// again. A plan must call this method for all rows or for none; see ``PlanFacts/hasRowEpilogue``.
  public func finished(_ rows: Range<Int>) { epilogue?.finish(rows, in: destination) }

  /// Reports an error that makes the blur fail. The blur throws this error when all its threads are done. If
  /// several errors are reported, the blur throws the first one.
  public func fail(_ error: BlurError) { failure.report(error) }
}
