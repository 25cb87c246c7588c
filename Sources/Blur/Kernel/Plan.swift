/// A kernel made ready for one problem: weights and tables, immutable and shared by all threads.
///
/// The executor hands it the buffers and decides which thread does which units. A plan never allocates while
/// blurring, never writes padding, and gives the same bits however its units are divided.
public protocol Plan: AnyObject, Sendable {
  /// What the executor has to know.
  var facts: PlanFacts { get }

  /// Does the units `units` of phase number `phase`.
  ///
  /// What cannot be done is said to ``PhaseContext/fail(_:)``. Kernels of this library cannot fail; a
  /// plug-in's can.
  func run(_ phase: Int, _ units: Range<Int>, _ buffers: PhaseContext)
}

/// What a plan tells the executor. A plan that wraps another one hands these on whole.
public struct PlanFacts: Hashable, Sendable {
  /// The steps of one blur, in order; each ends on all threads before the next begins.
  public var phases: [Phase]
  /// Bytes of scratch shared by all threads and kept between phases.
  public var sharedBytes: Int
  /// Bytes of scratch each thread has to itself within a phase.
  public var scratchBytes: Int
  /// The smallest rectangle of the source that holds every pixel read for the region, or nil where the kernel
  /// does not say: then it is the whole image. A tile of an image is blurred from these pixels alone.
  public var reads: Region?
  /// Whether a region is bit-identical to that part of the whole result. Not where float sums begin at
  /// other pixels.
  public var isSameByRegion: Bool
  /// The name of the plan's arithmetic; nil where sums depend on how wide vectors are. Plans of one kernel
  /// for one problem give the same bits where their names are equal, whatever their instruction sets.
  public var arithmetic: String?
  /// Whether the plan calls ``PhaseContext/finished(_:)`` for each row of the region, once it is written.
  /// Otherwise rows are finished when the blur is over.
  public var hasRowEpilogue: Bool
  /// How many times the image is halved before it is filtered; 0 where no pyramid is made.
  public var halvings: Int
  /// Pixels along a row, and along a column, after which sums or strips begin anew; 0 where they never do.
  /// The harness tries images that end just before and just after.
  public var blockColumns: Int, blockRows: Int

  /// States the facts; all but the phases have the plainest value by default.
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

  /// The most bytes of scratch that a plan holds on N threads.
  package func workspaceBytes(threads: Int) -> Int { Workspace.byteCount(for: self, threads: threads) }
}

/// A step of a blur that can be divided: `units` independent pieces of work, mostly rows.
public struct Phase: Hashable, Sendable {
  /// How many pieces there are.
  public let units: Int
  /// Pieces are handed out in multiples of this, so that blocks of rows stay whole.
  public let grain: Int

  /// How many units' worth of work each run of pieces repeats of what comes before it: running sums, for
  /// example, begin with a whole window.
  public let overlap: Int

  /// Makes a phase of `units` pieces.
  public init(units: Int, grain: Int = 1, overlap: Int = 0) {
    self.units = units
    self.grain = grain
    self.overlap = overlap
  }
}

/// The memory of one call: valid only while the plan runs.
public struct PhaseContext: @unchecked Sendable {
  /// The image to read: pixel (0, 0) is that of the whole image, whose format it has. Only pixels inside
  /// ``PlanFacts/reads`` are there; the view's layout has the size of that part.
  public let source: ImageView
  /// The region to write: pixel (0, 0) is the region's top left.
  public let destination: MutableImageView
  /// `sharedBytes` bytes, aligned to 64.
  public let shared: UnsafeMutableRawPointer
  /// `scratchBytes` bytes of this thread, aligned to 64.
  public let scratch: UnsafeMutableRawPointer
  /// What is done to rows of the region as soon as they are written.
  let epilogue: (any RowEpilogue)?
  /// Where the blur's error goes.
  let failure: BlurFailure

  /// Rows that are best finished together: few enough for the cache, and enough for memory to be prefetched.
  static let rowsAtOnce = 16

  /// Whether rows of the result go past the caches: with the source, it is larger than what those of most
  /// machines hold.
  var isStreamed: Bool {
    epilogue == nil && destination.layout.height * destination.layout.rowBytes > 6 << 20
  }

  /// The same images with other scratch, of the sizes that the plan asked for.
  package func with(
    shared: UnsafeMutableRawPointer, scratch: UnsafeMutableRawPointer
  ) -> PhaseContext {
    PhaseContext(
      source: source, destination: destination, shared: shared, scratch: scratch, epilogue: epilogue,
      failure: failure)
  }

  /// Says that these rows of the destination are written, in a plan that says so of all
  /// (``PlanFacts/hasRowEpilogue``). Nothing of them is needed any more for other rows.
  public func finished(_ rows: Range<Int>) { epilogue?.finish(rows, in: destination) }

  /// Says why the blur fails: it throws this error when all its threads are done, the first of several.
  public func fail(_ error: BlurError) { failure.report(error) }
}
